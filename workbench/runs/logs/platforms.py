"""Exports of LangSmith (runs) and Langfuse (observations)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    InterleavedSessions,
    LoggedCall,
    NotThisFormat,
    dict_at,
    list_at,
    stem,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.spans import as_json
from workbench.runs.values.jsontext import as_text

_LANGSMITH_TYPES = frozenset({"tool", "chain", "llm", "retriever", "embedding", "prompt", "parser"})
_LANGFUSE_TYPES = frozenset(
    {
        *("TOOL", "SPAN", "GENERATION", "EVENT", "AGENT", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING"),
        *("GUARDRAIL", "TRACE"),
    }
)


class LangSmith:
    """Reads runs of the type ``tool``, including those nested in ``child_runs``."""

    name = "langsmith"

    def matches(self, sample: Sample) -> float:
        """The share of records that are runs."""
        return 0.9 * sample.mean(
            lambda record: any("run_type" in run for run in _nested(record, ("runs", "child_runs")))
        )

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each trace id, its calls by start time."""
        sessions = InterleavedSessions(self.name, source, by_time=True)
        unread = sessions.unread

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            nested = _nested(record, ("runs", "child_runs"), lambda kind: unread.note("run", kind, line))
            spans = [span for span in nested if "run_type" in span or span is not record]
            if not spans:
                raise NotThisFormat("the record has no run_type")
            for span in spans:
                run = text_at(span, "trace_id") or text_at(record, "trace_id", "id") or stem(source.path)
                metadata = dict_at(dict_at(span, "extra"), "metadata")
                context = {
                    key: value for key, value in metadata.items() if isinstance(value, str | int | float)
                }
                kind, began = text_at(span, "run_type"), text_at(span, "start_time")
                call = _langsmith_call(span) if kind == "tool" else None
                yield from sessions.add(run, call, context, line, began)
                if kind not in _LANGSMITH_TYPES:
                    yield from sessions.miss(run, "run", kind, line, began)

        return sessions.read_each(convert)


class Langfuse:
    """Reads observations of the type ``TOOL``."""

    name = "langfuse"

    def matches(self, sample: Sample) -> float:
        """The share of records that are observations of a run."""
        return 0.9 * sample.mean(
            lambda record: any(map(_is_observation, _nested(record, ("observations", "data"))))
        )

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each trace id, its calls by start time."""
        sessions = InterleavedSessions(self.name, source, by_time=True)
        unread = sessions.unread

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            observations: list[dict[str, Json]] = []
            for candidate in _nested(
                record, ("observations", "data"), lambda kind: unread.note("observation", kind, line)
            ):
                if _is_observation(candidate):
                    observations.append(candidate)
                elif candidate is not record:
                    unread.note("observation", candidate.get("type"), line)
            if not observations:
                raise NotThisFormat("the record is no observation of a trace")
            for observation in observations:
                run = text_at(observation, "traceId", "trace_id") or stem(source.path)
                context: dict[str, Json] = {}
                for name, keys in (("user", ("userId", "user_id")), ("session", ("sessionId", "session_id"))):
                    value = text_at(observation, *keys) or text_at(record, *keys)
                    if value is not None:
                        context[name] = value
                kind, began = text_at(observation, "type"), _start(observation)
                call = _langfuse_call(observation) if kind == "TOOL" else None
                yield from sessions.add(run, call, context, line, began)
                if kind not in _LANGFUSE_TYPES:
                    yield from sessions.miss(run, "observation", kind, line, began)

        return sessions.read_each(convert)


def _nested(
    record: dict[str, Json], keys: tuple[str, ...], missed: Callable[[Json], None] | None = None
) -> Iterator[dict[str, Json]]:
    """The record and the records inside it. The importer bounds the depth of JSON.

    ``missed`` is told what is among the records inside it and is none.
    """
    yield record
    for key in keys:
        for inner in list_at(record, key):
            if isinstance(inner, dict):
                yield from _nested(inner, keys, missed)
            elif missed is not None:
                missed(inner)


def _is_observation(record: Mapping[str, Json]) -> bool:
    return ("traceId" in record or "trace_id" in record) and isinstance(record.get("type"), str)


def _langsmith_call(span: Mapping[str, Json]) -> LoggedCall:
    raw = as_json(span.get("inputs"))
    if isinstance(raw, dict) and raw.keys() == {"input"}:
        # The tool was called with a text: if it is a JSON object, the text holds the arguments.
        inner = as_json(raw["input"])
        raw = inner if isinstance(inner, dict) else raw
    result = as_text(span.get("outputs")) or as_text(span.get("error"))
    return LoggedCall(
        text_at(span, "name"),
        raw,
        text_at(span, "id"),
        text_at(span, "start_time"),
        result,
        failed=bool(span.get("error")),
        ended=text_at(span, "end_time"),
    )


def _start(observation: Mapping[str, Json]) -> str | None:
    return text_at(observation, "startTime", "start_time")


def _langfuse_call(observation: Mapping[str, Json]) -> LoggedCall:
    return LoggedCall(
        text_at(observation, "name"),
        observation.get("input"),
        text_at(observation, "id"),
        _start(observation),
        as_text(observation.get("output")),
        failed=observation.get("level") == "ERROR",
        ended=text_at(observation, "endTime", "end_time"),
    )
