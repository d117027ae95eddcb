"""The values over a run that a policy of calls names: each is a variable whose name is its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from workbench.dialect.call_fields import CallType
from workbench.model import ArgumentType, Kind, WorkbenchError
from workbench.policy.terms import (
    Attribute,
    Compare,
    Comparison,
    Elements,
    IsMissing,
    Quantified,
    SetVariable,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import INT
from workbench.policy.walk import subterms

CALL = "call"
"""The name of the variable that is the decided call."""
SAID = "said"
"""The attribute of a run that is all that the user has said in it."""
LAST_SAID = "last_said"
"""The attribute of a run that is the last message of the user."""
FIRST_SAID = "first_said"
"""The attribute of a run that is the first message of the user, which an application's template writes."""
WORDS = (SAID, LAST_SAID, FIRST_SAID)
LAST = "last"
"""The method of a run that gives the last of some earlier calls."""
SENTENCES_WITH = "sentences_with"
"""The method of a text that gives its sentences with a value."""
GATHERING = ("min", "max")
DISTINCT = "len"
"""The operations of gathered values: the smallest, the largest, and the number of distinct ones."""
ELEMENT = "x"
"""The name of the variable that is an element of a list, in the expressions of its fields."""
PLACE = "#place"
"""The field of an earlier call that is its place in the run, which no policy can write."""
AS_OF = "as_of"
"""The keyword that names the earlier call at which a record is read."""
SOURCE_BEFORE = "source_before"
"""The method of a text that gives the places that it came from before an earlier call."""


@dataclass(frozen=True, slots=True)
class RecordAt:
    """``run.booking(key)``, ``run.seat(flight, row)``: the record with this key, None if it is absent.

    ``as_of`` is the earlier call when whose decision was made it is read; else it is read as it is known at
    the decided call.
    """

    record: str
    keys: tuple[Term, ...]
    as_of: Variable | None = None


@dataclass(frozen=True, slots=True)
class IsLookedUp:
    """``looked_up(run.booking(key))``: whether it is known what the record is, or that it is absent.

    ``as_of`` is as that of a record.
    """

    record: str
    keys: tuple[Term, ...]
    as_of: Variable | None = None


@dataclass(frozen=True, slots=True)
class RunBound:
    """``since(w for w in calls if test)``: where a part of a run begins, or ends if it is not ``since``.

    ``marker`` is ``any(test for w in calls)``. The part begins after the last call that meets the test, or
    ends before the first one; where no call does, the run is whole.
    """

    since: bool
    marker: Quantified

    @property
    def call(self) -> Variable | None:
        """The earlier call of ``run.until(c)``, whose bound no other call has; None for another bound."""
        match self.marker.body:
            case Compare(Comparison.EQ, one, Attribute(Variable() as call, name)) if name == PLACE:
                return call if one == place_of(self.marker.variable) else None
            case _:
                return None


@dataclass(frozen=True, slots=True)
class PartOfRun:
    """``run.since(...).until(...)``: the calls of a run that lie within all of these bounds."""

    bounds: tuple[RunBound, ...]


@dataclass(frozen=True, slots=True)
class EarlierCalls:
    """``run.earlier(A, B)``: the earlier calls of these tools that a guard did not refuse, in order.

    With ``bounds`` they are those of a part of the run: ``run.since(...).earlier(A)``.
    """

    tools: tuple[str, ...]
    bounds: tuple[RunBound, ...] = ()


@dataclass(frozen=True, slots=True)
class LastCall:
    """``run.last(c for c in run.earlier(A) if test)``: the last of these calls, None if there is none.

    ``marker`` is ``any(test for c in calls)``.
    """

    marker: Quantified


@dataclass(frozen=True, slots=True)
class Gathered:
    """``max((c.total for c in list if test), default=...)``, ``min``, or ``len({c.iban for c in list})``.

    ``of`` is the sum over the same elements and values, which need not be numbers. Without a ``default`` an
    extreme has no value where no element counts.
    """

    operation: str
    of: Sum
    default: Term | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """``call.branch.removeprefix("x/")``: a function of ``value_functions`` of values."""

    function: str
    operands: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class SourceOf:
    """``call.iban.source``: the places that a value of the call came from; ``path`` are the fields' names.

    With ``before`` it is ``call.iban.source_before(c)``: those of the run as it was when this earlier call
    was decided.
    """

    path: tuple[str, ...]
    before: Variable | None = None


@dataclass(frozen=True, slots=True)
class SourceOfText:
    """``link.source``: the places that a text came from which is no field of the decided call.

    ``before`` is as that of ``SourceOf``. The text of an earlier call has that call there.
    """

    text: Term
    before: Variable | None = None


@dataclass(frozen=True, slots=True)
class UserWords:
    """``run.said``: all that the user has said in the run; ``run.last_said`` is one message of it.

    ``attribute`` is the attribute of the run, one of ``WORDS``. With ``bounds`` it is of a part of the run:
    ``run.until(c).said`` is what was said before the call ``c``.
    """

    attribute: str
    bounds: tuple[RunBound, ...] = ()


@dataclass(frozen=True, slots=True)
class SentencesWith:
    """``run.said.sentences_with(call.recipient)``: the sentences of a text in which a value stands."""

    text: Term
    value: Term


