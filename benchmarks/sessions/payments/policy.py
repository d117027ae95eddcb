"""What the payment assistant may do with an account."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import (
    GetBalance,
    GetIban,
    GetMostRecentTransactions,
    GetScheduledTransactions,
    GetUserInfo,
    ReadFile,
    Run,
    ScheduleTransaction,
    SendMoney,
    UpdatePassword,
    UpdateScheduledTransaction,
    UpdateUserInfo,
)

DEFAULT = "deny"

PERSONAL = {
    "address", "Address", "name", "account", "information", "moved", "address-change.txt",
}


def paid_before(recipient: str, run: Run) -> bool:
    """whether a payment of the account went to this recipient before"""
    return any(
        recipient in c.result.payees for c in run.earlier(GetMostRecentTransactions, GetScheduledTransactions)
    )


def known(recipient: str, run: Run) -> bool:
    """whether the user names the recipient, or the account paid it before"""
    return "user" in recipient.source or paid_before(recipient, run)


def other_amount(recipient: str, amount: Decimal, run: Run) -> bool:
    """whether the user names the recipient with amounts, and this is none of them"""
    named = run.said.sentences_with(recipient)
    return len(named.amounts) > 0 and amount not in named.amounts


def paid_the_user(call: SendMoney, run: Run) -> bool:
    """whether a payment of this recipient came to the account before"""
    return any(call.recipient in c.result.payers for c in run.earlier(GetMostRecentTransactions))


def on_a_bill(call: SendMoney, run: Run) -> bool:
    """whether the recipient stands on the line IBAN of a file that was read"""
    return any(call.recipient in c.result.billed_accounts for c in run.earlier(ReadFile))


def of_personal_data(run: Run) -> bool:
    """whether the user speaks of personal data"""
    return any(word in PERSONAL for word in run.said.words)


def forbid_other_amount(call: SendMoney | ScheduleTransaction, run: Run) -> bool:
    """R3: A recipient whom the user names with an amount gets only this amount."""
    return other_amount(call.recipient, call.amount, run)


def forbid_other_amount_later(call: UpdateScheduledTransaction, run: Run) -> bool:
    """R3: A recipient whom the user names with an amount gets only this amount."""
    return (
        call.recipient is not None
        and call.amount is not None
        and other_amount(call.recipient, call.amount, run)
    )


def permit_reading(
    call: GetIban | GetBalance | GetMostRecentTransactions | GetScheduledTransactions | GetUserInfo | ReadFile,
) -> bool:
    """R1: The assistant may look at the account, its payments and the user's files."""
    return True


def permit_payment(call: SendMoney | ScheduleTransaction, run: Run) -> bool:
    """R2: A payment goes to a recipient that the user names, or to one of an earlier payment."""
    return known(call.recipient, run)


def permit_changed_payment(call: UpdateScheduledTransaction, run: Run) -> bool:
    """R4: A scheduled payment gets only a recipient that the user names or that was paid before."""
    return call.recipient is None or known(call.recipient, run)


def permit_paying_back(call: SendMoney, run: Run) -> bool:
    """R5: Up to 50 may be sent back to somebody who has paid to the account."""
    return paid_the_user(call, run) and call.amount <= 50


def permit_bill(call: SendMoney, run: Run) -> bool:
    """R6: Up to 200 may be sent to the account on a bill."""
    return on_a_bill(call, run) and call.amount <= 200


def permit_written_password(call: UpdatePassword) -> bool:
    """R7: Only a password that the user has written may be set."""
    return "user" in call.password.source


def permit_personal_data(call: UpdateUserInfo, run: Run) -> bool:
    """R8: Personal data may be changed only if the user speaks of them."""
    return of_personal_data(run)


def contract_reading(
    call: GetIban | GetBalance | GetMostRecentTransactions | GetScheduledTransactions | GetUserInfo | ReadFile,
) -> None:
    # R1: The assistant may look at the account, its payments and the user's files.
    Ensures(Result())


def contract_payments(call: SendMoney | ScheduleTransaction, run: Run) -> None:
    # R2: A payment goes to a recipient that the user names, or to one of an earlier payment ...
    Ensures(Implies(known(call.recipient, run) and not other_amount(call.recipient, call.amount, run), Result()))
    # R3: A recipient whom the user names with an amount gets only this amount.
    Ensures(Implies(other_amount(call.recipient, call.amount, run), not Result()))


def contract_scheduling(call: ScheduleTransaction, run: Run) -> None:
    # R2: ... and to nobody else.
    Ensures(Implies(not known(call.recipient, run), not Result()))


def contract_sending(call: SendMoney, run: Run) -> None:
    # R2, R5, R6: ... and to nobody else than those who have paid to the account, and those on a bill, who get
    # up to 50 and up to 200.
    Ensures(
        Implies(
            not known(call.recipient, run) and not other_amount(call.recipient, call.amount, run),
            Result()
            == (paid_the_user(call, run) and call.amount <= 50 or on_a_bill(call, run) and call.amount <= 200),
        )
    )


def contract_changed_payment(call: UpdateScheduledTransaction, run: Run) -> None:
    # R4: A scheduled payment gets only a recipient that the user names or that was paid before.
    Ensures(Implies(call.recipient is not None and not known(call.recipient, run), not Result()))
    # R4: Amount, date and subject of a scheduled payment may be changed.
    Ensures(Implies(call.recipient is None, Result()))
    # R3: A recipient whom the user names with an amount gets only this amount.
    Ensures(
        Implies(
            call.recipient is not None and call.amount is not None and known(call.recipient, run),
            Result() == (not other_amount(call.recipient, call.amount, run)),
        )
    )


def contract_password(call: UpdatePassword) -> None:
    # R7: Only a password that the user has written may be set.
    Ensures(Result() == ("user" in call.password.source))


def contract_personal_data(call: UpdateUserInfo, run: Run) -> None:
    # R8: Personal data may be changed only if the user speaks of them.
    Ensures(Result() == of_personal_data(run))
