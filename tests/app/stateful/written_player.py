"""A person and other programs who act on a session with a policy of calls; what each act says is noted.

``judge`` compares the session with what was said; see ``tests.app.stateful.written_desk``. Where nothing that
was said settles what is right, it stands on what was decided:

* An answer to a question that the policy raises no more is in force as long as the rules stand that said what
  was chosen: its value names an option that is no more, so a damaged one tells nothing.
* An answer goes, and the person is told, when its rules are said anew; none goes of which a sentence stands.
* A new answer to a question that is asked again about what a former one left stays beside it. One to a
  question whose stored answer was damaged takes its place, as nobody knows what that was.
* What stood inside of an act that is several changes nobody knows: there the session is compared with itself.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import closing
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import override

from tests.app.invoice_desk import TOOLS
from tests.app.stateful.consulted import Part, consult
from tests.app.stateful.moment import Disagreement, Moment
from tests.app.stateful.quick_workbench import quick
from tests.app.stateful.written_desk import (
    LOOK,
    NOTE,
    PAY,
    RECORD,
    SAYINGS,
    SENTENCES,
    UNKNOWN,
    AgentFile,
    Applies,
    Form,
    RunCall,
    Said,
    Saying,
    WrittenDesk,
    negated,
    request_text,
    some,
    write_desk,
)
from workbench.app.new_session import new_session
from workbench.app.owed import OwedKind, not_in_force
from workbench.app.report import Report
from workbench.app.rewording import Reworded
from workbench.app.workbench import Workbench
from workbench.clarify.written.asked import (
    BOUND,
    CONFLICT,
    KINDS,
    NEVER_HOLDS,
    OTHER_CALLS,
    UNIT,
    UNKNOWN_RECORD,
    WITHOUT_EFFECT,
    WITNESS,
)
from workbench.clarify.written.conflicts import PROHIBITIONS
from workbench.clarify.written.records_meant import DENY, IGNORE
from workbench.model import AgentSpec, Assumption, Option, ProofStatus, Question, Verdict, WorkbenchError
from workbench.policy.rule_names import RULES
from workbench.session import Session
from workbench.session.accepted_version import NAME as ACCEPTED
from workbench.session.agent_file import read_agent
from workbench.session.session_files import CASES

DESK = WrittenDesk()
OUTSIDE = ("unnoticed", "watched", "closed")
"""How another program edits a file: unnoticed, while the session watches its files, or while it is closed."""
CHOSEN = 3
"""The most questions that are answered otherwise than by what the policy does, where all are answered."""
BY_NAME = frozenset({OwedKind.WIDENING, OwedKind.NARROWING, OwedKind.LOG})
ALWAYS_TOLD = frozenset({"bound", "exception", "other-calls"})
AGENT, REQUEST, POLICY, ANSWERS = "agent.toml", "request.md", "policy.py", "assumptions.toml"


def _without(text: str, pattern: str, place: int) -> str:
    """A policy without one of the functions whose names match."""
    found = list(re.finditer(rf"(?ms)^def {pattern}\w*\(.*?(?=^def |^# |\Z)", text))
    if not found:
        return text
    gone = found[place % len(found)]
    return text[: gone.start()] + text[gone.end() :]


EDITS: Mapping[str, Callable[[str, int], str]] = {
    "delete a prohibition": lambda text, place: _without(text, "(?:forbid|ask)_", place),
    "delete a permission": lambda text, place: _without(text, "permit_", place),
    "delete a clause": lambda text, place: _without(text, "contract_", place),
    "delete the contract": lambda text, _: re.sub(r"(?ms)^def contract_\w+\(.*?(?=^def |^# |\Z)", "", text),
    "raise the limits of the rules": lambda text, _: re.sub(
        r'(\n    return [^\n]*)"1[05]0"', r'\1"900"', text
    ),
    "raise all limits": lambda text, _: re.sub(r'Decimal\("1[05]0"\)', 'Decimal("900")', text),
    "empty the rules": lambda text, _: re.sub(
        r'(?m)^(def (?:forbid|ask)_.*\n    """.*"""\n)    return .*$', r"\1    return False", text
    ),
    "break the syntax": lambda text, _: text + "\n\ndef forbid_(\n",
}
"""What a person may do to the policy by hand, at a place."""


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
    made.workbench.agent.put_text(AgentFile().text, "What the agent is")
    made.workbench.close()
    return folder / "desk"


@lru_cache(100)
def _read(agent: str) -> AgentSpec:
    return read_agent(agent)


@dataclass(frozen=True, slots=True)
class Pending:
    """An edit by another program that the session has not taken over, and what it says."""

    name: str
    says: Callable[[Said], Said]


class WrittenPlayer:
    """Plays acts on one session of the desk."""

    def __init__(self, folder: Path, sentences: tuple[str, ...] = tuple(SENTENCES)) -> None:
        """Copy the new session into a folder, with these sentences of its request."""
        shutil.copytree(_template(), folder)
        (folder / REQUEST).write_text(request_text(sentences), encoding="utf-8")
        self.folder = folder
        self.acts: list[str] = []
        self.judged = self.good = 0
        self.may_accept = False
        self.said = Said(sentences)
        self.bench = quick(Session.open(folder))
        self._pending: list[Pending] = []
        self._anyway = False
        self._bad: set[str] = set()
        self._accepted: dict[str, Mapping[RunCall, Verdict]] = {}
        self._begun = len(self.bench.session.history)
        self._moments: dict[int, Said] = {len(self.bench.session.history): self.said}
        self._judged_moment: object = None

    @override
    def __repr__(self) -> str:
        return " → ".join(self.acts)

    def close(self) -> None:
        """Close the session."""
        self.bench.close()

    def copied(self, folder: Path) -> WrittenPlayer:
        """A player who goes on from here in a copy of the session, which has to be closed."""
        shutil.copytree(self.folder, folder)
        other = copy(self)
        other.folder, other.judged, other.good = folder, 0, 0
        other.acts, other._pending, other._bad = [*self.acts], [*self._pending], {*self._bad}
        other._accepted, other._moments = {**self._accepted}, {**self._moments}
        other.bench = quick(Session.open(folder))
        other._judged_moment = None
        return other

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
        return self._take_all(self.bench.session.differing)

    def _take_all(self, differing: Container[str] = ()) -> bool:
        """Note the edits of other programs that the session took over, all but those of these files."""
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
            self._note(before)
            return
        if self._take_pending():  # they are noted in the history before it is undone
            self._moments[before + 1] = self.said
        self.said = self._moments[len(self.bench.session.history)]

    def undo(self) -> None:
        """Undo the last change, but not the beginning of the policy."""
        if len(self.bench.session.history) > self._begun:
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
                old = {one.text for one in before.rules.get(sentence, ())}
                new = {one.text for one in meant}
                before = before.saying(sentence, meant).witnessed(dict.fromkeys(old - new, ""))
            return before

        def keeps(bench: Workbench) -> Callable[[Said], Said]:
            texts: Mapping[str, str] = _rules_aloud(bench) if self.said.touched else {}
            found = bench.rewordings.keep(items, anyway=anyway)
            self._anyway |= bool(found.contradictions)
            gone = self._gone(bench, found.dropped)
            edited = _turned(texts, _rules_aloud(bench) if texts else {})
            return lambda before: says(before).witnessed(dict.fromkeys(edited, "")).retracted(*gone)

        if items:
            self.act("; ".join(f"say {item.words!r}: {' '.join(item.texts)}" for item in items), keeps)

    def context(self, sentence: str) -> None:
        """Say that a sentence states no rule, which is refused where it has rules."""

        def keeps(bench: Workbench) -> Callable[[Said], Said]:
            bench.rewordings.keep([Reworded(sentence, context="a remark")])
            return lambda said: replace(said, context=said.context | {sentence})

        self.act(f"context {sentence!r}", keeps)

    def _gone(self, bench: Workbench, dropped: Iterable[Assumption]) -> list[str]:
        """The questions whose answers an act dropped, which nothing may stand for that was chosen then."""
        gone = [one.question for one in dropped]
        aloud = frozenset(_rules_aloud(bench).values()) if gone else frozenset[str]()
        for question in sorted({*gone} - self.said.against_answers):
            if left := sorted(self.said.witnesses.get(question, frozenset()) & aloud):
                raise Disagreement(f"{self!r}: the answer to {question} was dropped, and {left[0]!r} stands")
        return gone

    # --- questions --------------------------------------------------------------------

    def open_questions(self) -> tuple[Question, ...]:
        """The open questions, each with an id of its own; none where the policy has problems."""
        try:
            found = self.bench.questions.understand().open
        except WorkbenchError:
            return ()
        if len({one.id for one in found}) < len(found):
            raise Disagreement(f"{self!r}: two open questions have the same id: {[one.id for one in found]}")
        return found

    def answer(self, question: Question, place: int) -> None:
        """Choose one of the options of a question."""
        option = question.options[place % len(question.options)]
        kind = question.id.partition(":")[0]

        def answers(bench: Workbench) -> Callable[[Said], Said]:
            texts = _rules_aloud(bench)
            changed = bench.questions.answer(question, option.value)
            after = _rules_aloud(bench)
            says = _says(question, option, texts, after)
            if kind not in KINDS:
                return says
            chosen = frozenset(text for text in after.values() if text in option.label)
            gone = self._gone(bench, changed.dropped)
            now = _turned(texts, after)
            return lambda said: _with_answer(
                said, says(said).witnessed(now).retracted(*gone), question, chosen
            )

        self.act(f"answer {question.id}: {option.label}", answers)

    def answer_rules(self, place: int) -> None:
        """Choose an option of each question about the rules that is open."""
        for question in self.open_questions():
            if _kind(question.id) in KINDS and question.id in {one.id for one in self.open_questions()}:
                self.answer(question, place)

    def retract(self, place: int) -> None:
        """Take an answer back."""
        questions = sorted(self.said.answers)
        if questions:
            name = questions[place % len(questions)]

            def retracts(bench: Workbench) -> Callable[[Said], Said]:
                texts = _rules_aloud(bench)
                gone = self._gone(bench, bench.questions.retract(name).dropped)
                now = _turned(texts, _rules_aloud(bench))
                return lambda said: _back(said, name, texts).witnessed(now).retracted(name, *gone)

            self.act(f"retract {name}", retracts)

    def settle(self, place: int, choice: int | None = None) -> None:
        """Say what is open, and answer every question, so that what the policy does is meant.

        With a choice the first questions about the rules have other answers.
        """
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
            if choice is not None and _kind(question.id) in KINDS and len(answered) <= CHOSEN:
                self.answer(question, choice + len(answered))
                self.judge()
            else:
                self.answer(question, values.index(question.default) if question.default in values else 0)

    # --- files ------------------------------------------------------------------------

    def request(self, sentences: tuple[str, ...], how: str) -> None:
        """Give the request these sentences, in the application or in another program."""
        text = request_text(sentences)

        def says(said: Said) -> Said:
            return replace(said, request=sentences)

        if how in OUTSIDE:
            self._outside(REQUEST, text, says, how)
        else:

            def sets(bench: Workbench) -> Callable[[Said], Said]:
                bench.request.set(text)
                return says

            self.act(f"request {sentences}", sets)

    def edit_policy(self, what: str, place: int, how: str) -> None:
        """Edit the policy by hand, in the application or in another program."""
        old = (self.folder / POLICY).read_text()
        text = EDITS[what](old, place)

        def says(said: Said) -> Said:
            return replace(said, touched=True)

        if text == old:
            return
        if how in OUTSIDE:
            self._outside(POLICY, text, says, f"{how}, {what}")
        else:

            def stores(bench: Workbench) -> Callable[[Said], Said]:
                stored = bench.editing.keep_or_store(text)
                return says if stored else lambda said: said

            self.act(f"edit the policy: {what}", stores)

    def agent(self, agent: AgentFile, how: str) -> None:
        """Let the agent file say this, in the application or in another program."""

        def says(said: Said) -> Said:
            return replace(said, agent=agent)

        if agent.bad:
            self._bad.add(agent.text)
        if how in OUTSIDE:
            self._outside(AGENT, agent.text, says, f"{how}, {agent}")
        else:

            def puts(bench: Workbench) -> Callable[[Said], Said]:
                bench.agent.put_text(agent.text, "Edit agent.toml")
                if agent.bad:
                    raise Disagreement(f"{self!r}: an agent file that cannot be read was stored")
                return says

            self.act(f"agent: {agent}", puts)

    @property
    def spoiled(self) -> bool:
        """Whether the agent file on the disk is one that cannot be read."""
        return self._on_disk(AGENT) in self._bad

    @property
    def _agent_as_said(self) -> bool:
        return _read(self.bench.session.text(AGENT)) == _read(self.said.agent.text)

    def damage_answer(self, place: int, how: str) -> None:
        """Let a stored answer have a value that nobody can choose, as another version of the program may."""
        questions = sorted(self.said.answers)
        if questions:
            name, text = questions[place % len(questions)], self._on_disk(ANSWERS)
            pattern = rf'(?s)(question = "{re.escape(name)}"\nvalue = )"[^"\n]*"'
            new = re.sub(pattern, r'\1"as in another version"', text)

            def says(said: Said) -> Said:
                return replace(said, damaged=said.damaged | {name})

            self._outside(ANSWERS, new, says, f"{how}, damaged {name}")

    def forget_answers(self, how: str) -> None:
        """Take all stored answers away in another program."""

        def says(said: Said) -> Said:
            return replace(said, answers={}, witnesses={}, took={}, damaged=frozenset(), context=frozenset())

        self._outside(ANSWERS, "", says, f"{how}, emptied")

    def rob(self, how: str) -> None:
        """Take the accepted version away in another program."""
        self._outside(ACCEPTED, "", lambda said: replace(said, robbed=True), f"{how}, removed")

    def _on_disk(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def _outside(self, name: str, text: str, says: Callable[[Said], Said], how: str) -> None:
        if self._on_disk(name) == text:
            return
        self.acts.append(f"outside: {name}, {how}")
        way = how.partition(",")[0]
        pending = Pending(name, says)
        if way == "closed":
            before = len(self.bench.session.history)
            self.bench.close()
            self._write(pending, text)
            self._open(before)
            return
        self._write(pending, text)
        if way == "watched":
            self.take_over()

    def _write(self, pending: Pending, text: str) -> None:
        if text:
            (self.folder / pending.name).write_text(text)
        else:
            (self.folder / pending.name).unlink()
        if text == self.bench.session.text(pending.name):  # it is as the session knows it again
            self._pending = [one for one in self._pending if one.name != pending.name]
        else:
            self._pending.append(pending)

    def _open(self, before: int) -> None:
        """Open the session; one with a bad agent file guards all the same, and is repaired then."""
        try:
            self.bench = quick(Session.open(self.folder))
        except WorkbenchError as error:
            if not self.spoiled:
                raise Disagreement(f"{self!r}: the session cannot be opened: {error}") from error
            with closing(Workbench.open_to_guard(self.folder)) as bench:
                now = Moment(repr(self), DESK, bench)
                now.judge_guard(self._accepted.get(bench.session.text(ACCEPTED)))
            if self._pending:  # what was refused is in the history all the same
                self._take_all()
                before += 1
                self._moments[before] = self.said
            good = replace(self.said.agent, bad="")
            self._write(Pending(AGENT, lambda said: replace(said, agent=good)), good.text)
            self.bench = quick(Session.open(self.folder))
        self._note(before)

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
        self._open(before)

    def accept(self) -> None:
        """Accept the version, with its widenings by their names, if the session is good."""

        def accepts(bench: Workbench) -> Callable[[Said], Said] | None:
            widenings = [item.name for item in bench.in_force.missing() if item.kind is OwedKind.WIDENING]
            decided = Moment(repr(self), DESK, bench).decided
            if not bench.accept(widenings).done:
                return None
            self._accepted[bench.session.text(ACCEPTED)] = decided
            return lambda said: replace(said, robbed=False)

        self.act("accept", accepts)

    # --- the comparison -----------------------------------------------------------------

    def consult(self, *parts: Part) -> None:
        """Look at what else says whether the session is good, at all of it unless parts are named."""
        self.acts.append(f"consult {', '.join(parts)}".rstrip())
        consult(Moment(repr(self), DESK, self.bench), parts or tuple(Part))

    def judge(self) -> None:
        """Raise Disagreement if the session contradicts what was said, or itself."""
        session = self.bench.session
        moment = (
            id(self.bench), session.written, session.request, session.assumptions, self.said,
            session.text(ACCEPTED), session.differing, session.text(CASES), self._on_disk(AGENT),
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
            if not self._pending and not self.said.agent.bad:
                now.fail("the session cannot be checked, and its files can be read")
            return
        now.judge_verdict(now.report)
        if not self.said.known:
            return
        self._judge_files(now, now.report)
        self._judge_decisions(now, now.report)
        if not (now.report.problems or self._pending):
            self._judge_answers(now, now.report)
        if not now.report.problems:
            self._judge_owed(now, now.report)

    def _judge_decisions(self, now: Moment[RunCall], report: Report) -> None:
        """Each call is decided as was said, or a person's edit by hand is told, or was confirmed."""
        said = {call: self.said.decides(call) for call in DESK.calls()}
        wrong = [f"{call} is {now.decided[call]}, and {said[call]} was said" for call in said
                 if now.decided[call] is not said[call]]  # fmt: skip
        told = self.said.touched and (self.said.confirmed or not now.good)
        if wrong and not told and not report.problems:
            now.fail(f"{'all is good, and ' if now.good else ''}{wrong[0]}")

    def _judge_files(self, now: Moment[RunCall], report: Report) -> None:
        """What other programs did to files is told, and what the agent file does not let rules read."""
        if now.good and self._pending:
            now.fail("all is good, and another program changed a file")
        if self.said.agent.bad and not self._pending:
            now.fail("the session is checked, and its agent file cannot be read")
        if not (self.said.agent.bad or self._pending) and not self._agent_as_said:
            now.fail("the agent file is not what was said of the agent")
        if now.good and self.said.robbed:
            now.fail("all is good, and another program removed the accepted version")
        if not (self.said.touched or self.said.agent.bad) and bool(report.problems) is not self.said.refused:
            does = "reads what the agent file has" if report.problems else "reads what the agent file lacks"
            now.fail(f"the policy {does}, and its problems are {report.problems}")

    def _judge_answers(self, now: Moment[RunCall], report: Report) -> None:
        """Each answer about the rules is stored, is owed, and has its sentences or is told; by whomever."""
        bench, said = self.bench, self.said
        answers = {
            one.question: one.value for one in bench.session.assumptions if _kind(one.question) in KINDS
        }
        if answers.keys() != said.witnesses.keys():
            now.fail(f"{sorted(answers.keys() ^ said.witnesses.keys())} is stored otherwise than was said")
        owed = {item.name: item for item in report.owed}
        if unowed := sorted(answers.keys() - owed.keys()):
            now.fail(f"{unowed[0]} was answered, and is neither in force nor listed")
        aloud = frozenset(_rules_aloud(bench).values())
        # A question about a call that a rule lets through has no default: nobody is to take the unsafe one.
        asked = {one.id: one.default for one in bench.questions.understand().questions}
        does = {question: default for question, default in asked.items() if default}
        for question, value in answers.items():
            lost = sorted(said.witnesses[question] - aloud)
            if owed[question].in_force and does.get(question, value) != value:
                now.fail(f"{question} is in force, and the policy does not do what was chosen")
            if owed[question].in_force and question not in asked and lost:
                now.fail(f"{question} is in force, and {lost[0]!r} is said no more")

    def _judge_owed(self, now: Moment[RunCall], report: Report) -> None:
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
        # An answer to what is asked no more is in force by its rules, whatever its value.
        asked = {one.id for one in self.bench.questions.understand().questions}
        for question in (said.damaged & asked) - names - {one.id for one in report.open}:
            now.fail(f"the stored answer to {question} was damaged, and nothing says so")
        for question in said.against_answers:
            if question not in names:
                now.fail(f"{question} was answered otherwise than what is said, and nothing says so")
        if not self._anyway:
            self._judge_carried(now, report)
        if self._anyway or said.gone or said.open or report.open or said.against_answers or said.damaged:
            return
        alarms = [
            item
            for item in missing
            if item.kind not in BY_NAME and item.name.partition(":")[0] not in ALWAYS_TOLD
        ]
        if alarms:
            now.fail(f"all was said, and {alarms[0].name} is not in force: {alarms[0].reason}")

    def _judge_carried(self, now: Moment[RunCall], report: Report) -> None:
        """What was said has its clauses, and policy, contract and cases agree."""
        for question in report.open:
            if question.kind == "no-clause" and self.said.demands(question.quote, DESK.calls()):
                now.fail(f"{question.quote!r} was said, and no clause is about it")
        if failing := [result.case for result in report.cases if not result.passed]:
            now.fail(f"the case {failing[0]} fails, and nobody changed a rule by hand")
        if refuted := [one.clause for one in report.proof.clauses if one.status is ProofStatus.REFUTED]:
            now.fail(f"{refuted[0]} is refuted, and nobody changed a rule by hand")


