"""Fixtures that let an error in an importer end the test with its own traceback."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from workbench.runs.logs import Importer


@pytest.fixture
def caught() -> None:
    """Mark a test that examines the problem which an error becomes."""


@pytest.fixture(autouse=True)
def unexpected_errors_are_shown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise each error that the import would make a problem, except in a test with the fixture ``caught``."""

    def raise_again(_path: Path, _importer: Importer | None, error: BaseException) -> NoReturn:
        raise error

    if "caught" not in request.fixturenames:
        monkeypatch.setattr("workbench.runs.logs._unexpected", raise_again)
