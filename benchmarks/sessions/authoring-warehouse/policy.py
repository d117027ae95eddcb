"""What the warehouse assistant may query and hand out."""

from datetime import timedelta

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Call, ExportResult, PostSummary, Run, RunQuery, ScheduleQuery, ShareDashboard, looked_up

DEFAULT = "allow"
ALLOWED = {"select", "explain", "show", "describe", "create table", "create table as", "drop table"}
PERSONAL = {"first_name", "last_name", "email", "phone", "street", "birth_date"}
REGIONAL = {"sales.orders", "sales.stores"}
APART = {"region", "store_id", "city", "customer_id", "customer_no", "order_id"}
SHOWS_NO_DATA = {"describe_table", "estimate_query", "get_dashboard", "list_tables"}
OWN_CHANNEL = {
    "hq": "#region-hq",
    "north": "#region-north",
    "south": "#region-south",
    "west": "#region-west",
}
MOST_ROWS = 5000
LEAST_PEOPLE = 10
MOST_BANDS = 20
COLLEAGUES = "example.com"


def comes_out(way: str) -> bool:
    """whether values of a column come out of a query"""
    return way == "plain" or way == "picked" or way == "aggregate"


def tells_apart(column: str, way: str, grouped: bool) -> bool:
    """whether a use of a column tells regions, stores, customers or orders apart"""
    if way == "aggregate" or way == "counted":
        return False
    return not (way == "filter" or way == "key" or way == "plain" and grouped) or column in APART


def shows_personal_data(call: RunQuery | ScheduleQuery) -> bool:
    """whether personal data of customers come out of the query"""
    return any(
        comes_out(use.way)
        and use.table.startswith("crm.")
        and (
            use.column in PERSONAL
            and not (use.column == "birth_date" and use.bands is not None and use.bands <= MOST_BANDS)
            or use.column == "*"
            and use.table == "crm.customers"
        )
        for use in call.sql.uses
    )


def shows_postcode(call: RunQuery | ScheduleQuery) -> bool:
    """whether more of a postcode than its first two digits comes out of the query"""
    return any(
        comes_out(use.way)
        and use.table.startswith("crm.")
        and use.column == "postcode"
        and (use.first is None or use.first > 2)
        for use in call.sql.uses
    )


def shows_few_people(call: RunQuery | ScheduleQuery) -> bool:
    """whether the query shows single people, or groups of less than ten"""
    return any(
        use.table.startswith("hr.")
        and (
            use.way == "picked"
            or use.way == "tested"
            or use.way == "plain"
            and not use.grouped
            or use.by_group
            and use.group_rows < LEAST_PEOPLE
            or not use.by_group
            and use.way == "filter"
            and use.column != "left_on"
        )
        for use in call.sql.uses
    )


def shows_other_region(call: RunQuery | ScheduleQuery, run: Run) -> bool:
    """whether the query tells regions, stores, customers or orders of other regions apart"""
    region = run.context.region
    return any(
        use.table in REGIONAL
        and tells_apart(use.column, use.way, use.grouped)
        and not (
            region == "hq"
            or region == "north"
            and "region = 'north'" in use.conditions
            or region == "south"
            and "region = 'south'" in use.conditions
            or region == "west"
            and "region = 'west'" in use.conditions
        )
        for use in call.sql.uses
    )


def is_limited(call: RunQuery | ScheduleQuery) -> bool:
    """whether web events are limited to a period of at most 92 days"""
    return any(
        period.table == "web.events"
        and period.column == "ts"
        and period.since is not None
        and period.until is not None
        and period.until - period.since <= timedelta(days=92)
        for period in call.sql.periods
    )


def is_estimated(call: RunQuery | ScheduleQuery, run: Run) -> bool:
    """whether the query was estimated, at 100 GB at most"""
    estimate = run.estimate(call.sql)
    return looked_up(estimate) and estimate is not None and estimate.gb <= 100


def is_large(call: RunQuery | ScheduleQuery) -> bool:
    """whether the query reads orders or web events"""
    return "sales.orders" in call.sql.reads or "web.events" in call.sql.reads


