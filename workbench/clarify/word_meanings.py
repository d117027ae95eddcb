"""A sentence word by word: the meaning of each known word, and the candidates for each unknown word."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.author.argument_terms import rendered
from workbench.author.rules.lexicon import Lexicon, Meaning, Reference, key
from workbench.author.rules.modal_words import MODAL_VERBS, SUBJECT_NEGATIONS, VERB_NEGATIONS, any_of
from workbench.author.rules.words import ACTION_FILLER, ARTICLES, LIGHT, PEOPLE, split_words, stem
from workbench.clarify.fact_book import FactBook
from workbench.clarify.reversing_words import turns
from workbench.clarify.synonyms import of_same_sense
from workbench.likeness import ALIKE_FOR_CHOICE, likeness
from workbench.model import Tool

_TOKEN = re.compile(
    r"\"[^\"]+\"|“[^”]+”|`[^`]+`|[$€£]\s?\d[\d,.]*\d|[$€£]\s?\d|\d[\d,]*(?:\.\d+)?\s?"
    r"(?:euros?|dollars?|pounds?|EUR|USD|GBP|%|days?|hours?|minutes?|weeks?|months?|years?)\b|"
    r"\d[\d,]*(?:\.\d+)?|[^\W\d_](?:[\w'’./-]*\w)?"
)
# A word with this role is no open word, so a word is listed only where the forms of rules account for it.
_DUTY = re.compile(
    rf"(?:{any_of(MODAL_VERBS | VERB_NEGATIONS | SUBJECT_NEGATIONS)}|only|needs?|allowed|"
    r"forbidden|excluded|fine|okay|ok|always|possible)",
    re.I,
)
_JOINS = re.compile(
    r"(and|or|if|unless|when|where|before|after|until|once|while|than|at|least|most|more|less|up|except|but|"
    r"within|over|under|above|below|other|ago|first|then|again|together|per|each|every|all|both|either)",
    re.I,
)
_QUOTED = re.compile(r'"([^"]+)"')
_MOST_PHRASE = 4
_SAME_BEGINNING = 6
_SAID = 101.0
"""The likeness of a word and a tool whose description has the word."""
_SAME_SENSE = 102.0
"""The likeness of a verb and a tool that names the same action by another verb."""
_MOST_LIKELY = 3


type Described = Mapping[str, frozenset[str]]
"""The words in the description of each tool, by its name."""


class WordRole(StrEnum):
    """The role of a word in a sentence."""

    TOOL = "tool"
    ARGUMENT = "argument"
    VALUE = "value"
    QUANTITY = "quantity"
    DUTY = "duty"
    JOINS = "joins"
    ADDS_NOTHING = "adds nothing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class WordCandidate:
    """A candidate for a word: ``kind`` is nothing, synonym or fact; ``value`` is what is chosen with it."""

    kind: str
    value: str
    explanation: str


@dataclass(frozen=True, slots=True)
class OpenedWord:
    """A word, or words that belong together, with the meaning understood, or with the candidates."""

    text: str
    start: int
    role: WordRole
    meaning: str = ""
    candidates: tuple[WordCandidate, ...] = ()

    @property
    def place(self) -> tuple[int, int]:
        """The beginning and end of the word in its sentence."""
        return self.start, self.start + len(self.text)

    @property
    def quoted_names(self) -> list[str]:
        """The names of tools or values in quotation marks in the meaning."""
        return _QUOTED.findall(self.meaning)


def tools_named(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    """The tools that the words of a sentence name."""
    words = opened_words(text, lexicon, FactBook((), None))
    action = lexicon.action()
    meant = " ".join(word.meaning for word in words if word.role is WordRole.TOOL)
    return () if action is None else tuple(tool for tool in action.type.values if f'"{tool}"' in meant)


def tool_is_open(words: Sequence[OpenedWord], tools: Collection[str] = ()) -> bool:
    """Whether an unknown word is at the place of the main verb or its object.

    ``tools`` are the tools of a possible rule, in addition to the tools that the words of the sentence name.

    “Never publish a listing” for an agent that lists properties, “Change a bank account” for one that changes
    salaries: the known words name another tool.
    """
    named = (word for word in words if word.role is WordRole.TOOL)
    meant = {*tools, *(name for word in named for name in word.quoted_names)}
    tool_stems = {
        stem(part) for word in words if word.role is WordRole.TOOL for part in split_words(word.text)
    }
    whole = any({stem(part) for part in split_words(name)} <= tool_stems for name in meant)
    content = [word for word in words if word.role is not WordRole.ADDS_NOTHING]
    duties = [place for place, word in enumerate(content) if word.role is WordRole.DUTY]
    for place in (0, *(duty + 1 for duty in duties)):
        verb, behind = content[place : place + 1], content[place + 1 : place + 2]
        partly = not whole and any(word.role is WordRole.TOOL for word in verb)
        if any(_is_other(word, meant) for word in behind if partly):
            return True
        if any(_is_other(word, meant) for word in verb if place or not duties):
            return True
        if place and not tool_stems and any(word.role is WordRole.VALUE for word in verb):
            return True  # “must not delete anything” for an agent whose requests have a method DELETE
    return False


def _is_other(word: OpenedWord, tools: Collection[str]) -> bool:
    """Whether a word is unknown, and is not similar to one of the tools: “prescribed”, “prescription”."""
    near = any(candidate.value in tools for candidate in word.candidates) or any(
        part[:_SAME_BEGINNING] == word.text.lower()[:_SAME_BEGINNING]
        for name in tools
        for part in split_words(name)
    )
    return word.role is WordRole.UNKNOWN and not near


def opened_words(
    text: str,
    lexicon: Lexicon,
    book: FactBook,
    idle: Sequence[str] = (),
    described: Described | None = None,
) -> tuple[OpenedWord, ...]:
    """The words of a sentence in order; ``idle`` are the words that a person declared meaningless."""
    tokens = list(_TOKEN.finditer(text))
    opened: list[OpenedWord] = []
    place = 0
    while place < len(tokens):
        word, count = _opened(text, tokens[place:], lexicon, book, idle, described or {})
        opened.append(word)
        place += count
    return tuple(opened)


def _opened(
    text: str,
    tokens: list[re.Match[str]],
    lexicon: Lexicon,
    book: FactBook,
    idle: Sequence[str],
    described: Described,
) -> tuple[OpenedWord, int]:
    first = tokens[0]
    word = first.group()
    for count in range(min(_MOST_PHRASE, len(tokens)), 0, -1):
        phrase = text[first.start() : tokens[count - 1].end()]
        stems_ = key(phrase)
        if count > 1 and (len(stems_) < count or re.search(r"[.;:()]", phrase)):
            continue
        meanings = lexicon.meanings(stems_)
        light = count == 1 and word.lower() in LIGHT | ARTICLES
        if meanings and not light:
            role, meaning = _understood(meanings[0], lexicon)
            return OpenedWord(phrase, first.start(), role, meaning), count
    lower = word.lower()
    if lower in {idle_word.lower() for idle_word in idle}:
        return OpenedWord(word, first.start(), WordRole.ADDS_NOTHING, "a person said so"), 1
    if word[0].isdigit() or word[0] in '$€£"“`':
        return OpenedWord(word, first.start(), WordRole.QUANTITY, word), 1
    if _DUTY.fullmatch(word):
        return OpenedWord(word, first.start(), WordRole.DUTY, lower), 1
    if _JOINS.fullmatch(word):
        return OpenedWord(word, first.start(), WordRole.JOINS, lower), 1
    if lower in ARTICLES | LIGHT | PEOPLE | ACTION_FILLER:
        return OpenedWord(word, first.start(), WordRole.ADDS_NOTHING), 1
    candidates = tuple(_candidates(word, lexicon, book, described))
    return OpenedWord(word, first.start(), WordRole.UNKNOWN, "", candidates), 1


def _understood(meaning: Meaning, lexicon: Lexicon) -> tuple[WordRole, str]:
    if isinstance(meaning, Reference):
        return WordRole.ARGUMENT, meaning.argument
    text = rendered(meaning)
    action = lexicon.action()
    tool = action is not None and text.startswith(f"{action.name} ")
    return (WordRole.TOOL if tool else WordRole.VALUE), text


def _candidates(word: str, lexicon: Lexicon, book: FactBook, described: Described) -> Iterator[WordCandidate]:
    """Yield the candidates for an unknown word: nearest known words, facts with the word, and no meaning."""
    action = lexicon.action()
    meaning_by_name = {
        value: f"{argument.name} is {value}"
        for argument in lexicon.arguments
        for value in argument.type.values
    }
    meaning_by_name |= {argument.name: f"the argument {argument.name}" for argument in lexicon.arguments}
    scored = {name: _alike(word, name) for name in meaning_by_name}
    tools = set(action.type.values) if action is not None else set[str]()
    scored |= {name: _SAID for name in tools if stem(word) in described.get(name, frozenset[str]())}
    scored |= {name: _SAME_SENSE for name in tools if of_same_sense(word, split_words(name)[0])}
    for name in sorted(scored, key=lambda candidate: scored[candidate], reverse=True)[:_MOST_LIKELY]:
        if scored[name] >= ALIKE_FOR_CHOICE:
            meaning = f"the tool {name}" if name in tools else meaning_by_name[name]
            yield WordCandidate("synonym", name, f"means {meaning}; kept for the next sentences")
    for fact in book.names.nearest(word, _MOST_LIKELY):
        yield WordCandidate("fact", fact.phrase, f"a fact: {fact.phrase} ({fact.source})")
    if not turns(word):
        yield WordCandidate("nothing", "nothing", "adds nothing here")


def _alike(word: str, name: str) -> float:
    """The likeness of a word to the nearest word of a name; words with a different beginning have none."""
    word_stem = stem(word)
    parts = [stem(part) for part in split_words(name)]
    return max((likeness(word_stem, part) for part in parts if part[:2] == word_stem[:2]), default=0.0)


def tool_words(tools: Iterable[Tool]) -> Described:
    """The stems of the words in the description of each tool."""
    return {tool.name: frozenset(map(stem, split_words(tool.description))) for tool in tools}
