"""Rules in a person's words as terms of the dialect: facts by name, bounds, values.

A condition is the name of a fact, a comparison and a value: “method is one of card, cash”. Nothing is
guessed: a name that does not belong to exactly one fact is refused, with the facts that may be meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import InitVar, dataclass, field, replace

from workbench.author.argument_terms import variable
from workbench.author.rules.norms import Effect, Norm
from workbench.author.rules.words import split_words, stem
from workbench.clarify.condition_comparisons import Comparisons
from workbench.clarify.condition_forms import Way, way, ways
from workbench.clarify.condition_shapes import JoinedConditions, ListedCondition, SingleCondition
from workbench.clarify.fact_names import FactNames
from workbench.clarify.listed_things import ListedThings
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.stated_values import StatedValues, called
from workbench.model import Argument, Kind, WorkbenchError
from workbench.policy.connectives import TRUE, conjunction, disjunction
from workbench.policy.relations import RELATIONS, Family
from workbench.policy.terms import (
    Constant,
    ConstantSet,
    Member,
    StringTest,
    Term,
)
from workbench.policy.walk import subterms

_CONDITION = "person_condition"
_PRESENCE = tuple(
    relation_words for relation_words, relation in RELATIONS.items() if relation.family is Family.PRESENCE
)
_QUANTIFIERS = ("any", "every", "each", "all", "some", "no")
_CALLED = {
    "path": ("path.absolute", "command.paths"),
    "file name": ("path.name",),
    "ending": ("path.suffix",),
    "host": ("url.host", "command.hosts"),
    "mail address": ("mail_address.address",),
    "domain": ("mail_address.domain",),
}
"""The common name of the parts of all texts of a call: “each path of the call”."""


@dataclass(slots=True)
class FactBook:
    """Reads rules and conditions in a person's words, about facts of the agent spec and others."""

    facts: Sequence[SayableFact]
    tool: Argument | None
    lists: Sequence[ListedThings] = ()
    around: InitVar[FactNames | None] = None
    values: StatedValues = field(default_factory=StatedValues)
    names: FactNames = field(init=False)
    comparisons: Comparisons = field(init=False)
    _parts: dict[str, SingleCondition | JoinedConditions | None] = field(init=False)

    def __post_init__(self, around: FactNames | None) -> None:
        """Prepare the names of the facts; facts of an element come before the facts ``around`` it."""
        of_elements = {
            called(f"{listing.path}.{fact.phrase}") for listing in self.lists for fact in listing.facts
        }
        self.names = FactNames(self.facts, around, frozenset(of_elements))
        self.comparisons = Comparisons(self.names, self.values)
        self._parts = {}

    def rule(self, person_rule: PersonRule) -> tuple[Norm, tuple[SayableFact, ...]]:
        """A rule over the arguments, and the facts that it needs; raises WorkbenchError."""
        conditions = [self.condition(text) for text in person_rule.conditions]
        if not conditions and person_rule.effect is Effect.REQUIRE:
            raise WorkbenchError("“only if” needs a condition: say what has to hold.")
        forbids = person_rule.effect is Effect.FORBID
        terms = [condition.guarded(forbids=forbids) for condition in conditions]
        joined = disjunction(terms) if terms and person_rule.either else conjunction(terms)
        facts = tuple({fact.name: fact for condition in conditions for fact in condition.facts}.values())
        return Norm("", person_rule.effect, self._scope(person_rule.tools), joined, "", complete=True), facts

    def called_otherwise(self, person_rule: PersonRule) -> tuple[str, ...]:
        """The facts that a rule's conditions name by only some of their words; raises WorkbenchError."""
        phrases: dict[str, None] = {}
        for text in person_rule.conditions:
            for fact in self.condition(text).facts:
                names = (called(fact.phrase), called(fact.name))
                if fact.source is not FactSource.TIME and not any(name in called(text) for name in names):
                    phrases[fact.phrase] = None
        return tuple(phrases)

    def may_differ(self, person_rule: PersonRule) -> tuple[str, ...]:
        """Warnings about conditions on some element of one list, which may hold for different elements."""
        if person_rule.either:
            return ()
        conditions = [self.condition(text) for text in person_rule.conditions]
        existential_places = Counter(
            condition.things.path
            for condition in conditions
            if isinstance(condition, ListedCondition) and condition.quantifier in ("some", "any")
        )
        return tuple(
            f"that {count} conditions about some of {place} may each be about another one: join them by "
            "“and” in one entry where they are about the same"
            for place, count in existential_places.items()
            if count > 1
        )

    def _scope(self, tools: tuple[str, ...]) -> Term:
        if not tools:
            return TRUE
        if self.tool is None:
            raise WorkbenchError("The agent spec has no argument that says which tool is called.")
        names = {called(name): name for name in self.tool.type.values}
        for tool in tools:
            if called(tool) not in names:
                raise WorkbenchError(
                    f"{tool!r} is no tool; the tools are: {', '.join(self.tool.type.values)}."
                )
        listed = tuple(dict.fromkeys(names[called(tool)] for tool in tools))
        return Member(variable(self.tool), ConstantSet(listed))

    # --- conditions ---

    def is_condition(self, text: str) -> bool:
        """Whether a text is a condition that can be read."""
        try:
            return self._read(" ".join(text.split())) is not None
        except WorkbenchError:
            return False

    def condition(self, words: str) -> SingleCondition | JoinedConditions | ListedCondition:
        """A condition in a person's words; raises WorkbenchError if it cannot be read."""
        text = " ".join(words.split())
        if (condition := self._read(text)) is not None:
            return condition
        likely = "; ".join(f"“{fact.phrase}”" for fact in self._nearest(text))
        raise WorkbenchError(
            f"“{words}” is no condition that is understood: name a fact, how it is compared, and with what."
            + (f" Facts with such words: {likely}." if likely else "")
        )

    def aloud(self, words: str) -> str:
        """A condition with quotation marks around the parts read as text; raises WorkbenchError."""
        texts = set(filter(None, _texts(self.condition(words).guarded(forbids=True))))
        if not texts:
            return words
        listed = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
        return re.sub(rf"(?<=\s)(?:{listed})(?=,|\s(?:or|and)\s|$)", r"“\g<0>”", words)

    def _read(self, text: str) -> SingleCondition | JoinedConditions | ListedCondition | None:
        return self._of_a_list(text) or self._of_the_call(text) or self._joined(text) or self._single(text)

    def _of_the_call(self, text: str) -> JoinedConditions | None:
        """“each path of the call is inside …”: about every text of that kind in a call, for any tool.

        With “each”, the condition holds for texts that the call does not have.
        """
        reading = way(text, _CONDITION, "about_the_call")
        meanings = _CALLED.get(reading.inner_texts[0].lower()) if reading is not None else None
        if reading is None or meanings is None:
            return None
        quantifier = "some" if reading.of("EVERY").lower() in ("some", "any") else "each"
        facts = [fact for fact in self.facts if fact.meaning in meanings and fact.source is FactSource.CALL]
        conditions: list[SingleCondition] = []
        for fact in facts:
            is_set = fact.type.kind is Kind.SET
            phrase = f"{fact.phrase} {reading.inner_texts[1]}"
            condition = self._single(f"{quantifier} {phrase}" if is_set else phrase)
            if condition is None:
                return None
            conditions.append(condition if is_set else replace(condition, lenient=quantifier == "each"))
        return JoinedConditions(tuple(conditions), either=quantifier == "some") if conditions else None

    def _single(self, text: str) -> SingleCondition | None:
        lenient = way(text, _CONDITION, "or_lacking")
        text = text if lenient is None else lenient.inner_texts[0]
        if (compared := self.comparisons.read(text)) is not None:
            presence = text.lower().endswith(tuple(f" {relation}" for relation in _PRESENCE))
            return SingleCondition(compared[0], compared[1], lenient is not None, presence)
        return None

    def _joined(self, text: str) -> JoinedConditions | None:
        """“A or B”, “A and B” if both are conditions; raises WorkbenchError if both words join them."""
        readings = ways(text, _CONDITION)
        for form, joint in (("either", "or"), ("both", "and")):
            for reading in readings:
                if reading.form != form or joint not in (reading.of("OTHERWISE"), reading.of("BESIDES")):
                    continue
                either = form == "either"
                left, right = map(self._parted, reading.inner_texts)
                if left is None or right is None:
                    continue
                joined = (part for part in (left, right) if isinstance(part, JoinedConditions))
                if any(part.either is not either for part in joined):
                    raise WorkbenchError(
                        f"“{text}” joins conditions by “and” and by “or”: say it as two rules."
                    )
                return JoinedConditions((left, right), either)
        return None

    def _parted(self, text: str) -> SingleCondition | JoinedConditions | None:
        """The condition of a part of a text; each part is read once, even if it occurs in many texts."""
        if text not in self._parts:
            try:
                self._parts[text] = self._joined(text) or self._single(text)
            except WorkbenchError:
                self._parts[text] = None
        return self._parts[text]

    def _of_a_list(self, text: str) -> ListedCondition | None:
        """“each line: …”, “some payment: …”: a condition about the things of a list."""
        if (of_a_field := self._of_a_field(text)) is not None:
            return of_a_field
        reading = way(text, _CONDITION, "about_things")
        listing = self._things(reading)
        if reading is None or listing is None:
            return None
        return self._about(reading.parts[0][1], listing, reading.inner_texts[1])

    def _of_a_field(self, text: str) -> ListedCondition | None:
        """“any legs.cabin is business”: the same as “any leg: cabin is business”."""
        quantifier, _, rest = text.partition(" ")
        for listing in self.lists:
            for words, head in ((rest, quantifier), (text, "")):
                if not words.startswith(f"{listing.path}.") or head.lower() not in (*_QUANTIFIERS, ""):
                    continue
                if not head:
                    path = words.split()[0]
                    raise WorkbenchError(
                        f"{path} is of each element of a list: say “any {path}” or “every {path}”."
                    )
                return self._about(head, listing, words.removeprefix(f"{listing.path}."))
        return None

    def _about(self, quantifier: str, listing: ListedThings, words: str) -> ListedCondition:
        inner = FactBook(listing.facts, self.tool, (), self.names, self.values)
        return ListedCondition(quantifier.lower(), listing, inner.condition(words))

    def _things(self, about: Way | None) -> ListedThings | None:
        """The list whose things the condition is about."""
        words = (
            {stem(word) for word in split_words(about.inner_texts[0])} if about is not None else set[str]()
        )
        listed_things = [listing for listing in self.lists if words and words <= listing.words]
        fewest = min((len(listing.words) for listing in listed_things), default=0)
        nearest = [listing for listing in listed_things if len(listing.words) == fewest]
        return nearest[0] if len(nearest) == 1 else None

    def _nearest(self, text: str) -> tuple[SayableFact, ...]:
        """The facts that an unreadable condition may mean, or facts of the list that it names first."""
        listing = self._things(way(text, _CONDITION, "about_things"))
        facts = listing.facts if listing is not None else self.facts
        return FactNames(facts).nearest(text)


def _texts(term: Term) -> Iterator[str]:
    """Yield the texts that a condition compares with."""
    for part in subterms(term):
        match part:
            case Constant(str(text)) | StringTest(_, _, text):
                yield text
            case Member(_, ConstantSet(values)):
                yield from (value for value in values if isinstance(value, str))
            case _:
                pass
