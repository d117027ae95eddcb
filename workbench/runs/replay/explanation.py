"""The explanation of a decision: rules, conditions, origins of the values, and a change that turns it.

The nearest call of the logs with another decision than an explained call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from types import MappingProxyType

from workbench.clean_text import one_line
from workbench.dialect.class_names import class_of_tool
from workbench.engines.compiled.compile import CompiledPolicy, lacking, nearest_permits
from workbench.guard.calls import look_up_first
from workbench.likeness import nearest
from workbench.model import (
    Argument,
    Arguments,
    CallDecision,
    Decision,
    LookedUp,
    PathRule,
    RecordedCall,
    RecordValue,
    Value,
    Verdict,
    Violation,
    WorkbenchError,
)
from workbench.policy.deciding import DEFAULT_RULE
from workbench.policy.decisive_part import what_fires
from workbench.policy.narrowed_values import narrowed
from workbench.policy.validate import Validator
from workbench.policy.value_words import argument_words, without_empty
from workbench.policy.written import ArgumentWords
from workbench.runs.replay.asked_look_ups import look_ups_of
from workbench.runs.replay.counterfactual import Turner
from workbench.runs.replay.decide import bounds_by_name
from workbench.runs.replay.facts_at_call import FactAtCall
from workbench.runs.replay.further_calls import comes_by_calls
from workbench.runs.replay.origins import Origin, Quote, origin_of
from workbench.runs.replay.passing_time import Clock
from workbench.runs.replay.remedy import AgentWords, message_for_agent, reason_once
from workbench.runs.replay.turning_values import Counterfactual, Reach, Turning, TurningChange
from workbench.runs.replay.typed_parts import TypedPart
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form
from workbench.serialization.nouns import CONDITION, PLACE

_TOOL = "tool"
_MOST_PERMITS = 3


@dataclass(frozen=True, slots=True)
class CallExplanation:
    """All that there is to say about the decision on one call.

    ``path`` has every rule with its conditions; ``origins`` are in the order of the arguments. ``turning`` is
    the smallest change to the other decision; ``nearest`` is the nearest call of the logs with the other
    decision. ``nearest_permits`` is for a call that is denied because no rule permits it: the permit rules
    that would fire after that change, each with its message and the elements that it lacks; without such a
    change the few of the tool with the fewest conditions that do not hold. ``of_other_tools`` are the rules
    that never fire on calls of the tool. ``parameter_names`` are the arguments that the
    policy takes; the others have no effect. ``decisive_arguments`` is the part of these arguments that
    determines the decision and which rules fire. ``open_arguments`` are not determined, and without them the
    decision cannot be made, or a person is asked. ``message`` is one line with the remedy for the agent: it
    names nothing that the agent cannot change. ``place`` is the place of the call in its log. ``facts`` are
    those of a policy of calls that the rules about the call read. ``parts`` are the typed parts of its
    fields.
    """

    call: RecordedCall
    decision: Decision
    reason: str
    path: tuple[PathRule, ...]
    origins: tuple[Origin, ...]
    turning: Turning
    nearest: Nearest | None
    message: str
    place: str = ""
    nearest_permits: tuple[Violation, ...] = ()
    parameter_names: frozenset[str] = frozenset()
    look_up_first: tuple[LookedUp, ...] = ()
    decisive_arguments: Arguments = field(default_factory=dict[str, Value])
    open_arguments: frozenset[str] = frozenset()
    facts: tuple[FactAtCall, ...] = ()
    parts: tuple[TypedPart, ...] = ()
    of_other_tools: frozenset[str] = frozenset()

    def plays(self, name: str) -> bool:
        """Whether the decision depends on an argument, or cannot be made without it."""
        return name in self.parameter_names and (
            name in self.decisive_arguments or name in self.open_arguments
        )

    @property
    def idle(self) -> tuple[str, ...]:
        """The policy's arguments that play no part, each with whether it is not determined."""
        return tuple(
            origin.name if origin.missing is None else f"{origin.name} (not determined)"
            for origin in self.origins
            if origin.name in self.parameter_names and not self.plays(origin.name)
        )


