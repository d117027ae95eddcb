"""The messages of forms: what the user wants to edit, and what workers found out about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from workbench.old_screen.messages import FromWorker

if TYPE_CHECKING:
    from workbench.model import Demonstration
    from workbench.old_screen.agent_state import AgentView, ArgumentEffect
    from workbench.old_screen.memory_state import MemoryEffect, Ranked
    from workbench.old_screen.port_records import RecordPlace

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


@dataclass
class RankingFound(FromWorker):
    """The demonstrations that the step at a position retrieves."""

    at: int
    ranked: tuple[Ranked, ...]


@dataclass
class Demonstrated(FromWorker):
    """The demonstration that a replayed step would be."""

    demonstration: Demonstration


@dataclass
class MemoryChanged(FromWorker):
    """The memory was stored; these steps retrieve differently."""

    label: str
    effect: MemoryEffect


@dataclass
class MemoryTried(FromWorker):
    """Which steps storing the demonstration of a form would make retrieve differently."""

    number: int
    effect: MemoryEffect


@dataclass
class RecordFound(FromWorker):
    """A record of the session as a text, for an editor outside."""

    place: RecordPlace
    text: str


# --- from the user


@dataclass
class AgentWanted(Message):
    """The user wants to see the agent spec, or the form of one part of it."""

    kind: str = ""
    name: str = ""


@dataclass
class DemonstrationAsked(Message):
    """The user wants to keep a replayed step as a demonstration."""

    index: int


@dataclass
class DemonstrationWanted(Message):
    """The user wants the form of a demonstration; an empty id adds one."""

    id: str


@dataclass
class DemonstrationSwitched(Message):
    """The user wants a demonstration to be retrieved no more, or again."""

    id: str


@dataclass
class DemonstrationRemoved(Message):
    """The user wants a demonstration away."""

    id: str


@dataclass
class MemoryMoved(Message):
    """The user wants to import demonstrations from a file, or to export them to one."""

    importing: bool
