"""Where a sentence says what a rule compares: its values, its fields, and the acts of its tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import time, timedelta
from decimal import Decimal

from workbench.language.foreign.cues import Cue
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.small_words import CONSENT
from workbench.language.foreign.stems import stem
from workbench.language.nameable import stems_of
from workbench.language.sense.rule_parts import (
    ORDERS,
    PAIR,
    Part,
    earlier_classes,
    fields_read,
    is_named_by_user,
    is_weekday,
    literals,
    presumes,
    written_value,
)
from workbench.language.trees import Tree
from workbench.language.vocabulary import words_named
from workbench.language.words import UNITS_OF_TIME, WEEKDAYS, words_of_name

READING = frozenset(map(stem, words_named("reading")))
_SURE = 0.9
_LIKELY = 0.6
_DENIED = {"!=": "==", "not in": "in", "is none": "is some"}
BETWEEN = frozenset(
    ("for", "in", "on", "at", "by", "with", "to", "from", "if", "when", "unless", "and", "or")
)
JOINING = frozenset(("or", "and", ",", "nor"))


@dataclass(frozen=True)
class Spoken:
    """A sentence, with the words by which it may name what a rule compares.

    ``doing`` has the stems of what the tool of each class does, ``values`` the values that a field may have,
    ``recorded`` the stems of what records tell.
    """

    sentence: ForeignSentence
    doing: Mapping[str, Sequence[str]]
    values: Mapping[str, Collection[str]]
    recorded: frozenset[str]

    @property
    def norm(self) -> Cue | None:
        """Whether the sentence forbids, demands or permits."""
        return self.sentence.norm.cue if self.sentence.norm is not None else None

    def parts(self, rule: Tree) -> Sequence[Part]:
        """What a rule compares, but for what is there for the sake of another comparison."""
        every = [*self._parts(rule[2], refused=rule[1] != "permit")]
        return [one for one in every if not any(presumes(other, one) for other in every)]

    def _parts(self, condition: Tree, *, refused: bool) -> Iterator[Part]:
        match condition:
            case ("and" | "or", *parts):
                for one in parts:
                    yield from self._parts(one, refused=refused)
            case ("not", inner):
                yield from self._parts(inner, refused=not refused)
            case ("call", "any" | "all", ("gen", _, body, elements, _)) if not any(earlier_classes(elements)):
                yield from self._parts(body, refused=refused)
            case ("lit", "bool", _):
                return
            case _:
                operator, *sides = condition
                denied = operator in _DENIED
                tree = (_DENIED[operator], *sides) if denied else condition
                yield Part(tree, refused != denied, self._places(tree))

    def _places(self, tree: Tree) -> frozenset[int]:
        """The words that say the values of a comparison, or its field where it has none."""
        counted = [*self.places_of_value(tree[2])] if tree[0] in ORDERS and written_value(tree) else []
        if counted:
            return frozenset(counted)
        if classes := next(earlier_classes(tree), ()):
            said = (word for one in classes for word in self.doing.get(one, ()))
            return frozenset(at for word in said for at in self.at(word, _LIKELY))
        cue = Cue.USER if is_named_by_user(tree) else Cue.LOOKED_UP
        if cue is Cue.USER or tree[:2] == ("call", "looked_up"):
            return self.sentence.places_of(cue)
        values = [one for one in literals(tree) if one[1] != "bool"]
        if len(tree) > PAIR and is_weekday(tree):
            numbers = {one[2] for one in values}
            days = {day for number, day in enumerate(WEEKDAYS, start=1) if number in numbers}
            return frozenset(
                word.number for word in self.sentence.words if word.low.removesuffix("s") in days
            )
        said = frozenset(at for one in values for at in self.places_of_value(one))
        if said:
            return said
        name, sure = next(iter(fields_read(tree)), ""), _LIKELY if values else _SURE
        return frozenset(at for word in words_of_name(name).split() for at in self.at(stem(word), sure))

    def places_of_value(self, literal: Tree) -> Iterator[int]:
        """Yield the words that say a value."""
        value = literal[2]
        for word in self.sentence.words:
            if word.literal is not None and (word.literal == value or _is_length(word.literal, value)):
                yield word.number
            if isinstance(value, time) and not value.minute and word.literal in (
                value.hour, timedelta(hours=value.hour),
            ):  # fmt: skip
                yield word.number
            if isinstance(value, time) and word.low.lstrip("0") == f"{value.hour}:{value.minute:02}":
                yield word.number
        if isinstance(value, str):
            every = [{*self.at(word)} for word in stems_of(words_of_name(value))]
            runs = [
                at
                for at in (every or [set[int]()])[0]
                if all(at + step in one for step, one in enumerate(every))
            ]
            if runs:  # "bookings that are double booked"
                yield from {at + step for at in runs for step in range(len(every))}
            elif every and all(every):
                yield from set[int]().union(*every)

    def at(self, word: str, sure: float = _SURE) -> Iterator[int]:
        """Yield the words that say a stem, at least as surely as is asked for."""
        return (at for at, how in self.sentence.stems.get(word, ()) if at >= 0 and how >= sure)

    def acts(self, classes: Iterable[str]) -> frozenset[int]:
        """The words that say what tools do; what reads is named by "look up" too."""
        verbs = {word for one in classes for word in self.doing.get(one, ())[:1]}
        acts = {at for word in verbs for at in self.at(word)}
        acts = acts or {at for word in verbs for at in self.at(word, _LIKELY)}
        if not verbs.isdisjoint(READING):
            acts |= self.sentence.places_of(Cue.LOOKED_UP)
        return frozenset(acts)


def says_consent(sentence: ForeignSentence, places: Collection[int]) -> bool:
    """Whether some of these words say that a person agrees, or is asked."""
    asked = sentence.places_of(Cue.ASK, Cue.NO_ASK)
    return not asked.isdisjoint(places) or any(sentence.words[at].low in CONSENT for at in places)


def _is_length(said: object, value: object) -> bool:
    """Whether a length of time is so many of a unit, as a field of days has them."""
    return isinstance(said, timedelta) and isinstance(value, int | Decimal) and any(
        said / timedelta(seconds=unit) == value for unit in UNITS_OF_TIME.values())  # fmt: skip
