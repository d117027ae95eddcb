"""The extraction methods and their options from ``methods.toml``, for readers and descriptions.

The options of an extraction are read strictly: an unknown option or one of the wrong kind is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from workbench.likeness import did_you_mean
from workbench.model import Extraction, Json, WorkbenchError
from workbench.runs.values.data_file import read_data
from workbench.runs.values.described_option import BadOption, DescribedOption, OptionKind, checked


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


class Options:
    """Reads the options of one extraction, each as the kind that its method declares.

    ``done`` raises an error for options that were not read.
    """

    def __init__(self, name: str, extraction: Extraction) -> None:
        """Take the options, and the name of the reading for error messages."""
        self._place = f"reading {name}, extraction {extraction.method}"
        self._options = extraction.options
        declared = (*EVERY_METHOD, *BY_NAME[extraction.method].options)
        self._declared = {option.name: option for option in declared}
        self._known: set[str] = set()

    def _get(self, name: str, kind: OptionKind) -> Json:
        """The option or its default; raises WorkbenchError if it is needed and not given."""
        declared = self._declared[name]
        if declared.kind is not kind:
            raise TypeError(f"{name} is declared as {declared.kind}, not as {kind}")
        self._known.add(name)
        value = self._options.get(name)
        if declared.needed and (name not in self._options or (kind is not OptionKind.VALUE and not value)):
            raise self.error(f"{name} is needed")
        try:
            return checked(declared, value)
        except BadOption as error:
            raise self.error(str(error)) from None

    def error(self, message: str) -> WorkbenchError:
        """An error that names the reading and the method."""
        return WorkbenchError(
            f"In {self._place}: {message.rstrip('.')}" + ("" if message.endswith("?") else ".")
        )

    def has(self, name: str) -> bool:
        """Whether the option is given."""
        self._known.add(name)
        return name in self._options

    def given_options(self, names: Collection[str]) -> dict[str, Json]:
        """The given options among these names, the options of the kind of its type."""
        options = {name: self._options[name] for name in names if name in self._options}
        self._known.update(names)
        return options

    def value(self, name: str) -> Json:
        """An option of any kind."""
        return self._get(name, OptionKind.VALUE)

    def text(self, name: str) -> str:
        """A text option; empty without a value and a default."""
        return cast("str", self._get(name, OptionKind.TEXT) or "")

    def texts(self, name: str) -> tuple[str, ...]:
        """An option that is a text or a list of texts; empty without a value and a default."""
        return tuple(cast("list[str]", self._get(name, OptionKind.TEXTS) or []))

    def number(self, name: str) -> float:
        """A number option; 0 without a value and a default."""
        return float(cast("float", self._get(name, OptionKind.NUMBER) or 0))

    def flag(self, name: str) -> bool:
        """A yes-or-no option; no if it is not given."""
        return self._get(name, OptionKind.FLAG) is True

    def words(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """A table whose values are texts or lists of texts."""
        table = cast("dict[str, Json]", self._get(name, OptionKind.WORDS) or {})
        return {key: self._texts_at(f"{name}.{key}", value) for key, value in table.items()}

    def _texts_at(self, place: str, value: Json) -> tuple[str, ...]:
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self.error(f"{place} must be a text or a list of texts")
        return tuple(cast("list[str]", items))

    def done(self) -> None:
        """Raise WorkbenchError for an option that the method does not have."""
        for name in self._options:
            if name not in self._known:
                hint = did_you_mean(name, self._known) or f"known are {', '.join(sorted(self._known))}"
                raise self.error(f"there is no option {name!r}; {hint}")
