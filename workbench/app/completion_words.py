"""The words that are possible at a place of a policy: constructs of the dialect, its names and values.

An editor completes with them. The constructs come from the dialect's own tables, so that no word is offered
that the checker refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.line_tokens import TokenKind, line_tokens, open_quotes
from workbench.model import Kind
from workbench.policy.names import CONSTANTS, CONTRACT, IMPORTS, KEYWORDS, METHODS, VOCABULARY

if TYPE_CHECKING:
    from workbench.policy.terms import PolicyTerms

MOST = 60
SOONEST = 2
"""The number of typed letters after which words are offered."""
_TYPED = re.compile(r"[A-Za-z_.][A-Za-z_0-9]*$")
_NAME = re.compile(r"[A-Za-z_]\w*")
_AFTER_A_VALUE = re.compile(r"[A-Za-z_]\w*$|[\])\"']$")
_BEFORE_A_NEW_NAME = re.compile(r"(?:^|\s)(?:def|for|as)\s+$")
_NO_SUBJECTS = frozenset({"in", "not", "is", "and", "or", *METHODS})


@dataclass(frozen=True, slots=True)
class CompletionWord:
    """A word and its kind in a few words. A ``quoted`` word is written in a string."""

    text: str
    description: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Completions:
    """The words that are possible at a place, best first, and the column where the typed word begins."""

    start: int
    words: tuple[CompletionWord, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """The column where a word begins, whether it is in a string, and the name that it belongs to."""

    start: int
    quoted: bool = False
    subject: str = ""


def completions(text: str, line: int, column: int, terms: PolicyTerms | None) -> Completions:
    """The words that begin with the text typed before a column (from 0) of a line (from 1) of a policy.

    In a string these are the values of the name that the string is compared with, elsewhere names and
    constructs. There are none in comments, in descriptions and within a word. ``text`` need not be valid:
    ``terms`` belong to the last valid text.
    """
    lines = text.splitlines()[:line]
    lines += [""] * (line - len(lines))
    place = _place(lines[-1], column, open_quotes(lines)[-1])
    if place is None or re.match(r"\w", lines[-1][column:]):
        return Completions(column)
    typed = lines[-1][place.start : column]
    above = lines[-2] if len(lines) > 1 else ""
    if not _is_expected(place, typed, lines[-1][: place.start], above, terms):
        return Completions(place.start)
    begun = typed.casefold()
    words = [word for word in _fitting(place, typed, terms) if word.text.casefold().startswith(begun)]
    return Completions(place.start, tuple(words[:MOST]))


def dialect_words() -> tuple[CompletionWord, ...]:
    """The constructs of the dialect: functions, methods, the contract, imported types, keywords."""
    completion_words = [
        CompletionWord(name, "contract" if name in CONTRACT else "function") for name in VOCABULARY
    ]
    completion_words += [
        CompletionWord(name, "contract" if names is CONTRACT else "type")
        for names in IMPORTS.values()
        for name in sorted(names)
        if name not in VOCABULARY
    ]
    completion_words += [CompletionWord(f".{name}", "method") for name in METHODS]
    return (*completion_words, *(CompletionWord(name, "keyword") for name in (*KEYWORDS, *CONSTANTS)))


def policy_words(terms: PolicyTerms) -> tuple[CompletionWord, ...]:
    """The arguments, constants, rules and known values of a policy."""
    completion_words = [CompletionWord(item.name, f"argument, {item.type.kind}") for item in terms.arguments]
    completion_words += [CompletionWord(name, "table") for name in terms.tables]
    completion_words += [CompletionWord(name, "set") for name in terms.sets]
    completion_words += [CompletionWord(name, "constant") for name in terms.constants]
    for record in terms.records.values():
        completion_words.append(CompletionWord(record.name, "record"))
        completion_words += [
            CompletionWord(name, f"field of {record.name}, {kind.kind}") for name, kind in record.fields
        ]
    completion_words += [CompletionWord(rule.name, "rule") for rule in terms.rules]
    for item in terms.arguments:
        completion_words += [
            CompletionWord(value, f"value of {item.name}", quoted=True) for value in item.type.values
        ]
    for name, values in terms.sets.items():
        completion_words += _texts(values.values, f"in {name}")
    for name, table in terms.tables.items():
        completion_words += _texts(table.entries, f"key of {name}")
        for entry in table.entries.values():
            completion_words += _texts(entry if isinstance(entry, frozenset) else (entry,), f"in {name}")
    return tuple({(word.text, word.quoted): word for word in reversed(completion_words)}.values())[::-1]


def _texts(values: Iterable[object], description: str) -> list[CompletionWord]:
    return [
        CompletionWord(value, description, quoted=True)
        for value in sorted(v for v in values if isinstance(v, str))
    ]


# --- the place


def _place(text: str, column: int, quotes: str) -> _Place | None:
    """The place of the word before a column of a line; None within a comment or a long string."""
    if quotes:
        return None
    for begin, end, kind in line_tokens(text)[0]:
        if begin < column <= end and kind is TokenKind.COMMENT:
            return None
        if kind is TokenKind.STRING and begin < column:
            quote = text[begin : begin + 1]
            closed = end - begin > 1 and text[end - 1 : end] == quote and column >= end
            if column <= end and not closed and text[begin : begin + 3] not in ('"""', "'''"):
                return _Place(begin + 1, True, _subject(text[:begin]))
            if column < end:
                return None
    match = _TYPED.search(text[:column])
    start = match.start() if match else column
    return _Place(start, False, _subject(text[:start]))


