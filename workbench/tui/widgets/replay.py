"""The replayed steps: every decision of the policy on what the agent really did."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from workbench.model import Verdict
from workbench.tui.actions import bindings
from workbench.tui.filtering import Filter, Group, culprits, groups
from workbench.tui.messages import ExplanationWanted, StepSelected
from workbench.tui.plain import Line, Run, Tone, fit, fit_middle, line, muted, one_line, title
from workbench.tui.shown import VERDICT_NAME, VERDICT_TONE, plural, value_text
from workbench.tui.state import Replayed
from workbench.tui.styles import style_sheet
from workbench.tui.widgets.entry import Entry
from workbench.tui.widgets.lines import LineList, PlainLines, Row, RowList

WIDE = 88
NARROW = 62


class StepTable(LineList):
    """The steps that the filter shows, one line each, made when it is drawn."""

    def __init__(self, *, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id)
        self.replayed = Replayed()
        self.rows: Sequence[int] = ()

    def show(self, replayed: Replayed, rows: Sequence[int]) -> None:
        """Show these rows; the cursor stays on its step where that is still shown."""
        before = self.step
        self.replayed = replayed
        self.rows = rows
        if before is None and rows:
            self.set_reactive(LineList.cursor, 0)
        elif before is not None and not (self.cursor < len(rows) and rows[self.cursor] == before):
            position = _position(rows, before)
            self.set_reactive(
                LineList.cursor, position if position is not None else min(self.cursor, len(rows) - 1)
            )
        self.rows_changed()

    @property
    def step(self) -> int | None:
        """The index of the step under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def row_count(self) -> int:
        """How many steps are shown."""
        return len(self.rows)

    def row_line(self, row: int, width: int) -> Line:
        """One step in columns."""
        return step_line(self.replayed, self.rows[row], width)


class GroupList(RowList):
    """The steps that are not allowed, by cause."""

    def show(self, found: Sequence[Group]) -> None:
        """Show the groups; the key of a row is the filter of its steps."""
        self.show_rows(lambda width: [row for group in found for row in group_rows(group, width)])


class ReplayPane(Vertical):
    """The filter, the column heads and the steps."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("replay")]
    HELP = """What the policy decides on each recorded step. The arrows select a step; its arguments, rules
