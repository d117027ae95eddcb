"""Combined truth values of conditions, compared with all values of their atoms."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tests.plain_policies import check
from workbench.engines.smt.preview import preview
from workbench.model import ArgumentType, Kind, ProofStatus
from workbench.policy.flat.component import MOST_ATOMS, atoms, holds, vectors
from workbench.policy.terms import And, Not, Or, Term, Variable

ATOMS = tuple(Variable(name, ArgumentType(Kind.BOOL)) for name in "abcd")


def _both(operands: list[Term]) -> Term:
    return And(tuple(operands))


def _either(operands: list[Term]) -> Term:
    return Or(tuple(operands))


def _larger(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(inner.map(Not), several.map(_both), several.map(_either))


CONDITIONS: st.SearchStrategy[Term] = st.recursive(st.sampled_from(ATOMS), _larger, max_leaves=8)


def python_of(term: Term) -> str:
    """The condition in Python, as an oracle that runs it."""
    match term:
        case Not(operand):
            return f"(not {python_of(operand)})"
        case And(operands) | Or(operands):
            word = " and " if isinstance(term, And) else " or "
            return f"({word.join(python_of(operand) for operand in operands)})"
        case Variable(name):
            return name
        case _:
            raise AssertionError(term)


@given(st.lists(CONDITIONS, min_size=1, max_size=4))
def test_the_vectors_are_those_that_some_values_of_the_atoms_give(conditions: list[Term]) -> None:
    wanted: set[tuple[bool, ...]] = set()
    for values in product((True, False), repeat=len(ATOMS)):
        names = dict(zip("abcd", values, strict=True))
        row = tuple(bool(eval(python_of(condition), {}, names)) for condition in conditions)  # noqa: S307 # of this test
        known: dict[Term, bool] = {atom: names[atom.name] for atom in ATOMS}
        assert row == tuple(holds(condition, known.__getitem__) for condition in conditions)
        wanted.add(row)
    truth_vectors = vectors(conditions)
    assert set(truth_vectors) == wanted
    assert len(truth_vectors) == len(wanted)


def test_of_too_many_atoms_every_combination_is_kept() -> None:
    many = tuple(Variable(f"v{number}", ArgumentType(Kind.BOOL)) for number in range(MOST_ATOMS + 1))
    both = [And(many), Or(many)]
    assert len(atoms(both[0])) == MOST_ATOMS + 1
    assert len(vectors(both)) == 4
    assert len(vectors([And(many[:2]), Or(many[:2])])) == 3


KINDS = '''
from dataclasses import dataclass

from nagini_contracts.contracts import Ensures, Implies, Result


@dataclass(frozen=True)
class Payment:
    id: str


def forbid_unknown(
    payments: tuple[Payment, ...], cards: frozenset[str], vouchers: frozenset[str], coins: frozenset[str]
) -> bool:
    """R1: Known ones only."""
    return any(one.id not in cards and one.id not in vouchers and one.id not in coins for one in payments)


def forbid_many(
    payments: tuple[Payment, ...], cards: frozenset[str], vouchers: frozenset[str], coins: frozenset[str]
) -> bool:
    """R2: At most two of a kind, and two that are no coins."""
    return (
        sum(1 for one in payments if one.id in cards) > 2
        or sum(1 for one in payments if one.id in vouchers) > 2
        or sum(1 for one in payments if one.id in coins) > 2
        or sum(1 for one in payments if one.id in cards or one.id in vouchers) > 2
    )


def allow(
    payments: tuple[Payment, ...], cards: frozenset[str], vouchers: frozenset[str], coins: frozenset[str]
) -> bool:
    Ensures(Implies(Result(), len(payments) <= 4))
    Ensures(Implies(Result(), len(payments) <= 3))
    return not (
        forbid_unknown(payments, cards, vouchers, coins) or forbid_many(payments, cards, vouchers, coins)
    )
'''


def test_a_list_against_several_sets_is_decided() -> None:
    true, false = preview(check(KINDS), time_limit_ms=20_000).clauses
    assert true.status is ProofStatus.PROVED, true.why
    assert false.status is ProofStatus.REFUTED, false.why
    assert false.counterexample is not None
    payments = false.counterexample.arguments["payments"]
    assert isinstance(payments, tuple)
    assert len(payments) == 4
