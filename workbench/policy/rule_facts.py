"""Facts for the conditions of a rule, and simple conditions on them as expressions of the dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation

from workbench.model import ArgumentType, Kind, Value, WorkbenchError
from workbench.policy.durations import said_duration
from workbench.policy.literals import literal
from workbench.policy.terms import Parameter
from workbench.policy.types import MOMENTS, NUMBERS, a_type

_COMPARED = {
    "is": "==",
    "is not": "!=",
    "is at least": ">=",
    "is at most": "<=",
    "is more than": ">",
    "is less than": "<",
}
_AGO = {"is more than": ">", "is less than": "<", "is at least": ">=", "is at most": "<="}
_TESTED = {"starts with": "startswith", "ends with": "endswith"}
_NEGATIVE = {
    "does not start with": "starts with",
    "does not end with": "ends with",
    "does not contain": "contains",
}
QUANTIFIERS = ("any", "every")


@dataclass(frozen=True, slots=True)
class RuleFact:
    """A thing that a condition may speak of: ``path`` is its name, ``expression`` its text in the dialect.

    ``may_lack`` are the expressions that may be None before it is known. A fact of the elements of a list has
    the list as ``of``; ``element`` is the name of one. What an element may lack is ``lacking_inside``.
    """

    path: str
    expression: str
    type: ArgumentType
    may_lack: tuple[str, ...] = ()
    of: str = ""
    element: str = ""
    lacking_inside: tuple[str, ...] = ()

    @property
    def _may_be_unknown(self) -> bool:
        return bool(self.lacking_inside if self.of else self.may_lack)

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations that a condition may use on it."""
        known = ("is known", "is not known") if self._may_be_unknown else ()
        match self.type.kind:
            case Kind.BOOL:
                return ("is true", "is false", *known)
            case Kind.STR:
                tests = (*_TESTED, "contains", *_NEGATIVE)
                return ("is", "is not", "is one of", "is none of", *tests, *known)
            case Kind.ENUM:
                return ("is", "is not", "is one of", "is none of", *known)
            case Kind.SET:
                return ("contains", "does not contain", "is empty", "is not empty", *known)
            case Kind.LIST:
                return ("contains", "does not contain", *known)
            case Kind.RECORD:
                return known
            case kind if kind in MOMENTS:
                return (*_COMPARED, "is before", "is after", *known)
            case _:
                return (*_COMPARED, *known)


@dataclass(frozen=True, slots=True)
class SimpleCondition:
    """``any payments.amount is more than 50``: a fact, what is said of it, and the value or other fact.

    ``quantifier`` is ``any`` or ``every`` for a fact of the elements of a list, and empty elsewhere.
    """

    fact: str
    relation: str
    value: str = ""
    quantifier: str = ""


def facts_of(parameters: Sequence[Parameter]) -> dict[str, RuleFact]:
    """The facts that arguments give, by their paths: arguments, fields, lengths, sums, fields of elements."""
    taken_names = {parameter.name for parameter in parameters}
    facts = (
        fact for parameter in parameters for fact in _facts(parameter.name, parameter.type, (), taken_names)
    )
    return {fact.path: fact for fact in facts}


def _facts(
    path: str, type_: ArgumentType, lacking: tuple[str, ...], taken_names: set[str]
) -> Iterator[RuleFact]:
    lacking = (*lacking, path) if type_.optional else lacking
    if type_.kind is not Kind.LIST or not _records(type_):
        element = _element_name(path, taken_names) if type_.kind is Kind.SET else ""
        yield RuleFact(path, path, type_, lacking, element=element)
    if type_.record is not None and type_.kind is Kind.RECORD:
        for name, held in type_.record.fields:
            yield from _facts(f"{path}.{name}", held, lacking, taken_names)
    if type_.kind is Kind.LIST:
        yield RuleFact(f"number of {path}", f"len({path})", ArgumentType(Kind.INT), lacking)
        element = _element_name(path, taken_names)
        for name, held in _fields(type_):
            if held.kind in NUMBERS and not held.optional:
                total = f"sum({element}.{name} for {element} in {path})"
                yield RuleFact(f"sum of {path}.{name}", total, held, lacking)
            inside = (f"{element}.{name}",) if held.optional else ()
            yield RuleFact(f"{path}.{name}", f"{element}.{name}", held, lacking, path, element, inside)