and log text are shown in the details. Slash filters: words, is:deny, is:allow, is:cannot, is:flipped,
rule:NAME, tool:NAME and trace:NAME, all of which must hold; d, a, e and f set one, x clears. v groups the
denials by cause; Enter on a group shows its steps. n and p walk through one run, w says why a step was
decided so and what would have to differ. A triangle marks a step whose decision differs from before your
last change."""

    @dataclass
    class Filtered(Message):
        """A filter was applied to the steps."""

        generation: int
        rows: Sequence[int]
        culprits: tuple[str, ...] = ()

    def __init__(self, *, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id, classes="pane")
        self._replayed = Replayed()
        self._filter = ""
        self._generation = 0
        self._cancelled = threading.Event()
        self._why = ""
        self._culprits: tuple[str, ...] = ()
        self._grouped = False

    def compose(self) -> ComposeResult:
        """The entry for the filter over the table."""
        yield Entry(placeholder="filter: words, is:deny, is:flipped, rule:, tool:, trace:", id="filter")
        yield PlainLines(id="heads")
        yield StepTable(id="steps")
        yield GroupList(id="groups")
        yield PlainLines(id="none")

    def on_mount(self) -> None:
        """Name the pane."""
        self.border_title = title("Replay F6")
        self.query_one("#filter").display = False
        self.query_one("#groups").display = False
        self._draw(())

    @property
    def table(self) -> StepTable:
        """The steps themselves."""
        return self.query_one(StepTable)

    def show(self, replayed: Replayed, why: str = "") -> None:
        """Show decisions; ``why`` says why there are none."""
        if replayed is not self._replayed or why != self._why:
            self._replayed = replayed
            self._why = why
            self._apply()

    # --- filtering

    def _apply(self) -> None:
        self._generation += 1
        self._cancelled.set()
        self._cancelled = threading.Event()
        chosen = Filter.parse(self._filter)
        if chosen == Filter():
            self._draw(range(len(self._replayed.decisions)))
            return
        work = partial(self._work, chosen, self._replayed, self._generation, self._cancelled)
        self.run_worker(work, thread=True, exclusive=True, group="filter", exit_on_error=False)

    def _work(self, chosen: Filter, replayed: Replayed, generation: int, cancelled: threading.Event) -> None:
        rows = chosen.rows(replayed, cancelled)
        why = () if rows else culprits(self._filter, replayed, cancelled)
        if not cancelled.is_set():
            self.post_message(self.Filtered(generation, rows, why))

    @on(Filtered)
    def _filtered(self, event: Filtered) -> None:
        event.stop()
        if event.generation == self._generation:
            self._culprits = event.culprits
            self._draw(event.rows)

    def on_unmount(self) -> None:
        """Let a running filter end."""
        self._cancelled.set()

    def _draw(self, rows: Sequence[int]) -> None:
        replayed = self._replayed
        self.table.show(replayed, rows)
        self.border_subtitle = title("" if self._why else replay_summary(replayed, len(rows)))
        self.query_one("#heads", PlainLines).show_rows(lambda width: [Row(heads(width))])
        self.query_one("#heads").display = bool(rows) and not self._grouped
        nothing = self.query_one("#none", PlainLines)
        nothing.display = not rows and not self._grouped
        nothing.show_lines(line(muted(self._nothing())))
        self.table.display = bool(rows) and not self._grouped
        listed = self.query_one(GroupList)
        listed.display = self._grouped
        if self._grouped:
            listed.show(groups(replayed))
        self.post_message(StepSelected(self.table.step))

    def _nothing(self) -> str:
        if self._why:
            return self._why
        if self._replayed.decisions:
            hidden = plural(len(self._replayed.decisions), "step")
            words = f"No rows: the filter {self._filter} hides all {hidden}."
            if len(self._filter.split()) > 1 and self._culprits:
                words += f" {', '.join(self._culprits)} alone hides all of them."
            return f"{words} Press x to clear it."
        return "No steps: put recorded runs of the agent into the session's logs folder."

    @on(LineList.Chosen, "#groups")
    def _group_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        key = self.query_one(GroupList).key
        if key:
            self.show_filter(key)

    @on(LineList.Moved, "#steps")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self.post_message(StepSelected(self.table.step))

    # --- actions

    def action_filter(self) -> None:
        """Open the entry for the filter."""
        entry = self.query_one("#filter", Entry)
        entry.display = True
        entry.focus()

    def action_only(self, kind: str) -> None:
        """Show one kind of step, or all for an empty kind."""
        self.query_one("#filter", Entry).value = f"is:{kind}" if kind else ""
        self.query_one("#filter").display = bool(kind)
        if not kind and self.query_one("#filter").has_focus:
            self.table.focus()

    def show_filter(self, text: str) -> None:
        """Show the steps of a filter."""
        self._grouped = False
        self._filter = text
        entry = self.query_one("#filter", Entry)
        entry.value = text
        entry.display = bool(text)
        self._apply()
        self.table.display = True
        self.table.focus()

    def action_groups(self) -> None:
        """Show the denials by cause, or the steps again."""
        self._grouped = not self._grouped
        self._apply()
        (self.query_one(GroupList) if self._grouped else self.table).focus()

    def action_play(self, direction: int) -> None:
        """Go to the next or previous step of the same run, past the filter if need be."""
        step, steps = self.table.step, self._replayed.steps
        if step is None or self._grouped:
            return
        target = step + direction
        if not 0 <= target < len(steps) or steps[target].trace != steps[step].trace:
            self.notify(
                "This is the end of the run." if direction > 0 else "This is its beginning.", markup=False
            )
            return
        if _position(self.table.rows, target) is None:
            self.show_filter("")
        position = _position(self.table.rows, target)
        if position is not None:
            self.table.cursor = position

    def action_explain(self) -> None:
        """Ask why the marked step was decided so."""
        if self.table.step is not None and not self._grouped:
            self.post_message(ExplanationWanted(self.table.step))

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._filter = event.value.strip()
        self._apply()

    @on(Input.Submitted, "#filter")
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one("#filter").display = bool(event.value.strip())
        (self.table if self.table.display else self.query_one("#filter")).focus()

    def key_escape(self) -> None:
        """Leave the filter; an empty one disappears."""
        entry = self.query_one("#filter", Entry)
        if entry.has_focus:
            entry.display = bool(entry.value)
            if self.table.display:
                self.table.focus()


def group_rows(group: Group, width: int) -> list[Row]:
    """A group: how many steps, in how many runs, and the cause."""
    count = Run(f"{group.count:>7,} ", VERDICT_TONE[group.verdict])
    runs = f"  {plural(group.runs, 'run')}"
    text = fit(one_line(group.title), max(width - 8 - len(runs), 8))
    return [Row(line(count, text, muted(runs)), group.filter)]


def columns(width: int) -> tuple[int, int, int]:
    """The widths of trace, tool and rules; what is left is for items and reasons."""
    if width < NARROW:
        return min(max(width // 4, 8), 14), 0, 0
    if width < WIDE:
        return max(width // 4, 8), 0, max(width // 3, 8)
    return min(width // 5, 28), min(width // 8, 18), min(width // 4, 32)


def heads(width: int) -> Line:
    """The heads of the columns."""
    trace, tool, rules = columns(width)
    text = "  " + fit("decision", 10) + fit("trace", trace) + "  "
    text += (fit("tool", tool) + "  ") if tool else ""
    text += (fit("rules", rules) + "  ") if rules else ""
    return line(muted(text + "why"))


def step_line(replayed: Replayed, index: int, width: int) -> Line:
    """One step: flip mark, verdict, trace and step, tool, rules that fired, and why."""
    step, decision = replayed.steps[index], replayed.decision(index)
    trace, tool, rules = columns(width)
    flip = Run("▲ ", Tone.WARN) if replayed.flipped(index) else Run("  ")
    tone = Tone.MUTED if replayed.stale else VERDICT_TONE[decision.verdict]
    fired = ", ".join(violation.rule for violation in decision.violations)
    items = [item for violation in decision.violations for item in violation.items]
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        why = "; ".join(decision.reasons)
    else:
        why = ", ".join(items) or ", ".join(
            f"{name} {value_text(value)}" for name, value in decision.arguments.items()
        )
    if not rules and fired:
        why = f"{fired}: {why}" if items else fired
    name = step.trace if step.index == 0 else f"{step.trace} · {step.index}"
    rest = max(width - 12 - trace - 2 - (tool + 2 if tool else 0) - (rules + 2 if rules else 0), 0)
    return line(
        flip,
        Run(fit(VERDICT_NAME[decision.verdict], 10), tone),
        fit_middle(name, trace) + "  ",
        muted(fit(step.tool or "", tool) + "  " if tool else ""),
        fit(fired, rules) + "  " if rules else "",
        muted(fit(why, rest)),
    )


def replay_summary(replayed: Replayed, shown: int) -> str:
    """The replay in a few words."""
    total = len(replayed.decisions)
    if not total:
        return "no steps"
    words = f"{shown:,} of {total:,} steps" if shown < total else plural(total, "step")
    words += f", {replayed.flips:,} changed" if replayed.flips else ""
    return words + (", stale" if replayed.stale else "")


def _position(rows: Sequence[int], step: int) -> int | None:
    if isinstance(rows, range):
        return step if step in rows else None
    position = bisect_left(rows, step)
    return position if position < len(rows) and rows[position] == step else None


if __name__ == "__main__":
    from workbench.tui.alone import run_alone
    from workbench.tui.sample import REPLAYED

    run_alone(ReplayPane(), lambda widget: widget.show(REPLAYED))
