"""The known records after each call of a run, by the declaration of a small shop."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from workbench.model import Extracted, Json, LookedUp, RecordedCall, RecordValue
from workbench.runs.extract.extractor import Extractor
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

[arguments.order]
extract = {method = "record", record = "order", key = "$.arguments.order_id"}
[arguments.customer]
extract = {method = "record", record = "customer", key = ["$.arguments.customer_id", "order.buyer"]}
[arguments.items]
type = "list"
of = "item"
extract = {method = "jsonpath", path = "$.arguments.items"}
[arguments.gone]
extract = {method = "difference", path = "$.arguments.items", of = "order.items", take = "removed"}
[arguments.now]
extract = {method = "now"}
"""
SPEC = read_agent(SHOP)
EXTRACTOR = Extractor(SPEC.arguments, SPEC)


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


def seen(
    *calls: Made, order_id: Json = "A1", look_ups: tuple[LookedUp, ...] = (), **arguments: Json
) -> Mapping[str, Extracted]:
    """The arguments of a call about an order, after other calls."""
    call_arguments: Mapping[str, Json] = {"order_id": order_id, **arguments}
    now = RecordedCall("r", len(calls), "change_order", call_arguments, look_ups=look_ups)
    return EXTRACTOR.extract(now, [recorded_call(index, call) for index, call in enumerate(calls)])


def known(extracted: Extracted) -> RecordValue:
    assert extracted.missing is None, extracted.missing
    assert isinstance(extracted.value, RecordValue)
    return extracted.value


GET = {"order_id": "A1"}


def test_a_record_is_what_its_result_says_with_the_characters_it_came_from() -> None:
    extracted = seen(("get_order", GET, order()))
    value = known(extracted["order"])
    assert (value.buyer, value.paid) == ("ann", False)
    assert [item.name for item in value.items] == ["pen", "ink"]  # type: ignore[union-attr]
    (place,) = extracted["order"].provenance
    assert (place.call, place.text) == (0, "result")
    assert [(span.start, span.end) for span in place.spans] == [(0, len(json.dumps(order())))]
    assert extracted["order"].state == "known"


def test_the_place_of_one_record_among_many_is_that_of_its_own_object() -> None:
    result = {"orders": [order("B2"), order("A1", buyer="eve")]}
    (place,) = seen(("list_orders", {}, result))["order"].provenance
    (span,) = place.spans
    assert json.loads(json.dumps(result)[span.start : span.end]) == order("A1", buyer="eve")


def test_four_states_are_told_apart() -> None:
    assert seen()["order"].state == "not_looked_up"
    assert (seen()["order"].value, seen()["order"].missing) == (None, None)
    absent = seen(("get_order", GET, "Error: no such order"))
    assert (absent["order"].state, absent["order"].value, absent["order"].missing) == ("absent", None, None)
    assert "no JSON" in str(seen(("get_order", GET, "a page of text"))["order"].missing)
    assert seen(order_id=None)["order"].state == "not_named"
    assert seen(order_id=None)["order"].value is None


def test_what_is_not_looked_up_names_the_call_that_would() -> None:
    assert seen()["order"].remedy == 'get_order(order_id="A1")'
    assert seen()["customer"].remedy == 'get_order(order_id="A1")', "the order says whose it is"
    assert seen(("get_order", GET, order()))["customer"].remedy == 'get_customer(who="ann")'
    assert seen(("get_order", GET, "Error: no such order"))["order"].remedy == ""


def test_two_hops_lead_from_the_order_to_its_customer() -> None:
    customer = {"level": "known", "methods": [{"id": "c1", "kind": "card"}, {"id": "v9", "kind": "voucher"}]}
    calls: tuple[Made, ...] = (("get_order", GET, order()), ("get_customer", {"who": "ann"}, customer))
    assert known(seen(*calls)["customer"]).cards == frozenset({"c1"})
    assert seen(*calls, customer_id="bob")["customer"].value is None, "the call's own customer counts first"


@pytest.mark.parametrize("failure", ["Error: try again", "Error: no such order of yours"])
def test_a_failed_call_says_nothing_and_spoils_nothing(failure: str) -> None:
    first: Made = ("get_order", GET, order())
    assert known(seen(first, ("pay_order", GET, failure))["order"]).paid is False
    assert seen(first, ("cancel_order", GET, failure))["order"].state == "known"
    assert seen(("pay_order", GET, failure))["order"].state == "not_looked_up"


def test_a_call_that_the_log_flags_as_failed_says_nothing() -> None:
    failed = recorded_call(0, ("cancel_order", GET, "{}"), failed=True)
    earlier = [recorded_call(0, ("get_order", GET, order())), failed]
    assert EXTRACTOR.extract(RecordedCall("r", 2, "x", GET), earlier)["order"].state == "known"


