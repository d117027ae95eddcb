"""The kinds of value that the words of a name suggest: the tables of ``name_words.toml``."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.runs.values.data_file import read_data

_FILE = read_data(__name__, "name_words.toml")
_KINDS = {kind: table.names_by_key() for kind, table in _FILE.tables() if kind != "number"}
_MONEY_LAST = _FILE.table("number").names("last")

NAMED_ALONE = {kind: words["alone"] for kind, words in _KINDS.items()}
"""The words that name a kind of value by themselves, by kind."""

NAMED_WITH_VALUES = {kind: words["alone"] | words["with_values"] for kind, words in _KINDS.items()}
"""The words that name a kind of value if the values look like it, by kind."""

NAMED_WHOLE = {kind: words.get("whole", frozenset[str]()) for kind, words in _KINDS.items()}
"""The words that name a kind of value if every value is one with its folders, by kind."""


def is_money(path: Sequence[str]) -> bool:
    """Whether the names of a path are those of money; a short log may show whole amounts only."""
    words = [word.removesuffix("s") for name in path for word in name.lower().split("_")]
    return bool(NAMED_WITH_VALUES["amount"] & set(words)) or words[-1] in _MONEY_LAST
