"""Lists whose elements are joined with the records that they name, in calls, records and differences."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files.file_error import FileError
from workbench.model import Extracted, Json, LookedUp, RecordedCall, RecordValue
from workbench.runs.extract.extractor import Extractor
from workbench.session.agent_file import read_agent, write_agent

DESK = """
name = "desk"

[records.flight]
key = ["number", "date"]
fields.price = {type = "int"}
fields.seats = {type = "int", path = "left.economy", optional = true}
results = {search = "$[*]"}
errors = ["^Error"]

[records.invoice]
key = "id"
fields.vendor_id = {type = "str", optional = true}
fields.due = {type = "decimal"}
look_up = {tool = "get_invoice", arguments = {id = "key"}}
absent = ["none"]

[records.vendor]
key = "id"
fields.iban = {type = "str", normal = "code"}
look_up = {tool = "get_vendor", arguments = {id = "key"}}
absent = ["none"]

[records.claimed]
fields.line = {type = "int"}
fields.amount = {type = "decimal"}

[records.report]
key = "id"
fields.owner = {type = "str"}
fields.lines = {type = "list", of = "claimed"}
look_up = {tool = "get_report", arguments = {id = "key"}}

[records.trip]
key = "id"
fields.legs = {type = "list", of = "leg"}
look_up = {tool = "get_trip", arguments = {id = "key"}}

[records.leg]
fields.number = {type = "str"}
fields.date = {type = "date"}
join.flight = {record = "flight", key = {number = "number", date = "date"}}

[records.payment]
fields.invoice_id = {type = "str", optional = true}
fields.amount = {type = "decimal"}
join.invoice = {record = "invoice", key = "invoice_id"}
join.vendor = {record = "vendor", key = "invoice.vendor_id"}

[records.approved]
fields.of = {type = "int"}
fields.amount = {type = "decimal"}
join.claim = {list = "report.lines", key = {line = "of"}}

