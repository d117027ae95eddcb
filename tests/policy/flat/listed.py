"""A policy over records and lists for tests, and random conditions and arguments for it.

A random number generator, which a property test seeds, draws them. Hypothesis by itself draws mostly short
lists and small conditions, which seldom fit together.
"""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

from hypothesis import strategies as st

from workbench.model import ArgumentType, Kind, RecordType, RecordValue, Value
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    FieldSet,
    IsMissing,
    Member,
    Not,
    Or,
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    StringTest,
    StringTestKind,
    Sum,
    Term,
    Variable,
)

INT = ArgumentType(Kind.INT)
MONEY = ArgumentType(Kind.DECIMAL, places=2)
STR = ArgumentType(Kind.STR)
SET = ArgumentType(Kind.SET)
BOOL = ArgumentType(Kind.BOOL)
KIND = ArgumentType(Kind.ENUM, ("card", "gift", "note"))
PAYMENT = RecordType(
    "Payment",
    (
        ("id", STR),
        ("kind", KIND),
        ("amount", INT),
        ("price", MONEY),
        ("fee", ArgumentType(Kind.INT, optional=True)),
        ("tags", SET),
        ("parts", ArgumentType(Kind.LIST, element=INT)),
    ),
)
PAYMENTS = ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=PAYMENT))
USER = RecordType("User", (("ids", SET), ("name", STR), ("level", INT), ("payments", PAYMENTS)))
ARGUMENTS = (
    Parameter("payments", PAYMENTS),
    Parameter("others", PAYMENTS),
    Parameter("words", ArgumentType(Kind.LIST, element=STR)),
    Parameter("user", ArgumentType(Kind.RECORD, record=USER, optional=True)),
    Parameter("limit", INT),
    Parameter("name", STR),
    Parameter("ids", SET),
)
TYPES = {parameter.name: parameter.type for parameter in ARGUMENTS}
WORDS = ("a", "b", "c")


def policy(**changes: Any) -> PolicyTerms:
    """An empty policy over the arguments."""
    parts: dict[str, Any] = {
        "arguments": ARGUMENTS,
        "sets": {},
        "tables": {},
        "rules": (),
        "default_allow": True,
        "preconditions": (),
        "clauses": (),
        **changes,
    }
    return PolicyTerms(**parts)


def argument(name: str) -> Variable:
    """An argument of the policy."""
    return Variable(name, TYPES[name])


def part(record: Variable | Attribute, name: str) -> Attribute:
    """A field."""
    assert record.type.record is not None
    argument_type = record.type.record.field(name)
    assert argument_type is not None
    return Attribute(record, name, argument_type)


USER_ARGUMENT = argument("user")
LISTS: tuple[Variable | Attribute, ...] = (
    argument("payments"),
    argument("others"),
    part(USER_ARGUMENT, "payments"),
)


def present(term: Term) -> Term:
    """The condition, false if there is no user, for terms that ask for the user's fields."""
    return And((Not(IsMissing(USER_ARGUMENT)), term))


PART = Variable("part", INT)
ITEM = Variable("p", ArgumentType(Kind.RECORD, record=PAYMENT))
KEYS = (("id",), ("id", "kind"), ("kind",))

draws = st.integers(0, 2**63).map(Random)
"""The random number generators; a failing example shows its seed."""


def compared(draw: Random, left: Term, right: Term, ordered: bool = True) -> Term:
    """A comparison of two terms."""
    operators = list(Comparison) if ordered else [Comparison.EQ, Comparison.NE]
    return Compare(draw.choice(operators), left, right)


def a_test(draw: Random, item: Variable, depth: int) -> Term:
    """A condition on a payment."""
    number = Constant(draw.randint(-2, 4))
    amount, price, fee = part(item, "amount"), part(item, "price"), part(item, "fee")
    word, kind = part(item, "id"), part(item, "kind")
    other = Variable("other", item.type)
    same = Compare(Comparison.EQ, part(other, "id"), word)
    large = Compare(Comparison.GT, PART, number)
    tests = [
        compared(draw, amount, number),
        compared(draw, number, amount),
        compared(draw, price, Constant(Decimal(draw.choice(["0.5", "1.005", "2"])))),
        compared(draw, kind, Constant(draw.choice(KIND.values)), ordered=False),
        Member(kind, ConstantSet(("card", "gift"))),
        Member(amount, ConstantSet((0, 2))),
        And((Not(IsMissing(fee)), compared(draw, fee, number))),
        IsMissing(fee),
        compared(draw, word, Constant(draw.choice(WORDS)), ordered=False),
        compared(draw, word, argument("name"), ordered=False),
        compared(draw, amount, argument("limit")),
        Member(word, Elements(argument("ids"))),
        Member(word, Elements(part(USER_ARGUMENT, "ids"))),
        Member(word, Elements(part(item, "tags"))),
        Member(word, Elements(argument("words"))),
        StringTest(StringTestKind.PREFIX, word, "a"),
        compared(draw, Count(PART, Elements(part(item, "parts")), large), Constant(1)),
    ]
    if depth and draw.random() < 0.1:
        return Quantified(draw.choice(list(Quantifier)), other, Elements(argument("others")), same)
    return draw.choice(tests)


