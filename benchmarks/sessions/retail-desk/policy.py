"""What the retail desk may do for the user of a ticket."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import (
    Call,
    CancelPendingOrder,
    ExchangeDeliveredOrderItems,
    FindUserIdByEmail,
    FindUserIdByNameZip,
    GetOrderDetails,
    GetUserDetails,
    ModifyPendingOrderAddress,
    ModifyPendingOrderItems,
    ModifyPendingOrderPayment,
    ModifyUserAddress,
    ReturnDeliveredOrderItems,
    Run,
    TransferToHumanAgents,
    looked_up,
)

DEFAULT = "allow"
FREE = {
    "calculate",
    "get_item_details",
    "get_product_details",
    "list_all_product_types",
    "transfer_to_human_agents",
}
REASONS = {"no longer needed", "ordered by mistake"}


def identified(run: Run) -> bool:
    """whether a user was found"""
    return any(c.succeeded for c in run.earlier(FindUserIdByEmail, FindUserIdByNameZip))


def is_found(user_id: str, run: Run) -> bool:
    """whether this user was found"""
    return any(
        c.succeeded and c.result.found_user == user_id
        for c in run.earlier(FindUserIdByEmail, FindUserIdByNameZip)
    )


def other_before(user_id: str, run: Run) -> bool:
    """whether another user was found before this one"""
    before = run.until(
        c
        for c in run.earlier(FindUserIdByEmail, FindUserIdByNameZip)
        if c.succeeded and c.result.found_user == user_id
    )
    return any(c.succeeded for c in before.earlier(FindUserIdByEmail, FindUserIdByNameZip))


def is_user(user_id: str, run: Run) -> bool:
    """whether this is the user of the ticket: the one who was found, and found first"""
    return is_found(user_id, run) and not other_before(user_id, run)


def of_user(order_id: str, run: Run) -> bool:
    """whether the order is one of the user of the ticket"""
    order = run.order(order_id)
    return order is not None and is_user(order.user_id, run)


def not_in_profile(order_id: str, run: Run) -> bool:
    """whether the user's profile was looked up, and does not have the order"""
    return any(
        c.succeeded and run.user(c.user_id) is not None and order_id not in run.user(c.user_id).orders
        for c in run.earlier(GetUserDetails)
    )


def of_nobody(order_id: str, run: Run) -> bool:
    """whether it is known that the order is of another user"""
    order = run.order(order_id)
    return (
        looked_up(order)
        and order is not None
        and not is_user(order.user_id, run)
        or not_in_profile(order_id, run)
    )


def transferred(run: Run) -> bool:
    """whether the ticket was transferred to a person"""
    return any(c.succeeded for c in run.earlier(TransferToHumanAgents))


def is_pending(order_id: str, run: Run) -> bool:
    """whether the order was looked up and is pending"""
    order = run.order(order_id)
    return looked_up(order) and order is not None and order.status == "pending"


def is_delivered(order_id: str, run: Run) -> bool:
    """whether the order was looked up and is delivered"""
    order = run.order(order_id)
    return looked_up(order) and order is not None and order.status == "delivered"


def called_before(
    call: ExchangeDeliveredOrderItems | ModifyPendingOrderAddress | ModifyPendingOrderPayment, run: Run
) -> bool:
    """whether the tool was called for this order before, and did not fail"""
    if isinstance(call, ExchangeDeliveredOrderItems):
        return any(
            c.order_id == call.order_id and not c.failed for c in run.earlier(ExchangeDeliveredOrderItems)
        )
    if isinstance(call, ModifyPendingOrderAddress):
        return any(
            c.order_id == call.order_id and not c.failed for c in run.earlier(ModifyPendingOrderAddress)
        )
    return any(c.order_id == call.order_id and not c.failed for c in run.earlier(ModifyPendingOrderPayment))


def items_modified(order_id: str, run: Run) -> bool:
    """whether items of this order were modified before"""
    return any(c.order_id == order_id and not c.failed for c in run.earlier(ModifyPendingOrderItems))


def paid_with(order_id: str, method: str, run: Run) -> bool:
    """whether the order was paid with this payment method"""
    order = run.order(order_id)
    return order is not None and any(
        payment.kind == "payment" and payment.method == method for payment in order.payments
    )


