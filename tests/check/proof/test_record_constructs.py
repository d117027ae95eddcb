"""Every construct over records, lists and times: its decisions by running, its proof and its refutation.

The proof half uses the engines; the oracle half runs the policy on the values next to its constants.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings

from tests.check.proof.test_constructs import Construct
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for
from workbench.check.cases_inputs import boundary_inputs
from workbench.check.proof.prover import Prover
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import Arguments, ProofStatus, Verdict

HEAD = """
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Cabin = Literal["economy", "business"]
FREE = {"economy": 1, "business": 3}
FEE = {"economy": Decimal("25.00"), "business": Decimal("10.50")}
KNOWN = {"cash", "card"}


@dataclass(frozen=True)
class Payment:
    source: str
    amount: int
    fee: Decimal
    refundable: bool
    note: str | None


@dataclass(frozen=True)
class Trip:
    cabin: Cabin
    booked: datetime
    bags: int
    payers: frozenset[str]
    payments: tuple[Payment, ...]
    flown: date | None


"""
TYPES = {
    "trip": "Trip",
    "former": "Trip | None",
    "payments": "tuple[Payment, ...]",
    "refunds": "tuple[Payment, ...]",
    "names": "tuple[str, ...]",
    "codes": "frozenset[int]",
    "cabin": "Cabin",
    "bags": "int",
    "price": "Decimal",
    "now": "datetime",
    "day": "date",
    "wait": "timedelta",
}
CONSTRUCTS = [
    Construct(
        "field",
        'trip.cabin == "economy" and trip.bags > 1',
        'Implies(Result() and trip.bags > 1, trip.cabin == "business")',
        "Implies(Result(), trip.bags <= 1)",
    ),
    Construct(
        "optional record",
        "former is None or former.bags > 2",
        "Implies(Result(), former is not None and former.bags <= 2)",
        "Implies(former is not None, Result())",
    ),
    Construct(
        "optional field",
        "trip.flown is not None and trip.flown < day",
        "Implies(trip.flown is None, Result())",
        "Implies(trip.flown is not None, not Result())",
    ),
    Construct(
        "any of a list",
        "any(payment.source not in KNOWN for payment in payments)",
        "Implies(Result(), all(payment.source in KNOWN for payment in payments))",
        'Implies(Result(), all(payment.source == "cash" for payment in payments))',
    ),
    Construct(
        "all of a list",
        "not all(payment.refundable for payment in payments if payment.amount > 10)",
        "Implies(Result(), not any(payment.amount > 10 and not payment.refundable for payment in payments))",
        "Implies(Result(), all(payment.refundable for payment in payments))",
    ),
    Construct(
        "list of values",
        'any(name.startswith("x") for name in names) or "admin" in names',
        'Implies("admin" in names, not Result())',
        'Implies("user" not in names, Result())',
    ),
    Construct(
        "set of a record",
        "any(payment.source not in trip.payers for payment in trip.payments)",
        "Implies(Result(), {payment.source for payment in trip.payments} <= trip.payers)",
        "Implies(Result() and len(trip.payments) > 0, {one.source for one in trip.payments} <= KNOWN)",
    ),
    Construct(
        "length of a list",
        "len(payments) > 3",
        "Implies(Result(), len(payments) <= 3)",
        "Implies(Result(), len(payments) < 3)",
    ),
    Construct(
        "count",
        'sum(1 for payment in payments if payment.source == "card") > 1',
        'Implies(Result() and all(payment.source == "card" for payment in payments), len(payments) <= 1)',
        "Implies(Result(), len(payments) <= 1)",
    ),
    Construct(
        "sum of a list",
        "sum(payment.amount for payment in payments if payment.amount > 0) > 100",
        "Implies(any(payment.amount > 100 for payment in payments), not Result())",
        "Implies(any(payment.amount > 99 for payment in payments), not Result())",
    ),
    Construct(
        "sum of decimals",
        'sum(payment.fee for payment in payments) != Decimal("10.50")',
        "Implies(len(payments) == 0, not Result())",
        "Implies(len(payments) == 1, not Result())",
    ),
    Construct(
        "equal sets of fields",
        "{(payment.source, payment.amount) for payment in payments}"
        " != {(refund.source, refund.amount) for refund in refunds}",
        "Implies(Result() and len(payments) > 0, len(refunds) > 0)",
        "Implies(Result(), len(refunds) == len(payments))",
    ),
    Construct(
        "subset of fields",
        "not {refund.source for refund in refunds} <= {payment.source for payment in payments}",
        "Implies(Result() and len(payments) == 0, len(refunds) == 0)",
        "Implies(Result() and len(refunds) == 0, len(payments) == 0)",
    ),
    Construct(
        "set of ints",
        "3 in codes or not codes <= {1, 2}",
        "Implies(Result(), 3 not in codes)",
        "Implies(3 not in codes, not Result())",
    ),
    Construct(
        "difference of datetimes",
        "now - trip.booked > timedelta(hours=24)",
        "Implies(Result(), now - trip.booked <= timedelta(days=1))",
        "Implies(Result(), now - trip.booked < timedelta(days=1))",
    ),
    Construct(
        "difference of dates",
        "day - date(2026, 1, 1) >= timedelta(days=31)",
        "Implies(Result(), day < date(2026, 2, 1))",
        "Implies(Result(), day < date(2026, 1, 31))",
    ),
    Construct(
        "duration",
        "wait + timedelta(minutes=30) > timedelta(hours=2)",
        "Implies(Result(), wait <= timedelta(minutes=90))",
        "Implies(Result(), wait < timedelta(minutes=90))",
    ),
    Construct(
        "product with an entry",
        "FREE[cabin] * bags > 6",
        'Implies(cabin == "business" and Result(), bags <= 2)',
        "Implies(Result(), bags <= 2)",
    ),
    Construct(
        "product of int and decimal",
        "bags * FEE[cabin] > price",
        'Implies(cabin == "economy" and bags == 2 and Result(), price >= Decimal("50.00"))',
        'Implies(bags == 2 and Result(), price >= Decimal("50.00"))',
    ),
]

PREVIEWED_ONLY = {"set of ints"}
"""What Nagini is not given: the proof says so in a sentence, and the preview decides it."""


def policy_of(construct: Construct) -> str:
    """A policy with a true and a false clause, and one rule that forbids the construct's condition."""
    condition = f"{construct.forbidden} {construct.true} {construct.false}"
    used = [name for name in TYPES if re.search(rf"(?<!\.)\b{name}\b", condition)]
    parameters = ", ".join(f"{name}: {TYPES[name]}" for name in used)
    return (
        f'{HEAD}def forbid_it({parameters}) -> bool:\n    """R1: {construct.name}."""\n'
        f"    return {construct.forbidden}\n\n\ndef allow({parameters}) -> bool:\n"
        f"    # R1: true\n    Ensures({construct.true})\n"
        f"    # R1: false\n    Ensures({construct.false})\n"
        f"    return not (forbid_it({', '.join(used)}))\n"
    )


