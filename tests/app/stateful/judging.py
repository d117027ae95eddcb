"""The comparison of a session with what was said to it, and of the parts of the program with each other.

Nothing here acts on a session. What has to be in force, and of what the program has to say that it is not,
follows from ``tests.app.stateful.said`` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from tests.app.stateful.desks import Desk
from tests.app.stateful.said import DeskCall, Must, Said
from workbench.app.owed import Owed, OwedKind, not_in_force
from workbench.app.report import Report
from workbench.app.workbench import Workbench
from workbench.cli.report_text import summary_line
from workbench.guard import Mode, Strategy
from workbench.model import ProofStatus, Question, Verdict, WorkbenchError

MEANING = ("unreadable", "only-if", "rewrite", "reading", "differs")
"""What the ids of the questions about the desk's sentences begin with."""
NOT_CHECKED = frozenset({OwedKind.FILE, OwedKind.DRAFT, OwedKind.CHANGE})
"""What says of the whole policy that it need not be what was said."""


class Disagreement(AssertionError):
    """The session contradicts what was said, or itself; the text lists the acts that led to it."""


@dataclass(frozen=True)
class Judge:
    """One moment of a session, and what was said until then.

    ``acts`` are the acts that led to it. ``asked_as`` has the ids of the questions that were about a
    sentence. ``changed`` are the files that other programs changed since the session read them.
    """

    acts: str
    desk: Desk
    said: Said
    bench: Workbench
    asked_as: Mapping[str, frozenset[str]]
    changed: frozenset[str]

    def fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        """Raise a disagreement."""
        raise Disagreement(f"{self.acts}: {what}") from cause

    # --- what the session says --------------------------------------------------------

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
    def decided(self) -> Mapping[DeskCall, Verdict]:
        """What a replay decides on each logged call; no call can be evaluated without a policy."""
        calls, bench = self.desk.calls(), self.bench
        try:
            decisions = bench.runs.decide(bench.policy.terms(), bench.runs.current())
        except WorkbenchError:
            return dict.fromkeys(calls, Verdict.CANNOT_EVALUATE)
        return {call: item.decision.verdict for call, item in zip(calls, decisions, strict=True)}

    @cached_property
    def guarded(self) -> Mapping[DeskCall, Verdict]:
        """What a guard of the session decides on each logged call; nothing is allowed without a guard."""
        calls = self.desk.calls()
        try:
            guard = self.bench.policy.guard(Strategy.BLOCK_ACTION, mode=Mode.ENFORCE, note=lambda _note: None)
        except WorkbenchError:
            return dict.fromkeys(calls, Verdict.CANNOT_EVALUATE)
        return {call: self.desk.guarded(guard, call).decision.verdict for call in calls}

    # --- the comparison ---------------------------------------------------------------

    def judge(self, accepted: Mapping[DeskCall, Verdict] | None) -> None:
        """Raise Disagreement if the session contradicts what was said, or itself.

        ``accepted`` are the decisions of the accepted version when it was accepted; None if there is none.
        """
        for call, verdict in self.decided.items():
            must = self.said.must(call)
            if verdict is Verdict.ALLOW and must is Must.DENY:
                self._judge_allowed(call)
            if verdict is Verdict.DENY and must is Must.ALLOW:
                self._judge_denied(call)
        if self.said.robbed and self.good:
            self.fail("all is good, and another program removed the accepted version")
        if self.guarded != (accepted or dict.fromkeys(self.decided, Verdict.DENY)):
            self.fail("a guard decides otherwise than the accepted version did when it was accepted")
        if self.report is not None:
            self._judge_report(self.report)

    def _judge_allowed(self, call: DeskCall) -> None:
        """A call that was forbidden is allowed only where the check names what of that is not in force."""
        if self.good:
            self.fail(f"all is good, and {call} is allowed, which was forbidden")
        if self.report is None or self.report.problems:
            return
        missing = not_in_force(self.report.owed)
        if NOT_CHECKED & {item.kind for item in missing}:
            return
        for text in self.said.decisive_answers(call):
            if not self._about(text, missing):
                self.fail(f"{call} is allowed, and the answer about {text!r} is not listed as not in force")
        if self.said.touched:
            return  # a person may have emptied the rule, with its clause
        if any(forbids(call) for forbids in self.said.rules.values()) and not missing:
            self.fail(f"{call} is allowed, which a person's rule forbids, and nothing is not in force")
        if not any(item.is_answer for item in missing):
            self.fail(f"{call} is allowed, which was forbidden, and nothing says that the policy is older")

    def _judge_denied(self, call: DeskCall) -> None:
        """A call that was allowed is denied only where the check names what is not in force, or open."""
        if self.good:
            self.fail(f"all is good, and {call} is denied, which was allowed")
        report = self.report
        if report is None or report.problems or report.open or self.said.touched:
            return
        if not not_in_force(report.owed):
            self.fail(f"{call} is denied, which was allowed, and nothing says that the policy is older")

    def _about(self, text: str, owed: tuple[Owed, ...]) -> tuple[Owed, ...]:
        """What of it is an answer about a sentence."""
        names = self.asked_as.get(text, frozenset())
        return tuple(item for item in owed if item.is_answer and item.name in names)

    def _judge_report(self, report: Report) -> None:
        """The parts of the program say the same, and what was said is carried where nothing hinders it."""
        self._judge_verdict(report)
        self._judge_screen(report)
        self._judge_owed(report)
        self._judge_kept()
        open_texts = {s.text for s in self.desk.sentences if any(is_about(q, s.text) for q in report.open)}
        unclear = self.said.unclear(self.desk.calls())
        unasked = [sentence.text for sentence in unclear if sentence.text not in open_texts]
        if unasked and self.good:
            self.fail(f"all is good, and {unasked} has no answer")
        if not self.said.followed or report.problems:
            return
        if unasked:
            self.fail(f"{unasked} has no answer and is not asked")
        asked = [text for text in self.said.standing_answers if text in open_texts]
        if asked:
            self.fail(f"{asked} is answered and asked again")
        self._judge_followed(report)

    def _judge_verdict(self, report: Report) -> None:
        """The report is good only if each of its parts is, and its last line says the same."""
        parts = {
            "a question is open": bool(report.open),
            "something is not in force": bool(not_in_force(report.owed)),
            "the policy has problems": bool(report.problems),
            "a case fails": any(not result.passed for result in report.cases),
            "a clause is not proved": report.proof.status is not ProofStatus.PROVED,
        }
        bad = [what for what, holds in parts.items() if holds]
        if (report.exit_code == 0) == bool(bad):
            self.fail(f"the exit code is {report.exit_code}, and {', '.join(bad) or 'nothing is wrong'}")
        if ("All good" in summary_line(report)) == bool(bad):
            self.fail("the last line of the report says otherwise than its exit code")

    def _judge_screen(self, report: Report) -> None:
        """The screen shows what the check reports."""
        try:
            state = self.bench.state()
        except WorkbenchError as error:
            self.fail(f"the check reports and the screen has no state: {error}")
        if [question.id for question in state.open] != [question.id for question in report.open]:
            self.fail("check and screen have other open questions")
        if state.owed != report.owed:
            self.fail("check and screen disagree about what is in force")
        if bool(state.problems) != bool(report.problems):
            self.fail("check and screen have other problems of the policy")

    def _judge_owed(self, report: Report) -> None:
        """Each answer that stands is owed, and each file that another program changed is named."""
        unlisted = [text for text in self.said.standing_answers if not self._about(text, report.owed)]
        if unlisted:
            self.fail(f"the answers about {unlisted} are not among what the session owes")
        files = {item.name for item in not_in_force(report.owed) if item.kind is OwedKind.FILE}
        if not self.changed <= files:
            self.fail(f"{sorted(self.changed - files)} was changed by another program and is not named")

    def _judge_kept(self) -> None:
        """A kept case and a clause that a person wrote are not passed over."""
        for facts, expected in self.said.cases.items():
            verdicts = {v.value for call, v in self.decided.items() if facts <= self.desk.facts(call)}
            if self.good and expected.value not in verdicts:
                self.fail(f"all is good, and {sorted(facts)} is not decided {expected}, as a kept case says")
        for name, forbids in self.said.claims.items():
            allowed = [call for call, v in self.decided.items() if v is Verdict.ALLOW and forbids(call)]
            if self.good and allowed:
                self.fail(f"all is good, and {allowed[0]} is allowed against the person's clause {name}")

    def _judge_followed(self, report: Report) -> None:
        """What was said is carried into the policy, and nothing of it is called not in force."""
        for call, verdict in self.decided.items():
            must = self.said.must(call)
            if must is not Must.OPEN and verdict.value != must.value:
                self.fail(f"{call} is {verdict.value}, and {must.value} was said")
        missing = not_in_force(report.owed)
        alarms = [text for text in self.said.standing_answers if self._about(text, missing)]
        if alarms and not self.changed:
            self.fail(f"the answers about {alarms} are followed, and listed as not in force")


def is_about(question: Question, text: str) -> bool:
    """Whether a question asks for the meaning of a sentence of the desk."""
    return question.id.partition(":")[0] in MEANING and " ".join(question.quote.split()) == text
