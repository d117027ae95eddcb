"""The values over a run that a policy of calls names: each is a variable whose name is its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.model import ArgumentType
from workbench.policy.terms import Elements, Quantified, Term

CALL = "call"
"""The name of the variable that is the decided call."""


@dataclass(frozen=True, slots=True)
class RecordAt:
    """``run.booking(key)``: the record with this key, None if it is absent."""

    record: str
    key: Term


@dataclass(frozen=True, slots=True)
class IsLookedUp:
    """``looked_up(run.booking(key))``: whether it is known what the record is, or that it is absent."""

    record: str
    key: Term


@dataclass(frozen=True, slots=True)
class RunBound:
    """``since(w for w in calls if test)``: where a part of a run begins, or ends if it is not ``since``.

    ``marker`` is ``any(test for w in calls)``. The part begins after the last call that meets the test, or
    ends before the first one; where no call does, the run is whole.
    """

    since: bool
    marker: Quantified


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
class Applied:
    """``call.branch.removeprefix("x/")``: a function of ``value_functions`` of values."""

    function: str
    operands: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class SourceOf:
    """``call.iban.source``: the places that a value of the call came from; ``path`` are the fields' names."""

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceOfText:
    """``link.source``: the places that a text came from which is no field of the decided call."""

    text: Term


@dataclass(frozen=True, slots=True)
class UserWords:
    """``run.said``: all that the user has said in the run."""


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
    | Applied
    | SourceOf
    | SourceOfText
    | UserWords
    | SentencesWith
    | ReadingOf
    | ContextValue
    | Zipped
)


@dataclass(frozen=True, slots=True)
class RunExpression:
    """An expression about a call of one tool: its term, and the values over the run that its variables name.

    The variable ``call`` is the decided call, a record of the type of the tool's calls.
    """

    tool: str
    text: str
    term: Term
    values: Mapping[str, RunValue]
