"""The other files of a session: ``session.toml``, assumptions, cases and demonstrations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, cast

from pydantic import Field

from workbench.files.strict_reading import (
    Count,
    FileForm,
    Flag,
    TablePlace,
    json_lines,
    parse_toml,
    read_form,
)
from workbench.model import ArgumentType, Assumption, Case, Demonstration, MadeBy, Value, Verdict
from workbench.session.session_error import SessionError
from workbench.session.toml_text import Toml, render
from workbench.session.toml_values import decode_value, encode_value

FORMAT = 1
SESSION = "session.toml"
ASSUMPTIONS = "assumptions.toml"
CASES = "cases.toml"
MEMORY = "memory.jsonl"

POLICY_ALONE = ("policy",)
WITH_GUARDAGENT = ("policy", "guardagent")

_CASES_HEADING = "Inputs of the policy with the decision that each must give, and why."
_ASSUMPTIONS_HEADING = "The answers to what the request leaves open, as explicit assumptions."
_FILE_NAME = re.compile(r"[A-Za-z0-9_-]+\.py")
_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|\+00:00)")


@dataclass(frozen=True, slots=True)
class GuardAgentInfo:
    """How GuardAgent works in a session.

    ``toolbox`` names files of the session with functions for guardrail code; ``k`` demonstrations are
    retrieved for a step, and code that fails is corrected ``rounds`` times. As a guard of live calls it
    stands behind the policy, or ``beside`` it: then it is asked about calls that the policy denies, too.
    """

    toolbox: tuple[str, ...] = ()
    k: Annotated[Count, Field(ge=1, le=50)] = 3
    rounds: Annotated[Count, Field(le=20)] = 3
    beside: Flag = False


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """The contents of ``session.toml``: a name, a title for people, the default author, when it was made.

    ``guard`` names the guards of live calls: the policy, or the policy and GuardAgent.
    """

    name: str
    title: str = ""
    author: str = "rules"
    created: str = ""
    guardagent: GuardAgentInfo = GuardAgentInfo()
    guard: tuple[str, ...] = POLICY_ALONE


class SessionFile(FileForm):
    """``session.toml``: what a session is called, who drafts by default, and when it was made."""

    format: Count
    name: str
    title: str = ""
    author: str = "rules"
    created: str = ""
    guard: tuple[str, ...] = POLICY_ALONE
    guardagent: GuardAgentInfo = GuardAgentInfo()


def read_info(text: str) -> SessionInfo:
    """The information of a ``session.toml``. A newer format is refused by name."""
    place, data = TablePlace(SESSION, text), parse_toml(text, SESSION)
    version = data.get("format")
    if isinstance(version, int) and version > FORMAT:
        raise place.error(
            "format",
            f"the session has format {version}, which is newer than this workbench reads (up to {FORMAT}).",
            "Update the workbench.",
        )
    read = read_form(SessionFile, data, place)
    if read.format < 1:
        raise place.error("format", f"the session has format {read.format}, which does not exist.")
    for name in read.guardagent.toolbox:
        if not _FILE_NAME.fullmatch(name):
            raise place.below("guardagent").error(
                "toolbox", f'"{name}" is no name of a file.', 'Name files of the session, as ["limits.py"].'
            )
    if read.guard not in (POLICY_ALONE, WITH_GUARDAGENT):
        raise place.error(
            "guard",
            "a guard is the policy, or the policy and GuardAgent.",
            'Write guard = ["policy"] or guard = ["policy", "guardagent"].',
        )
    return SessionInfo(read.name, read.title, read.author, read.created, read.guardagent, read.guard)


def write_info(info: SessionInfo, old: str = "") -> str:
    """The text of ``session.toml``."""
    data: dict[str, Toml] = {"format": FORMAT, "name": info.name, "title": info.title, "author": info.author}
    if info.created:
        data["created"] = info.created
    if info.guard != POLICY_ALONE:
        data["guard"] = [*info.guard]
    if info.guardagent != GuardAgentInfo():
        data["guardagent"] = {
            "toolbox": [*info.guardagent.toolbox],
            "k": info.guardagent.k,
            "rounds": info.guardagent.rounds,
            **({"beside": True} if info.guardagent.beside else {}),
        }
    return render(data, old, path=SESSION)


class AssumptionForm(FileForm):
    """The answer to what the request leaves open, as an explicit assumption."""

    id: str
    question: str
    value: str
    statement: str = ""
    made_by: MadeBy
    when: str = ""
    requirements: tuple[str, ...] = ()
    why: str = ""


class AssumptionsFile(FileForm):
    """``assumptions.toml``: the answers to what the request leaves open."""

    assumption: tuple[AssumptionForm, ...] = ()


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
    return tuple(Assumption(**dict(assumption)) for assumption in read.assumption)


def write_assumptions(assumptions: Iterable[Assumption], old: str = "") -> str:
    """The text of ``assumptions.toml``."""
    tables: list[dict[str, Toml]] = []
    for assumption in assumptions:
        table: dict[str, Toml] = {
            "id": assumption.id,
            "question": assumption.question,
            "value": assumption.value,
            "statement": assumption.statement,
            "made_by": assumption.made_by.value,
            "when": assumption.when,
        }
        if assumption.requirements:
            table["requirements"] = cast("list[Toml]", list(assumption.requirements))
        if assumption.why:
            table["why"] = assumption.why
        tables.append(table)
    data: dict[str, Toml] = {"assumption": tables} if tables else {}
    return render(data, old, path=ASSUMPTIONS, heading=_ASSUMPTIONS_HEADING)


class CaseForm(FileForm):
    """An input of the policy with the decision that it must give, and why."""

    id: str
    expected: Verdict
    reason: str = ""
    requirements: tuple[str, ...] = ()
    origin: Literal["generated", "model", "human", "log", "counterexample", "mutant", "demonstration"] = (
        "generated"
    )
    arguments: dict[str, object] = Field({})


class CasesFile(FileForm):
    """``cases.toml``: the tests of a policy."""

    case: tuple[CaseForm, ...] = ()


def read_cases(text: str, types: Mapping[str, ArgumentType] | None = None) -> tuple[Case, ...]:
    """The cases of a ``cases.toml``.

    ``types`` are the declared types of arguments. A value of another type is a mistake,
    unless the case expects ``cannot-evaluate``: then it may be what the case is about.
    """
    top = TablePlace(CASES, text)
    read = read_form(CasesFile, parse_toml(text, CASES), top)
    cases: list[Case] = []
    seen: set[str] = set()
    for index, case in enumerate(read.case):
        place = top.below("case", index)
        if case.id in seen:
            raise place.error("id", f'the id "{case.id}" is used twice.')
        seen.add(case.id)
        arguments = _arguments(case, types or {}, place.below("arguments"))
        cases.append(Case(case.id, arguments, case.expected, case.reason, case.requirements, case.origin))
    return tuple(cases)


def _arguments(case: CaseForm, types: Mapping[str, ArgumentType], place: TablePlace) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, value in case.arguments.items():
        try:
            strict = case.expected is not Verdict.CANNOT_EVALUATE
            values[name] = decode_value(value, types.get(name), strict=strict)
        except ValueError as error:
            raise place.error(name, f'the argument "{name}" {error}.') from None
    return values


def write_cases(cases: Iterable[Case], old: str = "") -> str:
    """The text of ``cases.toml``."""
    tables: list[dict[str, Toml]] = []
    for case in cases:
        table: dict[str, Toml] = {"id": case.id, "expected": case.expected.value, "reason": case.reason}
        if case.requirements:
            table["requirements"] = cast("list[Toml]", list(case.requirements))
        if case.origin != "generated":
            table["origin"] = case.origin
        table["arguments"] = {name: encode_value(value) for name, value in case.arguments.items()}
        tables.append(table)
    return render({"case": tables} if tables else {}, old, path=CASES, heading=_CASES_HEADING)


class DemonstrationForm(FileForm):
    """A line of ``memory.jsonl``: a task and how its guardrail was made."""

    id: str
    agent_input: str
    agent_output: str
    plan: tuple[str, ...]
    code: str
    enabled: Flag = True


def read_memory(text: str) -> tuple[Demonstration, ...]:
    """The demonstrations of a ``memory.jsonl``, one JSON object per line."""
    demonstrations: list[Demonstration] = []
    for data, place in json_lines(text, MEMORY):
        read = read_form(DemonstrationForm, data, place)
        plan = read.plan
        if len(plan) != 4:
            raise place.error("plan", f'"plan" must have four steps, not {len(plan)}.')
        if any(read.id == other.id for other in demonstrations):
            raise place.error("id", f'the id "{read.id}" is used twice.')
        steps = (plan[0], plan[1], plan[2], plan[3])
        demonstrations.append(
            Demonstration(read.id, read.agent_input, read.agent_output, steps, read.code, read.enabled)
        )
    return tuple(demonstrations)


def write_memory(demonstrations: Iterable[Demonstration]) -> str:
    """The text of ``memory.jsonl``."""
    lines: list[str] = []
    for item in demonstrations:
        if len(item.plan) != 4:
            raise SessionError(f'The demonstration "{item.id}" needs a plan of four steps.')
        record = {
            "id": item.id,
            "agent_input": item.agent_input,
            "agent_output": item.agent_output,
            "plan": list(item.plan),
            "code": item.code,
            "enabled": item.enabled,
        }
        lines.append(json.dumps(record, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)
