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
    from workbench.engines.compiled.compile import as_expected

    terms = policy.terms()
    known = {one.id for one in requirements}
    generated = [case for case in session.cases if case.origin == "generated"]
    expected = as_expected(terms)
    stale = {case.id for case in generated if not expected(case)}
    changed = {*changed, *(name for case in generated if case.id in stale for name in case.requirements)}
    only = {rule.name for rule in terms.rules if rule.name in rules or changed & set(rule.requirements)}
    new = generate_cases(terms, only=only)
    ids = {case.id for case in new}
    kept = [
        case
        for case in session.cases
        if case.origin != "generated"
        or (
            case.id not in ids | stale
            and not changed & set(case.requirements)
            and known >= set(case.requirements)
        )
    ]
    session.set_cases((*new, *kept))


def without_cases_of(session: Session, terms: PolicyTerms, rules: Collection[str]) -> None:
    """Take the generated cases of some rules of a policy away."""
    from workbench.check.cases_generate import generate_cases

    made = generate_cases(terms, only={rule.name for rule in terms.rules if rule.name in rules})
    # A case about another tool has a call that was allowed when it was made: it is known by its name.
    names = {(one.id, one.requirements) for one in made}
    kept = [
        case
        for case in session.cases
        if case.origin != "generated"
        or (
            (case.id, case.requirements) not in names
            and all((case.arguments, case.reason) != (one.arguments, one.reason) for one in made)
        )
    ]
    session.set_cases(kept)
