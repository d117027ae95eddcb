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


def forbid_other_amount(tool: str, amount: Decimal | None, named_amounts: tuple[Decimal, ...]) -> bool:
    """R3: A recipient whom the user names with an amount gets only this amount."""
    return (
        (tool in PAYING or tool == "update_scheduled_transaction")
        and amount is not None
        and len(named_amounts) > 0
        and amount not in named_amounts
    )


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
    """R4: A scheduled payment gets only a recipient that the user names or that was paid before."""
    return tool == "update_scheduled_transaction" and (
        recipient is None or "user" in recipient_source or (paid_before is not None and paid_before)
    )


def permit_paying_back(tool: str, amount: Decimal | None, paid_the_user: bool) -> bool:
    """R5: Up to 50 may be sent back to somebody who has paid to the account."""
    return tool == "send_money" and paid_the_user and amount is not None and amount <= 50


def permit_bill(tool: str, amount: Decimal | None, on_a_bill: bool) -> bool:
    """R6: Up to 200 may be sent to the account on a bill."""
    return tool == "send_money" and on_a_bill and amount is not None and amount <= 200


def permit_written_password(tool: str, password_source: frozenset[str]) -> bool:
    """R7: Only a password that the user has written may be set."""
    return tool == "update_password" and "user" in password_source


def permit_personal_data(tool: str, said: frozenset[str]) -> bool:
    """R8: Personal data may be changed only if the user speaks of them."""
    return tool == "update_user_info" and any(word in PERSONAL for word in said)


def only_named_amounts(amount: Decimal | None, named_amounts: tuple[Decimal, ...]) -> bool:
    return amount is None or len(named_amounts) == 0 or amount in named_amounts


def allow(
    tool: str,
    recipient: str | None,
    recipient_source: frozenset[str],
    amount: Decimal | None,
    named_amounts: tuple[Decimal, ...],
    password_source: frozenset[str],
    said: frozenset[str],
    paid_before: bool | None,
    paid_the_user: bool,
    on_a_bill: bool,
) -> bool:
    # R1: The assistant may look at the account, its payments and the user's files.
    Ensures(Implies(tool in READING, Result()))
    # R2: A payment goes to a recipient that the user names or that was paid before ...
    Ensures(
        Implies(
            tool in PAYING
            and ("user" in recipient_source or (paid_before is not None and paid_before))
            and only_named_amounts(amount, named_amounts),
            Result(),
        )
    )
    # R2, R5, R6: ... and to nobody else than those who have paid to the account, and those on a bill.
    Ensures(
        Implies(
            tool in PAYING and "user" not in recipient_source and (paid_before is None or not paid_before) and not paid_the_user and not on_a_bill,
            not Result(),
        )
    )
    # R3: A recipient whom the user names with an amount gets only this amount.
    Ensures(
        Implies(
            tool in PAYING or tool == "update_scheduled_transaction",
            only_named_amounts(amount, named_amounts) or not Result(),
        )
    )
    # R5, R6: These get up to 50 and up to 200.
    Ensures(
        Implies(
            tool in PAYING and "user" not in recipient_source and (paid_before is None or not paid_before) and Result(),
            tool == "send_money" and amount is not None and amount <= 200 and (on_a_bill or amount <= 50),
        )
    )
    # R5: Up to 50 may be sent back to somebody who has paid to the account.
    Ensures(
        Implies(
            tool == "send_money" and paid_the_user and amount is not None and amount <= 50,
            Result() == only_named_amounts(amount, named_amounts),
        )
    )
    # R6: Up to 200 may be sent to the account on a bill.
    Ensures(
        Implies(
            tool == "send_money" and on_a_bill and amount is not None and amount <= 200,
            Result() == only_named_amounts(amount, named_amounts),
        )
    )
    # R4: A scheduled payment gets only a recipient that the user names or that was paid before.
    Ensures(
        Implies(
            tool == "update_scheduled_transaction" and only_named_amounts(amount, named_amounts),
            Result() == (recipient is None or "user" in recipient_source or (paid_before is not None and paid_before)),
        )
    )
    # R7: Only a password that the user has written may be set.
    Ensures(Implies(tool == "update_password", Result() == ("user" in password_source)))
    # R8: Personal data may be changed only if the user speaks of them.
    Ensures(Implies(tool == "update_user_info", Result() == any(word in PERSONAL for word in said)))
    return not (forbid_other_amount(tool, amount, named_amounts)) and (
        permit_reading(tool)
        or permit_payment_to_a_named_recipient(tool, recipient_source)
        or permit_payment_to_a_known_recipient(tool, paid_before)
        or permit_changed_payment(tool, recipient, recipient_source, paid_before)
        or permit_paying_back(tool, amount, paid_the_user)
        or permit_bill(tool, amount, on_a_bill)
        or permit_written_password(tool, password_source)
        or permit_personal_data(tool, said)
    )
