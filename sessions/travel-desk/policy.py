"""What the travel desk may book, cancel and pay."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import (
    BookJourney,
    BookRoom,
    Call,
    CancelBooking,
    ChangeSupplierAccount,
    PayInvoice,
    Run,
    looked_up,
)

DEFAULT = "allow"
SIX_HOURS = 360
INVOICE_LIMIT = Decimal("3000")
SESSION_LIMIT = Decimal("5000")
NAMED_BY = {"user", "search_rooms.supplier_id", "get_supplier.iban"}
GUARDED = {"book_journey", "book_room", "cancel_booking", "change_supplier_account", "pay_invoice"}


def approved(call: BookJourney | BookRoom | PayInvoice, run: Run) -> bool:
    """whether the trip was looked up and approved no more than 14 days ago"""
    trip = run.trip(call.trip_id)
    return (
        looked_up(trip)
        and trip is not None
        and trip.approved_at is not None
        and trip.approved_at <= call.time
        and call.time - trip.approved_at <= timedelta(days=14)
    )


def to_registered_account(call: PayInvoice, run: Run) -> bool:
    """whether the account is the one that the register is known to have for the supplier"""
    supplier = run.supplier(call.supplier_id)
    return looked_up(supplier) and supplier is not None and call.iban == supplier.iban


def is_left(call: PayInvoice, run: Run) -> bool:
    """whether the cost centre of the trip is known to have left what is paid"""
    trip = run.trip(call.trip_id)
    if not looked_up(trip) or trip is None:
        return False
    centre = run.cost_centre(trip.cost_centre)
    return looked_up(centre) and centre is not None and call.total <= centre.left


def paid(call: PayInvoice, run: Run) -> Decimal:
    """what was paid in this session in total, this payment included"""
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if not c.failed)


def in_time(call: CancelBooking, run: Run) -> bool:
    """whether the booking is known, and a journey or a room 48 hours or more before check-in"""
    booking = run.booking(call.booking_id)
    return (
        looked_up(booking)
        and booking is not None
        and (booking.kind == "journey" or booking.starts_at - call.time >= timedelta(hours=48))
    )


def permit_for_approved_trip(call: BookJourney | BookRoom | PayInvoice, run: Run) -> bool:
    """R1: Nothing may be booked or paid for a trip unless the desk has looked it up and a manager approved it no more than 14 days ago."""
    return approved(call, run)


def forbid_other_travellers(call: BookJourney | BookRoom, run: Run) -> bool:
    """R2: Journeys and rooms may only be booked for travellers of the trip."""
    trip = run.trip(call.trip_id)
    return trip is not None and any(traveller not in trip.travellers for traveller in call.travellers)


def forbid_short_business_leg(call: BookJourney) -> bool:
    """R3: Business class may only be booked for a leg of at least six hours."""
    return any(leg.cabin == "business" and leg.minutes < SIX_HOURS for leg in call.legs)


def forbid_other_account(call: PayInvoice, run: Run) -> bool:
    """R4: An invoice may only be paid to the account that the register of suppliers has for its supplier."""
    return not to_registered_account(call, run)


def forbid_change_supplier_account(call: ChangeSupplierAccount) -> bool:
    """R5: Nobody may change supplier accounts."""
    return True


def forbid_wrong_lines(call: PayInvoice, run: Run) -> bool:
    """R6: Every line of an invoice must be above zero and must be charged to the cost centre of the trip, and the lines must add up to what is paid."""
    trip = run.trip(call.trip_id)
    return (
        sum(line.amount for line in call.lines) != call.total
        or any(line.amount <= 0 for line in call.lines)
        or trip is not None and any(line.cost_centre != trip.cost_centre for line in call.lines)
    )


def forbid_beyond_cost_centre(call: PayInvoice, run: Run) -> bool:
    """R7: No more may be paid than the cost centre has left, and after each payment the desk must look that up again."""
    return not is_left(call, run)


def ask_large_invoice(call: PayInvoice) -> bool:
    """R8: A person is asked before an invoice over 3,000 EUR is paid."""
    return call.total > INVOICE_LIMIT


def forbid_over_session_limit(call: PayInvoice, run: Run) -> bool:
    """R9: The total paid per session must not exceed 5,000 EUR."""
    return paid(call, run) > SESSION_LIMIT


def forbid_late_cancellation(call: CancelBooking, run: Run) -> bool:
    """R10: A room may only be cancelled until 48 hours before check-in."""
    return not in_time(call, run)


def forbid_unnamed_payee(call: PayInvoice) -> bool:
    """R11: A payment may only name a trip, a supplier and an account that the employee, the search for rooms or the register named, whatever a mail says."""
    return not (
        any(place in NAMED_BY for place in call.trip_id.source)
        and any(place in NAMED_BY for place in call.supplier_id.source)
        and any(place in NAMED_BY for place in call.iban.source)
    )


def contract_other(call: Call) -> None:
    # R12: Everything else is allowed.
    Ensures(Implies(call.tool not in GUARDED, Result()))


def contract_book(call: BookJourney | BookRoom, run: Run) -> None:
    trip = run.trip(call.trip_id)
    # R1: What is booked is for a trip that was looked up and approved no more than 14 days ago.
    Ensures(
        Implies(
            Result(),
            looked_up(trip)
            and trip is not None
            and trip.approved_at is not None
            and trip.approved_at <= call.time
            and call.time - trip.approved_at <= timedelta(days=14),
        )
    )
    # R2: Journeys and rooms are only booked for travellers of the trip.
    Ensures(Implies(Result(), trip is None or all(t in trip.travellers for t in call.travellers)))


def contract_journey(call: BookJourney, run: Run) -> None:
    trip = run.trip(call.trip_id)
    # R3: Every leg in business class takes at least six hours.
    Ensures(Implies(Result(), all(leg.minutes >= 360 for leg in call.legs if leg.cabin == "business")))
    # R12: A journey is booked where R1, R2 and R3 allow it.
    Ensures(
        Implies(
            approved(call, run)
            and trip is not None
            and all(traveller in trip.travellers for traveller in call.travellers)
            and all(leg.minutes >= 360 for leg in call.legs if leg.cabin == "business"),
            Result(),
        )
    )


def contract_room(call: BookRoom, run: Run) -> None:
    trip = run.trip(call.trip_id)
    # R12: A room is booked where R1 and R2 allow it.
    Ensures(
        Implies(
            approved(call, run)
            and trip is not None
            and all(traveller in trip.travellers for traveller in call.travellers),
            Result(),
        )
    )


def contract_account(call: ChangeSupplierAccount) -> None:
    # R5: Nobody may change supplier accounts.
    Ensures(not Result())


def contract_pay(call: PayInvoice, run: Run) -> None:
    trip = run.trip(call.trip_id)
    supplier = run.supplier(call.supplier_id)
    # R1: What is paid is for a trip that was looked up and approved no more than 14 days ago.
    Ensures(
        Implies(
            Result(),
            looked_up(trip)
            and trip is not None
            and trip.approved_at is not None
            and trip.approved_at <= call.time
            and call.time - trip.approved_at <= timedelta(days=14),
        )
    )
    # R4: An invoice is only paid to the account that the register has for its supplier.
    Ensures(
        Implies(
            Result(), looked_up(supplier) and supplier is not None and call.iban == supplier.iban
        )
    )
    # R6: The lines of a paid invoice add up to what is paid, and each is above zero.
    Ensures(
        Implies(
            Result(),
            sum(line.amount for line in call.lines) == call.total
            and all(line.amount > 0 for line in call.lines),
        )
    )
    # R6: Each line of a paid invoice is charged to the cost centre of the trip.
    Ensures(
        Implies(
            Result(),
            trip is None or all(line.cost_centre == trip.cost_centre for line in call.lines),
        )
    )
    # R7: No more is paid than the cost centre is known to have left.
    Ensures(Implies(Result(), is_left(call, run)))
    # R8: An invoice over 3,000 EUR is not paid without a person.
    Ensures(Implies(call.total > Decimal("3000"), not Result()))
    # R9: The total paid per session must not exceed 5,000 EUR.
    Ensures(Implies(paid(call, run) > Decimal("5000"), not Result()))
    # R11: Trip, supplier and account of a payment were named by the employee, a search or the register.
    Ensures(
        Implies(
            Result(),
            any(place in NAMED_BY for place in call.trip_id.source)
            and any(place in NAMED_BY for place in call.supplier_id.source)
            and any(place in NAMED_BY for place in call.iban.source),
        )
    )
    # R12: An invoice is paid where R1, R4, R6 to R9 and R11 allow it.
    Ensures(
        Implies(
            approved(call, run)
            and trip is not None
            and to_registered_account(call, run)
            and sum(line.amount for line in call.lines) == call.total
            and all(line.amount > 0 and line.cost_centre == trip.cost_centre for line in call.lines)
            and is_left(call, run)
            and call.total <= Decimal("3000")
            and paid(call, run) <= Decimal("5000")
            and any(place in NAMED_BY for place in call.trip_id.source)
            and any(place in NAMED_BY for place in call.supplier_id.source)
            and any(place in NAMED_BY for place in call.iban.source),
            Result(),
        )
    )


def contract_cancel(call: CancelBooking, run: Run) -> None:
    booking = run.booking(call.booking_id)
    # R10: A booking is only cancelled when it is known, a room only until 48 hours before check-in.
    Ensures(
        Implies(
            Result(),
            looked_up(booking)
            and booking is not None
            and (booking.kind == "journey" or booking.starts_at - call.time >= timedelta(hours=48)),
        )
    )
    # R12: A known journey is cancelled at any time, a known room until 48 hours before check-in.
    Ensures(Implies(in_time(call, run), Result()))


def theorem_paid(run: Run) -> bool:
    """In no run is more than 5,000 EUR paid."""
    return sum(c.total for c in run.calls(PayInvoice) if not c.failed) <= Decimal("5000")


def named_by_register(call: PayInvoice, run: Run) -> bool:
    """whether the register named the account as that of the supplier"""
    supplier = run.supplier(call.supplier_id)
    return looked_up(supplier) and supplier is not None and supplier.iban == call.iban


def theorem_registered_account(run: Run) -> bool:
    """Every payment goes to an account that the register named before it in the same run."""
    return all(named_by_register(c, run.before(c)) for c in run.calls(PayInvoice))


def centre_looked_up(call: PayInvoice, run: Run) -> bool:
    """whether it was looked up what the cost centre of the trip has left"""
    trip = run.trip(call.trip_id)
    return trip is not None and looked_up(run.cost_centre(trip.cost_centre))


def theorem_cost_centre_looked_up(run: Run) -> bool:
    """Between two payments from one cost centre it is looked up."""
    return all(centre_looked_up(c, run.before(c)) for c in run.calls(PayInvoice))


def approval_seen(call: BookJourney | BookRoom | PayInvoice, run: Run) -> bool:
    """whether the trip was looked up and had been approved"""
    trip = run.trip(call.trip_id)
    return (
        looked_up(trip)
        and trip is not None
        and trip.approved_at is not None
        and trip.approved_at <= call.time
    )


def theorem_approval_was_seen(run: Run) -> bool:
    """Nothing is booked or paid for a trip before its approval was seen, and none that is approved in the future."""
    return all(approval_seen(c, run.before(c)) for c in run.calls(BookJourney, BookRoom, PayInvoice))


def theorem_no_account_of_a_mail(run: Run) -> bool:
    """In no run is an account paid that only a mail named."""
    return all(
        any(place in {"user", "search_rooms.supplier_id", "get_supplier.iban"} for place in c.iban.source)
        for c in run.calls(PayInvoice)
    )
