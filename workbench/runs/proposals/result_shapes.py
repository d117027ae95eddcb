"""The common shape of JSON objects from results: their fields with a type, and their lists."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from itertools import islice

from workbench.clean_text import clean
from workbench.model import ArgumentType, Json, Kind
from workbench.runs.values.float_noise import without_noise
from workbench.runs.values.name_words import is_money
from workbench.runs.values.zones import ISO_DATE

_DEPTH = 3
MOST_FIELDS = 200
_MOST_NAMES = 40
"""The most keys of one object that are names of fields; of more, the keys may be ids."""
_MOST_VALUES = 2_000
_MOST_MEMBERS = 6
_MOST_FREE_KEYS = 12
"""The most keys of an inner object of which no thing has all; of more, the keys are free words, no fields."""
_FEWEST_SEEN = 20
_CLOCK = re.compile(r"\d\d:\d\d(:\d\d)?")
_MOST_SEEN_WORDS = 12
_WORDLIKE = re.compile(r"[A-Za-z][A-Za-z _-]{0,30}")
_WORDS = re.compile(r"[A-Za-z][A-Za-z0-9 _()/-]{0,40}")
_NUMERAL = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,10})?")
_BROKEN = re.compile(r"-?(0|[1-9]\d{0,14})\.\d{1,10}")
# Quotes end a key of a path; text read from a log has pictures in place of control characters.
_UNREADABLE = re.compile(r"[\"'\]\[\s\u2400-\u2426\ufffd](?<! )|<U\+")
_SINGLE_WORDS = """
id ids number no nr code key uuid sku iban ref name email phone address zip city title
"""
_SINGLE = frozenset(_SINGLE_WORDS.split())
_STATUS = frozenset(["status", "state", "stage", "phase"])


@dataclass(frozen=True, slots=True)
class ShapePart:
    """The values at one path of objects: their type, and whether some objects lack the path.

    For a list, ``members`` are the objects in it; ``type`` is the type of its elements if they are single
    values. ``every`` is True if they are the members of an object whose keys are ids (``{"c1": {...}}``).
    """

    path: tuple[str, ...]
    type: ArgumentType | None
    optional: bool
    is_list: bool = False
    every: bool = False
    members: tuple[Mapping[str, Json], ...] = ()


@dataclass(slots=True)
class ResultShape:
    """The parts of objects, and the parts that are left out, with the reasons."""

    parts: list[ShapePart]
    left_out: list[str]


type Members = Mapping[str, Sequence[str]]
"""The members of enums that the tools' schemas declare, by the name of the property."""


def shape_of(objects: Sequence[Mapping[str, Json]], known: Members, *, lists: bool = True) -> ResultShape:
    """The common shape of these objects; ``known`` are the enums that the schemas of tools declare."""
    shaping = _Shaping(known, lists)
    parts = list(shaping.parts(distinct(objects), ()))
    if len(parts) > MOST_FIELDS:
        shaping.left_out.append(
            f"{len(parts) - MOST_FIELDS} of {len(parts)} fields, those that not all have first"
        )
        # What every thing has says more of it than what few have, wherever it stands.
        first = sorted(range(len(parts)), key=lambda place: (parts[place].optional, place))[:MOST_FIELDS]
        parts = [parts[place] for place in sorted(first)]
    return ResultShape(parts, shaping.left_out)


def distinct(objects: Iterable[Mapping[str, Json]]) -> list[Mapping[str, Json]]:
    """The different ones of these objects: a record that was looked up twice counts once."""
    object_by_text = {json.dumps(item, sort_keys=True): item for item in objects}
    return list(islice(object_by_text.values(), _MOST_VALUES))


