"""What the screen asks of a session about its recorded runs as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from workbench.old_screen.replay_state import Cause, Strategies
    from workbench.old_screen.state import Contents
    from workbench.policy.terms import PolicyTerms


class ReplayPort(Protocol):
    """The calls about denials by cause and about strategies; they raise WorkbenchError."""

    def causes(self, terms: PolicyTerms) -> tuple[Cause, ...]:
        """The steps that are not allowed, by cause, the largest group first."""
        ...

    def judge(self, terms: PolicyTerms, key: str, right: bool) -> Contents:
        """Store a judgement of a whole group of denials as cases."""
        ...

    def strategies(self, terms: PolicyTerms) -> Strategies:
        """What each strategy and control would have stopped on the recorded runs."""
        ...
