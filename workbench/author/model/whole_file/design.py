"""The design of a policy: the content of the request, and what the schemas of the agent's tools do not say.

A model writes both, and each is checked. A quotation has to be in the request. All of the request has to be
quoted as rule or as context. The parts of the agent file are read as strictly as a person's. Tools have to be
the agent's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.author.model.context_questions import short_hash, unread_sentence
from workbench.author.model.quotation_places import find_quote, find_quotes, sentences_of
from workbench.author.model.whole_file.blocks import NotUsable, block, blocks, line, read_json
from workbench.author.model.whole_file.reply_parts import plain_words
from workbench.author.request_text import BlockKind, read_blocks
from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.files.bounded_text import load_toml
from workbench.model import (
    AgentSpec,
    Doubt,
    Question,
    Record,
    Requirement,
    Span,
    TextReading,
    Tool,
    WorkbenchError,
)
from workbench.question_wording import question_about
from workbench.runs.extract.tool_effects import may_be_called_unasked

_PARTS = frozenset({"zone", "errors", "records", "readings", "context", "tools"})
_PARTS_OF_TOOL = frozenset({"fields", "cwd", "cwd_parameter", "shell", "file_system"})
_VALUES = "abcdef"
_MOST_UNCOVERED = 8
_LONGEST_CITATION = 400
_LEAD_IN = re.compile(r"(\*{1,3}|_{1,3})[^\W_]+[.:]?\1[.:]?")  # one word: "**No sudo.**" is a rule

type Text = Annotated[str, Field(max_length=2000)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore")


class RequirementForm(_Form):
    """A rule of the request, its words, and what it means with all else that was said."""

    id: Annotated[str, Field(pattern=r"^R[0-9]{1,3}$")]
    quote: Text
    statement: Text


class ContextForm(_Form):
    """Words of the request that state no rule."""

    quote: Text
    why: Text = ""


class QuestionForm(_Form):
    """What only a person can say: the words, and what they may mean, the strictest first."""

    quote: Text
    question: Text
    readings: Annotated[list[Text], Field(min_length=1, max_length=6)]
    requirements: Annotated[list[Text], Field(max_length=60)] = []


class RequestForm(_Form):
    """What the request says."""

    # The title is part of what is sent to a model, and recorded replies are found by what was sent.
    model_config = ConfigDict(title="ReadingForm")

    title: Text = ""
    otherwise: Literal["allow", "deny"] = "deny"
    requirements: Annotated[list[RequirementForm], Field(max_length=200)]
    context: Annotated[list[ContextForm], Field(max_length=200)] = []
    questions: Annotated[list[QuestionForm], Field(max_length=20)] = []


class AgentNotation(Protocol):
    """The notation of an agent spec as text: writes it, and reads it as strictly as a person's file.

    A session's files have this notation; an author does not know them.
    """

    def read(self, text: str) -> AgentSpec:
        """The spec of a text; raises WorkbenchError with the place of a mistake."""
        ...

    def joined(self, spec: AgentSpec, parts: str) -> str:
        """The text of a spec with further parts; raises WorkbenchError for a part that the spec has."""
        ...

    def write(self, spec: AgentSpec) -> str:
        """The text of a spec."""
        ...


@dataclass(frozen=True, slots=True)
class Design:
    """The content of the request, and the agent spec with what the model says of the agent.

    ``context`` are the places that state no rule; ``uncovered`` are sentences that the model did not quote.
    """

    title: str
    otherwise: str
    requirements: tuple[Requirement, ...]
    context: tuple[Span, ...]
    uncovered: tuple[Span, ...]
    doubts: tuple[Question, ...]
    reading: str
    agent: str
    spec: AgentSpec

    @property
    def types(self) -> AgentTypes:
        """The classes of the agent."""
        return agent_types(self.spec)

    @property
    def cited(self) -> Mapping[str, str]:
        """The words of each requirement that a rule or clause cites: those of the request if they are few."""
        return {one.id: cited_words(one) for one in self.requirements}


def cited_words(requirement: Requirement) -> str:
    """The words by which the policy file cites a requirement."""
    quote = plain_words(requirement.quote)
    return quote if len(quote) <= _LONGEST_CITATION else plain_words(requirement.text)


def read_design(
    reply: str, request: str, given_spec: AgentSpec, notation: AgentNotation, former: Design | None = None
) -> tuple[Design, list[str]]:
    """The design of a reply, and the faults in it that do not prevent its use.

    A reply without a block ```toml says nothing of the agent, or keeps what ``former`` says. One that
    revises ``former`` may have only one of the two blocks. Raises NotUsable.
    """
    by_language = blocks(reply)
    wrong: list[str] = []
    if former is not None and not {"json", "toml"} & by_language.keys():
        raise NotUsable("The reply has neither a block ```toml nor a block ```json.")
    reading = former.reading if former is not None and "json" not in by_language else block(reply, "json")
    form = _form(reading)
    agent = by_language.get("toml", "" if former is None else former.agent)
    spec = read_agent_parts(agent, given_spec, notation)
    requirements, invented = _requirements(form.requirements, request)
    context, strange = _places((context_form.quote for context_form in form.context), request)
    wrong += [
        f"The quotation {quote[:160]!r} is not in the request. Copy it letter by letter."
        for quote in (*invented, *strange)
    ]
    spans = (*(requirement.span for requirement in requirements), *context)
    uncovered = tuple(_uncovered(request, spans))
    if uncovered:
        listed = "; ".join(f"“{_quotation(request, span)}”" for span in uncovered[:_MOST_UNCOVERED])
        wrong.append(f"Of these words nothing is said; quote them in a requirement or as context: {listed}.")
    if not requirements:
        wrong.append("There is no requirement whose quotation stands in the request.")
    doubts = tuple(_doubts(form.questions, request, requirements))
    title = line(form.title)[:200] or "What the agent may do."
    design = Design(title, form.otherwise, requirements, context, uncovered, doubts, reading, agent, spec)
    return design, wrong


def _form(text: str) -> RequestForm:
    data = read_json(text, "The block ```json")
    try:
        return RequestForm.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the top"
        raise NotUsable(
            f"The block ```json does not have the asked form at {place}: {first['msg']}."
        ) from None


