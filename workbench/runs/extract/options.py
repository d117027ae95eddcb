"""The options of an extraction, read strictly: what is unknown or of the wrong kind is an error."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import Json, WorkbenchError
from workbench.runs.extract.likeness import did_you_mean


class Options:
    """Reads the options of one argument's extraction; ``done`` complains about what nobody read."""

    def __init__(self, argument: str, method: str, options: Mapping[str, Json]) -> None:
        """Take the options with the names that messages mention."""
        self._place = f"argument {argument}, extraction {method}"
        self._options = options
        self._known: set[str] = set()

    def _get(self, name: str) -> Json:
        self._known.add(name)
        return self._options.get(name)

    def error(self, message: str) -> WorkbenchError:
        """An error that names the argument and the method."""
        return WorkbenchError(
            f"In {self._place}: {message.rstrip('.')}" + ("" if message.endswith("?") else ".")
        )

    def has(self, name: str) -> bool:
        """Whether the option is given."""
        self._known.add(name)
        return name in self._options

    def value(self, name: str) -> Json:
        """An option of any kind."""
        return self._get(name)

    def text(self, name: str, default: str = "") -> str:
        """A text option."""
        value = self._get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.error(f"{name} must be a text")
        return value

    def needed(self, name: str) -> str:
        """A text option that must be given."""
        value = self.text(name)
        if not value:
            raise self.error(f"{name} is needed")
        return value

    def texts(self, name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """An option that is a text or a list of texts."""
        value = self._get(name)
        if value is None:
            return default
        if isinstance(value, str):
            return (value,)
        if isinstance(value, list):
            found = tuple(item for item in value if isinstance(item, str))
            if len(found) == len(value):
                return found
        raise self.error(f"{name} must be a text or a list of texts")

    def number(self, name: str, default: float) -> float:
        """A number option."""
        value = self._get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(f"{name} must be a number")
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """A yes-or-no option."""
        value = self._get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(f"{name} must be true or false")
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of the given words; the first is the default."""
        value = self.text(name, choices[0])
        if value not in choices:
            raise self.error(f"{name} must be one of {', '.join(choices)}")
        return value

    def table(self, name: str) -> Mapping[str, Json]:
        """An option that is a table of further values."""
        value = self._get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(f"{name} must be a table")
        return value

    def words(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """A table whose values are texts or lists of texts."""
        result: dict[str, tuple[str, ...]] = {}
        for key, value in self.table(name).items():
            items = [value] if isinstance(value, str) else value
            if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
                raise self.error(f"{name}.{key} must be a text or a list of texts")
            result[key] = tuple(item for item in items if isinstance(item, str))
        return result

    def done(self) -> None:
        """Raise WorkbenchError for an option that the method does not have."""
        for name in self._options:
            if name not in self._known:
                hint = did_you_mean(name, self._known)
                raise self.error(f"there is no option {name!r}; {hint}")
