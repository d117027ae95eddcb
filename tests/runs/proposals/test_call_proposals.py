"""What a policy of calls is proposed: fields and records of results, readings, notes, context, errors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.proposals.test_proposals import calls_of, schema
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.model import AgentSpec, Json, Kind, Proposal, Record, RecordedCall, Tool, field_of
from workbench.runs.proposals.call_proposals import propose_for_calls, with_accepted
from workbench.runs.proposals.confirmations import confirmations
from workbench.runs.proposals.parameter_notes import propose_notes
from workbench.runs.values.float_noise import as_computed, without_noise
from workbench.runs.world.declared_failures import failed_by_tool
from workbench.runs.world.record_values import RecordValues
from workbench.session.agent_file import read_agent, write_agent

TEXT: Json = {"type": "string"}
KITCHEN = (
    Tool("get_recipe", "", schema({"recipe_id": TEXT})),
    Tool("get_pantry", "", schema({"cook_id": TEXT})),
    Tool("find_cook", "", schema({"phone": TEXT})),
    Tool("list_recipes", "", schema({"cook_id": TEXT})),
    Tool("weigh", "", schema({"ingredient_id": TEXT, "grams": {"type": "number"}})),
    Tool("rename_recipe", "", schema({"recipe_id": TEXT, "title": TEXT})),
    Tool("taste", "", schema({"recipe_id": TEXT, "spoon": TEXT})),
)


def recipe(number: int) -> dict[str, Json]:
    return {
        "recipe_id": f"R{number}",
        "cook_id": f"C{number % 3}",
        "kitchen": {"kitchen_name": "k", "street": "s", "street1": "t"},
        "status": ["draft", "published", "draft (edited)"][number % 3],
        "minutes": 5 * number,
        "cost": 4.1 + 2.2 * number,
        "served_at": f"{10 + number % 9}:30:00",
        "ingredients": {
            f"I{place}": {"ingredient_id": f"I{place}", "stock": place, "unit_price": 1.5}
            for place in range(4)
        },
    }


def pantry(number: int) -> dict[str, Json]:
    return {
        "cook_id": f"C{number}",
        "mail": f"cook{number}@kitchen.example",
        "jars": [
            {"id": f"J{number}", "kind": "spice", "hot": True},
            {"id": f"K{number}", "kind": "oil", "litres": 0.75},
            {"id": f"L{number}", "kind": "oil", "litres": 1.5},
            {"id": f"M{number}", "kind": "spice", "hot": False},
        ],
        "tools": None,
    }


def kitchen_calls() -> list[RecordedCall]:
    calls: list[tuple[str, dict[str, Json], Json]] = []
    for number in range(24):
        calls.append(("get_recipe", {"recipe_id": f"R{number}"}, recipe(number)))
        calls.append(("find_cook", {"phone": f"+1 {number}"}, f"C{number % 3}"))
        calls.append(("get_pantry", {"cook_id": f"C{number % 3}"}, pantry(number % 3)))
        calls.append(("list_recipes", {"cook_id": f"C{number % 3}"}, [f"R{number}", f"R{(number + 1) % 24}"]))
        calls.append(("taste", {"recipe_id": f"R{number}", "spoon": "s"}, {"salty": number % 2 == 0}))
        calls.append(("weigh", {"ingredient_id": "I1", "grams": 5}, "ok"))
    calls.append(("rename_recipe", {"recipe_id": "R1", "title": "x"}, {"recipe_id": "R1", "status": "draft"}))
    calls.append(("get_recipe", {"recipe_id": "R99"}, "Error: not found"))
    return calls_of(calls)


CALLS = kitchen_calls()
SPEC = AgentSpec("kitchen", tools=KITCHEN, zone="UTC")


@pytest.fixture(scope="module")
def proposals() -> Mapping[str, Proposal]:
    return by_name(SPEC, CALLS)


def by_name(spec: AgentSpec, calls: Sequence[RecordedCall]) -> Mapping[str, Proposal]:
    return {proposal.name: proposal for proposal in propose_for_calls(spec, calls)}


def record_of(proposals: Mapping[str, Proposal], name: str) -> Record:
    record = proposals[name].record
    assert record is not None
    return record


def fields_of(record: Record) -> dict[str, str]:
    return {field.name: field.path for field in record.fields}


def test_texts_of_errors_that_no_log_flags_are_errors_of_the_agent(proposals: Mapping[str, Proposal]) -> None:
    assert proposals["errors"].errors == (r"^\s*(Error|ERROR|error)\b",)
    flagged = [replace(call, failed=(call.result or "").startswith("Error")) for call in CALLS]
    assert "errors" not in by_name(SPEC, flagged)


@pytest.mark.parametrize(
    ("result", "pattern"),
    [
        ('{"success": false, "why": "x"}', r'"(success|ok)"\s*:\s*false'),
        ('{"id": "R1", "said": "a \\"b\\"", "n": 1.5, "ok": false}', r'"(success|ok)"\s*:\s*false'),
        ("No such table does not exist", r'^[^{}\[\]"\n]{0,80}\b(not found|does not exist)\b'),
        ("ValueError: x", r"^\s*(Traceback|Exception|[A-Za-z]+(Error|Exception):)"),
        ("Permission denied for R1", r"^\s*(Access|Permission) denied\b"),
    ],
)
def test_forms_of_errors(result: str, pattern: str) -> None:
    calls = calls_of([("weigh", {"ingredient_id": "I1"}, result), ("weigh", {"ingredient_id": "I1"}, "done")])
    spec = with_accepted(SPEC, [*by_name(SPEC, calls).values()], ["errors"])
    (found,) = spec.errors
    assert found.endswith(pattern)
    assert read_agent(write_agent(spec)) == spec


@pytest.mark.parametrize(
    "result",
    [
        '{"error": "no"}',
        '{"id": "R1", "error": "no"}',
        '{"error": null, "id": "R1"}',
        '{"inner": {"ok": false}}',
        '{"said": "\\"ok\\": false"}',
    ],
)
def test_an_error_of_an_object_and_what_is_no_failure_need_no_pattern(result: str) -> None:
    assert "errors" not in by_name(SPEC, calls_of([("weigh", {"ingredient_id": "I1"}, result)]))


def test_what_counts_as_a_failure_is_confirmed_with_the_number_of_results() -> None:
    results = ['{"id": "R1", "error": "no"}', '{"error": null}', "Error: no", "done"]
    calls = calls_of([("weigh", {"ingredient_id": "I1"}, result) for result in results])
    spec = with_accepted(SPEC, proposals := propose_for_calls(SPEC, calls), ["errors"])
    first, *_ = confirmations(proposals, KITCHEN, failed_by_tool(spec, calls))
    assert "2 logged results do (weigh 2)" in first.question
    assert r"(Error|ERROR|error)\b" in first.question


def test_a_pattern_that_matches_what_is_no_error_is_not_proposed() -> None:
    texts = ["Error: gone", "Error: one of 3,000 lines\n" + "x" * 3_000]
    calls = calls_of([("weigh", {"ingredient_id": "I1"}, text) for text in texts])
    assert "errors" not in by_name(SPEC, calls)


def test_a_name_is_not_said_twice_and_no_two_fields_have_one_name(proposals: Mapping[str, Proposal]) -> None:
    fields = fields_of(record_of(proposals, "recipe"))
    assert fields["kitchen_name"] == "kitchen.kitchen_name"
    assert fields["kitchen_street"] == "kitchen.street"


def test_a_status_is_a_text_with_the_values_seen_and_a_time_is_a_time(
    proposals: Mapping[str, Proposal],
) -> None:
    types = {field.name: field.type for field in record_of(proposals, "recipe").fields}
    assert (types["status"].kind, types["status"].values) == (
        Kind.STR,
        ("draft", "draft (edited)", "published"),
    )
    assert types["served_at"].kind is Kind.TIME


def test_money_has_the_places_that_it_means_and_is_read_so(proposals: Mapping[str, Proposal]) -> None:
    record = record_of(proposals, "recipe")
    assert {field.name: field.type.places for field in record.fields}["cost"] == 2
    noisy = [call for call in CALLS if call.result is not None and "0000000" in call.result]
    assert noisy
    accepted = with_accepted(SPEC, [*proposals.values()], [*proposals])
    values = RecordValues(accepted.records, "UTC")
    read = values.record(record, json.loads(noisy[0].result or ""))
    assert len(str(field_of(read, "cost")).partition(".")[2]) <= 2


@settings(max_examples=examples(200))
@given(st.lists(st.decimals(-1000, 1000, places=2), min_size=1, max_size=6))
def test_sums_of_prices_are_read_as_exact_sums(prices: list[Decimal]) -> None:
    computed = sum(float(price) for price in prices)
    assert Decimal(str(as_computed(computed))) == sum(prices)


@pytest.mark.parametrize("numeral", ["0.12345678901", "1e-07", "0.1234567890123", "100", "3.14159265358979"])
def test_digits_that_are_meant_stay(numeral: str) -> None:
    assert without_noise(numeral) == numeral


def test_the_members_of_a_list_have_sets_of_ids_by_kind_and_lists_with_their_own_fields(
    proposals: Mapping[str, Proposal],
) -> None:
    record = record_of(proposals, "pantry" if "pantry" in proposals else "cook")
    fields = {field.name: field for field in record.fields}
    assert (fields["jar_ids"].type.kind, fields["jar_ids"].path) == (Kind.SET, "jars[*].id")
    assert dict(fields["oil_ids"].where) == {"kind": "oil"}
    assert (fields["oils"].type.kind, fields["oils"].of) == (Kind.LIST, "oil")
    (oil,) = (inner for inner in proposals[record.name].records if inner.name == "oil")
    assert {field.name: field.type.optional for field in oil.fields} == {"id": False, "litres": False}
    assert fields["mail"].kind == "mail_address"


def test_the_values_of_an_object_keyed_by_ids_are_records_where_a_call_names_them(
    proposals: Mapping[str, Proposal],
) -> None:
    record = record_of(proposals, "ingredient")
    assert (record.key, [(result.tool, result.path) for result in record.results]) == (
        "ingredient_id",
        [("get_recipe", "$.ingredients[*]")],
    )
    assert {"stock", "unit_price"} <= set(fields_of(record))
    assert fields_of(record_of(proposals, "recipe"))["ingredient_ids"] == "ingredients[*].ingredient_id"


def test_a_result_with_some_fields_makes_the_whole_unknown_and_tells_these(
    proposals: Mapping[str, Proposal],
) -> None:
    whole, brief = record_of(proposals, "recipe"), record_of(proposals, "recipe_status")
    assert "rename_recipe" in whole.changed_by
    assert [result.tool for result in brief.results] == ["rename_recipe"]
    assert (fields_of(brief), brief.key) == ({"status": ""}, "recipe_id")
    assert brief.look_up is not None
    assert brief.look_up.tool == "get_recipe"


def test_ids_that_results_tell_are_readings(proposals: Mapping[str, Proposal]) -> None:
    (cook,), (recipes,) = proposals["found_cook"].readings, proposals["found_recipes"].readings
    assert (cook.type.kind, cook.texts, cook.extraction.method) == (Kind.STR, ("FindCook.result",), "regex")
    assert (recipes.type.kind, recipes.texts) == (Kind.SET, ("ListRecipes.result",))
    (salty,) = proposals["salty"].readings
    assert (salty.type.kind, salty.texts) == (Kind.BOOL, ("Taste.result",))


def test_a_list_that_is_null_is_empty_where_a_result_may_lack_it() -> None:
    lists: list[Json] = [["a"], None, ["b", "c"]]
    calls = calls_of(
        [
            ("get_recipe", {"recipe_id": f"R{n}"}, {"recipe_id": f"R{n}", "tags": tags})
            for n, tags in enumerate(lists)
        ]
    )
    proposals = by_name(SPEC, calls)
    record = record_of(proposals, "recipe")
    read = [RecordValues((record,), "UTC").record(record, {"recipe_id": "R", "tags": tags}) for tags in lists]
    assert [field_of(value, "tags") for value in read] == [("a",), (), ("b", "c")]


@pytest.mark.parametrize(
    ("name", "declared", "values", "note"),
    [
        ("command", {}, ["ls -la"], {"type": "command"}),
        ("to", {}, ["a@x.example", "b@x.example", "c@y.example"], {"type": "mail_address"}),
        ("day", {"description": "such as YYYY-MM-DD"}, [], {"type": "date"}),
        ("day", {"description": "such as YYYY-MM-DD"}, ["tomorrow"], {}),
        ("day", {}, ["2026-01-01", "2026-01-02", "2026-01-03"], {"type": "date"}),
        ("amount", {}, ["12.50", "3", "9.999"], {"type": "decimal", "places": 3}),
        ("amount", {}, ["EUR 12.50", "USD 3.00"], {"type": "amount"}),
        ("iban", {}, ["DE02 1203 0000 0000 2020 51"], {"normal": "code"}),
        ("password", {}, ["x"], {"exact": True}),
        ("begins", {"description": "ISO 8601"}, [], {"type": "moment"}),
        ("contact", {"format": "email"}, [], {}),
        ("title", {}, ["a b", "c d", "e f"], {}),
    ],
)
def test_parameters_are_noted_as_what_they_are(
    name: str, declared: dict[str, Json], values: list[str], note: dict[str, object]
) -> None:
    tool = Tool("act", "", schema({name: {"type": "string", **declared}}))
    spec = AgentSpec("a", tools=(tool,), zone="UTC")
    proposals = propose_for_calls(spec, calls_of([("act", {name: value}, "ok") for value in values]))
    accepted = with_accepted(spec, proposals, [proposal.name for proposal in proposals])
    noted = accepted.tools[0].fields.get(name)
    said = {
        key: value for key in ("type", "normal", "places", "exact") if (value := getattr(noted, key, None))
    }
    assert said == note
    assert read_agent(write_agent(accepted)) == accepted


def test_a_note_that_a_person_wrote_stays() -> None:
    tool = Tool("act", "", schema({"command": TEXT}))
    spec = read_agent(
        'name = "a"\n[tools.act.fields]\ncommand = {name = "what"}\n'
        '[tools.act.parameters]\nproperties = {command = {type = "string"}}\n'
    )
    assert [tool.name] == [one.name for one in spec.tools]
    assert not [proposal for proposal in propose_for_calls(spec, ()) if proposal.notes]


def test_elements_of_lists_are_noted_and_lists_that_calls_leave_out_are_empty() -> None:
    lines: Json = {"type": "array", "items": schema({"path": TEXT})}
    tool = Tool("act", "", schema({"lines": lines, "urls": {"type": "array", "items": TEXT}}, "urls"))
    spec = AgentSpec("a", tools=(tool,))
    arguments: list[dict[str, Json]] = [
        {"lines": [{"path": "/a"}], "urls": ["https://a.example/x"]},
        {"lines": [{"path": "/b"}]},
    ]
    proposals = propose_for_calls(spec, calls_of([("act", one, "ok") for one in arguments]))
    accepted = with_accepted(spec, proposals, [proposal.name for proposal in proposals])
    notes = accepted.tools[0].fields
    assert (notes["lines[].path"].type, notes["urls[]"].type, notes["urls"].optional) == ("path", "url", True)
    assert "lines" not in notes
    _, question = confirmations(proposals, spec.tools, {})
    assert "leaves out urls have none" in question.question


def test_a_map_that_a_tool_without_arguments_tells_gives_no_readings() -> None:
    airports = Tool("list_airports", "All airports.", schema({}))
    names: dict[str, Json] = {f"A{number}": f"Airport {number}" for number in range(12)}
    spec = replace(SPEC, tools=(*KITCHEN, airports))
    asked: list[tuple[str, dict[str, Json], Json]] = [("list_airports", {}, names)] * 3
    proposals = propose_for_calls(spec, calls_of(asked))
    assert not [reading.name for one in proposals for reading in one.readings]


def test_a_tool_without_arguments_tells_single_values_that_are_readings() -> None:
    whoami = Tool("whoami", "The person of this session.", schema({}))
    people: list[dict[str, Json]] = [
        {"cook_id": f"C{number}", "name": "n", "mail": f"c{number}@k.example", "role": role, "since": None}
        for number, role in enumerate(("cook", "chef", "cook"))
    ]
    spec = replace(SPEC, tools=(*KITCHEN, whoami))
    asked: list[tuple[str, dict[str, Json], Json]] = []
    asked += [("whoami", {}, one) for one in people]
    asked.extend(("get_pantry", {"cook_id": f"C{number}"}, pantry(number)) for number in range(3))
    proposals = propose_for_calls(spec, calls_of(asked))
    readings = {reading.name: reading for one in proposals for reading in one.readings}
    told = {
        name: one.extraction.options["path"]
        for name, one in readings.items()
        if one.texts == ("Whoami.result",)
    }
    assert told == {
        "found_cook": "cook_id",
        "whoami_cook_id": "cook_id",
        "whoami_name": "name",
        "whoami_mail": "mail",
        "whoami_role": "role",
    }
    accepted = with_accepted(spec, proposals, [one.name for one in proposals])
    rule = """from agent import GetPantry, Run, Whoami

