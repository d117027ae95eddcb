"""The other files of a session: ``session.toml``, assumptions, cases and demonstrations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from workbench.model import ArgumentType, Assumption, Case, Demonstration, MadeBy, Value, Verdict
from workbench.session.errors import SessionError
from workbench.session.fields import Fields, json_lines, nearest, parse_toml
from workbench.session.toml_text import Toml, render
from workbench.session.values import decode_value, encode_value

FORMAT = 1
SESSION = "session.toml"
ASSUMPTIONS = "assumptions.toml"
CASES = "cases.toml"
MEMORY = "memory.jsonl"

_ORIGINS = ("generated", "model", "human", "log", "counterexample", "mutant")
_CASES_HEADING = "Inputs of the policy with the decision that each must give, and why."
_ASSUMPTIONS_HEADING = "The answers to what the request leaves open, as explicit assumptions."
_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|\+00:00)")


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What ``session.toml`` says: a name, a title for people, the default author, when it was made."""

    name: str
    title: str = ""
    author: str = "rules"
    created: str = ""


def read_info(text: str) -> SessionInfo:
    """The information of a ``session.toml``. A newer format is refused by name."""
    fields = Fields(parse_toml(text, SESSION), SESSION, text)
    version = fields.integer("format")
    if version > FORMAT:
        raise fields.error(
            "format",
            f"the session has format {version}, which is newer than this workbench reads (up to {FORMAT}).",
            "Update the workbench.",
        )
    if version < 1:
        raise fields.error("format", f"the session has format {version}, which does not exist.")
    fields.only("format", "name", "title", "author", "created")
    return SessionInfo(
        fields.string("name"),
        fields.string("title", ""),
        fields.string("author", "rules"),
        fields.string("created", ""),
    )


def write_info(info: SessionInfo, old: str = "") -> str:
    """The text of ``session.toml``."""
    data: dict[str, Toml] = {"format": FORMAT, "name": info.name, "title": info.title, "author": info.author}
    if info.created:
        data["created"] = info.created
    return render(data, old, path=SESSION)


def read_assumptions(text: str) -> tuple[Assumption, ...]:
    """The assumptions of an ``assumptions.toml``, at most one per question."""
    top = Fields(parse_toml(text, ASSUMPTIONS), ASSUMPTIONS, text).only("assumption")
    found: list[Assumption] = []
    for fields in top.array("assumption"):
        fields.only("id", "question", "value", "statement", "made_by", "when", "requirements", "why")
        assumption = Assumption(
            id=fields.string("id"),
            question=fields.string("question"),
            value=fields.string("value"),
            statement=fields.string("statement", ""),
            made_by=fields.choice("made_by", MadeBy),
            when=fields.string("when", ""),
            requirements=fields.strings("requirements"),
            why=fields.string("why", ""),
        )
        if assumption.when and not _UTC.fullmatch(assumption.when):
            raise fields.error("when", '"when" must be a time in UTC.', 'Write it as "2026-01-31T09:00:00Z".')
        if any(assumption.id == other.id for other in found):
            raise fields.error("id", f'the id "{assumption.id}" is used twice.')
        if any(assumption.question == other.question for other in found):
            raise fields.error("question", f'"{assumption.question}" is answered twice.', "Keep one answer.")
        found.append(assumption)
    return tuple(found)


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


def read_cases(text: str, types: Mapping[str, ArgumentType] | None = None) -> tuple[Case, ...]:
    """The cases of a ``cases.toml``.

    ``types`` are the declared types of arguments. A value of another type is a mistake,
    unless the case expects ``cannot-evaluate``: then it may be what the case is about.
    """
    top = Fields(parse_toml(text, CASES), CASES, text).only("case")
    found: list[Case] = []
    seen: set[str] = set()
    for fields in top.array("case"):
        fields.only("id", "expected", "reason", "requirements", "origin", "arguments")
        expected = fields.choice("expected", Verdict)
        origin = fields.string("origin", "generated")
        if origin not in _ORIGINS:
            raise fields.error("origin", f'"origin" cannot be "{origin}".', nearest(origin, _ORIGINS))
        case_id = fields.string("id")
        if case_id in seen:
            raise fields.error("id", f'the id "{case_id}" is used twice.')
        seen.add(case_id)
        arguments = _arguments(fields.table("arguments"), types or {}, expected)
        found.append(
            Case(
                case_id,
                arguments,
                expected,
                fields.string("reason", ""),
                fields.strings("requirements"),
                origin,
            )
        )
    return tuple(found)


def _arguments(fields: Fields, types: Mapping[str, ArgumentType], expected: Verdict) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, value in fields.data.items():
        try:
            try:
                values[name] = decode_value(value, types.get(name))
            except ValueError:
                if expected is not Verdict.CANNOT_EVALUATE:
                    raise
                values[name] = decode_value(value)
        except ValueError as error:
            raise fields.error(name, f'the argument "{name}" {error}.') from None
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


def read_memory(text: str) -> tuple[Demonstration, ...]:
    """The demonstrations of a ``memory.jsonl``, one JSON object per line."""
    found: list[Demonstration] = []
    for fields in json_lines(text, MEMORY):
        fields.only("id", "agent_input", "agent_output", "plan", "code", "enabled")
        plan = fields.strings("plan", None)
        if len(plan) != 4:
            raise fields.error("plan", f'"plan" must have four steps, not {len(plan)}.')
        demonstration = Demonstration(
            fields.string("id"),
            fields.string("agent_input"),
            fields.string("agent_output"),
            (plan[0], plan[1], plan[2], plan[3]),
            fields.string("code"),
            fields.boolean("enabled", True),
        )
        if any(demonstration.id == other.id for other in found):
            raise fields.error("id", f'the id "{demonstration.id}" is used twice.')
        found.append(demonstration)
    return tuple(found)


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
