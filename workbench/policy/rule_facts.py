"""The facts that arguments give for the conditions of a rule: arguments, fields, sizes, sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.model import ArgumentType, Kind
from workbench.policy.relations import Relation, offered_relations
from workbench.policy.terms import Parameter
from workbench.policy.types import NUMBERS


@dataclass(frozen=True, slots=True)
class RuleFact:
    """A thing that a condition may speak of: ``path`` is its name, ``expression`` its text in the dialect.

    ``may_lack`` are the expressions that may be None before it is known. A fact of the elements of a list has
    the list as ``of``; ``element`` is the name of one. What an element may lack is ``lacking_inside``.
    """

    path: str
    expression: str
    type: ArgumentType
    may_lack: tuple[str, ...] = ()
    of: str = ""
    element: str = ""
    lacking_inside: tuple[str, ...] = ()

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations that are offered for it."""
        return offered_relations(
            self.type.kind, may_lack=bool(self.lacking_inside if self.of else self.may_lack)
        )


def facts_of(parameters: Sequence[Parameter]) -> dict[str, RuleFact]:
    """The facts that arguments give, by their paths: arguments, fields, lengths, sums, fields of elements."""
    taken_names = {parameter.name for parameter in parameters}
    facts = (
        fact for parameter in parameters for fact in _facts(parameter.name, parameter.type, (), taken_names)
    )
    return {fact.path: fact for fact in facts}


def _facts(
    path: str, type_: ArgumentType, lacking: tuple[str, ...], taken_names: set[str]
) -> Iterator[RuleFact]:
    lacking = (*lacking, path) if type_.optional else lacking
    if type_.kind is not Kind.LIST or not _records(type_):
        element = _element_name(path, taken_names) if type_.kind is Kind.SET else ""
        yield RuleFact(path, path, type_, lacking, element=element)
    if type_.record is not None and type_.kind is Kind.RECORD:
        for name, held in type_.record.fields:
            yield from _facts(f"{path}.{name}", held, lacking, taken_names)
    if type_.kind is Kind.LIST:
        yield RuleFact(f"number of {path}", f"len({path})", ArgumentType(Kind.INT), lacking)
        element = _element_name(path, taken_names)
        for name, held in _fields(type_):
            if held.kind in NUMBERS and not held.optional:
                total = f"sum({element}.{name} for {element} in {path})"
                yield RuleFact(f"sum of {path}.{name}", total, held, lacking)
            inside = (f"{element}.{name}",) if held.optional else ()
            yield RuleFact(f"{path}.{name}", f"{element}.{name}", held, lacking, path, element, inside)


def _records(type_: ArgumentType) -> bool:
    return type_.element is not None and type_.element.record is not None


def _fields(type_: ArgumentType) -> tuple[tuple[str, ArgumentType], ...]:
    if type_.element is None or type_.element.record is None:
        return ()
    return type_.element.record.fields


def _element_name(path: str, taken_names: set[str]) -> str:
    last = path.rpartition(".")[2]
    name = last.removesuffix("s") if last.endswith("s") and len(last) > 2 else f"one_{last}"
    while name in taken_names:
        name = f"one_{name}"
    return name