DEFAULT = "allow"


def forbid_get_pantry(call: GetPantry, run: Run) -> bool:
    \"\"\"R1: Cooks see their own pantry only.\"\"\"
    return not any(c.succeeded and c.result.whoami_cook_id == call.cook_id for c in run.earlier(Whoami))
"""
    assert check_calls(rule, agent_types(accepted)).rules


def test_what_the_application_says_is_context() -> None:
    calls = [
        replace(call, context={"id": str(n), "user": {"role": ["cook", "guest"][n % 2], "tags": ["a"]}})
        for n, call in enumerate(CALLS)
    ]
    context = by_name(SPEC, calls)["context"].context
    assert {name: (field.type.kind, field.path) for name, field in context.items()} == {
        "role": (Kind.ENUM, "user.role"),
        "tags": (Kind.SET, "user.tags"),
    }


def test_nothing_is_proposed_again_and_all_that_is_accepted_is_read_again(
    proposals: Mapping[str, Proposal],
) -> None:
    accepted = with_accepted(SPEC, [*proposals.values()], [*proposals])
    assert read_agent(write_agent(accepted)) == accepted
    assert propose_for_calls(accepted, CALLS) == ()


def test_ids_that_calls_write_otherwise_are_compared_in_their_normal_form() -> None:
    written = [
        replace(call, arguments={"recipe_id": str((call.arguments or {})["recipe_id"]).lower()})
        if call.tool == "get_recipe" and call.index % 12 == 0
        else call
        for call in CALLS
    ]
    proposals = by_name(SPEC, written)
    recipe_record = record_of(proposals, "recipe")
    assert recipe_record.normal == "id"
    assert proposals["recipe"].notes["rename_recipe"]["recipe_id"].normal == "id"
    assert record_of(by_name(SPEC, CALLS), "recipe").normal == ""
    accepted = with_accepted(SPEC, [*proposals.values()], [*proposals])
    assert read_agent(write_agent(accepted)) == accepted
    policy = """\
