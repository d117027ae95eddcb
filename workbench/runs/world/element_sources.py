"""Elements of a list with the sources of their fields: the places of each value before the call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.model import Element, FieldSource, Provenance, RecordedCall, RecordValue, Value, field_of
from workbench.runs.values.found_value import Missing
from workbench.runs.values.value_spellings import spellings
from workbench.runs.world.declared_failures import DeclaredFailures
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.earlier_places import places_of, run_before
from workbench.runs.world.joins import Joined


def with_sources(
    sources: Sequence[FieldSource],
    joined: Joined,
    call: RecordedCall,
    history: Sequence[RecordedCall],
    failures: DeclaredFailures,
) -> Joined:
    """The elements with one more field for each source; raises Missing if a source cannot be determined.

    ``failures`` says which of the earlier results are no place (see ``places_of``).
    """
    run = run_before(history)
    elements: list[Element] = []
    places = dict(joined.places)
    for number, element in enumerate(joined.elements):
        if not isinstance(element, RecordValue):
            elements.append(element)
            continue
        added: list[tuple[str, Value]] = []
        for source in sources:
            try:
                source_places = _places(source, field_of(element, source.of), call, run, failures)
            except Missing as missing:
                raise Missing(f"element {number + 1}, {source.name}: {missing}") from None
            added.append((source.name, frozenset(source_places)))
            if source_places:
                places[f"[{number}].{source.name}"] = tuple(source_places.values())
        elements.append(RecordValue(element.type, (*element.fields, *added)))
    return replace(joined, elements=tuple(elements), places=places)


def _places(
    source: FieldSource, value: Value, call: RecordedCall, run: Earlier, failures: DeclaredFailures
) -> dict[str, Provenance]:
    """The places of a value, under the session's names for them; none if there is no value."""
    if value is None:
        return {}
    if not isinstance(value, str | int) or not spellings(value):
        raise Missing("the value is no text or number that could have a source")
    names = {place: name for name, places in source.names.items() for place in places}
    return {
        names.get(place, place): where
        for place, where in places_of(value, call, run, source.text, failures, exact=source.exact)
    }
