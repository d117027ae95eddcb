"""The protocol of authors: a draft as a function of request, agent spec and choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from workbench.model import AgentSpec, Draft

CASE = "case"
"""The kind of question whose answer is the expected decision of a case. It changes no policy."""


class Author(Protocol):
    """Anything that turns a guard request into a draft (VeriGuard, section 3.1)."""

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:
        """Draft policy and contract of ``request`` for the agent ``spec``.

        ``choices`` maps question ids to option values; a question without a choice takes its default.
        ``Draft.questions`` are the questions that the author asks under these choices, and include questions
        already chosen. The same input gives the same draft.
        """
        ...


@runtime_checkable
class Renews(Protocol):
    """An author that keeps its draft; ``renew`` makes it draft anew, with the answers given since."""

    def renew(self) -> None:
        """Make the next draft anew."""
        ...

    def untold(self, draft: Draft, choices: Mapping[str, str]) -> frozenset[str]:
        """The questions of a draft whose answers differ from what the author drafted it with."""
        ...

    def assumed(self) -> Mapping[str, str]:
        """What the kept draft goes by where nobody answers: the value by the question, if any is safe."""
        ...
