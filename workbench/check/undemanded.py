"""What no clause of a contract demands: requirements without a clause, and tools that may always be denied.

A tool is undemanded if no clause demands that any of its calls is allowed, as far as the solver can tell. A
policy that denies every call of such a tool satisfies the contract, so a proof does not show that it may do
anything. A tool of which the contract demands that every call is denied is decided, and is none of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.clean_text import one_line
from workbench.engines.smt.preview import left_side, satisfiable, some_input
from workbench.engines.smt.rule_by_rule import with_result
from workbench.model import TOOL_ARGUMENT, Doubt, Requirement
from workbench.policy.connectives import FALSE, TRUE, conjunction, is_false
from workbench.policy.evaluate import evaluate
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    ImpliesTerm,
    Member,
    Not,
    Parameter,
    PolicyTerms,
    ResultTerm,
    Term,
    Variable,
)


@dataclass(frozen=True, slots=True)
class Undemanded:
    """A tool of which no clause demands that a call is allowed; without a name, the decision as a whole.

    ``material`` identifies the clauses and rules that speak of the tool: it is another one as soon as one of
    them differs.
    """

    tool: str
    material: str

    @property
    def doubt(self) -> Doubt:
        """The question whether that is meant, about these clauses and rules."""
        id_ = f"undemanded:{self.tool}:{self.material}"
        if not self.tool:
            return Doubt(id=id_, kind="undemanded-decision", values=("meant",))
        return Doubt(
            id=id_,
            kind="undemanded",
            values=("meant",),
            facts={"tool": one_line(self.tool)},
        )


def without_clause(requirement: Requirement, terms: PolicyTerms) -> Doubt:
    """The question whether a requirement is meant to have no clause, with its present rules."""
    rules = _rules_of(requirement, terms)
    return Doubt(
        id=clause_question(requirement, rules),
        kind="no-clause" if rules else "open-sentence",
        quote=requirement.quote,
        span=requirement.span,
        values=("meant",),
        requirements=(requirement.id,),
    )


def rule_without_clause(requirement: Requirement, terms: PolicyTerms, rule: str) -> Doubt:
    """The question whether a rule is meant to have no clause, where other rules of its sentence have."""
    return Doubt(
        id=clause_question(requirement, _rules_of(requirement, terms)),
        kind="no-clause-of-rule",
        quote=requirement.quote,
        span=requirement.span,
        values=("meant",),
        requirements=(requirement.id,),
        facts={"rule": rule},
    )


def _rules_of(requirement: Requirement, terms: PolicyTerms) -> list[str]:
    return sorted(rule.name for rule in terms.rules if requirement.id in rule.requirements)


def clause_question(requirement: Requirement, rules: Iterable[str]) -> str:
    """The id of the question why no clause is about a requirement with these rules.

    Of a sentence without a rule the answer says that it states none.
    """
    return f"no-clause:{_hash(' '.join(requirement.quote.split()))}:{_hash(' '.join(rules))}"


def undemanded(terms: PolicyTerms) -> tuple[Undemanded, ...]:
    """The tools of which no clause demands that any call is allowed, in the order of the declared values.

    If the policy has no argument that names the tool, or every call of every tool has to be denied, this is
    about the decision as a whole.
    """
    act = next((argument for argument in terms.arguments if argument.name == TOOL_ARGUMENT), None)
    tools = () if act is None else act.type.values
    demanded = {tool: _is_demanded(terms, act, tool) for tool in tools}
    found = tuple(
        Undemanded(tool, _material(terms, act, tool))
        for tool, is_demanded in demanded.items()
        if not is_demanded and not _is_denied(terms, act, tool)
    )
    if found or True in demanded.values():
        return found
    return () if _is_demanded(terms, None, "") else (Undemanded("", _material(terms, None, "")),)


def _is_demanded(terms: PolicyTerms, act: Parameter | None, tool: str) -> bool:
    """Whether some clause is known to demand that some call of the tool is allowed."""
    demands = (_allowing(clause.term) for clause in terms.clauses)
    return any(
        satisfiable(terms, conjunction((_calls_of(act, tool), demand)))
        for demand in demands
        if not is_false(demand) and _speaks_of(demand, act, tool)
    )


def _is_denied(terms: PolicyTerms, act: Parameter | None, tool: str) -> bool:
    """Whether the contract demands that every call of the tool is denied.

    Most often it does not, as any call shows.
    """
    about = (clause.term for clause in terms.clauses if _speaks_of(left_side(clause.term), act, tool))
    allowing, calls = [with_result(term, TRUE) for term in about], _calls_of(act, tool)
    call = some_input(terms, calls)
    if call is not None and all(evaluate(terms, term, call) is True for term in allowing):
        return False
    return satisfiable(terms, conjunction((calls, *allowing))) is False


def _allowing(term: Term) -> Term:
    """The condition under which a clause demands that a call is allowed."""
    left = left_side(term)
    right = term.consequence if isinstance(term, ImpliesTerm) else term
    if with_result(left, TRUE) is not left:
        return Not(with_result(term, FALSE))
    match right:
        case ResultTerm():
            return left
        case Not(ResultTerm()):
            return FALSE
        case Compare(Comparison.EQ, ResultTerm(), allowed) if with_result(allowed, TRUE) is allowed:
            return conjunction((left, allowed))
        case _:
            return Not(with_result(term, FALSE))


def _calls_of(act: Parameter | None, tool: str) -> Term:
    if act is None:
        return TRUE
    return Compare(Comparison.EQ, Variable(act.name, act.type), Constant(tool))


def _speaks_of(condition: Term, act: Parameter | None, tool: str) -> bool:
    """Whether a condition can hold on a call of the tool, as far as its own tests of the tool say."""
    return act is None or all(_may_be(part, act.name, tool) for part in _parts(condition))


def _may_be(part: Term, act: str, tool: str) -> bool:
    match part:
        case Compare(Comparison.EQ, Variable(name), Constant(value)) if name == act:
            return value == tool
        case Compare(Comparison.NE, Variable(name), Constant(value)) if name == act:
            return value != tool
        case Member(Variable(name), ConstantSet(values)) if name == act:
            return tool in values
        case Not(Member(Variable(name), ConstantSet(values))) if name == act:
            return tool not in values
        case _:
            return True


def _parts(term: Term) -> tuple[Term, ...]:
    return term.operands if isinstance(term, And) else (term,)


def _material(terms: PolicyTerms, act: Parameter | None, tool: str) -> str:
    """A hash of the clauses and rules that speak of the tool."""
    texts = sorted(render_term(term, terms.tables) for term in _about(terms, act, tool))
    text = "\n".join([tool, str(terms.default_allow), *texts])
    return _hash(text)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _about(terms: PolicyTerms, act: Parameter | None, tool: str) -> Iterator[Term]:
    clauses: Iterable[Term] = (clause.term for clause in terms.clauses)
    yield from (term for term in clauses if _speaks_of(left_side(term), act, tool))
    yield from (rule.body for rule in terms.rules if _speaks_of(rule.body, act, tool))
