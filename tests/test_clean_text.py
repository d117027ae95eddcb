"""One list of hostile characters: the command line, the screen and the guard show each the same way."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.clean_text import clean, clean_same_width, code_line, first_hidden, is_clean, one_line
from workbench.cli import output
from workbench.runs.values.jsontext import clean_json, is_harmless
from workbench.tui.text_runs import TextRun, line, title, wrap

# Of all format characters of Unicode these are drawn, above or below the number that follows.
_DRAWN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_KINDS = {
    "C0": "\x1b",
    "DEL": "\x7f",
    "C1": "\x9b",
    "line separator": "\u2028",
    "half of a pair": "\ud800",
    "direction": "\u202e",
    "direction mark": "\u061c",
    "isolate": "\u2066",
    "zero width": "\u200b",
    "word joiner": "\u2060",
    "soft hyphen": "\u00ad",
    "byte order mark": "\ufeff",
    "annotation": "\ufff9",
    "tag": "\U000e0041",
    "variation selector": "\U000e0100",
    "filler": "\u3164",
}
_TEXTS = st.text(st.one_of(st.characters(codec=None), st.sampled_from(sorted(_KINDS.values()))), max_size=60)


@pytest.mark.parametrize("character", _KINDS.values(), ids=_KINDS)
def test_a_hostile_character_comes_out_the_same_wherever_it_is_shown(
    character: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False)
    text = f"before{character}after"
    shown = clean(text)
    assert character not in shown
    assert shown.startswith("before")
    assert shown.endswith("after")
    output.note(text)
    assert capsys.readouterr().err == f"{shown}\n"
    assert output.paint(text, output.Tone.BAD) == shown
    assert [*wrap(line(text), 80)] == [(TextRun(shown),)]
    assert title(text).plain == shown
    assert clean_json({text: [text]}) == {shown: [shown]}
    assert not is_harmless(f'"{character}"')


def test_every_character_that_unicode_calls_invisible_is_made_visible() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        if hidden and character not in _DRAWN and character not in "\n\t":
            assert not is_clean(character), f"U+{code:04X}"


@given(_TEXTS)
def test_cleaned_text_is_clean_and_says_what_was_hidden(text: str) -> None:
    shown = clean(text)
    assert is_clean(shown)
    assert clean(shown) == shown
    assert is_clean(text) or first_hidden(shown) or shown == text.replace("\r\n", "\n")
    assert len(clean_same_width(text)) == len(text)
    assert is_clean(clean_same_width(text))


@given(_TEXTS, st.integers(4, 40))
def test_a_text_on_one_line_has_no_line_end_and_hides_nothing(text: str, most: int) -> None:
    shown = one_line(text)
    assert len(shown.splitlines()) <= 1
    assert shown.replace(" ", "") == "".join(clean(text).split())
    assert len(one_line(text, most)) <= most


@given(
    st.text(
        st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="\u115f\u1160\u3164\uffa0")
    )
)
def test_what_everybody_sees_stays_as_it_is(text: str) -> None:
    expected = "".join(character for character in text if character not in "\ufffc\ufffd")
    assert clean(expected) == expected
    assert first_hidden(expected) is None or set(expected) & {chr(code) for code in range(0x2400, 0x2427)}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Ensures(not Result())", "Ensures(not Result())"),
        ("Implies(\n    call.total > 3,\n    Result(),\n)", "Implies(call.total > 3, Result())"),
        ("{\n    1: (2, ),\n    3: [\n        4,\n    ],\n}", "{1: (2, ), 3: [4]}"),
        ("(\n    a\n    and b\n)", "(a and b)"),
    ],
)
def test_code_of_several_lines_is_shown_as_written_on_one(written: str, shown: str) -> None:
    assert code_line(written) == shown
