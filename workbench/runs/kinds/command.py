"""The kind ``command``: a text of the shell, with every program that it starts, or why it hides some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, cast

from workbench.model import ArgumentType, Element, Json, Kind, RecordType, RecordValue, Value, field_of
from workbench.policy.undetermined import IncompleteRecord, Undetermined
from workbench.runs.kinds.path import PATHS, check_folded, paths_in_command
from workbench.runs.kinds.value_kind import (
    FLAG,
    TEXT,
    TEXTS,
    PartInCalls,
    Parts,
    Read,
    ValueKind,
    text_option,
)
from workbench.runs.values.described_option import DescribedOption, OptionKind
from workbench.runs.values.found_value import Incomplete, Missing

if TYPE_CHECKING:
    from workbench.runs.kinds.shell.command_words import Word
    from workbench.runs.kinds.shell.simple_commands import Folders, Simple, Started

_PROGRAM = RecordType(
    "StartedProgram",
    (
        ("program", TEXT),
        ("name", TEXT),
        ("first", TEXT),
        ("second", TEXT),
        ("words", TEXTS),
        ("options", TEXTS),
        ("paths", TEXTS),
        ("unknown", FLAG),
    ),
)
_CALLS_BY_NAME = "calls by name"
"""The part, of no policy, with the calls by the last name of each program's path."""
SHELLS = ("bash", "sh", "zsh", "fish", "powershell", "cmd")
"""The shells that a tool may have; a command for another than the first two is not read."""
# What bash reads and another shell by the name of sh reads otherwise.
_ONLY_BASH = re.compile(
    r"\$'|\$\"|\[\[|<\(|>\(|<<<|&>|\|&|\{[^}\s]*(,|\.\.)|\(\(|\+=|\bfunction\b|\bsource\b"
)
_OPTIONS = (
    DescribedOption("folder", OptionKind.TEXT, "the folder that the command is run in, such as /repo"),
    DescribedOption("home", OptionKind.TEXT, "the user's own folder, which ~ means"),
    DescribedOption(
        "shell", OptionKind.TEXT, "the shell that reads it; another than bash and sh is not followed", SHELLS
    ),
    DescribedOption("ignore_case", OptionKind.FLAG, "whether case tells no files apart", default=False),
    DescribedOption("windows", OptionKind.FLAG, "whether paths are those of Windows", default=False),
)


def _prepare(options: Mapping[str, Json]) -> Read:
    folder, home = text_option(options, "folder"), text_option(options, "home").rstrip("/")
    shell = text_option(options, "shell") or "bash"
    ignores_case, windows = options["ignore_case"] is True, options["windows"] is True

    def read(text: str) -> Parts:
        from workbench.runs.kinds.shell.shell_statements import read_text
        from workbench.runs.kinds.shell.shell_tree import NotRead
        from workbench.runs.kinds.shell.simple_commands import Started

        if shell not in ("bash", "sh"):
            raise Missing(f"the command is not followed: it is read by {shell}")
        if shell == "sh" and (only_bash := _ONLY_BASH.search(text)):
            raise Missing(f"the command is not followed: a shell may read {only_bash[0]} otherwise than bash")
        if ignores_case:
            check_folded(text)
        started = Started(frozenset({folder}))
        try:
            read_text(text, started)
        except NotRead as error:
            raise Missing(f"the command is not followed: {error}") from None
        if windows:
            started.hide("paths of Windows are not followed in a command", only_files=True)
        if ignores_case and any(command.program != command.program.lower() for command in started.commands):
            started.hide("a program is named in capitals, where case tells no files apart")
        return _parts(started, home, ignores_case=ignores_case)

    return read


def _parts(started: Started, home: str, *, ignores_case: bool) -> Parts:
    from workbench.runs.kinds.shell.named_paths import hosts_of, leads_through_a_process
    from workbench.runs.kinds.shell.programs import NETWORK

    fold = str.lower if ignores_case else str
    programs = tuple(_program(command, home, fold) for command in started.commands)
    reads, writes = (
        frozenset(map(fold, _files(redirects, home, started)))
        for redirects in (started.reads, started.writes)
    )
    hosts = [hosts_of(command.words, _name(command) in NETWORK) for command in started.commands]
    paths = [cast("frozenset[str]", field_of(program, "paths")) for program in programs]
    every = frozenset[str]().union(reads, writes, *paths)
    if any(map(leads_through_a_process, every)):
        started.hide("a path leads through a link of a process", only_files=True)
    parts: dict[str, Value | Missing] = {
        "opaque": bool(started.hidden),
        "why": "; ".join(started.hidden),
        "started": programs,
        "programs": frozenset(_at_home(command.program, home) for command in started.commands),
        "calls": frozenset(_call(program, cast("str", field_of(program, "program"))) for program in programs),
        _CALLS_BY_NAME: frozenset(map(_call_by_name, programs)),
        "flags": frozenset(
            f"{field_of(program, 'program')} {option}"
            for program in programs
            for option in cast("frozenset[str]", field_of(program, "options"))
        ),
        "unknown": frozenset(
            cast("str", field_of(program, "program")) for program in programs if field_of(program, "unknown")
        ),
        "reads": reads,
        "writes": writes,
        "paths": every,
        "hosts": frozenset[str]().union(*hosts),
        "variables": frozenset(started.variables),
    }
    for part, reasons in _reasons(started, parts).items():
        known = parts[part]
        if reasons and isinstance(known, frozenset | tuple):
            parts[part] = Incomplete("; ".join(reasons), cast("frozenset[str] | tuple[Element, ...]", known))
    return parts


