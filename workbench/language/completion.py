"""What may come next in a sentence that is being typed, and how far a sentence can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.language.alone import alone
from workbench.language.reading import GIVEN_BY, Reader
from workbench.language.words import Token, quoted, texts_in, tokens, words_of
from workbench.language.writing import with_articles
from workbench.serialization.json_form import json_form

MOST_OFFERED = 40
A_TEXT = "“a text”"
_MOST_IN_NOUN = 6
"""The most words of a noun whose values are offered."""
_LEAST_STEM = 4
_OF_OTHERS = ("entry", "earlier call")
"""What is an element of no list of the call."""


@dataclass(frozen=True, slots=True)
class Uses:
    """How often the words of nouns are used, and the texts that were seen of fields, by their words.

    ``origins`` are the fields that calls gave, as sentences name them.
    """

    words: Mapping[str, int] = field(default_factory=dict[str, int])
    values: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    origins: Sequence[str] = ()


NO_USES = Uses()


@dataclass(frozen=True, slots=True)
class Meant:
    """A sentence that is reworded, and those that it may mean: what goes on as they do comes first."""

    reworded: str = ""
    meant: tuple[str, ...] = ()

    def place(self, before: str, text: str) -> int:
        """The first of the sentences that goes on with a text; their number if none does."""
        for number, one in enumerate(self.meant):
            rest = f"{one[len(before) :].lstrip().casefold()} "
            is_next = rest.startswith(text.casefold()) and not rest[len(text)].isalnum()
            if is_next and one.casefold().startswith(before):
                return number
        return len(self.meant)


NOTHING_MEANT = Meant()


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


json_form(Completion)


@alone
def completion(reader: Reader, text: str, uses: Uses = NO_USES, meant: Meant = NOTHING_MEANT) -> Completion:
    """What may come next after a text; its last word is not finished unless a blank follows it.

    What a sentence that is ``meant`` goes on with is offered first, then what has words of the one that is
    reworded, then what is used most.
    """
    found = tokens(text)
    is_open = bool(found) and not text[-1].isspace() and found[-1].kind in ("word", "short")
    opened = _open_text(text)
    if opened >= 0:
        found, is_open = tokens(text[:opened]), True
    start = (opened if opened >= 0 else found[-1].start) if is_open else len(text)
    before, begun = text[:start], text[start:].casefold()
    trees = reader.read(before)
    place = len(reader.tokens)
    rank = _Rank(uses, meant, before)
    offered = _offered(reader, place, begun, rank) if reader.furthest >= place else ()
    if is_open and all(one.casefold() == begun for one in offered):
        offered = ()  # the word is whole, and what follows it is asked
    if offered:
        return Completion(before.rstrip(), text[len(before) :], offered)
    trees = reader.read(text)
    if trees:
        return Completion(text, "", (), whole=True)
    furthest = min(reader.furthest, len(reader.tokens))
    end = reader.tokens[furthest - 1].end if furthest else 0
    rank = _Rank(uses, meant, text[:end])
    return Completion(text[:end], text[end:].strip(), _offered(reader, furthest, "", rank))


def elements_instead(reader: Reader, found: Completion) -> tuple[int, tuple[str, ...]]:
    """What elements of the decided call are called, where one of some other call is spoken of, and its place.

    There is nothing elsewhere.
    """
    if found.offered != ("of",):
        return 0, ()
    begun = tokens(found.beginning)
    for token in reversed(begun[-_MOST_IN_NOUN:]):
        noun, before = found.beginning[token.start :].strip(), found.beginning[: token.start]
        offered = completion(reader, before).offered
        if f"{noun} of" in offered:
            return token.start, tuple(
                one for one in offered if not one.endswith(" of") and one not in _OF_OTHERS
            )
    return 0, ()


def _open_text(text: str) -> int:
    """Where a text begins whose quotation mark is not closed; -1 if there is none."""
    after = max((end for _, end in texts_in(text)), default=0)
    places = [place for mark in ("“", '"') if (place := text.find(mark, after)) >= 0]
    return min(places, default=-1)


def _offered(reader: Reader, place: int, begun: str, rank: _Rank) -> tuple[str, ...]:
    others = reader.not_meant(place)
    texts = dict.fromkeys(_texts(reader, place, begun, rank.uses))
    every = [
        one for one in texts if one not in others and one.removesuffix(" of") not in texts.keys() - {one}
    ]
    return tuple(with_articles(one) for one in rank.sorted(every)[:MOST_OFFERED])


def _texts(reader: Reader, place: int, begun: str, uses: Uses) -> Iterator[str]:
    begun = begun.replace('"', "“")
    for one in reader.continuations(place):
        if one == A_TEXT:
            values = map(quoted, _values(reader.tokens[:place], uses))
            yield from (value for value in values if value.casefold().startswith(begun))
        if one == GIVEN_BY and uses.origins:
            yield from (origin for origin in uses.origins if origin.casefold().startswith(begun))
            continue
        if one.casefold().startswith(begun) and (begun or not one.startswith("“") or one == A_TEXT):
            yield one


def _values(before: Sequence[Token], uses: Uses) -> Sequence[str]:
    """The texts that were seen of the field that was named last before a place."""
    words = [token.word for token in before]
    for end in range(len(words), 0, -1):
        for start in range(max(0, end - _MOST_IN_NOUN), end):
            found = uses.values.get(" ".join(words[start:end]))
            if found is not None:
                return found
    return ()


class _Rank:
    """The order in which texts are offered."""

    def __init__(self, uses: Uses, meant: Meant, before: str) -> None:
        self.uses = uses
        self._meant, self._before = meant, before.strip().casefold()
        self._reworded: dict[str, list[str]] = {}
        for word in set(words_of(meant.reworded)):
            self._reworded.setdefault(word[:_LEAST_STEM], []).append(word)

    def sorted(self, texts: Sequence[str]) -> list[str]:
        """The texts: what is meant, then those with words of the reworded sentence, then the most used."""
        return sorted(texts, key=self._key)

    def _key(self, text: str) -> tuple[int, int, int]:
        place = self._meant.place(self._before, text)
        shared = sum(map(self._likeness, words_of(text))) if self._reworded else 0
        return place, -shared, -self.uses.words.get(text.casefold(), 0)

    def _likeness(self, word: str) -> int:
        """2 for a word of the reworded sentence, 1 for another form of one, as "cancel" and "cancelled"."""
        if len(word) < _LEAST_STEM:
            return 0
        alike = self._reworded.get(word[:_LEAST_STEM], ())
        if word in alike:
            return 2
        return int(any(one.startswith(word[:-1]) or word.startswith(one[:-1]) for one in alike))
