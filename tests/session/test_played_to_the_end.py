"""The shipped sessions played to the end: answering each open question ends in a session that is good."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from workbench.app.owed import OwedKind
from workbench.app.workbench import Workbench
from workbench.author.protocol import CASE

ROOT = Path(__file__).resolve().parents[2]
PLAYED: tuple[tuple[str, dict[str, str]], ...] = (
    ("sessions/travel-desk", {}),
    ("sessions/hospital-access", {}),
    ("sessions/web-shopping", {}),
    ("examples/bookings", {}),
)


@pytest.mark.parametrize(("folder", "answers"), PLAYED)
def test_answering_each_question_ends_with_all_good(
    folder: str, answers: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / Path(folder).name
    shutil.copytree(ROOT / folder, copy, ignore=shutil.ignore_patterns(".workbench"))
    with closing(Workbench.open(copy, replay_calls=True)) as bench:
        monkeypatch.setattr(bench.proof, "prove", bench.proof.preview)
        asked: list[str] = []
        while open_questions := bench.questions.understand().open:
            question = open_questions[0]
            assert question.id not in asked, "an answer closes its question"
            asked.append(question.id)
            kind = question.id.partition(":")[0]
            bench.questions.answer(question, answers.get(kind, question.options[0].value))
        assert {name.partition(":")[0] for name in asked} >= answers.keys()
        widenings = [item.name for item in bench.in_force.missing() if item.kind is OwedKind.WIDENING]
        assert bench.accept(widenings).missing == ()
        assert bench.check().exit_code == 0
    if answers.get("differs") == "contract":
        assert not any(name.startswith(CASE) for name in asked), "the answer decides the cases too"
