"""Comparisons in the words of a person as terms of the dialect: “method is one of card, cash”.

Nothing is guessed: any other comparison raises an error that says what to write.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from workbench.clarify.fact_names import FactNames
from workbench.clarify.plain_texts import odd_text
from workbench.clarify.said_values import TESTS, WAY, SaidValues, bare, odd, parts, said_ways, tested
from workbench.clarify.sayable_facts import SayableFact
from workbench.clarify.told_forms import Way, compares, way, ways
from workbench.model import Kind, WorkbenchError
from workbench.policy.literals import literal
from workbench.policy.types import MOMENTS, NUMBERS, TEXTS

type Compared = tuple[str, tuple[SayableFact, ...]]
"""The text of a term, and the facts that it names."""

_BOUNDS = {
    "is at most": "<=",
    "is at least": ">=",
    "is more than": ">",
    "is less than": "<",
    "is not before": ">=",
    "is not after": "<=",
    "is before": "<",
    "is after": ">",
    "is exactly": "==",
    "is not among": "not in",
    "is among": "in",
    "is the same as": "==",
    "is not the same as": "!=",
    "is not": "!=",
    "is": "==",
}
_LISTS = {"is none of": True, "is not one of": True, "is one of": False}
"""Words that say that a value is one of several; True for those that say that it is none."""
PRESENT = {"is not known": True, "is known": False, "is not given": True, "is given": False}
"""Words that say whether a fact has a value; True for those that say that it has none."""
_LENGTHS = {"has at least": ">=", "has at most": "<="}
COMPARED = (*_BOUNDS, *_LISTS, *_LENGTHS, *PRESENT)
"""Comparisons beside the tests of texts; the grammar has a word for each."""
_YES = {"yes": True, "true": True, "no": False, "false": False}
_AMONG = ("is among", "is not among")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(slots=True)
class Comparisons:
    """Reads comparisons of facts; ``values`` reads the values that they are compared with."""

    names: FactNames
    values: SaidValues = field(default_factory=SaidValues)

    def read(self, text: str) -> Compared | None:
        """The comparison that a text states, None without one; raises WorkbenchError for an odd part."""
        return self._used(text) or self._truth(text) or self._compared(text)

    def _truth(self, text: str) -> Compared | None:
        negated = text.lower().startswith("not ")
        fact = self.names.fact(text[4:] if negated else text)
        if fact is None or fact.argument.type.kind is not Kind.BOOL:
            return None
        return (f"not {fact.argument.name}" if negated else fact.argument.name), (fact,)

    def _compared(self, text: str) -> Compared | None:
        """The comparison at the first place where the words on both sides are understood."""
        trouble: WorkbenchError | None = None
        for reading in ways(text, "told_condition"):
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
        how = comparison.compared
        elements = way(left, "told_noun", "elements")
        if elements is not None and (fact := self.names.set_called(elements.inner_texts[0])) is not None:
            quantifier = elements.parts[0][1].lower()
            if how == "is among" and (listed := self.names.set_called(right)) is not None:
                if quantifier not in ("each", "every", "all"):
                    raise odd(fact, how, "say each before it")
                return f"{fact.argument.name} <= {listed.argument.name}", (fact, listed)
            return self._elements(quantifier, fact, how, right)
        facts = self.names.sum_called(left)
        if facts is not None:
            return self._single(facts, how, right)
        return None

    def _single(  # noqa: C901 # one case for each kind of comparison
        self, facts: tuple[SayableFact, ...], how: str, right: str
    ) -> Compared:
        left = " + ".join(fact.argument.name for fact in facts)
        fact, kind = facts[0], facts[0].argument.type.kind
        if how in PRESENT:
            return self.presence(fact, how)
        if kind is Kind.SET:
            if how in ("contains", "does not contain"):
                return self._elements("some" if how == "contains" else "no", fact, "is", right)
            raise odd(fact, how, "say each, some or no before it")
        if kind is Kind.BOOL and how in ("is", "is not") and right.lower() in _YES:
            return (left if _YES[right.lower()] is (how == "is") else f"not {left}"), facts
        if how in _LENGTHS:
            return _length(fact, how, right), facts
        if how in _LISTS:
            return f"{left} {'not ' if _LISTS[how] else ''}in {{{self._values(fact, right)}}}", facts
        if how in TESTS:
            return self._tests(fact, left, how, right), facts
        if how in _AMONG:
            return self._among(fact, how, right)
        if (related := self._related(facts, how, right)) is not None:
            return related
        others = None if self.values.is_member(fact, right) else self._others(facts, how, right)
        if others is not None and _comparable(facts, others):
            other = " + ".join(other_fact.argument.name for other_fact in others)
            return f"{left} {_BOUNDS[how]} {other}", (*facts, *others)
        if others is not None and kind in TEXTS and right == bare(right):
            raise odd(fact, how, f"it is a text, and “{others[0].phrase}” is none")
        return f"{left} {_BOUNDS[how]} {self._value(fact, right)}", facts

    def _others(self, facts: tuple[SayableFact, ...], how: str, right: str) -> tuple[SayableFact, ...] | None:
        """The facts beside which others are compared: “patient id is patient id” of a child means the call's.

        Raises WorkbenchError where a fact would be compared with itself, which says nothing.
        """
        others = self.names.sum_called(right)
        if others is None or [other_fact.argument.name for other_fact in others] != [
            fact.argument.name for fact in facts
        ]:
            return others
        if (beyond := self.names.beyond(right)) is None or beyond.argument.name == facts[0].argument.name:
            raise odd(facts[0], how, "it is compared with itself; name another fact")
        return (beyond,)

    def _related(self, facts: tuple[SayableFact, ...], how: str, right: str) -> Compared | None:
        """A number beside a part or a multiple of another, a time beside another one or the present."""
        kind = facts[0].argument.type.kind
        if (ago := way(right, "told_value", "ago")) is not None:
            return self._ago(facts[0], how, ago)
        if kind in MOMENTS and (apart := way(right, "told_value", "apart")) is not None:
            return self._apart(facts[0], how, apart)
        if kind in NUMBERS and (share := way(right, "told_value", "share")) is not None:
            return self._share(facts, how, share)
        if kind in NUMBERS and (times := way(right, "told_value", "times_and", "times")) is not None:
            return self._times(facts, how, times)
        return None

    def _share(self, facts: tuple[SayableFact, ...], how: str, share: Way) -> Compared:
        """“is at least 97 % of” another number."""
        others = self.names.sum_called(share.inner_texts[0])
        if others is None or not _comparable(facts, others) or how not in _BOUNDS:
            raise odd(facts[0], how, "name a number behind the per cent")
        left = " + ".join(fact.argument.name for fact in facts)
        whole = " + ".join(fact.argument.name for fact in others)
        factor = literal(_number_in(share.of("SHARE")) / 100)
        return f"{left} {_BOUNDS[how]} ({whole}) * {factor}", (*facts, *others)

    def _times(self, facts: tuple[SayableFact, ...], how: str, times: Way) -> Compared:
        """“is at most 40 euros for each attendee”: a number multiplied by another."""
        other = self.names.fact(times.inner_texts[0])
        if other is None or other.argument.type.kind not in NUMBERS or how not in _BOUNDS:
            raise odd(facts[0], how, "name a number behind “for each”")
        more = self.names.sum_called(times.inner_texts[1]) if times.form == "times_and" else ()
        if more is None or any(fact.argument.type.kind not in NUMBERS for fact in more):
            raise odd(facts[0], how, "name a number behind “plus”")
        left = " + ".join(fact.argument.name for fact in facts)
        factor = literal(_factor(_number_in(times.of("FACTOR")), (*facts, other, *more)))
        product = " + ".join((f"{other.argument.name} * {factor}", *(fact.argument.name for fact in more)))
        return f"{left} {_BOUNDS[how]} {product}", (*facts, other, *more)

    def _among(self, fact: SayableFact, how: str, right: str) -> Compared:
        listed = self.names.set_called(right)
        if listed is None or fact.argument.type.kind not in TEXTS:
            raise odd(fact, how, "name a list of texts behind it")
        return f"{fact.argument.name} {_BOUNDS[how]} {listed.argument.name}", (fact, listed)

    def presence(self, fact: SayableFact, how: str) -> Compared:
        """Whether a fact is there: ``how`` is one of ``PRESENT``. Raises WorkbenchError if it always is."""
        name = fact.argument.name
        if fact.absent and fact.argument.type.optional:
            how_none, joint = ("is None", " or ") if PRESENT[how] else ("is not None", " and ")
            return f"({joint.join(f'{place} {how_none}' for place in fact.absent)})", (fact,)
        if fact.argument.type.kind is Kind.SET:
            text = f"any(True for {name}_element in {name})"
            return (f"not {text}" if PRESENT[how] else text), (fact,)
        if not fact.argument.type.optional:
            raise odd(fact, how, "it always has a value")
        return f"{name} is {'' if PRESENT[how] else 'not '}None", (fact,)

    def _ago(self, fact: SayableFact, how: str, ago: Way) -> Compared:
        kind = fact.argument.type.kind
        now = self.names.fact("time of the call" if kind is Kind.DATETIME else "day of the call")
        if kind not in MOMENTS or now is None or how not in _BOUNDS:
            raise odd(fact, how, "it is no time")
        past = _span(ago)
        return f"{now.argument.name} - {fact.argument.name} {_BOUNDS[how]} {past}", (now, fact)

    def _apart(self, fact: SayableFact, how: str, apart: Way) -> Compared:
        """“is at most 92 days after” another time."""
        other, side = self.names.fact(apart.inner_texts[0]), apart.of("SPAN_AFTER") or apart.of("SPAN_BEFORE")
        if other is None or other.argument.type.kind is not fact.argument.type.kind or how not in _BOUNDS:
            raise odd(fact, how, f"name another time behind “{side}”")
        if other.argument.name == fact.argument.name:
            raise odd(fact, how, "it is compared with itself; name another fact")
        later, earlier = (fact, other) if apart.of("SPAN_AFTER") else (other, fact)
        return f"{later.argument.name} - {earlier.argument.name} {_BOUNDS[how]} {_span(apart)}", (fact, other)

    def _elements(self, quantifier: str, fact: SayableFact, how: str, right: str) -> Compared:
        """“each X is one of”, “some X is”, “no X starts with” over a set, or beside another fact."""
        name, facts = fact.argument.name, (fact,)
        element = f"{name}_element"
        if how in TESTS:
            body = self._tests(fact, element, how, right)
        elif how in (*_LISTS, "is", "is not"):
            negated = _LISTS.get(how, how == "is not")
            other = None if self.values.is_known(fact, right) else self.names.fact(right)
            if other is not None and other.argument.type.kind is Kind.SET:
                raise odd(fact, how, "two lists cannot be compared")
            if other is not None and how not in _LISTS and other.argument.type.kind in TEXTS:
                facts, body = (fact, other), f"{element} {_BOUNDS[how]} {other.argument.name}"
            else:
                body = f"{element} {'not ' if negated else ''}in {{{self._values(fact, right)}}}"
        else:
            raise odd(fact, how, "its elements are texts")
        match quantifier:
            case "some" | "any":
                return f"any({body} for {element} in {name})", facts
            case "no":
                return f"not any({body} for {element} in {name})", facts
            case _:
                return f"all({body} for {element} in {name})", facts

    def _used(self, text: str) -> Compared | None:
        """“it comes out”, “it is only counted or joined on”: what SQL does with a column."""
        fact = self.names.fact("way")
        if fact is None or fact.meaning != WAY or (ways := said_ways(text)) is None:
            return None
        return f"{fact.argument.name} {ways}", (fact,)

    def _values(self, fact: SayableFact, words: str) -> str:
        """The values of a list in words as literals; what programs are called together stands for each."""
        literals: list[str] = []
        for part in parts(words):
            together = self.values.together(fact, part)
            literals += (
                [self._value(fact, part)] if together is None else [literal(program) for program in together]
            )
        return ", ".join(literals)

    def _value(self, fact: SayableFact, words: str) -> str:
        if words.strip() == bare(words) and compares(words):
            raise WorkbenchError(f"“{words}” is no value of “{fact.phrase}”: a part of it is not understood.")
        value = self.values.value(fact, words)
        if fact.argument.type.kind not in NUMBERS:
            self._check_plain(fact, words)
        return value

    def _tests(self, fact: SayableFact, place: str, how: str, right: str) -> str:
        for text in tested(right):
            self._check_plain(fact, text)
        return self.values.tests(fact, place, how, right)

    def _check_plain(self, fact: SayableFact, words: str) -> None:
        """Raises WorkbenchError where words may be something else than a text to compare a fact with."""
        if (why := odd_text(words, self.names)) and not self.values.is_known(fact, words):
            raise WorkbenchError(
                f"“{words}” beside “{fact.phrase}” is no plain text: {why}. Put a text in quotation marks."
            )


def _comparable(left: tuple[SayableFact, ...], right: tuple[SayableFact, ...]) -> bool:
    kinds = {fact.argument.type.kind for fact in (*left, *right)}
    return len(kinds) == 1 or kinds <= NUMBERS or kinds <= TEXTS


def _length(fact: SayableFact, how: str, right: str) -> str:
    length = way(right, "told_value", "length")
    if length is None or fact.argument.type.kind is not Kind.STR:
        raise odd(fact, how, "say how many characters a text has")
    return f"len({fact.argument.name}) {_LENGTHS[how]} {_number_in(right)}"


def _number_in(text: str) -> Decimal:
    """The number that a text begins with."""
    match = _NUMBER.match(text)
    assert match is not None, "the grammar reads a number there"
    return Decimal(match[0].replace(",", ""))


def _span(reading: Way) -> str:
    """“30 days” as an expression of the dialect."""
    number, unit = reading.of("SPAN").lower().split()
    return f"timedelta({unit.removesuffix('s')}s={number})"


def _factor(number: Decimal, facts: Sequence[SayableFact]) -> int | Decimal:
    """The number that a fact is multiplied by: a whole one where all beside it are whole."""
    whole = all(fact.argument.type.kind is Kind.INT for fact in facts)
    return int(number) if whole and number == number.to_integral_value() else number
