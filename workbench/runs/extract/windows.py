"""Windows: which earlier calls of a run count, and which values of theirs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import cast

from workbench.model import AgentSpec, Json, Kind, Step, field_of
from workbench.policy.durations import said_duration
from workbench.runs.extract.jsonpath import Paths, parse_path
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Absent, Missing
from workbench.runs.values.json_paths import BadPath, Pattern, only, parse_parts, path_text
from workbench.runs.values.patterns import BadPattern, compiled
from workbench.runs.values.patterns import Pattern as Matcher
from workbench.runs.values.step_paths import matches
from workbench.runs.values.zones import moment, zone_named
from workbench.runs.world.earlier import Earlier
from workbench.runs.world.finding import RecordFinder
from workbench.runs.world.record_values import is_wanted

_MAX_TEXT = 1_000_000


@dataclass(frozen=True, slots=True)
class _Member:
    """A value of a call at the path, and the object that it stands in."""

    value: Json
    within: Json


@dataclass(frozen=True, slots=True)
class _Source:
    """What a condition looks at: a path of the call or of the member (``.currency``), or a record's field."""

    text: str
    path: Pattern | None = None
    inside: Pattern | None = None
    argument: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class _Conditions:
    """What has to hold of an earlier call: values that are this call's, and values that are declared."""

    same: tuple[tuple[_Source, _Source], ...] = ()
    where: tuple[tuple[_Source, Json], ...] = ()

    def of(self, *, members: bool) -> _Conditions:
        """Those that are about members, or those that are about calls."""
        same = tuple(one for one in self.same if (one[0].inside is not None) is members)
        return _Conditions(same, tuple(one for one in self.where if (one[0].inside is not None) is members))


@dataclass(frozen=True, slots=True)
class Counted:
    """An earlier call that counts, with its values at the path."""

    step: Step
    values: tuple[Json, ...]


