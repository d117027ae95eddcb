"""Concurrent calls: a decision uses only the results that were known when it was made."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.live_guarding import live_guard
from tests.runs.world.test_world import SPEC, at, order, state, unclear
from workbench.dialect.call_fields import type_of_record
from workbench.guard import DecisionLog, EnforcedPolicy, Guard, Mode, Outcome, PastCall, ToolCall
from workbench.model import (
    Argument,
    Arguments,
    ArgumentType,
    CallExpression,
    Decision,
    Json,
    Kind,
    RecordedCall,
    Tool,
    Verdict,
)
from workbench.runs.calls.live_call import recorded_call as as_recorded
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay import live_guard as live_guard_module
from workbench.runs.replay.decide import replay
from workbench.runs.world.facts import FoundRecord, awaited_calls


class Open(EnforcedPolicy):
    """Allows, so that a decision shows the arguments, and the reasons for missing ones."""

    def decide(self, arguments: Arguments) -> Decision:
        """Allow, with the arguments."""
        return Decision(Verdict.ALLOW, (), arguments)


@dataclass(frozen=True)
class Calls:
    """A message of the agent with its calls: tool, order and id of each."""

    calls: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Answer:
    """A result for the waiting call with this id: in the latest such message the first call."""

    call_id: str
    result: str | None
    failed: bool


type Event = Calls | Answer
RESULTS = (
    json.dumps(order()),
    json.dumps(order(paid=True)),
    json.dumps({"order": order(paid=True)}),
    json.dumps(order("B2")),
    json.dumps({"orders": [order(), order("B2", paid=True)]}),
    "Error: not now",
    "no such order",
    "<html>",
    "done",
)
TOOLS = ("get_order", "pay_order", "cancel_order", "list_orders", "change_order")
ONE_ORDER: Mapping[str, Json] = {"type": "object", "properties": {"order_id": {"type": "string"}}}
AGENT = replace(SPEC, tools=(*(Tool(name, parameters=ONE_ORDER) for name in TOOLS), Tool("get_customer")))
ORDER = ArgumentType(
    Kind.RECORD,
    optional=True,
    record=type_of_record(next(one for one in SPEC.records if one.name == "order")),
)
READER = Extractor(
    [
        Argument(tool, ORDER, "", CallExpression("run.order(call.order_id)", tool))
        for tool in TOOLS
        if tool != "list_orders"
    ],
    AGENT,
)
CALLS = st.builds(
    Calls,
    st.lists(
        st.tuples(
            st.sampled_from(TOOLS), st.sampled_from(("A1", "a1", "B2")), st.sampled_from(("c1", "c2", "c3"))
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
)
ANSWERS = st.builds(
    Answer, st.sampled_from(("c1", "c2", "c3")), st.sampled_from((*RESULTS, None)), st.booleans()
)
RUNS = st.lists(st.one_of(CALLS, ANSWERS, ANSWERS), max_size=14)


def arguments_of(tool: str, order_id: str) -> dict[str, Json]:
    return {} if tool == "list_orders" else {"order_id": order_id}


class Played:
    """A run as a guard received it, and as two kinds of logs store it."""

    def __init__(self, events: Sequence[Event], guard: Guard) -> None:
        self.decisions: list[Decision] = []
        self.chat: list[dict[str, object]] = []
        self.blocks: list[dict[str, object]] = []
        self.known: list[int] = []  # for each decision, the length of the chat before it
        self._waiting: list[tuple[int, Outcome]] = []
        for number, event in enumerate(events):
            if isinstance(event, Calls):
                self._call(number, event, guard)
            else:
                self._answer(event, guard)

    def _call(self, number: int, event: Calls, guard: Guard) -> None:
        guard.message("assistant", None)
        for tool, order_id, call_id in event.calls:
            outcome = guard.check(ToolCall(tool, arguments_of(tool, order_id), call_id=call_id))
            self.decisions.append(outcome.decision)
            self._waiting.append((number, outcome))
            self.known.append(len(self.chat) + 1)
        tool_calls = [
            (tool, arguments_of(tool, order_id), call_id) for tool, order_id, call_id in event.calls
        ]
        calls = [
            {"id": call_id, "function": {"name": tool, "arguments": json.dumps(arguments)}}
            for tool, arguments, call_id in tool_calls
        ]
        self.chat.append({"role": "assistant", "content": None, "tool_calls": calls})
        blocks = [
            {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
            for tool, arguments, call_id in tool_calls
        ]
        self.blocks.append({"role": "assistant", "content": blocks})

    def _answer(self, event: Answer, guard: Guard) -> None:
        alike = [entry for entry in self._waiting if entry[1].call.call_id == event.call_id]
        if not alike:
            return
        meant = next(entry for entry in alike if entry[0] == alike[-1][0])
        self._waiting.remove(meant)
        guard.finish(meant[1], event.result, failed=event.failed)
        status = {"status": "error"} if event.failed else {}
        self.chat.append({"role": "tool", "tool_call_id": event.call_id, "content": event.result, **status})
        block = {"type": "tool_result", "tool_use_id": event.call_id, "content": event.result}
        self.blocks.append({"role": "user", "content": [{**block, "is_error": event.failed}]})


def decided(path: Path) -> list[Decision]:
    imported = load_runs([path])
    assert not imported.problems
    return [call_decision.decision for call_decision in replay(Open(), READER, imported.runs)]


def written(folder: Path, name: str, record: Mapping[str, object]) -> Path:
    path = folder / name
    path.write_text(json.dumps(record) + "\n")
    return path


@settings(max_examples=examples(60), deadline=None)
@given(RUNS)
def test_the_guard_its_log_and_every_log_of_the_run_decide_alike(events: list[Event]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = DecisionLog(folder / "guard.jsonl")
        played = Played(events, live_guard(Open(), READER, mode=Mode.SHADOW, log=log))
        if not played.decisions:
            return
        assert decided(log.path) == played.decisions
        assert (
            decided(written(folder, "chat.jsonl", {"id": "r", "messages": played.chat})) == played.decisions
        )
        if all(not isinstance(event, Answer) or event.result is not None for event in events):
            record = {"id": "r", "messages": played.blocks}
            assert decided(written(folder, "messages.jsonl", record)) == played.decisions


@settings(max_examples=examples(40), deadline=None)
@given(RUNS)
def test_no_decision_rests_on_what_came_after_it(events: list[Event]) -> None:
    played = Played(events, live_guard(Open(), READER, mode=Mode.SHADOW))
    if not played.decisions:
        return
    with tempfile.TemporaryDirectory() as name:
        whole = decided(written(Path(name), "chat.jsonl", {"id": "r", "messages": played.chat}))
        for count, known in enumerate(played.known, 1):
            record = {"id": "r", "messages": played.chat[:known]}
            assert decided(written(Path(name), "chat.jsonl", record))[:count] == whole[:count]


# --- what is known of a record while calls go on ----------------------------------


def recorded_call(
    index: int, tool: str, result: object, known_from: int = 0, order_id: str = "A1"
) -> RecordedCall:
    text = result if isinstance(result, str) or result is None else json.dumps(result)
    return RecordedCall("r", index, tool, {"order_id": order_id}, result=text, known_from=known_from)


def after(*calls: RecordedCall) -> FoundRecord:
    """What is known of an order after these calls."""
    return at(RecordedCall("r", len(calls), "change_order", {}), list(calls), "A1")


LATER = 2**40


def test_while_a_call_may_change_a_record_nothing_is_known_of_it_even_if_it_is_read() -> None:
    going_on = recorded_call(0, "cancel_order", None, LATER)
    read = recorded_call(1, "get_order", order())
    missing = unclear(after(going_on, read))
    assert missing == "the result of call 0 (cancel_order) is not known yet"
    assert awaited_calls([missing, missing]) == ("call 0 (cancel_order)",)
    assert state(after(recorded_call(0, "cancel_order", None, LATER, "B2"), read)) == "known"
    ended = recorded_call(0, "cancel_order", "Error: no", 2)
    assert state(after(ended, read)) == "known", "it had no effect"


@pytest.mark.parametrize("other", ["pay_order", "get_order"])
def test_calls_that_went_on_at_the_same_time_have_to_say_the_same(other: str) -> None:
    paid = {"order": order(paid=True)} if other == "pay_order" else order(paid=True)
    same = {"order": order()} if other == "pay_order" else order()
    for first, second in ((2, 2), (2, 3), (3, 2)):
        calls = (
            recorded_call(0, "get_order", order(), first),
            recorded_call(1, other, paid, second),
            recorded_call(2, "say", "ok"),
        )
        found = after(*calls)
        assert (state(found), found.value) == ("changed", None)
        assert str(found.remedy) == 'get_order(order_id="A1")'
        again = (*calls, recorded_call(3, "get_order", order(paid=True)))
        assert state(after(*again)) == "known", "it was asked when both had ended"
        calls = (
            recorded_call(0, "get_order", order(), first),
            recorded_call(1, other, same, second),
            recorded_call(2, "say", "ok"),
        )
        assert state(after(*calls)) == "known"


def test_a_read_that_began_before_a_change_does_not_take_its_place() -> None:
    read = recorded_call(0, "get_order", order(), 3)
    found = after(read, recorded_call(1, "cancel_order", "done"), recorded_call(2, "say", "ok"))
    assert (state(found), found.value) == ("changed", None)


def test_a_call_of_which_the_log_does_not_tell_the_tool_may_have_changed_anything() -> None:
    read = recorded_call(0, "get_order", order())
    unknown = RecordedCall("r", 1, None, None, result="ok")
    assert "not known of which tool call 1 was" in unclear(after(read, unknown))
    assert state(after(unknown, recorded_call(1, "get_order", order()))) == "known"


def test_a_live_call_reads_only_what_is_new_of_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(past: PastCall, index: int) -> RecordedCall:
        read.append(past.call.tool)
        return as_recorded(past, index)

    monkeypatch.setattr(live_guard_module, "recorded_call", counted)
    guard = live_guard(Open(), READER, mode=Mode.SHADOW)
    runs = [guard.run(), guard.run()]
    for number in range(20):
        for run in runs:
            outcome = run.check(ToolCall("get_order", {"order_id": f"A{number}"}))
            run.finish(outcome, RESULTS[0])
    call_count = 2 * 20
    assert len(read) <= 5 * call_count, (
        "the call itself as often as it is asked about, and once with its result"
    )
