"""The words of a condition as tokens of the grammar: a name or value of the agent spec is one token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from lark import Token

from workbench.author.argument_terms import free_name
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.phrase_items import bare
from workbench.author.rules.quantities import QUANTITIES, read_quantity
from workbench.author.rules.sentences import Chunk
from workbench.author.rules.words import split_words
from workbench.model import ArgumentType, Kind
from workbench.policy.terms import Attribute, Variable
from workbench.serialization.durations import UNITS

_PHRASES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("for", "at", "least", "one"), "FOR_ONE"),
    (("for", "every"), "FOR_EVERY"),
    (("is", "one", "of"), "IS ONE_OF"),
    (("is", "none", "of"), "IS NONE_OF"),
    (("are", "none", "of"), "IS NONE_OF"),
    (("the", "number", "of"), "NUMBER_OF"),
    (("the", "length", "of"), "LENGTH_OF"),
    (("the", "same", "as"), "SAME_AS"),
    (("all", "among"), "ALL_AMONG"),
    (("the", "time", "from"), "TIME_FROM"),
    (("to",), "TO"),
    (("there",), "THERE_ARE"),
    (("is",), "IS"),
    (("are",), "IS"),
    (("does",), "DOES"),
    (("do",), "DOES"),
    (("known",), "KNOWN"),
    (("among",), "AMONG"),
    (("empty",), "EMPTY"),
    (("ago",), "AGO"),
    (("plus",), "OPERATION"),
    (("minus",), "OPERATION"),
    (("multiplied", "by"), "OPERATION"),
    (("each",), "EACH"),
    (("with",), "WITH"),
    (("of",), "OF"),
)
_ONLY_GRAMMAR = frozenset(["known", "empty", "among", "ago", "is", "are"])
_KEPT = frozenset(["AND", "OR", "COMMA", "OPEN", "CLOSE", "NOT", "TEXT_TEST", *QUANTITIES])


class NoConditionError(Exception):
    """The phrase is not a condition of this form."""


@dataclass(slots=True)
class ConditionWords:
    """Makes tokens of chunks with the names and values of one lexicon.

    ``elements`` are the names given to elements of lists so far. The text of a token is the index of its
    value in ``values``.
    """

    lexicon: Lexicon
    elements: dict[str, Variable] = field(default_factory=dict[str, Variable])
    values: list[object] = field(default_factory=list[object])

    def value(self, token: Token) -> object:
        """The value of a token."""
        return self.values[int(token)]

    def tokens(self, chunk: Chunk) -> Iterator[Token]:
        """The tokens of a chunk; raises NoConditionError at a word that is no token."""
        place = 0
        while place < len(chunk):
            for length, kinds, value in self._longest(chunk, place):
                for kind in kinds.split():
                    yield self._token(kind, value)
                place += length
                break
            else:
                raise NoConditionError(chunk[place].text)

    def _token(self, kind: str, value: object) -> Token:
        self.values.append(value)
        return Token(kind, str(len(self.values) - 1))

    def _longest(  # noqa: C901 # one line for each kind of token
        self, chunk: Chunk, place: int
    ) -> Iterator[tuple[int, str, object]]:
        """The candidates for a place of the chunk, the longest first."""
        word = chunk[place]
        if quantified := self._quantified(chunk, place):
            yield quantified
        if word.text.lower() not in _ONLY_GRAMMAR:
            yield from self._named(chunk, place)
        if special := self._duration(chunk, place) or self._fields(chunk, place):
            yield special
        texts = [sentence_word.text.lower() for sentence_word in chunk[place : place + 4]]
        words = [part for text in texts for part in text.split()]
        for phrase, kinds in _PHRASES:
            if tuple(words[: len(phrase)]) == phrase and (count := _token_count(texts, len(phrase))):
                yield count, kinds, phrase[-1]
        if word.kind == "COMPARATOR":
            yield 1, "COMPARED", word.text
        if word.kind in ("TRUE", "FALSE"):
            yield 1, "TRUTH", word.kind == "TRUE"
        if word.kind in ("QUOTED", "CODE", "ADDRESS", "PATH"):
            yield 1, "TEXT", bare(word.text)
        if word.kind in _KEPT:
            yield 1, word.kind, word
        if word.text.lower() in ("the", "a", "an"):
            yield 1, "", None

    def _quantified(self, chunk: Chunk, place: int) -> tuple[int, str, object] | None:
        """The element in “for every payment of the payments”: “payment” names it until another one does."""
        before = " ".join(sentence_word.text.lower() for sentence_word in chunk[max(0, place - 3) : place])
        if not before.endswith(("for every", "for at least one", "( each")):
            return None
        counted = before.endswith("( each")
        last = ")" if counted else "of"
        end = next((at for at in range(place, len(chunk)) if chunk[at].text.lower() == last), None)
        if end is None or end == place:
            return None
        name = " ".join(sentence_word.text.lower() for sentence_word in chunk[place:end])
        if counted:
            many = self._list_before(chunk, place)
        else:
            named = self._named(chunk, _after_article(chunk, end + 1))
            many = next((value for _, kind, value in named if kind == "MANY"), None)
        if not isinstance(many, Variable | Attribute):
            return None
        element = many.type.element or ArgumentType(Kind.STR)
        known_arguments = (*self.lexicon.arguments, *self.lexicon.records_and_lists)
        self.elements[name] = Variable(free_name("_".join(split_words(name)), known_arguments), element)
        return end - place, "ELEMENT", name

    def _list_before(self, chunk: Chunk, place: int) -> object:
        """The list before “(each payment)”."""
        for start in range(max(0, place - 8), place):
            for length, kind, value in self._named(chunk, start):
                if kind == "MANY" and start + length == place - 2:
                    return value
        return None

    def _named(self, chunk: Chunk, place: int) -> Iterator[tuple[int, str, object]]:
        """The names and values of the agent spec that begin at a place, the longest first."""
        start = _after_article(chunk, place)
        if start < len(chunk) and chunk[start].kind in ("QUOTED", "CODE"):
            return  # a text, whatever its words
        names = self._names()
        for end in range(min(len(chunk), start + 10), start, -1):
            words = _words_of(chunk[start:end])
            if words is None:
                continue
            if words in names and not _begins_filtered(chunk, end, names[words][1]):
                kind, value = names[words]
                yield end - place, kind, value
            text = " ".join(bare(sentence_word.text) for sentence_word in chunk[start:end])
            if start == place and (values := self._values(text, words)):
                yield end - place, "VALUE", values

    def _values(self, text: str, words: tuple[str, ...]) -> tuple[str, ...]:
        """The values of enums that a text names, in the spelling of the agent spec."""
        lower_text = text.lower()
        every = (value for type_ in self._types() for value in type_.values if type_.kind is Kind.ENUM)
        return tuple(
            dict.fromkeys(
                value for value in every if value.lower() == lower_text or split_words(value) == words
            )
        )

    def _types(self) -> Iterator[ArgumentType]:
        for argument in self.lexicon.arguments:
            yield argument.type
        for held in self.lexicon.records_and_lists:
            yield from _inner(held.type)

    def _names(self) -> dict[tuple[str, ...], tuple[str, object]]:
        """The facts by the words of their names: “reservation cabin” and “cabin of the reservation”."""
        meaning_by_words: dict[tuple[str, ...], tuple[str, object]] = {}
        for argument in self.lexicon.arguments:
            if argument.name.endswith(".since"):
                continue
            kind = "MANY" if argument.type.kind is Kind.SET else "FACT"
            for words in _phrasings(argument.name):
                meaning_by_words.setdefault(words, (kind, Variable(argument.name, argument.type)))
        for held in self.lexicon.records_and_lists:
            for path, place in _places(Variable(held.name, held.type), held.name):
                kind = "FACT" if place.type.kind is Kind.RECORD else "MANY"
                meaning_by_words.setdefault(_phrasings(path)[0], (kind, place))
        for name, element in self.elements.items():
            meaning_by_words[split_words(name)] = ("FACT", element)
            for field_name, type_ in element.type.record.fields if element.type.record else ():
                held_kind = "MANY" if type_.kind in (Kind.SET, Kind.LIST) else "FACT"
                attribute = Attribute(element, field_name, type_)
                for words in _phrasings(f"{name}.{field_name}"):
                    meaning_by_words[words] = (held_kind, attribute)
        return meaning_by_words

    def _fields(self, chunk: Chunk, place: int) -> tuple[int, str, object] | None:
        """“by flight number and date”: fields of the elements of two lists that are compared."""
        if chunk[place].text.lower() != "by":
            return None
        field_by_words = {
            split_words(name): name
            for type_ in self._types()
            if type_.record
            for name, _ in type_.record.fields
        }
        fields: list[str] = []
        at = place + 1
        while at < len(chunk):
            ends = [
                end
                for end in range(at + 1, min(len(chunk), at + 6) + 1)
                if _words_of(chunk[at:end]) in field_by_words
            ]
            if not ends:
                break
            fields.append(field_by_words[_words_of(chunk[at : ends[-1]]) or ()])
            at = ends[-1]
            if at >= len(chunk) or chunk[at].kind not in ("AND", "COMMA"):
                break
            at += 1
        return (at - place, "FIELDS", tuple(fields)) if fields else None

    def _duration(self, chunk: Chunk, place: int) -> tuple[int, str, object] | None:
        total, at = timedelta(0), place
        while at + 1 < len(chunk) and chunk[at].kind == "NUMBER":
            quantity = read_quantity(chunk[at])
            unit = UNITS.get(chunk[at + 1].text.lower().removesuffix("s"))
            if quantity is None or unit is None or type(quantity.value) is not int:
                break
            total, at = total + timedelta(seconds=quantity.value * unit), at + 2
        return (at - place, "DURATION", total) if at > place else None


def _begins_filtered(chunk: Chunk, end: int, value: object) -> bool:
    """Whether a filter on the counted elements follows the size of a list."""
    size = isinstance(value, Variable) and value.name.endswith(".number")
    return size and end < len(chunk) and chunk[end].kind == "OPEN"


def _token_count(texts: list[str], count: int) -> int:
    """The number of tokens that have exactly this many words; 0 if the count ends within a token."""
    held = 0
    for number, text in enumerate(texts, 1):
        held += len(text.split())
        if held == count:
            return number
        if held > count:
            return 0
    return 0


def _after_article(chunk: Chunk, place: int) -> int:
    return place + (place < len(chunk) and chunk[place].text.lower() == "the")


def _words_of(words: Chunk) -> tuple[str, ...] | None:
    if (
        any(word.kind in ("AND", "OR", "COMMA", "OPEN", "CLOSE", "QUOTED", "CODE") for word in words)
        and len(words) > 1
    ):
        return None
    if not words or words[-1].text.lower() in ("the", "of"):
        return None
    return tuple(
        part.replace("’", "'").removesuffix("'s")
        for word in words
        for part in split_words(bare(word.text).rstrip("'’"))
    )


def _phrasings(path: str) -> tuple[tuple[str, ...], ...]:
    """The phrases for a path: “reservation cabin”, “cabin of the reservation”, “number of passengers”."""
    *owners, last = path.split(".")
    named = split_words(last)
    if not owners:
        return (named,)
    owner = tuple(word for owner in owners for word in split_words(owner))
    if last == "total":
        *owners, summed = owners
        owner = tuple(word for name in owners for word in split_words(name))
        return (
            ("total", *split_words(summed), "of", "the", *owner),
            ("total", *split_words(summed), "of", *owner),
        )
    return ((*owner, *named), (*named, "of", "the", *owner), (*named, "of", *owner))


def _inner(type_: ArgumentType) -> Iterator[ArgumentType]:
    yield type_
    if type_.element is not None:
        yield from _inner(type_.element)
    for _, held in type_.record.fields if type_.record is not None else ():
        yield from _inner(held)


def _places(place: Variable | Attribute, path: str) -> Iterator[tuple[str, Variable | Attribute]]:
    """Records, lists and sets under a name."""
    yield path, place
    if place.type.kind is Kind.RECORD and place.type.record is not None:
        for name, held in place.type.record.fields:
            if held.kind in (Kind.LIST, Kind.SET):
                yield f"{path}.{name}", Attribute(place, name, held)
