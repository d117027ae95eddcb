"""MCP's JSON-RPC as a guard forwards it: every message is rebuilt from fields that it understood.

No byte of one side reaches the other. The guard itself answers a message that could be read in two ways, a
method that is not listed, and a batch. It decides a tool call before it forwards it. It also answers every
request of the server to the client: none of them is forwarded.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

from workbench.guard.adapters.mcp_forms import (
    ENVELOPE,
    ERROR,
    NOTIFICATIONS,
    REQUESTS,
    RESULTS,
    SERVER_NOTIFICATIONS,
    identifier,
)
from workbench.guard.adapters.strict_json import LARGEST_RESULT, Unclear, read_json, write_json
from workbench.guard.adapters.tool_pins import ToolPins
from workbench.guard.adapters.unread_answers import id_of_unread
from workbench.guard.calls import Outcome, ToolCall
from workbench.guard.enforce import Guard
from workbench.guard.look_ups import FailedAnswer, LookUpFailed, LookUps
from workbench.model import Json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_RUN = frozenset({PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS})
"""The codes of errors which mean that a request was not carried out."""
_MOST_OPEN = 1000
_NO_ID: Json = None


@dataclass(frozen=True, slots=True)
class McpMessage:
    """A message from the client that was understood: its rebuilt parts; a notification has no id."""

    method: str
    parameters: Mapping[str, Json] | None
    id: Json = None

    @property
    def tool(self) -> str:
        """The tool that the message calls; empty if it calls none."""
        name = (self.parameters or {}).get("name") if self.method == "tools/call" else None
        return name if isinstance(name, str) else ""


type Ask = Callable[[McpMessage], bytes]
"""Sends one of the guard's own requests to the server; raises LookUpFailed without an answer."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A message that is not forwarded; the reply is empty if none may be sent."""

    reply: str


@dataclass(frozen=True, slots=True)
class Screened:
    """The handling of a message from the client: text to forward, else a reply to the client, or neither."""

    forward: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class AnsweredMessage:
    """The handling of a message from the server: texts for the client, and replies to the server."""

    to_client: tuple[str, ...] = ()
    to_server: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pending:
    """A request that the server has to answer, with the outcome if it calls a tool."""

    id: Json
    method: str
    outcome: Outcome | None = None


def read_message(data: bytes) -> McpMessage | Rejected:
    """The rebuilt message from the client, or the reply to a message that is ambiguous or not allowed."""
    try:
        parsed = read_json(data)
    except Unclear as error:
        return Rejected(_error(_NO_ID, PARSE_ERROR, f"Refused: {error}."))
    if isinstance(parsed, list):
        return Rejected(_error(_NO_ID, INVALID_REQUEST, "Refused: send messages one by one, not in a batch."))
    has_id = isinstance(parsed, dict) and "id" in parsed
    is_told = isinstance(parsed, dict) and "method" in parsed and not has_id
    call_id = _id_of(parsed)
    try:
        envelope = cast("dict[str, Json]", ENVELOPE(parsed, "the message"))
        if has_id and "id" not in envelope:
            raise Unclear("the id of a request is not null")
        if "result" in envelope or "error" in envelope:
            if "method" in envelope:
                raise Unclear("the message is a request and an answer")
            return Rejected("")  # nothing is asked of the client, so an answer from it is ignored
        method = cast("str", envelope.get("method", ""))
        forms = REQUESTS if has_id else NOTIFICATIONS
        form = forms.get(method)
        if form is None:
            refusal = f"Refused: the guard does not forward {method[:60]!a}."
            return Rejected(_error(call_id, METHOD_NOT_FOUND, refusal) if has_id else "")
        parameters = form(envelope.get("params", {}), "params")
    except Unclear as error:
        return Rejected("" if is_told else _error(call_id, INVALID_REQUEST, f"Refused: {error}."))
    sent_parameters = cast("dict[str, Json]", parameters) if "params" in envelope else None
    return McpMessage(method, sent_parameters, call_id)


def _id_of(parsed: Json) -> Json:
    """The id to which a reply can refer; None if the message has no valid id."""
    try:
        return identifier(parsed["id"], "id") if isinstance(parsed, dict) and "id" in parsed else None
    except Unclear:
        return None


