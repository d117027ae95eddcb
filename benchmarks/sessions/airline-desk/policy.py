"""What the airline desk may change for a customer."""

from datetime import timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import (
    BookReservation,
    Call,
    CancelReservation,
    GetReservationDetails,
    Run,
    SendCertificate,
    UpdateReservationBaggages,
    UpdateReservationFlights,
    UpdateReservationPassengers,
    looked_up,
)

DEFAULT = "allow"
Cabin = Literal["basic_economy", "economy", "business"]
Membership = Literal["regular", "silver", "gold"]
FREE_OF_REGULAR = {"basic_economy": 0, "economy": 1, "business": 2}
FREE_OF_SILVER = {"basic_economy": 1, "economy": 2, "business": 3}
FREE_OF_GOLD = {"basic_economy": 2, "economy": 3, "business": 3}
CHANGE_NOTHING = {"calculate", "get_reservation_details", "get_user_details", "list_all_airports",
                  "search_direct_flight", "search_onestop_flight", "think", "transfer_to_human_agents"}


def agreed(run: Run) -> bool:
    """whether the customer's last message agrees to something"""
    return run.last_said.agreement != frozenset()


def is_known(reservation_id: str, run: Run) -> bool:
    """whether the reservation was looked up, and there is one"""
    return looked_up(run.reservation(reservation_id)) and run.reservation(reservation_id) is not None


def is_customer(user_id: str, run: Run) -> bool:
    """whether the customer's profile was looked up, and there is one"""
    return looked_up(run.user(user_id)) and run.user(user_id) is not None


def is_card(payment_id: str, user_id: str, run: Run) -> bool:
    """whether this is a credit card or a gift card of the customer"""
    user = run.user(user_id)
    return user is not None and (payment_id in user.credit_cards or payment_id in user.gift_cards)


def is_certificate(payment_id: str, user_id: str, run: Run) -> bool:
    """whether this is a certificate that the customer has left"""
    wallet = run.wallet(user_id)
    return wallet is not None and payment_id in wallet.certificates


def in_profile(payment_id: str, user_id: str, run: Run) -> bool:
    """whether this is a payment method of the customer"""
    return is_card(payment_id, user_id, run) or is_certificate(payment_id, user_id, run)


def all_cards(call: BookReservation, run: Run) -> bool:
    """whether the booking is paid with credit cards and gift cards of the customer only"""
    user = run.user(call.user_id)
    return user is not None and all(
        payment.payment_id in user.credit_cards or payment.payment_id in user.gift_cards
        for payment in call.payment_methods
    )


def all_in_profile(call: BookReservation, run: Run) -> bool:
    """whether the booking is paid with payment methods of the customer only"""
    user = run.user(call.user_id)
    wallet = run.wallet(call.user_id)
    return all_cards(call, run) or (
        user is not None
        and wallet is not None
        and all(
            payment.payment_id in user.credit_cards
            or payment.payment_id in user.gift_cards
            or payment.payment_id in wallet.certificates
            for payment in call.payment_methods
        )
    )


def free_bags(membership: Membership, cabin: Cabin) -> int:
    """the bags that are free for each passenger"""
    if membership == "gold":
        return FREE_OF_GOLD[cabin]
    return FREE_OF_SILVER[cabin] if membership == "silver" else FREE_OF_REGULAR[cabin]


def beyond(total: int, free: int) -> int:
    """the bags beyond those that are free"""
    return total - free if total > free else 0


def leaves(call: UpdateReservationFlights, run: Run, airport: str) -> bool:
    """whether a new flight leaves from this airport"""
    return any(
        run.route(flight.flight_number) is not None and run.route(flight.flight_number).origin == airport
        for flight in call.flights
    )


def arrives(call: UpdateReservationFlights, run: Run, airport: str) -> bool:
    """whether a new flight arrives at this airport"""
    return any(
        run.route(flight.flight_number) is not None and run.route(flight.flight_number).destination == airport
        for flight in call.flights
    )


def are_searched(call: UpdateReservationFlights, run: Run) -> bool:
    """whether all new flights were searched"""
    return all(
        looked_up(run.route(flight.flight_number)) and run.route(flight.flight_number) is not None
        for flight in call.flights
    )


def flown_before(call: CancelReservation, run: Run) -> bool:
    """whether a flight of the trip was on an earlier day"""
    reservation = run.reservation(call.reservation_id)
    return reservation is not None and any(
        flight.date < call.time.date for flight in reservation.flights
    )


