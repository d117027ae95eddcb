"""Conditions on the earlier calls of a run: the values that they compare, and whether a call meets them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from workbench.model import Json, Kind, RecordedCall, field_of
from workbench.runs.extract.jsonpath import parse_path
from workbench.runs.extract.options import Options
from workbench.runs.values.call_paths import matches, root_of
from workbench.runs.values.found_value import Absent, Missing
from workbench.runs.values.json_paths import BadPath, Pattern, only, parse_parts, path_text, walked
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.record_of_call import RecordFinder
from workbench.runs.world.record_values import is_wanted

type Test = Callable[[], bool]

_MAY_HAVE = ("arguments", "result")
"""The parts of a call that can certainly lack a value; a log need not have all of the context."""


@dataclass(frozen=True, slots=True)
class ListMember:
    """A value of a call at the path, and the object that contains it."""

    value: Json
    within: Json


@dataclass(frozen=True, slots=True)
class ValueSource:
    """The source of a value: a path of the call or of the member (``.currency``), or a record's field."""

    text: str
    path: Pattern | None = None
    inside: Pattern | None = None
    argument: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions on an earlier call.

    They compare values with this call's (``same``) or with declared ones (``where``), and name paths that
    need a value (``has``).
    """

    same: tuple[tuple[ValueSource, ValueSource], ...] = ()
    where: tuple[tuple[ValueSource, Json], ...] = ()
    has: tuple[ValueSource, ...] = ()

    def of(self, *, members: bool) -> Conditions:
        """The conditions about members, or the conditions about calls."""

        def is_kept(source: ValueSource) -> bool:
            return (source.inside is not None) is members

        return Conditions(
            tuple(pair for pair in self.same if is_kept(pair[0])),
            tuple(pair for pair in self.where if is_kept(pair[0])),
            tuple(source for source in self.has if is_kept(source)),
        )


class ConditionReader:
    """Reads conditions, and tests them on a call or on a member of its list."""

    def __init__(self, options: Options, finder: RecordFinder) -> None:
        """Take the options, which report mistakes, and the finder of the records of conditions."""
        self._options = options
        self._normal = options.choice("normal")
        self._records = _RecordFields(finder)

    def read(self, options: Mapping[str, Json]) -> Conditions:
        """The conditions of ``same``, ``where`` and ``has``; raises WorkbenchError for a wrong one."""
        same_option = options.get("same")
        one_path = isinstance(same_option, str) and bool(same_option)
        pairs: list[tuple[ValueSource, ValueSource]] = []
        for earlier, decided in self._table(
            "same", {str(same_option): same_option} if one_path else same_option
        ).items():
            if not isinstance(decided, str) or decided.startswith("."):
                raise self._options.error(
                    "same must be a path, or a table: a path of the earlier call = a path of the decided call"
                )
            pairs.append((self._source(earlier), self._source(decided)))
        table = self._table("where", options.get("where"))
        return Conditions(
            tuple(pairs),
            tuple((self._source(source), value) for source, value in table.items()),
            tuple(self._places(options.get("has"))),
        )

    def wanted(self, conditions: Conditions, call: RecordedCall, run: Earlier) -> list[Json]:
        """The values of the decided call that ``same`` compares with; raises Absent without one."""
        return [self._formed(self._value_of_decided(decided, call, run)) for _, decided in conditions.same]

    def earlier_values(
        self, conditions: Conditions, place: int, call: RecordedCall, run: Earlier
    ) -> list[Json]:
        """The values of an earlier call that ``same`` compares; raises Absent without one."""
        return [
            self._formed(self._value_of_earlier(source, place, call, run)) for source, _ in conditions.same
        ]

    def of_call(
        self, conditions: Conditions, wanted: Sequence[Json], place: int, call: RecordedCall, run: Earlier
    ) -> Iterator[Test]:
        """The tests of a call: one per condition about calls."""

        def is_same(source: ValueSource, value: Json) -> bool:
            return is_wanted(
                self._formed(self._value_of_earlier(source, place, call, run)), value, source.text
            )

        def is_where(source: ValueSource, allowed_value: Json) -> bool:
            return _is_one_of(self._value_of_earlier(source, place, call, run), allowed_value, source.text)

        for (source, _), value in zip(conditions.same, wanted, strict=True):
            yield partial(is_same, source, value)
        for source, allowed in conditions.where:
            yield partial(is_where, source, allowed)
        for source in conditions.has:
            yield partial(_has, call, source.path or ())

    def of_member(self, conditions: Conditions, wanted: Sequence[Json], member: ListMember) -> Iterator[Test]:
        """The tests of a member: one per condition about members."""

        def is_same(source: ValueSource, value: Json) -> bool:
            return is_wanted(self._formed(_inside(member, source)), value, source.text)

        def is_where(source: ValueSource, allowed_value: Json) -> bool:
            return _is_one_of(_inside(member, source), allowed_value, source.text)

        for (source, _), value in zip(conditions.same, wanted, strict=True):
            yield partial(is_same, source, value)
        for source, allowed in conditions.where:
            yield partial(is_where, source, allowed)
        for source in conditions.has:
            yield partial(_has_inside, member, source.inside or ())

    def _formed(self, value: Json) -> Json:
        """The value as it is compared: a text in its normal form; raises Missing for a text without one."""
        return cast("Json", normal_text(value, self._normal)) if isinstance(value, str) else value

    def _value_of_decided(self, source: ValueSource, call: RecordedCall, run: Earlier) -> Json:
        if source.argument:
            return self._records.value(source.argument, source.field, call, run)
        return _single(call, source.path or ())

    def _value_of_earlier(self, source: ValueSource, place: int, call: RecordedCall, run: Earlier) -> Json:
        if source.argument:
            return self._records.value_at(source.argument, source.field, place, call, run)
        return _single(call, source.path or ())

    def _table(self, name: str, value: Json) -> dict[str, Json]:
        if value is None:
            return {}
        if isinstance(value, dict) and value:
            return value
        raise self._options.error(f"{name} must be a table")

    def _places(self, option: Json) -> Iterator[ValueSource]:
        """The paths of ``has``."""
        if option is None:
            return
        for text in option if isinstance(option, list) else [option]:
            source = self._source(text) if isinstance(text, str) and text[:1] in ("$", ".") else None
            path = source.path if source is not None else None
            if source is None or (path is not None and (path[0] not in _MAY_HAVE or len(path) == 1)):
                raise self._options.error(
                    "has must be a path, such as $.arguments.to, $.result.id or .to, or a list of paths"
                )
            yield source

    def _source(self, text: str) -> ValueSource:
        if text.startswith("$"):
            return ValueSource(text, path=parse_path(text, self._options))
        if text.startswith("."):
            try:
                return ValueSource(text, inside=parse_parts(text[1:]))
            except BadPath as error:
                raise self._options.error(str(error)) from None
        argument, _, field = text.partition(".")
        if not self._records.has(argument, field):
            raise self._options.error(f"{text!r} is neither a path nor a single field of a record argument")
        return ValueSource(text, argument=argument, field=field)


class _RecordFields:
    """Fields of record arguments, as they were known at each call of a run."""

    def __init__(self, finder: RecordFinder) -> None:
        self._finder = finder
        self._past = finder.again()
        self._last = _Remembered()  # each thread has its own

    def has(self, argument: str, field: str) -> bool:
        """Whether the argument is a record argument with this field, and the field holds a single value."""
        declared = self._finder.arguments.get(argument)
        kind = declared.record.type.field(field) if declared is not None else None
        return kind is not None and kind.kind not in (Kind.LIST, Kind.SET)

    def value(self, argument: str, field: str, call: RecordedCall, run: Earlier) -> Json:
        """The field as it is known at this call; raises Absent if the record is not known."""
        found_record = self._finder.find(argument, call, run)
        if found_record.value is None:
            raise Absent(f"{argument} is not known: {found_record.fact.why}")
        return cast("Json", field_of(found_record.value, field))

    def value_at(self, argument: str, field: str, place: int, call: RecordedCall, run: Earlier) -> Json:
        """The field as it was known at the call at ``place``.

        Raises Absent if the call names no such record, Missing if the field was not known.
        """
        if place == len(run):
            return self.value(argument, field, call, run)
        last = self._last
        if run.calls is not last.calls:
            last.calls, last.values = run.calls, {}
        key = argument, field, place
        if key not in last.values:
            last.values[key] = self._past_value(argument, field, call, Earlier(run.calls, place))
        past_value = last.values[key]
        if isinstance(past_value, Missing):
            raise past_value
        return past_value

    def _past_value(self, argument: str, field: str, call: RecordedCall, run: Earlier) -> Json | Missing:
        try:
            found_record = self._past.find(argument, call, run)
        except Missing as missing:
            return missing
        if found_record.value is None:
            return Missing(f"{argument} was not known at call {call.index}: {found_record.fact.why}")
        return cast("Json", field_of(found_record.value, field))


class _Remembered(threading.local):
    """The last run whose records were requested, and the values found, by argument, field and place."""

    calls: Sequence[RecordedCall] = ()
    values: dict[tuple[str, str, int], Json | Missing]

    def __init__(self) -> None:
        self.values = {}


def all_hold(tests: Iterable[Test]) -> bool:
    """Whether all tests hold. One that certainly fails decides, even if others raise Missing."""
    unknown: Missing | None = None
    for test in tests:
        try:
            if not test():
                return False
        except Absent:
            return False
        except Missing as missing:
            unknown = unknown or missing
    if unknown is not None:
        raise unknown
    return True


def any_holds(tests: Iterable[Test]) -> bool:
    """Whether a test holds. One that certainly holds decides, even if others raise Missing."""
    unknown: Missing | None = None
    for test in tests:
        try:
            if test():
                return True
        except Missing as missing:
            unknown = unknown or missing
    if unknown is not None:
        raise unknown
    return False


def _single(call: RecordedCall, path: Pattern) -> Json:
    placed_values = matches(call, path)
    if len(placed_values) != 1:
        raise Missing(f"call {call.index} has {len(placed_values)} values at the path, where one is needed")
    return placed_values[0][0]


def _has(call: RecordedCall, path: Pattern) -> bool:
    """Whether the call has a value at the path, also a null. Raises Missing if the log does not show it."""
    root = str(path[0])
    value, _ = root_of(call, root)
    if walked(value, path[1:]):
        return True
    if root == "result" and isinstance(value, str):
        raise Missing(f"the result of call {call.index} is no object that has {path_text(path[1:])} or not")
    return False


def _has_inside(member: ListMember, path: Pattern) -> bool:
    return bool(walked(member.within, path))


def _inside(member: ListMember, source: ValueSource) -> Json:
    placed_values = only(member.within, source.inside or ())
    if not placed_values:
        raise Absent(f"an element has no {source.text}")
    return placed_values[0][0]


def _is_one_of(value: Json, allowed: Json, name: str) -> bool:
    """Whether the value is an allowed one; raises Missing if it equals one only in another spelling."""
    return any(
        is_wanted(value, wanted_value, name)
        for wanted_value in (allowed if isinstance(allowed, list) else [allowed])
    )
