"""Write ``docs/reference/schemas``: a JSON Schema of each file of a session, and of the commands' output.

The schema of a command's output takes the types from the annotations of what its form reads.
Run by ``make docs``; a test compares the files with the output of this script.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from inspect import get_annotations, getattr_static
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, RootModel

from workbench import model
from workbench.app.json_output.agents import GUARDED, LIVE, MEMORY_CHANGE, RETRIEVED
from workbench.app.json_output.nouns import CASE, CASES, DEMONSTRATION, PROOF, PROPOSAL, QUESTION, THEOREM
from workbench.app.json_output.report import REPORT
from workbench.app.json_output.results import (
    ACCEPTED,
    ASSUMED,
    CHANGE,
    CHOICE_PREVIEW,
    COMPLETION,
    DIAGNOSIS,
    EVIDENCE_REPORT,
    GRANTS,
    HOOK_REPORT,
    KEPT_CASE,
    LABEL_SCORES,
    OFFERED,
    OVERLAPS,
    RESCUED,
    REWORDING_PREVIEW,
    SAID,
    SAY_PREVIEW,
    SESSION_CHANGE,
    UNDERSTANDING,
)
from workbench.app.json_output.runs import DENIED, JUDGED, STRATEGIES
from workbench.author.model.recording import StoredCall
from workbench.author.model.whole_file.stored_drafting import KeptDrafting
from workbench.check.strength import STRENGTH
from workbench.files.strict_reading import NounForm
from workbench.guard.strategy import PersonsAnswer
from workbench.model import Arguments, Demonstration, Json, Value, Verdict, Violation
from workbench.runs.replay.explanation import EXPLANATION
from workbench.runs.replay.record import CALL
from workbench.serialization.json_form import FORMS, JsonForm, Nested
from workbench.session.accepted_version import AcceptedVersion
from workbench.session.agent_file import AgentFile
from workbench.session.guardagent_file import GuardAgentRecord
from workbench.session.journal import Line
from workbench.session.merged_draft import MergedDraft
from workbench.session.session_files import AssumptionsFile, CasesFile, SessionInfo, StrengthFile
from workbench.tui.keys_form import KeysFile


class _DecidedCall(BaseModel):
    """A line about a call. ``instance`` tells runs of one name apart."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["workbench-decision/1"]
    run: str
    instance: str = ""
    call: int


class LookUpRecord(BaseModel):
    """A look-up that decided a call: the answer, or the reason why there is none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str
    arguments: dict[str, Json]
    result: str | None = None
    failed: bool = False
    why: str = ""


class DecisionRecord(_DecidedCall):
    """A decision on a call.

    ``decision`` is the policy's; ``runs`` says whether the call ran, ``refused_because`` why it did not
    although the policy may allow it, ``trusted`` that it ran as a new plan under a strategy that does not
    enforce. ``granted`` are the ids of the grants by which it ran, ``answer`` what a person said who was
    asked. ``action`` numbers what the agent did at once, where that are several calls. ``arguments`` is the
    JSON text of what the tool received; ``context``, ``arguments`` and ``policy_arguments`` are missing where
    none are kept or known.
    """

    time: str
    tool: str
    call_id: str
    decision: Verdict
    violations: tuple[Violation, ...]
    reasons: tuple[str, ...]
    runs: bool
    shadow: bool
    approved_by: str
    refused_because: str
    granted: tuple[str, ...] = ()
    answer: PersonsAnswer = PersonsAnswer.NOT_ASKED
    trusted: bool = False
    action: int | None = None
    context: dict[str, Json] = {}
    arguments: str | None = None
    look_ups: tuple[LookUpRecord, ...] = ()
    policy_arguments: dict[str, Json] = {}


class ResultRecord(_DecidedCall):
    """The result of a call, once it is known; null if the call ended and its effect is not known."""

    result: str | None
    failed: bool = False


class SaidRecord(BaseModel):
    """A message of the run: who said it, and its text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    text: str | None


class MessageRecord(BaseModel):
    """A message that the guard heard; it came before the calls of the lines after it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["workbench-decision/1"]
    run: str
    instance: str = ""
    message: SaidRecord


class EndRecord(BaseModel):
    """The end of a run: ``state`` in a word, and what else is known of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["workbench-decision/1"]
    run: str
    instance: str = ""
    ended: dict[str, Json]


