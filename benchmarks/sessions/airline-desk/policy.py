"""What the airline desk may change for a customer."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal[
    "book_reservation", "calculate", "cancel_reservation", "get_reservation_details",
    "get_user_details", "list_all_airports", "search_direct_flight", "search_onestop_flight",
    "send_certificate", "think", "transfer_to_human_agents", "update_reservation_baggages",
    "update_reservation_flights", "update_reservation_passengers",
]
Cabin = Literal["basic_economy", "economy", "business"]
Membership = Literal["regular", "silver", "gold"]

CHANGES = {
    "cancel_reservation", "update_reservation_baggages", "update_reservation_flights",
    "update_reservation_passengers",
}
UPDATES = {
    "book_reservation", "cancel_reservation", "update_reservation_baggages", "update_reservation_flights",
    "update_reservation_passengers",
}
CHARGES = {"book_reservation", "update_reservation_baggages", "update_reservation_flights"}
FOR_A_CUSTOMER = {
    "book_reservation", "send_certificate", "update_reservation_baggages", "update_reservation_flights",
}
FREE_OF_REGULAR = {"basic_economy": 0, "economy": 1, "business": 2}
FREE_OF_SILVER = {"basic_economy": 1, "economy": 2, "business": 3}
FREE_OF_GOLD = {"basic_economy": 2, "economy": 3, "business": 3}


@dataclass(frozen=True)
class Payment:
    payment_id: str


@dataclass(frozen=True)
class Segment:
    flight_number: str
    date: date


@dataclass(frozen=True)
class Leg:
    date: date
    route_origin: str | None
    route_destination: str | None
    flight_departure: time | None


@dataclass(frozen=True)
class Passenger:
    last_name: str


@dataclass(frozen=True)
class User:
    membership: Membership
    credit_cards: frozenset[str]
    gift_cards: frozenset[str]


@dataclass(frozen=True)
class Wallet:
    certificates: frozenset[str]


@dataclass(frozen=True)
class Reservation:
    user_id: str
    origin: str
    destination: str
    flight_type: Literal["one_way", "round_trip"]
    cabin: Cabin
    created_at: datetime
    insurance: Literal["yes", "no"]
    flights: tuple[Segment, ...]
    legs: tuple[Leg, ...]
    passengers: tuple[Passenger, ...]
    total_baggages: int


def is_card(payment_id: str, credit_cards: frozenset[str], gift_cards: frozenset[str]) -> bool:
    return payment_id in credit_cards or payment_id in gift_cards


def free_bags(membership: Membership, cabin: Cabin) -> int:
    if membership == "gold":
        return FREE_OF_GOLD[cabin]
    if membership == "silver":
        return FREE_OF_SILVER[cabin]
    return FREE_OF_REGULAR[cabin]


def beyond(total: int, free: int) -> int:
    return total - free if total > free else 0


def is_rest(part: int | None, total: int | None, free: int) -> bool:
    if part is None or total is None:
        return False
    return part == total - free if total > free else part == 0


def forbid_change_of_unknown_reservation(tool: Tool, reservation: Reservation | None) -> bool:
    """R1: A reservation is looked up before it is changed or cancelled."""
    return tool in CHANGES and reservation is None


def forbid_unknown_customer(tool: Tool, user: User | None) -> bool:
    """R2: The customer's profile is looked up before money is taken or a certificate is sent."""
    return tool in FOR_A_CUSTOMER and user is None


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


def forbid_without_agreement(tool: Tool, agreement: frozenset[str]) -> bool:
    """R4: The customer agrees before anything is booked, changed or cancelled."""
    return tool in UPDATES and agreement == frozenset()


def forbid_payment_in_profile(
    tool: Tool,
    payments: tuple[Payment, ...],
    payment_id: str | None,
    user: User | None,
    wallet: Wallet | None,
) -> bool:
    """R5: Every payment method is in the customer's profile."""
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
    """R6: A booking is paid with at most one certificate, one credit card and three gift cards."""
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


def forbid_change_paid_by_card_or_gift_card(
    tool: Tool, payment_id: str | None, wallet: Wallet | None
) -> bool:
    """R7: A change of flights is paid by credit card or gift card, not by a certificate."""
    return (
        tool == "update_reservation_flights"
        and wallet is not None
        and payment_id is not None
        and payment_id in wallet.certificates
    )


