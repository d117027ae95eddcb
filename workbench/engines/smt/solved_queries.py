"""Queries that the solver answered, stored by content, so that an edit asks only the queries it changed."""

from __future__ import annotations

from dataclasses import replace

from workbench.engines.smt.formula import Formula, Solved, SolverAnswer
from workbench.engines.smt.ground_parts import mentioned
from workbench.engines.smt.ground_terms import forget_grounder
from workbench.engines.smt.shrink import constants, joined, shrink
from workbench.model import Arguments
from workbench.policy.connectives import FALSE, TRUE
from workbench.policy.result_cache import Recent
from workbench.policy.terms import Parameter, Term

_MOST = 4096

type _Key = tuple[tuple[Parameter, ...], Term, int, bool]
type _Question = tuple[tuple[Parameter, ...], Term]


_solved: Recent[_Key, Solved] = Recent(_MOST)
_inputs: Recent[_Question, Arguments] = Recent(_MOST)
"""The last input found for a question, under any rules."""


def forget() -> None:
    """Drop all stored solved queries and ground terms (for measurements)."""
    _solved.clear()
    _inputs.clear()
    forget_grounder()


def solve(
    formula: Formula,
    condition: Term,
    limit: int,
    *,
    plain: bool = True,
    query: Term | None = None,
    doubted: bool = False,
) -> tuple[Solved, bool]:
    """Solve a condition or take the stored answer, and whether it was stored; ``plain`` shrinks the input.

    If any input will do, the one found before an edit is run first, because usually it still fits.
    """
    question = (formula.terms.arguments, condition)
    prefer = () if plain else kept_input(formula, condition)
    if query is None:
        for arguments in prefer:
            if formula.runner.holds(condition, arguments):
                return Solved(SolverAnswer.SAT, arguments), True
        query, prefer = formula.query(condition), ()
    key = (formula.terms.arguments, query, limit, plain)
    solved = _solved.get(key)
    if solved is not None:
        return solved, True
    solved = formula.solve(condition, query=query, prefer=prefer, time_limit_ms=limit, doubted=doubted)
    if solved.arguments is not None:
        _inputs.put(question, solved.arguments)
    if plain and solved.arguments is not None:
        solved = replace(solved, arguments=smallest(formula, condition, solved.arguments))
    _solved.put(key, solved)
    return solved, False


def kept_input(formula: Formula, condition: Term) -> tuple[Arguments, ...]:
    """The last input found for a condition, under any rules; empty if there is none."""
    arguments = _inputs.get((formula.terms.arguments, condition))
    return () if arguments is None else (arguments,)


def smallest(formula: Formula, condition: Term, arguments: Arguments) -> Arguments:
    """Shrink an input on which ``condition`` holds to a plain one on which it still holds."""
    ground = formula.grounder.ground(condition, TRUE)
    return shrink(
        arguments,
        formula.terms.arguments,
        formula.trial(condition),
        joined((constants(ground), *map(formula.constants, formula.rules.values()))),
        focus=mentioned(ground) | mentioned(formula.grounder.ground(condition, FALSE)),
    )
