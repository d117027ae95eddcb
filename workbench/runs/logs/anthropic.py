"""Anthropic messages: ``tool_use`` blocks in the content, paired with ``tool_result`` blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from workbench.guard.said import Said
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    build_run,
    dicts_at,
    facts,
    give_result,
    read_each,
    result_text,
    run_id,
    text_at,
)
from workbench.runs.logs.source import Sample, Source
from workbench.runs.values.jsontext import as_text

_WRAPPERS = ("request", "body", "params", "response", "result", "message")
_LEAVE_OUT = frozenset({"messages", "content", "tools", "system", "usage", *_WRAPPERS})
_TYPES = frozenset({"tool_use", "tool_result", "server_tool_use"})


def messages_of(record: Mapping[str, Json]) -> list[dict[str, Json]]:
    """The messages of a record; a response is a message by itself."""
    found = dicts_at(record, "messages")
    if isinstance(record.get("content"), list):
        found.append({"role": record.get("role", "assistant"), "content": record["content"]})
    for wrapper in _WRAPPERS:
        inner = record.get(wrapper)
        if isinstance(inner, dict):
            found.extend(messages_of(inner))
    return found


def system_of(record: Mapping[str, Json]) -> str | None:
    """The system prompt of a record's request, which stands beside its messages."""
    system = as_text(record.get("system"))
    if system:
        return system
    inner = (record.get(wrapper) for wrapper in _WRAPPERS)
    return next((found for one in inner if isinstance(one, dict) and (found := system_of(one))), None)


def blocks_of(message: Mapping[str, Json], *types: str) -> list[dict[str, Json]]:
    """The content blocks of these types."""
    return [block for block in dicts_at(message, "content") if block.get("type") in types]


def call_of(
    block: Mapping[str, Json], texts: dict[str, str], time: str | None, message: str | None
) -> LoggedCall:
    """The call that a ``tool_use`` block of a message makes."""
    return LoggedCall(
        tool=text_at(block, "name"),
        raw=block.get("input"),
        call_id=text_at(block, "id"),
        time=time,
        texts=texts,
        message=message,
        known_from=UNANSWERED,
    )


class Anthropic:
    """Reads one conversation or response a record."""

    name = "anthropic"

    def matches(self, sample: Sample) -> float:
        """The share of records with tool blocks in a message."""
        if not sample.records:
            return 0.0
        hits = sum(
            any(blocks_of(message, *_TYPES) for message in messages_of(record))
            for record in sample.records
            if "sessionId" not in record
        )
        return 0.9 * hits / len(sample.records)

    def read(self, source: Source) -> Iterator[Run | ImportProblem]:
        """One run a record."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            messages = messages_of(record)
            if not messages:
                raise NotThisFormat("the record has no messages and no content")
            yield build_run(
                run_id(record, source, line),
                list(_calls(messages, system_of(record))),
                facts(record, _LEAVE_OUT),
                self.name,
                source,
                f"line {line}",
            )

        return read_each(source, convert)


def _calls(messages: list[dict[str, Json]], system: str | None) -> Iterator[LoggedCall]:
    said = Said()
    if system:
        said.add("system", system)
    calls: list[LoggedCall] = []
    for place, message in enumerate(messages):
        if blocks_of(message, "tool_result", "tool_use", "server_tool_use"):
            said.interrupt()
        texts = [block["text"] for block in blocks_of(message, "text") if isinstance(block.get("text"), str)]
        text = "\n".join(text for text in texts if isinstance(text, str)) or (
            message["content"] if isinstance(message.get("content"), str) else None
        )
        role = message.get("role")
        if isinstance(role, str) and not (blocks_of(message, "tool_result") and not text):
            said.add(role, text if isinstance(text, str) else None)
        for block in blocks_of(message, "tool_use", "server_tool_use"):
            calls.append(call_of(block, said.texts(), None, str(place)))
        answer(calls, message)
    yield from calls


def answer(calls: Sequence[LoggedCall], message: Mapping[str, Json]) -> None:
    """Give the results of a message to their calls; an empty one counts as a result."""
    for block in dicts_at(message, "content"):
        if not str(block.get("type")).endswith("tool_result"):
            continue
        call_id = text_at(block, "tool_use_id")
        if call_id is not None:
            result = result_text(block.get("content")) or ""
            give_result(calls, call_id, result, failed=block.get("is_error") is True)
