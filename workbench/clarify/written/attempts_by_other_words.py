"""Attempts with other words of a command that come to the same, and with files that carry its effect.

The commands are those of ``commands_alike.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.clarify.written.acts_of_tools import COPYING, MOVING, TO, WRITING, words_of_acts
from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import EVIL_HOST, Attacked, fields_spoken_of, words_of
from workbench.clarify.written.attempts import Attempt, Try, saying
from workbench.clarify.written.attempts_at_texts import (
    among,
    closed_besides,
    declaring,
    given,
    is_typed,
    part,
    text,
)
from workbench.clarify.written.book import at, places, replaced
from workbench.clarify.written.said_of_another_tool import usual_call
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree, joined
from workbench.runs.kinds.shell.program_tables import TABLES
from workbench.runs.values.data_file import read_data

_MARKED = re.compile(r"<([^<>]+)>")
_VALUES = {"url": f"https://{EVIL_HOST}/x", "host": EVIL_HOST, "file": "notes.txt"}
_PROGRAM: Tree = ("name", "p")
_FILE: Tree = ("name", "f")
_WORD: Tree = ("name", "w")


@dataclass(frozen=True, slots=True)
class _Command:
    """A command with the words by which it has an effect: its program, options and words, and a folder."""

    text: str
    program: str
    options: Sequence[str]
    words: Sequence[str]
    begins: Sequence[str]
    """How a word of it begins."""
    folder: str
    """The folder in which it writes; empty if it has the effect by its words."""
    does_more: bool
    """Whether it has another effect besides, so that who closes it means that one."""

    @property
    def name(self) -> str:
        """What it is called: the program, or all of it if that has the effect by some words only."""
        return f"“{self.text}”" if self.options or self.words or self.begins else self.program


def _command(row: str) -> _Command:
    filled = row.removeprefix("+").format_map(_VALUES)
    marks = [(found[1], filled[found.end() : found.end() + 1].strip()) for found in _MARKED.finditer(filled)]
    folder = next((one for one, _ in marks if "://" not in one and ("/" in one or one[0] == ".")), "")
    begins = [one for one, after in marks if one != folder and after and not one.startswith("-")]
    whole = [one for one, _ in marks if one != folder and one not in begins]
    return _Command(
        _MARKED.sub(r"\1", filled),
        filled.split()[0],
        [one for one in whole if one.startswith("-")],
        [one for one in whole if not one.startswith("-")],
        begins,
        folder,
        row.startswith("+"),
    )


_EFFECTS = tuple(
    (
        effect.partition(".")[0],
        re.compile(row.text("said") if "said" in row.values else ""),
        _command(row.text("plain")).text,
        tuple(map(_command, row.texts("commands"))),
    )
    for effect, row in read_data(__name__, "commands_alike.toml").table("effects").tables()
)
"""What comes to the same, what sentences call it, a command that has nothing of it, and those that have."""
_PROGRAMS = frozenset(each.program for _, _, _, commands in _EFFECTS for each in commands)


def attempts_by_other_words(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Yield the attempts by other words of a command, of each effect that a rule closes some commands of."""
    told = {word for bare in attacked.texts for word in re.findall(r"[\w./:+-]+", bare)}
    spoken = {*re.findall(r"[\w-]+", attacked.sentence)}
    for does, called, plain, commands in _EFFECTS:
        named = [each for each in commands if _is_named(each, told)]
        closed = [each for each in named if attacked.stops_having(one, each.text)]
        if not closed or not called.search(attacked.sentence) or attacked.stops_having(one, plain):
            continue
        others = [
            each
            for each in commands
            if each not in closed
            and (plain.split()[0] not in spoken or each.program in spoken or each.folder)
        ]
        open_ = [each for each in others if attacked.may_pass(attacked.having(one, each.text))]
        why = f"it {does} as {closed[0].name} does"
        tries = [Try((attacked.having(one, each.text),), why) for each in open_]
        writing = [*_by_writing(attacked, open_ or others)]
        tries += [Try((call,), f"{call.tool} writes what {does.partition(' ')[0]} it") for call, _ in writing]
        rewritings = partial(_closed, attacked, one, closed, open_, [tree for _, tree in writing])
        is_known = all(each.program in TABLES for each in closed)
        advice = declaring(attacked, one, "command") if is_known else ""
        yield Attempt("other program", tries, rewritings, advice, about=does)


def _is_named(command: _Command, told: Collection[str]) -> bool:
    """Whether a rule has the words by which a command has its effect: the program, if it has no others."""
    if command.folder:
        return any(command.folder in each for each in told)
    if command.does_more or (command.program not in told and not _PROGRAMS.isdisjoint(told)):
        return False
    marks = [*command.options, *command.words, *command.begins] or [command.program]
    return all(any(name in told for name in _names_of(command.program, each)) for each in marks)


def _names_of(program: str, word: str) -> Sequence[str]:
    """The names of an option of a program; a word as it is."""
    option = TABLES[program].option(word) if program in TABLES else None
    return (word,) if option is None else option.names


# --- what stops them


