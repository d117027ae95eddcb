"""A file with its own reader of calls: alone, with others, without packages, over random runs."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.accepting import accepted
from tests.dialect.lowered_agents import lowered_agent
from tests.examples import examples
from tests.guard.exported_files import ExportedFile, exported, imported, plain, reading_of
from tests.live_guarding import live_guard
from workbench.app.workbench import Workbench
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import DecisionLog, Guard, LookUps, Mode, ToolCall
from workbench.guard.call_reading import CallReading
from workbench.model import (
    Decision,
    WorkbenchError,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import replay

ROOT = Path(__file__).resolve().parents[2]
AGENT = """
name = "shop"
zone = "Europe/Oslo"
as_of = "2026-01-02T10:00:00Z"

[tools.get_order]
parameters = {type = "object", properties = {order_id = {type = "string"}}, required = ["order_id"]}
[tools.get_person]
parameters = {type = "object", properties = {person_id = {type = "string"}}, required = ["person_id"]}
[tools.cancel_order]
parameters = {type = "object", properties = {order_id = {type = "string"}}, required = ["order_id"]}
[tools.change_order.parameters]
type = "object"
required = ["order_id"]
[tools.change_order.parameters.properties]
order_id = {type = "string"}
[tools.change_order.parameters.properties.items]
type = "array"
[tools.change_order.parameters.properties.items.items]
type = "object"
properties = {name = {type = "string"}, price = {type = "integer"}}
required = ["name", "price"]
[tools.change_order.fields]
items = {optional = true}

[records.item]
fields.name = {type = "str"}
fields.price = {type = "int"}
[records.person]
key = "person_id"
fields.vip = {type = "bool"}
results.get_person = "$"
look_up = {tool = "get_person", arguments = {person_id = "key"}}
errors = ["^Error"]
absent = ["nobody"]
[records.order]
key = "order_id"
fields.person_id = {type = "str"}
fields.placed = {type = "datetime"}
fields.items = {type = "list", of = "item"}
results = {get_order = "$", change_order = "$"}
changed_by = ["cancel_order"]
look_up = {tool = "get_order", arguments = {order_id = "key"}}
errors = ["^Error"]

