"""Rows of what is not in force, and the way to what mends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.app.owed import Owed, OwedKind
from workbench.clean_text import one_line
from workbench.tui.keys import on_the_screen
from workbench.tui.messages import Go, Place, PlaceKind, Say, ViewName
from workbench.tui.text_runs import bad, muted
from workbench.tui.widgets.lines import Row, paragraph

_ACCEPTED = (OwedKind.LOG, OwedKind.TOOLS, OwedKind.THEOREM, OwedKind.WIDENING, OwedKind.NARROWING)
_HERE = {
    **dict.fromkeys((OwedKind.DRAFT, OwedKind.CLAUSE), "redraft"),
    **dict.fromkeys(_ACCEPTED, "accept"),
    OwedKind.CASE: "cases",
    OwedKind.GRANT: "grants",
}
"""The command of the screen that mends what is not in force, by its kind."""
_ANSWERED = (
    "Enter, to answer again or take the answer back, or change the rule so that it does what was chosen"
)


def owed_rows(missing: Iterable[Owed]) -> Iterator[Row]:
    """Rows on what is not in force, each with the reason and the act that mends it."""
    for item in missing:
        key = f"{PlaceKind.OWED}:{owed_name(item)}"
        command = _HERE.get(item.kind, "")
        mend = on_the_screen(one_line(item.mend), "Enter, for the command accept")
        here = f"Enter, for the command {command}, or " if command and mend == one_line(item.mend) else ""
        if _is_answered(item):
            here, mend = "", _ANSWERED
        yield paragraph(bad(f"✗ not in force: {item.kind} "), one_line(item.statement), key=key, hang=2)
        yield paragraph(muted(one_line(item.reason)), key=key, indent=2)
        yield paragraph(muted(f"to mend it: {here}{mend}"), key=key, indent=2, hang=2)


def mending(items: Iterable[Owed], name: str) -> Go | Say | None:
    """What mends the item of a name: a command, the answer to choose again, else it is said."""
    item = next((item for item in items if owed_name(item) == name), None)
    if item is None:
        return None
    if command := _HERE.get(item.kind):
        return Go(Place(ViewName.RUNS if command == "grants" else ViewName.AUTHOR), then=command)
    if _is_answered(item):
        return Go(Place(ViewName.AUTHOR, PlaceKind.ANSWER, item.name), then="edit")
    return Say(f"To mend it: {one_line(item.mend)}", lasts=True)


def _is_answered(item: Owed) -> bool:
    """Whether another answer, or none, mends it; of a model's draft or a broken policy that does not."""
    return item.is_answer and (bool(item.question) or "--retract" in item.mend)


def owed_name(item: Owed) -> str:
    """The name of an item among all, which follows ``owed:`` in the key of its rows."""
    return f"{item.kind}:{item.name}"
