"""Searching inputs: a ground query over typed arguments, decided by the solver and confirmed.

Every model is confirmed by running the property it should have; an unconfirmed model is an
``EngineDisagreement``, never a result. A query about lists is made flat (``policy.flat``). This keeps every
input but may add inputs that no lists have; there an unconfirmed model means nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from workbench.engines.smt.encode import Encoder
from workbench.engines.smt.ground_parts import constant_sets, looks_inside_words, mentioned
from workbench.engines.smt.solver import Solver, SolverAnswer, unless_it_fails
from workbench.engines.smt.witnesses import witnesses
from workbench.model import Arguments, Kind, Value, WorkbenchError
from workbench.policy.connectives import conjunction, is_false
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.flatten import Flat, flatten
from workbench.policy.flat.opening import gather, opened
from workbench.policy.terms import Parameter, PolicyTerms, Term

MOST_WITNESSES = 16
"""The largest pool of set elements; queries that need more are searched with it, and never proved."""

_NO_LISTS = "an input was found but no lists that have it"
LIMIT_MS = 2000
"""The default limit of one query, in milliseconds of work."""
_OF_HINTS = 4
"""A search with hints has this part of the limit: what it does not decide is asked without them.

Only where an input is found then that no lists have, it gets the whole limit.
"""


class EngineDisagreement(WorkbenchError):
    """The solver's model does not have its property: an error of the workbench itself."""

    def __init__(
        self, subject: str, arguments: Arguments, query: Term, policies: Iterable[PolicyTerms]
    ) -> None:
        """Keep everything for a report: the input, the ground query and the policies."""
        values = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        super().__init__(
            f"The preview solver and the policy disagree on {subject} at {values}. "
            "This is an error of the workbench: please report it with the policy and this input.",
            exit_code=3,
        )
        self.arguments = arguments
        self.query = query
        self.policies = tuple(policies)


@dataclass(frozen=True, slots=True)
class Solved:
    """Whether an input exists, the input, and the reason if the existence is unknown."""

    status: SolverAnswer
    arguments: Arguments | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class _FlatEncoder:
    """The solver and encoder that the queries of one flat question share, with hints and without."""

    parameters: tuple[Parameter, ...]
    key: tuple[int, bool, int]
    solver: Solver
    encoder: Encoder

    def serves(self, parameters: tuple[Parameter, ...], key: tuple[int, bool, int]) -> bool:
        """Whether it has these arguments, and at least as many elements of sets as are needed."""
        return self.parameters is parameters and self.key[1:] == key[1:] and self.key[0] >= key[0]


