"""Records, lists and durations: accepted and rejected texts, and the decisions about them."""

from __future__ import annotations

import re
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plain_policies import PolicyError, check
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.nagini.lowering.lower import lower
from workbench.engines.smt.preview import preview
from workbench.model import MOST_ELEMENTS, Element, ProofStatus, RecordValue, Value, Verdict
from workbench.policy.evaluate import evaluate_decision
from workbench.policy.literals import literal
from workbench.policy.term_text import render_term
from workbench.policy.terms import CompareFields, Comparison, Count, Member, Not, Quantified, Sum
from workbench.policy.types import LONGEST_DURATION
from workbench.policy.value_words import value_words

HEAD = """from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal

NAMES = {"a", "b"}
RATE = {"high": 2, "low": 1}
FEE = {"high": Decimal("0.50"), "low": Decimal("0.25")}


@dataclass(frozen=True)
class Part:
    \"\"\"A part of a thing.\"\"\"

    name: str
    amount: int
    price: Decimal
    due: date
    type: str | None
    tags: frozenset[str]


@dataclass(frozen=True)
class Thing:
    level: Literal["high", "low"]
    made: datetime
    note: str | None
    known: frozenset[str]
    fields: int
    parts: tuple[Part, ...]


"""
PARAMETERS = (
    "parts: tuple[Part, ...], others: tuple[Part, ...], words: tuple[str, ...], thing: Thing, "
    "past: Thing | None, now: datetime, day: date, wait: timedelta, count: int, price: Decimal, "
    "codes: frozenset[int], tags: frozenset[str]"
)
NAMES = ", ".join(re.findall(r"(\w+):", PARAMETERS))


def policy(condition: str, before: str = HEAD) -> str:
    """A policy with one rule that forbids a condition."""
    return (
        f'{before}def forbid_it({PARAMETERS}) -> bool:\n    """R1: No."""\n'
        f"    return {condition}\n\n\n"
        f"def allow({PARAMETERS}) -> bool:\n    return not forbid_it({NAMES})\n"
    )


