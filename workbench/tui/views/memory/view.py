"""The view of the demonstrations: their list, how each was made, and which calls retrieve it.

Rows of the demonstrations, of a whole one, and of the demonstrations retrieved for a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import Demonstration
from workbench.tones import Tone
from workbench.tui.background_result import BackgroundResult
from workbench.tui.code_rows import code_rows
from workbench.tui.messages import Act, Ask
from workbench.tui.retrieval_list import Retrieving, retrieving_wanted
from workbench.tui.run_text import call_line
from workbench.tui.screen_places import Place, PlaceKind, ViewName
from workbench.tui.text_runs import TextRun, fit_middle, line, muted
from workbench.tui.value_text import BLANK, heading, paragraph, plural
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.lines import Row, no_rows
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.recorded_call_list import RecordedCallList
from workbench.tui.widgets.text_editor import TextEditor

if TYPE_CHECKING:
    from workbench.app.memory import Retrieved
    from workbench.app.workbench import Workbench


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
        self._retrieving = Retrieving(None)

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
        key = self._known.key
        demonstrations = self.state.demonstrations
        return next((demonstration for demonstration in demonstrations if demonstration.id == key), None)

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
        retrieved_demonstrations = self._ranked.of(*self._ranked_for)
        chosen = replace(self._retrieving, k=self._retrieving.k or len(retrieved_demonstrations or ()))
        build = partial(_retrieval_rows, state, self._position, retrieved_demonstrations, chosen.words)
        self._retrieved.fill(build)

    # --- retrieval

    @property
    def _ranked_for(self) -> tuple[object, ...]:
        return self._position, self._retrieving, self.state.logs, self.state.demonstrations

    def _rank(self) -> None:
        logs, position, retrieving = self.state.logs, self._position, self._retrieving
        if logs is None or position is None or position >= len(logs.calls):
            return
        call = logs.calls[position]

        def rank(bench: Workbench) -> tuple[Retrieved, ...]:
            return bench.memory.rank(call, retrieving.k, least_similar=retrieving.least)

        self._ranked.find(rank, *self._ranked_for)

    def chosen_retrieved(self) -> None:
        """Choose how much is retrieved, show a demonstration, or show the call in its run."""
        kind, _, name = self._retrieved.key.partition(":")
        if kind == _SETTINGS:
            self.post_message(retrieving_wanted(self._settle))
        elif kind == "demonstration":
            self._known.select(name)
        else:
            self.follow(self._retrieved.key)

    def _settle(self, chosen: Retrieving) -> None:
        self._retrieving = chosen
        self._show_demonstration()
        self._rank()

    # --- changes of the memory

    def do_put_away(self) -> bool:
        """Switch the demonstration at the cursor off, or on again."""
        demonstration = self._demonstration
        if demonstration is not None:
            label = f"Demonstration {demonstration.id} {'off' if demonstration.enabled else 'on'}"
            self.post_message(
                Act(label, lambda bench: bench.memory.enable(demonstration.id, not demonstration.enabled))
            )
        return demonstration is not None

    def do_delete(self) -> bool:
        """Delete the demonstration at the cursor."""
        demonstration = self._demonstration
        if demonstration is not None:
            self.post_message(
                Act(
                    f"Demonstration {demonstration.id} deleted",
                    lambda bench: bench.memory.remove(demonstration.id),
                )
            )
        return demonstration is not None

    def do_edit(self) -> bool:
        """Edit the demonstration at the cursor as text."""
        demonstration = self._demonstration
        if demonstration is None:
            return False
        return self.edit_found(
            self._editor,
            "demonstration",
            lambda bench: bench.memory.text(demonstration.id),
            f"Demonstration {demonstration.id} edited",
            lambda bench, text: bench.memory.put_text(demonstration.id, text),
        )

    def do_add(self) -> bool:
        """Begin a demonstration of the chosen call."""
        state, position = self.state, self._position
        if state.logs is None:
            return False
        logs = state.logs
        call = logs.calls[position] if position is not None and position < len(logs.calls) else None

        def begin(bench: Workbench) -> tuple[Demonstration, str]:
            run, index = ("", 0) if call is None else (call.run, call.index)
            begun = bench.memory.begun(logs, run, index)
            return begun, bench.memory.begun_text(begun)

        def edit(found: tuple[Demonstration, str]) -> None:
            begun, text = found
            self.edit_stored(
                self._editor,
                "demonstration",
                text,
                "Demonstration added",
                lambda bench, text: bench.memory.add_text(begun, text),
            )

        return self.post_message(Ask("demonstration", begin, edit, opens=True))


_SETTINGS = "settings"


def _demonstration_list(state: SessionState, width: int) -> Sequence[Row]:
    """The demonstrations with the beginning of their task, and the number of calls that retrieve each."""
    rows: list[Row] = []
    for demonstration in state.demonstrations:
        tone = Tone.TITLE if demonstration.enabled else Tone.MUTED
        off = "" if demonstration.enabled else "  off"
        name = fit_middle(demonstration.id, min(len(demonstration.id), max(width - len(off), 8)))
        rows.append(Row(line(TextRun(name, tone), TextRun(off, Tone.WARN)), demonstration.id))
        task = one_line(demonstration.agent_input)
        rows += paragraph(muted(task[: 2 * width]), width, demonstration.id, indent=2)[:2]
        if state.retrieved:
            calls = f"retrieved by {plural(state.retrieving.get(demonstration.id, 0), 'call')}"
            rows += paragraph(muted(calls), width, demonstration.id, indent=2)
    nothing = "There is no demonstration yet. a begins one by hand; in Runs, a keeps a call as one."
    return rows or paragraph(muted(nothing), width)


def _demonstration_rows(demonstration: Demonstration, width: int) -> Sequence[Row]:
    """Rows of a whole demonstration."""
    rows = [heading("Input"), *paragraph(demonstration.agent_input, width, "input", indent=2)]
    rows += [BLANK, heading("Output"), *paragraph(demonstration.agent_output, width, "output", indent=2)]
    rows += [BLANK, heading("Plan")]
    for number, step in enumerate(demonstration.plan, start=1):
        head = TextRun(f"{number} ", Tone.ACCENT)
        rows += paragraph(line(head, one_line(step)), width, f"plan {number}", indent=2, hang=2)
    lines = len(demonstration.code.splitlines())
    return [*rows, BLANK, heading("Code"), *code_rows(demonstration.code, 1, lines, width)]


def _retrieval_rows(
    state: SessionState,
    position: int | None,
    retrieved_demonstrations: Sequence[Retrieved] | None,
    settings: str,
    width: int,
) -> Sequence[Row]:
    """The demonstrations that a call retrieves, best first."""
    rows: list[Row] = []
    if state.logs is not None and position is not None and position < len(state.decisions):
        rows += [heading("The call"), Row(call_line(state, position, width), f"call:{position}"), BLANK]
        enabled = sum(demonstration.enabled for demonstration in state.demonstrations)
        if not enabled:
            return rows
        every = retrieved_demonstrations is not None and len(retrieved_demonstrations) == enabled
        chosen = f"{settings}, all there are; Enter chooses fewer" if every else f"{settings}; Enter chooses"
        rows += paragraph(line(TextRun("retrieves ", Tone.TITLE), muted(chosen)), width, _SETTINGS)
        if retrieved_demonstrations is None:
            rows += paragraph(muted("Finding what it retrieves."), width, indent=2)
        for retrieved in retrieved_demonstrations or ():
            name = line(TextRun(f"{retrieved.rank} ", Tone.ACCENT), one_line(retrieved.demonstration.id))
            rows += paragraph(name, width, f"demonstration:{retrieved.demonstration.id}", indent=2, hang=2)
    return rows or paragraph(
        muted("What calls retrieve is told once there are logs and demonstrations."), width
    )
