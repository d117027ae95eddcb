"""Whether a policy departs from a draft.

A policy may also have forbidding rules that no draft has, which a person wrote. What these deny beyond the
draft is no departure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from workbench.engines.smt.formula import Formula
from workbench.engines.smt.policy_pair import SignatureMismatch, common_type, forbidding, without
from workbench.engines.smt.search import Search
from workbench.engines.smt.solver import SolverAnswer
from workbench.model import Arguments, ArgumentType
from workbench.policy.connectives import conjunction, disjunction, negate
from workbench.policy.flat.opening import narrowed
from workbench.policy.terms import Parameter, PolicyTerms, Term


@dataclass(frozen=True, slots=True)
class Departure:
    """Whether a policy departs from a draft: by an input (True), proved not to (False), or not known (None).

    ``arguments`` is the input, ``allowed`` the policy's decision on it. ``why`` says why it is not known.
    """

    departs: bool | None
    arguments: Arguments | None = None
    allowed: bool = False
    why: str = ""


def departure(policy: PolicyTerms, drafted: PolicyTerms, *, own: Collection[str] = ()) -> Departure:
    """Whether ``policy`` decides an input otherwise than ``drafted``.

    ``own`` names forbidding rules of the policy that may deny more. An input that cannot be evaluated counts
    as not allowed.
    """
    try:
        return _Departures(policy, drafted, own).found()
    except SignatureMismatch as error:
        return Departure(None, why=str(error))


def _parameters(policies: Collection[PolicyTerms]) -> tuple[Parameter, ...]:
    """The arguments of the policies. Raises ``SignatureMismatch`` if two take one argument differently.

    Where the types differ, one of the policies evaluates inputs that the other does not, and no comparison on
    the common inputs speaks of them.
    """
    types: dict[str, ArgumentType] = {}
    for terms in policies:
        for parameter in terms.arguments:
            known = types.setdefault(parameter.name, parameter.type)
            shared = common_type(parameter.name, known, parameter.type)
            if parameter.type.record is None and parameter.type.element is None and shared != known:
                raise SignatureMismatch(f"the argument {parameter.name} has another type than in the draft")
            types[parameter.name] = shared
    return tuple(Parameter(name, type_) for name, type_ in types.items())


class _Departures:
    """One comparison, over the arguments of both policies."""

    def __init__(self, policy: PolicyTerms, drafted: PolicyTerms, own: Collection[str]) -> None:
        both = policy, drafted
        self._parameters = _parameters(both)
        self._search = Search(self._parameters, both)
        self._policy, self._drafted = (Formula(terms, self._search, self._parameters) for terms in both)
        self._own = [rule for rule in policy.rules if rule.forbids and rule.name in own]

    def found(self) -> Departure:
        """The first departure: an input that only the policy allows, else one that only the draft allows."""
        unknown = ""
        for wide in (True, False):
            solved = self._search.solve(
                self._query(wide=wide),
                self._confirms(wide=wide),
                subject="an answer",
            )
            if solved.arguments is not None:
                return Departure(True, solved.arguments, wide)
            if solved.status is not SolverAnswer.UNSAT:
                unknown = solved.why or "the solver does not decide it"
        return Departure(None, why=unknown) if unknown else Departure(False)

    def _query(self, *, wide: bool) -> Term:
        """The inputs that only the policy allows (``wide``), or only the draft."""
        allowing, denying = (self._policy, self._drafted) if wide else (self._drafted, self._policy)
        common = set(forbidding(self._policy)) & set(forbidding(self._drafted))
        parts = [
            allowing.precondition,
            negate(disjunction(body for body in forbidding(allowing) if body in common)),
            without(allowing, common),
            negate(conjunction((denying.precondition, without(denying, common)))),
        ]
        if not wide:
            parts += [negate(self._policy.rules[rule.name]) for rule in self._own]
        return conjunction(parts)

    def _confirms(self, *, wide: bool) -> Callable[[Arguments], bool]:
        def confirm(arguments: Arguments) -> bool:
            allowed, drafted = self._allows(self._policy, arguments), self._allows(self._drafted, arguments)
            if (allowed, drafted) != (wide, not wide):
                return False
            return wide or not self._own_rule_fires(arguments)

        return confirm

    def _allows(self, formula: Formula, arguments: Arguments) -> bool:
        own = narrowed(formula.terms.arguments, arguments)
        return formula.runner.evaluable(own) and formula.runner.allows(own)

    def _own_rule_fires(self, arguments: Arguments) -> bool:
        names = {rule.name for rule in self._own}
        path = self._policy.runner.path(narrowed(self._policy.terms.arguments, arguments))
        return any(rule.fired and rule.rule in names for rule in path)
