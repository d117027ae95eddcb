"""Records with a key of several parts: ``run.seat(booking, user)``, from the declaration to realised runs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.check.realise.test_wrong_versions import live_verdict, proof_of
from tests.runs.expressions.small_agent import SPEC, TYPES, call, extracted, naive
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls, run_expression
from workbench.dialect.checked import CallPolicy
from workbench.dialect.stub import stub
from workbench.files.strict_reading import FileError
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    CallExpression,
    Json,
    Kind,
    LookedUp,
    ProofStatus,
    Record,
    RecordedCall,
    RecordField,
    RecordResult,
    RecordType,
    RecordValue,
    Verdict,
    field_of,
)
from workbench.policy.problems import PolicyError
from workbench.policy.undetermined import Undetermined
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.record_values import RecordValues
from workbench.session.agent_file import read_agent, write_agent

SEAT = "run.seat(call.booking_id, call.user_id)"
ASKED: dict[str, Json] = {"booking_id": "b1", "user_id": "u1"}
LEG = Record(
    "leg",
    (RecordField("number", ArgumentType(Kind.STR)), RecordField("day", ArgumentType(Kind.DATE))),
    "number",
    (RecordResult("get_user"),),
    key_parts=("day",),
)
FLIGHTS = replace(SPEC, records=(*SPEC.records, LEG))
POLICY = '''\
from nagini_contracts.contracts import Ensures, Implies, Result

from agent import GetSeat, Run

DEFAULT = "allow"


def forbid_front(call: GetSeat, run: Run) -> bool:
    """R1: The front row is not shown twice."""
    seat = run.seat(call.booking_id, call.user_id)
    return seat is not None and seat.row == 1


def contract_front(call: GetSeat, run: Run) -> None:
    seat = run.seat(call.booking_id, call.user_id)
    # R1: The front row is not shown twice.
    Ensures(Implies(seat is not None and seat.row TEST, not Result()))
    other = run.seat(call.user_id, call.user_id)
    # R1: The front row is not shown twice.
    Ensures(Implies(call.booking_id == call.user_id and other is not None and other.row == 1, not Result()))
'''


def seen(row: int, booking: str = "b1", user: str = "u1") -> RecordedCall:
    held: dict[str, Json] = {"booking": booking, "user_id": user, "row": row}
    return call(0, "get_seat", {"booking_id": booking, "user_id": user}, json.dumps(held))


def test_a_record_is_known_by_all_parts_of_its_key() -> None:
    asks = call(1, "get_seat", ASKED)
    assert naive(f"{SEAT}.row", [seen(1), asks]) == 1
    for other in (seen(1, user="u2"), seen(1, booking="b2"), seen(1, "u1", "b1")):
        assert isinstance(naive(f"{SEAT}.row", [other, asks]), Undetermined)
        assert naive(f"looked_up({SEAT})", [other, asks]) is False
    assert naive(f"{SEAT} is None", [call(0, "get_seat", ASKED, "no such"), asks]) is True


def test_a_record_that_is_not_known_is_looked_up_by_all_parts() -> None:
    asks = call(0, "get_seat", ASKED)
    value = extracted(ArgumentType(Kind.INT), f"{SEAT}.row", [asks])
    assert value.missing == 'seat "b1", "u1": no earlier result says what it is'
    assert value.remedy == 'get_seat(booking_id="b1", user_id="u1")'

    answer = LookedUp("get_seat", ASKED, seen(7).result)
    answered = [replace(asks, look_ups=(answer,))]
    assert extracted(ArgumentType(Kind.INT), f"{SEAT}.row", answered).value == 7


def test_a_look_up_of_other_parts_is_no_answer() -> None:
    other = LookedUp("get_seat", {"booking_id": "u1", "user_id": "b1"}, seen(7, "u1", "b1").result)
    asks = replace(call(0, "get_seat", ASKED), look_ups=(other,))
    assert extracted(ArgumentType(Kind.INT), f"{SEAT}.row", [asks]).value is None


def test_a_date_of_a_key_is_found_as_results_write_it() -> None:
    told = call(0, "get_user", {"id": "u1"}, json.dumps({"number": "LH1", "day": "2026-05-01"}))
    pays = call(1, "pay_invoice", {"total": 1, "iban": "DE1", "due": "2026-05-01T12:30:00+00:00"})

    def is_known(number: str) -> object:
        text = f'call.due is not None and looked_up(run.leg("{number}", call.due.date))'
        extraction = CallExpression(text, "pay_invoice")
        argument = Argument("value", ArgumentType(Kind.BOOL), expression=extraction)
        return Extractor([argument], FLIGHTS).extract(pays, Earlier((told, pays), 1))["value"].value

    assert [is_known("LH1"), is_known("LH2")] == [True, False]


def test_the_stub_names_the_parts_of_a_key() -> None:
    text = stub(agent_types(FLIGHTS))
    assert "def seat(self, booking: str, user_id: str, /, *, as_of: _Outcome = ...) -> Seat | Any:" in text
    assert "def leg(self, number: str, day: date, /, *, as_of: _Outcome = ...) -> Leg | Any:" in text
    unsaid = replace(SPEC, records=(replace(LEG, fields=LEG.fields[1:]),))
    assert "def leg(self, number: str | int, day: date, /, *, as_of: _Outcome = ...) -> Leg | Any:" in stub(
        agent_types(unsaid)
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("run.seat(call.booking_id)", "`run.seat` takes 2 keys: booking, user_id."),
        ("run.seat(*call.booking_id)", "`run.seat` takes 2 keys: booking, user_id."),
        ("run.seat(call.booking_id, user_id=call.user_id)", "`run.seat` takes 2 keys: booking, user_id."),
        ("run.seat(call.booking_id, True)", "A bool is no key."),
        ("run.user(call.user_id, call.user_id)", "`run.user` takes one key."),
    ],
)
def test_a_key_lacks_no_part(text: str, problem: str) -> None:
    with pytest.raises(PolicyError) as caught:
        run_expression(f"{text} is None", TYPES, "get_seat")
    assert problem in str(caught.value)


def test_one_key_names_one_record_and_a_wrong_clause_is_refuted_by_a_run() -> None:
    _, proof = proof_of(POLICY.replace("TEST", "== 1"), SPEC)
    assert [clause.status for clause in proof.clauses] == [ProofStatus.PROVED] * 2

    lowered, proof = proof_of(POLICY.replace("TEST", "<= 1"), SPEC)
    assert [clause.status for clause in proof.clauses] == [ProofStatus.REFUTED, ProofStatus.PROVED]
    example = proof.clauses[0].counterexample
    assert example is not None and example.realised is not None
    assert live_verdict(lowered, example.realised, SPEC) is Verdict.ALLOW


AGENT = """\
name = "flights"

