"""Conditions on earlier calls that a sentence names: that there was one, how many, what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import cached_property

from workbench.dialect.call_file import ANY_CALL
from workbench.language.enum_values import enum_words
from workbench.language.foreign.cues import Cue
from workbench.language.foreign.roles import Role
from workbench.language.foreign.small_words import ENDS_OF_CLAUSE
from workbench.language.foreign.tokens import ForeignWord
from workbench.language.lexicon import FieldWords
from workbench.language.nameable import ELEMENT, PROSE, Nameable, stems_of
from workbench.language.naming import Condition, Named, Naming, number_of, opposite
from workbench.language.productions import kind_of
from workbench.language.trees import CALL, TRUE, Tree, joined
from workbench.language.vocabulary import words_named

_IDS = words_named("keys")
_REPEATED = words_named("repeated")
_ITSELF = frozenset(("twice", "again", "times"))
"""What says that the call itself was made before, and no other."""
_FAINT = 0.6
_NAMED = 0.9
_WINDOW = 0.1
_DAY = timedelta(days=1)
_PERIODS = {
    "day": _DAY, "daily": _DAY, "today": _DAY, "hour": timedelta(hours=1), "hourly": timedelta(hours=1),
    "week": 7 * _DAY, "weekly": 7 * _DAY, "month": 30 * _DAY, "monthly": 30 * _DAY, "year": 365 * _DAY,
    "minute": timedelta(minutes=1), "yearly": 365 * _DAY, "night": _DAY, "shift": timedelta(hours=8),
}  # fmt: skip
_ADVERBS = frozenset(("daily", "today", "hourly", "weekly", "monthly", "yearly"))
_PER = frozenset(("per", "a", "an", "each", "every", "one", "any", "same", "single", "within", "/"))
_OWN = 0.25
_AS_DESCRIBED = 0.35
_BY = words_named("counted_by")
_BEFORE = frozenset(("after", "already", "before", "earlier", "once", "previous", "previously", "since"))
"""What says that calls before the decided one are counted alone."""


_APART = ENDS_OF_CLAUSE | frozenset(
    ("is", "are", "be", "may", "must", "can", "should", "shall", "no", "not", "never", "if", "when", "unless")
)
"""Between a number and a noun they say that it does not count these."""


class EarlierConditions:
    """Earlier calls of the tools that a sentence names."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._sentence = naming.sentence
        self._things = naming.things
        self._tools = naming.tools

    def every(self, others: Sequence[str]) -> Iterator[Condition]:
        """Earlier calls: that there was one, how many there were, and what they come to."""
        early = [one.first for one in self._sentence.at(Cue.EARLIER, Cue.LOOKED_UP)]
        numbers = [
            word.number
            for word in self._sentence.words
            if isinstance(word.literal, Decimal) and not word.money
        ]
        windows = [min(used) for _, used in self._windows() if used] if numbers or self._counts_one() else []
        early += windows
        counted = [
            at
            for at in numbers
            if any(
                at < number <= at + (1 if self._sentence.words[at].low == "one" else 3)
                and self._counts(at, number)
                for number in self._tools | self._naming.faint
            )
        ]
        if not early and not counted:
            return
        early = early or counted
        own = "|".join(self._things.classes)
        repeats_itself = all(self._sentence.words[at].low in _ITSELF for at in early)
        for classes in dict.fromkeys((self._things.classes, *((one,) for one in others))):
            if ANY_CALL in classes:
                continue
            same_tool = "|".join(classes) == own
            used, anchor, cost = self._named_call(classes, same_tool=same_tool)
            used |= self._naming.faint if same_tool and counted else frozenset()
            if not same_tool and repeats_itself:
                continue
            if not same_tool and not (used - self._tools and self._is_first(classes)):
                continue
            repeated = any(self._repeats(one) for one in early) or counted or windows
            if same_tool and not repeated and not self._sentence.has(Cue.TOTAL):
                continue
            nearest = min(early, key=lambda place: abs(place - anchor)) if anchor >= 0 else early[0]
            roles = self._sentence.roles
            if not same_tool and roles[max(nearest, anchor)] is Role.GOOD and roles[anchor] is not Role.GOOD:
                continue
            base = Named(
                Nameable((), "", ()),
                used | {nearest} | self._sentence.of_run,
                max(nearest, anchor),
                cost + (_OWN if same_tool else 0.0),
                0,
            )
            for key_cost, condition, needs, key_used in self._keys(classes):
                for window, window_used in self._windows():
                    within = joined("and", [one for one in (condition, window) if one != TRUE])
                    cost = key_cost - (_WINDOW if window != TRUE else 0.0)
                    used = key_used | window_used
                    yield from self._counted(base, classes, within, needs, cost, used, same_tool=same_tool)

    @cached_property
    def _verbs(self) -> frozenset[str]:
        calls = self._things.lexicon.types.calls
        own = (calls[one] for one in self._things.classes if one in calls)
        return frozenset(word for one in own for word in stems_of(self._things.lexicon.tool_words(one))[:1])

    def _is_first(self, classes: Sequence[str]) -> bool:
        """Whether other calls are those that come first, where "before" or "after" says which do."""
        came = self._comes_first
        if set(classes) & set(self._things.classes):
            return False
        calls = self._things.lexicon.types.calls
        verbs = (stems_of(self._things.lexicon.tool_words(calls[one]))[:1] for one in classes if one in calls)
        places = {
            at for words in verbs for word in words for at, _ in self._sentence.stems.get(word, ()) if at >= 0
        }
        return not came or not places or bool(places & came)

    @cached_property
    def _comes_first(self) -> frozenset[int]:
        """The words of what comes first: "stop it before it is moved", "not moved before it is stopped"."""
        words, norm = self._sentence.words, self._sentence.norm
        at = next((word.number for word in words if word.low in ("before", "after")), None)
        if at is None or at + 1 >= len(words):
            return frozenset()
        ends = (word.number for word in words[at:] if word.low in (*ENDS_OF_CLAUSE, ".", ";"))
        told = range(at, next(ends, len(words)))
        forbids = norm is not None and norm.cue is Cue.FORBID
        others = frozenset(range(len(words))) - frozenset(told)
        return (
            frozenset(told) if words[at].low == "after" or forbids or self._sentence.has(Cue.ONLY) else others
        )

    def _counts(self, at: int, number: int) -> bool:
        """Whether a number goes with a noun that follows: not in "letters of 20 are sent"."""
        words = self._sentence.words
        compared = self._naming.compared(at)
        first = at if compared is None else min(at, compared.first)
        if first and words[first - 1].low == "of":
            first -= 1
        is_of = first - 1 in self._tools and words[first - 1].stem not in self._verbs
        return not is_of and not any(word.low in _APART for word in words[at + 1 : number])

    def _windows(self) -> Iterator[tuple[Tree, frozenset[int]]]:
        """The lengths of time in which earlier calls count: "within 24 hours", "per day", or ever."""
        yield TRUE, frozenset()
        words = self._sentence.words
        since: Tree = ("-", ("attr", CALL, "time"), ("attr", ELEMENT, "time"))
        for word in words:
            before = words[word.number - 1].low if word.number else ""
            if isinstance(word.literal, timedelta) and not self._is_least(word):
                yield ("<=", since, ("lit", "dur", word.literal)), frozenset({word.number})
            elif (length := _PERIODS.get(word.low)) is not None and (before in _PER or word.low in _ADVERBS):
                within = {one.number for one in words[word.number - 2 : word.number] if one.low == "within"}
                yield ("<=", since, ("lit", "dur", length)), frozenset({word.number, *within})

    def _is_least(self, word: ForeignWord) -> bool:
        """Whether a length of time is one that something lasts at least, and none in which calls count."""
        compared = self._naming.compared(word.number)
        before = self._sentence.words[word.number - 1].low if word.number else ""
        return (
            compared is not None
            and compared.cue in (Cue.AT_LEAST, Cue.MORE)
            and before not in ("in", "within")
        )

    def _named_call(self, classes: Sequence[str], *, same_tool: bool) -> tuple[frozenset[int], int, float]:
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
        if same_tool and not used and self._tools:  # named as its description begins
            return self._tools, max(self._tools), _AS_DESCRIBED
        return frozenset(used), max(used) if used else -1, cost

    def _keys(self, classes: Sequence[str]) -> Iterator[tuple[float, Tree, tuple[Tree, ...], frozenset[int]]]:
        """The fields that make an earlier call one about the same, with what is against each."""
        lexicon = self._things.lexicon
        decided = {one.name: one for one in lexicon.fields[lexicon.class_of_calls(self._things.classes)]}
        earlier = lexicon.fields[lexicon.class_of_calls(tuple(classes), "earlier")]
        shared = [
            one
            for one in earlier
            if one.name in decided and one.name != "tool" and one.sort == decided[one.name].sort
            if not one.many and kind_of(one.sort) in ("text", "enum", "int")
        ]
        run = bool(self._sentence.of_run)
        ids = [one for one in shared if one.words.split()[-1] in _IDS]
        named = 0.1 if ids else 0.35
        ids = ids or [one for one in shared if kind_of(one.sort) == "text" and one.name not in PROSE]
        several = any(isinstance(one.literal, Decimal) and one.literal > 1 for one in self._sentence.words)
        yield from self._two_keys(shared, ids)
        yield from self._valued(earlier, [one for one in ids if not decided[one.name].optional])
        named_keys: list[tuple[Tree, tuple[Tree, ...], frozenset[int]]] = []
        for one in shared:
            used: set[int] = set()
            for word in stems_of(one.words):
                places = self._sentence.stems.get(word, ())
                used.update(number for number, _ in places if number >= 0 and self._is_key(number))
                if one in ids:
                    used.update(
                        number for number, sure in places if sure >= _NAMED and self._is_object(number)
                    )
            if not used and one not in ids:
                continue
            own: Tree = ("attr", CALL, one.name)
            needs = (own,) if decided[one.name].optional else ()
            cost = (0.15 if run else 0.0) if used else named if one is (ids[0] if ids else None) else 0.35
            same: Tree = ("==", ("attr", ELEMENT, one.name), own)
            sure = [
                at for word in stems_of(one.words) for at, sure in self._sentence.stems.get(word, ())
                if at in used and sure >= _NAMED
            ]  # fmt: skip
            if sure:
                named_keys.append((same, needs, frozenset(sure)))
            yield cost, same, needs, frozenset(used)
        if len({used for *_, used in named_keys}) > 1:
            both = joined("and", [same for same, *_ in named_keys])
            of_both = tuple(need for _, needs, _ in named_keys for need in needs)
            yield (
                0.15 if run else 0.0,
                both,
                of_both,
                frozenset[int]().union(*(used for *_, used in named_keys)),
            )
        yield (0.0 if run else 0.05 if several else 0.25), TRUE, (), frozenset()

    def _two_keys(
        self, shared: Sequence[FieldWords], ids: Sequence[FieldWords]
    ) -> Iterator[tuple[float, Tree, tuple[Tree, ...], frozenset[int]]]:
        """An id and a kind: the calls of one kind about one thing."""
        for kind in [one for one in shared if kind_of(one.sort) == "enum"]:
            named = any(
                self._sentence.stems.get(word, ())
                for value in enum_words(kind.sort).values()
                for word in stems_of(value)
            )
            for one in ids[:1] if named else ():
                same: list[Tree] = [
                    ("==", ("attr", ELEMENT, each.name), ("attr", CALL, each.name)) for each in (one, kind)
                ]
                yield 0.2, joined("and", same), (), frozenset()

    def _valued(
        self, earlier: Sequence[FieldWords], ids: Sequence[FieldWords]
    ) -> Iterator[tuple[float, Tree, tuple[Tree, ...], frozenset[int]]]:
        """Earlier calls with a value that is named: "the integration tests", of one thing or any."""
        own = {one.name: one.sort for each in self._things.every if each.of_call for one in (each,)}
        for one in earlier:
            if kind_of(one.sort) != "enum" or one.many or own.get(one.name) == one.sort:
                continue
            for value, words in enum_words(one.sort).items():
                places = [
                    max(at for at, sure in self._sentence.stems[word] if at >= 0 and sure >= _NAMED)
                    for word in stems_of(words)
                    if any(at >= 0 and sure >= _NAMED for at, sure in self._sentence.stems.get(word, ()))
                ]
                if not places or len(places) < len(stems_of(words)):
                    continue
                valued: Tree = ("==", ("attr", ELEMENT, one.name), ("lit", "text", value))
                yield 0.0, valued, (), frozenset(places)
                for key in ids[:1]:
                    same: Tree = ("==", ("attr", ELEMENT, key.name), ("attr", CALL, key.name))
                    yield 0.05, joined("and", [same, valued]), (), frozenset(places)

    def _counts_one(self) -> bool:
        """Whether a word says that something happens once: "one per day", "a single one"."""
        return any(
            word.low in ("one", "once", "single", "again", "another", "second")
            for word in self._sentence.words
        )

    def _is_key(self, number: int) -> bool:
        """Whether a word says by what calls are counted: "per order", "for the same order"."""
        return any(word.low in _BY for word in self._sentence.words[max(0, number - 3) : number])

    def _is_object(self, number: int) -> bool:
        """Whether a word that does not name the tool begins the sentence: "jobs are not paid twice"."""
        before = self._sentence.words[:number] if number >= 0 else ()
        return number >= 0 and number not in self._tools and not any(word.weight for word in before)

    def _repeats(self, at: int) -> bool:
        """Whether a word says that something happens again; "once" does where it joins no sentence."""
        words = self._sentence.words
        if words[at].low != "once":
            return words[at].low in _REPEATED
        following = words[at + 1].low if at + 1 < len(words) else "."
        return following in (".", ",", ";", "per", "for", "in", "only", "a", "each", "at", "every")

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
        begins = bool(bounded) and bounded[0].number == 0  # "five mails an hour"
        limited = same_tool and (self._sentence.has(Cue.AT_MOST) or self._sentence.norm is not None or begins)
        if same_tool and role is Role.GOOD and not no:
            yield Condition(opposite(some), used | frozenset(once), base.anchor, base.cost + cost, needs)
        else:
            yield Condition(
                opposite(some) if no else some, used | frozenset(once), base.anchor, base.cost + cost, needs
            )
        for word in bounded:
            operator, own = self._naming.operator(word.number)
            value = word.literal
            assert isinstance(value, Decimal)
            if value == value.to_integral_value() and not word.money and limited and value < 1_000:
                count: Tree = ("call", "sum", ("gen", ELEMENT, ("lit", "int", 1), domain, condition))
                counted = any(
                    one.number in base.used for one in self._sentence.words[word.number + 1 : word.number + 4]
                )
                if value < 1:
                    continue
                yield Condition(
                    self._bounding(word, operator, count),
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

    def _bounding(self, word: ForeignWord, operator: str, count: Tree) -> Tree:
        """The bound of a sentence on a number of calls, of which ``count`` are before the decided one.

        The decided one counts too, unless the sentence says what came before; the number stays as typed.
        """
        number: Tree = ("lit", "int", int(word.literal)) if isinstance(word.literal, Decimal) else TRUE
        before = word.low != "twice" and any(one.low in _BEFORE for one in self._sentence.words)
        is_limit = operator == "==" and not before and self._sentence.roles[word.number] is Role.GOOD
        if operator in ("<=", ">") or is_limit:
            return (">=" if operator == ">" else "<", count, number)
        with_this: Tree = count if before else ("+", count, ("lit", "int", 1))
        return ("<" if operator == "<" else ">=", with_this, number)

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
        for one in self._naming.numeric(word.number):
            thing = one.thing
            if not thing.of_call or thing.optional:
                continue
            value = number_of(word.literal, thing.sort) if isinstance(word.literal, Decimal) else None
            if value is None:
                continue
            before: Tree = ("call", "sum", ("gen", ELEMENT, ("attr", ELEMENT, thing.name), domain, condition))
            total = [cue.first for cue in self._sentence.at(Cue.TOTAL)]
            if operator == "==" and self._sentence.roles[word.number] is Role.GOOD:
                operator = "<="  # "orders of a session in total: 5,000"
            yield Condition(
                (operator, ("+", thing.tree, before), value),
                base.used | one.used | {word.number, *own, *total},
                word.number,
                base.cost + one.cost - _OWN + (0.0 if total or word.money else 0.2),
                needs,
                literal=word.number,
            )