def _reasons(started: Started, parts: Mapping[str, Value | Missing]) -> Mapping[str, list[str]]:
    """The reasons why each part may have more members than the text tells; none if it is complete."""
    hidden = [why for why, only_files in started.hidden.items() if not only_files]
    files = list(started.hidden)
    calls = cast("frozenset[str]", parts[_CALLS_BY_NAME])
    uncertain = [f"the sub-command in {call} is not certain" for call in sorted(calls) if "?" in call.split()]
    words = [_unknown_word(command) for command in started.commands if None in _texts(command)]
    paths = [
        _unknown_word(command)
        for command in started.commands
        if any(word.text is None and place not in command.texts for place, word in enumerate(command.words))
    ]
    return {
        "started": hidden,
        "programs": hidden,
        "calls": hidden + uncertain,
        "flags": hidden + words,
        "reads": files,
        "writes": files,
        "paths": files + paths + [why for command in started.commands for why in _elsewhere(command)],
        "hosts": hidden + [why for command in started.commands for why in _open_hosts(command)],
        "variables": hidden,
    }


def _texts(command: Simple) -> list[str | None]:
    return [word.text for word in command.words]


def _unknown_word(command: Simple) -> str:
    return f"a word of {_name(command)} is only known when it runs"


def _elsewhere(command: Simple) -> Iterator[str]:
    """The reason if a program names relative paths in a folder that only the run tells."""
    from workbench.runs.kinds.shell.command_words import HOME
    from workbench.runs.kinds.shell.named_paths import paths_of

    if command.folders is None and any(
        not path.startswith(("/", HOME)) for path in paths_of(command.words, command.texts, {""})
    ):
        yield f"the folder of {_name(command)} is only known when it runs"


def _open_hosts(command: Simple) -> Iterator[str]:
    """The reason if a program may name a host that is not in its words."""
    from workbench.runs.kinds.shell.named_paths import hosts_of
    from workbench.runs.kinds.shell.programs import LOCAL, NETWORK

    name = _name(command)
    if None in _texts(command) and name not in LOCAL:
        yield _unknown_word(command)
    elif name in NETWORK and not hosts_of(command.words, network=True):
        yield f"{name} names no host"


def _name(command: Simple) -> str:
    return command.program.rpartition("/")[2]


def _call_by_name(program: RecordValue) -> str:
    """As ``_call``, by the last name of the program's path; without a sub-command if no word can be one."""
    name = cast("str", field_of(program, "name"))
    words = cast("frozenset[str]", field_of(program, "words"))
    if not field_of(program, "unknown") and all(word.startswith("-") for word in words):
        return name
    return _call(program, name)


def _call(program: RecordValue, name: str) -> str:
    """A program with its sub-command, if it has one; ``?`` if the sub-command is not certain."""
    from workbench.runs.kinds.shell.programs import PARTED, PARTED_TWICE

    first = cast("str", field_of(program, "first"))
    if name not in PARTED:
        return name
    call = f"{name} {first or '?'}"
    if call not in PARTED_TWICE:
        return call
    return f"{call} {cast('str', field_of(program, 'second'))}".rstrip()


def _program(command: Simple, home: str, fold: Callable[[str], str]) -> RecordValue:
    from workbench.runs.kinds.shell.command_words import HOME
    from workbench.runs.kinds.shell.named_paths import options_of, paths_of
    from workbench.runs.kinds.shell.started_programs import sub_command_place

    texts = [None if word.text is None else _at_home(word.text, home) for word in command.words]
    first = sub_command_place(_name(command), texts)
    named = texts[first] if first is not None else None
    after = texts[first + 1] if first is not None and first + 1 < len(texts) else None
    paths = paths_of(command.words, command.texts, command.folders or {""})
    relative = any(not path.startswith(("/", HOME)) for path in paths)
    fields: dict[str, Value] = {
        "program": _at_home(command.program, home),
        "name": _name(command),
        "first": named or "",
        "second": "?" if None in texts[(first or 0) + 1 :][:1] else after or "",
        "words": frozenset(text for text in texts if text is not None),
        "options": options_of(command.words),
        "paths": frozenset(fold(_at_home(path, home)) for path in paths),
        "unknown": None in texts or (command.folders is None and relative),
    }
    return RecordValue(_PROGRAM.name, tuple((name, fields[name]) for name, _ in _PROGRAM.fields))


