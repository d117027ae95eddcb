"""Runs near a run, for what the solver is not told: pairs, lists inside earlier calls, parts of one text.

The solver takes such a value as a symbol. So its inputs say what the value should be and not which calls give
it. Here are calls, lists and texts that may: of the constants of the expression with their neighbours, and of
the values that the input has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import islice, product
from math import prod
from random import Random
from types import MappingProxyType

from workbench.check.realise.fitting_texts import fitting_text
from workbench.check.realise.json_values import KeyPart, Path, PlainValues, field_at, json_of
from workbench.check.realise.kind_texts import texts_with
from workbench.check.realise.run_model import OfArgument, RunModel, constants_of, typed_part
from workbench.dialect.call_fields import CallField, field_and_part, parts_of
from workbench.dialect.run_terms import all_parts
from workbench.dialect.run_values import CALL, EarlierCalls, RecordAt, Zipped
from workbench.model import Arguments, ArgumentType, Element, Kind, RecordValue, Value
from workbench.policy.terms import Attribute, Compare, Constant, ConstantSet, Member, Term, Variable
from workbench.policy.types import holds_many
from workbench.policy.walk import root_and_path
from workbench.runs.values.schema_fit import misfit

MOST = 160
"""The most runs near a run that are made for one argument."""
_FEW, _MEMBERS, _LISTS, _LONGEST = 6, 4, 16, 20
_MOST_PARTS, _MOST_TEXTS = 64, 48
_MORE = Decimal("0.01")
_SUCCEEDED, _FAILED, _TIME = "succeeded", "failed", "time"


@dataclass(frozen=True, slots=True)
class FurtherCall:
    """A call beside those of an input: its fields, its outcome, and the time from it to the decided one."""

    tool: str
    known: Mapping[Path, Value]
    failed: bool = False
    before: timedelta = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class FurtherRecord:
    """A record beside those of an input; without fields it is absent."""

    record: str
    keys: tuple[KeyPart, ...]
    fields: Mapping[str, Value] | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a run has beside its input: other values of fields of the decided call, calls and records."""

    own: Mapping[Path, Value] = field(default_factory=dict[Path, Value])
    calls: tuple[FurtherCall, ...] = ()
    records: tuple[FurtherRecord, ...] = ()

    def joined(self, other: Changes) -> Changes:
        """These changes with others; those of one field give way."""
        return Changes(
            {**self.own, **other.own}, (*self.calls, *other.calls), (*self.records, *other.records)
        )


NO_CHANGES = Changes()
NO_PARTS: Mapping[str, Value] = MappingProxyType({})


