"""Searching inputs: a ground query over typed arguments, decided by the solver and confirmed.

Every model is confirmed by running the property it should have; one that is not confirmed is
an ``EngineDisagreement``, never a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from workbench.engines.smt.encode import Encoder
from workbench.engines.smt.ground import FALSE
from workbench.engines.smt.parts import constant_sets, looks_inside_words, mentioned
from workbench.engines.smt.shrink import plain_value
from workbench.engines.smt.solver import Solver, SolverAnswer
from workbench.engines.smt.witnesses import witnesses
from workbench.model import Arguments, Value, WorkbenchError
from workbench.policy.terms import Parameter, PolicyTerms, Term

MOST_WITNESSES = 16
"""Queries that need more elements of sets are searched with this many, and never proved."""

LIMIT_MS = 2000
"""Default time limit of one query, in milliseconds."""


class EngineDisagreement(WorkbenchError):
    """The solver's model does not do what the solver says: an error of the workbench itself."""

    def __init__(self, what: str, arguments: Arguments, query: Term, source: str) -> None:
        """Keep the input, the ground query and the policy's text: all that a report needs."""
        values = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        super().__init__(
            f"The preview solver and the policy disagree on {what} at {values}. "
            "This is an error of the workbench: please report it with the policy and this input.",
            exit_code=3,
        )
        self.arguments = arguments
        self.query = query
        self.source = source


@dataclass(frozen=True, slots=True)
class Solved:
    """Whether an input exists, the input, and why it is not known whether there is one."""

    status: SolverAnswer
    arguments: Arguments | None = None
    why: str = ""


class Search:
    """Decides ground queries over the same arguments, reusing solvers between them."""

    def __init__(self, parameters: Iterable[Parameter], policies: Iterable[PolicyTerms] = ()) -> None:
        """Declare the arguments that queries may mention, and the policies that they are about."""
        self.parameters = tuple(parameters)
        self._policies = tuple(policies)
        self._encoders: dict[tuple[int, bool, int], tuple[Solver, Encoder]] = {}

    def solve(
        self,
        query: Term,
        confirm: Callable[[Arguments], bool],
        *,
        what: str = "a query",
        source: str = "",
        prefer: Iterable[Arguments] = (),
        time_limit_ms: int = LIMIT_MS,
    ) -> Solved:
        """Find arguments that make a ground query true.

        ``confirm`` runs the same question on concrete arguments; ``prefer`` are inputs to
        try first. Unsat is answered only where the encoding is exact.
        """
        if query == FALSE:
            return Solved(SolverAnswer.UNSAT)
        for arguments in prefer:
            if confirm(arguments):
                return Solved(SolverAnswer.SAT, arguments)
        needed = witnesses(query)
        pool = min(needed.count, MOST_WITNESSES)
        as_text = looks_inside_words(query)
        key = (pool, as_text, time_limit_ms)
        if key not in self._encoders:
            solver = Solver(time_limit_ms)
            sets = () if as_text else [words for policy in self._policies for words in constant_sets(policy)]
            encoder = Encoder(solver, self.parameters, pool, as_text=as_text, sets=sets)
            self._encoders[key] = (solver, encoder)
        solver, encoder = self._encoders[key]
        names = mentioned(query)
        answer, values, why = solver.check(encoder.query(query), lambda: encoder.read(names))
        if values is not None:
            arguments = self.complete(values)
            if not confirm(arguments):
                raise EngineDisagreement(what, arguments, query, source)
            return Solved(SolverAnswer.SAT, arguments)
        if answer is SolverAnswer.UNKNOWN:
            # A solver that gave up may keep what it learned in an odd state: start afresh.
            del self._encoders[key]
            return Solved(answer, why=f"the solver gave up ({why})")
        if not needed.exact or needed.count > MOST_WITNESSES:
            return Solved(SolverAnswer.UNKNOWN, why="more elements of a set may be needed than were tried")
        return Solved(SolverAnswer.UNSAT)

    def complete(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values of all arguments, plain ones where none is given."""
        return {
            parameter.name: values[parameter.name]
            if parameter.name in values
            else plain_value(parameter.type)
            for parameter in self.parameters
        }
