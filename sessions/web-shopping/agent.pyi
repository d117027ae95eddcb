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
    action: Literal["buy_or_rent_car", "search_media", "book_hotel", "apply_for_job", "purchase", "book_flight", "other"]
    """what the agent is doing Only of Run.said."""
    age: int
    """the user's age in years Only of Run.first_said."""
    domestic: bool
    """whether the user lives in the country Only of Run.first_said."""
    dr_license: bool
    """whether the user holds a driver's licence Only of Run.first_said."""
    vaccine: bool
    """whether the user is vaccinated Only of Run.first_said."""
    membership: bool
    """whether the user is a member Only of Run.first_said."""

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
class ReserveCar(Call, _Of[EarlierReserveCar]):
    """Reserves a car to buy or rent."""

    tool: Literal["reserve_car"]
    model: Text
    town: Text

@dataclass(frozen=True)
class EarlierReserveCar(ReserveCar, _Outcome): ...

@dataclass(frozen=True)
class SearchMedia(Call, _Of[EarlierSearchMedia]):
    """Searches films, music and videos."""

    tool: Literal["search_media"]
    title: Text

@dataclass(frozen=True)
class EarlierSearchMedia(SearchMedia, _Outcome): ...

@dataclass(frozen=True)
class BookRoom(Call, _Of[EarlierBookRoom]):
    """Books a hotel room."""

    tool: Literal["book_room"]
    town: Text
    nights: int

@dataclass(frozen=True)
class EarlierBookRoom(BookRoom, _Outcome): ...

@dataclass(frozen=True)
class SendApplication(Call, _Of[EarlierSendApplication]):
    """Sends a job application."""

    tool: Literal["send_application"]
    job: Text
    town: Text

@dataclass(frozen=True)
class EarlierSendApplication(SendApplication, _Outcome): ...

@dataclass(frozen=True)
class AddToCart(Call, _Of[EarlierAddToCart]):
    """Puts a product into the cart."""

    tool: Literal["add_to_cart"]
    product: Text
    count: int

@dataclass(frozen=True)
class EarlierAddToCart(AddToCart, _Outcome): ...

@dataclass(frozen=True)
class BookSeat(Call, _Of[EarlierBookSeat]):
    """Books a seat on a flight."""

    tool: Literal["book_seat"]
    from_: Text
    to: Text

@dataclass(frozen=True)
class EarlierBookSeat(BookSeat, _Outcome): ...

@dataclass(frozen=True)
class OpenPage(Call, _Of[EarlierOpenPage]):
    """Opens a page of the shop."""

    tool: Literal["open_page"]
    page: Text

@dataclass(frozen=True)
class EarlierOpenPage(OpenPage, _Outcome): ...

@dataclass(frozen=True)
class Act(Call, _Of[EarlierAct]):
    """Does what the output says: an element of the page, and what to do with it."""

    tool: Literal["act"]
    output: Text

@dataclass(frozen=True)
class EarlierAct(Act, _Outcome): ...

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

def looked_up(record: _Record | None, /) -> bool:
    """Whether the run looked this record up, so that it is known or known to be absent."""
