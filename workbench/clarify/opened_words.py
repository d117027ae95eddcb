"""A sentence word by word: what each word is understood as, and what each other word could be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.author.argument_terms import rendered
from workbench.author.rules.lexicon import Lexicon, Meaning, Reference, key
from workbench.author.rules.norms import Effect
from workbench.author.rules.words import ACTION_FILLER, ARTICLES, LIGHT, PEOPLE, split_words, stem
from workbench.clarify.sayable_facts import SayableFact
from workbench.clarify.told_conditions import FactBook, ToldRule
from workbench.likeness import likeness
from workbench.model import Kind

_TOKEN = re.compile(
    r"\"[^\"]+\"|“[^”]+”|`[^`]+`|[$€£]\s?\d[\d,.]*\d|[$€£]\s?\d|\d[\d,]*(?:\.\d+)?\s?"
    r"(?:euros?|dollars?|pounds?|EUR|USD|GBP|%|days?|hours?|minutes?|weeks?|months?|years?)\b|"
    r"\d[\d,]*(?:\.\d+)?|[^\W\d_](?:[\w'’./-]*\w)?"
)
_DUTY = re.compile(
    r"(may|can|cannot|must|should|shall|never|only|not|no|nobody|nothing|needs?|allowed|forbidden|excluded|fine|"
    r"okay|ok|always|possible)",
    re.I,
)
_JOINS = re.compile(
    r"(and|or|if|unless|when|where|before|after|until|once|while|than|at|least|most|more|less|up|except|but|"
    r"within|over|under|above|below|other|ago|first|then|again|together|per|each|every|all|both|either)",
    re.I,
)
_MOST_PHRASE = 4
_ALIKE = 72.0
_MOST_LIKELY = 3
_MOST_READINGS = 8


class WordRole(StrEnum):
    """What a word of a sentence was understood as."""

    TOOL = "tool"
    ARGUMENT = "argument"
    VALUE = "value"
    QUANTITY = "quantity"
    DUTY = "duty"
    JOINS = "joins"
    ADDS_NOTHING = "adds nothing"
    UNKNOWN = "unknown"


_SAYS_SOMETHING = (WordRole.ARGUMENT, WordRole.VALUE, WordRole.QUANTITY, WordRole.UNKNOWN)
"""What a word may be that a rule must not leave out silently."""


@dataclass(frozen=True, slots=True)
class WordCandidate:
    """What a word could be: ``kind`` is nothing, synonym or fact; ``value`` is what is chosen with it."""

    kind: str
    value: str
    said: str


@dataclass(frozen=True, slots=True)
class OpenedWord:
    """One word, or some that belong together, with what it was understood as, or what it could be."""

    text: str
    start: int
    role: WordRole
    meaning: str = ""
    candidates: tuple[WordCandidate, ...] = ()


def tools_named(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    """The tools that the words of a sentence name."""
    words = opened_words(text, lexicon, FactBook((), None))
    action = lexicon.action()
    meant = " ".join(word.meaning for word in words if word.role is WordRole.TOOL)
    return () if action is None else tuple(tool for tool in action.type.values if f'"{tool}"' in meant)


def opened_words(
    text: str, lexicon: Lexicon, book: FactBook, idle: Sequence[str] = ()
) -> tuple[OpenedWord, ...]:
    """The words of a sentence in order; ``idle`` are those of which a person said that they add nothing."""
    tokens = list(_TOKEN.finditer(text))
    found: list[OpenedWord] = []
    place = 0
    while place < len(tokens):
        word, taken = _opened(text, tokens[place:], lexicon, book, idle)
        found.append(word)
        place += taken
    return tuple(found)


def _opened(
    text: str, tokens: list[re.Match[str]], lexicon: Lexicon, book: FactBook, idle: Sequence[str]
) -> tuple[OpenedWord, int]:
    first = tokens[0]
    one = first.group()
    for count in range(min(_MOST_PHRASE, len(tokens)), 0, -1):
        phrase = text[first.start() : tokens[count - 1].end()]
        stems_ = key(phrase)
        if count > 1 and (len(stems_) < count or re.search(r"[.;:()]", phrase)):
            continue
        meanings = lexicon.meanings(stems_)
        light = count == 1 and one.lower() in LIGHT | ARTICLES
        if meanings and not light:
            role, said = _understood(meanings[0], lexicon)
            return OpenedWord(phrase, first.start(), role, said), count
    lower = one.lower()
    if lower in {word.lower() for word in idle}:
        return OpenedWord(one, first.start(), WordRole.ADDS_NOTHING, "a person said so"), 1
    if one[0].isdigit() or one[0] in '$€£"“`':
        return OpenedWord(one, first.start(), WordRole.QUANTITY, one), 1
    if _DUTY.fullmatch(one):
        return OpenedWord(one, first.start(), WordRole.DUTY, lower), 1
    if _JOINS.fullmatch(one):
        return OpenedWord(one, first.start(), WordRole.JOINS, lower), 1
    if lower in ARTICLES | LIGHT | PEOPLE | ACTION_FILLER:
        return OpenedWord(one, first.start(), WordRole.ADDS_NOTHING), 1
    candidates = tuple(_candidates(one, lexicon, book))
    return OpenedWord(one, first.start(), WordRole.UNKNOWN, "", candidates), 1


def _understood(meaning: Meaning, lexicon: Lexicon) -> tuple[WordRole, str]:
    if isinstance(meaning, Reference):
        return WordRole.ARGUMENT, meaning.argument
    said = rendered(meaning)
    action = lexicon.action()
    tool = action is not None and said.startswith(f"{action.name} ")
    return (WordRole.TOOL if tool else WordRole.VALUE), said


def _candidates(word: str, lexicon: Lexicon, book: FactBook) -> Iterator[WordCandidate]:
    """What an unknown word could be: nearest known words, facts with such a word, and nothing."""
    action = lexicon.action()
    known = {
        value: f"{argument.name} is {value}"
        for argument in lexicon.arguments
        for value in argument.type.values
    }
    known |= {argument.name: f"the argument {argument.name}" for argument in lexicon.arguments}
    scored = sorted(((_alike(word, name), name) for name in known), reverse=True)
    tools = set(action.type.values) if action is not None else set[str]()
    for score, name in scored[:_MOST_LIKELY]:
        if score >= _ALIKE:
            said = f"the tool {name}" if name in tools else known[name]
            yield WordCandidate("synonym", name, f"means {said}; kept for the next sentences")
    for fact in book.nearest(word, _MOST_LIKELY):
        yield WordCandidate("fact", fact.said, f"a fact: {fact.said} ({fact.source})")
    yield WordCandidate("nothing", "nothing", "adds nothing here")


def _alike(word: str, name: str) -> float:
    return max((likeness(stem(word), stem(part)) for part in split_words(name)), default=0.0)


# --- listed forms of a whole sentence ----------------------------------------------


def listed_rules(
    text: str, words: Sequence[OpenedWord], lexicon: Lexicon, book: FactBook
) -> tuple[ToldRule, ...]:
    """Rules of a listed form that the understood words of a sentence suggest, the likeliest first.

    Each names the words of the sentence that it leaves out.
    """
    tools = _tools(text, words, lexicon)
    plain = tuple(ToldRule(effect, tools, ()) for effect in (Effect.PERMIT, Effect.FORBID)) if tools else ()
    said = {stem(word) for tool in tools for word in split_words(tool)}
    rest = " ".join(word for word in split_words(text) if stem(word) not in said)
    conditions = [
        found for fact in book.nearest(rest, _MOST_READINGS) if (found := _suggested(fact, text, words))
    ]
    only = tuple(ToldRule(Effect.REQUIRE, tools, (condition,)) for condition in conditions[:4])
    return tuple(replace(rule, left_out=_left_out(rule, words)) for rule in (*only, *plain)[:_MOST_READINGS])


def _left_out(rule: ToldRule, words: Sequence[OpenedWord]) -> tuple[str, ...]:
    """The words that say something of which a rule says nothing; those that stand together as one."""
    said = " ".join((*rule.tools, *rule.conditions))
    stems = _stems(said)
    found: list[str] = []
    together = False
    for word in words:
        left = word.role in _SAYS_SOMETHING and not _is_said(word, said, stems)
        if left and together:
            found[-1] += f" {word.text}"
        elif left:
            found.append(word.text)
        together = left
    return tuple(found)


def _is_said(word: OpenedWord, said: str, stems: frozenset[str]) -> bool:
    """Whether a rule that reads so speaks of a word, or of what it was understood as."""
    if word.role is WordRole.QUANTITY:
        return re.search(rf"(?<!\w){re.escape(word.text)}(?!\w)", said, re.I) is not None
    meant = " ".join(re.findall(r'"([^"]+)"', word.meaning))
    return bool(_stems(f"{word.text} {meant}") & stems)


def _stems(text: str) -> frozenset[str]:
    words = (word.partition("'")[0].partition("’")[0] for word in split_words(text))
    return frozenset(stem(word) for word in words if word not in ARTICLES | LIGHT)


def _tools(text: str, words: Sequence[OpenedWord], lexicon: Lexicon) -> tuple[str, ...]:
    action = lexicon.action()
    if action is None:
        return ()
    meant = " ".join(word.meaning for word in words if word.role is WordRole.TOOL)
    said = {stem(word) for word in split_words(text)}
    found = [tool for tool in action.type.values if f'"{tool}"' in meant]
    objects = [tool for tool in action.type.values if {stem(word) for word in split_words(tool)[1:]} & said]
    return tuple(found or objects[:_MOST_LIKELY])


def _suggested(fact: SayableFact, text: str, words: Sequence[OpenedWord]) -> str:
    """A condition about a fact with the bounds and values of a sentence; empty where it names none."""
    kind = fact.argument.type.kind
    quantities = [word.text for word in words if word.role is WordRole.QUANTITY]
    days = re.search(r"(\d+) (day|hour|week)s?", text)
    lower = re.search(r"\b(at least|or more|more than|from|above|over)\b", text, re.I)
    if kind is Kind.BOOL:
        return fact.said
    if kind in (Kind.INT, Kind.DECIMAL) and quantities:
        return f"{fact.said} {'is at least' if lower else 'is at most'} {quantities[0]}"
    if kind in (Kind.DATE, Kind.DATETIME) and days:
        return f"{fact.said} is at most {days.group()} ago"
    said = {stem(word) for word in split_words(text)}
    named = [value for value in fact.argument.type.values if {stem(w) for w in split_words(value)} <= said]
    if kind in (Kind.ENUM, Kind.STR) and named:
        return f"{fact.said} is one of {', '.join(named)}"
    if kind is Kind.SET and named:
        return f"each {fact.said} is one of {', '.join(named)}"
    return ""
