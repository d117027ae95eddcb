"""The shipped sessions that a model drafted: replayed from recorded calls, they decide as those by hand."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from tests.author.model.whole_file.desk import QUICK
from workbench.app.workbench import Workbench
from workbench.engines.smt.preview import preview
from workbench.model import ProofStatus, Verdict

SESSIONS = Path(__file__).resolve().parents[2] / "sessions"
NAMES = ("web-shopping", "hospital-access")


def verdicts(folder: Path) -> dict[tuple[str, int], Verdict]:
    """The decision on each logged call of a session."""
    with closing(Workbench.open(folder, read_only=True, replay_calls=True)) as bench:
        decided = bench.runs.decide(bench.policy.terms(), bench.runs.load())
        return {(one.run, one.index): one.decision.verdict for one in decided}


@pytest.mark.parametrize("name", NAMES)
def test_what_a_model_drafted_decides_the_logs_as_the_policy_by_hand(name: str) -> None:
    decided = verdicts(SESSIONS / f"{name}-model")
    assert len(decided) > 50
    assert decided == verdicts(SESSIONS / name)


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_calls_draft_the_policy_anew_without_a_model(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CRITICS", QUICK)
    shipped = SESSIONS / f"{name}-model"
    ignored = shutil.ignore_patterns(
        ".workbench", "drafting.json", "policy.py", "draft.toml", "accepted.toml"
    )
    folder = Path(shutil.copytree(shipped, tmp_path / "session", ignore=ignored))
    with closing(Workbench.open(folder, replay_calls=True)) as bench:
        # The answer was given to the first draft, which asked; so the model hears of it after that.
        answers = bench.session.assumptions
        bench.session.set_assumptions(())
        bench.request.redraft()
        bench.session.set_assumptions(answers)
        bench.request.redraft()
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
