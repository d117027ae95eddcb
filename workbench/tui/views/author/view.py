"""The view in which a policy is authored: requirements, the one in focus, and the calls it decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from workbench.app.clause_findings import NO_CLAUSE
from workbench.app.requested_sentence import SentenceState, is_made_up
from workbench.app.session_state import RequirementState, SessionState
from workbench.model import Question, Verdict
from workbench.tui.background_result import Explaining
from workbench.tui.keys import KeyHint, done_by_any
from workbench.tui.messages import Choose, ExceptionWanted, Go, Place, PlaceKind, ViewName
from workbench.tui.owed_rows import mending
from workbench.tui.run_text import whole_call_rows, whole_run
from workbench.tui.text_runs import muted
from workbench.tui.views.author import spine
from workbench.tui.views.author.author_actions import AuthorActions
from workbench.tui.views.author.requirement import (
    CASES,
    option_keys,
    own_words,
    question_rows,
    requirement_rows,
    said_of,
)
from workbench.tui.views.author.sentence_writing import SentenceWriting
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.lines import BLANK, MOST_DIGITS, PICK, LineList, Row, no_rows, paragraph, plural
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.recorded_call_list import RecordedCallList
from workbench.tui.widgets.sentence_editor import SentenceEditor
from workbench.tui.widgets.text_editor import TextEditor

NOT_ALLOWED_FIRST = (Verdict.DENY, Verdict.CANNOT_EVALUATE, Verdict.ASK, Verdict.ALLOW)
_MANY_ALIKE = 2


class AuthorView(View):
    """The requirements as the spine, the one in focus whole, and the calls that it decides with their log."""

    NAME = ViewName.AUTHOR
    BINDINGS: ClassVar[list[BindingType]] = [("right,l", "aside(1)"), ("left,h", "aside(-1)")]
    HELP = """Each line at the left is a sentence of the request: ? where something is open, its cases,
