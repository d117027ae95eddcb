"""Random policies of calls over the small agent, as text, and random short runs of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from workbench.model import UNANSWERED, Json, RecordedCall

HEAD = '''\
"""A random policy."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Call, GetBooking, GetSeat, GetUser, Order, PayInvoice, Run, looked_up

DEFAULT = "{default}"
KNOWN = {{"DE1", "DE2"}}
LIMIT = Decimal("30")


def paid(call: PayInvoice, run: Run) -> Decimal:
    """what is paid, this payment included"""
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)


def paid_to(run: Run, iban: str) -> Decimal:
    """what was paid to an account"""
    return sum(c.total for c in run.earlier(PayInvoice) if c.iban == iban and not c.failed)


def is_minor(run: Run, key: str) -> bool:
    """whether a user is a minor"""
    user = run.user(key)
    if user is None:
        return True
    return user.age < 18


def owner_may(call: Order, run: Run, amount: Decimal) -> bool:
    """whether the owner of the booking may spend an amount"""
    booking = run.booking(call.booking_id)
    if booking is None or booking.kind == "desk":
        return False
    owner = run.user(booking.user_id)
    return owner is not None and (owner.limit is None or amount <= owner.limit)


def is_large(amount: Decimal) -> bool:
    """whether an amount is large"""
    return amount > LIMIT
