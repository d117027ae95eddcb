"""The same call that several rules of a sentence let through, or several tools, is asked about once."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.app.attachment_desk import attachment_desk
from tests.clarify.written.one_rule import one_rule
from workbench.app.workbench import Workbench
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.model import AgentSpec, Json, Question, Tool


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


def _tool(name: str) -> Tool:
    properties: dict[str, Json] = {"path": {"type": "string"}}
    return Tool(name, parameters={"type": "object", "required": ["path"], "properties": properties})


def test_what_one_rewriting_closes_in_the_calls_of_all_tools_of_a_rule_is_asked_about_once() -> None:
    agent = AgentSpec("coder", tools=tuple(map(_tool, ("write_file", "edit_file", "delete_file"))))
    condition = 'call.path.endswith("package.json") or call.path.endswith("package-lock.json")'
    about = "WriteFile | EditFile | DeleteFile"
    book = one_rule(agent, about, condition, "Nobody changes package.json or package-lock.json.")
    (asked,) = witnesses(book, HolesByRule(book), {})
    for words in ("“xPACKAGE.JSON”", "“xPACKAGE-LOCK.JSON”", "by edit_file and delete_file"):
        assert words in asked.question.text
    assert CLOSED in asked.effects
    answered = replace(book, answered=frozenset({asked.question.id}))
    (again,) = witnesses(answered, HolesByRule(answered), {})
    assert again.question.id == asked.question.id
