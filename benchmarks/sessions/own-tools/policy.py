"""An agent calls its own tools only."""

from nagini_contracts.contracts import Ensures, Result

from agent import Call, Run

DEFAULT = "deny"


def permit_own_tool(call: Call, run: Run) -> bool:
    """R1: An agent may call its own tools, and no other."""
    return call.tool in run.context.allowed_tools


def contract_own_tools(call: Call, run: Run) -> None:
    # R1: An agent may call its own tools, and no other.
    Ensures(Result() == (call.tool in run.context.allowed_tools))
