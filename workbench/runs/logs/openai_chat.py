"""OpenAI chat completions with tool calls: ``messages`` of a request, ``choices`` of a response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    build_run,
    dict_at,
    dicts_at,
    facts,
    read_each,
    result_text,
    run_id,
    text_at,
)
from workbench.runs.logs.jsontext import as_text
from workbench.runs.logs.said import Said
from workbench.runs.logs.source import Sample, Source

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
    return found


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

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            messages = messages_of(record)
            if not messages:
                raise NotThisFormat("the record has no messages and no choices")
            calls = list(_calls(messages, text_at(record, "created", "timestamp", "created_at")))
            context = facts(record, _LEAVE_OUT)
            yield build_run(run_id(record, source, line), calls, context, self.name, source, f"line {line}")

        return read_each(source, convert)


def _score(record: Mapping[str, Json]) -> float:
    messages = messages_of(record)
    if not messages or not any(message.get("role") in _ROLES for message in messages):
        return 0.0
    if any(_has_block(message, "tool_use", "tool_result") for message in messages):
        return 0.2
    tools = any(message.get("tool_calls") or message.get("function_call") for message in messages)
    return 0.95 if tools else 0.7


def _has_block(message: Mapping[str, Json], *types: str) -> bool:
    return any(block.get("type") in types for block in dicts_at(message, "content"))


def _calls(messages: list[dict[str, Json]], time: str | None) -> Iterator[LoggedCall]:
    said = Said()
    open_calls: list[LoggedCall] = []
    for place, message in enumerate(messages):
        role = message.get("role")
        if role in ("tool", "function"):
            said.interrupt()
            _pair(message, result_text(message.get("content")), open_calls)
            continue
        if isinstance(role, str):
            said.add(role, as_text(message.get("content")))
        else:
            said.interrupt()
        made = list(_calls_of(message, said, time, str(place)))
        if made:
            open_calls.extend(made)
        elif role == "assistant":
            said.forget("assistant")
    yield from open_calls


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
        )


def _only_arguments(entry: Mapping[str, Json]) -> Json:
    """What a call hands to its tool; None, unknown, where two places say it: which one ran is not told."""
    places = (entry, *(dict_at(entry, kind) for kind in ("function", "custom") if kind in entry))
    said = [place[key] for place in places for key in ("arguments", "input", "args") if key in place]
    return said[0] if len(said) == 1 else None


def _pair(message: Mapping[str, Json], result: str | None, calls: list[LoggedCall]) -> None:
    """Give a result to its call: by id, or by name for the oldest unanswered call without one."""
    call_id = text_at(message, "tool_call_id")
    name = text_at(message, "name")
    for call in calls:
        if call.result is None and (
            call.call_id == call_id if call_id is not None else name is None or call.tool == name
        ):
            call.result = result
            return
