"""The lines under every view: the changes of the last act, and a walk through them."""

from __future__ import annotations

from collections.abc import Iterator

from textual import events
from textual.geometry import Size
from textual.message import Message

from workbench.app.what_changed import WhatChanged
from workbench.clean_text import one_line
from workbench.model import ProofStatus
from workbench.tones import Tone
from workbench.tui.change_rows import change_rows, clause_line, refuted_first
from workbench.tui.change_walk import Walk
from workbench.tui.text_runs import Line, TextRun, fit, line, muted, width_of
from workbench.tui.verdict_signs import verdict_run
from workbench.tui.widgets.lines import PlainLines, Row

WALK = "v walk · u undo"
WALK_WIDE = "v walk · c since · u undo"
REDO = " · U redo"
"""The key that is added if the act undid another one."""
WIDE = 100
"""The width from which on there is room for all keys next to the changes."""
MOST_ROWS = 9
"""The most rows of both versions of a change, on a screen that has room for them."""


class ChangedLine(PlainLines):
    """The line with the last changes; below it both versions of the change at which the walk is."""

    class Wanted(Message):
        """A click on the line: a request to walk."""

    def on_click(self, event: events.Click) -> None:
        """Ask to walk on."""
        event.stop()
        self.post_message(self.Wanted())

    def show(self, walk: Walk) -> None:
        """Show the changes of an act and the position of the walk."""
        self.display = bool(walk.label)
        most_rows = min(MOST_ROWS, max(self.screen.size.height // 4, 4))
        self.show_rows(lambda width: changed_rows(walk, width, most_rows))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of visible rows."""
        del container, viewport
        return max(len(self._build(max(width, 1))), 1)


def changed_rows(walk: Walk, width: int, most: int) -> list[Row]:
    """The line of the act, and below it at most ``most`` rows of the change at which the walk is."""
    broken = walk.after is not None and bool(walk.after.problems)
    if walk.changes:
        rows = [Row(changed_line(walk.label, walk.changes, walk.at, walk.count, width, undone=walk.undone))]
    else:
        rows = [Row(unchanged_line(walk.label, width, broken=broken, says=walk.says))]
    if (stop := walk.here) is not None:
        stop_rows = change_rows(stop.change, walk.before, walk.after, width)
        if len(stop_rows) > most:
            stop_rows = [
                *stop_rows[: most - 1],
                Row(line(muted(f"   … {len(stop_rows) - most + 1} more lines"))),
            ]
        rows += stop_rows
    return rows


def unchanged_line(label: str, width: int, *, broken: bool, says: bool) -> Line:
    """The line for an act without a change, with the reason; an act that ``says`` its result needs none."""
    why = "" if says else "nothing changed"
    if broken:
        why = "nothing is decided by it before the problem is mended"
    head = TextRun(fit(f" {one_line(label)}", max(width - len(why) - 3, 8)).rstrip(), Tone.TITLE)
    return line(head, "  ", muted(why))


def changed_line(
    label: str, changes: WhatChanged, walked: int | None, stops: int, width: int, *, undone: bool = False
) -> Line:
    """The label of the act, then as many kinds of change as fit, and the keys for the next action.

    If the act undid another one, the key for redo is among them.
    """
    keys = (WALK_WIDE if width >= WIDE else WALK) + (REDO if undone else "")
    end = keys if walked is None else f"{walked + 1} of {stops} · v next · V back · Esc ends · u undo"
    parts = [*changed_parts(changes)] if walked is None else []
    widths = [width_of(part) + 3 for part in parts[: max(_urgent(changes), 1)]] or [0]
    room = width - len(end) - 6
    most = max(room - sum(widths), min(width * 2 // 5, room - widths[0]), 12)  # the first is always seen
    head = TextRun(fit(f" {one_line(label)}", most).rstrip(), Tone.TITLE)
    shown_runs: list[TextRun] = [head, TextRun("  ")]
    left_out = False
    for part in parts:
        if width_of((*shown_runs, *part)) + len(end) + 6 > width:
            left_out = True
        else:
            shown_runs += [*part, TextRun("   ")]
    if left_out:
        shown_runs.append(muted("…"))
    gap = max(width - width_of(shown_runs) - len(end) - 1, 1)
    return (*shown_runs, TextRun(" " * gap), muted(end))


def _urgent(changes: WhatChanged) -> int:
    """The number of parts that come first: calls that turned, and what fails."""
    refuted = sum(clause.status_after is ProofStatus.REFUTED for clause in changes.clauses)
    return len(changes.turned) + refuted


def changed_parts(changes: WhatChanged) -> Iterator[Line]:
    """Every kind of change in a few words: calls, what fails, rules, the rest."""
    for (before, after), count in changes.turned.items():
        calls = "call" if count == 1 else "calls"
        yield line(f"{count:,} {calls} ", verdict_run(before), " → ", verdict_run(after))
    failing = sum(case.passed_after is False for case in changes.cases)
    added = sum(case.added for case in changes.cases)
    removed = sum(case.removed for case in changes.cases)
    for clause in refuted_first(changes.clauses):
        yield clause_line(clause)
    if failing:
        yield line(TextRun(f"{failing} {'case fails' if failing == 1 else 'cases fail'}", Tone.BAD))
    yield from _counted_rules(changes)
    if added or removed:
        parts = [f"{added} added"] * bool(added) + [f"{removed} gone"] * bool(removed)
        yield line(f"cases: {', '.join(parts)}")
    for question in changes.questions:
        yield line("question opened" if question.opened else "question answered")
    if count := len(changes.retrieved):
        yield line(f"{count:,} {'call retrieves' if count == 1 else 'calls retrieve'} differently")
    for demonstration in changes.demonstrations:
        act = "new" if not demonstration.before else "gone" if not demonstration.after else "changed"
        yield line(f"demonstration {one_line(demonstration.demonstration)} {act}")


def _counted_rules(changes: WhatChanged) -> Iterator[Line]:
    """The rules that changed, and the sentences that changed without one."""
    for rule in changes.rules:
        act = "new" if not rule.before else "gone" if not rule.after else "changed"
        yield line(f"{', '.join(rule.requirements) or one_line(rule.name)} rule {act}")
    with_rule = {name for rule in changes.rules for name in rule.requirements}
    for requirement in changes.requirements:
        if requirement.requirement not in with_rule:
            act = "new" if not requirement.before else "gone" if not requirement.after else "read otherwise"
            yield line(f"{requirement.requirement} {act}")
