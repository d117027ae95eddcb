"""Rules in a person's words about each element of a list decide recorded calls as their words say."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.clarify.parcel_desk import calls_of, made_tool
from workbench.app.assumed_rules import declaring
from workbench.author.rules.chosen_rules import chosen_norms, rule_line
from workbench.author.rules.norms import Effect
from workbench.clarify.known_facts import fact_book
from workbench.clarify.person_rule import PersonRule
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, WorkbenchError
from workbench.policy.evaluate import evaluate
from workbench.policy.terms import Parameter, PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier

TEXT: Json = {"type": "string"}
AMOUNT: Json = {"type": "string", "pattern": r"^\d+(\.\d{1,2})?$"}
LINES: Json = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"line_id": TEXT, "paid": AMOUNT, "shop_id": TEXT, "file": TEXT},
        "required": ["line_id", "paid"],
    },
}
TOOLS = (
    made_tool("get_claim", ("claim_id",), claim_id=TEXT),
    made_tool("get_shop", ("shop_id",), shop_id=TEXT),
    made_tool("pay_lines", ("claim_id", "lines"), claim_id=TEXT, lines=LINES),
    made_tool("ask", ("sql",), sql=TEXT),
)
NAMES = tuple(tool.name for tool in TOOLS)
TOOL = Argument(
    "tool", ArgumentType(Kind.ENUM, NAMES), "the tool", Extraction("jsonpath", {"path": "$.tool"})
)
SPEC = AgentSpec("claims", tools=TOOLS, arguments=(TOOL,))
SETTINGS = {"relative paths begin at": "/srv"}


def _paid(*lines: Mapping[str, Json]) -> tuple[str, Mapping[str, Json], Mapping[str, Json]]:
    return "pay_lines", {"claim_id": "c1", "lines": [dict(line) for line in lines]}, {"ok": True}


CLAIM: Mapping[str, Json] = {
    "claim_id": "c1",
    "state": "open",
    "lines": [
        {"line_id": "L1", "claimed": "10.00", "people": 2, "slip": True, "day": "2026-03-01"},
        {"line_id": "L2", "claimed": "80.00", "slip": False, "day": "2026-01-01"},
    ],
}
CALLS = (
    _paid({"line_id": "L1", "paid": "5.00"}),  # 0: nothing was looked up
    ("get_claim", {"claim_id": "c1"}, CLAIM),
    ("get_shop", {"shop_id": "s1"}, {"shop_id": "s1", "closed": False}),
    _paid({"line_id": "L1", "paid": "10.00", "shop_id": "s1"}),  # 3
    _paid({"line_id": "L1", "paid": "10.01", "file": "slips/a.pdf"}),  # 4: more than claimed
    _paid({"line_id": "L1", "paid": "4.00"}, {"line_id": "L2", "paid": "4.00"}),  # 5: one has no slip
    _paid({"line_id": "L1", "paid": "4.00"}, {"line_id": "L1", "paid": "4.00", "file": "/srv/x/b.pdf"}),  # 6
    _paid({"line_id": "L9", "paid": "1.00"}),  # 7: no line of the claim
    ("ask", {"sql": "select name from shop.owners where city = 'Ulm'"}, {"n": 1}),  # 8
    ("ask", {"sql": "select count(name) from shop.owners"}, {"n": 1}),  # 9
)
RECORDED_CALLS = calls_of(CALLS, TOOLS)


BOOK = fact_book(SPEC, RECORDED_CALLS, SETTINGS)


def denied(effect: Effect, tool_name: str, condition: str) -> list[int]:
    """The calls of a tool that a rule denies, by extraction and the direct interpreter."""
    person_norm, facts = BOOK.rule(PersonRule(effect, (tool_name,), (condition,)))
    spec = declaring(SPEC, facts)
    line = rule_line(person_norm)
    (norm,) = chosen_norms(line, "R1", "a sentence", spec.arguments)
    assert rule_line(norm) == line
    parameters = tuple(Parameter(argument.name, argument.type) for argument in spec.arguments)
    terms = PolicyTerms("", parameters, {}, {}, {}, (), True, (), (), 0, 2)
    extractor = Extractor(spec.arguments, spec)
    places: list[int] = []
    for place, call in enumerate(RECORDED_CALLS):
        values = extractor.extract(call, Earlier(RECORDED_CALLS, place))
        assert all(value.missing is None for value in values.values()), values
        if evaluate(terms, norm.denies, {name: value.value for name, value in values.items()}) is True:
            places.append(place)
    return places


@pytest.mark.parametrize(
    ("effect", "condition", "expected"),
    [
        (Effect.FORBID, "some line: whole path of file is inside slips", [4]),
        (Effect.FORBID, "some line: file is not known", [0, 3, 5, 6, 7]),
        (Effect.REQUIRE, "each line: paid is less than 4 or shop id is given", [0, 4, 5, 6]),
        (Effect.FORBID, "no line: paid is more than 5", [0, 5, 6, 7]),
        (Effect.REQUIRE, "at most 1 line: line id starts with L", [5, 6]),
        (Effect.FORBID, "more than 1 line: paid is less than 5", [5, 6]),
        (Effect.REQUIRE, "number of lines is at most 1", [5, 6]),
    ],
)
def test_a_rule_speaks_of_each_thing_of_a_list(effect: Effect, condition: str, expected: list[int]) -> None:
    assert denied(effect, "pay_lines", condition) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("each use of sql: table is not owners or column is not name or way is one of counted, filter", [8]),
        ("some condition of sql: column is city and value is ulm", [8, 9]),
        ("some condition of sql: column is city and value is Ulm", [9]),
        ("each use of sql: table is inside shop", []),
        ("each use of sql: column is not name or it does not come out", [8]),
        ("no use of sql: it comes out", [8]),
        ("each use of sql: it is only counted or filtered on", [8]),
        ("each use of sql: it is not filtered on", [8]),
    ],
)
def test_a_rule_speaks_of_what_a_text_of_a_kind_holds(condition: str, expected: list[int]) -> None:
    assert denied(Effect.REQUIRE, "ask", condition) == expected


@pytest.mark.parametrize(
    "condition",
    [
        "each line: the moon is full",
        "each moon: paid is at most 3",
        "each line: paid is at most 3 and file is a or line id is L1",
        "each line: line id is L1 or the moon is full",
        "each line: it comes out",
    ],
)
def test_what_is_not_understood_whole_is_refused(condition: str) -> None:
    with pytest.raises(WorkbenchError):
        BOOK.rule(PersonRule(Effect.REQUIRE, ("pay_lines",), (condition,)))
