"""Numbers that a sentence compares: the bound with its unit, and the facts that it may limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.author.rules.words import split_words, stem
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.policy.types import NUMBERS
from workbench.runs.values.name_words import NAMED_IN_REQUESTS

_UP = r"at least|no less than|not less than|no fewer than|a minimum of|minimum|min\.?"
_DOWN = r"at most|up to(?: and including)?|no more than|not more than|a maximum of|maximum|max\.?|a limit of"
_MORE = r"(?:more|greater|larger|higher|older|later|longer|bigger) than|over|above|beyond|exceed(?:s|ing)?"
_LESS = r"(?:less|fewer|lower|smaller|younger|earlier|shorter) than|under|below"
_NUMBER = r"(?:[$€£]\s?)?\d[\d,]*(?:\.\d+)?"
_UNIT = (
    r"(?:\s?(?:%|€|EUR|USD|GBP|CHF)(?!\w)|[ -](?!(?:or|and|at|in|of|on|to|is|are|for|per|each|if)\b)[a-z]+)?"
)
_BEFORE = re.compile(
    rf"(?<!\w)(?:(?:for|of|by|to|with|costs?|is|are) )?(?:(?P<up>{_UP})|(?P<down>{_DOWN})|(?P<more>{_MORE})|"
    rf"(?P<less>{_LESS}))\s+(?P<number>{_NUMBER})(?P<unit>{_UNIT})"
    r"(?!\s*(?:or|and)\s+(?:older|over|more|above|higher|younger|under|less|below|fewer))(?!\w)",
    re.I,
)
_AFTER = re.compile(
    rf"(?:(?:who|that|which) (?:is|are) )?(?<!\w)(?P<number>{_NUMBER})(?P<unit>{_UNIT})\s+(?:or|and)\s+"
    r"(?:(?P<up>older|over|more|above|higher|longer|later)|(?P<down>younger|under|less|below|fewer|lower|shorter))\b",
    re.I,
)
_OF_AGE = re.compile(r"\b(?:older|younger|aged?|years? old|birthday)\b", re.I)
_SAID = {"up": "is at least", "down": "is at most", "more": "is more than", "less": "is less than"}
_MONEY = {
    "eur": frozenset({"eur", "euro", "euros", "€"}),
    "usd": frozenset({"usd", "dollar", "dollars", "$"}),
    "gbp": frozenset({"gbp", "pound", "pounds", "£"}),
    "chf": frozenset({"chf", "francs"}),
}
_OF_MONEY = frozenset(map(stem, NAMED_IN_REQUESTS["amount"]))
_TOTAL = re.compile(
    r"\b(?:together|in total|altogether|in all|combined|"
    r"(?:per|in (?:a|one|the)|of (?:a|one|the)|during (?:a|one)) (?:single )?(?:conversation|session|run))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class StatedBound:
    """A number with its comparison, at a place of a sentence; ``total`` is True for a bound on a sum."""

    way: str
    number: str
    unit: str
    start: int
    end: int
    of_age: bool
    total: bool

    @property
    def holds(self) -> str:
        """The comparison in the words of a condition."""
        return f"{_SAID[self.way]} {self.quantity}"

    @property
    def quantity(self) -> str:
        """The number, with its unit if that is money or a share."""
        unit = self.unit if _currency(self.unit) else ""
        return f"{self.number} {unit}".strip()

    @property
    def limits(self) -> bool:
        """Whether the bound is an upper bound."""
        return self.way in ("down", "less")

    def facts(
        self, facts: Iterable[SayableFact], tools: Sequence[str], named: frozenset[str]
    ) -> list[SayableFact]:
        """The facts that the bound may limit; facts of the call itself come first.

        ``named`` are the arguments that the sentence names.
        """
        all_facts = tuple(facts)
        having = _tools_by_path(all_facts)
        fit = [fact for fact in all_facts if fact.type.kind in NUMBERS]
        fit = [
            fact
            for fact in fit
            if self._is_about(fact, named) and {*tools} <= {*(fact.tools or having.get(_path(fact)) or tools)}
        ]
        call_facts = [fact for fact in fit if fact.source is FactSource.CALL]
        fitting = call_facts or [fact for fact in fit if fact.source is FactSource.EXTRACTED]
        return list({fact.name: fact for fact in fitting}.values())

    def _is_about(self, fact: SayableFact, named: frozenset[str]) -> bool:
        words = {stem(word) for word in split_words(f"{fact.phrase} {fact.name} {fact.description}")}
        if self.of_age:
            return stem("age") in words
        currency = _currency(self.unit or self.number[0])
        description = f"{fact.phrase} {fact.description}".lower()
        own_currency = next(
            (
                known_currency
                for known_currency, forms in _MONEY.items()
                if any(_stands(form, description) for form in forms)
            ),
            "",
        )
        if currency:
            return own_currency == currency or (not own_currency and bool(words & _OF_MONEY))
        if self.unit.strip():
            return not own_currency and stem(self.unit.strip()) in words
        return fact.name in named


def _path(fact: SayableFact) -> str:
    """The path of a fact's value in a call; empty if the fact is not from the call."""
    source = fact.extraction
    return "" if source is None or source.method != "jsonpath" else str(source.options.get("path", ""))


def _tools_by_path(facts: Iterable[SayableFact]) -> dict[str, frozenset[str]]:
    """The tools whose schemas have a value at a path, by the path."""
    tools_by_path: dict[str, frozenset[str]] = {}
    for fact in facts:
        if fact.tools and (path := _path(fact)):
            tools_by_path[path] = tools_by_path.get(path, frozenset()) | {*fact.tools}
    return tools_by_path


def stated_bounds(text: str) -> list[StatedBound]:
    """Every number of a text that is part of a comparison."""
    matches = sorted((*_BEFORE.finditer(text), *_AFTER.finditer(text)), key=lambda match: match.start())
    return [_bound(match, text) for match in matches]


def _bound(match: re.Match[str], text: str) -> StatedBound:
    way = next(name for name in _SAID if match.groupdict().get(name))
    unit = (match["unit"] or "").strip(" -")
    number = match["number"].strip("$€£ ").rstrip(",")
    sign = match["number"][0] if match["number"][0] in "$€£" else ""
    of_age = bool(_OF_AGE.search(match.group())) or (
        unit.lower() in ("years", "year") and "age" in text.lower()
    )
    return StatedBound(way, number, unit or sign, *match.span(), of_age, _TOTAL.search(text) is not None)


def _currency(unit: str) -> str:
    return next((name for name, forms in _MONEY.items() if unit.strip().lower() in forms), "")


def _stands(form: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) is not None
