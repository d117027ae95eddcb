"""The search for a run and a call on which a clause really fails, or a condition really holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from types import MappingProxyType

from workbench.check.realise.near_runs import NO_CHANGES, NearRuns
from workbench.check.realise.normal_forms import in_normal_forms
from workbench.check.realise.reading_texts import ReadingTexts
from workbench.check.realise.run_builder import RunBuilder
from workbench.check.realise.run_model import RunModel
from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.smt.formula import Formula
from workbench.engines.smt.preview import left_side
from workbench.engines.smt.solved_queries import solve
from workbench.model import (
    TOOL_ARGUMENT,
    AgentSpec,
    Arguments,
    ArgumentType,
    Decision,
    Extracted,
    RecordValue,
    Run,
    Value,
    Verdict,
)
from workbench.policy.connectives import TRUE
from workbench.policy.decisive_part import settled, what_breaks
from workbench.policy.result_cache import Recent
from workbench.policy.terms import (
    And,
    Attribute,
    Clause,
    Compare,
    Comparison,
    Constant,
    IsMissing,
    Member,
    Not,
    PolicyTerms,
    SetVariable,
    Term,
    Variable,
)
from workbench.policy.types import holds_many
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier

_ATTEMPTS = 8
"""The most inputs that are built as runs for one question."""
_NEAR_ATTEMPTS = 2
"""The most of these near which further runs are tried."""
_LIMIT_MS = 1_500
NEAR = 10_000
"""The most runs near those of one search, where its caller has no other bound."""
_KEPT_RUNS = 4_000
"""The most runs of which the decision is kept: near one input, each clause and tool tries the same ones."""
NO_VALUES: Arguments = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Executed:
    """A run whose last call was decided by the real extractor and policy."""

    run: Run
    decision: Decision
    arguments: Arguments


class Realiser:
    """Finds runs for the inputs of one policy of calls."""

    def __init__(self, terms: PolicyTerms, spec: AgentSpec, deciding: PolicyTerms | None = None) -> None:
        """Take a policy of calls over plain arguments, with the sources of these, and its agent.

        ``deciding`` is the policy that decides, if the terms are no whole policy. ``inputs`` counts those
        that the solver was asked for, and ``runs`` those that were made.
        """
        self.terms = terms
        self._deciding = deciding or terms
        self.spec = replace(spec, arguments=terms.sources)
        self.inputs = self.runs = 0
        self._models: dict[str, tuple[RunModel, Formula]] = {}
        self._executed = Recent[str, Executed](_KEPT_RUNS)

    @cached_property
    def _types(self) -> AgentTypes:
        return agent_types(self.spec)

    @cached_property
    def _texts(self) -> ReadingTexts:
        return ReadingTexts(self.spec)

    @cached_property
    def _policy(self) -> CompiledPolicy:
        return compile_policy(self._deciding)

    @cached_property
    def _extractor(self) -> Extractor:
        return Extractor(self.terms.sources, self.spec)

    def execute(self, run: Run) -> Executed:
        """The decision on the last call of a run, as a replay makes it, with the arguments that are known."""
        self.runs += 1
        made = repr(run.calls)
        executed = self._executed.get(made)
        if executed is None:
            place = len(run.calls) - 1
            extracted = self._extractor.extract(run.calls[place], Earlier(run.calls, place))
            executed = Executed(run, decision_on(self._policy, extracted), known_values(extracted))
            self._executed.put(made, executed)
        return executed

    def breaking(self, clause: Clause, tool: str) -> Executed | None:
        """A run whose last call, of this tool, breaks a clause; None if none is found."""

        def breaks(executed: Executed) -> bool:
            return self.breaks(clause, executed)

        def decisive(values: Arguments) -> Collection[str]:
            own = {name: value for name, value in values.items() if name in self._policy.parameters}
            return what_breaks(self.terms, clause, own)

        return self.searched(Not(clause.term), tool, breaks, decisive=decisive)

    def happening(self, clause: Clause, tool: str) -> Executed | None:
        """A run whose last call, of this tool, makes the left side of a clause true; None if none is."""
        left = left_side(clause.term)

        def happens(executed: Executed) -> bool:
            verdict, known = executed.decision.verdict, executed.arguments
            met = all(settled(self.terms, one.term, known) for one in self.terms.preconditions)
            return met and settled(self.terms, left, known, verdict.allows) is True

        return self.searched(left, tool, happens)

    def given(
        self, values: Arguments, tool: str, accepted: Callable[[Executed], bool], *, near: int = NEAR
    ) -> Executed | None:
        """A run whose last call, of this tool, gives these values and is accepted; None if none is found."""
        pinned = tuple(term for name, value in values.items() for term in self._pins(name, value))
        return self.searched(And((TRUE, *pinned)), tool, accepted, values, lambda _: tuple(values), near=near)

    def _pins(self, name: str, value: Value) -> Iterator[Term]:
        """Conditions that an argument has a value; the elements of lists are given to the run as they are."""
        variable = Variable(name, self._type(name))
        if value is None:
            yield IsMissing(variable)
        elif isinstance(value, RecordValue):
            yield Not(IsMissing(variable))
            for field, held in value.fields:
                if held is not None and not isinstance(held, RecordValue | tuple | frozenset):
                    type_ = None if variable.type.record is None else variable.type.record.field(field)
                    if type_ is not None:
                        yield Compare(Comparison.EQ, Attribute(variable, field, type_), Constant(held))
        elif isinstance(value, frozenset):
            yield from (Member(Constant(member), SetVariable(name)) for member in sorted(value, key=str))
        elif not isinstance(value, tuple):
            yield _is(variable, value)

    def breaks(self, clause: Clause, executed: Executed) -> bool:
        """Whether the decided call of a run breaks a clause, whatever is not known."""
        verdict, known = executed.decision.verdict, executed.arguments
        if verdict is Verdict.CANNOT_EVALUATE:
            return False
        met = all(settled(self.terms, one.term, known) for one in self.terms.preconditions)
        return met and settled(self.terms, clause.term, known, verdict is Verdict.ALLOW) is False

    def searched(
        self,
        condition: Term,
        tool: str,
        accepted: Callable[[Executed], bool],
        given: Arguments = NO_VALUES,
        decisive: Callable[[Arguments], Collection[str]] = tuple,
        *,
        near: int = NEAR,
    ) -> Executed | None:
        """A run whose last call, of this tool, is accepted; None if none is found in a few attempts.

        The solver gives inputs that meet the condition, each with lists of earlier calls, and the values that
        are ``given`` take their place. The run gives the arguments that are decisive, all if none is named.
        An input whose run gives other values is excluded by what differs; before that, runs near it are
        tried, at most ``near`` in all.
        """
        if tool not in {call.tool for call in self._types.calls.values()}:
            return None
        model, formula = self._model(tool)
        wanted = [_is(Variable(TOOL_ARGUMENT, self._type(TOOL_ARGUMENT)), tool), condition]
        for attempt in range(_ATTEMPTS):
            self.inputs += 1
            values = _solved(formula, [*wanted, *model.preferred]) or _solved(formula, wanted)
            if values is None:
                return None
            values = in_normal_forms(model, {**values, **given})
            needed = model.needed_for(decisive(values) or values)
            shown = {name: value for name, value in values.items() if name in needed or model.adds(name)}
            builder = RunBuilder(self.spec, model, shown, self._texts)
            executed = self.execute(builder.run())
            if accepted(executed):
                return executed
            if near > 0 and attempt < _NEAR_ATTEMPTS:
                made = self.runs
                found = self._near(builder, executed, accepted, near)
                if found is not None:
                    return found
                near -= self.runs - made
            differing = list(self._differing(model, shown, executed.arguments))
            if not differing:
                return None
            wanted += differing
        return None

    def _near(
        self, builder: RunBuilder, executed: Executed, accepted: Callable[[Executed], bool], most_runs: int
    ) -> Executed | None:
        """A run near one that does not give what was wanted; None if none that is tried is accepted.

        The arguments that the model does not define are mended one after the other: a change stays if more
        arguments have their value with it.
        """
        model, shown = builder.model, builder.values

        def agreeing(found: Executed) -> int:
            real = found.arguments
            return sum(name in real and real[name] == value for name, value in shown.items())

        changes, most, last = NO_CHANGES, agreeing(executed), self.runs + most_runs
        for one in model.undefined:
            name = one.argument.name
            if name not in shown:
                continue
            before = changes
            left = max(0, last - self.runs)
            for further in islice(NearRuns(model, shown, builder.decided.known, one), left):
                tried = before.joined(further)
                found = self.execute(RunBuilder(self.spec, model, shown, self._texts, tried).run())
                if accepted(found):
                    return found
                if (number := agreeing(found)) > most:
                    changes, most = tried, number
        return None

    def _type(self, name: str) -> ArgumentType:
        return next(argument.type for argument in self.terms.arguments if argument.name == name)

    def _model(self, tool: str) -> tuple[RunModel, Formula]:
        if tool not in self._models:
            model = RunModel(self.terms, self._types, tool)
            self._models[tool] = model, Formula(model.terms)
        return self._models[tool]

    def _differing(self, model: RunModel, wanted: Arguments, real: Arguments) -> Iterator[Term]:
        """Conditions that exclude the values which a run did not give."""
        for one in model.arguments:
            name, type_ = one.argument.name, one.argument.type
            if name not in wanted or (name in real and real[name] == wanted[name]):
                continue
            yield from excluding(Variable(name, type_), wanted[name], real.get(name))


def _solved(formula: Formula, wanted: Sequence[Term]) -> Arguments | None:
    return solve(formula, And(tuple(wanted)), _LIMIT_MS)[0].arguments


def _is(variable: Variable, value: Value) -> Term:
    assert not isinstance(value, RecordValue | tuple | frozenset)
    return Compare(Comparison.EQ, variable, Constant(value))


def excluding(variable: Variable, wanted: Value, given: Value) -> Iterator[Term]:
    """Conditions that a value is not what a run did not give."""
    if isinstance(wanted, frozenset):
        real = given if isinstance(given, frozenset) else frozenset[str]()
        for member in sorted(wanted ^ real, key=str):
            held = Member(Constant(member), SetVariable(variable.name))
            yield held if member in real else Not(held)
    elif wanted is None:
        yield Not(IsMissing(variable))
    elif not isinstance(wanted, RecordValue | tuple) and not holds_many(variable.type):
        yield Not(_is(variable, wanted))


def tools_of(terms: PolicyTerms, values: Arguments) -> tuple[str, ...]:
    """The tools whose calls may give these values: the one that they name, and the others after it."""
    tool = values.get(TOOL_ARGUMENT)
    declared = next((one.type.values for one in terms.arguments if one.name == TOOL_ARGUMENT), ())
    return (*([tool] if isinstance(tool, str) else []), *(one for one in declared if one != tool))


def known_values(extracted: Mapping[str, Extracted]) -> dict[str, Value]:
    """The values of the arguments that are known of a call."""
    return {name: item.value for name, item in extracted.items() if item.missing is None}
