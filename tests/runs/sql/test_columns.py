"""The columns that SQL reads: for runnable queries compared with SQLite's real readings; the rest by hand."""

from __future__ import annotations

import random
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.sql.sql_oracle import hospital, random_query, really_read
from workbench.runs.sql.columns import (
    SQL_HOLE,
    SQL_NUMBER,
    Schema,
    looks_like_sql,
    read_sql,
)
from workbench.runs.sql.functions import DIALECTS
from workbench.runs.sql.statement_kinds import read_statements
from workbench.runs.values.found_value import Missing

HOSPITAL: Schema = tuple(hospital().items())
SMALL: Schema = (
    ("patient", ("id", "age", "gender")),
    ("cost", ("id", "cost")),
    ("lab", ("id", "labname", "result")),
)


def columns(sql: str, dialect: str = "sqlite", schema: Schema = SMALL) -> set[str]:
    return set(read_sql(sql, schema, dialect).columns)


def refused(sql: str, dialect: str = "sqlite") -> str:
    """The reason why the query cannot be evaluated; fails if it can."""
    with pytest.raises(Missing) as missing:
        read_sql(sql, SMALL, dialect)
    return str(missing.value)


def lost(query: str) -> set[tuple[str, str]]:
    """The readings of SQLite for the query that extraction does not report."""
    access = read_sql(query, HOSPITAL)
    named = {tuple(item.lower().rsplit(".", 1)) for item in access.columns}
    tables = {table.lower() for table in access.tables}
    return {
        (table, column)
        for table, column in really_read(query)
        if ((table, column) not in named if column else table not in tables)
    }


# --- compared with what SQLite reads --------------------------------------------------


@settings(max_examples=examples(250), deadline=None)
@given(st.integers(0, 2**48))
def test_whatever_sqlite_reads_is_extracted_or_the_query_cannot_be_evaluated(seed: int) -> None:
    query = random_query(random.Random(seed))
    try:
        missed = lost(query)
    except Missing:
        return
    assert not missed, query


def test_most_random_queries_are_decided() -> None:
    decided = 0
    for seed in range(150):
        try:
            read_sql(random_query(random.Random(seed)), HOSPITAL)
            decided += 1
        except Missing:
            continue
    assert decided >= 0.55 * 150


@pytest.mark.parametrize("query", [
    # An alias has the name of another table.
    "select cost.labname from lab as cost",
    "select (select cost.cost from lab as cost) from cost",
    "select (select lab.cost from patient as cost) from cost as lab",
    "select patient.cost from cost as patient, patient as cost",
    "select a.cost from cost a where exists (select 1 from patient a where a.age > 3)",
    "select x.cost from (select uniquepid as cost from patient) x, cost",
    "select cost.* from diagnosis as cost, cost",
    # A common table expression has the name of a table.
    "with cost as (select age as cost from patient) select cost from main.cost",
    "with cost(cost) as (select age from patient) select cost from cost",
    "with lab as (select cost from cost) select * from lab",
    "with a as (with lab as (select cost as labname from cost) select labname from lab) select * from a, lab",
    "select (with lab as (select cost from cost) select count(*) from lab) from lab",
    "with unused as (select cost from cost) select labname from lab",
    # An output has the name of a column, in every clause that may see it.
    "select labname as cost from lab order by cost",
    "select 1 as cost from cost order by cost + 1",
    "select age as cost, (select max(cost) from cost where uniquepid = cost) from patient",
    "select uniquepid from patient where age = (select max(cost) as age from cost having age > 1)",
    # Compounds, positions, values.
    "select labname from lab union select cost from cost order by 1",
    "select n from (select 1 as n union all select cost from cost) order by n",
    "values (1) union select cost from cost",
    "values ((select age from patient))",
    "select * from (select * from (select * from lab cross join diagnosis) natural join medication)",
    "select * from (values (1)) v, cost",
    "select x from (select cost x from cost intersect select age from patient) limit (select 3)",
    # Joins that name no table, and stars.
    "select labname from lab natural join patient",
    "select p.* from patient p join cost using (uniquepid)",
    "select uniquepid from patient join cost using (uniquepid)",
    "select * from patient, (select cost from cost)",
    "select count(*), count(1) from cost",
    # Windows, filters, correlation, recursion.
    "select rank() over (partition by age order by (select max(cost) from cost)) from patient",
    "select sum(age) over w from patient window w as (order by gender)",
    "select count(age) filter (where gender in (select cost from cost)) from patient",
    "select age from patient p where exists (select 1 from cost where cost.uniquepid = p.uniquepid)",
    "select (select cost) from cost",
    "with recursive n(i) as (select cost from cost union select i + 1 from n where i < 3) select i from n",
    # Texts in double quotes, quoted names, and comments that look like quotes.
    'select "cost" from cost', "select [cost], `cost` from [cost]", 'select "none" from cost',
    "with x as (select \"cost\" from lab) select (select cost from x) from cost",
    "select age /* ' */, gender -- '\n, ethnicity from patient where age <> '/*' -- */",
    "select age from patient where gender = ' -- ' union select cost from cost where eventtype = ' '",
])  # fmt: skip
def test_what_sqlite_reads_by_intricate_names_is_extracted(query: str) -> None:
    assert really_read(query)
    try:
        missed = lost(query)
    except Missing:
        return
    assert not missed


