"""The effect of what is said on a policy: what it decides otherwise, and the clauses that it would refute."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.app.contradictions import Contradiction
    from workbench.app.policy import Policy
    from workbench.app.results import Logs, PolicyChange
    from workbench.model import Problem

_FEW_RULES = 60
"""The rules of a policy of which every kind of difference is shown; of a longer one the first is enough."""
_COMPARED = 3
"""The most sentences at once of which all inputs are compared; more are compared on the logs only."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a policy decides otherwise than before, and the clauses that it refutes and did not refute."""

    change: PolicyChange
    contradictions: tuple[Contradiction, ...]


def effect_of(
    policy: Policy, before: str, after: str, logs: Logs | None, sentences: int
) -> Effect | tuple[Problem, ...]:
    """The effect of some sentences on the policy, or the problems that keep it from the dialect.

    Only what is about the tools of the sentences is compared: the calls of all others are decided alike.
    """
    from workbench.dialect.differing_part import differing_parts

    old, new = differing_parts(before, after)
    terms, problems = policy.checked(new)
    if terms is None:
        return problems
    few = len(terms.rules) <= _FEW_RULES
    most = 0 if sentences > _COMPARED else None if few else 1
    return Effect(policy.diff_of_rules(old, new, logs, most=most), refuted_by(policy, before, after))


def problems_of(policy: Policy, before: str, after: str) -> tuple[Problem, ...]:
    """The problems that keep a changed policy from the dialect."""
    from workbench.dialect.differing_part import differing_parts

    return policy.checked(differing_parts(before, after)[1])[1]


def refuted_by(policy: Policy, before: str, after: str) -> tuple[Contradiction, ...]:
    """The clauses that are refuted after a change of the policy's text and were not before it.

    Raises WorkbenchError if the changed text is not in the dialect.
    """
    from workbench.app.contradictions import newly_refuted
    from workbench.dialect.differing_part import differing_parts

    old, new = differing_parts(before, after)
    terms = policy.terms(after)  # whose clauses have the numbers of the whole
    if not newly_refuted(policy.checked(old)[0], policy.terms(new)):
        return ()
    lines, parts = new.split("\n"), terms.file.parts
    clauses = tuple(one for one in terms.clauses if lines[parts[one.id].line - 1].strip())
    return newly_refuted(policy.checked(before)[0], replace(terms, clauses=clauses))
