"""The kind ``command``: a text of the shell, with every program that it starts, or why it hides some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from workbench.model import Element, Json, RecordType, RecordValue, Value, field_of
from workbench.policy.name_patterns import Fitting, NamePattern
from workbench.policy.undetermined import Undetermined, record_of
from workbench.runs.kinds.kinds_by_name import SHELLS, UNDECLARED_SHELL
from workbench.runs.kinds.path import PATHS, check_folded, paths_in_command, pattern_in_command
from workbench.runs.kinds.shell.named_paths import (
    leads_through_a_process,
    may_lead_through_a_process,
    normal_path,
)
from workbench.runs.kinds.shell.ways import FILES, HOME, OPEN_BY_WAY, Open, Way
from workbench.runs.kinds.value_kind import (
    FLAG,
    TEXT,
    TEXTS,
    Form,
    PartInCalls,
    Parts,
    Read,
    ValueKind,
    list_of,
    record_with,
    text_option,
)
from workbench.runs.values.described_option import BadOption, DescribedOption, OptionKind
from workbench.runs.values.found_value import Incomplete, Missing

if TYPE_CHECKING:
    from workbench.runs.kinds.shell.simple_commands import NamedFile, Simple, Started

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
"""A part of no policy, of which a part is made in policies of calls."""
_STARTED_IN_CALLS = "started in calls"
CHANGE_OF_REMOTES = "change of remotes"
"""A part of no policy: the reason why remotes of git may be others afterwards; empty if they are not."""
_OF_FILES = ("reads", "writes", "runs", "trees", "paths")
_AS_PATHS = {name: f"{name} as paths" for name in _OF_FILES}
"""Parts of no policy, of which the parts of files are made in policies of calls."""
_PART_BY_WAY = {Way.READ: "reads", Way.WRITE: "writes", Way.RUN: "runs"}
_PROXY = re.compile(r"(https?|ftp|all|no|rsync|socks)_proxy", re.IGNORECASE)
"""Variables by which programs of the network reach another host than they are told."""
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
        (*SHELLS, UNDECLARED_SHELL),
    ),
    DescribedOption("remotes", OptionKind.WORDS, "remotes of git: folder of the repository: name: host"),
    DescribedOption("ignore_case", OptionKind.FLAG, "whether case tells no files apart", default=False),
    DescribedOption("windows", OptionKind.FLAG, "whether paths are those of Windows", default=False),
)


def _prepare(options: Mapping[str, Json]) -> Read:
    folder, home = text_option(options, "folder"), text_option(options, "home").rstrip("/")
    shell = text_option(options, "shell") or "bash"
    ignores_case, windows = options["ignore_case"] is True, options["windows"] is True
    remotes = _remotes(options["remotes"])

    def read(text: str) -> Parts:
        from workbench.runs.kinds.shell.shell_statements import read_text
        from workbench.runs.kinds.shell.shell_tree import NotRead
        from workbench.runs.kinds.shell.simple_commands import Started

        if shell not in ("bash", "sh", UNDECLARED_SHELL):
            raise Missing(f"the command is not followed: it is read by {shell}")
        differing = _ONLY_BASH.search(text) if shell != "bash" else None
        if shell == UNDECLARED_SHELL:
            differing = differing or _ONLY_ZSH.search(text)
        if differing is not None:
            why = "; say which `shell` the tool has" if shell == UNDECLARED_SHELL else ""
            raise Missing(
                f"the command is not followed: a shell may read {differing[0]} otherwise than bash{why}"
            )
        if ignores_case:
            check_folded(text)
        started = Started(frozenset({folder}), remotes=remotes)
        try:
            read_text(text, started)
        except NotRead as error:
            raise Missing(f"the command is not followed: {error}") from None
        if windows:
            started.hide("paths of Windows are not followed in a command", *FILES)
        if ignores_case and any(command.program != command.program.lower() for command in started.commands):
            started.hide("a program is named in capitals, where case tells no files apart")
        return _parts(started, home, ignores_case=ignores_case)

    return read


def _remotes(option: Json) -> Mapping[str, Mapping[str, str]]:
    """The declared hosts of remotes by the folder of their repository. Raises BadOption."""
    found: dict[str, dict[str, str]] = {}
    for folder, hosts in option.items() if isinstance(option, dict) else ():
        if not isinstance(hosts, dict):
            raise BadOption("remotes", f"{folder!r} needs a table of remotes and their hosts")
        found[folder] = {name: str(host).lower() for name, host in hosts.items()}
    return found


def _parts(started: Started, home: str, *, ignores_case: bool) -> Parts:
    from workbench.runs.kinds.shell.git_remotes import change_of_remotes, reaches_after

    fold = str.lower if ignores_case else str
    for command in started.commands:
        _check_variables(command, started)
    programs = tuple(_program(command, home, fold) for command in started.commands)
    files = {name: _Files() for name in _OF_FILES}
    for file in started.files:
        paths = _paths(file, home, fold, started)
        for name in _parts_of(file):
            files[name].add(paths, file, home, fold)
    if files["paths"].lead_through_a_process():
        started.hide("a path leads through a link of a process", *FILES)
    if any(map(_may_show_environment, started.files)):
        started.use("*")
    change = change_of_remotes(started)
    if change and reaches_after(change, started):
        started.hide(change, Open.HOSTS)
        started.hosts -= started.declared_hosts
    parts: dict[str, Value | Missing] = {
        CHANGE_OF_REMOTES: change,
        "opaque": any(what & {Open.PROGRAMS} for what in started.hidden.values()),
        "why": "; ".join(started.hidden),
        "started": programs,
        _STARTED_IN_CALLS: tuple(
            _program_in_calls(program, command, home, fold)
            for program, command in zip(programs, started.commands, strict=True)
        ),
        "programs": frozenset(_at_home(command.program, home) for command in started.commands),
        "calls": frozenset(
            call
            for program, command in zip(programs, started.commands, strict=True)
            for call in _calls(program, cast("str", field_of(program, "program")), command)
        ),
        _CALLS_BY_NAME: frozenset(
            call
            for program, command in zip(programs, started.commands, strict=True)
            for call in _calls_of(program, command)
        ),
        "flags": frozenset(
            f"{field_of(program, 'program')} {option}"
            for program in programs
            for option in cast("frozenset[str]", field_of(program, "options"))
        ),
        "unknown": frozenset(
            cast("str", field_of(program, "program")) for program in programs if field_of(program, "unknown")
        ),
        **{name: frozenset(found.texts) for name, found in files.items()},
        **{_AS_PATHS[name]: found.as_paths() for name, found in files.items()},
        "hosts": frozenset(started.hosts),
        "variables": frozenset(started.variables),
        "environment": frozenset(started.environment),
        "history": started.history,
    }
    for part, reasons in _reasons(started, parts).items():
        known = parts[part]
        if reasons and isinstance(known, frozenset | tuple):
            parts[part] = Incomplete("; ".join(reasons), cast("frozenset[str] | tuple[Element, ...]", known))
        elif reasons and known is not True:
            parts[part] = Missing("; ".join(reasons))
    return parts


@dataclass(slots=True)
class _Files:
    """Files of one part: those of which the path is known, and the patterns of others."""

    texts: set[str] = field(default_factory=set[str])
    patterns: dict[tuple[str, str], RecordValue] = field(default_factory=dict[tuple[str, str], RecordValue])

    def add(self, paths: Iterable[str], file: NamedFile, home: str, fold: Callable[[str], str]) -> None:
        """Take a file with its paths."""
        self.texts.update(paths)
        pattern = fold(_at_home(file.word.pattern, home))
        folders = {""} if pattern.startswith(("/", "~")) else file.folders
        for folder in map(fold, folders or ()) if pattern else ():
            self.patterns[pattern, folder] = pattern_in_command(pattern, folder)

    def lead_through_a_process(self) -> bool:
        """Whether a file is, or may be, reached by a link of a process."""
        return any(map(leads_through_a_process, self.texts)) or any(
            may_lead_through_a_process(pattern, folder) for pattern, folder in self.patterns
        )

    def as_paths(self) -> tuple[RecordValue, ...]:
        """The files as paths of a policy of calls."""
        return (*paths_in_command(frozenset(self.texts)), *self.patterns.values())


def _parts_of(file: NamedFile) -> Iterator[str]:
    """The parts of a command that have a file."""
    yield "paths"
    if file.tree:
        yield "trees"
    if file.way in _PART_BY_WAY:
        yield _PART_BY_WAY[file.way]


def _may_show_environment(file: NamedFile) -> bool:
    """Whether a file has the variables of a process, or lies above such files and all below it is opened."""
    paths = [normal_path(file.word.text or "", folder) or "" for folder in file.folders or {""}]
    return any(
        _OF_PROCESS.fullmatch(path) is not None or (file.tree and f"{path}/".startswith(("//", "/proc/")))
        for path in paths
    )


_OF_PROCESS = re.compile(r"/proc/.*\benviron")


def _check_variables(command: Simple, started: Started) -> None:
    """Note the variables that are set and that a program obeys."""
    if command.table is None:
        return
    for name in sorted(started.variables):
        if command.table.obeyed.fullmatch(name):
            started.hide(f"{_name(command)} obeys the variable {name}")


def _reasons(started: Started, parts: Mapping[str, Value | Missing]) -> Mapping[str, list[str]]:
    """The reasons why each part may have more members than the text tells; none if it is complete."""

    def why(*kinds: Open) -> list[str]:
        return [why for why, what in started.hidden.items() if what & frozenset(kinds)]

    hidden = why(Open.PROGRAMS)
    calls = cast("frozenset[str]", parts[_CALLS_BY_NAME])
    uncertain = [f"the sub-command in {call} is not certain" for call in sorted(calls) if "?" in call.split()]
    loose = [_unknown_word(command) for command in started.commands if command.loose]
    content = why(Open.READS, Open.WRITES)
    return {
        "started": hidden,
        "programs": hidden,
        "calls": hidden + uncertain,
        "flags": hidden + loose,
        "reads": why(Open.READS),
        "writes": why(Open.WRITES),
        "runs": content,
        "trees": why(Open.READS, Open.WRITES, Open.TREES),
        "history": why(Open.READS),
        "paths": why(Open.READS, Open.WRITES, Open.NAMES),
        "hosts": why(Open.HOSTS)
        + [f"the variable {name} is set" for name in sorted(started.variables) if _PROXY.fullmatch(name)],
        "variables": hidden,
        "environment": hidden + why(Open.READS),
    }


def _unknown_word(command: Simple) -> str:
    return f"a word of {_name(command)} is only known when it runs"


def _paths(
    file: NamedFile, home: str, fold: Callable[[str], str], started: Started | None = None
) -> list[str]:
    """The paths of a file; that it is only known at run time is noted as hidden."""
    text = file.word.text
    relative = not (text or file.word.pattern).startswith(("/", HOME))
    unknown = text is None and not file.word.pattern
    if started is not None and (unknown or (relative and file.folders is None)):
        started.hide("a file is only known when it runs", OPEN_BY_WAY[file.way])
    paths = [] if text is None else [normal_path(text, folder) for folder in file.folders or {""}]
    return [fold(_at_home(path, home)) for path in paths if path is not None]


def _name(command: Simple) -> str:
    return command.program.rpartition("/")[2]


def _calls_of(program: RecordValue, command: Simple) -> Iterator[str]:
    """As ``_calls``, also by the last name of the path; without a sub-command if no word can be one."""
    words = cast("frozenset[str]", field_of(program, "words"))
    has_none = not field_of(program, "unknown") and all(word.startswith("-") for word in words)
    for written in ("program", "name"):
        name = cast("str", field_of(program, written))
        yield from [name] if has_none else _calls(program, name, command)


def _calls(program: RecordValue, name: str, command: Simple) -> list[str]:
    """A program with its sub-command, if it has one, or with each of its goals or options in its place."""
    if len(command.goals) > 1:
        return [f"{name} {goal}" for goal in command.goals]
    call = _call(program, name)
    words = [word.text or "" for word in command.words[(command.sub or 0) + 1 :]]
    if not words or not words[0].startswith("-") or not call.endswith(f" {words[0]}"):
        return [call]
    within = call.removesuffix(words[0])
    return [f"{within}{word.partition('=')[0]}" for word in words if word.startswith("-")]


def _call(program: RecordValue, name: str) -> str:
    """A program with its sub-command, if it has one; ``?`` if the sub-command is not certain."""
    from workbench.runs.kinds.shell.program_tables import PARTED, PARTED_TWICE

    first = cast("str", field_of(program, "first"))
    if name not in PARTED:
        return name
    call = f"{name} {first or '?'}"
    if call not in PARTED_TWICE:
        return call
    return f"{call} {cast('str', field_of(program, 'second'))}".rstrip()


def _program(command: Simple, home: str, fold: Callable[[str], str]) -> RecordValue:
    texts = [None if word.text is None else _at_home(word.text, home) for word in command.words]
    first = command.sub if command.sub is not None else _first_word(command, texts)
    named = texts[first] if first is not None else None
    after = texts[first + 1] if first is not None and first + 1 < len(texts) else None
    fields: dict[str, Value] = {
        "program": _at_home(command.program, home),
        "name": _name(command),
        "first": named or "",
        "second": "?" if None in texts[(first or 0) + 1 :][:1] else after or "",
        "words": frozenset(text for text in texts if text is not None),
        "options": command.options,
        "paths": frozenset(path for file in command.files for path in _paths(file, home, fold)),
        "unknown": None in texts or command.loose or any(_is_unknown(file) for file in command.files),
    }
    return record_with(_PROGRAM, fields)


def _first_word(command: Simple, texts: list[str | None]) -> int | None:
    """The place of the first word if it is no option, of a program whose words no table divides."""
    from workbench.runs.kinds.shell.program_tables import Flag

    if command.loose or (command.table is not None and Flag.COMMANDS in command.table.flags):
        return None
    return 0 if texts and texts[0] and not texts[0].startswith("-") else None


def _is_unknown(file: NamedFile) -> bool:
    """Whether a file is only known at run time."""
    return file.word.text is None or (file.folders is None and not file.word.text.startswith(("/", HOME)))


def _at_home(text: str, home: str) -> str:
    """A path or a word with the user's home folder in full; ``~`` if the folder is not known."""
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


