# Lark's classes are annotated with types that are unknown in part.
# pyright: reportUnknownMemberType=false
"""The forms of conditions over facts: a term for each node of the grammar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from lark import Token, Tree

from workbench.author.argument_terms import OpenCompare, all_of, any_of, opposite
from workbench.author.rules.condition_words import NoConditionError
from workbench.author.rules.fact_arguments import since_name
from workbench.author.rules.fact_values import fitting, type_of, with_decimal
from workbench.author.rules.quantities import read_comparator
from workbench.author.rules.sentences import SentenceWord
from workbench.model import ArgumentType, Kind, Scalar
from workbench.policy.terms import (
    Arithmetic,
    Attribute,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    FieldSet,
    IsMissing,
    Member,
    Quantified,
    Quantifier,
    SetVariable,
    StringTest,
    StringTestKind,
    Term,
    Variable,
)
from workbench.policy.types import ORDERED, comparable

if TYPE_CHECKING:
    from workbench.author.rules.fact_conditions import PhraseConditions


def is_constant(node: object) -> bool:
    """Whether a node of the parse is a constant, whose type is that of the value next to it."""
    return isinstance(node, Tree) and str(cast("Tree[Token]", node).data) == "constant"


def _trees(parts: Sequence[object]) -> list[Tree[Token]]:
    return [cast("Tree[Token]", part) for part in parts if isinstance(part, Tree)]


def _operator(reader: PhraseConditions, node: object) -> tuple[str, str]:
    """The operator, and its word if it leaves the bound open."""
    if isinstance(node, Token):
        if node.type == "IS":
            return "==", ""
        return read_comparator(str(reader.words.value(node)))
    tree = cast("Tree[Token]", node)
    if str(tree.data) == "is_not":
        return "!=", ""
    operator, word = read_comparator(str(reader.words.value(cast("Token", tree.children[-1]))))
    return Comparison(operator).negated, word


def _compares(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    first, middle, last = parts
    operator, word = _operator(reader, middle)
    left = reader.noun(first)
    type_ = type_of(left)
    right = reader.constant(last, type_) if is_constant(last) else reader.noun(last)
    if isinstance(right, Constant) and isinstance(right.value, bool):
        return reader.guarded(left if right.value is (operator == "==") else opposite(left), left)
    if type_.kind is Kind.DECIMAL and not isinstance(right, Constant):
        right = with_decimal(right)
    if not isinstance(right, Constant) and not comparable(type_, type_of(right)):
        raise NoConditionError
    if operator not in ("==", "!=") and type_.kind not in ORDERED:
        raise NoConditionError
    if word and not (isinstance(left, Variable) and isinstance(right, Constant)):
        raise NoConditionError
    comparison = Compare(Comparison(operator), left, right)
    if word:
        comparison = OpenCompare(comparison.operator, left, right, word)
    elif isinstance(right, Constant) and isinstance(right.value, str):
        listed = Member(left, ConstantSet((right.value,)))
        return reader.guarded(listed if operator == "==" else opposite(listed), left)
    return reader.guarded(comparison, left, right)


def _passed(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    moment = reader.noun(parts[0])
    operator, word = _operator(reader, parts[1])
    return _since(reader, moment, operator, word, reader.words.value(cast("Token", parts[2])))


def _passed_since(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    tokens = [part for part in parts if isinstance(part, Token)]
    operator, word = _operator(reader, tokens[0])
    joint = [str(reader.words.value(token)).lower() for token in tokens[1:] if token.type == "COMPARED"]
    if joint and joint[0] not in ("after", "since"):
        raise NoConditionError
    span = next(reader.words.value(token) for token in tokens if token.type == "DURATION")
    return _since(reader, reader.noun(parts[-1]), operator, word, span)


def _since(reader: PhraseConditions, moment: Term, operator: str, word: str, span: object) -> Term:
    assert isinstance(span, timedelta)
    if word:
        raise NoConditionError
    argument_by_name = {argument.name: argument for argument in reader.lexicon.arguments}
    if isinstance(moment, Variable) and (since := argument_by_name.get(since_name(moment.name))):
        passed: Term = Variable(since.name, since.type)
    else:
        kind = type_of(moment).kind
        present = argument_by_name.get("now" if kind is Kind.DATETIME else "today")
        if present is None or present.type.kind is not kind:
            raise NoConditionError
        passed = Arithmetic("-", Variable(present.name, present.type), moment)
    return reader.guarded(Compare(Comparison(operator), passed, Constant(span)), moment)


def _listed(reader: PhraseConditions, parts: Sequence[object]) -> Member:
    left = reader.noun(parts[0])
    node = _trees(parts[1:])[0]
    constants = _trees(node.children)
    values = tuple(reader.constant(constant, type_of(left)).value for constant in constants)
    if any(value is None for value in values):
        raise NoConditionError
    return Member(left, ConstantSet(cast("tuple[Scalar, ...]", values)))


def _is_one_of(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    member = _listed(reader, parts)
    return reader.guarded(member, member.item)


def _is_none_of(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    member = _listed(reader, parts)
    return reader.guarded(opposite(member), member.item)


def _held_in(reader: PhraseConditions, parts: Sequence[object]) -> Member:
    many = reader.noun(parts[-1])
    assert isinstance(many, Variable | Attribute)
    element = many.type.element or ArgumentType(Kind.STR)
    item = reader.constant(parts[0], element) if is_constant(parts[0]) else reader.noun(parts[0])
    if many.type.element is not None and many.type.element.kind is Kind.RECORD:
        raise NoConditionError
    return Member(item, _collection(many))


def _collection(many: Variable | Attribute) -> SetVariable | Elements:
    is_plain_set = isinstance(many, Variable) and many.type.kind is Kind.SET
    return SetVariable(many.name) if is_plain_set else Elements(many)


def _among(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    member = _held_in(reader, parts)
    return reader.guarded(member, member.item)


def _not_among(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    member = _held_in(reader, parts)
    return reader.guarded(opposite(member), member.item)


def _empty(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    many = reader.noun(parts[0])
    assert isinstance(many, Variable | Attribute)
    element = many.type.element or ArgumentType(Kind.STR)
    return Quantified(Quantifier.ALL, Variable("one_of_them", element), _collection(many), Constant(False))


def _for_each(quantifier: Quantifier) -> Callable[[PhraseConditions, Sequence[object]], Term]:
    def build(reader: PhraseConditions, parts: Sequence[object]) -> Term:
        name = next(
            str(reader.words.value(part))
            for part in parts
            if isinstance(part, Token) and part.type == "ELEMENT"
        )
        many, body = _trees(parts)
        place = reader.noun(many)
        assert isinstance(place, Variable | Attribute)
        return Quantified(quantifier, reader.words.elements[name], _collection(place), reader.term(body))

    return build


def _alike(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    """Two lists compared as sets of the named fields, or of the fields that both have."""
    left, right = (reader.noun(tree) for tree in _trees(parts))
    assert isinstance(left, Variable | Attribute)
    assert isinstance(right, Variable | Attribute)
    if left.type.kind is not Kind.LIST or right.type.kind is not Kind.LIST:
        raise NoConditionError
    tokens = [part for part in parts if isinstance(part, Token)]
    named = [cast("tuple[str, ...]", reader.words.value(token)) for token in tokens if token.type == "FIELDS"]
    side_types = [_field_types(side) for side in (left, right)]
    fields = (
        named[0]
        if named
        else tuple(name for name in side_types[0] if side_types[0][name] == side_types[1].get(name))
    )
    if (len(named) > 1 and named[1] != fields) or (not fields and any(side_types)):
        raise NoConditionError
    if any(name not in types for name in fields for types in side_types):
        raise NoConditionError
    operator = Comparison.EQ if any(token.type == "SAME_AS" for token in tokens) else Comparison.LE
    comparison = CompareFields(operator, FieldSet(Elements(left), fields), FieldSet(Elements(right), fields))
    return opposite(comparison) if any(token.type == "NOT" for token in tokens) else comparison


def _field_types(many: Variable | Attribute) -> dict[str, ArgumentType]:
    element = many.type.element
    return dict(element.record.fields) if element is not None and element.record is not None else {}


def _counts(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    many = reader.noun(parts[-1])
    assert isinstance(many, Variable | Attribute)
    if many.type.kind is not Kind.LIST or many.type.element is None:
        raise NoConditionError
    compared, number = (
        part for part in parts if isinstance(part, Token) and part.type in ("COMPARED", "NUMBER")
    )
    operator, word = _operator(reader, compared)
    quantity = fitting("NUMBER", reader.words.value(number), ArgumentType(Kind.INT))
    if word:
        raise NoConditionError
    size = Count(Variable("one", many.type.element), Elements(many), Constant(True))
    return Compare(Comparison(operator), size, Constant(quantity))


def _presence(known: bool) -> Callable[[PhraseConditions, Sequence[object]], Term]:
    def build(reader: PhraseConditions, parts: Sequence[object]) -> Term:
        place = reader.noun(parts[0])
        if not isinstance(place, Variable | Attribute) or not place.type.optional:
            raise NoConditionError
        return opposite(IsMissing(place)) if known else IsMissing(place)

    return build


def _truth(reader: PhraseConditions, parts: Sequence[object]) -> Term:
    term = reader.noun(parts[-1])
    if type_of(term).kind is not Kind.BOOL:
        raise NoConditionError
    return term


def _tested(reader: PhraseConditions, parts: Sequence[object]) -> StringTest:
    text = reader.noun(parts[0])
    test_word, constant = (reader.words.value(cast("Token", part)) for part in parts[-2:])
    words = test_word.text.lower() if isinstance(test_word, SentenceWord) else str(test_word)
    kind = (
        StringTestKind.CONTAINS
        if words[0] == "c"
        else StringTestKind.SUFFIX
        if words[0] == "e"
        else StringTestKind.PREFIX
    )
    if type_of(text).kind is not Kind.STR:
        raise NoConditionError
    return StringTest(kind, text, str(constant))


FORMS: dict[str, Callable[[PhraseConditions, Sequence[object]], Term]] = {
    "both": lambda reader, parts: all_of(*(reader.term(part) for part in parts)),
    "either": lambda reader, parts: any_of(*(reader.term(part) for part in parts)),
    "grouped": lambda reader, parts: reader.term(parts[0]),
    "negation": lambda reader, parts: opposite(reader.term(parts[-1])),
    "holds": lambda reader, parts: reader.guarded(_truth(reader, parts), _truth(reader, parts)),
    "fails": lambda reader, parts: reader.guarded(opposite(_truth(reader, parts)), _truth(reader, parts)),
    "is_known": _presence(known=True),
    "is_unknown": _presence(known=False),
    "compares": _compares,
    "passed": _passed,
    "passed_since": _passed_since,
    "is_one_of": _is_one_of,
    "is_none_of": _is_none_of,
    "tests": lambda reader, parts: reader.guarded(_tested(reader, parts), reader.noun(parts[0])),
    "tests_not": lambda reader, parts: reader.guarded(
        opposite(_tested(reader, parts)), reader.noun(parts[0])
    ),
    "is_among": _among,
    "is_not_among": _not_among,
    "is_empty": _empty,
    "is_not_empty": lambda reader, parts: opposite(_empty(reader, parts)),
    "for_every": _for_each(Quantifier.ALL),
    "for_one": _for_each(Quantifier.ANY),
    "counts": _counts,
    "alike": _alike,
}
