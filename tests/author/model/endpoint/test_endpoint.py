"""A hostile server of a model: its output is bounded, leads nowhere, and reaches no terminal unescaped."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pexpect
import pytest
from pydantic import BaseModel

from workbench.author.model.client import ModelClient
from workbench.author.model.errors import LONGEST_SHOWN, ModelError, Unanswered
from workbench.author.model.progress import CallProgress
from workbench.author.model.recording import Message, RecordedModelCalls
from workbench.author.model.settings import ModelSettings, read_key
from workbench.author.model.transport import LONGEST_EVENT, MOST_BYTES
from workbench.model import Json, WorkbenchError

pytestmark = pytest.mark.bounded

SHOP = Path(__file__).resolve().parents[4] / "sessions" / "web-shopping"
HOSTILE = "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\\x1b[2J\x9b2J\u202e\u2066\x07\x00\r\nno"
BLOCK = 1 << 16

type Send = Callable[[bytes], None]
type Script = Callable[[Send], None]


class Answer(BaseModel):
    """What is asked for."""

    answer: str


@dataclass
class Endpoint:
    """A running server: its received requests, and the number of bytes it could send."""

    script: Script
    requests: list[bytes] = field(default_factory=list[bytes])
    sent: int = 0
    url: str = ""


@contextmanager
def endpoint(script: Script) -> Generator[Endpoint]:
    """Run a server that answers every request by the script, byte by byte."""
    state = Endpoint(script)
    listener = socket.create_server(("127.0.0.1", 0))
    state.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"

    def answer(connection: socket.socket) -> None:
        def send(data: bytes) -> None:
            connection.sendall(data)
            state.sent += len(data)

        with connection, suppress(OSError):
            state.requests.append(_request(connection))
            state.script(send)

    def serve() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield state
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _request(connection: socket.socket) -> bytes:
    """The head and body of a request; one without a body states no length."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _received(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while len(body) < sum(lengths):
        body += _received(connection)
    return head + b"\r\n\r\n" + body


def _received(connection: socket.socket) -> bytes:
    """The next received bytes; a client that hung up ends its thread."""
    part = connection.recv(BLOCK)
    if not part:
        raise ConnectionError
    return part


def head(*lines: str, status: str = "200 OK", kind: str = "text/event-stream") -> bytes:
    """The head of a reply without a length."""
    return "\r\n".join([f"HTTP/1.1 {status}", f"Content-Type: {kind}", *lines, "\r\n"]).encode("latin-1")


def reply(*bodies: bytes, lines: tuple[str, ...] = (), status: str = "200 OK") -> Script:
    """A script that sends a whole reply."""
    return lambda send: send(head(*lines, "Connection: close", status=status) + b"".join(bodies))


def event(**fields: Json) -> bytes:
    """An event of a stream of a completion."""
    usual: dict[str, Json] = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"data: " + json.dumps({**usual, "choices": [], **fields}).encode() + b"\n\n"


def choice(delta: Json, finish: Json = None) -> list[Json]:
    """The choices of an event."""
    return [{"index": 0, "delta": delta, "finish_reason": finish}]


def ask(
    server: Endpoint, progress: list[CallProgress] | None = None, *, attempts: int = 1, seconds: float = 60
) -> Answer:
    """The answer that a client of the server gets."""
    settings = ModelSettings("m", base_url=server.url, seconds=seconds, attempts=attempts)
    client = ModelClient(settings, RecordedModelCalls(), key=lambda: "very-secret")
    client.watch(progress.append if progress is not None else lambda _progress: None)
    return client.ask("test", (Message("user", "the prompt"),), Answer)


# --- where it leads ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"]
)
@pytest.mark.parametrize("where", ["other", "same", "//", "https", "broken", "none"])
def test_neither_key_nor_prompt_follow_a_redirect(status: str, where: str) -> None:
    with endpoint(reply(b"")) as other, endpoint(reply(b"")) as server:
        places = {
            "other": other.url, "same": f"{server.url}/elsewhere", "//": other.url.removeprefix("http:"),
            "https": other.url.replace("http", "https"), "broken": f"http://[{HOSTILE[:4]}",
        }  # fmt: skip
        lines = (f"Location: {places[where]}".replace("\x1b", ""),) if where in places else ()
        server.script = reply(lines=lines, status=status)
        with pytest.raises(ModelError, match="redirects to"):
            ask(server, attempts=4)
        assert len(server.requests) == 1
        assert other.requests == []


# --- how much it sends ------------------------------------------------------------------

