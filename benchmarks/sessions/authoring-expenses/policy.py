"""What the assistant may approve and pay."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal[
    "get_report", "get_budget", "approve_report", "reject_report", "get_invoice",
    "get_vendor", "update_vendor", "create_payment", "create_payment_batch", "post_comment",
]

Role = Literal["employee", "team_lead", "head", "cfo"]
State = Literal["known", "not_looked_up", "absent", "not_named"]

PAYS = {"create_payment", "create_payment_batch"}
CONTACT = {"vendor_id", "changes", "email", "phone", "contact"}


@dataclass(frozen=True)
class Report:
    employee_id: str
    status: str


@dataclass(frozen=True)
class Budget:
    remaining: Decimal


@dataclass(frozen=True)
class Approved:
    amount: Decimal
    claim_category: str | None
    claim_amount: Decimal | None
    claim_receipt: bool | None
    claim_date: date | None
    claim_attendees: int | None
    claim_state: State
    claim_times: int


@dataclass(frozen=True)
class Payment:
    vendor_id: str
    invoice_id: str
    iban: str
    amount: Decimal
    currency: str | None
    invoice_vendor_id: str | None
    invoice_amount_due: Decimal | None
    invoice_currency: str | None
    invoice_status: str | None
    invoice_goods_received: bool | None
    invoice_times: int
    vendor_iban: str | None
    vendor_bank_changed_at: datetime | None
    vendor_blocked: bool | None


@dataclass(frozen=True)
class Order:
    execute_on: date | None
    weekday: int | None


def forbid_own_or_boss(tool: Tool, user_id: str, manager_id: str, report: Report | None) -> bool:
    """R1: Nobody approves their own expenses or those of their boss."""
    return (
        tool == "approve_report"
        and report is not None
        and (report.employee_id == user_id or report.employee_id == manager_id)
    )


def forbid_over_limit(tool: Tool, role: Role, lines: tuple[Approved, ...]) -> bool:
    """R2, R3, R4: Team leads approve up to 1,000 euros, heads up to 5,000, the CFO more, others nothing."""
    if tool != "approve_report" or role == "cfo":
        return False
    return (
        role == "employee"
        or role == "team_lead" and sum(line.amount for line in lines) > Decimal("1000.00")
        or role == "head" and sum(line.amount for line in lines) > Decimal("5000.00")
    )


def forbid_without_receipt(tool: Tool, lines: tuple[Approved, ...]) -> bool:
    """R18: A receipt is needed from 25 euros up."""
    return (
        tool == "approve_report"
        and any(
            line.amount >= Decimal("25.00")
            and (line.claim_receipt is None or not line.claim_receipt)
            for line in lines
        )
    )


def people(attendees: int | None) -> int:
    return 1 if attendees is None else attendees


def forbid_dear_meal(tool: Tool, lines: tuple[Approved, ...]) -> bool:
    """R5: Meals are 40 euros a head at most."""
    return (
        tool == "approve_report"
        and any(
            line.claim_category == "meal"
            and line.amount > people(line.claim_attendees) * Decimal("40.00")
            for line in lines
        )
    )


def forbid_old_line(tool: Tool, lines: tuple[Approved, ...], today: date) -> bool:
    """R6: What is older than 90 days is not reimbursed."""
    return (
        tool == "approve_report"
        and any(
            line.claim_date is not None and today - line.claim_date > timedelta(days=90)
            for line in lines
        )
    )


def forbid_over_budget(
    tool: Tool,
    lines: tuple[Approved, ...],
    budget: Budget | None,
    approved_before: Decimal | None,
) -> bool:
    """R19: The cost centre has enough budget left, which is looked up first."""
    return (
        tool == "approve_report"
        and (
            budget is None
            or approved_before is None
            or sum(line.amount for line in lines) + approved_before > budget.remaining
        )
    )


def forbid_unknown_report(tool: Tool, report: Report | None) -> bool:
    """R7: A report is looked up before it is approved, and is one that was submitted."""
    return tool == "approve_report" and (report is None or report.status != "submitted")


def forbid_bad_line(tool: Tool, lines: tuple[Approved, ...]) -> bool:
    """R7: Lines are of the report, named once, and nobody gets more than they claimed."""
    return (
        tool == "approve_report"
        and (
            len(lines) == 0
            or any(
                line.claim_amount is None
                or line.amount > line.claim_amount
                or line.amount < Decimal("0.00")
                or line.claim_times > 1
                for line in lines
            )
        )
    )


def forbid_reject_without_reason(tool: Tool, reason: str | None) -> bool:
    """R8: A rejection has a reason of ten characters."""
    return tool == "reject_report" and (reason is None or len(reason) < 10)


def is_payable(payment: Payment) -> bool:
    """Whether the invoice is an open one of the vendor and the goods are there."""
    return (
        payment.invoice_vendor_id is not None
        and payment.invoice_vendor_id == payment.vendor_id
        and payment.invoice_status == "open"
        and payment.invoice_goods_received is not None
        and payment.invoice_goods_received
    )


def is_due(payment: Payment) -> bool:
    """Whether the amount is what is due, less a discount of 3 % at most."""
    return (
        payment.invoice_amount_due is not None
        and payment.amount >= Decimal("0.00")
        and payment.amount <= payment.invoice_amount_due
        and payment.amount >= payment.invoice_amount_due * Decimal("0.97")
    )


def forbid_wrong_invoice(tool: Tool, payments: tuple[Payment, ...], paid: frozenset[str]) -> bool:
    """R9, R10, R17: An open invoice is paid once, by what is due less 3 % at most, when the goods are there."""
    return (
        tool in PAYS
        and (
            len(payments) == 0
            or any(
                not is_payable(payment)
                or not is_due(payment)
                or payment.invoice_id in paid
                or payment.invoice_times > 1
                for payment in payments
            )
        )
    )


def forbid_wrong_account(tool: Tool, payments: tuple[Payment, ...], now: datetime) -> bool:
    """R11, R12, R16, R17: A payment goes to the vendor's own account, unchanged for two weeks, and to no blocked vendor."""
    return (
        tool in PAYS
        and any(
            payment.vendor_iban is None
            or payment.vendor_iban != payment.iban
            or payment.vendor_bank_changed_at is not None
            and now - payment.vendor_bank_changed_at < timedelta(days=14)
            or payment.vendor_blocked is None
            or payment.vendor_blocked
            for payment in payments
        )
    )