class Window:
    """The calls that count for a fact about a run, by the options of the method ``history``."""

    def __init__(self, spec: AgentSpec, options: Options, finder: RecordFinder) -> None:
        """Read the options; raises WorkbenchError for a wrong one."""
        self._options = options
        self.paths = Paths(options)
        self._tools = frozenset(options.texts("of")) or self.paths.tools
        self._records = _RecordFields(finder)
        self._conditions = self._read(options.value("same"), options.value("where"))
        self._since_tool, self._since = self._since_of(options.value("since"))
        self._zone = zone_named(spec.zone) if spec.zone else None
        within = options.text("within")
        self._within = said_duration(within) if within else None
        if within and (self._within is None or self._within < timedelta(0)):
            raise options.error(f"{within!r} is no duration, such as 24 hours or P1DT2H")
        self._successful = options.choice("outcome") == "successful"
        self._errors = _patterns(options)
        if self._conditions.of(members=True) != _Conditions() and not self.paths.given:
            raise options.error("a condition that begins with a point is about what a path leads to")

    def calls(self, step: Step, earlier: Sequence[Step], *, current: bool) -> list[Step]:
        """The calls that count, in order; with ``current`` this one is the last. Raises Missing, Absent."""
        run = earlier if isinstance(earlier, Earlier) else Earlier(earlier, len(earlier))
        conditions = self._conditions.of(members=False)
        wanted = [self._ours(ours, step, run) for _, ours in conditions.same]
        since = self._last_since(step, run)
        found: list[Step] = []
        for place, one in enumerate(run):
            if not one.ran or not _may_be_of(one, self._tools):
                continue
            tests: list[_Test] = [
                partial(_is_of, one, self._tools),
                partial(_is_after, place, one, since, run),
                partial(self._is_recent, one, step),
                *self._tests(conditions, wanted, place, one, run),
            ]
            if self._successful:
                tests.append(partial(self._succeeded, one))
            if _all_hold(tests):
                found.append(one)
        own = self._tests(conditions, wanted, len(run), step, run)
        if current and _is_of(step, self._tools) and _all_hold(own):
            found.append(step)
        return found

    def counted(self, step: Step, earlier: Sequence[Step], *, current: bool) -> list[Counted]:
        """The calls that count with their values at the path; those without any are left out."""
        run = earlier if isinstance(earlier, Earlier) else Earlier(earlier, len(earlier))
        conditions = self._conditions.of(members=True)
        wanted = [self._ours(ours, step, run) for _, ours in conditions.same]
        found: list[Counted] = []
        for one in self.calls(step, earlier, current=current):
            members = self._members(one)
            values = tuple(member.value for member in members if _is_counted(member, conditions, wanted))
            if values:
                found.append(Counted(one, values))
        return found

    def _members(self, step: Step) -> Iterator[_Member]:
        """The values of a call at the path, each with the object that it stands in."""
        try:
            pattern = self.paths.of(step)
            if None not in pattern:
                whole = matches(step, pattern[:-1])[0][0] if len(pattern) > 1 else None
                yield _Member(matches(step, pattern)[0][0], whole)
                return
            last = len(pattern) - pattern[::-1].index(None)
            elements = matches(step, pattern[:last], every=True)
        except Absent:
            return
        for element, _ in elements:
            inner = only(element, pattern[last:])
            if not inner:
                raise Missing(f"call {step.index}: an element has no {path_text(pattern[last:])}")
            yield _Member(inner[0][0], element)

    def _tests(
        self, conditions: _Conditions, wanted: Sequence[Json], place: int, one: Step, run: Earlier
    ) -> Iterator[_Test]:
        """What the conditions about calls ask of one."""

        def is_same(theirs: _Source, value: Json) -> bool:
            return _equal(self._theirs(theirs, place, one, run), value)

        def is_where(theirs: _Source, wanted: Json) -> bool:
            return _is_one_of(self._theirs(theirs, place, one, run), wanted, theirs.text)

        for (theirs, _), value in zip(conditions.same, wanted, strict=True):
            yield partial(is_same, theirs, value)
        for theirs, allowed in conditions.where:
            yield partial(is_where, theirs, allowed)

    def _is_recent(self, one: Step, step: Step) -> bool:
        if self._within is None:
            return True
        then, now = _time(one, self._zone), _time(step, self._zone)
        if then > now:
            raise Missing(f"the clock went back: call {one.index} was at {one.time}, this one at {step.time}")
        return now - then <= self._within

    def _succeeded(self, one: Step) -> bool:
        if one.failed:
            return False
        if one.result is None:
            raise Missing(f"the result of call {one.index} is not known, so that it may have failed")
        try:
            return not any(next(pattern.finditer(one.result[:_MAX_TEXT]), None) for pattern in self._errors)
        except TimeoutError:
            raise Missing("a pattern of errors takes too long on a result") from None

    def _last_since(self, step: Step, run: Earlier) -> int | None:
        """The place of the latest successful call since which calls count; None where there is none."""
        if not self._since_tool:
            return None
        wanted = [self._ours(ours, step, run) for _, ours in self._since.same]
        tools = frozenset({self._since_tool})
        for place in range(len(run) - 1, -1, -1):
            one = run[place]
            if not one.ran or not _may_be_of(one, tools):
                continue
            tests = self._tests(self._since, wanted, place, one, run)
            if _all_hold([partial(_is_of, one, tools), *tests, partial(self._succeeded, one)]):
                return place
        return None

    def _ours(self, source: _Source, step: Step, run: Earlier) -> Json:
        """The value of the call that is decided; raises Absent where it has none."""
        if source.argument:
            return self._records.value(source.argument, source.field, step, run)
        return _single(step, source.path or ())

    def _theirs(self, source: _Source, place: int, one: Step, run: Earlier) -> Json:
        if source.argument:
            return self._records.value_at(source.argument, source.field, place, one, run)
        return _single(one, source.path or ())

    def _since_of(self, given: Json) -> tuple[str, _Conditions]:
        if given is None:
            return "", _Conditions()
        if isinstance(given, str) and given:
            return given, _Conditions()
        if isinstance(given, dict) and set(given) <= {"tool", "same", "where"}:
            tool = given.get("tool")
            conditions = self._read(given.get("same"), given.get("where"))
            if isinstance(tool, str) and tool and conditions.of(members=True) == _Conditions():
                return tool, conditions
        raise self._options.error("since must be a tool, or a table of tool, same and where")

    def _read(self, same: Json, where: Json) -> _Conditions:
        """The conditions of ``same`` and ``where``."""
        if isinstance(same, str) and same:
            same = {same: same}
        pairs: list[tuple[_Source, _Source]] = []
        for theirs, ours in self._table("same", same).items():
            if not isinstance(ours, str) or ours.startswith("."):
                raise self._options.error("same must be a path, or a table of theirs = ours")
            pairs.append((self._source(theirs), self._source(ours)))
        table = self._table("where", where)
        return _Conditions(
            tuple(pairs), tuple((self._source(theirs), value) for theirs, value in table.items())
        )

    def _table(self, name: str, value: Json) -> dict[str, Json]:
        if value is None:
            return {}
        if isinstance(value, dict) and value:
            return value
        raise self._options.error(f"{name} must be a table")

    def _source(self, text: str) -> _Source:
        if text.startswith("$"):
            return _Source(text, path=parse_path(text, self._options))
        if text.startswith("."):
            try:
                return _Source(text, inside=parse_parts(text[1:]))
            except BadPath as error:
                raise self._options.error(str(error)) from None
        argument, _, field = text.partition(".")
        if not self._records.has(argument, field):
            raise self._options.error(f"{text!r} is neither a path nor a single field of a record argument")
        return _Source(text, argument=argument, field=field)