def problems(source: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        check(source)
    assert all(problem.line for problem in caught.value.problems)
    return [f"{problem.message} {problem.instead}".strip() for problem in caught.value.problems]


def part(name: str = "a", amount: int = 1, *, tags: frozenset[str] = frozenset()) -> RecordValue:
    fields: dict[str, Value] = {
        "name": name,
        "amount": amount,
        "price": Decimal("1.50"),
        "due": date(2026, 1, 31),
        "type": None,
        "tags": tags,
    }
    return RecordValue("Part", tuple(fields.items()))


def thing(*parts: Element, **other: Value) -> RecordValue:
    fields: dict[str, Value] = {
        "level": "low",
        "made": datetime(2026, 1, 31, 9, 0, tzinfo=UTC),
        "note": None,
        "known": frozenset({"a"}),
        "fields": 1,
        "parts": parts,
    }
    return RecordValue("Thing", tuple({**fields, **other}.items()))


ARGUMENTS: dict[str, Value] = {
    "parts": (part("a", 1), part("b", 5), part("b", 5)),
    "others": (part("b", 5), part("a", 1)),
    "words": ("a", "b"),
    "thing": thing(part("a", 2)),
    "past": None,
    "now": datetime(2026, 2, 1, 9, 0, tzinfo=UTC),
    "day": date(2026, 2, 1),
    "wait": timedelta(hours=2),
    "count": 2,
    "price": Decimal("2.50"),
    "codes": frozenset({1, 2}),
    "tags": frozenset({"a"}),
}


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        ("any(p.name not in thing.known for p in parts)", True),
        ("all(p.amount > 0 for p in parts if p.name == 'a')", True),
        ("len(parts) == 3 and len(thing.parts) == 1", True),
        ("sum(1 for p in parts if p.amount > 3) == 2", True),
        ("sum(p.amount for p in parts) == 11", True),
        ("sum(p.price for p in parts if p.amount > 3) == 3", True),
        ("sum(p.price for p in parts if p.amount > 30) == 0", True),
        ("sum(p.amount * RATE['high'] for p in parts) == 22", True),
        ("sum((p.price for p in parts if p.amount > 3), Decimal('0')) == 3", True),
        ("sum((p.amount for p in parts), 0) == 11", True),
        ("{(p.name, p.amount) for p in parts} == {(o.name, o.amount) for o in others}", True),
        ("{(p.name, p.amount) for p in parts} != {(o.name, o.amount) for o in thing.parts}", True),
        ("{p.name for p in thing.parts} <= {o.name for o in parts}", True),
        ("{p.name for p in parts} >= {o.name for o in thing.parts}", True),
        ("{p.name for p in parts} <= tags", False),
        ("{p.name for p in parts} == NAMES", True),
        ("NAMES <= {p.name for p in thing.parts}", False),
        ("{w for w in words} == {p.name for p in parts}", True),
        ('"b" in words and "c" not in words', True),
        ("past is None or past.level == 'high'", True),
        ("thing.note is not None and thing.note.startswith('x')", False),
        ("thing.note == 'x'", False),
        ("now - thing.made > timedelta(hours=24)", False),
        ("now - thing.made >= timedelta(days=1)", True),
        ("day - date(2026, 1, 1) == timedelta(days=31)", True),
        ("any(day - p.due < timedelta(days=2) for p in parts)", True),
        ("wait + wait - timedelta(minutes=1) < timedelta(hours=4)", True),
        ("-wait < -timedelta(hours=1)", True),
        ("RATE[thing.level] * count == 2", True),
        ("FEE[thing.level] * count == Decimal('0.50')", True),
        ("(2 if thing.level == 'high' else 3) * price == Decimal('7.50')", True),
        ("(3 if price > 2 else 1) * count == 6", True),
        ("count * Decimal('1.5') == 3", True),
        ("3 in codes or any(code > 2 for code in codes) or codes <= {1, 2}", True),
        ("thing.fields == 1 and any(p.type is None for p in parts)", True),
        ("all(any(p.name == name for p in parts) for name in NAMES)", True),
        ("any('x' in p.tags for p in parts)", False),
    ],
)
def test_a_condition_over_records_is_true_as_python_says(condition: str, truth: bool) -> None:
    terms = check(policy(condition))
    decision = compile_policy(terms).decide(ARGUMENTS)
    assert decision.verdict is (Verdict.DENY if truth else Verdict.ALLOW), decision.reasons
    assert evaluate_decision(terms, ARGUMENTS) is not truth
    again = check(policy(f"({render_term(terms.rules[0].body, terms.tables)})"))
    assert render_term(again.rules[0].body) == render_term(terms.rules[0].body)
    assert evaluate_decision(again, ARGUMENTS) is not truth


