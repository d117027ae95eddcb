"""The data that the commands about words, context and several answers print."""

# jsonschema is typed only in part.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.app.test_sentence_words import CHECKED
from tests.clarify.parcel_desk import drafted_desk
from workbench.app.json_output.results import PRINTED
from workbench.cli import main
from workbench.serialization.json_form import JsonForm, Nested, whole_schema


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session of the parcel desk with one recorded run."""
    return drafted_desk(tmp_path / "desk")


def printed(form: JsonForm[Any] | Nested, text: str) -> Any:
    """The output of a command, after a check that it has the form."""
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
    facts = done("word-facts", "word", "--facts", "role user")
    assert "role of the user" in {fact["fact"] for fact in facts}
    rule = ("word", "Money goes back", "--rule", "only if", "--tool", "pay_back", "--when", CHECKED)
    tried = done("word-preview", *rule, "--preview")
    assert len(tried["turned"]) == 3
    assert tried["newly_allowed"][0]["witness"]["tool"] == "pay_back"
    stored = done("word-as", *rule)
    assert [change["call"] for change in stored["changed"]["calls"]] == [2, 4, 5]
    assert stored["changed"]["rules"]
    context = done("context", "context")
    assert {sentence["role"] for sentence in context} == {"context"}
    path = tmp_path / "answers.toml"
    path.write_text('["40 euros"]\nrule = "never if"\nwhen = ["amount is more than 40"]\n')
    output = done("answer-file", "answer", "--file", str(path))
    assert output["taken"] == [{"about": "40 euros", "choices": 2}]
    assert [assumption["about"] for assumption in output["assumed"]] == ["40 euros"]
    assert [change["call"] for change in output["changed"]["calls"]] == [5]
