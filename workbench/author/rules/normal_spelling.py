"""Normalisation of a sentence's spelling: quotation marks, slashes, contractions, percent signs."""

from __future__ import annotations

import re
from functools import lru_cache

_QUOTES = re.compile(r"(?<=\s)'([^'\"]+)'(?=[\s,.;)]|$)")
_SLASH = re.compile(r"(?<![\w/.\\-])([A-Za-z-]+)/([A-Za-z-]+)(?![\w/.])")
# (pattern, its replacement), applied in this order.
_SPELLINGS = (
    (_QUOTES, r'"\1"'),
    (re.compile(r"\band/or\b", re.I), "or"),
    (_SLASH, r"\1 or \2"),
    (re.compile(r"\be-mail", re.I), "email"),
    (re.compile(r"\b(is|are|was|were|has|have|does|do|did)n['’]t\b", re.I), r"\1 not"),
    (re.compile(r"(\d)\s*%"), r"\1 percent"),
)


@lru_cache(maxsize=4096)
def normalised(text: str) -> str:
    """The sentence on one line, with one spelling for quotation marks, alternatives and contractions."""
    text = re.sub(r"\s+", " ", text).strip().rstrip(".!;").strip()
    for spelling, written in _SPELLINGS:
        text = spelling.sub(written, text)
    return text