class Screen:
    """One run of an agent through a proxy: decides its calls, and records their results."""

    def __init__(
        self,
        guard: Guard,
        tools: ToolPins | None = None,
        look_ups: Collection[str] = (),
        *,
        refused: str = "",
    ) -> None:
        """Take the guard of the run and the pinned tools of the server, which all its runs share.

        ``look_ups`` are the read-only tools of the server that the guard may call to decide a call.
        ``refused`` is the reason for which every call is refused, if there is one.
        """
        self._refused = refused
        self._look_ups = look_ups
        self._guard = guard
        self._tools = tools or ToolPins()
        self._open: OrderedDict[str, _Pending] = OrderedDict()
        self._lock = threading.Lock()

    def request(self, data: bytes, ask: Ask | None = None) -> Screened:
        """Screen one message that the client sent."""
        message = read_message(data)
        return Screened(reply=message.reply) if isinstance(message, Rejected) else self.decide(message, ask)

    def decide(self, message: McpMessage, ask: Ask | None = None) -> Screened:
        """Rebuild a message for the server, or answer it here; ``ask`` sends a request to the server."""
        if message.id is None:
            return Screened(forward=message_text(message))
        pending = _Pending(message.id, message.method)
        with self._lock:
            if _key(message.id) in self._open:
                return Screened(
                    reply=_error(message.id, INVALID_REQUEST, "Refused: a request with this id is open.")
                )
            self._open[_key(message.id)] = pending
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        if not message.tool:
            return (
                Screened(forward=message_text(message))
                if message.method != "tools/call"
                else self._not_run(
                    message, _error(message.id, INVALID_PARAMS, "Refused: the call names no tool.")
                )
            )
        return self._called(message, ask)

    def _called(self, message: McpMessage, ask: Ask | None) -> Screened:
        parameters = dict(message.parameters or {})
        call = ToolCall(message.tool, None, call_id=str(message.id))
        reason = self._refused or self._tools.refusal(message.tool)
        if reason:
            return self._not_run(
                message, _refused_result(message.id, self._guard.refuse(call, reason).feedback)
            )
        try:
            sent_arguments = cast("dict[str, Json]", parameters.get("arguments", {}))
            arguments = self._tools.arguments(message.tool, sent_arguments)
        except Unclear as error:
            feedback = self._guard.refuse(call, f"Refused: {error}.").feedback
            return self._not_run(message, _refused_result(message.id, feedback))
        call = ToolCall(message.tool, arguments, call_id=str(message.id))
        outcome = self._guard.check(call, look_ups=self._look_ups_by(ask))
        if not outcome.runs:
            return self._not_run(message, _refused_result(message.id, outcome.feedback))
        with self._lock:
            self._open[_key(message.id)] = _Pending(message.id, message.method, outcome)
        parameters["arguments"] = arguments
        return Screened(forward=message_text(McpMessage(message.method, parameters, message.id)))

    def _look_ups_by(self, ask: Ask | None) -> LookUps | None:
        """The declared look-ups, sent to the server; None (the guard's own) if none are declared."""
        if ask is None or not self._look_ups:
            return None
        return LookUps({tool: partial(self._looked_up, ask, tool) for tool in self._look_ups})

    def _looked_up(self, ask: Ask, tool: str, /, **arguments: Json) -> str | FailedAnswer:
        """The result of a tool of the server. Raises LookUpFailed without an answer that is understood."""
        refusal = self._tools.refusal(tool)
        if refusal:
            raise LookUpFailed(refusal.removesuffix("."))
        pending = _Pending(f"look-up-{secrets.token_hex(8)}", "tools/call")
        try:
            full_arguments = self._tools.arguments(tool, arguments)
            message = McpMessage(pending.method, {"name": tool, "arguments": full_arguments}, pending.id)
            envelope = cast(
                "dict[str, Json]", ENVELOPE(read_json(ask(message), largest=LARGEST_RESULT), "the answer")
            )
            if envelope.get("id") != pending.id or "method" in envelope:
                raise Unclear("it is none to the guard's request")
            if ("result" in envelope) is ("error" in envelope):
                raise Unclear("its fields are not those of an answer")
            reply = self._rebuilt(pending, envelope)
        except Unclear as error:
            raise LookUpFailed(f"the server's answer was not understood: {error}") from None
        text = answer_text(reply)
        return FailedAnswer(text) if "error" in reply or has_failed(reply) else text

    def unanswered(self, message: McpMessage | None) -> tuple[str, ...]:
        """The error for the client if the server's answer has ended and the request is still open."""
        pending = self._take(message.id) if message is not None else None
        return (
            ()
            if pending is None
            else self._cut_off(pending, "it ends without a message to this request").to_client
        )

    def lost(self, message: McpMessage) -> None:
        """Note that a message did not reach the server, or that it is not known whether it did."""
        with self._lock:
            pending = self._open.pop(_key(message.id), None)
        if pending is not None and pending.outcome is not None:
            self._guard.finish(pending.outcome, None)

    def _not_run(self, message: McpMessage, reply: str) -> Screened:
        with self._lock:
            self._open.pop(_key(message.id), None)
        return Screened(reply=reply)

    def response(self, data: bytes) -> AnsweredMessage:
        """Screen a message that the server sent, and record the result of a call from it.

        An answer to no open request, and a message that is not understood, are dropped. If the latter has
        the id of an open request, the client is sent an error for it, and so it is if an answer has no id and
        one request is open.
        """
        try:
            parsed = read_json(data, largest=LARGEST_RESULT)
        except Unclear as error:
            pending = self._take(id_of_unread(data))
            return AnsweredMessage() if pending is None else self._cut_off(pending, str(error))
        messages = parsed if isinstance(parsed, list) else [parsed]
        answered_messages = [self._answered(message) for message in messages]
        return AnsweredMessage(
            tuple(text for answered in answered_messages for text in answered.to_client),
            tuple(text for answered in answered_messages for text in answered.to_server),
        )

    def _answered(self, message: Json) -> AnsweredMessage:
        try:
            envelope = cast("dict[str, Json]", ENVELOPE(message, "the message"))
        except Unclear:
            return self._not_understood(message)
        method = envelope.get("method")
        answers = "result" in envelope or "error" in envelope
        if isinstance(method, str):
            return AnsweredMessage() if answers else _server_message(method, envelope)
        if not answers or ("result" in envelope and "error" in envelope):
            return self._not_understood(message)
        if envelope.get("id") is None:
            return self._without_id()
        pending = self._take(envelope.get("id"))
        if pending is None:
            return AnsweredMessage()
        try:
            reply = self._rebuilt(pending, envelope)
        except Unclear as error:
            return self._cut_off(pending, str(error))
        if pending.outcome is not None:
            self._guard.finish(pending.outcome, answer_text(reply), failed=has_failed(reply))
        return AnsweredMessage((write_json({"jsonrpc": "2.0", "id": pending.id, **reply}),))

    def _rebuilt(self, pending: _Pending, envelope: Mapping[str, Json]) -> dict[str, Json]:
        """The result or error of an answer, rebuilt in the form for its request."""
        if "error" in envelope:
            return {"error": ERROR(envelope["error"], "error")}
        result = cast("dict[str, Json]", RESULTS[pending.method](envelope["result"], "result"))
        if pending.method == "tools/list":
            listed = cast("list[Json]", result["tools"])
            result["tools"] = self._tools.listed(listed, last="nextCursor" not in result)
        return {"result": result}

    def _take(self, call_id: Json) -> _Pending | None:
        """The open request that an answer belongs to: same id, of the same type."""
        with self._lock:
            pending = self._open.get(_key(call_id))
            if (
                pending is None
                or pending.id != call_id
                or isinstance(pending.id, str) is not isinstance(call_id, str)
            ):
                return None
            return self._open.pop(_key(call_id))

    def _not_understood(self, message: Json) -> AnsweredMessage:
        """Send the client an error if the server's message has the id of an open request."""
        call_id = message.get("id") if isinstance(message, dict) and "method" not in message else None
        pending = self._take(call_id) if isinstance(call_id, str | int) else None
        if pending is None:
            return AnsweredMessage()
        return self._cut_off(pending, "its fields are not those of an answer")

    def _without_id(self) -> AnsweredMessage:
        """Send the client an error for its one open request; of several, nothing tells which was answered."""
        with self._lock:
            pending = self._open.popitem()[1] if len(self._open) == 1 else None
        return AnsweredMessage() if pending is None else self._cut_off(pending, "it has no id")

    def _cut_off(self, pending: _Pending, why: str) -> AnsweredMessage:
        """Send the client an error for a request without an answer. A called tool may have had its effect."""
        if pending.outcome is not None:
            self._guard.finish(pending.outcome, None)
        return AnsweredMessage((_not_understood(pending.id, why),))


