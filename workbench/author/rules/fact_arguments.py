"""Facts of records and lists as arguments with names of their own, such as “the reservation's cabin”.

While a request is read, each fact is an argument: a field of a record, the size of a list, a sum over it, the
time since a moment. When the policy is written, ``expanded`` replaces each fact by its term.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from workbench.author.argument_terms import all_of, any_of, opposite
from workbench.model import Argument, ArgumentType, Kind
from workbench.policy.terms import (
    Arithmetic,
    Attribute,
    Constant,
    Count,
    Elements,
    IsMissing,
    Not,
    Quantified,
    SetVariable,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import NUMBERS
from workbench.policy.walk import children, with_children

_MOMENTS = {Kind.DATETIME: "now", Kind.DATE: "today"}


@dataclass(frozen=True, slots=True)
class FactArgument:
    """A fact with its term, and the values in the term that may be missing, outermost first."""

    argument: Argument
    term: Term
    lacking: tuple[Variable | Attribute, ...] = ()


type FactByName = Mapping[str, FactArgument]


def fact_arguments(arguments: tuple[Argument, ...]) -> dict[str, FactArgument]:
    """The facts of the records and lists among the arguments, and the time since their moments."""
    types = {argument.name: argument.type for argument in arguments}
    present = {
        kind: Variable(name, types[name]) for kind, name in _MOMENTS.items() if _is(types.get(name), kind)
    }
    fact_by_name: dict[str, FactArgument] = {}
    for argument in arguments:
        if argument.type.kind in (Kind.RECORD, Kind.LIST):
            place = Variable(argument.name, argument.type)
            lacking = (place,) if argument.type.optional else ()
            for spec_fact in _facts_of(place, argument.name, lacking, argument.description):
                fact_by_name[spec_fact.argument.name] = spec_fact
    for spec_fact in list(fact_by_name.values()):
        if now := present.get(spec_fact.argument.type.kind):
            span = replace(spec_fact.argument.type, kind=Kind.DURATION)
            since = Argument(since_name(spec_fact.argument.name), span, "")
            fact_by_name[since.name] = FactArgument(
                since, Arithmetic("-", now, spec_fact.term), spec_fact.lacking
            )
    return fact_by_name


def since_name(moment: str) -> str:
    """The name of the fact for the time since a moment."""
    return f"{moment}.since"


def _is(type_: ArgumentType | None, kind: Kind) -> bool:
    return type_ is not None and type_.kind is kind and not type_.optional


def _facts_of(
    place: Variable | Attribute, path: str, lacking: tuple[Variable | Attribute, ...], about: str
) -> Iterator[FactArgument]:
    type_ = place.type
    if type_.kind is Kind.LIST:
        yield from _of_list(place, path, lacking)
    elif type_.kind is Kind.RECORD and type_.record is not None:
        for name, held in type_.record.fields:
            field = Attribute(place, name, held)
            all_lacking = (*lacking, field) if held.optional else lacking
            yield from _facts_of(field, f"{path}.{name}", all_lacking, about)
    elif type_.kind is not Kind.SET:
        yield FactArgument(Argument(path, replace(type_, optional=bool(lacking))), place, lacking)


def _of_list(
    place: Variable | Attribute, path: str, lacking: tuple[Variable | Attribute, ...]
) -> Iterator[FactArgument]:
    element = place.type.element or ArgumentType(Kind.STR)
    optional = bool(lacking)
    last = path.rpartition(".")[2]
    item = Variable(f"one_{last}", element)
    many = Elements(place)
    number = ArgumentType(Kind.INT, optional=optional)
    yield FactArgument(Argument(f"{path}.number", number), Count(item, many, Constant(True)), lacking)
    for name, held in element.record.fields if element.record is not None else ():
        value = Attribute(item, name, held)
        if held.kind in NUMBERS and not held.optional:
            total = replace(held, optional=optional)
            summed = Sum(item, many, value, Constant(True), held)
            yield FactArgument(Argument(f"{path}.{name}.total", total), summed, lacking)


# --- replacement when the policy is written ---------------------------------------


def expanded(term: Term, world: FactByName) -> Term:
    """The term with each fact replaced by its own term."""
    match term:
        case IsMissing(Variable(name)) if name in world:
            return any_of(*(IsMissing(place) for place in world[name].lacking))
        case Not(IsMissing(Variable(name))) if name in world:
            return all_of(*(opposite(IsMissing(place)) for place in world[name].lacking))
        case Variable(name) if name in world:
            return world[name].term
        case Quantified(_, _, SetVariable(name), _) if name in world:
            raise AssertionError(f"{name} is no set")
        case _:
            return with_children(term, tuple(expanded(part, world) for part in children(term)))
