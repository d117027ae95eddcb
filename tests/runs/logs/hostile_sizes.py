"""Logs of hostile sizes, one for each format, read under a limit of memory in a process of their own.

``python -m tests.runs.logs.hostile_sizes`` reads lines with a kind, a folder and formats. For each line
a copy of the process, with all modules loaded, prints calls and problems by format; the exit code follows.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import sys
import traceback
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.examples import EVERY
from tests.runs.logs.log_samples import SAMPLES
from workbench.runs.logs import IMPORTERS, load_runs

PART = 1 if EVERY else 10
"""One part in so many of each size is tried in so much less memory, unless every run is wanted."""
MEMORY = 1 << 30
MEGA = 1_000_000 // PART


def with_member(text: str, member: str) -> str:
    """The sample with one more member, as JSON text, in its first record."""
    document = json.loads(text) if text.lstrip().startswith("[") else None
    first = text.index("{", text.index("[")) if document is not None else text.find("{")
    return text[: first + 1] + f'"unheard": {member}, ' + text[first + 1 :]


KINDS: dict[str, Callable[[str], str]] = {
    "a line of 50 MB": lambda text: text + json.dumps({"unheard": "x" * (50 * MEGA)}) + "\n",
    "a text of 15 MB": lambda text: with_member(text, '"' + "x" * (15 * MEGA) + '"'),
    "nested lists": lambda text: with_member(text, "[" * 200_000 + "]" * 200_000),
    "nested objects": lambda text: with_member(text, '{"a":' * 200_000 + "1" + "}" * 200_000),
    "nested and open": lambda text: text + '{"a":[' * 200_000,
    "tiny numbers": lambda text: with_member(text, "[" + "7," * (7 * MEGA) + "7]"),
    "tiny lists": lambda text: with_member(text, "[" + "[]," * (5 * MEGA) + "[]]"),
    "tiny objects": lambda text: with_member(text, "[" + "{}," * (5 * MEGA) + "{}]"),
    "many members": lambda text: with_member(text, "{" + ",".join(f'"k{n}": {n}' for n in range(MEGA)) + "}"),
    "many documents": lambda text: text + "{}" * (7 * MEGA),
    "many lists": lambda text: text + "[]\n" * (5 * MEGA),
    "open brackets": lambda text: text + "[" * (15 * MEGA),
    "closing brackets": lambda text: text + "]" * (15 * MEGA),
    "open quotes": lambda text: text + '"' * (15 * MEGA),
    "escaped quotes": lambda text: text + '"' + r"\"" * (7 * MEGA),
    "brackets at all depths": lambda text: with_member(
        text, "[" + ("[" * 90 + "]" * 90 + ",") * (80_000 // PART) + "1]"
    ),
    "deep documents": lambda text: text + ("[" * 90 + "]" * 90) * (20_000 // PART),
    "open records": lambda text: text + "{\n" * (7 * MEGA),
    "nested records": lambda text: text + ("{\n" * 200 + "}\n" * 200) * 18_000,
    "empty lines": lambda text: text + "\n" * (15 * MEGA),
    "tiny records": lambda text: text + '{"a": 1}\n' * (MEGA // 2),
    "open lines": lambda text: text + '{"\n' * (5 * MEGA),
    "tiny lines": lambda text: text + "7\n" * (8 * MEGA),
    "an enormous integer": lambda text: with_member(text, "9" * 100_000),
    "a number with an enormous exponent": lambda text: with_member(text, "1e" + "9" * 100_000),
    "no numbers": lambda text: with_member(text, "[NaN, Infinity, -Infinity]"),
    "a key twice": lambda text: with_member(text, '1, "unheard": 2'),
    "half a pair": lambda text: with_member(text, r'["\ud800", "\udfff x", "\ud83d"]'),
    "zeros": lambda text: with_member(text, r'"\u0000 x"') + "\0" * (5 * MEGA) + "\n",
    "a cut line": lambda text: text + text.rstrip()[: -len(text) // 10],
}
RECORD = json.dumps({"unheard": "x" * (10 * MEGA)}).encode() + b"\n"


def _gzip_bomb(text: str) -> bytes:
    """A file of many members, each of which unpacks to ten megabytes."""
    return gzip.compress(text.encode()) + gzip.compress(RECORD) * 120


def _zip_bomb(text: str) -> bytes:
    """An archive of many members."""
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("a.json", text)
        for number in range(20):
            archive.writestr(f"b{number}.json", RECORD)
    return stored.getvalue()


def _zstd_bomb(text: str) -> bytes:
    """A frame, made by hand, whose blocks of four bytes each stand for 128 KiB."""
    head, raw, repeated = bytes.fromhex("28b52ffd0038"), 0, 1
    sample = text.encode()
    blocks = [sample[at : at + _BLOCK] for at in range(0, len(sample), _BLOCK)]
    first = b"".join(_block(raw, len(block)) + block for block in blocks)
    return head + first + (_block(repeated, _BLOCK) + b"x") * 30_000 + _block(raw, 0, last=True)


_BLOCK = 1 << 17


def _block(kind: int, size: int, *, last: bool = False) -> bytes:
    return (size << 3 | kind << 1 | last).to_bytes(3, "little")


BOMBS: dict[str, Callable[[str], bytes]] = {
    "a gzip bomb": _gzip_bomb,
    "a zip bomb": _zip_bomb,
    "a zstd bomb": _zstd_bomb,
}


def read(kind: str, folder: Path, formats: Sequence[str]) -> None:
    """Write and read the log of this kind in each format."""
    loaded = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = loaded + (MEMORY - loaded) // PART
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for name in formats:
        sample = SAMPLES[name]
        path = folder / "log"
        path.write_bytes(BOMBS[kind](sample) if kind in BOMBS else KINDS[kind](sample).encode())
        imported = load_runs([path])
        if not imported.runs:  # the format was not recognised
            imported = load_runs([path], next(one for one in IMPORTERS if one.name == name))
        told = {
            "format": name,
            "calls": sum(call.tool is not None for run in imported.runs for call in run.calls),
            "problems": [[problem.reason, problem.count] for problem in imported.problems[:50]],
            "many": len(imported.problems),
        }
        tell(told)


def tell(told: object) -> None:
    """Write a line of JSON at once."""
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Read the logs of each line of the input in a copy of this process."""
    for line in sys.stdin:
        kind, folder, formats = json.loads(line)
        copy = os.fork()
        if copy == 0:
            try:
                read(kind, Path(folder), formats)
            except BaseException:
                tell({"error": traceback.format_exc()})
                os._exit(1)
            os._exit(0)
        tell({"ended": os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])})


if __name__ == "__main__":
    main()
