"""The regions that a grant for one call could open: exactly this call first, then by its typed parts.

A region is an expression of the dialect over what the policy reads of the call: this program with these files
and hosts, this recipient up to this amount. It is built from what the one evaluator reads.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from workbench.model import (
    Argument,
    ArgumentType,
    CallExpression,
    Extracted,
    Kind,
    RecordedCall,
    RecordValue,
    Value,
)
from workbench.policy.literals import literal

if TYPE_CHECKING:
    from workbench.dialect.call_fields import CallField, CallType

LONGEST_TEXT = 400
_FIELD = re.compile(r"\bcall\.([A-Za-z_]\w*)")
_NARROW: Mapping[str, tuple[str, ...]] = {
    "command": ("calls", "hosts", "flags", "history", "paths"),
    "path": ("absolute",),
    "url": ("host", "path"),
    "mail_address": ("address",),
    "amount": ("value", "currency"),
}
_WIDE: Mapping[str, tuple[str, ...]] = {
    "command": ("calls", "hosts"),
    "path": ("folder",),
    "url": ("host",),
    "mail_address": ("domain",),
    "amount": ("value", "currency"),
}


@dataclass(frozen=True, slots=True)
class CallRegion:
    """A region around a call: its words, its expression, and whether only its arguments lie in it."""

    words: str
    text: str
    exact: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """What a region may say of a call: an expression, the text that reads it, and its kind."""

    expression: str
    part: str = ""
    element: str = ""


def read_fields(arguments: Sequence[Argument], tool: str) -> frozenset[str]:
    """The fields of a tool's calls that the arguments of a policy read."""
    names: set[str] = set()
    for argument in arguments:
        if argument.expression is not None and argument.expression.tool in ("", tool):
            for text in argument.expression.texts:
                names.update(_FIELD.findall(text))
    return frozenset(names)


def places_to_read(type_: CallType, fields: Collection[str]) -> tuple[Argument, ...]:
    """Everything of a call from which regions are made, as arguments that are named by their expressions."""
    return tuple(
        Argument(
            place.expression,
            ArgumentType(Kind.LIST if place.element else Kind.STR),
            expression=CallExpression(place.expression, type_.tool),
        )
        for place in _places(type_, fields, _NARROW, _WIDE)
    )


def _places(
    type_: CallType, fields: Collection[str], *levels: Mapping[str, tuple[str, ...]]
) -> Iterator[_Place]:
    for one in type_.fields:
        if one.name not in fields or one.name == type_.cwd_parameter:
            continue
        for part in dict.fromkeys(part for parts in levels for part in parts.get(one.kind, ("",))):
            yield _Place(
                _expression(one, part), part, "absolute" if (one.kind, part) == ("command", "paths") else ""
            )


def _expression(one: CallField, part: str) -> str:
    return f"call.{one.name}.{part}" if part else f"call.{one.name}"


def regions(
    type_: CallType, call: RecordedCall, fields: Collection[str], read: Mapping[str, Extracted]
) -> Iterator[CallRegion]:
    """The regions around a call, narrowest first; ``read`` has the values of ``places_to_read``."""
    values = {text: item.value for text, item in read.items() if item.missing is None}
    yield CallRegion("exactly this call", _exact(type_, call, values), exact=True)
    narrow = _joined(type_, fields, values, _NARROW, up_to=False)
    if narrow:
        yield CallRegion("calls with the same parts", narrow)
    wide = _joined(type_, fields, values, _WIDE, up_to=True)
    if wide and wide != narrow:
        yield CallRegion("calls of this kind", wide)


def _exact(type_: CallType, call: RecordedCall, values: Mapping[str, Value]) -> str:
    """What the dialect can say of a call's own arguments; all of them are compared as JSON besides."""
    given = call.arguments or {}
    parts: list[str] = []
    for one in type_.fields:
        value = given.get(one.key)
        is_plain = one.type.kind in (Kind.STR, Kind.BOOL, Kind.INT) and not isinstance(value, float)
        fits = isinstance(value, str) is (one.type.kind is Kind.STR)
        if value is None and one.type.optional and is_plain:
            parts.append(f"call.{one.name} is None")
        elif is_plain and fits and isinstance(value, str | bool | int) and len(str(value)) <= LONGEST_TEXT:
            parts.append(_equals(f"call.{one.name}", value))
        elif one.type.kind is Kind.DECIMAL and _is_number(number := values.get(f"call.{one.name}")):
            parts.append(_equals(f"call.{one.name}", number))
    return " and ".join(parts) or "True"


def _equals(expression: str, value: Value) -> str:
    if isinstance(value, bool):
        return expression if value else f"not {expression}"
    if value is None:
        return f"{expression} is None"
    return f"{expression} == {literal(value)}"  # type: ignore[arg-type]  # a value of a field


def _joined(
    type_: CallType,
    fields: Collection[str],
    values: Mapping[str, Value],
    parts: Mapping[str, tuple[str, ...]],
    *,
    up_to: bool,
) -> str:
    """The conditions on the parts of a call; empty if one of them is not known or cannot be said."""
    conditions: list[str] = []
    for place in _places(type_, fields, parts):
        if place.expression not in values:
            return ""
        value = values[place.expression]
        if place.element:
            known = (
                frozenset(str(_field(item, place.element)) for item in value)
                if isinstance(value, tuple)
                else None
            )
            if known is None:
                return ""
            if known:
                among = literal(known)
                conditions.append(f"all(p.{place.element} in {among} for p in {place.expression})")
            else:
                conditions.append(f"len({place.expression}) == 0")
        elif isinstance(value, frozenset):
            conditions.append(f"{place.expression} == {literal(value)}")  # type: ignore[arg-type]  # of texts
        elif isinstance(value, RecordValue | tuple):
            return ""
        elif up_to and _is_number(value):
            conditions.append(f"{place.expression} <= {literal(value)}")
        else:
            conditions.append(_equals(place.expression, value))
    return " and ".join(conditions)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _field(item: object, name: str) -> Value:
    return dict(item.fields).get(name) if isinstance(item, RecordValue) else None
