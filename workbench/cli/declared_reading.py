"""A reading of texts that a person declares with ``propose --reading``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.clean_text import counted, one_line
from workbench.model import ArgumentType, Extraction, Json, Kind, TextReading, Value, WorkbenchError

_TYPES = {
    **{kind: ArgumentType(Kind(kind)) for kind in ("str", "int", "decimal", "bool", "date")},
    "list": ArgumentType(Kind.LIST, element=ArgumentType(Kind.STR)),
}
_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Method:
    """How a text is read, as the options of the command say it."""

    pattern: str | None = None
    line: str | None = None
    path: str | None = None
    phrases: Sequence[str] = ()


def declared_reading(name: str, type_: str, texts: Sequence[str], how: Method) -> TextReading:
    """The reading that options of the command say; raises WorkbenchError unless they say one method."""
    options: list[tuple[str, dict[str, Json]]] = []
    if how.pattern is not None:
        options.append(("regex", {"pattern": how.pattern}))
    if how.line is not None:
        options.append(("field", {"key": how.line}))
    if how.path is not None:
        options.append(("json", {"path": how.path}))
    if how.phrases:
        options.append(("phrases", {"categories": _categories(how.phrases)}))
    if len(options) != 1:
        raise WorkbenchError("Say how the text is read: one of --pattern, --line, --path and --phrases.")
    method, given = options[0]
    if not how.phrases and type_ not in _TYPES:
        raise WorkbenchError(f"“{one_line(type_)}” is none of {', '.join(_TYPES)}.")
    read = ArgumentType(Kind.ENUM, values=tuple(_categories(how.phrases))) if how.phrases else _TYPES[type_]
    return TextReading(name, read, Extraction(method, given), texts=tuple(texts))


def _categories(phrases: Sequence[str]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for one in phrases:
        category, equals, listed = one.partition("=")
        words: list[Json] = [part.strip() for part in listed.split(",") if part.strip()]
        if not (equals and category.strip() and words):
            raise WorkbenchError(f"“{one_line(one)}” is not of the form “refund=refund, money back”.")
        found[category.strip()] = words
    return found


def reading_lines(reading: TextReading, reads: Sequence[tuple[str, Value]]) -> Iterator[str]:
    """What a reading gives for the texts in the logs."""
    values = [(place, value) for place, value in reads if value is not None]
    yield f"{reading.name}: a value in {len(values)} of {counted(len(reads), 'text')} of the logs."
    shown = dict.fromkeys(f"{place}: {value}" for place, value in values)
    yield from (f"  {one_line(one)}" for one in [*shown][:_MOST_SHOWN])
    if not reading.texts:
        yield "  Every text has it; --of CLASS.FIELD, as SendMail.body, names those that do."
