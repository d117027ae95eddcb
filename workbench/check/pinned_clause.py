"""A clause for an input: the policy's decision there, stated for as many inputs as it holds.

A survivor is an input on which no clause refuses a wrong version. The new clause states the policy's decision
on that input and on similar ones. For each argument it uses the widest condition that the preview still
proves: none, a bound, or equality.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.preview import preview
from workbench.model import (
    Arguments,
    Kind,
    ProofStatus,
    RecordValue,
    Scalar,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.policy.checker.bodies import without_docstring
from workbench.policy.checker.syntax_tree import read
from workbench.policy.connectives import TRUE, disjunction, is_true
from workbench.policy.elements import Place, collection_of, element_of
from workbench.policy.render import format_policy, render_term
from workbench.policy.terms import (
    And,
    Attribute,
    Clause,
    Collection,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    ImpliesTerm,
    IsMissing,
    Member,
    Not,
    PolicyTerms,
    Quantified,
    Quantifier,
    ResultTerm,
    Term,
    Variable,
)
from workbench.policy.types import ORDERED
from workbench.policy.validate import Validator

_CONTRACTS = "nagini_contracts.contracts"
_WORDS = frozenset(["Ensures", "Implies", "Requires", "Result"])

type _Conditions = tuple[Term, ...]
"""Conditions that hold together; each is evaluated only if those before it hold."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """A policy with one more clause: its text, and that clause's condition."""

    policy: str
    condition: str


def pin(
    terms: PolicyTerms, arguments: Arguments, *, requirements: Sequence[str] = (), comment: str = ""
) -> Pinned:
    """Add a clause with the policy's decision on an input and on as many similar inputs as possible.

    The clause is added after the others, under a comment with the requirement ids. The text is not checked
    here. Raises ``WorkbenchError`` if the input cannot be evaluated, or if even the clause about that one
    input is not known to hold.
    """
    decided = Runner(terms).decision(arguments)
    if decided is Verdict.CANNOT_EVALUATE:
        raise WorkbenchError("The policy cannot evaluate this input, so no clause can say what it decides.")
    values, _ = Validator(terms.arguments)(arguments)
    clause = _widest(terms, values, decided is Verdict.ALLOW)
    condition = render_term(clause, terms.tables, as_listed=True, whole_sets=True)
    comment_text = " ".join((f"{', '.join(requirements)}: {comment}" if requirements else comment).split())
    text = with_clause(terms, condition, comment_text)
    return Pinned(format_policy(text) if format_policy(terms.source) == terms.source else text, condition)


def _widest(terms: PolicyTerms, values: Sequence[Value], allowed: bool) -> Term:
    """The widest proved clause that was found, starting from equality of every argument."""
    options = list(_Options(_taken_names(terms), allowed).of_arguments(terms, values))
    chosen = [conditions[-1] for conditions in options]
    if not _is_proved(terms, _clause_of(chosen, allowed)):
        message = "The preview does not prove what the policy decides on this input; no clause was added."
        raise WorkbenchError(message, exit_code=1)
    for index, conditions in enumerate(options):
        for condition in ((), *conditions[:-1]):
            wider = [*chosen[:index], condition, *chosen[index + 1 :]]
            if _is_proved(terms, _clause_of(wider, allowed)):
                chosen = wider
                break
    return _clause_of(chosen, allowed)


def _clause_of(chosen: Sequence[_Conditions], allowed: bool) -> Term:
    """The clause for inputs on which all conditions hold; conditions that several share appear once."""
    result = ResultTerm() if allowed else Not(ResultTerm())
    left = _joined(condition for conditions in chosen for condition in conditions)
    return result if is_true(left) else ImpliesTerm(left, result)


def _joined(conditions: Iterable[Term]) -> Term:
    """The conditions joined by ``and``, without repetitions; the two sides of equal sets stay together."""
    operands = tuple(dict.fromkeys(conditions))
    return operands[0] if len(operands) == 1 else And(operands) if operands else TRUE


def _is_proved(terms: PolicyTerms, term: Term) -> bool:
    clause = Clause("pinned", term, (), "", "", terms.line, terms.line)
    # No policy text has this clause, so the terms themselves are run.
    return preview(replace(terms, source="", clauses=(clause,))).status is ProofStatus.PROVED