class NearRuns:
    """Changes that may give one argument another value."""

    def __init__(
        self, model: RunModel, values: Arguments, decided: Mapping[Path, Value], one: OfArgument
    ) -> None:
        """Take the model of runs, the values of an input, those of its decided call, and the argument."""
        self._decided = decided
        self._model = model
        self._values = values
        self._wanted = values.get(one.argument.name)
        expressions = [
            expression
            for each in _of_same_texts(model, values, one)
            for expression in (each.expression, *each.fields.values())
        ]
        self._named = {name: value for each in expressions for name, value in each.values.items()}
        self._parts = [part for each in expressions for part in all_parts(each.term, self._named)]
        self._constants = [value for each in expressions for part in all_parts(each.term, self._named)
                           for value in constants_of(part)]  # fmt: skip
        self._read = {part.name for part in self._parts if isinstance(part, Attribute)}
        self._compared = _compared(self._parts)
        self._pool = dict(self._scalars())
        self._fields = model.types.of_tool(model.tool).fields

    def __iter__(self) -> Iterator[Changes]:
        """Changes, each once, in an order that is the same each time."""
        choices: list[list[Changes]] = [
            [Changes(own={path: value}) for value in self._of_path(path)] for path in self._paths()
        ]
        choices += [
            [NO_CHANGES, *(Changes(calls=(call,)) for call in self._calls(tool))] for tool in self._tools()
        ]
        choices += [
            [NO_CHANGES, *(Changes(records=(record,)) for record in self._records(value))]
            for value in self._records_read()
        ]
        random, seen = Random(len(choices)), set[str]()
        number = prod(map(len, choices)) if choices else 0
        chosen = (
            product(*choices)
            if number <= MOST
            else ([random.choice(choice) for choice in choices] for _ in range(MOST))
        )
        for each in chosen if number else ():
            changes = NO_CHANGES
            for one in each:
                changes = changes.joined(one)
            if (shown := repr(changes)) not in seen:
                seen.add(shown)
                yield changes

    # --- what is read -----------------------------------------------------------------

    def _paths(self) -> Iterable[Path]:
        """The lists and texts of the decided call that the expression takes apart."""
        found: dict[Path, None] = {}
        for part in self._parts:
            if (of_call := typed_part(part)) is not None:
                found[of_call[0]] = None
            elif isinstance(part, Attribute) and holds_many(part.type):
                root, path = root_and_path(part)
                if root.name == CALL:
                    found[path] = None
        for value in self._named.values():
            if isinstance(value, Zipped):
                found |= {
                    root_and_path(side.term)[1]: None
                    for side in (value.left, value.right)
                    if root_and_path(side.term)[0].name == CALL
                }
        return found

    def _tools(self) -> Iterable[str]:
        """The tools whose earlier calls are read, each as often as the expression goes over them."""
        return [
            tool
            for part in self._parts
            if isinstance(part, Variable) and isinstance(value := self._named.get(part.name), EarlierCalls)
            for tool in value.tools
        ][:3]

    def _records_read(self) -> Iterable[RecordAt]:
        """The records that the expression reads."""
        return [value for value in self._named.values() if isinstance(value, RecordAt)][:2]

    # --- values -----------------------------------------------------------------------

    def _scalars(self) -> Iterator[tuple[Kind, list[Value]]]:
        """The values to choose from, by kind: constants with their neighbours, then those of the input."""
        constants = self._constants
        values = (*self._decided.values(), *self._values.values())
        held = [one for value in values for one in _within(value)]
        for kind, type_ in _PYTHON.items():
            own = [one for one in constants if type(one) is type_]
            if kind is Kind.DECIMAL:
                own += [Decimal(one) for one in constants if type(one) is int]
            near = [other for one in own for other in _neighbours(one)]
            of_input = [one for one in held if type(one) is type_]
            found = list(dict.fromkeys([*own, *near, *of_input]))
            if kind is Kind.STR:
                found.append("another")
            yield kind, found or [PlainValues().of_type(ArgumentType(kind), "value")]

    def _of_type(self, type_: ArgumentType) -> list[Value]:
        found: list[Value] = [None] if type_.optional else []
        if type_.kind is Kind.BOOL:
            return [*found, True, False]
        if type_.kind is Kind.ENUM:
            return [*found, *type_.values]
        if type_.kind is Kind.LIST and type_.element is not None:
            return [*found, *self._groups(self._elements_of(type_.element)[:_FEW])]
        return [*found, *self._pool.get(type_.kind, [])[:_FEW]]

    def _elements_of(self, type_: ArgumentType) -> list[Element]:
        """Elements of a list of a record, with those of their fields that are read."""
        if type_.record is None:
            return [each for each in self._of_type(type_) if isinstance(each, str | int | Decimal)]
        read = {name: self._of_type(of) for name, of in type_.record.fields if name in self._read}
        known = islice(_by_likelihood(read), _FEW)
        return [RecordValue(type_.record.name, tuple(fields.items())) for fields in known]

    def _of_path(self, path: Path) -> list[Value]:
        one = field_at(self._fields, path)
        if one is None:
            return []
        if one.kind and one.type.kind is not Kind.LIST:
            parts = {
                of_call[1]: self._values[argument.argument.name]
                for argument in self._model.arguments
                if (of_call := typed_part(argument.expression.term)) is not None
                and of_call[0] == path
                and argument.argument.name in self._values
            }
            return list(self._texts(one, self._parts_read(one), parts))
        return self._of_field(one)

    def _texts(
        self, one: CallField, read: Mapping[str, ArgumentType], given: Mapping[str, Value] = NO_PARTS
    ) -> list[str]:
        """Texts of a kind with the given parts, and with values of the other parts that are read."""
        choices = {part: self._of_part(part, type_) for part, type_ in read.items() if part not in given}
        texts = (
            text
            for wanted in _by_likelihood(choices)
            for text in texts_with(one.kind, {**wanted, **given}, one.options)
        )
        return list(islice(dict.fromkeys(texts), _MOST_TEXTS))

    def _parts_read(self, one: CallField) -> dict[str, ArgumentType]:
        """The typed parts of a field that the expression reads."""
        parts = parts_of(one.name, one.type, one.kind)
        return {field_and_part(name)[1]: type_ for name, type_ in parts if name in self._read}

    def _of_part(self, name: str, type_: ArgumentType) -> list[Value]:
        """Values of a typed part of a text, or of a part of it: first those that it is compared with."""
        record = None if type_.element is None else type_.element.record
        if record is not None:
            read = {inner: self._of_part(inner, of) for inner, of in record.fields if inner in self._read}
            known = islice(_by_likelihood(read), _FEW)
            elements = [RecordValue(record.name, tuple(parts.items())) for parts in known]
            return list(self._groups(elements))
        if type_.kind is Kind.SET:
            texts = self._of_type(ArgumentType(Kind.STR))
            return [
                frozenset(group) for group in self._groups([each for each in texts if isinstance(each, str)])
            ]
        return list(dict.fromkeys([*self._compared.get(name, ()), *self._of_type(type_)]))

    def _of_field(self, one: CallField) -> list[Value]:
        if one.kind and (read := self._parts_read(one)):
            return [*self._of_type(one.type), *self._texts(one, read)]
        if one.type.kind is Kind.STR:
            return _permitted(one, self._of_type(one.type))
        if one.type.kind not in (Kind.LIST, Kind.SET):
            return self._of_type(one.type)
        groups = self._groups(self._elements(one)[:_FEW])
        if one.type.kind is Kind.SET:
            return [frozenset(each for each in group if isinstance(each, str)) for group in groups]
        return list(groups)

    def _groups[T](self, elements: Sequence[T]) -> list[tuple[T, ...]]:
        """Few elements, two of them, and as many as the expression may tell apart."""
        groups = [*((each,) for each in elements), (), *islice(product(elements, repeat=2), 8)]
        return groups + [tuple(elements[:1]) * length for length in self._lengths()]

    def _lengths(self) -> Iterable[int]:
        """The lengths of lists that the expression may tell apart, or that the input says."""
        lengths = [n + 1 for n in self._constants if type(n) is int]
        lengths += [self._wanted] if type(self._wanted) is int else []
        return sorted({length for length in lengths if 1 < length <= _LONGEST})

    def _elements(self, one: CallField) -> list[Element]:
        element = one.type.element
        if one.kind and element is not None and element.record is not None:
            read = {name: type_ for name, type_ in element.record.fields if name in self._read}
            return list(self._texts(one, read))
        if not one.fields or element is None or element.record is None:
            kept = [] if element is None else self._of_type(element)
            return [each for each in kept if isinstance(each, str | int | Decimal | RecordValue)]
        name = element.record.name
        return [
            RecordValue(name, tuple(("_".join(path), value) for path, value in known.items()))
            for known in self._objects(one.fields, ())
        ]

    def _objects(self, fields: Sequence[CallField], at: Path) -> list[dict[Path, Value]]:
        """Values of those of some fields that are read, by the names that lead to them."""
        choices: list[list[dict[Path, Value]]] = []
        for one in fields:
            if one.name not in self._read and not self._parts_read(one):
                continue
            if one.type.kind is Kind.RECORD and one.fields:
                choices.append(self._objects(one.fields, (*at, one.name)))
            else:
                choices.append([{(*at, one.name): value} for value in self._of_field(one)])
        random = Random(len(choices))
        made = [[random.choice(each) for each in choices if each] for _ in range(_FEW * _MEMBERS)]
        found = [{path: value for part in parts for path, value in part.items()} for parts in made]
        return list({repr(one): one for one in found}.values())

    # --- calls and records ------------------------------------------------------------

    def _calls(self, tool: str) -> list[FurtherCall]:
        waits = [timedelta(hours=1)]
        if _TIME in self._read:
            waits += [
                one for one in self._pool[Kind.DURATION] if isinstance(one, timedelta) and one >= timedelta()
            ]
        outcomes = [False, True] if self._read & {_SUCCEEDED, _FAILED} else [False]
        known = self._objects(self._model.types.of_tool(tool).fields, ())
        random = Random(len(known))
        return [
            FurtherCall(tool, one, random.choice(outcomes), random.choice(waits))
            for one in known
            for _ in outcomes
        ]

    def _keys(self, key: Term) -> list[Value]:
        """The keys that a record may have: that of the decided call, or any where an element names it."""
        if isinstance(key, Constant):
            return [key.value]
        if not isinstance(key, Variable | Attribute):
            return []
        root, path = root_and_path(key)
        return (
            [self._decided[path]] if root.name == CALL and path in self._decided else self._of_type(key.type)
        )

    def _records(self, value: RecordAt) -> list[FurtherRecord]:
        record = self._model.types.records[value.record]
        found: list[FurtherRecord] = []
        for parts in islice(product(*map(self._keys, value.keys)), _FEW):
            keys = tuple(part for part in parts if isinstance(part, str | int | date))
            if len(keys) < len(parts):
                continue
            found.append(FurtherRecord(value.record, keys, None))
            read = [one for one in record.fields if one.name in self._read]
            has_lists = any(holds_many(one.type) for one in read)
            read = [one for one in read if holds_many(one.type) is has_lists]
            choices = [[(one.name, each) for each in self._of_type(one.type)] for one in read]
            found += [
                FurtherRecord(value.record, keys, dict(chosen))
                for chosen in islice(product(*choices), _LISTS if has_lists else _MEMBERS)
            ]
        return found


