"""The search for a run that breaks a theorem: the shortest first, each played to the real guard.

Runs that were made up, played to the real guard: it decides each call, the world answers as they say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate, islice, product
from time import thread_time

from workbench.check.realise.near_runs import NO_CHANGES, Changes, NearRuns
from workbench.check.realise.normal_forms import in_normal_forms
from workbench.check.realise.reading_texts import ReadingTexts
from workbench.check.realise.realiser import Realiser, excluding, known_values
from workbench.check.realise.run_builder import RunBuilder
from workbench.check.realise.run_model import RunModel
from workbench.check.theorems.unrolled import Unrolled, argument_types
from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.check import run_expression
from workbench.dialect.checked import CallTheorem
from workbench.dialect.run_values import EarlierCalls, IsLookedUp, RunValues
from workbench.dialect.theorem_steps import TheoremPolicy
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.engines.smt.solved_queries import smallest, solve
from workbench.guard import Approval, DecisionLog, Guard, ToolCall
from workbench.guard.calls import Outcome, PastCall
from workbench.model import (
    AgentSpec,
    Argument,
    Arguments,
    ArgumentType,
    RecordedCall,
    RecordValue,
    Run,
    Value,
)
from workbench.policy.connectives import conjunction, negate
from workbench.policy.problems import PolicyError
from workbench.policy.terms import (
    And,
    Not,
    PolicyTerms,
    ResultTerm,
    Term,
    Variable,
)
from workbench.runs.calls.live_call import recorded_call
from workbench.runs.expressions.moment import AgentReader
from workbench.runs.expressions.theorem_value import says_of_last, theorem_value
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.live_guard import RecordedCallReader
from workbench.runs.world.earlier_calls import Earlier

MOST_CALLS = 6
"""The most calls of a run that is searched for, beside those that look records up."""
SECONDS = 4.0
"""The time of the processor for the search of one run, so that no load of the machine changes a verdict."""
_MOST_ORDERS = 150
"""The most orders of tools that are tried for one theorem."""
_MOST_NEAR = 160
"""The most runs near one that are played: with other lists, of which the solver is not told."""
_MOST_NEAR_ONE = 40
"""The most of these for one argument."""
_ATTEMPTS = 4
"""The most inputs that are built as runs for one order of tools."""
_LIMIT_MS = 1_500
DONE = '{"done": true}'
"""The result of a call that succeeds and says nothing."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of a search: the run that was found, as the guard played it, and how far it went.

    All runs of up to ``complete`` calls were decided: none of them breaks the theorem.
    """

    run: Run | None
    complete: int
    why: str = ""


_AS_SOLVED: Mapping[int, Changes] = {}

type Goal = Callable[[Unrolled], Term]
type Accepted = Callable[[Run], bool]


class BreakingRuns:
    """Searches runs of one policy of calls."""

    def __init__(
        self, policy: TheoremPolicy, terms: PolicyTerms, spec: AgentSpec, recorded: Sequence[Run] = ()
    ) -> None:
        """Take the policy of theorems, the policy as it guards, the agent, and runs that were recorded."""
        self.policy = policy
        self.spec = spec
        self.recorded = recorded
        self.player = Player(terms, spec)
        self._models: dict[str, RunModel] = {}
        self._played: dict[int, Run] = {}

    @cached_property
    def types(self) -> AgentTypes:
        """The classes of the agent."""
        return agent_types(self.spec)

    @cached_property
    def _sources(self) -> tuple[Argument, ...]:
        """The arguments that a run gives when a call is decided: not the outcome of the call."""
        return tuple(one for one in self.policy.terms.sources if self._is_given(one))

    def _is_given(self, argument: Argument) -> bool:
        if argument.expression is None:
            return True
        try:
            run_expression(argument.expression.text, self.types, argument.expression.tool)
        except PolicyError:
            return False
        return True

    @cached_property
    def _argument_types(self) -> Mapping[str, ArgumentType]:
        return argument_types(self.policy)

    @cached_property
    def _reader(self) -> AgentReader:
        return self._extractor.agent_reader

    @cached_property
    def _extractor(self) -> Extractor:
        return Extractor(self._sources, replace(self.spec, arguments=self._sources))

    @cached_property
    def _texts(self) -> ReadingTexts:
        return ReadingTexts(self.spec)

    def model(self, tool: str) -> RunModel:
        """The model of the calls of a tool."""
        if tool not in self._models:
            self._models[tool] = RunModel(self._with_sources(), self.types, tool)
        return self._models[tool]

    def _with_sources(self) -> PolicyTerms:
        """The policy of theorems with the arguments that a run gives."""
        terms = self.policy.terms
        assert terms.written is not None
        return replace(terms, written=replace(terms.written, arguments=self._sources))

    # --- what is searched for -----------------------------------------------------------

    def breaking(self, theorem: str, most: int = MOST_CALLS, seconds: float = SECONDS) -> Searched:
        """A run of allowed calls that breaks a theorem."""

        def breaks(run: Run) -> bool:
            return self.value(theorem, run.calls) is False

        until = thread_time() + seconds
        recorded = self._of_recorded(breaks, seconds / 2)
        shorter = most if recorded is None else min(most, self._length(recorded) - 1)
        found = self._searched(
            theorem,
            lambda unrolled: negate(unrolled.holds(theorem)),
            breaks,
            shorter,
            until - thread_time(),
        )
        if found.run is not None or recorded is not None:
            return found if found.run is not None else Searched(recorded, found.complete)
        if thread_time() > until:
            return found
        steps = self.policy.clauses(theorem)
        goals = {tool: Not(clause.term) for tool, clause in steps.items()}
        return self._realised(goals, breaks, found)

    def _length(self, run: Run) -> int:
        """The number of the calls of a run that do not look a record up."""
        look_ups = {record.look_up.tool for record in self.spec.records if record.look_up is not None}
        return sum(call.tool not in look_ups for call in run.calls)

    def speaks(self, theorem: str, seconds: float) -> bool:
        """Whether a run is found with an allowed call that a theorem speaks of: else it says nothing."""
        tools = self.policy.theorems[theorem].tools

        def speaks(run: Run) -> bool:
            last = run.calls[-1] if run.calls else None
            return last is not None and last.ran and last.tool in tools and self._speaks(theorem, run.calls)

        if any(True for _ in self._recorded_parts(speaks, seconds / 2)):
            return True
        found = self._searched(theorem, lambda unrolled: unrolled.speaks(theorem), speaks, 3, seconds)
        goals = {
            tool: And((ResultTerm(), one.about))
            for (part, tool), one in self.policy.calls.items()
            if part in {one.name for one in self.policy.theorems[theorem].parts}
        }
        return found.run is not None or self._realised(goals, speaks, found).run is not None

    def _of_recorded(self, accepted: Accepted, seconds: float) -> Run | None:
        """The shortest part of a recorded run that the guard lets through and that is accepted."""
        found: Run | None = None
        for part in self._recorded_parts(accepted, seconds):
            shortest = self._shortest(part, accepted)
            found = shortest if found is None else min(found, shortest, key=self._length)
        return found

    def _recorded_parts(self, accepted: Accepted, seconds: float) -> Iterator[Run]:
        """The first part of each recorded run that the guard lets through and that is accepted."""
        until = thread_time() + seconds
        for number, whole in enumerate(self._whole):
            if thread_time() > until:
                return
            played = self._played_whole(number)
            counts = range(1, len(played.calls) + 1)
            parts = ((count, replace(played, calls=played.calls[:count])) for count in counts)
            count = next((count for count, one in parts if one.calls[-1].ran and accepted(one)), None)
            if count is not None:
                yield replace(whole, calls=whole.calls[:count])

    @cached_property
    def _whole(self) -> tuple[Run, ...]:
        """The recorded runs as if each call ran.

        What was refused then may be let through: it is answered as a call that succeeds and says nothing.
        """
        return tuple(
            replace(
                run, calls=tuple(one if one.ran else replace(one, ran=True, result=DONE) for one in run.calls)
            )
            for run in self.recorded
        )

    def _played_whole(self, number: int) -> Run:
        """A recorded run as the guard sees it, which is the same for all theorems."""
        if number not in self._played:
            self._played[number] = self.player.play(self._whole[number])
        return self._played[number]

    def _realised(self, goals: Mapping[str, Term], accepted: Accepted, searched: Searched) -> Searched:
        """The search for one last call on which a condition holds, after whatever calls that needs.

        It takes the expressions that an unrolled run cannot say.
        """
        terms = self._with_sources()
        realiser = Realiser(terms, self.spec)
        for tool, condition in goals.items():
            found = realiser.searched(
                condition, tool, lambda executed: accepted(self.player.play(executed.run)), near=0
            )
            if found is not None:
                last = replace(found.run.calls[-1], result=DONE)
                run = replace(found.run, calls=(*found.run.calls[:-1], last))
                run = run if accepted(self.player.play(run)) else found.run
                return Searched(self._shortest(_in_time(run), accepted), searched.complete)
        return searched

    def value(self, theorem: str, calls: Sequence[RecordedCall]) -> object:
        """Whether a theorem holds of calls of a run: true, false or undetermined."""
        return self.value_of(self.policy.theorems[theorem], self.policy.lowered.calls.values, calls)

    def value_of(self, theorem: CallTheorem, values: RunValues, calls: Sequence[RecordedCall]) -> object:
        """Whether a theorem over these values holds of calls of a run: true, false or undetermined."""
        return theorem_value(theorem, values, self._reader, calls)

    def _speaks(self, theorem: str, calls: Sequence[RecordedCall]) -> bool:
        of, values = self.policy.theorems[theorem], self.policy.lowered.calls.values
        return says_of_last(of, values, self._reader, calls)

    # --- the search ---------------------------------------------------------------------

    def _searched(self, theorem: str, goal: Goal, accepted: Accepted, most: int, seconds: float) -> Searched:
        until = thread_time() + seconds
        complete, exact = 0, True
        orders = 0
        for count in range(1, most + 1):
            for tools in self._orders(theorem, count):
                if thread_time() > until or orders >= _MOST_ORDERS:
                    return Searched(None, complete, "the search reached its limit")
                orders += 1
                run, decided = self._of_order(tools, goal, accepted, until)
                if run is not None:
                    return Searched(self._shortest(run, accepted), complete)
                exact = exact and decided
            if exact:
                complete = count
        return Searched(None, complete)

    def _orders(self, theorem: str, count: int) -> Iterator[tuple[str, ...]]:
        """The tools of runs of so many calls; the last call is one that the theorem is about."""
        last = self.policy.theorems[theorem].tools
        others = self._earlier_tools(last)
        for tool in last:
            for before in islice(product(others, repeat=count - 1), _MOST_ORDERS):
                yield (*before, tool)

    def _earlier_tools(self, tools: Sequence[str]) -> tuple[str, ...]:
        """These tools, and those whose earlier calls a rule about them reads, and so on."""
        found = list(tools)
        lowered = self.policy.lowered.lowered
        for tool in found:
            for symbol in lowered.symbols:
                if symbol.tool not in ("", tool) or not {"", tool} & set(symbol.tools):
                    continue
                for text, value in lowered.values.items():
                    if isinstance(value, EarlierCalls) and text in symbol.text:
                        found += [one for one in value.tools if one not in found]
        return tuple(found)

    def _of_order(
        self, tools: tuple[str, ...], goal: Goal, accepted: Accepted, until: float
    ) -> tuple[Run | None, bool]:
        """A run of calls of these tools in this order, and whether it is decided that there is none."""
        unrolled = Unrolled(self.policy, self._argument_types, self.model, tools)
        wanted = [unrolled.allowed(place) for place in range(len(tools))]
        wanted.append(goal(unrolled))
        condition = conjunction(wanted)
        formula = Formula(unrolled.terms())
        excluded: list[Term] = []
        for _ in range(_ATTEMPTS):
            whole = conjunction((condition, *excluded))
            any_input, _ = solve(formula, whole, _LIMIT_MS, plain=False)
            if any_input.arguments is None:
                return None, any_input.status is SolverAnswer.UNSAT and not excluded
            recent = (whole, *unrolled.in_these_days)
            solved, _ = solve(formula, conjunction((*recent, *unrolled.preferred)), _LIMIT_MS)
            if solved.arguments is None:
                solved, _ = solve(formula, conjunction(recent), _LIMIT_MS)
            if solved.arguments is None:
                solved = replace(any_input, arguments=smallest(formula, whole, any_input.arguments))
            assert solved.arguments is not None
            run, places, _ = self._built(unrolled, solved.arguments)
            played = self.player.play(run)
            for one in (run, *_with_early_look_ups(run, places)):
                if accepted(played if one is run else self.player.play(one)):
                    return one, True
            if not excluded:
                near = self._near(unrolled, solved.arguments, accepted, until)
                if near is not None:
                    return near, True
            differing = self._differing(unrolled, solved.arguments, played, places)
            if not differing:
                return None, False
            excluded += differing
        return None, False

    # --- building -----------------------------------------------------------------------

    def _built(
        self, unrolled: Unrolled, solved: Arguments, changes: Mapping[int, Changes] = _AS_SOLVED
    ) -> tuple[Run, list[int], list[RunBuilder]]:
        """The run that gives these values, the places of its calls that are no look-ups, and their builders.

        ``changes`` are what the calls at some places have beside their values.
        """
        parts: list[Run] = []
        builders: list[RunBuilder] = []
        for place, tool in enumerate(unrolled.tools):
            model = self.model(tool)
            values = in_normal_forms(model, self._shown(model, unrolled.values_at(place, solved)))
            builder = RunBuilder(self.spec, model, values, self._texts, changes.get(place, NO_CHANGES))
            said = unrolled.result_at(place, solved)
            result = self._texts.giving(said) if said else None
            parts.append(builder.ended(failed=unrolled.fails(place, solved), result=result))
            builders.append(builder)
        places = [number - 1 for number in accumulate(len(part.calls) for part in parts)]
        return _in_time(_joined(parts, "breaking")), places, builders

    def _near(self, unrolled: Unrolled, solved: Arguments, accepted: Accepted, until: float) -> Run | None:
        """A run near one that does not give what the solver believed of lists; None if none is accepted.

        A change of a call stays if the guard reads more of what was believed with it.
        """
        changes: dict[int, Changes] = {}
        run, places, builders = self._built(unrolled, solved)
        unlike = self._unlike(unrolled, solved, self.player.play(run), places)
        left = _MOST_NEAR
        for place, builder in enumerate(builders):
            for one in builder.model.undefined:
                if f"{one.argument.name}__{place}" not in {name for name, *_ in unlike}:
                    continue
                before = changes.get(place, NO_CHANGES)
                near = NearRuns(builder.model, builder.values, builder.decided.known, one)
                for further in islice(near, min(left, _MOST_NEAR_ONE)):
                    if thread_time() > until:
                        return None
                    left -= 1
                    tried = {**changes, place: before.joined(further)}
                    run, places, _ = self._built(unrolled, solved, tried)
                    played = self.player.play(run)
                    if accepted(played):
                        return run
                    still = self._unlike(unrolled, solved, played, places)
                    if len(still) < len(unlike):
                        changes, unlike = tried, still
        return None

    def _shown(self, model: RunModel, values: Mapping[str, Value]) -> dict[str, Value]:
        """The values that a run is to give: nothing of records that are not looked up in it."""
        unknown = {
            (named.record, named.keys)
            for one in model.arguments
            if isinstance(named := model.values.get(_name(one.expression.term)), IsLookedUp)
            and values.get(one.argument.name) is False
        }
        hidden = {
            one.argument.name
            for one in model.arguments
            if (named := model.values.get(_name(one.expression.term))) is not None
            and (getattr(named, "record", None), getattr(named, "keys", None)) in unknown
            and not isinstance(named, IsLookedUp)
        }
        return {name: value for name, value in values.items() if name not in hidden}

    def _differing(
        self, unrolled: Unrolled, solved: Arguments, played: Run, places: Sequence[int]
    ) -> list[Term]:
        """Conditions that exclude what the solver believed of the calls and the guard read otherwise."""
        found: list[Term] = []
        for name, wanted, given in self._unlike(unrolled, solved, played, places):
            found += excluding(Variable(name, unrolled.parameters[name]), wanted, given)
        return found

    def _unlike(
        self, unrolled: Unrolled, solved: Arguments, played: Run, places: Sequence[int]
    ) -> list[tuple[str, Value, Value]]:
        """The arguments of calls that the guard read otherwise than the solver believed, with both values."""
        found: list[tuple[str, Value, Value]] = []
        for place, at in enumerate(places):
            extracted = self._extractor.extract(played.calls[at], Earlier(played.calls, at))
            wanted = unrolled.values_at(place, solved)
            found += [
                (f"{name}__{place}", wanted[name], item.value)
                for name, item in extracted.items()
                if name in wanted and (item.missing is not None or not _alike(item.value, wanted[name]))
            ]
        return found

    def _shortest(self, run: Run, accepted: Accepted) -> Run:
        """The run without the calls that it does not need, as the guard plays it."""
        place = 0
        while place < len(run.calls):
            calls = (*run.calls[:place], *run.calls[place + 1 :])
            shorter = replace(run, calls=tuple(replace(one, index=at) for at, one in enumerate(calls)))
            if calls and accepted(self.player.play(shorter)):
                run = shorter
            else:
                place += 1
        return self.player.play(run)


def _with_early_look_ups(run: Run, places: Sequence[int]) -> Iterator[Run]:
    """The runs in which one call, of these places, has all look-ups of later calls before it."""
    for number, at in enumerate(places):
        first = places[number - 1] + 1 if number else 0
        look_ups = [call for place, call in enumerate(run.calls[first:], first) if place not in places]
        if len(look_ups) > at - first:
            time = run.calls[first].time
            early = [replace(call, time=time) for call in look_ups]
            calls = (*run.calls[:first], *early, *(run.calls[place] for place in places[number:]))
            yield replace(run, calls=tuple(replace(call, index=place) for place, call in enumerate(calls)))


def _alike(given: Value, wanted: Value) -> bool:
    """Whether the guard reads what the solver believed; it reads only the fields that the policy needs."""
    if isinstance(given, RecordValue) and isinstance(wanted, RecordValue):
        held = dict(wanted.fields)
        return all(held.get(name, value) == value for name, value in given.fields)
    return given == wanted


def _name(term: Term) -> str:
    return term.name if isinstance(term, Variable) else ""


def _in_time(run: Run) -> Run:
    """The run with a time of each call that is not before the one before it."""
    calls: list[RecordedCall] = []
    latest: datetime | None = None
    for call in run.calls:
        time = datetime.fromisoformat(call.time or "")
        latest = time if latest is None or time > latest else latest
        calls.append(replace(call, time=latest.isoformat()))
    return replace(run, calls=tuple(calls))


_ALL_SAID, _LAST_SAID = "all_user", "user"
_PERSON = "a person"


class Player:
    """Plays runs to the guard of one policy of calls; a person approves whatever it asks about."""

    def __init__(self, terms: PolicyTerms, spec: AgentSpec) -> None:
        """Take the policy as it guards, and its agent. ``runs`` counts the runs that were played."""
        self._policy = compile_policy(terms)
        self._extractor = Extractor(terms.sources, replace(spec, arguments=terms.sources))
        self._reader = RecordedCallReader(self._extractor)
        self.runs = 0

    def play(self, run: Run, log: DecisionLog | None = None) -> Run:
        """The run as the guard saw it: a call that it refused did not run, and has no result."""
        self.runs += 1
        clock = _Clock()
        approval = Approval(lambda _outcome: _PERSON)
        guard = Guard(self._policy, self._reader, approval=approval, log=log, name=run.id, clock=clock.now)
        played: list[RecordedCall] = []
        said = ""
        for call in run.calls:
            clock.time = max(clock.time, _moment(call, clock.time))
            said = _report(guard, call, said)
            outcome = guard.check(ToolCall(call.tool or "", call.arguments, call.context))
            if outcome.runs and call.result is not None:
                guard.finish(outcome, call.result, failed=call.failed)
            played.append(_recorded(outcome, call, len(played)))
        return replace(run, calls=tuple(played))

    def arguments(self, run: Run) -> Arguments:
        """The arguments of the last call of a run that was played, as far as they are known."""
        place = len(run.calls) - 1
        extracted = self._extractor.extract(run.calls[place], Earlier(run.calls, place))
        return known_values(extracted)


class _Clock:
    """A clock that says what the played run says."""

    time = datetime.min.replace(tzinfo=UTC)

    def now(self) -> datetime:
        """The time of the call that is made."""
        return self.time


def _moment(call: RecordedCall, before: datetime) -> datetime:
    if call.time is None:
        return before
    found = datetime.fromisoformat(call.time)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _report(guard: Guard, call: RecordedCall, said: str) -> str:
    """Report what the user says before a call, if it is new; returns all that was said."""
    whole, last = call.texts.get(_ALL_SAID, ""), call.texts.get(_LAST_SAID, "")
    if whole and whole not in said:
        guard.message("user", whole)
        said = f"{said}\n\n{whole}"
    if last and last != whole:
        guard.message("user", last)
        said = f"{said}\n\n{last}"
    return said


def _recorded(outcome: Outcome, call: RecordedCall, place: int) -> RecordedCall:
    past = PastCall(
        outcome.call,
        call.result if outcome.runs else None,
        ran=outcome.runs,
        failed=call.failed and outcome.runs,
        known_from=place + 1,
        approved=bool(outcome.approved_by),
    )
    return recorded_call(past, place)


def _joined(runs: Sequence[Run], name: str) -> Run:
    """One run of several, one after the other."""
    calls = [call for run in runs for call in run.calls]
    return Run(
        name,
        tuple(replace(call, run=name, index=number) for number, call in enumerate(calls)),
        format="realised",
    )
