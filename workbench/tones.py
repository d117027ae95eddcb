"""The tones of a text that is shown: its meaning, which each front end draws in its own way."""

from __future__ import annotations

from enum import StrEnum


class Tone(StrEnum):
    """The meaning of a piece of text. Style sheets and the colours of the command line decide its look."""

    PLAIN = "plain"
    TITLE = "title"
    MUTED = "muted"
    GOOD = "good"
    BAD = "bad"
    WARN = "warn"
    ACCENT = "accent"
    CODE = "code"
    MARK = "mark"
