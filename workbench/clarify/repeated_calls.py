"""Rules about how often an action is done, in a run or for the same thing: “never issue a refund twice”.

Such a rule counts the earlier successful calls of one tool. If a sentence does not name the values that have
to be equal, each likely choice gives a rule of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.rules.argument_binding import against
from workbench.author.rules.lexicon import Lexicon, Reference, key
from workbench.author.rules.modal_words import NEGATED_COMMANDS, NEGATED_MODALS, PERMISSION_VERBS, any_of
from workbench.author.rules.norms import Effect
from workbench.author.rules.sentences import NUMBER_WORDS
from workbench.author.rules.words import PEOPLE, PROSE, split_words, stem, word_set
from workbench.clarify.counts_of_calls import count_phrase
from workbench.clarify.covered_words import Place, WordsRead
from workbench.clarify.fact_book import FactBook
from workbench.clarify.meant_tools import MeantTool, meant_tool, named_for
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.word_meanings import OpenedWord
from workbench.model import Json, Tool
from workbench.runs.proposals.proposed_names import is_id

_MOST_RULES = 3
_N = rf"(?:\d+|{'|'.join(NUMBER_WORDS)})"
_NEGATION = re.compile(rf"\b{any_of(NEGATED_COMMANDS | NEGATED_MODALS)}\b", re.I)
_MAY = re.compile(rf"\b{any_of(PERMISSION_VERBS)}\b", re.I)
_SEVERAL = re.compile(
    rf"\b(?:(?:more (?:often )?than|over) (?:(?P<times>{_N}) times?|(?P<things>{_N})|(?P<once>once|twice))"
    r"|(?P<again>twice|again|a second time|(?:more|another) times?))\b",
    re.I,
)
_UNIT = r"(?:minute|hour|day|week|month|quarter|year)"
_RUN = r"(?:conversation|session|run|chat|task)"
_AT_MOST = re.compile(
    r"\b(?:at most|up to|no more (?:often )?than|not more (?:often )?than|a maximum of|only|just) "
    rf"(?:(?P<times>{_N}) times?|(?P<once>once|twice)|(?P<things>{_N}))\b|"
    rf"(?<!at )\b(?P<alone>once|twice)\b(?! (?:the|it|they|an?)\b(?! (?:{_UNIT}|{_RUN})\b))",
    re.I,
)
_WINDOW = re.compile(
    r"\b(?:(?:per|an?|each|every|(?:with)?in (?:an?|one|the same|any|a single)|during (?:an?|one|the same)) "
    rf"(?:(?P<unit>{_UNIT})|(?P<run>{_RUN}))|(?P<adverb>hourly|daily|weekly|monthly|yearly))\b",
    re.I,
)
_SAME = re.compile(
    r"\b(?:(?P<way>to|for|from|at|of|with|in|on|about|by) )?"
    r"(?:the (?:very )?same|(?P<per>per|each|every|any (?:one|single))) "
    r"(?!(?:time|way)\b)(?P<what>[a-z]+)\b",
    re.I,
)
_FOR_ANY = PEOPLE | word_set("address number recipient account place client contact")
"""Words for the person or thing that a call is about, independent of the argument's name."""
_NUMBERED = {"once": 1, "twice": 2, **NUMBER_WORDS}


@dataclass(frozen=True, slots=True)
class _Limit:
    """The allowed number of calls, and the place in the sentence that states it."""

    allowed: int
    place: Place


def repeated_call_rules(
    text: str, words: Sequence[OpenedWord], lexicon: Lexicon, book: FactBook, tools: Sequence[Tool]
) -> tuple[PersonRule, ...]:
    """The rules that a whole sentence may state about the number of a tool's calls, the likeliest first."""
    windows = [*_WINDOW.finditer(text)]
    same_matches = [match for match in _SAME.finditer(text) if not _overlaps(match, windows)]
    qualifier_places = [
        match.span()
        for match in (
            *windows,
            *(same_match for same_match in same_matches if same_match["way"] or same_match["per"]),
        )
    ]
    meant = _meant(text, words, qualifier_places, lexicon)
    tool = next((tool for tool in tools if meant is not None and tool.name == meant.name), None)
    effect, read = _effect(text)
    limit = _limit(text, qualifier_places, forbids=bool(_NEGATION.search(text)))
    if meant is None or tool is None or effect is None or limit is None or len(windows) > 1:
        return ()
    read.add(limit.place, *meant.places, *(match.span() for match in (*windows, *same_matches)))
    left = read.left_out(words)
    if not read.are_whole(text, words) or (left and meant.by_verb_alone):
        return ()
    assumed = (*meant.assumed, *_of_window(windows))
    named = [((match["way"] or "").lower(), match["what"].lower()) for match in same_matches]
    keys_of = _same_values(named, tool, lexicon) if windows or same_matches else _of_its_own(text, tool)
    rules = (
        replace(
            _rule(effect, tool.name, keys, limit.allowed), assumed=(*assumed, *key_assumptions), left_out=left
        )
        for keys, key_assumptions in keys_of
    )
    return tuple(rule for rule in rules if book.is_condition(rule.conditions[0]))[:_MOST_RULES]


