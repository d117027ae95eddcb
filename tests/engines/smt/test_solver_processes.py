"""Queries that are solved in other processes: the same answers, and this process goes on meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.engines.smt import solver, solver_processes
from workbench.engines.smt.solver import Solver, SolverAnswer, solve_in_processes


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Solve beside this process, and end the processes after the test."""
    monkeypatch.setattr(solver, "engine_of", solver.engine_of)
    solve_in_processes()
    yield
    for process in solver_processes.processes:
        process.end()


def cubes(asked: Solver, total: int) -> solver.Smt:
    """The sum of three cubes, which is hard for 42."""
    numbers = [asked.integer(name) for name in "xyz"]
    powers = [asked.arithmetic("*", n, asked.arithmetic("*", n, n)) for n in numbers]
    whole = asked.arithmetic("+", powers[0], asked.arithmetic("+", powers[1], powers[2]))
    return asked.equal(whole, asked.number(total))


def test_a_model_is_read_from_the_other_process() -> None:
    asked = Solver(1000, cores=True)
    number, text, code, flag = asked.integer("n"), asked.text("t"), asked.code("c"), asked.boolean("b")
    asked.require(asked.equal(code, asked.code_constant(7)))
    query = asked.all_of(
        (asked.equal(number, asked.number(-3)), asked.equal(text, asked.text_constant("ä\\x")), flag)
    )

    def read() -> tuple[object, ...]:
        texts = asked.text_value(text), asked.code_value(code)
        return asked.integer_value(number), *texts, asked.boolean_value(flag)

    assert asked.check(query, read) == (SolverAnswer.SAT, (-3, "ä\\x", 7, True), "")
    assert asked.check(asked.all_of((query, asked.negation(flag))), read) == (SolverAnswer.UNSAT, None, "")
    assert asked.contradiction({"yes": flag, "three": query, "no": asked.negation(flag)}) in (
        {"yes", "no"}, {"three", "no"},
    )  # fmt: skip
    assert asked.contradiction({"yes": flag}) is None


def test_a_query_that_takes_too_long_is_ended_and_the_next_solver_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as short:
        short.setattr(solver_processes, "LEAST_SECONDS", 0.2)
        short.setattr(solver_processes, "LONGEST", 0)
        asked = Solver(60_000)
    with pytest.raises(RuntimeError, match="the process of the solver ended"):
        asked.check(cubes(asked, 42), lambda: None)
    another = Solver(1000)
    assert another.check(another.true, lambda: "read") == (SolverAnswer.SAT, "read", "")


def test_what_the_solver_does_not_take_is_told_by_the_query() -> None:
    asked = Solver(1000)
    wrong = asked.less(asked.integer("n"), asked.text("t"))
    with pytest.raises(RuntimeError, match=r"(?i)expect|sort|type"):
        asked.check(wrong, lambda: None)
