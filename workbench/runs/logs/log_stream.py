"""A log file as a stream of lines and records, in bounded memory.

Files may be plain, gzip or zstd. A line or record larger than the limit is skipped and reported, a
broken one is reported, and the following ones are still read.
"""

from __future__ import annotations

import codecs
import gzip
import importlib
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, BinaryIO, Protocol, cast

from workbench.clean_text import clean
from workbench.model import Json, WorkbenchError
from workbench.runs.values.jsontext import BadJson, parse_json

RECORD_LIMIT = 16 * 1024 * 1024
MOST_UNREADABLE = 100_000
TOO_MANY_UNREADABLE = (
    f"more than {MOST_UNREADABLE} records hold nothing that can be read; the rest is not read"
)
EXPANSION_LIMIT = 4 * 1024 * 1024 * 1024
_MOST_FOLD = 100
_UNSUSPICIOUS = 128 * 1024 * 1024
"""Logs are packed to a tenth or twentieth. What is larger than this and packed to a hundredth is no log."""
_CHUNK = 256 * 1024
_HEAD = 256 * 1024
_ZSTD_PIECE = 512
_SAMPLE_RECORDS = 20
_NUMBERED = re.compile(r"(?:event-)?(\d{1,12})(?:-[\w-]+)?\.json")


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One JSON value of a log with its first line (from 1), or the reason why it could not be read."""

    line: int
    value: Json = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """The first text and records of a file, by which an importer decides whether the file is its own."""

    path: str
    head: str
    records: tuple[dict[str, Json], ...] = field(default=())

    def share(self, keys: frozenset[str]) -> float:
        """The share of the sampled records that have all these keys."""
        return self.mean(lambda record: keys <= record.keys())

    def mean(self, likeness: Callable[[dict[str, Json]], float]) -> float:
        """The mean likeness of the sampled records, or the share of those of which a test is true."""
        return sum(map(likeness, self.records)) / max(len(self.records), 1)


class ReadFailed(WorkbenchError):
    """A file could not be read to its end: its compression is damaged, or there is no reader for it."""


class _ZstdFrame(Protocol):
    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes, /) -> bytes: ...


class _ZstdDecompressor(Protocol):
    def decompressobj(self) -> _ZstdFrame: ...


class _ZstdModule(Protocol):
    def open(self, path: Path, mode: str = ...) -> BinaryIO: ...

    def ZstdDecompressor(self) -> _ZstdDecompressor: ...


class _ZstdFrames:
    """A reader on the package zstandard; unlike the package's own reader it notices a cut-off file."""

    def __init__(self, module: _ZstdModule, path: Path) -> None:
        self._module = module
        self._file = path.open("rb")
        self._frame = module.ZstdDecompressor().decompressobj()
        self._begun = False

    def read(self, _size: int) -> bytes:
        # Read little at a time: a few bytes can expand to many millions.
        while data := self._file.read(_ZSTD_PIECE):
            self._begun = True
            decompressed = self._frame.decompress(data)
            while self._frame.eof:
                unused_data = self._frame.unused_data
                self._frame = self._module.ZstdDecompressor().decompressobj()
                self._begun = bool(unused_data)
                if not unused_data:
                    break
                decompressed += self._frame.decompress(unused_data)
            if decompressed:
                return decompressed
        if self._begun:
            raise EOFError
        return b""

    def __enter__(self) -> _ZstdFrames:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()


def _zstd(path: Path) -> BinaryIO:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            module = cast(_ZstdModule, cast(object, importlib.import_module(name)))
        except ImportError:
            continue
        return cast(BinaryIO, _ZstdFrames(module, path)) if name == "zstandard" else module.open(path, "rb")
    raise ReadFailed(f"{path.name} is compressed with zstd; install the Python package zstandard to read it.")


def _open(path: Path) -> BinaryIO:
    if path.is_dir():
        return cast("BinaryIO", _Folder(path))
    with path.open("rb") as stream:
        magic = stream.read(4)
    if magic[:2] == b"\x1f\x8b":
        return cast(BinaryIO, _Gzip(path))
    if magic == b"\x28\xb5\x2f\xfd":
        return _zstd(path)
    if magic == b"PK\x03\x04":
        return cast("BinaryIO", _Archive(path))
    return path.open("rb")