def _meant(
    text: str, words: Sequence[OpenedWord], qualifier_places: Sequence[Place], lexicon: Lexicon
) -> MeantTool | None:
    """The tool that a sentence is about, read without the phrases at ``qualifier_places``: “per order”."""
    for start, end in qualifier_places:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    apart = [word for word in words if not any(start <= word.start < end for start, end in qualifier_places)]
    return meant_tool(text, apart, lexicon)


def _effect(text: str) -> tuple[Effect | None, WordsRead]:
    """The effect of the sentence and the words that state it; None if several words do."""
    negations, permissions = [*_NEGATION.finditer(text)], [*_MAY.finditer(text)]
    unnegated = [
        permission
        for permission in permissions
        if not any(negation.start() == permission.start() for negation in negations)
    ]
    if len(negations) + len(unnegated) > 1:
        return None, WordsRead()
    read = WordsRead([match.span() for match in (*negations, *unnegated)])
    return (Effect.REQUIRE if unnegated else Effect.FORBID), read


def _limit(text: str, qualifier_places: Sequence[Place], *, forbids: bool) -> _Limit | None:
    """The allowed number of calls; None if the sentence states it twice, or never.

    “Only once” has to be at the end, or before a phrase at ``qualifier_places``: otherwise it may mean a
    time.
    """
    matches = [*(_SEVERAL if forbids else _AT_MOST).finditer(text)]
    if len(matches) != 1:
        return None
    behind = len(text) - len(text[matches[0].end() :].lstrip())
    ends = not text[behind:].strip(" .!;") or any(start == behind for start, _ in qualifier_places)
    if not ends and re.search(r"(?:once|twice|times?)$", matches[0].group(), re.I):
        return None
    if matches[0].groupdict().get("alone") and not _MAY.search(text):
        return None  # “cancel every order twice” is a duty to do it so often
    groups = {name: value.lower() for name, value in matches[0].groupdict().items() if value}
    count_word = next(iter(groups.values()))
    number = 1 if "again" in groups else _NUMBERED.get(count_word) or int(count_word)
    return _Limit(number, matches[0].span())


def _rule(effect: Effect, tool: str, keys: Sequence[str], allowed: int) -> PersonRule:
    bound = f"is at least {allowed}" if effect is Effect.FORBID else f"is less than {allowed}"
    return PersonRule(effect, (tool,), (f"{count_phrase(tool, keys)} {bound}",))


def _overlaps(match: re.Match[str], other_matches: Sequence[re.Match[str]]) -> bool:
    return any(
        match.start() < other_match.end() and other_match.start() < match.end()
        for other_match in other_matches
    )


def _of_window(windows: Sequence[re.Match[str]]) -> Iterator[str]:
    for window in windows:
        if not window["run"]:
            yield f"“{window.group()}” is counted in each run"


# --- the values that have to be equal ---------------------------------------------------


type _Keys = tuple[tuple[str, ...], tuple[str, ...]]
"""The arguments that have to be equal, and the assumptions about them."""


