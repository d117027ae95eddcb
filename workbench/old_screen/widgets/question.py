"""The open question, beside what it is about, answered with one key."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from workbench.model import Option, Question
from workbench.old_screen.actions import bindings
from workbench.old_screen.messages import (
    Answered,
    AnswerLater,
    EffectsWanted,
    NeitherMeant,
    PathsWanted,
    TurnedWanted,
)
from workbench.old_screen.plain import Line, TextRun, Tone, line, muted, title
from workbench.old_screen.state import Turned
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import BLANK, argument_rows, paragraph
from workbench.old_screen.widgets.entry import Entry
from workbench.old_screen.widgets.lines import Row, RowList

GRACE_SECONDS = 0.4
CONTEXT = 160
OWN = "own words"


class QuestionOptions(RowList):
    """The question's text and its options; the keys 1..9 and a..i answer."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("question")]

    def on_key(self, event: events.Key) -> None:
        """Answer with the option that the key names."""
        panel = self.parent
        if self.searching or not isinstance(panel, QuestionPanel):
            return
        if not event.character or len(event.character) != 1:
            return
        index = "123456789".find(event.character)
        index = index if index >= 0 else "abcdefghi".find(event.character)
        if panel.take(index):
            event.stop()
            event.prevent_default()

    def action_take(self) -> None:
        """Answer with the marked option."""
        self._panel.take_value(self.key)

    def action_choose(self) -> None:
        """A click only marks: to answer takes a key."""

    def action_neither(self) -> None:
        """Say that no reading is meant."""
        self._panel.neither()

    def action_why(self) -> None:
        """Show why the readings differ."""
        if self._panel.question is not None:
            self.post_message(PathsWanted(self._panel.question))

    def action_skip(self, direction: int) -> None:
        """Show the next or the previous question."""
        self._panel.skip(direction)

    def action_effects(self) -> None:
        """Show what each answer would change."""
        if self._panel.question is not None:
            self.post_message(EffectsWanted(self._panel.question))

    def action_later(self) -> None:
        """Put the questions aside."""
        self.post_message(AnswerLater())

    @property
    def _panel(self) -> QuestionPanel:
        panel = self.parent
        assert isinstance(panel, QuestionPanel)
        return panel


