"""Attempts beside what a rule looks at: another tool, a link, another field, one of two conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import (
    EVIL_HOST,
    EVIL_MAIL,
    RECIPIENTS,
    Attacked,
    attacked_by,
    host_in,
    hostile,
    kind_of_field,
    made_call,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Try, narrower
from workbench.clarify.written.attempts_at_texts import given
from workbench.clarify.written.book import places, replaced
from workbench.clarify.written.tried_calls import trials_with
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, Tree, joined
from workbench.model import Json, Kind

_LISTS = (Kind.SET, Kind.LIST)
_FROM = frozenset(("source", "src", "from", "old", "origin"))
_TO = frozenset(("destination", "dest", "dst", "to", "new", "output", "link", "into", "name"))
_LINKS = frozenset(("link", "symlink", "hardlink", "alias", "shortcut", "mount", "junction"))
_WRITING = frozenset(
    (
        "write",
        "create",
        "save",
        "edit",
        "append",
        "put",
        "update",
        "modify",
        "patch",
        "upload",
        "replace",
        "overwrite",
    )
)
_READING = frozenset(("read", "open", "view", "cat", "show", "get", "load", "fetch", "attach", "print"))
_DELETING = frozenset(
    ("delete", "remove", "erase", "unlink", "trash", "purge", "discard", "rm", "wipe", "drop")
)
_MOVING = frozenset(("move", "rename", "mv"))
_COPYING = frozenset(("copy", "cp", "duplicate", "clone"))
_THROUGH = _WRITING | _READING | _COPYING
"""What a tool does through a link: with what the link leads to."""
_SENDING = frozenset(
    ("send", "forward", "reply", "share", "post", "invite", "mail", "email", "message", "notify", "publish")
)
_DOWNLOADING = frozenset(("download", "save"))
_FETCHING = frozenset(("fetch", "open", "browse", "visit", "navigate", "get", "load"))
_POSTING = frozenset(("post", "submit", "upload", "put", "send"))
_QUERYING = frozenset(("query", "sql", "execute", "run", "report", "select", "export"))
_WAYS: Sequence[tuple[str, frozenset[str], Sequence[tuple[frozenset[str], frozenset[str]]], str]] = (
    ("path", _DELETING, ((_DELETING, frozenset()), (_MOVING, _FROM)), "takes it away too"),
    ("path", _MOVING, ((_MOVING, _FROM), (_DELETING, frozenset())), "takes it away too"),
    ("path", _WRITING, ((_WRITING, frozenset()), (_COPYING | _MOVING, _TO)), "writes there too"),
    ("path", _COPYING, ((_WRITING, frozenset()), (_COPYING | _MOVING, _TO)), "writes there too"),
    ("path", _READING, ((_READING, frozenset()), (_COPYING | _MOVING, _FROM)), "gives out what is in it too"),
    ("mail_address", _SENDING, ((_SENDING, frozenset()),), "sends to that address too"),
    ("url", _POSTING, ((_POSTING, frozenset()),), "sends there too"),
    ("url", _DOWNLOADING, ((_DOWNLOADING, frozenset()),), "loads from there too"),
    ("url", _FETCHING, ((_FETCHING, frozenset()),), "loads from there too"),
    ("sql", _QUERYING, ((_QUERYING, frozenset()),), "runs it too"),
)
"""What tools do with a value of a kind, by the words of their names, and tools that do it too.

Of a tool with several fields of the kind those count that have one of the words.
"""


def attempts_elsewhere(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with another tool or another field."""
    yield from _other_tools(attacked)
    yield from _links(attacked)
    yield from _other_fields(attacked)
    yield from _only_one_of_two(attacked)


# --- another tool with the same effect


