"""What is not known of the results of tools is said where a rule about them is wanted, with what to do."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from workbench.app.agent import untold_results
from workbench.app.new_session import new_session
from workbench.app.workbench import Workbench
from workbench.cli import main

WORDS = "Nothing may be sent if the result of a search is empty."


def mail_desk(folder: Path) -> Workbench:
    tools = [
        {
            "name": name,
            "description": f"{name}.",
            "input_schema": {"type": "object", "properties": {of: {"type": "string"}}, "required": [of]},
        }
        for name, of in (("search", "query"), ("send", "to"))
    ]
    tools[1]["outputSchema"] = {"type": "object", "properties": {"id": {"type": "string"}}}
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (folder / "request.md").write_text(f"{WORDS}\n", encoding="utf-8")
    made = new_session(
        folder / "desk", folder / "request.md", agent=folder / "tools.json", logs=[], author="written"
    )
    made.draft()
    return made.workbench


def test_a_tool_without_schema_and_log_is_named_until_a_log_has_a_result(tmp_path: Path) -> None:
    with closing(mail_desk(tmp_path)) as bench:
        agent, described = bench.session.agent, bench.session.results
        assert untold_results(agent, described, ()) == ("search",)
        row = {"format": "workbench-decision/1", "runs": True, "run": "a", "call": 0, "tool": "search"}
        given = {**row, "arguments": json.dumps({"query": "x"}), "result": json.dumps([])}
        logs = bench.session.path / "logs"
        logs.mkdir(exist_ok=True)
        (logs / "one.jsonl").write_text(json.dumps(given) + "\n", encoding="utf-8")
    with closing(Workbench.open(tmp_path / "desk")) as bench:
        calls = bench.runs.load().calls
        assert untold_results(bench.session.agent, bench.session.results, calls) == ()
        assert not bench.agent.overview(bench.runs.load()).untold


def test_a_sentence_that_names_a_result_says_what_is_missing_and_another_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(mail_desk(tmp_path)) as bench:
        assert "Nothing tells what search gives" in bench.suggestions.advice(WORDS)
        assert not bench.suggestions.advice("Nothing may be sent to strangers.")
        assert bench.agent.overview(bench.runs.load()).untold == bench.suggestions.advice(WORDS)
    main(["say", str(tmp_path / "desk"), WORDS])
    assert "or give the tools an outputSchema" in capsys.readouterr().out
