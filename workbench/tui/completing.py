"""Completions at the cursor in a policy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.geometry import Region, Size

from workbench.model import Kind
from workbench.tui.highlighting import Paint, paint

if TYPE_CHECKING:
    from workbench.policy.completion_words import CompletionWord
    from workbench.policy.terms import PolicyTerms

MOST = 60
NARROWEST = 8
SOONEST = 2
"""So many letters of a word are typed before words are offered unasked."""
_NAME = re.compile(r"[A-Za-z_.][A-Za-z_0-9]*$")
_NAMES = re.compile(r"[A-Za-z_]\w*")
_STRINGS = re.compile(r"\"[^\"]*\"|'[^']*'")
_NAMES_NOTHING = re.compile(r"(?:^|\s)(?:def|for|as)\s+$")
_BETWEEN = frozenset({"in", "not", "is", "and", "or", "startswith", "endswith", "get"})


@dataclass(frozen=True, slots=True)
class Completion:
    """The offers, best first, and the column where the word that they complete begins."""

    start: int
    words: tuple[CompletionWord, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a word begins, whether it stands in a string, and the name before it that it belongs to."""

    start: int
    quoted: bool = False
    subject: str = ""


def completion(text: str, column: int, inside: str, terms: PolicyTerms | None) -> Completion:
    """The completion at a column of a line; ``inside`` are quotes that are open where the line begins.

    In a string the known values are offered, elsewhere names and constructs; in comments nothing.
    """
    place = _place(text, column, inside)
    if place is None:
        return Completion(column)
    typed = text[place.start : column]
    fitting = _fitting(place, typed, terms)
    first = [word for word in fitting if _begins(word, typed)]
    later = [
        word for word in fitting if typed and word not in first and typed.casefold() in word.text.casefold()
    ]
    return Completion(place.start, tuple([*first, *later][:MOST]))


def suggestion(text: str, column: int, inside: str, terms: PolicyTerms | None, above: str = "") -> Completion:
    """The completion to offer unasked while a word is typed: words that begin with it, none in a free text.

    ``above`` is the line above, by which the text that describes a function is known.
    """
    place = _place(text, column, inside)
    if place is None or re.match(r"\w", text[column:]):
        return Completion(column)
    typed = text[place.start : column]
    if not _wanted(place, typed, text[: place.start], above, terms):
        return Completion(place.start)
    fitting = [word for word in _fitting(place, typed, terms) if _begins(word, typed)]
    return Completion(place.start, tuple(fitting[:MOST]))


def _wanted(place: _Place, typed: str, before: str, above: str, terms: PolicyTerms | None) -> bool:
    if place.quoted:
        values = _values(place.subject, terms)
        if values is not None:
            return bool(values)
        described = not before[:-1].strip() and above.rstrip().endswith(":")
        return len(typed) >= SOONEST and not described
    if typed.startswith("."):
        return bool(re.search(r"[A-Za-z_]\w*$|[\])\"']$", before))
    return len(typed) >= SOONEST and not _NAMES_NOTHING.search(before) and not before[-1:].isdigit()


def _begins(word: CompletionWord, typed: str) -> bool:
    return word.text.casefold().startswith(typed.casefold())


def _fitting(place: _Place, typed: str, terms: PolicyTerms | None) -> list[CompletionWord]:
    """The words that may stand at a place; of those in strings only what belongs to the name before it."""
    from workbench.policy.completion_words import dialect_words, policy_words

    known = (*(policy_words(terms) if terms is not None else ()), *dialect_words())
    completion_words = [word for word in known if word.quoted is place.quoted and word.text != typed]
    if place.quoted and (values := _values(place.subject, terms)):
        return [word for word in completion_words if word.text in values]
    if typed.startswith("."):
        methods = _methods(place.subject, terms)
        return [word for word in completion_words if not word.text.startswith(".") or word.text in methods]
    return completion_words


def _values(subject: str, terms: PolicyTerms | None) -> frozenset[object] | None:
    """The values that belong to a name, none for a free text; None where the name is not known."""
    if terms is None:
        return None
    for item in terms.arguments:
        if item.name == subject:
            return frozenset(item.type.values)
    if subject in terms.tables:
        return frozenset(terms.tables[subject].entries)
    if subject in terms.sets:
        return frozenset(terms.sets[subject].values)
    return None


def _methods(subject: str, terms: PolicyTerms | None) -> tuple[str, ...]:
    for item in terms.arguments if terms is not None else ():
        if item.name == subject:
            return (".startswith", ".endswith") if item.type.kind in (Kind.STR, Kind.ENUM) else ()
    if terms is not None and subject in terms.tables:
        return (".get",)
    return (".startswith", ".endswith", ".get")


def _place(text: str, column: int, inside: str) -> _Place | None:
    if inside:
        return None
    for begin, end, name in paint(text, inside)[0]:
        if begin < column <= end and name is Paint.COMMENT:
            return None
        if name is Paint.STRING and begin < column:
            quote = text[begin : begin + 1]
            closed = end - begin > 1 and text[end - 1 : end] == quote and column >= end
            if column <= end and not closed and text[begin : begin + 3] not in ('"""', "'''"):
                return _Place(begin + 1, True, _subject(text[:begin]))
            if column < end:
                return None
    match = _NAME.search(text[:column])
    start = match.start() if match else column
    return _Place(start, False, _subject(text[:start]))


def _subject(before: str) -> str:
    """The name that stands nearest before a place: in ``role in {"a", "`` it is ``role``."""
    names = [name for name in _NAMES.findall(_STRINGS.sub("", before)) if name not in _BETWEEN]
    return names[-1] if names else ""


def beside(row: int, column: int, wanted: Size, room: Size) -> Region | None:
    """The place of a list for a word at a row and a column of a room: below its row, or above it.

    None where there is no room for it, or the row is out of sight.
    """
    if not 0 <= row < room.height:
        return None
    below = room.height - row - 1
    down = below >= min(wanted.height, row)
    height, width = min(wanted.height, below if down else row), min(wanted.width, room.width)
    if height < 1 or width < min(wanted.width, NARROWEST):
        return None
    left = max(min(column - 1, room.width - width), 0)
    return Region(left, row + 1 if down else row - height, width, height)
