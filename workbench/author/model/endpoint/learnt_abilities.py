"""Learnt abilities of endpoints, stored in ``endpoints.json`` of the user's data folder.

The file saves the refusals that a first call meets. If it cannot be read or written, these refusals are met
again.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from workbench.author.model.endpoint.abilities import Abilities
from workbench.files.private import data_folder, read_private

FILE = "endpoints.json"
_MOST_BYTES = 1_000_000
_MOST = 100
_VALID = timedelta(days=30)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    address: str
    model: str
    when: datetime
    abilities: Abilities


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid")

    endpoints: list[_Entry] = []


class LearntFile:
    """The file of one user. Entries older than 30 days are ignored, because servers change."""

    def __init__(self, folder: Path | None = None, *, anew: bool = False) -> None:
        """Read nothing yet. With ``anew``, stored abilities are ignored, but new ones are still written."""
        self._folder = folder
        self._anew = anew

    @property
    def path(self) -> Path:
        """The path of the file."""
        return (self._folder or data_folder()) / FILE

    def read(self, address: str, model: str) -> Abilities | None:
        """The stored abilities of a model at an address; None if there are no recent ones."""
        if self._anew:
            return None
        after = datetime.now(UTC) - _VALID
        for entry in self._entries():
            if (entry.address, entry.model) == (address, model) and entry.when > after:
                return replace(entry.abilities)
        return None

    def write(self, address: str, model: str, abilities: Abilities) -> None:
        """Store the abilities of a model at an address."""
        when = datetime.now(UTC).replace(microsecond=0)
        entry = _Entry(address=address, model=model, when=when, abilities=abilities)
        other_entries = [
            stored_entry
            for stored_entry in self._entries()
            if (stored_entry.address, stored_entry.model) != (address, model)
        ]
        stored = _Kept(endpoints=[entry, *other_entries][:_MOST])
        with suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary_path = self.path.with_name(f".{FILE}.{os.getpid()}.{secrets.token_hex(4)}")
            temporary_path.write_text(stored.model_dump_json(indent=1), encoding="utf-8")
            temporary_path.replace(self.path)

    def _entries(self) -> list[_Entry]:
        try:
            return _Kept.model_validate(json.loads(read_private(self.path, _MOST_BYTES))).endpoints
        except (OSError, ValueError, RecursionError):
            return []
