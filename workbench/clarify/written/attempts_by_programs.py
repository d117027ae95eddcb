"""Attempts with a command that does what a rule stops another tool from doing, and the other way round."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from workbench.clarify.written.acts_of_tools import (
    COPYING,
    DELETING,
    MOVING,
    READING,
    SEARCHING,
    SHARING,
    WRITING,
    words_of_acts,
)
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import Attacked, attacked_about, stopping_alike, words_of
from workbench.clarify.written.attempts_at_folders import in_folders
from workbench.clarify.written.attempts_at_texts import among, declared
from workbench.clarify.written.said_of_another_tool import Sibling, usual_call
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree, joined, with_instead
from workbench.model import Kind
from workbench.runs.kinds.command import COMMAND


def by_download(attacked: Attacked) -> Iterator[Sibling]:
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
        yield Sibling(call, f"a command of {other.tool} reaches the same host", tree, advice)


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


def by_command(attacked: Attacked, programs: _Programs) -> Iterator[Sibling]:
    """Yield the tools that run commands of which no rule speaks, with one that does the same to a path."""
    stopped, verbs = attacked.stopped, words_of_acts(attacked.book, attacked.call_type)
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
                str(each.arguments[fields[0].key]) for each in in_folders(attacked, fields[0], bad, other)
            ]
            commands = [f"{says} {shlex.quote(each)}" for each in paths]
            commands += _with_path(named, path, part)
            usual = usual_call(attacked, other)
            calls = [TriedCall(other.tool, {**usual.arguments, field.key: each}) for each in commands]
            call = next((each for each in calls if attacked.passing((each,))), calls[0])
            tree = _moved_to_command(attacked, fields[0], other, field, part)
            advice = "" if field.kind else declared(other.tool, field, "command")
            yield Sibling(call, f"a command of {other.tool} {does}", tree, advice)


def by_its_call(attacked: Attacked) -> Iterator[Sibling]:
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
        yield Sibling(call, f"a command of {other.tool} does the same", None if advice else tree, advice)


def by_its_tool(attacked: Attacked) -> Iterator[Sibling]:
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
                yield Sibling(usual_call(attacked, other), why, tree)


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
BY_COMMAND: _Programs = (
    (DELETING | MOVING, "rm", "writes", "does the same"),
    (WRITING | COPYING, "touch", "writes", "does the same"),
    (READING | SHARING | SEARCHING, "cat", "reads", "does the same"),
)
"""What tools do with a path, the program that does it too, and where a command has the paths of that."""
STRONGER_COMMAND: _Programs = (
    (READING | SHARING | SEARCHING, "rm", "writes", "does more to such a file than read it"),
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
    said = with_instead(said, attacked.value_of(one), path)
    every: Tree = ("gen", path, said, ("attr", ("attr", CALL, field.name), part), ("lit", "bool", True))
    return ("call", attacked.rule.form, ("call", "any", every), ("name", other.name))
