"""OpenTelemetry's GenAI conventions and OpenInference: spans of tool calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from workbench.clean_text import counted
from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    InterleavedSessions,
    LoggedCall,
    NotThisFormat,
    dict_at,
    dicts_at,
    stem,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.spans import (
    OPENINFERENCE_KIND,
    OPENINFERENCE_KINDS,
    SpanRecord,
    as_json,
    is_span,
    spans_of,
)
from workbench.runs.values.jsontext import as_text

type Spoken = Callable[[SpanRecord], int]
type ToCall = Callable[[SpanRecord, Mapping[str, Json]], LoggedCall | None]

_OPERATIONS = frozenset(
    {
        *("chat", "text_completion", "generate_content", "embeddings", "create_agent", "invoke_agent"),
        *("execute_tool", "invoke_workflow", "retrieval", "plan", "evaluate"),
    }
)
_SPOKEN = re.compile(r"llm\.output_messages\.\d{1,6}\.message\.tool_calls\.\d{1,6}\b")
_MANY = 10**12
_USER = {
    "user": ("enduser.id", "user.id"),
    "agent": ("gen_ai.agent.name", "gen_ai.agent.id"),
    "session": ("gen_ai.conversation.id", "session.id"),
    "model": ("gen_ai.request.model", "llm.model_name"),
}


@dataclass(frozen=True, slots=True)
class Spans:
    """Reads the spans of tools in one convention, which the beginnings of their attributes show.

    ``spoken`` is how many calls the messages of a model's span ask for.
    """

    name: str
    beginnings: tuple[str, ...]
    to_call: ToCall
    spoken: Spoken

    def matches(self, sample: Sample) -> float:
        """High if spans have the attributes of the convention."""
        spans = (span for record in sample.records if is_span(record) for span in spans_of(record))
        has_own_keys = any(key.startswith(self.beginnings) for span in spans for key in span.attributes)
        return sample.mean(is_span) * (0.9 if has_own_keys else 0.1)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each run id, its calls by start time."""
        sessions = InterleavedSessions(self.name, source, by_time=True)
        unread = sessions.unread
        written_only: dict[str, tuple[int, int]] = {}

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            unread_before = unread.total
            spans = list(spans_of(record, lambda what, kind: unread.note(what, kind, line)))
            if not spans and unread.total == unread_before:
                raise NotThisFormat("the record holds no spans")
            written = _written_calls(spans)
            for span in spans:
                run = span.run or stem(source.path)
                call = self.to_call(span, written)
                if call is not None:
                    call.ended, call.failed = span.end, span.failed
                    written_only[run] = (-_MANY, line)
                    yield from sessions.add(run, call, _context(span), line)
                elif (kind := _unknown_kind(span)) is not None:
                    yield from sessions.miss(run, "span", kind, line, span.start, span.end)
                elif count := self.spoken(span):
                    before, first = written_only.get(run, (0, line))
                    written_only[run] = (before + count, first)

        yield from sessions.read_each(convert)
        for run, (count, line) in written_only.items():
            if count > 0:
                spoken = f"{counted(count, 'call')} only in the model's messages"
                reason = f"run {run} has no span of a tool, and {spoken}"
                yield ImportProblem(str(source.path), line, reason, count)


def _unknown_kind(span: SpanRecord) -> Json:
    """The kind of a span that may be a tool's: of an unknown operation, or of another convention."""
    kind, operation = span.attributes.get(OPENINFERENCE_KIND), span.attributes.get("gen_ai.operation.name")
    if kind is not None and str(kind).upper() not in OPENINFERENCE_KINDS - {"TOOL"}:
        return kind
    if operation is not None and str(operation) not in _OPERATIONS:
        return operation
    if kind is None and operation is None and "tool.name" in span.attributes:
        return "none, of a tool"
    foreign = span.attributes.get("traceloop.span.kind")
    return foreign if foreign == "tool" else None


def _spoken_calls(span: SpanRecord) -> int:
    """How many calls the messages of a model's span ask for."""
    return len(_written_calls([span]))


def _spoken_inference_calls(span: SpanRecord) -> int:
    """How many calls the messages of a model's span ask for, in OpenInference's attributes."""
    names = {match[0] for key in span.attributes if (match := _SPOKEN.match(key)) is not None}
    nested = span.attributes.get("llm.output_messages")
    messages = nested if isinstance(nested, list) else []
    listed = [entry for message in messages if isinstance(message, dict) for entry in _tool_calls(message)]
    return len(names) or len(listed)


def _tool_calls(message: Mapping[str, Json]) -> list[Json]:
    for holder in (message, dict_at(message, "message")):
        for key in ("tool_calls", "message.tool_calls"):
            if isinstance(value := holder.get(key), list):
                return value
    return []


def _context(span: SpanRecord) -> dict[str, Json]:
    context: dict[str, Json] = {}
    for name, keys in _USER.items():
        value = span.text(*keys)
        if value is not None:
            context[name] = value
    service = span.resource.get("service.name")
    if service is not None:
        context["service"] = service
    return context


def _genai_call(span: SpanRecord, written: Mapping[str, Json]) -> LoggedCall | None:
    attributes = span.attributes
    if not (
        attributes.get("gen_ai.operation.name") == "execute_tool"
        or attributes.get("mcp.method.name") == "tools/call"
        or span.name.startswith("execute_tool")
    ):
        return None
    call_id = span.text("gen_ai.tool.call.id")
    raw = attributes.get("gen_ai.tool.call.arguments")
    if raw is None and call_id is not None:
        # The arguments are optional on the span; the model's own message may still have them.
        raw = written.get(call_id)
    name = span.text("gen_ai.tool.name") or span.name.removeprefix("execute_tool").strip() or None
    result = as_text(attributes.get("gen_ai.tool.call.result"))
    return LoggedCall(name, raw, call_id or span.id, span.start, result)


def _inference_call(span: SpanRecord, _written: Mapping[str, Json]) -> LoggedCall | None:
    kind = span.attributes.get("openinference.span.kind")
    if not isinstance(kind, str) or kind.upper() != "TOOL":
        return None
    raw = span.attributes.get("input.value", span.attributes.get("tool.parameters"))
    name = span.text("tool.name") or span.name or None
    return LoggedCall(name, raw, span.id, span.start, as_text(span.attributes.get("output.value")))


def _written_calls(spans: list[SpanRecord]) -> dict[str, Json]:
    """The arguments of calls by id, from the model's messages among the spans."""
    arguments_by_id: dict[str, Json] = {}
    for span in spans:
        messages = as_json(span.attributes.get("gen_ai.output.messages"))
        for message in messages if isinstance(messages, list) else []:
            for part in dicts_at(message, "parts") if isinstance(message, dict) else []:
                call_id = part.get("id")
                if part.get("type") == "tool_call" and isinstance(call_id, str):
                    arguments_by_id[call_id] = part.get("arguments")
        for name, attributes in span.events:
            message = as_json(attributes.get("message"))
            if name == "gen_ai.choice" and isinstance(message, dict):
                for entry in dicts_at(message, "tool_calls"):
                    function, call_id = entry.get("function"), entry.get("id")
                    if isinstance(function, dict) and isinstance(call_id, str):
                        arguments_by_id[call_id] = function.get("arguments")
    return arguments_by_id


OPEN_TELEMETRY = Spans("otel-genai", ("gen_ai.", "mcp."), _genai_call, _spoken_calls)
OPEN_INFERENCE = Spans("openinference", ("openinference.",), _inference_call, _spoken_inference_calls)
