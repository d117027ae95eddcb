"""Runs that a writer of the tests writes in a format are imported with every call unchanged."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runs.logs.written_runs import CONVERSATIONS, Call, Turn, agentdojo, claude_code, openai
from workbench.model import UNANSWERED, Run
from workbench.runs.logs import Imported, load_runs

type Known = list[tuple[str | None, object, str | None, bool, int | None]]

_WORDS = st.text("abcé ü'\"\\{}[]:\n", min_size=1, max_size=8)
_NAMES = st.from_regex(r"[a-z]{1,6}(_[a-z]{1,4})?", fullmatch=True)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=6,
)
# OpenHands stores further fields with the arguments of an action; they are no arguments.
_ARGUMENTS = st.dictionaries(
    _NAMES.filter(lambda name: name not in ("kind", "hidden", "thought")), _VALUES, max_size=3
)
_RESULT = st.none() | _WORDS
_CALLS = st.builds(Call, _NAMES, _ARGUMENTS, _RESULT) | st.builds(
    Call, _NAMES, _ARGUMENTS, _WORDS, st.just(True)
)
RUNS = st.lists(st.lists(_CALLS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=4)


def imported(text: str, *, packed: bool = False) -> Imported:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        return load_runs([path])


def known(run: Run) -> Known:
    """Each call of a run, with the number of the call from which on its result is known."""
    return [
        (
            call.tool,
            call.arguments,
            call.result,
            call.failed,
            None if call.known_from == UNANSWERED else call.known_from,
        )
        for call in run.calls
    ]


def meant(turns: Sequence[Turn]) -> Known:
    """The expected import of each call: results are known at the next message."""
    known_calls: Known = []
    for turn in turns:
        after = len(known_calls) + len(turn)
        known_calls += [
            (call.tool, call.arguments, call.result, call.failed, None if call.result is None else after)
            for call in turn
        ]
    return known_calls


def actions(run: Run) -> list[int]:
    return [len(list(group)) for _, group in groupby(run.calls, lambda call: call.step)]


def check(log: Imported, turns: Sequence[Turn], count: int = 1) -> None:
    assert not log.problems
    assert len(log.runs) == count
    for run in log.runs:
        assert known(run) == meant(turns)
        assert actions(run) == [len(turn) for turn in turns]
        assert run.named_by


@settings(max_examples=20, deadline=None)
@given(RUNS, st.sampled_from(sorted(CONVERSATIONS)), st.data())
def test_a_run_comes_back_whatever_it_stands_in(turns: list[Turn], form: str, data: st.DataObject) -> None:
    messages = CONVERSATIONS[form](turns)
    key = data.draw(st.sampled_from(["messages", "traj", "history", "log", "a b"]), "key")
    inside: dict[str, object] = {
        "array": messages,
        "under a key": {key: messages},
        "in a list of records": [{key: messages, "reward": 1.0}],
        "two levels down": {"meta": {"n": 1}, "results": {"runs": [{key: messages}]}},
        "in a list of lists": [messages],
    }
    place = data.draw(st.sampled_from([*inside, "a line for each"]), "place")
    indent = data.draw(st.sampled_from([None, 2]), "indent")
    text = (
        "".join(json.dumps(message) + "\n" for message in messages)
        if place == "a line for each"
        else json.dumps(inside[place], indent=indent)
    )
    check(imported(text, packed=data.draw(st.booleans(), "packed")), turns)


@settings(max_examples=8, deadline=None)
@given(RUNS)
def test_a_transcript_of_claude_code_comes_back(turns: list[Turn]) -> None:
    check(imported("".join(json.dumps(line) + "\n" for line in claude_code(turns))), turns)


@settings(max_examples=8, deadline=None)
@given(RUNS, st.sampled_from([None, 4]))
def test_a_record_of_agentdojo_comes_back(turns: list[Turn], indent: int | None) -> None:
    log = imported(json.dumps(agentdojo(turns), indent=indent))
    check(log, turns)
    assert log.runs[0].calls[0].facts["utility"] is False


@settings(max_examples=6, deadline=None)
@given(RUNS, st.integers(1, 3))
def test_trials_of_tau_bench_come_back_with_ids_of_their_own(turns: list[Turn], trials: int) -> None:
    runs = [
        {"task_id": 7, "reward": 0.0, "info": {"user": "x"}, "traj": openai(turns), "trial": trial}
        for trial in range(trials)
    ]
    log = imported(json.dumps(runs))
    check(log, turns, trials)
    assert [run.id for run in log.runs] == [f"7-{trial}" for trial in range(trials)]
    assert {run.named_by for run in log.runs} == {"task_id and trial"}
    assert all(not call.context and "reward" in call.facts for run in log.runs for call in run.calls)


@pytest.mark.parametrize("form", sorted(CONVERSATIONS))
def test_several_runs_under_keys_of_their_own_stay_apart(form: str) -> None:
    turns = [(Call("pay", {"amount": 3}, "paid"),)]
    messages = CONVERSATIONS[form](turns)
    check(imported(json.dumps({"a": {"x": messages}, "b": {"x": messages}})), turns, 2)
