"""What the warehouse assistant may query and hand out."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal[
    "describe_table", "estimate_query", "export_result", "get_dashboard", "list_tables",
    "post_summary", "run_query", "schedule_query", "share_dashboard",
]

Region = Literal["hq", "north", "south", "west"]
Way = Literal["plain", "picked", "aggregate", "counted", "tested", "key", "filter"]

QUERIES = {"run_query", "schedule_query"}
ALLOWED = {"select", "explain", "show", "describe", "create table", "create table as", "drop table"}
PERSONAL = {"first_name", "last_name", "email", "phone", "street", "birth_date"}
REGIONAL = {"sales.orders", "sales.stores"}
APART = {"region", "store_id", "city", "customer_id", "customer_no", "order_id"}
OWN_ROWS = {
    "hq": "region = 'hq'",
    "north": "region = 'north'",
    "south": "region = 'south'",
    "west": "region = 'west'",
}

OWN_CHANNEL = {
    "hq": "#region-hq",
    "north": "#region-north",
    "south": "#region-south",
    "west": "#region-west",
}

MOST_GIGABYTES = Decimal("100.00")
MOST_ROWS = 5000
LEAST_PEOPLE = 10
MOST_BANDS = 20
COLLEAGUES = "example.com"


@dataclass(frozen=True)
class SqlUse:
    table: str
    column: str
    way: Way
    first: int | None
    bands: int | None
    grouped: bool
    by_group: bool
    group_rows: int
    conditions: frozenset[str]


@dataclass(frozen=True)
class SqlPeriod:
    table: str
    column: str
    since: datetime | None
    until: datetime | None


@dataclass(frozen=True)
class Sql:
    kinds: frozenset[str]
    reads: frozenset[str]
    writes: frozenset[str]
    uses: tuple[SqlUse, ...]
    periods: tuple[SqlPeriod, ...]


@dataclass(frozen=True)
class Estimate:
    gb: Decimal


@dataclass(frozen=True)
class Outcome:
    row_count: int
    columns: frozenset[str]


@dataclass(frozen=True)
class Dashboard:
    owner: str
    contains_personal_data: bool


@dataclass(frozen=True)
class Recipient:
    domain: str
    access: Literal["viewer", "editor"] | None


@dataclass(frozen=True)
class MailAddress:
    text: str
    domain: str


def comes_out(way: Way) -> bool:
    return way == "plain" or way == "picked" or way == "aggregate"


def tells_apart(column: str, way: Way, grouped: bool) -> bool:
    if way == "aggregate" or way == "counted":
        return False
    return not (way == "filter" or way == "key" or way == "plain" and grouped) or column in APART


def is_of_people(way: Way, grouped: bool) -> bool:
    return way == "picked" or way == "tested" or way == "plain" and not grouped


def is_closing(day: int, hour: int) -> bool:
    return day <= 3 and 7 <= hour and hour < 19


def forbid_query_without_text(tool: Tool, query: Sql | None) -> bool:
    """R1: A call that runs SQL has SQL."""
    return tool in QUERIES and query is None


def forbid_writing(query: Sql | None) -> bool:
    """R1, R13: The assistant reads, and makes and drops tables in the schema scratch alone."""
    return (
        query is not None
        and (
            any(kind not in ALLOWED for kind in query.kinds)
            or any(not table.startswith("scratch.") for table in query.writes)
        )
    )


def forbid_personal_data(query: Sql | None) -> bool:
    """R2, R3: Personal data of customers never comes out of a query."""
    return (
        query is not None
        and any(
            comes_out(use.way)
            and use.table.startswith("crm.")
            and (
                use.column in PERSONAL
                and not (
                    use.column == "birth_date"
                    and use.bands is not None
                    and use.bands <= MOST_BANDS
                )
                or use.column == "*" and use.table == "crm.customers"
            )
            for use in query.uses
        )
    )


def forbid_postcode(query: Sql | None) -> bool:
    """R4: Of a postcode the first two digits may come out."""
    return (
        query is not None
        and any(
            comes_out(use.way)
            and use.table.startswith("crm.")
            and use.column == "postcode"
            and (use.first is None or use.first > 2)
            for use in query.uses
        )
    )


def forbid_staff(query: Sql | None, role: str) -> bool:
    """R5: The schema hr is for people analytics alone."""
    return (
        query is not None
        and role != "people_analytics"
        and any(table.startswith("hr.") for table in query.reads)
    )


def forbid_few_people(query: Sql | None) -> bool:
    """R5: Of people only averages, sums and counts over at least ten, or over the whole company."""
    return (
        query is not None
        and any(
            use.table.startswith("hr.")
            and (
                is_of_people(use.way, use.grouped)
                or use.by_group and use.group_rows < LEAST_PEOPLE
                or not use.by_group
                and use.way == "filter"
                and use.column != "left_on"
            )
            for use in query.uses
        )
    )


def forbid_other_region(query: Sql | None, region: Region) -> bool:
    """R14: An analyst of a region reads orders and stores of that region, or totals of all regions."""
    return (
        query is not None
        and region != "hq"
        and any(
            use.table in REGIONAL
            and OWN_ROWS[region] not in use.conditions
            and tells_apart(use.column, use.way, use.grouped)
            for use in query.uses
        )
    )


def forbid_unestimated(query: Sql | None, estimate: Estimate | None) -> bool:
    """R6: A query that reads orders or web events is estimated before, at 100 GB at most."""
    return (
        query is not None
        and ("sales.orders" in query.reads or "web.events" in query.reads)
        and (estimate is None or estimate.gb > MOST_GIGABYTES)
    )


def forbid_long_period(query: Sql | None) -> bool:
    """R7: Web events are limited to a period of at most 92 days."""
    return (
        query is not None
        and "web.events" in query.reads
        and not any(
            period.table == "web.events"
            and period.column == "ts"
            and period.since is not None
            and period.until is not None
            and period.until - period.since <= timedelta(days=92)
            for period in query.periods
        )
    )


def forbid_ledger_while_closing(
    tool: Tool,
    query: Sql | None,
    day: int,
    hour: int,
    first_day: int | None,
    first_hour: int | None,
) -> bool:
    """R8: Nobody queries the ledger on the first three days of a month between 7 and 19 h UTC."""
    if query is None or "finance.ledger" not in query.reads:
        return False
    if tool != "schedule_query":
        return is_closing(day, hour)
    return first_day is None or first_hour is None or is_closing(first_day, first_hour)


def forbid_unknown_result(tool: Tool, outcome: Outcome | None) -> bool:
    """R9: Only results of queries of the conversation are exported."""
    return tool == "export_result" and outcome is None


def forbid_many_rows(tool: Tool, outcome: Outcome | None) -> bool:
    """R9: Not more than 5,000 rows are exported at a time."""
    return tool == "export_result" and outcome is not None and outcome.row_count > MOST_ROWS


def forbid_fourth_export(tool: Tool, exports: int) -> bool:
    """R9: There are three exports per conversation."""
    return tool == "export_result" and exports >= 3


def forbid_foreign_destination(
    tool: Tool,
    destination: str | None,
    places: frozenset[str],
    addresses: tuple[MailAddress, ...],
) -> bool:
    """R15: Results go to the bucket example-analytics or by mail to colleagues."""
    if tool != "export_result":
        return False
    if destination == "s3":
        return any(not place.startswith("s3://example-analytics/") for place in places)
    return (
        destination != "email"
        or any(address.domain != COLLEAGUES or "<" in address.text for address in addresses)
    )


def forbid_customer_numbers(
    tool: Tool,
    outcome: Outcome | None,
    destination: str | None,
    encrypted: bool | None,
) -> bool:
    """R16: Customer numbers go to the bucket, encrypted."""
    return (
        tool == "export_result"
        and outcome is not None
        and ("customer_id" in outcome.columns or "customer_no" in outcome.columns)
        and (destination != "s3" or encrypted is None or not encrypted)
    )


def forbid_foreign_recipient(recipients: tuple[Recipient, ...]) -> bool:
    """R17, R10: Scheduled results and dashboards go to colleagues."""
    return any(recipient.domain != COLLEAGUES for recipient in recipients)


def forbid_unknown_dashboard(tool: Tool, dashboard: Dashboard | None) -> bool:
    """R10: A dashboard is looked up before it is shared."""
    return tool == "share_dashboard" and dashboard is None


def forbid_editors_of_others(
    tool: Tool,
    dashboard: Dashboard | None,
    recipients: tuple[Recipient, ...],
    email: str,
) -> bool:
    """R10: Editors are added by the owner only."""
    return (
        tool == "share_dashboard"
        and dashboard is not None
        and dashboard.owner != email
        and any(recipient.access != "viewer" for recipient in recipients)
    )


def forbid_personal_dashboard(tool: Tool, dashboard: Dashboard | None) -> bool:
    """R10: A dashboard with personal data is not shared."""
    return tool == "share_dashboard" and dashboard is not None and dashboard.contains_personal_data


def forbid_other_channel(tool: Tool, channel: str | None, region: Region) -> bool:
    """R11: Summaries go to the channel of the own region or to #analytics."""
    return tool == "post_summary" and channel != "#analytics" and channel != OWN_CHANNEL[region]


