"""The calls of subagents, in the same file or in files of their own, are calls of one run."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import pytest

from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Json, Run, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import Imported, load_runs
from workbench.runs.replay.decide import replay
from workbench.session.agent_file import read_agent

type Step = dict[str, Json]
Shown = list[tuple[str | None, Json, Json, int]]


def shown(run: Run) -> Shown:
    """Each call with its subagent, the kind of it, and the calls before its result."""
    return [
        (call.tool, call.context.get("agent_id"), call.context.get("agent_type"), call.known_from)
        for call in run.calls
    ]


AGENT = """\
name = "desk"

[tools.pay.parameters]
type = "object"
required = ["amount"]
properties = {amount = {type = "integer"}}
"""
LIMIT = '''\
"""Payments."""

from agent import Pay, Run

DEFAULT = "allow"


def forbid_over_limit(call: Pay, run: Run) -> bool:
    """R1: The agent pays at most 8 in all."""
    return call.amount + sum(c.amount for c in run.earlier(Pay) if not c.failed) > 8
'''


def payments(*paths: Path) -> list[Verdict]:
    """The decisions on the payments of a log by a limit on their sum."""
    spec = read_agent(AGENT)
    lowered = lowered_policy(LIMIT, spec)
    runs = load_runs(paths).runs
    decided = replay(compile_policy(lowered.terms), Extractor(lowered.arguments, spec), runs)
    calls = [call for run in runs for call in run.calls]
    return [one.decision.verdict for one, call in zip(decided, calls, strict=True) if call.tool == "pay"]


PAYMENTS = [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]

# --- Claude Code ----------------------------------------------------------------------


def line(second: int, kind: str, content: Json, **others: Json) -> Step:
    message: Json = {"role": kind, "id": f"m{second}", "content": content}
    time = f"2026-05-01T10:00:{second:02}.000Z"
    return {
        "type": kind,
        "sessionId": "s1",
        "uuid": f"u{second}",
        "timestamp": time,
        "message": message,
        **others,
    }


def uses(second: int, name: str, tool: str, **others: Json) -> Step:
    given: Json = {"subagent_type": "payer", "prompt": "Pay."} if tool == "Task" else {"amount": 3}
    return line(
        second, "assistant", [{"type": "tool_use", "id": name, "name": tool, "input": given}], **others
    )


def gives(second: int, name: str, **others: Json) -> Step:
    return line(second, "user", [{"type": "tool_result", "tool_use_id": name, "content": "done"}], **others)


SESSION = (
    uses(1, "t1", "pay"),
    gives(2, "t1"),
    uses(3, "t2", "Task"),
    gives(9, "t2", toolUseResult={"agentId": "a7", "status": "completed"}),
    uses(10, "t3", "pay"),
)
ASIDE: dict[str, Json] = {"isSidechain": True, "agentId": "a7"}
SUBAGENT = (
    line(4, "user", "The user agrees to all.", **ASIDE),
    uses(5, "s1", "pay", **ASIDE),
    gives(6, "s1", **ASIDE),
)
TREE: Shown = [("pay", None, None, 1), ("Task", None, None, 3), ("pay", "a7", "payer", 3)]


def written(folder: Path, aside: tuple[Step, ...] = SUBAGENT, beside: str = "s1/subagents") -> Path:
    path = folder / "s1.jsonl"
    beside_it = folder / beside
    beside_it.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in SESSION))
    (beside_it / "agent-a7.jsonl").write_text("".join(json.dumps(one) + "\n" for one in aside))
    return path


@pytest.mark.parametrize("beside", ["s1/subagents", "."])
@pytest.mark.parametrize("given", ["file", "folder", "files"])
def test_a_session_of_claude_code_is_read_with_the_files_of_its_subagents(
    given: str, beside: str, tmp_path: Path
) -> None:
    path = written(tmp_path, beside=beside)
    paths = {"file": [path], "folder": [tmp_path], "files": [*tmp_path.rglob("*.jsonl")]}
    imported = load_runs(paths[given])
    assert imported.problems == ()
    (run,) = imported.runs
    assert shown(run)[:3] == TREE
    assert run.calls[3].tool == "pay" and "user" not in run.calls[2].texts
    assert "agrees" in run.calls[2].texts["subagent"]


def test_a_session_may_have_more_subagents_than_files_may_be_open(tmp_path: Path) -> None:
    path = written(tmp_path)
    for number in range(80):
        name, others = f"b{number}", ASIDE | {"agentId": f"b{number}"}
        steps = (uses(11 + number % 40, name, "pay", **others), gives(52, name, **others))
        file = path.with_suffix("") / "subagents" / f"agent-{name}.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in steps[: 1 + number % 2]))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len([*Path("/dev/fd").iterdir()]) + 60, hard))
    try:
        imported = load_runs([path])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert imported.problems == () and len(imported.runs[0].calls) == 84
    assert shown(imported.runs[0])[:3] == TREE


def test_what_the_main_transcript_repeats_of_a_subagent_counts_once(tmp_path: Path) -> None:
    path = written(tmp_path)
    inner = {"type": "assistant", "message": uses(5, "s1", "pay")["message"]}
    told: Json = {"type": "agent_progress", "agentId": "a7", "message": inner}
    again = {
        "type": "progress",
        "sessionId": "s1",
        "uuid": "p5",
        "timestamp": "2026-05-01T10:00:05Z",
        "data": told,
    }
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], json.dumps(again), *lines[3:]]) + "\n")
    imported = load_runs([path])
    assert imported.problems == ()
    assert shown(imported.runs[0])[:3] == TREE


def test_what_the_main_transcript_alone_has_of_a_subagent_counts(tmp_path: Path) -> None:
    """The subagent's own file may be cut off, or empty."""
    path = written(tmp_path, aside=())
    told: Json = {
        "agentId": "a7",
        "message": {"type": "assistant", "message": uses(5, "s1", "pay")["message"]},
    }
    again = {"type": "progress", "sessionId": "s1", "timestamp": "2026-05-01T10:00:05Z", "data": told}
    path.write_text(path.read_text() + json.dumps(again) + "\n")
    assert ("pay", "a7") in [one[:2] for one in shown(load_runs([path]).runs[0])]


