"""What the airline desk may change for a customer."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal[
    "book_reservation", "calculate", "cancel_reservation", "get_reservation_details",
    "get_user_details", "list_all_airports", "search_direct_flight", "search_onestop_flight",
    "send_certificate", "think", "transfer_to_human_agents", "update_reservation_baggages",
    "update_reservation_flights", "update_reservation_passengers",
]

CHARGES = {"book_reservation", "update_reservation_baggages", "update_reservation_flights"}
CHANGES = {
    "cancel_reservation", "update_reservation_baggages", "update_reservation_flights",
    "update_reservation_passengers",
}


@dataclass(frozen=True)
class Payment:
    payment_id: str


@dataclass(frozen=True)
class Flight:
    flight_number: str
    date: date


@dataclass(frozen=True)
class User:
    credit_cards: frozenset[str]
    gift_cards: frozenset[str]


@dataclass(frozen=True)
class Wallet:
    certificates: frozenset[str]


@dataclass(frozen=True)
class Reservation:
    cabin: Literal["basic_economy", "economy", "business"]
    created_at: datetime
    insurance: Literal["yes", "no"]
    flights: tuple[Flight, ...]


def is_card(payment_id: str, credit_cards: frozenset[str], gift_cards: frozenset[str]) -> bool:
    return payment_id in credit_cards or payment_id in gift_cards


def forbid_change_of_unknown_reservation(tool: Tool, reservation: Reservation | None) -> bool:
    """R1: A reservation is looked up before it is changed or cancelled."""
    return tool in CHANGES and reservation is None


def forbid_charge_of_unknown_profile(tool: Tool, user: User | None) -> bool:
    """R2: The customer's profile is looked up before money is taken."""
    return tool in CHARGES and user is None


def forbid_unknown_certificate(
    tool: Tool,
    payments: tuple[Payment, ...],
    payment_id: str | None,
    user: User | None,
    wallet: Wallet | None,
) -> bool:
    """R3: Certificates are looked up again after they may have changed."""
    if user is None or wallet is not None or tool not in CHARGES:
        return False
    return (
        any(
            not is_card(payment.payment_id, user.credit_cards, user.gift_cards)
            for payment in payments
        )
        or payment_id is not None
        and not is_card(payment_id, user.credit_cards, user.gift_cards)
    )


def forbid_payment_in_profile(
    tool: Tool,
    payments: tuple[Payment, ...],
    payment_id: str | None,
    user: User | None,
    wallet: Wallet | None,
) -> bool:
    """R4: Every payment method is in the customer's profile."""
    if user is None or wallet is None or tool not in CHARGES:
        return False
    return (
        any(
            not is_card(payment.payment_id, user.credit_cards, user.gift_cards)
            and payment.payment_id not in wallet.certificates
            for payment in payments
        )
        or payment_id is not None
        and not is_card(payment_id, user.credit_cards, user.gift_cards)
        and payment_id not in wallet.certificates
    )


def forbid_payment_method_counts(
    tool: Tool,
    payments: tuple[Payment, ...],
    user: User | None,
    wallet: Wallet | None,
) -> bool:
    """R5: A booking is paid with at most one certificate, one credit card and three gift cards."""
    if tool != "book_reservation":
        return False
    certificates = (
        0
        if wallet is None
        else sum(
            1
            for payment in payments
            if payment.payment_id in wallet.certificates
        )
    )
    return (
        certificates > 1
        or user is not None
        and (
            sum(1 for payment in payments if payment.payment_id in user.credit_cards)
            > 1
            or sum(1 for payment in payments if payment.payment_id in user.gift_cards)
            > 3
        )
    )


def forbid_basic_economy_not_modified(
    tool: Tool,
    flights: tuple[Flight, ...],
    reservation: Reservation | None,
) -> bool:
    """R6: The flights of a reservation in basic economy stay the same."""
    return (
        tool == "update_reservation_flights"
        and reservation is not None
        and reservation.cabin == "basic_economy"
        and {(flight.flight_number, flight.date) for flight in flights}
        != {(flight.flight_number, flight.date) for flight in reservation.flights}
    )


def forbid_cancellation_conditions(
    tool: Tool,
    reservation: Reservation | None,
    now: datetime,
    today: date,
) -> bool:
    """R7, R8: Cancelled within 24 hours of booking, in business, or with insurance; and nothing of it is flown."""
    if reservation is None or tool != "cancel_reservation":
        return False
    late = now - reservation.created_at > timedelta(hours=24)
    bound = late and reservation.cabin != "business" and reservation.insurance != "yes"
    return bound or any(flight.date < today for flight in reservation.flights)


