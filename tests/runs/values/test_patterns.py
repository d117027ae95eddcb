"""Patterns that make few steps run without another package; the others run within a time, or are refused."""

from __future__ import annotations

import resource
import subprocess
import sys
from dataclasses import dataclass

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.runs.values.patterns import (
    DEEPEST_GROUP,
    LONGEST_PATTERN,
    MULTILINE,
    BadPattern,
    Work,
    any_in,
    compiled,
    cost,
    needs_no_package,
)

PIECES = st.sampled_from(
    ["a", "b", "Error", " ", "^", "$", ".", "|", "(a|b)", "(?:ab)", "a?", "[ab]", "[^a-c]", r"\.", r"\d", "é",
     r"\d{1,3}", "(?:a|ab)?", "b{2}", r"[\d.]"]
)  # fmt: skip
ANYTHING = st.lists(
    st.sampled_from(
        [*"ab(|)[]{}*+?,01\\^$.d-", "(?:", "(?=", "a{2}", "{1,3}", "(a|aa)", "\\1", "(?i)", "\\b"]
    ),
    max_size=14,
).map("".join)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(PIECES, max_size=6).map("".join), st.text("abcEro. \né1", max_size=20))
def test_what_makes_few_steps_matches_as_the_package_says(source: str, text: str) -> None:
    pattern = compiled(source, MULTILINE)
    assert needs_no_package(source)
    expected = [match.span() for match in regex.compile(source, regex.MULTILINE).finditer(text)]
    assert [match.span() for match in pattern.all_in(text)] == expected


@settings(max_examples=examples(300), deadline=None)
@given(ANYTHING, st.text("ab01", max_size=12))
def test_both_engines_agree_on_each_pattern_that_needs_no_package(source: str, text: str) -> None:
    """The reading of a pattern finds in it what the engines do, or refuses it."""
    try:
        pattern = compiled(source)
    except BadPattern:
        return
    if needs_no_package(source):
        expected = [match.span() for match in regex.compile(source).finditer(text)]
        assert [match.span() for match in pattern.all_in(text)] == expected