def _no_words(_tool: str, _condition: str) -> str:
    return ""


class Explainer:
    """Explains decisions of one policy on the calls of some logs, one at a time for all callers.

    The policy is grounded for the solver at the first explanation and kept. A front end that explains
    several calls keeps its explainer until policy, extraction or logs change.
    """

    def __init__(
        self,
        policy: CompiledPolicy,
        arguments: Sequence[Argument],
        decided: Sequence[CallDecision] = (),
        zone: str = "",
        condition: Callable[[str, str], str] = _no_words,
    ) -> None:
        """Take the policy, the declared arguments, and all decisions of the replay to compare with.

        ``zone`` is the zone of the agent, for times without one. ``condition`` gives the words for a
        condition of the policy about the calls of a tool, where there are some.
        """
        self._policy = policy
        self._declared = {argument.name: argument for argument in arguments}
        self._decided = decided
        self._zone = zone
        self._condition = condition
        tools = policy.parameters[_TOOL].values if _TOOL in policy.parameters else ()
        self._tools = {class_of_tool(tool): tool for tool in tools}
        self._turner: Turner | None = None
        self._solving = Lock()

    def explain(
        self,
        recorded_call: RecordedCall,
        decided: CallDecision,
        place: str = "",
        run: Mapping[int, RecordedCall] = MappingProxyType({}),
    ) -> CallExplanation:
        """Explain the decision on one call; ``place`` is its place in its file.

        ``run`` has the calls of the run by index.
        """
        decision = decided.decision
        origins = tuple(
            origin_of(recorded_call, name, extracted, self._declared.get(name), run)
            for name, extracted in decided.extracted.items()
        )
        parameter_names = frozenset(parameter.name for parameter in self._policy.terms.arguments)
        known_arguments, missing = self._known(decided)
        call = KnownCall(decided, known_arguments, missing, {origin.name: origin.reach for origin in origins})
        turning = self._turning(call, recorded_call)
        is_decided = decision.verdict is not Verdict.CANNOT_EVALUATE
        bounds = bounds_by_name(decided.extracted)
        path = self._policy.path(decision.arguments, bounds) if is_decided else ()
        named = lacking(self._policy, decision, path)
        of_tool = self._policy.possible_rules(
            {name: value for name, value in known_arguments.items() if name == _TOOL}
        )
        wanted_violations = self._wanted(decision, turning, [rule for rule in path if rule.rule in of_tool])
        words = ArgumentWords(tuple(self._declared.values()))
        first = look_ups_of(self._policy.taken_by_rules, decision, decided.extracted)
        matters = self._matters(decision)
        open_arguments = self._open(decided, known_arguments)
        return CallExplanation(
            recorded_call,
            decision,
            one_line(reason_once(named, words)),
            path,
            origins,
            turning,
            self._nearest(call, matters),
            message_for_agent(
                named,
                turning,
                [origin for origin in origins if origin.name in open_arguments],
                [violation.message for violation in wanted_violations],
                look_up_first(first),
                AgentWords(
                    words,
                    partial(self._condition, recorded_call.tool or ""),
                    self._tools,
                ),
            ),
            place,
            wanted_violations,
            parameter_names,
            first,
            matters,
            open_arguments,
            of_other_tools=frozenset(rule.rule for rule in path) - of_tool,
        )

    def _turning(self, call: KnownCall, recorded_call: RecordedCall) -> Turning:
        """The smallest change to the other decision, including by a look-up or by waiting."""
        expressions = ArgumentWords(tuple(self._declared.values())).expressions
        look_ups = {
            name: look_up_first((extracted.look_up,)).removesuffix(".")
            for name, extracted in call.decided.extracted.items()
            if extracted.look_up is not None and (extracted.missing is None or name in expressions)
        }
        clock = Clock(self._declared.values(), self._zone, recorded_call)
        with self._solving:
            turning = self._turner_of_policy().turn(
                call.known_arguments, call.target, call.reaches, call.missing, look_ups=look_ups, clock=clock
            )
        return turning if turning.counterfactual is None else Turning(_feasible(turning.counterfactual))

    def _matters(self, decision: Decision) -> Arguments:
        """The arguments that determine the decision; if there is none, all non-empty arguments."""
        if decision.verdict is Verdict.CANNOT_EVALUATE:
            return without_empty(decision.arguments)[0]
        return what_fires((self._policy.terms,), decision.arguments)

    def _open(self, decided: CallDecision, known_arguments: Arguments) -> frozenset[str]:
        """The arguments without which the decision cannot be made."""
        if decided.decision.verdict not in (Verdict.CANNOT_EVALUATE, Verdict.ASK):
            return frozenset()
        needed = {name for name, extracted in decided.extracted.items() if extracted.needed}
        return (
            frozenset(self._policy.open_arguments(known_arguments, bounds_by_name(decided.extracted)))
            | needed & self._policy.parameters.keys()
        )

    def _wanted(
        self, decision: Decision, turning: Turning, path: Sequence[PathRule]
    ) -> tuple[Violation, ...]:
        """The permit rules that would fire after the change; empty unless no rule permits the call.

        Without such a change, those on the path with the fewest conditions that do not hold.
        """
        if all(violation.rule != DEFAULT_RULE for violation in decision.violations):
            return ()
        near = nearest_permits(self._policy, path, decision)
        if turning.counterfactual is None:
            return near[:_MOST_PERMITS]
        permitted = self._policy.decide(turning.counterfactual.arguments).permitted_by
        return tuple(violation for violation in near if violation.rule in permitted)

    def _turner_of_policy(self) -> Turner:
        if self._turner is None:
            self._turner = Turner(
                self._policy, seen=(decision.decision.arguments for decision in self._decided)
            )
        return self._turner

    def _known(self, decided: CallDecision) -> tuple[Arguments, frozenset[str]]:
        """The usable values in the policy's types, and the arguments that have none."""
        known_arguments: dict[str, Value] = {}
        missing: set[str] = set()
        for parameter in self._policy.terms.arguments:
            name = parameter.name
            extracted = decided.extracted.get(name)
            if extracted is None or extracted.missing is not None:
                missing.add(name)
                continue
            values, reasons = Validator((parameter,))({name: narrowed(extracted.value, parameter.type)})
            if reasons:
                missing.add(name)
            else:
                known_arguments[name] = values[0]
        return known_arguments, frozenset(missing)

    def _nearest(self, call: KnownCall, matters: Arguments) -> Nearest | None:
        """The nearest call of the logs with the other decision.

        Only differences in the decisive arguments of the denied call are listed.
        """
        nearest_call = call.nearest(self._decided)
        if nearest_call is None:
            return None
        denied = self._matters(nearest_call.decision) if call.target is Verdict.DENY else matters
        return Nearest(nearest_call, call.changes(nearest_call.decision.arguments, denied))