class Search:
    """Decides ground queries over the same arguments, reusing solvers between them."""

    def __init__(self, parameters: Iterable[Parameter], policies: Iterable[PolicyTerms] = ()) -> None:
        """Declare the arguments that queries may mention, and the policies that the queries are about.

        Queries mention the fields of records (see ``policy.flat.opening``).
        """
        self.parameters = tuple(parameters)
        self.opened = tuple(
            part for parameter in self.parameters for part in opened(parameter.name, parameter.type)
        )
        self._policies = tuple(policies)
        self._sets = tuple(words for policy in self._policies for words in constant_sets(policy))
        self._encoders: dict[tuple[int, bool, int], tuple[Solver, Encoder]] = {}
        self._flat: _FlatEncoder | None = None

    def solve(
        self,
        query: Term,
        confirm: Callable[[Arguments], bool],
        *,
        subject: str = "a query",
        prefer: Iterable[Arguments] = (),
        time_limit_ms: int = LIMIT_MS,
        doubted: bool = False,
    ) -> Solved:
        """Find arguments that make a ground query true.

        ``confirm`` checks concrete arguments by running the property; ``prefer`` are inputs to try first.
        Unsat is answered only if the encoding is exact. If it is ``doubted`` that there are such arguments,
        plain lists are not tried first.
        """
        if is_false(query):
            return Solved(SolverAnswer.UNSAT)
        for arguments in prefer:
            if confirm(arguments):
                return Solved(SolverAnswer.SAT, arguments)
        try:
            flat = flatten(self._policies[0], (query,), self.opened) if self._policies else None
        except FlatLimit as limit:
            return Solved(SolverAnswer.UNKNOWN, why=str(limit))
        if flat is not None and flat.has_lists:
            return self._solve_flat(flat, confirm, time_limit_ms, doubted=doubted)
        solved = self._decide(query, self.opened, time_limit_ms)
        if solved.arguments is None:
            return solved
        arguments = self.complete(solved.arguments)
        if not confirm(arguments):
            raise EngineDisagreement(subject, arguments, query, self._policies)
        return Solved(SolverAnswer.SAT, arguments)

    def _solve_flat(
        self, flat: Flat, confirm: Callable[[Arguments], bool], time_limit_ms: int, *, doubted: bool
    ) -> Solved:
        """Find lists for a flat query, short and plain ones first; only without hints unsat is an answer."""
        solved = Solved(SolverAnswer.UNKNOWN, why=_NO_LISTS)
        undecided: list[tuple[Term, ...]] = []
        part = time_limit_ms // _OF_HINTS
        first = [(hints, part if hints else time_limit_ms) for hints in flat.hints]
        for hints, limit in (*([((), time_limit_ms)] if doubted else []), *first):
            solved = self._decide_flat(flat, hints, limit, confirm)
            if solved.status is SolverAnswer.SAT or (solved.status is SolverAnswer.UNSAT and not hints):
                return solved
            if solved.status is SolverAnswer.UNKNOWN and solved.why != _NO_LISTS and hints:
                undecided.append(hints)
        if solved.why == _NO_LISTS:
            for hints in undecided:
                found = self._decide_flat(flat, hints, time_limit_ms, confirm)
                if found.status is SolverAnswer.SAT:
                    return found
        return solved

    def _decide_flat(
        self, flat: Flat, hints: tuple[Term, ...], limit: int, confirm: Callable[[Arguments], bool]
    ) -> Solved:
        """Ask under hints; an input that no lists have is no answer."""
        query = conjunction((*flat.requires, *flat.parts, *hints))
        solved = self._decide(query, flat.parameters, limit, flat.sums)
        if solved.arguments is None:
            return solved
        with suppress(FlatLimit):
            arguments = self.complete(flat.rebuild(solved.arguments))
            if confirm(arguments):
                return Solved(SolverAnswer.SAT, arguments)
        return Solved(SolverAnswer.UNKNOWN, why=_NO_LISTS)

    def _decide(
        self,
        query: Term,
        parameters: tuple[Parameter, ...],
        time_limit_ms: int,
        sums: frozenset[str] = frozenset(),
    ) -> Solved:
        """Ask the solver; the arguments are those of its model that the query mentions."""
        if is_false(query):
            return Solved(SolverAnswer.UNSAT)
        needed = witnesses(query)
        key = (min(needed.count, MOST_WITNESSES), looks_inside_words(query), time_limit_ms)

        def ask() -> Solved:
            solver, encoder = self._encoder(parameters, key, sums)
            names = mentioned(query)
            answer, values, why = solver.check(encoder.query(query), lambda: encoder.read(names))
            return Solved(answer, values, f"the solver gave up ({why})" if why else "")

        solved = unless_it_fails(ask, lambda why: Solved(SolverAnswer.UNKNOWN, why=why))
        if solved.status is SolverAnswer.UNKNOWN:
            # A solver that gave up may have an inconsistent state from what it learned: start a new one.
            if parameters is self.opened:
                self._encoders.pop(key, None)
            self._flat = None
        if solved.status is not SolverAnswer.UNSAT:
            return solved
        if not needed.exact or needed.count > MOST_WITNESSES:
            return Solved(SolverAnswer.UNKNOWN, why="more elements of a set may be needed than were tried")
        return Solved(SolverAnswer.UNSAT)

    def _encoder(
        self,
        parameters: tuple[Parameter, ...],
        key: tuple[int, bool, int],
        sums: frozenset[str],
    ) -> tuple[Solver, Encoder]:
        """A solver with the arguments declared; those of the policy and of the last flat query are kept."""
        pool, as_text, time_limit_ms = key
        is_of_policy = parameters is self.opened
        if is_of_policy and key in self._encoders:
            return self._encoders[key]
        flat_encoder = self._flat
        if flat_encoder is not None and flat_encoder.serves(parameters, key):
            return flat_encoder.solver, flat_encoder.encoder
        solver = Solver(time_limit_ms)
        sets = () if as_text else self._sets
        scalars = [parameter for parameter in parameters if parameter.type.kind is not Kind.LIST]
        encoder = Encoder(solver, scalars, pool, as_text=as_text, sets=sets, unbounded=sums)
        if is_of_policy:
            self._encoders[key] = (solver, encoder)
        else:
            self._flat = _FlatEncoder(parameters, key, solver, encoder)
        return solver, encoder

    def complete(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return values of all arguments, with plain ones for those that are not given."""
        return gather(self.parameters, values)
