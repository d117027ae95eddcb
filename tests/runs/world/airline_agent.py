"""The airline desk as an agent spec: the records of its world, and the arguments of three rules."""

from __future__ import annotations

from workbench.model import AgentSpec
from workbench.session.agent_file import read_agent

AIRLINE = """
name = "airline desk"
zone = "-05:00"

[records.payment]
fields.payment_id = {type = "str"}
fields.amount = {type = "int"}

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

[arguments.action]
type = "str"
extract = {method = "jsonpath", path = "$.tool"}
[arguments.payments]
type = "list"
of = "payment"
extract = {method = "jsonpath", path = "$.arguments.payment_methods"}
[arguments.payment_id]
type = "str"
optional = true
extract = {method = "jsonpath", path = "$.arguments.payment_id"}
[arguments.flights]
type = "list"
of = "flight"
extract = {method = "jsonpath", path = "$.arguments.flights"}
[arguments.reservation]
extract = {method = "record", record = "reservation", key = "$.arguments.reservation_id"}
[arguments.user]
extract = {method = "record", record = "user", key = ["$.arguments.user_id", "reservation.user_id"]}
[arguments.new_flights]
extract = {method = "difference", path = "$.arguments.flights", of = "reservation.flights"}
[arguments.now]
extract = {method = "now", value = "2024-05-15T15:00:00"}
"""


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
