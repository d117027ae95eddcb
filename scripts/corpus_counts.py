"""Write the counts of how the corpora of sentences are read into the documents.

Run by ``make docs``; ``tests/author/rules/test_corpus.py`` compares the pages with the output of this script.
Both count with the judge of ``tests/author/rules/sentence_corpus.py``.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from tests.author.rules.sentence_corpus import ASKED, CORPORA, READ, WRONG, described, outcomes

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
BEGIN = "<!-- written by scripts/corpus_counts.py -->\n"
END = "<!-- end of the counts -->"


def table() -> str:
    """The table of the corpora, one row for each."""
    rows = [
        "| corpus | sentences | at first sight: read, asked, wrong | read | asked | wrong |",
        "|---|---:|---|---:|---:|---:|",
    ]
    for name in CORPORA:
        about, first_sight = described(name)
        counts = outcomes(name)
        figures = (counts[READ], counts[ASKED], counts[WRONG])
        rows.append(f"| {about} | {counts.total()} | {first_sight} | {' | '.join(map(str, figures))} |")
    return "\n".join(rows) + "\n"


def pages() -> dict[Path, str]:
    """The pages with the counts, with their present text."""
    counts = sum(map(outcomes, CORPORA), start=Counter[str]())
    read, asked, wrong, total = counts[READ], counts[ASKED], counts[WRONG], counts.total()
    parts = {
        "reference/request-language.md": (f"{BEGIN}.*?{END}", f"{BEGIN}{table()}{END}"),
        "figures/preview-and-strength.md": (
            r"(\| sentences of all corpora) \(\d+\)(: [^|]*\|)[^|]*\|",
            rf"\1 ({total})\2 {read} / {asked} / {wrong} |",
        ),
        "figures/README.md": (
            r"\[\d+ read, \d+ asked about, \d+ read wrongly\](\([^)]*\)) of \d+",
            rf"[{read} read, {asked} asked about, {wrong} read wrongly]\1 of {total}",
        ),
    }
    return {DOCS / name: _replaced(DOCS / name, *part) for name, part in parts.items()}


def _replaced(page: Path, pattern: str, counts: str) -> str:
    text, count = re.subn(pattern, counts, page.read_text(encoding="utf-8"), flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{page} has {count} places for the counts of the corpora; it needs one.")
    return text


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
