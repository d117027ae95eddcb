"""The smallest feasible change that turns a decision; changes that the agent can make come first.

Arguments are searched in growing circles: records that the agent can look up; the arguments of the call;
what other calls before it change; the time, which passes; what is given to the agent (user, context, history,
records). The tool stays, since a call of another tool is another call. In the first circle that can turn the
decision, the number of changed arguments is minimal, as the solver shows. Each change is then made as small
as possible while the policy, when run, still decides otherwise.

Make one changed argument of a counterfactual as small a change as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations, islice, product, takewhile
from types import MappingProxyType
from typing import cast

from workbench.engines.compiled.compile import CompiledPolicy
from workbench.engines.smt.encode import number_of, value_of
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.engines.smt.ground_parts import mentioned
from workbench.engines.smt.partial_evaluation import fixed
from workbench.engines.smt.shrink import hints, shrink
from workbench.likeness import edit_distance
from workbench.model import Arguments, ArgumentType, Element, Kind, RecordValue, Scalar, Value, Verdict
from workbench.policy.connectives import conjunction, disjunction, negate
from workbench.policy.flat.flatten import total
from workbench.policy.flat.opening import gathered, is_flag, record_of, root, spread
from workbench.policy.flat.plainest_value import plain_value
from workbench.policy.terms import (
    And,
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
from workbench.runs.replay.turning_values import Counterfactual, Reach, Turning, TurningChange

_LIMIT_MS = 1000
_MOST_SET_CHOICES = 64
_MOST_WORDS = 500
_OTHER = "\N{REPLACEMENT CHARACTER}"
"""A text that stands for any other."""


# The arguments that may change in each circle. For time alone, a clock computes the later arguments.
_BY_AGENT = frozenset({Reach.LOOK_UP, Reach.CALL, Reach.EARLIER})
_CIRCLES = (
    (Reach.LOOK_UP, frozenset({Reach.LOOK_UP})),
    (Reach.CALL, frozenset({Reach.LOOK_UP, Reach.CALL})),
    (Reach.EARLIER, _BY_AGENT),
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
            against = Verdict.DENY if target is Verdict.ALLOW else Verdict.ALLOW
            other = _Search(self._formula, self._parameters, base, lacking, against)
            changes = tuple(
                replace(
                    change,
                    bound=self._bound(other, change, small),
                    any_member=_by_any(search, change, small),
                    instead=_instead(search, change, small, reaches),
                )
                for change in self._changes(search, small, reaches, look_ups)
                if root(change.name) in whole
            )
            verdict = self._policy.decide(whole).verdict
            return Turning(Counterfactual(verdict, changes, whole, reach, not answer.unknown))
        return Turning(impossible=not unknown)

    def _bound(self, other: _Search, change: TurningChange, small: Arguments) -> Comparison:
        """The bound, if all numbers beyond the new one would do; ``other`` searches one that would not."""
        parameter = self._parameters.get(change.name)
        if parameter is None or change.supplied:
            return Comparison.EQ
        old, new = (_as_number(value, parameter.type) for value in (change.old, change.new))
        if old is None or new is None:
            return Comparison.EQ
        low, high = (None, change.new) if new < old else (change.new, None)
        beyond = _between(Variable(change.name, parameter.type), low, high)
        if not other.never(change.name, small, beyond):
            return Comparison.EQ
        return Comparison.LE if low is None else Comparison.GE

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
        for _ in range(3):
            before = dict(start)
            for name in changed:
                parameter = self._parameters[name]
                words = (*self._words(name), *search.elements)
                start[name] = _smaller(
                    parameter, search.base[name], start, search.turned, words, search.closer
                )
            if start == before:
                break
        for number, changed_list in product(changed, changed):
            start = _moved_together(self._parameters[number], search.base, start, changed_list, search.turned)
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
        """The words known for an argument: of its type, of the logs, of the policy."""
        return (*self._parameters[name].type.values, *self._seen.get(name, ()), *self._hints.words)


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
        fewer = self._with_own_values(best)
        most = self._size(fewer)
        for most_changes in range(1 if not self.missing else 0, min(most + 1, self._size(best))):
            better, gave_up = self._within(free_names, most_changes)
            if better is not None:
                return _Answer(better, unknown or gave_up)
            unknown = unknown or (gave_up and most_changes < most)
        return _Answer(fewer, unknown)

    def _with_own_values(self, candidate: Arguments) -> Arguments:
        """The candidate with each value of the call that it can have, as running the policy tells.

        It bounds how many changes the solver is asked about, which has no answer in time for hundreds.
        """
        kept = dict(candidate)
        for name in [name for name, value in self.base.items() if kept[name] != value]:
            if self.turned({**kept, name: self.base[name]}):
                kept[name] = self.base[name]
        return kept

    def _other_list(self, free_names: frozenset[str]) -> Arguments | None:
        """The call with one list shortened, or replaced by another list of the call, if that suffices."""
        lists = {name: value for name, value in self.base.items() if isinstance(value, tuple)}
        for name in sorted(free_names & lists.keys()):
            type_ = self._parameters[name].type
            alike = [
                value for other_name, value in lists.items() if self._parameters[other_name].type == type_
            ]
            for value in (*_shorter(lists[name]), *alike, ()):
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

    def turns(self, candidate: Arguments, free_names: Collection[str]) -> bool:
        """Whether a candidate has the wanted decision with some values of the free arguments."""
        fixed_names = [name for name in candidate if name not in free_names]
        return self._solve(fixed_names, None, candidate)[0] is not None

    def never(self, name: str, current: Arguments, bound: Term) -> bool:
        """Whether it is proved that no value of one argument within ``bound`` has the wanted decision."""
        arguments, unknown = self._solve([other for other in current if other != name], bound, current)
        return arguments is None and not unknown

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
            time_limit_ms=_LIMIT_MS,
        )
        if solved.arguments is None:
            return None, solved.status is SolverAnswer.UNKNOWN
        return whole(solved.arguments), False

    def _at_most(self, names: Sequence[str], most_changes: int) -> Term:
        """The term: at most ``most_changes`` of the scalar arguments differ from the call's."""
        if most_changes == 0:
            return conjunction(negate(self._differs(name)) for name in names)
        changes = [Choice(self._differs(name), Constant(1), Constant(0)) for name in names]
        return Compare(Comparison.LE, total(changes), Constant(most_changes))

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


