"""Spans of OpenTelemetry, as OTLP JSON or as one flat span a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from workbench.model import Json
from workbench.runs.logs.importer import dict_at, list_at, text_at
from workbench.runs.values.jsontext import BadJson, parse_json

OPENINFERENCE_KIND = "openinference.span.kind"
OPENINFERENCE_KINDS = frozenset(
    {
        *("AGENT", "CHAIN", "EMBEDDING", "EVALUATOR", "GUARDRAIL", "LLM", "PROMPT", "RERANKER", "RETRIEVER"),
        *("TOOL", "UNKNOWN"),
    }
)
type Missed = Callable[[str, Json], None]
"""Told what a part is (its noun) and its kind, for each part of spans that cannot be read."""

_RESOURCE = frozenset({"resource", "scopeSpans", "instrumentationLibrarySpans", "schemaUrl"})
_SCOPE = frozenset({"scope", "instrumentationLibrary", "spans", "schemaUrl"})
_NAMES = frozenset({"traceId", "trace_id", "spanId", "span_id", "context", "context.span_id", "name"})
_MAX_DEPTH = 50
_ERRORS = frozenset({"2", "ERROR", "STATUS_CODE_ERROR"})


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """One span; attributes have dotted names."""

    name: str
    run: str | None
    id: str | None
    parent: str | None
    start: str | None
    attributes: Mapping[str, Json]
    end: str | None = None
    failed: bool = False
    resource: Mapping[str, Json] = field(default_factory=dict[str, Json])
    events: tuple[tuple[str, Mapping[str, Json]], ...] = ()

    def text(self, *names: str) -> str | None:
        """The first of these attributes that is a text or a number."""
        return text_at(self.attributes, *names)


def _unheard(_what: str, _kind: Json) -> None:
    """Take no notice of what cannot be read."""


def spans_of(record: Mapping[str, Json], missed: Missed = _unheard) -> Iterator[SpanRecord]:
    """The spans of an OTLP export, or the single span that the record is."""
    if "resourceSpans" in record:
        for resource in _objects(record, "resourceSpans", "resource of spans", _RESOURCE, missed):
            facts = _attributes(dict_at(resource, "resource"), missed)
            for key in ("scopeSpans", "instrumentationLibrarySpans"):
                for scope in _objects(resource, key, "scope of spans", _SCOPE, missed):
                    for span in _objects(scope, "spans", "span", _NAMES, missed):
                        yield _span(span, facts, missed)
    elif "attributes" in record or any(key.startswith("attributes.") for key in record):
        yield _span(record, {}, missed)


def _objects(
    holder: Mapping[str, Json], key: str, what: str, known: frozenset[str], missed: Missed
) -> Iterator[dict[str, Json]]:
    """The objects in a list that have a known key; the rest is missed, and so is a value that is no list."""
    value = holder.get(key)
    for item in value if isinstance(value, list) else [] if value is None else [value]:
        if isinstance(item, dict) and not known.isdisjoint(item):
            yield item
        else:
            missed(what, item.get("type") if isinstance(item, dict) else item)


def is_span(record: Mapping[str, Json]) -> bool:
    """Whether the record is a span or an export of spans."""
    return "resourceSpans" in record or (
        ("attributes" in record or any(key.startswith("attributes.") for key in record))
        and any(
            key in record
            for key in ("spanId", "span_id", "context", "trace_id", "traceId", "context.span_id")
        )
    )


def _span(span: Mapping[str, Json], resource: Mapping[str, Json], missed: Missed) -> SpanRecord:
    context = dict_at(span, "context")
    events = tuple(
        (text_at(event, "name") or "", _attributes(event, missed))
        for event in _objects(span, "events", "event of a span", frozenset({"name"}), missed)
    )
    attributes = dict(_attributes(span, missed))
    for key, value in span.items():
        if key.startswith("attributes."):
            attributes.update(_flat(key.removeprefix("attributes."), value, 0))
    if str(span.get("span_kind")) in OPENINFERENCE_KINDS:
        # Phoenix exports the kind beside the attributes.
        attributes.setdefault(OPENINFERENCE_KIND, span["span_kind"])
    return SpanRecord(
        name=text_at(span, "name") or "",
        run=text_at(span, "traceId", "trace_id", "context.trace_id")
        or text_at(context, "trace_id", "traceId"),
        id=text_at(span, "spanId", "span_id", "context.span_id") or text_at(context, "span_id", "spanId"),
        parent=text_at(span, "parentSpanId", "parent_span_id", "parent_id"),
        start=text_at(span, "startTimeUnixNano", "start_time", "startTime"),
        end=text_at(span, "endTimeUnixNano", "end_time", "endTime"),
        failed=_status(span) in _ERRORS,
        attributes=attributes,
        resource=resource,
        events=events,
    )


def _status(span: Mapping[str, Json]) -> str | None:
    return text_at(span, "status_code", "status.code", "status.status_code") or text_at(
        dict_at(span, "status"), "code", "status_code"
    )


def _attributes(holder: Mapping[str, Json], missed: Missed) -> Mapping[str, Json]:
    """Attributes from OTLP's list of keys and values, or from a plain, possibly nested object."""
    value = holder.get("attributes")
    if isinstance(value, list):
        listed: dict[str, Json] = {}
        for item in _objects(holder, "attributes", "attribute", frozenset({"key"}), missed):
            if isinstance(key := item.get("key"), str):
                listed[key] = _value(item.get("value"), 0)
            else:
                missed("attribute", key)
        return listed
    if isinstance(value, dict):
        attributes: dict[str, Json] = {}
        for key, item in value.items():
            attributes.update(_flat(key, item, 0))
        return attributes
    return {}


def _flat(key: str, value: Json, depth: int) -> Iterator[tuple[str, Json]]:
    yield key, value
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        for name, item in value.items():
            yield from _flat(f"{key}.{name}", item, depth + 1)


def _value(value: Json, depth: int) -> Json:
    """The value that OTLP JSON encodes; OTLP writes integers as texts."""
    if not isinstance(value, dict) or depth > _MAX_DEPTH:
        return value
    if "intValue" in value:
        number = value["intValue"]
        return (
            int(number)
            if isinstance(number, str) and number.lstrip("-").isdecimal() and len(number) < 30
            else number
        )
    if "arrayValue" in value:
        return [_value(item, depth + 1) for item in list_at(dict_at(value, "arrayValue"), "values")]
    if "kvlistValue" in value:
        return _members(list_at(dict_at(value, "kvlistValue"), "values"), depth + 1)
    for name in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if name in value:
            return value[name]
    return None


def _members(pairs: list[Json], depth: int) -> Json:
    """The object of these keys and values; None, which is unknown, if one of them has no key."""
    members: dict[str, Json] = {}
    for pair in pairs:
        if not isinstance(pair, dict) or not isinstance(key := pair.get("key"), str):
            return None
        members[key] = _value(pair.get("value"), depth)
    return members


def as_json(value: Json) -> Json:
    """A value that may be JSON text, parsed; other texts stay as they are."""
    if isinstance(value, str):
        try:
            return parse_json(value)
        except BadJson:
            return value
    return value
