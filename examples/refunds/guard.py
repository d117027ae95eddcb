"""A support desk whose tool stands behind the policy that the workbench exported."""

from collections.abc import Sequence
from decimal import Decimal

from workbench.guard import ActionDenied, Guard, PastCall, ToolCall
from workbench.model import Value


def issue_refund(payment: str, amount: float) -> str:
    """The agent's tool."""
    return f"Refunded {amount} EUR of {payment}."


def arguments_of(call: ToolCall, _past: Sequence[PastCall]) -> dict[str, Value]:
    """What the policy decides on: the call, and what the desk knows of the person behind it."""
    amount = (call.arguments or {}).get("amount")
    return {
        "tool": call.tool,
        "amount": None if amount is None else Decimal(str(amount)),
        "role": str(call.context["role"]),
        "approved": call.context["approved"] is True,
        "in_eu": call.context["in_eu"] is True,
        "refunds_today": 1,
    }


guard = Guard.from_file("refund_policy.py", arguments_of)
desk = {"role": "support", "approved": False, "in_eu": True}
with guard.run("ticket-17", context=desk) as run:
    refund = run.tool(issue_refund)
    print(refund(payment="p1", amount=50))
    try:
        refund(payment="p2", amount=900)
    except ActionDenied as denied:
        print(denied)
