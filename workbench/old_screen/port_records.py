"""What the screen asks of a session about single records that an editor outside shows as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from workbench.old_screen.state import Contents

TOML = ".toml"
RECORDS = ("assumption", "demonstration", "case", "agent")


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Which record is meant: ``kind`` is one of ``RECORDS``, or a part of the agent spec.

    ``name`` is the id of a demonstration or case, the question of an assumption, the name of a part.
    """

    kind: str
    name: str = ""

    @property
    def shown(self) -> str:
        """The record in words."""
        what = {"schema": "table", "agent": "agent spec"}.get(self.kind, self.kind)
        return f"the {what} {self.name}".rstrip()


class RecordPort(Protocol):
    """The calls about records as text; they raise WorkbenchError with one clear sentence."""

    def record_text(self, place: RecordPlace) -> str:
        """The record as a text that a person can edit."""
        ...

    def put_record(self, place: RecordPlace, text: str) -> Contents:
        """Store the record that an edited text stands for, as one change; nothing if it cannot be read."""
        ...