def _requirements(
    forms: Sequence[RequirementForm], request: str
) -> tuple[tuple[Requirement, ...], list[str]]:
    requirement_by_id: dict[str, Requirement] = {}
    invented: list[str] = []
    places_left: dict[str, list[Span]] = {}
    for form in forms:
        left = places_left.setdefault(form.quote, list(find_quotes(request, form.quote)))
        span = (
            left.pop(0) if len(left) > 1 else next(iter(left), None)
        )  # a sentence said twice is quoted twice
        statement = line(form.statement)
        if span is None:
            invented.append(form.quote)
        elif form.id in requirement_by_id:
            raise NotUsable(f"Two requirements are called {form.id}; give each an id of its own.")
        elif statement:
            requirement_by_id[form.id] = Requirement(form.id, statement, request[span.start : span.end], span)
    return tuple(requirement_by_id.values()), invented


def _places(quotes: Iterable[str], request: str) -> tuple[tuple[Span, ...], list[str]]:
    spans: list[Span] = []
    strange: list[str] = []
    for quote in quotes:
        places = find_quotes(request, quote)  # every repetition of a context quotation is context too
        spans += places
        if not places:
            strange.append(quote)
    return tuple(spans), strange


def _uncovered(request: str, spans: Sequence[Span]) -> Iterator[Span]:
    """The sentences outside of headings that no quotation overlaps, in any language."""
    for sentence in all_sentences(request):
        if not any(span.start < sentence.end and sentence.start < span.end for span in spans):
            yield sentence


def all_sentences(request: str) -> Iterator[Span]:
    """Every sentence of the request except its headings; one may begin a paragraph (``**Files.**``)."""
    for part in read_blocks(request):
        if part.kind is BlockKind.HEADING:
            continue
        for span in sentences_of(request, part.span):
            if not _LEAD_IN.fullmatch(request[span.start : span.end].strip()):
                yield span


def _quotation(request: str, span: Span) -> str:
    return " ".join(request[span.start : span.end].split())[:200]


def _doubts(
    forms: Sequence[QuestionForm], request: str, requirements: Sequence[Requirement]
) -> Iterator[Question]:
    """The model's questions: the draft assumes the first reading until a person chooses another."""
    ids = {requirement.id for requirement in requirements}
    for form in forms:
        span = find_quote(request, form.quote)
        readings = list(dict.fromkeys(line(reading) for reading in form.readings if line(reading)))
        text = line(form.question)
        if span is None or not readings or not text:
            continue
        quote = request[span.start : span.end]
        reading_by_value = {
            value: {"reading": reading} for value, reading in zip(_VALUES, readings, strict=False)
        }
        yield question_about(
            Doubt(
                id=f"reading:{short_hash(quote + text)}",
                kind="model-file-ambiguity",
                quote=quote,
                span=span,
                values=tuple(reading_by_value),
                requirements=tuple(id_ for id_ in form.requirements if id_ in ids),
                blocking=True,
                free_text=True,
                facts={"question": text, "short": _quotation(request, span)},
                value_facts=reading_by_value,
            )
        )


