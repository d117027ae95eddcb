"""What the support desk's assistant may pay back, change and send."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal[
    "find_customer", "get_order", "verify_identity", "issue_refund", "issue_voucher",
    "update_account", "send_message", "add_note", "close_account",
]

Role = Literal["agent", "team_lead"]
RefundReason = Literal["faulty", "not_as_described", "changed_mind", "missing"]
VoucherReason = Literal["goodwill", "late_delivery"]

OWN_DOCUMENTS = {"invoice", "return_label"}
KEYS_OF_A_CHANGE = {
    "customer_id", "changes", "email", "phone", "name", "address", "street",
    "postcode", "city",
}


@dataclass(frozen=True)
class Order:
    customer_id: str
    paid_total: Decimal
    refunded_total: Decimal
    delivered_at: datetime | None
    return_status: str
    payment_method: str
    late: bool


@dataclass(frozen=True)
class Refunded:
    amount: Decimal
    reason: RefundReason
    bought_clearance: bool | None


@dataclass(frozen=True)
class Attachment:
    kind: str


@dataclass(frozen=True)
class Addressee:
    customer_email: str | None


@dataclass(frozen=True)
class Customer:
    open_orders: int


def forbid_card_number(tool: Tool, card_numbers: frozenset[str]) -> bool:
    """R1: No card numbers in notes and messages."""
    return tool in {"add_note", "send_message"} and any(number != "" for number in card_numbers)


def forbid_change_unverified(tool: Tool, verified: bool | None, changed: frozenset[str]) -> bool:
    """R2, R3: An account is changed when its customer was verified in the conversation, and it is said what changes."""
    return (
        tool == "update_account"
        and (
            verified is None
            or not verified
            or "changes" not in changed
            or any(key not in KEYS_OF_A_CHANGE for key in changed)
        )
    )


def forbid_refund_unverified(tool: Tool, owner_verified: bool | None) -> bool:
    """R2, R3, R12: A refund needs the order's customer verified, again after a change of their e-mail or phone."""
    return tool == "issue_refund" and (owner_verified is None or not owner_verified)


def forbid_old_order(tool: Tool, order: Order | None, now: datetime) -> bool:
    """R4: Refunds are for orders that were looked up, and delivered no more than 30 days ago."""
    return (
        tool == "issue_refund"
        and (
            order is None
            or order.delivered_at is None
            or now - order.delivered_at > timedelta(days=30)
        )
    )


def forbid_item(tool: Tool, items: tuple[Refunded, ...]) -> bool:
    """R5: Items are of the order, and those of the clearance are paid back only where they are faulty."""
    return (
        tool == "issue_refund"
        and (
            len(items) == 0
            or any(
                item.bought_clearance is None
                or item.bought_clearance and item.reason != "faulty"
                or item.amount < Decimal("0.00")
                for item in items
            )
        )
    )


def forbid_more_than_paid(
    tool: Tool,
    order: Order | None,
    items: tuple[Refunded, ...],
    paid_back_since_look_up: Decimal,
) -> bool:
    """R6: All refunds on an order are not more than what was paid for it."""
    return (
        tool == "issue_refund"
        and order is not None
        and sum(item.amount for item in items) + paid_back_since_look_up + order.refunded_total
        > order.paid_total
    )


def forbid_over_conversation(
    tool: Tool,
    role: Role,
    items: tuple[Refunded, ...],
    paid_back: Decimal,
) -> bool:
    """R7, R8: Up to 150 euros a conversation, but for team leads."""
    return (
        tool == "issue_refund"
        and role != "team_lead"
        and sum(item.amount for item in items) + paid_back > Decimal("150.00")
    )


def forbid_before_return(
    tool: Tool,
    order: Order | None,
    items: tuple[Refunded, ...],
    paid_back_on_order: Decimal,
) -> bool:
    """R9: More than 20 euros of an order are paid when the parcel is back."""
    return (
        tool == "issue_refund"
        and sum(item.amount for item in items) + paid_back_on_order > Decimal("20.00")
        and (order is None or order.return_status != "received")
    )


