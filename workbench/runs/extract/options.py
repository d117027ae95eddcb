"""The options of an extraction, read strictly: an unknown option or one of the wrong kind is an error."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from workbench.likeness import did_you_mean
from workbench.model import Extraction, Json, WorkbenchError
from workbench.runs.extract.described import BY_NAME, EVERY_METHOD
from workbench.runs.values.described_option import OptionKind


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
        return declared.default if value is None else value

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
        value = self._get(name, OptionKind.TEXT)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.error(f"{name} must be a text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """An option that is a text or a list of texts; empty without a value and a default."""
        value = self._get(name, OptionKind.TEXTS)
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,)
        if isinstance(value, list):
            texts = tuple(item for item in value if isinstance(item, str))
            if len(texts) == len(value):
                return texts
        raise self.error(f"{name} must be a text or a list of texts")

    def number(self, name: str) -> float:
        """A number option; 0 without a value and a default."""
        value = self._get(name, OptionKind.NUMBER)
        if value is None:
            return 0.0
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(f"{name} must be a number")
        return float(value)

    def flag(self, name: str) -> bool:
        """A yes-or-no option; no if it is not given."""
        value = self._get(name, OptionKind.FLAG)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self.error(f"{name} must be true or false")
        return value

    def words(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """A table whose values are texts or lists of texts."""
        table = self._get(name, OptionKind.WORDS)
        if table is None:
            return {}
        if not isinstance(table, dict):
            raise self.error(f"{name} must be a table")
        result: dict[str, tuple[str, ...]] = {}
        for key, value in table.items():
            items = [value] if isinstance(value, str) else value
            if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
                raise self.error(f"{name}.{key} must be a text or a list of texts")
            result[key] = tuple(item for item in items if isinstance(item, str))
        return result

    def done(self) -> None:
        """Raise WorkbenchError for an option that the method does not have."""
        for name in self._options:
            if name not in self._known:
                hint = did_you_mean(name, self._known) or f"known are {', '.join(sorted(self._known))}"
                raise self.error(f"there is no option {name!r}; {hint}")
