"""The same call that several rules of a sentence let through is asked about once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.app.attachment_desk import attachment_desk
from workbench.app.workbench import Workbench
from workbench.model import Question


def of_search(bench: Workbench) -> list[Question]:
    open_questions = bench.questions.understand().open
    return [one for one in open_questions if one.kind == "witness" and "print_file (" in one.text]


def test_the_call_of_a_further_tool_is_asked_about_once_for_all_rules_of_a_sentence(tmp_path: Path) -> None:
    with closing(attachment_desk(tmp_path)) as bench:
        (question,) = of_search(bench)
        bench.questions.answer(question, "meant")
        assert not of_search(bench)
        bench.questions.retract(question.id)
        assert [one.id for one in of_search(bench)] == [question.id]
