"""The SMT encoding of a policy, to find inputs that make a term of it true.

A query ``condition`` that mentions ``Result()`` is encoded as

    pre and (condition[True] and allowed  or  condition[False] and not allowed)

so that only the rules remain that can fire where the condition can hold (``necessary_values``). Set arguments
are finite by the small-model argument of ``witnesses``. Only inputs that can be evaluated are searched: enum
members, decimals of the declared places, preconditions.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.ground_terms import grounder_of
from workbench.engines.smt.necessary_values import Facts, FiringIndex, both, facts_of, necessary
from workbench.engines.smt.search import LIMIT_MS, EngineDisagreement, Search, Solved
from workbench.engines.smt.shrink import Constants, constants
from workbench.engines.smt.solver import SolverAnswer
from workbench.model import Arguments
from workbench.policy.connectives import FALSE, TRUE, conjunction, disjunction, is_false, negate
from workbench.policy.evaluate import EXACT, Valuation, value_of
from workbench.policy.near_inputs import LastInput, ReadInputs, StoredAnswer, World, of_term
from workbench.policy.terms import And, Parameter, PolicyTerms, ResultTerm, Rule, Term
from workbench.policy.validate import Validator
from workbench.policy.walk import subterms

__all__ = ["EngineDisagreement", "Formula", "Solved", "SolverAnswer"]

_FEW_RULES = 30
"""Up to this number of rules, running all is as quick as selecting rules by the facts of an input."""


def _fits(parameter: Parameter) -> StoredAnswer[bool]:
    """Whether an argument fits its type."""
    validate = Validator((parameter,))

    def fits(arguments: World) -> bool:
        _, misfits = validate(arguments)
        return not misfits

    return StoredAnswer((parameter.name,), fits)


class Formula:
    """One policy as a formula. Reuses solvers between queries; use it from one thread at a time."""

    def __init__(
        self, terms: PolicyTerms, search: Search | None = None, parameters: Iterable[Parameter] = ()
    ) -> None:
        """Ground the rules.

        ``search`` may be shared by several policies over ``parameters``, which then give the
        types of the arguments.
        """
        self.terms = terms
        self.runner = Runner(terms)
        self.search = search or Search(terms.arguments, (terms,))
        types = {parameter.name: parameter for parameter in parameters}
        arguments = tuple(types.get(parameter.name, parameter) for parameter in terms.arguments)
        self.grounder = grounder_of(replace(terms, arguments=arguments))
        self.opened = self.grounder.opened
        self.precondition = self.grounder.precondition()
        self.rules: dict[str, Term] = {rule.name: self.grounder.rule(rule.body) for rule in terms.rules}
        self._bodies = frozenset(id(rule.body) for rule in terms.rules)
        self._index = FiringIndex(self.rules.values())
        self._assumed = necessary(self.precondition)

    @property
    def excluded(self) -> Term:
        """The ground condition on which a precondition excludes an input that a run may give.

        Axioms hold of every run: an input that breaks one of them is none that the policy cannot evaluate.
        """
        if not self.terms.preconditions:
            return FALSE
        axioms, own = (
            conjunction(self.grounder.ground(clause.term) for clause in clauses)
            for clauses in (self.terms.axioms, self.terms.preconditions)
        )
        return conjunction((axioms, negate(own)))

    def live(self, condition: Term) -> tuple[Rule, ...]:
        """Return the rules that may fire on inputs that make a ground condition true."""
        return self.excluding(both(necessary(condition), self._assumed))

    def may_meet(self, condition: Term, others: Iterable[Term]) -> list[Term]:
        """Return other conditions without the bodies of rules that cannot fire where a condition holds."""
        live = {id(rule.body) for rule in self.live(self.grounder.ground(condition))}
        return [other for other in others if id(other) in live or id(other) not in self._bodies]

    def excluding(self, facts: Facts) -> tuple[Rule, ...]:
        """Return the rules that facts do not exclude."""
        return tuple(self.terms.rules[position] for position in self._index.live(facts))

    def trial(self, condition: Term) -> Callable[[Arguments], bool]:
        """A quick ``runner.holds`` for trying many similar candidates.

        Rules whose facts exclude the arguments are not run. Inputs that are shown are confirmed by ``runner``
        too.
        """
        worlds = ReadInputs()
        parameters = self.terms.arguments
        fits = LastInput(list(map(_fits, parameters)))
        preconditions = [self._truth(precondition.term) for precondition in self.terms.assumed]
        fires = [self._truth(rule.body) for rule in self.terms.rules]
        # A long condition is evaluated part by part: most parts have the same truth for a similar input.
        parts = condition.operands if isinstance(condition, And) else (condition,)
        on_allow = range(len(preconditions), len(preconditions) + len(parts))
        on_deny = range(on_allow.stop, on_allow.stop + len(parts))
        first = on_deny.stop
        truths = LastInput([*preconditions, *self._parts(parts), *fires])
        forbids = [rule.forbids for rule in self.terms.rules]

        def holds(arguments: Arguments) -> bool:
            fits.go_to(arguments)
            if not all(map(fits.says, range(len(parameters)))):
                return False
            truths.go_to(worlds(arguments))
            with decimal.localcontext(EXACT):
                if not all(map(truths.says, range(len(preconditions)))):
                    return False
                allowed, denied = all(map(truths.says, on_allow)), all(map(truths.says, on_deny))
                if allowed is denied:
                    return allowed
                live = self.may_fire(arguments) if len(fires) > _FEW_RULES else range(len(fires))
                if any(forbids[place] and truths.says(first + place) for place in live):
                    return denied
                permitted = any(not forbids[place] and truths.says(first + place) for place in live)
                return allowed if self.terms.default_allow or permitted else denied

        return holds

    def _parts(self, parts: Sequence[Term]) -> Iterator[StoredAnswer[bool]]:
        """Whether each part holds if the call is allowed, then if it is denied.

        A part without the result is the same function for both.
        """
        allowed = [self._truth(part, True) for part in parts]
        yield from allowed
        for part, truth_if_allowed in zip(parts, allowed, strict=True):
            asks = any(isinstance(subterm, ResultTerm) for subterm in subterms(part))
            yield self._truth(part, False) if asks else truth_if_allowed

    def _truth(self, term: Term, result: bool | None = None) -> StoredAnswer[bool]:
        return of_term(term, lambda world: value_of(term, Valuation(self.terms, world, result)) is True)

    def constants(self, ground: Term) -> Constants:
        """The constants of the ground term of a rule; determined once."""
        return self.grounder.remembered("constants", (ground,), lambda: constants(ground))

    def may_fire(self, arguments: Arguments) -> list[int]:
        """Return the positions of the rules that the facts of an input do not exclude."""
        return self._index.live(facts_of(self.opened.explode(arguments)))

    def allowed(self, rules: Iterable[Rule] | None = None) -> Term:
        """Return the ground decision, as if only ``rules`` could fire (all, if not given)."""
        chosen = self.terms.rules if rules is None else tuple(rules)
        forbidden = disjunction(self.rules[rule.name] for rule in chosen if rule.forbids)
        permitted = disjunction(self.rules[rule.name] for rule in chosen if not rule.forbids)
        return conjunction((negate(forbidden), TRUE if self.terms.default_allow else permitted))

    def query(self, condition: Term) -> Term:
        """Return the ground query for inputs on which ``condition`` holds; see the module."""
        allowing, denying = self.grounder.branches(condition)
        if allowing == denying:
            return conjunction((self.precondition, allowing))
        return disjunction((self._branch(allowing, True), self._branch(denying, False)))

    def _branch(self, condition: Term, result: bool) -> Term:
        branch = conjunction((self.precondition, condition))
        if is_false(branch):
            return FALSE
        decision = self.allowed(self.live(branch))
        return conjunction((branch, decision if result else negate(decision)))

    def solve(
        self,
        condition: Term,
        *,
        query: Term | None = None,
        prefer: Iterable[Arguments] = (),
        time_limit_ms: int = LIMIT_MS,
        doubted: bool = False,
    ) -> Solved:
        """Find an input that can be evaluated and on which ``condition`` holds.

        ``condition`` is a boolean term over the policy's arguments that may contain ``Result()``; ``query``
        may give its ``self.query(condition)``. Inputs in ``prefer`` are tried first. ``doubted`` is True if
        there is probably no such input. Raises ``EngineDisagreement`` if running the policy does not confirm
        a model.
        """
        return self.search.solve(
            self.query(condition) if query is None else query,
            lambda arguments: self.runner.holds(condition, arguments),
            prefer=prefer,
            time_limit_ms=time_limit_ms,
            doubted=doubted,
        )
