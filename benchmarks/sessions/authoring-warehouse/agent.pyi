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
    mailbox: frozenset[Text]
    """the domain of a text that is one mail address without a display name"""
    mail_domains: frozenset[Text]
    """the domains of the mail addresses in a text Only of PostSummary.text."""

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
class ListTables(Call, _Of[EarlierListTables]):
    """Tables of a schema."""

    tool: Literal["list_tables"]
    schema: Text | None

@dataclass(frozen=True)
class EarlierListTables(ListTables, _Outcome): ...

@dataclass(frozen=True)
class DescribeTable(Call, _Of[EarlierDescribeTable]):
    """Columns of a table."""

    tool: Literal["describe_table"]
    table: Text

@dataclass(frozen=True)
class EarlierDescribeTable(DescribeTable, _Outcome): ...

@dataclass(frozen=True)
class EstimateQuery(Call, _Of[EarlierEstimateQuery]):
    """Dry run; says how many GB a query scans."""

    tool: Literal["estimate_query"]
    sql: Text

@dataclass(frozen=True)
class EarlierEstimateQuery(EstimateQuery, _Outcome): ...

class Sql(Text):
    """statements of SQL: what they read and show, what limits it, and what they change"""

    text: Text
    kinds: frozenset[Text]
    statements: int
    reads: frozenset[Text]
    writes: frozenset[Text]
    columns: frozenset[Text]
    functions: frozenset[Text]
    uses: tuple[SqlUse, ...]
    conditions: tuple[SqlCondition, ...]
    periods: tuple[SqlPeriod, ...]
    limit: int | None
    shown: frozenset[Text]
    limited: frozenset[Text]

@dataclass(frozen=True)
class SqlUse:
    table: Text
    column: Text
    way: Literal["plain", "picked", "aggregate", "counted", "tested", "key", "filter"]
    functions: frozenset[Text]
    first: int | None
    bands: int | None
    grouped: bool
    by_group: bool
    group_rows: int
    conditions: frozenset[Text]

@dataclass(frozen=True)
class SqlCondition:
    table: Text
    column: Text
    operator: Text
    value: Text

@dataclass(frozen=True)
class SqlPeriod:
    table: Text
    column: Text
    since: _Time | None
    until: _Time | None

@dataclass(frozen=True)
class RunQuery(Call, _Of[EarlierRunQuery]):
    """Run SQL."""

    tool: Literal["run_query"]
    sql: Sql
    max_rows: int | None

@dataclass(frozen=True)
class EarlierRunQuery(RunQuery, _Outcome): ...

class Moment(Text):
    """a point in time, and its parts in a declared zone; Monday is weekday 1"""

    text: Text
    at: _Time
    date: _date
    time: _time
    weekday: int
    day: int
    hour: int

class MailAddress(Text):
    """a mail address in lower case, its domain in IDNA form; display names are passed over"""

    text: Text
    address: Text
    local: Text
    domain: Text
    domains: frozenset[Text]

@dataclass(frozen=True)
class ScheduleQueryRecipientsItem:
    email: MailAddress

@dataclass(frozen=True)
class ScheduleQuery(Call, _Of[EarlierScheduleQuery]):
    """Run SQL regularly and mail the result."""

    tool: Literal["schedule_query"]
    sql: Sql
    first_run: Moment
    """ISO time, UTC"""
    every: Literal["day", "week", "month"]
    recipients: tuple[ScheduleQueryRecipientsItem, ...]

@dataclass(frozen=True)
class EarlierScheduleQuery(ScheduleQuery, _Outcome): ...

@dataclass(frozen=True)
class ExportResultDestination:
    type: Literal["s3", "email", "sheet"]
    addresses: tuple[Text, ...]

@dataclass(frozen=True)
class ExportResult(Call, _Of[EarlierExportResult]):
    """Export the result of a query."""

    tool: Literal["export_result"]
    query_id: Text
    format: Literal["csv", "parquet", "xlsx"] | None
    encrypt: bool | None
    """default false"""
    destination: ExportResultDestination

@dataclass(frozen=True)
class EarlierExportResult(ExportResult, _Outcome): ...

@dataclass(frozen=True)
class GetDashboard(Call, _Of[EarlierGetDashboard]):
    """Facts of a dashboard."""

    tool: Literal["get_dashboard"]
    dashboard_id: Text

@dataclass(frozen=True)
class EarlierGetDashboard(GetDashboard, _Outcome): ...

@dataclass(frozen=True)
class ShareDashboardRecipientsItem:
    email: MailAddress
    access: Literal["viewer", "editor"]

@dataclass(frozen=True)
class ShareDashboard(Call, _Of[EarlierShareDashboard]):
    """Share a dashboard."""

    tool: Literal["share_dashboard"]
    dashboard_id: Text
    recipients: tuple[ShareDashboardRecipientsItem, ...]

@dataclass(frozen=True)
class EarlierShareDashboard(ShareDashboard, _Outcome): ...

@dataclass(frozen=True)
class PostSummary(Call, _Of[EarlierPostSummary]):
    """Post text in chat."""

    tool: Literal["post_summary"]
    channel: Text
    text: Text

@dataclass(frozen=True)
class EarlierPostSummary(PostSummary, _Outcome): ...

@dataclass(frozen=True)
class Estimate(_Record):
    """an estimate"""

    gb: Decimal

@dataclass(frozen=True)
class Outcome(_Record):
    """an outcome"""

    row_count: int
    columns: frozenset[Text]

@dataclass(frozen=True)
class Dashboard(_Record):
    """a dashboard"""

    owner: Text
    contains_personal_data: bool

@dataclass(frozen=True)
class Context:
    """What the application says of the call."""

    role: Text
    region: Literal["hq", "north", "south", "west"]
    email: Text

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
    def estimate(self, key: str, /, *, as_of: _Outcome = ...) -> Estimate | Any:
        """The estimate with this key, as known now or as_of a call; None if there is none."""
    def outcome(self, key: str, /, *, as_of: _Outcome = ...) -> Outcome | Any:
        """The outcome with this key, as known now or as_of a call; None if there is none."""
    def dashboard(self, key: str, /, *, as_of: _Outcome = ...) -> Dashboard | Any:
        """The dashboard with this key, as known now or as_of a call; None if there is none."""

def looked_up(record: _Record | None, /) -> bool:
    """Whether the run looked this record up, so that it is known or known to be absent."""