_PYTHON: Mapping[Kind, type] = {
    Kind.STR: str,
    Kind.INT: int,
    Kind.DECIMAL: Decimal,
    Kind.DURATION: timedelta,
    Kind.DATETIME: datetime,
    Kind.DATE: date,
}


def _of_same_texts(model: RunModel, values: Arguments, one: OfArgument) -> list[OfArgument]:
    """An argument, and those of the input about the same texts, since one text has to give them all."""
    texts = _texts_taken_apart(one)
    others = [each for each in model.undefined if each is not one and each.argument.name in values]
    return [one, *(each for each in others if texts & _texts_taken_apart(each))]


def _texts_taken_apart(one: OfArgument) -> set[Path]:
    parts = all_parts(one.expression.term, one.expression.values)
    return {of_call[0] for part in parts if (of_call := typed_part(part)) is not None}


def _compared(parts: Iterable[Term]) -> dict[str, list[Value]]:
    """The constants that attributes of each name are compared with, or searched among."""
    found: dict[str, list[Value]] = {}
    for part in parts:
        sides = (part.left, part.right) if isinstance(part, Compare) else ()
        if isinstance(part, Member) and isinstance(part.collection, ConstantSet):
            sides = (part.item, *map(Constant, part.collection.values))
        values = [side.value for side in sides if isinstance(side, Constant)]
        for side in sides:
            if isinstance(side, Attribute):
                found.setdefault(side.name, []).extend(values)
    return found


