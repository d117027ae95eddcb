"""Which sentence of a request a rule or clause cites: it has the sentence's words.

Case, punctuation and blanks do not count. A citation with another word cites nothing, and says what differs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_NEAR = 0.75
_SHOWN = 3


def folded(text: str) -> str:
    """The words of a text, which are what a citation has to have."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def name_of(text: str) -> str:
    """A name for a sentence that nobody labelled, which stays when sentences are added around it."""
    digest = hashlib.sha256(folded(text).encode()).hexdigest()
    return f"S{int(digest[:8], 16) % 1_000_000:06}"


def is_made_up(name: str) -> bool:
    """Whether a name is one that nobody gave a sentence."""
    return re.fullmatch(r"S\d{6}(?:\.\d+)*", name) is not None


def nearest(cited: str, sentences: Iterable[str]) -> str:
    """The sentence that a citation is nearly; empty if it is near none."""
    words = folded(cited)
    rated = [(SequenceMatcher(None, words, folded(text), autojunk=False).ratio(), text) for text in sentences]
    ratio, text = max(rated, default=(0.0, ""))
    return text if ratio >= _NEAR else ""


def difference(cited: str, sentence: str) -> str:
    """What differs between a citation and a sentence: the words of each, a few of them."""
    ours, theirs = folded(cited).split(), folded(sentence).split()
    parts = [
        f"“{' '.join(ours[a:b])}” in place of “{' '.join(theirs[c:d])}”"
        for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
    more = f" and {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else ""
    return f"{', '.join(parts[:_SHOWN])}{more}"
