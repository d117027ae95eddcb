"""Terms as syntax trees of Python that compute them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from workbench.model import RecordValue, Scalar
from workbench.policy.connectives import is_true
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
    TableEntry,
    Term,
    Variable,
)

RESULT = "_result"
"""The name of the decision in a clause; no name of a policy begins with an underscore."""
FIELD_OF = "_field_of"
"""The name of the function that reads a field of any name."""

_COMPARISONS: dict[Comparison, type[ast.cmpop]] = {
    Comparison.EQ: ast.Eq,
    Comparison.NE: ast.NotEq,
    Comparison.LT: ast.Lt,
    Comparison.LE: ast.LtE,
    Comparison.GT: ast.Gt,
    Comparison.GE: ast.GtE,
}
_ARITHMETIC: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "//": ast.FloorDiv,
    "%": ast.Mod,
}
_OF_VALUES = frozenset(RecordValue.__slots__)
"""Names that ``RecordValue`` uses itself: fields with these names are no attributes of its values."""


def table_name(table: str) -> str:
    """The name of the entries of a table."""
    return f"_table_{table}"


class PythonTree:
    """Writes terms as syntax trees; ``constants`` are the values that the trees name."""

    def __init__(self) -> None:
        """Begin without constants."""
        self.constants: dict[str, object] = {}

    def expression(self, term: Term) -> ast.expr:  # noqa: C901, PLR0912 # one case for each kind of term
        """The expression that computes a term."""
        match term:
            case Constant(value):
                return self._constant(value)
            case Variable(name):
                return _name(name)
            case Attribute(record, name):
                return self._field(self.expression(record), name)
            case ResultTerm():
                return _name(RESULT)
            case Not(operand):
                return _not(self.expression(operand))
            case And(operands):
                return self._joined(ast.And(), operands)
            case Or(operands):
                return self._joined(ast.Or(), operands)
            case ImpliesTerm(condition, consequence):
                return ast.BoolOp(ast.Or(), [_not(self.expression(condition)), self.expression(consequence)])
            case Compare(operator, left, right):
                return _compare(self.expression(left), _COMPARISONS[operator](), self.expression(right))
            case Member(item, collection):
                return _compare(self.expression(item), ast.In(), self._collection(collection))
            case Quantified(quantifier, variable, collection, body):
                return _call(quantifier.value, self._each(self.expression(body), variable, collection))
            case Count(_, collection, condition) if is_true(condition):
                return _call("len", self._collection(collection))
            case Count(variable, collection, condition):
                return _call("sum", self._each(ast.Constant(1), variable, collection, condition))
            case Sum(variable, collection, value, condition):
                return _call("sum", self._each(self.expression(value), variable, collection, condition))
            case CompareFields(operator, left, right):
                return _compare(self._fields(left), _COMPARISONS[operator](), self._fields(right))
            case StringTest(StringTestKind.CONTAINS, text, constant):
                return _compare(ast.Constant(constant), ast.In(), self.expression(text))
            case StringTest(kind, text, constant):
                method = ast.Attribute(self.expression(text), kind.value, ast.Load())
                return ast.Call(method, [ast.Constant(constant)], [])
            case Length(text):
                return _call("len", self.expression(text))
            case Arithmetic(operator, left, right):
                return ast.BinOp(self.expression(left), _ARITHMETIC[operator](), self.expression(right))
            case Choice(condition, then, otherwise):
                return ast.IfExp(*map(self.expression, (condition, then, otherwise)))
            case IsMissing(place):
                return _compare(self.expression(place), ast.Is(), ast.Constant(None))
            case Lookup(table, key, None):
                return ast.Subscript(_name(table_name(table)), self.expression(key), ast.Load())
            case Lookup(table, key):
                default = Constant(None) if term.default is None else term.default
                return _entry(table, self.expression(key), self._constant(default.value))

    def _joined(self, operator: ast.And | ast.Or, operands: Sequence[Term]) -> ast.expr:
        """The operands joined; Python's own node needs two, but of terms one or none may be joined."""
        parts = [self.expression(operand) for operand in operands]
        if len(parts) > 1:
            return ast.BoolOp(operator, parts)
        return parts[0] if parts else ast.Constant(isinstance(operator, ast.And))

    def _collection(self, collection: Collection) -> ast.expr:
        match collection:
            case ConstantSet(values):
                return self._kept(frozenset(values))
            case SetVariable(name):
                return _name(name)
            case Elements(place):
                return self.expression(place)
            case TableEntry(table, key):
                return _entry(table, self.expression(key), self._kept(frozenset[Scalar]()))

    def _each(
        self, value: ast.expr, variable: Variable, collection: Collection, condition: Term | None = None
    ) -> ast.GeneratorExp:
        tests = [] if condition is None or is_true(condition) else [self.expression(condition)]
        among = ast.comprehension(
            ast.Name(variable.name, ast.Store()), self._collection(collection), tests, 0
        )
        return ast.GeneratorExp(value, [among])

    def _fields(self, side: FieldSet) -> ast.expr:
        element = _name("_element")
        keys: Sequence[ast.expr] = [self._field(element, name) for name in side.fields] or [element]
        key = keys[0] if len(keys) == 1 else ast.Tuple([*keys], ast.Load())
        among = self._collection(side.collection)
        return ast.SetComp(key, [ast.comprehension(ast.Name("_element", ast.Store()), among, [], 0)])

    @staticmethod
    def _field(record: ast.expr, name: str) -> ast.expr:
        if name in _OF_VALUES:
            return ast.Call(_name(FIELD_OF), [record, ast.Constant(name)], [])
        return ast.Attribute(record, name, ast.Load())

    def _constant(self, value: Scalar | None) -> ast.expr:
        return ast.Constant(value) if isinstance(value, str | int) or value is None else self._kept(value)

    def _kept(self, value: object) -> ast.expr:
        name = f"_constant_{len(self.constants)}"
        self.constants[name] = value
        return _name(name)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _not(operand: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), operand)


def _compare(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
    return ast.Compare(left, [operator], [right])


def _call(function: str, argument: ast.expr) -> ast.expr:
    return ast.Call(_name(function), [argument], [])


def _entry(table: str, key: ast.expr, default: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_name(table_name(table)), "get", ast.Load()), [key, default], [])
