"""What the support desk's assistant may pay back, change and send."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import (
    AddNote,
    Call,
    CloseAccount,
    FindCustomer,
    GetOrder,
    IssueRefund,
    IssueVoucher,
    Run,
    SendMessage,
    UpdateAccount,
    VerifyIdentity,
    looked_up,
)

DEFAULT = "allow"
OWN_DOCUMENTS = {"invoice", "return_label"}
MOST_DAYS = timedelta(days=30)
LOOKING_UP = {"find_customer", "get_order", "verify_identity"}


def verified(run: Run, customer: str) -> bool:
    """whether the customer was verified"""
    return any(
        c.customer_id == customer and c.succeeded and c.result.verified for c in run.earlier(VerifyIdentity)
    )


def verified_again(run: Run, customer: str) -> bool:
    """whether the customer was verified after any change of their e-mail or phone"""
    unchanged = run.since(
        c
        for c in run.earlier(UpdateAccount)
        if c.customer_id == customer
        and c.succeeded
        and (c.changes.email is not None or c.changes.phone is not None)
    )
    return verified(unchanged, customer)


def owner_verified(call: IssueRefund, run: Run) -> bool:
    """whether the customer of the order was verified after any change of their e-mail or phone"""
    order = run.order(call.order_id)
    return looked_up(order) and order is not None and verified_again(run, order.customer_id)


def amount(call: IssueRefund) -> Decimal:
    """what is paid back"""
    return sum((item.amount for item in call.items), Decimal("0"))


def with_earlier(call: IssueRefund, run: Run) -> Decimal:
    """what is paid back in the conversation, this refund included"""
    return amount(call) + sum(
        sum(item.amount for item in c.items) for c in run.earlier(IssueRefund) if c.succeeded
    )


def on_order(call: IssueRefund, run: Run) -> Decimal:
    """what is paid back on the order, this refund included"""
    return amount(call) + sum(
        sum(item.amount for item in c.items)
        for c in run.earlier(IssueRefund)
        if c.order_id == call.order_id and c.succeeded
    )


def since_look_up(call: IssueRefund, run: Run) -> Decimal:
    """what is paid back on the order since it was looked up, this refund included"""
    return on_order(
        call, run.since(c for c in run.earlier(GetOrder) if c.order_id == call.order_id and c.succeeded)
    )


def is_right_item(call: IssueRefund, run: Run) -> bool:
    """whether each item is of the order, and faulty if it is of the clearance"""
    order = run.order(call.order_id)
    return order is not None and all(
        any(bought.sku == item.sku for bought in order.items)
        and not any(
            bought.sku == item.sku and bought.clearance and item.reason != "faulty" for bought in order.items
        )
        for item in call.items
    )


def is_late(order_id: str, customer: str, run: Run) -> bool:
    """whether the order was looked up, is late, and is of the customer"""
    order = run.order(order_id)
    return looked_up(order) and order is not None and order.late and order.customer_id == customer


def for_late_order(call: IssueVoucher, run: Run) -> bool:
    """whether the voucher is the first for a late order of the customer, which was looked up"""
    if call.order_id is None:
        return False
    return is_late(call.order_id, call.customer_id, run) and not any(
        c.succeeded and c.reason == "late_delivery" and c.order_id == call.order_id
        for c in run.earlier(IssueVoucher)
    )


def on_file(call: SendMessage, run: Run) -> bool:
    """whether the address is that of a customer who was looked up"""
    return any(
        c.succeeded
        and run.customer(c.result.found) is not None
        and run.customer(c.result.found).email.address == call.to.address
        for c in run.earlier(FindCustomer)
    )


def wants_to_close(run: Run) -> bool:
    """whether the customer asked to close the account"""
    return any(words != "" for words in run.said.closing)


def forbid_card_number_in_note(call: AddNote) -> bool:
    """R4: Looking things up and writing internal notes is always okay, but nobody wants to find card numbers in a note or a message (the last four digits are fine)."""
    return any(number != "" for number in call.text.card_numbers)


def forbid_card_number_in_message(call: SendMessage) -> bool:
    """R4: No card numbers in messages."""
    return any(number != "" for number in call.subject.card_numbers) or any(
        number != "" for number in call.body.card_numbers
    )


def forbid_unverified(call: UpdateAccount | CloseAccount, run: Run) -> bool:
    """R5: Before anything is changed on an account, and before any money or credit goes back, the customer has to be verified in that conversation."""
    return not verified(run, call.customer_id)


def changes_something(call: UpdateAccount) -> bool:
    """whether the call says what changes"""
    changes = call.changes
    return (
        changes.email is not None
        or changes.phone is not None
        or changes.name is not None
        or changes.address is not None
    )


def forbid_empty_change(call: UpdateAccount) -> bool:
    """R5: A change of an account says what changes."""
    return not changes_something(call)


def forbid_refund_unverified(call: IssueRefund, run: Run) -> bool:
    """R6: It has to be that customer, of course, not just anyone in the household."""
    return not owner_verified(call, run)


def forbid_old_order(call: IssueRefund, run: Run) -> bool:
    """R7: Refunds are for orders of the verified customer that were delivered no more than 30 days ago."""
    order = run.order(call.order_id)
    return (
        not looked_up(order)
        or order is None
        or order.delivered_at is None
        or call.time - order.delivered_at > MOST_DAYS
    )


def forbid_item(call: IssueRefund, run: Run) -> bool:
    """R8: Clearance items are excluded, unless they arrived faulty."""
    return len(call.items) == 0 or any(item.amount < 0 for item in call.items) or not is_right_item(call, run)


def forbid_more_than_paid(call: IssueRefund, run: Run) -> bool:
    """R9: All refunds on an order together may never be more than what was paid for it."""
    order = run.order(call.order_id)
    return order is not None and since_look_up(call, run) + order.refunded_total > order.paid_total


def forbid_over_conversation(call: IssueRefund, run: Run) -> bool:
    """R10: The assistant can pay back up to 150 euros per conversation."""
    return run.context.role != "team_lead" and with_earlier(call, run) > 150


def forbid_before_return(call: IssueRefund, run: Run) -> bool:
    """R12: We pay when the parcel is back."""
    order = run.order(call.order_id)
    return on_order(call, run) > 20 and (order is None or order.return_status != "received")


def forbid_other_way(call: IssueRefund, run: Run) -> bool:
    """R15: Orders paid with a gift card get store credit, all others the original payment method."""
    order = run.order(call.order_id)
    return order is not None and (
        call.method != "store_credit" if order.payment_method == "gift_card" else call.method != "original"
    )


def forbid_large_voucher(call: IssueVoucher) -> bool:
    """R16: As a gesture it may give one voucher, up to 15 euros, per conversation."""
    return call.amount > 15 or call.amount < 0


def gestures(run: Run) -> int:
    """how many vouchers of goodwill were given in the conversation"""
    return sum(1 for c in run.earlier(IssueVoucher) if c.reason == "goodwill" and c.succeeded)


def forbid_second_gesture(call: IssueVoucher, run: Run) -> bool:
    """R16: One voucher of goodwill a conversation."""
    return call.reason == "goodwill" and gestures(run) > 0


def forbid_not_late(call: IssueVoucher, run: Run) -> bool:
    """R17: For late deliveries, a voucher for each late order is fine."""
    return call.reason == "late_delivery" and not for_late_order(call, run)


def forbid_voucher_unverified(call: IssueVoucher, run: Run) -> bool:
    """R18: If the e-mail address or the phone number of an account was changed, no refunds or vouchers for them afterwards until they have been verified again;"""
    return not verified_again(run, call.customer_id)


def forbid_other_address(call: SendMessage, run: Run) -> bool:
    """R20: Messages go only to the address we have on file, with no attachments other than our own documents (invoices, return labels)."""
    return not on_file(call, run)


def forbid_other_document(call: SendMessage) -> bool:
    """R20: Only invoices and return labels are attached."""
    return any(attachment.kind not in OWN_DOCUMENTS for attachment in call.attachments)


def forbid_closing(call: CloseAccount, run: Run) -> bool:
    """R21: Closing an account is possible when they ask for it, there is no order still open, and they are verified."""
    customer = run.customer(call.customer_id)
    return not wants_to_close(run) or not looked_up(customer) or customer is None or customer.open_orders != 0


def contract_other(call: Call) -> None:
    # R4: Looking things up is always okay.
    Ensures(Implies(call.tool in LOOKING_UP, Result()))


def contract_note(call: AddNote) -> None:
    # R4: So is a note without a card number.
    Ensures(Result() == all(number == "" for number in call.text.card_numbers))


def contract_change(call: UpdateAccount, run: Run) -> None:
    # R5: An account is changed for a verified customer, and the call says what changes.
    Ensures(Result() == (verified(run, call.customer_id) and changes_something(call)))


def contract_refund(call: IssueRefund, run: Run) -> None:
    order = run.order(call.order_id)
    # R5, R6, R18: Money goes back only to a customer who is verified, since their e-mail and phone are as they are.
    Ensures(Implies(Result(), owner_verified(call, run)))
    # R7: A refunded order was looked up and delivered within 30 days.
    Ensures(
        Implies(
            Result(),
            order is not None
            and order.delivered_at is not None
            and call.time - order.delivered_at <= timedelta(days=30),
        )
    )
    # R8: Every refunded item is of the order, and one of the clearance is faulty.
    Ensures(Implies(Result(), is_right_item(call, run)))
    # R9: No more goes back than was paid.
    Ensures(
        Implies(
            Result(),
            order is None or order.refunded_total + since_look_up(call, run) <= order.paid_total,
        )
    )
    # R11, R10: Beyond that it has to be handed to a team lead, who can use the assistant without this limit.
    Ensures(Implies(Result() and run.context.role == "agent", with_earlier(call, run) <= Decimal("150.00")))
    # R13, R12: With small amounts (20 euros or so) we don't make a fuss and pay right away.
    Ensures(
        Implies(
            Result() and order is not None and order.return_status != "received",
            on_order(call, run) <= Decimal("20.00"),
        )
    )
    # R14, R15: Money goes back the way it came.
    Ensures(
        Implies(
            Result(),
            order is None
            or call.method == ("store_credit" if order.payment_method == "gift_card" else "original"),
        )
    )
    # R23: A refund that should have been given costs us more than the money.
    Ensures(
        Implies(
            owner_verified(call, run)
            and looked_up(order)
            and order is not None
            and order.delivered_at is not None
            and call.time - order.delivered_at <= MOST_DAYS
            and len(call.items) > 0
            and not any(item.amount < 0 for item in call.items)
            and is_right_item(call, run)
            and since_look_up(call, run) + order.refunded_total <= order.paid_total
            and with_earlier(call, run) <= 150
            and on_order(call, run) <= 20
            and order.payment_method == "card"
            and call.method == "original",
            Result(),
        )
    )


def contract_voucher(call: IssueVoucher, run: Run) -> None:
    # R5, R18: A voucher goes only to a customer who is verified.
    Ensures(Implies(Result(), verified_again(run, call.customer_id)))
    # R16: No voucher is of more than 15 euros.
    Ensures(Implies(Result(), call.amount <= Decimal("15.00")))
    # R16: There is one gesture a conversation.
    Ensures(Implies(Result() and gestures(run) >= 1, call.reason == "late_delivery"))
    # R17: A voucher for a late delivery is the first for a late order of that customer.
    Ensures(Implies(Result() and call.reason == "late_delivery", for_late_order(call, run)))
    # R16: What is in order is allowed.
    Ensures(
        Implies(
            verified_again(run, call.customer_id)
            and call.amount >= 0
            and call.amount <= 15
            and call.reason == "goodwill"
            and gestures(run) == 0,
            Result(),
        )
    )


def contract_message(call: SendMessage, run: Run) -> None:
    # R4: No card number is in a message.
    Ensures(
        Implies(
            Result(),
            all(number == "" for number in call.subject.card_numbers)
            and all(number == "" for number in call.body.card_numbers),
        )
    )
    # R20: A message goes to an address on file.
    Ensures(Implies(Result(), on_file(call, run)))
    # R20: A message has no documents of others.
    Ensures(
        Implies(
            Result(),
            all(
                attachment.kind == "invoice" or attachment.kind == "return_label"
                for attachment in call.attachments
            ),
        )
    )
    # R20: What is in order is allowed.
    Ensures(
        Implies(
            on_file(call, run)
            and all(attachment.kind in OWN_DOCUMENTS for attachment in call.attachments)
            and not any(number != "" for number in call.subject.card_numbers)
            and not any(number != "" for number in call.body.card_numbers),
            Result(),
        )
    )


def contract_close(call: CloseAccount, run: Run) -> None:
    customer = run.customer(call.customer_id)
    # R5, R21: An account is closed for a verified customer without open orders who said so.
    Ensures(
        Implies(
            Result(),
            customer is not None
            and customer.open_orders == 0
            and verified(run, call.customer_id)
            and wants_to_close(run),
        )
    )
    # R21: What is in order is allowed.
    Ensures(
        Implies(
            verified(run, call.customer_id)
            and wants_to_close(run)
            and looked_up(customer)
            and customer is not None
            and customer.open_orders == 0,
            Result(),
        )
    )
