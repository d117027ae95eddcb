"""The result of an extraction method: a value with its place, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from workbench.model import Between, Element, Json, LookedUp, Provenance


class Missing(Exception):
    """The value cannot be determined; the text gives the reason. Leads to cannot-evaluate."""


class Unknown(Missing):
    """The value cannot be determined; look-ups may tell more, and something of it may be known."""

    def __init__(
        self, reason: str, look_ups: tuple[LookedUp, ...] = (), between: Between | None = None
    ) -> None:
        """Take the reason, the look-ups that would tell more, and what is known of the value."""
        super().__init__(reason)
        self.look_ups = look_ups
        self.between = between


class Incomplete(Missing):
    """A set or list that the text does not determine: ``known`` are the members that it certainly has."""

    def __init__(self, reason: str, known: frozenset[str] | tuple[Element, ...]) -> None:
        """Take the reason and the members."""
        super().__init__(reason)
        self.known = known


def needs_package(package: str) -> str:
    """The reason why a value cannot be read without the package."""
    return f"reading it needs the package {package.partition('.')[0]}, which is not installed here"


_NO_ITEMS: Mapping[str, tuple[Provenance, ...]] = MappingProxyType({})


class FoundValue(NamedTuple):
    """A value as a text has it, before it is converted to the reading's type.

    ``items`` gives the places of the single elements of a set, or of the fields of a record by their paths.
    """

    value: Json
    provenance: tuple[Provenance, ...] = ()
    items: Mapping[str, tuple[Provenance, ...]] = _NO_ITEMS
