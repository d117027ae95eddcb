"""What the retail desk may do with orders."""

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
    looked_up,
)

DEFAULT = "allow"
FREE = {"calculate", "find_user_id_by_email", "find_user_id_by_name_zip", "get_item_details", "get_product_details",
        "list_all_product_types", "transfer_to_human_agents"}


def customer_found(run: Run) -> bool:
    """whether a customer was found by mail address, or by name and zip code"""
    return any(c.succeeded for c in run.earlier(FindUserIdByEmail, FindUserIdByNameZip))


def one_customer(run: Run) -> bool:
    """whether all who were found are one customer"""
    return all(
        all(
            other.result == c.result
            for other in run.earlier(FindUserIdByEmail, FindUserIdByNameZip)
            if other.succeeded
        )
        for c in run.earlier(FindUserIdByEmail, FindUserIdByNameZip)
        if c.succeeded
    )


def is_served(run: Run, user_id: str) -> bool:
    """whether a profile is that of the one customer who was found"""
    return looked_up(run.customer(user_id)) and run.customer(user_id) is not None and one_customer(run)


def is_of_served(order_id: str, run: Run) -> bool:
    """whether a customer was found, and the order is that customer's"""
    owner = run.owner(order_id)
    return customer_found(run) and owner is not None and is_served(run, owner.user_id)


def replaced_rightly(call: ModifyPendingOrderItems | ExchangeDeliveredOrderItems, run: Run) -> bool:
    """whether each new item is an available variant of the product of the item at its place"""
    order = run.order(call.order_id)
    return order is not None and all(
        any(
            item.item_id == old
            and run.product(item.product_id) is not None
            and any(
                variant.item_id == new and variant.available
                for variant in run.product(item.product_id).variants
            )
            for item in order.items
        )
        for old, new in zip(call.item_ids, call.new_item_ids)
    )


def paid_with(call: ReturnDeliveredOrderItems, run: Run) -> bool:
    """whether the order was paid with the method that the refund goes to"""
    order = run.order(call.order_id)
    return order is not None and any(
        payment.payment_method_id == call.payment_method_id and payment.transaction_type == "payment"
        for payment in order.payment_history
    )


def gift_card(call: ReturnDeliveredOrderItems, run: Run) -> bool:
    """whether the refund goes to a gift card of the customer of the order"""
    owner = run.owner(call.order_id)
    if owner is None:
        return False
    user = run.user(owner.user_id)
    return user is not None and any(
        method.id == call.payment_method_id and method.source == "gift_card" for method in user.payment_methods
    )


def forbid_before_customer_is_found(
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
    """R1: The customer is found by mail address, or by name and zip code, before any profile or order is read or changed, and only that one customer is served."""
    return not customer_found(run)


def forbid_other_profile(call: GetUserDetails | ModifyUserAddress, run: Run) -> bool:
    """R1: The profile is of another customer than the one who was found."""
    return not is_served(run, call.user_id)


def forbid_order_of_other(
    call: CancelPendingOrder
    | ExchangeDeliveredOrderItems
    | ModifyPendingOrderAddress
    | ModifyPendingOrderItems
    | ModifyPendingOrderPayment
    | ReturnDeliveredOrderItems,
    run: Run,
) -> bool:
    """R1: The order is of another customer than the one who was found."""
    owner = run.owner(call.order_id)
    return owner is None or not is_served(run, owner.user_id)


def forbid_not_pending(
    call: CancelPendingOrder | ModifyPendingOrderAddress | ModifyPendingOrderItems | ModifyPendingOrderPayment,
    run: Run,
) -> bool:
    """R2: A pending order is cancelled or changed only if it was looked up and its status is pending."""
    order = run.order(call.order_id)
    return not looked_up(run.order(call.order_id)) or order is None or order.status != "pending"


def forbid_other_product(call: ModifyPendingOrderItems | ExchangeDeliveredOrderItems, run: Run) -> bool:
    """R3: Each item of a change or an exchange is replaced by an available variant of the same product, at the same place of the list."""
    return not replaced_rightly(call, run)


def forbid_refund_elsewhere(call: ReturnDeliveredOrderItems, run: Run) -> bool:
    """R4: A refund goes to the payment method that the order was paid with, or to a gift card of the customer."""
    return not (paid_with(call, run) or gift_card(call, run))


def contract_other(call: Call) -> None:
    # R5: Everything else is allowed.
    Ensures(Implies(call.tool in FREE, Result()))


def contract_read(call: GetUserDetails | GetOrderDetails, run: Run) -> None:
    # R1: Nothing is read before a customer is found.
    Ensures(Implies(not customer_found(run), not Result()))


def contract_read_order(call: GetOrderDetails, run: Run) -> None:
    # R5: Orders are read once a customer is found.
    Ensures(Implies(customer_found(run), Result()))


def contract_profile(call: GetUserDetails | ModifyUserAddress, run: Run) -> None:
    # R5: The profile of the customer who was found is read and changed.
    Ensures(Implies(customer_found(run) and is_served(run, call.user_id), Result()))


def contract_pending(
    call: CancelPendingOrder | ModifyPendingOrderAddress | ModifyPendingOrderPayment, run: Run
) -> None:
    # R2: What is cancelled or changed is a pending order.
    Ensures(
        Implies(
            Result(), run.order(call.order_id) is not None and run.order(call.order_id).status == "pending"
        )
    )
    # R5: A pending order of the customer is cancelled or changed.
    Ensures(
        Implies(
            is_of_served(call.order_id, run)
            and looked_up(run.order(call.order_id))
            and run.order(call.order_id) is not None
            and run.order(call.order_id).status == "pending",
            Result(),
        )
    )


def contract_change(call: ModifyPendingOrderItems, run: Run) -> None:
    # R2: The items that are changed are of a pending order.
    Ensures(
        Implies(
            Result(), run.order(call.order_id) is not None and run.order(call.order_id).status == "pending"
        )
    )
    # R3: Each new item is an available variant of the product of the item at its place.
    Ensures(Implies(Result(), replaced_rightly(call, run)))
    # R5: Items of a pending order of the customer are changed so.
    Ensures(
        Implies(
            is_of_served(call.order_id, run)
            and looked_up(run.order(call.order_id))
            and run.order(call.order_id) is not None
            and run.order(call.order_id).status == "pending"
            and replaced_rightly(call, run),
            Result(),
        )
    )


def contract_exchange(call: ExchangeDeliveredOrderItems, run: Run) -> None:
    # R3: Each new item is an available variant of the product of the item at its place.
    Ensures(Implies(Result(), replaced_rightly(call, run)))
    # R5: Items of an order of the customer are exchanged so.
    Ensures(Implies(is_of_served(call.order_id, run) and replaced_rightly(call, run), Result()))


def contract_refund(call: ReturnDeliveredOrderItems, run: Run) -> None:
    # R4: A refund goes to the payment method of the order or to a gift card.
    Ensures(Implies(not paid_with(call, run) and not gift_card(call, run), not Result()))
    # R5: What the customer returns is refunded to either.
    Ensures(
        Implies(is_of_served(call.order_id, run) and (paid_with(call, run) or gift_card(call, run)), Result())
    )
