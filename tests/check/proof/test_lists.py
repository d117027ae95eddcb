"""Conditions of a policy on records and lists: a true clause is proved and a false one refuted.

Both by Nagini and by the preview. The arguments that refute a clause are written out and break it when run.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.plain_policies import check
from tests.policy.flat.airline import AIRLINE, TRUE
from workbench.check.proof.prover import Prover
from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.preview import preview
from workbench.model import ClauseProof, ProofStatus
from workbench.policy.terms import PolicyTerms

HEAD = """
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result


@dataclass(frozen=True)
class Meal:
    name: str
    kind: Literal["breakfast", "lunch", "dinner"]
    price: Decimal
    guests: int
    day: date


@dataclass(frozen=True)
class Trip:
    cabin: Literal["basic", "economy", "business"]
    booked: datetime
    first: date
    last: date
    owner: str
    approvers: frozenset[str]
    stops: tuple[Meal, ...]


"""
TYPES = {
    "case": "str",
    "name": "str",
    "now": "datetime",
    "limit": "Decimal",
    "count": "int",
    "meals": "tuple[Meal, ...]",
    "others": "tuple[Meal, ...]",
    "words": "tuple[str, ...]",
    "numbers": "tuple[int, ...]",
    "trip": "Trip | None",
    "waiting": "timedelta",
}
_PAIRS = "{(meal.name, meal.kind) for meal in %s}"
_NAMES = "{meal.name for meal in %s}"


@dataclass(frozen=True)
class Construct:
    """A construct: the condition that the rule forbids, a true clause about it, and a false one."""

    name: str
    forbidden: str
    true: str
    false: str


CONSTRUCTS = [
    Construct(
        "field of an optional record",
        'trip is None or trip.cabin == "basic"',
        'Implies(trip is not None and trip.cabin == "basic", not Result())',
        'Implies(trip is not None and trip.cabin == "economy", not Result())',
    ),
    Construct(
        "set in a record",
        "trip is None or trip.owner not in trip.approvers",
        'Implies(Result() and trip is not None and trip.owner == "a", "a" in trip.approvers)',
        'Implies(Result() and trip is not None, "a" in trip.approvers)',
    ),
    Construct(
        "any",
        "any(meal.price > Decimal('75.00') for meal in meals)",
        "Implies(Result(), all(meal.price < Decimal('75.01') for meal in meals))",
        "Implies(Result(), all(meal.price < Decimal('75.00') for meal in meals))",
    ),
    Construct(
        "any with an argument",
        "any(meal.price > limit for meal in meals)",
        "Implies(Result() and limit == Decimal('10'), all(meal.price <= Decimal('10') for meal in meals))",
        "Implies(Result() and limit == Decimal('10'), all(meal.price <= Decimal('9') for meal in meals))",
    ),
    Construct(
        "length",
        "len(meals) > 3",
        "Implies(len(meals) == 4, not Result())",
        "Implies(len(meals) == 3, not Result())",
    ),
    Construct(
        "two lengths",
        "len(meals) != len(others)",
        "Implies(Result() and len(meals) == 0, all(meal.guests == 1 for meal in others))",
        "Implies(Result(), all(meal.guests == 1 for meal in others))",
    ),
    Construct(
        "count against an argument",
        'sum(1 for meal in meals if meal.kind == "lunch") > count',
        'Implies(Result() and count == 0, all(meal.kind != "lunch" for meal in meals))',
        'Implies(Result() and count == 1, all(meal.kind != "lunch" for meal in meals))',
    ),
    Construct(
        "count by a set of a record",
        "trip is None or sum(1 for meal in meals if meal.name in trip.approvers) > 1",
        "Implies(Result() and trip is not None and all(meal.name in trip.approvers for meal in meals),"
        " len(meals) <= 1)",
        "Implies(Result() and trip is not None, len(meals) <= 1)",
    ),
    Construct(
        "prefix in a list",
        'any(meal.name.startswith("lab.") for meal in meals)',
        'Implies(any(meal.name.startswith("lab.x") for meal in meals), not Result())',
        'Implies(any(meal.name.startswith("la") for meal in meals), not Result())',
    ),
    Construct(
        "sum of decimals",
        "sum(meal.price for meal in meals) > Decimal('100.00')"
        " or any(meal.price < Decimal('0') for meal in meals)",
        "Implies(Result(), all(meal.price <= Decimal('100.00') for meal in meals))",
        "Implies(Result(), all(meal.price <= Decimal('99.99') for meal in meals))",
    ),
    Construct(
        "sum of bounded values",
        'any(meal.kind == "dinner" and meal.guests > 4 for meal in meals) or len(meals) > 3',
        'Implies(Result(), sum(meal.guests for meal in meals if meal.kind == "dinner") <= 12)',
        'Implies(Result(), sum(meal.guests for meal in meals if meal.kind == "dinner") <= 11)',
    ),
    Construct(
        "parts of a sum",
        "sum(meal.guests for meal in meals) > 10",
        'Implies(sum(meal.guests for meal in meals if meal.kind == "lunch") > 6'
        ' and sum(meal.guests for meal in meals if meal.kind != "lunch") > 4, not Result())',
        'Implies(sum(meal.guests for meal in meals if meal.kind == "lunch") > 6, not Result())',
    ),
    Construct(
        "equal field sets",
        f"{_PAIRS % 'meals'} != {_PAIRS % 'others'}",
        'Implies(Result() and any(meal.name == "soup" for meal in meals),'
        ' any(meal.name == "soup" for meal in others))',
        "Implies(Result() and any(meal.guests == 2 for meal in meals),"
        " any(meal.guests == 2 for meal in others))",
    ),
    Construct(
        "field set within another",
        f"not {_NAMES % 'meals'} <= {_NAMES % 'others'}",
        'Implies(Result() and all(meal.name != "soup" for meal in others),'
        ' all(meal.name != "soup" for meal in meals))',
        'Implies(Result() and all(meal.name != "soup" for meal in meals),'
        ' all(meal.name != "soup" for meal in others))',
    ),
    Construct(
        "field sets of a list and of a list in a record",
        f"trip is None or {_NAMES % 'meals'} != {_NAMES % 'trip.stops'}",
        "Implies(Result() and trip is not None and len(meals) == 0, len(trip.stops) == 0)",
        "Implies(Result() and trip is not None, len(meals) == len(trip.stops))",
    ),
    Construct(
        "list of strings",
        "any(word == name for word in words)",
        'Implies(Result() and name == "x", all(word != "x" for word in words))',
        'Implies(Result() and name == "x", all(word != "y" for word in words))',
    ),
    Construct(
        "list of numbers",
        "sum(number for number in numbers) > 10 or any(number < 3 for number in numbers)",
        "Implies(Result(), len(numbers) <= 3)",
        "Implies(Result(), len(numbers) <= 2)",
    ),
    Construct(
        "difference of moments",
        "trip is None or now - trip.booked > timedelta(hours=24)",
        "Implies(Result() and trip is not None, now - trip.booked < timedelta(hours=25))",
        "Implies(Result() and trip is not None, now - trip.booked < timedelta(hours=24))",
    ),
    Construct(
        "difference of days",
        "trip is None or trip.last - trip.first > timedelta(days=7)",
        "Implies(trip is not None and trip.first == date(2026, 1, 1)"
        " and trip.last == date(2026, 1, 9), not Result())",
        "Implies(trip is not None and trip.first == date(2026, 1, 1)"
        " and trip.last == date(2026, 1, 8), not Result())",
    ),
    Construct(
        "duration",
        "waiting > timedelta(minutes=30)",
        "Implies(waiting > timedelta(hours=1), not Result())",
        "Implies(waiting >= timedelta(minutes=30), not Result())",
    ),
]


def all_in_one() -> str:
    """One policy with a rule per construct, distinguished by an argument, and two clauses for each."""
    parameters = ", ".join(f"{name}: {kind}" for name, kind in TYPES.items())
    rules, clauses, calls = "", "", list[str]()
    for number, construct in enumerate(CONSTRUCTS):
        rules += (
            f'def forbid_{number}({parameters}) -> bool:\n    """R{number}: {construct.name}."""\n'
            f"    return case == '{number}' and ({construct.forbidden})\n\n\n"
        )
        calls.append(f"forbid_{number}({', '.join(TYPES)})")
        for clause in (construct.true, construct.false):
            clauses += (
                f"    # R{number}: {construct.name}\n    Ensures(Implies(case == '{number}', {clause}))\n"
            )
    return f"{HEAD}{rules}def allow({parameters}) -> bool:\n{clauses}    return not ({' or '.join(calls)})\n"


@pytest.fixture(scope="module")
def terms() -> PolicyTerms:
    return check(all_in_one())


def settled(terms: PolicyTerms, construct: Construct, verdicts: dict[str, ClauseProof]) -> None:
    """Check that the true clause is proved and the false one refuted by arguments that break it."""
    number = CONSTRUCTS.index(construct)
    true, false = verdicts[f"C{2 * number + 1}"], verdicts[f"C{2 * number + 2}"]
    assert true.status is ProofStatus.PROVED, (construct.name, true.why, true.counterexample)
    assert false.status is ProofStatus.REFUTED, (construct.name, false.why)
    assert false.counterexample is not None
    assert false.counterexample.confirmed
    broken = terms.clauses[2 * number + 1]
    assert Runner(terms).breaks(broken, false.counterexample.arguments)


@pytest.fixture(scope="module")
def previewed(terms: PolicyTerms) -> dict[str, ClauseProof]:
    return {verdict.clause: verdict for verdict in preview(terms, time_limit_ms=20_000).clauses}


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=[construct.name for construct in CONSTRUCTS])
def test_the_preview_settles_a_true_clause_and_a_false_one(
    terms: PolicyTerms, previewed: dict[str, ClauseProof], construct: Construct
) -> None:
    settled(terms, construct, previewed)


@pytest.fixture(scope="module")
def proved(terms: PolicyTerms, prover: Prover) -> dict[str, ClauseProof]:
    return {verdict.clause: verdict for verdict in prover.prove(terms, time_limit=120).clauses}


@pytest.mark.nagini
@pytest.mark.parametrize("construct", CONSTRUCTS, ids=[construct.name for construct in CONSTRUCTS])
def test_nagini_settles_a_true_clause_and_a_false_one(
    terms: PolicyTerms, proved: dict[str, ClauseProof], construct: Construct
) -> None:
    settled(terms, construct, proved)


def airline(verdicts: tuple[ClauseProof, ...], terms: PolicyTerms) -> None:
    """Check that the true clauses of the airline are proved, and the others refuted by short lists."""
    for clause, clause_proof in zip(terms.clauses, verdicts, strict=True):
        if clause.id in TRUE:
            assert clause_proof.status is ProofStatus.PROVED, (clause.source, clause_proof.why)
            continue
        assert clause_proof.status is ProofStatus.REFUTED, (clause.source, clause_proof.why)
        example = clause_proof.counterexample
        assert example is not None
        assert Runner(terms).breaks(clause, example.arguments)
        payments, flights = example.arguments["payments"], example.arguments["flights"]
        assert isinstance(payments, tuple)
        assert isinstance(flights, tuple)
        assert (len(payments), len(flights)) == SHORTEST[clause.id], clause.source


SHORTEST = {"C6": (4, 0), "C7": (1, 0), "C8": (1, 0), "C9": (0, 1), "C10": (0, 0)}
"""How many payments and flights the shortest lists have that break a clause."""


def test_the_preview_settles_the_rules_of_an_airline() -> None:
    terms = check(AIRLINE)
    airline(preview(terms, time_limit_ms=20_000).clauses, terms)


@pytest.mark.nagini
def test_nagini_settles_the_rules_of_an_airline(prover: Prover) -> None:
    terms = check(AIRLINE)
    airline(prover.prove(terms, time_limit=120).clauses, terms)
