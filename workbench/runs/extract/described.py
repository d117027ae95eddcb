"""The extraction methods and their options from ``methods.toml``, for readers and descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from workbench.runs.values.data_file import read_data
from workbench.runs.values.described_option import DescribedOption, OptionKind


@dataclass(frozen=True, slots=True)
class DescribedMethod:
    """A method of extraction: its name, what it reads, its own options, and what it needs besides Python."""

    name: str
    meaning: str
    options: tuple[DescribedOption, ...] = ()
    needs: str = ""


def _options(tables: Mapping[str, Mapping[str, Any]]) -> tuple[DescribedOption, ...]:
    return tuple(_option(name, **table) for name, table in tables.items())


def _option(name: str, *, holds: str, meaning: str, **other_fields: Any) -> DescribedOption:
    return DescribedOption(name, OptionKind(holds), meaning, **other_fields)


def _method(name: str, table: Mapping[str, Any], region: Mapping[str, Mapping[str, Any]]) -> DescribedMethod:
    """The method of a table; if it has a region, also the options of all regions."""
    method_fields = dict(table)
    options: dict[str, Mapping[str, Any]] = method_fields.pop("options")
    if method_fields.pop("region", False):
        options = {**options, **region}
    return DescribedMethod(name, options=_options(options), **method_fields)


_FILE = cast("Mapping[str, Mapping[str, Any]]", read_data(__name__, "methods.toml").values)
EVERY_METHOD = _options(_FILE["common"])
BY_NAME: Mapping[str, DescribedMethod] = {
    name: _method(name, table, _FILE["region"]) for name, table in _FILE["methods"].items()
}
