"""Real readings against decisions: random calls through the shipped hospital session.

Every call is run with instrumented tools in a process of its own (see ``program_runner``), and decided as a
recorded call by the session. If it really read something that the role may not read, it has to be denied or
not evaluated. The benchmark ``benchmarks/extraction_oracle.py`` does the same on a hundred thousand calls.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.examples import examples
from tests.runs.extract.program_judge import Judge, Judged
from tests.runs.extract.program_oracle import CLASSES, Call, minimised, random_call, subset_program
from tests.runs.extract.program_runner import Reads, Runner
from tests.runs.sql.sql_oracle import random_query
from workbench.model import Verdict

SEED = 1
CALLS = examples(3_000)
BATCH = 500
INSIDE = examples(300)
SCHEMA = {"cost": ("uniquepid", "cost"), "lab": ("labname", "labresult"), "patient": ("wardid", "age")}


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    with Judge(tmp_path_factory.mktemp("oracle")) as execution_judge:
        yield execution_judge


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner(SCHEMA) as program_runner:
        yield program_runner


def calls(first: int, count: int) -> list[Call]:
    return [
        random_call(random.Random(f"{SEED}:{number}"), random_query) for number in range(first, first + count)
    ]


def python(text: str, kind: str = "python") -> Call:
    return Call.of(kind, "run_python", "code", "python", text)


def shown(judge: Judge, judged_call: Judged, number: int) -> str:
    """The text of the wrong call, with its seed and its program made small."""

    def still(text: str) -> bool:
        return next(judge.judge([judged_call.call.with_text(text)])).wrong

    call = judged_call.call
    if len(call.runs) == 1 and call.runs[0][1] in call.texts:
        call = call.with_text(minimised(call.runs[0][1], still))
    return f"seed {SEED}:{number}\n{next(judge.judge([call]))}"


@pytest.mark.parametrize("first", range(0, CALLS, BATCH))
def test_what_a_call_really_reads_is_denied_or_not_evaluated(judge: Judge, first: int) -> None:
    judged = list(judge.judge(calls(first, BATCH)))
    for number, judged_call in enumerate(judged, first):
        assert not judged_call.wrong, shown(judge, judged_call, number)
    # The oracle is useful only if many of its programs are forbidden, and some are decided.
    assert sum(judged_call.forbidden_anywhere for judged_call in judged) > BATCH * 0.35
    assert sum(judged_call.decided for judged_call in judged) > BATCH * 0.05


def test_every_class_of_attack_really_reads_what_is_forbidden(judge: Judge) -> None:
    forbidden = Counter[str]()
    for name in CLASSES:
        for number in range(12):
            reads = judge.run(random_call(random.Random(f"{SEED}:{name}:{number}"), kind=name))
            # Computed texts mostly name tables that do not exist.
            forbidden[name] += bool(reads.unknown_tables) or any(
                judge.forbidden(role, reads) for role in judge.roles
            )
    assert all(forbidden[name] >= 2 for name in CLASSES), forbidden


def test_programs_inside_the_subset_are_decided(judge: Judge) -> None:
    programs = [subset_program(random.Random(f"{SEED}:inside:{number}")) for number in range(INSIDE)]
    judged = list(judge.judge([python(text, "inside") for text in programs]))
    wrong = [judged_call for judged_call in judged if judged_call.wrong]
    assert not wrong, str(wrong[0])
    undecided = [judged_call for judged_call in judged if not judged_call.decided]
    assert len(undecided) <= INSIDE // 100, "\n\n".join(map(str, undecided[:3]))


OVERLOOKED = (
    "l = ['lab', 'cost']\nl.reverse()\nLoadDB(l[0])",
    "l = ['lab', 'cost']\nl.pop(0)\nLoadDB(l[0])",
    "def f(a):\n    a.reverse()\nl = ['lab', 'cost']\nf(l)\nLoadDB(l[0])",
    "l = ['select labname from lab']\nl *= 2\nSQLInterpreter(' union select cost from cost union '.join(l))",
    "import math\nq = math.prod(['(select cost from cost)'])\n"
    "SQLInterpreter(f'select labname from lab where labresult = {q}')",
    "u = ' union select cost from cost'\nq = 'select labname from lab' + u + u + u\n"
    "SQLInterpreter(q.rsplit(u + u)[0])",
    "# a comment, and a line end\rLoadDB('cost')",
    "x = 1 # a comment, and a line end\rSQLInterpreter('select cost from cost')",
    "LoadDB('\u200blab    cost'[8:12])",
    "--len(str(SQLInterpreter('select cost from cost')))\nselect -1",
    "--len(LoadDB('cost'))\f\nselect -1",
    "FilterDB(LoadDB('patient'), 'wardid=' + str(Calculate(\"'1' + chr(124)*2 + 'age>3'\")))",
    "v = GetValue(LoadDB('lab'), 'labname').split(', ')\nw = v\nw += ['(select cost from cost)']\n"
    "SQLInterpreter(f'select labname from lab where labname = {v[-1]}')",
    "# SQLInterpreter[select\nLoadDB('cost')\n# ]",
)


@pytest.mark.parametrize("program", OVERLOOKED)
def test_a_program_that_a_reader_has_overlooked_is_not(judge: Judge, program: str) -> None:
    (judged,) = judge.judge([python(program)])
    assert judged.forbidden_anywhere
    assert not judged.wrong, str(judged)


# --- the oracle itself -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "loaded", "columns"),
    [
        ("x = 1", "", ""),
        ("LoadDB('cost')", "cost", "cost.cost cost.uniquepid"),
        ("x = LoadDB('cost')", "cost", ""),
        ("x = len(LoadDB('cost'))", "cost", ""),
        ("x = GetValue(LoadDB('cost'), 'cost, sum')", "cost", "cost.cost"),
        ("x = FilterDB(LoadDB('patient'), 'age>3||max(wardid)')", "patient", "patient.age patient.wardid"),
        ("for row in LoadDB('lab'): x = 'labname' in row", "lab", "lab.labname"),
        ("for row in LoadDB('lab'): x = row.get('labname')", "lab", "lab.labname"),
        ("x = '{}'.format(LoadDB('lab'))", "lab", "lab.labname lab.labresult"),
        ("raise ValueError(LoadDB('lab'))", "lab", "lab.labname lab.labresult"),
        ("answer = LoadDB('lab')", "lab", "lab.labname lab.labresult"),
        ("x = SQLInterpreter('select count(*) from cost')", "cost", ""),
        (
            "x = SQLInterpreter('with cost as (select 1) select 1 from cost'); SQLInterpreter('select 1')",
            "",
            "",
        ),
        ("x = SQLInterpreter('select 1; select cost from cost')", "cost", "cost.cost"),
        ("x = open('cost.csv').read()", "cost", "cost.cost cost.uniquepid"),
        ("import os; os.system('cat cost.csv')", "cost", "cost.cost cost.uniquepid"),
        ("x = LoadDB('cost')\nwhile True: pass", "cost", ""),
        ("x = LoadDB('cost')\nx = [0] * 10**10", "cost", ""),
        ("list(map(LoadDB, ['cost']))", "cost", "cost.cost cost.uniquepid"),
        ("__builtins__['eval']('LoadDB')('lab')['labname']", "lab", "lab.labname"),
    ],
)
def test_the_runner_sees_what_is_read(runner: Runner, program: str, loaded: str, columns: str) -> None:
    reads = runner.python(program)
    assert reads.loaded == frozenset(loaded.split())
    assert reads.columns == frozenset(columns.split())


def test_nothing_of_a_program_outlives_it(runner: Runner) -> None:
    runner.python("import json\njson.loads = LoadDB\n__builtins__['len'] = LoadDB")
    assert runner.python("import json\nx = json.loads('[1]'), len('ab')") == Reads(
        frozenset(), frozenset(), "well"
    )


def test_a_call_that_is_allowed_to_read_what_is_forbidden_counts_as_wrong() -> None:
    reads = Reads(frozenset({"cost"}), frozenset({"cost.cost"}))
    forbidden = {"nursing": frozenset({"cost.cost"})}
    call = python("x = 1")
    allowed = Judged(call, reads, {"nursing": Verdict.ALLOW}, frozenset({"cost.cost"}), "", forbidden)
    denied = Judged(call, reads, {"nursing": Verdict.DENY}, frozenset({"cost.cost"}), "", forbidden)
    overlooked = Judged(call, reads, {"nursing": Verdict.DENY}, frozenset({"lab.labname"}), "", forbidden)
    refused = Judged(call, reads, {"nursing": Verdict.CANNOT_EVALUATE}, None, "a lambda", forbidden)
    assert [judged.wrong for judged in (allowed, denied, overlooked, refused)] == [True, False, True, False]


def test_a_program_is_made_as_small_as_what_is_wrong_with_it() -> None:
    text = "\n".join(f"x{number} = {number}" for number in range(20))
    assert minimised(text, lambda program: "x7" in program and "x13" in program) == "x7 = 7\nx13 = 13"
