"""No small run breaks a clause that is proved, and each realised run breaks its own under the guard."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.check.realise.small_runs import Judged, Search, judged
from tests.dialect.call_policies import HEAD, policy_text
from tests.dialect.naive_decision import Translated
from tests.examples import EVERY
from workbench.model import ProofStatus

pytestmark = pytest.mark.slow
_RUNS = 120
"""The number of small runs for each policy."""


@settings(max_examples=60 if EVERY else 4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32).map(Random))
def test_no_verdict_is_contradicted_by_small_runs(random: Random) -> None:
    policy = Translated(policy_text(random, 2))
    wrong = [one for one in judged(policy, random, _RUNS) if one.is_defect]
    assert not wrong, policy.calls.source


WRONG = (
    'Implies(Result(), paid(call, run) < Decimal("30"))',
    'Implies(call.total <= Decimal("30"), Result())',
    "Implies(Result(), not any(c.failed for c in run.earlier(PayInvoice)))",
    "Implies(Result(), sum(1 for c in run.earlier(PayInvoice)) < 3)",
    "Implies(Result(), not any(c.note is None for c in run.earlier(PayInvoice)))",
    "Implies(Result(), run.user(call.iban) is not None)",
    "Implies(Result(), not any(call.time - c.time < timedelta(minutes=5) for c in run.earlier(Order)))",
)


def wrong_policy(*clauses: str) -> Translated:
    said = "".join(f"    # R1: No.\n    Ensures({clause})\n" for clause in clauses)
    return Translated(
        f"{HEAD.format(default='allow')}\n\ndef forbid_it(call: PayInvoice, run: Run) -> bool:\n"
        f'    """R1: No."""\n    return paid(call, run) > LIMIT\n\n\n'
        f"def contract_it(call: PayInvoice, run: Run) -> None:\n{said}"
    )


def test_the_search_breaks_wrong_clauses() -> None:
    broken = Search(wrong_policy(*WRONG), Random(1)).broken(3_000)
    assert broken.keys() == {f"C{number}" for number in range(1, len(WRONG) + 1)}


def test_a_contradicted_proof_and_a_run_that_refutes_nothing_are_defects() -> None:
    run = next(Search(wrong_policy("Result()"), Random(1)).runs(1))
    assert Judged("C1", ProofStatus.PROVED, run, None).is_defect
    assert Judged("C1", ProofStatus.VACUOUS, run, None).is_defect
    assert Judged("C1", ProofStatus.REFUTED, None, replayed=False).is_defect
    assert Judged("C1", ProofStatus.POSSIBLE, run, replayed=True).is_defect
    assert not Judged("C1", ProofStatus.REFUTED, run, replayed=True).is_defect
    assert not Judged("C1", ProofStatus.POSSIBLE, run, None).is_defect


def test_no_run_begins_before_the_calendar() -> None:
    """The solver may take the first moment of all as the time of the decided call."""
    rule = '''
def forbid_first(call: Call, run: Run) -> bool:
    """R1: No."""
    return max((p.total for p in run.earlier(PayInvoice) if p.total > LIMIT), default=None) is None


def contract_it(call: PayInvoice, run: Run) -> None:
    # R1: No.
    Ensures(Implies((call.due is not None and call.due - call.time > timedelta(hours=1)), not Result()))
    # R1: No.
    Ensures(Implies(Result(), (call.due is not None and call.due - call.time > timedelta(hours=1))))
    # R1: No.
    Ensures(Implies(
        Result() and sum(
            1 for e in run.until(run.earlier(Order)).earlier(GetUser, GetBooking)
            if any(call.iban != call.iban for p in run.since(
                m for m in run.earlier(PayInvoice) if m.iban.removeprefix("D") == e.id).earlier(PayInvoice))
        ) > 0,
        any(
            any(call.iban != call.iban for p in run.since(
                m for m in run.earlier(PayInvoice) if m.iban.removeprefix("D") == e.id).earlier(PayInvoice))
            for e in run.until(run.earlier(Order)).earlier(GetUser, GetBooking)
        ),
    ))
'''
    policy = Translated(f"{HEAD.format(default='allow')}\n{rule}")
    assert not [one for one in judged(policy, Random(1), 20) if one.is_defect]