def flown_today(call: CancelReservation, run: Run) -> bool:
    """whether a flight of the trip is on this day, and not known to leave later"""
    reservation = run.reservation(call.reservation_id)
    return reservation is not None and any(
        flight.date == call.time.date
        and not (
            looked_up(run.flight(flight.flight_number))
            and run.flight(flight.flight_number) is not None
            and run.flight(flight.flight_number).departure > call.time.time
        )
        for flight in reservation.flights
    )


def compensated(call: SendCertificate, run: Run) -> bool:
    """whether the customer got a certificate before"""
    return any(c.user_id == call.user_id and not c.failed for c in run.earlier(SendCertificate))


def forbid_change_of_unknown_reservation(
    call: CancelReservation | UpdateReservationBaggages | UpdateReservationFlights | UpdateReservationPassengers,
    run: Run,
) -> bool:
    """R1: A reservation is changed or cancelled only after the desk has looked it up."""
    return not is_known(call.reservation_id, run)


def forbid_unknown_customer(
    call: BookReservation | SendCertificate | UpdateReservationBaggages | UpdateReservationFlights, run: Run
) -> bool:
    """R2: Money is taken, and a certificate sent, only after the desk has looked up the customer's profile."""
    if isinstance(call, BookReservation | SendCertificate):
        return not is_customer(call.user_id, run)
    reservation = run.reservation(call.reservation_id)
    return reservation is not None and not is_customer(reservation.user_id, run)


def forbid_unknown_certificate(
    call: BookReservation | UpdateReservationBaggages | UpdateReservationFlights, run: Run
) -> bool:
    """R3: Certificates are used up by a booking: to pay with one afterwards, the desk looks again."""
    if isinstance(call, BookReservation):
        return not looked_up(run.wallet(call.user_id)) and not all_cards(call, run)
    reservation = run.reservation(call.reservation_id)
    return (
        reservation is not None
        and not looked_up(run.wallet(reservation.user_id))
        and not is_card(call.payment_id, reservation.user_id, run)
    )


def forbid_without_agreement(
    call: BookReservation
    | CancelReservation
    | UpdateReservationBaggages
    | UpdateReservationFlights
    | UpdateReservationPassengers,
    run: Run,
) -> bool:
    """R4: Nothing is booked, changed or cancelled to which the customer did not agree in the message before."""
    return not agreed(run)


def forbid_payment_in_profile(
    call: BookReservation | UpdateReservationBaggages | UpdateReservationFlights, run: Run
) -> bool:
    """R5: Every payment method is one of the customer's profile, for a booking as for a change of flights or bags."""
    if isinstance(call, BookReservation):
        return not all_in_profile(call, run)
    reservation = run.reservation(call.reservation_id)
    return reservation is not None and not in_profile(call.payment_id, reservation.user_id, run)


def forbid_payment_method_counts(call: BookReservation, run: Run) -> bool:
    """R6: A booking is paid with at most one certificate, at most one credit card and at most three gift cards."""
    user = run.user(call.user_id)
    wallet = run.wallet(call.user_id)
    return (
        wallet is not None
        and sum(1 for payment in call.payment_methods if payment.payment_id in wallet.certificates) > 1
        or user is not None
        and sum(1 for payment in call.payment_methods if payment.payment_id in user.credit_cards) > 1
        or user is not None
        and sum(1 for payment in call.payment_methods if payment.payment_id in user.gift_cards) > 3
    )


def forbid_change_paid_by_card_or_gift_card(call: UpdateReservationFlights, run: Run) -> bool:
    """R7: A change of flights is paid with a credit card or a gift card."""
    reservation = run.reservation(call.reservation_id)
    return (
        reservation is not None
        and not is_card(call.payment_id, reservation.user_id, run)
        and is_certificate(call.payment_id, reservation.user_id, run)
    )


def forbid_six_passengers(call: BookReservation) -> bool:
    """R8: A booking is for at most five passengers."""
    return len(call.passengers) > 5


def forbid_baggage_allowance(call: BookReservation | UpdateReservationBaggages, run: Run) -> bool:
    """R9: The bags beyond are paid for, and no others, in a booking as in a change of bags."""
    if isinstance(call, BookReservation):
        user = run.user(call.user_id)
        return user is not None and call.nonfree_baggages != beyond(
            call.total_baggages, free_bags(user.membership, call.cabin) * len(call.passengers)
        )
    reservation = run.reservation(call.reservation_id)
    if reservation is None:
        return False
    owner = run.user(reservation.user_id)
    return owner is not None and call.nonfree_baggages != beyond(
        call.total_baggages, free_bags(owner.membership, reservation.cabin) * len(reservation.passengers)
    )


