"""The preview solver on policies over records and lists: it excludes no possible input."""

from __future__ import annotations

from random import Random

from hypothesis import event, given, settings

from tests.examples import examples
from tests.policy.flat.listed import draws, goal, policy, some_arguments
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.engines.smt.preview import preview
from workbench.model import ProofStatus
from workbench.policy.check import check
from workbench.policy.evaluate import evaluate


@settings(max_examples=examples(60))
@given(draws)
def test_what_an_input_shows_is_never_excluded(draw: Random) -> None:
    formula = Formula(policy())
    term, arguments = goal(draw), some_arguments(draw)
    solved = formula.solve(term)
    event(solved.status)
    if evaluate(formula.terms, term, arguments) is True:
        assert solved.status is not SolverAnswer.UNSAT
    if solved.arguments is not None:
        assert evaluate(formula.terms, term, solved.arguments) is True


OF_AN_ELEMENT = '''from dataclasses import dataclass

from nagini_contracts.contracts import Ensures, Implies, Result


@dataclass(frozen=True)
class Query:
    tables: frozenset[str]


def only_orders(tables: frozenset[str]) -> bool:
    return "users" not in tables and all(table == "orders" for table in tables)


def forbid_other(queries: tuple[Query, ...]) -> bool:
    """R1: Only orders."""
    return any(not only_orders(query.tables) for query in queries)


def allow(queries: tuple[Query, ...]) -> bool:
    # R1: Nothing else.
    Ensures(Implies(Result(), all("items" not in query.tables for query in queries)))
    # R1: All of them.
    Ensures(Implies(Result(), all("orders" in query.tables for query in queries)))
    return not (forbid_other(queries))
'''


def test_a_helper_may_take_the_set_of_an_element() -> None:
    proved, refuted = preview(check(OF_AN_ELEMENT)).clauses
    assert proved.status is ProofStatus.PROVED
    assert refuted.counterexample is not None
    assert refuted.counterexample.confirmed
