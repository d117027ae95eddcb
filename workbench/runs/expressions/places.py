"""The places of what an expression read: fields of the call, records, and the earlier calls that counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.dialect.call_fields import CallType
from workbench.model import Provenance, RecordedCall, span_of
from workbench.runs.expressions.moment import Moment, Trace
from workbench.runs.expressions.scope import ReadExpression
from workbench.runs.values.json_places import Path, locate

METHOD = "expression"
_MOST_RECORDS = 16
"""The number of records whose places are named."""


def places(read: ReadExpression, moment: Moment, trace: Trace) -> tuple[Provenance, ...]:
    """The places of what an evaluation read."""
    found = (*_own(read, moment), *_of_records(read, trace), *_of_calls(trace))
    return tuple(dict.fromkeys(found)) or (Provenance(METHOD),)


def _own(read: ReadExpression, moment: Moment) -> Iterator[Provenance]:
    """The places of the fields of the decided call."""
    for path in read.own_paths:
        if moment.of is None or path == ("time",):
            yield Provenance(METHOD, "time" if path == ("time",) and "time" in moment.call.texts else "")
        else:
            yield place_in_arguments(moment.call, keys_of(moment.of, path))


def keys_of(of: CallType, path: Sequence[str]) -> Path:
    """The keys of a field of a call, by the names of fields; as far as they are fields of objects."""
    keys: list[str] = []
    fields = of.fields
    for name in path:
        declared = next((one for one in fields if one.name == name), None)
        if declared is None:
            break
        keys.append(declared.key)
        fields = declared.fields
    return tuple(keys)


def place_in_arguments(call: RecordedCall, path: Path) -> Provenance:
    """A place in the arguments of a call."""
    text = call.texts.get("arguments")
    place = None if text is None else locate(text, path)
    return Provenance(METHOD, "arguments", () if text is None or place is None else (span_of(text, *place),))


def _of_records(read: ReadExpression, trace: Trace) -> Iterator[Provenance]:
    """The places of the fields of records that the expression reads, or of the record."""
    for (record, _), found in list(trace.records.items())[:_MOST_RECORDS]:
        fields = found.fact.fields(record)
        chosen = [
            place
            for name in read.fields_of_records.get(record, ())
            for place in fields.get(f"{record}.{name}", ())
        ]
        why = (Provenance(f"record ({found.fact.why})"),) if found.fact.why else ()
        yield from chosen or found.fact.provenance or why


def _of_calls(trace: Trace) -> Iterator[Provenance]:
    """The earlier calls that counted, by their numbers: their texts are not this call's."""
    for number, first in trace.counted:
        named = ", ".join(map(str, first))
        more = f" and {number - len(first)} more" if number > len(first) else ""
        calls = f"call{'s' if number > 1 else ''} {named}{more}" if number else "no such call"
        yield Provenance(f"history ({calls})")
