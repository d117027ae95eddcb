"""The places of what an expression read: fields of the call, records, and the earlier calls that counted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from workbench.dialect.call_fields import CallType, field_and_part
from workbench.dialect.run_values import ReadingOf, SentencesWith, UserWords
from workbench.model import Provenance, RecordedCall, span_of
from workbench.policy.terms import Term, Variable
from workbench.runs.expressions.moment import Moment, Trace, text_with
from workbench.runs.expressions.scope import ReadExpression, path_in_call
from workbench.runs.expressions.texts import PlacedText, ReadText
from workbench.runs.values.json_places import Path, locate

METHOD = "expression"
_MOST_RECORDS = 16
"""The number of records whose places are named."""


def places(read: ReadExpression, moment: Moment, trace: Trace) -> tuple[Provenance, ...]:
    """The places of what an evaluation read."""
    texts = _Texts(read, moment, trace)
    of_readings = [place for read_text in trace.readings.values() for place in texts.places(*read_text)]
    found = (*of_readings, *_own(read, moment, texts.paths), *_of_records(read, trace), *_of_calls(trace))
    return tuple(dict.fromkeys(found)) or (Provenance(METHOD),)


def items(read: ReadExpression, moment: Moment, trace: Trace) -> Mapping[str, tuple[Provenance, ...]]:
    """The places of the elements of a set, if the expression is a reading of one of the call's own texts."""
    term = read.expression.term
    found = trace.readings.get(term.name) if isinstance(term, Variable) else None
    if found is None:
        return {}
    of, read_text = found
    text = _Texts(read, moment, trace).placed(of.text)
    if text is None:
        return {}
    return {item: tuple(map(text.placed, every)) for item, every in read_text.items.items()}


class _Texts:
    """The texts that an expression reads among the call's own; ``paths`` are the fields that were found."""

    def __init__(self, read: ReadExpression, moment: Moment, trace: Trace) -> None:
        self._read, self._moment, self._trace = read, moment, trace
        self.paths: set[tuple[str, ...]] = set()

    def places(self, of: ReadingOf, read_text: ReadText) -> Iterator[Provenance]:
        """The places of what a reading gave; none for a text that is not the call's own."""
        text = self.placed(of.text)
        if text is not None:
            yield from map(text.placed, read_text.provenance)

    def placed(self, term: Term) -> PlacedText | None:
        """The place of a text in the texts of the call; None if it is in none, or in another form."""
        texts = self._moment.call.texts
        value = self._read.values.get(term.name) if isinstance(term, Variable) else None
        match value:
            case UserWords(attribute):
                words = text_with(texts, attribute)
                return None if words is None else PlacedText.of(words, texts[words])
            case SentencesWith(text) if isinstance(term, Variable):
                whole, spans = self.placed(text), self._trace.sentences.get(term.name)
                return None if whole is None or spans is None else whole.parts(spans)
            case _:
                return self._field(path_in_call(term))

    def _field(self, path: tuple[str, ...]) -> PlacedText | None:
        of, call = self._moment.of, self._moment.call
        if of is None or len(path) != 1:
            return None
        (key,) = keys_of(of, path) or ("",)
        name, value = f"arguments.{key}", (call.arguments or {}).get(str(key))
        text = call.texts.get(name)
        if text is None or text != value:
            return None
        self.paths.add(path)
        return PlacedText.of(name, text)


def _own(read: ReadExpression, moment: Moment, placed: Collection[tuple[str, ...]]) -> Iterator[Provenance]:
    """The places of the fields of the decided call; those of texts that were ``placed`` are known."""
    for path in read.own_paths:
        if path in placed:
            continue
        is_time = field_and_part(path[0])[0] == "time" if len(path) == 1 else False
        if moment.of is None or is_time:
            yield Provenance(METHOD, "time" if is_time and "time" in moment.call.texts else "")
        else:
            yield place_in_arguments(moment.call, keys_of(moment.of, path))


def keys_of(of: CallType, path: Sequence[str]) -> Path:
    """The keys of a field of a call, by the names of fields; as far as they are fields of objects."""
    keys: list[str] = []
    fields = of.fields
    for name in path:
        declared = next((one for one in fields if one.name == field_and_part(name)[0]), None)
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
