"""A text that is being typed for a sentence of the request: what it is read as, and what may follow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.language.alone import ALONE
from workbench.language.words import tokens
from workbench.likeness import ALIKE_FOR_HINT, likeness

if TYPE_CHECKING:
    from workbench.app.sentences import Completion, Sentences
    from workbench.language.language import Language
    from workbench.language.phrases import Phrase

_MOST_STEPS = 1_500
"""The most steps of the reader for what may stand in the place of words: it reads the rest for each."""
_MOST_WORDS = 6
"""The words before the cursor at which the words in its place may begin."""
_FEW = 4
_DEFINED = re.compile(r"(?:in calls to [^,]*, )?that (?P<noun>.+?)(?= means\b)", re.IGNORECASE)
"""What a sentence defines, before it says what that means."""


@dataclass(frozen=True, slots=True)
class WordOffer:
    """Words that may stand in the place of what is between two places of the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Typed:
    """What a text is read as.

    ``phrases`` are those that are read, ``unread`` the places of what is not. ``offers`` may be written at
    the cursor, or in the place of what is not read there. ``foreign`` are the sentences of which a part is
    not read, with their places. ``whole`` is whether all is read, ``context`` the reason of a text that says
    that the sentence states no rule.
    """

    phrases: tuple[Phrase, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()
    offers: tuple[WordOffer, ...] = ()
    foreign: tuple[WordOffer, ...] = ()
    whole: bool = False
    context: str = ""


def phrase_at(phrases: Sequence[Phrase], place: int) -> Phrase | None:
    """The innermost phrase at a place of the text."""
    around = [one for one in phrases if one.start <= place <= one.end]
    return min(around, key=lambda one: one.end - one.start, default=None)


def typed(sentences: Sentences, text: str, cursor: int, reworded: str = "") -> Typed:
    """Read a text with the cursor at a place; words of the ``reworded`` sentence are offered first."""
    from workbench.app.rewording import context_of, sentence_places

    if reason := context_of(text):
        return Typed(context=reason)
    places = [*sentence_places(text)]
    if places and not text[: places[-1][1]].endswith("."):
        places[-1] = places[-1][0], len(text)  # a blank after the last word says that the word is finished
    with ALONE:
        every = _sentences(sentences, text, places, cursor, reworded)
        parts = [one.typed() for one in every]
        if not any(start <= cursor <= end for start, end in places):
            parts.append(Typed(offers=_at(sentences.complete("", reworded), cursor, cursor), whole=True))
    return Typed(
        tuple(phrase for part in parts for phrase in part.phrases),
        tuple(place for part in parts for place in part.unread),
        tuple(offer for part in parts for offer in part.offers),
        tuple(one for part in parts for one in part.foreign),
        bool(places) and all(part.whole for part in parts),
    )


def others(sentences: Sentences, text: str, cursor: int, reworded: str = "") -> tuple[WordOffer, ...]:
    """What may stand in the place of the words at the cursor, so that the sentence there is still read.

    There is nothing where it is not read as it stands. The rest is read for each, which a key does not wait
    for.
    """
    from workbench.app.rewording import context_of, sentence_places

    with ALONE:
        places = () if context_of(text) else sentence_places(text)
        for one in _sentences(sentences, text, places, cursor, reworded):
            if one.start <= cursor <= one.end:
                return one.defined() or (one.instead() if cursor < one.end else ())
    return ()


def _sentences(
    sentences: Sentences, text: str, places: Iterable[tuple[int, int]], cursor: int, reworded: str
) -> Iterator[_Sentence]:
    """Yield the sentences at some places, each in the language that those before it make."""
    language = sentences.language
    for start, end in places:
        yield _Sentence(sentences, language, text, start, end, cursor, reworded)
        language = sentences.after(text[start:end], language)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One of the sentences of a text, with its place and language, and where the cursor is in the text."""

    sentences: Sentences
    language: Language
    text: str
    start: int
    end: int
    cursor: int
    reworded: str

    def typed(self) -> Typed:
        """What the sentence is read as, and what is offered if the cursor is in it."""
        from workbench.language.phrases import phrases

        said = self.text[self.start : self.end]
        is_here = self.start <= self.cursor <= self.end
        found = self._complete(said)
        read = tuple(
            replace(one, start=one.start + self.start, end=one.end + self.start)
            for one in phrases(self.language.reader, said)
        )
        if found.whole:
            return Typed(read, whole=True)
        begun = found.offered and found.offered[0].casefold().startswith(found.rest.casefold())
        if not found.rest or (begun and self.cursor == self.end):
            return Typed(read, offers=self._next() if is_here else ())
        start, defined = _start_of_rest(said, found, self.start), _DEFINED.match(said)
        if defined is not None and start < self.start + defined.end():  # what follows says what it means
            return Typed(read, ((start, self.start + defined.end()),))
        foreign = WordOffer(said.strip(), self.start, self.end)
        return Typed(read, ((start, self.end),), self._next() if is_here else (), (foreign,))

    def _next(self) -> tuple[WordOffer, ...]:
        """What may stand at the cursor: after the word that is begun, or for what is not read before it."""
        from workbench.language.completion import elements_instead

        head = self.text[self.start : self.cursor]
        found = self._complete(head)
        start = _start_of_rest(head, found, self.start)
        first = found.rest.partition(" ")[0].rstrip(".,;")
        alike = {one: likeness(first.casefold(), one.casefold()) for one in found.offered}
        slips = [one for one in found.offered if alike[one] >= ALIKE_FOR_HINT and one != first]
        if first and slips and first != found.rest:
            slips.sort(key=lambda one: -alike[one])
            return tuple(WordOffer(one, start, start + len(first)) for one in slips)
        place, own = elements_instead(self.language.reader, found)
        others = (WordOffer(one, self.start + place, self.start + len(found.beginning)) for one in own)
        return (*others, *_at(found, start, self.cursor))

    def instead(self) -> tuple[WordOffer, ...]:
        """What may stand in the place of the words at the cursor, so that the whole is still a sentence.

        The words are the fewest around the cursor that are one of what may stand there, or a value.
        """
        said, reader = self.text[self.start : self.end], self.language.reader
        place = self.cursor - self.start
        if not reader.read(said):
            return ()
        begun = [one for one in tokens(said) if one.start <= place]
        for token in reversed(begun[-_MOST_WORDS:]):
            rest, offered = said[token.start :].casefold(), self._offered(said[: token.start])
            own = max((one for one in offered if rest.startswith(one.casefold())), key=len, default="")
            end = token.start + len(own) if own else token.end if token is begun[-1] else 0
            if end < place:
                continue
            size = len(tokens(said[token.start : end]))
            others = [one for one in offered if one != own]

            def unlike(words: str, size: int = size) -> int:
                """How far words are from the likeliest ones, which are as many."""
                return abs(len(tokens(words)) - size)

            found: list[tuple[int, int, str]] = []
            steps = 0
            for one in sorted(others, key=unlike):
                for words in self._going_on(said[: token.start], one) if steps < _MOST_STEPS else ():
                    if reader.read(said[: token.start] + words + said[end:]):
                        found.append((unlike(words), others.index(one), words))
                    steps += reader.steps
            if found:
                places = self.start + token.start, self.start + end
                return tuple(WordOffer(words, *places) for *_, words in sorted(found))
        return ()

    def defined(self) -> tuple[WordOffer, ...]:
        """The beginnings with which a definition is read that is none of a known kind of record."""
        said, reader = self.text[self.start : self.end], self.language.reader
        defined = _DEFINED.match(said)
        if defined is None or reader.read(said):
            return ()
        noun, rest = defined["noun"], said[defined.end() :]
        tools = self._offered("In calls to")
        left = {one: len(self._complete(f"In calls to {one}, that x{rest}").rest) for one in tools}
        likely = [one for one in tools if left[one] == min(left.values())]
        every = tools if len(likely) == len(tools) else _together(likely)
        places = self.start, self.start + defined.end()
        return tuple(WordOffer(f"In calls to {one}, that {noun}", *places) for one in every)

    def _offered(self, before: str) -> Sequence[str]:
        """What may stand after a beginning."""
        return self._complete(f"{before.rstrip()} ".lstrip()).offered

    def _complete(self, text: str) -> Completion:
        return self.sentences.complete(text, self.reworded, self.language)

    def _going_on(self, before: str, word: str) -> Sequence[str]:
        """A word that may stand after a beginning, or with each of the few that may follow it."""
        after = () if " " in word else self._offered(f"{before.rstrip()} {word}")
        return [f"{word} {one}" for one in after] if 1 < len(after) <= _FEW else [word]


def _start_of_rest(head: str, found: Completion, start: int) -> int:
    """Where in the text that starts is which is left of the beginning of a sentence."""
    return start + (len(head.rstrip()) - len(found.rest.rstrip()) if found.rest else len(head))


def _together(tools: Sequence[str]) -> Sequence[str]:
    """All tools together, then each of several."""
    several = [f"{', '.join(tools[:-1])} or {tools[-1]}"] if len(tools) > 1 else []
    return [*several, *tools]


def _at(found: Completion, start: int, end: int) -> tuple[WordOffer, ...]:
    return tuple(WordOffer(one, start, end) for one in found.offered)


def placed_beside(text: str, offered: str) -> WordOffer:
    """Where a sentence stands that says more: for the last one if it goes on with that, else after it.

    After it, it would have no effect: what one rule denies, no other one lets run.
    """
    from workbench.app.rewording import sentence_places

    start = max((start for start, _ in sentence_places(text)), default=0)
    goes_on = offered.casefold().startswith(text[start:].strip(" .").casefold())
    return WordOffer(offered, start if goes_on else len(text.rstrip()), len(text))


def written(text: str, offer: WordOffer) -> str:
    """What to write in the place of an offer, so that blanks stand around it."""
    before, after = text[: offer.start], text[offer.end :]
    blank = " " if before and not before[-1].isspace() and offer.text[0] not in ".,:;'" else ""
    closes = offer.text.endswith(".") or (after and (after[0].isspace() or after[0] in ".,:;'"))
    return f"{blank}{offer.text}{'' if closes else ' '}"
