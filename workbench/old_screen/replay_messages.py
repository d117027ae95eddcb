"""The messages about recorded runs looked at as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from workbench.old_screen.messages import FromWorker

if TYPE_CHECKING:
    from workbench.old_screen.replay_state import Cause, Strategies

# --- from workers


@dataclass
class CausesFound(FromWorker):
    """The steps that are not allowed, by cause."""

    generation: int
    causes: tuple[Cause, ...]


@dataclass
class StrategiesFound(FromWorker):
    """What each strategy would have stopped."""

    generation: int
    strategies: Strategies


# --- from the user


@dataclass
class CausesWanted(Message):
    """The user wants to see the denials by cause."""


@dataclass
class StrategiesWanted(Message):
    """The user wants to see what each strategy would have stopped."""


@dataclass
class WayWanted(Message):
    """The user wants to look closer at a strategy."""

    name: str


@dataclass
class RuleWanted(Message):
    """The user wants to see a rule in the policy; an empty name means its decision."""

    rule: str


@dataclass
class StepWanted(Message):
    """The user wants to see a step, by its position among all."""

    index: int
