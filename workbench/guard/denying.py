"""Policies that deny where one cannot decide: none was accepted, or its file was edited during a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import override

from workbench.files.regular import FileMark, file_mark
from workbench.guard.call_reading import CallReader, EnforcedPolicy, NamedPolicy
from workbench.guard.calls import PastCall, ToolCall
from workbench.model import Decision, LookedUp, Value, Verdict, Violation

EDITED = "baseline_edited"
"""The name of the rule by which a baseline that was edited during a run denies its further calls."""
NOT_ACCEPTED = "not_accepted"
"""The name of the rule by which a session without an accepted version denies every call."""


def denying(name: str, why: str) -> NamedPolicy:
    """A policy that denies every call, with its name and a reason."""
    return NamedPolicy(name, _DeniesAll(why), _ReadsNothing())


def while_unedited(named: NamedPolicy, path: Path, mark: FileMark) -> NamedPolicy:
    """The policy, which denies every call once its file is another one."""
    return replace(named, reader=_WhileUnedited(named.reader, path, mark))


class _DeniesAll(EnforcedPolicy):
    """Takes the place of a policy that no person accepted."""

    def __init__(self, why: str) -> None:
        self._decision = Decision(Verdict.DENY, (Violation(NOT_ACCEPTED, why),))

    @override
    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """The denial, with its reason and what to do."""
        return replace(self._decision, arguments=arguments)


class _ReadsNothing(CallReader):
    """Reads no argument of a call: it is denied whatever it is."""

    @override
    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision on no arguments."""
        return policy.decide({})


@dataclass(frozen=True, slots=True)
class _WhileUnedited(CallReader):
    """Reads calls for a baseline, of which no call is allowed once its file is another one."""

    reader: CallReader
    path: Path
    mark: FileMark

    @override
    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision of the baseline, or the denial after an edit of it."""
        if file_mark(self.path) == self.mark:
            return self.reader.decide(policy, call, history)
        why = f"{self.path} was changed during this run; start a new one, which decides by what it says now."
        return Decision(Verdict.DENY, (Violation(EDITED, why),))

    @override
    def wanted(self, call: ToolCall, history: Sequence[PastCall]) -> Sequence[LookedUp]:
        """The look-ups of the reader."""
        return self.reader.wanted(call, history)

    @override
    def remedy(
        self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall], decision: Decision
    ) -> Sequence[LookedUp]:
        """The look-ups of the reader."""
        return self.reader.remedy(policy, call, history, decision)
