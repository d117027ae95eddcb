"""Selection and order of the questions worth asking, among those that the kinds find.

A question is asked only if its options lead to policies that differ on some input; that input becomes its
example. A question about a case that contradicts the policy is asked too. Blocking questions come first, then
the question whose example splits the remaining candidate policies most evenly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.author.protocol import CASE
from workbench.clarify.examples import allows, difference, telling_part
from workbench.clarify.question_kinds import kinds
from workbench.clarify.question_order import ordered
from workbench.clarify.situation import Situation
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import Arguments, Option, Question, WorkbenchError
from workbench.policy.terms import PolicyTerms

# Logged inputs on which the options of a question are counted.
COUNTED_INPUTS = 1000


def find_questions(situation: Situation) -> tuple[Question, ...]:
    """Every question of the situation: the answered ones, then the open ones in asking order.

    An open question has an example on which its options differ, if one exists. A question whose options
    provably never differ is left out.
    """
    return situation.questions(_find)


def _find(situation: Situation) -> tuple[Question, ...]:
    answered, opened = _answered_and_open(situation, late=False)
    answered_ids = {question.id for question in answered}
    if not opened or not answered_ids >= set(situation.choices):
        late_answered, late = _answered_and_open(situation, late=True)
        answered += late_answered
        opened = opened or late
    return (*answered, *(_on_example(situation, question) for question in ordered(situation, opened)))


def _on_example(situation: Situation, question: Question) -> Question:
    """The question with each option's decision on its example."""
    if question.example is None or question.kind == CASE:
        return question
    example = "By the request alone the example" if situation.edited else "The example"
    options: list[Option] = []
    for option in question.options:
        terms = situation.terms_under({question.id: option.value})
        if terms is None:
            return question
        word = "allowed" if allows(compile_policy(terms), question.example) else "denied"
        options.append(replace(option, effect=f"{option.effect} {example} is {word}.".strip()))
    return replace(question, options=tuple(options))


def _answered_and_open(situation: Situation, *, late: bool) -> tuple[list[Question], list[Question]]:
    """The answered questions of the early or late kinds, and the open questions worth asking."""
    question_by_id: dict[str, Question] = {}
    for kind in kinds():
        if kind.late is late:
            for question in kind.find(situation):
                question_by_id.setdefault(question.id, question)
    if not late:
        _check_all_worded(situation, question_by_id)
    places = {doubt.id: place for place, doubt in enumerate(situation.draft.doubts)}
    every = sorted(question_by_id.values(), key=lambda question: places.get(question.id, len(places)))
    answered = [question for question in every if question.id in situation.choices]
    opened = [_considered(situation, question) for question in every if question.id not in situation.choices]
    return answered, [question for question in opened if question is not None]


def _check_all_worded(situation: Situation, question_by_id: Mapping[str, Question]) -> None:
    """Raise WorkbenchError if no kind words a doubt, because it must not get lost."""
    late = {kind.name for kind in kinds() if kind.late}
    for doubt in situation.draft.doubts:
        if doubt.id not in question_by_id and doubt.kind.replace("-", "_") not in late:
            raise WorkbenchError(
                f"No kind of question words {doubt.id!r}; workbench/questions.toml needs a table or "
                f"workbench/clarify/kinds a file for {doubt.kind!r}."
            )


def _considered(situation: Situation, question: Question) -> Question | None:
    """The question with an example and counts, or None if its options never differ.

    A question about an unreadable sentence stays: its options classify it, and a person's own words may say
    anything.
    """
    if len(question.options) < 2 or question.kind == CASE:
        return question
    policies = [situation.terms_under({question.id: option.value}) for option in question.options]
    example, undecided = difference(policies, situation.inputs)
    if example is None and not undecided:
        return question if question.blocking and question.free_text else None
    decisive = None if example is None else telling_part(policies, example)
    return replace(_counted(situation, question, policies), example=example, decisive_arguments=decisive)


def _counted(situation: Situation, question: Question, policies: list[PolicyTerms | None]) -> Question:
    """The question with the number of logged calls that each option allows, if only the draft decides."""
    inputs = situation.inputs[:COUNTED_INPUTS]
    if not inputs or situation.edited:
        return question
    options: list[Option] = []
    for option, terms in zip(question.options, policies, strict=True):
        allowed = _allowed(compile_policy(terms), inputs) if terms is not None else None
        counted = f" Of {len(inputs)} logged calls it would allow {allowed}." if allowed is not None else ""
        options.append(replace(option, effect=f"{option.effect}{counted}"))
    return replace(question, options=tuple(options), text=f"{question.text} {_stakes(policies, inputs)}")


def _stakes(policies: list[PolicyTerms | None], inputs: tuple[Arguments, ...]) -> str:
    """The number of logged calls that the answer decides."""
    compiled = [compile_policy(terms) for terms in policies if terms is not None]
    differing = sum(len({allows(policy, arguments) for policy in compiled}) > 1 for arguments in inputs)
    return f"The answer decides {differing} of {len(inputs)} logged calls."


def _allowed(policy: CompiledPolicy, inputs: tuple[Arguments, ...]) -> int:
    return sum(allows(policy, arguments) for arguments in inputs)
