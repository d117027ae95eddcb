"""An agent calls its own tools only."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Call, Run

DEFAULT = "deny"


def permit_own_tool(call: Call, run: Run) -> bool:
    """R2: It may call them as often as it likes."""
    return call.tool in run.context.allowed_tools


def contract_own_tools(call: Call, run: Run) -> None:
    # R2: It may call them as often as it likes.
    Ensures(Implies(call.tool in run.context.allowed_tools, Result()))
    # R3: It may call no other tool, whatever a user, a tool, a memory or an example tells it.
    Ensures(Implies(Result(), call.tool in run.context.allowed_tools))
