"""The nouns of the workbench: frozen, typed values that all its parts exchange.

This module does no input or output, and imports no other part of the workbench. A mapping inside a frozen
value must not be changed after construction. A noun with the keys of a table in a file is the definition of
that table, with its fields in the order in which they are written.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

type Scalar = bool | int | Decimal | str | date | time | datetime | timedelta
type Element = Scalar | RecordValue
type Value = Scalar | RecordValue | frozenset[str] | frozenset[int] | tuple[Element, ...] | None
type Arguments = Mapping[str, Value]
type Bounds = tuple[int | Decimal | None, int | Decimal | None]
"""The bounds that a number lies between, both included; None is no bound."""
type Members = frozenset[str] | frozenset[int] | frozenset[Scalar | RecordValue]
type Between = Bounds | Members | RecordValue
"""What is known of an undetermined value: bounds of a number, members that a set certainly has, or a record
with only those of its fields that are known."""
NO_BOUNDS: Mapping[str, Between] = MappingProxyType({})
NO_ITEMS: Mapping[str, tuple[Provenance, ...]] = MappingProxyType({})
_NO_PARTS: Mapping[str, Verdict] = MappingProxyType({})
"""What is known of undetermined arguments where nothing is."""
type Json = bool | int | float | str | list[Json] | dict[str, Json] | None


# --- request and agent spec -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters ``[start, end)`` in a text, with its first line (from 1)."""

    start: int
    end: int
    line: int = 1


NOWHERE = Span(0, 0)
"""The place of what is in no sentence of the request."""


def span_of(text: str, start: int, end: int) -> Span:
    """The span of ``text[start:end]``, with the line in which it starts."""
    return Span(start, end, text.count("\n", 0, start) + 1)


class SentenceRole(StrEnum):
    """The role of a sentence in the request."""

    REQUIREMENT = "requirement"
    CONTEXT = "context"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, table row or card of the request, and its reading.

    ``why`` is the reason why context states no rule.
    """

    text: str
    span: Span
    role: SentenceRole
    requirements: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One normative statement of the request, with its place in the text.

    ``text`` is the present reading of the sentence (refined by assumptions). ``quote`` is the unchanged text
    of the request that it comes from.
    """

    id: str
    text: str
    quote: str
    span: Span


class Kind(StrEnum):
    """The kinds of argument that a policy may take."""

    BOOL = "bool"
    INT = "int"
    DECIMAL = "decimal"
    STR = "str"
    ENUM = "enum"
    SET = "set"
    DATE = "date"
    TIME = "time"
    DATETIME = "datetime"
    DURATION = "duration"
    RECORD = "record"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class RecordType:
    """The type of a thing of the agent's world: its name in a policy, and its fields in order.

    A field is a scalar, a set or a list, and never another record: an id names a separate record.
    """

    name: str
    fields: tuple[tuple[str, ArgumentType], ...]

    def field(self, name: str) -> ArgumentType | None:
        """The type of a field, or None if there is no field of this name."""
        return next((type_ for own, type_ in self.fields if own == name), None)


MOST_ELEMENTS = 1000
"""The most elements of a list that a policy reads."""


@dataclass(frozen=True, slots=True)
class RecordValue:
    """A record with the values of its fields in the order of its type; a policy reads them as attributes.

    A field may also have the name ``type`` or ``fields``, so read a field by its name with ``field_of``.
    """

    type: str
    fields: tuple[tuple[str, Value], ...]

    def __getattr__(self, name: str) -> Value:
        """The value of a field; raises AttributeError if there is none."""
        return field_of(self, name)


