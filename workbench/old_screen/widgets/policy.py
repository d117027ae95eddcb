"""The policy pane: the editor, and what is wrong with the text, at its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Region
from textual.widgets import TextArea

from workbench.clean_text import one_line
from workbench.old_screen.actions import bindings
from workbench.old_screen.completing import completion
from workbench.old_screen.kept_lines import subtitle
from workbench.old_screen.messages import PolicyEdited
from workbench.old_screen.plain import Line, TextRun, Tone, line, muted, title
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import clause_state, plural
from workbench.old_screen.widgets.completions import Completions
from workbench.old_screen.widgets.editor import Editor, Mark
from workbench.old_screen.widgets.lines import LineList, PlainLines
from workbench.old_screen.widgets.outline import Outline

if TYPE_CHECKING:
    from workbench.model import Problem
    from workbench.old_screen.state import Replayed, Verdicts
    from workbench.policy.terms import PolicyTerms

SHOWN_PROBLEMS = 3


class PolicyPane(Vertical, can_focus=True):
    """The editor over the problems of its text.

    The pane itself has the focus while the text is only read: keys move in it and type nothing.
    """

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("policy")]
    HELP = """The policy, tested, proved and replayed while you type. It is stored by itself within a second.
Beside the lines: ✓ proved by Nagini, ◇ holds in the preview, ∅ vacuous, ✗ refuted or not in the dialect,
? unknown, and the number of log steps that a rule denied. Enter or i edits the text at the cursor, Escape
ends editing. Words that fit are shown while you type: Tab writes the first, Escape closes them, Ctrl+N goes
into the list (or opens it). Tab indents where no list is open, Ctrl+Z undoes.
z folds the contract. F12 goes from a rule to what belongs to it, Alt+Left comes back."""

    def __init__(self, *, id: str | None = None) -> None:
        """Start with an empty text."""
        super().__init__(id=id, classes="pane")
        self._drawn: tuple[tuple[Problem, ...], Verdicts, Replayed] | None = None
        self._shown: str | None = None

    def compose(self) -> ComposeResult:
        """The editor, or the text with its contract folded, over the words and problems that belong to it."""
        yield Editor(id="editor")
        yield Outline(id="outline")
        yield Completions(id="completions")
        yield PlainLines(id="problems")

    def on_mount(self) -> None:
        """Name the pane, and say how to edit or to stop."""
        self._entitle()
        for part in (self, self.editor):
            self.watch(part, "has_focus", self._entitle, init=False)

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
        self.editor.terms = verdicts.terms
        marks = dict(line_marks(verdicts, replayed))
        for problem in problems:
            if problem.line:
                marks[problem.line] = Mark("✗", Tone.BAD, one_line(problem.what))
        if self.query_one(Outline).display:
            self._show_outline()
        lines = frozenset(problem.line for problem in problems if problem.line)
        self.editor.show_marks(marks, lines)
        subtitle(self, policy_summary(problems, verdicts.terms))
        notes = self.query_one("#problems", PlainLines)
        notes.display = bool(problems)
        notes.show_lines(*problem_lines(problems))

    # --- reading

    def _entitle(self) -> None:
        how = "Enter edits" if self.has_focus else "Esc ends editing" if self.editor.has_focus else ""
        self.border_title = title(f"Policy F3 · {how}" if how else "Policy F3")

    @on(Editor.Left)
    def _left(self, event: Editor.Left) -> None:
        event.stop()
        self.screen.set_focus(self)

    def action_edit(self) -> None:
        """Edit the text at the cursor."""
        self.screen.set_focus(self.editor)

    # --- the fold

    def action_fold(self) -> None:
        """Fold the contract to one line to read the rules, or unfold it."""
        if self.query_one(Outline).display:
            self._unfold()
        elif not self._show_outline():
            self.notify("The contract can be folded once the policy is in the dialect.", markup=False)

    def _show_outline(self) -> bool:
        """Show the text with its contract folded, if it is known where that is."""
        outline, text = self.query_one(Outline), self.text
        terms = self._drawn[1].terms if self._drawn is not None else None
        if terms is None or terms.source != text:
            self._unfold()
            return False
        outline.show(text, terms)
        if not outline.display:
            self.editor.display, outline.display = False, True
            outline.select(str(self.editor.cursor_location[0] + 1))
            self.screen.set_focus(outline)
        return True

    def _unfold(self) -> None:
        outline = self.query_one(Outline)
        focused = outline.has_focus
        self.editor.display, outline.display = True, False
        if focused:
            self.screen.set_focus(self)

    @on(LineList.Chosen, "#outline")
    def _line_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self.go_to(int(self.query_one(Outline).key))

    def go_to(self, line: int) -> None:
        """Show a line (from 1) of the whole text."""
        self._unfold()
        self.editor.go_to(line)

    # --- completion

    @on(Editor.CompleteWanted)
    def _complete(self, event: Editor.CompleteWanted) -> None:
        event.stop()
        editor, completions = self.editor, self.query_one(Completions)
        editor.withdraw()
        found = completion(*editor.line_at_cursor(), editor.terms)
        completions.show(found)
        shift = editor.content_region.offset - self.content_region.offset
        completions.stand(
            *editor.place_of(found.start), Region(*shift, *editor.scrollable_content_region.size)
        )
        self.screen.set_focus(completions if completions.display else editor)

    @on(Completions.Taken)
    def _taken(self, event: Completions.Taken) -> None:
        event.stop()
        if event.word:
            self.editor.complete(event.word, event.start)
        else:
            self.editor.decline(event.start)
        self.screen.set_focus(self.editor)

    @on(Completions.Typed)
    def _typed_on(self, event: Completions.Typed) -> None:
        """What is typed in the list goes into the text, and the list follows it."""
        event.stop()
        if event.character:
            place = self.editor.cursor_location
            self.editor.replace(event.character, place, place)
        else:
            self.editor.action_delete_left()
        self.editor.action_complete()

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
            TextRun(f"✗ line {problem.line}  " if problem.line else "✗ ", Tone.BAD),
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
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import POLICY, REPLAYED, VERDICTS

    def fill(pane: PolicyPane) -> None:
        """Show the sample policy with its verdicts."""
        pane.show_text(POLICY)
        pane.show((), VERDICTS, REPLAYED)

    run_alone(PolicyPane(), fill)
