"""Make recorded text safe to show: control, direction and invisible characters become visible.

Logs hold what a model or a web page wrote. An escape sequence in them can rewrite the terminal,
and a direction mark can make one text look like another. Every text of a step passes through
here once, when it is imported; provenance points into the result.
"""

from __future__ import annotations

import re

from workbench.model import Json

MAX_DEPTH = 100

# One search in C decides whether a text needs work; almost none does.
_SUSPICIOUS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


# The escapes of JSON that can stand for such a character. Line ends are harmless.
_ESCAPED = re.compile(r"\\[ubfr]")


class TooDeep(ValueError):
    """A JSON value is nested deeper than ``MAX_DEPTH``."""


def _visible(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0x80 <= code <= 0x9F or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"<U+{code:04X}>"


def clean(text: str) -> str:
    """The text with line ends as newlines and every dangerous character made visible.

    C0 controls but newline and tab become their pictures (U+2400 block), DEL U+2421, C1 controls
    and lone surrogates U+FFFD, direction and zero-width characters the form ``<U+202E>``.
    """
    if _SUSPICIOUS.search(text) is None:
        return text
    return _SUSPICIOUS.sub(_visible, text.replace("\r\n", "\n"))


def is_harmless(json_text: str) -> bool:
    """Whether no string of this JSON text needs cleaning, and it cannot be nested too deeply.

    A quick look at the text; False only means that the values have to be looked at.
    """
    return (
        _SUSPICIOUS.search(json_text) is None
        and _ESCAPED.search(json_text) is None
        and json_text.count("[") + json_text.count("{") <= MAX_DEPTH
    )


def clean_json(value: Json, depth: int = 0) -> Json:
    """The value with every string in it, keys too, cleaned; raises TooDeep past ``MAX_DEPTH``."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        if depth >= MAX_DEPTH:
            raise TooDeep(f"the JSON is nested deeper than {MAX_DEPTH} levels")
        return {clean(key): clean_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        if depth >= MAX_DEPTH:
            raise TooDeep(f"the JSON is nested deeper than {MAX_DEPTH} levels")
        return [clean_json(item, depth + 1) for item in value]
    return value
