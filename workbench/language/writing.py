"""The writer of sentences: the first pattern of the grammar whose expression is that of a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.language.alone import alone
from workbench.language.enum_values import enum_words
from workbench.language.grammar import CHAINS, SHORTER
from workbench.language.lexicon import Lexicon, Scope
from workbench.language.places import (
    after_slot,
    earlier_sort,
    marker,
    named_element,
    wanted_sorts,
    with_element,
)
from workbench.language.productions import (
    Production,
    Slot,
    Sorts,
    begun,
    kind_of,
    match,
    resolved,
    unified,
    unit_of,
)
from workbench.language.trees import RUN, Tree, as_tree, free_names, is_tree
from workbench.language.units import amount_text
from workbench.language.words import (
    IN_MARKS,
    NAMED_TEXTS,
    clock_text,
    date_text,
    duration_text,
    listed,
    moment_text,
    number_text,
    quoted,
)
from workbench.model import IN_TEXT

_LAST = frozenset({"field", "flag", "gap", "many", "each"})
"""Categories whose words are found when it is known of which class they are."""
_MOST_OPTIONS = 3
_DEEPEST = 60

type Bound = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Written:
    """The words of a tree, their sorts, and what an element of it is called."""

    text: str
    sorts: Sorts
    noun: str = ""


class Writer:
    """Writes trees as sentences of a session."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._known: dict[tuple[Tree, str, Sorts, Scope], tuple[Written, ...]] = {}
        self._depth = 0

    @alone
    def write(self, tree: Tree, category: str = "sentence", scope: Scope | None = None) -> str:
        """The words of a tree; empty if the grammar has none."""
        found = self._write(tree, category, (), scope or Scope())
        return shortened(with_articles(found[0].text)) if found else ""

    def _write(self, tree: Tree, category: str, sorts: Sorts, scope: Scope) -> tuple[Written, ...]:
        key = (tree, category, sorts, scope)
        if key in self._known:
            return self._known[key]
        if self._depth > _DEEPEST:
            return ()
        self._known[key] = ()
        self._depth += 1
        found: list[Written] = []
        for one in self._options(tree, category, sorts, scope):
            if all(one.sorts != other.sorts for other in found):
                found.append(one)
            if len(found) >= _MOST_OPTIONS:
                break
        self._depth -= 1
        self._known[key] = tuple(found)
        return self._known[key]

    def _options(self, tree: Tree, category: str, sorts: Sorts, scope: Scope) -> Iterator[Written]:
        if category == "lit":
            yield from self._literal(tree, sorts[0] if sorts else "")
            return
        if category in ("place", "within"):
            yield from self._origins(tree)
            return
        too_long: list[Written] = []
        for block in self._lexicon.blocks(category, sorts, scope, scope.element):
            for made in block.writing(tree):
                for one in self._by(made, tree, sorts, scope):
                    if made.longest and (len(one.text) > made.longest or _may_end_before(made, tree)):
                        too_long.append(one)
                    else:
                        yield one
        yield from too_long

    def _origins(self, tree: Tree) -> Iterator[Written]:
        """A place where a text came from, or a field with what stands in its text."""
        match tree:
            case ("lit", "text", place):
                yield Written(self.origin(place), ())
            case ("set", ("lit", _, place), ("lit", _, inside)) if inside == f"{place}{IN_TEXT}":
                words = self.origin(place)
                if words.startswith("the “"):  # of a field, and not of a whole result
                    yield Written(words, ())
            case _:
                pass

    @alone
    def origin(self, place: str) -> str:
        """Where a text came from, as a rule names it: ``search_rooms.supplier_id``."""
        found = re.fullmatch(r"([^.:]+)(?:\.(.+)|:text)", place)
        call = next(
            (one for one in self._lexicon.types.calls.values() if found and one.tool == found[1]), None
        )
        if call is None or found is None:
            return "the user" if place == "user" else quoted(place)
        what = "text" if found[2] is None else quoted(found[2])
        (tool,) = self._write(("name", call.name), "tool", (), Scope())
        return f"the {what} given by calls to {tool.text}"

    def _by(self, made: Production, tree: Tree, sorts: Sorts, scope: Scope) -> Iterator[Written]:
        """The words of a tree by one production."""
        matched = match(made, tree)
        if matched is None:
            return
        slots, names = matched
        if "it" in slots and (not scope.names or slots["it"] != ("name", scope.names[-1].name)):
            return
        order = sorted(made.slots, key=lambda slot: slot.category in _LAST)
        elements = iter(names[one] for one in made.binders if one in names)
        for texts, bound, nouns in self._filled(made, order, slots, list(elements), begun(sorts), scope):
            own = resolved(made.sorts, bound)
            if own == ("@earlier",):
                own = (earlier_sort(as_tree(slots["t"]), self._lexicon),)
            if unified(sorts, own, ()) is None:
                continue
            text = made.filled(texts[slot.name] for slot in made.slots)
            yield Written(text, own, nouns.get(made.noun, made.noun))

    def _filled(
        self,
        made: Production,
        left: list[Slot],
        slots: Mapping[str, object],
        elements: list[str],
        bound: Bound,
        scope: Scope,
    ) -> Iterator[tuple[dict[str, str], Bound, dict[str, str]]]:
        """The texts of the slots that are left, with the sorts of variables."""
        if not left:
            yield {}, bound, {}
            return
        slot, *others = left
        tree = as_tree(slots.get(slot.name, ()))
        sorts = resolved(wanted_sorts(slot.sorts, scope, scope.element), bound)
        for one in self._slot(slot, tree, sorts, scope):
            own = unified(wanted_sorts(slot.sorts, scope, scope.element), one.sorts, bound)
            if own is None:
                continue
            text, inner, remaining = (
                one.text,
                after_slot(slot, made.category, tree, scope, self._lexicon),
                elements,
            )
            if slot.binds:
                called = named_element(one.noun, inner, self._lexicon)
                text = f"{text} called {called}" if called else text
                inner = with_element(inner, elements[0], one.noun, called, one.sorts[0])
                # where a record is found by what the element has, "it" could be either
                by_record = any(
                    self._finds_by(as_tree(each), elements[0], one.noun) for each in slots.values()
                )
                inner = inner._replace(by_name=inner.by_name or by_record)
                remaining = elements[1:]
            for texts, final, nouns in self._filled(made, others, slots, remaining, own, inner):
                yield {slot.name: text, **texts}, final, {slot.name: one.noun, **nouns}

    def _finds_by(self, tree: Tree, element: str, noun: str) -> bool:
        """Whether a record with another noun is found in a tree by what an element has."""
        record = self._lexicon.types.records.get(str(tree[2])) if tree[:2] == ("method", RUN) else None
        if record is not None:
            is_other = self._lexicon.words_of_record(record) != noun
            return is_other and any(element in free_names(as_tree(key)) for key in tree[3:])
        return any(self._finds_by(part, element, noun) for part in tree if is_tree(part))

    def _slot(self, slot: Slot, tree: Tree, sorts: Sorts, scope: Scope) -> Iterator[Written]:
        if slot.category in CHAINS:
            category, word = CHAINS[slot.category]
            parts = [self._write(one, category, sorts, scope) for one in tree]
            if all(parts):
                yield Written(f" {word} ".join(one[0].text for one in parts), ())
        elif slot.category in ("item", "pair", "case"):
            yield from self._items(slot.category, tree, scope)
        elif slot.takes_many:
            least = 2 if slot.many == "+" else 1
            parts = [self._write(one, slot.category, sorts, scope) for one in tree]
            if len(tree) >= least and all(parts):
                yield Written(listed([one[0].text for one in parts]), parts[0][0].sorts)
        else:
            yield from self._write(tree, slot.category, sorts, scope)

    def _items(self, category: str, trees: Tree, scope: Scope) -> Iterator[Written]:
        inner = scope._replace(level=scope.level + 1)
        texts = [self._write(one, "cond", (), inner) for one in trees]
        if not all(texts) or (category == "pair" and len(trees) != 2):
            return
        said = [one[0].text for one in texts]
        if category == "case":
            pairs = [f"if {said[at]}: {said[at + 1]}" for at in range(0, len(said) - 1, 2)]
            said = [*pairs, f"otherwise: {said[-1]}"]
        numbered = [f"{marker(scope.level, number)} {one}" for number, one in enumerate(said)]
        yield Written("; ".join(numbered), ())

    def _literal(self, tree: Tree, sort: str) -> Iterator[Written]:
        """A value, of a sort or of any."""
        if tree[0] != "lit":
            return
        form, value = tree[1], tree[2]
        kind = kind_of(sort)
        if form == "text" and kind in ("", "text", "enum"):
            words = enum_words(sort).get(value) or NAMED_TEXTS.get(value)
            yield Written(words or quoted(value), (sort or "text",))
        elif form in ("int", "dec") and kind in ("", "int", "dec"):
            for own in ("int", "dec"):
                if kind in ("", own) and (own == "dec" or form == "int"):
                    unit = unit_of(sort)
                    yield Written(amount_text(value, unit) if unit else number_text(value), (sort or own,))
        elif form == "bool" and kind in ("", "bool"):
            yield Written("yes" if value else "no", ("bool",))
        elif form in _TEXTS and kind in ("", form):
            yield Written(_TEXTS[form](value), (form,))


