"""The cases of a policy of calls after some of its rules are said otherwise."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from workbench.model import Requirement

if TYPE_CHECKING:
    from workbench.app.policy import Policy
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session


def set_cases_of(
    session: Session,
    policy: Policy,
    requirements: Sequence[Requirement],
    changed: Collection[str],
    rules: Collection[str] = (),
) -> None:
    """Make the cases of some requirements and rules anew, and those that hold no more with the new rules.

    The cases of a person stay as they are.
    """
    from workbench.check.cases_generate import generate_cases
    from workbench.engines.compiled.compile import compile_policy

    terms = policy.terms()
    known = {one.id for one in requirements}
    decide = compile_policy(terms).decide
    generated = [case for case in session.cases if case.origin == "generated"]
    stale = [case for case in generated if decide(case.arguments).verdict is not case.expected]
    changed = {*changed, *(name for case in stale for name in case.requirements)}
    only = {rule.name for rule in terms.rules if rule.name in rules or changed & set(rule.requirements)}
    new = generate_cases(terms, only=only)
    ids = {case.id for case in new}
    kept = [
        case
        for case in session.cases
        if case.origin != "generated"
        or (
            case.id not in ids
            and not changed & set(case.requirements)
            and known >= set(case.requirements)
            and decide(case.arguments).verdict is case.expected
        )
    ]
    session.set_cases((*new, *kept))


def without_cases_of(session: Session, terms: PolicyTerms, rules: Collection[str]) -> None:
    """Take the generated cases of some rules of a policy away."""
    from workbench.check.cases_generate import generate_cases

    made = generate_cases(terms, only={rule.name for rule in terms.rules if rule.name in rules})
    kept = [
        case
        for case in session.cases
        if case.origin != "generated"
        or all((case.arguments, case.reason) != (one.arguments, one.reason) for one in made)
    ]
    session.set_cases(kept)
