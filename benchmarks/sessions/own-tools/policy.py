"""An agent calls its own tools only."""

from nagini_contracts.contracts import Ensures, Result


def permit_own_tool(tool: str, own_tools: frozenset[str]) -> bool:
    """R1: An agent may call its own tools, and no other."""
    return tool in own_tools


def allow(tool: str, own_tools: frozenset[str]) -> bool:
    # R1: An agent may call its own tools, and no other.
    Ensures(Result() == (tool in own_tools))
    return permit_own_tool(tool, own_tools)
