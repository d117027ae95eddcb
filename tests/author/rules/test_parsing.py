"""Parsing is a function of a sentence, the vocabulary and answers; and answers to the remaining doubts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.author.rules.sentence_corpus import CorpusSentence, corpus
from workbench.author.implied_arguments import effective_arguments
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.doubt_answers import DoubtAnswers
from workbench.author.rules.lexicon import build_lexicon
from workbench.author.rules.norm_builder import StatementNorms
from workbench.author.rules.parsing import Parsed, Parsing, parse
from workbench.model import AgentSpec, Argument, ArgumentType, Doubt, Kind, Span

SENTENCES = tuple(
    sentence
    for name in ("sentences", "unseen", "domains", "traps", "late", "first_use")
    for sentence in corpus(name)
)
SHOP = AgentSpec(
    "shop",
    arguments=(
        Argument("role", ArgumentType(Kind.ENUM, ("manager", "clerk"))),
        Argument("tool", ArgumentType(Kind.ENUM, ("refund", "sell"))),
    ),
)


def parsed(text: str, spec: AgentSpec, answers: Mapping[str, str]) -> Parsed[StatementNorms]:
    """The result of parsing, after a check that it did not change vocabulary and answers."""
    lexicon, choices = build_lexicon(spec, effective_arguments(spec)), dict(answers)
    before = replace(lexicon)

    def read(parsing: Parsing) -> StatementNorms:
        return parsing.bounded_sentence(text, "R1", Span(0, len(text)))

    reading = parse(read, spec, lexicon, answers, "sentence")
    assert (lexicon.arguments, lexicon.entries, dict(answers)) == (before.arguments, before.entries, choices)
    assert reading == parse(read, spec, lexicon, answers, "sentence")
    return reading


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.id)
def test_a_reading_depends_on_no_answer_but_those_that_it_consulted(sentence: CorpusSentence) -> None:
    try:
        first = parsed(sentence.text, sentence.spec, {})
    except UnreadableError:
        return
    assert {doubt.id for doubt in first.doubts} <= set(first.consulted)
    assert parsed(sentence.text, sentence.spec, {"parts:another": "1", "default-decision": "allow"}) == first
    for doubt in first.doubts:
        readings = [parsed(sentence.text, sentence.spec, {doubt.id: value}) for value in doubt.values]
        assert all(doubt.id in reading.consulted for reading in readings)
        if doubt.default:
            assert readings[doubt.values.index(doubt.default)].reading == first.reading


def interviewed(
    doubt_answers: DoubtAnswers, text: str
) -> tuple[Parsed[StatementNorms], list[Mapping[str, str]]]:
    """The result of answering a sentence's doubts, and the answers under which it was parsed."""
    rounds: list[Mapping[str, str]] = []

    def parse_under(answers: Mapping[str, str]) -> Parsed[StatementNorms]:
        rounds.append(answers)
        return parsed(text, SHOP, answers)

    return doubt_answers.settle(parse_under), rounds


def test_a_doubt_with_two_defaults_is_undecided_and_its_second_sentence_is_parsed_again() -> None:
    doubt_answers = DoubtAnswers({})
    _, rounds = interviewed(doubt_answers, "Only mangers may refund.")
    assert rounds == [{}]
    (doubt,) = doubt_answers.doubts.values()
    assert (doubt.id, doubt.default) == ("vocabulary:mangers", "different")
    second, rounds = interviewed(doubt_answers, "Mangers may not sell.")
    assert rounds == [{}, {"vocabulary:mangers": ""}]
    assert [known.default for known in doubt_answers.doubts.values()] == [""]
    assert (
        second.reading != parsed("Mangers may not sell.", SHOP, {"vocabulary:mangers": "different"}).reading
    )


def test_a_choice_decides_both_at_once() -> None:
    doubt_answers = DoubtAnswers({"vocabulary:mangers": "manager"})
    for text in ("Only mangers may refund.", "Mangers may not sell."):
        reading, rounds = interviewed(doubt_answers, text)
        assert rounds == [{"vocabulary:mangers": "manager"}]
        assert isinstance(reading.doubts[0], Doubt)
