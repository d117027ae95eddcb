"""Text of terms in the dialect.

Elements of lists and sets: their names, their collections, and their number.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection as AnyOf
from collections.abc import Mapping
from datetime import timedelta

from workbench.model import Kind, Scalar
from workbench.policy.connectives import is_true
from workbench.policy.literals import literal
from workbench.policy.names import RESERVED
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Collection,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    FieldSet,
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
    StringTestKind,
    Sum,
    Table,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.walk import BINDERS, path_of, subterms


def render_term(term: Term, tables: Mapping[str, Table] | None = None) -> str:
    """The text of a term in the dialect; checking it again yields an equal meaning.

    With the policy's ``tables``, an entry that is present for every key is written ``TABLE[key]`` and not
    ``TABLE.get(key, frozenset())``.
    """
    return _Printer(tables or {}, term).render(term)[0]


def _names_in(term: Term) -> frozenset[str]:
    """The names of the variables of a term, bound ones too."""
    parts = list(subterms(term))
    bound = (part.variable.name for part in parts if isinstance(part, BINDERS))
    return frozenset((*bound, *(part.name for part in parts if isinstance(part, Variable))))


def render_collection(collection: Collection) -> str:
    """The text of a collection; a named set is written as its name."""
    return _Printer({}).collection(collection)


# The binding strength of a form; a part that binds less tightly than its place requires is put in brackets.
_CHOICE, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _NEGATIVE, _ATOM = range(9)
_STRENGTH = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "//": _PRODUCT, "%": _PRODUCT}


class _Printer:
    """Prints terms; ``tables`` are the tables whose entries are known, ``whole`` the term with all names."""

    def __init__(self, tables: Mapping[str, Table], whole: Term | None = None) -> None:
        self.tables = tables
        self.whole = whole

    def _in(self, term: Term, least_strength: int) -> str:
        text, strength = self.render(term)
        return text if strength >= least_strength else f"({text})"

    def render(self, term: Term) -> tuple[str, int]:  # noqa: C901, PLR0912 # one case for each kind of term
        match term:
            case Constant(value):
                return literal(value), _NEGATIVE if _is_negative(value) else _ATOM
            case Variable(name):
                return name, _ATOM
            case Attribute():
                return path_of(term), _ATOM
            case ResultTerm():
                return "Result()", _ATOM
            case Not(operand):
                return self.negation(operand)
            case And(operands):
                return " and ".join(self._in(operand, _NOT) for operand in operands), _AND
            case Or(operands):
                return " or ".join(self._in(operand, _AND) for operand in operands), _OR
            case ImpliesTerm(condition, consequence):
                return f"Implies({self._in(condition, _CHOICE)}, {self._in(consequence, _CHOICE)})", _ATOM
            case Compare(operator, left, right):
                return f"{self._in(left, _SUM)} {operator} {self._in(right, _SUM)}", _COMPARE
            case Member(item, collection):
                return f"{self._in(item, _SUM)} in {self.collection(collection)}", _COMPARE
            case Quantified() | Count() | Sum():
                return self.over_elements(term), _ATOM
            case CompareFields(operator, left, right):
                return f"{self.fields(left)} {operator} {self.fields(right)}", _COMPARE
            case StringTest(StringTestKind.CONTAINS, text, constant):
                return f"{literal(constant)} in {self._in(text, _SUM)}", _COMPARE
            case StringTest(kind, text, constant):
                return f"{self._in(text, _ATOM)}.{kind}({literal(constant)})", _ATOM
            case Length(text):
                return f"len({self._in(text, _CHOICE)})", _ATOM
            case Arithmetic(operator, left, right):
                strength = _STRENGTH[operator]
                return f"{self._in(left, strength)} {operator} {self._in(right, strength + 1)}", strength
            case Choice(condition, then, otherwise):
                chosen = f"{self._in(then, _OR)} if {self._in(condition, _OR)}"
                return f"{chosen} else {self._in(otherwise, _CHOICE)}", _CHOICE
            case IsMissing(variable):
                return f"{path_of(variable)} is None", _COMPARE
            case Lookup():
                return self.looked_up(term), _ATOM

    def negation(self, operand: Term) -> tuple[str, int]:
        """The text of the negation of a term, with a negated operator if there is one."""
        match operand:
            case IsMissing(variable):
                return f"{path_of(variable)} is not None", _COMPARE
            case CompareFields(Comparison.EQ, left, right):
                return f"{self.fields(left)} != {self.fields(right)}", _COMPARE
            case Member(item, collection):
                return f"{self._in(item, _SUM)} not in {self.collection(collection)}", _COMPARE
            case _:
                return f"not {self._in(operand, _COMPARE)}", _NOT

    def over_elements(self, term: Quantified | Count | Sum) -> str:
        """The text of a term that iterates over the elements of a collection."""
        match term:
            case Quantified(quantifier, variable, collection, body):
                among = self.collection(collection)
                return f"{quantifier}({self._in(body, _CHOICE)} for {variable.name.strip('()')} in {among})"
            case Count(_, collection, Constant(True)):
                return f"len({self.collection(collection)})"
            case Count(variable, collection, condition):
                return f"sum(1{self.chosen(variable, collection, condition)})"
            case Sum(variable, collection, value, condition):
                summed = self._in(value, _CHOICE)
                return f"sum({summed}{self.chosen(variable, collection, condition)})"

    def looked_up(self, term: Lookup) -> str:
        """The text of a look-up in a table."""
        key = self._in(term.key, _CHOICE)
        if term.default is None:
            return f"{term.table}[{key}]"
        return f"{term.table}.get({key}, {literal(term.default.value)})"

    def collection(self, collection: Collection) -> str:
        """The text of a collection; a named set is written as its name."""
        match collection:
            case ConstantSet(values, name):
                return name if name is not None else literal(frozenset(values))
            case SetVariable(name):
                return name
            case Elements(term):
                return path_of(term)
            case _:
                key = self._in(collection.key, _CHOICE)
                if self._covered(collection):
                    return f"{collection.table}[{key}]"
                return f"{collection.table}.get({key}, frozenset())"

    def chosen(self, variable: Variable, collection: Elements, condition: Term) -> str:
        """The end of a count or sum: the collection of the variable, and the condition if there is one."""
        among = f" for {variable.name} in {self.collection(collection)}"
        return among if is_true(condition) else f"{among} if {self._in(condition, _OR)}"

    def fields(self, side: FieldSet) -> str:
        """The text of a list as a set of fields."""
        names = frozenset[str]() if self.whole is None else _names_in(self.whole)
        item = _element_name(path_of(side.collection.term), names)
        keys = [f"{item}.{name}" for name in side.fields] or [item]
        key = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
        return f"{{{key} for {item} in {self.collection(side.collection)}}}"

    def _covered(self, entry: TableEntry) -> bool:
        """Whether a table is known to have an entry for every value of an enum key."""
        table = self.tables.get(entry.table)
        values = entry.key.type.values if isinstance(entry.key, Variable) else ()
        enum = isinstance(entry.key, Variable) and entry.key.type.kind is Kind.ENUM
        return table is not None and enum and all(value in table.entries for value in values)


def _is_negative(value: Scalar | None) -> bool:
    return (isinstance(value, int) and value < 0) or (isinstance(value, timedelta) and value < timedelta(0))


def _singular(name: str) -> str:
    """A singular name for the elements of a list: ``tag`` for ``tags``, ``one_data`` for ``data``.

    The name only has to differ from the name of the list. It is part of the text of stored policies, so it
    does not use a list of English words. ``runs.proposals.proposed_names`` uses one, because a person reads
    its result as a noun.
    """
    return name[:-1] if name.endswith("s") and not name.endswith("ss") and len(name) > 2 else f"one_{name}"


def _unlike(wanted: str, taken_names: AnyOf[str]) -> str:
    """The wanted name of an element, or a similar name if it is taken or is a word of the dialect."""
    while wanted in taken_names or wanted in RESERVED or keyword.iskeyword(wanted):
        wanted = f"one_{wanted}"
    return wanted


def _element_name(place: str, taken_names: AnyOf[str]) -> str:
    """A name for an element of the list or set at a path, which is not among the taken names."""
    return _unlike(_singular(place.rpartition(".")[2]), taken_names)