def forbid_address_in_summary(tool: Tool, domains: frozenset[str]) -> bool:
    """R11: A summary holds no mail address of others than colleagues."""
    return tool == "post_summary" and any(domain != COLLEAGUES for domain in domains)


def allow(
    tool: Tool,
    role: str,
    region: Region,
    email: str,
    day: int,
    hour: int,
    query: Sql | None,
    first_day: int | None,
    first_hour: int | None,
    estimate: Estimate | None,
    outcome: Outcome | None,
    exports: int,
    destination: str | None,
    places: frozenset[str],
    addresses: tuple[MailAddress, ...],
    encrypted: bool | None,
    recipients: tuple[Recipient, ...],
    dashboard: Dashboard | None,
    channel: str | None,
    domains: frozenset[str],
) -> bool:
    # R1: The assistant only reads, or makes and drops tables.
    Ensures(Implies(query is not None and not query.kinds <= ALLOWED, not Result()))
    # R13: Tables are made and dropped in the schema scratch alone.
    Ensures(
        Implies(
            query is not None and not all(table.startswith("scratch.") for table in query.writes),
            not Result(),
        ),
    )
    # R2, R3: No personal data of customers comes out, but for age bands.
    Ensures(
        Implies(
            Result() and query is not None,
            all(
                use.column not in PERSONAL
                or use.way not in {"plain", "picked", "aggregate"}
                or not use.table.startswith("crm.")
                or use.column == "birth_date" and use.bands is not None and use.bands <= 20
                for use in query.uses
            ),
        ),
    )
    # R2, R3: All columns of customers together do not come out.
    Ensures(
        Implies(
            query is not None
            and any(
                use.table == "crm.customers" and use.column == "*" and use.way == "plain"
                for use in query.uses
            ),
            not Result(),
        ),
    )
    # R4: Of the postcode no more than two digits come out.
    Ensures(
        Implies(
            Result() and query is not None,
            not any(
                use.table == "crm.customers"
                and use.column == "postcode"
                and use.way == "plain"
                and (use.first is None or use.first > 2)
                for use in query.uses
            ),
        ),
    )
    # R5: The schema hr is for people analytics alone.
    Ensures(
        Implies(
            query is not None
            and any(table.startswith("hr.") for table in query.reads)
            and role != "people_analytics",
            not Result(),
        ),
    )
    # R5: No values of single people come out.
    Ensures(
        Implies(
            Result() and query is not None,
            all(
                use.way in {"aggregate", "counted", "key", "filter"}
                or use.way == "plain" and use.grouped
                for use in query.uses
                if use.table.startswith("hr.")
            ),
        ),
    )
    # R5: Groups have at least ten people.
    Ensures(
        Implies(
            Result() and query is not None,
            all(
                not use.by_group or use.group_rows >= 10
                for use in query.uses
                if use.table.startswith("hr.")
            ),
        ),
    )
    # R14: An analyst of the north reads no region, store, customer or order of others.
    Ensures(
        Implies(
            Result() and query is not None and region == "north",
            all(
                "region = 'north'" in use.conditions
                or use.way in {"aggregate", "counted"}
                or (use.way in {"filter", "key"} or use.way == "plain" and use.grouped)
                and use.column not in APART
                for use in query.uses
                if use.table == "sales.orders" or use.table == "sales.stores"
            ),
        ),
    )
    # R14: Neither does one of another region.
    Ensures(
        Implies(
            query is not None
            and region != "hq"
            and any(
                use.table in REGIONAL
                and use.way == "plain"
                and not use.grouped
                and OWN_ROWS[region] not in use.conditions
                for use in query.uses
            ),
            not Result(),
        ),
    )
    # R6: Orders and web events are queried after an estimate of at most 100 GB.
    Ensures(
        Implies(
            Result()
            and query is not None
            and ("sales.orders" in query.reads or "web.events" in query.reads),
            estimate is not None and estimate.gb <= Decimal("100.00"),
        ),
    )
    # R7: Web events are limited to a period of at most 92 days.
    Ensures(
        Implies(
            Result() and query is not None and "web.events" in query.reads,
            any(
                period.since is not None
                and period.until is not None
                and period.until - period.since <= timedelta(days=92)
                for period in query.periods
                if period.table == "web.events"
            ),
        ),
    )
    # R8: Nobody queries the ledger while the books are closed.
    Ensures(
        Implies(
            tool == "run_query"
            and query is not None
            and "finance.ledger" in query.reads
            and day <= 3
            and 7 <= hour
            and hour < 19,
            not Result(),
        ),
    )
    # R8: Nobody schedules that either.
    Ensures(
        Implies(
            tool == "schedule_query"
            and query is not None
            and "finance.ledger" in query.reads
            and first_day is not None
            and first_day <= 3
            and first_hour is not None
            and 7 <= first_hour
            and first_hour < 19,
            not Result(),
        ),
    )
    # R9: Only results of the conversation are exported, three times, 5,000 rows at most.
    Ensures(
        Implies(
            Result() and tool == "export_result",
            outcome is not None and outcome.row_count <= 5000 and exports < 3,
        ),
    )
    # R15: Results go to the bucket or by mail.
    Ensures(
        Implies(
            Result() and tool == "export_result",
            destination == "email"
            or destination == "s3"
            and all(place.startswith("s3://example-analytics/") for place in places),
        ),
    )
    # R15: Results are mailed to colleagues only.
    Ensures(
        Implies(
            Result() and tool == "export_result" and destination == "email",
            all(address.domain == "example.com" for address in addresses),
        ),
    )
    # R16: Customer numbers go to the bucket, encrypted.
    Ensures(
        Implies(
            Result()
            and tool == "export_result"
            and outcome is not None
            and ("customer_id" in outcome.columns or "customer_no" in outcome.columns),
            destination == "s3" and encrypted is not None and encrypted,
        ),
    )
    # R17: Scheduled results are mailed to colleagues.
    Ensures(
        Implies(
            Result() and tool == "schedule_query",
            all(recipient.domain == "example.com" for recipient in recipients),
        ),
    )
    # R10: A dashboard is known, without personal data, and goes to colleagues.
    Ensures(
        Implies(
            Result() and tool == "share_dashboard",
            dashboard is not None
            and not dashboard.contains_personal_data
            and all(recipient.domain == "example.com" for recipient in recipients),
        ),
    )
    # R10: Only the owner adds editors.
    Ensures(
        Implies(
            tool == "share_dashboard"
            and dashboard is not None
            and dashboard.owner != email
            and any(recipient.access == "editor" for recipient in recipients),
            not Result(),
        ),
    )
    # R11: Summaries go to #analytics or the channel of the own region.
    Ensures(
        Implies(
            Result() and tool == "post_summary",
            channel == "#analytics" or channel == OWN_CHANNEL[region],
        ),
    )
    # R11: Mail addresses in them are those of colleagues.
    Ensures(
        Implies(
            Result() and tool == "post_summary",
            all(domain == "example.com" for domain in domains),
        ),
    )
    # R12: What shows no data is allowed.
    Ensures(
        Implies(
            tool in {"describe_table", "estimate_query", "get_dashboard", "list_tables"}
            and query is None
            and len(recipients) == 0,
            Result(),
        ),
    )
    # R12: Headquarters may query products.
    Ensures(
        Implies(
            tool == "run_query"
            and region == "hq"
            and query is not None
            and query.kinds <= {"select"}
            and query.reads <= {"catalog.products"}
            and query.writes <= {"scratch.x"}
            and all(use.table == "catalog.products" for use in query.uses)
            and len(recipients) == 0,
            Result(),
        ),
    )
    return not (
        forbid_query_without_text(tool, query)
        or forbid_writing(query)
        or forbid_personal_data(query)
        or forbid_postcode(query)
        or forbid_staff(query, role)
        or forbid_few_people(query)
        or forbid_other_region(query, region)
        or forbid_unestimated(query, estimate)
        or forbid_long_period(query)
        or forbid_ledger_while_closing(tool, query, day, hour, first_day, first_hour)
        or forbid_unknown_result(tool, outcome)
        or forbid_many_rows(tool, outcome)
        or forbid_fourth_export(tool, exports)
        or forbid_foreign_destination(tool, destination, places, addresses)
        or forbid_customer_numbers(tool, outcome, destination, encrypted)
        or forbid_foreign_recipient(recipients)
        or forbid_unknown_dashboard(tool, dashboard)
        or forbid_editors_of_others(tool, dashboard, recipients, email)
        or forbid_personal_dashboard(tool, dashboard)
        or forbid_other_channel(tool, channel, region)
        or forbid_address_in_summary(tool, domains)
    )
