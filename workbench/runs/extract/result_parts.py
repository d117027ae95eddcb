"""The parts of a tool's result that a regular expression selects: one field of it, not all its words."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Missing
from workbench.runs.values.patterns import MULTILINE, BadPattern, compiled

_MAX_TEXT = 1_000_000

type ResultParts = Callable[[str], frozenset[str]]


def result_parts(options: Options) -> ResultParts | None:
    """The function that gives the matches of ``pattern`` in a text; None without a pattern.

    A match is the first group of the pattern, or all of it without groups. A text that is too long, or on
    which the pattern takes longer than half a second, raises Missing.
    """
    source = options.text("pattern")
    if not source:
        return None
    try:
        pattern = compiled(source, MULTILINE)
    except BadPattern as error:
        raise options.error(f"the pattern {source[:60]!r} does not compile: {error}") from None
    group = 1 if pattern.groups else 0

    @lru_cache(maxsize=256)
    def parts(text: str) -> frozenset[str]:
        if len(text) > _MAX_TEXT:
            raise Missing(f"an earlier result is longer than {_MAX_TEXT} characters")
        try:
            return frozenset(match[group] or "" for match in pattern.all_in(text))
        except TimeoutError:
            raise Missing("the pattern takes too long on an earlier result") from None

    return parts
