"""The shapes of conditions in a person's words: a comparison, several, or one about the things of a list."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.clarify.listed_things import ListedThings
from workbench.clarify.sayable_facts import FactSource, SayableFact

_COUNTED = {"at most": "<=", "at least": ">=", "more than": ">", "exactly": "=="}


@dataclass(frozen=True, slots=True)
class SingleCondition:
    """A condition of the dialect, the facts it speaks of, and whether a missing value makes it hold.

    ``presence`` marks a condition that says whether a value is missing.
    """

    text: str
    facts: tuple[SayableFact, ...]
    lenient: bool = False
    presence: bool = False

    def guarded(self, *, forbids: bool) -> str:
        """The condition with what holds where one of its facts has no value.

        A prohibition holds where a fact is not known, but for what the call itself may leave out.
        """
        optional = [fact for fact in self.facts if fact.argument.type.optional]
        if not optional or self.presence:
            return f"({self.text})"
        names = dict.fromkeys(place for fact in optional for place in fact.absent or (fact.argument.name,))
        if self.lenient or (forbids and any(fact.source is not FactSource.CALL for fact in optional)):
            return f"({' or '.join(f'{name} is None' for name in names)} or {self.text})"
        return f"({' and '.join(f'{name} is not None' for name in names)} and {self.text})"


@dataclass(frozen=True, slots=True)
class JoinedConditions:
    """Conditions that have to hold together, or where one is enough."""

    parts: tuple[SingleCondition | JoinedConditions, ...]
    joint: str

    @property
    def facts(self) -> tuple[SayableFact, ...]:
        """The facts that they speak of."""
        return tuple(fact for part in self.parts for fact in part.facts)

    def guarded(self, *, forbids: bool) -> str:
        """The conditions, each with what holds where a fact has no value."""
        return f"({self.joint.join(part.guarded(forbids=forbids) for part in self.parts)})"


@dataclass(frozen=True, slots=True)
class ListedCondition:
    """A condition about each thing of a list, about some, or about none."""

    quantifier: str
    things: ListedThings
    body: SingleCondition | JoinedConditions | ListedCondition

    @property
    def facts(self) -> tuple[SayableFact, ...]:
        """The facts that it speaks of."""
        return self.body.facts

    def guarded(self, *, forbids: bool) -> str:
        """The condition over the list; “no” and “at most” reverse what holds where a fact has no value."""
        listed, turned = self.things.argument, self.quantifier.startswith(("no", "at most"))
        body = self.body.guarded(forbids=forbids is not turned)
        quantified = self._quantified(body, f"for {self.things.element} in {self.things.place}")
        if not listed.type.optional:
            return f"({quantified})"
        absent, joint = ("is None", " or ") if forbids else ("is not None", " and ")
        places = self.things.absent or (listed.name,)
        return f"({joint.join([*(f'{place} {absent}' for place in places), quantified])})"

    def _quantified(self, body: str, over: str) -> str:
        match self.quantifier.rpartition(" "):
            case ("", _, "no"):
                return f"not any({body} {over})"
            case ("", _, "some" | "any"):
                return f"any({body} {over})"
            case ("", _, _):
                return f"all({body} {over})"
            case (bound, _, number):
                return f"sum(1 {over} if {body}) {_COUNTED[bound]} {number}"
