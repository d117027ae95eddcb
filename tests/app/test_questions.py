"""Questions are listed in groups and answered by their numbers."""

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


def test_questions_are_grouped_and_answered_by_numbers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", str(folder)]) == 1
    shown = capsys.readouterr().out
    with closing(Workbench.open(folder)) as bench:
        understanding = bench.questions.understand()
        every = [question for group in understanding.groups for question in group]
        assert sorted(open_question.id for open_question in every) == sorted(
            open_question.id for open_question in understanding.open
        )
    place = 0
    for number, question in enumerate(every, start=1):
        assert f"{number}. {question.id}" in shown
        place = next(place for place, option in enumerate(question.options, 1) if option.value == "context")
        assert f"{place}. context" in shown
    assert main(["answer", str(folder), "--number", f"1={place}"]) == 0
    listing = capsys.readouterr().out.partition("Open now, by these numbers:")[2]
    with closing(Workbench.open(folder)) as bench:
        every = [question for group in bench.questions.understand().groups for question in group]
    for number, question in enumerate(every, start=1):
        assert f"  {number}. {question.text}" in listing
    numbers = [
        part for place_number in range(1, len(every) + 1) for part in ("--number", f"{place_number}={place}")
    ]
    assert main(["answer", str(folder), *numbers]) == 0
    assert "Stored" in capsys.readouterr().out
    assert main(["ask", str(folder)]) == 1, "a request of context alone demands nothing"
    assert "undemanded::" in capsys.readouterr().out
    assert main(["answer", str(folder), "undemanded", "meant"]) == 0
    assert main(["ask", str(folder)]) == 0
    for wrong in ("1=2", "x=1", "1="):
        assert main(["answer", str(folder), "--number", wrong]) == 2
    assert main(["answer", str(folder), "--number", "1=1", "--defaults"]) == 2