def forbid_basic_economy_not_modified(call: UpdateReservationFlights, run: Run) -> bool:
    """R13: The flights of a reservation in basic economy are not modified."""
    reservation = run.reservation(call.reservation_id)
    return (
        reservation is not None
        and reservation.cabin == "basic_economy"
        and {(flight.flight_number, flight.date) for flight in call.flights}
        != {(flight.flight_number, flight.date) for flight in reservation.flights}
    )


def forbid_unknown_flights(call: UpdateReservationFlights, run: Run) -> bool:
    """R15: New flights are searched before a reservation is changed to them."""
    return not are_searched(call, run)


def forbid_other_route(call: UpdateReservationFlights, run: Run) -> bool:
    """R16: Changed flights go from the same origin to the same destination, and back on a round trip only."""
    reservation = run.reservation(call.reservation_id)
    if reservation is None:
        return False
    there = leaves(call, run, reservation.origin) and arrives(call, run, reservation.destination)
    leaves_again = leaves(call, run, reservation.destination)
    comes_back = arrives(call, run, reservation.origin)
    if reservation.flight_type == "round_trip":
        return not (there and leaves_again and comes_back)
    return not there or leaves_again or comes_back


def forbid_fewer_bags(call: UpdateReservationBaggages, run: Run) -> bool:
    """R17: Bags are added and never taken away."""
    reservation = run.reservation(call.reservation_id)
    return reservation is not None and call.total_baggages < reservation.total_baggages


def forbid_other_number_of_passengers(call: UpdateReservationPassengers, run: Run) -> bool:
    """R18: The number of passengers stays the same."""
    reservation = run.reservation(call.reservation_id)
    return reservation is not None and len(call.passengers) != len(reservation.passengers)


def forbid_cancellation_conditions(call: CancelReservation, run: Run) -> bool:
    """R19: A reservation is cancelled within 24 hours of booking, or in business, or with insurance."""
    reservation = run.reservation(call.reservation_id)
    return (
        reservation is not None
        and call.time - reservation.created_at > timedelta(hours=24)
        and reservation.cabin != "business"
        and reservation.insurance != "yes"
        or flown_before(call, run)
        or flown_today(call, run)
    )


def forbid_compensation(call: SendCertificate, run: Run) -> bool:
    """R21: Silver and gold members, the insured and travellers in business get a certificate as a gesture, of 50 or 100 dollars for each passenger."""
    seen = run.last(run.earlier(GetReservationDetails))
    user = run.user(call.user_id)
    if seen is None or not is_known(seen.reservation_id, run):
        return True
    reservation = run.reservation(seen.reservation_id)
    if reservation is None or reservation.user_id != call.user_id:
        return True
    entitled = (
        user is not None and user.membership != "regular"
        or reservation.insurance == "yes"
        or reservation.cabin == "business"
    )
    return not entitled or (
        call.amount != Decimal("50") * len(reservation.passengers)
        and call.amount != Decimal("100") * len(reservation.passengers)
    )


def forbid_second_certificate(call: SendCertificate, run: Run) -> bool:
    """R24: No customer gets a second certificate in one conversation."""
    return compensated(call, run)


def contract_other(call: Call) -> None:
    # R23: Every other booking, change, cancellation and certificate is allowed, and so are all calls that change nothing.
    Ensures(Implies(call.tool in CHANGE_NOTHING, Result()))


