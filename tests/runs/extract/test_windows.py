"""Facts about the earlier calls of a run: the calls that count, and which of their values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extracted,
    Extraction,
    Json,
    Kind,
    Record,
    RecordedCall,
    RecordField,
    RecordResult,
    WorkbenchError,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier

STR = ArgumentType(Kind.STR)
BUDGET = Record("job", (RecordField("team", STR),), key="id", results=(RecordResult("get_job"),))
JOB = Argument(
    "job",
    ArgumentType(Kind.RECORD, optional=True, record=BUDGET.type),
    "",
    Extraction("record", {"record": "job", "key": "$.arguments.job"}),
)
SPEC = AgentSpec("x", arguments=(JOB,), records=(BUDGET,), zone="UTC")
TYPES = {
    "count": ArgumentType(Kind.INT),
    "sum": ArgumentType(Kind.DECIMAL),
    "ever": ArgumentType(Kind.BOOL),
    "last": ArgumentType(Kind.STR, optional=True),
    "values": ArgumentType(Kind.SET),
}
PAID: dict[str, Json] = {"pay": "$.arguments.amount", "pay_all": "$.arguments.payments[*].amount"}


def fact(operation: str, **options: Json) -> Extractor:
    extraction = Extraction("history", {"operation": operation, **options})
    return Extractor([Argument("fact", TYPES[operation], "", extraction)], SPEC)


def call(index: int, tool: str, result: str | None = "ok", **arguments: Json) -> RecordedCall:
    return RecordedCall("r", index, tool, arguments, {}, result=result)


def fact_of_last(extractor: Extractor, *calls: RecordedCall) -> Extracted:
    """The fact at the last of the calls."""
    return extractor.extract(calls[-1], Earlier(calls, len(calls) - 1))["fact"]


def value(extractor: Extractor, *calls: RecordedCall) -> object:
    extracted = fact_of_last(extractor, *calls)
    assert extracted.missing is None, extracted.missing
    return extracted.value


def batch(*amounts: str, **more: Json) -> list[Json]:
    return [{"amount": amount, **more} for amount in amounts]


def test_sums_run_over_the_elements_of_lists_and_over_tools_by_their_own_paths() -> None:
    run = call(0, "pay", amount="1.10"), call(1, "pay_all", payments=batch("2", "3.05")), call(2, "pay")
    assert value(fact("sum", path=PAID), *run) == Decimal("6.15")
    assert value(fact("count", path=PAID), *run) == 3
    assert value(fact("values", path=PAID), *run) == {"1.10", "2", "3.05"}
    own = call(2, "pay", amount="4")
    assert value(fact("sum", path=PAID, current=True), *run[:2], own) == Decimal("10.15")


def test_values_may_be_parts_of_a_kind() -> None:
    run = call(0, "pay", amount="src/../a.ts"), call(1, "pay", amount="/repo/b.ts"), call(2, "pay")
    paths = fact("values", path=PAID, part="path.absolute", root="/repo")
    assert value(paths, *run) == {"/repo/a.ts", "/repo/b.ts"}
    for wrong in (True, 3):
        with pytest.raises(WorkbenchError, match="part"):
            fact("values", path=PAID, part=wrong)


def test_an_element_without_the_value_is_not_passed_over() -> None:
    run = call(0, "pay_all", payments=[{"amount": 1}, {}]), call(1, "pay")
    assert "no amount" in str(fact_of_last(fact("sum", path=PAID), *run).missing)


def test_only_successful_calls_count_where_that_is_said() -> None:
    failed, recorded_call = replace(call(0, "pay"), failed=True), call(1, "pay", '{"error": "no"}')
    successful = fact("count", of="pay", outcome="successful", errors=['^{"error"'])
    assert value(successful, failed, recorded_call, call(2, "pay"), call(3, "pay")) == 1
    assert value(fact("count", of="pay"), failed, recorded_call, call(2, "pay"), call(3, "pay")) == 3
    open_call = call(0, "pay", None)
    assert "not known" in str(fact_of_last(successful, open_call, call(1, "pay")).missing)
    assert value(successful, call(0, "other", None), call(1, "pay")) == 0
    assert value(successful, replace(open_call, ran=False), call(1, "pay")) == 0, "refused"


def test_since_begins_anew_at_the_latest_successful_call_of_the_tool() -> None:
    since = fact("count", of="pay", since="close", errors=["^no"])
    pays = [call(index, "pay") for index in range(6)]
    assert value(since, *pays[:3]) == 2, "all where there was none"
    assert value(since, pays[0], call(1, "close"), pays[2], pays[3]) == 1
    assert value(since, pays[0], call(1, "close"), pays[2], call(3, "close", "no"), pays[4]) == 1
    assert "not known" in str(fact_of_last(since, pays[0], call(1, "close", None), pays[2]).missing)
    of_one = fact(
        "count", of="pay", since={"tool": "close", "same": {"$.arguments.account": "$.arguments.to"}}
    )
    other = call(1, "close", account="B")
    assert value(of_one, call(0, "pay", to="A"), other, call(2, "pay", to="A")) == 1
    assert (
        value(
            of_one, call(0, "pay", to="A"), replace(other, arguments={"account": "A"}), call(2, "pay", to="A")
        )
        == 0
    )


def test_calls_that_went_on_at_the_same_time_are_neither_before_nor_after() -> None:
    since = fact("count", of="pay", since="close")
    pay, close = replace(call(0, "pay"), known_from=2), replace(call(1, "close"), known_from=2)
    assert "at the same time" in str(fact_of_last(since, pay, close, call(2, "pay")).missing)
    one_after_the_other = replace(pay, known_from=1), replace(close, known_from=2)
    assert value(since, *one_after_the_other, call(2, "pay")) == 0


CHANGES: Json = [
    {"tool": "change", "has": "$.arguments.new.mail", "same": {"$.arguments.who": "$.arguments.to"}},
    {"tool": "change", "has": "$.arguments.new.phone", "same": {"$.arguments.who": "$.arguments.to"}},
    "reset",
]


def test_since_begins_anew_at_the_latest_of_several_calls() -> None:
    since = fact("count", of="pay", since=CHANGES)
    pay, last = call(0, "pay"), call(9, "pay", to="A")

    def after(*calls: RecordedCall) -> object:
        return value(since, pay, *calls, last)

    mail = call(1, "change", who="A", new={"mail": "a@x.example", "name": "Ann"})
    phone = call(2, "change", who="A", new={"phone": None})
    assert after(call(1, "change", who="A", new={"name": "Ann"})) == 1
    assert after(replace(mail, arguments={"who": "B", "new": {"mail": "b@x.example"}})) == 1
    assert after(mail) == after(phone) == after(call(1, "reset")) == 0
    assert after(mail, call(2, "pay"), phone, call(4, "pay")) == 1, "the latest of them"
    assert after(phone, call(2, "pay"), replace(mail, index=3, failed=True)) == 1, "that succeeded"
    unsaid = replace(mail, arguments=None)
    assert "which arguments" in str(fact_of_last(since, pay, unsaid, last).missing)
    assert after(unsaid, call(2, "reset")) == 0, "whatever came before it"
    with pytest.raises(WorkbenchError, match="since must be"):
        fact("count", of="pay", since=["reset", {"tool": "change", "has": ".mail"}])


def test_a_call_since_which_others_count_may_have_its_effect_late() -> None:
    since = fact("count", of="pay", since=["change", "reset"])
    slow, reset = replace(call(0, "change"), known_from=4), call(1, "reset")
    run = [slow, reset, replace(call(2, "pay"), known_from=3), call(3, "pay"), call(4, "pay")]
    assert "at the same time" in str(fact_of_last(since, *run).missing)
    assert value(since, replace(slow, known_from=1), *run[1:]) == 2
    assert "not known" in str(fact_of_last(since, *run[:4]).missing), "whether it will succeed"


def test_a_call_may_be_asked_for_what_stands_at_a_path() -> None:
    found_some = call(0, "find", '{"found": [1]}')
    found_none, no_object = call(1, "find", '{"found": []}'), call(2, "find", "[no")
    ever = fact("count", of="find", has="$.result.found[0]")
    assert value(ever, found_some, found_none, call(2, "pay")) == 1
    assert "no object" in str(fact_of_last(ever, found_some, no_object, call(3, "pay")).missing)
    lines: Json = [{"amount": "1", "note": None}, {"amount": "2"}, {"amount": "4", "note": "x"}]
    noted = fact("sum", path=PAID, has=[".note", "$.arguments.day"])
    run = call(0, "pay_all", payments=lines, day=1), call(1, "pay_all", payments=lines), call(2, "pay")
    assert value(noted, *run) == 5


def test_the_same_value_in_another_spelling_is_neither_the_same_nor_another() -> None:
    to = fact("count", of="pay", same="$.arguments.to")
    written = fact_of_last(to, call(0, "pay", to="a 1"), call(1, "pay", to="A 1"))
    assert "written otherwise" in str(written.missing)
    assert value(to, call(0, "pay", to="a 2"), call(1, "pay", to="A 1")) == 0


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("select 1", " select 1;\n", True),
        ("select 1 ; ;", "\tselect 1", True),
        ("select ';'", "select ''", False),
        ("select 1; drop table x", "select 1", False),
        (";select 1", "select 1", False),
        ("select 1", "select  1", None),
        ("select 'a'", "select 'A'", None),
    ],
)
def test_statements_are_the_same_but_for_their_ends(first: str, second: str, same: bool | None) -> None:
    calls = fact("ever", of="estimate", same="$.arguments.sql", normal="statement")
    lines: Json = {"estimate": "$.arguments.all[*].sql"}
    members = fact("ever", path=lines, same={".sql": "$.arguments.sql"}, normal="statement")
    run = call(1, "run", sql=second)
    for extracted in (
        fact_of_last(calls, call(0, "estimate", sql=first), run),
        fact_of_last(members, call(0, "estimate", all=[{"sql": first}]), run),
    ):
        assert extracted.value is same
        assert (extracted.missing is None) is (same is not None)
    assert value(calls, call(0, "estimate", sql=1), call(1, "run", sql=1)) is True, "no text is as it is"


def test_conditions_are_about_calls_or_about_the_elements_of_their_lists() -> None:
    payments: Json = [*batch("1", to="A"), *batch("2", to="B", currency="USD"), *batch("4", to="B")]
    run = (
        call(0, "pay_all", payments=payments, day=1),
        call(1, "pay", amount="8", to="B", day=2),
        call(2, "pay", to="B"),
    )
    assert value(fact("sum", path=PAID, same={".to": "$.arguments.to"}), *run) == 14
    assert value(fact("sum", path=PAID, where={".currency": "USD"}), *run) == 2
    assert value(fact("sum", path=PAID, where={"$.arguments.day": [2, 3]}), *run) == 8
    assert value(fact("ever", path=PAID, where={".to": "C"}), *run) is False
    written = fact_of_last(fact("sum", path=PAID, where={".currency": "usd"}), *run)
    assert "written otherwise" in str(written.missing)


def test_calls_are_compared_by_what_was_known_of_their_records() -> None:
    def job(index: int, name: str, team: str) -> RecordedCall:
        return call(index, "get_job", json.dumps({"id": name, "team": team}), job=name)

    spent = fact("sum", path={"spend": "$.arguments.amount"}, same={"job.team": "job.team"})
    run = [
        job(0, "j1", "red"),
        call(1, "spend", job="j1", amount="1"),
        job(2, "j2", "red"),
        call(3, "spend", job="j2", amount="2"),
        job(4, "j3", "blue"),
        call(5, "spend", job="j3", amount="4"),
        job(6, "j2", "blue"),
        call(7, "spend", job="j1", amount="8"),
    ]
    assert value(spent, *run) == 3, "j2 was red when it was spent on"
    assert value(spent, *run[:7], call(7, "spend", job="j3")) == 4
    unseen = fact_of_last(spent, call(0, "spend", job="j9", amount="1"), *run[:1], call(2, "spend", job="j1"))
    assert "job was not known at call 0" in str(unseen.missing)
    assert "job is not known" in str(fact_of_last(spent, *run[:2], call(2, "spend", job="j9")).missing)


def test_the_last_value_is_that_of_the_latest_call_that_counts() -> None:
    last = fact("last", path={"quote": "$.result.price"}, since="reset", same="$.arguments.item")
    quotes = call(0, "quote", '{"price": 5}', item="a"), call(1, "quote", '{"price": 6}', item="b")
    assert value(last, *quotes, call(2, "buy", item="a")) == "5"
    assert value(last, *quotes, call(2, "reset"), call(3, "buy", item="a")) is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"since": {"tool": "x", "before": 1}}, "since must be"),
        ({"since": []}, "since must be"),
        ({"since": [{"has": "$.arguments.a"}]}, "since must be"),
        ({"has": "job.team"}, "has must be a path"),
        ({"has": ["$.context.role"]}, "has must be a path"),
        ({"has": "$.arguments"}, "has must be a path"),
        ({"has": ".a"}, "what a path leads to"),
        ({"same": {"$.arguments.a": "box.a"}}, "record argument"),
        ({"same": {"$.arguments.a": ".a"}}, "same must be"),
        ({"where": {".a": 1}}, "what a path leads to"),
        ({"where": "x"}, "where must be a table"),
        ({"outcome": "good"}, "outcome must be one of"),
        ({"normal": "sql"}, "normal must be one of"),
        ({"path": {}}, "path must be"),
        ({"errors": ["("]}, "does not compile"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, Json], why: str) -> None:
    with pytest.raises(WorkbenchError, match=why):
        fact("count", of="pay", **options)


def test_a_text_without_its_blanks_is_as_long_as_what_a_person_wrote() -> None:
    extraction = Extraction("jsonpath", {"path": {"reject": "$.arguments.reason"}, "normal": "unspaced"})
    reason = Argument("fact", TYPES["last"], "", extraction)
    extractor = Extractor([reason], SPEC)
    assert value(extractor, call(0, "reject", reason=" a \t\u3000b\n")) == "ab"
    assert value(extractor, call(0, "reject")) is None
    assert value(extractor, call(0, "other", reason="x")) is None
    with pytest.raises(WorkbenchError, match="normal form of a text"):
        Extractor([replace(reason, type=TYPES["count"])], SPEC)


# --- an oracle that walks the run -------------------------------------------------


@dataclass(frozen=True)
class Made:
    """A call of a random run; its outcome is ok, bad, failed or refused; ``marked`` calls have a mark."""

    tool: str
    amounts: tuple[int, ...]
    to: str
    outcome: str
    marked: bool


MADE = st.builds(
    Made,
    st.sampled_from(["pay", "pay_all", "close", "look"]),
    st.lists(st.integers(0, 9), min_size=1, max_size=3).map(tuple),
    st.sampled_from("AB"),
    st.sampled_from(["ok", "ok", "bad", "failed", "refused"]),
    st.booleans(),
)


def call_of(index: int, made_call: Made) -> RecordedCall:
    arguments: dict[str, Any] = {"to": made_call.to, **({"mark": None} if made_call.marked else {})}
    if made_call.tool == "pay":
        arguments["amount"] = made_call.amounts[0]
    elif made_call.tool == "pay_all":
        arguments["payments"] = [{"amount": amount, "to": made_call.to} for amount in made_call.amounts]
    recorded_call = call(index, made_call.tool, "no" if made_call.outcome == "bad" else "ok", **arguments)
    return replace(recorded_call, failed=made_call.outcome == "failed", ran=made_call.outcome != "refused")


SINCE: dict[str, Json] = {
    "close": "close",
    "either": [
        "close",
        {"tool": "look", "has": "$.arguments.mark", "same": {"$.arguments.to": "$.arguments.to"}},
    ],
}


def walked(
    run: Sequence[Made],
    *,
    to: bool,
    since: str,
    successful: bool,
    marked: bool,
) -> list[int]:
    """The amounts that count at the last call, found by walking the run once."""
    last = run[-1]
    counted: list[int] = []
    for made_call in run[:-1]:
        good = made_call.outcome == "ok"
        closes = made_call.tool == "close" and bool(since)
        looks = (
            made_call.tool == "look" and since == "either" and made_call.marked and made_call.to == last.to
        )
        if good and (closes or looks):
            counted = []
        if marked and not made_call.marked:
            continue
        if (
            made_call.tool not in ("pay", "pay_all")
            or made_call.outcome == "refused"
            or (successful and not good)
        ):
            continue
        if to and made_call.to != last.to:
            continue
        counted += made_call.amounts[:1] if made_call.tool == "pay" else made_call.amounts
    return counted


@given(
    st.lists(MADE, min_size=1, max_size=10),
    st.booleans(),
    st.sampled_from(["", "close", "either"]),
    st.booleans(),
    st.booleans(),
)
def test_what_counts_is_what_a_walk_over_the_run_counts(
    run: list[Made], to: bool, since: str, successful: bool, marked: bool
) -> None:
    options: dict[str, Json] = {"path": PAID, "errors": ["^no"]}
    options |= {"same": {".to": "$.arguments.to"}} if to else {}
    options |= {"since": SINCE[since]} if since else {}
    options |= {"has": "$.arguments.mark"} if marked else {}
    options |= {"outcome": "successful"} if successful else {}
    calls = [call_of(index, made_call) for index, made_call in enumerate(run)]
    counted = walked(run, to=to, since=since, successful=successful, marked=marked)
    assert value(fact("count", **options), *calls) == len(counted)
    assert value(fact("sum", **options), *calls) == sum(counted)
    assert value(fact("values", **options), *calls) == {str(amount) for amount in counted}
