"""What could be written where the cursor stands in a policy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.tui.highlighting import Paint, paint

if TYPE_CHECKING:
    from workbench.policy.terms import PolicyTerms
    from workbench.policy.vocabulary import Word

MOST = 6
_NAME = re.compile(r"[A-Za-z_.][A-Za-z_0-9]*$")


@dataclass(frozen=True, slots=True)
class Completion:
    """What to offer, best first, and the column where the word that they complete begins."""

    start: int
    words: tuple[Word, ...] = ()


def completion(text: str, column: int, inside: str, terms: PolicyTerms | None) -> Completion:
    """What could stand at a column of a line; ``inside`` are quotes that are open where it begins.

    In a string the known values are offered, elsewhere names and constructs; in comments nothing.
    """
    from workbench.policy.vocabulary import dialect_words, policy_words

    start, quoted = _place(text, column, inside)
    if start is None:
        return Completion(column)
    known = (*(policy_words(terms) if terms is not None else ()), *dialect_words())
    typed = text[start:column].casefold()
    fitting = [word for word in known if word.quoted is quoted and word.text.casefold() != typed]
    first = [word for word in fitting if word.text.casefold().startswith(typed)]
    later = [word for word in fitting if typed and word not in first and typed in word.text.casefold()]
    return Completion(start, tuple([*first, *later][:MOST]))


def _place(text: str, column: int, inside: str) -> tuple[int | None, bool]:
    if inside:
        return None, False
    for begin, end, name in paint(text, inside)[0]:
        if begin < column <= end and name is Paint.COMMENT:
            return None, False
        if name is Paint.STRING and begin < column:
            quote = text[begin : begin + 1]
            closed = end - begin > 1 and text[end - 1 : end] == quote and column >= end
            if column <= end and not closed and text[begin : begin + 3] not in ('"""', "'''"):
                return begin + 1, True
            if column < end:
                return None, False
    found = _NAME.search(text[:column])
    return (found.start() if found else column), False
