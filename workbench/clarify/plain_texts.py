"""Decisions which unquoted words of a person are a plain text.

If the name of an unknown fact were read as a text, a prohibition with it would never fire. So words that may
name a fact, or contain more than one text, are not plain texts.
"""

from __future__ import annotations

import re

from workbench.author.rules.words import split_words, stem
from workbench.clarify.fact_names import FactNames
from workbench.clarify.stated_values import bare, called
from workbench.policy.relations import RELATIONS, Family, begun_by

_OF_FACTS = re.compile(
    r"\b(?:of (?:the (?:user|call|run|last|agent)|this call|earlier)|for the same|before in the run|"
    r"together with this call|since the last|plus|in any case|(?:ignoring|whatever) (?:the )?case)\b"
    r"|^(?:the|its|his|her|their|this|that|not|one of|none of|any of|word|words|text)\s",
    re.I,
)
"""Words of the names of facts, of sums and of lists."""
_SEVERAL = re.compile(r",\s|\s(?:and|or)\s", re.I)
_OWNED = re.compile(r"(?P<what>.+?) (?:of|in|on|from|for) .+", re.I)
_OTHER_WORDS = (
    *("under", "within", "outside", "below", "above", "over", "beneath", "between", "like", "equals?"),
    *("greater", "smaller", "bigger", "larger", "higher", "lower", "longer", "shorter"),
    *("from", "since", "until", "beginning", "matching", "part of", "any of", "other than", "different from"),
)
"""Words that relate a fact to a value in everyday language, but belong to no relation."""
_PARTICIPLES = tuple(
    f"{relation.words.split()[0].removesuffix('s')}ing"
    for relation in RELATIONS.values()
    if relation.family is Family.TEST and not relation.negated and relation.words.split()[0] != "is"
)
"""Relations in the form after “is”: “starting” for “starts with”."""
_RELATES = re.compile(rf"(?:{'|'.join((*_OTHER_WORDS, *_PARTICIPLES))})\s", re.I)
_NEAR = 3


def relates(words: str) -> str:
    """The reason why words after “is” relate a fact to a value; empty if they may be the value."""
    if relation := begun_by(words):
        return f"it begins as “{relation}” does"
    related = _RELATES.match(words)
    return f"“{related[0].strip()}” is no relation that is known" if related is not None else ""


def badly_quoted(words: str) -> bool:
    """Whether quotation marks at the ends of words do not enclose them as one text: “"a" or "b"”."""
    text = words.strip()
    if text == bare(text):
        return False
    closing = {"“": "”", "‘": "’"}.get(text[0], text[0])
    return len(text) < 2 or text[-1] != closing or closing in text[1:-1]


def odd_text(words: str, names: FactNames) -> str:
    """The reason why words are no plain text; empty if they are one, such as words in quotation marks."""
    text = words.strip()
    if text != bare(text):
        return ""
    if _SEVERAL.search(text):
        return "it has several parts: say “one of” before several texts"
    if not _may_be_fact(text, names):
        return ""
    likely = "; ".join(f"“{sayable_fact.phrase}”" for sayable_fact in names.nearest(text, _NEAR))
    return "it may speak of a fact, which is not possible there" + (
        f"; facts near it: {likely}" if likely else ""
    )


def _may_be_fact(text: str, names: FactNames) -> bool:
    """Whether words name a fact, contain words that only names have, or join such words by a possessive.

    One word counts as a fact only if it is the whole name.
    """
    tokens = text.split()
    if len(tokens) == 1:
        return names.exactly(text) is not None or called(text) in names.of_elements
    if names.fact(text) is not None or _OF_FACTS.search(text):
        return True
    tools = {called(tool) for fact in names.facts for tool in fact.tools}
    if any("_" in token and (called(token) in tools or names.exactly(token) is not None) for token in tokens):
        return True
    owned = _OWNED.fullmatch(text)
    words = frozenset(map(stem, split_words(owned["what"] if owned is not None else text)))
    return bool(words) and names.has_words(words)
