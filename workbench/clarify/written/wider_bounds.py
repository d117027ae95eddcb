"""Whether a bound on one amount of one call is meant of other amounts, and of several calls together.

A rule with the wider bound is stated as a theorem of the policy as it is: a run that breaks it is a run of
calls that the guard lets through, and that a person would hardly want.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.clarify.written.asked import Calls, Effect, TriedCall
from workbench.clarify.written.attacked import attacked_by
from workbench.clarify.written.book import Book, SaidRule, places, replaced
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.kept_sentence import with_sentence
from workbench.language.theorem_trees import NEVER
from workbench.language.trees import CALL, RUN, Tree, joined, negated
from workbench.model import Kind, Run
from workbench.policy.problems import PolicyError

_MONEY: frozenset[str] = frozenset((
    "amount", "charge", "cost", "costs", "credit", "deposit", "fee", "fees", "gratuity", "payment", "price",
    "refund", "sum", "surcharge", "tip", "total", "value",
))  # fmt: skip
_PIECES: frozenset[str] = frozenset(("copies", "pieces", "points", "quantity", "shares", "units"))
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_FORBIDDEN, _PERMITTED = frozenset((">", ">=")), frozenset(("<", "<="))
_EACH = re.compile(r"\b(?:an?|each|every|per|one|any|single|same) ((?:\w+ )?\w+)")
_OPPOSITE = {"<": ">=", "<=": ">"}
_EARLIER: Tree = ("name", "e")
_SECONDS = 1.0
"""The time of the processor for the search of one run."""


@dataclass(frozen=True, slots=True)
class WiderBound:
    """A bound that a rule does not have: on which field, why a call passes without it, and the rule with it.

    ``beyond`` is the condition of the calls that it would stop, of which the theorem speaks.
    """

    field: str
    why: str
    beyond: Tree
    effect: Effect
    calls: int
    limit: int
    bounded: str


@dataclass(frozen=True, slots=True)
class PassingRun:
    """A run that passes a rule which has no wider bound: its calls."""

    bound: WiderBound
    calls: Calls


def passing_runs(book: Book, rule: SaidRule) -> Iterator[PassingRun]:
    """Yield what the guard lets through beside a bound of a rule: another amount, or another call."""
    for bound in _wider(book, rule):
        if (calls := _let_through(book, rule, bound)) is not None:
            yield PassingRun(bound, calls)


def _wider(book: Book, rule: SaidRule) -> Iterator[WiderBound]:
    """Yield the wider bounds of a rule of one tool that are sentences, and of which no rule speaks yet."""
    call = book.language.types.calls.get(rule.classes[0]) if len(rule.classes) == 1 else None
    if call is None:
        return
    fields = {one.name: one for one in call.fields}
    read = _read_of(book, call.tool)
    for path, atom in places(rule.condition):
        match atom:
            case (word, ("attr", base, str(name)), ("lit", "int" | "dec", limit)) if (
                base == CALL and name in fields and limit > 0 and word in _bounding(rule)
            ):
                pass
            case _:
                continue
        kind = _amount_of(fields[name])
        for other in call.fields if kind else ():
            if other.name != name and _may_be(kind, other) and not re.search(rf"\.{other.name}\b", read):
                value: Tree = ("attr", CALL, other.name)
                why = f"{other.name.replace('_', ' ')} is an amount, too, and no rule bounds it"
                yield from _other_field(book, rule, (word, value, atom[2]), (name, other), why)
        if kind and not _counts(book, call.name, read):
            sum_of_both: Tree = (word, _with_earlier(rule, fields[name], _grouped(rule, call)), atom[2])
            yield from _several_calls(book, rule, path, sum_of_both, name)


def _counts(book: Book, class_name: str, read: str) -> bool:
    """Whether a rule speaks of what was done before: of earlier calls, or of a number of the run."""
    words = book.terms.file.words
    told = (one for one in book.terms.arguments if one.type.kind in (Kind.INT, Kind.DECIMAL))
    is_told = any(words.of(one.name).startswith("run.context.") for one in told)
    return is_told or re.search(rf"\brun\.earlier\([^)]*\b{class_name}\b", read) is not None


def _bounding(rule: SaidRule) -> frozenset[str]:
    return _PERMITTED if rule.form == "permit" else _FORBIDDEN


def _read_of(book: Book, tool: str) -> str:
    """The expressions that the rules read of calls of a tool and of their run."""
    words = book.terms.file.words
    read = (one.name for one in book.terms.arguments)
    return "\n".join(
        words.of(name) for name in read if tool in words.tools_of(name) or not words.tools_of(name)
    )


_NO_MONEY = frozenset((
    "percent", "percentage", "rate", "ratio", "share", "lat", "latitude", "lon", "lng", "longitude", "weight",
    "height", "width", "length", "depth", "distance", "duration", "seconds", "minutes", "hours", "days",
    "nights", "score", "temperature", "priority", "page", "timeout", "delay", "level", "volume", "size",
    "confidence", "threshold", "factor", "number", "count", "limit", "quantity", "copies", "year", "version",
))  # fmt: skip
"""Words of numbers that are no money."""


def _may_be(kind: frozenset[str], other: CallField) -> bool:
    """Whether a field is an amount of a kind, or a number with places that may be money by its name."""
    if kind is _MONEY and not _amount_of(other):
        words = {one.lower() for one in _WORDS.findall(other.name)}
        return other.type.kind is Kind.DECIMAL and not words & _NO_MONEY
    return _amount_of(other) == kind


def _amount_of(field: CallField) -> frozenset[str]:
    """Of what a field is an amount, by its name: of money or of pieces; empty for another number or text."""
    words = {one.lower() for one in _WORDS.findall(field.name)}
    is_number = field.type.kind in (Kind.INT, Kind.DECIMAL)
    return next((one for one in (_MONEY, _PIECES) if is_number and words & one), frozenset[str]())


def _grouped(rule: SaidRule, call: CallType) -> CallField | None:
    """The field of which a sentence speaks as of one of several: “an account gets at most …”."""
    named = {word for words in _EACH.findall(rule.quote.casefold()) for word in words.split()}
    texts = (one for one in call.fields if one.type.kind in (Kind.STR, Kind.ENUM) and not one.type.optional)
    return next((one for one in texts if {word.lower() for word in _WORDS.findall(one.name)} & named), None)


def _with_earlier(rule: SaidRule, field: CallField, group: CallField | None) -> Tree:
    """The field of the call together with that of earlier calls: of the same account, and above zero.

    So no earlier call makes room for the next, and whatever was stopped alone is stopped.
    """
    many = ("method", RUN, "earlier", *rule.tree[3:])
    part: Tree = ("attr", _EARLIER, field.name)
    given: list[Tree] = [("is some", part)] if field.type.optional else []
    if group is not None:
        given.append(("==", ("attr", _EARLIER, group.name), ("attr", CALL, group.name)))
    if not _is_never_negative(field):
        given.append((">", part, ("lit", "int", 0)))
    counted = joined("and", [*given, ("not", ("attr", _EARLIER, "failed"))])
    return ("+", ("attr", CALL, field.name), ("call", "sum", ("gen", _EARLIER, part, many, counted)))


def _is_never_negative(field: CallField) -> bool:
    """Whether the schema of a field permits no number below zero."""
    bounds = (field.schema.get(one) for one in ("minimum", "exclusiveMinimum"))
    return any(isinstance(one, int | float) and one >= 0 for one in bounds)


def _other_field(
    book: Book, rule: SaidRule, atom: Tree, of: tuple[str, CallField], why: str
) -> Iterator[WiderBound]:
    """Yield the bound of another field, if it has a sentence."""
    name, other = of
    some: Tree = ("is some", ("attr", CALL, other.name))
    given = [some] if other.type.optional else []
    if rule.form == "permit":
        limited = joined("or", [*map(negated, given), atom])
        new = rule.with_condition(joined("and", [rule.condition, limited]))
        beyond = joined("and", [rule.condition, *given, (_OPPOSITE[atom[0]], *atom[1:])])
        effect = Effect({rule.name: new})
    else:
        said = rule.condition
        for path, part in places(rule.condition):
            if part == ("attr", CALL, name):
                said = replaced(said, path, ("attr", CALL, other.name))
        beyond = joined("and", [*given, said])
        new = rule.with_condition(beyond)
        effect = Effect(new=(new,), beside=rule.name)
    if book.sentence(new):
        yield WiderBound(other.name, why, beyond, effect, 1, int(atom[2][2]), name)


def _several_calls(
    book: Book, rule: SaidRule, path: tuple[int, ...], atom: Tree, name: str
) -> Iterator[WiderBound]:
    """Yield the bound of all calls together, if it has a sentence."""
    new = rule.with_condition(replaced(rule.condition, path, atom))
    beyond = new[2]
    if rule.form == "permit":
        beyond = joined("and", [rule.condition, (_OPPOSITE[atom[0]], *atom[1:])])
    if book.sentence(new):
        why = "each call is looked at alone, and both together come to more"
        yield WiderBound(name, why, beyond, Effect({rule.name: new}), 2, int(atom[2][2]), name)


def _let_through(book: Book, rule: SaidRule, bound: WiderBound) -> Calls | None:
    """The calls of a run that the guard lets through, which is searched once."""
    key = f"wider {rule.name} {bound.field} {bound.calls}"
    kept = None if book.kept is None else replace(book.kept, key=f"{book.kept.key}\n{key}")
    if kept is not None and (stored := kept.get()) is not None:
        return tuple(TriedCall(tool, arguments) for tool, arguments in json.loads(stored)) or None
    calls = _tried(book, rule, bound)
    if not calls and (run := _broken(book, rule, bound)) is not None:
        tool = book.tool_of(rule.classes[0])
        calls = tuple(TriedCall(tool, one.arguments or {}) for one in run.calls if one.tool == tool)
    if kept is not None:
        kept.put(json.dumps([(one.tool, dict(one.arguments)) for one in calls]))
    return calls or None


def _tried(book: Book, rule: SaidRule, bound: WiderBound) -> Calls:
    """Calls that come near the bound, or pass it by the other field, if the policy lets them through."""
    (attacked,) = attacked_by(book, rule)
    field, main = attacked.field(bound.field), attacked.field(bound.bounded)
    value = bound.limit * 9 // 10 if bound.calls > 1 else bound.limit * 2
    for base in (attacked.allowed, attacked.plain):
        if field is None or main is None or base is None or value <= 0:
            continue
        calls = (attacked.with_value(base, field, value),) * bound.calls
        beyond = attacked.with_value(base, main, bound.limit * 2)
        if attacked.stops(beyond) and attacked.allows(*calls):
            return calls
    return ()


def _broken(book: Book, rule: SaidRule, bound: WiderBound) -> Run | None:
    """The run of the guard that breaks the theorem of the wider bound; None if none is found."""
    from workbench.check.theorems.verdicts import TheoremVerdicts
    from workbench.dialect.lowered_policy import lowered_policy

    asks = [("not", ("attr", CALL, "approved"))] if "\ndef ask_" in book.language.source else []
    tree: Tree = ("call", NEVER, joined("and", [*asks, bound.beyond]), *rule.tree[3:])
    try:
        kept = with_sentence(book.language, tree, "wider")
        terms = lowered_policy(kept.policy, book.agent).terms
    except PolicyError:
        return None
    return TheoremVerdicts(terms, book.agent).runs.breaking(kept.name, bound.calls, _SECONDS).run
