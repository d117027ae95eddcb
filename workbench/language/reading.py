"""The reader of sentences: every expression that the grammar gives for the words, and what may come next.

Each part is read once at each place, in each scope. What was read is kept for the next sentences that have
the same words, wherever they stand, so that a key costs little: only the parts around what it changed are
read again. Reading is bounded: a sentence has at most ``MOST_TOKENS`` tokens, and reading it takes at most
``MOST_STEPS`` steps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from workbench.dialect.call_file import ANY_CALL
from workbench.language.alone import alone
from workbench.language.enum_values import enum_texts, enum_words
from workbench.language.grammar import CHAINS, SHORTER
from workbench.language.lexicon import Lexicon, Node, Scope
from workbench.language.places import (
    MOST_ITEMS,
    after_slot,
    earlier_sort,
    marker,
    named_element,
    new_name,
    wanted_sorts,
    with_element,
)
from workbench.language.productions import (
    Production,
    Slot,
    Sorts,
    begun,
    build,
    kind_of,
    resolved,
    unified,
    unit_of,
    with_unit,
)
from workbench.language.trees import Tree, canonical
from workbench.language.units import amount_text, amounts_at
from workbench.language.words import (
    COUNTED,
    MONTHS,
    NAMED_TEXTS,
    Token,
    clock_at,
    date_at,
    duration_at,
    number_at,
    tokens,
    unquoted,
    words_of,
)
from workbench.model import IN_TEXT, WorkbenchError
from workbench.runs.kinds.kinds_by_name import KINDS

MOST_LETTERS = 200_000
MOST_TOKENS = 4_000
MOST_STEPS = 400_000
MOST_NESTED = 60
MOST_KEPT = 8_000
"""The number of parts that were read after which those of earlier sentences are forgotten."""
_MOST_ALIKE = 60
"""The most parts of one kind that are kept of words with the same beginning."""

type Bound = tuple[tuple[str, str], ...]


class TooLong(WorkbenchError):
    """Raised for a sentence that is too long or nested too deeply to be read."""


@dataclass(frozen=True, slots=True)
class Found:
    """A part that was read: its tokens, its sorts, its expression, and what an element of it is called.

    ``size`` is the number of the tokens, ``parts`` are those that it was made of.
    """

    size: int
    sorts: Sorts
    tree: Tree
    noun: str = ""
    parts: tuple[Part, ...] = ()


class Part(NamedTuple):
    """What stands in a slot: the slot's category, where it starts in the whole, and what was read there."""

    category: str
    start: int
    found: Found


@dataclass(slots=True)
class _Read:
    """Everything that was read of a category at a place, which is the same wherever ``words`` stand.

    ``expected`` is what may stand at which places, and what was read there for it, in the order of reading;
    places are counted from its own. ``reach`` is the last of them.
    """

    category: str
    found: tuple[Found, ...] = ()
    words: tuple[str, ...] = ()
    reach: int = -1
    expected: list[tuple[int, _Expected]] = field(default_factory=list[tuple[int, "_Expected"]])


class _Word(NamedTuple):
    """The words of a node, one of which may stand at a place; ``of_noun`` if they begin an element's."""

    node: Node
    of_noun: bool


class _Text(NamedTuple):
    """A text that may stand at a place; ``first`` is whether it is offered before words."""

    text: str
    first: bool = False


type _Expected = _Word | _Text | _Read
type _Key = tuple[str, Sorts, Scope]


_FIRST_LISTS = 3
"""The markers by which an outer list may begin: (a), (i) and (1)."""


