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
        shown = value.decode("latin-1")
        match key:
            case b"data":
                data.append(value)
            case b"event":
                name = shown
            case b"id" if _ID.fullmatch(shown):
                event_id = shown
            case b"retry" if shown.isascii() and shown.isdigit() and len(shown) < 10:
                retry = shown
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
    rest = b""
    begun = False
    for chunk in chunks:
        rest += chunk
        if not begun and len(rest) < 3 and b"\xef\xbb\xbf".startswith(rest):
            continue
        rest = rest if begun else rest.removeprefix(b"\xef\xbb\xbf")
        begun = True
        if len(rest) > LONGEST_MESSAGE:
            raise Unclear("a line is too long")
        held = rest.endswith(b"\r")  # a line feed may follow
        *lines, rest = _ENDS.split(rest[:-1] if held else rest)
        rest += b"\r" if held else b""
        yield from lines
