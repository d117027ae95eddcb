"""The small pieces of the lowered language: numbers with a scale, ranges, names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.engines.nagini.lowering.numbers import ordinal, scaled
from workbench.engines.nagini.lowering.string_codes import Scope
from workbench.engines.nagini.lowering.string_regions import LoweringFault
from workbench.model import ArgumentType, Kind, Scalar
from workbench.policy.names import free_name
from workbench.policy.terms import PolicyTerms

_NAGINI = """
Acc All Any Assert Assume Ensures Exists Exsures False Forall Implies Invariant Let Low None Old PMultiset
PSeq PSet Previous Pure Predicate Refute Requires Result ResultT ToSeq True abs allow bool dict float
frozenset int len list max min object print range self set str sum tuple type
"""
TAKEN = frozenset(_NAGINI.split())


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric expression whose value is scaled by ``10**scale``; ``literal`` if it is constant."""

    text: str
    scale: int = 0
    literal: int | None = None

    def at(self, scale: int) -> str:
        """The expression at a scale that is at least its own."""
        factor = 10 ** (scale - self.scale)
        if self.literal is not None:
            number = str(self.literal * factor)
            return f"({number})" if self.literal < 0 else number
        return self.text if factor == 1 else f"({self.text} * {factor})"


@dataclass(frozen=True, slots=True)
class LoweredNames:
    """The names of the variables of a scope: value, flag of a missing value, and scale."""

    text: Mapping[str, str]
    scope: Scope
    scale: Mapping[str, int]

    def bind(self, name: str, text: str, collection: str) -> LoweredNames:
        """The scope inside a quantifier over a set."""
        return LoweredNames(
            {**self.text, name: text}, {**self.scope, name: self.scope[collection]}, {**self.scale, name: 0}
        )


def constant(value: Scalar | None) -> Number:
    """A numeric constant, a date or a time as an exact scaled int; a missing one is 0."""
    ordinal_value = 0 if value is None else ordinal(value)
    if isinstance(ordinal_value, str):
        raise LoweringFault(f"{ordinal_value!r} is not a number.")
    number, places = scaled(ordinal_value)
    return Number(str(number), places, number)


def ranges(codes: Iterable[int], text: str) -> str:
    """Membership of an int in a set of ints, as a test of as few ranges as possible."""
    runs: list[tuple[int, int]] = []
    for code in sorted(set(codes)):
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    parts = [
        f"{text} == {low}" if low == high else f"({low} <= {text} and {text} <= {high})" for low, high in runs
    ]
    return either(parts)


def either(parts: Iterable[str]) -> str:
    """The parts joined by ``or``."""
    operands = [part for part in parts if part != "False"]
    if "True" in operands:
        return "True"
    return operands[0] if len(operands) == 1 else f"({' or '.join(operands)})" if operands else "False"


def both(parts: Iterable[str]) -> str:
    """The parts joined by ``and``."""
    operands = [part for part in parts if part != "True"]
    if "False" in operands:
        return "False"
    return operands[0] if len(operands) == 1 else f"({' and '.join(operands)})" if operands else "True"


def no(text: str) -> str:
    """The negation of an expression."""
    return {"True": "False", "False": "True"}.get(text, f"not ({text})")


def pick(condition: str, then: str, otherwise: str) -> str:
    """A conditional expression."""
    if then == otherwise or condition == "True":
        return then
    return otherwise if condition == "False" else f"({then} if {condition} else {otherwise})"


def declare(text: str, kind: ArgumentType) -> tuple[str, ...]:
    """The parameters of a program that carry an argument."""
    carried = {Kind.BOOL: "bool", Kind.SET: "PSet[int]"}.get(kind.kind, "int")
    return (f"{text}: {carried}", f"{text}_missing: bool") if kind.optional else (f"{text}: {carried}",)


def scale_of(terms: PolicyTerms, kind: ArgumentType) -> int:
    """The number of decimal places that an argument is scaled by."""
    return max(kind.places, terms.places) if kind.kind is Kind.DECIMAL else 0


def safe(name: str) -> str:
    """A name as ASCII letters, digits and underscores."""
    return "".join(char if char.isascii() and (char.isalnum() or char == "_") else "_" for char in name)


def fresh(name: str, taken_names: set[str]) -> str:
    """A name that is not taken."""
    return free_name(safe(name) or "x", taken_names | TAKEN)


def plain(text: str) -> str:
    """A text for a comment: one line, ASCII, and shortened."""
    line = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    return line if len(line) <= 300 else f"{line[:297]}..."
