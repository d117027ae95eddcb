"""Spellings of one value: forms that recognise a value even if it is written in another way.

Case, blanks, the grouping of digits, the blanks of an IBAN and the insignificant parts of a URL do not
matter. A computed value (a sum, a part of a text, a translation) is not recognised.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Context, Decimal, InvalidOperation
from functools import cached_property, lru_cache

from workbench.model import Json

# The borders of a value: "12" is not a value in "2012", nor "a.example" in "x@a.example.org".
_BEFORE = r"(?<![^\s\"'`\[\](){}<>,;:=|“‘«])"
_AFTER = r"(?=[.:!?]*(?:$|[\s\"'`\[\](){}<>,;|”’»]))"
# Those of a mail address: what can be no part of its name before, and of its domain after. Signs that
# emphasise a text or begin the query of a "mailto:" are none of it.
_BEFORE_MAIL = r"(?:(?<![^\s\"'`\[\](){}<>,;:=|“‘«*~/])|(?<=^_)|(?<=[\s\"'(\[<*~]_))"
_AFTER_MAIL = r"(?![^\W_]|[.-]+[^\W_])"
_SHORTEST_CODE = 6
_LONGEST = 2000
_NUMBER = r"[+-]?(?:\d{1,3}(?:[ ',.]\d{3})+|\d{1,30})(?:[.,]\d{1,30})?"
_NUMBERS = re.compile(rf"{_BEFORE}[$€£¥]?({_NUMBER})\s?[$€£¥%]?{_AFTER}", re.ASCII)
# A web address, with or without its scheme: a host with a point in it, and the rest of the address.
_ADDRESS = r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d{1,5})?(?:[/?#][^\s\"'`<>|”’»]*)?"
_URLS = re.compile(rf"(?<![\w@.-])(?:https?://[^\s\"'`<>|”’»]+|{_ADDRESS})(?![\w@])", re.IGNORECASE)
_NEXT_SENTENCE = re.compile(r"\.[A-Z][a-z]*$")
_BARE = re.compile(_ADDRESS, re.IGNORECASE)
_MAIL = re.compile(r"[^\s@<>]+@[^\s@<>]*[^\W_]")
_CODE_BREAKS = " -."
# A date whose month or day has one digit: without its separators it could be another date.
_SHORT_DATE = re.compile(r"(?=.*\b\d\b)(\d{1,2}[ -]\d{1,2}[ -]\d{2,4}|\d{4}[ -]\d{1,2}[ -]\d{1,2})", re.ASCII)
_SIGNS = "$€£¥%"
_EXACT = Context(prec=100)
_NO_BREAKS = {ord(sign): None for sign in _CODE_BREAKS}
_PORTS = {"http": 80, "https": 443}


@lru_cache(maxsize=4096)
def spellings(value: str | int | float) -> frozenset[str]:
    """The forms of a value; two values with a common form are spellings of one value.

    Empty for a text of blanks, and for a text that is too long to search for.
    """
    if not isinstance(value, str):
        return frozenset(f"number {number}" for number in _with_signs(_plain_number(str(value)), ""))
    text = folded(value).strip()
    if not text or len(text) > _LONGEST:
        return frozenset()
    if (url := _url(_normal(value).strip())) is not None:
        return frozenset([f"url {url}"])  # the case of its path matters
    forms = {f"text {text}"}
    forms |= {f"number {number}" for number in _number(text)}
    if (code := _code(text)) is not None:
        forms.add(f"code {code}")
    return frozenset(forms)


@lru_cache(maxsize=1024)
def folded(text: str) -> str:
    """The text in small letters, in one form of Unicode, with each run of blanks as one blank."""
    return " ".join(_normal(text).casefold().split())


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def stands_in(value: str | int | float, text: str) -> bool:
    """Whether a value is in a text as a whole, in any spelling."""
    return any(_form_stands_in(form, text) for form in spellings(value))


class Written:
    """The texts and numbers of a document, with a fast test that a value is in none of them."""

    def __init__(self, leaves: Iterable[Json]) -> None:
        """Take all values in the document."""
        values = [leaf for leaf in leaves if isinstance(leaf, str | int | float)]
        self._forms = frozenset(form for value in values for form in spellings(value))
        self._texts = [value for value in values if isinstance(value, str)]
        self._text = "\n".join(map(folded, self._texts))

    def may_hold(self, value: str | int | float) -> bool:
        """Whether a value may be one of them, or be part of one; False is certain."""
        return any(form in self._forms or self._may_hold(form) for form in spellings(value))

    def _may_hold(self, form: str) -> bool:
        kind, _, spelling = form.partition(" ")
        if kind == "text":
            return spelling in self._text
        if kind == "code":
            return spelling.casefold() in self._unbroken
        return spelling in (self._urls if kind == "url" else self._numbers)

    @cached_property
    def _unbroken(self) -> str:
        return _unbroken(self._text)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(number for text in self._texts for number in _numbers_of(folded(text)))

    @cached_property
    def _urls(self) -> frozenset[str]:
        return frozenset(url for text in self._texts for url in _urls_of(text))


def _form_stands_in(form: str, whole: str) -> bool:
    kind, _, spelling = form.partition(" ")
    if kind == "url":
        return spelling in _urls_of(whole)
    text = folded(whole)
    if kind == "number":
        return spelling in _numbers_of(text)
    # Without the bare spelling the value is absent; the search by a pattern takes far longer.
    if (spelling not in text) if kind == "text" else (spelling.casefold() not in _unbroken(text)):
        return False
    return _written(form).search(text) is not None


@lru_cache(maxsize=4096)
def _written(form: str) -> re.Pattern[str]:
    """The pattern that finds a text, or a code in any grouping, in a folded text."""
    kind, _, spelling = form.partition(" ")
    breaks = f"[{re.escape(_CODE_BREAKS)}]?"
    spread = re.escape(spelling) if kind == "text" else breaks.join(map(re.escape, spelling.casefold()))
    if kind == "text" and _MAIL.fullmatch(spelling):
        return re.compile(f"{_BEFORE_MAIL}{spread}{_AFTER_MAIL}")
    return re.compile(f"{_BEFORE}{spread}{_AFTER}")


@lru_cache(maxsize=1024)
def _unbroken(text: str) -> str:
    """The text without the characters that group the letters and digits of a code."""
    return text.translate(_NO_BREAKS)


@lru_cache(maxsize=256)
def _numbers_of(text: str) -> frozenset[str]:
    return frozenset(number for match in _NUMBERS.finditer(text) for number in _number(match[0]))


@lru_cache(maxsize=256)
def _urls_of(text: str) -> frozenset[str]:
    urls: set[str] = set()
    for match in _URLS.finditer(_normal(text)):
        address = match[0].rstrip(".,;:!?)]}")
        # A sentence may begin right after the point of the one before: "see www.a.example.Then go on".
        shorter = _NEXT_SENTENCE.sub("", address)
        urls.update(url for url in map(_url, {address, shorter}) if url is not None)
    return frozenset(urls)


def _number(text: str) -> frozenset[str]:
    """The forms of the number in a text: with ``.`` or ``,`` before its decimals, and groups of three digits.

    With a currency sign, it is the number with this sign; without one, the number alone and with each sign.
    """
    unsigned_text = text.strip(f"{_SIGNS} ")
    if re.fullmatch(_NUMBER, unsigned_text, re.ASCII) is None:
        return frozenset()
    number_text = unsigned_text.replace(" ", "").replace("'", "")
    mark = _decimal_mark(number_text)
    digits = "".join(
        "." if place == mark else sign
        for place, sign in enumerate(number_text)
        if _is_kept(sign, place, mark)
    )
    return _with_signs(_plain_number(digits), "".join(sorted({*text} & {*_SIGNS})))


def _with_signs(number: str | None, signs: str) -> frozenset[str]:
    """The number with its signs; without signs, the number alone and with each possible sign."""
    if number is None:
        return frozenset()
    return frozenset(f"{number}{sign}" for sign in ([signs] if signs else ["", *_SIGNS]))


def _is_kept(sign: str, place: int, mark: int) -> bool:
    return sign not in ".," or place == mark


def _decimal_mark(number_text: str) -> int:
    """The place of the decimal mark, -1 if there is none. A lone comma before three digits groups them."""
    point, comma = number_text.rfind("."), number_text.rfind(",")
    if point >= 0 and comma >= 0:
        return max(point, comma)
    if point >= 0:
        return point if number_text.count(".") == 1 else -1
    if comma >= 0 and number_text.count(",") == 1 and len(number_text) - comma - 1 != 3:
        return comma
    return -1


def _plain_number(digits: str) -> str | None:
    try:
        number = Decimal(digits)
    except InvalidOperation:
        return None
    return (
        format(number.normalize(_EXACT), "f") if number.is_finite() and abs(number.adjusted()) < 40 else None
    )


def _code(text: str) -> str | None:
    """The letters and digits of an IBAN, a card or a licence, without grouping; None for other texts."""
    if text.startswith("-") or _SHORT_DATE.fullmatch(text) is not None:
        return None
    code_text = text.translate(_NO_BREAKS).removeprefix("+")
    is_code = code_text.isascii() and code_text.isalnum() and any(sign.isdigit() for sign in code_text)
    # A point, as in 1250.00, belongs to a number; a code of digits alone has no letters to distinguish it.
    return code_text.upper() if is_code and len(code_text) >= _SHORTEST_CODE and "." not in text else None


def _url(text: str) -> str | None:
    """A web address without its scheme, the case of its host, ``www.``, a default port and a last ``/``."""
    has_no_scheme = _BARE.fullmatch(text) is not None
    if not has_no_scheme and not text.casefold().startswith(("http://", "https://")):
        return None
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(f"http://{text}" if has_no_scheme else text)
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname:
        return None
    is_default_port = port is None or port == _PORTS.get(parts.scheme)
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    query = f"?{parts.query}" if parts.query else ""
    host = parts.hostname.removeprefix("www.")  # a domain and its www belong to one owner
    return f"{user}{host}{'' if is_default_port else f':{port}'}{parts.path.rstrip('/')}{query}"


def is_value(value: Json) -> bool:
    """Whether a value is a text or a number, so that it can be searched for."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)
