"""The calls, records and context of the agent, for editors; `workbench stub` writes this file."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date as _date
from datetime import datetime, time
from datetime import time as _time
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

_Earlier = TypeVar("_Earlier", covariant=True)

class Text(str):
    """A text of a call or of its run."""

    source: frozenset[str]
    """The places of the run that it came from, before its own call."""
    def source_before(self, call: _Outcome, /) -> frozenset[str]:
        """The places that it came from before this earlier call."""
    def sentences_with(self, value: str | int | Decimal, /) -> Text:
        """Its sentences in which this value stands."""
    agreement: frozenset[Text]
    """Only of Run.last_said."""

@dataclass(frozen=True)
class Call:
    """A call of any tool."""

    tool: str
    time: _Time

@dataclass(frozen=True)
class _Outcome:
    succeeded: bool
    failed: bool
    approved: bool
    result: Text

class _Time(datetime):
    """A point in time, with its parts."""

    @property
    def date(self) -> _date: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    @property
    def time(self) -> _time: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    @property
    def weekday(self) -> int: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]

class _Of(Generic[_Earlier]): ...
class _Record: ...

@dataclass(frozen=True)
class BookReservationFlightsItem:
    """An array of objects containing details about each piece of flight."""

    flight_number: Text
    """Flight number, such as 'HAT001'."""
    date: _date
    """The date for the flight in the format 'YYYY-MM-DD', such as '2024-05-01'."""

@dataclass(frozen=True)
class BookReservationPassengersItem:
    """An array of objects containing details about each passenger."""

    first_name: Text
    """The first name of the passenger, such as 'Noah'."""
    last_name: Text
    """The last name of the passenger, such as 'Brown'."""
    dob: Text
    """The date of birth of the passenger in the format 'YYYY-MM-DD', such as '1990-01-01'."""

@dataclass(frozen=True)
class BookReservationPaymentMethodsItem:
    """An array of objects containing details about each payment method."""

    amount: Decimal
    """The amount to be paid."""
    payment_id: Text
    """The payment id stored in user profile, such as 'credit_card_7815826', 'gift_card_7815826',
    'certificate_7815826'.
    """

@dataclass(frozen=True)
class BookReservation(Call, _Of[EarlierBookReservation]):
    """Book a reservation."""

    tool: Literal["book_reservation"]
    origin: Text
    """The IATA code for the origin city, such as 'SFO'."""
    destination: Text
    """The IATA code for the destination city, such as 'JFK'."""
    flight_type: Literal["one_way", "round_trip"]
    cabin: Literal["basic_economy", "economy", "business"]
    insurance: Literal["yes", "no"]
    user_id: Text
    """The ID of the user to book the reservation, such as 'sara_doe_496'."""
    flights: tuple[BookReservationFlightsItem, ...]
    """An array of objects containing details about each piece of flight."""
    passengers: tuple[BookReservationPassengersItem, ...]
    """An array of objects containing details about each passenger."""
    payment_methods: tuple[BookReservationPaymentMethodsItem, ...]
    """An array of objects containing details about each payment method."""
    total_baggages: int
    """The total number of baggage items included in the reservation."""
    nonfree_baggages: int
    """The number of non-free baggage items included in the reservation."""

@dataclass(frozen=True)
class EarlierBookReservation(BookReservation, _Outcome): ...

@dataclass(frozen=True)
class Calculate(Call, _Of[EarlierCalculate]):
    """Calculate the result of a mathematical expression."""

    tool: Literal["calculate"]
    expression: Text
    """The mathematical expression to calculate, such as '2 + 2'. The expression can contain numbers,
    operators (+, -, *, /), parentheses, and spaces.
    """

@dataclass(frozen=True)
class EarlierCalculate(Calculate, _Outcome): ...

@dataclass(frozen=True)
class CancelReservation(Call, _Of[EarlierCancelReservation]):
    """Cancel the whole reservation."""

    tool: Literal["cancel_reservation"]
    reservation_id: Text
    """The reservation ID, such as 'ZFA04Y'."""

@dataclass(frozen=True)
class EarlierCancelReservation(CancelReservation, _Outcome): ...

@dataclass(frozen=True)
class GetReservationDetails(Call, _Of[EarlierGetReservationDetails]):
    """Get the details of a reservation."""

    tool: Literal["get_reservation_details"]
    reservation_id: Text
    """The reservation id, such as '8JX2WO'."""

@dataclass(frozen=True)
class EarlierGetReservationDetails(GetReservationDetails, _Outcome): ...

@dataclass(frozen=True)
class GetUserDetails(Call, _Of[EarlierGetUserDetails]):
    """Get the details of an user, including their reservations."""

    tool: Literal["get_user_details"]
    user_id: Text
    """The user id, such as 'sara_doe_496'."""

@dataclass(frozen=True)
class EarlierGetUserDetails(GetUserDetails, _Outcome): ...

@dataclass(frozen=True)
class ListAllAirports(Call, _Of[EarlierListAllAirports]):
    """List all airports and their cities."""

    tool: Literal["list_all_airports"]

@dataclass(frozen=True)
class EarlierListAllAirports(ListAllAirports, _Outcome): ...

@dataclass(frozen=True)
class SearchDirectFlight(Call, _Of[EarlierSearchDirectFlight]):
    """Search direct flights between two cities on a specific date."""

    tool: Literal["search_direct_flight"]
    origin: Text
    """The origin city airport in three letters, such as 'JFK'."""
    destination: Text
    """The destination city airport in three letters, such as 'LAX'."""
    date: Text
    """The date of the flight in the format 'YYYY-MM-DD', such as '2024-01-01'."""

@dataclass(frozen=True)
class EarlierSearchDirectFlight(SearchDirectFlight, _Outcome): ...

@dataclass(frozen=True)
class SearchOnestopFlight(Call, _Of[EarlierSearchOnestopFlight]):
    """Search direct flights between two cities on a specific date."""

    tool: Literal["search_onestop_flight"]
    origin: Text
    """The origin city airport in three letters, such as 'JFK'."""
    destination: Text
    """The destination city airport in three letters, such as 'LAX'."""
    date: Text
    """The date of the flight in the format 'YYYY-MM-DD', such as '2024-05-01'."""

@dataclass(frozen=True)
class EarlierSearchOnestopFlight(SearchOnestopFlight, _Outcome): ...

@dataclass(frozen=True)
class SendCertificate(Call, _Of[EarlierSendCertificate]):
    """Send a certificate to a user. Be careful!"""

    tool: Literal["send_certificate"]
    amount: Decimal
    """Certificate amount to send."""
    user_id: Text
    """The ID of the user to book the reservation, such as 'sara_doe_496'."""

@dataclass(frozen=True)
class EarlierSendCertificate(SendCertificate, _Outcome): ...

@dataclass(frozen=True)
class Think(Call, _Of[EarlierThink]):
    """Use the tool to think about something. It will not obtain new information or change the database, but
    just append the thought to the log. Use it when complex reasoning is needed.
    """

    tool: Literal["think"]
    thought: Text
    """A thought to think about."""

@dataclass(frozen=True)
class EarlierThink(Think, _Outcome): ...

@dataclass(frozen=True)
class TransferToHumanAgents(Call, _Of[EarlierTransferToHumanAgents]):
    """Transfer the user to a human agent, with a summary of the user's issue. Only transfer if the user
    explicitly asks for a human agent, or if the user's issue cannot be resolved by the agent with the
    available tools.
    """

    tool: Literal["transfer_to_human_agents"]
    summary: Text
    """A summary of the user's issue."""

