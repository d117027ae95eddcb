"""The known records after each call of a run, by the declaration of a small shop."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from workbench.model import AgentSpec, Json, LookedUp, RecordedCall, RecordValue
from workbench.runs.world.facts import FoundRecord, RecordState
from workbench.runs.world.record_finder import RecordFinder
from workbench.session.agent_file import read_agent, write_agent

SHOP = """
name = "shop"
zone = "Europe/Oslo"

[records.item]
fields.name = {type = "str"}
fields.price = {type = "decimal"}

[records.order]
key = "id"
fields.buyer = {type = "str"}
fields.paid = {type = "bool"}
fields.made = {type = "datetime"}
fields.items = {type = "list", of = "item"}
results = {get_order = "$", list_orders = "$.orders[*]", pay_order = "$.order"}
changed_by = ["cancel_order"]
look_up = {tool = "get_order", arguments = {order_id = "key"}}
errors = ["^Error"]
absent = ["no such order"]

[records.customer]
key = "customer_id"
fields.level = {type = "enum", values = ["new", "known"]}
fields.cards = {type = "set", path = "methods[*].id", where = {kind = "card"}}
results.get_customer = {path = "$", key = "$.arguments.who"}
look_up = {tool = "get_customer", arguments = {who = "key"}}

"""
SPEC = read_agent(SHOP)


def order(key: object = "A1", **fields: object) -> dict[str, object]:
    """The shop's record of an order."""
    items = [{"name": "pen", "price": 2.5}, {"name": "ink", "price": 10}]
    moment = "2026-03-01T10:00:00"
    return {"id": key, "buyer": "ann", "paid": False, "made": moment, "items": items, **fields}


type Made = tuple[str, Mapping[str, Json], object]


def recorded_call(index: int, call: Made, **more: Any) -> RecordedCall:
    tool, arguments, result = call
    text = result if isinstance(result, str) or result is None else json.dumps(result)
    texts = {} if text is None else {"result": text}
    return RecordedCall("r", index, tool, arguments, texts, result=text, **more)


def at(
    now: RecordedCall,
    history: Sequence[RecordedCall],
    key: str,
    record: str = "order",
    spec: AgentSpec = SPEC,
) -> FoundRecord:
    """What is known of a record at a call."""
    finder = RecordFinder(spec.records, spec.zone, errors=spec.errors)
    return finder.look(record, key, finder.world(now, history))


def seen(
    *calls: Made,
    key: str = "A1",
    look_ups: tuple[LookedUp, ...] = (),
    record: str = "order",
    spec: AgentSpec = SPEC,
) -> FoundRecord:
    """What is known of a record after these calls, at a call with these look-ups."""
    now = RecordedCall("r", len(calls), "change_order", {}, look_ups=look_ups)
    earlier = [recorded_call(index, call) for index, call in enumerate(calls)]
    return at(now, earlier, key, record, spec)


def known(found: FoundRecord) -> RecordValue:
    assert found.value is not None, found.fact.why
    return found.value


def state(found: FoundRecord) -> str:
    return "changed" if found.fact.changed else found.fact.state.value


def unclear(found: FoundRecord) -> str:
    """Why a record is not determinable."""
    assert found.fact.state is RecordState.NOT_DETERMINABLE
    return found.fact.why


GET = {"order_id": "A1"}


def test_a_record_is_what_its_result_says_with_the_characters_it_came_from() -> None:
    found = seen(("get_order", GET, order()))
    value = known(found)
    assert (value.buyer, value.paid) == ("ann", False)
    assert [item.name for item in value.items] == ["pen", "ink"]  # type: ignore[union-attr]
    (place,) = found.fact.provenance
    assert (place.call, place.text) == (0, "result")
    assert [(span.start, span.end) for span in place.spans] == [(0, len(json.dumps(order())))]
    assert state(found) == "known"


def test_the_place_of_one_record_among_many_is_that_of_its_own_object() -> None:
    result = {"orders": [order("B2"), order("A1", buyer="eve")]}
    (place,) = seen(("list_orders", {}, result)).fact.provenance
    (span,) = place.spans
    assert json.loads(json.dumps(result)[span.start : span.end]) == order("A1", buyer="eve")


