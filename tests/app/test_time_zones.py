"""In which zone times are that name none: asked where nothing shows that they name one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.app.surroundings import with_answer
from workbench.app.time_zones import doubts_of_zones
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import (
    AgentSpec,
    ArgumentType,
    Doubt,
    Extraction,
    FieldNote,
    Json,
    Kind,
    RecordedCall,
    TextReading,
    Tool,
)
from workbench.question_wording import question_about

MINUTES = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$"
WITH_ZONE = MINUTES.removesuffix("$") + r"(Z|[+-]\d{2}:\d{2})$"
EARLY = "call.start.time < time(9, 0)"
SOON = "call.start.at - call.time < timedelta(hours=9)"
OLD = "any(any(call.time - day > timedelta(days=9) for day in c.result.dates) for c in run.earlier(Book))"
DATES = TextReading(
    "dates",
    ArgumentType(Kind.LIST, element=ArgumentType(Kind.DATETIME)),
    Extraction("regex", {"pattern": r'"date": "([^"]*)"'}),
)


def agent_with(said: dict[str, str], zone: str = "") -> AgentSpec:
    parameters: dict[str, Json] = {
        "type": "object",
        "properties": {"start": dict[str, Json]({"type": "string", **said})},
        "required": ["start"],
    }
    tool = Tool("book", parameters=parameters, fields={"start": FieldNote("moment", zone=zone)})
    return AgentSpec("desk", tools=(tool,), readings=(DATES,))


def doubts(agent: AgentSpec, condition: str, *calls: RecordedCall, request: str = "") -> list[Doubt]:
    policy = (
        '"""What a desk keeps to."""\n\nfrom datetime import time, timedelta\n\n'
        "from agent import Book, Run\n\n"
        'DEFAULT = "allow"\n\n\ndef forbid_book(call: Book, run: Run) -> bool:\n'
        f'    """R1: No early bookings."""\n    return {condition}\n'
    )
    return [*doubts_of_zones(lowered_policy(policy, agent).terms, agent, request, calls)]


def call(start: str, result: str | None = None) -> RecordedCall:
    return RecordedCall("a", 0, "book", {"start": start}, result=result)


@pytest.mark.parametrize(
    ("said", "logged", "is_asked"),
    [
        ({}, (), True),
        ({"pattern": MINUTES}, (), True),
        ({"pattern": WITH_ZONE}, (), False),
        ({"format": "date-time"}, (), False),
        ({"format": "date-time", "description": "local time, YYYY-MM-DDTHH:MM"}, (), True),
        ({"description": "such as 2026-03-02T09:00:00+01:00"}, (), False),
        ({}, (call("2026-03-02T09:00:00Z"),), False),
        ({"format": "date-time"}, (call("2026-03-02T09:00:00Z"), call("2026-03-02T09:00")), True),
    ],
)
def test_a_parameter_is_asked_about_unless_log_or_schema_names_zones(
    said: dict[str, str], logged: tuple[RecordedCall, ...], is_asked: bool
) -> None:
    assert bool(doubts(agent_with(said), SOON, *logged)) is is_asked


@pytest.mark.parametrize("condition", [EARLY, "call.start.weekday > 5", "call.start.date == call.time.date"])
def test_days_and_hours_are_asked_about_also_of_times_that_name_a_zone(condition: str) -> None:
    named = call("2026-03-02T17:30:00Z")
    (asked,) = doubts(agent_with({"format": "date-time"}), condition, named, request="9 to 5, Europe/Berlin")
    assert asked.values[0] == "Europe/Berlin"
    question = question_about(asked)
    assert "17:30Z" in question.text
    assert question.options[-1].label == "Each by the zone that it names itself"
    said = with_answer(agent_with({}), question, "Europe/Berlin", {})
    assert said is not None
    assert said.zone == "Europe/Berlin"


def test_a_zone_is_offered_by_a_city_that_the_request_speaks_of() -> None:
    condition = "call.start.hour < 9"
    request = "Weekdays 9 to 5, Berlin time; never New York hours."
    (asked,) = doubts(agent_with({}), condition, request=request)
    assert {"Europe/Berlin", "America/New_York"} <= {*asked.values}


def test_a_zone_that_is_declared_and_a_time_that_no_rule_reads_are_not_asked_about() -> None:
    assert not doubts(agent_with({}, zone="UTC"), EARLY)
    assert not doubts(replace(agent_with({}), zone="Europe/Oslo"), EARLY)
    assert not doubts(agent_with({}), 'call.start.text == "now"')
    assert not doubts(agent_with({}), "len(run.said) > 9")


def test_a_reading_of_results_is_asked_about_unless_the_results_name_zones() -> None:
    agent = agent_with({"format": "date-time"})
    (asked,) = doubts(agent, OLD)
    assert asked.facts["times"] == "the reading `dates`"
    seen = call("2026-03-02T09:00Z", '{"date": "2026-01-02T10:00:00"}')
    (asked,) = doubts(agent, OLD, seen)
    assert "“2026-01-02T10:00:00”" in asked.facts["seen"]
    assert not doubts(agent, OLD, replace(seen, result='{"date": "2026-01-02T10:00:00Z"}'))


def test_the_answer_is_the_zone_of_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    agent = agent_with({"pattern": MINUTES})
    (asked,) = doubts(agent, EARLY, request="Times are those of Europe/Oslo, and/or Never/Where.")
    assert asked.values == ("Europe/Oslo", "America/New_York", "UTC", "meant")
    question = question_about(asked)
    assert with_answer(agent, question, "meant", {}) is None
    said = with_answer(agent, question, "Europe/Oslo", {})
    assert said is not None
    assert said.zone == "Europe/Oslo"
    assert not doubts(said, EARLY)


@pytest.mark.parametrize(("condition", "is_asked"), [
    ("call.time.time >= time(22, 0)", True), ("call.time.weekday > 5", True),
    (SOON, False)])  # fmt: skip
def test_the_clock_of_calls_is_asked_for_where_rules_read_their_day_or_hour(
    condition: str, is_asked: bool
) -> None:
    found = doubts(agent_with({"format": "date-time"}), condition)
    assert [one.facts["times"] for one in found] == ["the time of a call"] * is_asked
    agent = replace(agent_with({"format": "date-time"}), zone="Europe/Oslo")
    assert not doubts(agent, condition)