def test_each_construct_is_one_term() -> None:
    terms = check(policy("sum(1 for p in parts if p.amount > 3) + len(parts) > 5"))
    counts = render_term(terms.rules[0].body)
    assert counts == "sum(1 for p in parts if p.amount > 3) + len(parts) > 5"
    body = check(policy("{p.name for p in parts} != {o.name for o in others}")).rules[0].body
    assert isinstance(body, Not) and isinstance(body.operand, CompareFields)
    assert body.operand.operator is Comparison.EQ
    body = check(policy("{p.name for p in parts} <= thing.known")).rules[0].body
    assert isinstance(body, Quantified) and isinstance(body.body, Member)
    assert Count.__name__ in repr(terms.rules[0].body) and Sum.__name__ not in repr(body)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("parts[0].amount > 1", "An element cannot be taken by its place."),
        ("parts[1:] == others", "An element cannot be taken by its place."),
        ("parts == others", "A list has an order, which a policy does not see."),
        ("thing == past", "A Thing cannot be compared with a Thing | None. Compare their fields."),
        (
            "any(p.name == o.name for p in parts for o in others)",
            "`any` takes one test over one set or list.",
        ),
        ("thing in parts", "`in` does not look for an element in a list of records."),
        ("past.level == 'high'", "`past` may be None here. Guard it: `past is not None and ...`."),
        ("thing.note.startswith('x')", "`thing.note` may be None here."),
        ("thing.nots is None", "Thing has no field `nots`. Did you mean `note`?"),
        ("parts.amount > 1", "`parts` has elements, which have the fields."),
        ("count.amount > 1", "An int has no fields."),
        ("thing.parts > 1", "A list cannot be compared with a single value."),
        ("len(tags) > 1", "The size of a set is not part of the dialect."),
        ("sum(1 for tag in tags) > 1", "`sum` runs over a list only."),
        ("sum(parts) > 1", "`sum` counts or adds over one list."),
        ("sum(p.due for p in parts) > 1", "`sum` cannot add a date."),
        ("sum((p.price for p in parts), 0) > 1", 'This sum begins at Decimal("0").'),
        ("sum((p.price for p in parts), Decimal('1')) > 1", 'This sum begins at Decimal("0").'),
        ("sum((p.amount for p in parts), False) > 1", "This sum begins at 0."),
        ("sum((p.amount for p in parts), 0, 0) > 1", "`sum` counts or adds over one list."),
        ("sum(p.amount > 1 for p in parts) > 1", "Count with sum(1 for x in list if x.field)."),
        ("max(p.amount for p in parts) > 1", "`max(...)` is not allowed."),
        ("{p.name for p in parts if p.amount > 1} == NAMES", "A set of fields has no condition."),
        ("{p for p in parts} == {o for o in others}", "Records are compared by their fields."),
        ("{p.type for p in parts} <= NAMES", "which is no part of a key"),
        ("{p.name for p in parts} < {o.name for o in others}", "Sets cannot be compared with <."),
        ("{p.name for p in parts} == {o.amount for o in others}", "are never keys of"),
        ("{(p.name, p.amount) for p in parts} == NAMES", "are never in a set of"),
        ("tags <= {p.name for p in parts}", "can only be asked of a constant set"),
        ("{p.name.startswith('x') for p in parts} <= {True}", "A key is made of fields of `p`."),
        ("now + wait > now", "Compare the difference: `later - earlier > timedelta(hours=24)`."),
        ("now - day > wait", "`-` cannot join a datetime and a date."),
        ("wait * 2 > wait", "`*` cannot join a timedelta and an int."),
        ("wait > timedelta(24)", "`timedelta(...)` takes whole numbers of named units."),
        ("wait > timedelta(hours=1.5)", "`timedelta(...)` takes whole numbers of named units."),
        ("wait > timedelta(days=10000001)", "This is longer than 10000000 days."),
        ("wait > 24", "A timedelta cannot be compared with an int."),
        ("count * count * (count + 1) * (2 * count) * len(parts) > 4", "This multiplies more than 4 values."),
        ("sum(p.amount for p in parts) * price * price * price * price > 4", "more than 4 values."),
        ("count + price > 4", "Make both of them Decimal or both int."),
        ("(thing if count > 1 else thing).fields > 1", "A choice cannot be a record."),
        ("codes <= tags", "has nothing in common with"),
        ("'a' in codes", "is never in a set of int."),
        ("any(thing for p in parts)", "A condition is expected here, but this is a Thing."),
    ],
)
def test_what_a_policy_cannot_say_of_records_is_refused_with_what_to_write(
    condition: str, words: str
) -> None:
    messages = problems(policy(condition))
    assert any(words in message for message in messages), messages


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        ("list[int]", "A function takes the call, and reads its set or list itself."),
        ("Aa", "`Aa` is not a type of the dialect."),
    ],
)
def test_what_is_no_type_of_a_field_is_refused(type_: str, words: str) -> None:
    messages = problems(f"def allow(x: {type_}) -> bool:\n    return True\n")
    assert any(words in message for message in messages), messages


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("thing", RecordValue("Thing", ()), "The argument `thing` lacks the field `level`."),
        ("thing", thing(size=3), "has the field `size`, which Thing does not have."),
        ("thing", part(), "is a record of type Part, not Thing."),
        (
            "thing",
            thing(known=None),
            "has the field `known`, which is a NoneType, not a frozenset of strings.",
        ),
        ("thing", thing(note=3), "has the field `note`, which is 3, not a string."),
        (
            "thing",
            thing(3),
            "has the field `parts`, which has the element 1, which is 3, not a record of type Part.",
        ),
        ("thing", None, "is None, not a record of type Thing."),
        ("parts", frozenset[str](), "is a frozenset, not a tuple."),
        ("parts", ("a",), "has the element 1, which is 'a', not a record of type Part."),
        ("parts", (part(),) * (MOST_ELEMENTS + 1), "has 1001 elements, more than 1000."),
        ("words", (None,), "has the element 1, which is None, not a string."),
        ("codes", frozenset({"a"}), "has the member 'a', which is not an int."),
        ("codes", frozenset({True}), "has the member True, which is not an int."),
        ("wait", timedelta(days=10_000_001), "is longer than 10000000 days."),
        ("wait", 3, "is 3, not a timedelta."),
    ],
)
def test_a_value_that_does_not_fit_is_undetermined(name: str, value: Value, reason: str) -> None:
    """It prevents the decision of a rule that it plays a part in, and of no other rule."""
    plays_a_part = {
        "thing": "thing.fields > 5",
        "parts": "len(parts) > 5",
        "words": "'z' in words",
        "codes": "7 in codes",
        "wait": "wait > timedelta(days=5)",
    }
    arguments = {**ARGUMENTS, name: value}
    assert compile_policy(check(policy(plays_a_part[name]))).decide(ARGUMENTS).verdict is Verdict.ALLOW
    decision = compile_policy(check(policy(plays_a_part[name]))).decide(arguments)
    assert decision.verdict is Verdict.CANNOT_EVALUATE
    assert reason in decision.reasons[0]
    for condition, verdict in (("count > 5", Verdict.ALLOW), ("count > 1", Verdict.DENY)):
        assert compile_policy(check(policy(condition))).decide(arguments).verdict is verdict


