"""What an agent is told to do about a denied call is enough, and what it is told it cannot do it cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.lending_desk import lending_desk
from tests.examples import examples
from workbench.app.workbench import Workbench
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import CallDecision, Decision, Json, RecordedCall, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.replay.explanation import CallExplanation
from workbench.runs.replay.turning_values import Reach, TurningChange
from workbench.runs.world.earlier_calls import Earlier

OF_USER = ("identify", "scan_passport", "approve", "change_account", "check_account", "close_account")
AGENT = "".join(
    f'[tools.{tool}]\nparameters = {{type = "object", properties = {{user_id = {{type = "string"}}}}, '
    f'required = ["user_id"]}}\n'
    for tool in OF_USER
) + (
    '[tools.refund]\nparameters = {type = "object", required = ["user_id", "amount"], '
    'properties = {user_id = {type = "string"}, amount = {type = "integer"}}}\n'
)
REQUEST = """\
# The refund desk

- R1: A refund needs a user who was identified.
- R2: Above 50 two approvals are needed, and 90 is the limit.
- R3: Nothing is refunded on a closed account.
- R4: A changed account is checked first.
"""
POLICY = '''\
"""What the refund desk may do."""

from agent import Approve, ChangeAccount, CheckAccount, CloseAccount, Identify, Refund, Run, ScanPassport

DEFAULT = "allow"


def forbid_unknown(call: Refund, run: Run) -> bool:
    """R1: A refund needs a user who was identified."""
    return not any(c.succeeded and c.user_id == call.user_id for c in run.earlier(Identify)) and not any(
        c.succeeded and c.user_id == call.user_id for c in run.earlier(ScanPassport)
    )


def forbid_large(call: Refund, run: Run) -> bool:
    """R2: Above 50 two approvals are needed, and 90 is the limit."""
    approvals = sum(1 for c in run.earlier(Approve) if c.succeeded and c.user_id == call.user_id)
    return call.amount > 90 or (call.amount > 50 and approvals < 2)


def forbid_closed(call: Refund, run: Run) -> bool:
    """R3: Nothing is refunded on a closed account."""
    return any(not c.failed and c.user_id == call.user_id for c in run.earlier(CloseAccount))


def forbid_unchecked(call: Refund, run: Run) -> bool:
    """R4: A changed account is checked first."""
    changed = any(True for c in run.earlier(ChangeAccount))
    return changed and not any(
        c.succeeded for c in run.since(w for w in run.earlier(ChangeAccount)).earlier(CheckAccount)
    )
'''
Called = tuple[str, dict[str, Json]]


class Desk:
    """The desk: it decides and explains the last call of a run."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self.terms = bench.policy.terms()
        self.logs = bench.runs.load(None, terms=self.terms)
        self.policy: CompiledPolicy = compile_policy(self.terms)
        self.extractor: Extractor = bench.runs.extractor(self.terms.sources)

    def decide(self, called: Sequence[Called]) -> CallDecision:
        calls = [self._recorded(index, *one) for index, one in enumerate(called)]
        read = self.extractor.extract(calls[-1], Earlier(calls, len(calls) - 1))
        return CallDecision("r", calls[-1].index, decision_on(self.policy, read), read)

    def decision(self, called: Sequence[Called]) -> Decision:
        return self.decide(called).decision

    def explain(self, called: Sequence[Called]) -> CallExplanation:
        calls = [self._recorded(index, *one) for index, one in enumerate(called)]
        return self.bench.runs.explain_call(self.terms, self.logs, calls, self.decide(called))

    def allows(self, called: Sequence[Called]) -> bool:
        return self.decision(called).verdict is Verdict.ALLOW

    def _recorded(self, index: int, tool: str, arguments: dict[str, Json]) -> RecordedCall:
        texts = {"tool": tool, "arguments": json.dumps(arguments)}
        call = RecordedCall("r", index, tool=tool, arguments=arguments, texts=texts)
        return replace(call, result='{"ok": true}')


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = lending_desk(tmp_path_factory.mktemp("refunds"), POLICY, REQUEST)
    (folder / "agent.toml").write_text(f'name = "refund desk"\n{AGENT}', encoding="utf-8")
    line = {"run": "a", "tool": "identify", "arguments": {"user_id": "u1"}, "result": {"ok": True}}
    (folder / "logs" / "runs.jsonl").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    bench = Workbench.open(folder, read_only=True)
    yield Desk(bench)
    bench.close()


USER: dict[str, Json] = {"user_id": "u1"}
EARLIER = st.lists(st.tuples(st.sampled_from(OF_USER), st.sampled_from(["u1", "u2"])), max_size=4)


def further(desk: Desk, change: TurningChange) -> list[Called]:
    """The calls that a change asks for: one, or as many as a number grows by."""
    expression = desk.terms.file.words.expressions[change.name]
    tool = max(OF_USER, key=lambda one: expression.rfind(f"earlier({one.title().replace('_', '')})"))
    old = change.old if isinstance(change.old, int) else 0
    return [(tool, USER)] * (int(change.new) - int(old) if isinstance(change.new, int) else 1)


@settings(max_examples=examples(40), deadline=None)
@given(earlier=EARLIER, amount=st.sampled_from([20, 70, 95]))
def test_following_what_the_agent_is_told_is_enough(
    desk: Desk, earlier: list[tuple[str, str]], amount: int
) -> None:
    before: list[Called] = [(tool, {"user_id": user}) for tool, user in earlier]
    refund: Called = ("refund", {**USER, "amount": amount})
    if desk.allows([*before, refund]):
        return
    explanation = desk.explain([*before, refund])
    counterfactual, message = explanation.turning.counterfactual, explanation.message
    assert counterfactual is not None
    assert "run." not in message, "the words of the language"
    (new_amount, bound) = (amount, False)
    for change in counterfactual.changes:
        if change.reach is Reach.CALL:
            assert isinstance(change.new, int)
            new_amount, bound = change.new, "at most" in message
    assert bound == (new_amount != amount), "every smaller amount is allowed too"
    if counterfactual.reach is Reach.GIVEN:
        assert "Do not repeat it while that is not so." in message
        tools = product(OF_USER, repeat=3)
        more = ([(tool, USER) for tool in chosen] for chosen in tools)
        assert not any(desk.allows([*before, *calls, ("refund", {**USER, "amount": 1})]) for calls in more)
        return
    asked = [change for change in counterfactual.changes if change.reach is Reach.EARLIER]
    for ways in product(*((change, *change.instead) for change in asked)):
        calls = [call for change in ways for call in further(desk, change)]
        assert all(f"call {tool}" in message for tool, _ in calls)
        for paid in {new_amount, new_amount - 7 if bound else new_amount}:
            assert desk.allows([*before, *calls, ("refund", {**USER, "amount": paid})])


def test_another_way_to_the_same_end_is_said_too(desk: Desk) -> None:
    message = desk.explain([("refund", {**USER, "amount": 20})]).message
    assert message.endswith(
        "First call identify, so that there was an earlier call to identify that succeeded "
        "(where its user id is the user id), or call scan_passport, so that there was an earlier call to "
        "scan passport that succeeded (where its user id is the user id); then make this call again."
    )