def test_a_sum_over_a_session_is_decided_alike_in_one_file_and_in_several(tmp_path: Path) -> None:
    lines = [*SESSION[:3], *SUBAGENT, *SESSION[3:]]
    alone = tmp_path / "alone.jsonl"
    alone.write_text("".join(json.dumps(one) + "\n" for one in lines))
    path = written(tmp_path / "split")
    assert payments(alone) == payments(path) == PAYMENTS
    (tmp_path / "split" / "s1" / "subagents" / "agent-a7.jsonl").write_bytes(b"\x1f\x8b broken")
    assert payments(path) == [Verdict.ALLOW, Verdict.CANNOT_EVALUATE]


def test_what_is_not_read_of_a_subagent_leaves_the_run_not_determinable(tmp_path: Path) -> None:
    path = written(tmp_path / "logs")
    file = path.with_suffix("") / "subagents" / "agent-a7.jsonl"
    outside = file.rename(tmp_path / "private.jsonl")
    for make in (
        lambda: file.write_bytes(b"\x1f\x8b broken"),
        lambda: file.symlink_to(outside),
        lambda: file.symlink_to(tmp_path / "nowhere"),
        lambda: os.mkfifo(file),
    ):
        make()
        imported = load_runs([path])
        assert [call.tool for call in imported.runs[0].calls] == ["pay", None, "Task", "pay"]
        assert [problem.path for problem in imported.problems] == [str(file)]
        file.unlink()


def test_a_subagent_next_to_several_sessions_is_of_the_one_that_it_names(tmp_path: Path) -> None:
    first = written(tmp_path, beside=".")
    others = [dict(one, sessionId="s2", uuid=f"v{number}") for number, one in enumerate(SESSION)]
    (tmp_path / "s2.jsonl").write_text("".join(json.dumps(one) + "\n" for one in others))
    runs = {run.id: run for run in load_runs([tmp_path]).runs}
    assert {name: len(run.calls) for name, run in runs.items()} == {"s1": 4, "s2": 3}
    (tmp_path / "agent-a7.jsonl").write_bytes(b"\x1f\x8b broken")  # it may be of either session
    for path in (first, tmp_path / "s2.jsonl"):
        assert None in [call.tool for call in load_runs([path]).runs[0].calls]