def beside(policy: CompiledPolicy) -> list[Arguments]:
    """Inputs next to the constants of the rules and the clauses of a policy."""
    about_clauses = replace(policy.terms, preconditions=policy.terms.clauses)
    decisions = [policy.decide(arguments) for arguments in boundary_inputs(about_clauses)]
    return [decision.arguments for decision in decisions if decision.verdict is not Verdict.CANNOT_EVALUATE]


def drawn_inputs(policy: CompiledPolicy, most: int) -> list[Arguments]:
    """Random inputs of a policy, always the same ones."""
    inputs: list[Arguments] = []

    @settings(max_examples=most, database=None, derandomize=True, deadline=None, phases=[Phase.generate])
    @given(arguments_for(policy.terms))
    def collect(arguments: Arguments) -> None:
        inputs.append(arguments)

    collect()
    return inputs


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=[construct.name for construct in CONSTRUCTS])
def test_the_true_clause_holds_wherever_the_policy_runs_and_the_false_one_does_not(
    construct: Construct,
) -> None:
    policy = compile_policy(check(policy_of(construct)))
    inputs = [*beside(policy), *drawn_inputs(policy, 30)]
    decided = {policy.allows(arguments) for arguments in inputs}
    assert decided == {True, False}
    assert all(policy.clause_holds("C1", arguments) for arguments in inputs)
    assert not all(policy.clause_holds("C2", arguments) for arguments in inputs)


@pytest.mark.nagini
@pytest.mark.parametrize("construct", CONSTRUCTS, ids=[construct.name for construct in CONSTRUCTS])
def test_the_true_clause_is_proved_and_the_false_one_refuted(prover: Prover, construct: Construct) -> None:
    policy = check(policy_of(construct))
    true, false = prover.prove(policy, time_limit=120).clauses
    if construct.name in PREVIEWED_ONLY:
        assert true.status is ProofStatus.UNKNOWN
        assert "cannot be translated" in true.why
        return
    assert true.status is ProofStatus.PROVED, (true.why, true.counterexample)
    assert false.status is ProofStatus.REFUTED, false.why
    assert false.counterexample is not None
    assert false.counterexample.confirmed
