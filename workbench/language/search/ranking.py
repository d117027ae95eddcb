"""Which rules stand first, which are the same or against a better one, and what a rule leaves out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from workbench.language.contrary import contrary
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import stem
from workbench.language.naming import opposite
from workbench.language.normal_form import normal
from workbench.language.search.found import Found
from workbench.language.trees import CALL, RUN, TRUE, Tree, free_names, is_tree, joined
from workbench.language.words import words_of

_MOST_DIFFERENT = 300
_MOST_LEFT_OUT = 2
"""Words that an offer may leave out for each that it uses: of less nothing is understood."""
_OF_OTHERS = 0.4
"""How much less than the best rule one about other tools may be worth."""
_MOST_ALIKE = 2
"""The rules about the same earlier calls that stand before others."""
_MOST_APART = 3
"""The place after which the best of those stands that are almost the same as another."""
_FIRST = 3
"""The rules that stand before those with fewer conditions."""
_OUTSIDE = frozenset(("outside", "other", "anywhere", "anything", "anyone", "except"))
"""The first words of what says that all else is meant, which may be an alternative of its own."""


def is_said_apart(sentence: ForeignSentence, used: frozenset[int], number: int) -> bool:
    """Whether a word belongs to another alternative than all words that a rule uses: “…, or more than …”."""
    if not used or max(used) > number:
        return False
    between = sentence.text[sentence.words[max(used)].end : sentence.words[number].start]
    joints = "and|or|nor" if sentence.words[number].low in _OUTSIDE else "or|nor"
    return re.search(rf"[,;] ({joints}) ", between) is not None


def is_of_others(one: Found, best: Found) -> bool:
    """Whether a rule is about other tools than the best one, and much less of the sentence says so."""
    return one.worth < best.worth - _OF_OTHERS and set(one.tree[3:]).isdisjoint(best.tree[3:])


def is_against(form: Tree, better: Tree) -> bool:
    """Whether a rule is contrary to a better one, or leaves its condition out and refuses the rest too."""
    bare = form[2] == TRUE != better[2] and bool(set(form[3:]) & set(better[3:]))
    return bare or contrary(form, better)


def plainly(condition: Tree, classes: Sequence[Tree]) -> Tree:
    """The normal form of a rule that forbids where a condition holds."""
    return normal(("call", "forbid", condition, *classes))


def turns_round(rule: Tree, read: Tree, denied: Tree) -> bool:
    """Whether a rule says the opposite of a condition that is read; both are given as rules of their own."""
    said = {*_singly(rule[2])}
    return contrary(rule, read) or (denied[2] in said and read[2] not in said)


def _singly(condition: Tree) -> Iterator[Tree]:
    if condition[0] in ("and", "or"):
        for part in condition[1:]:
            yield from _singly(part)
    else:
        yield condition


def with_condition(rule: Tree, condition: Tree, *, every: bool) -> Tree:
    """A rule with a condition in place of "always"; with ``every`` what must be so is so of each element."""
    match rule:
        case ("not", always) if always == TRUE:
            return opposite(_of_every(condition) if every else condition)
        case ("lit" | "name", *_):
            return condition if rule == TRUE else rule
        case _:
            return tuple(
                with_condition(part, condition, every=every) if is_tree(part) and part else part
                for part in rule
            )


def _of_every(condition: Tree) -> Tree:
    match condition:
        case ("call", "any", ("gen", *_, domain, _) as each) if free_names(domain) == frozenset((CALL[1],)):
            return ("call", "all", each)
        case ("and" | "or" as word, *parts):
            return (word, *map(_of_every, parts))
        case _:
            return condition


def end_of_words(sentence: ForeignSentence) -> int:
    """Where the words that are looked at end."""
    return sentence.words[-1].end


def different(ranked: Sequence[Found]) -> list[Found]:
    """The best rules, each of them once however it is put: more are not brought into normal form."""
    found: dict[Tree, Found] = {}
    for one in ranked:
        found.setdefault(normal(one.tree), one)
        if len(found) >= _MOST_DIFFERENT:
            break
    return list(found.values())


def varied(ranked: Iterable[Found]) -> Iterator[tuple[Found, Tree]]:
    """Yield the rules with their normal forms; what is almost the same as a better one comes last.

    That is what differs only where a record does not exist, in which of the earlier calls of a tool count,
    or in the tools that it is about.
    """
    later: list[tuple[Found, Tree]] = []
    counts: Counter[object] = Counter()
    for number, one in enumerate(ranked):
        form = normal(one.tree)
        gist = _gist(form[2])
        broad = _of_any_calls(gist)
        most: dict[object, int] = {
            (form[1], broad, *form[3:]): _MOST_ALIKE, (form[1], gist, *form[3:]): 1, gist: _MOST_ALIKE + 1,
        }  # fmt: skip
        if any(counts[key] >= many for key, many in most.items()):
            later.append((one, form))
        else:
            counts.update(most.keys())
            yield one, form
        if number == _MOST_APART and later:
            yield later.pop(0)
    yield from later


def _gist(condition: Tree) -> Tree:
    """A condition in normal form without that records exist, where it says more."""
    match condition:
        case ("and" | "or" as word, *parts):
            presumed = "is some" if word == "and" else "is none"
            said = [part for part in parts if part[0] != presumed or part[1][0] != "method"] or parts
            return joined(word, sorted(map(_gist, said), key=repr))
        case _:
            return condition


def _of_any_calls(condition: Tree) -> Tree:
    """A condition in which earlier calls of some tools stand without what is asked of them."""
    match condition:
        case ("gen", _, _, ("method", ("name", "run"), "earlier", *tools), _):
            return ("method", RUN, "earlier", *tools)
        case _:
            return tuple(_of_any_calls(part) if is_tree(part) and part else part for part in condition)


def with_parts(ranked: Sequence[Found]) -> Sequence[Found]:
    """The rules with the best of fewer conditions soon after the first: a sentence may say several."""
    if not ranked:
        return ranked
    parts: list[Found] = []
    for count in range(ranked[0].conditions - 1, 0, -1):
        part = next((one for one in ranked if one.conditions == count), None)
        if part is not None and part not in ranked[:_FIRST]:
            parts.append(part)
    return [*ranked[:_FIRST], *parts, *(one for one in ranked[_FIRST:] if one not in parts)]


def told_words(
    sentence: ForeignSentence, used: frozenset[int], text: str, outside: frozenset[int] = frozenset()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a foreign sentence that a suggestion says, by its own words or by others, and the rest.

    A word that negates is said only where what it negates is denied. Words ``outside`` do not count.
    """
    own = set(map(stem, words_of(text)))
    said: list[str] = []
    left: list[str] = []
    counted = {word.number for word in sentence.content} | sentence.negations
    counted |= {at for at in sentence.approvers if sentence.words[at].text[:1].isupper()}
    for word in sentence.words:
        if word.number in counted - outside:
            is_said = word.number in used or (word.number not in sentence.negations and word.stem in own)
            (said if is_said else left).append(word.text)
    return tuple(said), tuple(left)


def says_too_little(sentence: ForeignSentence, found: Found, text: str) -> bool:
    """Whether a rule leaves out most of its sentence, or of its clause, and no quoted word is in it.

    What is about all calls of a tool has to say at least as much as it leaves out: the rest may limit it.
    """
    used, left_out = told_words(sentence, found.used, text, found.outside)
    most = 1 if found.tree[2] == TRUE else _MOST_LEFT_OUT
    quoted = any(sentence.words[number].literal is not None for number in found.used)
    return not quoted and len(left_out) > most * len(used)
