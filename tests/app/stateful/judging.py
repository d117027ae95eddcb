"""The comparison of a session with what was said to it, and of the parts of the program with each other.

Nothing here acts on a session. What has to be in force, and of what the program has to say that it is not,
follows from ``tests.app.stateful.said`` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.app.stateful.desks import Desk
from tests.app.stateful.moment import Moment
from tests.app.stateful.said import DeskCall, Must, Said
from workbench.app.owed import Owed, OwedKind, not_in_force
from workbench.app.report import Report
from workbench.model import Question, Verdict

MEANING = ("unreadable", "only-if", "rewrite", "reading", "differs")
"""What the ids of the questions about the desk's sentences begin with."""
NOT_CHECKED = frozenset({OwedKind.FILE, OwedKind.DRAFT, OwedKind.CHANGE})
"""What says of the whole policy that it need not be what was said."""


@dataclass(frozen=True)
class Judge(Moment[Desk]):
    """One moment of a session, and what was said until then.

    ``asked_as`` has the ids of the questions that were about a
    sentence. ``changed`` are the files that other programs changed since the session read them.
    """

    said: Said
    asked_as: Mapping[str, frozenset[str]]
    changed: frozenset[str]

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
        self.judge_guard(accepted)
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
        self.judge_verdict(report)
        self.judge_screen(report)
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
