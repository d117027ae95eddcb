"""Simulated users: each has a policy in mind and answers truthfully by it."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import combinations

from tests.author.specs_for_author import BANKING, SHELL, SHOPPING
from workbench.author.rules import RulesAuthor
from workbench.clarify import Situation, find_questions
from workbench.clarify.examples import allows
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.smt.preview import distinguish, equivalent
from workbench.model import AgentSpec, Arguments, Question
from workbench.policy.check import check

AUTHOR = RulesAuthor()
AMBIGUOUS: list[tuple[AgentSpec, str]] = [
    (SHOPPING, "Users under 18 may not book a hotel.\nMembers may book a hotel.\nPurchasing is allowed."),
    (SHOPPING, "Users over 65 may not book a flight.\nUsers may rent a car if they are above 21.\n"
     "Everything else is allowed."),
    (SHOPPING, "Only members may purchase anything.\nOnly non-members may purchase anything.\n"
     "Users between 13 and 17 years old may not search for media.\nEverything else is allowed."),
    (SHOPPING, "Action: book a flight\nCondition: vaccine == false\n"
     "Message: Unvaccinated users may not book a flight.\n\n"
     "Users must be in certain countries to search for media.\nEverything else is allowed."),
    (BANKING, "The agent may not send over 900 EUR to unknown recipients.\nSending money in EUR is allowed.\n"
     "Reading files is allowed."),
    (SHELL, "The agent may only read files under /home/me.\nNever run commands starting with rm."),
    (SHOPPING, "Users may not apply for a job if they are members or at least 65 and vaccinated.\n"
     "Any user but members may search for media.\nUsers under 18 may not book a hotel.\n"
     "Users under 16 may not book a hotel.\nEverything else is allowed."),
]  # fmt: skip


def _open(spec: AgentSpec, request: str, choices: dict[str, str]) -> list[Question]:
    draft = AUTHOR.draft(request, spec, choices)
    questions = find_questions(Situation(request, spec, draft, choices, AUTHOR))
    return [question for question in questions if question.id not in choices]


def _compiled(spec: AgentSpec, request: str, choices: dict[str, str]) -> CompiledPolicy:
    return compile_policy(check(AUTHOR.draft(request, spec, choices).policy))


def _decides(policy: CompiledPolicy, example: Arguments) -> bool:
    return allows(policy, example)


def _hidden(spec: AgentSpec, request: str, chance: random.Random) -> dict[str, str]:
    """The choices that a person has in mind: one option of every question."""
    choices: dict[str, str] = {}
    while questions := [question for question in _open(spec, request, choices) if len(question.options) > 1]:
        choices[questions[0].id] = chance.choice(questions[0].options).value
    return choices


def _answer(
    spec: AgentSpec, request: str, choices: dict[str, str], question: Question, wanted: CompiledPolicy
) -> str:
    """The option whose policy decides as wanted: on the example, then on other distinguishing inputs."""
    assert question.example is not None
    policies = {
        option.value: _compiled(spec, request, {**choices, question.id: option.value})
        for option in question.options
    }
    example: Arguments | None = question.example
    while example is not None:
        decided = _decides(wanted, example)
        policies = {
            value: policy for value, policy in policies.items() if _decides(policy, example) == decided
        }
        assert policies, (question, example)
        example = next(
            (
                arguments
                for first, second in combinations(policies.values(), 2)
                if (arguments := distinguish(first.terms, second.terms)) is not None
            ),
            None,
        )
    return next(iter(policies))


@dataclass(frozen=True, slots=True)
class Interviewed:
    """The result of one user: whether the policy in mind was reached, and the number of questions.

    ``blind`` is the number of questions if everything that the draft leaves open is asked, one after the
    other, even if no answer changes a decision. ``every`` is the number if every bound is asked about, also
    an exact one, and every pair of a permission and a prohibition.
    """

    reached: bool
    question_count: int
    blind: int
    every: int


def interview(spec: AgentSpec, request: str, seed: int) -> Interviewed:
    """Ask a user, who answers by a policy in mind, until no question with options is open."""
    wanted = _compiled(spec, request, _hidden(spec, request, random.Random(seed)))
    choices: dict[str, str] = {}
    question_count = 0
    while questions := [question for question in _open(spec, request, choices) if len(question.options) > 1]:
        choices[questions[0].id] = _answer(spec, request, choices, questions[0], wanted)
        question_count += 1
        assert question_count < 20, request
    reached = equivalent(_compiled(spec, request, choices).terms, wanted.terms)
    return Interviewed(reached, question_count, *_blind(spec, request))


def _blind(spec: AgentSpec, request: str) -> tuple[int, int]:
    """The number of boundaries, conflicts and readings of the draft, if each is asked about.

    The second number is for asking about every bound and every pair of opposite rules as well.
    """
    choices: dict[str, str] = {}
    others = 0
    while True:
        draft = AUTHOR.draft(request, spec, choices)
        left = [doubt for doubt in draft.doubts if doubt.id not in choices and doubt.values]
        if not left:
            break
        choices[left[0].id] = left[0].default or left[0].values[0]
        others += left[0].kind not in ("boundary", "conflict")
    rules, _, _ = draft.policy.partition("def allow(")
    bounds = len(re.findall(r" [<>]=? ", rules))
    pairs = rules.count("def permit_") * rules.count("def forbid_")
    return len(choices), others + bounds + pairs
