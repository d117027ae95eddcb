"""Reading a call: its decision by a policy, and the look-ups that a guard may make for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, override

from workbench.guard.calls import PastCall, ToolCall
from workbench.model import (
    NO_BOUNDS,
    AgentSpec,
    Argument,
    ArgumentType,
    Between,
    Decision,
    Demonstration,
    LookedUp,
    Value,
    Verdict,
    WorkbenchError,
)

type ArgumentsOf = Callable[[ToolCall, Sequence[PastCall]], Mapping[str, Value]]


class EnforcedPolicy(Protocol):
    """Anything that turns an argument vector into a decision.

    By default a subclass takes all arguments that it is given; it overrides the properties to name some.
    """

    @property
    def parameters(self) -> Mapping[str, ArgumentType] | None:
        """The arguments that the policy takes, with their types; None if it takes all."""
        return None

    @property
    def taken_by_rules(self) -> Mapping[str, Collection[str]] | None:
        """The names of the arguments that each rule takes; None if any may take all."""
        return None

    def said(self, argument: str) -> str:
        """The words for an argument in the reasons of decisions; by default its name."""
        return argument

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """The decision on the arguments of the policy."""
        ...

    def decide_incomplete(
        self,
        arguments: Mapping[str, Value],
        why: Mapping[str, str],
        between: Mapping[str, Between] = NO_BOUNDS,
    ) -> Decision:
        """The decision where arguments are not determined; ``why`` has the reason for each, by its name.

        By default the call cannot be evaluated. A policy may decide if every value of these arguments would
        lead to the same decision; ``between`` has what is known of them.
        """
        del between
        reasons = tuple(f"{self.said(name)}: {reason}" for name, reason in why.items())
        return Decision(Verdict.CANNOT_EVALUATE, arguments=arguments, reasons=reasons)


class CallReader(Protocol):
    """Reads calls as a replay reads recorded calls; ``history`` has every earlier call, refused ones too.

    By default a subclass asks for no look-ups.
    """

    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision of the policy on the arguments that are extracted from the call."""
        ...

    def wanted(self, call: ToolCall, history: Sequence[PastCall]) -> Sequence[LookedUp]:
        """The look-ups that would make unknown records known."""
        del call, history
        return ()

    def remedy(
        self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall], decision: Decision
    ) -> Sequence[LookedUp]:
        """The look-ups that the agent could make first, for a call that is not allowed."""
        del policy, call, history, decision
        return ()


@dataclass(frozen=True, slots=True)
class NamedPolicy:
    """One of several policies: its name, the policy, and its reader of calls.

    A policy with ``behind`` is asked only about calls that no policy before it refuses, one with ``agents``
    only about calls of subagents of these kinds.
    """

    name: str
    policy: EnforcedPolicy
    reader: CallReader
    behind: bool = False
    agents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CallReading:
    """A session's way to read calls: the arguments with their extraction, its agent spec, and its memory.

    ``memory`` is None if no argument is extracted by demonstrations.
    """

    arguments: tuple[Argument, ...]
    spec: AgentSpec
    memory: tuple[Demonstration, ...] | None = None


class OwnReading(CallReader):
    """A reader with an application's own function, which sees the calls that were carried out."""

    def __init__(self, arguments_of: ArgumentsOf) -> None:
        """Read calls by this function."""
        self._arguments_of = arguments_of

    @override
    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision on the arguments that the function gives."""
        return policy.decide(self._arguments_of(call, tuple(past for past in history if past.ran)))


def read_by(
    policy: EnforcedPolicy | Sequence[NamedPolicy], arguments_of: ArgumentsOf | CallReader | None
) -> tuple[EnforcedPolicy, CallReader]:
    """The policy and its reader of calls. Raises WorkbenchError if there is no reader."""
    if isinstance(policy, Sequence):
        from workbench.guard.several_policies import SeveralPolicies  # most guards have one policy

        several = SeveralPolicies(policy)
        return several.as_policy(), several
    if arguments_of is None:
        raise WorkbenchError("A guard of one policy needs what reads the calls for it.")
    return policy, OwnReading(arguments_of) if callable(arguments_of) else arguments_of
