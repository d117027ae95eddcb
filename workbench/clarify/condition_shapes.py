"""The shapes of conditions in a person's words: one, several, or a condition on the things of a list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.author.argument_terms import variable
from workbench.clarify.listed_things import ListedThings
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.policy.connectives import conjunction, disjunction, negate
from workbench.policy.elements import Place
from workbench.policy.terms import (
    Compare,
    Comparison,
    Constant,
    Count,
    Elements,
    IsMissing,
    Quantified,
    Quantifier,
    Term,
)
from workbench.policy.walk import path_of

_COUNTED = {
    "at most": Comparison.LE,
    "at least": Comparison.GE,
    "more than": Comparison.GT,
    "exactly": Comparison.EQ,
}


@dataclass(frozen=True, slots=True)
class SingleCondition:
    """A condition of the dialect, its facts, and whether a missing value makes it hold.

    ``presence`` marks a condition about whether a value is missing.
    """

    term: Term
    facts: tuple[SayableFact, ...]
    lenient: bool = False
    presence: bool = False

    def guarded(self, *, forbids: bool) -> Term:
        """The condition, extended by its truth if one of its facts has no value.

        A prohibition holds if a fact is unknown, except for values that the call itself may leave out.
        """
        optional = [fact for fact in self.facts if fact.type.optional]
        if not optional or self.presence:
            return self.term
        places = [place for fact in optional for place in fact.lacking]
        unknown = forbids and any(fact.source is not FactSource.CALL for fact in optional)
        return where_known(places, self.term, holds_otherwise=self.lenient or unknown)


@dataclass(frozen=True, slots=True)
class JoinedConditions:
    """Conditions of which all have to hold, or at least one."""

    parts: tuple[SingleCondition | JoinedConditions, ...]
    either: bool

    @property
    def facts(self) -> tuple[SayableFact, ...]:
        """The facts of the conditions."""
        return tuple(fact for part in self.parts for fact in part.facts)

    def guarded(self, *, forbids: bool) -> Term:
        """The conditions, each extended by its truth if a fact has no value."""
        terms = [part.guarded(forbids=forbids) for part in self.parts]
        return disjunction(terms) if self.either else conjunction(terms)


@dataclass(frozen=True, slots=True)
class ListedCondition:
    """A condition on the things of a list: on each, on some, on none, or on a number of them."""

    quantifier: str
    things: ListedThings
    body: SingleCondition | JoinedConditions | ListedCondition

    @property
    def facts(self) -> tuple[SayableFact, ...]:
        """The facts of the condition."""
        return self.body.facts

    def guarded(self, *, forbids: bool) -> Term:
        """The condition over the list; “no” and “at most” reverse the truth for facts without a value."""
        listed, turned = self.things.argument, self.quantifier.startswith(("no", "at most"))
        quantified = self._quantified(self.body.guarded(forbids=forbids is not turned))
        if not listed.type.optional:
            return quantified
        return where_known(self.things.absent or (variable(listed),), quantified, holds_otherwise=forbids)

    def _quantified(self, body: Term) -> Term:
        element, elements = self.things.element, Elements(self.things.place)
        match self.quantifier.rpartition(" "):
            case ("", _, "no"):
                return negate(Quantified(Quantifier.ANY, element, elements, body))
            case ("", _, "some" | "any"):
                return Quantified(Quantifier.ANY, element, elements, body)
            case ("", _, _):
                return Quantified(Quantifier.ALL, element, elements, body)
            case (bound, _, number):
                return Compare(_COUNTED[bound], Count(element, elements, body), Constant(int(number)))


def where_known(places: Iterable[Place], condition: Term, *, holds_otherwise: bool) -> Term:
    """The condition after tests of the places that may be None, and its truth if one of them is."""
    missing = [IsMissing(place) for place in {path_of(place): place for place in places}.values()]
    if holds_otherwise:
        return disjunction((*missing, condition))
    return conjunction((*map(negate, missing), condition))
