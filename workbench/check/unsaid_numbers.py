"""Numbers that a sentence of the request says and the rules or clauses that cite it do not have.

A rule and a clause with the same wrong number agree with each other: no proof sees it, the sentence does.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from decimal import Decimal

from workbench.model import Doubt, Requirement
from workbench.policy.terms import Constant, ConstantSet, Member, PolicyTerms, Quantified, Term, Variable
from workbench.policy.walk import subterms

_NUMBER = re.compile(r"(?<![\w.,#-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w-])")
_UNITS = tuple(timedelta(**{unit: 1}) for unit in ("weeks", "days", "hours", "minutes", "seconds"))


def unsaid_numbers(requirement: Requirement, terms: PolicyTerms) -> Iterator[Doubt]:
    """The questions about the numbers of a sentence that its rules lack, or its clauses."""
    said = {Decimal(text.replace(",", "")): text for text in _NUMBER.findall(requirement.quote)}
    parts = {
        "rule": [rule.body for rule in terms.rules if requirement.id in rule.requirements],
        "clause": [clause.term for clause in terms.clauses if requirement.id in clause.requirements],
    }
    for part, bodies in parts.items():
        numbers = frozenset((*_numbers(bodies), *_in_expressions(bodies, terms)))
        for number, text in said.items() if bodies else ():
            if number not in numbers:
                yield _doubt(requirement, text, part, numbers)


def _numbers(bodies: Iterable[Term]) -> Iterator[Decimal]:
    for body in bodies:
        for part in subterms(body):
            values: tuple[object, ...] = (part.value,) if isinstance(part, Constant) else ()
            if isinstance(part, Member | Quantified) and isinstance(part.collection, ConstantSet):
                values = part.collection.values
            for value in values:
                yield from _as_numbers(value)


def _in_expressions(bodies: Iterable[Term], terms: PolicyTerms) -> Iterator[Decimal]:
    """The numbers in the expressions over the run that the arguments of these bodies stand for."""
    named = {part.name for body in bodies for part in subterms(body) if isinstance(part, Variable)}
    for argument in terms.sources:
        if argument.expression is None or argument.name not in named:
            continue
        for node in ast.walk(ast.parse(argument.expression.text, mode="eval")):
            for value in _constants(node):
                yield from _as_numbers(value)


def _constants(node: ast.AST) -> Iterator[object]:
    match node:
        case ast.Constant(value):
            yield value
        case ast.Call(ast.Name("Decimal"), [ast.Constant(str() as digits)]):
            yield Decimal(digits)
        case ast.Call(ast.Name("timedelta"), [], keywords):
            units = {word.arg: word.value.value for word in keywords if isinstance(word.value, ast.Constant)}
            yield timedelta(
                **{unit: value for unit, value in units.items() if unit and isinstance(value, int)}
            )
        case _:
            return


def _as_numbers(value: object) -> Iterator[Decimal]:
    """The numbers by which a constant may be said; a duration in each of its units."""
    if isinstance(value, Decimal):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield Decimal(value)
    elif isinstance(value, timedelta):
        yield from (Decimal(value // unit) for unit in _UNITS if not value % unit)


def _doubt(requirement: Requirement, number: str, part: str, numbers: frozenset[Decimal]) -> Doubt:
    words = (" ".join(requirement.quote.split()), number, part, *sorted(map(str, numbers)))
    material = hashlib.sha256("\0".join(words).encode()).hexdigest()[:8]
    return Doubt(
        id=f"unsaid-number:{requirement.id}:{material}",
        kind="unsaid-number",
        quote=requirement.quote,
        span=requirement.span,
        values=("meant",),
        requirements=(requirement.id,),
        facts={"number": number, "part": part, "requirement": requirement.id},
    )
