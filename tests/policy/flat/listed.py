"""A policy over records and lists for tests, and random conditions and arguments for it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
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
TYPES = {one.name: one.type for one in ARGUMENTS}
WORDS = ("a", "b", "c")


def policy(**changes: Any) -> PolicyTerms:
    """A policy over the arguments, with nothing in it."""
    parts: dict[str, Any] = {
        "source": "",
        "arguments": ARGUMENTS,
        "sets": {},
        "tables": {},
        "helpers": {},
        "rules": (),
        "default_allow": True,
        "preconditions": (),
        "clauses": (),
        "line": 1,
        **changes,
    }
    return PolicyTerms(**parts)


def argument(name: str) -> Variable:
    """An argument of the policy."""
    return Variable(name, TYPES[name])


def part(record: Variable | Attribute, name: str) -> Attribute:
    """A field."""
    assert record.type.record is not None
    found = record.type.record.field(name)
    assert found is not None
    return Attribute(record, name, found)


USER_ARGUMENT = argument("user")
LISTS: tuple[Variable | Attribute, ...] = (
    argument("payments"),
    argument("others"),
    part(USER_ARGUMENT, "payments"),
)


def present(term: Term) -> Term:
    """The condition, false where there is no user, whose fields it may ask for."""
    return And((Not(IsMissing(USER_ARGUMENT)), term))


def compared(left: Term, right: Term, ordered: bool = True) -> st.SearchStrategy[Term]:
    """A comparison of two terms."""
    operators = list(Comparison) if ordered else [Comparison.EQ, Comparison.NE]
    return st.sampled_from(operators).map(lambda operator: Compare(operator, left, right))


def _tests(item: Variable, depth: int) -> st.SearchStrategy[Term]:
    """A condition on a payment."""
    number = st.integers(-2, 4)
    amount, price, fee = part(item, "amount"), part(item, "price"), part(item, "fee")
    word, kind = part(item, "id"), part(item, "kind")
    return st.one_of(
        number.flatmap(lambda n: compared(amount, Constant(n))),
        number.flatmap(lambda n: compared(Constant(n), amount)),
        st.sampled_from(["0.5", "1.005", "2"]).flatmap(lambda d: compared(price, Constant(Decimal(d)))),
        st.sampled_from(KIND.values).flatmap(lambda k: compared(kind, Constant(k), ordered=False)),
        st.just(Member(kind, ConstantSet(("card", "gift")))),
        number.flatmap(lambda n: compared(fee, Constant(n))).map(lambda t: And((Not(IsMissing(fee)), t))),
        st.just(IsMissing(fee)),
        st.sampled_from(WORDS).flatmap(lambda w: compared(word, Constant(w), ordered=False)),
        compared(word, argument("name"), ordered=False),
        compared(amount, argument("limit")),
        st.just(Member(word, ArgumentsSet)),
        st.just(Member(word, Elements(part(USER_ARGUMENT, "ids")))),
        st.just(Member(word, Elements(part(item, "tags")))),
        st.just(Member(word, Elements(argument("words")))),
        st.just(StringTest(StringTestKind.PREFIX, word, "a")),
        number.flatmap(lambda n: compared(Count(PART, Elements(part(item, "parts")), _big(n)), Constant(1))),
        _nested(item) if depth else st.nothing(),
    )


PART = Variable("part", INT)
ArgumentsSet = Elements(argument("ids"))


def _big(number: int) -> Term:
    return Compare(Comparison.GT, PART, Constant(number))


def _nested(item: Variable) -> st.SearchStrategy[Term]:
    """Whether another list has an element that is like this one."""
    other = Variable("other", item.type)
    same = Compare(Comparison.EQ, part(other, "id"), part(item, "id"))
    quantifier = st.sampled_from(list(Quantifier))
    return quantifier.map(lambda q: Quantified(q, other, Elements(argument("others")), same))


def conditions(item: Variable, depth: int = 1) -> st.SearchStrategy[Term]:
    """A condition on a payment, put together from tests."""
    return st.recursive(
        _tests(item, depth),
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=2).map(lambda two: And(tuple(two))),
            st.lists(inner, min_size=2, max_size=2).map(lambda two: Or(tuple(two))),
            inner.map(Not),
        ),
        max_leaves=3,
    )


@st.composite
def aggregates(draw: Callable[..., Any]) -> Term:
    """A truth about lists."""
    held = draw(st.sampled_from(LISTS))
    item = Variable("p", PAYMENTS.element)  # type: ignore[arg-type] # payments are records
    shape = draw(st.sampled_from(["any", "count", "sum", "compare", "words"]))
    if shape == "any":
        quantifier = draw(st.sampled_from(list(Quantifier)))
        return Quantified(quantifier, item, Elements(held), draw(conditions(item)))
    if shape == "compare":
        fields = draw(st.sampled_from([("id",), ("id", "kind"), ("kind",)]))
        operator = draw(st.sampled_from([Comparison.EQ, Comparison.LE]))
        other = draw(st.sampled_from(LISTS))
        return CompareFields(operator, FieldSet(Elements(held), fields), FieldSet(Elements(other), fields))
    if shape == "words":
        word = Variable("word", STR)
        body = draw(compared(word, Constant(draw(st.sampled_from(WORDS))), ordered=False))
        count = Count(word, Elements(argument("words")), body)
        return draw(compared(count, Count(item, Elements(held), Constant(True))))
    condition = draw(st.one_of(st.just(Constant(True)), conditions(item)))
    number = Constant(draw(st.integers(0, 4)))
    if shape == "count":
        return draw(
            compared(
                Count(item, Elements(held), condition), draw(st.sampled_from([number, argument("limit")]))
            )
        )
    money = draw(st.booleans())
    field = part(item, "price" if money else "amount")
    zero = Constant(Decimal(0) if money else 0)
    value = draw(
        st.one_of(
            st.just(field),
            st.just(Arithmetic("*", field, Constant(2))),
            st.just(Choice(Compare(Comparison.EQ, part(item, "kind"), Constant("card")), field, zero)),
        )
    )
    total = Sum(item, Elements(held), value, condition, MONEY if money else INT)
    bound = Constant(Decimal(number.value) if money else number.value)  # type: ignore[arg-type] # an int
    return draw(compared(total, bound))


def goals() -> st.SearchStrategy[Term]:
    """A boolean term over the arguments; what asks for the user's fields does so only where there is one."""
    return st.recursive(
        aggregates(),
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=3).map(lambda some: And(tuple(some))),
            st.lists(inner, min_size=2, max_size=2).map(lambda some: Or(tuple(some))),
            inner.map(Not),
        ),
        max_leaves=4,
    ).map(present)