def _server_message(method: str, envelope: Mapping[str, Json]) -> AnsweredMessage:
    """The messages to forward or to answer for a server's notification or request."""
    if "id" in envelope:
        reply: dict[str, Json] = {"jsonrpc": "2.0", "id": envelope["id"]}
        if method == "ping":
            return AnsweredMessage(to_server=(write_json({**reply, "result": {}}),))
        refusal: Json = {"code": METHOD_NOT_FOUND, "message": "The guard forwards no request to the client."}
        return AnsweredMessage(to_server=(write_json({**reply, "error": refusal}),))
    form = SERVER_NOTIFICATIONS.get(method)
    if form is None:
        return AnsweredMessage()
    try:
        parameters = form(envelope.get("params", {}), "params")
    except Unclear:
        return AnsweredMessage()
    return AnsweredMessage((write_json({"jsonrpc": "2.0", "method": method, "params": parameters}),))


def _key(call_id: Json) -> str:
    """The common key of ids that a careless server could mistake for each other: ``1`` and ``"1"``."""
    return str(call_id)


def message_text(message: McpMessage) -> str:
    """A message as the server receives it."""
    envelope: dict[str, Json] = {"jsonrpc": "2.0"}
    if message.id is not None:
        envelope["id"] = message.id
    envelope["method"] = message.method
    if message.parameters is not None:
        envelope["params"] = dict(message.parameters)
    return write_json(envelope)


