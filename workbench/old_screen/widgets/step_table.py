"""The recorded steps with their decisions, one line each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType

from workbench.clean_text import one_line
from workbench.model import Step, Verdict
from workbench.old_screen.actions import bindings
from workbench.old_screen.plain import Line, TextRun, Tone, fit, fit_middle, line, muted
from workbench.old_screen.state import Replayed
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import VERDICT_NAME, VERDICT_TONE, value_text
from workbench.old_screen.widgets.lines import LineList

WIDE = 88
NARROW = 62
SAMPLED = 64

type Names = tuple[int, int]
"""The widths of the names of runs and of tools."""


class StepTable(LineList, inherit_bindings=False):
    """The steps that a filter shows, one line each, made when it is drawn."""

    DEFAULT_CSS = style_sheet(__file__)
    # To search the steps is to filter them: the pane takes that key.
    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("list") if binding.id != "list.search"
    ]

    def __init__(self, *, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id)
        self.replayed = Replayed()
        self.rows: Sequence[int] = ()
        self.names: Names = (0, 0)

    def show(self, replayed: Replayed, rows: Sequence[int]) -> None:
        """Show these rows; the cursor stays on its step where that is still shown."""
        before, shown = self.step, self.replayed
        alike = rows == self.rows and _look_alike(shown, replayed)
        if replayed.steps is not self.replayed.steps:
            self.names = names(replayed.steps)
        self.replayed = replayed
        self.rows = rows
        if before is None and rows:
            self.set_reactive(LineList.cursor, 0)
        elif before is not None and not (self.cursor < len(rows) and rows[self.cursor] == before):
            position = position_of(rows, before)
            self.set_reactive(
                LineList.cursor, position if position is not None else min(self.cursor, len(rows) - 1)
            )
        changed = [row for row in self.kept if not _same(shown, replayed, rows[row])] if alike else None
        self.rows_changed(changed)

    @property
    def step(self) -> int | None:
        """The index of the step under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def row_count(self) -> int:
        """How many steps are shown."""
        return len(self.rows)

    def row_line(self, row: int, width: int) -> Line:
        """One step in columns."""
        return step_line(self.replayed, self.rows[row], width, self.names)

    def whole_text(self) -> str:
        """All that a step's columns have room for a part of."""
        return "  ".join(filter(None, step_texts(self.replayed, self.rows[self.cursor])))


def names(steps: Sequence[Step]) -> Names:
    """How wide the names are in some steps of all parts of the logs: looking at all takes too long."""
    some = [steps[index] for index in range(0, len(steps), len(steps) // SAMPLED + 1)]
    runs = (cell_len(one_line(run_name(step)[:100])) for step in some)
    tools = (cell_len(one_line((step.tool or "")[:100])) for step in some)
    return max(runs, default=0), max(tools, default=0)


def columns(width: int, known: Names) -> tuple[int, int, int]:
    """The widths of run, tool and rules; what is left is for items and reasons."""
    longest, tool = (max(size, 8) for size in known)
    if width < NARROW:
        return min(max(width // 4, 8), 14, longest), 0, 0
    if width < WIDE:
        return min(max(width // 4, 8), longest), 0, max(width // 3, 8)
    return min(width // 5, 28, longest), min(width // 8, 18, tool), min(width // 4, 32)


def run_name(step: Step) -> str:
    """The name of a step's run, and which step of it this is."""
    return step.run if step.index == 0 else f"{step.run} · {step.index}"


def heads(width: int, known: Names) -> Line:
    """The heads of the columns."""
    run, tool, rules = columns(width, known)
    text = "  " + fit("decision", 10) + fit("run", run) + "  "
    text += (fit("tool", tool) + "  ") if tool else ""
    text += (fit("rules", rules) + "  ") if rules else ""
    return line(muted(text + "why"))


def step_texts(replayed: Replayed, index: int) -> tuple[str, str, str, str, str]:
    """A step's verdict, run and number, tool, rules that fired, and why."""
    step, decision = replayed.steps[index], replayed.decision(index)
    items = [item for violation in decision.violations for item in violation.items]
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        why = "; ".join(decision.reasons)
    else:
        why = ", ".join(items) or ", ".join(
            f"{name} {value_text(value)}" for name, value in decision.arguments.items()
        )
    return (
        VERDICT_NAME[decision.verdict],
        run_name(step),
        step.tool or "",
        ", ".join(violation.rule for violation in decision.violations),
        why,
    )


def step_line(replayed: Replayed, index: int, width: int, known: Names) -> Line:
    """One step: flip mark, verdict, run and step, tool, rules that fired, and why."""
    verdict, name, called, fired, why = step_texts(replayed, index)
    run, tool, rules = columns(width, known)
    flip = TextRun("▲ ", Tone.WARN) if replayed.flipped(index) else TextRun("  ")
    tone = Tone.MUTED if replayed.stale else VERDICT_TONE[replayed.decision(index).verdict]
    if not rules and fired:
        why = f"{fired}: {why}" if any(item.items for item in replayed.decision(index).violations) else fired
    rest = max(width - 12 - run - 2 - (tool + 2 if tool else 0) - (rules + 2 if rules else 0), 0)
    return line(
        flip,
        TextRun(fit(verdict, 10), tone),
        fit_middle(name, run) + "  ",
        muted(fit(called, tool) + "  " if tool else ""),
        fit(fired, rules) + "  " if rules else "",
        muted(fit(why, rest)),
    )


def _look_alike(old: Replayed, new: Replayed) -> bool:
    """Whether equal decisions on a step are drawn alike."""
    return old.steps is new.steps and old.stale is new.stale and len(old.decisions) == len(new.decisions)


def _same(old: Replayed, new: Replayed, index: int) -> bool:
    """Whether nothing about a step is drawn otherwise."""
    return old.decisions[index] is new.decisions[index] and old.flipped(index) is new.flipped(index)


def position_of(rows: Sequence[int], step: int) -> int | None:
    """Where a step stands among the shown rows, which are in order; None if it is not shown."""
    if isinstance(rows, range):
        return step if step in rows else None
    position = bisect_left(rows, step)
    return position if position < len(rows) and rows[position] == step else None


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import REPLAYED

    run_alone(StepTable(), lambda widget: widget.show(REPLAYED, range(len(REPLAYED.steps))))
