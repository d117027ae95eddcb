"""Random expressions and random short runs of the small agent."""

from __future__ import annotations

from typing import cast

from hypothesis import strategies as st

from tests.runs.expressions.small_agent import call
from workbench.guard.run_messages import MessagesSoFar
from workbench.model import UNANSWERED, Json, RecordedCall

_OF_CALL = (
    "c.succeeded",
    "not c.failed",
    "c.total > Decimal('15')",
    "c.note is None",
    "c.approved",
    "c.note == 'a'",
    "c.iban == 'DE1'",
    "'done' in c.result",
    "c.iban == call.iban",
    "call.total == c.total",
    "c.iban != call.iban",
    "c.iban == run.context.role",
    "c.total >= call.total",
    "call.time - c.time < timedelta(minutes=2)",
    "timedelta(minutes=1) <= call.time - c.time",
    "c.time >= call.due",
    "c.due is not None and c.due > c.time",
    "looked_up(run.user(c.iban))",
    "run.user(c.iban) is None",
    "looked_up(run.user(c.iban, as_of=c))",
    "run.user(call.iban, as_of=c) is None",
    "run.user(c.iban, as_of=c).age > 17",
    "run.user(c.iban, as_of=c).age == run.user(call.iban).age",
    "run.user(c.iban).age > 17",
    "sum(d.total for d in run.earlier(PayInvoice) if d.iban == c.iban) > Decimal('25')",
    "any(d.time > c.time and d.failed for d in run.earlier(PayInvoice))",
    "c.iban.removeprefix('DE') == '1'",
    "c.iban.lower().removesuffix('1') != call.iban.lower()",
    "'user' in c.iban.source",
    "not any(True for y in c.iban.source)",
    "'user' in call.iban.source_before(c)",
    "any(y != 'user' for y in call.iban.source_before(c))",
    "'DE1' in run.until(c).said",
    "c.iban in run.since(c).said",
    "run.until(c).last_said != run.last_said",
    "any(d.iban == c.iban for d in run.until(c).earlier(PayInvoice))",
    "any(d.iban == call.iban and not d.failed for d in run.since(c).earlier(PayInvoice))",
    "'get_user.id' in c.iban.source",
)
_OF_ORDER = (
    "c.succeeded",
    "c.booking_id.strip() == call.iban",
    "any(y.price > Decimal('2') for y in c.items)",
    "sum(y.count for y in c.items) > 3",
    "all(y.payment.amount > Decimal('1') for y in c.items)",
    "call.time - c.time < timedelta(minutes=2)",
    "run.booking(c.booking_id).kind == 'room'",
    "run.booking(c.booking_id, as_of=c).kind == 'room'",
    "any(run.user(y.user_id, as_of=c).age > 17 for y in c.items)",
    "any(y.product == 'p' for y in c.prices)",
)
_OF_BOTH = (
    "c.succeeded",
    "not c.approved",
    "call.time - c.time <= timedelta(minutes=1)",
    "c.time == call.time",
)
_OF_ITEM = (
    "x.price > Decimal('2')",
    "run.user(x.user_id).age < 18",
    "sum(c.total for c in run.earlier(PayInvoice) if x.user_id.strip() == c.iban and c.succeeded) > 15",
    "any(c.iban == x.user_id.strip() for c in run.earlier(PayInvoice))",
    "x.payment.amount < x.price",
    "looked_up(run.user(x.user_id))",
)


def _joined(tests: tuple[str, ...]) -> st.SearchStrategy[str]:
    """One to three tests, joined."""
    one = st.sampled_from(tests)
    return st.one_of(
        one,
        st.builds("({} and {})".format, one, one),
        st.builds("({} and {} and {})".format, one, one, one),
        st.builds("({} or {})".format, one, one),
        st.builds("(not {})".format, one),
    )


_BOUND = st.one_of(
    st.sampled_from(("PayInvoice", "Order", "PayInvoice, Order", "GetUser")).map("run.earlier({})".format),
    st.builds("c for c in run.earlier(PayInvoice) if {}".format, _joined(_OF_CALL)),
    st.builds(
        "w for w in run.since(run.earlier(GetUser)).earlier(Order) if {}".format, st.just("w.succeeded")
    ),
)
PARTS = st.one_of(
    st.just("run"),
    st.just("run"),
    st.builds("run.{}({})".format, st.sampled_from(("since", "until")), _BOUND),
    st.builds("run.since({}).until({})".format, _BOUND, _BOUND),
)
"""The run, or a part of it."""


def _over(calls: str, tests: tuple[str, ...], value: tuple[str, ...]) -> st.SearchStrategy[str]:
    test = _joined(tests)
    return st.one_of(
        st.builds(f"any({{}} for c in {{}}.earlier({calls}))".format, test, PARTS),
        st.builds(f"all({{}} for c in {{}}.earlier({calls}))".format, test, PARTS),
        st.builds(f"sum(1 for c in {{}}.earlier({calls}) if {{}})".format, PARTS, test),
        st.builds(
            f"sum({{}} for c in {{}}.earlier({calls}) if {{}})".format, st.sampled_from(value), PARTS, test
        ),
        st.builds(
            f"{{}}(({{}} for c in {{}}.earlier({calls}) if {{}}){{}})".format,
            st.sampled_from(("min", "max")),
            st.sampled_from((*value, "c.time")),
            PARTS,
            test,
            st.sampled_from(("", ", default=None", ", default=0", ", default=call.total")),
        ),
        st.builds(
            f"len({{{{{{}} for c in {{}}.earlier({calls}) if {{}}}}}})".format,
            st.sampled_from((*value, "c.time")),
            PARTS,
            test,
        ),
    )


