"""Search for facts by a person's words: a name, or words that only one fact has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.author.rules.words import split_words, stem
from workbench.clarify.condition_forms import way
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.stated_values import called
from workbench.model import Kind
from workbench.policy.terms import Variable
from workbench.policy.types import NUMBERS
from workbench.policy.walk import subterms

_LIKELY = 5
_OF_THE_CALL = " of the call"


@dataclass(slots=True)
class FactNames:
    """Facts by their names. Among facts with the same name, the first is used.

    Facts of an element come before the facts ``around`` it. ``of_elements`` are the paths of element facts
    below their list (``legs.cabin``). Such a path alone names no fact.
    """

    facts: Sequence[SayableFact]
    around: FactNames | None = None
    of_elements: frozenset[str] = frozenset()
    _by_name: dict[str, SayableFact] = field(default_factory=dict[str, SayableFact])
    _none: set[str] = field(default_factory=set[str])
    _in_terms: frozenset[str] | None = None

    def __post_init__(self) -> None:
        """Index the facts by both names: the plain words for a fact, and its path in the policy."""
        for fact in self.facts:
            self._by_name.setdefault(called(fact.phrase), fact)
        for fact in self.facts:
            self._by_name.setdefault(called(fact.name), fact)

    @property
    def in_terms(self) -> frozenset[str]:
        """The names of the variables in the terms of all facts, of an element and around it."""
        if self._in_terms is None:
            parts = (part for fact in self.facts for part in subterms(fact.term))
            own_names = frozenset(part.name for part in parts if isinstance(part, Variable))
            self._in_terms = own_names | (self.around.in_terms if self.around is not None else frozenset())
        return self._in_terms

    def exactly(self, phrase: str) -> SayableFact | None:
        """The fact that has this name, of an element or around it."""
        around = self.around.exactly(phrase) if self.around is not None else None
        return self._by_name.get(called(phrase), around)

    def fact(self, phrase: str) -> SayableFact | None:
        """The fact with that name, otherwise the only fact that has all the words; None without such a fact.

        A name is the phrase of a fact in plain words, or its path in the policy (``book.adults_only``).
        """
        names = (called(phrase), called(phrase).removeprefix("the "))
        if (named_fact := next(filter(None, map(self._by_name.get, names)), None)) is not None:
            return named_fact
        if phrase in self._none:
            return None
        if (fact := self._meant(phrase)) is None:
            self._none.add(phrase)
        return fact

    def _meant(self, phrase: str) -> SayableFact | None:
        if (of_the_call := self._of_the_call(phrase)) is not None:
            return of_the_call
        words = frozenset(stem(word) for word in split_words(phrase))
        fact_by_name = {fact.name: fact for fact in self.facts if words and words <= fact.stems}
        if len(fact_by_name) == 1 and (len(words) > 1 or self.around is not None):
            return next(iter(fact_by_name.values()))
        return self.around.fact(phrase) if self.around is not None and not fact_by_name else None

    def _of_the_call(self, phrase: str) -> SayableFact | None:
        """“patient id of the call”: the fact of the call itself, even if others have the same name."""
        name = phrase.lower().removesuffix(_OF_THE_CALL)
        if name == phrase.lower():
            return None
        fact = self.fact(name) if self.around is None else self.around.exactly(name)
        return fact if fact is not None and fact.source is FactSource.CALL else None

    def beyond(self, phrase: str) -> SayableFact | None:
        """The fact with that name outside the element, even if the element has one with the same name."""
        return self.around.fact(phrase) if self.around is not None else None

    def nearest(self, phrase: str, most: int = _LIKELY) -> tuple[SayableFact, ...]:
        """The facts that share the most words with a text, the best first."""
        words = frozenset(stem(word) for word in split_words(phrase))
        shared = [
            (len(words & fact.stems), -len(fact.stems), -place) for place, fact in enumerate(self.facts)
        ]
        best = sorted((score for score in shared if score[0]), reverse=True)[:most]
        return tuple(self.facts[-place] for _, _, place in best)

    def has_words(self, stems: frozenset[str]) -> bool:
        """Whether one fact, of an element or around it, has all these words."""
        has_fact = any(stems <= fact.stems for fact in self.facts)
        return has_fact or (self.around is not None and self.around.has_words(stems))

    def set_called(self, phrase: str) -> SayableFact | None:
        """The fact with that name if it is a set."""
        fact = self.fact(phrase)
        return fact if fact is not None and fact.type.kind is Kind.SET else None

    def sum_called(self, phrase: str) -> tuple[SayableFact, ...] | None:
        """The facts of “A plus B”, all of them numbers, or the single fact; None if one is unknown."""
        facts = tuple(self.fact(part) for part in _added(phrase))
        known_facts = tuple(fact for fact in facts if fact is not None)
        many = len(known_facts) > 1 and any(fact.type.kind not in NUMBERS for fact in known_facts)
        return known_facts if len(known_facts) == len(facts) and not many else None


def _added(phrase: str) -> list[str]:
    """The parts of “A plus B plus C”."""
    reading = way(phrase, "person_noun", "sum")
    return [phrase] if reading is None else [reading.inner_texts[0], *_added(reading.inner_texts[1])]