[arguments.legs]
type = "list"
of = "leg"
extract = {method = "jsonpath", path = "$.arguments.legs"}
[arguments.payments]
type = "list"
of = "payment"
extract = {method = "jsonpath", path = {pay = "$.arguments", pay_all = "$.arguments.payments"}}
[arguments.lines]
type = "list"
of = "approved"
extract = {method = "jsonpath", path = "$.arguments.lines"}
[arguments.report]
extract = {method = "record", record = "report", key = "$.arguments.report_id"}
[arguments.trip]
extract = {method = "record", record = "trip", key = "$.arguments.trip_id"}
[arguments.added]
extract = {method = "difference", path = "$.arguments.legs", of = "trip.legs"}
"""
SPEC = read_agent(DESK)
EXTRACTOR = Extractor(SPEC.arguments, SPEC)

type Made = tuple[str, Mapping[str, Json], object]


def ran(index: int, call: Made) -> RecordedCall:
    tool, arguments, result = call
    text = result if isinstance(result, str) else json.dumps(result)
    return RecordedCall("r", index, tool, arguments, {"result": text}, result=text)


def arguments_after(
    tool: str, arguments: Mapping[str, Json], *calls: Made, **more: Any
) -> Mapping[str, Extracted]:
    """The arguments of a call after other calls."""
    now = RecordedCall("r", len(calls), tool, arguments, **more)
    return EXTRACTOR.extract(now, [ran(index, call) for index, call in enumerate(calls)])


def elements(extracted: Extracted) -> list[Mapping[str, object]]:
    assert extracted.missing is None, extracted.missing
    assert isinstance(extracted.value, tuple)
    return [dict(element.fields) for element in extracted.value if isinstance(element, RecordValue)]


def search(date: str, *flights: Mapping[str, object]) -> Made:
    return "search", {"date": date}, list(flights)


MAY = search(
    "2026-05-01", {"number": "A1", "price": 10, "left": {"economy": 3}}, {"number": "B2", "price": 20}
)
LEG: Json = {"number": "A1", "date": "2026-05-01"}


def test_a_leg_has_the_price_of_the_flight_of_its_number_and_its_date() -> None:
    legs: Json = [LEG, {"number": "A1", "date": "2026-05-02"}, {"number": "B2", "date": "2026-05-01"}]
    first, second, third = elements(arguments_after("book", {"legs": legs}, MAY)["legs"])
    assert (first["flight_price"], first["flight_seats"], first["flight_state"]) == (10, 3, "known")
    assert (second["flight_price"], second["flight_state"]) == (None, "not_looked_up"), "of another day"
    assert (third["flight_price"], third["flight_seats"]) == (20, None), "the result says no seats"


def test_a_thing_that_is_named_twice_says_so_in_each_of_its_elements() -> None:
    legs: Json = [LEG, {"number": "B2", "date": "2026-05-01"}, LEG]
    assert [
        leg["flight_times"] for leg in elements(arguments_after("book", {"legs": legs}, MAY)["legs"])
    ] == [2, 1, 2]


def test_each_element_points_to_the_characters_that_say_what_it_names() -> None:
    extracted = arguments_after("book", {"legs": [{"number": "B2", "date": "2026-05-01"}, LEG]}, MAY)["legs"]
    assert list(extracted.items) == ["legs[0].flight", "legs[1].flight"]
    (place,) = extracted.items["legs[1].flight"]
    (span,) = place.spans
    text = json.dumps(MAY[2])
    assert (place.call, place.text) == (0, "result")
    assert json.loads(text[span.start : span.end])["number"] == "A1"


INVOICE: Made = ("get_invoice", {"id": "I1"}, {"id": "I1", "vendor_id": "V1", "due": "9.50"})
VENDOR: Made = ("get_vendor", {"id": "V1"}, {"id": "V1", "iban": "DE02"})
PAY: dict[str, Json] = {"invoice_id": "I1", "amount": "9.50"}


def test_two_hops_lead_from_a_payment_to_the_vendor_of_its_invoice() -> None:
    (payment,) = elements(arguments_after("pay", PAY, INVOICE, VENDOR)["payments"])
    assert (payment["invoice_vendor_id"], payment["vendor_iban"], payment["vendor_state"]) == (
        "V1",
        "DE02",
        "known",
    )
    extracted = arguments_after("pay", PAY, INVOICE)["payments"]
    assert elements(extracted)[0]["vendor_state"] == "not_looked_up"
    assert extracted.remedy == 'get_vendor(id="V1")'


@pytest.mark.parametrize("written", ["de02 12", "DE0212", " De 02 12 "])
def test_spellings_of_one_code_are_one_text(written: str) -> None:
    vendor: Made = ("get_vendor", {"id": "V1"}, {"id": "V1", "iban": written})
    assert elements(arguments_after("pay", PAY, INVOICE, vendor)["payments"])[0]["vendor_iban"] == "DE0212"


@pytest.mark.parametrize("written", ["DE-02", "ＤＥ02", "DE02\u200b", "", "DE0²"])
def test_what_is_no_code_is_not_determinable(written: str) -> None:
    vendor: Made = ("get_vendor", {"id": "V1"}, {"id": "V1", "iban": written})
    assert "vendor.iban" in str(arguments_after("pay", PAY, INVOICE, vendor)["payments"].missing)


def test_the_four_states_are_those_of_each_element() -> None:
    lines: Json = [PAY, {"invoice_id": "I2", "amount": 1}, {"invoice_id": "I3", "amount": 1}, {"amount": 1}]
    extracted = arguments_after(
        "pay_all", {"payments": lines}, INVOICE, ("get_invoice", {"id": "I2"}, "none")
    )["payments"]
    states = [(element["invoice_state"], element["vendor_state"]) for element in elements(extracted)]
    assert states == [
        ("known", "not_looked_up"),
        ("absent", "absent"),
        ("not_looked_up", "not_looked_up"),
        ("not_named", "not_named"),
    ]
    assert [element["invoice_times"] for element in elements(extracted)] == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ([("get_invoice", {"id": "I1"}, "a page")], "element 1, invoice: call 0"),
        ([("get_invoice", {"id": "I1"}, {"id": "I1", "vendor_id": "V1"})], "invoice.due"),
        ([INVOICE, ("get_vendor", {"id": "V1"}, {"id": "V1"})], "element 1, vendor: call 1"),
    ],
)
def test_what_cannot_be_determined_of_one_element_makes_the_list_missing(calls: list[Made], why: str) -> None:
    assert why in str(arguments_after("pay", PAY, *calls)["payments"].missing)


def test_what_no_element_names_spoils_nothing() -> None:
    assert elements(
        arguments_after("pay", PAY, INVOICE, VENDOR, ("get_vendor", {"id": "V2"}, "a page"))["payments"]
    )


def test_a_call_is_the_only_element_of_its_own_list_and_no_list_hides_it() -> None:
    hidden: Mapping[str, Json] = {**PAY, "payments": []}
    assert len(elements(arguments_after("pay", hidden, INVOICE, VENDOR)["payments"])) == 1
    assert arguments_after("other", PAY)["payments"].value == ()
    assert arguments_after("pay_all", PAY)["payments"].value == ()
    assert "no list" in str(arguments_after("pay_all", {"payments": {}})["payments"].missing)
    assert arguments_after("pay", {"invoice_id": "I1"})["payments"].missing is not None


REPORT: Made = (
    "get_report",
    {"id": "R1"},
    {"id": "R1", "owner": "ann", "lines": [{"line": 1, "amount": 5}, {"line": 2, "amount": 7}]},
)


def approve(*lines: int) -> Mapping[str, Json]:
    return {"report_id": "R1", "lines": [{"of": line, "amount": 5} for line in lines]}


def test_the_lines_of_a_call_have_what_the_lines_of_the_report_say() -> None:
    extracted = arguments_after("approve", approve(2, 9, 2), REPORT)["lines"]
    lines = elements(extracted)
    assert [str(line["claim_amount"]) for line in lines] == ["7", "None", "7"]
    assert [line["claim_state"] for line in lines] == ["known", "absent", "known"]
    assert [line["claim_times"] for line in lines] == [2, 1, 2]
    ((place,),) = [extracted.items["lines[0].claim"]]
    assert json.dumps(REPORT[2])[place.spans[0].start : place.spans[0].end] == '{"line": 2, "amount": 7}'


def test_lines_of_a_report_that_nobody_looked_up_say_so() -> None:
    extracted = arguments_after("approve", approve(1))["lines"]
    assert elements(extracted)[0]["claim_state"] == "not_looked_up"
    assert extracted.remedy == 'get_report(id="R1")'
    assert (
        elements(arguments_after("approve", {"lines": [{"of": 1, "amount": 5}]})["lines"])[0]["claim_state"]
        == "not_named"
    )


def test_a_report_that_has_a_line_twice_decides_nothing_about_it() -> None:
    twice = {"id": "R1", "owner": "ann", "lines": [{"line": 1, "amount": 5}, {"line": 1, "amount": 500}]}
    assert "2 elements of this key" in str(
        arguments_after("approve", approve(1), ("get_report", {"id": "R1"}, twice))["lines"].missing
    )


def test_the_list_of_a_looked_up_record_is_joined_as_it_is_known_at_each_call() -> None:
    trip: Made = ("get_trip", {"id": "T"}, {"id": "T", "legs": [LEG]})
    before = arguments_after("change", {"trip_id": "T"}, trip)["trip"].value
    after = arguments_after("change", {"trip_id": "T"}, trip, MAY)
    assert isinstance(before, RecordValue)
    assert [dict(leg.fields)["flight_state"] for leg in before.legs] == ["not_looked_up"]  # type: ignore[union-attr]
    value = after["trip"].value
    assert isinstance(value, RecordValue)
    assert [dict(leg.fields)["flight_price"] for leg in value.legs] == [10]  # type: ignore[union-attr]
    assert after["trip"].items["trip.legs[0].flight"][0].call == 1
    legs: Json = [LEG, {"number": "B2", "date": "2026-05-01"}]
    added = arguments_after("change", {"trip_id": "T", "legs": legs}, trip, MAY)["added"]
    assert [(leg["number"], leg["flight_price"]) for leg in elements(added)] == [("B2", 20)]


def test_a_guard_asks_for_all_that_the_elements_name() -> None:
    payments: Json = [PAY, {"invoice_id": "I2", "amount": 1}]
    now = RecordedCall("r", 0, "pay_all", {"payments": payments})
    wanted = EXTRACTOR.wanted(now)
    assert set(map(str, wanted)) == {'get_invoice(id="I1")', 'get_invoice(id="I2")'}
    answers = tuple(
        LookedUp("get_invoice", {"id": name}, json.dumps({"id": name, "vendor_id": "V1", "due": 1}))
        for name in ("I1", "I2")
    )
    then = RecordedCall("r", 0, "pay_all", {"payments": payments}, look_ups=answers)
    assert list(map(str, EXTRACTOR.wanted(then))) == ['get_vendor(id="V1")']


@given(st.lists(st.sampled_from(["A1", "B2", "C3"]), max_size=8), st.sets(st.sampled_from(["A1", "B2"])))
def test_a_join_is_a_look_up_by_hand(numbers: list[str], known: set[str]) -> None:
    prices = {number: 10 + place for place, number in enumerate(sorted(known))}
    searched = search("2026-05-01", *({"number": number, "price": price} for number, price in prices.items()))
    legs: Json = [{"number": number, "date": "2026-05-01"} for number in numbers]
    legs_found = elements(arguments_after("book", {"legs": legs}, searched)["legs"])
    assert [(leg["number"], leg["flight_price"], leg["flight_times"]) for leg in legs_found] == [
        (number, prices.get(number), numbers.count(number)) for number in numbers
    ]


def test_an_agent_spec_with_joins_is_written_as_it_was_read() -> None:
    assert read_agent(write_agent(SPEC)) == SPEC
    assert read_agent(write_agent(SPEC, DESK)) == SPEC


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('join.flight = {record = "flight"', 'join.flight = {record = "fligt"', 'Did you mean "flight"?'),
        ('key = {number = "number", date = "date"}', 'key = "number"', "parts number, date"),
        ('key = {number = "number", date = "date"}', 'key = {number = "nummer", date = "date"}', "number"),
        ('list = "report.lines"', 'list = "report.owner"', "no list of records"),
        ('list = "report.lines"', 'list = "report.lines", record = "flight"', "either"),
        ("fields.number = {type", "fields.flight_state = {type = 'str'}\nfields.number = {type", "twice"),
        ('key = "invoice.vendor_id"', 'key = "invoice.due"', "no field of the element"),
        ("fields.owner", 'join.vendor = {record = "vendor", key = "owner"}\nfields.owner', 'has a "key"'),
        ('key = ["number", "date"]', 'key = ["number", "number"]', "different"),
        ('normal = "code"', 'normal = "iban"', "normal form of a text"),
        ('results = {search = "$[*]"}', 'look_up = {tool = "s", arguments = {n = "key"}}', "each part"),
    ],
)  # fmt: skip
def test_a_join_that_cannot_be_is_refused_with_its_place(old: str, new: str, why: str) -> None:
    assert old in DESK
    with pytest.raises(FileError, match=r"agent\.toml:") as caught:
        read_agent(DESK.replace(old, new, 1))
    assert why in str(caught.value)
