"""What the booking desk may cancel."""

from datetime import timedelta

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import CancelBooking, GetBooking, Run, looked_up

DEFAULT = "allow"


def forbid_unknown_booking(call: CancelBooking, run: Run) -> bool:
    """R1: A booking is cancelled only after the desk has looked it up."""
    return not looked_up(run.booking(call.id))


def forbid_late_cancellation(call: CancelBooking, run: Run) -> bool:
    """R2: A booking is cancelled within 24 hours, or if it is flexible."""
    booking = run.booking(call.id)
    return booking is None or call.time - booking.made_at > timedelta(hours=24) and not booking.flexible


def contract_cancelling(call: CancelBooking, run: Run) -> None:
    booking = run.booking(call.id)
    # R1: A booking is cancelled only after the desk has looked it up.
    Ensures(Implies(Result(), looked_up(run.booking(call.id))))
    # R2: A booking that was looked up is cancelled exactly within 24 hours, or if it is flexible.
    Ensures(
        Implies(
            looked_up(run.booking(call.id)),
            booking is None
            or Result() == (call.time - booking.made_at <= timedelta(hours=24) or booking.flexible),
        )
    )


def contract_looking_up(call: GetBooking) -> None:
    # R3: Everything else is allowed.
    Ensures(Result())
