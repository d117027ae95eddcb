"""The last of some earlier calls, as a value of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.expressions.small_agent import TYPES, call, reader
from workbench.dialect.check import run_expression
from workbench.model import RecordedCall
from workbench.policy.problems import PolicyError
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.evaluator import Evaluator
from workbench.runs.expressions.moment import Trace
from workbench.runs.expressions.scope import ReadExpression
from workbench.runs.world.earlier_calls import Earlier

_CALLS = st.lists(st.tuples(st.sampled_from(["DE1", "DE2"]), st.booleans()), max_size=8)
_LAST = "run.last(c for c in run.earlier(PayInvoice) if c.iban == call.iban and c.succeeded)"


def _value(text: str, calls: tuple[RecordedCall, ...]) -> object:
    read = ReadExpression(run_expression(text, TYPES, "pay_invoice"))
    decided = call(len(calls), "pay_invoice", {"total": 0, "iban": "DE1"}, None)
    return Evaluator(reader()).at(decided, Earlier((*calls, decided), len(calls))).value(read, Trace(), {})


def _pay(place: int, iban: str, result: str | None) -> RecordedCall:
    return call(place, "pay_invoice", {"total": place, "iban": iban}, result)


@settings(max_examples=examples(200), deadline=None)
@given(_CALLS)
def test_the_last_call_is_the_latest_that_meets_the_test(accounts: list[tuple[str, bool]]) -> None:
    calls = tuple(
        _pay(place, iban, '{"error": "no"}' if fails else "done")
        for place, (iban, fails) in enumerate(accounts)
    )
    met = [place for place, one in enumerate(accounts) if one == ("DE1", False)]
    assert _value(f"{_LAST} is None", calls) is not bool(met)
    if met:
        assert _value(f"{_LAST} is not None and {_LAST}.total == {met[-1]}", calls) is True


def test_a_later_call_of_unknown_outcome_may_be_the_last_and_an_earlier_one_is_not() -> None:
    known, running = _pay(0, "DE1", "done"), _pay(1, "DE1", None)
    assert isinstance(_value(f"{_LAST} is None", (known, running)), Undetermined)
    again = _pay(2, "DE1", "done")
    assert _value(f"{_LAST} is not None and {_LAST}.total == 2", (known, running, again)) is True


def test_a_call_of_an_unknown_tool_may_be_the_last_and_one_that_was_refused_is_not() -> None:
    last = "run.last(run.earlier(PayInvoice))"
    known = _pay(0, "DE1", "done")
    assert isinstance(
        _value(f"{last} is None", (known, replace(_pay(1, "DE2", "done"), tool=None))), Undetermined
    )
    refused = replace(_pay(1, "DE2", "done"), ran=False)
    assert _value(f"{last} is not None and {last}.iban == 'DE1'", (known, refused)) is True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run.last(3) is None", "`last` takes earlier calls."),
        ("run.last(c.total for c in run.earlier(Order)) is None", "`last` takes earlier calls."),
        (
            "run.last(run.since(run.earlier(Order)).earlier(PayInvoice)) is None",
            "takes calls of the whole run.",
        ),
        ("run.since(run.earlier(Order)).last(run.earlier(Order)) is None", "has earlier calls only."),
    ],
)
def test_what_is_no_last_call_is_refused(text: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message.replace(".", r"\.")):
        run_expression(text, TYPES, "pay_invoice")
