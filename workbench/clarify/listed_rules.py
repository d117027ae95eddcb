"""Rules of a listed form that a sentence may state, built from its own words.

A rule is offered only if it covers every word that negates, permits, demands, conditions, excepts, compares,
counts or dates, and every value and number of the sentence. Other words may be left out; the offer names
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from workbench.author.rules.duty_verbs import acting_duty_verb
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.modal_words import (
    ALLOWING,
    DUTY_VERBS,
    FORBIDDING,
    MODAL_VERBS,
    NEGATED_COMMANDS,
    NEGATED_MODALS,
    PERMISSION_VERBS,
    any_of,
)
from workbench.author.rules.norms import Effect
from workbench.clarify.covered_words import WordsRead
from workbench.clarify.fact_book import FactBook
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.stated_bounds import StatedBound, stated_bounds
from workbench.clarify.word_meanings import OpenedWord, WordRole, tool_is_open

MOST_RULES = 3
_BE = r"(?:is|are|be)"
_ALLOWED = any_of(ALLOWING)
_FORBIDS = re.compile(
    rf"\b(?:{any_of(NEGATED_MODALS)}|"
    rf"{_BE} (?:strictly |always )?(?:(?:not|never) {_ALLOWED}|{any_of(FORBIDDING)}))\b|"
    rf"^(?:please )?{any_of(NEGATED_COMMANDS)}\b",
    re.I,
)
_ONLY = re.compile(
    rf"\b{_BE} (?:only (?:{_ALLOWED} )?|{_ALLOWED} only )(?:for|to) [a-z]+ (?=(?:who|that) (?:is|are) )", re.I
)
_DEMANDS = re.compile(
    rf"\b(?:{any_of(DUTY_VERBS)}|has to|have to|needs? to)(?: always)? (?:be|stay|remain|keep|lie)\b", re.I
)
_PERMITS = re.compile(rf"\b(?:{any_of(PERMISSION_VERBS)}|{_BE} {_ALLOWED}(?: to)?)\b", re.I)
_MAY_ONLY = re.compile(rf"\b{any_of(MODAL_VERBS)} only\b", re.I)
_IF = re.compile(r"\b(only\s+(?:if|when|after|once)|if|when|unless|until|after|once)\s+", re.I)
# “at a time”: for each call alone. Articles of amount mean all calls, as every rule does.
_OF_EACH_CALL = re.compile(r"\b(?:at a time|at once|each time)\b|^(?:all|any|every|each)\b", re.I)
POINTS_BACK = re.compile(
    r"^\W*(?:otherwise|then|this|that|these|those|they|such|in (?:that|this|such)|also|the same)\b", re.I
)
_VALUE = re.compile(r'(\w+) == "([^"]+)"')


@dataclass(frozen=True, slots=True)
class _Condition:
    """The condition after a word such as “unless”, with that word and its place."""

    start: int
    how: str
    text: str


@dataclass(slots=True)
class _Reading:
    """The effect of a sentence and the words that have been read so far."""

    effect: Effect
    read: WordsRead = field(default_factory=WordsRead)


def listed_rules(
    text: str, words: Sequence[OpenedWord], lexicon: Lexicon, book: FactBook
) -> tuple[PersonRule, ...]:
    """The rules that a whole sentence may state, the likeliest first.

    Each names the words of the sentence that it leaves out.
    """
    if POINTS_BACK.search(text):
        return ()
    condition = _condition(text, book)
    head = text[: condition.start] if condition is not None else text
    spoken = [word for word in words if word.start < len(head)]
    reading, tools, values = (
        _effect(head, condition),
        _tools(spoken, lexicon, book),
        _values(spoken, lexicon, book),
    )
    if reading is None or not tools or values is None or tool_is_open(spoken, tools):
        return ()
    if acting_duty_verb(text, tools) is not None:
        return ()
    reading.read.add(*(match.span() for match in _OF_EACH_CALL.finditer(head)))
    reading.read.add(*(word.place for word in spoken if word.role is WordRole.VALUE))
    bounds = stated_bounds(head)
    if len(bounds) > 1 or (bounds and condition is not None):
        return ()
    if bounds and not _demands_bound(head, bounds[0]):
        return ()
    if bounds:
        person_rules = [*_bounded(spoken, bounds[0], reading, (tools, values), book)]
    else:
        person_rules = [*_plain(reading, tools, values, condition)]
    if not reading.read.are_whole(head, spoken):
        return ()
    left = reading.read.left_out(spoken)
    return tuple(replace(rule, left_out=left) for rule in person_rules[:MOST_RULES])


def _condition(text: str, book: FactBook) -> _Condition | None:
    """The condition after “if”, “only if” or “unless”; None if it cannot be read as a whole."""
    for match in _IF.finditer(text):
        phrase = text[match.end() :].strip().rstrip(".!;").strip()
        if phrase and book.is_condition(phrase):
            return _Condition(match.start(), " ".join(match[1].lower().split()), phrase)
    return None


def _effect(text: str, condition: _Condition | None) -> _Reading | None:
    """The effect of a sentence; None unless exactly one word before its condition states it."""
    how = "" if condition is None else condition.how
    forms = (
        (_FORBIDS, Effect.FORBID),
        (_MAY_ONLY, Effect.REQUIRE),
        (_ONLY, Effect.REQUIRE),
        (_DEMANDS, Effect.REQUIRE),
    )
    for form, effect in (*forms, (_PERMITS, Effect.PERMIT)):
        matches = [*form.finditer(text)]
        if matches:
            read = WordsRead([matches[0].span()])
            return _with(_Reading(effect, read), form, how) if len(matches) == 1 else None
    return _Reading(Effect.REQUIRE) if how.startswith("only") else None


def _demands_bound(text: str, bound: StatedBound) -> bool:
    """Whether a sentence demands its bound: “must be at most 5” does, “over 5 has to be told” does not."""
    demanded = _DEMANDS.search(text)
    if demanded is None or _FORBIDS.search(text) is not None:
        return True
    return demanded.end() <= bound.start and not text[demanded.end() : bound.start].strip()


def _with(reading: _Reading, form: re.Pattern[str], how: str) -> _Reading | None:
    """The reading combined with its condition: “never … unless” is a demand; None if the meaning is open."""
    match reading.effect, how:
        case (_, "") if form is not _MAY_ONLY:
            return reading
        case Effect.FORBID, "if" | "when":
            return reading
        case Effect.FORBID, "unless" | "until":
            return replace(reading, effect=Effect.REQUIRE)
        case Effect.PERMIT, "only if" | "only when" | "only after" | "only once":
            return replace(reading, effect=Effect.REQUIRE)
        case Effect.PERMIT, "if" | "when" if form is _PERMITS:
            return reading
        case Effect.REQUIRE, "if" | "when" | "after" | "once" if form is _MAY_ONLY:
            return reading
        case _:
            return None


def _bounded(
    words: Sequence[OpenedWord],
    bound: StatedBound,
    reading: _Reading,
    about: tuple[Sequence[str], Sequence[tuple[str, str]]],
    book: FactBook,
) -> Iterator[PersonRule]:
    """Yield the rules about a bound: forbidden beyond it, or required. A permission needs an upper bound."""
    tools, values = about
    if reading.effect is Effect.PERMIT and not bound.limits:
        return
    if bound.total:
        return  # a bound of several calls, which no fact of a call is
    reading.read.add((bound.start, bound.end))
    named = frozenset(word.meaning for word in words if word.role is WordRole.ARGUMENT)
    for fact in bound.facts(book.facts, tools, named):
        phrase = fact.phrase
        if reading.effect is Effect.FORBID:
            conditions = (f"{phrase} {bound.holds}", *(f"{name} is {value}" for name, value in values))
            yield PersonRule(Effect.FORBID, tuple(tools), conditions)
        else:
            exempting = [f"{name} is not {value}" for name, value in values]
            yield PersonRule(
                Effect.REQUIRE, tuple(tools), (" or ".join((*exempting, f"{phrase} {bound.holds}")),)
            )


def _plain(
    reading: _Reading, tools: Sequence[str], values: Sequence[tuple[str, str]], condition: _Condition | None
) -> Iterator[PersonRule]:
    """Yield the rule of a sentence without a bound."""
    condition_text = "" if condition is None else condition.text
    if reading.effect is not Effect.REQUIRE:
        held = (
            *(f"{name} is {value}" for name, value in values),
            *((condition_text,) if condition_text else ()),
        )
        yield PersonRule(reading.effect, tuple(tools), held)
    elif condition_text and not (values and " and " in condition_text):
        exempting = [f"{name} is not {value}" for name, value in values]
        yield PersonRule(Effect.REQUIRE, tuple(tools), (" or ".join((*exempting, condition_text)),))


# --- the values and tools that a sentence names -----------------------------------------


def _values(
    words: Sequence[OpenedWord], lexicon: Lexicon, book: FactBook
) -> tuple[tuple[str, str], ...] | None:
    """The values that a sentence names, each with the name of its argument; None if one is unclear."""
    argument_by_name = {argument.name: argument for argument in lexicon.arguments}
    named_values: list[tuple[str, str]] = []
    for word in words:
        if word.role is not WordRole.VALUE:
            continue
        meant = _VALUE.fullmatch(word.meaning)
        if meant is None or meant[1] not in argument_by_name:
            return None
        phrase = meant[1].replace("_", " ")
        fact = book.names.fact(phrase)
        if fact is None or fact.name != meant[1]:
            return None
        named_values.append((phrase, meant[2]))
    several = len({name for name, _ in named_values}) != len(named_values)
    return None if several else tuple(named_values)


def _tools(words: Sequence[OpenedWord], lexicon: Lexicon, book: FactBook) -> tuple[str, ...]:
    """The tools that a sentence names, otherwise the only tool whose calls have the values that it names."""
    action = lexicon.action()
    if action is None:
        return ()
    meant = " ".join(word.meaning for word in words if word.role is WordRole.TOOL)
    if named := tuple(tool for tool in action.type.values if f'"{tool}"' in meant):
        return named
    matches = {_VALUE.fullmatch(word.meaning) for word in words if word.role is WordRole.VALUE}
    names = {match[1] for match in matches if match is not None}
    having = {fact.tools for fact in book.facts if fact.name in names and fact.tools}
    return next(iter(having)) if len(having) == 1 and len(next(iter(having))) == 1 else ()
