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
class GetReport(Call, _Of[EarlierGetReport]):
    """An expense report with its lines."""

    tool: Literal["get_report"]
    report_id: Text

@dataclass(frozen=True)
class EarlierGetReport(GetReport, _Outcome): ...

@dataclass(frozen=True)
class GetBudget(Call, _Of[EarlierGetBudget]):
    """What a cost centre has left."""

    tool: Literal["get_budget"]
    cost_centre: Text

@dataclass(frozen=True)
class EarlierGetBudget(GetBudget, _Outcome): ...

@dataclass(frozen=True)
class ApproveReportLinesItem:
    line_id: Text
    approved_amount: Decimal

@dataclass(frozen=True)
class ApproveReport(Call, _Of[EarlierApproveReport]):
    """Approves lines of a report."""

    tool: Literal["approve_report"]
    report_id: Text
    lines: tuple[ApproveReportLinesItem, ...]
    comment: Text | None

@dataclass(frozen=True)
class EarlierApproveReport(ApproveReport, _Outcome): ...

@dataclass(frozen=True)
class RejectReport(Call, _Of[EarlierRejectReport]):
    """Sends a report back."""

    tool: Literal["reject_report"]
    report_id: Text
    reason: Text

@dataclass(frozen=True)
class EarlierRejectReport(RejectReport, _Outcome): ...

@dataclass(frozen=True)
class GetInvoice(Call, _Of[EarlierGetInvoice]):
    """An invoice of a supplier."""

    tool: Literal["get_invoice"]
    invoice_id: Text

@dataclass(frozen=True)
class EarlierGetInvoice(GetInvoice, _Outcome): ...

@dataclass(frozen=True)
class GetVendor(Call, _Of[EarlierGetVendor]):
    """What is kept of a vendor."""

    tool: Literal["get_vendor"]
    vendor_id: Text

@dataclass(frozen=True)
class EarlierGetVendor(GetVendor, _Outcome): ...

@dataclass(frozen=True)
class UpdateVendorChangesItem:
    of: Text
    value: Text

@dataclass(frozen=True)
class UpdateVendor(Call, _Of[EarlierUpdateVendor]):
    """Changes what is kept of a vendor."""

    tool: Literal["update_vendor"]
    vendor_id: Text
    changes: tuple[UpdateVendorChangesItem, ...]

@dataclass(frozen=True)
class EarlierUpdateVendor(UpdateVendor, _Outcome): ...

class Moment(Text):
    """a point in time, and its parts in a declared zone; Monday is weekday 1"""

    text: Text
    at: _Time
    date: _date
    time: _time
    weekday: int
    day: int
    hour: int

@dataclass(frozen=True)
class CreatePayment(Call, _Of[EarlierCreatePayment]):
    """Pays one invoice."""

    tool: Literal["create_payment"]
    vendor_id: Text
    invoice_id: Text
    iban: Text
    amount: Decimal
    currency: Text | None
    execute_on: Moment | None

@dataclass(frozen=True)
class EarlierCreatePayment(CreatePayment, _Outcome): ...

@dataclass(frozen=True)
class CreatePaymentBatchPaymentsItem:
    vendor_id: Text
    invoice_id: Text
    iban: Text
    amount: Decimal
    currency: Text | None

@dataclass(frozen=True)
class CreatePaymentBatch(Call, _Of[EarlierCreatePaymentBatch]):
    """Pays several invoices at once."""

    tool: Literal["create_payment_batch"]
    payments: tuple[CreatePaymentBatchPaymentsItem, ...]
    execute_on: Moment | None

@dataclass(frozen=True)
class EarlierCreatePaymentBatch(CreatePaymentBatch, _Outcome): ...

@dataclass(frozen=True)
class PostComment(Call, _Of[EarlierPostComment]):
    """Comments on a report or an invoice."""

    tool: Literal["post_comment"]
    target_id: Text
    text: Text

@dataclass(frozen=True)
class EarlierPostComment(PostComment, _Outcome): ...

@dataclass(frozen=True)
class Claim:
    """a claim"""

    line_id: Text
    category: Text
    amount: Decimal
    receipt: bool
    date: _date
    attendees: int | Any
    """None if it has none."""

@dataclass(frozen=True)
class Report(_Record):
    """a report"""

    employee_id: Text
    status: Text
    lines: tuple[Claim, ...]

@dataclass(frozen=True)
class Charged(_Record):
    """a charged"""

    cost_centre: Text

@dataclass(frozen=True)
class Budget(_Record):
    """a budget"""

    remaining: Decimal

@dataclass(frozen=True)
class Invoice(_Record):
    """an invoice"""

    vendor_id: Text
    amount_due: Decimal
    currency: Text | Any
    """None if it has none."""
    status: Text
    goods_received: bool

@dataclass(frozen=True)
class Vendor(_Record):
    """a vendor"""

    iban: Text
    bank_changed_at: _Time | Any
    """None if it has none."""
    blocked: bool

@dataclass(frozen=True)
class Context:
    """What the application says of the call."""

    user_id: Text
    manager_id: Text
    role: Literal["employee", "team_lead", "head", "cfo"]

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
    def report(self, key: str, /, *, as_of: _Outcome = ...) -> Report | Any:
        """The report with this key, as known now or as_of a call; None if there is none."""
    def charged(self, key: str, /, *, as_of: _Outcome = ...) -> Charged | Any:
        """The charged with this key, as known now or as_of a call; None if there is none."""
    def budget(self, key: str, /, *, as_of: _Outcome = ...) -> Budget | Any:
        """The budget with this key, as known now or as_of a call; None if there is none."""
    def invoice(self, key: str, /, *, as_of: _Outcome = ...) -> Invoice | Any:
        """The invoice with this key, as known now or as_of a call; None if there is none."""
    def vendor(self, key: str, /, *, as_of: _Outcome = ...) -> Vendor | Any:
        """The vendor with this key, as known now or as_of a call; None if there is none."""

def looked_up(record: _Record | None, /) -> bool:
    """Whether the run looked this record up, so that it is known or known to be absent."""
