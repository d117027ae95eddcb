"""A log of a hostile size ends in calls or in a counted problem, within a gigabyte, in every format."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples import EVERY
from tests.runs.logs.hostile_sizes import BOMBS, KINDS
from tests.runs.logs.log_samples import CALLS, SAMPLES

ROOT = Path(__file__).parents[3]
# All formats share the reader of files, so each kind is tried on one format, another one for each kind, and
# on the only one with a list over several lines; in the long run on all.
A_LIST = "openhands"


@pytest.fixture(scope="module")
def reader() -> Iterator[subprocess.Popen[str]]:
    """The process whose copies read the logs."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.runs.logs.hostile_sizes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        yield process


@pytest.mark.parametrize("kind", [*KINDS, *BOMBS])
def test_a_log_of_a_hostile_size_is_read_or_refused_within_a_gigabyte(
    kind: str, tmp_path: Path, reader: subprocess.Popen[str]
) -> None:
    every = sorted(SAMPLES)
    one = every[[*KINDS, *BOMBS].index(kind) % len(every)]
    # What is packed is unpacked before any format sees it.
    formats = every if EVERY else [one] if kind in BOMBS else sorted({one, A_LIST})
    told = list(read_by(reader, kind, tmp_path, formats))
    assert [each["format"] for each in told] == formats
    for each in told:
        calls = sum(call.tool is not None for call in CALLS[each["format"]])
        assert each["calls"] == calls or each["problems"], each
        for reason, count in each["problems"]:
            assert "does not fit" not in reason, each
            assert count > 0 and "\n" not in reason and len(reason) < 400, each


def read_by(
    reader: subprocess.Popen[str], kind: str, folder: Path, formats: list[str]
) -> Iterator[dict[str, Any]]:
    """What a copy of the reading process tells of the log in each format; it ends without an error."""
    assert reader.stdin is not None and reader.stdout is not None
    reader.stdin.write(json.dumps([kind, str(folder), formats]) + "\n")
    reader.stdin.flush()
    for line in reader.stdout:
        told = json.loads(line)
        assert "error" not in told, told["error"]
        if "ended" in told:
            assert told["ended"] == 0
            return
        yield told
    raise AssertionError("the process has ended")
