"""Test cases of a model that still contradict its rules after the loop, as questions about their inputs.

Separate calls write the rules, contract and cases of a requirement. If a case alone contradicts the other
two, only a person can say which is right. Until then the case is kept and fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.doubts import short_hash
from workbench.author.model.draft_findings import evaluable, show
from workbench.author.model.requirement_parts import Unit
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Case, Doubt, Question, Requirement, Verdict
from workbench.policy.check import check
from workbench.policy.problems import PolicyError
from workbench.question_wording import question_about

_SAID = {Verdict.ALLOW: "allowed", Verdict.DENY: "denied"}


@dataclass(frozen=True, slots=True)
class Contested:
    """The cases as they are kept, and the questions about those that fail."""

    cases: tuple[Case, ...]
    questions: tuple[Question, ...]


def contested(units: Sequence[Unit], policy: str, choices: Mapping[str, str]) -> Contested:
    """Run the cases of the units against ``policy``: all cases, and a question about each that fails.

    An answer becomes the expected decision of the case. The case then passes, or shows that the policy must
    change.
    """
    cases = [
        (unit.target.requirement, case)
        for unit in units
        if not unit.target.choice
        for case in unit.cases.cases
    ]
    try:
        terms = check(policy)
    except PolicyError:
        return Contested(tuple(case for _, case in cases), ())
    compiled = compile_policy(terms)
    settled_cases: list[Case] = []
    questions: list[Question] = []
    for requirement, case in cases:
        decided = compiled.decide(evaluable(terms, case.arguments)).verdict
        if decided is case.expected:
            settled_cases.append(case)
            continue
        question = _question(requirement, case, decided)
        questions.append(question)
        answer = choices.get(question.id, "")
        if answer in tuple(Verdict):
            reason = f"{requirement.id}: decided by a person, against a case of the model"
            case = replace(case, expected=Verdict(answer), reason=reason)
        settled_cases.append(case)
    return Contested(tuple(settled_cases), tuple({question.id: question for question in questions}.values()))


def _question(requirement: Requirement, case: Case, decided: Verdict) -> Question:
    shown_arguments = show(case.arguments)
    doubt = Doubt(
        id=f"case:{short_hash(requirement.quote + shown_arguments)}",
        kind="model-case",
        quote=requirement.quote,
        span=requirement.span,
        values=(decided, case.expected),
        requirements=(requirement.id,),
        facts={
            "shown": shown_arguments,
            "reason": case.reason.removeprefix(f"{requirement.id}: "),
            "expected": _SAID[case.expected],
            "decided": _SAID[decided],
        },
    )
    return question_about(doubt, case.arguments)
