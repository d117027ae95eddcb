"""The tokens of a line of a policy, and the strings that are open where a line begins."""

from __future__ import annotations

import pytest

from workbench.app.line_tokens import TokenKind, line_tokens, open_quotes
from workbench.policy.names import CONSTANTS, CONTRACT, FUNCTIONS, KEYWORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return sum(1 for x in xs)", ["return", "sum", "1", "for", "in"]),
        ("class Payment:", ["class"]),
        ("    elif not Result():", ["elif", "not", "Result"]),
        ('MOST = "a # b"  # c', ["MOST", '"a # b"', "# c"]),
        ("returned = allowed", []),
    ],
)
def test_tokens_are_whole_words_of_the_dialect(text: str, expected: list[str]) -> None:
    assert [text[begin:end] for begin, end, _ in line_tokens(text)[0]] == expected


def test_each_keyword_function_and_contract_word_of_the_dialect_is_a_token() -> None:
    keywords = {"keyword", "constant"}
    words = {word: keywords for word in (*KEYWORDS, *CONSTANTS)}
    words |= {word: {"keyword"} for word in FUNCTIONS} | {word: {"contract"} for word in CONTRACT}
    for word, kinds in words.items():
        assert {kind for _, _, kind in line_tokens(word)[0]} <= kinds
        assert line_tokens(word)[0]


def test_a_long_string_is_open_until_its_own_quotes() -> None:
    lines = ["x = 1", 'y = """a', "b ''' c", 'd""" + z', "return"]
    assert open_quotes(lines) == ["", "", '"""', '"""', ""]
    assert line_tokens(lines[3], '"""') == (((0, 4, TokenKind.STRING),), "")
