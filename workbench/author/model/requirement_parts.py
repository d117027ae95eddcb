"""The generators' results for one requirement, as plain data: conditions are terms of the dialect.

``reply`` of a part is the JSON from which it was made. It is shown to the model with a critique.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.model import Case, Requirement
from workbench.policy.terms import Term


@dataclass(frozen=True, slots=True)
class Target:
    """One requirement under the assumptions made about it: the input of a generator.

    ``passage`` is its part of the request, or a person's words that replace it. ``choice`` names the option
    that this target assumes while a question about the requirement is open; else it is empty.
    """

    requirement: Requirement
    passage: str
    assumptions: tuple[str, ...] = ()
    choice: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The key of the target within a draft."""
        return self.requirement.id, self.choice


@dataclass(frozen=True, slots=True)
class RulePart:
    """A rule; ``name`` lacks the prefix that depends on the rule's effect.

    ``words`` are the condition in words; ``values`` are the texts with which arguments are compared.
    """

    name: str
    forbids: bool
    when: Term
    message: str
    words: str = ""
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ClausePart:
    """A clause: if ``when`` holds, the policy must allow the call, or deny it if ``allow`` is false.

    ``values`` are the texts with which arguments are compared.
    """

    when: Term
    allow: bool
    comment: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RulesPart:
    """The rules of a requirement; ``wrong`` says why there are none in the dialect."""

    rules: tuple[RulePart, ...] = ()
    wrong: tuple[str, ...] = ()
    reply: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ClausesPart:
    """The clauses of a requirement; ``wrong`` says why there are none in the dialect."""

    clauses: tuple[ClausePart, ...] = ()
    wrong: tuple[str, ...] = ()
    reply: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class CasesPart:
    """The test cases of a requirement; ``wrong`` lists the rejected ones."""

    cases: tuple[Case, ...] = ()
    wrong: tuple[str, ...] = ()
    reply: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Unit:
    """Everything that was made of one target."""

    target: Target
    rules: RulesPart
    clauses: ClausesPart
    cases: CasesPart
