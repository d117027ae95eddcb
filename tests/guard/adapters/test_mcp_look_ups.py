"""The MCP proxy asks the server behind it for records, and knows which calls failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.guard.adapters.mcp_attacks import call
from tests.guard.adapters.mcp_server import HOLD, USUAL, http_server
from tests.guard.adapters.test_mcp import guarded, over_stdio, post
from tests.live_guarding import live_guard
from workbench.dialect.call_fields import type_of_record
from workbench.guard import DecisionLog, EnforcedPolicy, Guard
from workbench.guard.adapters.mcp_messages import McpMessage, Screen
from workbench.guard.look_ups import LookUpFailed
from workbench.model import (
    Argument,
    Arguments,
    ArgumentType,
    CallExpression,
    Decision,
    Json,
    Kind,
    Verdict,
    Violation,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import replay
from workbench.session.agent_file import read_agent

SPEC = read_agent("""
name = "shop"
[tools.get_order]
[tools.pay_order]
parameters = {type = "object", properties = {order_id = {type = "string"}}, required = ["order_id"]}
[records.order]
key = "id"
fields.paid = {type = "bool"}
results.pay_order = "$"
look_up = {tool = "get_order", arguments = {order_id = "key"}}
absent = ["^no such order$"]
""")
OF_CALL = CallExpression("run.order(call.order_id)", "pay_order")
TYPE = ArgumentType(Kind.RECORD, optional=True, record=type_of_record(SPEC.records[0]))
READER = Extractor([Argument("order", TYPE, "", OF_CALL)], SPEC)
ASKED = frozenset({"get_order"})
PAY = call("pay_order", '"p"', '{"order_id":"A1"}').encode()
OTHER = call("pay_order", '"q"', '{"order_id":"B2"}').encode()


class Unpaid(EnforcedPolicy):
    """Allows payment of an order only once, and only if the order is known."""

    def decide(self, arguments: Arguments) -> Decision:
        """Deny payment of an order that is paid or not known."""
        order: Any = arguments["order"]
        if order is None or order.paid:
            return Decision(Verdict.DENY, (Violation("paid", "It is paid, or not known."),), arguments)
        return Decision(Verdict.ALLOW, (), arguments)


def guard(folder: Path) -> Guard:
    return live_guard(Unpaid(), READER, log=DecisionLog(folder / "log.jsonl"))


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def replayed(folder: Path) -> list[str]:
    imported = load_runs([folder / "log.jsonl"])
    assert not imported.problems
    return [decided.decision.verdict.value for decided in replay(Unpaid(), READER, imported.runs)]


def test_over_stdio_the_server_is_asked_and_the_client_sees_nothing_of_it(tmp_path: Path) -> None:
    with over_stdio(guard(tmp_path), tmp_path, look_ups=ASKED) as (client, received):
        first, second = client.ask(PAY), client.ask(PAY.replace(b'"p"', b'"r"'))
    assert json.loads(first["result"]["content"][0]["text"])["paid"] is True  # type: ignore[index, call-overload]
    assert second["result"]["isError"] is True  # type: ignore[index, call-overload]
    sent = [json.loads(line) for line in received.read_bytes().splitlines()]
    assert [message["params"]["name"] for message in sent] == ["get_order", "pay_order"]
    assert sent[0]["params"]["arguments"] == {"order_id": "A1"}
    decided = [line for line in lines(tmp_path) if "decision" in line]
    assert [line["decision"] for line in decided] == ["allow", "deny"] == replayed(tmp_path)
    (entry,) = decided[0]["look_ups"]
    assert json.loads(entry["result"]) == {"id": "A1", "paid": False}


def test_an_answer_to_the_guard_is_read_while_a_result_of_a_call_waits_for_the_decision(
    tmp_path: Path,
) -> None:
    with over_stdio(guard(tmp_path), tmp_path, USUAL, HOLD, look_ups=ASKED) as (client, _):
        client.send(PAY)
        client.send(OTHER)
        answers = [client.receive(request_id)[0] for request_id in ("p", "q")]
    assert ["isError" in str(answer) for answer in answers] == [False, False]
    looked = [line["look_ups"][0].get("why", "") for line in lines(tmp_path) if "decision" in line]
    assert looked == ["", ""]
    assert replayed(tmp_path) == ["allow", "allow"]


def test_over_http_the_server_is_asked_with_the_headers_of_the_session(tmp_path: Path) -> None:
    with http_server() as server, guarded(guard(tmp_path), server, ASKED) as port:
        status, _, body = post(port, PAY, b"Authorization: Bearer x")
    assert (status, json.loads(body)["id"]) == (200, "p")
    assert [message["params"]["name"] for message in server.messages] == ["get_order", "pay_order"]  # type: ignore[index, call-overload]
    assert [head.get("Authorization") for _, head, _ in server.requests] == ["Bearer x"] * 2
    assert replayed(tmp_path) == ["allow"]


def test_a_server_that_cannot_be_reached_is_no_reason_to_allow(tmp_path: Path) -> None:
    with http_server() as server:
        pass
    with guarded(guard(tmp_path), server, ASKED) as port:
        _, _, body = post(port, PAY)
    assert b"isError" in body
    (line,) = lines(tmp_path)
    assert line["decision"] == "cannot-evaluate"
    assert line["look_ups"][0]["why"] == "the server does not answer"


def answers(result: Json) -> Callable[[McpMessage], bytes]:
    return lambda message: json.dumps({"jsonrpc": "2.0", "id": message.id, "result": result}).encode()


def text(value: object, **more: Json) -> Json:
    return {
        "content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}],
        **more,
    }


def sends(data: bytes) -> Callable[[McpMessage], bytes]:
    return lambda _message: data


def breaks(message: McpMessage) -> bytes:
    error: Json = {"code": -32603, "message": "no"}
    return json.dumps({"jsonrpc": "2.0", "id": message.id, "error": error}).encode()


def raises(_message: McpMessage) -> bytes:
    raise LookUpFailed("the server has ended")


ORDER: dict[str, Json] = {"id": "A1", "paid": False}


@pytest.mark.parametrize(
    ("ask", "verdict", "why"),
    [
        (answers(text(ORDER)), "allow", ""),
        (answers(text("{}", structuredContent=ORDER)), "allow", ""),
        (answers(text("no such order")), "deny", ""),
        (answers(text("no such order", isError=True)), "deny", ""),
        (answers(text(ORDER, isError=True)), "cannot-evaluate", "failed"),
        (answers(text({**ORDER, "id": "B2"})), "cannot-evaluate", "gave another order: B2"),
        (answers(text({**ORDER, "id": 1.5})), "cannot-evaluate", "neither a text nor a whole number"),
        (answers(text('{"id": "A1", "paid": true, "paid": false}')), "cannot-evaluate", "appears twice"),
        (answers(text("[" * 10_000 + "]" * 10_000)), "cannot-evaluate", "nested"),
        (answers({"content": [{"type": "text"}]}), "cannot-evaluate", "not understood"),
        (answers({}), "cannot-evaluate", "not understood"),
        (sends(b"<html>"), "cannot-evaluate", "not understood"),
        (sends(b'{"jsonrpc":"2.0","id":"p","result":{}}'), "cannot-evaluate", "none to the guard's"),
        (breaks, "cannot-evaluate", "failed"),
        (raises, "cannot-evaluate", "the server has ended"),
    ],
)  # fmt: skip
def test_a_look_up_by_the_proxy_that_is_no_answer_is_never_a_reason_to_allow(
    ask: Callable[[McpMessage], bytes], verdict: str, why: str, tmp_path: Path
) -> None:
    screened = Screen(guard(tmp_path), look_ups=ASKED).request(PAY, ask)
    assert bool(screened.forward) is (verdict == "allow")
    (line,) = lines(tmp_path)
    assert line["decision"] == verdict
    assert why in " ".join(line["reasons"])
    assert replayed(tmp_path) == [verdict]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ({"result": text(ORDER, isError=True)}, "allow"),
        ({"error": {"code": -32602, "message": "no"}}, "allow"),
        ({"error": {"code": -32603, "message": "no"}}, "cannot-evaluate"),
        ({"result": text({"id": "A1", "paid": True})}, "deny"),
        ({"result": text(ORDER), "error": {"code": 1, "message": "no"}}, "cannot-evaluate"),
        ({"result": 7}, "cannot-evaluate"),
        (None, "cannot-evaluate"),
    ],
)
def test_a_call_that_the_server_says_failed_changed_nothing(
    answer: dict[str, Json] | None, verdict: str, tmp_path: Path
) -> None:
    screen = Screen(guard(tmp_path), look_ups=ASKED)
    assert screen.request(PAY, answers(text(ORDER))).forward
    if answer is not None:
        screen.response(json.dumps({"jsonrpc": "2.0", "id": "p", **answer}).encode())
    screen.request(PAY.replace(b'"p"', b'"r"'), raises)
    assert [line["decision"] for line in lines(tmp_path) if "decision" in line] == ["allow", verdict]
    assert replayed(tmp_path) == ["allow", verdict]
