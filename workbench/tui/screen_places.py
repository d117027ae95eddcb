"""Places on the screen: a view, and the thing to show there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ViewName(StrEnum):
    """The five views; the capital letter of each is its key."""

    AUTHOR = "author"
    POLICY = "policy"
    RUNS = "runs"
    MEMORY = "memory"
    EVIDENCE = "evidence"

    @property
    def key(self) -> str:
        """The key that opens the view."""
        return self.value[0].upper()


class PlaceKind(StrEnum):
    """The kinds of places."""

    REQUIREMENT = "requirement"
    QUESTION = "question"
    ANSWER = "answer"
    OWED = "owed"
    RULE = "rule"
    CLAUSE = "clause"
    CASE = "case"
    CALL = "call"
    DEMONSTRATION = "demonstration"
    VERSION = "version"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Place:
    """A thing to show, and its view; without a name it is the view as it was left.

    The name is an id (of a requirement, question, clause, case, demonstration or version, or of the question
    of an answer, or of what is owed), the name of a rule, the position of a call in the logs, or the line and
    column of a problem.
    """

    view: ViewName
    kind: PlaceKind | None = None
    name: str = ""


class PlaceHistory:
    """The places where the person has been, the present one last."""

    _MOST = 100

    def __init__(self, first: ViewName = ViewName.AUTHOR) -> None:
        """Start in a view, with nothing to go back to."""
        self._been = [Place(first)]

    @property
    def here(self) -> Place:
        """The present place."""
        return self._been[-1]

    def go(self, place: Place) -> None:
        """Add a place as the present one."""
        if place != self.here:
            self._been = [*self._been[-self._MOST :], place]

    def back(self) -> Place | None:
        """Go back to the place before, and return it; None at the first place."""
        if len(self._been) == 1:
            return None
        self._been.pop()
        return self.here
