"""Unsaved edits, kept so that quitting or a crash never loses one.

A buffer is the text of an editor at its last keystrokes, valid or not. It is stored in ``.workbench/buffers``
and offered again when the session is reopened. It may contain half of a surrogate pair, which pydantic
refuses; the JSON module reads and writes it.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from workbench.files.bounded_text import load_json
from workbench.files.regular import read_regular
from workbench.redact import redact
from workbench.session.atomic import write_atomic
from workbench.session.session_error import SessionError

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}"


@dataclass(frozen=True, slots=True)
class Buffer:
    """An unsaved text; ``base_sha`` fingerprints the saved text that it started from."""

    name: str
    text: str
    base_sha: str


def save(folder: Path, name: str, text: str, base_sha: str) -> None:
    """Keep an unsaved text under a name such as ``policy.py``. Raises OSError."""
    record = {"base_sha": base_sha, "text": redact(text)}
    write_atomic(_path(folder, name), json.dumps(record).encode())


def drop(folder: Path, name: str) -> None:
    """Forget an unsaved text; nothing happens if there is none."""
    with contextlib.suppress(FileNotFoundError):
        _path(folder, name).unlink()


def load(folder: Path) -> Mapping[str, Buffer]:
    """All unsaved texts by name. A file that cannot be read is skipped."""
    buffer_by_name: dict[str, Buffer] = {}
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        name = path.name.removesuffix(".json")
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            record = cast("dict[str, str]", load_json(read_regular(path).decode("utf-8")))
            buffer_by_name[name] = Buffer(name, str(record["text"]), str(record["base_sha"]))
    return buffer_by_name


def _path(folder: Path, name: str) -> Path:
    if not re.fullmatch(_NAME, name):
        raise SessionError(f"{name!r} cannot name an unsaved text; use letters, digits, '.', '_' and '-'.")
    return folder / f"{name}.json"
