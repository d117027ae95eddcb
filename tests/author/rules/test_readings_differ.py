"""Readings as terms: their parts, negation and text mean the same; they are proved equal, or asked about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.author.specs_for_author import SHOPPING
from tests.examples import examples
from workbench.author.argument_terms import (
    all_of,
    among,
    any_factored,
    any_of,
    compared,
    elements,
    has_no_value,
    is_presence,
    names,
    opposite,
    rendered,
    simplify,
    text_test,
    variable,
)
from workbench.author.doubts import short_hash
from workbench.author.rules import RulesAuthor, agreement
from workbench.author.rules.agreement import differ, satisfiable
from workbench.engines.smt import preview
from workbench.engines.smt.preview import PreviewUndecided
from workbench.model import Argument, Arguments, ArgumentType, Kind, Value
from workbench.policy.check import check
from workbench.policy.connectives import FALSE, TRUE
from workbench.policy.evaluate import evaluate
from workbench.policy.render import FunctionText, render_policy
from workbench.policy.terms import (
    And,
    Comparison,
    Constant,
    Or,
    Parameter,
    PolicyTerms,
    Quantifier,
    StringTestKind,
    Term,
)


def argument(name: str, kind: Kind, **more: object) -> Argument:
    return Argument(name, ArgumentType(kind, **more), "", None)  # pyright: ignore[reportArgumentType]


ARGUMENTS = (
    argument("vip", Kind.BOOL),
    argument("role", Kind.ENUM, values=("a", "b", "c")),
    argument("age", Kind.INT),
    argument("limit", Kind.INT, optional=True),
    argument("cost", Kind.DECIMAL),
    argument("day", Kind.DATE),
    argument("at", Kind.TIME),
    argument("path", Kind.STR),
    argument("note", Kind.STR, optional=True),
    argument("tags", Kind.SET),
)
VIP, ROLE, AGE, LIMIT, COST, DAY, AT, PATH, NOTE, TAGS = ARGUMENTS
PARAMETERS = tuple(Parameter(declared.name, declared.type) for declared in ARGUMENTS)
NOTHING_DECIDED = PolicyTerms("", PARAMETERS, {}, {}, {}, (), True, (), (), 0)
OPERATORS = st.sampled_from(list(Comparison))
TESTS = st.sampled_from(list(StringTestKind))
QUANTIFIERS = st.sampled_from(list(Quantifier))
LT, LE, EQ = Comparison.LT, Comparison.LE, Comparison.EQ
VALUES: dict[str, st.SearchStrategy[Value]] = {
    "vip": st.booleans(),
    "role": st.sampled_from("abc"),
    "age": st.integers(0, 4),
    "limit": st.none() | st.integers(0, 4),
    "cost": st.sampled_from([Decimal(number) / 4 for number in range(5)]),
    "day": st.integers(1, 4).map(lambda day: date(2026, 1, day)),
    "at": st.sampled_from([time(9), time(9, 0, 30), time(9, 1), time(9, 2)]),
    "path": st.text("xyz", max_size=3),
    "note": st.none() | st.text("xyz", max_size=3),
    "tags": st.frozensets(st.sampled_from(["x", "y", "z"])),
}


def listing(held: Argument, values: tuple[str, ...]) -> Term:
    return among(held, *values)


def tagged(quantifier: Quantifier, values: tuple[str, ...]) -> Term:
    return elements(TAGS, quantifier, *values)


POSITIVE: st.SearchStrategy[Term] = st.one_of(
    st.just(variable(VIP)),
    st.builds(listing, st.just(ROLE), st.sampled_from([("a",), ("a", "b"), ("c",)])),
    st.builds(
        listing,
        st.sampled_from([PATH, NOTE]),
        st.sampled_from([("x",), ("xy", "y")]),
    ),
    st.builds(compared, st.sampled_from([AGE, LIMIT]), OPERATORS, st.integers(1, 3)),
    st.builds(compared, st.just(AGE), OPERATORS, st.integers(1, 3), st.just("under")),
    st.builds(compared, st.just(COST), OPERATORS, st.sampled_from([Decimal("0.25"), Decimal("0.5")])),
    st.builds(compared, st.just(DAY), OPERATORS, st.sampled_from([date(2026, 1, 2), date(2026, 1, 3)])),
    st.builds(compared, st.just(AT), OPERATORS, st.sampled_from([time(9), time(9, 1)])),
    st.builds(text_test, st.sampled_from([PATH, NOTE]), TESTS, st.sampled_from(["x", "y"])),
    st.builds(
        tagged,
        QUANTIFIERS,
        st.sampled_from([("x",), ("y", "x"), ()]),
    ),
    st.builds(has_no_value, st.sampled_from([LIMIT, NOTE])),
)
ATOMS = POSITIVE | POSITIVE.map(opposite)
PARTS = st.lists(ATOMS, max_size=3)
CONDITIONS: st.SearchStrategy[Term] = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: all_of(*parts))
        | st.lists(inner, max_size=3).map(lambda parts: any_of(*parts))
    ),
    max_leaves=4,
)
INPUTS = st.fixed_dictionaries(VALUES)
GIVEN = st.fixed_dictionaries({**VALUES, "limit": st.integers(0, 4), "note": st.text("xyz", max_size=3)})


def holds(term: Term, arguments: Arguments) -> bool:
    """Whether a reading holds; for a missing argument only its absence does."""
    match term:
        case And(operands):
            return all(holds(operand, arguments) for operand in operands)
        case Or(operands):
            return any(holds(operand, arguments) for operand in operands)
        case Constant(value):
            return value is True
        case _:
            (name,) = names(term)
            known = arguments[name] is not None or is_presence(term)
            return known and evaluate(NOTHING_DECIDED, term, arguments) is True


@given(st.lists(CONDITIONS, max_size=3), GIVEN)
def test_joining_and_negating_mean_what_they_say(parts: list[Term], arguments: Arguments) -> None:
    part_values = [holds(part, arguments) for part in parts]
    assert holds(all_of(*parts), arguments) is all(part_values)
    assert holds(any_of(*parts), arguments) is any(part_values)
    assert holds(any_factored(*parts), arguments) is any(part_values)
    assert [holds(opposite(part), arguments) for part in parts] == [not value for value in part_values]


@given(CONDITIONS, GIVEN)
def test_a_simplified_reading_means_the_same_and_stays_as_it_is(term: Term, arguments: Arguments) -> None:
    assert holds(simplify(term), arguments) is holds(term, arguments)
    assert simplify(simplify(term)) == simplify(term)


def is_of_given_arguments(term: Term) -> bool:
    return not {"limit", "note"} & set(names(term))


@settings(max_examples=examples(60))
@given(CONDITIONS.filter(is_of_given_arguments), GIVEN)
def test_the_text_of_a_reading_is_in_the_dialect_and_means_the_same(term: Term, arguments: Arguments) -> None:
    rule = FunctionText("forbid_it", rendered(term), "No.", ("R1",))
    terms = check(render_policy(title="Any.", arguments=PARAMETERS, rules=[rule]))
    assert evaluate(terms, terms.rules[0].body, arguments) is holds(term, arguments)


@settings(max_examples=examples(60))
@given(CONDITIONS, CONDITIONS, st.lists(INPUTS, min_size=12, max_size=12))
def test_readings_that_do_not_differ_agree_on_every_input(
    left: Term, right: Term, inputs: list[Arguments]
) -> None:
    pairs = [(left, right), (left, all_of(left, any_of(left, right))), (left, opposite(opposite(left)))]
    for term, other in pairs:
        if not differ(term, other, ARGUMENTS):
            assert all(holds(term, arguments) == holds(other, arguments) for arguments in inputs)
    assert not differ(*pairs[1], ARGUMENTS)
    is_satisfiable = satisfiable(all_of(left, right), ARGUMENTS)
    assert is_satisfiable or not any(
        holds(left, arguments) and holds(right, arguments) for arguments in inputs
    )


@pytest.mark.parametrize(
    ("left", "right", "different"),
    [
        (compared(AGE, LT, 18), compared(AGE, LE, 18), True),
        (compared(AGE, LT, 18), compared(AGE, LE, 17), False),
        (compared(AGE, LT, 18, "under"), compared(AGE, LT, 18), False),
        (compared(AT, LE, time(9)), compared(AT, LT, time(9, 1)), True),
        (compared(AT, LE, time(9)), compared(AT, LT, time(9, 0, 0, 1)), False),
        (opposite(has_no_value(LIMIT)), FALSE, True),
        (compared(LIMIT, LT, 3), opposite(compared(LIMIT, Comparison.GE, 3)), False),
        (any_of(compared(LIMIT, LT, 3), compared(LIMIT, Comparison.GE, 3)), TRUE, True),
        (all_of(text_test(PATH, StringTestKind.PREFIX, "x"), text_test(PATH, StringTestKind.SUFFIX, "yy")),
         FALSE, True),
        (all_of(elements(TAGS, Quantifier.ALL, "x", "y"), elements(TAGS, Quantifier.ANY, "x"),
                elements(TAGS, Quantifier.ANY, "y")), FALSE, True),
        (any_of(text_test(PATH, StringTestKind.CONTAINS, "x"),
                opposite(text_test(PATH, StringTestKind.CONTAINS, "x"))), TRUE, False),
    ],
)  # fmt: skip
def test_what_differs_is_found_and_what_is_equal_is_proved(left: Term, right: Term, different: bool) -> None:
    assert differ(left, right, ARGUMENTS) is different


MANY = (
    argument("role", Kind.ENUM, values=tuple(f"role {number}" for number in range(300))),
    argument("tool", Kind.ENUM, values=tuple(f"tool {number}" for number in range(300))),
)


@pytest.mark.parametrize("solver", [True, False])
def test_what_the_solver_does_not_know_is_not_taken_for_equal(
    solver: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = among(MANY[1], "tool 299")
    left = all_of(among(MANY[0], "role 298"), tools)
    right = all_of(among(MANY[0], "role 299"), tools)
    if not solver:
        _gives_up(monkeypatch)
    assert differ(left, right, MANY)
    assert differ(left, all_of(left, any_of(left, right)), MANY) is not solver
    assert satisfiable(left, MANY) is (True if solver else None)


def _gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the solver run out of time on every question."""

    def undecided(*_: object) -> None:
        raise PreviewUndecided("whether two conditions differ", "time")

    agreement.forget()
    monkeypatch.setattr(preview, "satisfiable", undecided)


@pytest.fixture(autouse=True)
def _nothing_is_kept_of_a_solver_that_gave_up() -> Iterator[None]:
    yield
    agreement.forget()


@pytest.mark.parametrize("fillers", [0, 150])
@pytest.mark.parametrize("solver", [True, False])
def test_a_question_is_asked_however_many_values_there_are(
    fillers: int, solver: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The readings differ for editors under 21, the last of the roles."""
    roles = (*(f"filler{number}" for number in range(fillers)), "editor")
    countries = (*(f"land{number}" for number in range(fillers)), "fiji")
    added = (argument("role", Kind.ENUM, values=roles), argument("country", Kind.ENUM, values=countries))
    spec = replace(SHOPPING, arguments=(*added, *SHOPPING.arguments))
    if not solver:
        _gives_up(monkeypatch)
    request = "Users must be editors or in fiji and at least 21 years old to book a hotel.\n"
    doubts = RulesAuthor().draft(request, spec, {}).doubts
    assert [doubt.id for doubt in doubts] == [f"mixed:{short_hash(request)}", "default-decision"]
