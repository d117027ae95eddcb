"""Attempts at tools that start a program with a list of words: by its path, or behind another one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import LISTS, Attacked, words_of
from workbench.clarify.written.attempts import Attempt, Try, offering, saying
from workbench.clarify.written.attempts_at_commands import ALIKE
from workbench.clarify.written.attempts_at_texts import among, text
from workbench.clarify.written.book import places, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import TRUE, Tree, joined
from workbench.model import Json, Kind
from workbench.runs.kinds.shell.program_tables import is_known

_WORDS = frozenset(("argv", "args", "arguments", "cmd", "command", "params"))
_WHOLE = frozenset(("argv", "cmd", "command"))
"""Words of lists that begin with the program."""
_PROGRAM = frozenset(("program", "executable", "binary", "command", "cmd", "exe"))
_LAUNCHERS = ("sh", "bash", "dash", "env", "nice", "nohup", "busybox", "timeout", "xargs", "sudo")
_FOLDERS = ("/bin", "/usr/bin")


@dataclass(frozen=True, slots=True)
class _Words:
    """The fields in which a tool gets a program with its words; one list has both without ``program``."""

    words: CallField
    program: CallField | None

    def call(self, attacked: Attacked, line: str) -> TriedCall:
        """The call that starts what a line of words says."""
        first, *rest = shlex.split(line)
        after: list[Json] = [*rest]
        held: dict[str, Json] = {self.words.key: [first, *after]}
        if self.program is not None:
            held = {self.program.key: first, self.words.key: after}
        return TriedCall(attacked.tool, {**attacked.base.arguments, **held})


def attempts_at_argv(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts at a program that a rule closes by its name, or lets through by the end of it."""
    words = _words(attacked)
    if words is None:
        return
    if words.program is not None:
        yield from _that_ends_so(attacked, words.program, words)
    if attacked.rule.form == "permit" or attacked.stops(words.call(attacked, "harmless x")):
        return
    for program in (
        each for each in attacked.texts if re.fullmatch(r"[a-z][\w.-]*", each) and is_known(each)
    ):
        others = [each for each in attacked.texts if each != program and each.strip() and " " not in each]
        lines = (f"{program} x", *(f"{program} {each} x" for each in others))
        line = next((each for each in lines if attacked.stops(words.call(attacked, each))), "")
        if not line:
            continue
        texts = [*(f"{folder}/{line}" for folder in _FOLDERS), f"env {line}", f"nice {line}"]
        texts += [f"sh -c {shlex.quote(line)}", f"busybox {line}"]
        alike: Sequence[str] = () if others else _alike(program)
        texts += [f"{each} x" for each in alike]
        tries = [
            Try((words.call(attacked, each),), f"it starts {program}, or what does the same")
            for each in texts
        ]
        rewritings = partial(_closed, attacked, words, program, alike)
        yield Attempt("hidden program", tries, rewritings, about=program)
        return


def _words(attacked: Attacked) -> _Words | None:
    """The fields of a tool that starts a program with a list of words; None for another tool."""
    fields = attacked.call_type.fields
    listed = (
        one
        for one in fields
        if one.type.kind in LISTS and one.type.element is not None and one.type.element.kind is Kind.STR
    )
    words = next((one for one in listed if _WORDS & {*words_of(one.name)}), None)
    named = (one for one in fields if one.type.kind is Kind.STR and _PROGRAM & {*words_of(one.name)})
    program = next(named, None)
    read = {one.name for one in attacked.fields_read}
    tool = attacked.book.tools[attacked.tool]
    is_whole = words is not None and (
        _WHOLE & {*words_of(words.name)} or "program" in tool.description.lower()
    )
    if (
        words is None
        or (program is None and not is_whole)
        or not {words.name, *([program.name] if program is not None else [])} & read
    ):
        return None
    return _Words(words, program)


def _alike(program: str) -> Sequence[str]:
    """The programs with the effect of one that is closed, which have it by their names alone."""
    rows = (commands for _, commands in ALIKE if program in {each.split()[0] for each in commands})
    alone = (each.split() for commands in rows for each in commands if re.fullmatch(r"\w+( \{\w+\})?", each))
    return [name for name in dict.fromkeys(first for first, *_ in alone) if name != program]


def _closed(attacked: Attacked, words: _Words, program: str, alike: Sequence[str]) -> Sequence[Effect]:
    """The rule that closes a program in any folder, behind a launcher, and others that do the same."""
    rule, said, each = attacked.rule, attacked.rule.condition, ("name", "each")
    names, value = [program, *alike], attacked.value_of(words.words)

    def is_it(word: Tree) -> Tree:
        ends = [("method", word, "endswith", text(f"/{name}")) for name in names]
        return joined("or", [among(word, names), *ends])

    def within(word: Tree) -> Tree:
        in_code = [("method", word, "startswith", text(f"{name} ")) for name in names]
        in_code += [("in", text(f" {name} "), word) for name in names]
        return joined("or", [is_it(word), *in_code])

    def some(condition: Tree) -> Tree:
        return ("call", "any", ("gen", each, condition, value, TRUE))

    launched: Sequence[Tree] = ()
    if words.program is None:
        closed, whole = ("in", text(program), value), some(within(each))
    else:
        held = attacked.value_of(words.program)
        closed, whole = ("==", held, text(program)), is_it(held)
        folders = [("method", held, "endswith", text(f"/{name}")) for name in _LAUNCHERS]
        launched = [joined("and", [joined("or", [among(held, _LAUNCHERS), *folders]), some(within(each))])]
    found = [place for place, atom in places(said) if atom == closed]
    for place in found:
        said = replaced(said, place, whole)
    return [saying(rule, joined("or", [said, *launched]))] if found else []


def _that_ends_so(attacked: Attacked, one: CallField, words: _Words) -> Iterator[Attempt]:
    """Another program, or one elsewhere, whose name ends as that of one which a rule lets through."""
    value = attacked.value_of(one)
    for place, atom in [*places(attacked.rule.condition)]:
        if atom[:3] != ("method", value, "endswith") or atom[3][:2] != ("lit", "text"):
            continue
        name = str(atom[3][2]).rpartition("/")[2]
        if not attacked.passes(words.call(attacked, f"/usr/bin/{name} x")) or attacked.passes(
            words.call(attacked, "other x")
        ):
            continue
        texts = [f"/tmp/{name} x", *[f"not{name} x"] * attacked.passes(words.call(attacked, f"{name} x"))]
        known = [name, *(f"{folder}/{name}" for folder in _FOLDERS)]
        said = replaced(attacked.rule.condition, place, among(value, known))
        tries = [Try((words.call(attacked, each),), f"it is another program than {name}") for each in texts]
        yield Attempt("name that goes on", tries, offering(saying(attacked.rule, said)), about=name)
