"""The smallest feasible change that turns a decision; changes that the agent can make come first.

Arguments are searched in growing circles: records that the agent can look up; the arguments of the call;
the time, which passes; what is given to the agent (user, context, history, records). The tool stays, since
a call of another tool is another call. In the first circle that can turn the decision, the number of
changed arguments is minimal, as the solver shows. Each change is then made as small as possible while the
policy, when run, still decides otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from types import MappingProxyType

from workbench.engines.compiled.compile import CompiledPolicy
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.engines.smt.ground_parts import mentioned
from workbench.engines.smt.partial_evaluation import fixed
from workbench.engines.smt.shrink import hints, shrink
from workbench.model import Arguments, Kind, RecordValue, Value, Verdict
from workbench.policy.connectives import conjunction, disjunction, negate
from workbench.policy.flat.opening import gathered, is_flag, record_of, root, spread
from workbench.policy.flat.plainest_value import plain_value
from workbench.policy.terms import (
    Arithmetic,
    Choice,
    Compare,
    Comparison,
    Constant,
    IsMissing,
    Not,
    Parameter,
    Term,
    Variable,
)
from workbench.runs.replay.passing_time import Clock
from workbench.runs.replay.smallest_change import Ranges, moved_together, shorter, smaller
from workbench.runs.replay.turning_values import Counterfactual, Reach, Turning, TurningChange

_LIMIT_MS = 1000
_MOST_SET_CHOICES = 64
_MOST_WORDS = 500


# The arguments that may change in each circle. For time alone, a clock computes the later arguments.
_BY_AGENT = frozenset({Reach.LOOK_UP, Reach.CALL})
_CIRCLES = (
    (Reach.LOOK_UP, frozenset({Reach.LOOK_UP})),
    (Reach.CALL, _BY_AGENT),
    (Reach.TIME, frozenset({Reach.TIME})),
    (Reach.GIVEN, _BY_AGENT | {Reach.GIVEN}),
    (Reach.GIVEN, _BY_AGENT | {Reach.GIVEN, Reach.TIME}),
)


class Turner:
    """Searches for the smallest change that turns a policy's decision. Use it from one thread at a time."""

    def __init__(self, policy: CompiledPolicy, *, seen: Iterable[Arguments] = ()) -> None:
        """Ground the policy; ``seen`` are arguments of logs, whose words are used before any are invented."""
        self._policy = policy
        self._formula = Formula(policy.terms)
        self._opened = self._formula.opened
        self._parameters = {argument.name: argument for argument in self._opened.terms.arguments}
        self._hints = hints(*self._formula.rules.values(), self._formula.precondition)
        self._seen = _words((self._fields(vector) for vector in seen), self._parameters)

    def turn(
        self,
        arguments: Arguments,
        target: Verdict,
        reaches: Mapping[str, Reach],
        missing: Iterable[str] = (),
        *,
        look_ups: Mapping[str, str] = MappingProxyType({}),
        clock: Clock | None = None,
    ) -> Turning:
        """The smallest change after which the decision is ``target``: allow, or deny, which asking is too.

        Args:
            arguments: well-typed values of the arguments that are known.
            target: allow or deny.
            reaches: who can change each argument; the agent cannot change arguments that are not named.
            missing: arguments without a usable value; a change supplies those that the decision needs.
            look_ups: by argument, the sentence about the call that would look its record up.
            clock: the clock of the call, which computes the arguments after a wait.
        """
        absent = frozenset(missing)
        lacking = frozenset(name for name in self._parameters if root(name) in absent)
        base = self._fields(arguments)
        reaches = {name: reaches.get(root(name), Reach.GIVEN) for name in self._parameters}
        search = _Search(self._formula, self._parameters, base, lacking, target)
        unknown = False
        tried: frozenset[str] | None = None
        for reach, circle in _CIRCLES:
            if reach is Reach.TIME:
                if clock is not None and (waited := self._wait(arguments, target, clock)):
                    return Turning(waited)
                continue
            free_names = frozenset(name for name in search.relevant if reaches[name] in circle)
            if free_names == tried:
                continue
            tried = free_names
            answer = search.fewest(free_names)
            if answer.arguments is None:
                unknown = unknown or answer.unknown
                continue
            small = self._smallest(search, answer.arguments)
            whole = self._needed(self._opened.implode(small), absent, target)
            changes = tuple(
                change
                for change in self._changes(search, small, reaches, look_ups)
                if root(change.name) in whole
            )
            verdict = self._policy.decide(whole).verdict
            return Turning(Counterfactual(verdict, changes, whole, reach, not answer.unknown))
        return Turning(impossible=not unknown)

    def _needed(self, whole: Arguments, missing: frozenset[str], target: Verdict) -> Arguments:
        """The input without missing arguments that the target decision does not need."""
        part = dict(whole)
        for name in sorted(missing & part.keys()):
            without = {other_name: value for other_name, value in part.items() if other_name != name}
            if self._policy.decide(without).verdict.allows is target.allows:
                part = without
        return part

    def _wait(self, arguments: Arguments, target: Verdict, clock: Clock) -> Counterfactual | None:
        """The same call at a later time at which the decision is ``target``; None if there is none."""
        wait = clock.wait(
            arguments,
            self._hints.ordered,
            lambda later: self._policy.decide(later).verdict.allows is target.allows,
        )
        if wait is None:
            return None
        changes = tuple(
            TurningChange(name, arguments[name], new, Reach.TIME)
            for name, new in wait.arguments.items()
            if new != arguments[name]
        )
        verdict = self._policy.decide(wait.arguments).verdict
        return Counterfactual(verdict, changes, wait.arguments, Reach.TIME, True, wait_until=wait.until)

    def _fields(self, arguments: Arguments) -> dict[str, Value]:
        """The given arguments, with the fields of records as arguments of their own."""
        return {
            part: value
            for argument in self._formula.terms.arguments
            if argument.name in arguments
            for part, value in spread(argument.name, argument.type, arguments[argument.name])
        }

    def _smallest(self, search: _Search, arguments: Arguments) -> Arguments:
        supplied = [self._parameters[name] for name in sorted(search.missing)]
        start = shrink(arguments, supplied, search.turned, self._hints)
        for name in search.base:
            candidate = {**start, name: search.base[name]}
            if search.turned(candidate):
                start = candidate
        changed = [name for name in search.base if start[name] != search.base[name]]
        ranges = Ranges(lambda name, current, bound: search.closer(name, current, bound))
        for _ in range(3):
            before = dict(start)
            for name in changed:
                parameter = self._parameters[name]
                words = (*self._words(name), *search.elements)
                start[name] = smaller(parameter, search.base[name], start, search.turned, words, ranges)
            if start == before:
                break
        for number, changed_list in product(changed, changed):
            start = moved_together(self._parameters[number], search.base, start, changed_list, search.turned)
        return start

    def _changes(
        self, search: _Search, small: Arguments, reaches: Mapping[str, Reach], look_ups: Mapping[str, str]
    ) -> Iterator[TurningChange]:
        changed_records: set[str] = set()
        for name, parameter in self._parameters.items():
            supplied = name in search.missing
            old, new = search.base.get(name), small[name]
            if not supplied and type(old) is type(new) and old == new:
                continue
            if is_flag(name) or (supplied and name != root(name)) or record_of(name) in changed_records:
                if record_of(name) not in changed_records:
                    changed_records.add(record_of(name))
                    change = self._record_change(search, record_of(name), small, reaches[name], supplied)
                    yield replace(change, look_up=look_ups.get(root(name), ""))
                continue
            text = parameter.type.kind is Kind.STR and isinstance(new, str)
            among = search.set_with(new, old) if text else search.list_like(new, name)
            invented = text and not among and new not in self._words(name)
            look_up = look_ups.get(root(name), "")
            yield TurningChange(name, old, new, reaches[name], supplied, invented, among, look_up)

    def _record_change(
        self, search: _Search, name: str, small: Arguments, reach: Reach, supplied: bool
    ) -> TurningChange:
        """The change of a record that appears or disappears."""
        types = {argument.name: argument.type for argument in self._formula.terms.arguments}
        old = None if supplied or name not in types else gathered(name, types[name], search.base)
        new = gathered(name, types[name], small) if name in types else None
        return TurningChange(name, old, new, reach, supplied)

    def _words(self, name: str) -> tuple[str, ...]:
        """The words known for an argument: of its type, of the policy, of the logs."""
        return (*self._parameters[name].type.values, *self._hints.words, *self._seen.get(name, ()))