@pytest.mark.parametrize("query", [
    "with one as (select cost from cost) select 1 from lab where labname in one",
    "select name from sqlite_master", "select sql from sqlite_schema", "select * from main.sqlite_master",
    "select * from pragma_table_info('cost')", "select * from pragma_table_list", "select * from dbstat",
    "select value from json_each('[1]')", "select * from json_tree('{}')",
    "select key from json_each where json = '[1]'",
    "select 'cost'.'cost' from cost", "select cost.'cost' from cost", "select * from 'cost'",
    "select uniquepid as 'cost' from patient", "select rowid from cost", "select c.oid from cost c",
    "select max(_rowid_) from cost", "select cost from cost where rowid = 1",
    "select cost from cost /* open",
])  # fmt: skip
def test_what_sqlite_runs_and_cannot_be_followed_is_refused(query: str) -> None:
    really_read(query)  # SQLite runs it
    refused(query)


# --- executable comments --------------------------------------------------------------


@pytest.mark.parametrize("sql", [
    "select age /*! , cost */ from patient", "select age /*!50000 , (select cost from cost) */ from patient",
    "select age from patient /*! union select cost from cost */", "/*! select cost from cost */",
    "select age from patient where id = 1 /*!or 1=1*/", "select /*!99999 age from patient */ 1",
    "select age from patient /*M! union select cost from cost */",
    "select /*+ index(cost) */ age from patient",
    "select /*+ max_execution_time(1) */ age from patient", "select age /*!*/ from patient",
    "select age from patient --+ full(cost)\n", "select age --1\n from patient",
    "select 5--1\n, age from patient",
    "select age from patient where id = 1--x", "select age # cost\n from patient",
    "select age /* /*! , cost */ */ from patient", "select age /* a /* b */ , cost */ from patient",
])  # fmt: skip
def test_comments_that_a_database_may_run_are_refused(sql: str) -> None:
    refused(sql, "mysql")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_plain_comments_are_skipped_in_every_dialect(dialect: str) -> None:
    sql = "-- first\nselect age /* , cost 'x */ from patient -- where cost"
    assert columns(sql, dialect) == {"patient.age"}
    for comment in ("/*! , cost */", "/*+ x */"):
        refused(f"select age {comment} from patient", dialect)


# --- functions ------------------------------------------------------------------------

