"""Units of measure: an amount in one unit is never compared with an argument in another."""

from __future__ import annotations

from workbench.author.rules.argument_binding import UnreadableError, words_of
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.words import split_words, stem, word_set
from workbench.model import Argument
from workbench.policy.types import NUMBERS

_DIMENSIONS: dict[str, frozenset[str]] = {
    "time": word_set("milliseconds seconds minutes hours days weeks months years"),
    "size": word_set("bytes kb mb gb tb kilobytes megabytes gigabytes terabytes kib mib gib"),
    "length": word_set("mm cm m km meters metres kilometers kilometres miles feet inches"),
    "weight": word_set("g kg grams kilograms pounds lb tons"),
    "temperature": word_set("celsius fahrenheit kelvin"),
}
_UNIT_OF = {
    stem(word): (name, word.upper() if name == "size" and len(word) < 4 else word)
    for name, words in _DIMENSIONS.items()
    for word in sorted(words)
}


def check_measure(lexicon: Lexicon, reference: str | None, nouns: frozenset[str]) -> None:
    """Refuse an amount whose unit (``nouns``, as stems) is not the unit of its argument.

    ``reference`` is the argument that the phrase names. Without one, the unit is compared with every argument
    of the same dimension.
    """
    units = [_UNIT_OF[noun] for noun in nouns if noun in _UNIT_OF]
    if len(units) != 1 or len(nouns) != 1:
        return
    dimension, unit = units[0]
    numbers = lexicon.of_kind(*NUMBERS)
    meant = [number for number in numbers if reference in (None, number.name)]
    for argument in meant:
        known_unit = _unit_of(argument, dimension)
        if known_unit and stem(known_unit) not in nouns:
            raise UnreadableError(f"{argument.name} is in {known_unit}, the sentence in {unit}", unit, "unit")


def _unit_of(argument: Argument, dimension: str) -> str:
    """The unit of the dimension that an argument's description names; empty if there is none."""
    if not words_of(argument) & {stem(word) for word in _DIMENSIONS[dimension]}:
        return ""
    words = split_words(f"{argument.description} {argument.name}")
    return next((_UNIT_OF[stem(word)][1] for word in words if _is_of(word, dimension)), "")


def _is_of(word: str, dimension: str) -> bool:
    return _UNIT_OF.get(stem(word), ("", ""))[0] == dimension
