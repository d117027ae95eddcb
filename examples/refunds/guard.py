"""A support desk whose tool stands behind the policy that the workbench exported."""

from refund_policy import ActionDenied, guard


def issue_refund(payment: str, amount: float) -> str:
    """The agent's tool."""
    return f"Refunded {amount} EUR of {payment}."


desk = {"role": "support", "approved": False, "in_eu": True, "refunds_today": 1}
with guard().run("ticket-17", context=desk) as run:
    refund = run.tool(issue_refund)
    print(refund(payment="p1", amount=50))
    try:
        refund(payment="p2", amount=900)
    except ActionDenied as denied:
        print(denied)