def _feasible(counterfactual: Counterfactual) -> Counterfactual:
    """The same change, with what further calls of the agent do not bring about as given to it."""
    changes = tuple(
        replace(change, reach=Reach.GIVEN)
        if change.reach is Reach.EARLIER
        and not comes_by_calls(change.old, change.new, supplied=change.supplied)
        else change
        for change in counterfactual.changes
    )
    if changes == counterfactual.changes:
        return counterfactual
    return replace(counterfactual, changes=changes, reach=Reach.GIVEN)


def explain_recorded(
    explainer: Explainer,
    calls: Sequence[RecordedCall],
    decided: Sequence[CallDecision],
    run: str,
    index: int | None = None,
    places: Mapping[str, str] | None = None,
) -> tuple[CallExplanation, ...]:
    """Explain one call of a run, or every call of it that is not allowed (the first if all are).

    Args:
        explainer: of the policy that decided.
        calls: all recorded calls.
        decided: their decisions, in the same order.
        run: the id of the run.
        index: of the call in the run, or None.
        places: by the id of a run, its place in its file.

    Raises:
        WorkbenchError: there is no such run or call.
    """
    recorded = [(call, decision) for call, decision in zip(calls, decided, strict=True) if call.run == run]
    if not recorded:
        like = nearest(run, dict.fromkeys(call.run for call in calls))
        hint = f"did you mean {one_line(like, 80)}?" if like else "'workbench replay' lists what there is."
        raise WorkbenchError(f"The logs have no run {one_line(run, 80)!r}; {hint}")
    if index is None:
        chosen = [pair for pair in recorded if pair[1].decision.verdict is not Verdict.ALLOW] or recorded[:1]
    else:
        chosen = [pair for pair in recorded if pair[0].index == index]
    if not chosen:
        first, last = recorded[0][0].index, recorded[-1][0].index
        raise WorkbenchError(f"The run {run} has no call {index}; it has the calls {first} to {last}.")
    place = (places or {}).get(run, "")
    by_index = {call.index: call for call, _ in recorded}
    return tuple(explainer.explain(call, decision, place, by_index) for call, decision in chosen)


