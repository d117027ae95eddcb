"""The cases of a policy of calls after some of its rules are said otherwise."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import eq
from typing import TYPE_CHECKING

from workbench.model import Case, Requirement
from workbench.policy.rule_names import RULES

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
    """Make the cases of some requirements and rules anew, and of rules with a case that holds no more.

    Of ``rules`` that the policy has no more the cases go. The cases of a person stay as they are.
    """
    from workbench.check.cases_generate import generate_cases
    from workbench.engines.compiled.compile import as_expected

    terms = policy.terms()
    known, of = {one.id for one in requirements}, set(changed)
    expected, makers = as_expected(terms), _Makers(terms, rules)
    stale = [case for case in session.cases if case.origin == "generated" and not expected(case)]
    anew = {*rules, *(name for case in stale for name in makers.of(case))}
    only = {rule.name for rule in terms.rules if rule.name in anew or of & set(rule.requirements)}
    new = generate_cases(terms, only=only)
    ids = {case.id for case in (*new, *stale)}
    kept = [
        case
        for case in session.cases
        if case.origin != "generated"
        or (
            case.id not in ids
            and not of & set(case.requirements)
            and known >= set(case.requirements)
            and not ((made := makers.of(case)) and made <= anew)
        )
    ]
    session.set_cases((*new, *kept))


class _Makers:
    """Which rules may have made a generated case."""

    def __init__(self, terms: PolicyTerms, rules: Collection[str]) -> None:
        """Take the rules of a policy, and the names of others that it had before."""
        self._terms = terms
        present = {rule.name for rule in terms.rules}
        self._gone = {name for name in rules if name.startswith(RULES) and name not in present}

    def of(self, case: Case) -> set[str]:
        """The rules with which its id begins; those of its requirements if there is none."""
        words, ids = case.id.split("-"), set(case.requirements)
        citing = {rule.name for rule in self._terms.rules if ids & set(rule.requirements)}
        named = citing | self._gone if ids else set[str]()
        return {name for name in named if all(map(eq, name.split("_")[1:], words))} or citing


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