AGGREGATES = st.one_of(
    _over(
        "PayInvoice",
        _OF_CALL,
        ("c.total", "c.total - call.total", "c.total if c.succeeded else Decimal('1')"),
    ),
    _over("Order", _OF_ORDER, ("sum(y.price for y in c.items)", "sum(y.count for y in c.items)")),
    _over("PayInvoice, Order", _OF_BOTH, ("1",)),
)
PAYING = st.one_of(
    AGGREGATES,
    AGGREGATES.map("call.total + {} > Decimal('30')".format),
    AGGREGATES.map("{} > 1".format),
    AGGREGATES.map("{} == 2 or call.note is None".format),
    st.builds("'DE1' in run.{}({}).said".format, st.sampled_from(("since", "until")), _BOUND),
    st.builds("'DE1' in run.since({}).until({}).said".format, _BOUND, _BOUND),
)
ORDERING = st.one_of(
    st.builds("any({} for x in call.items)".format, _joined(_OF_ITEM)),
    st.builds("all({} for x in call.items)".format, _joined(_OF_ITEM)),
    st.builds("sum(x.count for x in call.items if {})".format, _joined(_OF_ITEM)),
    st.just("all(x.price > y.price for x, y in zip(call.items, call.items))"),
    st.just("run.user(run.booking(call.booking_id).user_id).age >= 18"),
)

_KEYS = ("DE1", "DE2", "u")
_ITEMS = st.fixed_dictionaries(
    {
        "user_id": st.sampled_from(_KEYS),
        "price": st.sampled_from([1, 2.5, "x"]),
        "count": st.sampled_from([1, 2]),
        "payment": st.sampled_from([{"amount": 1}, {"amount": 3}, None]),
    }
)
_PAID = st.fixed_dictionaries(
    {"total": st.sampled_from([10, 20, 20, -5, "x", None]), "iban": st.sampled_from([*_KEYS, *_KEYS, None])},
    optional={"note": st.sampled_from(["a", "b", None]), "due": st.just("2026-05-01T10:01:00+00:00")},
)
_ORDERED = st.fixed_dictionaries(
    {"booking_id": st.sampled_from(_KEYS), "items": st.lists(_ITEMS, max_size=2)},
    optional={"prices": st.just({"p": 1, "q": 2.5})},
)


@st.composite
def runs(draw: st.DrawFn, most: int = 7) -> tuple[RecordedCall, ...]:
    """A run in which results fail, come late or never, calls are refused, and clocks may go back."""
    calls: list[RecordedCall] = []
    times_known = draw(st.booleans())
    messages = MessagesSoFar()
    minute = 0
    for index in range(draw(st.integers(1, most))):
        for text in draw(st.lists(st.sampled_from(("Pay DE1.", "And u", "", "DE2")), max_size=2)):
            messages.add("user", text)
        tool, arguments, result = draw(st.one_of(_paying(), _paying(), _ordering(), _looking()))
        if draw(st.integers(0, 30)) == 0:
            tool = None
        known_from = draw(st.sampled_from([0, 0, 0, index + 1, index + 2, index + 3, UNANSWERED]))
        minute += draw(st.sampled_from([0, 1, 1, 5, -1] if draw(st.integers(0, 6)) == 0 else [0, 1, 2]))
        has_time = times_known or draw(st.booleans())
        time = (
            f"2026-05-01T{10 + minute // 60:02}:{minute % 60:02}:00+00:00"
            if has_time and minute >= 0
            else None
        )
        calls.append(
            call(
                index,
                tool,
                arguments,
                draw(st.sampled_from([result, result, result, None, '{"error": "no"}'])),
                time=time,
                failed=draw(st.integers(0, 5)) == 0,
                ran=draw(st.integers(0, 5)) != 0,
                known_from=known_from,
                context=draw(st.sampled_from([{}, {"role": "DE1"}])),
                texts=messages.texts() if draw(st.integers(0, 9)) else {},
            )
        )
    return tuple(calls)


def _paying() -> st.SearchStrategy[tuple[str, dict[str, Json] | None, str]]:
    paid = cast("st.SearchStrategy[dict[str, Json]]", _PAID)
    arguments = st.one_of(paid, paid, paid, st.none()).map(_without_missing)
    return arguments.map(lambda given: ("pay_invoice", given, "done"))


def _ordering() -> st.SearchStrategy[tuple[str, dict[str, Json] | None, str]]:
    return _ORDERED.map(lambda given: ("order", cast("dict[str, Json]", given), "done"))


def _looking() -> st.SearchStrategy[tuple[str, dict[str, Json] | None, str]]:
    def looked(tool: str, key: str, age: Json) -> tuple[str, dict[str, Json] | None, str]:
        user = f'{{"id": "{key}", "age": {age}, "user_id": "u", "kind": "room"}}'
        return tool, {"id": key}, "no such" if age is None else user

    return st.builds(
        looked,
        st.sampled_from(["get_user", "get_booking"]),
        st.sampled_from(_KEYS),
        st.sampled_from([17, 18, '"x"', None]),
    )


def _without_missing(given: dict[str, Json] | None) -> dict[str, Json] | None:
    if given is None:
        return None
    return {name: value for name, value in given.items() if value is not None or name == "note"}
