"""The protocol of guards that are compared: a guard turns a call of a run into a decision, at a cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from workbench.author.model.progress import Usage
from workbench.model import Decision, RecordedCall, Run, Verdict


@dataclass(frozen=True, slots=True)
class WrittenCode:
    """The code that a model wrote for one decision.

    ``attempts`` counts its versions, 0 if the model gave none; ``ran`` is True if the last one gave a label.
    Each version after the first is a round of debugging.
    """

    attempts: int
    ran: bool


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """A decision with its cost.

    ``answer`` is the user's text in place of the agent's output, None if the guard leaves an allowed output
    unchanged. ``failed`` is True if the guard could not be asked (a server was down): the decision is
    cannot-evaluate, and a resumed evaluation asks again. ``code`` is None for a guard without written code.
    ``risk`` is the level of risk that the guard names, empty if it names none.
    """

    decision: Decision
    usage: Usage = field(default_factory=Usage)
    answer: str | None = None
    failed: bool = False
    code: WrittenCode | None = None
    risk: str = ""


class ComparedGuard(Protocol):
    """Decides calls. It is called from several threads at once."""

    @property
    def name(self) -> str:
        """The name under which its results are stored; it includes the settings that matter."""
        ...

    def decide(self, call: RecordedCall, run: Run) -> JudgedCall:
        """The decision on one call of a run; the guard must not look at later calls."""
        ...


def undecided(why: str, usage: Usage | None = None, *, failed: bool = False) -> JudgedCall:
    """The result without a decision, which never allows: cannot-evaluate."""
    return JudgedCall(Decision(Verdict.CANNOT_EVALUATE, reasons=(why,)), usage or Usage(), failed=failed)