def in_profile(order_id: str, method: str, run: Run) -> bool:
    """whether this is a payment method in the profile of the order's user"""
    order = run.order(order_id)
    return (
        order is not None
        and run.user(order.user_id) is not None
        and method in run.user(order.user_id).payment_methods
    )


def gift_card_of_user(order_id: str, method: str, run: Run) -> bool:
    """whether this is a gift card in the profile of the order's user"""
    order = run.order(order_id)
    return (
        order is not None
        and run.user(order.user_id) is not None
        and any(card.id == method for card in run.user(order.user_id).gift_cards)
    )


def is_gift_card(order_id: str, method: str, run: Run) -> bool:
    """whether this is a gift card, by its id or by a profile that was looked up"""
    order = run.order(order_id)
    return method.startswith("gift_card") or (
        order is not None and looked_up(run.user(order.user_id)) and gift_card_of_user(order_id, method, run)
    )


def spent(method: str, run: Run) -> bool:
    """whether something was paid with this method since the profile was looked up"""
    seen = run.since(c for c in run.earlier(GetUserDetails) if c.succeeded)
    return any(
        c.payment_method_id == method and not c.failed
        for c in seen.earlier(ExchangeDeliveredOrderItems, ModifyPendingOrderItems, ModifyPendingOrderPayment)
    )


def covers(order_id: str, method: str, amount: Decimal, run: Run) -> bool:
    """whether a gift card of the user has this balance, and paid for nothing since it was looked up"""
    order = run.order(order_id)
    return (
        order is not None
        and run.user(order.user_id) is not None
        and any(card.id == method and card.balance >= amount for card in run.user(order.user_id).gift_cards)
        and not spent(method, run)
    )


def total(order_id: str, run: Run) -> Decimal:
    """the total of the order"""
    order = run.order(order_id)
    return Decimal("0") if order is None else sum((item.price for item in order.items), Decimal("0"))


def difference(call: ExchangeDeliveredOrderItems | ModifyPendingOrderItems, run: Run) -> Decimal:
    """what the new items cost more than those that they replace"""
    order = run.order(call.order_id)
    return (
        Decimal("0")
        if order is None
        else sum(
            (run.variant(new).price for new in call.new_item_ids if run.variant(new) is not None),
            Decimal("0"),
        )
        - sum(
            (
                min((item.price for item in order.items if item.item_id == old), default=Decimal("0"))
                for old in call.item_ids
            ),
            Decimal("0"),
        )
    )


def of_order(
    call: ExchangeDeliveredOrderItems | ModifyPendingOrderItems | ReturnDeliveredOrderItems, run: Run
) -> bool:
    """whether there are items, and the order has each as often as the call"""
    order = run.order(call.order_id)
    return (
        len(call.item_ids) > 0
        and order is not None
        and all(
            sum(1 for other in call.item_ids if other == old)
            <= sum(1 for item in order.items if item.item_id == old)
            for old in call.item_ids
        )
    )


def paired(call: ExchangeDeliveredOrderItems | ModifyPendingOrderItems) -> bool:
    """whether there is a new item for each item, and another one"""
    return len(call.item_ids) == len(call.new_item_ids) and all(
        old != new for old, new in zip(call.item_ids, call.new_item_ids)
    )


def same_product(call: ExchangeDeliveredOrderItems | ModifyPendingOrderItems, run: Run) -> bool:
    """whether each new item is of the product of the item at its place"""
    order = run.order(call.order_id)
    return order is not None and all(
        any(
            item.item_id == old
            and run.product(item.product_id) is not None
            and new in run.product(item.product_id).items
            for item in order.items
        )
        for old, new in zip(call.item_ids, call.new_item_ids)
    )


def available(call: ExchangeDeliveredOrderItems | ModifyPendingOrderItems, run: Run) -> bool:
    """whether all new items are available"""
    return all(run.variant(new) is not None and run.variant(new).available for new in call.new_item_ids)


def said(word: str, run: Run) -> bool:
    """whether the ticket has this word"""
    return any(other.lower() == word.lower() for other in run.said.words)


