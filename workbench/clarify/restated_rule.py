"""A rule that a sentence may state, which the request language reads from other words."""

from __future__ import annotations

from collections.abc import Callable

from workbench.author.rules.norms import Effect
from workbench.clarify.person_rule import PersonRule
from workbench.model import Assumption, Draft, SentenceRole
from workbench.policy.check import check
from workbench.policy.read_aloud import rule_sentence
from workbench.policy.terms import PolicyTerms


def restated_rule(
    sentence: str, draft: Callable[[str], Draft], question: str, action: str, assumed: str = ""
) -> PersonRule | None:
    """The rule that other words state, if every part of it is about a tool; None if they cannot be read.

    ``draft`` drafts a request of one sentence. ``question`` is the question that the new words of a sentence
    answer. ``action`` is the argument with the name of the called tool. ``assumed`` is the assumption that
    the offer names.
    """
    read = draft(f"{sentence[0].upper()}{sentence[1:]}.")
    roles = [read_sentence.role for read_sentence in read.sentences]
    if roles != [SentenceRole.REQUIREMENT] or any(doubt.blocking for doubt in read.doubts):
        return None
    terms: PolicyTerms = check(read.policy)
    ids = set(read.sentences[0].requirements)
    rules = [rule for rule in terms.rules if ids & set(rule.requirements)]
    if not rules or not all(action in {parameter.name for parameter in rule.parameters} for rule in rules):
        return None
    aloud = "; ".join(rule_sentence(rule, terms).rstrip(".") for rule in rules)
    forbids = {rule.forbids for rule in rules}
    effect = Effect.REQUIRE if len(forbids) > 1 else Effect.FORBID if True in forbids else Effect.PERMIT
    statement = assumed or f"It is taken as “{sentence}”."
    answer = Assumption.by_person(question, f"{sentence}.", statement)
    return PersonRule(effect, (), (), aloud=aloud, answers=(answer,))
