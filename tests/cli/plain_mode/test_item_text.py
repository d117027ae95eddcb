"""The text that only the line mode writes: the findings about the clauses of a policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app.session_state import SessionState
from workbench.cli.plain_mode.item_text import policy_lines
from workbench.model import ClauseProof, Engine, Proof, ProofStatus
from workbench.policy.check import check

POLICY = (Path(__file__).resolve().parents[3] / "sessions" / "web-shopping" / "policy.py").read_text()


@pytest.mark.parametrize(
    ("engine", "status", "words"),
    [
        (Engine.CVC5, ProofStatus.PROVED, "holds in preview"),
        (Engine.CVC5, ProofStatus.REFUTED, "refuted (preview)"),
        (Engine.CVC5, ProofStatus.UNKNOWN, "unknown"),
        (Engine.NAGINI, ProofStatus.PROVED, "proved (Nagini)"),
        (Engine.NAGINI, ProofStatus.VACUOUS, "vacuous (Nagini)"),
    ],
)
def test_only_what_nagini_proved_is_called_proved(engine: Engine, status: ProofStatus, words: str) -> None:
    terms = check(POLICY)
    clause = terms.clauses[0]
    proof = Proof((ClauseProof(clause.id, clause.requirements, status, engine),))
    preview, verified = (proof, Proof(())) if engine is Engine.CVC5 else (Proof(()), proof)
    state = SessionState("shop", policy=POLICY, terms=terms, preview=preview, proof=verified)
    assert f"-- {clause.id}: {words}" in list(policy_lines(state, 1, POLICY.count("\n")))