def _other_tools(attacked: Attacked) -> Iterator[Attempt]:
    stopped, verbs = attacked.stopped, set(words_of(attacked.tool.replace("_", " ")))
    if stopped is None or attacked.rule.form == "permit":
        return
    for kind, does, others, how in _WAYS:
        fields = [one for one in attacked.fields_of(kind) if isinstance(stopped.arguments.get(one.key), str)]
        if not fields or not verbs & does:
            continue
        one, tries, new = fields[0], list[Try](), list[Tree]()
        for other, field in _siblings(attacked, kind, others):
            call = _with_same(attacked, stopped, one, other, field)
            if attacked.trials.allows((call,)):
                tries.append(Try((call,), f"{other.tool} {how}"))
                if (tree := _moved_rule(attacked, one, other, field)) is not None:
                    new.append(tree)
        if tries:
            whole = len(new) == len(tries)
            yield Attempt(
                "other tool", tries, [Effect(new=tuple(new), beside=attacked.rule.name)] if whole else []
            )
            return


def _siblings(
    attacked: Attacked, kind: str, ways: Sequence[tuple[frozenset[str], frozenset[str]]]
) -> Iterator[tuple[CallType, CallField]]:
    """Yield the tools that do the same, each with the field that has the value, of which no rule speaks."""
    read = _fields_read(attacked)
    for name, other in attacked.book.language.types.calls.items():
        if name in attacked.rule.classes:
            continue
        words = set(words_of(other.tool.replace("_", " ")))
        found = [one for one in other.fields if kind_of_field(one) == kind]
        for does, named in ways:
            if not words & does or words & _LINKS:
                continue
            fitting = [one for one in found if not named or set(words_of(one.name)) & named]
            if fitting and fitting[0].name not in read.get(name, ()):
                yield other, fitting[0]
            if fitting:
                break


def _fields_read(attacked: Attacked) -> Mapping[str, set[str]]:
    """The fields of each class of calls that a rule which may stop one reads."""
    found: dict[str, set[str]] = {}
    for rule in attacked.book.rules:
        if rule.form != "permit":
            for one in attacked_by(attacked.book, rule):
                found.setdefault(one.call_type.name, set()).update(one.reading.parts)
    return found


def _with_same(
    attacked: Attacked, stopped: TriedCall, one: CallField, other: CallType, field: CallField
) -> TriedCall:
    """A call of another tool with the value that is stopped, and with what else they have in common."""
    value = stopped.arguments[one.key]
    names = {each.key for each in other.fields}
    common = {key: held for key, held in stopped.arguments.items() if key in names}
    held: Json = [value] if field.type.kind in _LISTS else value
    return TriedCall(other.tool, {**_usual(attacked, other).arguments, **common, field.key: held})


def _usual(attacked: Attacked, other: CallType) -> TriedCall:
    """A call of another tool that its own rules let through, if they speak of it; else a likely one."""
    for rule in attacked.book.rules:
        for one in attacked_by(attacked.book, rule):
            if one.call_type is other and one.allowed is not None:
                return one.allowed
    logged = next((call.arguments for call in attacked.book.calls if call.tool == other.tool), None) or {}
    return TriedCall(other.tool, {**made_call(other, {}).arguments, **logged})


def _moved_rule(attacked: Attacked, one: CallField, other: CallType, field: CallField) -> Tree | None:
    """The rule for another tool, about its field; None if it reads what the tool has not, or another kind."""
    if field.kind != one.kind or {*attacked.reading.parts} != {one.name} or attacked.reading.reads_run:
        return None
    said = None if attacked.condition is None else _with_field(attacked.condition, one, field)
    if said is None:
        return None
    return ("call", attacked.rule.form, _if_given(one, field, said), ("name", other.name))


def _if_given(one: CallField, field: CallField, said: Tree) -> Tree:
    if field.type.optional and not one.type.optional and field.type.kind not in _LISTS:
        return joined("and", [("is some", ("attr", CALL, field.name)), said])
    return said


def _with_field(condition: Tree, one: CallField, field: CallField) -> Tree | None:
    """A condition about another field; None if it does not name the first."""
    value: Tree = ("attr", CALL, one.name)
    is_list = field.type.kind in _LISTS
    other: Tree = ("name", "each") if is_list else ("attr", CALL, field.name)
    said, found = condition, False
    for path, part in places(condition):
        if part == value:
            said, found = replaced(said, path, other), True
    if not found:
        return None
    if is_list:
        return (
            "call",
            "any",
            ("gen", ("name", "each"), said, ("attr", CALL, field.name), ("lit", "bool", True)),
        )
    return said


