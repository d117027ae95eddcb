"""The kinds of value that the words of a name suggest: the tables of ``name_words.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workbench.runs.values.data_file import read_data

_FILE = read_data(__name__, "name_words.toml")
_KINDS = {kind: table.names_by_key() for kind, table in _FILE.tables() if kind != "number"}
_NUMBER = _FILE.table("number")
_MONEY_LAST = _NUMBER.names("last")

NAMED_ALONE = {kind: words["alone"] for kind, words in _KINDS.items()}
"""The words that name a kind of value by themselves, by kind."""

NAMED_WITH_VALUES = {kind: words["alone"] | words["with_values"] for kind, words in _KINDS.items()}
"""The words that name a kind of value if the values look like it, by kind."""

NAMED_WHOLE = {kind: words.get("whole", frozenset[str]()) for kind, words in _KINDS.items()}
"""The words that name a kind of value if every value is one with its folders, by kind."""

FILES = frozenset(_KINDS["path"]["with_values"])
"""The words of fields that have a file or a folder."""

RECIPIENTS = _KINDS["mail_address"]["recipients"]
"""The words of fields that have whom something goes to."""

_MONEY = NAMED_WITH_VALUES["amount"] | _NUMBER.names("amounts")
_PIECES, _OTHERS = _NUMBER.names("pieces"), _NUMBER.names("others")
_LIKELY = (NAMED_ALONE, NAMED_WITH_VALUES, NAMED_WHOLE)
_PLURAL = re.compile(r"(?<=ss)es$|(?<!s)s$")
_TEXTS = ("command", "sql", "mail_address", "url", "path")


def kinds_named(words: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the kinds of texts that words suggest, the likeliest first, and whether they say so alone."""
    known = {_PLURAL.sub("", one) for one in words}
    for table in _LIKELY:
        yield from ((kind, table is NAMED_ALONE) for kind in _TEXTS if known & table[kind])


def amount_named(words: Iterable[str]) -> str:
    """Of what a number with a name of these words is an amount: money, pieces, neither; empty if unknown."""
    known = {one.removesuffix("s") for one in words} | set(words)
    tables = (("money", _MONEY), ("pieces", _PIECES), ("neither", _OTHERS))
    return next((name for name, table in tables if known & table), "")


def is_money(path: Sequence[str]) -> bool:
    """Whether the names of a path are those of money; a short log may show whole amounts only."""
    words = [word.removesuffix("s") for name in path for word in name.lower().split("_")]
    return bool(NAMED_WITH_VALUES["amount"] & set(words)) or words[-1] in _MONEY_LAST
