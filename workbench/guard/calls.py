"""The calls that a guard is asked about, and its answers: outcomes and refusals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.guard.strategy import PersonsAnswer, Response
from workbench.model import UNANSWERED, Decision, Json, LookedUp, Verdict


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that an agent wants to make.

    ``tool`` is empty for a call of which nothing is known. ``arguments`` is None when they could not be read,
    which differs from an empty mapping. ``context`` is
    what the application, never the agent, knows of the user and the run. The guard sets the rest: the run's
    name, the number of calls before, the time of the decision, the messages before it (the last of each role,
    the first ones), and the look-ups made to decide it. ``instance`` distinguishes runs of one name.
    ``action`` is the number of the action if it has several calls, else None.
    """

    tool: str
    arguments: Mapping[str, Json] | None
    context: Mapping[str, Json] = field(default_factory=dict[str, Json])
    call_id: str = ""
    run: str = ""
    index: int = 0
    time: str = ""
    messages: Mapping[str, str] = field(default_factory=dict[str, str])
    look_ups: tuple[LookedUp, ...] = ()
    instance: str = ""
    action: int | None = None


@dataclass(frozen=True, slots=True)
class PastCall:
    """An earlier call of the run, with its result once that is known.

    ``ran`` is False for a refused call. ``failed`` is True for a call without any effect but its message.
    ``known_from`` is the number of calls decided when the result came; until then the call is running.
    ``approved`` is whether a person approved it, and ``granted`` the ids of the grants by which it ran.
    """

    call: ToolCall
    result: str | None = None
    ran: bool = True
    failed: bool = False
    known_from: int = UNANSWERED
    approved: bool = False
    granted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: whether it may run, and the feedback for the agent if it may not.

    ``decision`` is the policy's decision on the call. ``feedback`` may be sent to the agent: it has only the
    rules that were violated and the remedy, and is empty if the agent gets no observation of the refused
    call. ``ends_task`` is True if the strategy ends the agent's task. ``shadow`` is True if the call runs
    although it would have been refused, because the guard only watches. ``trusted`` is True if a strategy
    that does not enforce lets a new plan run. ``refused_because`` is the reason for a refusal that does not
    depend on the policy. ``granted`` are the ids of the grants by which it runs, and ``answer`` what a person
    said who was asked. ``look_up_first`` are the calls that would make unknown records known; the feedback
    names them.
    """

    call: ToolCall
    decision: Decision
    runs: bool
    feedback: str = ""
    ends_task: bool = False
    shadow: bool = False
    approved_by: str = ""
    refused_because: str = ""
    look_up_first: tuple[LookedUp, ...] = ()
    trusted: bool = False
    granted: tuple[str, ...] = ()
    answer: PersonsAnswer = PersonsAnswer.NOT_ASKED

    @property
    def denied(self) -> bool:
        """Whether the policy did not allow the call; cannot-evaluate counts as not allowed."""
        return self.decision.denied


def look_up_first(calls: Iterable[LookedUp]) -> str:
    """A sentence that names the calls which would make unknown records known; empty if there are none.

    Look-ups of records that calls of the run changed are to be made again.
    """
    named = tuple(calls)
    first = " and ".join(str(call) for call in named if not call.again)
    again = " and ".join(str(call) for call in named if call.again)
    sentences = (
        f"Look it up first: {first}." if first else "",
        f"Look it up again: {again}." if again else "",
    )
    return " ".join(part for part in sentences if part)


class ActionDenied(Exception):
    """Raised in place of a call that may not run; its text may be sent to the agent."""

    def __init__(self, outcome: Outcome) -> None:
        """Keep the outcome for callers that want to see the decision."""
        super().__init__(outcome.feedback)
        self.outcome = outcome


class TaskTerminated(ActionDenied):
    """Raised if the strategy ends the agent's whole task; every later call is refused too."""


def answered(call: ToolCall, decision: Decision, response: Response) -> Outcome:
    """The outcome of a call by the response of a strategy."""
    return Outcome(
        call,
        decision,
        runs=response.runs,
        feedback=response.feedback,
        ends_task=response.ends_task,
        refused_because=response.feedback if response.unasked else "",
        trusted=response.trusted,
    )


def refused(call: ToolCall, reason: str) -> Outcome:
    """The outcome of a call that is refused without asking the policy."""
    return answered(call, Decision(Verdict.DENY, (), {}, (reason,)), Response(feedback=reason, unasked=True))


def raised(outcome: Outcome) -> Outcome:
    """The outcome; raises ActionDenied or TaskTerminated if the call may not run."""
    if not outcome.runs:
        raise TaskTerminated(outcome) if outcome.ends_task else ActionDenied(outcome)
    return outcome
