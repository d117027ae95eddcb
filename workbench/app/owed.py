"""What a session owes: each thing that a person said of it, and whether it is in force.

This is the one definition. The check, the open questions, the screen, the report, the evidence, the export
and the live guards read it; where anything is not in force, none of them says that all is good.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.model import Requirement
from workbench.policy.terms import PolicyTerms


class OwedKind(StrEnum):
    """The kinds of things that a session owes."""

    REQUIREMENT = "requirement"
    """A requirement has a clause that names it."""
    WIDENING = "widening"
    """What the session allows and its accepted version does not; see ``workbench.app.widened``."""


@dataclass(frozen=True, slots=True)
class Owed:
    """One thing that a session owes to the person who said it.

    ``name`` identifies it among those of its kind, ``statement`` says it in words. ``reason`` says why it is
    not in force, and ``mend`` which act mends that; both are empty where it is in force.
    """

    kind: OwedKind
    name: str
    statement: str
    reason: str = ""
    mend: str = ""

    @property
    def in_force(self) -> bool:
        """Whether the policy does what was said."""
        return not self.reason


def not_in_force(owed: Iterable[Owed]) -> tuple[Owed, ...]:
    """The things that are not in force, in their order."""
    return tuple(item for item in owed if not item.in_force)


def owed_requirements(by_hand: Sequence[Requirement], terms: PolicyTerms) -> tuple[Owed, ...]:
    """The requirements that a person writes by hand: one is in force where a clause names it."""
    named = {name for clause in terms.clauses for name in clause.requirements}
    return tuple(
        Owed(
            OwedKind.REQUIREMENT,
            requirement.id,
            requirement.text,
            "" if requirement.id in named else f"no clause names {requirement.id}, which is written by hand",
            "" if requirement.id in named else f"write a clause that names {requirement.id} in policy.py",
        )
        for requirement in by_hand
    )
