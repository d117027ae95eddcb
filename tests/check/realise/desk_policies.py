"""A policy of calls for the travel desk, and wrong versions of it, each with one real mistake."""

from __future__ import annotations

from pathlib import Path

from workbench.model import AgentSpec
from workbench.session.agent_file import read_agent

_AGENT = Path(__file__).parents[3] / "sessions" / "travel-desk" / "agent.toml"

POLICY = '''\
"""What the travel desk may book, cancel and pay."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import BookRoom, CancelBooking, PayInvoice, Run

DEFAULT = "allow"
LIMIT = Decimal("5000")


def paid(call: PayInvoice, run: Run) -> Decimal:
    """what was paid in this run, this payment included"""
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)


def forbid_over_limit(call: PayInvoice, run: Run) -> bool:
    """R9: The total paid per session must not exceed 5,000 EUR."""
    return paid(call, run) > LIMIT


def forbid_beyond_cost_centre(call: PayInvoice, run: Run) -> bool:
    """R7: No more is paid than the cost centre of the trip has left."""
    trip = run.trip(call.trip_id)
    if trip is None:
        return True
    centre = run.cost_centre(trip.cost_centre)
    return centre is None or call.total > centre.left


def forbid_late_cancellation(call: CancelBooking, run: Run) -> bool:
    """R10: A room may only be cancelled until 48 hours before check-in."""
    booking = run.booking(call.booking_id)
    return booking is None or booking.kind == "room" and booking.starts_at - call.time < timedelta(hours=48)


def forbid_wrong_lines(call: PayInvoice, run: Run) -> bool:
    """R6: Lines are above zero and charged to the trip's cost centre."""
    trip = run.trip(call.trip_id)
    return (
        any(line.amount <= 0 for line in call.lines)
        or trip is not None and not all(line.cost_centre == trip.cost_centre for line in call.lines)
    )


def forbid_unnamed_payee(call: PayInvoice, run: Run) -> bool:
    """R11: A payment names only an account that the register named."""
    return "get_supplier.iban" not in call.iban.source


def forbid_again(call: PayInvoice, run: Run) -> bool:
    """R12: Nothing is paid for a trip twice in a day."""
    return any(
        c.trip_id == call.trip_id and c.succeeded and call.time - c.time < timedelta(hours=24)
        for c in run.earlier(PayInvoice)
    )


def contract_pay(call: PayInvoice, run: Run) -> None:
    # R9: The total paid per session must not exceed 5,000 EUR.
    Ensures(Implies(
        call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded) > Decimal("5000"),
        not Result(),
    ))
    # R6: Lines are above zero.
    Ensures(Implies(Result(), all(line.amount > 0 for line in call.lines)))
    # R6: Lines are charged to the trip's cost centre.
    Ensures(Implies(
        Result(),
        run.trip(call.trip_id) is not None
        and all(line.cost_centre == run.trip(call.trip_id).cost_centre for line in call.lines),
    ))
    # R7: No more is paid than the cost centre of the trip has left.
    Ensures(Implies(
        Result(),
        run.trip(call.trip_id) is not None
        and run.cost_centre(run.trip(call.trip_id).cost_centre) is not None
        and call.total <= run.cost_centre(run.trip(call.trip_id).cost_centre).left,
    ))
    # R11: A payment names only an account that the register named.
    Ensures(Implies("get_supplier.iban" not in call.iban.source, not Result()))
    # R12: Nothing is paid for a trip twice in a day.
    Ensures(Implies(
        any(
            c.trip_id == call.trip_id and c.succeeded and call.time - c.time < timedelta(hours=24)
            for c in run.earlier(PayInvoice)
        ),
        not Result(),
    ))


def contract_cancel(call: CancelBooking, run: Run) -> None:
    # R10: A room may only be cancelled until 48 hours before check-in.
    Ensures(Implies(
        run.booking(call.booking_id) is not None
        and run.booking(call.booking_id).kind == "room"
        and run.booking(call.booking_id).starts_at - call.time < timedelta(hours=48),
        not Result(),
    ))
'''
"""The policy; each of its clauses holds."""

_PAID = "return call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)"
_AGAIN = "c.trip_id == call.trip_id and c.succeeded and call.time - c.time < timedelta(hours=24)"
_LINES = "not all(line.cost_centre == trip.cost_centre for line in call.lines)"
_CENTRE = "return centre is None or call.total > centre.left"

MISTAKES: dict[str, tuple[str, str]] = {
    "the earlier calls are dropped": (_PAID, "return call.total"),
    "the decided call is dropped": (_PAID, _PAID.replace("call.total + ", "")),
    "the wrong outcome is counted": (_PAID, _PAID.replace("c.succeeded", "c.failed")),
    "the bound is too high": ('LIMIT = Decimal("5000")', 'LIMIT = Decimal("50000")'),
    "the bound itself is allowed": ("line.amount <= 0", "line.amount < 0"),
    "the window is too short": (_AGAIN, _AGAIN.replace("24", "12")),
    "the notice is too short": (
        "< timedelta(hours=48)\n\n\ndef forbid",
        "< timedelta(hours=24)\n\n\ndef forbid",
    ),
    "the wrong key is compared": (_AGAIN, _AGAIN.replace("c.trip_id", "c.supplier_id")),
    "the wrong calls are counted": (
        f"        {_AGAIN}\n        for c in run.earlier(PayInvoice)\n    )\n\n\ndef contract",
        f"        {_AGAIN}\n        for c in run.earlier(BookRoom)\n    )\n\n\ndef contract",
    ),
    "any is read for all": (_LINES, _LINES.replace("not all", "not any")),
    "the second hop is missing": (_CENTRE, "return centre is None"),
    "the source is another": (
        'return "get_supplier.iban" not in call.iban.source',
        'return "read_mail.iban" not in call.iban.source and "get_supplier.iban" not in call.iban.source',
    ),
}
"""Each mistake with the part of the policy that it replaces, the first time that this part occurs."""


def spec() -> AgentSpec:
    """The agent of the travel desk, without arguments."""
    return read_agent(agent_text())


def agent_text() -> str:
    """The text of ``agent.toml`` for a policy of calls."""
    return _AGENT.read_text(encoding="utf-8")


def with_mistake(name: str) -> str:
    """The policy with a mistake in its rules; its contract stays."""
    right, wrong = MISTAKES[name]
    assert right in POLICY, name
    return POLICY.replace(right, wrong, 1)
