"""The command ``new --from-settings``: one screen, data, exit codes, and nothing made of what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.cli_runs import run  # pyright: ignore[reportMissingImports]
