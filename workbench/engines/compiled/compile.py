"""Compiled policies: decisions in microseconds, with their reasons.

The elements of sets and lists on which the value of a condition rests.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import cast

from workbench.engines.compiled.kleene import KLEENE
from workbench.engines.compiled.program import PolicyProgram, Test
from workbench.model import (
    NO_BOUNDS,
    Arguments,
    ArgumentType,
    Between,
    Counterexample,
    Decision,
    Kind,
    PathRule,
    Value,
    Verdict,
    Violation,
    WorkbenchError,
)
from workbench.policy.decisive_part import left_out, what_breaks
from workbench.policy.elements_behind import elements_behind
from workbench.policy.evaluate import EXACT, UNDEFINED, Valuation, evaluate, normalised
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    And,
    Arithmetic,
    Choice,
    Clause,
    Constant,
    ImpliesTerm,
    Member,
    Not,
    Or,
    PolicyTerms,
    Rule,
    Sum,
    Term,
)
from workbench.policy.types import has_elements, holds
from workbench.policy.undetermined import Undetermined
from workbench.policy.validate import Validator
from workbench.policy.value_words import value_words
from workbench.policy.walk import subterms
from workbench.policy.written import OWN_NAMES, ArgumentWords

DEFAULT_RULE = "default"
DEFAULT_MESSAGE = "No rule permits this."
MOST_ITEMS = 5
_OUTCOMES = 4096
_NO_REASONS: Mapping[str, str] = MappingProxyType({})


def compile_policy(policy: PolicyTerms) -> CompiledPolicy:
    """Compile a checked policy; the same terms always give the same decisions."""
    return CompiledPolicy(policy)


def broken_precondition(clause: Clause, words: ArgumentWords) -> str:
    """The reason why an input that breaks a precondition cannot be evaluated; in words for its arguments."""
    condition = clause.comment or words.said(clause.source)
    return f"The precondition {clause.id} does not hold: {condition.rstrip('.')}."


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The decision for all inputs on which the same rules fire."""

    verdict: Verdict
    violations: tuple[Violation, ...]
    permitted: tuple[str, ...]


@lru_cache(maxsize=_OUTCOMES)
def _violation(rule: str, message: str) -> Violation:
    """The violation of a rule: one object for all versions of a policy, which makes comparing fast."""
    return Violation(rule, message)


def _bits(fired: Iterable[bool]) -> int:
    return sum(1 << place for place, fires in enumerate(fired) if fires)