def field_of(record: RecordValue, name: str) -> Value:
    """The value of a field of a record, for any name; raises AttributeError if there is none."""
    for field_name, value in record.fields:
        if field_name == name:
            return value
    raise AttributeError(f"{record.type} has no field {name}")


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """The type of an argument.

    ``values`` are the members of an enum, in order. For a str or a set they are the known vocabulary, which
    makes examples readable and restricts nothing. ``places`` counts the decimal places of a decimal: a finer
    value cannot be evaluated. An ``optional`` argument may be None, which the policy has to handle.
    ``record`` is the type of a record; ``element`` is the type of the elements of a list (a scalar or a
    record, never optional), and of a set whose elements are ints.
    """

    kind: Kind
    values: tuple[str, ...] = ()
    optional: bool = False
    places: int = 2
    record: RecordType | None = None
    element: ArgumentType | None = None

    def __hash__(self) -> int:
        """A hash of the fields that are fast to hash, for the many types of variables and fields."""
        return hash((self.kind, self.optional, self.places, len(self.values)))


@dataclass(frozen=True, slots=True)
class Extraction:
    """How a reading reads a text: the name of a method, and its options."""

    method: str
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class CallExpression:
    """An expression of the dialect over a call and its run, as in a policy that speaks of calls.

    It is about calls of ``tool``, or of any tool if that is empty; only calls of ``tools`` have it, if there
    are any. ``fields`` are further fields of the elements of a list, each an expression over the element
    ``x``, by their path from the argument.
    """

    text: str
    tool: str = ""
    tools: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def texts(self) -> tuple[str, ...]:
        """Its text and those of its fields."""
        return (self.text, *self.fields.values())

    def plays_for(self, tool: str | None) -> bool:
        """Whether calls of a tool may have it; any may that is not known."""
        tools = self.tools or ((self.tool,) if self.tool else ())
        return not tools or tool is None or tool in tools


TOOL_ARGUMENT = "tool"
"""The name of the argument that is the tool of a call."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A typed input of the policy, and the expression that it stands for; ``tool`` is the tool of a call."""

    name: str
    type: ArgumentType
    description: str = ""
    expression: CallExpression | None = None


@dataclass(frozen=True, slots=True)
class RecordField:
    """A field of a record: its type, and its place in a tool's result about the record.

    An empty ``path`` means the name. ``where`` keeps the members of a list that have these values. ``kind``
    is the kind of value by which a text is read, such as ``mail_address``, with the ``options`` of the kind.
    ``of`` names the record of
    a list's elements; it is empty for a list of scalars. ``normal`` is the normal form of a text: ``code``
    without blanks and in capitals, ``unspaced`` without blanks, ``statement`` without blanks at its ends and
    closing semicolons.
    """

    name: str
    type: ArgumentType
    path: str = ""
    where: Mapping[str, Json] = field(default_factory=dict[str, Json])
    kind: str = ""
    of: str = ""
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    normal: str = ""


@dataclass(frozen=True, slots=True)
class RecordResult:
    """A tool's result that has records: the tool, the path to them, and the path of the key in the call.

    Without ``key``, the key is in the record itself, or in the call's argument of that name.
    """

    tool: str
    path: str = "$"
    key: str = ""


