"""Reading ground terms: parts, names, constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.model import Kind, Scalar
from workbench.policy.terms import (
    Attribute,
    Compare,
    Constant,
    ConstantSet,
    Elements,
    IsMissing,
    Length,
    Member,
    PolicyTerms,
    Quantified,
    SetVariable,
    StringTest,
    Term,
    Variable,
)
from workbench.policy.walk import children, subterms


def parts_of(term: Term) -> tuple[Term, ...]:
    """Return the direct subterms of a ground term, including the operand of a test for None."""
    return (term.variable,) if isinstance(term, IsMissing) else children(term)


def walk_ground(term: Term) -> Iterator[Term]:
    """Yield each different subterm object of a ground term once, beginning with the term itself."""
    stack, seen = [term], {id(term)}
    while stack:
        current = stack.pop()
        yield current
        for part in parts_of(current):
            if id(part) not in seen:
                seen.add(id(part))
                stack.append(part)


def mentioned(term: Term) -> frozenset[str]:
    """Return the names of the arguments, sets and bound variables in a ground term."""
    names: set[str] = set()
    for part in walk_ground(term):
        match part:
            case Variable(name) | Member(_, SetVariable(name)) | Quantified(_, _, SetVariable(name), _):
                names.add(name)
            case _:
                pass
    return frozenset(names)


def looks_inside_words(term: Term) -> bool:
    """Whether a ground term tests more of a string than its identity."""
    return any(isinstance(part, StringTest | Length) for part in walk_ground(term))


def constants_of(term: Term) -> dict[Scalar, None]:
    """Return the constants of a ground term, in order, without repetition."""
    constants: dict[Scalar, None] = {}
    for part in walk_ground(term):
        match part:
            case Constant(value) if value is not None:
                constants[value] = None
            case Member(_, ConstantSet(values)):
                constants.update(dict.fromkeys(values))
            case StringTest(_, _, constant):
                constants[constant] = None
            case _:
                pass
    return constants


def tested_words(term: Term) -> dict[str, None]:
    """Return the words with which a ground term compares open strings and elements of sets."""
    words: dict[str, None] = {}
    for part in walk_ground(term):
        match part:
            case Member(Variable() | Attribute() as item, ConstantSet(values)) if _is_open(item):
                words.update(dict.fromkeys(_words(values)))
            case Compare(_, Variable() | Attribute() as text, Constant(str(word))) if _is_open(text):
                words[word] = None
            case Member(Constant(str(word)), SetVariable() | Elements()) | StringTest(_, _, word):
                words[word] = None
            case _:
                pass
    return words


def _is_open(term: Variable | Attribute) -> bool:
    return term.type.kind is not Kind.ENUM


def known_words(terms: PolicyTerms) -> tuple[str, ...]:
    """Return the words of a policy: those of its tables and sets, and of its rules."""
    words: dict[str, None] = {}
    for constants in terms.sets.values():
        words.update(dict.fromkeys(_words(constants.values)))
    for table in terms.tables.values():
        for entry in table.entries.values():
            if isinstance(entry, frozenset):
                words.update(dict.fromkeys(sorted(_words(entry))))
    for body in (rule.body for rule in terms.rules):
        words.update(dict.fromkeys(word for part in subterms(body) for word in _own_words(part)))
    return tuple(words)


def _own_words(term: Term) -> Iterator[str]:
    match term:
        case Constant(str(word)) | StringTest(_, _, word):
            yield word
        case Member(_, ConstantSet(values)) | Quantified(_, _, ConstantSet(values), _):
            yield from _words(values)
        case _:
            return


def _words(values: Iterable[Scalar]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def constant_sets(terms: PolicyTerms) -> Iterator[frozenset[str]]:
    """Yield the words of the sets and tables of a policy, and of the sets written in its functions."""
    for entry in (value for table in terms.tables.values() for value in table.entries.values()):
        if isinstance(entry, frozenset):
            yield frozenset(_words(entry))
    bodies = [rule.body for rule in terms.rules]
    bodies += [clause.term for clause in (*terms.assumed, *terms.clauses)]
    for body in bodies:
        for part in subterms(body):
            if isinstance(part, Member | Quantified) and isinstance(part.collection, ConstantSet):
                yield frozenset(_words(part.collection.values))
