"""The workbench's own JSONL: one call a line, as docs/reference/logs.md describes it."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import InterleavedSessions, LoggedCall, NotThisFormat, dict_at, text_at
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import as_text


class Own:
    """Reads calls by ``run`` (or ``trace``); calls of several runs may be mixed."""

    name = "workbench"

    def matches(self, sample: Sample) -> float:
        """The share of records with a run and a tool."""
        keys = (frozenset({"run", "tool"}), frozenset({"trace", "tool"}))
        return max(map(sample.share, keys))

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read the runs; the calls are in the order of the lines."""
        sessions = InterleavedSessions(self.name, source)

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            run = text_at(record, "run", "trace")
            if run is None or "tool" not in record:
                raise NotThisFormat("the record has no run or no tool")
            yield from sessions.add(run, _call(record), {}, line)

        return sessions.read_each(convert, in_order=True)


def _call(record: dict[str, Json]) -> LoggedCall:
    texts = {name: text for name, text in dict_at(record, "texts").items() if isinstance(text, str)}
    return LoggedCall(
        tool=text_at(record, "tool"),
        raw=record.get("arguments"),
        call_id=text_at(record, "call_id"),
        time=text_at(record, "time"),
        result=as_text(record.get("result")),
        texts=texts,
        context=dict_at(record, "context"),
        failed=record.get("failed") is True,
    )
