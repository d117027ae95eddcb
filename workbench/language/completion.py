"""What may come next in a sentence that is being typed, and how far a sentence can be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.language.reading import Reader
from workbench.language.words import tokens
from workbench.language.writing import with_articles

MOST_OFFERED = 40
_TEXT = "“a text”"


@dataclass(frozen=True, slots=True)
class Completion:
    """What may follow: ``beginning`` is the longest part of the text that can be read, ``rest`` what is left.

    ``offered`` are the texts that may stand after the beginning; where the rest is the beginning of a word,
    only those that begin with it. ``whole`` is whether the text is a sentence as it stands.
    """

    beginning: str
    rest: str
    offered: tuple[str, ...]
    whole: bool = False


def completion(reader: Reader, text: str) -> Completion:
    """What may come next after a text; its last word is not finished unless a blank follows it."""
    found = tokens(text)
    is_open = bool(found) and not text[-1].isspace() and found[-1].kind in ("word", "short")
    before = text[: found[-1].start] if is_open else text
    trees = reader.read(before)
    begun = text[found[-1].start :].casefold() if is_open else ""
    place = len(reader.tokens)
    if reader.furthest >= place and (offered := _offered(reader, place, begun)):
        return Completion(before.rstrip(), text[len(before) :], offered)
    trees = reader.read(text)
    if trees:
        return Completion(text, "", (), whole=True)
    furthest = min(reader.furthest, len(reader.tokens))
    end = reader.tokens[furthest - 1].end if furthest else 0
    return Completion(text[:end], text[end:].strip(), _offered(reader, furthest, ""))


def _offered(reader: Reader, place: int, begun: str) -> tuple[str, ...]:
    every = dict.fromkeys(
        with_articles(one)
        for one in reader.continuations(place)
        if one.casefold().startswith(begun) and (begun or not one.startswith("“") or one == _TEXT)
    )
    return tuple(_first(iter(every)))


def _first(texts: Iterator[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        if number == MOST_OFFERED:
            return
        yield text
