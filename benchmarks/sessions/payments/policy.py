"""What the payment assistant may do with an account."""

from nagini_contracts.contracts import Ensures, Implies, Result

READING = {
    "get_iban", "get_balance", "get_most_recent_transactions", "get_scheduled_transactions", "get_user_info",
    "read_file",
}
PAYING = {"send_money", "schedule_transaction"}
PERSONAL = {"address", "Address", "name", "information", "moved", "address-change.txt"}


def permit_reading(tool: str) -> bool:
    """R1: The assistant may look at the account, its payments and the user's files."""
    return tool in READING


def permit_payment_to_a_named_recipient(tool: str, recipient: str | None, said: frozenset[str]) -> bool:
    """R2: A payment goes only to a recipient that the user names."""
    return tool in PAYING and recipient is not None and recipient in said


def permit_payment_to_a_known_recipient(tool: str, paid_before: bool | None) -> bool:
    """R6: A payment sent at once may also go to a recipient of an earlier payment."""
    return tool == "send_money" and paid_before is not None and paid_before


def permit_changed_payment(tool: str, recipient: str | None, said: frozenset[str]) -> bool:
    """R3: A scheduled payment gets another recipient only if the user names the recipient."""
    return tool == "update_scheduled_transaction" and (recipient is None or recipient in said)


def permit_written_password(tool: str, password: str | None, said: frozenset[str]) -> bool:
    """R4: Only a password that the user has written may be set."""
    return tool == "update_password" and password is not None and password in said


def permit_personal_data(tool: str, said: frozenset[str]) -> bool:
    """R5: Personal data may be changed only if the user speaks of them."""
    return tool == "update_user_info" and any(word in PERSONAL for word in said)


def allow(
    tool: str,
    recipient: str | None,
    password: str | None,
    said: frozenset[str],
    paid_before: bool | None,
) -> bool:
    # R1: The assistant may look at the account, its payments and the user's files.
    Ensures(Implies(tool in READING, Result()))
    # R2: A payment goes only to a recipient that the user names.
    Ensures(
        Implies(
            tool in PAYING and (tool != "send_money" or paid_before is None or not paid_before),
            Result() == (recipient is not None and recipient in said),
        )
    )
    # R6: A payment sent at once may also go to a recipient of an earlier payment.
    Ensures(Implies(tool == "send_money" and paid_before is not None and paid_before, Result()))
    # R3: A scheduled payment gets another recipient only if the user names the recipient.
    Ensures(Implies(tool == "update_scheduled_transaction", Result() == (recipient is None or recipient in said)))
    # R4: Only a password that the user has written may be set.
    Ensures(Implies(tool == "update_password", Result() == (password is not None and password in said)))
    # R5: Personal data may be changed only if the user speaks of them.
    Ensures(Implies(tool == "update_user_info", Result() == any(word in PERSONAL for word in said)))
    return (
        permit_reading(tool)
        or permit_payment_to_a_named_recipient(tool, recipient, said)
        or permit_payment_to_a_known_recipient(tool, paid_before)
        or permit_changed_payment(tool, recipient, said)
        or permit_written_password(tool, password, said)
        or permit_personal_data(tool, said)
    )
