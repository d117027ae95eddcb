"""Write the table of questions in ``docs/reference/questions.md`` from ``questions.toml``.

Run by ``make docs``; a test compares the page with the output of this script.
"""

from __future__ import annotations

from pathlib import Path

from workbench.question_wording import wordings

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "questions.md"
BEGIN = "<!-- written by scripts/question_table.py -->\n"
END = "<!-- end of the table -->\n"


def table() -> str:
    """The table of the questions, one row for each kind of question."""
    all_wordings = wordings()
    rows = ["| kind | asked when |", "|---|---|"]
    for kind in dict.fromkeys(map(all_wordings.kind, all_wordings.questions)):
        tables = [one for name, one in all_wordings.questions.items() if all_wordings.kind(name) == kind]
        rows.append(f"| {kind} | {'; '.join(dict.fromkeys(one.asked for one in tables))} |")
    return "\n".join(rows) + "\n"


def page(text: str) -> str:
    """The page with its table written anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
