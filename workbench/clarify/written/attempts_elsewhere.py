"""Attempts beside what a rule looks at: another tool, a link, another field, no value, one of two tests."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice

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
    made_object,
    near,
    stopping_alike,
    text_in_objects,
    texts_held,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Declaration, Try, beside, narrower_of_tool
from workbench.clarify.written.attempts_at_texts import among, declared, given
from workbench.clarify.written.book import Book, places, replaced
from workbench.clarify.written.tried_calls import said_of_runs
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree, is_tree, joined, negated
from workbench.language.words import things
from workbench.model import Json, Kind
from workbench.runs.extract.tool_effects import ToolEffect, effect_of
from workbench.runs.kinds.command import COMMAND
from workbench.runs.values.name_words import RECIPIENTS, amount_named

_LISTS = (Kind.SET, Kind.LIST)
_FROM = frozenset(("source", "src", "from", "old", "origin"))
_TO = frozenset(("destination", "dest", "dst", "to", "new", "output", "link", "into", "name"))
_LINKS = frozenset(("link", "symlink", "hardlink", "alias", "shortcut", "mount", "junction", "bind"))
_COPIES = frozenset(("copies", "copy", "audience", "readers", "watchers", "observers", "subscribers"))
_WHERE_IT_RUNS = frozenset(("cwd", "pwd", "workdir", "working"))
_FOLDERS = frozenset(("dir", "directory", "folder"))
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
_SEARCHING = frozenset(("search", "grep", "find", "scan"))
_SHARING = frozenset((
    "access", "attach", "email", "export", "expose", "forward", "mail", "print", "publish", "reveal", "see",
    "send", "share", "upload", "visible",
))  # fmt: skip
_GIVING_OUT = frozenset(("print", "export", "share", "show", "display", "download", "send", "forward"))
_MOVING = frozenset(("move", "rename", "mv"))
_COPYING = frozenset(("copy", "cp", "duplicate", "clone"))
_THROUGH = _WRITING | _READING | _COPYING
"""What a tool does through a link: with what the link leads to."""
CHANGING = _WRITING | _DELETING | _MOVING | _COPYING
"""What a tool does that leaves files otherwise than they were."""
SENDING = frozenset(
    ("send", "forward", "reply", "share", "post", "invite", "mail", "email", "message", "notify", "publish")
)
_DOWNLOADING = frozenset(("download", "save"))
_TABLES = frozenset(("table", "tables", "relation", "dataset", "collection", "view"))
_STATES = frozenset(("status", "state", "stage", "phase", "action", "transition"))
_FETCHING = frozenset(("fetch", "open", "browse", "visit", "navigate", "get", "load"))
_POSTING = frozenset(("post", "submit", "upload", "put", "send"))
_QUERYING = frozenset(("query", "sql", "execute", "run", "report", "select", "export"))
_ANY = frozenset[str]()
ADDRESSEES = RECIPIENTS - {"email", "member"} | {"forward", "redirect"}
"""Words of fields to whose address something goes, whatever the tool is called."""
type _Ways = Sequence[tuple[str, frozenset[str], Sequence[tuple[frozenset[str], frozenset[str]]], str]]
_WAYS: _Ways = (
    ("path", _DELETING, ((_DELETING, frozenset()), (_MOVING, _FROM)), "takes it away too"),
    ("path", _MOVING, ((_MOVING, _FROM), (_DELETING, frozenset())), "takes it away too"),
    ("path", _WRITING, ((_WRITING, frozenset()), (_COPYING | _MOVING, _TO)), "writes there too"),
    ("path", _COPYING, ((_WRITING, frozenset()), (_COPYING | _MOVING, _TO)), "writes there too"),
    (
        "path",
        _READING | _SHARING | _SEARCHING,
        ((_READING | _SHARING, frozenset()), (_COPYING | _MOVING, _FROM)),
        "gives out what is in it too",
    ),
    (
        "mail_address",
        SENDING,
        ((SENDING | _SHARING, frozenset()), (_ANY, ADDRESSEES)),
        "gives that address something too",
    ),
    ("url", _POSTING, ((_POSTING, frozenset()),), "sends there too"),
    ("url", _DOWNLOADING | _FETCHING, ((_DOWNLOADING | _FETCHING, frozenset()),), "loads from there too"),
    ("sql", _QUERYING, ((_QUERYING, frozenset()),), "runs it too"),
)
"""What tools do with a value of a kind, by the words of their names, and tools that do it too.

Of a tool with several fields of the kind those count that have one of the words. Such a field tells it of
any tool that does not only read.
"""
_STRONGER: _Ways = (
    (
        "path",
        _READING | _SHARING | _SEARCHING,
        ((_WRITING | _DELETING, frozenset()), (_COPYING | _MOVING, _TO)),
        "does more to such a file than read it",
    ),
    (
        "path",
        _WRITING,
        ((_DELETING, frozenset()), (_MOVING, _FROM)),
        "does more to such a file than write it",
    ),
)
"""What tools do, and tools that do more with the same value."""


_PAST = {
    "sell": "sold", "send": "sent", "pay": "paid", "buy": "bought", "make": "made", "write": "written",
    "give": "given", "lend": "lent", "take": "taken", "withdraw": "withdrawn",
}  # fmt: skip
_SHORT, _MOST_FOLDERS = 3, 4
_FOLDER = re.compile(r"/[\w.@/-]+")
ACTS = (
    frozenset(("pay", "transfer", "refund", "wire", "remit", "send", "donate", "charge", "issue", "payout")),
    frozenset(("book", "reserve", "order", "buy", "purchase", "rent")),
    frozenset(("sell", "ship", "deliver", "dispatch")),
    _DELETING | _MOVING, _WRITING | _COPYING, _READING | _SHARING | SENDING,
)  # fmt: skip
"""Words of tools for acts that come to the same, for a sentence which names one of them."""
_KNOWN = frozenset[str]().union(_LINKS, _SEARCHING, *(does for _, _, ways, _ in _WAYS for does, _ in ways))
_CALLED = {
    "path": "a path", "mail_address": "an address", "url": "a URL", "sql": "a statement",
}  # fmt: skip


def _does(book: Book, other: CallType) -> frozenset[str]:
    """The words for what a tool does: of its name, or of its description where that does not say it."""
    words = frozenset(words_of(other.tool))
    tool = next(tool for tool in book.agent.tools if tool.name == other.tool)
    if words & _KNOWN or effect_of(tool).reads:
        return words
    described = words_of(tool.description.partition(".")[0])
    return words.union(described, *({one.removesuffix("s"), one.removesuffix("es")} for one in described))


_UNDOING = frozenset((
    "cancel", "remove", "delete", "revoke", "stop", "close", "release", "unblock", "disable", "reject",
    "return", "restore", "undo", "reset",
))  # fmt: skip
_NO_SUBJECT = frozenset((
    "id", "ids", "key", "name", "title", "text", "note", "reason", "subject", "message", "body", "query",
    "content", "description", "comment", "date", "time", "status", "state", "type", "format", "language",
    "pattern", "glob", "regex",
))  # fmt: skip
"""Words of fields that tools have for things of their own, which a rule about one tool does not mean."""


def attempts_elsewhere(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with another tool or another field."""
    if not _is_carried_over(attacked):
        yield from _other_tools(attacked)
        yield from _links(attacked)
        yield from _other_fields(attacked)
        yield from _same_id_elsewhere(attacked)
        yield from _stronger_tools(attacked)
    yield from _from_other_folder(attacked)
    yield from _from_above(attacked)
    yield from _only_one_of_two(attacked)


