"""Actions for which the request names a condition, although no rule ever allows them.

"Forwarding is forbidden unless the user has confirmed it. Everything else is forbidden." forbids forwarding
without a confirmation, but never permits forwarding with one.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.clarify.situation import Situation
from workbench.engines.smt.preview import PreviewUndecided, witness
from workbench.model import Doubt, Kind, Question, Span
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    Not,
    Parameter,
    PolicyTerms,
    ResultTerm,
    Rule,
    Term,
    Variable,
)
from workbench.question_wording import question_about

LATE = True
MOST_VALUES = 60


def find(situation: Situation) -> Iterator[Question]:
    """Yield one question for each member of an enum that a rule restricts and no rule allows."""
    terms = situation.terms
    if terms is None:
        return
    by_id = {requirement.id: requirement for requirement in situation.draft.requirements}
    for argument in terms.arguments:
        if argument.type.kind is not Kind.ENUM:
            continue
        for value in argument.type.values[:MOST_VALUES]:
            rule = _restricted_in_vain(terms, argument, value)
            rule_requirements = (
                [by_id[id_] for id_ in rule.requirements if id_ in by_id] if rule is not None else []
            )
            if rule is not None and rule_requirements:
                yield _question(
                    argument.name, value, rule, rule_requirements[0].quote, rule_requirements[0].span
                )


def _restricted_in_vain(terms: PolicyTerms, argument: Parameter, value: str) -> Rule | None:
    """A rule that denies ``value`` on some inputs only, although no input with it is ever allowed."""
    chosen: Term = Compare(Comparison.EQ, Variable(argument.name, argument.type), Constant(value))
    try:
        if witness(terms, And((chosen, ResultTerm()))) is not None:
            return None
        for rule in terms.rules:
            fires, spares = And((chosen, rule.body)), And((chosen, Not(rule.body)))
            if rule.forbids and witness(terms, fires) and witness(terms, spares):
                return rule
    except PreviewUndecided:
        return None
    return None


def _question(argument: str, member: str, rule: Rule, quote: str, span: Span) -> Question:
    doubt = Doubt(
        id=f"never-allowed:{member}",
        kind="never-allowed",
        quote=quote,
        span=span,
        values=("meant",),
        default="meant",
        requirements=rule.requirements,
    )
    return question_about(doubt, argument=argument, member=member)
