# Lark's classes are annotated with types that are unknown in part.
# pyright: reportUnknownMemberType=false
"""Conditions over facts: records, lists and times, read by the grammar from a phrase and built as terms.

Every word has to be a name or a value of the agent spec, or a word of the grammar; else the phrase is none of
this form, and is read word by word (``phrase_conditions``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import cast

from lark import Lark, Token, Tree
from lark.exceptions import LarkError
from lark.lexer import Lexer

from workbench.author.argument_terms import OpenCompare, all_of, any_of, negate
from workbench.author.rules.condition_words import ConditionWords, NoConditionError
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.quantities import read_comparator, read_quantity
from workbench.author.rules.sentences import Chunk, SentenceWord
from workbench.author.rules.told_facts import since_name
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
    Length,
    Member,
    Quantified,
    Quantifier,
    SetVariable,
    StringTest,
    StringTestKind,
    Term,
    Variable,
)
from workbench.policy.types import comparable

_ORDERED = frozenset([Kind.INT, Kind.DECIMAL, Kind.DATE, Kind.TIME, Kind.DATETIME, Kind.DURATION])
_MOMENTS = frozenset([Kind.DATE, Kind.DATETIME])
_OPERATIONS = {"plus": "+", "minus": "-", "by": "*"}


class _Tokens(Lexer):
    """Hands over the tokens that were made of a chunk."""

    def __init__(self, _config: object) -> None:
        pass

    def lex(self, data: object) -> Iterator[Token]:  # type: ignore[override] # the state is the tokens themselves
        yield from cast("Iterable[Token]", data)


@cache
def _parser() -> Lark:
    grammar = files("workbench.author.rules").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="earley", lexer=_Tokens, start="condition_text", ambiguity="explicit")


@dataclass(slots=True)
class Conditions:
    """Reads conditions with the names and values of one lexicon.

    ``denying`` says that the rule denies more where the condition holds more often: what an element may
    lack is taken so that the rule denies.
    """

    lexicon: Lexicon
    denying: bool = True
    words: ConditionWords = field(init=False)

    def __post_init__(self) -> None:
        """Begin with no token."""
        self.words = ConditionWords(self.lexicon)

    def read(self, chunk: Chunk) -> Term:
        """The condition of a chunk; raises NoConditionError if it is none of this form."""
        tokens = list(self.words.tokens(chunk))
        try:
            tree = _parser().parse(cast("str", tokens))
        except LarkError as error:
            raise NoConditionError(str(error)) from error
        if any(True for _ in tree.find_data("_ambig")):
            raise NoConditionError("it can be taken apart in more than one way")
        return self.term(tree.children[0])

    # --- terms ---

    def term(self, node: object) -> Term:
        """The condition that a node of the parse says."""
        assert isinstance(node, Tree)
        tree = cast("Tree[Token]", node)
        parts = [one for one in tree.children if not _is_joint(one)]
        build = _BUILT.get(str(tree.data))
        if build is None:
            raise NoConditionError(str(tree.data))
        return build(self, parts)

    def noun(self, node: object) -> Term:
        """The value that a noun names; a constant keeps what it is written as until its type is known."""
        tree = cast("Tree[Token]", node)
        parts = [one for one in tree.children if not _is_joint(one)]
        match str(tree.data):
            case "fact" | "many":
                value = self.words.value(cast("Token", parts[0]))
                assert isinstance(value, Variable | Attribute)
                return value
            case "how_many":
                return self._how_many(parts)
            case "length":
                return Length(self.noun(parts[1]))
            case "time_from":
                since, until = self.noun(parts[1]), self.noun(parts[-1])
                if _type_of(since).kind not in _MOMENTS or _type_of(until).kind is not _type_of(since).kind:
                    raise NoConditionError
                return Arithmetic("-", until, since)
            case "sum_of":
                word = str(self.words.value(cast("Token", parts[1])))
                return self._calculated(_OPERATIONS[word], parts[0], parts[2])
            case _:
                raise NoConditionError

    def _calculated(self, operator: str, first: object, second: object) -> Term:
        if _is_constant(first):
            right = self.noun(second)
            return Arithmetic(operator, self._factor(operator, first, _type_of(right)), right)
        left = self.noun(first)
        right = self._factor(operator, second, _type_of(left)) if _is_constant(second) else self.noun(second)
        return Arithmetic(operator, left, right)

    def _factor(self, operator: str, node: object, type_: ArgumentType) -> Constant:
        """A constant beside a value of the type; a whole number may be multiplied by a decimal one."""
        try:
            return self.constant(node, type_)
        except NoConditionError:
            if operator != "*" or type_.kind is not Kind.INT:
                raise
            return self.constant(node, ArgumentType(Kind.DECIMAL))

    def _how_many(self, parts: Sequence[object]) -> Term:
        many = self.noun(parts[1])
        assert isinstance(many, Variable | Attribute)
        element = many.type.element
        if many.type.kind is not Kind.LIST or element is None:
            raise NoConditionError
        if len(parts) == 2:
            return Count(Variable("one", element), Elements(many), Constant(True))
        names = [one for one in parts if isinstance(one, Token) and one.type == "ELEMENT"]
        variable = self.words.elements[str(self.words.value(names[0]))]
        return Count(variable, Elements(many), self.term(parts[-1]))

    def constant(self, node: object, type_: ArgumentType) -> Constant:
        """The constant that a node says, as a value of the type; raises NoConditionError if it is none."""
        token = cast("Tree[Token]", node).children[0]
        value = self.words.value(cast("Token", token))
        return Constant(_fitting(cast("Token", token).type, value, type_))

    def guarded(self, atom: Term, *nouns: Term) -> Term:
        """A test of what elements may lack: the rule denies where it is lacking."""
        lacking = [one for noun in nouns for one in _lacking_inside(noun)]
        for place in lacking:
            absent = IsMissing(place)
            atom = any_of(absent, atom) if self.denying else all_of(negate(absent), atom)
        return atom


def _is_joint(node: object) -> bool:
    return isinstance(node, Token) and node.type in ("AND", "OR", "COMMA", "OPEN", "CLOSE", "OF")


def _lacking_inside(noun: Term) -> Iterator[Attribute]:
    match noun:
        case Attribute(Variable(name), _, type_) if type_.optional and "." not in name:
            yield noun
        case Arithmetic(_, left, right):
            yield from _lacking_inside(left)
            yield from _lacking_inside(right)
        case Length(text):
            yield from _lacking_inside(text)
        case _:
            return


def _fitting(kind: str, value: object, type_: ArgumentType) -> Scalar:
    """A value of the type; raises NoConditionError if the words say none."""
    match kind, type_.kind:
        case "VALUE", Kind.ENUM:
            fitting = [one for one in cast("tuple[str, ...]", value) if one in type_.values]
            if len(fitting) == 1:
                return fitting[0]
        case "TEXT", Kind.ENUM if value in type_.values:
            return str(value)
        case "TEXT", Kind.STR:
            return str(value)
        case "TRUTH", Kind.BOOL:
            return bool(value)
        case "DURATION", Kind.DURATION:
            assert isinstance(value, timedelta)
            return value
        case (("NUMBER" | "MONEY" | "DATE" | "TIME"), _) if isinstance(value, SentenceWord):
            quantity = read_quantity(value)
            found = quantity.value if quantity is not None else None
            if type_.kind is Kind.DECIMAL and isinstance(found, int | Decimal):
                return Decimal(found)
            if type(found).__name__ == {"date": "date", "time": "time", "int": "int"}.get(type_.kind.value):
                assert found is not None
                return found
        case _:
            pass
    raise NoConditionError


# --- the forms --------------------------------------------------------------------


def _type_of(term: Term) -> ArgumentType:
    match term:
        case Variable(_, type_) | Attribute(_, _, type_):
            return type_
        case Count() | Length() | Constant(int()):
            return ArgumentType(Kind.INT)
        case Constant(Decimal()):
            return ArgumentType(Kind.DECIMAL)
        case Arithmetic("-", left, _) if _type_of(left).kind in _MOMENTS:
            return ArgumentType(Kind.DURATION)
        case Arithmetic(_, left, right):
            kinds = [_type_of(left), _type_of(right)]
            return next((one for one in kinds if one.kind is Kind.DECIMAL), kinds[0])
        case _:
            raise NoConditionError


def _trees(parts: Sequence[object]) -> list[Tree[Token]]:
    return [cast("Tree[Token]", one) for one in parts if isinstance(one, Tree)]


def _is_constant(node: object) -> bool:
    return isinstance(node, Tree) and str(cast("Tree[Token]", node).data) == "constant"


def _operator(reader: Conditions, node: object) -> tuple[str, str]:
    """The operator, and the word where it leaves the bound open."""
    if isinstance(node, Token):
        if node.type == "IS":
            return "==", ""
        return read_comparator(str(reader.words.value(node)))
    tree = cast("Tree[Token]", node)
    if str(tree.data) == "is_not":
        return "!=", ""
    found, word = read_comparator(str(reader.words.value(cast("Token", tree.children[-1]))))
    return _TURNED[found], word


_TURNED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _compares(reader: Conditions, parts: Sequence[object]) -> Term:
    first, middle, last = parts
    operator, word = _operator(reader, middle)
    left = reader.noun(first)
    type_ = _type_of(left)
    right = reader.constant(last, type_) if _is_constant(last) else reader.noun(last)
    if isinstance(right, Constant) and isinstance(right.value, bool):
        return reader.guarded(left if right.value is (operator == "==") else negate(left), left)
    if type_.kind is Kind.DECIMAL and not isinstance(right, Constant):
        right = _with_decimal(right)
    if not isinstance(right, Constant) and not comparable(type_, _type_of(right)):
        raise NoConditionError
    if operator not in ("==", "!=") and type_.kind not in _ORDERED:
        raise NoConditionError
    if word and not (isinstance(left, Variable) and isinstance(right, Constant)):
        raise NoConditionError
    found = Compare(Comparison(operator), left, right)
    if word:
        found = OpenCompare(found.operator, left, right, word)
    elif isinstance(right, Constant) and isinstance(right.value, str):
        listed = Member(left, ConstantSet((right.value,)))
        return reader.guarded(listed if operator == "==" else negate(listed), left)
    return reader.guarded(found, left, right)


def _with_decimal(term: Term) -> Term:
    """A product of a whole number that is written and one that is counted, beside a decimal."""
    match term:
        case Arithmetic("*", Constant(int(value)), right) if _type_of(right).kind is Kind.INT:
            return Arithmetic("*", Constant(Decimal(value)), right)
        case Arithmetic("*", left, Constant(int(value))) if _type_of(left).kind is Kind.INT:
            return Arithmetic("*", left, Constant(Decimal(value)))
        case _:
            return term


def _passed(reader: Conditions, parts: Sequence[object]) -> Term:
    moment = reader.noun(parts[0])
    operator, word = _operator(reader, parts[1])
    return _since(reader, moment, operator, word, reader.words.value(cast("Token", parts[2])))


def _passed_since(reader: Conditions, parts: Sequence[object]) -> Term:
    tokens = [one for one in parts if isinstance(one, Token)]
    operator, word = _operator(reader, tokens[0])
    joint = [str(reader.words.value(one)).lower() for one in tokens[1:] if one.type == "COMPARED"]
    if joint and joint[0] not in ("after", "since"):
        raise NoConditionError
    span = next(reader.words.value(one) for one in tokens if one.type == "DURATION")
    return _since(reader, reader.noun(parts[-1]), operator, word, span)


def _since(reader: Conditions, moment: Term, operator: str, word: str, span: object) -> Term:
    assert isinstance(span, timedelta)
    if word:
        raise NoConditionError
    known = {one.name: one for one in reader.lexicon.arguments}
    if isinstance(moment, Variable) and (since := known.get(since_name(moment.name))):
        passed: Term = Variable(since.name, since.type)
    else:
        kind = _type_of(moment).kind
        present = known.get("now" if kind is Kind.DATETIME else "today")
        if present is None or present.type.kind is not kind:
            raise NoConditionError
        passed = Arithmetic("-", Variable(present.name, present.type), moment)
    return reader.guarded(Compare(Comparison(operator), passed, Constant(span)), moment)


def _listed(reader: Conditions, parts: Sequence[object]) -> Member:
    left = reader.noun(parts[0])
    node = _trees(parts[1:])[0]
    constants = _trees(node.children)
    values = tuple(reader.constant(one, _type_of(left)).value for one in constants)
    if any(value is None for value in values):
        raise NoConditionError
    return Member(left, ConstantSet(cast("tuple[Scalar, ...]", values)))


def _is_one_of(reader: Conditions, parts: Sequence[object]) -> Term:
    found = _listed(reader, parts)
    return reader.guarded(found, found.item)


def _is_none_of(reader: Conditions, parts: Sequence[object]) -> Term:
    found = _listed(reader, parts)
    return reader.guarded(negate(found), found.item)


def _held_in(reader: Conditions, parts: Sequence[object]) -> Member:
    many = reader.noun(parts[-1])
    assert isinstance(many, Variable | Attribute)
    element = many.type.element or ArgumentType(Kind.STR)
    item = reader.constant(parts[0], element) if _is_constant(parts[0]) else reader.noun(parts[0])
    if many.type.element is not None and many.type.element.kind is Kind.RECORD:
        raise NoConditionError
    return Member(item, _collection(many))


def _collection(many: Variable | Attribute) -> SetVariable | Elements:
    plain = isinstance(many, Variable) and many.type.kind is Kind.SET
    return SetVariable(many.name) if plain else Elements(many)


def _among(reader: Conditions, parts: Sequence[object]) -> Term:
    found = _held_in(reader, parts)
    return reader.guarded(found, found.item)


def _not_among(reader: Conditions, parts: Sequence[object]) -> Term:
    found = _held_in(reader, parts)
    return reader.guarded(negate(found), found.item)


def _empty(reader: Conditions, parts: Sequence[object]) -> Term:
    many = reader.noun(parts[0])
    assert isinstance(many, Variable | Attribute)
    element = many.type.element or ArgumentType(Kind.STR)
    return Quantified(Quantifier.ALL, Variable("one_of_them", element), _collection(many), Constant(False))


def _for_each(quantifier: Quantifier) -> Callable[[Conditions, Sequence[object]], Term]:
    def build(reader: Conditions, parts: Sequence[object]) -> Term:
        name = next(
            str(reader.words.value(one)) for one in parts if isinstance(one, Token) and one.type == "ELEMENT"
        )
        many, body = _trees(parts)
        place = reader.noun(many)
        assert isinstance(place, Variable | Attribute)
        return Quantified(quantifier, reader.words.elements[name], _collection(place), reader.term(body))

    return build


def _alike(reader: Conditions, parts: Sequence[object]) -> Term:
    """Two lists compared as sets of the fields that are named, or of those that both have."""
    left, right = (reader.noun(one) for one in _trees(parts))
    assert isinstance(left, Variable | Attribute)
    assert isinstance(right, Variable | Attribute)
    if left.type.kind is not Kind.LIST or right.type.kind is not Kind.LIST:
        raise NoConditionError
    tokens = [one for one in parts if isinstance(one, Token)]
    named = [cast("tuple[str, ...]", reader.words.value(one)) for one in tokens if one.type == "FIELDS"]
    own = [_field_types(one) for one in (left, right)]
    fields = named[0] if named else tuple(name for name in own[0] if own[0][name] == own[1].get(name))
    if (len(named) > 1 and named[1] != fields) or (not fields and any(own)):
        raise NoConditionError
    if any(name not in types for name in fields for types in own):
        raise NoConditionError
    operator = Comparison.EQ if any(one.type == "SAME_AS" for one in tokens) else Comparison.LE
    found = CompareFields(operator, FieldSet(Elements(left), fields), FieldSet(Elements(right), fields))
    return negate(found) if any(one.type == "NOT" for one in tokens) else found


def _field_types(many: Variable | Attribute) -> dict[str, ArgumentType]:
    element = many.type.element
    return dict(element.record.fields) if element is not None and element.record is not None else {}


def _counts(reader: Conditions, parts: Sequence[object]) -> Term:
    many = reader.noun(parts[-1])
    assert isinstance(many, Variable | Attribute)
    if many.type.kind is not Kind.LIST or many.type.element is None:
        raise NoConditionError
    compared, number = (one for one in parts if isinstance(one, Token) and one.type in ("COMPARED", "NUMBER"))
    operator, word = _operator(reader, compared)
    quantity = _fitting("NUMBER", reader.words.value(number), ArgumentType(Kind.INT))
    if word:
        raise NoConditionError
    size = Count(Variable("one", many.type.element), Elements(many), Constant(True))
    return Compare(Comparison(operator), size, Constant(quantity))


def _presence(known: bool) -> Callable[[Conditions, Sequence[object]], Term]:
    def build(reader: Conditions, parts: Sequence[object]) -> Term:
        place = reader.noun(parts[0])
        if not isinstance(place, Variable | Attribute) or not place.type.optional:
            raise NoConditionError
        return negate(IsMissing(place)) if known else IsMissing(place)

    return build


def _truth(reader: Conditions, parts: Sequence[object]) -> Term:
    found = reader.noun(parts[-1])
    if _type_of(found).kind is not Kind.BOOL:
        raise NoConditionError
    return found


def _tested(reader: Conditions, parts: Sequence[object]) -> StringTest:
    text = reader.noun(parts[0])
    said, constant = (reader.words.value(cast("Token", one)) for one in parts[-2:])
    words = said.text.lower() if isinstance(said, SentenceWord) else str(said)
    kind = (
        StringTestKind.CONTAINS
        if words[0] == "c"
        else StringTestKind.SUFFIX
        if words[0] == "e"
        else StringTestKind.PREFIX
    )
    if _type_of(text).kind is not Kind.STR:
        raise NoConditionError
    return StringTest(kind, text, str(constant))


_BUILT: dict[str, Callable[[Conditions, Sequence[object]], Term]] = {
    "both": lambda reader, parts: all_of(*(reader.term(one) for one in parts)),
    "either": lambda reader, parts: any_of(*(reader.term(one) for one in parts)),
    "grouped": lambda reader, parts: reader.term(parts[0]),
    "negation": lambda reader, parts: negate(reader.term(parts[-1])),
    "holds": lambda reader, parts: reader.guarded(_truth(reader, parts), _truth(reader, parts)),
    "fails": lambda reader, parts: reader.guarded(negate(_truth(reader, parts)), _truth(reader, parts)),
    "is_known": _presence(known=True),
    "is_unknown": _presence(known=False),
    "compares": _compares,
    "passed": _passed,
    "passed_since": _passed_since,
    "is_one_of": _is_one_of,
    "is_none_of": _is_none_of,
    "tests": lambda reader, parts: reader.guarded(_tested(reader, parts), reader.noun(parts[0])),
    "tests_not": lambda reader, parts: reader.guarded(negate(_tested(reader, parts)), reader.noun(parts[0])),
    "is_among": _among,
    "is_not_among": _not_among,
    "is_empty": _empty,
    "is_not_empty": lambda reader, parts: negate(_empty(reader, parts)),
    "for_every": _for_each(Quantifier.ALL),
    "for_one": _for_each(Quantifier.ANY),
    "counts": _counts,
    "alike": _alike,
}