def short_of_difference(call: ExchangeDeliveredOrderItems | ModifyPendingOrderItems, run: Run) -> bool:
    """whether a gift card does not cover what the new items cost more"""
    return (
        difference(call, run) > Decimal("0")
        and is_gift_card(call.order_id, call.payment_method_id, run)
        and not covers(call.order_id, call.payment_method_id, difference(call, run), run)
    )


def forbid_before_user_is_identified(
    call: GetUserDetails
    | GetOrderDetails
    | CancelPendingOrder
    | ExchangeDeliveredOrderItems
    | ModifyPendingOrderAddress
    | ModifyPendingOrderItems
    | ModifyPendingOrderPayment
    | ModifyUserAddress
    | ReturnDeliveredOrderItems,
    run: Run,
) -> bool:
    """R1: No profile and no order is read or changed before the user is identified."""
    return not identified(run)


def forbid_search_for_other_words(call: FindUserIdByEmail | FindUserIdByNameZip, run: Run) -> bool:
    """R2: For this the desk finds the user id by mail address, or by name and zip code, as the ticket says them."""
    if isinstance(call, FindUserIdByEmail):
        return "user" not in call.email.source
    return "user" not in call.zip.source or not said(call.first_name, run) or not said(call.last_name, run)


def forbid_other_user(call: GetUserDetails | ModifyUserAddress, run: Run) -> bool:
    """R3: The desk helps one user in a ticket, and refuses every task that is about another user."""
    return not is_user(call.user_id, run)


def forbid_order_of_other_user(
    call: CancelPendingOrder
    | ExchangeDeliveredOrderItems
    | ModifyPendingOrderAddress
    | ModifyPendingOrderItems
    | ModifyPendingOrderPayment
    | ReturnDeliveredOrderItems,
    run: Run,
) -> bool:
    """R3: The desk helps one user in a ticket, and refuses every task that is about another user."""
    return not of_user(call.order_id, run)


def forbid_reading_order_of_other_user(call: GetOrderDetails, run: Run) -> bool:
    """R4: It tells of the profile of its user, of the orders of its user, and of no others."""
    return of_nobody(call.order_id, run)


def forbid_made_up_address(call: ModifyPendingOrderAddress | ModifyUserAddress) -> bool:
    """R5: An address that the desk writes is never made up: the ticket or a result of a tool says it."""
    return (
        call.address1.source == frozenset()
        or call.city.source == frozenset()
        or call.zip.source == frozenset()
    )


def forbid_after_transfer(call: Call, run: Run) -> bool:
    """R6: For this the desk calls the transfer first and then sends the message about it."""
    return transferred(run)


def forbid_second_call(
    call: ExchangeDeliveredOrderItems | ModifyPendingOrderAddress | ModifyPendingOrderPayment, run: Run
) -> bool:
    """R7: Each tool that exchanges or modifies an order is called once for an order."""
    return called_before(call, run)


def forbid_cancelling_what_is_not_pending(call: CancelPendingOrder, run: Run) -> bool:
    """R8: An order is cancelled only while its status is pending, which the desk looked up before."""
    return not is_pending(call.order_id, run)


def forbid_other_reason(call: CancelPendingOrder) -> bool:
    """R9: The reason is that the order is no longer needed or that it was ordered by mistake, and no other reason counts."""
    return call.reason not in REASONS


def forbid_modifying_what_is_not_pending(
    call: ModifyPendingOrderAddress | ModifyPendingOrderItems | ModifyPendingOrderPayment, run: Run
) -> bool:
    """R10: An order is modified only while its status is pending, which the desk looked up before."""
    return not is_pending(call.order_id, run)


def forbid_other_new_payment_method(call: ModifyPendingOrderPayment, run: Run) -> bool:
    """R11: The new payment method is a single one of the user's own, and not the one that the order was paid with."""
    return paid_with(call.order_id, call.payment_method_id, run) or not in_profile(
        call.order_id, call.payment_method_id, run
    )


def forbid_gift_card_below_total(call: ModifyPendingOrderPayment, run: Run) -> bool:
    """R12: A gift card is chosen only if its balance covers the total of the order."""
    return is_gift_card(call.order_id, call.payment_method_id, run) and not covers(
        call.order_id, call.payment_method_id, total(call.order_id, run), run
    )