@dataclass(frozen=True)
class EarlierTransferToHumanAgents(TransferToHumanAgents, _Outcome): ...

@dataclass(frozen=True)
class UpdateReservationBaggages(Call, _Of[EarlierUpdateReservationBaggages]):
    """Update the baggage information of a reservation."""

    tool: Literal["update_reservation_baggages"]
    reservation_id: Text
    """The reservation ID, such as 'ZFA04Y'."""
    total_baggages: int
    """The updated total number of baggage items included in the reservation."""
    nonfree_baggages: int
    """The updated number of non-free baggage items included in the reservation."""
    payment_id: Text
    """The payment id stored in user profile, such as 'credit_card_7815826', 'gift_card_7815826',
    'certificate_7815826'.
    """

@dataclass(frozen=True)
class EarlierUpdateReservationBaggages(UpdateReservationBaggages, _Outcome): ...

@dataclass(frozen=True)
class UpdateReservationFlightsFlightsItem:
    """An array of objects containing details about each piece of flight in the ENTIRE new reservation. Even
    if the a flight segment is not changed, it should still be included in the array.
    """

    flight_number: Text
    """Flight number, such as 'HAT001'."""
    date: _date
    """The date for the flight in the format 'YYYY-MM-DD', such as '2024-05-01'."""

@dataclass(frozen=True)
class UpdateReservationFlights(Call, _Of[EarlierUpdateReservationFlights]):
    """Update the flight information of a reservation."""

    tool: Literal["update_reservation_flights"]
    reservation_id: Text
    """The reservation ID, such as 'ZFA04Y'."""
    cabin: Literal["basic_economy", "economy", "business"]
    flights: tuple[UpdateReservationFlightsFlightsItem, ...]
    """An array of objects containing details about each piece of flight in the ENTIRE new reservation. Even
    if the a flight segment is not changed, it should still be included in the array.
    """
    payment_id: Text
    """The payment id stored in user profile, such as 'credit_card_7815826', 'gift_card_7815826',
    'certificate_7815826'.
    """