ELSEWHERE = {
    "sqlite": """
        load_extension('x') readfile('x') writefile('x', 1) edit('x') fts3_tokenizer('x') sqlite_version()
        eval('select 1') sqlite_compileoption_get(1) snippet(cost) zeroblob(9) last_insert_rowid()
    """,
    "mysql": """
        load_file('/etc/passwd') sleep(3) benchmark(9, 1) get_lock('a', 1) sys_exec('id') user() version()
        extractvalue('a', 'b') updatexml('a', 'b', 'c') sys_eval('id') last_insert_id() database()
    """,
    "postgres": """
        query_to_xml('select cost from cost', true, false, '') dblink('x', 'select') pg_read_file('x')
        table_to_xml('cost', true, false, '') pg_ls_dir('.') lo_import('x') lo_get(1) pg_sleep(1)
        set_config('a', 'b', true) current_setting('x') database_to_xml(true, false, '') xpath('/a', 'b')
        cursor_to_xml('c', 1, true, false, '') pg_read_binary_file('x') dblink_exec('x') nextval('s')
        ts_stat('select cost from cost') row_to_json(patient) to_json(patient) pg_stat_file('x')
        generate_series(1, 2) unnest('{1}') plpgsql_call_handler()
    """,
    "tsql": """
        openrowset('a', 'b', 'c') xp_cmdshell('x') openquery('a', 'b') opendatasource('a', 'b')
        sp_executesql('x') object_definition(1) db_name() suser_name() has_perms_by_name('a', 'b', 'c')
        openjson('a') openxml(1, 'a')
    """,
    "oracle": """
        dbms_xmlgen.getxml('select cost from cost') utl_http.request('x') dbms_xmlquery.getxml('select 1')
        httpuritype('x') sys_context('a', 'b') extractvalue('a', 'b') xmltype('a') userenv('x')
        utl_inaddr.get_host_address('a') ctxsys.drithsx.sn(1, 'x') dbms_sql.execute(1) bfilename('a', 'b')
    """,
    "bigquery": """
        external_query('a', 'select 1') ml.predict('a') error('x') session_user() generate_array(1, 2)
        net.host('x') keys.new_keyset('x') ai.generate('x') vector_search('x') appends('x')
    """,
    "snowflake": """
        system$typeof(1) result_scan('x') get_ddl('table', 'cost') table(x) infer_schema('x')
        get_path('a', 'b') identifier('cost') flatten('x') generator(1) to_query('select 1') current_user()
    """,
    "duckdb": """
        read_csv('x') read_text('x') read_blob('x') read_parquet('x') glob('*') sniff_csv('x')
        query('select 1') query_table('cost') getenv('HOME') current_setting('x') read_json('x')
        duckdb_tables() parquet_scan('x')
    """,
}


def _calls(text: str) -> list[str]:
    """The calls in a line of adjacent calls."""
    calls: list[str] = []
    depth = start = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == ")" and depth == 0:
            calls.append(text[start : place + 1].strip())
            start = place + 1
    return calls


@pytest.mark.parametrize(
    ("dialect", "call"), [(d, call) for d, text in ELSEWHERE.items() for call in _calls(text)]
)
def test_functions_that_are_not_listed_are_refused_wherever_they_stand(dialect: str, call: str) -> None:
    refused(f"select {call}", dialect)
    refused(f"select age from patient where id = {call}", dialect)
    refused(f"select age from patient where id in (select max({call}) from lab)", dialect)
    refused(f"select * from {call}", dialect)


def test_every_dialect_has_ten_functions_that_reach_elsewhere_in_these_tests() -> None:
    assert set(ELSEWHERE) == set(DIALECTS)
    assert all(len(_calls(text)) >= 10 for text in ELSEWHERE.values())


@pytest.mark.parametrize("sql", [
    '"dblink"(1)', "pg_catalog.lower(gender)", "public.lower(gender)", "Query_To_XML('x', true, false, '')",
    "pg_read_file /* x */ ('a')", "lower(pg_read_file('a'))", "coalesce(null, dblink('a', 'b'))",
    "sum(lo_get(1)) over ()", "case when pg_sleep(1) is null then 1 end", "cast(pg_read_file('a') as text)",
    "pg_read_file\n\t('a')", "gender like pg_read_file('a')", "patient.query_to_xml", "count(patient)",
    "cost(patient)",
])  # fmt: skip
def test_a_call_cannot_hide_its_name(sql: str) -> None:
    refused(f"select {sql} from patient", "postgres")


# --- tables that are none -------------------------------------------------------------


