"""What is wrong with settings: rules that never match, or decide nothing, and calls that slip through.

A call slips through if it does what a rule is to stop, and the client, by its own matching, does not stop
it. The ways are a table, searched for each rule; ``tests/settings/test_slips.py`` runs every way in the
oracle's sandbox and compares its effect with that of the plain call.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.runs.kinds.shell.program_tables import TABLES, ProgramTable
from workbench.serialization.json_form import json_form
from workbench.settings.conditions import implies
from workbench.settings.rules import (
    SHELL,
    ArgumentCondition,
    CommandPattern,
    Effect,
    HostPattern,
    PathPattern,
    Pattern,
    Settings,
    SettingsRule,
)

FOLDER = "/repo"


class FindingKind(StrEnum):
    """What is wrong with a rule."""

    NEVER = "never-matches"
    USELESS = "useless"
    SLIPS = "slips-through"


@dataclass(frozen=True, slots=True)
class Slip:
    """A command that slips through: what the client decides (``client``: its default), and by which rule."""

    command: str
    way: str
    decision: str
    by: str = ""


json_form(Slip)


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a rule, by its number, with commands that show it: those that run unasked first."""

    kind: FindingKind
    rule: int
    text: str
    slips: tuple[Slip, ...] = ()


json_form(Finding)


# {c} is the command, {p} its program, {a} its other words, {q} the command quoted.
COMMAND_WAYS: tuple[tuple[str, str], ...] = (
    ("a path in place of the name", "/usr/bin/{c}"),
    ("a launcher", "env {c}"),
    ("a launcher", "nice {c}"),
    ("a launcher", "timeout 5 {c}"),
    ("a launcher", "command {c}"),
    ("a variable before it", "FOO=1 {c}"),
    ("quotes", '"{p}"{a}'),
    ("a backslash", "\\{c}"),
    ("a shell of its own", "sh -c {q}"),
    ("a shell of its own", "bash -lc {q}"),
    ("a shell of its own", "bash <<< {q}"),
    ("eval", "eval {q}"),
    ("a subshell", "({c})"),
    ("a group", "{{ {c}; }}"),
    ("a substitution", "echo $({c})"),
    ("a condition", "if true; then {c}; fi"),
    ("a program that starts others", "find . -maxdepth 0 -exec {c} \\;"),
    ("a program that starts others", "echo | xargs -n1 {c}"),
)
# Other commands with the effect of one that begins with these words; {a} is what follows them.
EQUAL_COMMANDS: dict[tuple[str, ...], tuple[tuple[str, str], ...]] = {
    ("rm",): (("another program", "find {o} -delete"), ("another program", "unlink {o}")),
    ("touch",): (("another program", ": >> {o}"),),
    ("curl",): (("another program", "wget -qO- {o}"),),
    ("wget",): (("another program", "curl -s {o}"),),
}
OF_GIT = ("git -C . {a}", "git --no-pager {a}", "git -c core.pager=cat {a}")
READ_WAYS = (
    "cat {f}", "tac {f}", "cp {f} copy", "cat < {f}", "cat {g}", "git diff --no-index /dev/null {f}",
    "python3 -c \"print(open('{f}').read())\"", "grep -r '' .",
)  # fmt: skip
WRITE_WAYS = ("tee {f} < /dev/null", "cp /dev/null {f}", "echo x > {f}", "python3 -c \"open('{f}', 'w')\"")
FETCH_WAYS = ("curl -s https://{h}/", "wget -qO- https://{h}/")
_OPERANDS = {"rm": "f", "touch": "f", "curl": "https://example.org/", "wget": "https://example.org/"}


def findings(settings: Settings) -> Sequence[Finding]:
    """What is wrong with the settings, rule by rule."""
    return tuple(_findings(settings))


