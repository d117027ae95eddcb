"""The messages of forms: what the user wants to edit, and what workers found out about it."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from workbench.tui.agent_state import AgentView, ArgumentEffect
from workbench.tui.messages import FromWorker

# --- from workers


@dataclass
class AgentFound(FromWorker):
    """The agent spec; ``kind`` and ``name`` say which part's form is wanted, empty for the list of parts."""

    view: AgentView
    kind: str = ""
    name: str = ""


@dataclass
class ArgumentTried(FromWorker):
    """What storing the argument of a form would change; ``why`` says why it cannot be stored."""

    number: int
    effect: ArgumentEffect
    why: str = ""


# --- from the user


@dataclass
class AgentWanted(Message):
    """The user wants to see the agent spec, or the form of one part of it."""

    kind: str = ""
    name: str = ""