def _by_any(search: _Search, change: TurningChange, small: Arguments) -> bool:
    """Whether a set only needs another element, whatever text that is."""
    old, new = change.old, change.new
    if not isinstance(old, frozenset) or not isinstance(new, frozenset) or len(new - old) != 1 or old - new:
        return False
    texts = cast("frozenset[str]", old)
    return all(isinstance(one, str) for one in new) and search.turned(
        {**small, change.name: texts | {_OTHER}}
    )


def _instead(
    search: _Search, change: TurningChange, small: Arguments, reaches: Mapping[str, Reach]
) -> tuple[TurningChange, ...]:
    """The other values that further calls could make true instead of one."""
    if change.reach is not Reach.EARLIER or change.new is not True:
        return ()
    return tuple(
        TurningChange(name, search.base.get(name), True, Reach.EARLIER, name in search.missing)
        for name in sorted(search.relevant | search.missing)
        if reaches[name] is Reach.EARLIER
        and small[name] is False
        and search.turns({**small, change.name: False, name: True}, search.missing - {change.name, name})
    )


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


type Turned = Callable[[Arguments], bool]
type Closer = Callable[[str, Arguments, Term], Value]
"""Asks the solver for a value of one argument within a bound."""

_ROUNDS = 24
_UNORDERED = (Kind.BOOL, Kind.STR, Kind.ENUM, Kind.RECORD, Kind.LIST)
_DAY = 86_400_000_000
_MOST_SHORTER = 100
_ROUND_TIMES = (60_000_000, 1_000_000)


