"""What is not known of the results of tools is said where a rule about them is wanted, with what to do."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.shell_agent import SHELL_AGENT
from workbench.app.agent import untold_results
from workbench.app.new_session import new_session
from workbench.app.outcomes import doubts_of_outcomes
from workbench.app.surroundings import with_answer
from workbench.app.workbench import Workbench
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.tried_calls import Trials
from workbench.cli import main
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import AgentSpec, RecordedCall
from workbench.question_wording import question_about
from workbench.session.agent_file import read_agent

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


PUSH = '''"""Pushes."""

from agent import Bash, Run

DEFAULT = "allow"


def forbid_push(call: Bash, run: Run) -> bool:
    """R1: Push only after the tests passed."""
    is_tested = any(c.command == "pytest" and c.succeeded for c in run.earlier(Bash))
    return "git push" in call.command.calls and not is_tested
'''
SHAPES = {
    "exit-code": ['{"stdout": "3 passed", "exit_code": 0}', '{"stdout": "", "exit_code": 2}'],
    "success": ['{"success": true}', '{"output": {"x": 1}, "success": false}'],
    "is-error": ['{"isError": false, "content": []}', '{"content": ["x"], "isError": true}'],
    "count": ['{"passed": 3, "failed": 0, "errors": []}', '{"passed": 3, "failed": 0, "errors": ["x"]}'],
    "status": ['{"status": "passed"}', '{"status": "FAILED"}'],
    "words": ["3 passed in 1.02s", "1 failed, 3 passed in 2.00s"],
}


@pytest.mark.parametrize(("shape", "results"), SHAPES.items(), ids=SHAPES)
def test_what_says_that_a_call_failed_is_asked_by_the_results_of_logs_and_the_answer_decides(
    shape: str, results: list[str]
) -> None:
    agent = read_agent(SHELL_AGENT)
    terms = lowered_policy(PUSH, agent).terms
    logged = [RecordedCall("r", 0, "bash", {"command": "pytest"}, result=results[0])]
    (doubt,) = doubts_of_outcomes(terms, agent, logged)
    assert shape in doubt.values
    question = question_about(doubt)
    said = with_answer(agent, question, shape, {})
    assert said is not None
    assert not list(doubts_of_outcomes(terms, said, logged))
    assert [_after(result, agent) for result in results] == [True, True]
    assert [_after(result, said) for result in results] == [True, False]


def _after(result: str, agent: AgentSpec) -> bool:
    """Whether a push is allowed after tests with a result."""
    tests = RecordedCall("r", 0, "bash", {"command": "pytest"}, result=result, known_from=1)
    trials = Trials(lowered_policy(PUSH, agent).terms, agent)
    push = TriedCall("bash", {"command": "git push"})
    return trials.confirms((TriedCall("bash", tests.arguments or {}, tests), push))


def test_a_tool_of_which_a_log_tells_a_failed_call_is_not_asked_about() -> None:
    agent = read_agent(SHELL_AGENT)
    terms = lowered_policy(PUSH, agent).terms
    failed = RecordedCall("r", 0, "bash", {"command": "pytest"}, result="exit code 1", failed=True)
    assert len([*doubts_of_outcomes(terms, agent, ())]) == 1
    assert not [*doubts_of_outcomes(terms, agent, [failed])]
