"""What a drafting model is told: the page about the notation, and the shapes of the logs."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.author.model.whole_file.desk import REQUEST, drafted, writer
from workbench.app.authorship import SessionNotation
from workbench.author.model.endpoint.probe import context_of
from workbench.author.model.settings import ModelSettings, settings_from
from workbench.author.model.whole_file.critics import Critic, critics_named
from workbench.author.model.whole_file.design import all_sentences, read_agent_parts, without_parts
from workbench.author.model.whole_file.prompts import exact_sentences, notation
from workbench.author.model.whole_file.reply_parts import DENY_ALL, NO_CONTRACT, read_parts, written
from workbench.author.model.whole_file.run_shapes import shapes
from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.text_readings import METHODS
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, FieldNote, RecordedCall, Run, Verdict, WorkbenchError
from workbench.runs.kinds.kinds_by_name import KINDS
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


@pytest.mark.parametrize("length", [8192, None])
def test_the_length_of_a_prompt_is_what_the_endpoint_lists(
    length: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with listing(**({} if length is None else {"max_model_len": length})) as url:
        assert context_of(ModelSettings("m", url)) == (length or 0)


def test_settings_of_drafting() -> None:
    model_settings = settings_from({"WORKBENCH_MODEL": "m", "WORKBENCH_MODEL_ROUNDS": "0"})
    assert model_settings is not None
    assert model_settings.rounds == 0
    always = {Critic.REPLY, Critic.DIALECT, Critic.ANSWERS}
    assert critics_named("preview, cases") == {*always, Critic.PREVIEW, Critic.CASES}
    assert critics_named("") == frozenset(Critic)
    with pytest.raises(WorkbenchError, match="no critic 'taste'"):
        critics_named("taste")


# --- the page that a model gets -----------------------------------------------------


def samples(language: str) -> list[str]:
    """The fenced blocks of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", notation(), re.S)


OBJECT = 'parameters.type = "object"\nparameters.properties.'
DESK = f"""
name = "desk"
[tools.pay_invoice]
{OBJECT}total.type = "number"
parameters.properties.supplier_id.type = "string"
parameters.required = ["total", "supplier_id"]
[tools.book_room]
{OBJECT}total.type = "number"
parameters.required = ["total"]
[tools.cancel_booking]
{OBJECT}booking_id.type = "string"
parameters.required = ["booking_id"]
[tools.get_booking]
[tools.get_supplier]
[tools.list_suppliers]
[tools.update_supplier]
[tools.set_iban]
{OBJECT}iban.type = "string"
[tools.read_file]
[tools.send_mail]
{OBJECT}body.type = "string"
parameters.required = ["body"]
[tools.run_shell]
{OBJECT}command.type = "string"
parameters.required = ["command"]
[tools.pay]
{OBJECT}items = {{type = "array", items = {{type = "object", properties.amount.type = "number"}}}}
[records.booking]
key = "id"
fields.kind.type = "str"
fields.starts_at.type = "datetime"
look_up = {{tool = "get_booking", arguments = {{id = "key"}}}}
"""
CITED = {name: f"Words of {name}." for name in ("R1", "R9", "R10", "R11")}


def desk() -> AgentSpec:
    """The agent of the page's examples, with the page's own parts of an agent file."""
    (parts,) = samples("toml")
    return read_agent_parts(parts, read_agent(DESK), SessionNotation())


def test_the_agent_file_of_the_page_is_read() -> None:
    spec = desk()
    assert {record.name for record in spec.records} == {"booking", "supplier", "contact"}
    assert [reading.name for reading in spec.readings] == ["topic"]
    assert spec.tools[10].cwd == "/repo"
    (parts,) = samples("toml")
    assert without_parts(spec, parts, SessionNotation()) == read_agent(DESK)


def test_the_policy_and_the_contract_of_the_page_are_in_the_dialect() -> None:
    policy, contract = samples("python")
    spec = desk()
    text = written(read_parts(policy, CITED), read_parts(contract, CITED), agent_types(spec))
    terms = lowered_policy(text, spec).terms
    assert {rule.name for rule in terms.rules} == {
        "forbid_over_limit",
        "forbid_late_cancellation",
        "ask_large",
    }
    assert [clause.requirements for clause in terms.clauses] == [("R9",), ("R9", "R1")]
    assert "# R9, R1: Words of R9. Words of R1." in text


def test_the_page_names_every_key_of_a_note_and_every_method_of_readings() -> None:
    page = notation()
    assert all(f"`{name}`" in page for name in (*METHODS, *(one.name for one in fields(FieldNote))))
    assert all(f"`{name}`" in page for name in KINDS)
    assert "{{" not in page


OWN = '''
DEFAULT = "allow"
MOST = Decimal("5")


def high(call: PayInvoice) -> bool:
    """whether it is much"""
    return call.total > MOST


def forbid_x(call: PayInvoice) -> bool:
    """R1"""
    least = call.total < 1
    return high(call) or least
'''
STATED = '''
MOST = Decimal("7")


def least(call: PayInvoice) -> bool:
    """whether it is little"""
    return call.total < MOST


def contract_x(call: PayInvoice, run: Run) -> None:
    # R1
    Ensures(Implies(not least(call), not Result()))
    # R9
    Ensures(Implies(any(high.total > MOST for high in run.earlier(BookRoom)), not Result()))
'''


def test_what_policy_and_contract_define_differently_keeps_both_meanings() -> None:
    text = written(read_parts(OWN, CITED), read_parts(STATED, CITED), agent_types(desk()))
    lowered = lowered_policy(text, desk())
    assert 'MOST = Decimal("5")' in text and 'MOST_STATED = Decimal("7")' in text
    first, second = (clause.source for clause in lowered.calls.clauses)
    assert first == "Implies(not least_stated(call), not Result())"
    assert "any(high_stated.total > MOST_STATED for high_stated in run.earlier(BookRoom))" in second


def test_where_nothing_can_be_used_nothing_is_allowed() -> None:
    terms = lowered_policy(written(DENY_ALL, NO_CONTRACT, agent_types(desk())), desk()).terms
    assert compile_policy(terms).decide({"tool": "pay"}).verdict is Verdict.DENY


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


def test_sentences_of_the_request_in_the_language_are_told_as_the_rules_that_they_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = "The agent must not pay if the amount is more than 100."
    model = writer()
    with drafted(model, tmp_path, monkeypatch, f"{REQUEST}{exact}\n"):
        rule = f'"""{exact}"""\n    return call.amount > Decimal("100")\n'
        assert all(rule in prompt for _, prompt in model.sent_prompts)
        assert all(prompt.count("def forbid_pay(call: Pay)") == 1 for _, prompt in model.sent_prompts)
    assert exact_sentences(REQUEST, AgentSpec("desk")) == ""
