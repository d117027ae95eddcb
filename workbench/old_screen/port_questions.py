"""What the screen asks of a session about its questions and its request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from workbench.model import Assumption, Question
from workbench.old_screen.state import Contents, Turned


class QuestionPort(Protocol):
    """The calls about questions; they raise WorkbenchError with one clear sentence."""

    def turned(self, question: Question) -> Mapping[str, Turned]:
        """How many recorded steps each answer of a question would decide otherwise."""
        ...

    def reject(self, question: Question) -> Contents:
        """Say that no reading of a question is meant; its sentence is to be said in other words."""
        ...

    def put_assumption(self, made: Assumption) -> Contents:
        """Store an assumption in place of the one that answers the same question."""
        ...

    def paths(self, question: Question) -> str:
        """How each reading decides the question's example, rule by rule."""
        ...

    def refined(self) -> str:
        """The request as understood, sentence by sentence beside the original."""
        ...
