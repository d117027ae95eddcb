"""What the assistant may approve and pay."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import (
    ApproveReport,
    Call,
    CreatePayment,
    CreatePaymentBatch,
    GetBudget,
    RejectReport,
    Run,
    UpdateVendor,
    looked_up,
)

DEFAULT = "allow"
CONTACT = {"email", "phone", "contact"}
FREE = {"get_report", "get_budget", "get_invoice", "get_vendor", "post_comment"}
LIMIT = {
    "employee": Decimal("0"),
    "team_lead": Decimal("1000"),
    "head": Decimal("5000"),
    "cfo": Decimal("1000000000"),
}


def approved(call: ApproveReport) -> Decimal:
    """what is approved"""
    return sum((line.approved_amount for line in call.lines), Decimal("0"))


def is_own_or_of_boss(call: ApproveReport, run: Run) -> bool:
    """whether the report is of who is logged in, or of their boss"""
    report = run.report(call.report_id)
    return report is not None and (
        report.employee_id == run.context.user_id or report.employee_id == run.context.manager_id
    )


def is_submitted(call: ApproveReport, run: Run) -> bool:
    """whether the report was looked up and is submitted"""
    report = run.report(call.report_id)
    return looked_up(report) and report is not None and report.status == "submitted"


def lacks_receipt(call: ApproveReport, run: Run) -> bool:
    """whether a line from 25 euros up has no receipt"""
    report = run.report(call.report_id)
    return report is not None and any(
        line.approved_amount >= 25
        and any(claim.line_id == line.line_id and not claim.receipt for claim in report.lines)
        for line in call.lines
    )


def has_dear_meal(call: ApproveReport, run: Run) -> bool:
    """whether a meal is above 40 euros a head"""
    report = run.report(call.report_id)
    return report is not None and any(
        any(
            claim.line_id == line.line_id
            and claim.category == "meal"
            and (
                line.approved_amount > 40
                if claim.attendees is None
                else line.approved_amount > claim.attendees * Decimal("40")
            )
            for claim in report.lines
        )
        for line in call.lines
    )


def has_old_line(call: ApproveReport, run: Run) -> bool:
    """whether a line is older than 90 days"""
    report = run.report(call.report_id)
    return report is not None and any(
        any(
            claim.line_id == line.line_id and call.time.date - claim.date > timedelta(days=90)
            for claim in report.lines
        )
        for line in call.lines
    )


def has_wrong_line(call: ApproveReport, run: Run) -> bool:
    """whether a line is not of the report, is named twice, or gets more than was claimed"""
    report = run.report(call.report_id)
    return report is None or any(
        line.approved_amount < 0
        or not any(
            claim.line_id == line.line_id and line.approved_amount <= claim.amount for claim in report.lines
        )
        or sum(1 for other in call.lines if other.line_id == line.line_id) > 1
        for line in call.lines
    )


def approved_since_look_up(run: Run, cost_centre: str) -> Decimal:
    """what was approved on the cost centre since its budget was looked up"""
    since = run.since(c for c in run.earlier(GetBudget) if c.cost_centre == cost_centre and c.succeeded)
    return sum(
        (
            sum((line.approved_amount for line in c.lines), Decimal("0"))
            for c in since.earlier(ApproveReport)
            if c.succeeded
            and (run.charged(c.report_id) is None or run.charged(c.report_id).cost_centre == cost_centre)
        ),
        Decimal("0"),
    )


def is_in_budget(call: ApproveReport, run: Run) -> bool:
    """whether the cost centre was looked up and has enough left"""
    charged = run.charged(call.report_id)
    if not looked_up(charged) or charged is None:
        return False
    budget = run.budget(charged.cost_centre)
    return (
        looked_up(budget)
        and budget is not None
        and approved(call) + approved_since_look_up(run, charged.cost_centre) <= budget.remaining
    )


def is_payable(run: Run, invoice_id: str, vendor_id: str, amount: Decimal) -> bool:
    """whether the invoice is an open one of the vendor, the goods are there, and the amount is what is due less 3 % at most"""
    invoice = run.invoice(invoice_id)
    return (
        looked_up(invoice)
        and invoice is not None
        and invoice.vendor_id == vendor_id
        and invoice.status == "open"
        and invoice.goods_received
        and amount >= 0
        and amount <= invoice.amount_due
        and amount >= invoice.amount_due * Decimal("0.97")
    )


def was_paid(run: Run, invoice_id: str) -> bool:
    """whether the invoice was paid earlier in the run"""
    return any(c.invoice_id == invoice_id and c.succeeded for c in run.earlier(CreatePayment)) or any(
        c.succeeded and any(payment.invoice_id == invoice_id for payment in c.payments)
        for c in run.earlier(CreatePaymentBatch)
    )


def is_right_account(run: Run, call: CreatePayment | CreatePaymentBatch, vendor_id: str, iban: str) -> bool:
    """whether the account is the vendor's own, unchanged for two weeks, and the vendor is not blocked"""
    vendor = run.vendor(vendor_id)
    return (
        looked_up(vendor)
        and vendor is not None
        and vendor.iban == iban
        and not vendor.blocked
        and (vendor.bank_changed_at is None or call.time - vendor.bank_changed_at >= timedelta(days=14))
    )


