"""Lowering: the Nagini program that is equivalent to a policy and its contract.

Nagini cannot decide string membership, prefixes or floats, and decides ints well. So strings become codes,
decimals scaled ints, dates and times ordinals, sets ``PSet[int]`` and optional arguments a value with a flag.
Records are opened and lists made flat before (``policy.flat``), the lists for each clause separately. Every
clause becomes a method of its own with only those rules that can fire under the clause's condition. So each
clause has its own verdict, and a large policy becomes many small proofs.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from workbench.engines.nagini.lowering.clause_slice import (
    Goal,
    arguments_of,
    clause_goal,
    decision_goal,
    flat_goal,
    goal_hash,
    vacuity_goal,
)
from workbench.engines.nagini.lowering.expression_text import ExpressionWriter
from workbench.engines.nagini.lowering.lowered_pieces import (
    LoweredNames,
    declare,
    fresh,
    plain,
    ranges,
    safe,
    scale_of,
)
from workbench.engines.nagini.lowering.numbers import ordinal
from workbench.engines.nagini.lowering.obligations import Obligation, has_many_tests, obligations
from workbench.engines.nagini.lowering.string_codes import Scope, StringFamilies, StringFamily
from workbench.engines.nagini.lowering.string_regions import LoweringFault, LoweringLimit
from workbench.model import Arguments, ArgumentType, Kind, Value
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.flatten import Flat
from workbench.policy.flat.opening import Opened, gather, open_policy
from workbench.policy.terms import (
    And,
    Clause,
    Parameter,
    PolicyTerms,
    Quantified,
    SetVariable,
    Term,
)
from workbench.policy.types import LONGEST_DURATION
from workbench.policy.walk import subterms

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TEXTS = {Kind.STR, Kind.ENUM, Kind.SET}
_MICROSECOND = timedelta(microseconds=1)
_DAY = 24 * 60 * 60 * 1_000_000
_FIRST = int(ordinal(datetime.min))
_LAST = int(ordinal(datetime.max))
LIMITS: Mapping[Kind, tuple[int, int]] = {
    Kind.DATE: (date.min.toordinal(), date.max.toordinal()),
    Kind.TIME: (0, 24 * 60 * 60 * 1_000_000 - 1),
    Kind.DATETIME: (_FIRST, _LAST),
    Kind.DURATION: (-(LONGEST_DURATION // _MICROSECOND), LONGEST_DURATION // _MICROSECOND),
}


class Values:
    """Decodes the arguments of one program.

    The arguments are flat (``policy.flat``); ``names`` maps those that the program has to their names in it.
    """

    def __init__(
        self,
        terms: PolicyTerms,
        arguments: tuple[Parameter, ...],
        strings: StringFamilies,
        names: Mapping[str, str],
    ) -> None:
        self.terms = terms
        self.arguments = arguments
        self.strings = strings
        self.names = names

    def domain(self, argument: Parameter) -> str:
        """The condition that every encoded value of an argument meets; ``True`` if there is none."""
        text = self.names[argument.name]
        kind = argument.type.kind
        if kind in LIMITS:
            low, high = LIMITS[kind]
            if kind is Kind.DATETIME:  # the first and last moments of other zones lie up to a day beyond
                low, high = low - _DAY, high + _DAY
            return f"({low}) <= {text} and {text} <= {high}"
        if kind is Kind.ENUM:
            family = self.strings.family(("", argument.name))
            return ranges((family.codes[value] for value in argument.type.values), text)
        if kind in {Kind.STR, Kind.SET}:
            return self._codes_of(argument, text)
        return "True"

    def _codes_of(self, argument: Parameter, text: str) -> str:
        """The condition that a parameter has only codes of its family.

        If strings of the family are only compared with each other, every number is the code of some string.
        """
        family = self.strings.family(("", argument.name))
        if family.alike:
            return "True"
        every = range(1, len(family.words) + 1)
        if argument.type.kind is Kind.STR:
            return ranges(every, text)
        return f"Forall(int, lambda element: Implies(element in {text}, {ranges(every, 'element')}))"

    def codes(self, name: str) -> int:
        """The number of codes of a parameter of the program; 0 if it carries no string."""
        for argument in self.arguments:
            if self.names.get(argument.name) == name and argument.type.kind in _TEXTS:
                return len(self.strings.family(("", argument.name)).words)
        return 0

    def decode(self, model: Mapping[str, int | bool | frozenset[int] | None]) -> dict[str, Value]:
        """Arguments for the program's values; values missing in the model are replaced by plain ones."""
        return {
            argument.name: self._value(argument, self.names.get(argument.name, ""), model)
            for argument in self.arguments
        }

    def _value(
        self, argument: Parameter, name: str, model: Mapping[str, int | bool | frozenset[int] | None]
    ) -> Value:
        model_value = model.get(name)
        if argument.type.optional and model.get(f"{name}_missing", model_value is None):
            return None
        if argument.type.kind is Kind.SET:
            elements = model_value if isinstance(model_value, frozenset) else frozenset[int]()
            return frozenset(self._word(argument, element) for element in elements)
        if argument.type.kind is Kind.BOOL:
            return bool(model_value)
        if argument.type.kind in {Kind.STR, Kind.ENUM}:
            return self._word(argument, model_value if isinstance(model_value, int) else None)
        number = model_value if isinstance(model_value, int) else None
        return _decoded(argument.type, scale_of(self.terms, argument.type), number)

    def _word(self, argument: Parameter, code: int | None) -> str:
        family = self.strings.family(("", argument.name)) if argument.name in self.names else StringFamily()
        allowed = argument.type.values if argument.type.kind is Kind.ENUM else family.words
        if code is not None and 1 <= code <= len(family.words) and family.words[code - 1] in allowed:
            return family.words[code - 1]
        return next(iter((*argument.type.values, *reversed(allowed))), "other")


