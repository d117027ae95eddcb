"""What a command does with a file, and what may be more than its text tells."""

from __future__ import annotations

from enum import StrEnum


class Way(StrEnum):
    """What is done with a file: its content is read, it is changed, it is only named, or its code runs."""

    READ = "read"
    WRITE = "write"
    NAME = "name"
    RUN = "run"


class Open(StrEnum):
    """What may be more than the text tells."""

    PROGRAMS = "programs"
    READS = "reads"
    WRITES = "writes"
    NAMES = "names"
    HOSTS = "hosts"
    TREES = "trees"


FILES = (Open.READS, Open.WRITES, Open.NAMES)
OPEN_BY_WAY = {Way.READ: Open.READS, Way.WRITE: Open.WRITES, Way.NAME: Open.NAMES, Way.RUN: Open.NAMES}
HOME = "\ue000"
"""Replaces the user's home folder in a word; no text that is read contains this character."""
