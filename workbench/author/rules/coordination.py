"""Lists within a phrase: their parts, their connective, and what the parts share."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from workbench.author.argument_terms import (
    argument_of,
    atoms,
    conjuncts,
    element_listing,
    map_atoms,
    names,
)
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.phrase_items import Item, KnownWords
from workbench.author.rules.quantities import read_comparator
from workbench.author.rules.sentences import NUMBER_WORDS, Chunk, SentenceWord
from workbench.author.rules.words import ARTICLES, LIGHT, PEOPLE, USERS
from workbench.policy.terms import (
    Compare,
    Comparison,
    ConstantSet,
    Member,
    Quantified,
    Term,
)

PLACES_OF_PATHS = frozenset(["under", "below", "in", "within", "inside", "into", "outside"])
"""Words before a path that mean everything in the directory."""

_UPPER = (Comparison.LE, Comparison.LT)


def is_filler(word: str) -> bool:
    """Whether a word adds nothing to the meaning: an article, a person, a light verb."""
    return word.lower() in ARTICLES | PEOPLE | LIGHT


def is_joint(item: Item) -> bool:
    """Whether an item joins the parts of a list."""
    return isinstance(item, SentenceWord) and item.kind in ("AND", "OR", "COMMA")


def done_for(items: Sequence[Item], *, relative: bool = False) -> int | None:
    """The place after “for users”, or with ``relative`` after “for users who are”; None without it."""
    texts = [item.text.lower() if isinstance(item, SentenceWord) else "" for item in items]
    for place, text in enumerate(texts):
        if text == "for" and texts[place + 1 : place + 2] and texts[place + 1] in USERS:
            if not relative:
                return place + 2
            if texts[place + 2 : place + 4] in (["who", "are"], ["who", "is"]):
                return place + 4
    return None


def begins_comparison(part: Sequence[Item]) -> bool:
    """Whether a part of a list is a comparison, such as “over 65” or “not under 18”."""
    kinds = [item.kind if isinstance(item, SentenceWord) else "" for item in part]
    texts = [item.text.lower() for item in part if isinstance(item, SentenceWord)]
    while kinds and (kinds[0] == "NOT" or texts[:1] in (["is"], ["are"])):
        kinds, texts = kinds[1:], texts[1:]
    return kinds[:1] in (["COMPARATOR"], ["BETWEEN"]) and "for" not in texts


def words_of_items(items: list[Item]) -> Chunk:
    """The words of the items, unchanged."""
    sentence_words: list[SentenceWord] = []
    for item in items:
        if isinstance(item, SentenceWord):
            sentence_words.append(item)
        else:
            sentence_words += [SentenceWord("QUOTED" if " " in word else "WORD", word) for word in item.words]
    return tuple(sentence_words)


def begins_with_noun(items: list[Item]) -> bool:
    """Whether the items begin with a plain word: an object, not a text, number or preposition."""
    first = next(
        (item for item in items if not (isinstance(item, SentenceWord) and is_filler(item.text))), None
    )
    return isinstance(first, KnownWords) or (isinstance(first, SentenceWord) and first.kind == "WORD")


def split_at(items: list[Item], connective: str) -> list[list[Item]]:
    """The parts between one of the connectives; a comma before the other one is dropped."""
    parts: list[list[Item]] = [[]]
    between = False
    for item in items:
        kind = item.kind if isinstance(item, SentenceWord) else ""
        between = between or kind == "BETWEEN"
        if kind == "AND" and between:
            between = False
        elif kind == connective:
            parts.append([])
            continue
        if kind != "COMMA":
            parts[-1].append(item)
    return parts


def is_mixed(items: list[Item]) -> bool:
    """Whether a phrase without brackets or lists joins with both “and” and “or”."""
    kinds = [item.kind if isinstance(item, SentenceWord) else "" for item in items]
    if {"OPEN", "LBRACE"} & set(kinds):
        return False
    for between in [place for place, kind in enumerate(kinds) if kind == "BETWEEN"]:
        joint = next((place for place in range(between, len(kinds)) if kinds[place] == "AND"), None)
        if joint is not None:
            kinds[joint] = ""
    return "AND" in kinds and "OR" in kinds


def split_list(items: list[Item]) -> tuple[list[list[Item]], str | None]:
    """The parts of a list and its connective; "between a and b" and {a, b} stay whole."""
    parts: list[list[Item]] = [[]]
    connectives: set[str] = set()
    between, depth = False, 0
    for item in items:
        kind = item.kind if isinstance(item, SentenceWord) else ""
        depth += (kind in ("LBRACE", "OPEN")) - (kind in ("RBRACE", "CLOSE"))
        if kind == "BETWEEN":
            between = True
        if kind in ("AND", "OR", "COMMA") and depth == 0:
            if between and kind == "AND":
                between = False
                parts[-1].append(item)
                continue
            connectives.add(kind)
            if parts[-1]:
                parts.append([])
            continue
        parts[-1].append(item)
    parts = [part for part in parts if part] or [[]]
    if {"AND", "OR"} <= connectives:
        raise UnreadableError("it mixes “and” with “or” without saying which belongs together")
    if connectives == {"COMMA"} and len(parts) > 1:
        raise UnreadableError("its list has neither “and” nor “or”")
    if len(parts) == 1:
        return parts, None
    return _with_places(parts), "OR" if "OR" in connectives else "AND"


def _with_places(parts: list[list[Item]]) -> list[list[Item]]:
    """The parts of a list, with “in” repeated before each path: “files in /etc or /root”."""
    placed_parts = parts[:1]
    for part in parts[1:]:
        before = placed_parts[-1][-2:]
        alone = len(part) == 1 and len(before) == 2 and _kind(part[0]) == _kind(before[1]) == "PATH"
        place = before[0] if alone and isinstance(before[0], SentenceWord) else None
        if place is not None and place.kind == "OUTSIDE":
            raise UnreadableError(f"it is open how far “{place.text}” reaches", place.text)
        inside = place is not None and place.text.lower() in PLACES_OF_PATHS
        placed_parts.append([place, *part] if place is not None and inside else part)
    return placed_parts


def bounded_alike(parts: list[list[Item]]) -> list[list[Item]]:
    """The parts of a list, with “at most” repeated before each number: “at most one A and two B”."""
    bounded_parts = parts[:1]
    for part in parts[1:]:
        bound = next((item for item in bounded_parts[-1] if _kind(item) == "COMPARATOR"), None)
        number = _number(part[0]) if len(part) == 2 and isinstance(part[1], KnownWords) else None
        alike = isinstance(bound, SentenceWord) and read_comparator(bound.text) == ("<=", "")
        bounded_parts.append([bound, number, part[1]] if bound and number and alike else part)
    return bounded_parts


def _number(item: Item) -> SentenceWord | None:
    """A number, with a number word converted to digits."""
    if not isinstance(item, SentenceWord) or item.kind not in ("NUMBER", "WORD"):
        return None
    count = NUMBER_WORDS.get(item.text.lower())
    return item if item.kind == "NUMBER" else SentenceWord("NUMBER", str(count)) if count else None


def limits_together(conditions: list[Term]) -> bool:
    """Whether each condition ends in an upper bound on an argument of its own, so that all must hold."""
    first, *other_conditions = conditions
    bounded = [*conjuncts(first)[-1:], *other_conditions]
    if not all(isinstance(bound, Compare) and bound.operator in _UPPER for bound in bounded):
        return False
    mentioned_names = [name for condition in (first, *other_conditions) for name in names(condition)]
    return len(mentioned_names) == len(set(mentioned_names))


def _kind(item: Item) -> str:
    return item.kind if isinstance(item, SentenceWord) else ""


def union_of_elements(conditions: list[Term]) -> Term | None:
    """Elements that an action names one by one, as one set of elements."""
    listed = [condition for condition in conditions if isinstance(condition, Quantified)]
    if len(listed) < len(conditions) or len(names(*listed)) != 1:
        return None
    listings = [listing for condition in listed if (listing := element_listing(condition)) is not None]
    values = tuple(dict.fromkeys(value for listing in listings for value in listing.values))
    return replace(listed[0], body=Member(listed[0].variable, ConstantSet(values)))


def with_other_value(first: Term, other: Term) -> Term:
    """The first phrase, with its test of one argument replaced by the test in the other phrase."""
    argument_names = names(other)
    same_tests = [atom for atom in atoms(first) if argument_of(atom) in argument_names]
    if len(argument_names) != 1 or len(same_tests) != 1:
        raise UnreadableError("it is open what the list belongs to")
    return map_atoms(first, lambda atom: other if atom in same_tests else atom)


def check_negation_scope(parts: list[list[Item]]) -> None:
    """Refuse “not a member or resident”: it is open whether “not” reaches the second word."""
    for part, following in itertools.pairwise(parts):
        if not any(
            isinstance(item, SentenceWord) and item.kind in ("NOT", "WITHOUT", "NO", "OUTSIDE")
            for item in part
        ):
            continue
        is_own_phrase = any(
            isinstance(item, SentenceWord)
            and (
                item.kind in ("NOT", "WITHOUT", "NO", "OUTSIDE", "COMPARATOR", "SYMBOL", "OR_MORE", "OR_LESS")
                or item.text.lower() in ("is", "are", "who", "has", "have", "they")
            )
            for item in following
        )
        if not is_own_phrase:
            raise UnreadableError("it is open how far “not” reaches")
