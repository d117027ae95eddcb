"""The desk that sentences are about: the words by which its tools, fields and values are named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from workbench.language.enum_values import enum_texts
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import stem
from workbench.language.language import Language
from workbench.language.nameable import stems_of
from workbench.language.reading import TooLong
from workbench.language.search.found import Group
from workbench.language.trees import Tree
from workbench.language.vocabulary import words_named

READING = words_named("reading")
LIKELY = 0.6


@dataclass
class Desk:
    """What the search knows of a language, whatever the sentence; ``synonyms`` were confirmed by a person."""

    language: Language
    synonyms: Iterable[tuple[str, str]] = ()

    def sentence(self, text: str, around: str = "") -> ForeignSentence:
        """A foreign sentence about the desk."""
        return ForeignSentence(text, around, self.known, self.names, self.doings)

    @cached_property
    def known(self) -> Mapping[str, frozenset[str]]:
        """The stems that a person confirmed for each stem."""
        known: dict[str, set[str]] = {}
        for one, other in self.synonyms:
            known.setdefault(stem(one), set()).add(stem(other))
        return {one: frozenset(others) for one, others in known.items()}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the parameters of the calls, and the words of those whose keys have other letters."""
        every = [
            (one.name, self.language.lexicon.words_of_field(call.name, one.name))
            for call in self.language.types.calls.values() for one in call.fields
        ]  # fmt: skip
        return frozenset(name for name, _ in every) | {words for _, words in every if not words.isascii()}

    @property
    def tells_approvals(self) -> bool:
        """Whether a field tells that something was approved, which then need not be a person's yes now."""
        return stem("approved") in self.recorded

    @cached_property
    def recorded(self) -> frozenset[str]:
        """The stems of the fields of records."""
        return frozenset(
            word
            for record in self.language.types.records.values() for one in record.fields
            for word in stems_of(self.language.lexicon.words_of_field(record.name, one.name))
        )  # fmt: skip

    @cached_property
    def doings(self) -> tuple[tuple[str, ...], ...]:
        """The stems of what each tool does, the verb first."""
        return tuple(self.doing_of.values())

    @cached_property
    def doing_of(self) -> Mapping[str, tuple[str, ...]]:
        """The stems of what the tool of each class does."""
        calls = self.language.types.calls
        return {name: stems_of(self.language.lexicon.tool_words(call)) for name, call in calls.items()}

    @cached_property
    def values(self) -> Mapping[str, frozenset[str]]:
        """The values of each field that has some, by its name."""
        found: dict[str, frozenset[str]] = {}
        for one in chain.from_iterable(self.language.lexicon.fields.values()):
            found[one.name] = found.get(one.name, frozenset()) | frozenset(enum_texts(one.sort).values())
        return {name: values for name, values in found.items() if values}

    def reads(self, name: str) -> bool:
        """Whether a tool only reads, by its name."""
        return self.language.types.calls[name].tool.casefold().replace("-", "_").split("_")[0] in READING

    def is_done(self, sentence: ForeignSentence, name: str) -> bool:
        """Whether the sentence says what the tool does, by its first word."""
        call = self.language.types.calls.get(name)
        words = () if call is None else stems_of(self.language.lexicon.tool_words(call))
        return any(
            place >= 0 and sure >= LIKELY for one in words[:1] for place, sure in sentence.stems.get(one, ())
        )

    def is_closed(self, group: Group) -> bool:
        """Whether calls of some tools are allowed only where a rule says so."""
        return not self.language.policy.default_allow or self._permits(group)

    def _permits(self, group: Group) -> bool:
        tools = {
            self.language.types.calls[one].tool for one in group.classes if one in self.language.types.calls
        }
        return any(
            one.name.startswith("permit_") and tools & {term.tool for term in one.terms}
            for one in self.language.policy.rules
        )

    def text_of(self, tree: Tree) -> str:
        """The sentence of the language for a tree; empty where it is too long."""
        try:
            return self.language.write(tree)
        except TooLong:
            return ""
