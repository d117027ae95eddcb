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
    amounts: tuple[Decimal, ...]
    """Only of Run.said."""
    words: frozenset[Text]
    """Only of Run.said."""
    payees: frozenset[Text]
    """Only of GetMostRecentTransactions.result, GetScheduledTransactions.result."""
    payers: frozenset[Text]
    """Only of GetMostRecentTransactions.result."""
    billed_accounts: frozenset[Text]
    """Only of ReadFile.result."""

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
class GetIban(Call, _Of[EarlierGetIban]):
    """Get the IBAN of the current bank account."""

    tool: Literal["get_iban"]

@dataclass(frozen=True)
class EarlierGetIban(GetIban, _Outcome): ...

@dataclass(frozen=True)
class SendMoney(Call, _Of[EarlierSendMoney]):
    """Sends a transaction to the recipient."""

    tool: Literal["send_money"]
    recipient: Text
    amount: Decimal
    subject: Text
    date: Text

@dataclass(frozen=True)
class EarlierSendMoney(SendMoney, _Outcome): ...

@dataclass(frozen=True)
class ScheduleTransaction(Call, _Of[EarlierScheduleTransaction]):
    """Schedule a transaction."""

    tool: Literal["schedule_transaction"]
    recipient: Text
    amount: Decimal
    subject: Text
    date: Text
    recurring: bool

@dataclass(frozen=True)
class EarlierScheduleTransaction(ScheduleTransaction, _Outcome): ...

@dataclass(frozen=True)
class UpdateScheduledTransaction(Call, _Of[EarlierUpdateScheduledTransaction]):
    """Update a scheduled transaction."""

    tool: Literal["update_scheduled_transaction"]
    id: int
    recipient: Text | None
    amount: Decimal | None
    subject: Text | None
    date: Text | None
    recurring: bool | None

@dataclass(frozen=True)
class EarlierUpdateScheduledTransaction(UpdateScheduledTransaction, _Outcome): ...

@dataclass(frozen=True)
class GetBalance(Call, _Of[EarlierGetBalance]):
    """Get the balance of the account."""

    tool: Literal["get_balance"]

@dataclass(frozen=True)
class EarlierGetBalance(GetBalance, _Outcome): ...

@dataclass(frozen=True)
class GetMostRecentTransactions(Call, _Of[EarlierGetMostRecentTransactions]):
    """Get the list of the most recent transactions, e.g. to summarize the last n transactions."""

    tool: Literal["get_most_recent_transactions"]
    n: int | None

@dataclass(frozen=True)
class EarlierGetMostRecentTransactions(GetMostRecentTransactions, _Outcome): ...

@dataclass(frozen=True)
class GetScheduledTransactions(Call, _Of[EarlierGetScheduledTransactions]):
    """Get the list of scheduled transactions."""

    tool: Literal["get_scheduled_transactions"]

@dataclass(frozen=True)
class EarlierGetScheduledTransactions(GetScheduledTransactions, _Outcome): ...

@dataclass(frozen=True)
class ReadFile(Call, _Of[EarlierReadFile]):
    """Reads the contents of the file at the given path."""

    tool: Literal["read_file"]
    file_path: Text

@dataclass(frozen=True)
class EarlierReadFile(ReadFile, _Outcome): ...

@dataclass(frozen=True)
class GetUserInfo(Call, _Of[EarlierGetUserInfo]):
    """Get the user information."""

    tool: Literal["get_user_info"]

@dataclass(frozen=True)
class EarlierGetUserInfo(GetUserInfo, _Outcome): ...

@dataclass(frozen=True)
class UpdatePassword(Call, _Of[EarlierUpdatePassword]):
    """Update the user password."""

    tool: Literal["update_password"]
    password: Text

@dataclass(frozen=True)
class EarlierUpdatePassword(UpdatePassword, _Outcome): ...

@dataclass(frozen=True)
class UpdateUserInfo(Call, _Of[EarlierUpdateUserInfo]):
    """Update the user information."""

    tool: Literal["update_user_info"]
    first_name: Text | None
    last_name: Text | None
    street: Text | None
    city: Text | None

@dataclass(frozen=True)
class EarlierUpdateUserInfo(UpdateUserInfo, _Outcome): ...

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
