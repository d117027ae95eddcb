"""The workbench's own JSONL: one step a line, as docs/logs.md describes it."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.logs.importer import Call, Sessions, dict_at, text_at
from workbench.logs.jsontext import as_text
from workbench.logs.source import Sample, Source
from workbench.model import ImportProblem, Json, Trace


class Own:
    """Reads steps by ``trace``; steps of several traces may be mixed."""

    name = "workbench"

    def matches(self, sample: Sample) -> float:
        """The share of records with a trace and a tool."""
        return sample.share(frozenset({"trace", "tool"}))

    def read(self, source: Source) -> Iterator[Trace | ImportProblem]:
        """The traces, their steps in the order of the lines."""
        sessions = Sessions(self.name, source)
        path = str(source.path)
        for record in source.records():
            value = record.value
            if record.error is not None or not isinstance(value, dict):
                yield ImportProblem(path, record.line, record.error or "the record is not a JSON object")
                continue
            trace = text_at(value, "trace")
            if trace is None or "tool" not in value:
                yield ImportProblem(path, record.line, "the record has no trace or no tool")
                continue
            yield from sessions.add(trace, _call(value), dict_at(value, "context"), record.line)
        yield from sessions.finish()


def _call(record: dict[str, Json]) -> Call:
    texts = {name: text for name, text in dict_at(record, "texts").items() if isinstance(text, str)}
    return Call(
        tool=text_at(record, "tool"),
        raw=record.get("arguments"),
        call_id=text_at(record, "call_id"),
        time=text_at(record, "time"),
        result=as_text(record.get("result")),
        texts=texts,
    )
