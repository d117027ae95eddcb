"""A call whose keys a tool could read otherwise than the policy is allowed by nobody who decides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.guard.exported_files import ExportedFile, reading_of
from tests.live_guarding import live_guard
from tests.plain_policies import check
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import Guard, Mode, PastCall, ToolCall
from workbench.guard.look_alike_names import unclear_keys
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    CallExpression,
    Json,
    Kind,
    Run,
    Tool,
    Value,
    Verdict,
)
from workbench.runs.calls.live_call import recorded_call
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import replay

TERMS = check('''
def forbid_much(total: int | None) -> bool:
    """R1: Not more than 1000."""
    return total is not None and total > 1000


def allow(total: int | None) -> bool:
    return not forbid_much(total)
''')
TOTAL = Argument("total", ArgumentType(Kind.INT, optional=True), "", CallExpression("call.total", "pay"))
SCHEMA: Json = {
    "additionalProperties": True,
    "properties": {"total": {"type": "integer"}, "to": {"properties": {"name": {}}}},
}
SPEC = AgentSpec("a", tools=(Tool("pay", "", SCHEMA),), arguments=(TOTAL,), schema={})  # type: ignore[arg-type]
UNCLEAR: dict[str, Mapping[str, Json]] = {
    "another case": {"total": 100, "Total": 99999},
    "full width": {"total": 100, "\uff54otal": 99999},
    "a combining sign": {"total": 100, "tota\u0301l": 99999, "tot\u00e1l": 1},
    "a compatible form": {"total": 100, "\u2150": 1, "tot\u1d43l": 99999},
    "a sign between": {"total": 100, "to_tal": 99999},
    "hidden characters": {"total": 100, "total\u200b": 99999},
    "a look-alike letter": {"total": 100, "tot\u0430l": 99999},
    "within an object": {"total": 100, "to": {"x": [{"name": "a", "NAME": "b"}]}},
    "alone, beside the tool's own": {"Total": 99999},
    "alone, within": {"total": 1, "to": {"Name": "b"}},
}
CLEAR: Sequence[Mapping[str, Json]] = (
    {"total": 100},
    {"total": 100, "to": {"name": "Total", "nick": "TOTAL"}},
    {"total": 100, "note": ["total", "Total"], "日本": {"é": 1}},
)


def own_reader(call: ToolCall, _past: Sequence[PastCall]) -> Mapping[str, Value]:
    total = (call.arguments or {}).get("total")
    return {"total": total if isinstance(total, int) else None}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> ExportedFile:
    return ExportedFile(tmp_path_factory.mktemp("exported"), TERMS, reading_of(TERMS, SPEC))


def verdicts(arguments: Mapping[str, Json], exported: ExportedFile) -> dict[str, str]:
    """The verdict of each guard, and of a replay."""
    policy, extractor = compile_policy(TERMS), Extractor((TOTAL,), SPEC)
    call = recorded_call(PastCall(ToolCall("pay", arguments, run="r")), 0)
    guards: dict[str, Guard] = {
        "library": Guard(policy, own_reader, mode=Mode.SHADOW),
        "session": live_guard(policy, extractor, mode=Mode.SHADOW),
    }
    found = {
        name: str(guard.check(ToolCall("pay", arguments)).decision.verdict) for name, guard in guards.items()
    }
    found["file"] = str(exported.own().check(exported.module.ToolCall("pay", arguments)).decision.verdict)
    found["replay"] = str(
        next(iter(replay(policy, extractor, [Run("r", (call,), "calls")]))).decision.verdict
    )
    return found


@pytest.mark.parametrize("arguments", UNCLEAR.values(), ids=UNCLEAR)
def test_a_call_that_tools_read_in_two_ways_is_decided_by_nobody(
    arguments: Mapping[str, Json], exported: ExportedFile
) -> None:
    found = verdicts(arguments, exported)
    if "total" not in arguments or "Name" in str(arguments):
        del found["library"]  # a reader of one's own knows no tools, so it has no names to compare with
    assert set(found.values()) == {str(Verdict.CANNOT_EVALUATE)}


@pytest.mark.parametrize("arguments", CLEAR)
def test_values_and_different_keys_are_clear(arguments: Mapping[str, Json], exported: ExportedFile) -> None:
    assert set(verdicts(arguments, exported).values()) == {str(Verdict.ALLOW)}


def test_an_object_that_holds_itself_is_looked_at_once() -> None:
    loop: dict[str, Json] = {"a": 1}
    loop["b"] = [loop]
    assert unclear_keys(loop) == ""


def test_the_log_of_a_guard_says_why() -> None:
    outcome = Guard(compile_policy(TERMS), own_reader).check(ToolCall("pay", UNCLEAR["another case"]))
    assert not outcome.runs
    assert "'total' and 'Total'" in outcome.decision.reasons[0]
