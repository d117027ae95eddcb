"""Method ``source``: where a value of the call came from, as far as the run shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.model import AgentSpec, Argument, Kind, Provenance, RecordedCall
from workbench.runs.extract.jsonpath import Paths, parse_path
from workbench.runs.extract.options import Options
from workbench.runs.extract.result_parts import ResultParts, result_parts
from workbench.runs.values.call_paths import matches
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.values.json_paths import Pattern
from workbench.runs.values.value_spellings import is_value, spellings
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.earlier_places import places_of, run_before


def source(argument: Argument, _spec: AgentSpec, options: Options) -> Method:
    """The places in which the values at ``path`` stood before the call, a set of texts.

    ``user``: in the user's words (``text``). ``application``: in the context, or in what the application told
    the agent. ``TOOL.field.field``: as the whole of this field of a result of the tool, lists left out;
    ``TOOL.field:text``: within the text there; ``TOOL:key``: as a key. A result that is no JSON is one field
    without a name. ``names`` calls places by a name of the session: ``{register = ["get_supplier.iban"]}``.
    Of several values it is the places that all of them have; with ``without``, it is the values instead that
    stand in none of these places. With ``pattern`` the values are what it matches in the text at the path.
    Spellings of a value are one value unless ``exact``. A value that stands nowhere has no source: the agent
    made it, or the call has none. ``also`` are more paths of the call, whose values are looked for too.
    """
    if argument.type.kind is not Kind.SET:
        raise options.error("the places of a value are an argument of the type set")
    search = _Search.of(options)
    trusted = frozenset(options.texts("without"))

    def extract(call: RecordedCall, earlier: Sequence[RecordedCall]) -> FoundValue:
        values = search.values(call)
        if not values:
            return FoundValue([], (Provenance("source (the call has no such value)"),))
        run = run_before(earlier)
        own = tuple(place for _, place in values)
        places = [search.places(value, call, run) for value, _ in values]
        if trusted:
            pairs = zip(values, places, strict=True)
            strange = [str(value) for (value, _), names in pairs if trusted.isdisjoint(names)]
            return FoundValue([*strange], own)
        common = {
            place: where
            for place, where in places[0].items()
            if all(place in places_of_value for places_of_value in places)
        }
        items = {place: (where, *own) for place, where in common.items()}
        return FoundValue([*common], (*own, *common.values()), items)

    return extract


@dataclass(frozen=True, slots=True)
class _Search:
    """The values of a call whose places are looked for, and how.

    ``paths`` is where the values stand, ``also`` are more such paths, ``parts`` what of each value counts.
    ``texts`` are those of the user's words, ``names`` those of the session by place.
    """

    paths: Paths
    also: tuple[Pattern, ...]
    parts: ResultParts | None
    texts: tuple[str, ...]
    exact: bool
    names: Mapping[str, str]

    @classmethod
    def of(cls, options: Options) -> _Search:
        """Read the options; raises WorkbenchError for a wrong one."""
        paths, texts, exact = Paths(options), options.texts("text"), options.flag("exact")
        if not paths.is_given:
            raise options.error("path is needed")
        also = tuple(parse_path(path, options) for path in options.texts("also"))
        names = {place: name for name, places in options.words("names").items() for place in places}
        return cls(paths, also, result_parts(options), texts, exact, names)

    def values(self, call: RecordedCall) -> list[tuple[str | int | float, Provenance]]:
        """The values of a call, each with its place; raises Missing for one that can have no source."""
        try:
            return [
                placed_value
                for path in (self.paths.of(call), *self.also)
                for placed_value in _values(call, path, self.parts)
            ]
        except Absent:
            return []

    def places(self, value: str | int | float, call: RecordedCall, run: Earlier) -> dict[str, Provenance]:
        """Where a value stood before the call, by the name of the place."""
        return {
            self.names.get(place, place): where
            for place, where in places_of(value, call, run, self.texts, exact=self.exact)
        }


def _values(
    call: RecordedCall, path: Pattern, parts: ResultParts | None
) -> list[tuple[str | int | float, Provenance]]:
    values: list[tuple[str | int | float, Provenance]] = []
    try:
        held = matches(call, path, every=True)
    except Absent:
        return values
    if None not in path:  # one value; null is how a call says that it has none
        held = [(value, place) for value, place in held if value is not None]
    for value, place in held:
        if parts is not None:
            if not isinstance(value, str):
                raise Missing(f"{shown(value)} is no text in which the pattern could match")
            values += [(part, place) for part in sorted(parts(value)) if spellings(part)]
            continue
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, str | int | float) or not is_value(item) or not spellings(item):
                raise Missing(f"{shown(item)} is no text or number that could have a source")
            values.append((item, place))
    return values