class _RecordFields:
    """Fields of record arguments, as they were known at each call of a run."""

    def __init__(self, finder: RecordFinder) -> None:
        self._finder = finder
        self._past = finder.again()
        self._last = _Remembered()  # each thread has its own

    def has(self, argument: str, field: str) -> bool:
        """Whether a record argument has this field, of one value."""
        declared = self._finder.arguments.get(argument)
        kind = declared.record.type.field(field) if declared is not None else None
        return kind is not None and kind.kind not in (Kind.LIST, Kind.SET)

    def value(self, argument: str, field: str, step: Step, run: Earlier) -> Json:
        """The field as it is known at this call; raises Absent where the record is not known."""
        found = self._finder.find(argument, step, run)
        if found.value is None:
            raise Absent(f"{argument} is not known: {found.fact.why}")
        return cast("Json", field_of(found.value, field))

    def value_at(self, argument: str, field: str, place: int, one: Step, run: Earlier) -> Json:
        """The field as it was known at the call of that place.

        Raises Absent where the call names no such record, Missing where it was not known.
        """
        if place == len(run):
            return self.value(argument, field, one, run)
        last = self._last
        if run.steps is not last.steps:
            last.steps, last.values = run.steps, {}
        key = argument, field, place
        if key not in last.values:
            last.values[key] = self._past_value(argument, field, one, Earlier(run.steps, place))
        found = last.values[key]
        if isinstance(found, Missing):
            raise found
        return found

    def _past_value(self, argument: str, field: str, one: Step, run: Earlier) -> Json | Missing:
        try:
            found = self._past.find(argument, one, run)
        except Missing as missing:
            return missing
        if found.value is None:
            return Missing(f"{argument} was not known at call {one.index}: {found.fact.why}")
        return cast("Json", field_of(found.value, field))


class _Remembered(threading.local):
    """The run whose records were asked for last, with what was found by argument, field and place."""

    steps: Sequence[Step] = ()
    values: dict[tuple[str, str, int], Json | Missing]

    def __init__(self) -> None:
        self.values = {}


type _Test = Callable[[], bool]


def _all_hold(tests: Iterable[_Test]) -> bool:
    """Whether all hold; one that certainly does not decides, whatever cannot be said of others."""
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


def _may_be_of(step: Step, tools: frozenset[str]) -> bool:
    return not tools or step.tool is None or step.tool in tools


def _is_of(step: Step, tools: frozenset[str]) -> bool:
    if tools and step.tool is None:
        raise Missing(f"the log does not say which tool call {step.index} was of")
    return not tools or step.tool in tools


def _is_after(place: int, one: Step, since: int | None, run: Earlier) -> bool:
    """Whether a call came after another one; raises Missing for calls that went on at the same time."""
    if since is None or place == since:
        return since is None
    first, second = (one, since) if place < since else (run[since], place)
    if first.known_from > second:
        raise Missing(f"calls {one.index} and {run[since].index} went on at the same time")
    return place > since


def _single(step: Step, path: Pattern) -> Json:
    found = matches(step, path)
    if len(found) != 1:
        raise Missing(f"call {step.index} has {len(found)} values at the path, where one is needed")
    return found[0][0]


def _is_counted(member: _Member, conditions: _Conditions, wanted: Sequence[Json]) -> bool:
    """Whether the conditions about members hold of one."""

    def is_same(theirs: _Source, value: Json) -> bool:
        return _equal(_inside(member, theirs), value)

    def is_where(theirs: _Source, wanted: Json) -> bool:
        return _is_one_of(_inside(member, theirs), wanted, theirs.text)

    same = (
        partial(is_same, theirs, value) for (theirs, _), value in zip(conditions.same, wanted, strict=True)
    )
    return _all_hold([*same, *(partial(is_where, theirs, allowed) for theirs, allowed in conditions.where)])


def _inside(member: _Member, source: _Source) -> Json:
    found = only(member.within, source.inside or ())
    if not found:
        raise Absent(f"an element has no {source.text}")
    return found[0][0]


def _equal(value: Json, wanted: Json) -> bool:
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _is_one_of(value: Json, wanted: Json, name: str) -> bool:
    """Whether a value is a wanted one; raises Missing where it is so only in another spelling."""
    return any(is_wanted(value, one, name) for one in (wanted if isinstance(wanted, list) else [wanted]))


def _time(step: Step, zone: tzinfo | None) -> datetime:
    if step.time is None:
        raise Missing(f"the log does not say when call {step.index} was")
    return moment(step.time, zone)


def _patterns(options: Options) -> tuple[Matcher, ...]:
    found: list[Matcher] = []
    for pattern in options.texts("errors"):
        try:
            found.append(compiled(pattern))
        except BadPattern as error:
            raise options.error(f"the pattern {pattern!r} does not compile: {error}") from None
    return tuple(found)
