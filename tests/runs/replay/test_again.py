"""Re-deciding after an edit gives the same decisions as deciding anew, and repeats no unnecessary work."""

from __future__ import annotations

import threading
from decimal import Decimal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from tests.runs.replay.decided_calls import decide_calls
from tests.runs.replay.test_explanation import PAYMENTS
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import Arguments, Decision, Extracted, RecordedCall, Value, Verdict
from workbench.policy.term_text import render_term
from workbench.policy.terms import PolicyTerms
from workbench.runs.replay.decide import LOOK, Redecider


def calls_of(count: int) -> list[RecordedCall]:
    return [RecordedCall("t", index, None, None) for index in range(count)]


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
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
    calls = calls_of(len(extracted))
    redecider = Redecider(calls, extracted)
    for policy in (*versions, versions[0]):
        assert redecider.decide(policy) == decide_calls(policy, calls, extracted)


def edit_of(data: st.DataObject, terms: PolicyTerms) -> str:
    """The text of a policy after edits of its rules and constants; its arguments stay as they are."""
    source = terms.file.text
    for rule in terms.rules:
        start = source.index(f"def {rule.name}(")
        head, end = source[start : source.index("\n", start)], source.index("\ndef ", start)
        body = render_term(rule.body)
        body = data.draw(st.sampled_from((body, body, f"not ({body})", "False", "True")))
        message = data.draw(st.sampled_from(("Edited.", "Edited otherwise.")))
        source = f'{source[:start]}{head}\n    """R1: {message}"""\n    return {body}\n\n{source[end:]}'
    for old, new in (
        ("LIMIT = 18", "LIMIT = 19"),
        ('NAMES = {"ab", "abc", "b"}', 'NAMES = {"ab", "abc", "b", "c"}'),
    ):
        source = source.replace(old, data.draw(st.sampled_from((old, new))))
    return source


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_an_edit_is_decided_as_afresh_and_what_it_does_not_touch_is_confirmed(data: st.DataObject) -> None:
    first = check(data.draw(policies(contract=False)))
    vectors = [data.draw(arguments_for(first)) for _ in range(8)]
    extracted = [{name: Extracted(value) for name, value in vector.items()} for vector in vectors]
    calls = calls_of(len(extracted))
    redecider = Redecider(calls, extracted)
    before = redecider.decide(compile_policy(first))
    for text in [edit_of(data, first) for _ in range(3)]:
        policy = compile_policy(check(text))
        after = decide_calls(policy, calls, extracted)
        for old, new in zip(before, after, strict=True):
            assert policy.confirms(old.decision) is (old.decision == new.decision)
        before = redecider.decide(policy)
        assert before == after


def test_a_decision_that_cannot_be_made_is_never_confirmed() -> None:
    policy = compile_policy(check(PAYMENTS))
    decision = policy.decide({"tool": "pay", "amount": "much", "role": "clerk", "files": frozenset()})
    assert decision.verdict is Verdict.CANNOT_EVALUATE
    assert not policy.confirms(decision)
    assert not policy.confirms(Decision(Verdict.ALLOW, arguments={"tool": "pay"}))


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
    redecider = Redecider(calls_of(500), extracted)
    before = redecider.decide(compile_policy(check(PAYMENTS)))
    edited = Counting(check(PAYMENTS.replace('"100"', '"120"')))
    after = redecider.decide(edited)
    assert edited.full == 2  # amounts of 110 and 120
    changed = [decision.index for decision, other in zip(before, after, strict=True) if decision is not other]
    assert changed == [index for index in range(500) if index % 50 * 10 in (110, 120)]


def test_work_that_is_not_wanted_any_more_decides_nothing_and_spoils_nothing() -> None:
    extracted = [pay(amount) for amount in range(3 * LOOK)]
    calls, cancelled = calls_of(len(extracted)), threading.Event()
    redecider = Redecider(calls, extracted)
    cancelled.set()
    policy, edited = (compile_policy(check(text)) for text in (PAYMENTS, PAYMENTS.replace('"100"', '"120"')))
    assert redecider.decide(policy, cancelled) == ()
    before = redecider.decide(policy, threading.Event())
    assert redecider.decide(edited, cancelled) == ()
    assert redecider.decide(policy) == before == decide_calls(policy, calls, extracted)
    assert redecider.decide(edited) == decide_calls(edited, calls, extracted)
