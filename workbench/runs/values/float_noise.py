"""Numbers that a program computed as floats: what their last digits were meant to be."""

from __future__ import annotations

from decimal import Decimal

from workbench.model import Json

_NOISY_DIGITS = 15
"""A float with fewer significant digits was written as it was meant."""
_MOST_PLACES = 6
_MOST_NOISE = 1e-11


def without_noise(numeral: str) -> str:
    """The numeral of a float without the digits that only its computation added; any other as it is.

    Sums and differences of prices have at least 15 digits, and are near a number of few places:
    `55.300000000000004` is `55.3`, and `0.12345678901` stays.
    """
    if sum(character.isdigit() for character in numeral.lstrip("-0.")) < _NOISY_DIGITS or "e" in numeral:
        return numeral
    value = float(numeral)
    for places in range(_MOST_PLACES + 1):
        nearest = round(value, places)
        if abs(nearest - value) <= _MOST_NOISE * max(1.0, abs(value)):
            return format(Decimal(repr(nearest)), "f")
    return numeral


def as_computed(value: Json) -> Json:
    """A float of a result as the numeral that it was meant to be, if only noise follows; any other value."""
    if not isinstance(value, float):
        return value
    written = repr(value)
    plain = without_noise(written)
    return value if plain == written else plain