# --- what an answer says, as a person reads the question ----------------------------------------


def _kind(question: str) -> str:
    return question.partition(":")[0]


def _rules_aloud(bench: Workbench) -> Mapping[str, str]:
    """The sentence of each rule of a policy, by its name; none where the policy has problems."""
    try:
        return {one.name: one.text for one in bench.sentences.aloud() if one.name.startswith(RULES)}
    except WorkbenchError:
        return {}


def _turned(before: Mapping[str, str], after: Mapping[str, str]) -> Mapping[str, str]:
    """What the rules say after an act, by what they said before it; nothing of those that are gone."""
    return {text: after.get(name, "") for name, text in before.items() if after.get(name) != text}


def _says(
    question: Question, option: Option, texts: Mapping[str, str], after: Mapping[str, str]
) -> Callable[[Said], Said]:
    """What an answer says, by the texts of the rules before and after it."""
    now = {text: new for text, new in _turned(texts, after).items() if new}
    meanings: Mapping[str, Callable[[Said], Said]] = {
        BOUND: lambda said: _bounded(said, question, option.label),
        CONFLICT: lambda said: _won(said, question, option.value, option.label, texts),
        WITHOUT_EFFECT: lambda said: _dropped(said, question, option.value, texts),
        NEVER_HOLDS: lambda said: _dropped(said, question, option.value, texts),
        UNKNOWN_RECORD: lambda said: _known(said, option.value, now),
        OTHER_CALLS: lambda said: _opened(said, question.text, option.value),
        WITNESS: lambda said: _reworded(said, question.quote, now),
        UNIT: lambda said: _reworded(said, question.quote, now),
        "no-clause": lambda said: replace(said, context=said.context | {question.quote}),
        "unsaid-number": lambda said: replace(said, confirmed=said.confirmed or said.touched),
    }
    return meanings.get(_kind(question.id), lambda said: said)


