"""The value of an argument's expression over a call and its run.

The places of what an expression read: fields of the call, records, and the earlier calls that counted.
"""

from __future__ import annotations

import decimal
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast

from workbench.dialect.call_fields import CallType, field_and_part
from workbench.dialect.run_values import (
    ELEMENT,
    CheckedExpressions,
    IsLookedUp,
    ReadingOf,
    RecordAt,
    SentencesWith,
    UserWords,
)
from workbench.model import (
    MOST_ELEMENTS,
    NO_ITEMS,
    Argument,
    ArgumentType,
    CallExpression,
    Element,
    Extracted,
    LookedUp,
    Provenance,
    RecordedCall,
    RecordType,
    RecordValue,
    Value,
    span_of,
)
from workbench.policy.elements_behind import elements_behind
from workbench.policy.evaluate import EXACT, UNDEFINED
from workbench.policy.name_patterns import Fitting
from workbench.policy.narrowed_values import NOTHING_READ
from workbench.policy.operations import Known
from workbench.policy.terms import Term, Variable
from workbench.policy.undetermined import Undetermined, fields_in, undetermined
from workbench.runs.expressions.evaluator import Evaluator, RunMoment
from workbench.runs.expressions.moment import Moment, Trace, text_with
from workbench.runs.expressions.scope import ReadExpression, RunScope, path_in_call, value_in
from workbench.runs.expressions.texts import PlacedText, ReadText
from workbench.runs.values.found_value import Missing, Unknown, needs_package
from workbench.runs.values.json_places import Path, locate
from workbench.runs.values.jsontext import shared
from workbench.runs.world.earlier_calls import run_before

if TYPE_CHECKING:
    from workbench.runs.extract.model_method import WantedText
    from workbench.runs.extract.text_readings import PreparedReading

_NAMED = 3
"""The number of reasons that a message gives."""


class ExpressionsOfAgent(NamedTuple):
    """The checked expressions of an agent, and what evaluates them."""

    checked: CheckedExpressions
    evaluator: Evaluator