def contract_booking(call: BookReservation, run: Run) -> None:
    user = run.user(call.user_id)
    wallet = run.wallet(call.user_id)
    # R2: Money is taken only after the desk has looked up the customer's profile.
    Ensures(Implies(Result(), is_customer(call.user_id, run)))
    # R4: Nothing is booked to which the customer did not agree.
    Ensures(Implies(not agreed(run), not Result()))
    # R3: To pay with a certificate the desk knows which ones are left.
    Ensures(Implies(Result(), all_cards(call, run) or looked_up(wallet)))
    # R5: Every payment method is one of the customer's profile.
    Ensures(Implies(Result(), all_in_profile(call, run)))
    # R6: A booking is paid with at most one certificate.
    Ensures(
        Implies(
            Result(),
            wallet is None
            or sum(1 for payment in call.payment_methods if payment.payment_id in wallet.certificates) <= 1,
        )
    )
    # R6: It is paid with at most one credit card and at most three gift cards.
    Ensures(
        Implies(
            Result(),
            user is None
            or sum(1 for payment in call.payment_methods if payment.payment_id in user.credit_cards) <= 1
            and sum(1 for payment in call.payment_methods if payment.payment_id in user.gift_cards) <= 3,
        )
    )
    # R8: A booking is for at most five passengers.
    Ensures(Implies(Result(), len(call.passengers) <= 5))
    # R10: For each passenger a regular member has no free bag in basic economy, one in economy and two in business.
    Ensures(
        Implies(
            Result() and user is not None and user.membership == "regular",
            call.nonfree_baggages
            == beyond(
                call.total_baggages,
                (0 if call.cabin == "basic_economy" else 1 if call.cabin == "economy" else 2)
                * len(call.passengers),
            ),
        )
    )
    # R11: A silver member has one more.
    Ensures(
        Implies(
            Result() and user is not None and user.membership == "silver",
            call.nonfree_baggages
            == beyond(
                call.total_baggages,
                (1 if call.cabin == "basic_economy" else 2 if call.cabin == "economy" else 3)
                * len(call.passengers),
            ),
        )
    )
    # R12: A gold member has two in basic economy, and else three.
    Ensures(
        Implies(
            Result() and user is not None and user.membership == "gold",
            call.nonfree_baggages
            == beyond(call.total_baggages, (2 if call.cabin == "basic_economy" else 3) * len(call.passengers)),
        )
    )
    # R23: Every other booking is allowed.
    Ensures(
        Implies(
            agreed(run)
            and looked_up(user)
            and (all_cards(call, run) or looked_up(wallet))
            and user is not None
            and all_in_profile(call, run)
            and (
                wallet is None
                or sum(1 for payment in call.payment_methods if payment.payment_id in wallet.certificates) <= 1
            )
            and sum(1 for payment in call.payment_methods if payment.payment_id in user.credit_cards) <= 1
            and sum(1 for payment in call.payment_methods if payment.payment_id in user.gift_cards) <= 3
            and len(call.passengers) <= 5
            and call.nonfree_baggages
            == beyond(call.total_baggages, free_bags(user.membership, call.cabin) * len(call.passengers)),
            Result(),
        )
    )


def contract_bags(call: UpdateReservationBaggages, run: Run) -> None:
    reservation = run.reservation(call.reservation_id)
    # R1: A reservation is changed only after the desk has looked it up.
    Ensures(Implies(Result(), is_known(call.reservation_id, run)))
    # R2: So has it the profile of the customer whose reservation it is.
    Ensures(Implies(Result(), reservation is None or is_customer(reservation.user_id, run)))
    # R3: To pay with a certificate the desk knows which ones are left.
    Ensures(
        Implies(
            reservation is not None
            and not is_card(call.payment_id, reservation.user_id, run)
            and not looked_up(run.wallet(reservation.user_id)),
            not Result(),
        )
    )
    # R4: Nothing is changed to which the customer did not agree.
    Ensures(Implies(not agreed(run), not Result()))
    # R5: The payment method is one of the customer's profile.
    Ensures(
        Implies(Result(), reservation is None or in_profile(call.payment_id, reservation.user_id, run))
    )
    # R9: The bags beyond those that are free for membership, cabin and passengers are paid for, and no others.
    Ensures(
        Implies(
            Result(),
            reservation is None
            or run.user(reservation.user_id) is None
            or call.nonfree_baggages
            == beyond(
                call.total_baggages,
                free_bags(run.user(reservation.user_id).membership, reservation.cabin)
                * len(reservation.passengers),
            ),
        )
    )
    # R17: A change of bags takes none away.
    Ensures(
        Implies(Result(), reservation is None or call.total_baggages >= reservation.total_baggages)
    )
    # R23: Every other change of bags is allowed.
    Ensures(
        Implies(
            agreed(run)
            and is_known(call.reservation_id, run)
            and reservation is not None
            and is_customer(reservation.user_id, run)
            and run.user(reservation.user_id) is not None
            and (is_card(call.payment_id, reservation.user_id, run) or looked_up(run.wallet(reservation.user_id)))
            and in_profile(call.payment_id, reservation.user_id, run)
            and call.total_baggages >= reservation.total_baggages
            and call.nonfree_baggages
            == beyond(
                call.total_baggages,
                free_bags(run.user(reservation.user_id).membership, reservation.cabin)
                * len(reservation.passengers),
            ),
            Result(),
        )
    )


