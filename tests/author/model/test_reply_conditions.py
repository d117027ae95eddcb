"""The tests of a model's reply become terms of the same meaning, and can be negated and read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.author.argument_terms import rendered
from workbench.author.model.assemble import assemble
from workbench.author.model.reply_conditions import condition_of, in_place, negated
from workbench.author.model.requirement_parts import CasesPart, ClausesPart, RulePart, RulesPart, Target, Unit
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Argument, Arguments, ArgumentType, Json, Kind, Requirement, Span, Verdict
from workbench.policy.check import check, check_condition
from workbench.policy.evaluate import evaluate
from workbench.policy.problems import PolicyError
from workbench.policy.terms import Parameter, PolicyTerms, Term

TAGS = ("war", "love", "law")
ARGUMENTS = (
    Argument("action", ArgumentType(Kind.ENUM, ("lend", "sell", "other"))),
    Argument("years", ArgumentType(Kind.INT, optional=True)),
    Argument("title", ArgumentType(Kind.STR)),
    Argument("tags", ArgumentType(Kind.SET, TAGS)),
    Argument("member", ArgumentType(Kind.BOOL)),
)
PARAMETERS = tuple(Parameter(argument.name, argument.type) for argument in ARGUMENTS)
NOTHING = PolicyTerms("", PARAMETERS, {}, {}, {}, (), True, (), (), 0)
TARGET = Target(Requirement("R1", "", "", Span(0, 0)), "")


def some(values: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(values, min_size=1, max_size=3)


def form(name: str, operators: Sequence[Json], **more: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({"argument": st.just(name), "is": st.sampled_from(operators), **more})


ORDER = ("less than", "at most", "exactly", "at least", "more than", "not", "unknown")
TEXTS = ("one of", "none of", "starts with", "ends with", "contains", "does not contain")
TESTS = st.lists(
    st.one_of(
        form("action", ("one of", "none of"), values=some(st.sampled_from(("lend", "sell")))),
        form("years", ORDER, value=st.integers(-2, 2)),
        form("title", TEXTS, values=some(st.text("ab", min_size=1, max_size=2))),
        form("tags", ("all in", "any in", "any not in", "none in"), values=some(st.sampled_from(TAGS))),
        form("member", (True, False)),
        form("years", ("more than",), value=st.integers(-2, 2)).map(
            lambda test: {
                "expression": f"not (years is None or years <= {cast('dict[str, Json]', test)['value']})"
            }
        ),
    ),
    min_size=1,
    max_size=4,
)
INPUTS = st.fixed_dictionaries(
    {
        "action": st.sampled_from(("lend", "sell", "other")),
        "years": st.none() | st.integers(-3, 3),
        "title": st.text("ab", max_size=3),
        "tags": st.frozensets(st.sampled_from(TAGS)),
        "member": st.booleans(),
    }
)


def holds(test: Mapping[str, Json], arguments: Arguments) -> bool:  # noqa: C901, PLR0912 # one case for each word
    """The truth of a test, by Python alone."""
    if "expression" in test:
        return bool(eval(str(test["expression"]), {}, dict(arguments)))  # noqa: S307 # the oracle runs what it wrote
    value = arguments[str(test["argument"])]
    if test["is"] == "unknown":
        return value is None
    if value is None:
        return False
    if isinstance(test["is"], bool):
        return value is test["is"]
    values, number = cast("list[str]", test.get("values", [])), test.get("value")
    if isinstance(value, frozenset):
        inside = [element in values for element in value]
        match test["is"]:
            case "all in":
                return all(inside)
            case "any in":
                return any(inside)
            case "any not in":
                return not all(inside)
            case _:
                return not any(inside)
    if isinstance(value, str):
        match test["is"]:
            case "one of":
                return value in values
            case "none of":
                return value not in values
            case "starts with":
                return value.startswith(tuple(values))
            case "ends with":
                return value.endswith(tuple(values))
            case "contains":
                return any(part in value for part in values)
            case _:
                return not any(part in value for part in values)
    assert isinstance(value, int) and isinstance(number, int)
    order = (value > number) - (value < number)
    return {
        "less than": order < 0,
        "at most": order <= 0,
        "exactly": order == 0,
        "at least": order >= 0,
        "more than": order > 0,
        "not": order != 0,
    }[str(test["is"])]


def value(term: Term, arguments: Arguments) -> bool:
    return evaluate(NOTHING, term, arguments) is True


@given(tests=TESTS, inputs=st.lists(INPUTS, min_size=1, max_size=12))
@settings(max_examples=examples(150), deadline=None)
def test_a_term_says_what_the_tests_say_negated_and_read_again_too(
    tests: list[Json], inputs: list[Arguments]
) -> None:
    condition = condition_of(tests, ARGUMENTS, {}, "LISTED")
    other = negated(condition).term
    again = [check_condition(rendered(in_place(term)), PARAMETERS) for term in (condition.term, other)]
    for arguments in inputs:
        meant = all(holds(cast("dict[str, Json]", test), arguments) for test in tests)
        assert value(condition.term, arguments) is meant
        assert value(other, arguments) is not meant
        assert [value(term, arguments) for term in again] == [meant, not meant]


def test_two_lists_of_one_rule_stay_two_lists() -> None:
    tests: list[Json] = [
        {"argument": "tags", "is": "any in", "values": ["war"]},
        {"argument": "tags", "is": "any not in", "values": ["war", "law"]},
    ]
    condition = condition_of(tests, ARGUMENTS, {}, "LISTED")
    rule = RulePart("mixed", True, condition.term, "No mixture.")
    text = assemble("", [Unit(TARGET, RulesPart((rule,)), ClausesPart(), CasesPart())], ARGUMENTS, "allow")
    policy = compile_policy(check(text))
    assert policy.decide({"tags": frozenset({"war", "love"})}).verdict is Verdict.DENY
    assert policy.decide({"tags": frozenset({"war", "law"})}).verdict is Verdict.ALLOW


def test_an_argument_may_be_called_like_the_element_of_a_list() -> None:
    element = Argument("element", ArgumentType(Kind.BOOL))
    tests: list[Json] = [
        {"argument": "tags", "is": "any in", "values": ["war"]},
        {"argument": "element", "is": True},
    ]
    term = condition_of(tests, (*ARGUMENTS, element), {}, "LISTED").term
    read = check_condition(rendered(in_place(term)), (*PARAMETERS, Parameter("element", element.type)))
    assert evaluate(NOTHING, read, {"tags": frozenset({"war"}), "element": True}) is True
    assert evaluate(NOTHING, read, {"tags": frozenset({"war"}), "element": False}) is False


@pytest.mark.parametrize(
    "text", ["", "years < 3; True", "import os", "years", "later < 3", "Result()", "Implies(member, member)"]
)
def test_a_text_that_is_no_condition_over_the_arguments_is_refused(text: str) -> None:
    with pytest.raises(PolicyError):
        check_condition(text, PARAMETERS)
