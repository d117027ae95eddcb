"""The other files of a session: ``session.toml``, assumptions, cases and demonstrations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, cast

from pydantic import Field

from workbench.clean_text import one_line
from workbench.files.strict_reading import (
    Count,
    FileForm,
    Flag,
    TablePlace,
    json_lines,
    parse_toml,
    read_form,
)
from workbench.model import (
    ArgumentType,
    Assumption,
    AuthorName,
    Case,
    CaseOrigin,
    Demonstration,
    Value,
    Verdict,
)
from workbench.policy.written import OWN_NAMES, ArgumentWords
from workbench.session.session_error import SessionError
from workbench.session.toml_json import table_of
from workbench.session.toml_text import Toml, render
from workbench.session.toml_values import decode_value, encode_value

FORMAT = 1
SESSION = "session.toml"
REQUEST = "request.md"
ASSUMPTIONS = "assumptions.toml"
CASES = "cases.toml"
MEMORY = "memory.jsonl"

POLICY_ALONE = ("policy",)
WITH_GUARDAGENT = ("policy", "guardagent")

MOST_OF_REQUEST = 60_000
"""The most characters of a request: more is a book by mistake, and reading it would take minutes."""

_CASES_HEADING = "Inputs of the policy with the decision that each must give, and why."
_ASSUMPTIONS_HEADING = "The answers to what the request leaves open, as explicit assumptions."
_FILE_NAME = re.compile(r"[A-Za-z0-9_-]+\.py")
_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|\+00:00)")


@dataclass(frozen=True, slots=True)
class GuardAgentInfo:
    """The settings of GuardAgent in a session.

    ``toolbox`` names files of the session with functions for guardrail code; ``k`` demonstrations are
    retrieved for a call, and code that fails is corrected ``rounds`` times. As a guard of live calls it
    decides the calls that the policy allows; with ``beside`` also those that the policy denies.
    """

    toolbox: tuple[str, ...] = ()
    k: Annotated[Count, Field(ge=1, le=50)] = 3
    rounds: Annotated[Count, Field(le=20)] = 3
    beside: Flag = False


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """``session.toml``: what a session is called, who makes its policy, and when it was made.

    ``guard`` names the guards of live calls: the policy, or the policy and GuardAgent. ``extends`` is the
    folder of another session, from this one's: its baseline, which decides every call too. ``agents`` has the
    folders of sessions that extend this one, by the kinds of subagents whose calls each of them decides too.
    """

    format: Count
    name: str
    title: str = ""
    author: AuthorName = "written"
    created: str = ""
    guardagent: GuardAgentInfo = GuardAgentInfo()
    guard: tuple[str, ...] = POLICY_ALONE
    extends: str = ""
    agents: Mapping[str, str] = field(default_factory=dict[str, str])


def read_info(text: str) -> SessionInfo:
    """The information of a ``session.toml``. Raises FileError for a newer format, which it names."""
    place, data = TablePlace(SESSION, text), parse_toml(text, SESSION)
    version = data.get("format")
    if isinstance(version, int) and version > FORMAT:
        raise place.error(
            "format",
            f"the session has format {version}, which is newer than this workbench reads (up to {FORMAT}).",
            "Update the workbench.",
        )
    read = read_form(SessionInfo, data, place)
    if read.format < 1:
        raise place.error("format", f"the session has format {read.format}, which does not exist.")
    for name in read.guardagent.toolbox:
        if not is_function_file(name):
            raise place.below("guardagent").error(
                "toolbox", f'"{name}" is no name of a file.', 'Name files of the session, as ["limits.py"].'
            )
    if read.guard not in (POLICY_ALONE, WITH_GUARDAGENT):
        raise place.error(
            "guard",
            "a guard is the policy, or the policy and GuardAgent.",
            'Write guard = ["policy"] or guard = ["policy", "guardagent"].',
        )
    if read.extends and not _is_beside(read.extends):
        raise place.error(
            "extends", "the baseline is a folder beside this one.", 'Write it as extends = "../company".'
        )
    for kind, folder in read.agents.items():
        if not kind or kind != one_line(kind) or not _is_beside(folder):
            raise place.below("agents").error(
                kind, "the session of a kind of subagents is a folder beside this one.",
                'Write it as reviewer = "../reviewer".',
            )  # fmt: skip
    return read


def _is_beside(folder: str) -> bool:
    """Whether a text can be the folder of another session, from a session's own."""
    return folder != "" and folder == one_line(folder) and folder[0] not in "/~" and "\\" not in folder


def is_function_file(name: str) -> bool:
    """Whether a name can be that of a file of functions for guardrail code."""
    return _FILE_NAME.fullmatch(name) is not None


def write_info(info: SessionInfo, old: str = "") -> str:
    """The text of ``session.toml``."""
    return render(table_of(info, always=("title", "author")), old, path=SESSION)


def read_request(text: str) -> str:
    """The guard request. Raises FileError if it is too long to be read."""
    if len(text) > MOST_OF_REQUEST:
        raise TablePlace(REQUEST).error(
            None,
            f"has {len(text):,} characters, and at most {MOST_OF_REQUEST:,} are read.",
            "Keep the sentences that state rules, or make several sessions of them.",
        )
    return text


