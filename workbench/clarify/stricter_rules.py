"""Rules that deny everything that an unread sentence may deny: its readable part without narrowing words.

“Never refund a deposit, except when the boat sank” denies no more than “Never refund a deposit”. So a
prohibition or a demand may lose its condition, its exception and the restrictions on its object. A permission
may lose nothing. The offer names the left-out words, since they would allow something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.author.rules.context_reasons import named_tools
from workbench.author.rules.everyday_sentences import restriction
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.modal_words import (
    ALLOWING,
    CONDITION_PHRASES,
    CONDITIONS,
    DEMANDING_VERBS,
    EXCEPTIONS,
    FORBIDDING,
    MODAL_VERBS,
    NEGATED_COMMANDS,
    NEGATED_MODALS,
    NEGATIONS,
    PERMISSION_VERBS,
    REMOTE_MODAL_VERBS,
    RESTRICTIONS,
    any_of,
)
from workbench.author.rules.norms import Effect
from workbench.author.rules.words import ARTICLES, split_words, stem
from workbench.clarify.fact_book import FactBook
from workbench.clarify.listed_rules import POINTS_BACK, listed_rules
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.restated_rule import restated_rule
from workbench.clarify.word_meanings import OpenedWord, WordRole, opened_words, tool_is_open
from workbench.model import Draft

_CLAUSE = any_of(CONDITIONS | CONDITION_PHRASES)
_PLACE = (
    r"(?:without|during|on|in|at|to|for|from|with|by|via|through|between|within|under|over|above|below|outside|"
    r"inside|towards?|against)"
)
_BEHIND = re.compile(rf",?\s+\(?(?:{_CLAUSE}|{_PLACE})\b", re.I)
_AHEAD = re.compile(rf"^(?:{_CLAUSE}|{_PLACE})\b", re.I)
_BEGINS_CLAUSE = re.compile(rf"^[\s,(]*{_CLAUSE}\b", re.I)
_FREES = re.compile(rf"^[\s,(]*{any_of(EXCEPTIONS)}\b", re.I)
# The other conditions may name the time of an action, which a demand without them would not keep.
_NARROWS = re.compile(rf"^[\s,(]*{any_of(EXCEPTIONS | {'if', 'when', 'whenever'})}\b", re.I)
_DENIES = re.compile(
    rf"\b(?:{any_of(NEGATED_MODALS | {'nobody'})}|"
    rf"(?:is|are) (?:strictly |always )?(?:(?:not|never) \w+|{any_of(FORBIDDING)}))\b|"
    rf"^(?:please )?{any_of(NEGATED_COMMANDS | {'no'})}\b",
    re.I,
)
# “Should” and “shall” may only advise, so a demand without its condition is not offered for them.
_DEMANDS = re.compile(rf"\b{any_of(DEMANDING_VERBS | {'must', 'only'})}\b", re.I)
_TURNS = re.compile(
    rf"\b(?:{any_of(RESTRICTIONS | EXCEPTIONS)}|but|other than|apart from|else|otherwise|instead|neither|nor|"
    r"least|fewer|less|not all|not every|not always|fail|forget|hesitate)\b",
    re.I,
)
# A left-out condition may itself be negated: “if there is no receipt”, “without a receipt”.
_DUTY = re.compile(
    rf"\b(?:{any_of(MODAL_VERBS | REMOTE_MODAL_VERBS | NEGATIONS - {'not', 'no', 'without'})}|"
    rf"{any_of(DEMANDING_VERBS | RESTRICTIONS | ALLOWING | FORBIDDING)}|do not|does not|is not|are not)\b",
    re.I,
)
_JOINS = re.compile(r"[,;:]|\b(?:and|or|nor|but|as well as|plus)\b", re.I)
_PARTS = re.compile(r"[,;:]|\b(?:nor|but)\b", re.I)
_NEGATES = re.compile(
    rf"\b(?:{any_of(NEGATED_MODALS | NEGATED_COMMANDS)}|nobody|(?:is|are) not|isn['’]t|aren['’]t)\b|^no\b",
    re.I,
)
_RESTRICTS = re.compile(
    r"\b(?:(?:needs?|requires?)(?! to\b)|only|(?:is|are) (?:always )?(?:limited|reserved|restricted)|"
    r"(?:is|are) (?:possible|allowed) (?:when|if|once|after)|(?:is|are) for|and nowhere else)\b",
    re.I,
)
_PERMITS = re.compile(
    rf"\b(?:{any_of(PERMISSION_VERBS | ALLOWING)}|free(?:ly)?|always|welcome|harmless|plenty|like to|"
    rf"not (?:all|every)|just|instead|but|whose|who|that|which|{_CLAUSE})\b",
    re.I,
)
_FREES_ANYWAY = re.compile(
    r"\b(?:not|never|\w+n['’]t) (?:only|just|need|require|have to|stop|avoid|refuse|fail|forget|hesitate|"
    r"refrain|prevent|cease|delay)\b|\b(?:need not|needn['’]t)\b",
    re.I,
)
"""Negated words that deny nothing: “refunds do not need a manager”, “don't stop sending emails”."""
_VERB = re.compile(
    r"(?<!\w)(?<!a )(?<!an )(?<!the )(?<!per )(?<!one )(?<!same )(?<!each )(?<!every )(\w+)", re.I
)
_WORDS_BEHIND = re.compile(r"(?:\W+\w+){0,3}")


