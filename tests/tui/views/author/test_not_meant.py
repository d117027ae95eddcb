"""A call that a rule lets through by the letter: a first digit never says that it is meant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from tests.app.attachment_desk import attachment_desk
from tests.tui.driving import Driver, opened
from workbench.app.question_texts import otherwise
from workbench.app.workbench import Workbench
from workbench.model import Option, Question, Span, WorkbenchError
from workbench.tui.views.author.requirement import option_keys
from workbench.tui.views.author.view import AuthorView
from workbench.tui.widgets.code_editor import CodeEditor


def answers(desk: Path) -> list[str]:
    lines = (desk / "assumptions.toml").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("question")]


async def walk_to_print(person: Driver) -> None:
    """Press n until the question about the other tool is shown, which has to be soon."""
    for _ in range(9):
        if "print_file gives out what is in it too" in person.text:
            return
        await person.press("n")
    raise AssertionError(person.text)


async def test_no_is_the_first_choice_also_by_its_key_and_opens_the_declaration_that_is_lacking(
    tmp_path: Path,
) -> None:
    attachment_desk(tmp_path).close()
    desk = tmp_path / "desk"
    before = answers(desk)
    async with opened(desk, (160, 60)) as person:
        await walk_to_print(person)
        person.line("1 No: I declare it in agent.toml")
        person.line("2 Yes, such a call is meant")
        await person.press("x")
        spec = person.app.query_one("#spec", CodeEditor)
        assert spec.document.get_line(spec.cursor_location[0]) == "[tools.print_file]"
        await person.press("escape", "A")
        person.line("1 No: I declare it in agent.toml")
        assert answers(desk) == before
        await person.press("y")
        person.line("Answered: Yes, such a call is meant")
        assert len(answers(desk)) == len(before) + 1


async def test_an_answer_that_is_given_twice_at_once_is_in_sight(tmp_path: Path) -> None:
    attachment_desk(tmp_path).close()
    async with opened(tmp_path / "desk", (160, 60)) as person:
        question = person.app.state.open[0]

        def answered(bench: Workbench) -> None:
            if question.id in [one.question for one in bench.session.assumptions]:
                raise WorkbenchError("It is asked no more.")
            bench.questions.answer(question, question.options[-1].value)

        for _ in range(2):
            person.app.acts.do("Answer", answered)
        await person.settle()
        assert question.id not in [one.id for one in person.app.state.open]
        assert len(answers(tmp_path / "desk")) == len(person.app.state.assumptions)


async def test_where_nothing_is_to_be_declared_the_sentence_is_said_otherwise(tmp_path: Path) -> None:
    attachment_desk(tmp_path).close()
    find = AuthorView.question.fget
    assert find is not None

    def undeclared(view: AuthorView) -> Question | None:
        found = find(view)
        return found and replace(found, declaration="")

    with mock.patch.object(AuthorView, "question", property(undeclared)):
        async with opened(tmp_path / "desk", (160, 60)) as person:
            await walk_to_print(person)
            await person.press("1")
            person.line("WHAT IT MEANS")


@pytest.mark.parametrize("values", [("closed", "meant"), ("meant",)], ids=" ".join)
@pytest.mark.parametrize("kind", ["witness", "no-clause"])
def test_only_a_call_that_no_known_answer_stops_has_a_no_of_its_own(
    kind: str, values: tuple[str, ...]
) -> None:
    options = tuple(Option(value, value, "", "") for value in values)
    question = Question(f"{kind}:1", kind, "Is that meant?", "", Span(0, 0), options, "")
    lacks_no = kind == "witness" and "closed" not in values
    assert bool(otherwise(question)) == lacks_no
    assert option_keys(question)[0].startswith("no:") == lacks_no
    assert [key for key in option_keys(question) if key.startswith("answer:")] == [
        f"answer:{question.id}:{number}" for number in range(len(values))
    ]
