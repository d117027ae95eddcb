"""Conditions on what is there: flags, facts, what is given, what was looked up, who named a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.language.foreign_words import Cue, Role, stem
from workbench.language.naming import Condition, Named, Naming, opposite
from workbench.language.productions import kind_of
from workbench.language.trees import Tree
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of

_UNSURE = 0.6
_NEAR = 4
_ID = stem("id")
_BEFORE = frozenset(("no", "without"))
_DENYING = words_named("denying")


class PresenceConditions:
    """What is said to be so, to be there, or to come from the user."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._sentence = naming.sentence
        self._things = naming.things

    def every(self) -> Iterator[Condition]:
        """Yield the conditions on what holds, what is there and what is empty."""
        yield from self._of_flags()
        yield from self._of_presence()
        yield from self._of_empty_lists()
        yield from self._of_origin()

    def _of_flags(self) -> Iterator[Condition]:
        """What is yes or no: fields, and functions that are whether something holds."""
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) != "bool" or thing.many or not one.own:
                continue
            if thing.form == "fact" and one.cost > 0.75:
                continue
            first = one.first
            one = replace(one, anchor=first) if thing.form != "fact" else one
            no = self._sentence.negated(first) if thing.form != "fact" else self._fact_negated(one)
            no = no != (thing.form != "fact" and self._sentence.denies(first, thing.words))
            yield self._naming.condition(("not", thing.tree) if no else thing.tree, one)

    def _fact_negated(self, one: Named) -> bool:
        """Whether the sentence denies what a function says: one of them has a "not" and the other none."""
        fact = self._things.lexicon.facts[one.thing.name]
        noun = bool(_DENYING & set(words_of(self._things.lexicon.words_of_fact(fact))))
        said = any(self._sentence.denied(number) for number in one.used)
        return noun != said

    def _of_presence(self) -> Iterator[Condition]:
        for one in self._naming.named:
            thing = one.thing
            if not one.own or thing.many or one.cost >= _UNSURE:
                continue
            if thing.optional and thing.form == "field":
                yield from self._given(one)
            elif thing.form == "record":
                yield from self._known(one)
            elif thing.sort == "text" and thing.form == "field" and _ID not in thing.words:
                yield from self._written(one)

    def _given(self, one: Named) -> Iterator[Condition]:
        """What is given, or is missing."""
        bare = replace(one, thing=replace(one.thing, optional=False))
        some: Tree = ("is some", one.thing.tree)
        gap = self._presence(one, Cue.MISSING)
        given = self._presence(one, Cue.GIVEN)
        denied = next((at for at in sorted(one.used) if self._sentence.denies(at, one.thing.words)), None)
        if denied is not None:
            yield self._naming.condition(opposite(some), bare, (denied,), 0.1, denied)
        if gap is not None:
            tree = some if self._is_wanted(gap) else opposite(some)
            yield self._naming.condition(tree, bare, (gap,), 0.1, gap)
        elif given is not None:
            yield self._naming.condition(some, bare, (given,), 0.2, max(given, one.anchor))
        else:
            yield self._naming.condition(some, bare, (), 0.5)

    def _is_wanted(self, gap: int) -> bool:
        """Whether nothing is to be done "without" a thing."""
        return self._sentence.words[gap].low == "without" and self._sentence.roles[gap] is Role.GOOD

    def _known(self, one: Named) -> Iterator[Condition]:
        """A record that was looked up, or that there is."""
        tree = one.thing.tree
        for cue, positive in ((Cue.LOOKED_UP, ("call", "looked_up", tree)), (Cue.EXISTS, ("is some", tree))):
            near = [each.first for each in self._sentence.at(cue)]
            if not near:
                continue
            at = min(near, key=lambda place: abs(place - one.anchor))
            no = self._sentence.negated(at) or self._sentence.words[at].low == "unknown"
            yield self._naming.condition(opposite(positive) if no else positive, one, (at,), 0.1, at)

    def _written(self, one: Named) -> Iterator[Condition]:
        """A text that is empty, or is not."""
        gap = self._presence(one, Cue.MISSING)
        if gap is not None:
            empty: Tree = ("==", one.thing.tree, ("lit", "text", ""))
            tree = opposite(empty) if self._is_wanted(gap) else empty
            yield self._naming.condition(tree, one, (gap,), 0.4 if one.thing.of_call else 0.8, gap)

    def _of_empty_lists(self) -> Iterator[Condition]:
        """Lists that are said to have nothing."""
        for one in self._naming.named:
            if (
                one.thing.many
                and one.used
                and not one.thing.domain
                and (at := self._presence(one, Cue.MISSING)) is not None
            ):
                size: Tree = ("call", "len", one.thing.tree)
                yield self._naming.condition(("==", size, ("lit", "int", 0)), one, (at,), 0.4)

    def _presence(self, one: Named, cue: Cue) -> int | None:
        near = [
            each.first
            for each in self._sentence.at(cue)
            if abs(each.first - one.anchor) <= _NEAR
            and (each.first < one.anchor or self._sentence.words[each.first].low not in _BEFORE)
        ]
        return min(near, key=lambda place: abs(place - one.anchor)) if near else None

    def _of_origin(self) -> Iterator[Condition]:
        """Texts that the user must have named."""
        cues = list(self._sentence.at(Cue.USER))
        if not cues or self._sentence.asks:
            return
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) != "text" or thing.many or thing.form == "said":
                continue
            if not one.used and not (thing.of_call and thing.depth == 0):
                continue
            if not (thing.of_call or (thing.domain and not thing.earlier and thing.depth <= 1)):
                continue
            cue = min(cues, key=lambda each: abs(each.first - one.anchor))
            tree: Tree = ("in", ("lit", "text", "user"), ("attr", thing.tree, "source"))
            used = {number for each in cues for number in range(each.first, each.after)}
            used |= {number for number, _ in self._sentence.stems.get(stem("user"), ()) if number >= 0}
            no = self._sentence.negated(cue.first)
            yield self._naming.condition(
                opposite(tree) if no else tree, one, used, 0.1 if one.used else 0.3, cue.first
            )
