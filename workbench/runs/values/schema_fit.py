"""Whether a value fits what its JSON schema demands of it, without the properties of objects.

What is doubtful does not fit: a pattern that cannot be read, or that takes too long.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import cast

from workbench.model import MOST_ELEMENTS, Json
from workbench.runs.values.coerce import shown
from workbench.runs.values.patterns import BadPattern, Pattern, Work, compiled

type Schema = Mapping[str, Json]

_SIGNS = r"(?s)\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$"
"""A sign after a backslash, a class of signs, or the end of a text."""


def misfit(value: Json, schema: Schema) -> str:
    """The reason why a value does not fit a schema, as the end of a sentence; empty if it fits."""
    for key, wanted in schema.items():
        fits = _TESTS.get(key)
        if fits is not None and not fits(value, wanted):
            return f"{shown(value)} does not fit its schema ({key}: {shown(wanted)})"
    for key, is_met in (("minimum", _at_least), ("maximum", _at_most)):
        strict = schema.get(f"exclusive{key.capitalize()}")
        if strict is True and not is_met(value, schema.get(key), strict=True):
            return f"{shown(value)} does not fit its schema ({key}: {schema.get(key)}, which is excluded)"
    return ""


def demands(keys: Schema) -> dict[str, Json]:
    """What of a schema without references ``misfit`` reads."""
    found: dict[str, Json] = {}
    for key, held in keys.items():
        if key in ("allOf", "anyOf") and isinstance(held, list):
            found[key] = [demands(part) for part in held if isinstance(part, Mapping)]
        elif key in ("items", "propertyNames"):
            if isinstance(held, Mapping) and (inner := demands(held)):
                found[key] = inner
        elif key in _TESTS:
            found[key] = held
    return found


def _same(first: Json, second: Json) -> bool:
    return _told_apart(first) == _told_apart(second)


def _told_apart(value: Json) -> Hashable:
    """What is equal for equal JSON only: true is not 1, and 1.0 is."""
    match value:
        case list():
            return ("list", tuple(map(_told_apart, value)))
        case dict():
            return ("object", frozenset((key, _told_apart(held)) for key, held in value.items()))
        case bool():
            return ("truth", value)
        case _:
            return value


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_OF_TYPE: Mapping[str, Callable[[Json], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or cast("float", value) % 1 == 0),
    "number": _is_number,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


def _is_of_type(value: Json, wanted: Json) -> bool:
    names = wanted if isinstance(wanted, list) else [wanted]
    return any(isinstance(name, str) and name in _OF_TYPE and _OF_TYPE[name](value) for name in names)


def _is_listed(value: Json, wanted: Json) -> bool:
    return isinstance(wanted, list) and any(_same(value, one) for one in wanted)


def _at_least(value: Json, wanted: Json, *, strict: bool = False) -> bool:
    """Whether a number is not below another; a bound that is no number is an old form, read by ``misfit``."""
    if not _is_any_number(value) or not _is_any_number(wanted):
        return True
    first, second = cast("float", value), cast("float", wanted)
    return first > second if strict else first >= second


def _at_most(value: Json, wanted: Json, *, strict: bool = False) -> bool:
    if not _is_any_number(value) or not _is_any_number(wanted):
        return True
    first, second = cast("float", value), cast("float", wanted)
    return first < second if strict else first <= second


def _is_any_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_multiple(value: Json, wanted: Json) -> bool:
    if not _is_any_number(value):
        return True
    if not _is_number(value) or not _is_number(wanted) or not wanted:
        return False
    from fractions import Fraction  # few schemas say multipleOf

    return Fraction(Decimal(repr(value))) % Fraction(Decimal(repr(wanted))) == 0


def _long(kind: type, *, at_most: bool) -> Callable[[Json, Json], bool]:
    """A test of how many signs, elements or members a value has."""

    def fits(value: Json, wanted: Json) -> bool:
        if not isinstance(value, kind):
            return True
        number = len(cast("str", value))
        return _at_most(number, wanted) if at_most else _at_least(number, wanted)

    return fits


def _are_all_different(value: Json, wanted: Json) -> bool:
    if wanted is not True or not isinstance(value, list):
        return True
    return len(value) <= MOST_ELEMENTS and len(set(map(_told_apart, value))) == len(value)


def _fit_all(value: Json, wanted: Json) -> bool:
    return not isinstance(value, list) or (
        len(value) <= MOST_ELEMENTS
        and isinstance(wanted, Mapping)
        and not any(misfit(one, wanted) for one in value)
    )


def _has_names(value: Json, wanted: Json) -> bool:
    if not isinstance(value, dict):
        return True
    return (
        len(value) <= MOST_ELEMENTS
        and isinstance(wanted, Mapping)
        and not any(misfit(key, wanted) for key in value)
    )


def _parts(wanted: Json) -> list[Schema]:
    return [part for part in wanted if isinstance(part, Mapping)] if isinstance(wanted, list) else []


def _matches(value: Json, wanted: Json) -> bool:
    if not isinstance(value, str):
        return True
    if not isinstance(wanted, str):
        return False
    work = Work()
    try:
        return all(pattern.is_in(value, work) for pattern in _readings(wanted))
    except (BadPattern, ModuleNotFoundError, TimeoutError):
        return False


@lru_cache(maxsize=256)
def _readings(pattern: str) -> tuple[Pattern, ...]:
    """The two ways to read a pattern of a schema, which both have to match.

    The classes of ECMAScript are those of ASCII except for blanks; its ``$`` is only the very end.
    """
    ends = re.sub(_SIGNS, lambda found: r"\Z" if found[0] == "$" else found[0], pattern)
    return compiled(ends), compiled(f"(?a){ends}")


_TESTS: Mapping[str, Callable[[Json, Json], bool]] = {
    "type": _is_of_type,
    "enum": _is_listed,
    "const": _same,
    "pattern": _matches,
    "minLength": _long(str, at_most=False),
    "maxLength": _long(str, at_most=True),
    "minimum": _at_least,
    "maximum": _at_most,
    "exclusiveMinimum": lambda value, wanted: _at_least(value, wanted, strict=True),
    "exclusiveMaximum": lambda value, wanted: _at_most(value, wanted, strict=True),
    "multipleOf": _is_multiple,
    "minItems": _long(list, at_most=False),
    "maxItems": _long(list, at_most=True),
    "uniqueItems": _are_all_different,
    "minProperties": _long(dict, at_most=False),
    "maxProperties": _long(dict, at_most=True),
    "items": _fit_all,
    "propertyNames": _has_names,
    "allOf": lambda value, wanted: not any(misfit(value, part) for part in _parts(wanted)),
    "anyOf": lambda value, wanted: any(not misfit(value, part) for part in _parts(wanted)),
}
