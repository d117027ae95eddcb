"""The kind of a rule, which its name says, and the decision that names the rules by kind."""

from __future__ import annotations

from collections.abc import Iterable

FORBID, ASK, PERMIT = "forbid_", "ask_", "permit_"
NEGATED = (FORBID, ASK)
"""How the rules are named that the decision negates: where one fires, no call runs without a person."""
RULES = (*NEGATED, PERMIT)
NOTHING = "False"
"""What a decision ends in that permits nothing."""


def decision_text(calls: Iterable[str]) -> str:
    """The expression that decides by these calls of rules, each as ``forbid_a(x)``; empty without any.

    ``NOTHING`` among them closes the default of a policy without a rule that permits.
    """
    all_calls = list(calls)
    negated = [call for call in all_calls if call.startswith(NEGATED)]
    permits = [call for call in all_calls if call != NOTHING and not call.startswith(NEGATED)]
    parts = [f"not ({' or '.join(negated)})"] if negated else []
    parts += [f"({' or '.join(permits)})"] if permits else [NOTHING] if NOTHING in all_calls else []
    return " and ".join(parts)


DEFAULT = "DEFAULT"
"""The constant of a policy of calls that says what is decided about a call of which no rule speaks."""