class Reader:
    """Reads sentences; what it read of words is kept for the next sentence with the same words."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._tokens: tuple[Token, ...] = ()
        self._words: tuple[str, ...] = ()
        self._kept: dict[tuple[str, _Key], list[_Read]] = {}
        self._known: dict[tuple[int, _Key], _Read] = {}
        self._inside = _Read("")
        self._at = 0
        self._looked: int = 0
        self._steps = 0
        self._nested = 0
        self.whole: Found | None = None
        """The whole of the last sentence with its parts, if it was read; the first of its readings."""

    @alone
    def read(self, text: str, category: str = "sentence", scope: Scope | None = None) -> tuple[Tree, ...]:
        """The expressions that the whole text may be, each once; more than one is an ambiguity."""
        self._begin(text)
        every = self._read(category, (), scope or Scope(), 0)
        size = len(self._tokens)
        whole = {canonical(one.tree): one for one in reversed(every) if one.size == size}
        self.whole = next((one for one in every if one.size == size), None)
        return tuple(one.tree for one in reversed(whole.values()))

    @property
    def furthest(self) -> int:
        """The number of tokens of the longest beginning that can be read."""
        return max(self._inside.reach, 0)

    @property
    def steps(self) -> int:
        """The number of steps that the last sentence took, beyond what was known."""
        return self._steps

    @property
    def tokens(self) -> Sequence[Token]:
        """The tokens of the last sentence."""
        return self._tokens

    @property
    def noun_at_end(self) -> str:
        """The noun with which the readable beginning ends if "and" or "or" follows it, which may not be.

        It has such a word itself, or says what it is for, so that nothing on its line may stand after it.
        """
        end = self.furthest
        if end >= len(self._tokens) or self._tokens[end].word not in ("and", "or"):
            return ""
        for part in self.parts_begun(("clause",)):
            if part.start + part.found.size == end:
                return _text_of(self._tokens[part.start : end])
        return ""

    def parts_begun(self, categories: Collection[str]) -> Iterator[Part]:
        """Yield what was read of some categories anywhere in the sentence, whether or not it is whole."""
        for start, one in _expected(self._inside):
            if isinstance(one, _Read) and one.category in categories:
                yield from (Part(one.category, start, found) for found in one.found)

    def continuations(self, place: int) -> Iterator[str]:
        """Yield the texts that may stand at a place: each goes on as long as only one word can follow.

        The values of an enum come first. What is never written is offered only where its beginning stands.
        """
        expected = [one for at, one in _expected(self._inside, place) if at == place]
        yield from sorted({one.text for one in expected if isinstance(one, _Text) and one.first})
        nodes = {id(one.node): one for one in expected if isinstance(one, _Word)}
        for node, of_noun in sorted(nodes.values(), key=lambda one: not one.of_noun):
            for inner in node.words.values():
                if inner.written or not node.written:
                    yield from _going_on(inner, inner.text, whole=of_noun)
        yield from sorted({one.text for one in expected if isinstance(one, _Text) and not one.first})

    def not_meant(self, place: int) -> frozenset[str]:
        """What is read at a place, and says nothing there that a policy may say.

        These are the readings that are declared for other texts than the one named before, and any call
        among the earlier ones, which are of some tools.
        """
        before = [token.word for token in self._tokens[:place]]
        if before[-1:] == ["to"] and {"call", "calls"} & set(before[-9:]) and "earlier" in before[-9:]:
            return frozenset(("make any call",))
        if not before or before[-1] != "'s":
            return frozenset()
        parts = {part for kind in KINDS.values() for part, _ in kind.type_in_calls.fields}
        return frozenset(
            one.name.replace("_", " ")
            for one in self._lexicon.types.readings.values()
            if one.texts
            and one.name not in parts
            and not any(_ends_with(before[:-1], text) for text in one.texts)
        )

    # --- one part -----------------------------------------------------------------

    def _begin(self, text: str) -> None:
        if len(text) > MOST_LETTERS:
            raise TooLong(f"A sentence of {len(text):,} letters is not read; the most are {MOST_LETTERS:,}.")
        new = _expanded(tokens(text))
        if len(new) > MOST_TOKENS:
            raise TooLong(f"A sentence of {len(new):,} words is not read; the most are {MOST_TOKENS:,}.")
        if sum(map(len, self._kept.values())) > MOST_KEPT:
            self._kept.clear()
        self._tokens, self._words = new, (*_apart(new), "")
        self._known, self._inside, self._at = {}, _Read(""), 0
        self._looked = self._steps = self._nested = 0

    def _read(self, category: str, sorts: Sorts, scope: Scope, place: int) -> tuple[Found, ...]:
        key = category, sorts, scope
        read = self._known.get((place, key)) or self._read_before(key, place)
        if read is None:
            read = self._read_anew(key, place)
        if read.words:  # a part that begins with itself is none
            self._looked = max(self._looked, place + len(read.words) - 1)
            self._inside.expected.append((place - self._at, read))
            self._inside.reach = max(self._inside.reach, place - self._at + read.reach)
        return read.found

    def _read_before(self, key: _Key, place: int) -> _Read | None:
        """What was read for another sentence that has the same words from a place on."""
        for one in self._kept.get((self._words[place], key), ()):
            if self._words[place : place + len(one.words)] == one.words:
                self._known[place, key] = one
                return one
        return None

    def _read_anew(self, key: _Key, place: int) -> _Read:
        if self._nested >= MOST_NESTED:
            raise TooLong("The sentence is nested too deeply to be read; say it in several.")
        category, sorts, scope = key
        outer = self._inside, self._at, self._looked
        read = self._known[place, key] = self._inside = _Read(category)
        self._at = self._looked = place
        self._nested += 1
        found: dict[tuple[int, Sorts, Tree], Found] = {}
        for one in self._parts(category, sorts, scope, place):
            # a condition on constants alone is one of whole numbers and one of decimals, which are the same
            tree = canonical(one.tree) if category == "atom" else one.tree
            same = found.setdefault((one.size, one.sorts, tree), one)
            if same.tree != one.tree and repr(one.tree) < repr(same.tree):
                found[one.size, one.sorts, tree] = one
        self._nested -= 1
        read.found = tuple(found.values())
        read.words = self._words[place : self._looked + 1]
        kept = self._kept.setdefault((self._words[place], key), [])
        kept.insert(0, read)
        del kept[_MOST_ALIKE:]
        self._inside, self._at, self._looked = outer
        return read

    def _expect(self, at: int, one: _Word | _Text) -> None:
        """Note what may stand at a place."""
        self._inside.expected.append((at - self._at, one))
        self._inside.reach = max(self._inside.reach, at - self._at)

    def _parts(self, category: str, sorts: Sorts, scope: Scope, place: int) -> Iterator[Found]:
        if category == "lit":
            yield from self._literals(sorts[0] if sorts else "", place)
            return
        if category == "place":
            yield from self._origins(place)
            return
        if category == "within":
            yield from self._within(place)
            return
        if category == "new":
            yield from self._new_name(place)
            return
        if category == "noun":
            yield from self._new_noun(place)
            return
        for block in self._lexicon.blocks(category, sorts, scope, scope.innermost):
            yield from self._walk(block.root, category, sorts, scope, place)

    def _walk(self, root: Node, category: str, sorts: Sorts, scope: Scope, place: int) -> Iterator[Found]:
        """The parts that the patterns from a node on give, from a place on."""
        work: list[tuple[Node, int, tuple[Part, ...], Bound, Scope]] = [
            (root, place, (), begun(sorts), scope)
        ]
        while work:
            node, at, given, bound, inner = work.pop()
            self._step()
            for made in node.ends:
                yield from self._made(made, given, bound, scope, at - place, sorts)
            if node.words:
                self._expect(at, _Word(node, category in _OF_ELEMENTS))
                self._looked = max(self._looked, at)
                for following in self._following(node, at):
                    work.append((following, at + 1, given, bound, inner))
            for slot, following in node.slots:
                for end, part, own, after in self._after(slot, category, bound, inner, at):
                    here = Part(slot.category, at - place, part)
                    work.append((following, end, (*given, here), own, after))

    def _after(
        self, slot: Slot, category: str, bound: Bound, scope: Scope, at: int
    ) -> Iterator[tuple[int, Found, Bound, Scope]]:
        """What a slot may hold at a place: its end, the part, and the sorts and scope after it."""
        for one in self._slot(slot, bound, scope, at):
            own = unified(wanted_sorts(slot.sorts, scope, scope.innermost), one.sorts, bound)
            if own is None:
                continue
            after = after_slot(slot, category, one.tree, scope, self._lexicon)
            if not slot.binds:
                yield at + one.size, one, own, after
                continue
            called = named_element(one.noun, after, self._lexicon)
            if (end := self._called(called, at + one.size)) is None:
                continue
            name = new_name(called or one.noun, after, self._lexicon)
            after = with_element(after, name, one.noun, called, one.sorts[0])
            yield end, Found(end - at, one.sorts, one.tree, name, one.parts), own, after

    def _following(self, node: Node, at: int) -> Iterator[Node]:
        """Yield where a word leads to; "an" is "a" before another sound."""
        word = self._tokens[at].word if at < len(self._tokens) else ""
        for one in ("an", "a") if word in ("a", "an") else (word,):
            if one in node.words:
                yield node.words[one]

    def _called(self, called: str, at: int) -> int | None:
        """Where the name of an element ends, ``called line B``, if it has one."""
        if not called:
            return at
        for word in words_of(f"called {called}"):
            self._looked = max(self._looked, at)
            if at >= len(self._tokens) or self._tokens[at].word != word:
                self._expect(at, _Text(f"called {called}"))
                return None
            at += 1
        return at

    def _slot(self, slot: Slot, bound: Bound, scope: Scope, at: int) -> Iterator[Found]:
        sorts = resolved(wanted_sorts(slot.sorts, scope, scope.innermost), bound)
        if slot.category in CHAINS:
            category, word = CHAINS[slot.category]
            yield from self._chain(category, sorts, scope, at, word, 2 if slot.many == "+" else 1)
        elif slot.category in ("item", "pair", "case"):
            yield from self._items(slot.category, scope, at)
        elif slot.takes_many:
            yield from self._alternatives(slot.category, sorts, scope, at, 2 if slot.many == "+" else 1)
        else:
            yield from self._read(slot.category, sorts, scope, at)

    # --- several parts ------------------------------------------------------------

    def _is(self, at: int, word: str) -> bool:
        self._looked = max(self._looked, at)
        if at < len(self._tokens) and self._tokens[at].word == word:
            return True
        self._expect(at, _Text(word))
        return False

    def _chain(
        self, category: str, sorts: Sorts, scope: Scope, at: int, word: str, least: int
    ) -> Iterator[Found]:
        """One part, the word, another part, and so on."""
        work: list[tuple[int, tuple[Part, ...]]] = [(at, ())]
        while work:
            place, before = work.pop()
            for one in self._read(category, sorts, scope, place):
                self._step()
                every, end = (*before, Part(category, place - at, one)), place + one.size
                if len(every) >= least:
                    yield _several(end - at, one.sorts, every)
                if self._is(end, word):
                    work.append((end + 1, every))

    def _alternatives(
        self, category: str, sorts: Sorts, scope: Scope, at: int, least: int
    ) -> Iterator[Found]:
        """Parts in a row with commas and "or" or ", or" before the last, or with "or" between all of them."""
        work: list[tuple[int, tuple[Part, ...], str]] = [(at, (), "")]
        while work:
            place, before, joint = work.pop()
            for one in self._read(category, sorts, scope, place):
                self._step()
                every, end = (*before, Part(category, place - at, one)), place + one.size
                if len(every) >= least and joint != ",":
                    yield _several(end - at, one.sorts, every)
                if joint == "last":
                    continue
                if self._is(end, "or"):
                    work.append((end + 1, every, "last" if joint == "," else "or"))
                if joint != "or" and self._is(end, ","):
                    work.append((end + 1, every, ","))
                    if joint == "," and self._is(end + 1, "or"):
                        work.append((end + 2, every, "last"))

    def _items(self, category: str, scope: Scope, at: int) -> Iterator[Found]:
        """The items of a list, each with its marker; a list may begin with those of one inside it."""
        level = next(
            (one for one in range(scope.level, _FIRST_LISTS) if self._is(at, marker(one, 0))), scope.level
        )
        inner = scope._replace(level=level + 1)
        work: list[tuple[int, tuple[Part, ...]]] = [(at, ())]
        while work:
            place, before = work.pop()
            number = _item_number(category, before)
            if number >= MOST_ITEMS or not self._is(place, marker(level, number)):
                continue
            for end, parts, is_last in self._item(category, inner, place + 1, number):
                self._step()
                every = (*before, *(one._replace(start=one.start - at) for one in parts))
                if is_last:
                    yield _several(end - at, (), every)
                if (category != "case" or not is_last) and self._is(end, ";"):
                    work.append((end + 1, every))

    def _item(
        self, category: str, scope: Scope, at: int, number: int
    ) -> Iterator[tuple[int, tuple[Part, ...], bool]]:
        def conditions(place: int) -> Iterator[tuple[int, Part]]:
            for one in self._read("cond", (), scope, place):
                yield place + one.size, Part("cond", place, one)

        if category != "case":
            enough = number == 1 if category == "pair" else number >= 1
            yield from ((end, (one,), enough) for end, one in conditions(at))
            return
        if self._is(at, "otherwise") and self._is(at + 1, ":"):
            yield from ((end, (one,), True) for end, one in conditions(at + 2))
        if self._is(at, "if"):
            for colon, test in conditions(at + 1):
                if self._is(colon, ":"):
                    yield from ((end, (test, one), False) for end, one in conditions(colon + 1))

    # --- what a production makes --------------------------------------------------

    def _made(
        self,
        made: Production,
        given: Sequence[Part],
        bound: Bound,
        scope: Scope,
        size: int,
        sorts: Sorts,
    ) -> Iterator[Found]:
        """What a production makes of parts; several things where a field's words are those of several."""
        # two productions with one pattern but for the names of slots share a place
        of_slot = {own.name: part.found for own, part in zip(made.slots, given, strict=True)}
        for parts, own_bound in self._with_fields(made, of_slot, bound, scope):
            own_sorts = resolved(made.sorts, own_bound)
            if own_sorts == ("@earlier",):
                if ("name", ANY_CALL) in parts["t"].tree:
                    continue  # earlier calls are asked for by their tools
                own_sorts = (earlier_sort(parts["t"].tree, self._lexicon),)
            if unified(sorts, own_sorts, ()) is None:
                continue
            own_parts = tuple(
                part._replace(found=parts[own.name]) for own, part in zip(made.slots, given, strict=True)
            )
            yield Found(size, own_sorts, self._tree(made, parts, scope), _noun_of(made, parts), own_parts)

    def _tree(self, made: Production, parts: Mapping[str, Found], scope: Scope) -> Tree:
        elements = [parts[slot.name].noun for slot in made.slots if slot.binds]
        names = dict(zip(made.binders, elements, strict=False))
        for one in made.binders[len(elements) :]:
            names[one] = new_name(one, scope, self._lexicon)
        innermost = scope.names[-1].name if scope.names else ""
        return build(made, {name: found.tree for name, found in parts.items()}, names, innermost)

    def _with_fields(
        self, made: Production, of_slot: dict[str, Found], bound: Bound, scope: Scope
    ) -> Iterator[tuple[dict[str, Found], Bound]]:
        """The parts with the fields that words before their owner mean, now that the owner is known."""
        open_slot = next((slot for slot in made.slots if of_slot[slot.name].tree[0] == "words"), None)
        if open_slot is None:
            yield of_slot, bound
            return
        part = of_slot[open_slot.name]
        wanted = wanted_sorts(open_slot.sorts, scope, scope.innermost)
        for one in self._lexicon.named_fields(
            open_slot.category, resolved(wanted, bound)[0], str(part.tree[1])
        ):
            own = unified(wanted, one.sorts, bound)
            if own is not None:
                field = Found(part.size, one.sorts, one.expression, one.noun)
                yield from self._with_fields(made, {**of_slot, open_slot.name: field}, own, scope)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise TooLong("The sentence is too long to be read; say it in several.")

    # --- values -------------------------------------------------------------------

    def literal(self, text: str, sort: str) -> Tree | None:
        """The value of a sort that a text is; None if it is none."""
        self._begin(text)
        sizes = {one.size: one.tree for one in self._literals(sort, 0)}
        return sizes.get(len(self._tokens)) if self._tokens else None

    def _new_name(self, at: int) -> Iterator[Found]:
        """The name of a constant that the policy does not have, in quotation marks."""
        token = self._token(at)
        name = (
            "" if token is None or token.kind != "text" else self._lexicon.new_constant(unquoted(token.text))
        )
        if name:
            yield Found(1, (), ("name", name))

    def _new_noun(self, at: int) -> Iterator[Found]:
        """The noun that a sentence gives a condition: the words before what says its meaning."""
        self._looked = max(self._looked, min(at + _MOST_IN_NOUN, len(self._tokens)))
        self._expect(at, _Text(_NEW_NOUN))
        for end in range(at + 1, min(at + _MOST_IN_NOUN, len(self._tokens))):
            last = self._tokens[end - 1]
            if last.kind in ("marker", "other") and last.word not in _IN_NOUN:
                return
            if last.kind == "text" and end > at + 1:
                return
            if self._tokens[end].word in _AFTER_NOUN:
                said = _text_of(self._tokens[at:end])
                words = unquoted(said) if last.kind == "text" else said
                yield Found(end - at, (), ("lit", "text", words))

    def _token(self, at: int) -> Token | None:
        self._looked = max(self._looked, at)
        return self._tokens[at] if at < len(self._tokens) else None

    def _literals(self, sort: str, at: int) -> Iterator[Found]:
        """The values that stand at a place, of a sort or of any."""
        kind = kind_of(sort)
        token = self._token(at)
        if kind != "enum":
            unit = unit_of(sort) if kind in ("int", "dec") else ""
            hint = amount_text(5_000, unit) if unit else _HINTS.get(kind, "a value")
            self._expect(at, _Text(hint))
        if kind == "enum":
            yield from self._enum_values(sort, at)
        if token is None:
            return
        if kind in ("", "text", "enum"):
            yield from self._texts(sort, at, token)
        if kind in ("", "bool") and token.word in ("yes", "no"):
            yield Found(1, ("bool",), ("lit", "bool", token.word == "yes"))
        if kind in ("", "clock") and (time := clock_at(token)) is not None:
            yield Found(1, ("clock",), ("lit", "clock", time))
        if kind in ("", "int", "dec"):
            yield from self._amounts(sort, at)
        if sort == "int" and token.word in COUNTED:
            yield Found(1, ("int",), ("lit", "int", COUNTED[token.word]))
        if token.word == "-" or token.kind == "number":
            yield from self._numbers(sort, at)

    def _texts(self, sort: str, at: int, token: Token) -> Iterator[Found]:
        """The text that stands at a place, in quotation marks or by its name."""
        if token.kind == "text":
            yield Found(1, (sort or "text",), ("lit", "text", unquoted(token.text)))
        for text, words in NAMED_TEXTS.items():
            if self._all(at, words):
                yield Found(len(words.split()), (sort or "text",), ("lit", "text", text))

    def _amounts(self, sort: str, at: int) -> Iterator[Found]:
        """The numbers with a unit that stand at a place, of the unit of a sort or of any."""
        kind, unit = kind_of(sort), unit_of(sort)
        units = ((unit,) if unit else ()) if kind else sorted(set(self._lexicon.types.units.values()))
        minus = self._tokens[at].word == "-"
        for name in units:
            for one in ("int", "dec") if not kind else (kind,):
                for end, value in amounts_at(self._tokens, at + minus, name, one):
                    found = -value if minus else value
                    yield Found(end - at, (with_unit(one, name),), ("lit", one, found))
        if units:
            self._looked = max(self._looked, min(at + _MOST_IN_AMOUNT, len(self._tokens)))

    def _numbers(self, sort: str, at: int) -> Iterator[Found]:
        kind = kind_of(sort)
        minus = self._tokens[at].word == "-"
        token = self._token(at + minus)
        if token is None or token.kind != "number":
            return
        after = at + minus + 1
        for one in ("int", "dec"):
            value = number_at(token, one) if kind in ("", one) else None
            if value is not None:
                yield Found(after - at, (sort if kind else one,), ("lit", one, -value if minus else value))
        second = self._token(after)
        if kind in ("", "dur") and second is not None and (length := duration_at(token, second)) is not None:
            yield Found(after + 1 - at, ("dur",), ("lit", "dur", -length if minus else length))
        third = self._token(after + 1) if second is not None else None
        day = None if second is None or third is None else date_at(token, second, third)
        if day is None:
            return
        if kind in ("", "date"):
            yield Found(after + 2 - at, ("date",), ("lit", "date", day))
        time = self._token(after + 3) if self._is(after + 2, "at") else None
        if kind in ("", "moment") and time is not None and (clock := clock_at(time)) is not None:
            yield Found(after + 4 - at, ("moment",), ("lit", "moment", datetime.combine(day, clock)))

    def _enum_values(self, sort: str, at: int) -> Iterator[Found]:
        written = enum_words(sort)
        for text, value in enum_texts(sort).items():
            wanted = words_of(text)
            found = tuple(token.word for token in self._tokens[at : at + len(wanted)])
            self._looked = max(self._looked, at + len(wanted) - 1)
            if found == wanted:
                yield Found(len(wanted), (sort,), ("lit", "text", value))
            elif text == written.get(value, "").casefold():
                same = next((n for n, word in enumerate(found) if word != wanted[n]), len(found))
                rest = " ".join(wanted[same:]) if same else written[value]
                self._expect(at + same, _Text(rest, first=True))

    def _origins(self, at: int) -> Iterator[Found]:
        """Where a text came from: the user, or a place in what calls give."""
        token = self._token(at)
        if token is not None and token.kind == "text":
            yield Found(1, (), ("lit", "text", unquoted(token.text)))
        self._expect(at, _Text("the user"))
        if self._all(at, "the user"):
            yield Found(2, (), ("lit", "text", "user"))
        yield from self._given(at)

    def _given(self, at: int) -> Iterator[Found]:
        """A place in what calls give."""
        self._expect(at, _Text(GIVEN_BY))
        place = self._token(at + 1)
        if place is None or not self._is(at, "the") or not self._all(at + 2, "given by calls to"):
            return
        for tool in self._read("tool", (), Scope(), at + 6):
            call = self._lexicon.types.calls.get(str(tool.tree[1]))
            if call is not None and (place.kind == "text" or place.word == "text"):
                within = f".{unquoted(place.text)}" if place.kind == "text" else IN_TEXT
                yield Found(6 + tool.size, (), ("lit", "text", f"{call.tool}{within}"))

    def _within(self, at: int) -> Iterator[Found]:
        """A field that calls give, with what stands in its text: a text that is all of it counts, too."""
        for one in self._given(at):
            if not str(one.tree[2]).endswith(IN_TEXT):
                yield Found(one.size, (), ("set", one.tree, ("lit", "text", f"{one.tree[2]}{IN_TEXT}")))

    def _all(self, at: int, words: str) -> bool:
        return all(self._is(at + number, word) for number, word in enumerate(words.split()))