\"""Kitchen.\"""
from agent import RenameRecipe, Run

DEFAULT = "allow"


def forbid_published(call: RenameRecipe, run: Run) -> bool:
    \"""R1: A published recipe keeps its name.\"""
    recipe = run.recipe(call.recipe_id)
    return recipe is None or recipe.status == "published"
"""
    check_calls(policy, agent_types(accepted))


def test_no_form_is_proposed_if_two_ids_would_be_one() -> None:
    asked: list[tuple[str, dict[str, Json], Json]] = [
        ("get_recipe", {"recipe_id": one.lower()}, {**recipe(1), "recipe_id": one})
        for one in ("R1", "r1", "R2")
    ]
    proposals = propose_for_calls(SPEC, calls_of(asked))
    assert all(not record.normal for proposal in proposals for record in proposal.records)


def test_what_is_assumed_is_asked_in_few_questions(proposals: Mapping[str, Proposal]) -> None:
    asked = confirmations([*proposals.values()], KITCHEN, {})
    changes = [one for one in asked if "change the" in one.question]
    assert len(changes) == len({proposal.presumed for proposal in proposals.values() if proposal.presumed})
    assert all(one.question.count("?") == 1 and one.otherwise for one in asked)


def test_a_tool_that_only_passes_a_thing_on_is_asked_about_and_changes_nothing() -> None:
    given: dict[str, Json] = {
        "type": "object",
        "properties": {"mail_id": {"type": "string"}},
        "required": ["mail_id"],
    }
    asked_for: list[tuple[str, dict[str, Json], Json]] = [
        ("read_mail", {"mail_id": f"m{one}"}, {"id": f"m{one}", "subject": f"s{one}"}) for one in range(6)
    ]
    asked_for.append(("forward_mail", {"mail_id": "m1"}, {"status": "sent"}))
    for tool, changed_by in (
        (Tool("forward_mail", "Forward a mail.", given), {}),
        (Tool("forward_mail", "Forward a mail.", given, reads_only=False), {"forward_mail": ""}),
    ):
        spec = AgentSpec("desk", tools=(Tool("read_mail", "Read a mail.", given), tool))
        proposals = propose_for_calls(spec, calls_of(asked_for))
        (record,) = [one.record for one in proposals if one.record is not None]
        assert record.changed_by == changed_by
        asked = [one for one in confirmations(proposals, spec.tools, {}) if "forward_mail" in one.question]
        assert [one.question.partition("?")[0] for one in asked] == (
            [] if changed_by else ["Does forward_mail only pass the mail on"]
        )


