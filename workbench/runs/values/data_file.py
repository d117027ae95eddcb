"""Data files of the package: TOML files next to their modules. Each value is checked when it is read."""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table of a data file; ``place`` begins the messages of its errors."""

    place: str
    values: dict[str, object]

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of different texts, in its order; raises ValueError."""
        items = cast("list[object]", self._value(key, list, "list of different texts"))
        texts = tuple(item for item in items if isinstance(item, str) and item)
        if len(texts) != len(items) or len(set(texts)) != len(texts):
            raise ValueError(f"{self.place}: {key} must be a list of different texts.")
        return texts

    def names(self, key: str) -> frozenset[str]:
        """A list of different texts, as a set; raises ValueError."""
        return frozenset(self.texts(key))

    def text(self, key: str) -> str:
        """A text; raises ValueError."""
        return self._value(key, str, "text")

    def number(self, key: str) -> int:
        """A whole number; raises ValueError."""
        return self._value(key, int, "whole number")

    def table(self, key: str) -> DataTable:
        """A table within this one; raises ValueError."""
        values = cast("dict[str, object]", self._value(key, dict, "table"))
        return DataTable(f"{self.place} [{key}]", values)

    def tables(self) -> Iterator[tuple[str, DataTable]]:
        """All keys with their tables; raises ValueError if a value is no table."""
        return ((key, self.table(key)) for key in self.values)

    def text_by_key(self) -> dict[str, str]:
        """All keys with their texts; raises ValueError if a value is no text."""
        return {key: self.text(key) for key in self.values}

    def texts_by_key(self) -> dict[str, tuple[str, ...]]:
        """All keys with their lists of texts; raises ValueError if a value is no such list."""
        return {key: self.texts(key) for key in self.values}

    def names_by_key(self) -> dict[str, frozenset[str]]:
        """All keys with their lists of texts as sets; raises ValueError if a value is no such list."""
        return {key: self.names(key) for key in self.values}

    def check_keys(self, *known: str) -> None:
        """Raise ValueError if the table has another key."""
        if unknown := self.values.keys() - set(known):
            raise ValueError(f"{self.place}: unknown: {', '.join(sorted(unknown))}.")

    def _value[T](self, key: str, type_: type[T], words: str) -> T:
        value = self.values.get(key)
        if not isinstance(value, type_):
            raise ValueError(f"{self.place}: {key} must be a {words}.")
        return value


def read_data(module: str, name: str) -> DataTable:
    """The data file next to the module with this ``__name__``; an exported file carries its own copy."""
    return DataTable(name, tomllib.loads((pkgutil.get_data(module, name) or b"").decode("utf-8")))
