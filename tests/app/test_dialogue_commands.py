"""What the commands about words, context and several answers print, for people and as data."""

# jsonschema is typed only in part.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.app.test_sentence_words import CHECKED
from tests.clarify.parcel_desk import CALLS, REQUEST, SPEC, log_text
from workbench.app.json_output.results import PRINTED
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.serialization.json_form import JsonForm, Nested, whole_schema
from workbench.session import Session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session of the parcel desk with one recorded run."""
    desk = tmp_path / "desk"
    session = Session.create(desk, REQUEST, SPEC)
    (desk / "logs" / "run.jsonl").write_text(log_text(CALLS), encoding="utf-8")
    with closing(Workbench(session)) as bench:
        bench.request.redraft()
    return desk


def printed(form: JsonForm[Any] | Nested, text: str) -> Any:
    """What a command printed, which is of the form."""
    document = json.loads(text)
    jsonschema.validate(document, whole_schema(form))
    return document


def test_what_the_commands_about_words_print_is_of_their_forms(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def done(name: str, *words: str) -> Any:
        assert main([*words[:1], str(folder), *words[1:], "--json"]) == 0
        return printed(PRINTED[name], capsys.readouterr().out)

    sentences = done("word-sentences", "word")
    assert [sentence["number"] for sentence in sentences] == [*range(1, len(sentences) + 1)]
    opened = done("word", "word", "Money goes back")
    assert {"unknown", "tool"} & {word["role"] for word in opened["words"]}
    facts = done("word-facts", "word", "--facts", "person parcel")
    assert CHECKED in {fact["fact"] for fact in facts}
    rule = ("word", "Money goes back", "--rule", "only if", "--tool", "pay_back", "--when", CHECKED)
    tried = done("word-preview", *rule, "--preview")
    assert len(tried["turned"]) == 3
    assert tried["newly_allowed"][0]["witness"]["tool"] == "pay_back"
    stored = done("word-as", *rule)
    assert [change["call"] for change in stored["changed"]["calls"]] == [4, 5, 7]
    assert stored["changed"]["rules"]
    context = done("context", "context")
    assert {sentence["role"] for sentence in context} == {"context"}
    path = tmp_path / "answers.toml"
    path.write_text('["40 euros"]\nrule = "never if"\nwhen = ["amount is more than 40"]\n')
    output = done("answer-file", "answer", "--file", str(path))
    assert output["taken"] == [{"about": "40 euros", "choices": 2}]
    assert [assumption["about"] for assumption in output["assumed"]] == ["40 euros"]
    assert [change["call"] for change in output["changed"]["calls"]] == [5]


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
    assert main(["ask", str(folder)]) == 0
    for wrong in ("1=2", "x=1", "1="):
        assert main(["answer", str(folder), "--number", wrong]) == 2
    assert main(["answer", str(folder), "--number", "1=1", "--defaults"]) == 2