def _is_carried_over(attacked: Attacked) -> bool:
    """Whether another rule for the sentence says the same of its own tool, and this one only carries it over.

    Beside the first are all tools by which its sentence is got past; what else these do it does not speak of.
    """
    rule, said = attacked.rule, _of_any_field(attacked.rule.condition)
    if rule.form == "permit":
        return False
    for other in attacked.book.rules:
        if other.name == rule.name:
            return False
        if other.form == rule.form and not {*other.requirements}.isdisjoint(rule.requirements):
            first = _of_any_field(other.condition)
            if first != TRUE and any(part == first for _, part in places(said)):
                return True
    return False


def _of_any_field(tree: Tree) -> Tree:
    """A condition with the same sign for every field of the call and every element."""
    if tree[:2] == ("attr", CALL) or tree[:1] == ("name",):
        return ("name", "value")
    return tuple(_of_any_field(part) if is_tree(part) else part for part in tree)


# --- another tool with the same effect


_NOT_SAID = "takes {} too, and neither its name nor its description says what for"


def _other_tools(attacked: Attacked) -> Iterator[Attempt]:
    if attacked.rule.form == "permit":
        return
    same_values = [*_by_effect(attacked, _WAYS), *_by_table(attacked)]
    by_path = _by_command(attacked, _BY_COMMAND)
    instead = [*by_path, *_by_download(attacked), *_by_its_call(attacked), *_by_its_tool(attacked)]
    other = same_values if _passing(attacked, same_values) else _by_parameter(attacked)
    for kind, found in (
        ("other tool", other),
        ("nobody named", _to_nobody_named(attacked)),
        ("in a list", _by_list_of_them(attacked)),
        ("thrown away", _by_removal(attacked)),
        ("state instead", _by_state(attacked)),
        ("command instead", instead),
    ):
        yield from _of_siblings(attacked, kind, [*found])


def _stronger_tools(attacked: Attacked) -> Iterator[Attempt]:
    if attacked.rule.form != "permit":
        yield from _of_siblings(attacked, "stronger tool", [*_by_effect(attacked, _STRONGER)])
        yield from _of_siblings(attacked, "stronger command", [*_by_command(attacked, _STRONGER_COMMAND)])
        yield from _of_siblings(attacked, "whole folder", [*_by_search(attacked)])


def _of_siblings(attacked: Attacked, kind: str, found: Sequence[_Sibling]) -> Iterator[Attempt]:
    """Yield the attempt with calls of other tools, and that with those of which nothing can be said yet."""
    passing = _passing(attacked, found)
    if kind == "other tool" and not any(one.advice for one in passing):  # the tool may be closed
        types = {one.tool: one for one in attacked.book.language.types.calls.values()}
        closed = ((one, one.tree or _closed_tool(attacked, types[one.call.tool])) for one in passing)
        passing = [replace(one, tree=tree) for one, tree in closed]
    for about in ("", "undeclared"):
        alike = [one for one in passing if (one.tree is None) is bool(about)]
        effects = [beside(attacked.rule, *(one.tree for one in alike if one.tree is not None))]
        tries = [Try((one.call,), one.why) for one in alike]
        advice = next((one.advice for one in alike if one.advice), "")
        yield Attempt(kind, tries, partial(list[Effect], [] if about else effects), advice, about=about)


def _closed_tool(attacked: Attacked, other: CallType) -> Tree:
    """That a tool is closed as a whole."""
    return ("call", attacked.rule.form, TRUE, ("name", other.name))


def _passing(attacked: Attacked, found: Sequence[_Sibling]) -> Sequence[_Sibling]:
    runs = ((one, attacked.passing((one.call,))) for one in found)
    return [replace(one, call=calls[0]) for one, calls in runs if calls is not None]


@dataclass(frozen=True, slots=True)
class _Sibling:
    """A call of another tool, why it does the same, and the rule for that tool, or what it wants first."""

    call: TriedCall
    why: str
    tree: Tree | None
    advice: str = ""


def _by_effect(attacked: Attacked, ways: _Ways) -> Iterator[_Sibling]:
    """Yield the tools that do the same, or more, with a value of the same kind, by words of their names."""
    verbs = _does(attacked.book, attacked.call_type)
    for kind, does, others, how in ways:
        held = ((one, _stopped_with(attacked, one)) for one in attacked.fields_of(kind))
        one, stopped = next(((one, call) for one, call in held if call is not None), (None, None))
        if one is None or stopped is None or not verbs & does:
            continue
        for other, field in _siblings(attacked, kind, others):
            if ways is _STRONGER and not _does(attacked.book, other) & _KNOWN:
                continue
            alike = [*_in_folders(attacked, one, stopped, other)]
            if ways is _STRONGER:  # a folder that another sentence opens for more is no way past this one
                alike = [each for each in alike if each is stopped or _is_by_name(attacked, one, each)]
            calls = [_with_same(attacked, each, {one.key: field}, other) for each in alike]
            call = next((each for each in calls if attacked.may_pass(each)), calls[0])
            why = how if _does(attacked.book, other) & _KNOWN else _NOT_SAID.format(_CALLED[kind])
            advice = "" if field.kind else declared(other.tool, field, kind)
            yield _Sibling(call, f"{other.tool} {why}", _moved_rule(attacked, one, other, field), advice)


def _is_by_name(attacked: Attacked, one: CallField, stopped: TriedCall) -> bool:
    """Whether a rule stops a call with a path because of its name, and lets others of its folder pass."""
    folder = str(stopped.arguments[one.key]).rpartition("/")[0]
    return attacked.passes(attacked.with_value(stopped, one, f"{folder}/x"))


