"""Rows of the demonstrations, of a whole one, and of the demonstrations retrieved for a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import Demonstration
from workbench.tones import Tone
from workbench.tui.code_rows import code_rows
from workbench.tui.run_text import call_line
from workbench.tui.text_runs import TextRun, fit_middle, line, muted
from workbench.tui.value_text import BLANK, heading, paragraph, plural
from workbench.tui.widgets.lines import Row

if TYPE_CHECKING:
    from workbench.app.memory import Retrieved

MOST_CALLS = 300
SETTINGS = "settings"


def demonstration_list(state: SessionState, width: int) -> Sequence[Row]:
    """The demonstrations with the beginning of their task, and the number of calls that retrieve each."""
    counts: dict[str, int] = {}
    for ids in state.retrieved:
        for name in ids:
            counts[name] = counts.get(name, 0) + 1
    rows: list[Row] = []
    for demonstration in state.demonstrations:
        tone = Tone.TITLE if demonstration.enabled else Tone.MUTED
        off = "" if demonstration.enabled else "  off"
        name = fit_middle(demonstration.id, min(len(demonstration.id), max(width - len(off), 8)))
        rows.append(Row(line(TextRun(name, tone), TextRun(off, Tone.WARN)), demonstration.id))
        task = one_line(demonstration.agent_input)
        rows += paragraph(line(muted(task[: 2 * width])), width, demonstration.id, indent=2)[:2]
        if state.retrieved:
            calls = f"retrieved by {plural(counts.get(demonstration.id, 0), 'call')}"
            rows += paragraph(line(muted(calls)), width, demonstration.id, indent=2)
    nothing = "There is no demonstration yet. a begins one by hand; in Runs, a keeps a call as one."
    return rows or paragraph(line(muted(nothing)), width)


def demonstration_rows(demonstration: Demonstration, width: int) -> Sequence[Row]:
    """Rows of a whole demonstration."""
    rows = [heading("Input"), *paragraph(line(demonstration.agent_input), width, "input", indent=2)]
    rows += [
        BLANK,
        heading("Output"),
        *paragraph(line(demonstration.agent_output), width, "output", indent=2),
    ]
    rows += [BLANK, heading("Plan")]
    for number, step in enumerate(demonstration.plan, start=1):
        head = TextRun(f"{number} ", Tone.ACCENT)
        rows += paragraph(line(head, one_line(step)), width, f"plan {number}", indent=2, hang=2)
    lines = len(demonstration.code.splitlines())
    return [*rows, BLANK, heading("Code"), *code_rows(demonstration.code, 1, lines, width)]


def retrieval_rows(
    state: SessionState,
    position: int | None,
    retrieved_demonstrations: Sequence[Retrieved] | None,
    shown: str,
    settings: str,
    width: int,
) -> Sequence[Row]:
    """The demonstrations that a call retrieves, best first, with distances; then the calls for ``shown``.

    ``shown`` is the demonstration whose retrieving calls are listed.
    """
    rows: list[Row] = []
    if state.logs is not None and position is not None and position < len(state.decisions):
        rows += [heading("The call"), Row(call_line(state, position, width), f"call:{position}"), BLANK]
        every = retrieved_demonstrations is not None and len(retrieved_demonstrations) == sum(
            demonstration.enabled for demonstration in state.demonstrations
        )
        chosen = f"{settings}, all there are; Enter chooses fewer" if every else f"{settings}; Enter chooses"
        rows += paragraph(line(TextRun("retrieves ", Tone.TITLE), muted(chosen)), width, SETTINGS)
        if retrieved_demonstrations is None:
            rows += paragraph(line(muted("Finding what it retrieves.")), width, indent=2)
        for retrieved in retrieved_demonstrations or ():
            name = line(TextRun(f"{retrieved.rank} ", Tone.ACCENT), one_line(retrieved.demonstration.id))
            input_, output = f"{retrieved.input_distance:,}", f"{retrieved.output_distance:,}"
            apart = f"  {input_} edits of the input, {output} of the output"
            rows += paragraph(
                (*name, muted(apart)), width, f"demonstration:{retrieved.demonstration.id}", indent=2, hang=2
            )
        rows.append(BLANK)
    calls = [at for at, ids in enumerate(state.retrieved) if shown in ids and at < len(state.decisions)]
    if shown and state.retrieved:
        head = line(TextRun(f"{plural(len(calls), 'call')} of {len(state.retrieved):,} ", Tone.TITLE))
        rows += paragraph(
            line(*head, f"{'retrieves' if len(calls) == 1 else 'retrieve'} {one_line(shown)}"), width, hang=2
        )
        rows += [Row(call_line(state, at, width), f"call:{at}") for at in calls[:MOST_CALLS]]
        if len(calls) > MOST_CALLS:
            rows += paragraph(line(muted(f"and {len(calls) - MOST_CALLS:,} more")), width)
    return rows or paragraph(
        line(muted("What calls retrieve is told once there are logs and demonstrations.")), width
    )
