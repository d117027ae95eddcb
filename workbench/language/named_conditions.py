"""Single conditions that the words of a sentence name: the forms of the grammar with what is named in their slots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import cached_property

from workbench.dialect.call_file import ANY_CALL
from workbench.language.foreign_words import CURRENCIES, Cue, CueAt, ForeignSentence, ForeignWord, Role, stem
from workbench.language.nameable import ELEMENT, Nameable, Nameables, stems_of
from workbench.language.productions import kind_of, unit_of
from workbench.language.reading import enum_words
from workbench.language.trees import CALL, RUN, TRUE, Tree, joined, negated
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of
from workbench.runs.kinds.shell.programs import is_known

_FLIPPED = {">": "<=", "<=": ">", "<": ">=", ">=": "<", "==": "!=", "!=": "=="}
_MOST_TERMS = 8
_PLAIN = frozenset(map(stem, words_named("left_out")))
"""Words of names that people leave out."""
_IDS = words_named("keys")


@dataclass(frozen=True)
class Named:
    """How a sentence names something: the words used, the last and the first that name it, and what is against it."""

    thing: Nameable
    used: frozenset[int]
    anchor: int
    cost: float
    worth: float
    first: int = -1


@dataclass(frozen=True)
class Condition:
    """A condition that is named: its expression, what must not be None, the list that it is about an element of.

    ``used`` are the words that name it, ``anchor`` is where, and ``cost`` what is against it.
    """

    tree: Tree
    used: frozenset[int]
    anchor: int
    cost: float
    needs: tuple[Tree, ...] = ()
    domain: Tree = ()
    literal: int = -1


def opposite(tree: Tree) -> Tree:
    """What holds where a condition does not, in as few words as there are."""
    match tree:
        case (">" | ">=" | "<" | "<=" | "==" | "!=" as operator, left, right):
            return (_FLIPPED[operator], left, right)
        case ("not", inner):
            return inner
        case _:
            return negated(tree)


class NamedConditions:
    """The conditions that a sentence may name about the calls of some classes."""

    def __init__(
        self, sentence: ForeignSentence, things: Nameables, others: Sequence[str], tools: frozenset[int]
    ) -> None:
        """``others`` are the classes that may be named as earlier calls, ``tools`` the words that name the decided one."""
        self._tools = tools
        self._sentence = sentence
        self._things = things
        self._others = others

    # --- what is named ------------------------------------------------------------

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """Everything with its words in the sentence, what is named best first."""
        found = [self._named(one) for one in self._things.every]
        return tuple(sorted(found, key=lambda one: one.cost - one.worth))

    def _named(self, thing: Nameable) -> Named:
        if thing.form == "fact":
            return self._named_fact(thing)
        used: dict[int, float] = {}
        cost = 0.08 * thing.depth + (
            0.6 if thing.tree[:2] == ("attr", ("name", "run")) or thing.form == "said" else 0.0
        )
        own = set[int]()
        for word in thing.words:
            places = self._sentence.stems.get(word, ())
            for number, sure in places:
                used[number] = max(used.get(number, 0), sure)
                own.add(number)
            if not places:
                cost += 0.12 if word in _PLAIN else 0.4
            else:
                cost += 0.3 * (1 - max(sure for _, sure in places))
        for word in thing.owner:
            for number, sure in self._sentence.stems.get(word, ()):
                used[number] = max(used.get(number, 0), sure)
        for word in thing.gloss:
            for number, sure in self._sentence.stems.get(word, ()):
                used.setdefault(number, 0.5 * sure)
        return self._of(thing, used, own, cost)

    def _named_fact(self, thing: Nameable) -> Named:
        used: dict[int, float] = {}
        missing = 0.0
        for word in thing.words:
            places = self._sentence.stems.get(word, ())
            for number, sure in places:
                used[number] = max(used.get(number, 0), sure)
            if not places and not word.isdigit():
                missing += 1
        if used and RUN in _operands(thing.tree):
            used |= dict.fromkeys(self._sentence.of_run, 1.0)
        cost = 0.9 * missing / max(1, len(thing.words)) + 0.06 * missing
        digits = {word for word in thing.words if word.isdigit()}
        for one in self._sentence.words:
            if one.literal is not None and {stem(part) for part in words_of(one.text)} <= set(thing.words):
                used[one.number] = 1.0
                digits -= set(words_of(one.text))
        return self._of(thing, used, set(used), cost + 0.7 * len(digits))

    def _of(self, thing: Nameable, used: Mapping[int, float], own: Iterable[int], cost: float) -> Named:
        inside = {number: sure for number, sure in used.items() if number >= 0}
        anchors = sorted(number for number in own if number >= 0) or sorted(inside)
        worth = sum(self._sentence.words[number].weight * sure for number, sure in inside.items())
        worth += 0.2 * sum(sure for number, sure in used.items() if number < 0)
        return Named(
            thing,
            frozenset(inside),
            anchors[-1] if anchors else -1,
            cost,
            worth,
            anchors[0] if anchors else -1,
        )

    # --- all conditions -----------------------------------------------------------

    def every(self) -> Iterator[Condition]:
        """Yield every condition that is named."""
        for word in self._sentence.words:
            if isinstance(word.literal, timedelta):
                yield from self._of_duration(word)
            elif isinstance(word.literal, Decimal):
                yield from self._of_number(word)
            elif word.low in _SIGNED:
                for one in self._numeric(word.number):
                    if (zero := _number(Decimal(0), one.thing.sort)) is not None:
                        sign: Tree = (_SIGNED[word.low], one.thing.tree, zero)
                        yield self._condition(sign, one, (word.number,), 0.1, word.number, word.number)
            elif isinstance(word.literal, str):
                yield from self._of_text(word)
            elif _looks_like_value(word):
                yield from self._of_text(replace(word, literal=word.text))
        yield from self._of_several_texts()
        yield from self._of_states()
        yield from self._of_values()
        yield from self._of_flags()
        yield from self._of_presence()
        yield from self._of_equality()
        yield from self._of_origin()
        yield from self._of_lists()
        yield from self._of_earlier()

    def _condition(
        self,
        tree: Tree,
        named: Named,
        extra: Iterable[int] = (),
        cost: float = 0.0,
        anchor: int | None = None,
        literal: int = -1,
    ) -> Condition:
        at = named.anchor if anchor is None else anchor
        thing = named.thing
        needs = (*thing.needs, *((thing.tree,) if thing.optional else ()))
        return Condition(
            tree, named.used | frozenset(extra), at, named.cost + cost, needs, thing.domain, literal
        )

    # --- numbers ------------------------------------------------------------------

    def _compared(self, at: int) -> CueAt | None:
        """The comparison that goes with a number: just before it, or after it."""
        ones = self._sentence.comparisons
        before = [one for one in ones if 0 <= at - one.after <= 3]
        after = [
            one for one in ones if 0 <= one.first - at <= 5 and self._sentence.words[one.first].low in _AFTER
        ]
        found = after or before or [one for one in ones if 0 <= at - one.after <= 6]
        return found[-1] if found else None

    def _operator(self, at: int) -> tuple[str, tuple[int, ...]]:
        cue = self._compared(at)
        if cue is None:
            return "==", ()
        return str(cue.cue), tuple(range(cue.first, cue.after))

    def _numeric(self, at: int) -> list[Named]:
        """What may be compared with a number, the best first."""
        ones = [one for one in self.named if not one.thing.many and kind_of(one.thing.sort) in ("int", "dec")]
        money = self._sentence.words[at].money
        value = self._sentence.words[at].literal
        small = isinstance(value, Decimal) and value == value.to_integral_value() and value < 20
        found: list[Named] = []
        for one in ones:
            far = abs(one.anchor - at) if one.anchor >= 0 else 6
            cost = (
                one.cost
                + min(0.4, 0.03 * far)
                + (0 if one.worth else 0.3)
                + (0.4 if money and kind_of(one.thing.sort) == "int" else 0)
            )
            cost -= 0.5 if money and one.thing.of_call and set(one.thing.words) & _AMOUNTS else 0
            cost += 0.25 if small and not money and kind_of(one.thing.sort) == "dec" else 0
            found.append(replace(one, cost=cost))
        counted = [one for one in self.named if one.thing.many and not one.thing.domain and one.used]
        for one in counted[:3]:
            size: Tree = ("call", "len", one.thing.tree)
            thing = replace(one.thing, tree=size, sort="int", many=False)
            found.append(
                replace(
                    one,
                    thing=thing,
                    cost=one.cost + 0.1 + min(0.4, 0.03 * abs(one.anchor - at)) + 0.5 * money,
                )
            )
        if self._sentence.has(Cue.TOTAL):
            found += self._sums(ones)
        return sorted(found, key=lambda one: one.cost - one.worth)[:_MOST_TERMS]

    def _sums(self, ones: Iterable[Named]) -> Iterator[Named]:
        """The sums of a field over a list."""
        for one in ones:
            if one.thing.domain and not one.thing.earlier and one.thing.form == "field":
                total: Tree = ("call", "sum", ("gen", ELEMENT, one.thing.tree, one.thing.domain, TRUE))
                yield replace(one, thing=replace(one.thing, tree=total, domain=()), cost=one.cost + 0.1)

    def _of_number(self, word: ForeignWord) -> Iterator[Condition]:
        value, at = word.literal, word.number
        assert isinstance(value, Decimal)
        operator, used = self._operator(at)
        for one in self._numeric(at):
            literal = _number(value, one.thing.sort)
            if literal is None:
                continue
            yield self._condition(
                (operator, one.thing.tree, literal), one, (at, *used), anchor=at, literal=at
            )
            if not used and self._sentence.roles[at] is Role.GOOD:
                yield self._condition(("<=", one.thing.tree, literal), one, (at,), 0.3, at, at)

    # --- times --------------------------------------------------------------------

    def _of_duration(self, word: ForeignWord) -> Iterator[Condition]:
        at, length = word.number, word.literal
        assert isinstance(length, timedelta)
        literal: Tree = ("lit", "dur", length)
        cue = self._compared(at)
        used = (at, *(range(cue.first, cue.after) if cue is not None else ()))
        for one in self._timed(at)[:_MOST_TERMS]:
            if kind_of(one.thing.sort) == "dur":
                operator = str(cue.cue) if cue is not None else "=="
                yield self._condition((operator, one.thing.tree, literal), one, used, 0, at, at)
            elif kind_of(one.thing.sort) in ("int", "dec"):
                if one.thing.form != "clock" and (count := _in_unit(one.thing, length)) is not None:
                    operator = str(cue.cue) if cue is not None else "=="
                    number: Tree = ("lit", "int", count)
                    yield self._condition((operator, one.thing.tree, number), one, used, 0, at, at)
            else:
                yield from self._since_or_until(one, literal, cue, at, used)

    def _timed(self, at: int) -> list[Named]:
        found: list[Named] = []
        for one in self.named:
            if one.thing.many or kind_of(one.thing.sort) not in ("moment", "date", "dur", "int", "dec"):
                continue
            far = abs(one.anchor - at) if one.anchor >= 0 else 6
            found.append(replace(one, cost=one.cost + min(0.4, 0.03 * far) + (0 if one.worth else 0.3)))
        return sorted(found, key=lambda one: one.cost - one.worth)

    def _since_or_until(
        self, one: Named, literal: Tree, cue: CueAt | None, at: int, used: Iterable[int]
    ) -> Iterator[Condition]:
        ahead = self._near(Cue.AHEAD, at)
        since = self._near(Cue.SINCE, at)
        words = self._sentence.words[cue.first].low if cue is not None else ""
        bad = self._sentence.roles[at] is not Role.GOOD
        for direction, cued in (("ahead", ahead), ("since", since)):
            other = since if direction == "ahead" else ahead
            cost = 0.0 if cued is not None and (other is None or abs(cued - at) <= abs(other - at)) else 0.35
            if cued is None and other is not None:
                cost = 0.7
            base = _until(one.thing) if direction == "ahead" else _since(one.thing)
            operator = str(cue.cue) if cue is not None else ("<" if bad else ">=")
            if direction == "ahead" and words in ("up", "until", "no", "not", "later"):
                operator = {"<=": ">=", ">": "<"}.get(operator, operator)
            if direction == "since" and cue is None:
                operator = ">" if bad else "<="
            if direction == "since" and words == "later" and cue is not None:
                operator = ">"
            yield self._condition(
                (operator, base, literal), one, [*used, *([cued] if cued is not None else [])], cost, at, at
            )

    def _near(self, cue: Cue, at: int) -> int | None:
        """The nearest word of a cue after a place, or just before it."""
        ones = [
            one.first for one in self._sentence.at(cue) if at - 3 <= one.first <= at + 4 and one.first != at
        ]
        return min(ones, key=lambda one: (one < at, abs(one - at))) if ones else None

    # --- texts and values ---------------------------------------------------------

    def _of_text(self, word: ForeignWord) -> Iterator[Condition]:
        """Texts in quotation marks, and words that are written as values are."""
        at, value = word.number, str(word.literal)
        literal: Tree = ("lit", "text", value)
        sure = 0.0 if word.literal is not None and word.text != word.literal else 0.25
        ones = [one for one in self.named if kind_of(one.thing.sort) in ("text", "enum")]
        near = sorted(ones, key=lambda one: one.cost - one.worth + min(0.4, 0.03 * abs(one.anchor - at)))
        for one in near[: _MOST_TERMS + 4]:
            tree = one.thing.tree
            extra = (at,)
            cost = sure + (0 if one.worth else 0.3)
            no = self._sentence.negated(at)
            if one.thing.many:
                yield self._condition(("in", literal, tree), one, extra, cost, at, at)
                continue
            parts = {each.name for each in self._things.lexicon.fields.get(one.thing.sort, ())}
            if "/" in value and "inside" in parts:
                no = self._sentence.negated(at)
                inside: Tree = ("in", ("lit", "text", _folder(value)), ("attr", tree, "inside"))
                yield self._condition(opposite(inside) if no else inside, one, extra, cost - 0.2, at, at)
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
                    yield self._condition(made, one, extra, cost, at, at)
            same: Tree = ("==", tree, literal)
            yield self._condition(
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
        for one in self.named:
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
            yield self._condition(
                opposite(tree) if no else tree,
                one,
                [word.number for word in words],
                cost,
                words[-1].number,
                words[0].number,
            )

    def _of_states(self) -> Iterator[Condition]:
        """Values of texts that are states and kinds of things: "pending" of an order's status, "sudo" of a command's programs."""
        taken = self._tools
        verbs = {stem(call.tool.split("_")[0]) for call in self._things.lexicon.types.calls.values()}
        own = {part for one in self._things.every for part in one.words}
        words = [
            word
            for word in self._sentence.content
            if word.literal is None and word.stem not in verbs and word.weight == 1
        ]
        for one in self.named:
            thing = one.thing
            if thing.sort == "text" and stem("currency") in thing.words and not thing.many:
                for word in self._sentence.words:
                    if word.low in CURRENCIES:
                        code: Tree = ("lit", "text", CURRENCIES[word.low])
                        base = replace(one, cost=min(one.cost, 0.2))
                        yield self._condition(
                            ("==", thing.tree, code), base, (word.number,), 0.3, word.number, word.number
                        )
            if thing.sort != "text" and not (kind_of(thing.sort) == "text" and thing.name in _STATES):
                continue
            if not (set(thing.words) & _STATE_STEMS or thing.name in _STATES):
                continue
            owned = [
                number
                for part in (*thing.owner, *thing.words)
                for number, sure in self._sentence.stems.get(part, ())
                if number >= 0 and sure > 0.5
            ]
            if thing.name == "programs" and thing.many:
                yield from self._of_programs(
                    one, [word for word in words if is_known(word.low) and word.stem not in own]
                )
                continue
            near_words = [
                word
                for word in words
                if owned
                and word.number not in one.used
                and min(abs(word.number - number) for number in owned) <= 4
            ]
            for first, second in zip(near_words, near_words[1:], strict=False):
                if self._sentence.joined(first.number, second.number):
                    values: Tree = ("set", *(("lit", "text", word.low) for word in (first, second)))
                    base = replace(one, cost=min(one.cost, 0.3))
                    yield self._condition(
                        ("in", thing.tree, values),
                        base,
                        (first.number, second.number),
                        0.2,
                        second.number,
                        first.number,
                    )
            for word in near_words:
                near = min(abs(word.number - number) for number in owned)
                if near > 4:
                    continue
                cost = 0.15 + 0.08 * near + (0.15 if word.number in taken else 0) - (0.1 if one.used else 0)
                literal: Tree = ("lit", "text", word.low)
                no = self._sentence.negated(word.number)
                base = replace(one, cost=min(one.cost, 0.3))
                tree: Tree = ("in", literal, thing.tree) if thing.many else ("==", thing.tree, literal)
                yield self._condition(
                    opposite(tree) if no else tree, base, (word.number,), cost, word.number, word.number
                )

    def _of_programs(self, one: Named, words: Sequence[ForeignWord]) -> Iterator[Condition]:
        """Programs that a command starts: each of those that are named, or one of them."""
        if not words:
            return
        each = replace(
            one, thing=replace(one.thing, domain=one.thing.tree, many=False), cost=min(one.cost, 0.3)
        )
        values: Tree = ("set", *(("lit", "text", word.low) for word in words))
        tree: Tree = ("in", ELEMENT, values) if len(words) > 1 else ("==", ELEMENT, values[1])
        yield self._condition(
            tree, each, [word.number for word in words], 0.0, words[-1].number, words[0].number
        )

    def _of_values(self) -> Iterator[Condition]:
        """Values of enums that are named."""
        for one in self.named:
            thing = one.thing
            if kind_of(thing.sort) != "enum":
                continue
            found: list[tuple[str, frozenset[int], int, float]] = []
            for value, words in enum_words(thing.sort).items():
                if (hit := self._value(words)) is not None:
                    found.append((value, *hit))
            if not found:
                continue
            cost = 0.1 if not one.used else 0.0
            base = replace(one, cost=min(one.cost, 0.1) + cost)
            for value, used, at, weak in found:
                no = self._sentence.negated(at)
                literal: Tree = ("lit", "text", value)
                tree: Tree = ("in", literal, thing.tree) if thing.many else ("==", thing.tree, literal)
                yield self._condition(opposite(tree) if no else tree, base, used, weak, at)
            if len(found) > 1 and not thing.many:
                values: Tree = ("set", *(("lit", "text", value) for value, *_ in found))
                used = frozenset[int]().union(*(one[1] for one in found))
                no = self._sentence.negated(min(one[2] for one in found))
                yield self._condition(
                    ("not in" if no else "in", thing.tree, values), base, used, 0, found[-1][2]
                )

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

    def _of_flags(self) -> Iterator[Condition]:
        """What is yes or no: fields, and functions that are whether something holds."""
        for one in self.named:
            thing = one.thing
            if kind_of(thing.sort) != "bool" or thing.many or not one.used:
                continue
            if thing.form == "fact" and one.cost > 0.75:
                continue
            first = one.first
            one = replace(one, anchor=first) if thing.form != "fact" else one
            no = self._sentence.negated(first) if thing.form != "fact" else self._fact_negated(one)
            yield self._condition(("not", thing.tree) if no else thing.tree, one)

    def _fact_negated(self, one: Named) -> bool:
        """Whether the sentence denies what a function says: one of them has a "not" and the other none."""
        fact = self._things.lexicon.facts[one.thing.name]
        noun = bool(_DENYING & set(words_of(self._things.lexicon.words_of_fact(fact))))
        said = any(self._sentence.denied(number) for number in one.used)
        return noun != said

    # --- what is there ------------------------------------------------------------

    def _of_presence(self) -> Iterator[Condition]:
        for one in self.named:
            thing = one.thing
            if not one.used or thing.many:
                continue
            bare = replace(one, thing=replace(thing, optional=False))
            if thing.optional and thing.form == "field" and one.cost < 0.6:
                gap = self._presence(one, Cue.MISSING)
                given = self._presence(one, Cue.GIVEN)
                wanted = gap is not None and self._sentence.words[gap].low == "without"
                if gap is not None and not (wanted and self._sentence.roles[gap] is Role.GOOD):
                    yield self._condition(("is none", thing.tree), bare, (gap,), 0.1, gap)
                elif gap is not None:
                    yield self._condition(("is some", thing.tree), bare, (gap,), 0.1, gap)
                elif given is not None:
                    yield self._condition(
                        ("is some", thing.tree), bare, (given,), 0.2, max(given, one.anchor)
                    )
                else:
                    yield self._condition(("is some", thing.tree), bare, (), 0.5)
            if thing.form == "record" and one.cost < 0.5:
                for cue, positive in (
                    (Cue.LOOKED_UP, ("call", "looked_up", thing.tree)),
                    (Cue.EXISTS, ("is some", thing.tree)),
                ):
                    near = [c.first for c in self._sentence.at(cue)]
                    if near:
                        at = min(near, key=lambda place: abs(place - one.anchor))
                        word = self._sentence.words[at].low
                        no = self._sentence.negated(at) or word == "unknown"
                        yield self._condition(opposite(positive) if no else positive, bare, (at,), 0.1, at)
            if thing.sort == "text" and thing.form == "field" and not thing.optional and one.cost < 0.5:
                gap = self._presence(one, Cue.MISSING)
                if gap is not None:
                    empty: Tree = ("==", thing.tree, ("lit", "text", ""))
                    wanted = (
                        self._sentence.words[gap].low == "without" and self._sentence.roles[gap] is Role.GOOD
                    )
                    yield self._condition(opposite(empty) if wanted else empty, one, (gap,), 0.8, gap)

    def _presence(self, one: Named, cue: Cue) -> int | None:
        near = [each.first for each in self._sentence.at(cue) if abs(each.first - one.anchor) <= 4]
        return min(near, key=lambda place: abs(place - one.anchor)) if near else None

    # --- two things ---------------------------------------------------------------

    def _of_equality(self) -> Iterator[Condition]:
        """Two things that are said to be the same, or more or less than each other."""
        ones = [one for one in self.named if one.used and one.cost < 1.0][:60]
        same = [one.first for one in self._sentence.at(Cue.SAME)]
        free = [
            one
            for one in self._sentence.comparisons
            if one.cue is not Cue.EXACTLY and not self._has_literal(one)
        ]
        if len(ones) < 2:
            return
        for number, one in enumerate(ones):
            for other in ones[number + 1 :]:
                yield from self._pair(one, other, same, free)

    def _has_literal(self, one: CueAt) -> bool:
        return any(
            word.literal is not None and not isinstance(word.literal, str)
            for word in self._sentence.words[one.after : one.after + 3]
        )

    def _pair(
        self, one: Named, other: Named, same: Sequence[int], free: Sequence[CueAt]
    ) -> Iterator[Condition]:
        first, second = one.thing, other.thing
        if first.form == "fact" and second.form == "fact":
            return
        if first.domain and second.domain and first.domain != second.domain:
            return
        if (
            (first.many
            and second.many
            and not (first.domain or second.domain))
            or kind_of(first.sort) == "bool"
        ):
            return
        numbers = {"int", "dec"}
        kinds = {kind_of(first.sort), kind_of(second.sort)}
        alike = len(kinds) == 1 or kinds <= numbers or kinds <= {"text", "enum"}
        if not alike or kinds & {"rec", "earlier", "unknown"}:
            return
        if (
            _part_of(first.tree, second.tree)
            or _part_of(second.tree, first.tree)
            or second.tree == first.domain
            or first.tree == second.domain
        ):
            return
        if kinds <= {"text", "enum"} and not _comparable(first, second):
            return
        joint = one.used | other.used
        both = Named(
            replace(first, needs=tuple(dict.fromkeys((*first.needs, *second.needs, *_own(first), *_own(second)))), optional=False,
                    domain=first.domain or second.domain),
            joint, max(joint), one.cost + other.cost + 0.15, 0)  # fmt: skip
        if len(joint) < 2 or not (joint - other.used or joint - one.used):
            both = replace(both, cost=both.cost + 0.3)
        if first.many or second.many:
            single, several = (second, first) if first.many else (first, second)
            if same or set(first.words) & set(second.words) - _PLAIN:
                at = min(same, key=lambda place: abs(place - both.anchor), default=max(joint))
                tree: Tree = ("in", single.tree, several.tree)
                no = self._sentence.negated(at) or self._sentence.words[at].low in _DIFFERENT
                away = 0.2 if single.domain and not several.of_call and ELEMENT not in (single.tree,) else 0.0
                away += (
                    0.2 if single.domain and single.domain[0] == "attr" and single.domain[1] != CALL else 0.0
                )
                yield self._condition(opposite(tree) if no else tree, both, (at,), away, max(at, max(joint)))
            return
        if kinds & {"moment", "date"} or kinds <= numbers:
            for cue in free:
                left, right = (first, second) if one.anchor <= other.anchor else (second, first)
                yield self._condition(
                    (str(cue.cue), left.tree, right.tree), both, range(cue.first, cue.after), 0.1, cue.first
                )
        if set(first.words) & set(second.words) - _PLAIN:
            yield self._condition(("==", first.tree, second.tree), both, (), 0.2)
        if same:
            at = min(same, key=lambda place: abs(place - both.anchor))
            no = self._sentence.words[at].low in _DIFFERENT or self._sentence.negated(at)
            left, right = (first, second) if first.of_call or second.form == "record" else (second, first)
            yield self._condition(("!=" if no else "==", left.tree, right.tree), both, (at,), 0.0, at)

    # --- origins ------------------------------------------------------------------

    def _of_origin(self) -> Iterator[Condition]:
        """Texts that the user must have named."""
        cues = list(self._sentence.at(Cue.USER))
        if not cues or self._sentence.asks:
            return
        for one in self.named:
            thing = one.thing
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
            no = self._sentence.negated(cue.first)
            yield self._condition(
                opposite(tree) if no else tree, one, used, 0.1 if one.used else 0.3, cue.first
            )

    # --- lists --------------------------------------------------------------------

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
                one for one in self.named if kind_of(one.thing.sort) in ("text", "enum") and one.worth > 0
            ][:5]:
                tree = one.thing.tree
                no = self._sentence.negated(min(used))
                made: Tree = ("<=", tree, ("name", name)) if one.thing.many else ("in", tree, ("name", name))
                yield self._condition(opposite(made) if no else made, one, used, 0.3, max(used))
        for one in self.named:
            if (
                one.thing.many
                and one.used
                and not one.thing.domain
                and (at := self._presence(one, Cue.MISSING)) is not None
            ):
                size: Tree = ("call", "len", one.thing.tree)
                yield self._condition(("==", size, ("lit", "int", 0)), one, (at,), 0.4)

    # --- earlier calls ------------------------------------------------------------

    def _of_earlier(self) -> Iterator[Condition]:
        """Earlier calls: that there was one, how many there were, and what they come to."""
        early = [one.first for one in self._sentence.at(Cue.EARLIER, Cue.LOOKED_UP)]
        numbers = [
            word.number
            for word in self._sentence.words
            if isinstance(word.literal, Decimal) and not word.money
        ]
        counted = [
            at
            for at in numbers
            if any(
                at < number <= at + (1 if self._sentence.words[at].low == "one" else 3)
                for number in self._tools
            )
        ]
        if not early and not counted:
            return
        early = early or counted
        own = "|".join(self._things.classes)
        for classes in dict.fromkeys((self._things.classes, *((one,) for one in self._others))):
            if ANY_CALL in classes:
                continue
            used, anchor, cost = self._named_call(classes)
            same_tool = "|".join(classes) == own
            if not same_tool and not used - self._tools:
                continue
            repeated = any(self._repeats(one) for one in early) or counted
            if same_tool and not repeated and not self._sentence.has(Cue.TOTAL):
                continue
            nearest = min(early, key=lambda place: abs(place - anchor)) if anchor >= 0 else early[0]
            base = Named(
                Nameable((), "", ()),
                used | {nearest} | self._sentence.of_run,
                max(nearest, anchor),
                cost + (0.25 if same_tool else 0.0),
                0,
            )
            for key_cost, condition, needs, key_used in self._keys(classes):
                yield from self._counted(
                    base, classes, condition, needs, key_cost, key_used, same_tool=same_tool
                )

    def _is_key(self, number: int) -> bool:
        """Whether a word says by what calls are counted: "per order", "for the same order"."""
        return any(word.low in _BY for word in self._sentence.words[max(0, number - 3) : number])

    def _repeats(self, at: int) -> bool:
        """Whether a word says that something happens again; "once" does where it counts, and joins no sentence."""
        words = self._sentence.words
        if words[at].low != "once":
            return words[at].low in _REPEATED
        following = words[at + 1].low if at + 1 < len(words) else "."
        return following in (".", ",", ";", "per", "for", "in", "only", "a", "each", "at", "every")

    def _named_call(self, classes: Sequence[str]) -> tuple[frozenset[int], int, float]:
        used: set[int] = set()
        cost = 0.0
        for name in classes:
            words = (
                self._things.lexicon.tool_words(self._things.lexicon.types.calls[name])
                if name in self._things.lexicon.types.calls
                else ""
            )
            missing = 0.0
            stems = stems_of(words)
            for word in stems:
                places = [
                    (number, sure) for number, sure in self._sentence.stems.get(word, ()) if number >= 0
                ]
                used.update(number for number, sure in places if sure > _FAINT)
                missing += 1 - max((sure for _, sure in places), default=0)
            cost = max(cost, 0.35 * missing + (0.0 if used else 1.0))
        return frozenset(used), max(used) if used else -1, cost

    def _keys(self, classes: Sequence[str]) -> Iterator[tuple[float, Tree, tuple[Tree, ...], frozenset[int]]]:
        """The fields by which an earlier call is about the same as the decided one, with what is against it."""
        lexicon = self._things.lexicon
        decided = {one.name: one for one in lexicon.fields[lexicon.class_of_calls(self._things.classes)]}
        earlier = lexicon.fields[lexicon.class_of_calls(tuple(classes), "earlier")]
        shared = [one for one in earlier if one.name in decided and one.sort == decided[one.name].sort and not one.many
                  and kind_of(one.sort) in ("text", "enum", "int") and one.name != "tool"]  # fmt: skip
        run = any(word.low in ("session", "run", "conversation") for word in self._sentence.words)
        ids = [one for one in shared if one.words.split()[-1] in _IDS]
        found = 0
        for one in shared:
            used: set[int] = set()
            for word in stems_of(one.words):
                places = self._sentence.stems.get(word, ())
                used.update(number for number, _ in places if number >= 0 and self._is_key(number))
            if not used and one not in ids:
                continue
            found += 1
            own: Tree = ("attr", CALL, one.name)
            needs = (own,) if decided[one.name].optional else ()
            cost = (0.15 if run else 0.0) if used else 0.1 if one is (ids[0] if ids else None) else 0.35
            yield cost, ("==", ("attr", ELEMENT, one.name), own), needs, frozenset(used)
        yield (0.0 if run else 0.25), TRUE, (), frozenset()

    def _counted(
        self,
        base: Named,
        classes: Sequence[str],
        same: Tree,
        needs: tuple[Tree, ...],
        cost: float,
        key_used: frozenset[int],
        *,
        same_tool: bool,
    ) -> Iterator[Condition]:
        domain: Tree = ("method", ("name", "run"), "earlier", *(("name", one) for one in classes))
        role = self._sentence.roles[base.anchor] if base.anchor >= 0 else Role.BAD
        succeeded: Tree = ("attr", ELEMENT, "succeeded")
        outcome = succeeded
        condition = joined("and", [one for one in (outcome, same) if one != TRUE])
        some: Tree = ("call", "any", ("gen", ELEMENT, condition, domain, TRUE))
        used = base.used | key_used
        once = [
            word.number
            for word in self._sentence.words
            if word.low in ("once", "one", "first", "again", "already", "another", "second")
        ]
        bounded = [word for word in self._sentence.words if isinstance(word.literal, Decimal)]
        no = self._sentence.negated(base.anchor) if base.anchor >= 0 else False
        limited = same_tool and (self._sentence.has(Cue.AT_MOST) or self._sentence.norm is not None)
        if same_tool and role is Role.GOOD and not no:
            yield Condition(opposite(some), used | frozenset(once), base.anchor, base.cost + cost, needs)
        else:
            yield Condition(
                opposite(some) if no else some, used | frozenset(once), base.anchor, base.cost + cost, needs
            )
        for word in bounded:
            operator, own = self._operator(word.number)
            value = word.literal
            assert isinstance(value, Decimal)
            if value == value.to_integral_value() and not word.money and limited and value < 1_000:
                count: Tree = ("call", "sum", ("gen", ELEMENT, ("lit", "int", 1), domain, condition))
                number, own_operator = _without_this(operator, int(value), self._sentence.roles[word.number])
                counted = any(
                    one.number in base.used for one in self._sentence.words[word.number + 1 : word.number + 4]
                )
                yield Condition(
                    (own_operator, count, ("lit", "int", number)),
                    used | {word.number, *own},
                    word.number,
                    base.cost + cost - 0.3 * counted,
                    needs,
                    literal=word.number,
                )
            if same_tool:
                yield from self._summed(
                    word,
                    operator,
                    own,
                    domain,
                    condition,
                    replace(base, used=used, cost=base.cost + cost),
                    needs,
                )

    def _summed(
        self,
        word: ForeignWord,
        operator: str,
        own: Iterable[int],
        domain: Tree,
        condition: Tree,
        base: Named,
        needs: tuple[Tree, ...],
    ) -> Iterator[Condition]:
        """What the calls come to, the decided one included."""
        if not self._sentence.has(Cue.TOTAL, Cue.EARLIER):
            return
        for one in self._numeric(word.number):
            thing = one.thing
            if not thing.of_call or thing.optional:
                continue
            value = _number(word.literal, thing.sort) if isinstance(word.literal, Decimal) else None
            if value is None:
                continue
            before: Tree = ("call", "sum", ("gen", ELEMENT, ("attr", ELEMENT, thing.name), domain, condition))
            total = [cue.first for cue in self._sentence.at(Cue.TOTAL)]
            yield Condition(
                (operator, ("+", thing.tree, before), value),
                base.used | one.used | {word.number, *own, *total},
                word.number,
                base.cost + one.cost + (0.0 if total else 0.2),
                needs,
                literal=word.number,
            )


_REPEATED = words_named("repeated")
_FAINT = 0.6
_BY = words_named("counted_by")
_AFTER = words_named("after_number")
_AMOUNTS = frozenset(map(stem, words_named("amounts")))
_SIGNED = {"positive": ">", "negative": "<"}
_DENYING = words_named("denying")


def _operands(tree: Tree) -> Tree:
    return tree[2:]


_DIFFERENT = words_named("different")


def _own(thing: Nameable) -> tuple[Tree, ...]:
    return (thing.tree,) if thing.optional else ()


def _comparable(first: Nameable, second: Nameable) -> bool:
    """Whether two texts may be of the same: their names share a word."""
    one, other = set(first.words) | set(first.owner), set(second.words) | set(second.owner)
    return bool((one & other) - _PLAIN)


def _part_of(one: Tree, other: Tree) -> bool:
    """Whether an expression is another one, or a part of what it holds."""
    return one == other or (bool(other) and other[0] == "attr" and _part_of(one, other[1]))


def _looks_like_value(word: ForeignWord) -> bool:
    """Whether a word is written as a value: with a sign in it, or in capitals."""
    return word.literal is None and (any(sign in word.text for sign in "/_@") or ("." in word.text.strip(".") and word.text[0].isalnum())
                                     or (len(word.text) > 1 and word.text.isupper() and word.weight > 0))  # fmt: skip


_STATES = words_named("states")
_STATE_STEMS = frozenset(stem(one) for one in _STATES)


def _folder(value: str) -> str:
    """A path as the name of a folder."""
    return value.rstrip("/*") or "/"


def _number(value: Decimal, sort: str) -> Tree | None:
    """A number as a value of a sort; nothing if the sort has whole numbers alone."""
    if kind_of(sort) == "int":
        return ("lit", "int", int(value)) if value == value.to_integral_value() else None
    return ("lit", "dec", value)


_UNIT_SECONDS = {
    "minut": 60,
    "min": 60,
    "hour": 3_600,
    "day": 86_400,
    "night": 86_400,
    "second": 1,
    "week": 604_800,
}


def _in_unit(thing: Nameable, length: timedelta) -> int | None:
    """A length of time in the unit that a number is of by its words."""
    unit = _UNIT_SECONDS.get(stem(unit_of(thing.sort))) or next(
        (_UNIT_SECONDS[word] for word in (*thing.words, *thing.gloss) if word in _UNIT_SECONDS), None
    )
    if unit is None:
        return None
    count, left = divmod(length.total_seconds(), unit)
    return int(count) if not left else None


def _since(thing: Nameable) -> Tree:
    now: Tree = ("attr", CALL, "time")
    return ("-", now if kind_of(thing.sort) == "moment" else ("attr", now, "date"), thing.tree)


def _until(thing: Nameable) -> Tree:
    now: Tree = ("attr", CALL, "time")
    return ("-", thing.tree, now if kind_of(thing.sort) == "moment" else ("attr", now, "date"))


def _without_this(operator: str, number: int, role: Role) -> tuple[int, str]:
    """A comparison of the calls with the decided one, as one of those before it."""
    if operator == "==":
        return (number, "<") if role is Role.GOOD else (number - 1, ">=")
    return {"<=": (number, "<"), ">": (number, ">="), "<": (number - 1, "<")}.get(
        operator, (number - 1, ">=")
    )