def _expression(origin: Origin) -> str | None:
    return origin.expression or None


def _facts(explanation: CallExplanation) -> tuple[FactAtCall, ...] | None:
    return explanation.facts or None


def _typed_parts(explanation: CallExplanation) -> tuple[TypedPart, ...] | None:
    return explanation.parts or None


def _known(origin: Origin) -> str | None:
    return origin.state or None


def _origins(explanation: CallExplanation) -> Mapping[str, Origin]:
    return {origin.name: origin for origin in explanation.origins}


def _reach(reached: Origin | TurningChange | Counterfactual) -> str:
    return reached.reach.name.lower()


def _old_value(change: TurningChange) -> Value:
    return None if change.supplied else change.old


def _one_of(change: TurningChange) -> str | None:
    return change.one_of or None


def _has_counterfactual(turning: Turning) -> bool:
    return turning.counterfactual is not None


def _impossible(turning: Turning) -> bool | None:
    return turning.impossible if turning.counterfactual is None else None


def _wait_until(counterfactual: Counterfactual) -> str | None:
    return None if counterfactual.wait_until is None else counterfactual.wait_until.isoformat()


json_form(Quote, "text", "line", "start", "end", "quote", ("call?", "call"))
json_form(
    Origin,
    *("value", "missing", "method", "confidence", ("changed_by", _reach), "quotes", "items"),
    ("state?", _known),
    ("expression?", _expression),
)
json_form(
    TurningChange,
    *(
        ("argument", "name"),
        ("old", _old_value),
        "new",
        "supplied",
        ("one_of", _one_of),
        ("changed_by", _reach),
    ),
)
_COUNTERFACTUAL = JsonForm[Counterfactual](
    Counterfactual,
    fields(
        *(("decision?", "verdict"), ("changes?", "changes"), ("reach?", _reach), ("fewest?", "fewest")),
        *(("arguments?", "arguments"), ("wait_until?", _wait_until)),
    ),
)
json_form(
    Turning,
    *(("found", _has_counterfactual), ("impossible?", _impossible)),
    Nested(_COUNTERFACTUAL, "counterfactual"),
)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The call of the logs that is decided otherwise and differs in the fewest arguments."""

    decided: CallDecision
    changes: tuple[TurningChange, ...]


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A decided call: the arguments with a usable value, those without one, and who can change each."""

    decided: CallDecision
    known_arguments: Arguments
    missing: frozenset[str]
    reaches: Mapping[str, Reach]

    @property
    def target(self) -> Verdict:
        """The other decision."""
        return Verdict.DENY if self.decided.decision.verdict is Verdict.ALLOW else Verdict.ALLOW

    def nearest(self, decisions: Iterable[CallDecision]) -> CallDecision | None:
        """The nearest call of the same tool with the other decision; None if there is none.

        Calls are ranked by the number of differing arguments, then by differing elements of sets. Calls of
        the same run come next, then the calls with the nearest index.
        """
        fixed = [name for name in self.known_arguments if self.reaches.get(name) is Reach.TOOL]
        best: tuple[tuple[int, int, bool, int], CallDecision] | None = None
        bound, own_decision, target = len(self.known_arguments), self.decided, self.target
        for decision in decisions:
            if decision.decision.verdict.allows is not target.allows:
                continue
            other_arguments = decision.decision.arguments
            if any(not _same(other_arguments.get(name), self.known_arguments[name]) for name in fixed):
                continue
            count = sum(
                not _same(other_arguments.get(name), value) for name, value in self.known_arguments.items()
            )
            if count > bound:
                continue
            bound = count
            parts = sum(
                _parts(other_arguments.get(name), value) for name, value in self.known_arguments.items()
            )
            rank = (count, parts, decision.run != own_decision.run, abs(decision.index - own_decision.index))
            if best is None or rank < best[0]:
                best = (rank, decision)
        return best[1] if best is not None else None

    def changes(self, other: Arguments, denied: Arguments) -> tuple[TurningChange, ...]:
        """The differences from ``other``, in arguments of ``denied`` and arguments that are unknown here."""
        decisive = {
            *denied,
            *(path for path, _ in argument_words(denied)),
            *(name for name in other if name not in self.known_arguments),
        }
        return tuple(
            change
            for name, value in other.items()
            for change in _differences(
                TurningChange(
                    name,
                    self.known_arguments.get(name),
                    value,
                    self.reaches.get(name, Reach.GIVEN),
                    name not in self.known_arguments,
                )
            )
            if change.name in decisive
        )


