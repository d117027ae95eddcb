"""The columns that code in what an agent wrote reads, on every form that agents write, and on evasions."""

# A program is on one line.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.model import Extracted, Json
from workbench.runs.kinds.code import CODE
from workbench.runs.values.found_value import Missing

SCHEMA = {"patient": ("id", "age", "gender"), "cost": ("id", "cost"), "lab": ("id", "labname", "result")}
OPTIONS: dict[str, Json] = {
    "table": ["LoadDB"],
    "conditions": ["FilterDB"],
    "columns": ["GetValue"],
    "sql": ["SQLInterpreter"],
    "pure": ["Calculate", "Calendar"],
    "constants": ["heart_rate_lower"],
    "schema": {table: list(columns) for table, columns in SCHEMA.items()},
    "prose": True,
}
READER = CODE.reader(OPTIONS)


def read(text: str) -> Extracted:
    try:
        return Extracted(READER.part(text, "columns"))
    except Missing as missing:
        return Extracted(missing=str(missing))


def columns(text: str) -> set[str]:
    extracted = read(text)
    assert extracted.missing is None, extracted.missing
    assert isinstance(extracted.value, frozenset)
    return set(map(str, extracted.value))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("d = LoadDB('cost')\nanswer = GetValue(d, 'cost, sum')", "cost.cost"),
        ("d = FilterDB(LoadDB('patient'), 'id=7||max(age)')\nanswer = GetValue(d, 'gender')",
         "patient.id patient.age patient.gender"),
        ("d = FilterDB(LoadDB('patient'), 'id in {}||age>=3||gender like F%'.format([1]))\nanswer = 1",
         "patient.id patient.age patient.gender"),
        ("d = LoadDB('patient')\nd = FilterDB(d, f'age>{1}')\nanswer = 1", "patient.age"),
        ("d = FilterDB(LoadDB('patient'), '%s=%d' % ('age', 3))\nanswer = 1", "patient.age"),
        ("x = len([1])\nd = FilterDB(LoadDB('patient'), 'a' + 'ge' + '=' + str(x))\nanswer = 1", "patient.age"),
        ("q = 'age'\nq += '>3'\nd = FilterDB(LoadDB('patient'), q)\nanswer = 1", "patient.age"),
        ("d = FilterDB(LoadDB('patient'), '||'.join(['age>3', 'id=4']))\nanswer = 1",
         "patient.age patient.id"),
        ("d = FilterDB(LoadDB('patient'), 'age>3 and gender=F')\nanswer = 1", "patient.age patient.gender"),
        ("db = LoadDB('patient')\nfor c in ['age', 'gender']:\n\tv = GetValue(db, c)",
         "patient.age patient.gender"),
        ("answer = [GetValue(LoadDB(t), 'id') for t in ('cost', 'lab')]", "cost.id lab.id"),
        ("q = Calculate('1')\ndb = LoadDB('patient')\nif q:\n    db = LoadDB('lab')\nanswer = GetValue(db, 'id')",
         "patient.id lab.id"),
        ("try:\n  d = LoadDB('cost')\nexcept Exception:\n  d = LoadDB('lab')\nanswer = GetValue(d, 'id')",
         "cost.id lab.id"),
        ("while True:\n  d = LoadDB('cost')\n  break\nanswer = GetValue(d, 'id')", "cost.id"),
        ("def f(t, c):\n  return GetValue(LoadDB(t), c)\nanswer = f('cost', c='cost')", "cost.cost"),
        ("x = [GetValue(LoadDB('cost'), c) for c in ['id', 'cost']]", "cost.id cost.cost"),
        ("a, b = LoadDB('lab'), LoadDB('cost')\nx = GetValue(a, 'id')\nanswer = GetValue(b, 'cost')",
         "lab.id cost.cost"),
        ("import datetime\nn = datetime.datetime.now()\nanswer = GetValue(LoadDB('lab'), 'max(result)')",
         "lab.result"),
        ("answer = Calculate('1+1')", ""),
        (" d = LoadDB('cost')\nanswer = GetValue(d, 'id')", "cost.id"),
        ("d = LoadDB('cost')\nif 1:\n\tx = GetValue(d, 'id')\n        y = GetValue(d, 'cost')",
         "cost.id cost.cost"),
        ("answer = GetValue(LoadDB('COST'), 'Cost')", "cost.cost"),
        ("answer = GetValue(LoadDB('secret'), 'name')", "secret.name"),
        ("answer = GetValue(LoadDB('cost'), 'costid')", "cost.costid"),
        # Names around a function count with all values that they ever get.
        ("t = 'lab'\ndef f():\n  return GetValue(LoadDB(t), 'id')\nt = 'cost'\nanswer = f()",
         "lab.id cost.id"),
        ("t = 'cost'\ndef f(x=t):\n  return GetValue(LoadDB(x), 'id')\nt = 'lab'\nanswer = f()", "cost.id"),
        ("t = 'lab'\ndef m():\n  t = 'cost'\n  def n():\n    return LoadDB(t)\n  return n()\nanswer = GetValue(m(), 'id')",
         "cost.id"),
        ("t = 'lab'\ng = (GetValue(LoadDB(t), c) for c in ['id'])\nt = 'cost'\nanswer = list(g)",
         "lab.id cost.id"),
        ("def f(t, c):\n  return GetValue(LoadDB(t), c)\nf('cost', 'cost')\nanswer = f('lab', 'labname')",
         "cost.cost lab.labname"),
        ("answer = GetValue(LoadDB('cost'), 'patient.id')", "cost.id patient.id"),
        # A whole table that leaves the code counts as read whole.
        ("answer = LoadDB('cost')", "cost.id cost.cost"),
        ("print(LoadDB('cost'))\nanswer = 1", "cost.id cost.cost"),
        ("rows = [row for row in LoadDB('cost')]", "cost.id cost.cost"),
        ("d = LoadDB('patient')\nanswer = d[d['age'] > 3]['gender']", "patient.age patient.gender"),
        ("answer = LoadDB('cost').to_dict()", "cost.id cost.cost"),
        # So does a table of which only the number of rows is used: this number shows what is in it.
        ("answer = len(LoadDB('cost'))", "cost.id cost.cost"),
        ("d = LoadDB('patient')\nanswer = len(FilterDB(d, 'age>3'))", "patient.age"),
    ],
)  # fmt: skip
def test_columns_are_followed_through_python(code: str, expected: str) -> None:
    assert columns(code) == set(expected.split())


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("answer = GetValue(LoadDB('cost'), column)", "which nothing defines"),
        ("answer = GetValue(LoadDB('cost'), Calculate('1'))", "only known when the code runs"),
        ("answer = GetValue(LoadDB(Calculate('1')), 'id')", "only known when the code runs"),
        ("d = LoadDB('lab')\nanswer = GetValue(d, GetValue(d, 'id'))", "only known when the code runs"),
        ("d = FilterDB(LoadDB('lab'), '{}=3'.format(GetValue(1, 'id')))", "the table that GetValue reads"),
        ("x = Calculate('1')\nd = FilterDB(LoadDB('lab'), '{}=3'.format(x))", "only known when the code runs"),
        ("d = FilterDB(LoadDB('lab'), Calculate('1'))", "only known when the code runs"),
        ("answer = GetValue(d, 'id')", "which nothing defines"),
        ("exec('x')", "exec"),
        ("eval('x')", "eval"),
        ("f = eval\nf('x')", "eval"),
        ("__import__('os')", "__import__"),
        ("import sqlite3", "sqlite3"),
        ("from os import path", "os"),
        ("open('data.csv')", "open"),
        ("getattr(x, 'y')", "getattr"),
        ("x = LoadDB.__globals__", "__globals__"),
        ("answer = RunQuery('select cost from cost')", "RunQuery"),
        ("from itertools import chain\nf = chain(GetValue, LoadDB('cost'))", "hands GetValue on"),
        ("args = []\nanswer = GetValue(*args)", "is given 0 arguments"),
        ("class A:\n  pass", "a class"),
        ("d = LoadDB('cost'", "line 1"),
        ("ok = 1\nanswer = = 2", "line 2"),
        ("s = 'a'\nwhile Calculate('1'):\n  s = s + 'b'\nanswer = GetValue(LoadDB('cost'), s)",
         "only known when the code runs"),
        ("def f():\n  return f()\nLoadDB(f())", "only known when the code runs"),
        ("~" * 30_000 + "1", "nested too deeply"),
        ("I am sorry, I cannot answer that.", "not Python"),
        ("answer = SQLInterpreter[select cost from cost", "not closed"),
        ("answer = SQLInterpreter('drop table cost')", "no query"),
        ("x = Calculate('1')\nanswer = SQLInterpreter('select {} from cost'.format(x))", "only known when the code runs"),
        ("x = Calculate('1')\nanswer = SQLInterpreter('select cost from {}'.format(x))", "only known when the code runs"),
        ("x = Calculate('1')\nanswer = SQLInterpreter('select cost from cost where {}'.format(x))",
         "only known when the code runs"),
        ("answer = SQLInterpreter(Calendar('1'))", "only known when the code runs"),
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_missing_with_the_reason(code: str, reason: str) -> None:
    extracted = read(code)
    assert extracted.missing is not None
    assert reason in extracted.missing
    assert extracted.value is None


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select age from patient where id = 3", "patient.age patient.id"),
        ("SELECT P.Age FROM Patient AS P", "patient.age"),
        ("select * from cost", "cost.id cost.cost"),
        ("select p.* from patient p, cost c where c.id = p.id",
         "patient.id patient.age patient.gender cost.id"),
        ("select count(*) from cost", "cost.id cost.cost"),
        ("select count(*) from patient where age > 3", "patient.age"),
        ("select age from patient where id in (select id from cost where cost > 3)",
         "patient.age patient.id cost.id cost.cost"),
        ("select labname from lab where exists (select 1 from cost where cost.id = lab.id)",
         "lab.labname cost.id lab.id"),
        ("with t as (select * from lab) select labname from t", "lab.id lab.labname lab.result"),
        ("select t.n from (select count(age) as n from patient) as t order by n", "patient.age"),
        ("select age a from patient order by a, gender", "patient.age patient.gender"),
        ("select patient.age from patient join cost using (id)", "patient.age patient.id cost.id"),
        ("select labname, rank() over (order by result) from lab", "lab.labname lab.result"),
        ("select age from patient union select cost from cost", "patient.age cost.cost"),
        ("select age from patient where age between heart_rate_lower and 9", "patient.age"),
        ('select age from patient where gender = "f"', "patient.age patient.gender"),
        ("select secret from hidden", "hidden.secret"),
        ("select age from main.patient", "patient.age"),
        ("select age from other.patient", "other.patient.age"),
    ],
)  # fmt: skip
def test_columns_are_resolved_in_sql_alone_in_a_call_and_in_brackets(sql: str, expected: str) -> None:
    wanted = set(expected.split())
    assert columns(sql) == wanted
    assert columns(f"answer = SQLInterpreter({sql!r})") == wanted
    assert columns(f"answer = SQLInterpreter[{sql}]\nx = GetValue(LoadDB('lab'), 'id')") == wanted | {
        "lab.id"
    }