def _program_in_calls(
    program: RecordValue, command: Simple, home: str, fold: Callable[[str], str]
) -> RecordValue:
    """A started program with its paths as paths; what an unknown word may change is undetermined."""
    fields: dict[str, Value | Undetermined] = {
        name: held for name, held in program.fields if name in dict(_PROGRAM_IN_CALLS.fields)
    }
    files = _Files()
    for file in command.files:
        files.add(_paths(file, home, fold), file, home, fold)
    fields["paths"] = files.as_paths()
    if not field_of(program, "unknown"):
        return record_of(program.type, fields)
    why = frozenset({f"a word of {fields['name']} is only known when it runs"})
    fields |= {name: Undetermined(why) for name in ("first", "second") if fields[name] in ("", "?")}
    unknown = [word for word in command.words if word.text is None]
    is_pattern = not command.loose and all(word.pattern for word in unknown)
    known = cast("frozenset[str]", fields["words"])
    patterns = tuple(NamePattern(word.pattern) for word in unknown)
    fields["words"] = Undetermined(why, Fitting(patterns, known) if is_pattern else known)
    if not is_pattern and (command.loose or not all(word.pattern or word.is_operand for word in unknown)):
        fields["options"] = Undetermined(why, cast("frozenset[str]", fields["options"]))
    if command.loose or any(_has_no_path(file) for file in command.files):
        fields["paths"] = Undetermined(why, frozenset(files.as_paths()))
    return record_of(program.type, fields)


