"""Terms of the solver and its answers, with narrow typed wrappers; every returned term is an opaque ``Smt``.

The solver holds the interpreter as long as a query lasts, and no other thread runs meanwhile. A program that
draws has its queries solved in processes of their own (``solve_in_processes``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NewType, Protocol

Smt = NewType("Smt", object)

BITS = 16
"""The width of the codes of words: 65,536 words per policy."""
LONGEST = 5
"""The time limit by the clock, in multiples of the usual time of the work."""
_LONGEST_REASON = 200


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


class Engine(Protocol):
    """What decides the queries of one ``Solver``: cvc5 in this process, or in one of its own."""

    def constant(self, sort: str, name: str) -> Smt:
        """A fresh constant of a sort: ``bool``, ``int``, ``text`` or ``code``."""
        ...

    def literal(self, sort: str, value: bool | int | str) -> Smt:
        """The value of a sort; a text has its characters as SMT-LIB writes them."""
        ...

    def term(self, kind: str, operands: Sequence[Smt]) -> Smt:
        """A term of a kind, by cvc5's name of it."""
        ...

    def require(self, term: Smt) -> None:
        """Add a constraint to every later query."""
        ...

    def ask(self, term: Smt) -> tuple[SolverAnswer, str]:
        """Decide a query, with the reason for unknown; the model is there until ``forget``."""
        ...

    def forget(self) -> None:
        """Drop the query that was asked, and its model."""
        ...

    def contradicting(self, terms: Sequence[Smt]) -> Sequence[int] | None:
        """The places of terms that cannot be true together; None if all can be or it is not known."""
        ...

    def value(self, sort: str, term: Smt) -> bool | int | str:
        """The value of a term of this sort in the model."""
        ...


