"""The widenings of a policy: what a later version lets run and an earlier one does not, by the lost rule.

Each rule of the earlier version that denies an input which the later one allows is *lost* (gone, or weaker).
Where no rule of the earlier version denies such an input, the later version permits it, or evaluates it, for
the first time; then the permission, the default, the preconditions or the argument is named. Only a proof
excludes a widening: what is not decided is one.

A call about which a person is asked may run too, so the versions are compared a second time without the rules
that ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.engines.smt.formula import Formula
from workbench.engines.smt.policy_pair import PolicyPair, SignatureMismatch, Trials
from workbench.engines.smt.solver import SolverAnswer
from workbench.model import Arguments, ArgumentType, Kind, Value
from workbench.policy.connectives import conjunction, disjunction, negate
from workbench.policy.decisive_part import what_fires
from workbench.policy.terms import (
    Compare,
    Comparison,
    Constant,
    IsMissing,
    Parameter,
    PolicyTerms,
    ResultTerm,
    Term,
    Variable,
)


class WideningKind(StrEnum):
    """What makes a later version of a policy allow more."""

    LOST_RULE = "lost rule"
    PERMISSION = "permission"
    DEFAULT = "default"
    PRECONDITION = "precondition"
    ARGUMENT = "argument"
    VALUE = "value"


DEFAULT = "default"
PRECONDITIONS = "preconditions"
ARGUMENTS = "arguments"
_TRIALS = 600
"""The inputs that are tried to make the examples of one comparison plainer."""


@dataclass(frozen=True, slots=True)
class Widening:
    """What makes a later version allow more: its kind and name.

    ``example`` is the part of a newly allowed input on which both decisions rest. Where it is not decided
    whether there is such an input, ``undecided`` says why.
    """

    kind: WideningKind
    name: str
    example: Arguments = field(default_factory=dict[str, Value])
    undecided: str = ""


def widenings(old: PolicyTerms, new: PolicyTerms) -> tuple[Widening, ...]:
    """The widenings of ``new`` against ``old``; none only if it is proved that there is none."""
    if old == new:
        return ()
    found = _widenings(old, new)
    if any(rule.asks for rule in (*old.rules, *new.rules)):
        named = {(widening.kind, widening.name) for widening in found}
        handed_over = _widenings(old.without_asking, new.without_asking)
        found = (*found, *(new for new in handed_over if (new.kind, new.name) not in named))
    return found


def _widenings(old: PolicyTerms, new: PolicyTerms) -> tuple[Widening, ...]:
    try:
        pair = PolicyPair(old, new)
    except SignatureMismatch as error:
        return (Widening(WideningKind.ARGUMENT, ARGUMENTS, undecided=str(error)),)
    trials = Trials(_TRIALS)
    found = (*_turned(pair, trials), *_newly_evaluable(pair, trials))
    return (*found, *_of_types(old, new))


def _turned(pair: PolicyPair, trials: Trials) -> Iterator[Widening]:
    """The widenings on the inputs that both versions can evaluate."""
    turned = pair.turns(True)

    def turns(arguments: Arguments) -> bool:
        return pair.turned(arguments) is True

    any_turned = _found(pair, trials, WideningKind.DEFAULT, DEFAULT, turned, turns)
    if any_turned is None:
        return
    named = [*_lost_rules(pair, trials, turned, turns), *_newly_permitted(pair, trials, turned, turns)]
    yield from named or [any_turned]


def _lost_rules(
    pair: PolicyPair, trials: Trials, turned: Term, turns: Callable[[Arguments], bool]
) -> Iterator[Widening]:
    """The rules of the old version that deny an input which the new version allows."""
    kept = {pair.new.rules[rule.name] for rule in pair.new.terms.rules if rule.forbids and not rule.asks}
    for rule in pair.old.terms.rules:
        if not rule.forbids or pair.old.rules[rule.name] in kept:
            continue
        query = conjunction((turned, pair.old.rules[rule.name]))
        found = _found(
            pair,
            trials,
            WideningKind.LOST_RULE,
            rule.name,
            query,
            lambda arguments, name=rule.name: _fires(pair, pair.old, name, arguments) and turns(arguments),
        )
        if found is not None:
            yield found


def _newly_permitted(
    pair: PolicyPair, trials: Trials, turned: Term, turns: Callable[[Arguments], bool]
) -> Iterator[Widening]:
    """What permits in the new version an input that no rule of the old version denies or permits."""
    if pair.old.terms.default_allow:
        return
    forbidding = [rule.name for rule in pair.old.terms.rules if rule.forbids]
    old_rules = [pair.old.rules[name] for name in forbidding]
    permits = [rule.name for rule in pair.new.terms.rules if not rule.forbids]
    unnamed = conjunction((turned, negate(disjunction(old_rules))))

    def by_none(arguments: Arguments) -> bool:
        return not any(_fires(pair, pair.old, name, arguments) for name in forbidding) and turns(arguments)

    for name in permits:
        found = _found(
            pair,
            trials,
            WideningKind.PERMISSION,
            name,
            conjunction((unnamed, pair.new.rules[name])),
            lambda arguments, name=name: _fires(pair, pair.new, name, arguments) and by_none(arguments),
        )
        if found is not None:
            yield found
    if pair.new.terms.default_allow:
        found = _found(pair, trials, WideningKind.DEFAULT, DEFAULT, unnamed, by_none)
        if found is not None:
            yield found


def _newly_evaluable(pair: PolicyPair, trials: Trials) -> Iterator[Widening]:
    """Whether the new version allows an input that the preconditions of the old version exclude."""
    old, new = pair.old, pair.new
    query = conjunction((new.precondition, new.allowed(), old.excluded))

    def confirms(arguments: Arguments) -> bool:
        return (
            new.runner.evaluable(pair.own(new, arguments))
            and pair.allows(new, arguments)
            and old.runner.excludes(pair.own(old, arguments))
        )

    found = _found(pair, trials, WideningKind.PRECONDITION, PRECONDITIONS, query, confirms)
    if found is not None:
        yield found


def _fires(pair: PolicyPair, formula: Formula, name: str, arguments: Arguments) -> bool:
    return formula.runner.fires(name, pair.own(formula, arguments))


def _found(
    pair: PolicyPair,
    trials: Trials,
    kind: WideningKind,
    name: str,
    query: Term,
    confirm: Callable[[Arguments], bool],
) -> Widening | None:
    """The widening of this name if there is an input for a query, or if that is not decided."""
    solved = pair.solve(query, confirm, plainer=trials)
    if solved.arguments is not None:
        example = what_fires((pair.old.terms, pair.new.terms), solved.arguments) or solved.arguments
        return Widening(kind, name, example)
    if solved.status is SolverAnswer.UNSAT:
        return None
    return Widening(kind, name, undecided=solved.why or "the solver did not decide")


# --- values that only the new version can evaluate --------------------------------


def _of_types(old: PolicyTerms, new: PolicyTerms) -> Iterator[Widening]:
    """The arguments of which the new version allows a value that the old version cannot evaluate."""
    types = {parameter.name: parameter.type for parameter in old.arguments}
    formula: Formula | None = None
    # the record of a policy of calls has the fields that its version reads, whatever a call gives
    partial = old.written is not None and new.written is not None
    for parameter in new.arguments:
        before = types.get(parameter.name)
        if before is None or admits(before, parameter.type, partial=partial):
            continue
        formula = formula or Formula(new)
        yield from _of_type(formula, parameter, before)


def _of_type(formula: Formula, parameter: Parameter, before: ArgumentType) -> Iterator[Widening]:
    variable = Variable(parameter.name, parameter.type)
    gained: list[Term] = []
    if parameter.type.optional and not before.optional:
        gained.append(IsMissing(variable))
    if parameter.type.kind is before.kind is Kind.ENUM:
        for value in parameter.type.values:
            if value not in before.values:
                name = f"{parameter.name}={value}"
                yield from _gained(formula, WideningKind.VALUE, name, variable, _equals(variable, value))
    elif not admits(before, parameter.type, optional=True):
        yield Widening(
            WideningKind.ARGUMENT,
            parameter.name,
            undecided=f"values of {parameter.name} that only the later version can evaluate are not compared",
        )
        return
    if gained:
        yield from _gained(formula, WideningKind.ARGUMENT, parameter.name, variable, disjunction(gained))


def _equals(variable: Variable, value: str) -> Term:
    return Compare(Comparison.EQ, variable, Constant(value))


def _gained(
    formula: Formula, kind: WideningKind, name: str, variable: Variable, gained: Term
) -> Iterator[Widening]:
    """The widening of this name if the policy allows an input with the gained values of an argument."""
    solved = formula.solve(conjunction((ResultTerm(), gained)))
    if solved.arguments is not None:
        example = {
            variable.name: solved.arguments[variable.name],
            **what_fires((formula.terms,), solved.arguments),
        }
        yield Widening(kind, name, example)
    elif solved.status is not SolverAnswer.UNSAT:
        yield Widening(kind, name, undecided=solved.why or "the solver did not decide")


def may_allow(policy: PolicyTerms, argument: str, value: str) -> bool:
    """Whether it is not excluded that the policy allows an input with this value of an argument.

    A value that the argument cannot have is not allowed.
    """
    parameter = next((parameter for parameter in policy.arguments if parameter.name == argument), None)
    if parameter is None or parameter.type.kind not in (Kind.ENUM, Kind.STR):
        return True
    if parameter.type.kind is Kind.ENUM and value not in parameter.type.values:
        return False
    query = conjunction((ResultTerm(), _equals(Variable(argument, parameter.type), value)))
    return Formula(policy).solve(query).status is not SolverAnswer.UNSAT


def admits(
    outer: ArgumentType, inner: ArgumentType, *, optional: bool = False, partial: bool = False
) -> bool:
    """Whether a type admits every value of another; with ``optional`` a missing value is left out.

    With ``partial`` a record may have further fields, which its type does not name.
    """
    if inner.optional and not (outer.optional or optional):
        return False
    if outer.kind is Kind.STR and inner.kind is Kind.ENUM:
        return True
    if outer.kind is not inner.kind:
        return False
    match outer.kind:
        case Kind.ENUM:
            return set(inner.values) <= set(outer.values)
        case Kind.DECIMAL:
            return inner.places <= outer.places
        case Kind.LIST | Kind.SET if outer.element is not None and inner.element is not None:
            return admits(outer.element, inner.element, partial=partial)
        case Kind.LIST | Kind.SET:
            return outer.element == inner.element
        case Kind.RECORD if outer.record is not None and inner.record is not None:
            held = dict(inner.record.fields)
            return all(
                partial if name not in held else admits(type_, held[name], partial=partial)
                for name, type_ in outer.record.fields
            )
        case _:
            return outer == inner or outer.kind is not Kind.RECORD
