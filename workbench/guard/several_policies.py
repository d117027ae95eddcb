"""Several policies that guard one agent: a call runs only if each of them allows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import override

from workbench.guard.call_reading import CallReader, EnforcedPolicy, NamedPolicy
from workbench.guard.calls import PastCall, ToolCall
from workbench.guard.subagents import concerns
from workbench.model import (
    NO_BOUNDS,
    ArgumentType,
    Between,
    Decision,
    LookedUp,
    Value,
    Verdict,
    WorkbenchError,
)

_SIGN = ":"


def together(decisions: Mapping[str, Decision]) -> Decision:
    """One decision from those of several policies; their names are put before rules and reasons.

    Deny if a policy denies; otherwise cannot-evaluate if a policy cannot be evaluated; otherwise ask if one
    asks.
    """
    verdicts = {decision.verdict for decision in decisions.values()}
    verdict = next(
        candidate
        for candidate in (Verdict.DENY, Verdict.CANNOT_EVALUATE, Verdict.ASK, Verdict.ALLOW)
        if candidate in verdicts
    )
    return Decision(
        verdict,
        tuple(
            replace(violation, rule=named(name, violation.rule))
            for name, decision in decisions.items()
            for violation in decision.violations
        ),
        {
            named(name, argument): value
            for name, decision in decisions.items()
            for argument, value in decision.arguments.items()
        },
        tuple(f"{name}: {reason}" for name, decision in decisions.items() for reason in decision.reasons),
        tuple(named(name, rule) for name, decision in decisions.items() for rule in decision.permitted_by),
    )


def none_denies(decisions: Mapping[str, Decision]) -> bool:
    """Whether the call may run by all decisions, if a person approves where one asks."""
    return all(decision.verdict in (Verdict.ALLOW, Verdict.ASK) for decision in decisions.values())


def named(policy: str, part: str) -> str:
    """A rule or an argument with the name of its policy: ``travel-desk:forbid_other_account``."""
    return f"{policy}{_SIGN}{part}"


class SeveralPolicies(CallReader):
    """Several policies as one, and as the reader of calls for all of them."""

    def __init__(self, policies: Sequence[NamedPolicy]) -> None:
        """Raises WorkbenchError if no policy decides each call, or two have one name."""
        names = [policy.name for policy in policies]
        unclear = len(set(names)) < len(names) or any(_SIGN in name or not name for name in names)
        if unclear or all(policy.agents for policy in policies):
            raise WorkbenchError(
                "A guard of several policies needs some, each with a name of its own that has no colon; "
                f"these are {', '.join(names) or 'none'}."
            )
        self._policies = tuple(policies)

    @override
    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision of all policies, each on the arguments that its reader extracts from the call."""
        return together(self._decided(call, history))

    @override
    def wanted(self, call: ToolCall, history: Sequence[PastCall]) -> Sequence[LookedUp]:
        """The look-ups that would give one of the policies more facts."""
        look_ups = [
            looked_up for part in self._asked(call) for looked_up in part.reader.wanted(call, history)
        ]
        return [looked_up for place, looked_up in enumerate(look_ups) if looked_up not in look_ups[:place]]

    @override
    def remedy(
        self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall], decision: Decision
    ) -> Sequence[LookedUp]:
        """The look-ups that the agent could make first, for the policies that do not allow the call."""
        decisions = self._decided(call, history)
        look_ups = [
            looked_up
            for part in self._policies
            if part.name in decisions and decisions[part.name].verdict is not Verdict.ALLOW
            for looked_up in part.reader.remedy(part.policy, call, history, decisions[part.name])
        ]
        return [looked_up for place, looked_up in enumerate(look_ups) if looked_up not in look_ups[:place]]

    def as_policy(self) -> EnforcedPolicy:
        """The policies as one, on arguments that are named ``POLICY:ARGUMENT``."""
        return _Joined(self._policies)

    def _asked(self, call: ToolCall) -> Sequence[NamedPolicy]:
        """The policies that decide a call of its agent."""
        return [part for part in self._policies if concerns(part.agents, call.context)]

    def _decided(self, call: ToolCall, history: Sequence[PastCall]) -> dict[str, Decision]:
        decisions: dict[str, Decision] = {}
        for part in self._asked(call):
            if not part.behind or none_denies(decisions):
                decisions[part.name] = _decision_of(part, call, history)
        return decisions


def _decision_of(part: NamedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
    try:
        return part.reader.decide(part.policy, call, history)
    except Exception as error:  # one policy that fails must not hide a denial by another
        reason = f"the arguments could not be derived from the call: {type(error).__name__}: {error}"
        return Decision(Verdict.CANNOT_EVALUATE, reasons=(reason,))


@dataclass(frozen=True, slots=True)
class _Joined(EnforcedPolicy):
    policies: tuple[NamedPolicy, ...]

    @property
    @override
    def parameters(self) -> Mapping[str, ArgumentType]:
        """The arguments of all policies that name theirs."""
        return {
            named(part.name, argument): type_
            for part in self.policies
            for argument, type_ in (part.policy.parameters or {}).items()
        }

    @override
    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """The decision on the arguments of all policies."""
        return together({part.name: part.policy.decide(_own(arguments, part.name)) for part in self.policies})

    @override
    def decide_incomplete(
        self,
        arguments: Mapping[str, Value],
        why: Mapping[str, str],
        between: Mapping[str, Between] = NO_BOUNDS,
    ) -> Decision:
        """The decision of all policies on arguments of which some are not determined."""
        return together(
            {
                part.name: part.policy.decide_incomplete(
                    _own(arguments, part.name), _own(why, part.name), _own(between, part.name)
                )
                for part in self.policies
            }
        )


def _own[Given](by_name: Mapping[str, Given], policy: str) -> dict[str, Given]:
    """What is given for the arguments of one policy."""
    parts = {name.partition(_SIGN)[::2]: given for name, given in by_name.items()}
    return {argument: given for (name, argument), given in parts.items() if name == policy}
