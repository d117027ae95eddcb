"""Numbers, amounts, dates and times of a request as exact values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal

from workbench.author.rules.sentences import SentenceWord
from workbench.model import Scalar

QUANTITIES = frozenset(["NUMBER", "MONEY", "DATE", "TIME"])
_CURRENCIES = {"€": "EUR", "$": "USD", "£": "GBP", "euro": "EUR", "dollar": "USD", "pound": "GBP"}
_OPERATORS = {
    "at least": ">=",
    "no less than": ">=",
    "not less than": ">=",
    "no fewer than": ">=",
    "at most": "<=",
    "no more than": "<=",
    "not more than": "<=",
    "up to": "<=",
    "up to and including": "<=",
    "a limit of": "<=",
    "not exceed": "<=",
    "not exceeding": "<=",
    "more than": ">",
    "greater than": ">",
    "larger than": ">",
    "higher than": ">",
    "older than": ">",
    "later than": ">",
    "exceed": ">",
    "exceeds": ">",
    "exceeding": ">",
    "after": ">",
    "less than": "<",
    "fewer than": "<",
    "lower than": "<",
    "smaller than": "<",
    "younger than": "<",
    "before": "<",
    "under": "<",
    "below": "<",
    "over": ">",
    "above": ">",
    "until": "<=",
    "within": "<=",
    "since": ">=",
    "exactly": "==",
    "equal": "==",
    "equals": "==",
    "equal to": "==",
    "equals to": "==",
    "=": "==",
    "==": "==",
    "!=": "!=",
    "≠": "!=",
    "<": "<",
    "<=": "<=",
    "≤": "<=",
    ">": ">",
    ">=": ">=",
    "≥": ">=",
}
# Comparing words that allow values up to a number.
UPPER_BOUNDS = frozenset(["at most", "no more than", "not more than", "up to", "only"])
# Words that people use both including and excluding the bound.
OPEN_WORDS = frozenset(["under", "below", "over", "above", "until", "since"])


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact value with its unit: a currency code, ``years``, or nothing."""

    value: Scalar
    unit: str = ""


def read_quantity(word: SentenceWord) -> Quantity | None:
    """The value of a token, or None if it is not a possible one."""
    text = word.text.strip()
    try:
        match word.kind:
            case "NUMBER":
                digits = re.match(r"-?[\d,]*\.?\d*", text)
                number = _number(digits.group() if digits else "")
                return Quantity(number, "years" if re.search(r"y(ea)?rs?", text, re.I) else "")
            case "MONEY":
                digits = re.search(r"[\d,]+(?:\.\d+)?", text)
                return Quantity(_number(digits.group() if digits else ""), _currency(text))
            case "DATE":
                return Quantity(date.fromisoformat(text))
            case "TIME":
                return Quantity(_time(text.lower()))
            case _:
                return None
    except (ValueError, ArithmeticError):
        return None


def read_comparator(text: str) -> tuple[str, str]:
    """The operator of a comparing word, and the word itself if it leaves the bound open."""
    words = without_copula(text)
    return _OPERATORS[words], words if words in OPEN_WORDS else ""


def without_copula(text: str) -> str:
    """A comparing word in lower case, without the verb or preposition before it: “is more than”."""
    first, *words = text.lower().split()
    return " ".join(words if words and first in ("is", "are", "be", "of", "aged") else (first, *words))


def _number(text: str) -> Scalar:
    if "," in text and not re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        raise ValueError(text)
    text = text.replace(",", "")
    return Decimal(text) if "." in text else int(text)


def _currency(text: str) -> str:
    unit = re.sub(r"[\d,.\s]", "", text)
    return _CURRENCIES.get(unit.lower().rstrip("s"), unit.upper())


def _time(text: str) -> time:
    if text in ("noon", "midnight"):
        return time(12 if text == "noon" else 0)
    match = re.fullmatch(r"(\d{1,2})(?::(\d{2}))?\s*(am|pm)?", text)
    if match is None:
        raise ValueError(text)
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3]:
        if not 1 <= hour <= 12:
            raise ValueError(text)
        hour = hour % 12 + (12 if match[3] == "pm" else 0)
    return time(hour, minute)