def _by_likelihood(choices: Mapping[str, Sequence[Value]]) -> Iterator[dict[str, Value]]:
    """One value for each name, in few of all ways: those first whose values come first."""
    width = max(2, int(_MOST_PARTS ** (1 / max(1, len(choices)))))
    places = product(*(range(min(width, len(values))) for values in choices.values()))
    for chosen in sorted(places, key=lambda each: (sum(each), each)):
        yield {name: values[place] for (name, values), place in zip(choices.items(), chosen, strict=True)}


def _within(value: Value) -> Iterator[Value]:
    """The single values within a value."""
    if isinstance(value, RecordValue):
        for _, held in value.fields:
            yield from _within(held)
    elif isinstance(value, tuple | frozenset):
        for held in value:
            yield from _within(held)
    else:
        yield value


def _neighbours(value: Value) -> Iterator[Value]:
    match value:
        case bool():
            return
        case int():
            yield from (value + 1, value - 1)
        case Decimal():
            yield from (value + _MORE, value - _MORE)
        case timedelta():
            for step in (timedelta(seconds=1), timedelta(seconds=-1)):
                with suppress(OverflowError):
                    yield value + step
        case _:
            return


def _permitted(one: CallField, values: Sequence[Value]) -> list[Value]:
    """The values that the schema of a text permits; two others if it does not permit all of them."""
    found = [value for value in values if value is None or not misfit(json_of(value), one.schema)]
    if len(found) < len(values):
        used: set[str] = set()
        for _ in range(2):
            if (text := fitting_text(one.schema, one.name, used)) is not None:
                used.add(text)
                found.append(text)
    return found
