"""The parts of the kinds of values as a policy of calls reads them, for pages about the dialect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.model import ArgumentType, Kind
from workbench.policy.types import show
from workbench.runs.kinds.kinds_by_name import KINDS, OWN_TEXT
from workbench.runs.kinds.value_kind import ValueKind


@dataclass(frozen=True, slots=True)
class KindParts:
    """Parts of a kind that have one type, and when a set or list of them is not complete."""

    kind: str
    names: tuple[str, ...]
    type: str
    incomplete: str


def kind_parts() -> Iterator[KindParts]:
    """The parts of every kind, those of one type that are complete alike together."""
    for kind in KINDS.values():
        parts: dict[tuple[str, str], list[str]] = {}
        for name, type_ in kind.type_in_calls.fields:
            if name != OWN_TEXT:
                parts.setdefault((_type(type_), _incomplete(kind, name, type_)), []).append(name)
        for (type_, when), names in parts.items():
            yield KindParts(kind.name, tuple(names), type_, when)


def _type(type_: ArgumentType) -> str:
    if type_.element is not None and type_.element.record is not None:
        return f"tuple[{type_.element.record.name}, ...]"
    return "str" if type_.kind is Kind.ENUM else show(type_)


def _incomplete(kind: ValueKind, name: str, type_: ArgumentType) -> str:
    if type_.kind not in (Kind.SET, Kind.LIST):
        return ""
    return kind.incomplete.get(name, "never")


def element_classes() -> Iterator[tuple[str, str]]:
    """The class of the elements of each list of parts, with its fields and their types."""
    seen: set[str] = set()
    for kind in KINDS.values():
        for _, type_ in kind.type_in_calls.fields:
            record = None if type_.element is None else type_.element.record
            if record is not None and record.name not in seen and record.name not in KIND_CLASS_NAMES:
                seen.add(record.name)
                yield record.name, ", ".join(f"{name}: {_type(held)}" for name, held in record.fields)


KIND_CLASS_NAMES = frozenset(kind.type_in_calls.name for kind in KINDS.values())
