"""OpenAI chat completions with tool calls: ``messages`` of a request, ``choices`` of a response.

A record that has neither is looked through for its messages, whatever the key is called that holds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.guard.said import Said
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    build_run,
    dict_at,
    dicts_at,
    facts,
    give_result,
    judged_by,
    read_each,
    result_text,
    run_id,
    text_at,
)
from workbench.runs.logs.source import Sample, Source
from workbench.runs.values.jsontext import as_text

_WRAPPERS = ("request", "body", "response", "kwargs")
_LEAVE_OUT = frozenset({"messages", "choices", "tools", "functions", "usage", *_WRAPPERS})
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def messages_of(record: Mapping[str, Json]) -> list[dict[str, Json]]:
    """The messages of a record in order: those of the request, then those of the response."""
    found = dicts_at(record, "messages")
    for choice in dicts_at(record, "choices"):
        message = dict_at(choice, "message", "delta")
        if message:
            found.append({"role": "assistant", **message})
    for wrapper in _WRAPPERS:
        inner = record.get(wrapper)
        if isinstance(inner, dict):
            found.extend(messages_of(inner))
    return found or _messages_anywhere(record)


def _messages_anywhere(record: Mapping[str, Json]) -> list[dict[str, Json]]:
    """The messages under keys of other names, in the order of the keys.

    A list that begins with the whole of another one is the same conversation, further on.
    """
    lists = [found for key in record if _are_messages(record[key]) and (found := dicts_at(record, key))]
    whole = [one for one in lists if not any(_begins(other, one) for other in lists if other is not one)]
    return [message for one in whole for message in one]


def _are_messages(value: Json) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) and item.get("role") in _ROLES and ("content" in item or "tool_calls" in item)
        for item in value
    )


def _begins(whole: list[dict[str, Json]], part: list[dict[str, Json]]) -> bool:
    return len(whole) > len(part) and whole[: len(part)] == part


class OpenAiChat:
    """Reads JSON objects that hold ``messages`` or ``choices``."""

    name = "openai-chat"

    def matches(self, sample: Sample) -> float:
        """Sure if the messages have roles and the calls are in the OpenAI form."""
        if not sample.records:
            return 0.0
        return sum(_score(record) for record in sample.records) / len(sample.records)

    def read(self, source: Source) -> Iterator[Run | ImportProblem]:
        """One run a record; the steps are its tool calls, parallel ones in their order."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            messages = messages_of(record)
            if not messages:
                raise NotThisFormat("the record has no messages and no choices")
            conversation = _Conversation(text_at(record, "created", "timestamp", "created_at"))
            for place, message in enumerate(messages):
                conversation.add(message, str(place))
            judged = judged_by(record)
            yield build_run(
                run_id(record, source, line),
                conversation.calls,
                facts(record, _LEAVE_OUT.union(judged)),
                self.name,
                source,
                f"line {line}",
                judged,
            )
            for lost in conversation.lost:
                yield ImportProblem(str(source.path), line, lost)

        return read_each(source, convert)


def _score(record: Mapping[str, Json]) -> float:
    messages = messages_of(record)
    sure = 1.0 if "messages" in record or "choices" in record else 0.75
    if not messages or not any(message.get("role") in _ROLES for message in messages):
        return 0.0
    if any(_has_block(message, "tool_use", "tool_result") for message in messages):
        return 0.2
    tools = any(message.get("tool_calls") or message.get("function_call") for message in messages)
    return sure * (0.95 if tools else 0.7)


def _has_block(message: Mapping[str, Json], *types: str) -> bool:
    return any(block.get("type") in types for block in dicts_at(message, "content"))


class _Conversation:
    """The calls of a conversation, message by message, each with its result once that stands there."""

    def __init__(self, time: str | None) -> None:
        """Begin one whose calls were made at this time, where the record tells."""
        self.calls: list[LoggedCall] = []
        self.lost: list[str] = []
        self._said = Said()
        self._time = time

    def add(self, message: Mapping[str, Json], place: str) -> None:
        """The next message."""
        role = message.get("role")
        if role in ("tool", "function"):
            self._said.interrupt()
            self._answer(message)
            return
        if isinstance(role, str):
            self._said.add(role, as_text(message.get("content")))
        else:
            self._said.interrupt()
        made = list(_calls_of(message, self._said, self._time, place))
        self.calls.extend(made)
        if not made and role == "assistant":
            self._said.forget("assistant")

    def _answer(self, message: Mapping[str, Json]) -> None:
        """Give a result to its call; frameworks flag one that failed by its status."""
        name = text_at(message, "name")
        result, failed = result_text(message.get("content")), message.get("status") == "error"
        found = give_result(self.calls, text_at(message, "tool_call_id"), result, tool=name, failed=failed)
        if not found and self.calls:  # before the first call, the record begins in the middle of a run
            self.lost.append(f"a result of {name or 'a tool'} belongs to no call of the run")


def _calls_of(message: Mapping[str, Json], said: Said, time: str | None, place: str) -> Iterator[LoggedCall]:
    own = said.texts()
    if not as_text(message.get("content")):
        own.pop("assistant", None)
    entries = dicts_at(message, "tool_calls")
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        entries = [*entries, {"function": legacy}]
    for entry in entries:
        function = dict_at(entry, "function", "custom")
        yield LoggedCall(
            tool=text_at(function, "name") or text_at(entry, "name"),
            raw=_only_arguments(entry),
            call_id=text_at(entry, "id"),
            time=time,
            texts=dict(own),
            message=place,
            known_from=UNANSWERED,
        )


def _only_arguments(entry: Mapping[str, Json]) -> Json:
    """What a call hands to its tool; None, unknown, where two places say it: which one ran is not told."""
    places = (entry, *(dict_at(entry, kind) for kind in ("function", "custom") if kind in entry))
    said = [place[key] for place in places for key in ("arguments", "input", "args") if key in place]
    return said[0] if len(said) == 1 else None
