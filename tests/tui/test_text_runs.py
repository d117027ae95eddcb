"""Outside text is made visible and harmless, and is wrapped without losing anything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.clean_text import clean, one_line
from workbench.tones import Tone
from workbench.tui.text_runs import TextRun, fit, fit_middle, line, wrap


def test_each_kind_of_hostile_character_is_shown_as_something_else() -> None:
    assert clean("a\x1b]52;c;x\x07") == "a␛]52;c;x␇"
    assert clean("\x9b31m\x7f\u202eb\u200b") == "�31m␡<U+202E>b<U+200B>"
    assert clean("plain [/] text\n\tstays") == "plain [/] text\n\tstays"


@given(st.text(st.characters(codec="utf-8"), max_size=120), st.integers(10, 60), st.integers(0, 2))
def test_wrapped_lines_fit_and_lose_no_visible_character(text: str, width: int, indent: int) -> None:
    wrapped = wrap(line(TextRun(text, Tone.CODE)), width, indent)
    for part in wrapped:
        assert sum(cell_len(run.text) for run in part) <= width
    shown = "".join(run.text for part in wrapped for run in part)
    assert "".join(shown.split(" ")) == "".join(clean(text).replace("\n", "").replace("\t", "").split(" "))


@given(st.text("ab“ .", max_size=120), st.integers(10, 60), st.integers(0, 2))
def test_letters_of_one_cell_are_wrapped_alike(text: str, width: int, indent: int) -> None:
    ascii_lines, other_lines = (
        wrap(line("so ", TextRun(one, Tone.CODE)), width, indent) for one in (text, text.replace("a", "é"))
    )
    assert [[run.text.replace("a", "é") for run in part] for part in ascii_lines] == [
        [run.text for run in part] for part in other_lines
    ]


def test_very_long_text_is_cut_and_says_so() -> None:
    wrapped = wrap(line("word " * 100_000), 40, limit=50)
    assert len(wrapped) == 50
    assert wrapped[-1][-1].text.endswith("…")


@given(st.text(max_size=80), st.integers(1, 40))
def test_fitted_text_has_exactly_the_width(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width
    assert "\n" not in one_line(text)


@given(st.text(), st.integers(0, 40))
def test_a_name_cut_in_the_middle_fills_its_width_and_keeps_its_end(text: str, width: int) -> None:
    shown = fit_middle(text, width)
    assert cell_len(shown) == max(width, 0)
    if one_line(text).isascii() and len(one_line(text)) > width >= 3:
        assert shown.endswith(one_line(text)[-(width // 2) :])
