"""How requests say what holds of the calls of which no sentence speaks."""

from __future__ import annotations

import re

from workbench.language.grammar import DEFAULT_SENTENCES

_ALL = r"(?:everything|anything|whatever|what|all)"
_FORMS = (
    (r"(?:allowed|permitted|fine|ok|okay|free|done)", "forbid", "forbidden"),
    (r"(?:denied|forbidden|prohibited|refused|not (?:allowed|permitted|fine|ok|okay))", "allow", "allowed"),
)
"""What is said of such calls, and what no sentence does with them, for each default."""


def default_meant(text: str) -> str:
    """The sentence of the language on all other calls that a sentence means; empty if it means none."""
    plain = text.strip().casefold().replace("’", "'").replace("n't", " not").rstrip(".!")
    for sentence, (words, does, done) in zip(DEFAULT_SENTENCES, _FORMS, strict=True):
        calls = (
            rf"{_ALL} else|(?:all )?other (?:calls|actions|tools|things)"
            rf"|{_ALL} (?:that )?(?:these|the|our) (?:rules|sentences) do not (?:mention|cover|name|{does})"
            rf"|{_ALL} (?:that )?(?:is|are) not (?:mentioned|covered|named|{done})(?: here| above| below)?"
        )
        if plain == sentence.casefold().rstrip(".") or re.fullmatch(
            rf"(?:{calls}) (?:is|are|may be) {words}", plain
        ):
            return sentence
    return ""
