"""What an agent does not say of its surroundings: where paths begin, its shell, which results tell a failure.

Without it calls cannot be evaluated. It is asked, and an answer is written into the agent spec, for all tools
that it is about at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from os.path import commonpath
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from workbench.app.outcomes import OUTCOME, doubts_of_outcomes, patterns_of
from workbench.app.time_zones import ZONE, doubts_of_zones
from workbench.clean_text import listed, one_line
from workbench.model import AgentSpec, Doubt, FieldNote, Json, Question, RecordedCall, Tool
from workbench.policy.terms import PolicyTerms
from workbench.runs.kinds.file_systems import folder_of
from workbench.runs.kinds.kinds_by_name import UNDECLARED_DIALECT

if TYPE_CHECKING:
    from workbench.runs.proposals.confirmations import Confirmation

SHELL, PATHS, HOME, REMOTE, DIALECT, DISK = (
    "undeclared-shell", "relative-paths", "home-folder", "remote-host", "undeclared-dialect",
    "undeclared-disk",
)  # fmt: skip
MEANT = "meant"
_SHELLS = ("bash", "sh", "zsh")
_MOST_FOLDERS = 4
_ABSOLUTE = re.compile(r"(?<![\w/.:~-])/(?:[\w.@+-]+/)*[\w.@+-]*[\w@+-]")
_RELATIVE = re.compile(r"^(?![A-Za-z]:[\\/]|\\\\)[^/~\s]\S*$|\s(?![-/~]|[A-Za-z]:[\\/]|\\\\)\S*[/.]")
"""A path that begins in no known folder, or a command with a word that looks like one."""
_HOME = re.compile(r"(?:^|[\s\"'=:(<>])(?:~(?=/|\s|$)|\$HOME\b|\$\{HOME\})")
"""A word that begins in the home folder."""
_HOMES = re.compile(r"(?<![\w/.~-])(?:/home/[\w.-]*\w|/Users/[\w.-]*\w|/root)(?=[/\s\"'“”.,;:)]|$)")


def doubts_of_tools(
    terms: PolicyTerms, agent: AgentSpec, request: str, calls: Sequence[RecordedCall]
) -> Iterator[Doubt]:
    """A question for the tools of which logged calls name relative paths, for ~, each shell, and the zone.

    Only tools of which rules read parts of paths or commands, or the outcome, are asked about.
    """
    from workbench.question_wording import phrase  # which needs pydantic, and the screen starts without

    unknown = terms.file.undeclared_folders
    tools = [one for one in agent.tools if one.name in unknown]
    asked = {one.name: unknown[one.name] for one in tools}
    folders_of = {one.name: one.cwd_parameter for one in tools}
    given = [
        (call, text, kind) for call in calls
        if not (call.arguments or {}).get(folders_of.get(call.tool or "", ""))
        for text, kind in _paths(call, asked)
    ]  # fmt: skip
    relative = {(call.run, call.index) for call, text, kind in given if _is_relative(text, kind)}
    is_new = all(call.tool not in asked for call in calls)  # as long as nothing is logged, a folder tells it
    closed = _closed_folders(terms.file.text)
    absolute = [text for _, text, _ in given if text.startswith("/")]
    folders = tuple(one for one in _folders(request, agent, absolute) if one[0] not in closed)
    if relative or (asked and is_new and folders):
        how_often = f"{len(relative):,} of {len(calls):,}"
        names = ", ".join(one.name for one in tools)
        yield Doubt(
            id=f"{PATHS}:{'+'.join(sorted(quote(one.name, safe='') for one in tools))}",
            kind="relative-paths",
            values=(*(folder for folder, _ in folders), MEANT),
            free_text=True,
            facts={
                "tools": one_line(names),
                "say": _say(len(tools)),
                "calls": phrase("relative-paths", "calls" if relative else "none", calls=how_often),
            },
            value_facts={folder: {"named": one_line(where)} for folder, where in folders},
        )
    yield from _home(terms.file.undeclared_homes, terms.file.text, request, calls)
    for tool in terms.file.undeclared_shells:
        yield Doubt(
            id=f"{SHELL}:{tool}",
            kind="undeclared-shell",
            values=(*_SHELLS, MEANT),
            free_text=True,
            facts={"tool": one_line(tool)},
        )
    yield from _remotes(terms, agent, request, calls)
    yield from _disks(terms.file.undeclared_disks, agent, request, calls)
    if terms.file.undeclared_dialects:
        yield _dialects(terms.file.undeclared_dialects, agent, request)
    yield from doubts_of_outcomes(terms, agent, calls)
    yield from doubts_of_zones(terms, agent, request, calls)


def at_work(agent: AgentSpec, request: str) -> tuple[AgentSpec, Confirmation] | None:
    """The agent spec with the folder in which the request says that the agent works, and what that assumes.

    It is for the tools that say nowhere where relative paths begin. None where there are none, where no
    folder is told, or where a tool describes another one: then it is asked once a rule needs it.
    """
    from workbench.dialect.call_types import agent_types
    from workbench.dialect.lowered_policy import without_folder
    from workbench.language.command_speech import folder_told
    from workbench.runs.proposals.confirmations import Confirmation

    folder, lacking = folder_told(request), without_folder(agent_types(agent))
    described = _ABSOLUTE.findall("\n".join(map(_described, agent.tools)))
    if not folder_of("", folder, "") or not lacking or any(one.rstrip("/") != folder for one in described):
        return None
    tools = [replace(one, cwd=folder) if one.name in lacking else one for one in agent.tools]
    where = f"{folder}, where the request says that the agent works"
    question = f"Do relative paths of {listed([*lacking])} begin in {where}?"
    return replace(agent, tools=tuple(tools)), Confirmation(question, "correct their cwd in agent.toml")


def _say(number: int) -> str:
    return "does not say" if number == 1 else "do not say"


def _home(
    unknown: Mapping[str, Mapping[str, str]], source: str, request: str, calls: Sequence[RecordedCall]
) -> Iterator[Doubt]:
    """The question which folder ``~`` is, where the request or a logged call speaks of it."""
    from workbench.question_wording import phrase  # which needs pydantic, and the screen starts without

    given = [(call, text) for call in calls for text, _ in _paths(call, unknown)]
    naming = {(call.run, call.index) for call, text in given if _HOME.search(text)}
    if not unknown or not (naming or _HOME.search(request)):
        return
    named: dict[str, str] = {}
    for where, texts in (
        ("the request", [request]), ("the policy", [source]), ("a logged call", [text for _, text in given]),
    ):  # fmt: skip
        for text in texts:
            named |= {found: where for found in _HOMES.findall(text) if found not in named}
    folders = dict([*named.items()][:_MOST_FOLDERS])
    how_often = f"{len(naming):,} of {len(calls):,}" if naming else ""
    yield Doubt(
        id=f"{HOME}:{'+'.join(sorted(quote(name, safe='') for name in unknown))}",
        kind="home-folder",
        values=(*folders, MEANT),
        free_text=True,
        facts={
            "tools": one_line(", ".join(unknown)),
            "say": _say(len(unknown)),
            "calls": phrase("home-folder", "calls" if naming else "request", calls=how_often),
        },
        value_facts={folder: {"named": where} for folder, where in folders.items()},
    )


_WITH_REMOTE = re.compile(
    r"\bgit (?:-\S+ )*(?:push|fetch|pull|ls-remote)\b(?: -\S+)*(?: ([\w.-]+)(?![\w./:@-]))?"
)
"""A command of git that reaches a remote, with the name of this if it has one."""
_PUSH = "git push origin"
_HOST = re.compile(
    r"(?<![\w.-])(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|cloud|app|example|test|internal|local|corp)\b(?![.-]?\w)"
)


def _remotes(
    terms: PolicyTerms, agent: AgentSpec, request: str, calls: Sequence[RecordedCall]
) -> Iterator[Doubt]:
    """The question to which host the remotes of git lead, of each tool whose commands reach one.

    They are logged ones. As long as none is logged, it is asked where the request speaks of a push.
    """
    for tool in agent.tools:
        if tool.name not in terms.file.undeclared_remotes:
            continue
        texts = [
            text
            for call in calls
            for text, _ in _paths(call, {tool.name: {each: "" for each in tool.fields}})
        ]
        found = [one for text in texts for one in _WITH_REMOTE.finditer(text)]
        if not found and (texts or not re.search(r"\bpush", f"{request} {terms.file.text}", re.IGNORECASE)):
            continue
        names = dict.fromkeys(one[1] or "origin" for one in found) or {"origin": None}
        hosts = dict.fromkeys(_HOST.findall(f"{terms.file.text}\n{request}"))
        yield Doubt(
            id=f"{REMOTE}:{quote(tool.name, safe='')}:{'+'.join(quote(each, safe='') for each in names)}",
            kind="remote-host",
            values=(*[*hosts][:_MOST_FOLDERS], MEANT),
            free_text=True,
            facts={
                "tool": one_line(tool.name),
                "command": one_line(found[0][0]) if found else _PUSH,
                "names": one_line(", ".join(names)),
                "folder": one_line(tool.cwd),
            },
        )


_DATABASES = {
    "postgres": ("PostgreSQL", "postgres|redshift|cockroach"),
    "mysql": ("MySQL or MariaDB", "mysql|mariadb"),
    "sqlite": ("SQLite", "sqlite"),
    "tsql": ("SQL Server", "mssql|sql server|t-sql"),
    "oracle": ("Oracle", "oracle"),
    "bigquery": ("BigQuery", "bigquery"),
    "snowflake": ("Snowflake", "snowflake"),
    "duckdb": ("DuckDB", "duckdb"),
}
"""The databases of each dialect, and what requests and descriptions call them; the usual ones first."""


def _dialects(unknown: Mapping[str, Sequence[str]], agent: AgentSpec, request: str) -> Doubt:
    """The question of which database the SQL of tools is; databases that somebody names come first."""
    said = "\n".join([request, *(f"{one.description}\n{_described(one)}" for one in agent.tools)])
    named = [
        dialect
        for dialect, (_, words) in _DATABASES.items()
        if re.search(rf"\b(?:{words})", said, re.IGNORECASE)
    ]
    return Doubt(
        id=f"{DIALECT}:{'+'.join(sorted(quote(name, safe='') for name in unknown))}",
        kind="undeclared-dialect",
        values=(*dict.fromkeys((*named, *_DATABASES)), MEANT),
        facts={"tools": one_line(", ".join(unknown))},
        value_facts={dialect: {"database": name} for dialect, (name, _) in _DATABASES.items()},
    )


_OF_DISKS = {
    "windows": re.compile(r"(?<![A-Za-z])[A-Z]:\\|\bWindows\b"),
    "ignore_case": re.compile(
        r"(?<![\w.-])/(?:Users|Volumes|Applications)/|\b(?:macOS|Mac OS|OS X|MacBooks?)\b"
    ),
}
"""What tells of disks on which case tells no files apart: of Windows, and others such as those of macOS."""


def _disks(
    tools: Sequence[str], agent: AgentSpec, request: str, calls: Sequence[RecordedCall]
) -> Iterator[Doubt]:
    """The question whether case tells files apart, where something names a disk on which it may not."""
    about = [one for one in agent.tools if one.name in tools]
    asked = {one.name: {name: "path" for name in one.fields} for one in about}
    homes = [str(note.options.get("home", "")) for one in about for note in one.fields.values()]
    given = [text for call in calls for text, _ in _paths(call, asked)]
    told = "\n".join([request, *(f"{one.cwd}\n{_described(one)}" for one in about), *homes, *given])
    found = [(disk, named) for disk, pattern in _OF_DISKS.items() if (named := pattern.search(told))]
    if not found or not about:
        return
    yield Doubt(
        id=f"{DISK}:{'+'.join(sorted(quote(one.name, safe='') for one in about))}",
        kind="undeclared-disk",
        values=(*(disk for disk, _ in found), MEANT),
        facts={"tools": one_line(", ".join(one.name for one in about)), "named": one_line(found[0][1][0])},
    )


def _with_dialect(tool: Tool, dialect: str) -> Tool:
    """The tool with the database that its SQL is for, where it says none."""
    notes = {
        name: replace(note, options={**note.options, "dialect": dialect})
        for name, note in tool.fields.items()
        if note.type == "sql" and note.options.get("dialect") == UNDECLARED_DIALECT
    }
    return replace(tool, fields={**tool.fields, **notes})


def _with_home(tool: Tool, kinds: Mapping[str, str], folder: str) -> Iterator[tuple[str, FieldNote]]:
    """Yield the notes on parameters of a tool which say that a folder is the home folder."""
    for name, kind in kinds.items():
        note = tool.fields.get(name, FieldNote())
        yield name, replace(note, type=note.type or kind, options={**note.options, "home": folder})


_OF_SEVERAL = (PATHS, HOME, DIALECT, DISK)
"""The kinds of questions that one answer settles for several tools."""


def _told(tool: Tool, kind: str, value: str, homes: Mapping[str, str]) -> Tool:
    """A tool with what an answer says of it, of a kind that is about several."""
    if kind == DISK:
        return replace(tool, file_system=value)
    if kind == DIALECT:
        return _with_dialect(tool, value)
    if kind == HOME:
        return replace(tool, fields={**tool.fields, **dict(_with_home(tool, homes, value))})
    return replace(tool, cwd=value)


def with_answer(
    agent: AgentSpec, question: Question, value: str, homes: Mapping[str, Mapping[str, str]]
) -> AgentSpec | None:
    """The agent spec with what an answer says of its tools; None if it says nothing of them.

    ``homes`` has the kinds of the parameters for which an answer tells the home folder.
    """
    if question.kind == ZONE and value != MEANT:
        return replace(agent, zone=value)
    if question.kind not in (SHELL, PATHS, HOME, REMOTE, DIALECT, DISK, OUTCOME) or value == MEANT:
        return None
    names = question.id.partition(":")[2].split("+") if question.kind in _OF_SEVERAL else []

    def said(tool: Tool) -> Tool:
        if question.id == f"{SHELL}:{tool.name}":
            return replace(tool, shell=value)
        if question.id.startswith(f"{REMOTE}:{quote(tool.name, safe='')}:"):
            named = question.id.rpartition(":")[2].split("+")
            return replace(tool, remotes={tool.cwd: dict.fromkeys(map(unquote, named), value)})
        if question.id == f"{OUTCOME}:{quote(tool.name, safe='')}":
            offered = [one.value for one in question.options]
            return replace(tool, may_have_failed=patterns_of(value, offered))
        if quote(tool.name, safe="") not in names:
            return tool
        return _told(tool, question.kind, value, homes.get(tool.name, {}))

    return replace(agent, tools=tuple(map(said, agent.tools)))


def _is_relative(text: str, kind: str) -> bool:
    """Whether a text names something that begins in no known folder; a program alone may open nothing."""
    if _RELATIVE.search(text) is None:
        return False
    return kind != "command" or len(text.split()) > 1 or _opens_something(text)


@lru_cache(maxsize=256)
def _opens_something(command: str) -> bool:
    from workbench.runs.kinds.command import COMMAND

    paths = COMMAND.reader({}).parts(command)["paths"]
    return not isinstance(paths, frozenset) or bool(paths)


def _paths(call: RecordedCall, tools: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """The texts of a call in the parameters in which a path or a command is, each with its kind."""
    for name, kind in tools.get(call.tool or "", {}).items():
        value = (call.arguments or {}).get(name.removesuffix("[]"))
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.strip():
                yield text, kind


def _closed_folders(source: str) -> set[str]:
    """The folders that prohibitions of a policy close, in which no agent works."""
    rules = (part for part in source.split("\ndef ") if part.startswith("forbid_"))
    return {folder.rstrip("/") for rule in rules for folder in _LIES_IN.findall(rule)}


_LIES_IN = re.compile(r'"(/[^"\n]+)" in ')


def _folders(request: str, agent: AgentSpec, absolute: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The folders in which relative paths may begin, each with what names it; those of the request first."""
    named: dict[str, str] = {}
    for where, text in (
        ("the request", request),
        *(
            (f"the description of {tool.name}", f"{tool.description}\n{_described(tool)}")
            for tool in agent.tools
        ),
        *((f"the folder of {tool.name}", tool.cwd) for tool in agent.tools if tool.cwd),
        ("the paths of logged calls", commonpath(absolute) if len({*absolute}) > 1 else ""),
    ):
        for found in _ABSOLUTE.findall(text):
            if folder := folder_of("", found, ""):
                named.setdefault(folder, where)
    yield from [(folder, where) for folder, where in named.items() if folder != "/"][:_MOST_FOLDERS]


def _described(tool: Tool) -> str:
    """What a tool says of itself and of its parameters."""
    properties = tool.parameters.get("properties")
    fields: Mapping[str, Json] = properties if isinstance(properties, dict) else {}
    texts = (one.get("description") for one in fields.values() if isinstance(one, dict))
    return "\n".join((tool.description, *(text for text in texts if isinstance(text, str))))
