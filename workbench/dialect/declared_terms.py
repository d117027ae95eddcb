"""The terms of a lowered policy over its declared arguments.

Lowering finds out which fields are read while it makes the terms, so the types of records are known only at
its end. Here every name gets its declared type, and what the engines rely on is checked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from workbench.model import Argument, ArgumentType, Kind, Problem, RecordType
from workbench.policy.checker.scope import MOST_PARTS
from workbench.policy.literals import in_order
from workbench.policy.problems import PolicyError
from workbench.policy.result_cache import Recent
from workbench.policy.terms import (
    Attribute,
    Constant,
    ConstantSet,
    Count,
    Elements,
    IsMissing,
    Member,
    Parameter,
    Quantified,
    SetVariable,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import holds_many, set_element
from workbench.policy.walk import children, has_more_parts, inside, with_children

_NOTHING: Mapping[str, ArgumentType] = {}


_before: Recent[int, tuple[Term, Term, tuple[Parameter, ...]]] = Recent(8192)
"""What terms were over the arguments that they read, by their identities, which stay."""


class DeclaredTerms:
    """Terms whose names have the types of the declared arguments, in which all decimals have equal places."""

    def __init__(self, arguments: Sequence[Argument], places: int) -> None:
        """Declare the arguments. Raises ``PolicyError`` for a type that no engine knows."""
        self._places = places
        self.arguments = tuple(Parameter(one.name, self._type(one.type, one)) for one in arguments)
        self._types = {one.name: one.type for one in self.arguments}
        self._places_of = {one.name: place for place, one in enumerate(self.arguments)}
        self._parameters = {one.name: one for one in self.arguments}
        self._read = set[str]()

    def term(self, term: Term, line: int = 0) -> Term:
        """A term over the arguments; ``line`` is its place in the file.

        Raises ``PolicyError`` if it is too large: a rule has a part for each of its tools.
        """
        return self.with_parameters(term, line)[0]

    def with_parameters(self, term: Term, line: int = 0) -> tuple[Term, tuple[Parameter, ...]]:
        """A term over the arguments as ``term`` has it, with those that it reads, in their order."""
        known = _before.get(id(term))
        if known is not None and all(self._parameters.get(one.name) == one for one in known[2]):
            return known[1], self._in_order(known[2])
        if has_more_parts(term, MOST_PARTS):
            message = f"This grows to more than {MOST_PARTS} parts for all its tools."
            raise PolicyError([Problem(message, "Simplify it, or use a table.", line)])
        self._read.clear()
        declared = self._term(term, _NOTHING)
        parameters = self._in_order([self._parameters[name] for name in self._read])
        _before.put(id(term), (term, declared, parameters))
        return declared, parameters

    def _in_order(self, parameters: Collection[Parameter]) -> tuple[Parameter, ...]:
        """Arguments in the order in which they are declared."""
        return tuple(sorted(parameters, key=lambda one: self._places_of[one.name]))

    def record(self, record: RecordType) -> RecordType:
        """The type of a record over the same types of fields."""
        return replace(record, fields=tuple((name, self._type(of)) for name, of in record.fields))

    def _type(self, type_: ArgumentType, argument: Argument | None = None) -> ArgumentType:
        """A type as engines see it: known values of texts and sets, which restrict nothing, are left out."""
        element, many = type_.element, holds_many(type_)
        if many and (type_.optional or (element is not None and (element.optional or holds_many(element)))):
            raise PolicyError([_odd(argument)])
        return ArgumentType(
            type_.kind,
            type_.values if type_.kind is Kind.ENUM else (),
            type_.optional,
            self._places if type_.kind is Kind.DECIMAL else 2,
            None if type_.record is None else self.record(type_.record),
            None if element is None or type_ == _TEXTS else self._type(element, argument),
        )

    def _term(self, term: Term, bound: Mapping[str, ArgumentType]) -> Term:
        match term:
            case Constant():
                return term
            case Variable() | Attribute():
                return self._place(term, bound)
            case IsMissing(place):
                return IsMissing(self._place(place, bound))
            case Quantified() | Count() | Sum():
                return self._over_elements(term, bound)
            case Member(item, ConstantSet() as members):
                return Member(self._term(item, bound), _in_order(members))
            case Member(_, SetVariable(name)) if name not in bound:
                self._read.add(name)
            case _:
                pass
        return with_children(term, tuple([self._term(part, bound) for part in children(term)]))

    def _place(self, place: Variable | Attribute, bound: Mapping[str, ArgumentType]) -> Variable | Attribute:
        if isinstance(place, Variable):
            if place.name in bound:
                return Variable(place.name, bound[place.name])
            self._read.add(place.name)
            return Variable(place.name, self._types[place.name])
        record = self._place(place.record, bound)
        type_ = None if record.type.record is None else record.type.record.field(place.name)
        assert type_ is not None, "a field that is read is declared"
        return Attribute(record, place.name, type_)

    def _over_elements(self, term: Quantified | Count | Sum, bound: Mapping[str, ArgumentType]) -> Term:
        element: ArgumentType | None = term.variable.type
        match term.collection:
            case Elements(place):
                type_ = self._place(place, bound).type
                element = set_element(type_) if type_.kind is Kind.SET else type_.element
            case SetVariable(name):
                element = set_element(self._types[name])
                self._read.add(name)
            case ConstantSet() as members if isinstance(term, Quantified):
                term = replace(term, collection=_in_order(members))
            case _:
                pass
        assert element is not None
        parts, within = children(term), len(inside(term))
        inner = {**bound, term.variable.name: element}
        changed = [self._term(part, inner if at < within else bound) for at, part in enumerate(parts)]
        return with_children(replace(term, variable=Variable(term.variable.name, element)), tuple(changed))


_TEXTS = ArgumentType(Kind.SET, element=ArgumentType(Kind.STR))


def _in_order(members: ConstantSet) -> ConstantSet:
    """A set without a name in the order in which it is written."""
    return members if members.name is not None else ConstantSet(tuple(in_order(members.values)))


def _odd(argument: Argument | None) -> Problem:
    what = "A list or set" if argument is None else f"`{argument.description or argument.name}`"
    return Problem(f"{what} may be absent, or has elements that may.", "Declare it otherwise in agent.toml.")
