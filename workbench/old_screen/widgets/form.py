"""A form over the screen: fields made from a description, and beside them what storing would change."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, TextArea

from workbench.clean_text import one_line
from workbench.model import WorkbenchError
from workbench.old_screen.actions import bindings
from workbench.old_screen.forms import Form, FormField, Misfit, Shape, Typed
from workbench.old_screen.plain import Line, TextRun, Tone, fit, line, title
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.widgets.area import ProseArea
from workbench.old_screen.widgets.choice import WordChoice
from workbench.old_screen.widgets.entry import Entry
from workbench.old_screen.widgets.lines import Builder, PlainLines, Row, RowList, no_rows

TRY_AFTER = 0.25
HINT = "Tab next, Alt+S stores, Esc closes"


class FieldBox(Horizontal):
    """A name beside what is typed, and under it what does not fit."""

    def __init__(self, field: FormField, value: str) -> None:
        """Take what is asked for and what to begin with."""
        super().__init__(classes=f"field -{field.shape}")
        self.field = field
        self._begun = value
        self.entry = self._entry()

    def compose(self) -> ComposeResult:
        """The name, the entry, and room for a message."""
        yield PlainLines(classes="label")
        with Vertical():
            yield self.entry
            yield PlainLines(classes="wrong")

    def _entry(self) -> Entry | ProseArea | WordChoice:
        """What the value is typed into."""
        match self.field.shape:
            case Shape.WORD:
                return Entry(value=self._begun, placeholder=one_line(self.field.hint))
            case Shape.TEXT:
                return ProseArea(self._begun)
            case Shape.CHOICE:
                return WordChoice(self.field.choices, self._begun)

    def on_mount(self) -> None:
        """Write the name."""
        name = self.field.label
        self.query_one(".label", PlainLines).show_rows(
            lambda width: [Row((TextRun(fit(name, width), Tone.TITLE),))]
        )
        self.say("")

    @property
    def hint(self) -> Line:
        """What to type, in words."""
        return line(TextRun(f"{one_line(self.field.label)}: ", Tone.TITLE), one_line(self.field.hint))

    @property
    def value(self) -> str:
        """What is typed; what was not touched is what it began with, to the character."""
        typed = self._typed
        return self._begun if typed == _shown(self.field.shape, self._begun) else typed

    @property
    def _typed(self) -> str:
        return self.entry.text if isinstance(self.entry, ProseArea) else self.entry.value

    def touched(self, begun: str) -> bool:
        """Whether something else is typed or chosen than what an entry shows that begins with a text."""
        if self.field.shape is Shape.CHOICE and begun not in self.field.choices:
            begun = self.field.choices[0] if self.field.choices else ""
        return self._typed != _shown(self.field.shape, begun)

    def say(self, text: str) -> None:
        """Say what does not fit, or with an empty text that all does."""
        wrong = self.query_one(".wrong", PlainLines)
        wrong.display = bool(text)
        wrong.show_lines(line(TextRun(text, Tone.BAD)))


def alike(one: FormField, other: FormField) -> bool:
    """Whether the same entry serves both fields; only their hints may differ."""
    return replace(one, hint="") == replace(other, hint="")


def _shown(shape: Shape, text: str) -> str:
    """A text as an untouched field of this shape gives it back."""
    match shape:
        case Shape.WORD:
            return Entry.cleaned(text)
        case Shape.TEXT:
            return ProseArea.cleaned(text)
        case Shape.CHOICE:
            return text


class FormScreen[T](ModalScreen[T | None]):
    """Shows a form and ends with what it makes, or with None."""

    DEFAULT_CSS = style_sheet(__file__)
    AUTO_FOCUS = ""
    HELP = """Tab and the arrows go from field to field; what to type stands below. Alt+S stores, Enter in the