def is_foreign(run: Run, invoice_id: str) -> bool:
    """whether the invoice is in foreign currency"""
    invoice = run.invoice(invoice_id)
    return invoice is not None and invoice.currency is not None and invoice.currency != "EUR"


def paid_before(run: Run) -> Decimal:
    """what was paid earlier in the run"""
    return sum((c.amount for c in run.earlier(CreatePayment) if c.succeeded), Decimal("0")) + sum(
        (
            sum((payment.amount for payment in c.payments), Decimal("0"))
            for c in run.earlier(CreatePaymentBatch)
            if c.succeeded
        ),
        Decimal("0"),
    )


def forbid_own_or_boss(call: ApproveReport, run: Run) -> bool:
    """R5: Nobody approves their own expenses, and nobody those of their own boss."""
    return is_own_or_of_boss(call, run)


def forbid_over_limit(call: ApproveReport, run: Run) -> bool:
    """R6: Team leads can approve up to 1,000 euros per report, heads of department up to 5,000."""
    role = run.context.role
    return role == "employee" or role != "cfo" and approved(call) > LIMIT[role]


def forbid_without_receipt(call: ApproveReport, run: Run) -> bool:
    """R9: A receipt is needed for everything from 25 euros up."""
    return lacks_receipt(call, run)


def forbid_dear_meal(call: ApproveReport, run: Run) -> bool:
    """R10: Meals: 40 euros a head at most (guests count as well)."""
    return has_dear_meal(call, run)


def forbid_old_line(call: ApproveReport, run: Run) -> bool:
    """R11: What is older than 90 days isn't reimbursed any more."""
    return has_old_line(call, run)


def forbid_over_budget(call: ApproveReport, run: Run) -> bool:
    """R12: The cost centre has to have enough budget left for it, so have a look first."""
    return not is_in_budget(call, run)


def forbid_unknown_report(call: ApproveReport, run: Run) -> bool:
    """R12: A report is looked up before it is approved, and is one that was submitted."""
    return not is_submitted(call, run)


def forbid_bad_line(call: ApproveReport, run: Run) -> bool:
    """R15: Nobody ever gets more than they claimed."""
    return len(call.lines) == 0 or has_wrong_line(call, run)


def forbid_reject_without_reason(call: RejectReport) -> bool:
    """R16: Rejecting is always possible, but with a reason people can understand."""
    return len(call.reason) < 10


def forbid_wrong_invoice(call: CreatePayment, run: Run) -> bool:
    """R17: We pay only what we have an invoice for, once the goods are there, and of course never twice."""
    return not is_payable(run, call.invoice_id, call.vendor_id, call.amount) or was_paid(run, call.invoice_id)


def has_wrong_invoice(call: CreatePaymentBatch, run: Run) -> bool:
    """whether an invoice of the batch is not payable, was paid, or is paid twice"""
    return any(
        not is_payable(run, payment.invoice_id, payment.vendor_id, payment.amount)
        or was_paid(run, payment.invoice_id)
        or sum(1 for other in call.payments if other.invoice_id == payment.invoice_id) > 1
        for payment in call.payments
    )


