"""The words of a text: numbers, lengths of time, quoted texts, paths, and all others with their stems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from workbench.language.foreign.cues import PHRASES
from workbench.language.foreign.stems import stem
from workbench.language.units import MEASURES
from workbench.language.vocabulary import words_named

MOST_WORDS = 400
"""The words of a sentence that are looked at; what comes after them is left out."""
_WORD = re.compile(
    r"(?P<quoted>“[^”]*”|\"[^\"]*\"|`[^`]*`|(?<!\w)'[^']+'(?!\w))"
    r"|(?P<path>(?<![\w./])@[\w-]+(?:\.[\w-]+)+|(?<![\w./])[\w.-]+/(?![\w/])|(?<![\w.])(?:[*~]|\.{1,2})?(?:/[\w.*#-]*\w)+/?"
    r"|(?<![\w.])\*?\.[a-zA-Z]\w*|\#\w+(?:-\w+)*|(?<![\w.])\d+(?:\.\d+){2,3}(?:/\d+)?(?![\w.]*\d))"
    r"|(?P<clock>\d{1,2}:\d\d)"
    r"|(?P<number>(?:(?<![^\s(])[-−])?(?:\d+(?:[,  ]\d{3})+|\d+)(?:\.\d+)?)"
    r"(?P<unit>%|(?:[hdsm]|st|nd|rd|th)(?!\w))?"
    r"|(?P<word>[^\W\d_](?:[^\W_]|['’](?=[^\W_])|-(?=[^\W_]))*"
    r"(?:@(?=[^\W_])[^\W_]+(?:[.-](?=[^\W_])[^\W_]+)*|[._/:](?=[^\W_])[^\W_]+)*)"
    r"|(?P<other>\S)"
)
STOP = words_named("stop")
_SMALL_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = {10 * at: word for at, word in enumerate(
    ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2)}  # fmt: skip
NUMBERS = {
    **{word: at for at, word in enumerate(_SMALL_NUMBERS)}, **{word: ten for ten, word in _TENS.items()},
    **{f"{word}-{one}": ten + at for ten, word in _TENS.items()
       for at, one in enumerate(_SMALL_NUMBERS[1:10], start=1)},
    "nought": 0, "nil": 0, "twice": 2, "dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000,
}  # fmt: skip
_UNITS = {
    "s": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3_600, "hr": 3_600, "hour": 3_600,
    "d": 86_400, "day": 86_400, "week": 604_800, "month": 2_592_000, "year": 31_536_000,
    "fortnight": 1_209_600,
}  # fmt: skip
_MONEY = words_named("money")
_SIZES = frozenset(("kb", "mb", "gb", "tb", "kib", "mib", "gib"))
_PORTIONS = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10, "twentieth": 20,
}  # fmt: skip
_MULTIPLES = {"half": Decimal("0.5"), "twice": Decimal(2), "double": Decimal(2)}
_OF_WHAT = frozenset(("the", "its", "their", "his", "her", "what", "that"))
SHARE = "share"
"""The unit of a number that says how much of something: "a fifth of the price", "twice the rent"."""
ORDINAL = "th"
"""The unit of a number that says which of several: "the 25th"."""
_ORDINALS = frozenset(("st", "nd", "rd", ORDINAL))
CURRENCIES = {
    **dict.fromkeys(("eur", "euro", "euros"), "EUR"), **dict.fromkeys(("usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("gbp", "pound", "pounds", "sterling"), "GBP"),
    **dict.fromkeys(("chf", "franc", "francs"), "CHF"), **dict.fromkeys(("jpy", "yen"), "JPY"),
    **dict.fromkeys(("sek", "kronor", "krona"), "SEK"), **dict.fromkeys(("inr", "rupee", "rupees"), "INR"),
}  # fmt: skip
_ALONE = {words[0] for ones in PHRASES.values() for words, _ in ones if len(words) == 1}
CUE_WEIGHT = 0.4
"""What a word is worth that cues something: it is used if the form of a suggestion says the same."""
_MEASURING = frozenset(
    ("than", "within", "after", "least", "most", "next", "last", "past", "under", "over", "for")
)
"""Before "a year" they say that it is a length of time, and no "per year"."""
_APART = frozenset(("before", "ahead", "after", "ago", "earlier", "later", "prior", "beforehand"))
"""After "a year" they say so, too."""
_NO_NUMBER = words_named("after_one")
_BEFORE_PRONOUN = words_named("before_one")
_ABBREVIATION = re.compile(r"[a-z](\.[a-z])+|etc|vs")
_IN_CAPITALS = frozenset(("US", "IT"))
"""Small words that are others in capitals."""
_MOST_DIGITS = 40
_LONGEST = 10**6
_CONTENT = words_named("naming")
"""Words that cue something and may name something too."""


@dataclass(frozen=True, slots=True)
class ForeignWord:
    """A word of the sentence: as it is written, in small letters, its stem, and its place in the text.

    ``literal`` is its value: a number, duration or text, and ``unit`` the size that a number counts: "MB".
    ``weight`` is what using it is worth; a word of the heading or of a neighbour has none, and stands at a
    negative number.
    """

    number: int
    text: str
    low: str
    stem: str
    start: int
    end: int
    weight: float = 0.0
    literal: Decimal | timedelta | str | None = None
    money: bool = False
    unit: str = ""


def words_of_text(text: str) -> Iterator[ForeignWord]:
    """The words of a text; a number and its unit of time are one word."""
    found = list(_WORD.finditer(text))
    at = number = 0
    while at < len(found) and number < MOST_WORDS:
        one = found[at]
        after = found[at + 1] if at + 1 < len(found) else None
        before = found[at - 1].group().casefold() if at else ""
        half = _half(text, found[at : at + 3], number)
        share = _share(text, found[at : at + 3], number)
        if _is_apart([one.group().casefold() for one in found[at + 1 : at + 3]]):
            before = "within"
        word, taken = (half, 3) if half is not None else share or _word(one, after, before, number)
        yield word
        number, at = number + 1, at + taken


def _is_apart(lows: Sequence[str]) -> bool:
    """Whether a unit of time follows with what says that it lies between two times."""
    return len(lows) > 1 and lows[0] in _UNITS and lows[1] in _APART


def _half(text: str, found: Sequence[re.Match[str]], number: int) -> ForeignWord | None:
    """Half of a unit of time: "half an hour"."""
    lows = [one.group().casefold() for one in found]
    length = _UNITS.get(lows[2].removesuffix("s")) if len(lows) > 2 else None
    if length is None or lows[0] != "half" or lows[1] not in ("a", "an"):
        return None
    written = text[found[0].start() : found[2].end()]
    span = timedelta(seconds=length / 2)
    return ForeignWord(
        number, written, written.casefold(), written, found[0].start(), found[2].end(), 2.0, span
    )


def _share(text: str, found: Sequence[re.Match[str]], number: int) -> tuple[ForeignWord, int] | None:
    """How much of something: "a fifth of", "two thirds of", "half the price"; with how many pieces say it."""
    lows = [*(one.group().casefold() for one in found), "", "", ""]
    portion = _PORTIONS.get(lows[1].removesuffix("s"))
    count = 1 if lows[0] in ("a", "an") else NUMBERS.get(lows[0], 0)
    if portion and count and lows[2] == "of":
        value, taken = round(Decimal(count) / portion, 4), 2
    elif lows[0] in _MULTIPLES and (lows[1] in _OF_WHAT or (lows[0] == "half" and lows[1] == "of")):
        value, taken = _MULTIPLES[lows[0]], 1
    else:
        return None
    start, end = found[0].start(), found[taken - 1].end()
    said = text[start:end]
    return ForeignWord(number, said, said.casefold(), said, start, end, 2.0, value, unit=SHARE), taken


def _counted(one: re.Match[str], following: str, before: str) -> Decimal | None:
    """The number that a piece of a text says, in digits or in words."""
    low, digits = one.group().casefold(), one.group("number") or ""
    if low in ("a", "an", "one") and following in _UNITS and len(following) > 2 and before in _MEASURING:
        return Decimal(1)
    if low in ("a", "an") and following in MEASURES and len(following) > 3 and before in ("", *_MEASURING):
        return Decimal(1)
    counts = low != "one" or before in ("least", "most", "between")
    if low in NUMBERS and (counts or (following not in _NO_NUMBER and before not in _BEFORE_PRONOUN)):
        return Decimal(NUMBERS[low])
    return Decimal(re.sub(r"[,\s]", "", digits).replace("−", "-")) if 0 < len(digits) < _MOST_DIGITS else None


def _word(
    one: re.Match[str], after: re.Match[str] | None, before: str, number: int
) -> tuple[ForeignWord, int]:
    """The word that begins with a piece of the text, and how many pieces it takes."""
    written, low = one.group(), one.group().replace("’", "'").casefold()
    following = after.group().casefold() if after is not None else ""
    value = _counted(one, following, before)
    if value is not None:
        unit = one.group("unit") or following.strip("-")
        length = _UNITS.get(unit, _UNITS.get(unit.removesuffix("s")))
        if length is not None and (one.group("unit") or len(unit) > 2):
            own = one.group("unit") or after is None
            end = one.end() if own or after is None else after.end()
            span = timedelta(seconds=float(value * length)) if value < _LONGEST else timedelta.max
            text = written if own else f"{written} {following}"
            return ForeignWord(
                number, text, text.casefold(), text, one.start(), end, 2.0, span
            ), 1 if own else 2
        if following in _SIZES and after is not None:
            text = f"{written} {after.group()}"
            word = ForeignWord(number, text, low, low, one.start(), after.end(), 2.0, value, unit=following)
            return word, 2
        money = before in _MONEY or following in _MONEY
        weight = 0.3 if low == "one" else 2.0
        if one.group("unit") == "%":
            value = value / 100
        counted = ORDINAL if unit in _ORDINALS else following if following in MEASURES else ""
        return ForeignWord(
            number, written, low, low, one.start(), one.end(), weight, value, money, counted
        ), 1
    if one.group("path") is not None:
        return ForeignWord(number, written, low, low, one.start(), one.end(), 2.0, written), 1
    if one.group("quoted") is not None:
        return ForeignWord(number, written, low, low, one.start(), one.end(), 2.0, written[1:-1]), 1
    if one.group("clock") is not None:
        return ForeignWord(number, written, low, low, one.start(), one.end(), 2.0), 1
    plain = low if one.group("word") and not _ABBREVIATION.fullmatch(low) else ""
    content = bool(plain) and (plain not in STOP or written in _IN_CAPITALS)
    weight = (CUE_WEIGHT if plain in _ALONE and plain not in _CONTENT else 1.0) if content else 0.0
    return ForeignWord(number, written, low, stem(low) if plain else low, one.start(), one.end(), weight), 1
