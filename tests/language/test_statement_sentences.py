"""Sentences about the statements of a database: what is offered decides as they say, and as SQLite does."""

from __future__ import annotations

import sqlite3
import tomllib
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.language.language import Language
from workbench.language.suggestion import Suggestion, Suggestions
from workbench.model import AgentSpec, RecordedCall, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent

AGENT = """
name = "analyst"
[tools.run_sql]
description = "Run a SQL query on the company's database"
parameters = {{type = "object", required = ["query"], properties = {{query = {{type = "string"}}}}}}
fields = {{query = {{type = "sql"{options}}}}}
[tools.send_report]
parameters = {{type = "object", required = ["table"], properties = {{table = {{type = "string"}}}}}}
"""
POLICY = """
from agent import Run, RunSql, SendReport
DEFAULT = "{default}"
"""
POSTGRES = ', options = {dialect = "postgres", unqualified = "as written"}'
_TABLES = tomllib.loads((Path(__file__).parent / "statements.toml").read_text(encoding="utf-8"))
SAID = [(one["sentence"], one["meant"], one["others"], one.get("permits", False)) for one in _TABLES["said"]]


@lru_cache
def analyst(default: str = "allow", options: str = "") -> tuple[AgentSpec, Suggestions]:
    spec = read_agent(AGENT.format(options=options))
    return spec, Suggestions(Language(agent_types(spec), POLICY.format(default=default)))


def first_offer(sentence: str, default: str = "allow", options: str = "") -> Suggestion:
    return analyst(default, options)[1].of(sentence)[0]


def verdict(offer: Suggestion, query: str, default: str = "allow", options: str = "") -> Verdict:
    """The verdict on a statement by what is offered alone."""
    spec, suggestions = analyst(default, options)
    lowered = lowered_policy(suggestions.alone(offer.tree), spec)
    call = RecordedCall("r", 0, "run_sql", {"query": query}, result="done")
    extracted = Extractor(lowered.arguments, spec).extract(call, Earlier((call,), 0))
    return decision_on(compile_policy(lowered.terms), extracted).verdict


@pytest.mark.parametrize(("sentence", "meant", "others", "permits"), SAID, ids=[one[0] for one in SAID])
def test_what_is_offered_first_for_a_sentence_about_a_database_decides_as_it_says(
    sentence: str, meant: list[str], others: list[str], permits: bool
) -> None:
    default = "deny" if permits else "allow"
    offer = first_offer(sentence, default)
    for query in meant:
        assert (verdict(offer, query, default) is Verdict.ALLOW) == permits, (offer.text, query)
    for query in others:
        assert (verdict(offer, query, default) is Verdict.ALLOW) != permits, (offer.text, query)


@pytest.mark.parametrize(
    "sentence",
    (
        "No tables except orders may be read.",
        "Rows may be deleted if they are older than a year.",
        "Database access is read-only except for the orders table.",
        "The database may be read without asking.",
        "The agent may read the rows of its own tenant in the database.",
    ),
)
def test_no_rule_about_statements_is_offered_where_a_part_of_a_sentence_would_be_left_out(
    sentence: str,
) -> None:
    for offer in analyst()[1].of(sentence):
        assert "“select”" not in offer.text, offer.text
        assert "“delete”" not in offer.text, offer.text


def test_a_table_is_meant_in_each_schema_where_a_database_has_some() -> None:
    offer = first_offer("The agent may not read the salaries table.", options=POSTGRES)
    for query in ("select * from salaries", "select * from hr.salaries"):
        assert verdict(offer, query, options=POSTGRES) is Verdict.DENY, query
    assert verdict(offer, "select * from users", options=POSTGRES) is Verdict.ALLOW


_PARTS = st.sampled_from((
    "select * from users", "select 1", "with u as (select 1 as x) select x from u", "values (1)",
    "explain query plan select 1", "insert into users values (7, 'a', 'b')", "pragma user_version = 3",
    "insert into users select * from users", "update users set name = 'x'", "delete from users where id = 1",
    "update users set name = (select 'x') where id = 1", "delete from users", "drop table users",
    "create table t (x integer)", "create table t as select * from users", "create view v as select 1",
    "vacuum", "attach ':memory:' as other", "alter table users add column age",
    "create index i on users (id)", "replace into users values (1, 'x', 'y')",
))  # fmt: skip


@given(st.lists(_PARTS, min_size=1, max_size=3))
def test_what_may_only_be_read_is_not_changed_by_any_statement_that_is_allowed(parts: list[str]) -> None:
    query = "; ".join(parts)
    offer = first_offer("The database may only be read, never changed.")
    if verdict(offer, query) is not Verdict.ALLOW:
        return
    with sqlite3.connect(":memory:") as database:
        database.execute("create table users (id integer, name text, ssn text)")
        database.execute("insert into users values (1, 'a', 'b')")
        before = list(database.iterdump())
        database.executescript(query)
        assert list(database.iterdump()) == before


def test_the_page_shows_what_is_offered() -> None:
    page = (Path(__file__).parents[2] / "docs/learn/your-agent.md").read_text(encoding="utf-8")
    table = (
        page.partition("## Rules about a database")[2].partition("| --- | --- |\n")[2].partition("\n\n")[0]
    )
    for row in table.splitlines():
        said, sentence = (cell.strip() for cell in row.strip("|").split("|"))
        assert sentence == first_offer(said).text
