"""Making a session from a request, an agent spec or a list of tools, and recorded logs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.as_proposed import taken_as_true
from workbench.app.named_files import read_named
from workbench.app.surroundings import at_work
from workbench.app.workbench import Workbench
from workbench.clean_text import listed, one_line
from workbench.dialect.call_types import MOST_TOOLS, class_name
from workbench.dialect.class_names import (
    RESERVED_CLASSES,
    field_name,
    is_class_name,
    is_field_name,
    words_in_capitals,
)
from workbench.dialect.nouns import is_fact
from workbench.dialect.schema_fields import fields_of_tool
from workbench.model import AgentSpec, AuthorName, FieldNote, Tool, WorkbenchError
from workbench.policy.names import free_name

if TYPE_CHECKING:
    from workbench.app.results import Understanding
    from workbench.app.tool_sources import ToolList
    from workbench.model import Json, Proposal, RecordedCall
    from workbench.runs.proposals.confirmations import Confirmation
    from workbench.runs.proposals.described_results import ResultSchemas
    from workbench.session import Session


_ELSE_ALLOWED = re.compile(r"\b(everything|anything) else is (allowed|permitted)\b", re.IGNORECASE)
_MOST_IMPORTED = 80
_FIRST_POLICY = '''\
"""{title}."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import {imported}

# What is decided about a call of which no rule speaks: "deny" or "allow".
DEFAULT = "{default}"

