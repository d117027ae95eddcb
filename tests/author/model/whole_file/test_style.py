"""The style in which a model is asked: by the setting, by recorded calls, by what the endpoint reports."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from workbench.author.model.client import ModelClient
from workbench.author.model.recording import RecordedModelCalls, Sent, StoredCall
from workbench.author.model.settings import ModelSettings, settings_from
from workbench.author.model.style_choice import is_small, style_of
from workbench.author.model.whole_file.critics import Critic, critics_named
from workbench.author.model.whole_file.design import all_sentences
from workbench.author.model.whole_file.prompts import notation
from workbench.author.model.whole_file.reply_parts import DENY_ALL, read_parts, written
from workbench.author.model.whole_file.run_shapes import shapes
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Kind,
    RecordedCall,
    RecordType,
    Run,
    Tool,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.session.agent_file import read_agent


@contextmanager
def listing(**fields: object) -> Generator[str]:
    """A server that lists one model with these properties."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Keep the test output clean."""

        def do_GET(self) -> None:
            data = json.dumps({"object": "list", "data": [{"id": "m", "object": "model", **fields}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=lambda: server.serve_forever(0.02), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def style(model: str = "m", url: str = "http://127.0.0.1:9/v1", *purposes: str, chosen: str = "") -> str:
    client = ModelClient(ModelSettings(model, url, style=chosen), RecordedModelCalls())
    calls = [
        StoredCall(key="k", sent=Sent(purpose, model, (), {}, 0.0, 1, 1), reply="") for purpose in purposes
    ]
    return style_of(client, calls)


@pytest.mark.parametrize(("length", "expected"), [(8192, "forms"), (128_000, "file"), (None, "file")])
def test_a_short_context_gets_forms(
    length: int | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with listing(**({} if length is None else {"max_model_len": length})) as url:
        assert style("m", url) == expected


def test_setting_then_record_then_size() -> None:
    assert style("qwen2.5-coder-1.5b-instruct") == "forms"
    assert style("qwen2.5-coder-1.5b-instruct", chosen="file") == "file"
    assert style("qwen-1.5b", "http://127.0.0.1:9/v1", "agent file") == "file"
    assert style("big", "http://127.0.0.1:9/v1", "analysis", "rules R1") == "forms"
    assert [is_small(name) for name in ("SmolLM2-135M", "llama-3.3-70b", "gpt-4o", "gemini-2.5-pro")] == [
        True,
        False,
        False,
        False,
    ]


def test_settings_of_the_style() -> None:
    named = {"WORKBENCH_MODEL": "m", "WORKBENCH_MODEL_STYLE": "File", "WORKBENCH_MODEL_ROUNDS": "0"}
    model_settings = settings_from(named)
    assert model_settings is not None
    assert (model_settings.style, model_settings.rounds) == ("file", 0)
    with pytest.raises(WorkbenchError, match="set it to file or forms"):
        settings_from({**named, "WORKBENCH_MODEL_STYLE": "poem"})
    assert critics_named("preview, cases") == {Critic.REPLY, Critic.DIALECT, Critic.PREVIEW, Critic.CASES}
    with pytest.raises(WorkbenchError, match="no critic 'taste'"):
        critics_named("taste")


# --- the page that a model gets -----------------------------------------------------


def samples(language: str) -> list[str]:
    """The fenced blocks of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", notation(), re.S)


def test_the_agent_files_of_the_page_are_read() -> None:
    arguments, records = samples("toml")
    head = 'name = "x"\n'
    assert [argument.name for argument in read_agent(head + arguments).arguments] == [
        "tool",
        "amount",
        "hosts",
    ]
    more = '[records.invoice]\nkey = "invoice_id"\nfields.vendor_id = {type = "str"}\n'
    more += '[records.claimed]\nfields.line_id = {type = "str"}\n'
    more += '[records.report]\nkey = "report_id"\nfields.lines = {type = "list", of = "claimed"}\n'
    more += '[arguments.report]\nextract = {method = "record", record = "report", key = "$.arguments.id"}\n'
    spec = read_agent(f"{head}{more}{records}")
    assert {record.name for record in spec.records} >= {"vendor", "contact", "payment", "approved"}


def spec() -> AgentSpec:
    """The agent spec that belongs to the page's files."""
    payment = RecordType("Payment", (("invoice_status", ArgumentType(Kind.STR, optional=True)),))
    element = ArgumentType(Kind.RECORD, record=payment)
    return AgentSpec(
        "x",
        tools=(Tool("pay"),),
        arguments=(
            Argument("tool", ArgumentType(Kind.ENUM, ("pay", "pay_all", "get_invoice"))),
            Argument("role", ArgumentType(Kind.ENUM, ("guest", "lead"))),
            Argument("amount", ArgumentType(Kind.DECIMAL, optional=True)),
            Argument("payments", ArgumentType(Kind.LIST, element=element)),
        ),
    )


def test_the_policy_and_the_contract_of_the_page_are_in_the_dialect() -> None:
    policy, contract = samples("python")
    paying = (
        'def permit_paying(tool: Tool) -> bool:\n    """R2: Pay."""\n    return tool in PAYING\n\n\ndef allow'
    )
    policy = policy.replace("def allow", paying)
    terms = check(written(read_parts(policy, spec()), read_parts(contract, spec()), spec()))
    assert [rule.name for rule in terms.rules] == [
        "forbid_unknown_invoice",
        "permit_reading",
        "permit_paying",
    ]
    assert [clause.requirements for clause in terms.clauses] == [("R2",), ("R1",)]


def test_what_policy_and_contract_define_differently_keeps_both_meanings() -> None:
    head = "def allow(tool: Tool, amount: Decimal | None) -> bool:\n"
    own = 'MOST = Decimal("5")\n\n\ndef forbid_x(amount: Decimal | None) -> bool:\n'
    own += '    """R1: x"""\n    return amount is not None and amount > MOST\n\n\n'
    other = 'MOST = Decimal("7")\n\n\n'
    clause = "    # R1: x\n    Ensures(Implies(amount is not None and amount > MOST, not Result()))\n"
    text = written(
        read_parts(f"{own}{head}    return not forbid_x(amount)\n", spec()),
        read_parts(f"{other}{head}{clause}    return False\n", spec()),
        spec(),
    )
    terms = check(text)
    assert {name: str(value) for name, value in terms.constants.items()} == {"MOST": "5", "MOST_STATED": "7"}
    assert "amount > MOST_STATED" in terms.clauses[0].source


_ALLOW = "def allow(tool: Tool, amount: Decimal | None, payments: tuple[Payment, ...]) -> bool:"
_POLICY = f"""
def forbid_x(amount: Decimal | None) -> bool:
    \"\"\"R1: x\"\"\"
    least = amount is None or amount > 5
    return least and high(amount)


def high(added: Decimal | None) -> bool:
    return added is None or added > 7


{_ALLOW}
    return not forbid_x(amount)
"""
_CONTRACT = f"""
def least(paid: Decimal | None) -> bool:
    high = paid is None or paid > 9
    return high


{_ALLOW}
    # R1: x
    Ensures(Implies(least(amount), not Result()))
    # R2: y
    Ensures(Implies(any(high.invoice_status is None for high in payments), not Result()))
    return False
"""


def test_a_helper_of_the_contract_may_be_called_as_something_within_a_rule() -> None:
    terms = check(written(read_parts(_POLICY, spec()), read_parts(_CONTRACT, spec()), spec()))
    assert [rule.name for rule in terms.rules] == ["forbid_x"]
    assert [clause.source for clause in terms.clauses] == [
        "Implies(least_stated(amount), not Result())",
        "Implies(any(high_stated.invoice_status is None for high_stated in payments), not Result())",
    ]


def test_where_nothing_can_be_used_nothing_is_allowed() -> None:
    terms = check(written(DENY_ALL, DENY_ALL, spec()))
    assert (terms.default_allow, terms.rules) == (False, ())


def test_what_stands_in_the_logs_is_shown_with_its_values() -> None:
    calls = [
        RecordedCall(
            "r",
            index,
            "pay",
            {"lines": [{"kind": kind}], "to": "x"},
            {"first_user": "Pay the rent"},
            {"role": "guest"},
            result='{"state": "paid"}' if index else '{"error": "timeout"}',
        )
        for index, kind in enumerate(("meal", "taxi", "meal"))
    ]
    shown = shapes([Run("r", tuple(calls), "openai-chat")])
    assert '$.arguments.lines[*].kind: "meal", "taxi"' in shown
    assert '$.result.error [in 1 of 3]: "timeout"' in shown
    assert '$.result.state [in 2 of 3]: "paid"' in shown
    assert "Pay the rent" in shown


def test_a_long_list_of_values_says_how_many_there_are() -> None:
    calls = [
        RecordedCall("r", index, "run", {"command": f"{index:03} {'x' * 100}"}, {}) for index in range(60)
    ]
    (line,) = [line for line in shapes([Run("r", tuple(calls), "f")]).split("\n") if "command:" in line]
    assert "... (60 different)" in line and len(line) < 3000


@pytest.mark.parametrize(
    ("request_text", "sentences"),
    [
        ("**Files.** Look around.", ["Look around."]),
        ("*Cost.* Ask first.", ["Ask first."]),
        ("**No sudo.** Ask first.", ["**No sudo.**", "Ask first."]),
    ],
)
def test_a_heading_that_begins_a_paragraph_is_no_sentence(request_text: str, sentences: list[str]) -> None:
    assert [request_text[span.start : span.end].strip() for span in all_sentences(request_text)] == sentences


def test_the_page_ships_with_the_package() -> None:
    folder = Path(notation.__wrapped__.__code__.co_filename).parent
    assert {"notation.md", "tasks.md"} <= {path.name for path in folder.iterdir()}
