"""A policy's conditions as text of Python that decides an incomplete input, by the functions of ``kleene``.

``policy.evaluate`` is the reference: a value is undetermined in both or in neither. The text is compiled with
the policy when its first incomplete input comes, and an exported file has it.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.policy.literals import literal
from workbench.policy.term_text import render_collection, render_term
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
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    ResultTerm,
    SetVariable,
    StringTest,
    StringTestKind,
    Sum,
    Term,
    Variable,
)


def three_valued(terms: PolicyTerms) -> dict[str, str]:
    """The functions of a policy by name, each as a lambda: of rules and preconditions."""
    writer = KleeneText(terms)
    functions = {of_rule(rule.name): _function(rule.parameters, writer.of(rule.body)) for rule in terms.rules}
    return functions | {
        of_precondition(clause.id): _function(terms.arguments, writer.of(clause.term))
        for clause in terms.preconditions
    }


def of_rule(name: str) -> str:
    """The name of a rule's function."""
    return f"_three_valued_{name}"


def of_precondition(identity: str) -> str:
    """The name of a precondition's function; it takes all arguments."""
    return f"_three_valued_clause_{identity}"


def _function(parameters: Iterable[Parameter], body: str) -> str:
    return f"lambda {', '.join(parameter.name for parameter in parameters)}: {body}"


class KleeneText:
    """Writes terms; a lambda of ``_a`` and ``_b`` takes the values of the operands that follow it."""

    def __init__(self, terms: PolicyTerms) -> None:
        """Take the policy that the terms are of."""
        self._tables = terms.tables

    def of(self, term: Term) -> str:  # noqa: C901, PLR0912 # one case for each kind of term
        """The text of a term's value."""
        match term:
            case Constant():
                return f"({render_term(term)})"
            case Variable(name):
                return name
            case ResultTerm():
                return "_result"
            case Attribute(record, name):
                return f"_kleene_field(lambda _a: _a.{name}, {self.of(record)})"
            case Not(operand):
                return f"_kleene_not({self.of(operand)})"
            case And(operands):
                return f"_kleene_and({self._later(*operands)})"
            case Or(operands):
                return f"_kleene_or({self._later(*operands)})"
            case ImpliesTerm(condition, consequence):
                return f"_kleene_or({self._later(Not(condition), consequence)})"
            case Choice():
                return self._choice(term)
            case Compare(operator, left, right):
                return self._comparison(operator, self.of(left), self.of(right))
            case Arithmetic("+", left, right):
                return f"_kleene_add({self.of(left)}, {self.of(right)})"
            case Arithmetic("-", left, right):
                return f"_kleene_subtract({self.of(left)}, {self.of(right)})"
            case Arithmetic(operator, left, right):
                return f"_kleene_of(lambda _a, _b: _a {operator} _b, {self.of(left)}, {self.of(right)})"
            case Member(item, collection):
                return f"_kleene_in({self.of(item)}, {self.members(collection)})"
            case Quantified(quantifier, variable, collection, body):
                name = "_kleene_any" if quantifier is Quantifier.ANY else "_kleene_all"
                return f"{name}({self._test(variable, body)}, {self.members(collection)})"
            case Count(variable, collection, condition):
                return f"_kleene_count({self._test(variable, condition)}, {self.members(collection)})"
            case Sum(variable, collection, value, condition):
                tests = f"{self._test(variable, condition)}, {self._test(variable, value)}"
                return f"_kleene_sum({tests}, {self.members(collection)})"
            case CompareFields(operator, left, right):
                sides = f"{self._fields('_a', left)} {operator} {self._fields('_b', right)}"
                collections = f"{self.members(left.collection)}, {self.members(right.collection)}"
                return f"_kleene_of(lambda _a, _b: {sides}, {collections})"
            case StringTest(kind, text, constant):
                test = (
                    f"{literal(constant)} in _a"
                    if kind is StringTestKind.CONTAINS
                    else f"_a.{kind.value}({literal(constant)})"
                )
                return f"_kleene_of(lambda _a: {test}, {self.of(text)})"
            case Length(text):
                return f"_kleene_of(lambda _a: len(_a), {self.of(text)})"
            case IsMissing(variable):
                return f"_kleene_missing({self.of(variable)})"
            case Lookup(table, key, default):
                entry = f"{table}[_a]" if default is None else f"{table}.get(_a, {render_term(default)})"
                return f"_kleene_of(lambda _a: {entry}, {self.of(key)})"

    @staticmethod
    def _comparison(operator: Comparison, left: str, right: str) -> str:
        match operator:
            case Comparison.EQ:
                return f"_kleene_equal({left}, {right})"
            case Comparison.NE:
                return f"_kleene_not(_kleene_equal({left}, {right}))"
            case Comparison.LT:
                return f"_kleene_less({left}, {right})"
            case Comparison.GE:
                return f"_kleene_not(_kleene_less({left}, {right}))"
            case Comparison.GT:
                return f"_kleene_less({right}, {left})"
            case Comparison.LE:
                return f"_kleene_not(_kleene_less({right}, {left}))"

    def _later(self, *operands: Term) -> str:
        return ", ".join(f"lambda: {self.of(operand)}" for operand in operands)

    def _choice(self, term: Choice) -> str:
        """A chain of choices as one call, since Python limits how deep brackets are nested."""
        pairs: list[str] = []
        otherwise: Term = term
        while isinstance(otherwise, Choice):
            pairs.append(f"(lambda: {self.of(otherwise.condition)}, lambda: {self.of(otherwise.then)})")
            otherwise = otherwise.otherwise
        return f"_kleene_choice(lambda: {self.of(otherwise)}, {', '.join(pairs)})"

    def _test(self, variable: Variable, body: Term) -> str:
        return f"lambda {variable.name}: {self.of(body)}"

    def members(self, collection: Collection) -> str:
        """The text of the elements of a collection."""
        match collection:
            case ConstantSet():
                return f"({render_collection(collection)})"
            case SetVariable(name):
                return name
            case Elements(term):
                return self.of(term)
            case _:
                entry = f"{collection.table}.get(_a, frozenset())"
                return f"_kleene_of(lambda _a: {entry}, {self.of(collection.key)})"

    @staticmethod
    def _fields(name: str, side: FieldSet) -> str:
        element = ", ".join(f"_c.{field}" for field in side.fields) or "_c"
        return f"{{({element},) for _c in {name}}}"