def answer_text(reply: Mapping[str, Json]) -> str:
    """The content that a tool returned: its structured content, else its texts, else its JSON; or the error.

    A text result appears twice: servers also wrap it as the only member ``result`` of an object.
    """
    result = reply.get("result", reply.get("error"))
    if "error" in reply or not isinstance(result, dict):
        return json.dumps(result, ensure_ascii=False)
    structured, content = result.get("structuredContent"), result.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [str(block["text"]) for block in blocks if isinstance(block, dict) and "text" in block]
    whole = "\n".join(texts) if texts and len(texts) == len(blocks) else None
    if structured is not None and structured != {"result": whole}:
        return json.dumps(structured, ensure_ascii=False)
    return json.dumps(content or result, ensure_ascii=False) if whole is None else whole


def answered_ids(data: bytes) -> list[str]:
    """The ids of texts that a message of the server, or one of its batch, has; also if it cannot be read.

    The guard chooses texts that nobody guesses: what has one of them is the answer, good or not.
    """
    try:
        parsed = read_json(data, largest=LARGEST_RESULT)
    except Unclear:
        parsed = {"id": id_of_unread(data)}
    messages = parsed if isinstance(parsed, list) else [parsed]
    ids = [message.get("id") for message in messages if isinstance(message, dict)]
    return [name for name in ids if isinstance(name, str)]


def lacks_id(data: bytes) -> bool:
    """Whether a message of the server, or one of its batch, answers a request without saying which one.

    A text that is no JSON object is taken for such an answer: it is no notification either.
    """
    try:
        parsed = read_json(data, largest=LARGEST_RESULT)
    except Unclear:
        return not data.lstrip().startswith((b"{", b"["))
    messages = parsed if isinstance(parsed, list) else [parsed]
    return any(
        not isinstance(message, dict) or ("method" not in message and message.get("id") is None)
        for message in messages
    )


def ends_look_up(data: bytes, message: McpMessage) -> bool:
    """Whether a message in the stream that answers one of the guard's requests is the answer, good or not.

    Only requests and notifications of the server may come before it.
    """
    try:
        parsed = read_json(data, largest=LARGEST_RESULT)
    except Unclear:
        return True
    messages = parsed if isinstance(parsed, list) else [parsed]
    return any(
        not isinstance(each, dict) or "method" not in each or each.get("id") == message.id
        for each in messages
    )


def has_failed(reply: Mapping[str, Json]) -> bool:
    """Whether a call had no effect: its tool flagged an error, or the protocol refused the request."""
    result, error = reply.get("result"), reply.get("error")
    if isinstance(error, dict):
        return error.get("code") in NOT_RUN
    return isinstance(result, dict) and result.get("isError") is True


def _refused_result(call_id: Json, feedback: str) -> str:
    """A tool result with the reason: agents read results, and many clients hide protocol errors."""
    # Protocol versions from 2026-07-28 require the kind of the result; older clients ignore it.
    content: Json = [{"type": "text", "text": feedback}] if feedback else []
    result: Json = {"resultType": "complete", "content": content, "isError": True}
    return write_json({"jsonrpc": "2.0", "id": call_id, "result": result})


def _not_understood(call_id: Json, why: str) -> str:
    return _error(call_id, INTERNAL_ERROR, f"The guard did not understand the server's answer: {why}.")


def _error(call_id: Json, code: int, message: str) -> str:
    return write_json({"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": message}})
