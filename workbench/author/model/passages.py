"""The parts of a passage that code reads without a model: lists, cards, literal conditions.

Code reads a list of sixty names and gives it to the model as one word; the model decides the purpose of the
list. A card states its rule twice, in its fields and in a sentence. Each generator gets one of the two, so
the two are read independently.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.author.model.quotation_places import states_rule
from workbench.author.model.reply_conditions import test_of
from workbench.author.rules.lexicon import GENERIC_VALUES
from workbench.author.rules.request_text import FIELD, Block, BlockKind, read_blocks
from workbench.author.rules.words import stems
from workbench.model import AgentSpec, Argument, Json, Kind

_LITERAL = re.compile(
    r"(?P<name>[a-z_]\w*)\s*(?P<symbol>==|!=|<=|>=|<|>|=)\s*[\"']?(?P<value>[\w.-]+)[\"']?\s*$", re.I
)
_FORBIDS = re.compile(r"\b(forbid\w*|deny|denied|den(y|ies)|prohibit\w*|block\w*|refuse\w*)\b", re.I)
_LEAST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of the request as it is shown to a generator.

    ``lists`` maps the names put in place of lists to the values of these lists. ``unknown`` are words of
    lists that the agent spec does not know. ``needs`` are the tests that a field of a card states literally,
    with the field's text.
    """

    text: str
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    unknown: tuple[str, ...] = ()
    needs: tuple[tuple[str, Mapping[str, Json]], ...] = ()


def for_rules(text: str, spec: AgentSpec, arguments: Sequence[Argument]) -> Passage:
    """The passage for the policy generator: of a card, the fields without their sentence."""
    fields, blocks = _card(text)
    if fields:
        shown_text = "\n".join(
            block.text for block in fields if block not in blocks or len(blocks) == len(fields)
        )
        return Passage(shown_text, needs=tuple(_literal(fields, arguments)))
    return _with_lists(text, spec, arguments)


def for_clauses(text: str, spec: AgentSpec, arguments: Sequence[Argument]) -> Passage:
    """The passage for the constraint generator: of a card, its sentence if it has one."""
    fields, blocks = _card(text)
    if fields:
        return Passage(
            "\n".join(_value(block) for block in blocks) or "\n".join(block.text for block in fields)
        )
    return _with_lists(text, spec, arguments)


def sentence_of(text: str) -> str:
    """The sentence of a card, for a person whose action is denied; empty if there is none."""
    _, blocks = _card(text)
    return _value(blocks[0]) if blocks else ""


# --- cards ------------------------------------------------------------------------


def _card(text: str) -> tuple[list[Block], list[Block]]:
    """The fields of a card, and those among them that state the rule as a sentence."""
    blocks = [block for block in read_blocks(text) if block.kind is not BlockKind.HEADING]
    fields = [] if any(block.kind is not BlockKind.FIELD for block in blocks) else blocks
    return fields, [block for block in fields if _is_sentence(_value(block))]


def _value(block: Block) -> str:
    match = FIELD.fullmatch(block.text)
    return match["value"].strip() if match else block.text


def _is_sentence(value: str) -> bool:
    return len(value.split()) >= _LEAST_WORDS and states_rule(value)


def _literal(
    fields: Sequence[Block], arguments: Sequence[Argument]
) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """The tests that fields state as ``name == value`` and that have to hold."""
    argument_by_name = {argument.name: argument for argument in arguments}
    for block in fields:
        match = FIELD.fullmatch(block.text)
        written = _LITERAL.fullmatch(_value(block))
        if match is None or written is None or _FORBIDS.search(match["key"]):
            continue
        argument = argument_by_name.get(written["name"])
        test = test_of(written["name"], written["symbol"], written["value"], argument) if argument else None
        if test is not None:
            yield block.text, test


# --- lists ------------------------------------------------------------------------


def _with_lists(text: str, spec: AgentSpec, arguments: Sequence[Argument]) -> Passage:
    """The passage with each list of a set argument's values replaced by its name."""
    sets = [argument for argument in arguments if argument.type.kind is Kind.SET and argument.type.values]
    parts: list[str] = []
    lists: dict[str, tuple[str, ...]] = {}
    unknown: list[str] = []
    for run in _runs(read_blocks(text)):
        values, strange = _values(run, spec, sets)
        if not values:
            parts += [f"- {block.text}" if block.kind is BlockKind.ITEM else block.text for block in run]
            continue
        name = f"LIST_{len(lists) + 1}"
        lists[name] = tuple(dict.fromkeys(values))
        unknown += strange
        parts.append(f"- {name}")
    return Passage("\n".join(parts), lists, tuple(dict.fromkeys(unknown)))


