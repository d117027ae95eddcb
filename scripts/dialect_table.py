"""Write the tables of constructs in ``docs/reference/dialect.md``.

The rows of the first table are the cases of ``tests/check/proof/test_constructs.py``, each with its lowered
form. Those of the second table are the cases of ``tests/check/proof/test_record_constructs.py``. Each case
proves a true clause and refutes a false one in Nagini. A test compares the page with the output of this
script.

Run: python scripts/dialect_table.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.check.proof.test_constructs import CONSTRUCTS, HEAD, TYPES, Construct  # noqa: E402 # needs the path above
from tests.check.proof.test_record_constructs import CONSTRUCTS as OF_RECORDS  # noqa: E402 # as above
from tests.plain_policies import check  # noqa: E402 # as above
from workbench.engines.nagini.lowering.lower import lower  # noqa: E402 # as above

PAGE = ROOT / "docs" / "reference" / "dialect.md"
BEGIN = "<!-- written by scripts/dialect_table.py -->\n"
END = "<!-- end of the table -->\n"
BEGIN_RECORDS = "<!-- written by scripts/dialect_table.py: records -->\n"
RETURN = "\n    return "


def policy_of(construct: Construct) -> str:
    """Return a policy with the construct's true clause and one rule, which forbids its condition."""
    condition = f"{construct.forbidden} {construct.true}"
    used_names = [name for name in TYPES if re.search(rf"\b{name}\b", condition)]
    parameters = ", ".join(f"{name}: {TYPES[name]}" for name in used_names)
    return (
        f'{HEAD}def forbid_it({parameters}) -> bool:\n    """R1: {construct.name}."""\n'
        f"    return {construct.forbidden}\n\n\ndef allow({parameters}) -> bool:\n"
        f"    # R1: {construct.name}\n    Ensures({construct.true})\n"
        f"    return not (forbid_it({', '.join(used_names)}))\n"
    )


def lowered(construct: Construct) -> tuple[str, str]:
    """Return the program's decision, and the meaning of the arguments' numbers."""
    head, _, decision = lower(check(policy_of(construct))).text.partition("\n# allow\n")
    notes = re.findall(r"^#( {4}\d+ .*| (?!C1|decided).*)$", head, re.MULTILINE)
    values = " ".join(note.strip() if note.endswith(":") else f"{note.strip()}," for note in notes)
    return f"`{decision.rpartition(RETURN)[2].strip()}`", values.replace(
        " (and all strings like it)", " and the like"
    ).rstrip(",")


def table() -> str:
    """Return the table, one row for each construct."""
    rows = ["| construct | a rule forbids | the program decides | its numbers |", "|---|---|---|---|"]
    for construct in CONSTRUCTS:
        decision, values = lowered(construct)
        cells = (construct.name, f"`{construct.forbidden}`", decision, values)
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows) + "\n"


def records_table() -> str:
    """Return the table of constructs of records, lists and times, with two clauses for each."""
    rows = ["| construct | a rule forbids | proved | refuted |", "|---|---|---|---|"]
    for construct in OF_RECORDS:
        cells = (construct.name, f"`{construct.forbidden}`", f"`{construct.true}`", f"`{construct.false}`")
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows) + "\n"


def page(text: str) -> str:
    """Return the page with its tables written anew."""
    for begin, written in ((BEGIN, table()), (BEGIN_RECORDS, records_table())):
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(END)
        text = f"{before}{begin}{written}{END}{after}"
    return text


def main() -> int:
    """Write the page, or with ``--check`` print whether it is up to date."""
    text = PAGE.read_text(encoding="utf-8")
    new = page(text)
    if "--check" in sys.argv[1:]:
        return int(new != text)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