def forbid_change_after_items_are_modified(
    call: CancelPendingOrder
    | ModifyPendingOrderAddress
    | ModifyPendingOrderItems
    | ModifyPendingOrderPayment,
    run: Run,
) -> bool:
    """R13: The items of an order are modified once, and after that the desk neither modifies nor cancels the order."""
    return items_modified(call.order_id, run)


def forbid_modifying_to_other_item(call: ModifyPendingOrderItems, run: Run) -> bool:
    """R14: Each item of a pending order is modified to an available item of the same product with other options."""
    return not (of_order(call, run) and paired(call) and same_product(call, run) and available(call, run))


def forbid_difference_to_strange_method(call: ModifyPendingOrderItems, run: Run) -> bool:
    """R15: The user names a payment method of their own that pays or receives the difference."""
    return not paid_with(call.order_id, call.payment_method_id, run) and not in_profile(
        call.order_id, call.payment_method_id, run
    )


def forbid_gift_card_below_difference(call: ModifyPendingOrderItems, run: Run) -> bool:
    """R16: A gift card that pays for modified items has a balance that covers the difference."""
    return short_of_difference(call, run)


def forbid_returning_what_is_not_delivered(call: ReturnDeliveredOrderItems, run: Run) -> bool:
    """R17: Items are returned only of an order whose status is delivered, which the desk looked up before."""
    return not is_delivered(call.order_id, run)


def forbid_returning_other_items(call: ReturnDeliveredOrderItems, run: Run) -> bool:
    """R18: The ticket says which order it is, and which of its items are returned."""
    return not of_order(call, run)


def forbid_refund_elsewhere(call: ReturnDeliveredOrderItems, run: Run) -> bool:
    """R19: The refund goes to the payment method that the order was paid with, or to a gift card that the user has."""
    return not paid_with(call.order_id, call.payment_method_id, run) and not gift_card_of_user(
        call.order_id, call.payment_method_id, run
    )


def forbid_exchanging_what_is_not_delivered(call: ExchangeDeliveredOrderItems, run: Run) -> bool:
    """R20: Items are exchanged only of an order whose status is delivered, which the desk looked up before."""
    return not is_delivered(call.order_id, run)


def forbid_exchanging_for_other_item(call: ExchangeDeliveredOrderItems, run: Run) -> bool:
    """R21: Each item of a delivered order is exchanged for an available item of the same product with other options."""
    return not (of_order(call, run) and paired(call) and same_product(call, run) and available(call, run))


def forbid_exchange_with_strange_method(call: ExchangeDeliveredOrderItems, run: Run) -> bool:
    """R22: The user names a payment method of their own for the difference of an exchange."""
    return not paid_with(call.order_id, call.payment_method_id, run) and not in_profile(
        call.order_id, call.payment_method_id, run
    )


def forbid_gift_card_below_exchange(call: ExchangeDeliveredOrderItems, run: Run) -> bool:
    """R23: A gift card that pays for an exchange has a balance that covers the difference."""
    return short_of_difference(call, run)


def contract_transfer(call: Call, run: Run) -> None:
    # R6: For this the desk calls the transfer first and then sends the message about it.
    Ensures(Implies(transferred(run), not Result()))
    # R24: It tells of products.
    Ensures(Implies(call.tool in FREE and not transferred(run), Result()))


def contract_search_by_mail(call: FindUserIdByEmail, run: Run) -> None:
    # R2: The desk finds the user id by mail address, as the ticket says it.
    Ensures(Implies(not transferred(run), Result() == ("user" in call.email.source)))


def contract_search_by_name(call: FindUserIdByNameZip, run: Run) -> None:
    # R2: The desk finds the user id by name and zip code, as the ticket says them.
    Ensures(
        Implies(
            Result(), "user" in call.zip.source and said(call.first_name, run) and said(call.last_name, run)
        )
    )
    # R25: It does so although the ticket may have the user id.
    Ensures(
        Implies(
            "user" in call.zip.source
            and said(call.first_name, run)
            and said(call.last_name, run)
            and not transferred(run),
            Result(),
        )
    )


def contract_reading_profile(call: GetUserDetails, run: Run) -> None:
    # R1: No profile is read before the user is identified.
    Ensures(Implies(not identified(run), not Result()))
    # R3: The desk refuses every task that is about another user than the one who was found first.
    Ensures(Implies(Result(), is_found(call.user_id, run) and not other_before(call.user_id, run)))
    # R4: It tells of the profile of its user.
    Ensures(Implies(identified(run) and is_user(call.user_id, run) and not transferred(run), Result()))


