"""Anthropic messages: ``tool_use`` blocks in the content, paired with ``tool_result`` blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import NotThisFormat, dicts_at, list_at, read_each
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.message_forms import messages_in
from workbench.runs.logs.openai_chat import read_conversation
from workbench.runs.values.jsontext import as_text

_WRAPPERS = ("request", "body", "params", "response", "result", "message")
_LEAVE_OUT = frozenset({"messages", "content", "tools", "system", "usage", *_WRAPPERS})
_TYPES = ("tool_use", "tool_result", "server_tool_use")


def messages_of(record: Mapping[str, Json]) -> list[Json]:
    """The messages of a record; a response counts as one message."""
    messages = list(list_at(record, "messages"))
    if isinstance(record.get("content"), list):
        messages.append({"role": record.get("role", "assistant"), "content": record["content"]})
    for wrapper in _WRAPPERS:
        inner = record.get(wrapper)
        if isinstance(inner, dict):
            messages.extend(messages_of(inner))
    return messages or messages_in(record)


def system_of(record: Mapping[str, Json]) -> str | None:
    """The system prompt of a record's request, which is not among its messages."""
    system = as_text(record.get("system"))
    if system:
        return system
    inner = (record.get(wrapper) for wrapper in _WRAPPERS)
    return next(
        (inner_system for body in inner if isinstance(body, dict) and (inner_system := system_of(body))), None
    )


def _has_blocks(record: Mapping[str, Json]) -> bool:
    messages = (message for message in messages_of(record) if isinstance(message, dict))
    blocks = (block for message in messages for block in dicts_at(message, "content"))
    return "sessionId" not in record and any(block.get("type") in _TYPES for block in blocks)


class Anthropic:
    """Reads each record as one run: a conversation or a response."""

    name = "anthropic"

    def matches(self, sample: Sample) -> float:
        """The share of records with tool blocks in a message."""
        return 0.9 * sample.mean(_has_blocks)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each record as one run."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            messages = messages_of(record)
            if not messages:
                raise NotThisFormat("the record has no messages and no content")
            system = system_of(record)
            yield from read_conversation(record, messages, _LEAVE_OUT, self.name, source, line, system)

        return read_each(source, convert)
