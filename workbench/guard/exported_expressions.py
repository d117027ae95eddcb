"""The checked expressions of a policy of calls as Python text in an exported file.

The file builds them and evaluates them: it needs neither their checker nor the schemas of the agent's tools.
Nobody reads this text back: whoever reads the file without running it checks the expressions again, and
compares the text.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import cast

from workbench.dialect.run_values import CheckedExpressions
from workbench.model import AgentSpec, WorkbenchError

_NAMESPACE = "noun"
_WORDS = "description"
"""The field of a noun that only people read."""
_LONGEST_INSIDE = 100
"""The characters of a noun that is written inside another one; so no text is nested deeply."""


def expressions_text(expressions: CheckedExpressions) -> str:
    """The body of a function of ``noun`` that returns the expressions; equal nouns are built once."""
    writer = _Writer()
    whole = writer.text(expressions)
    return "".join(f"    {name} = {text}\n" for text, name in writer.names.items()) + f"    return {whole}\n"


class _Writer:
    """Writes nouns, and gives a name to each that is long; ``names`` are by the text, in their order."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def text(self, value: object) -> str:
        """A value as an expression of Python over ``noun`` and the names so far."""
        match value:
            case StrEnum():
                return f"{_NAMESPACE}.{type(value).__name__}.{value.name}"
            case None | bool() | int() | str():
                return repr(value)
            case float():
                return f"float({str(value)!r})"
            case Decimal():
                return f"{_NAMESPACE}.Decimal({str(value)!r})"
            case datetime.date() | datetime.time() | datetime.timedelta():
                return repr(value).replace("datetime.", f"{_NAMESPACE}.datetime.")
            case tuple():
                parts = [self.text(part) for part in cast("tuple[object, ...]", value)]
                return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
            case list():
                return f"[{', '.join(self.text(part) for part in cast('list[object]', value))}]"
            case Mapping():
                members = cast("Mapping[object, object]", value).items()
                return f"{{{', '.join(f'{self.text(key)}: {self.text(held)}' for key, held in members)}}}"
            case _ if dataclasses.is_dataclass(value):
                return self._noun(value)
            case _:
                raise WorkbenchError(f"An expression holds {value!r:.60}, which no exported file can carry.")

    def _noun(self, value: object) -> str:
        parts = [f"{name}={self.text(held)}" for name, held in _stated(value)]
        text = f"{_NAMESPACE}.{type(value).__name__}({', '.join(parts)})"
        if len(text) <= _LONGEST_INSIDE:
            return text
        return self.names.setdefault(text, f"n{len(self.names) + 1}")


def _stated(value: object) -> Iterator[tuple[str, object]]:
    """The fields of a noun that differ from their defaults, without words for people."""
    for one in dataclasses.fields(cast("AgentSpec", value)):
        held = cast("object", getattr(value, one.name))
        default: object = one.default
        if one.default_factory is not dataclasses.MISSING:
            default = one.default_factory()
        is_default = held == default and type(held) is type(default)
        if one.name != _WORDS and not is_default:
            yield one.name, held
