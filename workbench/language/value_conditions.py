"""Conditions on texts, values of enums and states that a sentence names.

Conditions on what is there: flags, facts, what is given, what was looked up, who named a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from itertools import pairwise

from workbench.dialect.call_file import Fact
from workbench.language.command_speech import WORDS_FIRST
from workbench.language.enum_values import enum_words
from workbench.language.foreign.cues import Cue, CueAt
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import everyday, stem
from workbench.language.foreign.tokens import CURRENCIES, ForeignWord
from workbench.language.nameable import ELEMENT, PROSE, Nameable, stems_of
from workbench.language.naming import (
    ADDRESSES,
    WHOM,
    Condition,
    Named,
    Naming,
    opposite,
)
from workbench.language.productions import kind_of
from workbench.language.trees import Tree
from workbench.language.units import MEASURES
from workbench.language.vocabulary import words_named
from workbench.language.words import MONTHS, words_of
from workbench.runs.kinds.shell.program_tables import is_known

_MOST_TERMS = 8
_DOMAIN = re.compile(r"@?(?:[\w-]+\.)+[a-zA-Z]{2,}")
_OF_DOMAINS = frozenset(("host", "domain", "hosts", "domains", "url"))
_FAINT = 0.5
_NAMED = 0.9
_FAR = 3
_NEW = frozenset(("to", "into", "as"))
_OF_OTHERS = 0.6
_OTHER_FORM = 0.12
_TITLES = frozenset(("subject", "title", "name", "headline", "heading"))
_MOST_INSIDE = 4
_VALUED = frozenset(("to", "from", "in", "on", "into", "as", "called", "named"))

_CALENDAR = frozenset(map(str.casefold, MONTHS)) | {
    one
    for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
    for one in (f"{day}day", f"{day}days")
}
_LINKS = frozenset(("is", "are", "be", "being", "=", "already", "still", "to"))
_STATES = words_named("states")
_STATE_STEMS = frozenset(stem(one) for one in _STATES)
_PARTICIPLES = ("ed", "en", "wn")
"""Endings of the words that may be states away from what has them: “goods that were shipped”."""


class ValueConditions:
    """Values that something is said to have."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._sentence = naming.sentence
        self._things = naming.things
        self._tools = naming.tools

    def every(self) -> Iterator[Condition]:
        """Yield the conditions on each value that the sentence names."""
        for word in self._sentence.words:
            if isinstance(word.literal, str):
                yield from self._of_text(word)
            elif self._is_written_as_value(word):
                yield from self._of_text(replace(word, literal=word.text))
        for word, used in self._proper_names:
            yield from (replace(one, used=one.used | used) for one in self._of_text(word))
        yield from self._of_domains()
        yield from self._of_several_texts()
        yield from self._of_states()
        yield from self._of_values()
        yield from self._of_lists()
        yield from self._of_unknown()

    def _of_domains(self) -> Iterator[Condition]:
        """Addresses of a domain: "to anyone outside example.com"."""
        words = self._sentence.words
        whom = [word.number for word in words if word.low in WHOM]
        addresses = [
            one for one in self._naming.named
            if one.thing.sort == "text" and one.thing.form in ("field", "element") and not one.thing.many
            and one.thing.name in ADDRESSES and not one.thing.earlier
        ]  # fmt: skip
        for word in words:
            value = word.literal if isinstance(word.literal, str) else word.text
            if not _DOMAIN.fullmatch(value):
                continue
            no = self._sentence.negated(word.number)
            for one in addresses:
                tree = self._in_domain(one.thing.tree, value.lstrip("@"))
                base = replace(one, cost=min(one.cost, 0.2))
                cost = -0.1 if one.used else 0.0
                made = opposite(tree) if no else tree
                used = (word.number, *whom)
                yield self._naming.condition(made, base, used, cost, word.number, word.number)

    def _in_domain(self, address: Tree, domain: str) -> Tree:
        """That an address is one of a domain: by its own domain where its parts are read."""
        if address[0] == "attr" and ("attr", address[1], "domain") in self._things.trees:
            return ("==", ("attr", address[1], "domain"), ("lit", "text", domain.lower()))
        return ("method", address, "endswith", ("lit", "text", f"@{domain}"))

    def _of_unknown(self) -> Iterator[Condition]:
        """Words that name nothing, as texts of the call: "pushing to main" of its branch."""
        known = self._nouns.union(*(everyday().get(word, ()) for word in self._nouns))
        words = [
            word for word in self._sentence.content
            if word.literal is None and word.weight == 1 and word.stem not in known and word.low not in WHOM
            and not self._is_written_as_value(word) and self._before(word) in _VALUED
        ]  # fmt: skip
        fields = [
            one for one in self._naming.named
            if one.thing.sort == "text" and one.thing.of_call and one.thing.depth == 0 and not one.thing.many
            and one.thing.name not in PROSE and stem("id") not in one.thing.words
        ]  # fmt: skip
        for word in words[:3]:
            for one in fields[:4]:
                tree: Tree = ("==", one.thing.tree, ("lit", "text", word.text))
                no = self._sentence.negated(word.number)
                cost = 0.6 if one.used else 0.8
                base = replace(one, cost=min(one.cost, 0.3))
                yield self._naming.condition(
                    opposite(tree) if no else tree, base, (word.number,), cost, word.number, word.number
                )

    def _is_written_as_value(self, word: ForeignWord) -> bool:
        """Whether a word is written as a value is: with a sign in it, or in capitals and not as a noun."""
        if word.literal is not None or not word.weight:
            return False
        signs = any(sign in word.text for sign in "/_@") or (
            "." in word.text.strip(".") and word.text[0].isalnum()
        )
        capitals = word.text.isupper() and word.weight == 1 and word.low not in MEASURES
        capitals = capitals and len(word.text) > 1
        return signs or (capitals and word.stem not in self._nouns)

    def _may_be_name(self, thing: Nameable) -> bool:
        """Whether something may be called by a name that nobody put in quotation marks."""
        is_text = kind_of(thing.sort) == "text" and thing.form != "said"
        return is_text and thing.name not in PROSE | _TITLES

    @cached_property
    def _proper_names(self) -> Sequence[tuple[ForeignWord, frozenset[int]]]:
        """Names of what the session does not know, each as one text: "Blue Bay" in "from Blue Bay"."""
        runs: list[list[ForeignWord]] = []
        for before, word in pairwise(self._sentence.words):
            if (
                not word.text[:1].isupper()
                or word.text[1:].upper() == word.text[1:]
                or word.literal is not None
            ):
                continue
            is_name = word.weight == 1 and word.stem not in self._nouns and word.low not in _CALENDAR
            if not is_name or before.low in (".", ":", "!", "?") or word.number in self._sentence.approvers:
                continue
            if runs and runs[-1][-1] is before:
                runs[-1].append(word)
            else:
                runs.append([word])
        text = self._sentence.text
        return [
            (replace(run[0], literal=text[run[0].start : run[-1].end]), frozenset(one.number for one in run))
            for run in runs
        ]

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """The stems of what the session has words for: its tools, parameters, fields and their values."""
        lexicon = self._things.lexicon
        calls = lexicon.types.calls.values()
        words = {word for each in self._things.every for word in (*each.words, *each.owner)}
        words |= {word for call in calls for word in stems_of(lexicon.tool_words(call))}
        sorts = {each.sort for each in self._things.every if kind_of(each.sort) == "enum"}
        values = (text for sort in sorts for text in enum_words(sort).values())
        return frozenset((*words, *(word for text in values for word in stems_of(text))))

    def _before(self, word: ForeignWord) -> str:
        return self._sentence.words[word.number - 1].low if word.number else ""

    def _texts_near(self, at: int, value: str) -> Sequence[Named]:
        """The texts that may have a value, the likeliest first."""
        ones = [one for one in self._naming.named if kind_of(one.thing.sort) in ("text", "enum")]
        near = sorted(ones, key=lambda one: one.cost - one.worth + min(0.4, 0.03 * abs(one.anchor - at)))
        near = [one for one in near if self._is_said(one, at)] or near
        if any(at in used for _, used in self._proper_names):
            near = [one for one in near if self._may_be_name(one.thing)]
        return [one for one in near if self._fits(value, one)]

    def _fits(self, value: str, one: Named) -> bool:
        """Whether something may have a value: of a path no part has a path, of an address one has it.

        A path is no text of an address, and the text of a path has several spellings of one folder. What is
        said of the text of either is said of itself.
        """
        known, tree = self._things.trees, one.thing.tree
        is_part = any(("attr", tree[1], part) in known for part in ("inside", "domain"))
        if is_part and ("/" in value or "@" in value[1:] or one.thing.name == "text"):
            return one.thing.name == "address" and "/" not in value
        return not self._is_addressed(value, one)

    def _of_text(self, word: ForeignWord) -> Iterator[Condition]:
        """Texts in quotation marks, and words that are written as values are."""
        at, value = word.number, str(word.literal)
        literal: Tree = ("lit", "text", value)
        sure = 0.0 if word.literal is not None and word.text != word.literal else 0.25
        near = self._texts_near(at, value)
        part_of_text = 0.1 * self._sentence.has(Cue.BEGINS, Cue.ENDS, Cue.CONTAINS)
        for one in near[: _MOST_TERMS + 4]:
            tree = one.thing.tree
            extra = (at,)
            cost = sure + (0 if one.worth else 0.3)
            no = self._sentence.negated(at)
            if one.thing.many:
                among: Tree = ("in", literal, tree)
                made = opposite(among) if no or self._sentence.negated(one.anchor) else among
                yield self._naming.condition(made, one, extra, cost + part_of_text, at, at)
                continue
            yield from self._of_one_text(one, at, value, cost)

    def _of_one_text(self, one: Named, at: int, value: str, cost: float) -> Iterator[Condition]:
        """What is said of one thing and a text: it is one, begins or ends with it, or has it inside."""
        tree, no = one.thing.tree, self._sentence.negated(at)
        literal: Tree = ("lit", "text", value)
        parts = {each.name for each in self._things.lexicon.fields.get(one.thing.sort, ())}
        if "/" in value and "inside" in parts:
            inside: Tree = ("in", ("lit", "text", _folder(value)), ("attr", tree, "inside"))
            made = opposite(inside) if no else inside
            yield self._naming.condition(made, one, (at,), cost - 0.2, at, at)
        if one.thing.name == "suffix" and value.lstrip("*").startswith("."):
            literal = ("lit", "text", value.lstrip("*"))
            cost -= 0.3
        if one.thing.name in ("host", "domain") and re.fullmatch(r"[\w-]+(\.[\w-]+)+", value):
            cost -= 0.3
        for cue, made in (
            (Cue.BEGINS, ("method", tree, "startswith", literal)),
            (Cue.ENDS, ("method", tree, "endswith", literal)),
            (Cue.CONTAINS, ("in", literal, tree)),
        ):
            said = self._cue_of(cue, at)
            if said is not None:
                written = cue is Cue.CONTAINS and one.thing.name in PROSE
                words = (at, *range(said.first, said.after))
                denied = opposite(made) if no or self._sentence.negated(said.first) else made
                yield self._naming.condition(denied, one, words, cost - 0.5 * written, at, at)
        inside = ("in", literal, tree)
        if self._is_inside(one, at):
            yield self._naming.condition(opposite(inside) if no else inside, one, (at,), cost - 0.3, at, at)
        elif one.thing.form != "said":  # what was said has words, and is none
            same: Tree = ("==", tree, literal)
            cost += 0.1 * self._sentence.has(Cue.BEGINS, Cue.ENDS, Cue.CONTAINS)
            yield self._naming.condition(opposite(same) if no else same, one, (at,), cost, at, at)

    def _is_inside(self, one: Named, at: int) -> bool:
        """Whether a text is said to stand in another one: "“password” in its text", "shows up in it"."""
        if one.thing.name not in PROSE and one.thing.name not in _TITLES:
            return False
        words = self._sentence.words
        near = [
            word.number for word in words[at + 1 : at + _FAR + 4] if word.low in ("in", "inside", "within")
        ]
        own = [
            number for word in one.thing.words for number, sure in self._sentence.stems.get(word, ())
            if sure >= _NAMED and number > at
        ]  # fmt: skip
        return bool(near) and any(number - near[0] <= _FAR for number in own)

    def _is_said(self, one: Named, at: int) -> bool:
        """Whether a thing is named by its own word beside a text, which then is of nothing else."""
        return one.thing.form in ("field", "element") and any(
            sure >= _NAMED and number >= 0 and self._sentence.is_joined(number, at)
            for word in one.thing.words for number, sure in self._sentence.stems.get(word, ())
        )  # fmt: skip

    def _is_addressed(self, value: str, one: Named) -> bool:
        """Whether an address is no id, and of a domain who has an address there is meant."""
        if not _DOMAIN.fullmatch(value):
            return "@" in value and stem("id") in one.thing.words
        others = stem("id") in one.thing.words or (
            "@" not in value and any(each.thing.name in ADDRESSES for each in self._naming.named)
        )
        return others and one.thing.name not in _OF_DOMAINS

    def _cue_of(self, cue: Cue, at: int) -> CueAt | None:
        """The cue of a kind that goes with a text: the nearest."""
        return min(self._sentence.at(cue), key=lambda one: abs(one.first - at), default=None)

    def _of_several_texts(self) -> Iterator[Condition]:
        """One of several texts: file endings, hosts, programs."""
        written = [
            word
            for word in self._sentence.words
            if isinstance(word.literal, str) or self._is_written_as_value(word)
        ]
        words = written or [word for word, _ in self._proper_names]
        if len(words) < 2:
            return
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) not in ("text", "enum") or thing.many:
                continue
            if not written and not self._may_be_name(thing):
                continue
            texts = (str(word.literal if word.literal is not None else word.text) for word in words)
            values = list(dict.fromkeys(text.lstrip("*" if thing.name == "suffix" else "") for text in texts))
            titled = one.worth and thing.of_call
            if not titled and not all(self._fits(value, one) for value in values):
                continue
            tree: Tree = ("in", thing.tree, ("set", *(("lit", "text", value) for value in values)))
            if "inside" in {each.name for each in self._things.lexicon.fields.get(thing.sort, ())} and all(
                "/" in value for value in values
            ):
                tree = (
                    "or",
                    *(
                        ("in", ("lit", "text", _folder(value)), ("attr", thing.tree, "inside"))
                        for value in values
                    ),
                )
            of_addresses = all("@" in value[1:] for value in values)
            is_prose = thing.name in PROSE or (thing.name in _TITLES and len(values) <= _MOST_INSIDE)
            if is_prose and not of_addresses:
                inside: Tree = ("or", *(("in", ("lit", "text", value), thing.tree) for value in values))
                no = any(self._sentence.negated(word.number) for word in words)
                yield self._naming.condition(
                    opposite(inside) if no else inside,
                    one,
                    [word.number for word in words],
                    -0.2 if one.worth else 0.2,
                    words[-1].number,
                    words[0].number,
                )
            fits = thing.name in ("host", "domain", "suffix") and all("." in value for value in values)
            parts = {each.name for each in self._things.lexicon.fields.get(thing.sort, ())}
            fits = fits or (of_addresses and "domain" in parts)
            no = any(self._sentence.negated(word.number) for word in words)
            cost = (0 if one.worth else 0.3) - 0.3 * fits
            yield self._naming.condition(
                opposite(tree) if no else tree,
                one,
                [word.number for word in words],
                cost,
                words[-1].number,
                words[0].number,
            )

    def _of_states(self) -> Iterator[Condition]:
        """Values of texts that are states and kinds of things: "pending" of an order's status."""
        verbs = {stem(call.tool.split("_")[0]) for call in self._things.lexicon.types.calls.values()}
        words = [
            word
            for word in self._sentence.content
            if word.literal is None and word.stem not in verbs and word.weight == 1
        ]
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) == "enum" and stem("currency") in thing.words and not thing.many:
                yield from self._of_currency(one)
            if kind_of(thing.sort) != "text":
                continue
            if stem("currency") in thing.words and not thing.many:
                yield from self._of_currency(one)
            if thing.name == "programs" and thing.many:
                own = {part for each in self._things.every for part in each.words}
                programs = [word for word in words if is_known(word.low) and word.stem not in own]
                yield from self._of_programs(one, [each for each in programs if each.low not in WORDS_FIRST])
            elif thing.name in _STATES or (thing.sort == "text" and set(thing.words) & _STATE_STEMS):
                yield from self._state(one, words)

    def _of_currency(self, one: Named) -> Iterator[Condition]:
        for word in self._sentence.words:
            if word.low in CURRENCIES:
                tree: Tree = ("==", one.thing.tree, ("lit", "text", CURRENCIES[word.low]))
                tree = opposite(tree) if self._sentence.negated(word.number) else tree
                base = replace(one, cost=min(one.cost, 0.2))
                yield self._naming.condition(tree, base, (word.number,), 0.3, word.number, word.number)

    def _state(self, one: Named, words: Sequence[ForeignWord]) -> Iterator[Condition]:
        """What stands near a thing as its state: one word, or two in a row."""
        thing, base = one.thing, replace(one, cost=min(one.cost, 0.3))
        owned = [
            number
            for part in (*thing.owner, *thing.words)
            for number, sure in self._sentence.stems.get(part, ())
            if number >= 0 and sure > _FAINT
        ]
        away = {
            word.number: min((abs(word.number - number) for number in owned), default=_FAR + 1)
            for word in words
            if word.number not in one.used
        }
        near = [word for word in words if away.get(word.number, _FAR + 1) <= _FAR]
        for first, second in pairwise(near):
            if self._sentence.joined(first.number, second.number):
                values: Tree = ("set", *(("lit", "text", word.low) for word in (first, second)))
                yield self._naming.condition(
                    ("in", thing.tree, values),
                    base,
                    (first.number, second.number),
                    0.2,
                    second.number,
                    first.number,
                )
        for word in near:
            is_state = self._is_state(word, owned)
            if not is_state and not word.low.endswith(_PARTICIPLES):
                continue
            cost = 0.15 + 0.08 * away[word.number] - (0.1 if one.used else 0.0)
            cost += 0.0 if is_state else 0.25
            cost += 0.15 if word.number in self._tools else 0.0
            literal: Tree = ("lit", "text", word.low)
            tree: Tree = ("in", literal, thing.tree) if thing.many else ("==", thing.tree, literal)
            tree = opposite(tree) if self._sentence.negated(word.number) else tree
            yield self._naming.condition(tree, base, (word.number,), cost, word.number, word.number)

    def _is_state(self, word: ForeignWord, owned: Sequence[int]) -> bool:
        """Whether a word stands before what it is a state of, or after "is" and the like."""
        words = self._sentence.words[: word.number]
        before = next((one.low for one in reversed(words) if one.low != "not"), "")
        return word.number + 1 in owned or before in _LINKS

    def _of_programs(self, one: Named, words: Sequence[ForeignWord]) -> Iterator[Condition]:
        """Programs that a command starts: each of those that are named, or one of them."""
        if not words:
            return
        each = replace(
            one, thing=replace(one.thing, domain=one.thing.tree, many=False), cost=min(one.cost, 0.3)
        )
        values: Tree = ("set", *(("lit", "text", word.low) for word in words))
        tree: Tree = ("in", ELEMENT, values) if len(words) > 1 else ("==", ELEMENT, values[1])
        yield self._naming.condition(
            tree, each, [word.number for word in words], 0.0, words[-1].number, words[0].number
        )

    def _of_values(self) -> Iterator[Condition]:
        """Values of enums that are named."""
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) != "enum":
                continue
            found: list[tuple[str, frozenset[int], int, float]] = []
            every = enum_words(thing.sort)
            for value, words in every.items():
                hit = self._quoted_value(value, words) or self._value(words)
                if hit is None:
                    hit = self._part_of_value(words, [one for one in every.values() if one != words])
                if hit is not None:
                    found.append((value, *hit))
            exact = frozenset[int]().union(*(used for _, used, _, weak in found if weak <= _OTHER_FORM))
            found = [each for each in found if each[3] <= _OTHER_FORM or not each[1] & exact]
            if not found:
                continue
            cost = 0.1 if not one.used else 0.0
            base = replace(one, cost=min(one.cost, 0.1) + cost)
            for value, used, at, weak in found:
                no = self._sentence.negated(at) != self._sentence.denies(at, stems_of(every[value]))
                literal: Tree = ("lit", "text", value)
                tree: Tree = ("in", literal, thing.tree) if thing.many else ("==", thing.tree, literal)
                yield self._naming.condition(
                    opposite(tree) if no else tree, base, used, weak + self._is_old(one, at), at
                )
                yield from self._at_other_places(base, tree, used, at)
            found = [
                one for one in found
                if not one[1] <= self._tools
                or any(self._sentence.joined(*sorted((one[2], other[2]))) for other in found if other != one)
            ]  # fmt: skip
            if not thing.many:
                yield from self._one_of_several(base, found, len(every))

    def _one_of_several(
        self, base: Named, found: Sequence[tuple[str, frozenset[int], int, float]], every: int
    ) -> Iterator[Condition]:
        """One of the values that are named, or of those that stand in a row."""
        for several in (found, *self._in_a_row(found)):
            if not 1 < len(several) < every:
                continue
            values: Tree = ("set", *(("lit", "text", value) for value, *_ in several))
            used = frozenset[int]().union(*(one[1] for one in several))
            no = self._sentence.negated(min(one[2] for one in several))
            tree: Tree = ("not in" if no else "in", base.thing.tree, values)
            weak = max(one[3] for one in several)
            yield self._naming.condition(tree, base, used, weak, several[-1][2])

    def _in_a_row(
        self, found: Sequence[tuple[str, frozenset[int], int, float]]
    ) -> Iterator[list[tuple[str, frozenset[int], int, float]]]:
        """Yield the values that stand in a row, where others stand apart from them."""
        row: list[tuple[str, frozenset[int], int, float]] = []
        for one in sorted(found, key=lambda one: one[2]):
            if row and not self._sentence.joined(max(row[-1][1]), one[2]):
                if len(row) > 1:
                    yield row
                row = []
            row.append(one)
        if 1 < len(row) < len(found):
            yield row

    def _is_old(self, one: Named, at: int) -> float:
        """What is against that a record has a value which the call gives, too: "moved to rejected"."""
        before = [word.low for word in self._sentence.words[max(0, at - 2) : at]]
        if _NEW.isdisjoint(before) or one.thing.of_call or one.thing.form == "fact":
            return 0.0
        own = {each.sort for each in self._things.every if each.of_call and each.name == one.thing.name}
        return _OF_OTHERS if one.thing.sort in own else 0.0

    def _at_other_places(self, base: Named, tree: Tree, used: frozenset[int], at: int) -> Iterator[Condition]:
        """A value that is said twice: "wiped as lost only if it is registered as lost"."""
        stems = {self._sentence.words[number].stem for number in used}
        if len(used) > 1:
            return
        for word in self._sentence.words:
            if word.stem in stems and word.number != at and word.literal is None:
                no = self._sentence.negated(word.number)
                cost = self._is_old(base, word.number)
                yield self._naming.condition(
                    opposite(tree) if no else tree,
                    replace(base, used=base.used - used),
                    (word.number,),
                    cost,
                    word.number,
                )

    def _is_another(self, number: int) -> bool:
        """Whether a word names a parameter, or that something is given, and no value by another word."""
        word = self._sentence.words[number]
        return word.weight < 1 or word.stem in self._own or number in self._tools

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset(
            one for each in self._things.every if each.of_call and each.depth == 0 for one in each.words
        )

    def _quoted_value(self, value: str, words: str) -> tuple[frozenset[int], int, float] | None:
        """Where a value stands in quotation marks."""
        texts = (value.casefold(), words.casefold())
        for word in self._sentence.words:
            if isinstance(word.literal, str) and word.literal.casefold() in texts:
                return frozenset({word.number}), word.number, 0.0
        return None

    def _value(self, words: str) -> tuple[frozenset[int], int, float] | None:
        """Where a value is named, by all of its words."""
        used: set[int] = set()
        weak = 0.0
        every = [
            [
                (number, sure) for number, sure in self._sentence.stems.get(word, ())
                if number >= 0 and (sure >= _NAMED or (sure > _FAINT and not self._is_another(number)))
            ]
            for word in stems_of(words)
        ]  # fmt: skip
        for places in sorted(every, key=len):  # what stands at one place says where the others are meant
            if not places:
                return None
            near = next(iter(used), 0)
            number, sure = max(places, key=lambda place: (place[1], -abs(place[0] - near)))
            used.add(number)
            weak = max(weak, 0.5 * (1 - sure))
        lows = [self._sentence.words[number].low for number in used]
        if not any(low.startswith(one) or one.startswith(low) for one in words_of(words) for low in lows):
            weak += _OTHER_FORM  # a "picker" is not what is "picked"
        return (frozenset(used), min(used), weak) if used else None

    def _part_of_value(self, words: str, others: Sequence[str]) -> tuple[frozenset[int], int, float] | None:
        """Where a value of several words is named by one that no other value has."""
        stems = stems_of(words)
        rest = frozenset(one for other in others for one in stems_of(other))
        if len(stems) < 2:
            return None
        for word in stems:
            places = [
                (at, sure) for at, sure in self._sentence.stems.get(word, ()) if at >= 0 and sure > _FAINT
            ]
            if word not in rest and places:
                number, sure = max(places, key=lambda place: place[1])
                return frozenset({number}), number, 0.3 + 0.5 * (1 - sure)
        return None

    def _of_lists(self) -> Iterator[Condition]:
        """Values that stand on a list of the policy, and lists that are empty."""
        lexicon = self._things.lexicon
        for name, words in lexicon.list_words():
            used: set[int] = set()
            missing = 0
            for word in stems_of(words):
                places = [number for number, _ in self._sentence.stems.get(word, ()) if number >= 0]
                used.update(places)
                missing += not places
            if not used or missing:
                continue
            for one in [
                one
                for one in self._naming.named
                if kind_of(one.thing.sort) in ("text", "enum") and one.worth > 0
            ][:5]:
                tree = one.thing.tree
                no = self._sentence.negated(min(used))
                made: Tree = ("<=", tree, ("name", name)) if one.thing.many else ("in", tree, ("name", name))
                yield self._naming.condition(opposite(made) if no else made, one, used, 0.3, max(used))


