"""Method ``source``: the origin of a value of the call, as far as the run shows it."""

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
from workbench.runs.world.declared_failures import DeclaredFailures
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.earlier_places import places_of, run_before


def source(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    """The places where the values at ``path`` appeared before the call, as a set of texts.

    A place is one of these:

    * ``user``: the user's words (``text``).
    * ``application``: the context, or the application's text for the agent.
    * ``TOOL.field.field``: the whole of this field of a result of the tool, lists left out. A result that is
      not JSON is one field without a name.
    * ``TOOL.field:text``: a part of the text there.
    * ``TOOL:key``: a key.

    ``names`` gives places a name of the session: ``{register = ["get_supplier.iban"]}``. For several values
    the result is the places that all of them have. With ``without`` the result is instead the values that
    appear in none of these places. With ``pattern`` the values are its matches in the text at the path.
    Spellings of a value are one value unless ``exact``. A value that appears nowhere has no source: the agent
    made it. A call without a value has no source either. ``also`` are more paths of the call, whose values
    are searched for too.
    """
    if argument.type.kind is not Kind.SET:
        raise options.error("the places of a value are an argument of the type set")
    search = _Search.of(options, DeclaredFailures(spec.records, spec.errors))
    trusted = frozenset(options.texts("without"))

    def extract(call: RecordedCall, earlier: Sequence[RecordedCall]) -> FoundValue:
        values = search.values(call)
        if not values:
            return FoundValue([], (Provenance("source (the call has no such value)"),))
        run = run_before(earlier)
        own_places = tuple(place for _, place in values)
        places = [search.places(value, call, run) for value, _ in values]
        if trusted:
            pairs = zip(values, places, strict=True)
            strange = [str(value) for (value, _), names in pairs if trusted.isdisjoint(names)]
            return FoundValue([*strange], own_places)
        common = {
            place: where
            for place, where in places[0].items()
            if all(place in places_of_value for places_of_value in places)
        }
        items = {place: (where, *own_places) for place, where in common.items()}
        return FoundValue([*common], (*own_places, *common.values()), items)

    return extract


@dataclass(frozen=True, slots=True)
class _Search:
    """The values of a call whose places are searched for, and the options of the search.

    ``paths`` and ``also`` are the paths of the values; ``parts`` selects the parts of each value that count.
    ``texts`` are the names of the user's texts; ``names`` has the session's name by place. ``failures`` says
    which results report a failed call.
    """

    paths: Paths
    also: tuple[Pattern, ...]
    parts: ResultParts | None
    texts: tuple[str, ...]
    exact: bool
    names: Mapping[str, str]
    failures: DeclaredFailures

    @classmethod
    def of(cls, options: Options, failures: DeclaredFailures) -> _Search:
        """Read the options; raises WorkbenchError for a wrong one."""
        paths, texts, exact = Paths(options), options.texts("text"), options.flag("exact")
        if not paths.is_given:
            raise options.error("path is needed")
        also = tuple(parse_path(path, options) for path in options.texts("also"))
        names = {place: name for name, places in options.words("names").items() for place in places}
        return cls(paths, also, result_parts(options), texts, exact, names, failures)

    def values(self, call: RecordedCall) -> list[tuple[str | int | float, Provenance]]:
        """The values of a call, each with its place; raises Missing for a value that cannot have a source."""
        try:
            return [
                placed_value
                for path in (self.paths.of(call), *self.also)
                for placed_value in _values(call, path, self.parts)
            ]
        except Absent:
            return []

    def places(self, value: str | int | float, call: RecordedCall, run: Earlier) -> dict[str, Provenance]:
        """The provenances of a value before the call, by the name of the place."""
        return {
            self.names.get(place, place): where
            for place, where in places_of(value, call, run, self.texts, self.failures, exact=self.exact)
        }


def _values(
    call: RecordedCall, path: Pattern, parts: ResultParts | None
) -> list[tuple[str | int | float, Provenance]]:
    values: list[tuple[str | int | float, Provenance]] = []
    try:
        held = matches(call, path, every=True)
    except Absent:
        return values
    if None not in path:  # one value; null means that the call has none
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
