"""Sentences of published policies are read as they are meant, or asked about; never otherwise."""

from __future__ import annotations

import pytest

from tests.author.rules.sentence_corpus import READ, WRONG, CorpusSentence, Judged, corpus, judge

CORPUS = corpus()
UNSEEN = corpus("unseen")
DOMAINS = corpus("domains")
TRAPS = corpus("traps")
LATE = corpus("late")
FIRST_USE = corpus("first_use")
FORMS = corpus("forms")
TRADES = corpus("trades")
EVERYDAY = corpus("everyday")
EVERY = (*CORPUS, *UNSEEN, *DOMAINS, *TRAPS, *LATE, *FIRST_USE, *FORMS, *TRADES, *EVERYDAY)
_judged: dict[int, Judged] = {}


def judged(sentence: CorpusSentence) -> Judged:
    """How a sentence of the corpora came out; found out once."""
    if id(sentence) not in _judged:
        _judged[id(sentence)] = judge(sentence)
    return _judged[id(sentence)]


@pytest.mark.parametrize("sentence", EVERY, ids=[corpus_sentence.id for corpus_sentence in EVERY])
def test_no_sentence_is_read_otherwise_than_it_is_meant(sentence: CorpusSentence) -> None:
    found = judged(sentence)
    assert found.outcome != WRONG, found.policy


@pytest.mark.parametrize(
    ("sentences", "least"),
    [(CORPUS, 52), (UNSEEN, 24), (DOMAINS, 60), (LATE, 25), (FIRST_USE, 36), (FORMS, 78), (TRADES, 20)],
)
def test_most_sentences_are_read_without_a_question(
    sentences: tuple[CorpusSentence, ...], least: int
) -> None:
    read = [sentence.id for sentence in sentences if judged(sentence).outcome == READ]
    assert len(read) >= least, read


@pytest.mark.parametrize(
    "sentence",
    [corpus_sentence for corpus_sentence in EVERY if len(corpus_sentence.meanings) != 1],
    ids=lambda each: str(each.id),
)
def test_a_sentence_without_one_plain_meaning_is_never_read_without_a_question(
    sentence: CorpusSentence,
) -> None:
    assert judged(sentence).outcome != READ