class JournalLine(RootModel[Line]):
    """A line of ``.workbench/journal.jsonl``. ``old`` or ``new`` is null where the file does not exist."""

    model_config = ConfigDict(defer_build=True)


class DecisionLine(RootModel[DecisionRecord | ResultRecord | MessageRecord | EndRecord]):
    """A line of a decision log."""


# The forms of the output of these commands with --json. The name of a command of a group follows that of the
# group, the name of an option that of its command. Where several lines are printed, it is the form of a line.
PRINTED: Mapping[str, JsonForm[Any] | Nested] = {
    "guardagent": GUARDED,
    "memory": MEMORY_CHANGE,
    "memory-effect": MEMORY_CHANGE,
    "memory-list": Nested(DEMONSTRATION, many=True),
    "memory-rank": Nested(RETRIEVED, many=True),
    "denials": DENIED,
    "denials-judge": JUDGED,
    "explain": EXPLANATION,
    "replay": CALL,
    "strategies": STRATEGIES,
    "answer": SESSION_CHANGE,
    "answer-preview": CHOICE_PREVIEW,
    "ask": UNDERSTANDING,
    "assumptions": Nested(ASSUMED, many=True),
    "cases": Nested(CASE, many=True),
    "cases-expect": KEPT_CASE,
    "cases-remove": CASE,
    "check": REPORT,
    "diff": CHANGE,
    "doctor": Nested(DIAGNOSIS, many=True),
    "evaluate": LABEL_SCORES,
    "evidence": EVIDENCE_REPORT,
    "grant": GRANTS,
    "hook-report": HOOK_REPORT,
    "live": LIVE,
    "new": RESCUED,
    "overlaps": OVERLAPS,
    "propose": PROPOSAL,
    "say": SAY_PREVIEW,
    "say-for": REWORDING_PREVIEW,
    "say-all": SAID,
    "say-complete": COMPLETION,
    "say-suggested": Nested(OFFERED, many=True),
    "strength": STRENGTH,
    "strength-accept": ACCEPTED,
    "strength-case": QUESTION,
    "test": CASES,
    "theorems": Nested(THEOREM, many=True),
    "theorems-keep": KEPT_CASE,
    "verify": PROOF,
}

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference" / "schemas"
FILES: dict[str, type] = {
    "session.json": SessionInfo,
    "agent.json": AgentFile,
    "assumptions.json": AssumptionsFile,
    "cases.json": CasesFile,
    "accepted.json": AcceptedVersion,
    "draft.json": MergedDraft,
    "drafting.json": KeptDrafting,
    "strength.json": StrengthFile,
    "memory.json": Demonstration,
    "calls.json": StoredCall,
    "guardagent.json": GuardAgentRecord,
    "journal.json": JournalLine,
    "keys.json": KeysFile,
    "decisions.json": DecisionLine,
}
_PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}
RESULTS = {f"result-{name}.json": form for name, form in PRINTED.items()}


def schema(form: type | JsonForm[Any] | Nested) -> str:
    """The text of a form's schema."""
    content = _table_schema(form) if isinstance(form, type) else _whole_schema(form)
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **content}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _table_schema(form: type) -> dict[str, Any]:
    if issubclass(form, BaseModel):
        return form.model_json_schema()
    definitions = NounForm[form].model_json_schema()["$defs"]
    table = definitions.pop(form.__name__)
    return {"$defs": definitions, **table} if definitions else table


def _whole_schema(form: JsonForm[Any] | Nested) -> dict[str, Json]:
    """The JSON Schema of the output of a form, with the schemas of the forms in it."""
    definitions: dict[str, Json] = {}
    top = (
        _object_schema(form, definitions) if isinstance(form, JsonForm) else _nested_schema(form, definitions)
    )
    return {**top, "$defs": dict(sorted(definitions.items()))} if definitions else top


def _nested_schema(nested: Nested, definitions: dict[str, Json]) -> dict[str, Json]:
    schema = _object_schema(nested.form, definitions)
    if nested.none:
        return {"anyOf": [schema, {"type": "null"}]}
    return {"type": "array", "items": schema} if nested.many else schema


