"""A followed log is read to its end, in whatever way it grows."""

from __future__ import annotations

import shutil
import threading
from contextlib import closing
from pathlib import Path

import pytest

from workbench.app.results import Logs
from workbench.app.runs import Runs
from workbench.app.workbench import Workbench
from workbench.model import WorkbenchError

SESSIONS = Path(__file__).resolve().parents[2] / "sessions"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the travel desk."""
    return Path(shutil.copytree(SESSIONS / "travel-desk", tmp_path / "desk"))


def lines_of(folder: Path) -> list[str]:
    """The lines of a log with several runs."""
    log = min((folder / "logs").iterdir(), key=lambda path: path.stat().st_size)
    return log.read_text("utf-8").splitlines(keepends=True)


def test_what_is_written_while_the_log_is_first_read_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = lines_of(folder)
    log, told = tmp_path / "live.jsonl", threading.Event()
    log.write_text(first, "utf-8")
    read = Runs.open_log

    def read_and_grow(runs: Runs, path: Path, tell: None, ended: None) -> Logs:
        logs = read(runs, path, tell, ended)
        log.write_text(first + "".join(others), "utf-8")
        return logs

    with closing(Workbench.open(folder, read_only=True)) as bench:
        monkeypatch.setattr(Runs, "open_log", read_and_grow)
        logs = bench.runs.follow(log, told.set)
        monkeypatch.setattr(Runs, "open_log", read)
        assert told.wait(60)
        assert len(bench.runs.read_on().calls) > len(logs.calls)


def test_a_log_that_is_not_there_leaves_what_is_followed(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "live.jsonl"
    log.write_text("".join(lines_of(folder)), "utf-8")
    with closing(Workbench.open(folder, read_only=True)) as bench:
        bench.runs.follow(log, lambda: None)
        with pytest.raises(WorkbenchError, match="There is no file"):
            bench.runs.follow(tmp_path / "other.jsonl", lambda: None)
        assert bench.runs.followed == log