@dataclass(frozen=True)
class EarlierUpdateReservationFlights(UpdateReservationFlights, _Outcome): ...

@dataclass(frozen=True)
class UpdateReservationPassengersPassengersItem:
    """An array of objects containing details about each passenger."""

    first_name: Text
    """The first name of the passenger, such as 'Noah'."""
    last_name: Text
    """The last name of the passenger, such as 'Brown'."""
    dob: Text
    """The date of birth of the passenger in the format 'YYYY-MM-DD', such as '1990-01-01'."""

@dataclass(frozen=True)
class UpdateReservationPassengers(Call, _Of[EarlierUpdateReservationPassengers]):
    """Update the passenger information of a reservation."""

    tool: Literal["update_reservation_passengers"]
    reservation_id: Text
    """The reservation ID, such as 'ZFA04Y'."""
    passengers: tuple[UpdateReservationPassengersPassengersItem, ...]
    """An array of objects containing details about each passenger."""

@dataclass(frozen=True)
class EarlierUpdateReservationPassengers(UpdateReservationPassengers, _Outcome): ...

@dataclass(frozen=True)
class Segment:
    """a segment"""

    flight_number: Text
    date: _date

@dataclass(frozen=True)
class Route(_Record):
    """a route"""

    origin: Text
    destination: Text

@dataclass(frozen=True)
class Flight(_Record):
    """a flight"""

    departure: time

@dataclass(frozen=True)
class Passenger:
    """a passenger"""

    last_name: Text

@dataclass(frozen=True)
class User(_Record):
    """an user"""

    membership: Literal["regular", "silver", "gold"]
    credit_cards: frozenset[Text]
    gift_cards: frozenset[Text]

@dataclass(frozen=True)
class Wallet(_Record):
    """a wallet"""

    certificates: frozenset[Text]

@dataclass(frozen=True)
class Reservation(_Record):
    """a reservation"""

    user_id: Text
    origin: Text
    destination: Text
    flight_type: Literal["one_way", "round_trip"]
    cabin: Literal["basic_economy", "economy", "business"]
    created_at: _Time
    insurance: Literal["yes", "no"]
    flights: tuple[Segment, ...]
    passengers: tuple[Passenger, ...]
    total_baggages: int

@dataclass(frozen=True)
class Context:
    """What the application says of the call."""

class Run:
    """The run of the agent before the call."""

    context: Context
    said: Text
    """All that the user has said in the run."""
    last_said: Text
    """What the user has said last."""
    first_said: Text
    """The first message of the user, which an application's template writes."""
    def earlier(self, *tools: type[_Of[_Earlier]]) -> tuple[_Earlier, ...]:
        """The earlier calls of these tools in the run, in order."""
    def last(self, calls: Iterable[_Earlier], /) -> _Earlier | Any:
        """The last of these calls; None if there is none."""
    def since(self, calls: Iterable[Call] | _Outcome, /) -> Run:
        """The part of the run after this call, or the last of these, or all of it."""
    def until(self, calls: Iterable[Call] | _Outcome, /) -> Run:
        """The part of the run before this call, or the first of these, or all of it."""
    def calls(self, *tools: type[_Of[_Earlier]]) -> tuple[_Earlier, ...]:
        """In a theorem: the calls of these tools in the whole run that were allowed."""
    def before(self, call: Call, /) -> Run:
        """In a theorem: the run as it was when this call was decided."""
    def route(self, key: str, /, *, as_of: _Outcome = ...) -> Route | Any:
        """The route with this key, as known now or as_of a call; None if there is none."""
    def flight(self, key: str, /, *, as_of: _Outcome = ...) -> Flight | Any:
        """The flight with this key, as known now or as_of a call; None if there is none."""
    def user(self, key: str, /, *, as_of: _Outcome = ...) -> User | Any:
        """The user with this key, as known now or as_of a call; None if there is none."""
    def wallet(self, key: str, /, *, as_of: _Outcome = ...) -> Wallet | Any:
        """The wallet with this key, as known now or as_of a call; None if there is none."""
    def reservation(self, key: str, /, *, as_of: _Outcome = ...) -> Reservation | Any:
        """The reservation with this key, as known now or as_of a call; None if there is none."""

def looked_up(record: _Record | None, /) -> bool:
    """Whether the run looked this record up, so that it is known or known to be absent."""
