"""Demonstrations: a drafting model gets them, and an edit of the memory makes no model call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.author.model.whole_file.desk import REQUEST, TOOLS, log, serving, writer
from workbench.app.new_session import new_session
from workbench.model import Demonstration


def demonstration(name: str, step: str) -> Demonstration:
    return Demonstration(name, f"asked {name}", "done", (step, "", "", ""), "label = 1\n")


NEAR = demonstration("near", "Payments above 100 euros are forbidden.")
FAR = demonstration("far", "Who asks for a room is told where it is.")


def test_every_call_shows_the_nearest_first_and_an_edit_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "request.md").write_text(REQUEST)
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    model = writer()
    with serving(model, monkeypatch):
        created = new_session(
            tmp_path / "desk",
            tmp_path / "request.md",
            agent=tmp_path / "tools.json",
            logs=[log(tmp_path)],
            author="openai",
        )
        bench = created.workbench
        bench.session.set_demonstrations((FAR, NEAR), "Two")
        bench.request.draft_first()
        for part in ("design", "policy", "contract", "cases"):
            (prompt,) = model.prompts(part)
            assert 0 < prompt.index("asked near") < prompt.index("asked far")
        bench.session.set_demonstrations((FAR,), "One")
        bench.questions.understand()
        bench.request.redraft()
        assert len(model.sent_prompts) == 4
        bench.close()
