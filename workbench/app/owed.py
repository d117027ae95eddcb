"""What a session owes: each thing that a person said of it, and whether it is in force.

This is the one definition. The check, the open questions, the screen, the report, the evidence, the export
and the live guards read it; where anything is not in force, none of them says that all is good.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from workbench.model import Question
from workbench.serialization.json_form import json_form


class OwedKind(StrEnum):
    """The kinds of things that a session owes."""

    FILE = "file"
    """A file of the session on the disk is the one that is checked."""
    DRAFT = "draft"
    """The policy was drafted from the present request, agent spec and answers."""
    ANSWER = "answer"
    """A person chose an answer to a question."""
    WORDS = "own words"
    """A person said a sentence in other words."""
    REQUIREMENT = "requirement"
    """A requirement has a clause that names it."""
    DEMAND = "demand"
    """Some clause demands that some call of a tool is allowed."""
    CLAUSE = "clause"
    """A clause that the workbench wrote follows the rules of the policy."""
    CASE = "case"
    """A case is in the session until the workbench removes it."""
    LOG = "log"
    """A log that the accepted version was judged on is in the session, and each record of a log is read."""
    TOOLS = "tools"
    """A log that calls tools calls one of the agent's."""
    THEOREM = "theorem"
    """A theorem of the accepted version is one of the policy."""
    CHANGE = "change"
    """A change of the session's files was written as a whole."""
    GRANT = "grant"
    """What a person granted to the agent is in force; see ``workbench.app.live_grants``."""
    BASELINE = "baseline"
    """What the session allows and one that it extends does not; see ``workbench.app.enforced``."""
    WIDENING = "widening"
    """What the session allows and its accepted version does not; see ``workbench.app.widened``."""
    NARROWING = "narrowing"
    """What the session denies and its accepted version, by which guards decide, does not."""


@dataclass(frozen=True, slots=True)
class Owed:
    """One thing that a session owes to the person who said it.

    ``name`` identifies it among those of its kind, ``statement`` says it in words. ``reason`` says why it is
    not in force, and ``mend`` which act mends that; both are empty where it is in force. ``question`` is the
    question that asks about it, if one does.
    """

    kind: OwedKind
    name: str
    statement: str
    reason: str = ""
    mend: str = ""
    question: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether it is an answer to a question."""
        return self.kind in (OwedKind.ANSWER, OwedKind.WORDS)

    @property
    def in_force(self) -> bool:
        """Whether the policy does what was said."""
        return not self.reason


json_form(Owed, "kind", "name", "statement", "in_force", "reason", "mend")


def not_in_force(owed: Iterable[Owed]) -> tuple[Owed, ...]:
    """The things that are not in force, in their order."""
    return tuple(item for item in owed if not item.in_force)


def not_asked(owed: Iterable[Owed], asked: Iterable[Question]) -> tuple[Owed, ...]:
    """The things that no question among these asks about."""
    ids = {question.id for question in asked}
    return tuple(item for item in owed if item.question not in ids)