# --- arguments -------------------------------------------------------------------------


def payments() -> st.SearchStrategy[tuple[RecordValue, ...]]:
    """A short list of payments."""
    words = st.sampled_from((*WORDS, "abc"))
    fields = {
        "id": words,
        "kind": st.sampled_from(KIND.values),
        "amount": st.integers(-3, 5),
        "price": st.sampled_from([Decimal(one) for one in ("0", "0.50", "1", "1.01", "2", "3.75")]),
        "fee": st.one_of(st.none(), st.integers(-3, 5)),
        "tags": st.frozensets(words, max_size=2),
        "parts": st.lists(st.integers(-2, 4), max_size=3).map(tuple),
    }
    record = st.tuples(*fields.values()).map(
        lambda values: RecordValue("Payment", tuple(zip(fields, values, strict=True)))
    )
    return st.lists(record, max_size=4).map(tuple)


def arguments() -> st.SearchStrategy[dict[str, Value]]:
    """Arguments of the policy, with a user."""
    words = st.sampled_from((*WORDS, "abc"))
    user = st.tuples(st.frozensets(words, max_size=2), words, st.integers(-2, 4), payments()).map(
        lambda found: RecordValue(
            "User", tuple(zip(("ids", "name", "level", "payments"), found, strict=True))
        )
    )
    return st.fixed_dictionaries(
        {
            "payments": payments(),
            "others": payments(),
            "words": st.lists(words, max_size=3).map(tuple),
            "user": st.one_of(st.none(), user, user),
            "limit": st.integers(-2, 4),
            "name": words,
            "ids": st.frozensets(words, max_size=2),
        }
    )
