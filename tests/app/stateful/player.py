"""A person and other programs who act on a session: each act is done, and what it says is noted.

``judge`` compares the session with what was said; see ``tests.app.stateful.judging``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, override

from tests.app.stateful.desks import Desk
from tests.app.stateful.judging import MEANING, Judge, is_about
from tests.app.stateful.moment import Disagreement
from tests.app.stateful.other_answers import judge_others
from tests.app.stateful.quick_workbench import quick
from tests.app.stateful.said import Answer, DeskCall, DeskSentence, Must, Said
from workbench.app.owed import OwedKind
from workbench.app.workbench import Workbench
from workbench.author.protocol import Author
from workbench.model import Question, Verdict, WorkbenchError
from workbench.session import Session
from workbench.session.accepted_version import NAME as ACCEPTED
from workbench.session.drafting_file import NAME as DRAFTING
from workbench.session.merged_draft import NAME as DRAFT

AGENT, REQUEST, POLICY, ASSUMPTIONS = "agent.toml", "request.md", "policy.py", "assumptions.toml"
REMOVABLE = (DRAFT, ACCEPTED, DRAFTING)
"""The files without which a session can be opened, and that no act of a person writes directly."""
OUTSIDE = ("outside", "watched", "closed")
"""How another program edits a file: unnoticed, while the session watches its files, or while it is closed."""
SPOILED: Mapping[str, Callable[[str], str]] = {
    "no TOML": lambda text: text + "\n[[[",
    "no type": lambda text: text.replace('type = "enum"', 'type = "enumeration"', 1),
    "no method": lambda text: text.replace('method = "jsonpath"', 'method = "jsonpth"', 1),
    "no such key": lambda text: text + '\n[argumnts.x]\ntype = "str"\n',
}
"""Ways in which an agent file goes bad, by name."""


@dataclass(frozen=True, slots=True)
class Pending:
    """An edit of a file by another program that the session has not taken over, and what it says.

    ``text`` is the file since then, ``known`` is what the session read before.
    """

    name: str
    says: Callable[[Said], Said]
    text: str
    known: str


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
        self._asked_as: dict[str, frozenset[str]] = {}
        self._judged_moment: object = None
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
        self._check_kept(taken)
        return taken

    def _check_kept(self, taken: tuple[Pending, ...]) -> None:
        """An edit by another program is on the disk, or in the history, so that undo and redo restore it."""
        assert self.bench is not None
        session = self.bench.session
        changes = [change for change in (*session.history, *session.undone) if change.outside]
        kept = {(file.name, file.new or "") for change in changes for file in change.files}
        for pending in {pending.name: pending for pending in taken}.values():
            on_disk = self._on_disk(pending.name)
            if pending.text not in (pending.known, on_disk) and (pending.name, pending.text) not in kept:
                self._fail(f"the edit of {pending.name} by another program is lost")

    def _fail(self, what: str) -> NoReturn:
        raise Disagreement(f"{self!r}: {what}")

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
        self._check_kept(taken)
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
        question = next((question for question in questions if is_about(question, sentence.text)), None)
        if question is not None:
            before = self._asked_as.get(sentence.text, frozenset())
            self._asked_as[sentence.text] = before | {question.id}
        return question

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
        """What was said, which only a draft tells some authors."""
        return said.outside() if self.desk.told_by_draft else said

    def settle(self, place: int) -> None:
        """Answer all that is open, as a person does before the version is accepted."""
        for sentence in self.said.unanswered:
            self.answer(sentence, sentence.answers[place % len(sentence.answers)])
        self.answer_others()

    def answer_others(self) -> None:
        """Answer each open question that no sentence of the desk expects, as the desk does.

        An answer may open further questions.
        """
        answered: set[str] = set()
        while question := next(
            (one for one in self.open_questions() if self._is_plain(one) and one.id not in answered), None
        ):
            answered.add(question.id)
            answer = self.desk.plain_answer(question)
            self.act(
                f"answer {question.id}: {answer}",
                lambda bench, asked=question, value=answer: bench.questions.answer(asked, value),
            )

    def _is_plain(self, question: Question) -> bool:
        return question.id.partition(":")[0] not in MEANING and bool(self.desk.plain_answer(question))

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
        """Give the request these sentences: ``how`` is carried, not carried, or one of ``OUTSIDE``."""
        text, words = self.desk.request_text(sentences), ", ".join(sentence.text for sentence in sentences)
        if how in OUTSIDE:
            self.outside(
                REQUEST,
                lambda _old: text,
                lambda said: said.requested(sentences),
                words,
                how=how,
            )
            return
        carry = how == "carried"
        self.act(
            f"request [{words}], {how}",
            lambda bench: bench.request.set(text, carry=carry),
            lambda said: (
                said.requested(sentences).drafted() if carry else said.requested(sentences).outside()
            ),
        )

    def keep_case(self, place: int, *, opposite: bool) -> None:
        """Keep a logged call as a case with the policy's decision or, to be mended, the opposite one."""
        call = self.desk.calls()[place % len(self.desk.calls())]
        if self.bench is None:
            return
        terms = self.bench.policy.checked(self.bench.session.policy)[0]
        if terms is None:
            return
        known = self.desk.arguments(call)
        arguments = {item.name: known[item.name] for item in terms.arguments if item.name in known}
        facts = frozenset(arguments.items())
        denied = self._judge(self.bench).decided[call] is Verdict.DENY
        must = Must.DENY if denied is not opposite else Must.ALLOW
        self.act(
            f"keep {call} as a case: {must}",
            lambda bench: bench.cases.keep(terms, arguments, Verdict(must.value)),
            lambda said: said.expected(facts, must),
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
        if how in OUTSIDE:
            self.outside(POLICY, edit, says, name, how=how)
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

    def write_clause(self, name: str, how: str) -> None:
        """Write into the contract by hand what a rule would forbid, without a rule that does."""
        rule = self.desk.rules[name]
        clause = f"    Ensures(Implies({rule.written}, not Result()))\n"

        def edit(text: str) -> str:
            place = text.rfind("    return ")
            return text if clause in text or place < 0 else f"{text[:place]}{clause}{text[place:]}"

        self.edit_policy(f"claim {name}", edit, lambda said: said.claimed(name, rule.forbids), how)

    def empty_rule(self, place: int, how: str) -> None:
        """Let one of the rules forbid nothing, and leave the contract as it is."""

        def edit(text: str) -> str:
            bodies = list(
                re.finditer(
                    r"^def forbid_\w+\([^)]*\) -> bool:\n.*?^    return (.*?)\n\n\n", text, re.M | re.S
                )
            )
            if not bodies:
                return text
            start, end = bodies[place % len(bodies)].span(1)
            return f"{text[:start]}False{text[end:]}"

        self.edit_policy(f"empty rule {place}", edit, lambda said: replace(said, touched=True), how)

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
        self.edit_policy("delete the clauses", without_clauses, _without_contract, how)

    def delete_rules(self, how: str) -> None:
        """Delete the contract, and let nothing be forbidden."""
        self.edit_policy(
            "delete the rules",
            lambda text: without_clauses(text)[: without_clauses(text).rfind("return ")] + "return True\n",
            _without_contract,
            how,
        )

    # --- files --------------------------------------------------------------------------

    def outside(
        self,
        name: str,
        edit: Callable[[str], str],
        says: Callable[[Said], Said],
        what: str = "",
        *,
        how: str = "outside",
    ) -> None:
        """Edit a file as another program does; ``how`` is one of ``OUTSIDE``."""
        old = self._on_disk(name)
        new = edit(old)
        if new == old or self.spoiled:
            return
        self.acts.append(f"outside: {name} {what}".strip())
        self._write_outside(name, new, says)
        if how == "watched":
            self.take_over()
        elif how == "closed":
            self.reopen()

    def _write_outside(self, name: str, text: str, says: Callable[[Said], Said]) -> None:
        known = next((pending.known for pending in self.pending if pending.name == name), self._on_disk(name))
        if text:
            (self.folder / name).write_text(text)
        else:
            (self.folder / name).unlink()
        self.pending.append(Pending(name, says, text, known))

    def _on_disk(self, name: str) -> str:
        """The text of a file; empty if there is none."""
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def remove(self, name: str, how: str) -> None:
        """Remove in another program a file that a session can be without.

        Without its draft the program cannot tell what a person wrote from what it wrote itself.
        """

        def says(said: Said) -> Said:
            return replace(said, robbed=True) if name == ACCEPTED else replace(said, touched=True)

        self.outside(name, lambda _old: "", says, "removed", how=how)

    def agent(self, *, optional: bool, note: str, how: str) -> None:
        """Make the flag optional or not, and declare an argument without use (or none)."""
        text = self.desk.agent_toml(optional=optional, note=note)

        def says(said: Said) -> Said:
            return replace(said, optional=optional)

        what = f"{self.desk.flag} {'optional' if optional else 'required'}, {note or 'nothing'} beside"
        if how in OUTSIDE:
            self.outside(AGENT, lambda _old: text, says, what, how=how)
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
            text = self.desk.agent_toml(optional=self.said.optional)
            self._write_outside(AGENT, text, lambda said: said)
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
        took: list[bool] = []

        def accepts(bench: Workbench) -> None:
            widenings = [item.name for item in bench.in_force.missing() if item.kind is OwedKind.WIDENING]
            decided = self._judge(bench).decided
            if bench.accept(widenings).done:
                self._accepted[bench.session.text(ACCEPTED)] = decided
                took.append(True)

        self.act("accept", accepts, lambda said: replace(said, robbed=False) if took else said)

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
        """Raise Disagreement if the session contradicts what was said, or itself.

        A moment that differs in nothing from the last one that was judged is not judged again.
        """
        moment = self._moment()
        if self.bench is None or moment == self._judged_moment:
            return
        self._judged_moment = moment
        judge = self._judge(self.bench)
        judge.judge(self._accepted.get(self.bench.session.text(ACCEPTED)))
        self.judged += 1
        self.good += judge.good
        accepted = self._accepted.get(self.bench.session.text(ACCEPTED))
        self.may_accept = judge.good and accepted != judge.decided
        if judge.report is not None and not judge.report.problems and self.said.followed:
            before = self._decided.setdefault(self.said.content, judge.decided)
            if before != judge.decided:
                self._fail("the same was said before, and other calls are allowed")

    def _moment(self) -> object:
        """All that a judgement depends on: the session as opened, its files, and what was said."""
        if self.bench is None:
            return None
        files = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        session = self.bench.session
        return self.bench, files, session.history, session.undone, self.said, self.pending[:], self.spoiled

    def _judge(self, bench: Workbench) -> Judge:
        changed = {pending.name for pending in self.pending if self._on_disk(pending.name) != pending.known}
        if self.spoiled:
            changed.add(AGENT)
        return Judge(repr(self), self.desk, bench, self.said, self._asked_as, frozenset(changed))

    def consult(self) -> None:
        """Look at all that says whether the session is good; see ``judge_others``."""
        self.acts.append("consult")
        if self.bench is not None:
            judge_others(self._judge(self.bench), by_command=self.model is None)


def _without_contract(said: Said) -> Said:
    return replace(said, touched=True, claims={})


def without_clauses(text: str) -> str:
    """A policy file without its contract."""
    head, allow, body = text.rpartition("def allow(")
    signature, _, rest = body.partition(") -> bool:\n")
    return f"{head}{allow}{signature}) -> bool:\n    {rest[rest.rfind('return ') :]}"