# A rule is a function of a call and of the run before it: forbid_, permit_ or ask_. Its docstring is a
# sentence of request.md with an id. A clause of the contract is about a sentence by the comment above it.
#
# def forbid_this(call: {call}, run: Run) -> bool:
#     """R1: The sentence."""
#     return False
#
# def contract_this(call: {call}, run: Run) -> None:
#     # R1: The sentence.
#     Ensures(Implies(False, not Result()))
'''
_AGENT = "an agent spec in TOML, a list of tools or an OpenAPI in JSON, or functions in Python"


@dataclass(frozen=True, slots=True)
class FirstDraft:
    """The reading of a new session's request; ``proposed`` names the records and lists to be declared.

    ``assumed`` are questions about what was declared, each with what to write if its answer is no; ``look``
    are sentences about what a person should look at.
    """

    understanding: Understanding
    proposed: tuple[str, ...]
    assumed: tuple[Confirmation, ...] = ()
    look: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session that was made, not drafted yet.

    ``spec_drafted`` says whether the agent spec was made from tools and logs. ``notes`` are sentences about
    the content of the logs, and about records that cannot be read.
    """

    workbench: Workbench
    spec_drafted: bool
    notes: tuple[str, ...]

    def accept_proposals(self) -> tuple[Proposal, ...]:
        """Declare all that tools, their results and logs propose for a policy of calls, and return it."""
        agent = self.workbench.agent
        proposals = agent.proposals(self.workbench.runs.recorded())
        agent.accept_all(proposals)
        return proposals

    def draft(self, *, accept_records: bool = False) -> FirstDraft:
        """Begin the policy, or let a model draft it; ``accept_records`` declares what is proposed before.

        All that is proposed is declared in any case, unless a person wrote the spec. Raises WorkbenchError if
        the author cannot draft; the session has no policy then.
        """
        from workbench.runs.proposals.parameter_notes import BEGINS_NOWHERE

        bench = self.workbench
        calls = bench.runs.recorded()
        declared: tuple[Proposal, ...] = ()
        if self.spec_drafted or accept_records:
            declared = self.accept_proposals()
        assumed = bench.agent.confirmations(declared, calls)
        placed = at_work(bench.session.spec, bench.session.request) if self.spec_drafted else None
        if placed is not None:
            bench.agent.set_spec(placed[0], "The folder in which the agent works")
            assumed += (placed[1],)
        if bench.session.is_drafted:
            bench.request.redraft()
        else:
            with bench.session.transaction("Begin the policy"):
                bench.session.set_assumptions(taken_as_true(assumed))
                bench.session.set_policy(_first_policy(bench.session))
        understanding = bench.questions.understand()
        proposals = bench.agent.proposals(calls)
        unsure = [sentence for proposal in declared for sentence in proposal.unsure]
        unsure = [one for one in unsure if placed is None or one != BEGINS_NOWHERE]
        return FirstDraft(
            understanding,
            tuple(proposal.name for proposal in proposals),
            assumed,
            tuple(dict.fromkeys((*unsure, *bench.agent.not_described()))),
        )


def new_session(
    folder: Path,
    request: Path,
    *,
    agent: Path | None,
    logs: Sequence[Path],
    author: AuthorName,
    mcp: str = "",
) -> NewSession:
    """Make a session in a folder that does not exist yet; ``mcp`` is a server that lists the agent's tools.

    Raises:
        WorkbenchError: a file cannot be read, the request is empty, a log has no call, or there is neither
            an agent spec nor tools nor a log. Nothing is made then.
    """
    from workbench.author.choice_of_author import check_author
    from workbench.session import Session

    text = _request_text(request)
    notes = check_logs(logs)
    check_author(author, os.environ)
    spec, results = _spec_from(agent, mcp, logs, folder.resolve().name)
    drafted = results is not None
    if drafted:
        tools, sentences = with_names(map(_as_described, spec.tools))
        spec, notes = replace(spec, tools=tools), (*notes, *sentences)
    session = Session.create(folder, text, spec, author=author, results=results)
    created = NewSession(Workbench(session), drafted, notes)
    try:
        copy_logs(logs, folder / "logs")
    except WorkbenchError:
        created.workbench.close()
        raise
    return created


_REQUESTS, _AGENTS, _LOGS = ("*.md", "*.txt"), ("agent.toml", "*.json", "*.py"), ("*.jsonl", "*.log")
_SETTINGS = (
    (".claude/settings.json", ".claude/settings.local.json"),
    (".gemini/settings.json",),
    (".codex/config.toml", ".codex/rules/*.rules"),
    ("opencode.json",),
)
"""The settings that clients have in a folder."""


def files_for_session(folder: Path) -> Mapping[str, str]:
    """What of a folder's files a session may be made of, as the person reads it, and where it would be.

    The tools and the log are the only file of their kind, or the one of a usual name, as the request and a
    Python file have to be. Where there is no request, the settings of a coding agent stand for it and for the
    tools.
    """
    home = folder.resolve()
    found = {
        "request": _likely(home, _REQUESTS, "request", "rules", "policy"),
        "tools": _likely(home, _AGENTS, "tools"),
        "logs": _likely(home, _LOGS, "runs"),
    }
    named = {name: shlex.quote(str(path)) for name, path in found.items() if path is not None}
    if "request" not in named and (settings := _settings(home)):
        named["tools"] = shlex.join(map(str, settings))
    return named | ({"folder": shlex.quote(str(home.parent / f"{home.name}-policy"))} if named else {})


def _settings(folder: Path) -> Sequence[Path]:
    """The settings of the first coding agent that has some in a folder."""
    found = (sorted(path for name in names for path in folder.glob(name)) for names in _SETTINGS)
    return next(filter(None, found), ())


def _likely(folder: Path, patterns: Sequence[str], *usual: str) -> Path | None:
    files = sorted(path for pattern in patterns for path in folder.glob(pattern) if path.is_file())
    named = [path for path in files if path.name == "agent.toml"]
    named += [path for name in usual for path in files if name in path.stem.lower()]
    alone = [path for path in files if path.suffix != ".py" and patterns is not _REQUESTS]
    return next(iter(named), alone[0] if len(alone) == 1 else None)


def _first_policy(session: Session) -> str:
    """A policy of calls without a rule; it denies every call unless the request allows everything else."""
    from workbench.dialect.call_types import agent_types

    classes = [*agent_types(session.agent).calls, "Run"]
    imported = ", ".join(classes)
    if len(imported) > _MOST_IMPORTED:
        imported = "(\n    " + ",\n    ".join(classes) + ",\n)"
    allows = _ELSE_ALLOWED.search(" ".join(session.request.split())) is not None
    return _FIRST_POLICY.format(
        title=session.info.title.replace("\\", "").replace('"', "'"),
        imported=imported,
        default="allow" if allows else "deny",
        call=classes[0],
    )


def _request_text(path: Path) -> str:
    text = read_named(path, "a text file with the guard request")
    if not text.strip():
        raise WorkbenchError(f"{path} is empty; write the guard request into it, a sentence for each rule.")
    return text


def check_logs(logs: Sequence[Path]) -> tuple[str, ...]:
    """Check that each of the logs has calls; returns notes on its runs and on records that cannot be read."""
    from workbench.runs.logs import load_runs
    from workbench.runs.logs.import_report import import_report

    names: dict[str, Path] = {}
    notes: list[str] = []
    for log in logs:
        if log.is_dir():
            raise WorkbenchError(f"{log} is a folder; give --log once for each file in it.")
        if (earlier_log := names.setdefault(log.name, log)) is not log:
            raise WorkbenchError(f"{earlier_log} and {log} have the same name; rename one of them.")
        imported = load_runs([log])
        first = next(iter(imported.problems), None)
        why = f" (line {first.line}: {first.reason})" if first is not None else ""
        if not any(run.calls for run in imported.runs):
            raise WorkbenchError(f"{log} has no call that can be read{why}; leave it out or convert it.")
        notes += import_report(imported.runs)
        if imported.problems:
            unread = sum(problem.count for problem in imported.problems)
            notes.append(f"{log}: {unread} of its records cannot be read{why}.")
    return tuple(notes)


def _spec_from(
    agent: Path | None, mcp: str, logs: Sequence[Path], name: str
) -> tuple[AgentSpec, ResultSchemas | None]:
    """The agent spec in a file; or one made of tools and logs, with the schemas of results."""
    from workbench.runs.extract.observe import observed_tools
    from workbench.session.agent_file import read_agent

    if mcp and agent is not None:
        raise WorkbenchError("Give the tools once: by --agent or by --mcp.")
    text = "" if agent is None else read_named(agent, _AGENT)
    if agent is not None and not _lists_tools(agent, text):
        return _without_facts(read_agent(text, str(agent))), None
    if agent is None and not mcp and not logs:
        raise WorkbenchError(
            "Say what the agent is: give --agent with its spec or its tools, --mcp with its server, or --log "
            "with a recorded run."
        )
    listed_tools = _listed_tools(agent, mcp, text)
    calls = _calls(logs, listed_tools.tools)
    tools = listed_tools.tools or observed_tools(calls)
    return AgentSpec(name, tools=tools), listed_tools.results


def _without_facts(spec: AgentSpec) -> AgentSpec:
    """The spec of an agent without the nouns and units of functions: the policy that begins has none."""
    nouns, units = (
        {name: said for name, said in given.items() if not is_fact(name)}
        for given in (spec.nouns, spec.units)
    )
    return replace(spec, nouns=nouns, units=units)


def _lists_tools(agent: Path, text: str) -> bool:
    from workbench.app.tool_sources import is_json

    return agent.suffix == ".py" or is_json(text)


def _listed_tools(agent: Path | None, mcp: str, text: str) -> ToolList:
    """The tools of a file or a server; none if there is neither."""
    from workbench.app.tool_sources import ToolList, mcp_tools, python_tools, read_tools

    if mcp:
        return read_tools(mcp_tools(mcp), mcp)
    if agent is None:
        return ToolList((), {})
    return python_tools(text, str(agent)) if agent.suffix == ".py" else read_tools(text, str(agent))


def _calls(logs: Sequence[Path], tools: Iterable[Tool]) -> tuple[RecordedCall, ...]:
    from workbench.runs.logs import load_runs

    return tuple(
        call for run in load_runs(tuple(logs), tools=[tool.name for tool in tools]).runs for call in run.calls
    )


def copy_logs(logs: Iterable[Path], folder: Path) -> None:
    """Copy logs into a session. Raises WorkbenchError."""
    for log in logs:
        try:
            shutil.copyfile(log, folder / log.name)
        except OSError as error:
            raise WorkbenchError(f"{log} cannot be copied into the session ({error.strerror}).") from error


# --- Names for classes and parameters whose own names give none: of other letters, of one name, of a keyword


_SHOWN = 5


def with_names(tools: Iterable[Tool]) -> tuple[tuple[Tool, ...], tuple[str, ...]]:
    """The tools, each with a class of its own and names for its parameters; and a sentence about new names.

    Raises WorkbenchError for more tools than can have classes.
    """
    all_tools = tuple(tools)
    if len(all_tools) > MOST_TOOLS:
        raise WorkbenchError(
            f"There are {len(all_tools):,} tools, and at most {MOST_TOOLS:,} can have classes; "
            "give those that the policy is about."
        )
    classes = {*RESERVED_CLASSES}
    named: list[Tool] = []
    changed: list[str] = []
    for number, tool in enumerate(all_tools, start=1):
        own = class_name(tool)
        if not own or own in classes:
            own = free_name(_class(tool.name) or f"Tool{number}", classes, "")
            changed.append(tool.name)
            tool = replace(tool, class_name=own)
        classes.add(own)
        noted = _with_field_names(tool)
        if noted is not tool:
            changed.append(tool.name)
        named.append(noted)
    return tuple(named), _sentences(list(dict.fromkeys(changed)))


_FOLDERS = frozenset(("cwd", "workdir", "working_dir", "working_directory", "workingdirectory"))
"""Names of parameters, in small letters, by which a call names the folder that it works in."""


_SHELL = re.compile(
    r"\b(?:bash|zsh|fish|power ?shell|pwsh|cmd(?:\.exe)?|dash|ksh|/bin/sh|sh -c|posix shell)\b", re.I
)
"""Names of shells in descriptions of tools."""


_DEFAULT = re.compile(
    r"\bdefault(?:s|\s+value)?(?:\s+is|\s+to|\s*[:=])?\s+(?:(?P<number>-?\d+(?:\.\d+)?)(?![\w.:,]*\w)|(?P<bool>true|false)\b"
    r"|[\"'“`](?P<text>[^\"'”`\n]{1,60})[\"'”`]|(?P<here>the\s+(?:current|working|project)\s+(?:folder|directory)))",
    re.IGNORECASE,
)
"""What a description says that a call without a value takes."""


def _default_told(schema: Json) -> Json:
    """The value that a call without one takes by its description; None if none of its type is told."""
    description = schema.get("description") if isinstance(schema, dict) else None
    found = _DEFAULT.search(description) if isinstance(description, str) else None
    if found is None or not isinstance(schema, dict) or "default" in schema:
        return None
    match schema.get("type"):
        case "integer" if found["number"] and "." not in found["number"]:
            return int(found["number"])
        case "number" if found["number"]:
            return float(found["number"])
        case "boolean" if found["bool"]:
            return found["bool"].lower() == "true"
        case "string" if found["text"] or found["here"]:
            return found["text"] or "."
        case _:
            return None


def _with_defaults(tool: Tool) -> Tool:
    """A tool whose schema has the defaults that its descriptions tell."""
    properties = tool.parameters.get("properties")
    fields = properties if isinstance(properties, dict) else {}
    told = {name: default for name, one in fields.items() if (default := _default_told(one)) is not None}
    noted: dict[str, Json] = {
        name: {**one, "default": told[name]} if name in told and isinstance(one, dict) else one
        for name, one in fields.items()
    }
    return replace(tool, parameters={**tool.parameters, "properties": noted}) if told else tool


def _as_described(tool: Tool) -> Tool:
    """A tool with the parameter that names the folder of a call, if one is called so, and the shell it names.

    Only bash is taken from descriptions, where they name no other shell. A default that is told has its
    place in the schema, so that it is asked about what a call without the value does.
    """
    tool = _with_defaults(tool)
    properties = tool.parameters.get("properties")
    fields = properties if isinstance(properties, dict) else {}
    named = [name for name in fields if name.lower() in _FOLDERS]
    if len(named) == 1 and not tool.cwd_parameter:
        tool = replace(tool, cwd_parameter=named[0])
    texts = [tool.description, *(one.get("description") for one in fields.values() if isinstance(one, dict))]
    shells = {found.lower() for each in texts if isinstance(each, str) for found in _SHELL.findall(each)}
    return replace(tool, shell="bash") if shells == {"bash"} and not tool.shell else tool


def _sentences(changed: Sequence[str]) -> tuple[str, ...]:
    if not changed:
        return ()
    shown = [one_line(name, 40) for name in changed[:_SHOWN]]
    more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
    return (f"Names that a policy cannot use have others, as agent.toml says: {listed(shown)}{more}.",)


def _plain(name: str) -> str:
    """A name in plain letters: without accents, and without what has no plain letter."""
    return "".join(character for character in unicodedata.normalize("NFKD", name) if character.isascii())


def _class(name: str) -> str:
    words = words_in_capitals(_plain(name))
    return (
        words if is_class_name(words) else f"Tool{words}" if is_class_name(f"Tool{words}") and words else ""
    )


def _with_field_names(tool: Tool) -> Tool:
    """A tool with a name for each parameter whose key is none."""
    paths = fields_of_tool(tool, class_name(tool), set()).paths
    notes = dict(tool.fields)
    taken = {path.rpartition(".")[2] for path in paths}
    for path in paths:
        key = path.rpartition(".")[2]
        if path.endswith("[]") or field_name(key) or path in notes or not key:
            continue
        plain = re.sub(r"\W+", "_", _plain(key), flags=re.ASCII).strip("_")
        plain = plain if is_field_name(plain) else f"parameter_{plain}" if plain else "parameter"
        name = free_name(plain, taken, "")
        taken.add(name)
        notes[path] = FieldNote(name=name)
    return replace(tool, fields=notes) if len(notes) > len(tool.fields) else tool
