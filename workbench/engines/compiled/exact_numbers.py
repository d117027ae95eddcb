"""Whether a policy computes with decimals."""

from __future__ import annotations

from decimal import Decimal

from workbench.model import Kind
from workbench.policy.terms import Arithmetic, Constant, PolicyTerms, Sum
from workbench.policy.types import holds
from workbench.policy.walk import subterms


def needs_exact(policy: PolicyTerms) -> bool:
    """Whether the policy computes with decimals, which must never be rounded."""
    bodies = [
        *(rule.body for rule in policy.rules),
        *(helper.body for helper in policy.helpers.values()),
        *(clause.term for clause in (*policy.preconditions, *policy.clauses)),
    ]
    parts = [part for body in bodies for part in subterms(body)]
    if not any(isinstance(part, Arithmetic | Sum) for part in parts):
        return False
    parameters = [
        *policy.arguments,
        *(parameter for helper in policy.helpers.values() for parameter in helper.parameters),
    ]
    constants = [
        *(part.value for part in parts if isinstance(part, Constant)),
        *(value for table in policy.tables.values() for value in table.entries.values()),
    ]
    decimal_type = any(holds(parameter.type, Kind.DECIMAL) for parameter in parameters)
    return decimal_type or any(isinstance(value, Decimal) for value in constants)
