"""What all calls of a ``Port`` to a real session stand on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.app.results import Logs, SessionChange
    from workbench.app.workbench import Workbench
    from workbench.old_screen.state import Contents
    from workbench.policy.terms import PolicyTerms


class LiveCalls(ABC):
    """How the session is read, checked and shown after a change; each kind of call adds its own class."""

    @property
    @abstractmethod
    def _bench(self) -> Workbench:
        """The session's workbench."""

    @abstractmethod
    def _loaded(self) -> Logs:
        """The session's logs, read once."""

    @abstractmethod
    def contents(self) -> Contents:
        """The session as stored."""

    @abstractmethod
    def check(self, policy: str) -> PolicyTerms:
        """The terms of a policy."""

    @abstractmethod
    def _changed(self, changed: SessionChange) -> Contents:
        """The session after a change, with what could not be merged."""
