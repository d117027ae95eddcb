"""The other files of a session: ``session.toml``, assumptions, cases and demonstrations.

``strength.toml`` has the wrong versions of the policy that the contract may accept, each with the reason, and
``drafting.json`` the files that a model drafted whole, from which drafts are read.

The values of arguments in TOML: readable, and exact in both directions.

============ ===========================================================
bool         ``true``
int          ``17``
Decimal      ``12.50`` (read as an exact decimal, never as a float)
str, enum    ``"nursing"``
set          ``["diagnosis.icd9code", "patient.age"]`` (sorted)
date         ``2026-01-31``
time         ``09:00:00``
datetime     ``2026-01-31T09:00:00Z``
duration     ``"P1DT2H"`` (a day and two hours, in the form of ISO 8601)
record       ``{ payment_id = "gift_card_1", amount = 100 }``
list         ``[{ payment_id = "gift_card_1", amount = 100 }]``
None         ``{ none = true }``
============ ===========================================================

An argument that a case does not give has no key; the same holds for a field of a record. The agent's records
have fields that a policy does not read; if the policy reads a missing field, the case cannot be evaluated.
The names of record types are in the declared type only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import Field

from workbench.clean_text import one_line
from workbench.files.bounded_text import load_json, toml_read_once
from workbench.files.file_error import at
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
    Accepted,
    ArgumentType,
    Assumption,
    AuthorName,
    Case,
    CaseOrigin,
    Demonstration,
    Element,
    Json,
    Kind,
    RecordValue,
    Value,
    Verdict,
)
from workbench.policy.types import set_element
from workbench.policy.written import OWN_NAMES, ArgumentWords
from workbench.serialization.durations import duration_of, duration_text
from workbench.session.session_error import SessionError
from workbench.session.toml_json import table_of
from workbench.session.toml_text import Inline, Toml, compact, render

if TYPE_CHECKING:
    from workbench.author.model.whole_file.stored_drafting import KeptDrafting

FORMAT = 1
SESSION = "session.toml"
REQUEST = "request.md"
ASSUMPTIONS = "assumptions.toml"
CASES = "cases.toml"
MEMORY = "memory.jsonl"

POLICY_ALONE = ("policy",)
WITH_GUARDAGENT = ("policy", "guardagent")

MOST_OF_REQUEST = 400_000
"""The most characters of a request: more is a book by mistake."""

_CASES_HEADING = "Inputs of the policy with the decision that each must give, and why."
_ASSUMPTIONS_HEADING = "The answers to what the request leaves open, as explicit assumptions."
_FILE_NAME = r"[A-Za-z0-9_-]+\.py"
_UTC = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|\+00:00)"


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
    return re.fullmatch(_FILE_NAME, name) is not None


def write_info(info: SessionInfo) -> str:
    """The text of ``session.toml``."""
    return render(table_of(info, always=("title", "author")), "", path=SESSION)


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
        if assumption.when and not re.fullmatch(_UTC, assumption.when):
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
    read = read_form(CasesFile, parse_toml(text, CASES, toml_read_once), top)
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
            decoded = _decode_value(value, types.get(name), strict=strict)
        except ValueError as error:
            raise place.error(name, f'the argument "{name}" {error}.') from None
        values[name] = decoded
    return values


def write_cases(cases: Iterable[Case], old: str = "", words: ArgumentWords = OWN_NAMES) -> str:
    """The text of ``cases.toml``; ``words`` are what it calls the arguments."""
    tables: list[dict[str, Toml]] = []
    for case in cases:
        arguments = {name: _encode_value(value) for name, value in words.in_file(case.arguments).items()}
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


DRAFTING = "drafting.json"


def read_drafting(text: str) -> KeptDrafting | None:
    """The drafting of a ``drafting.json``; None if the text is empty. Raises FileError for a mistake."""
    if not text.strip():
        return None
    from workbench.author.model.whole_file.stored_drafting import KeptDrafting

    try:
        value = load_json(text)
    except ValueError as error:
        raise at(DRAFTING, f"is no JSON: {error}.", "Remove it and draft again.") from None
    if not isinstance(value, dict):
        raise at(DRAFTING, "is no JSON object.", "Remove it and draft again.")
    return read_form(KeptDrafting, cast("dict[str, object]", value), TablePlace(DRAFTING, text))


def write_drafting(drafting: KeptDrafting) -> str:
    """The text of ``drafting.json``; equal draftings give equal text."""
    return json.dumps(drafting.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


RESULTS = "results.json"


def read_results(text: str) -> Mapping[str, Mapping[str, Json]]:
    """The JSON schemas of results by the names of tools, of a ``results.json``. Raises FileError."""
    try:
        value = cast("Json", load_json(text or "{}"))
    except ValueError as error:
        raise at(RESULTS, f"is no JSON: {error}.", "Remove it: its schemas only propose.") from None
    if not isinstance(value, dict) or not all(isinstance(schema, dict) for schema in value.values()):
        raise at(RESULTS, "is no object of schemas by the names of tools.", "Remove it, or mend it.")
    return cast("Mapping[str, Mapping[str, Json]]", value)


STRENGTH = "strength.toml"
_STRENGTH_HEADING = (
    "Wrong versions of the policy that the contract may let pass, and why that does not matter."
)
_MUTANT = r"[0-9a-f]{12}"


class StrengthFile(FileForm):
    """``strength.toml``: the wrong versions that are accepted."""

    accepted: tuple[Accepted, ...] = ()


def read_accepted(text: str) -> tuple[Accepted, ...]:
    """The accepted wrong versions of a ``strength.toml``, at most one record for each version."""
    top = TablePlace(STRENGTH, text)
    read = read_form(StrengthFile, parse_toml(text, STRENGTH), top)
    seen_mutants: set[str] = set()
    for index, accepted in enumerate(read.accepted):
        place = top.below("accepted", index)
        if not re.fullmatch(_MUTANT, accepted.mutant):
            raise place.error("mutant", f'"{accepted.mutant}" is not the id of a wrong version.',
                              "`workbench strength` lists them.")  # fmt: skip
        if not accepted.reason.strip():
            raise place.error("reason", "a reason is needed.", "Say why it does not matter.")
        if accepted.mutant in seen_mutants:
            raise place.error("mutant", f'"{accepted.mutant}" is accepted twice.', "Keep one reason.")
        seen_mutants.add(accepted.mutant)
    return read.accepted


def write_accepted(accepted: Iterable[Accepted], old: str = "") -> str:
    """The text of ``strength.toml``, keeping a person's comments."""
    tables = [table_of(acceptance, always=("what",)) for acceptance in accepted]
    return render({"accepted": tables} if tables else {}, old, path=STRENGTH, heading=_STRENGTH_HEADING)


