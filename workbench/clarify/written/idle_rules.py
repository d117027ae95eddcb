"""Rules that never hold, and rules without which every call is decided the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.clarify.written.asked import MEANT, NEVER_HOLDS, WITHOUT_EFFECT, Asked, Effect, identity
from workbench.clarify.written.attacked import attacked_by
from workbench.clarify.written.book import Book, SaidRule, doubt_about
from workbench.engines.smt.preview import deciding_beside, satisfiable_beside
from workbench.language.trees import canonical
from workbench.language.words import listed
from workbench.policy.terms import And, Term
from workbench.question_wording import question_about

DROP = "drop"


type _Idle = tuple[str, str, tuple[str, ...]]
"""A rule that decides nothing: its name, the kind of the question, and the rules that decide its calls."""


def idle_rules(book: Book) -> Iterator[Asked]:
    """Yield a question for each rule that decides nothing."""
    rules = {rule.name: rule for rule in book.rules}
    for name, kind, others in _Search(book).found():
        quotes = [f"“{one.quote or book.sentence(one.tree)}”" for one in map(rules.__getitem__, others)]
        covered = listed([*dict.fromkeys(quotes)], "and") if quotes else ""
        yield _asked(book, rules[name], NEVER_HOLDS if kind == NEVER_HOLDS else WITHOUT_EFFECT, covered)


class _Search:
    """The search for rules that decide nothing."""

    def __init__(self, book: Book) -> None:
        self._book = book
        assumed = [clause.term for clause in book.terms.assumed]
        self._depends_on = f"{book.facts_and_agent}\n{assumed}"
        self._said = {rule.name: repr((rule.name, rule.tree)) for rule in book.rules}

    def found(self) -> Iterator[_Idle]:
        rules = self._book.rules
        classes = {rule.name: frozenset(rule.classes) for rule in rules}
        for rule in rules:
            if self._stops_a_call(rule):
                continue
            others = [
                one
                for one in rules
                if one.name != rule.name
                and not classes[one.name].isdisjoint(classes[rule.name])
                and (one.form == rule.form or (one.form == "forbid" and rule.form == "ask"))
            ]
            kind, covering = self._kept(rule, others)
            if kind:
                yield rule.name, kind, tuple(covering)

    def _kept(self, rule: SaidRule, others: Sequence[SaidRule]) -> tuple[str, Sequence[str]]:
        """Why a rule decides nothing, which is searched once for what it and the others say."""
        kept = self._book.kept
        if kept is not None:
            said = (self._said[one.name] for one in (rule, *others))
            kept = replace(kept, key="\n".join(("idle", self._depends_on, *said)))
            if (stored := kept.get()) is not None:
                kind, covering = json.loads(stored)
                return kind, covering
        self._decided = True
        found = self._searched(rule, others)
        if kept is not None and self._decided:
            kept.put(json.dumps(found))
        return found

    def _searched(self, rule: SaidRule, others: Sequence[SaidRule]) -> tuple[str, Sequence[str]]:
        """Why a rule decides nothing, and the rules that decide its calls; nothing if it does decide."""
        book = self._book
        if book.decides_alone(rule.rule):
            return "", ()
        if self._known(book.holds(rule.rule.body)) is False:
            return NEVER_HOLDS, ()
        if not others:
            return "", ()
        if self._known(satisfiable_beside(book.terms, rule.rule.body, _bodies(others))) is False:
            return WITHOUT_EFFECT, self._covering(rule, others)
        return "", ()

    def _stops_a_call(self, rule: SaidRule) -> bool:
        """Whether a call is known which this prohibition alone stops: then it decides something."""
        return any(
            one.stopped is not None and one.trials.stops_alone(rule.rule, one.stopped)
            for one in (attacked_by(self._book, rule) if rule.form != "permit" else ())
        )

    def _known(self, holds: bool | None) -> bool | None:
        self._decided = self._decided and holds is not None
        return holds

    def _covering(self, rule: SaidRule, others: Sequence[SaidRule]) -> tuple[str, ...]:
        """The rules that decide every call of a rule; where that is not known, all that hold on one."""
        book = self._book
        places = deciding_beside(book.terms, rule.rule.body, _bodies(others))
        if places is not None:
            return tuple(others[place].name for place in places)
        self._decided = False
        return tuple(one.name for one in others if book.holds(And((rule.rule.body, one.rule.body))))


def _bodies(rules: Sequence[SaidRule]) -> list[Term]:
    return [one.rule.body for one in rules]


def _asked(book: Book, rule: SaidRule, kind: str, covered: str) -> Asked:
    doubt = doubt_about(
        [rule],
        kind,
        identity(kind, rule.name, canonical(rule.tree), covered),
        (MEANT, DROP),
        default=MEANT,
        facts={"rule": rule.name, "says": book.says(rule), "covered": covered},
    )
    return Asked(question_about(doubt), {DROP: Effect(dropped=(rule.name,))}, (rule.name,))