def _decoded(kind: ArgumentType, scale: int, model_number: int | None) -> Value:
    number = model_number or 0
    match kind.kind:
        case Kind.DECIMAL:
            return Decimal((1 if number < 0 else 0, tuple(map(int, str(abs(number)))), -scale))
        case Kind.DATE:
            return date(2026, 1, 1) if model_number is None else date.fromordinal(_clamp(kind.kind, number))
        case Kind.TIME:
            return (_EPOCH + _clamp(kind.kind, number) * _MICROSECOND).time()
        case Kind.DATETIME:
            moment = datetime(2026, 1, 1, tzinfo=UTC)
            return moment if model_number is None else _EPOCH + _clamp(kind.kind, number) * _MICROSECOND
        case Kind.DURATION:
            return _clamp(kind.kind, number) * _MICROSECOND
        case _:
            return number


def _clamp(kind: Kind, number: int) -> int:
    low, high = LIMITS[kind]
    return min(max(number, low), high)


__all__ = [
    "VACUITY",
    "Lowered",
    "LoweringFault",
    "LoweringLimit",
    "ReadyPolicy",
    "lower",
    "lower_goals",
]

VACUITY = "preconditions"
_DEEP = "The expressions of the policy are nested too deeply to be proved; split the rule."
_NUMBERS = "Sets of whole numbers cannot be translated for the proof; use a set of strings."
SMALL = 40
"""The most terms of a clause's goal that is proved as a whole: splitting it would save nothing."""
_HEAD = "from nagini_contracts.contracts import *"


@dataclass(frozen=True, slots=True)
class Lowered:
    """A lowered program.

    ``clause_lines`` has the first and last line (counted from 1) of the method of each clause. If the policy
    has preconditions, it also has those of ``VACUITY``, a method that must be refuted.
    """

    text: str
    clause_lines: Mapping[str, tuple[int, int]]
    methods: Mapping[str, str]
    _parameters: Mapping[str, Mapping[str, str]]
    values: Values
    opened: Opened
    flats: Mapping[str, Flat]

    def decode(self, model: Mapping[str, int | bool | frozenset[int] | None]) -> Arguments:
        """Arguments for the program's values; values missing in the model are replaced by plain ones.

        A model of one clause's method has values for its lists. Lists are empty without such values, or if no
        short lists have them.
        """
        values = self.values.decode(model)
        for flat in self.flats.values():
            if any(
                self.values.names[parameter.name] in model
                for parameter in flat.listed
                if parameter.name in self.values.names
            ):
                with suppress(FlatLimit):
                    values.update(flat.rebuild(values))
        opened_names = {argument.name for argument in self.opened.terms.arguments}
        opened = {name: value for name, value in values.items() if name in opened_names}
        return gather(self.opened.original.arguments, opened)

    def parameters(self, clause: str) -> Mapping[str, str]:
        """The parameters of a clause's method with their types: ``int``, ``bool`` or ``PSet[int]``."""
        return self._parameters[clause]

    def codes(self, parameter: str) -> int:
        """The number of codes of a parameter of strings, counted from 1; 0 for other parameters."""
        return self.values.codes(parameter)

    def goal_at(self, line: int) -> str | None:
        """The clause or goal whose method contains a line."""
        names = (name for name, (low, high) in self.clause_lines.items() if low <= line <= high)
        return next(names, None)


