"""Rules as sentences: every rule has a sentence of the same meaning."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.policy.policy_strategies import arguments_for, policies
from workbench.model import Value
from workbench.policy.check import check
from workbench.policy.evaluate import evaluate
from workbench.policy.read_aloud import rule_sentence
from workbench.policy.spoken_conditions import negation, spoken

FEW = settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])

DESK = '''
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal["cancel_booking", "change_booking", "look"]
CARDS = {"gold", "silver"}


@dataclass(frozen=True)
class Payment:
    method: Literal["card", "voucher"]
    amount: int


@dataclass(frozen=True)
class Booking:
    cabin: Literal["basic", "full"]
    created_at: datetime
    bags: int | None


def is_late(booking: Booking, now: datetime) -> bool:
    return now - booking.created_at > timedelta(hours=24)


def forbid_late(tool: Tool, booking: Booking | None, now: datetime) -> bool:
    """R1: Late."""
    if tool != "cancel_booking" or booking is None:
        return False
    return booking.cabin == "basic" or is_late(booking, now)


def forbid_vouchers(tool: Tool, payments: tuple[Payment, ...]) -> bool:
    """R2: Vouchers."""
    return tool in {"cancel_booking", "change_booking"} and (
        len(payments) > 3 or any(paid.method == "voucher" and paid.amount > 50 for paid in payments)
    )


def permit_look(tool: Tool) -> bool:
    """R3: Looking."""
    return tool == "look"


def allow(tool: Tool, booking: Booking | None, payments: tuple[Payment, ...], now: datetime) -> bool:
    # R1: Late.
    Ensures(Implies(Result() and tool == "cancel_booking" and booking is not None, booking.cabin != "basic"))
    return not (forbid_late(tool, booking, now) or forbid_vouchers(tool, payments)) and permit_look(tool)
'''


def test_rules_are_said_in_plain_words() -> None:
    policy = check(DESK)
    late, vouchers, look = (rule_sentence(rule, policy) for rule in policy.rules)
    assert late == (
        "Never cancel booking if the booking is known and "
        "(the booking's cabin is basic or the booking's created at is more than 1 day ago)."
    )
    assert vouchers == (
        "Never cancel booking or change booking if the number of the payments is more than 3 or "
        "(for at least one paid of the payments, "
        "(the paid's method is voucher and the paid's amount is more than 50))."
    )
    assert look == "It is allowed to look."


@FEW
@given(policies(records=True))
def test_every_rule_has_a_sentence(source: str) -> None:
    policy = check(source)
    for rule in policy.rules:
        text = rule_sentence(rule, policy)
        assert text.endswith(".")
        assert not text[0].islower()
        assert text.count("(") == text.count(")") or '"' in text


@FEW
@given(st.data())
def test_a_condition_is_said_as_it_is_decided(data: st.DataObject) -> None:
    """The condition in words is another form of the rule: it holds on the same inputs."""
    policy = check(data.draw(policies(records=True, contract=False)))
    arguments = data.draw(arguments_for(policy))
    for rule in policy.rules:
        condition = spoken(rule.body, policy.helpers)
        assert evaluate(policy, condition, arguments) == evaluate(policy, rule.body, arguments)
        assert evaluate(policy, negation(condition), arguments) is not evaluate(policy, condition, arguments)


@pytest.mark.parametrize("test", ["vip == True", "vip == False", "vip != True", "vip != False"])
def test_a_truth_that_may_be_missing_is_neither(test: str) -> None:
    policy = check(
        f'def forbid_it(vip: bool | None) -> bool:\n    """R1: No."""\n    return {test}\n\n\n'
        "def allow(vip: bool | None) -> bool:\n    return not forbid_it(vip)\n"
    )
    body = policy.rules[0].body
    condition = spoken(body, policy.helpers)
    values: list[dict[str, Value]] = [{"vip": value} for value in (True, False, None)]
    assert [evaluate(policy, condition, arguments) for arguments in values] == [
        evaluate(policy, body, arguments) for arguments in values
    ]
