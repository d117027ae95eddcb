"""The rules that conditions about some tools make, by what a sentence forbids, demands or permits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.language.foreign.cues import Cue
from workbench.language.foreign.roles import Role
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.small_words import RELATIVE
from workbench.language.nameable import stems_of
from workbench.language.naming import Condition
from workbench.language.search.conditions import (
    all_of,
    asked_after_all,
    limits_nothing,
    opposed,
    refused,
    role_of,
    says_no_limit,
    split,
)
from workbench.language.search.desk import LIKELY, Desk
from workbench.language.search.found import Group
from workbench.language.trees import Tree, joined


@dataclass
class RuleForms:
    """Makes rules of conditions, each with what is against it."""

    desk: Desk

    def rule_about(self, form: str, condition: Tree, group: Group) -> Tree:
        """A rule about the calls of some tools."""
        return ("call", form, condition, *(("name", one) for one in group.classes))

    def of_conditions(
        self, sentence: ForeignSentence, group: Group, ones: Sequence[Condition]
    ) -> Iterator[tuple[Tree, float]]:
        """Yield the rules that conditions make, each with what is against it."""
        if sentence.is_free:
            yield from self._freed(sentence, group, ones)
            return
        guards, goods = self.sides_of(sentence, group, ones)
        if says_no_limit(sentence, goods, ones):
            return
        if sentence.asks:
            for condition, cost in refused(sentence, guards, goods):
                yield self.rule_about("ask", condition, group), cost
            return
        if not goods and self._is_unfounded(sentence):
            if self._is_told(sentence, group):
                yield self.rule_about("permit", all_of(sentence, guards), group), 0.0
            return
        yield from self._forbidding(sentence, group, ones, guards, goods)
        if goods:
            yield from self._permitting(sentence, group, guards, goods)

    def _forbidding(
        self,
        sentence: ForeignSentence,
        group: Group,
        ones: Sequence[Condition],
        guards: Sequence[Condition],
        goods: Sequence[Condition],
    ) -> Iterator[tuple[Tree, float]]:
        """Yield what conditions forbid, where no permission without an end is said."""
        norm = sentence.norm
        permitting = norm is not None and norm.cue is Cue.PERMIT and not sentence.has(Cue.ONLY)
        freed = any(not sentence.needless.isdisjoint((*one.used, one.anchor)) for one in ones)
        if not freed and not (permitting and limits_nothing(sentence)):
            situation, wanted = split(sentence, guards, goods)
            for condition, cost in refused(sentence, situation, wanted) if situation is not guards else ():
                yield self.rule_about("forbid", condition, group), cost
            less = 0.1 if situation is not guards else 0.0
            for condition, cost in refused(sentence, guards, goods):
                yield self.rule_about("forbid", condition, group), cost + less

    def _freed(
        self, sentence: ForeignSentence, group: Group, ones: Sequence[Condition]
    ) -> Iterator[tuple[Tree, float]]:
        """Yield what says that nobody is asked: who is asked elsewhere, and what is then permitted."""
        for tree, cost in asked_after_all(sentence, ones):
            yield self.rule_about("ask", tree, group), cost
        if self.desk.is_closed(group) and not any(one.anchor in sentence.excepted for one in ones):
            yield self.rule_about("permit", all_of(sentence, ones, every=True), group), -0.05

    def _is_told(self, sentence: ForeignSentence, group: Group) -> bool:
        """Whether a sentence tells what is done where nothing else may be, as in "doctors lift deferrals"."""
        if sentence.norm is not None or not self.desk.is_closed(group):
            return False
        turns = sentence.has(Cue.NOT, Cue.FORBID, Cue.REQUIRE, Cue.UNLESS, Cue.ONLY) or sentence.comparisons
        return not turns and all(self.desk.is_done(sentence, name) for name in group.classes)

    def _permitting(
        self,
        sentence: ForeignSentence,
        group: Group,
        guards: Sequence[Condition],
        goods: Sequence[Condition],
    ) -> Iterator[tuple[Tree, float]]:
        """Yield what conditions permit; where all is allowed, that says no "only"."""
        kind = sentence.norm.cue if sentence.norm is not None else None
        closed = self.desk.is_closed(group)
        only = sentence.has(Cue.ONLY)
        if not (kind is Cue.PERMIT and (closed or not only)) and not (kind is None and closed):
            return
        excepted = [one for one in guards if one.anchor in sentence.excepted]  # of no element
        guards = [one for one in guards if one not in excepted]
        wanted = all_of(sentence, [*excepted, *goods], every=True)
        condition = joined("and", [all_of(sentence, guards), wanted] if guards else [wanted])
        is_told = self._is_told(sentence, group)
        cost = (0.1 if only else -0.05) if closed and kind is Cue.PERMIT else -0.4 if is_told else 0.35
        yield self.rule_about("permit", condition, group), cost

    def _is_unfounded(self, sentence: ForeignSentence) -> bool:
        """Whether no word refuses what is done: "is paid up to 3,000", "is to be deleted"."""
        norm = sentence.norm
        if norm is None:
            excepts = any(sentence.words[one.first].low != "without" for one in sentence.wanting)
            return not excepts and not sentence.has(Cue.ONLY)
        demanded = frozenset(range(norm.after, norm.after + 2))
        return norm.cue is Cue.REQUIRE and any(
            at in demanded and sure >= LIKELY
            for call in self.desk.language.types.calls.values()
            for word in stems_of(self.desk.language.lexicon.tool_words(call))[:1]
            for at, sure in sentence.stems.get(word, ())
        )  # fmt: skip

    def sides_of(
        self, sentence: ForeignSentence, group: Group, ones: Sequence[Condition]
    ) -> tuple[list[Condition], list[Condition]]:
        """The conditions that say which calls are meant or what is bad, and those that are wanted."""
        guards = [one for one in ones if role_of(sentence, one) is not Role.GOOD]
        goods = [one for one in ones if role_of(sentence, one) is Role.GOOD]
        exceptions = [one for one in goods if one.anchor in sentence.excepted]
        if 0 < len(exceptions) < len(goods):
            return [*guards, *map(opposed, exceptions)], [one for one in goods if one not in exceptions]
        if sentence.asks or sentence.has(Cue.ONLY):
            return guards, goods
        norm = sentence.norm
        permits = norm is not None and norm.cue is Cue.PERMIT and sentence.limited_at < 0
        if exceptions and (permits or (norm is None and self.desk.is_done(sentence, group.classes[0]))):
            return [*guards, *exceptions], []  # what is done or may be done is forbidden there
        return ([], list(ones)) if permits and not goods else (guards, goods)

    def forms_of_every(self, sentence: ForeignSentence) -> Iterator[str]:
        """The forms that a sentence may have as a rule about every call of some tools."""
        norm = sentence.norm
        if sentence.is_free:
            yield "permit"
        elif not (sentence.has_limits or _tells_which(sentence)) and (
            (norm is not None and norm.cue is Cue.FORBID) or sentence.asks
        ):
            yield "ask" if sentence.asks else "forbid"
        permits = norm is not None and norm.cue is Cue.PERMIT and sentence.limited_at < 0
        if permits and not sentence.asks and not sentence.has(Cue.ONLY):
            yield "permit"


def _tells_which(sentence: ForeignSentence) -> bool:
    """Whether a sentence is about things that it points to, or tells: "they", "what somebody has written"."""
    points = sentence.words[0].low in ("they", "these", "those") or "what" in sentence.lows
    return points or any(by in RELATIVE and sentence.words[at].weight for at, by in sentence.told.items())