class AssumptionsFile(FileForm):
    """``assumptions.toml``: the answers to what the request leaves open."""

    assumption: tuple[Assumption, ...] = ()


def read_assumptions(text: str) -> tuple[Assumption, ...]:
    """The assumptions of an ``assumptions.toml``, at most one per question."""
    top = TablePlace(ASSUMPTIONS, text)
    read = read_form(AssumptionsFile, parse_toml(text, ASSUMPTIONS), top)
    ids: set[str] = set()
    questions: set[str] = set()
    for index, assumption in enumerate(read.assumption):
        place = top.below("assumption", index)
        if assumption.when and not _UTC.fullmatch(assumption.when):
            raise place.error("when", '"when" must be a time in UTC.', 'Write it as "2026-01-31T09:00:00Z".')
        if assumption.id in ids:
            raise place.error("id", f'the id "{assumption.id}" is used twice.')
        if assumption.question in questions:
            raise place.error("question", f'"{assumption.question}" is answered twice.', "Keep one answer.")
        ids.add(assumption.id)
        questions.add(assumption.question)
    return read.assumption


def write_assumptions(assumptions: Iterable[Assumption], old: str = "") -> str:
    """The text of ``assumptions.toml``."""
    tables = [table_of(assumption, always=("statement", "when")) for assumption in assumptions]
    data: dict[str, Toml] = {"assumption": tables} if tables else {}
    return render(data, old, path=ASSUMPTIONS, heading=_ASSUMPTIONS_HEADING)


class CaseForm(FileForm):
    """An input of the policy with the decision that it must give, and why.

    ``arguments`` are as TOML has them: which value of a case each is depends on its declared type.
    """

    id: str
    expected: Verdict
    reason: str = ""
    requirements: tuple[str, ...] = ()
    origin: CaseOrigin = "generated"
    arguments: dict[str, object] = Field({})


class CasesFile(FileForm):
    """``cases.toml``: the tests of a policy."""

    case: tuple[CaseForm, ...] = ()


def read_cases(
    text: str,
    types: Mapping[str, ArgumentType] | None = None,
    words: ArgumentWords = OWN_NAMES,
) -> tuple[Case, ...]:
    """The cases of a ``cases.toml``.

    ``types`` are the types of arguments, ``words`` what the file calls them. A value of another type is a
    mistake, unless the case expects ``cannot-evaluate``: then it may be the point of the case.

    The types have only what the rules read, so a change of a rule can change them: a field that they do not
    have is left out, and a generated case that does not fit is read as it stands, and fails.
    """
    top = TablePlace(CASES, text)
    read = read_form(CasesFile, parse_toml(text, CASES), top)
    cases: list[Case] = []
    seen_ids: set[str] = set()
    for index, case in enumerate(read.case):
        place = top.below("case", index)
        if case.id in seen_ids:
            raise place.error("id", f'the id "{case.id}" is used twice.')
        seen_ids.add(case.id)
        arguments = _arguments(case, types or {}, words, place.below("arguments"))
        cases.append(Case(**dict(case, arguments=arguments)))
    return tuple(cases)


def _arguments(
    case: CaseForm,
    types: Mapping[str, ArgumentType],
    words: ArgumentWords,
    place: TablePlace,
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    strict = case.expected is not Verdict.CANNOT_EVALUATE and case.origin != "generated"
    for name, value in words.from_file(case.arguments).items():
        try:
            decoded = decode_value(value, types.get(name), strict=strict)
        except ValueError as error:
            raise place.error(name, f'the argument "{name}" {error}.') from None
        values[name] = decoded
    return values


def write_cases(cases: Iterable[Case], old: str = "", words: ArgumentWords = OWN_NAMES) -> str:
    """The text of ``cases.toml``; ``words`` are what it calls the arguments."""
    tables: list[dict[str, Toml]] = []
    for case in cases:
        arguments = {name: encode_value(value) for name, value in words.in_file(case.arguments).items()}
        tables.append({**table_of(case, without=("arguments",)), "arguments": arguments})
    return render({"case": tables} if tables else {}, old, path=CASES, heading=_CASES_HEADING)


def read_memory(text: str) -> tuple[Demonstration, ...]:
    """The demonstrations of a ``memory.jsonl``, one JSON object per line."""
    demonstrations: list[Demonstration] = []
    for data, place in json_lines(text, MEMORY):
        plan = data.get("plan")
        if isinstance(plan, list) and (steps := len(cast("list[object]", plan))) != 4:
            raise place.error("plan", f'"plan" must have four steps, not {steps}.')
        demonstration = read_form(Demonstration, data, place)
        if any(demonstration.id == earlier.id for earlier in demonstrations):
            raise place.error("id", f'the id "{demonstration.id}" is used twice.')
        demonstrations.append(demonstration)
    return tuple(demonstrations)


def write_memory(demonstrations: Iterable[Demonstration]) -> str:
    """The text of ``memory.jsonl``."""
    lines: list[str] = []
    for item in demonstrations:
        if len(item.plan) != 4:
            raise SessionError(f'The demonstration "{item.id}" needs a plan of four steps.')
        lines.append(json.dumps(table_of(item, always=("enabled",)), ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)
