"""Wrong versions of a policy of calls are refuted by runs that the real guard decides wrongly."""

from __future__ import annotations

import pytest

from tests.check.realise.desk_policies import MISTAKES, POLICY, spec, with_mistake
from workbench.check.realise.realised_proof import realised_proof
from workbench.check.realise.realiser import Realiser
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.guard import PastCall, ToolCall
from workbench.model import AgentSpec, Proof, ProofStatus, RecordedCall, Run, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.live_guard import RecordedCallReader

SPEC = spec()


def proof_of(source: str, agent: AgentSpec = SPEC) -> tuple[LoweredPolicy, Proof]:
    lowered = lowered_policy(source, agent)
    return lowered, realised_proof(lowered.terms, agent, preview(lowered.terms))


def live_verdict(lowered: LoweredPolicy, run: Run, agent: AgentSpec = SPEC) -> Verdict:
    """What the live guard decides on the last call of a run."""
    reader = RecordedCallReader(Extractor(lowered.arguments, agent))
    *earlier, last = run.calls
    history = [
        PastCall(live_call(call), call.result, failed=call.failed, known_from=place + 1)
        for place, call in enumerate(earlier)
    ]
    return reader.decide(compile_policy(lowered.terms), live_call(last), history).verdict


def live_call(call: RecordedCall) -> ToolCall:
    texts = {name: text for name, text in call.texts.items() if name != "arguments"}
    return ToolCall(
        call.tool or "", call.arguments, call.context, time=call.time or "", messages=texts, run=call.run
    )


def test_each_clause_of_the_policy_holds() -> None:
    _, proof = proof_of(POLICY)
    assert {clause.status for clause in proof.clauses} == {ProofStatus.PROVED}


def test_a_realiser_decides_each_run_by_its_calls_however_often_it_is_asked() -> None:
    first, second, *_ = MISTAKES
    (wrong, its_run), (_, other_run) = (_broken(first), _broken(second))
    realiser = Realiser(wrong.terms, SPEC)
    for _ in range(2):
        assert realiser.execute(its_run).decision.verdict is Verdict.ALLOW
        assert realiser.execute(other_run).decision.verdict is Verdict.DENY


def _broken(mistake: str) -> tuple[LoweredPolicy, Run]:
    """A wrong version, with a run on which it breaks a clause."""
    wrong, proof = proof_of(with_mistake(mistake))
    runs = (one.counterexample.realised for one in proof.clauses if one.counterexample is not None)
    return wrong, next(run for run in runs if run is not None)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refuted_by_a_run_that_the_guard_decides_wrongly(mistake: str) -> None:
    wrong, proof = proof_of(with_mistake(mistake))
    right = lowered_policy(POLICY, SPEC)
    refuted = [clause for clause in proof.clauses if clause.status is ProofStatus.REFUTED]
    assert len(refuted) == 1
    example = refuted[0].counterexample
    assert example is not None and example.realised is not None
    assert live_verdict(wrong, example.realised) is Verdict.ALLOW
    assert example.decision is Verdict.ALLOW
    assert live_verdict(right, example.realised) is Verdict.DENY
