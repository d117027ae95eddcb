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
    SPEC = "spec"


@dataclass(frozen=True, slots=True)
class Place:
    """A thing to show, and its view; without a name it is the view as it was left.

    The name is an id (of a requirement, question, clause, case, demonstration or version, or of the question
    of an answer, or of what is owed), the name of a rule, the position of a call in the logs, the line and
    column of a problem, or words about a part of agent.toml.
    """

    view: ViewName
    kind: PlaceKind | None = None
    name: str = ""
