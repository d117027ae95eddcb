"""The kit for fresh readers: its questions have both answers, and its score counts what is right."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "readability.py"


@pytest.fixture(scope="module")
def kit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("readability", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["readability"] = module
    spec.loader.exec_module(module)
    return module


def test_a_question_has_boundary_inputs_of_both_answers_in_the_nouns_of_its_sentence(kit: ModuleType) -> None:
    (question,) = [
        one for one in kit.questions_of("examples/bookings") if one.rule == "forbid_late_cancellation"
    ]
    assert question.sentences[0].startswith("The agent must not cancel a booking if")
    assert {applies for _, applies in question.inputs} == {True, False}
    for words, _ in question.inputs:
        assert words[0] == "The call is to cancel a booking."
        assert all("run." not in line and "_" not in line.partition(":")[0] for line in words)


def test_the_score_counts_right_answers_and_names_the_others(kit: ModuleType, tmp_path: Path) -> None:
    key = {"rules": ["desk forbid_a", "desk forbid_b"], "applies": {"1.1": True, "1.2": False, "2.1": True}}
    (tmp_path / "key.json").write_text(json.dumps(key))
    (tmp_path / "answers-1.json").write_text(json.dumps({"1.1": True, "1.2": False, "2.1": False}))
    (tmp_path / "answers-2.json").write_text("{}")
    assert list(kit.score(tmp_path))[2:] == [
        "| 1 | 2 | 3 | 2 | 66.7 | 2.1 |",
        "| 2 | 2 | 3 | 0 | 0.0 | 1.1, 1.2, 2.1 |",
    ]
