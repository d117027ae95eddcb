"""Decisions of a policy on its arguments, with their reasons.

In a session the rules are functions made of its terms (``engines.compiled``). An exported file decides by
the interpreter of terms, which it carries; so does a session on an input that lacks arguments.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Protocol

from workbench.model import (
    NO_BOUNDS,
    TOOL_ARGUMENT,
    Arguments,
    ArgumentType,
    Between,
    Decision,
    Value,
    Verdict,
    Violation,
)
from workbench.policy.elements_behind import elements_behind
from workbench.policy.evaluate import EXACT, UNDEFINED, Valuation, truth_of
from workbench.policy.terms import (
    And,
    Clause,
    Compare,
    Comparison,
    Constant,
    Or,
    Parameter,
    PolicyTerms,
    Rule,
    Term,
    Variable,
)
from workbench.policy.types import has_elements
from workbench.policy.undetermined import Undetermined, decided, joined, undetermined
from workbench.policy.validate import Validator
from workbench.policy.value_words import value_words

DEFAULT_RULE = "default"
DEFAULT_MESSAGE = "No rule permits this."
_OUTCOMES = 4096
_NO_REASONS: Mapping[str, str] = MappingProxyType({})

type Test = Callable[..., bool]
type Truths = Mapping[str, bool | Undetermined]
"""The truth of each rule (by name) and precondition (by id)."""


class Words(Protocol):
    """What arguments are called in reasons."""

    def of(self, name: str) -> str:
        """The words for an argument."""
        ...

    def said(self, text: str) -> str:
        """A condition in the words for its arguments."""
        ...


def broken_precondition(clause: Clause, words: Words) -> str:
    """The reason why an input that breaks a precondition cannot be evaluated; in words for its arguments."""
    condition = clause.comment or words.said(clause.source)
    return f"The precondition {clause.id} does not hold: {condition.rstrip('.')}."


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The decision for all inputs on which the same rules fire."""

    verdict: Verdict
    violations: tuple[Violation, ...]
    permitted: tuple[str, ...]

    def on(self, arguments: Arguments) -> Decision:
        """The decision on arguments."""
        return Decision(self.verdict, self.violations, arguments, (), self.permitted)


@lru_cache(maxsize=_OUTCOMES)
def _violation(rule: str, message: str) -> Violation:
    """The violation of a rule: one object for all versions of a policy, which makes comparing fast."""
    return Violation(rule, message)


def _bits(fired: Iterable[bool]) -> int:
    return sum(1 << place for place, fires in enumerate(fired) if fires)


@dataclass(frozen=True, slots=True)
class _RuleTest:
    """A rule with its function, the places of its parameters among the arguments, and its items."""

    rule: Rule
    test: Test
    places: tuple[int, ...]
    has_elements: bool

    def truth(self, known: Arguments, world: Valuation) -> bool | Undetermined:
        """Whether the rule fires: by its function where all is known that it takes, else by its terms."""
        try:
            return self.test(*[known[parameter.name] for parameter in self.rule.parameters])
        except UNDEFINED:
            return truth_of(self.rule.body, world)


@dataclass(frozen=True, slots=True)
class _Reasons:
    """Why arguments are not determined, as the input says and as who read it says."""

    policy: DecidedPolicy
    of_input: Mapping[str, str]
    of_reader: Mapping[str, str]

    def of(self, name: str) -> str:
        """The reason of one argument."""
        reason = self.of_reader.get(name)
        return self.of_input[name] if reason is None else f"{self.policy.said(name)}: {reason}"


def _tools(condition: Term) -> frozenset[str] | None:
    """The tools of whose calls alone a condition can hold, by how it begins; None if of others, too."""
    match condition:
        case Or(operands):
            found = [_tools(one) for one in operands]
            known = [tools for tools in found if tools is not None]
            return frozenset[str]().union(*known) if len(known) == len(found) else None
        case And((first, *_)):
            return _tools(first)
        case Compare(Comparison.EQ, Variable(name), Constant(str() as tool)) if name == TOOL_ARGUMENT:
            return frozenset((tool,))
        case _:
            return None