@dataclass(frozen=True, slots=True)
class ReadingOf:
    """``call.message.topic``: what a reading gives for a text, and its type."""

    text: Term
    reading: str
    type: ArgumentType


@dataclass(frozen=True, slots=True)
class ContextValue:
    """``run.context.refunds_today``: a value of the application's context of the call."""

    name: str


@dataclass(frozen=True, slots=True)
class Zipped:
    """``zip(call.a, call.b)``: the pairs of two lists of equal length; without a value if the lengths differ.

    An element is a record with the two names of the pair as its fields.
    """

    left: Elements
    right: Elements


type RunValue = (
    RecordAt
    | IsLookedUp
    | PartOfRun
    | EarlierCalls
    | LastCall
    | Gathered
    | Applied
    | SourceOf
    | SourceOfText
    | UserWords
    | SentencesWith
    | ReadingOf
    | ContextValue
    | Zipped
)


type ValueAsOf = RecordAt | IsLookedUp | SourceOf | SourceOfText | UserWords
"""A value that may be read as of an earlier call."""

type RunValues = Mapping[str, RunValue]


@dataclass(frozen=True, slots=True)
class RunExpression:
    """An expression about a call of one tool: its term, and the values over the run that its variables name.

    The variable ``call`` is the decided call, a record of the type of the tool's calls. ``element`` is the
    type of the element ``x`` of a list that the expression is about, if it is about one.
    """

    tool: str
    text: str
    term: Term
    values: RunValues
    element: ArgumentType | None = None

    def element_at(self, path: str) -> ArgumentType | None:
        """The type of the elements of the list whose field has this path from the value; None without one."""
        *lists, name = path.split(".")
        type_ = self.term.type if isinstance(self.term, Variable | Attribute) else None
        for inner in lists:
            type_ = None if type_ is None or type_.record is None else type_.record.field(inner)
        return None if type_ is None or not name else type_.element


@dataclass(frozen=True)
class CheckedExpressions:
    """The classes of an agent's calls, and the expressions over them that passed the checker.

    What evaluates expressions needs nothing else of the dialect, so that an exported file carries this.
    """

    calls: tuple[CallType, ...]
    expressions: tuple[RunExpression, ...]

    def read(self, text: str, tool: str, element: ArgumentType | None = None) -> RunExpression:
        """The expression of this text. Raises WorkbenchError for a text that the checker did not pass."""
        found = self._by_text.get((text, tool, element))
        if found is None:
            raise WorkbenchError(f"{text!r:.200} is no expression that was checked; export the policy again.")
        return found

    @cached_property
    def _by_text(self) -> Mapping[tuple[str, str, ArgumentType | None], RunExpression]:
        return {(one.text, one.tool, one.element): one for one in self.expressions}


def inner_terms(value: RunValue | None) -> tuple[Term, ...]:  # noqa: C901 # one case for each kind of value
    """The terms that a value over the run is made of."""
    match value:
        case RecordAt(_, keys, as_of) | IsLookedUp(_, keys, as_of):
            return keys if as_of is None else (*keys, place_of(as_of))
        case Zipped(left, right):
            return (left.term, right.term)
        case PartOfRun(bounds) | EarlierCalls(_, bounds):
            return tuple(one.marker for one in bounds)
        case UserWords(_, bounds):
            return tuple(one.marker if one.call is None else place_of(one.call) for one in bounds)
        case SourceOf(_, before) if before is not None:
            return (place_of(before),)
        case SourceOfText(text, before) if before is not None:
            return (text, place_of(before))
        case LastCall(marker):
            return (marker,)
        case Gathered(_, of, default):
            return (of,) if default is None else (of, default)
        case Applied(_, operands):
            return operands
        case ReadingOf(text) | SourceOfText(text):
            return (text,)
        case SentencesWith(text, with_value):
            return (text, with_value)
        case _:
            return ()


def place_of(call: Variable) -> Attribute:
    """The place of an earlier call in its run."""
    return Attribute(call, PLACE, INT)


def call_of(value: ValueAsOf) -> Variable | None:
    """The one earlier call as of whose decision a value is read; None if there is none."""
    match value:
        case RecordAt(_, _, call) | IsLookedUp(_, _, call) | SourceOf(_, call) | SourceOfText(_, call):
            return call
        case UserWords(_, bounds):
            is_until = len(bounds) == 1 and not bounds[0].since
            return bounds[0].call if is_until else None


def all_parts(term: Term, values: RunValues) -> Iterator[Term]:
    """Yield a term and all its parts, with those of the values over the run that it names."""
    for part in subterms(term):
        yield part
        if isinstance(part, IsMissing):
            yield from all_parts(part.variable, values)
        if isinstance(part, Variable):
            for within in inner_terms(values.get(part.name)):
                yield from all_parts(within, values)
        for one in sets_of(part):
            yield from all_parts(one, values)


def sets_of(term: Term) -> tuple[Variable, ...]:
    """The set that is iterated over or searched by a term, as a variable."""
    collection = getattr(term, "collection", None)
    if not isinstance(collection, SetVariable):
        return ()
    return (Variable(collection.name, ArgumentType(Kind.SET)),)
