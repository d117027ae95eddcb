"""Server-sent events of an MCP server: parsed to messages, and written again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.guard.adapters.strict_json import LONGEST_MESSAGE
from workbench.guard.adapters.unread_answers import TAIL, shortened

_ENDS = re.compile(rb"\r\n|\r|\n")
_ID = re.compile(r"[\x20-\x7e]{0,256}")
_MARK = b"\xef\xbb\xbf"
_LONGEST = LONGEST_MESSAGE + 64  # with the name of the field


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event: its data, its id and the pause before a new connection; each may be missing."""

    data: bytes = b""
    id: str | None = None
    retry: str = ""


def read_events(chunks: Iterable[bytes]) -> Iterator[Event]:
    """The message events of a stream as the WHATWG describes it; events of other kinds are left out.

    Of data that is too long only beginning and end are kept, which are too long too.
    """
    data = _Bytes()
    name, event_id, retry = "", None, ""
    for line in _lines(chunks):
        if not line:
            whole = data.take().removesuffix(b"\n")
            if name in ("", "message") and (whole or event_id is not None or retry):
                yield Event(whole, event_id, retry)
            name, event_id, retry = "", None, ""
            continue
        key, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        value_text = value.decode("latin-1")
        match key:
            case b"data":
                data.add(value + b"\n")
            case b"event":
                name = value_text
            case b"id" if _ID.fullmatch(value_text):
                event_id = value_text
            case b"retry" if value_text.isascii() and value_text.isdigit() and len(value_text) < 10:
                retry = value_text
            case _:
                pass


def write_event(texts: Iterable[str], event: Event) -> bytes:
    """Events with these texts; the last one has the id and the pause of the original ``event``."""
    lines = [f"data: {text}\n\n" for text in texts]
    last = "".join(
        [
            f"id: {event.id}\n" if event.id is not None else "",
            f"retry: {event.retry}\n" if event.retry else "",
            lines.pop() if lines else "data: \n\n" if event.id is not None or event.retry else ":\n\n",
        ]
    )
    return ("".join(lines) + last).encode("ascii")


class _Bytes:
    """Bytes that come in parts; of more than a message may have, only beginning and end are kept."""

    def __init__(self) -> None:
        self._whole = bytearray()
        self._size = 0
        self._end = b""

    def add(self, part: bytes) -> None:
        """Add the next part."""
        self._whole += part[: max(0, _LONGEST - self._size)]
        self._size += len(part)
        self._end = (self._end + part[-TAIL:])[-TAIL:]

    def take(self) -> bytes:
        """What was added since the last call of this method."""
        whole = bytes(self._whole)
        if self._size > _LONGEST:
            whole = shortened(whole, self._end)
        self._whole, self._size, self._end = bytearray(), 0, b""
        return whole


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream, without their ends; a lone carriage return ends a line too."""
    unfinished = _Bytes()
    after_return = False
    for part in _without_mark(chunks):
        chunk = part.removeprefix(b"\n") if after_return else part
        after_return = part.endswith(b"\r")  # a line feed may follow, which belongs to it
        *lines, rest = _ENDS.split(chunk)
        for line in lines:
            unfinished.add(line)
            yield unfinished.take()
        unfinished.add(rest)


def _without_mark(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The parts of a stream that are not empty, without a mark of the order of bytes at the beginning."""
    beginning: bytes | None = b""
    for chunk in chunks:
        if beginning is None:
            part = chunk
        elif len(beginning := beginning + chunk) < len(_MARK) and _MARK.startswith(beginning):
            continue
        else:
            part, beginning = beginning.removeprefix(_MARK), None
        if part:
            yield part