def _closed(
    attacked: Attacked,
    one: CallField,
    closed: Sequence[_Command],
    others: Sequence[_Command],
    beside: Sequence[Tree],
) -> Sequence[Effect]:
    """The rule that also stops other commands: where it names one of the closed ones, or besides all."""
    said = _said(attacked, one, others) if is_typed(one) else _said_of_text(attacked, one, others)
    if said is None:
        return [Effect(new=tuple((attacked.rule.name, tree) for tree in beside))] if beside else []
    rule, new = attacked.rule, tuple((attacked.rule.name, tree) for tree in beside)
    whole = closed_besides(attacked, one, said)
    if rule.form != "permit":
        programs = {each.program for each in closed}
        told = (place for place, atom in places(rule.condition) if _names_one(attacked, one, atom, programs))
        conditions = (
            replaced(rule.condition, place, joined("or", [at(rule.condition, place), said]))
            for place in [*told][:1]
        )
        whole[:0] = [saying(rule, each) for each in conditions]
    return [Effect(each.said, new=new) for each in whole]


def _names_one(attacked: Attacked, one: CallField, atom: Tree, programs: Iterable[str]) -> bool:
    """Whether a condition is about one of some programs of a command, and nothing else."""
    parts = [part(attacked, one, name) for name in ("started", "programs", "calls", "flags")]
    if atom[0] == "call" and atom[1] == "any" and atom[2][0] == "gen" and atom[2][3] in parts:
        texts = [each[2] for _, each in places(atom[2]) if each[:2] == ("lit", "text")]
    elif atom[0] == "in" and atom[2] in parts and atom[1][:2] == ("lit", "text"):
        texts = [atom[1][2]]
    else:
        return False
    return any(str(each).split()[:1] == [program] for each in texts for program in programs)


def _said(attacked: Attacked, one: CallField, commands: Sequence[_Command]) -> Tree | None:
    """That a command is one of some, by the programs that it starts and the files that it writes."""
    by_program: dict[str, list[Tree]] = {}
    for each in commands:
        if not each.folder:
            by_program.setdefault(each.program, []).append(_marks(each))
    plain = [program for program, marks in by_program.items() if TRUE in marks]
    tests = [among(("attr", _PROGRAM, "name"), plain)] if plain else []
    tests += [
        joined("and", [among(("attr", _PROGRAM, "name"), [program]), joined("or", [*dict.fromkeys(marks)])])
        for program, marks in by_program.items()
        if TRUE not in marks
    ]
    folders = [*dict.fromkeys(each.folder for each in commands if each.folder)]
    said = [(tests, _PROGRAM, "started"), ([_lies(_FILE, each) for each in folders], _FILE, "writes")]
    every: list[Tree] = [
        ("call", "any", ("gen", element, joined("or", conditions), part(attacked, one, name), TRUE))
        for conditions, element, name in said
        if conditions
    ]
    return joined("or", every) if every else None


def _marks(command: _Command) -> Tree:
    """That a program has the words by which a command has its effect; always, if it has it in any case."""
    options, words = (("attr", _PROGRAM, name) for name in ("options", "words"))
    tests: list[Tree] = [("in", text(each), options) for each in command.options]
    tests += [("in", text(each), words) for each in command.words]
    tests += [
        ("call", "any", ("gen", _WORD, ("method", _WORD, "startswith", text(each)), words, TRUE))
        for each in command.begins
    ]
    return joined("and", tests) if tests else TRUE


def _lies(path: Tree, folder: str) -> Tree:
    """That a path is one, or lies in one; of a relative one wherever that is."""
    if folder.startswith("/"):
        return ("in", text(folder), ("attr", path, "inside"))
    return joined("and", [("in", text(each), ("attr", path, "names")) for each in folder.split("/")])


def _said_of_text(attacked: Attacked, one: CallField, commands: Sequence[_Command]) -> Tree | None:
    """That a command is one of some, by words of its text."""
    value = attacked.value_of(one)
    tests = [joined("and", [("in", text(word), value) for word in _told_words(each)]) for each in commands]
    return joined("or", [*dict.fromkeys(tests)]) if tests else None


def _told_words(command: _Command) -> Sequence[str]:
    if command.folder:
        return [command.folder]
    return [
        *dict.fromkeys(
            (command.program, *(f" {each}" for each in (*command.options, *command.words, *command.begins)))
        )
    ]


# --- other tools that write such files


def _by_writing(attacked: Attacked, commands: Sequence[_Command]) -> Iterator[tuple[TriedCall, Tree]]:
    """Yield the calls of other tools that write a file which has the effect, each with what stops them."""
    folders = [*dict.fromkeys(each.folder for each in commands if each.folder)]
    if not folders or attacked.rule.form == "permit":
        return
    spoken = fields_spoken_of(attacked)
    for name, other in attacked.book.language.types.calls.items():
        field = _written(attacked, other)
        if name in attacked.rule.classes or field is None or field.name in spoken.get(name, ()):
            continue
        words = [
            word for each in commands if each.folder for word in each.text.split() if each.folder in word
        ]
        usual = usual_call(attacked, other).arguments
        calls = (TriedCall(other.tool, {**usual, field.key: word}) for word in words)
        call = next((each for each in calls if attacked.may_pass(each)), None)
        if call is not None:
            value: Tree = ("attr", CALL, field.name)
            lies = [_lies(value, each) if field.kind else ("in", text(each), value) for each in folders]
            yield (
                call,
                ("call", attacked.rule.form, given(attacked, field, joined("or", lies)), ("name", name)),
            )


def _written(attacked: Attacked, other: CallType) -> CallField | None:
    """The field with the path that a tool writes; None if it writes none."""
    does = words_of_acts(attacked.book, other)
    paths = [one for one in other.fields if attacked.kind_in(other, one) == "path" and not one.type.element]
    if does & WRITING:
        return next(iter(paths), None)
    ends = (one for one in paths if {*words_of(one.name)} & TO)
    return next(ends, None) if does & (COPYING | MOVING) else None
