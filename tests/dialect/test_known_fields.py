"""A record of which one field is not determined: a rule that reads another field decides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.dialect.naive_decision import Translated
from tests.guard.exported_files import ExportedFile, reading_of
from tests.live_guarding import live_guard
from tests.runs.expressions.small_agent import SPEC, call
from workbench.guard import Mode, ToolCall
from workbench.model import Json, RecordedCall, Verdict

POLICY = '''\
"""A policy."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import GetUser, Order, PayInvoice, Run

DEFAULT = "allow"


def forbid_after_large(call: Order, run: Run) -> bool:
    """R1: No order after a large payment."""
    last = run.last(run.earlier(PayInvoice))
    return last is not None and last.total > Decimal("30")


def forbid_same_account(call: GetUser, run: Run) -> bool:
    """R2: No look-up of the account that was paid."""
    last = run.last(run.earlier(PayInvoice))
    return last is not None and (last.iban == call.id.strip() or last.total > Decimal("50"))


def forbid_first(call: PayInvoice, run: Run) -> bool:
    """R3: An order comes before the first payment."""
    return run.last(run.earlier(PayInvoice)) is None and call.total > Decimal("40")
'''
ORDER: dict[str, Json] = {"booking_id": "B1", "items": [], "names": [], "prices": {}}
A, D, C = Verdict.ALLOW, Verdict.DENY, Verdict.CANNOT_EVALUATE


@pytest.mark.parametrize(
    ("paid", "verdicts"),
    [
        ({"total": 20}, [A, C, A]),  # the account is not known
        ({"total": 31}, [D, C, A]),
        ({"total": 60}, [D, D, A]),
        ({"iban": "U1"}, [C, D, A]),  # the amount is not known
        ({"iban": "U2"}, [C, C, A]),
        ({}, [C, C, A]),  # that there was a payment is known
        ({"total": 20, "iban": "U2"}, [A, A, A]),
    ],
)
def test_what_is_known_of_the_last_payment_decides(
    paid: dict[str, Json], verdicts: list[Verdict], tmp_path: Path
) -> None:
    policy = Translated(POLICY)
    first = call(0, "pay_invoice", paid)
    later = (("order", ORDER), ("get_user", {"id": "U1"}), ("pay_invoice", {"total": 45, "iban": "DE1"}))
    runs: list[tuple[RecordedCall, ...]] = [(first, call(1, *one)) for one in later]
    assert [policy.core(run, 1) for run in runs] == verdicts
    assert [policy.restarted(run, 1) for run in runs] == verdicts
    assert [policy.naive(run, 1) for run in runs] == verdicts
    reading = reading_of(policy.lowered.terms, replace(SPEC, arguments=policy.lowered.arguments))
    exported = ExportedFile(tmp_path, policy.lowered.terms, reading)
    live = live_guard(policy.policy, policy.extractor, mode=Mode.SHADOW)
    for guard, tool_call in ((live, ToolCall), (exported.own(), exported.module.ToolCall)):
        for (tool, arguments), verdict in zip(later, verdicts, strict=True):
            with guard.run() as run:
                run.finish(run.check(tool_call("pay_invoice", paid)), "ok")
                assert run.check(tool_call(tool, arguments)).decision.verdict == verdict


def test_the_reason_names_every_field_that_is_not_known() -> None:
    policy = Translated(POLICY)
    extracted = policy.extracted((call(0, "pay_invoice", {}), call(1, "order", ORDER)), 1)
    assert extracted["last"].missing == "iban of call 0 is not given; total of call 0 is not given"
