"""The ``--json`` output of ``workbench live``."""

from __future__ import annotations

from workbench.app.live import LiveReport
from workbench.live import LiveResult
from workbench.live.strategy_sums import LiveTally
from workbench.serialization.json_form import json_form


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
