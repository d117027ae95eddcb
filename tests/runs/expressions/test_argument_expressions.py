"""Arguments by expressions, decided, with their places and look-ups."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import cast

import pytest

from tests.runs.expressions.small_agent import SPEC, call, extracted
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.guard.call_reading import CallReading
from workbench.model import (
    UNANSWERED,
    Argument,
    ArgumentType,
    CallExpression,
    Json,
    Kind,
    RecordedCall,
    RecordType,
    RecordValue,
    Run,
    Verdict,
    WorkbenchError,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.extract.reading_needs import needed_beside_python
from workbench.runs.replay.decide import replay
from workbench.runs.world.earlier_calls import Earlier

DECIMAL, TEXT, BOOL = ArgumentType(Kind.DECIMAL), ArgumentType(Kind.STR), ArgumentType(Kind.BOOL)
PAID = "sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)"
KNOWN = "looked_up(run.booking(call.booking_id))"
POLICY = '''"""Policy of the desk."""
from datetime import timedelta
from decimal import Decimal
from agent import Order, PayInvoice, Run

DEFAULT = "allow"


def forbid_over_limit(call: PayInvoice, run: Run) -> bool:
    """R1: No more than 100 may be paid."""
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded) > Decimal("100")


def forbid_minors(call: Order, run: Run) -> bool:
    """R2: Nobody under 18 may order."""
    booking = run.booking(call.booking_id)
    if booking is None:
        return True
    user = run.user(booking.user_id)
    return user is None or user.age < 18
'''


def pay(index: int, total: Json, iban: str = "DE1", **others: object) -> RecordedCall:
    return call(index, "pay_invoice", {"total": total, "iban": iban}, **others)  # type: ignore[arg-type] # as call takes them


def order(index: int, booking: str, **given: Json) -> RecordedCall:
    return call(index, "order", {"booking_id": booking, "items": [], **given})


def user(index: int, key: str, age: int) -> RecordedCall:
    return call(index, "get_user", {"id": key}, json.dumps({"id": key, "age": age}))


def booking(index: int, key: str, owner: str) -> RecordedCall:
    return call(index, "get_booking", {"id": key}, json.dumps({"id": key, "user_id": owner, "kind": "room"}))


def decided(calls: list[RecordedCall]) -> list[Verdict]:
    lowered = lowered_policy(POLICY, SPEC)
    extractor = Extractor(lowered.arguments, SPEC)
    run = Run("run", tuple(calls), "test")
    return [one.decision.verdict for one in replay(compile_policy(lowered.terms), extractor, [run])]


def test_a_policy_of_calls_is_decided_on_the_calls_of_each_tool_alone() -> None:
    broken = call(1, "order", {"booking_id": 7.5, "items": "none"})
    calls = [
        pay(0, 60),
        broken,
        pay(2, 30),
        pay(3, 20),
        user(4, "u", 20),
        booking(5, "b", "u"),
        order(6, "b"),
    ]
    A, D, C = Verdict.ALLOW, Verdict.DENY, Verdict.CANNOT_EVALUATE
    assert decided(calls) == [A, C, A, D, A, A, A]


def test_one_call_of_unknown_outcome_does_not_block_all_later_ones() -> None:
    calls = [pay(0, 60, known_from=UNANSWERED), pay(1, 30), pay(2, 20), pay(3, 80)]
    A, D, C = Verdict.ALLOW, Verdict.DENY, Verdict.CANNOT_EVALUATE
    assert decided(calls) == [A, A, C, D]


def test_arguments_of_other_tools_are_left_out_and_look_ups_follow_each_other() -> None:
    extractor = Extractor(lowered_policy(POLICY, SPEC).arguments, SPEC)
    one = order(0, "b")
    assert "pay_invoice_total" not in extractor.extract(one, ())
    assert [str(look_up) for look_up in extractor.wanted(one, ())] == ['get_booking(id="b")']
    calls = (booking(0, "b", "u"), order(1, "b"))
    assert [str(look_up) for look_up in extractor.wanted(calls[1], calls[:1])] == ['get_user(id="u")']
    assert not extractor.wanted(pay(1, 5), calls[:1])


def test_a_result_that_the_agent_calls_an_error_is_of_a_call_that_failed() -> None:
    agent = replace(SPEC, errors=("^Refused",))
    paid = Argument("paid", DECIMAL, expression=CallExpression(PAID, "pay_invoice"))
    calls = (pay(0, 10), pay(1, 20, result="Refused: no such payee"), pay(2, 30), pay(3, 5))
    for spec, expected in ((SPEC, 60), (agent, 40)):
        found = Extractor([paid], spec).extract(calls[-1], Earlier(calls, 3))["paid"]
        assert found.value == Decimal(expected)
    known = Argument("known", BOOL, expression=CallExpression(KNOWN, "order"))
    refused = (call(0, "get_booking", {"id": "b"}, "Refused: try again"), order(1, "b"))
    assert Extractor([known], SPEC).extract(refused[1], Earlier(refused, 1))["known"].missing
    assert Extractor([known], agent).extract(refused[1], Earlier(refused, 1))["known"].value is False


@pytest.mark.parametrize(
    ("result", "fails"),
    [
        ('{"error": "no"}', True),
        (' \n{ "error" : {"code": 4}, "total": 2}', True),
        ('{"error": null}', False),
        ('{"error": {}, "total": 2}', False),
        ('{"total": 2, "error": "no"}', True),
        ('{"total": 2, "err\\u006fr": "no"}', True),
        ('{"total": 2, "error": null}', False),
        ('{"total": {"error": "no"}}', False),
        ('{"said": "\\"error\\": 1"}', False),
        ('[{"error": "no"}]', False),
        ("done", False),
        (" " * 200_000 + "{", False),
    ],
)
def test_what_an_outcome_is_needs_no_package(
    result: str, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    calls = [pay(0, 20, result=result), pay(1, 5)]
    assert extracted(DECIMAL, PAID, calls).value == Decimal(0 if fails else 20)


@pytest.mark.parametrize(
    ("changes", "needs"),
    [
        ({"iban": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{2}$"}}, ""),
        ({"iban": {"type": "string", "pattern": "^DE[0-9]+$"}}, "regex for pay_invoice.iban"),
        (
            {"iban": {"type": "string", "allOf": [{"pattern": "^DE[0-9]+$"}]}},
            "regex for pay_invoice.iban",
        ),
    ],
)
def test_what_patterns_of_schemas_need_is_told(changes: dict[str, Json], needs: str) -> None:
    (tool,) = (tool for tool in SPEC.tools if tool.name == "pay_invoice")
    properties = cast("dict[str, Json]", tool.parameters["properties"])
    changed = replace(tool, parameters={**tool.parameters, "properties": {**properties, **changes}})
    spec = replace(SPEC, tools=tuple(changed if one is tool else one for one in SPEC.tools))
    lowered = lowered_policy(POLICY, spec)
    needed = "; ".join(filter(None, (needs, "email-validator and idna for booking.guest")))
    assert needed_beside_python(CallReading(lowered.arguments, spec)) == needed


def test_places() -> None:
    calls = [pay(0, 10), pay(1, 20, failed=True), pay(2, 30), pay(3, 5)]
    one = extracted(DECIMAL, f"call.total + {PAID}", calls)
    assert one.value == Decimal(45)
    field, history = one.provenance
    assert [calls[-1].texts["arguments"][span.start : span.end] for span in field.spans] == ["5"]
    assert history.method == "history (calls 0, 2)"
    calls = [booking(0, "b", "u"), order(1, "b")]
    one = extracted(TEXT, "run.booking(call.booking_id).user_id", calls)
    places = {
        calls[place.call or 0 if place.call is not None else 1].texts.get(place.text)
        for place in one.provenance
    }
    assert one.value == "u"
    assert any(place.call == 0 and place.spans for place in one.provenance), places


def test_an_undetermined_value_has_its_reason_its_look_up_and_its_bounds() -> None:
    one = extracted(DECIMAL, PAID, [pay(0, 10), pay(1, 20, result=None), pay(2, 1)])
    assert one.missing == "the result of call 1 is not known, so that it may have failed"
    assert one.between == (Decimal(10), Decimal(30))
    one = extracted(DECIMAL, PAID, [pay(0, "x"), pay(1, 20, known_from=UNANSWERED), pay(2, 1)])
    assert one.between is None
    assert one.missing is not None and "total of call 0" in one.missing
    changed = [booking(0, "b", "u"), order(1, "b"), order(2, "b")]
    one = extracted(TEXT, "run.booking(call.booking_id).user_id", changed)
    assert one.remedy == 'get_booking(id="b")'
    assert one.missing is not None and "changed it" in one.missing
    one = extracted(BOOL, "looked_up(run.booking(call.booking_id))", changed)
    assert (one.value, str(one.look_up)) == (False, 'get_booking(id="b")')
    one = extracted(BOOL, "looked_up(run.booking(call.booking_id))", changed[:2])
    assert (one.value, one.look_up) == (True, None)


@pytest.mark.parametrize(
    ("arguments", "text", "value"),
    [
        ({"total": 1, "iban": "de 12"}, "call.iban", "DE12"),
        ({"total": 1, "iban": "d", "note": None}, "call.note is None", True),
        ({"total": 1, "iban": "d"}, "call.note is None", True),
        ({"total": 1, "iban": "d", "note": ""}, "call.note is None", False),
        ({"total": "7.50", "iban": "d"}, "call.total", None),
        ({"total": 1.234, "iban": "d"}, "call.total", None),
        ({"iban": "d"}, "call.total", None),
        ({"total": None, "iban": "d"}, "call.total", None),
        ({"total": 1, "Total": 9, "iban": "d"}, "call.total", None),
        ({"total": 1, "iban": "d", "due": "2026-05-01T12:00:00+02:00"}, "call.due == call.time", True),
        ({"total": 1, "iban": "d", "due": "2026-05-01T10:00:00"}, "call.due == call.time", True),
        ({"total": 1, "iban": "d", "due": "soon"}, "call.due == call.time", None),
        (None, "call.total", None),
    ],
)
def test_fields(arguments: dict[str, Json] | None, text: str, value: object) -> None:
    type_ = DECIMAL if text == "call.total" else TEXT if text == "call.iban" else BOOL
    one = extracted(type_, text, [call(0, "pay_invoice", arguments)])
    assert (one.missing is None) is (value is not None), one
    assert one.value == value


def test_objects_keyed_by_ids_and_lists_with_further_fields() -> None:
    calls = [user(0, "u1", 30), order(1, "b", prices={"p": 1.5, "q": 2})]
    type_ = ArgumentType(
        Kind.LIST,
        element=ArgumentType(
            Kind.RECORD, record=RecordType("Price", (("product", TEXT), ("value", DECIMAL)))
        ),
    )
    one = extracted(type_, "call.prices", calls)
    assert one.value == (
        RecordValue("Price", (("product", "p"), ("value", Decimal("1.5")))),
        RecordValue("Price", (("product", "q"), ("value", Decimal(2)))),
    )
    assert extracted(type_, "call.prices", [order(0, "b")]).missing is not None


def test_time_and_clocks() -> None:
    when = ArgumentType(Kind.DATETIME)
    assert extracted(when, "call.time", [pay(0, 1)]).value == datetime(2026, 5, 1, 10, tzinfo=UTC)
    back = [pay(0, 1, time="2026-05-01T11:00:00+00:00"), pay(1, 1)]
    one = extracted(when, "call.time", back)
    assert one.missing is not None and "the clock went back" in one.missing
    one = extracted(when, "call.time", [pay(0, 1, time=None)])
    assert one.missing == "the log does not say when the call was"


def test_a_clock_that_went_back_is_not_right_before_it_was_passed_again() -> None:
    times = [f"2026-03-01T{hour}:00Z" for hour in ("10:00", "09:00", "09:30", "10:00", "10:01")]
    calls = [pay(index, 1, time=time) for index, time in enumerate([*times, "soon"])]
    when = ArgumentType(Kind.DATETIME)
    missing = [extracted(when, "call.time", calls[: index + 1]).missing for index in range(len(calls))]
    assert [reason is None for reason in missing] == [True, False, False, True, True, False]
    assert "the clock went back: call 0" in str(missing[2])


def test_earlier_calls_with_unclear_arguments_or_without_a_tool() -> None:
    unclear = call(0, "pay_invoice", {"total": 1, "Total": 500, "iban": "d"})
    one = extracted(DECIMAL, PAID, [unclear, pay(1, 1)])
    assert one.missing is not None and one.between is None
    unnamed = call(0, None, {"total": 1, "iban": "d"})
    one = extracted(
        BOOL, "any(c.succeeded for c in run.earlier(PayInvoice))", [unnamed, pay(1, 1), pay(2, 1)]
    )
    assert one.missing == "it is not known of which tool call 0 was"


def test_wrong_expressions_are_refused() -> None:
    wrong = (
        (CallExpression("call.time", "fly"), "no tool 'fly'"),
        (CallExpression("call.price", "order"), "is no expression"),
        (CallExpression("call.booking_id", "order", (), {"a": "x.b"}), "no field of a list's elements"),
    )
    for expression, words in wrong:
        argument = Argument("value", TEXT, expression=expression)
        with pytest.raises(WorkbenchError, match=words):
            Extractor([argument], SPEC)


def test_sources() -> None:
    texts = {"all_user": "please pay DE12 now", "arguments": "{}"}
    one = extracted(ArgumentType(Kind.SET), "call.iban.source", [pay(0, 1, "DE12", texts=texts)])
    assert one.value == frozenset({"user"})
    one = extracted(ArgumentType(Kind.SET), "call.iban.source", [pay(0, 1, "DE99", texts=texts)])
    assert one.value == frozenset()
    assert extracted(ArgumentType(Kind.SET), "call.iban.source", [pay(0, 1)]).missing is not None


def test_a_history_that_goes_on_gives_what_a_restart_gives() -> None:
    argument = Argument("value", DECIMAL, expression=CallExpression(PAID, "pay_invoice"))
    calls = tuple(pay(index, index, known_from=index + 2) for index in range(20))
    going_on = Extractor([argument], SPEC)
    for place, one in enumerate(calls):
        history = Earlier(calls, place)
        assert going_on.extract(one, history) == Extractor([argument], SPEC).extract(one, history)
