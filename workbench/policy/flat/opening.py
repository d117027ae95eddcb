"""Opened records: a policy over records as an equivalent policy over their fields.

The field ``cabin`` of an argument ``reservation`` becomes an argument called ``reservation.cabin``. An
optional record also gives an argument called ``reservation is None``, which says that it is missing. A field
may be a list, which ``flatten`` flattens.

Concrete arguments are opened (``Opened.explode``) and put together again (``Opened.implode``). The fields of
a missing record have plain values in the opened policy. They decide nothing, because a policy reads no field
of a missing record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from workbench.model import Arguments, ArgumentType, Element, Kind, RecordValue, Value
from workbench.policy.connectives import FALSE
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.plainest_value import plain_present, plain_value
from workbench.policy.flat.traverse import (
    bound_variable,
    elements,
    inner_parts,
    outer_parts,
    with_changed,
)
from workbench.policy.terms import (
    Attribute,
    Clause,
    Elements,
    IsMissing,
    Member,
    Parameter,
    PolicyTerms,
    Quantified,
    Term,
    Variable,
)
from workbench.policy.types import BOOL
from workbench.policy.walk import path_of

_MISSING = " is None"
WIDE = (Kind.RECORD, Kind.LIST)


def flag(path: str) -> str:
    """The name of the argument whose truth means that a record or list is missing."""
    return f"{path}{_MISSING}"


def is_flag(name: str) -> bool:
    """Whether the truth of an opened argument means that a record or list is missing."""
    return name.endswith(_MISSING)


def record_of(name: str) -> str:
    """The record that an opened argument belongs to: the record of a flag, or the record of a field."""
    return name.removesuffix(_MISSING) if is_flag(name) else name.rpartition(".")[0]


def missing_flags(name: str) -> Iterator[str]:
    """Yield the names that the flags of an opened argument and of its records have, the outermost first."""
    parts = name.split(".")
    yield from (flag(".".join(parts[: end + 1])) for end in range(len(parts)))


def root(name: str) -> str:
    """The argument of the policy that an opened argument is a part of."""
    return name.removesuffix(_MISSING).partition(".")[0]


def flagged(type: ArgumentType) -> bool:
    """Whether values of the type have a flag: an argument that says that the record is missing."""
    return type.optional and type.kind is Kind.RECORD


def is_wide(parameters: Iterable[Parameter]) -> bool:
    """Whether a parameter is a record or list."""
    return any(parameter.type.kind in WIDE for parameter in parameters)


def opened(path: str, type: ArgumentType) -> Iterator[Parameter]:
    """Yield the opened arguments of an argument: itself, or the fields of a record."""
    if flagged(type):
        yield Parameter(flag(path), BOOL)
        type = replace(type, optional=False)
    if type.record is None:
        yield Parameter(path, type)
        return
    for name, field in type.record.fields:
        yield from opened(f"{path}.{name}", field)


def spread(path: str, type: ArgumentType, value: Value) -> Iterator[tuple[str, Value]]:
    """Yield the opened arguments of an argument with their values."""
    if flagged(type):
        yield flag(path), value is None
        type = replace(type, optional=False)
        if value is None:
            value = plain_present(type)
    if type.record is None:
        yield path, value
        return
    value_by_field = dict(value.fields) if isinstance(value, RecordValue) else {}
    for name, field in type.record.fields:
        yield from spread(f"{path}.{name}", field, value_by_field.get(name))


def gathered(path: str, type: ArgumentType, values: Mapping[str, Value]) -> Value:
    """The value of one argument from its opened arguments; its own value if it has none.

    An optional record without any known value is missing.
    """
    if flagged(type):
        missing = values.get(flag(path))
        within = (name == path or name.startswith(f"{path}.") for name in values)
        if missing is True or (missing is None and not any(within)):
            return None
        type = replace(type, optional=False)
    if type.record is None:
        return values[path] if path in values else plain_value(type)
    fields = ((name, gathered(f"{path}.{name}", field, values)) for name, field in type.record.fields)
    return RecordValue(type.record.name, tuple(fields))


@dataclass(frozen=True, slots=True)
class Opened:
    """A policy with opened records: the fields are arguments of ``terms``."""

    original: PolicyTerms
    terms: PolicyTerms
    wide: bool
    types: Mapping[str, ArgumentType]

    def term(self, term: Term) -> Term:
        """The term over the opened arguments; ``term`` is over the arguments of the policy."""
        if not self.wide:
            return term
        return open_term(term, self.types)

    def explode(self, arguments: Arguments) -> dict[str, Value]:
        """The arguments of the opened policy for arguments that fit the policy."""
        if not self.wide:
            return dict(arguments)
        opened_values: dict[str, Value] = {}
        for argument in self.original.arguments:
            opened_values.update(spread(argument.name, argument.type, arguments[argument.name]))
        return opened_values

    def implode(self, values: Arguments) -> dict[str, Value]:
        """The arguments of the policy for arguments of the opened policy."""
        return gather(self.original.arguments, values) if self.wide else dict(values)


def gather(parameters: Iterable[Parameter], values: Arguments) -> dict[str, Value]:
    """The values of parameters from the values of the opened parameters."""
    return {parameter.name: gathered(parameter.name, parameter.type, values) for parameter in parameters}


def narrowed(parameters: Iterable[Parameter], arguments: Arguments) -> dict[str, Value]:
    """Arguments whose records have exactly the fields of the parameters' types; missing records stay None."""
    types = {parameter.name: parameter.type for parameter in parameters}
    return {
        name: _narrow(types[name], value) if name in types else value for name, value in arguments.items()
    }


