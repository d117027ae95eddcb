"""Norms that conflict: a permission within a prohibition, and rules that leave nothing allowed."""

from __future__ import annotations

from dataclasses import replace

from workbench.author.argument_terms import all_of, any_of, opposite
from workbench.author.rules import author_doubts
from workbench.author.rules.agreement import satisfiable
from workbench.author.rules.norms import Effect, Norm, disjoint, is_row
from workbench.author.rules.request_reading import RequestReading
from workbench.model import Span
from workbench.policy.connectives import FALSE, is_false, is_true
from workbench.policy.terms import (
    Term,
)


def settle(draft: RequestReading, norms: list[Norm]) -> list[Norm]:
    """The norms with every conflict asked about and decided.

    While a conflict is undecided, a prohibition takes precedence over a permission, and rules that leave
    nothing allowed all hold.
    """
    return _exceptions(draft, _compatible(draft, norms))


def _exceptions(draft: RequestReading, norms: list[Norm]) -> list[Norm]:
    settled = list(norms)
    denied = [norm.denies for norm in norms]
    for permit in norms:
        if permit.effect is not Effect.PERMIT and not is_row(permit):
            continue
        permitted = permit.permits
        for place, forbid in enumerate(settled):
            if forbid.requirement == permit.requirement:
                continue
            conditions = (permitted, denied[place])
            if is_false(denied[place]) or disjoint(*conditions) or not _meet(draft, *conditions):
                continue
            question = author_doubts.conflict(
                (draft.about(permit.requirement), draft.about(forbid.requirement)),
                permit.requirement,
                forbid.requirement,
                (permit.message, forbid.message),
                _span(draft, permit),
            )
            if draft.doubt_answers.ask(question) == author_doubts.PERMIT:
                settled[place] = _excepting(forbid, permit)
                denied[place] = settled[place].denies
    return settled


def _excepting(forbid: Norm, permit: Norm) -> Norm:
    permitted = permit.condition if permit.scope == forbid.scope else permit.permits
    if forbid.effect is Effect.REQUIRE:
        return replace(forbid, condition=any_of(forbid.condition, permitted))
    return replace(forbid, condition=all_of(forbid.condition, opposite(permitted)))


def _compatible(draft: RequestReading, norms: list[Norm]) -> list[Norm]:
    dropped: set[int] = set()
    for place, first in enumerate(norms):
        for later, second in enumerate(norms[place + 1 :], place + 1):
            if {place, later} & dropped or not _leaves_nothing(draft, first, second):
                continue
            texts = (first.message, second.message)
            ids = (first.requirement, second.requirement)
            about = (draft.about(ids[0]), draft.about(ids[1]))
            answer = draft.doubt_answers.ask(
                author_doubts.incompatible(about, *ids, texts, _span(draft, second))
            )
            if answer in (author_doubts.FIRST, author_doubts.SECOND):
                dropped.add(later if answer == author_doubts.FIRST else place)
    return [norm for place, norm in enumerate(norms) if place not in dropped]


def _leaves_nothing(draft: RequestReading, first: Norm, second: Norm) -> bool:
    """Whether two rules of one scope can each be satisfied there, but certainly never together."""
    denying = (Effect.FORBID, Effect.REQUIRE)
    if first.effect not in denying or second.effect not in denying or first.scope != second.scope:
        return False
    if is_true(first.scope) or FALSE in (first.satisfied, second.satisfied):
        return False
    sides = (all_of(first.scope, first.satisfied), all_of(second.scope, second.satisfied))
    alone = all(_meet(draft, side, side) is not False for side in sides)
    return alone and _meet(draft, *sides) is False


def _meet(draft: RequestReading, first: Term, second: Term) -> bool | None:
    """Whether some input satisfies both conditions; None if that is not known."""
    arguments = (*draft.lexicon.arguments, *draft.lexicon.records_and_lists)
    key = (tuple(argument.name for argument in arguments), first, second)
    if key not in draft.kept_readings.meets:
        draft.kept_readings.meets[key] = satisfiable(all_of(first, second), arguments)
    return draft.kept_readings.meets[key]


def _span(draft: RequestReading, norm: Norm) -> Span:
    requirement = next(
        requirement for requirement in draft.requirements if requirement.id == norm.requirement.split(", ")[0]
    )
    return requirement.span
