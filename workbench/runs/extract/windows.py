"""Windows: which earlier calls of a run count, and which of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from workbench.model import Json, RecordedCall
from workbench.runs.extract.call_conditions import (
    ConditionReader,
    Conditions,
    ListMember,
    Test,
    all_hold,
    any_holds,
)
from workbench.runs.extract.jsonpath import Paths
from workbench.runs.extract.options import Options
from workbench.runs.values.call_paths import matches
from workbench.runs.values.found_value import Absent, Missing
from workbench.runs.values.json_paths import only, path_text
from workbench.runs.values.patterns import BadPattern, any_in, compiled
from workbench.runs.values.patterns import Pattern as Matcher
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.record_of_call import RecordFinder

_BAD_SINCE = "since must be a tool, a table of tool, same, where and has, or a list of these"


@dataclass(frozen=True, slots=True)
class _Begin:
    """A call since which calls count: its tools and its conditions."""

    tools: frozenset[str]
    conditions: Conditions


@dataclass(frozen=True, slots=True)
class Counted:
    """A call that counts for a fact about a run, and its values at the path."""

    call: RecordedCall
    values: tuple[Json, ...] = ()


class Window:
    """The calls that count for a fact about a run, by the options of the method ``history``."""

    def __init__(self, options: Options, finder: RecordFinder) -> None:
        """Read the options; raises WorkbenchError for a wrong one."""
        self._options = options
        self.paths = Paths(options)
        self._tools = frozenset(options.texts("of")) or self.paths.tools
        self._conditions_of = ConditionReader(options, finder)
        condition_options = {name: options.value(name) for name in ("same", "where", "has")}
        whole = self._conditions_of.read(condition_options)
        self._conditions = whole.of(members=False)
        self._of_members = whole.of(members=True)
        self._begins = tuple(self._begins_of(options.value("since")))
        self._successful = options.choice("outcome") == "successful"
        self._errors = _patterns(options)
        if self._of_members != Conditions() and not self.paths.is_given:
            raise options.error("a condition that begins with a point is about what a path leads to")

    def calls(self, call: RecordedCall, earlier: Sequence[RecordedCall], *, current: bool) -> list[Counted]:
        """The calls that count, in order; with ``current`` this call is the last. Raises Missing, Absent."""
        run = earlier if isinstance(earlier, Earlier) else Earlier(earlier, len(earlier))
        of_members = self._conditions_of.wanted(self._of_members, call, run) if self.paths.is_given else []
        wanted_values = self._conditions_of.wanted(self._conditions, call, run)
        begins = self._begins_at(call, run)
        counted_calls = [
            earlier_call
            for place, earlier_call in enumerate(run)
            if earlier_call.ran and _may_be_of(earlier_call, self._tools)
            if all_hold(self._tests(place, earlier_call, run, wanted_values, begins))
        ]
        if current and self._is_counted(call, run, wanted_values):
            counted_calls.append(call)
        return [Counted(counted, self._values(counted, of_members)) for counted in counted_calls]

    def _is_counted(self, call: RecordedCall, run: Earlier, wanted_values: Sequence[Json]) -> bool:
        """Whether the decided call counts itself."""
        own_tests = self._conditions_of.of_call(self._conditions, wanted_values, len(run), call, run)
        return _is_of(call, self._tools) and all_hold(own_tests)

    def _tests(
        self,
        place: int,
        earlier_call: RecordedCall,
        run: Earlier,
        wanted_values: Sequence[Json],
        begins: Sequence[int],
    ) -> list[Test]:
        return [
            partial(_is_of, earlier_call, self._tools),
            *(partial(_is_after, place, earlier_call, begin, run) for begin in begins),
            *self._conditions_of.of_call(self._conditions, wanted_values, place, earlier_call, run),
            *([partial(self._succeeded, earlier_call)] if self._successful else []),
        ]

    def _values(self, call: RecordedCall, of_members: Sequence[Json]) -> tuple[Json, ...]:
        """The values of a call that count; none without a path."""
        if not self.paths.is_given:
            return ()
        return tuple(
            member.value
            for member in self._members(call)
            if all_hold(self._conditions_of.of_member(self._of_members, of_members, member))
        )

    def _members(self, call: RecordedCall) -> Iterator[ListMember]:
        """The values of a call at the path, each with the object that contains it."""
        try:
            pattern = self.paths.of(call)
            if None not in pattern:
                whole = matches(call, pattern[:-1])[0][0] if len(pattern) > 1 else None
                yield ListMember(matches(call, pattern)[0][0], whole)
                return
            last = len(pattern) - pattern[::-1].index(None)
            elements = matches(call, pattern[:last], every=True)
        except Absent:
            return
        for element, _ in elements:
            inner = only(element, pattern[last:])
            if not inner:
                raise Missing(f"call {call.index}: an element has no {path_text(pattern[last:])}")
            yield ListMember(inner[0][0], element)

    def _succeeded(self, call: RecordedCall) -> bool:
        if call.failed:
            return False
        if call.result is None:
            raise Missing(f"the result of call {call.index} is not known, so that it may have failed")
        try:
            return not any_in(self._errors, call.result)
        except TimeoutError:
            raise Missing("a pattern of errors takes too long on a result") from None

    def _begins_at(self, call: RecordedCall, run: Earlier) -> tuple[int, ...]:
        """The places of the calls since which calls count.

        They are the latest successful one, and earlier ones that were not finished when it was made: their
        effect may have come later. Empty if there is no such call.
        """
        begins = [(begin, self._conditions_of.wanted(begin.conditions, call, run)) for begin in self._begins]
        if not begins:
            return ()
        ran = [(place, earlier_call) for place, earlier_call in enumerate(run) if earlier_call.ran]
        reaches = accumulate((earlier_call.known_from for _, earlier_call in ran), max)
        places: list[int] = []
        for (place, earlier_call), reach in reversed([*zip(ran, reaches, strict=True)]):
            if places and reach <= places[0] + 1:
                break
            if places and earlier_call.known_from <= places[0] + 1:
                continue
            tests = [
                partial(self._is_begin, begin, wanted_values, place, run) for begin, wanted_values in begins
            ]
            if any_holds(tests):
                places.append(place)
        return tuple(places)

    def _is_begin(self, begin: _Begin, wanted_values: Sequence[Json], place: int, run: Earlier) -> bool:
        call = run[place]
        if not _may_be_of(call, begin.tools):
            return False
        tests = self._conditions_of.of_call(begin.conditions, wanted_values, place, call, run)
        return all_hold([partial(_is_of, call, begin.tools), *tests, partial(self._succeeded, call)])

    def _begins_of(self, option: Json) -> Iterator[_Begin]:
        """The alternatives of ``since``."""
        if option is None:
            return
        for alternative in option if isinstance(option, list) and option else [option]:
            table: Mapping[str, Json] = {"tool": alternative} if isinstance(alternative, str) else {}
            if isinstance(alternative, dict) and set(alternative) <= {"tool", "same", "where", "has"}:
                table = alternative
            tool = table.get("tool")
            if not isinstance(tool, str) or not tool:
                raise self._options.error(_BAD_SINCE)
            conditions = self._conditions_of.read(table)
            if conditions.of(members=True) != Conditions():
                raise self._options.error(_BAD_SINCE)
            yield _Begin(frozenset({tool}), conditions)


def _may_be_of(call: RecordedCall, tools: frozenset[str]) -> bool:
    return not tools or call.tool is None or call.tool in tools


def _is_of(call: RecordedCall, tools: frozenset[str]) -> bool:
    if tools and call.tool is None:
        raise Missing(f"the log does not say which tool call {call.index} was of")
    return not tools or call.tool in tools


def _is_after(place: int, call: RecordedCall, since: int, run: Earlier) -> bool:
    """Whether a call came after another one; raises Missing for calls that overlapped."""
    if place == since:
        return False
    first, second = (call, since) if place < since else (run[since], place)
    if first.known_from > second:
        raise Missing(f"calls {call.index} and {run[since].index} went on at the same time")
    return place > since


def _patterns(options: Options) -> tuple[Matcher, ...]:
    patterns: list[Matcher] = []
    for pattern in options.texts("errors"):
        try:
            patterns.append(compiled(pattern))
        except BadPattern as error:
            raise options.error(f"the pattern {pattern[:60]!r} does not compile: {error}") from None
    return tuple(patterns)
