"""Deciding by the solver whether two readings differ.

If the solver does not decide, the readings count as different, so that a person is asked.
"""

from __future__ import annotations

from functools import lru_cache

from workbench.author.argument_terms import is_presence, map_atoms, names
from workbench.model import Argument, Kind, WorkbenchError
from workbench.policy.terms import And, Constant, IsMissing, Not, Or, Parameter, PolicyTerms, Term, Variable

type Parameters = tuple[Parameter, ...]


def differ(left: Term, right: Term, arguments: tuple[Argument, ...]) -> bool:
    """Whether the two conditions differ on some input; true also if that is not known."""
    if left == right:
        return False
    parameters = _mentioned(arguments, left, right)
    if len(parameters) < len(names(left, right)):
        return True  # conditions on lists are compared later, with the whole policies
    first, second = _guarded(left, parameters), _guarded(right, parameters)
    return (
        _holds_somewhere(Or((And((first, Not(second))), And((second, Not(first))))), parameters) is not False
    )


def satisfiable(condition: Term, arguments: tuple[Argument, ...]) -> bool | None:
    """Whether the condition holds on some input; None if that is not known."""
    parameters = _mentioned(arguments, condition)
    if len(parameters) < len(names(condition)):
        return None
    return _holds_somewhere(_guarded(condition, parameters), parameters)


def _mentioned(arguments: tuple[Argument, ...], *terms: Term) -> Parameters:
    mentioned_names = names(*terms)
    return tuple(
        Parameter(argument.name, argument.type) for argument in arguments if argument.name in mentioned_names
    )


def _guarded(term: Term, parameters: Parameters) -> Term:
    """The term, such that only a test for absence holds for an argument without a value."""
    types = {parameter.name: parameter.type for parameter in parameters}

    def guarded(atom: Term) -> Term:
        held = names(atom)
        if is_presence(atom):
            return atom if types[held[0]].optional else Constant(isinstance(atom, Not))
        presence_tests = tuple(
            Not(IsMissing(Variable(name, types[name]))) for name in held if types[name].optional
        )
        return And((*presence_tests, atom)) if presence_tests else atom

    return map_atoms(term, guarded)


def forget() -> None:
    """Clear the cache of the solver's results (for measurements and tests)."""
    _holds_somewhere.cache_clear()


@lru_cache(maxsize=4096)
def _holds_somewhere(term: Term, parameters: Parameters) -> bool | None:
    from workbench.engines.smt.preview import satisfiable  # loading the solver takes a while

    places = max(
        (parameter.type.places for parameter in parameters if parameter.type.kind is Kind.DECIMAL), default=2
    )
    anything = PolicyTerms("", parameters, {}, {}, {}, (), True, (), (), 0, places)
    try:
        return satisfiable(anything, term)
    except (WorkbenchError, ValueError, TypeError, ArithmeticError, LookupError):
        return None  # for example, a constant that the type does not have
