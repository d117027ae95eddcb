"""What the travel desk may book, cancel and pay."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import BookJourney, BookRoom, Call, CancelBooking, PayInvoice, Run, looked_up

DEFAULT = "allow"
LIMIT = Decimal("5000")
NOTICE = timedelta(hours=48)
NAMED_BY = {"user", "search_rooms.supplier_id", "get_supplier.iban"}
GUARDED = {"book_journey", "book_room", "cancel_booking", "pay_invoice"}


def paid(call: PayInvoice, run: Run) -> Decimal:
    """what was paid in this session in total, this payment included"""
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if not c.failed)


def approved(call: BookJourney | BookRoom, run: Run) -> bool:
    """whether the trip was looked up and approved no more than 14 days ago"""
    trip = run.trip(call.trip_id)
    return (
        looked_up(trip)
        and trip is not None
        and trip.approved_at is not None
        and call.time - trip.approved_at <= timedelta(days=14)
    )


def is_left(call: PayInvoice, run: Run) -> bool:
    """whether the cost centre of the trip is known to have left what is paid"""
    trip = run.trip(call.trip_id)
    if trip is None:
        return False
    centre = run.cost_centre(trip.cost_centre)
    return looked_up(centre) and centre is not None and call.total <= centre.left


def permit_for_approved_trip(call: BookJourney | BookRoom, run: Run) -> bool:
    """R1: Nothing may be booked for a trip unless the desk has looked it up and a manager approved it no more than 14 days ago."""
    return approved(call, run)


def forbid_wrong_lines(call: PayInvoice, run: Run) -> bool:
    """R2: Every line of an invoice must be above zero and must be charged to the cost centre of the trip, and the lines must add up to what is paid."""
    trip = run.trip(call.trip_id)
    return (
        sum(line.amount for line in call.lines) != call.total
        or any(line.amount <= 0 for line in call.lines)
        or trip is not None and not all(line.cost_centre == trip.cost_centre for line in call.lines)
    )


def forbid_beyond_cost_centre(call: PayInvoice, run: Run) -> bool:
    """R3: No more may be paid than the cost centre of the trip has left, and after each payment the desk must look that up again."""
    trip = run.trip(call.trip_id)
    if not looked_up(trip) or trip is None:
        return True
    centre = run.cost_centre(trip.cost_centre)
    return not looked_up(centre) or centre is None or call.total > centre.left


def forbid_over_limit(call: PayInvoice, run: Run) -> bool:
    """R4: The total paid per session must not exceed 5,000 EUR."""
    return paid(call, run) > LIMIT


def forbid_unnamed_payee(call: PayInvoice) -> bool:
    """R5: A payment may only name a trip, a supplier and an account that the employee, the search for rooms or the register named, whatever a mail says."""
    return not (
        any(place in NAMED_BY for place in call.trip_id.source)
        and any(place in NAMED_BY for place in call.supplier_id.source)
        and any(place in NAMED_BY for place in call.iban.source)
    )


def paid_before(call: PayInvoice, run: Run) -> bool:
    """whether the same supplier was paid within a day before"""
    return any(
        c.supplier_id == call.supplier_id and not c.failed and call.time - c.time < timedelta(days=1)
        for c in run.earlier(PayInvoice)
    )


def ask_second_payment(call: PayInvoice, run: Run) -> bool:
    """R8: A person is asked before a second payment to one supplier within a day."""
    return paid_before(call, run)


def forbid_late_cancellation(call: CancelBooking, run: Run) -> bool:
    """R6: A room may only be cancelled until 48 hours before check-in."""
    booking = run.booking(call.booking_id)
    return (
        not looked_up(booking)
        or booking is None
        or booking.kind == "room" and booking.starts_at - call.time < NOTICE
    )


def contract_other(call: Call) -> None:
    # R7: Everything else is allowed.
    Ensures(Implies(call.tool not in GUARDED, Result()))


def contract_book(call: BookJourney | BookRoom, run: Run) -> None:
    trip = run.trip(call.trip_id)
    # R1: What is booked is for a trip that was approved no more than 14 days ago.
    Ensures(
        Implies(
            Result(),
            looked_up(trip)
            and trip is not None
            and trip.approved_at is not None
            and call.time - trip.approved_at <= timedelta(days=14),
        )
    )
    # R7: A journey or a room for an approved trip is booked.
    Ensures(Implies(approved(call, run), Result()))


def contract_pay(call: PayInvoice, run: Run) -> None:
    trip = run.trip(call.trip_id)
    # R2: The lines of a paid invoice add up to what is paid, and each is above zero.
    Ensures(
        Implies(
            Result(),
            sum(line.amount for line in call.lines) == call.total
            and not any(line.amount <= 0 for line in call.lines),
        )
    )
    # R2: Each line of a paid invoice is charged to the cost centre of the trip.
    Ensures(
        Implies(
            Result(),
            trip is None or all(line.cost_centre == trip.cost_centre for line in call.lines),
        )
    )
    # R3: No more is paid than the cost centre of the trip has left, which the desk looked up.
    Ensures(Implies(Result(), is_left(call, run)))
    # R4: The total paid per session must not exceed 5,000 EUR.
    Ensures(Implies(paid(call, run) > Decimal("5000"), not Result()))
    # R5: Trip, supplier and account of a payment were named by the employee, a search or the register.
    Ensures(
        Implies(
            Result(),
            any(place in NAMED_BY for place in call.trip_id.source)
            and any(place in NAMED_BY for place in call.supplier_id.source)
            and any(place in NAMED_BY for place in call.iban.source),
        )
    )
    # R8: A second payment to one supplier within a day is not made without a person.
    Ensures(Implies(paid_before(call, run), not Result()))
    # R7: An invoice is paid where R2 to R5 and R8 allow it.
    Ensures(
        Implies(
            not paid_before(call, run)
            and looked_up(trip)
            and trip is not None
            and is_left(call, run)
            and sum(line.amount for line in call.lines) == call.total
            and all(
                line.amount > 0 and line.cost_centre == trip.cost_centre for line in call.lines
            )
            and paid(call, run) <= LIMIT
            and "user" in call.trip_id.source
            and "search_rooms.supplier_id" in call.supplier_id.source
            and "get_supplier.iban" in call.iban.source,
            Result(),
        )
    )


def contract_cancel(call: CancelBooking, run: Run) -> None:
    booking = run.booking(call.booking_id)
    # R6: A room is cancelled 48 hours before check-in or earlier.
    Ensures(
        Implies(
            Result(),
            booking is None
            or booking.kind != "room"
            or booking.starts_at - call.time >= timedelta(hours=48),
        )
    )
    # R6: Nothing is cancelled that the desk did not look up.
    Ensures(Implies(not looked_up(booking), not Result()))
    # R7: A known journey is cancelled at any time.
    Ensures(
        Implies(looked_up(booking) and booking is not None and booking.kind == "journey", Result())
    )
