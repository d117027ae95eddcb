"""Rules of an airline over payments, flights, a user and a reservation, with true and false clauses."""

AIRLINE = '''
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Action = Literal["book_reservation", "cancel_reservation", "update_reservation_flights"]


@dataclass(frozen=True)
class Payment:
    payment_id: str
    amount: int


@dataclass(frozen=True)
class User:
    payment_ids: frozenset[str]
    certificates: frozenset[str]


@dataclass(frozen=True)
class Flight:
    flight_number: str
    date: str


@dataclass(frozen=True)
class Reservation:
    cabin: Literal["basic_economy", "economy", "business"]
    created_at: datetime
    insurance: Literal["yes", "no"]
    flights: tuple[Flight, ...]


def forbid_payment_not_in_profile(action: Action, payments: tuple[Payment, ...], user: User | None) -> bool:
    """R1: Every payment method of a booking is in the profile of the user."""
    return action == "book_reservation" and (
        user is None or any(payment.payment_id not in user.payment_ids for payment in payments)
    )


def forbid_two_certificates(action: Action, payments: tuple[Payment, ...], user: User | None) -> bool:
    """R2: A booking uses at most one certificate."""
    return (
        action == "book_reservation"
        and user is not None
        and sum(1 for payment in payments if payment.payment_id in user.certificates) > 1
    )


def forbid_changed_flights(
    action: Action, flights: tuple[Flight, ...], reservation: Reservation | None
) -> bool:
    """R3: The flights of a basic economy reservation cannot be changed."""
    return action == "update_reservation_flights" and (
        reservation is None
        or (
            reservation.cabin == "basic_economy"
            and {(flight.flight_number, flight.date) for flight in flights}
            != {(flight.flight_number, flight.date) for flight in reservation.flights}
        )
    )


def forbid_late_cancellation(action: Action, now: datetime, reservation: Reservation | None) -> bool:
    """R4: After 24 hours only business or insured reservations can be cancelled."""
    return action == "cancel_reservation" and (
        reservation is None
        or (
            now - reservation.created_at > timedelta(hours=24)
            and reservation.cabin != "business"
            and reservation.insurance != "yes"
        )
    )


def allow(
    action: Action,
    payments: tuple[Payment, ...],
    user: User | None,
    flights: tuple[Flight, ...],
    reservation: Reservation | None,
    now: datetime,
) -> bool:
    # R1: all payments are of the profile
    Ensures(
        Implies(
            Result() and action == "book_reservation",
            user is not None and all(payment.payment_id in user.payment_ids for payment in payments),
        )
    )
    # R2: at most one certificate
    Ensures(
        Implies(
            Result() and action == "book_reservation" and user is not None,
            sum(1 for payment in payments if payment.payment_id in user.certificates) <= 1,
        )
    )
    # R3: no flight is new
    Ensures(
        Implies(
            Result()
            and action == "update_reservation_flights"
            and reservation is not None
            and reservation.cabin == "basic_economy",
            {(new.flight_number, new.date) for new in flights}
            <= {(old.flight_number, old.date) for old in reservation.flights},
        )
    )
    # R3: a flight number stays
    Ensures(
        Implies(
            Result()
            and action == "update_reservation_flights"
            and reservation is not None
            and reservation.cabin == "basic_economy"
            and any(old.flight_number == "HAT001" for old in reservation.flights),
            any(new.flight_number == "HAT001" for new in flights),
        )
    )
    # R4: within 24 hours
    Ensures(
        Implies(
            Result()
            and action == "cancel_reservation"
            and reservation is not None
            and reservation.cabin == "economy"
            and reservation.insurance == "no",
            now - reservation.created_at <= timedelta(hours=24),
        )
    )
    # R1: false, for a booking may have four payments
    Ensures(Implies(Result() and action == "book_reservation", len(payments) <= 3))
    # R1: false, for nothing limits the amounts
    Ensures(
        Implies(
            Result() and action == "book_reservation", sum(payment.amount for payment in payments) <= 1000
        )
    )
    # R2: false, for one certificate is allowed
    Ensures(
        Implies(
            Result() and action == "book_reservation" and user is not None,
            all(payment.payment_id not in user.certificates for payment in payments),
        )
    )
    # R3: false, for a flight may stand twice
    Ensures(
        Implies(
            Result()
            and action == "update_reservation_flights"
            and reservation is not None
            and reservation.cabin == "basic_economy",
            len(flights) == len(reservation.flights),
        )
    )
    # R4: false, for insured reservations can be cancelled later
    Ensures(
        Implies(
            Result()
            and action == "cancel_reservation"
            and reservation is not None
            and reservation.cabin == "economy",
            now - reservation.created_at <= timedelta(hours=24),
        )
    )
    return not (
        forbid_payment_not_in_profile(action, payments, user)
        or forbid_two_certificates(action, payments, user)
        or forbid_changed_flights(action, flights, reservation)
        or forbid_late_cancellation(action, now, reservation)
    )
'''
TRUE = ("C1", "C2", "C3", "C4", "C5")
"""The clauses that hold; the others do not."""
