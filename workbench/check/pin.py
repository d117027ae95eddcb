"""A clause for an input: what the policy decides there, stated as widely as it holds.

A survivor of the contract is an input on which no clause minds a wrong version. The clause made
here says what the policy decides on that input and on those like it: each argument is left out,
bounded or equal, whatever is the widest that the preview still proves.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.preview import preview
from workbench.model import (
    Arguments,
    ArgumentType,
    Kind,
    ProofStatus,
    RecordValue,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.policy.checker.bodies import without_docstring
from workbench.policy.checker.syntax_tree import read
from workbench.policy.render import format_policy, literal
from workbench.policy.terms import PolicyTerms

_CONTRACTS = "nagini_contracts.contracts"
_NEEDED = ("Ensures", "Implies", "Result")
_PRESENT = " is not None and "
_ORDERED = (Kind.INT, Kind.DECIMAL, Kind.DATE, Kind.TIME, Kind.DATETIME)


@dataclass(frozen=True, slots=True)
class Pinned:
    """A policy with one clause more: its text, and that clause's condition."""

    policy: str
    condition: str


def pin(
    terms: PolicyTerms, arguments: Arguments, *, requirements: Sequence[str] = (), comment: str = ""
) -> Pinned:
    """Add a clause that says what the policy decides on an input and on as many like it as it can.

    The clause stands after the others, under a comment with the requirement ids. Raises
    ``WorkbenchError`` if the input cannot be evaluated, or if even the clause about that one
    input is not known to hold.
    """
    decided = Runner(terms).decision(arguments)
    if decided is Verdict.CANNOT_EVALUATE:
        raise WorkbenchError("The policy cannot evaluate this input, so no clause can say what it decides.")
    comment_text = f"{', '.join(requirements)}: {comment}" if requirements else comment
    maker = _Maker(terms, decided is Verdict.ALLOW, " ".join(comment_text.split()))
    condition = maker.condition(maker.widest(arguments))
    text = maker.text(condition)
    return Pinned(format_policy(text) if format_policy(terms.source) == terms.source else text, condition)


class _Maker:
    """Tries clauses about one decision of a policy."""

    def __init__(self, terms: PolicyTerms, allowed: bool, comment: str) -> None:
        self._terms = terms
        self._allowed = allowed
        self._comment = comment
        self._before, self._after = _around(terms)

    def widest(self, arguments: Arguments) -> list[str]:
        """The conditions of the widest clause found, from the equality of every argument on."""
        options = [
            part
            for argument in self._terms.arguments
            for part in _parts(argument.name, argument.type, arguments[argument.name], self._allowed)
        ]
        chosen = [parts[-1] for parts in options]
        if not self._holds(chosen):
            message = "The preview does not prove what the policy decides on this input; no clause was added."
            raise WorkbenchError(message, exit_code=1)
        for index, parts in enumerate(options):
            for part in ("", *parts[:-1]):
                wider = [*chosen[:index], part, *chosen[index + 1 :]]
                if self._holds(wider):
                    chosen = wider
                    break
        return [part for part in chosen if part]

    def condition(self, parts: Sequence[str]) -> str:
        """The condition of a clause that speaks where all parts hold."""
        result = "Result()" if self._allowed else "not Result()"
        left = " and ".join(_said_once(part for part in parts if part))
        return f"Implies({left}, {result})" if left else result

    def text(self, condition: str) -> str:
        """The policy with a clause more."""
        comment = [f"    # {self._comment}"] if self._comment else []
        return "\n".join([*self._before, *comment, f"    Ensures({condition})", *self._after])

    def _holds(self, parts: Sequence[str]) -> bool:
        terms = check(self.text(self.condition(parts)))
        return preview(replace(terms, clauses=terms.clauses[-1:])).status is ProofStatus.PROVED


def _said_once(parts: Iterable[str]) -> Iterator[str]:
    """The parts, each of which says only once that a record is there."""
    seen: set[str] = set()
    for part in parts:
        *present, condition = part.split(_PRESENT)
        yield _PRESENT.join([*(guard for guard in present if guard not in seen), condition])
        seen.update(present)


def _parts(
    name: str, kind: ArgumentType, value: Value, allowed: bool, present: str = ""
) -> Iterator[list[str]]:
    """The conditions of each single value in a value; of a list, how long it is and what its elements are."""
    if isinstance(value, RecordValue) and kind.record is not None:
        present += f"{name}{_PRESENT}" if kind.optional else ""
        for field, held in value.fields:
            inner = kind.record.field(field)
            if inner is not None:
                yield from _parts(f"{name}.{field}", inner, held, allowed, present)
    elif isinstance(value, tuple) and kind.element is not None:
        present += f"{name}{_PRESENT}" if kind.optional else ""
        long = f"{present}len({name}) == {len(value)}"
        same = " or ".join(dict.fromkeys(map(_same_element, value)))
        yield [long, f"{long} and all({same} for one in {name})"] if value else [long]
    else:
        yield [present + option for option in _options(name, kind, value, allowed)]


def _same_element(element: Value) -> str:
    if not isinstance(element, RecordValue):
        return f"one == {literal(element)}"
    fields = ((name, held) for name, held in element.fields if not isinstance(held, tuple))
    equal = (
        f"one.{name} is None" if held is None else f"one.{name} == {literal(held)}" for name, held in fields
    )
    return f"({' and '.join(equal)})"


def _options(name: str, kind: ArgumentType, value: Value, allowed: bool) -> Iterator[str]:
    """Conditions that a value meets, from the widest to the one that only it meets."""
    if value is None:
        yield f"{name} is None"
    elif isinstance(value, frozenset):
        # An allowed set stands for its subsets, a denied one for the sets that have its elements.
        if value and allowed:
            yield f"{name} <= {literal(value)}"
        elif value:
            yield " and ".join(f"{literal(item)} in {name}" for item in sorted(value))
        yield f"{name} == {literal(value)}"
    elif kind.kind is Kind.BOOL:
        present = f"{name} is not None and " if kind.optional else ""
        yield f"{present}{name}" if value else f"{present}not {name}"
    else:
        if kind.kind in _ORDERED:
            present = f"{name} is not None and " if kind.optional else ""
            yield f"{present}{name} >= {literal(value)}"
            yield f"{present}{name} <= {literal(value)}"
        yield f"{name} == {literal(value)}"


def _around(terms: PolicyTerms) -> tuple[list[str], list[str]]:
    """The lines before and after a new last clause, with the contract's words imported."""
    text = read(terms.source)
    lines = text.source.split("\n")
    allow = text.tree.body[-1]
    assert isinstance(allow, ast.FunctionDef)
    last = allow.body[-1].lineno - 1
    while last in text.alone:
        last -= 1
    names = {*_NEEDED, *(("Requires",) if terms.preconditions else ())}
    line = f"from {_CONTRACTS} import {', '.join(sorted(names))}"
    body = without_docstring(text.tree.body)
    there = [
        statement
        for statement in body
        if isinstance(statement, ast.ImportFrom) and statement.module == _CONTRACTS
    ]
    if there:
        first, end = there[0].lineno - 1, there[-1].end_lineno or there[-1].lineno
        return [*lines[:first], line, *lines[end:last]], lines[last:]
    first = body[0].lineno - 1
    while first in text.alone:
        first -= 1
    return [*lines[:first], line, "", *lines[first:last]], lines[last:]