@pytest.mark.parametrize(
    "sql",
    [
        "select id from patient, cost",
        "select zzz from patient, cost",
        "select (",
        "delete from cost",
        "select age into x from patient",
        "select rowid from cost",
    ],
)
def test_sql_that_is_not_certain_is_missing(sql: str) -> None:
    assert read(sql).missing is not None


def test_a_value_known_only_at_run_time_may_be_compared_with_a_column() -> None:
    code = "p = GetValue(LoadDB('cost'), 'id')\n"
    code += 'answer = SQLInterpreter(f"select age from patient where id = {p}")'
    assert columns(code) == {"cost.id", "patient.age", "patient.id"}


@pytest.mark.parametrize("text", [
    "Knowledge:\n- none\nGenerated code:\nanswer = GetValue(LoadDB('cost'), 'id')\nAnswer:\nthe 'cost' is 3",
    "I will run this.\n```python\nanswer = GetValue(LoadDB('cost'), 'id')\n```\nDone.",
    "Solution: \n answer = GetValue(LoadDB('cost'), 'id')\n",
    "SQL: select id from cost\nResult: 3",
    "```sql\nselect id from cost;\n```",
])  # fmt: skip
def test_code_is_found_in_what_the_agent_wrote(text: str) -> None:
    assert columns(text) == {"cost.id"}


