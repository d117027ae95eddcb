"""Write the table of questions in ``docs/reference/questions.md`` from ``questions.toml``.

Run by ``make docs``; a test compares the page with the output of this script.
"""

from __future__ import annotations

from pathlib import Path

from workbench.question_wording import wordings

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "questions.md"
BEGIN = "<!-- written by scripts/question_table.py: {} -->\n"
END = "<!-- end of the table -->\n"
ASKERS = ("model", "check")
"""Who asks the questions of the page."""


def table(*asked_by: str) -> str:
    """The table of the questions of these askers, one row for each kind of question."""
    all_wordings = wordings()
    names = [name for name, wording in all_wordings.questions.items() if wording.asked_by in asked_by]
    rows = ["| kind | asked when | unattended |", "|---|---|---|"]
    for kind in dict.fromkeys(map(all_wordings.kind, names)):
        tables = [all_wordings.questions[name] for name in names if all_wordings.kind(name) == kind]
        occasions = "; ".join(dict.fromkeys(table.asked for table in tables))
        unattended = "; ".join(dict.fromkeys(table.unattended for table in tables))
        rows.append(f"| {kind} | {occasions} | {unattended} |")
    return "\n".join(rows) + "\n"


def page(text: str) -> str:
    """The page with its table written anew."""
    begin = BEGIN.format(", ".join(ASKERS))
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(END)
    return f"{before}{begin}{table(*ASKERS)}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
