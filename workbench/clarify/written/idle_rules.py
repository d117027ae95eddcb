"""Rules that never hold, and rules without which every call is decided the same."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.clarify.written.asked import (
    MEANT,
    NEVER_HOLDS,
    WITHOUT_EFFECT,
    Asked,
    Effect,
    identity,
    listed,
)
from workbench.clarify.written.book import Book, SaidRule
from workbench.engines.smt.preview import deciding_beside, satisfiable_beside
from workbench.language.trees import canonical
from workbench.model import Doubt
from workbench.policy.terms import And, Term
from workbench.question_wording import question_about

DROP = "drop"


def idle_rules(book: Book) -> Iterator[Asked]:
    """Yield a question for each rule that decides nothing."""
    for rule in book.rules:
        if rule.name in book.alone:
            continue
        if book.holds(rule.rule.body) is False:
            yield _asked(book, rule, NEVER_HOLDS, "")
            continue
        others = [
            one
            for one in book.rules
            if one.name != rule.name
            and set(one.classes) & set(rule.classes)
            and (one.form == rule.form or (one.form == "forbid" and rule.form == "ask"))
        ]
        if others and satisfiable_beside(book.terms, rule.rule.body, _bodies(others)) is False:
            yield _asked(book, rule, WITHOUT_EFFECT, _covered(book, rule, others))


def _covered(book: Book, rule: SaidRule, others: list[SaidRule]) -> str:
    """The sentences that together decide every call of a rule; where that is not known, all that meet it."""
    places = deciding_beside(book.terms, rule.rule.body, _bodies(others))
    if places is None:
        covering = [one for one in others if book.holds(And((rule.rule.body, one.rule.body)))]
    else:
        covering = [others[place] for place in places]
    return listed(dict.fromkeys(f"“{one.quote or book.sentence(one.tree)}”" for one in covering))


def _bodies(rules: list[SaidRule]) -> list[Term]:
    return [one.rule.body for one in rules]


def _asked(book: Book, rule: SaidRule, kind: str, covered: str) -> Asked:
    doubt = Doubt(
        id=identity(kind, rule.name, canonical(rule.tree), covered),
        kind=kind,
        quote=rule.quote,
        span=rule.span,
        values=(MEANT, DROP),
        default=MEANT,
        requirements=rule.requirements,
        facts={"rule": rule.name, "says": book.sentence(rule.tree), "covered": covered},
    )
    return Asked(question_about(doubt), {DROP: Effect(dropped=(rule.name,))}, (rule.name,))
