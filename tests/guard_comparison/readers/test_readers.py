"""Each reader reads only its own format, and no guard sees the labels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from guard_comparison.readers import READERS, read_dataset
from guard_comparison.readers.guardagent_logs import key_values

from tests.guard_comparison.labelled_samples import RECORDINGS
from workbench.runs.logs.log_stream import LogSource

PAGE = Path(__file__).resolve().parents[3] / "docs/use/evaluate.md"
NAMES = [reader.name for reader in READERS]


def test_the_samples_and_the_page_of_evaluation_have_every_reader() -> None:
    assert sorted(RECORDINGS) == sorted(NAMES)
    table = PAGE.read_text(encoding="utf-8").partition("| format |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_is_matched_by_its_own_reader_alone(name: str, tmp_path: Path) -> None:
    write, _ = RECORDINGS[name]
    sample = LogSource(write(tmp_path)).sample()
    assert [reader.name for reader in READERS if reader.matches(sample)] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_a_guard_sees_no_label(name: str, tmp_path: Path) -> None:
    write, hidden = RECORDINGS[name]
    path = write(tmp_path)
    dataset = read_dataset(path)
    assert dataset.format == name
    assert any(truth.denied for example in dataset.examples for truth in example.truths)
    shown = repr([example.run.calls for example in dataset.examples])
    assert not [word for word in hidden if word in shown]
    assert all(word in path.read_text(encoding="utf-8") for word in hidden)


def test_a_key_line_that_stands_twice_is_no_fact() -> None:
    assert key_values("Identity: Nursing\nQuestion: x\nIdentity: Physician") == {"question": "x"}
