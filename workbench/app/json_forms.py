"""JSON forms of the nouns: the objects that commands print with ``--json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workbench.model import (
    Argument,
    Assumption,
    Case,
    CaseResult,
    ClauseProof,
    Counterexample,
    Demonstration,
    Draft,
    ImportProblem,
    Json,
    Option,
    PathStep,
    Problem,
    Proof,
    Question,
    SentenceRole,
)
from workbench.policy.json_form import JsonForm, Nested, fields, json_form
from workbench.policy.json_values import json_arguments

type Answered = tuple[Question, Assumption]


def _requirement(proof: ClauseProof) -> str:
    return ", ".join(proof.requirements)


def _seconds(proof: ClauseProof) -> float:
    return round(proof.seconds, 3)


def _default(question: Question) -> str | None:
    return question.default or None


def _question(answered: Answered) -> Question:
    return answered[0]


def _assumption(answered: Answered) -> Assumption:
    return answered[1]


def _passed(results: Sequence[CaseResult]) -> int:
    return sum(result.passed for result in results)


def _failed(results: Sequence[CaseResult]) -> int:
    return len(_failures(results))


def _failures(results: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
    return tuple(result for result in results if not result.passed)


json_form(PathStep, "rule", "fired", "conditions")
json_form(Counterexample, "arguments", "matters", "left_out", "confirmed", "decision", "note", "path")
json_form(
    ClauseProof,
    *(("id", "clause"), ("requirement", _requirement), "status", "engine", "why", ("seconds", _seconds)),
    *("cached", "counterexample"),
)
json_form(Option, "value", "label", "effect", "statement")
json_form(Problem, "what", "instead", "line", "column")
json_form(ImportProblem, "path", "line", "reason")
json_form(CaseResult, "case", "got", "detail")

PROOF = json_form(Proof, "status", "why", "clauses")
QUESTION = json_form(
    Question,
    *("id", "kind", "text", "quote", ("line", "span.line"), "requirements", "options"),
    *(("default", _default), "blocking", "free_text", "example"),
)
ASSUMPTION = json_form(
    Assumption, "id", "question", "value", "statement", "made_by", "when", "requirements", "why"
)
# A question with the assumption that its answer became.
ANSWERED = JsonForm[Answered](None, fields(Nested(QUESTION, _question), ("assumption", _assumption)))
# How many cases passed and failed, and every failure.
CASES = JsonForm[Sequence[CaseResult]](
    None, fields(("passed", _passed), ("failed", _failed), ("failures", _failures))
)


def json_case(case: Case) -> dict[str, Json]:
    """The JSON form of a case."""
    return {
        "id": case.id,
        "arguments": json_arguments(case.arguments),
        "expected": case.expected,
        "reason": case.reason,
        "requirements": list(case.requirements),
        "origin": case.origin,
    }


def json_demonstration(demonstration: Demonstration) -> dict[str, Json]:
    """The JSON form of a demonstration."""
    return {
        "id": demonstration.id,
        "agent_input": demonstration.agent_input,
        "agent_output": demonstration.agent_output,
        "plan": list(demonstration.plan),
        "code": demonstration.code,
        "enabled": demonstration.enabled,
    }


def json_coverage(draft: Draft) -> dict[str, Json]:
    """Every sentence of the request with its place and role, and how many there are of each."""
    counts = Counter(sentence.role for sentence in draft.sentences)
    return {
        "counts": {role.value: counts[role] for role in SentenceRole},
        "sentences": [
            {
                "text": sentence.text,
                "role": sentence.role.value,
                "line": sentence.span.line,
                "start": sentence.span.start,
                "end": sentence.span.end,
                "requirements": list(sentence.requirements),
            }
            for sentence in draft.sentences
        ],
    }


def json_argument(argument: Argument) -> dict[str, Json]:
    """The JSON form of an argument."""
    extraction = argument.extraction
    return {
        "name": argument.name,
        "type": argument.type.kind.value,
        "values": list(argument.type.values),
        "optional": argument.type.optional,
        "places": argument.type.places,
        "description": argument.description,
        "extract": {"method": extraction.method, **extraction.options} if extraction else None,
    }