@dataclass(frozen=True, slots=True)
class LookUpTool:
    """The read-only tool that gives a record by its key; the value ``key`` of an argument means the key."""

    tool: str
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Record:
    """A thing of the agent's world, and how the calls of a run determine its present value.

    ``results`` are the results that contain it. After a call of a tool in ``changed_by`` it is unknown; the
    path gives the key in the call, and is empty if an argument has the key's name. After a call of a tool in
    ``changed_to``, each of the named fields has the value at its path in the call. ``errors`` and ``absent``
    are patterns of results: of a failed call, and of a look-up that found none. A record without ``key`` is
    only an element of lists. ``key_parts`` are the further parts of a key that has several. Texts of a key
    are one if their ``normal`` forms are equal.
    """

    name: str
    fields: tuple[RecordField, ...]
    key: str = ""
    results: tuple[RecordResult, ...] = ()
    changed_by: Mapping[str, str] = field(default_factory=dict[str, str])
    changed_to: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    look_up: LookUpTool | None = None
    errors: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    key_parts: tuple[str, ...] = ()
    normal: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The paths of all parts of the key."""
        return (self.key, *self.key_parts) if self.key else ()

    @property
    def class_name(self) -> str:
        """The name of its class in a policy: the name of the record, each word with a capital."""
        return "".join(word[:1].upper() + word[1:] for word in self.name.split("_"))


@dataclass(frozen=True, slots=True)
class FieldNote:
    """What the schema of a tool does not say about a parameter, for a policy that speaks of calls.

    ``type`` is a type of the dialect or a kind of value, by whose parts the text is read. ``values`` are
    those of an enum. ``places`` and ``optional`` are None where the schema decides. An optional list is
    empty if the call lacks it. ``name`` is the name in a policy. ``key`` makes an object keyed by ids a list
    of records, and names their field with the id. ``zone`` is the zone of times without one; ``normal`` is
    the normal form of a text (see ``RecordField``); ``options`` are those of the kind. The source of an
    ``exact`` text is where it stands letter for letter, such as a password.
    """

    type: str = ""
    values: tuple[str, ...] = ()
    places: int | None = None
    optional: bool | None = None
    name: str = ""
    key: str = ""
    zone: str = ""
    normal: str = ""
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the agent: its name and the JSON schema of its parameters.

    ``reads_only`` is whether the tool only reads, as stated by its server or its owner; None if neither
    states it. ``class_name`` is the class of its calls in a policy; it follows from the name if it is empty.
    ``fields`` are notes on parameters by their path: ``total``, ``payment.amount``, ``legs[].minutes``.
    A tool that uses files does so in the folder ``cwd``, or in the one that the parameter ``cwd_parameter``
    of a call names; ``file_system`` says how names of files are compared. ``shell`` reads its commands.
    ``remotes`` are those of git: of the repository in a folder the host of each remote by its name.
    ``may_have_failed`` are patterns of results after which it is not known whether the call succeeded.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict[str, Json])
    reads_only: bool | None = None
    class_name: str = ""
    fields: Mapping[str, FieldNote] = field(default_factory=dict[str, FieldNote])
    cwd: str = ""
    cwd_parameter: str = ""
    shell: str = ""
    file_system: str = ""
    remotes: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    may_have_failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextField:
    """A value of the application's context of a call: its type, and its path; its name if that is empty."""

    type: ArgumentType
    path: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class TextReading:
    """What is read out of a text, for policies of calls: ``call.message.topic`` is the reading ``topic``.

    A reading is a function of the text: equal texts give equal values. ``texts`` are the only texts that have
    it, as fields of classes (``SendMail.body``, ``Run.said``); without any, every text has it.
    """

    name: str
    type: ArgumentType
    extraction: Extraction
    description: str = ""
    texts: tuple[str, ...] = ()