def _folder(value: str) -> str:
    """A path as the name of a folder."""
    return value.rstrip("/*") or "/"


_UNSURE = 0.6
_NO_NAMES = frozenset(("no", "not", "never", "without"))
"""The first words of the names of flags that deny something."""
_LATELY = frozenset(("in", "within", "last", "past", "during"))
_SOMEBODY = frozenset(("somebody", "someone", "anybody", "anyone"))
_NEAR_BY = 7
_ID = stem("id")
_MORE = frozenset(("more", "less", "fewer", "other"))
_BEFORE_NOUN = frozenset(("no", "without"))
_DENYING = words_named("denying")
_PASSED = frozenset(((Cue.MORE, Cue.AT_MOST), (Cue.LESS, Cue.AT_LEAST)))
"""What passes a limit, and what sets one."""


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
            if thing.form == "fact" and (one.cost > 0.75 or self._says_more(one)):
                continue
            first = one.first
            is_near = self._sentence.is_joined(first, one.anchor)
            negated = self._sentence.negated(first) or (is_near and self._sentence.negated(one.anchor))
            no = negated if thing.form != "fact" else self._fact_negated(one)
            denies = any(self._sentence.denies(at, thing.words) for at in one.used)
            no = no != (thing.form != "fact" and denies)
            if thing.form != "fact" and _NO_NAMES.intersection(thing.name.split("_")[:1]):
                yield from self._of_denying_flag(one)
                continue
            one = replace(one, anchor=first) if thing.form != "fact" else one
            yield self._naming.condition(("not", thing.tree) if no else thing.tree, one)

    def _of_denying_flag(self, one: Named) -> Iterator[Condition]:
        """A flag that denies by its name: whoever does "not wish to be contacted" has "no contact"."""
        for at in sorted(one.used):
            denial = self._sentence.negation(at, _NEAR_BY)
            if denial is not None:
                denied = replace(one, anchor=at, cost=min(one.cost, 0.2))
                used = range(denial.first, denial.after)
                yield self._naming.condition(one.thing.tree, denied, used, 0.0)
                return
        yield self._naming.condition(("not", one.thing.tree), replace(one, anchor=one.first))

    def _fact_negated(self, one: Named) -> bool:
        """Whether the sentence denies what a function says: one of them has a "not" and the other none."""
        fact = self._things.lexicon.facts[one.thing.name]
        words = ForeignSentence(self._things.lexicon.words_of_fact(fact))
        compared = {at for each in words.comparisons for at in range(each.first, each.after)}
        used = {self._sentence.words[at].stem for at in one.used}
        denying = {
            word.low for word in words.words
            if word.low in _DENYING and word.number not in compared and words.is_about(word.number, used)
        }  # fmt: skip
        own = {word.number for word in self._sentence.words if word.low in denying}
        said = bool(own & one.used) or any(self._sentence.denied(number) for number in one.used)
        return (bool(denying) != said) != self._passes(fact)

    def _says_more(self, one: Named) -> bool:
        """Whether a function compares where the sentence says no comparison: which way is not told."""
        fact = self._things.lexicon.facts[one.thing.name]
        words = ForeignSentence(self._things.lexicon.words_of_fact(fact))
        lows = [word.low for word in words.words]
        compares = any(one.after - one.first > 1 or lows[one.first] != "up" for one in words.comparisons)
        compares = compares or ("than" in lows and not _MORE.isdisjoint(lows))
        said = bool(self._sentence.comparisons) or any(word.low in _MORE for word in self._sentence.words)
        return compares and not said

    def _passes(self, fact: Fact) -> bool:
        """Whether a function is that a limit is passed which the sentence sets: "above 40", "at most 40"."""
        own = ForeignSentence(self._things.lexicon.words_of_fact(fact)).comparisons
        said = self._sentence.comparisons
        return len(own) == len(said) == 1 and (own[0].cue, said[0].cue) in _PASSED

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
        yield from self._done_by_somebody(bare, some)
        gap = self._presence(one, Cue.MISSING)
        given = self._presence(one, Cue.GIVEN)
        denied = next((at for at in sorted(one.used) if self._sentence.denies(at, one.thing.words)), None)
        if denied is not None:
            yield self._naming.condition(opposite(some), bare, (denied,), 0.1, denied)
        if gap is not None:
            tree = some if self._is_filled(gap) else opposite(some)
            yield self._naming.condition(tree, bare, (gap,), 0.1, gap)
        elif given is not None:
            tree = opposite(some) if self._sentence.negated(given) else some
            yield self._naming.condition(tree, bare, (given,), 0.2, max(given, one.anchor))
        elif kind_of(one.thing.sort) != "bool":
            tree = opposite(some) if self._sentence.negated(one.anchor) else some
            yield self._naming.condition(tree, bare, (), 0.5)

    def _done_by_somebody(self, bare: Named, some: Tree) -> Iterator[Condition]:
        """What somebody has done, or nobody: of who "picked" it, in "that nobody has picked"."""
        by_whom = bare.thing.name.endswith("_by")
        for at in sorted(bare.used):
            for word in self._sentence.words[max(0, at - _FAR) : at]:
                nobody = word.low == "nobody" and not self._sentence.forbids(word.number)
                if nobody or (by_whom and word.low in _SOMEBODY):
                    tree = opposite(some) if word.low == "nobody" else some
                    named = replace(bare, cost=min(bare.cost, 0.1))
                    yield self._naming.condition(tree, named, (word.number,), -0.1, at)

    def _is_filled(self, gap: int) -> bool:
        """Whether a thing is "not empty", or nothing is to be done "without" it."""
        wanted = any(one.first == gap for one in self._sentence.wanting)
        return (self._sentence.words[gap].low == "without" and wanted) or self._sentence.negated(gap)

    def _known(self, one: Named) -> Iterator[Condition]:
        """A record that was looked up, or that there is."""
        tree = one.thing.tree
        yield from self._known_lately(one)
        for cue, positive in ((Cue.LOOKED_UP, ("call", "looked_up", tree)), (Cue.EXISTS, ("is some", tree))):
            near = [each.first for each in self._sentence.at(cue)]
            if not near:
                continue
            at = min(near, key=lambda place: abs(place - one.anchor))
            no = self._sentence.negated(at) or self._sentence.words[at].low == "unknown"
            beside = self._sentence.words[max(0, at - 1) : at + 2] if cue is Cue.EXISTS else ()
            used = (at, *(word.number for word in beside if word.low == "already"))
            yield self._naming.condition(opposite(positive) if no else positive, one, used, 0.1, at)

    def _known_lately(self, one: Named) -> Iterator[Condition]:
        """A record that was looked up not long ago: "its file must be opened in the ten minutes before"."""
        words = self._sentence.words
        record = self._things.lexicon.types.records.get(one.thing.name)
        lengths = [word for word in words if isinstance(word.literal, timedelta)]
        seen = [each for each in self._sentence.at(Cue.LOOKED_UP)]
        if record is None or len(lengths) != 1 or not seen:
            return
        length = lengths[0]
        cue = min(seen, key=lambda each: abs(each.first - length.number))
        compared = self._naming.compared(length.number)
        before = [word.low for word in words[max(0, length.number - _FAR) : length.number]]
        if compared is None and _LATELY.isdisjoint(before):
            return
        if compared is not None and compared.cue not in (Cue.AT_MOST, Cue.LESS):
            return
        tree = self._things.lexicon.looked_up_since(
            record, one.thing.tree[3:], ("lit", "dur", length.literal)
        )
        if tree is None:
            return
        used = {cue.first, length.number, *(range(compared.first, compared.after) if compared else ())}
        no = self._sentence.negated(cue.first)
        yield self._naming.condition(
            opposite(tree) if no else tree, one, used, -0.1, cue.first, length.number
        )

    def _written(self, one: Named) -> Iterator[Condition]:
        """A text that is empty, or is not."""
        gap = self._presence(one, Cue.MISSING)
        if gap is not None:
            empty: Tree = ("==", one.thing.tree, ("lit", "text", ""))
            tree = opposite(empty) if self._is_filled(gap) else empty
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
                empty: Tree = ("==", size, ("lit", "int", 0))
                is_filled = self._sentence.negated(at)
                yield self._naming.condition(opposite(empty) if is_filled else empty, one, (at,), 0.4, at)

    def _presence(self, one: Named, cue: Cue) -> int | None:
        near = [
            each.first
            for each in self._sentence.at(cue)
            if abs(each.first - one.anchor) <= _NEAR_BY
            and not any(each.first == compared.first for compared in self._sentence.comparisons)
            and (each.first < one.anchor or self._sentence.words[each.first].low not in _BEFORE_NOUN)
            and not self._sentence.forbids(each.first)
        ]
        return min(near, key=lambda at: (at in one.used, abs(at - one.anchor))) if near else None

    def _of_origin(self) -> Iterator[Condition]:
        """Texts that the user must have named."""
        cues = list(self._sentence.at(Cue.USER))
        if not cues or self._sentence.asks:
            return
        whom = frozenset(word.number for word in self._sentence.words if word.low in WHOM)
        for one in self._naming.named:
            thing = one.thing
            if whom and thing.name in ADDRESSES and thing.form == "element":
                one = replace(one, used=one.used | whom, cost=min(one.cost, 0.2))
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
            denials = self._sentence.denials_around(cue)
            used |= denials
            yield self._naming.condition(
                opposite(tree) if len(denials) % 2 else tree, one, used, 0.1 if one.used else 0.3, cue.first
            )
