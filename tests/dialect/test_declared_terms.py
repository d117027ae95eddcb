"""The terms of a lowered policy are what the checker of the dialect makes of their text.

Engines rely on that: names have the types of the declared arguments, and every part has types that fit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialect.call_policies import policy_text
from tests.dialect.naive_decision import Translated
from tests.examples import examples
from tests.plain_policies import file_of, scope_of
from workbench.dialect.declared_terms import DeclaredTerms
from workbench.model import Argument, ArgumentType, Kind, RecordType
from workbench.policy.checker.expressions import condition
from workbench.policy.checker.scope import MOST_PARTS
from workbench.policy.connectives import is_true
from workbench.policy.names import IMPORTS
from workbench.policy.problems import PolicyError
from workbench.policy.term_text import render_term
from workbench.policy.terms import Count, Or, PolicyTerms, Term, Variable
from workbench.policy.types import BOOL, INT, SET
from workbench.policy.walk import children, with_children
from workbench.session.session import Session

SESSIONS = sorted((Path(__file__).resolve().parents[2] / "sessions").iterdir())


def conditions(terms: PolicyTerms) -> Iterator[Term]:
    yield from (rule.body for rule in terms.rules)
    yield from (clause.term for clause in (*terms.assumed, *terms.clauses))


def read_again(term: Term, terms: PolicyTerms) -> Term:
    """What the checker makes of the text of a term over the arguments of its policy."""
    file = file_of(f"(\n{render_term(term, terms.tables)}\n)")
    file.imported |= {name for names in IMPORTS.values() for name in names}
    file.sets, file.tables = dict(terms.sets), dict(terms.tables)
    (statement,) = file.read.tree.body
    assert isinstance(statement, ast.Expr)
    scope = replace(scope_of(terms.arguments), contract=True, result=True)
    typed = condition(statement.value, scope, file)
    file.problems.raise_if_any()
    assert typed is not None
    return typed.term


def with_plain_lengths(term: Term) -> Term:
    """The term with one name for the elements that ``len`` counts, of which its text says nothing."""
    if isinstance(term, Count) and is_true(term.condition):
        term = replace(term, variable=replace(term.variable, name="item"))
    return with_children(term, tuple(map(with_plain_lengths, children(term))))


def is_as_read(terms: PolicyTerms) -> None:
    for term in conditions(terms):
        assert repr(with_plain_lengths(read_again(term, terms))) == repr(with_plain_lengths(term))
    for rule in terms.rules:
        taken = scope_of(rule.parameters)
        assert [one for one in terms.arguments if one.name in taken.names] == list(rule.parameters)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name)
def test_the_terms_of_a_shipped_session_are_those_of_their_text(path: Path) -> None:
    with Session.open(path, read_only=True) as session:
        is_as_read(session.evaluated().terms)


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**32).map(Random))
def test_the_terms_of_any_policy_are_those_of_their_text(random: Random) -> None:
    is_as_read(Translated(policy_text(random, 3)).lowered.terms)


def test_a_rule_that_is_too_large_for_all_its_tools_together_is_refused_at_its_line() -> None:
    declared = DeclaredTerms([Argument("is_it", BOOL)], 2)
    whole = Or((Variable("is_it", BOOL),) * MOST_PARTS)
    with pytest.raises(PolicyError) as refused:
        declared.term(whole, 7)
    (problem,) = refused.value.problems
    assert (problem.line, problem.message[:28]) == (7, "This grows to more than 2000")
    assert declared.term(Or(whole.operands[:-1])) == Or(whole.operands[:-1])


@pytest.mark.parametrize(
    "type_",
    [
        replace(SET, optional=True),
        ArgumentType(Kind.LIST, element=replace(INT, optional=True)),
        ArgumentType(Kind.LIST, element=SET),
    ],
)
def test_a_type_that_no_engine_knows_is_refused(type_: ArgumentType) -> None:
    for declared in (
        type_,
        ArgumentType(Kind.RECORD, record=RecordType("Thing", (("parts", type_),))),
    ):
        with pytest.raises(PolicyError):
            DeclaredTerms([Argument("parts", declared)], 2)
