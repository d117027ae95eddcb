"""Records, lists and kinds of values are proposed from results of tools, and accepted or dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.app.tool_sources import read_tools
from workbench.model import (
    AgentSpec,
    Json,
    Kind,
    Proposal,
    RecordedCall,
    Tool,
    field_of,
)
from workbench.runs.proposals.call_proposals import propose_for_calls, with_accepted, with_dropped
from workbench.runs.proposals.result_shapes import MOST_FIELDS
from workbench.runs.world.record_finder import RecordFinder
from workbench.session.agent_file import read_agent, write_agent

TEXT: Json = {"type": "string"}


def schema(properties: Mapping[str, Json], *optional: str) -> dict[str, Json]:
    needed: list[Json] = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": needed}


COPIES: Json = {"type": "array", "items": schema({"shelf": TEXT, "copy": {"type": "integer"}})}
# A library: loans have copies, which are on shelves; members pay by cards.
LIBRARY = (
    Tool("get_loan", "", schema({"loan_id": TEXT})),
    Tool("extend_loan", "", schema({"loan_id": TEXT, "days": {"type": "integer"}})),
    Tool("lend", "Creates a loan.", schema({"member_id": TEXT, "copies": COPIES, "due": TEXT})),
    Tool("member_details", "", schema({"member_id": TEXT}), reads_only=True),
    Tool("search_shelves", "", schema({"word": TEXT, "floor": {"type": "integer"}}, "floor")),
    Tool("send_reminder", "", schema({"member_id": TEXT, "text": TEXT})),
    Tool("burn", "", schema({"loan_id": TEXT})),
)


def loan(number: int, days: int = 14) -> dict[str, Json]:
    return {
        "loan_id": f"L{number}",
        "member_id": f"M{number % 3}",
        "due_on": f"2026-03-{days:02}",
        "fee": "0.50" if number % 2 else "12.00",
        "kind": "short" if number % 3 else "long",
        "copies": [{"shelf": f"S{number % 4}", "copy": number}],
        "returned": None if number % 2 else "2026-03-01T10:00:00Z",
    }


def member(number: int) -> dict[str, Json]:
    cards: dict[str, Json] = {f"c{number}{place}": {"bank": "b", "limit": 10} for place in range(2)}
    return {"name": {"first": f"n{number}", "last": "x"}, "cards": cards, "tags": ["a"]}


def calls_of(calls: Sequence[tuple[str, dict[str, Json], Json]], run: str = "r") -> list[RecordedCall]:
    return [
        RecordedCall(
            run,
            place,
            tool,
            arguments,
            {"arguments": json.dumps(arguments), "tool": tool},
            {},
            result if isinstance(result, str) else json.dumps(result),
        )
        for place, (tool, arguments, result) in enumerate(calls)
    ]


def library_calls() -> Iterator[tuple[str, dict[str, Json], Json]]:
    for number in range(24):
        yield "search_shelves", {"word": "w"}, {"found": [{"shelf": f"S{n}", "floor": n} for n in range(4)]}
        yield "get_loan", {"loan_id": f"L{number}"}, loan(number)
        yield "extend_loan", {"loan_id": f"L{number}", "days": 3}, loan(number, 17)
        yield "member_details", {"member_id": f"M{number % 3}"}, member(number % 3)
    yield "lend", {"member_id": "M1", "copies": [{"shelf": "S1", "copy": 1}], "due": "2026-03-01"}, loan(90)
    yield "burn", {"loan_id": "L3"}, "done"
    yield "get_loan", {"loan_id": "L99"}, "Error: loan not found"
    yield "send_reminder", {"member_id": "M1", "text": "x"}, "sent"


RECORDED_CALLS = calls_of([*library_calls()])
SPEC = AgentSpec("library", tools=LIBRARY, zone="UTC")


def by_name(spec: AgentSpec = SPEC, calls: Sequence[RecordedCall] = RECORDED_CALLS) -> dict[str, Proposal]:
    return {proposal.name: proposal for proposal in propose_for_calls(spec, calls)}


SEATS = AgentSpec(
    "flights",
    tools=(
        Tool("get_seat", "", schema({"flight": TEXT, "row": {"type": "integer"}})),
        Tool("get_price", "", schema({"flight": TEXT, "day": TEXT})),
    ),
)


def test_what_only_several_arguments_name_has_a_key_of_several_parts() -> None:
    calls: list[tuple[str, dict[str, Json], Json]] = []
    for flight, row in [(f"LH{flight}", row) for flight in range(3) for row in range(4)]:
        held: Json = {"flight": flight, "place": f"{flight}/{row}", "free": row % 2 == 0}
        calls.append(("get_seat", {"flight": flight, "row": row}, held))

    proposals = propose_for_calls(SEATS, calls_of(calls))

    assert [proposal.record.keys for proposal in proposals if proposal.record] == [("flight", "row")]
    accepted = with_accepted(SEATS, proposals, [proposal.name for proposal in proposals])
    look_up = accepted.records[0].look_up
    assert look_up is not None
    assert look_up.arguments == {"flight": "key.flight", "row": "key.row"}
    assert read_agent(write_agent(accepted)).records == accepted.records


def test_results_of_one_shape_are_one_record_with_what_tells_of_it_and_what_changes_it() -> None:
    proposal_by_name = by_name()
    record = proposal_by_name["loan"].record
    assert record is not None
    assert (record.key, record.changed_by) == ("loan_id", {"burn": ""})
    assert record.look_up is not None
    assert (record.look_up.tool, dict(record.look_up.arguments)) == ("get_loan", {"loan_id": "key"})
    assert [(result.tool, result.path) for result in record.results] == [("extend_loan", "$"), ("lend", "$")]
    types = {field.name: field.type.kind for field in record.fields}
    assert types == {
        "member_id": Kind.STR,
        "due_on": Kind.DATE,
        "fee": Kind.DECIMAL,
        "kind": Kind.ENUM,
        "copies": Kind.LIST,
        "returned": Kind.DATETIME,
    }
    assert {field.name for field in record.fields if field.type.optional} == {"returned"}
    assert (record.errors, record.absent) == ((), ("not found",))
    assert proposal_by_name["errors"].errors == (r"^\s*(Error|ERROR|error)\b",)
    assert any(
        "get_loan (24), extend_loan (24), lend (1)" in line for line in proposal_by_name["loan"].evidence
    )
    assert proposal_by_name["loan"].presumed == ("burn",)


def test_a_thing_that_only_the_call_names_is_known_by_the_argument() -> None:
    record = by_name()["member"].record
    assert record is not None
    assert record.key == "member_id"
    assert {field.name: field.path for field in record.fields if not field.where} == {
        "name_first": "name.first",
        "name_last": "name.last",
        "cards": "cards[*]",
        "tags": "",
    }


def test_what_lists_of_results_hold_is_a_record_where_a_call_names_it_too() -> None:
    # The elements of a call's list name a shelf only if their name marks an id.
    renamed = json.loads(json.dumps([call.result for call in RECORDED_CALLS]).replace("shelf", "shelf_id"))
    calls = [
        replace(
            call, result=result, arguments=json.loads(json.dumps(call.arguments).replace("shelf", "shelf_id"))
        )
        for call, result in zip(RECORDED_CALLS, renamed, strict=True)
    ]
    copies: Json = {"type": "array", "items": schema({"shelf_id": TEXT, "copy": {"type": "integer"}})}
    tools = [
        replace(tool, parameters=schema({"copies": copies, "due": TEXT, "member_id": TEXT}))
        if tool.name == "lend"
        else tool
        for tool in LIBRARY
    ]
    proposal_by_name = by_name(replace(SPEC, tools=tuple(tools)), calls)
    assert proposal_by_name["shelf"].record is not None
    assert [(result.tool, result.path) for result in proposal_by_name["shelf"].record.results] == [
        ("search_shelves", "$.found[*]")
    ]
    assert "shelf" not in by_name()  # no call names one


def test_what_lists_beside_each_other_hold_is_known_by_its_own_id() -> None:
    tools = (
        Tool("list_visits", "", schema({"member": TEXT})),
        Tool("cancel", "", schema({"visit_id": TEXT})),
    )
    visits: Json = [{"visit_id": f"V{n}", "start": f"2026-03-0{n}T10:00:00Z", "sent": n} for n in range(1, 5)]
    results: list[Json] = [{"visits": [], "missed": []}, {"visits": visits, "missed": ["2026-01-01"]}]
    calls = calls_of([("list_visits", {"member": f"M{n}"}, result) for n, result in enumerate(results)])
    proposals = propose_for_calls(AgentSpec("desk", tools=tools, zone="UTC"), calls)
    (record,) = (proposal.record for proposal in proposals if proposal.record is not None)
    assert (record.key, [(result.tool, result.path) for result in record.results]) == (
        "visit_id",
        [("list_visits", "$.visits[*]")],
    )
    assert {field.name: field.type.kind for field in record.fields} == {
        "start": Kind.DATETIME,
        "sent": Kind.INT,
    }


def test_what_is_accepted_is_written_read_and_extracted_as_it_was_seen() -> None:
    proposals = propose_for_calls(SPEC, RECORDED_CALLS)
    spec = with_accepted(SPEC, proposals, [proposal.name for proposal in proposals])
    assert read_agent(write_agent(spec)) == spec
    finder = RecordFinder(spec.records, spec.zone, errors=spec.errors)
    found = [
        finder.look(
            "loan", str(call.arguments["loan_id"]), finder.world(after, RECORDED_CALLS[: after.index])
        )
        for call, after in pairwise(RECORDED_CALLS)
        if call.tool == "extend_loan" and call.arguments is not None
    ]
    assert [record.value and field_of(record.value, "member_id") for record in found] == [
        f"M{n % 3}" for n in range(24)
    ]
    assert propose_for_calls(spec, RECORDED_CALLS) == ()


def test_one_is_accepted_without_the_others_and_a_dropped_one_comes_no_more() -> None:
    proposals = propose_for_calls(SPEC, RECORDED_CALLS)
    spec = with_accepted(SPEC, proposals, ["member"])
    assert [record.name for record in spec.records if record.key] == ["member"]
    assert "member" not in by_name(spec)
    left = with_dropped(spec, ["loan"])
    assert "loan" not in by_name(left)
    assert read_agent(write_agent(left)) == left
    assert with_accepted(left, proposals, ["loan"]).not_proposed == ()


def test_a_tool_that_may_change_a_thing_is_told_by_hints_and_what_was_seen() -> None:
    hints = [
        {"name": "peek", "annotations": {"readOnlyHint": True}},
        {"name": "get", "annotations": {"destructiveHint": True}},
    ]
    assert [tool.reads_only for tool in read_tools(json.dumps(hints), "t").tools] == [True, False]
    calls = [
        ("get_loan", {"loan_id": "L1"}, loan(1)),
        ("burn", {"loan_id": "L1"}, "done"),
        ("get_loan", {"loan_id": "L1"}, {**loan(1), "fee": "99.00"}),
        ("get_loan", {"loan_id": "L2"}, loan(2)),
    ]
    evidence = by_name(calls=calls_of(cast("list[tuple[str, dict[str, Json], Json]]", calls)))[
        "loan"
    ].evidence
    assert any("burn" in line and "1 of 1 times it was different" in line for line in evidence)


def test_few_words_that_repeat_are_an_enum_and_nothing_else_is() -> None:
    many = [{**loan(n), "note": f"note {n}", "state": "open" if n < 23 else "lost"} for n in range(24)]
    calls = calls_of(
        [("get_loan", {"loan_id": f"L{n}"}, cast("Json", result)) for n, result in enumerate(many)]
    )
    record = by_name(calls=calls)["loan"].record
    assert record is not None
    kinds = {field.name: field.type.kind for field in record.fields}
    assert (kinds["kind"], kinds["state"], kinds["note"]) == (Kind.ENUM, Kind.STR, Kind.STR)
    again = [*calls, *calls, *calls, *calls]
    repeated = by_name(calls=again)["loan"].record
    assert repeated is not None
    assert {field.name: field.type.kind for field in repeated.fields} == kinds, (
        "what is looked up again counts once"
    )


@pytest.mark.parametrize(
    ("name", "declared", "values", "kind"),
    [
        ("link", {}, ["https://a.example/x", "http://b.example", "https://c.example"], "url"),
        ("to", {}, ["a@x.example", "Bo <b@x.example>", "c@y.example"], "mail_address"),
        ("file", {}, ["/etc/hosts", "src/a.py", "~/x"], "path"),
        ("query", {}, ["select a from t", "SELECT b FROM u", "with x as (select 1) select * from x"], "sql"),
        ("query", {}, ["where is my parcel", "hello", "tents"], ""),
        ("command", {}, ["ls -la", "git status"], "command"),
        ("amount", {}, ["EUR 1,234.50", "12.00 EUR", "5 EUR"], "amount"),
        ("note", {}, ["a b", "c d", "e f"], ""),
        (
            "copies",
            {"description": "plain e-mail addresses; nobody if left out"},
            ["a@x.example"],
            "mail_address",
        ),
        ("copies", {"description": "e-mail addresses"}, ["Bo from accounts", "Ann from sales"], ""),
        ("text", {"description": "plain text; no email addresses"}, ["hello"], ""),
        ("to", {"description": "mail address of the recipient"}, ["Bo <b@y.example>"], "mail_address"),
        ("to", {"description": "mailing address of the recipient"}, ["1 High Street"], ""),
        ("receipt", {"description": "Absolute path of the receipt."}, ["/srv/r.pdf"], "path"),
        ("receipt", {"description": "path through the form"}, ["/srv/r.pdf"], ""),
        ("destination", {"description": "New path."}, ["src/a.py"], "path"),
        ("page", {"description": "URL to fetch"}, ["https://a.example/x"], "url"),
        ("mark", {"description": "URL-safe mark"}, [], ""),
        ("book", {"description": "Email address book of the office"}, [], ""),
    ],
)
def test_texts_are_proposed_as_the_kind_of_value_that_they_are(
    name: str, declared: dict[str, Json], values: list[str], kind: str
) -> None:
    tool = Tool("act", "", schema({name: {"type": "string", **declared}}))
    spec = AgentSpec("a", tools=(tool,))
    proposals = by_name(spec, calls_of([("act", {name: value}, "ok") for value in values]))
    noted = {
        note.type for one in proposals.values() for notes in one.notes.values() for note in notes.values()
    }
    assert "".join(sorted(noted)) == kind
    accepted = with_accepted(spec, [*proposals.values()], [*proposals])
    assert read_agent(write_agent(accepted)) == accepted


def test_what_a_chat_record_says_of_itself_is_not_proposed_and_what_stands_within_is() -> None:
    calls = [
        replace(
            call, context={"id": f"x{n}", "index": n, "time": "t", "context": {"role": "lead", "id": "E-1"}}
        )
        for n, call in enumerate(RECORDED_CALLS)
    ]
    paths = {name: field.path for name, field in by_name(calls=calls)["context"].context.items()}
    assert paths == {"role": "context.role", "id": "context.id"}


HOSTILE = [
    "a",
    "id",
    "loan_id",
    "class",
    "none",
    "len",
    "A B",
    "x]y",
    'q"',
    "\x1b[31m",
    "‮",
    "é",
    "",
    "_",
    "9",
    "k" * 99,
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.sampled_from(HOSTILE),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(HOSTILE), inner, max_size=5),
    max_leaves=12,
)
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["get_loan", "extend_loan", "burn", "unknown"]),
        st.dictionaries(st.sampled_from(["loan_id", "days", "a"]), VALUES, max_size=3),
        VALUES,
    ),
    max_size=6,
)


@settings(max_examples=examples(40), deadline=None)
@example([("get_loan", {"loan_id": "L1"}, {"9": {"fees": [0.12345], "open": True}})])
@given(CALLS)
def test_any_results_give_proposals_that_a_file_holds_and_a_world_takes(
    calls: list[tuple[str, dict[str, Json], Json]],
) -> None:
    recorded_calls = calls_of([*calls, *((tool, {"loan_id": "L1"}, result) for tool, _, result in calls)])
    proposals = propose_for_calls(SPEC, recorded_calls)
    assert len({proposal.name for proposal in proposals}) == len(proposals)
    spec = with_accepted(SPEC, proposals, [proposal.name for proposal in proposals])
    assert read_agent(write_agent(spec)) == spec
    finder = RecordFinder(spec.records, spec.zone, errors=spec.errors)
    for call in recorded_calls:
        world = finder.world(call, recorded_calls[: call.index])
        for record in spec.records:
            if record.key:
                finder.look(record.name, "L1", world)


def test_thousands_of_keys_and_deep_results_are_left_out_with_a_word() -> None:
    deep: Json = "x"
    for _ in range(60):
        deep = {"in": deep}
    wide: dict[str, Json] = {f"key{n}": n for n in range(5_000)}
    result: dict[str, Json] = {**loan(1), "deep": deep, "ctl\x07": 1, **wide}
    proposal = by_name(calls=calls_of([("get_loan", {"loan_id": "L1"}, result)]))["loan"]
    assert proposal.record is not None
    assert len(proposal.record.fields) <= MOST_FIELDS
    assert any("too deep" in line and "no path can name it" in line for line in proposal.unsure)


def test_what_every_thing_has_is_a_field_however_many_options_stand_before_it() -> None:
    loans: list[tuple[str, dict[str, Json], Json]] = []
    for n in range(1, 61):
        wide: dict[str, Json] = {f"extra{n}": n, f"other{n}": n}
        terms: Json = {f"term{n % 20}": "monthly", f"rate{n % 15}": "fixed"}
        result: Json = {**wide, **loan(n), "terms": terms, "price": n + 0.5, "available": n % 2 == 0}
        loans.append(("get_loan", {"loan_id": f"L{n}"}, result))
    proposal = by_name(calls=calls_of(loans))["loan"]
    assert proposal.record is not None
    names = [field.name for field in proposal.record.fields]
    assert {"price", "available"} <= set(names)
    assert len(names) <= MOST_FIELDS
    assert not [name for name in names if name.startswith("terms")]
    assert any("terms: 35 different keys, and none that all have" in line for line in proposal.unsure)