def test_a_line_of_code_that_looks_like_a_marker_cuts_nothing_off() -> None:
    text = "Generated code:\nd = LoadDB('lab')\nanswer: str = GetValue(d, 'id')\n"
    text += "query: str = 'select cost from cost'\n"
    text += "Result: str = SQLInterpreter(query)\nAnswer:\nthe cost is GetValue(LoadDB('patient'), 'age')"
    assert columns(text) == {"lab.id", "cost.cost"}


def test_marked_and_fenced_code_both_count() -> None:
    text = "Solution:\nx = GetValue(LoadDB('cost'), 'id')\nAnswer:\n1\n"
    text += "```python\ny = GetValue(LoadDB('lab'), 'id')\n```\n"
    assert columns(text) == {"cost.id", "lab.id"}


def test_all_code_blocks_count() -> None:
    text = "```python\nx = GetValue(LoadDB('cost'), 'id')\n```\nand\n```\nselect age from patient\n```"
    assert columns(text) == {"cost.id", "patient.age"}


def test_intricate_code_ends_in_missing_not_in_a_hang() -> None:
    loops = "".join(f"{' ' * depth}for x{depth} in range(9):\n" for depth in range(30))
    code = "s = ''\n" + loops + " " * 30 + "s = s + 'a'\nanswer = GetValue(LoadDB('cost'), s)"
    assert read(code).missing is not None


