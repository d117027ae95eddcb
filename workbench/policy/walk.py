"""Walking over terms: their parts, and the same term with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from workbench.policy.terms import (
    And,
    Arithmetic,
    Call,
    Choice,
    Collection,
    Compare,
    ConstantSet,
    ImpliesTerm,
    Length,
    Lookup,
    Member,
    Not,
    Or,
    Quantified,
    StringTest,
    TableEntry,
    Term,
    Variable,
)


def _of_collection(collection: Collection) -> tuple[Term, ...]:
    return (collection.key,) if isinstance(collection, TableEntry) else ()


def _with_key(collection: Collection, parts: tuple[Term, ...]) -> Collection:
    return replace(collection, key=parts[0]) if isinstance(collection, TableEntry) else collection


def children(term: Term) -> tuple[Term, ...]:  # noqa: C901 # one case for each kind of term
    """The direct parts of a term; the key of a table entry is a part of the term that uses the entry."""
    match term:
        case Not(operand):
            return (operand,)
        case And(operands) | Or(operands):
            return operands
        case ImpliesTerm(condition, consequence):
            return (condition, consequence)
        case Compare(_, left, right) | Arithmetic(_, left, right):
            return (left, right)
        case Member(item, collection):
            return (item, *_of_collection(collection))
        case Quantified(_, _, collection, body):
            return (body, *_of_collection(collection))
        case StringTest(_, text, _) | Length(text):
            return (text,)
        case Choice(condition, then, otherwise):
            return (condition, then, otherwise)
        case Lookup(_, key, _):
            return (key,)
        case Call(_, operands, _):
            return operands
        case _:
            return ()


def with_children(term: Term, parts: tuple[Term, ...]) -> Term:  # noqa: C901 # as above
    """The same term with other direct parts, in the order of ``children``."""
    match term:
        case Not():
            return Not(parts[0])
        case And():
            return And(parts)
        case Or():
            return Or(parts)
        case ImpliesTerm():
            return ImpliesTerm(parts[0], parts[1])
        case Compare() | Arithmetic():
            return replace(term, left=parts[0], right=parts[1])
        case Member(_, collection):
            return Member(parts[0], _with_key(collection, parts[1:]))
        case Quantified(_, _, collection, _):
            return replace(term, body=parts[0], collection=_with_key(collection, parts[1:]))
        case StringTest() | Length():
            return replace(term, text=parts[0])
        case Choice():
            return Choice(parts[0], parts[1], parts[2])
        case Lookup():
            return replace(term, key=parts[0])
        case Call():
            return replace(term, operands=parts)
        case _:
            return term


def subterms(term: Term) -> Iterator[Term]:
    """The term and all its parts, outermost first, not looking into helpers."""
    stack = [term]
    while stack:
        one = stack.pop()
        yield one
        stack.extend(reversed(children(one)))


def constant_sets(term: Term) -> Iterator[ConstantSet]:
    """The sets of constants in a term, outermost first."""
    for one in subterms(term):
        if isinstance(one, Member | Quantified) and isinstance(one.collection, ConstantSet):
            yield one.collection


def with_constant_sets(term: Term, change: Callable[[ConstantSet], ConstantSet]) -> Term:
    """The same term with every set of constants replaced by ``change`` of it."""
    if isinstance(term, Member | Quantified) and isinstance(term.collection, ConstantSet):
        term = replace(term, collection=change(term.collection))
    return with_children(term, tuple(with_constant_sets(part, change) for part in children(term)))


def bound_names(term: Term) -> frozenset[str]:
    """The names of all quantified variables in a term."""
    return frozenset(one.variable.name for one in subterms(term) if isinstance(one, Quantified))


def rename_bound(term: Term, names: Mapping[str, str]) -> Term:
    """The same term with its quantified variables renamed."""
    if isinstance(term, Quantified):
        new = replace(term.variable, name=names.get(term.variable.name, term.variable.name))
        body = _rename(term.body, term.variable.name, new)
        parts = (rename_bound(body, names), *(rename_bound(key, names) for key in children(term)[1:]))
        return with_children(replace(term, variable=new), parts)
    return with_children(term, tuple(rename_bound(part, names) for part in children(term)))


def _rename(term: Term, old: str, new: Variable) -> Term:
    if isinstance(term, Variable):
        return new if term.name == old else term
    if isinstance(term, Quantified) and term.variable.name == old:
        parts = (term.body, *(_rename(key, old, new) for key in children(term)[1:]))
        return with_children(term, parts)
    return with_children(term, tuple(_rename(part, old, new) for part in children(term)))
