"""The airline desk: an agent with records, four rules about its calls, and rules over plain arguments."""

from __future__ import annotations

from tests.dialect.lowered_agents import lowered_agent
from workbench.model import AgentSpec
from workbench.policy.terms import PolicyTerms
from workbench.session.agent_file import read_agent

AIRLINE = """
name = "airline desk"
zone = "-05:00"
as_of = "2024-05-15T15:00:00"

[tools.book_reservation.parameters]
type = "object"
required = ["user_id", "payment_methods"]
[tools.book_reservation.parameters.properties]
user_id = {type = "string"}
origin = {type = "string"}
destination = {type = "string"}
flight_type = {type = "string"}
cabin = {type = "string"}
insurance = {type = "string"}
passengers = {type = "array", items = {type = "object"}}
total_baggages = {type = "integer"}
nonfree_baggages = {type = "integer"}
[tools.book_reservation.parameters.properties.flights]
type = "array"
items = {type = "object"}
[tools.book_reservation.parameters.properties.payment_methods]
type = "array"
[tools.book_reservation.parameters.properties.payment_methods.items]
type = "object"
required = ["payment_id"]
properties = {payment_id = {type = "string"}, amount = {type = "number"}}
[tools.update_reservation_flights.parameters]
type = "object"
required = ["reservation_id", "flights"]
[tools.update_reservation_flights.parameters.properties]
reservation_id = {type = "string"}
cabin = {type = "string"}
payment_id = {type = "string"}
[tools.update_reservation_flights.parameters.properties.flights]
type = "array"
[tools.update_reservation_flights.parameters.properties.flights.items]
type = "object"
required = ["flight_number", "date"]
properties = {flight_number = {type = "string"}, date = {type = "string"}}
[tools.cancel_reservation.parameters]
type = "object"
properties = {reservation_id = {type = "string"}}
required = ["reservation_id"]
[tools.get_reservation_details.parameters]
type = "object"
properties = {reservation_id = {type = "string"}}
required = ["reservation_id"]
[tools.get_user_details]
parameters = {type = "object", properties = {user_id = {type = "string"}}, required = ["user_id"]}
[tools.calculate]
[tools.list_all_airports]
[tools.search_direct_flight]
[tools.search_onestop_flight]
[tools.send_certificate]
[tools.think]
[tools.transfer_to_human_agents]
[tools.update_reservation_baggages]
[tools.update_reservation_passengers]

[records.flight]
fields.flight_number = {type = "str"}
fields.date = {type = "str"}

[records.user]
key = "user_id"
fields.membership = {type = "enum", values = ["regular", "silver", "gold"]}
fields.payment_ids = {type = "set", path = "payment_methods[*].id"}
fields.certificates = {type = "set", path = "payment_methods[*].id", where = {source = "certificate"}}
fields.cards = {type = "set", path = "payment_methods[*].id", where = {source = "credit_card"}}
fields.gift_cards = {type = "set", path = "payment_methods[*].id", where = {source = "gift_card"}}
look_up = {tool = "get_user_details", arguments = {user_id = "key"}}
changed_by = ["book_reservation"]
errors = ["^Error"]
absent = ["user not found"]

[records.reservation]
key = "reservation_id"
fields.user_id = {type = "str"}
fields.cabin = {type = "enum", values = ["basic_economy", "economy", "business"]}
fields.created_at = {type = "datetime"}
fields.insurance = {type = "enum", values = ["yes", "no"]}
fields.flights = {type = "list", of = "flight"}
look_up = {tool = "get_reservation_details", arguments = {reservation_id = "key"}}
errors = ["^Error"]
absent = ["reservation not found"]
[records.reservation.results]
book_reservation = "$"
cancel_reservation = "$"
update_reservation_baggages = "$"
update_reservation_flights = "$"
update_reservation_passengers = "$"
"""


