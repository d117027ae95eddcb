# ruff: noqa: E501 (a rewording is easier to read on one line than broken in two)
"""Sentences in other forms as the forms of the grammar: the same words, differently arranged.

Every rewording keeps the meaning. What it cannot rearrange stays as it is, and is then asked about.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NUMBER_WORDS = dict(
    zip(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"],
        [*range(1, 11), 12],
        strict=True,
    )
)
_BOUND = r"(?:at most|at least|no more than|not more than|more than|less than|fewer than|up to|within|exactly|a maximum of|over|above|under|below)"
_MOMENT = r"(?:\d{1,2}:\d{2}(?:\s?[ap]m)?|\d{1,2}\s?[ap]m|noon|midnight|\d{4}-\d{2}-\d{2}|\d+)"
_PREPOSITION = r"(?:by|for|to|in|on|during|between|with|from|within|at|under|inside|before|after|if|when)"
_ASK = r"(?:always\s+)?(?:ask|get|obtain|request|require|seek)\s+(?:the\s+\w+\s+(?:for\s+)?|for\s+)?(?:their\s+|his\s+|an?\s+)?"

# (what is looked for, what it becomes), applied in this order, each at most once.
_FORMS: tuple[tuple[str, str], ...] = (
    (r"\be-mail", "email"),
    (rf"\b(?:from|during)\s+({_MOMENT})\s+(?:to|until|till)\s+({_MOMENT})", r"between \1 and \2"),
    (rf"^(between\s+{_MOMENT}\s+and\s+{_MOMENT}|(?:after|before)\s+{_MOMENT}),\s*(.+)$", r"if it is \1, \2"),
    (r"\ba (?:maximum|limit) of\b", "at most"),
    (r",\s*not even\b[^,]*$", ""),
    (r",?\s+or\s+if\s+(?:it|they|he|she)\s+(?=is|are|has|have)", " or "),
    # "No refunds." / "No more than 3 X are allowed." / "X are limited to N."
    (r"^no\s+((?:(?!\b(?:may|can|must|shall|should|is|are|more|one|user)\b)[\w-]+\s*){1,4})$", r"\1 is forbidden"),
    (r"^(?:no|not)\s+more\s+than\s+(.+?)\s+(?:is|are)\s+(?:allowed|permitted)\b", r"more than \1 are forbidden"),
    (r"^(?:no|not)\s+more\s+than\s+(.+?)\s+(?:may|can|must|should)\s+be\b", r"more than \1 may not be"),
    (r"^(.+?)\s+(?:is|are|must be)\s+(?:limited|restricted|capped)\s+(?:to|at)\s+(?:at most\s+)?(?=[$€£\d])(.+)$", r"\1 of more than \2 are forbidden"),
    (r"\b(?:may|can)\s+(have|contain|include|hold)\s+(?=at most|up to|no more than|at least)", r"must \1 "),
    (r"\b(?:must|should|shall|have to)\s+(?:always\s+)?be\s+(?:blocked|denied|refused|rejected|prevented|stopped)\b", "are forbidden"),
    (r"^(?:stop|prevent|abort)\s+(?:any\s+|the\s+|all\s+)?", "block "),
    (r"\b(is|are)\s+possible\b", r"\1 allowed"),
    (r"^it\s+is\s+(?:strictly\s+)?(?:forbidden|prohibited|not\s+(?:allowed|permitted))\s+to\b", "never"),
    (r"\b(is|are)\s+(?:permitted|allowed)\s+to\s+(\w+)\s+only\b", r"may \2 only"),
    # Who has to confirm before what.
    (rf"^{_ASK}(\w+)\s+before\s+(.+)$", r"\2 requires \1"),
    (r"^before\s+(.+),\s+(?:the\s+)?(?:user|customer|agent|assistant)\s+(?:has|have|needs?|must)\s+(?:to\s+)?(\w+)$", r"\1 requires \2"),
    (r"^(.+?)\s+(?:has|have|needs?|must)\s+(?:to\s+)?be\s+(\w+ed)\s+before\s+((?:\w+ing|any)\b.+)$", r"\3 requires \1 \2"),
    (r"^(.+?)\s+(?:always\s+)?(?:needs?|requires?)\s+the\s+(?:user|customer)\s+to\s+(\w+)$", r"\1 requires \2"),
    (r"\balways\s+(needs?|requires?)\b", r"\1"),
    # Who does what is done: "X may only be V-ed by Y", "X must be V-ed by Y", "X may be V-ed by Y only".
    (r"^(.+?)\s+(?:may|can)\s+only\s+be\s+(\w+)\s+by\s+(.+)$", r"only \3 may \2 \1"),
    (r"^(.+?)\s+(?:must|shall|should)\s+(?:only\s+)?be\s+(\w+)\s+by\s+(.+)$", r"only \3 may \2 \1"),
    (r"^(.+?)\s+(?:may|can)\s+be\s+(\w+)\s+by\s+(.+?)\s+only$", r"only \3 may \2 \1"),
    (rf"^((?:(?!\b(?:may|can|must|shall|should)\b).)+?)\s+(?:is|are)\s+(\w+ed)\s+({_PREPOSITION}\s+.+?)\s+only$", r"\1 may be \2 only \3"),
    (r"\b(has|have)\s+access\s+to\s+(.+?)\s+only$", r"\1 access only to \2"),
    (rf"^(.+\b(?:may|can|is allowed|are allowed)\b.*?)\s+(?=((?:{_PREPOSITION})\s+(?:(?!\b{_PREPOSITION}\b).)+?)\s+only$)\2\s+only$", r"\1 only \2"),
    (r"\b(?:should|shall)\s+not\b", "may not"),
)  # fmt: skip
_QUOTES = re.compile(r"(?<=\s)'([^'\"]+)'(?=[\s,.;)]|$)")
_SLASH = re.compile(r"(?<![\w/.\\-])([A-Za-z-]+)/([A-Za-z-]+)(?![\w/.])")
_COMPILED = tuple((re.compile(form, re.I), becomes) for form, becomes in _FORMS)
_BUT_NOT = re.compile(
    r"^(?P<who>.+?)\s+(?P<may>(?:may|can)(?:\s+be)?|(?:is|are)\s+(?:allowed|permitted)\s+to(?:\s+be)?)\s+"
    r"(?P<what>.+?),?\s+but\s+(?:(?:it|they|he|she)\s+)?"
    r"(?P<not>not|never|(?:may|must|can|should)\s+(?:not|never)|cannot|can['’]t)\s+(?P<be>be\s+)?(?P<other>.+)$",
    re.I,
)


@lru_cache(maxsize=4096)
def reworded(text: str) -> str:
    """The sentence in a form of the grammar, where another form of it is known."""
    text = re.sub(r"\s+", " ", text).strip().rstrip(".!;").strip()
    text = _SLASH.sub(r"\1 or \2", re.sub(r"\band/or\b", "or", _QUOTES.sub(r'"\1"', text), flags=re.I))
    text = _numbers(text)
    for form, becomes in _COMPILED:
        text = form.sub(becomes, text, count=1)
    return text


@lru_cache(maxsize=4096)
def statements(text: str) -> tuple[str, ...]:
    """The statements of a sentence: “S may V, but not W” is a permission and a prohibition."""
    text = reworded(text)
    found = _BUT_NOT.match(text)
    if found is None or re.search(r"\b(if|unless|when|except)\b", text, re.I):
        return (text,)
    passive = "be " if found["may"].lower().endswith("be") or found["be"] else ""
    return (
        f"{found['who']} {found['may']} {found['what']}",
        f"{found['who']} may not {passive}{found['other']}",
    )


def _numbers(text: str) -> str:
    """Number words behind a bound as digits: “at most five”, “no more than once”."""

    def digits(match: re.Match[str]) -> str:
        return f"{match[1]} {_NUMBER_WORDS[match[2].lower()]}"

    words = "|".join(_NUMBER_WORDS)
    text = re.sub(rf"\b({_BOUND})\s+({words})\b(?!-)", digits, text, flags=re.I)
    text = re.sub(rf"\b({_BOUND})\s+once\b", r"\1 1 times", text, flags=re.I)
    return re.sub(rf"\b({_BOUND})\s+twice\b", r"\1 2 times", text, flags=re.I)
