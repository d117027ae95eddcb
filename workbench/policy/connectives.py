"""Truth values and connectives of terms, simplified as they are built."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.policy.terms import And, Constant, Not, Or, Term

TRUE = Constant(True)
FALSE = Constant(False)


def is_true(term: Term) -> bool:
    """Whether a term is the constant True; the constant 1 is equal to True in Python but does not count."""
    return isinstance(term, Constant) and term.value is True


def is_false(term: Term) -> bool:
    """Whether a term is the constant False; the constant 0 is equal to False in Python but does not count."""
    return isinstance(term, Constant) and term.value is False


def negate(term: Term) -> Term:
    """The negation of a condition, without a double negation."""
    if is_true(term):
        return FALSE
    if is_false(term):
        return TRUE
    return term.operand if isinstance(term, Not) else Not(term)


def conjunction(terms: Iterable[Term]) -> Term:
    """The terms joined by ``and``, flat and without repetitions; true if there are none."""
    operands = _operands(And, terms)
    if any(map(is_false, operands)):
        return FALSE
    operands = tuple(operand for operand in operands if not is_true(operand))
    return operands[0] if len(operands) == 1 else And(operands) if operands else TRUE


def disjunction(terms: Iterable[Term]) -> Term:
    """The terms joined by ``or``, flat and without repetitions; false if there are none."""
    operands = _operands(Or, terms)
    if any(map(is_true, operands)):
        return TRUE
    operands = tuple(operand for operand in operands if not is_false(operand))
    return operands[0] if len(operands) == 1 else Or(operands) if operands else FALSE


def is_contradictory(terms: Iterable[Term]) -> bool:
    """Whether terms plainly cannot all hold: one of them, or all parts of one, are denied by another."""
    known = set(terms)
    denied = [term.operand for term in known if isinstance(term, Not)]
    return any(one in known or (isinstance(one, And) and known.issuperset(one.operands)) for one in denied)


def _operands(kind: type[And] | type[Or], terms: Iterable[Term]) -> tuple[Term, ...]:
    parts = (term.operands if isinstance(term, kind) else (term,) for term in terms)
    return tuple(dict.fromkeys(operand for operands in parts for operand in operands))
