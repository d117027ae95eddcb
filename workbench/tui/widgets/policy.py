"""The policy pane: the editor, and what is wrong with the text, at its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import TextArea

from workbench.model import Problem
from workbench.policy.terms import PolicyTerms
from workbench.tui.actions import bindings
from workbench.tui.messages import PolicyEdited
from workbench.tui.plain import Line, Run, Tone, line, muted, one_line, title
from workbench.tui.shown import clause_state, plural
from workbench.tui.state import Replayed, Verdicts
from workbench.tui.styles import style_sheet
from workbench.tui.widgets.editor import Editor, Mark
from workbench.tui.widgets.lines import PlainLines

SHOWN_PROBLEMS = 3


class PolicyPane(Vertical, can_focus=True):
    """The editor over the problems of its text.

    The pane itself has the focus while the text is only read: keys move in it and type nothing.
    """

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("policy")]
    HELP = """The policy, tested, proved and replayed while you type. It is stored by itself within a second.
Beside the lines: ✓ proved by Nagini, ◇ holds in the preview, ✗ refuted or not in the dialect, ? unknown,
and the number of log steps that a rule denied. Enter or i edits the text at the cursor, Escape ends
editing. Tab indents, Ctrl+Z undoes."""

    def __init__(self, *, id: str | None = None) -> None:
        """Start with an empty text."""
        super().__init__(id=id, classes="pane")
        self._drawn: tuple[tuple[Problem, ...], Verdicts, Replayed] | None = None
        self._shown: str | None = None

    def compose(self) -> ComposeResult:
        """The editor over the problems."""
        yield Editor(id="editor")
        yield PlainLines(id="problems")

    def on_mount(self) -> None:
        """Name the pane."""
        self.border_title = title("Policy F3")

    @property
    def editor(self) -> Editor:
        """The text area itself."""
        return self.query_one(Editor)

    @property
    def text(self) -> str:
        """The text as it stands in the editor."""
        return self.editor.text

    def show_text(self, text: str) -> None:
        """Show another text without reporting it as an edit."""
        self._shown = text
        self.editor.replace_all(text)

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        text = self.text
        if text != self._shown:
            self._shown = text
            self.post_message(PolicyEdited(text))

    def show(self, problems: tuple[Problem, ...], verdicts: Verdicts, replayed: Replayed) -> None:
        """Show problems and verdicts at their lines."""
        drawn = (problems, verdicts, replayed)
        if self._drawn is not None and all(new is old for new, old in zip(drawn, self._drawn, strict=True)):
            return
        self._drawn = drawn
        marks = dict(line_marks(verdicts, replayed))
        for problem in problems:
            if problem.line:
                marks[problem.line] = Mark("✗", Tone.BAD, one_line(problem.what))
        lines = frozenset(problem.line for problem in problems if problem.line)
        self.editor.show_marks(marks, lines)
        self.border_subtitle = title(policy_summary(problems, verdicts.terms))
        notes = self.query_one("#problems", PlainLines)
        notes.display = bool(problems)
        notes.show_lines(*problem_lines(problems))

    # --- reading

    def on_focus(self) -> None:
        """Say how to edit."""
        self._entitle()

    def on_descendant_focus(self) -> None:
        """Say how to stop editing."""
        self._entitle()

    def _entitle(self) -> None:
        self.border_title = title("Policy F3 · Enter edits" if self.has_focus else "Policy F3")

    def on_blur(self) -> None:
        """Name the pane only."""
        self.border_title = title("Policy F3")

    @on(Editor.Left)
    def _left(self, event: Editor.Left) -> None:
        event.stop()
        self.screen.set_focus(self)

    def action_edit(self) -> None:
        """Edit the text at the cursor."""
        self.screen.set_focus(self.editor)

    def action_line(self, direction: int) -> None:
        """Go to the next or previous line."""
        self.editor.go_line(direction)

    def action_page(self, direction: int) -> None:
        """Go a page up or down."""
        self.editor.action_cursor_page_up() if direction < 0 else self.editor.action_cursor_page_down()

    def action_edge(self, direction: int) -> None:
        """Go to the first or last line."""
        self.editor.action_document_edge(direction)

    def action_next_problem(self) -> None:
        """Go to the next line with a problem or a refuted clause."""
        bad = sorted(number for number, mark in self.editor.marks.items() if mark.tone is Tone.BAD)
        if bad:
            here = self.editor.cursor_location[0] + 1
            self.editor.go_to(next((number for number in bad if number > here), bad[0]))


def line_marks(verdicts: Verdicts, replayed: Replayed) -> Mapping[int, Mark]:
    """The marks of clauses and rules by line."""
    marks: dict[int, Mark] = {}
    terms = verdicts.terms
    if terms is None:
        return marks
    fired = replayed.fired
    for rule in terms.rules:
        count = fired.get(rule.name, 0)
        if count and not replayed.stale:
            sign = str(min(count, 99))
            marks[rule.line] = Mark(sign, Tone.WARN, f"denied {count} steps")
    for clause in terms.clauses:
        state = clause_state(verdicts.proved(clause.id), verdicts.preview_of(clause.id), verdicts.running)
        sign, tone, words = ("~", Tone.MUTED, "stale") if verdicts.stale else state
        marks[clause.line] = Mark(sign, tone, words)
    return marks


def problem_lines(problems: Sequence[Problem]) -> list[Line]:
    """The first problems, each with its line and what to do."""
    shown = [
        line(
            Run(f"✗ line {problem.line}  " if problem.line else "✗ ", Tone.BAD),
            one_line(problem.what),
            muted(f" {one_line(problem.instead)}" if problem.instead else ""),
        )
        for problem in problems[:SHOWN_PROBLEMS]
    ]
    more = len(problems) - len(shown)
    return [*shown, line(muted(f"and {more} more"))] if more else shown


def policy_summary(problems: Sequence[Problem], terms: PolicyTerms | None) -> str:
    """The policy in a few words."""
    if problems:
        return f"{len(problems)} to mend"
    if terms is None:
        return "checking"
    default = "allow" if terms.default_allow else "deny"
    return f"{plural(len(terms.rules), 'rule')}, default {default}"


if __name__ == "__main__":
    from workbench.tui.alone import run_alone
    from workbench.tui.sample import POLICY, REPLAYED, VERDICTS

    def fill(pane: PolicyPane) -> None:
        """Show the sample policy with its verdicts."""
        pane.show_text(POLICY)
        pane.show((), VERDICTS, REPLAYED)

    run_alone(PolicyPane(), fill)
