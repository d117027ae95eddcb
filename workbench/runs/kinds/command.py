"""The kind ``command``: a text of the shell, with every program that it starts, or why it hides some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, cast

from workbench.model import ArgumentType, Element, Json, Kind, RecordType, RecordValue, Value, field_of
from workbench.policy.undetermined import IncompleteRecord, Undetermined
from workbench.runs.kinds.path import PATHS, check_folded, paths_in_command, pattern_in_command
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
_CALLS_BY_NAME, _REACHED, _NAMED_PATHS = "calls by name", "reached hosts", "named paths"
"""Parts of no policy, of which parts are made in policies of calls."""
_PROXY = re.compile(r"(https?|ftp|all|no|rsync|socks)_proxy", re.IGNORECASE)
"""Variables by which programs of the network reach another host than they are told."""
SHELLS = ("bash", "sh", "zsh", "fish", "powershell", "cmd")
"""The shells that a tool may have; a command for another than the first two is not read."""
UNDECLARED = "undeclared"
"""The shell of a tool that declares none: only what sh and bash read alike is read."""
# What bash reads and another shell by the name of sh reads otherwise.
_ONLY_BASH = re.compile(
    r"\$'|\$\"|\[\[|<\(|>\(|<<<|&>|\|&|\{[^}\s]*(,|\.\.)|\(\(|\+=|\bfunction\b|\bsource\b"
)
# What zsh reads as the path of a program.
_ONLY_ZSH = re.compile(r"(?<![^\s;|&(])=\w+")
_OPTIONS = (
    DescribedOption("folder", OptionKind.TEXT, "the folder that the command is run in, such as /repo"),
    DescribedOption("home", OptionKind.TEXT, "the user's own folder, which ~ means"),
    DescribedOption(
        "shell",
        OptionKind.TEXT,
        "the shell that reads it; another than bash and sh is not followed",
        (*SHELLS, UNDECLARED),
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

        if shell not in ("bash", "sh", UNDECLARED):
            raise Missing(f"the command is not followed: it is read by {shell}")
        differing = _ONLY_BASH.search(text) if shell != "bash" else None
        if shell == UNDECLARED:
            differing = differing or _ONLY_ZSH.search(text)
        if differing is not None:
            why = "; say which `shell` the tool has" if shell == UNDECLARED else ""
            raise Missing(
                f"the command is not followed: a shell may read {differing[0]} otherwise than bash{why}"
            )
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
    from workbench.runs.kinds.shell.reached_hosts import reached_hosts

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
        _CALLS_BY_NAME: frozenset(call for program in programs for call in _calls_of(program)),
        _REACHED: frozenset[str]().union(*(reached_hosts(command) for command in started.commands)),
        _NAMED_PATHS: (*paths_in_command(every), *_patterns(started)),
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
    from workbench.runs.kinds.shell.reached_hosts import open_hosts

    hidden = [why for why, only_files in started.hidden.items() if not only_files]
    files = list(started.hidden)
    calls = cast("frozenset[str]", parts[_CALLS_BY_NAME])
    uncertain = [f"the sub-command in {call} is not certain" for call in sorted(calls) if "?" in call.split()]
    words = [_unknown_word(command) for command in started.commands if any(_open_words(command))]
    paths = [
        _unknown_word(command)
        for command in started.commands
        if not all(word.pattern and command.folders is not None for word in _open_words(command))
    ]
    return {
        "started": hidden,
        "programs": hidden,
        "calls": hidden + uncertain,
        "flags": hidden + words,
        "reads": files,
        "writes": files,
        "paths": files + paths + [why for command in started.commands for why in _elsewhere(command)],
        "hosts": hidden
        + [f"the variable {name} is set" for name in sorted(started.variables) if _PROXY.fullmatch(name)]
        + [why for command in started.commands for why in open_hosts(command)],
        "variables": hidden,
    }


def _open_words(command: Simple) -> list[Word]:
    """The words that are only known at run time, without a single text that the program only keeps."""
    if len(command.texts) == len(command.words):
        return []  # further words are texts too
    return [
        word
        for place, word in enumerate(command.words)
        if word.text is None and not (place in command.texts and word.is_one)
    ]


def _unknown_word(command: Simple) -> str:
    return f"a word of {_name(command)} is only known when it runs"


def _elsewhere(command: Simple) -> Iterator[str]:
    """The reasons if a program may name files that its words do not tell, or in a folder that they do not."""
    from workbench.runs.kinds.shell.command_words import HOME
    from workbench.runs.kinds.shell.named_paths import names_files_elsewhere, paths_of

    if command.folders is None and any(
        not path.startswith(("/", HOME)) for path in paths_of(command.words, command.texts, {""})
    ):
        yield f"the folder of {_name(command)} is only known when it runs"
    if names_files_elsewhere(_name(command), command.words):
        yield f"{_name(command)} is given files by a list or by code"


def _name(command: Simple) -> str:
    return command.program.rpartition("/")[2]


def _calls_of(program: RecordValue) -> Iterator[str]:
    """As ``_call``, also by the last name of the path; without a sub-command if no word can be one."""
    words = cast("frozenset[str]", field_of(program, "words"))
    has_none = not field_of(program, "unknown") and all(word.startswith("-") for word in words)
    for field in ("program", "name"):
        name = cast("str", field_of(program, field))
        yield name if has_none else _call(program, name)


def _patterns(started: Started) -> Iterator[RecordValue]:
    """The paths of which the text has a pattern, such as ``src/*.ts``: the folder is known, no name is."""
    for command in started.commands:
        for place, word in enumerate(command.words):
            if word.pattern and place not in command.texts and command.folders is not None:
                yield from (pattern_in_command(word.pattern, folder) for folder in command.folders)


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
            started.hide("the file of a redirect is only known when it runs", only_files=True)
        files.update(_at_home(path, home) for path in known_paths)
    return frozenset(files)


def _at_home(text: str, home: str) -> str:
    """A path or a word with the user's home folder in full; ``~`` if the folder is not known."""
    from workbench.runs.kinds.shell.command_words import HOME

    return text.replace(HOME, home or "~")


def _as_they_are(part: Value) -> Value:
    return part


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
    lacking = {name: Undetermined(names) for name in ("first", "second") if fields[name] in ("", "?")}
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
        **{name: PartInCalls(PATHS, paths_in_command) for name in ("reads", "writes")},
        "paths": PartInCalls(PATHS, _as_they_are, _NAMED_PATHS),
        "hosts": PartInCalls(TEXTS, _as_they_are, _REACHED),
    },
)
