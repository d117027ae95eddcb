"""Patterns that repeat nothing run without another package; the others run within a time, or are refused."""

from __future__ import annotations

import re
import sys

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.runs.values.patterns import MULTILINE, BadPattern, compiled

PIECES = st.sampled_from(
    ["a", "b", "Error", " ", "^", "$", ".", "|", "(a|b)", "(?:ab)", "a?", "[ab]", "[^a-c]", r"\.", r"\d", "é"]
)


def is_pythons(pattern: object) -> bool:
    return isinstance(pattern, re.Pattern)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(PIECES, max_size=6).map("".join), st.text("abcEro. \né1", max_size=20))
def test_what_repeats_nothing_matches_as_the_package_says(source: str, text: str) -> None:
    pattern = compiled(source, MULTILINE)
    assert is_pythons(pattern)
    expected = [match.span() for match in regex.compile(source, regex.MULTILINE).finditer(text)]
    assert [match.span() for match in pattern.finditer(text)] == expected


@pytest.mark.parametrize(
    "source", ["a+", "a*b", "(a|aa)+$", "a{2}", r"(a)\1", "(?<=a)b", r"\p{L}", "[[:alpha:]]", "(?>a)"]
)
def test_any_other_pattern_needs_the_package(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_pythons(compiled(source))
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(ModuleNotFoundError, match="regex"):
        compiled(source)


@pytest.mark.parametrize("source", ["(", "a**", "["])
def test_what_is_no_pattern_is_said(source: str) -> None:
    with pytest.raises(BadPattern):
        compiled(source)


def test_a_pattern_that_takes_for_ever_is_stopped() -> None:
    with pytest.raises(TimeoutError):
        list(compiled("(a|aa)+$").finditer("a" * 60 + "b"))