# --- a link that a second tool makes


def _links(attacked: Attacked) -> Iterator[Attempt]:
    """A link in a folder that is open to one that is not, and the call through it."""
    allowed, stopped = attacked.allowed, attacked.stopped
    verbs = set(words_of(attacked.tool.replace("_", " ")))
    if allowed is None or stopped is None or attacked.rule.form == "permit" or not verbs & _THROUGH:
        return
    for one in attacked.fields_of("path"):
        good, bad = allowed.arguments.get(one.key), stopped.arguments.get(one.key)
        if not isinstance(good, str) or not isinstance(bad, str):
            continue
        inside = f"{good.rpartition('/')[0]}/shortcut"
        through = attacked.with_value(allowed, one, inside)
        for other in attacked.book.language.types.calls.values():
            fields = [each for each in other.fields if kind_of_field(each) == "path"]
            if not set(words_of(other.tool.replace("_", " "))) & _LINKS or len(fields) != 2:
                continue
            to = next((each for each in fields if set(words_of(each.name)) & (_FROM | {"target"})), fields[0])
            at = next(each for each in fields if each is not to)
            link = TriedCall(other.tool, {**made_call(other, {}).arguments, to.key: bad, at.key: inside})
            tree = _moved_rule(attacked, one, other, to)
            effect = [Effect(new=(tree,), beside=attacked.rule.name)] if tree is not None else []
            yield Attempt("link", [Try((link, through), f"the link leads to {bad}")], effect)


# --- another field of the same kind


def _other_fields(attacked: Attacked) -> Iterator[Attempt]:
    allowed = attacked.allowed
    if allowed is None:
        return
    for kind in ("mail_address", "url", "path"):
        for one in attacked.fields_of(kind):
            bad = EVIL_MAIL if kind == "mail_address" else hostile(kind)
            if not attacked.stops(attacked.with_value(allowed, one, bad)):
                stopped = None if attacked.stopped is None else attacked.stopped.arguments.get(one.key)
                if not isinstance(stopped, str) or not attacked.stops(
                    attacked.with_value(allowed, one, stopped)
                ):
                    continue
                bad = stopped
            for other in attacked.call_type.fields:
                if other.name in attacked.reading.parts or not _is_alike(one, other, kind):
                    continue
                yield _in_field(attacked, allowed, one, other, bad)
            break


def _is_alike(one: CallField, other: CallField, kind: str) -> bool:
    """Whether a field has values of a kind in the same role."""
    element = other.type.element or other.type
    if element.kind is not Kind.STR and other.type.kind is not Kind.SET:
        return False
    words = set(words_of(other.name))
    if kind == "mail_address":
        return bool(words & RECIPIENTS) or other.kind == kind
    return kind_of_field(other) == kind and one.name != other.name


def _in_field(attacked: Attacked, allowed: TriedCall, one: CallField, other: CallField, bad: str) -> Attempt:
    call = attacked.with_value(allowed, other, bad)
    name = other.name.replace("_", " ").strip()
    tries = [Try((call,), f"nothing looks at its {name}")]
    alone = {*attacked.reading.parts} == {one.name} and attacked.condition is not None
    said = _with_field(attacked.condition, one, other) if alone and attacked.condition is not None else None
    rewritings: list[Effect] = []
    if said is not None and _same_kind(one, other):
        said = said if other.type.kind in _LISTS else given(attacked, other, said)
        if attacked.rule.form == "permit":
            some: Tree = ("is none", ("attr", CALL, other.name))
            both = joined("or", [some, said]) if other.type.optional else said
            rule = attacked.rule.with_condition(joined("and", [attacked.rule.condition, both]))
            rewritings.append(Effect({attacked.rule.name: rule}))
        else:
            rewritings.append(narrower(attacked.rule, said))
    elif other.type.optional:
        value: Tree = ("attr", CALL, other.name)
        some = (
            ("is some", value)
            if other.type.kind not in _LISTS
            else (">", ("call", "len", value), ("lit", "int", 0))
        )
        rewritings.append(narrower(attacked.rule, some))
    advice = "" if _same_kind(one, other) else _declared(attacked, one, other)
    return Attempt(f"field {other.name}", tries, rewritings, advice)


