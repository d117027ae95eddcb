"""The difference between two versions of a rule, in as few words as possible."""

from __future__ import annotations

from difflib import SequenceMatcher

from workbench.app.results import RuleChange
from workbench.clean_text import one_line
from workbench.tones import Tone
from workbench.tui.text_runs import Line, TextRun, line, muted

AROUND = 2
"""The number of words that are shown before and after different ones."""
MOST_WORDS = 14


def rule_change_line(change: RuleChange) -> Line:
    """A change of a rule as one line: old words, then new words; a new or removed rule by its name."""
    if not change.before:
        return line(TextRun("adds ", Tone.ACCENT), TextRun(change.name, Tone.CODE))
    if not change.after:
        return line(TextRun("takes away ", Tone.ACCENT), TextRun(change.name, Tone.CODE))
    before, after = differing_words(change.before, change.after)
    return line(
        muted("rule "),
        TextRun(before, Tone.BAD),
        muted(" → "),
        TextRun(after, Tone.GOOD),
    )


def differing_words(before: str, after: str) -> tuple[str, str]:
    """The words that differ between two texts, each with a few of the words around it."""
    old, new = one_line(before).split(), one_line(after).split()
    blocks = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    changed = [block for block in blocks if block[0] != "equal"]
    if not changed:
        return "", ""
    first, last = changed[0], changed[-1]
    return _cut(old, first[1], last[2]), _cut(new, first[3], last[4])


def _cut(words: list[str], start: int, end: int) -> str:
    first, last = max(start - AROUND, 0), min(end + AROUND, len(words))
    shown_words = words[first:last]
    if len(shown_words) > MOST_WORDS:
        half = MOST_WORDS // 2
        shown_words = [*shown_words[:half], "…", *shown_words[-half:]]
    return _untorn(" ".join(shown_words))


def _untorn(text: str) -> str:
    """A part of a condition without a joining word at its start and without unmatched brackets."""
    for joint in ("and ", "or "):
        text = text.removeprefix(joint)
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1]
    while text.startswith("(") and text.count("(") > text.count(")"):
        text = text[1:]
    return text