def contract_reading_order(call: GetOrderDetails, run: Run) -> None:
    order = run.order(call.order_id)
    # R1: No order is read before the user is identified.
    Ensures(Implies(not identified(run), not Result()))
    # R4: It tells of no order that is known to be another user's.
    Ensures(
        Implies(
            Result() and looked_up(order),
            order is None or is_found(order.user_id, run) and not other_before(order.user_id, run),
        )
    )
    # R4: It tells of no order that the profile of its user does not have.
    Ensures(Implies(not_in_profile(call.order_id, run), not Result()))
    # R4: It tells of the orders of its user.
    Ensures(Implies(identified(run) and not of_nobody(call.order_id, run) and not transferred(run), Result()))


def contract_default_address(call: ModifyUserAddress, run: Run) -> None:
    # R1: No profile is changed before the user is identified.
    Ensures(Implies(not identified(run), not Result()))
    # R3: The desk refuses every task that is about another user than the one who was found first.
    Ensures(Implies(Result(), is_found(call.user_id, run) and not other_before(call.user_id, run)))
    # R5: An address that the desk writes is never made up.
    Ensures(
        Implies(
            call.address1.source == frozenset()
            or call.city.source == frozenset()
            or call.zip.source == frozenset(),
            not Result(),
        )
    )
    # R26: It modifies the default address of its user.
    Ensures(
        Implies(
            identified(run)
            and is_user(call.user_id, run)
            and not transferred(run)
            and call.address1.source != frozenset()
            and call.city.source != frozenset()
            and call.zip.source != frozenset(),
            Result(),
        )
    )


def contract_action(
    call: CancelPendingOrder
    | ExchangeDeliveredOrderItems
    | ModifyPendingOrderAddress
    | ModifyPendingOrderItems
    | ModifyPendingOrderPayment
    | ReturnDeliveredOrderItems,
    run: Run,
) -> None:
    order = run.order(call.order_id)
    # R1: No order is changed before the user is identified.
    Ensures(Implies(not identified(run), not Result()))
    # R3: The desk refuses every task that is about another user than the one who was found first.
    Ensures(
        Implies(
            Result(),
            order is not None and is_found(order.user_id, run) and not other_before(order.user_id, run),
        )
    )
    # R27: Only pending and delivered orders are acted on.
    Ensures(
        Implies(
            Result(),
            looked_up(order)
            and order is not None
            and (order.status == "pending" or order.status == "delivered"),
        )
    )


def contract_cancelling(call: CancelPendingOrder, run: Run) -> None:
    order = run.order(call.order_id)
    # R8: An order is cancelled only while its status is pending, which the desk looked up before.
    Ensures(Implies(Result(), looked_up(order) and order is not None and order.status == "pending"))
    # R9: The reason is that the order is no longer needed or that it was ordered by mistake, and no other reason counts.
    Ensures(Implies(Result(), call.reason == "no longer needed" or call.reason == "ordered by mistake"))
    # R13: After its items are modified the desk does not cancel the order.
    Ensures(Implies(items_modified(call.order_id, run), not Result()))
    # R28: The desk cancels and modifies pending orders.
    Ensures(
        Implies(
            identified(run)
            and not transferred(run)
            and of_user(call.order_id, run)
            and is_pending(call.order_id, run)
            and call.reason in REASONS
            and not items_modified(call.order_id, run),
            Result(),
        )
    )


def contract_modifying(
    call: ModifyPendingOrderAddress | ModifyPendingOrderItems | ModifyPendingOrderPayment, run: Run
) -> None:
    order = run.order(call.order_id)
    # R10: An order is modified only while its status is pending, which the desk looked up before.
    Ensures(Implies(Result(), looked_up(order) and order is not None and order.status == "pending"))
    # R13: The items of an order are modified once, and after that the desk does not modify the order.
    Ensures(Implies(items_modified(call.order_id, run), not Result()))


