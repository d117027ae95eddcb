"""Sessions for the screen's tests. No verifier is started: tests elsewhere cover it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.app.refund_desk import refund_desk
from workbench.app.proof import Proving

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "sessions" / "travel-desk"


@pytest.fixture(autouse=True)
def no_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the preview make all proofs in these tests."""
    monkeypatch.setattr(Proving, "prover", _nothing)


@pytest.fixture(autouse=True)
def without_processes(cases_decided_here: None) -> None:
    """Decide cases in this process; walks in a terminal and their own tests run them with pytest."""
    del cases_decided_here


def _nothing(proving: Proving) -> None:
    del proving


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A copy of the shipped travel desk."""
    return _copied(SHIPPED, tmp_path)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the shipped web shop."""
    return _copied(ROOT / "sessions" / "web-shopping", tmp_path)


@pytest.fixture(scope="session")
def made_asked_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A support desk with one open question, about two sentences that meet, made once."""
    return refund_desk(tmp_path_factory.mktemp("asked") / "refunds", left_open=1)


@pytest.fixture
def asked_desk(made_asked_desk: Path, tmp_path: Path) -> Path:
    """A copy of the support desk with one open question."""
    return Path(shutil.copytree(made_asked_desk, tmp_path / "refunds"))


def _copied(original: Path, folder: Path) -> Path:
    copy = folder / "travel-desk"
    shutil.copytree(original, copy, ignore=shutil.ignore_patterns(".workbench"))
    return copy