def is_closing(day: int, hour: int) -> bool:
    """whether the books are being closed"""
    return day <= 3 and 7 <= hour and hour < 19


def exports(run: Run) -> int:
    """how many results were exported in the conversation"""
    return sum(1 for c in run.earlier(ExportResult) if c.succeeded)


def has_customer_numbers(call: ExportResult, run: Run) -> bool:
    """whether customer numbers are in the result"""
    outcome = run.outcome(call.query_id)
    return outcome is not None and ("customer_id" in outcome.columns or "customer_no" in outcome.columns)


def goes_to_bucket(call: ExportResult) -> bool:
    """whether the result goes to the bucket example-analytics"""
    return call.destination.type == "s3" and all(
        place.startswith("s3://example-analytics/") for place in call.destination.addresses
    )


def goes_to_colleagues(call: ExportResult) -> bool:
    """whether the result goes by mail to colleagues"""
    return call.destination.type == "email" and all(
        any(domain.lower() == COLLEAGUES for domain in address.mailbox)
        for address in call.destination.addresses
    )


def forbid_writing(call: RunQuery | ScheduleQuery) -> bool:
    """R3: The assistant only reads."""
    return any(kind not in ALLOWED for kind in call.sql.kinds) or any(
        not table.startswith("scratch.") for table in call.sql.writes
    )


def forbid_personal_data(call: RunQuery | ScheduleQuery) -> bool:
    """R5: Names, mail addresses, phone numbers, streets and dates of birth of customers never come out of a query."""
    return shows_personal_data(call)


def forbid_postcode(call: RunQuery | ScheduleQuery) -> bool:
    """R7: Of the postcode the first two digits may come out."""
    return shows_postcode(call)


def forbid_staff(call: RunQuery | ScheduleQuery, run: Run) -> bool:
    """R8: The schema hr is for people analytics alone, and for them only averages, sums and counts: over groups of at least ten people, or over the whole company."""
    return run.context.role != "people_analytics" and any(table.startswith("hr.") for table in call.sql.reads)


def forbid_few_people(call: RunQuery | ScheduleQuery) -> bool:
    """R8: Of people only averages, sums and counts over at least ten, or over the whole company."""
    return shows_few_people(call)


def forbid_other_region(call: RunQuery | ScheduleQuery, run: Run) -> bool:
    """R9: An analyst of a region reads orders and stores of that region;"""
    return shows_other_region(call, run)


def forbid_unestimated(call: RunQuery | ScheduleQuery, run: Run) -> bool:
    """R12: A query that reads orders or web events is estimated before, and one of more than 100 GB is not run."""
    return is_large(call) and not is_estimated(call, run)


def forbid_long_period(call: RunQuery | ScheduleQuery) -> bool:
    """R13: Web events are limited to a period of at most 92 days."""
    return "web.events" in call.sql.reads and not is_limited(call)


def forbid_ledger_while_closing(call: RunQuery) -> bool:
    """R14: Nobody queries the ledger on the first three days of a month between 7 and 19 h UTC."""
    return "finance.ledger" in call.sql.reads and is_closing(call.time.day, call.time.hour)


def forbid_scheduled_ledger(call: ScheduleQuery) -> bool:
    """R15: What is scheduled counts by the time of its first run."""
    return "finance.ledger" in call.sql.reads and is_closing(call.first_run.day, call.first_run.hour)


def forbid_unknown_result(call: ExportResult, run: Run) -> bool:
    """R16: Only results of queries of the conversation are exported, not more than 5,000 rows at a time and three exports per conversation."""
    outcome = run.outcome(call.query_id)
    return not looked_up(outcome) or outcome is None


def forbid_many_rows(call: ExportResult, run: Run) -> bool:
    """R16: Not more than 5,000 rows are exported at a time."""
    outcome = run.outcome(call.query_id)
    return outcome is not None and outcome.row_count > MOST_ROWS


def forbid_fourth_export(call: ExportResult, run: Run) -> bool:
    """R16: There are three exports per conversation."""
    return exports(run) >= 3


