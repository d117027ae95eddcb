"""Which sentence wins where a permission and a prohibition meet, and neither is a part of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.clarify.written.asked import CONFLICT, Asked, Effect, identity
from workbench.clarify.written.book import Book, SaidRule, doubt_about, same
from workbench.clean_text import counted, in_a_row
from workbench.engines.smt.preview import is_input, some_input
from workbench.language.trees import TRUE, Tree, canonical, joined, negated
from workbench.language.words import listed
from workbench.model import Arguments
from workbench.policy.terms import And, Not, Or, Term
from workbench.question_wording import question_about

PROHIBITIONS = "prohibitions"
_MOST_SAID = 3
"""The most sentences that a question quotes."""
_MOST_WON = 9
"""The most prohibitions over which an answer lets a permission win, one each; then it is asked of others."""


def conflicts(book: Book) -> Iterator[Asked]:
    """Yield a question for each permission that meets prohibitions of other sentences.

    Permissions that say the same are one question, whose answer holds for each of them.
    A prohibition of a part of what a permission permits is an exception to it, and is not asked about. The
    answer that the prohibitions win holds for later ones too.
    """
    found: dict[Tree, tuple[list[SaidRule], dict[str, SaidRule]]] = {}
    rules = _Meeting(book)
    for permit in (rule for rule in book.rules if rule.form == "permit"):
        permits, meeting = found.setdefault(canonical(permit.tree), ([], {}))
        forbids = [
            rule
            for rule in book.rules
            if rule.form != "permit" and not _is_plain(permit, rule) and not book.is_pinned(rule)
        ]
        for forbid in rules.overlapping(permit, forbids):
            if not rules.is_part(permit, forbid):
                permits += [] if permit in permits else [permit]
                meeting[forbid.name] = forbid
    for permits, meeting in found.values():
        if meeting:
            yield _asked(book, permits, list(meeting.values()))


def _is_plain(permit: SaidRule, forbid: SaidRule) -> bool:
    """Whether two rules do not meet, or one asks about or forbids a part of what the other always permits.

    What a person is asked about has to be permitted besides, so that asking about all of it is no conflict.
    """
    if not set(permit.classes) & set(forbid.classes) or permit.quote == forbid.quote:
        return True
    if forbid.form == "ask":
        return permit.condition == TRUE or same(permit.condition, forbid.condition)
    is_part = set(forbid.classes) <= set(permit.classes)
    return permit.condition == TRUE and is_part and forbid.condition != TRUE


class _Meeting:
    """Which rules meet on one input: those known of each rule are put together before one is searched."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._inputs: dict[str, Arguments | None] = {}

    def _input_of(self, rule: SaidRule) -> Arguments | None:
        if rule.name not in self._inputs:
            self._inputs[rule.name] = some_input(self._book.terms, rule.rule.body)
        return self._inputs[rule.name]

    def _meet_in(self, arguments: Arguments, rules: Sequence[SaidRule]) -> bool:
        applies = self._book.applies
        return all(applies(one, arguments) for one in rules) and is_input(self._book.terms, arguments)

    def _are_put_together(self, permit: SaidRule, forbid: SaidRule) -> bool:
        """Whether both rules hold on the input of one of them with what the other reads from its own."""
        own, other = self._input_of(permit), self._input_of(forbid)
        if own is None or other is None:
            return False
        read = ((own, other, forbid), (other, own, permit))
        return any(
            self._meet_in(
                {**base, **{each.name: given[each.name] for each in rule.rule.parameters}}, (permit, forbid)
            )
            for base, given, rule in read
        )

    def overlapping(self, permit: SaidRule, forbids: Sequence[SaidRule]) -> Sequence[SaidRule]:
        """The prohibitions that hold on an input on which a permission does.

        Of those that no known input shows the solver is asked about all at once, and again without those that
        hold on the input that it found: as often as there are such inputs, not once for each pair of rules.
        Where it does not know, it is asked about each.
        """
        book = self._book
        found = {one.name for one in forbids if self._are_put_together(permit, one)}
        rest = [one for one in forbids if one.name not in found]
        while rest and book.holds(both := _both(permit, rest)) is not False:
            example = some_input(book.terms, both)
            holding = [] if example is None else [one.name for one in rest if book.applies(one, example)]
            if not holding:
                holding = [one.name for one in rest if book.holds(_both(permit, [one]))]
                rest = []
            found |= {*holding}
            rest = [one for one in rest if one.name not in found]
        return [one for one in forbids if one.name in found]

    def is_part(self, permit: SaidRule, forbid: SaidRule) -> bool:
        """Whether a prohibition is of a part of what a permission permits, and leaves something of it."""
        book, known = self._book, self._input_of(forbid)
        if not set(forbid.classes) <= set(permit.classes):
            return False
        if known is not None and not book.applies(permit, known):
            return False
        is_within = book.holds(And((forbid.rule.body, Not(permit.rule.body)))) is False
        return is_within and book.holds(And((permit.rule.body, Not(forbid.rule.body)))) is not False


def _both(permit: SaidRule, forbids: Sequence[SaidRule]) -> Term:
    """That a permission holds, and one of some prohibitions."""
    bodies = tuple(one.rule.body for one in forbids)
    return And((permit.rule.body, bodies[0] if len(bodies) == 1 else Or(bodies)))


def _asked(book: Book, permits: list[SaidRule], meeting: list[SaidRule]) -> Asked:
    permit, permitting = permits[0], tuple(one.name for one in permits)
    effects: dict[str, Effect] = {}
    meanings: dict[str, dict[str, str]] = {}
    for forbid in meeting:
        if len(effects) == _MOST_WON or not set(forbid.classes) <= set(permit.classes):
            continue
        parts = [part for part in (forbid.condition, negated(permit.condition)) if part != TRUE]
        other = forbid.with_condition(joined("and", parts))
        if permit.condition == TRUE:  # nothing of the prohibition is left
            effects[forbid.name] = Effect(dropped=(forbid.name,), about=permitting)
            meanings[forbid.name] = {"meaning": book.sentence(permit.tree)}
        elif sentence := book.sentence(other):
            effects[forbid.name] = Effect({forbid.name: other}, about=permitting)
            meanings[forbid.name] = {"meaning": sentence}
    said = [book.sentence(forbid.tree) for forbid in meeting]
    forbidding = [
        f"“{text}”" for text in dict.fromkeys(one.quote or said[i] for i, one in enumerate(meeting))
    ]
    first = meeting[0]
    forbids = listed(_few(forbidding, "other sentence"), "and")
    meant = in_a_row(_few(said, "other prohibition"))
    doubt = doubt_about(
        (*permits, *meeting),
        CONFLICT,
        identity(CONFLICT, canonical(permit.tree)),
        (PROHIBITIONS, *effects),
        default=PROHIBITIONS,
        facts={"permits": permit.quote or book.sentence(permit.tree), "forbids": forbids},
        value_facts={PROHIBITIONS: {"meaning": meant}, **meanings},
    )
    example = book.example(And((permit.rule.body, first.rule.body)))
    return Asked(question_about(doubt, example), effects, (*permitting, *(one.name for one in meeting)))


def _few(texts: list[str], noun: str) -> list[str]:
    """The first of some texts, and how many of a noun there are beside them."""
    left = len(texts) - _MOST_SAID
    return [*texts[:_MOST_SAID], counted(left, noun)] if left > 0 else texts