def contract_flights(call: UpdateReservationFlights, run: Run) -> None:
    reservation = run.reservation(call.reservation_id)
    # R1: A reservation is changed only after the desk has looked it up.
    Ensures(Implies(Result(), is_known(call.reservation_id, run)))
    # R2: So has it the profile of the customer whose reservation it is.
    Ensures(Implies(Result(), reservation is None or is_customer(reservation.user_id, run)))
    # R4: Nothing is changed to which the customer did not agree.
    Ensures(Implies(not agreed(run), not Result()))
    # R7: A change of flights is paid with a credit card or a gift card, of the customer's profile.
    Ensures(Implies(Result(), reservation is None or is_card(call.payment_id, reservation.user_id, run)))
    # R13: The flights of a reservation in basic economy are not modified.
    Ensures(
        Implies(
            Result(),
            reservation is None
            or reservation.cabin != "basic_economy"
            or {(flight.flight_number, flight.date) for flight in call.flights}
            == {(flight.flight_number, flight.date) for flight in reservation.flights},
        )
    )
    # R15: A change of flights is to flights that were searched.
    Ensures(Implies(Result(), are_searched(call, run)))
    # R16: It leaves from the same origin and arrives at the same destination.
    Ensures(
        Implies(
            Result(),
            reservation is None
            or leaves(call, run, reservation.origin) and arrives(call, run, reservation.destination),
        )
    )
    # R16: A round trip leaves the destination again and comes back to the origin.
    Ensures(
        Implies(
            Result(),
            reservation is None
            or reservation.flight_type != "round_trip"
            or leaves(call, run, reservation.destination) and arrives(call, run, reservation.origin),
        )
    )
    # R16: A trip of one way does neither.
    Ensures(
        Implies(
            Result(),
            reservation is None
            or reservation.flight_type != "one_way"
            or not leaves(call, run, reservation.destination) and not arrives(call, run, reservation.origin),
        )
    )
    # R14: Its cabin may change if the flights stay the same.
    Ensures(
        Implies(
            agreed(run)
            and is_known(call.reservation_id, run)
            and reservation is not None
            and is_customer(reservation.user_id, run)
            and is_card(call.payment_id, reservation.user_id, run)
            and are_searched(call, run)
            and {(flight.flight_number, flight.date) for flight in call.flights}
            == {(flight.flight_number, flight.date) for flight in reservation.flights}
            and leaves(call, run, reservation.origin)
            and arrives(call, run, reservation.destination)
            and leaves(call, run, reservation.destination) == (reservation.flight_type == "round_trip")
            and arrives(call, run, reservation.origin) == (reservation.flight_type == "round_trip"),
            Result(),
        )
    )
    # R23: Every other change of flights is allowed.
    Ensures(
        Implies(
            agreed(run)
            and is_known(call.reservation_id, run)
            and reservation is not None
            and is_customer(reservation.user_id, run)
            and is_card(call.payment_id, reservation.user_id, run)
            and reservation.cabin != "basic_economy"
            and are_searched(call, run)
            and leaves(call, run, reservation.origin)
            and arrives(call, run, reservation.destination)
            and leaves(call, run, reservation.destination) == (reservation.flight_type == "round_trip")
            and arrives(call, run, reservation.origin) == (reservation.flight_type == "round_trip"),
            Result(),
        )
    )


def contract_passengers(call: UpdateReservationPassengers, run: Run) -> None:
    reservation = run.reservation(call.reservation_id)
    # R1: A reservation is changed only after the desk has looked it up.
    Ensures(Implies(Result(), is_known(call.reservation_id, run)))
    # R4: Nothing is changed to which the customer did not agree.
    Ensures(Implies(not agreed(run), not Result()))
    # R18: The number of passengers stays the same.
    Ensures(
        Implies(Result(), reservation is None or len(call.passengers) == len(reservation.passengers))
    )
    # R23: Every other change of passengers is allowed.
    Ensures(
        Implies(
            agreed(run)
            and is_known(call.reservation_id, run)
            and reservation is not None
            and len(call.passengers) == len(reservation.passengers),
            Result(),
        )
    )