def _subject(before: str) -> str:
    """The nearest name before a place: in ``role in {"a", "`` it is ``role``."""
    strings = [(begin, end) for begin, end, kind in line_tokens(before)[0] if kind is TokenKind.STRING]
    names = [
        match.group()
        for match in _NAME.finditer(before)
        if match.group() not in _NO_SUBJECTS
        and not any(begin <= match.start() < end for begin, end in strings)
    ]
    return names[-1] if names else ""


def _is_expected(place: _Place, typed: str, before: str, above: str, terms: PolicyTerms | None) -> bool:
    """Whether a known word is likely at a place; not in free text, in a new name or in a description."""
    if place.quoted:
        values = _values(place.subject, terms)
        if values is not None:
            return bool(values)
        described = not before[:-1].strip() and above.rstrip().endswith(":")
        return len(typed) >= SOONEST and not described
    if typed.startswith("."):
        return bool(_AFTER_A_VALUE.search(before))
    return len(typed) >= SOONEST and not _BEFORE_A_NEW_NAME.search(before) and not before[-1:].isdigit()


# --- the words of a place


def _fitting(place: _Place, typed: str, terms: PolicyTerms | None) -> list[CompletionWord]:
    """The possible words at a place; in a string only the values of the name before it."""
    all_words = (*(policy_words(terms) if terms is not None else ()), *dialect_words())
    completion_words = [word for word in all_words if word.quoted is place.quoted and word.text != typed]
    if place.quoted and (values := _values(place.subject, terms)):
        return [word for word in completion_words if word.text in values]
    if typed.startswith("."):
        methods = _methods(place.subject, terms)
        return [word for word in completion_words if not word.text.startswith(".") or word.text in methods]
    return completion_words


def _values(subject: str, terms: PolicyTerms | None) -> frozenset[object] | None:
    """The values of a name, empty if it takes free text; None if the name is not known."""
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
    """The methods of a name, with their dots; all methods if the name is not known."""
    for item in terms.arguments if terms is not None else ():
        if item.name == subject:
            return (".startswith", ".endswith") if item.type.kind in (Kind.STR, Kind.ENUM) else ()
    if terms is not None and subject in terms.tables:
        return (".get",)
    return tuple(f".{name}" for name in METHODS)
