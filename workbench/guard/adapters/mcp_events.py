"""Server-sent events of an MCP server: parsed to messages, and written again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.guard.adapters.strict_json import LONGEST_MESSAGE, Unclear

_ENDS = re.compile(rb"\r\n|\r|\n")
_ID = re.compile(r"[\x20-\x7e]{0,256}")


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event: its data, its id and the pause before a new connection; each may be missing."""

    data: bytes = b""
    id: str | None = None
    retry: str = ""


def read_events(chunks: Iterable[bytes]) -> Iterator[Event]:
    """The message events of a stream as the WHATWG describes it; events of other kinds are left out.

    Raises:
        Unclear: an event is too long.
    """
    data: list[bytes] = []
    size = 0
    name, event_id, retry = "", None, ""
    for line in _lines(chunks):
        size += len(line)
        if size > LONGEST_MESSAGE:
            raise Unclear("an event is too long")
        if not line:
            if name in ("", "message") and (data or event_id is not None or retry):
                yield Event(b"\n".join(data), event_id, retry)
            data, size = [], 0
            name, event_id, retry = "", None, ""
            continue
        key, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        value_text = value.decode("latin-1")
        match key:
            case b"data":
                data.append(value)
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


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream, without their ends; a lone carriage return ends a line too."""
    unfinished = b""
    begun = False
    for chunk in chunks:
        unfinished += chunk
        if not begun and len(unfinished) < 3 and b"\xef\xbb\xbf".startswith(unfinished):
            continue
        unfinished = unfinished if begun else unfinished.removeprefix(b"\xef\xbb\xbf")
        begun = True
        if len(unfinished) > LONGEST_MESSAGE:
            raise Unclear("a line is too long")
        held = unfinished.endswith(b"\r")  # a line feed may follow
        *lines, unfinished = _ENDS.split(unfinished[:-1] if held else unfinished)
        unfinished += b"\r" if held else b""
        yield from lines