def _narrow(type: ArgumentType, value: Value) -> Value:
    if isinstance(value, RecordValue) and type.record is not None:
        value_by_field = dict(value.fields)
        fields = (
            (name, _narrow(field, value_by_field[name]))
            for name, field in type.record.fields
            if name in value_by_field
        )
        return RecordValue(type.record.name, tuple(fields))
    if isinstance(value, tuple) and type.element is not None:
        return tuple(cast("Element", _narrow(type.element, element)) for element in value)
    return value


def open_policy(terms: PolicyTerms) -> Opened:
    """Open the records of a policy."""
    if not is_wide(terms.arguments):
        return Opened(terms, terms, False, types_of(terms.arguments))
    arguments = tuple(part for argument in terms.arguments for part in opened(argument.name, argument.type))
    types = types_of(arguments)

    def whole(term: Term) -> Term:
        return open_term(term, types)

    def clauses(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
        return tuple(replace(clause, term=whole(clause.term)) for clause in clauses)

    changed_terms = replace(
        terms,
        arguments=arguments,
        rules=tuple(replace(rule, body=whole(rule.body)) for rule in terms.rules),
        preconditions=clauses(terms.preconditions),
        axioms=clauses(terms.axioms),
        clauses=clauses(terms.clauses),
    )
    return Opened(terms, changed_terms, True, types)


def types_of(parameters: Iterable[Parameter]) -> dict[str, ArgumentType]:
    """The types of parameters by name."""
    return {parameter.name: parameter.type for parameter in parameters}


def open_term(term: Term, types: Mapping[str, ArgumentType], bound: frozenset[str] = frozenset()) -> Term:
    """The term with variables for the fields of records; records in lists stay.

    ``types`` has the opened arguments, whose types may be narrower than their types in the term.
    """
    match term:
        case Attribute() | Variable():
            return _place(term, types, bound)
        case IsMissing(operand) if not is_bound(operand, bound) and flagged(operand.type):
            keeps_flag = flag(path_of(operand)) in types or path_of(operand) not in types
            return Variable(flag(path_of(operand)), BOOL) if keeps_flag else FALSE
        case _:
            pass
    variable = bound_variable(term)
    inner = bound if variable is None else bound | {variable.name}
    if isinstance(term, Member | Quantified) and isinstance(term.collection, Elements):
        # A set that is a field is referred to by its name once it is an argument.
        term = _with_set(term, types, bound)
    return with_changed(
        term,
        tuple([open_term(part, types, bound) for part in outer_parts(term)]),
        tuple([open_term(part, types, inner) for part in inner_parts(term)]),
    )


def _with_set(
    term: Member | Quantified, types: Mapping[str, ArgumentType], bound: frozenset[str]
) -> Member | Quantified:
    if isinstance(term.collection, Elements):
        return replace(term, collection=elements(open_term(term.collection.term, types, bound)))
    return term


def _place(term: Variable | Attribute, types: Mapping[str, ArgumentType], bound: frozenset[str]) -> Term:
    if is_bound(term, bound):
        return term
    if path_of(term) in types:
        return Variable(path_of(term), types[path_of(term)])
    if term.type.kind is Kind.RECORD:
        raise FlatLimit("A record is used as a whole, which cannot be decided; use its fields.")
    path = path_of(term)
    return Variable(path, replace(term.type, optional=False) if flagged(term.type) else term.type)


def is_bound(term: Variable | Attribute, bound: frozenset[str]) -> bool:
    """Whether a field belongs to a variable that a quantifier binds."""
    while isinstance(term, Attribute):
        term = term.record
    return term.name in bound
