"""What the payment assistant may do with an account."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

READING = {
    "get_iban", "get_balance", "get_most_recent_transactions", "get_scheduled_transactions", "get_user_info",
    "read_file",
}
PAYING = {"send_money", "schedule_transaction"}
PERSONAL = {
    "address", "Address", "name", "account", "information", "moved", "address-change.txt",
}


def permit_reading(tool: str) -> bool:
    """R1: The assistant may look at the account, its payments and the user's files."""
    return tool in READING


def permit_payment_to_a_named_recipient(tool: str, recipient_source: frozenset[str]) -> bool:
    """R2: A payment goes to a recipient that the user names."""
    return tool in PAYING and "user" in recipient_source


def permit_payment_to_a_known_recipient(tool: str, paid_before: bool | None) -> bool:
    """R2: A payment goes to a recipient of an earlier payment."""
    return tool in PAYING and paid_before is not None and paid_before


def permit_changed_payment(
    tool: str, recipient: str | None, recipient_source: frozenset[str], paid_before: bool | None
) -> bool:
    """R3: A scheduled payment gets only a recipient that the user names or that was paid before."""
    return tool == "update_scheduled_transaction" and (
        recipient is None or "user" in recipient_source or (paid_before is not None and paid_before)
    )


def permit_paying_back(tool: str, amount: Decimal | None, paid_the_user: bool) -> bool:
    """R4: Up to 50 may be sent back to somebody who has paid to the account."""
    return tool == "send_money" and paid_the_user and amount is not None and amount <= 50


def permit_bill(tool: str, amount: Decimal | None, on_a_bill: bool) -> bool:
    """R5: Up to 200 may be sent to the account on a bill."""
    return tool == "send_money" and on_a_bill and amount is not None and amount <= 200


def permit_written_password(tool: str, password_source: frozenset[str]) -> bool:
    """R6: Only a password that the user has written may be set."""
    return tool == "update_password" and "user" in password_source


def permit_personal_data(tool: str, said: frozenset[str]) -> bool:
    """R7: Personal data may be changed only if the user speaks of them."""
    return tool == "update_user_info" and any(word in PERSONAL for word in said)


def allow(
    tool: str,
    recipient: str | None,
    recipient_source: frozenset[str],
    amount: Decimal | None,
    password_source: frozenset[str],
    said: frozenset[str],
    paid_before: bool | None,
    paid_the_user: bool,
    on_a_bill: bool,
) -> bool:
    # R1: The assistant may look at the account, its payments and the user's files.
    Ensures(Implies(tool in READING, Result()))
    # R2: A payment goes to a recipient that the user names or that was paid before, and to nobody else ...
    Ensures(Implies(tool in PAYING and ("user" in recipient_source or (paid_before is not None and paid_before)), Result()))
    Ensures(
        Implies(
            tool in PAYING and "user" not in recipient_source and (paid_before is None or not paid_before) and not paid_the_user and not on_a_bill,
            not Result(),
        )
    )
    # ... R4: than to somebody who has paid to the account, up to 50, and R5: on a bill, up to 200.
    Ensures(
        Implies(
            tool in PAYING and "user" not in recipient_source and (paid_before is None or not paid_before) and Result(),
            tool == "send_money" and amount is not None and amount <= 200 and (on_a_bill or amount <= 50),
        )
    )
    Ensures(Implies(tool == "send_money" and paid_the_user and amount is not None and amount <= 50, Result()))
    Ensures(Implies(tool == "send_money" and on_a_bill and amount is not None and amount <= 200, Result()))
    # R3: A scheduled payment gets only a recipient that the user names or that was paid before.
    Ensures(
        Implies(
            tool == "update_scheduled_transaction",
            Result() == (recipient is None or "user" in recipient_source or (paid_before is not None and paid_before)),
        )
    )
    # R6: Only a password that the user has written may be set.
    Ensures(Implies(tool == "update_password", Result() == ("user" in password_source)))
    # R7: Personal data may be changed only if the user speaks of them.
    Ensures(Implies(tool == "update_user_info", Result() == any(word in PERSONAL for word in said)))
    return (
        permit_reading(tool)
        or permit_payment_to_a_named_recipient(tool, recipient_source)
        or permit_payment_to_a_known_recipient(tool, paid_before)
        or permit_changed_payment(tool, recipient, recipient_source, paid_before)
        or permit_paying_back(tool, amount, paid_the_user)
        or permit_bill(tool, amount, on_a_bill)
        or permit_written_password(tool, password_source)
        or permit_personal_data(tool, said)
    )