def learns(readings: Iterable[TextReading]) -> bool:
    """Whether the session's memory teaches any of these."""
    return any(bool(one.extraction.options.get("memory")) for one in readings)


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """The agent spec: what the agent is.

    ``schema`` maps each table of the agent's data to its columns; ``synonyms`` maps a word of a request to
    the agent's own word for it.
    ``records`` are the things of its world. ``zone`` is the zone of times without a zone. ``as_of`` is
    the time of every call, of an agent in whose world it is always that time. ``not_proposed``
    names the proposals that a person dropped. ``context`` is what the application says of a
    call (the user's role, the budget of the day); ``readings`` are what policies of calls read out of texts.
    ``errors`` are patterns of results that say of a call of any tool that it failed. ``nouns`` and ``units``
    are what sentences call a class, field or function, and what it counts (see ``workbench.dialect.nouns``).
    """

    name: str
    description: str = ""
    tools: tuple[Tool, ...] = ()
    arguments: tuple[Argument, ...] = ()
    schema: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    synonyms: Mapping[str, str] = field(default_factory=dict[str, str])
    records: tuple[Record, ...] = ()
    zone: str = ""
    as_of: str = ""
    not_proposed: tuple[str, ...] = ()
    context: Mapping[str, ContextField] = field(default_factory=dict[str, ContextField])
    readings: tuple[TextReading, ...] = ()
    errors: tuple[str, ...] = ()
    nouns: Mapping[str, str] = field(default_factory=dict[str, str])
    units: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal for the agent spec, for a person to accept or drop: a record with the elements of its lists.

    Otherwise it is ``notes`` on parameters, by tool and path; ``readings`` of results; the application's
    ``context``; patterns of results that are ``errors``; ``nouns`` of tools, by their classes. ``evidence``
    says what was seen, ``unsure`` what a person should look at first; both are sentences. ``presumed`` are
    the tools that are taken to change the record, without more than their names that says so. ``spared`` are
    those that a call names it to and that are taken to leave it as it is. ``described`` are the tools of
    which only the schemas of results say something of it.
    """

    name: str
    records: tuple[Record, ...] = ()
    evidence: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    notes: Mapping[str, Mapping[str, FieldNote]] = field(default_factory=dict[str, Mapping[str, FieldNote]])
    readings: tuple[TextReading, ...] = ()
    context: Mapping[str, ContextField] = field(default_factory=dict[str, ContextField])
    errors: tuple[str, ...] = ()
    nouns: Mapping[str, str] = field(default_factory=dict[str, str])
    presumed: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    described: tuple[str, ...] = ()

    @property
    def record(self) -> Record | None:
        """The proposed record; None if the proposal is none."""
        return next((record for record in self.records if record.name == self.name and record.key), None)


# --- clarifying -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Option:
    """One way to answer a question.

    ``value`` is what an assumption stores; ``effect`` says what choosing it changes;
    ``statement`` is the explicit assumption that it becomes.
    """

    value: str
    label: str
    effect: str
    statement: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question about something that an author or a check could not decide.

    ``id`` is derived from what is asked (kind and subject), so that the same trouble has the same id in every
    run. ``default`` is the value of the option that the policy follows without an answer, empty if none is.
    ``example`` is a concrete input on which the options differ, where there is one, and
    ``decisive_arguments`` the part of it on which that rests, None where that is not known. ``blocking``
    questions leave the draft incomplete. ``declaration`` is what to write into ``agent.toml`` where what is
    shown is not meant, empty if nothing there tells it apart.
    """

    id: str
    kind: str
    text: str
    quote: str
    span: Span
    options: tuple[Option, ...]
    default: str
    requirements: tuple[str, ...] = ()
    example: Arguments | None = None
    blocking: bool = False
    free_text: bool = False
    decisive_arguments: Arguments | None = None
    declaration: str = ""

    @property
    def shown(self) -> Arguments:
        """The part of the example that matters; empty if there is no example."""
        return (self.example or {}) if self.decisive_arguments is None else self.decisive_arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A point that an author or a check could not decide, before it is worded as a question.

    ``id`` is the id of the question; ``kind`` is the table of ``questions.toml`` with its wording. ``quote``
    is the text of the request that it is about, and ``span`` its place; empty if it is about none. ``values``
    are the answers with which the author can go on. ``default`` is the value that the author takes without an
    answer, empty if none is safe. ``facts`` are the values of the wording's placeholders, and ``value_facts``
    those for single values.
    """

    id: str
    kind: str
    values: tuple[str, ...]
    quote: str = ""
    span: Span = NOWHERE
    default: str = ""
    requirements: tuple[str, ...] = ()
    blocking: bool = False
    free_text: bool = False
    facts: Mapping[str, str] = field(default_factory=dict[str, str])
    value_facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])


class MadeBy(StrEnum):
    """Who made an assumption."""

    HUMAN = "human"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Assumption:
    """The explicit assumption that an answer became.

    ``question`` is the id of the question it answers and ``value`` the chosen option's;
    ``when`` is UTC, ISO 8601, to the second. ``why`` says why an unattended run did not take the
    question's own default. ``wrote`` names the functions that the answer put into a policy of calls, a rule
    with a hash of what it was; ``replaced`` has the texts of the rules that it changed or dropped.
    ``rests_on`` has the rules that say what was chosen, as the answer left them.
    """

    id: str
    question: str
    value: str
    statement: str = ""
    made_by: MadeBy = field(kw_only=True)
    when: str = ""
    requirements: tuple[str, ...] = ()
    why: str = ""
    wrote: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()

    @classmethod
    def by_person(cls, question: str, value: str, statement: str, when: str = "") -> Assumption:
        """The assumption for a person's answer to a question."""
        return cls(assumption_id(question), question, value, statement, when, made_by=MadeBy.HUMAN)

    @property
    def by_default(self) -> str:
        """The words “ by default” if no person said it, else nothing."""
        return " by default" if self.made_by is MadeBy.DEFAULT else ""

    def about(self, question: str) -> Assumption:
        """The assumption as an answer to another question; its id follows from the question's id."""
        own = self.id == assumption_id(self.question)
        return replace(self, id=assumption_id(question) if own else self.id, question=question)


