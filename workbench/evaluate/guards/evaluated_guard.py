"""The protocol of guards that are compared: a guard turns a call of a run into a decision, at a cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from workbench.author.model.progress import Usage
from workbench.model import Decision, RecordedCall, Run, Verdict


@dataclass(frozen=True, slots=True)
class WrittenCode:
    """The code that a model wrote for one decision.

    ``attempts`` counts its versions, 0 where the model gave none; ``ran`` says that the last one gave a
    label. Each version after the first is a round of debugging.
    """

    attempts: int
    ran: bool


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """A decision with its cost.

    ``answer`` is what the user gets in place of the agent's output, None where the guard does not
    touch an allowed output. ``failed`` says that the guard could not be asked (a server was down):
    the decision is cannot-evaluate, and a resumed evaluation asks again. ``code`` is None for a guard that
    has no code written.
    """

    decision: Decision
    usage: Usage = field(default_factory=Usage)
    answer: str | None = None
    failed: bool = False
    code: WrittenCode | None = None


class ComparedGuard(Protocol):
    """Decides calls. It is called from several threads at once."""

    @property
    def name(self) -> str:
        """The name under which its results are kept; it names the settings that matter."""
        ...

    def decide(self, call: RecordedCall, run: Run) -> JudgedCall:
        """The decision on one call of a run; the calls after it must not be looked at."""
        ...


def undecided(why: str, usage: Usage | None = None, *, failed: bool = False) -> JudgedCall:
    """A decision that could not be made, which is never allow."""
    return JudgedCall(Decision(Verdict.CANNOT_EVALUATE, reasons=(why,)), usage or Usage(), failed=failed)
