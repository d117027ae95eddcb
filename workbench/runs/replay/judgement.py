"""A person's judgement of a group of denials."""

from __future__ import annotations

from enum import StrEnum


class Judgement(StrEnum):
    """Whether the steps of a group are denied rightly."""

    RIGHT = "right"
    FALSE_ALARM = "false-alarm"