NAMES = st.sampled_from(["a", "b", "c"])
TABLES = st.sampled_from(sorted(SCHEMA))


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, set[str]]:
    """Straight and branching programs with the columns that some run of them reads."""
    lines: list[str] = []
    expected: set[str] = set()
    held: dict[str, str] = {}
    for _ in range(draw(st.integers(1, 6))):
        name, table = draw(NAMES), draw(TABLES)
        column = draw(st.sampled_from(SCHEMA[table]))
        form = draw(st.integers(0, 3))
        if form == 0:
            lines.append(f"{name} = LoadDB({table!r})")
            held[name] = table
        elif form == 1 and name in held:
            column = draw(st.sampled_from(SCHEMA[held[name]]))
            lines.append(f"{name} = FilterDB({name}, '{column}={{}}'.format(1))")
            expected.add(f"{held[name]}.{column}")
        elif form == 2:
            lines.append(f"v = SQLInterpreter('select {column} from {table}')")
            expected.add(f"{table}.{column}")
        elif name in held:
            column = draw(st.sampled_from(SCHEMA[held[name]]))
            lines.append(f"if v0:\n    w = GetValue({name}, '{column}, list')")
            expected.add(f"{held[name]}.{column}")
    return "v0 = 1\n" + "\n".join(lines), expected


@settings(max_examples=examples(200), deadline=None)
@given(programs())
def test_no_column_is_ever_left_out(program: tuple[str, set[str]]) -> None:
    code, expected = program
    assert expected <= columns(code)


@settings(max_examples=examples(300), deadline=None)
@given(st.text(alphabet="abcd'\"=(){}[]|,.: \n\tGetValueLoadDB<>+*%fin", max_size=80))
def test_arbitrary_text_never_crashes(text: str) -> None:
    extracted = read("answer = 1\n" + text)
    assert (extracted.missing is None) == (extracted.value is not None)
