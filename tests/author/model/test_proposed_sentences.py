"""Sentences that a model proposes: words of the language by the schema, read by the reader, asked again."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from tests.language.library_desk import library
from workbench.author.model.client import ModelClient
from workbench.author.model.errors import ModelError
from workbench.author.model.proposed_sentences import TRIES, SentenceProposals
from workbench.author.model.recording import RecordedModelCalls
from workbench.author.model.settings import ModelSettings
from workbench.cli import main
from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.language.suggestion import Suggestion, Suggestions
from workbench.session.agent_file import read_agent

DESK = Path(__file__).parents[3] / "examples" / "bookings"
LABELS = Path(__file__).parents[3] / "benchmarks" / "suggestions"
FOREIGN = "No books for the blocked ones."
MEANT = "The agent must not lend book if the days is more than 30."
NOTED = "The agent must not lend a book if the note is given and the note contains “{}”."
LISTS = ("these", "on the list", "the pairs of", "kept open")


def says(*sentences: object) -> Behaviour:
    return Behaviour(pieces=(json.dumps({"sentences": list(sentences)}),))


def proposed(server: ModelServer, found: Sequence[Suggestion] = ()) -> list[str]:
    """What a model with these replies proposes for the foreign sentence at the library's desk."""
    settings = ModelSettings("scripted", server.url, attempts=1)
    client = ModelClient(settings, RecordedModelCalls(), key=lambda: "sk-x")
    return [one.text for one in SentenceProposals(client, Suggestions(library())).of(FOREIGN, "", found)]


def pattern_of(request: Mapping[str, Any]) -> str:
    """The pattern of a sentence in the schema of a request."""
    items = request["response_format"]["json_schema"]["schema"]["properties"]["sentences"]["items"]
    return str(items["pattern"])


def prompt_of(request: Mapping[str, Any]) -> str:
    return "\n".join(str(one["content"]) for one in request["messages"])


def test_a_sentence_that_is_not_read_goes_back_with_the_place() -> None:
    with model_server(says("The agent must not lend a book if the moon is full."), says(MEANT)) as server:
        assert proposed(server) == [MEANT]
    assert len(server.requests) == 2
    assert "is read up to “The agent must not lend a book if the" in prompt_of(server.requests[1])


def test_only_rules_that_the_checker_takes_are_proposed_each_once() -> None:
    clause = "It must not be possible to lend a book if the days is more than 30."
    unguarded = "The agent must not lend a book if the length of the note is more than 3."
    with model_server(says(clause, unguarded, MEANT)) as server:
        assert proposed(server) == [MEANT]
    with model_server(says(MEANT, MEANT, MEANT)) as server:
        assert proposed(server) == [MEANT]


@pytest.mark.parametrize(
    "text",
    [
        "Der Agent darf keine Bücher verleihen.",
        "",
        "“" * 50,
        "(" * 4000,
        "x\x00",
        "x " * 150_000,
        "What no sentence forbids is allowed.",
        "It must always be possible to lend a book.",
    ],
)
def test_a_model_that_never_finds_the_language_proposes_nothing(text: str) -> None:
    with model_server(says(text)) as server:
        assert proposed(server) == []
    assert len(server.requests) == TRIES


def test_a_proposal_has_no_character_that_is_not_shown() -> None:
    with model_server(says(NOTED.format("a\u202e\u200b\n\x1b[31mb"))) as server:
        (found,) = proposed(server)
    assert found == NOTED.format("a<U+202E><U+200B> ␛[31mb").replace("a book", "book")


def test_a_model_that_reads_no_rule_is_not_asked_again() -> None:
    with model_server(says()) as server:
        assert proposed(server) == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("reply", ['{"sentences": 5}', '{"sentences": [7]}', "[]", "Yes."])
def test_a_reply_of_another_form_is_one_clear_error(reply: str) -> None:
    with model_server(Behaviour(pieces=(reply,))) as server, pytest.raises(ModelError):
        proposed(server)


