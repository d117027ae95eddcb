"""The ``--json`` output of live runs of agents, of GuardAgent and of its memory."""

from __future__ import annotations

from workbench.app.guardagent_calls import GuardAgentCall
from workbench.app.json_output.changes import CALL_CHANGE
from workbench.app.live import LiveReport
from workbench.app.memory import MemoryChange, PromptSize
from workbench.guardagent.guard_agent import CodeAttempt, GuardAgentResult
from workbench.live import LiveResult
from workbench.live.strategy_sums import LiveTally
from workbench.memory.retrieval import Retrieved
from workbench.runs.replay.record import PLACE
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form

RETRIEVED = json_form(
    Retrieved, "rank", ("id", "demonstration.id"), "distance", "input_distance", "output_distance"
)
PROMPT_SIZE = json_form(PromptSize, "tokens_before", "tokens_after")
MEMORY_CHANGE = json_form(
    MemoryChange,
    ("change", "label"),
    ("retrieve_differently", "changes"),
    ("decided_otherwise", Nested(CALL_CHANGE, "turned", many=True)),
    ("prompt", Nested(PROMPT_SIZE, "prompt")),
)


json_form(CodeAttempt, "code", "error", "printed")
_GUARDED = JsonForm[GuardAgentResult](
    GuardAgentResult,
    fields(
        *(("decision", "decision.verdict"), "label", "details", "risk", ("reasons", "decision.reasons")),
        *("plan", "attempts", "answer"),
    ),
)
GUARDED = json_form(
    GuardAgentCall,
    Nested(PLACE, "decided"),
    *(Nested(_GUARDED, "guarded"), ("policy", "decided.decision.verdict"), "agrees", "demonstrations"),
    *("plan_by", "code_by", "model", "when"),
)


def _log(report: LiveReport) -> str:
    return str(report.log)


json_form(
    LiveResult,
    *("run", ("task", "task.id"), ("attack", "task.attack"), "strategy", "state", "detail", "answer"),
    *("steps", "ran", "refused", "approved", "task_done", "attacked", "why"),
)
json_form(
    LiveTally,
    *(
        "strategy",
        "runs",
        "attacks",
        "stopped",
        "tasks_done",
        "refused",
        "calls",
        "steps",
        "orderly",
        "untold",
    ),
)
LIVE = json_form(
    LiveReport, ("runs", "results"), ("strategies", "tallies"), ("log", _log), "decided", "alike", "notices"
)
