"""Words that negate, permit, oblige or restrict have the same role in all code that reads them."""

from __future__ import annotations

import re

import pytest

from tests.clarify.everyday_desk import DESK
from workbench.author.rules import modal_words
from workbench.author.rules.author import lexicon_of
from workbench.author.rules.context_reasons import may_state_a_rule
from workbench.clarify.reversing_words import turns

_WORD_SETS = sorted(
    name for name, value in vars(modal_words).items() if name.isupper() and isinstance(value, frozenset)
)


def samples(name: str) -> list[str]:
    """One text for each pattern of a set, without its optional and alternative parts."""
    patterns: frozenset[str] = vars(modal_words)[name]
    texts = [
        re.sub(r"\(\?:(\w+)[^()]*\)", r"\1", pattern).replace(r"\w+n", "won").replace("['’]", "’")
        for pattern in sorted(patterns)
    ]
    return [text.replace("?", "") for text in texts]


@pytest.mark.parametrize("name", _WORD_SETS)
def test_a_sentence_with_such_a_word_is_never_left_out_or_taken_for_context(name: str) -> None:
    lexicon = lexicon_of(DESK)
    for text in samples(name):
        assert turns(text), text
        if name not in ("CONDITIONS", "CONDITION_PHRASES"):  # a condition alone states no rule
            assert may_state_a_rule(f"Here {text} so", lexicon), text


def test_longer_patterns_are_tried_first() -> None:
    assert modal_words.any_of({"can", "cannot", "may"}) == "(?:cannot|can|may)"
