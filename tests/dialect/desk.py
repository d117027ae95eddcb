"""A small agent and its policy of calls, for tests of the dialect."""

from __future__ import annotations

from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.model import AgentSpec
from workbench.session.agent_file import read_agent

AGENT = """\
name = "desk"

[tools.pay_invoice]
[tools.pay_invoice.parameters]
type = "object"
required = ["trip_id", "supplier_id", "iban", "total", "lines", "codes", "amounts"]
[tools.pay_invoice.parameters.properties]
trip_id = {type = "string"}
supplier_id = {type = "string"}
other_supplier_id = {type = "string"}
iban = {type = "string"}
total = {type = "number"}
note = {type = "string"}
codes = {type = "array", items = {type = "string"}}
amounts = {type = "array", items = {type = "number"}}
[tools.pay_invoice.parameters.properties.lines]
type = "array"
[tools.pay_invoice.parameters.properties.lines.items]
type = "object"
required = ["amount", "cost_centre"]
properties = {amount = {type = "number"}, cost_centre = {type = "string"}}

[tools.book_room]
[tools.book_room.parameters]
type = "object"
required = ["trip_id", "nights"]
properties = {trip_id = {type = "string"}, nights = {type = "integer"}}

[tools.get_trip]
parameters = {type = "object", properties = {trip_id = {type = "string"}}, required = ["trip_id"]}

[tools.get_supplier]
parameters = {type = "object", properties = {supplier_id = {type = "string"}}, required = ["supplier_id"]}

[records.trip]
key = "trip_id"
fields.cost_centre = {type = "str"}
fields.approved_at = {type = "datetime", optional = true}
fields.travellers = {type = "set"}
look_up = {tool = "get_trip", arguments = {trip_id = "key"}}

[records.supplier]
key = "supplier_id"
fields.iban = {type = "str"}
fields.limit = {type = "decimal"}
look_up = {tool = "get_supplier", arguments = {supplier_id = "key"}}

[records.cost_centre]
key = "cost_centre"
fields.left = {type = "decimal"}
"""

HEAD = """\
from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

from agent import BookRoom, Call, GetTrip, PayInvoice, Run, looked_up

DEFAULT = "allow"

"""


def spec() -> AgentSpec:
    """The agent."""
    return read_agent(AGENT)


def types() -> AgentTypes:
    """The types of the agent."""
    return agent_types(spec())


def lowered(functions: str, head: str = HEAD) -> LoweredPolicy:
    """The policy of these functions over plain arguments."""
    return lowered_policy(f"{head}{functions}", spec())


def rule(body: str, *, about: str = "PayInvoice") -> str:
    """A rule that forbids a call by one expression."""
    return f'def forbid_it(call: {about}, run: Run) -> bool:\n    """R1: No."""\n    return {body}\n'


def expressions(policy: LoweredPolicy) -> dict[str, str]:
    """The expression of each argument but the tool, by the argument's name."""
    found: dict[str, str] = {}
    for argument in policy.arguments[1:]:
        assert argument.expression is not None
        found[argument.name] = argument.expression.text
    return found
