"""Running a policy on concrete arguments, to confirm the solver's result.

The compiled policy decides. The interpreter of terms decides for a policy that few inputs are tried on, such
as a mutant, which is marked as ``interpreted``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from workbench.engines.compiled.compile import (
    CompiledPolicy,
    compile_policy,
    only_what_matters,
)
from workbench.model import Arguments, Counterexample, PathRule, Verdict
from workbench.policy.evaluate import evaluate, evaluate_decision, evaluate_in, valuation
from workbench.policy.flat.traverse import walk
from workbench.policy.terms import Clause, PolicyTerms, ResultTerm, Term
from workbench.policy.validate import Validator

_WORTH_COMPILING = 20
_FEW = 60
"""The decisions of a policy with more rules that are interpreted before it is compiled."""


def _speaks_of_decision(term: Term) -> bool:
    return any(isinstance(part, ResultTerm) for part in walk(term))


class Runner:
    """Decides concrete arguments and evaluates terms on them."""

    def __init__(self, terms: PolicyTerms) -> None:
        """Keep the terms; they are compiled when that is first needed."""
        self.terms = terms
        self._interpreted = 0
        self._misfits = Validator(terms.arguments)

    @cached_property
    def compiled(self) -> CompiledPolicy | None:
        """The compiled policy, unless it is interpreted."""
        return None if self.terms.interpreted else compile_policy(self.terms)

    def allows(self, arguments: Arguments) -> bool:
        """Whether the policy allows arguments that can be evaluated."""
        # Compiling many rules takes longer than interpreting them a few times.
        if len(self.terms.rules) > _WORTH_COMPILING and self._interpreted < _FEW:
            self._interpreted += 1
            return evaluate_decision(self.terms, arguments)
        compiled = self.compiled
        return evaluate_decision(self.terms, arguments) if compiled is None else compiled.allows(arguments)

    def evaluable(self, arguments: Arguments) -> bool:
        """Whether arguments fit their types and meet every precondition."""
        _, misfits = self._misfits(arguments)
        return not misfits and self._hold(self.terms.assumed, arguments)

    def excludes(self, arguments: Arguments) -> bool:
        """Whether a precondition excludes arguments that fit their types and that a run may give."""
        _, misfits = self._misfits(arguments)
        own = self.terms.preconditions
        return not misfits and self._hold(self.terms.axioms, arguments) and not self._hold(own, arguments)

    def _hold(self, clauses: Sequence[Clause], arguments: Arguments) -> bool:
        if not clauses:
            return True
        world = valuation(self.terms, arguments)
        return all(evaluate_in(world, clause.term) is True for clause in clauses)

    def holds(self, term: Term, arguments: Arguments) -> bool:
        """Whether a boolean term holds on arguments; false if they cannot be evaluated.

        ``Result()`` in the term is the policy's decision.
        """
        if not self.evaluable(arguments):
            return False
        result = self.allows(arguments) if _speaks_of_decision(term) else None
        return evaluate(self.terms, term, arguments, result) is True

    def breaks(self, clause: Clause, arguments: Arguments) -> bool:
        """Whether running the policy on arguments that can be evaluated violates a clause."""
        if not self.evaluable(arguments):
            return False
        if self.compiled is not None:
            return not self.compiled.clause_holds(clause.id, arguments)
        return not self.holds(clause.term, arguments)

    def decision(self, arguments: Arguments) -> Verdict:
        """Return the policy's decision on arguments."""
        if self.compiled is not None:
            return self.compiled.decide(arguments).verdict
        if not self.evaluable(arguments):
            return Verdict.CANNOT_EVALUATE
        fired = [rule for rule in self.terms.rules if evaluate(self.terms, rule.body, arguments) is True]
        return self.terms.verdict(fired)

    def fires(self, rule: str, arguments: Arguments) -> bool:
        """Whether a rule of this name fires; false if arguments do not fit their types."""
        if self._misfits(arguments)[1]:
            return False
        bodies = (one.body for one in self.terms.rules if one.name == rule)
        return any(evaluate(self.terms, body, arguments) is True for body in bodies)

    def path(self, arguments: Arguments) -> tuple[PathRule, ...]:
        """Return the rules that fired on arguments that can be evaluated."""
        if self.compiled is not None:
            return self.compiled.path(arguments)
        fired = ((rule, evaluate(self.terms, rule.body, arguments) is True) for rule in self.terms.rules)
        return tuple(PathRule(rule.name, happened) for rule, happened in fired)

    def only_what_matters(self, clause: Clause, counterexample: Counterexample) -> Counterexample:
        """The counterexample with the part of its arguments that matters."""
        return only_what_matters(self.terms, clause, counterexample)