def _smaller(
    parameter: Parameter,
    base: Value,
    current: Mapping[str, Value],
    turned: Turned,
    words: Iterable[str],
    closer: Closer,
) -> Value:
    """The value of one argument that is nearest to ``base``, with the others as in ``current``.

    Numbers and times: the nearest value that the solver can find. Words: the known word with the fewest
    edits. Sets: no part of the change can be left out. Lists and records: if it suffices, the call's own list
    without one or two elements, or its own record with one field changed.
    """
    name, kind = parameter.name, parameter.type.kind
    value = current[name]

    def works(candidate: Value) -> bool:
        return turned({**current, name: candidate})

    if kind is Kind.SET and isinstance(base, frozenset) and isinstance(value, frozenset):
        return _set(base, value, works, tuple(words) if parameter.type.element is None else ())
    if isinstance(base, tuple) and isinstance(value, tuple):
        return next((shorter_list for shorter_list in _shorter(base) if works(shorter_list)), value)
    if isinstance(base, RecordValue) and isinstance(value, RecordValue):
        return next((near for near in _with_one_field(base, value) if works(near)), value)
    if kind is Kind.ENUM:
        return next((choice for choice in parameter.type.values if choice != base and works(choice)), value)
    if kind is Kind.STR:
        return _word(base, value, works, words)
    if kind in _UNORDERED or base is None:
        return value
    return _number(parameter, base, current, works, closer)


def _word(base: Value, value: Value, works: Callable[[Value], bool], words: Iterable[str]) -> Value:
    fitting = [word for word in dict.fromkeys(words) if word != base and works(word)]
    start = base if isinstance(base, str) else ""
    return min(fitting, key=lambda word: edit_distance(start, word), default=value)


def _set(
    base: frozenset[str] | frozenset[int],
    value: frozenset[str] | frozenset[int],
    works: Callable[[Value], bool],
    words: tuple[str, ...],
) -> Value:
    base, smallest = cast("frozenset[str]", base), cast("frozenset[str]", value)  # or both of ints
    while True:
        before = smallest
        for element in sorted(smallest ^ base):
            without = smallest ^ {element}
            if without != base and works(without):
                smallest = without
        if smallest == before:
            break
    for element in sorted(smallest - base):
        for word in takewhile(lambda word, element=element: word != element, words):
            if word not in smallest and word not in base and works((smallest - {element}) | {word}):
                smallest = (smallest - {element}) | {word}
                break
    return smallest


def _shorter(base: tuple[Element, ...]) -> Iterator[tuple[Element, ...]]:
    """The list without one or two of its elements."""
    for count in (1, 2):
        for left_out in islice(combinations(range(len(base)), count), _MOST_SHORTER):
            yield tuple(element for index, element in enumerate(base) if index not in left_out)


def _moved_together(
    parameter: Parameter, base: Arguments, current: Arguments, changed_list: str, turned: Turned
) -> Arguments:
    """``current`` with a number nearest to its base, and one element of a list moved by the same amount.

    A total and the lines that add up to it can only change together: the list is the base's own, with one
    number of one element moved. Returns ``current`` if no such change turns the decision.
    """
    name, type_, own_elements = parameter.name, parameter.type, base[changed_list]
    start, best = _as_number(base[name], type_), _as_number(current[name], type_)
    if start is None or best is None or not isinstance(own_elements, tuple):
        return current

    def moved(value: Value) -> Arguments | None:
        candidates = (
            {**current, name: value, changed_list: elements}
            for elements in _moved(own_elements, base[name], value)
        )
        return next((candidate for candidate in candidates if turned(candidate)), None)

    nearest = _halved(start, best, type_, lambda value: moved(value) is not None)
    value = _as_value(nearest, type_)
    return (None if value is None else moved(value)) or current


def _moved(own_elements: tuple[Element, ...], old: Value, new: Value) -> Iterator[tuple[Element, ...]]:
    """The lists with one number of one element moved by the difference of the two values."""
    for index, element in enumerate(own_elements[:_MOST_SHORTER]):
        if isinstance(element, RecordValue):
            for field, value in element.fields:
                if (shifted := _shifted(value, old, new)) is not None:
                    fields = tuple(
                        (name, shifted if name == field else own_value) for name, own_value in element.fields
                    )
                    yield (
                        *own_elements[:index],
                        RecordValue(element.type, fields),
                        *own_elements[index + 1 :],
                    )


