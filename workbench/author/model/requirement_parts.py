"""The generators' results for one requirement, as plain data: conditions are terms of the dialect.

``reply`` of a part is the JSON that it was made from, to be shown to the model with a critique.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.model import Case, Requirement
from workbench.policy.terms import Term


@dataclass(frozen=True, slots=True)
class Target:
    """One requirement under the assumptions that were made about it: what a generator is asked for.

    ``passage`` is the part of the request that it comes from, or what a person said in its place;
    ``choice`` names the option whose reading this is where a question about the requirement is open,
    else it is empty.
    """

    requirement: Requirement
    passage: str
    assumptions: tuple[str, ...] = ()
    choice: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the target within a draft."""
        return self.requirement.id, self.choice


@dataclass(frozen=True, slots=True)
class RulePart:
    """A rule: ``name`` is without the prefix that its effect gives it.

    ``words`` say the condition; ``values`` are the texts that arguments are compared with.
    """

    name: str
    forbids: bool
    when: Term
    message: str
    words: str = ""
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ClausePart:
    """A clause: where ``when`` holds the decision is this.

    ``values`` are the texts that arguments are compared with.
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
    """The test cases of a requirement; ``wrong`` says what was refused of them."""

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
