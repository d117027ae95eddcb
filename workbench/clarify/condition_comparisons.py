"""Comparisons in a person's words as terms of the dialect: “method is one of card, cash”.

Nothing is guessed: any other comparison raises an error with a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial, reduce

from workbench.clarify.condition_forms import Way, compares, way, ways
from workbench.clarify.fact_names import FactNames
from workbench.clarify.plain_texts import badly_quoted, odd_text, relates
from workbench.clarify.sayable_facts import SayableFact
from workbench.clarify.stated_values import WAY, StatedValues, bare, odd, parts, stated_ways, tested
from workbench.model import Kind, Scalar, WorkbenchError
from workbench.policy.connectives import TRUE, conjunction, disjunction, negate
from workbench.policy.elements import Place, collection_of, element_of, size_of
from workbench.policy.relations import RELATIONS, Family, Relation
from workbench.policy.terms import (
    Arithmetic,
    Attribute,
    Collection,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    IsMissing,
    Length,
    Member,
    Quantified,
    Quantifier,
    Term,
    Variable,
)
from workbench.policy.types import MOMENTS, NUMBERS, TEXTS, a_type
from workbench.serialization.durations import stated_duration

type Compared = tuple[Term, tuple[SayableFact, ...]]
"""A term, and the facts that it names."""

_YES = {"yes": True, "true": True, "no": False, "false": False}
_WHERE = {
    "is before": Comparison.GT,
    "is after": Comparison.LT,
    "is not before": Comparison.LE,
    "is not after": Comparison.GE,
}
"""Relations of times, with the comparison of the elapsed durations: “is before 3 days ago”."""
_GIVEN = (RELATIONS["is given"], RELATIONS["is not given"])
"""Relations that ask for an element if they are applied to a list, even if the list may be missing."""
_MOST_VALUES = 12
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(slots=True)
class Comparisons:
    """Reads comparisons of facts; ``values`` reads the values on the right side."""

    names: FactNames
    values: StatedValues = field(default_factory=StatedValues)

    def read(self, text: str) -> Compared | None:
        """The comparison that a text states; None if there is none. Raises WorkbenchError for an odd part."""
        return self._used(text) or self._truth(text) or self._compared(text)

    def _truth(self, text: str) -> Compared | None:
        negated = text.lower().startswith("not ")
        fact = self.names.fact(text[4:] if negated else text)
        if fact is None or fact.type.kind is not Kind.BOOL:
            return None
        return (negate(fact.term) if negated else fact.term), (fact,)

    def _compared(self, text: str) -> Compared | None:
        """The comparison at the first place where the words on both sides can be read."""
        trouble: WorkbenchError | None = None
        for reading in ways(text, "person_condition"):
            if reading.form != "comparison":
                continue
            try:
                compared = self._compared_in(reading)
            except WorkbenchError as error:
                trouble = trouble or error
            else:
                if compared is not None:
                    return compared
        if trouble is not None:
            raise trouble
        return None

    def _compared_in(self, comparison: Way) -> Compared | None:
        left, right = (*comparison.inner_texts, "")[:2]
        relation = RELATIONS[comparison.compared]
        elements = way(left, "person_noun", "elements")
        if elements is not None and (fact := self.names.set_called(elements.inner_texts[0])) is not None:
            quantifier = elements.parts[0][1].lower()
            _check_value(fact, relation, right)
            if relation.words == "is among" and (listed := self.names.set_called(right)) is not None:
                if quantifier not in ("each", "every", "all"):
                    raise odd(fact, relation.words, "say each before it")
                element = self._element(fact)
                body = Member(element, _collection(listed))
                return Quantified(Quantifier.ALL, element, _collection(fact), body), (fact, listed)
            return self._elements(quantifier, fact, relation, right)
        facts = self.names.sum_called(left)
        if facts is not None:
            _check_value(facts[0], relation, right)
            return self._single(facts, relation, right)
        return None

    def _single(self, facts: tuple[SayableFact, ...], relation: Relation, right: str) -> Compared:
        fact, kind = facts[0], facts[0].type.kind
        if relation.family is Family.PRESENCE:
            return self.presence(fact, relation)
        if (state := self._state(fact, relation, right)) is not None:
            return state, facts
        if kind in (Kind.SET, Kind.LIST):
            if relation.operator == "contains":
                return self._elements("no" if relation.negated else "some", fact, RELATIONS["is"], right)
            raise odd(fact, relation.words, "say each, some or no before it")
        if kind not in relation.kinds:
            raise odd(fact, relation.words, f"it is {_kind_of(fact)}")
        match relation.family:
            case Family.LENGTH:
                return _length(fact, relation, right), facts
            case Family.LISTED:
                return _unless(relation, Member(_sum(facts), self._values(fact, right))), facts
            case Family.TEST:
                return self._tests(fact, _sum(facts), relation, right), facts
            case Family.AMONG:
                return self._among(fact, relation, right)
            case _:
                return self._bound(facts, relation, right)

    def _bound(self, facts: tuple[SayableFact, ...], relation: Relation, right: str) -> Compared:
        fact, kind, operator = facts[0], facts[0].type.kind, relation.comparison
        if (related := self._related(facts, relation, right)) is not None:
            return related
        right_facts = None if self.values.is_member(fact, right) else self._others(facts, relation, right)
        if right_facts is not None and _comparable(facts, right_facts):
            return Compare(operator, _sum(facts), _sum(right_facts)), (*facts, *right_facts)
        if right_facts is not None and kind in TEXTS and right == bare(right):
            raise odd(fact, relation.words, f"it is a text, and “{right_facts[0].phrase}” is none")
        if kind in TEXTS:
            self._check_relation(fact, relation, right)
        return Compare(operator, _sum(facts), Constant(self._value(fact, right))), facts

    def _others(
        self, facts: tuple[SayableFact, ...], relation: Relation, right: str
    ) -> tuple[SayableFact, ...] | None:
        """The facts on the right side; in “patient id is patient id” about a child, that is the call's own.

        Raises WorkbenchError if a fact would be compared with itself, since that has no meaning.
        """
        right_facts = self.names.sum_called(right)
        if right_facts is None or [addend.name for addend in right_facts] != [fact.name for fact in facts]:
            return right_facts
        if (beyond := self.names.beyond(right)) is None or beyond.name == facts[0].name:
            raise odd(facts[0], relation.words, "it is compared with itself; name another fact")
        return (beyond,)

    def _related(self, facts: tuple[SayableFact, ...], relation: Relation, right: str) -> Compared | None:
        """A number compared with a part or a multiple of another, or a time with another or the present."""
        kind = facts[0].type.kind
        if (ago := way(right, "person_value", "ago")) is not None:
            return self._ago(facts[0], relation, ago)
        if kind in MOMENTS and (apart := way(right, "person_value", "apart")) is not None:
            return self._apart(facts[0], relation, apart)
        if kind in NUMBERS and (share := way(right, "person_value", "share")) is not None:
            return self._share(facts, relation, share)
        if kind in NUMBERS and (times := way(right, "person_value", "times_and", "times")) is not None:
            return self._times(facts, relation, times)
        return None

    def _share(self, facts: tuple[SayableFact, ...], relation: Relation, share: Way) -> Compared:
        """“is at least 97 % of” another number."""
        right_facts = self.names.sum_called(share.inner_texts[0])
        if right_facts is None or not _comparable(facts, right_facts):
            raise odd(facts[0], relation.words, "name a number behind the per cent")
        part = Arithmetic("*", _sum(right_facts), Constant(_number_in(share.of("SHARE")) / 100))
        return Compare(relation.comparison, _sum(facts), part), (*facts, *right_facts)

    def _times(self, facts: tuple[SayableFact, ...], relation: Relation, times: Way) -> Compared:
        """“is at most 40 euros for each attendee”: a number multiplied by another."""
        multiplied_fact = self.names.fact(times.inner_texts[0])
        if multiplied_fact is None or multiplied_fact.type.kind not in NUMBERS:
            raise odd(facts[0], relation.words, "name a number behind “for each”")
        added_facts = self.names.sum_called(times.inner_texts[1]) if times.form == "times_and" else ()
        if added_facts is None or any(fact.type.kind not in NUMBERS for fact in added_facts):
            raise odd(facts[0], relation.words, "name a number behind “plus”")
        factor = _factor(_number_in(times.of("FACTOR")), (*facts, multiplied_fact, *added_facts))
        product = _added(
            [Arithmetic("*", multiplied_fact.term, Constant(factor)), *(fact.term for fact in added_facts)]
        )
        return Compare(relation.comparison, _sum(facts), product), (*facts, multiplied_fact, *added_facts)

    def _among(self, fact: SayableFact, relation: Relation, right: str) -> Compared:
        listed = self.names.set_called(right)
        if listed is None or fact.type.kind not in TEXTS:
            raise odd(fact, relation.words, "name a list of texts behind it")
        return _unless(relation, Member(fact.term, _collection(listed))), (fact, listed)

    def presence(self, fact: SayableFact, relation: Relation) -> Compared:
        """The condition that a fact has a value, or has none. Raises WorkbenchError if it always has one."""
        tests: list[Term] = [IsMissing(place) for place in fact.lacking]
        if fact.type.kind is Kind.SET and (not tests or relation in _GIVEN):
            tests.append(negate(self._any_of(fact)))
        if not tests:
            raise odd(fact, relation.words, "it always has a value")
        return (disjunction(tests) if relation.negated else conjunction(map(negate, tests))), (fact,)

    def _ago(self, fact: SayableFact, relation: Relation, ago: Way) -> Compared:
        kind = fact.type.kind
        if kind not in MOMENTS:
            raise odd(fact, relation.words, "it is no time")
        now = self.names.fact("time of the call" if kind is Kind.DATETIME else "day of the call")
        if now is None or now.type.kind is not kind:
            present_name = "now" if kind is Kind.DATETIME else "today"
            raise odd(
                fact, relation.words, f"nothing says what {present_name} is; it takes an argument for that"
            )
        operator = _WHERE.get(relation.words, relation.comparison)
        return Compare(operator, Arithmetic("-", now.term, fact.term), _span(ago)), (now, fact)

    def _apart(self, fact: SayableFact, relation: Relation, apart: Way) -> Compared:
        """“is at most 92 days after” another time."""
        time, side = self.names.fact(apart.inner_texts[0]), apart.of("SPAN_AFTER") or apart.of("SPAN_BEFORE")
        if time is None or time.type.kind is not fact.type.kind:
            raise odd(fact, relation.words, f"name another time behind “{side}”")
        if time.name == fact.name:
            raise odd(fact, relation.words, "it is compared with itself; name another fact")
        after = bool(apart.of("SPAN_AFTER"))
        later, earlier = (fact, time) if after else (time, fact)
        operator = relation.comparison if after else _WHERE.get(relation.words, relation.comparison)
        return Compare(operator, Arithmetic("-", later.term, earlier.term), _span(apart)), (fact, time)

    def _elements(self, quantifier: str, fact: SayableFact, relation: Relation, right: str) -> Compared:
        """“each X is one of”, “some X is”, “no X starts with” for the elements of a set or list."""
        element, facts = self._element(fact), (fact,)
        if relation.family is Family.TEST:
            body = self._tests(fact, element, relation, right)
        elif relation.family is Family.LISTED or relation.words in ("is", "is not"):
            listed = relation.family is Family.LISTED
            right_fact = None if self.values.is_known(fact, right) else self.names.fact(right)
            if right_fact is not None and right_fact.type.kind is Kind.SET:
                raise odd(fact, relation.words, "two lists cannot be compared")
            if right_fact is not None and not listed and right_fact.type.kind in TEXTS:
                facts, body = (fact, right_fact), Compare(relation.comparison, element, right_fact.term)
            else:
                if not listed:
                    self._check_relation(fact, relation, right)
                body = _unless(relation, Member(element, self._values(fact, right)))
        else:
            raise odd(fact, relation.words, f"its elements are {_elements_of(fact)}")
        match quantifier:
            case "some" | "any":
                return Quantified(Quantifier.ANY, element, _collection(fact), body), facts
            case "no":
                return negate(Quantified(Quantifier.ANY, element, _collection(fact), body)), facts
            case _:
                return Quantified(Quantifier.ALL, element, _collection(fact), body), facts

    def _any_of(self, fact: SayableFact) -> Term:
        """The condition that a set has some element."""
        return Quantified(Quantifier.ANY, self._element(fact), _collection(fact), TRUE)

    def _element(self, fact: SayableFact) -> Variable:
        """An element of a list, whose name differs from all arguments that a condition may mention."""
        return element_of(_place(fact), self.names.in_terms)

    def _used(self, text: str) -> Compared | None:
        """“it comes out”, “it is only counted or joined on”: the use of a column in SQL."""
        fact = self.names.fact("way")
        if fact is None or fact.meaning != WAY or (use_test := stated_ways(text, fact.term)) is None:
            return None
        return use_test, (fact,)

    def _values(self, fact: SayableFact, words: str) -> ConstantSet:
        """The values of a list in words; the name of a group of programs gives each of its programs."""
        values: list[Scalar] = []
        for part in parts(words):
            together = self.values.together(fact, part)
            values += [self._value(fact, part)] if together is None else together
        return ConstantSet(tuple(dict.fromkeys(values)))

    def _value(self, fact: SayableFact, words: str) -> Scalar:
        if words.strip() == bare(words) and compares(words):
            raise WorkbenchError(f"“{words}” is no value of “{fact.phrase}”: a part of it is not understood.")
        value = self.values.value(fact, words)
        if fact.type.kind not in NUMBERS:
            self._check_plain(fact, words)
        return value

    def _tests(self, fact: SayableFact, tested_term: Term, relation: Relation, right: str) -> Term:
        for text in tested(right):
            self._check_plain(fact, text)
        return self.values.tests(fact, tested_term, relation, right)

    def _state(self, fact: SayableFact, relation: Relation, right: str) -> Term | None:
        """The state of a fact by a word that is no value (“is true”, “is not empty”); else None."""
        if relation.operator not in ("==", "!="):
            return None
        kind, word, operator = fact.type.kind, right.lower(), relation.comparison
        negated = operator is Comparison.NE
        if kind is Kind.BOOL and word in _YES:
            return fact.term if _YES[word] is not negated else negate(fact.term)
        empty = relation.words in ("is", "is not") and word == "empty"
        if not empty or kind not in RELATIONS["is empty"].kinds:
            return None
        if kind is Kind.STR:
            return Compare(operator, fact.term, Constant(""))
        if kind is Kind.LIST:
            return Compare(operator, size_of(_place(fact)), Constant(0))
        return self._any_of(fact) if negated else negate(self._any_of(fact))

    def _check_relation(self, fact: SayableFact, relation: Relation, words: str) -> None:
        """Raise WorkbenchError if words begin like another relation, and are no known text."""
        why = relates(words) if words == bare(words) else ""
        if why and not self.values.is_listed(fact, words):
            raise WorkbenchError(
                f"“{words}” behind “{fact.phrase} {relation.words}” is no plain text: {why}. "
                "Put a text in quotation marks."
            )

    def _check_plain(self, fact: SayableFact, words: str) -> None:
        """Raise WorkbenchError if words may be something other than a text to compare a fact with."""
        if badly_quoted(words):
            raise WorkbenchError(f"{words} beside “{fact.phrase}” is not one text in quotation marks.")
        if (why := odd_text(words, self.names)) and not self.values.is_known(fact, words):
            raise WorkbenchError(
                f"“{words}” beside “{fact.phrase}” is no plain text: {why}. Put a text in quotation marks."
            )


def _comparable(left: tuple[SayableFact, ...], right: tuple[SayableFact, ...]) -> bool:
    kinds = {fact.type.kind for fact in (*left, *right)}
    return len(kinds) == 1 or kinds <= NUMBERS or kinds <= TEXTS


def _check_value(fact: SayableFact, relation: Relation, right: str) -> None:
    """Raise WorkbenchError if a relation lacks its value, or has one although it takes none."""
    if relation.takes_value and not right:
        raise odd(fact, relation.words, "a value behind it is missing")
    if right and not relation.takes_value:
        raise odd(fact, relation.words, f"no value stands behind it, and “{right}” does")


def _sum(facts: Sequence[SayableFact]) -> Term:
    """The sum of the facts; a single fact is returned as it is."""
    return _added([fact.term for fact in facts])


def _added(terms: Sequence[Term]) -> Term:
    return reduce(partial(Arithmetic, "+"), terms)


def _unless(relation: Relation, term: Term) -> Term:
    """The term, negated if the relation is negative."""
    return negate(term) if relation.negated or relation.operator == "!=" else term


def _place(fact: SayableFact) -> Place:
    """The place that holds a list or a set; no other term is a list or set."""
    assert isinstance(fact.term, Variable | Attribute)
    return fact.term


def _collection(fact: SayableFact) -> Collection:
    return collection_of(_place(fact))


def _kind_of(fact: SayableFact) -> str:
    type_ = fact.type
    if type_.kind is Kind.ENUM:
        return f"one of {', '.join(type_.values[:_MOST_VALUES])}"
    kind_words = {Kind.BOOL: "yes or no", Kind.STR: "a text"}.get(type_.kind)
    return kind_words or a_type(replace(type_, optional=False))


def _elements_of(fact: SayableFact) -> str:
    element = fact.type.element
    return "texts" if element is None or element.kind in TEXTS else "numbers"


def _length(fact: SayableFact, relation: Relation, right: str) -> Term:
    if way(right, "person_value", "length") is None:
        raise odd(fact, relation.words, "say how many characters a text has")
    return Compare(relation.comparison, Length(fact.term), Constant(int(_number_in(right))))


def _number_in(text: str) -> Decimal:
    """The number at the beginning of a text."""
    match = _NUMBER.match(text)
    assert match is not None, "the grammar reads a number there"
    return Decimal(match[0].replace(",", ""))


def _span(reading: Way) -> Constant:
    """“30 days” as a constant of the dialect; raises WorkbenchError if the duration is too long for one."""
    duration = stated_duration(reading.of("SPAN"))
    if duration is None:
        raise WorkbenchError(f"“{reading.of('SPAN')}” is no duration.")
    return Constant(duration)


def _factor(number: Decimal, facts: Sequence[SayableFact]) -> int | Decimal:
    """The number by which a fact is multiplied: an int if the number and all facts are whole."""
    whole = all(fact.type.kind is Kind.INT for fact in facts)
    return int(number) if whole and number == number.to_integral_value() else number
