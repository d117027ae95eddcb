"""What the travel desk may book, cancel and pay."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal[
    "book_journey", "book_room", "cancel_booking", "change_supplier_account", "get_booking",
    "get_cost_centre", "get_employee", "get_supplier", "get_trip", "list_mail",
    "pay_invoice", "read_mail", "search_journeys", "search_rooms", "send_mail",
]

BOOKS = {"book_journey", "book_room"}
FOR_A_TRIP = {"book_journey", "book_room", "pay_invoice"}


@dataclass(frozen=True)
class Leg:
    cabin: Literal["economy", "business"]
    minutes: int


@dataclass(frozen=True)
class Line:
    amount: Decimal
    cost_centre: str


@dataclass(frozen=True)
class Trip:
    cost_centre: str
    approved_at: datetime | None
    travellers: frozenset[str]


@dataclass(frozen=True)
class CostCentre:
    left: Decimal


@dataclass(frozen=True)
class Supplier:
    iban: str


@dataclass(frozen=True)
class Booking:
    kind: Literal["room", "journey"]
    starts_at: datetime


def forbid_trip_not_approved(tool: Tool, trip: Trip | None, now: datetime) -> bool:
    """R1: The trip is looked up and approved no more than 14 days ago before anything is booked or paid."""
    if tool not in FOR_A_TRIP:
        return False
    return trip is None or trip.approved_at is None or now - trip.approved_at > timedelta(days=14)


def forbid_other_travellers(tool: Tool, trip: Trip | None, travellers: frozenset[str]) -> bool:
    """R2: Journeys and rooms are only for travellers of the trip."""
    return (
        tool in BOOKS
        and trip is not None
        and any(traveller not in trip.travellers for traveller in travellers)
    )


def forbid_short_business_leg(tool: Tool, legs: tuple[Leg, ...]) -> bool:
    """R3: Business class is only for legs of at least six hours."""
    return (
        tool == "book_journey"
        and any(leg.cabin == "business" and leg.minutes < 360 for leg in legs)
    )


def forbid_other_account(tool: Tool, iban: str | None, supplier: Supplier | None) -> bool:
    """R4: An invoice is only paid to the account that the register has for its supplier."""
    return tool == "pay_invoice" and (supplier is None or iban != supplier.iban)


def forbid_change_supplier_account(tool: Tool) -> bool:
    """R5: Nobody may change supplier accounts."""
    return tool == "change_supplier_account"


def forbid_wrong_lines(
    tool: Tool,
    trip: Trip | None,
    total: Decimal | None,
    lines: tuple[Line, ...],
) -> bool:
    """R6: Lines are above zero, charged to the trip's cost centre, and add up to what is paid."""
    if tool != "pay_invoice":
        return False
    return (
        total is None
        or sum(line.amount for line in lines) != total
        or any(line.amount <= 0 for line in lines)
        or trip is not None and any(line.cost_centre != trip.cost_centre for line in lines)
    )


def forbid_beyond_cost_centre(tool: Tool, total: Decimal | None, centre: CostCentre | None) -> bool:
    """R7: No more is paid than the cost centre has left, looked up after the payment before."""
    return tool == "pay_invoice" and (centre is None or total is None or total > centre.left)


def forbid_pay_invoice_by_total(tool: Tool, total: Decimal | None) -> bool:
    """R8: Invoices over 3,000 EUR may not be paid."""
    return tool == "pay_invoice" and (total is None or total > Decimal("3000"))


def forbid_pay_invoice_by_paid(tool: Tool, paid: Decimal) -> bool:
    """R9: The total paid per session must not exceed 5,000 EUR."""
    return tool == "pay_invoice" and paid > Decimal("5000")


def forbid_late_cancellation(tool: Tool, booking: Booking | None, now: datetime) -> bool:
    """R10: A booking is looked up before it is cancelled, and a room only until 48 hours before check-in."""
    return (
        tool == "cancel_booking"
        and (
            booking is None
            or booking.kind == "room" and booking.starts_at - now < timedelta(hours=48)
        )
    )


def forbid_unnamed_payee(tool: Tool, unnamed: frozenset[str]) -> bool:
    """R11: A payment names only what the employee, the search for rooms or the register named."""
    return tool == "pay_invoice" and unnamed != frozenset()


