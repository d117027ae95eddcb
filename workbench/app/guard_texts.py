"""What GuardAgent reads of a session, or of the version of it that guards enforce."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from workbench.guardagent.toolbox import Toolbox
    from workbench.model import AgentSpec, Demonstration
    from workbench.session import SessionInfo


class GuardTexts(Protocol):
    """What GuardAgent reads of a session, or of its accepted version."""

    @property
    def info(self) -> SessionInfo:
        """The name of the session, and its guards."""
        ...

    @property
    def request(self) -> str:
        """The guard request."""
        ...

    @property
    def spec(self) -> AgentSpec:
        """The agent spec."""
        ...

    @property
    def demonstrations(self) -> tuple[Demonstration, ...]:
        """The memory elements."""
        ...

    @property
    def own_functions(self) -> tuple[tuple[str, str], ...]:
        """The name and text of each file of functions for guardrail code."""
        ...


def toolbox_of(texts: GuardTexts) -> Toolbox:
    """The functions that guardrail code may call: those of the paper, and the session's own.

    Raises WorkbenchError for a file of functions that is not there or outside the subset.
    """
    from workbench.guardagent.toolbox import Toolbox

    toolbox = Toolbox.standard()
    for name, text in texts.own_functions:
        toolbox = toolbox.with_written(text, name)
    return toolbox