last field too. Alt+E opens the text of the field in $EDITOR. Escape closes; it asks again only where
something typed would be lost."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("form")]

    @dataclass
    class Tried(Message):
        """What is typed makes a value; the screen wants to know what storing it would change."""

        form: FormScreen[object]
        value: object

    @dataclass
    class Opened(Message):
        """A form is open; these are the values that it begins with."""

        values: Typed

    def __init__(self, form: Form[T]) -> None:
        """Take what to ask."""
        super().__init__()
        self._form = form
        self._typed = dict(form.values)
        self._asked = form.fields(self._typed)
        self._timer: Timer | None = None
        self._leaving = False

    def compose(self) -> ComposeResult:
        """The fields, and beside them what storing would change."""
        with Container(id="form", classes="-tried" if self._form.tried else ""):
            with VerticalScroll(id="fields", can_focus=False):
                for field in self._asked:
                    yield FieldBox(field, self._typed.get(field.key, ""))
            if self._form.tried:
                yield RowList(id="effect")
            yield PlainLines(id="hint")
            yield PlainLines(id="wrong")

    def on_mount(self) -> None:
        """Name the form and put the cursor into its first field."""
        form = self.query_one("#form")
        form.border_title = title(self._form.name)
        form.border_subtitle = title(HINT)
        self.query_one("#wrong").display = False
        self.post_message(self.Opened(self._form.values))
        begin = next((box for box in self.boxes if box.field.key == self._form.begin), self.boxes[0])
        begin.entry.focus()
        if self._form.trouble:
            self.show_trouble(self._form.trouble)
        self._try_soon()

    @property
    def boxes(self) -> list[FieldBox]:
        """The fields in order."""
        return list(self.query(FieldBox))

    # --- typing

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Say what to type into the field with the cursor."""
        box = next((node for node in event.widget.ancestors if isinstance(node, FieldBox)), None)
        if box is not None:
            self.query_one("#hint", PlainLines).show_lines(box.hint if box.field.hint else ())
            box.scroll_visible(animate=False)

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(WordChoice.Changed)
    async def _changed(self, event: Message) -> None:
        event.stop()
        self._leaving = False
        if isinstance(event, WordChoice.Changed):
            await self._ask_again()
        self._try_soon()

    async def _ask_again(self) -> None:
        """Show the fields that the choices ask for; what stays keeps its value, and so does what returns."""
        self._typed.update({box.field.key: box.value for box in self.boxes})
        wanted = self._form.fields(self._typed)
        if wanted == self._asked:
            return
        same = 0
        while same < min(len(wanted), len(self._asked)) and alike(wanted[same], self._asked[same]):
            self.boxes[same].field = wanted[same]
            same += 1
        self._asked = wanted
        fields = self.query_one("#fields", VerticalScroll)
        for box in self.boxes[same:]:
            await box.remove()
        await fields.mount_all(FieldBox(field, self._typed.get(field.key, "")) for field in wanted[same:])

    @on(Input.Submitted)
    @on(WordChoice.Taken)
    def _submitted(self, event: Input.Submitted | WordChoice.Taken) -> None:
        event.stop()
        entry = event.input if isinstance(event, Input.Submitted) else event.choice
        if entry is self.boxes[-1].entry:
            self.action_store()
        else:
            self.action_move(1)

    def action_move(self, direction: int) -> None:
        """Go to the next or the previous field."""
        entries = [box.entry for box in self.boxes]
        place = next((place for place, entry in enumerate(entries) if entry.has_focus), -1)
        entries[(place + direction) % len(entries)].focus()

    # --- trying and storing

    def _try_soon(self) -> None:
        if not self._form.tried:
            return
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(TRY_AFTER, self._try)

    @property
    def waiting(self) -> bool:
        """Whether what is typed is to be tried by itself soon."""
        return self._timer is not None

    def _try(self) -> None:
        self._timer = None
        try:
            value = self._read()
        except WorkbenchError as error:
            self.show_effect(None)
            self._say(error)
            return
        self._say(None)
        self.post_message(self.Tried(cast("FormScreen[object]", self), value))

    def show_effect(self, build: Builder | None) -> None:
        """Show what storing would change; None while what is typed does not fit."""
        for effect in self.query("#effect").results(RowList):
            effect.border_title = title("What this changes")
            effect.show_rows(build or no_rows)

    def _read(self) -> T:
        typed = self.typed
        return self._form.read({field.key: typed[field.key] for field in self._asked if field.key in typed})

    def _say(self, error: WorkbenchError | None) -> None:
        key = error.key if isinstance(error, Misfit) else ""
        for box in self.boxes:
            box.say(str(error) if error is not None and box.field.key == key else "")
        nowhere = error is not None and key not in {box.field.key for box in self.boxes}
        wrong = self.query_one("#wrong", PlainLines)
        wrong.display = nowhere
        wrong.show_lines(line(TextRun(str(error) if nowhere else "", Tone.BAD)))

    def show_trouble(self, text: str) -> None:
        """Say why the value cannot be stored, at the field that the text names where it names one."""
        said = set(re.findall(r"[\w.]+", text.partition(": ")[2]))
        box = next((box for box in self.boxes if box.field.key.rpartition(".")[2] in said), None)
        self._say(Misfit(box.field.key if box else "", text))

    @property
    def typed(self) -> Typed:
        """What is typed so far, by field."""
        return {**self._typed, **{box.field.key: box.value for box in self.boxes}}

    def action_store(self) -> None:
        """End with the value, or say at its field what does not fit."""
        try:
            value = self._read()
        except WorkbenchError as error:
            self._say(error)
            key = error.key if isinstance(error, Misfit) else ""
            for box in self.boxes:
                if box.field.key == key:
                    box.entry.focus()
            return
        self.dismiss(value)

    @property
    def touched(self) -> bool:
        """Whether something would be lost: typed here, or given back because it could not be stored."""
        begun = self._form.values
        return bool(self._form.trouble) or any(
            box.touched(begun.get(box.field.key, "")) for box in self.boxes
        )

    def action_close(self) -> None:
        """End without storing; what was typed is given up only on a second Escape."""
        if self.touched and not self._leaving:
            self._leaving = True
            self.query_one("#form").border_subtitle = title("Esc again gives up what you typed, Alt+S stores")
            return
        self.dismiss(None)


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone

    area = FormField("text", "Text", "several lines", Shape.TEXT)
    run_alone(FieldBox(area, "one line\nanother"), lambda box: box.say("This does not fit."))
