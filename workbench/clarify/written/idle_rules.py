"""Rules that never hold, and rules without which every call is decided the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from workbench.clarify.written.asked import (
    MEANT,
    NEVER_HOLDS,
    WITHOUT_EFFECT,
    Asked,
    Effect,
    identity,
    listed,
)
from workbench.clarify.written.attacked import attacked_by
from workbench.clarify.written.book import Book, SaidRule
from workbench.engines.smt.preview import deciding_beside, satisfiable_beside
from workbench.language.trees import canonical
from workbench.model import Doubt
from workbench.policy.terms import And, Term
from workbench.question_wording import question_about

DROP = "drop"


type _Idle = tuple[str, str, tuple[str, ...]]
"""A rule that decides nothing: its name, the kind of the question, and the rules that decide its calls."""


def idle_rules(book: Book) -> Iterator[Asked]:
    """Yield a question for each rule that decides nothing."""
    rules = {rule.name: rule for rule in book.rules}
    for name, kind, others in _kept(book):
        quotes = [f"“{one.quote or book.sentence(one.tree)}”" for one in map(rules.__getitem__, others)]
        covered = listed(dict.fromkeys(quotes)) if quotes else ""
        yield _asked(book, rules[name], NEVER_HOLDS if kind == NEVER_HOLDS else WITHOUT_EFFECT, covered)


def _kept(book: Book) -> Sequence[_Idle]:
    """The rules that decide nothing, which are searched once for a policy."""
    stored = None if book.kept is None else book.kept.get()
    if stored is not None:
        return [(name, kind, tuple(others)) for name, kind, others in json.loads(stored)]
    search = _Search(book)
    found = list(search.found())
    if book.kept is not None and search.decided:
        book.kept.put(json.dumps(found))
    return found


class _Search:
    """The search for rules that decide nothing; ``decided`` is false if the solver did not know of one."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self.decided = True

    def found(self) -> Iterator[_Idle]:
        book = self._book
        for rule in book.rules:
            if rule.name in book.alone or self._stops_a_call(rule):
                continue
            if self._known(book.holds(rule.rule.body)) is False:
                yield rule.name, NEVER_HOLDS, ()
                continue
            others = [
                one
                for one in book.rules
                if one.name != rule.name
                and set(one.classes) & set(rule.classes)
                and (one.form == rule.form or (one.form == "forbid" and rule.form == "ask"))
            ]
            if not others:
                continue
            if self._known(satisfiable_beside(book.terms, rule.rule.body, _bodies(others))) is False:
                yield rule.name, WITHOUT_EFFECT, self._covering(rule, others)

    def _stops_a_call(self, rule: SaidRule) -> bool:
        """Whether a call is known which this prohibition alone stops: then it decides something."""
        return any(
            one.stopped is not None and one.trials.stops_alone(rule.rule, one.stopped)
            for one in (attacked_by(self._book, rule) if rule.form != "permit" else ())
        )

    def _known(self, holds: bool | None) -> bool | None:
        self.decided = self.decided and holds is not None
        return holds

    def _covering(self, rule: SaidRule, others: list[SaidRule]) -> tuple[str, ...]:
        """The rules that decide every call of a rule; where that is not known, all that hold on one."""
        book = self._book
        places = deciding_beside(book.terms, rule.rule.body, _bodies(others))
        if places is not None:
            return tuple(others[place].name for place in places)
        self.decided = False
        return tuple(one.name for one in others if book.holds(And((rule.rule.body, one.rule.body))))


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
