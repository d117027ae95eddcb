"""Values as a policy receives them: a value that does not fit its declared type cannot be evaluated.

Numbers may be JSON numbers, since JSON has no decimals. A type is a tuple: its kind, the values of an enum,
whether it is optional, decimal places, and what is inside: the kind of a set's elements, the type of a list's
elements, or a record's name and fields. The module is self-contained: an exported file has its text.
"""

# The text has the style of an exported file, which has no annotations.
# pyright: basic
# ruff: noqa: ANN001, ANN202

import datetime as _datetime
import decimal as _decimal

_LARGEST_EXPONENT = 30
_LONGEST_DURATION = _datetime.timedelta(days=10_000_000)
_EXACT_FLOATS = 2**53
_MOST_ELEMENTS = 1000


class _Misfit(Exception):
    """A value that does not fit its type; the text completes "the argument ..."."""


def _shown(value):
    if value is None:
        return "is None"
    text = repr(value)
    return f"is {text if len(text) <= 60 else text[:57] + '...'}"


def _with_article(name):
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def _exactly(kind, described):
    def fit(value):
        if type(value) is not kind:
            raise _Misfit(f"{_shown(value)}, not {described}")
        return value

    return fit


def _enum(values):
    members = frozenset(values)
    is_text = _exactly(str, "a string")

    def fit(value):
        if is_text(value) not in members:
            listed = ", ".join(f'"{word}"' for word in values[:5]) + (", ..." if len(values) > 5 else "")
            raise _Misfit(f"{_shown(value)}, which is not one of {listed}")
        return value

    return fit


def _int(value):
    """A whole number; a JSON number with a decimal point is accepted if it is exact."""
    if type(value) is float and value.is_integer() and abs(value) < _EXACT_FLOATS:
        return int(value)
    if type(value) is not int:
        raise _Misfit(f"{_shown(value)}, not a whole number")
    return value


def _decimal_of(places):
    """An exact decimal; a JSON number is taken as the decimal with the same text."""

    def fit(value):
        if type(value) is int:
            value = _decimal.Decimal(value)
        elif type(value) is float:
            value = _decimal.Decimal(repr(value))
        if type(value) is not _decimal.Decimal:
            raise _Misfit(f"{_shown(value)}, not a Decimal")
        if not value.is_finite():
            raise _Misfit(f"{_shown(value)}, which is no number")
        if value and value.adjusted() >= _LARGEST_EXPONENT:
            raise _Misfit(f"has more than {_LARGEST_EXPONENT} digits before the point")
        _, digits, exponent = value.as_tuple()
        if exponent < -places and any(digits[places + exponent :]):
            raise _Misfit(f"{_shown(value)}, which has more than {places} decimal places")
        return value

    return fit


def _set(element):
    member_type, singular, several = (int, "int", "ints") if element == "int" else (str, "string", "strings")

    def fit(value):
        if type(value) is not frozenset:
            raise _Misfit(f"is {_with_article(type(value).__name__)}, not a frozenset of {several}")
        for member in value:
            if type(member) is not member_type:
                raise _Misfit(f"has the member {member!r}, which is not {_with_article(singular)}")
        return value

    return fit


def _list(element, nouns):
    """A tuple of elements; a list that is too long is not read."""
    fit_element = _fit(element, nouns)

    def fit(value):
        if type(value) is not tuple:
            raise _Misfit(f"is {_with_article(type(value).__name__)}, not a tuple")
        if len(value) > _MOST_ELEMENTS:
            raise _Misfit(f"has {len(value)} elements, more than {_MOST_ELEMENTS}")
        elements = []
        for number, item in enumerate(value, 1):
            try:
                elements.append(fit_element(item))
            except _Misfit as misfit:
                raise _Misfit(f"has the element {number}, which {misfit}") from None
        return tuple(elements)

    return fit


def _record(name, fields, nouns):
    """A record with exactly the fields of its type, in the order of the type."""
    fits = {field: _fit(type_of, nouns) for field, type_of in fields}

    def fit(value):
        held = nouns.fields_of(value, name)
        value_by_field = dict(held)
        for field in value_by_field:
            if field not in fits:
                raise _Misfit(f"has the field `{field}`, which {name} does not have")
        if len(value_by_field) < len(held):
            raise _Misfit("has a field twice")
        fitted = {}
        for field, fit_field in fits.items():
            if field not in value_by_field:
                raise _Misfit(f"lacks the field `{field}`")
            try:
                fitted[field] = fit_field(value_by_field[field])
            except _Misfit as misfit:
                raise _Misfit(f"has the field `{field}`, which {misfit}") from None
        return nouns.record(name, fitted)

    return fit


def _known_fields(type_of, nouns):
    """The function that gives the known fields of a record as the policy receives them.

    A field that does not fit is not known. ``nouns`` has ``part`` too: a record with only some of its fields.
    """
    name, fields = type_of[4]
    fits = {field: _fit(field_type, nouns) for field, field_type in fields}

    def fit(value):
        fitted = {}
        for field, held in nouns.fields_of(value, name):
            try:
                fitted[field] = fits[field](held)
            except (_Misfit, KeyError):
                continue  # the policy reads no such field, or not this value of it
        return nouns.part(name, fitted)

    return fit


def _duration(value):
    if type(value) is not _datetime.timedelta:
        raise _Misfit(f"{_shown(value)}, not a timedelta")
    if abs(value) > _LONGEST_DURATION:
        raise _Misfit(f"{_shown(value)}, which is longer than {_LONGEST_DURATION.days} days")
    return value


def _time(value):
    if type(value) is not _datetime.time:
        raise _Misfit(f"{_shown(value)}, not a time")
    if value.tzinfo is not None:
        raise _Misfit("has a time zone, which a time of day cannot have")
    return value


def _instant(nouns):
    def fit(value):
        if type(value) is not _datetime.datetime:
            raise _Misfit(f"{_shown(value)}, not a datetime")
        try:
            return nouns.in_utc(value)
        except OverflowError:
            raise _Misfit(f"{_shown(value)}, which lies outside the calendar in UTC") from None

    return fit


_BY_VALUE = {
    "bool": _exactly(bool, "True or False"),
    "int": _int,
    "str": _exactly(str, "a string"),
    "date": _exactly(_datetime.date, "a date"),
    "time": _time,
    "duration": _duration,
}


def _fit(type_of, nouns):
    """The function that gives a value of a type as the policy receives it; it raises _Misfit for any other.

    ``nouns`` has the forms of what is no plain value: ``fields_of`` (the fields of a record that the caller
    gave, with their names), ``record`` (the record that the policy receives), and ``in_utc`` (of an instant).
    """
    kind, values, optional, places, inner = type_of
    match kind:
        case "enum":
            fit = _enum(values)
        case "decimal":
            fit = _decimal_of(places)
        case "datetime":
            fit = _instant(nouns)
        case "set":
            fit = _set(inner)
        case "list":
            fit = _list(inner, nouns)
        case "record":
            name, fields = inner
            fit = _record(name, fields, nouns)
        case _:
            fit = _BY_VALUE[kind]
    return (lambda value: None if value is None else fit(value)) if optional else fit


FITTING: dict[str, object] = {"fit": _fit, "known_fields": _known_fields, "shown": _shown, "misfit": _Misfit}
"""What the workbench uses of this module: the functions, and the class of their error."""
LARGEST_EXPONENT, LONGEST_DURATION = _LARGEST_EXPONENT, _LONGEST_DURATION
