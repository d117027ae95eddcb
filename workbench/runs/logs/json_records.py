"""Split a log into its JSON records: lines, the elements of an array, or whole documents.

Damage stays local. A broken line never affects the next one. In an array over several lines, reading
continues where the next element begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, islice

from workbench.runs.logs.log_stream import LogRecord, LogSource, parse_record, too_large

_OPEN_STRING = r'"(?:[^"\\\n]++|\\.)*+'
_STRING = _OPEN_STRING + '"'
# A string up to its quote, or without an end up to the end of its line.
_STRING_OR_OPEN = _OPEN_STRING + r'["\\]?+'
# All text before the next string that has no end in what is looked at.
_WHOLE_STRINGS = re.compile(rf'(?:[^"]++|{_STRING})*+')
_STRINGS = re.compile(_STRING)
# All text up to and with the next bracket; brackets inside strings do not count.
_TO_BRACKET = re.compile(rf'(?:[^"{{}}\[\]]++|{_STRING})*+[{{}}\[\]]')
# The rest of an open string: up to its quote, the end of a line, or the end of what is read so far.
_REST = re.compile(r'(?:[^"\\\n]|\\.)*+')
# All text between records, and a value in it: a string, or anything else that is no separator.
_BETWEEN = re.compile(rf'(?:[^"{{\[]++|{_STRING_OR_OPEN})*+')
_SCALAR = re.compile(rf'{_STRING_OR_OPEN}|[^\s,"}}\]]++')
_LONGEST_SCALAR = 1_000_000
_LOOK_AHEAD = 4
# Brackets are counted in pieces of text: small ones first, because most records are small.
_FIRST_PIECE = 128
_LARGEST_PIECE = 64 * 1024
_BRACKETS = b"{}[]"
_NO_BRACKETS = bytes(sorted(set(range(256)) - set(_BRACKETS)))
_STEPS = bytes.maketrans(_BRACKETS, b"\x01\xff\x01\xff")
"""The change of the depth at each bracket, as a signed byte."""
_MOST_REREAD = 8
"""How many times the limit of a record is read again to find whole records inside broken ones."""


def read_records(source: LogSource) -> Iterator[LogRecord]:
    """Every JSON value of the file; a broken one gives a record with the reason."""
    return _read_lines(source) if _is_lines(source) else _Splitter(source).read()


def _is_lines(source: LogSource) -> bool:
    """Whether the file holds one JSON value a line, rather than an array or a document."""
    head = source.head().lstrip()
    if not head.startswith("{"):
        return not head.startswith("[")
    filled = (line for _, line in source.raw_lines() if line is None or line.strip())
    first = next(filled, None)
    if first is None or parse_record(1, first).error is None:
        return True
    return any(line is None or line.startswith("{") for line in islice(filled, _LOOK_AHEAD - 1))


def _read_lines(source: LogSource) -> Iterator[LogRecord]:
    for number, line in source.raw_lines():
        if line is None:
            yield LogRecord(number, error=too_large(source.record_limit))
        elif line.strip():
            yield parse_record(number, line)


class _Splitter:
    """Cuts a stream of text into top-level values by counting brackets outside strings.

    No loop is over characters or brackets: a record may have millions of them.
    """

    def __init__(self, source: LogSource) -> None:
        self._source = source
        self._buffer = ""
        self._line = 1  # of the place in the buffer up to which lines are counted
        self._counted = 0  # that place
        self._position: int = 0  # where scanning continues
        self._start: int | None = None  # of the record in the buffer
        self._piece = _FIRST_PIECE  # the size of the next piece of the record
        self._indent: str | None = None
        self._depth: int = 0
        self._discard = False
        self._in_string = False
        self._lost = False  # looking for the next record after a broken one
        self._ended = False  # no more text comes
        self._reread = 0  # the length of all broken records

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
                yield LogRecord(self._line_at(self._start), error=too_large(self._source.record_limit))
                self._discard, self._start = True, None
                self._trim()
            if self._is_too_broken:
                return
        self._ended = True
        yield from self._scan()
        while self._start is not None and not self._is_too_broken:
            # The rest is cut off, but there may be whole records after a broken one.
            yield self._broken("the file ends in the middle of this record")
            yield from self._scan()

    @property
    def _is_too_broken(self) -> bool:
        return self._reread > _MOST_REREAD * self._source.record_limit

    def _scan(self) -> Iterator[LogRecord]:
        while not self._is_too_broken and (not self._lost or self._find_next()):
            if self._in_string:
                if not self._string_read():
                    return
                if self._in_string:
                    yield from self._endless_string()
            elif self._depth:
                if not self._piece_read():
                    return
                if self._depth == 0:
                    yield from self._close()
            else:
                yield from self._scalars()
                if self._position == len(self._buffer) or self._buffer[self._position] not in "{[":
                    return
                self._open(self._position)
                self._position += 1

    def _scalars(self) -> Iterator[LogRecord]:
        """What stands before the next record: each value is a record, though none of a run.

        Reading stops before the last value if the next chunk may continue it.
        """
        place = _end(_BETWEEN, self._buffer, self._position)
        for scalar in _SCALAR.finditer(self._buffer, self._position, place):
            size = scalar.end() - scalar.start()
            if scalar.end() == len(self._buffer) and not self._ended and size <= _LONGEST_SCALAR:
                self._position = scalar.start()
                return
            yield parse_record(self._line_at(scalar.start()), scalar[0])
        self._position = place

    def _piece_read(self) -> bool:
        """Continue in an open record to the end of the piece or of the record, or into an open string.

        False if the record continues in the next chunk.
        """
        until = min(self._position + self._piece, len(self._buffer))
        self._piece = min(4 * self._piece, _LARGEST_PIECE)
        place = _end(_WHOLE_STRINGS, self._buffer, self._position, until)
        text = self._buffer[self._position : place]
        bare = _STRINGS.sub("", text) if '"' in text else text
        steps = memoryview(bare.encode("utf-8", "replace").translate(_STEPS, _NO_BRACKETS)).cast("b")
        depths = list(accumulate(steps, initial=self._depth))
        if 0 in depths:
            brackets = _TO_BRACKET.finditer(self._buffer, self._position, place)
            self._position = next(islice(brackets, depths.index(0) - 1, None)).end()
            self._depth = 0
            return True
        self._depth, self._position = depths[-1], place
        if place < until:
            self._in_string = True
            self._position += 1
        return self._position < len(self._buffer)

    def _string_read(self) -> bool:
        """Continue in an open string; False if the string continues in the next chunk.

        ``_in_string`` stays set if the string has no end. Reading begins where it stopped, because a string
        may be as large as a record.
        """
        self._position = end = _end(_REST, self._buffer, self._position)
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
        self._depth = 1
        self._piece = _FIRST_PIECE
        self._start = offset
        before = self._buffer[self._buffer.rfind("\n", 0, offset) + 1 : offset]
        self._indent = None if before.strip() else before

    def _close(self) -> Iterator[LogRecord]:
        if self._discard or self._start is None:
            self._discard = False
            return
        text = self._buffer[self._start : self._position]
        record = parse_record(self._line_at(self._start), text)
        if record.error is not None and "\n" in text:
            yield self._broken(record.error)
            return
        self._start = None
        yield record

    def _broken(self, reason: str) -> LogRecord:
        """Give up on the record, and look for the next one from the character after its start."""
        start = self._start or 0
        self._reread += self._position - start
        if self._is_too_broken:
            reason = f"{reason}; too much of the file is broken, and the rest is not read"
        record = LogRecord(self._line_at(start), error=reason)
        self._position = start + 1
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

    def _line_at(self, offset: int) -> int:
        """The line of a place in the buffer. Places come in their order, and each line is counted once."""
        self._line += self._buffer.count("\n", self._counted, offset)
        self._counted = offset
        return self._line

    def _trim(self) -> None:
        keep = self._start if self._start is not None else self._position
        line_start = self._buffer.rfind("\n", 0, keep) + 1
        if not self._discard and keep - line_start < 1000:
            keep = line_start  # the indentation of a record is read from its line
        if keep > self._counted:
            self._line_at(keep)
        self._counted -= keep
        self._buffer = self._buffer[keep:]
        self._position -= keep
        if self._start is not None:
            self._start -= keep


def _end(pattern: re.Pattern[str], text: str, position: int, until: int | None = None) -> int:
    """Where the text that matches a pattern from a position on ends."""
    match = pattern.match(text, position, len(text) if until is None else until)
    return match.end() if match else position
