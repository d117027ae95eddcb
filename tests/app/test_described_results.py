"""A session of tools that describe their results, without a log, decides on what real results say."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.accepting import accepted
from workbench.app.new_session import new_session
from workbench.app.workbench import Workbench
from workbench.guard import Mode, Strategy, ToolCall
from workbench.model import Json, WorkbenchError

ORDER: dict[str, Json] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "status": {"enum": ["open", "paid"]},
        "total": {"type": "number"},
    },
    "required": ["status", "total"],
}
BY_ID: dict[str, Json] = {
    "type": "object",
    "properties": {"id": {"type": "integer"}},
    "required": ["id"],
}
OF_MCP: Json = [
    {"name": "get_order", "inputSchema": BY_ID, "outputSchema": ORDER},
    {"name": "cancel_order", "inputSchema": BY_ID, "outputSchema": {"type": "object"}},
]
IN_PATH: Json = [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}]
GOT: Json = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}}
OPENAPI: Json = {
    "openapi": "3.0.3",
    "paths": {
        "/orders/{id}": {
            "parameters": IN_PATH,
            "get": {"operationId": "get_order", "responses": GOT},
            "delete": {"operationId": "cancel_order", "responses": {"204": {"description": "done"}}},
        }
    },
    "components": {"schemas": {"Order": ORDER}},
}
FUNCTIONS = """
class Money(TypedDict):
    total: float

class Order(Money):
    id: int
    status: Literal["open", "paid"]
    parent: NotRequired["Order"]

def get_order(id: int) -> Order: ...
def cancel_order(id: int) -> str: ...
"""
POLICY = '''"""Orders."""

from agent import CancelOrder, GetOrder, Run

DEFAULT = "allow"


def forbid_paid(call: CancelOrder, run: Run) -> bool:
    """R1: An order that is paid is not cancelled."""
    order = run.order(call.id)
    return order is not None and order.status == "paid" and order.total > 5
'''


@pytest.mark.parametrize(
    ("name", "text"),
    [("tools.json", json.dumps(OF_MCP)), ("api.json", json.dumps(OPENAPI)), ("shop.py", FUNCTIONS)],
)
def test_a_guard_decides_on_a_record_that_no_log_showed(name: str, text: str, tmp_path: Path) -> None:
    request = tmp_path / "request.md"
    request.write_text(
        "---\nname: shop\ntools: get_order\nmodel: inherit\n---\nAn order that is paid is not cancelled.\n"
    )
    (tmp_path / name).write_text(text)
    made = new_session(tmp_path / "shop", request, agent=tmp_path / name, logs=(), author="written")
    with closing(made.workbench) as bench:
        draft = made.draft()
        assert [one.text for one in draft.understanding.draft.sentences] == [
            "An order that is paid is not cancelled."
        ]
        assert any("order by id (looked up by get_order)" in one.question for one in draft.assumed)
        bench.session.set_policy(POLICY, "Write the policy")
        guard = accepted(bench).policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE)
        cancel = ToolCall("cancel_order", {"id": 7})
        verdicts = [guard.check(cancel).decision.verdict.value]
        for order in ({"id": 7, "status": "paid", "total": 6.5}, {"id": 7, "status": "open", "total": 6.5}):
            guard.finish(guard.check(ToolCall("get_order", {"id": 7})), json.dumps(order))
            verdicts.append(guard.check(cancel).decision.verdict.value)
    assert verdicts == ["cannot-evaluate", "deny", "allow"], guard.check(cancel).decision.reasons


def test_what_results_are_like_is_proposed_again_in_a_later_process(tmp_path: Path) -> None:
    (tmp_path / "request.md").write_text("An order that is paid is not cancelled.\n")
    (tmp_path / "tools.json").write_text(json.dumps(OF_MCP))
    folder = tmp_path / "shop"
    made = new_session(
        folder, tmp_path / "request.md", agent=tmp_path / "tools.json", logs=(), author="written"
    )
    with closing(made.workbench) as bench:
        assert "order" in [one.name for one in bench.agent.proposals(())]
    with closing(Workbench.open(folder, read_only=True)) as bench:
        proposals = bench.agent.proposals(())
        assert "order" in [one.name for one in proposals]
        assert any("order by id" in one.question for one in bench.agent.confirmations(proposals, ()))
    for text, why in (("{", "is no JSON"), ("[]", "no object of schemas"), ('{"get_order": 1}', "no object")):
        (folder / "results.json").write_text(text)
        with pytest.raises(WorkbenchError, match=why):
            Workbench.open(folder, read_only=True)