[readings.asked]
type = "str"
extract = {method = "field", key = "Order"}
"""
SOURCE = '''"""Orders."""

from datetime import timedelta

from agent import CancelOrder, ChangeOrder, Run

DEFAULT = "allow"


def forbid_unknown(call: ChangeOrder, run: Run) -> bool:
    """R1: A change is about an order that there is."""
    return run.order(call.order_id) is None


def forbid_late(call: ChangeOrder, run: Run) -> bool:
    """R2: After a day only the orders of a VIP are changed."""
    order = run.order(call.order_id)
    if order is None or call.time - order.placed <= timedelta(hours=24):
        return False
    person = run.person(order.person_id)
    return person is None or not person.vip


def forbid_dearer(call: ChangeOrder, run: Run) -> bool:
    """R3: No change makes an order dearer, or adds what costs more than 50."""
    order = run.order(call.order_id)
    return any(item.price > 50 for item in call.items) or (
        order is not None and sum(item.price for item in call.items) > sum(item.price for item in order.items)
    )


def forbid_many(call: ChangeOrder, run: Run) -> bool:
    """R4: Two changes of an order at most."""
    return sum(1 for c in run.earlier(ChangeOrder) if c.order_id == call.order_id and c.succeeded) > 1


def forbid_strangers(call: CancelOrder, run: Run) -> bool:
    """R5: Nothing is cancelled for nobody."""
    order = run.order(call.order_id)
    return order is None or run.person(order.person_id) is None or run.first_said.asked == "none"
'''
TERMS, SPEC = lowered_agent(AGENT, SOURCE)
ORDER = next(record for record in SPEC.records if record.name == "order")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> ExportedFile:
    return ExportedFile(tmp_path_factory.mktemp("shop"), TERMS, reading_of(TERMS, SPEC))


# --- random runs ------------------------------------------------------------------

ORDERS = st.sampled_from(["o1", "o2", 7, None])
PRICES = st.sampled_from([0, 5, 20, 20, 60, "20", 1.5])
ITEMS = st.lists(st.fixed_dictionaries({"name": st.sampled_from(["p1", "p2"]), "price": PRICES}), max_size=2)
KNOWN = {
    "order_id": st.sampled_from(["o1", "o2", 7]),
    "person_id": st.sampled_from(["p1", "p2"]),
    "placed": st.sampled_from(
        [
            "2026-01-02T09:00:00",
            "2026-01-01T09:00:00Z",
            "2026-01-01T11:00:00+01:00",
            "2026-01-02T10:00:00Z",
            "yesterday",
        ]
    ),
    "items": ITEMS,
}
PEOPLE = st.fixed_dictionaries({"person_id": st.sampled_from(["p1", "p2"]), "vip": st.booleans()})
RESULTS = st.one_of(
    st.fixed_dictionaries(KNOWN).map(json.dumps),
    st.fixed_dictionaries(KNOWN).map(json.dumps),
    PEOPLE.map(json.dumps),
    st.sampled_from(["Error: no such thing", "nobody", "{", "[]", None, '{"order_id": "o1"}']),
)
CALLS: st.SearchStrategy[Any] = st.one_of(
    st.tuples(
        st.sampled_from(["get_order", "change_order", "cancel_order"]),
        st.fixed_dictionaries({"order_id": ORDERS}, optional={"items": ITEMS}),
    ),
    st.tuples(st.just("get_person"), st.fixed_dictionaries({"person_id": st.sampled_from(["p1", "p2"])})),
)
SAID = st.sampled_from(["Order: o1", "Order: none", "Order: o2", "Order: o1\norder: none"])
FIRST = st.tuples(st.just("said"), st.just("user"), SAID)
EVENTS: st.SearchStrategy[Any] = st.one_of(
    st.tuples(st.just("said"), st.sampled_from(["user", "system", "assistant"]), SAID),
    st.tuples(st.just("call"), CALLS, st.tuples(RESULTS, st.booleans())),
)
ANSWERS = st.dictionaries(st.sampled_from(["o1", "o2", "7", "p1", "p2"]), RESULTS)


def decisions_on(
    guard: Guard, events: Sequence[Any], tool_call: type[ToolCall] = ToolCall
) -> Iterator[Decision]:
    for kind, event_value, more in events:
        if kind == "said":
            guard.message(event_value, more)
            continue
        tool, arguments = event_value
        outcome = guard.check(tool_call(tool, arguments))
        result, failed = more
        if outcome.runs and result is not None:
            guard.finish(outcome, result, failed=failed)
        yield outcome.decision


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(first=FIRST, events=st.lists(EVENTS, min_size=2, max_size=12), answers=ANSWERS)
def test_random_runs_are_decided_alike_with_look_ups_by_session_log_and_file(
    file: ExportedFile, first: Any, events: Sequence[Any], answers: dict[str, str | None]
) -> None:
    def look_up(**arguments: str) -> object:
        return answers.get(next(iter(arguments.values())), "nobody")

    events = [first, *events]
    tools = {"get_order": look_up, "get_person": look_up} if answers else {}
    extractor = Extractor(SPEC.arguments, SPEC)
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        live = live_guard(
            compile_policy(TERMS), extractor, mode=Mode.SHADOW, log=DecisionLog(log), look_ups=LookUps(tools)
        )
        decisions = list(decisions_on(live, events))
        again = replay(compile_policy(TERMS), extractor, load_runs([log]).runs) if decisions else ()
        assert [decided.decision for decided in again] == decisions
    own = file.own(look_ups=file.module.LookUps(tools))
    of_itself = decisions_on(own, events, file.module.ToolCall)
    assert [plain(decision) for decision in of_itself] == [plain(decision) for decision in decisions]


# --- alone ------------------------------------------------------------------------

ALONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import exported_policy
from exported_policy import ActionDenied, DecisionLog, ToolCall, guard

run = guard().run("r1")
run.message("user", "Order: o1")
call = ToolCall("change_order", {"order_id": "o1", "items": [{"name": "a", "price": 5}]})
said = [run.check(call).feedback]
looked = run.check(ToolCall("get_order", {"order_id": "o1"}))
items = [{"name": "a", "price": 9}]
known = {"order_id": "o1", "person_id": "p1", "placed": "2026-01-02T10:00:00", "items": items}
run.finish(looked, known)
said.append(run.check(call).feedback)


def change_order(order_id, items):
    return "done"


shop = guard(log=DecisionLog(sys.argv[1] + "/log.jsonl"))
with shop.run("r2") as other:
    other.message("user", "Order: o1")
    try:
        other.tool(change_order)("o1", [])
    except ActionDenied as denied:
        said.append(str(denied))
others = ("workbench", "pydantic", "regex", "sqlglot")
strange = [name for name in sys.modules if name.split(".")[0] in others]
print(json.dumps([said, strange]))
"""


