"""Rows of what is not in force, and the way to what mends it."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.app.owed import Owed, OwedKind
from workbench.clean_text import one_line
from workbench.tones import Tone
from workbench.tui.messages import Go, Say
from workbench.tui.screen_places import Place, PlaceKind, ViewName
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import paragraph
from workbench.tui.widgets.lines import Row

_HERE = {
    OwedKind.DRAFT: "redraft",
    OwedKind.CLAUSE: "redraft",
    OwedKind.CASE: "cases",
    OwedKind.LOG: "accept",
    OwedKind.TOOLS: "accept",
    OwedKind.THEOREM: "accept",
    OwedKind.WIDENING: "accept",
    OwedKind.NARROWING: "accept",
    OwedKind.GRANT: "grants",
}
"""The command of the screen that mends what is not in force, by its kind."""


def owed_rows(missing: Iterable[Owed], width: int) -> list[Row]:
    """Rows on what is not in force, each with the reason and the act that mends it."""
    rows: list[Row] = []
    for item in missing:
        key = f"{PlaceKind.OWED}:{owed_name(item)}"
        head = line(TextRun(f"✗ not in force: {item.kind} ", Tone.BAD), one_line(item.statement))
        rows += paragraph(head, width, key, hang=2)
        rows += paragraph(muted(one_line(item.reason)), width, key, indent=2)
        here = f"Enter, for the command {_HERE[item.kind]}, or " if item.kind in _HERE else ""
        rows += paragraph(muted(f"to mend it: {here}{one_line(item.mend)}"), width, key, 2, 2)
    return rows


def mending(items: Iterable[Owed], name: str) -> Go | Say | None:
    """What mends the item of a name: a command, the answer to choose again, else it is said."""
    item = next((item for item in items if owed_name(item) == name), None)
    if item is None:
        return None
    if command := _HERE.get(item.kind):
        return Go(Place(ViewName.RUNS if command == "grants" else ViewName.AUTHOR), then=command)
    if item.is_answer and item.question:
        return Go(Place(ViewName.AUTHOR, PlaceKind.ANSWER, item.question))
    return Say(f"To mend it: {one_line(item.mend)}", lasts=True)


def owed_name(item: Owed) -> str:
    """The name of an item among all, which follows ``owed:`` in the key of its rows."""
    return f"{item.kind}:{item.name}"
