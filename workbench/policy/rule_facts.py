"""Facts for the conditions of a rule: arguments, their fields, sizes and sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.model import ArgumentType, Kind
from workbench.policy.connectives import TRUE
from workbench.policy.elements import Place, element_of, size_of
from workbench.policy.relations import Relation, offered_relations
from workbench.policy.terms import Attribute, Elements, Parameter, Sum, Term, Variable
from workbench.policy.types import NUMBERS
from workbench.policy.walk import path_of


@dataclass(frozen=True, slots=True)
class RuleFact:
    """A thing that a condition may speak of: ``path`` is its name, ``term`` what it is in the dialect.

    ``may_lack`` are the places that may be None before it is known. A fact of the elements of a list has
    the list as ``listed``; ``element`` is one of them. What an element may lack is ``lacking_inside``.
    """

    path: str
    term: Term
    type: ArgumentType
    may_lack: tuple[Place, ...] = ()
    listed: Place | None = None
    element: Variable | None = None
    lacking_inside: tuple[Place, ...] = ()

    @property
    def of(self) -> str:
        """The path of the list whose elements have the fact; empty for any other fact."""
        return path_of(self.listed) if self.listed is not None else ""

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations that are offered for the fact."""
        return offered_relations(
            self.type.kind, may_lack=bool(self.lacking_inside if self.of else self.may_lack)
        )


def facts_of(parameters: Sequence[Parameter]) -> dict[str, RuleFact]:
    """The facts that arguments give, by their paths: arguments, fields, lengths, sums, fields of elements."""
    taken_names = {parameter.name for parameter in parameters}
    facts = (
        fact
        for parameter in parameters
        for fact in _facts(Variable(parameter.name, parameter.type), (), taken_names)
    )
    return {fact.path: fact for fact in facts}


def _facts(place: Place, lacking: tuple[Place, ...], taken_names: set[str]) -> Iterator[RuleFact]:
    path, type_ = path_of(place), place.type
    lacking = (*lacking, place) if type_.optional else lacking
    if type_.kind is not Kind.LIST or not _records(type_):
        yield RuleFact(path, place, type_, lacking)
    if type_.record is not None and type_.kind is Kind.RECORD:
        for name, held in type_.record.fields:
            yield from _facts(Attribute(place, name, held), lacking, taken_names)
    if type_.kind is Kind.LIST:
        yield RuleFact(f"number of {path}", size_of(place), ArgumentType(Kind.INT), lacking)
        element = element_of(place, taken_names)
        for name, held in _fields(type_):
            field = Attribute(element, name, held)
            if held.kind in NUMBERS and not held.optional:
                total = Sum(element, Elements(place), field, TRUE, held)
                yield RuleFact(f"sum of {path}.{name}", total, held, lacking)
            inside = (field,) if held.optional else ()
            yield RuleFact(f"{path}.{name}", field, held, lacking, place, element, inside)


def _records(type_: ArgumentType) -> bool:
    return type_.element is not None and type_.element.record is not None


def _fields(type_: ArgumentType) -> tuple[tuple[str, ArgumentType], ...]:
    if type_.element is None or type_.element.record is None:
        return ()
    return type_.element.record.fields
