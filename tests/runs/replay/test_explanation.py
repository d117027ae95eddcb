"""Counterfactuals and explanations: they flip the decision, no smaller change does, and they name sources."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from tests.runs.logs.log_samples import lines
from tests.runs.replay.decided_calls import decide_calls
from tests.runs.replay.plain_arguments import PlainExtractor
from workbench.engines.compiled.compile import compile_policy
from workbench.model import (
    AgentSpec,
    Argument,
    Arguments,
    ArgumentType,
    CallExpression,
    ContextField,
    Decision,
    Json,
    Kind,
    RecordedCall,
    Tool,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.counterfactual import Turner
from workbench.runs.replay.decide import replay
from workbench.runs.replay.explanation import (
    CallExplanation,
    Explainer,
    explain_recorded,
)
from workbench.runs.replay.remedy import message_for_agent
from workbench.runs.replay.turning_values import Reach, Turning
from workbench.serialization.nouns import json_of

SMALL = '''"""Small domains, so that every input can be tried."""

from typing import Literal

Role = Literal["a", "b", "c"]
OPEN = {"x", "y"}


def forbid_one(role: Role, flag: bool, items: frozenset[str]) -> bool:
    """R1: One."""
    return role != "a" and any(item not in OPEN for item in items) and not flag


def forbid_two(role: Role, count: int | None, items: frozenset[str]) -> bool:
    """R2: Two."""
    return (role == "c" and count is not None and count > 2) or "z" in items


def permit_three(flag: bool, count: int | None, other: Role) -> bool:
    """R3: Three."""
    return flag or count is None or count % 2 == 0 or other == "b"


def allow(role: Role, other: Role, flag: bool, count: int | None, items: frozenset[str]) -> bool:
    return not (forbid_one(role, flag, items) or forbid_two(role, count, items)) and permit_three(
        flag, count, other
    )
'''
WORDS = ("x", "y", "z", "w")
DOMAINS: dict[str, tuple[Value, ...]] = {
    "role": ("a", "b", "c"),
    "other": ("a", "b", "c"),
    "flag": (False, True),
    "count": (None, *range(-3, 7)),
    "items": tuple(frozenset(chosen) for size in range(4) for chosen in combinations(WORDS, size)),
}
REACHES = st.fixed_dictionaries(
    {name: st.sampled_from([reach for reach in Reach if reach is not Reach.TIME]) for name in DOMAINS}
)


def turned_within(base: Arguments, names: frozenset[str], most: int, target: Verdict) -> bool:
    """Whether a change of at most this number of the named arguments turns the decision, by trying all."""
    policy = compile_policy(check(SMALL))
    return any(
        policy.decide({**base, **dict(zip(chosen, values, strict=True))}).verdict is target
        for size in range(min(most, len(names)) + 1)
        for chosen in combinations(sorted(names), size)
        for values in product(*(DOMAINS[name] for name in chosen))
    )


@settings(max_examples=examples(60), deadline=None)
@given(base=st.fixed_dictionaries({name: st.sampled_from(v) for name, v in DOMAINS.items()}), reaches=REACHES)
def test_a_counterfactual_turns_the_decision_and_no_change_of_fewer_arguments_does(
    base: dict[str, Value], reaches: dict[str, Reach]
) -> None:
    policy = compile_policy(check(SMALL))
    allowed = policy.decide(base).verdict is Verdict.ALLOW
    target = Verdict.DENY if allowed else Verdict.ALLOW
    turning = Turner(policy).turn(base, target, reaches)
    counterfactual = turning.counterfactual
    free = frozenset(name for name in DOMAINS if reaches[name] is not Reach.TOOL)
    assert turning.impossible is not turned_within(base, free, len(free), target)
    if counterfactual is None:
        assert turning.impossible, "the solver decides everything about this policy"
        return
    assert policy.decide(counterfactual.arguments).verdict is target
    assert counterfactual.fewest
    assert {change.name for change in counterfactual.changes} == {
        name for name in DOMAINS if counterfactual.arguments[name] != base[name]
    }
    within = frozenset(name for name in DOMAINS if reaches[name] <= counterfactual.reach)
    assert {change.name for change in counterfactual.changes} <= within
    assert not turned_within(base, within, len(counterfactual.changes) - 1, target)
    nearer = frozenset(name for name in DOMAINS if reaches[name] < counterfactual.reach)
    assert not turned_within(base, nearer, len(nearer), target)
    for change in counterfactual.changes:
        if isinstance(change.new, int) and isinstance(change.old, int):
            between = range(*sorted((change.old, change.new)))
            closer = [number for number in between if number not in (change.old, change.new)]
            assert not any(
                policy.decide({**counterfactual.arguments, change.name: number}).verdict is target
                for number in closer
            )
        if isinstance(change.new, frozenset) and isinstance(change.old, frozenset):
            new, old = frozenset(map(str, change.new)), frozenset(map(str, change.old))
            for element in new ^ old:
                undone = {**counterfactual.arguments, change.name: new ^ {element}}
                assert undone[change.name] == change.old or policy.decide(undone).verdict is not target


def test_the_only_change_is_found_among_hundreds_of_arguments() -> None:
    names = [f"n{number}" for number in range(400)]
    parameters = ", ".join(f"{name}: int" for name in names)
    policy = compile_policy(
        check(
            f'"""Many."""\n\n\ndef forbid_it({parameters}) -> bool:\n    """R1: No."""\n'
            f"    return {' or '.join(f'{name} > 9' for name in names)}\n\n\n"
            f"def allow({parameters}) -> bool:\n    return not forbid_it({', '.join(names)})\n"
        )
    )
    base: dict[str, Value] = {name: 30 if name == "n7" else 4 for name in names}
    turning = Turner(policy).turn(base, Verdict.ALLOW, dict.fromkeys(names, Reach.CALL))
    assert turning.counterfactual is not None
    assert [(change.name, change.new) for change in turning.counterfactual.changes] == [("n7", 9)]


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(data=st.data())
def test_what_is_found_for_any_policy_is_confirmed_by_running_it(data: st.DataObject) -> None:
    terms = check(data.draw(policies(contract=data.draw(st.booleans()))))
    policy = compile_policy(terms)
    base = data.draw(arguments_for(terms))
    decided = policy.decide(base)
    if decided.verdict is Verdict.CANNOT_EVALUATE:
        return
    target = Verdict.DENY if decided.verdict is Verdict.ALLOW else Verdict.ALLOW
    answer = Turner(policy).turn(decided.arguments, target, {})
    if answer.counterfactual is None:
        return
    turned = policy.decide(answer.counterfactual.arguments).verdict
    assert turned is answer.counterfactual.verdict
    assert turned is target or (target is Verdict.DENY and turned is Verdict.ASK)
    assert answer.counterfactual.changes
    assert not answer.impossible


# --- one recorded call ------------------------------------------------------------

PAYMENTS = '''"""Payments."""

from decimal import Decimal
from typing import Literal

Role = Literal["clerk", "chief"]


def forbid_large(tool: str, amount: Decimal | None, role: Role) -> bool:
    """R1: No payment above 100."""
    return tool == "pay" and amount is not None and amount > Decimal("100") and role == "clerk"


def forbid_delete(tool: str) -> bool:
    """R2: Nothing is deleted."""
    return tool == "delete"


def forbid_clerk_reads(tool: str, role: Role) -> bool:
    """R3: Clerks read nothing."""
    return role == "clerk" and tool == "read"


def forbid_secret(files: frozenset[str]) -> bool:
    """R4: No secret files."""
    return any(name.startswith("secret") for name in files)


def allow(tool: str, amount: Decimal | None, role: Role, files: frozenset[str]) -> bool:
    return not (
        forbid_large(tool, amount, role)
        or forbid_delete(tool)
        or forbid_clerk_reads(tool, role)
        or forbid_secret(files)
    )
'''


PATHS = {
    Argument("tool", ArgumentType(Kind.STR)): "tool",
    Argument("amount", ArgumentType(Kind.DECIMAL, optional=True)): "arguments.amount",
    Argument("role", ArgumentType(Kind.ENUM, ("clerk", "chief"))): "context.role",
    Argument("files", ArgumentType(Kind.SET)): "arguments.files",
}
ARGUMENTS = tuple(PATHS)
CLERK = {"role": "clerk"}
CALLS: list[dict[str, object]] = [
    {"run": "big", "tool": "pay", "arguments": {"amount": 250, "files": []}, "context": CLERK},
    {"run": "small", "tool": "pay", "arguments": {"amount": 12, "files": []}, "context": CLERK},
    {"run": "gone", "tool": "delete", "arguments": {"files": []}, "context": {"role": "chief"}},
    {"run": "read", "tool": "read", "arguments": {"files": []}, "context": CLERK},
    {"run": "files", "tool": "copy", "arguments": {"files": ["b", "secret a"]}, "context": CLERK},
    {"run": "odd", "tool": "pay", "arguments": {"amount": "a lot", "files": []}, "context": CLERK},
    {"run": "nobody", "tool": "read", "arguments": {"files": []}, "context": {}},
    {"run": "anybody", "tool": "pay", "arguments": {"amount": 3, "files": []}, "context": {}},
    {"run": "copied", "tool": "copy", "arguments": {"files": ["b", "secret a"]}, "context": {}},
]


def explained(tmp_path: Path, run: str) -> CallExplanation:
    path = tmp_path / "log.jsonl"
    path.write_text(lines(*CALLS))
    policy = compile_policy(check(PAYMENTS))
    runs = load_runs([path]).runs
    decided = list(replay(policy, PlainExtractor(PATHS), runs))
    calls = [call for log_run in runs for call in log_run.calls]
    (explanation,) = explain_recorded(Explainer(policy, ARGUMENTS, decided), calls, decided, run)
    return explanation


def changes_of(explanation: CallExplanation) -> dict[str, Value]:
    assert explanation.turning.counterfactual is not None
    return {change.name: change.new for change in explanation.turning.counterfactual.changes}


def test_a_denial_is_traced_to_its_characters_and_turned_by_the_nearest_number(tmp_path: Path) -> None:
    explanation = explained(tmp_path, "big")
    assert [rule.rule for rule in explanation.path if rule.fired] == ["forbid_large"]
    (fired,) = (rule for rule in explanation.path if rule.fired)
    assert ('tool == "pay"', True) in fired.conditions
    amount = next(origin for origin in explanation.origins if origin.name == "amount")
    assert [(quote.text, quote.line, quote.quote) for quote in amount.quotes] == [("arguments", 1, "250")]
    assert amount.reach is Reach.CALL
    assert changes_of(explanation) == {"amount": Decimal(100)}
    assert explanation.nearest is not None
    assert explanation.nearest.decided.run == "small"
    assert [change.name for change in explanation.nearest.changes] == ["amount"]
    assert explanation.message.endswith("It would be allowed with amount at most 100 instead of 250.")


def test_another_tool_is_no_remedy(tmp_path: Path) -> None:
    explanation = explained(tmp_path, "gone")
    assert explanation.turning.impossible
    assert explanation.message.endswith("Nothing would make this call allowed; do not repeat it.")
    assert explanation.nearest is None, "what is allowed to another tool is nothing near"


def test_what_is_given_to_the_agent_is_no_remedy_for_it(tmp_path: Path) -> None:
    explanation = explained(tmp_path, "read")
    assert changes_of(explanation) == {"role": "chief"}
    assert explanation.turning.counterfactual is not None
    assert explanation.turning.counterfactual.texts == (
        ('role = "chief" instead of "clerk"', "only a person can change it"),
    )
    assert explanation.message.endswith("do not repeat it, ask a person.")
    assert "chief" not in explanation.message
    assert "role" not in explanation.message


def test_only_the_elements_at_fault_leave_a_set(tmp_path: Path) -> None:
    explanation = explained(tmp_path, "files")
    assert changes_of(explanation) == {"files": frozenset({"b"})}
    assert explanation.message.endswith('It would be allowed with files without "secret a".')


def test_a_value_that_cannot_be_read_is_named_with_what_would_be_allowed(tmp_path: Path) -> None:
    explanation = explained(tmp_path, "odd")
    assert explanation.decision.verdict is Verdict.CANNOT_EVALUATE
    assert explanation.turning.counterfactual is not None
    (change,) = explanation.turning.counterfactual.changes
    assert change.name == "amount"
    assert change.supplied
    assert explanation.message.endswith("State amount plainly in the call.")
    assert explained(tmp_path, "nobody").message.endswith("do not repeat it.")


def test_an_undetermined_argument_that_plays_no_part_is_shown_as_such_and_not_asked_for(
    tmp_path: Path,
) -> None:
    allowed = explained(tmp_path, "anybody")
    assert allowed.decision.verdict is Verdict.ALLOW
    assert "role (not determined)" in allowed.idle
    denied = explained(tmp_path, "copied")
    assert denied.decision.verdict is Verdict.DENY
    assert changes_of(denied) == {"files": frozenset({"b"})}
    assert "role (not determined)" in denied.idle
    assert "role" not in denied.message


def test_an_allowed_call_is_turned_to_a_denial(tmp_path: Path) -> None:
    explanation = explained(tmp_path, "small")
    assert explanation.turning.counterfactual is not None
    assert explanation.turning.counterfactual.verdict is Verdict.DENY
    assert explanation.turning.counterfactual.reach is Reach.CALL
    assert explanation.message == "Allowed: no rule forbids this."


def test_an_explanation_is_one_line_for_the_agent_and_json_for_a_program(tmp_path: Path) -> None:
    for run in ("big", "gone", "read", "files", "odd", "nobody", "small"):
        explanation = explained(tmp_path, run)
        assert "\n" not in explanation.message
        record = json.loads(json.dumps(json_of(explanation)))
        assert record["decision"] == explanation.decision.verdict.value
        assert record["arguments"].keys() == {argument.name for argument in ARGUMENTS}


def test_an_unknown_run_or_call_is_said_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="did you mean small"):
        explained(tmp_path, "smal")


NAMED = '''
from nagini_contracts.contracts import Ensures, Implies, Result


def permit_named(tool: str, recipient: str, said: frozenset[str]) -> bool:
    """R1: Money goes only to somebody whom the user names."""
    return tool == "pay" and recipient in said


def permit_reading(tool: str) -> bool:
    """R2: Everything may be read."""
    return tool == "read"


def allow(tool: str, recipient: str, said: frozenset[str]) -> bool:
    Ensures(Implies(tool == "read", Result()))
    return permit_named(tool, recipient, said) or permit_reading(tool)
'''


NAMED_PATHS = {
    Argument("tool", ArgumentType(Kind.STR)): "tool",
    Argument("recipient", ArgumentType(Kind.STR)): "arguments.to",
    Argument("said", ArgumentType(Kind.SET)): "context.said",
}


def test_a_call_that_no_rule_permits_is_measured_by_the_nearest_permit_rule() -> None:
    policy = compile_policy(check(NAMED))
    arguments: dict[str, Json] = {"to": "mallory"}
    call = RecordedCall(
        "t",
        0,
        tool="pay",
        arguments=arguments,
        texts={"arguments": '{"to": "mallory"}'},
        context={"said": ["bob"]},
    )
    extracted = PlainExtractor(NAMED_PATHS).extract(call)
    (call_decision,) = decide_calls(policy, [call], [extracted])
    explanation = Explainer(policy, tuple(NAMED_PATHS), [call_decision]).explain(call, call_decision)
    assert [(violation.rule, violation.message) for violation in explanation.nearest_permits] == [
        ("permit_named", "Money goes only to somebody whom the user names.")
    ]
    assert explanation.turning.counterfactual is not None
    (change,) = explanation.turning.counterfactual.changes
    assert (change.name, change.new, change.one_of, change.invented) == ("recipient", "bob", "said", False)
    assert explanation.message == (
        "Denied: No rule permits this. Money goes only to somebody whom the user names. "
        'It would be allowed with recipient = one of said instead of "mallory".'
    )


def test_a_call_that_no_change_makes_permitted_names_the_permit_rules_of_its_tool() -> None:
    source = NAMED.replace("recipient in said", 'recipient in said and recipient == "" and recipient != ""')
    policy = compile_policy(check(source))
    arguments: dict[str, Json] = {"to": "mallory"}
    call = RecordedCall("t", 0, tool="pay", arguments=arguments, texts={}, context={"said": ["bob"]})
    extracted = PlainExtractor(NAMED_PATHS).extract(call)
    (call_decision,) = decide_calls(policy, [call], [extracted])
    explanation = Explainer(policy, tuple(NAMED_PATHS), [call_decision]).explain(call, call_decision)
    assert explanation.turning.counterfactual is None
    assert [violation.rule for violation in explanation.nearest_permits] == ["permit_named"]
    assert explanation.of_other_tools == {"permit_reading"}
    assert "Money goes only to somebody whom the user names." in explanation.message


HOURS = '''
from datetime import datetime, timedelta


def forbid_early(now: datetime, made: datetime) -> bool:
    """R1: Not within an hour after it was made."""
    return now - made < timedelta(hours=1)


def allow(now: datetime, made: datetime) -> bool:
    return not forbid_early(now, made)
'''


def timed(made_at: str, at: str) -> CallExplanation:
    """The explanation of a call in Oslo."""
    when = ArgumentType(Kind.DATETIME)
    declared = (
        Argument("now", when, "", CallExpression("call.time")),
        Argument("made", when, "", CallExpression("run.context.made")),
    )
    call = RecordedCall("t", 0, tool="ship", arguments={}, texts={}, context={"made": made_at}, time=at)
    policy = compile_policy(check(HOURS))
    agent = AgentSpec(
        "clerk", tools=(Tool("ship"),), zone="Europe/Oslo", context={"made": ContextField(when)}
    )
    extracted = Extractor(declared, agent).extract(call)
    (decided,) = decide_calls(policy, [call], [extracted])
    assert decided.decision.verdict is Verdict.DENY, decided.decision.reasons
    return Explainer(policy, declared, [decided], "Europe/Oslo").explain(call, decided)


@pytest.mark.parametrize(
    ("made_at", "at", "until"),
    [
        ("2027-03-01T11:41:00+01:00", "2027-03-01T12:00:00+01:00", "2027-03-01 11:41 UTC"),
        ("2027-03-01T23:30:00+01:00", "2027-03-01T23:45:00+01:00", "2027-03-01 23:30 UTC"),
    ],
)
def test_what_time_mends_is_waited_for_with_all_that_time_changes(made_at: str, at: str, until: str) -> None:
    counterfactual = timed(made_at, at).turning.counterfactual
    assert counterfactual is not None
    assert counterfactual.texts == ((f"wait until {until}", "by waiting"),)
    assert compile_policy(check(HOURS)).decide(counterfactual.arguments).verdict is Verdict.ALLOW
    assert counterfactual.arguments["made"] == timed(made_at, at).decision.arguments["made"]
    assert timed(made_at, at).message.endswith(f"It would be allowed later: wait until {until}.")


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("order “W1”: the result of call 8 (cancel) is not known yet", "call 8 (cancel)"),
        ("the result of call 2 is not known, so that it may have failed", "call 2"),
    ],
)
def test_a_call_that_depends_on_a_running_one_is_to_be_made_again_after_its_result(
    reason: str, remedy: str
) -> None:
    undetermined = Decision(Verdict.CANNOT_EVALUATE, reasons=(reason, reason))
    message = message_for_agent(undetermined, Turning())
    assert message.endswith(f"Wait for the result of {remedy}, then make this call again.")
    other = message_for_agent(replace(undetermined, reasons=("no earlier result says it",)), Turning())
    assert other.endswith("Nothing in this call can mend that; do not repeat it.")
