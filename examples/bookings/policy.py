"""What the booking desk may cancel."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal["get_booking", "cancel_booking"]


@dataclass(frozen=True)
class Booking:
    made_at: datetime
    flexible: bool


def forbid_unknown_booking(tool: Tool, booking: Booking | None) -> bool:
    """R1: A booking is looked up before it is cancelled."""
    return tool == "cancel_booking" and booking is None


def forbid_late_cancellation(tool: Tool, booking: Booking | None, now: datetime) -> bool:
    """R2: A booking is cancelled within 24 hours, or if it is flexible."""
    return (
        tool == "cancel_booking"
        and booking is not None
        and now - booking.made_at > timedelta(hours=24)
        and not booking.flexible
    )


def allow(tool: Tool, booking: Booking | None, now: datetime) -> bool:
    # R1: A booking is cancelled only after the desk has looked it up.
    Ensures(Implies(Result() and tool == "cancel_booking", booking is not None))
    # R2: A booking is cancelled within 24 hours, or if it is flexible.
    Ensures(
        Implies(
            Result() and tool == "cancel_booking" and booking is not None,
            now - booking.made_at <= timedelta(hours=24) or booking.flexible,
        ),
    )
    # R2: A booking that was looked up is cancelled within 24 hours, or if it is flexible.
    Ensures(
        Implies(
            tool == "cancel_booking"
            and booking is not None
            and (now - booking.made_at <= timedelta(hours=24) or booking.flexible),
            Result(),
        ),
    )
    # R0: What no rule forbids is allowed.
    Ensures(Implies(tool == "get_booking", Result()))
    return not (
        forbid_unknown_booking(tool, booking)
        or forbid_late_cancellation(tool, booking, now)
    )