class ExpressionOfArgument:
    """The expression of an argument, ready to be evaluated at many calls.

    A value that is not determined is missing, with the look-up that would tell more and the bounds of a
    number. A model may read texts in it.
    """

    def __init__(self, argument: Argument, expression: CallExpression, agent: ExpressionsOfAgent) -> None:
        """Take an argument and its expression, which was checked."""
        self.argument = argument
        self.expression = expression
        whole = agent.checked.read(expression.text, expression.tool)
        self.whole = ReadExpression(whole)
        named = whole.term.name if isinstance(whole.term, Variable) else ""
        self.is_record = isinstance(self.whole.values.get(named), RecordAt)
        self.is_look_up = isinstance(self.whole.values.get(named), IsLookedUp)
        self.agent = agent.evaluator
        fields: dict[str, ReadExpression] = {}
        for path, text in expression.fields.items():
            element = whole.element_at(path)
            fields[path] = ReadExpression(agent.checked.read(text, expression.tool, element))
        self.fields: Mapping[str, ReadExpression] = fields

    def extract(self, call: RecordedCall, history: Sequence[RecordedCall]) -> Extracted:
        """The argument of one call; ``missing`` is the reason if it cannot be determined."""
        try:
            return self._found(call, history)
        except Unknown as unknown:
            look_up = next(iter(unknown.look_ups), None)
            return Extracted(missing=str(unknown), look_up=look_up, between=unknown.between)
        except Missing as missing:
            why = str(missing)
        except ModuleNotFoundError as error:
            why = needs_package(error.name or "")
        except Exception as error:
            # A log is hostile: an error in a parser of it must neither stop the replay nor allow the call.
            why = f"expression failed on this call ({type(error).__name__})"
        return Extracted(missing=why)

    def elements(self, call: RecordedCall, history: Sequence[RecordedCall], truth: bool) -> set[Element]:
        """The elements of lists because of which the argument, a condition, is true or false at a call."""
        moment = self.agent.at(call, run_before(history))
        scope = RunScope(self.whole, moment, Trace(), {})
        try:
            with decimal.localcontext(EXACT):
                return elements_behind(self.whole.term, scope.valuation, truth)
        except UNDEFINED:
            return set()

    def wanted(self, call: RecordedCall, history: Sequence[RecordedCall]) -> tuple[LookedUp, ...]:
        """The look-ups that would give the records that the expression names."""
        if self.left_out(call.tool):
            return ()
        try:
            found = self._found(call, history)
        except Unknown as unknown:
            return tuple(replace(look_up, again=False) for look_up in unknown.look_ups)
        except Missing:
            return ()
        return () if found.look_up is None else (found.look_up,)

    def left_out(self, tool: str | None) -> bool:
        """Whether calls of a tool do not have the argument."""
        return not self.expression.plays_for(tool)

    @property
    def asks_model(self) -> bool:
        """Whether a model reads a text in it."""
        return any(True for _ in self._by_model())

    def wanted_texts(self, call: RecordedCall) -> Sequence[WantedText]:
        """The requests to the model about the texts of the call itself; none if the model is not asked."""
        found: list[WantedText] = []
        if self.left_out(call.tool):
            return found
        with suppress(Exception):  # extracting the call reports the error
            scope = RunScope(self.whole, Moment(self.agent.reader, call, run_before(())), Trace(), {})
            for text, reading in self._by_model():
                value = value_in(scope, text)
                wanted = reading.wanted(value) if isinstance(value, str) else None
                found += [] if wanted is None else [wanted]
        return found

    def _by_model(self) -> Iterator[tuple[Term, PreparedReading]]:
        for value in self.whole.values.values():
            if isinstance(value, ReadingOf):
                from workbench.runs.extract.text_readings import PreparedReading

                reading = self.agent.reader.readings.get(value.reading)
                if isinstance(reading, PreparedReading) and reading.by_model is not None:
                    yield value.text, reading

    def _found(self, call: RecordedCall, history: Sequence[RecordedCall]) -> Extracted:
        """The value with its places; raises Unknown if it is not determined."""
        if call.tool is None and (self.expression.tool or self.expression.tools):
            raise Missing("the log does not say which tool the call is of")
        moment = self.agent.at(call, run_before(history))
        evaluation = _Evaluation(self, moment, Trace())
        known = evaluation.value(self.whole, {})
        records = list(evaluation.trace.records.values())
        value = evaluation.fitted(known, self.argument.type, "")
        if isinstance(value, Undetermined):
            raise evaluation.unknown(value)
        if not self.is_record:
            if value is None and not self.argument.type.optional:
                raise Missing("the log has null")
            of_items = items(self.whole, moment, evaluation.trace)
            look_up = records[-1].remedy if self.is_look_up and value is False and records else None
            return Extracted(value, places(self.whole, moment, evaluation.trace), None, of_items, look_up)
        fact = records[-1].fact
        provenances = fact.provenance or (Provenance(shared(f"record ({fact.why})")),)
        fields = fact.fields(self.argument.name)
        return Extracted(value, provenances, None, fields, None, fact.state.value)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """The evaluation of an argument's expressions at one call."""

    reading: ExpressionOfArgument
    moment: RunMoment
    trace: Trace

    def value(self, read: ReadExpression, bound: Mapping[str, Known]) -> Known:
        """The value of one of the expressions."""
        return self.moment.value(read, self.trace, bound)

    def fitted(self, value: Known, type_: ArgumentType, path: str) -> Known:
        """The value with the fields of its type; undetermined if it, or one of them, is.

        Of an undetermined record the other fields are known. What is known of a list of which one element is
        undetermined says nothing of the whole list.
        """
        if isinstance(value, RecordValue) and type_.record is not None:
            return self._record(value, type_.record, path)
        element = type_.element
        if isinstance(value, tuple) and element is not None:
            if len(value) > MOST_ELEMENTS:
                reason = f"it has {len(value)} elements, more than the {MOST_ELEMENTS} that are looked at"
                raise Unknown(reason)
            elements = [self.fitted(item, element, path) for item in value]
            known = tuple(cast("Element", one) for one in elements if not isinstance(one, Undetermined))
            return known if len(known) == len(elements) else undetermined(*elements)
        return value

    def _record(self, value: RecordValue, declared: RecordType, path: str) -> RecordValue | Undetermined:
        fields: list[tuple[str, Value]] = []
        lacking: list[Undetermined] = []
        for name, type_ in declared.fields:
            own = self.reading.fields.get(f"{path}{name}")
            held = _field(value, name) if own is None else self.value(own, {ELEMENT: value})
            fitted = self.fitted(held, type_, f"{path}{name}.")
            if isinstance(fitted, Undetermined):
                lacking.append(fitted)
            else:
                fields.append((name, fitted))
        known = RecordValue(declared.name, tuple(fields))
        return Undetermined(undetermined(*lacking).names, known) if lacking else known

    def unknown(self, value: Undetermined) -> Unknown:
        """That the value is not determined: why, with the look-ups that would tell more."""
        reasons = sorted(value.names)
        more = f" (and {len(reasons) - _NAMED} more)" if len(reasons) > _NAMED else ""
        remedies = self.trace.remedies
        look_ups = tuple(remedies[reason] for reason in reasons if reason in remedies)
        between = None if isinstance(value.between, Fitting) else value.between
        return Unknown("; ".join(reasons[:_NAMED]) + more, look_ups, between)


