"""Walking over terms: their parts, and the same term with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import is_

from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Collection,
    Compare,
    CompareFields,
    Constant,
    ConstantSet,
    Count,
    Elements,
    ImpliesTerm,
    IsMissing,
    Length,
    Lookup,
    Member,
    Not,
    Or,
    Quantified,
    ResultTerm,
    SetVariable,
    StringTest,
    Sum,
    TableEntry,
    Term,
    Variable,
)

type Binder = Quantified | Count | Sum
BINDERS = (Quantified, Count, Sum)
"""The same for ``isinstance``, which a union of types takes several times as long."""


def parts_of_collection(collection: Collection) -> tuple[Term, ...]:
    """The terms inside a collection: the key of a table's entry, or the list that is iterated over."""
    match collection:
        case TableEntry(_, key):
            return (key,)
        case Elements(term):
            return (term,)
        case ConstantSet() | SetVariable():
            return ()


def _place(term: Term) -> Variable | Attribute:
    """A part that holds a list, a set or a record: it must be a name or a field."""
    assert isinstance(term, Variable | Attribute)
    return term


def _with_part(collection: Collection, parts: tuple[Term, ...]) -> Collection:
    match collection:
        case TableEntry():
            return replace(collection, key=parts[0])
        case Elements():
            return Elements(_place(parts[0]))
        case _:
            return collection


def children(term: Term) -> tuple[Term, ...]:  # noqa: C901, PLR0912 # one case for each kind of term
    """The direct parts of a term.

    The key of a table entry, and the list or field that holds elements, are parts of the term that uses the
    collection. The parts inside the scope of the term's variable come before them. An optional that is tested
    for None is no part of the test, but the record of a tested field is.
    """
    match term:
        case Constant() | Variable():
            return ()
        case Compare(_, left, right) | Arithmetic(_, left, right):
            return (left, right)
        case And(operands) | Or(operands):
            return operands
        case Not(operand):
            return (operand,)
        case Attribute(record, _, _) | IsMissing(Attribute(record, _, _)):
            return (record,)
        case ImpliesTerm(condition, consequence):
            return (condition, consequence)
        case Member(item, collection):
            return (item, *parts_of_collection(collection))
        case Quantified(_, _, collection, body):
            return (body, *parts_of_collection(collection))
        case Count(_, collection, condition):
            return (condition, collection.term)
        case Sum(_, collection, value, condition):
            return (value, condition, collection.term)
        case CompareFields(_, left, right):
            return (left.collection.term, right.collection.term)
        case StringTest(_, text, _) | Length(text):
            return (text,)
        case Choice(condition, then, otherwise):
            return (condition, then, otherwise)
        case Lookup(_, key, _):
            return (key,)
        case ResultTerm() | IsMissing():
            return ()


def with_children(term: Term, parts: tuple[Term, ...]) -> Term:  # noqa: C901, PLR0912 # as above
    """The same term with other direct parts, in the order of ``children``."""
    match term:
        case Compare(operator):
            return Compare(operator, parts[0], parts[1])
        case And():
            return And(parts)
        case Not():
            return Not(parts[0])
        case Or():
            return Or(parts)
        case ImpliesTerm():
            return ImpliesTerm(parts[0], parts[1])
        case Attribute():
            return replace(term, record=_place(parts[0]))
        case IsMissing(Attribute() as field):
            return IsMissing(replace(field, record=_place(parts[0])))
        case Arithmetic():
            return replace(term, left=parts[0], right=parts[1])
        case Member(_, collection):
            return Member(parts[0], _with_part(collection, parts[1:]))
        case Quantified(_, _, collection, _):
            return replace(term, body=parts[0], collection=_with_part(collection, parts[1:]))
        case Count():
            return replace(term, condition=parts[0], collection=Elements(_place(parts[1])))
        case Sum():
            collection = Elements(_place(parts[2]))
            return replace(term, value=parts[0], condition=parts[1], collection=collection)
        case CompareFields(_, left, right):
            left = replace(left, collection=Elements(_place(parts[0])))
            return replace(term, left=left, right=replace(right, collection=Elements(_place(parts[1]))))
        case StringTest() | Length():
            return replace(term, text=parts[0])
        case Choice():
            return Choice(parts[0], parts[1], parts[2])
        case Lookup():
            return replace(term, key=parts[0])
        case Constant() | Variable() | ResultTerm() | IsMissing():
            return term


