"""All records of a kind in a run, and fields that calls change, compared with a shop that runs calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files.file_error import FileError
from workbench.model import Extracted, Json, LookedUp, RecordedCall, RecordValue, WorkbenchError
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent, write_agent

DESK = """
name = "desk"

[records.customer]
key = "id"
fields.mail = {type = "str", path = "contact.mail", part = "mail_address.address"}
fields.phone = {type = "str", optional = true}
results = {find_all = "$.found[*]"}
changed_by = ["merge"]
changed_to = {update = {mail = "$.arguments.new.mail", phone = "$.arguments.new.phone"}}
look_up = {tool = "find", arguments = {id = "key"}}
errors = ["^Error"]
absent = ["^none"]

[records.addressee]
fields.id = {type = "str"}
join.customer = {record = "customer", key = "id"}

[arguments.addressees]
type = "list"
of = "addressee"
extract = {method = "records", record = "customer"}
[arguments.customer]
extract = {method = "record", record = "customer", key = "$.arguments.id"}
"""
SPEC = read_agent(DESK)
EXTRACTOR = Extractor(SPEC.arguments, SPEC)

type Made = tuple[str, Mapping[str, Json], object]


def found_record(key: str, mail: str = "", **fields: object) -> dict[str, object]:
    return {"id": key, "contact": {"mail": mail or f"{key.lower()}@x.example"}, **fields}


def ran(index: int, call: Made) -> RecordedCall:
    tool, arguments, result = call
    text = result if isinstance(result, str) or result is None else json.dumps(result)
    texts = {"arguments": json.dumps(arguments), "result": text or ""}
    return RecordedCall("r", index, tool, arguments, texts, result=text)


def at_the_end(*calls: RecordedCall, **arguments: Json) -> Mapping[str, Extracted]:
    now = RecordedCall("r", len(calls), "send", arguments)
    return EXTRACTOR.extract(now, Earlier((*calls, now), len(calls)))


def after(*calls: Made, **arguments: Json) -> Mapping[str, Extracted]:
    return at_the_end(*(ran(index, call) for index, call in enumerate(calls)), **arguments)


def listed(readings: Mapping[str, Extracted]) -> dict[object, tuple[object, object]]:
    """The mail address and the state of each addressee by its key."""
    extracted = readings["addressees"]
    assert extracted.missing is None, extracted.missing
    assert isinstance(extracted.value, tuple)
    rows = [dict(element.fields) for element in extracted.value if isinstance(element, RecordValue)]
    return {row["id"]: (row["customer_mail"], row["customer_state"]) for row in rows}


FIND: Made = ("find", {"id": "A"}, found_record("A"))


def test_the_list_has_what_any_result_said_with_its_state() -> None:
    assert listed(after()) == {}
    several: Made = ("find_all", {}, {"found": [found_record("C"), found_record("B", "Bo <BO@x.example>")]})
    extracted = after(FIND, several, ("find", {"id": "D"}, "none of this id"), ("merge", {"id": "C"}, "done"))
    assert listed(extracted) == {
        "A": ("a@x.example", "known"),
        "B": ("bo@x.example", "known"),
        "C": (None, "not_looked_up"),
        "D": (None, "absent"),
    }
    assert extracted["addressees"].remedy == 'find(id="C")'
    assert [place.call for place in extracted["addressees"].items["addressees[1].customer"]] == [1]


def test_a_look_up_of_the_guard_counts_like_one_of_the_agent() -> None:
    looked_up = LookedUp("find", {"id": "A"}, result=json.dumps(found_record("A")))
    now = RecordedCall("r", 0, "send", {}, look_ups=(looked_up,))
    assert listed(EXTRACTOR.extract(now, ())) == {"A": ("a@x.example", "known")}


UNREAD: list[tuple[Made, str]] = [
    (("find", {"id": "B"}, None), "is not recorded"),
    (("find", {"mail": "b@x.example"}, "<html>"), "no JSON"),
    (("find_all", {}, {"found": [{"contact": 1}]}), "does not say the id"),
    (("find", {"id": "B"}, {"id": "B"}), "customer.mail"),
]


@pytest.mark.parametrize(("call", "why"), UNREAD)
def test_a_list_that_may_lack_a_record_is_missing(call: Made, why: str) -> None:
    assert why in str(after(FIND, call, FIND)["addressees"].missing)


def test_what_fails_or_is_refused_tells_of_no_record() -> None:
    failed = RecordedCall("r", 1, "find", {"id": "B"}, failed=True)
    refused = RecordedCall("r", 2, "find", {"id": "B"}, ran=False)
    error = ran(3, ("find", {"id": "B"}, "Error: busy"))
    assert list(listed(at_the_end(ran(0, FIND), failed, refused, error))) == ["A"]
    going_on = replace(ran(1, ("find_all", {}, {"found": []})), known_from=3)
    assert "not known yet" in str(at_the_end(ran(0, FIND), going_on)["addressees"].missing)
    unknown = RecordedCall("r", 1, None, None, result="{}")
    assert "which tool" in str(at_the_end(ran(0, FIND), unknown)["addressees"].missing)


def test_a_field_is_what_the_call_that_changed_it_says_with_its_characters() -> None:
    update: Made = ("update", {"id": "A", "new": {"mail": "Ann <new@x.example>", "name": "Ann"}}, "{}")
    extracted = after(FIND, update, id="A")["customer"]
    assert isinstance(extracted.value, RecordValue)
    assert extracted.value.mail == "new@x.example"
    (place,) = extracted.items["customer.mail"]
    (span,) = place.spans
    assert (place.call, place.text) == (1, "arguments")
    assert json.dumps(update[1])[span.start : span.end] == "Ann <new@x.example>"
    assert [provenance.call for provenance in after(FIND, update, FIND, id="A")["customer"].provenance] == [2]


def test_a_change_of_what_is_not_known_tells_nothing() -> None:
    update: Made = ("update", {"id": "A", "new": {"mail": "new@x.example"}}, "{}")
    assert listed(after(update)) == {"A": (None, "not_looked_up")}
    assert listed(after(FIND, (*update[:2], "Error: no"))) == {"A": ("a@x.example", "known")}
    two_addresses: Made = ("update", {"id": "A", "new": {"mail": "a@x.example, b@x.example"}}, "{}")
    assert "changed customer.mail" in str(after(FIND, two_addresses, id="A")["customer"].missing)
    assert "not recorded" in str(after(FIND, (*update[:2], None), id="A")["customer"].missing)
    of_any: Made = ("update", {"new": {"mail": "new@x.example"}}, "{}")
    assert listed(after(FIND, of_any)) == {"A": (None, "not_looked_up")}, "it may be of anybody"
    spelled: Made = ("update", {"id": "a ", "new": {"mail": "new@x.example"}}, "{}")
    assert listed(after(FIND, spelled))["A"] == (None, "not_looked_up"), "which may be the same"


def test_the_spec_survives_the_round_trip() -> None:
    assert read_agent(write_agent(SPEC)) == SPEC


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('mail = "$.arguments.new.mail", ', 'mial = "$.arguments.new.mail", ', "mail"),
        ("$.arguments.new.phone", "$.result.phone", "no path of one value of a call"),
        ("$.arguments.new.phone", "$.arguments.new[*]", "no path of one value of a call"),
        ("changed_to = {update", "changed_to = {find", "is not needed"),
        ("changed_to = {update", "changed_to = {find_all", "is not needed"),
        ("changed_to = {update = {", "changed_to = {update = {id = 3, ", "id"),
    ],
)
def test_a_change_that_cannot_be_is_refused_with_its_place(old: str, new: str, why: str) -> None:
    assert old in DESK
    with pytest.raises(FileError, match=why):
        read_agent(DESK.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('records", record = "customer"', 'records", record = "addressee"', "no declared record with a key"),
        ('records", record = "customer"', 'records", record = "none"', "no declared record with a key"),
        ('of = "addressee"', 'of = "str"', "a list of a record without a key"),
        ('fields.id = {type = "str"}', 'fields.id = {type = "str"}\nfields.x = {type = "str"}', "one field"),
    ],
)
def test_a_list_that_cannot_be_is_refused(old: str, new: str, why: str) -> None:
    assert old in DESK
    spec = read_agent(DESK.replace(old, new))
    with pytest.raises(WorkbenchError, match=why):
        Extractor(spec.arguments, spec)


# --- an oracle: a shop that runs the calls, whose truth the extraction may not miss -----


@dataclass(frozen=True)
class Asked:
    """A call of a random run; it takes some calls, and has its effect at ``effect`` % of that time."""

    tool: str
    key: str
    number: int
    outcome: str
    lasts: int
    effect: int


ASKED = st.builds(
    Asked,
    st.sampled_from(["find", "find", "find_all", "update", "update", "rename", "merge"]),
    st.sampled_from("AB"),
    st.integers(0, 2),
    st.sampled_from(["ok", "ok", "ok", "fails", "refused"]),
    st.sampled_from([1, 1, 2, 3]),
    st.integers(0, 99),
)


OVERLAPPING = [
    Asked(tool, "A", number, "ok", lasts, effect)
    for number, tool in enumerate(["find", "update", "merge"])
    for lasts in (1, 2)
    for effect in (5, 95)
]


def shop_run(requests: Sequence[Asked]) -> tuple[list[RecordedCall], dict[str, str]]:
    """The calls as a shop answers them, each at the moment of its effect, and the shop's final data."""
    mails = {"A": "a@x.example"}
    results: dict[int, str] = {}
    moments = sorted(
        (place + request.lasts * request.effect / 100, place) for place, request in enumerate(requests)
    )
    for moment, place in moments:
        request = requests[place]
        if request.outcome != "ok" or moment >= len(requests):
            results[place] = "Error: no"
            continue
        result = {"found": [found_record(key, mail) for key, mail in mails.items()]}
        match request.tool:
            case "find":
                own = mails.get(request.key)
                results[place] = json.dumps(found_record(request.key, own)) if own else "none"
            case "find_all":
                results[place] = json.dumps(result)
            case "update":
                mails[request.key] = f"new{request.number}@x.example"
                results[place] = "{}"
            case "merge":
                mails[request.key] = f"merged{request.number}@x.example"
                results[place] = "{}"
            case _:
                results[place] = "{}"
    calls = [
        RecordedCall(
            "r",
            place,
            "update" if request.tool == "rename" else request.tool,
            arguments_of(request),
            result=results[place],
            ran=request.outcome != "refused",
            known_from=place + request.lasts,
        )
        for place, request in enumerate(requests)
    ]
    return calls, mails