def alone(code: str, folder: Path) -> str:
    command = [sys.executable, "-I", "-S", "-c", code, str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_file_reads_calls_alone_with_only_the_standard_library(file: ExportedFile) -> None:
    feedback, strange = json.loads(alone(ALONE, file.path.parent))
    assert strange == []
    assert "no earlier result says what it is" in feedback[0]
    assert 'Look it up first: get_order(order_id="o1").' in feedback[0]
    assert feedback[1] == ""
    assert feedback[2] == feedback[0]
    (run,) = load_runs([file.path.parent / "log.jsonl"]).runs
    assert (run.id, [call.ran for call in run.calls]) == ("r2", [False])


def test_no_line_of_the_file_imports_the_workbench(file: ExportedFile) -> None:
    lines = file.path.read_text().splitlines()
    imports = [line for line in lines if line.split()[:1] in (["from"], ["import"])]
    assert imports
    assert [line for line in imports if "workbench" in line] == []


WITHOUT = """
import sys
sys.path.insert(0, sys.argv[1])
from exported_policy import ToolCall, guard
print(guard().check(ToolCall("ask", {"query": "select a from t"})).decision.reasons[0])
"""
NEEDY = {
    "regex": ('{method = "regex", pattern = "(?:[a-z]+)*$"}', "regex"),
    "nearest": ('{method = "nearest", examples = {a = ["b"]}}', "rapidfuzz"),
}
NEEDS = """
name = "a"
[tools.ask]
parameters = {type = "object", properties = {query = {type = "string"}}, required = ["query"]}
[readings.word]
type = "str"
extract = EXTRACT
"""
NO_A = '''"""A word."""

from agent import Ask

DEFAULT = "allow"


def forbid_a(call: Ask) -> bool:
    """R1: No a."""
    return call.query.word == "a"
'''


@pytest.mark.parametrize("method", NEEDY)
def test_what_needs_a_package_says_so_where_it_is_not_there(method: str, tmp_path: Path) -> None:
    extract, package = NEEDY[method]
    terms, spec = lowered_agent(NEEDS.replace("EXTRACT", extract), NO_A)
    ExportedFile(tmp_path, terms, reading_of(terms, spec))
    reason = alone(WITHOUT, tmp_path).strip()
    assert reason.endswith(f"reading it needs the package {package}, which is not installed here")


def test_a_record_whose_patterns_need_a_package_is_refused_where_it_is_not_there(tmp_path: Path) -> None:
    records = (*(one for one in SPEC.records if one is not ORDER), replace(ORDER, errors=("^E.*x",)))
    ExportedFile(tmp_path, TERMS, reading_of(TERMS, replace(SPEC, records=records)))
    begin = "try:\n    guard()\nexcept Exception as error:\n    print(error)\n#"
    output = alone(WITHOUT.replace("print(guard()", begin), tmp_path).strip()
    why = "reading it needs the package regex, which is not installed here."
    assert output == f"In the patterns of a record: {why}"


# --- beside others ----------------------------------------------------


def test_two_files_are_used_beside_each_other(file: ExportedFile, tmp_path: Path) -> None:
    terms, spec = lowered_agent(NEEDS.replace("EXTRACT", NEEDY["regex"][0]), NO_A)
    other = ExportedFile(tmp_path, terms, reading_of(terms, spec))
    first, second = file.module.guard(), other.module.guard()
    first.message("user", "Order: o1")
    assert first.check(file.module.ToolCall("get_order", {"order_id": "a"})).runs
    assert not second.check(other.module.ToolCall("ask", {"query": "a"})).runs


def test_what_has_no_text_is_refused() -> None:
    for value in (b"", object()):
        with pytest.raises(WorkbenchError, match="which no exported file can carry"):
            exported(TERMS, CallReading((), replace(SPEC, schema=cast("Any", {"a": value}))))


@pytest.mark.parametrize("folder", ["sessions/hospital-access", "benchmarks/sessions/payments"])
def test_an_export_says_what_it_needs_and_decides_without_more(folder: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    session = shutil.copytree(ROOT / folder, tmp_path / "session")
    bench = accepted(Workbench.open(session))
    try:
        path.write_text(bench.policy.export().text)
    finally:
        bench.close()
    wanted = {
        "sessions/hospital-access": "sqlglot for code.columns",
        "benchmarks/sessions/payments": "regex for",
    }
    text = path.read_text()
    assert f"# needs: {wanted[folder]}" in text
    assert "# python: 3.12 or newer" in text
    first = ast.parse(text, feature_version=(3, 9)).body[:2]  # an older Python reads it far enough to say so
    assert "sys.version_info < (3, 12)" in ast.unparse(first[1])
    module = imported(path)
    assert module.guard().check(module.ToolCall("strange", {})).denied


def test_a_file_runs_nothing_but_what_it_carries(tmp_path: Path, file: ExportedFile) -> None:
    """Whoever may write the user's files, but not this one, changes no decision: a start reads no other."""
    program = (
        "import os, sys; sys.addaudithook(lambda event, args: event == 'open' and "
        "str(args[0]).startswith(sys.argv[1]) and os._exit(9)); "
        f"import runpy; runpy.run_path({str(file.module.__file__)!r})['guard']()"
    )
    home = tmp_path / "home"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    command = [sys.executable, "-c", program, str(home)]
    for _ in range(2):
        assert subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode == 0
    assert not home.exists()