# --- the agent file ---------------------------------------------------------------


def read_agent_parts(text: str, given_spec: AgentSpec, notation: AgentNotation) -> AgentSpec:
    """The agent spec with the parts that a model wrote; raises NotUsable for what a spec may not have."""
    data = _tables(text)
    if strange := sorted(data.keys() - _PARTS):
        listed = ", ".join(sorted(_PARTS))
        raise NotUsable(f"The agent file has {', '.join(strange)[:200]}; only {listed} are yours.")
    for name, tool in _named_tables(data.get("tools")).items():
        if strange := sorted(tool.keys() - _PARTS_OF_TOOL):
            listed = ", ".join(sorted(_PARTS_OF_TOOL))
            raise NotUsable(f"The tool {name[:80]} has {', '.join(strange)[:200]}; only {listed} are yours.")
    _refuse_given(data, given_spec)
    whole = ""
    try:
        whole = notation.joined(given_spec, text)
        spec = notation.read(whole)
        refuse_strange(spec, given_spec)
        agent_types(spec)
    except WorkbenchError as error:
        raise NotUsable(_placed(str(error), whole)) from None
    return spec


def _refuse_given(data: Mapping[str, object], given_spec: AgentSpec) -> None:
    """Raise NotUsable for a part that a person gave: only new ones are a model's."""
    given = {
        "records": {record.name for record in given_spec.records},
        "readings": {reading.name for reading in given_spec.readings},
        "context": set(given_spec.context),
    }
    named = [f"{part}.{name}" for part, names in given.items() for name in names & _keys(data.get(part))]
    notes = {tool.name: set(tool.fields) for tool in given_spec.tools}
    for name, tool in _named_tables(data.get("tools")).items():
        named += [
            f"tools.{name}.fields.{path}" for path in notes.get(name, set()) & _keys(tool.get("fields"))
        ]
    if named:
        raise NotUsable(f"{', '.join(sorted(named))[:300]} is given and not yours to change; leave it out.")


def _tables(text: str) -> dict[str, object]:
    try:
        return load_toml(text, float)
    except ValueError as error:
        raise NotUsable(f"The block ```toml is no TOML: {str(error)[:200]}.") from None


def _named_tables(table: object) -> Mapping[str, Mapping[str, object]]:
    """The tables in a table, by name."""
    held = cast("dict[str, object]", table) if isinstance(table, dict) else dict[str, object]()
    return {name: cast("Mapping[str, object]", part) for name, part in held.items() if isinstance(part, dict)}


def given_parts(spec: AgentSpec, notation: AgentNotation) -> str:
    """The text of what a person says of the agent besides the schemas of its tools; empty if nothing is."""
    noted = tuple(
        replace(tool, description="", parameters={}, reads_only=None)
        for tool in spec.tools
        if tool.fields or tool.cwd or tool.cwd_parameter or tool.shell or tool.file_system
    )
    parts = AgentSpec(
        spec.name,
        tools=noted,
        records=spec.records,
        zone=spec.zone,
        as_of=spec.as_of,
        context=spec.context,
        readings=spec.readings,
        errors=spec.errors,
        schema=spec.schema,
    )
    if parts == AgentSpec(spec.name):
        return ""
    return notation.write(parts).partition("\n")[2].strip()


def without_parts(spec: AgentSpec, text: str, notation: AgentNotation) -> AgentSpec:
    """The agent spec without the parts that a model wrote; a part that a person changed since is kept."""
    try:
        data = _tables(text)
    except NotUsable:
        return spec
    tools = _named_tables(data.get("tools"))
    bare = replace(
        spec,
        records=_unnamed(spec.records, data.get("records")),
        readings=_unnamed(spec.readings, data.get("readings")),
        context={name: one for name, one in spec.context.items() if name not in _keys(data.get("context"))},
        tools=tuple(_bare_tool(tool, tools.get(tool.name, {})) for tool in spec.tools),
        zone="" if data.get("zone") == spec.zone else spec.zone,
        errors=() if list(spec.errors) == data.get("errors") else spec.errors,
    )
    try:
        drafted = read_agent_parts(text, bare, notation)
    except NotUsable:  # a person changed a part on which the model's parts depend
        return spec
    drafted_tools = {tool.name: tool for tool in drafted.tools}
    return replace(
        bare,
        records=tuple(one for one in spec.records if one in bare.records or one not in drafted.records),
        readings=tuple(one for one in spec.readings if one in bare.readings or one not in drafted.readings),
        context={
            name: one
            for name, one in spec.context.items()
            if name in bare.context or drafted.context.get(name) != one
        },
        tools=tuple(
            _changed_tool(tool, bare_tool, drafted_tools.get(tool.name, tool))
            for tool, bare_tool in zip(spec.tools, bare.tools, strict=True)
        ),
    )