def contract_cancelling(call: CancelReservation, run: Run) -> None:
    reservation = run.reservation(call.reservation_id)
    # R1: A reservation is cancelled only after the desk has looked it up.
    Ensures(Implies(Result(), is_known(call.reservation_id, run)))
    # R4: Nothing is cancelled to which the customer did not agree.
    Ensures(Implies(not agreed(run), not Result()))
    # R19: A reservation is cancelled within 24 hours of booking, or in business, or with insurance.
    Ensures(
        Implies(
            Result(),
            reservation is None
            or call.time - reservation.created_at <= timedelta(hours=24)
            or reservation.cabin == "business"
            or reservation.insurance == "yes",
        )
    )
    # R20: A trip of which a flight was on an earlier day is not cancelled at all, nor one with a flight of this day that is not known to leave later.
    Ensures(Implies(flown_before(call, run) or flown_today(call, run), not Result()))
    # R23: Every other cancellation is allowed.
    Ensures(
        Implies(
            agreed(run)
            and is_known(call.reservation_id, run)
            and reservation is not None
            and (
                call.time - reservation.created_at <= timedelta(hours=24)
                or reservation.cabin == "business"
                or reservation.insurance == "yes"
            )
            and not flown_before(call, run)
            and not flown_today(call, run),
            Result(),
        )
    )


def contract_certificates(call: SendCertificate, run: Run) -> None:
    seen = run.last(run.earlier(GetReservationDetails))
    user = run.user(call.user_id)
    # R2: A certificate is sent only after the desk has looked up the customer's profile.
    Ensures(Implies(Result(), is_customer(call.user_id, run)))
    # R22: It is for the reservation that the desk looked up last, which is one of the customer's own.
    Ensures(
        Implies(
            Result(),
            seen is not None
            and is_known(seen.reservation_id, run)
            and run.reservation(seen.reservation_id) is not None
            and run.reservation(seen.reservation_id).user_id == call.user_id,
        )
    )
    # R21: It is 50 or 100 dollars for each passenger.
    Ensures(
        Implies(
            Result(),
            seen is None
            or run.reservation(seen.reservation_id) is None
            or call.amount == Decimal("50") * len(run.reservation(seen.reservation_id).passengers)
            or call.amount == Decimal("100") * len(run.reservation(seen.reservation_id).passengers),
        )
    )
    # R21: Regular members get it only with insurance or in business.
    Ensures(
        Implies(
            user is not None
            and user.membership == "regular"
            and seen is not None
            and run.reservation(seen.reservation_id) is not None
            and run.reservation(seen.reservation_id).insurance == "no"
            and run.reservation(seen.reservation_id).cabin != "business",
            not Result(),
        )
    )
    # R24: No customer gets a second certificate in one conversation.
    Ensures(
        Implies(
            any(c.user_id == call.user_id and not c.failed for c in run.earlier(SendCertificate)),
            not Result(),
        )
    )
    # R23: Every other certificate is allowed.
    Ensures(
        Implies(
            is_customer(call.user_id, run)
            and not compensated(call, run)
            and user is not None
            and seen is not None
            and is_known(seen.reservation_id, run)
            and run.reservation(seen.reservation_id) is not None
            and run.reservation(seen.reservation_id).user_id == call.user_id
            and (
                user.membership != "regular"
                or run.reservation(seen.reservation_id).insurance == "yes"
                or run.reservation(seen.reservation_id).cabin == "business"
            )
            and (
                call.amount == Decimal("50") * len(run.reservation(seen.reservation_id).passengers)
                or call.amount == Decimal("100") * len(run.reservation(seen.reservation_id).passengers)
            ),
            Result(),
        )
    )


def theorem_looked_up(run: Run) -> bool:
    """In no run is a reservation changed before it was looked up."""
    return all(
        looked_up(run.before(c).reservation(c.reservation_id))
        and run.before(c).reservation(c.reservation_id) is not None
        for c in run.calls(
            CancelReservation, UpdateReservationBaggages, UpdateReservationFlights, UpdateReservationPassengers
        )
    )


def theorem_compensated_once(run: Run) -> bool:
    """In no run does a customer get a second certificate."""
    return all(
        not any(e.user_id == c.user_id and e.succeeded for e in run.before(c).earlier(SendCertificate))
        for c in run.calls(SendCertificate)
    )


def theorem_methods(run: Run) -> bool:
    """In no run is a change paid with a method that is not in the profile of the customer."""
    return all(
        run.before(c).reservation(c.reservation_id) is None
        or in_profile(c.payment_id, run.before(c).reservation(c.reservation_id).user_id, run.before(c))
        for c in run.calls(UpdateReservationBaggages, UpdateReservationFlights)
    ) and all(all_in_profile(c, run.before(c)) for c in run.calls(BookReservation))