def _shifted(value: Value, old: Value, new: Value) -> Value:
    """A number moved by the difference of two others of its type; None if one of them is no number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Decimal) and isinstance(old, Decimal) and isinstance(new, Decimal):
        return value + (new - old)
    if isinstance(value, int) and isinstance(old, int) and isinstance(new, int):
        return value + (new - old)
    return None


def _with_one_field(base: RecordValue, value: RecordValue) -> Iterator[RecordValue]:
    """The records with one field of ``base`` replaced by that of ``value``."""
    for name, new in value.fields:
        fields = tuple((field, new if field == name else old) for field, old in base.fields)
        if fields != base.fields:
            yield RecordValue(base.type, fields)


def _number(
    parameter: Parameter,
    base: Value,
    current: Mapping[str, Value],
    works: Callable[[Value], bool],
    closer: Closer,
) -> Value:
    """Halve the distance to the base, and ask the solver whether a nearer value is left."""
    type_ = parameter.type
    start = _as_number(base, type_)
    variable = Variable(parameter.name, type_)
    value = current[parameter.name]
    if value is None:
        value = closer(parameter.name, current, Not(IsMissing(variable)))
    if value is None or start is None:
        return current[parameter.name]
    best = _as_number(value, type_)
    for _ in range(_ROUNDS):
        if best is None:
            return value
        best = _halved(start, best, type_, works)
        distance = abs(best - start) - 1
        if distance < 1:
            break
        low, high = (_as_value(start + way * distance, type_) for way in (-1, 1))
        nearer = closer(parameter.name, current, _between(variable, low, high))
        if nearer is None:
            break
        best = _as_number(nearer, type_)
    return value if best is None else _rounded(start, best, type_, works)


def _between(variable: Variable, low: Value, high: Value) -> Term:
    parts: list[Term] = [Not(IsMissing(variable))] if variable.type.optional else []
    for operator, bound in ((Comparison.GE, low), (Comparison.LE, high)):
        if bound is not None and not isinstance(bound, frozenset | tuple | RecordValue):
            parts.append(Compare(operator, variable, Constant(bound)))
    return And(tuple(parts))


def _halved(start: int, best: int, type_: ArgumentType, works: Callable[[Value], bool]) -> int:
    """A working number whose neighbour towards the start does not work."""
    bad, good = start, best
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        value = _as_value(middle, type_)
        if value is not None and works(value):
            good = middle
        else:
            bad = middle
    return good


def _rounded(start: int, best: int, type_: ArgumentType, works: Callable[[Value], bool]) -> Value:
    """The value of ``best``; a time is rounded to the minute or second if that works as well."""
    if type_.kind in (Kind.TIME, Kind.DATETIME):
        for unit in _ROUND_TIMES:
            down = best // unit * unit
            away = down if best <= start else down + (unit if best % unit else 0)
            value = _as_value(away, type_)
            if value is not None and works(value):
                return value
    return _as_value(best, type_)


def _as_number(value: Value, type_: ArgumentType) -> int | None:
    """The solver's number for a value; None if the type has no order or the number is not exact."""
    if value is None or isinstance(value, bool | str | frozenset | tuple | RecordValue):
        return None
    number, scale = number_of(value)
    if type_.kind is not Kind.DECIMAL:
        return number
    if scale <= type_.places:
        return number * 10 ** (type_.places - scale)
    whole, remainder = divmod(number, 10 ** (scale - type_.places))
    return None if remainder else whole


def _as_value(number: int, type_: ArgumentType) -> Scalar | None:
    """The value that a number encodes; None outside the range of the type."""
    if type_.kind is Kind.TIME and not 0 <= number < _DAY:
        return None
    try:
        return value_of(number, type_)
    except (ValueError, OverflowError):
        return None
