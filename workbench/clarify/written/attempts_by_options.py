"""Attempts with an option, or a mode of a file, that a rule closes as it is written, and others mean, too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from workbench.clarify.written.asked import Effect
from workbench.clarify.written.attacked import Attacked
from workbench.clarify.written.attempts import Attempt, saying
from workbench.clarify.written.attempts_at_texts import (
    among,
    closed_besides,
    declaring,
    is_typed,
    part,
    text,
    tries_with,
)
from workbench.clarify.written.book import places, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import TRUE, Tree, joined
from workbench.runs.kinds.shell.program_tables import TABLES, Flag, ProgramTable

_OPTION = re.compile(r"(--?[A-Za-z][\w-]*)(?:=(\S+))?")
_MODE = re.compile(r"0*([0-7]{3})")
_RIGHTS = ("", "x", "w", "wx", "r", "rx", "rw", "rwx")
_MOST_TEXTS = 40
_ANY_PROGRAM = "run"
_PROGRAM: Tree = ("name", "p")


@dataclass(frozen=True, slots=True)
class _Written:
    """What a rule closes as it is written: a program with its call, and options with their values."""

    program: str
    options: Mapping[str, str]
    text: str

    @property
    def table(self) -> ProgramTable | None:
        """What is known of the program."""
        return TABLES.get(self.program)


def attempts_by_options(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Yield the attempts with other spellings of options, and of the mode of a file, that a rule closes."""
    for bare in islice(attacked.texts, _MOST_TEXTS):
        written = _written(attacked, bare)
        if written is None:
            continue
        stopped = f"{written.program} {written.text} x"
        if not attacked.stops_having(one, stopped) or attacked.stops(
            attacked.having(one, f"{written.program} x")
        ):
            continue
        texts = [f"{written.program} {each} x" for each in _spelled(written)]
        tries = tries_with(attacked, one, texts, f"it means the same as “{written.text}”")
        rewritings = partial(_closed, attacked, one, written)
        advice = declaring(attacked, one, "command") if written.table is not None else ""
        yield Attempt("other option", tries, rewritings, advice, about=bare)
        break
    yield from _other_modes(attacked, one)


def _written(attacked: Attacked, bare: str) -> _Written | None:
    """What the text of a rule says of options, with the program of which it, or another text, speaks."""
    words = bare.split()
    at = next((number for number, word in enumerate(words) if _OPTION.fullmatch(word)), None)
    if at is None:
        return None
    options: dict[str, str] = {}
    for number, word in enumerate(words[at:], at):
        found = _OPTION.fullmatch(word)
        if found is not None:
            after = words[number + 1] if number + 1 < len(words) else ""
            options[found[1]] = found[2] or ("" if after.startswith("-") else after)
    return _Written(_program(attacked, words[:at], next(iter(options))), options, " ".join(words[at:]))


def _program(attacked: Attacked, words: Sequence[str], option: str) -> str:
    """The call of a program that some words begin, that other texts of a rule name, or that has an option."""
    if words:
        known = " ".join(words)
        whole = [name for name in TABLES if name == known or name.endswith(f" {known}")]
        return whole[0] if known not in TABLES and whole else known
    named = [each for each in attacked.texts if re.fullmatch(r"[a-z][\w.-]*", each)]
    calls = (f"{first} {second}" for first in named for second in named)
    programs = [each for each in (*calls, *named) if each in TABLES]
    having = (name for name, table in TABLES.items() if option in table.options)
    return programs[0] if programs else next(having, _ANY_PROGRAM)


def _spelled(written: _Written) -> Iterator[str]:
    """Yield other spellings of options: by another name, apart or together, and with a value otherwise."""
    ways = [[*dict.fromkeys(_ways(written.table, name, value))] for name, value in written.options.items()]
    plain = [next((way for way in every if f" {way} " in f" {written.text} "), every[0]) for every in ways]
    for number, every in enumerate(ways):
        for other in every:
            if other != plain[number]:
                yield " ".join((*plain[:number], other, *plain[number + 1 :]))


def _ways(table: ProgramTable | None, name: str, value: str) -> Iterator[str]:
    """Yield the spellings of one option, the first as a rule has it."""
    known = None if table is None else table.option(name)
    letters = name[1:] if table is not None and known is None and re.fullmatch(r"-[A-Za-z]{2,}", name) else ""
    yield from _valued(name, value)
    if table is not None and letters and all(f"-{each}" in table.options for each in letters):
        yield from (f"-{letters[::-1]}", " ".join(f"-{each}" for each in letters))
        others = [table.options[f"-{each}"].names for each in letters]
        yield " ".join(each[-1] for each in others)
    for other in () if known is None else known.names:
        yield from _valued(other, value)
    if table is not None and Flag.ABBREVIATES in table.flags and name.startswith("--"):
        short = name[:-1]
        yield from [short] * (short not in table.options and table.option(short) is known is not None)


