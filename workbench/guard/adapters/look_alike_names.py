"""Names that a reader could mistake for each other: other case, width or signs, and look-alike characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_LOOK_ALIKES = str.maketrans(
    "абвеԁһіјкӏмнорԛѕтυѵԝхуαβεικνορτχγıℓɡ",
    "a6bedhijklmhopqstuvwxyabeiknoptxyilg",
)


def folded(name: str) -> str:
    """The letters and digits of a name in one case, with look-alike characters replaced."""
    normalised = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    return "".join(letter for letter in normalised.translate(_LOOK_ALIKES) if letter.isalnum())


def is_plain(name: str) -> bool:
    """Whether a name is visible ASCII, so that it hides nothing and has no look-alike."""
    return name.isascii() and name.isprintable() and " " not in name


def twin(name: str, names: Iterable[str]) -> str:
    """The name in ``names`` that a careless reader could mistake ``name`` for; empty if there is none.

    It is also empty if ``name`` is one of ``names``.
    """
    known_names = list(names)
    if name in known_names:
        return ""
    fold = folded(name)
    return next((known_name for known_name in known_names if folded(known_name) == fold), "")


def hides(name: str) -> bool:
    """Whether a name has an invisible sign, characters of another width, or Latin among other letters."""
    if name.isascii():
        return not name.isprintable()
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in name if letter.isalpha()}
    mixed = "LATIN" in scripts and len(scripts) > 1
    return mixed or not name.isprintable() or unicodedata.normalize("NFKC", name) != name