_KINDS: dict[Kind, tuple[type, str]] = {
    Kind.BOOL: (bool, "true or false"),
    Kind.INT: (int, "a whole number"),
    Kind.DECIMAL: (Decimal, "a number"),
    Kind.STR: (str, "a string"),
    Kind.ENUM: (str, "a string"),
    Kind.DATE: (date, "a date, as 2026-01-31"),
    Kind.TIME: (time, "a time, as 09:00:00"),
    Kind.DATETIME: (datetime, "a date with a time, as 2026-01-31T09:00:00Z"),
}


def _encode_value(value: Value) -> Toml:
    """The TOML value of an argument's value. Raises SessionError for one that TOML cannot hold."""
    if isinstance(value, RecordValue):
        return compact(_table(value))
    return _encoded(value)


def _encoded(value: Value) -> Toml:
    """The TOML value, an inline table if it is a table."""
    match value:
        case None:
            return Inline(none=True)
        case frozenset():
            return cast("list[Toml]", sorted(value))
        case RecordValue():
            return Inline(_table(value))
        case tuple():
            return [_encoded(element) for element in value]
        case timedelta():
            return duration_text(value)
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC)
        case time() if value.tzinfo is not None:
            message = f"The time {value} has a zone, which a session cannot hold; give it without one."
            raise SessionError(message)
        case _:
            return value


