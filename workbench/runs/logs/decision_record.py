"""Models of the records of a guard's decision log, for their JSON Schema.

The guard writes them with the standard library alone. An import reads every line on its own, so that an
error is reported for that line only (``tool_calls``). A test compares what the guard writes with these
models.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, RootModel

from workbench.guard.strategy import PersonsAnswer
from workbench.model import Json, Verdict, Violation


class _Line(BaseModel):
    """A line about a call. ``instance`` tells runs of one name apart."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["workbench-decision/1"]
    run: str
    instance: str = ""
    call: int


class LookUpRecord(BaseModel):
    """A look-up that decided a call: the answer, or the reason why there is none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str
    arguments: dict[str, Json]
    result: str | None = None
    failed: bool = False
    why: str = ""


class DecisionRecord(_Line):
    """A decision on a call.

    ``decision`` is the policy's; ``runs`` says whether the call ran, ``refused_because`` why it did not
    although the policy may allow it, ``trusted`` that it ran as a new plan under a strategy that does not
    enforce. ``granted`` are the ids of the grants by which it ran, ``answer`` what a person said who was
    asked. ``action`` numbers what the agent did at once, where that are several calls. ``arguments`` is the
    JSON text of what the tool received; ``context``, ``arguments`` and ``policy_arguments`` are missing where
    none are kept or known.
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
    granted: tuple[str, ...] = ()
    answer: PersonsAnswer = PersonsAnswer.NOT_ASKED
    trusted: bool = False
    action: int | None = None
    context: dict[str, Json] = {}
    arguments: str | None = None
    look_ups: tuple[LookUpRecord, ...] = ()
    policy_arguments: dict[str, Json] = {}


class ResultRecord(_Line):
    """The result of a call, once it is known; null if the call ended and its effect is not known."""

    result: str | None
    failed: bool = False


class SaidRecord(BaseModel):
    """A message of the run: who said it, and its text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    text: str | None


class MessageRecord(BaseModel):
    """A message that the guard heard; it came before the calls of the lines after it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["workbench-decision/1"]
    run: str
    instance: str = ""
    message: SaidRecord


class EndRecord(BaseModel):
    """The end of a run: ``state`` in a word, and what else is known of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["workbench-decision/1"]
    run: str
    instance: str = ""
    ended: dict[str, Json]


class DecisionLine(RootModel[DecisionRecord | ResultRecord | MessageRecord | EndRecord]):
    """A line of a decision log."""