[tools.get_leg]
parameters = {type = "object", properties = {nr = {type = "string"}, day = {type = "string"}}}

[records.leg]
key = ["number", "day"]
fields.gate = {type = "str"}
look_up = {tool = "get_leg", arguments = {nr = "key.number", day = "key.day"}}
"""


def test_a_look_up_by_several_parts_is_written_as_it_was_read() -> None:
    assert read_agent(write_agent(read_agent(AGENT))) == read_agent(AGENT)
    with pytest.raises(FileError, match=r'must have "key.number" and "key.day": one is for each part'):
        read_agent(AGENT.replace('"key.day"', '"key"'))


ORDERS = """\
name = "desk"

[tools.get_order]
parameters = {type = "object", properties = {order_id = {type = "string"}}, required = ["order_id"]}
[tools.get_order.fields.order_id]
normal = "id"

[tools.refund]
parameters = {type = "object", properties = {order_id = {type = "string"}}, required = ["order_id"]}
[tools.refund.fields.order_id]
normal = "id"

[records.order]
key = "order_id"
fields.status = {type = "str"}
look_up = {tool = "get_order", arguments = {order_id = "key"}}
absent = ["no such order"]
"""


def test_a_look_up_of_a_normal_form_says_nothing_of_a_key_that_the_call_writes_otherwise() -> None:
    """The tool may know "#W1" and no "W1": that there is none is no fact about the order of the call."""
    spec = read_agent(
        ORDERS.replace(
            '{order_id = {type = "string"}}, required = ["order_id"]}\n[tools.refund.fields.order_id]',
            '{ids = {type = "array", items = {type = "string"}}}}\n[tools.refund.fields."ids[]"]',
        )
    )
    of = CallExpression("any(run.order(x) is None for x in call.ids)", "refund")
    extractor = Extractor([Argument("none", ArgumentType(Kind.BOOL), expression=of)], spec)
    none = RecordedCall("r", 0, "get_order", {"order_id": "W1"}, result="no such order")
    for key, why in (("#w1", "the call writes its key otherwise"), ("W1", None)):
        refund = RecordedCall("r", 1, "refund", {"ids": [key]})
        found = extractor.extract(refund, Earlier((none, refund), 1))["none"]
        assert (found.missing or "").endswith(why or "")
        assert (found.missing is None) is (why is None)


BY_FORM = ORDERS.replace('key = "order_id"\n', 'key = "order_id"\nnormal = "id"\n', 1)
REFUNDS = """\
\"""Refunds.\"""
from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Refund, Run, looked_up

DEFAULT = "allow"


def status(order_id: str, run: Run) -> bool:
    \"""whether the order is paid\"""
    order = run.order(order_id)
    return looked_up(order) and order is not None and order.status == "paid"


def forbid_unpaid(call: Refund, run: Run) -> bool:
    \"""R1: Only paid orders are refunded.\"""
    return not status(call.order_id, run)
"""


