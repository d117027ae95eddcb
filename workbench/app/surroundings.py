"""What a tool does not say of its surroundings: where relative paths begin, and which shell reads commands.

Without it calls cannot be evaluated. It is asked, and an answer is written into the agent spec, for all tools
that it is about at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os.path import commonpath
from urllib.parse import quote

from workbench.clean_text import one_line
from workbench.model import AgentSpec, Doubt, Json, Question, RecordedCall, Span, Tool
from workbench.policy.terms import PolicyTerms
from workbench.runs.kinds.file_systems import folder_of

SHELL, PATHS = "undeclared-shell", "relative-paths"
MEANT = "meant"
_SHELLS = ("bash", "sh", "zsh")
_MOST_FOLDERS = 4
_ABSOLUTE = re.compile(r"(?<![\w/.:~-])/(?:[\w.@+-]+/)*[\w.@+-]*[\w@+-]")
_RELATIVE = re.compile(r"^[^/~\s]\S*$|\s(?![-/~])\S*[/.]")
"""A path that begins in no known folder, or a command with a word that looks like one."""
_NOWHERE = Span(0, 0)


def doubts_of_tools(
    terms: PolicyTerms, agent: AgentSpec, request: str, calls: Sequence[RecordedCall]
) -> Iterator[Doubt]:
    """A question for the tools whose logged calls name relative paths, and one for each without a shell.

    Only tools of which rules read parts of paths or commands are asked about.
    """
    unknown = terms.file.undeclared_folders
    tools = [one for one in agent.tools if one.name in unknown]
    asked = {one.name: unknown[one.name] for one in tools}
    folders_of = {one.name: one.cwd_parameter for one in tools}
    given = [
        (call, text) for call in calls
        if not (call.arguments or {}).get(folders_of.get(call.tool or "", ""))
        for text in _paths(call, asked)
    ]  # fmt: skip
    relative = {(call.run, call.index) for call, text in given if _RELATIVE.search(text)}
    if relative:
        folders = tuple(_folders(request, agent, [text for _, text in given if text.startswith("/")]))
        names = ", ".join(one.name for one in tools)
        yield Doubt(
            id=f"{PATHS}:{'+'.join(sorted(quote(one.name, safe='') for one in tools))}",
            kind="relative-paths",
            quote="",
            span=_NOWHERE,
            values=(*(folder for folder, _ in folders), MEANT),
            facts={"tools": one_line(names), "calls": f"{len(relative):,} of {len(calls):,}"},
            value_facts={folder: {"named": one_line(where)} for folder, where in folders},
        )
    for tool in terms.file.undeclared_shells:
        yield Doubt(
            id=f"{SHELL}:{tool}",
            kind="undeclared-shell",
            quote="",
            span=_NOWHERE,
            values=(*_SHELLS, MEANT),
            facts={"tool": one_line(tool)},
        )


def with_answer(agent: AgentSpec, question: Question, value: str) -> AgentSpec | None:
    """The agent spec with what an answer says of its tools; None if it says nothing of them."""
    if question.kind not in (SHELL, PATHS) or value == MEANT:
        return None
    names = question.id.partition(":")[2].split("+") if question.kind == PATHS else []

    def said(tool: Tool) -> Tool:
        if question.id == f"{SHELL}:{tool.name}":
            return replace(tool, shell=value)
        return replace(tool, cwd=value) if quote(tool.name, safe="") in names else tool

    return replace(agent, tools=tuple(map(said, agent.tools)))


def _paths(call: RecordedCall, tools: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The texts of a call in the parameters in which a path or a command is."""
    for name in tools.get(call.tool or "", ()):
        value = (call.arguments or {}).get(name)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.strip():
                yield text


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
