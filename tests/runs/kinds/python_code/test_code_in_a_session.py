"""The kind ``code`` in a session: equal decisions in a replay, live, and by the exported file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.dialect.lowered_agents import lowered_agent
from tests.runs.replay.playing import played
from tests.runs.replay.test_every_recording import decided_alike, replayed_alike
from workbench.guard import Guard, ToolCall
from workbench.model import Decision, RecordedCall, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs

AGENT = """
name = "analyst"

[tools.python.parameters]
type = "object"
properties = {code = {type = "string"}}
required = ["code"]

[tools.python.fields.code]
type = "code"
options = {folder = "/data", given = ["load"]}
"""
POLICY = '''
"""What an analyst's code may do."""

from agent import Python

DEFAULT = "allow"
ALLOWED = {"open", "print", "load", "len", "json.loads", "json", "sum"}


def forbid_name(call: Python) -> bool:
    """R1: Only listed functions are called."""
    return any(name not in ALLOWED for name in call.code.names)


def forbid_file(call: Python) -> bool:
    """R2: Files are read in /data only, and none is written."""
    return any(file.way == "write" or "/data" not in file.inside for file in call.code.files)


def forbid_import(call: Python) -> bool:
    """R3: Nothing but json is imported."""
    return any(name != "json" for name in call.code.imports)
'''
A, D, C = Verdict.ALLOW, Verdict.DENY, Verdict.CANNOT_EVALUATE
CALLS = [
    ("import json\nprint(sum(json.loads(open('a.json').read())))", A),
    ("for name in ['a', '../data/b']:\n    print(len(open(name).read()))", A),
    ("open('../etc/passwd')", D),
    ("open('a.json', 'w')", D),
    ("import os\nos.remove('a')", D),
    ("f = load\nf('a')", C),  # whether it opens a file is not known
    ("open(input())", D),  # whatever file it opens
    ("eval('1')", C),
    ("print(", C),
]

READER = """
name = "reader"

[schema]
lab = ["id", "labname", "result"]
cost = ["id", "cost"]

[tools.run_code]
parameters = {type = "object", properties = {code = {type = "string"}}, required = ["code"]}

[tools.run_code.fields.code]
type = "code"
options = {table = ["LoadDB"], columns = ["GetValue"]}
"""
READABLE = '''
"""What a reader may read."""

from agent import RunCode

DEFAULT = "allow"
READABLE = {"lab.id", "lab.labname"}


def forbid_column(call: RunCode) -> bool:
    """R1: Only names of tests are read."""
    return any(column not in READABLE for column in call.code.columns)
'''
OF_CALLS = '''
"""What a reader may read."""

from agent import Run, RunCode

DEFAULT = "allow"


def forbid_cost(call: RunCode, run: Run) -> bool:
    """R1: Costs are not read."""
    return "cost.cost" in call.code.columns
'''
READING = [
    ("rows = sorted(LoadDB('lab'), key=lambda row: row['labname'])", A),
    ("answer = GetValue(LoadDB('lab'), 'result')", D),
    ("answer = [row['cost'] for row in LoadDB('cost')]", D),
    ("answer = LoadDB('lab').query('id > 1')", C),
    ("answer = LoadDB(input())", C),
]


def _messages(codes: Sequence[str], tool: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number, code in enumerate(codes):
        function = {"name": tool, "arguments": json.dumps({"code": code})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "ok"})
    return messages


def test_replay_live_guard_and_exported_file_decide_alike(tmp_path: Path) -> None:
    messages = _messages([code for code, _ in CALLS], "python")
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"messages": messages}))
    (terms, spec), runs = lowered_agent(AGENT, POLICY), load_runs([path]).runs

    def play(guard: Guard, _place: int, tool_call: type[ToolCall]) -> list[Decision]:
        return played(messages, guard, tool_call)

    live, again = decided_alike(terms, spec, runs, [0], play, tmp_path)
    assert [decision.verdict for decision in live] == [decision.verdict for decision in again]
    assert [decision.verdict for decision in again] == [verdict for _, verdict in CALLS]
    replayed_alike(terms, spec, runs, tmp_path)
    extracted = Extractor(spec.arguments, spec).extract(runs[0].calls[7])
    assert str(extracted["python_code_imports"].missing).endswith(
        "the code hides what runs: line 1 uses eval, which may run or reach what the text does not show"
    )


def test_the_columns_of_an_agents_tables_are_decided_alike(tmp_path: Path) -> None:
    messages = _messages([code for code, _ in READING], "run_code")
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"messages": messages}))
    (terms, spec), runs = lowered_agent(READER, READABLE), load_runs([path]).runs

    def play(guard: Guard, _place: int, tool_call: type[ToolCall]) -> list[Decision]:
        return played(messages, guard, tool_call)

    live, again = decided_alike(terms, spec, runs, [0], play, tmp_path)
    assert [decision.verdict for decision in live] == [decision.verdict for decision in again]
    assert [decision.verdict for decision in again] == [verdict for _, verdict in READING]


def test_a_policy_of_calls_speaks_of_the_columns_of_code() -> None:
    _, spec = lowered_agent(READER, OF_CALLS)
    extractor = Extractor(spec.arguments, spec)
    for code, columns in [
        ("f = lambda table: GetValue(LoadDB(table), 'cost')\nanswer = f('cost')", {"cost.cost"}),
        ("answer = len(LoadDB('cost'))", {"cost.id", "cost.cost"}),
    ]:
        extracted = extractor.extract(RecordedCall("t", 0, "run_code", {"code": code}))
        assert extracted["run_code_code_columns"].value == columns
