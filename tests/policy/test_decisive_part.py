"""The decisive part of an input: with any other values, the decision and the verdict stay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.plain_policies import check
from tests.runs.world.airline_agent import CLAUSE, POLICY
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import Arguments, RecordValue, Value
from workbench.policy.decisive_part import least, what_breaks
from workbench.policy.evaluate import evaluate, evaluate_decision
from workbench.policy.flat.plainest_value import plain_present
from workbench.policy.value_words import argument_words, value_words

WRONG = """
    Ensures(Implies(Result() and action == "book_reservation", len(payments) <= 3))
    Ensures(
        Implies(
            Result() and action == "update_reservation_flights" and reservation is not None,
            {(f.flight_number, f.date) for f in flights}
            == {(f.flight_number, f.date) for f in reservation.flights},
        )
    )
    Ensures(
        Implies(
            Result() and action == "cancel_reservation" and reservation is not None,
            now - reservation.created_at <= timedelta(hours=24) or reservation.cabin == "business",
        )
    )
"""
TERMS = check(POLICY.replace(CLAUSE, WRONG))


def completed(part: Arguments) -> dict[str, Value]:
    """An incomplete input, completed with plain values."""
    whole: dict[str, Value] = {}
    for parameter in TERMS.arguments:
        plain = None if parameter.type.optional else plain_present(parameter.type)
        value = part.get(parameter.name, plain)
        if isinstance(value, RecordValue):
            fields = {**dict(_plain_record(parameter.name).fields), **dict(value.fields)}
            value = RecordValue(value.type, tuple(fields.items()))
        whole[parameter.name] = value
    return whole


def _plain_record(name: str) -> RecordValue:
    type_ = next(argument.type for argument in TERMS.arguments if argument.name == name)
    record = plain_present(type_)
    assert isinstance(record, RecordValue)
    return record


@pytest.mark.parametrize(
    ("clause", "matter", "rest"),
    [
        ("C1", {"action", "payments", "user"}, {"flights", "now", "reservation"}),
        ("C2", {"action", "flights", "reservation"}, {"user", "now", "reservation.insurance"}),
        ("C3", {"action", "now", "reservation"}, {"user", "payments", "reservation.flights"}),
    ],
)
def test_a_counterexample_says_what_of_it_matters(clause: str, matter: set[str], rest: set[str]) -> None:
    proof = next(clause_proof for clause_proof in preview(TERMS).clauses if clause_proof.clause == clause)
    counterexample = proof.counterexample
    assert counterexample is not None
    assert counterexample.decisive_arguments is not None
    assert counterexample.confirmed
    assert set(counterexample.decisive_arguments) == matter
    assert rest <= set(counterexample.left_out)
    whole = completed(counterexample.decisive_arguments)
    failing = next(contract_clause for contract_clause in TERMS.clauses if contract_clause.id == clause)
    assert evaluate(TERMS, failing.term, whole, evaluate_decision(TERMS, whole)) is False
    assert not any(text.startswith("now") for step in counterexample.path for text, _ in step.conditions) or (
        "now" in matter
    )


def test_a_clause_that_holds_rests_on_all() -> None:
    arguments = {
        argument.name: None if argument.type.optional else plain_present(argument.type)
        for argument in TERMS.arguments
    }
    assert what_breaks(TERMS, TERMS.clauses[0], arguments) == arguments
    assert compile_policy(TERMS).decide(arguments).verdict == "allow"


def test_records_and_lists_are_written_by_their_fields() -> None:
    flight = RecordValue("Flight", (("number", "HAT1"), ("seats", frozenset())))
    trip = RecordValue("Trip", (("flights", (flight, flight)), ("wait", timedelta(hours=26))))
    assert dict(argument_words({"trip": trip, "when": datetime(2024, 5, 1, 9, tzinfo=UTC)})) == {
        "trip.flights": '[2 times {number: "HAT1", seats: {}}]',
        "trip.wait": "1 day 2 hours",
        "when": "2024-05-01 09:00 UTC",
    }
    assert value_words(()) == "[]"
    assert value_words(timedelta(microseconds=-3)) == "minus 3 microseconds"


def test_a_field_of_all_elements_of_a_long_list_is_left_out_at_once() -> None:
    tried: list[Arguments] = []

    def has_all_names(part: Arguments) -> bool:
        tried.append(part)
        entries = part.get("entries")
        return isinstance(entries, tuple) and all("name" in dict(fields_of(one)) for one in entries)

    entries = tuple(RecordValue("Entry", (("name", str(n)), ("note", ""), ("day", n))) for n in range(100))
    found = least({"entries": entries}, has_all_names)["entries"]
    assert found == tuple(RecordValue("Entry", (("name", str(n)),)) for n in range(100))
    assert len(tried) < 200


def fields_of(element: Value) -> tuple[tuple[str, Value], ...]:
    assert isinstance(element, RecordValue)
    return element.fields