def test_a_refused_call_had_no_effect() -> None:
    earlier = [
        recorded_call(0, ("get_order", GET, order())),
        recorded_call(1, ("cancel_order", GET, None), ran=False),
    ]
    assert EXTRACTOR.extract(RecordedCall("r", 2, "x", GET), earlier)["order"].state == "known"


def test_the_latest_success_wins_and_a_shorter_list_is_shorter() -> None:
    paid = {"order": order(paid=True, items=[{"name": "pen", "price": 2.5}])}
    value = known(seen(("get_order", GET, order()), ("pay_order", GET, paid))["order"])
    assert (value.paid, len(value.items)) == (True, 1)  # type: ignore[arg-type]
    empty = known(seen(("get_order", GET, order(items=[])))["order"])
    assert empty.items == ()


def test_after_a_change_the_record_is_not_known_until_it_is_looked_up_again() -> None:
    first: Made = ("get_order", GET, order())
    assert seen(first, ("cancel_order", GET, "done"))["order"].state == "changed"
    assert seen(first, ("cancel_order", {"order_id": "B2"}, "done"))["order"].state == "known"
    assert seen(first, ("cancel_order", {}, "done"))["order"].state == "changed", "of which nobody knows"
    assert seen(first, ("cancel_order", GET, "done"), first)["order"].state == "known"


def test_a_change_whose_result_is_not_recorded_cannot_be_determined() -> None:
    extracted = seen(("get_order", GET, order()), ("pay_order", GET, None))
    assert extracted["order"].missing == "the result of call 1 (pay_order) is not recorded"
    assert extracted["order"].missing
    assert seen(("get_order", GET, order()), ("get_order", GET, None))["order"].state == "known"


def test_one_result_that_says_two_things_of_a_record_cannot_be_determined() -> None:
    extracted = seen(("list_orders", {}, {"orders": [order(), order(paid=True)]}))
    assert "contradict" in str(extracted["order"].missing)
    assert seen(("list_orders", {}, {"orders": [order(), order()]}))["order"].state == "known"


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
    extracted = seen(("get_order", GET, result))
    assert why in str(extracted["order"].missing)


def test_lists_of_the_call_are_lists_of_records_and_an_absent_one_is_empty() -> None:
    many: list[Json] = [{"name": "x", "price": 1} for _ in range(10_000)]
    extracted = seen(items=[{"name": "pen", "price": 3}])["items"]
    assert [item.name for item in extracted.value] == ["pen"]  # type: ignore[union-attr]
    assert seen()["items"].value == ()
    assert "10000 elements" in str(seen(items=many)["items"].missing)
    assert "no list" in str(seen(items="pen")["items"].missing)


def test_a_list_with_paths_by_tool_is_empty_for_another_tool() -> None:
    for elsewhere in ("", ", elsewhere = []"):
        paths = 'path = {buy = "$.arguments.items"}' + elsewhere
        spec = read_agent(
            SHOP.replace('path = "$.arguments.items"}\n[arguments.gone]', f"{paths}}}\n[arguments.gone]")
        )
        extractor = Extractor(spec.arguments, spec)
        items: Json = [{"name": "pen", "price": 3}]
        extracted = {
            tool: extractor.extract(RecordedCall("r", 0, tool, {"items": items}), [])["items"]
            for tool in ("buy", "change_order")
        }
        assert [item.name for item in extracted["buy"].value] == ["pen"]  # type: ignore[union-attr]
        assert extracted["change_order"].value == ()


def test_differences_of_a_list_of_the_call_and_one_of_a_record() -> None:
    extracted = seen(("get_order", GET, order()), items=[{"name": "ink", "price": 10}])["gone"]
    assert [item.name for item in extracted.value] == ["pen"]  # type: ignore[union-attr]
    assert seen(("get_order", GET, order()))["gone"].value == ()
    assert "look it up first" in str(seen(items=[])["gone"].missing)


def test_what_is_removed_is_told_by_the_fields_that_tell_elements_apart() -> None:
    by_name = SHOP.replace('take = "removed"', 'take = "removed", by = ["name"]')
    spec = read_agent(by_name)
    extractor = Extractor(spec.arguments, spec)
    earlier = [recorded_call(0, ("get_order", GET, order()))]

    def gone(items: Json) -> Extracted:
        now = RecordedCall("r", 1, "change_order", {"order_id": "A1", "items": items})
        return extractor.extract(now, earlier)["gone"]

    named = gone([{"name": "ink", "amount": "9.00"}])
    assert [(item.name, str(item.price)) for item in named.value] == [("pen", "2.5")]  # type: ignore[union-attr]
    assert "element 1" in str(gone([{"price": 10}]).missing)


# --- look-ups ---------------------------------------------------------------------


