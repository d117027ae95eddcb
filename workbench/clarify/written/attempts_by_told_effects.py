"""Attempts with a tool or a flag whose description says that it does besides what a rule closes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from workbench.clarify.written.acts_of_tools import base_of, effect_of_tool, names_act, same_act
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import (
    LISTS,
    Attacked,
    fields_spoken_of,
    logged_calls,
    texts_held,
    words_of,
)
from workbench.clarify.written.attempts import if_given
from workbench.clarify.written.attempts_at_other_fields import is_free_text
from workbench.clarify.written.attempts_at_texts import among
from workbench.clarify.written.attempts_at_values import closed_values
from workbench.clarify.written.attempts_without_a_value import default_of
from workbench.clarify.written.said_of_another_tool import Sibling, reads_own_calls, with_same
from workbench.clean_text import one_line
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree, joined
from workbench.language.words import things
from workbench.model import Json, Kind

_DOES = re.compile(
    r"(?:^|[.;:,(]\s*|\b(?:and|also|then|it|which|that|automatically|immediately|permanently)\s+)(\w+s)\b"
    r"|\b(?:is|are|be|gets?|becomes?)\s+(?:(?:also|then|automatically|immediately|permanently) )?(\w+)"
    r"(?: (?:or|and) (\w+))?\b"
    r"|\b(?:will|also|then)\s+(\w+)\b|\b(\w+(?:tion|al|ure)) of\b|^(\w+)\b"
)
"""Where a description says what something does: “closes”, “is closed”, “will close”, “closure of”."""
_NOT_DONE = re.compile(
    r"\b(?:not|never|no|without|nothing|instead|cannot|unless|only|before|after|use|see)\b[^.;]*$"
)
"""What stands before a word for an act that is not done, or not by this."""
_IF_NOT = re.compile(r"\b(?:if|when) (?:this is )?(?:false|off|not set|unset|no)\b|\bunless\b")
_MOST_READ = 400
_MOST_QUOTED = 90
_ENDING = frozenset(("close", "delete", "remove", "cancel", "end", "terminate", "erase", "destroy", "purge"))
_CHANGING = frozenset(("update", "edit", "change", "modify", "write", "set"))
_IS_GONE = re.compile(
    r"gone|lost|ends|disappears|deleted|removed|closed|cancelled|terminated|replaced|overwritten|thrown|emptied"
    r"|discarded|wiped"
)
ALIKE_NOUNS = tuple(
    frozenset(row.split())
    for row in (
        "mail email message", "event meeting appointment", "customer client contact", "user account member",
        "file document", "goods stock item product article inventory", "payment transfer", "bill invoice",
        "instance machine server host", "ticket issue case", "page site", "pod container workload",
    )
)  # fmt: skip
"""Words that tools have for the same things."""
_NO_NOUNS = frozenset(("id", "name", "key", "code", "number", "type", "status", "state"))


def by_told_effects(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the calls of tools of which it is told that they do what a rule closes, perhaps with a value."""
    verbs, spoken = _closed_acts(attacked), fields_spoken_of(attacked)
    for other in _others(attacked):
        if other.name in attacked.rule.classes or other.name in spoken:
            continue
        chosen = _told_values(attacked, other, verbs)
        said = _told(described(attacked, other.tool), verbs, is_tool=True) if chosen is None else chosen[2]
        if not said or effect_of_tool(attacked, other.tool).reads:
            continue
        if (call := _with_the_same(attacked, other)) is not None:
            condition, arguments = carried(attacked, other), call.arguments
            if chosen is not None:
                one, values, _ = chosen
                condition, arguments = (
                    _both(_among(one, values), condition),
                    {**arguments, one.key: values[0]},
                )
            tree: Tree = ("call", attacked.rule.form, condition, ("name", other.name))
            yield Sibling(TriedCall(call.tool, arguments), f"{other.tool} is described so: “{said}”", tree)


def _among(one: CallField, values: Sequence[str]) -> Tree:
    value: Tree = ("attr", CALL, one.name)
    said = among(value, values)
    return joined("and", [("is some", value), said]) if one.type.optional else said


def _told_values(
    attacked: Attacked, other: CallType, verbs: frozenset[str]
) -> tuple[CallField, Sequence[str], str] | None:
    """The values of a choice with which what words for acts say is done, by the description of a tool."""
    text = described(attacked, other.tool)
    for one in other.fields:
        if one.type.kind is not Kind.ENUM or sum(each in text for each in one.type.values) < _SEVERAL:
            continue
        named = re.compile(rf"\b({'|'.join(map(re.escape, one.type.values))})\b")
        _, *parts = named.split(text)
        told = {
            value: f"{value}{part}"
            for value, part in zip(parts[::2], parts[1::2], strict=False)
            if _told(f"It{part}", verbs)
        }
        if told and len(told) < len(one.type.values):
            said = as_quoted(next(iter(told.values())))
            return one, [*told], said.rstrip(" .,;")
    return None


