"""The one table of acts, from ``acts.toml``: what tools do, as fine as each use of it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from workbench.runs.values.data_file import read_data

_TABLE = read_data(__name__, "acts.toml")
_TABLE.check_keys("acts", "broad", "alike", "come_to", "families", "irregular", "scales")
_ACTS = _TABLE.table("acts")


@cache
def act(name: str) -> frozenset[str]:
    """The words of tools for an act."""
    return _words(_ACTS.text(name))


def _words(row: str) -> frozenset[str]:
    """The words of a row; "=deleting" stands for those of that act."""
    return frozenset[str]().union(*(act(one[1:]) if one[0] == "=" else {one} for one in row.split()))


@dataclass(frozen=True, slots=True)
class Family:
    """Words for acts that come to the same, for values that do, and for things that such acts are done to.

    An act that is ``loose`` is of the family with one of its ``things`` only, which stand for that of a rule.
    """

    acts: frozenset[str]
    loose: frozenset[str]
    values: Sequence[str]
    things: frozenset[str]


BROAD = tuple(map(_words, _TABLE.table("broad").text_by_key().values()))
"""Words of tools for acts that come to the same, for a sentence which names one of them."""
ALIKE = tuple(
    (_words(names), _words(values))
    for names, _, values in (row.partition("|") for row in _TABLE.table("alike").text_by_key().values())
)
"""Words of tools for acts that come to the same where they are done to the same things, and of values."""
COME_TO = tuple((_words(row), why) for why, row in _TABLE.table("come_to").text_by_key().items())
"""Words of tools for acts that come to the same for the thing to which they are done, with what they do."""
FAMILIES = tuple(
    Family(
        acts=_words(one.text("acts")),
        loose=_words(one.text("loose")),
        values=one.text("values").split(),
        things=_words(one.text("things")),
    )
    for _, one in _TABLE.table("families").tables()
)
"""Acts by which one result comes about: rights, money, an end, the public, a way in, a completion."""
IRREGULAR = _TABLE.table("irregular").text_by_key()
"""The forms of words that endings do not tell."""
SCALES = tuple(row.split() for row in _TABLE.table("scales").text_by_key().values())
"""Values of choices, each with more behind it."""
