"""Processes that solve queries, so that the threads of this one go on.

An engine here collects what is asked of it, and sends it when an answer is needed. A process that needs too
much memory or time is ended: its queries are unknown, and the next solver starts another.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from threading import Lock, Timer
from typing import IO, cast

from workbench.engines.smt.solver import LONGEST, Engine, Smt, SolverAnswer

MOST_PROCESSES = 2
MOST_BYTES = 2_000_000_000
LEAST_SECONDS = 20.0
"""The time that a query may take by the clock at least: a process may have to start for it."""
_SLOW = 3
"""The time after which a process is ended, in multiples of the longest time that its query may take."""

type _Step = tuple[int, int, str, tuple[object, ...]]
"""A call of a method: the solver, the number of the term that it makes or 0, the method, its operands."""

_numbers = count(1)
processes: list[_Process] = []
_choosing = Lock()


class _Process:
    """A process with solvers; one thread at a time waits for it."""

    def __init__(self) -> None:
        self.turn = Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.unused: list[int] = []
        """The solvers that nothing refers to any more."""

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        self._process.kill()
        self._process.wait()

    def answer(self, steps: Sequence[_Step], seconds: float) -> object:
        """The value of the last step; raises RuntimeError if one of them fails, or the process ends."""
        with self.turn, self._ended_after(seconds):
            unused, self.unused = self.unused, []
            try:
                sent = cast("IO[bytes]", self._process.stdin)
                pickle.dump((unused, steps), sent)
                sent.flush()
                value, error = pickle.load(cast("IO[bytes]", self._process.stdout))
            except (EOFError, OSError, pickle.UnpicklingError) as ended:
                self.end()
                raise RuntimeError("the process of the solver ended") from ended
        if error:
            raise RuntimeError(error)
        return value

    @contextmanager
    def _ended_after(self, seconds: float) -> Generator[None]:
        timer = Timer(seconds, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


class _Beside:
    """An engine in another process."""

    def __init__(self, process: _Process, limit_ms: int, *, cores: bool) -> None:
        self._process = process
        self._solver = next(_numbers)
        self._seconds = max(limit_ms * LONGEST * _SLOW / 1000, LEAST_SECONDS)
        self._steps: list[_Step] = [(self._solver, 0, "", (limit_ms, cores))]
        self._terms = count(1)

    def __del__(self) -> None:
        self._process.unused.append(self._solver)

    def constant(self, sort: str, name: str) -> Smt:
        return self._made("constant", sort, name)

    def literal(self, sort: str, value: bool | int | str) -> Smt:
        return self._made("literal", sort, value)

    def term(self, kind: str, operands: Sequence[Smt]) -> Smt:
        return self._made("term", kind, tuple(operands))

    def require(self, term: Smt) -> None:
        self._steps.append((self._solver, 0, "require", (term,)))

    def ask(self, term: Smt) -> tuple[SolverAnswer, str]:
        return cast("tuple[SolverAnswer, str]", self._answer("ask", term))

    def forget(self) -> None:
        self._steps.append((self._solver, 0, "forget", ()))

    def contradicting(self, terms: Sequence[Smt]) -> Sequence[int] | None:
        return cast("Sequence[int] | None", self._answer("contradicting", tuple(terms)))

    def value(self, sort: str, term: Smt) -> bool | int | str:
        return cast("bool | int | str", self._answer("value", sort, term))

    def _made(self, method: str, *operands: object) -> Smt:
        number = next(self._terms)
        self._steps.append((self._solver, number, method, operands))
        return Smt(number)

    def _answer(self, method: str, *operands: object) -> object:
        steps, self._steps = [*self._steps, (self._solver, 0, method, operands)], []
        return self._process.answer(steps, self._seconds)


def engine(limit_ms: int, cores: bool) -> Engine:
    """An engine in a process that has nothing to do, if there is one."""
    with _choosing:
        processes[:] = [process for process in processes if process.alive]
        idle = [process for process in processes if not process.turn.locked()]
        if not idle and len(processes) < MOST_PROCESSES:
            processes.append(_Process())
        return _Beside((idle or processes)[-1], limit_ms, cores=cores)


# --- in the process


class _Engines:
    """The engines of the solvers in this process, with their terms by number."""

    def __init__(self) -> None:
        self._by_solver: dict[int, tuple[Engine, dict[int, Smt]]] = {}

    def drop(self, solver: int) -> None:
        self._by_solver.pop(solver, None)

    def do(self, step: _Step) -> object:
        """Do a step; the terms among its operands stand there by their numbers."""
        from workbench.engines.smt.cvc5_engine import Cvc5

        solver, number, method, operands = step
        if not method:
            limit_ms, cores = cast("tuple[int, bool]", operands)
            self._by_solver[solver] = Cvc5(limit_ms, cores=cores), {}
            return None
        made, terms = self._by_solver[solver]
        first, last = operands[:-1], operands[-1] if operands else ()
        if method in _OF_TERMS:
            of = [terms[one] for one in cast("tuple[int, ...]", last)]
            operands = (*first, of)
        elif method in _OF_A_TERM:
            operands = (*first, terms[cast("int", last)])
        value = getattr(made, method)(*operands)
        if number:
            terms[number] = Smt(value)
        return value


_OF_TERMS, _OF_A_TERM = ("term", "contradicting"), ("require", "ask", "value")


def _serve() -> None:
    """Do the steps that come, until no more can come."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    engines = _Engines()
    while True:
        try:
            unused, steps = cast("tuple[list[int], list[_Step]]", pickle.load(sys.stdin.buffer))
        except EOFError:
            return
        for solver in unused:
            engines.drop(solver)
        value, error = None, ""
        try:
            for step in steps:
                value = engines.do(step)
        except (RuntimeError, MemoryError, KeyError) as problem:
            value, error = None, " ".join(str(problem).split()) or type(problem).__name__
        pickle.dump((value, error), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _serve()