def forbid_wrong_invoice_in_batch(call: CreatePaymentBatch, run: Run) -> bool:
    """R32: if one of them is wrong, the batch doesn't go."""
    return len(call.payments) == 0 or has_wrong_invoice(call, run)


def forbid_wrong_account(call: CreatePayment, run: Run) -> bool:
    """R21: The account must be the one in our vendor records."""
    return not is_right_account(run, call, call.vendor_id, call.iban)


def has_wrong_account(call: CreatePaymentBatch, run: Run) -> bool:
    """whether a payment of the batch goes to a wrong account"""
    return any(not is_right_account(run, call, payment.vendor_id, payment.iban) for payment in call.payments)


def forbid_wrong_account_in_batch(call: CreatePaymentBatch, run: Run) -> bool:
    """R21: So does each payment of a batch."""
    return has_wrong_account(call, run)


def forbid_bank_details(call: UpdateVendor) -> bool:
    """R24: The assistant may keep contact data of vendors up to date, but not their bank details."""
    return any(change.of not in CONTACT for change in call.changes)


def forbid_over_session(call: CreatePayment, run: Run) -> bool:
    """R25: Not more than 10,000 euros per session, all payments together."""
    return call.amount + paid_before(run) > 10000


def forbid_batch_over_session(call: CreatePaymentBatch, run: Run) -> bool:
    """R25: Not more than 10,000 euros a session, with those of a batch."""
    return sum(payment.amount for payment in call.payments) + paid_before(run) > 10000


def is_wrong_day(call: CreatePayment | CreatePaymentBatch) -> bool:
    """whether the day of the payment is no working day, is past, or is today after 3 p.m."""
    if call.execute_on is None:
        return call.time.weekday > 5 or call.time.hour >= 15
    return (
        call.execute_on.weekday > 5
        or call.execute_on.date < call.time.date
        or call.time.hour >= 15
        and call.execute_on.date == call.time.date
    )


def forbid_day(call: CreatePayment | CreatePaymentBatch) -> bool:
    """R27: Payments run on working days."""
    return is_wrong_day(call)


def forbid_foreign_currency(call: CreatePayment, run: Run) -> bool:
    """R29: Foreign currency is done by treasury."""
    return call.currency is not None and call.currency != "EUR" or is_foreign(run, call.invoice_id)


def has_foreign_currency(call: CreatePaymentBatch, run: Run) -> bool:
    """whether a payment of the batch is in foreign currency"""
    return any(
        payment.currency is not None and payment.currency != "EUR" or is_foreign(run, payment.invoice_id)
        for payment in call.payments
    )


def forbid_foreign_currency_in_batch(call: CreatePaymentBatch, run: Run) -> bool:
    """R29: So it is with each payment of a batch."""
    return has_foreign_currency(call, run)


def contract_approve(call: ApproveReport, run: Run) -> None:
    # R5: Nobody approves their own expenses, and nobody those of their own boss.
    Ensures(Implies(Result(), not is_own_or_of_boss(call, run)))
    # R8: Everyone else approves nothing at all.
    Ensures(Implies(Result(), run.context.role != "employee"))
    # R6: A team lead approves at most 1,000 euros a report.
    Ensures(Implies(Result() and run.context.role == "team_lead", approved(call) <= Decimal("1000.00")))
    # R7, R6: More than that is for the CFO.
    Ensures(Implies(Result() and run.context.role == "head", approved(call) <= Decimal("5000.00")))
    # R9: Every approved line from 25 euros up has a receipt.
    Ensures(Implies(Result(), not lacks_receipt(call, run)))
    # R10: A meal is at most 40 euros a head.
    Ensures(Implies(Result(), not has_dear_meal(call, run)))
    # R11: No approved line is older than 90 days.
    Ensures(Implies(Result(), not has_old_line(call, run)))
    # R12: The budget was looked up and covers the sum with what was approved since.
    Ensures(Implies(Result(), is_in_budget(call, run)))
    # R14, R15: Lines that are not in order are left out.
    Ensures(Implies(Result(), is_submitted(call, run) and not has_wrong_line(call, run)))
    # R15: What is in order is allowed.
    Ensures(
        Implies(
            not is_own_or_of_boss(call, run)
            and run.context.role == "cfo"
            and not lacks_receipt(call, run)
            and not has_dear_meal(call, run)
            and not has_old_line(call, run)
            and is_in_budget(call, run)
            and is_submitted(call, run)
            and len(call.lines) > 0
            and not has_wrong_line(call, run),
            Result(),
        )
    )


