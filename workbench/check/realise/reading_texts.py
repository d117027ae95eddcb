"""Texts whose readings have given values: candidates by a reading's options, tried by the reading itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from workbench.check.realise.fitting_texts import candidates
from workbench.model import AgentSpec, Json, TextReading, Value
from workbench.runs.extract.text_readings import PreparedReading, prepared_readings
from workbench.runs.values.json_paths import parse_parts
from workbench.runs.world.record_values import RecordValues

_PLAIN_WORDS = re.compile(r"[\w -]+")
_LISTS_BY_METHOD = {"phrases": "categories", "nearest": "examples", "embedding": "examples"}


def words_of(reading: TextReading) -> tuple[str, ...]:
    """The words that a pattern finds which lists them, as ``(yes|no)``; none if it may find others."""
    if reading.extraction.method != "regex":
        return ()
    _, group, _ = _around_group(str(reading.extraction.options.get("pattern")))
    words = group[1:-1].split("|")
    return tuple(words) if all(_PLAIN_WORDS.fullmatch(word) for word in words) else ()


class ReadingTexts:
    """Finds texts for the readings of one agent. What a model reads is not found."""

    def __init__(self, spec: AgentSpec) -> None:
        """Take the agent."""
        self._by_name = {reading.name: reading for reading in spec.readings}
        values = RecordValues(spec.records, spec.zone)
        self._prepared: Mapping[str, PreparedReading] = prepared_readings(spec, None, None, values)

    def giving(self, wanted: Mapping[str, Value]) -> str | None:
        """A text whose readings have all these values; None if none is found."""
        parts: list[str] = []
        for name, value in wanted.items():
            part = next(
                (text for text in _texts(self._by_name[name], value) if self._reads(name, text, value)), None
            )
            if part is None:
                return None
            parts.append(part)
        text = "\n".join(part for part in parts if part)
        return text if all(self._reads(name, text, value) for name, value in wanted.items()) else None

    def _reads(self, name: str, text: str, value: Value) -> bool:
        return self._prepared[name].of(text).value == value


def _texts(reading: TextReading, value: Value) -> Iterator[str]:
    """Texts that may have this reading, simple ones first."""
    options = reading.extraction.options
    many = tuple(value) if isinstance(value, tuple | frozenset) else (value,)
    words = [str(one) for one in many]
    yield "\n".join(sorted(words) if isinstance(value, frozenset) else words)
    match reading.extraction.method:
        case "field":
            yield f"{options.get('key') or reading.name}: {words[0] if words else ''}"
        case "json":
            yield json.dumps(_at(parse_parts(str(options.get("path") or reading.name)), value), default=str)
        case "regex":
            lines = [_line(str(options.get("pattern")), word) for word in words]
            yield "\n".join(lines)
        case method if method in _LISTS_BY_METHOD:
            yield from _listed(options.get(_LISTS_BY_METHOD[method]), words)
            yield from _strings(options.get("harmless"))
        case _:
            return


def _at(path: Sequence[str | int | None], value: Value) -> object:
    """A document that has a value at a path."""
    if not path:
        return list(value) if isinstance(value, frozenset) else value
    first, *rest = path
    return [_at(rest, value)] if first is None or first == 0 else {str(first): _at(rest, value)}


def _line(pattern: str, word: str) -> str:
    """A line that a pattern may match with this word as its first group."""
    before, group, after = _around_group(pattern)
    if not group:
        return word
    return f"{_plain(before)}{word}{_plain(after)}"


def _around_group(pattern: str) -> tuple[str, str, str]:
    found = re.search(r"(?<!\\)\((?!\?)[^()]*\)(?!\))", pattern)
    return (
        (pattern, "", "") if found is None else (pattern[: found.start()], found[0], pattern[found.end() :])
    )


def _plain(pattern: str) -> str:
    return next(iter(candidates(pattern)), "") if pattern else ""


def _listed(table: Json, words: Sequence[str]) -> Iterator[str]:
    for word in words if isinstance(table, dict) else ():
        yield from _strings(table.get(word) if isinstance(table, dict) else None)


def _strings(value: Json) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            yield one