def forbid_bank_details(tool: Tool, changed: frozenset[str]) -> bool:
    """R13: Contact data of a vendor may be changed, bank details may not."""
    return tool == "update_vendor" and any(key not in CONTACT for key in changed)


def forbid_over_session(tool: Tool, payments: tuple[Payment, ...], paid_before: Decimal) -> bool:
    """R14: Not more than 10,000 euros a session."""
    return (
        tool in PAYS
        and sum(payment.amount for payment in payments) + paid_before > Decimal("10000.00")
    )


def forbid_day(tool: Tool, orders: tuple[Order, ...], today: date, weekday: int, hour: int) -> bool:
    """R15: Payments run on working days, and after 3 p.m. on a later one."""
    return (
        tool in PAYS
        and any(
            weekday > 5 or hour >= 15
            if order.execute_on is None or order.weekday is None
            else order.weekday > 5
            or order.execute_on < today
            or hour >= 15 and order.execute_on == today
            for order in orders
        )
    )


def forbid_foreign_currency(tool: Tool, payments: tuple[Payment, ...]) -> bool:
    """R20: Foreign currency is done by treasury."""
    return (
        tool in PAYS
        and any(
            payment.currency is not None and payment.currency != "EUR"
            or payment.invoice_currency is not None and payment.invoice_currency != "EUR"
            for payment in payments
        )
    )


