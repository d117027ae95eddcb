"""Expressions over a call and its run: their values, what is undetermined and why, and the places."""

from __future__ import annotations

from decimal import Decimal

from tests.runs.expressions.small_agent import call, extracted, naive
from workbench.model import UNANSWERED, ArgumentType, Json, Kind, RecordedCall, RecordType, RecordValue
from workbench.policy.undetermined import Undetermined

PAID = "call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)"


def pay(index: int, total: Json, iban: str = "DE1", **others: object) -> RecordedCall:
    return call(index, "pay_invoice", {"total": total, "iban": iban}, **others)  # type: ignore[arg-type] # as call takes them


def test_a_sum_counts_earlier_calls_that_succeeded() -> None:
    calls = [
        pay(0, 10),
        pay(1, 20, ran=False),
        pay(2, 40, failed=True),
        pay(3, 80, result='{"error": "no"}'),
        pay(4, 160, result='{"error": null}'),
        pay(5, 1000),
    ]
    assert naive(PAID, calls) == Decimal(1170)


def test_a_call_of_unknown_outcome_makes_bounds() -> None:
    calls = [pay(0, 10), pay(1, 20, known_from=UNANSWERED), pay(2, 5)]
    value = naive(PAID, calls)
    assert isinstance(value, Undetermined)
    assert value.between == (Decimal(15), Decimal(35))
    assert value.names == {"the result of call 1 is not known, so that it may have failed"}
    assert naive(f"{PAID} > Decimal('40')", calls) is False
    assert naive(f"{PAID} >= Decimal('15')", calls) is True
    assert isinstance(naive(f"{PAID} > Decimal('20')", calls), Undetermined)


def test_records() -> None:
    item: dict[str, Json] = {"user_id": "u1", "price": 2.5, "count": 2, "payment": {"amount": 7}}
    look = call(0, "get_user", {"id": "u1"}, '{"id": "u1", "age": 17, "limit": null}')
    calls = [look, call(1, "order", {"booking_id": "b1", "items": [item, {**item, "user_id": "u2"}]})]
    assert naive("any(run.user(x.user_id).age < 18 for x in call.items)", calls) is True
    value = naive("all(run.user(x.user_id).age < 18 for x in call.items)", calls)
    assert isinstance(value, Undetermined)
    element = RecordType(
        "Line",
        (
            ("price", ArgumentType(Kind.DECIMAL)),
            ("payment_amount", ArgumentType(Kind.DECIMAL)),
            ("age", ArgumentType(Kind.INT)),
        ),
    )
    type_ = ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=element))
    one = extracted(type_, "call.items", calls, {"age": "run.user(x.user_id).age"})
    assert one.missing == 'user "u2": no earlier result says what it is'
    assert one.remedy == 'get_user(id="u2")'
    calls[-1] = call(1, "order", {"booking_id": "b1", "items": [item]})
    one = extracted(type_, "call.items", calls, {"age": "run.user(x.user_id).age"})
    assert one.value == (
        RecordValue("Line", (("price", Decimal("2.5")), ("payment_amount", Decimal(7)), ("age", 17))),
    )
    span = one.provenance[0].spans[0]
    assert calls[-1].texts["arguments"][span.start : span.end].startswith("[")


def test_a_field_that_is_only_tested_for_none_is_read() -> None:
    assert naive("call.note is None", [pay(0, 1)]) is True
    assert naive("call.note is not None or call.due is None", [pay(0, 1)]) is True


def test_lists_of_unequal_length_have_no_pairs_which_matters_only_where_it_could() -> None:
    lines: dict[str, Json] = {"booking_id": "b", "items": [], "names": ["u1"]}
    pairs = "all(i.user_id == n for i, n in zip(call.items, call.names))"
    value = naive(pairs, [call(0, "order", lines)])
    assert isinstance(value, Undetermined)
    assert value.names == {"zip(call.items, call.names) has 0 and 1 elements"}
    assert naive(f"{pairs} or call.booking_id == 'b'", [call(0, "order", lines)]) is True
    assert naive(f"len(call.names) == len(call.items) and {pairs}", [call(0, "order", lines)]) is False
