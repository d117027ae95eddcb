"""Enforcement strategies for a denial, those of VeriGuard (section 4.3).

No strategy ever lets a denied call run. They differ in what the agent is told, and in what
else is refused afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from workbench.model import Decision, Verdict


class Strategy(StrEnum):
    """The strategies, from the strictest to the most cooperative."""

    TERMINATE_TASK = "terminate-task"
    BLOCK_ACTION = "block-action"
    HALT_TOOL = "halt-tool"
    REPLAN = "replan"
    REPLAN_THEN_HALT = "replan-then-halt"


@dataclass(slots=True)
class RunState:
    """What a strategy has to remember of one run of an agent.

    ``terminated`` and ``ended`` refuse everything; ``halted`` are the tools withdrawn for the rest of the
    run; ``replans`` counts how often the agent was asked to plan again because of a tool.
    """

    terminated: bool = False
    ended: bool = False
    halted: set[str] = field(default_factory=set[str])
    replans: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Response:
    """How a strategy responds to a denial: the text for the agent and whether the task ends."""

    feedback: str
    ends_task: bool = False


def refused_before_deciding(state: RunState, tool: str) -> Response | None:
    """The response to a call that is refused whatever its arguments, or None."""
    if state.ended:
        return Response("The task has ended; its tools can not be used any more.", ends_task=True)
    if state.terminated:
        return Response("The task was ended because an earlier action broke the policy.", ends_task=True)
    if tool in state.halted:
        return Response(f"The tool {tool} is not available in this task any more.")
    return None


def respond(strategy: Strategy, state: RunState, tool: str, decision: Decision, *, replans: int) -> Response:
    """Carry out ``strategy`` for a call of ``tool`` that was not allowed; changes ``state``.

    ``replans`` is how often an agent may be asked to plan again because of one tool before
    ``replan-then-halt`` withdraws the tool.
    """
    reason = reason_of(decision)
    match strategy:
        case Strategy.TERMINATE_TASK:
            state.terminated = True
            return Response(f"{reason} The task ends here.", ends_task=True)
        case Strategy.BLOCK_ACTION:
            return Response(f"{reason} This action was not carried out.")
        case Strategy.HALT_TOOL:
            state.halted.add(tool)
            return Response(f"{reason} The tool {tool} is not available in this task any more.")
        case Strategy.REPLAN:
            return Response(f"{reason} {REMEDY}")
        case Strategy.REPLAN_THEN_HALT:
            asked = state.replans.get(tool, 0)
            if asked < replans:
                state.replans[tool] = asked + 1
                return Response(f"{reason} {REMEDY}")
            state.halted.add(tool)
            return Response(f"{reason} The tool {tool} is not available in this task any more.")


REMEDY = (
    "This action was not carried out. Plan again: reach the user's goal without this action, "
    "or tell the user that the policy does not allow it."
)


def reason_of(decision: Decision) -> str:
    """One line that says why a call was not allowed: only the rules that fired, with their items."""
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        return (
            f"Refused: the policy cannot be evaluated ({'; '.join(decision.reasons) or 'no reason given'})."
        )
    parts = [
        f"{violation.message.rstrip('.')}{f' ({", ".join(violation.items)})' if violation.items else ''}"
        for violation in decision.violations
    ]
    return f"Refused: {'; '.join(parts) or 'no rule permits this'}."