def contract_reject(call: RejectReport) -> None:
    # R16: A rejection says why in at least ten characters.
    Ensures(Result() == (len(call.reason) > 9))


def contract_vendor(call: UpdateVendor) -> None:
    # R24: A vendor's bank details stay as they are.
    Ensures(Implies(any(change.of == "iban" or change.of == "bic" for change in call.changes), not Result()))
    # R24: What is in order is allowed.
    Ensures(Implies(all(change.of in CONTACT for change in call.changes), Result()))


def contract_pay(call: CreatePayment, run: Run) -> None:
    # R19, R17: Pay the amount that is due.
    Ensures(Implies(Result(), is_payable(run, call.invoice_id, call.vendor_id, call.amount)))
    # R17: No invoice is paid that was paid earlier in the run.
    Ensures(Implies(was_paid(run, call.invoice_id), not Result()))
    # R22, R21: When the bank details there were changed within the last two weeks, wait.
    Ensures(Implies(Result(), is_right_account(run, call, call.vendor_id, call.iban)))
    # R25: All payments of a session come to at most 10,000 euros.
    Ensures(Implies(Result(), call.amount + paid_before(run) <= Decimal("10000.00")))
    # R28, R27: After 3 p.m. the bank takes them only for a later day.
    Ensures(Implies(Result() and call.execute_on is None, call.time.weekday <= 5 and call.time.hour < 15))
    # R27: A payment for a day is for a working day that is not past.
    Ensures(Implies(Result(), not is_wrong_day(call)))
    # R29: Every payment and its invoice are in euros.
    Ensures(
        Implies(
            Result(),
            (call.currency is None or call.currency == "EUR") and not is_foreign(run, call.invoice_id),
        )
    )
    # R20: If the supplier grants a discount for early payment (up to 3 %) we like to take it.
    Ensures(
        Implies(
            is_payable(run, call.invoice_id, call.vendor_id, call.amount)
            and not was_paid(run, call.invoice_id)
            and is_right_account(run, call, call.vendor_id, call.iban)
            and call.amount + paid_before(run) <= 10000
            and not is_wrong_day(call)
            and call.currency is None
            and not is_foreign(run, call.invoice_id),
            Result(),
        )
    )


def contract_batch(call: CreatePaymentBatch, run: Run) -> None:
    # R32, R17: No payment of a batch is of an invoice that is not payable, was paid, or is paid twice.
    Ensures(Implies(Result(), not has_wrong_invoice(call, run)))
    # R30, R21: Blocked vendors get nothing until someone lifts the block.
    Ensures(Implies(Result(), not has_wrong_account(call, run)))
    # R25: All payments of a session come to at most 10,000 euros.
    Ensures(
        Implies(
            Result(),
            sum(payment.amount for payment in call.payments) + paid_before(run) <= Decimal("10000.00"),
        )
    )
    # R27: A payment is for a working day that is not past.
    Ensures(Implies(Result(), not is_wrong_day(call)))
    # R29: Every payment and its invoice are in euros.
    Ensures(Implies(Result(), not has_foreign_currency(call, run)))
    # R31: Several payments can go in one batch;
    Ensures(
        Implies(
            len(call.payments) > 0
            and not has_wrong_invoice(call, run)
            and not has_wrong_account(call, run)
            and sum(payment.amount for payment in call.payments) + paid_before(run) <= 10000
            and not is_wrong_day(call)
            and not has_foreign_currency(call, run),
            Result(),
        )
    )


def contract_other(call: Call) -> None:
    # Comments and look-ups are not limited.
    Ensures(Implies(call.tool in FREE, Result()))
