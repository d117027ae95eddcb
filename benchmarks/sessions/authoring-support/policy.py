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
    return sum(item.amount for item in call.items)


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
        and run.customer(c.result.found).email == call.to.address
        for c in run.earlier(FindCustomer)
    )


def wants_to_close(run: Run) -> bool:
    """whether the customer asked to close the account"""
    return any(words != "" for words in run.said.closing)


def forbid_card_number_in_note(call: AddNote) -> bool:
    """R1: No card numbers in notes."""
    return any(number != "" for number in call.text.card_numbers)


def forbid_card_number_in_message(call: SendMessage) -> bool:
    """R1: No card numbers in messages."""
    return any(number != "" for number in call.subject.card_numbers) or any(
        number != "" for number in call.body.card_numbers
    )


def forbid_unverified(call: UpdateAccount | CloseAccount, run: Run) -> bool:
    """R2, R3: An account is changed and closed when its customer was verified in the conversation."""
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
    """R2: A change of an account says what changes."""
    return not changes_something(call)


def forbid_refund_unverified(call: IssueRefund, run: Run) -> bool:
    """R2, R3, R12: A refund needs the order's customer verified, again after a change of their e-mail or phone."""
    return not owner_verified(call, run)


def forbid_old_order(call: IssueRefund, run: Run) -> bool:
    """R4: Refunds are for orders that were looked up, and delivered no more than 30 days ago."""
    order = run.order(call.order_id)
    return (
        not looked_up(order)
        or order is None
        or order.delivered_at is None
        or call.time - order.delivered_at > MOST_DAYS
    )


def forbid_item(call: IssueRefund, run: Run) -> bool:
    """R5: Items are of the order, and those of the clearance are paid back only where they are faulty."""
    return (
        len(call.items) == 0 or any(item.amount < 0 for item in call.items) or not is_right_item(call, run)
    )


def forbid_more_than_paid(call: IssueRefund, run: Run) -> bool:
    """R6: All refunds on an order are not more than what was paid for it."""
    order = run.order(call.order_id)
    return order is not None and since_look_up(call, run) + order.refunded_total > order.paid_total


def forbid_over_conversation(call: IssueRefund, run: Run) -> bool:
    """R7, R8: Up to 150 euros a conversation, but for team leads."""
    return run.context.role != "team_lead" and with_earlier(call, run) > 150


def forbid_before_return(call: IssueRefund, run: Run) -> bool:
    """R9: More than 20 euros of an order are paid when the parcel is back."""
    order = run.order(call.order_id)
    return on_order(call, run) > 20 and (order is None or order.return_status != "received")


def forbid_other_way(call: IssueRefund, run: Run) -> bool:
    """R15: Gift cards get store credit, all others the original payment method."""
    order = run.order(call.order_id)
    return order is not None and (
        call.method != "store_credit" if order.payment_method == "gift_card" else call.method != "original"
    )


def forbid_large_voucher(call: IssueVoucher) -> bool:
    """R10: A voucher is up to 15 euros."""
    return call.amount > 15 or call.amount < 0


def gestures(run: Run) -> int:
    """how many vouchers of goodwill were given in the conversation"""
    return sum(1 for c in run.earlier(IssueVoucher) if c.reason == "goodwill" and c.succeeded)


def forbid_second_gesture(call: IssueVoucher, run: Run) -> bool:
    """R10: One voucher of goodwill a conversation."""
    return call.reason == "goodwill" and gestures(run) > 0


def forbid_not_late(call: IssueVoucher, run: Run) -> bool:
    """R11: One voucher for each late order of the customer, which was looked up."""
    return call.reason == "late_delivery" and not for_late_order(call, run)


def forbid_voucher_unverified(call: IssueVoucher, run: Run) -> bool:
    """R2, R3, R12: A voucher needs its customer verified, again after a change of their e-mail or phone."""
    return not verified_again(run, call.customer_id)


def forbid_other_address(call: SendMessage, run: Run) -> bool:
    """R13: Messages go to an address that is on file."""
    return not on_file(call, run)