class _Gzip(gzip.GzipFile):
    """A gzip stream that returns the data that it has before it raises an error for the missing rest."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "rb")

    def read(self, size: int | None = -1) -> bytes:
        return self.read1(_CHUNK if size is None else size)


def numbered_files(folder: Path) -> list[Path]:
    """The files of a folder in the order of their numbers; empty unless every file has a number."""
    files = [item for item in folder.iterdir() if item.is_file() and not item.name.startswith(".")]
    numbers = {item: int(match.group(1)) for item in files if (match := _NUMBERED.fullmatch(item.name))}
    return sorted(numbers, key=lambda item: numbers[item]) if len(numbers) == len(files) else []


def file_below(folder: Path, name: str) -> Path | None:
    """The file of a name in a folder or below it, through no link out of it; None if there is none."""
    inside = folder.resolve()
    try:
        file = (inside / name).resolve()
        return folder / file.relative_to(inside) if file.is_file() else None
    except (OSError, ValueError):
        return None


class _Folder:
    """The files of a folder that hold one record each, one after the other, as one stream."""

    def __init__(self, folder: Path) -> None:
        self._files = numbered_files(folder)

    def read(self, _size: int) -> bytes:
        # Each file becomes one line, so that a broken file keeps its place.
        return self._files.pop(0).read_bytes().replace(b"\n", b" ") + b"\n" if self._files else b""

    def __enter__(self) -> _Folder:
        return self

    def __exit__(self, *_error: object) -> None:
        self._files = []


class _Archive:
    """The JSON members of a zip archive, one after the other, as one stream."""

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path)
        self._names = [name for name in self._zip.namelist() if name.endswith((".json", ".jsonl"))]
        self._member: IO[bytes] | None = None

    def read(self, size: int) -> bytes:
        while True:
            if self._member is None:
                if not self._names:
                    return b""
                self._member = self._zip.open(self._names.pop(0))
            data = self._member.read(size)
            if data:
                return data
            self._member = None
            return b"\n"

    def __enter__(self) -> _Archive:
        return self

    def __exit__(self, *_error: object) -> None:
        self._zip.close()


class LogSource:
    """A log file that can be read from its start as often as needed."""

    def __init__(
        self,
        path: Path,
        *,
        record_limit: int = RECORD_LIMIT,
        tools: Collection[str] = (),
        enough: int | None = None,
    ) -> None:
        """Take the path, the largest record in bytes, and known tools.

        ``enough`` is the number of records after which an importer may stop; None is all of them. It
        holds only for formats whose lines are in the order of the calls, so that later records do not
        affect earlier calls. ``named_by`` says how the ids of the runs are made, once an importer has
        read one. ``others`` are the files that an importer read with this one.
        """
        self.path = path
        self.servers = _ServerNames(tools)
        self.named_by = ""
        self.record_limit = record_limit
        self.enough = enough
        self.failure: ReadFailed | None = None
        self.others: list[Path] = []

    def _chunks(self) -> Iterator[bytes]:
        """The bytes of the file. If reading breaks off, yields what came before and sets ``failure``."""
        read = 0
        self.failure = None
        try:
            for chunk in self._checked_chunks():
                read += len(chunk)
                yield chunk
        except ReadFailed as failure:
            if not read:
                raise
            self.failure = failure

    def _checked_chunks(self) -> Iterator[bytes]:
        total = 0
        try:
            folded = 0 if self.path.is_dir() else self.path.stat().st_size
            most = max(_UNSUSPICIOUS, folded * _MOST_FOLD) if folded else EXPANSION_LIMIT
            with cast(AbstractContextManager[BinaryIO], _open(self.path)) as stream:
                while chunk := stream.read(_CHUNK):
                    total += len(chunk)
                    if total > EXPANSION_LIMIT:
                        raise ReadFailed(f"{self.path.name} expands to more than 4 GiB; split it.")
                    if total > most:
                        raise ReadFailed(
                            f"{self.path.name} expands to more than {_MOST_FOLD} times its size; "
                            "if it is a log, unpack it first."
                        )
                    yield chunk
        except FileNotFoundError:
            raise ReadFailed(f"There is no file {self.path}.") from None
        except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile):
            raise ReadFailed(f"{self.path.name} is damaged or cut off: it does not decompress.") from None
        except (NotImplementedError, RuntimeError) as error:
            # zipfile raises these for unknown compression and for passwords.
            raise ReadFailed(f"{self.path.name} cannot be read: {error}.") from None
        except OSError as error:
            raise ReadFailed(f"{self.path.name} cannot be read: {error.strerror or error}.") from None
        except Exception as error:
            # zstd readers raise their own error types, which are known only if a reader is installed.
            if "zstd" not in type(error).__name__.lower():
                raise
            raise ReadFailed(f"{self.path.name} is damaged or cut off: it does not decompress.") from None

    def raw_lines(self) -> Iterator[tuple[int, str | None]]:
        """Every line with its number, as text; None for a line larger than the limit."""
        line_parts: list[bytes] = []
        size = 0
        number = 1
        for chunk in self._chunks():
            parts = chunk.split(b"\n")
            for part in parts[:-1]:
                line_parts.append(part)
                size += len(part)
                yield number, None if size > self.record_limit else _decode(b"".join(line_parts), number)
                line_parts, size, number = [], 0, number + 1
            size += len(parts[-1])
            if size <= self.record_limit:
                line_parts.append(parts[-1])
            else:
                line_parts = []
        if size:
            yield number, None if size > self.record_limit else _decode(b"".join(line_parts), number)

    def text_chunks(self) -> Iterator[str]:
        """The file as pieces of text of bounded size."""
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        first = True
        for chunk in self._chunks():
            text = decoder.decode(chunk)
            yield text.removeprefix("\ufeff") if first else text
            first = False
        yield decoder.decode(b"", final=True)

    def head(self) -> str:
        """The first text of the file."""
        head = bytearray()
        for chunk in self._chunks():
            head.extend(chunk)
            if len(head) >= _HEAD:
                break
        return _decode(bytes(head[:_HEAD]), 1)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line with its number, sanitised; a line larger than the limit is left out."""
        for number, line in self.raw_lines():
            if line is not None:
                yield number, clean(line.removesuffix("\r"))

    def text(self) -> str:
        """The whole file as sanitised text; raises ReadFailed if it is larger than the limit of a record."""
        pieces: list[bytes] = []
        size = 0
        for chunk in self._chunks():
            size += len(chunk)
            if size > self.record_limit:
                raise ReadFailed(
                    f"{self.path.name} is one record of more than {_mebibytes(self.record_limit)}."
                )
            pieces.append(chunk)
        return clean(_decode(b"".join(pieces), 1))

    def records(self) -> Iterator[LogRecord]:
        """The JSON values of the file: one a line, the elements of an array, or documents."""
        from workbench.runs.logs.json_records import read_records

        unreadable = 0
        for record in read_records(self):
            yield record
            unreadable += not record.value or not isinstance(record.value, dict | list)
            if unreadable > MOST_UNREADABLE:
                yield LogRecord(record.line, error=TOO_MANY_UNREADABLE)
                return

    def first_records(self) -> Iterator[LogRecord]:
        """The first ``enough`` records of a file whose calls are in order."""
        return islice(self.records(), self.enough)

    def sample(self) -> Sample:
        """The first text and the first records of the file."""
        records: list[dict[str, Json]] = []
        for count, record in enumerate(self.records()):
            if isinstance(record.value, dict):
                records.append(record.value)
            if len(records) >= _SAMPLE_RECORDS or count >= 5 * _SAMPLE_RECORDS:
                break
        return Sample(str(self.path), self.head(), tuple(records))


