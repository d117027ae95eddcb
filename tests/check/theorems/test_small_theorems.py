"""No run that is let through breaks a theorem that is proved, and each breaking run breaks its own."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.check.theorems.theorem_runs import Judged, LetThrough, TheoremTwin, judged, text_with_theorems
from tests.dialect.call_policies import HEAD
from tests.dialect.naive_decision import Translated
from tests.examples import examples
from workbench.model import ProofStatus

_RUNS = 80
"""The number of small runs for each policy; benchmarks/small_theorems.py tries more."""


@pytest.mark.slow
@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32).map(Random))
def test_no_verdict_is_contradicted_by_small_runs(random: Random) -> None:
    text = text_with_theorems(random)
    wrong = [one for one in judged(text, random, _RUNS, 0.3) if one.is_defect]
    assert not wrong, text


@pytest.mark.parametrize(
    ("limit", "theorem"),
    [
        # A payment that is running may yet succeed: who counts the failed ones out at once counts too little.
        (
            "any(c.failed for c in run.earlier(PayInvoice))",
            "not any(c.failed for c in run.calls(PayInvoice))",
        ),
        ("call.total > 30", 'sum(c.total for c in run.calls(PayInvoice)) <= Decimal("30")'),
        ("False", "all(run.before(c).user(c.iban) is None for c in run.calls(PayInvoice))"),
        ("False", "sum(1 for c in run.calls(GetUser) if c.succeeded) <= 1"),
    ],
)
def test_the_search_breaks_wrong_theorems(limit: str, theorem: str) -> None:
    text = (
        f"{HEAD.format(default='allow')}\n\ndef forbid_it(call: PayInvoice, run: Run) -> bool:\n"
        f'    """R1: No."""\n    return {limit}\n\n\n'
        f'def theorem_it(run: Run) -> bool:\n    """It holds."""\n    return {theorem}\n'
    )
    twin = TheoremTwin(text)
    through = LetThrough(Translated(text), Random(2))
    assert any(twin.holds("theorem_it", run) is False for run in through.runs(600))


def test_a_contradicted_proof_and_a_run_that_refutes_nothing_are_defects() -> None:
    run = ()
    assert Judged("theorem_it", ProofStatus.PROVED, run, None).is_defect
    assert Judged("theorem_it", ProofStatus.VACUOUS, run, None).is_defect
    assert Judged("theorem_it", ProofStatus.REFUTED, None, replayed=False).is_defect
    assert not Judged("theorem_it", ProofStatus.UNKNOWN, run, None).is_defect
    assert not Judged("theorem_it", ProofStatus.REFUTED, run, replayed=True).is_defect
