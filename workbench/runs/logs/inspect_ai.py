"""Inspect's evaluation logs: tool events of samples, as ``.json`` or as a ``.eval`` archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.clean_text import counted
from workbench.guard.run_messages import MessagesSoFar
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    RunSoFar,
    dict_at,
    dicts_at,
    facts,
    list_at,
    read_each,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import as_text

_EVENTS = frozenset(
    {
        *("tool", "sample_init", "sample_limit", "state", "store", "model", "approval", "input", "score"),
        *("score_edit", "error", "logger", "info", "span_begin", "span_end", "step", "subtask", "sandbox"),
        *("compaction", "interrupt", "branch", "anchor", "checkpoint"),
    }
)


# The header of a log, and what an archive has beside the samples: their summaries and their scores.
_OTHER_MEMBERS = frozenset({"eval", "plan", "scores", "scorer", "reducer"})


class Inspect:
    """Reads each sample as one run. Other members of an archive are skipped."""

    name = "inspect"

    def matches(self, sample: Sample) -> float:
        """High if there are samples with events, or the log's own header."""
        has_samples = any(_samples(record) for record in sample.records)
        header = any(isinstance(record.get("eval"), dict) for record in sample.records)
        return 0.9 if has_samples or header else 0.0

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each sample and epoch."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            samples, without = _samples(record), _without_events(record)
            if without:
                reason = f"{counted(without, 'sample')} without events, and so without calls"
                yield ImportProblem(str(source.path), line, reason, without)
            elif not samples and _OTHER_MEMBERS.isdisjoint(record):
                raise NotThisFormat("the record is no sample, and no other part of an evaluation's log")
            for sample in samples:
                name = text_at(sample, "id", "uuid") or f"sample:{line}"
                epoch = text_at(sample, "epoch")
                run = f"{name}/{epoch}" if epoch not in (None, "1") else name
                context = facts(dict_at(sample, "metadata"), frozenset())
                yield from _read(sample, line).finished(run, context, self.name, source)

        return read_each(source, convert)


def _samples(record: dict[str, Json]) -> list[dict[str, Json]]:
    if isinstance(record.get("events"), list) and "id" in record:
        return [record]
    return [sample for sample in dicts_at(record, "samples") if isinstance(sample.get("events"), list)]


def _opening(sample_input: Json) -> MessagesSoFar:
    """The input of a sample as messages: the user's question, or the messages that the run begins with."""
    opening = MessagesSoFar()
    items = sample_input if isinstance(sample_input, list) else []
    messages = [item for item in items if isinstance(item, dict) and isinstance(item.get("role"), str)]
    if items and len(messages) == len(items):
        for message in messages:
            opening.add(str(message["role"]), as_text(message.get("content")))
    elif sample_input:
        opening.add("user", as_text(sample_input))
    return opening


def _without_events(record: dict[str, Json]) -> int:
    """How many samples of a record have no events, which were left out when it was written."""
    if not isinstance(record.get("samples", []), list):
        return 1
    return sum(
        not isinstance(sample, dict) or not isinstance(sample.get("events"), list)
        for sample in list_at(record, "samples")
    )


def _read(sample: Mapping[str, Json], line: int) -> RunSoFar:
    opening = _opening(sample.get("input"))
    read = RunSoFar("event", line)
    events = list(_flat(list_at(sample, "events")))
    ended = {
        text_at(event, "id") for event in events if event.get("event") == "tool" and not event.get("pending")
    }
    for event in events:
        kind = text_at(event, "event")
        if kind == "tool" and not (event.get("pending") is True and text_at(event, "id") in ended):
            read.calls.append(_call(event, opening))
        elif kind not in _EVENTS:
            read.miss("event", kind)
    return read


def _flat(events: list[Json]) -> Iterator[dict[str, Json]]:
    """The events, and those inside a tool's or a subtask's. The importer bounds the depth of JSON."""
    for event in events:
        yield event if isinstance(event, dict) else {"event": None}
        if isinstance(event, dict):
            yield from _flat(list_at(event, "events"))


def _call(event: Mapping[str, Json], opening: MessagesSoFar) -> LoggedCall:
    error = event.get("error")
    return LoggedCall(
        tool=text_at(event, "function"),
        raw=event.get("arguments"),
        call_id=text_at(event, "id"),
        time=text_at(event, "timestamp"),
        result=as_text(event.get("result") if error is None else error),
        texts=opening.texts(),
        failed=error is not None,
        known_from=UNANSWERED if event.get("pending") is True else 0,
    )