@pytest.mark.parametrize(
    ("name", "needed", "removes"),
    [
        ("delete_mail", ("mail_id",), True),
        ("remove_mail", ("mail_id",), True),
        ("archive_mail", ("mail_id",), False),
        ("delete_mail", ("mail_id", "attachment"), False),
        ("remove_label_from_mail", ("mail_id",), False),
    ],
)
def test_what_was_read_of_a_thing_stays_known_after_a_tool_that_removes_it_which_is_asked(
    name: str, needed: tuple[str, ...], removes: bool
) -> None:
    read, given = schema({"mail_id": TEXT}), schema(dict.fromkeys(needed, TEXT))
    spec = AgentSpec("desk", tools=(Tool("read_mail", "Read a mail.", read), Tool(name, "", given)))
    logged: list[tuple[str, dict[str, Json], Json]] = [
        ("read_mail", {"mail_id": f"m{one}"}, {"id": f"m{one}", "subject": f"s{one}"}) for one in range(6)
    ]
    logged.append((name, dict.fromkeys(needed, "m1"), {"status": "ok"}))
    proposals = propose_for_calls(spec, calls_of(logged))
    (record,) = [one.record for one in proposals if one.record is not None]
    assert record.changed_by == ({} if removes else {name: ""})
    questions = [one.question for one in confirmations(proposals, spec.tools, {})]
    assert any(one.startswith(f"Does {name} remove the mail?") for one in questions) is removes


