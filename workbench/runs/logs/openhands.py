"""OpenHands: the events of a session as a list, one a line, or in the ``history`` of an evaluation's record.

There are two forms. In the first form an action has ``action``, its name, and ``args``; the observation
that answers it has its id as ``cause``. In the second form an ``ActionEvent`` has ``tool_name`` and
``action``, and the ``ObservationEvent`` has ``action_id`` and ``tool_call_id``. A call of a tool of an MCP
server is a call of that tool. The agent's messages, changes of its state and recalls are no calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.guard.run_messages import MessagesSoFar
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.conversation import unknown_blocks
from workbench.runs.logs.events import are_events
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    RunSoFar,
    dict_at,
    dicts_at,
    facts,
    judged_by,
    lost_result,
    not_understood,
    read_each,
    run_id,
    text_at,
    waiting_call,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import as_text

_NO_CALLS = frozenset({
    "message", "system", "null", "recall", "change_agent_state", "condensation", "condensation_request",
    "loop_recovery", "streaming_chunk",
})  # fmt: skip
# Observations of no call, or notes about a call that is still running.
_NO_RESULTS = frozenset({"agent_state_changed", "recall", "condense", "loop_recovery", "server_ready"})
_SOURCES = ("agent", "user", "environment", "hook", None)
_QUIET_KINDS = frozenset({
    "PauseEvent", "InterruptEvent", "Condensation", "CondensationRequest", "CondensationSummaryEvent",
    "ConversationStateUpdateEvent", "ConversationErrorEvent", "LLMCompletionLogEvent", "TokenEvent",
    "StreamingDeltaEvent", "HookExecutionEvent",
})  # fmt: skip
_BESIDE_ARGUMENTS = frozenset(
    {"thought", "confirmation_state", "security_risk", "hidden", "impl_source", "kind"}
)
_MCP = ("call_tool_mcp", "MCPAction")
_EMPTY = ("null", "success")
_ANSWERS = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
_REFUSED = ("user_rejected", "UserRejectObservation")
_JUDGED = frozenset({"test_result", "metrics", "error", "resolved", "report"})


class OpenHands:
    """Reads each record as one run."""

    name = "openhands"

    def matches(self, sample: Sample) -> float:
        """The share of records that hold a list of events."""
        return sample.mean(lambda record: _key(record) is not None)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each record as one run; several actions of one response of the model are one action."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            key = _key(record)
            if key is None:
                raise NotThisFormat("the record has no list of events")
            events = record[key]
            session = _Session(line)
            for event in events if isinstance(events, list) else ():
                for single in event if isinstance(event, list) and event else (event,):
                    session.add(single)
            judged = {
                **judged_by(record),
                **{name: record[name] for name in _JUDGED if record.get(name) is not None},
            }
            run = run_id(record, source, line)
            known_facts = facts(record, frozenset({key, *judged}))
            yield from session.read.finished(run, known_facts, self.name, source, judged)

        return read_each(source, convert)


def _key(record: Mapping[str, Json]) -> str | None:
    return next((key for key, value in record.items() if are_events(value)), None)


class _Session:
    """The calls of a session, event by event."""

    def __init__(self, line: int) -> None:
        self.read = RunSoFar("event", line)
        self._messages = MessagesSoFar()
        self._by_event: dict[str, LoggedCall] = {}
        self._no_calls: set[str] = set()

    def add(self, event: Json) -> None:
        """Add the next event."""
        self.read.place += 1
        if (
            not isinstance(event, dict)
            or not _can_be_read(event)
            or event.get("source", "agent") not in _SOURCES
        ):
            self._messages.interrupt()
            self.read.lose("it is no event that can be read, so that a call may be missing here")
            self.read.calls.append(not_understood())
            return
        kind = text_at(event, "kind") or ""
        if kind == "ActionEvent":
            self._call(event, *_second_form(event))
        elif kind in _ANSWERS:
            result, failed = _second_result(event, kind)
            self._answer(event, text_at(event, "action_id"), result, failed=failed, refused=kind in _REFUSED)
        elif kind:
            self._hear_second(event, kind)
        elif isinstance(event.get("action"), str):
            self._act(event, str(event["action"]))
        else:
            self._observe(event, text_at(event, "observation"))

    def _act(self, event: Mapping[str, Json], action: str) -> None:
        arguments = event.get("args")
        content = as_text(dict_at(event, "args").get("content")) or text_at(event, "message")
        if action in ("message", "system"):
            user = event.get("source") == "user"
            self._messages.add("system" if action == "system" else "user" if user else "assistant", content)
            self._no_calls.add(text_at(event, "id") or "")
        elif action in _NO_CALLS or event.get("source") not in ("agent", None):
            self._messages.interrupt()
            self._no_calls.add(text_at(event, "id") or "")
        elif action in _MCP and isinstance(arguments, dict):
            self._call(
                event, text_at(arguments, "name"), arguments.get("arguments"), arguments.get("thought")
            )
        else:
            thought = arguments.get("thought") if isinstance(arguments, dict) else None
            self._call(event, action, _own(arguments), thought)

    def _call(self, event: Mapping[str, Json], tool: str | None, raw: Json, thought: Json) -> None:
        self._messages.interrupt()
        texts = self._messages.texts()
        texts.pop("assistant", None)
        if thought_text := as_text(thought):
            texts["assistant"] = thought_text
        metadata = dict_at(event, "tool_call_metadata")
        response = text_at(event, "llm_response_id") or text_at(dict_at(metadata, "model_response"), "id")
        call = LoggedCall(
            tool,
            raw if isinstance(raw, dict | str) else None,
            text_at(event, "tool_call_id") or text_at(metadata, "tool_call_id"),
            text_at(event, "timestamp"),
            texts=texts,
            ran=dict_at(event, "args").get("confirmation_state") != "rejected",
            message=response,
            known_from=UNANSWERED,
        )
        if tool is None:
            self.read.lose("a call there does not tell its tool, so that it cannot be evaluated")
        self.read.calls.append(call)
        if (number := text_at(event, "id")) is not None:
            if number in self._by_event:
                self.read.lose(f"a second event has the id {number}")
            self._by_event[number] = call

    def _observe(self, event: Mapping[str, Json], name: str | None) -> None:
        if name in _NO_RESULTS or (name in _EMPTY and "cause" not in event and not self._waits()):
            return
        result = as_text(event.get("content"))
        self._answer(event, text_at(event, "cause"), result, failed=name == "error", refused=name in _REFUSED)

    def _answer(
        self, event: Mapping[str, Json], cause: str | None, result: str | None, *, failed: bool, refused: bool
    ) -> None:
        """Give a result to its call: by the id of the event, by the id of the call, or in their order."""
        self._messages.interrupt()
        if cause is not None and cause in self._no_calls:
            return
        metadata = dict_at(event, "tool_call_metadata")
        call_id = text_at(event, "tool_call_id") or text_at(metadata, "tool_call_id")
        call = self._by_event.get(cause) if cause is not None else waiting_call(self.read.calls, call_id)
        if call is None and cause is not None:
            self.read.lose("it is the result of an action that the run does not have")
        elif call is None:
            self.read.lose(lost_result(self.read.calls, call_id, text_at(event, "tool_name")))
        elif call.known_from != UNANSWERED:
            self.read.lose(f"a second result of {call.tool or 'a call'} does not count")
        else:
            call.result, call.failed, call.known_from = result, failed, len(self.read.calls)
            call.ran = call.ran and not refused

    def _waits(self) -> bool:
        return any(call.known_from == UNANSWERED for call in self.read.calls)

    def _hear_second(self, event: Mapping[str, Json], kind: str) -> None:
        if kind == "SystemPromptEvent":
            self._messages.add("system", as_text(dict_at(event, "system_prompt").get("text")))
        elif kind == "MessageEvent":
            message = dict_at(event, "llm_message")
            role = "user" if event.get("source") == "user" else "assistant"
            self._messages.add(role, "\n".join(_texts(message)) or as_text(message.get("content")))
            for _ in unknown_blocks(message):
                self.read.lose("a block of its message cannot be read")
        elif "tool_call" in event or "tool_name" in event:
            self.read.lose(f"an event of the kind {kind} names a tool and is not known")
            self.read.calls.append(not_understood())
        elif kind not in _QUIET_KINDS:
            self.read.lose(f"an event of the kind {kind} is not known, so that a call may be missing here")
            self.read.calls.append(not_understood())
        else:
            self._messages.interrupt()


def _can_be_read(event: Mapping[str, Json]) -> bool:
    return any(isinstance(event.get(key), str) for key in ("kind", "action", "observation"))


def _second_result(event: Mapping[str, Json], kind: str) -> tuple[str | None, bool]:
    """The result in an observation of the second form, and whether the observation flags a failure."""
    observation = dict_at(event, "observation")
    failed = kind == "AgentErrorEvent" or observation.get("is_error") is True
    for content in (observation.get("content"), observation.get("output"), event.get("error")):
        if content is not None:
            return as_text(content), failed
    return as_text(observation or event.get("rejection_reason")), failed


def _second_form(event: Mapping[str, Json]) -> tuple[str | None, Json, Json]:
    """The tool, arguments and thought of an ``ActionEvent``."""
    tool_call = dict_at(event, "tool_call")
    function = dict_at(tool_call, "function")
    action = event.get("action")
    tool = text_at(event, "tool_name") or text_at(tool_call, "name") or text_at(function, "name")
    raw: Json = tool_call.get("arguments", function.get("arguments"))
    if isinstance(action, dict):
        raw = action.get("data") if action.get("kind") in _MCP else _own(action)
    thoughts = [block.get("text") for block in dicts_at(event, "thought")]
    return tool, raw, "\n".join(text for text in thoughts if isinstance(text, str)) or None


def _own(arguments: Json) -> Json:
    """The arguments of an action without the fields that OpenHands adds to them."""
    if not isinstance(arguments, dict):
        return None
    return {key: value for key, value in arguments.items() if key not in _BESIDE_ARGUMENTS}


def _texts(message: Mapping[str, Json]) -> Iterator[str]:
    for block in dicts_at(message, "content"):
        if isinstance(block.get("text"), str):
            yield str(block["text"])
