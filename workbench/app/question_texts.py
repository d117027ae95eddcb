"""What a front end says of a question: what an answer turns, and what may be typed or chosen besides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.app.results import TurnedCalls
    from workbench.model import Question


def once(text: str, said: Iterable[str]) -> str:
    """A text about a sentence without the sentence itself, where that is ``said`` above it."""
    for sentence in sorted(said, key=len, reverse=True):
        quoted = f"“{sentence}”"
        for before in (f"{quoted}: ", f"{quoted} "):
            rest = text.removeprefix(before)
            if rest != text and (before.endswith(": ") or rest[:1].isupper()):
                text = rest[:1].upper() + rest[1:]
        text = text.replace(quoted, "this sentence").removesuffix(f": {sentence}")
    return f"T{text[1:]}" if text.startswith("this sentence") else text


def own_words(question: Question) -> str:
    """What may be typed in answer to a question; empty if that is a sentence."""
    from workbench.question_wording import own_answer  # loaded once there are questions

    return own_answer(question.kind) if question.free_text else ""


def otherwise(question: Question) -> str:
    """What to choose where a call is not meant that no known answer stops; empty for other questions."""
    if question.kind != "witness" or any(option.value != "meant" for option in question.options):
        return ""
    from workbench.question_wording import phrase

    return phrase("witness", "declared" if question.declaration else "otherwise")


def turned_words(turned: TurnedCalls) -> str:
    """The number of logged calls that an answer turns, by their new verdict; empty if it turns none."""
    counts = (turned.allowed, turned.asked, turned.denied, turned.undecidable)
    parts = zip(counts, ("allow", "ask", "deny", "cannot"), strict=True)
    words = ", ".join(f"{count:,} → {verdict}" for count, verdict in parts if count)
    return words and f"turns {words}"