def _bounded(said: Said, question: Question, label: str) -> Said:
    """The sentence with the chosen side of its bound, which may stand in several rules."""
    sayings = said.rules.get(question.quote, ())
    now = tuple(_side(one, label) for one in sayings)
    return said.saying(question.quote, now).answered(question.id, question.quote, label)


def _side(saying: Saying, label: str) -> Saying:
    return next((one for one in _sides(saying) if one.text in label), saying)


def _sides(saying: Saying) -> Iterator[Saying]:
    """The sentence with one of its bounds on the other side."""
    if saying.flipped:
        yield SAYINGS[saying.flipped]
    for place, part in enumerate(saying.parts):
        for other in _sides(part):
            forbid, permit = (other if at == place else one for at, one in enumerate(saying.parts))
            yield _excepted(forbid, permit, saying.text.replace(_condition(part), _condition(other)))


def _condition(saying: Saying) -> str:
    return saying.text.partition(" if ")[2].rstrip(".")


def _won(said: Said, question: Question, value: str, label: str, texts: Mapping[str, str]) -> Said:
    """The prohibition of the chosen rule without what the permission of the question permits."""
    after = said.answered(question.id, question.quote, value)
    if value == PROHIBITIONS:
        return after
    of_sentence = said.rules.get(question.quote, ())  # none where the request has lost its words
    permit = next(
        one
        for one in (*of_sentence, *SAYINGS.values())
        if one.form is Form.PERMIT and one.tool == PAY and (of_sentence or one.text in question.text)
    )
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


