"""The types of the dialect: how they are shown, joined, compared and ordered.

Inside the checker, a string that is known to be one of a few constants has the enum type of exactly these
constants. So a literal ``"a"`` has the type ``Literal["a"]``.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from workbench.model import ArgumentType, Kind, Scalar

BOOL = ArgumentType(Kind.BOOL)
INT = ArgumentType(Kind.INT)
DECIMAL = ArgumentType(Kind.DECIMAL)
STR = ArgumentType(Kind.STR)
SET = ArgumentType(Kind.SET)
DATE = ArgumentType(Kind.DATE)
TIME = ArgumentType(Kind.TIME)
DATETIME = ArgumentType(Kind.DATETIME)
DURATION = ArgumentType(Kind.DURATION)
LONGEST_DURATION = timedelta(days=10_000_000)

NAMED = {
    "bool": BOOL,
    "int": INT,
    "Decimal": DECIMAL,
    "str": STR,
    "date": DATE,
    "time": TIME,
    "datetime": DATETIME,
    "timedelta": DURATION,
}
_NAMES = {named.kind: name for name, named in NAMED.items()}
ORDERED = {Kind.INT, Kind.DECIMAL, Kind.DATE, Kind.TIME, Kind.DATETIME, Kind.DURATION}
NUMBERS = {Kind.INT, Kind.DECIMAL}
MOMENTS = {Kind.DATE, Kind.DATETIME}
TEXTS = {Kind.STR, Kind.ENUM}
_KINDS: dict[type, ArgumentType] = {
    bool: BOOL,
    int: INT,
    Decimal: DECIMAL,
    date: DATE,
    time: TIME,
    datetime: DATETIME,
    timedelta: DURATION,
}


def of_value(value: Scalar) -> ArgumentType:
    """The type of a constant; a string has the enum type of itself."""
    return ArgumentType(Kind.ENUM, (value,)) if isinstance(value, str) else _KINDS[type(value)]


def with_article(name: str) -> str:
    """The name of a type with its article: ``an int``, ``a Decimal``."""
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def a_type(kind: ArgumentType, *, first: bool = False) -> str:
    """A type with its article, such as ``an int``; with ``first`` for the beginning of a sentence."""
    text = with_article(show(kind))
    return text[0].upper() + text[1:] if first else text


def show(kind: ArgumentType) -> str:
    """The type as text of the dialect."""
    if kind.kind is Kind.ENUM:
        shown_values = ", ".join(f'"{value}"' for value in kind.values[:3])
        text = f"Literal[{shown_values}{', ...' if len(kind.values) > 3 else ''}]"
    elif kind.kind is Kind.SET:
        text = f"frozenset[{show(set_element(kind))}]"
    elif kind.kind is Kind.LIST and kind.element is not None:
        text = f"tuple[{show(kind.element)}, ...]"
    elif kind.kind is Kind.RECORD and kind.record is not None:
        text = kind.record.name
    else:
        text = _NAMES[kind.kind]
    return f"{text} | None" if kind.optional else text


def set_element(kind: ArgumentType) -> ArgumentType:
    """The type of the elements of a set: strings, unless the set type declares another."""
    return kind.element or STR


def holds_many(kind: ArgumentType) -> bool:
    """Whether values of the type are sets or lists."""
    return kind.kind in (Kind.SET, Kind.LIST)


def holds(kind: ArgumentType, sought: Kind) -> bool:
    """Whether a value of the type is of a kind, or has a field or an element of that kind."""
    within = [field for _, field in kind.record.fields] if kind.record is not None else []
    within += [kind.element] if kind.element is not None else []
    return kind.kind is sought or any(holds(inner, sought) for inner in within)


def has_elements(kind: ArgumentType) -> bool:
    """Whether a value of the type is a set or list, or has a field that is a set or list."""
    return holds(kind, Kind.SET) or holds(kind, Kind.LIST)


def is_text(kind: ArgumentType) -> bool:
    """Whether values of the type are strings."""
    return kind.kind in TEXTS


def comparable(left: ArgumentType, right: ArgumentType) -> bool:
    """Whether ``==`` can compare two types: single values of one kind."""
    if Kind.RECORD in (left.kind, right.kind) or holds_many(left) or holds_many(right):
        return False
    return left.kind is right.kind or (is_text(left) and is_text(right))


def disjoint(left: ArgumentType, right: ArgumentType) -> bool:
    """Whether two enums share no value, so that they are never equal."""
    are_enums = left.kind is Kind.ENUM and right.kind is Kind.ENUM
    return are_enums and not set(left.values) & set(right.values)


def join(left: ArgumentType, right: ArgumentType) -> ArgumentType | None:
    """The narrowest type that holds the values of both types, or None."""
    optional = left.optional or right.optional
    if left.kind is Kind.ENUM and right.kind is Kind.ENUM:
        return ArgumentType(Kind.ENUM, tuple(dict.fromkeys(left.values + right.values)), optional)
    if is_text(left) and is_text(right):
        return replace(STR, optional=optional)
    is_same_kind = left.kind is right.kind and (left.record, left.element) == (right.record, right.element)
    return replace(left, optional=optional) if is_same_kind else None


def joined(kinds: list[ArgumentType]) -> ArgumentType | None:
    """The narrowest type of all values; that of many texts is made at once, not from one to the next."""
    if kinds and all(kind.kind is Kind.ENUM for kind in kinds):
        values = dict.fromkeys(value for kind in kinds for value in kind.values)
        return ArgumentType(Kind.ENUM, tuple(values), optional=any(kind.optional for kind in kinds))
    argument_type: ArgumentType | None = kinds[0] if kinds else None
    for kind in kinds[1:]:
        argument_type = join(argument_type, kind) if argument_type is not None else None
    return argument_type


def assignable(type_: ArgumentType, target: ArgumentType) -> bool:
    """Whether every value of the given type is a value of the wanted type."""
    if type_.optional and not target.optional:
        return False
    if target.kind is Kind.ENUM:
        return type_.kind is Kind.ENUM and set(type_.values) <= set(target.values)
    if target.kind is Kind.RECORD or holds_many(target):
        return replace(type_, optional=False, values=()) == replace(target, optional=False, values=())
    return type_.kind is target.kind or (target.kind is Kind.STR and type_.kind is Kind.ENUM)
