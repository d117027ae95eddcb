"""The search for rules about some tools: at most so many conditions that are named are put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.nameable import Nameables
from workbench.language.naming import Condition, Naming
from workbench.language.search.conditions import (
    as_denied,
    exclusive,
    gives_value,
    gives_values,
    is_of_reading,
    named_conditions,
    opposed,
    presumed,
)
from workbench.language.search.desk import Desk
from workbench.language.search.found import Found, Group
from workbench.language.search.rules import RuleForms
from workbench.language.search.tools import ToolGroups
from workbench.language.sense.unsaid import unsaid
from workbench.language.trees import TRUE, Tree
from workbench.language.words import words_of_name

MOST_CONDITIONS = 3
_MOST_POOL = 26
_MOST_KEPT = 40
_MOST_OTHERS = 8
_LEAST_GAIN = 0.45


@dataclass
class RuleSearch:
    """Puts rules together from the conditions that a sentence names.

    What is known of the nouns of some tools is kept from sentence to sentence.
    """

    desk: Desk
    tools: ToolGroups
    _things: dict[tuple[str, ...], Nameables] = field(default_factory=dict[tuple[str, ...], Nameables])

    def __post_init__(self) -> None:
        self.rules = RuleForms(self.desk)

    def of_group(self, sentence: ForeignSentence, group: Group) -> Iterator[Found]:
        """Yield the rules about some tools, put together from the conditions that are named."""
        if any(map(sentence.kept.__contains__, self._results(group))):
            return  # what stays locked is not what must not be locked
        if group.classes not in self._things:
            self._things[group.classes] = Nameables(self.desk.language.lexicon, group.classes)
        ranked = sorted(
            (self.tools.group_of(sentence, name) for name in self.desk.language.types.calls),
            key=lambda one: -one.worth,
        )
        others = [one.classes[0] for one in ranked[:_MOST_OTHERS]]
        naming = Naming(sentence, self._things[group.classes], group.used, group.faint)
        pool = self._pool(sentence, group, named_conditions(naming, others))
        for form in self.rules.forms_of_every(sentence):
            tree, used = self.rules.rule_about(form, TRUE, group), group.used | group.faint
            left = unsaid(sentence, tree, (), (), used)
            yield Found(tree, used, self._worth(sentence, group, ()) - 0.4, unsaid=left)
        kept: list[tuple[Condition, ...]] = [(one,) for one in pool]
        every = list(kept)
        for _ in range(MOST_CONDITIONS - 1):
            kept = self._joined(sentence, group, kept, pool)
            every += kept
        every.sort(key=lambda ones: -self._worth(sentence, group, ones))
        for ones in every[:_MOST_KEPT]:
            worth = self._worth(sentence, group, ones)
            for tree, cost in self.rules.of_conditions(sentence, group, ones):
                used = group.used.union(group.faint, *(one.used for one in ones))
                _, wanted = self.rules.sides_of(sentence, group, ones)
                left = unsaid(sentence, tree, wanted, ones, used)
                yield Found(tree, used, worth - cost, len(ones), left)

    def _results(self, group: Group) -> Iterator[str]:
        """The states that calls of the tools bring about: "on" of turn_on_lights, "locked" of lock_door."""
        calls = self.desk.language.types.calls
        for name in group.classes:
            words = words_of_name(calls[name].tool).split() if name in calls else []
            verb = words[0].casefold() if words else ""
            yield from (verb, f"{verb.removesuffix('e')}ed", *(one for one in words if one in ("on", "off")))

    def _pool(
        self, sentence: ForeignSentence, group: Group, conditions: Iterable[Condition]
    ) -> list[Condition]:
        best: dict[tuple[Tree, Tree], Condition] = {}
        acts = self.tools.acts_in_rows(sentence)
        reading = self.tools.permits_to_read(sentence)
        for each in as_denied(sentence, conditions, group.used):
            if not reading.isdisjoint(each.used) and is_of_reading(each.tree):
                continue  # "looking up donors" says what is done
            if each.anchor not in sentence.described and (
                (each.used <= group.used and gives_value(each.tree))
                or (not acts.isdisjoint(each.used) and gives_values(each.tree))
            ):
                continue  # "close" says what is done, not that something is closed
            ends = each.anchor in sentence.ended and gives_value(each.tree)
            one = opposed(each) if ends or each.anchor in sentence.needless else each
            known = best.get((one.tree, one.domain))
            if known is None or self._gain(sentence, group.used, one) > self._gain(
                sentence, group.used, known
            ):
                best[one.tree, one.domain] = one
        ranked = sorted(best.values(), key=lambda one: -self._gain(sentence, group.used, one))
        return ranked[:_MOST_POOL]

    def _gain(self, sentence: ForeignSentence, used: frozenset[int], one: Condition) -> float:
        new = sum(sentence.worth_of(number) for number in one.used - used)
        return new - one.cost

    def _joined(
        self,
        sentence: ForeignSentence,
        group: Group,
        kept: Sequence[tuple[Condition, ...]],
        pool: Sequence[Condition],
    ) -> list[tuple[Condition, ...]]:
        """One more condition that uses words which those before do not."""
        found: dict[frozenset[int], tuple[Condition, ...]] = {}
        for ones in kept[:_MOST_KEPT]:
            used = group.used.union(*(one.used for one in ones))
            for one in pool:
                if any(
                    one.tree == other.tree or presumed(one, other) or exclusive(one, other) for other in ones
                ):
                    continue
                if one.literal >= 0 and any(one.literal in other.used for other in ones):
                    continue
                if any(other.literal >= 0 and other.literal in one.used for other in ones):
                    continue
                if self._gain(sentence, used, one) < _LEAST_GAIN:
                    continue
                key = frozenset(id(each) for each in (*ones, one))
                found.setdefault(key, tuple(sorted((*ones, one), key=lambda each: each.anchor)))
        return sorted(found.values(), key=lambda ones: -self._worth(sentence, group, ones))[:_MOST_KEPT]

    def _worth(self, sentence: ForeignSentence, group: Group, ones: Sequence[Condition]) -> float:
        used = group.used.union(*(one.used for one in ones))
        weights = sentence.weights
        total = sum(weights.values())
        covered = sum(weights.get(number, 0.1) for number in used)
        covered += 0.5 * sum(weights.get(number, 0.0) for number in group.faint - used)
        return (
            covered / max(1.0, total) * 4
            + 0.5 * group.worth
            - sum(one.cost for one in ones)
            - 0.3 * len(ones)
        )
