"""Compiled policies: decisions in microseconds, with their reasons."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, cached_property

from workbench.engines.compiled.program import PolicyProgram
from workbench.model import (
    NO_BOUNDS,
    TOOL_ARGUMENT,
    Arguments,
    Between,
    Case,
    Counterexample,
    Decision,
    Kind,
    PathRule,
    Value,
    Verdict,
    Violation,
    WorkbenchError,
)
from workbench.policy.deciding import DEFAULT_RULE, DecidedPolicy, Test, items
from workbench.policy.decisive_part import left_out, what_breaks
from workbench.policy.evaluate import EXACT, UNDEFINED, evaluate, normalised
from workbench.policy.parts_by_tool import PartsByTool
from workbench.policy.result_cache import Recent
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
from workbench.policy.types import holds
from workbench.policy.undetermined import Undetermined
from workbench.policy.walk import subterms
from workbench.policy.written import OWN_NAMES

MOST_ITEMS = 5


_compiled: Recent[int, CompiledPolicy] = Recent(8)
"""The policies that were compiled last, by their identity: equal ones may have other words."""


def compile_policy(policy: PolicyTerms) -> CompiledPolicy:
    """Compile a checked policy; the same terms always give the same decisions."""
    known = _compiled.get(id(policy))
    if known is None or known.terms is not policy:
        known = CompiledPolicy(policy)
        _compiled.put(id(policy), known)
    return known


def decided_by_tool(policy: PolicyTerms) -> Callable[[Arguments], Decision]:
    """What a policy decides, each call by the rules about its tool: of others nothing is compiled."""
    part = _part_by_tool(policy, compile_policy)

    def decided(arguments: Arguments) -> Decision:
        of_tool, own = part(arguments)
        return of_tool.decide(own)

    return decided


def as_expected(policy: PolicyTerms) -> Callable[[Case], bool]:
    """Whether a policy decides a case as it expects; nothing is compiled for the few cases of each tool.

    Of a denial the rules that the case is about are asked first.
    """
    part = _part_by_tool(policy, lambda of_tool: DecidedPolicy(of_tool, OWN_NAMES))
    citing: dict[str, list[Rule]] = {}
    for rule in policy.rules:
        for name in rule.requirements:
            citing.setdefault(name, []).append(rule)

    def expected(case: Case) -> bool:
        of_tool, own = part(case.arguments)
        about = [rule for name in case.requirements for rule in citing.get(name, ())]
        if case.expected is Verdict.DENY and of_tool.surely_denies(own, about):
            return True
        return of_tool.decide(own).verdict is case.expected

    return expected


def _part_by_tool(
    policy: PolicyTerms, made: Callable[[PolicyTerms], DecidedPolicy]
) -> Callable[[Arguments], tuple[DecidedPolicy, Arguments]]:
    """What decides a call: the rules about its tool, and the arguments without those of other tools."""
    parts = PartsByTool(policy)
    every = {one.name for one in policy.arguments}

    @cache
    def of_call(tool: Value) -> DecidedPolicy:
        return made(parts.of_call(tool))

    def part(arguments: Arguments) -> tuple[DecidedPolicy, Arguments]:
        of_tool = of_call(arguments.get(TOOL_ARGUMENT))
        of_others = every - of_tool.parameters.keys()
        return of_tool, {name: value for name, value in arguments.items() if name not in of_others}

    return part


class CompiledPolicy(DecidedPolicy):
    """A policy that decides by functions made of its terms, and says more of its decisions.

    ``allows`` does not check types or preconditions, so it is only for arguments that ``decide`` can
    evaluate; untrusted arguments go to ``decide``.
    """

    def __init__(self, policy: PolicyTerms) -> None:
        """Build the functions of the rules; the others are built when they are first needed."""
        self._program = PolicyProgram(policy)
        self._exact = _needs_exact(policy)
        self.tests: Mapping[str, Test] = {
            name: self._exactly(test) for name, test in self._program.rules.items()
        }
        """The function of each rule, of the values of its parameters."""
        words = OWN_NAMES if policy.written is None else policy.written.words
        super().__init__(policy, words, self._program.rules)

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

    def _fired(self, values: list[Value]) -> int:
        if not self._exact:
            return super()._fired(values)
        with decimal.localcontext(EXACT):  # once for all rules
            return super()._fired(values)

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

    def possible_rules(self, known: Arguments, between: Mapping[str, Between] = NO_BOUNDS) -> frozenset[str]:
        """The rules that may fire on some completion of an incomplete input."""
        truths = self.truths(self._validate.read(known).values, between)
        return frozenset(rule.name for rule in self.terms.rules if truths[rule.name] is not False)

    def certain_rules(self, known: Arguments, between: Mapping[str, Between]) -> frozenset[str]:
        """The rules that fire on every completion of an incomplete input."""
        truths = self.truths(self._validate.read(known).values, between)
        return frozenset(rule.name for rule in self.terms.rules if truths[rule.name] is True)

    def open_arguments(
        self, arguments: Arguments, between: Mapping[str, Between] = NO_BOUNDS
    ) -> tuple[str, ...]:
        """The arguments that an incomplete input lacks and that could change its decision."""
        read = self._validate.read(arguments)
        if read.outside or not read.why:
            return tuple(read.why)
        truths = self.truths(read.values, between)
        return self.could_deny(truths) or self.asked_without(truths, read.values)[1]

    def _allowed(self, values: list[Value]) -> bool:
        fired = self._fired(values)
        forbids = {one.rule.forbids for place, one in enumerate(self._rules) if fired >> place & 1}
        return True not in forbids and (self.terms.default_allow or False in forbids)

    def clause_holds(self, clause_id: str, arguments: Arguments) -> bool:
        """Whether a clause of the contract holds on arguments, by running its function.

        A postcondition requires nothing if a precondition is broken, so it holds there. Raises
        ``WorkbenchError`` for an unknown clause and for arguments of wrong types.
        """
        test = self._clauses.get(clause_id)
        if test is None:
            raise WorkbenchError(f"The policy has no clause {clause_id}.")
        read = self._validate.read(arguments)
        if read.why:
            raise WorkbenchError(next(iter(read.why.values())))
        values = list(read.values.values())
        if clause_id.startswith("P"):
            return bool(test(*values, None))
        return bool(self._broken_preconditions(read.values)) or bool(test(*values, self._allowed(values)))

    def path(self, arguments: Arguments, between: Mapping[str, Between] = NO_BOUNDS) -> tuple[PathRule, ...]:
        """Every rule with whether it certainly fired, and the conditions it rests on with their truth.

        A condition that is not reached because an earlier guard decided is left out, and so is one that is
        undetermined. Raises ``WorkbenchError`` for arguments of wrong types.
        """
        read = self._validate.read(arguments)
        if misfits := [why for name, why in read.why.items() if name in arguments]:
            raise WorkbenchError(misfits[0])
        truths = self.truths(read.values, between)
        path: list[PathRule] = []
        for rule in self.terms.rules:
            conditions = dict(_conditions(self.terms, rule.body, read.values))
            path.append(PathRule(rule.name, truths[rule.name] is True, tuple(conditions.items())))
        return tuple(path)


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
