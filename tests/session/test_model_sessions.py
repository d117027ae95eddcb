"""The shipped sessions that a model drafted: replayed from recorded calls, they decide as those by hand."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from tests.author.model.whole_file.desk import QUICK
from workbench.app.workbench import Workbench
from workbench.author.model.whole_file.author import FileAuthor
from workbench.engines.smt.preview import preview
from workbench.model import ProofStatus, Verdict
from workbench.session.agent_file import read_agent, write_agent

SESSIONS = Path(__file__).resolve().parents[2] / "sessions"
NAMES = ("web-shopping", "hospital-access")
# The task names two actions, and this user may do either. The draft reads the set of both; by hand one action
# is read, and of two none is certain.
DECIDED_OTHERWISE = {("shop-050", 0): (Verdict.ALLOW, Verdict.CANNOT_EVALUATE)}


def verdicts(folder: Path) -> dict[tuple[str, int], Verdict]:
    """The decision on each logged call of a session."""
    with closing(Workbench.open(folder, read_only=True, replay_calls=True)) as bench:
        decided = bench.runs.decide(bench.policy.terms(), bench.runs.load())
        return {(one.run, one.index): one.decision.verdict for one in decided}


@pytest.mark.parametrize("name", NAMES)
def test_what_a_model_drafted_decides_the_logs_as_the_policy_by_hand(name: str) -> None:
    drafted, by_hand = verdicts(SESSIONS / f"{name}-model"), verdicts(SESSIONS / name)
    assert len(drafted) > 50
    assert drafted.keys() == by_hand.keys()
    pairs = {call: (verdict, by_hand[call]) for call, verdict in drafted.items()}
    otherwise = {call: pair for call, pair in pairs.items() if pair[0] is not pair[1]}
    assert otherwise == (DECIDED_OTHERWISE if name == "web-shopping" else {})


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_calls_draft_the_policy_anew_without_a_model(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CRITICS", QUICK)
    shipped = SESSIONS / f"{name}-model"
    folder = Path(shutil.copytree(shipped, tmp_path / "session", ignore=shutil.ignore_patterns(".workbench")))
    with closing(Workbench.open(folder, replay_calls=True)) as bench:
        assert isinstance(bench.authorship.author, FileAuthor)
        given = bench.authorship.author.given_spec(bench.session.spec)
    for drafted in ("drafting.json", "policy.py", "draft.toml", "accepted.toml"):
        (folder / drafted).unlink()
    (folder / "agent.toml").write_text(write_agent(given))
    with closing(Workbench.open(folder, replay_calls=True)) as bench:
        # The answer was given to the first draft, which asked; so the model hears of it after that.
        answers = bench.session.assumptions
        bench.session.set_assumptions(())
        bench.request.redraft()
        bench.session.set_assumptions(answers)
        bench.request.redraft()
        assert read_agent((folder / "agent.toml").read_text()) == read_agent(
            (shipped / "agent.toml").read_text()
        )
        assert bench.session.written == (shipped / "policy.py").read_text()
        statuses = {clause.status for clause in preview(bench.policy.terms()).clauses}
        assert statuses == {ProofStatus.PROVED}


@pytest.mark.parametrize("name", NAMES)
def test_the_records_say_who_played_the_model_and_the_contract_never_saw_the_policy(name: str) -> None:
    lines = (SESSIONS / f"{name}-model" / "calls.jsonl").read_text().splitlines()
    calls = [json.loads(line) for line in lines]
    assert {call["sent"]["model"] for call in calls} == {"reader"}
    for call in calls:
        if call["sent"]["purpose"] in ("contract", "cases"):
            assert all("def forbid_" not in one["content"] for one in call["sent"]["messages"][1:])