def _object_schema(form: JsonForm[Any], definitions: dict[str, Json]) -> dict[str, Json]:
    """The schema of the object, with those of other forms among ``definitions``."""
    properties = _properties(form, definitions)
    about: dict[str, Json] = {}
    if FORMS.get(form.of) is form:
        about = {"title": form.of.__name__, "description": (form.of.__doc__ or "").partition("\n")[0]}
    return {
        **about,
        "type": "object",
        "properties": {name.removesuffix("?"): kind for name, kind in properties.items()},
        "required": [name for name in properties if not name.endswith("?")],
        "additionalProperties": False,
    }


def _properties(form: JsonForm[Any], definitions: dict[str, Json]) -> dict[str, Json]:
    properties: dict[str, Json] = {}
    for name, read in form.fields:
        if not isinstance(read, Nested):
            properties[name] = _schema(_type_of(form.of, read), definitions)
        elif name:
            properties[name] = _nested_schema(read, definitions)
        else:
            properties |= _properties(read.form, definitions)
    return properties


def _type_of(held_by: Any, read: str | Callable[[Any], object]) -> Any:
    """The annotated type of what a path leads to, or the result type of a function."""
    if not isinstance(read, str):
        return get_type_hints(read)["return"]
    for name in read.split("."):
        if name.isdigit():
            held_by = get_args(_named(held_by))[int(name)]
            continue
        held = getattr_static(held_by, name, None)
        getter = held.fget if isinstance(held, property) else None
        held_by = _returned(getter) if getter is not None else _annotated(held_by, name)
    return held_by


def _named(kind: Any) -> Any:
    """The type that a name stands for."""
    if isinstance(kind, TypeAliasType):
        return kind.__value__
    origin = get_origin(kind)
    return origin.__value__[get_args(kind)] if isinstance(origin, TypeAliasType) else kind


def _returned(getter: Callable[[Any], object]) -> Any:
    """The type of a property."""
    return get_type_hints(getter, _names(getter.__module__))["return"]


def _annotated(of: type, name: str) -> Any:
    """The type of one attribute; other annotations may have names that only a type checker knows."""
    declared_by = next(base for base in of.__mro__ if name in get_annotations(base))
    alone = {"__annotations__": {name: get_annotations(declared_by)[name]}}
    return get_type_hints(type(of.__name__, (), alone), _names(declared_by.__module__))[name]


def _names(module: str) -> dict[str, Any]:
    """The names of a module; those that only a type checker imports there are of nouns, or have a form."""
    return {**vars(model), **{kind.__name__: kind for kind in FORMS}, **vars(sys.modules[module])}


def _schema(kind: Any, definitions: dict[str, Json]) -> dict[str, Json]:
    """The schema of a type; the schema of a result with a form is among the definitions."""
    if kind is Arguments:
        return {"type": "object"}
    if kind in (Value, Json):
        return {}
    if isinstance(kind, TypeAliasType):
        return _schema(_named(kind), definitions)
    if get_args(kind):
        return _composed(get_origin(kind), get_args(kind), definitions)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if kind.__name__ not in definitions:
        definitions[kind.__name__] = {}  # it may contain itself
        definitions[kind.__name__] = _object_schema(FORMS[kind], definitions)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _composed(origin: Any, of: tuple[Any, ...], definitions: dict[str, Json]) -> dict[str, Json]:
    if origin is Literal:
        return {"enum": [*of]}
    if origin in (UnionType, Union):
        return {"anyOf": [_schema(type_, definitions) for type_ in of]}
    if origin is Mapping or origin is dict:
        return {"type": "object", "additionalProperties": _schema(of[1], definitions)}
    if origin is tuple and of[1:] != (...,):
        places: list[Json] = [_schema(type_, definitions) for type_ in of]
        return {"type": "array", "prefixItems": places, "minItems": len(of), "maxItems": len(of)}
    return {"type": "array", "items": _schema(of[0], definitions)}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, form in {**FILES, **RESULTS}.items():
        (FOLDER / name).write_text(schema(form))