def _going_on(node: Node, text: str, *, whole: bool) -> Iterator[str]:
    """Yield the words that a node begins, as far as one word can follow; an article never ends them.

    A ``whole`` noun goes on to its end: its first word may be a noun that means something else there. It is
    followed by "of" where it is one of some other call or record than the decided call.
    """
    following = [inner for inner in node.words.values() if inner.written or not node.written]
    alone = whole or len(following) == 1 or node.text.casefold() in ("the", "a")
    ends = any(node.written <= (not one.reads_only) for one in node.ends)
    if not following or not alone or node.slots or ends:
        of_what = whole and node.ends and all(one.expression[0] == "words" for one in node.ends)
        yield f"{text} of" if of_what else text
        return
    for inner in following:
        longer = text + (inner.text if inner.text in _CLOSING else f" {inner.text}")
        yield from _going_on(inner, longer, whole=whole)


_OF_ELEMENTS = frozenset(("each", "many"))
"""The categories of the nouns of elements."""
_CLOSING = frozenset(".,;:'s")
_AFTER_NOUN = frozenset(("means", "when", "if"))
"""What stands after the noun that a sentence gives a condition."""
_IN_NOUN = frozenset((",", "-", "'"))
_MOST_IN_NOUN = 30
GIVEN_BY = "the “field” given by calls to"
"""What stands for a place in what calls give where none is known."""
_NEW_NOUN = "words for what holds"
_MOST_IN_AMOUNT = 4
"""The most tokens of a number with its unit."""
_HINTS = {
    "int": "a number", "dec": "a number", "text": "“a text”", "bool": "yes", "dur": "48 hours",
    "date": f"9 {MONTHS[10]} 2026", "moment": f"9 {MONTHS[10]} 2026 at 9:00", "clock": "9:00",
}  # fmt: skip


