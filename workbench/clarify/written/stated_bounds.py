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
_LOW = re.compile(
    r"\b(?:more than|over|exceed(?:s|ed|ing)?|above|beyond|(?:older|longer|greater|higher|larger|later) than"
    r"|at most|no(?:t)? (?:more|later|longer|older) than|maximum(?: of)?|max|limit(?: of)?"
    r"|up to and including)\W+(?:\w+\W+){0,2}$"
)
_HIGH = re.compile(
    r"\b(?:less than|fewer than|under|below|(?:younger|shorter|smaller|lower|earlier) than"
    r"|at least|no(?:t)? (?:less|fewer|earlier|younger) than|minimum(?: of)?|min)\W+(?:\w+\W+){0,2}$"
)
_LOW_AFTER = re.compile(r"^\W*(?:\w+\W+){0,2}(?:or (?:less|fewer|younger)|at most|(?:as a )?maximum)\b")
_HIGH_AFTER = re.compile(r"^\W*(?:\w+\W+){0,2}(?:or (?:more|older)|at least|(?:as a )?minimum)\b")
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
        if _value(found.group()) in numbers
        for side in (_side(text[: found.start()], text[found.end() :]),)
    }
    return sides.pop() if len(sides) == 1 else ""


def _side(before: str, after: str) -> str:
    if _LOW.search(before) or _LOW_AFTER.search(after):
        return LOW
    return HIGH if _HIGH.search(before) or _HIGH_AFTER.search(after) else ""


def _value(text: str) -> Decimal:
    return Decimal(_WORDS.index(text)) if text in _WORDS else Decimal(text.replace(",", ""))


def _numbers_of(bound: object) -> Iterator[Decimal]:
    """The numbers by which a bound may be said; of a duration in each of its units."""
    if isinstance(bound, int | Decimal):
        yield Decimal(bound)
    elif isinstance(bound, timedelta):
        yield from (Decimal(bound // unit) for unit in _UNITS if not bound % unit)
