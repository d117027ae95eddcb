"""An option that a person may set: its kind, its meaning, and its default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


class BadOption(ValueError):
    """A wrong option; ``option`` is its name, the text is one sentence with the reason."""

    def __init__(self, option: str, why: str) -> None:
        """Keep the option and the sentence."""
        super().__init__(why)
        self.option = option


_FITS: Mapping[OptionKind, Callable[[Json], bool]] = {
    OptionKind.TEXT: lambda value: isinstance(value, str),
    OptionKind.TEXTS: lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value),
    OptionKind.NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    OptionKind.FLAG: lambda value: isinstance(value, bool),
    OptionKind.WORDS: lambda value: isinstance(value, dict),
    OptionKind.VALUE: lambda _value: True,
}
_WORDS = {
    OptionKind.TEXT: "a text",
    OptionKind.TEXTS: "a text or a list of texts",
    OptionKind.NUMBER: "a number",
    OptionKind.FLAG: "true or false",
    OptionKind.WORDS: "a table",
}


def checked(option: DescribedOption, value: Json) -> Json:
    """The option's value, checked against its kind, or its default. Raises BadOption."""
    if value is None:
        if option.needed:
            raise BadOption(option.name, f"{option.name} is needed: {option.explanation}")
        return option.default
    if option.kind is OptionKind.TEXTS and isinstance(value, str):
        value = [value]
    if not _FITS[option.kind](value):
        raise BadOption(option.name, f"{option.name} must be {_WORDS[option.kind]}")
    if option.choices and value not in option.choices:
        raise BadOption(option.name, f"{option.name} must be one of {', '.join(option.choices)}")
    return value
