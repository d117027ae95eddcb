"""Deciding again after an edit gives what deciding afresh gives, and repeats no work that cannot matter."""

from __future__ import annotations

import threading
from decimal import Decimal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from policy_strategies import arguments_for, policies
from test_replay_explanation import PAYMENTS

from workbench.model import Arguments, Decision, Extracted, Step, Value, Verdict
from workbench.policy.check import check
from workbench.policy.compile import CompiledPolicy, compile_policy
from workbench.replay import decide_steps
from workbench.replay.again import LOOK, Redecider


def steps_of(count: int) -> list[Step]:
    return [Step("t", index, None, None) for index in range(count)]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_deciding_again_is_deciding_afresh_whatever_was_decided_before(data: st.DataObject) -> None:
    versions = [compile_policy(check(data.draw(policies()))) for _ in range(3)]
    vectors = [data.draw(arguments_for(data.draw(st.sampled_from(versions)).terms)) for _ in range(6)]
    extracted: list[dict[str, Extracted]] = []
    for vector in (*vectors, *vectors[:2]):
        absent = data.draw(st.sets(st.sampled_from([*vector, "nothing"]), max_size=1))
        extracted.append(
            {
                name: Extracted(missing="not said") if name in absent else Extracted(value)
                for name, value in vector.items()
            }
        )
    steps = steps_of(len(extracted))
    redecider = Redecider(steps, extracted)
    for policy in (*versions, versions[0]):
        assert redecider.decide(policy) == decide_steps(policy, steps, extracted)


class Counting(CompiledPolicy):
    """Counts its full decisions."""

    full = 0

    def decide(self, arguments: Arguments) -> Decision:
        self.full += 1
        return super().decide(arguments)


def pay(amount: int, files: frozenset[str] = frozenset()) -> dict[str, Extracted]:
    values: dict[str, Value] = {"tool": "pay", "amount": Decimal(amount), "role": "clerk", "files": files}
    return {name: Extracted(value) for name, value in values.items()}


def test_only_what_an_edit_can_change_is_decided_in_full_and_the_rest_is_the_same_object() -> None:
    extracted = [pay(amount % 50 * 10) for amount in range(500)]
    redecider = Redecider(steps_of(500), extracted)
    before = redecider.decide(compile_policy(check(PAYMENTS)))
    edited = Counting(check(PAYMENTS.replace('"100"', '"120"')))
    after = redecider.decide(edited)
    denied = {one.decision.arguments["amount"] for one in before if one.decision.verdict is Verdict.DENY}
    assert edited.full == len(denied)
    changed = [one.index for one, other in zip(before, after, strict=True) if one is not other]
    assert changed == [index for index in range(500) if index % 50 * 10 in (110, 120)]


def test_work_that_is_not_wanted_any_more_decides_nothing_and_spoils_nothing() -> None:
    extracted = [pay(amount) for amount in range(3 * LOOK)]
    steps, cancelled = steps_of(len(extracted)), threading.Event()
    redecider = Redecider(steps, extracted)
    cancelled.set()
    policy, edited = (compile_policy(check(text)) for text in (PAYMENTS, PAYMENTS.replace('"100"', '"120"')))
    assert redecider.decide(policy, cancelled) == ()
    before = redecider.decide(policy, threading.Event())
    assert redecider.decide(edited, cancelled) == ()
    assert redecider.decide(policy) == before == decide_steps(policy, steps, extracted)
    assert redecider.decide(edited) == decide_steps(edited, steps, extracted)