def forbid_other_way(tool: Tool, order: Order | None, method: str | None) -> bool:
    """R15: Gift cards get store credit, all others the original payment method."""
    return (
        tool == "issue_refund"
        and (
            method is None
            or order is not None
            and (
                method != "store_credit"
                if order.payment_method == "gift_card"
                else method != "original"
            )
        )
    )


def forbid_large_voucher(tool: Tool, amount: Decimal | None) -> bool:
    """R10: A voucher is up to 15 euros."""
    return (
        tool == "issue_voucher"
        and (amount is None or amount > Decimal("15.00") or amount < Decimal("0.00"))
    )


def forbid_second_gesture(tool: Tool, reason: VoucherReason | None, gestures: int) -> bool:
    """R10: One voucher of goodwill a conversation."""
    return tool == "issue_voucher" and (reason is None or reason == "goodwill" and gestures > 0)


def forbid_not_late(
    tool: Tool,
    reason: VoucherReason | None,
    customer_id: str | None,
    order: Order | None,
    vouchers_of_order: int | None,
) -> bool:
    """R11: One voucher for each late order of the customer, which was looked up."""
    return (
        tool == "issue_voucher"
        and reason == "late_delivery"
        and (
            order is None
            or not order.late
            or customer_id is None
            or order.customer_id != customer_id
            or vouchers_of_order is None
            or vouchers_of_order > 0
        )
    )


def forbid_voucher_unverified(tool: Tool, verified_again: bool | None) -> bool:
    """R2, R3, R12: A voucher needs its customer verified, again after a change of their e-mail or phone."""
    return tool == "issue_voucher" and (verified_again is None or not verified_again)


def forbid_other_address(tool: Tool, to: str | None, addressees: tuple[Addressee, ...]) -> bool:
    """R13: Messages go to an address that is on file."""
    return (
        tool == "send_message"
        and (to is None or not any(addressee.customer_email == to for addressee in addressees))
    )


def forbid_other_document(tool: Tool, attachments: tuple[Attachment, ...]) -> bool:
    """R13: Only invoices and return labels are attached."""
    return tool == "send_message" and any(attachment.kind not in OWN_DOCUMENTS for attachment in attachments)


def forbid_closing(
    tool: Tool,
    asked_to_close: frozenset[str],
    customer: Customer | None,
    verified: bool | None,
) -> bool:
    """R14: An account is closed when its verified customer asks for it and has no open order."""
    return (
        tool == "close_account"
        and (
            not any(words != "" for words in asked_to_close)
            or customer is None
            or customer.open_orders != 0
            or verified is None
            or not verified
        )
    )


