"""Translation of the tests in a model's reply to a term of the dialect, and to words.

The model says only which argument is compared with which value. Code writes, negates and words the condition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal

from workbench.author.argument_terms import (
    all_of,
    among,
    any_of,
    compared,
    free_name,
    has_no_value,
    opposite,
    text_test,
    variable,
)
from workbench.author.model.expression_check import NotAnExpression, read_expression, rewritten
from workbench.model import Argument, ArgumentType, Json, Kind, Scalar
from workbench.policy.connectives import TRUE
from workbench.policy.terms import (
    Comparison,
    ConstantSet,
    Member,
    Quantified,
    Quantifier,
    SetVariable,
    StringTestKind,
    Term,
    Variable,
)
from workbench.policy.walk import rename_bound, with_constant_sets

type Lists = Mapping[str, tuple[str, ...]]

_ORDER = {
    "less than": Comparison.LT,
    "at most": Comparison.LE,
    "exactly": Comparison.EQ,
    "at least": Comparison.GE,
    "more than": Comparison.GT,
    "not": Comparison.NE,
}
_TIMES = {
    "before": Comparison.LT,
    "until": Comparison.LE,
    "exactly": Comparison.EQ,
    "from": Comparison.GE,
    "after": Comparison.GT,
}
_SYMBOLS = {operator.value: words for words, operator in _ORDER.items()}
_TEXTS = {
    "starts with": StringTestKind.PREFIX,
    "ends with": StringTestKind.SUFFIX,
    "contains": StringTestKind.CONTAINS,
}
_ELEMENT = "element"


@dataclass(frozen=True, slots=True)
class ReplyCondition:
    """A condition: its term, its words, and the texts with which arguments are compared."""

    term: Term = TRUE
    words: str = ""
    values: tuple[tuple[str, str], ...] = ()


def condition_of(
    tests: Sequence[Json], arguments: Sequence[Argument], lists: Lists, name: str
) -> ReplyCondition:
    """The condition that all tests hold; the elements tested in sets become a list called ``name``.

    Raises NotAnExpression if a test's expression is not in the dialect.
    """
    argument_by_name = {argument.name: argument for argument in arguments}
    return joined(
        *(_condition(test, argument_by_name, lists, name) for test in tests if isinstance(test, dict))
    )


def joined(*parts: ReplyCondition) -> ReplyCondition:
    """The conjunction of all parts."""
    return ReplyCondition(
        all_of(*(part.term for part in parts)),
        " and ".join(part.words for part in parts if part.words),
        tuple(dict.fromkeys(value for part in parts for value in part.values)),
    )


def negated(condition: ReplyCondition) -> ReplyCondition:
    """The condition under which the given one does not hold."""
    return ReplyCondition(opposite(condition.term), f"not ({condition.words})", condition.values)


def in_place(term: Term) -> Term:
    """The term with each named list replaced by its values."""
    return with_constant_sets(term, lambda members: replace(members, name=None))


# --- one test ---------------------------------------------------------------------


def _condition(
    test: Mapping[str, Json], argument_by_name: Mapping[str, Argument], lists: Lists, name: str
) -> ReplyCondition:
    if "expression" in test:
        return _expression(test, argument_by_name)
    argument = argument_by_name[str(test["argument"])]
    operator = test["is"]
    if operator == "unknown":
        return ReplyCondition(has_no_value(argument), f"{argument.name} is not known")
    reply_condition = _known(argument, operator, test, lists, name)
    reply_condition = replace(
        reply_condition,
        term=rename_bound(reply_condition.term, {_ELEMENT: free_name(_ELEMENT, argument_by_name.values())}),
    )
    if not argument.type.optional:
        return reply_condition
    return replace(reply_condition, term=all_of(opposite(has_no_value(argument)), reply_condition.term))


def _expression(test: Mapping[str, Json], argument_by_name: Mapping[str, Argument]) -> ReplyCondition:
    text = str(test["expression"])
    if not text.strip():
        raise NotAnExpression("An expression needs its text.")
    stated_lists = test.get("lists")
    lists: dict[str, tuple[str, ...]] = {}
    for stated_list in stated_lists if isinstance(stated_lists, list) else ():
        if isinstance(stated_list, dict) and isinstance(values := stated_list.get("values"), list):
            lists[str(stated_list["name"])] = tuple(dict.fromkeys(map(str, values)))
    return ReplyCondition(read_expression(text, tuple(argument_by_name.values()), lists), rewritten(text))


def _known(
    argument: Argument, operator: Json, test: Mapping[str, Json], lists: Lists, name: str
) -> ReplyCondition:
    """The test of an argument that has a value."""
    match argument.type.kind:
        case Kind.BOOL:
            truth = operator is True
            term = variable(argument) if truth else opposite(variable(argument))
            return ReplyCondition(term, f"{argument.name} is {'true' if truth else 'false'}")
        case Kind.SET:
            return _of_set(argument, str(operator), test.get("values"), lists, name)
        case Kind.ENUM | Kind.STR:
            return _of_texts(argument, str(operator), test.get("values"))
        case kind:
            comparison = (_ORDER if kind in (Kind.INT, Kind.DECIMAL) else _TIMES)[str(operator)]
            value = _constant(kind, test.get("value"))
            return ReplyCondition(
                compared(argument, comparison, value), f"{argument.name} is {operator} {value}"
            )


def _of_texts(argument: Argument, operator: str, operand: Json) -> ReplyCondition:
    values = tuple(dict.fromkeys(map(str, operand))) if isinstance(operand, list) else ()
    match operator:
        case "one of":
            term = among(argument, *values)
        case "none of":
            term = opposite(among(argument, *values))
        case "does not contain":
            term = opposite(
                any_of(*(text_test(argument, StringTestKind.CONTAINS, value) for value in values))
            )
        case _:
            term = any_of(*(text_test(argument, _TEXTS[operator], value) for value in values))
    verb = {"one of": "is", "none of": "is not"}.get(operator, operator)
    return ReplyCondition(
        term,
        f"{argument.name} {verb} {' or '.join(values)}",
        tuple((argument.name, value) for value in values),
    )


def _of_set(argument: Argument, operator: str, operand: Json, lists: Lists, name: str) -> ReplyCondition:
    if isinstance(operand, str):
        values, shown_values = lists[operand], f"what is listed ({len(lists[operand])})"
    else:
        values = tuple(dict.fromkeys(map(str, operand))) if isinstance(operand, list) else ()
        shown_values = ", ".join(values[:4]) + ("..." if len(values) > 4 else "")
    quantifier = Quantifier.ANY if operator.startswith("any") else Quantifier.ALL
    element = Variable(_ELEMENT, ArgumentType(Kind.STR))
    inside: Term = Member(element, ConstantSet(values, name))
    body = inside if operator in ("all in", "any in") else opposite(inside)
    words = {
        "all in": f"all {argument.name} are among {shown_values}",
        "any in": f"one of {argument.name} is among {shown_values}",
        "any not in": f"one of {argument.name} is not among {shown_values}",
        "none in": f"none of {argument.name} is among {shown_values}",
    }
    return ReplyCondition(
        Quantified(quantifier, element, SetVariable(argument.name), body),
        words[operator],
        () if isinstance(operand, str) else tuple((argument.name, value) for value in values),
    )


def _constant(kind: Kind, operand: Json) -> Scalar:
    """The value in the argument's type; raises NotAnExpression for a date that does not exist."""
    try:
        match kind:
            case Kind.INT:
                return int(str(operand))
            case Kind.DECIMAL:
                return Decimal(str(operand))
            case Kind.DATE:
                return date.fromisoformat(str(operand))
            case Kind.TIME:
                return time.fromisoformat(str(operand))
            case _:
                return datetime.fromisoformat(str(operand))
    except (ValueError, ArithmeticError):
        raise NotAnExpression(f"{operand!r} is no {kind}.") from None


def test_of(name: str, symbol: str, value: str, argument: Argument) -> Mapping[str, Json] | None:
    """The test ``name symbol value`` as a request may write it; None if it is none."""
    match argument.type.kind:
        case Kind.BOOL if value.lower() in ("true", "false") and symbol in ("==", "!=", "="):
            return {"argument": name, "is": (value.lower() == "true") is (symbol != "!=")}
        case Kind.INT if value.lstrip("-").isdigit() and symbol in _SYMBOLS:
            return {"argument": name, "is": _SYMBOLS[symbol], "value": int(value)}
        case Kind.ENUM if value in argument.type.values and symbol in ("==", "!=", "="):
            return {"argument": name, "is": "none of" if symbol == "!=" else "one of", "values": [value]}
        case _:
            return None
