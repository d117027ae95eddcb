"""The rules of a policy, each read aloud."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.app.policy import Policy


@dataclass(frozen=True, slots=True)
class RuleAloud:
    """A rule of the policy, the sentence that says what it does, and the message for a denied agent."""

    name: str
    sentence: str
    message: str
    requirements: tuple[str, ...]


class Rules:
    """Reads the rules of a policy aloud."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def aloud(self, source: str | None = None) -> tuple[RuleAloud, ...]:
        """Every rule of the policy with its sentence."""
        from workbench.policy.read_aloud import rule_sentence

        terms = self._policy.terms(source)
        return tuple(
            RuleAloud(rule.name, rule_sentence(rule, terms), rule.message, rule.requirements)
            for rule in terms.rules
        )
