"""Incomplete inputs are decided in three values: as each completion is, and alike by all evaluators."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.guard.exported_files import exported
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.guard import Approval, Guard, Mode, NamedPolicy, Outcome, ToolCall
from workbench.guard.call_reading import OwnReading
from workbench.model import NO_BOUNDS, Arguments, Between, Decision, RecordValue, Value, Verdict
from workbench.policy.deciding import answer_of
from workbench.policy.evaluate import evaluate, evaluate_in, evaluate_incomplete, valuation
from workbench.policy.terms import PolicyTerms
from workbench.policy.undetermined import Undetermined

_SLOW = settings(
    max_examples=examples(150),
    deadline=None,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
DECIDED = (Verdict.ALLOW, Verdict.DENY)


@st.composite
def incomplete(draw: st.DrawFn) -> tuple[PolicyTerms, Arguments, Arguments]:
    """A policy, an input that fits it, and a part of that input."""
    terms = check(draw(policies(records=draw(st.booleans()))))
    whole = draw(arguments_for(terms))
    lacking = draw(st.sets(st.sampled_from(sorted(whole)), min_size=1)) if whole else set[str]()
    return terms, whole, {name: value for name, value in whole.items() if name not in lacking}


@_SLOW
@given(st.data())
def test_each_completion_of_a_decided_input_is_decided_so_by_the_same_rules(data: st.DataObject) -> None:
    terms, whole, part = data.draw(incomplete())
    policy = compile_policy(terms)
    decision = policy.decide(part)
    if decision.verdict not in DECIDED:
        return
    others = [data.draw(arguments_for(terms)) for _ in range(8)]
    for other in [whole, *others]:
        completed = compile_policy(terms).decide({**other, **part})
        assert completed.verdict is decision.verdict
        fired = {violation.rule for violation in completed.violations}
        assert {violation.rule for violation in decision.violations} - {"default"} <= fired
        assert set(decision.permitted_by) <= set(completed.permitted_by)
        if {violation.rule for violation in decision.violations} == {"default"}:
            assert not completed.permitted_by


@_SLOW
@given(st.data())
def test_an_argument_that_is_not_named_changes_nothing_while_it_alone_is_undetermined(
    data: st.DataObject,
) -> None:
    terms, whole, part = data.draw(incomplete())
    policy = compile_policy(terms)
    named = policy.open_arguments(part)
    assert bool(named) is bool(policy.decide(part).reasons) or _broken(terms, part)
    other = data.draw(arguments_for(terms))
    for name in terms.arguments:
        if name.name not in part and name.name not in named:
            with_it = policy.decide({**part, name.name: other[name.name]})
            assert with_it.verdict is policy.decide({**part, name.name: whole[name.name]}).verdict


def _broken(terms: PolicyTerms, part: Arguments) -> bool:
    return any(evaluate(terms, clause.term, part) is False for clause in terms.preconditions)


@_SLOW
@given(st.data())
def test_more_information_never_changes_a_decision(data: st.DataObject) -> None:
    terms, whole, part = data.draw(incomplete())
    policy = compile_policy(terms)
    before = policy.decide(part)
    for name in data.draw(st.permutations([name for name in whole if name not in part])):
        part = {**part, name: whole[name]}
        after = policy.decide(part)
        if before.verdict in DECIDED or (before.verdict is Verdict.ASK and not before.reasons):
            assert after.verdict is before.verdict
        if before.verdict is Verdict.ASK:
            assert after.verdict in (Verdict.ASK, Verdict.ALLOW)
        before = after
    assert before == policy.decide(whole)


@_SLOW
@given(st.data())
def test_interpreter_compiled_policy_guard_and_exported_file_agree(data: st.DataObject) -> None:
    terms, whole, part = data.draw(incomplete())
    policy = compile_policy(terms)
    file = imported(terms)
    inputs: tuple[Arguments, ...] = (part, whole, {})
    for arguments in inputs:
        decision = policy.decide(arguments)
        assert file.decide(plain(arguments)) == answer_of(decision)
        assert of_interpreter(terms, arguments) == verdict_and_names(policy, decision, arguments)
        assert by_guard(policy, arguments).verdict is decision.verdict


def imported(terms: PolicyTerms) -> Any:
    """The exported file of a policy as a module."""
    module = ModuleType("exported_policy_of_a_test")
    module.__file__ = "exported_policy.py"
    exec(exported(terms), vars(module))  # noqa: S102  # the text of a checked policy
    return module


def plain(arguments: Arguments) -> dict[str, object]:
    """The arguments as an exported file takes them."""

    def of(value: Value) -> object:
        if isinstance(value, RecordValue):
            return {name: of(held) for name, held in value.fields}
        return tuple(of(element) for element in value) if isinstance(value, tuple) else value

    return {name: of(value) for name, value in arguments.items()}


def of_interpreter(
    terms: PolicyTerms, arguments: Arguments, between: Mapping[str, Between] = NO_BOUNDS
) -> tuple[Verdict, frozenset[str]]:
    """The verdict by the interpreter of terms, and the arguments that could change it."""
    world = valuation(terms, arguments, between=between)
    truths = [evaluate_in(world, clause.term) for clause in terms.preconditions]
    if any(truth is False for truth in truths):
        return Verdict.CANNOT_EVALUATE, frozenset()
    asking = [evaluate_in(world, rule.body) for rule in terms.rules if rule.asks]
    not_denied = evaluate_incomplete(terms.without_asking, arguments, between)
    open_truths = [truth for truth in (*truths, not_denied) if isinstance(truth, Undetermined)]
    open_asking = [truth for truth in asking if isinstance(truth, Undetermined)]
    if open_truths:
        may_ask = isinstance(not_denied, Undetermined) and True not in asking
        names = [truth.names for truth in (*open_truths, *(open_asking if may_ask else ()))]
        return Verdict.CANNOT_EVALUATE, frozenset[str]().union(*names)
    if not not_denied:
        return Verdict.DENY, frozenset()
    if True in asking or open_asking:
        return Verdict.ASK, frozenset[str]().union(*(truth.names for truth in open_asking))
    return Verdict.ALLOW, frozenset()


def verdict_and_names(
    policy: CompiledPolicy, decision: Decision, arguments: Arguments
) -> tuple[Verdict, frozenset[str]]:
    """The verdict of a compiled policy, and the arguments that it names."""
    names = frozenset(
        reason.split("`")[1] for reason in decision.reasons if reason.startswith("The argument")
    )
    if names:
        assert names == set(policy.open_arguments(arguments))
    return decision.verdict, names


def by_guard(policy: CompiledPolicy, arguments: Arguments) -> Decision:
    """The decision of a guard whose application gives these arguments."""
    guard = Guard(policy, lambda _call, _history: arguments, mode=Mode.SHADOW)
    return guard.check(ToolCall("any", {})).decision


DESK = '''from decimal import Decimal
from typing import Literal


def forbid_dear(tool: Literal["pay", "look"], total: Decimal) -> bool:
    """R1: No more than 100."""
    return tool == "pay" and total > 100


def forbid_banned(tool: Literal["pay", "look"], banned: bool, names: frozenset[str]) -> bool:
    """R2: Nobody who is banned may pay, and nobody evil."""
    return tool == "pay" and (banned or any(name == "evil" for name in names))


def permit_known(tool: Literal["pay", "look"], member: bool) -> bool:
    """R3: Members may."""
    return member or tool == "look"


def allow(
    tool: Literal["pay", "look"], total: Decimal, banned: bool, member: bool, names: frozenset[str]
) -> bool:
    return not (forbid_dear(tool, total) or forbid_banned(tool, banned, names)) and permit_known(tool, member)
'''


@pytest.mark.parametrize(
    ("given_arguments", "verdict", "rules", "named"),
    [
        ({"tool": "look"}, "allow", [], []),
        ({"tool": "pay"}, "cannot-evaluate", [], ["total", "banned", "member", "names"]),
        ({"tool": "pay", "total": 101}, "deny", ["forbid_dear"], []),
        ({"tool": "pay", "member": False}, "deny", ["default"], []),
        ({"tool": "pay", "total": 1, "member": True, "names": frozenset[str]()},
         "cannot-evaluate", [], ["banned"]),
        ({"tool": "pay", "total": 1, "banned": True}, "deny", ["forbid_banned"], []),
        ({"tool": "pay", "total": 1, "names": frozenset({"evil"})}, "deny", ["forbid_banned"], []),
        ({"total": 1, "banned": False, "names": frozenset[str]()}, "cannot-evaluate", [], ["tool", "member"]),
        ({"total": 1, "banned": False, "names": frozenset[str](), "member": True}, "allow", [], []),
        ({"tool": "look", "total": "dear"}, "allow", [], []),
        ({"tool": "pay", "total": "dear", "banned": False, "names": frozenset[str](), "member": True},
         "cannot-evaluate", [], ["total"]),
        ({"tool": "steal", "member": True, "total": 1, "banned": False, "names": frozenset[str]()},
         "cannot-evaluate", [], ["tool"]),
    ],
)  # fmt: skip
def test_only_what_could_change_the_decision_is_needed(
    given_arguments: Mapping[str, object], verdict: str, rules: list[str], named: list[str]
) -> None:
    arguments = cast("Arguments", given_arguments)
    decision = compile_policy(check(DESK)).decide(arguments)
    assert decision.verdict.value == verdict
    assert [violation.rule for violation in decision.violations] == rules
    assert [reason.split("`")[1] for reason in decision.reasons] == named


ASKS = DESK.replace("forbid_dear", "ask_dear")


@pytest.mark.parametrize(
    ("given_arguments", "verdict", "rules", "named"),
    [
        ({"total": 1, "member": True}, "allow", [], []),
        ({"total": 101, "member": True}, "ask", ["ask_dear"], []),
        ({"member": True}, "ask", ["ask_dear"], ["total"]),
        ({"total": 101, "member": True, "banned": None}, "cannot-evaluate", [], ["banned"]),
        ({"member": True, "banned": None}, "cannot-evaluate", [], ["total", "banned"]),
        ({"total": 101, "member": True, "banned": True}, "deny", ["ask_dear", "forbid_banned"], []),
        ({"member": True, "banned": True}, "deny", ["forbid_banned"], []),
        ({"total": 101, "member": False}, "deny", ["ask_dear", "default"], []),
        ({"total": 101}, "cannot-evaluate", [], ["member"]),
    ],
)
def test_deny_wins_over_ask_and_what_may_be_denied_is_not_asked(
    given_arguments: Mapping[str, object], verdict: str, rules: list[str], named: list[str]
) -> None:
    given_arguments = {"tool": "pay", "names": frozenset[str](), "banned": False, **given_arguments}
    arguments = cast("Arguments", {name: v for name, v in given_arguments.items() if v is not None})
    terms = check(ASKS)
    decision = compile_policy(terms).decide(arguments)
    assert decision.verdict.value == verdict
    assert [violation.rule for violation in decision.violations] == rules
    assert [reason.split("`")[1] for reason in decision.reasons] == named
    assert imported(terms).decide(plain(arguments)) == answer_of(decision)


@pytest.mark.parametrize("several", [False, True])
def test_a_person_is_asked_only_where_no_rule_may_forbid(several: bool) -> None:
    policy = compile_policy(check(ASKS))
    asked: list[Outcome] = []

    def approve(outcome: Outcome) -> str:
        asked.append(outcome)
        return "Ann"

    def checked(arguments: Mapping[str, object], approval: Approval | None) -> Outcome:
        reader = OwnReading(lambda _call, _history: cast("Arguments", arguments))
        policies = [NamedPolicy("desk", policy, reader)] if several else policy
        return Guard(policies, reader, approval=approval).check(ToolCall("pay", {}))

    member: dict[str, object] = {"tool": "pay", "member": True, "names": frozenset[str]()}
    for refused in (
        {**member, "total": 101},  # somebody who may be banned
        {**member, "total": 101, "banned": True},
        {**member, "total": 101, "banned": False, "member": False},
    ):
        assert not checked(refused, Approval(approve)).runs
    assert not asked
    for handed_over in ({**member, "total": 101, "banned": False}, {**member, "banned": False}):
        outcome = checked(handed_over, Approval(approve))
        assert outcome.runs and outcome.approved_by == "Ann"
        refusal = checked(handed_over, None)
        assert not refusal.runs
        assert "no person approved it: No more than 100" in refusal.feedback
        assert ("`total` is missing" in refusal.feedback) is ("total" not in handed_over)
    assert len(asked) == 2


def test_a_guard_of_an_undetermined_operand_may_be_undetermined_too() -> None:
    source = '''def forbid_late(days: int | None, sure: bool) -> bool:
    """R1: Not later than 3 days."""
    return days is not None and days > 3 and sure


def allow(days: int | None, sure: bool) -> bool:
    return not forbid_late(days, sure)
'''
    policy = compile_policy(check(source))
    assert policy.decide({"sure": False}).verdict is Verdict.ALLOW
    assert policy.decide({"days": None}).verdict is Verdict.ALLOW
    assert policy.decide({"sure": True}).reasons == ("The argument `days` is missing.",)


def test_a_long_chain_of_choices_is_decided_in_three_values() -> None:
    lines = "".join(f'    if word == "w{number}":\n        return flag\n' for number in range(59))
    source = f'''def forbid_it(word: str, flag: bool) -> bool:
    """R1: No."""
{lines}    return False


def allow(word: str, flag: bool) -> bool:
    return not forbid_it(word, flag)
'''
    terms = check(source)
    policy = compile_policy(terms)
    file = imported(terms)
    for arguments, verdict in (({"word": "w58"}, "cannot-evaluate"), ({"word": "x"}, "allow"),
                               ({"flag": False}, "allow"), ({"flag": True}, "cannot-evaluate")):  # fmt: skip
        assert policy.decide(arguments).verdict.value == verdict
        assert file.decide(arguments)["verdict"] == verdict


def test_a_field_of_records_is_compared_with_single_values_beside_what_is_undetermined() -> None:
    source = '''from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    owner: str


def forbid_known(items: tuple[Item, ...], owners: tuple[str, ...], flag: bool) -> bool:
    """R1: No."""
    return {item.owner for item in items} <= {owner for owner in owners} or flag


def allow(items: tuple[Item, ...], owners: tuple[str, ...], flag: bool) -> bool:
    return not forbid_known(items, owners, flag)
'''
    terms = check(source)
    inputs: Arguments = {"items": (RecordValue("Item", (("owner", "u"),)),), "owners": ("u", "v")}
    assert evaluate_incomplete(terms, inputs) is False
    assert compile_policy(terms).decide(inputs).verdict is Verdict.DENY