@pytest.mark.parametrize(("sql", "dialect"), [
    ("select * from 'file.csv'", "duckdb"), ('select * from "file.csv"', "duckdb"),
    ("select * from '*.parquet'", "duckdb"),
    ("from cost", "duckdb"), ("select * from duckdb_tables", "duckdb"), ("select #1 from cost", "duckdb"),
    ("select columns('c.*') from cost", "duckdb"), ("select * exclude (id) from cost", "duckdb"),
    ("select * from generate_series(1, 3)", "postgres"), ("select * from lateral (select 1) x", "postgres"),
    ("select * from patient, lateral (select cost from cost) c", "postgres"), ("table cost", "postgres"),
    ("select * from pg_stats", "postgres"), ("select * from information_schema.columns", "postgres"),
    ("select * from only cost", "postgres"), ("select * from cost tablesample system (1)", "postgres"),
    ("select * from rows from (generate_series(1, 2))", "postgres"), ("select * from cost as c(a, b)",
    "postgres"),
    ("select * from openrowset('x', 'y', 'z')", "tsql"), ("select * from sys.tables", "tsql"),
    ("select * from cost for xml auto", "tsql"), ("select * from cost with (nolock)", "tsql"),
    ("select * from patient cross apply (select cost from cost) c", "tsql"), ("select * from @t", "tsql"),
    ("select * from other.dbo.cost", "tsql"), ("select * from cost@remote", "oracle"),
    ("select * from table(f(1))", "oracle"), ("select * from all_tab_columns", "oracle"),
    ("select * from cost as of timestamp sysdate", "oracle"), ("select * from unnest([1, 2])", "bigquery"),
    ("select * from `project.data.cost`", "bigquery"), ("select * from `cost_*`", "bigquery"),
    ("select * from @stage/file", "snowflake"), ("select $1 from cost", "snowflake"),
    ("select * from table(flatten(x))", "snowflake"), ("select * from mysql.user", "mysql"),
    ("select * from performance_schema.threads", "mysql"), ("select @@version", "mysql"), ("select @x",
    "mysql"),
    ("select age from patient |> select cost", "bigquery"), ("select x from cost c, c.arr x", "bigquery"),
    ("select x from cost c join c.arr as x", "bigquery"), ("select * like 'c%' from cost", "duckdb"),
    ("select (select v from cost, (select id as v) s) from patient", "duckdb"),
    ("with COST as (select age from patient) select * from cost", "mysql"),
    ("select * from hospital.cost", "mysql"), ("select * from public.cost c, other.cost d", "postgres"),
])  # fmt: skip
def test_what_is_no_table_of_data_is_refused(sql: str, dialect: str) -> None:
    refused(sql, dialect)


# --- statements -----------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", [
    "pragma table_info(cost)", "explain query plan select cost from cost", "/* x */ pragma user_version",
    "attach 'x' as y", "detach y", "explain select age from patient", "copy cost to 'x'",
    "call f()", "set x = 1", "select age into x from patient", "select age from patient for update",
    "with x as (delete from cost returning cost) select * from x", "insert into lab select * from cost",
    "update lab set labname = 1", "delete from cost", "create table x as select * from cost",
    "drop table cost",
    "alter table cost rename to lab", "vacuum", "begin", "show tables", "describe cost", "exec f",
    "grant all to x",
    "select age from patient; select cost from cost", "select age from patient; drop table cost",
    "with x as (update cost set cost = 1 returning id) select id from x",
    "select age from patient into outfile 'x'",
    "merge into cost using lab on 1 = 1 when matched then delete", "", "  ", "-- select age from patient",
    "hello",
    "with x as (select 1)", "select age from patient lock in share mode", "prepare x from 'select 1'", "(",
    "select (",
])  # fmt: skip
def test_statements_that_are_no_single_query_are_refused(sql: str, dialect: str) -> None:
    refused(sql, dialect)


# --- characters -----------------------------------------------------------------------