def _keys(table: object) -> frozenset[str]:
    return frozenset(cast("dict[str, object]", table)) if isinstance(table, dict) else frozenset()


def _unnamed[T: Record | TextReading](parts: Sequence[T], table: object) -> tuple[T, ...]:
    named = _keys(table)
    return tuple(part for part in parts if part.name not in named)


def _bare_tool(tool: Tool, part: Mapping[str, object]) -> Tool:
    """A tool without what a model said of it."""
    notes = _keys(part.get("fields"))
    return replace(
        tool,
        fields={path: note for path, note in tool.fields.items() if path not in notes},
        cwd="" if "cwd" in part else tool.cwd,
        cwd_parameter="" if "cwd_parameter" in part else tool.cwd_parameter,
        shell="" if "shell" in part else tool.shell,
        file_system="" if "file_system" in part else tool.file_system,
    )


def _changed_tool(tool: Tool, bare: Tool, drafted: Tool) -> Tool:
    """The tool with what a person says of it: what is neither bare nor as the model drafted it."""
    kept = {
        path: note
        for path, note in tool.fields.items()
        if path in bare.fields or drafted.fields.get(path) != note
    }
    return replace(
        bare,
        fields=kept,
        cwd=bare.cwd if tool.cwd == drafted.cwd else tool.cwd,
        cwd_parameter=(
            bare.cwd_parameter if tool.cwd_parameter == drafted.cwd_parameter else tool.cwd_parameter
        ),
        shell=bare.shell if tool.shell == drafted.shell else tool.shell,
        file_system=bare.file_system if tool.file_system == drafted.file_system else tool.file_system,
    )


def _placed(message: str, text: str) -> str:
    """A message that quotes the line of the text instead of its number, which the model does not know."""
    place = re.match(r"(?:agent\.toml)?:?(\d+): ?", message)
    if place is None:
        return message
    lines = text.split("\n")
    number = int(place[1])
    about = f" (in: {lines[number - 1].strip()[:160]})" if 0 < number <= len(lines) else ""
    return f"{message[place.end() :]}{about}"


def refuse_strange(spec: AgentSpec, given_spec: AgentSpec) -> None:
    """Raise NotUsable for a look-up that a model may not add.

    A live guard calls look-ups by itself, so a model may only name a tool that may be called without asking.
    """
    declared = {tool.name: tool for tool in given_spec.tools}
    given_names = {record.name for record in given_spec.records}
    for record in spec.records:
        if record.name in given_names or record.look_up is None:
            continue
        tool = declared.get(record.look_up.tool, Tool(record.look_up.tool))
        if not may_be_called_unasked(tool):
            reason = (
                "is declared to change things"
                if tool.reads_only is False
                else "does not only read by its name"
            )
            raise NotUsable(
                f"{record.name}: a guard calls the look-up by itself, and {tool.name} {reason}; "
                'say it in "results".'
            )


def open_sentences(design: Design, disputed: Sequence[Span], request: str) -> Iterator[Question]:
    """A blocking question for each sentence that no call quoted, or that two calls read differently."""
    for spans, why in ((design.uncovered, "not_mentioned"), (disputed, "disputed")):
        yield from (unread_sentence(request[span.start : span.end], span, why) for span in spans)


def shown_reading(design: Design) -> str:
    """The reading of the request, as it is shown to the other calls."""
    rules = [f"{requirement.id}: {requirement.text}" for requirement in design.requirements]
    doubts = [
        f"- {doubt.text} Until a person answers: {doubt.options[0].label}"
        for doubt in design.doubts
        if doubt.options
    ]
    default_sentence = (
        "What no rule permits is denied."
        if design.otherwise == "deny"
        else "What no rule forbids is allowed."
    )
    parts = ["Requirements:", *rules, default_sentence]
    if doubts:
        parts += ["Open questions:", *doubts]
    return "\n".join(parts)


def shown_context(design: Design, request: str) -> str:
    """The quotations taken as context, for the call that checks whether a rule is among them."""
    quotes = [_quotation(request, span) for span in design.context]
    return json.dumps(quotes, ensure_ascii=False, indent=0)
