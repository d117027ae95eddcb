"""Windows: which earlier calls of a run count, and which values of theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import partial

from workbench.model import AgentSpec, Json, Step
from workbench.policy.durations import said_duration
from workbench.runs.extract.conditions import (
    ConditionReader,
    Conditions,
    Member,
    Test,
    all_hold,
    one_holds,
)
from workbench.runs.extract.jsonpath import Paths
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Absent, Missing
from workbench.runs.values.json_paths import only, path_text
from workbench.runs.values.patterns import BadPattern, compiled
from workbench.runs.values.patterns import Pattern as Matcher
from workbench.runs.values.step_paths import matches
from workbench.runs.values.zones import moment, zone_named
from workbench.runs.world.earlier import Earlier
from workbench.runs.world.finding import RecordFinder

_MAX_TEXT = 1_000_000
_BAD_SINCE = "since must be a tool, a table of tool, same, where and has, or a list of these"


@dataclass(frozen=True, slots=True)
class _Begin:
    """A call since which calls count: of this tool, with these conditions."""

    tools: frozenset[str]
    conditions: Conditions


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
        self._conditions_of = ConditionReader(options, finder)
        given = {name: options.value(name) for name in ("same", "where", "has")}
        self._conditions = self._conditions_of.read(given)
        self._begins = tuple(self._begins_of(options.value("since")))
        self._zone = zone_named(spec.zone) if spec.zone else None
        within = options.text("within")
        self._within = said_duration(within) if within else None
        if within and (self._within is None or self._within < timedelta(0)):
            raise options.error(f"{within!r} is no duration, such as 24 hours or P1DT2H")
        self._successful = options.choice("outcome") == "successful"
        self._errors = _patterns(options)
        if self._conditions.of(members=True) != Conditions() and not self.paths.given:
            raise options.error("a condition that begins with a point is about what a path leads to")

    def calls(self, step: Step, earlier: Sequence[Step], *, current: bool) -> list[Step]:
        """The calls that count, in order; with ``current`` this one is the last. Raises Missing, Absent."""
        run = earlier if isinstance(earlier, Earlier) else Earlier(earlier, len(earlier))
        conditions = self._conditions.of(members=False)
        wanted = self._conditions_of.wanted(conditions, step, run)
        begins = self._begins_at(step, run)
        found: list[Step] = []
        for place, one in enumerate(run):
            if not one.ran or not _may_be_of(one, self._tools):
                continue
            tests: list[Test] = [
                partial(_is_of, one, self._tools),
                *(partial(_is_after, place, one, begin, run) for begin in begins),
                partial(self._is_recent, one, step),
                *self._conditions_of.of_call(conditions, wanted, place, one, run),
            ]
            if self._successful:
                tests.append(partial(self._succeeded, one))
            if all_hold(tests):
                found.append(one)
        own = self._conditions_of.of_call(conditions, wanted, len(run), step, run)
        if current and _is_of(step, self._tools) and all_hold(own):
            found.append(step)
        return found

    def counted(self, step: Step, earlier: Sequence[Step], *, current: bool) -> list[Counted]:
        """The calls that count with their values at the path; those without any are left out."""
        run = earlier if isinstance(earlier, Earlier) else Earlier(earlier, len(earlier))
        conditions = self._conditions.of(members=True)
        wanted = self._conditions_of.wanted(conditions, step, run)
        found: list[Counted] = []
        for one in self.calls(step, earlier, current=current):
            members = self._members(one)
            values = tuple(
                member.value
                for member in members
                if all_hold(self._conditions_of.of_member(conditions, wanted, member))
            )
            if values:
                found.append(Counted(one, values))
        return found

    def _members(self, step: Step) -> Iterator[Member]:
        """The values of a call at the path, each with the object that it stands in."""
        try:
            pattern = self.paths.of(step)
            if None not in pattern:
                whole = matches(step, pattern[:-1])[0][0] if len(pattern) > 1 else None
                yield Member(matches(step, pattern)[0][0], whole)
                return
            last = len(pattern) - pattern[::-1].index(None)
            elements = matches(step, pattern[:last], every=True)
        except Absent:
            return
        for element, _ in elements:
            inner = only(element, pattern[last:])
            if not inner:
                raise Missing(f"call {step.index}: an element has no {path_text(pattern[last:])}")
            yield Member(inner[0][0], element)

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

    def _begins_at(self, step: Step, run: Earlier) -> tuple[int, ...]:
        """The places of the calls since which calls count.

        They are the latest successful one, and earlier ones that went on when it was made: their effect may
        have come later. None where there is no such call.
        """
        begins = [(one, self._conditions_of.wanted(one.conditions, step, run)) for one in self._begins]
        found: list[int] = []
        for place in range(len(run) - 1, -1, -1) if begins else ():
            one = run[place]
            if not one.ran or (found and run.steps[place].known_from <= found[0] + 1):
                continue
            tests = [partial(self._is_begin, begin, wanted, place, run) for begin, wanted in begins]
            if one_holds(tests):
                found.append(place)
        return tuple(found)

    def _is_begin(self, begin: _Begin, wanted: Sequence[Json], place: int, run: Earlier) -> bool:
        one = run[place]
        if not _may_be_of(one, begin.tools):
            return False
        asked = self._conditions_of.of_call(begin.conditions, wanted, place, one, run)
        return all_hold([partial(_is_of, one, begin.tools), *asked, partial(self._succeeded, one)])

    def _begins_of(self, given: Json) -> Iterator[_Begin]:
        """The alternatives of ``since``."""
        if given is None:
            return
        for one in given if isinstance(given, list) and given else [given]:
            table: Mapping[str, Json] = {"tool": one} if isinstance(one, str) else {}
            if isinstance(one, dict) and set(one) <= {"tool", "same", "where", "has"}:
                table = one
            tool = table.get("tool")
            if not isinstance(tool, str) or not tool:
                raise self._options.error(_BAD_SINCE)
            conditions = self._conditions_of.read(table)
            if conditions.of(members=True) != Conditions():
                raise self._options.error(_BAD_SINCE)
            yield _Begin(frozenset({tool}), conditions)


def _may_be_of(step: Step, tools: frozenset[str]) -> bool:
    return not tools or step.tool is None or step.tool in tools


def _is_of(step: Step, tools: frozenset[str]) -> bool:
    if tools and step.tool is None:
        raise Missing(f"the log does not say which tool call {step.index} was of")
    return not tools or step.tool in tools


def _is_after(place: int, one: Step, since: int, run: Earlier) -> bool:
    """Whether a call came after another one; raises Missing for calls that went on at the same time."""
    if place == since:
        return False
    first, second = (one, since) if place < since else (run[since], place)
    if first.known_from > second:
        raise Missing(f"calls {one.index} and {run[since].index} went on at the same time")
    return place > since


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
