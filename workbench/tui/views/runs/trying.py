"""Trying calls: lines that a person types, each decided at once, in the place of the recorded calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from workbench.app.call_exceptions import rules_against
from workbench.clean_text import one_line
from workbench.model import Verdict
from workbench.tui.keys import KeyHint
from workbench.tui.messages import Ask, ExceptionWanted, Workbench
from workbench.tui.run_text import whole_call_rows
from workbench.tui.text_runs import muted, warn
from workbench.tui.verdict_signs import verdict_run
from workbench.tui.widgets.lines import Row, paragraph, plural

if TYPE_CHECKING:
    from textual.timer import Timer

    from workbench.app.runs import CallExplanation
    from workbench.app.session_state import SessionState
    from workbench.app.tried_calls import Before, LineDecider, TriedCall
    from workbench.tui.views.runs.view import RunsView

_DECIDE_AFTER = 0.1
"""Seconds without a key after which the lines are decided."""
_HOW = """A line is a call: its command, its path or its only text, or its arguments as JSON. Its tool is \
that of the call from which you came, until “TOOL:” in a line names another for the lines below it, or \
before a text for its line. “-> {…}” behind a call is what it gave before the lines below. # begins a note."""
_MOST_WRONG = 3
_NO_CALL = muted("no call")
_STALE = " · by the policy before, not decided anew yet"


class _Start(Enum):
    """Where the run of a tried call begins."""

    ALONE = "alone"
    IN_PLACE = "in_place"
    AFTER = "after"


