"""Combinations of truth values that conditions can have, as far as "and", "or" and "not" determine it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from workbench.policy.terms import And, Not, Or, Term

MOST_ATOMS = 10
"""The most atoms to analyse; with more atoms, every combination of truth values is assumed possible."""


def atoms(term: Term) -> tuple[Term, ...]:
    """The parts of a condition that are joined by "and", "or" and "not"."""
    match term:
        case Not(operand):
            return atoms(operand)
        case And(operands) | Or(operands):
            return tuple(dict.fromkeys(atom for operand in operands for atom in atoms(operand)))
        case _:
            return (term,)


def holds(term: Term, atom_holds: Callable[[Term], bool]) -> bool:
    """Whether a condition is true if its atoms have these truth values."""
    match term:
        case Not(operand):
            return not holds(operand, atom_holds)
        case And(operands):
            return all(holds(operand, atom_holds) for operand in operands)
        case Or(operands):
            return any(holds(operand, atom_holds) for operand in operands)
        case _:
            return atom_holds(term)


def vectors(conditions: Sequence[Term]) -> list[tuple[bool, ...]]:
    """The combinations of truth values that conditions can have for any meaning of their atoms, each once."""
    parts = tuple(dict.fromkeys(atom for condition in conditions for atom in atoms(condition)))
    if len(parts) > MOST_ATOMS:
        return list(product((True, False), repeat=len(conditions)))
    truth_vectors: dict[tuple[bool, ...], None] = {}
    for values in product((True, False), repeat=len(parts)):
        truth_by_part = dict(zip(parts, values, strict=True))
        truth_vectors[tuple(holds(condition, truth_by_part.__getitem__) for condition in conditions)] = None
    return sorted(truth_vectors, reverse=True)
