"""What proofs assume of the values over one run holds of whatever the real evaluator extracts."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.check.realise.small_runs import Search
from tests.dialect.call_policies import random_run
from tests.dialect.naive_decision import Translated
from tests.examples import examples
from tests.runs.expressions.small_agent import SPEC
from workbench.check.realise.realised_proof import realised_proof
from workbench.check.theorems.verdicts import TheoremVerdicts
from workbench.engines.smt.preview import preview
from workbench.model import ProofStatus
from workbench.policy.evaluate import evaluate
from workbench.policy.undetermined import Undetermined

_CONDITIONS = (
    "c.total > 5", "c.succeeded", "c.iban == call.iban", "not c.failed", "c.total <= call.total",
    "call.time - c.time < timedelta(hours=1)",
)  # fmt: skip
_RUNS = (
    "run",
    "run",
    "run.since(c for c in run.earlier(Order) if c.succeeded)",
    "run.until(c for c in run.earlier(PayInvoice) if c.failed)",
)
_TOOLS = ("GetUser", "GetBooking", "GetUser, GetBooking", "Order", "Order, GetUser, GetBooking")
_HEAD = """\
from datetime import timedelta
from decimal import Decimal

from agent import GetBooking, GetUser, Order, PayInvoice, Run

DEFAULT = "allow"