def condition(draw: Random, item: Variable = ITEM, depth: int = 1) -> Term:
    """A condition on a payment, put together from tests."""
    shape = draw.random()
    if shape < 0.6:
        return a_test(draw, item, depth)
    if shape < 0.7:
        return Not(condition(draw, item, depth))
    both = (a_test(draw, item, depth), a_test(draw, item, depth))
    return And(both) if shape < 0.85 else Or(both)


def comparison(draw: Random) -> CompareFields:
    """A comparison of two lists by fields."""
    held, other = (draw.choice(LISTS[:2] if draw.random() < 0.7 else LISTS) for _ in range(2))
    fields = draw.choice(KEYS)
    others = fields if draw.random() < 0.8 else (*fields[:-1], "kind")
    operator = draw.choice([Comparison.EQ, Comparison.LE])
    return CompareFields(operator, FieldSet(Elements(held), fields), FieldSet(Elements(other), others))


def amount(draw: Random, held: Variable | Attribute) -> Term:
    """A comparison of a sum with a constant."""
    money = draw.random() < 0.5
    field = part(ITEM, "price" if money else "amount")
    zero = Constant(Decimal(0) if money else 0)
    card = Compare(Comparison.EQ, part(ITEM, "kind"), Constant("card"))
    value = draw.choice([field, field, Arithmetic("*", field, Constant(2)), Choice(card, field, zero)])
    where = Constant(True) if draw.random() < 0.3 else condition(draw)
    total = Sum(ITEM, Elements(held), value, where, MONEY if money else INT)
    number = draw.randint(0, 6)
    return compared(draw, total, Constant(Decimal(number) if money else number))


def aggregate(draw: Random) -> Term:
    """A boolean term about lists."""
    held = draw.choice(LISTS)
    shape = draw.choice(["any", "any", "count", "sum", "compare", "words"])
    if shape == "any":
        return Quantified(draw.choice(list(Quantifier)), ITEM, Elements(held), condition(draw))
    if shape == "compare":
        return comparison(draw)
    if shape == "words":
        word = Variable("word", STR)
        body = compared(draw, word, Constant(draw.choice(WORDS)), ordered=False)
        count = Count(word, Elements(argument("words")), body)
        return compared(draw, count, Count(ITEM, Elements(held), Constant(True)))
    if shape == "sum":
        return amount(draw, held)
    where = Constant(True) if draw.random() < 0.3 else condition(draw)
    other = draw.choice([Constant(draw.randint(0, 4)), argument("limit")])
    return compared(draw, Count(ITEM, Elements(held), where), other)


def goal(draw: Random) -> Term:
    """A boolean term over the arguments; it asks for the user's fields only if there is a user."""
    parts = tuple(aggregate(draw) for _ in range(draw.choice([1, 2, 2, 3])))
    term = parts[0] if len(parts) == 1 else draw.choice([And, Or])(parts)
    return present(Not(term) if draw.random() < 0.2 else term)


def compared_goal(draw: Random) -> Term:
    """A comparison of two lists by fields, together with conditions on the elements of both."""
    parts: list[Term] = [comparison(draw)]
    for _ in range(draw.randint(1, 3)):
        quantifier, held = draw.choice(list(Quantifier)), Elements(draw.choice(LISTS[:2]))
        parts.append(Quantified(quantifier, ITEM, held, condition(draw, depth=0)))
    return present(draw.choice([And, Or])(tuple(parts)))


# --- arguments -------------------------------------------------------------------------


def words(draw: Random) -> frozenset[str]:
    """A small set of words."""
    return frozenset(draw.sample((*WORDS, "abc"), draw.randint(0, 2)))


def a_payment(draw: Random) -> RecordValue:
    """A payment."""
    fields: dict[str, Value] = {
        "id": draw.choice((*WORDS, "abc")),
        "kind": draw.choice(KIND.values),
        "amount": draw.randint(-3, 5),
        "price": Decimal(draw.choice(["0", "0.50", "1", "1.01", "2", "3.75"])),
        "fee": draw.choice([None, draw.randint(-3, 5)]),
        "tags": words(draw),
        "parts": tuple(draw.randint(-2, 4) for _ in range(draw.randint(0, 2))),
    }
    return RecordValue("Payment", tuple(fields.items()))


def some_payments(draw: Random) -> tuple[RecordValue, ...]:
    """A short list of payments."""
    return tuple(a_payment(draw) for _ in range(draw.choice([0, 1, 1, 2, 2, 3, 4])))


def some_arguments(draw: Random) -> dict[str, Value]:
    """Arguments of the policy; elements of one list may be in the other, with other amounts."""
    own = some_payments(draw)
    shared = tuple(record_value for record_value in own if draw.random() < 0.5)
    changed = tuple(
        RecordValue(
            record_value.type, tuple({**dict(record_value.fields), "amount": draw.randint(-3, 5)}.items())
        )
        for record_value in shared
    )
    user: dict[str, Value] = {
        "ids": words(draw),
        "name": draw.choice(WORDS),
        "level": draw.randint(-2, 4),
        "payments": some_payments(draw),
    }
    return {
        "payments": own,
        "others": (*changed, *(some_payments(draw) if draw.random() < 0.5 else ())),
        "words": tuple(draw.choice(WORDS) for _ in range(draw.randint(0, 3))),
        "user": RecordValue("User", tuple(user.items())) if draw.random() < 0.9 else None,
        "limit": draw.randint(-2, 4),
        "name": draw.choice((*WORDS, "abc")),
        "ids": words(draw),
    }