class DecidedPolicy:
    """A policy that decides."""

    def __init__(self, policy: PolicyTerms, words: Words, tests: Mapping[str, Test] | None = None) -> None:
        """Take the policy, what its arguments are called, and the functions of its rules by their names.

        Without functions the terms of the rules are interpreted.
        """
        self.terms = policy
        self.parameters: Mapping[str, ArgumentType] = {
            argument.name: argument.type for argument in policy.arguments
        }
        """The arguments that the policy takes, with their types."""
        self.words = words
        self._names = tuple(self.parameters)
        self._validate = Validator(policy.arguments, words.of)
        self._outcomes: dict[int, _Outcome] = {}
        self._rules_by_tool: dict[str, Sequence[_RuleTest]] = {}
        places = {name: index for index, name in enumerate(self._names)}
        self._rules = [
            _RuleTest(
                rule,
                self._interpreted(rule.body, rule.parameters) if tests is None else tests[rule.name],
                tuple(places[parameter.name] for parameter in rule.parameters),
                any(has_elements(parameter.type) for parameter in rule.parameters),
            )
            for rule in policy.rules
        ]
        self._tests = [(rule.test, rule.places) for rule in self._rules]

    def _interpreted(self, term: Term, parameters: Iterable[Parameter]) -> Test:
        names = [parameter.name for parameter in parameters]

        def test(*values: Value) -> bool:
            with decimal.localcontext(EXACT):
                truth = truth_of(term, Valuation(self.terms, dict(zip(names, values, strict=True)), None))
            if isinstance(truth, Undetermined):
                raise KeyError(*truth.names)
            return truth

        return test

    @property
    def taken_by_rules(self) -> Mapping[str, frozenset[str]]:
        """The names of the arguments that each rule takes."""
        return self.terms.taken_by_rules

    def said(self, argument: str) -> str:
        """The words for an argument in reasons: what the file of a policy of calls says, else its name."""
        return self.words.of(argument)

    def decide(self, arguments: Arguments) -> Decision:
        """The decision on arguments, with every rule that fired.

        Arguments that are missing, of a wrong type, or break a precondition give cannot-evaluate with the
        reasons. Never raises for bad arguments, and no error inside a policy allows.
        """
        return self.decide_incomplete(arguments, _NO_REASONS)

    def decide_incomplete(
        self, arguments: Arguments, why: Mapping[str, str], between: Mapping[str, Between] = NO_BOUNDS
    ) -> Decision:
        """The decision on an incomplete input, if all completions of it have that decision.

        ``why`` gives the reasons why arguments are not determined, and ``between`` what is known of them:
        bounds of numbers, members of sets, fields of records. Otherwise the input cannot be evaluated, and
        the reasons are those of the arguments that could change the decision.
        """
        try:
            read = self._validate.read(arguments)
            if read.outside:
                return Decision(Verdict.CANNOT_EVALUATE, (), dict(arguments), tuple(read.why.values()))
            if read.why:
                return self._decide_known(read.values, _Reasons(self, read.why, why), between)
            if broken := self._broken_preconditions(read.values):
                return Decision(Verdict.CANNOT_EVALUATE, (), dict(arguments), tuple(broken))
            fired = self._fired(list(read.values.values()))
            return (self._outcomes.get(fired) or self._outcome(fired, read.values)).on(read.values)
        except Exception as error:  # no error may allow
            reason = f"The policy could not be evaluated: {type(error).__name__}."
            return Decision(Verdict.CANNOT_EVALUATE, (), dict(arguments), (reason,))

    def surely_denies(self, arguments: Arguments, rules: Iterable[Rule]) -> bool:
        """Whether one of some rules of the policy denies an input, so that no other has to be asked."""
        if self.terms.preconditions:
            return False
        try:
            read = self._validate.read(arguments)
            world = Valuation(self.terms, read.values, None)
            with decimal.localcontext(EXACT):
                denying = [rule for rule in rules if rule.forbids and not rule.asks]
                return not read.outside and any(truth_of(rule.body, world) is True for rule in denying)
        except UNDEFINED:
            return False

    def _broken_preconditions(self, values: Arguments) -> list[str]:
        if not self.terms.preconditions:
            return []
        world = Valuation(self.terms, values, None)
        with decimal.localcontext(EXACT):
            broken = [one for one in self.terms.preconditions if truth_of(one.term, world) is not True]
        return [broken_precondition(clause, self.words) for clause in broken]

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
        verdict = self.terms.verdict([one.rule for one in rules])
        violations: list[Violation] = []
        permitted: list[str] = []
        is_constant, denied = True, False
        for one in rules:
            if not one.rule.forbids:
                permitted.append(one.rule.name)
                continue
            denied = denied or not one.rule.asks
            violation = _violation(one.rule.name, one.rule.message)
            if one.has_elements:
                is_constant = False  # its items depend on the arguments
                violation = replace(violation, items=items(self.terms, one.rule.body, named))
            violations.append(violation)
        if verdict is Verdict.DENY and not denied:
            violations.append(_violation(DEFAULT_RULE, DEFAULT_MESSAGE))
        outcome = _Outcome(verdict, tuple(violations), tuple(permitted))
        if is_constant and len(self._outcomes) < _OUTCOMES:
            self._outcomes[fired] = outcome
        return outcome

    # --- incomplete inputs: the truth of the rules, and the arguments that could change it

    def truths(self, known: Arguments, between: Mapping[str, Between] = NO_BOUNDS) -> Truths:
        """The truths on known values that fit their types, and on what is known of others."""
        open_values = {
            name: Undetermined(frozenset({name}), self._validate.what_is_known(name, bounds))
            for name, bounds in between.items()
            if name in self.parameters and name not in known
        }
        world = Valuation(self.terms, {**known, **open_values}, None)
        truths: dict[str, bool | Undetermined] = dict.fromkeys([one.name for one in self.terms.rules], False)
        with decimal.localcontext(EXACT):
            for one in self._rules_on(known.get(TOOL_ARGUMENT)):
                truths[one.rule.name] = one.truth(known, world)
            return truths | {clause.id: truth_of(clause.term, world) for clause in self.terms.preconditions}

    def _rules_on(self, tool: Value) -> Sequence[_RuleTest]:
        """The rules that may fire on a call of a tool; all if it is not known."""
        if not isinstance(tool, str):
            return self._rules
        found = self._rules_by_tool.get(tool)
        if found is None:
            tools = ((one, _tools(one.rule.body)) for one in self._rules)
            found = [one for one, named in tools if named is None or tool in named]
            self._rules_by_tool[tool] = found
        return found

    def _decide_known(self, known: Arguments, why: _Reasons, between: Mapping[str, Between]) -> Decision:
        """The decision on an incomplete input whose values fit."""
        truths = self.truths(known, between)
        broken = [one for one in self.terms.preconditions if truths[one.id] is False]
        reasons = [broken_precondition(clause, self.words) for clause in broken]
        if not reasons and not any([isinstance(truth, Undetermined) for truth in truths.values()]):
            fired = _bits([truths[one.rule.name] is True for one in self._rules])
            return (self._outcomes.get(fired) or self._outcome(fired, known)).on(known)
        reasons = reasons or [why.of(name) for name in self.could_deny(truths)]
        if reasons:
            return Decision(Verdict.CANNOT_EVALUATE, (), known, tuple(reasons))
        outcome, asked_without = self.asked_without(truths, known)
        return replace(outcome.on(known), reasons=tuple(why.of(name) for name in asked_without))

    def could_deny(self, truths: Truths) -> tuple[str, ...]:
        """The arguments without which nothing can be decided, in the order of the policy.

        They could change the decision, and it is not certain that a person may be asked.
        """
        not_asking = self.terms.without_asking
        not_denied = decided(not_asking, [truths[rule.name] for rule in not_asking.rules])
        open_truths: list[object] = [truths[clause.id] for clause in self.terms.preconditions]
        if isinstance(not_denied, Undetermined):
            asking = (truths[rule.name] for rule in self.terms.rules if rule.asks)
            open_truths += [not_denied, joined(asking, deciding=True)]
        return self._in_order(open_truths)

    def asked_without(self, truths: Truths, known: Arguments) -> tuple[_Outcome, tuple[str, ...]]:
        """The outcome, if no argument could change it, and the arguments without which a person is asked."""
        certain = [truths[one.rule.name] is True for one in self._rules]
        outcome = self._outcome(_bits(certain), known)
        may_ask = [one.rule.asks and isinstance(truths[one.rule.name], Undetermined) for one in self._rules]
        if outcome.verdict is Verdict.DENY or not any(may_ask):
            return outcome, ()
        fired = [fires or may for fires, may in zip(certain, may_ask, strict=True)]
        asking = [truths[rule.name] for rule in self.terms.rules if rule.asks]
        return self._outcome(_bits(fired), known), self._in_order(asking)

    def _in_order(self, truths: Iterable[object]) -> tuple[str, ...]:
        """The arguments on which open truths depend, in the order of the policy."""
        names = undetermined(*truths).names
        return tuple(name for name in self._names if name in names)


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


def answer_of(decision: Decision) -> dict[str, object]:
    """A decision as plain data, which an exported file gives."""
    return {
        "verdict": decision.verdict.value,
        "violations": [
            {"rule": violation.rule, "message": violation.message, "items": list(violation.items)}
            for violation in decision.violations
        ],
        "reasons": list(decision.reasons),
        "permitted_by": list(decision.permitted_by),
    }
