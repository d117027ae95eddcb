"""The only module that uses cvc5, with narrow typed wrappers.

cvc5's Python package has no types, so the checks about unknown members are off here and nowhere else. Every
returned term is an opaque ``Smt``.
"""
# cvc5 ships no annotations or stubs: everything it returns is unknown to the type checker.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false, reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, NewType

import cvc5
from cvc5 import Kind

Smt = NewType("Smt", object)

BITS = 16
"""The width of the codes of words: 65,536 words per policy."""
UNITS_OF_A_MILLISECOND = 80
"""About the work that cvc5 does in a millisecond of a hard query; in an easy one it does up to 500."""
LONGEST = 5
"""The time limit by the clock, in multiples of the usual time of the work."""
_LONGEST_REASON = 200
_GAVE_UP = {"timeout": "time limit", "resourceout": "limit of work"}


class SolverAnswer(StrEnum):
    """The solver's answer to a query."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


def unless_it_fails[T](ask: Callable[[], T], unknown: Callable[[str], T]) -> T:
    """What ``ask`` finds out with a solver, or ``unknown(reason)`` if the solver raises instead.

    cvc5 raises RuntimeError for a term that it does not take and for an operation that it does not support.
    Terms that are too deep for Python raise the same. A solver that has failed is not to be used again.
    """
    try:
        return ask()
    except RuntimeError as error:
        reason = " ".join(str(error).split())[:_LONGEST_REASON]
        return unknown(f"the solver failed: {reason or type(error).__name__}")


class Solver:
    """One incremental cvc5 solver with its term manager. Use it from one thread at a time."""

    def __init__(self, limit_ms: int, *, cores: bool = False) -> None:
        """Start a solver whose every query ends after ``limit_ms`` milliseconds of work on a usual processor.

        Work is counted in the solver's own units, so an answer is the same on a busy machine as on an idle
        one. The clock only ends a query that uses few units and does not end. ``cores`` is needed for
        ``contradiction``.
        """
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
        self._bool: Any = self._tm.getBooleanSort()
        self._int: Any = self._tm.getIntegerSort()
        self._string: Any = self._tm.getStringSort()
        self._bits: Any = self._tm.mkBitVectorSort(BITS)
        self.true = Smt(self._tm.mkTrue())
        self.false = Smt(self._tm.mkFalse())

    def boolean(self, name: str) -> Smt:
        """A fresh truth value."""
        return Smt(self._tm.mkConst(self._bool, name))

    def integer(self, name: str) -> Smt:
        """A fresh integer."""
        return Smt(self._tm.mkConst(self._int, name))

    def text(self, name: str) -> Smt:
        """A fresh string."""
        return Smt(self._tm.mkConst(self._string, name))

    def code(self, name: str) -> Smt:
        """A fresh code of a word."""
        return Smt(self._tm.mkConst(self._bits, name))

    def number(self, value: int) -> Smt:
        """An integer constant of any size."""
        return Smt(self._tm.mkInteger(str(value)))

    def code_constant(self, value: int) -> Smt:
        """The constant code ``value`` in ``[0, 2**BITS)``."""
        return Smt(self._tm.mkBitVector(BITS, value))

    def text_constant(self, value: str) -> Smt:
        """A string constant of code points up to U+2FFFF, taken literally."""
        escaped = "".join(c if 32 <= ord(c) < 127 and c != "\\" else f"\\u{{{ord(c):x}}}" for c in value)
        return Smt(self._tm.mkString(escaped, True))

    def negation(self, term: Smt) -> Smt:
        """Negation."""
        return self._term(Kind.NOT, term)

    def all_of(self, terms: Iterable[Smt]) -> Smt:
        """Conjunction of any number of terms."""
        return self._joined(Kind.AND, tuple(terms), self.true)

    def any_of(self, terms: Iterable[Smt]) -> Smt:
        """Disjunction of any number of terms."""
        return self._joined(Kind.OR, tuple(terms), self.false)

    def equal(self, left: Smt, right: Smt) -> Smt:
        """Equality of two terms of one sort."""
        return self._term(Kind.EQUAL, left, right)

    def less(self, left: Smt, right: Smt) -> Smt:
        """``left < right`` of integers."""
        return self._term(Kind.LT, left, right)

    def at_most(self, left: Smt, right: Smt) -> Smt:
        """``left <= right`` of integers."""
        return self._term(Kind.LEQ, left, right)

    def codes_between(self, code: Smt, first: int, last: int) -> Smt:
        """``first <= code <= last`` of codes."""
        if first == last:
            return self.equal(code, self.code_constant(first))
        lower = self._term(Kind.BITVECTOR_ULE, self.code_constant(first), code)
        return self.all_of((lower, self._term(Kind.BITVECTOR_ULE, code, self.code_constant(last))))

    def choice(self, condition: Smt, then: Smt, otherwise: Smt) -> Smt:
        """If-then-else of two terms of one sort."""
        return self._term(Kind.ITE, condition, then, otherwise)

    def arithmetic(self, operator: str, left: Smt, right: Smt) -> Smt:
        """``+ - * // %`` of integers; division is by a positive constant."""
        kinds = {
            "+": Kind.ADD,
            "-": Kind.SUB,
            "*": Kind.MULT,
            "//": Kind.INTS_DIVISION,
            "%": Kind.INTS_MODULUS,
        }
        return self._term(kinds[operator], left, right)

    def starts_with(self, text: Smt, constant: Smt) -> Smt:
        """Whether a string starts with another."""
        return self._term(Kind.STRING_PREFIX, constant, text)

    def ends_with(self, text: Smt, constant: Smt) -> Smt:
        """Whether a string ends with another."""
        return self._term(Kind.STRING_SUFFIX, constant, text)

    def contains(self, text: Smt, constant: Smt) -> Smt:
        """Whether a string contains a constant.

        The test is a regular expression: cvc5 finds models of several negated tests much faster than with its
        own operation, which it reduces to quantifiers over positions.
        """
        anything = self._term(Kind.REGEXP_ALL)
        inside = self._term(Kind.STRING_TO_REGEXP, constant)
        pattern = self._term(Kind.REGEXP_CONCAT, anything, inside, anything)
        return self._term(Kind.STRING_IN_REGEXP, text, pattern)

    def length(self, text: Smt) -> Smt:
        """The number of code points of a string."""
        return self._term(Kind.STRING_LENGTH, text)

    def require(self, term: Smt) -> None:
        """Add a constraint to every later query."""
        self._solver.assertFormula(term)

    def check[T](self, term: Smt, read: Callable[[], T]) -> tuple[SolverAnswer, T | None, str]:
        """Decide a query; ``read`` runs on the model before it is dropped. Returns the reason for unknown."""
        self._solver.push()
        try:
            self._solver.assertFormula(term)
            result = self._solver.checkSat()
            if result.isSat():
                return SolverAnswer.SAT, read(), ""
            if result.isUnsat():
                return SolverAnswer.UNSAT, None, ""
            reason = str(result.getUnknownExplanation()).rsplit(".", 1)[-1].lower().replace("_", " ")
            return SolverAnswer.UNKNOWN, None, _GAVE_UP.get(reason, reason)
        finally:
            self._solver.pop()

    def contradiction[K](self, terms: Mapping[K, Smt]) -> set[K] | None:
        """The keys of terms that cannot be true together; None if all can be or it is not known."""
        if not self._solver.checkSatAssuming(*terms.values()).isUnsat():
            return None
        core = set(self._solver.getUnsatAssumptions())
        return {key for key, term in terms.items() if term in core}

    def boolean_value(self, term: Smt) -> bool:
        """The value of a truth value in the model being read."""
        return bool(self._solver.getValue(term).getBooleanValue())

    def integer_value(self, term: Smt) -> int:
        """The value of an integer in the model being read."""
        return int(self._solver.getValue(term).getIntegerValue())

    def code_value(self, term: Smt) -> int:
        """The value of a code in the model being read."""
        return int(self._solver.getValue(term).getBitVectorValue(10))

    def text_value(self, term: Smt) -> str:
        """The value of a string in the model being read."""
        return str(self._solver.getValue(term).getStringValue())

    def _term(self, kind: object, *operands: Smt) -> Smt:
        return Smt(self._tm.mkTerm(kind, *operands))

    def _joined(self, kind: object, terms: tuple[Smt, ...], neutral: Smt) -> Smt:
        return terms[0] if len(terms) == 1 else self._term(kind, *terms) if terms else neutral
