"""The travel desk with a policy of calls that a person wrote, for tests of every front end."""

from __future__ import annotations

import shutil
from pathlib import Path

SHIPPED = Path(__file__).resolve().parents[2] / "sessions" / "travel-desk"
POLICY = '''\
"""What the travel desk may cancel and pay."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import BookRoom, CancelBooking, PayInvoice, Run

DEFAULT = "allow"
LIMIT = Decimal("5000")
TWO_DAYS = timedelta(days=2)


def paid(call: PayInvoice, run: Run) -> Decimal:
    """what was paid in this run, this payment included"""
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)


def too_late(call: CancelBooking, run: Run) -> bool:
    """whether it is a room with less than 48 hours until check-in"""
    booking = run.booking(call.booking_id)
    is_room = booking is not None and booking.kind == "room"
    return is_room and booking is not None and booking.starts_at - call.time < TWO_DAYS


def paid_today(call: PayInvoice | BookRoom, run: Run) -> bool:
    """whether something was paid for the trip within a day"""
    return any(
        c.trip_id == call.trip_id and call.time - c.time < timedelta(hours=24)
        for c in run.earlier(PayInvoice)
    )


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
    return run.booking(call.booking_id) is None or too_late(call, run)


def ask_again(call: PayInvoice | BookRoom, run: Run) -> bool:
    """R12: A person is asked before anything is paid for twice in a day."""
    return paid_today(call, run)


def contract_pay(call: PayInvoice, run: Run) -> None:
    # R9: The total paid per session must not exceed 5,000 EUR.
    Ensures(Implies(paid(call, run) > Decimal("5000"), not Result()))
    # R7: Small payments are allowed, whatever the cost centre has left.
    Ensures(Implies(call.total < Decimal("10"), Result()))


def contract_again(call: PayInvoice | BookRoom, run: Run) -> None:
    # R12: A person is asked before anything is paid for twice in a day.
    Ensures(Implies(paid_today(call, run), not Result()))
'''
BROKEN = POLICY.replace("paid(call, run) > LIMIT", "paid(call, run > LIMIT")
UNKNOWN_FIELD = POLICY.replace("call.total > centre.left", "call.totl > centre.left")


def written_desk(folder: Path, policy: str = POLICY) -> Path:
    """A session with this policy of calls in a new folder: agent, request and logs of the travel desk."""
    desk = folder / "travel-desk"
    desk.mkdir(parents=True)
    shutil.copytree(SHIPPED / "logs", desk / "logs")
    shutil.copy(SHIPPED / "request.md", desk)
    for name in ("agent.toml", "session.toml"):
        shutil.copy(SHIPPED / name, desk)
    (desk / "policy.py").write_text(policy, encoding="utf-8")
    return desk


def line_of(words: str, policy: str = POLICY) -> int:
    """The number (from 1) of the first line of a policy that has these words."""
    return next(number for number, line in enumerate(policy.splitlines(), 1) if words in line)
