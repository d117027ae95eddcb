"""Reads logs in a thread while a person looks: the first calls at once, the others as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model import Verdict
from workbench.tui.messages import LogGrew, Progress, Say, StateFound
from workbench.tui.value_text import plural

if TYPE_CHECKING:
    from textual.message import Message

    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.app.session_state import SessionState
    from workbench.app.workbench import Workbench
    from workbench.model import CallDecision, ImportProblem

READING = "logs"
FOLLOWING = "follow"


class LogReading:
    """Reads logs for workers, and posts the results for the generation that asked."""

    def __init__(self, post: Callable[[Message], None]) -> None:
        """Send messages by ``post``."""
        self._post = post

    def begin(self, bench: Workbench, generation: int) -> None:
        """Read the session's files, its first calls, then all calls, and show each result as it comes."""
        first = bench.first_state()
        self._post(StateFound(generation, lambda _before: first))
        if first.terms is not None:
            self._arrived(bench, generation, first.terms, bench.runs.first(first.terms))
        self._post(Progress(READING, "reading the request and the logs"))
        bench.runs.current(partial(self._arrived, bench, generation, first.terms))
        self._post(Progress(READING, ""))

    def _arrived(self, bench: Workbench, generation: int, terms: PolicyTerms | None, logs: Logs) -> None:
        if terms is not None and logs.calls:
            decisions = bench.runs.decide(terms, logs)
            self._post(StateFound(generation, lambda now: replace(now, logs=logs, decisions=decisions)))
            self._post(Progress(READING, f"reading the logs: {plural(len(logs.calls), 'call')}"))

    def open(self, bench: Workbench, generation: int, path: Path, *, follow: bool) -> tuple[str, int | None]:
        """Read a log in addition to those of the session; return a label for that, and the call to show.

        The call is the log's first one. In a log that is followed it is the last one.
        """
        before, terms = bench.runs.current(), bench.first_state().terms
        self._post(Progress(READING, f"reading {path.name}"))
        try:
            arrived = partial(self._arrived, bench, generation, terms)
            logs = (
                bench.runs.follow(path, lambda: self._post(LogGrew()), arrived)
                if follow
                else bench.runs.open_log(path, arrived)
            )
        finally:
            self._post(Progress(READING, ""))
            self._tell_followed(bench)
        runs, calls = len(logs.runs) - len(before.runs), len(logs.calls) - len(before.calls)
        words = f"{plural(runs, 'run')}, {plural(calls, 'call')}"
        if problems := sum(problem.count for problem in logs.problems[len(before.problems) :]):
            words += f", {plural(problems, 'record')} not understood"
        label = f"Following {path.name}, at first {words}" if follow else f"Opened {path.name}: {words}"
        call_position = len(logs.calls) - 1 if follow else len(before.calls)
        return label, call_position if calls > 0 else None

    def unfollow(self, bench: Workbench, generation: int) -> StateFound:
        """Follow no log any more."""
        bench.runs.unfollow()
        self._tell_followed(bench)
        return StateFound(generation, lambda now: replace(now, followed=""))

    def _tell_followed(self, bench: Workbench) -> None:
        followed = bench.runs.followed
        self._post(Progress(FOLLOWING, "" if followed is None else f"following {followed.name}, f stops"))

    def read_on(self, bench: Workbench, generation: int, state: SessionState) -> None:
        """Show the new calls of the followed log, and report those that are not allowed."""
        logs = bench.runs.read_on()
        if state.terms is None or logs is state.logs:
            return
        decisions = bench.runs.decide(state.terms, logs)
        causes, judged = bench.judging.caused(state.terms, decisions)

        def with_logs(now: SessionState) -> SessionState:
            return replace(now, logs=logs, decisions=decisions, causes=causes, judged=judged)

        self._post(StateFound(generation, with_logs))
        known_problems = () if state.logs is None else state.logs.problems
        lost = [problem for problem in logs.problems if problem not in known_problems]
        self._post(Say(arrival_words(state.decisions, decisions, lost), problem=bool(lost)))


def arrival_words(
    before: Sequence[CallDecision], after: Sequence[CallDecision], lost: Sequence[ImportProblem] = ()
) -> str:
    """A sentence on new calls: their number, those that are not allowed, and lines that cannot be read."""
    calls = _call_words(before, after)
    if not lost:
        return calls or "The log changed; no call is new."
    last = lost[-1]
    place = f" line {last.line}" if last.line else ""
    lost_words = "Not understood: " if len(lost) == 1 else f"{len(lost):,} lines not understood, the last is "
    return f"{calls} {lost_words}{Path(last.path).name}{place}: {last.reason}".strip()


def _call_words(before: Sequence[CallDecision], after: Sequence[CallDecision]) -> str:
    known_calls = {(decision.run, decision.index) for decision in before}
    new = [decision for decision in after if (decision.run, decision.index) not in known_calls]
    wrong = [decision for decision in new if decision.decision.verdict is not Verdict.ALLOW]
    words = plural(len(new), "new call")
    if not wrong:
        return f"{words}, all allowed." if new else ""
    last = wrong[-1]
    return f"{words}, {len(wrong):,} not allowed: call {last.index} of {last.run} {last.decision.verdict}."
