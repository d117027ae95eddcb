"""The agent and the world that the person names, for live runs under sessions from somebody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.live import Call, Judged, LiveRun, Task
from workbench.model import Json


class Desk:
    """A world that refunds nothing."""

    def __init__(self, task: Task) -> None:
        self.task = task

    @classmethod
    def tasks(cls) -> Sequence[Task]:
        """One task."""
        return (Task("t", "Refund it."),)

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Answer any call alike."""
        del tool, arguments
        return "done"

    def judge(self) -> Judged:
        """Nothing is to be done."""
        return Judged(task_done=False)


def agent(run: LiveRun) -> None:
    """Refund once."""
    run.act([Call("refund", {"amount": 7})])
