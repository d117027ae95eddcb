"""Split a log into its JSON records: lines, the elements of an array, or whole documents.

Damage stays local. A broken line never affects the next one. In an array over several lines, reading
continues where the next element begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from workbench.runs.logs.log_stream import LogRecord, LogSource, parse_record, too_large

# All text before the next bracket. Whole strings are skipped, so that brackets inside them do not count.
_BEFORE_BRACKET = re.compile(r'(?:[^"{}\[\]]++|"(?:[^"\\\n]++|\\.)*+")*+')
# The rest of an open string: up to its quote, the end of a line, or the end of what is read so far.
_REST = re.compile(r'(?:[^"\\\n]|\\.)*+')
# A value between records: a string, or anything else that is no separator.
_SCALAR = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|[^\s,"]++')
_SEPARATORS = ' \t\r\n,"'
_LONGEST_SCALAR = 1_000_000
_LOOK_AHEAD = 4


def read_records(source: LogSource) -> Iterator[LogRecord]:
    """Every JSON value of the file; a broken one gives a record with the reason."""
    return _read_lines(source) if _is_lines(source) else _Splitter(source).read()


def _is_lines(source: LogSource) -> bool:
    """Whether the file holds one JSON value a line, rather than an array or a document."""
    head = source.head().lstrip()
    if not head.startswith("{"):
        return not head.startswith("[")
    filled = (line for _, line in source.raw_lines() if line is None or line.strip())
    first, *others = list(islice(filled, _LOOK_AHEAD)) or [None]
    return (
        first is None
        or parse_record(1, first).error is None
        or any(line is None or line.startswith("{") for line in others)
    )


def _read_lines(source: LogSource) -> Iterator[LogRecord]:
    for number, line in source.raw_lines():
        if line is None:
            yield LogRecord(number, error=too_large(source.record_limit))
        elif line.strip():
            yield parse_record(number, line)


class _Splitter:
    """Cuts a stream of text into top-level values by counting brackets outside strings."""

    def __init__(self, source: LogSource) -> None:
        self._source = source
        self._buffer = ""
        self._line = 1  # of the first character of the buffer
        self._position: int = 0  # where scanning continues
        self._start: int | None = None  # of the record in the buffer
        self._indent: str | None = None
        self._depth = 0
        self._discard = False
        self._in_string = False
        self._lost = False  # looking for the next record after a broken one
        self._ended = False  # no more text comes

    def read(self) -> Iterator[LogRecord]:
        opened = False
        for chunk in self._source.text_chunks():
            self._buffer += chunk
            if not opened and self._buffer.strip():
                opened = True
                stripped = self._buffer.lstrip()
                if stripped[0] == "[":
                    self._position = len(self._buffer) - len(stripped) + 1
            yield from self._scan()
            self._trim()
            if self._start is not None and len(self._buffer) > self._source.record_limit:
                yield LogRecord(self._line, error=too_large(self._source.record_limit))
                self._discard, self._start = True, None
                self._trim()
        self._ended = True
        yield from self._scan()
        while self._start is not None:
            # The rest is cut off, but there may be whole records after a broken one.
            yield self._broken("the file ends in the middle of this record")
            yield from self._scan()

    def _scan(self) -> Iterator[LogRecord]:
        while not self._lost or self._find_next():
            if self._in_string:
                if not self._string_read():
                    return
                if self._in_string:
                    yield from self._endless_string()
                continue
            match = _BEFORE_BRACKET.match(self._buffer, self._position)
            place = self._position if match is None else match.end()
            token = self._buffer[place : place + 1]
            if self._depth == 0 and not self._discard:
                place, is_cut = self._whole_scalars(place, token)
                yield from self._scalars(place)
                if is_cut:
                    self._position = place
                    return
            if not token:
                # A string may continue in the next chunk, so only the text before its quote is done.
                self._position = place
                return
            self._position = place + 1
            if token == '"':
                # Outside of records a quote means nothing.
                self._in_string = self._depth > 0
            else:
                yield from self._bracket(token, place)

    def _bracket(self, token: str, place: int) -> Iterator[LogRecord]:
        if token in "{[":
            self._open(place)
        elif self._depth:
            self._depth -= 1
            if self._depth == 0:
                yield from self._close()

    def _whole_scalars(self, place: int, token: str) -> tuple[int, bool]:
        """Up to where the text between records is known, and whether the next chunk may continue there."""
        if self._ended or len(self._buffer) - self._position > _LONGEST_SCALAR:
            return place, False
        if token == '"':
            return place, self._buffer.find("\n", place) < 0
        if token:
            return place, False
        ends = (self._buffer.rfind(separator, self._position) for separator in _SEPARATORS)
        return max(self._position, *(end + 1 for end in ends)), True

    def _scalars(self, place: int) -> Iterator[LogRecord]:
        """What stands between records up to a place: each value is a record, though none of a run."""
        first = line = 0
        for match in _SCALAR.finditer(self._buffer, self._position, place):
            line += self._buffer.count("\n", first, match.start())
            first = match.start()
            yield parse_record(self._line + line, match[0])

    def _string_read(self) -> bool:
        """Continue in an open string; False if the string continues in the next chunk.

        ``_in_string`` stays set if the string has no end. Reading begins where it stopped, because a string
        may be as large as a record.
        """
        match = _REST.match(self._buffer, self._position)
        end = match.end() if match else self._position
        self._position = end
        left = len(self._buffer) - end
        if left == 0 or (left == 1 and self._buffer[end] == "\\"):
            return False
        if self._buffer[end] == '"':
            self._in_string = False
            self._position = end + 1
        return True

    def _endless_string(self) -> Iterator[LogRecord]:
        self._in_string = False
        if self._discard:
            self._discard, self._lost, self._depth = False, True, 0
        else:
            yield self._broken("a string in this record has no end")

    def _open(self, offset: int) -> None:
        self._depth += 1
        if self._depth == 1 and not self._discard:
            self._start = offset
            before = self._buffer[self._buffer.rfind("\n", 0, offset) + 1 : offset]
            self._indent = None if before.strip() else before

    def _close(self) -> Iterator[LogRecord]:
        if self._discard or self._start is None:
            self._discard = False
            return
        record = parse_record(self._first_line(), self._buffer[self._start : self._position])
        if record.error is not None and "\n" in self._buffer[self._start : self._position]:
            yield self._broken(record.error)
            return
        self._start = None
        yield record

    def _broken(self, reason: str) -> LogRecord:
        """Give up on the record, and look for the next one from the character after its start."""
        record = LogRecord(self._first_line(), error=reason)
        self._position = (self._start or 0) + 1
        self._start, self._depth, self._lost, self._in_string = None, 0, True, False
        self._find_next()
        return record

    def _find_next(self) -> bool:
        """Go to the next line that opens a record with the indentation of the broken one."""
        if self._indent is None:
            self._position = len(self._buffer)
            return False
        match = re.compile(r"\n" + self._indent + r"(?=[{\[])").search(self._buffer, self._position)
        if match is None:
            self._position = max(self._position, self._buffer.rfind("\n"))
            return False
        self._position = match.end()
        self._lost = False
        self._open(match.end())
        self._position += 1
        return True

    def _first_line(self) -> int:
        return self._line + self._buffer.count("\n", 0, self._start or 0)

    def _trim(self) -> None:
        keep = self._start if self._start is not None else self._position
        line_start = self._buffer.rfind("\n", 0, keep) + 1
        if not self._discard and keep - line_start < 1000:
            keep = line_start  # the indentation of a record is read from its line
        self._line += self._buffer.count("\n", 0, keep)
        self._buffer = self._buffer[keep:]
        self._position -= keep
        if self._start is not None:
            self._start -= keep
