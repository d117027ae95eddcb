"""Connectives of terms: what they say plainly cannot hold."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.model import ArgumentType, Kind
from workbench.policy.connectives import is_contradictory
from workbench.policy.terms import And, Not, Or, Term, Variable

NAMES: tuple[str, ...] = ("a", "b", "c")
VARIABLES: st.SearchStrategy[Term] = st.sampled_from(
    [Variable(name, ArgumentType(Kind.BOOL)) for name in NAMES]
)
CONDITIONS = st.recursive(
    VARIABLES,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda ones: And(tuple(ones))),
        st.lists(inner, min_size=2, max_size=3).map(lambda ones: Or(tuple(ones))),
    ),
    max_leaves=4,
)


def holds(term: Term, world: Mapping[str, bool]) -> bool:
    match term:
        case Variable(name):
            return world[name]
        case Not(operand):
            return not holds(operand, world)
        case And(operands):
            return all(holds(one, world) for one in operands)
        case Or(operands):
            return any(holds(one, world) for one in operands)
        case _:
            raise AssertionError(term)


@given(st.lists(CONDITIONS, min_size=1, max_size=5))
@settings(max_examples=examples(60), deadline=None)
def test_what_is_contradictory_holds_for_no_values(terms: list[Term]) -> None:
    worlds = (dict(zip(NAMES, values, strict=True)) for values in product((True, False), repeat=3))
    can_hold = any(all(holds(term, world) for term in terms) for world in worlds)
    assert not (is_contradictory(terms) and can_hold)


def test_a_condition_and_its_denial_are_contradictory() -> None:
    a, b, c = (Variable(name, ArgumentType(Kind.BOOL)) for name in NAMES)
    assert is_contradictory((a, b, Not(Or((a, c))), Or((a, c))))
    assert is_contradictory((a, b, Not(And((a, b)))))
    assert not is_contradictory((a, Not(b), Not(And((a, b)))))