its clause, the calls that its rule decides. The middle shows it whole; the digits answer its question."""

    def __init__(self) -> None:
        """Start with nothing in focus."""
        super().__init__(id=self.NAME.value)
        self.spine = Pane("Requirements", id="spine")
        self.middle = Pane("", id="requirement")
        self.calls = RecordedCallList("Calls", id="calls", lacking="No rule of it fired on a recorded call.")
        self.log_pane = Pane("Log", id="log")
        self.code, self.text = CodeEditor(id="rule"), TextEditor(id="text")
        self.sentence = SentenceEditor(id="say")
        self._saying = SentenceWriting(self, self._fill, self._edit_in_python)
        self._deeds = AuthorActions(self, self._saying)
        self.state = UNKNOWN
        self._keys: Sequence[str] = ()
        self._in_focus = self._again = ""
        self._whole = False
        self._ordered: tuple[Sequence[int], Sequence[Verdict], Sequence[int]] | None = None
        """The calls that a requirement decides, in the order in which they are shown."""
        self._explaining = Explaining(self, lambda: self.state, self._show_log)
        self._options: Sequence[str] = ()
        self._call: int | None = None

    def compose(self) -> ComposeResult:
        """The spine, the requirement in focus, and to the right the calls above the log of one call."""
        yield self.spine
        with Vertical(id="middle"):
            yield from (self.code, self.text, self.sentence, self.middle)
        with Vertical(id="decided"):
            yield from (self.calls, self.log_pane)

    @property
    def first(self) -> LineList:
        """The spine; where only one pane fits, the requirement in focus with its question."""
        return self.middle if self.fitting == 1 else self.spine

    # --- drawing

    def show(self, state: SessionState) -> None:
        """Draw another state; the item in focus stays if it still exists."""
        self._take(state)
        note = f"{len(state.open)} open" if state.open else ""
        parts = (state.rows, state.requested, state.open, state.verdicts, state.not_in_force, state.context)
        others = (state.assumptions, state.unclaimed, state.terms, state.theorems, state.understood)
        self.spine.fill(partial(spine.spine_rows, state), note=note, of=(*parts, *others))
        self.spine.select(self._in_focus)
        self._fill()
        self._saying.show(state)

    def go(self, place: Place) -> None:
        """Show the item of a place in the middle, and its requirement in the spine."""
        state = self.state
        if place.kind is None:
            return
        self._call = int(place.name) if place.kind is PlaceKind.CALL else None
        key, owner = spine.owner_of(state, place if self._call is None else _deciding(state, self._call))
        if not owner:
            return
        self._look_at(owner)
        self.middle.focus()
        if key:
            self.middle.centre(key)

    def _look_at(self, key: str) -> None:
        self._in_focus, self._again, self._whole = key, "", False
        self.spine.select(key)
        self._fill()

    # --- the item in focus: a requirement, an unread sentence, or a list of the spine

    def _take(self, state: SessionState) -> None:
        """Take another state; keep the item in focus if it still exists, else focus an open question."""
        before, self.state = self.state, state
        keys = self._keys = spine.spine_keys(state)
        if before.requirements is not state.requirements or self._in_focus not in keys:
            self._in_focus = spine.same_place(before, self._in_focus, state) or self._in_focus
        if self._in_focus not in keys or not before.sentences:
            first_open = next((row.requirement.id for row in state.rows if row.questions), "")
            self._in_focus = first_open or (keys[0] if keys else "")
        if all(assumption.question != self._again for assumption in state.assumptions):
            self._again = ""

    @property
    def row(self) -> RequirementState | None:
        """The requirement in focus."""
        return self.state.row(self._in_focus)

    @property
    def question(self) -> Question | None:
        """The visible question: the one that is answered again, or the first about the item in focus."""
        state = self.state
        if self._again:
            return next((question for question in state.questions if question.id == self._again), None)
        row = self.row
        if row is not None:
            asked = (one for one in row.questions if not (self.is_open and one.kind == NO_CLAUSE))
            return next(asked, None)
        return next((question for question in state.open if question.id == self._in_focus), None)

    def _heading(self) -> str:
        """The title of the middle pane: the item in focus, or the sentence that is typed, and its place."""
        state, said = self.state, self._saying.said
        if not state.understood or said == "":
            return "Requirement" if said is None else "A new sentence"
        keys, focus = self._keys, said or self._in_focus
        place = f" ▸ {keys.index(focus) + 1} of {len(keys)}" if focus in keys else ""
        asked = self.question if focus == self._in_focus else None
        unread = "Not read yet" if asked is None else spine.unread_words(asked)
        named = focus if not is_made_up(focus) else "Sentence"
        name = (
            spine.LISTS[focus][0]
            if focus in spine.LISTS
            else named
            if state.row(focus) is not None
            else unread
        )
        return f"◂ {'? ' if asked is not None else ''}{name}{place}"

    def _subject_rows(self) -> Iterable[Row]:
        """Everything about the item in focus, without its rules while they are edited."""
        state, row, asked = self.state, self.row, self._question_rows()
        if row is not None:
            return requirement_rows(state, row, asked, whole=self._whole, code=not self.code.display)
        if self.question is not None:
            return asked
        if self._in_focus in spine.LISTS:
            return spine.LISTS[self._in_focus][1](state)
        return [paragraph(muted("Choose a requirement at the left." if state.understood else spine.READING))]

    @property
    def _offered(self) -> list[str]:
        """The keys of the visible options, by their numbers."""
        return [] if self.question is None else option_keys(self.question)

    def _question_rows(self) -> Iterator[Row]:
        state, question, row = self.state, self.question, self.row
        if question is None:
            return
        chosen = (one.value for one in state.assumptions if one.question == question.id)
        if row is not None:
            yield BLANK
        turned = state.turned.get(question.id, {})
        yield from question_rows(question, turned, next(chosen, ""), said_of(state, row))
        if row is not None and not self._again and (further := len(row.questions) - 1) > 0:
            yield paragraph(muted(f"and {further} more about it"))
        if (alike := sum(one.kind == question.kind for one in state.open)) > _MANY_ALIKE:
            words = f"{alike} of its kind are open; once one is answered, = answers all of them so"
            yield paragraph(muted(words))

    def _decided(self) -> tuple[Sequence[int], str]:
        """The positions of the calls to show, those that are not allowed first, and a title for them."""
        row = self.row
        if row is None:
            return [], "It decides"
        verdicts, known = self.state.verdicts, self._ordered
        if known is None or known[0] is not row.decided or known[1] is not verdicts:
            by_verdict: dict[Verdict, list[int]] = {verdict: [] for verdict in NOT_ALLOWED_FIRST}
            for at in row.decided:
                by_verdict[verdicts[at]].append(at)
            ordered = [*chain.from_iterable(by_verdict.values())]
            known = self._ordered = row.decided, verdicts, ordered
        name = "It" if is_made_up(row.requirement.id) else row.requirement.id
        return known[2], f"{name} decides"

    def _fill(self) -> None:
        state = self.state
        self.middle.fill(self._rows, name=self._heading())
        decided, name = self._decided()
        chosen = self.calls.position
        note = f"{len(decided):,} of {plural(len(state.decisions), 'call')}" if state.decisions else ""
        self.calls.fill(state, decided, name=name, note=note)
        if decided and chosen not in decided:
            self.calls.cursor = 0
        self._show_log()
        self._explaining.soon(state, self.position)
        if (options := self._offered) != self._options:
            self._options = options
            self.options_came = Message().time
        self.hints_changed()

    def _rows(self) -> Iterable[Row]:
        return self._saying.rows() if self._saying.writing else self._subject_rows()

    def _show_log(self) -> None:
        state, position = self.state, self.position
        why = None if position is None else self._explaining.of(state, position)
        self.log_pane.fill(no_rows if position is None else partial(whole_call_rows, state, position, why))

    @property
    def position(self) -> int | None:
        """The call under the cursor, by its position in the logs."""
        position = self.calls.position
        return position if position in range(len(self.state.decisions)) else None

    # --- moving

    def moved_spine(self) -> None:
        """Look at the item at the cursor."""
        if self.spine.key and self.spine.key != self._in_focus:
            self._look_at(self.spine.key)

    def action_aside(self, direction: int) -> None:
        """Look at the item after the one in focus, or at the one before."""
        keys, focus = self._keys, self._in_focus
        if focus in keys:
            self._look_at(keys[(keys.index(focus) + direction) % len(keys)])

    def chosen_spine(self) -> None:
        """Say an open sentence; read another item."""
        if not (self.is_open and self._saying.begin()):
            self.enter(self.middle)

    @property
    def is_open(self) -> bool:
        """Whether nothing says yet what the sentence in focus means."""
        requested = self.row and self.state.requested_of(self.row.requirement.id)
        return bool(requested) and requested.state is SentenceState.OPEN

    def moved_requirement(self) -> None:
        """Tell the keys of the item at the cursor."""
        self.hints_changed()

    def moved_calls(self) -> None:
        """Show the call at the cursor in its log."""
        self._show_log()

    def chosen_calls(self) -> None:
        """Show the call in its run."""
        self.follow(f"call:{self.position}")

    def chosen_log(self) -> None:
        """Show the rule, or the call in its run."""
        self.follow(self.log_pane.key)

    def leave_what_is_begun(self) -> bool:
        """Leave the answer that is chosen again; False if there is none."""
        if not self._again:
            return False
        self._again = ""
        self._fill()
        return True

    # --- choices

    def chosen_requirement(self) -> None:
        """Open the item at the cursor."""
        kind, _, name = self.middle.key.partition(":")
        match kind:
            case "pick":
                self._enter_option(name)
            case "sentence" | "said":
                self._saying.begin()
            case "problem":
                self._deeds.do_edit()
            case "assumed":
                self.answer_again(name)
            case "owed" if mends := mending(spine.owed_here(self.state), name):
                self.post_message(mends)
            case "more":
                self._whole = True
                self._fill()
            case "rule" | "clause":
                self.follow(self.middle.key)
            case _:
                pass

    def answer_again(self, question: str) -> None:
        """Show an answered question, so that another option can be chosen."""
        if all(candidate.id != question for candidate in self.state.questions):
            self.say("The request does not raise this question any more; d takes the answer back.")
            return
        self._again = question
        self._fill()
        self.middle.focus()

    def choose_number(self, number: int) -> bool:
        """Choose a visible numbered option."""
        options = self._offered
        if not 1 <= number <= len(options):
            return False
        if not self.brought(self.middle, PICK + options[number - 1]):
            self._pick(options[number - 1])
        return True

    def _enter_option(self, option: str) -> None:
        """Choose an option without a digit; a digit answers the others, so that no Enter does by chance."""
        number = self._offered.index(option) + 1
        if number > MOST_DIGITS:
            self._pick(option)
        else:
            self.say(f"{number} answers so.")

    def _pick(self, option: str) -> None:
        kind, question = option.partition(":")[0], self.question
        if kind == "answer" and question is not None:
            self._deeds.answer(question, int(option.rpartition(":")[2]))
        elif kind == "no":
            self._deeds.say_otherwise()
        elif question is not None and own_words(question):
            self._deeds.type_answer(question)
        else:
            self._saying.begin_new()

    def own_hints(self) -> Sequence[KeyHint]:
        """The digits of the visible options, and the keys that go to other words or requirements."""
        count = min(len(self._options), MOST_DIGITS) if self.in_sight(self.middle) else 0
        answers = [(f"1-{count}" if count > 1 else "1", "answer")] if count else []
        return [*answers, *([("←→", "requirement")] if self.current is self.middle else ())]

    def words_at_cursor(self) -> Mapping[str, str]:
        """What keys do at the cursor of the requirements, and in the middle."""
        return self._deeds.words if self.current in (self.spine, self.middle) else {}

    @on(CodeEditor.Left)
    def _coded(self) -> None:
        """Show the rules and problems again, with the cursor on the edited one."""
        self._fill()
        if self._deeds.edited:
            self.middle.select(self._deeds.edited)

    def _edit_in_python(self, words: str, tool: str, said: str) -> None:
        self._deeds.sentence_rule(words, tool, said)

    # --- keys

    def do(self, action: str) -> bool:
        """Do an action of the table by the first part of the view that can."""
        return done_by_any((self, self._deeds), action)

    def do_add(self) -> bool:
        """Add a sentence to the request, or a case."""
        if self.current is self.middle and self.middle.key.startswith((CASES, "case:")):
            return self._deeds.add_case()
        return self._saying.begin_new()

    def do_why(self) -> bool:
        """Show the reason of the chosen call's decision, or stop showing it."""
        if self.position is None or self.current in (self.middle, self.spine):
            return False
        self._explaining.toggle(self.state, self.position)
        return True

    def do_except(self) -> bool:
        """Make an exception for the call that is looked at, or for the counterexample at the cursor."""
        state, clause = self.state, self._deeds.clause_at_cursor()
        position = self.position if self._call is None else self._call
        if state.logs is None:
            return False
        if clause is not None and self.current is self.middle:
            realised = clause.counterexample.realised if clause.counterexample is not None else None
            rules = state.deciding(clause) or ()
            return realised is not None and self._saying.begin_exception(rules, realised.calls)
        self._call = None
        if position is None:
            return False
        decided = state.decisions[position].decision
        if decided.verdict not in (Verdict.DENY, Verdict.ASK):
            return self.say(f"The call is {decided.verdict.value}: there is nothing to except.")
        rules = [one.rule for one in decided.violations]
        run = state.logs.calls[whole_run(state, position).start : position + 1]
        begin = partial(self._saying.begin_exception, rules, run)
        return begin() if decided.verdict is Verdict.DENY else self._except_or_grant(begin, position)

    def begin_exception(self, wanted: ExceptionWanted) -> None:
        """Say an exception for a call that no log has."""
        self._saying.begin_exception(wanted.rules, wanted.run)

    def _except_or_grant(self, begin: Callable[[], object], position: int) -> bool:
        """Let the person choose how a call may run that the policy asks about."""
        grant = Go(Place.of_call(position), then="grant")
        go = partial(self.post_message, grant)
        ways = (
            (begin, "sentence", "an exception in the sentence: nobody is asked about such calls any more"),
            (go, "grant", "a grant for this call, this run or some hours: the sentence stays as it is"),
        )
        return self.post_message(Choose("How may such a call run?", ways, lambda way: way()))


def _deciding(state: SessionState, position: int) -> Place:
    """The place of the first rule that keeps a call from running."""
    fired = state.decisions[position].decision.violations if position < len(state.decisions) else ()
    return Place(ViewName.AUTHOR, PlaceKind.RULE, fired[0].rule if fired else "")
