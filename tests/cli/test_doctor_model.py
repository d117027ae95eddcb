"""``doctor --model``: the findings about an endpoint from one small question, and that they are stored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.author.model.http_endpoint import Answer, Request, chat, http_endpoint, refused
from workbench.cli import main
from workbench.model import Json

YES = '{"answer": "yes"}'


def holding(request: Request) -> Answer:
    """A server that holds the model to a schema, and takes no temperature."""
    if "temperature" in request.body:
        return refused("'temperature' is not supported", "temperature")
    usage: Json = {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35}
    return chat(YES if "response_format" in request.body else "yes", usage=usage)


def ignoring(request: Request) -> Answer:
    """A server that does not, in front of a model that replies as the prompt demands."""
    return chat(YES if "JSON schema" in request.prompt and "without any" not in request.prompt else "Yes!")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_MODEL", "coder-1.5b")
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")
    return tmp_path


def test_what_an_endpoint_can_do_is_said_and_kept(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with http_endpoint(holding) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.origin}/v1")
        assert main(["doctor", "--model", "--json"]) == 0
    finding_by_subject = {line["subject"]: line for line in json.loads(capsys.readouterr().out)}
    assert "left out: a temperature" in finding_by_subject["Protocol"]["finding"]
    assert "holds the model to" in finding_by_subject["Form of replies"]["finding"]
    assert "30 of the prompt" in finding_by_subject["Tokens"]["finding"]
    assert finding_by_subject["Price"]["finding"] == "unknown"
    assert str(data / "prices.toml") in finding_by_subject["Price"]["remedy"]
    assert finding_by_subject["Context"]["finding"] in ("of unknown length", "8,192 tokens")
    endpoints = json.loads((data / "endpoints.json").read_text())["endpoints"]
    assert [(endpoint["model"], endpoint["abilities"]["temperature"]) for endpoint in endpoints] == [
        ("coder-1.5b", False)
    ]
    assert "very-secret" not in str(finding_by_subject) + str(endpoints)


def test_a_server_that_ignores_the_form_is_told_it_in_the_prompt(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "prices.toml").write_text(
        '[[provider]]\n[provider.models]\n"coder-1.5b" = {prompt = 1, reply = 2.5}\n', encoding="utf-8"
    )
    with http_endpoint(ignoring) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.origin}/v1")
        assert main(["doctor", "--model"]) == 0
        assert len(server.requests) == 3
    output = capsys.readouterr().out
    assert "does not hold the model to it" in output
    assert "1 for a million tokens of prompts, 2.5 of replies" in output


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"WORKBENCH_MODEL": ""}, "none is named"),
        ({"OPENAI_BASE_URL": "localhost"}, "no web address"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "WORKBENCH_MODEL_API": "chit"}, "set it to chat or"),
    ],
)
def test_what_cannot_be_asked_is_said_with_exit_code_3(
    data: Path,
    variables: dict[str, str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert main(["doctor", "--model"]) == 3
    assert sentence in capsys.readouterr().out
    assert not (data / "endpoints.json").exists()
