"""The view of the demonstrations: their list, how each was made, and which calls retrieve it.

Rows of the demonstrations, of a whole one, and of the demonstrations retrieved for a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import Demonstration
from workbench.tui.background_result import BackgroundResult
from workbench.tui.code_rows import code_rows
from workbench.tui.messages import Ask, Place, PlaceKind, ViewName, Workbench
from workbench.tui.run_text import call_rows
from workbench.tui.text_runs import LONGEST_LINE, Line, accent, fit_middle, muted, strong, warn
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.lines import BLANK, Row, fitted, heading, no_rows, paragraph, plural
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.recorded_call_list import RecordedCallList
from workbench.tui.widgets.text_editor import TextEditor

if TYPE_CHECKING:
    from workbench.app.memory import Retrieved


class MemoryView(View):
    """The demonstrations, the one at the cursor whole, and the ones that the chosen call retrieves."""

    NAME = ViewName.MEMORY
    HELP = """The demonstrations that GuardAgent and the extraction are shown. In the middle is the one
at the cursor; at the right is what the call chosen in Runs retrieves."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__(id=self.NAME.value)
        self.state = UNKNOWN
        self._known = Pane("Demonstrations", id="demonstrations")
        self._whole = Pane("Plan and code", id="demonstration")
        self._retrieved = Pane("Retrieved", id="retrieved")
        self._editor = TextEditor(id="demonstration_text")
        self._position: int | None = None
        self._ranked: BackgroundResult[tuple[Retrieved, ...]] = BackgroundResult(
            self, "rank", self._show_demonstration
        )

    def compose(self) -> ComposeResult:
        """The demonstrations, the one at the cursor, and the retrieved ones."""
        yield self._known
        with Vertical(id="whole"):
            yield from (self._editor, self._whole)
        yield self._retrieved

    # --- drawing

    def show(self, state: SessionState) -> None:
        """Draw another state, for the call that is chosen in Runs."""
        self.state = state
        chosen = self.screen.query_one("RunsView #calls", RecordedCallList).position
        if chosen is not None or self._position is None:
            self._position = chosen if chosen is not None else 0
        self._known.fill(partial(_demonstration_list, state), note=f"{len(state.demonstrations)}")
        if self._demonstration is None and state.demonstrations:
            self._known.select(state.demonstrations[0].id)
        self._show_demonstration()
        self._rank()

    def go(self, place: Place) -> None:
        """Put the cursor on a demonstration, or show the demonstrations that a call retrieves."""
        if place.kind is PlaceKind.DEMONSTRATION:
            self._known.select(place.name)
        elif place.kind is PlaceKind.CALL and place.name.isdigit():
            self._position = int(place.name)
            self._show_demonstration()
            self._rank()

    @property
    def _demonstration(self) -> Demonstration | None:
        return next((one for one in self.state.demonstrations if one.id == self._known.key), None)

    def moved_demonstrations(self) -> None:
        """Show the demonstration at the cursor."""
        self._show_demonstration()

    def chosen_demonstrations(self) -> None:
        """Read the demonstration at the cursor."""
        self.enter(self._whole)

    def _show_demonstration(self) -> None:
        state, demonstration = self.state, self._demonstration
        if demonstration is None:
            self._whole.fill(no_rows, name="Plan and code")
        else:
            self._whole.fill(partial(_demonstration_rows, demonstration), name=demonstration.id)
        found = self._ranked.of(*self._ranked_for)
        self._retrieved.fill(partial(_retrieval_rows, state, self._position, found))

    # --- retrieval

    @property
    def _ranked_for(self) -> tuple[object, ...]:
        return self._position, self.state.logs, self.state.demonstrations

    def _rank(self) -> None:
        logs, position = self.state.logs, self._position
        if logs is None or position is None or position >= len(logs.calls):
            return
        call = logs.calls[position]
        self._ranked.find(lambda bench: bench.memory.rank(call), *self._ranked_for)

    def chosen_retrieved(self) -> None:
        """Show a demonstration, or the call in its run."""
        self.follow(self._retrieved.key)

    # --- changes of the memory

    def _change(self, words: str, change: Callable[[Workbench, str], object]) -> bool:
        """Change the demonstration at the cursor; False if there is none."""
        one = self._demonstration
        return one is not None and self.act(
            f"Demonstration {one.id} {words}", lambda bench: change(bench, one.id)
        )

    def do_put_away(self) -> bool:
        """Switch the demonstration at the cursor off, or on again."""
        on = self._demonstration is not None and self._demonstration.enabled
        return self._change("off" if on else "on", lambda bench, name: bench.memory.enable(name, not on))

    def do_delete(self) -> bool:
        """Delete the demonstration at the cursor."""
        return self._change("deleted", lambda bench, name: bench.memory.remove(name))

    def do_edit(self) -> bool:
        """Edit the demonstration at the cursor as text."""
        one = self._demonstration
        return one is not None and self.edit_found(
            self._editor,
            "demonstration",
            lambda bench: bench.memory.text(one.id),
            f"Demonstration {one.id} edited",
            lambda bench, text: bench.memory.put_text(one.id, text),
        )

    def do_add(self) -> bool:
        """Begin a demonstration of the chosen call."""
        logs, position = self.state.logs, self._position
        if logs is None:
            return False
        call = logs.calls[position] if position is not None and position < len(logs.calls) else None

        def begin(bench: Workbench) -> tuple[Demonstration, str]:
            begun = bench.memory.begun(logs, *(("", 0) if call is None else (call.run, call.index)))
            return begun, bench.memory.begun_text(begun)

        def edit(found: tuple[Demonstration, str]) -> None:
            begun, text = found
            store = partial(_store, begun)
            self.edit_stored(self._editor, "demonstration", text, "Demonstration added", store)

        return self.post_message(Ask("demonstration", begin, edit, opens=True))


