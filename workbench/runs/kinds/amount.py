"""The kind ``amount``: an exact number with the currency that is written next to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from workbench.model import ArgumentType, Json, Kind
from workbench.runs.kinds.value_kind import JsonNumber, Parts, Read, ValueKind, text_option
from workbench.runs.values.described_option import BadOption, DescribedOption, OptionKind
from workbench.runs.values.found_value import Missing

# The currencies of ISO 4217 that are in use.
_ISO_4217 = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD
CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF
GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK
LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD
OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN
SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG
XOF XPF YER ZAR ZMW ZWG
"""
_CODES = frozenset(_ISO_4217.split())
_SYMBOLS = {"€": "EUR", "₹": "INR", "₩": "KRW", "₺": "TRY", "₴": "UAH", "₽": "RUB", "₪": "ILS", "฿": "THB"}
"""Signs for exactly one currency; for other signs ($, £, ¥, kr) the option ``symbols`` names the currency."""
_SPACES = " \u00a0\u202f"
_AMOUNT = re.compile(
    rf"(?P<minus>[-+\u2212]?)(?P<before>[^0-9.,+\-\u2212]*?)(?P<inner>[-+\u2212]?)"
    rf"(?P<number>[0-9](?:[0-9.,'{_SPACES}]*[0-9])?)(?P<after>[^0-9.,+\-\u2212]*)"
)
_JSON_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?")

_OPTIONS = (
    DescribedOption(
        "decimal_mark",
        OptionKind.TEXT,
        "the sign before the decimal places; the other groups",
        (".", ","),
    ),
    DescribedOption("currency", OptionKind.TEXT, "the currency of an amount that names none, such as EUR"),
    DescribedOption("symbols", OptionKind.WORDS, "signs or words for currencies: $: USD"),
)


def _prepare(options: Mapping[str, Json]) -> Read:
    mark = text_option(options, "decimal_mark")
    currency = text_option(options, "currency") or None
    if currency is not None and currency not in _CODES:
        raise BadOption("currency", f"{currency} is no code of ISO 4217 for a currency, such as EUR")
    symbols = {**_SYMBOLS, **_declared(options["symbols"])}

    def read(text: str) -> Parts:
        if isinstance(text, JsonNumber):
            return {"value": _exact(text), "currency": currency}
        match = _AMOUNT.fullmatch(text.strip(_SPACES))
        if match is None or (match["minus"] and match["inner"]):
            raise Missing("the text is not one amount")
        words = [word.strip(_SPACES) for word in (match["before"], match["after"])]
        named = [_currency(word, symbols) for word in words if word]
        if len(named) > 1:
            raise Missing("the amount names its currency twice")
        value = _number(match["number"], mark)
        negative = "-" in (sign := match["minus"] + match["inner"]) or "\u2212" in sign
        return {"value": -value if negative else value, "currency": named[0] if named else currency}

    return read


def _declared(symbols: Json) -> dict[str, str]:
    """The declared signs with one code each; raises BadOption."""
    code_by_symbol: dict[str, str] = {}
    for symbol, codes in symbols.items() if isinstance(symbols, dict) else ():
        code = codes[0] if isinstance(codes, list) and len(codes) == 1 else codes
        if not isinstance(code, str) or code not in _CODES:
            raise BadOption("symbols", f"symbols.{symbol} is no code of ISO 4217 for a currency, such as EUR")
        code_by_symbol[symbol.strip()] = code
    return code_by_symbol


def _currency(word: str, symbols: Mapping[str, str]) -> str:
    code = symbols.get(word, word)
    if code not in _CODES:
        raise Missing(f"{word!r} means no currency, or several; the option symbols can say which")
    return code


def _exact(text: str) -> Decimal:
    """The exact number of a text in JSON's form; raises Missing if it is not finite or is too long."""
    number = Decimal(text)
    if not number.is_finite() or not _JSON_NUMBER.fullmatch(format(number, "f")):
        raise Missing("the number is not finite or has more than 30 digits")
    return number


def _number(text: str, mark: str) -> Decimal:
    """The number of a text; raises Missing if its marks can be read in two ways."""
    decimal_mark = mark or "."
    group = "," if decimal_mark == "." else "."
    whole, point, places = text.partition(decimal_mark)
    digits = re.sub(rf"[{_SPACES}']", group, whole)
    kinds_of_marks = {character for character in whole if not character.isdigit()}
    if not re.fullmatch(rf"[0-9]+|[1-9][0-9]{{0,2}}(\{group}[0-9]{{3}})+", digits) or len(kinds_of_marks) > 1:
        raise Missing("the digits of the amount are not grouped as a number")
    if not re.fullmatch(r"[0-9]*", places) or (point and not places):
        raise Missing(
            f"the amount has no decimal mark {decimal_mark!r}; the option decimal_mark says which it has"
        )
    marks = [character for character in text if character in ".,"]
    if not mark and len(marks) == 1 and re.fullmatch(r"0*[1-9][0-9]{0,2}[.,][0-9]{3}", text):
        raise Missing("the amount can be read in two ways; say which sign is its decimal_mark")
    return _exact(re.sub(rf"\{group}", "", digits) + (f".{places}" if places else ""))


AMOUNT = ValueKind(
    name="amount",
    meaning="an exact number with its currency, from a text or a number",
    parts=(("value", ArgumentType(Kind.DECIMAL)), ("currency", ArgumentType(Kind.STR, optional=True))),
    prepare=_prepare,
    options=_OPTIONS,
    numbers=True,
)