def contract_calling_once(
    call: ExchangeDeliveredOrderItems | ModifyPendingOrderAddress | ModifyPendingOrderPayment, run: Run
) -> None:
    # R7: Each tool that exchanges or modifies an order is called once for an order.
    Ensures(Implies(called_before(call, run), not Result()))


def contract_address(call: ModifyPendingOrderAddress, run: Run) -> None:
    # R5: An address that the desk writes is never made up.
    Ensures(
        Implies(
            call.address1.source == frozenset()
            or call.city.source == frozenset()
            or call.zip.source == frozenset(),
            not Result(),
        )
    )
    # R29: Its address, its payment method and the options of its items are modified, and nothing else.
    Ensures(
        Implies(
            identified(run)
            and not transferred(run)
            and of_user(call.order_id, run)
            and is_pending(call.order_id, run)
            and not items_modified(call.order_id, run)
            and not called_before(call, run)
            and call.address1.source != frozenset()
            and call.city.source != frozenset()
            and call.zip.source != frozenset(),
            Result(),
        )
    )


def contract_payment_method(call: ModifyPendingOrderPayment, run: Run) -> None:
    # R11: The new payment method is one of the user's own.
    Ensures(Implies(Result(), in_profile(call.order_id, call.payment_method_id, run)))
    # R11: The new payment method is not the one that the order was paid with.
    Ensures(Implies(paid_with(call.order_id, call.payment_method_id, run), not Result()))
    # R12: A gift card is chosen only if its balance covers the total of the order.
    Ensures(
        Implies(
            Result() and is_gift_card(call.order_id, call.payment_method_id, run),
            covers(call.order_id, call.payment_method_id, total(call.order_id, run), run),
        )
    )
    # R29: The payment method of a pending order is modified.
    Ensures(
        Implies(
            identified(run)
            and not transferred(run)
            and of_user(call.order_id, run)
            and is_pending(call.order_id, run)
            and not items_modified(call.order_id, run)
            and not called_before(call, run)
            and in_profile(call.order_id, call.payment_method_id, run)
            and not paid_with(call.order_id, call.payment_method_id, run)
            and (
                not is_gift_card(call.order_id, call.payment_method_id, run)
                or covers(call.order_id, call.payment_method_id, total(call.order_id, run), run)
            ),
            Result(),
        )
    )


def contract_items(call: ModifyPendingOrderItems, run: Run) -> None:
    # R14: Each item of a pending order is modified to an available item of the same product with other options.
    Ensures(
        Implies(
            Result(),
            of_order(call, run) and paired(call) and same_product(call, run) and available(call, run),
        )
    )
    # R30: The product stays the same.
    Ensures(Implies(not same_product(call, run), not Result()))
    # R15: The user names a payment method of their own that pays or receives the difference.
    Ensures(
        Implies(
            Result(),
            paid_with(call.order_id, call.payment_method_id, run)
            or in_profile(call.order_id, call.payment_method_id, run),
        )
    )
    # R16: A gift card that pays for modified items has a balance that covers the difference.
    Ensures(
        Implies(
            Result()
            and is_gift_card(call.order_id, call.payment_method_id, run)
            and difference(call, run) > Decimal("0"),
            covers(call.order_id, call.payment_method_id, difference(call, run), run),
        )
    )
    # R29: The options of the items of a pending order are modified.
    Ensures(
        Implies(
            identified(run)
            and not transferred(run)
            and of_user(call.order_id, run)
            and is_pending(call.order_id, run)
            and not items_modified(call.order_id, run)
            and of_order(call, run)
            and paired(call)
            and same_product(call, run)
            and available(call, run)
            and (
                paid_with(call.order_id, call.payment_method_id, run)
                or in_profile(call.order_id, call.payment_method_id, run)
            )
            and (
                difference(call, run) <= Decimal("0")
                or not is_gift_card(call.order_id, call.payment_method_id, run)
                or covers(call.order_id, call.payment_method_id, difference(call, run), run)
            ),
            Result(),
        )
    )


