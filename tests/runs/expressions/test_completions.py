"""A value that is known is the value of every completion of what is undetermined, and bounds hold for all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import islice, product

from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.expressions.random_expressions import ORDERING, PAYING, runs
from tests.runs.expressions.small_agent import TYPES, reader
from workbench.dialect.check import run_expression
from workbench.model import UNANSWERED, Json, RecordedCall
from workbench.policy.operations import Known
from workbench.policy.problems import PolicyError
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.moment import Moment, Trace
from workbench.runs.expressions.scope import ReadExpression, naive_value
from workbench.runs.world.earlier_calls import Earlier

_MOST = 60
"""The most completions of one run that are tried."""
_TOTALS: tuple[Json, ...] = (-5, 10, 20)
_IBANS: tuple[Json, ...] = ("DE1", "DE2")


def _value(read: ReadExpression, calls: tuple[RecordedCall, ...]) -> Known:
    moment = Moment(reader(), calls[-1], Earlier(calls, len(calls) - 1))
    return naive_value(read, moment, Trace(), {})


def _completions(calls: tuple[RecordedCall, ...]) -> Iterator[tuple[RecordedCall, ...]]:
    """The same run with outcomes, arguments, tools and times in the place of those that are not known."""
    choices = [list(_of_call(call, len(calls) - 1)) for call in calls]
    return islice(product(*choices), _MOST)


def _of_call(call: RecordedCall, now: int) -> Iterator[RecordedCall]:
    unknown = call.known_from == UNANSWERED or call.known_from > now or call.result is None
    outcomes = (
        replace(call, result="done", known_from=0),
        replace(call, result="done", known_from=0, failed=True),
    )
    for known in outcomes if unknown and call.index < now else (call,):
        for tool in ("pay_invoice", "get_user") if known.tool is None else (known.tool,):
            for arguments in _arguments(known, tool):
                text = json.dumps(arguments)
                yield replace(known, tool=tool, arguments=arguments, texts={**known.texts, "arguments": text})


def _arguments(call: RecordedCall, tool: str | None) -> Iterator[Mapping[str, Json]]:
    given = dict(call.arguments or {})
    if tool != "pay_invoice":
        yield given
        return
    totals = (given["total"],) if isinstance(given.get("total"), int) else _TOTALS
    ibans = (given["iban"],) if isinstance(given.get("iban"), str) else _IBANS
    for total, iban in product(totals, ibans):
        yield {**given, "total": total, "iban": iban}


@settings(
    max_examples=examples(600),
    deadline=None,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(runs(5), st.one_of(st.tuples(PAYING, st.just("pay_invoice")), st.tuples(ORDERING, st.just("order"))))
def test_known_values_and_bounds_hold_for_every_completion(
    calls: tuple[RecordedCall, ...], of: tuple[str, str]
) -> None:
    assume(calls[-1].tool == of[1] and calls[-1].arguments is not None)
    try:
        read = ReadExpression(run_expression(of[0], TYPES, of[1]))
    except PolicyError:
        assume(False)
        return
    value = _value(read, calls)
    for completed in _completions(calls):
        other = _value(read, completed)
        if isinstance(other, Undetermined):
            continue  # a time or a record is still not known
        if not isinstance(value, Undetermined):
            assert other == value, (of, completed)
        elif isinstance(value.between, tuple):
            low, high = value.between
            assert isinstance(other, int | Decimal)
            assert low is None or (isinstance(low, int | Decimal) and other >= low)
            assert high is None or (isinstance(high, int | Decimal) and other <= high)
