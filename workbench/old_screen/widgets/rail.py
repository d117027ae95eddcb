"""The rail: questions, assumptions, demonstrations and versions of the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType

from workbench.clean_text import one_line
from workbench.model import Assumption, Demonstration, MadeBy, Question, Sentence, SentenceRole
from workbench.old_screen.actions import bindings
from workbench.old_screen.form_messages import (
    DemonstrationRemoved,
    DemonstrationSwitched,
    DemonstrationWanted,
    MemoryMoved,
)
from workbench.old_screen.messages import (
    AssumptionFormWanted,
    EffectsWanted,
    QuestionChosen,
    RefinedWanted,
    Retracted,
    SentenceChosen,
    VersionWanted,
)
from workbench.old_screen.plain import TextRun, Tone, fit, line, muted, title
from workbench.old_screen.state import Contents, Version
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import BLANK, heading, paragraph, reading_rows
from workbench.old_screen.widgets.lines import Row, RowList

REQUEST = "request"
SENTENCE_TONE = {
    SentenceRole.REQUIREMENT: Tone.GOOD,
    SentenceRole.CONTEXT: Tone.MUTED,
    SentenceRole.OPEN: Tone.WARN,
}
SENTENCE_MARK = {SentenceRole.REQUIREMENT: "✓ ", SentenceRole.CONTEXT: "· ", SentenceRole.OPEN: "? "}


class Rail(RowList):
    """The session at a glance. Enter opens a line, or asks the question of an assumption again."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("rail")]
    HELP = """The questions that are open, the assumptions that answers became, demonstrations, versions.
Enter on a question asks it. Enter on an assumption asks its question again, so that you can answer
differently; l shows first what that would change in the logs and in the contract. e edits its words, its
reason and what it touches. Delete takes an assumption back: its question is open again. Enter on the
request shows its sentences: green became a requirement, dim is context, yellow is open. Enter on a
sentence goes to its rule, or to the question about it. V shows the request as it is understood, beside
what was written. Enter on a version goes back to it, as a change that Ctrl+Z undoes. Enter on a
demonstration shows its plan, e edits it, n adds one, x takes it out of what is retrieved or back in,
Delete removes it; i imports demonstrations from a file, o exports them. Alt+E opens the request or the
marked record in $EDITOR."""

    def __init__(self, *, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id, classes="pane")
        self._contents: Contents | None = None
        self._open: set[str] = set()

    def on_mount(self) -> None:
        """Name the pane."""
        self.border_title = title("Session F8")
        self.show_rows(reading_rows)

    def show(self, contents: Contents) -> None:
        """Show what the session holds."""
        if contents is not self._contents:
            self._contents = contents
            self._show()

    def _show(self) -> None:
        contents = self._contents
        if contents is not None:
            self.show_rows(lambda width: self._rows_for(contents, width))

    def _rows_for(self, contents: Contents, width: int) -> list[Row]:
        waiting = contents.open
        rows = self._request_rows(contents, width)
        rows.append(heading(f"Questions  {len(waiting)} open"))
        for question in waiting:
            rows += _question_rows(question, width)
        if not waiting:
            rows += paragraph(line(muted("None open.")), width, indent=1)
        rows += [BLANK, heading(f"Assumptions  {len(contents.assumptions)}")]
        for assumption in contents.assumptions:
            touched = [item.id for item in contents.requirements if assumption.question in item.assumptions]
            rows += _assumption_rows(assumption, touched, width)
        if not contents.assumptions:
            rows += paragraph(line(muted("None yet. Each answer becomes one.")), width, indent=1)
        rows += [BLANK, heading(f"Demonstrations  {len(contents.demonstrations)}")]
        for demonstration in contents.demonstrations:
            rows += self._demonstration_rows(demonstration, width)
        if not contents.demonstrations:
            rows += paragraph(line(muted("None stored.")), width, indent=1)
        rows += [BLANK, heading("Versions")]
        for version in contents.versions:
            rows += _version_rows(version, width)
        if not contents.versions:
            rows += paragraph(line(muted("Nothing changed yet.")), width, indent=1)
        return rows

    def _request_rows(self, contents: Contents, width: int) -> list[Row]:
        if not contents.sentences:
            return []
        counts = {role: sum(item.role is role for item in contents.sentences) for role in SentenceRole}
        mark = "▾" if REQUEST in self._open else "▸"
        head = line(TextRun(f"{mark} Request", Tone.TITLE), muted(f"  {coverage(counts)}"))
        rows = paragraph(head, width, REQUEST, hang=2)
        if REQUEST in self._open:
            for item in contents.sentences:
                runs = line(TextRun(SENTENCE_MARK[item.role], SENTENCE_TONE[item.role]), _sentence_run(item))
                rows += paragraph(runs, width, sentence_key(item), indent=1, hang=2)
        return [*rows, BLANK]

    def show_sentence(self, key: str) -> None:
        """Open the request and put the cursor on a sentence."""
        self._open.add(REQUEST)
        self._show()
        self.select(key)

    def _demonstration_rows(self, item: Demonstration, width: int) -> list[Row]:
        key = f"demonstration {item.id}"
        mark = "▾" if key in self._open else "▸"
        tone = Tone.PLAIN if item.enabled else Tone.MUTED
        off = "" if item.enabled else "(off) "
        first = off + (one_line(item.agent_input) or item.id)
        rows = [Row(line(muted(f" {mark} "), TextRun(fit(first, width - 3), tone)), key)]
        if key in self._open:
            for number, step in enumerate(item.plan, start=1):
                rows += paragraph(line(muted(f"{number} "), step), width, key, indent=3, hang=2)
        return rows

    @property
    def _subject(self) -> str:
        """The question that the marked line is about, empty if it is about none."""
        kind, _, rest = self.key.partition(" ")
        return rest if kind in ("question", "assumption") else ""

    def action_choose(self) -> None:
        """Ask the question of the marked line, or open and close it."""
        if self._subject:
            self.post_message(QuestionChosen(self._subject))
        elif self.key.startswith("version "):
            self.post_message(VersionWanted(int(self.key.partition(" ")[2])))
        elif (sentence := self._sentence) is not None:
            self.post_message(SentenceChosen(sentence))
        elif self.key.startswith("demonstration ") or self.key == REQUEST:
            self._open ^= {self.key}
            self._show()

    @property
    def _sentence(self) -> Sentence | None:
        """The sentence of the marked line."""
        sentences = self._contents.sentences if self._contents is not None else ()
        return next((item for item in sentences if sentence_key(item) == self.key), None)

    def action_effects(self) -> None:
        """Show what answering the question of the marked line otherwise would change."""
        questions = self._contents.questions if self._contents is not None else ()
        asked = next((item for item in questions if item.id == self._subject), None)
        if asked is not None:
            self.post_message(EffectsWanted(asked))

    def action_refined(self) -> None:
        """Show the request as it is understood."""
        self.post_message(RefinedWanted())

    def action_retract(self) -> None:
        """Take the marked assumption back."""
        if self.key.startswith("assumption "):
            self.post_message(Retracted(self._subject))
        elif self._demonstration:
            self.post_message(DemonstrationRemoved(self._demonstration))

    @property
    def _demonstration(self) -> str:
        """The id of the marked demonstration, empty if the line is none."""
        kind, _, rest = self.key.partition(" ")
        return rest if kind == "demonstration" else ""

    def action_add(self) -> None:
        """Open the form of another demonstration."""
        self.post_message(DemonstrationWanted(""))

    def action_edit(self) -> None:
        """Open the form of the marked assumption or demonstration."""
        if self._demonstration:
            self.post_message(DemonstrationWanted(self._demonstration))
        elif self.key.startswith("assumption "):
            self.post_message(AssumptionFormWanted(self._subject))

    @property
    def record(self) -> tuple[str, str]:
        """The kind and the name of the marked record: request, assumption or demonstration, or none."""
        kind, _, name = self.key.partition(" ")
        if kind in ("assumption", "demonstration"):
            return kind, name
        return ("request", "") if kind in (REQUEST, "sentence", "at") else ("", "")

    def action_switch(self) -> None:
        """Take the marked demonstration out of what is retrieved, or back in."""
        if self._demonstration:
            self.post_message(DemonstrationSwitched(self._demonstration))

    def action_move_memory(self, importing: bool) -> None:
        """Import demonstrations from a file, or export them to one."""
        self.post_message(MemoryMoved(importing))