def _findings(settings: Settings) -> Iterator[Finding]:
    for number, rule in enumerate(settings.rules, 1):
        if rule.dead:
            yield Finding(FindingKind.NEVER, number, f"{rule.text} never matches: {rule.dead}")
        elif (other := _made_useless_by(settings.rules, rule)) is not None:
            wins = "says the same" if other.effect is rule.effect else "outweighs it"
            yield Finding(
                FindingKind.USELESS,
                number,
                f"{rule.text} decides nothing: {other.text} ({other.place}) {wins}",
            )
        if rule.effect is Effect.DENY and (slips := slips_of(settings, rule)):
            free = sum(slip.decision == "allow" for slip in slips)
            unasked = (
                f", {free} of them without a question" if free else ", though the client asks its person"
            )
            text = f"{rule.text} does not stop {len(slips)} ways to do the same{unasked}"
            yield Finding(
                FindingKind.SLIPS,
                number,
                text,
                tuple(sorted(slips, key=lambda one: one.decision != "allow")),
            )


def _made_useless_by(rules: Sequence[SettingsRule], rule: SettingsRule) -> SettingsRule | None:
    """The rule that decides all calls of a rule: it outweighs it, or says the same before it or of more.

    None is known to do so of a rule whose tools are not known, such as those of MCP.
    """
    if not rule.tools:
        return None
    own = next(place for place, other in enumerate(rules) if other is rule)
    for place, other in enumerate(rules):
        alike = other.rank == rule.rank and other.effect is rule.effect
        first = place < own or (place > own and not covers(rule.pattern, other.pattern))
        wins = (other.rank > rule.rank or (alike and first)) and not other.dead
        if wins and set(rule.tools) <= set(other.tools) and covers(other.pattern, rule.pattern):
            return other
    return None


def covers(wide: Pattern | None, narrow: Pattern | None) -> bool:
    """Whether each call of the one pattern is surely one of the other."""
    if wide is None or narrow is None:
        return wide is None
    match wide, narrow:
        case CommandPattern(), CommandPattern():
            if wide.regex == narrow.regex:
                return True
            if narrow.exact:
                return wide.matches(" ".join(narrow.words[0])) if narrow.words else False
            return (
                bool(narrow.words)
                and not wide.exact
                and all(any(_begins(own, other) for own in wide.words) for other in narrow.words)
            )
        case PathPattern(), PathPattern():
            if wide == narrow:
                return True
            above = wide.glob.removesuffix("/**")
            literal = not {"*", "?"} & set(above) and not wide.floats and not narrow.floats
            return literal and wide.base == narrow.base and narrow.glob.startswith(f"{above}/")
        case ArgumentCondition(), ArgumentCondition():
            return implies(narrow, wide)
        case HostPattern(), HostPattern():
            return wide == narrow or (wide.below and narrow.host.endswith(f".{wide.host}"))
        case _:
            return wide == narrow


