"""Explanations of decisions over records: fields with their places, states, and the smallest change."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.plain_policies import check
from tests.runs.world.airline_agent import POLICY, airline_desk
from workbench.cli.explanations import explanation_lines
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Arguments, RecordedCall, RecordValue, Run, Value, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.counterfactual import Turner
from workbench.runs.replay.decide import replay
from workbench.runs.replay.explanation import CallExplanation, Explainer, explain_recorded
from workbench.runs.replay.turning_values import Reach
from workbench.serialization.nouns import json_of

COMPILED = compile_policy(check(POLICY))
TERMS, SPEC = airline_desk()
DESK = compile_policy(TERMS)
RESERVATION = "cancel_reservation_reservation"
NOW = datetime(2024, 5, 15, 20, tzinfo=UTC)
REACHES = {
    "action": Reach.TOOL,
    "payments": Reach.CALL,
    "flights": Reach.CALL,
    "now": Reach.GIVEN,
    "user": Reach.GIVEN,
    "reservation": Reach.GIVEN,
}


def flights(*numbers: str) -> tuple[RecordValue, ...]:
    """Flights of one day."""
    return tuple(
        RecordValue("Flight", (("flight_number", number), ("date", "2024-05-20"))) for number in numbers
    )


def payments(*ids: str) -> tuple[RecordValue, ...]:
    """Payments by these methods."""
    return tuple(RecordValue("Payment", (("payment_id", payment_id),)) for payment_id in ids)


def reservation(**changed: Value) -> RecordValue:
    """A reservation that may not be cancelled."""
    fields: dict[str, Value] = {
        "cabin": "basic_economy",
        "created_at": NOW - timedelta(days=4),
        "insurance": "no",
        "flights": flights("HAT1", "HAT2"),
    }
    return RecordValue("Reservation", tuple({**fields, **changed}.items()))


def user(*ids: str) -> RecordValue:
    """A user whose payment methods are all certificates."""
    return RecordValue("User", (("payment_ids", frozenset(ids)), ("certificates", frozenset(ids))))


def call_arguments(**changed: Value) -> dict[str, Value]:
    """The arguments of a call."""
    plain: dict[str, Value] = {
        "action": "search",
        "payments": (),
        "user": None,
        "flights": (),
        "now": NOW,
        "reservation": None,
    }
    return {**plain, **changed}


@pytest.mark.parametrize(
    ("base", "changes"),
    [
        (
            call_arguments(action="cancel_reservation", reservation=reservation()),
            {"reservation.cabin", "reservation.insurance", "now", "reservation.created_at"},
        ),
        (
            call_arguments(action="book_reservation", payments=payments("a", "b"), user=user("a", "b")),
            {'payments without {payment_id: "a"}'},
        ),
        (
            call_arguments(
                action="update_reservation_flights", reservation=reservation(), flights=flights("HAT1")
            ),
            {"flights as in reservation.flights"},
        ),
        (call_arguments(action="book_reservation", payments=payments("a")), {"action other than"}),
    ],
)
def test_the_smallest_change_is_of_one_field_or_element(base: Arguments, changes: set[str]) -> None:
    reaches = {**REACHES, "action": Reach.GIVEN}
    assert COMPILED.decide(base).verdict is Verdict.DENY
    counterfactual = Turner(COMPILED).turn(base, Verdict.ALLOW, reaches).counterfactual
    assert counterfactual is not None
    assert COMPILED.decide(counterfactual.arguments).verdict is Verdict.ALLOW
    (change,) = counterfactual.changes
    assert any(change.text.startswith(text) for text in changes), change.text


def calls() -> list[RecordedCall]:
    """A reservation that is looked up and then cancelled, and one that was not looked up."""
    reservation_fields: dict[str, Any] = {
        "reservation_id": "AB",
        "user_id": "mia",
        "cabin": "basic_economy",
        "created_at": "2024-05-01T10:00:00",
        "insurance": "no",
        "flights": [{"flight_number": "HAT1", "date": "2024-05-20"}],
    }

    def recorded_call(index: int, tool: str, key: str, result: str | None) -> RecordedCall:
        arguments = {"reservation_id": key}
        texts = {"tool": tool, "arguments": json.dumps(arguments), "result": result or ""}
        return RecordedCall("1", index, tool, dict(arguments), texts, {}, result)

    return [
        recorded_call(0, "get_reservation_details", "AB", json.dumps(reservation_fields)),
        recorded_call(1, "cancel_reservation", "AB", None),
        recorded_call(2, "cancel_reservation", "CD", None),
    ]


def test_each_field_of_a_record_is_quoted_from_the_call_that_said_it() -> None:
    recorded_calls = calls()
    decided = list(replay(DESK, Extractor(SPEC.arguments, SPEC), [Run("1", tuple(recorded_calls), "test")]))
    explainer = Explainer(DESK, SPEC.arguments, decided)
    known, unknown = explain_recorded(explainer, recorded_calls, decided, "1")
    origins = {origin.name: origin for origin in known.origins}
    (quote,) = origins[RESERVATION].items[f"{RESERVATION}.insurance"]
    assert (quote.call, quote.quote) == (0, "no")
    assert (recorded_calls[0].result or "")[quote.start : quote.end] == "no"
    assert origins[RESERVATION].state == "known"
    lines = [line.strip() for line in explanation_lines(known)]
    assert f'{RESERVATION}.cabin = "basic_economy"' in lines
    assert 'result of call 0, line 1: "basic_economy"' in lines
    assert not any("Record" in line or "frozenset(" in line or "Reservation(" in line for line in lines)
    text = "\n".join(explanation_lines(unknown))
    assert 'reservation "CD": no earlier result says what it is' in text
    assert 'Look it up first: get_reservation_details(reservation_id="CD")' in text
    shown = json.loads(json.dumps(json_of(decided[1])))["arguments"][RESERVATION]
    assert shown["state"] == "known"


def after(*recorded_calls: RecordedCall) -> CallExplanation:
    """The explanation of the last of these calls of one run."""
    recorded_calls = tuple(replace(call, index=index) for index, call in enumerate(recorded_calls))
    extractor = Extractor(SPEC.arguments, SPEC)
    decided = list(replay(DESK, extractor, [Run("1", tuple(recorded_calls), "test")]))
    explainer = Explainer(DESK, SPEC.arguments, decided, SPEC.zone)
    return explain_recorded(explainer, recorded_calls, decided, "1", len(recorded_calls) - 1)[0]


def test_what_nobody_looked_up_is_looked_up_before_anything_else_is_changed() -> None:
    explanation = after(calls()[2])
    assert explanation.turning.counterfactual is not None
    assert explanation.turning.counterfactual.reach is Reach.LOOK_UP
    look_up = 'Look it up first: get_reservation_details(reservation_id="CD")'
    assert explanation.turning.counterfactual.texts == ((look_up, "by looking it up"),)
    assert explanation.message.endswith(f"{look_up}.")


def test_what_the_run_changed_is_to_be_looked_up_again() -> None:
    booked: dict[str, Any] = {
        "user_id": "mia",
        "payment_methods": [{"payment_id": "c1", "amount": 3}],
        "flights": [],
    }
    texts = {"tool": "book_reservation", "arguments": json.dumps(booked)}
    book = RecordedCall("1", 0, "book_reservation", booked, texts, {}, calls()[0].result)
    explanation = after(book, book)
    origins = {origin.name: origin for origin in explanation.origins}
    assert "changed it, and nothing said since what it is" in origins["book_reservation_user"].text
    assert explanation.message.endswith('Look it up again: get_user_details(user_id="mia").')
    assert after(book).message.endswith('Look it up first: get_user_details(user_id="mia").')


def test_what_a_record_says_is_not_the_agents_to_change() -> None:
    explanation = after(*calls()[:2])
    assert explanation.turning.counterfactual is not None
    assert explanation.turning.counterfactual.reach is Reach.GIVEN
    assert {change.reach for change in explanation.turning.counterfactual.changes} == {Reach.GIVEN}
    assert explanation.message.endswith("Do not repeat it while that is not so.")
    lines = [line.strip() for line in explanation_lines(explanation)]
    assert any(line.endswith("(only a person can change it)") for line in lines)


INVOICE = '''
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal["pay_invoice", "search"]


@dataclass(frozen=True)
class Line:
    amount: Decimal


def forbid_wrong_lines(tool: Tool, total: Decimal, lines: tuple[Line, ...]) -> bool:
    """R1: Lines add up to what is paid, and each is above zero."""
    return tool == "pay_invoice" and (
        sum(line.amount for line in lines) != total or any(line.amount <= Decimal("0") for line in lines)
    )


def forbid_large_payment(tool: Tool, total: Decimal) -> bool:
    """R2: At most 2,000 is paid."""
    return tool == "pay_invoice" and total > Decimal("2000")


def allow(tool: Tool, total: Decimal, lines: tuple[Line, ...]) -> bool:
    Ensures(Implies(Result() and tool == "pay_invoice", total <= Decimal("2000")))
    return not (forbid_wrong_lines(tool, total, lines) or forbid_large_payment(tool, total))
'''


def lines_of(*amounts: str) -> tuple[RecordValue, ...]:
    """Lines of an invoice."""
    return tuple(RecordValue("Line", (("amount", Decimal(amount)),)) for amount in amounts)


def test_a_total_and_its_lines_are_changed_together_and_no_more_than_needed() -> None:
    base: dict[str, Value] = {
        "tool": "pay_invoice",
        "total": Decimal("2420"),
        "lines": lines_of("420", "2000"),
    }
    reaches = {"tool": Reach.TOOL, "total": Reach.CALL, "lines": Reach.CALL}
    turned = Turner(compile_policy(check(INVOICE))).turn(base, Verdict.ALLOW, reaches)
    assert turned.counterfactual is not None
    assert {change.name: change.new for change in turned.counterfactual.changes} == {
        "total": Decimal("2000"),
        "lines": lines_of("420", "1580"),  # 420 less would leave nothing of the first line
    }
