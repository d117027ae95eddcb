"""Mutated samples of every format: no crash, no hang, and no call is allowed without its arguments."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.logs.log_samples import SAMPLES
from workbench.clean_text import clean
from workbench.guard import EnforcedPolicy
from workbench.model import (
    AgentSpec,
    Argument,
    Arguments,
    ArgumentType,
    CallExpression,
    Decision,
    Extraction,
    ImportProblem,
    Json,
    Kind,
    TextReading,
    Verdict,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs, read_all
from workbench.runs.replay.decide import replay
from workbench.serialization.nouns import json_of

ROLE, WORDS = ArgumentType(Kind.ENUM, ("nursing", "physician")), ArgumentType(Kind.SET)
SPEC = AgentSpec(
    "fuzzed",
    readings=(
        TextReading("role", ROLE, Extraction("field", {"key": "Identity"})),
        TextReading("word", WORDS, Extraction("regex", {"pattern": r"(a|a)*b|(\w+\s?)+!"})),
    ),
)
ARGUMENTS = (
    Argument("role", ROLE, expression=CallExpression("run.first_said.role")),
    Argument("word", WORDS, expression=CallExpression("run.said.word")),
)
EXTRACTOR = Extractor(ARGUMENTS, SPEC)


class AllowAll(EnforcedPolicy):
    """Allows every call with arguments, so that only missing arguments can prevent an allow."""

    def decide(self, arguments: Arguments) -> Decision:
        return Decision(Verdict.ALLOW, arguments=arguments)


def cut(data: bytes, at: int, _extra: bytes) -> bytes:
    return data[: at % (len(data) + 1)]


def insert(data: bytes, at: int, extra: bytes) -> bytes:
    place = at % (len(data) + 1)
    return data[:place] + extra + data[place:]


def replace(data: bytes, at: int, extra: bytes) -> bytes:
    place = at % (len(data) + 1)
    return data[:place] + extra + data[place + len(extra) :]


def repeat(data: bytes, at: int, _extra: bytes) -> bytes:
    place = at % (len(data) + 1)
    return data[:place] + data[place // 2 :]


MUTATIONS: tuple[Callable[[bytes, int, bytes], bytes], ...] = (cut, insert, replace, repeat)
PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        [
            *(b'"', b"{", b"}", b"[", b"]", b"\\", b"\n", b",", b"null", b"\xff\xfe", b"\x1b]52;c;x\x07"),
            *(b"\\ud800", b"\\u202e", b"[" * 3000, b'{"a":' * 200, b"1e999", b"NaN", b"9" * 5000, b"\x00"),
        ]
    ),
)


@pytest.mark.parametrize("name", sorted(SAMPLES))
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    changes=st.lists(
        st.tuples(st.sampled_from(MUTATIONS), st.integers(0, 10_000), PIECES), min_size=1, max_size=4
    )
)
def test_damaged_logs_never_crash_and_never_allow_without_arguments(
    name: str, changes: list[tuple[Callable[[bytes, int, bytes], bytes], int, bytes]]
) -> None:
    data = SAMPLES[name].encode()
    for change, at, extra in changes:
        data = change(data, at, extra)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.log"
        path.write_bytes(data)
        imported = load_runs([path])
        assert len({run.id for run in imported.runs}) == len(imported.runs)
        for decided in replay(AllowAll(), EXTRACTOR, imported.runs):
            if decided.decision.verdict is Verdict.ALLOW:
                assert all(item.missing is None for item in decided.extracted.values())
                assert decided.extracted.keys() == {argument.name for argument in ARGUMENTS}
            else:
                assert decided.decision.reasons
            json_of(decided)
        for run in imported.runs:
            for call in run.calls:
                for text in [run.id, call.tool or "", *call.texts, *call.texts.values()]:
                    assert clean(text) == text


@pytest.mark.parametrize("value", [[], {}, ["a"], {"a": 1}, None, 3, True])
@pytest.mark.parametrize("key", ["type", "role", "event", "method", "run_type", "hook_event_name", "id"])
def test_a_record_with_an_odd_value_under_a_known_key_ends_nothing(
    tmp_path: Path, key: str, value: Json
) -> None:
    path = tmp_path / "odd.jsonl"
    record = {key: value, "messages": [], "payload": {}, "content": [], "sessionId": "s"}
    good = {"id": "g", "messages": [{"role": "user", "content": "Buy it."}]}
    path.write_text(f"{json.dumps(record)}\n{json.dumps(good)}\n")
    for item in read_all([path]):
        assert not (isinstance(item, ImportProblem) and "does not fit" in item.reason), item
