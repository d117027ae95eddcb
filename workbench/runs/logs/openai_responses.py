"""OpenAI Responses: items of type ``function_call`` in ``output`` and ``input``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from workbench.guard.run_messages import MessagesSoFar
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
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import as_text

_WRAPPERS = ("request", "body", "response")
_LEAVE_OUT = frozenset({"input", "output", "tools", "instructions", "usage", *_WRAPPERS})
# With one of these keys the items continue a conversation that is not recorded here.
_GOES_ON = ("previous_response_id", "conversation")
_CALLS = frozenset({"function_call", "custom_tool_call", "mcp_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
_ITEMS = _CALLS | _RESULTS | {"reasoning", "message", "mcp_approval_request", "mcp_approval_response"}


def items_of(record: Mapping[str, Json]) -> list[dict[str, Json]]:
    """The items of a record: first the input, then the output."""
    items = [*dicts_at(record, "input"), *dicts_at(record, "output")]
    for wrapper in _WRAPPERS:
        inner = record.get(wrapper)
        if isinstance(inner, dict):
            items.extend(items_of(inner))
    return items


class OpenAiResponses:
    """Reads each record as one run: a response, or a request with its history."""

    name = "openai-responses"

    def matches(self, sample: Sample) -> float:
        """The share of records whose items are of the Responses kinds."""
        if not sample.records:
            return 0.0
        hits = sum(
            record.get("object") == "response"
            or any(str(item.get("type")) in _ITEMS for item in items_of(record))
            for record in sample.records
        )
        return 0.9 * hits / len(sample.records)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each record as one run."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            items = items_of(record)
            if not items:
                raise NotThisFormat("the record has no input and no output items")
            time = text_at(record, "created_at", "created")
            yield build_run(
                run_id(record, source, line),
                list(calls_of(items, time, _opening(record))),
                facts(record, _LEAVE_OUT),
                self.name,
                source,
                f"line {line}",
            )

        return read_each(source, convert)


def _opening(record: Mapping[str, Json]) -> MessagesSoFar:
    """The messages before the items: the instructions. A response that continues another has no start."""
    bodies = [record, *(inner for name in _WRAPPERS if isinstance(inner := record.get(name), dict))]
    goes_on = any(body.get(key) is not None for body in bodies for key in _GOES_ON)
    messages = MessagesSoFar(from_start=not goes_on)
    for body in bodies:
        if body.get("instructions") is not None:
            messages.add("system", as_text(body["instructions"]))
    inputs = [body["input"] for body in bodies if isinstance(body.get("input"), str)]
    if len(inputs) == 1:
        # A request may give the user's message as a text instead of items.
        messages.add("user", str(inputs[0]))
    return messages


def calls_of(items: list[dict[str, Json]], time: str | None, messages: MessagesSoFar) -> Iterator[LoggedCall]:
    """The calls among the items, with their results; ``messages`` are the messages before them.

    Consecutive calls belong to one response.
    """
    calls: list[LoggedCall] = []
    response = 0
    for item in items:
        kind = item.get("type")
        if kind in _CALLS:
            messages.interrupt()
            calls.append(replace(_call(item, messages, time), message=str(response)))
            continue
        response += 1
        if kind in _RESULTS:
            messages.interrupt()
            call_id = text_at(item, "call_id")
            if call_id is not None:
                give_result(calls, call_id, result_text(item.get("output")), failed=has_failed(item))
        else:
            role = item.get("role")
            if isinstance(role, str):
                messages.add(role, as_text(item.get("content")))
            else:
                messages.interrupt()
    yield from calls


def _call(item: dict[str, Json], messages: MessagesSoFar, time: str | None) -> LoggedCall:
    raw = item.get("arguments")
    if isinstance(item.get("input"), str):
        # A custom tool takes free text: its only argument is this text. If there are also arguments by name,
        # it is unknown which of the two the tool received.
        raw = {"input": item["input"]} if raw is None else None
    failed = has_failed(item)
    output = item.get("output")
    result = result_text(item.get("error") if output is None and failed else output)
    return LoggedCall(
        tool=text_at(item, "name"),
        raw=raw,
        call_id=text_at(item, "call_id", "id"),
        time=time,
        result=result,
        texts=messages.texts(),
        failed=failed,
        known_from=UNANSWERED if result is None and not failed else 0,
    )


def has_failed(item: Mapping[str, Json]) -> bool:
    """Whether an item is flagged as failed; an item that is incomplete may have had its effect."""
    return item.get("status") == "failed" or item.get("error") is not None