def _files(redirects: list[tuple[Word, Folders]], home: str, started: Started) -> frozenset[str]:
    """The files of redirects; a file that is only known at run time is noted as hidden."""
    from workbench.runs.kinds.shell.command_words import HOME
    from workbench.runs.kinds.shell.named_paths import normal_path

    files: set[str] = set()
    for word, folders in redirects:
        paths = [] if word.text is None else [normal_path(word.text, folder) for folder in folders or {""}]
        known_paths = [path for path in paths if path is not None]
        if not known_paths or (folders is None and not known_paths[0].startswith(("/", HOME))):
            started.hide("the file of a redirect is only known when it runs")
        files.update(_at_home(path, home) for path in known_paths)
    return frozenset(files)


def _at_home(text: str, home: str) -> str:
    """A path or a word with the user's home folder in full; ``~`` if the folder is not known."""
    from workbench.runs.kinds.shell.command_words import HOME

    return text.replace(HOME, home or "~")


def _also_by_name(calls: Value) -> Value:
    """Programs, with what follows them, also by the last name of their path; without an uncertain word."""
    known = [call for call in cast("frozenset[str]", calls) if "?" not in call.split()]
    return frozenset((*known, *(_without_folder(call) for call in known)))


def _without_folder(call: str) -> str:
    program, blank, rest = call.partition(" ")
    return f"{program.rpartition('/')[2]}{blank}{rest}"


def _started_in_calls(started: Value) -> Value:
    """The started programs, each with its paths as paths; what an unknown word may change is undetermined."""
    return tuple(_program_in_calls(program) for program in cast("tuple[RecordValue, ...]", started))


def _program_in_calls(program: RecordValue) -> RecordValue:
    fields = {name: held for name, held in program.fields if name in dict(_PROGRAM_IN_CALLS.fields)}
    fields["paths"] = paths_in_command(fields["paths"])
    if not field_of(program, "unknown"):
        return RecordValue(program.type, tuple(fields.items()))
    names = frozenset({f"a word of {fields['name']} is only known when it runs"})
    lacking = {name: Undetermined(names) for name in ("first", "second")}
    for name in ("words", "options", "paths"):
        lacking[name] = Undetermined(names, frozenset(cast("frozenset[str]", fields[name])))
    known = tuple((name, held) for name, held in fields.items() if name not in lacking)
    return IncompleteRecord(program.type, known, lacking)


_PROGRAM_IN_CALLS = RecordType(
    _PROGRAM.name,
    tuple(
        (name, PATHS if name == "paths" else type_) for name, type_ in _PROGRAM.fields if name != "unknown"
    ),
)
_WORDS = "a word that only the run tells, such as $X or *.ts"
_HIDDEN = "something may run that the text does not name: eval, a pipe into a shell, python -c, docker"


COMMAND = ValueKind(
    name="command",
    meaning=(
        "a command of the shell: the programs that it starts with their words, the files and hosts "
        "that it names, and whether it hides something"
    ),
    parts=(
        ("opaque", FLAG),
        ("why", TEXT),
        ("started", ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=_PROGRAM))),
        ("programs", TEXTS),
        ("calls", TEXTS),
        ("flags", TEXTS),
        ("unknown", TEXTS),
        ("reads", TEXTS),
        ("writes", TEXTS),
        ("paths", TEXTS),
        ("hosts", TEXTS),
        ("variables", TEXTS),
    ),
    prepare=_prepare,
    options=_OPTIONS,
    needs="tree-sitter",
    incomplete={
        **dict.fromkeys(("started", "programs", "variables"), _HIDDEN),
        "calls": f"{_HIDDEN}; a sub-command that is not certain",
        "flags": f"{_HIDDEN}; {_WORDS}",
        **dict.fromkeys(("reads", "writes"), f"{_HIDDEN}; a redirect to a file that only the run tells"),
        "paths": f"{_HIDDEN}; {_WORDS}; a relative path where the folder is not known",
        "hosts": f"{_HIDDEN}; {_WORDS}, of a program that may connect; no host of a program that does",
    },
    ask=frozenset({"opaque", "why", "unknown"}),
    in_calls={
        "started": PartInCalls(
            ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=_PROGRAM_IN_CALLS)),
            _started_in_calls,
        ),
        **{name: PartInCalls(TEXTS, _also_by_name) for name in ("programs", "flags")},
        "calls": PartInCalls(TEXTS, _also_by_name, _CALLS_BY_NAME),
        **{name: PartInCalls(PATHS, paths_in_command) for name in ("reads", "writes", "paths")},
    },
)
