"""Whether two conditions of a request differ: equal is proved, or a person is asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.author.specs_for_author import SHOPPING
from workbench.author.rules import RulesAuthor, sampling
from workbench.author.rules.condition_terms import condition_term
from workbench.author.rules.conditions import (
    ALWAYS,
    NEVER,
    AllOf,
    Among,
    AnyOf,
    ComparisonCondition,
    Condition,
    Elements,
    Present,
    TextTest,
    TruthCondition,
    all_of,
    any_of,
    negate,
)
from workbench.author.rules.sampling import differ, holds, samples, satisfiable
from workbench.engines.smt.preview import PreviewUndecided
from workbench.model import Argument, Arguments, ArgumentType, Kind, Value
from workbench.policy.evaluate import evaluate
from workbench.policy.terms import Parameter, PolicyTerms


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
TYPES = {one.name: one.type for one in ARGUMENTS}
WORDS = ("x", "xy", "yx", "y", "")
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
ATOMS = st.one_of(
    st.builds(TruthCondition, st.just("vip"), st.booleans()),
    st.builds(Among, st.just("role"), st.sampled_from([("a",), ("a", "b"), ("c",)]), st.booleans()),
    st.builds(
        Among, st.sampled_from(["path", "note"]), st.sampled_from([("x",), ("xy", "y")]), st.booleans()
    ),
    st.builds(
        ComparisonCondition,
        st.sampled_from(["age", "limit"]),
        st.sampled_from(["<", "<=", "==", ">"]),
        st.integers(1, 3),
    ),
    st.builds(
        ComparisonCondition,
        st.just("cost"),
        st.sampled_from(["<", ">="]),
        st.sampled_from([Decimal("0.25"), Decimal("0.5")]),
    ),
    st.builds(
        ComparisonCondition,
        st.just("day"),
        st.sampled_from(["<", ">="]),
        st.sampled_from([date(2026, 1, 2), date(2026, 1, 3)]),
    ),
    st.builds(
        ComparisonCondition,
        st.just("at"),
        st.sampled_from(["<", "<="]),
        st.sampled_from([time(9), time(9, 1)]),
    ),
    st.builds(
        TextTest,
        st.sampled_from(["path", "note"]),
        st.sampled_from(["startswith", "endswith", "contains"]),
        st.sampled_from(["x", "y"]),
        st.booleans(),
    ),
    st.builds(
        Elements,
        st.just("tags"),
        st.sampled_from([("x",), ("x", "y"), ()]),
        st.sampled_from(["all", "any"]),
        st.booleans(),
    ),
    st.builds(Present, st.sampled_from(["limit", "note"]), st.booleans()),
)
CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: all_of(*parts))
        | st.lists(inner, max_size=3).map(lambda parts: any_of(*parts))
    ),
    max_leaves=4,
)
INPUTS = st.fixed_dictionaries(VALUES)


@settings(max_examples=200)
@given(CONDITIONS, INPUTS)
def test_the_term_of_a_condition_holds_where_the_condition_does(
    condition: Condition, arguments: Arguments
) -> None:
    parameters = tuple(Parameter(one.name, one.type) for one in ARGUMENTS)
    terms = PolicyTerms("", parameters, {}, {}, {}, (), True, (), (), 0)
    assert evaluate(terms, condition_term(condition, TYPES), arguments, True) is holds(condition, arguments)


@settings(max_examples=80)
@given(CONDITIONS, CONDITIONS, st.lists(INPUTS, min_size=12, max_size=12))
def test_conditions_that_do_not_differ_agree_on_every_input(
    left: Condition, right: Condition, inputs: list[Arguments]
) -> None:
    pairs = [(left, right), (left, all_of(left, any_of(left, right))), (left, negate(negate(left)))]
    for one, other in pairs:
        if not differ(one, other, ARGUMENTS):
            assert all(holds(one, each) == holds(other, each) for each in inputs)
    assert not differ(*pairs[1], ARGUMENTS)
    found = satisfiable(all_of(left, right), ARGUMENTS)
    assert found or not any(holds(left, each) and holds(right, each) for each in inputs)


@pytest.mark.parametrize(
    ("left", "right", "different"),
    [
        (ComparisonCondition("age", "<", 18), ComparisonCondition("age", "<=", 18), True),
        (ComparisonCondition("age", "<", 18), ComparisonCondition("age", "<=", 17), False),
        # What samples show only in part: of texts and sets there are few.
        (ComparisonCondition("at", "<=", time(9)), ComparisonCondition("at", "<", time(9, 1)), True),
        (Present("limit"), NEVER, True),
        (AllOf((TextTest("path", "startswith", "x"), TextTest("path", "endswith", "yy"))), NEVER, True),
        (AllOf((Elements("tags", ("x", "y"), "all"), Elements("tags", ("x",), "any"),
                Elements("tags", ("y",), "any"))), NEVER, True),
        (AnyOf((TextTest("path", "contains", "x"), TextTest("path", "contains", "x", True))), ALWAYS, False),
    ],
)  # fmt: skip
def test_what_differs_is_found_and_what_is_equal_is_proved(
    left: Condition, right: Condition, different: bool
) -> None:
    assert differ(left, right, ARGUMENTS) is different


MANY = (
    argument("role", Kind.ENUM, values=tuple(f"role {number}" for number in range(300))),
    argument("tool", Kind.ENUM, values=tuple(f"tool {number}" for number in range(300))),
)
LAST_BUT_ONE, LAST = Among("role", ("role 298",)), Among("role", ("role 299",))


@pytest.mark.parametrize("solver", [True, False])
def test_more_combinations_than_are_tried_are_not_taken_for_equal(
    solver: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = Among("tool", ("tool 299",))
    left, right = any_of(all_of(LAST_BUT_ONE, tools), NEVER), all_of(LAST, tools)
    assert not any(holds(left, each) != holds(right, each) for each in samples(MANY, left, right))
    if not solver:
        _gives_up(monkeypatch)
    assert differ(left, right, MANY)
    assert differ(left, all_of(left, any_of(left, right)), MANY) is not solver


def _gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the solver run out of time at everything."""

    def undecided(*_: object) -> None:
        raise PreviewUndecided("whether two conditions differ", "time")

    monkeypatch.setattr(sampling, "differing", undecided)
    monkeypatch.setattr(sampling, "satisfying", undecided)


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
    assert [doubt.id for doubt in RulesAuthor().draft(request, spec, {}).doubts] == [
        "mixed:R1",
        "default-decision",
    ]
