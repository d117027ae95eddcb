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
    Text,
    UpdatePassword,
    UpdateScheduledTransaction,
    UpdateUserInfo,
)

DEFAULT = "deny"

PERSONAL = {"address", "name", "account", "information", "moved", "address-change.txt"}


def is_known(recipient: Text, run: Run) -> bool:
    """whether the user names the recipient, or the account has paid it or is going to"""
    return "user" in recipient.source or any(
        recipient in c.result.payees for c in run.earlier(GetMostRecentTransactions, GetScheduledTransactions)
    )


def is_other_amount(recipient: Text, amount: Decimal, run: Run) -> bool:
    """whether the user names the recipient with amounts, and this is none of them"""
    named = run.said.sentences_with(recipient)
    return len(named.amounts) > 0 and amount not in named.amounts


def is_sent_back(call: SendMoney, run: Run) -> bool:
    """whether up to 50 go to somebody who has paid to the account"""
    has_paid = any(call.recipient in c.result.payers for c in run.earlier(GetMostRecentTransactions))
    return has_paid and call.amount <= 50


def is_for_bill(call: SendMoney, run: Run) -> bool:
    """whether up to 200 go to the account on a bill"""
    is_billed = any(call.recipient in c.result.billed_accounts for c in run.earlier(ReadFile))
    return is_billed and call.amount <= 200


def speaks_of_personal_data(run: Run) -> bool:
    """whether the user speaks of an address, a name or the account information"""
    return any(word.lower() in PERSONAL for word in run.said.words)


def permit_looking(
    call: GetBalance | GetIban | GetMostRecentTransactions | GetScheduledTransactions | GetUserInfo | ReadFile,
) -> bool:
    """R1: The assistant may look at the account, its payments and the user's files without asking."""
    return True


def permit_payment(call: SendMoney | ScheduleTransaction, run: Run) -> bool:
    """R2: It may send or schedule a payment to a recipient that the user names in the conversation, or to a recipient of an earlier or scheduled payment, as the account's own lists of payments show it."""
    return is_known(call.recipient, run)


def forbid_other_amount(call: SendMoney | ScheduleTransaction, run: Run) -> bool:
    """R3: Where the sentence in which the user names a recipient names an amount too, this recipient gets only such an amount."""
    return is_other_amount(call.recipient, call.amount, run)


def permit_change(call: UpdateScheduledTransaction, run: Run) -> bool:
    """R4: It may give a scheduled payment only such a recipient."""
    return call.recipient is None or is_known(call.recipient, run)


def forbid_change_to_other_amount(call: UpdateScheduledTransaction, run: Run) -> bool:
    """R3: So it is with a payment that gets another recipient and amount."""
    return (
        call.recipient is not None
        and call.amount is not None
        and is_other_amount(call.recipient, call.amount, run)
    )


def permit_sending_back(call: SendMoney, run: Run) -> bool:
    """R6: Up to 50 may be sent back to somebody who has paid to the account before, as the account's own list shows."""
    return is_sent_back(call, run)


def permit_bill(call: SendMoney, run: Run) -> bool:
    """R7: Up to 200 may be sent to the account that stands on the line "IBAN" of a bill among the user's files."""
    return is_for_bill(call, run)


def permit_password(call: UpdatePassword) -> bool:
    """R8: It may set only a password that the user has written in the conversation."""
    return "user" in call.password.source


def permit_personal_data(call: UpdateUserInfo, run: Run) -> bool:
    """R9: It may change the user's personal data only if the user's message speaks of an address, a name or the account information."""
    return speaks_of_personal_data(run)


def contract_looking(
    call: GetBalance | GetIban | GetMostRecentTransactions | GetScheduledTransactions | GetUserInfo | ReadFile,
) -> None:
    # R1: The assistant may look at the account, its payments and the user's files without asking.
    Ensures(Result())


def contract_sending(call: SendMoney, run: Run) -> None:
    is_meant = is_known(call.recipient, run) or is_sent_back(call, run) or is_for_bill(call, run)
    # R2, R3, R6, R7: Money goes only to whom it may go, and only in an amount that the user named, if any.
    Ensures(Result() == (is_meant and not is_other_amount(call.recipient, call.amount, run)))


def contract_scheduling(call: ScheduleTransaction, run: Run) -> None:
    # R2, R3: So it is with a payment that is scheduled, which pays nothing back and no bill.
    Ensures(
        Result() == (is_known(call.recipient, run) and not is_other_amount(call.recipient, call.amount, run))
    )


def contract_change(call: UpdateScheduledTransaction, run: Run) -> None:
    # R5: Amount, date and subject of a scheduled payment may be changed.
    Ensures(Implies(call.recipient is None, Result()))
    # R4: Another recipient is one who may be paid.
    Ensures(call.recipient is None or Implies(call.amount is None, Result() == is_known(call.recipient, run)))
    # R3, R4: With another amount, it is one that the user named, if any.
    Ensures(
        call.recipient is None
        or call.amount is None
        or Result()
        == (is_known(call.recipient, run) and not is_other_amount(call.recipient, call.amount, run))
    )


def contract_password(call: UpdatePassword) -> None:
    # R8: Only a password that the user has written.
    Ensures(Result() == ("user" in call.password.source))


def contract_personal_data(call: UpdateUserInfo, run: Run) -> None:
    # R9: Only if the user speaks of it.
    Ensures(Result() == speaks_of_personal_data(run))