def assumption_id(question: str) -> str:
    """The id of the assumption for the answer to a question."""
    return f"A:{question}"


@dataclass(frozen=True, slots=True)
class DraftRound:
    """A version before a draft is final: its policy file, its score and the findings in words.

    ``is_kept`` is whether the draft's policy is made from this version.
    """

    policy: str
    score: str
    findings: tuple[str, ...] = ()
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """An author's draft for a request: requirements, arguments, policy with its contract.

    ``policy`` is the text of a policy file in the dialect. ``questions`` are the questions that the author
    asks itself. ``cases`` are the author's own, in addition to the cases that are generated from the policy.
    ``rounds`` are the earlier versions; ``policy`` is made from the best one, and ``stopped`` is the reason
    why the rounds ended. ``agent`` is the agent spec with the author's additions; None if there are none.
    ``implied`` are requirements of which the others leave nothing, such as a default where every call is
    spoken of: the contract has no clause for them.
    """

    sentences: tuple[Sentence, ...]
    requirements: tuple[Requirement, ...]
    arguments: tuple[Argument, ...]
    policy: str
    questions: tuple[Question, ...] = ()
    cases: tuple[Case, ...] = ()
    rounds: tuple[DraftRound, ...] = ()
    stopped: str = ""
    agent: AgentSpec | None = None
    implied: tuple[str, ...] = ()


# --- decisions --------------------------------------------------------------------


class GrantScope(StrEnum):
    """How often a grant opens its region."""

    ONCE = "once"
    """For one call of the run."""
    RUN = "run"
    """For every call of the run."""
    ALWAYS = "always"
    """For every call of every run until it expires."""


class Verdict(StrEnum):
    """The outcomes of a decision.

    A call with ``ask`` runs only if a person approves it. Enforcement treats cannot-evaluate as deny.
    """

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"
    CANNOT_EVALUATE = "cannot-evaluate"

    @property
    def allows(self) -> bool | None:
        """Whether the call runs without a person; None if that cannot be evaluated."""
        return None if self is Verdict.CANNOT_EVALUATE else self is Verdict.ALLOW