def test_the_pattern_escapes_only_what_a_schema_may_escape() -> None:
    agent = """
name = "files"

[tools.get-file]
description = "Gets a file."
parameters = {type = "object", properties = {path = {type = "string"}}}
"""
    with model_server(says()) as server:
        client = ModelClient(
            ModelSettings("scripted", server.url, attempts=1), RecordedModelCalls(), key=lambda: "sk-x"
        )
        language = Language(agent_types(read_agent(agent)), 'DEFAULT = "deny"\n')
        SentenceProposals(client, Suggestions(language)).of("x", "", ())
    pattern = pattern_of(server.requests[0])
    assert re.fullmatch(pattern, "The agent may always use “get-file”.")
    assert set(re.findall(r"\\(.)", pattern)) <= set("^$.[]()|{}*+?\\/")


def test_the_schema_keeps_a_reply_to_the_words_of_the_language() -> None:
    """Every labelled rule that needs no list of items fits; words and tools of other agents do not."""
    with model_server(says()) as server:
        for name in ("car-rental", "law-mail"):
            folder = LABELS / "agents" / name
            spec = read_agent((folder / "agent.toml").read_text("utf-8"))
            language = Language(agent_types(spec), (folder / "policy.py").read_text("utf-8"))
            client = ModelClient(
                ModelSettings("scripted", server.url, attempts=1), RecordedModelCalls(), key=lambda: "sk-x"
            )
            SentenceProposals(client, Suggestions(language)).of("x", "", ())
            pattern, words = pattern_of(server.requests[-1]), prompt_of(server.requests[-1])
            meant = [one for one in labelled(folder.name) if not any(part in one for part in LISTS)]
            assert [one for one in meant if not re.fullmatch(pattern, one)] == []
            assert not re.fullmatch(pattern, "The agent must not pay back if the amount is more than 5.")
            assert not re.fullmatch(pattern, f"{meant[0][:-1]} nonsensically.")
            assert "# What a search found" not in words


def labelled(session: str) -> list[str]:
    """The labelled meanings of the sentences of an agent in sight."""
    data = tomllib.loads((LABELS / "agents_in_sight.toml").read_text("utf-8"))
    labels = cast("list[dict[str, Any]]", data["sentences"])
    own = [one for one in labels if one["session"].endswith(f"/{session}") and one["meaning"] != "context"]
    return [text for one in own for text in (one["meaning"], *one.get("also", ()))]


WORDS = "Reservations may never be called off."
OTHER = "The agent must not cancel a booking if the booking does not exist."


def test_search_and_model_stand_side_by_side_and_a_person_picks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Path(shutil.copytree(DESK, tmp_path / "desk"))
    with model_server(says(OTHER)) as server:
        for name, value in (("MODEL", "scripted"), ("MODEL_API", "chat")):
            monkeypatch.setenv(f"WORKBENCH_{name}", value)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
        assert main(["say", str(session), WORDS, "--propose", "--json"]) == 1
        offered = json.loads(capsys.readouterr().out)
        assert (
            offered[0]["sentence"] == "The agent must never cancel a booking." and not offered[0]["proposed"]
        )
        assert [one["sentence"] for one in offered if one["proposed"]] == [OTHER]
        number = str(next(one["number"] for one in offered if one["proposed"]))
        picked = ["say", str(session), WORDS, "--propose", "--pick", number, "--keep", "--anyway"]
        agent, asked = (session / "agent.toml").read_text("utf-8"), len(server.requests)
        (session / "agent.toml").write_text(f'{agent}\n[context.role]\ntype = "str"\n', "utf-8")
        assert main(picked) == 3
        assert len(server.requests) == asked
        assert "was never recorded" in capsys.readouterr().err
        (session / "agent.toml").write_text(agent, "utf-8")
    monkeypatch.delenv("WORKBENCH_MODEL")
    assert main(picked) == 0
    assert OTHER in (session / "policy.py").read_text("utf-8")


def test_without_a_model_a_proposal_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("WORKBENCH_MODEL", raising=False)
    assert main(["say", str(shutil.copytree(DESK, tmp_path / "desk")), WORDS, "--propose"]) == 3
    assert "No model is named and no call is recorded" in capsys.readouterr().err
