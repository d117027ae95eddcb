"""Rules, clauses and conditions of a policy as sentences in plain English.

The words follow the request language if it has a form for the condition, so that such a sentence reads back
as the same rule. Other conditions are put into words that the language does not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from workbench.model import ArgumentType, Kind
from workbench.policy.connectives import conjunction, is_false, is_true
from workbench.policy.literals import literal
from workbench.policy.spoken_conditions import is_truth, spoken
from workbench.policy.term_text import render_term
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
    HelperCall,
    IsMissing,
    Length,
    Lookup,
    Member,
    Not,
    Or,
    PolicyTerms,
    Quantified,
    Quantifier,
    ResultTerm,
    Rule,
    SetVariable,
    StringTest,
    StringTestKind,
    Sum,
    Table,
    Term,
    Variable,
)
from workbench.policy.types import MOMENTS
from workbench.policy.value_words import value_words
from workbench.policy.walk import children, with_children

ACTIONS = frozenset(["tool", "action", "operation", "command", "function", "task", "call", "intent"])
"""The names of an enum whose value is the action of the agent."""
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*")
_GRAMMAR = "a an the is are be of for if in no not and or true false yes unless when where while once only"
_OTHERS = "may can must known none one least every than before after since with without by to ago it they"
_OF_CONDITIONS = "empty among plus minus multiplied each do does there"
_SPECIAL = frozenset(f"{_GRAMMAR} {_OTHERS} {_OF_CONDITIONS}".split())
_DECIDING = "deny block refuse reject forbid prohibit disallow allow permit stop prevent"
_OF_SENTENCES = _SPECIAL | frozenset(f"{_DECIDING} never nobody nothing need require".split())
_PRESENT = frozenset(["now", "today"])
_BOUNDS = {
    Comparison.EQ: "is",
    Comparison.NE: "is not",
    Comparison.LT: "is less than",
    Comparison.LE: "is at most",
    Comparison.GT: "is more than",
    Comparison.GE: "is at least",
}
_MOMENTS = {
    **_BOUNDS,
    Comparison.LT: "is before",
    Comparison.LE: "is not after",
    Comparison.GT: "is after",
    Comparison.GE: "is not before",
}
_TESTS = {
    StringTestKind.PREFIX: ("starts with", "does not start with"),
    StringTestKind.SUFFIX: ("ends with", "does not end with"),
    StringTestKind.CONTAINS: ("contains", "does not contain"),
}
_SAME_FIELDS = {Comparison.EQ: "the same as", Comparison.LE: "all among", Comparison.GE: "at least all of"}
_OPERATIONS = {"+": "plus", "-": "minus", "*": "multiplied by"}


@dataclass(frozen=True, slots=True)
class _Said:
    """Words, and their outermost connective; with another connective around them they get brackets."""

    text: str
    joint: str = ""

    def within(self, joint: str) -> str:
        return f"({self.text})" if self.joint and self.joint != joint else self.text


def rule_sentence(rule: Rule, policy: PolicyTerms) -> str:
    """A rule as one sentence: an action that is never done, alone or at all, or is allowed; the condition."""
    condition = _named(spoken(rule.body, policy.helpers), policy.nouns)
    acts, remaining_condition = _acts(condition)
    condition_text = "" if is_true(remaining_condition) else _spoken(remaining_condition, policy.tables).text
    action = acts or ("anything" if rule.forbids else "do anything")
    if rule.forbids:
        approval = " without a person's approval" if rule.asks else ""
        text = f"Never {action}{approval}" + (f" if {condition_text}" if condition_text else "")
    else:
        text = f"It is allowed to {action}" + (f" if {condition_text}" if condition_text else "")
    if is_false(remaining_condition):
        done = "asked about" if rule.asks else "forbidden" if rule.forbids else "allowed"
        text = f"Nothing is {done} by it"
    return f"{text}."


def condition_words(term: Term, policy: PolicyTerms) -> str:
    """A condition in words; ``always`` and ``never`` for constant conditions."""
    return _spoken(_named(spoken(term, policy.helpers), policy.nouns), policy.tables).text


def _named(term: Term, nouns: Mapping[str, Variable]) -> Term:
    """The term with the nouns of terms in their place, outermost first."""
    if not nouns:
        return term
    if noun := nouns.get(render_term(term)):
        return noun
    match term:
        case IsMissing(Variable() as variable):
            return IsMissing(nouns.get(variable.name, variable))
        case Member(_, SetVariable(name)) | Quantified(_, _, SetVariable(name), _) if name in nouns:
            term = replace(term, collection=SetVariable(nouns[name].name))
        case _:
            pass
    return with_children(term, tuple(_named(part, nouns) for part in children(term)))


# --- what is done -----------------------------------------------------------------


def _acts(condition: Term) -> tuple[str, Term]:
    """The actions that a condition names, in words, and the rest of the condition."""
    parts = condition.operands if isinstance(condition, And) else (condition,)
    for place, part in enumerate(parts):
        if values := _actions(part):
            remaining_parts = (*parts[:place], *parts[place + 1 :])
            left = conjunction(remaining_parts)
            return _either([_act(value) for value in values]), left
    return "", condition


def _act(value: str) -> str:
    """The words for an action, in quotation marks if they mean something else in a sentence."""
    words = value.replace("_", " ")
    return f'"{words}"' if _OF_SENTENCES & set(words.lower().split()) else words


def _actions(part: Term) -> tuple[str, ...]:
    match part:
        case Compare(Comparison.EQ, Variable(name, type_), Constant(str(value))) if says_act(name, type_):
            return (value,)
        case Member(Variable(name, type_), ConstantSet(values)) if says_act(name, type_):
            return tuple(map(str, values))
        case Or(operands):
            alternatives = tuple(_actions(operand) for operand in operands)
            return tuple(value for actions in alternatives for value in actions) if all(alternatives) else ()
        case _:
            return ()


def says_act(name: str, type_: ArgumentType) -> bool:
    """Whether an argument names the action of the agent: an enum called tool, action or similar."""
    return type_.kind is Kind.ENUM and not type_.optional and name.split("_")[-1] in ACTIONS


# --- conditions -------------------------------------------------------------------


def _spoken(term: Term, tables: Mapping[str, Table]) -> _Said:  # noqa: C901 # one case for each kind of test
    match term:
        case And(operands) | Or(operands):
            joint = "and" if isinstance(term, And) else "or"
            return _Said(
                f" {joint} ".join(_spoken(operand, tables).within(joint) for operand in operands), joint
            )
        case Not(operand):
            return _denied(operand, tables)
        case Constant(value):
            return _Said("always" if value else "never")
        case ResultTerm():
            return _Said("the call is allowed")
        case IsMissing(place):
            return _Said(f"{_noun(place, tables)} is not known")
        case Member():
            return _member(term, tables, denied=False)
        case StringTest(kind, text, constant):
            return _Said(f"{_noun(text, tables)} {_TESTS[kind][0]} {_text(constant)}")
        case CompareFields(operator, left, right):
            return _Said(f"{_fields(left)} are {_SAME_FIELDS[operator]} {_fields(right)}")
        case Quantified():
            return _quantified(term, tables)
        case Compare():
            return _compared(term, tables)
        case _:
            return _Said(f"{_noun(term, tables)} is true" if is_truth(term) else _noun(term, tables))


def _denied(term: Term, tables: Mapping[str, Table]) -> _Said:
    """The words for the negation of a condition."""
    match term:
        case ResultTerm():
            return _Said("the call is denied")
        case IsMissing(place):
            return _Said(f"{_noun(place, tables)} is known")
        case Member():
            return _member(term, tables, denied=True)
        case StringTest(kind, text, constant):
            return _Said(f"{_noun(text, tables)} {_TESTS[kind][1]} {_text(constant)}")
        case CompareFields(operator, left, right):
            return _Said(f"{_fields(left)} are not {_SAME_FIELDS[operator]} {_fields(right)}")
        case Variable() | Attribute() | HelperCall() | Lookup():
            return _Said(f"{_noun(term, tables)} is false")
        case _:
            return _Said(f"not ({_spoken(term, tables).text})")


def _member(term: Member, tables: Mapping[str, Table], *, denied: bool) -> _Said:
    item = _noun(term.item, tables)
    if not isinstance(term.collection, ConstantSet):
        among = _collection(term.collection, tables, term.item)
        return _Said(f"{item} is {'not ' if denied else ''}among {among}")
    values = _values(term.collection.values, term.item)
    if len(term.collection.values) == 1:
        return _Said(f"{item} is {'not ' if denied else ''}{values}")
    if not values:
        return _Said("always" if denied else "never")
    return _Said(f"{item} is {'none' if denied else 'one'} of {values}")


def _quantified(term: Quantified, tables: Mapping[str, Table]) -> _Said:
    every = term.quantifier is Quantifier.ALL
    if isinstance(term.body, Constant) and isinstance(term.body.value, bool):
        if term.body.value is every:
            return _Said("always" if every else "never")
        return _Said(f"{_collection(term.collection, tables, term)} is {'' if every else 'not '}empty")
    among = _collection(term.collection, tables, term.variable)
    element = f"{_words(term.variable.name)} of {among}"
    inner = _spoken(term.body, tables).within("")
    return _Said(f"{'for every' if every else 'for at least one'} {element}, {inner}", "each")


def _compared(term: Compare, tables: Mapping[str, Table]) -> _Said:
    operator, left, right = term.operator, term.left, term.right
    if is_truth(left) and is_truth(right):
        left_text, right_text = (_spoken(side, tables).text for side in (left, right))
        is_equality = operator is Comparison.EQ
        return _Said(
            f"({left_text}) exactly if ({right_text})"
            if is_equality
            else f"either ({left_text}) or ({right_text}), not both"
        )
    if isinstance(left, Constant) and not isinstance(right, Constant):
        return _compared(Compare(operator.turned, right, left), tables)
    kind = _kind(left) or _kind(right)
    bound = (_MOMENTS if kind in (Kind.DATE, Kind.TIME, Kind.DATETIME) else _BOUNDS)[operator]
    if (ago := _ago(left)) is not None and isinstance(right, Constant):
        return _Said(f"{_noun(ago, tables)} {bound} {_noun(right, tables)} ago")
    if right == Constant(None):
        return _Said(f"{_noun(left, tables)} is {'not ' if operator is Comparison.EQ else ''}known")
    return _Said(f"{_noun(left, tables, right)} {bound} {_noun(right, tables, left)}")


def _ago(term: Term) -> Term | None:
    """The point in time from which a difference measures the elapsed time."""
    match term:
        case Arithmetic("-", Variable(name), since) if name in _PRESENT and not _is_present(since):
            return since if _kind(since) in MOMENTS else None
        case _:
            return None


def _is_present(term: Term) -> bool:
    return isinstance(term, Variable) and term.name in _PRESENT


def _kind(term: Term) -> Kind | None:
    match term:
        case Variable(_, type_) | Attribute(_, _, type_) | HelperCall(_, _, type_):
            return type_.kind
        case Choice(_, then, _):
            return _kind(then)
        case _:
            return None


# --- nouns ------------------------------------------------------------------------


def _noun(term: Term, tables: Mapping[str, Table], other_side: Term | None = None) -> str:  # noqa: C901, PLR0912 # one case for each kind of noun
    match term:
        case Constant(value):
            return _constant(value, other_side)
        case Variable(name):
            return name if name in _PRESENT else _called(name)
        case Attribute(record, name):
            return f"{_noun(record, tables)}'s {_words(name)}"
        case Length(text):
            return f"the length of {_noun(text, tables)}"
        case Count(variable, collection, condition):
            return f"the number of {_place(collection)}{_chosen(variable, condition, tables)}"
        case Sum(variable, collection, value, condition):
            chosen = _chosen(variable, condition, tables)
            if isinstance(value, Attribute) and value.record == variable:
                return f"the total {_words(value.name)} of {_place(collection)}{chosen}"
            over = f"{_words(variable.name)} of {_place(collection)}"
            return f"the sum of {_noun(value, tables)} over {over}{chosen}"
        case Arithmetic("//", left, right):
            return f"({_noun(left, tables)} divided by {_noun(right, tables)}, rounded down)"
        case Arithmetic("%", left, right):
            return f"(the rest of {_noun(left, tables)} divided by {_noun(right, tables)})"
        case Arithmetic("-", left, right) if _kind(left) in MOMENTS and _kind(right):
            return f"the time from {_noun(right, tables)} to {_noun(left, tables)}"
        case Arithmetic(operator, left, right):
            return f"({_noun(left, tables, right)} {_OPERATIONS[operator]} {_noun(right, tables, left)})"
        case Choice(condition, then, otherwise):
            when = _spoken(condition, tables).text
            return (
                f"({_noun(then, tables, other_side)} if {when}, else {_noun(otherwise, tables, other_side)})"
            )
        case Lookup(table, key):
            return f"{_words(table)} of {_noun(key, tables)}"
        case HelperCall(function, operands):
            operands_text = ", ".join(_noun(operand, tables) for operand in operands)
            return f"“{_words(function)}” of ({operands_text})" if operands_text else f"“{_words(function)}”"
        case ResultTerm():
            return "the decision"
        case _:
            return f"({_spoken(term, tables).text})"


def _chosen(variable: Variable, condition: Term, tables: Mapping[str, Table]) -> str:
    if is_true(condition):
        return ""
    return f" (each {_words(variable.name)}) with ({_spoken(condition, tables).text})"


def _place(collection: Elements) -> str:
    return _noun(collection.term, {})


def _collection(collection: Collection, tables: Mapping[str, Table], item: Term | None = None) -> str:
    match collection:
        case ConstantSet(values):
            return _values(values, item) or "nothing"
        case SetVariable(name):
            return _called(name)
        case Elements(term):
            return _noun(term, tables)
        case _:
            return f"{_words(collection.table)} of {_noun(collection.key, tables)}"


def _fields(side: FieldSet) -> str:
    by = f" by {_all([_words(name) for name in side.fields])}" if side.fields else ""
    return f"{_place(side.collection)}{by}"


def _called(name: str) -> str:
    """What a sentence calls an argument: the words of its name, or the noun or text that the name is."""
    return name if " " in name or name.startswith("`") else f"the {_words(name)}"


def _words(name: str) -> str:
    return name.replace("_", " ").strip()


# --- values -----------------------------------------------------------------------


def _values(values: Iterable[object], item: Term | None) -> str:
    return _either([_constant(value, item) for value in values])


def _constant(value: object, other_side: Term | None) -> str:
    if isinstance(value, str):
        enum = other_side is not None and _kind(other_side) is Kind.ENUM
        is_plain = enum and _PLAIN.fullmatch(value) and value.lower() not in _SPECIAL
        return value if is_plain else _text(value)
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, timedelta | int):
        return value_words(value)
    return value_words(value)  # type: ignore[arg-type] # every other constant is a value


def _text(value: str) -> str:
    if '"' not in value and value.isprintable() and value:
        return f'"{value}"'
    return literal(value)


def _either(words: list[str]) -> str:
    *before, last = words or [""]
    return f"{', '.join(before)} or {last}" if before else last


def _all(words: list[str]) -> str:
    *before, last = words or [""]
    return f"{', '.join(before)} and {last}" if before else last
