"""Deciding calls: the part of its run that a decision may see, and the cache of earlier decisions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.guard import EnforcedPolicy
from workbench.model import (
    Arguments,
    ArgumentType,
    Decision,
    Extracted,
    Kind,
    RecordedCall,
    RecordType,
    RecordValue,
    Value,
    Verdict,
)
from workbench.runs.replay.decide import DecisionCache
from workbench.runs.world.earlier_calls import Earlier

SESSION = Path(__file__).resolve().parents[3] / "sessions" / "web-shopping"

RECORDED_CALLS = tuple(RecordedCall("t", index, "tool", {}) for index in range(6))


@given(count=st.integers(0, 6), start=st.integers(-7, 7), stop=st.integers(-7, 7))
def test_the_earlier_calls_are_those_of_the_copied_part(count: int, start: int, stop: int) -> None:
    earlier, copied = Earlier(RECORDED_CALLS, count), RECORDED_CALLS[:count]
    assert list(earlier) == list(copied)
    assert list(reversed(earlier)) == list(reversed(copied))
    assert (len(earlier), bool(earlier)) == (count, bool(copied))
    assert tuple(earlier[start:stop]) == copied[start:stop]
    if -count <= start < count:
        assert earlier[start] == copied[start]
    else:
        with pytest.raises(IndexError):
            earlier[start]


class Counting(EnforcedPolicy):
    """Counts its calls."""

    evaluations = 0

    def decide(self, arguments: Arguments) -> Decision:
        """Allow an even number."""
        self.evaluations += 1
        number = arguments["x"]
        return Decision(Verdict.ALLOW if number in (0, 2, 4) else Verdict.DENY, (), arguments)


@pytest.mark.parametrize(("different", "evaluations"), [(3, 3), (20_000, 20_000)])
def test_decisions_are_remembered_only_where_arguments_repeat_themselves(
    different: int, evaluations: int
) -> None:
    policy = Counting()
    cache = DecisionCache(policy)
    for number in range(20_000):
        value = number % different
        decision = cache.decide({"x": Extracted(value)})
        assert (decision.verdict is Verdict.ALLOW) == (value in (0, 2, 4))
    assert policy.evaluations == evaluations
    assert cache.decide({"x": Extracted(missing="gone")}).verdict is Verdict.CANNOT_EVALUATE


ORDER = RecordType("Order", (("paid", ArgumentType(Kind.BOOL)),))


class OfOrders(EnforcedPolicy):
    """Takes whether an order is paid, and stores its arguments."""

    def __init__(self) -> None:
        self.asked: list[Value] = []

    @property
    def parameters(self) -> Mapping[str, ArgumentType]:
        """The argument about the order."""
        return {"x": ArgumentType(Kind.RECORD, record=ORDER)}

    def decide(self, arguments: Arguments) -> Decision:
        """Allow everything."""
        self.asked.append(arguments["x"])
        return Decision(Verdict.ALLOW, (), arguments)


def test_records_that_differ_in_fields_which_the_policy_does_not_take_are_decided_once() -> None:
    policy = OfOrders()
    cache = DecisionCache(policy)
    for number in range(100):
        order = RecordValue("Order", (("number", number), ("paid", number % 2 == 0)))
        cache.decide({"x": Extracted(order), "note": Extracted(str(number))})
    assert policy.asked == [RecordValue("Order", (("paid", paid),)) for paid in (True, False)]
