"""A log of a hostile size ends in calls or in a counted problem, within a gigabyte, in every format."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import EVERY
from tests.runs.logs.hostile_sizes import BOMBS, KINDS
from tests.runs.logs.log_samples import CALLS, SAMPLES

ROOT = Path(__file__).parents[3]
# All formats share the reader of files, so each kind is tried on one format, another one for each kind, and
# on the only one with a list over several lines; in the long run on all.
A_LIST = "openhands"
ENDS_A_HANG = 300


@pytest.mark.parametrize("kind", [*KINDS, *BOMBS])
def test_a_log_of_a_hostile_size_is_read_or_refused_within_a_gigabyte(kind: str, tmp_path: Path) -> None:
    every = sorted(SAMPLES)
    one = every[[*KINDS, *BOMBS].index(kind) % len(every)]
    # What is packed is unpacked before any format sees it.
    formats = every if EVERY else [one] if kind in BOMBS else sorted({one, A_LIST})
    done = subprocess.run(
        [sys.executable, "-m", "tests.runs.logs.hostile_sizes", kind, str(tmp_path), *formats],
        capture_output=True,
        text=True,
        timeout=ENDS_A_HANG,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["format"] for each in told] == formats
    for each in told:
        calls = sum(call.tool is not None for call in CALLS[each["format"]])
        assert each["calls"] == calls or each["problems"], each
        for reason, count in each["problems"]:
            assert "does not fit" not in reason, each
            assert count > 0 and "\n" not in reason and len(reason) < 400, each
