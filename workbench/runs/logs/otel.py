"""OpenTelemetry's GenAI conventions and OpenInference: spans of tool calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    InterleavedSessions,
    LoggedCall,
    NotThisFormat,
    dicts_at,
    read_each,
    result_text,
    stem,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.spans import SpanRecord, as_json, is_span, spans_of

type ToCall = Callable[[SpanRecord, Mapping[str, Json]], LoggedCall | None]

_USER = {
    "user": ("enduser.id", "user.id"),
    "agent": ("gen_ai.agent.name", "gen_ai.agent.id"),
    "session": ("gen_ai.conversation.id", "session.id"),
    "model": ("gen_ai.request.model", "llm.model_name"),
}


class OpenTelemetry:
    """Reads ``execute_tool`` and MCP ``tools/call`` spans."""

    name = "otel-genai"

    def matches(self, sample: Sample) -> float:
        """High if spans have ``gen_ai`` or ``mcp`` attributes."""
        return _share(sample, ("gen_ai.", "mcp."))

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each run id, its calls by start time."""
        return _read(source, self.name, _genai_call)


class OpenInference:
    """Reads spans of the kind TOOL."""

    name = "openinference"

    def matches(self, sample: Sample) -> float:
        """High if spans have OpenInference's attributes."""
        return _share(sample, ("openinference.",))

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each run id, its calls by start time."""
        return _read(source, self.name, _inference_call)


def _share(sample: Sample, prefixes: tuple[str, ...]) -> float:
    if not sample.records:
        return 0.0
    spans = [record for record in sample.records if is_span(record)]
    has_own_keys = any(
        key.startswith(prefixes) for record in spans for span in spans_of(record) for key in span.attributes
    )
    return len(spans) / len(sample.records) * (0.9 if has_own_keys else 0.1)


def _read(source: LogSource, name: str, to_call: ToCall) -> Iterator[Run | ImportProblem]:
    sessions = InterleavedSessions(name, source, by_time=True)

    def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
        spans = list(spans_of(record))
        if not spans:
            raise NotThisFormat("the record holds no spans")
        written = _written_calls(spans)
        for span in spans:
            call = to_call(span, written)
            if call is not None:
                call.ended, call.failed = span.end, span.failed
                run = span.run or stem(source.path)
                yield from sessions.add(run, call, _context(span), line)

    yield from read_each(source, convert)
    yield from sessions.finish()


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
    result = result_text(attributes.get("gen_ai.tool.call.result"))
    return LoggedCall(name, raw, call_id or span.id, span.start, result)


def _inference_call(span: SpanRecord, _written: Mapping[str, Json]) -> LoggedCall | None:
    kind = span.attributes.get("openinference.span.kind")
    if not isinstance(kind, str) or kind.upper() != "TOOL":
        return None
    raw = span.attributes.get("input.value", span.attributes.get("tool.parameters"))
    name = span.text("tool.name") or span.name or None
    return LoggedCall(name, raw, span.id, span.start, result_text(span.attributes.get("output.value")))


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
