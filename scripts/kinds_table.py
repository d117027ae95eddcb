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

from workbench.dialect.kind_parts import kind_parts  # noqa: E402 # needs the path above

PAGE = ROOT / "docs" / "reference" / "calls.md"
BEGIN = "<!-- written by scripts/kinds_table.py -->\n"
END = "<!-- end of the table -->\n"


def table() -> str:
    """Return the table, one row for the parts of a kind that have one type and are complete alike."""
    rows = ["| kind | parts | type | may be not complete |", "|---|---|---|---|"]
    for part in kind_parts():
        names = ", ".join(f"`{name}`" for name in part.names)
        type_ = part.type.replace("|", "\\|")
        rows.append(f"| `{part.kind}` | {names} | `{type_}` | {part.incomplete} |")
    return "\n".join(rows) + "\n"


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
