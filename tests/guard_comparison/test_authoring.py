"""The sessions of four agents from outside: clauses, cases, and their decisions on labelled runs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.recordings import DATA
from tests.runs.replay.playing import played
from tests.runs.replay.test_every_recording import decided_alike, replayed_alike, some
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.guard import Guard, ToolCall
from workbench.model import CallDecision, Decision, ProofStatus, Run, Verdict
from workbench.policy.narrowed_values import narrowed_arguments
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import replay
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Authored:
    """A session: the number of its clauses, and the calls that it denies though they are labelled allow.

    ``unfired`` are the rules that no recorded call breaks. An exported file reads one of every ``played``
    runs. The clauses of a ``large`` session are proved on demand.
    """

    name: str
    clauses: int
    denied: frozenset[tuple[str, int]] = frozenset()
    unfired: frozenset[str] = frozenset()
    played: int = 1
    large: bool = False

    @property
    def folder(self) -> Path:
        return ROOT / "benchmarks" / "sessions" / f"authoring-{self.name}"

    def terms(self) -> PolicyTerms:
        with Session.open(self.folder, read_only=True) as session:
            return session.evaluated().terms

    def extractor(self) -> Extractor:
        with Session.open(self.folder, read_only=True) as session:
            return Extractor(session.spec.arguments, session.spec)

    def runs(self) -> tuple[Run, ...]:
        path = DATA / "authoring" / self.name / "runs.jsonl"
        if not path.exists():
            pytest.skip("the recordings are not here")
        return tuple(load_runs([path]).runs)

    def labels(self) -> dict[tuple[str, int], str]:
        text = (DATA / "authoring" / self.name / "labels.jsonl").read_text("utf-8")
        labels = [json.loads(line) for line in text.splitlines()]
        return {(label["id"], label["call"]): label["label"] for label in labels}


AUTHORED = (
    # xargs splits the names from find, so the files that grep reads are known only when it runs.
    Authored("coding", 18, frozenset({("coding-015", 3), ("coding-019", 1)})),
    Authored("expenses", 28, unfired=frozenset({"forbid_over_session", "forbid_wrong_account_in_batch"})),
    Authored("support", 22, unfired=frozenset({"forbid_empty_change"})),
    # The estimated query lacks a blank and a semicolon of the query that is run.
    Authored(
        "warehouse",
        25,
        frozenset({("warehouse-011", 1)}),
        played=4,
        large=True,
    ),
)
every_session = pytest.mark.parametrize("authored", AUTHORED, ids=[authored.name for authored in AUTHORED])


@pytest.mark.slow
@every_session
def test_every_clause_holds(authored: Authored) -> None:
    if authored.large and "WORKBENCH_EVERY_RUN" not in os.environ:
        pytest.skip("its preview takes 15 s of CPU; WORKBENCH_EVERY_RUN=1 runs it")
    verdicts = preview(authored.terms()).clauses
    assert len(verdicts) == authored.clauses
    assert [verdict for verdict in verdicts if verdict.status is not ProofStatus.PROVED] == []


@every_session
def test_every_case_is_decided_as_it_expects(authored: Authored) -> None:
    terms = authored.terms()
    policy = compile_policy(terms)
    types = {argument.name: argument.type for argument in terms.arguments}
    with Session.open(authored.folder, read_only=True) as session:
        cases = session.cases
    decided = {case.id: policy.decide(narrowed_arguments(types, case.arguments)) for case in cases}
    assert {name: decision.verdict for name, decision in decided.items()} == {
        case.id: case.expected for case in cases
    }


@every_session
def test_calls_are_decided_as_they_are_labelled(authored: Authored) -> None:
    runs, labels, terms = authored.runs(), authored.labels(), authored.terms()
    decisions = tuple(replay(compile_policy(terms), authored.extractor(), runs))
    allowed = {
        (decided.run, decided.index): decided.decision.verdict is Verdict.ALLOW for decided in decisions
    }
    assert allowed.keys() == labels.keys()
    assert {place for place in labels if (labels[place] == "allow") != allowed[place]} == authored.denied
    assert not any(allowed[place] for place in authored.denied)
    assert {rule.name for rule in terms.rules} - fired(decisions) == authored.unfired


def fired(decisions: tuple[CallDecision, ...]) -> set[str]:
    return {violation.rule for decided in decisions for violation in decided.decision.violations}


@every_session
def test_an_exported_file_reads_the_runs_as_a_replay_does(authored: Authored, tmp_path: Path) -> None:
    with Session.open(authored.folder, read_only=True) as session:
        replayed_alike(authored.terms(), session.spec, authored.runs()[:: authored.played], tmp_path)


def test_a_live_guard_and_an_exported_file_decide_the_support_desk_as_a_replay(tmp_path: Path) -> None:
    authored = next(support for support in AUTHORED if support.name == "support")
    runs = authored.runs()
    text = (DATA / "authoring" / "support" / "runs.jsonl").read_text("utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    with Session.open(authored.folder, read_only=True) as session:
        # A live guard has its own clock.
        spec = replace(session.spec, as_of="2026-03-16T10:30:00Z")

    def play(guard: Guard, place: int, tool_call: type[ToolCall]) -> list[Decision]:
        context = runs[place].calls[0].context
        return played(records[place]["messages"], guard.run(context=context), tool_call)

    decisions, replayed = decided_alike(authored.terms(), spec, runs, some(runs), play, tmp_path)
    assert decisions == replayed