def test_numbers_and_times_inside_records_become_exact() -> None:
    terms = check(policy("any(p.price > Decimal('0.1') for p in parts) or thing.made != now"))
    moment = datetime(2026, 2, 1, 9, 0)
    record = part()
    tenth = cast("Value", 0.1)
    fields = tuple((name, tenth if name == "price" else value) for name, value in record.fields)
    inexact = (RecordValue("Part", fields),)
    decision = compile_policy(terms).decide({**ARGUMENTS, "parts": inexact, "thing": thing(made=moment)})
    assert decision.verdict is Verdict.ALLOW, decision.violations


def test_a_denial_names_the_elements_that_made_it() -> None:
    terms = check(policy("any(p.name not in thing.known for p in parts)"))
    decision = compile_policy(terms).decide(ARGUMENTS)
    assert decision.violations[0].items == (value_words(part("b", 5)),)


@given(st.timedeltas(timedelta(days=-10_000_000), timedelta(days=10_000_000)))
def test_a_duration_is_the_same_in_a_policy(value: timedelta) -> None:
    allow = "def allow(x: int) -> bool:\n    return True\n"
    source = f"from datetime import timedelta\n\nA = {literal(value)}\n\n\n{allow}"
    assert check(source).constants["A"] == value


def test_both_engines_know_how_long_a_duration_of_a_call_may_be() -> None:
    terms = check("""
from datetime import timedelta

from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_long(d: timedelta) -> bool:
    \"\"\"R1: Nothing long.\"\"\"
    return d > timedelta(days=9)


def allow(d: timedelta) -> bool:
    # R1: Nothing is longer than that.
    Ensures(Implies(d + d > timedelta(days=10000000) + timedelta(days=10000000), Result()))
    return not forbid_long(d)
""")
    assert preview(terms).clauses[0].status is ProofStatus.VACUOUS
    longest = LONGEST_DURATION // timedelta(microseconds=1)
    assert f"Requires((-{longest}) <= d and d <= {longest})" in lower(terms).text


@pytest.mark.parametrize(("times", "is_refused"), [(4, False), (6, True)])
def test_a_duration_that_could_overflow_where_it_is_joined_is_refused(times: int, is_refused: bool) -> None:
    joined = "d"
    for _ in range(times):
        joined = f"({joined} + {joined})"
    forbid = 'def forbid_long(d: timedelta) -> bool:\n    """R1: No."""\n'
    forbid += f"    return {joined} > timedelta(days=9)\n"
    allow = "def allow(d: timedelta) -> bool:\n    return not forbid_long(d)\n"
    with pytest.raises(PolicyError, match="joins more than 60 parts") if is_refused else nullcontext():
        check(f"from datetime import timedelta\n\n\n{forbid}\n\n{allow}")
