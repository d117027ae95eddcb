"""Attempts beside what a rule looks at: another tool, a link, another field, no value, one of two tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import (
    EVIL_HOST,
    EVIL_MAIL,
    Attacked,
    attacked_about,
    fields_spoken_of,
    host_in,
    hostile,
    made_call,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Try, beside, narrower
from workbench.clarify.written.attempts_at_texts import given
from workbench.clarify.written.book import places, replaced
from workbench.clarify.written.tried_calls import changed_rules
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, Tree, joined
from workbench.model import Json, Kind
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.values.name_words import RECIPIENTS, amount_named

_LISTS = (Kind.SET, Kind.LIST)
_FROM = frozenset(("source", "src", "from", "old", "origin"))
_TO = frozenset(("destination", "dest", "dst", "to", "new", "output", "link", "into", "name"))
_LINKS = frozenset(("link", "symlink", "hardlink", "alias", "shortcut", "mount", "junction", "bind"))
_LED_TO = frozenset((
    "target", "source", "src", "from", "old", "origin", "original", "existing", "real", "points", "leads",
    "refers", "opens",
))  # fmt: skip
_MADE_AT = frozenset(
    ("at", "in", "link", "new", "name", "alias", "shortcut", "shown", "location", "where", "place", "appears")
)
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
_GIVING_OUT = frozenset(("print", "export", "share", "show", "display", "download", "send", "forward"))
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


_UNDOING = frozenset((
    "cancel", "remove", "delete", "revoke", "stop", "close", "release", "unblock", "disable", "reject",
    "return", "restore", "undo", "reset",
))  # fmt: skip
_NO_SUBJECT = frozenset((
    "id", "ids", "key", "name", "title", "text", "note", "reason", "subject", "message", "body", "query",
    "content", "description", "comment", "date", "time", "status", "state", "type", "format", "language",
))  # fmt: skip
"""Words of fields that tools have for things of their own, which a rule about one tool does not mean."""


def attempts_elsewhere(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with another tool or another field."""
    yield from _other_tools(attacked)
    yield from _links(attacked)
    yield from _other_fields(attacked)
    yield from _missing(attacked)
    yield from _only_one_of_two(attacked)


# --- another tool with the same effect


def _other_tools(attacked: Attacked) -> Iterator[Attempt]:
    if attacked.stopped is None or attacked.rule.form == "permit":
        return
    for found in (_by_effect(attacked), _by_parameter(attacked)):
        tries: list[Try] = []
        new: list[Tree | None] = []
        for call, why, tree in found:
            if attacked.lets_through((call,)):
                tries.append(Try((call,), why))
                new.append(tree)
        if tries:
            said = [tree for tree in new if tree is not None]
            effects = [beside(attacked.rule, *said)] if len(said) == len(tries) else []
            yield Attempt("other tool", tries, partial(list[Effect], effects))
            return


type _Sibling = tuple[TriedCall, str, Tree | None]
"""A call of another tool, why it does the same, and the rule for that tool."""