ASKED = LookedUp("get_order", {"order_id": "A1"})


def answer(result: object, why: str = "") -> LookedUp:
    text = result if isinstance(result, str) or result is None else json.dumps(result)
    return LookedUp("get_order", {"order_id": "A1"}, text, why)


def test_a_look_up_says_what_a_record_is_at_its_call_and_after_it() -> None:
    looked = seen(look_ups=(answer(order()),))
    assert known(looked["order"]).buyer == "ann"
    (place,) = looked["order"].provenance
    assert (place.text, place.call) == ("look_up.get_order", 0)
    before = recorded_call(0, ("say", {}, "ok"), look_ups=(answer(order()),))
    assert EXTRACTOR.extract(RecordedCall("r", 1, "x", GET), [before])["order"].state == "known"


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
    extracted = seen(look_ups=(looked,))
    assert why in str(extracted["order"].missing)
    other = RecordedCall("r", 1, "x", {"order_id": "B2"}, look_ups=(looked,))
    assert EXTRACTOR.extract(other)["order"].value is None, (
        "what a wrong answer says of another record does not count"
    )


def test_a_look_up_that_finds_none_says_that_there_is_none() -> None:
    assert seen(look_ups=(answer("no such order"),))["order"].state == "absent"


def test_what_is_wanted_is_asked_one_hop_after_the_other() -> None:
    wanted = EXTRACTOR.wanted(RecordedCall("r", 0, "x", GET))
    assert wanted == (ASKED,)
    now = RecordedCall("r", 0, "x", GET, look_ups=(answer(order()),))
    assert EXTRACTOR.wanted(now) == (LookedUp("get_customer", {"who": "ann"}),)
    done = LookedUp("get_customer", {"who": "ann"}, None, "no")
    assert EXTRACTOR.wanted(RecordedCall("r", 0, "x", GET, look_ups=(answer(order()), done))) == ()


# --- time -------------------------------------------------------------------------


def at(*times: str | None) -> Extracted:
    calls = [RecordedCall("r", index, "x", {}, time=time) for index, time in enumerate(times)]
    return EXTRACTOR.extract(calls[-1], calls[:-1])["now"]


def test_now_is_the_time_of_the_call_in_its_zone() -> None:
    first, second = at("2026-03-01T10:00:00").value, at("1772355600").value
    assert first == second, "10:00 in Oslo is 09:00 in UTC"
    assert str(at(None).missing).startswith("the log does not say when")
    assert "no time" in str(at("soon").missing)


def test_a_clock_that_goes_back_cannot_be_evaluated() -> None:
    assert at("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z").missing is None
    assert "clock went back" in str(at("2026-03-01T10:00:00Z", "2026-03-01T09:59:59Z").missing)


def test_a_time_without_zone_needs_a_declared_one() -> None:
    spec = read_agent(SHOP.replace('zone = "Europe/Oslo"', ""))
    extractor = Extractor(spec.arguments, spec)
    earlier = [recorded_call(0, ("get_order", GET, order()))]
    extracted = extractor.extract(RecordedCall("r", 1, "x", GET, time="2026-03-01T10:00:00"), earlier)
    assert "names no zone" in str(extracted["now"].missing)
    assert "names no zone" in str(extracted["order"].missing)


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
        ('key = "$.arguments.order_id"}', 'key = "customer.level"}', "go round in a circle"),
        ('"order.buyer"', '"order.buyr"', "is no field of order"),
        ('"order.buyer"', '"ordr.buyer"', "begins with no record argument"),
        ('record = "order"', 'record = "ordr"', "no record with a key that is declared: did you mean order?"),
        (', key = "$.arguments.order_id"', "", 'the record argument "order" needs its "key"'),
        ('{order_id = "key"}', '{order_id = "id"}', 'must be "key"'),
        ('["^Error"]', '["(Error"]', 'the pattern "(Error" does not compile'),
        ('"$.orders[*]"', '"$.orders[**]"', "is not understood"),
        ('pay_order = "$.order"', "pay_order = 3", "must be a path"),
        ('"Europe/Oslo"', '"Europe/Olso"', "there is no zone"),
        ('[arguments.items]\ntype = "list"', "[arguments.items]", 'the key "type"'),
        ('{method = "now"}', '{method = "now", part = "week"}', 'Did you mean "weekday"?'),
        ('of = "order.items"', 'of = "order.paid"', '"of" of "gone" is no list of a record argument.'),
    ],
)  # fmt: skip
def test_a_mistake_of_the_declaration_is_one_sentence(old: str, new: str, why: str) -> None:
    assert old in SHOP
    with pytest.raises(Exception, match=r"\.|\?") as raised:
        spec = read_agent(SHOP.replace(old, new, 1))
        Extractor(spec.arguments, spec)
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)