def _records(type_: ArgumentType) -> bool:
    return type_.element is not None and type_.element.record is not None


def _fields(type_: ArgumentType) -> tuple[tuple[str, ArgumentType], ...]:
    if type_.element is None or type_.element.record is None:
        return ()
    return type_.element.record.fields


def _element_name(path: str, taken_names: set[str]) -> str:
    last = path.rpartition(".")[2]
    name = last.removesuffix("s") if last.endswith("s") and len(last) > 2 else f"one_{last}"
    while name in taken_names:
        name = f"one_{name}"
    return name


# --- conditions -------------------------------------------------------------------


def read_condition(text: str, facts: Mapping[str, RuleFact]) -> SimpleCondition | None:
    """The simple condition that a text says, as ``reservation.cabin is business``; None if it says none."""
    words = text.strip()
    quantifier = next((word for word in QUANTIFIERS if words.startswith(f"{word} ")), "")
    words = words.removeprefix(quantifier).strip()
    for path in sorted(facts, key=len, reverse=True):
        if not words.startswith(f"{path} "):
            continue
        rest = words.removeprefix(path).strip()
        for relation in sorted(facts[path].relations, key=len, reverse=True):
            if rest == relation or rest.startswith(f"{relation} "):
                return SimpleCondition(path, relation, rest.removeprefix(relation).strip(), quantifier)
    return None


def expression_of(condition: SimpleCondition, facts: Mapping[str, RuleFact], *, forbids: bool) -> str:
    """A simple condition as an expression of the dialect.

    Where a value may be lacking the rule is strict: one that forbids fires without the value, one that
    allows does not. Raises WorkbenchError where the condition does not fit its fact.
    """
    fact = facts.get(condition.fact)
    if fact is None:
        raise WorkbenchError(
            f"{condition.fact!r} is no fact of the agent; 'workbench rule SESSION --facts' lists them."
        )
    if condition.relation not in fact.relations:
        listed = ", ".join(fact.relations)
        raise WorkbenchError(
            f"{fact.path} cannot be said to be {condition.relation!r}; say one of: {listed}."
        )
    if bool(fact.of) is not bool(condition.quantifier):
        needed = f"say 'any {fact.path}' or 'every {fact.path}'" if fact.of else "leave out any and every"
        raise WorkbenchError(
            f"{fact.path} is {'of each element of a list' if fact.of else 'no list'}: {needed}."
        )
    if condition.relation in ("is known", "is not known"):
        return _presence(fact, condition)
    test = _guarded(_test(fact, condition, facts), fact.lacking_inside, forbids=forbids)
    if fact.of:
        test = f"{'any' if condition.quantifier == 'any' else 'all'}({test} for {fact.element} in {fact.of})"
    return _guarded(test, _lacking(fact, condition, facts), forbids=forbids)


def _lacking(fact: RuleFact, condition: SimpleCondition, facts: Mapping[str, RuleFact]) -> tuple[str, ...]:
    other = _other(fact, condition, facts)
    return tuple(dict.fromkeys((*fact.may_lack, *(other.may_lack if other else ()))))


def _guarded(text: str, lacking: Sequence[str], *, forbids: bool) -> str:
    if not lacking:
        return text
    joint, test = (" or ", "is None") if forbids else (" and ", "is not None")
    return f"({joint.join([*(f'{path} {test}' for path in lacking), text])})"


def _presence(fact: RuleFact, condition: SimpleCondition) -> str:
    known = condition.relation == "is known"
    joint, test = (" and ", "is not None") if known else (" or ", "is None")
    if fact.of:
        inside = joint.join(f"{path} {test}" for path in fact.lacking_inside)
        quantifier = "any" if condition.quantifier == "any" else "all"
        quantified = f"{quantifier}({inside} for {fact.element} in {fact.of})"
        return _guarded(quantified, fact.may_lack, forbids=not known)
    return f"({joint.join(f'{path} {test}' for path in fact.may_lack)})"