@pytest.mark.parametrize(("sql", "dialect"), [
    ("select age from patient\0 union select cost from cost", "sqlite"),
    ("select age\x0b, cost from patient", "sqlite"), ("select age\x0c from patient", "sqlite"),
    ("select age\u200b from patient", "sqlite"), ("select age\u00a0 from patient", "sqlite"),
    ("select age -- x\r, cost\n from patient", "sqlite"), ("select age\u2028 from patient", "sqlite"),
    ("select \ufeffage from patient", "sqlite"), ("select \uff41ge from patient", "sqlite"),
    ("select * from \u017fecret", "sqlite"), ("select \u212aey from patient", "sqlite"),
    ("select age from patient where gender = 'a\\'' or id = ' union select cost from cost -- '", "mysql"),
    ("select age from patient where gender = 'a\\\\' union select cost from cost -- '", "mysql"),
    ("select age from patient where gender = 'a\\' union select cost from cost -- '", "postgres"),
    ("select age from patient where gender = E'a\\'b'", "postgres"), ("select $$a$$", "postgres"),
    ("select $t$ ' $t$, age from patient", "postgres"), ("select U&'a' from patient", "postgres"),
    ("select q'[it's]', age from patient", "oracle"), ("select q'!a'!', age from patient", "oracle"),
    ("select n'x' from patient", "tsql"), ("select r'a\\' from patient", "bigquery"),
    ("select '''a''' from patient", "bigquery"), ("select _utf8'x' from patient", "mysql"),
    ('select "cost" from cost', "mysql"), ("select 'a' 'b' from patient where {x}", "mysql"),
    ("select labname from lab -- \u240d union select cost from cost", "postgres"),
    ("select labname from lab where labname = '<U+200B>'", "sqlite"), ("select 'a\ufffd' from lab", "sqlite"),
    ("select age from patient where gender = 'x", "sqlite"), ("select 'a'", "hive"), ("select 1", "no such"),
])  # fmt: skip
def test_characters_that_are_read_differently_are_refused(sql: str, dialect: str) -> None:
    refused(sql, dialect)


def test_a_name_beyond_ascii_that_no_folding_changes_is_kept() -> None:
    assert columns("select 年齢 as höhe from patienten") == {"patienten.年齢"}


# --- whole rows, columns of the database, and names that are words ----------------------


@pytest.mark.parametrize(("sql", "dialect"), [
    ("select patient from patient", "postgres"), ("select p from patient p", "postgres"),
    ("select count(p) from patient p", "postgres"), ("select p::text from patient p", "postgres"),
    ("select (p).age from patient p", "postgres"), ("select (p).* from patient p", "postgres"),
    ("select count(p.*) from patient p", "postgres"), ("select row(p.*) from patient p", "postgres"),
    ("select json_agg(p) from patient p", "postgres"), ("select array_agg(p.*) from patient p", "postgres"),
    ("select p.to_json from patient p", "postgres"), ("select max(p) over () from patient p", "duckdb"),
    ("select h from hidden h", "postgres"), ("select lab from lab", "duckdb"), ("select lab from lab",
    "bigquery"),
    ("select 1 from cost order by cost.*", "postgres"),
    ("select case when p is null then 1 end from patient p", "postgres"),
    ("select ctid from cost", "postgres"), ("select xmin from cost", "postgres"),
    ("select c.tableoid from cost c", "postgres"),
    ("select rowid from cost", "oracle"),
    ("select rowid from cost", "duckdb"),
    ("select sum(*) from cost", "sqlite"), ("select cost.cost.id from cost", "bigquery"),
    ("select id from patient, cost", "sqlite"), ("select zzz from patient, cost", "sqlite"),
    ("select zzz.age from patient", "postgres"), ("select 'cost'::regclass", "postgres"),
    ("select cast(1 as xml)", "postgres"),
])  # fmt: skip
def test_names_that_may_mean_more_than_a_column_are_refused(sql: str, dialect: str) -> None:
    refused(sql, dialect)


def test_a_declared_name_that_the_parser_takes_for_a_word_is_refused() -> None:
    schema = (("visit", ("date", "interval", "current_user", "id")),)
    for sql in (
        "select date '2020' from visit",
        "select current_user from visit",
        "select interval '1' from visit",
    ):
        with pytest.raises(Missing):
            read_sql(sql, schema)
    assert columns("select date, visit.interval from visit", schema=schema) == {
        "visit.date",
        "visit.interval",
    }