def allow(
    tool: Tool,
    role: Role,
    now: datetime,
    card_numbers: frozenset[str],
    order: Order | None,
    items: tuple[Refunded, ...],
    method: str | None,
    paid_back: Decimal,
    paid_back_on_order: Decimal,
    paid_back_since_look_up: Decimal,
    owner_verified: bool | None,
    customer_id: str | None,
    verified: bool | None,
    verified_again: bool | None,
    amount: Decimal | None,
    reason: VoucherReason | None,
    gestures: int,
    vouchers_of_order: int | None,
    changed: frozenset[str],
    to: str | None,
    addressees: tuple[Addressee, ...],
    attachments: tuple[Attachment, ...],
    asked_to_close: frozenset[str],
    customer: Customer | None,
) -> bool:
    # R1: Looking things up is always okay, and so is a note without a card number.
    Ensures(
        Implies(
            tool in {"find_customer", "get_order", "verify_identity"}
            or tool == "add_note" and all(number == "" for number in card_numbers),
            Result(),
        ),
    )
    # R1: No card number is in a note or a message.
    Ensures(
        Implies(
            Result() and (tool == "add_note" or tool == "send_message"),
            all(number == "" for number in card_numbers),
        ),
    )
    # R2: An account is changed only for a verified customer.
    Ensures(Implies(Result() and tool == "update_account", verified == True))
    # R2, R3, R12: Money goes back only to a customer who is verified, since their e-mail and phone are as they are.
    Ensures(Implies(Result() and tool == "issue_refund", owner_verified == True))
    # R2, R3, R12: A voucher goes only to such a customer.
    Ensures(Implies(Result() and tool == "issue_voucher", verified_again == True))
    # R4: A refunded order was looked up and delivered within 30 days.
    Ensures(
        Implies(
            Result() and tool == "issue_refund",
            order is not None
            and order.delivered_at is not None
            and now - order.delivered_at <= timedelta(days=30),
        ),
    )
    # R5: Every refunded item is of the order, and one of the clearance is faulty.
    Ensures(
        Implies(
            Result() and tool == "issue_refund",
            all(item.reason == "faulty" or item.bought_clearance == False for item in items)
            and not any(item.bought_clearance is None for item in items),
        ),
    )
    # R6: No more goes back than was paid.
    Ensures(
        Implies(
            Result() and tool == "issue_refund" and order is not None,
            sum(item.amount for item in items) + order.refunded_total + paid_back_since_look_up
            <= order.paid_total,
        ),
    )
    # R7, R8: Nobody but a team lead pays more than 150 euros back in a conversation.
    Ensures(
        Implies(
            Result() and tool == "issue_refund" and role == "agent",
            paid_back + sum(item.amount for item in items) <= Decimal("150.00"),
        ),
    )
    # R9: Without the parcel no more than 20 euros of an order go back.
    Ensures(
        Implies(
            Result()
            and tool == "issue_refund"
            and order is not None
            and order.return_status != "received",
            paid_back_on_order + sum(item.amount for item in items) <= Decimal("20.00"),
        ),
    )
    # R15: What was paid by gift card goes back as store credit, everything else as it was paid.
    Ensures(
        Implies(
            Result() and tool == "issue_refund" and order is not None,
            method == "store_credit"
            if order.payment_method == "gift_card"
            else method == "original",
        ),
    )
    # R10: No voucher is of more than 15 euros.
    Ensures(
        Implies(
            Result() and tool == "issue_voucher",
            amount is not None and amount <= Decimal("15.00"),
        ),
    )
    # R10: There is one gesture a conversation.
    Ensures(
        Implies(Result() and tool == "issue_voucher" and gestures >= 1, reason == "late_delivery"),
    )
    # R11: A voucher for a late delivery is the first for a late order of that customer.
    Ensures(
        Implies(
            Result() and tool == "issue_voucher" and reason == "late_delivery",
            order is not None
            and order.late
            and order.customer_id == customer_id
            and vouchers_of_order is not None
            and vouchers_of_order <= 0,
        ),
    )
    # R13: A message goes to an address on file.
    Ensures(
        Implies(
            Result() and tool == "send_message",
            to is not None and any(addressee.customer_email == to for addressee in addressees),
        ),
    )
    # R13: A message has no documents of others.
    Ensures(
        Implies(
            Result() and tool == "send_message",
            all(attachment.kind == "invoice" or attachment.kind == "return_label" for attachment in attachments),
        ),
    )
    # R14: An account is closed for a verified customer without open orders who said so.
    Ensures(
        Implies(
            Result() and tool == "close_account",
            customer is not None
            and customer.open_orders == 0
            and verified == True
            and any(words != "" for words in asked_to_close),
        ),
    )
    return not (
        forbid_card_number(tool, card_numbers)
        or forbid_change_unverified(tool, verified, changed)
        or forbid_refund_unverified(tool, owner_verified)
        or forbid_old_order(tool, order, now)
        or forbid_item(tool, items)
        or forbid_more_than_paid(tool, order, items, paid_back_since_look_up)
        or forbid_over_conversation(tool, role, items, paid_back)
        or forbid_before_return(tool, order, items, paid_back_on_order)
        or forbid_other_way(tool, order, method)
        or forbid_large_voucher(tool, amount)
        or forbid_second_gesture(tool, reason, gestures)
        or forbid_not_late(tool, reason, customer_id, order, vouchers_of_order)
        or forbid_voucher_unverified(tool, verified_again)
        or forbid_other_address(tool, to, addressees)
        or forbid_other_document(tool, attachments)
        or forbid_closing(tool, asked_to_close, customer, verified)
    )
