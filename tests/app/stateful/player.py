"""A person and other programs who act on a session, and the comparison with what they said.

``Player`` does each act through the application and notes what it said. ``judge`` compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, override

from tests.app.stateful.desks import Desk
from tests.app.stateful.quick_workbench import quick
from tests.app.stateful.said import Answer, DeskCall, DeskSentence, Must, Said, nothing
from workbench.app.owed import OwedKind, not_in_force
from workbench.app.report import Report
from workbench.app.workbench import Workbench
from workbench.author.doubts import BY_HAND
from workbench.author.protocol import Author
from workbench.cli.report_text import summary_line
from workbench.guard import Mode, Strategy, ToolCall
from workbench.model import Json, ProofStatus, Question, Verdict, WorkbenchError
from workbench.session import Session
from workbench.session.accepted_version import NAME as ACCEPTED

AGENT, REQUEST, POLICY, ASSUMPTIONS = "agent.toml", "request.md", "policy.py", "assumptions.toml"
MEANING = ("unreadable", "only-if", "rewrite", "reading")
"""What the ids of the questions about the desk's sentences begin with."""
SPOILED: Mapping[str, Callable[[str], str]] = {
    "no TOML": lambda text: text + "\n[[[",
    "no type": lambda text: text.replace('type = "enum"', 'type = "enumeration"', 1),
    "no method": lambda text: text.replace('method = "jsonpath"', 'method = "jsonpth"', 1),
    "no such key": lambda text: text + '\n[argumnts.x]\ntype = "str"\n',
}
"""Ways in which an agent file goes bad, by name."""


class Disagreement(AssertionError):
    """The session contradicts what was said, or itself; the text lists the acts that led to it."""


@dataclass(frozen=True, slots=True)
class Pending:
    """An edit of a file by another program that the session has not taken over, and what it says."""

    name: str
    says: Callable[[Said], Said]


