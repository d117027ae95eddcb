"""Agents and policies that nobody would like to be given: each is decided, or refused with a sentence."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.dialect.type_checkers import configured, errors
from workbench.cli import main
from workbench.model import AgentSpec, FieldNote, Json, Tool
from workbench.session import Session

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "number"}
TREE: Json = {
    "properties": {"value": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
    "required": ["value"],
}


def tool(name: str, parameters: dict[str, Json], definitions: dict[str, Json] | None = None) -> Tool:
    """A tool with these parameters, all required."""
    return Tool(name, "", {"properties": parameters, "required": [*parameters], "$defs": definitions or {}})


def rule(about: str, body: str, name: str = "it") -> str:
    """A rule of the policy."""
    return (
        f"\n\ndef forbid_{name}(call: {about}, run: Run) -> bool:\n"
        f'    """R1: No payment of more than 10."""\n    return {body}\n'
    )


@dataclass(frozen=True)
class Bad:
    """Tools, the rules and the classes that these name, calls; what a command writes, after its exit code."""

    tools: tuple[Tool, ...]
    classes: str
    rules: str
    calls: tuple[tuple[str, dict[str, Json]], ...]
    written: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])


def refused(sentence: str, check: int = 1) -> dict[str, tuple[int, str]]:
    """The same sentence by every command."""
    return {
        "check": (check, sentence),
        "say --all": (2, sentence),
        "ask": (2, sentence),
        "replay": (2, sentence),
        "explain r --call 0": (2, sentence),
    }


FACT = '\n\ndef {name}(call: Pay, run: Run) -> {type}:\n    """{noun}"""\n    return {body}\n'
PAY = tool("pay", {"total": NUMBER, "parts": {"type": "array", "items": NUMBER}})
BADS = {
    "facts in a circle": Bad(
        (PAY,),
        "Pay",
        FACT.format(name="first", type="bool", noun="the first", body="second(call, run)")
        + FACT.format(name="second", type="bool", noun="the second", body="first(call, run)")
        + rule("Pay", "first(call, run)"),
        (("pay", {"total": 20, "parts": []}),),
        refused("`first` is computed from itself: first → second → first."),
    ),
    "a fact that raises": Bad(
        (PAY,),
        "Pay",
        FACT.format(name="largest", type="Decimal", noun="the largest", body="max(p for p in call.parts)")
        + rule("Pay", "largest(call, run) > 10"),
        (("pay", {"total": 20, "parts": []}), ("pay", {"total": 20, "parts": [30]})),
        {
            "replay": (0, "cannot-evaluate  the largest: max of nothing has no value"),
            "explain r --call 1": (0, "Denied by forbid_it"),
        },
    ),
    "values that do not fit": Bad(
        (PAY,),
        "Pay",
        rule("Pay", "call.total > 10 or any(p > 3 for p in call.parts)"),
        (("pay", {"total": "much", "parts": [1, "x"]}), ("pay", {"total": True, "parts": []})),
        {
            "replay": (0, "total of the call: 'much' does not fit its schema (type: 'number'); parts of"),
            "explain r --call 1": (0, "total of the call: True does not fit its schema"),
        },
    ),
    "a recursive schema": Bad(
        (tool("pay", {"tree": {"$ref": "#/$defs/Tree"}}, {"Tree": TREE}),),
        "Pay",
        rule("Pay", 'any(c.value == "y" for c in call.tree.children)'),
        (("pay", {"tree": {"value": "x"}}),),
        refused('is a list whose element has a recursive schema ("#/$defs/Tree" contains itself).'),
    ),
    "the rest of a recursive schema": Bad(
        (tool("pay", {"tree": {"$ref": "#/$defs/Tree"}}, {"Tree": TREE}),),
        "Pay",
        rule("Pay", 'call.tree.value == "x"'),
        (("pay", {"tree": {"value": "x", "children": [{"value": "y"}]}}),),
        {"explain r --call 0": (0, "Denied by forbid_it")},
    ),
    "one of two types": Bad(
        (tool("pay", {"to": {"oneOf": [TEXT, NUMBER]}}),),
        "Pay",
        rule("Pay", 'call.to == "x"'),
        (("pay", {"to": "x"}),),
        refused('may have one of 2 types ("oneOf"). Say its type in [tools.pay.fields."to"]'),
    ),
    "a reference to nothing": Bad(
        (tool("pay", {"to": {"$ref": "#/definitions/none"}}),),
        "Pay",
        rule("Pay", 'call.to == "x"'),
        (("pay", {"to": "x"}),),
        refused('has a schema that its tool\'s lacks ("$ref" is "#/definitions/none").'),
    ),
    "200 tools": Bad(
        tuple(tool(f"tool_{number}", {"total": NUMBER}) for number in range(200)),
        "Tool0, Tool199",
        rule("Tool0 | Tool199", "sum(c.total for c in run.earlier(Tool0)) + call.total > 10"),
        (("tool_0", {"total": 4}), ("tool_199", {"total": 7}), ("tool_5", {"total": 20})),
        {
            "replay": (0, "2 allowed, 1 denied, 0 cannot be evaluated"),
            "explain r --call 1": (0, "the sum of the total of all earlier calls to tool 0 = 4"),
        },
    ),
    "500 fields": Bad(
        (tool("pay", {f"f{number}": NUMBER for number in range(500)}),),
        "Pay",
        rule("Pay", " or ".join(f"call.f{number} > 600" for number in range(460, 500))),
        (("pay", {f"f{number}": 700 if number == 499 else number for number in range(500)}),),
        {"explain r --call 0": (0, "Smallest change to allow\n  the f 499 at most 600 instead of 700")},
    ),
    "keywords as names": Bad(
        (tool("import", {"class": TEXT, "from": NUMBER, "self": TEXT}), tool("None", {}), tool("call", {})),
        "Import, None_, Call_",
        rule("Import", 'call.class_ == "x" or call.from_ > 10') + rule("None_ | Call_", "True", "none"),
        (("import", {"class": "x", "from": 3, "self": ""}), ("None", {}), ("call", {})),
        {
            "replay": (0, "0 allowed, 3 denied, 0 cannot be evaluated"),
            "say --all": (0, "The agent must never none or call."),
        },
    ),
    "names that are not ASCII": Bad(
        (Tool("支付", "", {"properties": {"金额": NUMBER}, "required": ["金额"]}, class_name="Pay",
              fields={"金额": FieldNote(name="amount")}),),
        "Pay",
        rule("Pay", "call.amount > 10"),
        (("支付", {"金额": 20}),),
        {
            "say --all": (0, "The agent must not 支付 if the 金额 is more than 10."),
            "explain r --call 0": (0, "the 金额 = 20"),
        },
    ),
    "two tools of one class": Bad(
        (tool("send-mail", {"to": TEXT}), tool("send_mail", {"to": TEXT})),
        "SendMail",
        rule("SendMail", 'call.to == "x"'),
        (("send-mail", {"to": "x"}),),
        refused('The tools "send-mail" and "send_mail" would both have the class `SendMail`;', check=2),
    ),
    "an object of the class of a tool": Bad(
        (tool("pay", {"leg": {"type": "object", "properties": {"a": TEXT}}}), tool("pay_leg", {"b": TEXT})),
        "Pay, PayLeg",
        rule("Pay", 'call.leg.a == "x"'),
        (("pay_leg", {"b": "x"}),),
        refused("would have the class `PayLeg`, which is another's."),
    ),
}  # fmt: skip


@pytest.mark.parametrize("bad", BADS.values(), ids=[*BADS])
def test_each_command_decides_it_or_says_what_is_wrong(
    bad: Bad, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "desk"
    Session.create(folder, "No payment of more than 10.", AgentSpec("desk", tools=bad.tools)).close()
    head = f'"""The policy."""\n\nfrom decimal import Decimal\n\nfrom agent import Call, Run, {bad.classes}\n'
    (folder / "policy.py").write_text(f'{head}\nDEFAULT = "allow"\n{bad.rules}', encoding="utf-8")
    log = tmp_path / "calls.jsonl"
    lines = (
        {
            "format": "workbench-decision/1",
            "run": "r",
            "call": at,
            "tool": name,
            "arguments": json.dumps(call),
        }
        for at, (name, call) in enumerate(bad.calls)
    )
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    for command, (code, sentence) in bad.written.items():
        name, *options = command.split()
        of_log = ["--log", str(log)] if name in ("replay", "explain") else []
        assert main([name, str(folder), *options, *of_log]) == code, command
        written = capsys.readouterr()
        assert sentence in written.out + written.err, command


def listed(name: str, properties: Json, definitions: dict[str, Json] | None = None) -> Json:
    """An entry of a list of tools, as an MCP server has it."""
    schema: dict[str, Json] = {"type": "object", "properties": properties, "$defs": definitions or {}}
    return {"name": name, "inputSchema": schema}


def nested(levels: int) -> Json:
    """A schema of objects within each other."""
    schema: Json = TEXT
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


LISTS: dict[str, list[Json]] = {
    "references in a circle": [
        listed("pay", {"a": {"$ref": "#/$defs/A"}}, {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}),
        listed("book", {"a": {"$ref": "#"}}),
    ],
    "recursive schemas": [listed("pay", {"tree": {"$ref": "#/$defs/Tree"}}, {"Tree": TREE})],
    "types that are not said": [
        listed("pay", {"to": {"oneOf": [TEXT, NUMBER]}, "at": {"$ref": "#/definitions/none"}}),
        listed("book", {"a": True, "b": None, "c": 3, "d": {"enum": []}, "e": {"const": {}}}),
        listed("see", [1]),
    ],
    "200 tools": [listed(f"tool_{number}", {"total": NUMBER}) for number in range(200)],
    "500 fields": [listed("pay", {f"f{number}": NUMBER for number in range(500)})],
    "keywords as names": [listed("import", {"class": TEXT, "from": TEXT, "None": TEXT}), listed("None", {})],
    "names that are taken": [
        listed("run", {"result": TEXT, "time": TEXT}), listed("path", {}), listed("looked_up", {}),
    ],
    "names that are not ASCII": [listed("支付", {"金额": NUMBER, "größe": TEXT}), listed("1!", {"": TEXT})],
    "two tools of one class": [
        *(listed(name, {"to": TEXT}) for name in ("send-mail", "send_mail", "Pay", "pay")),
        listed("book", {"leg": {"type": "object", "properties": {"a": TEXT}}}), listed("book_leg", {}),
    ],
    "schemas nested as deep as a table of TOML": [listed("pay", {"a": nested(16)})],
    "schemas nested deeper than TOML is read": [listed("pay", {"a": nested(17)}), listed("see", nested(46))],
}  # fmt: skip
"""Lists of tools of which a session can be made."""


def made(folder: Path, tools: str) -> int:
    """The exit code of the command that makes a session of a list of tools."""
    request, file = folder.with_suffix(".md"), folder.with_suffix(".json")
    request.write_text("No payment of more than 10.", encoding="utf-8")
    file.write_text(tools, encoding="utf-8")
    return main(["new", str(folder), "--request", str(request), "--agent", str(file)])


def test_a_session_of_such_tools_loads_and_an_editor_has_nothing_against_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, tools in LISTS.items():
        folder = tmp_path / name.replace(" ", "-")
        assert made(folder, json.dumps(tools)) == 0, name
        with Session.open(folder) as session:
            assert len(session.spec.tools) == len(tools), name
        capsys.readouterr()
        assert main(["check", str(folder)]) == 1, name
        written = capsys.readouterr().out
        assert "Open  no-clause" in written and "Nothing says what" in written, name
    assert errors(configured(tmp_path)) == []


@pytest.mark.parametrize(
    ("tools", "sentence"),
    [
        (json.dumps([listed("pay", nested(60))]), "is not read: it is nested more than 100 deep."),
        ('[{"a": ' * 100_000, "is not read: it is nested more than 100 deep."),
        ("[{\n", "is not valid JSON."),
        (json.dumps([listed("pay", {}), listed("pay", {"a": TEXT})]), 'has the tool "pay" twice.'),
        (json.dumps([listed("", {})]), "the entry 1 is no tool with a name."),
    ],
    ids=["deep schemas", "deep lists", "half of a list", "a tool twice", "no name"],
)
def test_a_list_that_is_no_agent_is_refused_in_a_sentence(
    tools: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "desk"
    assert made(folder, tools) == 2
    written = capsys.readouterr().err
    assert written.count("\n") == 1 and "desk.json" in written and sentence in written
    assert not folder.exists()
