"""A revision of an accepted policy: each version is read with its own agent."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.accepting import accept
from workbench.app.owed import OwedKind
from workbench.app.workbench import Workbench

AGENT = """name = "desk"

[tools.get_order]
parameters.type = "object"
parameters.required = ["id"]
parameters.properties.id = {type = "string"}

[tools.pay]
parameters.type = "object"
parameters.required = ["orders", "amount"]
parameters.properties.orders = {type = "array", items = {type = "string"}}
parameters.properties.amount = {type = "integer"}

[records.order]
key = "id"
fields.total = {type = "int"}
fields.items = {type = "list", of = "item"}
look_up = {tool = "get_order", arguments = {id = "key"}}

[records.item]
fields.paid = {type = "bool"}
"""
OPTIONAL = AGENT.replace('fields.paid = {type = "bool"}', 'fields.paid = {type = "bool", optional = true}')
POLICY = '''"""What the desk may pay."""

from agent import Pay, Run

DEFAULT = "allow"


def forbid_unpaid(call: Pay, run: Run) -> bool:
    """R1: Only what was paid."""
    return call.amount > 10 and any(
        run.order(one) is not None and any(not y.paid for y in run.order(one).items) for one in call.orders
    )


def forbid_sum(call: Pay, run: Run) -> bool:
    """R2: No more than the order."""
    return sum(c.amount for c in run.earlier(Pay)) + call.amount > 100
'''
REVISED = POLICY.replace("not y.paid", "y.paid is None or not y.paid").replace(
    "amount > 10\n", "amount > 20\n"
)


def desk(folder: Path, agent: str = AGENT, policy: str = POLICY) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "session.toml").write_text('format = 1\nname = "desk"\nauthor = "written"\n')
    (folder / "request.md").write_text("Only what was paid.\n\nNo more than the order.\n")
    (folder / "agent.toml").write_text(agent)
    (folder / "policy.py").write_text(policy)
    return folder


def named(folder: Path) -> dict[str, str]:
    """The widenings of the session in a folder, each with its reason."""
    with closing(Workbench.open_to_read(folder)) as bench:
        return {one.name: one.reason for one in bench.in_force.missing() if one.kind is OwedKind.WIDENING}


def test_a_field_that_is_made_optional_is_read_with_the_agent_of_each_version(tmp_path: Path) -> None:
    accept(desk(tmp_path / "desk"))
    found = named(desk(tmp_path / "desk", OPTIONAL, REVISED))
    assert found.keys() == {"forbid_unpaid", "records.order", "records.item"}
    assert "it is not proved that nothing more may run: it may be " in found["forbid_unpaid"]
