"""Two lowered policies over the same arguments: one name for one expression, so that they can be compared.

The argument of an expression is named by the expression's words. Two versions of a policy may have one name
for two expressions, of which a solver would take for granted that they have one value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from workbench.model import Argument, ArgumentType, Kind
from workbench.policy.flat.traverse import substitute
from workbench.policy.term_text import render_term
from workbench.policy.terms import Clause, Parameter, PolicyTerms, Variable
from workbench.policy.written import WrittenFile


def named_alike(terms: PolicyTerms, other: PolicyTerms) -> PolicyTerms:
    """A policy with the other's name for each expression that both have, and for no other expression."""
    taken = {argument.name for argument in other.sources}
    by_meaning = {_meaning(argument): argument for argument in other.sources}
    free = {*taken, *(argument.name for argument in terms.sources), *terms.records, *terms.sets}
    names: dict[str, str] = {}
    for argument in terms.sources:
        same = by_meaning.get(_meaning(argument))
        if same is not None and _share_values(argument.type, same.type):
            names[argument.name] = same.name
        elif argument.name in taken:
            names[argument.name] = _unused(argument.name, free)
            free.add(names[argument.name])
    names = {name: new for name, new in names.items() if name != new}
    # a name that another argument gets must not stay with this one
    for argument in terms.sources:
        if argument.name not in names and argument.name in names.values():
            names[argument.name] = _unused(argument.name, free)
            free.add(names[argument.name])
    return _renamed(terms, terms.file, names) if names else terms


def _meaning(argument: Argument) -> tuple[str, str]:
    """What the value of an argument is: its expression, whichever tools have it, and its type.

    The type of a record has the fields that a version reads; a comparison takes the fields of both. That of
    an enum has the values that a version knows, as the tools of the agent: a comparison takes those of both.
    """
    expression = argument.expression
    return str(expression and replace(expression, tools=())), str(_bare(argument.type))


def _bare(type_: ArgumentType) -> ArgumentType:
    """A type without the fields and values that differ from version to version."""
    record = None if type_.record is None else replace(type_.record, fields=())
    element = None if type_.element is None else _bare(type_.element)
    return replace(type_, values=(), record=record, element=element)


def _share_values(one: ArgumentType, other: ArgumentType) -> bool:
    """Whether two types of one meaning have a value in common, without which nothing can be compared."""
    return one.kind is not Kind.ENUM or not set(one.values).isdisjoint(other.values)


def _renamed(terms: PolicyTerms, written: WrittenFile, names: Mapping[str, str]) -> PolicyTerms:
    variables = {
        one.name: Variable(names[one.name], one.type) for one in terms.arguments if one.name in names
    }

    def parameters(known: Iterable[Parameter]) -> tuple[Parameter, ...]:
        return tuple(replace(one, name=names.get(one.name, one.name)) for one in known)

    def clauses(known: Iterable[Clause]) -> tuple[Clause, ...]:
        renamed = ((clause, substitute(clause.term, variables)) for clause in known)
        return tuple(
            replace(clause, term=term, source=render_term(term, terms.tables)) for clause, term in renamed
        )

    rules = (
        replace(rule, parameters=parameters(rule.parameters), body=substitute(rule.body, variables))
        for rule in terms.rules
    )
    arguments = tuple(replace(one, name=names.get(one.name, one.name)) for one in written.arguments)
    return replace(
        terms,
        arguments=parameters(terms.arguments),
        rules=tuple(rules),
        preconditions=clauses(terms.preconditions),
        clauses=clauses(terms.clauses),
        axioms=clauses(terms.axioms),
        written=replace(written, arguments=arguments),
    )


def _unused(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
