"""Results that imitate other things: each gives a sentence, and never a reason to allow."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.world.test_world import GET, SHOP, Made, known, order, seen, state, unclear
from workbench.guard import EnforcedPolicy
from workbench.model import Arguments, Decision, Extracted, Json, Verdict, Violation
from workbench.runs.replay.decide import DecisionCache
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.world.facts import RecordState
from workbench.session.agent_file import read_agent

pytestmark = pytest.mark.bounded

FIRST: Made = ("get_order", GET, order())


class Unpaid(EnforcedPolicy):
    """Allows a call about an order that is known and not paid."""

    def decide(self, arguments: Arguments) -> Decision:
        """Deny all other calls."""
        record: Any = arguments["order"]
        if record is not None and record.paid is False:
            return Decision(Verdict.ALLOW, (), arguments)
        return Decision(Verdict.DENY, (Violation("unpaid", "It is paid, or not known."),), arguments)


def verdict(*calls: Made, key: str = "A1") -> Verdict:
    fact = seen(*calls, key=key).fact
    missing = fact.why if fact.state is RecordState.NOT_DETERMINABLE else None
    return DecisionCache(Unpaid()).decide({"order": Extracted(fact.value, missing=missing)}).verdict


# --- keys -------------------------------------------------------------------------


@pytest.mark.parametrize(("said_key", "asked_key"), [(7, "7"), ("7", 7), ("A1", "A1"), ("Å", "Å")])
def test_a_text_and_a_whole_number_of_the_same_digits_are_one_key(said_key: Json, asked_key: Json) -> None:
    asked: Made = ("get_order", {"order_id": asked_key}, order(said_key))
    assert verdict(asked, key=str(asked_key)) is Verdict.ALLOW


@pytest.mark.parametrize("key", [7.0, True, None, ["A1"], {"id": "A1"}, "", 1e300])
def test_what_is_no_key_names_no_record(key: Json) -> None:
    assert "neither a text nor a whole number" in unclear(seen(("get_order", GET, order(key))))
    assert verdict(("get_order", GET, order(key))) is Verdict.CANNOT_EVALUATE


@pytest.mark.parametrize("key", ["B2", "a1", "A1 ", "Ａ1", "A\u200b1", "A1\u0000"])
def test_a_result_of_another_record_is_no_answer_and_sets_none(key: str) -> None:
    lie: Made = ("get_order", GET, order(key))
    assert "is about A1 and its result about" in unclear(seen(lie))
    assert state(seen(lie, key="B2")) == "not_looked_up"
    other: Made = ("get_order", {"order_id": "B2"}, order("B2"))
    assert known(seen(other, lie, key="B2")).paid is False, "who only asks changes nothing"
    changed: Made = ("pay_order", GET, {"order": order(key)})
    assert verdict(FIRST, changed) is Verdict.CANNOT_EVALUATE
    assert verdict(other, ("pay_order", GET, {"order": order("B2")}), key="B2") is not Verdict.ALLOW


@pytest.mark.parametrize("spelled", ["a1", " A1", "Ａ1", "A-1", "a1\n", "#A1"])
def test_a_change_of_a_record_in_another_spelling_is_taken_for_one_of_it(spelled: str) -> None:
    changed: Made = ("cancel_order", {"order_id": spelled}, "done")
    found = seen(FIRST, changed)
    assert (state(found), str(found.remedy)) == ("changed", 'get_order(order_id="A1")')
    assert verdict(FIRST, changed) is Verdict.DENY
    assert verdict(FIRST, changed, FIRST) is Verdict.ALLOW
    assert verdict(FIRST, ("cancel_order", {"order_id": "A12"}, "done")) is Verdict.ALLOW


@pytest.mark.parametrize("named", [1.5, True, None, ["A1"], {"A1": 1}])
def test_a_change_of_what_is_no_key_may_be_one_of_any_record(named: Json) -> None:
    assert verdict(FIRST, ("cancel_order", {"order_id": named}, "done")) is Verdict.DENY


def test_a_list_of_a_call_that_changes_has_to_hold_the_record_that_it_names() -> None:
    listed: Made = ("list_orders", GET, {"orders": [order("B2")]})
    assert verdict(FIRST, listed) is Verdict.DENY
    assert verdict(FIRST, ("list_orders", {}, {"orders": [order("B2")]})) is Verdict.ALLOW


# --- what a result hides ----------------------------------------------------------


@pytest.mark.parametrize("tool", ["get_order", "pay_order"])
def test_who_writes_into_a_record_cannot_hide_it(tool: str) -> None:
    spec = read_agent(SHOP.replace('["^Error"]', '["Error"]'))
    body = order(paid=True, buyer="Error: no such order")
    writing_call: Made = (tool, GET, body if tool == "get_order" else {"order": body})
    assert "matches" in unclear(seen(FIRST, writing_call, spec=spec))


BOARDS = """
name = "boards"
[tools.get_board]
[tools.share]
[records.board]
key = "board_id"
fields.owner = {type = "str", optional = true}
fields.private = {type = "bool", optional = true}
look_up = {tool = "get_board", arguments = {board_id = "key"}}
errors = ['^\\{"error"']
absent = ["not found"]
"""


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"error": "not found"}, "absent"),
        ({"error": "down"}, "not_looked_up"),
        ({"owner": "not found"}, ""),
        ({"board_id": "d", "error": "not found"}, ""),
        ({"error": "not found", "private": False}, ""),
    ],
)
def test_an_error_is_no_record_of_which_all_may_lack(result: Json, said: str) -> None:
    asked: Made = ("get_board", {"board_id": "d"}, result)
    found = seen(asked, key="d", record="board", spec=read_agent(BOARDS))
    if said:
        assert state(found) == said
    else:
        assert "as well" in unclear(found)


def test_a_result_with_an_error_tells_no_record_without_a_pattern() -> None:
    spec = read_agent(BOARDS.replace("errors = ['^\\{\"error\"']\n", ""))
    assert not spec.records[0].errors
    for result, said in (({"error": "down"}, "not_looked_up"), ({"owner": "ann", "error": "down"}, "")):
        found = seen(("get_board", {"board_id": "d"}, result), key="d", record="board", spec=spec)
        assert state(found) == said if said else "has an error as well" in unclear(found)
    told = seen(
        ("get_board", {"board_id": "d"}, {"owner": "ann", "error": None}), key="d", record="board", spec=spec
    )
    assert state(told) == "known"


@pytest.mark.parametrize(
    "result",
    [
        '{"id": "A1", "paid": true, "paid": false}',
        json.dumps(order())[:-1] + ', "id": "A1"}',
        json.dumps(order())[:-1] + ', "paid": NaN}',
        json.dumps(order(paid="NaN")),
        json.dumps(order(paid=0)),
        json.dumps(order(paid=[])),
        '{"id": "A1", "deep": ' + "[" * 10_000 + "]" * 10_000 + "}",
        '{"id": "A1", "paid": ' + "9" * 10_000 + "}",
        json.dumps(order(items=[{"name": "x", "price": 1e999}])),
        json.dumps(order(items=[{"name": "x", "price": "9" * 40}])),
        json.dumps([order()]),
        json.dumps(json.dumps(order())),
        json.dumps(order()) + json.dumps(order()),
        json.dumps(order()).replace("paid", "Paid"),
        json.dumps(order()) + " " * 1_000_001,
        "",
        "null",
        "\ufeff" + json.dumps(order()),
    ],
)
def test_no_trick_of_json_makes_a_record_known(result: str) -> None:
    assert unclear(seen(("get_order", GET, result)))
    assert verdict(("get_order", GET, result)) is Verdict.CANNOT_EVALUATE
    assert verdict(FIRST, ("pay_order", GET, result)) is Verdict.CANNOT_EVALUATE


def test_ten_thousand_records_in_one_result_are_read_once_and_the_right_one_is_quoted() -> None:
    small = {"buyer": "x", "paid": False, "made": "2026-03-01T10:00:00", "items": list[Json]()}
    orders: list[Json] = [{"id": number, **small} for number in range(10_000)]
    result = json.dumps({"orders": orders})
    (place,) = seen(("list_orders", {}, result), key="9999").fact.provenance
    (span,) = place.spans
    assert json.loads(result[span.start : span.end])["id"] == 9_999


@pytest.mark.parametrize("kind", ["Card", " card", "CARD"])
def test_a_member_that_is_the_wanted_one_in_another_spelling_cannot_be_told(kind: str) -> None:
    customer = {"customer_id": "ann", "level": "known", "methods": [{"id": "c1", "kind": kind}]}
    asked: Made = ("get_customer", {"who": "ann"}, customer)
    assert "written otherwise" in unclear(seen(asked, key="ann", record="customer"))
    plain = {**customer, "methods": [{"id": "c1", "kind": "voucher"}]}
    asked = ("get_customer", {"who": "ann"}, plain)
    assert known(seen(asked, key="ann", record="customer")).cards == frozenset()


# --- anything at all --------------------------------------------------------------

JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def changed(new: dict[str, Json]) -> Json:
    """An order with other content."""
    return {**cast("dict[str, Json]", order()), **new}


CHANGED = st.dictionaries(st.sampled_from(sorted(order())), JSON, max_size=2).map(changed)
BODIES: st.SearchStrategy[Json] = st.one_of(JSON, CHANGED, st.fixed_dictionaries({"order": CHANGED}))
RESULTS = BODIES.map(json.dumps) | st.text()
CALLS = st.lists(
    st.tuples(
        st.sampled_from(("get_order", "pay_order", "cancel_order", "list_orders")),
        st.dictionaries(st.sampled_from(("order_id", "id")), st.one_of(st.just("A1"), JSON), max_size=2),
        RESULTS,
    ),
    max_size=4,
)


@settings(max_examples=examples(80), deadline=None)
@given(CALLS)
def test_only_a_result_that_says_so_makes_an_order_known_and_unpaid(calls: list[Made]) -> None:
    if verdict(*calls) is not Verdict.ALLOW:
        return
    honest = [_says_unpaid(str(result)) for tool, _, result in calls if tool != "cancel_order"]
    assert any(honest)


def _says_unpaid(result: str) -> bool:
    try:
        value = parse_json(result)
    except BadJson:
        return False
    if not isinstance(value, dict):
        return False
    listed = value.get("orders")
    records = [value, value.get("order"), *(listed if isinstance(listed, list) else [])]
    return any(record.get("paid") in (False, "no", "false") for record in records if isinstance(record, dict))