NEWLY: Mapping[Verdict, str] = {
    Verdict.ALLOW: "newly allowed",
    Verdict.ASK: "newly asked about",
    Verdict.DENY: "newly denied",
}
"""The words for what a changed policy decides and the earlier one does not, in the order of a comparison."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that fired, its message, and the elements of a set that made it fire.

    A rule that asks a person counts as fired where it is not determined whether it fires.
    """

    rule: str
    message: str
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a value came from: a named text of the call, a range in it, and the method.

    ``text`` names an entry of ``RecordedCall.texts``; an empty name means a constant or default of
    the extraction. ``spans`` are ranges in that text; ``confidence`` is in [0, 1].
    ``call`` is the index of the call of the run whose text it is; None for the call's own.
    """

    method: str
    text: str = ""
    spans: tuple[Span, ...] = ()
    confidence: float = 1.0
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """The value of one argument with its provenance, or why there is none.

    ``look_up`` is the call that would tell more about an unknown record. ``items`` are the places of the
    elements of a set, or of the fields of a record (``user.name``), of which ``state`` says whether it is
    known or absent. ``needed``: no decision can be made without the missing value, because a tool could read
    the call otherwise, or because the value is none of its enum (the tool of the call is not declared).
    ``between`` is what is known of a missing value: the bounds of a number, members that a set certainly has,
    or the fields of a record.
    """

    value: Value = None
    provenance: tuple[Provenance, ...] = ()
    missing: str | None = None
    items: Mapping[str, tuple[Provenance, ...]] = NO_ITEMS
    look_up: LookedUp | None = None
    state: str = ""
    needed: bool = False
    between: Between | None = None

    @property
    def remedy(self) -> str:
        """The call that would give the missing value, as ``get_user(id="7")``; empty if there is none."""
        return "" if self.look_up is None else str(self.look_up)


@dataclass(frozen=True, slots=True)
class Decision:
    """Allow, ask, deny or cannot-evaluate, with the rules violated and the arguments.

    ``reasons`` says for cannot-evaluate which argument is malformed, or is missing and could change the
    decision, and why; for ask, which argument is missing that could make asking needless. ``arguments``
    lacks the missing ones, whatever the verdict.
    ``permitted_by`` names the permit rules that fired.
    """

    verdict: Verdict
    violations: tuple[Violation, ...] = ()
    arguments: Arguments = field(default_factory=dict[str, Value])
    reasons: tuple[str, ...] = ()
    permitted_by: tuple[str, ...] = ()

    @property
    def denied(self) -> bool:
        """Whether the policy does not allow the call by itself; ask and cannot-evaluate count as denied."""
        return self.verdict is not Verdict.ALLOW


# --- cases and proof --------------------------------------------------------------


type AuthorName = Literal["written", "openai"]
"""Who makes the policy of a session: a person writes it, or a model drafts it."""
type CaseOrigin = Literal["generated", "model", "human", "log", "counterexample", "mutant"]
"""The origin of a case."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test input with the expected decision and the reason it exists."""

    id: str
    arguments: Arguments
    expected: Verdict
    reason: str
    requirements: tuple[str, ...] = ()
    origin: CaseOrigin = "generated"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The policy's decision on a case when pytest ran it."""

    case: str
    passed: bool
    actual: Verdict | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A wrong version of the policy (a mutant, by id) that the contract may let pass, and why.

    ``what`` describes the change in a few words; ``when`` is a time in UTC.
    """

    mutant: str
    what: str = ""
    reason: str = field(kw_only=True)
    when: str = ""


class ProofStatus(StrEnum):
    """The status of a clause, from the worst to the best. Only proved is ever shown as proved.

    Possible: the engines find an input that breaks a clause of a policy of calls, and no run and call were
    found that give this input. Vacuous: the clause holds, but has no content, because no input can break it
    for any decision of the policy.
    """

    REFUTED = "refuted"
    POSSIBLE = "possible"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"
    PROVED = "proved"


class Engine(StrEnum):
    """The engine that decided a clause."""

    NAGINI = "nagini"
    CVC5 = "cvc5"


@dataclass(frozen=True, slots=True)
class PathRule:
    """One rule on the path to a decision, and whether it fired on the arguments.

    ``elements`` names those of the call's lists because of which its conditions are as they are.
    """

    rule: str
    fired: bool
    conditions: tuple[tuple[str, bool], ...] = ()
    elements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Concrete arguments on which a clause fails.

    ``confirmed`` says that running the compiled policy on them violated the clause;
    ``decision`` is what that run decided. ``decisive_arguments`` is the part of the arguments on which
    decision and verdict rest (records may have fewer fields), None where that is not known; ``left_out``
    names the rest. ``realised`` is a run whose last call has these arguments and is decided so: it is None
    where none was found, and for a policy over plain arguments, whose inputs are not asked for runs.
    """

    arguments: Arguments
    confirmed: bool
    decision: Verdict | None = None
    path: tuple[PathRule, ...] = ()
    note: str = ""
    decisive_arguments: Arguments | None = None
    left_out: tuple[str, ...] = ()
    realised: Run | None = None

    @property
    def shown(self) -> Arguments:
        """The part of the arguments that matters."""
        return self.arguments if self.decisive_arguments is None else self.decisive_arguments


