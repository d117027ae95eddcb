"""Text from outside, made safe to show: the only list of hostile characters and their visible forms.

Logs, requests, web pages and answers of models contain text of other people. An escape sequence in them can
rewrite a terminal, a direction mark can make one text look like another, and an invisible character can carry
words to a model. The command line, the screen, the importers of logs and the guard all clean with this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# Control characters except tab and line feed, line separators, halves of surrogate pairs; direction marks;
# characters of no width. The variation selectors U+FE00 to U+FE0F stay: every second emoji has one.
_HOSTILE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# One search in C decides whether a text needs work; almost no text does.
_SUSPICIOUS = re.compile(f"[{_HOSTILE}]")
_HIDDEN = re.compile(f"[{_HOSTILE}\u2400-\u2426\ufffc\ufffd]|<U\\+[0-9A-F]{{4,6}}>")


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0x80 <= code <= 0x9F or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"<U+{code:04X}>"


def _visible_in_one(match: re.Match[str]) -> str:
    shown = _visible(match)
    return shown if len(shown) == 1 else "\ufffd"


def is_clean(text: str) -> bool:
    """Whether no character of the text has to be made visible."""
    return _SUSPICIOUS.search(text) is None


def clean(text: str) -> str:
    """The text with line ends as line feeds and every hostile character made visible; tabs stay.

    C0 controls become their pictures (U+2400 block), DEL U+2421, C1 controls and lone surrogates U+FFFD,
    direction marks and characters of no width the form ``<U+202E>``.
    """
    return text if is_clean(text) else _SUSPICIOUS.sub(_visible, text.replace("\r\n", "\n"))


def clean_same_width(text: str) -> str:
    """Like ``clean``, but each character becomes one character, for an editor in which columns count."""
    return text if is_clean(text) else _SUSPICIOUS.sub(_visible_in_one, text)


def one_line(text: str, most: int = 0) -> str:
    """The cleaned text with white space as single spaces, cut to ``most`` characters unless ``most`` is 0."""
    words = " ".join(clean(text).split())
    return words[: most - 3] + "..." if most and len(words) > most else words


def code_line(text: str) -> str:
    """An expression of several lines on one: no space and no last comma inside its brackets."""
    line = ""
    for part in (part for part in map(str.strip, clean(text).splitlines()) if part):
        if part[0] in ")]}":
            line = line.removesuffix(",") + part
        else:
            line += part if line[-1:] in ("", "(", "[", "{") else f" {part}"
    return line


def counted(number: int, noun: str, separator: str = "") -> str:
    """A number with its noun, ``1 case`` or ``2 cases``; ``separator`` separates its thousands."""
    return f"{number:{separator}} {noun}{'' if number == 1 else 's'}"


def in_a_row(sentences: Iterable[str]) -> str:
    """Sentences and parts of sentences joined by semicolons; full stops before a semicolon are removed."""
    *others, last = [*sentences] or [""]
    return "; ".join([*(sentence.rstrip().removesuffix(".") for sentence in others), last])


def first_hidden(text: str) -> re.Match[str] | None:
    """The first hostile character of a text, or the first visible form of one that was cleaned."""
    return _HIDDEN.search(text)


def listed(words: Sequence[str]) -> str:
    """Words in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
