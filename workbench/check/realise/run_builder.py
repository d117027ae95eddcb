"""Runs from inputs: calls, results and look-ups that give the values of a model's arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import cast

from workbench.check.realise.json_values import (
    JsonObjects,
    KeyPart,
    Path,
    field_at,
    json_of,
    matching_text,
    plain_word,
    put,
)
from workbench.check.realise.kind_texts import text_with
from workbench.check.realise.near_runs import NO_CHANGES, Changes
from workbench.check.realise.reading_texts import ReadingTexts
from workbench.check.realise.run_model import (
    APPROVED,
    CALL_OF_LIST,
    ELEMENT,
    FAILED,
    SUCCEEDED,
    TIME,
    CallList,
    FieldOfRecord,
    OfArgument,
    RunModel,
    typed_part,
)
from workbench.dialect.call_fields import (
    CALL_TIME,
    CallField,
    field_and_part,
    fields_as_read,
    name_in_record,
    part_name,
)
from workbench.dialect.run_terms import text_of
from workbench.dialect.run_values import (
    CALL,
    FIRST_SAID,
    LAST_SAID,
    SAID,
    ContextValue,
    IsLookedUp,
    LastCall,
    ReadingOf,
    RecordAt,
    RunExpression,
    RunValue,
    SentencesWith,
    SourceOf,
    UserWords,
    all_parts,
)
from workbench.model import (
    AS_KEY,
    IN_TEXT,
    AgentSpec,
    Arguments,
    Element,
    Json,
    Kind,
    Record,
    RecordedCall,
    RecordField,
    RecordValue,
    Run,
    Value,
)
from workbench.policy.terms import Attribute, Constant, IsMissing, Not, Term, Variable
from workbench.policy.walk import path_of, root_and_path
from workbench.runs.expressions.moment import USER_TEXTS
from workbench.runs.kinds.kinds_by_name import OWN_TEXT
from workbench.runs.values.json_paths import parse_parts, walked
from workbench.runs.world.record_keys import key_of_parts, look_up_arguments

RUN = "realised"
_BASE = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_HOUR = timedelta(hours=1)
_USER, _APPLICATION = "user", "application"
_MOMENT = "moment"
_OF_CALL = CallField(TIME, TIME, dict(CALL_TIME)[TIME])


@dataclass
class _Call:
    """A call that is being made."""

    tool: str
    known: dict[Path, Value] = field(default_factory=dict[Path, Value])
    arguments: dict[str, Json] = field(default_factory=dict[str, Json])
    result: str | None = None
    failed: bool = False
    approved: bool = False
    time: datetime | None = None


@dataclass
class _Demand:
    """A record that has to be known, or known to be absent."""

    record: str
    keys: tuple[KeyPart, ...]
    fields: dict[str, Value] = field(default_factory=dict[str, Value])
    absent: bool = False


class RunBuilder:
    """Builds the run and the decided call of one input. What cannot be built is left out."""

    def __init__(
        self,
        spec: AgentSpec,
        model: RunModel,
        values: Arguments,
        texts: ReadingTexts,
        changes: Changes = NO_CHANGES,
    ) -> None:
        """Take the agent, the model, the values of its arguments and lists, texts to read, and changes."""
        self.spec = spec
        self.texts = texts
        self.changes = changes
        self.model = model
        self.values = values
        self.records = {record.name: record for record in spec.records}
        self.objects = JsonObjects(self.records)
        self.demands: dict[tuple[str, str], _Demand] = {}
        self.further: dict[tuple[str, str], dict[str, Json]] = {}
        self.calls: list[_Call] = []
        self.look_ups: list[_Call] = []
        self.elements: dict[str, tuple[Element, ...]] = {}
        self.said: list[str] = ["Please."]
        self.messages: dict[str, str] = {}
        self.context: dict[str, Json] = {}
        self.decided = _Call(model.tool)

    def run(self) -> Run:
        """The run; its last call is the decided one."""
        self._read_call()
        for calls in self.model.lists.values():
            self._read_list(calls)
        self._add_calls()
        self._read_records()
        self._add_records()
        self._read_context()
        self._read_sources()
        for demand in list(self.demands.values()):
            self._meet(demand)
        return self._assembled()

    def ended(self, *, failed: bool, result: str | None = None) -> Run:
        """The run with an outcome of its last call, and a result that says nothing unless it is given."""
        self.decided.failed = failed
        run = self.run()
        said = result if result is not None and not failed else self._plain_result(self.decided)
        last = replace(run.calls[-1], result=self._with_parts_of_records(self.decided.tool, said))
        return replace(run, calls=(*run.calls[:-1], last))

    # --- the calls ------------------------------------------------------------------

    def _value(self, term: Term) -> tuple[bool, Value]:
        """Whether the model has a value for a field of the call or a value of the run, and the value."""
        for one in self.model.arguments:
            if one.expression.term == term and one.argument.name in self.values:
                return True, self.values[one.argument.name]
        for parameter, own in self.model.own.values():
            if own == term and parameter.name in self.values:
                return True, self.values[parameter.name]
        return False, None

    def _read_call(self) -> None:
        """The fields of the decided call, and its time."""
        terms = [one.expression.term for one in self.model.arguments]
        terms += [term for _, term in self.model.own.values()]
        for term in terms:
            if not isinstance(term, Attribute) or typed_part(term) is not None:
                continue
            root, path = root_and_path(term)
            if root.name != CALL:
                continue
            found, value = self._value(term)
            if found and path == (TIME,):
                self.decided.time = value if isinstance(value, datetime) else None
            elif found:
                self.decided.known[path] = value
        for one in self.model.arguments:
            self._fill_elements(one)
        self._read_texts()
        self._read_parts()
        self._read_elements_of_kinds()
        self.decided.known |= self.changes.own
        self._make(self.decided)

    def _read_texts(self) -> None:
        """Write the texts of the call, and the user's words, that give readings their values."""
        wanted: dict[str, tuple[Term, dict[str, Value]]] = {}
        for one in self.model.arguments:
            name = path_of(one.expression.term) if isinstance(one.expression.term, Variable) else ""
            named = self.model.values.get(name)
            if isinstance(named, ReadingOf) and one.argument.name in self.values:
                readings = wanted.setdefault(text_of(named.text), (named.text, {}))[1]
                readings[named.reading] = self.values[one.argument.name]
        for term, readings in wanted.values():
            text = self.texts.giving(readings)
            if text is not None:
                self._write(term, text)

    def _write(self, term: Term, text: str) -> None:
        """Let a text of the call, or the user's words, be this text."""
        named = self.model.values.get(term.name) if isinstance(term, Variable) else None
        match named:
            case UserWords(attribute, ()) if attribute != SAID:
                self.messages[attribute] = text
            case UserWords(_, ()):
                self.said = [text]
            case SentencesWith(Variable(), value) if text:
                self.said.append(f"{self._named(value)}: {text}.")
            case None if isinstance(term, Attribute):
                root, path = root_and_path(term)
                if root.name == CALL:
                    self.decided.known.setdefault(path, text)
            case _:
                pass

    def _read_parts(self) -> None:
        """Give the texts of the call the parts that are wanted of them."""
        wanted: dict[Path, dict[str, Value]] = {}
        terms = [one.expression.term for one in self.model.arguments]
        terms += [term for _, term in self.model.own.values()]
        for term in terms:
            of_call = typed_part(term)
            found, held = (False, None) if of_call is None else self._value(term)
            if of_call is not None and found:
                path, part = of_call
                wanted.setdefault(path, {})[part] = held
        for path, parts in wanted.items():
            if path == (TIME,):
                time = self._with_parts(_OF_CALL, parts, self.decided.time)
                self.decided.time = time if isinstance(time, datetime) else None
                continue
            one = field_at(self.model.types.of_tool(self.model.tool).fields, path)
            value = None if one is None else self._with_parts(one, parts, self.decided.known.get(path))
            if value is not None:
                self.decided.known[path] = value

    def _read_elements_of_kinds(self) -> None:
        """Write the texts whose lists have elements with typed parts."""
        fields = self.model.types.of_tool(self.model.tool).fields
        for path, elements in self.decided.known.items():
            one = field_at(fields, path)
            if one is not None and one.kind and isinstance(elements, tuple):
                self.decided.known[path] = tuple(self._text_of(one, element) for element in elements)

    def _text_of(self, one: CallField, element: Element) -> Element:
        if not isinstance(element, RecordValue):
            return element
        text = text_with(one.kind, dict(element.fields), one.options, self.spec.zone)
        return self.objects.plain.text(one.name) if text is None else text

    def _fill_elements(self, one: OfArgument) -> None:
        """Give the elements of a list of the call the fields by which they name records."""
        elements = self.values.get(one.argument.name)
        term = one.expression.term
        if not one.fields or not isinstance(elements, tuple) or not isinstance(term, Attribute):
            return
        root, path = root_and_path(term)
        filled: list[Element] = []
        for element in elements:
            if isinstance(element, RecordValue):
                held = dict(element.fields)
                for part in (
                    part for read in one.fields.values() for part in all_parts(read.term, read.values)
                ):
                    self._fill(held, part)
                element = RecordValue(element.type, tuple(held.items()))
            filled.append(element)
        self.elements[one.argument.name] = tuple(filled)
        if root.name == CALL:
            self.decided.known[path] = tuple(filled)

    def _fill(self, held: dict[str, Value], part: Term) -> None:
        if isinstance(part, Attribute) and root_and_path(part)[0].name == ELEMENT:
            name = "_".join(root_and_path(part)[1])
            if name not in held:
                held[name] = self.objects.plain.of_type(part.type, name)

    def _named(self, term: Term) -> Value:
        """A value that a sentence names; one of the call that is open gets a text without numbers."""
        if isinstance(term, Attribute) and term.type.kind is Kind.STR:
            root, path = root_and_path(term)
            if root.name == CALL:
                return self.decided.known.setdefault(path, plain_word(path[-1]))
        return self._key(term, {})

    def _make(self, call: _Call) -> None:
        fields = self.model.types.of_tool(call.tool).fields
        call.arguments = self.objects.arguments(fields, call.known)

    def _read_list(self, calls: CallList) -> None:
        """The earlier calls of one tool."""
        elements = self.values.get(calls.argument)
        for element in elements if isinstance(elements, tuple) else ():
            if not isinstance(element, RecordValue):
                continue
            held = dict(element.fields)
            call = _Call(calls.tool)
            for name, path in calls.paths.items():
                if name in held and path[0] not in (TIME, SUCCEEDED, FAILED, APPROVED, "result"):
                    call.known[path] = held[name]
            when, result = held.get(TIME), held.get("result")
            call.time = when if isinstance(when, datetime) else None
            call.failed = held.get(FAILED) is True or (
                SUCCEEDED in calls.types and held.get(SUCCEEDED) is False
            )
            call.approved = held.get(APPROVED) is True
            call.result = result if isinstance(result, str) else None
            self._make(call)
            self.calls.append(call)
            for name, of_record in calls.records.items():
                if name in held:
                    self._demand_field(of_record, held[name], call)

    def _add_calls(self) -> None:
        """The earlier calls beside those of the input."""
        now = self.decided.time or _BASE
        for further in self.changes.calls:
            when = _before(now, further.before)
            call = _Call(further.tool, dict(further.known), failed=further.failed, time=when)
            self._make(call)
            self.calls.append(call)

    # --- records --------------------------------------------------------------------

    def _add_records(self) -> None:
        """The records beside those of the input, and other lists and further fields of those that it has."""
        for further in self.changes.records:
            name, fields = (further.record, _key_text(further.keys)), further.fields
            known = self.demands.get(name)
            if known is not None and not known.absent:
                lists = {one: held for one, held in (fields or {}).items() if isinstance(held, tuple)}
                known.fields |= {
                    one: _elements_over(known.fields.get(one), held) for one, held in lists.items()
                }
            elif known is None and self._demanded(further.record, further.keys) is not None:
                self.demands[name] = _Demand(
                    further.record, further.keys, dict(fields or {}), absent=fields is None
                )

    def _read_records(self) -> None:
        for one in self.model.arguments:
            value = self.values.get(one.argument.name)
            term = one.expression.term
            named = self.model.values.get(term.name) if isinstance(term, Variable) else None
            if isinstance(named, RecordAt) and one.argument.name in self.values:
                self._demand_record(named, value)
            if isinstance(named, IsLookedUp) and value is True:
                self._demanded(named.record, self._keys(named.keys, {}))
            self._read_elements(one.fields, self.elements.get(one.argument.name, ()))

    def _demand_record(self, named: RecordAt, value: Value) -> None:
        demand = self._demanded(named.record, self._keys(named.keys, {}))
        if demand is None:
            return
        if isinstance(value, RecordValue):
            demand.fields |= dict(value.fields)
        elif value is None:
            demand.absent = True

    def _read_elements(self, fields: Mapping[str, RunExpression], elements: tuple[Value, ...]) -> None:
        """What the expressions of the fields of a list's elements need of the run."""
        for element in elements:
            if not isinstance(element, RecordValue):
                continue
            held = dict(element.fields)
            for name, expression in fields.items():
                if name in held:
                    self._need(expression.term, held[name], expression.values, element)

    def _need(self, term: Term, value: Value, values: Mapping[str, RunValue], element: RecordValue) -> None:
        """Demand the record that gives an expression over an element this value."""
        match term:
            case Not(operand) if isinstance(value, bool):
                self._need(operand, not value, values, element)
            case IsMissing(Variable(name)) if isinstance(named := values.get(name), RecordAt):
                self._demand_field(FieldOfRecord(named.record, named.keys, ""), value, element)
            case Attribute(Variable(name), field_name) if isinstance(named := values.get(name), RecordAt):
                self._demand_field(FieldOfRecord(named.record, named.keys, field_name), value, element)
            case _:
                pass

    def _demand_field(self, wanted: FieldOfRecord, value: Value, element: RecordValue | _Call) -> None:
        bound = {ELEMENT if isinstance(element, RecordValue) else CALL_OF_LIST: element}
        demand = self._demanded(wanted.record, self._keys(wanted.keys, bound))
        if demand is None:
            return
        if wanted.name:
            demand.fields[wanted.name] = value
        elif value is True:
            demand.absent = True

    def _demanded(self, record: str, keys: Sequence[Value]) -> _Demand | None:
        parts = tuple(key for key in keys if isinstance(key, str | int | date) and not isinstance(key, bool))
        if record not in self.records or len(parts) < len(keys):
            return None
        return self.demands.setdefault((record, _key_text(parts)), _Demand(record, parts))

    def _keys(self, terms: Sequence[Term], bound: Mapping[str, RecordValue | _Call]) -> Sequence[Value]:
        return [self._key(term, bound) for term in terms]

    def _key(self, term: Term, bound: Mapping[str, RecordValue | _Call]) -> Value:
        """The value of a part of a key; one that is open gets a plain value that stays."""
        match term:
            case Constant(value):
                return value
            case Attribute():
                root, path = root_and_path(term)
                element = bound.get(root.name)
                if isinstance(element, RecordValue):
                    return dict(element.fields).get("_".join(path))
                if isinstance(element, _Call):
                    return element.known.get(path)
                if root.name == CALL:
                    return self.decided.known.get(path)
                named = self.model.values.get(root.name)
                if isinstance(named, LastCall):
                    last = self._value(root)[1]
                    return dict(last.fields).get("_".join(path)) if isinstance(last, RecordValue) else None
                if not isinstance(named, RecordAt):
                    return None
                demand = self._demanded(named.record, self._keys(named.keys, bound))
                if demand is None or len(path) != 1:
                    return None
                return demand.fields.setdefault(path[0], self._plain_field(named.record, path[0]))
            case Variable():
                return self._value(term)[1]
            case _:
                return None

    def _plain_field(self, record: str, name: str) -> Value:
        declared = next((one for one in self.records[record].fields if one.name == name), None)
        return None if declared is None else self.objects.plain.of_type(declared.type, name)

    def _meet(self, demand: _Demand) -> None:
        """Add the call whose result tells the record, or take an earlier call that can tell it."""
        record = self.records[demand.record]
        if demand.absent:
            text = matching_text(record.absent)
            if text is not None and record.look_up is not None:
                self._look_up(record, demand.keys, text)
            return
        held = self.objects.record(record, demand.keys, self._written_fields(record, demand.fields))
        if record.look_up is not None:
            path = next((one.path for one in record.results if one.tool == record.look_up.tool), "$")
            self._look_up(record, demand.keys, _wrapped(path, held))
            return
        for result in record.results:
            call = _Call(result.tool)
            self._make(call)
            if result.key:
                parts = [part for part in parse_parts(result.key) if part != "arguments"]
                put(call.arguments, parts, json_of(demand.keys[0]), {})
            call.result = _wrapped(result.path, held)
            self.look_ups.append(call)
            return

    def _written_fields(self, record: Record, fields: Mapping[str, Value]) -> Mapping[str, Value]:
        """The fields of a record, with texts that have the typed parts that are wanted of them."""
        own = {one.name for one in record.fields}
        written = dict(fields)
        for one in record.fields:
            names = {
                field_and_part(name)[1]: name_in_record((name,), own)
                for name, _ in fields_as_read([one])
                if name != one.name
            }
            wanted = {part: fields[name] for part, name in names.items() if name in fields}
            wanted |= {part: fields[name] for part in names if (name := part_name(one.name, part)) in fields}
            if wanted:
                written[one.name] = self._with_parts(one, wanted, fields.get(one.name))
            element, many = self.records.get(one.of), fields.get(one.name)
            if element is not None and isinstance(many, tuple):
                written[one.name] = tuple(
                    RecordValue(each.type, tuple(self._written_fields(element, dict(each.fields)).items()))
                    for each in many
                    if isinstance(each, RecordValue)
                )
        return written

    def _with_parts(self, one: CallField | RecordField, wanted: Mapping[str, Value], own: Value) -> Value:
        """The value of a field that has these typed parts, near its own value if it has one."""
        is_time = one.type.kind is Kind.DATETIME
        if own is not None:
            wanted = {**wanted, "at" if is_time else OWN_TEXT: own}
        text = text_with(_MOMENT if is_time else one.kind, wanted, one.options, self.spec.zone)
        if text is None:
            return own
        return datetime.fromisoformat(text) if is_time else text

    def _look_up(self, record: Record, keys: Sequence[KeyPart], result: str) -> None:
        assert record.look_up is not None
        arguments = look_up_arguments(record, [json_of(key) for key in keys])
        for call in self.calls:
            same = all(call.arguments.get(name) == value for name, value in arguments.items())
            if call.tool == record.look_up.tool and same and not call.failed and call.result is None:
                call.result = result
                return
        for call in self.look_ups:
            if call.tool == record.look_up.tool and call.arguments == arguments and call.result is not None:
                call.result = _of_both(call.result, result)
                return
        self.look_ups.append(_Call(record.look_up.tool, arguments=arguments, result=result))

    # --- context and sources --------------------------------------------------------

    def _read_context(self) -> None:
        absent = False
        for name, value in self.model.values.items():
            if isinstance(value, ContextValue):
                declared = self.model.types.context[value.name]
                found, held = self._value(Variable(name, declared.type))
                if found and held is not None:
                    self._say_in_context(declared.path or value.name, json_of(held))
                absent = absent or (found and held is None)
        if absent and not self.context:
            self.context["said"] = True  # an empty context does not say that a value is absent

    def _say_in_context(self, path: str, value: Json) -> None:
        *outer, last = [str(part) for part in parse_parts(path)]
        holder = self.context
        for name in outer:
            inner = holder.setdefault(name, {})
            holder = inner if isinstance(inner, dict) else {}
        holder[last] = value

    def _read_sources(self) -> None:
        """Show the values of the call at the places where they came from."""
        for one in self.model.arguments:
            term = one.expression.term
            named = self.model.values.get(term.name) if isinstance(term, Variable) else None
            places = self.values.get(one.argument.name)
            if not isinstance(named, SourceOf) or named.before or not isinstance(places, frozenset):
                continue
            value = self.decided.known.get(named.path)
            if isinstance(value, str | int):
                for place in sorted(str(place) for place in places):
                    self._show(value, place)

    def _plain_keys(self, record: Record) -> tuple[KeyPart, ...]:
        return tuple(self.objects.plain.text(path) for path in record.keys)

    def _show(self, value: str | int, place: str) -> None:
        if place == _USER:
            self.said.append(f"{value}.")
        elif place == _APPLICATION:
            self.context["known"] = value
        tool, _, path = place.partition(".")
        if tool not in {one.name for one in self.spec.tools} or not path or path.endswith(AS_KEY):
            return
        shown: Json = f"It is {value}." if path.endswith(IN_TEXT) else value
        names = path.removesuffix(IN_TEXT).split(".")
        for record in self.records.values():
            if record.look_up is not None and record.look_up.tool == tool:
                field_name = next(
                    (one.name for one in record.fields if (one.path or one.name) == ".".join(names)), ""
                )
                if any(
                    demand.record == record.name and demand.fields.get(field_name) == shown
                    for demand in self.demands.values()
                ):
                    return
                keys = self._plain_keys(record)
                held = self.objects.record(record, keys, {field_name: value} if field_name else {})
                put(held, names, shown, {})
                self._look_up(record, keys, json.dumps(held))
                return
        call = _Call(tool)
        self._make(call)
        held: dict[str, Json] = {}
        put(held, names, shown, {})
        call.result = json.dumps(held)
        self.look_ups.append(call)

    # --- the run --------------------------------------------------------------------

    def _assembled(self) -> Run:
        now = self.decided.time or max(
            (call.time for call in self.calls if call.time is not None), default=_BASE
        )
        timed = [(call.time or _before(now), call) for call in self.calls]
        timed.sort(key=lambda one: one[0])
        timed += [(now, call) for call in (*self.look_ups, self.decided)]
        return Run(
            RUN,
            tuple(self._recorded(number, when, call) for number, (when, call) in enumerate(timed)),
            format="realised",
        )

    def _recorded(self, number: int, when: datetime, call: _Call) -> RecordedCall:
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        result = call.result if call.result is not None else self._plain_result(call)
        result = result if call is self.decided else self._with_parts_of_records(call.tool, result)
        return RecordedCall(
            RUN,
            number,
            call.tool,
            call.arguments,
            texts={**self._words(), "arguments": arguments},
            context=self.context,
            result=None if call is self.decided else result,
            time=when.isoformat(),
            failed=call.failed,
            approved=call.approved,
        )

    def _words(self) -> dict[str, str]:
        """What the user says before all calls; the first or last message is one by itself if it has to be."""
        first, last = self.messages.get(FIRST_SAID), self.messages.get(LAST_SAID)
        whole = " ".join(text for text in (first, *self.said, last) if text is not None)
        return {
            USER_TEXTS[SAID]: whole,
            USER_TEXTS[FIRST_SAID]: whole if first is None else first,
            USER_TEXTS[LAST_SAID]: whole if last is None else last,
        }

    def _plain_result(self, call: _Call) -> str:
        """A result that says nothing, or the record that it tells: of the call as it was, or a new one."""
        if call.failed:
            return "Error: it failed."
        for record in self.records.values():
            for result in record.results:
                if result.tool == call.tool and not result.key:
                    own = self._demand_of(call, record.name)
                    keys, fields = (self._plain_keys(record), {}) if own is None else (own.keys, own.fields)
                    return _wrapped(result.path, self.objects.record(record, keys, fields))
        return '{"done": true}'

    def _with_parts_of_records(self, tool: str, result: str) -> str:
        """The result with the fields that it lacks of the records that parts of it tell.

        The flights of a reservation may tell the routes of flights: what lacks a field would tell none.
        """
        whole = _object_of(result)
        if whole is None:
            return result
        for record in self.records.values():
            paths = [parse_parts(one.path) for one in record.results if one.tool == tool and record.key]
            for part in (part for path in paths if path for part, _ in walked(whole, path)):
                if isinstance(part, dict):
                    name = record.name, _key_text([str(part.get(key)) for key in record.keys])
                    demand = self.demands.get(name)
                    known = {} if demand is None or demand.absent else demand.fields
                    if name not in self.further:
                        self.further[name] = self.objects.fields(record, self._written_fields(record, known))
                    part |= _joined(part, self.further[name])
        return json.dumps(whole, ensure_ascii=False)

    def _demand_of(self, call: _Call, record: str) -> _Demand | None:
        """What is known of the record of this name whose key the call has."""
        given = list(call.arguments.values())
        named = (one for (name, _), one in self.demands.items() if name == record and not one.absent)
        return next((one for one in named if all(key in given for key in one.keys)), None)


