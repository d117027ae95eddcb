"""The grammar: the table of productions of ``grammar.txt``, which says how a row is written."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from workbench.language.productions import Production, production
from workbench.language.trees import negated

DEFAULT_SENTENCES = ("What no sentence forbids is allowed.", "What no sentence allows is denied.")
"""What is said of calls of which no other sentence speaks: they are allowed, or denied."""
SHORTER = (("for which its", "whose"),)
"""Words and what is written for them; reading takes them for each other."""
CHAINS = {"and_atom": ("atom", "and"), "or_atom": ("atom", "or"), "and_lit": ("lit", "and")}
"""Parts in a row: what each is, and the word between them."""
_HEADING = re.compile(r"\[([^],]+)(?:, called ([^],]+))?(?:, up to (\d+))?\]")
_OPPOSITES = re.compile(r"\[([^|\]]*)\|([^|\]]*)\]")
_NAME = re.compile(r"%(\w+)")

type _Entries = Sequence[tuple[str, str]]
"""The entries of a table: words, and what they stand for."""


@cache
def productions() -> tuple[Production, ...]:
    """All rows of the table."""
    text = (pkgutil.get_data(__name__, "grammar.txt") or b"").decode("utf-8")
    return tuple(_productions(text.replace("\n  ", " ")))


def _productions(text: str) -> Iterator[Production]:
    category, noun, longest = "", "", 0
    tables: dict[str, _Entries] = {}
    for line in text.splitlines():
        if heading := _HEADING.fullmatch(line):
            category, noun, longest = heading[1], heading[2] or "", int(heading[3] or 0)
        elif line.startswith("%") and ":" in line.partition(" ")[0]:
            name, _, entries = line[1:].partition(":")
            tables[name] = [_parted(one) for one in entries.split(" ;")]
        elif line and not line.startswith("#"):
            reads_only = line.startswith("~ ")
            for words, expression in _rows(*_parted(line.removeprefix("~ ")), tables):
                yield from _of_row(
                    production(category, words, expression, noun, longest, reads_only=reads_only)
                )


def _parted(text: str) -> tuple[str, str]:
    """Words and what they stand for: themselves, if nothing else is said."""
    words, arrow, expression = (part.strip() for part in text.partition("=>"))
    return re.sub("^_", " ", words), expression if arrow else words


def _rows(words: str, expression: str, tables: Mapping[str, _Entries]) -> Iterator[tuple[str, str]]:
    """The row for each entry of the tables that its words name, the first one outermost."""
    named = _NAME.search(words)
    if named is None:
        yield words, expression
        return
    for said, meant in tables[named[1]]:
        own = f"{words[: named.start()]}{said}{words[named.end() :]}"
        yield from _rows(own, re.sub(rf"{named[0]}\b", lambda _, meant=meant: meant, expression), tables)


def _of_row(row: Production) -> Iterator[Production]:
    """The row, and the one with its other words, which denies what it says."""
    said = _OPPOSITES.search(row.pattern)
    if said is None:
        yield row
        return
    for words, expression in ((said[1], row.expression), (said[2], negated(row.expression))):
        yield replace(row, pattern=row.pattern.replace(said[0], words), expression=expression)