@dataclass(slots=True)
class _Shaping:
    """Finds the parts of objects; ``known`` are the enums of schemas.

    With ``lists``, lists of objects are parts.

    ``left_out`` takes the parts that are none, with the reasons.
    """

    known: Members
    lists: bool
    left_out: list[str] = field(default_factory=list[str])

    def _leave(self, path: Sequence[str], why: str) -> None:
        self.left_out.append(f"{shown_path(path)}: {why}")

    def parts(self, objects: Sequence[Mapping[str, Json]], path: tuple[str, ...]) -> Iterator[ShapePart]:
        """The parts of objects at a path."""
        count_by_key: Counter[str] = Counter(key for item in objects for key in item)
        for number, key in enumerate(count_by_key):
            if number > 4 * MOST_FIELDS:
                self.left_out.append(f"{len(count_by_key)} different keys{_at(path)}")
                return
            key_path = (*path, key)
            if not _is_writable(key):
                self._leave(key_path, "no path can name it")
                continue
            values = [item[key] for item in objects if item.get(key) is not None]
            yield from self._part(values, key_path, len(values) < len(objects))

    def _part(self, values: Sequence[Json], path: tuple[str, ...], optional: bool) -> Iterator[ShapePart]:
        objects = [value for value in values if isinstance(value, dict)]
        lists = [value for value in values if isinstance(value, list)]
        if not values:
            self._leave(path, "it is null wherever it was seen")
        elif len(objects) == len(values) and is_table(objects):
            members = [member for table in objects for member in table.values()]
            yield from self._list(path, members, optional, every=True)
        elif len(objects) == len(values):
            yield from self._object(objects, path, optional)
        elif len(lists) == len(values):
            yield from self._list(path, [member for one in lists for member in one], optional)
        elif (type_ := type_of(values, path, self.known)) is None:
            self._leave(path, "its values are of several types")
        else:
            yield ShapePart(path, type_, optional)

    def _object(
        self, objects: Sequence[Mapping[str, Json]], path: tuple[str, ...], optional: bool
    ) -> Iterator[ShapePart]:
        if len(path) >= _DEPTH:
            self._leave(path, "it is too deep")
            return
        count_by_key = Counter(key for item in objects for key in item)
        if len(count_by_key) > _MOST_FREE_KEYS and max(count_by_key.values()) < len(objects):
            self._leave(path, f"{len(count_by_key)} different keys, and none that all have")
            return
        for part in self.parts(objects, path):
            yield replace(part, optional=part.optional or optional)

    def _list(
        self, path: tuple[str, ...], elements: Sequence[Json], optional: bool, *, every: bool = False
    ) -> Iterator[ShapePart]:
        members = tuple(element for element in elements if isinstance(element, dict))
        singles = [element for element in elements if not isinstance(element, dict)]
        if members and singles and not every:
            self._leave(path, "its elements are of several types")
        elif not elements:
            self._leave(path, "it was empty wherever it was seen")
        elif members and self.lists:
            yield ShapePart(path, None, optional, is_list=True, every=every, members=members)
        elif members:
            self._leave(path, "an element of a list has no list of things")
        else:
            type_ = type_of(singles, path, self.known)
            if type_ is None or (type_.kind not in (Kind.STR, Kind.ENUM, Kind.INT) and not self.lists):
                self._leave(path, "its elements are of several types, or lists")
            else:
                yield ShapePart(path, type_, optional, is_list=True)


def is_table(objects: Sequence[Mapping[str, Json]]) -> bool:
    """Whether the keys of these objects are ids of things, rather than names of fields."""
    members = [(key, value) for item in objects for key, value in item.items()]
    if not members or not all(isinstance(value, dict) for _, value in members):
        return False
    if all(isinstance(value, dict) and key in value.values() for key, value in members):
        return True
    count_by_key = Counter(key for key, _ in members)
    alike = set[str].intersection(*(set(value) for _, value in members if isinstance(value, dict)))
    rare = len(objects) > 2 and max(count_by_key.values()) * 2 <= len(objects)
    return bool(alike) and (len(count_by_key) > _MOST_NAMES or rare)