def _decode(data: bytes, number: int) -> str:
    text = data.decode("utf-8", errors="replace")
    return text.removeprefix("\ufeff") if number == 1 else text


def _mebibytes(size: int) -> str:
    return f"{size / (1024 * 1024):g} MiB"


def too_large(limit: int) -> str:
    """The reason for skipping a record larger than the limit."""
    return f"the record is larger than {_mebibytes(limit)} and was not read"


def parse_record(line: int, text: str) -> LogRecord:
    """The record that a text holds, or a record with the reason why it holds none."""
    try:
        return LogRecord(line, parse_json(text))
    except BadJson as error:
        return LogRecord(line, error=str(error))


# --- names of tools that begin with the name of the server that offers them: ``mcp__SERVER__TOOL``

_PREFIX = "mcp__"


class _ServerNames:
    """The tools of the agent by their names with a server, in one log.

    An agent's spec names tools as their server does; a transcript writes the server before the name. The
    first server of a log that offers a tool of the agent is taken for the server that the spec means. A tool
    with the same name on another server keeps its whole name, because it is another tool.
    """

    def __init__(self, tools: Collection[str]) -> None:
        """Take the names in the agent's spec; without names every name stays as it is."""
        self._tools = frozenset(tools)
        self._server: dict[str, str] = {}

    def tool(self, name: str | None) -> str | None:
        """The agent's own name of a tool; the name in the log if it is no tool of the agent."""
        if name is None or not name.startswith(_PREFIX) or name in self._tools:
            return name
        # The name of a server may contain the separator too, and so may the name of a tool.
        parts = name.removeprefix(_PREFIX).split("__")
        for cut in range(1, len(parts)):
            server, tool = "__".join(parts[:cut]), "__".join(parts[cut:])
            if tool in self._tools:
                return tool if self._server.setdefault(tool, server) == server else name
        return name
