"""Records as of an earlier call: as they were known when that call was decided."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.dialect.naive_decision import Translated
from tests.guard.exported_files import ExportedFile, reading_of
from tests.live_guarding import live_guard
from tests.runs.expressions.small_agent import SPEC, TYPES, call, naive, read
from workbench.dialect.check import run_expression
from workbench.dialect.run_terms import text_of
from workbench.guard import Guard, Mode, ToolCall
from workbench.model import Json, RecordedCall, Verdict
from workbench.policy.problems import PolicyError
from workbench.policy.undetermined import Undetermined

HEAD = '''\
"""A policy."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import GetUser, Order, PayInvoice, Run, looked_up

DEFAULT = "allow"


def forbid_it(call: PayInvoice, run: Run) -> bool:
    """R1: No."""
    return '''
ROOM = "run.booking(c.booking_id{}) is not None and run.booking(c.booking_id{}).kind == 'room'"
WAS_ROOM = f"any({ROOM.format(', as_of=c', ', as_of=c')} for c in run.earlier(Order))"
PAY: dict[str, Json] = {"total": 5, "iban": "DE1"}


def order(index: int, booking: str, result: str | None = "done", **others: object) -> RecordedCall:
    return call(index, "order", {"booking_id": booking, "items": []}, result, **others)


def looked_up_booking(index: int, kind: str, booking: str = "B1") -> RecordedCall:
    result = f'{{"id": "{booking}", "user_id": "U1", "kind": "{kind}"}}'
    return call(index, "get_booking", {"id": booking}, result)


def test_an_order_changes_the_booking_and_what_it_was_before_is_known_as_of_the_order() -> None:
    calls = [looked_up_booking(0, "room"), order(1, "B1"), call(2, "pay_invoice", PAY)]
    assert naive(WAS_ROOM, calls) is True
    assert isinstance(naive(f"any({ROOM.format('', '')} for c in run.earlier(Order))", calls), Undetermined)
    policy = Translated(HEAD + WAS_ROOM)
    assert policy.core(calls, 2) is policy.restarted(calls, 2) is policy.naive(calls, 2) is Verdict.DENY


@pytest.mark.parametrize(
    ("calls", "is_looked_up"),
    [
        ([order(0, "B1"), looked_up_booking(1, "room")], False),  # only afterwards
        ([looked_up_booking(0, "room"), order(1, "B1")], True),
        ([looked_up_booking(0, "room"), order(1, "B1"), order(2, "B1")], None),  # the first is settled
        ([looked_up_booking(0, "room", "B2"), order(1, "B1")], False),
    ],
)
def test_looked_up_is_asked_of_the_moment_of_each_call(
    calls: list[RecordedCall], is_looked_up: bool | None
) -> None:
    run = [*calls, call(len(calls), "pay_invoice", PAY)]
    every = "all(looked_up(run.booking(c.booking_id, as_of=c)) for c in run.earlier(Order))"
    some = "any(looked_up(run.booking(c.booking_id, as_of=c)) for c in run.earlier(Order))"
    assert naive(every, run) is bool(is_looked_up)
    assert naive(some, run) is (is_looked_up is not False)
    for text in (every, some):
        policy = Translated(HEAD + text)
        assert policy.core(run, len(calls)) is policy.naive(run, len(calls)) is not Verdict.CANNOT_EVALUATE


def test_a_result_that_came_after_the_call_was_decided_is_not_known_as_of_it() -> None:
    late = replace(looked_up_booking(0, "room"), known_from=2)
    run = [late, order(1, "B1", known_from=3), order(2, "B2"), call(3, "pay_invoice", PAY)]
    policy = Translated(HEAD + WAS_ROOM)
    assert naive(WAS_ROOM, run) is not True
    assert [policy.core(run, at) for at in range(4)] == [policy.naive(run, at) for at in range(4)]


def test_the_last_call_and_the_calls_of_a_part_of_a_run_have_their_moments_too() -> None:
    run = [looked_up_booking(0, "room"), order(1, "B1"), call(2, "pay_invoice", PAY)]
    last = "run.last(run.earlier(Order))"
    known = f"{last} is not None and looked_up(run.booking({last}.booking_id, as_of={last}))"
    before = "run.until(run.earlier(PayInvoice)).earlier(Order)"
    until = f"any(looked_up(run.booking(c.booking_id, as_of=c)) for c in {before})"
    for text in (known, until):
        policy = Translated(HEAD + text)
        assert policy.core(run, 2) is policy.restarted(run, 2) is policy.naive(run, 2) is Verdict.DENY


def test_guard_exported_file_and_replay_decide_alike_while_a_run_goes_on(tmp_path: Path) -> None:
    user = "run.user(c.iban, as_of=c)"
    limit = (
        f"sum({user}.limit for c in run.earlier(PayInvoice) if {user} is not None "
        f"and {user}.limit is not None) > Decimal('15')"
    )
    for number, text in enumerate((WAS_ROOM, limit)):
        policy = Translated(HEAD + text)
        folder = tmp_path / str(number)
        folder.mkdir()
        reading = reading_of(policy.lowered.terms, replace(SPEC, arguments=policy.lowered.arguments))
        exported = ExportedFile(folder, policy.lowered.terms, reading)
        live = live_guard(policy.policy, policy.extractor, mode=Mode.SHADOW)
        assert (
            _verdicts(live)
            == _verdicts(exported.own(), exported.module.ToolCall)
            == [
                Verdict.ALLOW,
                Verdict.DENY,
                Verdict.DENY,
            ]
        )


def _verdicts(guard: Guard, tool_call: type[ToolCall] = ToolCall) -> list[Verdict]:
    """The decisions on the last payments, before and after a booking was ordered."""
    found: list[Verdict] = []
    calls: tuple[tuple[str, dict[str, Json], str], ...] = (
        ("get_user", {"id": "DE1"}, '{"id": "DE1", "age": 40, "limit": 10}'),
        ("get_booking", {"id": "B1"}, '{"id": "B1", "user_id": "U1", "kind": "room"}'),
        ("pay_invoice", PAY, "done"),
        ("pay_invoice", PAY, "done"),
        ("order", {"booking_id": "B1", "items": []}, "done"),
        ("pay_invoice", PAY, "done"),
        ("pay_invoice", PAY, "done"),
    )
    with guard.run() as run:
        for tool, arguments, result in calls:
            outcome = run.check(tool_call(tool, arguments))
            run.finish(outcome, result)
            if tool == "pay_invoice":
                found.append(Verdict(outcome.decision.verdict.value))
    return found[-3:]


def test_an_expression_reads_as_it_is_written() -> None:
    whole = run_expression(WAS_ROOM, TYPES, "pay_invoice")
    assert "as_of=c" in text_of(whole.term)
    assert text_of(run_expression(text_of(whole.term), TYPES, "pay_invoice").term) == text_of(whole.term)


def test_what_a_record_as_of_a_call_asks_is_judged_once_for_each_call() -> None:
    (aggregate,) = read(WAS_ROOM).aggregates.values()
    assert aggregate.settled and not aggregate.rest


@pytest.mark.parametrize(
    ("as_of", "words"),
    [
        ("call", "`call` is no earlier call as of which a record is read"),
        ("c.iban", "`c.iban` is no earlier call as of which a record is read"),
        ("run.user(c.iban)", "may be None"),
        ("run.last(run.earlier(Order))", "may be None"),
    ],
)
def test_what_is_no_earlier_call_is_a_mistake(as_of: str, words: str) -> None:
    text = f"any(run.user(c.iban, as_of={as_of}) is None for c in run.earlier(PayInvoice))"
    with pytest.raises(PolicyError) as raised:
        Translated(HEAD + text)
    assert words in str(raised.value)


def test_another_keyword_is_a_mistake() -> None:
    with pytest.raises(PolicyError) as raised:
        Translated(HEAD + "any(run.user(c.iban, at=c) is None for c in run.earlier(PayInvoice))")
    assert "`run.user` takes one key" in str(raised.value)
