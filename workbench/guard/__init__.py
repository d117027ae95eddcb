"""Run-time enforcement of a policy.

A guard is placed between an agent and its tools. It decides every call before the tool can have any effect,
carries out a strategy on a denial, and keeps a decision log that the workbench replays. This package needs
only the standard library.
"""

from workbench.guard.approval import Approval, NobodyAnswered, program_approval
from workbench.guard.call_reading import CallReader, EnforcedPolicy, NamedPolicy
from workbench.guard.calls import ActionDenied, Outcome, PastCall, TaskTerminated, ToolCall
from workbench.guard.enforce import Guard, Mode
from workbench.guard.grants import Granted, Grants
from workbench.guard.log import DecisionLog
from workbench.guard.look_ups import LookUps
from workbench.guard.strategy import PersonsAnswer, Strategy

__all__ = [
    "ActionDenied",
    "Approval",
    "CallReader",
    "DecisionLog",
    "EnforcedPolicy",
    "Granted",
    "Grants",
    "Guard",
    "LookUps",
    "Mode",
    "NamedPolicy",
    "NobodyAnswered",
    "Outcome",
    "PastCall",
    "PersonsAnswer",
    "Strategy",
    "TaskTerminated",
    "ToolCall",
    "program_approval",
]