def _other(fact: RuleFact, condition: SimpleCondition, facts: Mapping[str, RuleFact]) -> RuleFact | None:
    """The other fact that a condition compares with, if its value names one of the same kind."""
    other = facts.get(condition.value)
    return other if other is not None and not other.of and other.type.kind is fact.type.kind else None


def _test(fact: RuleFact, condition: SimpleCondition, facts: Mapping[str, RuleFact]) -> str:
    subject, relation = fact.expression, condition.relation
    if relation in ("is true", "is false"):
        return subject if relation == "is true" else f"not {subject}"
    if relation in ("is empty", "is not empty"):
        nothing = f"all(False for {fact.element} in {subject})"
        return nothing if relation == "is empty" else f"not {nothing}"
    if relation in _NEGATIVE and fact.type.kind is Kind.STR:
        return f"not {_text_test(subject, _NEGATIVE[relation], condition.value)}"
    if relation in (*_TESTED, "contains") and fact.type.kind is Kind.STR:
        return _text_test(subject, relation, condition.value)
    if relation in ("contains", "does not contain"):
        element = fact.type.element or ArgumentType(Kind.STR)
        inside = "in" if relation == "contains" else "not in"
        return f"{literal(value_of(condition.value, element))} {inside} {subject}"
    if relation in ("is one of", "is none of"):
        values = [value_of(text.strip(), fact.type) for text in condition.value.split(",")]
        inside = "in" if relation == "is one of" else "not in"
        return f"{subject} {inside} {{{', '.join(map(literal, values))}}}"
    if fact.type.kind in MOMENTS and condition.value.endswith(" ago"):
        return _ago(fact, condition, facts)
    operator = _COMPARED.get(relation) or {"is before": "<", "is after": ">"}[relation]
    other = _other(fact, condition, facts)
    return (
        f"{subject} {operator} {other.expression if other else literal(value_of(condition.value, fact.type))}"
    )


def _ago(fact: RuleFact, condition: SimpleCondition, facts: Mapping[str, RuleFact]) -> str:
    present = facts.get("now" if fact.type.kind is Kind.DATETIME else "today")
    passed = said_duration(condition.value.removesuffix(" ago"))
    if (
        present is None
        or present.type.kind is not fact.type.kind
        or passed is None
        or condition.relation not in _AGO
    ):
        raise WorkbenchError(
            f"“{condition.relation} {condition.value}” cannot be said of {fact.path}: that takes an argument "
            "now (or today, for a date), a bound, and a duration such as 24 hours."
        )
    return f"{present.expression} - {fact.expression} {_AGO[condition.relation]} {literal(passed)}"


def _text_test(subject: str, relation: str, value: str) -> str:
    constant = literal(_unquoted(value))
    return (
        f"{constant} in {subject}" if relation == "contains" else f"{subject}.{_TESTED[relation]}({constant})"
    )


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value


def value_of(text: str, type_: ArgumentType) -> Value:
    """The value of a type that a person writes; raises WorkbenchError if it is none."""
    plain = _unquoted(text.strip())
    try:
        match type_.kind:
            case Kind.STR:
                return plain
            case Kind.ENUM if plain in type_.values:
                return plain
            case Kind.INT:
                return int(plain.replace(",", ""))
            case Kind.DECIMAL:
                return Decimal(plain.replace(",", ""))
            case Kind.DATE:
                return date.fromisoformat(plain)
            case Kind.TIME:
                return time.fromisoformat(plain)
            case Kind.DATETIME:
                return datetime.fromisoformat(plain)
            case Kind.DURATION if (duration := said_duration(plain)) is not None:
                return duration
            case _:
                pass
    except (ValueError, InvalidOperation):
        pass
    known = f"; it is one of {', '.join(type_.values[:12])}" if type_.kind is Kind.ENUM else ""
    raise WorkbenchError(f"{text!r} is not {a_type(type_)}{known}.")
