"""Runs that realise an input have calls that fit the schemas of their tools."""

from __future__ import annotations

import pytest

from tests.check.realise.test_wrong_versions import proof_of
from workbench.model import AgentSpec, FieldNote, Json, ProofStatus, Tool

_MONEY: Json = {"type": "string", "pattern": r"^\d+\.\d{2}$"}
_REFUND: dict[str, Json] = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string", "pattern": r"^C\d{6}$"},
        "total": _MONEY,
        "count": {"type": "integer", "minimum": 3},
        "items": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "properties": {"amount": _MONEY}, "required": ["amount"]},
        },
    },
    "required": ["order_id", "total", "count", "items"],
}
_DECIMAL = FieldNote(type="decimal")
SPEC = AgentSpec(
    "x", tools=(Tool("refund", parameters=_REFUND, fields={"total": _DECIMAL, "items[].amount": _DECIMAL}),)
)
POLICY = '''"""Refunds."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Refund, Run

DEFAULT = "allow"


def contract_refund(call: Refund, run: Run) -> None:
    # R1: Not so.
    Ensures(Implies({}, not Result()))
'''


@pytest.mark.parametrize(
    "condition",
    [
        'call.total > Decimal("150")',
        "sum(x.amount for x in call.items) + sum(c.total for c in run.earlier(Refund) if c.succeeded) > 150",
        "call.count > 5",
        "any(c.order_id == call.order_id for c in run.earlier(Refund))",
    ],
)
def test_a_refutation_has_a_run_whose_values_fit(condition: str) -> None:
    _, proof = proof_of(POLICY.format(condition), SPEC)
    assert proof.clauses[0].status is ProofStatus.REFUTED
    counterexample = proof.clauses[0].counterexample
    assert counterexample is not None
    assert counterexample.realised is not None