class Player:
    """Plays acts on one session of a desk."""

    def __init__(
        self,
        desk: Desk,
        folder: Path,
        sentences: tuple[DeskSentence, ...],
        model: Callable[[Session], Author] | None = None,
    ) -> None:
        """Make the session with these sentences, and draft its policy.

        ``model`` makes an author that asks a model; without it the offline author drafts.
        """
        self.desk = desk
        self.model = model
        self.judged = 0
        self.good = 0
        self.folder = folder
        self.acts: list[str] = []
        self.pending: list[Pending] = []
        self._spoiled: dict[str, str] = {}
        self._decided: dict[object, Mapping[DeskCall, Verdict]] = {}
        self._accepted: dict[str, Mapping[DeskCall, Verdict]] = {}
        self.may_accept = False
        self.said = Said(sentences)
        self.bench: Workbench | None = self._quick(
            desk.lay_out(folder, sentences, "rules" if model is None else "openai")
        )
        self._moments: dict[int, Said] = {0: replace(self.said, carried=False)}
        self.act("new", lambda bench: bench.request.redraft(), Said.drafted)

    @override
    def __repr__(self) -> str:
        return " → ".join(self.acts)

    def _quick(self, session: Session) -> Workbench:
        return quick(session, None if self.model is None else self.model(session))

    def close(self) -> None:
        """Close the session."""
        if self.bench is not None:
            self.bench.close()
            self.bench = None

    # --- acts and what they say -------------------------------------------------------

    def act[R](
        self,
        name: str,
        does: Callable[[Workbench], R],
        says: Callable[[Said], Said] = lambda said: said,
        *,
        carries: bool = False,
    ) -> R | None:
        """Do an act; what it says counts if it is carried out. Only a WorkbenchError may refuse it."""
        self.acts.append(name)
        if self.bench is None:
            return None
        before = len(self.bench.session.history)
        result: R | None = None
        refused = False
        try:
            result = does(self.bench)
        except WorkbenchError as error:
            refused = True
            self.acts[-1] += f" (refused: {str(error)[:80]})"
        except Exception as error:
            raise Disagreement(f"{self!r}: crashed with {type(error).__name__}: {error}") from error
        self._settle(before, (lambda said: said) if refused else says, carries=carries)
        return result

    def _settle(self, before: int, says: Callable[[Said], Said], *, carries: bool = False) -> None:
        """Note what an act said, and what it took over from other programs, at its place in the history.

        ``carries`` says that the act is there to carry such edits.
        """
        assert self.bench is not None
        taken = self._taken_over()
        if taken:
            before += 1
            for pending in taken:
                self.said = pending.says(self.said).outside()
            self._moments[before] = self.said
        old, self.said = self.said, says(self.said)
        if taken and not carries:
            self.said = self.said.outside()  # the act was planned before the session knew of the edits
        after = len(self.bench.session.history)
        for moment in range(before + 1, after):
            self._moments[moment] = old.both(self.said)
        self._moments[after] = self.said

    def _taken_over(self) -> tuple[Pending, ...]:
        assert self.bench is not None
        differing = self.bench.session.differing
        taken = tuple(pending for pending in self.pending if pending.name not in differing)
        self.pending = [pending for pending in self.pending if pending.name in differing]
        return taken

    def _in_history(self, name: str, step: Callable[[Workbench], object]) -> None:
        self.acts.append(name)
        if self.bench is None:
            return
        before = len(self.bench.session.history)
        try:
            step(self.bench)
        except WorkbenchError as error:
            self.acts[-1] += f" (refused: {str(error)[:80]})"
            self._settle(before, lambda said: said)
            return
        for pending in self._taken_over_by_history():
            self._moments[before + 1] = pending.says(self.said).outside()
        self.said = self._moments[len(self.bench.session.history)]

    def _taken_over_by_history(self) -> tuple[Pending, ...]:
        """Edits that undo noted in the history before it undid them."""
        taken, self.pending = tuple(self.pending), []
        return taken

    def undo(self) -> None:
        """Undo the last change; what was said is what was said before it."""
        self._in_history("undo", lambda bench: bench.session.undo())

    def redo(self) -> None:
        """Do the last undone change again."""
        self._in_history("redo", lambda bench: bench.session.redo())

    # --- answers ----------------------------------------------------------------------

    def open_questions(self) -> tuple[Question, ...]:
        """The open questions; none where the session cannot be read."""
        return self._questions(answered=False)

    def _questions(self, *, answered: bool) -> tuple[Question, ...]:
        if self.bench is None:
            return ()
        try:
            understanding = self.bench.questions.understand()
        except WorkbenchError:
            return ()
        if answered:
            return tuple(question for question, _ in understanding.answered)
        return understanding.open

    def question_of(self, sentence: DeskSentence) -> Question | None:
        """The question about a sentence, open or answered."""
        questions = (*self.open_questions(), *self._questions(answered=True))
        return next((question for question in questions if _is_about(question, sentence.text)), None)

    def answer(self, sentence: DeskSentence, answer: Answer) -> None:
        """Answer the question about a sentence, or answer it anew."""
        question = self.question_of(sentence)
        if question is not None:
            self.act(
                f"answer {sentence.text!r}: {answer.value!r}",
                lambda bench: bench.questions.answer(question, answer.value),
                lambda said: self._once_drafted(said.answered(sentence.text, answer)),
            )

    def _once_drafted(self, said: Said) -> Said:
        """What was said, which a model has to be told by a draft."""
        return said if self.model is None else said.outside()

    def answer_others(self) -> None:
        """Answer each open question that no sentence of the desk expects by its default."""
        for question in self.open_questions():
            if question.id.partition(":")[0] not in MEANING and question.default:
                self.act(
                    f"answer {question.id}: {question.default}",
                    lambda bench, asked=question: bench.questions.answer(asked, asked.default),
                )

    def retract(self, sentence: DeskSentence) -> None:
        """Take the answer about a sentence back."""
        question = self.question_of(sentence)
        if question is not None and sentence.text in self.said.answers:
            self.act(
                f"retract {sentence.text!r}",
                lambda bench: bench.questions.retract(question.id),
                lambda said: self._once_drafted(said.retracted(sentence.text)),
            )

    def skip(self, sentence: DeskSentence) -> None:
        """Leave the question about a sentence for later, which gives up its answer."""
        question = self.question_of(sentence)
        if question is not None:
            self.act(
                f"skip {sentence.text!r}",
                lambda bench: bench.questions.skip(question),
                lambda said: self._once_drafted(said.retracted(sentence.text)),
            )

    # --- the request, rules, drafts -----------------------------------------------------

    def request(self, sentences: tuple[DeskSentence, ...], how: str) -> None:
        """Give the request these sentences: ``how`` is carried, not carried, or outside."""
        text, words = self.desk.request_text(sentences), ", ".join(sentence.text for sentence in sentences)
        if how == "outside":
            self.outside(REQUEST, lambda _old: text, lambda said: said.requested(sentences), words)
            return
        carry = how == "carried"
        self.act(
            f"request [{words}], {how}",
            lambda bench: bench.request.set(text, carry=carry),
            lambda said: (
                said.requested(sentences).drafted() if carry else said.requested(sentences).outside()
            ),
        )

    def build(self, name: str, answers: DeskSentence | None = None) -> None:
        """Build a rule, as the answer to the question about a sentence if one is given."""
        rule = self.desk.rules[name]
        question = None if answers is None else self.question_of(answers)

        def says(said: Said) -> Said:
            ruled = said.ruled(name, rule.forbids)
            by_hand = question is not None and any(option.value == BY_HAND for option in question.options)
            if answers is None or not by_hand:
                return ruled
            return ruled.answered(answers.text, Answer(BY_HAND, nothing))

        self.act(
            f"build {name}" + (f" for {answers.text!r}" if question is not None and answers else ""),
            lambda bench: bench.rules.add(rule.plan, question=question),
            says,
        )

    def draft(self, *, discarding: bool = False) -> None:
        """Draft from the request."""
        known = self.bench is not None and AGENT not in self.bench.session.differing
        self.act(
            "draft, discarding edits" if discarding else "draft",
            lambda bench: bench.request.redraft(discard_edits=discarding),
            lambda said: said.drafted(discarding=discarding),
        )
        if self.spoiled and known and "refused" not in self.acts[-1]:
            raise Disagreement(f"{self!r}: drafted although {AGENT} cannot be read ({self.spoiled})")

    # --- the policy by hand -------------------------------------------------------------

    def edit_policy(
        self, name: str, edit: Callable[[str], str], says: Callable[[Said], Said], how: str
    ) -> None:
        """Edit the policy file, in the application's editor or in another program."""
        if how == "outside":
            self.outside(POLICY, edit, says, name)
            return

        def store(bench: Workbench) -> None:
            text = edit(bench.session.policy)
            if bench.policy.problems(text):
                raise WorkbenchError("The edited text is not in the dialect.")
            bench.editing.store(text)

        self.act(f"edit the policy: {name}", store, says)

    def write_rule(self, name: str, how: str) -> None:
        """Write a rule into the policy by hand, without a clause."""
        rule = self.desk.rules[name]
        written = name.replace("forbid_", "forbid_own_")

        def edit(text: str) -> str:
            place, calls = text.rfind("def allow("), text.rfind("return ")
            signature = re.search(r"def allow\((.*?)\) -> bool:", text, re.S)
            if signature is None or written in text:
                return text
            parameters = " ".join(signature[1].split()).rstrip(",")
            names = ", ".join(re.findall(r"(\w+):", parameters))
            head = f"def {written}({parameters}) -> bool:"
            own = f'{head}\n    """My own rule."""\n    return {rule.written}\n\n\n'
            rest = text[calls:].removeprefix("return ").strip()
            return f"{text[:place]}{own}{text[place:calls]}return not {written}({names}) and ({rest})\n"

        self.edit_policy(
            f"write {written}",
            edit,
            lambda said: replace(said.ruled(written, rule.forbids), touched=True),
            how,
        )

    def widen(self, how: str) -> None:
        """Raise every limit in the rules, and leave the contract as it is."""
        self.edit_policy(
            "raise the limits",
            lambda text: re.sub(r"(\n    return [^\n]*)> 100", r"\1> 200", text),
            lambda said: replace(said, touched=True),
            how,
        )

    def widen_all(self, how: str) -> None:
        """Raise every limit in the rules and in the contract."""
        self.edit_policy(
            "raise the limits and the contract",
            lambda text: text.replace("> 100", "> 200").replace("<= 100", "<= 200"),
            lambda said: replace(said, touched=True),
            how,
        )

    def delete_clauses(self, how: str) -> None:
        """Delete the contract."""
        self.edit_policy("delete the clauses", without_clauses, lambda said: replace(said, touched=True), how)

    def delete_rules(self, how: str) -> None:
        """Delete the contract, and let nothing be forbidden."""
        self.edit_policy(
            "delete the rules",
            lambda text: without_clauses(text)[: without_clauses(text).rfind("return ")] + "return True\n",
            lambda said: replace(said, touched=True),
            how,
        )

    # --- files --------------------------------------------------------------------------

    def outside(
        self, name: str, edit: Callable[[str], str], says: Callable[[Said], Said], what: str = ""
    ) -> None:
        """Edit a file as another program does; the session does not know of it yet."""
        path = self.folder / name
        old = path.read_text() if path.exists() else ""
        new = edit(old)
        if new == old or self.spoiled:
            return
        self.acts.append(f"outside: {name} {what}".strip())
        path.write_text(new)
        self.pending.append(Pending(name, says))

    def agent(self, *, optional: bool, note: str, how: str) -> None:
        """Make the flag optional or not, and declare an argument without use (or none)."""
        text = self.desk.agent_toml(optional=optional, note=note)

        def says(said: Said) -> Said:
            return replace(said, optional=optional)

        what = f"{self.desk.flag} {'optional' if optional else 'required'}, {note or 'nothing'} beside"
        if how == "outside":
            self.outside(AGENT, lambda _old: text, says, what)
        else:
            self.act(f"agent: {what}", lambda bench: bench.agent.put_text(text, what), says)

    @property
    def spoiled(self) -> str:
        """The way in which the agent file on the disk is bad; empty if it is not."""
        return self._spoiled.get((self.folder / AGENT).read_text(), "")

    def spoil_agent(self, way: str) -> None:
        """Make the agent file one that cannot be read."""
        if not self.spoiled:
            self.outside(AGENT, SPOILED[way], lambda said: said, way)
            self._spoiled[(self.folder / AGENT).read_text()] = way

    def repair_agent(self) -> None:
        """Make the agent file readable again, and open the session anew."""
        if self.spoiled:
            self.acts.append("repair agent.toml")
            (self.folder / AGENT).write_text(self.desk.agent_toml(optional=self.said.optional))
            self.reopen()

    def damage_answers(self) -> None:
        """Let stored answers have a text that the program refuses, as a newer program may."""
        pattern = re.compile(r'^(value = .*?=> )(.*)"$', re.M)

        def says(said: Said) -> Said:
            answers = {
                text: replace(answer, damaged=True) if answer.by_rule else answer
                for text, answer in said.answers.items()
            }
            return replace(said, answers=answers)

        self.outside(ASSUMPTIONS, lambda text: pattern.sub(r'\1was_known"', text), says, "damaged")

    def remove_answers(self) -> None:
        """Remove all stored answers in another program."""
        self.outside(
            ASSUMPTIONS,
            lambda text: text.partition("[[assumption]]")[0],
            lambda said: replace(said, answers={}),
            "emptied",
        )

    def reopen(self) -> None:
        """Close the session and open it again."""
        before = len(self.bench.session.history) if self.bench is not None else self._last_moment
        self._last_moment = before
        self.close()
        self.acts.append("reopen")
        try:
            self.bench = self._quick(Session.open(self.folder))
        except WorkbenchError as error:
            self.acts[-1] += f" (refused: {str(error)[:80]})"
            return
        self._settle(before, lambda said: said)

    def accept(self) -> None:
        """Accept the version, with its widenings by their names, if the session is good."""

        def accepts(bench: Workbench) -> None:
            widenings = [item.name for item in bench.in_force.missing() if item.kind is OwedKind.WIDENING]
            decided = self._decided_by_policy(bench)
            if bench.accept(widenings).done:
                self._accepted[bench.session.text(ACCEPTED)] = decided

        self.act("accept", accepts)

    def take_over(self) -> None:
        """Take over the changes of other programs, as the screen does."""
        carried: list[bool] = []

        def takes(bench: Workbench) -> None:
            edit = bench.editing.take_outside(bench.session.policy)
            carried.append(edit is not None and edit.followed is not None and not edit.followed.conflicts)

        self.act("take over", takes, lambda said: said.drafted() if any(carried) else said, carries=True)
        if self.bench is not None and self.bench.session.differing and "refused" not in self.acts[-1]:
            self._fail("changes of other programs were taken over, and the files still differ")

    # --- the comparison -----------------------------------------------------------------

    def judge(self) -> None:
        """Raise Disagreement if the session contradicts what was said, or itself."""
        if self.bench is None:
            return
        try:
            report = self.bench.check()
        except WorkbenchError:
            report = None
        except Exception as error:
            self._fail(f"check crashed with {type(error).__name__}: {error}", error)
        self.judged += 1
        self.good += report is not None and report.exit_code == 0
        decided = self._decided_by_policy(self.bench)
        self._judge_calls(report, decided)
        self.may_accept = report is not None and report.exit_code == 0 and self._is_other(decided)
        denied = dict.fromkeys(decided, Verdict.DENY)
        if self._guarded(self.bench) != self._accepted.get(self.bench.session.text(ACCEPTED), denied):
            self._fail("a guard decides otherwise than the accepted version did when it was accepted")
        if report is not None:
            self._judge_report(self.bench, report, decided)

    def _is_other(self, decided: Mapping[DeskCall, Verdict]) -> bool:
        """Whether the policy decides otherwise than the accepted version."""
        assert self.bench is not None
        return self._accepted.get(self.bench.session.text(ACCEPTED)) != decided

    def _fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        raise Disagreement(f"{self!r}: {what}") from cause

    def _decided_by_policy(self, bench: Workbench) -> Mapping[DeskCall, Verdict]:
        """What a replay decides on each logged call; no call can be evaluated without a policy."""
        calls = self.desk.calls()
        try:
            decisions = bench.runs.decide(bench.policy.terms(), bench.runs.current())
        except WorkbenchError:
            return dict.fromkeys(calls, Verdict.CANNOT_EVALUATE)
        return {call: item.decision.verdict for call, item in zip(calls, decisions, strict=True)}

    def _guarded(self, bench: Workbench) -> Mapping[DeskCall, Verdict]:
        """What a guard of the session decides on each logged call; nothing is allowed without a guard."""
        calls = self.desk.calls()
        try:
            guard = bench.policy.guard(Strategy.BLOCK_ACTION, mode=Mode.ENFORCE, note=lambda _note: None)
        except WorkbenchError:
            return dict.fromkeys(calls, Verdict.CANNOT_EVALUATE)
        verdicts: dict[DeskCall, Verdict] = {}
        for call in calls:
            arguments = {} if call.amount is None else {"amount": call.amount}
            context: dict[str, Json] = {"context": {"role": call.role, self.desk.flag: call.checked}}
            with guard.run(context=context) as run:
                decision = run.check(ToolCall(call.tool, arguments)).decision
            verdicts[call] = decision.verdict
        return verdicts

    def _judge_calls(self, report: Report | None, decided: Mapping[DeskCall, Verdict]) -> None:
        """No call that was forbidden is allowed, unless the check names what is not in force."""
        good = report is not None and report.exit_code == 0
        for call, verdict in decided.items():
            must = self.said.must(call)
            if verdict is Verdict.ALLOW and must is Must.DENY and good:
                self._fail(f"all is good, and {call} is allowed, which was forbidden")
            if verdict is Verdict.DENY and must is Must.ALLOW and good:
                self._fail(f"all is good, and {call} is denied, which was allowed")
            if verdict is Verdict.ALLOW and must is Must.DENY and report is not None:
                by_person = any(forbids(call) for forbids in self.said.given_by_a_person())
                if by_person and not (not_in_force(report.owed) or report.problems):
                    self._fail(f"{call} is allowed, which a person forbade, and nothing is not in force")

    def _judge_report(self, bench: Workbench, report: Report, decided: Mapping[DeskCall, Verdict]) -> None:
        """The parts of the program say the same, and what was said is carried where nothing hinders it."""
        self._judge_verdict(report)
        self._judge_screen(bench, report)
        open_texts = {s.text for s in self.desk.sentences if any(_is_about(q, s.text) for q in report.open)}
        unclear = self.said.unclear(self.desk.calls())
        unasked = [sentence.text for sentence in unclear if sentence.text not in open_texts]
        if unasked and report.exit_code == 0:
            self._fail(f"all is good, and {unasked} has no answer")
        if not self.said.followed or report.problems:
            return
        if unasked:
            self._fail(f"{unasked} has no answer and is not asked")
        asked = [text for text in self.said.standing_answers if text in open_texts]
        if asked:
            self._fail(f"{asked} is answered and asked again")
        self._judge_followed(decided)

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
            self._fail(f"the exit code is {report.exit_code}, and {', '.join(bad) or 'nothing is wrong'}")
        if ("All good" in summary_line(report)) == bool(bad):
            self._fail("the last line of the report says otherwise than its exit code")

    def _judge_screen(self, bench: Workbench, report: Report) -> None:
        """The screen shows what the check reports."""
        try:
            state = bench.state()
        except WorkbenchError as error:
            self._fail(f"the check reports and the screen has no state: {error}")
        if [question.id for question in state.open] != [question.id for question in report.open]:
            self._fail("check and screen have other open questions")
        if state.owed != report.owed:
            self._fail("check and screen disagree about what is in force")
        if bool(state.problems) != bool(report.problems):
            self._fail("check and screen have other problems of the policy")

    def _judge_followed(self, decided: Mapping[DeskCall, Verdict]) -> None:
        """What was said is carried into the policy, and the same words always into the same."""
        before = self._decided.setdefault(self.said.content, decided)
        if before != decided:
            self._fail("the same was said before, and other calls are allowed")
        for call, verdict in decided.items():
            must = self.said.must(call)
            if must is not Must.OPEN and verdict.value != must.value:
                self._fail(f"{call} is {verdict.value}, and {must.value} was said")


def _is_about(question: Question, text: str) -> bool:
    """Whether a question asks for the meaning of a sentence of the desk."""
    return question.id.partition(":")[0] in MEANING and " ".join(question.quote.split()) == text


def without_clauses(text: str) -> str:
    """A policy file without its contract."""
    head, allow, body = text.rpartition("def allow(")
    signature, _, rest = body.partition(") -> bool:\n")
    return f"{head}{allow}{signature}) -> bool:\n    {rest[rest.rfind('return ') :]}"