def _has_no_path(file: NamedFile) -> bool:
    """Whether neither the path of a file nor a pattern of it is known."""
    known = file.word.pattern if file.word.text is None else file.word.text
    return not known or (file.folders is None and not known.startswith(("/", HOME)))


_PROGRAM_IN_CALLS = RecordType(
    _PROGRAM.name,
    tuple(
        (name, PATHS if name == "paths" else type_) for name, type_ in _PROGRAM.fields if name != "unknown"
    ),
)
_WORDS = "a word that only the run tells, such as $X or *.ts"
_HIDDEN = (
    "something may run that the text does not name: eval, python -c, a program or option that is in no table"
)


COMMAND = ValueKind(
    name="command",
    meaning=(
        "a command of the shell: the programs that it starts with their words, the files and hosts "
        "that it names, and whether it hides something"
    ),
    parts=(
        ("opaque", FLAG),
        ("why", TEXT),
        ("started", list_of(_PROGRAM)),
        ("programs", TEXTS),
        ("calls", TEXTS),
        ("flags", TEXTS),
        ("unknown", TEXTS),
        *((name, TEXTS) for name in _OF_FILES),
        ("history", FLAG),
        ("hosts", TEXTS),
        ("variables", TEXTS),
        ("environment", TEXTS),
    ),
    prepare=_prepare,
    options=_OPTIONS,
    needs="tree-sitter",
    incomplete={
        **dict.fromkeys(("started", "programs", "variables"), _HIDDEN),
        "calls": f"{_HIDDEN}; a sub-command that is not certain",
        "flags": f"{_HIDDEN}; {_WORDS}",
        "environment": f"{_HIDDEN}; {_WORDS}, of a program that reads files",
        **dict.fromkeys(_OF_FILES, f"{_HIDDEN}; {_WORDS}; a relative path where the folder is not known"),
        "history": f"{_HIDDEN}; {_WORDS}",
        "hosts": f"{_HIDDEN}; {_WORDS}, of a program that may connect; no host of a program that does",
    },
    ask=frozenset({"opaque", "why", "unknown"}),
    forms={"flags": Form(r"(?s).*\S .+", 'a program with an option, as "git --output"')},
    in_calls={
        "started": PartInCalls(
            list_of(_PROGRAM_IN_CALLS),
            _as_they_are,
            _STARTED_IN_CALLS,
        ),
        **{name: PartInCalls(TEXTS, _also_by_name) for name in ("programs", "flags")},
        "calls": PartInCalls(TEXTS, _also_by_name, _CALLS_BY_NAME),
        **{name: PartInCalls(PATHS, _as_they_are, source) for name, source in _AS_PATHS.items()},
    },
)
