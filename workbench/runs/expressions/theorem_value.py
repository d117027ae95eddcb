"""Whether a theorem holds of a recorded run: each call is read with the outcome that it had in the end.

Records are read as they were known when a call was decided. The outcomes are those of the whole run: a
theorem is about what happened, and a guard that decides while calls are running allows for each outcome.
"""

from __future__ import annotations

import decimal
from collections.abc import Collection, Iterator, Sequence
from typing import cast, override

from workbench.dialect.checked import CallsOfTool, CallTheorem, OverCalls
from workbench.dialect.run_values import RunExpression, RunValues
from workbench.dialect.theorems import zero_of
from workbench.model import RecordedCall, RecordValue, Scalar
from workbench.policy.evaluate import EXACT, UNDEFINED, Valuation, value_of
from workbench.policy.operations import Known
from workbench.policy.terms import Constant, Term
from workbench.policy.undetermined import Undetermined, fields_in, joined, record_of, unknown
from workbench.runs.expressions.moment import AgentReader, Moment, Trace
from workbench.runs.expressions.scope import NO_POLICY, ReadExpression, naive_value
from workbench.runs.world.earlier_calls import Earlier

_OUTCOME = ("succeeded", "failed", "approved", "result")


def theorem_value(
    theorem: CallTheorem, values: RunValues, reader: AgentReader, calls: Sequence[RecordedCall]
) -> bool | Undetermined:
    """Whether a theorem holds of these calls of a run; undetermined where the run does not say.

    ``values`` are the values over the run that the terms of the theorem name.
    """
    gathered = {part.name: _gathered(part, values, reader, calls) for part in theorem.parts}
    with decimal.localcontext(EXACT):
        truth = value_of(theorem.term, Valuation(NO_POLICY, gathered, None))
    assert isinstance(truth, bool | Undetermined)
    return truth


def says_of_last(
    theorem: CallTheorem, values: RunValues, reader: AgentReader, calls: Sequence[RecordedCall]
) -> bool:
    """Whether the last of these calls is certainly one that a theorem speaks of."""
    *_, call = calls
    moment = _Ended(reader, call, Earlier(calls, len(calls) - 1))
    said = [part.of_tool(call.tool or "") for part in theorem.parts]
    return any(one is not None and _of_call(one.about, one, values, moment) is True for one in said)


def _gathered(
    part: OverCalls, values: RunValues, reader: AgentReader, calls: Sequence[RecordedCall]
) -> Known:
    """The value that a theorem gathers over these calls."""
    truths: list[bool | Undetermined] = []
    found: list[Known] = []
    for place, call in enumerate(calls):
        of_tool = part.of_tool(call.tool or "")
        if of_tool is None or not call.ran:
            continue
        moment = _Ended(reader, call, Earlier(calls, place))
        truth = _of_call(of_tool.condition, of_tool, values, moment)
        truths.append(truth if isinstance(truth, bool | Undetermined) else unknown("no truth value"))
        if part.operation not in ("any", "count") and truth is not False:
            assert of_tool.value is not None
            found.append(_of_call(of_tool.value, of_tool, values, moment))
    open_values = [one for one in (*truths, *found) if isinstance(one, Undetermined)]
    if part.operation == "any":
        return joined(truths, deciding=True)
    if open_values:
        return open_values[0].with_those_of(*open_values)
    if part.operation == "count":
        return sum(truth is True for truth in truths)
    if part.operation == "sum":
        zero = zero_of(part.type).value
        with decimal.localcontext(EXACT):
            return sum(cast("list[decimal.Decimal]", found), cast("decimal.Decimal", zero))
    return _extreme(part, cast("list[Scalar]", found))


def _extreme(part: OverCalls, found: list[Scalar]) -> Known:
    if not found:
        return part.default.value if isinstance(part.default, Constant) else None
    choose = max if part.operation == "max" else min
    return choose(found)  # type: ignore[type-var] # the checker passed values of one ordered type


def _of_call(term: Term, of: CallsOfTool, values: RunValues, moment: Moment) -> Known:
    if isinstance(term, Constant):
        return term.value
    try:
        return naive_value(ReadExpression(RunExpression(of.tool, "", term, values)), moment, Trace(), {})
    except UNDEFINED as error:
        return unknown(f"it has no value here ({error})")


class _Ended(Moment):
    """The moment of a decision, with the outcomes that the calls have in the end."""

    def __init__(self, reader: AgentReader, call: RecordedCall, history: Earlier) -> None:
        super().__init__(reader, call, history)
        self._in_the_end = Moment(reader, call, _Whole(history.calls, len(history)))

    @override
    def decided(self, names: Collection[str]) -> RecordValue:
        own = super().decided([name for name in names if name not in _OUTCOME])
        if all(name not in names for name in _OUTCOME):
            return own
        whole = self.reader.earlier(self.call, names, self.history)
        return record_of(
            own.type, fields_in(own) | {name: fields_in(whole)[name] for name in _OUTCOME if name in names}
        )

    @override
    def in_turn(
        self, tools: Collection[str], names: Collection[str] | None = None, *, latest_first: bool = False
    ) -> Iterator[RecordValue | Undetermined]:
        return self._in_the_end.in_turn(tools, names, latest_first=latest_first)


class _Whole(Earlier):
    """The first calls of a run with all that is known of them in the end."""

    @override
    def _known(self, call: RecordedCall) -> RecordedCall:
        return call
