"""The contract of a draft, which states each requirement about the decision in literal values.

No clause names a constant or a rule of the policy. So a change of one table entry, threshold or comparison in
the policy is refuted by the clause of its own requirement.

A requirement whose scope no other rule overlaps gets one clause with *exactly if*. If rules overlap, the
requirement gets two clauses: what it denies is denied, and what it does not deny is allowed unless one of the
others denies it. One last clause is about everything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.author.argument_terms import (
    all_of,
    any_of,
    conjuncts,
    element_listing,
    is_truth,
    opposite,
    rendered,
    simplify,
)
from workbench.author.rules.file_text import comment_text
from workbench.author.rules.norms import Effect, Norm, disjoint
from workbench.model import Argument
from workbench.policy.connectives import FALSE, is_false, is_true
from workbench.policy.terms import (
    Not,
    Term,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The norms of a draft, and the decision if none of them applies.

    ``closed`` means that calls outside of all norms are denied. It is False also if the norms leave nothing
    to a default. ``default_id`` is the requirement of the default.
    """

    norms: tuple[Norm, ...]
    arguments: tuple[Argument, ...]
    closed: bool
    default_id: str
    default_text: str


def contract_lines(plan: Plan) -> list[str]:
    """The ``Ensures`` lines with a comment before each."""
    lines: list[str] = []
    sides = [_Sides(norm, norm.denies, norm.permits) for norm in plan.norms]
    for norm in plan.norms:
        for place, clause in enumerate(_clauses(plan, norm, sides)):
            prefix = "Allowed otherwise: " if place else ""
            lines.append(f"    # {norm.requirement}: {prefix}{comment_text(norm.message, 76)}")
            lines.append(f"    Ensures({clause})")
    if text := default_clause(plan):
        lines.append(f"    # {plan.default_id}: {comment_text(plan.default_text, 96)}")
        lines.append(f"    Ensures({text})")
    return lines


@dataclass(frozen=True, slots=True)
class _Sides:
    """A norm with the inputs that it denies and permits."""

    norm: Norm
    denies: Term
    permits: Term


def _clauses(plan: Plan, norm: Norm, sides: list[_Sides]) -> Iterator[str]:
    other_sides = [side for side in sides if side.norm is not norm]
    satisfied = all_of(norm.scope, norm.satisfied)
    meeting = [
        side.norm
        for side in other_sides
        if not is_false(side.denies) and not disjoint(satisfied, side.denies)
    ]
    permitting = [
        side for side in other_sides if not is_false(side.permits) and not disjoint(norm.scope, side.permits)
    ]
    if norm.effect is Effect.FORBID and plan.closed:
        yield _implies(norm.denies, denied=True)
    elif norm.effect is Effect.PERMIT:
        if plan.closed and not meeting and not permitting:
            yield _exactly(norm.scope, norm.condition)
        else:
            yield _implies(_where(norm, meeting))
    elif not meeting:
        yield _exactly(norm.scope, norm.satisfied)
    else:
        yield _implies(norm.denies, denied=True)
        if not is_false(norm.satisfied):
            yield _implies(_where(norm, meeting))


def _where(norm: Norm, meeting: list[Norm]) -> Term:
    """The norm's scope without the inputs that the norm or an overlapping norm denies."""
    return all_of(
        norm.scope, norm.satisfied, *(opposite(_remaining(other_norm, norm)) for other_norm in meeting)
    )


def _remaining(other_norm: Norm, norm: Norm) -> Term:
    """The inputs that the other norm denies, without repeating the scope that both share."""
    parts, shared = conjuncts(other_norm.denies), conjuncts(norm.scope)
    return all_of(*(part for part in parts if part not in shared)) if parts != shared else other_norm.denies


def _exactly(scope: Term, allowed: Term) -> str:
    allowed, scope = simplify(allowed), simplify(scope)
    if is_true(allowed):
        decided = "Result()"
    elif is_false(allowed):
        decided = "not Result()"
    else:
        text = rendered(allowed)
        is_bare = (is_truth(allowed) and not isinstance(allowed, Not)) or element_listing(allowed) is not None
        decided = f"Result() == {text}" if is_bare else f"Result() == ({text})"
    return decided if is_true(scope) else f"Implies({rendered(scope)}, {decided})"


def _implies(condition: Term, *, denied: bool = False) -> str:
    result = "not Result()" if denied else "Result()"
    condition = simplify(condition)
    return result if is_true(condition) else f"Implies({rendered(condition)}, {result})"


def default_clause(plan: Plan) -> str:
    """The clause about the calls that no norm speaks of; empty if the norms leave none."""
    if not plan.norms:
        return "not Result()" if plan.closed else "Result()"
    if plan.closed:
        spoken = any_of(*(_permitted(norm) for norm in plan.norms))
    else:
        spoken = any_of(*(norm.scope for norm in plan.norms if norm.effect is not Effect.PERMIT))
    unspoken = simplify(opposite(spoken))
    if is_false(unspoken):
        return ""
    return _implies(unspoken, denied=plan.closed)


def _permitted(norm: Norm) -> Term:
    """The calls that a norm can permit under a closed default; its prohibitions have their own clause."""
    match norm.effect:
        case Effect.REQUIRE:
            return norm.scope
        case Effect.PERMIT:
            return norm.permits
        case Effect.FORBID:
            return FALSE