def _elements_over(known: Value, elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The elements, each with the fields that it lacks of the one that is known at its place."""
    before = known if isinstance(known, tuple) else ()
    found: list[Element] = []
    for number, element in enumerate(elements):
        one = before[number % len(before)] if before else None
        if isinstance(one, RecordValue) and isinstance(element, RecordValue):
            element = RecordValue(element.type, tuple({**dict(one.fields), **dict(element.fields)}.items()))
        found.append(element)
    return tuple(found)


def _key_text(keys: Sequence[KeyPart]) -> str:
    """A key as it is compared."""
    return key_of_parts([str(key) for key in keys])


def _before(now: datetime, by: timedelta = _HOUR) -> datetime:
    """A time that much earlier; the same time where that would be before the year 1."""
    first = datetime.min.replace(tzinfo=UTC)
    return now - by if now - first >= by else now


def _of_both(result: str, other: str) -> str:
    """One result of a look-up that tells of several records; what it says of one shows that there are all."""
    first, second = _object_of(result), _object_of(other)
    if first is None or second is None:
        return result if second is None else other
    return json.dumps(_joined(first, second), ensure_ascii=False)


def _object_of(result: str) -> dict[str, Json] | None:
    """The object that a result is; None for one that says that there is none."""
    try:
        found: object = json.loads(result)
    except ValueError:
        return None
    return cast("dict[str, Json]", found) if isinstance(found, dict) else None


def _joined(one: dict[str, Json], other: dict[str, Json]) -> dict[str, Json]:
    joined = dict(one)
    for name, value in other.items():
        held = joined.get(name)
        if isinstance(held, dict) and isinstance(value, dict):
            joined[name] = _joined(held, value)
        elif isinstance(held, list) and isinstance(value, list):
            joined[name] = [*held, *(item for item in value if item not in held)]
        else:
            joined[name] = value if held is None else held
    return joined


def _wrapped(path: str, held: dict[str, Json]) -> str:
    """A result with an object at a path."""
    parts = parse_parts(path)
    if not parts:
        return json.dumps(held, ensure_ascii=False)
    if parts[0] is None:
        return json.dumps([held], ensure_ascii=False)
    whole: dict[str, Json] = {}
    put(whole, parts, [held] if parts[-1] is None else held, {})
    return json.dumps(whole, ensure_ascii=False)
