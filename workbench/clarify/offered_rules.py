"""The rules that a whole sentence may state, of all forms that are built from its own words."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.author.rules.lexicon import Lexicon
from workbench.clarify.fact_book import FactBook
from workbench.clarify.listed_rules import listed_rules
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.repeated_calls import repeated_call_rules
from workbench.clarify.word_meanings import OpenedWord
from workbench.model import Tool


def offered_rules(
    text: str, words: Sequence[OpenedWord], lexicon: Lexicon, book: FactBook, tools: Sequence[Tool]
) -> tuple[PersonRule, ...]:
    """The rules of the first form that a sentence has, the likeliest first."""
    return listed_rules(text, words, lexicon, book) or repeated_call_rules(text, words, lexicon, book, tools)
