"""Demonstrations in the style ``forms``: a model gets them, and an edit of the memory makes no model call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from tests.author.model.scripted_model import Reply, Script, analysis, cases, clauses, rules
from workbench.app.new_session import new_session
from workbench.app.workbench import Workbench
from workbench.model import Demonstration

FILMS = "Films may only be lent to readers from 16."
REST = "Everything else is allowed."
AGENT = """
name = "desk"
description = "Lends books and films."
[arguments.action]
type = "enum"
values = ["lend_film", "other"]
extract = {method = "jsonpath", path = "$.tool"}
[arguments.years]
type = "int"
extract = {method = "jsonpath", path = "$.arguments.years"}
"""
YOUNG = 'action == "lend_film" and years < 16'
REPLIES: Mapping[str, Sequence[Reply]] = {
    "analysis": [analysis((FILMS, FILMS), (REST, REST))],
    "arguments": [{"rules": []}],
    "rules R1": [rules(("young", YOUNG))],
    "contract R1": [clauses((YOUNG, "deny"), ('action == "lend_film" and years >= 16', "allow"))],
    "cases": [cases()],
    "rules": [rules()],
    "contract": [clauses(('action == "other"', "allow"))],
}
WORDED = ("analysis", "rules R1", "contract R1", "cases R1")


def demonstration(name: str, step: str) -> Demonstration:
    return Demonstration(name, f"asked {name}", "done", (step, "", "", ""), "label = 1\n")


NEAR = demonstration("near", "Films may only be lent to readers who are 16.")
FAR = demonstration("far", "Who asks for a room is told where it is.")


def session(folder: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """A session of the desk that the server's model drafts in forms."""
    for name, value in {
        "WORKBENCH_MODEL": "scripted",
        "WORKBENCH_MODEL_STYLE": "forms",
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": "sk-x",
    }.items():
        monkeypatch.setenv(name, value)
    (folder / "request.md").write_text(f"{FILMS} {REST}\n")
    (folder / "agent.toml").write_text(AGENT)
    created = new_session(
        folder / "desk", folder / "request.md", agent=folder / "agent.toml", logs=[], author="openai"
    )
    return created.workbench


def test_every_call_shows_the_nearest_first_and_an_edit_waits_for_the_next_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(REPLIES)
    with model_server(Behaviour(answer=script.answer)) as server:
        bench = session(tmp_path, server, monkeypatch)
        bench.session.set_demonstrations((FAR, NEAR), "Two")
        bench.request.draft_first()
        for purpose in WORDED:
            (prompt,) = script.prompts(purpose)
            assert 0 < prompt.index("asked near") < prompt.index("asked far") < prompt.index(FILMS)
        request_count = len(server.requests)
        policy = bench.session.policy
        bench.session.set_demonstrations((FAR,), "One")
        bench.questions.understand()
        assert len(server.requests) == request_count
        bench.request.redraft()
        assert [prompt.count("asked near") for prompt in script.prompts("rules R1")] == [1, 0]
        request_count = len(server.requests)
        bench.session.set_demonstrations((FAR, NEAR), "Two again")
        bench.request.redraft()
        assert len(server.requests) == request_count  # this draft is recorded
        assert bench.session.policy == policy
        bench.close()


def test_without_a_model_an_edit_of_the_memory_leaves_the_recorded_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(REPLIES)
    with model_server(Behaviour(answer=script.answer)) as server:
        bench = session(tmp_path, server, monkeypatch)
        bench.request.draft_first()
        assert not any("decided before" in prompt for _, prompt in script.sent_prompts)
        policy = bench.session.policy
        bench.close()
    monkeypatch.delenv("WORKBENCH_MODEL")
    again = Workbench.open(tmp_path / "desk", replay_calls=True)
    again.session.set_demonstrations((NEAR,), "One")
    again.request.redraft()
    assert again.session.policy == policy
    again.close()
