"""Conditions as terms of the dialect, for the solver to say whether some input satisfies one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from workbench.author.rules.conditions import (
    AllOf,
    Among,
    AnyOf,
    Atom,
    ComparisonCondition,
    Condition,
    Elements,
    Present,
    TextTest,
    TruthCondition,
    singular,
)
from workbench.model import Arguments, ArgumentType, Kind, WorkbenchError
from workbench.policy.terms import (
    And,
    Compare,
    Constant,
    ConstantSet,
    IsMissing,
    Member,
    Not,
    Or,
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    SetVariable,
    StringTest,
    StringTestKind,
    Term,
    Variable,
)
from workbench.policy.terms import Comparison as Operator

type Types = tuple[tuple[str, ArgumentType], ...]


def differing(left: Condition, right: Condition, types: Types) -> Arguments | None:
    """An input on which one condition holds and the other does not, or None if there is provably none.

    Raises WorkbenchError if the solver does not know.
    """
    known = dict(types)
    one, other = condition_term(left, known), condition_term(right, known)
    return _found(Or((And((one, Not(other))), And((other, Not(one))))), types)


def satisfying(condition: Condition, types: Types) -> Arguments | None:
    """An input on which a condition holds, or None if there is provably none.

    Raises WorkbenchError if the solver does not know.
    """
    return _found(condition_term(condition, dict(types)), types)


@lru_cache(maxsize=2048)
def _found(term: Term, types: Types) -> Arguments | None:
    from workbench.engines.smt.preview import witness  # the solver takes a while to load

    try:
        return witness(_any_policy(types), term)
    except (ValueError, TypeError, ArithmeticError, LookupError) as error:  # a constant that the type has not
        raise WorkbenchError(f"The solver cannot read a condition: {error}.") from error


def _any_policy(types: Types) -> PolicyTerms:
    """A policy over the arguments without a rule: what is asked is not about its decision."""
    parameters = tuple(Parameter(name, type) for name, type in types)
    places = max((type.places for _, type in types if type.kind is Kind.DECIMAL), default=2)
    return PolicyTerms("", parameters, {}, {}, {}, (), True, (), (), 0, places)


def condition_term(condition: Condition, types: Mapping[str, ArgumentType]) -> Term:
    """The term of a condition over arguments of these types."""
    match condition:
        case AllOf(parts):
            return And(tuple(condition_term(part, types) for part in parts)) if parts else Constant(True)
        case AnyOf(parts):
            return Or(tuple(condition_term(part, types) for part in parts)) if parts else Constant(False)
        case _:
            return _guarded(condition, types[condition.argument])


def _guarded(atom: Atom, type: ArgumentType) -> Term:
    """The term of an atom; nothing but its absence holds of a missing argument."""
    variable = Variable(atom.argument, type)
    if isinstance(atom, Present):
        missing: Term = IsMissing(variable) if type.optional else Constant(False)
        return Not(missing) if atom.value else missing
    term = _atom(atom, variable)
    return And((Not(IsMissing(variable)), term)) if type.optional else term


def _atom(
    atom: TruthCondition | Among | ComparisonCondition | TextTest | Elements, variable: Variable
) -> Term:
    match atom:
        case TruthCondition():
            return variable if atom.value else Not(variable)
        case ComparisonCondition():
            return Compare(Operator(atom.operator), variable, Constant(atom.value))
        case Among():
            term: Term = Member(variable, ConstantSet(atom.values))
        case TextTest():
            term = StringTest(StringTestKind(atom.test), variable, atom.constant)
        case Elements():
            element = Variable(singular(atom.argument), ArgumentType(Kind.STR))
            inside = Member(element, ConstantSet(atom.values))
            term = Quantified(Quantifier(atom.quantifier), element, SetVariable(atom.argument), inside)
    return Not(term) if atom.negated else term
