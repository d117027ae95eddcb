"""Rules that change no decision: they can never fire, or other rules deny in the same cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.author.doubts import without_effect
from workbench.clarify.situation import Situation
from workbench.engines.smt.preview import satisfiable, satisfiable_beside
from workbench.model import Doubt, Question
from workbench.policy.terms import PolicyTerms, Rule
from workbench.question_wording import phrase, question_about

LATE = True


def find(situation: Situation) -> Iterator[Question]:
    """Yield one question for each rule of the draft that has no effect, or was reworded for that reason."""
    for doubt in situation.doubts("without-effect"):
        yield _worded(doubt, "reworded")
    terms = situation.terms
    if terms is None:
        return
    by_id = {requirement.id: requirement for requirement in situation.draft.requirements}
    effective = [rule for rule in terms.rules if rule.forbids]
    # Of two rules that deny the same inputs, the later rule is reported as without effect.
    for rule in reversed(effective.copy()):
        rule_requirements = [by_id[id_] for id_ in rule.requirements if id_ in by_id and by_id[id_].quote]
        why = _why(terms, rule, effective) if rule_requirements else ""
        if why:
            effective.remove(rule)
            doubt = without_effect(rule_requirements[0].quote, rule_requirements[0].span)
            yield _worded(replace(doubt, requirements=rule.requirements), why)


def _worded(doubt: Doubt, why: str) -> Question:
    return question_about(doubt, why=phrase("without-effect", why))


def _why(terms: PolicyTerms, rule: Rule, effective: list[Rule]) -> str:
    """The phrase for the reason why a rule has no effect; empty if it has one, or if that is unknown."""
    # What a person may approve is not denied: a rule that forbids has an effect beside one that asks.
    other_bodies = tuple(
        other_rule.body
        for other_rule in effective
        if other_rule is not rule and (rule.asks or not other_rule.asks)
    )
    # The query asks only whether there is an input: most rules have an effect, and are queried once.
    alone = satisfiable_beside(terms, rule.body, other_bodies)
    if alone:
        return ""
    fires = satisfiable(terms, rule.body)
    if fires is False:
        return "cannot_fire"
    return "denied_anyway" if other_bodies and fires and alone is False else ""
