"""Elements of lists and sets: their names, their collections, and their number."""

from __future__ import annotations

import keyword
from collections.abc import Collection as AnyOf

from workbench.model import Kind
from workbench.policy.connectives import TRUE
from workbench.policy.names import RESERVED
from workbench.policy.terms import Attribute, Collection, Count, Elements, SetVariable, Variable
from workbench.policy.types import set_element
from workbench.policy.walk import path_of

type Place = Variable | Attribute
"""A name or a field of a record, which may hold a list or a set."""


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


def element_of(place: Place, taken_names: AnyOf[str]) -> Variable:
    """An element of the list or set at a place, as a variable whose name is not taken."""
    return Variable(element_name(path_of(place), taken_names), set_element(place.type))


def collection_of(place: Place) -> Collection:
    """The list or set that a place holds."""
    is_set_argument = isinstance(place, Variable) and place.type.kind is Kind.SET
    return SetVariable(place.name) if is_set_argument else Elements(place)


def size_of(place: Place) -> Count:
    """The number of elements of the list at a place."""
    return Count(element_of(place, ()), Elements(place), TRUE)
