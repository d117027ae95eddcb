"""The records of a guard's decision log, for their JSON Schema.

The guard writes them with the standard library alone, and an import reads every line on its own, so that
what is wrong with one is told of that line only (``tool_calls``). A test holds what is written to this.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, RootModel

from workbench.model import Json, Verdict, Violation


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["workbench-decision/1"]
    run: str
    call: int


class DecisionRecord(_Line):
    """A decision on a call.

    ``runs`` says whether the call ran. ``arguments`` is the JSON text of what the tool received;
    ``context``, ``arguments`` and ``policy_arguments`` are missing where none are kept or known.
    """

    time: str
    tool: str
    call_id: str
    decision: Verdict
    violations: tuple[Violation, ...]
    reasons: tuple[str, ...]
    runs: bool
    shadow: bool
    approved_by: str
    refused_because: str
    context: dict[str, Json] = {}
    arguments: str | None = None
    policy_arguments: dict[str, Json] = {}


class ResultRecord(_Line):
    """What a call returned, once it is known."""

    result: str


class DecisionLine(RootModel[DecisionRecord | ResultRecord]):
    """A line of a decision log."""