def forbid_six_passengers(tool: Tool, passengers: tuple[Passenger, ...]) -> bool:
    """R8: A booking is for at most five passengers."""
    return tool == "book_reservation" and len(passengers) > 5


def forbid_baggage_allowance(
    tool: Tool,
    cabin: Cabin | None,
    passengers: tuple[Passenger, ...],
    total_baggages: int | None,
    nonfree_baggages: int | None,
    reservation: Reservation | None,
    user: User | None,
) -> bool:
    """R9: The bags beyond those that are free for membership and cabin are paid for, and no others."""
    if user is None or tool not in {"book_reservation", "update_reservation_baggages"}:
        return False
    if total_baggages is None or nonfree_baggages is None:
        return True
    if tool == "book_reservation":
        return cabin is None or nonfree_baggages != beyond(
            total_baggages, free_bags(user.membership, cabin) * len(passengers)
        )
    return reservation is not None and nonfree_baggages != beyond(
        total_baggages, free_bags(user.membership, reservation.cabin) * len(reservation.passengers)
    )


def forbid_basic_economy_not_modified(
    tool: Tool,
    flights: tuple[Segment, ...],
    reservation: Reservation | None,
) -> bool:
    """R10: The flights of a reservation in basic economy stay the same."""
    return (
        tool == "update_reservation_flights"
        and reservation is not None
        and reservation.cabin == "basic_economy"
        and {(flight.flight_number, flight.date) for flight in flights}
        != {(flight.flight_number, flight.date) for flight in reservation.flights}
    )


def forbid_unknown_flights(
    tool: Tool, legs: tuple[Leg, ...], reservation: Reservation | None
) -> bool:
    """R11: New flights are searched before a reservation is changed to them."""
    return (
        tool == "update_reservation_flights"
        and reservation is not None
        and any(leg.route_origin is None or leg.route_destination is None for leg in legs)
    )


def forbid_other_route(
    tool: Tool, legs: tuple[Leg, ...], reservation: Reservation | None
) -> bool:
    """R12: Changed flights go from the same origin to the same destination, and back on a round trip only."""
    if reservation is None or tool != "update_reservation_flights":
        return False
    there = any(leg.route_origin == reservation.origin for leg in legs) and any(
        leg.route_destination == reservation.destination for leg in legs
    )
    leaves_again = any(leg.route_origin == reservation.destination for leg in legs)
    comes_back = any(leg.route_destination == reservation.origin for leg in legs)
    if reservation.flight_type == "round_trip":
        return not (there and leaves_again and comes_back)
    return not there or leaves_again or comes_back


def forbid_fewer_bags(
    tool: Tool, total_baggages: int | None, reservation: Reservation | None
) -> bool:
    """R13: Bags are added and never taken away."""
    return (
        tool == "update_reservation_baggages"
        and reservation is not None
        and total_baggages is not None
        and total_baggages < reservation.total_baggages
    )


def forbid_other_number_of_passengers(
    tool: Tool, passengers: tuple[Passenger, ...], reservation: Reservation | None
) -> bool:
    """R14: The number of passengers stays the same."""
    return (
        tool == "update_reservation_passengers"
        and reservation is not None
        and len(passengers) != len(reservation.passengers)
    )


def forbid_cancellation_conditions(
    tool: Tool,
    reservation: Reservation | None,
    now: datetime,
    today: date,
    clock: time,
) -> bool:
    """R15, R16: Cancelled within 24 hours of booking, in business, or with insurance; and nothing of it is flown."""
    if reservation is None or tool != "cancel_reservation":
        return False
    late = now - reservation.created_at > timedelta(hours=24)
    bound = late and reservation.cabin != "business" and reservation.insurance != "yes"
    return bound or any(
        leg.date < today
        or leg.date == today and (leg.flight_departure is None or leg.flight_departure <= clock)
        for leg in reservation.legs
    )


def forbid_compensation(
    tool: Tool,
    user_id: str | None,
    amount: Decimal | None,
    user: User | None,
    complaint: Reservation | None,
) -> bool:
    """R17: Members, the insured and business travellers get 50 or 100 dollars for each passenger."""
    if user is None or tool != "send_certificate":
        return False
    if complaint is None or complaint.user_id != user_id:
        return True
    entitled = (
        user.membership != "regular"
        or complaint.insurance == "yes"
        or complaint.cabin == "business"
    )
    return not entitled or (
        amount != Decimal("50") * len(complaint.passengers)
        and amount != Decimal("100") * len(complaint.passengers)
    )


