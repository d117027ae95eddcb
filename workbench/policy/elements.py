"""Elements of lists and sets: their names, their collections, and their number."""

from __future__ import annotations

import keyword
from collections.abc import Collection as AnyOf

from workbench.policy.names import RESERVED


def singular(name: str) -> str:
    """A singular name for the elements of a list: ``tag`` for ``tags``, ``one_data`` for ``data``.

    The name only has to differ from the name of the list. It is part of the text of stored policies, so it
    does not use a list of English words. ``runs.proposals.proposed_names`` uses one, because a person reads
    its result as a noun.
    """
    return name[:-1] if name.endswith("s") and not name.endswith("ss") and len(name) > 2 else f"one_{name}"


def unlike(wanted: str, taken_names: AnyOf[str]) -> str:
    """The wanted name of an element, or a similar name if it is taken or is a word of the dialect."""
    while wanted in taken_names or wanted in RESERVED or keyword.iskeyword(wanted):
        wanted = f"one_{wanted}"
    return wanted


def element_name(place: str, taken_names: AnyOf[str]) -> str:
    """A name for an element of the list or set at a path, which is not among the taken names."""
    return unlike(singular(place.rpartition(".")[2]), taken_names)
