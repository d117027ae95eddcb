"""The scope of a function under check: names, their terms, and the optionals that are present."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from workbench.likeness import did_you_mean
from workbench.model import ArgumentType, Kind, Scalar
from workbench.policy.checker.syntax_tree import ReadSource
from workbench.policy.problems import Problems
from workbench.policy.terms import (
    And,
    Attribute,
    Choice,
    Collection,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Elements,
    ImpliesTerm,
    IsMissing,
    Not,
    Or,
    Table,
    Term,
    Variable,
)
from workbench.policy.walk import path_of

MOST_PARTS = 20_000
DEEPEST_TERM = 100


@dataclass(frozen=True, slots=True)
class Typed:
    """A term with its type, and its size and depth when local names are filled in."""

    term: Term
    type: ArgumentType
    size: int = 1
    depth: int = 1


@dataclass(frozen=True, slots=True)
class TypedSet:
    """A collection with the type of its elements; the type is None for the empty constant set."""

    collection: Collection
    element: ArgumentType | None
    size: int = 1
    depth: int = 1

    @property
    def is_list(self) -> bool:
        """Whether this is a list; a policy sees neither its order nor its positions."""
        return isinstance(self.collection, Elements) and self.collection.term.type.kind is Kind.LIST

    @property
    def is_called(self) -> str:
        """The noun for this collection in messages."""
        return "a list" if self.is_list else "a set"


type Meaning = Typed | TypedSet


@dataclass(frozen=True, slots=True)
class Signature:
    """The name and result of a function of the file."""

    name: str
    result: ArgumentType
    node: ast.FunctionDef


@dataclass(frozen=True)
class Scope:
    """The names visible in an expression.

    ``bound`` are the variables of enclosing quantifiers; ``present`` the optional arguments and fields
    (``argument.field``) known not to be None here; ``contract`` is True in Ensures, ``requires`` in Requires.
    ``element_of`` has the collection of each variable that is an element of one.
    """

    names: Mapping[str, Meaning]
    bound: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()
    contract: bool = False
    result: bool = False
    broken: frozenset[str] = frozenset()
    element_of: Mapping[str, Collection] = field(default_factory=dict[str, Collection])

    def with_name(self, name: str, meaning: Meaning) -> Scope:
        """The scope with an additional name."""
        return replace(self, names={**self.names, name: meaning})

    def with_bound(self, name: str, meaning: Meaning, of: Collection | None = None) -> Scope:
        """The scope inside a quantifier over a collection."""
        inner = replace(self.with_name(name, meaning), bound=self.bound | {name})
        return inner if of is None else replace(inner, element_of={**self.element_of, name: of})

    def knowing(self, present: frozenset[str]) -> Scope:
        """The scope in which these optional arguments are present."""
        return replace(self, present=self.present | present) if present else self


@dataclass
class File:
    """The definitions at the top level of a file, and the two readers of expressions.

    ``is_many`` is whether an expression that only a policy of calls has is a set or list, and ``single`` is
    what a value is where one value is compared or is passed to a function of the language. ``lifted`` is
    whether the text is an expression out of its place, where a condition guarded what may be None.
    ``left_out`` has the sentence about each field that a record lacks, by record and field.
    """

    read: ReadSource
    problems: Problems
    places: int
    imported: set[str] = field(default_factory=set[str])
    constants: dict[str, Scalar] = field(default_factory=dict[str, Scalar])
    sets: dict[str, ConstantSet] = field(default_factory=dict[str, ConstantSet])
    tables: dict[str, Table] = field(default_factory=dict[str, Table])
    enums: dict[str, ArgumentType] = field(default_factory=dict[str, ArgumentType])
    term: Callable[[ast.expr, Scope], Typed | None] = field(default=lambda _node, _scope: None)
    collection: Callable[[ast.expr, Scope], TypedSet | None] = field(default=lambda _node, _scope: None)
    is_many: Callable[[ast.expr, Scope], bool] = field(default=lambda _node, _scope: False)
    single: Callable[[Typed], Typed] = field(default=lambda value: value)
    lifted: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    unroll: set[str] = field(default_factory=set[str])

    def lines_of(self, node: ast.stmt) -> str:
        """The text of the lines of a statement."""
        return "\n".join(self.problems.lines[node.lineno - 1 : node.end_lineno or node.lineno])

    def say(self, node: ast.AST | None, message: str, instead: str = "") -> None:
        """Add a problem at a node."""
        self.problems.add(node, message, instead)

    def defined(self) -> set[str]:
        """Every name defined at the top of the file."""
        return {*self.constants, *self.sets, *self.tables, *self.enums}

    def typed(self, node: ast.AST, term: Term, kind: ArgumentType, *parts: Meaning) -> Typed | None:
        """A typed term made of parts; None, with a problem, if it grew too large or deep."""
        size, depth = 1, 1
        for part in parts:
            size += part.size
            depth = max(depth, part.depth + 1)
        return Typed(term, kind, size, depth) if self.fits(node, size, depth) else None

    def fits(self, node: ast.AST, size: int, depth: int) -> bool:
        """Whether a term of this size and depth is still within the limits; if not, report it."""
        if size > MOST_PARTS:
            message = f"This grows to more than {MOST_PARTS} parts when local names are filled in."
            self.say(node, message, "Simplify it, or use a table.")
        elif depth > DEEPEST_TERM:
            message = f"This is more than {DEEPEST_TERM} levels deep when local names are filled in."
            self.say(node, message, "Use fewer early returns, or a table.")
        else:
            return True
        return False


def suggestion(name: str, candidates: Iterable[str]) -> str:
    """A hint with the nearest known name; empty if no name is near."""
    return did_you_mean(name, candidates, "Did you mean `{}`?")


def present_if(term: Term, truth: bool) -> frozenset[str]:
    """The optional arguments and fields that are present if a condition has this truth value."""
    match term:
        case IsMissing(variable):
            return frozenset() if truth else frozenset({path_of(variable)})
        case Not(operand):
            return present_if(operand, not truth)
        case And(operands):
            return _all_or_some(operands, truth, every=truth)
        case Or(operands):
            return _all_or_some(operands, truth, every=not truth)
        case ImpliesTerm(condition, consequence):
            return present_if(Or((Not(condition), consequence)), truth)
        case Choice(condition, then, otherwise):
            first = present_if(condition, True) | present_if(then, truth)
            second = present_if(condition, False) | present_if(otherwise, truth)
            return first & second
        case Compare(operator, left, right):
            equal = (operator is Comparison.EQ and truth) or (operator is Comparison.NE and not truth)
            return _equal_to_present(left, right) if equal else frozenset()
        case _:
            return frozenset()


def _all_or_some(operands: tuple[Term, ...], truth: bool, *, every: bool) -> frozenset[str]:
    sets = [present_if(operand, truth) for operand in operands]
    paths = sets[0]
    for operand_paths in sets[1:]:
        paths = paths | operand_paths if every else paths & operand_paths
    return paths


def _equal_to_present(left: Term, right: Term) -> frozenset[str]:
    names = frozenset[str]()
    for side, other_side in ((left, right), (right, left)):
        if not isinstance(side, (Variable, Attribute)) or not side.type.optional:
            continue
        is_place = isinstance(other_side, (Variable, Attribute))
        if isinstance(other_side, Constant) or (is_place and not other_side.type.optional):
            names |= {path_of(side)}
    return names
