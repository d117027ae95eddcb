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
from typing import Any, Literal, TypeAliasType, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, RootModel

from workbench import model
from workbench.app.agent import Proposal
from workbench.app.cases import KeptCase
from workbench.app.doctor import Diagnosis
from workbench.app.from_settings import Rescued
from workbench.app.grants import GRANTS
from workbench.app.guardagent_calls import GuardAgentCall
from workbench.app.hook_report import HookReport
from workbench.app.judging import DeniedCalls, Judged
from workbench.app.labelled_calls import LabelScores
from workbench.app.live import LiveReport
from workbench.app.memory import MemoryChange
from workbench.app.proof import EvidenceReport
from workbench.app.report import Report
from workbench.app.results import Assumed, ChoicePreview, PolicyChange, Understanding
from workbench.app.rewording import RewordingPreview
from workbench.app.sentences import SayPreview
from workbench.app.suggestions import Offered
from workbench.app.what_changed import SESSION_CHANGE
from workbench.author.model.recording import StoredCall
from workbench.author.model.whole_file.stored_drafting import KeptDrafting
from workbench.check.disputed_input import DisputedInput
from workbench.check.evidence import Evidence
from workbench.check.policy_overlaps import PolicyOverlap
from workbench.check.strength import StrengthReport
from workbench.engines.smt.diff import SemanticDiff
from workbench.files.strict_reading import NounForm
from workbench.guard.strategy import PersonsAnswer
from workbench.guardagent.guard_agent import GuardAgentResult
from workbench.language.completion import Completion
from workbench.language.language import Said
from workbench.memory.retrieval import Retrieved
from workbench.memory.retrieval_order import RetrievalChange
from workbench.model import (
    Accepted,
    Arguments,
    CallDecision,
    Case,
    Demonstration,
    Json,
    Proof,
    Question,
    TheoremVerdict,
    Value,
    Verdict,
    Violation,
)
from workbench.policy.merge import MergeConflict
from workbench.policy.terms import Clause
from workbench.runs.replay.explanation import CallExplanation
from workbench.runs.replay.flips import Flip
from workbench.runs.replay.grouping import DenialGroup
from workbench.runs.replay.strategy_comparison import StrategyComparison
from workbench.serialization.json_form import FORMS, JsonForm, Nested
from workbench.serialization.nouns import CASES
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


# Their forms belong to what the results below hold.
HELD = (
    Clause,
    DenialGroup,
    DisputedInput,
    Evidence,
    Flip,
    GuardAgentResult,
    MergeConflict,
    RetrievalChange,
    SemanticDiff,
)
# What these commands print with --json: a class of results, or a form of its own. The name of a command of a
# group follows that of the group, the name of an option that of its command. Where several lines are printed,
# it is what a line has.
PRINTED: Mapping[str, JsonForm[Any] | type] = {
    "guardagent": GuardAgentCall,
    "memory": MemoryChange,
    "memory-effect": MemoryChange,
    "memory-list": list[Demonstration],
    "memory-rank": list[Retrieved],
    "denials": DeniedCalls,
    "denials-judge": Judged,
    "explain": CallExplanation,
    "replay": CallDecision,
    "strategies": StrategyComparison,
    "answer": SESSION_CHANGE,
    "answer-preview": ChoicePreview,
    "ask": Understanding,
    "assumptions": list[Assumed],
    "cases": list[Case],
    "cases-expect": KeptCase,
    "cases-case": Case,
    "cases-remove": Case,
    "check": Report,
    "diff": PolicyChange,
    "doctor": list[Diagnosis],
    "evaluate": LabelScores,
    "evidence": EvidenceReport,
    "grant": GRANTS,
    "hook-report": HookReport,
    "live": LiveReport,
    "new": Rescued,
    "overlaps": list[PolicyOverlap],
    "propose": Proposal,
    "say": SayPreview,
    "say-for": RewordingPreview,
    "say-all": Said,
    "say-complete": Completion,
    "say-suggested": list[Offered],
    "strength": StrengthReport,
    "strength-accept": Accepted,
    "strength-case": Question,
    "test": CASES,
    "theorems": list[TheoremVerdict],
    "theorems-keep": KeptCase,
    "verify": Proof,
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
_PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string", Path: "string", NoneType: "null"}
RESULTS = {
    f"result-{name}.json": form if isinstance(form, JsonForm) or get_args(form) else FORMS[form]
    for name, form in PRINTED.items()
}


def schema(form: Any) -> str:
    """The text of a form's schema."""
    is_table = isinstance(form, type) and not get_args(form)
    content = _table_schema(form) if is_table else _whole_schema(form)
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **content}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _table_schema(form: type) -> dict[str, Any]:
    if issubclass(form, BaseModel):
        return form.model_json_schema()
    definitions = NounForm[form].model_json_schema()["$defs"]
    table = definitions.pop(form.__name__)
    return {"$defs": definitions, **table} if definitions else table


def _whole_schema(form: Any) -> dict[str, Json]:
    """The JSON Schema of the output of a form, with the schemas of the forms in it."""
    definitions: dict[str, Json] = {}
    if isinstance(form, JsonForm):
        top = _object_schema(cast("JsonForm[Any]", form), definitions)
    else:
        top = _schema(form, definitions)
    return {**top, "$defs": dict(sorted(definitions.items()))} if definitions else top


def _nested_schema(form: JsonForm[Any], nested: Nested, definitions: dict[str, Json]) -> dict[str, Json]:
    schema = _object_schema(form, definitions)
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
        elif read.form is None:
            properties |= _properties(FORMS[_type_of(form.of, read.of)], definitions)
        elif name:
            properties[name] = _nested_schema(read.form, read, definitions)
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