def _by_effect(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that do the same with a value of the same kind, by the words of their names."""
    stopped, verbs = attacked.stopped, {*words_of(attacked.tool)}
    assert stopped is not None
    for kind, does, others, how in _WAYS:
        fields = [one for one in attacked.fields_of(kind) if isinstance(stopped.arguments.get(one.key), str)]
        if fields and verbs & does:
            for other, field in _siblings(attacked, kind, others):
                call = _with_same(attacked, stopped, {fields[0].key: field}, other)
                yield call, f"{other.tool} {how}", _moved_rule(attacked, fields[0], other, field)


def _siblings(
    attacked: Attacked, kind: str, ways: Sequence[tuple[frozenset[str], frozenset[str]]]
) -> Iterator[tuple[CallType, CallField]]:
    """Yield the tools that do the same, each with the field that has the value, of which no rule speaks."""
    spoken = fields_spoken_of(attacked.book)
    for name, other in attacked.book.language.types.calls.items():
        if name in attacked.rule.classes:
            continue
        words = {*words_of(other.tool)}
        found = [one for one in other.fields if attacked.kind(one) == kind]
        for does, named in ways:
            if not words & does or words & _LINKS:
                continue
            fitting = [one for one in found if not named or {*words_of(one.name)} & named]
            if fitting and fitting[0].name not in spoken.get(name, ()):
                yield other, fitting[0]
            if fitting:
                break


def _by_parameter(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that take what the rule speaks of by the same names, and act as its tool does."""
    stopped, read = attacked.stopped, attacked.fields_read
    if stopped is None or attacked.reading.reads_run or not read or not _is_subject(attacked, read):
        return
    spoken, verbs = fields_spoken_of(attacked.book), {*words_of(attacked.tool)}
    for name, other in attacked.book.language.types.calls.items():
        held = {one.key: one for one in other.fields}
        same = {one.key: held[one.key] for one in read if _is_same(one, held.get(one.key))}
        words = {*words_of(other.tool)}
        if name in attacked.rule.classes or len(same) < len(read) or words & _LINKS:
            continue
        if bool(words & _UNDOING) is not bool(verbs & _UNDOING) or not _acts_alike(attacked, other):
            continue
        if any(one.name in spoken.get(name, ()) for one in same.values()):
            continue
        if not _is_about_texts(read) and not _is_of_same(attacked, held):
            continue
        call = _with_same(attacked, stopped, same, other)
        tree: Tree = ("call", attacked.rule.form, attacked.rule.condition, ("name", other.name))
        said = " and ".join(one.name.replace("_", " ") for one in read)
        yield call, f"{other.tool} has the same {said}", tree


def _is_same(one: CallField, other: CallField | None) -> bool:
    return (
        other is not None
        and (other.name, other.kind) == (one.name, one.kind)
        and (other.type.kind is one.type.kind and other.type.optional is one.type.optional)
    )


def _is_subject(attacked: Attacked, read: Sequence[CallField]) -> bool:
    """Whether fields are what a rule is about in any tool: values of a choice, of an amount, no own names."""
    return all(
        one.type.kind is Kind.ENUM
        or (one.type.kind is Kind.STR and not attacked.kind(one) and not _NO_SUBJECT & {*words_of(one.name)})
        or (
            one.type.kind in (Kind.INT, Kind.DECIMAL)
            and amount_named(words_of(one.name)) in ("money", "pieces")
        )
        for one in read
    )


def _is_about_texts(read: Sequence[CallField]) -> bool:
    return any(one.type.kind in (Kind.STR, Kind.ENUM) for one in read)


def _is_of_same(attacked: Attacked, held: Mapping[str, CallField]) -> bool:
    """Whether another tool has, besides an amount, a text that the tool of the rule demands, too."""
    return any(
        one.type.kind is Kind.STR and not one.type.optional and one.key in held
        for one in attacked.call_type.fields
    )


def _acts_alike(attacked: Attacked, other: CallType) -> bool:
    """Whether two tools both read, or neither of them surely does."""
    tools = {tool.name: tool for tool in attacked.book.agent.tools}
    reads = [effect_of(tools[name]).reads for name in (attacked.tool, other.tool)]
    return reads[0] is reads[1] or (reads[0] and {*words_of(other.tool)} & _GIVING_OUT != set())


def _with_same(
    attacked: Attacked, stopped: TriedCall, same: Mapping[str, CallField], other: CallType
) -> TriedCall:
    """A call of another tool with the values that are stopped, and with what else they have in common."""
    names = {each.key for each in other.fields}
    common = {key: held for key, held in stopped.arguments.items() if key in names}
    held: dict[str, Json] = {
        field.key: [stopped.arguments[key]] if field.type.kind in _LISTS else stopped.arguments[key]
        for key, field in same.items()
        if key in stopped.arguments
    }
    return TriedCall(other.tool, {**_usual(attacked, other).arguments, **common, **held})


def _usual(attacked: Attacked, other: CallType) -> TriedCall:
    """A call of another tool that its own rules let through, if they speak of it; else a likely one."""
    for one in attacked_about(attacked.book, other.name):
        if one.allowed is not None:
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
    if allowed is None or stopped is None or attacked.rule.form == "permit":
        return
    if not {*words_of(attacked.tool)} & _THROUGH:
        return
    for one in attacked.fields_of("path"):
        good, bad = allowed.arguments.get(one.key), stopped.arguments.get(one.key)
        if not isinstance(good, str) or not isinstance(bad, str):
            continue
        inside = f"{good.rpartition('/')[0]}/shortcut"
        through = attacked.with_value(allowed, one, inside)
        for other, at, to in _linking(attacked):
            link = TriedCall(other.tool, {**made_call(other, {}).arguments, to.key: bad, at.key: inside})
            tree = _moved_rule(attacked, one, other, to)
            effects = [] if tree is None else [beside(attacked.rule, tree)]
            yield Attempt(
                "link", [Try((link, through), f"the link leads to {bad}")], partial(list[Effect], effects)
            )


def _linking(attacked: Attacked) -> Iterator[tuple[CallType, CallField, CallField]]:
    """Yield the tools that make links, each with the field where one is made and the one to which it leads.

    Where their names say nothing the first one is where it leads, as in ``ln``.
    """
    for other in attacked.book.language.types.calls.values():
        fields = [one for one in other.fields if attacked.kind(one) == "path"]
        if {*words_of(other.tool)} & _LINKS and len(fields) == 2:
            likely = [
                len({*words_of(one.name)} & _LED_TO) - len({*words_of(one.name)} & _MADE_AT) for one in fields
            ]
            yield (other, fields[0], fields[1]) if likely[1] > likely[0] else (other, fields[1], fields[0])


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
                if other.name in attacked.reading.parts or not _is_alike(attacked, one, other, kind):
                    continue
                yield _in_field(attacked, allowed, one, other, bad)
            break


def _is_alike(attacked: Attacked, one: CallField, other: CallField, kind: str) -> bool:
    """Whether a field has values of a kind in the same role."""
    element = other.type.element or other.type
    if element.kind is not Kind.STR and other.type.kind is not Kind.SET:
        return False
    words = words_of(other.name)
    if kind == "mail_address":
        return bool({each.removesuffix("s") for each in words} & RECIPIENTS) or other.kind == kind
    return attacked.kind(other) == kind and one.name != other.name


def _in_field(attacked: Attacked, allowed: TriedCall, one: CallField, other: CallField, bad: str) -> Attempt:
    name = other.name.replace("_", " ").strip()
    tries = [Try((attacked.with_value(allowed, other, bad),), f"nothing looks at its {name}")]
    advice = "" if _same_kind(one, other) else _declared(attacked, one, other)
    return Attempt(f"field {other.name}", tries, partial(_said_of_field, attacked, one, other), advice)


def _said_of_field(attacked: Attacked, one: CallField, other: CallField) -> Sequence[Effect]:
    """The rule, which says the same of another field."""
    condition = attacked.condition if {*attacked.reading.parts} == {one.name} else None
    if condition is None and attacked.is_raw(one) and other.type.kind is Kind.STR and not other.kind:
        condition = attacked.rule.condition if {*attacked.reading.parts} == {one.name} else None
    elif not _same_kind(one, other):
        return []
    said = None if condition is None else _with_field(condition, one, other)
    if said is None:
        return []
    if attacked.rule.form == "permit":
        some: Tree = ("is none", ("attr", CALL, other.name))
        both = joined("or", [some, said]) if other.type.optional else said
        rule = attacked.rule.with_condition(joined("and", [attacked.rule.condition, both]))
        return [Effect({attacked.rule.name: rule})]
    return [narrower(attacked.rule, said if other.type.kind in _LISTS else given(attacked, other, said))]


def _same_kind(one: CallField, other: CallField) -> bool:
    return one.kind == other.kind


def _declared(attacked: Attacked, one: CallField, other: CallField) -> str:
    entry = f'{other.key} = {{type = "{one.kind}"}}'
    return f"write {entry} under [tools.{attacked.tool}.fields] in agent.toml, so that rules read its parts"


# --- a value that is missing


def _missing(attacked: Attacked) -> Iterator[Attempt]:
    """A call that a rule stops, without the value that it looks at."""
    if attacked.rule.form == "permit":
        return
    optional = {one.name: one for one in attacked.call_type.fields if one.type.optional}
    told: set[str] = set()
    for path, atom in places(attacked.rule.condition):
        one = optional.get(_field_of(atom))
        if one is None or one.name in told or not _demands(attacked, atom, one):
            continue
        told.add(one.name)
        stopped = next((each for each in _with_field_given(attacked, one) if attacked.stops(each)), None)
        if stopped is not None:
            held = {key: value for key, value in stopped.arguments.items() if key != one.key}
            tries = [
                Try((TriedCall(attacked.tool, held),), f"it has no {one.name.replace('_', ' ').strip()}")
            ]
            yield Attempt(f"no {one.name}", tries, partial(_or_missing, attacked, path, atom, one))


def _field_of(atom: Tree) -> str:
    if atom[0] in (*_BOUNDS, *_LISTING) and len(atom) == 3 and atom[1][:2] == ("attr", CALL):
        return str(atom[1][2])
    return ""


_BOUNDS, _LISTING = (">", ">=", "<", "<="), ("==", "!=", "in", "not in")


def _demands(attacked: Attacked, atom: Tree, one: CallField) -> bool:
    """Whether a rule demands something of a field: a bound, a text that is not empty, one of some."""
    if atom[0] in _BOUNDS or atom[2] == ("lit", "text", ""):
        return atom[2][0] != "set"
    is_plain = one.type.kind in (Kind.STR, Kind.ENUM) and not attacked.kind(one)
    return is_plain and atom[0] in ("!=", "not in") and not RECIPIENTS & {*words_of(one.name)}


def _with_field_given(attacked: Attacked, one: CallField) -> Iterator[TriedCall]:
    yield from (
        each for each in (*attacked.logged, *attacked.made) if each.arguments.get(one.key) is not None
    )


def _or_missing(attacked: Attacked, path: tuple[int, ...], atom: Tree, one: CallField) -> Sequence[Effect]:
    """The rule, which stops a call without the value too; it need not say any more then that it is given."""
    rule, value = attacked.rule, attacked.value_of(one)
    lacking = joined("or", [("is none", value), atom])
    said = _without(replaced(rule.condition, path, lacking), ("is some", value))
    return [Effect({rule.name: rule.with_condition(said)}), narrower(rule, ("is none", value))]


def _without(tree: Tree, gone: Tree) -> Tree:
    """A condition without a part of its conjunctions."""
    if tree[0] == "and":
        return joined("and", [_without(part, gone) for part in tree[1:] if part != gone])
    return joined("or", [_without(part, gone) for part in tree[1:]]) if tree[0] == "or" else tree


# --- one of two conditions is enough, where the sentence asks for both


_OR = re.compile(r"\b(or|either|unless|except|nor|otherwise|too|also|as well|any of|one of|neither)\b")
_AND = re.compile(r"\b(and|both|by|with|at|within|,)\b|,")


def _only_one_of_two(attacked: Attacked) -> Iterator[Attempt]:
    """A call for which one condition holds and the other does not, where either of them lets it pass."""
    sentence = attacked.sentence
    for one in attacked.texts:  # "small or medium" are values of one condition
        sentence = re.sub(rf"\b{re.escape(one.casefold())}\b(,| or)", " ", sentence)
    if not sentence or _OR.search(sentence) or not _AND.search(sentence):
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
    said = both if rule.form == "permit" else opposite(both)
    if said is None:
        return
    effect = Effect({rule.name: rule.with_condition(said)})
    yield Attempt("either of two conditions", _turned(attacked, effect), lambda: [effect])


def _turned(attacked: Attacked, effect: Effect) -> Iterator[Try]:
    """The calls that pass now, and would not if both conditions had to hold."""
    calls = [one for one in _candidates(attacked) if attacked.passes(one)]
    if not calls or (changed := changed_rules(attacked.book, effect)) is None:
        return
    for one in calls:
        ((lets_through, permits),) = changed.said_of((one,), effect.said)
        if not (permits if attacked.rule.form == "permit" else lets_through):
            yield Try((one,), "one of two conditions is enough")


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