def test_quoted_names_of_a_database_that_tells_letters_apart() -> None:
    sql = 'select (select "COST" from (select age as cost from patient) x)'
    sql += ' from (select cost as "COST" from cost) y'
    assert columns(sql, "postgres") == {"patient.age", "cost.cost"}
    refused('select (select "COST" from (select age as cost from patient) x)', "postgres")


# --- values that are only known when the code runs ---------------------------------------

HOLE = SQL_HOLE.format(0)
NUMBER = SQL_NUMBER.format(0)


@pytest.mark.parametrize("sql", [
    f"select {HOLE} from cost", f"select cost from {HOLE}", f"select cost from cost where {HOLE}",
    f"select cost from cost order by {HOLE}", f"select cost from cost c{HOLE}",
    f"select c.{HOLE} from cost c",
    f"select age from patient where id = {HOLE} -- x", f"select age from patient /* x */ where id = {HOLE}",
    f"select age from patient where gender = '{HOLE}' and age = ' union select cost from cost --'",
    f"select '{HOLE}' , ', cost from cost' from patient",
    f"select age from patient where gender = '{HOLE}{HOLE}'",
    f"select age from patient where id = {HOLE} and gender = 'f'",
    f"select age from patient where gender = '{HOLE}, x'",
    f"select age from patient where id = {HOLE}{NUMBER}",
    f"select age from patient where id = 1 -{NUMBER}, id from lab",
    f"select age from patient where gender = '{HOLE}' and age = \"x\"", f"select age from {NUMBER}",
    f"select age from patient where id = {HOLE} and id in ('--')", f"select x{NUMBER} from patient",
])  # fmt: skip
def test_a_value_from_a_table_must_not_become_sql(sql: str) -> None:
    refused(sql)


@pytest.mark.parametrize("sql", [
    f"select age from patient where id = {HOLE}", f"select age from patient where gender = '{HOLE}'",
    f"select age from patient where id in ({HOLE}, {SQL_HOLE.format(1)})",
    f"select age from patient limit {HOLE}",
    f"select age from patient where gender like '%{HOLE}%'",
    f"select age from patient where id between {HOLE} and 9",
    f"select age from patient where gender <> 'f' and id = {HOLE}", f"select age + {NUMBER} from patient",
    f"select age from patient where id = {HOLE} and age > '2105-03-01 12:00'",
    f"select age from patient where id = {NUMBER} and gender = 'f'",
    f"select age from patient where gender = '{NUMBER}x'",
])  # fmt: skip
def test_a_value_that_stays_a_value_is_followed(sql: str) -> None:
    assert columns(sql) <= {"patient.age", "patient.id", "patient.gender"}


# --- ordinary queries are decided --------------------------------------------------------

ORDINARY: list[tuple[str, str]] = [
    ("select age from patient where id = 3 order by gender desc limit 3",
    "patient.age patient.id patient.gender"),
    ("select p.age, count(*) from patient p left join cost c on c.id = p.id group by 1 having max(cost) > 3",
     "patient.age patient.id cost.id cost.cost"),
    ("with t as (select id, max(cost) m from cost group by 1) select age, m from patient p join t using (id)",
     "cost.id cost.cost patient.age patient.id"),
    ("select case when age > 60 then 'old' else 'young' end as part, avg(age) from patient group by gender",
     "patient.age patient.gender"),
    ("select labname, rank() over (partition by labname order by result desc) from lab",
    "lab.labname lab.result"),
    ("select upper(gender), coalesce(age, 0) + 1, cast(age as decimal(10, 2)) from patient",
     "patient.gender patient.age"),
    ("select id from patient where id not in (select id from cost where cost between 1 and 2)",
     "patient.id cost.id cost.cost"),
    ("select age from patient union all select cost from cost", "patient.age cost.cost"),
    ("select distinct gender from patient where gender like 'f%' or gender is not null", "patient.gender"),
    ("select count(distinct gender), round(avg(age), 2) from patient", "patient.gender patient.age"),
    ("select x.n from (select count(*) as n from lab group by labname) x where x.n > 1", "lab.labname"),
]  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("sql", "expected"), ORDINARY)
def test_ordinary_queries_are_decided_in_every_dialect(sql: str, expected: str, dialect: str) -> None:
    if dialect in ("tsql", "oracle"):
        sql = sql.replace(" limit 3", "")
    assert columns(sql, dialect) == set(expected.split())