def _differences(change: TurningChange) -> Iterator[TurningChange]:
    """The differences between two values, by field for two records; none if they are equal."""
    old, new = change.old, change.new
    if not isinstance(old, RecordValue) or not isinstance(new, RecordValue):
        if change.supplied or not _same(old, new):
            yield change
        return
    old_fields = dict(old.fields)
    for name, value in new.fields:
        if name in old_fields:
            yield from _differences(
                replace(change, name=f"{change.name}.{name}", old=old_fields[name], new=value)
            )


def _same(left: Value, right: Value) -> bool:
    if isinstance(left, datetime) and isinstance(right, datetime):
        return _aware(left) == _aware(right)
    return type(left) is type(right) and left == right


def _aware(value: datetime) -> datetime:
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)


def _parts(left: Value, right: Value) -> int:
    return len(left ^ right) if isinstance(left, frozenset) and isinstance(right, frozenset) else 0


json_form(Nearest, Nested(PLACE, "decided"), "changes")
PATH = JsonForm[PathRule](
    PathRule, fields("rule", "fired", ("conditions", Nested(CONDITION, "conditions", many=True)))
)
_PERMIT = JsonForm[Violation](Violation, fields("rule", "message"))
json_form(
    CallExplanation,
    Nested(PLACE, "call"),
    *(("tool", "call.tool"), "place", ("decision", "decision.verdict"), "reason", "message"),
    *("look_up_first", ("violations", "decision.violations"), ("reasons", "decision.reasons")),
    ("nearest_permits", Nested(_PERMIT, "nearest_permits", many=True)),
    ("path", Nested(PATH, "path", many=True)),
    *(("arguments", _origins), ("facts?", _facts), ("parts?", _typed_parts), ("counterfactual", "turning")),
    "nearest",
)
