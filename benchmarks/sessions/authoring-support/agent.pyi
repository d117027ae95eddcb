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
    verified: bool
    """Only of VerifyIdentity.result."""
    found: Text
    """the id of the customer who was found Only of FindCustomer.result."""
    card_numbers: frozenset[Text]
    """13 to 19 digits with blanks or dashes between them"""
    closing: frozenset[Text]
    """the words by which somebody asks to close an account Only of Run.said."""

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
class FindCustomer(Call, _Of[EarlierFindCustomer]):
    """The customer with an id or a mail address."""

    tool: Literal["find_customer"]
    customer_id: Text | None
    email: Text | None

@dataclass(frozen=True)
class EarlierFindCustomer(FindCustomer, _Outcome): ...

@dataclass(frozen=True)
class GetOrder(Call, _Of[EarlierGetOrder]):
    """An order with its items."""

    tool: Literal["get_order"]
    order_id: Text

@dataclass(frozen=True)
class EarlierGetOrder(GetOrder, _Outcome): ...

@dataclass(frozen=True)
class VerifyIdentity(Call, _Of[EarlierVerifyIdentity]):
    """Checks what a customer answered."""

    tool: Literal["verify_identity"]
    customer_id: Text
    method: Text
    answer: Text

@dataclass(frozen=True)
class EarlierVerifyIdentity(VerifyIdentity, _Outcome): ...

@dataclass(frozen=True)
class IssueRefundItemsItem:
    sku: Text
    amount: Decimal
    reason: Literal["faulty", "not_as_described", "changed_mind", "missing"]

@dataclass(frozen=True)
class IssueRefund(Call, _Of[EarlierIssueRefund]):
    """Pays money for items of an order back."""

    tool: Literal["issue_refund"]
    order_id: Text
    method: Literal["original", "store_credit", "bank_transfer"]
    items: tuple[IssueRefundItemsItem, ...]

@dataclass(frozen=True)
class EarlierIssueRefund(IssueRefund, _Outcome): ...

@dataclass(frozen=True)
class IssueVoucher(Call, _Of[EarlierIssueVoucher]):
    """Gives a customer a voucher."""

    tool: Literal["issue_voucher"]
    customer_id: Text
    amount: Decimal
    reason: Literal["goodwill", "late_delivery"]
    order_id: Text | None

@dataclass(frozen=True)
class EarlierIssueVoucher(IssueVoucher, _Outcome): ...

@dataclass(frozen=True)
class UpdateAccountChangesAddress:
    street: Text | None
    postcode: Text | None
    city: Text | None

@dataclass(frozen=True)
class UpdateAccountChanges:
    email: Text | None
    phone: Text | None
    name: Text | None
    address: UpdateAccountChangesAddress | None

@dataclass(frozen=True)
class UpdateAccount(Call, _Of[EarlierUpdateAccount]):
    """Changes what is kept of a customer."""

    tool: Literal["update_account"]
    customer_id: Text
    changes: UpdateAccountChanges

@dataclass(frozen=True)
class EarlierUpdateAccount(UpdateAccount, _Outcome): ...

class MailAddress(Text):
    """a mail address in lower case, its domain in IDNA form; display names are passed over"""

    text: Text
    address: Text
    local: Text
    domain: Text
    domains: frozenset[Text]

@dataclass(frozen=True)
class SendMessageAttachmentsItem:
    document_id: Text
    kind: Text

@dataclass(frozen=True)
class SendMessage(Call, _Of[EarlierSendMessage]):
    """Mails a customer."""

    tool: Literal["send_message"]
    to: MailAddress
    subject: Text
    body: Text
    attachments: tuple[SendMessageAttachmentsItem, ...]

@dataclass(frozen=True)
class EarlierSendMessage(SendMessage, _Outcome): ...

@dataclass(frozen=True)
class AddNote(Call, _Of[EarlierAddNote]):
    """Writes an internal note."""

    tool: Literal["add_note"]
    customer_id: Text
    text: Text

@dataclass(frozen=True)
class EarlierAddNote(AddNote, _Outcome): ...

@dataclass(frozen=True)
class CloseAccount(Call, _Of[EarlierCloseAccount]):
    """Closes the account of a customer."""

    tool: Literal["close_account"]
    customer_id: Text
    reason: Text | None

@dataclass(frozen=True)
class EarlierCloseAccount(CloseAccount, _Outcome): ...

@dataclass(frozen=True)
class Bought:
    """a bought"""

    sku: Text
    clearance: bool

@dataclass(frozen=True)
class Order(_Record):
    """an order"""

    customer_id: Text
    items: tuple[Bought, ...]
    paid_total: Decimal
    refunded_total: Decimal
    delivered_at: _Time | Any
    """None if it has none."""
    return_status: Text
    payment_method: Text
    late: bool

@dataclass(frozen=True)
class Customer(_Record):
    """a customer"""

    email: MailAddress
    open_orders: int

@dataclass(frozen=True)
class Context:
    """What the application says of the call."""

    role: Literal["agent", "team_lead"]

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
    def order(self, key: str, /, *, as_of: _Outcome = ...) -> Order | Any:
        """The order with this key, as known now or as_of a call; None if there is none."""
    def customer(self, key: str, /, *, as_of: _Outcome = ...) -> Customer | Any:
        """The customer with this key, as known now or as_of a call; None if there is none."""

def looked_up(record: _Record | None, /) -> bool:
    """Whether the run looked this record up, so that it is known or known to be absent."""