def _same_kind(one: CallField, other: CallField) -> bool:
    return one.kind == other.kind


def _declared(attacked: Attacked, one: CallField, other: CallField) -> str:
    entry = f'{other.key} = {{type = "{one.kind}"}}'
    return f"write {entry} under [tools.{attacked.tool}.fields] in agent.toml, so that rules read its parts"


# --- one of two conditions is enough, where the sentence asks for both


_OR = re.compile(r"\b(or|either|unless|except|nor|otherwise|too|also|as well|any of|one of|neither)\b")
_AND = re.compile(r"\b(and|both|by|with|at|within|,)\b|,")


def _only_one_of_two(attacked: Attacked) -> Iterator[Attempt]:
    """A call for which one condition holds and the other does not, where either of them lets it pass."""
    if not attacked.sentence or _OR.search(attacked.sentence) or not _AND.search(attacked.sentence):
        return
    rule = attacked.rule
    open_ = rule.condition if rule.form == "permit" else opposite(rule.condition)
    if open_ is None or open_[0] != "or":
        return
    parts = list(open_[1:])
    subjects = [_subject(part) for part in parts]
    if len(set(subjects)) != len(parts) or not all(subjects):
        return
    both = joined("and", parts)
    stopping = opposite(both)
    said = both if rule.form == "permit" else stopping
    if said is None:
        return
    effect = Effect({rule.name: rule.with_condition(said)})
    tries = [Try((call,), "one of two conditions is enough") for call in _candidates(attacked)]
    yield Attempt("either of two conditions", _turned(attacked, tries, effect), [effect])


def _turned(attacked: Attacked, tries: Sequence[Try], effect: Effect) -> list[Try]:
    """The tries that pass now, and would not if both conditions had to hold."""
    after = trials_with(attacked.book, {attacked.tool}, effect)
    return [] if after is None else [one for one in tries if not after.allows(one.calls)]


def _candidates(attacked: Attacked) -> Iterator[TriedCall]:
    yield from attacked.made
    if (allowed := attacked.allowed) is not None:
        for one in attacked.fields_of("url"):
            for url in _near_urls(attacked):
                yield attacked.with_value(allowed, one, url)


def _near_urls(attacked: Attacked) -> Iterator[str]:
    for host in filter(None, map(host_in, attacked.texts)):
        yield from (f"http://{host}/", f"https://{EVIL_HOST}/", f"https://{host}:8443/")


_OPPOSITES: Mapping[str, str] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "in": "not in",
    "not in": "in",
    "is none": "is some",
    "is some": "is none",
}


def opposite(tree: Tree) -> Tree | None:
    """What holds where a condition does not, with "not" before single conditions alone; None for another."""
    match tree:
        case ("not", ("and" | "or", *_) as inner):
            parts = [opposite(("not", part)) for part in inner[1:]]
            if any(part is None for part in parts):
                return None
            return joined(str(inner[0]), [opposite(part) or part for part in parts if part is not None])
        case ("not", inner):
            return inner
        case ("and" | "or" as word, *parts):
            turned = [opposite(part) for part in parts]
            if any(part is None for part in turned):
                return None
            return joined("or" if word == "and" else "and", [part for part in turned if part is not None])
        case (str(word), left, right) if word in _OPPOSITES and not (word == "<=" and right[0] == "set"):
            return (_OPPOSITES[word], left, right)
        case (str(word), inner) if word in _OPPOSITES:
            return (_OPPOSITES[word], inner)
        case _:
            return ("not", tree)


def _subject(tree: Tree) -> str:
    """What a condition is about: the field and part of the call that it names, if it is one."""
    found = {repr(part) for _, part in places(tree) if part[0] == "attr" and _root(part)}
    longest = [one for one in found if not any(one != other and one in other for other in found)]
    return longest[0] if len(longest) == 1 else ""


def _root(tree: Tree) -> bool:
    while tree[0] == "attr":
        tree = tree[1]
    return tree == CALL
