"""A person and other programs who act on a session with a policy of calls; what each act says is noted.

``judge`` compares the session with what was said; see ``tests.app.stateful.written_desk``.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import override

from tests.app.invoice_desk import TOOLS
from tests.app.stateful.moment import DeskCall, Disagreement, Moment
from tests.app.stateful.quick_workbench import quick
from tests.app.stateful.written_desk import (
    LOOK,
    NOTE,
    PAY,
    SAYINGS,
    SENTENCES,
    Form,
    Said,
    Saying,
    WrittenDesk,
    request_text,
    write_desk,
)
from workbench.app.new_session import new_session
from workbench.app.owed import OwedKind, not_in_force
from workbench.app.report import Report
from workbench.app.rewording import Reworded
from workbench.app.workbench import Workbench
from workbench.clarify.written.asked import BOUND, CONFLICT, NEVER_HOLDS, OTHER_CALLS, WITHOUT_EFFECT
from workbench.clarify.written.conflicts import PROHIBITIONS
from workbench.model import ProofStatus, Question, Verdict, WorkbenchError
from workbench.session import Session
from workbench.session.accepted_version import NAME as ACCEPTED

DESK = WrittenDesk()
OUTSIDE = ("unnoticed", "watched", "closed")
"""How another program edits a file: unnoticed, while the session watches its files, or while it is closed."""
BY_NAME = frozenset({OwedKind.WIDENING, OwedKind.LOG})
ALWAYS_TOLD = frozenset({"bound", "exception", "other-calls"})


def _without(text: str, pattern: str) -> str:
    """A policy without the first function whose name matches."""
    return re.sub(rf"(?ms)^def {pattern}\w*\(.*?(?=^def |^# |\Z)", "", text, count=1)


EDITS: Mapping[str, Callable[[str], str]] = {
    "delete a prohibition": lambda text: _without(text, "(?:forbid|ask)_"),
    "delete a permission": lambda text: _without(text, "permit_"),
    "delete a clause": lambda text: _without(text, "contract_"),
    "delete the contract": lambda text: re.sub(r"(?ms)^def contract_\w+\(.*?(?=^def |^# |\Z)", "", text),
    "raise the limits of the rules": lambda text: re.sub(r'(\n    return [^\n]*)"1[05]0"', r'\1"900"', text),
    "raise all limits": lambda text: re.sub(r'Decimal\("1[05]0"\)', 'Decimal("900")', text),
    "empty the rules": lambda text: re.sub(
        r'(?m)^(def (?:forbid|ask)_.*\n    """.*"""\n)    return .*$', r"\1    return False", text
    ),
    "break the syntax": lambda text: text + "\n\ndef forbid_(\n",
}
"""What a person may do to the policy by hand."""


@cache
def _template() -> Path:
    """The desk as a new session without a rule, made once."""
    folder = Path(tempfile.mkdtemp(prefix="written-desk-"))
    write_desk(folder, tuple(SENTENCES))
    (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    made = new_session(
        folder / "desk",
        folder / "request.md",
        agent=folder / "tools.json",
        logs=[folder / "log.jsonl"],
        author="written",
    )
    made.draft()
    made.workbench.close()
    return folder / "desk"


@dataclass(frozen=True, slots=True)
class Pending:
    """An edit by another program that the session has not taken over, and what it says."""

    name: str
    says: Callable[[Said], Said]


class WrittenPlayer:
    """Plays acts on one session of the desk."""

    def __init__(self, folder: Path) -> None:
        """Copy the new session into a folder."""
        shutil.copytree(_template(), folder)
        self.folder = folder
        self.acts: list[str] = []
        self.judged = self.good = 0
        self.may_accept = False
        self.said = Said(tuple(SENTENCES))
        self.bench = quick(Session.open(folder))
        self._pending: list[Pending] = []
        self._anyway = False
        self._accepted: dict[str, Mapping[DeskCall, Verdict]] = {}
        self._moments: dict[int, Said] = {len(self.bench.session.history): self.said}
        self._judged_moment: object = None

    @override
    def __repr__(self) -> str:
        return " → ".join(self.acts)

    def close(self) -> None:
        """Close the session."""
        self.bench.close()

    # --- acts and what they say -------------------------------------------------------

    def act(self, name: str, does: Callable[[Workbench], Callable[[Said], Said] | None]) -> None:
        """Do an act, which returns what it says; nothing is said if it is refused by a WorkbenchError."""
        self.acts.append(name)
        before = len(self.bench.session.history)
        says: Callable[[Said], Said] | None = None
        try:
            says = does(self.bench)
        except WorkbenchError as error:
            self.acts[-1] += f" (refused: {str(error)[:80]})"
        except Exception as error:
            raise Disagreement(f"{self!r}: crashed with {type(error).__name__}: {error}") from error
        self._note(before, says)

    def _note(self, before: int, says: Callable[[Said], Said] | None = None) -> None:
        """Note what was said at the present place of the history."""
        if self._take_pending():
            before += 1
            self._moments[before] = self.said
        if says is not None:
            self.said = says(self.said)
        now = len(self.bench.session.history)
        for place in range(before + 1, now):  # a moment inside an act, of which nobody knows what was said
            self._moments[place] = replace(self.said, known=False)
        self._moments[now] = self.said

    def _take_pending(self) -> bool:
        """Note the edits of other programs that the session took over since."""
        differing = self.bench.session.differing
        taken = [one for one in self._pending if one.name not in differing]
        self._pending = [one for one in self._pending if one.name in differing]
        for pending in taken:
            self.said = pending.says(self.said)
        return bool(taken)

    def in_history(self, name: str, step: Callable[[Session], object]) -> None:
        """Undo or redo; what was said is what was said at that moment."""
        self.acts.append(name)
        before = len(self.bench.session.history)
        try:
            step(self.bench.session)
        except WorkbenchError as error:
            self.acts[-1] += f" (refused: {str(error)[:80]})"
        if self._take_pending():  # they are noted in the history before it is undone
            self._moments[before + 1] = self.said
        self.said = self._moments[len(self.bench.session.history)]

    def undo(self) -> None:
        """Undo the last change, but not the beginning of the policy."""
        if len(self.bench.session.history) > 1:
            self.in_history("undo", lambda session: session.undo())

    def redo(self) -> None:
        """Do the last undone change again."""
        if self.bench.session.undone:
            self.in_history("redo", lambda session: session.redo())

    # --- what is said -----------------------------------------------------------------

    def say(self, said: Mapping[str, tuple[Saying, ...]], *, anyway: bool = False) -> None:
        """Say what sentences of the request mean, as one change."""
        items = [Reworded(sentence, tuple(one.text for one in meant)) for sentence, meant in said.items()]

        def says(before: Said) -> Said:
            for sentence, meant in said.items():
                before = before.saying(sentence, meant)
            return before

        def keeps(bench: Workbench) -> Callable[[Said], Said]:
            found = bench.rewordings.keep(items, anyway=anyway)
            self._anyway |= bool(found.contradictions)
            return says

        if items:
            self.act("; ".join(f"say {item.words!r}: {' '.join(item.texts)}" for item in items), keeps)

    def context(self, sentence: str) -> None:
        """Say that a sentence states no rule; of one that has rules, nothing is said."""

        def keeps(bench: Workbench) -> Callable[[Said], Said]:
            found = bench.rewordings.keep([Reworded(sentence, context="a remark")])
            if not found.context:
                return lambda said: said
            return lambda said: replace(said, context=said.context | {sentence})

        self.act(f"context {sentence!r}", keeps)

    # --- questions --------------------------------------------------------------------

    def open_questions(self) -> tuple[Question, ...]:
        """The open questions; none where the policy has problems."""
        try:
            return self.bench.questions.understand().open
        except WorkbenchError:
            return ()

    def answer(self, question: Question, place: int) -> None:
        """Choose one of the options of a question."""
        option = question.options[place % len(question.options)]
        kind = question.id.partition(":")[0]
        texts = {one.name: one.text for one in self.bench.sentences.aloud()}

        def answers(bench: Workbench) -> Callable[[Said], Said]:
            bench.questions.answer(question, option.value)
            if kind == BOUND:
                return lambda said: _bounded(said, question, option.label)
            if kind == CONFLICT:
                return lambda said: _won(said, question, option.value, option.label, texts)
            if kind in (WITHOUT_EFFECT, NEVER_HOLDS) and option.value == "drop":
                return lambda said: _dropped(said, question)
            if kind == OTHER_CALLS:
                return lambda said: _opened(said, question.text, option.value)
            if kind == "no-clause":
                return lambda said: replace(said, context=said.context | {question.quote})
            return lambda said: said

        self.act(f"answer {question.id}: {option.label}", answers)

    def retract(self, place: int) -> None:
        """Take an answer back, which leaves the policy as it is."""
        questions = sorted(self.said.answers)
        if questions:
            name = questions[place % len(questions)]

            def retracts(bench: Workbench) -> Callable[[Said], Said]:
                bench.questions.retract(name)
                return lambda said: said.retracted(name)

            self.act(f"retract {name}", retracts)

    def settle(self, place: int) -> None:
        """Say what is open, and answer every question so that what the policy does is meant."""
        unsaid = [sentence for sentence in self.said.request if sentence in self.said.open]
        pool = {sentence: SENTENCES[sentence] for sentence in unsaid if sentence in SENTENCES}
        self.say({sentence: meant[place % len(meant)] for sentence, meant in pool.items()})
        for sentence in unsaid:
            if sentence not in pool:
                self.context(sentence)
        answered: set[str] = set()
        while question := next((q for q in self.open_questions() if q.id not in answered), None):
            answered.add(question.id)
            values = [option.value for option in question.options]
            self.answer(question, values.index(question.default) if question.default in values else 0)

    # --- files ------------------------------------------------------------------------

    def request(self, sentences: tuple[str, ...], how: str) -> None:
        """Give the request these sentences, in the application or in another program."""
        text = request_text(sentences)

        def says(said: Said) -> Said:
            return replace(said, request=sentences)

        if how in OUTSIDE:
            self._outside("request.md", text, says, how)
        else:

            def sets(bench: Workbench) -> Callable[[Said], Said]:
                bench.request.set(text)
                return says

            self.act(f"request {sentences}", sets)

    def edit_policy(self, what: str, how: str) -> None:
        """Edit the policy by hand, in the application or in another program."""
        old = (self.folder / "policy.py").read_text()
        text = EDITS[what](old)

        def says(said: Said) -> Said:
            return replace(said, touched=True)

        if text == old:
            return
        if how in OUTSIDE:
            self._outside("policy.py", text, says, f"{how}, {what}")
        else:

            def stores(bench: Workbench) -> Callable[[Said], Said]:
                stored = bench.editing.keep_or_store(text)
                return says if stored else lambda said: said

            self.act(f"edit the policy: {what}", stores)

    def _outside(self, name: str, text: str, says: Callable[[Said], Said], how: str) -> None:
        if (self.folder / name).read_text() == text:
            return
        self.acts.append(f"outside: {name}, {how}")
        way = how.partition(",")[0]
        if way == "closed":
            before = len(self.bench.session.history)
            self.bench.close()
            (self.folder / name).write_text(text)
            self._pending.append(Pending(name, says))
            self.bench = quick(Session.open(self.folder))
            self._note(before)
            return
        (self.folder / name).write_text(text)
        self._pending.append(Pending(name, says))
        if way == "watched":
            self.take_over()

    def take_over(self) -> None:
        """Take over the changes of other programs, as the screen does."""

        def takes(bench: Workbench) -> None:
            bench.editing.take_outside(bench.session.written)

        self.act("take over", takes)

    def reopen(self) -> None:
        """Close the session and open it again."""
        self.acts.append("reopen")
        before = len(self.bench.session.history)
        self.bench.close()
        self.bench = quick(Session.open(self.folder))
        self._note(before)

    def accept(self) -> None:
        """Accept the version, with its widenings by their names, if the session is good."""

        def accepts(bench: Workbench) -> None:
            widenings = [item.name for item in bench.in_force.missing() if item.kind is OwedKind.WIDENING]
            decided = Moment(repr(self), DESK, bench).decided
            if bench.accept(widenings).done:
                self._accepted[bench.session.text(ACCEPTED)] = decided

        self.act("accept", accepts)

    # --- the comparison -----------------------------------------------------------------

    def judge(self) -> None:
        """Raise Disagreement if the session contradicts what was said, or itself."""
        session = self.bench.session
        moment = (
            id(self.bench), session.written, session.request, session.assumptions, self.said,
            session.text(ACCEPTED), session.differing, len(session.cases),
        )  # fmt: skip
        if moment == self._judged_moment:
            return
        self._judged_moment = moment
        now = Moment(repr(self), DESK, self.bench)
        now.judge_guard(self._accepted.get(session.text(ACCEPTED)))
        self.judged += 1
        self.good += now.good
        self.may_accept = now.report is not None and not now.report.open
        if now.report is None:
            return
        now.judge_verdict(now.report)
        now.judge_screen(now.report)
        if not self.said.known:
            return
        self._judge_decisions(now, now.report)
        if not now.report.problems:
            self._judge_owed(now, now.report)

    def _judge_decisions(self, now: Moment[WrittenDesk], report: Report) -> None:
        """Each call is decided as was said, or a person's edit by hand is told."""
        said = {call: self.said.decides(call) for call in DESK.calls()}
        wrong = [f"{call} is {now.decided[call]}, and {said[call]} was said" for call in said
                 if now.decided[call] is not said[call]]  # fmt: skip
        if wrong and (now.good or not self.said.touched) and not report.problems:
            now.fail(f"{'all is good, and ' if now.good else ''}{wrong[0]}")
        if self._pending and now.good:
            now.fail("all is good, and another program changed a file")

    def _judge_owed(self, now: Moment[WrittenDesk], report: Report) -> None:
        """What is open, gone or answered otherwise is told, and nothing else is."""
        said, missing = self.said, not_in_force(report.owed)
        names = {item.name for item in missing}
        if said.touched or self._pending:
            return
        statements = {item.statement for item in missing}
        for sentence in said.gone | said.open:
            if sentence not in statements:
                now.fail(
                    f"{sentence!r} is {'gone' if sentence in said.gone else 'open'}, and nothing says so"
                )
        for question in said.against_answers:
            if question not in names:
                now.fail(f"{question} was answered otherwise than what is said, and nothing says so")
        if not self._anyway:
            self._judge_carried(now, report)
        if self._anyway or said.gone or said.open or report.open or said.against_answers:
            return
        alarms = [
            item
            for item in missing
            if item.kind not in BY_NAME and item.name.partition(":")[0] not in ALWAYS_TOLD
        ]
        if alarms:
            now.fail(f"all was said, and {alarms[0].name} is not in force: {alarms[0].reason}")

    def _judge_carried(self, now: Moment[WrittenDesk], report: Report) -> None:
        """What was said has its clauses, and policy, contract and cases agree."""
        for question in report.open:
            if question.kind == "no-clause" and self.said.demands(question.quote, DESK.calls()):
                now.fail(f"{question.quote!r} was said, and no clause is about it")
        if failing := [result.case for result in report.cases if not result.passed]:
            now.fail(f"the case {failing[0]} fails, and nobody changed a rule by hand")
        if refuted := [one.clause for one in report.proof.clauses if one.status is ProofStatus.REFUTED]:
            now.fail(f"{refuted[0]} is refuted, and nobody changed a rule by hand")


