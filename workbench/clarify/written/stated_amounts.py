"""The amounts that a sentence states with a unit, and the unit in which a number of a call counts.

What is 50 EUR in the words of a request is 5,000 in a field that counts cents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from workbench.clarify.written.book import Book, SaidRule, places
from workbench.dialect.call_fields import CallField
from workbench.language.trees import Tree
from workbench.language.words import COUNTED
from workbench.model import Kind

_TIMES = {
    "millisecond": Fraction(1, 1000), "msec": Fraction(1, 1000), "ms": Fraction(1, 1000),
    "second": Fraction(1), "sec": Fraction(1), "minute": Fraction(60), "min": Fraction(60),
    "hour": Fraction(3600), "day": Fraction(86_400), "week": Fraction(604_800),
}  # fmt: skip
_MONEY = {
    **dict.fromkeys(("eur", "euro", "€", "usd", "dollar", "$", "gbp", "pound", "£", "chf"), Fraction(100)),
    **dict.fromkeys(("cent", "ct", "penny", "pence", "minor unit"), Fraction(1)),
}
_DATA = {"byte": Fraction(1), "kb": Fraction(10**3), "mb": Fraction(10**6), "gb": Fraction(10**9)}
_WEIGHT = {
    **dict.fromkeys(("mcg", "ug"), Fraction(1, 10**6)), "mg": Fraction(1, 1000), "gram": Fraction(1),
    **dict.fromkeys(("kg", "kilogram"), Fraction(1000)), "tonne": Fraction(10**6),
}  # fmt: skip
_VOLUME = {"ml": Fraction(1), "cl": Fraction(10), **dict.fromkeys(("litre", "liter"), Fraction(1000))}
_LENGTH = {
    "mm": Fraction(1), "cm": Fraction(10), "metre": Fraction(1000), "meter": Fraction(1000),
    "km": Fraction(10**6),
}  # fmt: skip
_DIMENSIONS: Sequence[Mapping[str, Fraction]] = (_TIMES, _MONEY, _DATA, _WEIGHT, _VOLUME, _LENGTH)
_UNITS = {word: (number, size) for number, one in enumerate(_DIMENSIONS) for word, size in one.items()}
_LETTERS = {"s": "second", "h": "hour", "g": "gram", "l": "litre", "m": "metre", "b": "byte", "t": "tonne"}
"""Units that names have by a letter; in a sentence such a letter may be anything."""
_NAMES = "|".join(re.escape(word) for word in sorted(_UNITS, key=len, reverse=True))
COUNTS = ("zero", "one", *COUNTED)
"""The numbers that a sentence may have as words, in their order."""
_NUMBER = r"(?P<number>\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,9})?|\d{1,18}(?:\.\d{1,9})?|" + "|".join(COUNTS) + ")"
"""A number that somebody means: Python refuses to read one of thousands of digits."""
_STATED = re.compile(
    rf"(?<![\w.,])(?:(?P<sign>[€$£]|eur |usd |gbp )?){_NUMBER}(?:[ -]?(?P<unit>{_NAMES})s?(?!\w))?(?![\d:])"
)
_IN_TEXT = re.compile(rf"(?<!\w)(?P<unit>{_NAMES})s?(?!\w)")
_DURATIONS = tuple(timedelta(**{unit: 1}) for unit in ("weeks", "days", "hours", "minutes", "seconds"))
_TENS = frozenset(Fraction(10) ** power for power in (-4, -3, -2, -1, 1, 2, 3, 4))

type Unit = tuple[int, Fraction]
"""A dimension, and how many of its smallest unit one is."""


@dataclass(frozen=True, slots=True)
class StatedAmount:
    """A number of a sentence with its unit, and where the number is."""

    number: Fraction
    unit: Unit
    start: int
    end: int

    @property
    def conversions(self) -> frozenset[Fraction]:
        """The amount as a number of each unit of its dimension."""
        dimension, size = self.unit
        return frozenset(self.number * size / other for other in _DIMENSIONS[dimension].values())


def unit_named(word: str) -> Unit | None:
    """The unit that a word in small letters is; None if it is none."""
    return _UNITS.get(_LETTERS.get(word, word)) or _UNITS.get(word.removesuffix("s"))


def stated_amounts(sentence: str) -> Iterator[StatedAmount]:
    """Yield the numbers of a sentence that have a unit."""
    for found in _STATED.finditer(sentence.casefold()):
        name = (found["unit"] or found["sign"] or "").strip()
        if name:
            yield StatedAmount(value_of(found["number"]), _UNITS[name], *found.span("number"))


def _bare_numbers(sentence: str) -> set[Fraction]:
    """The numbers of a sentence that have no unit."""
    found = _STATED.finditer(sentence.casefold())
    return {value_of(one["number"]) for one in found if not one["unit"] and not one["sign"]}


def value_of(text: str) -> Fraction:
    """The number that a word or digits with commas say."""
    # As a decimal first: of it alone Python reads thousands of digits.
    return Fraction(COUNTS.index(text)) if text in COUNTS else Fraction(Decimal(text.replace(",", "")))


def unit_counted(book: Book, rule: SaidRule, left: Tree) -> Unit | None:
    """The unit in which what a rule compares counts: that of the one field in it that has one."""
    names = {part[2] for _, part in places(left) if part[0] == "attr"}
    found = {
        unit
        for name in rule.classes
        if (call := book.language.types.calls.get(name)) is not None
        for one in _numbers(call.fields)
        if one.name in names and (unit := _unit_of(one, book.agent.units.get(f"{name}.{one.name}", "")))
    }
    return found.pop() if len(found) == 1 else None


def is_amount_of_money(stated: StatedAmount) -> bool:
    """Whether a stated amount is one of money."""
    return _DIMENSIONS[stated.unit[0]] is _MONEY


def counts_money(one: CallField, declared: str) -> bool | None:
    """Whether a number counts money, by its unit; None where no unit is known."""
    unit = _unit_of(one, declared)
    return None if unit is None else _DIMENSIONS[unit[0]] is _MONEY


def _numbers(fields: Sequence[CallField]) -> Iterator[CallField]:
    for one in fields:
        if one.type.kind in (Kind.INT, Kind.DECIMAL):
            yield one
        yield from _numbers(one.fields)


def _unit_of(one: CallField, declared: str) -> Unit | None:
    """The unit of a number: as it is declared, named, or described; of two of a kind the smaller one."""
    named = one.name.replace("_", " ")
    for text in (declared, named, one.description):
        units = [_UNITS[found["unit"]] for found in _IN_TEXT.finditer(text.casefold())]
        if len({dimension for dimension, _ in units}) == 1:
            return min(units)
    return None


def counted_in(stated: StatedAmount, bound: object, unit: Unit | None) -> Fraction | None:
    """What a stated amount is as a number of a unit, or in seconds for a duration; None for other things."""
    if isinstance(bound, timedelta):
        unit = (0, Fraction(1))
    if unit is None or unit[0] != stated.unit[0]:
        return None
    return stated.number * stated.unit[1] / unit[1]


def number_of(bound: object) -> Fraction | None:
    """A bound as a number; of a duration its seconds."""
    if isinstance(bound, timedelta):
        return Fraction(bound // timedelta(microseconds=1), 10**6)
    return Fraction(bound) if isinstance(bound, int | Decimal) else None


def counts_of(duration: timedelta) -> Iterator[int]:
    """Yield the whole numbers of weeks, days, hours, minutes and seconds that a duration is."""
    yield from (duration // unit for unit in _DURATIONS if not duration % unit)


def agreeing(sentence: str, bound: object, unit: Unit | None) -> Iterator[StatedAmount]:
    """Yield the amounts of a sentence that are a bound in its unit."""
    number = number_of(bound)
    for stated in stated_amounts(sentence):
        if number is not None and counted_in(stated, bound, unit) == abs(number):
            yield stated


def meant_instead(sentence: str, bound: object, unit: Unit | None) -> Fraction | None:
    """What a bound would be if its unit were that of the sentence; None where the two agree or are unlike.

    They are unlike where no slip of a unit or of a decimal point leads from one to the other.
    """
    number = number_of(bound)
    if not number or any(True for _ in agreeing(sentence, bound, unit)):
        return None
    if not isinstance(bound, timedelta) and abs(number) in _bare_numbers(sentence):
        return None
    found = set[Fraction]()
    for stated in stated_amounts(sentence):
        expected = counted_in(stated, bound, unit)
        sizes = _DIMENSIONS[stated.unit[0]].values()
        slips = {one / other for one in sizes for other in sizes}
        if not isinstance(bound, timedelta):
            slips |= _TENS
        if expected and abs(number) / expected in slips:
            found.add(expected if number > 0 else -expected)
    return found.pop() if len(found) == 1 else None