def allow(
    tool: Tool,
    user_id: str,
    manager_id: str,
    role: Role,
    report: Report | None,
    budget: Budget | None,
    lines: tuple[Approved, ...],
    approved_before: Decimal | None,
    reason: str | None,
    changed: frozenset[str],
    payments: tuple[Payment, ...],
    orders: tuple[Order, ...],
    paid: frozenset[str],
    paid_before: Decimal,
    now: datetime,
    today: date,
    weekday: int,
    hour: int,
) -> bool:
    # R1: Nobody approves their own expenses, and nobody those of their own boss.
    Ensures(
        Implies(
            Result() and tool == "approve_report",
            report is not None
            and report.employee_id != user_id
            and report.employee_id != manager_id,
        ),
    )
    # R4: An employee approves nothing.
    Ensures(Implies(Result() and tool == "approve_report", role != "employee"))
    # R2: A team lead approves at most 1,000 euros a report.
    Ensures(
        Implies(
            Result() and tool == "approve_report" and role == "team_lead",
            sum(line.amount for line in lines) <= Decimal("1000.00"),
        ),
    )
    # R2, R3: A head of department approves at most 5,000 euros a report.
    Ensures(
        Implies(
            Result() and tool == "approve_report" and role == "head",
            sum(line.amount for line in lines) <= Decimal("5000.00"),
        ),
    )
    # R18: Every approved line from 25 euros up has a receipt.
    Ensures(
        Implies(
            Result() and tool == "approve_report",
            not any(
                line.amount > Decimal("24.99")
                and line.claim_receipt is not None
                and not line.claim_receipt
                for line in lines
            ),
        ),
    )
    # R5: A meal without guests is at most 40 euros, one of three people at most 120.
    Ensures(
        Implies(
            Result() and tool == "approve_report",
            all(
                line.amount <= Decimal("40.00")
                for line in lines
                if line.claim_category == "meal" and line.claim_attendees is None
            )
            and all(
                line.amount <= Decimal("120.00")
                for line in lines
                if line.claim_category == "meal" and line.claim_attendees == 3
            ),
        ),
    )
    # R6: No approved line is older than 90 days.
    Ensures(
        Implies(
            Result() and tool == "approve_report",
            not any(
                line.claim_date is not None and today - line.claim_date >= timedelta(days=91)
                for line in lines
            ),
        ),
    )
    # R19: The budget was looked up and covers the sum with what was approved since.
    Ensures(
        Implies(
            Result() and tool == "approve_report",
            budget is not None
            and approved_before is not None
            and sum(line.amount for line in lines) + approved_before <= budget.remaining,
        ),
    )
    # R7: Each approved line is one of a submitted report, named once, and no more than was claimed.
    Ensures(
        Implies(
            Result() and tool == "approve_report",
            report is not None
            and report.status == "submitted"
            and all(
                line.claim_amount is not None
                and line.amount <= line.claim_amount
                and line.amount >= Decimal("0.00")
                and line.claim_times <= 1
                for line in lines
            ),
        ),
    )
    # R8: A rejection says why in at least ten characters.
    Ensures(Implies(tool == "reject_report", Result() == (reason is not None and len(reason) > 9)))
    # R9, R17: Every payment is of an open invoice of its vendor, whose goods are there.
    Ensures(
        Implies(
            Result() and tool in PAYS,
            all(
                payment.invoice_status == "open"
                and payment.invoice_vendor_id == payment.vendor_id
                and payment.invoice_goods_received == True
                for payment in payments
            ),
        ),
    )
    # R9: No invoice is paid that was paid earlier in the run, or twice in one call.
    Ensures(
        Implies(
            Result() and tool in PAYS,
            not any(
                payment.invoice_id in paid or payment.invoice_times >= 2
                for payment in payments
            ),
        ),
    )
    # R10: Every payment is between 97 % and 100 % of what is due.
    Ensures(
        Implies(
            Result() and tool in PAYS,
            all(
                payment.invoice_amount_due is not None
                and payment.amount <= payment.invoice_amount_due
                and payment.amount * 100 >= payment.invoice_amount_due * 97
                for payment in payments
            ),
        ),
    )
    # R11, R17: Every payment goes to the account in the vendor's records.
    Ensures(
        Implies(
            Result() and tool in PAYS,
            all(payment.iban == payment.vendor_iban for payment in payments),
        ),
    )
    # R12, R17: No payment goes to an account that changed in the last two weeks.
    Ensures(
        Implies(
            Result() and tool in PAYS,
            all(
                now - payment.vendor_bank_changed_at >= timedelta(weeks=2)
                for payment in payments
                if payment.vendor_bank_changed_at is not None
            ),
        ),
    )
    # R13: A vendor's bank details stay as they are.
    Ensures(Implies("iban" in changed or "bic" in changed, tool != "update_vendor" or not Result()))
    # R14: All payments of a session come to at most 10,000 euros.
    Ensures(
        Implies(
            Result() and tool in PAYS,
            sum(payment.amount for payment in payments) + paid_before <= Decimal("10000.00"),
        ),
    )
    # R15: A payment without a day is made on a working day before 3 p.m.
    Ensures(
        Implies(
            Result() and tool in PAYS and any(order.execute_on is None for order in orders),
            weekday <= 5 and hour < 15,
        ),
    )
    # R15: A payment for a day is for a working day that is not past.
    Ensures(
        Implies(
            Result() and tool in PAYS,
            all(
                order.weekday <= 5 and order.execute_on >= today
                for order in orders
                if order.execute_on is not None and order.weekday is not None
            ),
        ),
    )
    # R20: Every payment and its invoice are in euros.
    Ensures(
        Implies(
            Result() and tool in PAYS,
            all(
                (payment.currency is None or payment.currency == "EUR")
                and (payment.invoice_currency is None or payment.invoice_currency == "EUR")
                for payment in payments
            ),
        ),
    )
    # R16: No blocked vendor is paid.
    Ensures(
        Implies(
            Result() and tool in PAYS,
            not any(
                payment.vendor_blocked is not None and payment.vendor_blocked
                for payment in payments
            ),
        ),
    )
    # R21: Comments and look-ups are not limited.
    Ensures(
        Implies(
            tool in {"get_report", "get_budget", "get_invoice", "get_vendor", "post_comment"},
            Result(),
        ),
    )
    return not (
        forbid_own_or_boss(tool, user_id, manager_id, report)
        or forbid_over_limit(tool, role, lines)
        or forbid_without_receipt(tool, lines)
        or forbid_dear_meal(tool, lines)
        or forbid_old_line(tool, lines, today)
        or forbid_over_budget(tool, lines, budget, approved_before)
        or forbid_unknown_report(tool, report)
        or forbid_bad_line(tool, lines)
        or forbid_reject_without_reason(tool, reason)
        or forbid_wrong_invoice(tool, payments, paid)
        or forbid_wrong_account(tool, payments, now)
        or forbid_bank_details(tool, changed)
        or forbid_over_session(tool, payments, paid_before)
        or forbid_day(tool, orders, today, weekday, hour)
        or forbid_foreign_currency(tool, payments)
    )
