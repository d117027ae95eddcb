"""The kind ``sql``: a policy's view of a query, by hand; other tests run queries to check its claims."""

from __future__ import annotations

from collections.abc import Set
from datetime import UTC, datetime
from typing import cast

import pytest

from workbench.model import Json, RecordValue, Value
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.found_value import Missing

NONE: frozenset[str] = frozenset()
SCHEMA: Json = {"orders": ["id", "region", "net", "mail"], "shops": ["id", "region", "city"]}


def part(sql: str, name: str, dialect: str = "postgres") -> Value:
    options: dict[str, Json] = {"dialect": dialect, "schema": SCHEMA, "unqualified": "as written"}
    return KINDS["sql"].reader(options).part(sql, name)


def records(sql: str, name: str, dialect: str = "postgres") -> list[dict[str, Value]]:
    return [
        dict(record_value.fields)
        for record_value in cast("tuple[RecordValue, ...]", part(sql, name, dialect))
    ]


def ways(sql: str, column: str) -> set[str]:
    """The uses of a column, except for deciding which rows count."""
    uses = (use for use in records(sql, "uses") if use["column"] == column)
    return {str(use["way"]) for use in uses} - {"filter", "key"}


def limits(sql: str) -> set[str]:
    return {
        f"{condition['table']}.{condition['column']} {condition['operator']} {condition['value']}"
        for condition in records(sql, "conditions")
    }


def refused(sql: str, dialect: str = "postgres") -> str:
    with pytest.raises(Missing) as missing:
        part(sql, "kinds", dialect)
    return str(missing.value)


@pytest.mark.parametrize(("sql", "columns"), [
    ("select count(*) from shops", "shops.id shops.region shops.city"),
    ("select mail from orders, shops s", "orders.mail shops.id shops.region shops.city"),
    ("select exists (select 1 from shops)", "shops.id shops.region shops.city"),
    ("select count(city) from shops", "shops.city"),
    ("select x.n from (select 1 as n) x, shops where shops.id = 1", "shops.id"),
    ("with shops as (select mail from orders) select count(*) from shops", "orders.mail"),
    ("select 1 from elsewhere", "elsewhere.*"),
    ("select 1", ""),
])  # fmt: skip
def test_a_table_whose_rows_alone_count_is_read_whole(sql: str, columns: str) -> None:
    assert part(sql, "columns") == frozenset(columns.split())


@pytest.mark.parametrize(("item", "way"), [
    ("mail", "plain"),
    ("lower(mail) || '!'", "plain"),
    ("case when id = 1 then mail end", "plain"),
    ("min(mail)", "picked"),
    ("string_agg(mail, ', ')", "picked"),
    ("min(mail) over (order by id)", "plain"),
    ("first_value(mail) over ()", "plain"),
    ("sum(net) over (partition by mail)", None),
    ("avg(length(mail))", "aggregate"),
    ("count(distinct mail)", "counted"),
    ("count(mail) over (partition by id)", "tested"),
    ("mail is not null", "tested"),
    ("mail in ('a', 'b')", "tested"),
    ("sum(case when mail = 'a' then net end)", "aggregate"),
    ("(select mail from orders limit 1)", "plain"),
    ("exists (select mail from orders)", None),
    ("max(net) filter (where mail = 'a')", None),
])  # fmt: skip
def test_how_a_value_comes_out(item: str, way: str | None) -> None:
    assert ways(f"select {item} from orders", "mail") == ({way} if way else set())


@pytest.mark.parametrize("sql", [
    "select t.m from (select mail as m from orders) t",
    "with c (x) as (select mail from orders) select x from c",
    "select id from orders union all select mail from orders",
    "select * from orders",
    "select o.* from shops s join orders o on o.id = s.id",
    "select x.m from (select id as m from shops union select mail from orders) x",
    "create table copies as select mail from orders",
    "insert into shops (city) select mail from orders",
    "update shops set city = (select mail from orders limit 1)",
    "select 1; select mail from orders",
])  # fmt: skip
def test_another_name_hides_no_column(sql: str) -> None:
    assert ways(sql, "mail") == {"plain"}


