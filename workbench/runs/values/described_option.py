"""An option that a person may set: its kind, its meaning, and its default."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.model import Json


class OptionKind(StrEnum):
    """The kind of value that an option has.

    ``texts`` is a list of texts, ``words`` a table of texts by name, ``value`` any JSON value.
    """

    TEXT = "text"
    TEXTS = "texts"
    NUMBER = "number"
    FLAG = "flag"
    WORDS = "words"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class DescribedOption:
    """An option: its kind and meaning, its choices if it has a few, and its default."""

    name: str
    kind: OptionKind
    explanation: str
    choices: tuple[str, ...] = ()
    default: Json = None
    needed: bool = False

    @property
    def meaning(self) -> str:
        """The meaning of the option, with its default."""
        if self.default is None:
            return self.explanation
        values = self.default if isinstance(self.default, list) else [self.default]
        return f"{self.explanation}; {', '.join(str(value) for value in values)} if not given"
