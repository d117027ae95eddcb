"""Calls since the last, and until the first, of others."""

from __future__ import annotations

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


def _value(text: str, calls: tuple[RecordedCall, ...]) -> object:
    read = ReadExpression(run_expression(text, TYPES, "pay_invoice"))
    decided = call(len(calls), "pay_invoice", {"total": 0, "iban": "DE1"}, None)
    return Evaluator(reader()).at(decided, Earlier((*calls, decided), len(calls))).value(read, Trace(), {})


def _paid(accounts: list[tuple[str, bool]]) -> tuple[RecordedCall, ...]:
    return tuple(
        call(place, "pay_invoice", {"total": 1, "iban": iban}, '{"error": "no"}' if fails else "done")
        for place, (iban, fails) in enumerate(accounts)
    )


@settings(max_examples=examples(200), deadline=None)
@given(_CALLS)
def test_a_part_of_a_run_is_the_calls_after_the_last_and_before_the_first(
    accounts: list[tuple[str, bool]],
) -> None:
    bounding = [place for place, one in enumerate(accounts) if one == ("DE1", False)]
    number = range(len(accounts))
    mark = "c for c in run.earlier(PayInvoice) if c.iban == call.iban and c.succeeded"
    since, until = (
        f"sum(1 for c in run.{word}({mark}).earlier(PayInvoice) if c.succeeded)"
        for word in ("since", "until")
    )
    ok = {place for place in number if not accounts[place][1]}
    calls = _paid(accounts)
    assert _value(since, calls) == sum(
        place in ok for place in number if not bounding or place > bounding[-1]
    )
    assert _value(until, calls) == sum(place in ok for place in number if not bounding or place < bounding[0])


def test_a_call_of_unknown_outcome_bounds_a_part_or_does_not() -> None:
    calls = (
        call(0, "pay_invoice", {"total": 1, "iban": "DE1"}, "done"),
        call(1, "order", {"booking_id": "b", "items": []}, None),
        call(2, "pay_invoice", {"total": 2, "iban": "DE2"}, "done"),
    )
    ordered = "run.since(w for w in run.earlier(Order) if w.succeeded)"
    value = _value(f"sum(c.total for c in {ordered}.earlier(PayInvoice))", calls)
    assert isinstance(value, Undetermined)
    assert value.between == (2, 3)
    assert _value(f"any(c.total > Decimal('1') for c in {ordered}.earlier(PayInvoice))", calls) is True


def test_a_test_of_a_call_outside_of_the_part_is_not_asked() -> None:
    """A value that only calls before the part lack plays no part."""
    calls = (
        call(0, "pay_invoice", {"total": "x", "iban": "DE1"}, "done"),
        call(1, "order", {"booking_id": "b", "items": []}, "done"),
        call(2, "pay_invoice", {"total": 2, "iban": "DE2"}, "done"),
    )
    assert _value("sum(c.total for c in run.since(run.earlier(Order)).earlier(PayInvoice))", calls) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("any(True for c in run.since(3).earlier(Order))", "`since` takes earlier calls."),
        ("any(True for c in run.since(c.total for c in run.earlier(Order)).earlier(Order))", "takes earlier"),
        ("any(True for c in run.until().earlier(Order))", "`until` takes earlier calls."),
        ("run.since(run.earlier(Order)).user(call.iban) is None", "A part of a run has earlier calls only."),
        ("run.until(run.earlier(Order)).context.role == ''", "A part of a run has earlier calls only."),
        ("run.since(run.earlier(Order)).last_said == ''", "Of a part that begins at a call, all"),
        (
            "run.until(run.since(run.earlier(Order)).earlier(Order)).said == ''",
            "What the user said is read of a part whose bounds are calls of the whole run.",
        ),
    ],
)
def test_what_is_no_part_of_a_run_is_refused(text: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message.replace(".", r"\.")):
        run_expression(text, TYPES, "pay_invoice")