def test_the_states_are_told_apart() -> None:
    assert (state(seen()), seen().value) == ("not_looked_up", None)
    absent = seen(("get_order", GET, "Error: no such order"))
    assert (state(absent), absent.value) == ("absent", None)
    assert "no JSON" in unclear(seen(("get_order", GET, "a page of text")))


def test_what_is_not_looked_up_names_the_call_that_would() -> None:
    assert str(seen().remedy) == 'get_order(order_id="A1")'
    assert str(seen(key="ann", record="customer").remedy) == 'get_customer(who="ann")'
    assert seen(("get_order", GET, "Error: no such order")).remedy is None


def test_a_set_of_a_record_has_the_members_that_are_wanted() -> None:
    customer = {"level": "known", "methods": [{"id": "c1", "kind": "card"}, {"id": "v9", "kind": "voucher"}]}
    calls: tuple[Made, ...] = (("get_order", GET, order()), ("get_customer", {"who": "ann"}, customer))
    assert known(seen(*calls, key="ann", record="customer")).cards == frozenset({"c1"})
    assert seen(*calls, key="bob", record="customer").value is None


@pytest.mark.parametrize("failure", ["Error: try again", "Error: no such order of yours"])
def test_a_failed_call_says_nothing_and_spoils_nothing(failure: str) -> None:
    first: Made = ("get_order", GET, order())
    assert known(seen(first, ("pay_order", GET, failure))).paid is False
    assert state(seen(first, ("cancel_order", GET, failure))) == "known"
    assert state(seen(("pay_order", GET, failure))) == "not_looked_up"


def test_a_call_that_the_log_flags_as_failed_says_nothing() -> None:
    failed = recorded_call(0, ("cancel_order", GET, "{}"), failed=True)
    earlier = [recorded_call(0, ("get_order", GET, order())), failed]
    assert state(at(RecordedCall("r", 2, "x", GET), earlier, "A1")) == "known"


def test_a_refused_call_had_no_effect() -> None:
    earlier = [
        recorded_call(0, ("get_order", GET, order())),
        recorded_call(1, ("cancel_order", GET, None), ran=False),
    ]
    assert state(at(RecordedCall("r", 2, "x", GET), earlier, "A1")) == "known"


def test_the_latest_success_wins_and_a_shorter_list_is_shorter() -> None:
    paid = {"order": order(paid=True, items=[{"name": "pen", "price": 2.5}])}
    value = known(seen(("get_order", GET, order()), ("pay_order", GET, paid)))
    assert (value.paid, len(value.items)) == (True, 1)  # type: ignore[arg-type]
    empty = known(seen(("get_order", GET, order(items=[]))))
    assert empty.items == ()


def test_after_a_change_the_record_is_not_known_until_it_is_looked_up_again() -> None:
    first: Made = ("get_order", GET, order())
    assert state(seen(first, ("cancel_order", GET, "done"))) == "changed"
    assert state(seen(first, ("cancel_order", {"order_id": "B2"}, "done"))) == "known"
    assert state(seen(first, ("cancel_order", {}, "done"))) == "changed", "of which nobody knows"
    assert state(seen(first, ("cancel_order", GET, "done"), first)) == "known"


def test_a_change_whose_result_is_not_recorded_cannot_be_determined() -> None:
    found = seen(("get_order", GET, order()), ("pay_order", GET, None))
    assert unclear(found) == "the result of call 1 (pay_order) is not recorded"
    assert state(seen(("get_order", GET, order()), ("get_order", GET, None))) == "known"