def test_whom_a_mail_goes_to_is_an_address_where_no_log_has_one() -> None:
    many: Json = {"type": "array", "items": TEXT}
    spec = AgentSpec(
        "a",
        tools=(
            Tool("send_mail", "", schema({"to": many, "cc": many, "bcc": TEXT, "subject": TEXT})),
            Tool("share_file", "", schema({"recipient": TEXT})),
        ),
    )
    proposals = propose_for_calls(spec, ())
    accepted = with_accepted(spec, proposals, [proposal.name for proposal in proposals])
    mail, share = (one.fields for one in accepted.tools)
    assert {name for name, note in mail.items() if note.type == "mail_address"} == {"to[]", "cc[]", "bcc"}
    assert not any(note.type == "mail_address" for note in share.values())


@pytest.mark.parametrize(
    ("name", "description", "parameter", "options"),
    (
        ("run_sql", "Run a query", "query", {"dialect": "undeclared", "unqualified": "as written"}),
        ("ask", "Runs a Postgres query on the shop", "statement",
         {"dialect": "postgres", "unqualified": "as written"}),
        ("ask", "Runs a query on the shop", "query", None),
        ("run_sql", "Run a query", "note", None),
        ("graphql", "MySQL or SQLite behind it", "query",
         {"dialect": "undeclared", "unqualified": "as written"}),
    ),
)  # fmt: skip
def test_a_query_of_a_tool_that_speaks_of_sql_is_sql_without_a_log(
    name: str, description: str, parameter: str, options: dict[str, Json] | None
) -> None:
    tool = Tool(name, description, schema({parameter: TEXT}))
    notes = [one.notes[name][parameter] for one in propose_notes((tool,), (), set(), "") if one.notes]
    assert [(note.type, dict(note.options)) for note in notes] == (
        [] if options is None else [("sql", options)]
    )