def _with_answer(before: Said, said: Said, question: Question, chosen: frozenset[str]) -> Said:
    """With the sentences that were chosen, and those that they take the place of, by the text of what stands.

    A former answer stays beside it where the question was asked again about the rules that it left.
    """
    replaced = {
        new.text: old
        for sentence, sayings in said.rules.items()
        for old, new in zip(before.rules.get(sentence, ()), sayings, strict=False)
        if old.text != new.text
    }
    took = frozenset(
        (sentence, one.text)
        for sentence, sayings in before.rules.items()
        for one in sayings
        if one.text not in {now.text for now in said.rules.get(sentence, ())}
    )
    _, value = before.answers.get(question.id, ("", ""))
    is_left = bool(value) and value not in [option.value for option in question.options]
    if is_left and _kind(question.id) == CONFLICT and question.id not in before.damaged:
        replaced = {**before.replaced.get(question.id, {}), **replaced}
        chosen |= said.witnesses.get(question.id, frozenset())
        took |= before.took.get(question.id, frozenset())
    return replace(
        said,
        took={**said.took, question.id: took},
        replaced={**said.replaced, question.id: replaced},
        witnesses={**said.witnesses, question.id: chosen},
    )


def _back(said: Said, question: str, aloud: Container[str]) -> Said:
    """With what an answer had taken the place of, or away, where nothing else was said since.

    A rule that went comes back unless ``aloud`` has another one of its name by now.
    """
    replaced = said.replaced[question]
    rules = {
        sentence: tuple(replaced.get(one.text, one) for one in sayings)
        for sentence, sayings in said.rules.items()
    }
    for sentence, name, saying in said.dropped.get(question, ()):
        if name not in aloud:
            rules[sentence] = (*rules.get(sentence, ()), saying)
    return replace(said, rules=rules)