def _table(value: RecordValue) -> dict[str, Toml]:
    return {name: _encoded(held) for name, held in value.fields}


def _decode_value(value: object, declared: ArgumentType | None = None, *, strict: bool = True) -> Value:
    """The value of an argument from TOML.

    With a declared type, a whole number may be a decimal, a list may contain records, and a table is a
    record, of which fields that its type does not have are left out. A value that does not fit the declared
    type is read without the type, unless ``strict``. Raises ValueError whose text says what was expected;
    callers add the place.
    """
    try:
        return _plain(value) if declared is None else _decoded(value, declared, strict)
    except ValueError:
        if strict or declared is None:
            raise
        return _plain(value)


def _decoded(value: object, declared: ArgumentType, strict: bool) -> Value:
    if value == {"none": True} and (declared.optional or not strict):
        return None
    match declared.kind:
        case Kind.RECORD:
            return _record(value, declared, strict)
        case Kind.LIST:
            return _list(value, declared, strict)
        case Kind.SET:
            return _set(value, declared)
        case Kind.DURATION:
            duration = duration_of(value) if isinstance(value, str) else None
            if duration is None:
                raise _expected('a duration, as "P1DT2H"', declared)
            return duration
        case Kind.DECIMAL if type(value) is int:
            return Decimal(value)
        case _:
            kind, type_words = _KINDS[declared.kind]
            plain_value = _plain(value)
            if type(plain_value) is not kind:
                raise _expected(type_words, declared)
            return plain_value


def _expected(description: str, declared: ArgumentType) -> ValueError:
    return ValueError(f"must be {description}{' or { none = true }' if declared.optional else ''}")


def _set(value: object, declared: ArgumentType) -> Value:
    kind, element_words = (
        (int, "whole numbers") if set_element(declared).kind is Kind.INT else (str, "strings")
    )
    members = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(type(member) is kind for member in members):
        raise _expected(f"a list of {element_words}", declared)
    return frozenset(cast("list[str]", members))


def _list(value: object, declared: ArgumentType, strict: bool) -> Value:
    if not isinstance(value, list) or declared.element is None:
        raise _expected("a list", declared)
    elements: list[Element] = []
    for number, item in enumerate(cast("list[object]", value), 1):
        try:
            elements.append(cast("Element", _decode_value(item, declared.element, strict=strict)))
        except ValueError as error:
            raise ValueError(f"has the element {number}, which {error}") from None
    return tuple(elements)


def _record(value: object, declared: ArgumentType, strict: bool) -> Value:
    record = declared.record
    if not isinstance(value, dict) or record is None:
        raise _expected("a table", declared)
    table = cast("Mapping[str, object]", value)
    fields: list[tuple[str, Value]] = []
    for name in [name for name, _ in record.fields if name in table]:
        try:
            fields.append((name, _decode_value(table[name], record.field(name), strict=strict)))
        except ValueError as error:
            raise ValueError(f'has the key "{name}", which {error}') from None
    return RecordValue(record.name, tuple(fields))


def _plain(value: object) -> Value:
    """A value without a declared type: lists of strings are sets, tables are records without a name."""
    if value == {"none": True}:
        return None
    if isinstance(value, list):
        items = cast("list[object]", value)
        if all(isinstance(item, str) for item in items):
            return frozenset(cast("list[str]", items))
        return tuple(cast("Element", _plain(item)) for item in items)
    if isinstance(value, dict):
        table = cast("Mapping[str, object]", value)
        return RecordValue("", tuple((name, _plain(held)) for name, held in table.items()))
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError("must be a finite number")
    if isinstance(value, bool | int | Decimal | str | date | time | datetime):
        return value
    raise ValueError("must be a value, a list, a table or { none = true }")