def coverage(counts: Mapping[SentenceRole, int]) -> str:
    """How the sentences of the request were understood, in a few words."""
    words = f"{counts[SentenceRole.REQUIREMENT]} read"
    words += f", {counts[SentenceRole.OPEN]} open" if counts[SentenceRole.OPEN] else ""
    return words + (f", {counts[SentenceRole.CONTEXT]} context" if counts[SentenceRole.CONTEXT] else "")


def sentence_key(item: Sentence) -> str:
    """The key of a sentence's line: its requirement where it has just one, else its place."""
    return f"sentence {item.requirements[0]}" if len(item.requirements) == 1 else f"at {item.span.start}"


def _sentence_run(item: Sentence) -> TextRun:
    names = f"{', '.join(item.requirements)} " if item.requirements else ""
    return TextRun(names + one_line(item.text), SENTENCE_TONE[item.role])


def _question_rows(question: Question, width: int) -> list[Row]:
    content = line(TextRun("? ", Tone.WARN), one_line(question.text))
    rows = paragraph(content, width, f"question {question.id}", indent=1, hang=2)
    return [*rows[:3], Row(line(muted("   …")), f"question {question.id}")] if len(rows) > 3 else rows


def _assumption_rows(assumption: Assumption, touched: Sequence[str], width: int) -> list[Row]:
    key = f"assumption {assumption.question}"
    rows = paragraph(line(muted("= "), one_line(assumption.statement)), width, key, indent=1, hang=2)
    default = assumption.made_by is MadeBy.DEFAULT
    by = TextRun("taken by default", Tone.WARN) if default else muted("by a person")
    when = f", {assumption.when[:10]}" if assumption.when else ""
    names = ", ".join(dict.fromkeys((*assumption.requirements, *touched)))
    rows += paragraph(line(by, muted(f"{when}{f', {names}' if names else ''}")), width, key, indent=3)
    return rows + (paragraph(line(muted(assumption.why)), width, key, indent=3) if assumption.why else [])


def _version_rows(version: Version, width: int) -> list[Row]:
    mark = "▸" if version.current else " "
    text = f"{mark}{version.number:>3} {one_line(version.label)}"
    tone = Tone.PLAIN if version.current else Tone.MUTED
    return paragraph(line(TextRun(text, tone)), width, f"version {version.number}", indent=1, hang=5)


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import CONTENTS

    run_alone(Rail(), lambda widget: widget.show(CONTENTS))
