"""Every kind of bad input against every importer: reported, bounded, and no obstacle for the rest."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

import workbench.runs.logs.log_stream as source
from tests.runs.logs.log_samples import OWN, SAMPLES, lines
from workbench.clean_text import clean
from workbench.runs.logs import Imported, load_runs

pytestmark = pytest.mark.bounded

NAMES = sorted(SAMPLES)
# A format of calls, one of messages, one of events: all formats share the limit of the file's reader.
LINES = ("workbench", "openai-chat", "codex")


def loaded(path: Path, data: bytes) -> Imported:
    path.write_bytes(data)
    imported = load_runs([path])
    for run in imported.runs:
        assert [call.index for call in run.calls] == sorted(call.index for call in run.calls)
        for call in run.calls:
            for text in (run.id, call.tool or "", *call.texts.values(), call.result or ""):
                assert clean(text) == text
    for problem in imported.problems:
        assert problem.reason
        assert "\n" not in problem.reason
        assert "Traceback" not in problem.reason
    return imported


def recorded_calls(imported: Imported) -> int:
    """The number of calls of the log, without those that represent unreadable records."""
    every = [call for run in imported.runs for call in run.calls]
    return sum(call.tool is not None or bool(call.texts.keys() - {"context"}) for call in every)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_cut_anywhere_gives_no_more_than_the_whole_and_never_fails(name: str, tmp_path: Path) -> None:
    data = SAMPLES[name].encode()
    whole = recorded_calls(loaded(tmp_path / "log", data))
    for at in range(0, len(data), max(1, len(data) // 25)):
        assert recorded_calls(loaded(tmp_path / "log", data[:at])) <= whole + 1


@pytest.mark.parametrize("name", NAMES)
def test_a_cut_gzip_is_a_problem(name: str, tmp_path: Path) -> None:
    noise = random.Random(7).randbytes(40_000).hex()
    packed = gzip.compress(SAMPLES[name].encode() + f'\n{{"noise": "{noise}"}}\n'.encode())
    imported = loaded(tmp_path / "log.gz", packed[: len(packed) // 2])
    assert any("cut off" in problem.reason for problem in imported.problems)


@pytest.mark.parametrize("name", LINES)
def test_a_line_past_the_limit_is_left_out_with_a_reason_and_the_rest_is_read(
    name: str, tmp_path: Path
) -> None:
    whole = loaded(tmp_path / "whole", SAMPLES[name].encode())
    huge = json.dumps({"text": "x" * (2 * source.RECORD_LIMIT)}).encode()
    imported = loaded(tmp_path / "log", SAMPLES[name].rstrip().encode() + b"\n" + huge + b"\n")
    assert recorded_calls(imported) == recorded_calls(whole)
    assert any("larger than" in problem.reason for problem in imported.problems)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "junk",
    [
        b"\xff\xfe\xfa invalid \xc3\x28",
        b"\x1b]52;c;aGk=\x07\x1b[2J [bold red]markup[/] <script>",
        b'{"a": ' + b"[" * 5000,
        b'{"a": ' * 3000,
        b'{"id": 1, "id": 2, "messages": 7, "tool": [], "arguments": true, "spans": {}, "run": null}',
        b'{"n": 1e999, "m": -Infinity, "k": ' + b"9" * 6000 + b"}",
    ],
)
def test_junk_beside_good_records_neither_fails_nor_adds_calls_silently(
    name: str, junk: bytes, tmp_path: Path
) -> None:
    data = SAMPLES[name].encode()
    whole = loaded(tmp_path / "whole", data)
    imported = loaded(tmp_path / "log", data.rstrip() + b"\n" + junk + b"\n")
    assert recorded_calls(imported) <= recorded_calls(whole)
    if name in LINES:
        assert recorded_calls(imported) == recorded_calls(whole), "what is good is still read"


@pytest.mark.parametrize("name", LINES)
def test_records_that_stand_twice_stay_apart_or_are_named(name: str, tmp_path: Path) -> None:
    imported = loaded(tmp_path / "log", (SAMPLES[name] * 2).encode())
    assert len({run.id for run in imported.runs}) == len(imported.runs)


def test_lines_of_several_formats_in_one_file_are_read_or_said(tmp_path: Path) -> None:
    mixed = [line for name in LINES for line in SAMPLES[name].splitlines()]
    imported = loaded(tmp_path / "log", "\n".join(mixed).encode())
    (chosen,) = {run.format for run in imported.runs}
    assert recorded_calls(imported) == recorded_calls(loaded(tmp_path / "alone", SAMPLES[chosen].encode()))
    others = [number for number, line in enumerate(mixed, 1) if line not in SAMPLES[chosen].splitlines()]
    assert [problem.line for problem in imported.problems] == others


def test_a_folder_of_all_formats_and_junk_is_read_file_by_file(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(SAMPLES[name])
    (folder / "picture.png").write_bytes(random.Random(1).randbytes(5000))
    (folder / "empty").write_bytes(b"")
    imported = load_runs([folder])
    assert {Path(run.path).name for run in imported.runs} == set(NAMES)
    assert {Path(problem.path).name for problem in imported.problems} >= {"picture.png"}


def test_clocks_that_run_backwards_keep_the_order_of_the_file(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"run": "t", "tool": f"step{number}", "arguments": None, "time": f"2026-01-0{9 - number}T00:00:00Z"}
        for number in range(5)
    ]
    imported = loaded(tmp_path / "log", lines(*records).encode())
    (run,) = imported.runs
    assert [call.tool for call in run.calls] == [f"step{number}" for number in range(5)]


def test_a_bomb_of_every_wrapping_ends_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "EXPANSION_LIMIT", 2_000_000)
    bomb = gzip.compress(OWN.encode() + b'{"run": "x", "tool": "y", "arguments": {}}\n' * 400_000)
    imported = loaded(tmp_path / "bomb.gz", bomb)
    assert any("expands to more than" in problem.reason for problem in imported.problems)
    assert recorded_calls(imported) < 100_000