def forbid_foreign_destination(call: ExportResult) -> bool:
    """R17: They go to the bucket example-analytics or by mail to colleagues, whose addresses are at example.com."""
    return not goes_to_bucket(call) and not goes_to_colleagues(call)


def forbid_customer_numbers(call: ExportResult, run: Run) -> bool:
    """R18: With customer numbers in them they go to the bucket, encrypted."""
    return has_customer_numbers(call, run) and (
        call.destination.type != "s3" or call.encrypt is None or not call.encrypt
    )


def forbid_foreign_recipient(call: ScheduleQuery | ShareDashboard) -> bool:
    """R19: Scheduled results are mailed to colleagues."""
    return any(recipient.email.domain != COLLEAGUES for recipient in call.recipients)


def forbid_unknown_dashboard(call: ShareDashboard, run: Run) -> bool:
    """R20: A dashboard is looked up before it is shared."""
    dashboard = run.dashboard(call.dashboard_id)
    return not looked_up(dashboard) or dashboard is None


def forbid_editors_of_others(call: ShareDashboard, run: Run) -> bool:
    """R21: It is shared with colleagues, with editors only by its owner, and not at all if it holds personal data."""
    dashboard = run.dashboard(call.dashboard_id)
    return (
        dashboard is not None
        and dashboard.owner != run.context.email
        and any(recipient.access != "viewer" for recipient in call.recipients)
    )


def forbid_personal_dashboard(call: ShareDashboard, run: Run) -> bool:
    """R21: A dashboard with personal data is not shared."""
    dashboard = run.dashboard(call.dashboard_id)
    return dashboard is not None and dashboard.contains_personal_data


def forbid_other_channel(call: PostSummary, run: Run) -> bool:
    """R22: Summaries go to the channel of the own region or to #analytics, without mail addresses of others than colleagues."""
    return call.channel != "#analytics" and call.channel != OWN_CHANNEL[run.context.region]


def forbid_address_in_summary(call: PostSummary) -> bool:
    """R22: A summary holds no mail address of others than colleagues."""
    return any(domain.lower() != COLLEAGUES for domain in call.text.mail_domains)


def contract_query(call: RunQuery | ScheduleQuery, run: Run) -> None:
    # R3: The assistant only reads, or makes and drops tables.
    Ensures(Implies(not call.sql.kinds <= ALLOWED, not Result()))
    # R4: Tables are made and dropped in the schema scratch alone.
    Ensures(Implies(Result(), all(table.startswith("scratch.") for table in call.sql.writes)))
    # R6, R5: Counting them, joining and filtering on them, yes and no, and age bands are fine.
    Ensures(Implies(Result(), not shows_personal_data(call)))
    # R7: Of the postcode no more than two digits come out.
    Ensures(Implies(Result(), not shows_postcode(call)))
    # R8: The schema hr is for people analytics alone.
    Ensures(
        Implies(
            any(table.startswith("hr.") for table in call.sql.reads)
            and run.context.role != "people_analytics",
            not Result(),
        )
    )
    # R8: No single people and no groups of less than ten are shown.
    Ensures(Implies(Result(), not shows_few_people(call)))
    # R11, R9: Totals of all regions together are for everybody, as long as nothing in them tells regions, stores, customers or single orders apart.
    Ensures(Implies(Result(), not shows_other_region(call, run)))
    # R12: Orders and web events are queried after an estimate of at most 100 GB.
    Ensures(Implies(Result() and is_large(call), is_estimated(call, run)))
    # R13: Web events are limited to a period of at most 92 days.
    Ensures(Implies(Result() and "web.events" in call.sql.reads, is_limited(call)))


def contract_ledger(call: RunQuery, run: Run) -> None:
    # R14: Nobody queries the ledger while the books are closed.
    Ensures(
        Implies(
            "finance.ledger" in call.sql.reads and is_closing(call.time.day, call.time.hour), not Result()
        )
    )
    # R10: headquarters reads all.
    Ensures(
        Implies(
            run.context.region == "hq"
            and all(kind == "select" for kind in call.sql.kinds)
            and all(table.startswith("catalog.") for table in call.sql.reads)
            and all(table.startswith("scratch.") for table in call.sql.writes)
            and not shows_personal_data(call)
            and not shows_postcode(call)
            and not shows_few_people(call)
            and not shows_other_region(call, run),
            Result(),
        )
    )


