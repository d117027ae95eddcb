"""The replayed steps: every decision of the policy on what the agent really did."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from workbench.old_screen.actions import bindings
from workbench.old_screen.form_messages import DemonstrationAsked
from workbench.old_screen.kept_lines import subtitle
from workbench.old_screen.messages import ExplanationWanted, StepSelected
from workbench.old_screen.plain import line, muted, title
from workbench.old_screen.replay_messages import CausesWanted, RuleWanted, StrategiesWanted, WayWanted
from workbench.old_screen.state import Replayed
from workbench.old_screen.step_filter import Filter, culprits, parts_of, quoted
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import plural
from workbench.old_screen.widgets.causes import CauseList
from workbench.old_screen.widgets.entry import Entry
from workbench.old_screen.widgets.lines import LineList, PlainLines, Row
from workbench.old_screen.widgets.step_table import StepTable, heads, position_of
from workbench.old_screen.widgets.strategies import StrategyTable
from workbench.old_screen.widgets.timeline import Timeline

PLAY_SECONDS = 1.0


class View(StrEnum):
    """What the pane shows of the replay."""

    STEPS = "steps"
    CAUSES = "causes"
    STRATEGIES = "strategies"


class ReplayPane(Vertical):
    """The filter, the column heads and the steps; or the denials by cause, or the strategies."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("replay")]
    HELP = """What the policy decides on each recorded step. The arrows select a step; its arguments, rules
and log text are shown in the details. Slash filters: words, is:deny, is:allow, is:cannot, is:flipped,
rule:NAME, tool:NAME, run:NAME and in:NAME, all of which must hold; d, a, e and f set one, x clears. A
triangle marks a step whose decision differs from before your last change. v groups the denials by cause:
Enter shows the steps of a group, r judges the whole group right and f a false alarm, both as cases. s shows
what each enforcement strategy would have stopped. t shows only this run, n and p walk through it, and a full
stop plays it. w says why a step was decided so and what would have to differ, o goes to the rule that fired,
+ keeps the step as a demonstration."""

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
        self._view = View.STEPS
        self._playing: Timer | None = None

    def compose(self) -> ComposeResult:
        """The entry for the filter over the table."""
        yield Entry(placeholder="filter: words, is:deny, is:flipped, rule:, tool:, run:", id="filter")
        yield PlainLines(id="heads")
        yield StepTable(id="steps")
        yield CauseList(id="causes")
        yield StrategyTable(id="strategies")
        yield PlainLines(id="none")
        yield Timeline(id="timeline")

    def on_mount(self) -> None:
        """Name the pane."""
        self.border_title = title("Replay F6")
        self.query_one("#filter").display = False
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
        replayed, listed = self._replayed, self._view is View.STEPS
        self.table.show(replayed, rows)
        subtitle(self, "" if self._why else replay_summary(replayed, len(rows)))
        self.query_one("#heads", PlainLines).show_rows(lambda width: [Row(heads(width, self.table.names))])
        self.query_one("#heads").display = bool(rows) and listed
        nothing = self.query_one("#none", PlainLines)
        nothing.display = not rows and listed
        nothing.show_lines(line(muted(self._nothing())))
        self.table.display = bool(rows) and listed
        causes, strategies = self.query_one(CauseList), self.query_one(StrategyTable)
        causes.display = self._view is View.CAUSES
        strategies.display = self._view is View.STRATEGIES
        if self._view is View.CAUSES:
            causes.show(replayed.causes)
        elif self._view is View.STRATEGIES:
            strategies.show(replayed.strategies)
        self._ask_for_more()
        self._selected()

    def _ask_for_more(self) -> None:
        """Ask for what the view needs and is not known of these decisions yet."""
        replayed = self._replayed
        if replayed.stale or not replayed.decisions:
            return
        caused = self._view is View.CAUSES or "cause:" in self._filter
        if caused and replayed.causes is None:
            self.post_message(CausesWanted())
        if self._view is View.STRATEGIES and replayed.strategies is None:
            self.post_message(StrategiesWanted())

    def _selected(self) -> None:
        step = self.table.step
        whole = step is not None and step < len(self._replayed.decisions)
        self.query_one(Timeline).show(
            self._replayed,
            step if whole and self._view is View.STEPS else None,
            playing=self.playing,
        )
        self.post_message(StepSelected(step))

    def _nothing(self) -> str:
        if self._why:
            return self._why
        if self._replayed.decisions:
            hidden = plural(len(self._replayed.decisions), "step")
            words = f"No rows: the filter {self._filter} hides all {hidden}."
            if len(parts_of(self._filter)) > 1 and self._culprits:
                words += f" {', '.join(self._culprits)} alone hides all of them."
            return f"{words} Press x to clear it."
        return "No steps: put recorded runs of the agent into the session's logs folder."

    @on(LineList.Chosen, "#causes")
    def _cause_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        if key := self.query_one(CauseList).key:
            self.show_filter(f"cause:{key}")

    @on(LineList.Chosen, "#strategies")
    def _way_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        if key := self.query_one(StrategyTable).key:
            self.post_message(WayWanted(key))

    @on(LineList.Moved, "#steps")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._selected()

    @on(Timeline.Wanted)
    def _step_wanted(self, event: Timeline.Wanted) -> None:
        event.stop()
        self.go_to_step(event.index)

    # --- actions

    def action_filter(self) -> None:
        """Open the entry for the filter."""
        entry = self.query_one("#filter", Entry)
        entry.display = True
        self.screen.set_focus(entry)  # at once: the words may have been typed already

    def action_only(self, kind: str) -> None:
        """Show one kind of step, or all for an empty kind."""
        self.query_one("#filter", Entry).value = f"is:{kind}" if kind else ""
        self.query_one("#filter").display = bool(kind)
        if not kind and self.query_one("#filter").has_focus:
            self.table.focus()

    def show_filter(self, text: str) -> None:
        """Show the steps of a filter."""
        self._view = View.STEPS
        self._filter = text
        entry = self.query_one("#filter", Entry)
        entry.value = text
        entry.display = bool(text)
        self._apply()
        self.table.display = True
        self.table.focus()

    def action_view(self, name: str) -> None:
        """Show the denials by cause or the strategies, or the steps again."""
        self.stop_playing()
        view = View(name)
        self._view = View.STEPS if self._view is view else view
        self._apply()
        shown = {View.CAUSES: self.query_one(CauseList), View.STRATEGIES: self.query_one(StrategyTable)}
        shown.get(self._view, self.table).focus()

    # --- walking through a run

    def go_to_step(self, index: int) -> None:
        """Show a step, past the filter if need be, and give it the focus."""
        if not 0 <= index < len(self._replayed.decisions):
            return
        if self._view is not View.STEPS or position_of(self.table.rows, index) is None:
            self.show_filter("")
        position = position_of(self.table.rows, index)
        if position is not None:
            self.table.cursor = position
            self.table.focus()

    def action_play(self, direction: int) -> None:
        """Go to the next or previous step of the same run, past the filter if need be."""
        self.stop_playing()
        self._walk(direction)

    def _walk(self, direction: int) -> None:
        step = self.table.step
        if step is None or self._view is not View.STEPS:
            return
        run = self._replayed.run_range(step)
        if step + direction in run:
            self.go_to_step(step + direction)
            return
        self.stop_playing()
        self.notify(
            "This is the end of the run." if direction > 0 else "This is its beginning.", markup=False
        )

    def action_run(self) -> None:
        """Show only the run of the marked step, or all steps again."""
        step = self.table.step
        if step is None or self._view is not View.STEPS:
            return
        only = f"in:{quoted(self._replayed.steps[step].run)}"
        self.show_filter("" if self._filter == only else only)

    def action_autoplay(self) -> None:
        """Walk through the run step by step by itself, from its beginning if it is at its end."""
        if self.playing:
            self.stop_playing()
            return
        step = self.table.step
        if step is None or self._view is not View.STEPS:
            return
        run = self._replayed.run_range(step)
        if step == run[-1]:
            self.go_to_step(run[0])
        self._playing = self.set_interval(PLAY_SECONDS, partial(self._walk, 1))
        self._selected()

    @property
    def playing(self) -> bool:
        """Whether a run is being played."""
        return self._playing is not None

    def stop_playing(self) -> None:
        """Stay where the run was played to."""
        if self._playing is not None:
            self._playing.stop()
            self._playing = None
            self._selected()

    # --- looking closer

    def action_explain(self) -> None:
        """Ask why the marked step was decided so."""
        if self.table.step is not None and self._view is View.STEPS:
            self.post_message(ExplanationWanted(self.table.step))

    def action_rule(self) -> None:
        """Go to the rule that fired on the marked step."""
        step = self.table.step
        if step is not None and self._view is View.STEPS and step < len(self._replayed.decisions):
            decision = self._replayed.decision(step)
            fired = [violation.rule for violation in decision.violations] or list(decision.permitted_by)
            self.post_message(RuleWanted(fired[0] if fired else ""))

    def action_demonstrate(self) -> None:
        """Keep the marked step as a demonstration."""
        if self.table.step is not None and self._view is View.STEPS:
            self.post_message(DemonstrationAsked(self.table.step))

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


def replay_summary(replayed: Replayed, shown: int) -> str:
    """The replay in a few words."""
    total = len(replayed.decisions)
    if not total:
        return "no steps"
    words = f"{shown:,} of {total:,} steps" if shown < total else plural(total, "step")
    words += f", {replayed.flips:,} changed" if replayed.flips else ""
    return words + (", stale" if replayed.stale else "")


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import REPLAYED

    run_alone(ReplayPane(), lambda widget: widget.show(REPLAYED))
