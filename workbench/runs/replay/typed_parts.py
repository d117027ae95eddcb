"""The typed parts of a call, as a policy may read them: the programs of a command, the host of a URL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.clean_text import one_line
from workbench.dialect.call_fields import CallField, CallType, field_and_part, parts_of
from workbench.model import (
    Argument,
    ArgumentType,
    CallExpression,
    Element,
    Extracted,
    Kind,
    RecordedCall,
    Value,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.kinds.kinds_by_name import KINDS, OWN_TEXT
from workbench.runs.replay.shown_value import named_value
from workbench.runs.world.earlier_calls import Earlier
from workbench.serialization.json_form import json_form

_OF_OTHERS = (OWN_TEXT, "names", "inside", "domains")
"""The parts that only repeat another one."""


@dataclass(frozen=True, slots=True)
class TypedPart:
    """A part of a field of a call: its name and its value in words, or why it is not known."""

    name: str
    value: str
    missing: str | None = None


def typed_parts(
    type_: CallType,
    extractor: Callable[[Sequence[Argument]], Extractor],
    run: Sequence[RecordedCall],
    position: int,
) -> tuple[TypedPart, ...]:
    """The parts of a call's fields that are not empty; what is missing for one reason is told once."""
    given = run[position].arguments or {}
    fields = (one for one in type_.fields if given.get(one.key) is not None)
    arguments = [argument for one in fields for argument in _parts_of(type_, one)]
    if not arguments:
        return ()
    read = extractor(arguments).extract(run[position], Earlier(run, position))
    found: list[TypedPart] = []
    missing: dict[str, list[str]] = {}
    for argument in arguments:
        value = read[argument.name]
        if value.missing is not None:
            missing.setdefault(value.missing, []).append(argument.name)
        elif words := _words(value):
            found.append(TypedPart(argument.name, words))
    found += (TypedPart(", ".join(names), "", why) for why, names in missing.items())
    return tuple(found)


def _parts_of(type_: CallType, one: CallField) -> Iterator[Argument]:
    """The parts of a field that is of a kind, named as the field and the part."""
    if not one.kind or one.type.kind is Kind.DATETIME:
        return
    for name, part_type in parts_of(one.name, one.type, one.kind):
        if field_and_part(name)[1] not in _OF_OTHERS and not _is_listed(part_type):
            yield Argument(name, part_type, expression=CallExpression(f"call.{name}", type_.tool))


def _is_listed(type_: ArgumentType) -> bool:
    """Whether a part is a list of records of its own, whose parts the other parts have."""
    record = None if type_.element is None else type_.element.record
    return record is not None and record.name not in {kind.type.name for kind in KINDS.values()}


def _words(value: Extracted) -> str:
    """A value in words; empty if it says nothing."""
    told = value.value
    if told is None or told is False or told in ("", frozenset(), ()):
        return ""
    if isinstance(told, tuple | frozenset):
        return ", ".join(dict.fromkeys(sorted(map(_word, told))))
    return "yes" if told is True else _word(told)


def _word(value: Value | Element) -> str:
    return one_line(value) if isinstance(value, str) else named_value(value)


json_form(TypedPart)
