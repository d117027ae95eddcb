"""What the screen asks of a session about the agent spec."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from workbench.old_screen.agent_state import AgentView, ArgumentEffect, SpecEdit
    from workbench.old_screen.state import Contents
    from workbench.policy.terms import PolicyTerms


class AgentPort(Protocol):
    """The calls about the agent spec; they raise WorkbenchError with one clear sentence."""

    def agent(self) -> AgentView:
        """The agent spec with what its forms need."""
        ...

    def set_spec(self, edit: SpecEdit) -> Contents:
        """Write the changed agent spec and carry it into policy and cases, as one change."""
        ...

    def accept_proposal(self, name: str) -> Contents:
        """Declare what is proposed under a name, with the records that it needs."""
        ...

    def drop_proposal(self, name: str) -> Contents:
        """Do not propose it again."""
        ...

    def try_argument(
        self,
        edit: SpecEdit,
        terms: PolicyTerms | None,
        at: int | None,
        tell: Callable[[ArgumentEffect], None],
        cancelled: threading.Event,
    ) -> ArgumentEffect:
        """What storing an edited argument would change on the loaded steps.

        ``at`` is the selected step; ``tell`` is told what is known so far.
        """
        ...
