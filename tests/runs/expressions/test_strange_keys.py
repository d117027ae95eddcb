"""Keys of a call that the schema of its tool does not permit: what reads their object is not known."""

from __future__ import annotations

import pytest

from tests.runs.expressions.small_agent import call, naive
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import run_expression
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    CallExpression,
    Extracted,
    Json,
    Kind,
    Record,
    RecordedCall,
    RecordField,
    RecordResult,
    Tool,
)
from workbench.policy.operations import Known
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.moment import AgentReader, Moment, Trace
from workbench.runs.expressions.scope import ReadExpression, naive_value
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.record_finder import RecordFinder

PAY: dict[str, Json] = {"total": 5, "iban": "DE1"}
ITEM: dict[str, Json] = {"user_id": "u1", "price": 5, "count": 1, "payment": {"amount": 50}}


def reasons(value: Known) -> str:
    assert isinstance(value, Undetermined)
    return " ".join(value.names)


@pytest.mark.parametrize("key", ["amount_override", "", "$ref"])
def test_nothing_is_known_of_the_arguments_of_a_call_with_a_strange_key(key: str) -> None:
    calls = [call(0, "pay_invoice", {**PAY, key: 99_999})]
    for text in ("call.total", "call.note", "call.note is None", '"user" in call.iban.source'):
        assert "the call has the key" in reasons(naive(text, calls))
    assert not isinstance(naive("call.time", calls), Undetermined)


def test_the_object_that_has_the_key_is_not_known_and_those_beside_it_are() -> None:
    items: list[Json] = [ITEM, {**ITEM, "payment": {"amount": 1, "currency": "USD"}}]
    calls = [call(0, "order", {"booking_id": "b1", "items": items, "prices": {"u1": 3}})]
    assert naive("call.booking_id", calls) == "b1"
    assert naive("sum(i.count for i in call.items)", calls) == 2
    assert naive("any(i.payment.amount > 40 for i in call.items)", calls) is True
    assert "payment has the key 'currency'" in reasons(
        naive("any(i.payment.amount > 60 for i in call.items)", calls)
    )
    assert isinstance(naive("sum(i.payment.amount for i in call.items)", calls), Undetermined)
    assert naive("sum(p.value for p in call.prices)", calls) == 3


def test_an_earlier_call_with_a_strange_key_is_read_in_the_same_way() -> None:
    calls = [call(0, "pay_invoice", {**PAY, "extra": 1}), call(1, "pay_invoice", PAY)]
    assert naive("sum(1 for c in run.earlier(PayInvoice) if c.succeeded)", calls) == 1
    assert "call 0 has the key 'extra'" in reasons(
        naive("any(c.iban == call.iban for c in run.earlier(PayInvoice))", calls)
    )


def _value(parameters: dict[str, Json], text: str, arguments: dict[str, Json]) -> Known:
    spec = AgentSpec("x", tools=(Tool("act", parameters=parameters),))
    types = agent_types(spec)
    reader = AgentReader(spec, types.calls.values(), RecordFinder((), ""))
    moment = Moment(reader, RecordedCall("run", 0, "act", arguments), ())  # type: ignore[arg-type] # no earlier calls
    return naive_value(ReadExpression(run_expression(text, types, "act")), moment, Trace(), {})


_ONE: dict[str, Json] = {"a": {"type": "integer"}, "t": {"type": "string"}}
PERMITTED: dict[str, dict[str, Json]] = {
    "any": {"additionalProperties": True},
    "any of a type": {"additionalProperties": {"type": "string"}},
    "an empty schema": {"additionalProperties": {}},
    "not evaluated": {"unevaluatedProperties": True},
    "a pattern": {"patternProperties": {"^x-": {}}},
    "a part": {"allOf": [{"properties": {"x-b": {"type": "string"}}}]},
    "a type that is not read": {"properties": {**_ONE, "x-b": {"anyOf": [{}, {"type": "null"}]}}},
}
REFUSED: dict[str, dict[str, Json]] = {
    "nothing said": {},
    "none": {"additionalProperties": False},
    "no value": {"additionalProperties": {"not": {}}},
    "another pattern": {"patternProperties": {"^y-": {}}},
    "a pattern that is none": {"patternProperties": {"(": {}}},
    "a pattern without values": {"patternProperties": {"^x-": False}},
    "a key without values": {"properties": {**_ONE, "x-b": False}},
}


