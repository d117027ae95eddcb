"""Attempts at a rule that reads what came before: another tool that names the same thing by the same key.

That the tool comes to the same is read from the sentence: its acts, a choice that it names, or a description
that speaks of what it speaks of. The solver searches the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from workbench.clarify.written.acts import act
from workbench.clarify.written.acts_of_tools import (
    act_of,
    base_of,
    effect_of_tool,
    names_act,
    open_tools,
    same_act,
    undoing,
)
from workbench.clarify.written.attacked import LISTS, Attacked, words_of
from workbench.clarify.written.attempts import SAME_THING, Attempt, Try, beside, if_given, offering
from workbench.clarify.written.attempts_at_records import stopped_runs
from workbench.clarify.written.attempts_at_texts import among
from workbench.clarify.written.attempts_by_act_families import comes_to_an_act
from workbench.clarify.written.attempts_by_told_effects import ALIKE_NOUNS, as_quoted, sentences_of
from workbench.clarify.written.attempts_on_the_same_thing import LITTLE
from workbench.clarify.written.book import places
from workbench.clarify.written.said_of_another_tool import reads_own_calls, with_field
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, RUN, TRUE, Tree, joined
from workbench.language.words import things
from workbench.model import Kind

_NO_NOUNS = frozenset(("id", "ids", "key", "name", "number", "code", "no", "ref", "reference"))
_PERSONS = frozenset((
    "attendee", "colleague", "employee", "guest", "invitee", "member", "participant", "people", "person",
    "recipient", "staff", "user", "worker",
))  # fmt: skip
_LITTLE = frozenset((
    "able", "agent", "allowed", "already", "also", "another", "back", "been", "before", "being", "call",
    "days", "does", "each", "every", "from", "gets", "given", "have", "into", "less", "made", "many", "more",
    "most", "must", "never", "nobody", "none", "nothing", "only", "other", "over", "same", "some", "such",
    "than", "that", "their", "them", "then", "there", "these", "they", "thing", "this", "time", "unless",
    "until", "used", "were", "what", "when", "where", "which", "while", "will", "with", "without", "would",
    "year",
))  # fmt: skip
"""Words of sentences that say little of what they are about."""
_GOING = act("going")
"""What tools do by which a thing goes to somebody or somewhere."""
_BRINGING_BACK = frozenset(("restore",))
"""What tools do that undoes what was deleted, and changes what is there."""
_SHORTEST = 4
_AT_LEAST = 2
"""How many words of a sentence a description has to have."""


def attempts_by_the_same_key(attacked: Attacked) -> Iterator[Attempt]:
    """Yield an attempt for each tool that names the same thing, comes to the same and has no rule."""
    rule = attacked.rule
    if rule.form == "permit" or not attacked.reading.reads_run or not attacked.fields_read:
        return
    if reads_own_calls(attacked) or effect_of_tool(attacked, attacked.tool).reads:
        return
    for other in open_tools(attacked):
        same = _same_fields(attacked, other)
        if other.name in attacked.reading.earlier or len(same) < len(_keys(attacked)):
            continue
        for why, given in _ways(attacked, other, same):
            condition = _carried(attacked, same)
            if condition is None:
                break
            said = condition if given == TRUE else joined("and", [given, condition])
            tree: Tree = ("call", rule.form, said, ("name", other.name))
            there: list[Tree] = [("is some", part) for part in _records_in(said)]
            wanted = [*([(*tree[:2], joined("and", [*there, said]), *tree[3:])] if there else []), tree]
            runs = (run for each in wanted for run in stopped_runs(attacked, each, other.tool))
            tries = (Try(calls, f"{other.tool} {why}") for calls in islice(runs, 1))
            yield Attempt(SAME_THING, tries, offering(beside(rule, tree)), about=other.tool)
            break


def _records_in(said: Tree) -> Iterator[Tree]:
    """Yield the records that a condition reads by parameters of the call."""
    found = {part for _, part in places(said) if part[:2] == ("method", RUN) and len(part) == 4}
    yield from sorted((part for part in found if part[3][:2] == ("attr", CALL)), key=repr)


def _keys(attacked: Attacked) -> list[CallField]:
    """The parameters by which a rule reads records, or that it compares with those of calls before."""
    condition = attacked.unfolded.condition
    keys = {key for _, part in places(condition) if part[:2] == ("method", RUN) for key in part[3:]}
    keys |= {
        side
        for _, part in places(condition)
        if part[0] == "==" and len(part) == 3
        for side, other in ((part[1], part[2]), (part[2], part[1]))
        if other[0] == "attr" and other[1][0] == "name" and other[1] != CALL
    }
    return [one for one in attacked.fields_read if ("attr", CALL, one.name) in keys]


def _same_fields(attacked: Attacked, other: CallType) -> Mapping[str, CallField]:
    """For the keys of a rule those of another tool: of the same name, or a list of such."""
    found: dict[str, CallField] = {}
    for one in attacked.fields_read:
        own = things(words_of(one.name)) - _NO_NOUNS
        for each in other.fields:
            is_list = each.type.kind in LISTS and one.type.kind not in LISTS
            element = each.type.element if is_list else each.type
            if element is None or (element.kind, each.kind) != (one.type.kind, one.kind):
                continue
            theirs = things(words_of(each.name)) - _NO_NOUNS
            if each.name == one.name or (is_list and own and _are_alike(own, theirs)):
                found.setdefault(one.name, each)
    return found


def _are_alike(own: set[str], theirs: set[str]) -> bool:
    """Whether words are for the same things: the same, or such that people use for each other."""
    return own == theirs or any(own & row and theirs & row for row in (*ALIKE_NOUNS, _PERSONS))


def _carried(attacked: Attacked, same: Mapping[str, CallField]) -> Tree | None:
    """The condition of a rule about the fields of another tool; None if it reads more of its call."""
    said: Tree | None = attacked.unfolded.condition
    for one in attacked.fields_read:
        if one.name not in same:
            said = None if said is None else _without(said, ("attr", CALL, one.name))
        elif said is not None and (same[one.name].name != one.name or same[one.name].type != one.type):
            said = with_field(said, one, same[one.name])
    return said


def _without(said: Tree, value: Tree) -> Tree | None:
    """The parts of a condition that read no such value; None if nothing is left."""
    parts = said[1:] if said[0] == "and" else ()
    left = [part for part in parts if not any(inner == value for _, inner in places(part))]
    return joined("and", left) if left else None


def _ways(attacked: Attacked, other: CallType, same: Mapping[str, CallField]) -> Iterator[tuple[str, Tree]]:
    """Yield why a tool comes to the same for the thing of a rule, and with which of its values."""
    spoken = _content(attacked)
    acts = {act_of(attacked.tool), *_acts_in(attacked)}
    for one in other.fields:
        if one.type.kind is Kind.ENUM:
            named = [
                each
                for each in one.type.values
                if _forms(words_of(each)) & spoken or comes_to_an_act(each, acts)
            ]
            if named and len(named) < len(one.type.values):
                why = f"comes to the same with “{named[0]}”"
                yield why, if_given(one, among(("attr", CALL, one.name), named))
    does = {act_of(other.tool)}
    undone = undoing({*map(base_of, does)} - {*map(base_of, acts)}) - _BRINGING_BACK
    is_same = same_act(acts, does) and not undone
    if is_same and _is_of_whole(attacked, other, same):
        yield "does the same to it, by its name", TRUE
    own_act = act_of(attacked.tool)
    is_named = same_act([own_act], acts - {own_act}) or own_act in map(
        base_of, re.findall(r"[a-z]+", attacked.sentence)
    )
    words = {*words_of(other.tool)}
    if not is_named and words & _GOING and {*words_of(attacked.tool)} & _GOING and not words & LITTLE:
        yield "lets it go, too, and the sentence does not say by which tool", TRUE
    tool = attacked.book.tools[other.tool]
    for sentence in sentences_of(tool.description):
        told = _forms(re.findall(r"[a-z]+", sentence.casefold()))
        if len(told & spoken) >= _AT_LEAST:
            yield f"is described so: “{as_quoted(sentence)}”", TRUE


def _is_of_whole(attacked: Attacked, other: CallType, same: Mapping[str, CallField]) -> bool:
    """Whether a tool does something to the whole thing of a key, or to the same part of it."""
    keys = {word for one in same for word in things(words_of(one))} - _NO_NOUNS
    own, theirs = (
        {word for word in things(words_of(each.tool)) if not names_act(base_of(word))} - _SEVERAL
        for each in (attacked.call_type, other)
    )
    tool = attacked.book.tools[other.tool]
    told = things(re.findall(r"[a-z]+", tool.description.casefold()))
    return own <= keys or bool(own & (theirs | told))


def _acts_in(attacked: Attacked) -> Iterator[str]:
    """Yield the words for acts of a sentence, without those for the thing of a key."""
    keys = {word for one in _keys(attacked) for word in things(words_of(one.name))}
    said = re.findall(r"[a-z]+", attacked.sentence)
    yield from (word for word in said if names_act(base_of(word)) and base_of(word) not in keys)


_SEVERAL = frozenset(("all", "batch", "bulk", "many", "mass", "multiple", "several", "list"))


def _content(attacked: Attacked) -> frozenset[str]:
    """The words of a sentence that say of what it is, without those for the thing of a key."""
    keys = {word for one in _keys(attacked) for word in _forms(words_of(one.name))}
    words = [word for word in re.findall(r"[a-z]+", attacked.sentence) if len(word) >= _SHORTEST]
    return frozenset(_forms(words) - keys - _LITTLE - _PERSONS)


def _forms(words: list[str] | tuple[str, ...]) -> set[str]:
    """Words, in small letters and without their endings."""
    return {base_of(word) for word in things(words)} - _LITTLE