def forbid_it(call: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return (
"""


def _policy(random: Random) -> str:
    """A rule over counts and anys of one collection with more and fewer conditions."""
    parts = [
        "sum(1 for c in run.earlier(PayInvoice) if c.succeeded) > 1",
        "any(c.succeeded for c in run.earlier(PayInvoice))",
    ]
    for _ in range(random.randint(2, 5)):
        chosen = " and ".join(random.sample(_CONDITIONS, random.randint(1, 3)))
        run = random.choice(_RUNS)
        if random.random() < 0.4:
            parts += _gathered(random, run, chosen)
        elif random.random() < 0.5:
            parts.append(f"sum(1 for c in {run}.earlier(PayInvoice) if {chosen}) > {random.randint(0, 2)}")
        else:
            parts.append(f"any({chosen} for c in {run}.earlier(PayInvoice))")
    said, run = random.choice(("c.succeeded", "not c.failed", "call.time > c.time")), random.choice(_RUNS)
    for tools in random.sample(_TOOLS, random.randint(0, len(_TOOLS))):
        calls = f"for c in {run}.earlier({tools})"
        parts.append(random.choice((f"any({said} {calls})", f"sum(1 {calls} if {said}) > 1")))
    return f"{_HEAD}        {'\n        or '.join(parts)}\n    )\n"


def _gathered(random: Random, run: str, chosen: str) -> list[str]:
    """Extremes and a number of distinct values, with the anys and counts that they are related to."""
    calls = f"for c in {run}.earlier(PayInvoice)"
    default = random.choice(("", ", default=0", ', default=Decimal("7.5")', ", default=call.total"))
    limit = random.choice(("0", "5", "30"))
    return [
        f"max((c.total {calls} if {chosen}){default}) > {limit}",
        f"min((c.total {calls} if {chosen}){default}) <= {limit}",
        f"max((c.total {calls} if {chosen}), default=None) is None",
        f"min((c.total {calls} if {chosen}), default=None) is None",
        f"any({chosen} and c.total > {limit} {calls})",
        f"any({chosen} and c.total <= {limit} {calls})",
        f"len({{c.iban {calls} if {chosen}}}) > 1",
        random.choice((f"any({chosen} {calls})", f"sum(1 {calls} if {chosen}) > 1")),
    ]


@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32).map(Random))
def test_no_run_breaks_an_axiom(random: Random) -> None:
    policy = Translated(_policy(random))
    terms = policy.lowered.terms
    assert terms.axioms
    for _ in range(6):
        run = random_run(random)
        for index, call in enumerate(run):
            if call.tool != "pay_invoice":
                continue
            extracted = policy.extracted(run, index)
            values = {name: one.value for name, one in extracted.items() if one.missing is None}
            for axiom in terms.axioms:
                truth = evaluate(terms, axiom.term, values)
                assert truth is True or isinstance(truth, Undetermined), axiom.source


_RECORDS = """\
from agent import GetUser, Order, Run

DEFAULT = "allow"


def forbid_it(call: Order, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    booking = run.booking(call.booking_id)
    if booking is None:
        return True
    user = run.user(booking.user_id)
    return user is None or user.age < 18


def forbid_unknown(call: GetUser, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return run.user(call.id) is None
"""
_OF_ORDER = """

def contract_it(call: Order, run: Run) -> None:
    # R1: No.
    Ensures({})
"""
_OF_USER = _OF_ORDER.replace("Order", "GetUser")
FOLLOWING = {
    "a constant is the key of the call": (
        _OF_USER, 'Implies(Result() and call.id == "u1", run.user("u1") is not None)', ProofStatus.PROVED
    ),
    "another constant": (
        _OF_USER, 'Implies(Result() and call.id == "u1", run.user("u2") is not None)', ProofStatus.REFUTED
    ),
    "a constant is the field of a record": (
        _OF_ORDER,
        "Implies(Result() and run.booking(call.booking_id) is not None"
        ' and run.booking(call.booking_id).user_id == "u1",'
        ' run.user("u1") is not None and run.user("u1").age >= 18)',
        ProofStatus.PROVED,
    ),
    "the records of two fields of records": (
        _OF_ORDER,
        'Implies(Result() and run.booking("b1") is not None and call.booking_id == "b1"'
        ' and run.booking("b1").user_id != "u9",'
        ' run.user(run.booking("b1").user_id) is not None)',
        ProofStatus.PROVED,
    ),
    "the field of a record that may be another": (
        _OF_ORDER,
        'Implies(Result() and run.booking("b1") is not None and run.booking("b1").user_id != "u9",'
        ' run.user(run.booking("b1").user_id) is not None)',
        ProofStatus.REFUTED,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("contract", "clause", "status"), FOLLOWING.values(), ids=FOLLOWING)
def test_equal_keys_of_any_form_name_one_record(contract: str, clause: str, status: ProofStatus) -> None:
    head = "from nagini_contracts.contracts import Ensures, Implies, Result\n\n"
    policy = Translated(f"{head}{_RECORDS}{contract.format(clause)}")
    terms = policy.lowered.terms
    (found,) = realised_proof(terms, SPEC, preview(terms)).clauses
    assert found.status is status


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32).map(Random))
def test_no_run_breaks_an_axiom_about_records(random: Random) -> None:
    clauses = "".join(
        contract.replace("contract_it", f"contract_{number}").format(clause)
        for number, (contract, clause, _) in enumerate(FOLLOWING.values())
    )
    head = "from nagini_contracts.contracts import Ensures, Implies, Result\n\n"
    policy = Translated(f"{head}{_RECORDS}{clauses}")
    for run in Search(policy, random).runs(60):
        values = {
            name: one.value
            for name, one in policy.extracted(run, len(run) - 1).items()
            if one.missing is None
        }
        for axiom in policy.lowered.terms.axioms:
            truth = evaluate(policy.lowered.terms, axiom.term, values)
            assert truth is True or isinstance(truth, Undetermined), axiom.source


def test_what_a_part_of_a_run_has_the_whole_run_has() -> None:
    """A proof that needs the axiom: a payment since the last order is a payment."""
    text = _HEAD + (
        "        any(c.succeeded for c in run.earlier(PayInvoice))\n        or any(c.succeeded for c in "
        "run.since(c for c in run.earlier(Order) if c.succeeded).earlier(PayInvoice))\n    )\n"
    )
    sources = [axiom.source for axiom in Translated(text).lowered.terms.axioms]
    assert sources == ["not any_pay_invoice_2 or any_pay_invoice"]


@pytest.mark.parametrize(
    ("rule", "theorem", "status"),
    [
        ("any(True for c in run.earlier(GetUser))", "GetUser, GetBooking", ProofStatus.PROVED),
        ("any(True for c in run.earlier(GetUser, GetBooking))", "GetUser", ProofStatus.REFUTED),
    ],
)
def test_a_call_of_a_tool_is_one_of_several_tools(rule: str, theorem: str, status: ProofStatus) -> None:
    text = _HEAD + (
        f"        not {rule}\n    )\n\n\n"
        'def theorem_it(run: Run) -> bool:\n    """It holds."""\n'
        f"    return all(any(True for e in run.before(c).earlier({theorem}))\n"
        "        for c in run.calls(PayInvoice))\n"
    )
    (found,) = TheoremVerdicts(Translated(text).lowered.terms, SPEC).all()
    assert found.status is status


def test_the_calls_of_several_tools_are_those_of_each() -> None:
    text = _HEAD + (
        "        sum(1 for c in run.earlier(GetUser))\n"
        "        + sum(1 for c in run.earlier(GetBooking)) > 2\n    )\n\n\n"
        'def theorem_it(run: Run) -> bool:\n    """It holds."""\n    return all(\n'
        "        sum(1 for e in run.before(c).earlier(GetUser, GetBooking)) <= 2\n"
        "        for c in run.calls(PayInvoice)\n    )\n"
    )
    (found,) = TheoremVerdicts(Translated(text).lowered.terms, SPEC).all()
    assert found.status is ProofStatus.PROVED