def _store(begun: Demonstration, bench: Workbench, text: str) -> object:
    return bench.memory.add_text(begun, text)


def _demonstration_list(state: SessionState) -> Iterator[Row]:
    """The demonstrations with the beginning of their task, and the number of calls that retrieve each."""
    for one in state.demonstrations:
        yield fitted(partial(_name_line, one), one.id)
        below = partial(paragraph, key=one.id, indent=2)
        yield below(muted(one_line(one.agent_input, LONGEST_LINE)), most=2)
        if state.retrieved:
            yield below(muted(f"retrieved by {plural(state.retrieving.get(one.id, 0), 'call')}"))
    if not state.demonstrations:
        nothing = "There is no demonstration yet. a begins one by hand; in Runs, a keeps a call as one."
        yield paragraph(muted(nothing))


def _name_line(demonstration: Demonstration, width: int) -> Line:
    off = "" if demonstration.enabled else "  off"
    name = fit_middle(demonstration.id, min(len(demonstration.id), max(width - len(off), 8)))
    return strong(name) if demonstration.enabled else muted(name), warn(off)


def _demonstration_rows(demonstration: Demonstration) -> Iterator[Row]:
    """Rows of a whole demonstration."""
    told = demonstration.agent_input, demonstration.agent_output
    for name, text in zip(("Input", "Output"), told, strict=True):
        yield from (heading(name), paragraph(text, key=name, indent=2), BLANK)
    yield heading("Plan")
    for number, step in enumerate(demonstration.plan, start=1):
        yield paragraph(accent(f"{number} "), one_line(step), key=f"plan {number}", indent=2, hang=2)
    yield from (BLANK, heading("Code"))
    yield from code_rows(demonstration.code, 1, len(demonstration.code.splitlines()))


def _retrieval_rows(
    state: SessionState, position: int | None, found: Sequence[Retrieved] | None
) -> Iterator[Row]:
    """The demonstrations that a call retrieves, best first."""
    if state.logs is None or position is None or position >= len(state.decisions):
        yield paragraph(muted("What calls retrieve is told once there are logs and demonstrations."))
        return
    yield from (heading("The call"), *call_rows(state, [position]), BLANK)
    if any(demonstration.enabled for demonstration in state.demonstrations):
        yield paragraph(strong("retrieves "), muted("the most similar"))
        if found is None:
            yield paragraph(muted("Finding what it retrieves."), indent=2)
        for one in found or ():
            name = one.demonstration.id
            key = f"demonstration:{name}"
            yield paragraph(accent(f"{one.rank} "), one_line(name), key=key, indent=2, hang=2)