class Solver:
    """One incremental solver. Use it from one thread at a time."""

    def __init__(self, limit_ms: int, *, cores: bool = False) -> None:
        """Start a solver whose every query ends after ``limit_ms`` milliseconds of work on a usual processor.

        Work is counted in the solver's own units, so an answer is the same on a busy machine as on an idle
        one. The clock only ends a query that uses few units and does not end. ``cores`` is needed for
        ``contradiction``.
        """
        self._engine = engine_of(limit_ms, cores)
        self.true = self._engine.literal("bool", True)
        self.false = self._engine.literal("bool", False)

    def boolean(self, name: str) -> Smt:
        """A fresh truth value."""
        return self._engine.constant("bool", name)

    def integer(self, name: str) -> Smt:
        """A fresh integer."""
        return self._engine.constant("int", name)

    def text(self, name: str) -> Smt:
        """A fresh string."""
        return self._engine.constant("text", name)

    def code(self, name: str) -> Smt:
        """A fresh code of a word."""
        return self._engine.constant("code", name)

    def number(self, value: int) -> Smt:
        """An integer constant of any size."""
        return self._engine.literal("int", value)

    def code_constant(self, value: int) -> Smt:
        """The constant code ``value`` in ``[0, 2**BITS)``."""
        return self._engine.literal("code", value)

    def text_constant(self, value: str) -> Smt:
        """A string constant of code points up to U+2FFFF, taken literally."""
        escaped = "".join(c if 32 <= ord(c) < 127 and c != "\\" else f"\\u{{{ord(c):x}}}" for c in value)
        return self._engine.literal("text", escaped)

    def negation(self, term: Smt) -> Smt:
        """Negation."""
        return self._term("NOT", term)

    def all_of(self, terms: Iterable[Smt]) -> Smt:
        """Conjunction of any number of terms."""
        return self._joined("AND", tuple(terms), self.true)

    def any_of(self, terms: Iterable[Smt]) -> Smt:
        """Disjunction of any number of terms."""
        return self._joined("OR", tuple(terms), self.false)

    def equal(self, left: Smt, right: Smt) -> Smt:
        """Equality of two terms of one sort."""
        return self._term("EQUAL", left, right)

    def less(self, left: Smt, right: Smt) -> Smt:
        """``left < right`` of integers."""
        return self._term("LT", left, right)

    def at_most(self, left: Smt, right: Smt) -> Smt:
        """``left <= right`` of integers."""
        return self._term("LEQ", left, right)

    def codes_between(self, code: Smt, first: int, last: int) -> Smt:
        """``first <= code <= last`` of codes."""
        if first == last:
            return self.equal(code, self.code_constant(first))
        lower = self._term("BITVECTOR_ULE", self.code_constant(first), code)
        return self.all_of((lower, self._term("BITVECTOR_ULE", code, self.code_constant(last))))

    def choice(self, condition: Smt, then: Smt, otherwise: Smt) -> Smt:
        """If-then-else of two terms of one sort."""
        return self._term("ITE", condition, then, otherwise)

    def arithmetic(self, operator: str, left: Smt, right: Smt) -> Smt:
        """``+ - * // %`` of integers; division is by a positive constant."""
        kinds = {
            "+": "ADD",
            "-": "SUB",
            "*": "MULT",
            "//": "INTS_DIVISION",
            "%": "INTS_MODULUS",
        }
        return self._term(kinds[operator], left, right)

    def starts_with(self, text: Smt, constant: Smt) -> Smt:
        """Whether a string starts with another."""
        return self._term("STRING_PREFIX", constant, text)

    def ends_with(self, text: Smt, constant: Smt) -> Smt:
        """Whether a string ends with another."""
        return self._term("STRING_SUFFIX", constant, text)

    def contains(self, text: Smt, constant: Smt) -> Smt:
        """Whether a string contains a constant.

        The test is a regular expression: cvc5 finds models of several negated tests much faster than with its
        own operation, which it reduces to quantifiers over positions.
        """
        anything = self._term("REGEXP_ALL")
        inside = self._term("STRING_TO_REGEXP", constant)
        pattern = self._term("REGEXP_CONCAT", anything, inside, anything)
        return self._term("STRING_IN_REGEXP", text, pattern)

    def length(self, text: Smt) -> Smt:
        """The number of code points of a string."""
        return self._term("STRING_LENGTH", text)

    def require(self, term: Smt) -> None:
        """Add a constraint to every later query."""
        self._engine.require(term)

    def check[T](self, term: Smt, read: Callable[[], T]) -> tuple[SolverAnswer, T | None, str]:
        """Decide a query; ``read`` runs on the model before it is dropped. Returns the reason for unknown."""
        try:
            answer, why = self._engine.ask(term)
            return answer, read() if answer is SolverAnswer.SAT else None, why
        finally:
            self._engine.forget()

    def contradiction[K](self, terms: Mapping[K, Smt]) -> set[K] | None:
        """The keys of terms that cannot be true together; None if all can be or it is not known."""
        places, keys = self._engine.contradicting([*terms.values()]), [*terms]
        return None if places is None else {keys[place] for place in places}

    def boolean_value(self, term: Smt) -> bool:
        """The value of a truth value in the model being read."""
        return bool(self._engine.value("bool", term))

    def integer_value(self, term: Smt) -> int:
        """The value of an integer in the model being read."""
        return int(self._engine.value("int", term))

    def code_value(self, term: Smt) -> int:
        """The value of a code in the model being read."""
        return int(self._engine.value("code", term))

    def text_value(self, term: Smt) -> str:
        """The value of a string in the model being read."""
        return str(self._engine.value("text", term))

    def _term(self, kind: str, *operands: Smt) -> Smt:
        return self._engine.term(kind, operands)

    def _joined(self, kind: str, terms: tuple[Smt, ...], neutral: Smt) -> Smt:
        return terms[0] if len(terms) == 1 else self._term(kind, *terms) if terms else neutral


def _here(limit_ms: int, cores: bool) -> Engine:
    """An engine in this process."""
    from workbench.engines.smt.cvc5_engine import Cvc5

    return Cvc5(limit_ms, cores=cores)


engine_of: Callable[[int, bool], Engine] = _here
"""The engine of a new solver, by its limit and whether it tells what contradicts."""


def solve_in_processes() -> None:
    """From now on solve queries beside this process, whose other threads go on meanwhile."""
    global engine_of
    from workbench.engines.smt.solver_processes import engine

    engine_of = engine