@dataclass(frozen=True, slots=True)
class _Core:
    """A part of a sentence that denies at least as much as the whole; ``left`` is the rest of it."""

    text: str
    left: str


def stricter_rules(
    text: str, lexicon: Lexicon, book: FactBook, draft: Callable[[str], Draft], question: str
) -> tuple[PersonRule, ...]:
    """The rule that denies everything that an unread sentence may deny and leaves out the least, if any.

    ``draft`` drafts a request of one sentence. ``question`` is the question that the new words of the
    sentence answer.
    """
    if POINTS_BACK.search(text):
        return ()
    for core in _cores(text):
        words = opened_words(core.text, lexicon, book)
        for rule in (
            *_as_listed(core, words, lexicon, book),
            *_as_read(core, words, lexicon, draft, question),
        ):
            return (replace(rule, stricter=core.left.strip(" ,()")),)
    return tuple(_never_at_all(text, lexicon))


def _never_at_all(text: str, lexicon: Lexicon) -> Iterator[PersonRule]:
    """Yield the rule that tools are never called, if a sentence restricts or forbids their calls."""
    main_clause = text[text.find(",") + 1 :].strip() if _AHEAD.match(text) else text
    restricts = min(
        filter(None, (_NEGATES.search(main_clause), _RESTRICTS.search(main_clause))), key=_start, default=None
    )
    if restricts is None:
        return
    behind = _WORDS_BEHIND.match(main_clause, restricts.end()) if _NEGATES.match(restricts.group()) else None
    about = f"{main_clause[: restricts.start()]} {'' if behind is None else behind.group()}"
    frees = _PERMITS.search(about) or _FREES_ANYWAY.search(main_clause)
    if not frees and (tools := _tools_of(text, about, lexicon)):
        yield PersonRule(Effect.FORBID, tools, (), stricter=text.rstrip(".!;"))


def _tools_of(text: str, about: str, lexicon: Lexicon) -> tuple[str, ...]:
    """The only tool that a part of a sentence names: by its verb, or by an object that only it has."""
    named = {tool: frozenset(map(stem, split_words(tool)[1:])) for tool in named_tools(text, lexicon)}
    tools = [tool for tool in named if not any(named[tool] < other_stems for other_stems in named.values())]
    action = lexicon.action()
    if len(tools) != 1 or action is None or tools[0] not in named_tools(about, lexicon, acting=True):
        return ()
    other_tools = {*action.type.values} - {*named}
    elsewhere = (*(argument.name for argument in lexicon.arguments), *other_tools)
    by_verb = _verb_of(tools[0]) in {stem(match[1]) for match in _VERB.finditer(about)}
    shared = any(named[tools[0]] <= set(map(stem, split_words(name))) for name in elsewhere)
    first = next((stem(word) for word in split_words(about) if word not in ARTICLES | {"no"}), "")
    return tuple(tools) if by_verb or (first in named[tools[0]] and not shared) else ()


def _verb_of(tool: str) -> str:
    return stem(split_words(tool)[0])


def _start(match: re.Match[str]) -> int:
    return match.start()


def _cores(text: str) -> Iterator[_Core]:
    """Yield the parts of a sentence that deny at least as much, the longest first."""
    text = " ".join(text.split()).rstrip(".!;")
    cores = [_Core(text[: cut.start()], text[cut.start() :]) for cut in _BEHIND.finditer(text)]
    if _AHEAD.match(text):
        commas = (at for at, sign in enumerate(text) if sign == ",")
        cores += [_Core(text[at + 1 :].strip(), text[: at + 1]) for at in commas]
    yield from sorted((core for core in cores if _denies_as_much(core)), key=lambda core: len(core.left))
    restricted = restriction(text)
    if restricted is not None:
        yield _Core(restricted.prohibition, restricted.condition)


def _denies_as_much(core: _Core) -> bool:
    """Whether the core denies at least as much as the whole: the rest only narrows or permits."""
    if _DUTY.search(core.left):
        return False
    clause = _BEGINS_CLAUSE.match(core.left) is not None
    ahead = core.left.endswith(",")
    if not ahead and (_PARTS if clause else _JOINS).search(core.left.lstrip(" ,")):
        return False
    if _DENIES.search(core.text):
        return not _TURNS.search(core.text)
    if not _DEMANDS.search(core.text):
        return False
    return (_FREES if _TURNS.search(core.text) else _NARROWS).match(core.left) is not None


def _as_read(
    core: _Core, words: Sequence[OpenedWord], lexicon: Lexicon, draft: Callable[[str], Draft], question: str
) -> Iterator[PersonRule]:
    """Yield the prohibition that the request language reads from the part, if it is about a tool."""
    action, left = lexicon.action(), core.left.strip(" ,()")
    if action is None or (any(word.role is WordRole.UNKNOWN for word in words) and tool_is_open(words)):
        return
    statement = f"It is taken as “{core.text}”, which denies more; left out: “{left}”."
    rule = restated_rule(core.text, draft, question, action.name, statement)
    if rule is not None and rule.effect is Effect.FORBID:
        yield rule


def _as_listed(
    core: _Core, words: Sequence[OpenedWord], lexicon: Lexicon, book: FactBook
) -> Iterator[PersonRule]:
    """Yield the rule of a listed form that the part states, if it permits nothing and leaves out no word."""
    for rule in listed_rules(core.text, words, lexicon, book):
        if rule.effect is not Effect.PERMIT and (rule.effect is Effect.FORBID or not rule.left_out):
            yield rule