@pytest.mark.parametrize(
    "source", ["a+", "a*b", "(a|aa)+$", r"(a)\1", "(?<=a)b", r"\p{L}", "[[:alpha:]]", "(?>a)", "a?" * 30]
)
def test_any_other_pattern_needs_the_package(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(source)
    assert not needs_no_package(source)
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(ModuleNotFoundError, match="regex"):
        compiled(source)


@pytest.mark.parametrize("source", ["(", ")", "a**", "[", "\\", "{1}", "(?P<1>a)"])
def test_what_is_no_pattern_is_said(source: str) -> None:
    with pytest.raises(BadPattern):
        compiled(source)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("(x?1){500000000}", "more than 1000 times"),
        ("a{1001}", "more than 1000 times"),
        ("a{0,99999999999999999999999999}", "more than 1000 times"),
        ("(?:a{1000}){1000}", "more than 5000 parts"),
        ("(?:(?:(?:a{20}){20}|b){20})", "more than 5000 parts"),
        ("|".join(["a{1000}"] * 6), "more than 5000 parts"),
        ("a" * (LONGEST_PATTERN + 1), "more than 1000 characters"),
        ("(" * (DEEPEST_GROUP + 1) + "a" + ")" * (DEEPEST_GROUP + 1), "groups"),
        ("(" * 490 + "a" + ")" * 490, "groups"),
        ("(?R)?a", r"\(\?R"),
        ("(a(?1)?)b", r"\(\?1"),
        ("(?P<x>a(?&x)?)", r"\(\?&"),
        ("(?P<x>a(?P>x)?)", r"\(\?P"),
        ("(?:hello){e<=5}", "approximate"),
        ("a{1i+1d<2}", "approximate"),
        ("(?e)a", r"\(\?e"),
        ("(?V1)a", r"\(\?V"),
        ("(?x) a # (", r"\(\?x"),
        ("(*FAIL)", r"\(\*F"),
        ("(?(1)a|b)", r"\(\?\("),
        (r"\L<words>", "escape"),
    ],
)
def test_a_pattern_without_a_bound_is_refused_before_it_is_compiled(
    source: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(BadPattern, match=reason):
        compiled(source)


@pytest.mark.parametrize(
    "source", [r"#W\d{1,9}", r"\{\"error\"", '{"error": ', r"^(?:Error|Failed)\b", r"\$?\d{1,3}\.\d\d"]
)
def test_usual_patterns_are_admitted(source: str) -> None:
    assert compiled(source).all_in("nothing") == []


@dataclass(frozen=True)
class Tree:
    """A pattern with its meaning: a letter, parts one after the other or beside each other, or a repeat."""

    kind: str
    parts: tuple[Tree, ...] = ()
    letter: str = ""
    least: int = 1
    most: int = 1

    @property
    def source(self) -> str:
        sources = [part.source for part in self.parts]
        match self.kind:
            case "letter":
                return self.letter
            case "sequence":
                return "".join(sources)
            case "choice":
                return f"({'|'.join(sources)})"
            case _:
                return f"(?:{sources[0]}){{{self.least},{self.most}}}"

    def walk(self, text: str, ends: list[int]) -> tuple[list[int], int]:
        """Where every way to match from each of ``ends`` ends, and the letters that are compared for it."""
        match self.kind:
            case "letter":
                return [end + 1 for end in ends if text.startswith(self.letter, end)], len(ends)
            case "sequence":
                compared = 0
                for part in self.parts:
                    ends, steps = part.walk(text, ends)
                    compared += steps
                return ends, compared
            case "choice":
                walks = [part.walk(text, ends) for part in self.parts]
                return [end for found, _ in walks for end in found], sum(steps for _, steps in walks)
            case _:
                found, compared = ([] if self.least else ends), 0
                for count in range(1, self.most + 1):
                    ends, steps = self.parts[0].walk(text, ends)
                    compared += steps
                    found = found + ends if count >= self.least else found
                return found, compared


def repeat(part: Tree, least: int, more: int) -> Tree:
    return Tree("repeat", (part,), least=least, most=max(1, least + more))


def several(kind: str, inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.lists(inner, min_size=1, max_size=3).map(lambda parts: Tree(kind, tuple(parts)))


LETTERS = st.sampled_from("ab").map(lambda letter: Tree("letter", letter=letter))
TREES = st.recursive(
    LETTERS,
    lambda inner: st.one_of(
        several("sequence", inner), several("choice", inner),
        st.builds(repeat, inner, st.integers(0, 2), st.integers(0, 2)),
    ),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=examples(300), deadline=None)
@given(TREES, st.integers(1, 12))
def test_no_way_through_a_pattern_takes_more_steps_than_are_counted(tree: Tree, length: int) -> None:
    found = cost(tree.source)
    ends, compared = tree.walk("a" * length, [0])
    assert len(ends) <= found.ways
    assert compared <= found.steps


def test_a_pattern_that_takes_for_ever_is_stopped() -> None:
    with pytest.raises(TimeoutError):
        compiled("(a|aa)+$").all_in("a" * 60 + "b")


def test_searches_share_their_limits() -> None:
    work = Work(steps=50)
    pattern = compiled("abc")
    assert pattern.is_in("xxabc", work)
    with pytest.raises(TimeoutError):
        for _ in range(3):
            pattern.is_in("xxabc", work)
    with pytest.raises(TimeoutError):
        any_in([compiled("(a|aa)+$")] * 1000, "a" * 60 + "b")
    spent = Work(seconds=0)
    with pytest.raises(TimeoutError):
        compiled("a+").is_in("a", spent)


MANY = 1_000_000
ATTACKS = [
    ("a?" * 30 + "a" * 30, "a" * 30),
    ("(a|a)" * 60 + "b", "a" * MANY + "b"),
    ("a?" * 30 + "b", "a" * MANY + "b"),
    ("(a?b?){15}c", "ab" * (MANY // 2) + "d"),
    ("a{0,100}a{0,100}a{0,100}b", "a" * MANY),
    ("a?" * 20 + "b", "a" * MANY),
    ("a{0,100}b", "a" * MANY),
    ("(x?1){500000000}", "1" * 1000),
    ("(x?1){1000}", "1" * MANY),
    ("(?:(a)|b)*", "ab" * (MANY // 2)),
    ("(a|b)*c", "ab" * (MANY // 2) + " c"),
    ("((a*)*)*b", "a" * MANY + " b"),
    ("(?:(?:a{0,30}){0,30})b", "a" * MANY + " b"),
    (".*.*.*.*x", "a\n" * MANY + "x"),
    ("(.*)*x", "a" * MANY + "\nx"),
    ("(?=(a+))*b", "a" * MANY + " b"),
    ("(?<!(?:a|aa)*)b", "a" * MANY + "b"),
    (r"(.)(?:.*)\1x", "ab" * (MANY // 2) + "x"),
    ("(?i)" + "ß" * 400, "ss" * MANY),
    ("(?=.*a)" * 100 + "x", "a" * MANY + "x"),
    ("((a)|(b)|(c)|(d))+e", "abcd" * (MANY // 4) + " e"),
    (r"(\w)+(\w)+(\w)+x", "abcd" * (MANY // 4) + " x"),
    (r"(?>(a+)+)b", "a" * MANY + " b"),
    ("a", "a" * MANY),
    ("(?:a{1000}){5}" + "b?" * 60, "a" * MANY),
]
MEMORY = 1 << 30
RUN = """
import sys
from workbench.runs.values.patterns import BadPattern, compiled
try:
    compiled(sys.argv[1]).is_in(sys.stdin.read())
except (BadPattern, TimeoutError):
    pass
"""


@pytest.mark.parametrize(("source", "text"), ATTACKS, ids=[source[:30] for source, _ in ATTACKS])
def test_no_pattern_takes_more_than_seconds_and_a_gigabyte(source: str, text: str) -> None:
    """The system ends a process that takes more processor time or memory; no clock is read."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    run = subprocess.run(
        [sys.executable, "-c", RUN, source],
        input=text, text=True, preexec_fn=limited, capture_output=True, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
