"""Sentences of published policies are read as they are meant, or asked about; never otherwise."""

from __future__ import annotations

import pytest

from tests.author.rules.sentence_corpus import CORPORA, READ, WRONG, CorpusSentence, corpus, judge, outcomes

EVERY = tuple(corpus_sentence for name in CORPORA for corpus_sentence in corpus(name))


@pytest.mark.parametrize("sentence", EVERY, ids=[corpus_sentence.id for corpus_sentence in EVERY])
def test_no_sentence_is_read_otherwise_than_it_is_meant(sentence: CorpusSentence) -> None:
    judged = judge(sentence)
    assert judged.outcome != WRONG, judged.policy


@pytest.mark.parametrize(
    ("name", "least"),
    [
        *(("sentences", 50), ("unseen", 24), ("domains", 60), ("late", 25)),
        *(("first_use", 36), ("forms", 78), ("trades", 20)),
    ],
)
def test_most_sentences_are_read_without_a_question(name: str, least: int) -> None:
    assert outcomes(name)[READ] >= least


@pytest.mark.parametrize(
    "sentence",
    [corpus_sentence for corpus_sentence in EVERY if len(corpus_sentence.meanings) != 1],
    ids=lambda sentence: str(sentence.id),
)
def test_a_sentence_without_one_plain_meaning_is_never_read_without_a_question(
    sentence: CorpusSentence,
) -> None:
    assert judge(sentence).outcome != READ
