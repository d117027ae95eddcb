"""Several policies for one agent: rules that forbid what another policy wants, or the same as another.

Together they allow what all of them allow, so no policy allows a call that another denies. But a policy may
forbid what another one promises or permits (a conflict), and a rule may deny what another policy denies
anyway (an overlap). The solver finds both, each with an input that is confirmed by running the policies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import permutations

from workbench.engines.smt.formula import Formula
from workbench.engines.smt.policy_pair import PolicyPair
from workbench.engines.smt.solver import SolverAnswer
from workbench.model import Arguments
from workbench.policy.connectives import conjunction, negate
from workbench.policy.decisive_part import what_fires
from workbench.policy.evaluate import evaluate
from workbench.policy.terms import Clause, PolicyTerms, Rule, Term
from workbench.serialization.json_form import json_form


class PolicyRelation(StrEnum):
    """The relation of one policy to another.

    ``conflict``: a clause wants allowed, or a rule permits, what the other policy denies. ``overlap``: a rule
    denies some of what the other policy denies. ``covered``: the other policy denies everything that the rule
    denies, so the rule is not needed with it. ``unknown``: the solver could not decide whether one of these
    exists.
    """

    CONFLICT = "conflict"
    OVERLAP = "overlap"
    COVERED = "covered"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PolicyOverlap:
    """Two policies on the same inputs: a clause or rule of one, and the rules of the other that deny there.

    ``witness`` is an input of it, ``decisive_arguments`` the part on which the decisions rest; both are empty
    where it is unknown, and ``why`` says why.
    """

    relation: PolicyRelation
    policy: str
    part: str
    says: str
    other: str
    rules: tuple[str, ...] = ()
    witness: Arguments | None = None
    decisive_arguments: Arguments | None = None
    why: str = ""


json_form(PolicyOverlap)


def policy_overlaps(policies: Mapping[str, PolicyTerms]) -> tuple[PolicyOverlap, ...]:
    """Every conflict, then every overlap, of each policy with each other one, in the order of the policies.

    Raises ``SignatureMismatch`` if two policies take an argument of one name without a common value.
    """
    overlaps: list[PolicyOverlap] = []
    for name, other_name in permutations(policies, 2):
        pair = _Pair(name, policies[name], other_name, policies[other_name])
        overlaps += pair.conflicts()
        overlaps += pair.overlaps()
    order = list(PolicyRelation)
    return tuple(sorted(overlaps, key=lambda overlap: order.index(overlap.relation)))


class _Pair:
    """Two policies, and the conflicts and overlaps of the first with the second."""

    def __init__(self, name: str, terms: PolicyTerms, other_name: str, other_terms: PolicyTerms) -> None:
        self._name, self._other = name, other_name
        self._pair = PolicyPair(terms, other_terms)
        self._denied = negate(self._pair.new.allowed())

    def conflicts(self) -> Iterator[PolicyOverlap]:
        """Clauses that want allowed, and rules that permit, what the other policy denies."""
        formula, pair = self._pair.old, self._pair
        for clause in formula.terms.clauses:
            _, denied = formula.grounder.branches(clause.term)

            def breaks(arguments: Arguments, clause: Clause = clause) -> bool:
                own = pair.own(formula, arguments)
                return evaluate(formula.terms, clause.term, own, False) is False

            query = conjunction((formula.allowed(), negate(denied), self._denied))
            meets = partial(self._meets, breaks, allowed=True)
            yield from self._meetings_of(PolicyRelation.CONFLICT, clause.id, clause.source, query, meets)
        for rule in formula.terms.rules:
            if not rule.forbids:
                query = conjunction((formula.allowed(), formula.rules[rule.name], self._denied))
                meets = partial(self._meets, partial(_fires, formula, pair, rule), allowed=True)
                yield from self._meetings_of(PolicyRelation.CONFLICT, rule.name, rule.message, query, meets)

    def overlaps(self) -> Iterator[PolicyOverlap]:
        """Rules that deny what the other policy denies: some of it, or nothing else."""
        formula, pair = self._pair.old, self._pair
        for rule in formula.terms.rules:
            if not rule.forbids:
                continue
            body = formula.rules[rule.name]
            meets = partial(self._meets, partial(_fires, formula, pair, rule), allowed=False)
            shared = conjunction((body, self._denied))
            for one in self._meetings_of(PolicyRelation.OVERLAP, rule.name, rule.message, shared, meets):
                is_covered = one.relation is PolicyRelation.OVERLAP and self._covered(rule, body)
                yield replace(one, relation=PolicyRelation.COVERED) if is_covered else one

    def _covered(self, rule: Rule, body: Term) -> bool:
        """Whether it is proved that a rule denies nothing that the other policy allows."""
        pair = self._pair

        def alone(arguments: Arguments) -> bool:
            is_input = pair.evaluable(arguments)
            return is_input and _fires(pair.old, pair, rule, arguments) and pair.allows(pair.new, arguments)

        query = conjunction((pair.precondition, body, pair.new.allowed()))
        return pair.solve(query, alone).status is SolverAnswer.UNSAT

    def _meets(self, holds: Callable[[Arguments], bool], arguments: Arguments, *, allowed: bool) -> bool:
        """Whether running both policies shows it: the other one denies, and this one decides so."""
        pair = self._pair
        return (
            pair.evaluable(arguments)
            and not pair.allows(pair.new, arguments)
            and pair.allows(pair.old, arguments) is allowed
            and holds(arguments)
        )

    def _meetings_of(
        self,
        relation: PolicyRelation,
        part: str,
        says: str,
        query: Term,
        confirm: Callable[[Arguments], bool],
    ) -> Iterator[PolicyOverlap]:
        """The overlap with its input, or as unknown; nothing if it is proved that there is none."""
        pair = self._pair
        solved = pair.solve(conjunction((pair.precondition, query)), confirm)
        if solved.arguments is not None:
            rules = tuple(
                rule.name
                for rule in pair.new.terms.rules
                if rule.forbids and _fires(pair.new, pair, rule, solved.arguments)
            )  # none if it is denied because no rule permits it
            matters = what_fires((pair.old.terms, pair.new.terms), solved.arguments)
            yield PolicyOverlap(
                relation, self._name, part, says, self._other, rules, solved.arguments, matters
            )
        elif solved.status is SolverAnswer.UNKNOWN:
            yield PolicyOverlap(PolicyRelation.UNKNOWN, self._name, part, says, self._other, why=solved.why)


def _fires(formula: Formula, pair: PolicyPair, rule: Rule, arguments: Arguments) -> bool:
    return evaluate(formula.terms, rule.body, pair.own(formula, arguments)) is True
