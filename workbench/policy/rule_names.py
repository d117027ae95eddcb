"""The kind of a rule, which its name says."""

from __future__ import annotations

FORBID, ASK, PERMIT = "forbid_", "ask_", "permit_"
NEGATED = (FORBID, ASK)
"""How the rules are named that the decision negates: where one fires, no call runs without a person."""
RULES = (*NEGATED, PERMIT)
DEFAULT = "DEFAULT"
"""The constant of a policy of calls that says what is decided about a call of which no rule speaks."""
