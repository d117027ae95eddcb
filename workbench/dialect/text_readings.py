"""Readings of texts: their names, and the texts that have them.

``call.message.topic`` is the reading ``topic`` of the text ``call.message``. A text is a field of a call, of
an earlier call, of a record or of an element; an element of a list of texts; what the user
said (``run.said`` and the like); another reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from workbench.dialect.class_names import OUTCOME, RUN, is_field_name
from workbench.dialect.run_values import SAID, SENTENCES_WITH, WORDS
from workbench.likeness import did_you_mean
from workbench.model import ArgumentType, Kind, RecordType, TextReading, WorkbenchError
from workbench.runs.kinds.kinds_by_name import KINDS

METHODS = ("embedding", "field", "json", "model", "nearest", "phrases", "regex")
"""The methods of extraction that read one text."""
_OF_TEXTS = frozenset((*dir(str), SAID, SENTENCES_WITH))


def name_refused(name: str) -> str:
    """Why a reading cannot have this name, as a sentence; empty if it can."""
    if not is_field_name(name) or name in _OF_TEXTS:
        return f'the reading "{name}" needs a free name of plain letters, digits and "_".'
    if kind := _kind_with_part(name):
        part = f'a part of the kind "{kind}"'
        return f'the reading "{name}" has the name of {part}; call it "{name}_read", for example.'
    return ""


def _kind_with_part(name: str) -> str:
    """The kind that has a part of this name; empty if none has."""
    return _kinds_by_part().get(name, "")


@cache
def _kinds_by_part() -> Mapping[str, str]:
    return {name: kind.name for kind in KINDS.values() for name, _ in kind.type.fields}


def is_text(type_: ArgumentType) -> bool:
    """Whether values of a type are texts, which have readings."""
    return type_.kind in (Kind.STR, Kind.ENUM)


def has_reading(reading: TextReading, owner: str, field: str) -> bool:
    """Whether a field has a reading; ``owner`` is the class that has it, or several with `` | `` between."""
    if not reading.texts:
        return True
    return bool(owner) and all(f"{name}.{field}" in reading.texts for name in owner.split(" | "))


def check_readings(
    readings: Iterable[TextReading], classes: Iterable[RecordType]
) -> Mapping[str, TextReading]:
    """The readings by their names; ``classes`` are those of earlier calls, their objects, and records.

    Raises WorkbenchError for a reading with the name of a field, and for a text that does not exist.
    """
    fields = {name: one.name for one in classes for name, _ in one.fields}
    texts = {f"{one.name}.{name}" for one in classes for name, type_ in one.fields if is_text(type_)}
    texts |= {f"{RUN}.{words}" for words in WORDS}
    for reading in readings:
        if reading.name in fields and reading.name not in OUTCOME:
            field = f"{fields[reading.name]}.{reading.name}"
            raise WorkbenchError(
                f'The reading "{reading.name}" has the name of the field `{field}`; '
                f'call it "{reading.name}_read" in agent.toml, for example.'
            )
        for text in reading.texts:
            if text not in texts:
                hint = (
                    did_you_mean(text, texts, 'Did you mean "{}"?')
                    or 'A text is "Run.said" or a field of a class.'
                )
                raise WorkbenchError(f'The reading "{reading.name}" is of the unknown text "{text}". {hint}')
    return {reading.name: reading for reading in readings}
