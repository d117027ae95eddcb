"""Write the table of typed parts in ``docs/reference/calls.md``.

Each row is a part of a kind of value as a policy of calls reads it, with its type, and when a set or list is
not complete. A test compares the page with the output of this script.

Run: python scripts/kinds_table.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from workbench.model import ArgumentType, Kind  # noqa: E402 # needs the path above
from workbench.policy.render import render_type  # noqa: E402 # as above
from workbench.runs.kinds.kinds_by_name import KINDS  # noqa: E402 # as above
from workbench.runs.kinds.value_kind import OWN_TEXT, ValueKind  # noqa: E402 # as above

PAGE = ROOT / "docs" / "reference" / "calls.md"
BEGIN = "<!-- written by scripts/kinds_table.py -->\n"
END = "<!-- end of the table -->\n"


def table() -> str:
    """Return the table, one row for the parts of a kind that have one type and are complete alike."""
    rows = ["| kind | parts | type | may be not complete |", "|---|---|---|---|"]
    for kind in KINDS.values():
        rows += _rows(kind)
    return "\n".join(rows) + "\n"


def _rows(kind: ValueKind) -> list[str]:
    parts: dict[tuple[str, str], list[str]] = {}
    for name, type_ in kind.type_in_calls.fields:
        if name != OWN_TEXT:
            parts.setdefault((_type(type_), _incomplete(kind, name, type_)), []).append(f"`{name}`")
    return [
        f"| `{kind.name}` | {', '.join(names)} | `{type_}` | {when} |"
        for (type_, when), names in parts.items()
    ]


def _type(type_: ArgumentType) -> str:
    if type_.element is not None and type_.element.record is not None:
        return f"tuple[{type_.element.record.name}, ...]"
    return "str" if type_.kind is Kind.ENUM else render_type(type_).replace("|", "\\|")


def _incomplete(kind: ValueKind, name: str, type_: ArgumentType) -> str:
    if type_.kind not in (Kind.SET, Kind.LIST):
        return ""
    return kind.incomplete.get(name, "never")


def page(text: str) -> str:
    """Return the page with the table in its place."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.partition(END)[2]}"


def main() -> int:
    """Write the table, or with ``--check`` compare it."""
    text = PAGE.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        return 0 if page(text) == text else 1
    PAGE.write_text(page(text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
