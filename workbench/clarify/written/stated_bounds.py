"""On which side of a bound the words of a sentence put the bound itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

LOW, HIGH = "low", "high"
_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NUMBER = re.compile(rf"(?<![\w.,])(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?!\w)|\b(?:{'|'.join(_WORDS)})\b")
_BEFORE = {
    LOW: (
        *(
            "more than",
            "over",
            "exceed(?:s|ed|ing)?",
            "above",
            "beyond",
            "at most",
            "up to",
            "within",
            "first",
        ),
        "(?:older|longer|greater|higher|larger|later) than",
        *("not? (?:more|later|longer|older) than", "maximum(?: of)?", "max", "limit(?: of)?"),
        "up to and including",
    ),
    HIGH: (
        *("less than", "fewer than", "under", "below", "at least", "minimum(?: of)?", "min"),
        *("(?:younger|shorter|smaller|lower|earlier) than", "not? (?:less|fewer|earlier|younger) than"),
    ),
}
"""The words before a number that put it on a side."""
_AFTER = {
    LOW: ("or (?:less|fewer|younger)", "at (?:the )?most", "(?:as a )?maximum"),
    HIGH: ("or (?:more|older)", "at (?:the )?least", "(?:as a )?minimum"),
}
"""The words after a number, or after what it counts, that put it on a side."""
_IS_BEFORE = {
    side: re.compile(rf"\b(?:{'|'.join(words)})\W+(?:\w+\W+){{0,2}}$") for side, words in _BEFORE.items()
}
_IS_AFTER = {
    side: re.compile(rf"^\W*(?:\w+\W+){{0,2}}(?:{'|'.join(words)})\b") for side, words in _AFTER.items()
}
_MONTHS = re.compile(r"^\W*months?\b")
_DAYS_OF_A_MONTH = (28, 31)
_UNITS = tuple(timedelta(**{unit: 1}) for unit in ("weeks", "days", "hours", "minutes", "seconds"))


def stated_side(sentence: str, bound: object) -> str:
    """The side on which a sentence puts a bound, ``low`` for “more than” and “at most”; empty if it is open.

    It is open too where the sentence has the number twice, with different words.
    """
    text = sentence.casefold()
    numbers = set(_numbers_of(bound))
    sides = {
        side
        for found in _NUMBER.finditer(text)
        if _value(found.group()) in numbers or _is_months(found.group(), text[found.end() :], bound)
        for side in (_side(text[: found.start()], text[found.end() :]),)
    }
    return sides.pop() if len(sides) == 1 else ""


def _side(before: str, after: str) -> str:
    for side in (LOW, HIGH):
        if _IS_BEFORE[side].search(before) or _IS_AFTER[side].search(after):
            return side
    return ""


def _is_months(number: str, after: str, bound: object) -> bool:
    """Whether a number of months, which a rule can only say in days, is a bound."""
    if not isinstance(bound, timedelta) or not _MONTHS.search(after):
        return False
    least, most = (days * _value(number) for days in _DAYS_OF_A_MONTH)
    return least <= bound.days <= most and not bound % timedelta(days=1)


def _value(text: str) -> Decimal:
    return Decimal(_WORDS.index(text)) if text in _WORDS else Decimal(text.replace(",", ""))


def _numbers_of(bound: object) -> Iterator[Decimal]:
    """The numbers by which a bound may be said; of a duration in each of its units."""
    if isinstance(bound, int | Decimal):
        yield Decimal(bound)
    elif isinstance(bound, timedelta):
        yield from (Decimal(bound // unit) for unit in _UNITS if not bound % unit)