def _dropped(said: Said, question: Question, value: str, texts: Mapping[str, str]) -> Said:
    """Without the rule of the question; its sentence is open again if nothing else was said for it."""
    if value != "drop":
        return said
    rules: dict[str, tuple[Saying, ...]] = {}
    dropped: list[tuple[str, str, Saying]] = []
    for sentence, sayings in said.rules.items():
        is_about = sentence == question.quote or (not question.quote and sentence in said.gone)
        asked = question.text.partition(" decides ")[0]
        goes = [one for one in sayings if is_about and f"“{one.text}”" in asked]
        rules[sentence] = tuple(one for one in sayings if one not in goes)
        for one in goes:
            name = next((name for name, text in texts.items() if text == one.text), "")
            dropped.append((sentence, name, one))
    return replace(
        said.answered(question.id, question.quote, value),
        rules={sentence: sayings for sentence, sayings in rules.items() if sayings},
        dropped={**said.dropped, question.id: tuple(dropped)},
    )


_EARLIER = "the sum of the total of all earlier calls"


def _reworded(said: Said, sentence: str, texts: Mapping[str, str]) -> Said:
    """The sentence in the words that it has since.

    They apply to the same of the logged calls, unless what was paid before counts too by now.
    """
    now: list[Saying] = []
    for one in said.rules.get(sentence, ()):
        text = texts.get(one.text, one.text)
        is_summed = _EARLIER in text and _EARLIER not in one.text
        now.append(replace(one, text=text, applies=_with_earlier(one.applies) if is_summed else one.applies))
    return said.saying(sentence, tuple(now))