def type_of(values: Sequence[Json], path: Sequence[str], known: Members) -> ArgumentType | None:
    """The type that all values have, None if they have none in common."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return ArgumentType(Kind.BOOL)
    if kinds == {int} and not is_money(path):
        return ArgumentType(Kind.INT)
    if kinds <= {int, float}:
        return ArgumentType(Kind.DECIMAL, places=_places([repr(value) for value in values]))
    if not kinds <= {str, int}:
        return None
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values):
        return ArgumentType(Kind.STR)
    if all(_CLOCK.fullmatch(text) and _is_time(text, time) for text in texts):
        return ArgumentType(Kind.TIME)
    numeral_type = type_of_numerals(texts, path)
    return _type_of_words(texts, path, known) if numeral_type is None else numeral_type


def type_of_numerals(texts: Sequence[str], path: Sequence[str]) -> ArgumentType | None:
    """The type of texts that are all dates, times, or exact numbers; None for others."""
    if all(ISO_DATE.fullmatch(text) and _is_time(text, date) for text in texts):
        return ArgumentType(Kind.DATE)
    if all(len(text) > 10 and ISO_DATE.match(text) and _is_time(text, datetime) for text in texts):
        return ArgumentType(Kind.DATETIME)
    numeral = _NUMERAL if is_money(path) else _BROKEN
    if all(numeral.fullmatch(text) for text in texts):
        return ArgumentType(Kind.DECIMAL, places=_places(texts))
    return None


def _type_of_words(texts: Sequence[str], path: Sequence[str], known_members: Members) -> ArgumentType:
    """An enum if few words repeat or a schema declares them, else any text, with the few words seen.

    A status takes new values later than other words do (`disputed`), and an enum of those seen would make the
    thing unreadable then. So it is a text, with the values seen.
    """
    words = set(path[-1].lower().split("_"))
    count_by_text = Counter(texts)
    declared = known_members.get(path[-1], ())
    if declared and set(count_by_text) <= set(declared):
        return ArgumentType(Kind.ENUM, tuple(declared))
    fewest = 1 if words & _STATUS else 2
    if (
        {word for part in path for word in part.lower().split("_")} & _SINGLE
        or not fewest <= len(count_by_text) <= _MOST_SEEN_WORDS
        or not all(_WORDS.fullmatch(text) for text in count_by_text)
    ):
        return ArgumentType(Kind.STR)
    closed = (
        not words & _STATUS
        and len(count_by_text) <= _MOST_MEMBERS
        and len(texts) >= max(_FEWEST_SEEN, 5 * len(count_by_text))
        and min(count_by_text.values()) >= 2
        and all(_WORDLIKE.fullmatch(text) for text in count_by_text)
    )
    if closed or len(texts) >= 3 * len(count_by_text):
        return ArgumentType(Kind.ENUM if closed else Kind.STR, tuple(sorted(count_by_text)))
    return ArgumentType(Kind.STR)


def _is_time(text: str, kind: type[date | time]) -> bool:
    try:
        kind.fromisoformat(text)
    except ValueError:
        return False
    return True


def names_no_zone(texts: Iterable[Json]) -> bool:
    """Whether one of these times has no zone."""
    for text in texts:
        if isinstance(text, str):
            try:
                if datetime.fromisoformat(text).tzinfo is None:
                    return True
            except ValueError:
                continue
    return False


def _places(numerals: Iterable[str]) -> int:
    """The decimal places of numbers: at least two, as for money, and at most ten.

    What a computed float has beyond its own places (`55.300000000000004`) does not count.
    """
    return min(max(2, *(len(text.partition(".")[2]) for text in map(without_noise, numerals))), 10)


def _is_writable(key: str) -> bool:
    """Whether a path can name the key, and a person can read it."""
    return bool(key) and len(key) <= 80 and _UNREADABLE.search(key) is None and clean(key) == key


def shown_path(path: Sequence[str]) -> str:
    """A path for a person, on one line."""
    text = ".".join(clean(part).replace("\n", " ") for part in path)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _at(path: Sequence[str]) -> str:
    return f" at {shown_path(path)}" if path else ""
