"""Decisions in words: which rules fired, and on which values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.engines.compiled.compile import DEFAULT_RULE, CompiledPolicy, items
from workbench.model import Decision, PathRule, Verdict, Violation
from workbench.policy.terms import Not

MOST_ITEMS = 5


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
