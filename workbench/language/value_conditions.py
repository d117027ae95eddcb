"""Conditions on texts, values of enums and states that a sentence names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from workbench.language.enum_values import enum_words
from workbench.language.foreign_words import CURRENCIES, Cue, ForeignWord, everyday, stem
from workbench.language.nameable import ELEMENT, PROSE, stems_of
from workbench.language.naming import Condition, Named, Naming, opposite
from workbench.language.productions import kind_of
from workbench.language.trees import Tree
from workbench.language.vocabulary import words_named
from workbench.runs.kinds.shell.programs import is_known

_MOST_TERMS = 8
_FAINT = 0.5
_FAR = 3
_VALUED = frozenset(("to", "from", "in", "on", "into", "as", "called", "named"))

_LINKS = frozenset(("is", "are", "be", "being", "not", "=", "already", "still", "to"))
_STATES = words_named("states")
_STATE_STEMS = frozenset(stem(one) for one in _STATES)


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
            elif _looks_like_value(word):
                yield from self._of_text(replace(word, literal=word.text))
        yield from self._of_several_texts()
        yield from self._of_states()
        yield from self._of_values()
        yield from self._of_lists()
        yield from self._of_unknown()

    def _of_unknown(self) -> Iterator[Condition]:
        """Words that name nothing, as texts of the call: "pushing to main" of its branch."""
        lexicon = self._things.lexicon
        known = {word for each in self._things.every for word in (*each.words, *each.owner)}
        known |= {
            word for call in lexicon.types.calls.values() for word in stems_of(lexicon.tool_words(call))
        }
        known |= {other for word in known for other in everyday().get(word, ())}
        words = [
            word for word in self._sentence.content
            if word.literal is None and word.weight == 1 and word.stem not in known
            and not _looks_like_value(word) and self._before(word) in _VALUED
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

    def _before(self, word: ForeignWord) -> str:
        return self._sentence.words[word.number - 1].low if word.number else ""

    def _of_text(self, word: ForeignWord) -> Iterator[Condition]:
        """Texts in quotation marks, and words that are written as values are."""
        at, value = word.number, str(word.literal)
        literal: Tree = ("lit", "text", value)
        sure = 0.0 if word.literal is not None and word.text != word.literal else 0.25
        ones = [one for one in self._naming.named if kind_of(one.thing.sort) in ("text", "enum")]
        near = sorted(ones, key=lambda one: one.cost - one.worth + min(0.4, 0.03 * abs(one.anchor - at)))
        for one in near[: _MOST_TERMS + 4]:
            tree = one.thing.tree
            extra = (at,)
            cost = sure + (0 if one.worth else 0.3)
            no = self._sentence.negated(at)
            if one.thing.many:
                yield self._naming.condition(("in", literal, tree), one, extra, cost, at, at)
                continue
            parts = {each.name for each in self._things.lexicon.fields.get(one.thing.sort, ())}
            if "/" in value and "inside" in parts:
                no = self._sentence.negated(at)
                inside: Tree = ("in", ("lit", "text", _folder(value)), ("attr", tree, "inside"))
                yield self._naming.condition(
                    opposite(inside) if no else inside, one, extra, cost - 0.2, at, at
                )
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
                if self._sentence.has(cue):
                    written = cue is Cue.CONTAINS and one.thing.name in PROSE
                    yield self._naming.condition(made, one, extra, cost - 0.5 * written, at, at)
            same: Tree = ("==", tree, literal)
            yield self._naming.condition(
                opposite(same) if no else same,
                one,
                extra,
                cost + 0.1 * self._sentence.has(Cue.BEGINS, Cue.ENDS, Cue.CONTAINS),
                at,
                at,
            )

    def _of_several_texts(self) -> Iterator[Condition]:
        """One of several texts: file endings, hosts, programs."""
        words = [
            word for word in self._sentence.words if isinstance(word.literal, str) or _looks_like_value(word)
        ]
        if len(words) < 2:
            return
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) not in ("text", "enum") or thing.many:
                continue
            values = [
                str(word.literal if word.literal is not None else word.text).lstrip(
                    "*" if thing.name == "suffix" else ""
                )
                for word in words
            ]
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
            fits = thing.name in ("host", "domain", "suffix") and all("." in value for value in values)
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
            if kind_of(thing.sort) != "text":
                continue
            if stem("currency") in thing.words and not thing.many:
                yield from self._of_currency(one)
            if thing.name == "programs" and thing.many:
                own = {part for each in self._things.every for part in each.words}
                yield from self._of_programs(
                    one, [word for word in words if is_known(word.low) and word.stem not in own]
                )
            elif thing.name in _STATES or (thing.sort == "text" and set(thing.words) & _STATE_STEMS):
                yield from self._state(one, words)

    def _of_currency(self, one: Named) -> Iterator[Condition]:
        for word in self._sentence.words:
            if word.low in CURRENCIES:
                tree: Tree = ("==", one.thing.tree, ("lit", "text", CURRENCIES[word.low]))
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
            cost = 0.15 + 0.08 * away[word.number] - (0.1 if one.used else 0.0)
            cost += 0.0 if self._is_state(word, owned) else 0.25
            cost += 0.15 if word.number in self._tools else 0.0
            literal: Tree = ("lit", "text", word.low)
            tree: Tree = ("in", literal, thing.tree) if thing.many else ("==", thing.tree, literal)
            tree = opposite(tree) if self._sentence.negated(word.number) else tree
            yield self._naming.condition(tree, base, (word.number,), cost, word.number, word.number)

    def _is_state(self, word: ForeignWord, owned: Sequence[int]) -> bool:
        """Whether a word stands before what it is a state of, or after "is" and the like."""
        before = self._sentence.words[word.number - 1].low if word.number else ""
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
            if not found:
                continue
            cost = 0.1 if not one.used else 0.0
            base = replace(one, cost=min(one.cost, 0.1) + cost)
            for value, used, at, weak in found:
                no = self._sentence.negated(at)
                literal: Tree = ("lit", "text", value)
                tree: Tree = ("in", literal, thing.tree) if thing.many else ("==", thing.tree, literal)
                yield self._naming.condition(opposite(tree) if no else tree, base, used, weak, at)
            if len(found) > 1 and not thing.many:
                values: Tree = ("set", *(("lit", "text", value) for value, *_ in found))
                used = frozenset[int]().union(*(one[1] for one in found))
                no = self._sentence.negated(min(one[2] for one in found))
                yield self._naming.condition(
                    ("not in" if no else "in", thing.tree, values), base, used, 0, found[-1][2]
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
        stems = stems_of(words)
        for word in stems:
            places = [(number, sure) for number, sure in self._sentence.stems.get(word, ()) if number >= 0]
            if not places:
                return None
            number, sure = max(places, key=lambda place: place[1])
            used.add(number)
            weak = max(weak, 0.5 * (1 - sure))
        return (frozenset(used), min(used), weak) if used else None

    def _part_of_value(self, words: str, others: Sequence[str]) -> tuple[frozenset[int], int, float] | None:
        """Where a value of several words is named by one that no other value has."""
        stems = stems_of(words)
        rest = frozenset(one for other in others for one in stems_of(other))
        if len(stems) < 2:
            return None
        for word in stems:
            places = [(at, sure) for at, sure in self._sentence.stems.get(word, ()) if at >= 0]
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


def _looks_like_value(word: ForeignWord) -> bool:
    """Whether a word is written as a value: with a sign in it, or in capitals."""
    signs = any(sign in word.text for sign in "/_@") or (
        "." in word.text.strip(".") and word.text[0].isalnum()
    )
    return word.literal is None and (
        signs or (len(word.text) > 1 and word.text.isupper() and word.weight > 0)
    )
