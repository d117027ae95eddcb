"""Arguments that are records: the record that a call is about, over one hop or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.likeness import did_you_mean
from workbench.model import ArgumentType, Extraction, Kind, Record
from workbench.runs.values.call_paths import call_pattern
from workbench.runs.values.json_paths import BadPath, Pattern
from workbench.runs.values.zones import PARTS, type_of_part

RECORD = "record"
DIFFERENCE = "difference"
NOW = "now"
NOT_NAMED = "not_named"


class BadHop(ValueError):
    """A record argument that cannot be found; ``argument`` names it, the text is the reason."""

    def __init__(self, argument: str, why: str) -> None:
        """Keep the argument and the sentence."""
        super().__init__(why if why.endswith("?") else f"{why}.")
        self.argument = argument


@dataclass(frozen=True, slots=True)
class Hop:
    """A field of another record argument."""

    argument: str
    field: str


@dataclass(frozen=True, slots=True)
class RecordArgument:
    """A record argument: its kind of record, and the places of its key; the first one with a value counts."""

    name: str
    record: Record
    keys: tuple[Pattern | Hop, ...]


def records_of(extractions: Mapping[str, Extraction]) -> dict[str, str]:
    """The names of the records of arguments, by the names of the arguments."""
    record_options = (
        (name, extraction.options.get("record"))
        for name, extraction in extractions.items()
        if extraction.method == RECORD
    )
    return {name: record for name, record in record_options if isinstance(record, str)}


def record_arguments(
    extractions: Mapping[str, Extraction], records: Sequence[Record]
) -> dict[str, RecordArgument]:
    """The record arguments among these, by name. Raises BadHop if one cannot be found."""
    record_by_name = {record.name: record for record in records if record.key}
    record_extractions = {
        name: extraction for name, extraction in extractions.items() if extraction.method == RECORD
    }
    argument_by_name = {
        name: _record_argument(name, extraction, record_extractions, record_by_name)
        for name, extraction in record_extractions.items()
    }
    for name in argument_by_name:
        _check_circle(name, argument_by_name)
    return argument_by_name


def _record_argument(
    name: str,
    extraction: Extraction,
    record_extractions: Mapping[str, Extraction],
    record_by_name: Mapping[str, Record],
) -> RecordArgument:
    record = extraction.options.get("record")
    if isinstance(record, str) and record in record_by_name and record_by_name[record].key_parts:
        why = f'the key of "{record}" has several parts, so that only a join names it, no record argument'
        raise BadHop(name, f'the argument "{name}": {why}')
    if not isinstance(record, str) or record not in record_by_name:
        hint = did_you_mean(str(record), record_by_name) or f"known are {', '.join(record_by_name) or 'none'}"
        raise BadHop(name, f'the argument "{name}" is of no record with a key that is declared: {hint}')
    key_option = extraction.options.get("key")
    texts = key_option if isinstance(key_option, list) else [key_option]
    keys = tuple(
        _key(name, text, record_extractions, record_by_name)
        for text in texts
        if isinstance(text, str) and text
    )
    if not keys or len(keys) < len(texts):
        raise BadHop(
            name, f'the record argument "{name}" needs its "key", such as "$.arguments.id" or "order.user_id"'
        )
    return RecordArgument(name, record_by_name[record], keys)


def _key(
    name: str, text: str, record_extractions: Mapping[str, Extraction], record_by_name: Mapping[str, Record]
) -> Pattern | Hop:
    if text.startswith("$"):
        try:
            return call_pattern(text)
        except BadPath as error:
            raise BadHop(name, f'the key of "{name}": {error}') from None
    argument, _, field = text.partition(".")
    if argument not in record_extractions:
        hint = did_you_mean(argument, record_extractions) or "a path of the call begins with $."
        raise BadHop(name, f'the key "{text}" of "{name}" begins with no record argument: {hint}')
    record = record_by_name.get(str(record_extractions[argument].options.get("record")))
    kind = record.type.field(field) if record is not None else None
    if kind is None or kind.kind not in (Kind.STR, Kind.INT, Kind.ENUM):
        raise BadHop(name, f'the key "{text}" of "{name}" is no field of {argument} that is a text or an int')
    return Hop(argument, field)


def _check_circle(name: str, argument_by_name: Mapping[str, RecordArgument]) -> None:
    """Raise BadHop if the hops from an argument come back to an earlier one."""
    waiting: list[tuple[str, tuple[str, ...]]] = [(name, (name,))]
    while waiting:
        current, way = waiting.pop()
        for key in argument_by_name[current].keys:
            if isinstance(key, Hop):
                if key.argument in way:
                    raise BadHop(name, f"the keys go round in a circle: {' → '.join((*way, key.argument))}")
                waiting.append((key.argument, (*way, key.argument)))


def derived_type(
    extraction: Extraction, extractions: Mapping[str, Extraction], records: Sequence[Record]
) -> ArgumentType | None:
    """The type of an argument that follows from its extraction; None if it has to be declared."""
    record_by_name = {record.name: record for record in records if record.key}
    match extraction.method:
        case "record":
            record = record_by_name.get(str(extraction.options.get("record")))
            return None if record is None else ArgumentType(Kind.RECORD, optional=True, record=record.type)
        case "now":
            part = extraction.options.get("part")
            return ArgumentType(type_of_part(str(part)) if part in PARTS else Kind.DATETIME)
        case "difference":
            argument, _, field = str(extraction.options.get("of")).partition(".")
            of = extractions.get(argument)
            record = record_by_name.get(str(of.options.get("record"))) if of is not None else None
            kind = record.type.field(field) if record is not None else None
            return ArgumentType(Kind.LIST, element=kind.element) if kind and kind.kind is Kind.LIST else None
        case _:
            return None
