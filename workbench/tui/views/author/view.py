"""The view in which a policy is authored: requirements, the one in focus, and the calls it decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from workbench.app.as_proposed import PROPOSED, is_unconfirmed
from workbench.app.call_exceptions import rules_against
from workbench.app.clause_findings import NO_CLAUSE
from workbench.app.question_texts import own_words, turned_words
from workbench.app.requested_sentence import SentenceState, is_made_up
from workbench.app.session_state import ClauseState, RequirementState, SessionState
from workbench.clean_text import one_line
from workbench.model import (
    Assumption,
    CaseResult,
    Judgement,
    ProofStatus,
    Question,
    Span,
    Verdict,
    WorkbenchError,
)
from workbench.tui import messages
from workbench.tui.background_result import Explaining, Things
from workbench.tui.keys import AT_CURSOR, KeyHint
from workbench.tui.messages import Ask, Choose, Go, Place, PlaceKind, Say, ViewName, Workbench
from workbench.tui.owed_rows import mending
from workbench.tui.run_text import whole_call_rows
from workbench.tui.text_runs import muted
from workbench.tui.views.author import requirement, spine
from workbench.tui.views.author.requirement import option_keys, said_of
from workbench.tui.views.author.sentence_writing import SentenceWriting
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.lines import BLANK, MOST_DIGITS, PICK, LineList, Row, no_rows, paragraph, plural
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.recorded_call_list import RecordedCallList
from workbench.tui.widgets.sentence_editor import SentenceEditor
from workbench.tui.widgets.text_editor import TextEditor

if TYPE_CHECKING:
    from workbench.app.results import TurnedCalls

NOT_ALLOWED_FIRST = (Verdict.DENY, Verdict.CANNOT_EVALUATE, Verdict.ASK, Verdict.ALLOW)
_MANY_ALIKE = 2
_AROUND = 3
"""The lines of the screen above and below the middle pane."""
_NOTHING = {"choose": "", "put_away": "", "pin": ""}


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
        self.spine.looks_first = True
        self.middle = Pane("", id="requirement")
        self.calls = RecordedCallList("Calls", id="calls", lacking="No rule of it fired on a recorded call.")
        self.log_pane = Pane("Log", id="log")
        self.code, self.text = CodeEditor(id="rule"), TextEditor(id="text")
        self.sentence = SentenceEditor(id="say")
        self._saying = SentenceWriting(self, self._fill, self._sentence_rule)
        self._answered: tuple[Question, str] | None = None
        self._edited = ""
        """The key of the rule or problem that was edited last; empty if there is none."""
        self.state = UNKNOWN
        self._keys: Sequence[str] = ()
        self._checked: tuple[str, ...] = ()
        """The keys of the sentences of which something is being stored and checked."""
        self._in_focus = self._again = self._asked = ""
        self._whole = False
        self._ordered: tuple[Sequence[int], Sequence[Verdict], Sequence[int]] | None = None
        """The calls that a requirement decides, in the order in which they are shown."""
        self._explaining = Explaining(self, self._show_log)
        self._options: Sequence[str] = ()
        self._cut: Collection[str] = ()
        """The keys of the options that are cut short."""
        self._led = ""
        """The key of the option to which a walk led, and no key since."""
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
        if state is not self.state:
            self._checked = ()
            self._take(state)
            self._fill_spine()
            self._fill()
        self._saying.show(state)

    def prepare(self, state: SessionState) -> None:
        """Make the rows of the spine."""
        self.spine.prepare(partial(spine.spine_rows, state), _parts(state, ()))

    def _fill_spine(self) -> None:
        state, checked = self.state, self._checked
        self.spine.fill(partial(spine.spine_rows, state, checked), of=_parts(state, checked))
        self.spine.select(self._in_focus)

    def store(self, act: messages.Act, about: str) -> None:
        """Change the session for a sentence, which is being checked until the next state, or a failure."""
        failed = act.failed

        def not_stored(why: str) -> None:
            self._check(())
            if failed is not None:
                failed(why)

        act.failed = not_stored
        self.post_message(act)
        self._check((*self._checked, about))

    def _check(self, keys: tuple[str, ...]) -> None:
        self._checked = keys
        self._fill_spine()
        self._fill()

    def go(self, place: Place) -> None:
        """Show the item of a place in the middle, and its requirement in the spine."""
        state = self.state
        if place.kind is None:
            return
        self._call = int(place.name) if place.kind is PlaceKind.CALL else None
        key, owner = spine.owner_of(state, place if self._call is None else _deciding(state, self._call))
        if not owner:
            return
        asked = place.name if place.kind is PlaceKind.QUESTION else ""
        self._look_at(owner, asked)
        self.middle.focus()
        if asked:
            self.call_after_refresh(self._lead_to_question)
        if key:
            self.middle.centre(key)

    def _lead_to_question(self) -> None:
        if options := self._offered:
            self.middle.select(PICK + options[0])
            self._led = self.middle.key
            self.middle.fill(self._rows)
            self.middle.lead_to(PICK + options[0], PICK + options[-1])

    def _look_at(self, key: str, asked: str = "") -> None:
        self._in_focus, self._again, self._asked, self._whole = key, "", asked, False
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
        """The visible question: answered again, gone to, or the first about the item in focus."""
        state = self.state
        if self._in_focus in self._checked:
            return None
        if self._again:
            return next((question for question in state.questions if question.id == self._again), None)
        row = self.row
        if row is not None:
            asked = [one for one in row.questions if not (self.is_open and one.kind == NO_CLAUSE)]
            return next((one for one in asked if one.id == self._asked), next(iter(asked), None))
        return next((question for question in state.open if question.id == self._in_focus), None)

    def _heading(self) -> str:
        """The title of the middle pane: the item in focus, or the sentence that is typed."""
        state, said = self.state, self._saying.said
        if not state.understood or said == "":
            return "Requirement" if said is None else "A new sentence"
        focus = said or self._in_focus
        asked = self.question if focus == self._in_focus else None
        name = "Not read yet" if asked is None else spine.unread_words(asked)
        if focus in spine.LISTS:
            name = spine.LISTS[focus][0]
        elif state.row(focus) is not None:
            name = "Sentence" if is_made_up(focus) else focus
        return f"◂ {'? ' if asked is not None else ''}{name} ▸"

    def _subject_rows(self) -> Iterable[Row]:
        """Everything about the item in focus, without its rules while they are edited."""
        state, row, asked = self.state, self.row, self._question_rows()
        if self._in_focus in self._checked:
            return (*(() if row is None else requirement.sentence_rows(state, row)), *spine.CHECKED)
        if row is not None:
            whole, code = self._whole, not self.code.display
            return requirement.requirement_rows(state, row, asked, whole=whole, code=code)
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
        said, words = said_of(state, row), state.words
        yield from requirement.question_rows(question, turned, next(chosen, ""), said, words)
        if row is not None and not self._again and (further := len(row.questions) - 1) > 0:
            yield paragraph(muted(f"and {further} more about it"))
        if (alike := sum(one.kind == question.kind for one in state.open)) > _MANY_ALIKE:
            words = f"{alike} of its kind are open; once one is answered, = lists them to answer so"
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
        """The rows of the middle; of a question on a small screen only the option at the cursor is whole."""
        if self._saying.writing:
            return self._saying.rows()
        rows, width = [*self._subject_rows()], self.middle.line_width
        key = "" if self.middle.key == self._led else self.middle.key
        shown = requirement.folded(rows, width, self.screen.size.height - _AROUND, key)
        both = zip(rows, shown, strict=True)
        self._cut = {row.key for row, less in both if len(row.lines(width)) > less.most}
        return shown

    def _unfold(self) -> None:
        """Show the option at the cursor whole, unless a walk led there."""
        if self.middle.key != self._led:
            self._led = ""
        if self._offered and self.middle.cursor >= 0 and not self._saying.writing:
            self.middle.fill(self._rows)
            self.middle.show_row(self.middle.cursor)

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
        """Say the sentence, or say it otherwise; read another item."""
        if not self._saying.begin():
            self.enter(self.middle)

    @property
    def is_open(self) -> bool:
        """Whether nothing says yet what the sentence in focus means."""
        requested = self.row and self.state.requested_of(self.row.requirement.id)
        return bool(requested) and requested.state is SentenceState.OPEN

    def moved_requirement(self) -> None:
        """Tell the keys of the item at the cursor, and show an option whole to which a person moved."""
        if self.middle.key != self._led:
            self._unfold()
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
                self.do_edit()
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
        """Show an answered question for another option; offer to take the answer back if nothing asks it."""
        if all(candidate.id != question for candidate in self.state.questions):
            sign = "Nothing raises this question any more; y takes the answer back, any other key keeps it: "
            self._ask(sign, partial(self._take_back, question))
            return
        self._again = question
        self._fill()
        self.middle.focus()

    def choose_number(self, number: int) -> bool:
        """Choose a visible numbered option."""
        options = self._offered
        if not 1 <= number <= len(options):
            return False
        key, self._led = PICK + options[number - 1], ""
        if not self.brought(self.middle, key, whole=key not in self._cut):
            self._pick(options[number - 1])
        self._unfold()
        return True

    def _enter_option(self, option: str) -> None:
        """Choose an option without a digit; at another one say the sentence: no Enter answers by chance."""
        number = self._offered.index(option) + 1
        if number > MOST_DIGITS:
            self._pick(option)
        elif not self._saying.begin():
            self.say(f"{number} answers so.")

    def _pick(self, option: str) -> None:
        kind, question = option.partition(":")[0], self.question
        if kind == "answer" and question is not None:
            self._answer(question, int(option.rpartition(":")[2]))
        elif kind == "no":
            self._say_otherwise()
        elif question is not None and own_words(question):
            self._type_answer(question)
        else:
            self._saying.begin_new()

    def own_hints(self) -> Sequence[KeyHint]:
        """The digits of the visible options, and the keys that go to other words or requirements."""
        count = min(len(self._options), MOST_DIGITS) if self.in_sight(self.middle) else 0
        answers = [(f"1-{count}" if count > 1 else "1", "answer")] if count else []
        return [*answers, *([("←→", "requirement")] if self.current is self.middle else ())]

    def words_at_cursor(self) -> Mapping[str, str]:
        """What keys do at the cursor of the requirements, and in the middle."""
        return self._words if self.current in (self.spine, self.middle) else {}

    @on(CodeEditor.Left)
    def _coded(self) -> None:
        """Show the rules and problems again, with the cursor on the edited one."""
        self._fill()
        if self._edited:
            self.middle.select(self._edited)

    # --- keys

    def do_add(self) -> bool:
        """Add a sentence to the request, or a case."""
        if self.current is self.middle and self.middle.key.startswith((requirement.CASES, "case:")):
            return self._add_case()
        return self._saying.begin_new()

    def do_why(self) -> bool:
        """Show the reason of the chosen call's decision, or stop showing it."""
        if self.position is None or self.current in (self.middle, self.spine):
            return False
        self._explaining.toggle(self.state, self.position)
        return True

    def do_except(self) -> bool:
        """Make an exception for the call that is looked at, or for the counterexample at the cursor."""
        state, clause = self.state, self._clause_at_cursor()
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
        decided = state.decisions[position]
        verdict = decided.decision.verdict
        if state.terms is None or verdict is Verdict.ALLOW:
            return self.say("The call is allowed: there is nothing to except.")
        run = state.logs.calls[state.run_of(position).start : position + 1]
        begin = partial(self._saying.begin_exception, rules_against(state.terms, decided), run)
        return self._except_or_grant(begin, position) if verdict is Verdict.ASK else begin()

    def begin_exception(self, wanted: messages.ExceptionWanted) -> None:
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

    # --- questions

    def _answer(self, question: Question, number: int) -> None:
        """Choose an option of a question; one that turns many calls only after the key y."""
        option, state, about = question.options[number], self.state, self._in_focus
        logs, value = state.logs, option.value

        def done() -> None:
            self._answered = question, value
            label = f"Answered: {one_line(option.label)}"
            self.store(messages.Act(label, partial(_answer, question, value)), about)

        known = state.turned.get(question.id)
        if known is not None or logs is None:
            self._confirm(done, (known or {}).get(value))
            return

        def find(bench: Workbench) -> TurnedCalls | None:
            return bench.questions.turned_by(question, logs).get(value)

        group, label = f"answer {question.id}", "which calls the answer turns"
        self.post_message(Ask(group, find, partial(self._confirm, done), label, lasts=True))

    def _type_answer(self, question: Question, text: str = "") -> bool:
        """Let the person type an answer that is none of the options; one that is refused is offered again."""
        about = self._in_focus

        def typed(words: str) -> None:
            value = words.strip()

            def refused(_why: str) -> None:
                self._type_answer(question, value)

            label = f"Answered: {one_line(value)}"
            self.store(messages.Act(label, partial(_answer, question, value), refused), about)

        return self.post_message(messages.TypeIn(f"{own_words(question)}: ", typed, text))

    def _say_otherwise(self) -> None:
        """Let the person change what lets through a call that is not meant; the question stays open."""
        if not self.do_edit_agent() and not self._saying.begin():
            self.do_edit()

    def do_edit_agent(self) -> bool:
        """Edit agent.toml at what the visible question wants declared; False if it wants nothing there."""
        question = self.question
        if question is None or not question.declaration:
            return False
        place = Place(ViewName.POLICY, PlaceKind.SPEC, question.declaration)
        return self.post_message(Go(place, then="edit_agent"))

    def do_answer_alike(self) -> bool:
        """Give the last answer to every open question of its kind that has it, after the key y.

        In the answers it says yes to all assumptions, and never acts on a question that is not in sight.
        """
        state = self.state
        unconfirmed = [one.question for one in state.assumptions if is_unconfirmed(one)]
        if self._unconfirmed_here is not None or (self._in_focus == spine.ASSUMED and unconfirmed):
            return self._confirm_assumed(unconfirmed)
        if self._answered is None or self._in_focus in spine.LISTS:
            return False
        question, value = self._answered
        if self.question is not None and self.question.kind != question.kind:
            return False
        alike = [one for one in state.open if one.kind == question.kind and one.id != question.id]
        found = [(one, option.label) for one in alike for option in one.options if option.value == value]
        chosen = [(one, value) for one, _ in found]
        if not chosen:
            return False
        count = plural(len(chosen), "question")

        def answer() -> None:
            self.act(f"Answered {count} alike", lambda bench: bench.questions.answer_all(chosen))

        listed = [
            (partial(self.go, place), "", f"{one_line(one.quote or one.text, 60)}: {one_line(label)}")
            for one, label in found
            for place in [Place(self.NAME, PlaceKind.QUESTION, one.id)]
        ]
        offers = [(answer, "=", f"all {count} below"), *listed]
        return self.post_message(Choose("The same answer for", offers, lambda act: act()))

    def do_right(self) -> bool:
        """Say yes to the visible question or the assumption at the cursor; let its case follow the policy."""
        one = self._unconfirmed_here
        if (failed := self._failed_here) is not None and failed.actual is not None:
            case, actual = failed.case, failed.actual
            return self.act(f"{case} expects {actual.value}", lambda bench: bench.cases.take(case, actual))
        if one is None and self._says("Yes"):
            return True
        if one is None:
            is_said = self._answered is not None and self._in_focus not in spine.LISTS
            return is_said and self.say("It is answered so; u takes it back.")
        return self._confirm_assumed([one.question])

    def do_wrong(self) -> bool:
        """Say no to the visible question; False if no answer is a no."""
        return self._says("No")

    def _says(self, word: str) -> bool:
        """Choose the only answer to the visible question that begins with a word."""
        found = requirement.numbers_saying(word, self.question)
        several = f"{len(found)} answers say {word.lower()}: the digits choose."
        return self.choose_number(found[0]) if len(found) == 1 else bool(found) and self.say(several)

    def _assumed_words(self) -> Mapping[str, str]:
        """The hints for an assumption at the cursor that waits for a yes."""
        if self._unconfirmed_here is None:
            return {}
        return {"right": "yes", "answer_alike": "yes to all", "edit": "edit agent.toml"}

    @property
    def _failed_here(self) -> CaseResult | None:
        """The result of the case at the cursor that fails."""
        kind, _, name = self.middle.key.partition(":")
        if kind != "case" or self.current is not self.middle:
            return None
        return next((one for one in self.state.failed if one.case == name), None)

    @property
    def _unconfirmed_here(self) -> Assumption | None:
        kind, _, name = self.middle.key.partition(":")
        if kind != "assumed" or self.current is not self.middle:
            return None
        waiting = filter(is_unconfirmed, self.state.assumptions)
        return next((one for one in waiting if one.question == name), None)

    def _confirm_assumed(self, names: Collection[str]) -> bool:
        chosen = [(one, one.default) for one in self.state.questions if one.id in names]
        label = f"Said yes to {plural(len(chosen), 'assumption')}"
        return self.act(label, lambda bench: bench.questions.answer_all(chosen))

    def _confirm(self, act: Callable[[], object], turned: TurnedCalls | None) -> None:
        state = self.state
        if turned is None or not turned.is_much(len(state.decisions)):
            act()
            return
        sign = f"{turned_words(turned)} of {len(state.decisions):,} calls; y answers so, any other key not: "
        self._ask(sign, act)

    def _ask(self, sign: str, act: Callable[[], object]) -> bool:
        """Act after the key y."""
        return self.post_message(messages.if_yes(sign, act, lambda: self.say("Nothing was answered.")))

    # --- cases

    def do_put_away(self) -> bool:
        """Put away the item at the cursor; False if it cannot be put away."""
        kind, _, name = self.middle.key.partition(":")
        if kind == "case":
            return self.act(f"Put away {name}", lambda bench: bench.cases.remove(name))
        return kind == "assumed" and self._take_back(name)

    def _take_back(self, question: str) -> bool:
        return self.act("Took an answer back", lambda bench: bench.questions.retract(question))

    def do_pin(self) -> bool:
        """Keep a call, or the counterexample at the cursor, as a case; False if there is neither."""
        if self.current in (self.calls, self.log_pane):
            decided = None if self.position is None else self.state.decisions[self.position]
            return self.judge_call(self.state, decided, Judgement.RIGHT)
        return self.keep_counterexample(self.state, self._clause_at_cursor())

    def _clause_at_cursor(self) -> ClauseState | None:
        """The clause with a counterexample at the cursor, else the first one of the requirement in focus."""
        row, key = self.row, self.middle.key
        clauses = () if row is None else row.clauses
        refuted = [one for one in clauses if one.status is ProofStatus.REFUTED and one.counterexample]
        here = (clause for clause in refuted if key == f"clause:{clause.clause.id}")
        return next(here, next(iter(refuted), None))

    # --- editing

    def do_edit(self) -> bool:
        """Edit the item at the cursor; False if there is nothing to edit."""
        state = self.state
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
                return self.post_message(Go(place, then="edit_agent"))
            case "assumed":
                self.answer_again(name)
                return True
            case "context":
                return self._sentence(state, state.context[int(name)].span)
            case "sentence" | "said":
                return self._saying.begin()
            case "question" if self.question is not None:
                return self._sentence(state, self.question.span)
            case _:
                return self.do_whole_request()

    @property
    def _words(self) -> Mapping[str, str]:
        """What keys do at the cursor, by the ids of their actions."""
        edits = {"edit": AT_CURSOR[self._target()[0]]["edit"]}
        kind = self.middle.key.partition(":")[0]
        if kind == "pick" and self._target()[0] == "said":
            kind = "said"
        if self.current is not self.middle:
            return {**edits, "choose": "say it" if edits["edit"] == "say it" else "read it"}
        says = {"right": "yes", "wrong": "no"} if requirement.numbers_saying("Yes", self.question) else {}
        says |= {"right": "new decision"} if self._failed_here is not None else {}
        pins = {"pin": "keep as case"} if self._clause_at_cursor() is not None else {}
        return {**_NOTHING, **says, **pins, **edits, **AT_CURSOR.get(kind, {}), **self._assumed_words()}

    def _target(self) -> tuple[str, str]:
        """The item to edit: its kind (a key of ``AT_CURSOR``) and its name.

        If the item at the cursor cannot be edited, it is the sentence in focus, else the request.
        """
        kind, _, name = self.middle.key.partition(":")
        if self.current is self.middle and "edit" in AT_CURSOR.get(kind, {}):
            return kind, name
        state, row = self.state, self.row
        if row is not None and state.requested_of(row.requirement.id) is not None:
            return "said", ""
        is_asked = self.current is self.middle and self.question is not None and self.question.quote.strip()
        return "question" if is_asked else "request", ""

    def _rule(self, state: SessionState, name: str) -> bool:
        part = None if state.terms is None else state.terms.file.parts.get(name)
        if part is None or not part.line:
            return False
        self._edited = f"rule:{name}"
        line = part.condition_line(state.policy)
        self.code.begin(state.policy, part.line, part.end_line, f"the rule {name}", line)
        return True

    def _sentence_rule(self, words: str, tool: str, said: str) -> None:
        """Edit the rule of a sentence of the request, or begin one about a tool in the whole policy.

        Of several rules it is the one that is read aloud as ``said``, if there is one.
        """
        state = self.state
        sentence = next((one for one in state.requested if one.requirement.text == words), None)
        if sentence is None:
            return
        readings = sorted(sentence.readings, key=lambda one: one.text != said)
        if any(self._rule(state, one.name) for one in readings):
            return

        def begin(found: tuple[str, int]) -> None:
            text, line = found
            self.code.begin_whole(text, "policy.py", line)

        self.mark(self.middle)
        ask = Ask("skeleton", lambda bench: bench.rewordings.with_skeleton(words, tool), begin, opens=True)
        self.post_message(ask)

    def _policy(self, state: SessionState, line: int, column: int) -> bool:
        """Edit the whole policy at the place of a problem that keeps its rules from being known."""
        self._edited = self.middle.key
        self.mark(self.middle)
        self.code.begin_whole(state.policy, "policy.py", line, column)
        return True

    def do_whole_request(self) -> bool:
        """Edit the whole request, at the sentence in focus."""
        row = self.row
        self.edit_stored(self.text, "the request", self.state.request, "Edited the request", _set_request)
        self.text.move_cursor((row.requirement.span.line - 1 if row is not None else 0, 0))
        return True

    def _sentence(self, state: SessionState, span: Span) -> bool:
        request = state.request

        def store(bench: Workbench, text: str) -> object:
            if bench.session.request != request:
                raise WorkbenchError("The request was changed meanwhile; edit the sentence once more.")
            return _set_request(bench, request[: span.start] + text.strip() + request[span.end :])

        sentence = request[span.start : span.end]
        self.edit_stored(self.text, "the sentence", sentence, "Edited a sentence", store)
        return True

    def _case(self, identity: str) -> bool:
        return self.edit_found(
            self.text,
            f"the case {identity}",
            lambda bench: bench.cases.text(identity),
            f"Edited {identity}",
            lambda bench, text: bench.cases.put_text(identity, text),
        )

    def _add_case(self) -> bool:
        """Write a new case for the requirement in focus."""
        state, row = self.state, self.row
        if state.terms is None:
            return False
        terms, about = state.terms, "" if row is None else row.requirement.id
        return self.edit_found(
            self.text,
            "a new case",
            lambda bench: bench.cases.new_text(terms, about),
            "Added a case",
            lambda bench, text: bench.cases.add_text(text),
        )

    # --- the whole session

    def do_redraft(self) -> bool:
        """Draft policy and cases from the request again, keeping what a person edited."""
        redraft = messages.Act("Drafted again", lambda bench: bench.request.redraft(), announced=True)
        return self.post_message(redraft)


def _parts(state: SessionState, checked: tuple[str, ...]) -> Things:
    """That of which the spine is made."""
    parts = (state.rows, state.requested, state.open, state.verdicts, state.not_in_force, state.context)
    others = (state.assumptions, state.unclaimed, state.terms, state.theorems, state.understood, checked)
    return *parts, *others


def _deciding(state: SessionState, position: int) -> Place:
    """The place of the first rule that keeps a call from running."""
    fired = state.decisions[position].decision.violations if position < len(state.decisions) else ()
    return Place(ViewName.AUTHOR, PlaceKind.RULE, fired[0].rule if fired else "")


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