class Trying:
    """Shows typed calls in the place of the recorded ones, as long as it is open."""

    def __init__(self, view: RunsView) -> None:
        """Try the calls of a view."""
        self._view, self._editor = view, view.lines
        self._editor.typed, self._editor.moved = self._typed, self._moved
        self._text = ""
        self._start = _Start.ALONE
        self._lines_above = False
        self._at: int | None = None
        self._deciding: LineDecider | None = None
        """What decided the tried calls; None only before the first are decided."""
        self._tried: Sequence[TriedCall] = ()
        self._decided: Sequence[TriedCall] = ()
        self._wait: Timer | None = None
        self.state: SessionState | None = None
        """The tried calls as a state of their own; None while recorded calls are shown."""

    @property
    def open(self) -> bool:
        """Whether tried calls are shown."""
        return self.state is not None

    @property
    def writing(self) -> bool:
        """Whether the lines are edited."""
        return self._editor.display

    # --- beginning and leaving

    def do_try(self) -> bool:
        """Write calls, or go on with those that were written."""
        return self._open(_Start.ALONE if not self.open else self._start)

    def do_edit(self) -> bool:
        """Write the chosen call anew in its place, or go on with the tried calls."""
        from workbench.app.tried_calls import as_line

        state, position = self._view.state, self._view.calls.position
        if self.open:
            return self._open(self._start)
        if state.logs is None or position is None or self._view.chosen is None:
            return False
        self._text = as_line(state.logs.calls[position])
        return self._open(_Start.IN_PLACE)

    def _open(self, start: _Start) -> bool:
        recorded = self._view.recorded
        if recorded.logs is None or recorded.terms is None:
            return False
        if not self.open:
            self._at = self._view.calls.position
            self._view.show_all()
            self._start = start
            self._show(self._tried)
        self._view.mark(self._view.calls)
        self._view.add_class("-trying", "-writing")
        self._editor.kept = f"{self._placed} · Esc leaves"
        self._editor.begin("calls, one a line", self._text, self._left, self._editor.kept)
        self._editor.move_cursor(self._editor.document.end)
        self._decide()
        return True

    def _left(self, _text: str | None) -> None:
        """Show the lines as a list of calls."""
        self._text = self._editor.text
        self._view.remove_class("-writing")
        self._view.calls.focus()
        self._decide()

    def leave(self) -> bool:
        """Show the recorded calls again; False if no tried calls are shown."""
        was_open, self.state = self.open, None
        if self.writing:  # from another pane: the lines stay as they are
            self._text = self._editor.text
            self._editor.display = False
        self._view.remove_class("-trying", "-writing")
        if was_open:
            self._view.show_recorded(self._at)
        return was_open

    def take(self, recorded: SessionState) -> None:
        """Decide the lines again where another policy or other logs are there."""
        if self.state is not None:
            if self._is_stale:
                self._decide()
                self._editor.tell({})
            self.state = replace(
                recorded, logs=self.state.logs, decisions=self.state.decisions, causes=(), retrieved=()
            )

    # --- deciding

    @property
    def _is_stale(self) -> bool:
        """Whether nothing was decided yet, or another policy, or other logs, are there than decided."""
        deciding, recorded = self._deciding, self._view.recorded
        return deciding is None or deciding.terms is not recorded.terms or deciding.logs is not recorded.logs

    def _typed(self) -> None:
        """Decide the lines once no key is typed."""
        self._text = self._editor.text
        if self._wait is not None:
            self._wait.stop()
        self._wait = self._view.set_timer(_DECIDE_AFTER, self._decide)

    def _decide(self) -> None:
        self._wait = None
        recorded, text = self._view.recorded, self._text
        if recorded.terms is None or recorded.logs is None:
            return
        terms, logs, before, known = recorded.terms, recorded.logs, self._before(recorded), self._deciding

        def decide(bench: Workbench) -> tuple[LineDecider, Sequence[TriedCall]]:
            deciding = known
            if deciding is None or not deciding.is_of(terms, logs, before):
                deciding = bench.line_decider(terms, logs, before)
            return deciding, deciding.decide(text)

        self._view.post_message(Ask("tried", decide, self._found))

    def _before(self, recorded: SessionState) -> Before:
        from workbench.app.tried_calls import placed

        assert recorded.logs is not None
        calls = 0
        if self._at is not None and self._start is not _Start.ALONE:
            calls = recorded.logs.calls[self._at].index + (self._start is _Start.AFTER)
        return placed(recorded.logs, self._at, calls, lines_above=self._lines_above)

    def _found(self, found: tuple[LineDecider, Sequence[TriedCall]]) -> None:
        if self.open:
            self._deciding, tried = found
            self._show(tried)
            if self.writing and not self._editor.text:
                self._editor.insert(f"{self._deciding.first_tool}:\n")

    def _show(self, tried: Sequence[TriedCall]) -> None:
        """Draw the tried calls: as a list, and at the start of their lines."""
        from workbench.app.results import Logs

        recorded = self._view.recorded
        assert recorded is not None
        self._tried, self._decided = tried, [one for one in tried if one.decided is not None]
        shown = [one.shown() for one in self._decided]
        logs, decisions = Logs(calls=tuple(call for call, _ in shown)), tuple(one for _, one in shown)
        self.state = replace(recorded, logs=logs, decisions=decisions, causes=(), retrieved=())
        runs = (verdict_run(one.decided.decision.verdict) if one.decided else _NO_CALL for one in tried)
        signs = dict(zip((one.line for one in tried), runs, strict=True))
        self._editor.tell({} if self._is_stale else signs)
        self._view.show_tried()
        if self.writing:
            self._moved()

    def _moved(self) -> None:
        """Show why the line of the cursor is decided as it is; while a text is typed, once no key is."""
        if self._wait is not None:
            return
        at = self._editor.cursor_location[0]
        position = next((n for n, one in enumerate(self._decided) if one.line == at), None)
        if position is not None:
            self._view.calls.select(position)
        self._view.show_chosen()

    def explain(self, position: int) -> Callable[[Workbench], CallExplanation]:
        """The work that finds why a tried call is decided as it is."""
        deciding, tried = self._deciding, self._decided[position]
        assert deciding is not None
        return lambda _bench: deciding.explain(tried)

    # --- what is done with a tried call

    def text_at(self, position: int | None) -> str:
        """The line of a tried call; empty if none is shown."""
        lines = self._text.splitlines()
        if not self.open or position is None or position >= len(self._decided):
            return ""
        return lines[self._decided[position].line].strip()

    def do_except(self) -> bool:
        """Make an exception for the tried call in the sentence that keeps it from running."""
        position = self._view.calls.position
        if not self.open or position is None or position >= len(self._decided):
            return False
        tried = self._decided[position]
        assert tried.decided is not None
        terms = self._view.state.terms
        if terms is None or tried.decided.decision.verdict is Verdict.ALLOW:
            return False
        return self._view.post_message(ExceptionWanted(rules_against(terms, tried.decided), tried.run))

    def do_why(self) -> bool:
        """Go to why the call is decided as it is, which is always shown."""
        self._view.enter(self._view.run)
        return True

    def choose_number(self, number: int) -> bool:
        """Choose what stands before each line."""
        starts = list(_Start)
        if not self.open or number > len(starts) + 1 or (self._at is None and 1 < number <= len(starts)):
            return False
        if number > len(starts):
            self._lines_above = not self._lines_above
        else:
            self._start = starts[number - 1]
        self._decide()
        return True

    @property
    def hints(self) -> Sequence[KeyHint]:
        """The digits that choose what stands before each line."""
        recorded = (("2", "in its place"), ("3", "after it")) if self._at is not None else ()
        return (("1", "each alone"), *recorded, ("4", "after the lines above"))

    # --- rows

    @property
    def _placed(self) -> str:
        """What stands before each line, in a few words."""
        words: Mapping[_Start, str] = {
            _Start.ALONE: "each line alone",
            _Start.IN_PLACE: f"in the place of {self._recorded_name}",
            _Start.AFTER: f"after {self._recorded_name}",
        }
        return f"{words[self._start]}{' and after the lines above' if self._lines_above else ''}"

    @property
    def _recorded_name(self) -> str:
        recorded = self._view.recorded
        if recorded.logs is None or self._at is None:
            return "no call"
        call = recorded.logs.calls[self._at]
        return f"call {call.index} of {one_line(call.run, 30)}"

    @property
    def title(self) -> str:
        """The name of the list of tried calls."""
        return f"Tried, {self._placed}{_STALE if self._is_stale and self._decided else ''}"

    def rows(self, position: int | None, why: CallExplanation | None) -> Iterator[Row]:
        """A tried call with its decision and why, and the lines that are none."""
        state = self.state
        if state is None:
            return
        if self._is_stale and self._decided:
            yield paragraph(warn(f"Tried{_STALE}"))
        wrong = [one for one in self._tried if one.problem]
        for one in wrong[:_MOST_WRONG]:
            yield paragraph(warn(f"line {one.line + 1} "), one_line(one.problem), hang=2)
        if (more := len(wrong) - _MOST_WRONG) > 0:
            yield paragraph(muted(f"and {plural(more, 'line')} more"))
        if position is None or position >= len(state.decisions):
            yield paragraph(muted(_HOW))
            return
        for row in whole_call_rows(state, position, why):
            # no tried call leads anywhere: the places of the calls are others in the logs
            yield row._replace(key="") if row.key.startswith("call:") else row