def allow(
    tool: Tool,
    trip: Trip | None,
    travellers: frozenset[str],
    legs: tuple[Leg, ...],
    iban: str | None,
    supplier: Supplier | None,
    total: Decimal | None,
    lines: tuple[Line, ...],
    centre: CostCentre | None,
    paid: Decimal,
    booking: Booking | None,
    unnamed: frozenset[str],
    now: datetime,
) -> bool:
    # R1: What is booked or paid is for a trip that was looked up and approved no more than 14 days ago.
    Ensures(
        Implies(
            Result() and tool in FOR_A_TRIP,
            trip is not None
            and trip.approved_at is not None
            and now - trip.approved_at <= timedelta(days=14),
        ),
    )
    # R2: Journeys and rooms are only booked for travellers of the trip.
    Ensures(Implies(Result() and tool in BOOKS and trip is not None, travellers <= trip.travellers))
    # R3: Every leg in business class takes at least six hours.
    Ensures(
        Implies(
            Result() and tool == "book_journey",
            all(leg.minutes >= 360 for leg in legs if leg.cabin == "business"),
        ),
    )
    # R4: An invoice is only paid to the account that the register has for its supplier.
    Ensures(
        Implies(Result() and tool == "pay_invoice", supplier is not None and iban == supplier.iban),
    )
    # R5: Nobody may change supplier accounts.
    Ensures(Implies(tool == "change_supplier_account", not Result()))
    # R6: The lines of a paid invoice add up to what is paid, and each is above zero.
    Ensures(
        Implies(
            Result() and tool == "pay_invoice",
            total is not None
            and sum(line.amount for line in lines) == total
            and all(line.amount > 0 for line in lines),
        ),
    )
    # R6: Each line of a paid invoice is charged to the cost centre of the trip.
    Ensures(
        Implies(
            Result() and tool == "pay_invoice" and trip is not None,
            all(line.cost_centre == trip.cost_centre for line in lines),
        ),
    )
    # R7: No more is paid than the cost centre is known to have left.
    Ensures(
        Implies(
            Result() and tool == "pay_invoice",
            centre is not None and total is not None and total <= centre.left,
        ),
    )
    # R8: Invoices over 3,000 EUR may not be paid.
    Ensures(
        Implies(tool == "pay_invoice" and (total is None or total > Decimal("3000")), not Result()),
    )
    # R9: The total paid per session must not exceed 5,000 EUR.
    Ensures(Implies(tool == "pay_invoice" and paid > Decimal("5000"), not Result()))
    # R10: A booking is only cancelled when it is known, a room only until 48 hours before check-in.
    Ensures(
        Implies(
            Result() and tool == "cancel_booking",
            booking is not None
            and (booking.kind == "journey" or booking.starts_at - now >= timedelta(hours=48)),
        ),
    )
    # R11: Trip, supplier and account of a payment were named by the employee, a search or the register.
    Ensures(Implies(Result() and tool == "pay_invoice", unnamed == frozenset()))
    # R12: A journey is booked where R1, R2 and R3 allow it.
    Ensures(
        Implies(
            tool == "book_journey"
            and trip is not None
            and trip.approved_at is not None
            and now - trip.approved_at <= timedelta(days=14)
            and travellers <= trip.travellers
            and all(leg.minutes >= 360 for leg in legs if leg.cabin == "business"),
            Result(),
        ),
    )
    # R12: A room is booked where R1 and R2 allow it.
    Ensures(
        Implies(
            tool == "book_room"
            and trip is not None
            and trip.approved_at is not None
            and now - trip.approved_at <= timedelta(days=14)
            and travellers <= trip.travellers,
            Result(),
        ),
    )
    # R12: An invoice is paid where R1, R4, R6, R7, R8, R9 and R11 allow it.
    Ensures(
        Implies(
            tool == "pay_invoice"
            and trip is not None
            and trip.approved_at is not None
            and now - trip.approved_at <= timedelta(days=14)
            and supplier is not None
            and iban == supplier.iban
            and total is not None
            and sum(line.amount for line in lines) == total
            and all(line.amount > 0 and line.cost_centre == trip.cost_centre for line in lines)
            and centre is not None
            and total <= centre.left
            and total <= Decimal("3000")
            and paid <= Decimal("5000")
            and unnamed == frozenset(),
            Result(),
        ),
    )
    # R12: A known journey is cancelled at any time, a known room until 48 hours before check-in.
    Ensures(
        Implies(
            tool == "cancel_booking"
            and booking is not None
            and (booking.kind == "journey" or booking.starts_at - now >= timedelta(hours=48)),
            Result(),
        ),
    )
    # R12: Everything else is allowed.
    Ensures(
        Implies(
            tool not in FOR_A_TRIP and tool not in {"change_supplier_account", "cancel_booking"},
            Result(),
        ),
    )
    return not (
        forbid_trip_not_approved(tool, trip, now)
        or forbid_other_travellers(tool, trip, travellers)
        or forbid_short_business_leg(tool, legs)
        or forbid_other_account(tool, iban, supplier)
        or forbid_change_supplier_account(tool)
        or forbid_wrong_lines(tool, trip, total, lines)
        or forbid_beyond_cost_centre(tool, total, centre)
        or forbid_pay_invoice_by_total(tool, total)
        or forbid_pay_invoice_by_paid(tool, paid)
        or forbid_late_cancellation(tool, booking, now)
        or forbid_unnamed_payee(tool, unnamed)
    )