_BOMB = gzip.compress(b"0" * 20_000_000)
CODED = {
    "gzip": _BOMB, "deflate": zlib.compress(b"0" * 20_000_000), "br": b"x", "zstd": b"x", "x-gzip": _BOMB,
    "GZIP": _BOMB, "gzip, identity": _BOMB, "gzip, gzip": gzip.compress(_BOMB), "compress": b"x",
    "identity, gzip": _BOMB,    "unheard-of": b"x",
}  # fmt: skip


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "500 Error"])
@pytest.mark.parametrize("coding", CODED)
def test_a_compressed_reply_is_refused_before_it_is_unpacked(coding: str, status: str) -> None:
    script = reply(CODED[coding], lines=(f"Content-Encoding: {coding}",), status=status)
    with endpoint(script) as server:
        with pytest.raises(ModelError, match="compresses its reply"):
            ask(server)
        assert b"accept-encoding: identity\r\n" in server.requests[0].lower()


def endless(start: bytes, block: bytes) -> Script:
    """A script that never ends."""

    def script(send: Send) -> None:
        send(start)
        while True:
            send(block)

    return script


def chunked(block: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(block), block)


_CHUNKED = head("Transfer-Encoding: chunked")
ENDLESS = {
    "line": endless(head() + b"data: ", b"a" * BLOCK),
    "no line": endless(head(), b"a" * BLOCK),
    "nul": endless(head(), b"\x00" * BLOCK),
    "name of a field": endless(head() + b"event: ", b"a" * BLOCK),
    "lines of an event": endless(head(), b"data: {\n" * 8192),
    "comments": endless(head(), b": a\n" * 16384),
    "chunked line": endless(_CHUNKED, chunked(b"a" * BLOCK)),
    "chunked data": endless(_CHUNKED, chunked(b"data: a\n" * 8192)),
    "tiny chunks": endless(_CHUNKED, chunked(b"a") * 8192),
    "carriage returns in an event": endless(head(), b"data: {\r" * 8192),
    "header": endless(b"HTTP/1.1 200 OK\r\nX: ", b"a" * BLOCK),
    "headers": endless(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n" * 8192),
    "status": endless(b"HTTP/1.1 200 ", b"a" * BLOCK),
    "interim replies": endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 2048),
    "error": endless(head(status="400 Bad"), b"a" * BLOCK),
    "error of the server": endless(head(status="500 Bad"), b"a\n\n" * 20000),
    "announced": endless(head("Content-Length: 999999999999"), b"a" * BLOCK),
    "reply": endless(head(), event(choices=choice({"content": "a" * 10_000}))),
    "JSON": endless(head(kind="application/json") + b'{"choices": [', b"0," * BLOCK),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_reply_ends(name: str) -> None:
    with endpoint(ENDLESS[name]) as server:
        with pytest.raises(ModelError):
            ask(server, seconds=0.5 if name in ("interim replies", "tiny chunks") else 20)
        buffered = 32 * 1024 * 1024  # the buffers of the two ends of a connection
        assert server.sent < LONGEST_EVENT + buffered < MOST_BYTES


def dripping(start: bytes, drop: bytes) -> Script:
    """A script that sends a little at a time, so that no single wait is long."""

    def script(send: Send) -> None:
        send(start)
        while not threading.Event().wait(0.02):
            send(drop)

    return script


SLOW = {
    "a long pause": reply(lines=("Retry-After: 99999999",), status="429 Wait"),
    "a pause at an error": reply(lines=("Retry-After: 60",), status="503 Later"),
    "drops of a head": dripping(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n"),
    "drops of comments": dripping(head(), b":\n"),
    "drops of a reply": dripping(head(), event(choices=choice({"content": "a"}))),
    "drops of JSON": dripping(head(kind="application/json") + b'{"choices": [', b"0,"),
    "drops of an error": dripping(head(status="500 Bad"), b"a"),
}


@pytest.mark.parametrize("name", SLOW)
def test_all_attempts_and_pauses_of_a_call_have_one_deadline(name: str) -> None:
    """The first attempts end by their own limit; what remains of the deadline is less than a pause."""
    with endpoint(SLOW[name]) as server, pytest.raises(Unanswered, match="did not answer within"):
        ask(server, attempts=1000, seconds=0.05)


def whole(**message: Json) -> bytes:
    """A completion that is no stream."""
    choices: Json = [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}]
    return json.dumps(
        {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
    ).encode()


JSON_HEAD = head("Connection: close", kind="application/json")
WRONG = {
    "an object": whole(content={"answer": "a"}),
    "a list": whole(content=[{"type": "text", "text": "a"}]),
    "a number": whole(content=17),
    "NaN": whole(content=float("nan")),
    "true": whole(content=True),
    "arguments of a call": whole(
        content=None,
        tool_calls=[{"id": "1", "type": "function", "function": {"name": "a", "arguments": {"answer": "a"}}}],
    ),
    "tool calls of no form": whole(content=None, tool_calls=[7]),
    "no message": b'{"choices": [{"index": 0}]}',
    "message null": b'{"choices": [{"message": null}]}',
    "no choice": b'{"choices": []}',
    "choices null": b'{"choices": null}',
    "choices an object": b'{"choices": {"0": {}}}',
    "nothing": b"{}",
    "a list at the top": b"[]",
    "a text at the top": b'"a"',
    "null": b"null",
    "no JSON": b"{",
    "deep": b'{"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep content": b'{"choices": [{"message": {"content": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}}]}",
    "empty": b"",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_reply_of_wrong_types_is_an_answer_in_a_sentence(name: str) -> None:
    for kind in (JSON_HEAD, head("Connection: close")):
        body = WRONG[name] if kind is JSON_HEAD else b"data: " + WRONG[name] + b"\n\ndata: [DONE]\n\n"
        with endpoint(lambda send, kind=kind, body=body: send(kind + body)) as server:
            with pytest.raises(ModelError) as raised:
                ask(server)
            assert harmless(str(raised.value))


@pytest.mark.parametrize("name", ["an object", "a list", "a number", "NaN", "true", "arguments of a call"])
def test_the_type_that_a_reply_cannot_have_is_said(name: str) -> None:
    with (
        endpoint(lambda send: send(JSON_HEAD + WRONG[name])) as server,
        pytest.raises(Unanswered, match=r"its reply could not be used: the \S+( arguments)? is no text"),
    ):
        ask(server)


@pytest.mark.parametrize(
    "delta",
    [{"content": {"a": 1}}, {"content": float("nan")}, {"content": [1]}, 7, [], {"tool_calls": 3}],
    ids=str,
)
def test_an_event_of_wrong_types_is_an_answer_in_a_sentence(delta: Json) -> None:
    script = reply(
        event(choices=choice({"content": "a"})),
        event(choices=choice(delta)),
        event(choices=choice({}, "stop")),
    )
    with endpoint(script) as server, pytest.raises(ModelError) as raised:
        ask(server)
    assert harmless(str(raised.value))


# --- what it says -----------------------------------------------------------------------

SAID: dict[str, Script] = {
    "refusal": reply(event(choices=choice({"refusal": HOSTILE}))),
    "long refusal": reply(event(choices=choice({"refusal": HOSTILE * 10_000}))),
    "refusal of another type": reply(event(choices=choice({"refusal": {HOSTILE: HOSTILE}}))),
    "error": reply(json.dumps({"error": {"message": HOSTILE}}).encode(), status="400 Bad"),
    "long error": reply(json.dumps({"error": {"message": HOSTILE * 900}}).encode(), status="400 Bad"),
    "text as error": reply(HOSTILE.encode(), status="400 Bad"),
    "list as error": reply(json.dumps([HOSTILE]).encode(), status="422 Bad"),
    "error event": reply(b'data: {"error": {"message": ' + json.dumps(HOSTILE).encode() + b"}}\n\n"),
    "reason of a status": lambda send: send(b"HTTP/1.1 500 \x1b[2J\r\nContent-Length: 0\r\n\r\n"),
    "redirect": reply(lines=("Location: http://e/\x1b[2J\x9b",), status="302 Found"),
    "coding": reply(lines=("Content-Encoding: \x9b2J",)),
    "key of the reply": reply(
        event(choices=choice({"content": json.dumps({HOSTILE: 1, "answer": {HOSTILE: 2}})}, "stop"))
    ),
    "no JSON": reply(event(choices=choice({"content": HOSTILE}, "stop"))),
    "not UTF-8": reply(b"data: \xff\xfe\n\n"),
    "no choices": reply(event(choices=None)),
    "choices": reply(event(choices=HOSTILE)),
    "choice": reply(event(choices=[HOSTILE])),
    "delta": reply(event(choices=[{"delta": HOSTILE}])),
    "content": reply(event(choices=choice({"content": 3}))),
    "contents": reply(event(choices=choice({"content": [HOSTILE]}))),
    "calls": reply(event(choices=choice({"tool_calls": HOSTILE}))),
    "list": reply(b"data: [1]\n\n"),
    "number": reply(b"data: 1\n\n"),
    "deep": reply(b"data: " + b"[" * 100_000 + b"\n\n"),
    "pause": reply(lines=("Retry-After: \xb2",), status="429 Wait"),
    "long pause": reply(lines=("Retry-After: " + "9" * 400,), status="429 Wait"),
    "garbage": lambda send: send(HOSTILE.encode()),
    "nothing": lambda send: send(b""),
}


def harmless(text: str) -> bool:
    return text.isprintable() and not any(letter in text for letter in "\x1b\x9b\u202e\u2066\x07\x00")


@pytest.mark.parametrize("name", SAID)
def test_a_failure_is_one_bounded_harmless_sentence(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    call_progresses: list[CallProgress] = []
    with endpoint(SAID[name]) as server, pytest.raises(ModelError) as caught:
        ask(server, call_progresses)
    message = str(caught.value)
    assert harmless(message)
    assert len(message) < LONGEST_SHOWN + 200
    assert all(
        harmless(text.replace("\n", ""))
        for progress in call_progresses
        for text in (progress.tail, progress.text)
    )
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "tokens", ["many", -1, 1e9, 10**30, None, [], {}, True, "\x1b[2J", 2**63],
)  # fmt: skip
def test_an_answer_counts_whatever_the_server_says_of_itself(tokens: Json) -> None:
    call_progresses: list[CallProgress] = []
    usage: Json = {"prompt_tokens": tokens, "completion_tokens": tokens}
    good = event(model=HOSTILE * 100, choices=choice({"content": '{"answer": "yes"}'}, "stop"), usage=usage)
    with endpoint(reply(good, b"data: [DONE]\n\n")) as server:
        assert ask(server, call_progresses) == Answer(answer="yes")
    assert harmless(call_progresses[-1].replied_by)
    assert len(call_progresses[-1].replied_by) <= 100
    assert call_progresses[-1].used.prompt_tokens in (0, 1)


@pytest.mark.parametrize(
    "key",
    ["a\nb", "a\rb", "a\x00", "k\xe9y", "\u202ekey", "a\x1b[2J", "k\u200bey", "a\tb", "\ud800", "a\x7f"],
)
def test_a_key_that_no_header_can_carry_is_not_told(key: str) -> None:
    with pytest.raises(WorkbenchError) as caught:
        read_key({"OPENAI_API_KEY": key})
    assert key not in str(caught.value)


# --- the whole program ------------------------------------------------------------------

_RUN = "import sys; from workbench.cli import main; sys.exit(main())"


def environment(server: Endpoint) -> dict[str, str]:
    """An environment in which libraries and the interpreter log as much as they can."""
    return {
        **os.environ, "WORKBENCH_MODEL": "m", "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "very-secret",
        "OPENAI_LOG": "debug", "PYTHONWARNINGS": "default", "PYTHONASYNCIODEBUG": "1", "TERM": "xterm",
    }  # fmt: skip


def drafted_by_model(folder: Path) -> Path:
    shutil.copytree(SHOP, folder, ignore=shutil.ignore_patterns(".workbench"))
    info = folder / "session.toml"
    info.write_text(info.read_text().replace('author = "written"', 'author = "openai"'))
    return folder


NOT_OURS = ("DEBUG", "Traceback", "very-secret", "httpcore", "Task exception")


@pytest.mark.parametrize("name", ["error", "key of the reply"])
def test_no_library_writes_to_the_terminal_behind_the_program(name: str, tmp_path: Path) -> None:
    folder = drafted_by_model(tmp_path / "shop")
    with endpoint(SAID[name]) as server:
        ran = subprocess.run(
            [sys.executable, "-c", _RUN, "draft", str(folder)],
            env=environment(server), capture_output=True, timeout=120, check=False,
        )  # fmt: skip
    assert ran.returncode == 3
    text = (ran.stdout + ran.stderr).decode()
    assert harmless(text.replace("\n", ""))
    assert not any(word in text for word in NOT_OURS)


def test_a_refusal_shows_nothing_of_its_own_in_a_terminal(tmp_path: Path) -> None:
    folder = drafted_by_model(tmp_path / "shop")
    with endpoint(SAID["refusal"]) as server:
        child: pexpect.spawn[bytes] = pexpect.spawn(
            sys.executable, ["-c", _RUN, "draft", str(folder)], env=environment(server), timeout=120
        )  # pyright: ignore[reportArgumentType]  its types know the environment of this process only
        shown = child.read()
        child.close()
    assert b"The model refused" in shown
    assert not any(word.encode() in shown for word in NOT_OURS)
    for raw in (b"\x1b]8", b"\x1b[2J", b"\xc2\x9b", b"\xe2\x80\xae", b"\x07", b"\x00"):
        assert raw not in shown
