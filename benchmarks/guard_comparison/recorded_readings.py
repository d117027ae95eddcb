"""What a model read in the texts of a data set, without the texts: each is named by its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, cast

from workbench.model import Json, WorkbenchError
from workbench.runs.extract.model_method import Quoted, WantedText


class _Found(TypedDict):
    value: Json
    quote: str


class _Line(TypedDict):
    text: str
    read: dict[str, list[_Found]]


class RecordedReadings:
    """Implements the ``Reader`` of extraction. Quotations are checked as those of a model are."""

    def __init__(self, path: Path) -> None:
        """Read the lines: the SHA-256 of a text, and what was read in it by the names of the readings."""
        try:
            lines = [cast("_Line", json.loads(line)) for line in path.read_text("utf-8").splitlines()]
        except (OSError, ValueError) as error:
            raise WorkbenchError(f"{path} cannot be read: {error}.") from None
        self._read = {line["text"]: line["read"] for line in lines}

    def announce(self, texts: Sequence[WantedText]) -> None:
        """Nothing is asked."""

    def ask(self, texts: Sequence[WantedText]) -> None:
        """Nothing is asked."""

    def read(self, text: WantedText) -> Mapping[str, tuple[Quoted, ...]]:
        """What was read; raises WorkbenchError for a text or a value that nobody was asked about."""
        found = self._read.get(hashlib.sha256(text.text.encode()).hexdigest(), {})
        unread = [value.name for value in text.values if value.name not in found]
        if unread:
            raise WorkbenchError(f"What this text says of {', '.join(unread)} is not recorded.")
        return {
            name: tuple(Quoted(one["value"], one["quote"]) for one in all_) for name, all_ in found.items()
        }
