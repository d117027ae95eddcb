"""MCP traffic: JSON-RPC requests ``tools/call`` and their responses, one message a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    InterleavedSessions,
    LoggedCall,
    NotThisFormat,
    dict_at,
    give_result,
    lost_result,
    stem,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import dump

# Methods that call no tool.
_QUIET = (
    *("initialize", "ping", "tools/list", "resources/", "prompts/", "completion/", "logging/", "sampling/"),
    *("roots/", "elicitation/", "notifications/", "server/", "tasks/", "subscriptions/"),
)
_MOST_REQUESTS = 1_000_000
_CLIENT = "io.modelcontextprotocol/clientInfo"


def _message(record: Mapping[str, Json]) -> Mapping[str, Json]:
    """The JSON-RPC message of a line, without the wrapper of a proxy."""
    for wrapper in ("message", "payload", "data", "body"):
        inner = record.get(wrapper)
        if "jsonrpc" not in record and isinstance(inner, dict) and "jsonrpc" in inner:
            return inner
    return record


class Mcp:
    """Reads the messages of one or several connections."""

    name = "mcp"

    def matches(self, sample: Sample) -> float:
        """The share of records that are JSON-RPC 2.0."""
        return 0.95 * sample.mean(lambda record: _message(record).get("jsonrpc") == "2.0")

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each session that the lines name; without a session, one run for the file."""
        sessions = InterleavedSessions(self.name, source)
        asked: set[tuple[str, str | None]] = set()

        def convert(value: dict[str, Json], line: int) -> Iterator[Run]:
            message = _message(value)
            if message.get("jsonrpc") != "2.0":
                raise NotThisFormat("the record is no JSON-RPC 2.0 message")
            session = text_at(value, "session", "session_id", "sessionId", "connection") or stem(source.path)
            number = message.get("id")
            call_id = dump(number) if isinstance(number, str | int) else None
            if message.get("method") == "tools/call":
                yield from sessions.add(session, *_request(value, message, call_id), line)
            elif "method" in message:
                if not str(message["method"]).startswith(_QUIET):
                    yield from sessions.miss(session, "message", message["method"], line)
                elif call_id is not None and len(asked) < _MOST_REQUESTS:
                    asked.add((session, call_id))
            elif "result" not in message and "error" not in message:
                raise NotThisFormat("the message has no method and no result")
            elif not _answer(sessions.calls(session), message, call_id) and (session, call_id) not in asked:
                raise NotThisFormat(lost_result(sessions.calls(session), call_id, None))

        return sessions.read_each(convert, in_order=True)


def _request(
    record: Mapping[str, Json], message: Mapping[str, Json], call_id: str | None
) -> tuple[LoggedCall, dict[str, Json]]:
    params = dict_at(message, "params")
    client = dict_at(dict_at(params, "_meta"), _CLIENT)
    context: dict[str, Json] = {"client": client["name"]} if "name" in client else {}
    server = text_at(record, "server")
    if server is not None:
        context["server"] = server
    # The protocol lets a call without arguments leave them out.
    return LoggedCall(
        tool=text_at(params, "name"),
        raw=params.get("arguments", {}),
        call_id=call_id,
        time=text_at(record, "timestamp", "ts", "time"),
        known_from=UNANSWERED,
    ), context


def _answer(calls: list[LoggedCall], message: Mapping[str, Json], call_id: str | None) -> bool:
    """Give a result to its call, if there is one; an error of the protocol marks the call as failed."""
    from workbench.guard.adapters.mcp_messages import answer_text, has_failed

    return call_id is not None and give_result(
        calls, call_id, answer_text(message), failed=has_failed(message)
    )