def _with_earlier(applies: Applies) -> Applies:
    """A condition on the amount that is paid, about all that was paid in the run without a failure."""

    def summed(call: RunCall) -> bool | None:
        paid = sum(step.amount for step in call.before if step.tool == PAY and step.succeeded is not False)
        return applies(replace(call, step=replace(call.step, amount=call.step.amount + paid)))

    return summed


def _excepted(forbid: Saying, permit: Saying, text: str) -> Saying:
    return Saying(
        text,
        forbid.form,
        forbid.tool,
        lambda call: negated(some((negated(forbid.applies(call)), permit.applies(call)))),
        reads=forbid.reads | permit.reads,
        parts=(forbid, permit),
    )


def _known(said: Said, value: str, texts: Mapping[str, str]) -> Said:
    """What an answer says of invoices that were not looked up: denied too, or as if they were not blocked.

    ``texts`` has for the text of each rule the one that it has since.
    """
    rules = dict(said.rules)
    for sentence, sayings in said.rules.items():
        if value == IGNORE:
            rules[sentence] = tuple(
                replace(one, text=texts.get(one.text, one.text), applies=_if_known(one.applies))
                if RECORD in one.reads
                else one
                for one in sayings
            )
        elif value == DENY and any(RECORD in one.reads for one in sayings):
            rules[sentence] = (*sayings, UNKNOWN)
            break
    return replace(said, rules=rules)


def _if_known(applies: Applies) -> Applies:
    return lambda call: False if call.blocked is None else applies(call)


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