def _decision(outcome: _Outcome, named: Arguments) -> Decision:
    """The decision on arguments."""
    return Decision(outcome.verdict, outcome.violations, named, (), outcome.permitted)


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A rule with its function, the places of its parameters among the arguments, and its items."""

    rule: Rule
    test: Test
    places: tuple[int, ...]
    has_elements: bool


class CompiledPolicy:
    """A policy that decides.

    ``allows`` does not check types or preconditions, so it is only for arguments that ``decide`` can
    evaluate; untrusted arguments go to ``decide``.
    """

    def __init__(self, policy: PolicyTerms) -> None:
        """Build the functions of the rules; the others are built when they are first needed."""
        self.terms = policy
        self.parameters: Mapping[str, ArgumentType] = {
            argument.name: argument.type for argument in policy.arguments
        }
        """The arguments that the policy takes, with their types."""
        self._program = PolicyProgram(policy)
        self._exact = _needs_exact(policy)
        self._names = tuple(argument.name for argument in policy.arguments)
        self._words = OWN_NAMES if policy.written is None else policy.written.words
        self._validate = Validator(policy.arguments, self._words)
        self._outcomes: dict[int, _Outcome] = {}
        places = {name: index for index, name in enumerate(self._names)}
        self._rules = [
            _Compiled(
                rule,
                self._exactly(self._program.rules[rule.name]),
                tuple(places[parameter.name] for parameter in rule.parameters),
                any(has_elements(parameter.type) for parameter in rule.parameters),
            )
            for rule in policy.rules
        ]
        self._tests = [(rule.test, rule.places) for rule in self._rules]

    @property
    def taken_by_rules(self) -> Mapping[str, frozenset[str]]:
        """The names of the arguments that each rule takes."""
        return self.terms.taken_by_rules

    def said(self, argument: str) -> str:
        """The words for an argument in reasons: what the file of a policy of calls says, else its name."""
        return self._words.of(argument)

    def allows(self, arguments: Arguments) -> bool:
        """Whether the policy allows arguments by name that ``decide`` can evaluate."""
        return self._allowed([normalised(arguments[name]) for name in self._names])

    def confirms(self, before: Decision) -> bool:
        """Whether this policy makes the same decision; False if a quick check cannot establish it.

        ``before`` must be the decision of a policy with the same arguments, and neither policy may have a
        precondition. The arguments of ``before`` then have their types, which are not checked again.
        """
        if before.verdict is Verdict.CANNOT_EVALUATE:
            return False
        try:
            fired = self._fired([before.arguments[name] for name in self._names])
            outcome = self._outcomes.get(fired) or self._outcome(fired, before.arguments)
        except Exception:  # a full decision has the error as its reason, and never allows
            return False
        return outcome.violations == before.violations and outcome.permitted == before.permitted_by

    @cached_property
    def _incomplete(self) -> _IncompleteInputs:
        return _IncompleteInputs(self.terms, self._program.three_valued, self._validate.what_is_known)

    @cached_property
    def _clauses(self) -> dict[str, Test]:
        return {name: self._exactly(test) for name, test in self._program.clauses.items()}

    def _exactly[T](self, function: Callable[..., T]) -> Callable[..., T]:
        if not self._exact:
            return function

        def exact(*values: object) -> T:
            with decimal.localcontext(EXACT):
                return function(*values)

        return exact

    def decide(self, arguments: Arguments) -> Decision:
        """The decision on arguments, with every rule that fired.

        Arguments that are missing, of a wrong type, or break a precondition give cannot-evaluate with the
        reasons. Never raises for bad arguments, and no error inside a policy allows.
        """
        return self._decide_carefully(arguments)

    def _decide_carefully(
        self,
        arguments: Arguments,
        why: Mapping[str, str] = _NO_REASONS,
        between: Mapping[str, Between] = NO_BOUNDS,
    ) -> Decision:
        """The decision step by step, with the reasons if it cannot be evaluated."""
        try:
            read = self._validate.read(arguments)
            if read.outside:
                return Decision(Verdict.CANNOT_EVALUATE, (), dict(arguments), tuple(read.why.values()))
            if read.why:
                return self._decide_known(read.values, {**read.why, **self._said_reasons(why)}, between)
            values = list(read.values.values())
            if broken := self._broken_preconditions(values):
                return Decision(Verdict.CANNOT_EVALUATE, (), dict(arguments), tuple(broken))
            fired = self._fired(values)
            return _decision(self._outcomes.get(fired) or self._outcome(fired, read.values), read.values)
        except Exception as error:  # no error may allow
            reason = f"The policy could not be evaluated: {type(error).__name__}."
            return Decision(Verdict.CANNOT_EVALUATE, (), dict(arguments), (reason,))

    def _said_reasons(self, why: Mapping[str, str]) -> dict[str, str]:
        return {name: f"{self.said(name)}: {reason}" for name, reason in why.items()}

    def decide_incomplete(
        self, arguments: Arguments, why: Mapping[str, str], between: Mapping[str, Between] = NO_BOUNDS
    ) -> Decision:
        """The decision on an incomplete input, if all completions of it have that decision.

        ``why`` gives the reasons why arguments are not determined, and ``between`` what is known of them:
        bounds of numbers, members of sets, fields of records. Otherwise the input cannot be evaluated, and
        the reasons are those of the arguments that could change the decision.
        """
        return self._decide_carefully(arguments, why, between)

    def possible_rules(self, known: Arguments) -> frozenset[str]:
        """The rules that may fire on some completion of an incomplete input."""
        truths = self._incomplete.truths(self._validate.read(known).values, NO_BOUNDS)
        return frozenset(rule.name for rule in self.terms.rules if truths[rule.name] is not False)

    def certain_rules(self, known: Arguments, between: Mapping[str, Between]) -> frozenset[str]:
        """The rules that fire on every completion of an incomplete input."""
        truths = self._incomplete.truths(self._validate.read(known).values, between)
        return frozenset(rule.name for rule in self.terms.rules if truths[rule.name] is True)

    def open_arguments(
        self, arguments: Arguments, between: Mapping[str, Between] = NO_BOUNDS
    ) -> tuple[str, ...]:
        """The arguments that an incomplete input lacks and that could change its decision."""
        read = self._validate.read(arguments)
        if read.outside or not read.why:
            return tuple(read.why)
        truths = self._incomplete.truths(read.values, between)
        return self._incomplete.open_arguments(truths) or self._asked_without(truths, read.values)[1]

    def _decide_known(
        self, known: dict[str, Value], why: Mapping[str, str], between: Mapping[str, Between]
    ) -> Decision:
        """The decision on an incomplete input whose values fit."""
        truths = self._incomplete.truths(known, between)
        reasons = [broken_precondition(clause, self._words) for clause in self._incomplete.broken(truths)]
        reasons = reasons or [why[name] for name in self._incomplete.open_arguments(truths)]
        if reasons:
            return Decision(Verdict.CANNOT_EVALUATE, (), known, tuple(reasons))
        outcome, asked_without = self._asked_without(truths, known)
        return replace(_decision(outcome, known), reasons=tuple(why[name] for name in asked_without))

    def _asked_without(self, truths: Truths, known: Arguments) -> tuple[_Outcome, tuple[str, ...]]:
        """The outcome, if no argument could change it, and the arguments without which a person is asked."""
        certain = [truths[rule.rule.name] is True for rule in self._rules]
        outcome = self._outcome(_bits(certain), known)
        may_ask, names = self._incomplete.open_asking(truths)
        if outcome.verdict is Verdict.DENY or not may_ask:
            return outcome, ()
        fired = [fires or rule.rule.name in may_ask for fires, rule in zip(certain, self._rules, strict=True)]
        return self._outcome(_bits(fired), known), names

    def _broken_preconditions(self, values: list[Value]) -> list[str]:
        return [
            broken_precondition(clause, self._words)
            for clause in self.terms.preconditions
            if not self._clauses[clause.id](*values, None)
        ]

    def _fired(self, values: list[Value]) -> int:
        """The rules that fire on values in the order of the arguments, as bits in the order of the rules."""
        fired, bit = 0, 1
        for test, places in self._tests:
            if test(*[values[place] for place in places]):
                fired |= bit
            bit <<= 1
        return fired

    def _outcome(self, fired: int, named: Arguments) -> _Outcome:
        """The outcome for the rules that fired, given as bits in the order of the rules."""
        rules = [rule for position, rule in enumerate(self._rules) if fired >> position & 1]
        verdict = self.terms.verdict([compiled_rule.rule for compiled_rule in rules])
        violations: list[Violation] = []
        permitted: list[str] = []
        is_constant, denied = True, False
        for compiled_rule in rules:
            if not compiled_rule.rule.forbids:
                permitted.append(compiled_rule.rule.name)
                continue
            denied = denied or not compiled_rule.rule.asks
            violation = _violation(compiled_rule.rule.name, compiled_rule.rule.message)
            if compiled_rule.has_elements:
                is_constant = False  # its items depend on the arguments
                violation = replace(violation, items=items(self.terms, compiled_rule.rule.body, named))
            violations.append(violation)
        if verdict is Verdict.DENY and not denied:
            violations.append(_violation(DEFAULT_RULE, DEFAULT_MESSAGE))
        outcome = _Outcome(verdict, tuple(violations), tuple(permitted))
        if is_constant and len(self._outcomes) < _OUTCOMES:
            self._outcomes[fired] = outcome
        return outcome

    def _allowed(self, values: list[Value]) -> bool:
        fired = {
            rule.rule.forbids for rule in self._rules if rule.test(*[values[place] for place in rule.places])
        }
        return True not in fired and (self.terms.default_allow or False in fired)

    def clause_holds(self, clause_id: str, arguments: Arguments) -> bool:
        """Whether a clause of the contract holds on arguments, by running its own text.

        A postcondition requires nothing if a precondition is broken, so it holds there. Raises
        ``WorkbenchError`` for an unknown clause and for arguments of wrong types.
        """
        test = self._clauses.get(clause_id)
        if test is None:
            raise WorkbenchError(f"The policy has no clause {clause_id}.")
        values = self._well_typed(arguments)
        if clause_id.startswith("P"):
            return bool(test(*values, None))
        return bool(self._broken_preconditions(values)) or bool(test(*values, self._allowed(values)))

    def path(self, arguments: Arguments, between: Mapping[str, Between] = NO_BOUNDS) -> tuple[PathRule, ...]:
        """Every rule with whether it certainly fired, and the conditions it rests on with their truth.

        A condition that is not reached because an earlier guard decided is left out, and so is one that is
        undetermined. Raises ``WorkbenchError`` for arguments of wrong types.
        """
        read = self._validate.read(arguments)
        if misfits := [why for name, why in read.why.items() if name in arguments]:
            raise WorkbenchError(misfits[0])
        known, complete = read.values, not read.why
        truths: Mapping[str, object] = {} if complete else self._incomplete.truths(known, between)
        path: list[PathRule] = []
        for rule in self._rules:
            name = rule.rule.name
            fired: object = (
                rule.test(*[known[self._names[place]] for place in rule.places]) if complete else truths[name]
            )
            conditions = dict(_conditions(self.terms, rule.rule.body, known))
            path.append(PathRule(name, fired is True, tuple(conditions.items())))
        return tuple(path)

    def _well_typed(self, arguments: Arguments) -> list[Value]:
        values, reasons = self._validate(arguments)
        if reasons:
            raise WorkbenchError(reasons[0])
        return values


def only_what_matters(policy: PolicyTerms, clause: Clause, counterexample: Counterexample) -> Counterexample:
    """The counterexample with the arguments that matter, and the conditions that they settle on its path."""
    part = what_breaks(policy, clause, counterexample.arguments)
    bodies = {rule.name: rule.body for rule in policy.rules}
    decisive_arguments = {name: normalised(value) for name, value in part.items()}
    path = tuple(
        replace(
            rule, conditions=tuple(dict(_conditions(policy, bodies[rule.rule], decisive_arguments)).items())
        )
        for rule in counterexample.path
    )
    return replace(
        counterexample, decisive_arguments=part, left_out=left_out(counterexample.arguments, part), path=path
    )


def _conditions(policy: PolicyTerms, term: Term, values: Arguments) -> Iterator[tuple[str, bool]]:
    """The atomic conditions of a term as source text, each with its truth."""
    match term:
        case Constant():
            return
        case Not(operand) if not isinstance(operand, Member):
            yield from _conditions(policy, operand, values)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _conditions(policy, operand, values)
        case ImpliesTerm(condition, consequence):
            yield from _conditions(policy, condition, values)
            yield from _conditions(policy, consequence, values)
        case Choice(condition, then, otherwise):
            yield from _conditions(policy, condition, values)
            truth = _truth(policy, condition, values)
            if truth is not None:
                yield from _conditions(policy, then if truth else otherwise, values)
        case _:
            truth = _truth(policy, term, values)
            if truth is not None:
                yield render_term(term, policy.tables), truth


def _truth(policy: PolicyTerms, term: Term, values: Arguments) -> bool | None:
    """The truth of a condition; None if an earlier guard decided, so that it is never evaluated.

    It is also None if the known part of an input does not settle it.
    """
    try:
        value = evaluate(policy, term, values)
    except UNDEFINED:
        return None
    return None if isinstance(value, Undetermined) else value is True


def _needs_exact(policy: PolicyTerms) -> bool:
    """Whether the policy computes with decimals, which must never be rounded."""
    bodies = [
        *(rule.body for rule in policy.rules),
        *(clause.term for clause in (*policy.preconditions, *policy.clauses)),
    ]
    parts = [part for body in bodies for part in subterms(body)]
    if not any(isinstance(part, Arithmetic | Sum) for part in parts):
        return False
    constants = [
        *(part.value for part in parts if isinstance(part, Constant)),
        *(value for table in policy.tables.values() for value in table.entries.values()),
    ]
    decimal_type = any(holds(parameter.type, Kind.DECIMAL) for parameter in policy.arguments)
    return decimal_type or any(isinstance(value, Decimal) for value in constants)


# --- incomplete inputs of a compiled policy: the truth of its rules, and the arguments that could change it

type Truths = Mapping[str, object]
"""The truth of each rule (by name) and precondition (by id): True, False or undetermined."""

_undetermined = cast("Callable[[str, Between | None], object]", KLEENE["_kleene_argument"])
_names = cast("Callable[[object], frozenset[str] | None]", KLEENE["_kleene_names"])
_could_change = cast(
    "Callable[[list[object], list[object], list[object], bool], frozenset[str]]",
    KLEENE["_kleene_could_change"],
)


class _IncompleteInputs:
    """The decision on inputs that lack arguments, as far as it is the same for all completions."""

    def __init__(
        self,
        policy: PolicyTerms,
        tests: Mapping[str, Callable[..., object]],
        known: Callable[[str, Between | None], Between | None],
    ) -> None:
        """Take the three-valued functions of rules and preconditions; ``known`` keeps what fits."""
        self._policy = policy
        self._names = tuple(argument.name for argument in policy.arguments)
        self._tests = tests
        self._known = known

    def truths(self, known: Mapping[str, Value], between: Mapping[str, Between]) -> Truths:
        """The truths on known values that fit their types, and on what is known of others."""
        values = {
            name: known[name] if name in known else _undetermined(name, self._known(name, between.get(name)))
            for name in self._names
        }
        tests, policy = self._tests, self._policy
        with decimal.localcontext(EXACT):
            truths = {
                rule.name: tests[rule.name](*[values[parameter.name] for parameter in rule.parameters])
                for rule in policy.rules
            }
            return truths | {clause.id: tests[clause.id](*values.values()) for clause in policy.preconditions}

    def broken(self, truths: Truths) -> list[Clause]:
        """The preconditions that certainly do not hold."""
        return [clause for clause in self._policy.preconditions if truths[clause.id] is False]

    def open_arguments(self, truths: Truths) -> tuple[str, ...]:
        """The arguments without which nothing can be decided, in the order of the policy.

        They could change the decision, and it is not certain that a person may be asked.
        """
        rules = self._policy.rules
        names = set(
            _could_change(
                [truths[rule.name] for rule in rules if rule.forbids and not rule.asks],
                [truths[rule.name] for rule in rules if rule.asks],
                [truths[rule.name] for rule in rules if not rule.forbids],
                self._policy.default_allow,
            )
        )
        for clause in self._policy.preconditions:
            names |= _names(truths[clause.id]) or set()
        return tuple(name for name in self._names if name in names)

    def open_asking(self, truths: Truths) -> tuple[frozenset[str], tuple[str, ...]]:
        """The rules that may ask a person and may not, and the arguments on which that depends."""
        open_truths = {rule.name: _names(truths[rule.name]) for rule in self._policy.rules if rule.asks}
        may_ask = {rule: names for rule, names in open_truths.items() if names is not None}
        names = frozenset[str]().union(*may_ask.values())
        return frozenset(may_ask), tuple(name for name in self._names if name in names)


def items(policy: PolicyTerms, term: Term, arguments: Arguments) -> tuple[str, ...]:
    """The elements of sets and lists that make a condition true on these arguments, sorted.

    A true ``any`` names the elements for which its test holds; a false ``all`` the elements for which it does
    not, if the condition is true because of that. ``arguments`` are well-typed, with datetimes in UTC. Where
    one that is not among them decides, there are no elements. A text is named as it is, other elements as
    they are written for a person.
    """
    with decimal.localcontext(EXACT):
        try:
            found = elements_behind(term, Valuation(policy, arguments, None), True)
        except KeyError:
            return ()
    return tuple(sorted(one if isinstance(one, str) else value_words(one) for one in found))


# --- decisions in words: which rules fired, and on which values


def lacking(policy: CompiledPolicy, decision: Decision, path: Sequence[PathRule] | None = None) -> Decision:
    """A denial because no rule permits the call, with the elements that the nearest rule lacks.

    ``path`` is that of the decision, if the caller has it.
    """
    if all(violation.rule != DEFAULT_RULE for violation in decision.violations):
        return decision
    near = nearest_permits(policy, policy.path(decision.arguments) if path is None else path, decision)
    elements = near[0].items if near else ()
    return replace(
        decision,
        violations=tuple(
            replace(violation, items=elements) if violation.rule == DEFAULT_RULE else violation
            for violation in decision.violations
        ),
    )


def nearest_permits(
    policy: CompiledPolicy, path: Sequence[PathRule], decision: Decision
) -> tuple[Violation, ...]:
    """The rules of a path that permit, those with the fewest conditions that do not hold first.

    Each has its message, and the elements for which it does not hold. Of equally near ones that which only
    elements keep from holding comes first.
    """
    rules = {rule.name: rule for rule in policy.terms.rules if not rule.forbids}
    near: list[tuple[int, bool, Violation]] = []
    for step in path:
        if (rule := rules.get(step.rule)) is None:
            continue
        elements = items(policy.terms, Not(rule.body), decision.arguments)
        missed = sum(not holds for _, holds in step.conditions)
        near.append((missed, not elements, Violation(rule.name, rule.message, elements)))
    return tuple(violation for _, _, violation in sorted(near, key=lambda one: one[:2]))


def reason(decision: Decision) -> str:
    """The decision and its reason in one line, which may be sent to the agent."""
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        return f"Not allowed, because it cannot be evaluated: {'; '.join(decision.reasons)}".rstrip()
    if decision.verdict is Verdict.ALLOW:
        by = " and ".join(decision.permitted_by)
        return f"Allowed by {by}." if by else "Allowed: no rule forbids this."
    rule_messages: list[str] = []
    for violation in decision.violations:
        listed = f" ({_listed(violation.items)})" if violation.items else ""
        message = f"{violation.message.rstrip().removesuffix('.')}{listed}"
        rule_messages.append(message if violation.rule == DEFAULT_RULE else f"{violation.rule}: {message}")
    if len(rule_messages) == 1 and decision.violations[0].rule == DEFAULT_RULE:
        return f"Denied: {rule_messages[0]}."
    if decision.verdict is Verdict.ASK:
        undetermined = f" Not determined: {'; '.join(decision.reasons)}" if decision.reasons else ""
        return f"A person is asked by {'; '.join(rule_messages)}.{undetermined}"
    return f"Denied by {'; '.join(rule_messages)}."


def _listed(elements: tuple[str, ...]) -> str:
    remaining_count = len(elements) - MOST_ITEMS
    shown_items = ", ".join(" ".join(item.split())[:80] for item in elements[:MOST_ITEMS])
    return f"{shown_items} and {remaining_count} more" if remaining_count > 0 else shown_items
