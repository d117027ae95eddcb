"""Sentences of published policies are read as they are meant, or asked about; never otherwise."""

from __future__ import annotations

import pytest

from tests.sentence_corpus import READ, WRONG, CorpusSentence, corpus, judge

CORPUS = corpus()
UNSEEN = corpus("unseen")


EVERY = (*CORPUS, *UNSEEN)


@pytest.mark.parametrize("sentence", EVERY, ids=[each.id for each in EVERY])
def test_no_sentence_is_read_otherwise_than_it_is_meant(sentence: CorpusSentence) -> None:
    judged = judge(sentence)
    assert judged.outcome != WRONG, judged.policy


def test_most_sentences_are_read_without_a_question() -> None:
    read = [each.id for each in CORPUS if judge(each).outcome == READ]
    assert len(CORPUS) >= 60
    assert len(read) >= 50, read


@pytest.mark.parametrize(
    "sentence", [each for each in CORPUS if len(each.meanings) > 1], ids=lambda each: str(each.id)
)
def test_a_sentence_with_two_meanings_is_never_read_without_a_question(sentence: CorpusSentence) -> None:
    assert judge(sentence).outcome != READ
