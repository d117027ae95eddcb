"""Runs inside other records: a bare list of messages, one message a line, or runs some levels down.

A run is recognised by its content, never by the name of its key. Each run becomes a record of its own.
The record also has the plain values and facts around the run (``model``, ``task_id``, ``context``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path

from workbench.model import Json
from workbench.runs.logs.events import are_events, is_event
from workbench.runs.logs.importer import GIVEN_ID, ID_KEYS, is_fact, stem, text_at
from workbench.runs.logs.log_stream import LogRecord, LogSource, Sample
from workbench.runs.logs.message_forms import are_messages, conversations_in, message_of
from workbench.runs.logs.response_items import are_items

_DEEPEST = 3
_MOST_MESSAGES = 100_000
_SESSION = tuple(key for key in ID_KEYS if key not in ("id", "index"))
_LOOKED_AT = 20


class Contained(LogSource):
    """The runs inside the records of a file, each as a record."""

    def __init__(
        self,
        path: Path,
        *,
        bare: bool,
        tools: Collection[str] = (),
        enough: int | None = None,
    ) -> None:
        """Take what a source takes, and whether the records of the file are ``bare`` (see ``is_bare``)."""
        super().__init__(path, tools=tools, enough=enough)
        self._bare = bare

    def records(self) -> Iterator[LogRecord]:
        """The runs in order; if each record is one message, messages are gathered into their runs."""
        if self._bare:
            yield from self._gathered()
            return
        for record in super().records():
            if record.error is not None:
                yield record
                continue
            runs = list(_runs_in(record.value, {}, _DEEPEST))
            if not runs:
                yield record
            yield from (LogRecord(record.line, run) for run in runs)

    def _gathered(self) -> Iterator[LogRecord]:
        runs: dict[str, tuple[int, list[Json]]] = {}
        run = stem(self.path)
        for count, record in enumerate(islice(super().records(), self.enough), 1):
            if count > _MOST_MESSAGES:
                why = f"only the first {_MOST_MESSAGES} messages of a log are read"
                yield LogRecord(record.line, error=why)
                break
            value = record.value
            if record.error is not None:
                yield record
            elif isinstance(value, dict):
                run = text_at(value, *_SESSION) or run
            _, messages = runs.setdefault(run, (record.line, []))
            # An unreadable record keeps its place, because a call may be missing there.
            # The line around a message has nothing of the message but the role and the time.
            wrapped = isinstance(value, dict) and "message" in value
            messages.append(
                None if record.error is not None else message_of(value) or value if wrapped else value
            )
        for name, (line, messages) in runs.items():
            yield LogRecord(line, {GIVEN_ID: name, _key_of(messages): messages})


def is_bare(sample: Sample) -> bool:
    """Whether the records of a file are the messages or events of runs, rather than runs."""
    first = sample.records[:_LOOKED_AT]
    if len(first) < 2:
        return False
    if are_items(list(first)):
        return True
    events = sum(is_event(record) for record in first)
    messages = [message for record in first if (message := message_of(record)) is not None]
    # Responses also come one a record, and all their roles are the assistant's.
    several = any(message["role"] != "assistant" for message in messages)
    return events * 2 > len(first) or (several and len(messages) * 2 > len(first))


def _key_of(run: list[Json]) -> str:
    return "input" if are_items(run) else "events" if are_events(run) else "messages"


def _is_run(value: Json) -> bool:
    return are_messages(value) or are_events(value) or are_items(value)


def _runs_in(value: Json, around: Mapping[str, Json], depth: int) -> Iterator[Json]:
    """The runs inside a value, and what stands in a list with runs and is none."""
    if isinstance(value, list) and _is_run(value):
        yield {**around, _key_of(value): value}
    elif isinstance(value, dict) and any(map(_is_run, value.values())):
        yield from _runs_of(value, around)
    elif isinstance(value, dict) and depth > 0:
        outer = {**around, **_plain(value)}
        for item in value.values():
            yield from _runs_in(item, outer, depth - 1)
    elif isinstance(value, list) and depth > 0:
        runs_of_items = [list(_runs_in(item, around, depth - 1)) for item in value]
        if any(runs_of_items):
            for item, runs in zip(value, runs_of_items, strict=True):
                yield from runs or [item]


def _runs_of(record: dict[str, Json], around: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """The run that a record is, or the runs that it has under several keys."""
    several = conversations_in(record)
    for key, messages in several.items():
        yield {**around, **_plain(record), GIVEN_ID: key, "messages": messages}
    if not several:
        # Items under another key than those of the API (``items``) are its input.
        moved = {
            "input" if key not in ("input", "output") and are_items(value) else key: value
            for key, value in record.items()
        }
        yield {**around, **moved}


def _plain(record: Mapping[str, Json]) -> dict[str, Json]:
    return {
        key: item for key, item in record.items() if not isinstance(item, dict | list) or is_fact(key, item)
    }
