"""Questions are listed in groups and answered by their ids, several at once or none."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.clarify.parcel_desk import drafted_desk
from workbench.app.workbench import Workbench
from workbench.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return drafted_desk(tmp_path / "desk")


def test_several_questions_are_answered_at_once_by_their_ids_or_none_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Workbench.open(folder)) as bench:
        understanding = bench.questions.understand()
        every = understanding.open
        assert every == tuple(question for group in understanding.groups for question in group)
    assert main(["ask", str(folder)]) == 1
    shown = capsys.readouterr().out
    places = [shown.index(f"Open  {question.id}") for question in every]
    assert places == sorted(places)
    pairs = [word for question in every for word in (question.id, "context")]
    for wrong in (pairs[:-1], [*pairs, *pairs[:2]], [*pairs, "no-question", "1"], [*pairs, "--defaults"]):
        assert main(["answer", str(folder), *wrong]) == 2
    capsys.readouterr()
    assert main(["answer", str(folder), *pairs]) == 0
    told = capsys.readouterr().out
    assert all(f"{question.id}  {question.text}" in told for question in every)
    assert told.count("→ context") >= len(every)
    assert main(["ask", str(folder)]) == 1, "a request of context alone demands nothing"
    assert "undemanded::" in capsys.readouterr().out
    assert main(["answer", str(folder), "undemanded", "meant"]) == 0
    assert main(["ask", str(folder)]) == 0


def test_a_call_behind_the_run_is_refused_with_the_option_that_names_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(folder), "run", "3"]) == 2
    assert "--call N" in capsys.readouterr().err