def contract_schedule(call: ScheduleQuery, run: Run) -> None:
    # R15: Nobody schedules that either.
    Ensures(
        Implies(
            "finance.ledger" in call.sql.reads and is_closing(call.first_run.day, call.first_run.hour),
            not Result(),
        )
    )
    # R19: Scheduled results are mailed to colleagues.
    Ensures(Implies(Result(), all(recipient.email.domain == "example.com" for recipient in call.recipients)))
    # R10: What is in order is allowed.
    Ensures(
        Implies(
            run.context.region == "hq"
            and all(kind == "select" for kind in call.sql.kinds)
            and all(table.startswith("catalog.") for table in call.sql.reads)
            and all(table.startswith("scratch.") for table in call.sql.writes)
            and not shows_personal_data(call)
            and not shows_postcode(call)
            and not shows_few_people(call)
            and not shows_other_region(call, run)
            and all(recipient.email.domain == "example.com" for recipient in call.recipients),
            Result(),
        )
    )


def contract_export(call: ExportResult, run: Run) -> None:
    outcome = run.outcome(call.query_id)
    # R16: Only results of the conversation are exported, three times, 5,000 rows at most.
    Ensures(
        Implies(
            Result(),
            looked_up(outcome) and outcome is not None and outcome.row_count <= 5000 and exports(run) < 3,
        )
    )
    # R17: Results go to the bucket or by mail to colleagues.
    Ensures(Implies(Result(), goes_to_bucket(call) or goes_to_colleagues(call)))
    # R18: Customer numbers go to the bucket, encrypted.
    Ensures(
        Implies(
            Result() and has_customer_numbers(call, run),
            call.destination.type == "s3" and call.encrypt is not None and call.encrypt,
        )
    )
    # R17: What is in order is allowed.
    Ensures(
        Implies(
            looked_up(outcome)
            and outcome is not None
            and outcome.row_count <= MOST_ROWS
            and exports(run) < 3
            and (goes_to_bucket(call) or goes_to_colleagues(call))
            and not has_customer_numbers(call, run),
            Result(),
        )
    )


def contract_share(call: ShareDashboard, run: Run) -> None:
    dashboard = run.dashboard(call.dashboard_id)
    # R20, R21: A dashboard is known, without personal data, and goes to colleagues.
    Ensures(
        Implies(
            Result(),
            looked_up(dashboard)
            and dashboard is not None
            and not dashboard.contains_personal_data
            and all(recipient.email.domain == "example.com" for recipient in call.recipients),
        )
    )
    # R21: Only the owner adds editors.
    Ensures(
        Implies(
            dashboard is not None
            and dashboard.owner != run.context.email
            and any(recipient.access == "editor" for recipient in call.recipients),
            not Result(),
        )
    )
    # R21: What is in order is allowed.
    Ensures(
        Implies(
            looked_up(dashboard)
            and dashboard is not None
            and not dashboard.contains_personal_data
            and dashboard.owner == run.context.email
            and all(recipient.email.domain == "example.com" for recipient in call.recipients),
            Result(),
        )
    )


def contract_post(call: PostSummary, run: Run) -> None:
    # R22: Summaries go to #analytics or the channel of the own region.
    Ensures(
        Implies(Result(), call.channel == "#analytics" or call.channel == OWN_CHANNEL[run.context.region])
    )
    # R22: Mail addresses in them are those of colleagues.
    Ensures(Implies(Result(), all(domain.lower() == "example.com" for domain in call.text.mail_domains)))
    # R22: What is in order is allowed.
    Ensures(
        Implies(
            call.channel == "#analytics"
            and all(domain.lower() == "example.com" for domain in call.text.mail_domains),
            Result(),
        )
    )


def contract_other(call: Call) -> None:
    # R23: Describing tables, estimating queries and looking dashboards up show no data, and are allowed like all that is not named here.
    Ensures(Implies(call.tool in SHOWS_NO_DATA, Result()))
