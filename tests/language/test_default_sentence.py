"""What requests say of the calls of which no sentence speaks is one of the two sentences of the language."""

from __future__ import annotations

import pytest

from tests.language.library_desk import library
from workbench.language.default_sentence import default_meant
from workbench.language.grammar import DEFAULT_SENTENCES
from workbench.language.suggestion import Suggestions

ALLOWED, DENIED = DEFAULT_SENTENCES


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Anything these rules don't mention is fine.", ALLOWED),
        ("Everything else is allowed.", ALLOWED),
        ("What is not forbidden here is permitted.", ALLOWED),
        ("Other tools may be refused.", DENIED),
        ("Whatever isn’t covered above is off limits", ""),
        ("What is not mentioned is not allowed.", DENIED),
        ("Everything that these rules do not allow is denied.", DENIED),
        ("Everything mentioned is allowed.", ""),
        ("What is forbidden here is permitted.", ""),
        ("Everything that these rules do not allow is fine.", ""),
        ("Everything else is allowed with my approval.", ""),
    ],
)
def test_the_rest_is_allowed_or_denied_where_a_sentence_says_just_that(said: str, meant: str) -> None:
    assert default_meant(said) == meant


def test_it_is_offered_alone() -> None:
    offered = Suggestions(library()).of("Anything these rules don't mention is fine.")
    assert [one.text for one in offered] == [ALLOWED]
