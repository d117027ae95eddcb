"""Tools of which no clause of a contract demands that any call is allowed.

A policy that denies every call of such a tool satisfies the contract, so a proof says nothing about what the
tool may do. A tool of which the contract demands that every call is denied is decided, and is none of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.engines.smt.preview import left_side, satisfiable
from workbench.engines.smt.rule_by_rule import with_result
from workbench.policy.connectives import FALSE, TRUE, conjunction, is_false
from workbench.policy.read_aloud import says_act
from workbench.policy.render import render_term
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
    them differs. ``known`` is False where the solver could not tell.
    """

    tool: str
    material: str
    known: bool = True


def undemanded(terms: PolicyTerms) -> tuple[Undemanded, ...]:
    """The tools of which no clause demands that any call is allowed, in the order of the declared values.

    If the policy has no argument that names the tool, or every call of every tool has to be denied, this is
    about the decision as a whole.
    """
    act = next((argument for argument in terms.arguments if says_act(argument.name, argument.type)), None)
    tools = () if act is None else act.type.values
    demanded = {tool: _is_demanded(terms, act, tool) for tool in tools}
    found = tuple(
        Undemanded(tool, _material(terms, act, tool), known=answer is not None)
        for tool, answer in demanded.items()
        if answer is not True and not _is_denied(terms, act, tool)
    )
    if found or True in demanded.values():
        return found
    answer = _is_demanded(terms, None, "")
    return () if answer else (Undemanded("", _material(terms, None, ""), known=answer is not None),)


def _is_demanded(terms: PolicyTerms, act: Parameter | None, tool: str) -> bool | None:
    """Whether some clause demands that some call of the tool is allowed; None if that is not known."""
    is_sure = True
    for clause in terms.clauses:
        demand = _allowing(clause.term)
        if is_false(demand) or not _speaks_of(demand, act, tool):
            continue
        answer = satisfiable(terms, conjunction((_calls_of(act, tool), demand)))
        if answer:
            return True
        is_sure = is_sure and answer is not None
    return False if is_sure else None


def _is_denied(terms: PolicyTerms, act: Parameter | None, tool: str) -> bool:
    """Whether the contract demands that every call of the tool is denied."""
    allowing = (with_result(clause.term, TRUE) for clause in terms.clauses)
    return satisfiable(terms, conjunction((_calls_of(act, tool), *allowing))) is False


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
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _about(terms: PolicyTerms, act: Parameter | None, tool: str) -> Iterator[Term]:
    clauses: Iterable[Term] = (clause.term for clause in terms.clauses)
    yield from (term for term in clauses if _speaks_of(left_side(term), act, tool))
    yield from (rule.body for rule in terms.rules if _speaks_of(rule.body, act, tool))