def _begins(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    *words, last = wide
    same = list(narrow[: len(words)]) == words and len(narrow) > len(words)
    if not last.endswith("*"):
        return same and narrow[len(words)] == last
    return same and narrow[len(words)].startswith(last[:-1])


def slips_of(settings: Settings, rule: SettingsRule) -> Sequence[Slip]:
    """The commands that do what a denying rule is to stop, and that the client does not stop."""
    slips: list[Slip] = []
    for command, way in {command: way for way, command in _ways(rule)}.items():
        effect, by = settings.decide(SHELL, command, FOLDER)
        if effect is not Effect.DENY:
            slips.append(Slip(command, way, decision_word(effect), "" if by is None else by.text))
    return slips


def decision_word(effect: Effect | None) -> str:
    """A decision in a word; without a rule the client's own default counts."""
    return "client" if effect is None else effect.name.lower()


def command_samples(settings: Settings) -> Iterator[str]:
    """Commands that the rules are about: as they are written, with more, and in every other way."""
    for rule in settings.rules:
        if isinstance(rule.pattern, CommandPattern) and rule.pattern.words:
            words = [word.removesuffix("*") for word in rule.pattern.words[0]]
            yield from (" ".join(words), " ".join([*words, "x"]), " ".join(words[:1]))
            for option in _table_of(words[0], words[1:]).options if words else ():
                yield " ".join([words[0], option, *words[1:]])
                yield " ".join([*words, option, "x"])
        yield from (command for _, command in _ways(rule))


def _ways(rule: SettingsRule) -> Iterator[tuple[str, str]]:
    match rule.pattern:
        case CommandPattern(words=words) if words:
            yield from command_ways(words[0])
        case PathPattern():
            file = _sample_file(rule.pattern)
            ways = READ_WAYS if "Read" in rule.tools else WRITE_WAYS if "Edit" in rule.tools else ()
            for way in ways if file else ():
                folder, slash, name = file.rpartition("/")
                glob = f"{folder}{slash}{name[:2]}*"
                if "{g}" not in way or not name.startswith("-"):
                    yield "another program", way.format(f=file, g=glob)
        case HostPattern():
            host = f"a.{rule.pattern.host}" if rule.pattern.below else rule.pattern.host
            yield from (("another program", way.format(h=host)) for way in FETCH_WAYS)
        case _:
            return


def command_ways(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Other ways to run a command that begins with these words."""
    program, *rest = [word.removesuffix("*") for word in words]
    if not re.fullmatch(r"[\w.+-]+", program):
        return
    operand = _OPERANDS.get(program, "")
    arguments = [
        *rest,
        *([operand] if operand and not [word for word in rest if not word.startswith("-")] else []),
    ]
    after = "".join(f" {word}" for word in arguments)
    command = program + after
    for name, way in COMMAND_WAYS:
        if "'" not in command or "{q}" not in way:
            yield name, way.format(c=command, p=program, a=after, q=shlex.quote(command))
    for begin, ways in EQUAL_COMMANDS.items():
        if begin == (program,) and not rest:
            yield from ((name, way.format(o=operand, a=after.strip())) for name, way in ways)
    if program == "git" and rest and not rest[0].startswith("-"):
        yield from (("an option before the command", way.format(a=after.strip())) for way in OF_GIT)
    yield from (("the options in another order", line) for line in _reordered(program, arguments))
    yield from (("another name of an option", line) for line in _renamed(program, arguments))


def _reordered(program: str, arguments: Sequence[str]) -> Iterator[str]:
    """The command with its options after the operands, and a cluster (-rf) the other way around and apart."""
    options = [word for word in arguments if word.startswith("-")]
    operands = [word for word in arguments if not word.startswith("-")]
    if options and operands and list(arguments) != [*operands, *options]:
        yield " ".join([program, *operands, *options])
    for option in options:
        if re.fullmatch(r"-[A-Za-z]{2,4}", option):
            apart = " ".join(f"-{letter}" for letter in option[1:])
            for other in (f"-{option[:0:-1]}", apart):
                if other != option:
                    yield " ".join([program, *(other if word == option else word for word in arguments)])


def _table_of(program: str, arguments: Sequence[str]) -> ProgramTable:
    """The table of a program or of its sub-command; an empty one of a program that has none."""
    empty = ProgramTable(program, frozenset(), {}, frozenset())
    return TABLES.get(" ".join([program, *arguments[:1]])) or TABLES.get(program) or empty


def _renamed(program: str, arguments: Sequence[str]) -> Iterator[str]:
    """The command with each option by its other names, and shortened where the program takes it so."""
    table = _table_of(program, arguments)
    for place, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        option = table.options.get(name)
        shorter = [name[:-1]] if option is not None and table.option(name[:-1]) is option else []
        for other in (*(option.names if option is not None else ()), *shorter):
            if other == name:
                continue
            glued = f"{other}{equals}{value}" if other.startswith("--") else f"{other}{value}"
            yield " ".join([program, *arguments[:place], glued, *arguments[place + 1 :]])


def _sample_file(pattern: PathPattern) -> str:
    """A file that a pattern matches, relative where it is below the folder; none where no sample is found."""
    glob = pattern.glob.removeprefix("**/")
    name = re.sub(r"\*\*/", "", glob).replace("**", "x").replace("*", "x").replace("?", "x")
    path = f"{(pattern.base or FOLDER).rstrip('/')}/{name}"
    shown = path.removeprefix(f"{FOLDER}/")
    return shown if pattern.matches(path, FOLDER) and re.fullmatch(r"[\w./~+@-]+", shown) else ""