@pytest.mark.parametrize(("sql", "limited"), [
    ("select 1 from orders where region = 'n' and net > 5", {"orders.region = n", "orders.net > 5"}),
    ("select 1 from orders where region = 'n' or net > 5", NONE),
    ("select 1 from orders where not region = 'n'", NONE),
    ("select 1 from orders where region in ('n')", {"orders.region = n"}),
    ("select 1 from orders where region in ('n', 'm')", {"orders.region in ('m', 'n')"}),
    ("select 1 from orders where net between 1 and 2", {"orders.net >= 1", "orders.net <= 2"}),
    ("select 1 from orders where net between symmetric 2 and 1", NONE),
    ("select 1 from orders where region = 'it''s'", {"orders.region = it's"}),
    ("select 1 from orders o join shops s on o.id = s.id and s.region = 'n'", {"shops.region = n"}),
    ("select 1 from orders o left join shops s on s.region = 'n' and o.net > 5", {"shops.region = n"}),
    ("select 1 from orders o right join shops s on s.region = 'n' and o.net > 5", {"orders.net > 5"}),
    ("select 1 from orders o full join shops s on s.region = 'n' and o.net > 5", NONE),
    ("select * from (select * from orders) t where region = 'n'", {"orders.region = n"}),
    ("select * from (select region as r from orders) t where r = 'n'", {"orders.region = n"}),
    ("select * from (select region, net from orders limit 5) t where region = 'n'", NONE),
    ("select * from (select region, max(net) from orders group by region) t where region = 'n'", NONE),
    ("select * from (select lower(region) as region from orders) t where region = 'n'", NONE),
    ("select * from (select region, rank() over (order by net) k from orders) t where region = 'n'", NONE),
    ("with c as (select * from orders) select 1 from c where region = 'n'", {"orders.region = n"}),
    ("with c as (select * from orders) select (select count(*) from c) from c where region = 'n'", NONE),
    ("select 1 from orders where region = 'n' union all select 1 from orders", NONE),
    ("select r from (select region as r from orders union all select region from shops) t where r = 'n'",
     {"orders.region = n", "shops.region = n"}),
    ("select 1 from orders where region = 'n'; select 1 from orders", NONE),
    ("delete from orders where region = 'n'", {"orders.region = n"}),
    ("select 1 from orders where exists (select 1 from shops where orders.region = 'n')", NONE),
    ("select 'n' as region from orders where region = 'n'", NONE),
])  # fmt: skip
def test_conditions_that_limit_every_row(sql: str, limited: Set[str]) -> None:
    assert limits(sql) == limited


def test_the_number_of_a_row_is_a_limit() -> None:
    numbered = "select * from (select * from orders where rownum < 5) t where region = 'n'"
    columns = [condition["column"] for condition in records(numbered, "conditions", "oracle")]
    assert "region" not in columns


def test_an_aggregate_of_the_query_around_it_may_be_of_one_row() -> None:
    assert ways("select (select sum(orders.net) from shops) from orders", "net") == {"plain"}


@pytest.mark.parametrize(("sql", "rows"), [
    ("select region from orders group by region having count(*) >= 10", 10),
    ("select region from orders group by region having 9 < count(*) and sum(net) > 3", 10),
    ("select region from orders group by region having count(*) >= 10 or sum(net) > 3", 0),
    ("select region from orders group by region having count(*) <= 10", 0),
    ("select o.region from orders o, shops s group by 1 having count(*) >= 10", 0),
    ("select o.region from orders o, shops s group by 1 having count(distinct o.id) >= 10", 10),
    ("select region from (select region from orders) t group by region having count(*) >= 10", 10),
    ("select region from (select region from orders union all select region from orders) t"
     " group by region having count(*) >= 10", 0),
])  # fmt: skip
def test_how_many_rows_a_group_has(sql: str, rows: int) -> None:
    uses = [use for use in records(sql, "uses") if use["table"] == "orders" and use["way"] == "plain"]
    assert {use["group_rows"] for use in uses} == {rows}
    assert all(use["by_group"] and use["grouped"] for use in uses)


def test_a_query_for_each_row_of_another_puts_rows_in_groups() -> None:
    sql = "select s.city, (select avg(o.net) from orders o where o.id = s.id) from shops s"
    assert all(use["by_group"] for use in records(sql, "uses") if use["table"] == "orders")
    whole = "select s.city, (select avg(o.net) from orders o) from shops s"
    assert not any(use["by_group"] for use in records(whole, "uses"))


def test_first_characters_and_bands() -> None:
    sql = "select left(mail, 2), width_bucket(net, 0, 100, 10), left(reverse(region), 2) from orders"
    range_by_column = {str(use["column"]): (use["first"], use["bands"]) for use in records(sql, "uses")}
    assert range_by_column == {
        "*": (None, None),
        "mail": (2, None),
        "net": (None, 10),
        "region": (None, None),
    }


def test_a_period() -> None:
    sql = "select 1 from orders where mail >= '2026-01-01' and mail < date '2026-02-01' and net < 3"
    assert records(sql, "periods") == [
        {"table": "orders", "column": "mail", "since": datetime(2026, 1, 1, tzinfo=UTC),
         "until": datetime(2026, 2, 1, tzinfo=UTC)}
    ]  # fmt: skip
    both = f"{sql} union all select 1 from orders where mail >= '2025-01-01'"
    assert [(period["since"], period["until"]) for period in records(both, "periods")] == [
        (datetime(2025, 1, 1, tzinfo=UTC), None)
    ]


