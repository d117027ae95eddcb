"""The only module that uses cvc5.

cvc5's Python package has no types, so the checks about unknown members are off here and nowhere else.
"""
# cvc5 ships no annotations or stubs: everything it returns is unknown to the type checker.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false, reportMissingImports=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cvc5

from workbench.engines.smt.solver import BITS, LONGEST, Smt, SolverAnswer

UNITS_OF_A_MILLISECOND = 80
"""About the work that cvc5 does in a millisecond of a hard query; in an easy one it does up to 500."""
_GAVE_UP = {"timeout": "time limit", "resourceout": "limit of work"}


class Cvc5:
    """One incremental cvc5 solver with its term manager."""

    def __init__(self, limit_ms: int, *, cores: bool) -> None:
        """Start it; see ``Solver``."""
        self._tm: Any = cvc5.TermManager()
        self._solver: Any = cvc5.Solver(self._tm)
        for name, value in (
            ("produce-models", "true"),
            ("incremental", "true"),
            ("strings-exp", "true"),
            ("rlimit-per", str(limit_ms * UNITS_OF_A_MILLISECOND)),
            ("tlimit-per", str(limit_ms * LONGEST)),
            ("produce-unsat-assumptions", str(cores).lower()),
        ):
            self._solver.setOption(name, value)
        self._solver.setLogic("ALL")
        self._sorts: dict[str, Any] = {
            "bool": self._tm.getBooleanSort(),
            "int": self._tm.getIntegerSort(),
            "text": self._tm.getStringSort(),
            "code": self._tm.mkBitVectorSort(BITS),
        }

    def constant(self, sort: str, name: str) -> Smt:
        """A fresh constant of a sort."""
        return Smt(self._tm.mkConst(self._sorts[sort], name))

    def literal(self, sort: str, value: bool | int | str) -> Smt:
        """The value of a sort."""
        match sort:
            case "bool":
                return Smt(self._tm.mkBoolean(value))
            case "int":
                return Smt(self._tm.mkInteger(str(value)))
            case "code":
                return Smt(self._tm.mkBitVector(BITS, value))
            case _:
                return Smt(self._tm.mkString(value, True))

    def term(self, kind: str, operands: Sequence[Smt]) -> Smt:
        """A term of a kind."""
        return Smt(self._tm.mkTerm(getattr(cvc5.Kind, kind), *operands))

    def require(self, term: Smt) -> None:
        """Add a constraint to every later query."""
        self._solver.assertFormula(term)

    def ask(self, term: Smt) -> tuple[SolverAnswer, str]:
        """Decide a query, with the reason for unknown."""
        self._solver.push()
        self._solver.assertFormula(term)
        result = self._solver.checkSat()
        if result.isSat():
            return SolverAnswer.SAT, ""
        if result.isUnsat():
            return SolverAnswer.UNSAT, ""
        reason = str(result.getUnknownExplanation()).rsplit(".", 1)[-1].lower().replace("_", " ")
        return SolverAnswer.UNKNOWN, _GAVE_UP.get(reason, reason)

    def forget(self) -> None:
        """Drop the query that was asked, and its model."""
        self._solver.pop()

    def contradicting(self, terms: Sequence[Smt]) -> Sequence[int] | None:
        """The places of terms that cannot be true together; None if all can be or it is not known."""
        if not self._solver.checkSatAssuming(*terms).isUnsat():
            return None
        core = set(self._solver.getUnsatAssumptions())
        return [place for place, term in enumerate(terms) if term in core]

    def value(self, sort: str, term: Smt) -> bool | int | str:
        """The value of a term of this sort in the model."""
        found = self._solver.getValue(term)
        match sort:
            case "bool":
                return bool(found.getBooleanValue())
            case "int":
                return int(found.getIntegerValue())
            case "code":
                return int(found.getBitVectorValue(10))
            case _:
                return str(found.getStringValue())
