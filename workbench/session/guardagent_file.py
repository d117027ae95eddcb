"""``guardagent.jsonl``: GuardAgent's results for recorded calls; the latest result of a call is last."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from workbench.model import CodeAttempt, RecordedCall, Verdict
from workbench.session.atomic import inside, read_text
from workbench.session.session_error import SessionError
from workbench.session.session_files import SESSION

NAME = "guardagent.jsonl"


class Writer(StrEnum):
    """Who wrote a plan or a piece of code."""

    MODEL = "model"
    PERSON = "person"


class GuardAgentRecord(BaseModel):
    """A line of ``guardagent.jsonl``: GuardAgent's work on one call, from retrieval to decision.

    ``plan_by`` and ``code_by`` say who wrote the plan and the code. ``label`` is None where no code gave one.
    Of a call of a live run, ``time`` is when it was decided, which tells it from calls of other runs of
    one name; what the policy said of it, ``policy``, is in the decision log.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    run: str
    call: int
    demonstrations: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    plan_by: Writer = Writer.MODEL
    attempts: tuple[CodeAttempt, ...] = ()
    code_by: Writer = Writer.MODEL
    label: int | None = None
    details: tuple[str, ...] = ()
    risk: str = ""
    answer: str = ""
    decision: Verdict
    reasons: tuple[str, ...] = ()
    policy: Verdict | None = None
    model: str = ""
    when: str = ""
    time: str = ""

    def is_of(self, recorded_call: RecordedCall) -> bool:
        """Whether this is a record of the call."""
        if not self.time:
            return (self.run, self.call) == (recorded_call.run, recorded_call.index)
        return self.time == recorded_call.time and (
            recorded_call.run == self.run or recorded_call.run.startswith(f"{self.run}#")
        )


def read_functions(folder: Path, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The name and text of each file of functions for guardrail code that ``session.toml`` names.

    Raises SessionError if one is missing.
    """
    files: list[tuple[str, str]] = []
    for name in names:
        text = read_text(inside(folder, name), name)
        if text is None:
            raise SessionError(
                f"{SESSION} names the functions of {name}, and there is no such file in "
                f"{folder}. Write it, or take the name out."
            )
        files.append((name, text))
    return tuple(files)
