"""One moment of a session: what its check, its replay and its guards say, and whether these agree.

Nothing here acts on a session.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NoReturn, Protocol

from workbench.app.owed import not_in_force
from workbench.app.report import Report
from workbench.app.workbench import Workbench
from workbench.cli.report_text import summary_line
from workbench.guard import Guard, Mode, Outcome, Strategy
from workbench.model import ProofStatus, Verdict, WorkbenchError


class Disagreement(AssertionError):
    """The session contradicts what was said, or itself; the text lists the acts that led to it."""


class LoggedDesk[C: Hashable](Protocol):
    """A desk with logged calls, which a guard can be asked about."""

    def calls(self) -> Sequence[C]:
        """The logged calls, in the order of the log."""
        ...

    def guarded(self, guard: Guard, call: C) -> Outcome:
        """The decision of a guard on a call, in a run of its own."""
        ...


@dataclass(slots=True)
class Tally:
    """The figures of a run: histories, acts, comparisons, and how many of these found all good."""

    histories: int = 0
    acts: int = 0
    judged: int = 0
    good: int = 0


@dataclass(frozen=True, slots=True)
class Shared[P]:
    """What the histories of a run share: its figures, its first seed, a folder, and what they began with."""

    tally: Tally
    first: int
    folder: Path
    begun: dict[int, P] = field(default_factory=dict[int, P])


@dataclass(frozen=True)
class Moment[C: Hashable]:
    """One moment of the session of a desk; ``acts`` are the acts that led to it."""

    acts: str
    desk: LoggedDesk[C]
    bench: Workbench

    def fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        """Raise a disagreement."""
        raise Disagreement(f"{self.acts}: {what}") from cause

    @cached_property
    def report(self) -> Report | None:
        """The report of a check; None if the session says that it cannot be checked.

        The logs are those that the screen has, so that they are read again only where that could matter.
        """
        try:
            return self.bench.check(logs=self.bench.runs.current())
        except WorkbenchError:
            return None
        except Exception as error:
            self.fail(f"check crashed with {type(error).__name__}: {error}", error)

    @property
    def good(self) -> bool:
        """Whether the check says that all is good."""
        return self.report is not None and self.report.exit_code == 0

    @cached_property
    def decided(self) -> Mapping[C, Verdict]:
        """What a replay decides on each logged call; no call can be evaluated without a policy."""
        calls, bench = self.desk.calls(), self.bench
        try:
            decisions = bench.runs.decide(bench.policy.terms(), bench.runs.current())
        except WorkbenchError:
            return dict.fromkeys(calls, Verdict.CANNOT_EVALUATE)
        found: dict[C, Verdict] = {}
        for call, item in zip(calls, decisions, strict=True):
            if found.setdefault(call, item.decision.verdict) is not item.decision.verdict:
                self.fail(f"{call} is decided in two ways")
        return found

    @cached_property
    def guarded(self) -> Mapping[C, Verdict]:
        """What a guard of the session decides on each logged call; nothing is allowed without a guard."""
        calls = self.desk.calls()
        try:
            guard = self.bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE, note=lambda _note: None)
        except WorkbenchError:
            return dict.fromkeys(calls, Verdict.CANNOT_EVALUATE)
        return {call: self.desk.guarded(guard, call).decision.verdict for call in calls}

    def judge_guard(self, accepted: Mapping[C, Verdict] | None) -> None:
        """A guard decides as the accepted version did when it was accepted; without one it denies."""
        if self.guarded != (accepted or dict.fromkeys(self.desk.calls(), Verdict.DENY)):
            self.fail("a guard decides otherwise than the accepted version did when it was accepted")

    def judge_verdict(self, report: Report) -> None:
        """The report is good only if each of its parts is, and its last line says the same."""
        parts = {
            "a question is open": bool(report.open),
            "something is not in force": bool(not_in_force(report.owed)),
            "the policy has problems": bool(report.problems),
            "a case fails": any(not result.passed for result in report.cases),
            "a clause is not proved": report.proof.status is not ProofStatus.PROVED,
        }
        bad = [what for what, holds in parts.items() if holds]
        let_run = [call for call, verdict in self.guarded.items() if verdict is not Verdict.DENY]
        if self.good and any(self.decided[call] is Verdict.DENY for call in let_run):
            self.fail("all is good, and a guard lets run what the policy denies")
        if (report.exit_code == 0) == bool(bad):
            self.fail(f"the exit code is {report.exit_code}, and {', '.join(bad) or 'nothing is wrong'}")
        if ("All good" in summary_line(report)) == bool(bad):
            self.fail("the last line of the report says otherwise than its exit code")