def subterms(term: Term) -> Iterator[Term]:
    """Yield the term and all its parts, outermost first."""
    stack = [term]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(children(current)))


def has_more_parts(term: Term, most: int) -> bool:
    """Whether a term has more parts than some number, itself included."""
    stack = [term]
    while stack:
        if most == 0:
            return True
        most -= 1
        stack += children(stack.pop())
    return False


def with_constant_sets(term: Term, change: Callable[[ConstantSet], ConstantSet]) -> Term:
    """The same term with every set of constants replaced by the result of ``change``."""
    if isinstance(term, Member | Quantified) and isinstance(term.collection, ConstantSet):
        term = replace(term, collection=change(term.collection))
    parts = children(term)
    changed = tuple(with_constant_sets(part, change) for part in parts)
    return term if all(map(is_, parts, changed)) else with_children(term, changed)


def with_parts_changed(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """The same term with other parts where ``change`` gives one; the same object where it gives none."""
    changed = change(term)
    if changed is not None:
        return changed
    parts = children(term)
    own = tuple([with_parts_changed(part, change) for part in parts])
    return term if all(map(is_, parts, own)) else with_children(term, own)


def opposite(term: Term) -> Term:
    """The negation of a condition, written without ``not`` as far as possible."""
    match term:
        case Not(operand):
            return operand
        case And(operands):
            return Or(tuple(map(opposite, operands)))
        case Or(operands):
            return And(tuple(map(opposite, operands)))
        case Compare(operator, _, _):
            return replace(term, operator=operator.negated)
        case _:
            return Not(term)


def inside(term: Binder) -> tuple[Term, ...]:
    """The parts of a term that are inside the scope of its bound variable."""
    return (term.value, term.condition) if isinstance(term, Sum) else children(term)[:1]


def bound_names(term: Term) -> frozenset[str]:
    """The names of all bound variables of a term: in any, all, counts and sums."""
    return frozenset(part.variable.name for part in subterms(term) if isinstance(part, BINDERS))


def rename_bound(term: Term, names: Mapping[str, str]) -> Term:
    """The same term with its bound variables renamed."""
    if isinstance(term, BINDERS):
        old = term.variable.name
        new = replace(term.variable, name=names.get(old, old))
        within = tuple(rename_bound(substituted(part, old, new), names) for part in inside(term))
        outside = tuple(rename_bound(part, names) for part in children(term)[len(within) :])
        return with_children(replace(term, variable=new), (*within, *outside))
    return with_children(term, tuple(rename_bound(part, names) for part in children(term)))


def substituted(term: Term, old: str, new: Term) -> Term:
    """The same term with a free variable replaced by another term."""
    if isinstance(term, Variable):
        return new if term.name == old else term
    if isinstance(term, BINDERS) and term.variable.name == old:
        within = inside(term)
        outside = tuple(substituted(part, old, new) for part in children(term)[len(within) :])
        return with_children(term, (*within, *outside))
    return with_children(term, tuple(substituted(part, old, new) for part in children(term)))


def path_of(place: Variable | Attribute) -> str:
    """The text of a name, or of a field after a name: ``user.payment_ids``.

    An element of pairs has its two names as fields, and these names alone are the text.
    """
    if isinstance(place, Variable):
        return place.name
    record = path_of(place.record)
    return place.name if record.startswith("(") else f"{record}.{place.name}"


def root_and_path(place: Term) -> tuple[Variable, tuple[str, ...]]:
    """The variable that a field is of, and the names of the fields that lead to it."""
    path: list[str] = []
    while isinstance(place, Attribute):
        path.append(place.name)
        place = place.record
    assert isinstance(place, Variable)
    return place, tuple(reversed(path))


_BOTH_SIDES = frozenset({True, False})


def sides_of_result(term: Term, *, sign: bool = True) -> frozenset[bool]:
    """The sides on which a clause speaks of what is allowed: True where that helps it to hold."""
    match term:
        case ResultTerm():
            return frozenset({sign})
        case Not(operand):
            return sides_of_result(operand, sign=not sign)
        case And(operands) | Or(operands):
            return frozenset[bool]().union(*(sides_of_result(one, sign=sign) for one in operands))
        case ImpliesTerm(condition, consequence):
            return sides_of_result(condition, sign=not sign) | sides_of_result(consequence, sign=sign)
        case _:
            return _BOTH_SIDES if any(isinstance(one, ResultTerm) for one in subterms(term)) else frozenset()