def lower(terms: PolicyTerms, clauses: Collection[str] | None = None) -> Lowered:
    """The Nagini program for a policy, or for some clauses of its contract only.

    Args:
        terms: the checked policy.
        clauses: ids of postconditions; None for all of them and the decision itself.

    Raises:
        LoweringLimit: the policy is in the dialect but cannot be translated exactly.
    """
    with _limits():
        ready = ReadyPolicy.of(terms)
        terms = ready.terms
        goals = [
            clause_goal(terms, clause) for clause in terms.clauses if clauses is None or clause.id in clauses
        ]
        if clauses is None:
            goals.append(decision_goal(terms))
        return lower_goals(ready, goals)


def lower_goals(ready: ReadyPolicy, goals: Iterable[Goal]) -> Lowered:
    """The Nagini program for some goals of a policy.

    Raises:
        LoweringLimit: the policy is in the dialect but cannot be translated exactly.
    """
    with _limits():
        all_goals = list(goals)
        if ready.terms.assumed:
            all_goals.append(vacuity_goal(ready.terms))
        flat = [goal if goal.flat is not None else flat_goal(ready.terms, goal) for goal in all_goals]
        return _Program(ready.terms, ready.opened, flat).build()


@dataclass(frozen=True, slots=True)
class ReadyPolicy:
    """A policy in the form that goals are made from: records opened."""

    opened: Opened

    @property
    def terms(self) -> PolicyTerms:
        """The policy with opened records."""
        return self.opened.terms

    @staticmethod
    def of(terms: PolicyTerms) -> ReadyPolicy:
        """Open a policy.

        Raises:
            LoweringLimit: it is too large.
        """
        with _limits():
            return ReadyPolicy(open_policy(terms))

    def obligations(self, clause: str) -> tuple[Obligation, ...]:
        """The small goals that together prove a clause; empty for a small clause, or if there are too many.

        Raises:
            LoweringLimit: the policy cannot be translated exactly.
        """
        with _limits():
            whole = clause_goal(self.terms, self._clause(clause))
            is_small = sum(1 for part in whole.parts for _ in subterms(part)) <= SMALL
            if is_small and not has_many_tests(And(tuple(whole.parts))):
                return ()
            return obligations(self.terms, self._clause(clause))

    def key(self, clause: str) -> str:
        """A hash of all that the truth of a clause depends on: equal keys have equal verdicts.

        Raises:
            KeyError: there is no such clause.
            LoweringLimit: the policy cannot be translated exactly.
        """
        with _limits():
            return goal_hash(self.terms, clause_goal(self.terms, self._clause(clause)))

    def flat(self, goal: Goal) -> Goal:
        """The goal without lists.

        Raises:
            LoweringLimit: there is no such goal.
        """
        with _limits():
            return flat_goal(self.terms, goal)

    def whole(self, clause: str) -> Goal:
        """The goal of a clause, without lists.

        Raises:
            LoweringLimit: there is no such goal.
        """
        with _limits():
            return flat_goal(self.terms, clause_goal(self.terms, self._clause(clause)))

    def key_of(self, goal: Goal) -> str:
        """A hash of all that the truth of the goal of an obligation depends on."""
        return f"obligation {goal_hash(self.terms, goal)}"

    def _clause(self, clause: str) -> Clause:
        return {policy_clause.id: policy_clause for policy_clause in self.terms.clauses}[clause]


@contextmanager
def _limits() -> Generator[None]:
    """Raise ``LoweringLimit`` for every error which means that a term cannot be translated."""
    try:
        yield
    except RecursionError:
        raise LoweringLimit(_DEEP) from None
    except FlatLimit as limit:
        raise LoweringLimit(str(limit)) from None