def arguments_of(request: Asked) -> dict[str, Json]:
    if request.tool == "find_all":
        return {}
    new: dict[str, Json] = {"update": {"mail": f"new{request.number}@x.example"}, "rename": {"name": "Ann"}}
    return {"id": request.key, **({"new": new[request.tool]} if request.tool in new else {})}


@given(st.lists(ASKED, max_size=8))
def test_what_is_known_is_so_in_the_shop_and_nothing_that_was_told_is_lacking(requests: list[Asked]) -> None:
    check_beside_the_shop(requests)


def test_of_calls_that_overlap_nothing_stale_is_known() -> None:
    for requests in (*product(OVERLAPPING, repeat=2), *product(OVERLAPPING, repeat=3)):
        check_beside_the_shop(requests)


def check_beside_the_shop(requests: Sequence[Asked]) -> None:
    calls, mails = shop_run(requests)
    extracted = at_the_end(*calls)
    if extracted["addressees"].missing is not None:
        assert any(request.lasts > 1 for request in requests), extracted["addressees"].missing
        return
    rows = listed(extracted)
    for key, (mail, state) in rows.items():
        assert state != "known" or mail == mails[str(key)]
        assert state != "absent" or key not in mails
    answered = [
        request
        for place, request in enumerate(requests)
        if request.outcome == "ok"
        and place + request.lasts <= len(requests)
        and request.tool in ("find", "update", "merge")
    ]
    assert {request.key for request in answered} <= set(rows)
    if all(request.lasts == 1 for request in requests):
        assert rows == walked(calls)


def walked(calls: Sequence[RecordedCall]) -> dict[object, tuple[object, object]]:
    """The knowledge from reading the results one after the other, for calls that do not overlap."""
    rows: dict[object, tuple[object, object]] = {}
    for call in calls:
        if not call.ran or call.result is None or call.result.startswith("Error"):
            continue
        given_ = call.arguments or {}
        match call.tool:
            case "find" if call.result == "none":
                rows[given_["id"]] = (None, "absent")
            case "find" | "find_all":
                value = json.loads(call.result)
                for record in value.get("found", [value]):
                    rows[record["id"]] = (record["contact"]["mail"], "known")
            case _:
                key, new = given_["id"], given_.get("new")
                mail = new.get("mail") if isinstance(new, dict) else None
                before = rows.get(key, (None, "not_looked_up"))
                if call.tool == "merge" or before[1] != "known":
                    rows[key] = (None, "not_looked_up")
                elif mail is not None:
                    rows[key] = (mail, "known")
    return rows
