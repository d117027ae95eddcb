"""The text about single rules: rules read aloud, the facts for conditions, the effect of a new rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from workbench.clean_text import clean, one_line
from workbench.cli.conflict_text import contradiction_lines
from workbench.cli.diff_text import change_lines
from workbench.cli.output import paint
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.rules import RuleAloud, RulePreview, Rules


def aloud_lines(rule_alouds: Iterable[RuleAloud]) -> Iterator[str]:
    """Lines on each rule of the policy as a sentence."""
    rules = tuple(rule_alouds)
    for rule in rules:
        ids = f"  {', '.join(rule.requirements)}" if rule.requirements else ""
        yield f"{paint(rule.name, Tone.TITLE)}{ids}"
        yield f"  {one_line(rule.sentence)}"
    if not rules:
        yield "The policy has no rule."


def fact_lines(rules: Rules) -> Iterator[str]:
    """Lines on the facts that conditions of a rule may use, and the relations on them."""
    for fact in rules.facts().values():
        path = f"any|every {fact.path}" if fact.of else fact.path
        relations = ", ".join(relation.words for relation in fact.relations)
        yield one_line(f"{path}: {fact.type.kind.value}; {relations}")


def built_lines(rule_preview: RulePreview) -> Iterator[str]:
    """Lines on a rule that is built: the rule aloud, its text, its clauses, and the decisions it changes."""
    yield one_line(rule_preview.sentence)
    yield ""
    yield from map(clean, rule_preview.rule.split("\n"))
    yield from (f"clause  {one_line(clause)}" for clause in rule_preview.clauses)
    yield from contradiction_lines(rule_preview.contradictions)
    yield ""
    yield from change_lines(rule_preview.change)
