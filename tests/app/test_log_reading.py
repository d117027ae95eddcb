"""Logs that arrive while a person works: opened in addition to the session's own, and read as they grow."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.app.request import Request
from workbench.app.results import Logs
from workbench.app.workbench import Workbench
from workbench.model import Judgement, Verdict, WorkbenchError

SESSION = Path(__file__).resolve().parents[2] / "sessions" / "travel-desk"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    """A travel desk with two of its logs."""
    session = tmp_path / "desk"
    shutil.copytree(SESSION, session, ignore=shutil.ignore_patterns(".workbench", "logs"))
    (session / "logs").mkdir()
    for name in ("hanover-0318", "offsite-0312"):
        shutil.copy(SESSION / "logs" / f"{name}.jsonl", session / "logs")
    opened = Workbench.open(session)
    yield opened
    opened.close()


def invoices(folder: Path, records: int | None = None, name: str = "") -> Path:
    """A copy of a log, or of its first records; with ``name``, its run has another name."""
    lines = (SESSION / "logs" / "invoices-0313.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines[:records]]
    path = folder / "invoices.jsonl"
    texts = (json.dumps({**record, "run": name or record["run"]}) for record in entries)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def as_if_read_at_once(bench: Workbench, logs: Logs, path: Path) -> None:
    """Check that the logs are what reading all their files at once gives."""
    fresh = bench.runs.load([*bench.session.log_paths, path])
    assert [run.id for run in fresh.runs] == [run.id for run in logs.runs]
    assert fresh.calls == logs.calls
    assert fresh.extracted == logs.extracted


def test_a_log_is_read_on_as_it_grows(bench: Workbench, tmp_path: Path) -> None:
    own = bench.runs.current()
    for records in (6, 7, 30, None):
        logs = bench.runs.open_log(invoices(tmp_path, records))
        assert logs.calls[: len(own.calls)] == own.calls
        as_if_read_at_once(bench, logs, tmp_path / "invoices.jsonl")
        assert bench.runs.current() is logs


def test_a_log_that_became_another_is_read_anew(bench: Workbench, tmp_path: Path) -> None:
    bench.runs.open_log(invoices(tmp_path))
    logs = bench.runs.open_log(invoices(tmp_path, name="another"))
    assert [run.id for run in logs.runs].count("another") == 1
    assert "invoices-0313" not in {run.id for run in logs.runs}
    as_if_read_at_once(bench, logs, tmp_path / "invoices.jsonl")


def test_a_log_of_the_session_is_not_read_twice(bench: Workbench) -> None:
    before = bench.runs.current()
    logs = bench.runs.open_log(bench.session.log_paths[0])
    assert [run.id for run in logs.runs] == [run.id for run in before.runs]
    assert bench.runs.open_log(bench.session.path / "logs").calls == before.calls


def test_calls_are_told_of_as_they_arrive(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.app.runs.FIRST_TOLD", 4)
    partial_logs: list[Logs] = []
    logs = bench.runs.current(partial_logs.append)
    assert [len(partial.calls) for partial in partial_logs] == [4, 16]
    assert all(partial.calls == logs.calls[: len(partial.calls)] for partial in partial_logs)
    terms = bench.policy.terms()
    first = bench.runs.first(terms, most=10)
    assert first.calls == logs.calls[:10]
    verdicts = [decision.decision.verdict for decision in bench.runs.decide(terms, logs)]
    assert [decision.decision.verdict for decision in bench.runs.decide(terms, first)] == verdicts[:10]


def long_log(folder: Path) -> Path:
    """A file with many runs of a log, two at a time with alternating lines, and a broken line at its end."""
    lines = (SESSION / "logs" / "invoices-0313.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    texts = [
        json.dumps({**entry, "run": f"{entry['run']}-{pair}{name}"})
        for pair in range(4)
        for entry in entries
        for name in "ab"
    ]
    path = folder / "many.jsonl"
    path.write_text("\n".join([*texts, "{broken", ""]), encoding="utf-8")
    return path


def test_the_first_calls_come_without_the_rest_of_the_file_and_before_the_request_is_read(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_log(bench.session.log_paths[0].parent).rename(bench.session.log_paths[0])
    terms, logs = bench.policy.terms(), bench.runs.current()
    with monkeypatch.context() as unread:
        unread.delattr(Request, "draft")
        first = bench.runs.first(terms, most=5)
    assert logs.problems and not first.problems
    assert first.calls == logs.calls[:5]
    assert bench.runs.decide(terms, first) == bench.runs.decide(terms, logs)[:5]


def test_a_log_that_is_opened_shows_its_first_calls_before_it_is_read(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.app.runs.RECORDS", 1)
    own, partial_logs = bench.runs.current(), list[Logs]()
    logs = bench.runs.open_log(long_log(tmp_path), partial_logs.append)
    counts = [len(partial.calls) for partial in partial_logs]
    assert len(own.calls) < counts[0] < len(logs.calls)
    assert counts == sorted(counts)
    assert logs.problems and not partial_logs[0].problems
    answered = [call for call in partial_logs[0].calls[len(own.calls) :] if call.result is not None]
    assert answered and all(call in logs.calls for call in answered)


def test_of_a_log_whose_reading_is_stopped_nothing_is_kept(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.app.runs.RECORDS", 1)
    own, ended = bench.runs.current(), threading.Event()
    with pytest.raises(WorkbenchError, match=r"The reading of .*\.jsonl was stopped; none of its calls"):
        bench.runs.open_log(long_log(tmp_path), lambda _arrived: ended.set(), ended)
    assert ended.is_set()
    assert bench.runs.current() is own


def test_what_is_no_log_says_so(bench: Workbench, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="There is no file"):
        bench.runs.open_log(tmp_path / "missing.jsonl")
    (tmp_path / "recipe.txt").write_text("Two eggs.\n", encoding="utf-8")
    problems = bench.runs.open_log(tmp_path / "recipe.txt").problems
    assert "format is not known" in problems[-1].reason


@pytest.mark.parametrize("judgement", Judgement)
def test_a_judged_call_is_a_case_of_its_own(bench: Workbench, judgement: Judgement) -> None:
    terms = bench.policy.terms()
    decided = bench.runs.decide(terms, bench.runs.current())
    denied = next(decision for decision in decided if decision.decision.verdict is Verdict.DENY)
    (case,) = bench.judging.judge_call(terms, denied, judgement).cases
    expected = Verdict.DENY if judgement is Judgement.RIGHT else Verdict.ALLOW
    assert (case.expected, case.arguments) == (expected, denied.decision.arguments)
    assert case in bench.session.cases
    before = len(bench.session.cases)
    bench.judging.judge_call(terms, denied, Judgement.RIGHT)
    assert len(bench.session.cases) == before