def _same_values(phrases: Sequence[tuple[str, str]], tool: Tool, lexicon: Lexicon) -> Iterator[_Keys]:
    """Yield the arguments of a tool that have to be equal if a sentence names things by some words.

    Each phrase is a preposition, which may be empty, and a word.
    """
    if not phrases:
        yield (), ()
        return
    named = [_named(noun, way, tool, lexicon) for way, noun in phrases]
    if all(len(keys) == 1 for keys in named):
        yield tuple(dict.fromkeys(keys[0] for keys in named)), ()
        return
    if len(phrases) > 1:
        yield from _mixed([noun for _, noun in phrases], named, tool)
        return
    way, noun = phrases[0]
    texts = tuple(name for name in _texts(tool) if not against(way, name))
    if stem(noun) in named_for(tool.name) or stem(noun) in map(stem, PROSE):
        yield from _whole(noun, tool)
    elif len(texts) == 1 and noun in _FOR_ANY:
        yield texts, (f"the same {noun} is the same {texts[0]}",)


def _of_its_own(text: str, tool: Tool) -> Iterator[_Keys]:
    """Yield the id argument of the thing that the sentence is about: “loans can be renewed only once”."""
    text_stems = frozenset(map(stem, split_words(text)))
    ids = [
        name for name in _arguments(tool) if is_id(name) and named_for(name.removesuffix("_id")) <= text_stems
    ]
    if len(ids) == 1:
        yield (ids[0],), (f"“once” is for the same {ids[0]}",)


def _mixed(nouns: Sequence[str], named: Sequence[tuple[str, ...]], tool: Tool) -> Iterator[_Keys]:
    """Yield keys for “the same room … for the same person”, if only one word is the name of an argument."""
    known_keys = [keys[0] for keys in named if len(keys) == 1]
    unclear_nouns = [noun for noun, keys in zip(nouns, named, strict=True) if len(keys) != 1]
    other_names = [
        name for name in _arguments(tool) if name not in known_keys and name not in PROSE and not is_id(name)
    ]
    if len(unclear_nouns) == 1 and stem(unclear_nouns[0]) in named_for(tool.name):
        written = [name for name in _required(tool) if name in PROSE]
        yield (*known_keys, *written), ()
    elif len(unclear_nouns) == len(other_names) == 1:
        yield (*known_keys, *other_names), (f"the same {unclear_nouns[0]} is the same {other_names[0]}",)


def _named(noun: str, way: str, tool: Tool, lexicon: Lexicon) -> tuple[str, ...]:
    """The arguments of a tool that a word names, by their names or by the word's meaning."""
    schema_by_name = {name: schema for name, schema in _arguments(tool).items() if not against(way, name)}
    meant = [meaning.argument for meaning in lexicon.meanings(key(noun)) if isinstance(meaning, Reference)]
    meant_names = tuple(name for name in schema_by_name if name in meant)
    return meant_names or tuple(
        name for name, schema in schema_by_name.items() if _is_called(noun, name, schema)
    )


def _is_called(noun: str, name: str, schema: Mapping[str, Json]) -> bool:
    """Whether a word names an argument; “day” names a date."""
    return stem(noun) in named_for(name) or (noun == "day" and schema.get("format") == "date")


def _whole(noun: str, tool: Tool) -> Iterator[_Keys]:
    """Yield the identifying arguments of a call, and all its required arguments."""
    required = _required(tool)
    required_names = [name for name in _arguments(tool) if name in required]
    prose = [name for name in required_names if name in PROSE]
    ids = [name for name in required_names if is_id(name)]
    part = prose if stem(noun) in map(stem, PROSE) and prose else ids
    for keys in dict.fromkeys((tuple(part), tuple(required_names))):
        if keys:
            yield keys, (f"the same {noun} is one with the same {' and '.join(keys)}",)


def _arguments(tool: Tool) -> dict[str, Mapping[str, Json]]:
    """The single-valued arguments of a tool, each with its schema."""
    properties = tool.parameters.get("properties")
    schema_by_name: dict[str, Mapping[str, Json]] = {}
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        if isinstance(schema, dict) and schema.get("type") in ("string", "integer", "number", "boolean"):
            schema_by_name[name] = schema
    return schema_by_name


def _texts(tool: Tool) -> tuple[str, ...]:
    """The required text arguments for the person or thing that a call is about."""
    named_schemas, required = _arguments(tool).items(), _required(tool)
    text_names = (
        name for name, schema in named_schemas if schema.get("type") == "string" and "enum" not in schema
    )
    return tuple(
        name for name in text_names if name not in PROSE and name in required and not name.endswith("_id")
    )


def _required(tool: Tool) -> tuple[str, ...]:
    required = tool.parameters.get("required")
    return tuple(map(str, required)) if isinstance(required, list) else ()