WRITTEN = '''
"""Rules of the airline desk."""

from datetime import timedelta

from agent import BookReservation, CancelReservation, Run, UpdateReservationFlights

DEFAULT = "allow"


def forbid_payment_not_in_profile(call: BookReservation, run: Run) -> bool:
    """R1: Every payment method of a booking is in the profile of the user."""
    user = run.user(call.user_id)
    return user is None or any(one.payment_id not in user.payment_ids for one in call.payment_methods)


def forbid_two_certificates(call: BookReservation, run: Run) -> bool:
    """R2: At most one certificate."""
    user = run.user(call.user_id)
    if user is None:
        return False
    return sum(1 for one in call.payment_methods if one.payment_id in user.certificates) > 1


def forbid_changed_flights(call: UpdateReservationFlights, run: Run) -> bool:
    """R3: Basic economy flights are not modified."""
    reservation = run.reservation(call.reservation_id)
    return reservation is None or (
        reservation.cabin == "basic_economy"
        and {(one.flight_number, one.date) for one in call.flights}
        != {(one.flight_number, one.date) for one in reservation.flights}
    )


def forbid_late_cancellation(call: CancelReservation, run: Run) -> bool:
    """R4: Within 24 hours, or business, or insured."""
    reservation = run.reservation(call.reservation_id)
    return reservation is None or (
        call.time - reservation.created_at > timedelta(hours=24)
        and reservation.cabin != "business"
        and reservation.insurance != "yes"
    )
'''
CLAUSE = '    Ensures(Implies(Result() and action == "book_reservation", user is not None))  # R1\n'
"""The only clause of the policy."""
POLICY = '''
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result


@dataclass(frozen=True)
class Payment:
    payment_id: str


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


def forbid_payment_not_in_profile(action: str, payments: tuple[Payment, ...], user: User | None) -> bool:
    """R1: Every payment method of a booking is in the profile of the user."""
    return action == "book_reservation" and (
        user is None or any(payment.payment_id not in user.payment_ids for payment in payments)
    )


def forbid_two_certificates(action: str, payments: tuple[Payment, ...], user: User | None) -> bool:
    """R1: At most one certificate."""
    return (
        action == "book_reservation"
        and user is not None
        and sum(1 for payment in payments if payment.payment_id in user.certificates) > 1
    )


def forbid_changed_flights(action: str, flights: tuple[Flight, ...], reservation: Reservation | None) -> bool:
    """R2: Basic economy flights are not modified."""
    return action == "update_reservation_flights" and (
        reservation is None
        or (
            reservation.cabin == "basic_economy"
            and {(flight.flight_number, flight.date) for flight in flights}
            != {(flight.flight_number, flight.date) for flight in reservation.flights}
        )
    )


def forbid_late_cancellation(action: str, now: datetime, reservation: Reservation | None) -> bool:
    """R3: Within 24 hours, or business, or insured."""
    return action == "cancel_reservation" and (
        reservation is None
        or (
            now - reservation.created_at > timedelta(hours=24)
            and reservation.cabin != "business"
            and reservation.insurance != "yes"
        )
    )


def allow(
    action: str,
    payments: tuple[Payment, ...],
    user: User | None,
    flights: tuple[Flight, ...],
    now: datetime,
    reservation: Reservation | None,
) -> bool:
    Ensures(Implies(Result() and action == "book_reservation", user is not None))  # R1
    return not (
        forbid_payment_not_in_profile(action, payments, user)
        or forbid_two_certificates(action, payments, user)
        or forbid_changed_flights(action, flights, reservation)
        or forbid_late_cancellation(action, now, reservation)
    )
'''


def airline_spec() -> AgentSpec:
    """The spec of the airline desk."""
    return read_agent(AIRLINE)


def airline_desk() -> tuple[PolicyTerms, AgentSpec]:
    """What the policy comes to, and the desk with the arguments that it takes."""
    return lowered_agent(AIRLINE, WRITTEN)