@pytest.mark.parametrize(("sql", "kinds", "writes"), [
    ("(select 1)", {"select"}, NONE),
    ("explain select 1 from orders", {"explain", "select"}, NONE),
    ("describe sales.orders", {"describe"}, NONE),
    ("show tables", {"show"}, NONE),
    ("SHOW columns from shops like 'x%';", {"show"}, NONE),
    ("create table scratch.x as select 1", {"create table as"}, {"scratch.x"}),
    ("create temp table x as select 1", {"create table as"}, {"x"}),
    ("create table x (a int, b text)", {"create table"}, {"x"}),
    ("drop table if exists a.x, y", {"drop table"}, {"a.x", "y"}),
    ("truncate table SCRATCH.X", {"truncate"}, {"scratch.x"}),
    ("select 1; delete from orders; ", {"select", "delete"}, {"orders"}),
    ("VACUUM", {"vacuum"}, NONE),
    ("vacuum full sales.orders;", {"vacuum"}, NONE),
    ("ANALYZE orders", {"analyze"}, NONE),
    ("reindex table orders", {"reindex"}, NONE),
    ("BEGIN transaction", {"begin"}, NONE),
    ("select 'delete from orders;' /* drop table x; */", {"select"}, NONE),
])  # fmt: skip
def test_kinds_of_statements(sql: str, kinds: Set[str], writes: Set[str]) -> None:
    assert part(sql, "kinds") == kinds
    assert part(sql, "writes") == writes


@pytest.mark.parametrize("sql", [
    "", ";", "-- nothing", "with d as (delete from orders returning id) select * from d",
    "explain analyze select 1", "explain query plan select 1",
    "analyze delete from orders", "vacuum into 'x.db'", "begin delete from orders", "set search_path to x",
    "rollback", "ROLLBACK WORK;", "rollback to savepoint a",
    "select 1; explain select 1", "explain", "explain (analyze) delete from orders", "show x(1)",
    "describe select 1",
    "drop schema x", "drop table x cascade", "create table x (a int default nextval('s'))",
    "create function f() returns int as 'select 1'", "delete from orders using shops",
    "update orders set net = 1 returning *", "insert into orders values (1) on conflict do nothing",
    'drop table "SCRATCH".x', 'select 1 from "Sales"."Orders"', 'drop table "scratch.x".y',
    "copy orders to '/tmp/x'", "call f()", "grant select on orders to x", "select 1 select 2",
    "with recursive c as (select id from orders union all select id from c) select * from c",
    "select pg_read_file('/etc/passwd')", "select * into x from orders", "select o from orders o",
])  # fmt: skip
def test_what_is_not_followed_is_not_determinable(sql: str) -> None:
    assert refused(sql)


def test_the_declared_dialect_counts() -> None:
    assert part("select mail from orders limit 2, 3", "kinds", "mysql") == {"select"}
    assert refused("select top 5 mail from orders")
    assert refused("select `mail` from orders")


def test_the_limit_of_all_statements() -> None:
    assert part("select mail from orders limit 5", "limit") == 5
    assert part("select mail from orders limit 5; select 1", "limit") is None


@pytest.mark.parametrize("sql", [
    "SELECT mail FROM orders SHUTDOWN", "SELECT 1 DELETE FROM orders", "SELECT 1 COMMIT", "SELECT 1 AS Exec",
    "WITH kill AS (SELECT 1 AS a) SELECT a FROM kill",
    "SELECT COUNT(*) revert", "SELECT (SELECT 1 truncate) AS a",
])  # fmt: skip
def test_a_reserved_word_is_no_name_where_statements_need_no_semicolon(sql: str) -> None:
    assert "may begin another statement" in refused(sql, "tsql")


@pytest.mark.parametrize("sql", [
    "SELECT [commit], id AS [drop] FROM orders", "SELECT TOP 1 id FROM orders ORDER BY id DESC",
    "SELECT LEFT(mail, 1), COALESCE(id, 1), CURRENT_TIMESTAMP FROM orders AS o",
    "SELECT CASE WHEN id = 1 THEN 2 ELSE 3 END AS a FROM orders",
])  # fmt: skip
def test_reserved_words_in_their_places_and_in_brackets_are_read(sql: str) -> None:
    assert part(sql, "kinds", "tsql") == {"select"}


@pytest.mark.parametrize(
    "sql",
    [
        "select email from customers",
        "select count(*) from customers",
        "with c as (select email from customers) select email from c",
        "select o.id from orders o where exists (select 1 from customers)",
        "delete from customers",
        "insert into notes select mail from orders",
        'select email from "customers"',
    ],
)
@pytest.mark.parametrize("name", ["reads", "columns", "uses", "kinds"])
def test_a_table_without_its_schema_is_any_table(sql: str, name: str) -> None:
    with pytest.raises(Missing, match="named without its schema"):
        KINDS["sql"].reader({"dialect": "postgres", "schema": SCHEMA}).part(sql, name)


def test_a_table_is_known_with_its_schema_by_its_declaration_or_where_there_are_no_schemas() -> None:
    reads = KINDS["sql"].reader({"dialect": "postgres", "schema": SCHEMA}).part
    assert reads("select email from crm.customers", "reads") == {"crm.customers"}
    assert reads("with customers as (select id from orders) select id from customers", "reads") == {"orders"}
    sqlite = KINDS["sql"].reader({"dialect": "sqlite", "schema": SCHEMA}).part
    assert sqlite("select email from customers", "reads") == {"customers"}
    assert part("select email from customers", "reads") == {"customers"}
