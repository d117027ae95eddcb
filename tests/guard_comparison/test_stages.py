"""A draft of whole files is made again without each stage, and its decisions are compared with the labels."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from compare_guards import main
from guard_comparison.readers import read_dataset

from tests.author.model.whole_file.desk import drafted, policy, python, serving, writer
from tests.recordings import AIRLINE, needs_airline
from workbench.model import WorkbenchError

ROOT = Path(__file__).resolve().parents[2]
LABELS = ["allow", "allow", "deny"]


def labels(folder: Path, wanted: list[str]) -> Path:
    """A file of labels next to the desk's log."""
    lines = [json.dumps({"id": "run-1", "call": place, "label": label}) for place, label in enumerate(wanted)]
    path = folder / "labels.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def right(capsys: pytest.CaptureFixture[str]) -> dict[str, int]:
    """The number of calls that each guard of the last evaluation decides as labelled."""
    rows = re.findall(r"^\| (.+?) +\| [^|]*?, (\d+)/\d+ +\|", capsys.readouterr().out, re.MULTILINE)
    return {name: int(hits) for name, hits in rows}


def test_what_verification_found_is_missing_in_the_draft_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    loose, strict = python(policy("600")), python(policy())
    path = labels(tmp_path, LABELS)
    model = writer(policy=[loose, strict])
    with drafted(model, tmp_path, monkeypatch) as bench:
        bench.request.assume((), "Drafted")
    request_count = len(model.sent_prompts)
    session, out = tmp_path / "session", tmp_path / "out"
    monkeypatch.delenv("WORKBENCH_MODEL")
    words = [str(session), str(path), "--ablate", "stages", "--out", str(out)]
    assert main(words) == 0
    hits = right(capsys)
    assert hits["policy of the session"] == hits["policy as drafted"] == 3
    assert hits["policy drafted without tests"] == 3
    assert hits["policy drafted without verification"] == hits["policy drafted without any stage"] == 2
    assert len(model.sent_prompts) == request_count


def test_a_call_that_a_stage_changes_is_asked_once_and_kept_with_the_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = labels(tmp_path, LABELS)
    model = writer(policy=[python(policy("600") + "\nX = 1.5\n"), python(policy())])
    with drafted(model, tmp_path, monkeypatch) as bench:
        bench.request.assume((), "Drafted")
    shutil.rmtree(tmp_path / "session" / ".workbench")
    calls_path = tmp_path / "session" / "calls.jsonl"
    before = calls_path.read_text()
    calls_path.write_text("".join(line for line in before.splitlines(True) if '"policy"' not in line[:400]))
    out = tmp_path / "out"
    words = [str(tmp_path / "session"), str(path), "--ablate", "stages", "--out", str(out)]
    monkeypatch.delenv("WORKBENCH_MODEL")
    assert main(words) == 3
    assert "never recorded" in capsys.readouterr().err
    again = writer(policy=[python(policy())])
    with serving(again, monkeypatch):
        assert main(words) == 0
    first = right(capsys)
    assert again.sent_prompts
    monkeypatch.delenv("WORKBENCH_MODEL")
    assert main([*words, "--replay-calls"]) == 0
    assert right(capsys) == first


def test_labels_that_do_not_fit_their_log_are_refused(tmp_path: Path) -> None:
    path = labels(tmp_path, LABELS)
    with pytest.raises(WorkbenchError, match="there is no log"):
        read_dataset(path)
    run = {"id": "run-1", "messages": [{"role": "user", "content": "x"}]}
    (tmp_path / "runs.jsonl").write_text(json.dumps(run) + "\n")
    with pytest.raises(WorkbenchError, match="do not belong"):
        read_dataset(path)
    labels(tmp_path, ["perhaps"])
    with pytest.raises(WorkbenchError, match=r":1: a label has"):
        read_dataset(path)


@needs_airline
@pytest.mark.skipif(
    not os.environ.get("WORKBENCH_EVERY_RUN"), reason="drafts the airline's policy five times"
)
def test_the_airlines_policy_comes_of_its_recorded_replies() -> None:
    drafted = ROOT / "benchmarks/drafted/airline"
    words = [sys.executable, "benchmarks/stages.py", str(drafted), str(AIRLINE)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads((ROOT / "benchmarks/results/stages-airline.json").read_text())
    assert done.stdout.splitlines() == result["output"]
