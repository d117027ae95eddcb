"""Reading a call: what decides it by a policy, and what a guard may look up for that."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, override

from workbench.guard.calls import PastCall, ToolCall
from workbench.model import AgentSpec, Argument, ArgumentType, Decision, Demonstration, LookedUp, Value

type ArgumentsOf = Callable[[ToolCall, Sequence[PastCall]], Mapping[str, Value]]


class EnforcedPolicy(Protocol):
    """Anything that turns an argument vector into a decision.

    A policy that derives from it takes whatever arguments it is given, unless it says which.
    """

    @property
    def parameters(self) -> Mapping[str, ArgumentType] | None:
        """The arguments that the policy takes, with their types; None if it takes all."""
        return None

    @property
    def taken_by_rules(self) -> Mapping[str, Collection[str]] | None:
        """The names of the arguments that each rule takes; None if any may take all."""
        return None

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """The decision on the arguments of the policy."""
        ...


class CallReader(Protocol):
    """Reads calls as a replay reads recorded calls; ``history`` has every earlier call, refused ones too.

    A reader that derives from it asks for no look-ups, unless it says which.
    """

    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision of the policy on what the call's arguments are found to be."""
        ...

    def wanted(self, call: ToolCall, history: Sequence[PastCall]) -> Sequence[LookedUp]:
        """The look-ups that would tell about unknown records."""
        del call, history
        return ()

    def remedy(
        self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall], decision: Decision
    ) -> Sequence[LookedUp]:
        """The look-ups that the agent could make first, for a call that is not allowed."""
        del policy, call, history, decision
        return ()


@dataclass(frozen=True, slots=True)
class CallReading:
    """A session's way to read calls: the arguments with their extraction, its agent spec, and its memory.

    ``memory`` is None where no argument is taught by it.
    """

    arguments: tuple[Argument, ...]
    spec: AgentSpec
    memory: tuple[Demonstration, ...] | None = None


class OwnReading(CallReader):
    """The reading of an application that gives a function: it sees the calls that were carried out."""

    def __init__(self, arguments_of: ArgumentsOf) -> None:
        """Read by this function."""
        self._arguments_of = arguments_of

    @override
    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision on the arguments that the function gives."""
        return policy.decide(self._arguments_of(call, tuple(past for past in history if past.ran)))
