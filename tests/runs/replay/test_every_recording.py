"""Recorded runs get equal decisions on equal arguments from replay, live guard and exported file.

A few runs of each recording are played; ``WORKBENCH_EVERY_RUN=1`` plays all.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from guard_comparison.readers.asb_logs import AsbRuns
from guard_comparison.readers.guardagent_logs import GuardAgentLog

from tests.guard.exported_files import ExportedFile, plain, reading_of
from tests.live_guarding import live_guard
from tests.recordings import AIRLINE, DATA, needs_airline
from tests.runs.replay.playing import played, played_calls
from tests.runs.world.airline_agent import airline_desk
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import DecisionLog, Guard, Mode, ToolCall
from workbench.model import (
    AgentSpec,
    Decision,
    Json,
    Run,
)
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import replay
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[3]
MOST = None if os.environ.get("WORKBENCH_EVERY_RUN") else 4

type Play = Callable[[Guard, int, type[ToolCall]], list[Decision]]


def some[T](items: Sequence[T]) -> list[int]:
    """Indices of items, spread over all of them."""
    count = len(items) if MOST is None else min(MOST, len(items))
    return [place * len(items) // count for place in range(count)]


def decided_alike(
    terms: PolicyTerms, spec: AgentSpec, runs: Sequence[Run], places: Sequence[int], play: Play, folder: Path
) -> tuple[list[Decision], list[Decision]]:
    """Check that a live guard and a replay decide alike on the runs at these places.

    A replay of the guard's log and the guard of an exported file decide as the live guard does.
    """
    policy, extractor = compile_policy(terms), Extractor(spec.arguments, spec)
    log = folder / "log.jsonl"
    live = live_guard(policy, extractor, mode=Mode.SHADOW, log=DecisionLog(log))
    decisions = [decision for place in places for decision in play(live.run(f"run {place}"), place, ToolCall)]
    imported = load_runs([log])
    assert not imported.problems
    assert [decided.decision for decided in replay(policy, extractor, imported.runs)] == decisions
    file = ExportedFile(folder, terms, reading_of(terms, spec))
    own = file.own()
    of_itself = [decision for place in places for decision in play(own.run(), place, file.module.ToolCall)]
    assert [plain(decision) for decision in of_itself] == [plain(decision) for decision in decisions]
    replayed = replay(policy, extractor, [runs[place] for place in places])
    return decisions, [decided.decision for decided in replayed]


def replayed_alike(terms: PolicyTerms, spec: AgentSpec, runs: Sequence[Run], folder: Path) -> None:
    """Check that a replay by an exported file's modules extracts and decides as the workbench does."""
    names = [argument.name for argument in terms.arguments]
    file = ExportedFile(folder, terms, reading_of(terms, spec))
    assert file.replayed(runs) == [
        (
            plain(decided.decision),
            plain({name: extracted for name, extracted in decided.extracted.items() if name in names}),
        )
        for decided in replay(compile_policy(terms), Extractor(spec.arguments, spec), runs)
    ]


@needs_airline
def test_the_exported_file_decides_all_calls_of_the_airline_as_a_replay(tmp_path: Path) -> None:
    terms, spec = airline_desk()
    extractor = Extractor(spec.arguments, spec)
    records = json.loads((AIRLINE / "runs.json").read_text())
    runs = load_runs([AIRLINE / "runs.json"]).runs
    decisions = [decided.decision for decided in replay(compile_policy(terms), extractor, runs)]
    file = ExportedFile(tmp_path, terms, reading_of(terms, spec))
    own = file.own()
    of_itself = [
        decision for record in records for decision in played(record["traj"], own.run(), file.module.ToolCall)
    ]
    assert [plain(decision) for decision in of_itself] == [plain(decision) for decision in decisions]
    assert len(decisions) == 577
    assert Counter(violation.rule for decision in decisions for violation in decision.violations) == {
        "forbid_two_certificates": 6,
        "forbid_changed_flights": 3,
        "forbid_late_cancellation": 4,
    }


def of_session(folder: str) -> tuple[PolicyTerms, AgentSpec]:
    """The policy of a session, with the agent spec and the runs."""
    with Session.open(ROOT / folder, read_only=True) as session:
        return session.evaluated().terms, session.spec


@needs_airline
@pytest.mark.slow
def test_runs_of_the_airline_are_decided_alike_by_everything(tmp_path: Path) -> None:
    terms, spec = of_session("benchmarks/sessions/airline-desk")
    records = json.loads((AIRLINE / "runs.json").read_text())
    runs = load_runs([AIRLINE / "runs.json"]).runs

    def play(guard: Guard, place: int, tool_call: type[ToolCall]) -> list[Decision]:
        return played(records[place]["traj"], guard, tool_call)

    decisions, replayed = decided_alike(terms, spec, runs, some(runs), play, tmp_path)
    assert decisions == replayed


# --- every other recording, with the sessions that are made for it ------------------


SESSIONS = {
    "agentdojo/traces.jsonl": ("benchmarks/sessions/payments", "benchmarks/sessions/team-chat"),
    "agentdojo_real/runs.jsonl": ("benchmarks/sessions/payments", "benchmarks/sessions/team-chat"),
    "asb/runs.jsonl": ("benchmarks/sessions/own-tools",),
    "eicu_ac/original.jsonl": ("sessions/hospital-access",),
    "eicu_ac/paper_like.jsonl": ("sessions/hospital-access",),
    "mind2web_sc/original.jsonl": ("sessions/web-shopping",),
    "mind2web_sc/extra.jsonl": ("sessions/web-shopping",),
}
PAIRS = [(name, session) for name, sessions in SESSIONS.items() for session in sessions]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "folder"), PAIRS)
def test_recordings_are_decided_alike_by_the_sessions_made_for_them(
    name: str, folder: str, tmp_path: Path
) -> None:
    terms, spec = of_session(folder)
    play_recording(name, terms, spec, tmp_path)


def loaded(name: str) -> Sequence[Run]:
    if not (DATA / name).exists():
        pytest.skip("the recordings are not here")
    importers = {"asb": AsbRuns(), "eicu_ac": GuardAgentLog(), "mind2web_sc": GuardAgentLog()}
    return load_runs([DATA / name], importers.get(name.partition("/")[0])).runs


def play_recording(name: str, terms: PolicyTerms, spec: AgentSpec, folder: Path) -> None:
    """Play some runs of a recording; for a chat the guard gets exactly the messages of the recording."""
    runs = loaded(name)
    places = some(runs)
    records = [json.loads(line) for line in (DATA / name).read_text().splitlines()]
    chat = len(records) == len(runs) and all("messages" in record for record in records)

    def play(guard: Guard, place: int, tool_call: type[ToolCall]) -> list[Decision]:
        if not chat:
            return played_calls(runs[place], guard, tool_call)
        context: Mapping[str, Json] = runs[place].calls[0].context if runs[place].calls else {}
        return played(records[place]["messages"], guard.run(context=context), tool_call)

    decisions, replayed = decided_alike(terms, spec, runs, places, play, folder)
    if chat:
        assert decisions == replayed
    else:
        replayed_alike(terms, spec, [runs[place] for place in places], folder)