'''
"""The facts that rules of each policy may read."""
ABOUT = (
    "PayInvoice",
    "Order",
    "GetUser",
    "GetBooking",
    "GetSeat",
    "GetUser | GetBooking",
    "PayInvoice | Order",
    "Call",
)
"""What rules are about; a rule over several tools reads what all of them have."""
_USERS = ("U1", "U2")
_IBANS = ("DE1", "DE2", "DE3")


@dataclass
class Expressions:
    """Random expressions of a rule; ``elements`` has what the names of elements in scope are."""

    random: Random
    about: str
    depth: int = 3
    elements: dict[str, str] = field(default_factory=dict[str, str])
    number_of_names: int = 0

    def truth(self) -> str:
        """A condition."""
        if self.depth <= 0 or self.random.random() < 0.3:
            return self._one(self._simple())
        self.depth -= 1
        try:
            return self._one([*self._simple(), *self._records(), *self._many(), *self._joined() * 2])
        finally:
            self.depth += 1

    def number(self) -> str:
        """A decimal."""
        simple = [f'Decimal("{self.random.choice(("0", "7.5", "30", "100"))}")', *self._fields("number")]
        if self.depth <= 0 or self.random.random() < 0.4:
            return self.random.choice(simple)
        self.depth -= 1
        try:
            sums = [
                lambda: self._sum("pay", "run.earlier(PayInvoice)", ("total",)),
                lambda: f"paid_to(run, {self.text_like()})",
                lambda: f"({self.number()} {self.random.choice('+-')} {self.number()})",
                lambda: f"{self.random.choice(('min', 'max'))}({self.number()}, {self.number()})",
                self._extreme,
                *([lambda: "paid(call, run)"] if self.about == "PayInvoice" else []),
                *([lambda: self._sum("item", "call.items", ("price", "payment.amount"))] * self._is("Order")),
                *([lambda: self._sum("price", "call.prices", ("value",))] * self._is("Order")),
            ]
            return self.random.choice(sums)()
        finally:
            self.depth += 1

    def count(self) -> str:
        """A whole number."""
        simple = [
            str(self.random.randrange(4)),
            *self._fields("count"),
            *["len(call.items)"] * self._is("Order"),
        ]
        if self.depth <= 0 or self.random.random() < 0.4:
            return self.random.choice(simple)
        self.depth -= 1
        try:
            if self._is("Order") and self.random.random() < 0.3:
                return self._sum("item", "call.items", ("count",))
            kind, earlier = self._earlier()
            field = {"pay": "iban", "order": "booking_id"}.get(kind)
            if field is not None and self.random.random() < 0.3:
                form = f"len({{{{{{name}}.{field} for {{name}} in {{many}} if {{truth}}}}}})"
                return self._over(kind, form, earlier)
            return self._over(kind, "sum(1 for {name} in {many} if {truth})", earlier)
        finally:
            self.depth += 1

    def text(self) -> str:
        """A text, which may be a key or an account."""
        return self.random.choice(
            [f'"{self.random.choice((*_IBANS, *_USERS, "B1"))}"', *self._fields("text") * 2]
        )

    def text_like(self, own: str = ".iban") -> str:
        """A text that may be compared with another: the accounts of payments are read in a normal form."""
        of_form = own.endswith(".iban")
        return next(
            text
            for text in iter(self.text, None)
            if not text or text.startswith(('"', "run.")) or text.endswith(".iban") is of_form
        )

    def part_of_text(self) -> str:
        """A text that a function gives of another."""
        text, part = self.own_text(), self.random.choice(("D", "DE1", "1"))
        return self.random.choice(
            (
                f'{text}.removeprefix("{part}")',
                f'{text}.removesuffix("{part}")',
                f"{text}.lower()",
                f"{text}.strip()",
            )
        )

    def own_text(self) -> str:
        """A text that is no constant."""
        return self.random.choice(["run.context.role", *self._fields("text") * 2])

    def related(self) -> str:
        """A clause whose sides are related where they are over the same calls, or about the same record."""
        kind, many = self._earlier()
        name = self._new_name("e")
        self.elements[name] = kind
        fewer, more = f"{(one := self.truth())} and {self.truth()}", one
        del self.elements[name]
        some, key = f"for {name} in {many}", self.own_text()
        other = self.text_like(key)
        limit = self.random.choice(("7.5", "30"))
        paid = "for p in run.earlier(PayInvoice)"
        third = self.text()
        sides = self.random.choice(
            (
                (
                    f'max((p.total {paid}), default=0) > Decimal("{limit}")',
                    f'any(p.total > Decimal("{limit}") {paid})',
                ),
                (f"len({{p.iban {paid}}}) > 1", f"sum(1 {paid}) > 1"),
                (f"not any(True {paid})", f"max((p.total {paid}), default=None) is None"),
                (f"sum(1 {some} if {more}) > 0", f"any({more} {some})"),
                (f"not any({more} {some})", f"sum(1 {some} if {more}) == 0"),
                (f"sum(1 {some} if {fewer}) >= 2", f"sum(1 {some} if {more}) >= 2"),
                (f"any({fewer} {some})", f"any({more} {some})"),
                (f"all({more} {some})", f"all({more} {some} if {fewer})"),
                (f"{key} == {other} and run.user({key}) is None", f"run.user({other}) is None"),
                (
                    f"{key} == {other} and run.seat({key}, {third}) is None",
                    f"run.seat({other}, {third}) is None",
                ),
            )
        )
        return f"Implies(Result() and {sides[0]}, {sides[1]})"

    # --- conditions ---------------------------------------------------------------

    def _one(self, items: Sequence[Callable[[], str]]) -> str:
        return self.random.choice(items)()

    def _is(self, about: str) -> bool:
        return self.about == about

    def _simple(self) -> list[Callable[[], str]]:
        order = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        found: list[Callable[[], str]] = [
            lambda: f"{self.number()} {order} {self.number()}",
            lambda: f"{self.count()} {order} {self.count()}",
            self._equal_texts,
            lambda: f"{self.text()} {self.random.choice(('in', 'not in'))} KNOWN",
            lambda: f"is_large({self.number()})",
            *([lambda: f"{self._extreme(', default=None')} is None"] if self.depth > 0 else []),
            lambda: 'run.context.role == "clerk"',
            lambda: f"{self.part_of_text()} {self.random.choice(('==', '!='))} {self.text()}",
            lambda: f"(run.context.budget is None or {self.number()} <= run.context.budget)",
        ]
        if self._is("PayInvoice"):
            found += [
                lambda: f"call.note is {self.random.choice(('', 'not '))}None",
                lambda: "(call.due is not None and call.due - call.time > timedelta(hours=1))",
                lambda: f"call.time.hour {order} {self.random.choice((10, 11, 12))}",
                lambda: f"(call.due is not None and call.due.day {order} call.time.day)",
                lambda: '"user" in call.iban.source',
                lambda: (
                    f"{self.random.choice(('any', 'all'))}"
                    '(place in {"user", "get_user.id"} for place in call.iban.source)'
                ),
            ]
        if self._is("Order"):
            found += [
                lambda: '"get_booking.id" in call.booking_id.source',
                lambda: f"{self.text_like('')} in call.names",
                lambda: "{i.user_id for i in call.items} <= {n for n in call.names}",
            ]
        if self._is("Call"):
            found.append(lambda: f'call.tool == "{self.random.choice(("order", "get_user"))}"')
        for name, kind in self.elements.items():
            found += [lambda name=name, kind=kind: self._about_element(name, kind)] * (
                kind in ("pay", "call")
            )
            found += [lambda name=name, kind=kind: self._as_of(name, kind)] * (
                kind in ("pay", "order", "get")
            )
        return found

    def _as_of(self, name: str, kind: str) -> str:
        """A condition on a record as of an earlier call."""
        user = kind != "order" and self.random.random() < 0.7
        field = {"pay": "iban", "order": "booking_id", "get": "id"}[kind]
        key = f"{name}.{field}" if self.random.random() < 0.7 else self.text()
        record = f"run.{'user' if user else 'booking'}({key}, as_of={name})"
        test = f"{record}.age >= 18" if user else f'{record}.kind == "room"'
        return self.random.choice(
            (
                f"looked_up({record})",
                f"{record} is {self.random.choice(('', 'not '))}None",
                f"({record} is not None and {test})",
            )
        )

    def _equal_texts(self) -> str:
        own = self.own_text()
        return f"{own} {self.random.choice(('==', '!='))} {self.text_like(own)}"

    def _about_element(self, name: str, kind: str) -> str:
        own = [
            f"{name}.succeeded",
            f"{name}.failed",
            f"{name}.approved",
            f'"ok" in {name}.result',
            f"call.time - {name}.time < timedelta(minutes={self.random.choice((1, 2, 60))})",
        ]
        if kind == "pay":
            own += [f"{name}.note is None", f"({name}.due is not None and {name}.due > {name}.time)"]
            own += [f"{name}.iban == call.iban"] * 2 * self._is("PayInvoice")
        return self.random.choice(own)

    def _part_of(self, booking: str) -> str:
        """A condition on a typed part of a field of a record."""
        field, test = self.random.choice(
            (
                ("guest", 'domain == "example.com"'),
                ("guest", 'domain != "example.com"'),
                ("guest", 'local.lower() == "ann"'),
                ("guest_domain", 'lower() == "example.com"'),
                ("made_at", f"weekday {self.random.choice(('<', '=='))} 5"),
                ("made_at", "hour >= 12"),
            )
        )
        return f"({booking} is not None and {booking}.{field} is not None and {booking}.{field}.{test})"

    def _records(self) -> list[Callable[[], str]]:
        user, booking = f"run.user({self.text()})", f"run.booking({self.text()})"
        owner = f"run.user({booking}.user_id)"
        seat = f"run.seat({self.text()}, {self.text()})"
        return [
            lambda: f"{user} is None",
            lambda: f"looked_up({self.random.choice((user, booking, seat))})",
            lambda: f"is_minor(run, {self.text()})",
            lambda: f"({user} is not None and {user}.age {self.random.choice(('<', '>='))} 18)",
            lambda: f"({user} is None or {user}.limit is None or {self.number()} <= {user}.limit)",
            lambda: self.random.choice(
                (f'({booking} is not None and {booking}.kind == "room")', self._part_of(booking))
            ),
            lambda: f"({booking} is not None and {owner} is not None and {owner}.age >= 18)",
            lambda: f"{seat} is {self.random.choice(('', 'not '))}None",
            lambda: f"({seat} is not None and {seat}.row {self.random.choice(('<', '>='))} {self.count()})",
            *([lambda: f"owner_may(call, run, {self.number()})"] * 2 * self._is("Order")),
        ]

    def _joined(self) -> list[Callable[[], str]]:
        return [
            lambda: f"({self.truth()} and {self.truth()})",
            lambda: f"({self.truth()} or {self.truth()})",
            lambda: f"(not {self.truth()})",
            lambda: f"({self.truth()} if {self.truth()} else {self.truth()})",
        ]

    # --- sums, any and all --------------------------------------------------------

    def _many(self) -> list[Callable[[], str]]:
        found = [*[self._of_earlier] * 3, self._last]
        if self._is("Order"):
            found += [self._of_items, self._of_items, self._of_prices, self._of_pairs]
        return found

    def _earlier(self) -> tuple[str, str]:
        part = self._part_of_run()
        return self.random.choice(
            (("pay", f"{part}.earlier(PayInvoice)"), ("order", f"{part}.earlier(Order)"),
             ("get", f"{part}.earlier(GetUser, GetBooking)"))
        )  # fmt: skip

    def _part_of_run(self) -> str:
        """The run, or a part of it that begins or ends at some call."""
        if self.depth <= 0 or self.random.random() < 0.7:
            return "run"
        self.depth -= 1
        try:
            word, name = self.random.choice(("since", "until")), self._new_name("m")
            if self.random.random() < 0.3:
                return f"run.{word}(run.earlier(Order))"
            self.elements[name] = "pay"
            test = self.truth()
            del self.elements[name]
            return f"run.{word}({name} for {name} in run.earlier(PayInvoice) if {test})"
        finally:
            self.depth += 1

    def _quantified(self) -> str:
        word = self.random.choice(("any", "all"))
        condition = " if {other}" if self.random.random() < 0.3 else ""
        return f"{word}({{truth}} for {{name}} in {{many}}{condition})"

    def _of_earlier(self) -> str:
        kind, many = self._earlier()
        return self._over(kind, self._quantified(), many)

    def _last(self) -> str:
        """A condition on the last of some earlier calls."""
        name = self._new_name("l")
        self.elements[name] = "pay"
        last = f"run.last({name} for {name} in run.earlier(PayInvoice) if {self.truth()})"
        del self.elements[name]
        number = self.number()
        return self.random.choice(
            (
                f"{last} is None",
                f"({last} is not None and {last}.total <= {number})",
                f"({last} is not None and {last}.iban == {self.text_like()})",
            )
        )

    def _of_items(self) -> str:
        return self._over("item", self._quantified(), "call.items")

    def _of_prices(self) -> str:
        return self._over("price", self._quantified(), "call.prices")

    def _of_pairs(self) -> str:
        item, name = self._new_name("i"), self._new_name("n")
        self.elements |= {item: "item", name: "text"}
        truth = self.truth()
        del self.elements[item], self.elements[name]
        return (
            f"{self.random.choice(('any', 'all'))}({truth} for {item}, {name} in zip(call.items, call.names))"
        )

    def _extreme(self, *defaults: str) -> str:
        """The smallest or largest of what elements have, with one of these defaults."""
        word = self.random.choice(("min", "max"))
        kind, many, field = "pay", f"{self._part_of_run()}.earlier(PayInvoice)", "total"
        if self._is("Order") and self.random.random() < 0.4:
            kind, many, field = "item", "call.items", self.random.choice(("price", "payment.amount"))
        default = self.random.choice(defaults or ("", f", default={self.number()}", ', default=Decimal("0")'))
        elements = f"{{name}}.{field} for {{name}} in {{many}} if {{truth}}"
        return self._over(kind, f"{word}(({elements})<default>)", many).replace("<default>", default)

    def _sum(self, kind: str, many: str, fields: Sequence[str]) -> str:
        value = self.random.choice(fields)
        condition = " if {truth}" if self.random.random() < 0.6 else ""
        return self._over(kind, f"sum({{name}}.{value} for {{name}} in {{many}}{condition})", many)

    def _over(self, kind: str, form: str, many: str) -> str:
        name = self._new_name(kind[0])
        self.elements[name] = kind
        values = {"name": name, "many": many, "truth": self.truth(), "other": self.truth()}
        del self.elements[name]
        return form.format(**values)

    def _new_name(self, letter: str) -> str:
        self.number_of_names += 1
        return f"{letter}{self.number_of_names}"

    def _fields(self, type_: str) -> list[str]:
        """The fields of a type of the call and of the elements in scope."""
        own = {
            ("PayInvoice", "number"): ["call.total"],
            ("PayInvoice", "text"): ["call.iban"],
            ("Order", "text"): ["call.booking_id"],
            ("GetUser", "text"): ["call.id"],
            ("GetBooking", "text"): ["call.id"],
            ("GetSeat", "text"): ["call.booking_id", "call.user_id"],
            ("GetUser | GetBooking", "text"): ["call.id"],
        }
        of = {
            ("pay", "number"): ["total"], ("pay", "text"): ["iban"], ("order", "text"): ["booking_id"],
            ("get", "text"): ["id"], ("item", "number"): ["price", "payment.amount"],
            ("item", "count"): ["count"], ("item", "text"): ["user_id"], ("price", "number"): ["value"],
            ("price", "text"): ["product"],
        }  # fmt: skip
        found = list(own.get((self.about, type_), []))
        for name, kind in self.elements.items():
            found += [f"{name}.{one}" for one in of.get((kind, type_), [])]
            found += [name] * (kind == type_ == "text")
        return found


def policy_text(random: Random, depth: int = 3) -> str:
    """A random policy, which is in the dialect."""
    kinds = [random.choice(("forbid", "forbid", "ask", "permit")) for _ in range(random.randint(1, 3))]
    denies = 0.5 if "permit" in kinds else 0.1  # a policy that permits nothing decides every call alike
    default = "deny" if random.random() < denies else "allow"
    rules = [_rule(random, f"{kind}_{number}", depth) for number, kind in enumerate(kinds, 1)]
    clauses = [_contract(random, number) for number in range(2)]
    clauses += [rule.clause() for rule in rules if rule.clause()]
    return "\n\n".join([HEAD.format(default=default), *(rule.text for rule in rules), *clauses])


@dataclass(frozen=True)
class _Rule:
    """A rule; ``condition`` is its expression if it has no other statement."""

    name: str
    about: str
    text: str
    condition: str

    def clause(self) -> str:
        """A contract that holds because of the rule; empty if there is none."""
        if not self.condition or self.name.startswith("permit"):
            return ""
        return _clauses(f"{self.name}_holds", self.about, f"Implies({self.condition}, not Result())")


def _rule(random: Random, name: str, depth: int) -> _Rule:
    about = random.choice(ABOUT)
    expressions = Expressions(random, about, depth)
    head = f'def {name}(call: {about}, run: Run) -> bool:\n    """R1: No."""\n'
    if random.random() < 0.6:
        condition = expressions.truth()
        return _Rule(name, about, f"{head}    return {condition}\n", condition)
    return _Rule(
        name,
        about,
        f"{head}    value = {expressions.number()}\n    if {expressions.truth()}:\n"
        f'        return {expressions.truth()}\n    return value > Decimal("10")\n',
        "",
    )


def _contract(random: Random, number: int) -> str:
    """Two random clauses, and one that may follow from what relates the values over a run."""
    about = random.choice(ABOUT)
    expressions = Expressions(random, about, 2)
    first, second = (
        f"Implies({expressions.truth()}, not Result())",
        f"Implies(Result(), {expressions.truth()})",
    )
    return _clauses(f"random_{number}", about, first, second, expressions.related())


def _clauses(name: str, about: str, *conditions: str) -> str:
    clauses = "".join(f"    # R1: It holds.\n    Ensures({condition})\n" for condition in conditions)
    return f"def contract_{name}(call: {about}, run: Run) -> None:\n{clauses}"


# --- runs -----------------------------------------------------------------------------


def arguments_of(random: Random, tool: str) -> dict[str, Json]:
    """The arguments of a call, some of which are missing or of another type."""
    if tool == "pay_invoice":
        found: dict[str, Json] = {
            "total": random.choice((5, 7.5, 12.25, 30, 100, 0)), "iban": random.choice(_IBANS),
            "note": random.choice((None, "DE1")), "due": random.choice((None, "2026-05-01T12:30:00+00:00")),
        }  # fmt: skip
    elif tool == "order":
        items: list[Json] = [
            {
                "user_id": random.choice(_USERS),
                "price": random.choice((5, 30.5)),
                "count": random.randrange(3),
                "payment": {"amount": random.choice((1, 50))},
            }
            for _ in range(random.randrange(4))
        ]  # fmt: skip
        names: list[Json] = [random.choice(_USERS) for _ in range(random.choice((len(items), 1)))]
        found = {"booking_id": random.choice(("B1", "B2")), "items": items, "names": names,
                 "prices": {random.choice(_USERS): random.choice((1, 8.5))}}  # fmt: skip
    elif tool == "get_seat":
        found = {"booking_id": random.choice(("B1", "B2")), "user_id": random.choice(_USERS)}
    else:
        found = {"id": random.choice(_USERS if tool == "get_user" else ("B1", "B2"))}
    if random.random() < 0.15:
        key = random.choice(list(found))
        if random.random() < 0.5:
            del found[key]
        else:
            found[key] = random.choice((None, "", [], 12.345, {"a": 1}, True))
    if random.random() < 0.05:
        _with_strange_key(random, found)
    return found


def _with_strange_key(random: Random, arguments: dict[str, Json]) -> None:
    """Add a key that no schema has: to the arguments, to an item, or to an object in one."""
    items = arguments.get("items")
    objects: list[Json] = [arguments, *(items if isinstance(items, list) else [])]
    objects += [one["payment"] for one in objects[1:] if isinstance(one, dict)]
    chosen = random.choice(objects)
    if isinstance(chosen, dict):
        chosen["discount"] = 10


def result_of(random: Random, tool: str, arguments: dict[str, Json]) -> str:
    """The result of a call: what it looked up, that there is none, a failure, or something else."""
    if tool in ("get_user", "get_booking", "get_seat") and random.random() < 0.8:
        if random.random() < 0.2:
            return "no such"
        if tool == "get_seat":
            row = random.randrange(4)
            return json.dumps(
                {"booking": arguments.get("booking_id"), "user_id": arguments.get("user_id"), "row": row}
            )
        key = arguments.get("id")
        if tool == "get_user":
            limit = random.choice((None, 20, 100))
            return json.dumps({"id": key, "age": random.choice((17, 40)), "limit": limit})
        kind = random.choice(("room", "desk"))
        more: dict[str, Json] = {
            "guest": random.choice((None, "ann@example.com", "Ann <ANN@EXAMPLE.com>", "e@evil.io", "nobody")),
            "guest_domain": random.choice((None, "example.com", "Evil.io")),
            "made_at": random.choice((None, "2026-05-01T09:00:00Z", "2026-05-03T15:00:00Z")),
        }
        told = {name: value for name, value in more.items() if random.random() < 0.7}
        return json.dumps({"id": key, "user_id": random.choice(_USERS), "kind": kind, **told})
    return random.choice(("ok", "done", '{"error": "no"}', '{"ok": true}', "[]", ""))


CONTEXTS: tuple[dict[str, Json], ...] = (
    {}, {"role": "clerk"}, {"role": "boss", "budget": 40}, {"role": "clerk", "budget": None},
)  # fmt: skip
TOOLS = ("pay_invoice", "pay_invoice", "pay_invoice", "order", "order", "get_user", "get_booking", "get_seat")


def random_run(random: Random) -> tuple[RecordedCall, ...]:
    """A short run with every outcome of a call."""
    calls: list[RecordedCall] = []
    seconds = 0
    for index in range(random.randint(1, 6)):
        tool = random.choice(TOOLS)
        arguments = arguments_of(random, tool)
        seconds += random.choice((0, 1, 45, 90, 4000))
        hour, rest = divmod(seconds, 3600)
        time = f"2026-05-01T{10 + hour:02}:{rest // 60:02}:{rest % 60:02}+00:00"
        outcome = random.choice((*["as usual"] * 5, "refused", "failed", "running", "no time"))
        words = random.choice(("pay DE1 for b1", "pay", "user u1"))
        call = RecordedCall(
            "run",
            index,
            None if random.random() < 0.02 else tool,
            arguments,
            texts={"arguments": json.dumps(arguments), "all_user": words},
            context=random.choice(CONTEXTS),
            result=None if outcome == "refused" else result_of(random, tool, arguments),
            time=None if outcome == "no time" else time,
            ran=outcome != "refused",
            failed=outcome == "failed",
            known_from=UNANSWERED if outcome == "running" else 0,
            approved=random.choice((None, False, False, True)),
        )
        calls.append(call)
    return tuple(calls)


@dataclass(frozen=True)
class Step:
    """A call to be made, and what comes of it; a call without a result is not answered."""

    tool: str
    arguments: dict[str, Json]
    context: dict[str, Json]
    result: str | None
    failed: bool


def steps(random: Random) -> Iterator[Step]:
    """A short run, to be played to a guard."""
    for _ in range(random.randint(1, 6)):
        tool = random.choice(TOOLS)
        arguments = arguments_of(random, tool)
        result = None if random.random() < 0.1 else result_of(random, tool, arguments)
        yield Step(tool, arguments, random.choice(CONTEXTS), result, random.random() < 0.1)