class _Program:
    """Builds the text of one program."""

    def __init__(self, terms: PolicyTerms, opened: Opened, goals: list[Goal]) -> None:
        self.terms = terms
        self.opened = opened
        self.goals = goals
        self.parts = [part for goal in goals for part in goal.parts]
        flat = {
            parameter.name: parameter
            for goal in goals
            if goal.flat is not None
            for parameter in goal.flat.parameters
        }
        self.arguments = arguments_of(_in_order(terms, flat), self.parts)
        if any(
            argument.type.kind is Kind.SET and argument.type.element is not None
            for argument in self.arguments
        ):
            raise LoweringLimit(_NUMBERS)
        self.strings = StringFamilies(terms, self.arguments)
        self.scope: Scope = {argument.name: ("", argument.name) for argument in self.arguments}
        for part in self.parts:
            self.strings.collect(part, self.scope)
        self.strings.assign(
            [{parameter.name for parameter in arguments_of(self.arguments, goal.parts)} for goal in goals]
        )
        self.names = self._names()
        self.values = Values(terms, self.arguments, self.strings, self.names)
        self.writer = ExpressionWriter(terms, self.strings)
        self.parameters: dict[str, Mapping[str, str]] = {}

    def _names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        taken_names = {"element"}
        for argument in self.arguments:
            name = fresh(argument.name, taken_names)
            names[argument.name] = name
            taken_names |= {name, f"{name}_missing"}
        return names

    def build(self) -> Lowered:
        scales = {argument.name: scale_of(self.terms, argument.type) for argument in self.arguments}
        names = LoweredNames(self.names, self.scope, scales)
        methods: list[tuple[Goal, list[str]]] = []
        called: dict[str, str] = {}
        for goal in self.goals:
            called[goal.name] = "allow" if goal.name == "allow" else f"check_{safe(goal.name)}"
            methods.append((goal, self._method(goal, called[goal.name], names)))
        lines = [_HEAD, "", *self._legend(), "", ""]
        places: dict[str, tuple[int, int]] = {}
        for goal, method in methods:
            if goal.name != "allow":
                places[goal.name] = len(lines) + 1, len(lines) + len(method)
            lines += [*method, "", ""]
        text = "\n".join(lines).rstrip() + "\n"
        flats = {goal.name: goal.flat for goal in self.goals if goal.flat is not None}
        return Lowered(text, places, called, self.parameters, self.values, self.opened, flats)

    def _method(self, goal: Goal, called: str, names: LoweredNames) -> list[str]:
        method_arguments = arguments_of(self.arguments, goal.parts)
        declared = [
            text
            for argument in method_arguments
            for text in declare(self.names[argument.name], argument.type)
        ]
        self.parameters[goal.name] = dict(text.split(": ") for text in declared)
        lines = [f"# {plain(f'{goal.name}: {goal.comment}' if goal.comment else goal.name)}"]
        if goal.rules:
            lines.append(f"# {plain('decided by ' + ', '.join(goal.rules))}")
        lines.append(f"def {called}({', '.join(declared)}) -> bool:")
        ranged = _gone_through(goal.parts)
        required = [
            self.values.domain(argument)
            for argument in method_arguments
            if argument.type.kind is not Kind.SET or argument.name in ranged
        ]
        required += [self.writer.condition(requirement, names) for requirement in goal.requires]
        lines += [f"    Requires({condition})" for condition in required if condition != "True"]
        if goal.name != "allow":
            lines.append(f"    Ensures({self.writer.condition(goal.ensures, names)})")
        return [*lines, f"    return {self.writer.condition(goal.decision, names)}"]

    def _legend(self) -> list[str]:
        """Comments with the meanings of the ints."""
        lines: list[str] = []
        by_family: dict[int, tuple[StringFamily, list[str]]] = {}
        for argument in self.arguments:
            name = self.names[argument.name]
            if argument.type.kind in {Kind.STR, Kind.ENUM, Kind.SET}:
                family = self.strings.family(("", argument.name))
                by_family.setdefault(id(family), (family, []))[1].append(name)
            elif argument.type.kind is Kind.DECIMAL:
                lines.append(f"# {name} is scaled by 10**{scale_of(self.terms, argument.type)}")
            elif argument.type.kind in _UNITS:
                lines.append(f"# {name} is {_UNITS[argument.type.kind]}")
        for family, names in by_family.values():
            lines.append(f"# codes of {', '.join(names)}:")
            for code, word in enumerate(family.words, 1):
                alike = "" if word in family.constants else " (and all strings like it)"
                lines.append(f"# {code:>4} {plain(ascii(word))}{alike}")
        return lines


def _gone_through(parts: Iterable[Term]) -> frozenset[str]:
    """The sets over whose elements a goal quantifies."""
    set_names: set[str] = set()
    for term in (subterm for part in parts for subterm in subterms(part)):
        match term:
            case Quantified(_, _, SetVariable(name)):
                set_names.add(name)
            case _:
                pass
    return frozenset(set_names)


def _in_order(terms: PolicyTerms, flat: Mapping[str, Parameter]) -> tuple[Parameter, ...]:
    """The flat arguments: first those of the policy in its order, then the others."""
    own_names = [argument.name for argument in terms.arguments if argument.name in flat]
    return tuple(flat[name] for name in dict.fromkeys((*own_names, *flat)))


_UNITS: Mapping[Kind, str] = {
    Kind.DATE: "the days since 0000-12-31",
    Kind.TIME: "the microseconds since midnight",
    Kind.DATETIME: "the microseconds since 1970-01-01 UTC",
    Kind.DURATION: "in microseconds",
}
