"""The small texts of a policy file: names, types, docstrings, tables."""

from __future__ import annotations

import keyword
import re

from workbench.model import Argument, Kind
from workbench.policy.render import literal
from workbench.policy.types import show


def comment_text(text: str, limit: int = 200) -> str:
    """A text made safe for a comment or docstring."""
    text = re.sub(
        r"\s+", " ", "".join(character if character.isprintable() else " " for character in text)
    ).strip()
    text = text.replace("\\", "/").replace('"', "'")
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def type_name(argument: Argument) -> str:
    """The name of an enum's type: ``role`` becomes ``Role``."""
    name = "".join(part.capitalize() for part in argument.name.split("_"))
    return (
        name
        if name not in ("Literal", "Decimal", "Ensures", "Requires", "Result", "Implies")
        else f"{name}Value"
    )


def annotation(argument: Argument) -> str:
    """The argument's type in the dialect."""
    match argument.type.kind:
        case Kind.ENUM:
            name = type_name(argument)
        case Kind.SET:
            return "frozenset[str]"
        case Kind.DECIMAL:
            name = "Decimal"
        case Kind.RECORD | Kind.LIST:
            return show(argument.type)
        case kind:
            name = kind.value
    return f"{name} | None" if argument.type.optional else name


def signature(arguments: tuple[Argument, ...]) -> str:
    """The parameters of a rule."""
    return ", ".join(f"{argument.name}: {annotation(argument)}" for argument in arguments)


def identifier(*parts: str) -> str:
    """A lower-case identifier made of the parts."""
    name = (
        re.sub(r"[^a-z0-9]+", "_", "_".join(part for part in parts if part).lower())
        .strip("_")[:60]
        .strip("_")
    )
    return f"{name}_" if keyword.iskeyword(name) else name or "rule"


def table_text(name: str, entries: dict[str, tuple[str, ...]]) -> str:
    """A constant table of sets."""
    rows = [
        f"{literal(key)}: {{{', '.join(literal(value) for value in values)}}}"
        if values
        else f"{literal(key)}: frozenset()"
        for key, values in entries.items()
    ]
    return f"{name} = {{{', '.join(rows)}}}"
