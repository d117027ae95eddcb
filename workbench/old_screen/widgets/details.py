"""The selected step: decision, rules that fired, arguments, and the log text they came from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from workbench.app.value_texts import few_of, without_empty
from workbench.clean_text import one_line
from workbench.model import NO_RECORD, RecordValue, Step, StepDecision, Verdict
from workbench.old_screen.actions import bindings
from workbench.old_screen.form_messages import AgentWanted, DemonstrationWanted
from workbench.old_screen.log_text import marked_places, marked_text, provenance_text
from workbench.old_screen.plain import TextRun, Tone, line, muted, title, wrap
from workbench.old_screen.replay_messages import RuleWanted, StepWanted
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import (
    BLANK,
    VERDICT_TONE,
    argument_rows,
    heading,
    paragraph,
    value_text,
    verdict_run,
)
from workbench.old_screen.widgets.lines import Row, RowList

if TYPE_CHECKING:
    from workbench.old_screen.memory_state import Ranked
    from workbench.old_screen.state import Explained

type Timeline = tuple[tuple[Verdict, bool], ...]
RUN_MARK = {Verdict.ALLOW: "✓", Verdict.DENY: "✗", Verdict.CANNOT_EVALUATE: "?"}


class DetailsPane(RowList):
    """Everything about one step; ``n`` and ``p`` go through the marked places of its log."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("details")]
    HELP = """The step selected in the replay: what the policy decided and why, every argument with the place
in the log it was read from, and the text of the log with those places marked. n and p go from place
to place. Enter on a rule goes to it in the policy, on an argument opens the form for how it is read, on the
nearest step goes there, and on a demonstration opens its form."""

    def __init__(self, *, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id, classes="pane")
        self._places: list[int] = []
        self._place = -1
        self._shown: tuple[Step | None, StepDecision | None] | None = None
        self._run: Timeline = ()
        self._explained: Explained | None = None
        self._ranked: tuple[Ranked, ...] = ()

    def on_mount(self) -> None:
        """Name the pane."""
        self.border_title = title("Details F7")
        self.show(None, None)

    def show(self, step: Step | None, decided: StepDecision | None, run: Timeline = ()) -> None:
        """Show a step with its decision in its run, or what to do to see one."""
        if (step, decided) == self._shown and run == self._run:
            return
        if (step, decided) != self._shown:
            self._explained = None
        if self._shown is None or step is not self._shown[0]:
            self._ranked = ()
        self._shown = (step, decided)
        self._run = run
        self._place = -1
        if step is None or decided is None:
            self.border_subtitle = title("")
            text = line(muted("Select a step in the replay to see what was decided, and from what."))
            self.show_rows(lambda width: paragraph(text, width))
            return
        self.border_subtitle = title(f"{step.run} call {step.index}"[:60])
        self._draw(step, decided)
        self.scroll_home(animate=False)

    def _draw(self, step: Step, decided: StepDecision) -> None:
        run, explained, ranked = self._run, self._explained, self._ranked

        def build(width: int) -> list[Row]:
            idle = explained.idle if explained is not None else frozenset[str]()
            head, *rest = step_rows(step, decided, width, ranking_rows(ranked, width), idle)
            found = [*run_rows(run, width), *explained_rows(explained, width)]
            return [head, *found, *rest]

        self.show_rows(build)

    def explain(self, found: Explained) -> None:
        """Show why the shown step was decided so."""
        self._explained = found
        step, decided = self._shown or (None, None)
        if step is not None and decided is not None:
            self._draw(step, decided)

    def show_ranking(self, ranked: Sequence[Ranked]) -> None:
        """Show the demonstrations that the shown step retrieves, best first."""
        self._ranked = tuple(ranked)
        step, decided = self._shown or (None, None)
        if step is not None and decided is not None:
            self._draw(step, decided)

    def action_choose(self) -> None:
        """Go to what the marked line is about."""
        kind, _, name = self.key.partition(" ")
        match kind:
            case "rule":
                self.post_message(RuleWanted(name))
            case "argument":
                self.post_message(AgentWanted("argument", name))
            case "step":
                self.post_message(StepWanted(int(name)))
            case "demonstration":
                self.post_message(DemonstrationWanted(name))
            case _:
                pass

    def action_page(self, direction: int) -> None:
        """Scroll by a screenful, past the lines that can be chosen."""
        self.scroll_relative(y=max(self.size.height - 1, 1) * direction, animate=False)

    def rows_changed(self, changed: Collection[int] | None = None) -> None:
        """Find the marked places among the rows."""
        rows = (self.row_line(row, self.line_width) for row in range(self.row_count()))
        self._places = [
            row for row, content in enumerate(rows) if any(run.tone is Tone.MARK for run in content)
        ]
        super().rows_changed(changed)

    def action_mark(self, direction: int) -> None:
        """Show the next or the previous marked place."""
        if self._places:
            self._place = (self._place + direction) % len(self._places)
            self.scroll_to(y=max(self._places[self._place] - self.size.height // 2, 0), animate=False)


def run_rows(run: Timeline, width: int) -> list[Row]:
    """The decisions of a whole run as one line of marks, the shown step among them."""
    if len(run) < 2:
        return []
    here = next((index for index, (_, shown) in enumerate(run) if shown), 0)
    room = max(width - 8, 8)
    first = max(min(here - room // 2, len(run) - room), 0)
    marks = [
        TextRun(RUN_MARK[verdict], Tone.MARK if shown else VERDICT_TONE[verdict])
        for verdict, shown in run[first : first + room]
    ]
    return [Row(line(muted(f"{here + 1}/{len(run)}  "), *marks))]


def explained_rows(found: Explained | None, width: int) -> list[Row]:
    """Why, through which rules, what would have to differ, and what to tell the agent."""
    if found is None:
        return []
    rows = [BLANK, heading("Why"), *paragraph(line(found.reason), width, indent=1)]
    for step in found.path:
        fired = TextRun("fired", Tone.BAD) if step.fired else muted("did not fire")
        rows += paragraph(line(muted(f"{step.rule} "), fired), width, indent=1)
        for text, held in step.conditions:
            mark = TextRun("✓ ", Tone.GOOD) if held else muted("✗ ")
            rows += paragraph(line(mark, TextRun(one_line(text), Tone.CODE)), width, indent=3, hang=2)
    near = "" if found.nearest_at is None else f"step {found.nearest_at}"
    for name, text, key in (
        ("What would have to differ", found.turn, ""),
        ("Nearest step decided otherwise", found.nearest, near),
        ("To the agent", found.message, ""),
    ):
        if text:
            rows += [BLANK, heading(name), *paragraph(line(text), width, key, indent=1)]
    return [*rows, BLANK]


def ranking_rows(ranked: Sequence[Ranked], width: int) -> list[Row]:
    """The demonstrations that a step retrieves, with their distances in edits."""
    if not ranked:
        return []
    rows = [BLANK, heading("Demonstrations that it retrieves")]
    for item in ranked:
        edits = f"{item.input_distance + item.output_distance:,} edits"
        edits += f" (input {item.input_distance:,}, output {item.output_distance:,})"
        runs = line(f"{item.rank} ", TextRun(one_line(item.id), Tone.PLAIN), muted(f"  {edits}"))
        rows += paragraph(runs, width, f"demonstration {item.id}", indent=1, hang=2)
    return rows


def step_rows(
    step: Step,
    decided: StepDecision,
    width: int,
    before_logs: Sequence[Row] = (),
    idle: frozenset[str] = frozenset(),
) -> list[Row]:
    """All rows of a step; ``before_logs`` stand between its arguments and the texts of its log.

    Of ``idle`` arguments, which play no part, the names are told.
    """
    decision = decided.decision
    tool = muted(f"  {one_line(step.tool)}") if step.tool else TextRun("")
    rows = [Row(line(verdict_run(decision.verdict), tool))]
    for violation in decision.violations:
        key = f"rule {violation.rule}"
        rows += paragraph(line(TextRun("✗ ", Tone.BAD), TextRun(violation.rule, Tone.TITLE)), width, key)
        rows += paragraph(line(violation.message), width, indent=2)
        if violation.items:
            rows += paragraph(line(TextRun(", ".join(violation.items), Tone.CODE)), width, indent=2)
    for rule in decision.permitted_by:
        rows += paragraph(line(TextRun("✓ ", Tone.GOOD), f"permitted by {rule}"), width, f"rule {rule}")
    for reason in decision.reasons:
        rows += paragraph(line(TextRun("? ", Tone.WARN), reason), width)
    rows += [BLANK, heading("Arguments"), *_argument_rows(decided, width, idle), *before_logs]
    marks = marked_places(decided.extracted.values())
    for name in sorted(step.texts, key=lambda name: name not in marks):
        rows += [BLANK, heading(one_line(f"Log: {name}"))]
        rows += [Row(part) for part in wrap(marked_text(step.texts[name], marks.get(name, [])), width)]
    if step.result is not None:
        rows += [BLANK, heading("Result of the tool")]
        rows += [Row(part) for part in wrap(marked_text(step.result, []), width)]
    return rows


def _argument_rows(decided: StepDecision, width: int, idle: frozenset[str]) -> list[Row]:
    rows: list[Row] = []
    folded = idle or _saying_nothing(decided)
    for name, found in decided.extracted.items():
        if name in folded:
            continue
        known = isinstance(found.value, RecordValue)
        value = TextRun(
            "known" if known else NO_RECORD.get(found.state) or value_text(found.value), Tone.CODE
        )
        shown = TextRun(f"missing: {found.missing}", Tone.WARN) if found.missing is not None else value
        rows += paragraph(line(muted(f"{one_line(name)}  "), shown), width, f"argument {name}", indent=1)
        source = provenance_text(found.provenance)
        rows += paragraph(line(muted(source)), width, indent=3) if source else []
        if found.remedy:
            rows += paragraph(line(muted("to be looked up by "), found.remedy), width, indent=3)
        if known:
            rows += argument_rows({name: found.value}, width, f"argument {name}", indent=3)
    if folded:
        what = "No part is played by" if idle else "None or empty:"
        names = one_line(few_of([name for name in decided.extracted if name in folded]))
        rows += paragraph(line(muted(f"{what} {names}")), width, indent=1)
    return rows or paragraph(line(muted("none")), width, indent=1)


def _saying_nothing(decided: StepDecision) -> frozenset[str]:
    """The arguments that are None or hold nothing, where they are many and nobody said yet what matters."""
    found = {name: one.value for name, one in decided.extracted.items() if one.missing is None}
    return frozenset(found.keys() - without_empty(found)[0].keys())


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import REPLAYED

    run_alone(DetailsPane(), lambda widget: widget.show(REPLAYED.steps[1], REPLAYED.decisions[1]))
