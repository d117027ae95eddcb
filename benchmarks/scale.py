"""Replay on several workers: identical results and speed-up, and memory of a long stream.

Run: python benchmarks/scale.py [STEPS] [FILES]

Writes STEPS (default 1,000,000) tool calls into FILES (default 8) files, and replays the folder with one and
with two worker processes of Dask, after a warm-up. It also replays them once as a plain stream in one process
whose peak memory is measured. The rows of both runs must be the same. Needs the extra ``scale``. Seconds are
wall-clock time, with the start of the workers: what a person waits for.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from replay_peers import OLD, SPEC, run, write_calls

from workbench.dialect.lowered_policy import lowered_policy
from workbench.runs.replay.scale import ReplayJob, ScaleReport, replay_folder

# pyarrow has no types of its own.
# pyright: reportAny=false, reportExplicitAny=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

STREAM = """
import json, pickle, sys
from workbench.runs.replay.scale import replay_file
job = pickle.loads(bytes.fromhex(sys.argv[1]))
calls = sum(replay_file(job, (path, path + ".parquet")).calls for path in sys.argv[2:])
print(json.dumps({"calls": calls}))
"""


def make_job() -> ReplayJob:
    """The old policy of the comparison with permdiff."""
    lowered = lowered_policy(OLD, SPEC)
    return ReplayJob(lowered.text, lowered.arguments, SPEC)


def rows(folder: Path) -> list[Any]:
    """The parts of the results as tables, in the order of the files."""
    import pyarrow.parquet as pq

    return [pq.read_table(str(part)) for part in sorted(folder.iterdir())]


def timed(job: ReplayJob, logs: Path, output: Path, workers: int) -> tuple[float, ScaleReport]:
    """One replay of the folder by this number of workers."""
    start = time.perf_counter()
    report = replay_folder(job, str(logs), str(output), workers=workers)
    return time.perf_counter() - start, report


def main() -> int:
    """Print the table; 1 if the runs differ."""
    import pickle

    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    job = make_job()
    with tempfile.TemporaryDirectory() as name:
        folder, logs = Path(name), Path(name) / "logs"
        logs.mkdir()
        for number in range(files):
            write_calls(logs / f"part-{number:02}.jsonl", steps // files, repeating=False)
        size = sum(path.stat().st_size for path in logs.iterdir()) / 2**20
        alone, first = timed(job, logs, folder / "one", 1)
        two, second = timed(job, logs, folder / "two", 2)
        same = rows(folder / "one") == rows(folder / "two") and first.summary == second.summary
        pickled = pickle.dumps(job).hex()
        long = folder / "long.jsonl"
        write_calls(long, steps, repeating=False)
        stream = run(STREAM, pickled, str(long))
    print(f"{first.summary.calls} calls in {files} files, {size:.0f} MiB")
    print(f"{json.dumps(first.summary.to_json())}\n")
    print("| way | seconds | calls/s | speed-up |")
    print("|---|---:|---:|---:|")
    print(f"| Dask, 1 worker process | {alone:.1f} | {steps / alone:,.0f} | 1.00 |")
    print(f"| Dask, 2 worker processes | {two:.1f} | {steps / two:,.0f} | {alone / two:.2f} |")
    print(f"\nRows of both runs are {'the same' if same else 'DIFFERENT'}.")
    print(f"One file of {stream.counted['calls']} calls in one process: {stream.memory:.0f} MiB at the most, "
          f"{stream.cpu:.0f} s of CPU.")  # fmt: skip
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