def forbid_other_document(call: SendMessage) -> bool:
    """R13: Only invoices and return labels are attached."""
    return any(attachment.kind not in OWN_DOCUMENTS for attachment in call.attachments)


def forbid_closing(call: CloseAccount, run: Run) -> bool:
    """R14: An account is closed when its customer asks for it and has no open order."""
    customer = run.customer(call.customer_id)
    return not wants_to_close(run) or not looked_up(customer) or customer is None or customer.open_orders != 0


def contract_other(call: Call) -> None:
    # R1: Looking things up is always okay.
    Ensures(Implies(call.tool in LOOKING_UP, Result()))


def contract_note(call: AddNote) -> None:
    # R1: So is a note without a card number.
    Ensures(Result() == all(number == "" for number in call.text.card_numbers))


def contract_change(call: UpdateAccount, run: Run) -> None:
    # R2, R3: An account is changed for a verified customer, and the call says what changes.
    Ensures(Result() == (verified(run, call.customer_id) and changes_something(call)))


def contract_refund(call: IssueRefund, run: Run) -> None:
    order = run.order(call.order_id)
    # R2, R3, R12: Money goes back only to a customer who is verified, since their e-mail and phone are as they are.
    Ensures(Implies(Result(), owner_verified(call, run)))
    # R4: A refunded order was looked up and delivered within 30 days.
    Ensures(
        Implies(
            Result(),
            order is not None
            and order.delivered_at is not None
            and call.time - order.delivered_at <= timedelta(days=30),
        )
    )
    # R5: Every refunded item is of the order, and one of the clearance is faulty.
    Ensures(Implies(Result(), is_right_item(call, run)))
    # R6: No more goes back than was paid.
    Ensures(
        Implies(
            Result() and order is not None,
            order.refunded_total + since_look_up(call, run) <= order.paid_total,
        )
    )
    # R7, R8: Nobody but a team lead pays more than 150 euros back in a conversation.
    Ensures(Implies(Result() and run.context.role == "agent", with_earlier(call, run) <= Decimal("150.00")))
    # R9: Without the parcel no more than 20 euros of an order go back.
    Ensures(
        Implies(
            Result() and order is not None and order.return_status != "received",
            on_order(call, run) <= Decimal("20.00"),
        )
    )
    # R15: What was paid by gift card goes back as store credit, everything else as it was paid.
    Ensures(
        Implies(
            Result() and order is not None,
            call.method == ("store_credit" if order.payment_method == "gift_card" else "original"),
        )
    )


def contract_voucher(call: IssueVoucher, run: Run) -> None:
    # R2, R3, R12: A voucher goes only to a customer who is verified.
    Ensures(Implies(Result(), verified_again(run, call.customer_id)))
    # R10: No voucher is of more than 15 euros.
    Ensures(Implies(Result(), call.amount <= Decimal("15.00")))
    # R10: There is one gesture a conversation.
    Ensures(Implies(Result() and gestures(run) >= 1, call.reason == "late_delivery"))
    # R11: A voucher for a late delivery is the first for a late order of that customer.
    Ensures(Implies(Result() and call.reason == "late_delivery", for_late_order(call, run)))


def contract_message(call: SendMessage, run: Run) -> None:
    # R1: No card number is in a message.
    Ensures(
        Implies(
            Result(),
            all(number == "" for number in call.subject.card_numbers)
            and all(number == "" for number in call.body.card_numbers),
        )
    )
    # R13: A message goes to an address on file.
    Ensures(Implies(Result(), on_file(call, run)))
    # R13: A message has no documents of others.
    Ensures(
        Implies(
            Result(),
            all(attachment.kind == "invoice" or attachment.kind == "return_label" for attachment in call.attachments),
        )
    )


def contract_close(call: CloseAccount, run: Run) -> None:
    customer = run.customer(call.customer_id)
    # R2, R14: An account is closed for a verified customer without open orders who said so.
    Ensures(
        Implies(
            Result(),
            customer is not None
            and customer.open_orders == 0
            and verified(run, call.customer_id)
            and wants_to_close(run),
        )
    )
