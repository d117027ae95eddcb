"""Words and values as people write them: tokens of a sentence, nouns of names, numbers, times and texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MOST_DIGITS = 60
UNITS_OF_TIME = {"week": 604_800, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
"""How many seconds each unit is."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TOKEN = re.compile(
    r"(?P<marker>\((?:[a-z]{1,4}|[A-Z]|\d{1,3}(?:\.\d{1,3})?)\))"
    r"|(?P<clock>\d{1,2}:\d\d(?::\d\d(?:\.\d{1,6})?)?)"
    r"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"|(?P<short>['’](?:s|t|re|ve|d|ll|m)\b)"
    r"|(?P<word>[^\W\d_](?:[^\W_]|-(?=[^\W_]))*)"
    r"|(?P<other>\S)"
)
_OPENING = re.compile('[“"]')
_PARTS_OF_NAME = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, text in quotation marks, marker of a list or sign, with its place in the sentence.

    ``word`` is what the grammar compares: a word in small letters.
    """

    kind: str
    text: str
    word: str
    start: int
    end: int


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a sentence."""
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    end = 0
    for start, after in (*texts_in(text), (len(text), len(text))):
        yield from _plain_tokens(text, end, start)
        if after > start:
            inner = text[start + 1 : after - 1]
            yield Token("text", f"“{inner}”", f"“{inner.casefold()}”", start, after)
        end = after


def _plain_tokens(text: str, start: int, end: int) -> Iterator[Token]:
    for found in _TOKEN.finditer(text, start, end):
        kind, written = found.lastgroup or "other", found.group()
        word = written.replace("’", "'").casefold() if kind != "marker" else written
        yield Token(kind, written, word, found.start(), found.end())


def texts_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each text in quotation marks begins and ends; a mark that is not closed begins none.

    A closing mark in a text is doubled. What one opening mark lacks, all later ones lack too, so that each
    is looked for once.
    """
    at, closed = 0, {"“": True, '"': True}
    for found in _OPENING.finditer(text):
        start, mark = found.start(), found.group()
        if start < at or not closed[mark]:
            continue
        end = _closing(text, start)
        if end < 0:
            closed[mark] = False
        else:
            at = end + 1
            yield start, at


def _closing(text: str, start: int) -> int:
    if text[start] == '"':
        return text.find('"', start + 1)
    end = text.find("”", start + 1)
    while end >= 0 and text[end + 1 : end + 2] == "”":
        end = text.find("”", end + 2)
    return end


def words_of(text: str) -> tuple[str, ...]:
    """The words that the grammar compares, of a piece of a pattern or a noun."""
    return tuple(token.word for token in tokens(text))


def words_of_name(name: str) -> str:
    """The words of an identifier: ``approved_at`` is "approved at", ``orderId`` is "order id"."""
    pieces = re.split(r"[_\-\s.]+", name)
    parts = [
        part
        for piece in pieces
        for part in (_PARTS_OF_NAME.findall(piece) if piece.isascii() else re.findall(r"\w+", piece))
    ]
    return " ".join(part if part.isupper() and len(part) > 1 else part.lower() for part in parts) or name


def identifier_of(words: str, otherwise: str = "element") -> str:
    """A name of the dialect for words; names are of plain letters."""
    name = "_".join(re.findall(r"[a-z0-9]+", words.lower())) if words.isascii() else ""
    return name if name.isidentifier() else otherwise


@lru_cache(maxsize=65536)
def singular(plural: str) -> str:
    """One of several things: "legs" are each a "leg"; of another word each is an "entry"."""
    if re.search(r"\bpeople$", plural):
        return plural.removesuffix("people") + "person"
    if re.search(r"[^aeiou]ies$", plural):
        return plural[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z)es$", plural):
        return plural[:-2]
    if re.search(r"[^su]s$", plural) and len(plural) > 2:
        return plural[:-1]
    return f"{plural} entry"


def things(words: Iterable[str]) -> set[str]:
    """Words, those of many things as of one."""
    return {singular(word).removesuffix(" entry") for word in words}


def listed(parts: Sequence[str], word: str = "or") -> str:
    """Words one after another: "a, b or c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def quoted(text: str) -> str:
    """A text in quotation marks; a closing mark in it is doubled."""
    return f"“{text.replace('”', '””')}”"


def unquoted(text: str) -> str:
    """The text in quotation marks."""
    return text[1:-1].replace("””", "”")


def on_one_line(text: str) -> str:
    """A sentence without line breaks and double blanks, but in no quotation marks."""
    pieces = IN_MARKS.split(text)
    return "".join(one if one.startswith("“") else re.sub(r"\s+", " ", one) for one in pieces).strip()


NAMED_TEXTS = {"\n": "a line break", "\t": "a tab"}
"""Texts that cannot be seen in quotation marks, with what they are called."""
IN_MARKS = re.compile(r"(“(?:[^”]|””)*”(?!”))")
"""A text in quotation marks, as a piece of its own when a sentence is split."""


# --- values -----------------------------------------------------------------------


def number_text(value: int | Decimal) -> str:
    """A number as people write it: ``5,000``, ``0.97``."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,f}"


def duration_text(value: timedelta) -> str:
    """A duration in one unit, the largest that gives a whole number of it: ``48 hours``, ``14 days``."""
    seconds = value.total_seconds()
    for unit, length in UNITS_OF_TIME.items():
        count, left = divmod(seconds, length)
        if not left and (unit != "week") and (unit != "day" or count > 2) and not value.microseconds:
            return f"{int(count):,} {unit}{'' if count == 1 else 's'}"
    return f"{seconds:,f} seconds".replace(".000000", "")


def date_text(value: date) -> str:
    """A date: ``9 November 2026``."""
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def clock_text(value: time) -> str:
    """A time of the day: ``9:00``."""
    seconds = f":{value.second:02}" if value.second or value.microsecond else ""
    return f"{value.hour}:{value.minute:02}{seconds}" + (
        f".{value.microsecond:06}" if value.microsecond else ""
    )


def moment_text(value: datetime) -> str:
    """A point in time in UTC: ``9 November 2026 at 9:00``."""
    moment = value.astimezone(UTC) if value.tzinfo else value
    return f"{date_text(moment.date())} at {clock_text(moment.time())}"


COUNTED = {word: number for number, word in enumerate(
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=2
)}  # fmt: skip
"""The words of small numbers, which are read where something is counted."""


def number_at(token: Token, sort: str) -> int | Decimal | None:
    """The number that a token is, of a sort; None if it is none."""
    digits = token.text.replace(",", "")
    if token.kind != "number" or len(digits) > _MOST_DIGITS:
        return None
    if sort == "int":
        return int(digits) if digits.isdigit() else None
    return Decimal(digits)


def duration_at(number: Token, unit: Token) -> timedelta | None:
    """The duration of a number and its unit."""
    name = unit.word.removesuffix("s")
    value = number_at(number, "dec")
    if value is None or name not in UNITS_OF_TIME or value > 10**12:
        return None
    return timedelta(microseconds=int(value * UNITS_OF_TIME[name] * 1_000_000))


def date_at(day: Token, month: Token, year: Token) -> date | None:
    """The date of three tokens: ``9 November 2026``."""
    names = [name.casefold() for name in MONTHS]
    if month.word not in names or not (day.text.isdigit() and year.text.isdigit()):
        return None
    try:
        return date(int(year.text), names.index(month.word) + 1, int(day.text))
    except ValueError:
        return None


def clock_at(token: Token) -> time | None:
    """The time of the day that a token is."""
    if token.kind != "clock":
        return None
    hour, minute, *seconds = token.text.split(":")
    second, _, fraction = (seconds[0] if seconds else "0").partition(".")
    try:
        return time(int(hour), int(minute), int(second), int(fraction.ljust(6, "0")) if fraction else 0)
    except ValueError:
        return None
