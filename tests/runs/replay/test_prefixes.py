"""Nothing from the future: each call is decided on what was known at it, whatever comes later in its log."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.live_guarding import live_guard
from tests.plain_policies import check
from tests.recordings import AIRLINE, DATA, needs_airline, needs_recordings
from tests.runs.logs.log_samples import SAMPLES
from tests.runs.replay.playing import played_calls
from tests.runs.world.airline_agent import airline_desk
from workbench.app.workbench import Workbench
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import Mode
from workbench.model import (
    UNANSWERED,
    AgentSpec,
    Argument,
    ArgumentType,
    CallDecision,
    CallExpression,
    ContextField,
    Json,
    Kind,
    RecordedCall,
    Run,
)
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import replay

ROOT = Path(__file__).resolve().parents[3]
LIMIT = '''def forbid_fourth(refunds_today: int) -> bool:
    """R1: No more than three refunds a day."""
    return refunds_today > 3


def allow(refunds_today: int) -> bool:
    return not forbid_fourth(refunds_today)
'''
LATER = frozenset({"result", "facts"})
"""The texts of a call that came after its decision."""


def _are_json_lines(text: str) -> bool:
    try:
        return all(isinstance(json.loads(line), dict) for line in text.splitlines())
    except ValueError:
        return False


def known_at(call: RecordedCall) -> RecordedCall:
    """A call without what came after its decision, and without its place in the file."""
    texts = {name: text for name, text in call.texts.items() if name not in LATER}
    return replace(call, texts=texts, result=None, failed=False, known_from=0, facts={}, ran=True)


def until(run: Run, last: int) -> Run:
    """The run up to a call, without the results that were not known at it."""
    calls = [
        replace(known_at(call), ran=call.ran, known_from=UNANSWERED)
        if call.index == last or call.known_from > last
        else call
        for call in run.calls[: last + 1]
    ]
    return replace(run, calls=tuple(calls))


def assert_the_future_changes_nothing(
    terms: PolicyTerms, extractor: Extractor, runs: Sequence[Run], most: int = 40
) -> None:
    policy = compile_policy(terms)
    for run in runs:
        whole = list(replay(policy, extractor, [run]))
        step = max(1, len(whole) // most)
        for last in range(0, len(whole), step):
            assert list(replay(policy, extractor, [until(run, last)]))[last] == whole[last]


@pytest.mark.parametrize("name", ["travel-desk", "hospital-access", "web-shopping"])
def test_the_logs_of_the_shipped_sessions_are_decided_alike_from_each_prefix(name: str) -> None:
    with closing(Workbench.open(ROOT / "sessions" / name, read_only=True)) as bench:
        terms = bench.policy.terms()
        runs, extractor = bench.runs.load(terms=terms).runs, bench.runs.extractor(bench.runs.arguments())
        assert_the_future_changes_nothing(terms, extractor, runs)


@needs_airline
def test_recorded_runs_of_the_airline_are_decided_alike_from_each_prefix() -> None:
    with closing(Workbench.open(ROOT / "benchmarks/sessions/airline-desk", read_only=True)) as bench:
        terms = bench.policy.terms()
        runs = bench.runs.load([AIRLINE / "runs.json"], terms=terms).runs
        extractor = bench.runs.extractor(bench.session.spec.arguments)
        assert_the_future_changes_nothing(terms, extractor, runs[:8], most=12)


@needs_recordings
@pytest.mark.parametrize("name", ["coding", "expenses", "support", "warehouse"])
def test_recorded_runs_of_four_desks_are_decided_alike_from_each_prefix(name: str) -> None:
    with closing(Workbench.open(ROOT / f"benchmarks/sessions/authoring-{name}", read_only=True)) as bench:
        terms = bench.policy.terms()
        runs = bench.runs.load([DATA / "authoring" / name / "runs.jsonl"], terms=terms).runs
        extractor = bench.runs.extractor(bench.session.spec.arguments)
        assert_the_future_changes_nothing(terms, extractor, runs[:10], most=8)


@pytest.mark.parametrize("name", sorted(name for name, text in SAMPLES.items() if _are_json_lines(text)))
def test_a_call_is_read_alike_however_the_log_goes_on(name: str, tmp_path: Path) -> None:
    whole_lines = SAMPLES[name].splitlines(keepends=True)
    whole = _calls("".join(whole_lines), tmp_path)
    for count in range(1, len(whole_lines)):
        for place, call in _calls("".join(whole_lines[:count]), tmp_path).items():
            if place in whole and whole[place].time == call.time and call.tool is not None:
                assert known_at(whole[place]) == known_at(call)


def _calls(text: str, folder: Path) -> Mapping[tuple[str, int], RecordedCall]:
    path = folder / "log"
    path.write_text(text, encoding="utf-8")
    return {(call.run, call.index): call for run in load_runs([path]).runs for call in run.calls}


def refunds(*today: int) -> str:
    return "".join(
        json.dumps({"run": "r", "tool": "refund", "arguments": {}, "context": {"refunds_today": number}})
        + "\n"
        for number in today
    )


INT = ArgumentType(Kind.INT)
REFUNDS_TODAY = Extractor(
    (Argument("refunds_today", INT, "", CallExpression("run.context.refunds_today")),),
    AgentSpec("refunds", context={"refunds_today": ContextField(INT)}),
)


def decided(text: str) -> list[CallDecision]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text(text)
        return list(replay(compile_policy(check(LIMIT)), REFUNDS_TODAY, load_runs([path]).runs))


def test_the_context_of_a_log_is_that_of_its_line() -> None:
    verdicts = [call.decision.verdict.value for call in decided(refunds(0, 1, 2, 3, 4, 5))]
    assert verdicts == ["allow"] * 4 + ["deny"] * 2


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=8))
def test_prefixes_of_a_log_are_decided_as_the_whole_and_as_a_live_guard_decides(today: list[int]) -> None:
    whole = decided(refunds(*today))
    for count in range(1, len(today) + 1):
        assert decided(refunds(*today[:count])) == whole[:count]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text(refunds(*today))
        (run,) = load_runs([path]).runs
    guard = live_guard(compile_policy(check(LIMIT)), REFUNDS_TODAY, mode=Mode.SHADOW)
    assert played_calls(run, guard.run("live")) == [call.decision for call in whole]


@st.composite
def runs_with_late_results(draw: st.DrawFn) -> Run:
    """Calls about reservations; a result may come after later calls, or never."""
    count = draw(st.integers(1, 7))
    calls: list[RecordedCall] = []
    for index in range(count):
        tool = draw(st.sampled_from(["get_reservation_details", "cancel_reservation"]))
        key = draw(st.sampled_from(["A1", "B2"]))
        fields: dict[str, Json] = {
            "user_id": "mia",
            "created_at": "2024-05-01T10:00:00",
            "insurance": "no",
            "flights": [],
        }
        cabin = draw(st.sampled_from(["economy", "business"]))
        result = json.dumps({"reservation_id": key, "cabin": cabin, **fields})
        since = draw(st.sampled_from([index + 1, index + 1, index + 2, index + 3, UNANSWERED]))
        arguments = json.dumps({"reservation_id": key})
        calls.append(
            RecordedCall("r", index, tool, json.loads(arguments), {"tool": tool, "arguments": arguments},
                         result=None if since == UNANSWERED else result, known_from=since, step=index)
        )  # fmt: skip
    return Run("r", tuple(calls), "workbench")


@settings(max_examples=examples(150), deadline=None)
@given(runs_with_late_results())
def test_facts_about_records_come_from_results_that_were_known(run: Run) -> None:
    terms, spec = airline_desk()
    policy, extractor = compile_policy(terms), Extractor(spec.arguments, spec)
    whole = list(replay(policy, extractor, [run]))
    for last in range(len(whole)):
        assert list(replay(policy, extractor, [until(run, last)]))[last].extracted == whole[last].extracted