def _may_end_before(made: Production, tree: Tree) -> bool:
    """Whether a reader could end what a line goes on with before its last part, and so mean another thing.

    That is what is said of elements in several parts, if it is denied or the line joins its own otherwise.
    """
    if tree[0] not in ("and", "or") or made.slots[-1].category != "tail":
        return False
    inner = last = tree[-1][1] if tree[-1][0] == "not" else tree[-1]
    while inner[:2] in (("call", "any"), ("call", "all")) and inner[2][0] == "gen":
        inner = inner[2][2]
    harmless = ("and", "or") if inner is last else (tree[0],) if last is tree[-1] else ()
    return inner[0] in ("and", "or") and inner[0] not in harmless


_VOWEL = re.compile(r"\b([Aa]) (?=(?!us|uni|eu|one\b)[aeiou]|hour)")


def shortened(text: str) -> str:
    """The text with the short form of words that have one, but in no quotation marks."""
    pieces = IN_MARKS.split(text)
    for long, short in SHORTER:
        pieces = [
            piece if piece.startswith("“") else piece.replace(f"{long} ", f"{short} ") for piece in pieces
        ]
    return "".join(pieces)


def with_articles(text: str) -> str:
    """The text with "an" for "a" before a vowel, but in no quotation marks."""
    return "".join(
        piece if piece.startswith("“") else _VOWEL.sub(r"\1n ", piece) for piece in IN_MARKS.split(text)
    )


_TEXTS = {"dur": duration_text, "date": date_text, "clock": clock_text, "moment": moment_text}
