"""Answers of an MCP server that the guard refuses: whoever waits for them is told at once."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.guard.adapters.mcp_server import HttpServer, http_server, serving
from tests.guard.adapters.test_mcp import (
    EVENTS,
    JSON_TYPE,
    OK,
    READ,
    SESSION,
    NoDeletion,
    guarded,
    over_stdio,
    post,
    tool_name,
)
from tests.guard.adapters.test_mcp_look_ups import ASKED, OTHER, PAY, guard, lines, replayed
from workbench.guard import Guard
from workbench.guard.adapters.mcp_http import Event, read_events
from workbench.guard.adapters.mcp_messages import Screen, lacks_id
from workbench.guard.adapters.strict_json import LONGEST_MESSAGE
from workbench.guard.adapters.unread_answers import id_of_unread
from workbench.model import Json

pytestmark = pytest.mark.bounded

LONG = b"x" * (LONGEST_MESSAGE + 1)
BEFORE = b'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'


def messages_of(body: bytes) -> list[dict[str, Json]]:
    """The messages in the events of an answer."""
    events = [
        line.removeprefix("data: ") for line in body.decode().splitlines() if line.startswith("data: {")
    ]
    return [cast("dict[str, Json]", json.loads(event)) for event in events]


def code_of(message: dict[str, Json]) -> Json:
    return cast("dict[str, Json]", message["error"])["code"]


STREAMS = {
    "an event with its id at the beginning": b'data: {"jsonrpc":"2.0","id":"r","result":"' + LONG + b'"}\n\n',
    "an event with its id at the end": b'data: {"result":"' + LONG + b'","jsonrpc":"2.0","id":"r"}\n\n',
    "an event over many lines": b"".join(
        [
            b'data: {"jsonrpc":"2.0","id":"r","result":[1\n',
            b"data: %b\n" % (b",2" * 10_000) * (LONGEST_MESSAGE // 20_000 + 1),
            b"data: ]}\n\n",
        ]
    ),
    "an event without an id": b'data: {"result":"' + LONG + b'"}\n\n',
    "a line without an end": b'data: {"jsonrpc":"2.0","id":"r","result":"' + LONG,
    "no event": b": nothing\n\n",
    "nothing": b"",
    "an answer to another request": b"data: " + OK.replace(b'"r"', b'"other"') + b"\n\n",
    "an event that is no JSON": b"data: <html>\n\n",
    "an id, but no session in which the stream could go on": b"id: 1\ndata:\n\n",
}  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_without_an_answer_that_is_understood_is_answered_with_an_error(name: str) -> None:
    with http_server() as server, guarded(Guard(NoDeletion(), tool_name), server) as port:
        server.headers, server.body = [EVENTS], BEFORE + STREAMS[name]
        status, _, body = post(port, READ)
    before, answer = messages_of(body)
    assert status == 200
    assert before["method"] == "notifications/tools/list_changed"
    assert (answer["id"], code_of(answer)) == ("r", -32603)


def test_what_comes_after_an_event_that_is_too_long_is_read() -> None:
    with http_server() as server, guarded(Guard(NoDeletion(), tool_name), server) as port:
        server.headers, server.body = [EVENTS], b"data: " + LONG + b"\n\n" + BEFORE + b"data: " + OK + b"\n\n"
        _, _, body = post(port, READ)
    before, answer = messages_of(body)
    assert before["method"] == "notifications/tools/list_changed"
    assert answer["result"] == json.loads(OK)["result"]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ([EVENTS], b""),
        ([EVENTS, ("Transfer-Encoding", "chunked")], b"zz\r\nbad"),
        ([EVENTS, ("Transfer-Encoding", "chunked")], b"2\r\nda\r\n20\r\nta"),
        ([JSON_TYPE], b"{"),
        ([JSON_TYPE], b" " + LONG),
        ([("Content-Type", "text/html")], b"<html>"),
    ],
)
def test_a_request_without_an_answer_leaves_its_id_free(headers: list[tuple[str, str]], body: bytes) -> None:
    with http_server() as server, guarded(Guard(NoDeletion(), tool_name), server) as port:
        server.headers = [JSON_TYPE, SESSION]
        post(port, READ)
        server.headers, server.body = headers, body
        post(port, READ, b"Mcp-Session-Id: s1")
        server.headers, server.body = [JSON_TYPE], OK
        _, _, answer = post(port, READ, b"Mcp-Session-Id: s1")
    assert json.loads(answer)["result"] == json.loads(OK)["result"]


def test_a_message_that_is_not_understood_is_answered_with_an_error() -> None:
    with http_server() as server, guarded(Guard(NoDeletion(), tool_name), server) as port:
        server.headers, server.body = [JSON_TYPE], b"{"
        _, _, body = post(port, READ)
    answer = cast("dict[str, Json]", json.loads(body))
    assert (answer["id"], code_of(answer)) == ("r", -32603)


def test_a_stream_that_goes_on_in_its_session_is_not_answered_for_the_server() -> None:
    with http_server() as server, guarded(Guard(NoDeletion(), tool_name), server) as port:
        server.headers = [JSON_TYPE, SESSION]
        post(port, READ)
        server.headers, server.body = [EVENTS], b"id: 1\ndata:\n\n"
        _, _, first = post(port, READ, b"Mcp-Session-Id: s1")
        server.body = b"data: " + OK + b"\n\n"
        head = b"Mcp-Session-Id: s1\r\nLast-Event-ID: 1"
        _, _, rest = post(port, b"", head, method=b"GET")
    assert messages_of(first) == []
    (answer,) = messages_of(rest)
    assert answer["result"] == json.loads(OK)["result"]


# --- the guard's own requests ---------------------------------------------------------

REFUSED = {
    "no JSON": b"<html>",
    "a number that is none": b'{"jsonrpc":"2.0","id":@id,"result":NaN}',
    "too deep": b'{"jsonrpc":"2.0","id":@id,"result":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "a key twice": b'{"jsonrpc":"2.0","id":@id,"result":{"a":1,"a":2}}',
    "in a batch": b'[{"jsonrpc":"2.0","id":@id,"result":{"content":[]}}]',
    "a request under the same id": b'{"jsonrpc":"2.0","id":@id,"method":"ping","result":{"content":[]}}',
    "neither a result nor an error": b'{"jsonrpc":"2.0","id":@id}',
    "an error without an id": b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}',
    "too long": b'{"jsonrpc":"2.0","id":@id,"result":"' + LONG + b'"}',
}


@contextmanager
def silent_after(answer: bytes) -> Generator[HttpServer]:
    """A server whose stream of events has this answer to each request, and then neither more nor an end."""
    state, released = HttpServer(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Keep the test output clean."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            state.requests.append((self.command, dict(self.headers.items()), body))
            self.send_response(200)
            self.send_header(*EVENTS)
            self.end_headers()
            call_id = json.dumps(json.loads(body)["id"]).encode()
            self.wfile.write(BEFORE + b"data: " + answer.replace(b"@id", call_id) + b"\n\n")
            self.wfile.flush()
            released.wait(60)

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        state.port = port
        try:
            yield state
        finally:
            released.set()


def assert_refused_at_once(folder: Path) -> None:
    """The look-up ended with a refusal of the answer, not with the end of its time."""
    decided = [line for line in lines(folder) if "decision" in line]
    assert [line["decision"] for line in decided] == ["cannot-evaluate"] == replayed(folder)
    why = decided[0]["look_ups"][0]["why"]
    assert "the server's answer was not understood" in why


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_answer_ends_a_look_up_over_http_at_once(name: str, tmp_path: Path) -> None:
    with silent_after(REFUSED[name]) as server, guarded(guard(tmp_path), server, ASKED) as port:
        _, _, body = post(port, PAY)
        assert len(server.requests) == 1
    assert json.loads(body)["result"]["isError"] is True
    assert_refused_at_once(tmp_path)


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_answer_ends_a_look_up_over_stdio_at_once(name: str, tmp_path: Path) -> None:
    with over_stdio(guard(tmp_path), tmp_path, REFUSED[name], look_ups=ASKED) as (client, received):
        answer = client.ask(PAY)
        assert len(received.read_bytes().splitlines()) == 1
    assert cast("dict[str, Json]", answer["result"])["isError"] is True
    assert_refused_at_once(tmp_path)


ERROR_WITHOUT_ID = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}'


def test_an_answer_without_an_id_ends_the_one_open_request_of_the_client() -> None:
    screen = Screen(Guard(NoDeletion(), tool_name))
    screen.request(READ)
    (told,) = screen.response(ERROR_WITHOUT_ID).to_client
    assert (json.loads(told)["id"], code_of(json.loads(told))) == ("r", -32603)
    assert not screen.response(OK).to_client  # it is answered


@pytest.mark.parametrize(
    "answer",
    [
        b'{"jsonrpc":"2.0","id":"r","result":"' + LONG + b'"}',
        b'{"result":' + b"[" * 10_000 + b"]" * 10_000 + b',"jsonrpc":"2.0","id":"r"}',
        b'{"jsonrpc":"2.0","id":"r","result":',
    ],
    ids=["too large", "too deep", "no JSON after all"],
)
def test_an_answer_that_cannot_be_read_ends_its_request_and_is_not_passed_on(answer: bytes) -> None:
    screen = Screen(Guard(NoDeletion(), tool_name))
    screen.request(READ)
    screen.request(READ.replace(b'"r"', b'"s"'))
    (told,) = screen.response(answer).to_client
    assert (json.loads(told)["id"], code_of(json.loads(told))) == ("r", -32603)
    assert not screen.response(OK).to_client  # it is answered


def test_an_answer_without_an_id_ends_none_of_several_requests() -> None:
    screen = Screen(Guard(NoDeletion(), tool_name))
    screen.request(READ)
    screen.request(READ.replace(b'"r"', b'"s"'))
    assert not screen.response(ERROR_WITHOUT_ID).to_client
    assert screen.response(OK).to_client


@pytest.mark.parametrize(
    "line",
    [b'{"jsonrpc":"2.0","method":"notifications/message"}', b'{"jsonrpc":"2.0","id":7,"method":"ping"}'],
)
def test_what_the_server_says_of_itself_is_no_answer_without_an_id(line: bytes) -> None:
    assert not lacks_id(line)


def test_a_batch_with_the_answer_to_a_look_up_still_answers_the_client(tmp_path: Path) -> None:
    """The client's own request waits in the same batch as the guard's."""
    listing = b'{"jsonrpc":"2.0","id":"l","method":"tools/list"}'
    batch = (
        b'[{"jsonrpc":"2.0","id":@id,"result":{"content":[]}},'
        b'{"jsonrpc":"2.0","id":"l","result":{"tools":[]}}]'
    )
    with over_stdio(guard(tmp_path), tmp_path, b": nothing yet", batch, look_ups=ASKED) as (client, _):
        client.send(listing)
        client.send(OTHER)
        listed, before = client.receive("l")
        # Two threads write to the client, in either order.
        refused = before[0] if before else client.receive("q")[0]
    assert listed["result"] == {"tools": []}
    assert cast("dict[str, Json]", refused["result"])["isError"] is True


# --- the events of a stream --------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *(b"data: a", b"data:b", b"data", b": note", b"id: 7", b"retry: 5", b"event: x"),
        *(b"\r", b"\n", b"\r\n", b"\n\n", b"\xef\xbb\xbf", b"\xef", b"\xff"),
    ]
)


def cut(data: bytes, places: list[int]) -> Iterator[bytes]:
    """The parts of a text that is cut at these places."""
    ends = sorted({place % (len(data) + 1) for place in places})
    for start, end in zip([0, *ends], [*ends, len(data)], strict=True):
        yield data[start:end]


@settings(max_examples=examples(600), deadline=None)
@given(pieces=st.lists(PIECES, max_size=14), places=st.lists(st.integers(0, 200), max_size=8))
def test_events_are_the_same_however_their_stream_arrives(pieces: list[bytes], places: list[int]) -> None:
    data = b"".join(pieces)
    whole = list(read_events([data]))
    assert list(read_events(cut(data, places))) == whole
    # Read anew, line by line.
    events: list[Event] = []
    fields: dict[str, list[bytes]] = {"data": [], "id": [], "retry": [], "event": []}
    text = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for line in text.split(b"\n")[:-1]:
        if line:
            key, _, value = line.partition(b":")
            fields.get(key.decode("latin-1"), []).append(value.removeprefix(b" "))
            continue
        joined = b"\n".join(fields["data"])
        ids = [value.decode() for value in fields["id"] if all(0x20 <= byte < 0x7F for byte in value)]
        pauses = [value.decode() for value in fields["retry"] if value.isdigit()]
        is_message = fields["event"][-1:] in ([], [b""], [b"message"])
        if is_message and (joined or ids or pauses):
            events.append(Event(joined, (ids or [None])[-1], (pauses or [""])[-1]))
        fields = {key: [] for key in fields}
    assert whole == events


def test_a_long_event_keeps_its_id_whatever_size_its_parts_have() -> None:
    stream = b'data: {"result":"' + LONG + b'","id":"r"}\n\ndata: b\n\n'
    for size in (LONGEST_MESSAGE // 3, 65536, len(stream)):
        long_event, next_event = read_events(stream[at : at + size] for at in range(0, len(stream), size))
        assert LONGEST_MESSAGE < len(long_event.data) < LONGEST_MESSAGE + 1000
        assert id_of_unread(long_event.data) == "r"
        assert next_event.data == b"b"