def _field(value: RecordValue, name: str) -> Known:
    """A field of a record; ``payment_amount`` is the field ``amount`` of its field ``payment``.

    It has a ``_`` at its end if the record has a field of that name.
    """
    own = fields_in(value)
    if name in own:
        return own[name]
    for field_name, held in own.items():
        plain = field_name.replace(".", "_")
        if "." in field_name and plain == name.rstrip("_"):
            return held
        if isinstance(held, Undetermined) and name.startswith(f"{plain}_"):
            return held
        if isinstance(held, RecordValue) and name.startswith(f"{field_name}_"):
            rest = name.removeprefix(f"{field_name}_")
            return _field(held, rest if rest in fields_in(held) else rest.rstrip("_"))
    if name == NOTHING_READ:
        return False
    return Undetermined(frozenset({f"a {value.type} has no {name}"}))


_METHOD = "expression"
_MOST_RECORDS = 16
"""The number of records whose places are named."""


def places(read: ReadExpression, moment: Moment, trace: Trace) -> tuple[Provenance, ...]:
    """The places of what an evaluation read."""
    texts = _Texts(read, moment, trace)
    of_readings = [place for read_text in trace.readings.values() for place in texts.places(*read_text)]
    found = (*of_readings, *_own(read, moment, texts.paths), *_of_records(read, trace), *_of_calls(trace))
    found += tuple(islice(trace.sources, _MOST_RECORDS))
    return tuple(dict.fromkeys(found)) or (Provenance(_METHOD),)


def items(read: ReadExpression, moment: Moment, trace: Trace) -> Mapping[str, tuple[Provenance, ...]]:
    """The places of the elements of a set, if the expression is a reading of one of the call's own texts."""
    term = read.expression.term
    found = trace.readings.get(term.name) if isinstance(term, Variable) else None
    if found is None:
        return NO_ITEMS
    of, read_text = found
    text = _Texts(read, moment, trace).placed(of.text)
    if text is None:
        return NO_ITEMS
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
            case UserWords(attribute, ()):
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
        (key,) = _keys_of(of, path) or ("",)
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
            yield Provenance(_METHOD, "time" if is_time and "time" in moment.call.texts else "")
        else:
            yield _place_in_arguments(moment.call, _keys_of(moment.of, path))


def _keys_of(of: CallType, path: Sequence[str]) -> Path:
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


def _place_in_arguments(call: RecordedCall, path: Path) -> Provenance:
    """A place in the arguments of a call."""
    text = call.texts.get("arguments")
    place = None if text is None else locate(text, path)
    return Provenance(_METHOD, "arguments", () if text is None or place is None else (span_of(text, *place),))


def _of_records(read: ReadExpression, trace: Trace) -> Iterator[Provenance]:
    """The places of the fields of records that the expression reads, or of the record."""
    for (record, _), found in list(trace.records.items())[:_MOST_RECORDS]:
        fields = found.fact.fields(record)
        chosen = [
            place
            for name in read.fields_of_records.get(record, ())
            for place in fields.get(f"{record}.{name.replace('.', '_')}", ())
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