@dataclass(frozen=True, slots=True)
class ClauseProof:
    """The verdict on one clause of the contract, and by which engine.

    ``why`` explains an unknown (a time limit, an engine that died) and says why a clause is vacuous.
    """

    clause: str
    requirements: tuple[str, ...]
    status: ProofStatus
    engine: Engine
    counterexample: Counterexample | None = None
    why: str = ""
    seconds: float = 0.0
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Proof:
    """The verdicts on all clauses; proved only if every clause is proved and there is one."""

    clauses: tuple[ClauseProof, ...]
    why: str = ""

    @property
    def status(self) -> ProofStatus:
        """The worst of the clauses' statuses; unknown if there is no clause."""
        statuses = {clause.status for clause in self.clauses}
        return next((status for status in ProofStatus if status in statuses), ProofStatus.UNKNOWN)


# --- runs -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A look-up that was made to decide a call: what was asked, and the answer.

    ``result`` is None where there was no answer, and ``why`` says so; ``failed`` is True where the tool
    flagged its answer as an error. ``source`` is empty for a tool that was asked at that moment, and else
    names what answered in its place. ``again`` is True for one that is only to be made, where a call of the
    run changed what it tells.
    """

    tool: str
    arguments: Mapping[str, Json]
    result: str | None = None
    why: str = ""
    source: str = ""
    failed: bool = False
    again: bool = False

    def __str__(self) -> str:
        """The call in a form for people."""
        argument_texts = (
            f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in self.arguments.items()
        )
        return f"{self.tool}({', '.join(argument_texts)})"


UNANSWERED = sys.maxsize
"""The value of ``known_from`` for a call that has no result yet."""


FACTS = "facts"
"""The name of the text with a call's facts: people see it, no policy and no guard reads it."""


IN_TEXT, AS_KEY = ":text", ":key"
"""The ends of a place in a result: the value is part of a text; it is the key of an object."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call of a recorded run.

    ``index`` counts the calls of the run. ``step`` counts the agent's actions: the calls of one message of
    the agent are one step. It is None if that is unknown, for example for a live call, which is then a step
    of its own. ``arguments`` is None if the log does not have the arguments of the call; an empty mapping
    means no arguments. ``texts`` are the raw texts of the call by name (for example ``agent_input``,
    ``agent_output``, ``arguments``), sanitised of control characters; provenance points into them.
    ``context`` is the log's knowledge of the user and the run. ``result`` is the tool's result, None if it is
    not recorded. ``facts`` is information of the log that was not known during the run, such as its reward
    and labels. People see and count the facts; no policy can read them. ``failed`` is True if the log flags
    the call as having no effect except its message. ``known_from`` is the index of the first call that was
    decided with the result known. It is ``UNANSWERED`` if there is no such call, and 0 if that is unknown:
    then the next call is taken. ``look_ups`` were made before the call was decided. ``ran`` is False if the
    log states that a guard refused the call. Then it had no effect, and is not part of the history of later
    calls. ``approved`` is whether a person approved the call for the guard that asked; None if the log does
    not say. ``granted`` are the ids of the grants by which it ran; ``instance`` tells runs of one name apart.
    """

    run: str
    index: int
    tool: str | None
    arguments: Mapping[str, Json] | None
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    context: Mapping[str, Json] = field(default_factory=dict[str, Json])
    result: str | None = None
    call_id: str | None = None
    time: str | None = None
    ran: bool = True
    step: int | None = None
    facts: Mapping[str, Json] = field(default_factory=dict[str, Json])
    failed: bool = False
    look_ups: tuple[LookedUp, ...] = ()
    known_from: int = 0
    approved: bool | None = None
    granted: tuple[str, ...] = ()
    instance: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run of an agent: ``locator`` is its place in the file, ``named_by`` describes its id."""

    id: str
    calls: tuple[RecordedCall, ...]
    format: str
    path: str = ""
    locator: str = ""
    named_by: str = ""


@dataclass(frozen=True, slots=True)
class StepVerdict:
    """The verdict on the step of a theorem by a call of one tool."""

    tool: str
    status: ProofStatus
    why: str = ""


@dataclass(frozen=True, slots=True)
class TheoremVerdict:
    """The verdict on a theorem.

    ``assumed`` are sentences about what was taken for granted, and ``lemmas`` the theorems that its steps
    assume of the earlier calls; ``found`` are those, as conditions, that the workbench found and proved with
    it. ``breaking`` is the run that refutes it, as the guard played it. All runs
    of up to ``searched`` calls, beside those that look records up, were found not to refute it. ``rules`` are
    the rules about the call that breaks it: none of them forbids it. ``refuses`` is the number of wrong
    versions of the policy that it refuses; None if they were not counted.
    """

    name: str
    sentence: str
    requirements: tuple[str, ...]
    line: int
    status: ProofStatus
    engine: Engine
    why: str
    assumed: tuple[str, ...]
    lemmas: tuple[str, ...] = ()
    steps: tuple[StepVerdict, ...] = ()
    breaking: Run | None = None
    rules: tuple[str, ...] = ()
    searched: int = 0
    seconds: float = 0.0
    found: tuple[str, ...] = ()
    refuses: int | None = None


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Records of a log that could not be read: the place of the first, one clear sentence, how many."""

    path: str
    line: int
    reason: str
    count: int = 1