@pytest.mark.parametrize(
    ("description", "dialect"),
    [
        ("Runs a Postgres query.", "postgres"),
        ("Asks the SQLite file.", None),
        ("Runs a query.", "undeclared"),
    ],
)
def test_sql_of_a_log_is_of_the_database_that_its_tool_names(description: str, dialect: str | None) -> None:
    tool = Tool("run_sql", description, schema({"query": TEXT}))
    calls = calls_of(
        [("run_sql", {"query": f"SELECT id FROM shop.orders WHERE n = {n}"}, "") for n in range(4)]
    )
    (note,) = [one.notes["run_sql"]["query"] for one in propose_notes((tool,), calls, set(), "") if one.notes]
    assert note.options.get("dialect") == dialect


@pytest.mark.parametrize(
    ("tool", "description", "parameter", "told", "values", "kind"),
    [
        ("find_text", "Searches files for a text.", "folder", "", (), "path"),
        ("find_text", "Searches files for a text.", "rootDir", "", ("src", "./docs"), "path"),
        ("search", "", "directory", "Defaults to the current folder.", (), "path"),
        ("search", "", "directory", "", (), ""),
        ("move", "Moves it.", "source", "The file, relative to the project folder.", ("a",), "path"),
        ("move", "Moves it.", "source", "The shelf.", ("a",), ""),
        ("go", "Runs it.", "workdir", "Relative to the project folder, or absolute.", ("a",), ""),
        ("find_text", "Searches files for a text.", "file_format", "", (), ""),
        ("find_text", "Searches files for a text.", "folder_id", "", (), ""),
        ("find_text", "Searches files for a text.", "folder", "", ("All of them",), ""),
        ("move_mail", "Moves an e-mail with its files.", "folder", "", (), ""),
    ],
)  # fmt: skip
def test_a_folder_of_a_tool_of_files_is_a_path(
    tool: str, description: str, parameter: str, told: str, values: Sequence[str], kind: str
) -> None:
    one = Tool(tool, description, schema({parameter: {"type": "string", "description": told}}))
    calls = calls_of([(tool, {parameter: value}, "") for value in values])
    notes = [each.notes[tool][parameter] for each in propose_notes((one,), calls, set(), "") if each.notes]
    assert [note.type for note in notes] == [kind] * bool(kind)


@pytest.mark.parametrize(
    ("description", "told", "form"),
    [
        ("Tags a note.", "The tag, case-insensitive", "caseless"),
        ("Tags a note. Tags are compared case-insensitively.", "", "caseless"),
        ("Tags a note. The name of a note is case-insensitive.", "", ""),
        ("Tags a note.", "Leading and trailing blanks are ignored.", "trimmed"),
        ("Tags a note.", "Case does not matter; surrounding whitespace is ignored.", "plain"),
        ("Tags a note.", "Not case-insensitive.", ""),
        ("Tags a note.", "Case-sensitive.", ""),
    ],
)
def test_what_is_told_of_case_and_blanks_is_the_form(description: str, told: str, form: str) -> None:
    tool = Tool("tag_note", description, schema({"tag": {"type": "string", "description": told}}))
    notes = [each.notes["tag_note"]["tag"] for each in propose_notes((tool,), (), set(), "") if each.notes]
    assert [note.normal for note in notes] == [form] * bool(form)
    assert not [each for each in propose_notes((tool,), (), set(), "", {"tag"}) if each.notes]
