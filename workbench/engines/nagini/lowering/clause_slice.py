"""The slice of a policy that one clause needs, simplified under the clause's own condition.

A clause ``Implies(P, Q)`` requires nothing of inputs outside of ``P``, so the decision is partially evaluated
under the facts that ``P`` states (``role == "nursing"``). This is an equivalence and not an approximation: a
rule is dropped only if it cannot fire under ``P``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import cast

from workbench.engines.nagini.lowering.simplify import KnownFacts, Simplifier
from workbench.model import ArgumentType, Scalar
from workbench.policy.connectives import TRUE, conjunction, disjunction, is_false, is_true, negate
from workbench.policy.flat.flatten import Flat, flatten
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import (
    And,
    Clause,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    ImpliesTerm,
    IsMissing,
    Lookup,
    Member,
    Not,
    Or,
    Parameter,
    PolicyTerms,
    Quantified,
    ResultTerm,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.walk import subterms


@dataclass(frozen=True, slots=True)
class Goal:
    """One obligation: under ``requires``, the value of ``decision`` satisfies ``ensures``.

    ``rules`` names the rules that remain in the decision. ``flat`` maps arguments to those of a goal that was
    made flat.
    """

    name: str
    comment: str
    requires: tuple[Term, ...]
    ensures: Term
    decision: Term
    rules: tuple[str, ...]
    flat: Flat | None = None

    @property
    def parts(self) -> tuple[Term, ...]:
        """All terms of the goal."""
        return (*self.requires, self.ensures, self.decision)


def flat_goal(terms: PolicyTerms, goal: Goal) -> Goal:
    """The goal without lists, which holds for all lists if it holds for all flat arguments.

    Raises:
        FlatLimit: there is no such goal.
    """
    flat = flatten(terms, goal.parts, arguments_of(terms.arguments, goal.parts), f"{goal.name} ")
    *requires, ensures, decision = flat.parts
    return replace(goal, requires=(*requires, *flat.requires), ensures=ensures, decision=decision, flat=flat)


def decision_goal(terms: PolicyTerms) -> Goal:
    """The goal of the whole decision, without a promise about it."""
    return _goal(terms, "allow", "", TRUE, KnownFacts())


def clause_goal(terms: PolicyTerms, clause: Clause) -> Goal:
    """The goal of one postcondition."""
    known_facts = KnownFacts()
    for precondition in terms.assumed:
        known_facts = learn(precondition.term, known_facts)
    conditions: list[Term] = []
    consequence = clause.term
    while isinstance(consequence, ImpliesTerm):
        conditions.append(consequence.condition)
        consequence = consequence.consequence
    simplifier = Simplifier(terms)
    outer = [simplifier.simplify(condition, known_facts) for condition in conditions]
    for condition in conditions:
        known_facts = learn(condition, known_facts)
    inner = simplifier.simplify(consequence, known_facts)
    guard = conjunction(outer)
    ensures = inner if is_true(guard) else ImpliesTerm(guard, inner)
    if is_false(guard) or is_true(inner):
        ensures = TRUE
    return _goal(terms, clause.id, clause.comment or clause.source, ensures, known_facts)


def vacuity_goal(terms: PolicyTerms) -> Goal:
    """A goal that must be refuted: if it is proved, the preconditions contradict each other."""
    requires = tuple(
        Simplifier(terms).simplify(precondition.term, KnownFacts()) for precondition in terms.assumed
    )
    return Goal("preconditions", "must be refuted", requires, Constant(False), TRUE, ())


def _goal(terms: PolicyTerms, name: str, comment: str, ensures: Term, known_facts: KnownFacts) -> Goal:
    simplifier = Simplifier(terms)
    requires = [simplifier.simplify(precondition.term, KnownFacts()) for precondition in terms.assumed]
    forbid: list[Term] = []
    permit: list[Term] = []
    rules: list[str] = []
    whole = name == "allow" or uses_result(ensures)
    for rule in terms.rules if whole else ():
        body = simplifier.simplify(rule.body, known_facts)
        if not is_false(body):
            rules.append(rule.name)
        (forbid if rule.forbids else permit).append(body)
    decision = negate(disjunction(forbid))
    if whole and not terms.default_allow:
        decision = conjunction((decision, disjunction(permit)))
    return Goal(
        name,
        comment,
        tuple(requirement for requirement in requires if not is_true(requirement)),
        ensures,
        decision,
        tuple(rules),
    )


# --- facts -------------------------------------------------------------------------


def learn(condition: Term, known: KnownFacts) -> KnownFacts:
    """The facts that follow if a condition is true, added to the known facts."""
    values, missing = dict(known.values), dict(known.missing)
    for part in condition.operands if isinstance(condition, And) else (condition,):
        match part:
            case And():
                deeper = learn(part, KnownFacts(values, missing))
                values, missing = dict(deeper.values), dict(deeper.missing)
            case IsMissing(Variable(name)):
                missing[name] = True
            case Not(IsMissing(Variable(name))):
                missing[name] = False
            case _:
                name_and_values = _values(part)
                if name_and_values is not None:
                    name, possible = name_and_values
                    before = values.get(name)
                    values[name] = possible if before is None else _both(before, possible)
                    missing[name] = False
    return KnownFacts({name: scalars for name, scalars in values.items() if scalars}, missing)


def _both(left: tuple[Scalar, ...], right: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return tuple(value for value in left if value in right)


def _values(part: Term) -> tuple[str, tuple[Scalar, ...]] | None:
    """The variable and its only possible values, if the condition determines them; else None."""
    match part:
        case Variable(name):
            return name, (True,)
        case Not(Variable(name)):
            return name, (False,)
        case Compare(Comparison.EQ, Variable(name), Constant(value)) | Compare(
            Comparison.EQ, Constant(value), Variable(name)
        ) if value is not None:
            return name, (value,)
        case Member(Variable(name), ConstantSet(values)) if values:
            return name, values
        case Or(operands):
            named_values = [_values(operand) for operand in operands]
            names = {pair[0] for pair in named_values if pair is not None}
            if len(names) != 1 or None in named_values:
                return None
            together = tuple(value for pair in named_values if pair is not None for value in pair[1])
            return names.pop(), tuple(dict.fromkeys(together))
        case _:
            return None


# --- contents of a goal ------------------------------------------------------------


def arguments_of(arguments: Iterable[Parameter], parts: Iterable[Term]) -> tuple[Parameter, ...]:
    """The arguments that the parts mention, in the order of ``arguments``."""
    names = {name for part in parts for name in free_names(part)}
    return tuple(argument for argument in arguments if argument.name in names)


def uses_result(term: Term) -> bool:
    """Whether the term contains the decision."""
    return any(isinstance(part, ResultTerm) for part in subterms(term))


# --- identity ----------------------------------------------------------------------


def goal_hash(terms: PolicyTerms, goal: Goal) -> str:
    """A hash of everything that the truth of a goal depends on, and of nothing else.

    Names of constants, comments, layout and the rest of the policy have no effect.
    """
    tables = {name for term in goal.parts for part in subterms(term) for name in _tables(part)}
    pieces = [
        canonical(goal.requires),
        canonical(goal.ensures),
        canonical(goal.decision),
        canonical(
            tuple((parameter.name, parameter.type) for parameter in arguments_of(terms.arguments, goal.parts))
        ),
        canonical(tuple((name, terms.tables[name].entries) for name in sorted(tables))),
        str(terms.places),
    ]
    return hashlib.sha256("\n".join(pieces).encode()).hexdigest()


def _tables(part: Term) -> Iterator[str]:
    """The tables that one term itself looks into, without its sub-terms."""
    if isinstance(part, Lookup):
        yield part.table
    elif isinstance(part, (Member, Quantified)) and isinstance(part.collection, TableEntry):
        yield part.collection.table


def canonical(value: object) -> str:
    """A text that is equal for equal values in every run of Python."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, ConstantSet):
        return f"ConstantSet{canonical(frozenset(value.values))}"
    if isinstance(value, ArgumentType):
        values = value.values if value.kind.value == "enum" else ()
        inner = canonical((value.record, value.element))
        return f"Type({value.kind.value},{values},{value.optional},{value.places},{inner})"
    if isinstance(value, (frozenset, set)):
        return "{" + ",".join(sorted(canonical(item) for item in cast("frozenset[object]", value))) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(canonical(item) for item in cast("tuple[object, ...]", value)) + ")"
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return "{" + ",".join(sorted(f"{canonical(key)}:{canonical(item)}" for key, item in pairs)) + "}"
    if is_dataclass(value) and not isinstance(value, type):
        inner = ",".join(canonical(getattr(value, field.name)) for field in fields(value))
        return f"{type(value).__name__}({inner})"
    return repr(value)
