"""The time of every call of an agent in whose world it stands still, and what the user said last."""

from __future__ import annotations

import pytest

from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.files.file_error import FileError
from workbench.model import RecordedCall, Run, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import replay
from workbench.session.agent_file import read_agent, write_agent

AGENT = """\
name = "desk"
zone = "-05:00"
{as_of}
[tools.cancel.parameters]
type = "object"
required = ["id"]
properties = {{id = {{type = "string"}}}}

[readings.agreement]
type = "set"
texts = ["Run.last_said"]
extract = {{method = "regex", pattern = '\\b(yes)\\b'}}
"""
POLICY = '''\
"""Cancellations."""

from datetime import date, time

from agent import Cancel, Run

DEFAULT = "allow"


def forbid_it(call: Cancel, run: Run) -> bool:
    """R1: No."""
    return {condition}
'''
AS_OF = 'as_of = "2024-05-15T15:00:00"\n'


def _verdict(
    condition: str, agent: str, *, time: str | None = None, texts: dict[str, str] | None = None
) -> Verdict:
    spec = read_agent(agent)
    lowered = lowered_policy(POLICY.format(condition=condition), spec)
    run = Run("r", (RecordedCall("r", 0, "cancel", {"id": "a"}, texts or {}, time=time),), "test")
    (decided,) = replay(compile_policy(lowered.terms), Extractor(lowered.arguments, spec), [run])
    return decided.decision.verdict


@pytest.mark.parametrize("time", [None, "2026-01-05T09:00:00+00:00"])
def test_every_call_is_at_the_time_of_the_agent(time: str | None) -> None:
    condition = "call.time.date == date(2024, 5, 15) and call.time.time == time(15, 0)"
    assert _verdict(condition, AGENT.format(as_of=AS_OF), time=time) is Verdict.DENY


def test_without_it_a_call_without_a_time_cannot_be_evaluated() -> None:
    assert _verdict("call.time.date == date(2024, 5, 15)", AGENT.format(as_of="")) is Verdict.CANNOT_EVALUATE


def test_it_is_written_as_it_is_read() -> None:
    spec = read_agent(AGENT.format(as_of=AS_OF))
    assert spec.as_of == "2024-05-15T15:00:00"
    assert read_agent(write_agent(spec)) == spec


@pytest.mark.parametrize("text", ["yesterday", "2024-05-15 25:00"])
def test_what_is_no_time_is_refused_at_its_place(text: str) -> None:
    with pytest.raises(FileError, match="as_of"):
        read_agent(AGENT.format(as_of=f'as_of = "{text}"\n'))


@pytest.mark.parametrize(
    ("texts", "verdict"),
    [
        ({"user": "yes", "all_user": "no\n\nyes"}, Verdict.ALLOW),
        ({"user": "wait", "all_user": "yes\n\nwait"}, Verdict.DENY),
        ({"all_user": "yes"}, Verdict.CANNOT_EVALUATE),
    ],
)
def test_only_the_last_message_of_the_user_counts(texts: dict[str, str], verdict: Verdict) -> None:
    assert _verdict("run.last_said.agreement == frozenset()", AGENT.format(as_of=""), texts=texts) is verdict
