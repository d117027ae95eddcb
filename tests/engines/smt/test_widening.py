"""The widenings of an edit: every input that is newly allowed is covered by the name of what was lost."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.widening import DEFAULT, PRECONDITIONS, WideningKind, admits, widenings
from workbench.model import Arguments, ArgumentType, Kind, RecordType, Verdict
from workbench.policy.terms import PolicyTerms

PERMIT = '''def permit_look(tool: Tool) -> bool:
    """R3: Looking is allowed."""
    return {look}


'''
DESK = '''
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Requires

Tool = Literal["pay", "look"{tools}]


def forbid_much(tool: Tool, total: {total}) -> bool:
    """R1: Not much."""
    return {much}


def forbid_unapproved(tool: Tool, approved: bool) -> bool:
    """R2: Only what is approved."""
    return {unapproved}


{permit}def allow(tool: Tool, total: {total}, approved: bool) -> bool:
{requires}    return not (forbid_much(tool, total) or forbid_unapproved(tool, approved)){permits}
'''
MUCH = 'tool == "pay" and total > Decimal("100")'
UNAPPROVED = 'tool == "pay" and not approved'


def desk(
    much: str = MUCH,
    unapproved: str = UNAPPROVED,
    *,
    tools: str = "",
    total: str = "Decimal",
    look: str = 'tool == "look"',
    requires: str = "",
    permits: str = "",
) -> PolicyTerms:
    if requires:
        requires = f"    Requires({requires})\n"
    permit = PERMIT.format(look=look) if permits else ""
    text = DESK.format(
        much=much, unapproved=unapproved, tools=tools, total=total, permit=permit, requires=requires,
        permits=permits,
    )  # fmt: skip
    return check(text)


CLOSED = " and (permit_look(tool))"
OPTIONAL = 'tool == "pay" and total is not None and total > Decimal("100")'


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (desk(), desk('tool == "pay" and Decimal("100") < total'), []),
        (desk(), desk('tool == "pay" and total > Decimal("50")'), []),
        (desk(), desk("False"), ["forbid_much"]),
        (desk(), desk(MUCH.replace("100", "101")), ["forbid_much"]),
        (desk(), desk(MUCH.replace("100", "101"), "False"), ["forbid_much", "forbid_unapproved"]),
        # A lost rule whose inputs another rule still denies allows nothing more.
        (desk('tool == "pay" and total > Decimal("0")'), desk("False", 'tool == "pay"'), []),
        (desk(permits=CLOSED), desk(look="True", permits=CLOSED), ["permit_look"]),
        (desk(permits=CLOSED), desk(), [DEFAULT]),
        (desk(), desk(permits=CLOSED), []),
        (desk(requires='total > Decimal("0")'), desk(), [PRECONDITIONS]),
        (desk(), desk(requires='total > Decimal("0")'), []),
        (desk(), desk(tools=', "ask"'), ["tool=ask"]),
        (desk(), desk(tools=', "ask", "tell"'), ["tool=ask", "tool=tell"]),
        (desk(), desk(MUCH, f'{UNAPPROVED} or tool == "tell"', tools=', "ask", "tell"'), ["tool=ask"]),
        (desk(), desk("False", 'tool != "look"', tools=', "ask"'), []),
        (desk(tools=', "ask"'), desk(), []),
        (desk(), desk(OPTIONAL, total="Decimal | None"), ["total"]),
        (desk(), desk(MUCH.replace("total >", "total is None or total >").replace("and", "and (", 1) + ")",
                      total="Decimal | None"), ["total"]),
        (desk(OPTIONAL, total="Decimal | None"), desk(), []),
    ],
)  # fmt: skip
def test_what_an_edit_loses_is_named(old: PolicyTerms, new: PolicyTerms, named: list[str]) -> None:
    assert [widening.name for widening in widenings(old, new)] == named


def asking(policy: PolicyTerms) -> PolicyTerms:
    """The policy that asks a person about what its first rule denies."""
    return check(policy.file.text.replace("forbid_much", "ask_much"))


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (desk(), asking(desk()), ["forbid_much"]),
        (asking(desk()), desk(), []),
        (asking(desk()), asking(desk(MUCH.replace("100", "50"))), []),
        (asking(desk()), asking(desk(MUCH.replace("100", "500"))), ["ask_much"]),
        (desk("False"), asking(desk()), []),
    ],
)
def test_what_a_person_may_let_run_is_a_widening(
    old: PolicyTerms, new: PolicyTerms, named: list[str]
) -> None:
    assert [widening.name for widening in widenings(old, new)] == named


def test_an_example_of_a_lost_rule_is_allowed_now_and_denied_by_it_before() -> None:
    (widening,) = widenings(desk(), desk(MUCH.replace("100", "500")))
    assert widening.kind is WideningKind.LOST_RULE and not widening.undecided
    total = widening.example["total"]
    assert widening.example["tool"] == "pay" and isinstance(total, Decimal) and 100 < total <= 500


def test_an_input_that_breaks_an_axiom_is_none_that_a_version_could_not_evaluate() -> None:
    restricted = desk(requires='total > Decimal("0")')
    assert [one.name for one in widenings(restricted, desk())] == [PRECONDITIONS]
    related = replace(restricted, axioms=restricted.preconditions, preconditions=(), interpreted=True)
    assert widenings(related, desk()) == ()


def test_an_argument_of_another_kind_is_not_compared_and_so_is_a_widening() -> None:
    (widening,) = widenings(desk(), desk('tool == "pay" and total == "a"', total="str"))
    assert widening.undecided and widening.kind is WideningKind.ARGUMENT


@pytest.mark.parametrize(
    ("outer", "inner", "fits"),
    [
        (ArgumentType(Kind.STR), ArgumentType(Kind.ENUM, ("a",)), True),
        (ArgumentType(Kind.ENUM, ("a",)), ArgumentType(Kind.STR), False),
        (ArgumentType(Kind.DECIMAL, places=2), ArgumentType(Kind.DECIMAL, places=3), False),
        (ArgumentType(Kind.DECIMAL, places=3), ArgumentType(Kind.DECIMAL, places=2), True),
        (ArgumentType(Kind.INT), ArgumentType(Kind.INT, optional=True), False),
        (
            ArgumentType(Kind.LIST, element=ArgumentType(Kind.ENUM, ("a",))),
            ArgumentType(Kind.LIST, element=ArgumentType(Kind.ENUM, ("a", "b"))),
            False,
        ),
        (
            ArgumentType(Kind.RECORD, record=RecordType("R", (("f", ArgumentType(Kind.INT)),))),
            ArgumentType(
                Kind.RECORD, record=RecordType("R", (("f", ArgumentType(Kind.INT, optional=True)),))
            ),
            False,
        ),
        (
            ArgumentType(Kind.RECORD, record=RecordType("R", (("f", ArgumentType(Kind.INT)),))),
            ArgumentType(
                Kind.RECORD,
                record=RecordType("R", (("f", ArgumentType(Kind.INT)), ("g", ArgumentType(Kind.INT)))),
            ),
            True,
        ),
    ],
)
def test_a_type_admits_no_value_that_the_other_type_cannot_have(
    outer: ArgumentType, inner: ArgumentType, fits: bool
) -> None:
    assert admits(outer, inner) is fits


def own(policy: PolicyTerms, arguments: Arguments) -> Arguments:
    return {argument.name: arguments[argument.name] for argument in policy.arguments}


@settings(
    max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(st.data())
def test_each_rule_that_denied_a_newly_allowed_input_is_named(data: st.DataObject) -> None:
    records = data.draw(st.booleans())
    old, new = (check(data.draw(policies(records=records))) for _ in range(2))
    found = widenings(old, new)
    names = {widening.name for widening in found}
    before, after = compile_policy(old), compile_policy(new)
    inputs = st.tuples(arguments_for(old), arguments_for(new)).map(lambda pair: {**pair[1], **pair[0]})
    for arguments in data.draw(st.lists(inputs, min_size=5, max_size=25)):
        if after.decide(own(new, arguments)).verdict is not Verdict.ALLOW:
            continue
        decision = before.decide(own(old, arguments))
        if decision.verdict is Verdict.ALLOW:
            continue
        assert found
        lost = {violation.rule for violation in decision.violations} - {"default"}
        if decision.verdict is Verdict.CANNOT_EVALUATE:
            assert PRECONDITIONS in names
        elif lost:
            assert lost <= names
        else:
            assert names & {DEFAULT, *(rule.name for rule in new.rules if not rule.forbids)}
