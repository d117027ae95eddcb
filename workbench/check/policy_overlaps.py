"""Several policies for one agent: rules that forbid what another policy wants, or the same as another.

Together they allow what all of them allow, so no policy allows a call that another denies. But a policy may
forbid what another one promises or permits (a conflict), and a rule may deny what another policy denies
anyway (an overlap). The solver finds both, each with an input that is confirmed by running the policies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
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

    def conflicts(self) -> Iterator[PolicyOverlap]:
        """Clauses that want allowed, and rules that permit, what the other policy denies."""
        formula, other_formula = self._pair.old, self._pair.new
        for clause in formula.terms.clauses:
            _, denied = formula.grounder.branches(clause.term)
            query = conjunction((formula.allowed(), negate(denied), negate(other_formula.allowed())))
            yield from self._meetings_of(
                PolicyRelation.CONFLICT, clause.id, clause.source, query, _Breaks(self._pair, clause)
            )
        for rule in formula.terms.rules:
            if not rule.forbids:
                query = conjunction(
                    (formula.allowed(), formula.rules[rule.name], negate(other_formula.allowed()))
                )
                fires = _Fires(self._pair, rule, allowed=True)
                yield from self._meetings_of(PolicyRelation.CONFLICT, rule.name, rule.message, query, fires)

    def overlaps(self) -> Iterator[PolicyOverlap]:
        """Rules that deny what the other policy denies: some of it, or nothing else."""
        formula, other_formula = self._pair.old, self._pair.new
        for rule in formula.terms.rules:
            if not rule.forbids:
                continue
            body = formula.rules[rule.name]
            shared = conjunction((body, negate(other_formula.allowed())))
            meetings = list(
                self._meetings_of(
                    PolicyRelation.OVERLAP,
                    rule.name,
                    rule.message,
                    shared,
                    _Fires(self._pair, rule, allowed=False),
                )
            )
            if meetings and meetings[0].relation is PolicyRelation.OVERLAP and self._covered(rule, body):
                meetings = [_covered(meetings[0])]
            yield from meetings

    def _covered(self, rule: Rule, body: Term) -> bool:
        """Whether it is proved that a rule denies nothing that the other policy allows."""
        other_formula = self._pair.new
        query = conjunction((self._pair.precondition, body, other_formula.allowed()))

        def alone(arguments: Arguments) -> bool:
            return (
                self._pair.evaluable(arguments)
                and _fires(self._pair.old, self._pair, rule, arguments)
                and self._pair.allows(other_formula, arguments)
            )

        return self._pair.solve(query, alone).status is SolverAnswer.UNSAT

    def _meetings_of(
        self, relation: PolicyRelation, part: str, says: str, query: Term, confirm: _Breaks | _Fires
    ) -> Iterator[PolicyOverlap]:
        """The overlap with its input, or as unknown; nothing if it is proved that there is none."""
        pair = self._pair
        solved = pair.solve(conjunction((pair.precondition, query)), confirm.holds)
        if solved.arguments is not None:
            rules = _fired(pair.new, pair, solved.arguments)
            matters = what_fires((pair.old.terms, pair.new.terms), solved.arguments)
            yield PolicyOverlap(
                relation, self._name, part, says, self._other, rules, solved.arguments, matters
            )
        elif solved.status is SolverAnswer.UNKNOWN:
            yield PolicyOverlap(PolicyRelation.UNKNOWN, self._name, part, says, self._other, why=solved.why)


@dataclass(frozen=True, slots=True)
class _Breaks:
    """The test whether a clause holds for its own policy and breaks where the other policy denies."""

    pair: PolicyPair
    clause: Clause

    def holds(self, arguments: Arguments) -> bool:
        """Whether running both policies shows it."""
        pair = self.pair
        if not pair.evaluable(arguments) or pair.allows(pair.new, arguments):
            return False
        own_arguments = pair.own(pair.old, arguments)
        denied = evaluate(pair.old.terms, self.clause.term, own_arguments, False)
        return pair.allows(pair.old, arguments) and denied is False


@dataclass(frozen=True, slots=True)
class _Fires:
    """The test whether a rule fires where the other policy denies, and its own one decides ``allowed``."""

    pair: PolicyPair
    rule: Rule
    allowed: bool

    def holds(self, arguments: Arguments) -> bool:
        """Whether running both policies shows it."""
        pair = self.pair
        return (
            pair.evaluable(arguments)
            and not pair.allows(pair.new, arguments)
            and pair.allows(pair.old, arguments) is self.allowed
            and _fires(pair.old, pair, self.rule, arguments)
        )


def _fires(formula: Formula, pair: PolicyPair, rule: Rule, arguments: Arguments) -> bool:
    return evaluate(formula.terms, rule.body, pair.own(formula, arguments)) is True


def _fired(formula: Formula, pair: PolicyPair, arguments: Arguments) -> tuple[str, ...]:
    """The rules that forbid an input; none if it is denied because no rule permits it."""
    return tuple(
        rule.name for rule in formula.terms.rules if rule.forbids and _fires(formula, pair, rule, arguments)
    )


def _covered(overlap: PolicyOverlap) -> PolicyOverlap:
    return PolicyOverlap(
        PolicyRelation.COVERED,
        overlap.policy,
        overlap.part,
        overlap.says,
        overlap.other,
        overlap.rules,
        overlap.witness,
        overlap.decisive_arguments,
    )
