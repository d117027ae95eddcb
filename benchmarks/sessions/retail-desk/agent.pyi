"""The calls, records and context of the agent, for editors; `workbench stub` writes this file."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date as _date
from datetime import datetime
from datetime import time as _time
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

_Earlier = TypeVar("_Earlier", covariant=True)

class Text(str):
    """A text of a call or of its run."""

    source: frozenset[str]
    """The places of the run that it came from, before its own call."""
    def source_before(self, call: _Outcome, /) -> frozenset[str]:
        """The places that it came from before this earlier call."""
    def sentences_with(self, value: str | int | Decimal, /) -> Text:
        """Its sentences in which this value stands."""
    found_user: Text
    """Only of FindUserIdByEmail.result, FindUserIdByNameZip.result."""
    words: tuple[Text, ...]
    """Only of Run.said."""

@dataclass(frozen=True)
class Call:
    """A call of any tool."""

    tool: str
    time: _Time

@dataclass(frozen=True)
class _Outcome:
    succeeded: bool
    failed: bool
    approved: bool
    result: Text

class _Time(datetime):
    """A point in time, with its parts."""

    @property
    def date(self) -> _date: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    @property
    def time(self) -> _time: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    @property
    def weekday(self) -> int: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]

class _Of(Generic[_Earlier]): ...
class _Record: ...

@dataclass(frozen=True)
class Calculate(Call, _Of[EarlierCalculate]):
    """Computes an expression."""

    tool: Literal["calculate"]
    expression: Text

@dataclass(frozen=True)
class EarlierCalculate(Calculate, _Outcome): ...

@dataclass(frozen=True)
class CancelPendingOrder(Call, _Of[EarlierCancelPendingOrder]):
    """Cancels an order that is not processed yet."""

    tool: Literal["cancel_pending_order"]
    order_id: Text
    reason: Text

@dataclass(frozen=True)
class EarlierCancelPendingOrder(CancelPendingOrder, _Outcome): ...

@dataclass(frozen=True)
class ExchangeDeliveredOrderItems(Call, _Of[EarlierExchangeDeliveredOrderItems]):
    """Exchanges items of a delivered order, each for the new item at the same place."""

    tool: Literal["exchange_delivered_order_items"]
    order_id: Text
    item_ids: tuple[Text, ...]
    new_item_ids: tuple[Text, ...]
    payment_method_id: Text

@dataclass(frozen=True)
class EarlierExchangeDeliveredOrderItems(ExchangeDeliveredOrderItems, _Outcome): ...

@dataclass(frozen=True)
class FindUserIdByNameZip(Call, _Of[EarlierFindUserIdByNameZip]):
    """The id of the customer with this name in this zip code."""

    tool: Literal["find_user_id_by_name_zip"]
    first_name: Text
    last_name: Text
    zip: Text

@dataclass(frozen=True)
class EarlierFindUserIdByNameZip(FindUserIdByNameZip, _Outcome): ...

@dataclass(frozen=True)
class FindUserIdByEmail(Call, _Of[EarlierFindUserIdByEmail]):
    """The id of the customer with this mail address."""

    tool: Literal["find_user_id_by_email"]
    email: Text

@dataclass(frozen=True)
class EarlierFindUserIdByEmail(FindUserIdByEmail, _Outcome): ...

@dataclass(frozen=True)
class GetOrderDetails(Call, _Of[EarlierGetOrderDetails]):
    """Items, status and payments of an order."""

    tool: Literal["get_order_details"]
    order_id: Text

@dataclass(frozen=True)
class EarlierGetOrderDetails(GetOrderDetails, _Outcome): ...

@dataclass(frozen=True)
class GetProductDetails(Call, _Of[EarlierGetProductDetails]):
    """A product with all of its variants."""

    tool: Literal["get_product_details"]
    product_id: Text

@dataclass(frozen=True)
class EarlierGetProductDetails(GetProductDetails, _Outcome): ...

@dataclass(frozen=True)
class GetItemDetails(Call, _Of[EarlierGetItemDetails]):
    """A variant of a product."""

    tool: Literal["get_item_details"]
    item_id: Text

@dataclass(frozen=True)
class EarlierGetItemDetails(GetItemDetails, _Outcome): ...

@dataclass(frozen=True)
class GetUserDetails(Call, _Of[EarlierGetUserDetails]):
    """The profile of a customer, with the payment methods."""

    tool: Literal["get_user_details"]
    user_id: Text

@dataclass(frozen=True)
class EarlierGetUserDetails(GetUserDetails, _Outcome): ...

@dataclass(frozen=True)
class ListAllProductTypes(Call, _Of[EarlierListAllProductTypes]):
    """Names and ids of all products."""

    tool: Literal["list_all_product_types"]

@dataclass(frozen=True)
class EarlierListAllProductTypes(ListAllProductTypes, _Outcome): ...

@dataclass(frozen=True)
class ModifyPendingOrderAddress(Call, _Of[EarlierModifyPendingOrderAddress]):
    """Changes where a pending order goes."""

    tool: Literal["modify_pending_order_address"]
    order_id: Text
    address1: Text
    address2: Text
    city: Text
    state: Text
    country: Text
    zip: Text

@dataclass(frozen=True)
class EarlierModifyPendingOrderAddress(ModifyPendingOrderAddress, _Outcome): ...

@dataclass(frozen=True)
class ModifyPendingOrderItems(Call, _Of[EarlierModifyPendingOrderItems]):
    """Changes items of a pending order, each to the new item at the same place."""

    tool: Literal["modify_pending_order_items"]
    order_id: Text
    item_ids: tuple[Text, ...]
    new_item_ids: tuple[Text, ...]
    payment_method_id: Text

@dataclass(frozen=True)
class EarlierModifyPendingOrderItems(ModifyPendingOrderItems, _Outcome): ...

@dataclass(frozen=True)
class ModifyPendingOrderPayment(Call, _Of[EarlierModifyPendingOrderPayment]):
    """Changes what a pending order is paid with."""

    tool: Literal["modify_pending_order_payment"]
    order_id: Text
    payment_method_id: Text

@dataclass(frozen=True)
class EarlierModifyPendingOrderPayment(ModifyPendingOrderPayment, _Outcome): ...

@dataclass(frozen=True)
class ModifyUserAddress(Call, _Of[EarlierModifyUserAddress]):
    """Changes the default address of a customer."""

    tool: Literal["modify_user_address"]
    user_id: Text
    address1: Text
    address2: Text
    city: Text
    state: Text
    country: Text
    zip: Text

@dataclass(frozen=True)
class EarlierModifyUserAddress(ModifyUserAddress, _Outcome): ...

@dataclass(frozen=True)
class ReturnDeliveredOrderItems(Call, _Of[EarlierReturnDeliveredOrderItems]):
    """Returns items of a delivered order."""

    tool: Literal["return_delivered_order_items"]
    order_id: Text
    item_ids: tuple[Text, ...]
    payment_method_id: Text

@dataclass(frozen=True)
class EarlierReturnDeliveredOrderItems(ReturnDeliveredOrderItems, _Outcome): ...

@dataclass(frozen=True)
class TransferToHumanAgents(Call, _Of[EarlierTransferToHumanAgents]):
    """Hands the ticket to a person."""

    tool: Literal["transfer_to_human_agents"]
    summary: Text

@dataclass(frozen=True)
class EarlierTransferToHumanAgents(TransferToHumanAgents, _Outcome): ...

@dataclass(frozen=True)
class GiftCard:
    """a gift card"""

    id: Text
    balance: Decimal

@dataclass(frozen=True)
class User(_Record):
    """an user"""

    payment_methods: frozenset[Text]
    gift_cards: tuple[GiftCard, ...]
    orders: frozenset[Text]

@dataclass(frozen=True)
class Variant(_Record):
    """a variant"""

    available: bool
    price: Decimal

@dataclass(frozen=True)
class Product(_Record):
    """a product"""

    items: frozenset[Text]

@dataclass(frozen=True)
class Item:
    """an item"""

    item_id: Text
    product_id: Text
    price: Decimal

@dataclass(frozen=True)
class Payment:
    """a payment"""

    kind: Text
    method: Text

@dataclass(frozen=True)
class Order(_Record):
    """an order"""

    user_id: Text
    status: Text
    items: tuple[Item, ...]
    payments: tuple[Payment, ...]

@dataclass(frozen=True)
class Context:
    """What the application says of the call."""

class Run:
    """The run of the agent before the call."""

    context: Context
    said: Text
    """All that the user has said in the run."""
    last_said: Text
    """What the user has said last."""
    first_said: Text
    """The first message of the user, which an application's template writes."""
    def earlier(self, *tools: type[_Of[_Earlier]]) -> tuple[_Earlier, ...]:
        """The earlier calls of these tools in the run, in order."""
    def last(self, calls: Iterable[_Earlier], /) -> _Earlier | Any:
        """The last of these calls; None if there is none."""
    def since(self, calls: Iterable[Call] | _Outcome, /) -> Run:
        """The part of the run after this call, or the last of these, or all of it."""
    def until(self, calls: Iterable[Call] | _Outcome, /) -> Run:
        """The part of the run before this call, or the first of these, or all of it."""
    def calls(self, *tools: type[_Of[_Earlier]]) -> tuple[_Earlier, ...]:
        """In a theorem: the calls of these tools in the whole run that were allowed."""
    def before(self, call: Call, /) -> Run:
        """In a theorem: the run as it was when this call was decided."""
    def user(self, key: str, /, *, as_of: _Outcome = ...) -> User | Any:
        """The user with this key, as known now or as_of a call; None if there is none."""
    def variant(self, key: str, /, *, as_of: _Outcome = ...) -> Variant | Any:
        """The variant with this key, as known now or as_of a call; None if there is none."""
    def product(self, key: str, /, *, as_of: _Outcome = ...) -> Product | Any:
        """The product with this key, as known now or as_of a call; None if there is none."""
    def order(self, key: str, /, *, as_of: _Outcome = ...) -> Order | Any:
        """The order with this key, as known now or as_of a call; None if there is none."""

def looked_up(record: _Record | None, /) -> bool:
    """Whether the run looked this record up, so that it is known or known to be absent."""
