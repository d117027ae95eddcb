"""Explanation of the decision of each option of a question on its example: the path through each policy."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.clarify.examples import filled
from workbench.clarify.situation import Situation
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Option, PathRule, Question, Verdict, WorkbenchError


@dataclass(frozen=True, slots=True)
class ReadingPath:
    """The decision of one option's policy on the question's example, with the rules that make it."""

    option: Option
    verdict: Verdict
    path: tuple[PathRule, ...]


@dataclass(frozen=True, slots=True)
class QuestionExplanation:
    """A question with the path that each of its readings takes on its example.

    ``readings`` is empty where the question has no example.
    """

    question: Question
    readings: tuple[ReadingPath, ...]


def explain(situation: Situation, question: Question) -> QuestionExplanation:
    """The path through the policy of every option, on the question's example."""
    if question.example is None:
        return QuestionExplanation(question, ())
    readings: list[ReadingPath] = []
    for option in question.options:
        terms = situation.terms_under({question.id: option.value})
        if terms is None:
            raise WorkbenchError(f"The draft with {question.id} = {option.value} is not in the dialect.")
        policy = compile_policy(terms)
        filled_arguments = filled(policy, question.example)
        arguments = {
            argument.name: filled_arguments[argument.name]
            for argument in terms.arguments
            if argument.name in filled_arguments
        }
        readings.append(ReadingPath(option, policy.decide(arguments).verdict, policy.path(arguments)))
    return QuestionExplanation(question, tuple(readings))