def allow(
    tool: Tool,
    payments: tuple[Payment, ...],
    payment_id: str | None,
    flights: tuple[Flight, ...],
    reservation: Reservation | None,
    user: User | None,
    wallet: Wallet | None,
    now: datetime,
    today: date,
) -> bool:
    # R1: A reservation is changed or cancelled only after the desk has looked it up.
    Ensures(Implies(Result() and tool in CHANGES, reservation is not None))
    # R2: Money is taken only after the desk has looked up the customer's profile.
    Ensures(Implies(Result() and tool in CHARGES, user is not None))
    # R3, R4: A booking is paid with methods of the profile, certificates among them only where they are known.
    Ensures(
        Implies(
            Result() and tool == "book_reservation" and user is not None,
            all(
                payment.payment_id in user.credit_cards
                or payment.payment_id in user.gift_cards
                or wallet is not None and payment.payment_id in wallet.certificates
                for payment in payments
            ),
        ),
    )
    # R3, R4: So is a change.
    Ensures(
        Implies(
            Result()
            and tool in {"update_reservation_baggages", "update_reservation_flights"}
            and payment_id is not None
            and user is not None,
            payment_id in user.credit_cards
            or payment_id in user.gift_cards
            or wallet is not None and payment_id in wallet.certificates,
        ),
    )
    # R5: A booking is paid with at most one certificate.
    Ensures(
        Implies(
            Result() and tool == "book_reservation" and wallet is not None,
            sum(1 for payment in payments if payment.payment_id in wallet.certificates) <= 1,
        ),
    )
    # R5: It is paid with at most one credit card and at most three gift cards.
    Ensures(
        Implies(
            Result() and tool == "book_reservation" and user is not None,
            sum(1 for payment in payments if payment.payment_id in user.credit_cards) <= 1
            and sum(1 for payment in payments if payment.payment_id in user.gift_cards) <= 3,
        ),
    )
    # R6: The flights of a reservation in basic economy are not modified.
    Ensures(
        Implies(
            Result()
            and tool == "update_reservation_flights"
            and reservation is not None
            and reservation.cabin == "basic_economy",
            {(flight.flight_number, flight.date) for flight in flights}
            == {(flight.flight_number, flight.date) for flight in reservation.flights},
        ),
    )
    # R7: A reservation is cancelled within 24 hours of booking, or in business, or with insurance.
    Ensures(
        Implies(
            Result() and tool == "cancel_reservation" and reservation is not None,
            now - reservation.created_at <= timedelta(hours=24)
            or reservation.cabin == "business"
            or reservation.insurance == "yes",
        ),
    )
    # R8: A trip of which a flight was on an earlier day is not cancelled at all.
    Ensures(
        Implies(
            tool == "cancel_reservation"
            and reservation is not None
            and any(flight.date < today for flight in reservation.flights),
            not Result(),
        ),
    )
    # R9: Every other booking is allowed.
    Ensures(
        Implies(
            tool == "book_reservation"
            and user is not None
            and payment_id is None
            and all(
                payment.payment_id in user.credit_cards
                or payment.payment_id in user.gift_cards
                or wallet is not None and payment.payment_id in wallet.certificates
                for payment in payments
            )
            and (
                wallet is None
                or sum(1 for payment in payments if payment.payment_id in wallet.certificates)
                <= 1
            )
            and sum(1 for payment in payments if payment.payment_id in user.credit_cards) <= 1
            and sum(1 for payment in payments if payment.payment_id in user.gift_cards) <= 3,
            Result(),
        ),
    )
    # R9: Every other change of flights or bags is allowed, one of the cabin alone among them.
    Ensures(
        Implies(
            tool in {"update_reservation_baggages", "update_reservation_flights"}
            and reservation is not None
            and user is not None
            and len(payments) == 0
            and (
                payment_id is None
                or payment_id in user.credit_cards
                or payment_id in user.gift_cards
                or wallet is not None and payment_id in wallet.certificates
            )
            and (
                tool == "update_reservation_baggages"
                or reservation.cabin != "basic_economy"
                or {(flight.flight_number, flight.date) for flight in flights}
                == {(flight.flight_number, flight.date) for flight in reservation.flights}
            ),
            Result(),
        ),
    )
    # R9: Every other change of passengers is allowed.
    Ensures(Implies(tool == "update_reservation_passengers" and reservation is not None, Result()))
    # R9: Every other cancellation is allowed.
    Ensures(
        Implies(
            tool == "cancel_reservation"
            and reservation is not None
            and (
                now - reservation.created_at <= timedelta(hours=24)
                or reservation.cabin == "business"
                or reservation.insurance == "yes"
            )
            and all(flight.date >= today for flight in reservation.flights),
            Result(),
        ),
    )
    # R9: All calls that take no money and change no reservation are allowed.
    Ensures(
        Implies(
            tool
            not in {
                "book_reservation", "cancel_reservation", "update_reservation_baggages",
                "update_reservation_flights", "update_reservation_passengers",
            },
            Result(),
        ),
    )
    return not (
        forbid_change_of_unknown_reservation(tool, reservation)
        or forbid_charge_of_unknown_profile(tool, user)
        or forbid_unknown_certificate(tool, payments, payment_id, user, wallet)
        or forbid_payment_in_profile(tool, payments, payment_id, user, wallet)
        or forbid_payment_method_counts(tool, payments, user, wallet)
        or forbid_basic_economy_not_modified(tool, flights, reservation)
        or forbid_cancellation_conditions(tool, reservation, now, today)
    )
