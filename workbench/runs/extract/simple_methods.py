"""The readings ``field``, ``json`` and ``regex``: the simple ones."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import Kind, Provenance, TextReading
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import KeyLineReader, ReadsRegion, RegionOptions, TextRegion
from workbench.runs.values.found_value import FoundValue, Missing
from workbench.runs.values.json_paths import BadPath, parse_parts, walked
from workbench.runs.values.json_places import locate
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.values.patterns import IGNORECASE, MULTILINE, BadPattern, Match, Pattern, Work, compiled

_MAX_TEXT = 1_000_000


def field(reading: TextReading, options: Options) -> ReadsRegion:
    """The value of a ``Key: value`` line; ``key`` is the reading's name if not given."""
    line = KeyLineReader(options.text("key") or reading.name, options)

    def read(text: TextRegion) -> FoundValue:
        region = line.of(text)
        return FoundValue(region.text, (region.provenance("field", 0, len(region.text)),))

    return read


def json_value(reading: TextReading, options: Options) -> ReadsRegion:
    """The value at a ``path`` into a text that is JSON: the only one, or all for a set or a list.

    A text that is no JSON, and one with a key twice, has no such value.
    """
    path = options.text("path") or reading.name
    try:
        pattern = parse_parts(path)
    except BadPath as error:
        raise options.error(f"path: {error}") from None
    many = reading.type.kind in (Kind.SET, Kind.LIST)
    if None in pattern and not many:
        raise options.error(f"the path {path!r} gives many values, and {reading.name!r} is one")

    def read(region: TextRegion) -> FoundValue:
        try:
            found = walked(parse_json(region.text, unique_keys=True), pattern, every=True)
        except BadJson as error:
            raise Missing(f"{region.name} is no JSON: {error}") from None
        if not found and not many:
            raise Missing(f"{region.name} has nothing at {path}")
        placed = [(region, locate(region.text, at)) for _, at in found]
        places = tuple(text.provenance("json", *place) for text, place in placed if place is not None)
        values = [value for value, _ in found]
        # null is no list, and no member of one
        is_whole = many and None not in pattern and len(values) == 1 and isinstance(values[0], list | None)
        value = values if many and not is_whole else values[0]
        return FoundValue(value, places or (Provenance("json", region.name),))

    return read


def regex(reading: TextReading, options: Options) -> ReadsRegion:
    """The match of a ``group`` of ``pattern``: the only one for a single value, all for a set or a list.

    Without ``group`` it is the first group that took part in the match, or the whole match where the pattern
    has none. If the pattern takes longer than half a second on a text, the value is missing.
    """
    regions = RegionOptions(options)
    source = options.text("pattern")
    flags = IGNORECASE if options.flag("ignore_case") else 0
    try:
        pattern = compiled(source, flags | MULTILINE)
    except BadPattern as error:
        raise options.error(f"the pattern {source[:60]!r} does not compile: {error}") from None
    groups = _groups(options, pattern.groups, tuple(pattern.groupindex))
    many = reading.type.kind in (Kind.SET, Kind.LIST)

    def read(text: TextRegion) -> FoundValue:
        region = regions.of(text)
        if len(region.text) > _MAX_TEXT:
            raise Missing(f"{region.name} is longer than {_MAX_TEXT} characters")
        places: dict[str, list[Provenance]] = {}
        for start, end in _spans(pattern, groups, region.text, Work()):
            places.setdefault(region.text[start:end], []).append(region.provenance("regex", start, end))
        values = {value: tuple(entries) for value, entries in places.items()}
        every = tuple(entry for entries in values.values() for entry in entries)
        if many:
            return FoundValue(list(values), every or (Provenance("regex", region.name),), values)
        if not values:
            raise Missing(f"the pattern does not match {region.name}")
        if len(values) > 1:
            raise Missing(f"the pattern matches {len(values)} different texts in {region.name}")
        return FoundValue(next(iter(values)), every)

    return read


def _spans(pattern: Pattern, groups: Sequence[int | str], text: str, work: Work) -> list[tuple[int, int]]:
    try:
        spans = [_took_part(match, groups) for match in pattern.all_in(text, work)]
    except TimeoutError:
        raise Missing("the pattern takes too long on this text") from None
    return [(start, end) for start, end in spans if start >= 0]


def _took_part(match: Match, groups: Sequence[int | str]) -> tuple[int, int]:
    """The place of the first group that took part in a match."""
    return next((span for group in groups if (span := match.span(group))[0] >= 0), (-1, -1))


def _groups(options: Options, count: int, names: tuple[str, ...]) -> Sequence[int | str]:
    group = options.value("group")
    if group is None:
        return range(1, count + 1) or (0,)
    if isinstance(group, int) and not isinstance(group, bool) and 0 <= group <= count:
        return (group,)
    if isinstance(group, str) and group in names:
        return (group,)
    raise options.error(f"the pattern has no group {group!r}")
