"""The kind ``code`` in a session: equal decisions in a replay, live, and by the exported file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.runs.replay.playing import played
from tests.runs.replay.test_every_recording import decided_alike, replayed_alike
from workbench.dialect.lowered_policy import lowered_policy
from workbench.guard import Guard, ToolCall
from workbench.model import Decision, RecordedCall, Verdict
from workbench.policy.check import check
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.session.agent_file import read_agent

AGENT = """
name = "analyst"

[arguments.code]
type = "code"
extract = {method = "jsonpath", path = "$.arguments.code", folder = "/data", given = ["load"]}

[arguments.imports]
type = "set"
extract = {method = "jsonpath", path = "$.arguments.code", part = "code.imports", given = ["load"]}
"""
POLICY = '''
"""What an analyst's code may do."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class CodeFile:
    inside: frozenset[str]
    way: Literal["read", "write"]


@dataclass(frozen=True)
class Code:
    names: frozenset[str]
    files: tuple[CodeFile, ...]


ALLOWED = {"open", "print", "load", "len", "json.loads", "json", "sum"}


def forbid_name(code: Code) -> bool:
    """R1: Only listed functions are called."""
    return any(name not in ALLOWED for name in code.names)


def forbid_file(code: Code) -> bool:
    """R2: Files are read in /data only, and none is written."""
    return any(file.way == "write" or "/data" not in file.inside for file in code.files)


def forbid_import(imports: frozenset[str]) -> bool:
    """R3: Nothing but json is imported."""
    return any(name != "json" for name in imports)


def allow(code: Code, imports: frozenset[str]) -> bool:
    return not (forbid_name(code) or forbid_file(code) or forbid_import(imports))
'''
A, D, C = Verdict.ALLOW, Verdict.DENY, Verdict.CANNOT_EVALUATE
CALLS = [
    ("import json\nprint(sum(json.loads(open('a.json').read())))", A),
    ("for name in ['a', '../data/b']:\n    print(len(open(name).read()))", A),
    ("open('../etc/passwd')", D),
    ("open('a.json', 'w')", D),
    ("import os\nos.remove('a')", D),
    ("f = load\nf('a')", C),  # whether it opens a file is not known
    ("open(input())", C),
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

[arguments.columns]
type = "set"

[arguments.columns.extract]
method = "jsonpath"
path = "$.arguments.code"
part = "code.columns"
table = ["LoadDB"]
columns = ["GetValue"]
"""
READABLE = '''
"""What a reader may read."""

READABLE = {"lab.id", "lab.labname"}


def forbid_column(columns: frozenset[str]) -> bool:
    """R1: Only names of tests are read."""
    return any(column not in READABLE for column in columns)


def allow(columns: frozenset[str]) -> bool:
    return not forbid_column(columns)
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
    spec, terms, runs = read_agent(AGENT), check(POLICY), load_runs([path]).runs

    def play(guard: Guard, _place: int, tool_call: type[ToolCall]) -> list[Decision]:
        return played(messages, guard, tool_call)

    live, again = decided_alike(terms, spec, runs, [0], play, tmp_path)
    assert [decision.verdict for decision in live] == [decision.verdict for decision in again]
    assert [decision.verdict for decision in again] == [verdict for _, verdict in CALLS]
    assert again[6].reasons == ("The argument `code` lacks the field `files`.",)
    replayed_alike(terms, spec, runs, tmp_path)
    extracted = Extractor(spec.arguments, spec).extract(runs[0].calls[7])
    assert extracted["imports"].missing == (
        "the code hides what runs: line 1 uses eval, which may run or reach what the text does not show"
    )


def test_the_columns_of_an_agents_tables_are_decided_alike(tmp_path: Path) -> None:
    messages = _messages([code for code, _ in READING], "run_code")
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"messages": messages}))
    spec, terms, runs = read_agent(READER), check(READABLE), load_runs([path]).runs

    def play(guard: Guard, _place: int, tool_call: type[ToolCall]) -> list[Decision]:
        return played(messages, guard, tool_call)

    live, again = decided_alike(terms, spec, runs, [0], play, tmp_path)
    assert [decision.verdict for decision in live] == [decision.verdict for decision in again]
    assert [decision.verdict for decision in again] == [verdict for _, verdict in READING]


def test_a_policy_of_calls_speaks_of_the_columns_of_code() -> None:
    spec = read_agent(READER.split("[arguments.columns]")[0])
    extractor = Extractor(lowered_policy(OF_CALLS, spec).arguments, spec)
    for code, columns in [
        ("f = lambda table: GetValue(LoadDB(table), 'cost')\nanswer = f('cost')", {"cost.cost"}),
        ("answer = len(LoadDB('cost'))", {"cost.id", "cost.cost"}),
    ]:
        extracted = extractor.extract(RecordedCall("t", 0, "run_code", {"code": code}))
        assert extracted["run_code_code_columns"].value == columns