class QuestionPanel(Vertical):
    """One question at a time: the sentence in its context, an example, and what each option changes.

    Keys that were typed before a question appeared do not answer it: for a moment
    (``GRACE_SECONDS``) it takes none.
    """

    DEFAULT_CSS = style_sheet(__file__)
    HELP = """What could not be decided from the request. Answer with the number or letter of an option,
or mark one with the arrows and press Enter; a click only marks. The answer becomes an assumption; policy,
contract and cases change with it, and U or Ctrl+Z undoes it. N says that none of the answers is meant: then
say the sentence in other words. W shows rule by rule why the answers differ, L what each would change.
Right and left go to the next and the previous question."""

    def __init__(self, *, id: str | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without a question; ``clock`` counts seconds."""
        super().__init__(id=id, classes="pane")
        self._clock = clock
        self._shown_at = 0.0
        self._request = ""
        self._questions: Sequence[Question] = ()
        self._position = 0
        self._busy = False
        self._answered = 0
        self._turned: dict[str, Mapping[str, Turned]] = {}

    def compose(self) -> ComposeResult:
        """The options over the entry for own words."""
        yield QuestionOptions(id="options")
        yield Entry(placeholder="your own words, then Enter", id="own-words")

    def on_mount(self) -> None:
        """Name the pane and say that nothing is asked."""
        self.border_title = title("Question F2")
        self.query_one(Entry).display = False
        self._draw()

    # --- what is asked

    @property
    def question(self) -> Question | None:
        """The question that is shown."""
        return self._questions[self._position] if self._questions else None

    def show(self, request: str, questions: Sequence[Question], wanted: str = "", answered: int = 0) -> None:
        """Ask these questions about the request, beginning with ``wanted`` or the one already shown.

        ``answered`` counts the questions that have an answer already.
        """
        self._answered = answered
        before = self.question.id if self.question else ""
        self._request = request
        self._questions = questions
        self._busy = False
        self._turned = {}
        ids = [question.id for question in questions]
        subject = wanted or before
        self._position = ids.index(subject) if subject in ids else min(self._position, max(len(ids) - 1, 0))
        after = self.question.id if self.question else ""
        if after != before:
            self._appeared()
        self._draw()

    def skip(self, direction: int) -> None:
        """Show the next or previous question."""
        if self._questions:
            self._position = (self._position + direction) % len(self._questions)
            self._appeared()
            self._draw()

    def _appeared(self) -> None:
        self._shown_at = self._clock()
        self.query_one(Entry).display = False

    def show_turned(self, question: Question, turned: Mapping[str, Turned]) -> None:
        """Show what each answer of a question would turn in the logs, where it is still asked."""
        if any(question is asked for asked in self._questions):
            self._turned[question.id] = turned
            self._draw(keep=True)

    # --- answering

    def neither(self) -> None:
        """No reading is meant: what can be said in own words is asked for, else the session is told."""
        question = self.question
        if question is None or self._busy or self._early():
            return
        if question.free_text:
            self.take_value(OWN)
            return
        self._busy = True
        self.post_message(NeitherMeant(question))

    def _early(self) -> bool:
        """Whether a key may have been typed before the question appeared."""
        return self._clock() - self._shown_at < GRACE_SECONDS

    def take(self, index: int) -> bool:
        """Answer with the option at ``index``; whether there is such an option."""
        question = self.question
        if question is None or not 0 <= index < len(question.options) + int(question.free_text):
            return False
        value = question.options[index].value if index < len(question.options) else OWN
        return self.take_value(value)

    def take_value(self, value: str) -> bool:
        """Answer with an option's value; keys in the grace period are swallowed."""
        question = self.question
        if question is None or not value:
            return False
        if self._busy or self._early():
            return True
        if value == OWN:
            entry = self.query_one(Entry)
            entry.display = True
            entry.focus()
            return True
        self._answer(question, value)
        return True

    @on(Input.Submitted)
    def _own_words(self, event: Input.Submitted) -> None:
        event.stop()
        if self.question is not None and event.value.strip():
            self._answer(self.question, event.value.strip())
            event.input.value = ""
            self.query_one(QuestionOptions).focus()

    def _answer(self, question: Question, value: str) -> None:
        self._busy = True
        self.border_subtitle = title("storing the answer")
        self.post_message(Answered(question, value))

    # --- drawing

    def _draw(self, *, keep: bool = False) -> None:
        """Draw the question; ``keep`` leaves the cursor and the place where they are."""
        options = self.query_one(QuestionOptions)
        question = self.question
        if question is None:
            self.border_subtitle = title("none open")
            text = line(muted("No question is open. Everything that was unclear has an answer."))
            options.show_rows(lambda width: paragraph(text, width))
            return
        self.border_subtitle = title(
            f"{self._answered + self._position + 1} of about {self._answered + len(self._questions)}"
        )
        turned = self._turned.get(question.id, {})
        options.show_rows(lambda width: question_rows(question, self._request, width, turned))
        if keep:
            return
        self.post_message(TurnedWanted(question))
        if not any(options.key == option.value for option in question.options):
            options.select(question.options[0].value if question.options else OWN)
        options.scroll_home(animate=False)


def question_rows(
    question: Question, request: str, width: int, turned: Mapping[str, Turned] | None = None
) -> list[Row]:
    """The question, its sentence in context, the example and the options with what they would turn."""
    rows = paragraph(line(TextRun(question.text, Tone.TITLE)), width)
    if question.quote:
        rows += [BLANK, Row(line(muted(f"The request says, line {question.span.line}:")))]
        rows += paragraph(quoted(question, request), width, indent=2)
    if question.example:
        rows += [BLANK, Row(line(muted("They differ, for example, on:")))]
        rows += argument_rows(question.shown, width)
    rows.append(BLANK)
    for number, option in enumerate(question.options, start=1):
        rows += _option_rows(number, option, option.value == question.default, width)
        if turned and option.value in turned:
            words = line(muted("In the logs: "), *turned_words(turned[option.value]))
            rows += paragraph(words, width, option.value, indent=2)
    if question.free_text:
        number = len(question.options) + 1
        rows += paragraph(line(TextRun(f"{number} ", Tone.ACCENT), "in my own words"), width, OWN)
    last = len(question.options) + question.free_text
    answer = f"1-{last} answer" if last > 1 else "1 answer"
    keys = f"{answer} · n none of them · s skip · ← back · w why · l effects · u undo · Esc later"
    return [*rows, BLANK, *paragraph(line(muted(keys)), width)]


def _option_rows(number: int, option: Option, default: bool, width: int) -> list[Row]:
    label = line(TextRun(f"{number} ", Tone.ACCENT), TextRun(option.label, Tone.TITLE))
    if default:
        label = (*label, muted("  (safe default)"))
    rows = paragraph(label, width, option.value, hang=2)
    if option.effect:
        rows += paragraph(line(muted(option.effect)), width, option.value, indent=2)
    return rows


def turned_words(turned: Turned) -> Line:
    """How many steps an answer turns, and to what."""
    parts = (
        (turned.allowed, "to allow", Tone.GOOD),
        (turned.denied, "to deny", Tone.BAD),
        (turned.undecidable, "to cannot evaluate", Tone.WARN),
    )
    if not turned.steps:
        return line(muted("there is no step yet."))
    found = [TextRun(f"{count:,} turn {what}", tone) for count, what, tone in parts if count]
    if not found:
        return line(muted("no decision turns."))
    between = [run for each in found for run in (muted(", "), each)][1:]
    return line(*between, muted("."))


def quoted(question: Question, request: str) -> Line:
    """The quoted sentence in its context, marked; the quote alone where the span does not fit."""
    start, end = question.span.start, question.span.end
    if not 0 <= start < end <= len(request):
        return line(TextRun(question.quote.strip(), Tone.MARK))
    before = request[max(start - CONTEXT, 0) : start]
    after = request[end : end + CONTEXT]
    before = before.rpartition("\n\n")[2].lstrip()
    after = after.partition("\n\n")[0].rstrip()
    return line(muted(before), TextRun(request[start:end], Tone.MARK), muted(after))


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import CONTENTS

    run_alone(QuestionPanel(), lambda widget: widget.show(CONTENTS.request, CONTENTS.open))