def _valued(name: str, value: str) -> Sequence[str]:
    if not value:
        return [name]
    return (
        [f"{name} {value}", f"{name}={value}"]
        if name.startswith("--")
        else [f"{name} {value}", f"{name}{value}"]
    )


def _closed(attacked: Attacked, one: CallField, written: _Written) -> Sequence[Effect]:
    """The rule by the options that a program gets, whatever they are called; else by the texts of them."""
    program = _PROGRAM
    if not is_typed(one):
        value = attacked.value_of(one)
        named = "" if written.program == _ANY_PROGRAM else written.program
        words = [("in", text(each), value) for each in named.split()]
        spelled = [("in", text(each), value) for each in _spelled(written)]
        return closed_besides(attacked, one, joined("and", [*words, joined("or", spelled)]))
    letters = [*_letters(written)]
    held: list[Tree] = [("in", text(each), ("attr", program, "options")) for each in letters]
    held += [
        ("in", text(each), ("attr", program, "words")) for each in filter(None, written.options.values())
    ]
    name, _, call = written.program.partition(" ")
    named = [
        among(("attr", program, "name"), [name]),
        *[among(("attr", program, "first"), [call])] * bool(call),
    ]
    some: Tree = ("gen", program, joined("and", [*named, *held]), part(attacked, one, "started"), TRUE)
    return [
        *_by_options(attacked, one, written, letters),
        *closed_besides(attacked, one, ("call", "any", some)),
    ]


def _letters(written: _Written) -> Iterator[str]:
    """Yield the options that are meant, each letter of several in one."""
    for name in written.options:
        is_known = written.table is not None and written.table.option(name) is not None
        yield from [name] if is_known or name.startswith("--") else [f"-{each}" for each in name[1:]]


def _by_options(
    attacked: Attacked, one: CallField, written: _Written, letters: Sequence[str]
) -> Iterator[Effect]:
    """The rule that looks at the options of a program where it looked for their text among its words."""
    for place, every in places(attacked.rule.condition):
        if every[0] != "gen" or every[3] != part(attacked, one, "started"):
            continue
        options = ("attr", every[1], "options")
        said: Tree = joined("and", [("in", text(each), options) for each in letters])
        for inner, atom in places(every[2]):
            if atom == ("in", text(written.text), ("attr", every[1], "words")):
                condition = replaced(attacked.rule.condition, (*place, 2, *inner), said)
                yield saying(attacked.rule, condition)


# --- modes of files


def _other_modes(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Other ways to write the mode of a file that a rule closes."""
    for bare in attacked.texts:
        found = _MODE.fullmatch((bare.split() or [""])[-1])
        if found is None or not attacked.stops_having(one, f"chmod {found[1]} x"):
            continue
        if attacked.stops_having(one, "chmod 600 x"):
            continue
        modes = [*_modes(found[1])]
        tries = tries_with(
            attacked, one, [f"chmod {each} x" for each in modes], f"it is the mode {found[1]}, too"
        )
        rewritings = partial(_no_modes, attacked, one, modes)
        yield Attempt("other option", tries, rewritings, declaring(attacked, one, "command"), about="mode")
        return


def _modes(octal: str) -> Iterator[str]:
    """Yield other ways to give a file all rights of a mode."""
    yield from (f"{sign}{octal}" for sign in ("0", "00", "1", "2", "4"))
    users = [f"{who}={_RIGHTS[int(digit)]}" for who, digit in zip("ugo", octal, strict=True)]
    if len({*octal}) == 1:
        rights = _RIGHTS[int(octal[0])]
        yield from (f"{who}{sign}{rights}" for who in ("a", "ugo") for sign in "=+")
    yield ",".join(users)
    yield ",".join(each.replace("=", "+") for each in users if not each.endswith("="))


def _no_modes(attacked: Attacked, one: CallField, modes: Sequence[str]) -> Sequence[Effect]:
    if not is_typed(one):
        value = attacked.value_of(one)
        said = joined(
            "and",
            [
                ("in", text("chmod"), value),
                joined("or", [("in", text(f" {each} "), value) for each in modes]),
            ],
        )
        return closed_besides(attacked, one, said)
    word: Tree = ("name", "w")
    some: Tree = ("call", "any", ("gen", word, among(word, modes), ("attr", _PROGRAM, "words"), TRUE))
    said = joined("and", [among(("attr", _PROGRAM, "name"), ["chmod"]), some])
    every: Tree = ("call", "any", ("gen", _PROGRAM, said, part(attacked, one, "started"), TRUE))
    return closed_besides(attacked, one, every)
