"""Reading a text part by part gives the same result as reading it whole."""

from __future__ import annotations

import ast
import io
import tokenize
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.policy.policy_strategies import policies
from workbench.policy.checker import syntax_tree
from workbench.policy.checker.syntax_tree import read, statements
from workbench.policy.problems import PolicyError

LINES = st.sampled_from(
    [
        "def f(x: int) -> int:",
        "    return x",
        "def g(): return 1",
        '"""',
        "'''",
        "# a comment",
        "    # an indented comment",
        'TEXT = """#',
        "A = 1; B = 2",
        "A = (1,",
        ")",
        "A = \\",
        "",
        "@f",
        "x = 'def y():'  # beside",
        'S = "a # b"',
    ]
)


def comments_by_tokens(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        token.start[0]: token.string.lstrip("#").strip() for token in tokens if token.type == tokenize.COMMENT
    }


@settings(max_examples=examples(400))
@given(st.lists(LINES, max_size=12).map("\n".join))
def test_any_text_reads_as_the_whole_of_it_does(source: str) -> None:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        with pytest.raises(PolicyError):
            read(source)
        return
    read_source = read(source)
    assert ast.dump(read_source.tree, include_attributes=True) == ast.dump(tree, include_attributes=True)
    assert read_source.comments == comments_by_tokens(source)


@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(policies(), st.integers(0, 3))
def test_an_edited_policy_reads_as_the_whole_of_it_does(source: str, lines: int) -> None:
    read(source)
    moved = "# moved\n" * lines + source
    tree = ast.parse(moved)
    assert ast.dump(read(moved).tree, include_attributes=True) == ast.dump(tree, include_attributes=True)


@settings(max_examples=examples(400))
@given(st.lists(LINES, max_size=12).map("\n".join), st.integers(0, 3000), st.sampled_from(["", "\r", "\x0c"]))
def test_the_parts_of_a_text_that_was_parsed_whole_are_those_of_it(
    source: str, lines: int, before: str
) -> None:
    source = "\n" * lines + before + source  # at these lines no other text has stood
    with patch.object(syntax_tree, "FEW_PARTS", 0):
        for text in (source, f"{source}\ndef last(): pass\n", source):
            statements.cache_clear()
            try:
                expected = ast.parse(text)
            except SyntaxError:
                continue
            found = ast.Module([*statements(text)], [])
            assert ast.dump(found, include_attributes=True) == ast.dump(expected, include_attributes=True)