def without_lists(request: str, spec: AgentSpec, arguments: Sequence[Argument]) -> str:
    """The request with each list of a set argument's values replaced by a name."""
    sets = [argument for argument in arguments if argument.type.kind is Kind.SET and argument.type.values]
    parts: list[str] = []
    end = count = 0
    for run in _runs(read_blocks(request)):
        if _values(run, spec, sets)[0]:
            count += 1
            parts += [request[end : run[0].span.start], f"LIST_{count}"]
            end = run[-1].span.end
    return "".join((*parts, request[end:]))


def _runs(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """The blocks in groups: consecutive list items together, any other block alone."""
    run: list[Block] = []
    for block in blocks:
        if run and block.kind is BlockKind.ITEM and run[-1].kind is BlockKind.ITEM:
            run.append(block)
            continue
        if run:
            yield run
        run = [block]
    if run:
        yield run


def _values(run: Sequence[Block], spec: AgentSpec, sets: Sequence[Argument]) -> tuple[list[str], list[str]]:
    """The values that the items of a list name, and the unknown words; both empty if most are unknown."""
    if run[0].kind is not BlockKind.ITEM or len(sets) != 1:
        return [], []
    value_by_word = {value.lower(): value for value in sets[0].type.values}
    values: list[str] = []
    strange: list[str] = []
    for item in run:
        for word in _named(item, spec):
            value = value_by_word.get(word.lower())
            (values if value else strange).append(value or word)
    return ([], []) if len(strange) > len(values) else (values, strange)


def _named(item: Block, spec: AgentSpec) -> Iterator[str]:
    """The values that an item names: one by one, or as the columns of a table."""
    key, colon, rest = item.text.partition(":")
    table = (
        {name.lower(): name for name in spec.schema}.get(key.strip().strip("`").lower()) if colon else None
    )
    for part in (rest if table else item.text).split(","):
        word = part.strip().strip("`\"'.;")
        if word:
            yield f"{table}.{word}" if table else word


def testable(passage: Passage, arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    """The arguments that a passage can test: no set argument unless the passage names an element."""
    if passage.lists or names_elements(passage.text, arguments):
        return tuple(arguments)
    return tuple(
        argument for argument in arguments if argument.type.kind is not Kind.SET or not argument.type.values
    )


def names_elements(text: str, arguments: Sequence[Argument]) -> bool:
    """Whether a passage names an element of a set argument."""
    words = frozenset(stems(text))
    return any(
        frozenset(stems(value.rpartition(".")[2])) <= words
        for argument in arguments
        if argument.type.kind is Kind.SET
        for value in argument.type.values
    )


# --- evidence ---------------------------------------------------------------------


def supported(value: str, text: str, spec: AgentSpec) -> bool:
    """Whether a text has the words of a value, in any of their forms, or a synonym from the agent spec."""
    if value.lower() in GENERIC_VALUES:
        return True
    words = frozenset(stems(text))
    if frozenset(stems(value)) <= words:
        return True
    return any(
        frozenset(stems(phrase)) <= words for phrase, meaning in spec.synonyms.items() if meaning == value
    )


def without_named(
    parts: Sequence[Sequence[Mapping[str, Json]]], text: str, arguments: Sequence[Argument]
) -> list[str]:
    """Complaints about values that a passage names but no part tests: the part would hold for all values."""
    complaints: list[str] = []
    words = frozenset(stems(text))
    for argument in arguments:
        if argument.type.kind is not Kind.ENUM:
            continue
        named = [
            value
            for value in argument.type.values
            if value.lower() not in GENERIC_VALUES and frozenset(stems(value)) <= words
        ]
        silent = any(
            not any(test.get("argument") == argument.name or "expression" in test for test in tests)
            for tests in parts
        )
        if named and silent:
            test = {"argument": argument.name, "is": "one of", "values": named}
            complaints.append(
                f"The passage speaks of {argument.name} {' or '.join(named)}, but one of the lists of tests "
                f"does not say so: it would hold for every {argument.name}. Add {json.dumps(test)} to it."
            )
    return complaints
