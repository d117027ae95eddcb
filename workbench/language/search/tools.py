"""The tools that a sentence may be about, one by one and several together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.dialect.call_file import ANY_CALL
from workbench.language.enum_values import enum_words
from workbench.language.foreign.cues import Cue
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import stem
from workbench.language.nameable import stems_of
from workbench.language.productions import kind_of
from workbench.language.search.desk import LIKELY, READING, Desk
from workbench.language.search.found import Group
from workbench.language.trees import Tree
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of_name

_MOST_GROUPS = 7
_IN_CASE = frozenset(("if", "when", "whenever"))
_SURE = 0.9
_HEADING = 0.5
_BEGINNING = re.compile(r"[^.,;:(]*?(?=$|[.,;:(]| (?:to|of|from|with|for|in|on|and|that|by|or|at|as)\b)")
"""What the description of a tool says that it does, and to what."""
_MOST_SAID = 4
_MOST_TOGETHER = 8
_IN_A_ROW = 0.4
_IS_READING = 1.4
_READING_STEMS = frozenset(map(stem, READING))
_EVERY = words_named("every")


@dataclass
class ToolGroups:
    """Finds the tools that a sentence may be about."""

    desk: Desk

    def groups_of(self, sentence: ForeignSentence, without: frozenset[str] = frozenset()) -> Sequence[Group]:
        """The tools that the sentence may be about, the likeliest first."""
        ones = sorted(
            (self.group_of(sentence, name) for name in self.desk.language.types.calls),
            key=lambda one: -one.worth,
        )
        listed = {name for several in self._listed(sentence, ones) for one in several for name in one.classes}
        ones = [one for one in ones if one.classes[0] not in without - listed]
        acting = [one for one in ones if not self.desk.reads(one.classes[0])]
        groups = [*ones[:2], *acting[:4]]
        if acting:
            best = acting[0].worth
            groups += self._together([one for one in acting if one.worth >= best - 0.01], 0.05)
            groups += self._together([one for one in acting if one.worth >= best - 0.3], 0.03)
            groups += self._together(
                [one for one in acting if self.desk.is_done(sentence, one.classes[0])], 0.0
            )
        for record in self.desk.language.types.records.values():
            words = stems_of(words_of_name(record.name))
            named = [place for word in words for place, _ in sentence.stems.get(word, ()) if place >= 0]
            if named and record.key:
                keys = {record.key, f"{record.name}_id"}
                calls = self.desk.language.types.calls
                of_record = [
                    one for one in acting if keys & {each.name for each in calls[one.classes[0]].fields}
                ]
                shared = frozenset[int](named)
                groups += [
                    Group(one.classes, one.used & shared, one.worth, one.used - shared | one.faint)
                    for one in self._together(of_record, 0.2)
                ]
        for several in self._listed(sentence, acting):
            groups += self._together(several, _IN_A_ROW)
        groups += self._with_value(sentence, acting)
        groups += self._reading(sentence, ones)
        every = {word.number for word in sentence.words if word.low in _EVERY}
        if every or not ones:
            groups.append(Group((ANY_CALL,), frozenset(every), 0.6))
        unique: dict[frozenset[str], Group] = {}
        for one in groups:
            unique.setdefault(frozenset(one.classes), one)
        ranked = sorted(unique.values(), key=lambda one: -one.worth)
        named = bool(ranked) and bool(ranked[0].used)
        return ranked[:_MOST_GROUPS] if named else [*ranked[:_MOST_GROUPS], *acting[:_MOST_GROUPS]]

    def _listed(self, sentence: ForeignSentence, ones: Sequence[Group]) -> Iterator[Sequence[Group]]:
        """Yield the tools that are named in a row: "no rollout, no targets and no experiment"."""
        best: dict[int, tuple[bool, Group]] = {}
        for one in ones:
            for number, word in enumerate(self.desk.doing_of[one.classes[0]]):
                for at, sure in sentence.stems.get(word, ()):
                    known = best.get(at)
                    better = known is None or (not number and not known[0])  # the likeliest stand first
                    if at >= 0 and sure >= _SURE and better:
                        best[at] = not number, one
        for row in sentence.in_rows(best):
            several = list(dict.fromkeys(best[at][1] for at in row))
            if len({*row}) == len(several):
                yield several

    def acts_in_rows(self, sentence: ForeignSentence) -> frozenset[int]:
        """The words that say several acts in a row, as in "both releasing and discarding"."""
        verbs = {words[0] for words in self.desk.doings if words}
        places = (
            at for word in verbs for at, sure in sentence.stems.get(word, ()) if at >= 0 and sure >= _SURE
        )
        acts = {at for at in places if not sentence.is_adjective(at) and at not in sentence.described}
        return frozenset(at for row in sentence.in_rows(acts) for at in row)

    def _reading(self, sentence: ForeignSentence, ones: Sequence[Group]) -> Iterator[Group]:
        """The tools that only read, of a sentence that permits to read: "looking up donors is allowed"."""
        said = self.permits_to_read(sentence)
        readers = [one for one in ones if self.desk.reads(one.classes[0])]
        named = [one for one in readers if one.used - said] or readers
        for one in (*self._together(named, 0.0), *named) if said else ():
            yield replace(one, used=one.used | said, faint=one.faint - said, worth=one.worth + _IS_READING)

    def permits_to_read(self, sentence: ForeignSentence) -> frozenset[int]:
        """The words of the verb where it is permitted to read, and nothing else is said to be done."""
        norm = sentence.norm
        if norm is None or norm.cue is not Cue.PERMIT:
            return frozenset()
        after = range(norm.after, norm.after + 2)
        said = [
            word.number for word in sentence.words
            if word.stem in _READING_STEMS and word.number not in sentence.told
            and (not word.number or word.number in after)
        ]  # fmt: skip
        return frozenset(
            at for first in said[:1] for at in (first, first + 1)
            if at == first or [word.low for word in sentence.words[at : at + 1]] == ["up"]
        )  # fmt: skip

    def _with_value(self, sentence: ForeignSentence, acting: Sequence[Group]) -> Iterator[Group]:
        """The tools with a parameter that can have a value which is named: all that change "production"."""
        calls = self.desk.language.types.calls
        for name, values in self.desk.values.items():
            several = [
                one for one in acting if any(each.name == name for each in calls[one.classes[0]].fields)
            ]
            named = (stems_of(words_of_name(value)) for value in values)
            if len(several) > 1 and any(
                words
                and all(
                    any(at >= 0 and sure >= _SURE for at, sure in sentence.stems.get(word, ()))
                    for word in words
                )
                for words in named
            ):
                yield from self._together(several, 0.05)

    def _together(self, several: Sequence[Group], more: float) -> Iterator[Group]:
        """Several tools as one group: named by the words of all, and by those that each has for itself."""
        if 1 < len(several) <= _MOST_TOGETHER:
            counts = Counter(number for one in several for number in one.used)
            used = frozenset(number for number, count in counts.items() if count in (1, len(several)))
            faint = frozenset(counts).union(*(one.faint for one in several)) - used
            worth = sum(one.worth for one in several) / len(several) + more
            yield Group(tuple(one.classes[0] for one in several), used, worth, faint)

    def acts_of(self, sentence: ForeignSentence) -> tuple[frozenset[Tree], frozenset[Tree]]:
        """The tools whose acts the main clause says, and those of which only another clause says them.

        "If a refund is paid, somebody must agree" is about what its condition says.
        """
        main: set[Tree] = set()
        told: dict[Tree, set[str]] = {}
        for call in self.desk.language.types.calls.values():
            for word in stems_of(self.desk.language.lexicon.tool_words(call))[:1]:
                every = [(sure, at) for at, sure in sentence.stems.get(word, ()) if at >= 0]
                best = max((sure for sure, _ in every), default=0.0)
                places = {at for sure, at in every if sure == best >= LIKELY}
                if places and places <= sentence.told.keys():
                    if best >= _SURE:
                        told["name", call.name] = {sentence.told[at] for at in places}
                elif places:
                    main.add(("name", call.name))
        if sentence.asks or (sentence.norm is not None and sentence.norm.cue is Cue.REQUIRE):
            return frozenset(main), frozenset()
        return frozenset(main), frozenset(one for one, by in told.items() if main or not by & _IN_CASE)

    def not_meant(self, sentence: ForeignSentence) -> frozenset[str]:
        """The tools of which a sentence does not say what they do, if it says of another: and to what."""
        calls = self.desk.language.types.calls
        wanted = {at for one in sentence.at(Cue.UNLESS) for at in sentence.what_follows(one)}
        own = {at for at in range(len(sentence.words)) if at not in sentence.told and at not in wanted}
        said = [
            [
                {at for at, sure in sentence.stems.get(one, ()) if sure >= _SURE} & own
                for one in stems_of(self.desk.language.lexicon.tool_words(call))
            ]
            for call in calls.values()
        ]
        nouns = {
            word
            for one in self.desk.language.types.records.values()
            for word in stems_of(words_of_name(one.name))
        }
        if not any(
            all(words)
            and any(sentence.words[at].stem not in nouns and not sentence.is_adjective(at) for at in words[0])
            for words in said
        ):
            return frozenset()
        return frozenset(
            name for name, call in calls.items()
            if not any(
                at >= 0 and sure >= LIKELY and not sentence.is_adjective(at)
                for one in stems_of(self.desk.language.lexicon.tool_words(call))[:1]
                for at, sure in sentence.stems.get(one, ())
            )
        )  # fmt: skip

    def group_of(self, sentence: ForeignSentence, name: str) -> Group:
        """A tool, with the words of a sentence that name it."""
        ways = self._ways[name]
        if all(map(sentence.stems.get, ways[0])):
            ways = ways[:1]
        named = (self._named_by(sentence, words, first=not number) for number, words in enumerate(ways))
        best = max(named, key=lambda one: one.worth)
        worth = best.worth
        for word in self._vocabulary[name] - set(ways[0]):
            alone = 1 / max(1, self._tools_with[word])
            worth += max((sure for _, sure in sentence.stems.get(word, ())), default=0) * (0.1 + 0.3 * alone)
        if self.desk.reads(name) and not any(
            place >= 0 and sure == 1.0
            for place, sure in sentence.stems.get(ways[0][0] if ways[0] else "", ())
        ):
            worth -= 0.6
        return Group((name,), best.used, worth, best.faint)

    def _named_by(self, sentence: ForeignSentence, words: Sequence[str], *, first: bool) -> Group:
        """How a sentence names a tool by some words, of which the first says what it does."""
        used: set[int] = set()
        faint: set[int] = set()
        worth = 0.0 if first else -0.1
        for number, word in enumerate(words):
            places = [one for one in sentence.stems.get(word, ()) if first or _is_own(*one)]
            told = not number and all(at >= 0 and sentence.is_adjective(at) for at, _ in places)
            if not places or told:  # "a published article" is no publishing
                worth -= 0.15
                continue
            after = sentence.norm.first if sentence.norm is not None else -1
            worth += max(sure for _, sure in places)
            if number == 0:
                worth += self._doing_is_said(places, after)
            said = sorted(
                (place for place, sure in places if place >= 0 and sure >= _SURE),
                key=lambda place: (place < after, place),
            )
            used.update(said[:1])
            faint.update(place for place, sure in places if place >= 0 and sure < _SURE)
        return Group((), frozenset(used), worth, frozenset(faint))

    @cached_property
    def _ways(self) -> Mapping[str, Sequence[Sequence[str]]]:
        """The stems of the ways to say what each tool does: by its name, and as its description begins."""
        found: dict[str, Sequence[Sequence[str]]] = {}
        for name, call in self.desk.language.types.calls.items():
            begins = _BEGINNING.match(call.description)
            told = stems_of(begins.group() if begins is not None else "")
            own = tuple(dict.fromkeys(stems_of(self.desk.language.lexicon.tool_words(call))))
            found[name] = (own, told) if 1 < len(told) <= _MOST_SAID and set(told) - set(own) else (own,)
        return found

    @cached_property
    def _vocabulary(self) -> Mapping[str, frozenset[str]]:
        """The stems of what the description of each tool says, of its parameters and of their values."""
        words = self.desk.language.lexicon.words_of_field
        return {
            name: frozenset(
                word
                for text in (
                    call.description,
                    *(words(name, one.name) for one in call.fields),
                    *self._values_of(self.desk.language.lexicon.class_of_calls((name,))),
                )
                for word in stems_of(text)
            )
            for name, call in self.desk.language.types.calls.items()
        }

    def _values_of(self, sort: str) -> Iterator[str]:
        """The values that fields of a call may have, and those of the elements of its lists."""
        fields = self.desk.language.lexicon.fields
        for one in fields[sort]:
            if one.many and one.sort in fields and kind_of(one.sort) == "rec":
                yield from self._values_of(one.sort)
            elif kind_of(one.sort) == "enum" and one.name != "tool":
                yield from enum_words(one.sort).values()

    @cached_property
    def _tools_with(self) -> Counter[str]:
        """Of how many tools that do something the names or descriptions have a stem."""
        lexicon = self.desk.language.lexicon
        return Counter(
            word
            for name, call in self.desk.language.types.calls.items()
            if not self.desk.reads(name)
            for word in {*self._vocabulary[name], *stems_of(lexicon.tool_words(call))}
        )

    def _doing_is_said(self, places: Sequence[tuple[int, float]], after: int) -> float:
        """What it is worth that what a tool does is said: after "must not", or in the heading."""
        worth = 0.1
        if 0 <= after < max(place for place, _ in places):
            worth += 0.25
        if all(place < 0 for place, _ in places) and any(sure >= _HEADING for _, sure in places):
            worth += 0.8
        return worth


def _is_own(place: int, sure: float) -> bool:
    """Whether a word is one itself, in the sentence or its heading, and none that may stand for it."""
    return sure >= (_SURE if place >= 0 else _HEADING)