@pytest.mark.parametrize("decoy", ["s1.json", "s1.jsonl"])
def test_a_file_of_a_subagent_that_no_session_reads_is_read_alone(decoy: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    path.unlink()
    (tmp_path / decoy).write_text(json.dumps({"messages": []}))
    assert [shown(run) for run in load_runs([tmp_path]).runs] == [[("pay", "a7", None, 1)]]


# --- ATIF -----------------------------------------------------------------------------


def step(number: int, tool: str, *references: Json) -> Step:
    result: Step = {"source_call_id": "c1", "content": "done"}
    if references:
        result["subagent_trajectory_ref"] = list(references)
    call: Json = {"tool_call_id": "c1", "function_name": tool, "arguments": {"amount": 3}}
    return {
        "step_id": number,
        "source": "agent",
        "message": "",
        "tool_calls": [call],
        "observation": {"results": [result]},
    }


def trajectory(name: str, *steps: Step, held: tuple[Json, ...] = ()) -> Step:
    kind = "clerk" if name == "a1" else "payer"
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "all",
        "trajectory_id": name,
        "agent": {"name": kind, "version": "1"},
        "steps": list(steps),
        "subagent_trajectories": list(held),
    }


ATIF_TREE: Shown = [
    ("pay", None, None, 1),
    ("ask", None, None, 3),
    ("pay", "a2", "payer", 3),
    ("pay", None, None, 4),
]


def imported(folder: Path, document: Step) -> Imported:
    path = folder / "run.json"
    path.write_text(json.dumps(document))
    return load_runs([folder])


def test_trajectories_of_subagents_are_calls_of_the_run_that_asked_them(tmp_path: Path) -> None:
    steps = (step(1, "pay"), step(2, "ask", {"trajectory_id": "a2"}), step(3, "pay"))
    found = imported(tmp_path, trajectory("a1", *steps, held=(trajectory("a2", step(1, "pay")),)))
    assert found.problems == ()
    assert shown(*found.runs) == ATIF_TREE


def test_a_trajectory_in_a_file_beside_belongs_to_the_run_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "a2.json").write_text(json.dumps(trajectory("a2", step(1, "pay"))))
    reference: Json = {"trajectory_id": "a2", "trajectory_path": "agents/a2.json"}
    found = imported(
        tmp_path, trajectory("a1", step(1, "pay"), step(2, "ask", reference), step(3, "pay", reference))
    )
    assert found.problems == ()
    assert shown(*found.runs) == ATIF_TREE


def test_trajectories_that_name_each_other_are_read(tmp_path: Path) -> None:
    for own, other in (("a", "b"), ("b", "a")):
        document = trajectory(own, step(1, f"pay_{own}", {"trajectory_path": f"{other}.json"}))
        (tmp_path / f"{own}.json").write_text(json.dumps(document))
    found = load_runs([tmp_path])
    assert [[call.tool for call in run.calls] for run in found.runs] == [["pay_a", "pay_b"]]


def test_a_sum_over_trajectories_is_decided_alike_in_one_file_and_in_several(tmp_path: Path) -> None:
    aside = trajectory("a2", step(1, "pay"))
    reference: Json = {"trajectory_id": "a2", "trajectory_path": "a2.json"}
    steps = (step(1, "pay"), step(2, "ask", reference), step(3, "pay"))
    (tmp_path / "alone.json").write_text(json.dumps(trajectory("a1", *steps, held=(aside,))))
    (tmp_path / "run.json").write_text(json.dumps(trajectory("a1", *steps)))
    missing = payments(tmp_path / "run.json")
    (tmp_path / "a2.json").write_text(json.dumps(aside))
    assert payments(tmp_path / "alone.json") == payments(tmp_path / "run.json") == PAYMENTS
    assert missing == [Verdict.ALLOW, Verdict.CANNOT_EVALUATE]


@pytest.mark.parametrize("name", ["../secret.json", "/etc/passwd", "run.json", "missing.json", "agents"])
def test_a_file_elsewhere_is_not_read(name: str, tmp_path: Path) -> None:
    inside = tmp_path / "logs"
    (inside / "agents").mkdir(parents=True)
    (tmp_path / "secret.json").write_text(json.dumps(trajectory("a2", step(1, "pay"))))
    (inside / "link.json").symlink_to(tmp_path / "secret.json")
    for place in (name, "link.json"):
        found = imported(inside, trajectory("a1", step(1, "ask", {"trajectory_path": place})))
        run = next(run for run in found.runs if run.id == "a1")
        assert [call.tool for call in run.calls] in (["ask"], ["ask", None])


def test_a_subagent_of_which_no_result_tells_makes_the_run_not_determinable(tmp_path: Path) -> None:
    found = imported(tmp_path, trajectory("a1", step(1, "pay"), held=(trajectory("a2", step(1, "pay")),)))
    assert [call.tool for call in found.runs[0].calls] == [None, "pay", "pay"]
    assert "not known when it acted" in found.problems[0].reason
