"""An editor of a part of the policy, or of the whole file, in the place where it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from workbench.app.editing import other_file
from workbench.app.line_tokens import line_tokens, open_quotes
from workbench.app.session_state import SessionState
from workbench.clean_text import counted, one_line
from workbench.model import Problem
from workbench.tui.code_rows import LONGEST
from workbench.tui.messages import Say
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import TextRun, bad, title
from workbench.tui.verdict_signs import line_signs
from workbench.tui.widgets.text_editor import LineArea

NO_SIGNS: Mapping[int, TextRun] = {}


class CodeEditor(LineArea):
    """An editor of a part of a file, which keeps the text before and after the part; Esc keeps and leaves.

    Verdicts of rules and clauses, and problems, are signs at the start of their lines.
    """

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+s", "store"),
        Binding("ctrl+n", "next_problem"),
    ]

    @dataclass
    class Told(Message):
        """An editor, and the whole file with its present text."""

        editor: CodeEditor
        policy: str

        @property
        def control(self) -> CodeEditor:
            """The editor, for ``@on`` with a selector."""
            return self.editor

    @dataclass
    class Edited(Told):
        """The text has changed."""

    @dataclass
    class Left(Told):
        """The whole file when the editor was left."""

        changed: bool

    sign_width = 2
    _open_quotes: list[str] | None = None

    def __init__(self, *, id: str, is_policy: bool = True) -> None:
        """Start hidden; ``is_policy`` if the text is not ``agent.toml``."""
        self.is_policy = is_policy
        self._before = self._after = self._begun = self._told_text = self._name = ""
        self._problems: dict[int, Problem] = {}
        """The first problem of each line, by the row."""
        self._left_at = ("", ""), (0, 0)
        super().__init__(id=id, tab_behavior="indent", show_line_numbers=True)

    # --- beginning and ending

    def begin(self, policy: str, first: int, last: int, name: str, line: int = 0) -> None:
        """Edit the lines ``first`` to ``last`` (from 1) of a policy, with the cursor on ``line``.

        If the same text was left before, the cursor returns to its position there.
        """
        lines = policy.splitlines(keepends=True)
        self._before, self._after = "".join(lines[: first - 1]), "".join(lines[last:])
        self._begun = self._told_text = "".join(lines[first - 1 : last]).rstrip("\n")
        self._name = name
        self.border_title = title(f"EDIT {name}")
        self._signs, self._problems = {}, {}
        self.line_number_start = first
        self.load_text(self._begun)
        self._open_quotes = None
        self.display = True
        self.focus()
        was_left = self._left_at[0] == (name, self._begun.rstrip())
        if line:
            self.go_to(line)
        if was_left:
            self.move_cursor(self._left_at[1], center=True)
        if line or was_left:
            self.call_after_refresh(self.scroll_cursor_visible, center=True)  # its size is known then

    def begin_whole(self, policy: str, name: str, line: int = 0, column: int = 0) -> None:
        """Edit the whole file, with the cursor on ``line`` and ``column`` (from 1)."""
        self.begin(policy, 1, max(len(policy.splitlines()), 1), name, line)
        if line and column:
            self.go_to(line, column)

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor on a line and column of the file (from 1), in the middle."""
        place = (line - self.line_number_start, column - 1)
        self.move_cursor(self.clamp_visitable(place), center=True)

    @property
    def policy(self) -> str:
        """The whole file with the present text."""
        return f"{self._before}{self.text.rstrip()}\n{self._after}"

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Post the text after every change by a person."""
        event.stop()
        if self.display and self.text != self._told_text:
            self._told_text = self.text
            self.post_message(self.Edited(self, self.policy))

    def action_store(self) -> None:
        """Keep the text and leave."""
        if self.display:
            self.display = False
            self._left_at = (self._name, self.text.rstrip()), self.cursor_location
            self.post_message(self.Left(self, self.policy, self.text != self._begun))

    def on_blur(self) -> None:
        """Leave the text when the focus goes elsewhere."""
        app = cast("App[object]", self.app)
        if self.screen is app.screen and app.app_focus:
            self.action_store()

    @on(events.Paste)
    def _pasted(self, event: events.Paste) -> None:
        """Say so where a pasted text looks like the other file."""
        other = other_file(event.text, self._name)
        if other:
            words = f"What you pasted looks like {other}, and this is {self._name}: Ctrl+Z takes it back."
            self.post_message(Say(words, problem=True))

    # --- results on the text

    def take(self, state: SessionState) -> None:
        """Show the results on the text at the start of its lines."""
        if not self.display or state.policy != self.policy:
            return
        self.show_problems(state.problems, line_signs(state))

    def show_problems(self, problems: Sequence[Problem], signs: Mapping[int, TextRun] = NO_SIGNS) -> None:
        """Show a sign at the lines with problems; what they are is told beside the text, and by Ctrl+N."""
        first = self.line_number_start
        self._problems = {max(problem.line - first, 0): problem for problem in reversed(problems)}
        self._signs = {line - first: sign for line, sign in signs.items()}
        self._signs |= dict.fromkeys(self._problems, bad("✗"))
        count = f" · {counted(len(problems), 'problem')}, Ctrl+N shows it" if problems else ""
        self.border_title = title(f"EDIT {self._name}{count}")
        self.redraw()

    def action_next_problem(self) -> None:
        """Go to the problem in the next line that has one, after the last to the first, and say it."""
        rows = [row for row in sorted(self._problems) if row < self.document.line_count]
        if rows:
            target = next((row for row in rows if row > self.cursor_location[0]), rows[0])
            problem = self._problems[target]
            column = min(max(problem.column - 1, 0), len(self.document.get_line(target)))
            self.move_cursor((target, column), center=True)
            self.post_message(Say(one_line(f"{problem.message} {problem.instead}"), problem=True))

    def on_resize(self) -> None:
        """Keep the cursor visible if the editor has the focus."""
        if self.has_focus:
            self.scroll_cursor_visible()

    # --- drawing

    def get_line(self, line_index: int) -> Text:
        """A line with its colours."""
        if self._open_quotes is None:
            self._open_quotes = open_quotes(self.document.lines)
        source, text = self.document.get_line(line_index), super().get_line(line_index)
        inside = self._open_quotes[line_index] if line_index < len(self._open_quotes) else ""
        for start, end, kind in line_tokens(source[:LONGEST], inside)[0]:
            text.stylize(self.parts.of(f"code--{kind}"), start, end)
        if line_index in self._problems:
            text.stylize(self.parts.of("code--problem"))
        return text

    def _render_line(self, y: int) -> Strip:
        """A line that keeps its colours where the cursor is."""
        theme = self._theme
        if theme.cursor_line_style is not None:  # only the background, to keep the colours
            theme.cursor_line_style = Style(bgcolor=theme.cursor_line_style.bgcolor)
        return super()._render_line(y)

    def update_suggestion(self) -> None:
        """Find anew where strings begin. Textual calls it after every change of the text."""
        super().update_suggestion()
        before = self._open_quotes
        self._open_quotes = open_quotes(self.document.lines)
        if before is not None and before[-1:] != self._open_quotes[-1:]:
            self.redraw()

    # --- typing

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.replace("\n" + self._indentation(), *self.selection, maintain_selection_offset=False)

    def _indentation(self) -> str:
        """The indentation of a new line that is opened at the cursor."""
        row, column = min(self.selection)
        before = self.document.get_line(row)[:column]
        deeper = self.indent_width if before.rstrip()[-1:] in tuple(":([{") else 0
        return " " * (len(before) - len(before.lstrip(" ")) + deeper)
