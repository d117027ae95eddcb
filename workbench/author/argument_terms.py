"""Terms over the arguments of an agent: building, joining, negating, reading back and rendering them.

A reading is a term of the dialect in one normal form. A membership is written as a membership for a single
value too. An order comparison is negated by its operator, and every other negation is at an atom.
``rendered`` writes a term as people do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from workbench.model import Argument, ArgumentType, Kind, Scalar
from workbench.policy.connectives import FALSE, TRUE, conjunction, is_false, is_true
from workbench.policy.elements import singular, unlike
from workbench.policy.render import render_term
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    ImpliesTerm,
    IsMissing,
    Member,
    Not,
    Or,
    Quantified,
    Quantifier,
    SetVariable,
    StringTest,
    StringTestKind,
    Sum,
    Term,
    Variable,
)
from workbench.policy.walk import children, with_children


@dataclass(frozen=True, slots=True)
class OpenCompare(Compare):
    """A comparison of an argument by a word that leaves open whether the bound is included: “under 18”.

    ``flipped`` means that the sentence negates the word: “not under 18”.
    """

    word: str
    flipped: bool = False


# --- terms about one argument -------------------------------------------------------


def variable(argument: Argument) -> Variable:
    """The variable of the argument; as a term, a boolean argument is true."""
    return Variable(argument.name, argument.type)


def among(argument: Argument, *values: str) -> Term:
    """An enum or text argument equals one of the values."""
    return Member(variable(argument), ConstantSet(values))


def compared(argument: Argument, operator: Comparison, value: Scalar, word: str = "") -> Term:
    """An ordered argument compared with a constant; ``word`` marks an operator whose bound is left open."""
    if word:
        return OpenCompare(operator, variable(argument), Constant(value), word)
    return Compare(operator, variable(argument), Constant(value))


def text_test(argument: Argument, kind: StringTestKind, constant: str) -> Term:
    """A text argument starts with, ends with or contains a constant."""
    return StringTest(kind, variable(argument), constant)


def elements(argument: Argument, quantifier: Quantifier, *values: str) -> Term:
    """All elements of a set argument, or any of them, are among the values."""
    element = Variable(singular(argument.name), ArgumentType(Kind.STR))
    return Quantified(quantifier, element, SetVariable(argument.name), Member(element, ConstantSet(values)))


def has_no_value(argument: Argument) -> Term:
    """An optional argument has no value."""
    return IsMissing(variable(argument))


def free_name(name: str, arguments: Iterable[Argument]) -> str:
    """The name wanted for an element, or a similar one if an argument or the dialect has that name."""
    return unlike(name, {argument.name for argument in arguments})


# --- the parts of a term about one argument -----------------------------------------


@dataclass(frozen=True, slots=True)
class Listing:
    """An argument, or the elements of one, and the values that a term lists for it."""

    argument: str
    values: tuple[str, ...]
    negated: bool = False
    quantifier: Quantifier | None = None


def value_listing(term: Term) -> Listing | None:
    """The argument and the values that a membership (or its negation) lists for it; None for another term."""
    match term:
        case Not(Member(Variable(name), ConstantSet(values))):
            return Listing(name, _words(values), negated=True)
        case Member(Variable(name), ConstantSet(values)):
            return Listing(name, _words(values))
        case _:
            return None


def element_listing(term: Term) -> Listing | None:
    """The set argument and the values that a term lists for its elements; None for another term."""
    match term:
        case Not(operand):
            listing = element_listing(operand)
            return replace(listing, negated=True) if listing is not None else None
        case Quantified(quantifier, _, SetVariable(name), Member(_, ConstantSet(values))):
            return Listing(name, _words(values), quantifier=quantifier)
        case _:
            return None


def _words(values: tuple[Scalar, ...]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def is_truth(term: Term) -> bool:
    """Whether a term tests only that a boolean argument is true, or false."""
    return isinstance(term.operand if isinstance(term, Not) else term, Variable)


def is_presence(term: Term) -> bool:
    """Whether a term tests only that an argument has a value, or has none."""
    return isinstance(term.operand if isinstance(term, Not) else term, IsMissing)


def argument_of(atom: Term) -> str:
    """The name of the argument of an atom, the first of several."""
    return next(_free(atom))


# --- conditions that hold together ------------------------------------------------


def all_of(*parts: Term) -> Term:
    """The conjunction of ``parts``, flattened, without repetitions."""
    return conjunction(parts)


def any_of(*parts: Term) -> Term:
    """The disjunction of ``parts``, flattened; memberships of one argument become one."""
    if TRUE in parts:
        return TRUE
    flat: list[Term] = []
    for inner in (inner for part in parts for inner in _disjuncts(part)):
        if not _merge_memberships(flat, inner) and inner not in flat:
            flat.append(inner)
    if not flat:
        return FALSE
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def any_factored(*parts: Term) -> Term:
    """The disjunction with what all parts share written once: A and B, or A and C, is A and (B or C)."""
    lists = [conjuncts(part) for part in parts]
    common = [term for term in lists[0] if all(term in terms for terms in lists[1:])] if lists else []
    if not common:
        return any_of(*parts)
    remainders = [all_of(*(term for term in terms if term not in common)) for terms in lists]
    return all_of(*common, any_of(*remainders))


def _merge_memberships(flat: list[Term], inner: Term) -> bool:
    if not isinstance(inner, Member) or not isinstance(inner.collection, ConstantSet):
        return False
    for place, term in enumerate(flat):
        if isinstance(term, Member) and term.item == inner.item:
            assert isinstance(term.collection, ConstantSet)
            values = tuple(dict.fromkeys((*term.collection.values, *inner.collection.values)))
            flat[place] = Member(term.item, ConstantSet(values))
            return True
    return False


def conjuncts(term: Term) -> tuple[Term, ...]:
    """The parts of a conjunction; none for a term that always holds."""
    if is_true(term):
        return ()
    return term.operands if isinstance(term, And) else (term,)


def _disjuncts(term: Term) -> tuple[Term, ...]:
    if is_false(term):
        return ()
    return term.operands if isinstance(term, Or) else (term,)


def opposite(term: Term) -> Term:
    """The negation, pushed down to the atoms."""
    match term:
        case Constant(value):
            return FALSE if value else TRUE
        case And(operands):
            return any_of(*(opposite(operand) for operand in operands))
        case Or(operands):
            return all_of(*(opposite(operand) for operand in operands))
        case OpenCompare():
            return replace(term, operator=term.operator.negated, flipped=not term.flipped)
        case Compare():
            return replace(term, operator=term.operator.negated)
        case Not(operand):
            return operand
        case _:
            return Not(term)


def atoms(term: Term) -> Iterator[Term]:
    """The atoms of the term, each about single arguments, from left to right."""
    match term:
        case And(operands) | Or(operands):
            for operand in operands:
                yield from atoms(operand)
        case Constant():
            return
        case _:
            yield term


def names(*terms: Term) -> tuple[str, ...]:
    """The arguments that the terms mention, in order, without repetitions."""
    return tuple(dict.fromkeys(name for term in terms for atom in atoms(term) for name in _free(atom)))


def _free(term: Term, bound: frozenset[str] = frozenset()) -> Iterator[str]:
    """The free names of a term: without the variables bound to elements."""
    match term:
        case Variable(name) | IsMissing(Variable(name)):
            if name not in bound:
                yield name
            return
        case Quantified(_, variable) | Count(variable) | Sum(variable):
            within = bound | {variable.name}
        case _:
            within = bound
    if isinstance(term, Member | Quantified) and isinstance(term.collection, SetVariable):
        yield term.collection.name
    for part in children(term):
        yield from _free(part, within)


def map_atoms(term: Term, change: Callable[[Term], Term]) -> Term:
    """The term with every atom replaced by ``change(atom)``."""
    match term:
        case And(operands):
            return all_of(*(map_atoms(operand, change) for operand in operands))
        case Or(operands):
            return any_of(*(map_atoms(operand, change) for operand in operands))
        case Constant():
            return term
        case _:
            return change(term)


# --- as people write it -----------------------------------------------------------


def simplify(term: Term) -> Term:
    """The term, with each membership of an enum written by the other values if these are fewer."""
    return map_atoms(term, _shorter)


def _shorter(atom: Term) -> Term:
    member = atom.operand if isinstance(atom, Not) else atom
    if not isinstance(member, Member) or not isinstance(member.collection, ConstantSet):
        return atom
    item, listed = member.item, member.collection.values
    if not isinstance(item, Variable) or item.type.kind is not Kind.ENUM:
        return atom
    unlisted_values = tuple(value for value in item.type.values if value not in listed)
    if not unlisted_values:
        return FALSE if isinstance(atom, Not) else TRUE
    if len(unlisted_values) >= len(listed):
        return atom
    membership = Member(item, ConstantSet(unlisted_values))
    return membership if isinstance(atom, Not) else Not(membership)


def rendered(term: Term) -> str:
    """The term as an expression of the dialect."""
    return render_term(_written(term), as_listed=True)


def _written(term: Term) -> Term:
    match term:
        case And() | Or() | ImpliesTerm():
            return with_children(term, tuple(_written(part) for part in children(term)))
        case Member(item, ConstantSet((only,), None)):
            return Compare(Comparison.EQ, item, Constant(only))
        case Not(Member(item, ConstantSet((only,), None))):
            return Compare(Comparison.NE, item, Constant(only))
        case Not(Quantified(quantifier, _, _, body) as quantified):
            opposite_quantifier = Quantifier.ANY if quantifier is Quantifier.ALL else Quantifier.ALL
            return replace(quantified, quantifier=opposite_quantifier, body=opposite(body))
        case _:
            return term