def _by_search(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that search a folder with a file which a rule closes.

    Where it closes the folder, too, it may say the same of such a tool; else the tool is closed as a whole.
    """
    if not _does(attacked.book, attacked.call_type) & (_READING | _SHARING):
        return
    spoken = fields_spoken_of(attacked)
    for one in attacked.fields_of("path"):
        stopped = _stopped_with(attacked, one)
        file = "" if stopped is None else str(stopped.arguments[one.key])
        if stopped is None or "/" not in file.lstrip("/"):
            continue
        folder = file.rpartition("/")[0]
        within = replace(stopped, arguments={**stopped.arguments, one.key: folder})
        is_closed = attacked.stops(attacked.with_value(stopped, one, folder))
        for other in attacked.book.language.types.calls.values():
            fields = [each for each in other.fields if attacked.kind_in(other, each) == "path"]
            does = {*words_of(other.tool)}
            if not fields or not does & _SEARCHING or does & (_READING | _SHARING):
                continue
            if other.name in attacked.rule.classes or fields[0].name in spoken.get(other.name, ()):
                continue
            call = _with_same(attacked, within, {one.key: fields[0]}, other)
            tree = (
                _moved_rule(attacked, one, other, fields[0]) if is_closed else _closed_tool(attacked, other)
            )
            advice = "" if tree is not None or fields[0].kind else declared(other.tool, fields[0], "path")
            yield _Sibling(call, f"it goes through a folder, and the rule closes {file}", tree, advice)


def _from_above(attacked: Attacked) -> Iterator[Attempt]:
    """A call with a whole folder above one that the rule closes, which goes through all that is in it."""
    tool = next(tool for tool in attacked.book.agent.tools if tool.name == attacked.tool)
    told = " ".join((tool.description, *words_of(tool.name), *(one.key for one in attacked.call_type.fields)))
    takes_away = _does(attacked.book, attacked.call_type) & (_DELETING | _MOVING | _COPYING)
    goes_through = {*words_of(attacked.tool)} & _SEARCHING or (takes_away and _OF_TREES.search(told.lower()))
    if attacked.rule.form == "permit" or not goes_through:
        return
    for one in attacked.fields_of("path"):
        for closed in dict.fromkeys(text.rstrip("/") for text in attacked.texts if _FOLDER.fullmatch(text)):
            stopped = attacked.with_value(attacked.base, one, closed)
            above = [closed[:place] or "/" for place in range(len(closed)) if closed[place] == "/"]
            calls = {each: attacked.with_value(stopped, one, each) for each in reversed(above)}
            passing = [each for each, call in calls.items() if attacked.passes(call)]
            if not attacked.stops(stopped):
                continue
            tries = [Try((calls[each],), f"{closed} is in it") for each in passing]
            said = given(attacked, one, _is_folder(attacked, one, passing))
            effects = [narrower_of_tool(attacked.rule, attacked.call_type.name, said)] * bool(one.kind)
            advice = "" if one.kind else declared(attacked.tool, one, "path")
            yield Attempt("whole folder", tries, partial(list[Effect], effects), advice, about=closed)


_OF_TREES = re.compile(r"director|folder|recurs|\btree")
"""What is said of tools that take a folder with all that is in it."""


def _is_folder(attacked: Attacked, one: CallField, folders: Sequence[str]) -> Tree:
    """That a path of a call is one of some folders."""
    return among(("attr", attacked.value_of(one), "absolute"), folders)


def _from_other_folder(attacked: Attacked) -> Iterator[Attempt]:
    """A relative path in a call that names the folder in which it begins, which no rule looks at."""
    rules = stopping_alike(attacked, attacked.call_type.name)
    spoken = set[str]().union(*(each.reading.parts for each in rules), attacked.reading.parts)
    tool = next(tool for tool in attacked.book.agent.tools if tool.name == attacked.tool)
    for one in attacked.fields_of("path", "command"):
        is_command = attacked.kind(one) == "command"
        ways = ("touch {}", "cat {}") if is_command else ("{}",)
        named = _WHERE_IT_RUNS | (_FOLDERS if is_command else frozenset[str]())
        fields = [each for each in attacked.call_type.fields if named & {*words_of(each.name)}]
        folders = dict.fromkeys(
            text.rstrip("/") for text in (*attacked.texts, "/etc") if _FOLDER.fullmatch(text)
        )
        for at in fields:
            if at.name in spoken or at.type.kind is not Kind.STR or at is one:
                continue
            calls = [
                attacked.with_value(attacked.with_value(attacked.base, one, way.format("x")), at, folder)
                for folder in folders
                for way in ways
                if attacked.stops(attacked.with_value(attacked.base, one, way.format(f"{folder}/x")))
            ]
            tries = [Try((call,), f"its {at.name} is the folder in which x lies") for call in calls]
            note = f'write cwd_parameter = "{at.key}" under [tools.{tool.name}] in agent.toml'
            advice = Declaration(note) if one.kind and tool.cwd_parameter != at.key else ""
            value = attacked.value_of(at)
            elsewhere: Tree = (
                ("is some", value) if at.type.optional else ("!=", value, ("lit", "text", tool.cwd))
            )
            effects = [narrower_of_tool(attacked.rule, attacked.call_type.name, elsewhere)]
            yield Attempt(f"field {at.name}", tries, partial(list[Effect], effects), advice)


def _in_folders(
    attacked: Attacked, one: CallField, stopped: TriedCall, other: CallType
) -> Iterator[TriedCall]:
    """Yield a call that the rule stops, and such calls in the folders that rules about another tool name."""
    yield stopped
    if attacked.kind(one) != "path" or one.type.kind is not Kind.STR:
        return
    rules = attacked_about(attacked.book, other.name)
    named = (text.rstrip("/") for each in rules for text in each.texts if _FOLDER.fullmatch(text))
    ends = dict.fromkeys(text.rpartition("/")[2] for text in near("path", attacked.texts))
    for folder in islice(dict.fromkeys(named), _MOST_FOLDERS):
        calls = (attacked.with_value(stopped, one, f"{folder}/{end}") for end in ends)
        yield from islice(filter(attacked.stops, calls), 1)


def _stopped_with(attacked: Attacked, one: CallField) -> TriedCall | None:
    """A call that the rule stops with one text in a field: for that text, if one is known to do it alone."""
    stopped = attacked.stopped
    if stopped is None:
        return None
    base = attacked.allowed or stopped
    known = texts_held((stopped, *attacked.logged, *attacked.made), one)
    alone = (text for text in dict.fromkeys(known) if attacked.stops(attacked.with_value(base, one, text)))
    value = stopped.arguments.get(one.key)
    text = next(alone, value if isinstance(value, str) else None)
    return None if text is None else TriedCall(stopped.tool, {**stopped.arguments, one.key: text})


def _by_table(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that take the name of a table which a rule about statements closes."""
    spoken = fields_spoken_of(attacked)
    for one in attacked.fields_of("sql"):
        tables = [
            name
            for name in attacked.texts
            if name.isidentifier()
            and attacked.stops(attacked.with_value(attacked.base, one, f"SELECT * FROM {name}"))
        ]
        for name, other in attacked.book.language.types.calls.items():
            fields = [each for each in other.fields if {*words_of(each.name)} & _TABLES]
            does = {*words_of(other.tool)}
            if not tables or not fields or name in attacked.rule.classes:
                continue
            if fields[0].name in spoken.get(name, ()):
                continue
            if does & (_DELETING | _WRITING) and not does & _GIVING_OUT and _only_reads(attacked, one):
                continue
            value: Json = [tables[0]] if fields[0].type.kind in _LISTS else tables[0]
            call = TriedCall(other.tool, {**usual_call(attacked, other).arguments, fields[0].key: value})
            tree = _closed_table(attacked, other, fields[0], tables)
            yield _Sibling(call, f"{other.tool} takes that table too", tree)


def _only_reads(attacked: Attacked, one: CallField) -> bool:
    """Whether a rule speaks of what statements read, and of no change."""
    return attacked.reading.parts.get(one.name, set[str]()) <= {"reads", "columns", "shown"}


def _closed_table(attacked: Attacked, other: CallType, field: CallField, tables: Sequence[str]) -> Tree:
    value = attacked.value_of(field)
    if field.type.kind in _LISTS:
        each: Tree = ("name", "each")
        said: Tree = ("call", "any", ("gen", each, among(each, tables), value, ("lit", "bool", True)))
    else:
        said = given(attacked, field, among(value, tables))
    return ("call", attacked.rule.form, said, ("name", other.name))


def _to_nobody_named(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that give something out without an address, where a rule is about whom it goes to.

    They go to whoever is at the other end: an answer to a mail, a link that anybody opens.
    """
    verbs = {*words_of(attacked.tool)} & (SENDING | _SHARING)
    addressed = [one for one in attacked.fields_of("mail_address") if things(words_of(one.name)) & RECIPIENTS]
    if not verbs or not any(_stopped_with(attacked, one) for one in addressed):
        return
    spoken = fields_spoken_of(attacked)
    for name, other in attacked.book.language.types.calls.items():
        named = {word for one in other.fields for word in things(words_of(one.name))}
        is_answer = bool({*words_of(other.tool)} & _ANSWERING) and not named & _ADDRESSED
        if name in spoken or name in attacked.rule.classes or _effect(attacked, other.tool).reads:
            continue
        if not is_answer:
            continue
        usual = usual_call(attacked, other)
        opening = next((found for one in other.fields if (found := _opening(one)) is not None), None)
        given_ = {} if opening is None else {opening[0].key: opening[1]}
        call = TriedCall(other.tool, {**usual.arguments, **given_})
        said = TRUE if opening is None else _is_open(*opening)
        tree: Tree = ("call", attacked.rule.form, said, ("name", name))
        yield _Sibling(call, f"{other.tool} names nobody, and gives something out all the same", tree)


_ANSWERING = frozenset(("reply", "respond", "answer", "share", "publish", "link"))
"""What tools do that give something to persons whom the call does not name."""
_ADDRESSED = RECIPIENTS | {
    "address", "channel", "user", "person", "contact", "room", "chat", "group", "team", "phone", "recipients",
}  # fmt: skip
_FOR_ALL = frozenset(("anyone", "everyone", "everybody", "public", "all", "external", "world", "anybody"))
"""Values of a choice by which anybody gets something."""


def _opening(one: CallField) -> tuple[CallField, Json] | None:
    """The value of a field by which anybody gets something; None if it has none, or not that alone."""
    if one.type.kind is Kind.ENUM:
        found = [each for each in one.type.values if {*words_of(each)} & _FOR_ALL]
        return (one, found[0]) if len(found) == 1 and len(one.type.values) > 1 else None
    is_switch = one.type.kind is Kind.BOOL and {*words_of(one.name)} & _FOR_ALL - {"all"}
    return (one, True) if is_switch else None


def _is_open(one: CallField, opening: Json) -> Tree:
    """That a call gives something to anybody; also one that leaves it open."""
    value: Tree = ("attr", CALL, one.name)
    said: Tree = ("==", value, ("lit", "text", opening)) if isinstance(opening, str) else value
    return joined("or", [("is none", value), said]) if one.type.optional else said


def _by_removal(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools by which a thing is gone that the rule's tool must not delete.

    They put it aside, into a bin, or leave nothing in it.
    """
    if not {*words_of(attacked.tool)} & _DELETING:
        return
    base, by_effect = attacked.stopped or attacked.plain, [*_by_effect(attacked, _WAYS)]
    known = {one.call.tool for one in by_effect}
    for name, other in attacked.book.language.types.calls.items():
        same = _same_thing(attacked, other)
        if name in attacked.rule.classes or same is None or stopping_alike(attacked, name):
            continue
        for key, value, extra, why in _ways_of_removing(other, is_known=other.tool in known):
            held = _with_same(attacked, base, same, other).arguments
            call = TriedCall(other.tool, {**held, key: value} if key else held)
            said = joined("and", [part for part in (_carried(attacked, other, same), extra) if part != TRUE])
            tree: Tree = ("call", attacked.rule.form, said, ("name", name))
            yield _Sibling(call, f"{other.tool} {why}", tree)


def _same_thing(attacked: Attacked, other: CallType) -> Mapping[str, CallField] | None:
    """The fields of another tool for the thing that the rule's tool is about; None if it takes none."""
    held = {one.key: one for one in other.fields}
    needed = [one for one in attacked.call_type.fields if not one.type.optional]
    paths = [
        one
        for one in other.fields
        if attacked.kind_in(other, one) == "path"
        and not {*words_of(one.name)} & (_PLACED_IN | _TO - {"name"})
    ]
    same = {one.key: held[one.key] for one in needed if one.key in held}
    same |= {one.key: paths[0] for one in needed if one.kind == "path" and paths and one.key not in held}
    if same or needed:
        return same or None
    nouns = things(words_of(attacked.tool)) - _DELETING
    return same if nouns & things(words_of(other.tool)) else None


def _carried(attacked: Attacked, other: CallType, same: Mapping[str, CallField]) -> Tree:
    """The condition of a rule, said of another tool; always, if it reads what that one has not."""
    condition, names = attacked.rule.condition, {one.name for one in other.fields}
    for one in attacked.fields_read:
        field = same.get(one.key)
        if field is not None and field.name != one.name:
            condition = with_field(condition, one, field) or TRUE
    read = {part[2] for _, part in places(condition) if part[:2] == ("attr", CALL)}
    return condition if read <= names and not _reads_own_calls(attacked) else TRUE


def _ways_of_removing(other: CallType, *, is_known: bool) -> Iterator[tuple[str, Json, Tree, str]]:
    """Yield fields of a tool with values by which a thing is gone, what a rule says of these, and why."""
    does = {*words_of(other.tool)}
    if does & _PUTTING_AWAY and not is_known:
        yield "", None, TRUE, "takes it away too"
    for one in other.fields:
        value, words = ("attr", CALL, one.name), things(words_of(one.name))
        is_list = one.type.kind in _LISTS
        text: Tree = ("name", "each") if is_list else value
        small: Tree = ("method", ("method", text, "strip"), "lower")
        if words & _PLACED_IN and does & _PLACING and not is_known:
            enum = [each for each in one.type.values or () if each.casefold() in _BINS]
            said: Tree = ("in", small, ("set", *(("lit", "text", each) for each in _BINS)))
            said = ("==", value, ("lit", "text", enum[0])) if enum else said
            said = _of_some_element(said, one) if is_list else said
            element = one.type.element or one.type
            if enum or (element.kind is Kind.STR and not words & _STATES):
                held: Json = enum[0] if enum else _BINS[0].title()
                yield one.key, [held] if is_list else held, _if_optional(one, said), "puts it into a bin"
        elif words & _CONTENTS and does & _OVERWRITING and one.type.kind is Kind.STR:
            empty: Tree = ("==", ("method", value, "strip"), ("lit", "text", ""))
            yield one.key, "", _if_optional(one, empty), "leaves nothing in it"


def _if_optional(one: CallField, said: Tree) -> Tree:
    is_single = one.type.optional and one.type.kind not in _LISTS
    return joined("and", [("is some", ("attr", CALL, one.name)), said]) if is_single else said


_PUTTING_AWAY = _DELETING | {"archive", "hide", "expire", "recycle", "junk", "clear", "empty"}
_PLACING = _MOVING | {"label", "tag", "file", "update", "modify", "edit", "set", "change", "add", "mark"}
_PLACED_IN = frozenset(("folder", "label", "mailbox", "destination", "location", "category", "tag", "status"))
_BINS = ("trash", "bin", "deleted", "deleted items", "recycle bin")
_CONTENTS = frozenset(("content", "body", "text", "data", "value"))
_OVERWRITING = frozenset(("update", "write", "replace", "overwrite", "edit", "save", "put", "set"))


def _by_state(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that set the state to which the tool of the rule brings the same thing."""
    base, spoken = attacked.stopped or attacked.plain, fields_spoken_of(attacked)
    required = {one.key for one in attacked.call_type.fields if not one.type.optional}
    if not required or attacked.passes(base):
        return
    for name, other in attacked.book.language.types.calls.items():
        held = {one.key for one in other.fields}
        if name in attacked.rule.classes or required.isdisjoint(held):
            continue
        for field in other.fields:
            state = _state_of(attacked, field)
            if not state or field.name in spoken.get(name, ()):
                continue
            usual = _with_same(attacked, base, {}, other)
            call = TriedCall(other.tool, {**usual.arguments, field.key: state})
            tree: Tree | None = None
            if {*attacked.reading.parts} <= {one.name for one in other.fields}:
                reached: Tree = ("==", ("attr", CALL, field.name), ("lit", "text", state))
                said = joined("and", [reached, attacked.rule.condition])
                tree = ("call", attacked.rule.form, said, ("name", other.name))
            yield _Sibling(call, f"{other.tool} does the same by its {field.name.replace('_', ' ')}", tree)


def _state_of(attacked: Attacked, field: CallField) -> str:
    """The value of a field that names what the tool of the rule does: "closed" for one that closes."""
    if not {*words_of(field.name)} & _STATES or field.type.kind not in (Kind.STR, Kind.ENUM):
        return ""
    verbs = [word for word in words_of(attacked.tool) if len(word) > 3]
    done = {f"{word.removesuffix('e')}{end}" for word in verbs for end in ("ed", "led", "e", "")}
    if field.type.kind is Kind.ENUM:
        return next((value for value in field.type.values if value.casefold() in done), "")
    logged = (call.arguments for call in attacked.book.calls if call.arguments is not None)
    texts = [text for given_ in logged if isinstance(text := given_.get(field.key), str)]
    return next((text for text in texts if text.casefold() in done), "")


def _by_download(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that run commands, with one that reaches the host which a rule about URLs stops."""
    fields = [one for one in attacked.fields_of("url") if one.type.kind is Kind.STR]
    one = fields[0] if fields else None
    url = None if one is None or attacked.stopped is None else attacked.stopped.arguments.get(one.key)
    if one is None or not isinstance(url, str) or "://" not in url:
        return
    for name, other, field in _commands(attacked):
        if name in attacked.rule.classes:
            continue
        if any("hosts" in each.reading.parts.get(field.name, ()) for each in stopping_alike(attacked, name)):
            continue
        usual = usual_call(attacked, other)
        call = TriedCall(other.tool, {**usual.arguments, field.key: f"curl {shlex.quote(url)}"})
        said = None if attacked.condition is None else _of_hosts(attacked, one, attacked.condition, field)
        tree = None if said is None else ("call", attacked.rule.form, said, ("name", name))
        advice = "" if field.kind else declared(other.tool, field, "command")
        yield _Sibling(call, f"a command of {other.tool} reaches the same host", tree, advice)


def _of_hosts(attacked: Attacked, one: CallField, condition: Tree, field: CallField) -> Tree | None:
    """What a condition says of the host of a URL, of the hosts of a command; None if it says more."""
    url, hosts, host = attacked.value_of(one), ("attr", ("attr", CALL, field.name), "hosts"), ("name", "h")
    match condition:
        case ("or", *parts):
            said = [_of_hosts(attacked, one, each, field) for each in parts]
            return None if None in said else joined("or", [each for each in said if each is not None])
        case ("==" | "in", ("attr", value, "host"), texts) if value == url:
            listed = [str(each[2]) for each in (texts[1:] if texts[0] == "set" else [texts])]
            return ("call", "any", ("gen", host, among(host, listed), hosts, TRUE))
        case ("!=" | "not in", ("attr", value, "host"), texts) if value == url:
            return ("not", ("<=", hosts, texts if texts[0] == "set" else ("set", texts)))
        case ("in" | "not in" as word, ("lit", "text", str(domain)), ("attr", value, "domains")) if (
            value == url
        ):
            below: Tree = ("method", host, "endswith", ("lit", "text", f".{domain}"))
            inside = joined("or", [among(host, [domain]), below])
            asked = inside if word == "in" else ("not", inside)
            return ("call", "any", ("gen", host, asked, hosts, TRUE))
        case _:
            return None


def _by_command(attacked: Attacked, programs: _Programs) -> Iterator[_Sibling]:
    """Yield the tools that run commands of which no rule speaks, with one that does the same to a path."""
    stopped, verbs = attacked.stopped, _does(attacked.book, attacked.call_type)
    way = next((way for way in programs if way[0] & verbs), None)
    fields = [one for one in attacked.fields_of("path") if one.type.kind is Kind.STR]
    path = None if stopped is None or not fields else stopped.arguments.get(fields[0].key)
    if way is None or not isinstance(path, str):
        return
    _, says, part, does = way
    for name, other in attacked.book.language.types.calls.items():
        about = stopping_alike(attacked, name)
        for field in other.fields:
            spoken = set[str]().union(*(one.reading.parts.get(field.name, ()) for one in about))
            if attacked.kind_in(other, field) != "command" or part in spoken or not spoken <= _ASIDE:
                continue
            every = [one for one in attacked_about(attacked.book, name) if field.name in one.reading.parts]
            named = dict.fromkeys(each for one in every for each in one.texts)
            bad = stopped or attacked.plain
            paths = [
                str(each.arguments[fields[0].key]) for each in _in_folders(attacked, fields[0], bad, other)
            ]
            commands = [f"{says} {shlex.quote(each)}" for each in paths]
            commands += _with_path(named, path, part)
            usual = usual_call(attacked, other)
            calls = [TriedCall(other.tool, {**usual.arguments, field.key: each}) for each in commands]
            call = next((each for each in calls if attacked.passing((each,))), calls[0])
            tree = _moved_to_command(attacked, fields[0], other, field, part)
            advice = "" if field.kind else declared(other.tool, field, "command")
            yield _Sibling(call, f"a command of {other.tool} {does}", tree, advice)


def _by_its_call(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that run commands, with the call of a program that the rule's tool is named after.

    They are none where a rule about commands speaks of that call.
    """
    from workbench.runs.kinds.shell.program_tables import TABLES

    named = " ".join(words_of(attacked.tool))
    if attacked.stopped is None or " " not in named or named not in TABLES:
        return
    words = named.split()
    for key, value in attacked.stopped.arguments.items():
        option = f"--{key.replace('_', '-')}"
        if isinstance(value, str):
            words += [option, value] if option in TABLES[named].options else [value]
    for name, other, field in _commands(attacked):
        about = stopping_alike(attacked, name)
        if any(named in one.texts for one in about):
            continue
        usual = usual_call(attacked, other)
        call = TriedCall(other.tool, {**usual.arguments, field.key: shlex.join(words)})
        calls: Tree = ("attr", ("attr", CALL, field.name), "calls")
        tree = ("call", attacked.rule.form, ("in", ("lit", "text", named), calls), ("name", name))
        advice = "" if field.kind else declared(other.tool, field, "command")
        yield _Sibling(call, f"a command of {other.tool} does the same", None if advice else tree, advice)


def _by_its_tool(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that are named after a call of a program which a rule about commands stops.

    They are those of which no rule that stops calls speaks.
    """
    for field in attacked.fields_of("command"):
        for name, other in attacked.book.language.types.calls.items():
            named = " ".join(words_of(other.tool))
            if " " not in named or named not in attacked.texts or attacked.stopped is None:
                continue
            about = stopping_alike(attacked, name)
            if not about and attacked.stops(attacked.with_value(attacked.stopped, field, named)):
                why = f"{other.tool} does the same"
                tree: Tree = ("call", attacked.rule.form, TRUE, ("name", name))
                yield _Sibling(usual_call(attacked, other), why, tree)


def _commands(attacked: Attacked) -> Iterator[tuple[str, CallType, CallField]]:
    """Yield the tools that run commands by their classes, each with the field that has one."""
    for name, other in attacked.book.language.types.calls.items():
        yield from ((name, other, one) for one in other.fields if attacked.kind_in(other, one) == "command")


def _with_path(programs: Iterable[str], path: str, part: str) -> Iterator[str]:
    """Yield the commands with a path which do with it what a part of commands says, of some programs.

    What a program does with any path is asked first, once for all paths.
    """
    for program in programs:
        if _PROGRAM.fullmatch(program) and all(_does_with_path(program, each, part) for each in ("/x", path)):
            yield f"{program} {shlex.quote(path)}"


@lru_cache(maxsize=4096)
def _does_with_path(program: str, path: str, part: str) -> bool:
    done = COMMAND.reader({"folder": "/"}).parts(f"{program} {shlex.quote(path)}")[part]
    return isinstance(done, frozenset) and posixpath.normpath(posixpath.join("/", path)) in done


_PROGRAM = re.compile(r"[a-z][\w.-]*( [a-z][\w-]*)*")
_ASIDE = frozenset(("programs", "calls", "flags", "hosts", "reads", "writes"))
"""What a rule may say of a command that is no answer to what else it does with a file."""
type _Programs = Sequence[tuple[frozenset[str], str, str, str]]
_BY_COMMAND: _Programs = (
    (_DELETING | _MOVING, "rm", "writes", "does the same"),
    (_WRITING | _COPYING, "touch", "writes", "does the same"),
    (_READING | _SHARING | _SEARCHING, "cat", "reads", "does the same"),
)
"""What tools do with a path, the program that does it too, and where a command has the paths of that."""
_STRONGER_COMMAND: _Programs = (
    (_READING | _SHARING | _SEARCHING, "rm", "writes", "does more to such a file than read it"),
)
"""What tools do with a path, a program that does more, and where a command has the paths of that."""


def _moved_to_command(
    attacked: Attacked, one: CallField, other: CallType, field: CallField, part: str
) -> Tree | None:
    """The rule about paths of commands; None if it reads more than its path, or paths of another kind."""
    only = {*attacked.reading.parts} == {one.name} and not attacked.reading.reads_run
    condition = attacked.condition
    if not only or condition is None or not one.kind or field.kind != "command" or field.type.optional:
        return None
    said, path = condition, ("name", "each")
    for place, inner in [*places(condition)]:
        if inner == attacked.value_of(one):
            said = replaced(said, place, path)
    every: Tree = ("gen", path, said, ("attr", ("attr", CALL, field.name), part), ("lit", "bool", True))
    return ("call", attacked.rule.form, ("call", "any", every), ("name", other.name))


def _siblings(
    attacked: Attacked, kind: str, ways: Sequence[tuple[frozenset[str], frozenset[str]]]
) -> Iterator[tuple[CallType, CallField]]:
    """Yield the tools that do the same, each with the field that has the value, of which no rule speaks."""
    spoken = fields_spoken_of(attacked)
    for name, other in attacked.book.language.types.calls.items():
        if name in attacked.rule.classes:
            continue
        words = _does(attacked.book, other)
        found = [one for one in other.fields if attacked.kind_in(other, one) == kind]
        is_unclear = not words & _KNOWN and not _effect(attacked, other.tool).reads
        for does, named in [*ways, (words, frozenset[str]())] if is_unclear else ways:
            acts = not _effect(attacked, other.tool).reads if does is _ANY else words & does
            if not acts or words & _LINKS:
                continue
            fitting = [one for one in found if not named or things(words_of(one.name)) & named]
            if fitting and fitting[0].name not in spoken.get(name, ()):
                yield other, fitting[0]
            if fitting:
                break


def _by_parameter(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that take what the rule speaks of by the same names, and act as its tool does."""
    stopped, read = attacked.stopped, attacked.fields_read
    if stopped is None or not read or not _is_subject(attacked, read):
        return
    own_act = _names_act(attacked)
    spoken, verbs = fields_spoken_of(attacked), {*words_of(attacked.tool)}
    for name, other in attacked.book.language.types.calls.items():
        held = {one.key: one for one in other.fields}
        same = {one.key: held[one.key] for one in read if _is_same(one, held.get(one.key))}
        words = {*words_of(other.tool)}
        if name in attacked.rule.classes or len(same) < len(read) or words & _LINKS:
            continue
        if bool(words & _UNDOING) is not bool(verbs & _UNDOING) or not acts_alike(attacked, other):
            continue
        if own_act and not any(verbs & group and words & group for group in ACTS):
            continue
        if any(one.name in spoken.get(name, ()) for one in same.values()):
            continue
        act_alike = any(verbs & group and words & group for group in ACTS)
        if not _is_about_texts(read) and not act_alike and not _is_of_same(attacked, held):
            continue
        if attacked.reading.reads_run and (not act_alike or _reads_own_calls(attacked)):
            continue
        call = _with_same(attacked, stopped, same, other)
        if any(
            one.type.values and call.arguments.get(key) not in one.type.values for key, one in same.items()
        ):
            continue
        tree: Tree = ("call", attacked.rule.form, attacked.rule.condition, ("name", other.name))
        said = " and ".join(one.name.replace("_", " ") for one in read)
        yield _Sibling(call, f"{other.tool} has the same {said}", tree)


def _by_list_of_them(attacked: Attacked) -> Iterator[_Sibling]:
    """Yield the tools that do for each object of a list what the rule's tool does once."""
    stopped, read = attacked.stopped, attacked.fields_read
    if stopped is None or not read or not _is_subject(attacked, read) or attacked.reading.reads_run:
        return
    verbs, element = {*words_of(attacked.tool)}, ("name", "each")
    for name, other in attacked.book.language.types.calls.items():
        does = {*words_of(other.tool)}
        if not any(verbs & group and does & group for group in ACTS) or not acts_alike(attacked, other):
            continue
        for field in other.fields if not stopping_alike(attacked, name) else ():
            inner = {one.key: one for one in field.fields}
            if field.type.kind is not Kind.LIST or not all(_is_same(one, inner.get(one.key)) for one in read):
                continue
            held = {key: value for key, value in stopped.arguments.items() if key in inner}
            usual = usual_call(attacked, other).arguments
            call = TriedCall(other.tool, {**usual, field.key: [{**made_object(field, {}), **held}]})
            said = attacked.rule.condition
            for path, part in [*places(said)]:
                if part[:2] == ("attr", CALL) and part[2:] and part[2] in {one.name for one in read}:
                    said = replaced(said, path, ("attr", element, part[2]))
            tree: Tree = ("call", attacked.rule.form, _of_some_element(said, field), ("name", name))
            yield _Sibling(call, f"{other.tool} does so for each of its {field.name.replace('_', ' ')}", tree)


def _names_act(attacked: Attacked) -> bool:
    """Whether a sentence says what the tool does, “is not sold”, so that it is not about other acts."""
    verb = words_of(attacked.tool)[0]
    begin = verb.removesuffix("e") if len(verb) > _SHORT else verb
    said = re.findall(r"[a-z]+", attacked.sentence)
    return any(word.startswith(begin) or word == _PAST.get(verb) for word in said)


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


def _effect(attacked: Attacked, name: str) -> ToolEffect:
    return next(effect_of(tool) for tool in attacked.book.agent.tools if tool.name == name)


def acts_alike(attacked: Attacked, other: CallType) -> bool:
    """Whether two tools both read, or neither of them surely does."""
    reads = [_effect(attacked, name).reads for name in (attacked.tool, other.tool)]
    return reads[0] is reads[1] or (reads[0] and {*words_of(other.tool)} & _GIVING_OUT != set())


def _with_same(
    attacked: Attacked, stopped: TriedCall, same: Mapping[str, CallField], other: CallType
) -> TriedCall:
    """A call of another tool with the values that are stopped, and with what else they have in common."""
    names = {each.key for each in other.fields}
    common = {key: held for key, held in stopped.arguments.items() if key in names and key not in same}
    held: dict[str, Json] = {
        field.key: _held(field, stopped.arguments[key])
        for key, field in same.items()
        if key in stopped.arguments
    }
    return TriedCall(other.tool, {**usual_call(attacked, other).arguments, **common, **held})


def _held(field: CallField, value: Json) -> Json:
    """A value in a field: alone in a list, and in an object of a list of objects."""
    if (inner := text_in_objects(field)) is not None and isinstance(value, str):
        value = {**made_object(field, {inner.name: value})}
    return [value] if field.type.kind in _LISTS else value


def usual_call(attacked: Attacked, other: CallType) -> TriedCall:
    """A call of another tool that its own rules let through, if they speak of it; else a likely one."""
    for one in attacked_about(attacked.book, other.name):
        if one.allowed is not None:
            return one.allowed
    logged = next((call.arguments for call in attacked.book.calls if call.tool == other.tool), None) or {}
    return TriedCall(other.tool, {**made_call(other, {}).arguments, **logged})


def _moved_rule(attacked: Attacked, one: CallField, other: CallType, field: CallField) -> Tree | None:
    """The rule for another tool, about its field; None if it reads what the tool has not, or another kind.

    What it says of earlier calls of its own tool is about that tool.
    """
    is_text = one.kind == "path" and not field.kind and bool(_MOVING & {*words_of(other.tool)})
    if one.kind and field.kind != one.kind and not is_text:
        return None
    if attacked.reading.reads_run and _reads_own_calls(attacked):
        return None
    condition = attacked.condition or attacked.rule.condition  # raw text is tested as raw in the other
    if {*attacked.reading.parts} != {one.name}:
        condition = _about_alone(condition, one)
    said = None if condition is None else with_field(condition, one, field)
    said = _by_its_text(said, field) if is_text and said is not None else said
    if said is None:
        return None
    return ("call", attacked.rule.form, _if_given(one, field, said), ("name", other.name))


def _by_its_text(said: Tree, field: CallField) -> Tree | None:
    """What a condition says of the folders of a path, of a text; None if it says more of it."""
    value: Tree = ("attr", CALL, field.name)
    for path, part in [*places(said)]:
        if part[0] == "in" and part[1][:2] == ("lit", "text") and part[2] == ("attr", value, "inside"):
            folder = str(part[1][2]).rstrip("/")
            begins: Tree = ("method", value, "startswith", ("lit", "text", f"{folder}/"))
            said = replaced(said, path, joined("or", [("==", value, ("lit", "text", folder)), begins]))
    rest = any(part[:2] == ("attr", value) for _, part in places(said))
    return None if rest or field.type.kind in _LISTS else said


def _reads_own_calls(attacked: Attacked) -> bool:
    """Whether a rule speaks of earlier calls of its own tool."""
    own = {("name", name) for name in attacked.rule.classes}
    return any(part in own for _, part in places(attacked.unfolded.condition))


def _about_alone(condition: Tree, one: CallField) -> Tree | None:
    """The alternatives of a condition that read one field of the call and no other; None for none."""
    own = ("attr", CALL, one.name)
    alone = [
        part
        for part in (condition[1:] if condition[0] == "or" else ())
        if {inner for _, inner in places(part) if inner[:2] == own[:2]} == {own}
    ]
    return joined("or", alone) if alone else None


def _if_given(one: CallField, field: CallField, said: Tree) -> Tree:
    if field.type.optional and not one.type.optional and field.type.kind not in _LISTS:
        return joined("and", [("is some", ("attr", CALL, field.name)), said])
    return said


def with_field(condition: Tree, one: CallField, field: CallField) -> Tree | None:
    """A condition about another field; None if it does not name the first."""
    value: Tree = ("attr", CALL, one.name)
    is_list = field.type.kind in _LISTS
    other: Tree = ("name", "each") if is_list else ("attr", CALL, field.name)
    if (inner := text_in_objects(field)) is not None:
        other = ("attr", other, inner.name)
    if one.type.kind in _LISTS and inner is not None:
        said = _with_elements_of(condition, value, other, one_value=True)
        return None if said is None else _of_some_element(said, field)
    if one.type.kind in _LISTS:
        return _with_elements_of(condition, value, ("attr", CALL, field.name), one_value=not is_list)
    said, found = condition, False
    for path, part in places(condition):
        if part == value:
            said, found = replaced(said, path, other), True
    if not found:
        return None
    return _of_some_element(said, field) if is_list else said


def _of_some_element(said: Tree, field: CallField) -> Tree:
    """That a condition on an element holds for one of a list."""
    return ("call", "any", ("gen", ("name", "each"), said, ("attr", CALL, field.name), TRUE))


def _with_elements_of(condition: Tree, value: Tree, other: Tree, *, one_value: bool) -> Tree | None:
    """A condition on the elements of a list, about another list or ``one_value``; None if it says more."""
    said, found = condition, False
    for path, part in [*places(condition)]:
        if not one_value and part == value:
            said, found = replaced(said, path, other), True
        elif one_value and part[:1] == ("call",) and part[1] in ("any", "all") and part[2][0] == "gen":
            _, element, inner, elements, where = part[2]
            if elements == value and where == ("lit", "bool", True):
                for place, each in [*places(inner)]:
                    inner = replaced(inner, place, other) if each == element else inner
                said, found = replaced(said, path, inner), True
    rest = [inner for _, inner in places(said) if inner == value]
    return said if found and (not rest or other == value) else None


# --- a link that a second tool makes


def _links(attacked: Attacked) -> Iterator[Attempt]:
    """A link in a folder that is open to one that is not, and the call through it."""
    allowed, stopped = attacked.allowed, attacked.stopped
    if allowed is None or stopped is None or attacked.rule.form == "permit":
        return
    if not _does(attacked.book, attacked.call_type) & _THROUGH:
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
            tries = [Try((link, through), f"the link leads to {bad}")]
            advice = "" if to.kind else declared(other.tool, to, "path")
            yield Attempt("link", tries, partial(list[Effect], effects), advice)


def _linking(attacked: Attacked) -> Iterator[tuple[CallType, CallField, CallField]]:
    """Yield the tools that make links, each with the field where one is made and the one to which it leads.

    Where their names say nothing the first one is where it leads, as in ``ln``.
    """
    for other in attacked.book.language.types.calls.values():
        fields = [one for one in other.fields if attacked.kind_in(other, one) == "path"]
        words = _does(attacked.book, other)
        if len(fields) == 2 and (words & _LINKS or not words & _KNOWN):
            likely = [
                len({*words_of(one.name)} & _LED_TO) - len({*words_of(one.name)} & _MADE_AT) for one in fields
            ]
            yield (other, fields[0], fields[1]) if likely[1] > likely[0] else (other, fields[1], fields[0])


# --- another field of the same kind


def _other_fields(attacked: Attacked) -> Iterator[Attempt]:
    for kind in ("mail_address", "url", "path"):
        for one in attacked.fields_of(kind):
            stopped = None if attacked.stopped is None else attacked.stopped.arguments.get(one.key)
            worst = EVIL_MAIL if kind == "mail_address" else hostile(kind)
            bads = [bad for bad in (worst, stopped) if isinstance(bad, str)]
            found = ((bad, call) for bad in bads if (call := _stopped_by(attacked, one, bad)) is not None)
            bad, allowed = next(found, ("", None))
            if allowed is None:
                continue
            others = [
                other
                for other in attacked.call_type.fields
                if other.name not in attacked.reading.parts and is_alike(attacked, one, other, kind)
            ]
            if others:
                yield _in_fields(attacked, allowed, one, others, bad)
            break


def _same_id_elsewhere(attacked: Attacked) -> Iterator[Attempt]:
    """An id that a rule closes in one of two fields for the same kind of thing, given in the other."""
    for one in attacked.fields_read:
        noun = _side_of(one)
        told = things(re.findall(r"[a-z]+", attacked.sentence)) & things(words_of(one.name)) - noun
        if (
            one.type.kind is not Kind.STR
            or attacked.kind(one)
            or not noun
            or told
            or attacked.stopped is None
        ):
            continue
        bad, allowed = attacked.stopped.arguments.get(one.key), attacked.allowed
        others = [
            other
            for other in attacked.call_type.fields
            if other.type == one.type and other.name not in attacked.reading.parts and _side_of(other) == noun
        ]
        if not others or allowed is None or not isinstance(bad, str):
            continue
        if attacked.stops(attacked.with_value(allowed, one, bad)):
            yield _in_fields(attacked, allowed, one, others, bad)


def _side_of(one: CallField) -> set[str]:
    """The words of a field for one of two sides, without those for the side; nothing for other fields."""
    words = things(words_of(one.name))
    return words - _SIDES if words & _SIDES else set()


_SIDES = frozenset((
    "from", "to", "into", "source", "src", "target", "dest", "destination", "first", "second", "primary",
    "secondary", "old", "new", "left", "right", "other", "duplicate",
))  # fmt: skip


def _stopped_by(attacked: Attacked, one: CallField, bad: str) -> TriedCall | None:
    """A call that is allowed, and that the rule stops with a bad value of a field."""
    if (allowed := attacked.allowed) is not None and attacked.stops(attacked.with_value(allowed, one, bad)):
        return allowed
    if attacked.stopped is None or not attacked.stops(attacked.with_value(attacked.stopped, one, bad)):
        return None
    values = (each.arguments.get(one.key) for each in (*attacked.logged, *attacked.made))
    calls = (
        attacked.with_value(attacked.stopped, one, each)
        for each in dict.fromkeys(each for each in values if isinstance(each, str))
    )
    return next(filter(attacked.may_pass, calls), None)


def is_alike(attacked: Attacked, one: CallField, other: CallField, kind: str) -> bool:
    """Whether a field has values of a kind in the same role."""
    element = other.type.element or other.type
    if element.kind not in (Kind.STR, Kind.RECORD) and other.type.kind is not Kind.SET:
        return False
    if element.kind is Kind.RECORD and attacked.kind(other) != kind:
        return False
    words = words_of(other.name)
    if kind == "mail_address":
        named = {each.removesuffix("s") for each in words} & RECIPIENTS or {*words} & _COPIES
        return bool(named) or attacked.kind(other) == kind
    return attacked.kind(other) == kind and one.name != other.name and not _WHERE_IT_RUNS & {*words}


def _in_fields(
    attacked: Attacked, allowed: TriedCall, one: CallField, others: Sequence[CallField], bad: str
) -> Attempt:
    """A bad value in each of some fields, which all are closed at once."""
    kind, good = attacked.kind(one), allowed.arguments.get(one.key)
    tries: list[Try] = []
    for other in others:
        is_text = kind == "mail_address" and not other.kind and other.type.kind is Kind.STR
        several = [f"{bad}, {good}"] * (is_text and isinstance(good, str))
        held = {**allowed.arguments}
        calls = (TriedCall(allowed.tool, {**held, other.key: _held(other, each)}) for each in (bad, *several))
        name = other.name.replace("_", " ").strip()
        tries += [Try((call,), f"nothing looks at its {name}") for call in calls]
    advice = next((declared(attacked.tool, each, kind) for each in others if kind and not each.kind), "")
    names = ", ".join(each.name for each in others)
    needed = [each for each in others if not each.type.optional and each.type.kind not in _LISTS]
    harmless = replace(allowed, arguments={**allowed.arguments, **{each.key: good for each in needed}})
    rewritings = partial(_said_of_fields, attacked, one, others)
    is_needed = bool(needed) and attacked.allows(harmless)
    return Attempt(f"field {names}", tries, rewritings, advice, harmless=(harmless,) if is_needed else ())


def _said_of_fields(attacked: Attacked, one: CallField, others: Sequence[CallField]) -> Sequence[Effect]:
    """The rule, which says the same of other fields, or stops a call that has one where that is not known."""
    alike = {each.name: _stopping_alike(attacked, one, each) for each in others}
    given_ = {each.name: _is_given(each) for each in others}
    beside_ = [part for part in _parts_of(attacked) if not _reads(part, attacked.value_of(one))]
    bare = {name: said and joined("and", [*beside_, said]) for name, said in given_.items()}
    effects: list[Effect] = []
    for chosen in (alike, {name: said or bare[name] for name, said in alike.items()}, bare):
        stopped = [said for said in chosen.values() if said is not None]
        if len(stopped) == len(others):
            said = joined("or", stopped)
            effects.append(narrower_of_tool(attacked.rule, attacked.call_type.name, said))
    return effects


def _parts_of(attacked: Attacked) -> Sequence[Tree]:
    """The conditions that a rule needs all of to stop a call."""
    rule = attacked.rule
    return rule.condition[1:] if rule.condition[0] == "and" and rule.form != "permit" else ()


def _reads(tree: Tree, value: Tree) -> bool:
    return any(part == value for _, part in places(tree))


def _stopping_alike(attacked: Attacked, one: CallField, other: CallField) -> Tree | None:
    """What the rule says of a field, said of another; None if it reads more than that field."""
    if not _same_kind(one, other) or {*attacked.reading.parts} != {one.name}:
        return None
    condition = attacked.condition
    if condition is None and attacked.is_raw(one) and not other.kind:
        condition = attacked.rule.condition
    said = None if condition is None else with_field(condition, one, other)
    if said is None or attacked.rule.form != "permit":
        return said and (said if other.type.kind in _LISTS else given(attacked, other, said))
    some: Tree = ("is none", ("attr", CALL, other.name))
    return negated(joined("or", [some, said]) if other.type.optional else said)


def _is_given(other: CallField) -> Tree | None:
    """That a call has a field at all; None where it always has."""
    value: Tree = ("attr", CALL, other.name)
    if other.type.kind in _LISTS:
        return ("!=", ("call", "len", value), ("lit", "int", 0))
    return ("is some", value) if other.type.optional else None


def _same_kind(one: CallField, other: CallField) -> bool:
    return one.kind == other.kind


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
    if open_[0] != "or":
        return
    parts = list(open_[1:])
    subjects = [_subject(part) for part in parts]
    if len(set(subjects)) != len(parts) or not all(subjects):
        return
    if any(
        part[0] == "and" and any(one[0] == "is some" for one in part[1:] if is_tree(one)) for part in parts
    ):
        return  # a value that is given and fits is one condition, which the rule demands in the other's case
    both = joined("and", parts)
    said = both if rule.form == "permit" else opposite(both)
    effect = Effect({rule.name: rule.with_condition(said)})
    turned, harmless = _turned(attacked, effect)
    tries = [Try((one,), "one of two conditions is enough") for one in turned]
    yield Attempt(
        "either of two conditions", tries, lambda: [effect], harmless=() if harmless is None else (harmless,)
    )


def _turned(attacked: Attacked, effect: Effect) -> tuple[Sequence[TriedCall], TriedCall | None]:
    """The calls that pass now, and would not if both conditions had to hold; one that passes then too."""
    calls = [one for one in _candidates(attacked) if attacked.passes(one)]
    said = said_of_runs(attacked.book, effect, [(one,) for one in calls]) if calls else ()
    turned: list[TriedCall] = []
    harmless: TriedCall | None = None
    for one, ((lets_through, permits),) in zip(calls, said, strict=False):
        if not (permits if attacked.rule.form == "permit" else lets_through):
            turned.append(one)
        elif harmless is None and attacked.may_pass(one):
            harmless = one
    return turned, harmless


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


def opposite(tree: Tree) -> Tree:
    """What holds where a condition does not, with "not" before single conditions alone."""
    match tree:
        case ("not", inner):
            return inner
        case ("and" | "or" as word, *parts):
            return joined("or" if word == "and" else "and", [*map(opposite, parts)])
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
