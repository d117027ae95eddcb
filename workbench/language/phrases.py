"""The phrases of a sentence and what each stands for: tools, conditions, and the values in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.language.alone import alone
from workbench.language.reading import Found, Part, Reader
from workbench.language.trees import NotInLanguage, Tree, is_tree, text_of

_TOOL = "tool"
_CONDITIONS = frozenset(
    ("cond", "atom", "clause", "tail", "chain", "and_atom", "or_atom", "item", "pair", "case", "rel", "that")
)
_DOMAINS = frozenset(("domain", "plural"))
_WORDS = frozenset(
    ("term", "key", "simple", "value", "infix", "lit", "opt", "list", "field", "state", "own_fact")
)
"""What stands in a condition: what one word or value is, which another may replace."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase with its place in the text, and the expression of the dialect that it stands for.

    ``listed`` is whether it is a tool, a condition without further ones in it, or what such conditions are
    about; the others are the words and values in these.
    """

    start: int
    end: int
    python: str
    listed: bool


@alone
def phrases(reader: Reader, text: str) -> tuple[Phrase, ...]:
    """The phrases of a sentence, outer ones first; of an unfinished one those of its readable beginning."""
    reader.read(text)
    if reader.whole is not None:
        parts: Sequence[Part] = reader.whole.parts
    else:
        parts = tuple(_longest(reader))
    found = dict.fromkeys(one for part in parts for one in _phrases(reader, part, 0))
    return tuple(found)


def _longest(reader: Reader) -> Iterator[Part]:
    """Yield the tools and conditions that were read one after another, the longest first at each place."""
    best: dict[int, Part] = {}
    for part in reader.parts_begun((_TOOL, "atom")):
        known = best.get(part.start)
        if known is None or known.found.size < part.found.size:
            best[part.start] = part
    at = 0
    for start in sorted(best):
        if start >= at:
            at = start + best[start].found.size
            yield best[start]


def _phrases(reader: Reader, part: Part, whole: int) -> Iterator[Phrase]:
    """Yield the phrases of a part; what it has no expression for has those of its own parts.

    ``whole`` is the token at which that begins which it is a part of.
    """
    first = whole + part.start
    inner = [each for one in part.found.parts for each in _phrases(reader, one, first)]
    is_condition = part.category in _CONDITIONS
    is_leaf = is_condition and not any(_has_condition(one) for one in part.found.parts)
    is_listed = part.category == _TOOL or is_leaf or part.category in _DOMAINS
    if is_leaf or part.category == _TOOL:  # what is in it belongs to it
        inner = [Phrase(one.start, one.end, one.python, listed=False) for one in inner]
    words = _python(part.found)
    if words and (is_listed or part.category in _WORDS) and part.found.size:
        start, end = reader.tokens[first].start, reader.tokens[first + part.found.size - 1].end
        yield Phrase(start, end, words, is_listed)
    yield from inner


def _has_condition(part: Part) -> bool:
    return part.category in _CONDITIONS or any(_has_condition(one) for one in part.found.parts)


def _python(found: Found) -> str:
    several = [one for one in found.tree if is_tree(one)]
    if several and several[0] is found.tree[0]:  # what stands in a slot of several
        return ", ".join(map(_text, several))
    return _text(found.tree)


def _text(tree: Tree) -> str:
    try:
        return text_of(tree)
    except (NotInLanguage, ValueError, TypeError):
        return ""
