"""How a model is told the type of a value, and the form in which it replies with one. Texts are bounded."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from workbench.model import ArgumentType, Kind

Short = Annotated[str, Field(max_length=160)]
Line = Annotated[str, Field(max_length=400)]

_DECIMAL = r"^-?[0-9]{1,20}(\.[0-9]{1,10})?$"
_MOST_VALUES = 120
_MOST_OF_SET = 8
_TYPES = {
    Kind.BOOL: "True or False",
    Kind.INT: "a whole number",
    Kind.DECIMAL: 'an exact decimal, written as Decimal("1.50")',
    Kind.STR: "a text",
    Kind.DATE: "a date, written as date(2026, 1, 31)",
    Kind.TIME: "a time of day, written as time(9, 0)",
    Kind.DATETIME: "a time, written as datetime(2026, 1, 31, 9, 0)",
    Kind.DURATION: "a duration, written as timedelta(hours=24)",
}


def described(name: str, type_: ArgumentType, description: str) -> str:
    """A value as a line of a prompt: its name, its type and its meaning."""
    return f"{name}: {_described(type_)}{f' ({description})' if description else ''}"


def _described(type_: ArgumentType) -> str:
    listed = ", ".join(f'"{value}"' for value in type_.values[:_MOST_VALUES])
    if type_.kind is Kind.LIST and type_.element is not None:
        of = f"a list, each element of which is {_described(type_.element)}"
    elif type_.kind is Kind.ENUM:
        of = f"one of {listed}"
    elif type_.kind is Kind.SET:
        members = "whole numbers" if type_.element is not None else "texts"
        of = f"a set of {members}{f' such as {listed}' if listed else ''}"
    else:
        of = _TYPES[type_.kind]
    return f"{of}{', or None if not known' if type_.optional else ''}"


def element_type(declared: ArgumentType) -> Any:
    """The type of a set's elements in a form."""
    return Literal[declared.values] if declared.values else Short


def value_type(declared: ArgumentType) -> Any:
    """The type of a value in a form."""
    match declared.kind:
        case Kind.BOOL:
            return bool
        case Kind.INT:
            return Annotated[int, Field(ge=-(10**12), le=10**12)]
        case Kind.DECIMAL:
            return Annotated[str, Field(pattern=_DECIMAL)]
        case Kind.ENUM:
            return Literal[declared.values]
        case Kind.SET:
            element: Any = element_type(declared)
            return Annotated[list[element], Field(max_length=_MOST_OF_SET)]
        case _:
            return Short
