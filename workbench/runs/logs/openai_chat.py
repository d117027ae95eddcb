"""OpenAI chat completions with tool calls: ``messages`` of a request, ``choices`` of a response.

If a record has neither, its messages are searched for under any key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.clean_text import counted
from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.conversation import ConversationCalls
from workbench.runs.logs.importer import (
    NotThisFormat,
    dict_at,
    dicts_at,
    facts,
    judged_by,
    list_at,
    read_each,
    run_id,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.message_forms import are_messages, message_of, messages_in

_WRAPPERS = ("request", "body", "response", "kwargs")
_LEAVE_OUT = frozenset({"messages", "choices", "tools", "functions", "usage", *_WRAPPERS})
_BLOCKS = ("tool_use", "tool_result")


def messages_of(record: Mapping[str, Json]) -> list[Json]:
    """The messages of a record in order: first those of the request, then those of the response."""
    messages = list(list_at(record, "messages"))
    for choice in list_at(record, "choices"):
        message = dict_at(choice, "message", "delta") if isinstance(choice, dict) else {}
        if message:
            messages.append({"role": "assistant", **message})
        elif not (isinstance(choice, dict) and isinstance(choice.get("delta"), dict)):
            messages.append(choice)
    for wrapper in _WRAPPERS:
        inner = record.get(wrapper)
        if isinstance(inner, dict):
            messages.extend(messages_of(inner))
    return messages or messages_in(record)


class OpenAiChat:
    """Reads JSON objects that hold ``messages`` or ``choices``."""

    name = "openai-chat"

    def matches(self, sample: Sample) -> float:
        """High if the messages have roles and the calls are in the OpenAI form."""
        return sample.mean(_score)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each record as one run; the calls are its tool calls, parallel calls in their order."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            messages = messages_of(record)
            if not messages:
                raise NotThisFormat("the record has no messages and no choices")
            for item in read_conversation(record, messages, _LEAVE_OUT, self.name, source, line):
                yield item
                if isinstance(item, Run):
                    yield from _unread_steps(record, item, line)

        return read_each(source, convert)


def _unread_steps(record: Mapping[str, Json], run: Run, line: int) -> Iterator[ImportProblem]:
    """A problem if a list of steps beside the messages has more actions than the messages have calls.

    SWE-agent writes the last action of a trajectory, and in some settings all of them, only there.
    """
    for key, value in record.items():
        steps = value if isinstance(value, list) else []
        actions = sum(
            isinstance(step, dict) and "observation" in step and bool(step.get("action")) for step in steps
        )
        if (missing := actions - len(run.calls)) > 0:
            verb = "is" if missing == 1 else "are"
            reason = (
                f"run {run.id}, {counted(missing, 'action')} of {key!r} {verb} in no message, and not read"
            )
            yield ImportProblem(run.path, line, reason, missing)


def _unread_conversations(
    record: Mapping[str, Json], messages: list[Json], run: str, path: str, line: int
) -> Iterator[ImportProblem]:
    """A problem for each list of messages of a record that is not among the messages that were read."""
    read = set(map(id, messages))
    for key, value in record.items():
        if isinstance(value, list) and value and are_messages(value):
            # A list may repeat the beginning of the one that is read.
            count = sum(
                id(item) not in read and item != next(iter(messages[place : place + 1]), None)
                for place, item in enumerate(value)
            )
            if count:
                reason = (
                    f"run {run}, {counted(count, 'message')} of {key!r} beside the messages that are read"
                )
                yield ImportProblem(path, line, reason, count)


def read_conversation(
    record: Mapping[str, Json],
    messages: list[Json],
    leave_out: frozenset[str],
    format_name: str,
    source: LogSource,
    line: int,
    system: str | None = None,
) -> Iterator[Run | ImportProblem]:
    """The run of the messages of a record, and a problem for each part that is not understood or not read."""
    judged = judged_by(record)
    run = run_id(record, source, line)
    conversation = ConversationCalls(text_at(record, "timestamp", "time", "created_at", "created"), line)
    if system:
        conversation.open("system", system)
    for message in messages:
        conversation.add(message)
    known = facts(record, leave_out.union(judged))
    yield from conversation.read.finished(run, known, format_name, source, judged)
    yield from _unread_conversations(record, messages, run, str(source.path), line)


def _score(record: Mapping[str, Json]) -> float:
    messages = [message for value in messages_of(record) if (message := message_of(value)) is not None]
    sure = 1.0 if "messages" in record or "choices" in record else 0.75
    if not messages:
        return 0.0
    if any(block.get("type") in _BLOCKS for message in messages for block in dicts_at(message, "content")):
        return 0.2
    tools = any(message.get("tool_calls") or message.get("function_call") for message in messages)
    return sure * (0.95 if tools else 0.7)