class Judgement(StrEnum):
    """A person's judgement of a group of denials: whether its calls are rightly denied."""

    RIGHT = "right"
    FALSE_ALARM = "false-alarm"

    def expects(self, verdict: Verdict) -> Verdict:
        """The decision that a person expects who judges a decision so: the same, or the opposite."""
        if self is Judgement.RIGHT:
            return verdict
        return Verdict.DENY if verdict is Verdict.ALLOW else Verdict.ALLOW


@dataclass(frozen=True, slots=True)
class CallDecision:
    """The decision on one call, with every argument's extraction.

    Where several guards decided it together, ``parts`` has the decision of each by its name.
    """

    run: str
    index: int
    decision: Decision
    extracted: Mapping[str, Extracted] = field(default_factory=dict[str, Extracted])
    step: int | None = None
    parts: Mapping[str, Verdict] = _NO_PARTS


# --- memory -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CodeAttempt:
    """One piece of guardrail code, what it printed, and why it failed; empty if it gave a label."""

    code: str
    error: str = ""
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """GuardAgent's memory element (section 4.2): a task and how its guardrail was made."""

    id: str
    agent_input: str
    agent_output: str
    plan: tuple[str, str, str, str]
    code: str
    enabled: bool = field(default=True, metadata={"strict": True})  # a file cannot give a text or number


# --- problems ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """Bad input, said once and clearly: what, where, and what to do instead.

    ``line`` and ``column`` count from 1; 0 means that the problem has no place.
    """

    message: str
    instead: str = ""
    line: int = 0
    column: int = 0
    path: str = ""

    @property
    def place(self) -> str:
        """Where it is, as an editor takes it: ``policy.py:12:9: ``; empty if it has no place."""
        at = f"{self.line}:{self.column}" if self.column else f"{self.line}"
        if self.path:
            return f"{self.path}:{at}: " if self.line else f"{self.path}: "
        return f"line {at}: " if self.line else ""

    def __str__(self) -> str:
        """One line: the place, what is wrong, what to do."""
        return f"{self.place}{self.message}" + (f" {self.instead}" if self.instead else "")


class WorkbenchError(Exception):
    """An error that a person can act on; its text is one clear sentence.

    ``exit_code`` is the exit code of the command line: 1 for something open, failing or refuted, 2 for wrong
    input, 3 for a missing or broken environment.
    """

    def __init__(self, message: str, *, exit_code: int = 2, problems: tuple[Problem, ...] = ()) -> None:
        """Keep the sentence, the exit code and the single problems behind it."""
        super().__init__(message)
        self.exit_code = exit_code
        self.problems = problems

    @property
    def whole(self) -> str:
        """The sentence, and the problems that it announces by a colon at its end, in a row."""
        announced = self.problems if str(self).endswith(":") else ()
        return " ".join(map(str, (self, *announced)))