@dataclass(frozen=True, slots=True)
class _Options:
    """Conditions that an input meets; new elements get names outside of ``taken_names``."""

    taken_names: frozenset[str]
    allowed: bool

    def of_arguments(self, terms: PolicyTerms, values: Sequence[Value]) -> Iterator[list[_Conditions]]:
        """The conditions on each single value, from the widest to one that only this value meets."""
        for argument, value in zip(terms.arguments, values, strict=True):
            yield from self._of_place(Variable(argument.name, argument.type), value, ())

    def _of_place(self, place: Place, value: Value, present: _Conditions) -> Iterator[list[_Conditions]]:
        """The conditions on the value of a place; ``present`` tests that the records around it exist."""
        if isinstance(value, RecordValue):
            present += _given(place)
            for field, held in _fields(place, value):
                yield from self._of_place(field, held, present)
            return
        if isinstance(value, tuple):
            options = self._of_list(place, value)
        elif isinstance(value, frozenset):
            options = self._of_set(place, value)
        else:
            options = _of_single(place, value)
        yield [(*present, *conditions) for conditions in options]

    def _of_list(self, place: Place, value: tuple[Value, ...]) -> Iterator[_Conditions]:
        """The conditions on a list: its length, then also its elements."""
        element, elements = element_of(place, self.taken_names), Elements(place)
        length = Compare(Comparison.EQ, Count(element, elements, TRUE), Constant(len(value)))
        yield (length,)
        if value:
            taken_names = self.taken_names | {element.name}
            equal_to_held = disjunction(_joined(_equal(element, held, taken_names)) for held in value)
            yield (length, Quantified(Quantifier.ALL, element, elements, equal_to_held))

    def _of_set(self, place: Place, value: frozenset[str] | frozenset[int]) -> Iterator[_Conditions]:
        """The conditions on a set: its subsets if allowed, its supersets if denied; then equality."""
        element, elements = element_of(place, self.taken_names), collection_of(place)
        members = _constants(value)
        if value and self.allowed:
            yield (_subset(elements, members, element),)
        elif value:
            yield tuple(Member(Constant(member), elements) for member in members.values)
        yield tuple(_equal(place, value, self.taken_names))


def _of_single(place: Place, value: Scalar | None) -> Iterator[_Conditions]:
    if value is None:
        yield (IsMissing(place),)
    elif place.type.kind is Kind.BOOL:
        yield (*_given(place), place if value else Not(place))
    else:
        if place.type.kind in ORDERED:
            yield (*_given(place), Compare(Comparison.GE, place, Constant(value)))
            yield (*_given(place), Compare(Comparison.LE, place, Constant(value)))
        yield (Compare(Comparison.EQ, place, Constant(value)),)


def _equal(place: Place, value: Value, taken_names: frozenset[str]) -> Iterator[Term]:
    """The conditions that a place has this value; for a record, those of its fields without lists."""
    if value is None:
        yield IsMissing(place)
    elif isinstance(value, RecordValue):
        yield from _given(place)
        for field, held in _fields(place, value):
            yield from () if isinstance(held, tuple) else _equal(field, held, taken_names)
    elif isinstance(value, frozenset):
        element, elements, members = element_of(place, taken_names), collection_of(place), _constants(value)
        yield And((_subset(elements, members, element), _subset(members, elements, element)))
    else:
        assert not isinstance(value, tuple), "a list is compared by its elements"
        yield Compare(Comparison.EQ, place, Constant(value))


def _given(place: Place) -> _Conditions:
    """The condition that an optional place has a value; empty for a place that always has one."""
    return (Not(IsMissing(place)),) if place.type.optional else ()


def _fields(place: Place, value: RecordValue) -> Iterator[tuple[Attribute, Value]]:
    """The declared fields of a record with their values."""
    for name, held in value.fields:
        type_ = None if place.type.record is None else place.type.record.field(name)
        if type_ is not None:
            yield Attribute(place, name, type_), held


def _constants(members: frozenset[str] | frozenset[int]) -> ConstantSet:
    return ConstantSet(tuple(sorted(members)))


def _subset(part: Collection, whole: Collection, element: Variable) -> Term:
    return Quantified(Quantifier.ALL, element, part, Member(element, whole))


def with_clause(terms: PolicyTerms, condition: str, comment: str) -> str:
    """The policy's text with one more clause, after the others."""
    text = read(terms.source)
    lines = text.source.split("\n")
    allow = text.tree.body[-1]
    assert isinstance(allow, ast.FunctionDef)
    last = allow.body[-1].lineno - 1
    while last in text.alone:
        last -= 1
    comment_lines = [f"    # {comment}"] if comment else []
    return with_contract_words(
        "\n".join([*lines[:last], *comment_lines, f"    Ensures({condition})", *lines[last:]])
    )


def with_contract_words(text: str) -> str:
    """A policy's text with the words of the contract imported that it uses."""
    source = read(text)
    lines = source.source.split("\n")
    used = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)} & _WORDS
    line = f"from {_CONTRACTS} import {', '.join(sorted(used))}"
    body = without_docstring(source.tree.body)
    imports = [
        statement
        for statement in body
        if isinstance(statement, ast.ImportFrom) and statement.module == _CONTRACTS
    ]
    if imports:
        first, end = imports[0].lineno - 1, imports[-1].end_lineno or imports[-1].lineno
        return "\n".join([*lines[:first], line, *lines[end:]])
    first = body[0].lineno - 1
    while first in source.alone:
        first -= 1
    return "\n".join([*lines[:first], line, "", *lines[first:]])


def _taken_names(terms: PolicyTerms) -> frozenset[str]:
    """The names with a meaning in the contract, which no element may have."""
    names = {argument.name for argument in terms.arguments}
    for statement in read(terms.source).tree.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign):
            names |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return frozenset(names)
