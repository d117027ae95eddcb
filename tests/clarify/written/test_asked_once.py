"""What gets past several rules, tools or values in one way is asked about once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.app.attachment_desk import attachment_desk
from tests.clarify.written.one_rule import one_rule
from workbench.app.workbench import Workbench
from workbench.clarify.written.boundaries import boundaries
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import witnesses
from workbench.model import Question
from workbench.session.agent_file import read_agent

FILES = read_agent(
    'name = "files"\n'
    + "".join(
        f'[tools.{name}]\nparameters = {{type = "object", required = ["path"], '
        'properties = {path = {type = "string"}}}\n'
        for name in ("write_file", "edit_file", "append_file")
    )
)


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


def test_one_answer_is_for_all_tools_and_texts_of_a_rule_that_it_closes() -> None:
    about, condition = "WriteFile | EditFile | AppendFile", 'call.path.endswith("package.json") or '
    condition += 'call.path.endswith("setup.py")'
    book = one_rule(FILES, about, condition, "Neither package.json nor setup.py is changed.")

    def in_another_case() -> list[str]:
        asked = [one.question for one in witnesses(book, HolesByRule(book), {})]
        return [one.id for one in asked if "in case alone" in one.text]

    (name,) = in_another_case()
    book.answered = frozenset([name])
    assert in_another_case() == [name]


def test_a_call_is_counted_with_those_before_it_in_a_sum_of_two_numbers_of_calls() -> None:
    counted = "len(run.earlier(WriteFile)) + len(run.earlier(EditFile)) >= 4"
    book = one_rule(FILES, "WriteFile", counted, "At most four files are written or edited.")
    assert not [*boundaries(book)]
