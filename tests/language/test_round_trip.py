"""Every rule, clause and fact of a policy of calls is a sentence, which reads as this and as nothing else."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dialect.call_policies import policy_text
from tests.examples import examples
from tests.language.read_back import SESSIONS, language_of, meanings, read_back, sentences_of
from tests.runs.expressions.small_agent import TYPES
from workbench.language.language import Language
from workbench.language.tables import is_table


@pytest.mark.parametrize("session", SESSIONS)
def test_the_sentences_of_a_session_read_as_the_terms_that_they_were_written_of(session: str) -> None:
    language, sentences = language_of(session), sentences_of(session)
    assert [(one.name, one.line) for one in sentences if not one.text] == []
    assert meanings(read_back(language, sentences)) == meanings(language.policy)


@pytest.mark.slow
@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.integers(0, 2**32).map(Random))
def test_random_policies_are_said_and_read_as_the_same_terms(random: Random) -> None:
    language = Language(TYPES, policy_text(random, 4))
    sentences = tuple(language.aloud())
    assert [(one.name, one.line) for one in sentences if not one.text] == []
    assert meanings(read_back(language, sentences)) == meanings(language.policy)


@pytest.mark.parametrize("session", SESSIONS)
def test_a_sentence_has_no_identifier_and_no_bracket_of_code(session: str) -> None:
    for one in sentences_of(session):
        if is_table(one.text):
            continue  # the cells of a table are values
        outside = "".join(part for number, part in enumerate(one.text.split("“")) if number == 0)
        outside += " ".join(part.partition("”")[2] for part in one.text.split("“")[1:])
        assert not set("_[]{}=<>") & set(outside), one.text