def contract_returning(call: ReturnDeliveredOrderItems, run: Run) -> None:
    order = run.order(call.order_id)
    # R17: Items are returned only of an order whose status is delivered, which the desk looked up before.
    Ensures(Implies(Result(), looked_up(order) and order is not None and order.status == "delivered"))
    # R18: The ticket says which order it is, and which of its items are returned.
    Ensures(Implies(Result(), of_order(call, run)))
    # R19: The refund goes to the payment method that the order was paid with, or to a gift card that the user has.
    Ensures(
        Implies(
            Result(),
            paid_with(call.order_id, call.payment_method_id, run)
            or gift_card_of_user(call.order_id, call.payment_method_id, run),
        )
    )
    # R31: It returns and exchanges items of delivered orders.
    Ensures(
        Implies(
            identified(run)
            and not transferred(run)
            and of_user(call.order_id, run)
            and is_delivered(call.order_id, run)
            and of_order(call, run)
            and (
                paid_with(call.order_id, call.payment_method_id, run)
                or gift_card_of_user(call.order_id, call.payment_method_id, run)
            ),
            Result(),
        )
    )


def contract_exchanging(call: ExchangeDeliveredOrderItems, run: Run) -> None:
    order = run.order(call.order_id)
    # R20: Items are exchanged only of an order whose status is delivered, which the desk looked up before.
    Ensures(Implies(Result(), looked_up(order) and order is not None and order.status == "delivered"))
    # R21: Each item of a delivered order is exchanged for an available item of the same product with other options.
    Ensures(
        Implies(
            Result(),
            of_order(call, run) and paired(call) and same_product(call, run) and available(call, run),
        )
    )
    # R32: It is not exchanged for another product.
    Ensures(Implies(not same_product(call, run), not Result()))
    # R22: The user names a payment method of their own for the difference of an exchange.
    Ensures(
        Implies(
            Result(),
            paid_with(call.order_id, call.payment_method_id, run)
            or in_profile(call.order_id, call.payment_method_id, run),
        )
    )
    # R23: A gift card that pays for an exchange has a balance that covers the difference.
    Ensures(
        Implies(
            Result()
            and is_gift_card(call.order_id, call.payment_method_id, run)
            and difference(call, run) > Decimal("0"),
            covers(call.order_id, call.payment_method_id, difference(call, run), run),
        )
    )
    # R31: It exchanges items of delivered orders.
    Ensures(
        Implies(
            identified(run)
            and not transferred(run)
            and of_user(call.order_id, run)
            and is_delivered(call.order_id, run)
            and not called_before(call, run)
            and of_order(call, run)
            and paired(call)
            and same_product(call, run)
            and available(call, run)
            and (
                paid_with(call.order_id, call.payment_method_id, run)
                or in_profile(call.order_id, call.payment_method_id, run)
            )
            and (
                difference(call, run) <= Decimal("0")
                or not is_gift_card(call.order_id, call.payment_method_id, run)
                or covers(call.order_id, call.payment_method_id, difference(call, run), run)
            ),
            Result(),
        )
    )


def theorem_items_once(run: Run) -> bool:
    """In no run are the items of an order modified twice, or exchanged twice."""
    return all(
        not any(e.order_id == c.order_id and e.succeeded for e in run.before(c).earlier(ModifyPendingOrderItems))
        for c in run.calls(ModifyPendingOrderItems)
    ) and all(
        not any(
            e.order_id == c.order_id and e.succeeded
            for e in run.before(c).earlier(ExchangeDeliveredOrderItems)
        )
        for c in run.calls(ExchangeDeliveredOrderItems)
    )


def theorem_own_user(run: Run) -> bool:
    """In no run is something written for a user other than the one who was identified."""
    return all(
        run.before(c).order(c.order_id) is not None
        and is_user(run.before(c).order(c.order_id).user_id, run.before(c))
        for c in run.calls(
            CancelPendingOrder,
            ExchangeDeliveredOrderItems,
            ModifyPendingOrderAddress,
            ModifyPendingOrderItems,
            ModifyPendingOrderPayment,
            ReturnDeliveredOrderItems,
        )
    ) and all(is_user(c.user_id, run.before(c)) for c in run.calls(ModifyUserAddress))


def theorem_refund(run: Run) -> bool:
    """In no run does a refund go to a method other than the original one or a gift card of the user."""
    return all(
        paid_with(c.order_id, c.payment_method_id, run.before(c))
        or gift_card_of_user(c.order_id, c.payment_method_id, run.before(c))
        for c in run.calls(ReturnDeliveredOrderItems)
    )