@pytest.mark.parametrize("says", PERMITTED.values(), ids=PERMITTED)
def test_a_key_that_the_schema_permits_is_not_strange(says: dict[str, Json]) -> None:
    assert _value({"type": "object", "properties": _ONE, **says}, "call.a", {"a": 1, "x-b": "c"}) == 1


@pytest.mark.parametrize("says", REFUSED.values(), ids=REFUSED)
def test_a_key_that_the_schema_does_not_permit_is_strange(says: dict[str, Json]) -> None:
    schema: dict[str, Json] = {"type": "object", "properties": _ONE, **says}
    assert "'x-b'" in reasons(_value(schema, "call.a", {"a": 1, "x-b": "c"}))
    nested: dict[str, Json] = {"type": "object", "properties": {"o": schema}, "required": ["o"]}
    assert "'x-b'" in reasons(_value(nested, "call.o.a", {"o": {"a": 1, "x-b": "c"}}))
    assert "'x-b'" in reasons(_value(nested, '"user" in call.o.t.source', {"o": {"t": "1", "x-b": "c"}}))


def test_the_values_of_an_object_keyed_by_ids_have_keys_of_their_own() -> None:
    value: Json = {"type": "object", "properties": _ONE, "required": ["a"]}
    keyed: dict[str, Json] = {
        "type": "object",
        "properties": {"o": {"type": "object", "additionalProperties": value}},
    }
    arguments: dict[str, Json] = {"o": {"k1": {"a": 1}, "k2": {"a": 2, "b": 3}}}
    assert _value(keyed, "any(one.a == 1 for one in call.o)", arguments) is True
    assert "'b'" in reasons(_value(keyed, "any(one.a == 2 for one in call.o)", arguments))


def _limit_after(arguments: dict[str, Json]) -> Extracted:
    """What a policy of calls sees of an account that a call changed, whose fields are told by the call."""
    keys: dict[str, Json] = {"type": "object", "properties": {"id": {"type": "string"}}}
    limit: Json = {"type": "object", "properties": {"limit": {"type": "integer"}}}
    changed: dict[str, Json] = {"type": "object", "properties": {"id": {"type": "string"}, "to": limit}}
    account = Record(
        "account",
        (RecordField("id", ArgumentType(Kind.STR)), RecordField("limit", ArgumentType(Kind.INT))),
        "id",
        (RecordResult("get"),),
        changed_to={"change": {"limit": "$.arguments.to.limit"}},
    )
    tools = (Tool("get", parameters=keys), Tool("change", parameters=changed))
    calls = (
        call(0, "get", {"id": "b1"}, '{"id": "b1", "limit": 9}'),
        call(1, "change", arguments),
        call(2, "get", {"id": "b2"}),
    )
    of = CallExpression('run.account("b1").limit', "get")
    argument = Argument("value", ArgumentType(Kind.INT), expression=of)
    extractor = Extractor([argument], AgentSpec("x", tools=tools, records=(account,)))
    return extractor.extract(calls[-1], Earlier(calls, 2))["value"]


def test_a_record_is_not_known_after_a_change_by_a_call_with_a_strange_key() -> None:
    assert _limit_after({"id": "b1", "to": {"limit": 20}}).value == 20
    assert _limit_after({"id": "b2", "to": {"limit": 20, "all": True}}).value == 9
    why = _limit_after({"id": "b1", "to": {"limit": 20, "factor": 100}}).missing
    assert why is not None
    assert "may have changed more of it: the call, to has the key 'factor'" in why


_REFUND: dict[str, Json] = {
    "type": "object",
    "properties": {
        "total": {"type": "string", "pattern": r"^\d+(\.\d{1,2})?$"},
        "items": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 2}},
    },
    "required": ["total", "items"],
}


@pytest.mark.parametrize("total", ["-5.00", "-400.00", " 5.00", "+5", "-0", 5])
def test_a_value_that_does_not_fit_its_schema_is_not_determinable(total: Json) -> None:
    assert "does not fit its schema" in reasons(
        _value(_REFUND, 'call.total == "5"', {"total": total, "items": ["ab"]})
    )
    assert _value(_REFUND, 'call.total == "5"', {"total": "5", "items": ["ab"]}) is True


@pytest.mark.parametrize("items", [[], ["a"], [12], "ab"])
def test_a_list_that_does_not_fit_its_schema_is_not_determinable(items: Json) -> None:
    assert "does not fit its schema" in reasons(
        _value(_REFUND, "len(call.items) > 5", {"total": "5", "items": items})
    )
