"""OpenAI Responses: calls of tools among the items of ``output`` and ``input``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.guard.run_messages import MessagesSoFar
from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.conversation import unknown_blocks
from workbench.runs.logs.importer import (
    NotThisFormat,
    RunSoFar,
    facts,
    read_each,
    run_id,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.response_items import (
    CALLS,
    KINDS,
    QUIET,
    RESULTS,
    answered_call,
    call_of,
    result_of,
)
from workbench.runs.values.jsontext import as_text

_WRAPPERS = ("request", "body", "response")
_LEAVE_OUT = frozenset({"input", "output", "tools", "instructions", "usage", *_WRAPPERS})
# With one of these keys the items continue a conversation that is not recorded here.
_GOES_ON = ("previous_response_id", "conversation")


def items_of(record: Mapping[str, Json]) -> list[Json]:
    """The items of a record: first the input, then the output."""
    items = [*_listed(record.get("input")), *_listed(record.get("output"))]
    for wrapper in _WRAPPERS:
        inner = record.get(wrapper)
        if isinstance(inner, dict):
            items.extend(items_of(inner))
    return items


def _listed(value: Json) -> list[Json]:
    """The items at a place; a text is a message, and anything else is one item that cannot be read."""
    if isinstance(value, list):
        return value
    return [] if value is None or isinstance(value, str) else [value]


class OpenAiResponses:
    """Reads each record as one run: a response, or a request with its history."""

    name = "openai-responses"

    def matches(self, sample: Sample) -> float:
        """The share of records whose items are of the Responses kinds."""
        return 0.9 * sample.mean(
            lambda record: (
                record.get("object") == "response"
                or any(isinstance(item, dict) and str(item.get("type")) in KINDS for item in items_of(record))
            )
        )

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each record as one run."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            values = items_of(record)
            if not values:
                raise NotThisFormat("the record has no input and no output items")
            items = _Items(text_at(record, "created_at", "created"), _opening(record), line)
            for value in values:
                items.add(value)
            run = run_id(record, source, line)
            yield from items.read.finished(run, facts(record, _LEAVE_OUT), self.name, source)

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


class _Items:
    """The calls among the items of a record, each with its result once read.

    Consecutive calls belong to one response.
    """

    def __init__(self, time: str | None, messages: MessagesSoFar, line: int) -> None:
        """Begin with the messages before the items; ``time`` is that of the record."""
        self.read = RunSoFar("item", line)
        self._time = time
        self._messages = messages
        self._response = 0

    def add(self, item: Json) -> None:
        """Add the next item."""
        self.read.place += 1
        kind = text_at(item, "type") if isinstance(item, dict) else None
        if isinstance(item, dict) and kind in CALLS:
            self._messages.interrupt()
            call = call_of(item, self._time, self._messages.texts())
            call.message = str(self._response)
            if call.tool is None:
                self.read.lose("a call there does not tell its tool")
            self.read.calls.append(call)
            return
        self._response += 1
        if isinstance(item, dict) and kind in RESULTS:
            self._messages.interrupt()
            self._answer(item)
        elif (
            isinstance(item, dict) and isinstance(role := item.get("role"), str) and kind in ("message", None)
        ):
            self._messages.add(role, as_text(item.get("content")))
            for unknown in unknown_blocks(item):
                self.read.miss("block", unknown)
        else:
            self._messages.interrupt()
            if kind not in QUIET:
                self.read.miss("item", kind if isinstance(item, dict) else item)

    def _answer(self, item: Mapping[str, Json]) -> None:
        result, failed = result_of(item)
        self.read.give(*answered_call(self.read.calls, item), result, failed=failed)
