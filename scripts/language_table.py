"""Write the table of the grammar in ``docs/reference/grammar.md``.

Each row is a production: what it makes, its words, and the expression of the dialect that they stand for. A
test compares the page with the output of this script.

Run: python scripts/language_table.py [--check]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from workbench.language.grammar import SHORTER, productions  # noqa: E402 # needs the path above
from workbench.language.productions import Production  # noqa: E402 # as above
from workbench.language.trees import text_of  # noqa: E402 # as above

PAGE = ROOT / "docs" / "reference" / "grammar.md"
BEGIN = "<!-- written by scripts/language_table.py -->\n"
END = "<!-- end of the table -->\n"
_NAMES = {
    "cond": "condition", "tail": "condition, at the end", "chain": "conditions in a row",
    "atom": "single condition",
    "infix": "value of two", "term": "value", "simple": "value with 's", "opt": "value that may be missing",
    "rel": "restriction", "that": "restriction", "truth": "yes or no", "list": "several things",
    "plural": "several things, without the", "domain": "one of several things", "columns": "fields of a list",
    "of_run": "what all calls of a run have", "whole": "value of a whole run",
    "run_calls": "several calls of a run", "one_call": "one call of a run",
    "run": "part of the run", "bound": "where a part of the run begins or ends", "weekday": "day of the week",
}  # fmt: skip


def table() -> str:
    """Return the table, one row for each production."""
    rows = ["| makes | words | stands for |", "|---|---|---|"]
    rows += [_row(made) for made in productions()]
    rows += [f"| | *{short}* | the words *{long}* |" for long, short in SHORTER]
    return "\n".join(rows) + "\n"


def _row(made: Production) -> str:
    name = _NAMES.get(made.category, made.category)
    read = " (read only)" if made.reads_only else ""
    words = re.sub(r"\{(\w+):[^}]*\}", r"*\1*", made.pattern.strip())
    return f"| {' '.join(_kinds(name, made.sorts))}{read} | {words} | `{text_of(made.expression)}` |".replace(
        "||", "\\|\\|"
    )


def _kinds(name: str, sorts: Iterable[str]) -> Iterable[str]:
    yield name
    yield from (f"`{sort}`" for sort in sorts if len(sort) > 1 and not sort.startswith("@"))


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
