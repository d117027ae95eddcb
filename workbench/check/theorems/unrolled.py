"""Runs of a given number of calls as one formula: each call allowed, and a theorem broken after the last one.

Each call of the run has the arguments of the policy for itself. What the policy asks of earlier calls is
written over the arguments of those calls. What cannot be written so, such as a list within a list, has any
value: the run that is built then is played to the guard, which knows better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from workbench.check.realise.run_model import Inexpressible, RunModel
from workbench.dialect.call_fields import field_and_part
from workbench.dialect.lowering import Symbol
from workbench.dialect.run_terms import free_names, text_of
from workbench.dialect.run_values import (
    CALL,
    DISTINCT,
    PLACE,
    ContextValue,
    EarlierCalls,
    Gathered,
    IsLookedUp,
    LastCall,
    ReadingOf,
    RecordAt,
    RunBound,
    RunValue,
    all_parts,
)
from workbench.dialect.theorem_steps import APPROVED, TheoremPolicy, of_parts
from workbench.dialect.theorems import zero_of
from workbench.model import TOOL_ARGUMENT, Arguments, ArgumentType, Value
from workbench.policy.connectives import FALSE, TRUE, conjunction, disjunction, negate
from workbench.policy.flat.traverse import free_names as free_variables
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Clause,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    IsMissing,
    Member,
    Not,
    Or,
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    SetVariable,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, DATETIME, INT, holds_many
from workbench.policy.walk import children, root_and_path, with_children

_TIME, _FAILED, _RESULT = "time", "failed", "result"
_OUTCOME = (_FAILED, APPROVED)
_THESE_DAYS = datetime(2026, 1, 1, tzinfo=UTC)
_DECIDED = Variable(CALL, BOOL)


def argument_types(policy: TheoremPolicy) -> dict[str, ArgumentType]:
    """The types of the arguments; a record has the fields that expressions over the run read, too."""
    types = {parameter.name: parameter.type for parameter in policy.terms.arguments}
    symbols, values = policy.lowered.lowered.symbols, policy.lowered.lowered.values
    of_tool = {(one.tool, one.text): one.name for one in symbols}
    for symbol in symbols:
        for part in all_parts(symbol.term, values):
            if not isinstance(part, Attribute) or not isinstance(part.record, Variable):
                continue
            name = of_tool.get((symbol.tool, part.record.name))
            record = None if name is None else types[name].record
            if name is None or record is None or record.field(part.name) or holds_many(part.type):
                continue
            fields = (*record.fields, (part.name, part.type))
            types[name] = replace(types[name], record=replace(record, fields=fields))
    return types


class Unrolled:
    """The runs of calls of these tools, in this order."""

    def __init__(
        self,
        policy: TheoremPolicy,
        types: Mapping[str, ArgumentType],
        models: Callable[[str], RunModel],
        tools: Sequence[str],
    ) -> None:
        """Take the policy of theorems, its ``argument_types``, the model of each tool, and the tools."""
        self.policy = policy
        self.tools = tuple(tools)
        self.models = models
        self.types = types
        self.parameters: dict[str, ArgumentType] = {}
        self.facts: list[Term] = []
        self.in_these_days: list[Term] = []
        self.preferred: list[Term] = []
        self.readings: dict[int, dict[str, None]] = {}
        self._records: dict[Variable, None] = {}
        self._symbols = {(one.tool, one.text): one for one in policy.lowered.lowered.symbols}
        self._values = policy.lowered.lowered.values
        for place, tool in enumerate(self.tools):
            self._add(place, tool)

    # --- the formula ------------------------------------------------------------------

    def terms(self) -> PolicyTerms:
        """The arguments of all calls, with what holds of them; there is no rule."""
        clauses = tuple(
            Clause(f"U{number}", term, (), "", "", 0, 0) for number, term in enumerate(self.facts, 1)
        )
        return replace(
            self.policy.terms,
            interpreted=True,
            arguments=tuple(Parameter(name, type_) for name, type_ in self.parameters.items()),
            rules=(),
            default_allow=True,
            preconditions=(),
            clauses=(),
            axioms=clauses,
            written=None,
        )

    def allowed(self, place: int) -> Term:
        """That the call at a place is allowed, or that a person may approve it."""
        terms = self.policy.terms
        forbidden = disjunction(self.at(rule.body, place) for rule in terms.rules if rule.forbids)
        permitted = disjunction(self.at(rule.body, place) for rule in terms.rules if not rule.forbids)
        return conjunction((negate(forbidden), TRUE if terms.default_allow else permitted))

    def holds(self, theorem: str) -> Term:
        """That a theorem holds of the whole run."""
        return of_parts(self.policy.theorems[theorem], lambda part: self._gathered(part.name))

    def speaks(self, theorem: str) -> Term:
        """That a theorem speaks of the last call."""
        place = len(self.tools) - 1
        return disjunction(
            self.at(one.about, place)
            for part in self.policy.theorems[theorem].parts
            if (one := self.policy.calls.get((part.name, self.tools[place]))) is not None
        )

    def _gathered(self, name: str) -> Term:
        """What a theorem gathers over the calls of the run."""
        part = next(
            part for theorem in self.policy.theorems.values() for part in theorem.parts if part.name == name
        )
        counted: list[tuple[Term, Term]] = []
        for place, tool in enumerate(self.tools):
            one = self.policy.calls.get((name, tool))
            if one is not None:
                value = TRUE if one.value is None else self.at(one.value, place)
                counted.append((self.at(one.condition, place), value))
        match part.operation:
            case "any":
                return disjunction(condition for condition, _ in counted)
            case "count":
                return _sum([(condition, Constant(1)) for condition, _ in counted], INT)
            case "sum":
                return _sum(counted, part.type)
            case _:
                assert part.default is not None
                return _extreme(part.operation, counted, part.default)

    # --- one call ---------------------------------------------------------------------

    def values_at(self, place: int, solved: Arguments) -> dict[str, Value]:
        """The arguments of the call at a place, by the names that its model has for them."""
        end = f"__{place}"
        return {name.removesuffix(end): value for name, value in solved.items() if name.endswith(end)}

    def fails(self, place: int, solved: Arguments) -> bool:
        """Whether the call at a place has no effect."""
        failed = self._field(place, (_FAILED,), BOOL)
        return isinstance(failed, Variable) and solved.get(failed.name) is True

    def result_at(self, place: int, solved: Arguments) -> dict[str, Value]:
        """What the readings of the result of the call at a place are, by their names."""
        named = {reading: f"{_RESULT}_{reading}__{place}" for reading in self.readings.get(place, ())}
        return {reading: solved[name] for reading, name in named.items() if name in solved}

    def at(self, term: Term, place: int) -> Term:
        """A term of the policy about the call at a place."""
        tool = self.tools[place]

        def renamed(term: Term) -> Term:  # one case for each kind of term
            match term:
                case Variable(name, type_):
                    return Variable(self._name(name, place), type_) if self._is_own(name) else term
                case Compare(operator, Variable(name), Constant(value)) if name == TOOL_ARGUMENT:
                    return Constant((tool == value) is (operator is Comparison.EQ))
                case Member(Variable(name), ConstantSet(values)) if name == TOOL_ARGUMENT:
                    return Constant(tool in values)
                case IsMissing(Variable(name, type_)) if self._is_own(name):
                    return IsMissing(Variable(self._name(name, place), type_))
                case Not(operand):
                    return negate(renamed(operand))
                case _:
                    parts = tuple(renamed(part) for part in children(term))
                    own = self._with_set(with_children(term, parts), place)
                    return _joined(own)

        return renamed(term)

    def _with_set(self, term: Term, place: int) -> Term:
        collection = getattr(term, "collection", None)
        if not isinstance(collection, SetVariable):
            return term
        name, dot, rest = collection.name.partition(".")
        if not self._is_own(name):
            return term
        return replace(term, collection=SetVariable(f"{self._name(name, place)}{dot}{rest}"))  # type: ignore[call-arg] # it has a collection

    def _is_own(self, name: str) -> bool:
        return name in self.types

    def _name(self, name: str, place: int) -> str:
        own = f"{name}__{place}"
        self.parameters.setdefault(own, self.types[name])
        return own

    def _add(self, place: int, tool: str) -> None:
        """Add what holds of the arguments of the call at a place."""
        time = self._field(place, (_TIME,), DATETIME)
        self.in_these_days.append(Compare(Comparison.GE, time, Constant(_THESE_DAYS)))
        if place:
            self.facts.append(Compare(Comparison.LE, self._field(place - 1, (_TIME,), DATETIME), time))
        failed = self._field(place, (_FAILED,), BOOL)
        self.preferred.append(Not(failed))
        for symbol in self._symbols.values():
            if symbol.tool not in ("", tool) or (symbol.tools and not {"", tool} & set(symbol.tools)):
                continue
            self._define(symbol, place)
            value = self._values.get(symbol.text)
            if isinstance(value, IsLookedUp):
                self.preferred.append(Variable(self._name(symbol.name, place), BOOL))
        relevant = {TOOL_ARGUMENT, *(one.name for one in self._symbols.values() if one.tool in ("", tool))}
        for axiom in (*self.policy.terms.axioms, *self._facts_of(tool)):
            if free_variables(axiom.term) <= relevant:
                self.facts.append(self.at(axiom.term, place))

    def _facts_of(self, tool: str) -> Iterator[Clause]:
        for number, term in enumerate(self.models(tool).facts_of_values()):
            yield Clause(f"F{number}", term, (), "", "", 0, 0)

    def _define(self, symbol: Symbol, place: int) -> None:
        """Say what an argument of the call at a place is, as far as it can be written over earlier calls."""
        type_ = self.types[symbol.name]
        own = Variable(self._name(symbol.name, place), type_)
        value = self._values.get(symbol.text)
        self._records.clear()
        try:
            if isinstance(value, Gathered) and not type_.optional:
                facts = self._of_gathered(own, value, place)
            elif isinstance(value, LastCall):
                facts = self._of_last(own, value, place)
            elif isinstance(symbol.term, Variable | Attribute) or type_.optional or holds_many(type_):
                return
            else:
                facts = [Compare(Comparison.EQ, own, self._plain(symbol.term, place, {}))]
        except Inexpressible:
            return
        absent = [IsMissing(record) for record in self._records if record.type.optional]
        self.facts += [disjunction((*absent, fact)) for fact in facts]

    def _of_gathered(self, own: Variable, value: Gathered, place: int) -> list[Term]:
        counted = self._counted(value.of, place, {})
        default = None if value.default is None else self._plain(value.default, place, {})
        if value.operation == DISTINCT:
            first = [
                (
                    conjunction(
                        (
                            condition,
                            negate(
                                disjunction(
                                    conjunction((other, Compare(Comparison.EQ, one, held)))
                                    for other, one in counted[:number]
                                )
                            ),
                        )
                    ),
                    Constant(1),
                )
                for number, (condition, held) in enumerate(counted)
            ]
            return [Compare(Comparison.EQ, own, _sum(first, INT))]
        if default is None:
            return []
        return [Compare(Comparison.EQ, own, _extreme(value.operation, counted, default))]

    def _of_last(self, own: Variable, value: LastCall, place: int) -> list[Term]:
        """Say which call is the last one that meets a test, field by field; absent if none does."""
        record = own.type.record
        assert record is not None
        counted = self._counted(value.marker, place, {})
        found: list[Term] = []
        later: Term = FALSE
        for earlier, marked in reversed(list(zip(self._among(value.marker, place), counted, strict=True))):
            is_last = conjunction((marked[0], negate(later)))
            fields = [
                Compare(Comparison.EQ, Attribute(own, name, type_), self._field(earlier, (name,), type_))
                for name, type_ in record.fields
                if name != _RESULT
            ]
            found.append(disjunction((negate(is_last), conjunction((Not(IsMissing(own)), *fields)))))
            later = disjunction((later, marked[0]))
        return [*found, disjunction((later, IsMissing(own)))]

    # --- expressions over call and run ----------------------------------------------------

    def _plain(self, term: Term, place: int, bound: Mapping[str, int]) -> Term:  # one case for each kind
        match term:
            case Attribute():
                return self._place(term, place, bound)
            case Variable(name):
                return self._of_run(term, place, bound) if name not in bound else term
            case IsMissing(place_of):
                plain = self._plain(place_of, place, bound)
                if not isinstance(plain, Variable | Attribute):
                    raise Inexpressible
                return IsMissing(plain)
            case Quantified() | Count() | Sum():
                return self._aggregate(term, place, bound)
            case Member(_, ConstantSet()) | Not() | Compare() | Choice() | Arithmetic() | Constant():
                return _joined(
                    with_children(term, tuple(self._plain(one, place, bound) for one in children(term)))
                )
            case Member():
                raise Inexpressible
            case _:
                return _joined(
                    with_children(term, tuple(self._plain(one, place, bound) for one in children(term)))
                )

    def _place(self, term: Attribute, place: int, bound: Mapping[str, int]) -> Term:
        root, path = root_and_path(term)
        if root.name in bound:
            return self._field(bound[root.name], path, term.type)
        if root.name == CALL:
            return self._field(place, path, term.type)
        value = self._values.get(root.name)
        if isinstance(value, RecordAt) and not free_names(root, self._values) & bound.keys():
            symbol = self._symbol(place, root.name)
            type_ = None if symbol is None else self.types[symbol.name]
            if symbol is not None and type_ is not None and type_.record is not None and len(path) == 1:
                held = type_.record.field(path[0])
                if held is not None:
                    record = Variable(self._name(symbol.name, place), type_)
                    self._records[record] = None
                    return Attribute(record, path[0], held)
        raise Inexpressible

    def _of_run(self, term: Variable, place: int, bound: Mapping[str, int]) -> Term:
        if term.name == f"{CALL}.tool":
            return Constant(self.tools[place])
        value = self._values.get(term.name)
        if free_names(term, self._values) & bound.keys():
            return self._of_result(value, term.type, bound)
        symbol = self._symbol(place, term.name)
        if symbol is None:
            if not isinstance(value, ContextValue):
                raise Inexpressible
            return self._own(place, term, term.type)
        return Variable(self._name(symbol.name, place), self.types[symbol.name])

    def _of_result(self, value: RunValue | None, type_: ArgumentType, bound: Mapping[str, int]) -> Variable:
        """A reading of the result of an earlier call, which the world is free to say."""
        match value:
            case ReadingOf(Attribute(Variable(element), "result"), reading) if element in bound:
                if holds_many(type_) or type_.optional:
                    raise Inexpressible
                self.readings.setdefault(bound[element], {})[reading] = None
                name = f"{_RESULT}_{reading}__{bound[element]}"
                self.parameters.setdefault(name, type_)
                return Variable(name, type_)
            case _:
                raise Inexpressible

    def _symbol(self, place: int, text: str) -> Symbol | None:
        return self._symbols.get((self.tools[place], text)) or self._symbols.get(("", text))

    def _field(self, place: int, path: tuple[str, ...], type_: ArgumentType) -> Term:
        """A field of the call at a place: an argument of the policy, or a further one."""
        if PLACE in path or holds_many(type_) or (type_.kind is not BOOL.kind and path[-1] == _RESULT):
            raise Inexpressible
        held: Variable | Attribute = _DECIDED
        for name in path:
            held = Attribute(held, name, type_)
        symbol = self._symbol(place, text_of(held))
        if symbol is not None:
            return Variable(self._name(symbol.name, place), self.types[symbol.name])
        if path[0] in _OUTCOME and len(path) == 1:
            name = f"{path[0]}__{place}"
            self.parameters.setdefault(name, BOOL)
            return Variable(name, BOOL)
        if field_and_part(path[-1])[1]:
            raise Inexpressible
        return self._own(place, held, type_)

    def _own(self, place: int, term: Term, type_: ArgumentType) -> Variable:
        """An argument of the model of a call that the policy has none for."""
        plain = self.models(self.tools[place]).primitive(term, type_)
        if not isinstance(plain, Variable):
            raise Inexpressible
        name = f"{plain.name}__{place}"
        self.parameters.setdefault(name, plain.type)
        return Variable(name, plain.type)

    def _aggregate(self, term: Quantified | Count | Sum, place: int, bound: Mapping[str, int]) -> Term:
        counted = self._counted(term, place, bound)
        match term:
            case Quantified(Quantifier.ANY):
                return disjunction(condition for condition, _ in counted)
            case Quantified():
                return conjunction(condition for condition, _ in counted)
            case Count():
                return _sum([(condition, Constant(1)) for condition, _ in counted], INT)
            case Sum():
                return _sum(counted, term.type)

    def _counted(
        self, term: Quantified | Count | Sum, place: int, bound: Mapping[str, int]
    ) -> list[tuple[Term, Term]]:
        """The condition and the value of each earlier call of an aggregate."""
        calls = self._calls_of(term)
        every = isinstance(term, Quantified) and term.quantifier is Quantifier.ALL
        found: list[tuple[Term, Term]] = []
        for earlier in self._among(term, place):
            inner = {**bound, term.variable.name: earlier}
            within = conjunction(self._within(one, earlier, place, bound) for one in calls.bounds)
            condition = self._plain(
                term.body if isinstance(term, Quantified) else term.condition, place, inner
            )
            value = self._plain(term.value, place, inner) if isinstance(term, Sum) else TRUE
            kept = disjunction((negate(within), condition)) if every else conjunction((within, condition))
            found.append((kept, value))
        return found

    def _calls_of(self, term: Quantified | Count | Sum) -> EarlierCalls:
        """The earlier calls that an aggregate is over."""
        held = term.collection.term if isinstance(term.collection, Elements) else None
        calls = self._values.get(held.name) if isinstance(held, Variable) else None
        if not isinstance(calls, EarlierCalls):
            raise Inexpressible
        return calls

    def _among(self, term: Quantified | Count | Sum, place: int) -> list[int]:
        """The places of the earlier calls that an aggregate is over."""
        tools = self._calls_of(term).tools
        return [earlier for earlier in range(place) if self.tools[earlier] in tools]

    def _within(self, one: RunBound, earlier: int, place: int, bound: Mapping[str, int]) -> Term:
        """That an earlier call lies in a part of the run."""
        calls = self._calls_of(one.marker)
        beyond = range(earlier, place) if one.since else range(earlier + 1)
        marked: list[Term] = []
        for other in beyond:
            if self.tools[other] in calls.tools:
                inner = {**bound, one.marker.variable.name: other}
                within = conjunction(self._within(bound_, other, place, bound) for bound_ in calls.bounds)
                marked.append(conjunction((within, self._plain(one.marker.body, place, inner))))
        return negate(disjunction(marked))


def _joined(term: Term) -> Term:
    """A term whose constant operands are gone."""
    match term:
        case Not(operand):
            return negate(operand)
        case Choice(Constant(value), then, otherwise) if isinstance(value, bool):
            return then if value else otherwise
        case And(operands):
            return conjunction(operands)
        case Or(operands):
            return disjunction(operands)
        case _:
            return term


def _sum(counted: Sequence[tuple[Term, Term]], type_: ArgumentType) -> Term:
    zero = zero_of(type_)
    total: Term = zero
    for condition, value in counted:
        if condition == FALSE:
            continue
        one = value if condition == TRUE else Choice(condition, value, zero)
        total = one if total == zero else Arithmetic("+", total, one)
    return total


def _extreme(operation: str, counted: Sequence[tuple[Term, Term]], default: Term) -> Term:
    """The largest or smallest value of what counts; without anything it is the default."""
    beyond = Comparison.GT if operation == "max" else Comparison.LT
    found, some = default, FALSE
    for condition, value in counted:
        better = disjunction((negate(some), Compare(beyond, value, found)))
        found = Choice(conjunction((condition, better)), value, found)
        some = disjunction((some, condition))
    return found
