"""The calls, records and context of the agent, for editors; `workbench stub` writes this file."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date as _date
from datetime import datetime
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
class GetTrip(Call, _Of[EarlierGetTrip]):
    """What is planned: who travels, which cost centre pays, and when a manager approved it."""

    tool: Literal["get_trip"]
    trip_id: Text

@dataclass(frozen=True)
class EarlierGetTrip(GetTrip, _Outcome): ...

@dataclass(frozen=True)
class GetCostCentre(Call, _Of[EarlierGetCostCentre]):
    """What a cost centre has left this quarter, in EUR."""

    tool: Literal["get_cost_centre"]
    cost_centre: Text

@dataclass(frozen=True)
class EarlierGetCostCentre(GetCostCentre, _Outcome): ...

@dataclass(frozen=True)
class GetSupplier(Call, _Of[EarlierGetSupplier]):
    """A supplier as the register has it, with its account."""

    tool: Literal["get_supplier"]
    supplier_id: Text

@dataclass(frozen=True)
class EarlierGetSupplier(GetSupplier, _Outcome): ...

@dataclass(frozen=True)
class GetBooking(Call, _Of[EarlierGetBooking]):
    """A room or a journey that was booked."""

    tool: Literal["get_booking"]
    booking_id: Text

@dataclass(frozen=True)
class EarlierGetBooking(GetBooking, _Outcome): ...

@dataclass(frozen=True)
class GetEmployee(Call, _Of[EarlierGetEmployee]):
    """Name, mail address and cost centre of an employee."""

    tool: Literal["get_employee"]
    employee_id: Text

@dataclass(frozen=True)
class EarlierGetEmployee(GetEmployee, _Outcome): ...

@dataclass(frozen=True)
class ListMail(Call, _Of[EarlierListMail]):
    """The mail about a trip: ids, senders, subjects."""

    tool: Literal["list_mail"]
    trip_id: Text

@dataclass(frozen=True)
class EarlierListMail(ListMail, _Outcome): ...

@dataclass(frozen=True)
class ReadMail(Call, _Of[EarlierReadMail]):
    """One mail with its text."""

    tool: Literal["read_mail"]
    mail_id: Text

@dataclass(frozen=True)
class EarlierReadMail(ReadMail, _Outcome): ...

@dataclass(frozen=True)
class SearchJourneys(Call, _Of[EarlierSearchJourneys]):
    """Flights and trains of a day."""

    tool: Literal["search_journeys"]
    origin: Text
    destination: Text
    date: Text
    """YYYY-MM-DD"""

@dataclass(frozen=True)
class EarlierSearchJourneys(SearchJourneys, _Outcome): ...

@dataclass(frozen=True)
class SearchRooms(Call, _Of[EarlierSearchRooms]):
    """Rooms of a city that are free."""

    tool: Literal["search_rooms"]
    city: Text
    check_in: Text
    """YYYY-MM-DD"""
    nights: int

@dataclass(frozen=True)
class EarlierSearchRooms(SearchRooms, _Outcome): ...

@dataclass(frozen=True)
class BookJourneyLegsItem:
    number: Text
    """of the flight or train, with its day"""
    cabin: Literal["economy", "business"]
    minutes: int
    """from departure to arrival"""

@dataclass(frozen=True)
class BookJourney(Call, _Of[EarlierBookJourney]):
    """Books all legs of a journey for some travellers."""

    tool: Literal["book_journey"]
    trip_id: Text
    travellers: tuple[Text, ...]
    """ids of employees"""
    legs: tuple[BookJourneyLegsItem, ...]

@dataclass(frozen=True)
class EarlierBookJourney(BookJourney, _Outcome): ...

@dataclass(frozen=True)
class BookRoom(Call, _Of[EarlierBookRoom]):
    """Books rooms in one hotel for some travellers."""

    tool: Literal["book_room"]
    trip_id: Text
    travellers: tuple[Text, ...]
    """ids of employees"""
    supplier_id: Text
    check_in: Text
    """YYYY-MM-DD"""
    nights: int

@dataclass(frozen=True)
class EarlierBookRoom(BookRoom, _Outcome): ...

@dataclass(frozen=True)
class CancelBooking(Call, _Of[EarlierCancelBooking]):
    """Cancels a room or a journey."""

    tool: Literal["cancel_booking"]
    booking_id: Text

@dataclass(frozen=True)
class EarlierCancelBooking(CancelBooking, _Outcome): ...

@dataclass(frozen=True)
class PayInvoiceLinesItem:
    text: Text
    amount: Decimal
    cost_centre: Text

@dataclass(frozen=True)
class PayInvoice(Call, _Of[EarlierPayInvoice]):
    """Pays an invoice of a supplier by bank transfer, in EUR."""

    tool: Literal["pay_invoice"]
    trip_id: Text
    supplier_id: Text
    invoice: Text
    """the supplier's number of it"""
    iban: Text
    """the account that the money goes to"""
    total: Decimal
    lines: tuple[PayInvoiceLinesItem, ...]

@dataclass(frozen=True)
class EarlierPayInvoice(PayInvoice, _Outcome): ...

@dataclass(frozen=True)
class ChangeSupplierAccount(Call, _Of[EarlierChangeSupplierAccount]):
    """Writes another account into the register of suppliers."""

    tool: Literal["change_supplier_account"]
    supplier_id: Text
    iban: Text

@dataclass(frozen=True)
class EarlierChangeSupplierAccount(ChangeSupplierAccount, _Outcome): ...

@dataclass(frozen=True)
class SendMail(Call, _Of[EarlierSendMail]):
    """Sends a mail to an employee or a supplier."""

    tool: Literal["send_mail"]
    to: Text
    subject: Text
    text: Text

@dataclass(frozen=True)
class EarlierSendMail(SendMail, _Outcome): ...

@dataclass(frozen=True)
class Trip(_Record):
    """a trip"""

    cost_centre: Text
    approved_at: _Time | Any
    """None if it has none."""
    travellers: frozenset[Text]

@dataclass(frozen=True)
class CostCentre(_Record):
    """a cost centre"""

    left: Decimal

@dataclass(frozen=True)
class Supplier(_Record):
    """a supplier"""

    iban: Text

@dataclass(frozen=True)
class Booking(_Record):
    """a booking"""

    kind: Literal["room", "journey"]
    starts_at: _Time

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
    def trip(self, key: str, /, *, as_of: _Outcome = ...) -> Trip | Any:
        """The trip with this key, as known now or as_of a call; None if there is none."""
    def cost_centre(self, key: str, /, *, as_of: _Outcome = ...) -> CostCentre | Any:
        """The cost centre with this key, as known now or as_of a call; None if there is none."""
    def supplier(self, key: str, /, *, as_of: _Outcome = ...) -> Supplier | Any:
        """The supplier with this key, as known now or as_of a call; None if there is none."""
    def booking(self, key: str, /, *, as_of: _Outcome = ...) -> Booking | Any:
        """The booking with this key, as known now or as_of a call; None if there is none."""

def looked_up(record: _Record | None, /) -> bool:
    """Whether the run looked this record up, so that it is known or known to be absent."""
