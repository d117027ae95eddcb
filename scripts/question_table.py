"""Write the table of questions in ``docs/reference/request-language.md`` from ``clarify/questions.toml``.

Run by ``make docs``; a test compares the page with what this would write.
"""

from __future__ import annotations

from pathlib import Path

from workbench.clarify.wording import wordings

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "request-language.md"
BEGIN = "<!-- written by scripts/question_table.py -->\n"
END = "<!-- end of the table -->\n"


def table() -> str:
    """The table, one row for each kind of question."""
    known = wordings()
    rows = ["| kind | asked when | unattended |", "|---|---|---|"]
    for kind in dict.fromkeys(map(known.kind, known.questions)):
        tables = [table for name, table in known.questions.items() if known.kind(name) == kind]
        occasions = "; ".join(dict.fromkeys(table.asked for table in tables))
        unattended = "; ".join(dict.fromkeys(table.unattended for table in tables))
        rows.append(f"| {kind} | {occasions} | {unattended} |")
    return "\n".join(rows) + "\n"


def page(text: str) -> str:
    """The page with its table written anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
