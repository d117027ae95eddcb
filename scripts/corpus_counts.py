"""Write the counts of how the corpora of sentences are read into the documents.

Run by ``make docs``; ``tests/author/rules/test_corpus.py`` compares the pages with the output of this script.
Both count with the judge of ``tests/author/rules/sentence_corpus.py``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.author.rules.sentence_corpus import ASKED, CORPORA, READ, WRONG, described, outcomes

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/request-language.md"
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


def page() -> str:
    """The page with the present counts."""
    counts = f"{BEGIN}{table()}{END}"
    text, count = re.subn(f"{BEGIN}.*?{END}", counts, PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{PAGE} has {count} places for the counts of the corpora; it needs one.")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
