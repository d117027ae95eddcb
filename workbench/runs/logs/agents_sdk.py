"""Traces of OpenAI's Agents SDK: a trace and its spans, one a line or together under ``data``.

The calls are the spans of functions. A tool that OpenAI runs itself (a web search, say) has no span: the
trace has only the id of the response that called it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    InterleavedSessions,
    LoggedCall,
    NotThisFormat,
    dict_at,
    facts,
    list_at,
    stem,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import as_text

_TRACE, _SPAN = "trace", "trace.span"
_FACTS = ("workflow_name", "group_id", "metadata")
_QUIET = frozenset(
    {
        *("agent", "generation", "response", "handoff", "guardrail", "custom", "mcp_tools", "task", "turn"),
        *("transcription", "speech", "speech_group"),
    }
)


class AgentsSdk:
    """Reads one run for each trace, its calls by start time."""

    name = "agents-sdk"

    def matches(self, sample: Sample) -> float:
        """The share of records that are traces or spans."""
        return sample.mean(lambda record: any(map(_is_ours, _objects(record))))

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each trace."""
        sessions = InterleavedSessions(self.name, source, by_time=True, named_by="trace_id")

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            values = _objects(record)
            if not any(map(_is_ours, values)):
                raise NotThisFormat("the record is no trace and no span of a trace")
            for value in values:
                yield from _read(value, stem(source.path), sessions, line)

        return sessions.read_each(convert)


def _objects(record: dict[str, Json]) -> list[Json]:
    return list_at(record, "data") if "object" not in record and "data" in record else [record]


def _is_ours(value: Json) -> bool:
    return isinstance(value, dict) and (
        value.get("object") == _SPAN or (value.get("object") == _TRACE and "workflow_name" in value)
    )


def _read(value: Json, file: str, sessions: InterleavedSessions, line: int) -> Iterator[Run]:
    """Add an object: the facts of a trace, the call that a span is, or none."""
    record = value if isinstance(value, dict) else {}
    if record.get("object") == _TRACE:
        known = {key: record[key] for key in _FACTS if key in record}
        yield from sessions.add(text_at(record, "id") or file, None, facts(known, frozenset()), line)
        return
    trace = text_at(record, "trace_id") or file
    data, is_span = dict_at(record, "span_data"), record.get("object") == _SPAN
    kind = text_at(data, "type")
    if is_span and kind == "function":
        yield from sessions.add(trace, _call(record, data), {}, line)
    elif is_span and kind in _QUIET:
        yield from sessions.add(trace, None, {}, line)
    else:
        unknown = kind if is_span else record.get("object", value)
        yield from sessions.miss(trace, "span", unknown, line, text_at(record, "started_at"))


def _call(record: Mapping[str, Json], data: Mapping[str, Json]) -> LoggedCall:
    error = record.get("error")
    output = data.get("output")
    return LoggedCall(
        tool=text_at(data, "name"),
        raw=data.get("input"),
        call_id=text_at(record, "id"),
        time=text_at(record, "started_at"),
        result=as_text(error if output is None else output),
        failed=error is not None,
        ended=text_at(record, "ended_at"),
    )