_SEVERAL = 2


def closes_an_act(attacked: Attacked) -> bool:
    """Whether a rule closes what its tool does, not a number or words in it; the first of its sentence."""
    first = next(rule for rule in attacked.book.rules if rule.quote == attacked.rule.quote)
    is_first = first.name == attacked.rule.name or not attacked.rule.quote
    read = attacked.fields_read
    return is_first and not (
        read and all(one.type.kind in (Kind.INT, Kind.DECIMAL, *LISTS) or is_free_text(one) for one in read)
    )


def by_told_flags(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the calls with flags that do what a rule closes, by their descriptions or names."""
    verbs, spoken = _closed_acts(attacked), fields_spoken_of(attacked)
    for other in _others(attacked):
        for one in other.fields:
            if one.type.kind is not Kind.BOOL or one.name in spoken.get(other.name, ()):
                continue
            said = _told(one.description[:_MOST_READ], verbs) or _told_of_flag(attacked, other, one, verbs)
            words = words_of(one.name)
            if not said and (not same_act(verbs, words) or {*words} & _NO):
                continue
            if (call := _with_the_same(attacked, other)) is not None:
                yield _by_flag(attacked, other, one, call, said)


def _told_of_flag(attacked: Attacked, other: CallType, one: CallField, verbs: frozenset[str]) -> str:
    """The sentence of a tool's description that says of a flag that something is done with it."""
    named = re.compile(rf"\b{re.escape(one.key.casefold())}\b")
    sentences = sentences_of(described(attacked, other.tool))
    return next(
        (said for each in sentences if named.search(each.casefold()) and (said := _told(each, verbs))), ""
    )


def _others(attacked: Attacked) -> Iterable[CallType]:
    """The tools that may do what a rule closes; none where it closes no act."""
    is_of_act = not attacked.reading.earlier and closes_an_act(attacked)
    return attacked.book.language.types.calls.values() if is_of_act else ()


def _with_the_same(attacked: Attacked, other: CallType) -> TriedCall | None:
    """A call of a tool for the things of a rule's tool, with what the rule stops; None for other things."""
    same = _same_path(attacked, other)
    if not same and not is_of_same(attacked, other):
        return None
    return with_same(attacked, attacked.stopped or attacked.plain, same, other)


def by_choice(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the calls of other tools with a value of a choice that does what the rule's tool does.

    That is the state to which it brings the same thing, or an action on it.
    """
    verbs, spoken = _closed_acts(attacked), fields_spoken_of(attacked)
    for other in _others(attacked):
        if other.name in attacked.rule.classes or effect_of_tool(attacked, other.tool).reads:
            continue
        for one in other.fields:
            is_open = one.name not in spoken.get(other.name, ())
            value = _choice_of(attacked, other, one, verbs) if is_open else ""
            call = _with_the_same(attacked, other) if value else None
            if call is None:
                continue
            chosen: Tree = ("==", ("attr", CALL, one.name), ("lit", "text", value))
            said = _both(if_given(one, chosen), carried(attacked, other))
            tree: Tree = ("call", attacked.rule.form, said, ("name", other.name))
            why = f"{other.tool} does the same by its {one.name.replace('_', ' ').strip()}"
            yield Sibling(TriedCall(other.tool, {**call.arguments, one.key: value}), why, tree)


def _choice_of(attacked: Attacked, other: CallType, one: CallField, verbs: frozenset[str]) -> str:
    """The value of a field that names what the tool of the rule does: “closed” for one that closes."""
    if one.type.kind is Kind.ENUM:
        known = [*one.type.values]
    elif one.type.kind is Kind.STR and {*words_of(one.name)} & _CHOSEN:
        known = [*texts_held(logged_calls(attacked.book, other.tool), one)]
    else:
        return ""
    return next((each for each in known if same_act(verbs, words_of(each))), "")


_CHOSEN = frozenset((
    "action", "command", "mode", "op", "operation", "phase", "stage", "state", "status", "then", "transition",
))  # fmt: skip


def _closed_acts(attacked: Attacked) -> frozenset[str]:
    """The words for what a rule closes: of its tool, or of the values that it closes of a choice."""
    values = [text for texts in closed_values(attacked).values() for text in texts]
    named = [base_of(word) for text in values for word in words_of(text) if names_act(base_of(word))]
    return frozenset(named or filter(names_act, words_of(attacked.tool)))


def described(attacked: Attacked, tool: str) -> str:
    """The beginning of the description of the tool of a name."""
    return attacked.book.tools[tool].description[:_MOST_READ]


def sentences_of(description: str) -> Sequence[str]:
    """The sentences of a description, and the parts of them between semicolons."""
    return _ENDS.split(description)


_ENDS = re.compile(r"(?<=[.;])\s+")


def as_quoted(sentence: str) -> str:
    """As much of a sentence of a description as a question quotes."""
    return one_line(sentence.strip())[:_MOST_QUOTED].rstrip(" .")


@lru_cache(maxsize=65536)
def _told(text: str, verbs: frozenset[str], *, is_tool: bool = False) -> str:
    """The sentence of a description that says that something does what words for acts say; empty if none.

    What it says first is what a tool is for, which its name says, too.
    """
    for sentence in sentences_of(text):
        small = sentence.casefold()
        for found in _DOES.finditer(small):
            words = [each for each in found.groups() if each]
            is_first = found.start() == 0 and (is_tool and text.startswith(sentence))
            is_gone = verbs & (_ENDING | _CHANGING) and found[2] and any(map(_IS_GONE.fullmatch, words))
            is_state = found[2] is not None and same_act(verbs, words, of_values=True)
            if is_first or not (same_act(verbs, words) or is_gone or is_state):
                continue
            if _NOT_DONE.search(small[: found.start()]) is None:
                return as_quoted(sentence)
    return ""


def _same_path(attacked: Attacked, other: CallType) -> Mapping[str, CallField]:
    """The field of another tool with a path, for the one that a rule reads."""
    own = next(attacked.fields_of("path"), None)
    theirs = next((one for one in other.fields if attacked.kind_in(other, one) == "path"), None)
    return {} if own is None or theirs is None else {own.key: theirs}


def is_of_same(attacked: Attacked, other: CallType) -> bool:
    """Whether another tool is about the things of a rule's tool, by its names or its description."""
    needed = (one.name for one in attacked.call_type.fields if not one.type.optional)
    named = (one.name for one in other.fields)
    own = _nouns(attacked.tool, *needed)
    return not own.isdisjoint(_spoken_of(other.tool, described(attacked, other.tool), *named))


@lru_cache(maxsize=4096)
def _nouns(*names: str) -> frozenset[str]:
    """The words for things in the names of a tool and what it needs, with others for the same."""
    words = things(word for name in names for word in words_of(name)) - _NO_NOUNS
    nouns = {word for word in words if not names_act(word) or any(word in each for each in ALIKE_NOUNS)}
    return frozenset(nouns).union(*(alike for alike in ALIKE_NOUNS if nouns & alike))


@lru_cache(maxsize=4096)
def _spoken_of(tool: str, description: str, *fields: str) -> frozenset[str]:
    """The words for things in the names and the description of a tool."""
    told = re.findall(r"[a-z]+", description.casefold())
    return frozenset(things([*told, *(word for name in (tool, *fields) for word in words_of(name))]))


def _by_flag(attacked: Attacked, other: CallType, one: CallField, call: TriedCall, said: str) -> Sibling:
    """The call with a flag that does what the rule closes, by its name, or by what is ``said`` of it."""
    is_off = bool(said) and _IF_NOT.search(one.description.casefold()) is not None
    value: Tree = ("attr", CALL, one.name)
    given = ("not", value) if is_off else value
    arguments: dict[str, Json] = {**call.arguments, one.key: not is_off}
    condition = given
    if one.type.optional:
        is_default = default_of(attacked, other.tool, one) is (not is_off)
        condition = (
            joined("or", [("is none", value), given]) if is_default
            else joined("and", [("is some", value), given])
        )  # fmt: skip
        if is_default:
            arguments.pop(one.key)
    rest = carried(attacked, other) if other.name not in attacked.rule.classes else TRUE
    tree: Tree = ("call", attacked.rule.form, _both(condition, rest), ("name", other.name))
    name = one.name.replace("_", " ").strip()
    why = f"its {name} is described so: “{said}”" if said else f"its {name} says that it does so, too"
    return Sibling(TriedCall(other.tool, arguments), why, tree)


_NO = frozenset(("no", "not", "skip", "without", "dry", "allow", "disable", "dont", "keep", "never"))


def _both(first: Tree, second: Tree) -> Tree:
    return first if second == TRUE else joined("and", [first, second])


def carried(attacked: Attacked, other: CallType) -> Tree:
    """The condition of a rule, said of another tool; always, if it reads what that one has not."""
    held = {one.name: one for one in other.fields}
    alike = all(
        one.name in held and (held[one.name].type, held[one.name].kind) == (one.type, one.kind)
        for one in attacked.fields_read
    )
    return attacked.rule.condition if alike and not reads_own_calls(attacked) else TRUE
