"""The order of open questions, and the example input of each.

The candidates are the policies under combinations of the open questions' options. An example is *settled* if
each option of its question decides it in the same way for all answers to the other questions. Then a person
who says how the input should be decided has answered this question and no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product
from random import Random

from workbench.clarify.examples import allows, difference, telling_part
from workbench.clarify.situation import Situation
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import Arguments, Question

# Candidate policies for examples and order; more would hardly change the result.
CANDIDATES = 16
# Pairs of candidates in which a settled example of one question is sought, the most alike first.
PAIRS = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A policy that the open questions leave possible, and the options that lead to it."""

    options: dict[str, str]
    policy: CompiledPolicy


def ordered(situation: Situation, questions: list[Question]) -> list[Question]:
    """The open questions in asking order, each with a settled example if there is one.

    Blocking questions come first, then those with a settled example. Within each group, the question whose
    example splits the candidates most evenly comes first.
    """
    if len(questions) < 2:
        return questions
    candidates = list(_candidates(situation, questions))
    settled = [_settled(situation, question, candidates) for question in questions]

    def key(place: int) -> tuple[bool, bool, float, int]:
        question = settled[place]
        open_ = not _is_settled(question, question.example, candidates)
        return not question.blocking, open_, _unevenness(candidates, question.example), place

    return [settled[place] for place in sorted(range(len(questions)), key=key)]


def _candidates(situation: Situation, questions: list[Question]) -> Iterator[Candidate]:
    """Yield the remaining combinations of options: all, or an even sample if there are many."""
    axes = [[(question.id, option.value) for option in question.options] for question in questions]
    axes = [axis for axis in axes if len(axis) > 1]
    every = list(islice(product(*axes), 4096))
    chosen = every if len(every) <= CANDIDATES else Random(0).sample(every, CANDIDATES)
    for combination in chosen:
        terms = situation.terms_under(dict(combination))
        if terms is not None:
            yield Candidate(dict(combination), compile_policy(terms))


def _settled(situation: Situation, question: Question, candidates: list[Candidate]) -> Question:
    """The question with a settled example if one is found, otherwise with its own example."""
    if question.example is None or _is_settled(question, question.example, candidates):
        return question
    groups = [
        [candidate for candidate in candidates if candidate.options.get(question.id) == option.value]
        for option in question.options
    ]
    pairs = [
        (first, second)
        for place, group in enumerate(groups)
        for other_group in groups[place + 1 :]
        for first, second in product(group, other_group)
    ]
    for first, second in sorted(pairs, key=_unlikeness)[:PAIRS]:
        example, _ = difference([first.policy.terms, second.policy.terms], situation.inputs)
        if example is not None and _is_settled(question, example, candidates):
            decisive = telling_part((first.policy.terms, second.policy.terms), example)
            return replace(question, example=example, decisive_arguments=decisive)
    return question


def _unlikeness(pair: tuple[Candidate, Candidate]) -> int:
    """The number of answers in which two candidates differ; few make a settled example more likely."""
    first, second = pair
    return sum(second.options.get(question) != value for question, value in first.options.items())


def _is_settled(question: Question, example: Arguments | None, candidates: list[Candidate]) -> bool:
    """Whether the decision on the example depends on this question's answer, and on no other answer."""
    if example is None:
        return False
    decisions: dict[str, set[bool]] = {}
    for candidate in candidates:
        if (option := candidate.options.get(question.id)) is not None:
            decisions.setdefault(option, set()).add(allows(candidate.policy, example))
    alike = all(len(decision) == 1 for decision in decisions.values())
    return alike and len({decision for verdicts in decisions.values() for decision in verdicts}) > 1


def _unevenness(candidates: list[Candidate], example: Arguments | None) -> float:
    """The distance from splitting the candidates in halves: 0 is an even split, 0.5 is no split."""
    if example is None or not candidates:
        return 0.5
    allowed = sum(allows(candidate.policy, example) for candidate in candidates)
    return abs(allowed / len(candidates) - 0.5)
