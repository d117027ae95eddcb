"""The proof of theorems as clauses: what holds before an allowed call holds after it.

A theorem over the whole run is one over the earlier calls and the decided one. So each call of a run is one
step of an induction: where the theorem holds of the earlier calls and the call is allowed, it holds of all of
them. A step is a clause of a policy of calls, and everything that decides clauses decides it.

A call about which a rule asks is let through as well, if a person approves it. Where a theorem speaks of
approvals, that is an argument: ``approved``, which each rule that asks wants. Otherwise it is taken that a
person approves everything.

The outcome of the decided call is an argument of any value: it is the one that the call will have. Every
earlier call has ended, with the outcome that it will have. The decision is the same with these outcomes: a
call is allowed only if no value of what is not determined yet would change that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from workbench.dialect.call_types import AgentTypes
from workbench.dialect.checked import (
    CallClause,
    CallPolicy,
    CallRule,
    CallsOfTool,
    CallTheorem,
    OverCalls,
    TermOfTool,
)
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_calls
from workbench.dialect.run_values import CALL, EarlierCalls, all_parts
from workbench.dialect.theorems import zero_of
from workbench.model import ArgumentType, Kind
from workbench.policy.rule_names import ASK, FORBID
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Clause,
    Compare,
    Comparison,
    Constant,
    ImpliesTerm,
    Not,
    Or,
    PolicyTerms,
    ResultTerm,
    Term,
    Variable,
)
from workbench.policy.types import BOOL
from workbench.policy.walk import with_parts_changed

type Value = Callable[[OverCalls], Term]

APPROVED = "approved"


@dataclass(frozen=True, slots=True)
class Step:
    """The step of a theorem by a call of one tool, which is a clause of the lowered policy."""

    theorem: str
    tool: str
    clause: str


@dataclass(frozen=True, slots=True)
class OneCall:
    """What a theorem says of one call, over plain arguments, as ``CallsOfTool``."""

    about: Term
    condition: Term
    value: Term | None


@dataclass(frozen=True, slots=True)
class TheoremPolicy:
    """A policy whose clauses are the steps of theorems; a person approves what its rules ask about.

    ``calls`` are the calls that theorems gather something over, by the name of the value and the tool.
    """

    lowered: LoweredPolicy
    terms: PolicyTerms
    steps: tuple[Step, ...]
    calls: Mapping[tuple[str, str], OneCall]

    @property
    def theorems(self) -> Mapping[str, CallTheorem]:
        """The theorems by their names."""
        return {one.name: one for one in self.lowered.calls.theorems}

    def clauses(self, theorem: str) -> Mapping[str, Clause]:
        """The clauses of a theorem by the tool of the step."""
        by_id = {clause.id: clause for clause in self.terms.clauses}
        return {step.tool: by_id[step.clause] for step in self.steps if step.theorem == theorem}


def theorem_policy(
    policy: CallPolicy, lemmas: Sequence[str] = (), *, guards_alone: bool = False
) -> TheoremPolicy:
    """The steps of the theorems of a policy; ``policy`` was read with ``all_have_ended``.

    ``lemmas`` are the theorems that a step may assume of the earlier calls besides its own. A policy that
    ``guards_alone`` is the only one that asks: runs are searched for it, and nothing is proved of it.
    """
    known = [one for one in policy.theorems if one.name in lemmas]
    clauses: list[CallClause] = []
    steps: list[Step] = []
    for theorem in policy.theorems:
        assumed = [theorem, *(one for one in known if one is not theorem)]
        for tool in theorem.tools:
            clauses.append(_clause(theorem, tool, assumed))
            steps.append(Step(theorem.name, tool, f"C{len(clauses)}"))
    said = [one for theorem in policy.theorems for one in _said(theorem)]
    lowered = lowered_calls(
        replace(
            policy,
            rules=_rules(policy, guards_alone=guards_alone),
            clauses=(*clauses, *(one.clause for one in said)),
        )
    )
    terms = replace(lowered.terms, clauses=lowered.terms.clauses[: len(clauses)])
    found = dict(zip(said, lowered.terms.clauses[len(clauses) :], strict=True))
    return TheoremPolicy(lowered, terms, tuple(steps), _calls(policy.theorems, found))


def _rules(policy: CallPolicy, *, guards_alone: bool) -> tuple[CallRule, ...]:
    """The rules by which a call is let through if a person approves it where one is asked.

    Where a theorem speaks of approvals, a rule that asks forbids what no person approved. If the policy
    guards alone, a call that no rule asks about was approved by nobody; a policy beside it may ask about it.
    """
    asking = [rule for rule in policy.rules if rule.name.startswith(ASK)]
    others = tuple(rule for rule in policy.rules if not rule.name.startswith(ASK))
    if not speaks_of_approvals(policy):
        return others
    earlier = (value.tools for value in policy.values.values() if isinstance(value, EarlierCalls))
    spoken_of = chain(*(theorem.tools for theorem in policy.theorems), *earlier)
    terms: list[TermOfTool] = []
    for tool in dict.fromkeys(spoken_of):
        asked = Or(tuple(one.term for rule in asking for one in rule.terms if one.tool in ("", tool)))
        approved = _approved(policy.types, tool)
        unapproved = And((asked, Not(approved)))
        unasked = And((approved, Not(asked)))
        if guards_alone:
            terms.append(TermOfTool(tool, Or((unapproved, unasked)) if asked.operands else approved))
        elif asked.operands:
            terms.append(TermOfTool(tool, unapproved))
    if not terms:
        return others
    name, taken = f"{FORBID}unapproved", {rule.name for rule in others}
    while name in taken:
        name += "_"
    return (*others, CallRule(name, tuple(terms), "It is asked about and not approved.", (), 0, 0))


def _approved(types: AgentTypes, tool: str) -> Attribute:
    call = Variable(CALL, ArgumentType(Kind.RECORD, record=types.of_tool(tool).earlier))
    return Attribute(call, APPROVED, BOOL)


def speaks_of_approvals(policy: CallPolicy) -> bool:
    """Whether a theorem of the policy reads what a person approved."""
    terms = (term for theorem in policy.theorems for term in theorem.of_calls)
    return any(
        isinstance(part, Attribute) and part.name == APPROVED
        for term in terms
        for part in all_parts(term, policy.values)
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """A term about one call as a clause, so that it is lowered as everything is."""

    part: str
    tool: str
    what: str
    clause: CallClause = field(compare=False)


def _said(theorem: CallTheorem) -> Iterator[_Said]:
    for part in theorem.parts:
        for one in part.tools:
            terms = {"about": one.about, "condition": one.condition}
            if one.value is not None:
                terms["value"] = one.value
            for what, term in terms.items():
                if not isinstance(term, Constant):
                    clause = Compare(Comparison.EQ, term, term) if what == "value" else term
                    yield _Said(part.name, one.tool, what, _as_clause(theorem, one.tool, clause))


def _calls(theorems: Iterable[CallTheorem], found: Mapping[_Said, Clause]) -> dict[tuple[str, str], OneCall]:
    lowered: dict[tuple[str, str, str], Term] = {}
    for said, clause in found.items():
        assert isinstance(clause.term, ImpliesTerm)
        term = clause.term.consequence
        if said.what == "value":
            assert isinstance(term, Compare)
            term = term.left
        lowered[said.part, said.tool, said.what] = term

    def of(part: OverCalls, one: CallsOfTool) -> OneCall:
        def term(what: str, own: Term) -> Term:
            return lowered.get((part.name, one.tool, what), own)

        value = None if one.value is None else term("value", one.value)
        return OneCall(term("about", one.about), term("condition", one.condition), value)

    parts = [part for theorem in theorems for part in theorem.parts]
    return {(part.name, one.tool): of(part, one) for part in parts for one in part.tools}


def _clause(theorem: CallTheorem, tool: str, assumed: Iterable[CallTheorem]) -> CallClause:
    before = tuple(of_parts(one, before_call) for one in assumed)
    after = of_parts(theorem, lambda part: after_call(part, tool))
    return _as_clause(theorem, tool, ImpliesTerm(And((ResultTerm(), *before)), after))


def _as_clause(theorem: CallTheorem, tool: str, term: Term) -> CallClause:
    return CallClause(
        theorem.name,
        (TermOfTool(tool, term),),
        theorem.requirements,
        theorem.sentence,
        theorem.name,
        theorem.line,
        theorem.end_line,
        precondition=False,
    )


def of_parts(theorem: CallTheorem, value: Value) -> Term:
    """The theorem, with these values of what it gathers."""
    return with_values(theorem.term, {one.name: value(one) for one in theorem.parts})


def with_values(term: Term, values: Mapping[str, Term]) -> Term:
    """A term with other terms in the place of variables."""
    return with_parts_changed(
        term, lambda part: values.get(part.name) if isinstance(part, Variable) else None
    )


def before_call(part: OverCalls) -> Term:
    """What is gathered over the earlier calls; an argument of any value where no rule can say it."""
    return part.before if part.before is not None else Variable(f"{part.name}_before", part.type)


def after_call(part: OverCalls, tool: str) -> Term:
    """What is gathered over the earlier calls and the decided one, of this tool."""
    before, own = before_call(part), part.of_tool(tool)
    if own is None:
        return before
    match part.operation:
        case "any":
            return Or((before, own.condition))
        case "count":
            return Arithmetic("+", before, Choice(own.condition, Constant(1), Constant(0)))
        case "sum":
            assert own.value is not None
            return Arithmetic("+", before, Choice(own.condition, own.value, zero_of(part.type)))
        case _:
            assert own.value is not None
            beyond = Comparison.GT if part.operation == "max" else Comparison.LT
            some = part.some if part.some is not None else Variable(f"{part.name}_some_before", BOOL)
            most = Choice(Compare(beyond, own.value, before), own.value, before)
            return Choice(own.condition, Choice(some, most, own.value), before)
