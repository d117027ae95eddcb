"""An agent spec is drafted from a list of tools and from recorded runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.app.tool_sources import is_json, read_tools
from workbench.cli import main
from workbench.files.file_error import FileError
from workbench.model import Json, Kind, RecordedCall
from workbench.runs.extract.observe import observed_context, observed_tools
from workbench.runs.extract.propose import fields_of
from workbench.session import Session

SCHEMA = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
MCP = {"name": "pay", "description": "Pays.", "inputSchema": SCHEMA}
CALLS = [
    {"run": run, "tool": tool, "arguments": arguments, "context": {"role": role}}
    for run, tool, arguments, role in [
        ("a", "issue_refund", {"payment": "p1", "amount": 50}, "support"),
        ("b", "issue_refund", {"payment": "p2", "amount": 300.5}, "support"),
        ("c", "change_account", {"iban": "DE1"}, "manager"),
        ("d", "send_payment", {"amount": 5}, "manager"),
    ]
]


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(call) + "\n" for call in CALLS), encoding="utf-8")
    return path


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    path = tmp_path / "request.md"
    path.write_text("Support may issue refunds.\nNever change an account.\nAll else is forbidden.\n", "utf-8")
    return path


@pytest.mark.parametrize(
    "tools",
    [
        [{"type": "function", "function": {"name": "pay", "description": "Pays.", "parameters": SCHEMA}}],
        [{"type": "function", "name": "pay", "description": "Pays.", "parameters": SCHEMA}],
        [{"name": "pay", "description": "Pays.", "input_schema": SCHEMA}],
        {"tools": [MCP]},
        {"jsonrpc": "2.0", "result": {"tools": [MCP]}},
    ],
    ids=["openai-chat", "openai-responses", "anthropic", "mcp", "mcp-answer"],
)
def test_tools_are_read_as_agents_hand_them_to_a_model(tools: object) -> None:
    text = json.dumps(tools)
    assert is_json(text)
    (tool,) = read_tools(text, "tools.json").tools
    assert (tool.name, tool.description, tool.parameters) == ("pay", "Pays.", SCHEMA)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{", "not valid JSON"),
        ("[]", "no list of tools"),
        ('{"a": 1}', "no list of tools"),
        ('[{"description": "x"}]', "entry 1 is no tool"),
        ('[{"name": "a", "parameters": 3}]', "are no object"),
        ('[{"name": "a"}, {"name": "a"}]', "twice"),
        ("[" * 100_000, "nested more than 100 deep"),
    ],
)
def test_what_is_no_list_of_tools_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(FileError, match=said) as error:
        read_tools(text, "tools.json")
    assert "tools.json" in str(error.value)


def test_toml_is_not_taken_for_json() -> None:
    assert not is_json('name = "a"\n')
    assert not is_json("[tools.a]\n")
    assert is_json(' \n[{"name": "a"}]')


def test_a_session_is_made_of_a_request_and_a_log(
    log: Path, request_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mine"
    assert main(["new", str(folder), "--request", str(request_file), "--log", str(log)]) == 0
    assert "3 tools. Look it over" in capsys.readouterr().out
    with Session.open(folder) as session:
        context = {name: field.type for name, field in session.agent.context.items()}
        assert [tool.name for tool in session.agent.tools] == [
            "issue_refund",
            "change_account",
            "send_payment",
        ]
        assert session.agent.arguments == ()
    assert (context["role"].kind, context["role"].values) == (Kind.ENUM, ("manager", "support"))
    assert main(["replay", str(folder), "--json"]) == 0
    decided = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["decision"] for each in decided] == ["deny"] * 4


def test_tools_in_json_and_facts_of_the_log_make_one_spec(
    log: Path, request_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = written(
        tmp_path / "tools.json",
        [{"name": "issue_refund", "input_schema": SCHEMA}, {"name": "change_account"}],
    )
    folder = tmp_path / "mine"
    arguments = ["--agent", str(tools), "--log", str(log)]
    assert main(["new", str(folder), "--request", str(request_file), *arguments]) == 0
    with Session.open(folder) as session:
        assert [tool.name for tool in session.agent.tools] == ["issue_refund", "change_account"]
        assert [*session.agent.context] == ["role"]
    capsys.readouterr()
    assert main(["replay", str(folder), "--json"]) == 0
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["decision"] for each in shown] == ["deny", "deny", "deny", "cannot-evaluate"]


def test_without_tools_and_logs_it_says_what_to_give(
    request_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mine"
    assert main(["new", str(folder), "--request", str(request_file)]) == 2
    assert "--log with a recorded run" in capsys.readouterr().err
    assert not folder.exists()


def recorded_call(tool: str, arguments: dict[str, Json], **context: Json) -> RecordedCall:
    return RecordedCall("t", 0, tool, arguments, context=context)


def test_a_schema_says_what_all_calls_have_in_common() -> None:
    calls = [
        recorded_call("a", {"n": 1, "x": True, "who": {"name": "ann"}, "to": ["p"], "mixed": 1}),
        recorded_call(
            "a", {"n": 2.5, "x": False, "who": {"name": "bob"}, "to": [], "mixed": "1", "extra": None}
        ),
    ]
    (tool,) = observed_tools(calls)
    properties = tool.parameters["properties"]
    assert properties == {
        "n": {"type": "number"},
        "x": {"type": "boolean"},
        "who": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        "to": {"type": "array", "items": {"type": "string"}},
        "mixed": {},
        "extra": {},
    }
    assert tool.parameters["required"] == ["n", "x", "who", "to", "mixed"]
    kinds = {".".join(field.path): field.type.kind for field in fields_of(tool)}
    assert kinds == {"n": Kind.DECIMAL, "x": Kind.BOOL, "who.name": Kind.STR, "to": Kind.SET}


def test_a_fact_is_an_enum_only_where_few_short_values_repeat() -> None:
    calls = [
        recorded_call("a", {}, role=role, user=f"u{n}", age=n) for n, role in enumerate(["x", "y", "x", "y"])
    ]
    observed = observed_context([*calls, recorded_call("a", {}, role="x")])
    facts = {name: field.type for name, field in observed.items()}
    assert (facts["role"].kind, facts["role"].optional) == (Kind.ENUM, False)
    assert (facts["user"].kind, facts["user"].optional) == (Kind.STR, True)
    assert facts["age"].kind is Kind.INT


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("incident", ["INC-401", "INC-410"]),
        ("grade", ["a1", "b2"]),
        ("approver", ["ann@example.com", "bob@example.com"]),
        ("user", ["ada", "grace"]),
        ("teamName", ["web", "data"]),
        ("desk", ["a", "b", "c", "d"]),  # one a run
    ],
)
def test_a_fact_that_names_one_of_many_takes_values_that_no_run_had(name: str, values: list[str]) -> None:
    calls = [
        RecordedCall(f"of {text}", n, "a", {}, context={name: text}) for text in values for n in range(3)
    ]
    (fact,) = observed_context(calls).values()
    assert (fact.type.kind, fact.type.values) == (Kind.STR, tuple(sorted(values)))


def loans() -> list[dict[str, Json]]:
    return [
        {
            "run": f"r{number}",
            "tool": "get_loan",
            "arguments": {"loan_id": f"L{number}"},
            "result": json.dumps(held),
        }
        for number in range(4)
        for held in [{"loan_id": f"L{number}", "fee": "1.50", "state": "open\x1b[2J", "\x1b[31m": 1}]
    ]


def test_what_results_tell_of_is_proposed_shown_accepted_and_dropped(
    request_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "loans.jsonl"
    log.write_text("".join(json.dumps(call) + "\n" for call in loans()), encoding="utf-8")
    folder = str(tmp_path / "mine")
    from_log = ["--request", str(request_file), "--log", str(log)]
    by_hand = tmp_path / "agent.toml"
    by_hand.write_text('name = "desk"\n[tools.get_loan]\ndescription = "A loan."\n', encoding="utf-8")
    assert main(["new", folder, *from_log, "--agent", str(by_hand)]) == 0
    assert "Also proposed: loan;" in capsys.readouterr().out
    assert main(["propose", folder]) == 0
    shown = capsys.readouterr().out
    assert "loan: record, known by loan_id" in shown
    assert "4 results have this shape: get_loan (4)." in shown
    assert "\x1b" not in shown
    assert main(["propose", folder, "--accept", "lona"]) == 2
    assert "did you mean loan?" in capsys.readouterr().err
    assert main(["propose", folder, "--drop", "loan"]) == 0
    assert main(["propose", folder, "--json"]) == 0
    assert "loan" not in capsys.readouterr().out
    assert main(["undo", folder]) == 0
    assert main(["propose", folder, "--accept", "loan"]) == 0
    with Session.open(folder) as session:
        assert [record.name for record in session.agent.records] == ["loan"]
        assert session.agent.arguments == ()
    drafted = str(tmp_path / "drafted")
    assert main(["new", drafted, *from_log]) == 0
    assert "1 tool, 1 record" in capsys.readouterr().out


def test_a_reading_is_declared_by_one_command_after_what_it_reads_is_shown(
    tmp_path: Path, log: Path, request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = tmp_path / "s"
    assert main(["new", str(session), "--request", str(request_file), "--log", str(log)]) == 0
    given = ["propose", str(session), "--reading", "country", "--pattern", "^[A-Z]{2}"]
    given += ["--of", "ChangeAccount.iban"]
    capsys.readouterr()
    assert main(given) == 0
    shown = capsys.readouterr().out
    assert "country: a value in 1 of 1 text" in shown
    assert "ChangeAccount.iban: DE" in shown
    with Session.open(session, read_only=True) as opened:
        assert not opened.agent.readings
    assert main([*given, "--write"]) == 0
    sentence = "The agent must not change an account if the iban's country is “DE”."
    assert main(["say", str(session), sentence]) == 0
    assert main([*given[:-1], "Nothing.iban", "--write"]) == 2
    assert main([*given, "--line", "Country"]) == 2
    with Session.open(session, read_only=True) as opened:
        assert [one.texts for one in opened.agent.readings] == [("ChangeAccount.iban",)]


@pytest.mark.parametrize(
    ("type_", "description", "default"),
    [
        ("integer", "How many (default: 100).", 100),
        ("integer", "Defaults to 20 at most.", 20),
        ("number", "The default is 0.5.", 0.5),
        ("boolean", "default true", True),
        ("string", "The branch; defaults to “main”.", "main"),
        ("string", "Where to look; defaults to the current folder.", "."),
        ("string", "Defaults to the folder of the user.", None),
        ("integer", "Defaults to 20 MB.", 20),
        ("integer", "Defaults to 1.5.", None),
        ("integer", "Defaults to 10:30.", None),
        ("integer", "No default.", None),
        ("string", "Defaults to 5.", None),
    ],
)
def test_a_default_that_a_description_tells_stands_in_the_schema(
    tmp_path: Path, type_: str, description: str, default: Json
) -> None:
    of_one = {"type": "object", "properties": {"one": {"type": type_, "description": description}}}
    tools = written(tmp_path / "tools.json", [{"name": "go", "input_schema": of_one}])
    request = tmp_path / "request.md"
    request.write_text("Go.\n", encoding="utf-8")
    assert main(["new", str(tmp_path / "mine"), "--request", str(request), "--agent", str(tools)]) == 0
    with Session.open(tmp_path / "mine") as session:
        properties = session.agent.tools[0].parameters["properties"]
    assert isinstance(properties, dict) and isinstance(properties["one"], dict)
    assert properties["one"].get("default") == default
