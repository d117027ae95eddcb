"""What is kept of a run from call to call gives the values of an evaluation from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.expressions.random_expressions import ORDERING, PAYING, runs
from tests.runs.expressions.small_agent import TYPES, call, reader
from workbench.dialect.check import run_expression
from workbench.model import UNANSWERED, RecordedCall
from workbench.policy.operations import Known
from workbench.policy.problems import PolicyError
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.evaluator import Evaluator
from workbench.runs.expressions.moment import Moment, Trace
from workbench.runs.expressions.scope import ReadExpression, naive_value
from workbench.runs.world.earlier_calls import Earlier, unanswered

_SETTINGS = settings(
    max_examples=examples(600),
    deadline=None,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def _read(text: str, tool: str) -> ReadExpression:
    try:
        return ReadExpression(run_expression(text, TYPES, tool))
    except PolicyError:
        assume(False)
        raise


def _is_same(kept: Known, scratch: Known) -> bool:
    if not isinstance(kept, Undetermined) or not isinstance(scratch, Undetermined):
        return type(kept) is type(scratch) and kept == scratch
    # The kept value gives only the first of many reasons.
    return kept.between == scratch.between and bool(kept.names) and kept.names <= scratch.names


def _scratch(read: ReadExpression, calls: Sequence[RecordedCall], place: int) -> Known:
    moment = Moment(reader(), calls[place], Earlier(tuple(calls), place))
    return naive_value(read, moment, Trace(), {})


@_SETTINGS
@given(runs(), st.one_of(st.tuples(PAYING, st.just("pay_invoice")), st.tuples(ORDERING, st.just("order"))))
def test_kept_values_are_those_from_scratch(calls: tuple[RecordedCall, ...], of: tuple[str, str]) -> None:
    read = _read(*of)
    going_on = Evaluator(reader())
    live = Evaluator(reader())
    growing: list[RecordedCall] = []
    for place, decided in enumerate(calls):
        for before in range(place):  # as a guard knows the run: a call is replaced when its result comes
            known = calls[before].known_from <= place
            if known and growing[before] is not calls[before]:
                growing[before] = calls[before]
        if decided.tool == read.expression.tool:
            scratch = _scratch(read, calls, place)
            again = Evaluator(reader()).at(decided, Earlier(calls, place)).value(read, Trace(), {})
            kept = going_on.at(decided, Earlier(calls, place)).value(read, Trace(), {})
            grown = live.at(decided, Earlier(growing, place)).value(read, Trace(), {})
            for value in (again, kept, grown):
                assert _is_same(value, scratch), (of, place, value, scratch)
        waiting = decided.known_from > place + 1
        growing.append(_open(decided) if waiting else decided)


def _open(call: RecordedCall) -> RecordedCall:
    return replace(unanswered(call), known_from=UNANSWERED)


def test_a_moment_that_is_asked_again_after_later_ones_is_as_it_was() -> None:
    texts = (
        "sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)",
        "run.user(call.iban).age",
        "call.time",
    )
    calls = (
        call(0, "pay_invoice", {"total": 1, "iban": "u"}, known_from=2),
        call(1, "pay_invoice", {"total": 2, "iban": "u"}),
        call(2, "get_user", {"id": "u"}, '{"id": "u", "age": 30}'),
        call(3, "pay_invoice", {"total": 4, "iban": "u"}, time="2026-06-01T00:00:00+00:00"),
        call(4, "pay_invoice", {"total": 4, "iban": "u"}),
    )
    evaluator = Evaluator(reader())
    for text in texts:
        read = _read(text, "pay_invoice")
        moments = [evaluator.at(calls[place], Earlier(calls, place)) for place in (1, 3, 4)]
        for moment in (*moments, *reversed(moments)):
            value = moment.value(read, Trace(), {})
            assert _is_same(value, _scratch(read, calls, len(moment.history))), text