# --- what an answer says, as a person reads the question ----------------------------------------


def _bounded(said: Said, question: Question, label: str) -> Said:
    """The sentence with the chosen side of its bound."""
    sayings = said.rules.get(question.quote, ())
    now = tuple(_side(one, label) for one in sayings)
    return said.saying(question.quote, now).answered(question.id, question.quote, label)


def _side(saying: Saying, label: str) -> Saying:
    return SAYINGS[label] if saying.flipped == label else saying


def _won(said: Said, question: Question, value: str, label: str, texts: Mapping[str, str]) -> Said:
    """The prohibition of the chosen rule without what the permission of the question permits."""
    after = said.answered(question.id, question.quote, value)
    if value == PROHIBITIONS:
        return after
    permit = next(one for one in said.rules[question.quote] if one.form is Form.PERMIT and one.tool == PAY)
    for sentence, sayings in said.rules.items():
        now: list[Saying] = []
        for one in sayings:
            if one.text != texts[value] or one.form is Form.PERMIT:
                now.append(one)
            elif not permit.text.startswith("The agent may always"):
                now.append(_excepted(one, permit, label.partition(f"{value}: ")[2]))
        if tuple(now) != sayings:
            after = replace(after, rules={**after.rules, sentence: tuple(now)})
    return replace(after, rules={sentence: one for sentence, one in after.rules.items() if one})


def _dropped(said: Said, question: Question) -> Said:
    """Without the rule of the question; its sentence is open again if nothing else was said for it."""
    rules = {
        sentence: tuple(
            one for one in sayings if f"“{one.text}”" not in question.text.partition(" decides ")[0]
        )
        if sentence == question.quote
        else sayings
        for sentence, sayings in said.rules.items()
    }
    return replace(said, rules={sentence: sayings for sentence, sayings in rules.items() if sayings})


def _excepted(forbid: Saying, permit: Saying, text: str) -> Saying:
    return Saying(
        text, forbid.form, forbid.tool, lambda call: forbid.applies(call) and not permit.applies(call)
    )


def _opened(said: Said, text: str, value: str) -> Said:
    """What an answer says of all calls of the tools that the question names."""
    form = {"allow": Form.PERMIT, "deny": Form.FORBID}.get(value)
    if form is None:
        return said
    named = [tool for tool in (PAY, LOOK, NOTE) if tool in text]
    more = tuple(
        Saying(f"{form} {tool}", form, tool, lambda call, tool=tool: call.tool == tool) for tool in named
    )
    return replace(said, beside=(*said.beside, *more))
