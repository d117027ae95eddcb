"""Actions at the cursor of the Author view: answer, edit, put away and keep cases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.as_proposed import PROPOSED, is_unconfirmed
from workbench.clean_text import one_line
from workbench.model import Assumption, ProofStatus, Question, Sentence, Span, Verdict, WorkbenchError
from workbench.tui.messages import Act, Ask, Go, Place, PlaceKind, Say, TypeIn, ViewName, Workbench, if_yes
from workbench.tui.views.author.requirement import own_words, turned_words
from workbench.tui.widgets.lines import plural

if TYPE_CHECKING:
    from workbench.app.results import TurnedCalls
    from workbench.app.session_state import ClauseState, SessionState, WrittenPart
    from workbench.tui.views.author.sentence_writing import SentenceWriting
    from workbench.tui.views.author.view import AuthorView

_SAY = {"choose": "say it", "edit": "say it"}
WORDS: Mapping[str, Mapping[str, str]] = {
    "rule": {"choose": "in the policy", "edit": "edit rule"},
    "clause": {"choose": "in the policy"},
    "problem": {"choose": "mend it", "edit": "edit policy.py"},
    "owed": {"choose": "mend it"},
    "case": {"edit": "edit case", "add": "add a case", "put_away": "put away"},
    "cases": {"add": "add a case"},
    "assumed": {"choose": "answer anew", "edit": "answer anew", "put_away": "take back"},
    "context": {"edit": "edit sentence"},
    "sentence": _SAY,
    "said": _SAY,
    "more": {"choose": "show all"},
    "question": {"edit": "edit sentence"},
    "request": {"edit": "edit request"},
}
"""What keys do at the cursor in the middle, by the kind of its row; edited are those that ``edit`` names."""
_NOTHING = {"choose": "", "put_away": "", "pin": ""}


class AuthorActions:
    """Asks the application for changes of the session, depending on the item at the cursor of a view."""

    def __init__(self, view: AuthorView, saying: SentenceWriting) -> None:
        """Act for a view; ``saying`` edits what the sentences of a policy of calls mean."""
        self._view = view
        self._saying = saying
        self.edited = ""
        """The key of the rule or problem that was edited last; empty if there is none."""
        self._answered: tuple[Question, str] | None = None

    # --- questions

    def answer(self, question: Question, number: int) -> None:
        """Choose an option of a question; one that turns many calls only after the key y."""
        option, state = question.options[number], self._view.state
        logs, value = state.logs, option.value

        def done() -> None:
            self._answered = question, value
            self._view.act(f"Answered: {one_line(option.label)}", partial(_answer, question, value))

        known = state.turned.get(question.id)
        if known is not None or logs is None:
            self._confirm(done, (known or {}).get(value))
            return

        def find(bench: Workbench) -> TurnedCalls | None:
            return bench.questions.turned_by(question, logs).get(value)

        group, label = f"answer {question.id}", "which calls the answer turns"
        self._view.post_message(Ask(group, find, partial(self._confirm, done), label, lasts=True))

    def type_answer(self, question: Question, text: str = "") -> bool:
        """Let the person type an answer that is none of the options; one that is refused is offered again."""

        def typed(words: str) -> None:
            value = words.strip()

            def refused(_why: str) -> None:
                self.type_answer(question, value)

            self._view.act(f"Answered: {one_line(value)}", partial(_answer, question, value), refused)

        return self._view.post_message(TypeIn(f"{own_words(question)}: ", typed, text))

    def say_otherwise(self) -> None:
        """Let the person change what lets through a call that is not meant; the question stays open."""
        if not self.do_edit_agent() and not self._saying.begin():
            self.do_edit()

    def do_edit_agent(self) -> bool:
        """Edit agent.toml at what the visible question wants declared; False if it wants nothing there."""
        question = self._view.question
        if question is None or not question.declaration:
            return False
        place = Place(ViewName.POLICY, PlaceKind.SPEC, question.declaration)
        return self._view.post_message(Go(place, then="edit_agent"))

    def do_answer_alike(self) -> bool:
        """Give the last answer to every open question of its kind that has it, after the key y."""
        state = self._view.state
        if self._unconfirmed_here is not None:
            return self._confirm_assumed([one.question for one in state.assumptions if is_unconfirmed(one)])
        if self._answered is None:
            return False
        question, value = self._answered
        alike = [one for one in state.open if one.kind == question.kind and one.id != question.id]
        chosen = [(one, value) for one in alike if any(option.value == value for option in one.options)]
        if not chosen:
            return False
        label = next(one_line(option.label) for option in question.options if option.value == value)
        count = plural(len(chosen), "question")
        sign = f"“{label}” also for {count} of its kind? y answers so, any other key none: "
        answer = partial(
            self._view.act, f"Answered {count} alike", lambda bench: bench.questions.answer_all(chosen)
        )
        return self._ask(sign, answer)

    def do_right(self) -> bool:
        """Say yes to the assumption at the cursor; False if there is none that waits for a yes."""
        one = self._unconfirmed_here
        if one is None:
            return self._answered is not None and self._view.say("It is answered so; u takes it back.")
        return self._confirm_assumed([one.question])

    def _assumed_words(self) -> Mapping[str, str]:
        """The hints for an assumption at the cursor that waits for a yes."""
        if self._unconfirmed_here is None:
            return {}
        return {"right": "yes", "answer_alike": "yes to all", "edit": "edit agent.toml"}

    @property
    def _unconfirmed_here(self) -> Assumption | None:
        kind, _, name = self._view.middle.key.partition(":")
        if kind != "assumed" or self._view.current is not self._view.middle:
            return None
        waiting = filter(is_unconfirmed, self._view.state.assumptions)
        return next((one for one in waiting if one.question == name), None)

    def _confirm_assumed(self, names: Collection[str]) -> bool:
        chosen = [(one, one.default) for one in self._view.state.questions if one.id in names]
        label = f"Said yes to {plural(len(chosen), 'assumption')}"
        return self._view.act(label, lambda bench: bench.questions.answer_all(chosen))

    def _confirm(self, act: Callable[[], object], turned: TurnedCalls | None) -> None:
        state = self._view.state
        if turned is None or not _is_much(turned, len(state.decisions)):
            act()
            return
        sign = f"{turned_words(turned)} of {len(state.decisions):,} calls; y answers so, any other key not: "
        self._ask(sign, act)

    def _ask(self, sign: str, act: Callable[[], object]) -> bool:
        """Act after the key y."""
        return self._view.post_message(if_yes(sign, act, lambda: self._view.say("Nothing was answered.")))

    # --- cases

    def do_put_away(self) -> bool:
        """Put away the item at the cursor; False if it cannot be put away."""
        kind, _, name = self._view.middle.key.partition(":")
        if kind == "case":
            return self._view.act(f"Put away {name}", lambda bench: bench.cases.remove(name))
        return kind == "assumed" and self._view.act(
            "Took an answer back", lambda bench: bench.questions.retract(name)
        )

    def do_pin(self) -> bool:
        """Keep a call, or the counterexample at the cursor, as a case; False if there is neither."""
        view = self._view
        if view.current in view.query("#calls, #log").results():
            return self._pin_call()
        return view.keep_counterexample(view.state, self.clause_at_cursor())

    def clause_at_cursor(self) -> ClauseState | None:
        """The clause with a counterexample at the cursor, else the first one of the requirement in focus."""
        row, key = self._view.row, self._view.middle.key
        clauses = () if row is None else row.clauses
        refuted = [one for one in clauses if one.status is ProofStatus.REFUTED and one.counterexample]
        here = (clause for clause in refuted if key == f"clause:{clause.clause.id}")
        return next(here, next(iter(refuted), None))

    def _pin_call(self) -> bool:
        state, position = self._view.state, self._view.position
        if position is None or state.terms is None:
            return False
        decided, terms = state.decisions[position], state.terms
        decision = decided.decision
        if decision.verdict is Verdict.CANNOT_EVALUATE:
            return self._view.say("This call lacks an argument, so there is nothing to expect of it.")
        row = self._view.row
        names = () if row is None else (row.requirement.id,)
        reason = f"{decided.run}, call {decided.index}"

        expected = decision.arguments, decision.verdict
        return self._view.act(
            f"Kept {reason} as a case",
            lambda bench: bench.cases.keep(terms, *expected, reason=reason, requirements=names),
        )

    # --- editing

    def do_edit(self) -> bool:
        """Edit the item at the cursor; False if there is nothing to edit."""
        view, state = self._view, self._view.state
        kind, name = self._target()
        match kind:
            case "rule":
                return self._rule(state, name)
            case "problem":
                line, _, column = name.partition(":")
                return self._policy(state, int(line), int(column))
            case "case":
                return self._case(name)
            case "assumed" if name.startswith(f"{PROPOSED}:"):
                said = next((one.statement for one in state.assumptions if one.question == name), "")
                place = Place(ViewName.POLICY, PlaceKind.SPEC, said)
                return view.post_message(Go(place, then="edit_agent"))
            case "assumed":
                view.answer_again(name)
                return True
            case "context":
                sentence: Sentence = state.context[int(name)]
                return self._sentence(state, sentence.span)
            case "sentence" | "said":
                return self._saying.begin()
            case "question" if view.question is not None:
                return self._sentence(state, view.question.span)
            case _:
                return self.do_whole_request()

    @property
    def words(self) -> Mapping[str, str]:
        """What keys do at the cursor, by the ids of their actions."""
        edits = {"edit": WORDS[self._target()[0]]["edit"]}
        view, kind = self._view, self._view.middle.key.partition(":")[0]
        if view.current is not view.middle:
            return {**edits, "choose": "say it" if view.is_open else "read it"}
        pins = {"pin": "keep as case"} if self.clause_at_cursor() is not None else {}
        return {**_NOTHING, **pins, **edits, **WORDS.get(kind, {}), **self._assumed_words()}

    def _target(self) -> tuple[str, str]:
        """The item to edit: its kind (a key of ``WORDS``) and its name.

        If the item at the cursor cannot be edited, it is the sentence in focus, else the request.
        """
        view = self._view
        kind, _, name = view.middle.key.partition(":")
        if view.current is view.middle and "edit" in WORDS.get(kind, {}):
            return kind, name
        state, row = view.state, view.row
        if row is not None and state.requested_of(row.requirement.id) is not None:
            return "said", ""
        is_asked = view.current is view.middle and view.question is not None and view.question.quote.strip()
        return "question" if is_asked else "request", ""

    def _rule(self, state: SessionState, name: str) -> bool:
        part = None if state.terms is None else state.terms.file.parts.get(name)
        if part is None or not part.line:
            return False
        self.edited = f"rule:{name}"
        line = condition_line(state.policy, part)
        self._view.code.begin(state.policy, part.line, part.end_line, f"the rule {name}", line)
        return True

    def sentence_rule(self, words: str, tool: str, said: str) -> None:
        """Edit the rule of a sentence of the request, or begin one about a tool in the whole policy.

        Of several rules it is the one that is read aloud as ``said``, if there is one.
        """
        view, state = self._view, self._view.state
        sentence = next((one for one in state.requested if one.requirement.text == words), None)
        if sentence is None:
            return
        readings = sorted(sentence.readings, key=lambda one: one.text != said)
        if any(self._rule(state, one.name) for one in readings):
            return

        def begin(found: tuple[str, int]) -> None:
            text, line = found
            view.code.begin_whole(text, "policy.py", line)

        view.mark(view.middle)
        ask = Ask("skeleton", lambda bench: bench.rewordings.with_skeleton(words, tool), begin, opens=True)
        view.post_message(ask)

    def _policy(self, state: SessionState, line: int, column: int) -> bool:
        """Edit the whole policy at the place of a problem that keeps its rules from being known."""
        self.edited = self._view.middle.key
        self._view.mark(self._view.middle)
        self._view.code.begin_whole(state.policy, "policy.py", line, column)
        return True

    def do_whole_request(self) -> bool:
        """Edit the whole request, at the sentence in focus."""
        view, row = self._view, self._view.row
        view.edit_stored(view.text, "the request", view.state.request, "Edited the request", _set_request)
        view.text.move_cursor((row.requirement.span.line - 1 if row is not None else 0, 0))
        return True

    def _sentence(self, state: SessionState, span: Span) -> bool:
        request = state.request

        def store(bench: Workbench, text: str) -> object:
            if bench.session.request != request:
                raise WorkbenchError("The request was changed meanwhile; edit the sentence once more.")
            return _set_request(bench, request[: span.start] + text.strip() + request[span.end :])

        view, sentence = self._view, request[span.start : span.end]
        view.edit_stored(view.text, "the sentence", sentence, "Edited a sentence", store)
        return True

    def _case(self, identity: str) -> bool:
        return self._view.edit_found(
            self._view.text,
            f"the case {identity}",
            lambda bench: bench.cases.text(identity),
            f"Edited {identity}",
            lambda bench, text: bench.cases.put_text(identity, text),
        )

    def add_case(self) -> bool:
        """Write a new case for the requirement in focus."""
        state, row = self._view.state, self._view.row
        if state.terms is None:
            return False
        terms, about = state.terms, "" if row is None else row.requirement.id
        return self._view.edit_found(
            self._view.text,
            "a new case",
            lambda bench: bench.cases.new_text(terms, about),
            "Added a case",
            lambda bench, text: bench.cases.add_text(text),
        )

    # --- the whole session

    def do_again(self) -> bool:
        """Run the cases and the proof again."""
        return self._view.act("Ran again", lambda _bench: None)

    def do_redraft(self) -> bool:
        """Draft policy and cases from the request again, keeping what a person edited."""
        redraft = Act("Drafted again", lambda bench: bench.request.redraft(), announced=True)
        return self._view.post_message(redraft)


_MUCH, _FEW = 10, 3
"""An answer is confirmed that turns more than one in so many recorded calls, and at least so many."""


def _is_much(turned: TurnedCalls, calls: int) -> bool:
    """Whether an answer makes calls undecidable, or turns many."""
    return turned.undecidable > 0 or (turned.total * _MUCH > calls and turned.total >= _FEW)


def condition_line(policy: str, rule: WrittenPart) -> int:
    """The line on which the condition of a rule begins, after the rule's sentence."""
    lines = policy.splitlines()[rule.line - 1 : rule.end_line]
    starts = (at for at, line in enumerate(lines) if line.lstrip().startswith(("return", "if ")))
    return rule.line + next(starts, 0)


def _answer(question: Question, value: str, bench: Workbench) -> object:
    return bench.questions.answer(question, value)


def _set_request(bench: Workbench, text: str) -> object:
    """Write the request; a sentence on the clauses that the policy breaks then, if there are any."""
    stored = bench.editing.set_request(text)
    found = stored.contradictions if stored is not None else ()
    if not found:
        return stored
    broken = "; ".join(contradiction.sentence for contradiction in found)
    return Say(f"The request is stored, but the policy contradicts it: {broken}", problem=True)