def _expected(read: _Read, place: int | None = None) -> Iterator[tuple[int, _Expected]]:
    """Yield what may stand, and what was read, for a part, with the places and in the order of reading.

    With a place only what reaches it.
    """
    seen: set[tuple[int, int]] = set()
    work = [(0, iter(read.expected))]
    while work:
        start, inner = work[-1]
        for at, one in inner:
            own = start + at
            if not isinstance(one, _Read):
                yield own, one
            elif (own, id(one)) not in seen and (place is None or own <= place <= own + one.reach):
                seen.add((own, id(one)))
                yield own, one
                work.append((own, iter(one.expected)))
                break
        else:
            work.pop()


def _apart(found: Sequence[Token]) -> Iterator[str]:
    """Yield the texts of tokens, with a blank before those that stand apart from the one before."""
    end = 0
    for token in found:
        yield f" {token.text}" if token.start > end else token.text
        end = token.end


def _expanded(written: Sequence[Token]) -> tuple[Token, ...]:
    """The tokens with the long form of words that have a shorter one.

    After "and" or "or" the short form goes on with the last words of the long one: "whose a and whose b".
    """
    longer = {short: long.split() for long, short in SHORTER}
    found: list[Token] = []
    for token in written:
        words = longer.get(token.word, [])
        if found and found[-1].word in ("and", "or"):
            words = words[-1:]
        found += [replace(token, text=word, word=word) for word in words] or [token]
    return tuple(found)


def _text_of(found: Sequence[Token]) -> str:
    """The words of tokens as they stand in a sentence."""
    text = ""
    for before, token in zip((None, *found), found, strict=False):
        text += (" " if before is not None and token.start > before.end else "") + token.text
    return text


def _noun_of(made: Production, parts: Mapping[str, Found]) -> str:
    return parts[made.noun].noun if made.noun in parts else made.noun


def _several(size: int, sorts: Sorts, parts: tuple[Part, ...]) -> Found:
    """Several parts in one slot."""
    return Found(size, sorts, tuple(part.found.tree for part in parts), parts=parts)


def _item_number(category: str, before: Sequence[Part]) -> int:
    return len(before) // 2 if category == "case" else len(before)


def _ends_with(words: Sequence[str], text: str) -> bool:
    """Whether words end with those of a text such as ``SendMail.body``."""
    named = words_of(text.rpartition(".")[2].replace("_", " "))
    return [*words[-len(named) :]] == [*named]