def order_extractor(spec: AgentSpec) -> Extractor:
    of = CallExpression("run.order(call.order_id)", "refund")
    status = RecordType("Order", (("status", ArgumentType(Kind.STR)),))
    type_ = ArgumentType(Kind.RECORD, optional=True, record=status)
    return Extractor([Argument("order", type_, expression=of)], spec)


def test_a_key_in_a_normal_form_needs_a_record_that_is_known_by_this_form() -> None:
    check_calls(REFUNDS, agent_types(read_agent(BY_FORM)))
    with pytest.raises(PolicyError, match=r'normal = "id" in \[records.order\]'):
        check_calls(REFUNDS, agent_types(read_agent(ORDERS)))


def test_normal_on_a_record_is_written_read_and_checked() -> None:
    spec = read_agent(BY_FORM)
    assert spec.records[0].normal == "id"
    assert read_agent(write_agent(spec)) == spec
    with pytest.raises(FileError, match="is the normal form of a text"):
        read_agent(BY_FORM.replace('key = "order_id"\nnormal = "id"', 'key = "order_id"\nnormal = "ids"'))


@pytest.mark.parametrize("written", ["#W1", "w1", "W 1", "#w1"])
def test_a_record_is_found_in_every_spelling_of_its_key(written: str) -> None:
    extractor = order_extractor(read_agent(BY_FORM))
    order = RecordedCall(
        "r", 0, "get_order", {"order_id": "W1"}, result='{"order_id": "#W1", "status": "paid"}'
    )
    refund = RecordedCall("r", 1, "refund", {"order_id": written})
    found = extractor.extract(refund, Earlier((order, refund), 1))["order"]
    assert found.missing is None
    assert isinstance(found.value, RecordValue)
    assert field_of(found.value, "status") == "paid"


def test_what_is_looked_up_is_the_key_as_the_call_writes_it() -> None:
    extractor = order_extractor(read_agent(BY_FORM))
    refund = RecordedCall("r", 0, "refund", {"order_id": "#w1"})
    assert [dict(wanted.arguments) for wanted in extractor.wanted(refund, Earlier((refund,), 0))] == [
        {"order_id": "#w1"}
    ]


@pytest.mark.parametrize(("asked", "written", "known"), [("#W1", "#W1", True), ("W1", "#W1", False)])
def test_that_there_is_none_is_known_of_the_spelling_that_was_asked_for(
    asked: str, written: str, known: bool
) -> None:
    extractor = order_extractor(read_agent(BY_FORM))
    none = RecordedCall("r", 0, "get_order", {"order_id": asked}, result="no such order")
    refund = RecordedCall("r", 1, "refund", {"order_id": written})
    found = extractor.extract(refund, Earlier((none, refund), 1))["order"]
    assert (found.value, found.missing is None) == (None, known)


def test_a_change_in_another_spelling_makes_the_record_unknown() -> None:
    spec = read_agent(BY_FORM.replace("absent", 'changed_by = ["refund"]\nabsent'))
    extractor = order_extractor(spec)
    order = RecordedCall(
        "r", 0, "get_order", {"order_id": "#W1"}, result='{"order_id": "#W1", "status": "paid"}'
    )
    change = RecordedCall("r", 1, "refund", {"order_id": "w1"}, result="done")
    refund = RecordedCall("r", 2, "refund", {"order_id": "#W1"})
    assert extractor.extract(refund, Earlier((order, change, refund), 2))["order"].missing is not None


WITH_SET = BY_FORM.replace("fields.status", 'fields.items = {type = "set", normal = "id"}\nfields.status')


@pytest.mark.parametrize(
    "condition",
    [
        '"{text}" in order.items',
        'any(item == "{text}" for item in order.items)',
        'all(item in {{"B2", "{text}"}} for item in order.items)',
        'order.items <= {{"B2", "{text}"}}',
    ],
)
def test_a_member_in_another_spelling_than_the_normal_one_is_a_mistake(condition: str) -> None:
    def checked(text: str) -> CallPolicy:
        own = condition.format(text=text)
        return check_calls(REFUNDS.replace('order.status == "paid"', own), agent_types(read_agent(WITH_SET)))

    assert checked("A1").rules
    with pytest.raises(PolicyError, match=r'never finds "#a1": .* normal form "id"\. Write "A1"\.'):
        checked("#a1")


def test_members_of_a_set_are_compared_in_their_normal_form() -> None:
    spec = read_agent(WITH_SET)
    values = RecordValues(spec.records, "UTC")
    read = values.record(spec.records[0], {"items": ["#a1", "B 2"], "status": "paid"})
    assert field_of(read, "items") == {"A1", "B2"}
