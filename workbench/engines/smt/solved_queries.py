"""Queries that the solver answered, stored by content, so that an edit asks only the queries it changed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from threading import Lock

from workbench.engines.smt.formula import Formula, Solved, SolverAnswer
from workbench.engines.smt.ground_parts import mentioned
from workbench.engines.smt.ground_terms import forget_grounder
from workbench.engines.smt.shrink import constants, joined, shrink
from workbench.model import Arguments
from workbench.policy.connectives import FALSE, TRUE
from workbench.policy.terms import Parameter, Term

_MOST = 4096

type _Key = tuple[tuple[Parameter, ...], Term, int, bool]
type _Question = tuple[tuple[Parameter, ...], Term]


class _Cache:
    """Answers by query, and the last input found for a condition; the oldest entries are dropped first."""

    def __init__(self) -> None:
        self._solved: OrderedDict[_Key, Solved] = OrderedDict()
        self._inputs: OrderedDict[_Question, Arguments] = OrderedDict()
        self._lock = Lock()

    def get(self, key: _Key) -> Solved | None:
        with self._lock:
            solved = self._solved.get(key)
            if solved is not None:
                self._solved.move_to_end(key)
            return solved

    def put(self, key: _Key, solved: Solved) -> None:
        with self._lock:
            self._solved[key] = solved
            while len(self._solved) > _MOST:
                self._solved.popitem(last=False)

    def input(self, question: _Question) -> tuple[Arguments, ...]:
        """The last input found for a question, under any rules."""
        with self._lock:
            arguments = self._inputs.get(question)
            return () if arguments is None else (arguments,)

    def keep_input(self, question: _Question, arguments: Arguments) -> None:
        with self._lock:
            self._inputs[question] = arguments
            while len(self._inputs) > _MOST:
                self._inputs.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._solved.clear()
            self._inputs.clear()


_cache = _Cache()


def forget() -> None:
    """Drop all stored solved queries and ground terms (for measurements)."""
    _cache.clear()
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
    prefer = () if plain else _cache.input(question)
    if query is None:
        for arguments in prefer:
            if formula.runner.holds(condition, arguments):
                return Solved(SolverAnswer.SAT, arguments), True
        query, prefer = formula.query(condition), ()
    key = (formula.terms.arguments, query, limit, plain)
    solved = _cache.get(key)
    if solved is not None:
        return solved, True
    solved = formula.solve(condition, query=query, prefer=prefer, time_limit_ms=limit, doubted=doubted)
    if solved.arguments is not None:
        _cache.keep_input(question, solved.arguments)
    if plain and solved.arguments is not None:
        solved = replace(solved, arguments=smallest(formula, condition, solved.arguments))
    _cache.put(key, solved)
    return solved, False


def kept_input(formula: Formula, condition: Term) -> tuple[Arguments, ...]:
    """The last input found for a condition, under any rules; empty if there is none."""
    return _cache.input((formula.terms.arguments, condition))


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