def test_one_result_that_says_two_things_of_a_record_cannot_be_determined() -> None:
    assert "contradict" in unclear(seen(("list_orders", {}, {"orders": [order(), order(paid=True)]})))
    assert state(seen(("list_orders", {}, {"orders": [order(), order()]}))) == "known"


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ("<html>", "no JSON"),
        ('{"id": "A1", "id": "B2"}', "a key appears twice"),
        ("[" * 200 + "]" * 200, "nested"),
        ([], "no object"),
        (order(buyer=None), "order.buyer: the log has null"),
        ({"id": "A1"}, "order.buyer: the result has no value there"),
        (order(items={"name": "pen"}), "order.items: the result has no list there"),
        (order(items=[{"name": "pen"}]), "order.items: element 1: item.price"),
        (order(paid="perhaps"), "neither true nor false"),
        (order(made="yesterday"), "no time in ISO 8601"),
        (order(items=[{"name": "x", "price": 1}] * 10_000), "10000 elements"),
    ],
)
def test_a_result_that_cannot_be_read_is_not_determinable_and_says_why(result: object, why: str) -> None:
    assert why in unclear(seen(("get_order", GET, result)))


# --- look-ups ---------------------------------------------------------------------


def answer(result: object, why: str = "") -> LookedUp:
    text = result if isinstance(result, str) or result is None else json.dumps(result)
    return LookedUp("get_order", {"order_id": "A1"}, text, why)


def test_a_look_up_says_what_a_record_is_at_its_call_and_after_it() -> None:
    looked = seen(look_ups=(answer(order()),))
    assert known(looked).buyer == "ann"
    (place,) = looked.fact.provenance
    assert (place.text, place.call) == ("look_up.get_order", 0)
    before = recorded_call(0, ("say", {}, "ok"), look_ups=(answer(order()),))
    assert state(at(RecordedCall("r", 1, "x", GET), [before], "A1")) == "known"


@pytest.mark.parametrize(
    ("looked", "why"),
    [
        (answer(None, "it took longer than 5 seconds"), "longer than 5 seconds"),
        (answer(order("B2")), "another order: B2"),
        (answer("<html>"), "no JSON"),
        (answer({"id": "A1"}), "order.buyer"),
        (answer("Error: no"), "failed"),
    ],
)
def test_a_look_up_that_times_out_lies_or_gives_another_id_is_no_answer(looked: LookedUp, why: str) -> None:
    assert why in unclear(seen(look_ups=(looked,)))
    assert seen(look_ups=(looked,), key="B2").value is None, (
        "what a wrong answer says of another record does not count"
    )


def test_a_look_up_that_finds_none_says_that_there_is_none() -> None:
    assert state(seen(look_ups=(answer("no such order"),))) == "absent"


def test_a_time_without_zone_needs_a_declared_one() -> None:
    spec = read_agent(SHOP.replace('zone = "Europe/Oslo"', ""))
    assert "names no zone" in unclear(seen(("get_order", GET, order()), spec=spec))


# --- the declaration --------------------------------------------------------------


def test_the_spec_survives_the_round_trip() -> None:
    assert read_agent(write_agent(SPEC)) == SPEC


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('key = "id"\n', "", 'agent.toml:14: the record "order" has "results" and no "key"'),
        ('{type = "bool"}', '{type = "boolean"}', '"type" cannot be "boolean". Did you mean "bool"?'),
        ('of = "item"}\nresults', 'of = "itme"}\nresults', 'cannot be "itme". Did you mean "item"?'),
        ('{type = "bool"}', '{type = "record"}', 'the field "paid" cannot be a record.'),
        ('{type = "bool"}', '{typ = "bool"}', 'unknown key "typ"'),
        ('changed_by =', 'changd_by =', 'unknown key "changd_by"'),
        ('{order_id = "key"}', '{order_id = "id"}', 'must be "key"'),
        ('["^Error"]', '["(Error"]', 'the pattern "(Error" does not compile'),
        ('"$.orders[*]"', '"$.orders[**]"', "is not understood"),
        ('pay_order = "$.order"', "pay_order = 3", "must be a path"),
        ('"Europe/Oslo"', '"Europe/Olso"', "there is no zone"),
        ("[records.order]", "[arguments.order]", 'unknown key "arguments"'),
    ],
)  # fmt: skip
def test_a_mistake_of_the_declaration_is_one_sentence(old: str, new: str, why: str) -> None:
    assert old in SHOP
    with pytest.raises(Exception, match=r"\.|\?") as raised:
        read_agent(SHOP.replace(old, new, 1))
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)