@dataclass(frozen=True, slots=True)
class _Answer:
    """Arguments with the target decision. ``unknown``: the solver could not exclude a smaller change."""

    arguments: Arguments | None
    unknown: bool


# Arguments that change as a whole: the number of changed elements is not counted.
_WHOLE = (Kind.SET, Kind.LIST)


class _Search:
    """The queries about one call."""

    def __init__(
        self,
        formula: Formula,
        parameters: Mapping[str, Parameter],
        arguments: Arguments,
        missing: frozenset[str],
        target: Verdict,
    ) -> None:
        self.missing = missing & parameters.keys()
        self.base = {name: arguments[name] for name in parameters if name not in self.missing}
        self._formula = formula
        self._parameters = parameters
        self._allow = target is Verdict.ALLOW
        allowed = formula.allowed()
        self._query = conjunction((formula.precondition, allowed if self._allow else negate(allowed)))
        self.relevant = (mentioned(self._query) & parameters.keys()) - self.missing

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements of the call's sets; a rule may require that a text is one of them."""
        sets = (value for value in self.base.values() if isinstance(value, frozenset))
        members = (member for value in sets for member in sorted(value) if isinstance(member, str))
        return tuple(islice(members, _MOST_WORDS))

    def set_with(self, new: Value, old: Value) -> str:
        """The set argument of the call that has the new value but not the old one; empty if there is none."""
        return next(
            (
                name
                for name, value in self.base.items()
                if isinstance(value, frozenset) and new in value and old not in value
            ),
            "",
        )

    def list_like(self, new: Value, changed: str) -> str:
        """The name of another list of the call that equals ``new``; empty if there is none."""
        lists = ((name, value) for name, value in self.base.items() if isinstance(new, tuple) and new)
        return next((name for name, value in lists if name != changed and value == new), "")

    def turned(self, candidate: Arguments) -> bool:
        """Whether running the policy gives the wanted decision."""
        runner = self._formula.runner
        whole = self._formula.opened.implode(candidate)
        return runner.evaluable(whole) and runner.allows(whole) is self._allow

    def fewest(self, free_names: frozenset[str]) -> _Answer:
        """Arguments that differ from the call's in as few of the free arguments as possible."""
        if not self.missing and (arguments := self._other_list(free_names)) is not None:
            return _Answer(arguments, unknown=False)
        best, unknown = self._within(free_names, len(free_names))
        if best is None:
            return _Answer(None, unknown)
        size = self._size(best)
        for most_changes in range(1 if not self.missing else 0, size):
            better, gave_up = self._within(free_names, most_changes)
            if better is not None:
                return _Answer(better, unknown or gave_up)
            unknown = unknown or gave_up
        return _Answer(best, unknown)

    def _other_list(self, free_names: frozenset[str]) -> Arguments | None:
        """The call with one list shortened, or replaced by another list of the call, if that suffices."""
        lists = {name: value for name, value in self.base.items() if isinstance(value, tuple)}
        for name in sorted(free_names & lists.keys()):
            type_ = self._parameters[name].type
            alike = [
                value for other_name, value in lists.items() if self._parameters[other_name].type == type_
            ]
            for value in (*shorter(lists[name]), *alike, ()):
                candidate = {**self.base, name: value}
                if self.turned(candidate):
                    return candidate
        return None

    def _size(self, candidate: Arguments) -> int:
        return sum(candidate[name] != value for name, value in self.base.items())

    def _within(self, free_names: frozenset[str], most_changes: int) -> tuple[Arguments | None, bool]:
        """Arguments that differ in at most ``most_changes`` free ones, and whether the solver gave up."""
        sets = [name for name in sorted(free_names) if self._parameters[name].type.kind in _WHOLE]
        scalars = [name for name in sorted(free_names) if name not in sets]
        gave_up = False
        choices = [
            chosen
            for count in range(min(most_changes, len(sets)) + 1)
            for chosen in combinations(sets, count)
        ]
        if most_changes >= len(free_names):
            choices = [tuple(sets)]
        for chosen in choices[:_MOST_SET_CHOICES]:
            fixed_names = [name for name in self.base if name not in scalars and name not in chosen]
            left = most_changes - len(chosen)
            limit = self._at_most(scalars, left) if left < len(scalars) else None
            arguments, unknown = self._solve(fixed_names, limit)
            if arguments is not None:
                return arguments, gave_up or unknown
            gave_up = gave_up or unknown
        return None, gave_up or len(choices) > _MOST_SET_CHOICES

    def closer(self, name: str, current: Arguments, bound: Term) -> Value | None:
        """A value of one argument within ``bound``, all others as in ``current``; None if there is none."""
        arguments, _ = self._solve(
            [other_name for other_name in current if other_name != name], bound, current
        )
        return None if arguments is None else arguments[name]

    def _solve(
        self, fixed_names: Sequence[str], limit: Term | None, base: Arguments | None = None
    ) -> tuple[Arguments | None, bool]:
        """Arguments with the values of ``fixed_names`` unchanged, and whether the solver gave up."""
        base = self.base if base is None else base
        query = fixed(self._formula.terms, self._query, {name: base[name] for name in fixed_names})
        if limit is not None:
            query = conjunction((query, limit))
        names = mentioned(query) - frozenset(fixed_names)

        def whole(arguments: Arguments) -> dict[str, Value]:
            model = self._formula.opened.explode(arguments)
            return {
                name: model[name]
                if name in names
                else (base[name] if name in base else plain_value(parameter.type))
                for name, parameter in self._parameters.items()
            }

        solved = self._formula.search.solve(
            query,
            lambda model: self.turned(whole(model)),
            subject="a smaller change",
            source=self._formula.terms.source,
            time_limit_ms=_LIMIT_MS,
        )
        if solved.arguments is None:
            return None, solved.status is SolverAnswer.UNKNOWN
        return whole(solved.arguments), False

    def _at_most(self, names: Sequence[str], most_changes: int) -> Term:
        """The term: at most ``most_changes`` of the scalar arguments differ from the call's."""
        if most_changes == 0:
            return conjunction(negate(self._differs(name)) for name in names)
        total: Term = Constant(0)
        for name in names:
            total = Arithmetic("+", total, Choice(self._differs(name), Constant(1), Constant(0)))
        return Compare(Comparison.LE, total, Constant(most_changes))

    def _differs(self, name: str) -> Term:
        value = self.base[name]
        variable = Variable(name, self._parameters[name].type)
        if value is None:
            return Not(IsMissing(variable))
        if isinstance(value, frozenset | tuple | RecordValue):
            raise TypeError(f"{name} is no single value")
        if self._parameters[name].type.kind is Kind.BOOL:
            opposite: Term = Not(variable) if value else variable
            return disjunction((IsMissing(variable), opposite)) if variable.type.optional else opposite
        return Compare(Comparison.NE, variable, Constant(value))


def _words(
    vectors: Iterable[Arguments], parameters: Mapping[str, Parameter]
) -> Mapping[str, tuple[str, ...]]:
    """The texts that logs have for each argument, the most frequent first."""
    counts: dict[str, dict[str, int]] = {}
    for vector in vectors:
        for name in parameters.keys() & vector.keys():
            value = vector[name]
            words = value if isinstance(value, frozenset) else (value,)
            for word in words:
                if isinstance(word, str):
                    count_by_word = counts.setdefault(name, {})
                    count_by_word[word] = count_by_word.get(word, 0) + 1
    return {
        name: tuple(sorted(count_by_word, key=lambda word: (-count_by_word[word], word))[:_MOST_WORDS])
        for name, count_by_word in counts.items()
    }