def allow(
    tool: Tool,
    cabin: Cabin | None,
    user_id: str | None,
    total_baggages: int | None,
    nonfree_baggages: int | None,
    amount: Decimal | None,
    payment_id: str | None,
    payments: tuple[Payment, ...],
    flights: tuple[Segment, ...],
    legs: tuple[Leg, ...],
    passengers: tuple[Passenger, ...],
    reservation: Reservation | None,
    user: User | None,
    wallet: Wallet | None,
    complaint: Reservation | None,
    agreement: frozenset[str],
    now: datetime,
    today: date,
    clock: time,
) -> bool:
    # R1: A reservation is changed or cancelled only after the desk has looked it up.
    Ensures(Implies(Result() and tool in CHANGES, reservation is not None))
    # R2: Money is taken and certificates are sent only after the desk has looked up the customer's profile.
    Ensures(Implies(Result() and tool in FOR_A_CUSTOMER, user is not None))
    # R3, R5: A booking is paid with methods of the profile, certificates among them only where they are known.
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
    # R3, R5: So is a change of bags.
    Ensures(
        Implies(
            Result()
            and tool == "update_reservation_baggages"
            and payment_id is not None
            and user is not None,
            payment_id in user.credit_cards
            or payment_id in user.gift_cards
            or wallet is not None and payment_id in wallet.certificates,
        ),
    )
    # R4: Nothing is booked, changed or cancelled to which the customer did not agree.
    Ensures(Implies(tool in UPDATES and agreement == frozenset(), not Result()))
    # R6: A booking is paid with at most one certificate.
    Ensures(
        Implies(
            Result() and tool == "book_reservation" and wallet is not None,
            sum(1 for payment in payments if payment.payment_id in wallet.certificates) <= 1,
        ),
    )
    # R6: It is paid with at most one credit card and at most three gift cards.
    Ensures(
        Implies(
            Result() and tool == "book_reservation" and user is not None,
            sum(1 for payment in payments if payment.payment_id in user.credit_cards) <= 1
            and sum(1 for payment in payments if payment.payment_id in user.gift_cards) <= 3,
        ),
    )
    # R3, R5, R7: A change of flights is paid with a card of the profile, and with no certificate.
    Ensures(
        Implies(
            Result()
            and tool == "update_reservation_flights"
            and payment_id is not None
            and user is not None,
            (payment_id in user.credit_cards or payment_id in user.gift_cards)
            and (wallet is None or payment_id not in wallet.certificates),
        ),
    )
    # R8: A booking is for at most five passengers.
    Ensures(Implies(Result() and tool == "book_reservation", len(passengers) <= 5))
    # R9: A regular member has no free bag in basic economy, one for each passenger in economy, two in business.
    Ensures(
        Implies(
            Result() and tool == "book_reservation" and user is not None and user.membership == "regular",
            cabin is not None
            and is_rest(
                nonfree_baggages,
                total_baggages,
                (0 if cabin == "basic_economy" else 1 if cabin == "economy" else 2) * len(passengers),
            ),
        ),
    )
    # R9: A silver member has one free bag more for each passenger.
    Ensures(
        Implies(
            Result() and tool == "book_reservation" and user is not None and user.membership == "silver",
            cabin is not None
            and is_rest(
                nonfree_baggages,
                total_baggages,
                (1 if cabin == "basic_economy" else 2 if cabin == "economy" else 3) * len(passengers),
            ),
        ),
    )
    # R9: A gold member has two free bags for each passenger in basic economy, and else three.
    Ensures(
        Implies(
            Result() and tool == "book_reservation" and user is not None and user.membership == "gold",
            cabin is not None
            and is_rest(
                nonfree_baggages,
                total_baggages,
                (2 if cabin == "basic_economy" else 3) * len(passengers),
            ),
        ),
    )
    # R9: A change of bags goes by the same numbers, with the cabin and the passengers of the reservation.
    Ensures(
        Implies(
            Result()
            and tool == "update_reservation_baggages"
            and reservation is not None
            and user is not None,
            is_rest(
                nonfree_baggages,
                total_baggages,
                free_bags(user.membership, reservation.cabin) * len(reservation.passengers),
            ),
        ),
    )
    # R10: The flights of a reservation in basic economy are not modified.
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
    # R11: A change of flights is to flights that were searched.
    Ensures(
        Implies(
            Result()
            and tool == "update_reservation_flights"
            and reservation is not None,
            all(leg.route_origin is not None and leg.route_destination is not None for leg in legs),
        ),
    )
    # R12: It leaves from the same origin and arrives at the same destination.
    Ensures(
        Implies(
            Result()
            and tool == "update_reservation_flights"
            and reservation is not None,
            any(leg.route_origin == reservation.origin for leg in legs)
            and any(leg.route_destination == reservation.destination for leg in legs),
        ),
    )
    # R12: A round trip leaves the destination again and comes back to the origin.
    Ensures(
        Implies(
            Result()
            and tool == "update_reservation_flights"
            and reservation is not None
            and reservation.flight_type == "round_trip",
            any(leg.route_origin == reservation.destination for leg in legs)
            and any(leg.route_destination == reservation.origin for leg in legs),
        ),
    )
    # R12: A trip of one way does neither.
    Ensures(
        Implies(
            Result()
            and tool == "update_reservation_flights"
            and reservation is not None
            and reservation.flight_type == "one_way",
            all(
                leg.route_origin != reservation.destination
                and leg.route_destination != reservation.origin
                for leg in legs
            ),
        ),
    )
    # R13: A change of bags takes none away.
    Ensures(
        Implies(
            Result() and tool == "update_reservation_baggages" and reservation is not None,
            total_baggages is not None and total_baggages >= reservation.total_baggages,
        ),
    )
    # R14: A change of passengers keeps their number.
    Ensures(
        Implies(
            Result() and tool == "update_reservation_passengers" and reservation is not None,
            len(passengers) == len(reservation.passengers),
        ),
    )
    # R15: A reservation is cancelled within 24 hours of booking, or in business, or with insurance.
    Ensures(
        Implies(
            Result() and tool == "cancel_reservation" and reservation is not None,
            now - reservation.created_at <= timedelta(hours=24)
            or reservation.cabin == "business"
            or reservation.insurance == "yes",
        ),
    )
    # R16: A trip of which a flight was on an earlier day is not cancelled at all.
    Ensures(
        Implies(
            tool == "cancel_reservation"
            and reservation is not None
            and any(leg.date < today for leg in reservation.legs),
            not Result(),
        ),
    )
    # R16: Nor is one with a flight of this day, unless it is known to leave later.
    Ensures(
        Implies(
            tool == "cancel_reservation"
            and reservation is not None
            and any(
                leg.date == today
                and (leg.flight_departure is None or leg.flight_departure <= clock)
                for leg in reservation.legs
            ),
            not Result(),
        ),
    )
    # R17: A certificate goes to the customer of the reservation that it is for.
    Ensures(
        Implies(
            Result() and tool == "send_certificate",
            complaint is not None and complaint.user_id == user_id,
        ),
    )
    # R17: It is 50 or 100 dollars for each passenger.
    Ensures(
        Implies(
            Result() and tool == "send_certificate" and complaint is not None,
            amount == Decimal("50") * len(complaint.passengers)
            or amount == Decimal("100") * len(complaint.passengers),
        ),
    )
    # R17: Regular members get it only with insurance or in business.
    Ensures(
        Implies(
            tool == "send_certificate"
            and user is not None
            and user.membership == "regular"
            and complaint is not None
            and complaint.insurance == "no"
            and complaint.cabin != "business",
            not Result(),
        ),
    )
    # R18: Every other booking is allowed.
    Ensures(
        Implies(
            tool == "book_reservation"
            and agreement != frozenset()
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
            and sum(1 for payment in payments if payment.payment_id in user.gift_cards) <= 3
            and len(passengers) <= 5
            and cabin is not None
            and is_rest(
                nonfree_baggages,
                total_baggages,
                free_bags(user.membership, cabin) * len(passengers),
            ),
            Result(),
        ),
    )
    # R18: Every other change of bags is allowed.
    Ensures(
        Implies(
            tool == "update_reservation_baggages"
            and agreement != frozenset()
            and reservation is not None
            and user is not None
            and len(payments) == 0
            and (
                payment_id is None
                or payment_id in user.credit_cards
                or payment_id in user.gift_cards
                or wallet is not None and payment_id in wallet.certificates
            )
            and total_baggages is not None
            and total_baggages >= reservation.total_baggages
            and is_rest(
                nonfree_baggages,
                total_baggages,
                free_bags(user.membership, reservation.cabin) * len(reservation.passengers),
            ),
            Result(),
        ),
    )
    # R18: Every other change of flights is allowed, one of the cabin alone among them.
    Ensures(
        Implies(
            tool == "update_reservation_flights"
            and agreement != frozenset()
            and reservation is not None
            and user is not None
            and len(payments) == 0
            and (
                payment_id is None
                or (payment_id in user.credit_cards or payment_id in user.gift_cards)
                and (wallet is None or payment_id not in wallet.certificates)
            )
            and (
                reservation.cabin != "basic_economy"
                or {(flight.flight_number, flight.date) for flight in flights}
                == {(flight.flight_number, flight.date) for flight in reservation.flights}
            )
            and all(leg.route_origin is not None and leg.route_destination is not None for leg in legs)
            and any(leg.route_origin == reservation.origin for leg in legs)
            and any(leg.route_destination == reservation.destination for leg in legs)
            and (
                reservation.flight_type == "one_way"
                or any(leg.route_origin == reservation.destination for leg in legs)
                and any(leg.route_destination == reservation.origin for leg in legs)
            )
            and (
                reservation.flight_type == "round_trip"
                or all(
                    leg.route_origin != reservation.destination
                    and leg.route_destination != reservation.origin
                    for leg in legs
                )
            ),
            Result(),
        ),
    )
    # R18: Every other change of passengers is allowed.
    Ensures(
        Implies(
            tool == "update_reservation_passengers"
            and agreement != frozenset()
            and reservation is not None
            and len(passengers) == len(reservation.passengers),
            Result(),
        ),
    )
    # R18: Every other cancellation is allowed.
    Ensures(
        Implies(
            tool == "cancel_reservation"
            and agreement != frozenset()
            and reservation is not None
            and (
                now - reservation.created_at <= timedelta(hours=24)
                or reservation.cabin == "business"
                or reservation.insurance == "yes"
            )
            and all(
                leg.date > today
                or leg.date == today
                and leg.flight_departure is not None
                and leg.flight_departure > clock
                for leg in reservation.legs
            ),
            Result(),
        ),
    )
    # R18: Every other certificate is allowed.
    Ensures(
        Implies(
            tool == "send_certificate"
            and user is not None
            and complaint is not None
            and complaint.user_id == user_id
            and (
                user.membership != "regular"
                or complaint.insurance == "yes"
                or complaint.cabin == "business"
            )
            and (
                amount == Decimal("50") * len(complaint.passengers)
                or amount == Decimal("100") * len(complaint.passengers)
            ),
            Result(),
        ),
    )
    # R18: All calls that change nothing are allowed.
    Ensures(
        Implies(
            tool
            in {
                "calculate", "get_reservation_details", "get_user_details", "list_all_airports",
                "search_direct_flight", "search_onestop_flight", "think", "transfer_to_human_agents",
            },
            Result(),
        ),
    )
    return not (
        forbid_change_of_unknown_reservation(tool, reservation)
        or forbid_unknown_customer(tool, user)
        or forbid_unknown_certificate(tool, payments, payment_id, user, wallet)
        or forbid_without_agreement(tool, agreement)
        or forbid_payment_in_profile(tool, payments, payment_id, user, wallet)
        or forbid_payment_method_counts(tool, payments, user, wallet)
        or forbid_change_paid_by_card_or_gift_card(tool, payment_id, wallet)
        or forbid_six_passengers(tool, passengers)
        or forbid_baggage_allowance(
            tool, cabin, passengers, total_baggages, nonfree_baggages, reservation, user
        )
        or forbid_basic_economy_not_modified(tool, flights, reservation)
        or forbid_unknown_flights(tool, legs, reservation)
        or forbid_other_route(tool, legs, reservation)
        or forbid_fewer_bags(tool, total_baggages, reservation)
        or forbid_other_number_of_passengers(tool, passengers, reservation)
        or forbid_cancellation_conditions(tool, reservation, now, today, clock)
        or forbid_compensation(tool, user_id, amount, user, complaint)
    )
