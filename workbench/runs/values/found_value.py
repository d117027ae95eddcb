"""The result of an extraction method: a value with its place, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from workbench.model import Json, LookedUp, Provenance, RecordedCall, Value


class Missing(Exception):
    """The value cannot be determined; the text says why. Leads to cannot-evaluate."""


class Absent(Missing):
    """It is certain that the call has no such value: None for an optional argument."""


_NO_ITEMS: Mapping[str, tuple[Provenance, ...]] = MappingProxyType({})


class FoundValue(NamedTuple):
    """A value as the log has it, before it is fitted to the argument's type.

    ``items`` gives the places of the single elements of a set, or of the fields of a record by their paths;
    ``state`` says what is known of a record. ``fitted`` is the value of an argument whose
    method fits it itself: a record or a list. ``look_up`` is the call that would tell more, ``more`` are
    further ones.
    """

    value: Json
    provenance: tuple[Provenance, ...] = ()
    items: Mapping[str, tuple[Provenance, ...]] = _NO_ITEMS
    fitted: Value = None
    look_up: LookedUp | None = None
    state: str = ""
    more: tuple[LookedUp, ...] = ()


type Method = Callable[[RecordedCall, Sequence[RecordedCall]], FoundValue]