@pytest.mark.parametrize(("sql", "dialect", "expected"), [
    ("select date_format(age, '%Y') from patient where age > date_sub(now(), interval 1 year)", "mysql",
    "patient.age"),
    ("select `age` from `patient` p where p.gender = \"f\"", "mysql", "patient.age patient.gender"),
    ("select date_trunc('month', age)::date from public.patient where gender ilike 'f%'", "postgres",
     "patient.age patient.gender"),
    ("select age from patient where age > current_date - interval '1 year'", "postgres", "patient.age"),
    ("select extract(year from age), string_agg(gender, ',') from patient", "postgres",
    "patient.age patient.gender"),
    ("select top 5 [age] from [dbo].[patient] where getdate() > age", "tsql", "patient.age"),
    ("select gender = upper(age) from patient", "tsql", "patient.age"),
    ("select nvl(age, 0), to_char(sysdate, 'YYYY') from patient", "oracle", "patient.age"),
    ("select safe_divide(age, 2), countif(gender = 'f') from patient", "bigquery",
    "patient.age patient.gender"),
    ("select iff(age > 1, 1, 0) from patient qualify row_number() over (order by gender) = 1", "snowflake",
     "patient.age patient.gender"),
    ("select median(age), age::varchar from patient group by age", "duckdb", "patient.age"),
    ("select strftime('%Y', age), datetime(age, '-1 year') from patient where gender is 'f'", "sqlite",
     "patient.age patient.gender"),
    ("select age from patient where id = ? and gender = :gender", "sqlite",
    "patient.age patient.id patient.gender"),
    ("select age at time zone 'utc' from patient group by rollup (age) fetch first 3 rows only", "postgres",
     "patient.age"),
    ("select p.age from (select * from patient) p where rownum < 3", "oracle",
     "patient.age patient.id patient.gender"),
    ("select convert(varchar(9), age) from patient order by age offset 1 rows fetch next 2 rows only", "tsql",
     "patient.age"),
    ("select secret from hidden", "sqlite", "hidden.secret"),
    ("select age from other.patient", "sqlite",
    "other.patient.age"),
])  # fmt: skip
def test_what_is_particular_to_a_dialect_is_decided(sql: str, dialect: str, expected: str) -> None:
    assert columns(sql, dialect) == set(expected.split())


@pytest.mark.parametrize(
    "text", ["select 1", " (select 1)", "-- a\nselect 1", "/* a */ with x as (select 1) select 1"]
)
def test_sql_is_told_by_its_first_word(text: str) -> None:
    assert looks_like_sql(text)
    assert not looks_like_sql("answer = " + text)


@settings(max_examples=examples(300), deadline=None)
@given(st.text(alphabet="abc'\"`[](),.*;-/!= \nselctfromxX0", max_size=60), st.sampled_from(DIALECTS))
def test_any_text_is_read_or_refused(text: str, dialect: str) -> None:
    for sql in (text, f"select {text} from cost", f"select cost from cost where {text}"):
        try:
            read_sql(sql, HOSPITAL, dialect)
        except Missing as missing:
            assert str(missing)


@settings(max_examples=examples(200), deadline=None)
@given(st.text(alphabet="ac'\"`[](),.*;-/! \noste12", max_size=40))
def test_fragments_inside_a_query_never_hide_a_read_from_extraction(text: str) -> None:
    query = f"select age {text} from patient, cost"
    try:
        missed = lost(query)
    except (Missing, sqlite3.Error, sqlite3.Warning):
        return
    assert not missed, query


@pytest.mark.parametrize("sql", ["SET search_path TO x", "SET ROLE admin", "SET statement_timeout = 5"])
def test_what_changes_settings_of_the_connection_is_refused_with_what_to_do(sql: str) -> None:
    """Of no setting is it known that later statements of the connection mean the same."""
    with pytest.raises(Missing, match=r"\(set\): .*name tables with their schema"):
        read_statements(sql, SMALL, "postgres")
