"""Numbers with a unit, as people write them: ``5,000 EUR``, ``5%``, ``48 hours``, ``20 MB``.

A unit has forms: words of which each is so many of the unit. A number is written in the largest form that
gives a whole number above one; each form is read, and so is the number alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from workbench.language.words import UNITS_OF_TIME, Token, number_at, number_text, words_of

_SIZES = {
    "TB": 10**12, "GB": 10**9, "MB": 10**6, "kB": 10**3, "byte": 1,
    "GiB": 2**30, "MiB": 2**20, "KiB": 2**10,
}  # fmt: skip
MEASURES: Mapping[str, tuple[str, Fraction]] = {
    word: (kind, Fraction(size))
    for kind, sizes in {
        "weight": {
            "g gram grams": "1", "kg kilo kilos kilogram kilograms": "1000",
            "ton tons tonne tonnes": "1000000",
        },
        "space": {"ml millilitre millilitres": "1/1000", "l litre litres liter liters": "1"},
        "way": {
            "cm centimetre centimetres": "1/100", "metre metres meter meters": "1",
            "km kilometre kilometres": "1000",
        },
        "data": {word: str(size) for word, size in _SIZES.items()},
        "money": {"cent cents": "1/100"},
    }.items()
    for words, size in sizes.items()
    for word in words.casefold().split()
}  # fmt: skip
"""What words measure, and how many of the first unit of its kind each is."""
_SIGNS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹", "CHF": "Fr"}
_PLACES = 2
"""The places of an amount of money that is no whole number."""


class Form(NamedTuple):
    """Words that stand after a number, or before it, and how many of the unit one of them is."""

    text: str
    size: Fraction
    is_before: bool = False
    is_written: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        """The words as the grammar compares them."""
        return words_of(self.text)


class Unit(NamedTuple):
    """A unit with its forms, the largest first."""

    name: str
    forms: tuple[Form, ...]
    places: int = 0


@lru_cache(maxsize=64)
def unit_named(name: str) -> Unit:
    """The unit of a name, as ``[units]`` of ``agent.toml`` has it."""
    plain = name.removesuffix("s").casefold()
    times = {one.casefold(): size for one, size in UNITS_OF_TIME.items()}
    sizes = {one.casefold(): size for one, size in _SIZES.items()}
    if plain in times:
        return Unit(name, tuple(_scaled(UNITS_OF_TIME, times[plain], plurals=True)))
    if plain in sizes:
        return Unit(name, tuple(_scaled(_SIZES, sizes[plain], plurals=False)))
    if plain in ("%", "percent"):
        return Unit(name, _percent(Fraction(1)))
    if plain in ("fraction", "ratio"):
        return Unit(name, _percent(Fraction(1, 100)))
    code = next((code for code, sign in _SIGNS.items() if name in (code, sign)), "")
    if not code:
        one = (Form(name.removesuffix("s"), Fraction(1), is_written=False),) if name.endswith("s") else ()
        return Unit(name, (Form(name, Fraction(1)), *one))
    forms = [Form(code, Fraction(1)), Form(code, Fraction(1), is_before=True, is_written=False)]
    sign = _SIGNS[code]
    forms += [Form(sign, Fraction(1), is_before=is_before, is_written=False) for is_before in (True, False)]
    return Unit(name, tuple(forms), _PLACES)


def _scaled(sizes: dict[str, int], one: int, *, plurals: bool) -> Iterator[Form]:
    """The forms of a family of units, for numbers of one of them; smaller ones are read only."""
    for name, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        written = size >= one and (size == one or name != "week")
        yield Form(name, Fraction(size, one), is_written=written and not (plurals or name == "byte"))
        if plurals or name == "byte":
            yield Form(f"{name}s", Fraction(size, one), is_written=written)


def _percent(size: Fraction) -> tuple[Form, ...]:
    return Form("%", size), Form("percent", size, is_written=False), Form("per cent", size, is_written=False)


def amount_text(value: int | Decimal, name: str) -> str:
    """A number of a unit as people write it; the number alone where no form gives its digits."""
    unit = unit_named(name)
    written = [form for form in unit.forms if form.is_written]
    counts = [(form, Fraction(value) / form.size) for form in written]
    whole = [(form, count) for form, count in counts if count.denominator == 1 and abs(count) > 1]
    form, count = next(iter(whole), counts[-1])
    number = _digits(count, value if form.size == 1 else None)
    if not number:
        return number_text(value)
    if unit.places and "." in number:
        number += "0" * (unit.places - len(number.partition(".")[2]))
    one = form.text.removesuffix("s")
    text = one if abs(count) == 1 and any(each.text == one for each in unit.forms) else form.text
    return f"{number}{'' if text == '%' else ' '}{text}"


def _digits(count: Fraction, value: int | Decimal | None) -> str:
    """The digits of a number of forms; empty if it has no end of them."""
    if value is not None:
        return number_text(value)
    if count.denominator == 1:
        return number_text(count.numerator)
    exact = Decimal(count.numerator) / Decimal(count.denominator)
    return number_text(exact) if Fraction(exact) == count else ""


def amounts_at(tokens: Sequence[Token], at: int, name: str, sort: str) -> Iterator[tuple[int, int | Decimal]]:
    """Yield where a number with a unit ends that begins at a place, and what it is as one of the sort."""
    for form in unit_named(name).forms:
        words = form.words
        first = at + len(words) if form.is_before else at
        after = first + 1
        where = at if form.is_before else after
        said = tuple(token.word for token in tokens[where : where + len(words)])
        if said != words or first >= len(tokens):
            continue
        number = number_at(tokens[first], "dec")
        value = None if number is None else _value(Fraction(number) * form.size, sort)
        if value is not None:
            yield (after if form.is_before else after + len(words)), value


def measured(value: Decimal, unit: str, words: Iterable[str]) -> Decimal | None:
    """A number of a measure in the measure that is among some words: 4 GB of "size mb"; None if none is."""
    kind, size = MEASURES[unit]
    own = next((MEASURES[word] for word in words if MEASURES.get(word, ("",))[0] == kind), None)
    one = Fraction(1) if kind == "money" else None if own is None else own[1]
    if one is None:
        return None
    exact = Fraction(value) * size / one
    found = Decimal(exact.numerator) / Decimal(exact.denominator)
    return found if Fraction(found) == exact else None


def _value(value: Fraction, sort: str) -> int | Decimal | None:
    if sort == "int":
        return value.numerator if value.denominator == 1 else None
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return exact if Fraction(exact) == value else None
