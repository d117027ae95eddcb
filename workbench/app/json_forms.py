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
    Proof,
    Question,
    SentenceRole,
)
from workbench.policy.json_values import json_arguments


def json_counterexample(found: Counterexample) -> dict[str, Json]:
    """The JSON form of a counterexample, with the path through the rules."""
    return {
        "arguments": json_arguments(found.arguments),
        "confirmed": found.confirmed,
        "decision": found.decision,
        "note": found.note,
        "path": [
            {"rule": step.rule, "fired": step.fired, "conditions": [list(pair) for pair in step.conditions]}
            for step in found.path
        ],
    }


def json_clause(proof: ClauseProof) -> dict[str, Json]:
    """The JSON form of the verdict on a clause."""
    return {
        "id": proof.clause,
        "requirement": ", ".join(proof.requirements),
        "status": proof.status,
        "engine": proof.engine,
        "why": proof.why,
        "seconds": round(proof.seconds, 3),
        "cached": proof.cached,
        "counterexample": json_counterexample(proof.counterexample) if proof.counterexample else None,
    }


def json_proof(proof: Proof) -> dict[str, Json]:
    """The JSON form of a proof."""
    return {
        "status": proof.status,
        "why": proof.why,
        "clauses": [json_clause(clause) for clause in proof.clauses],
    }


def json_question(question: Question) -> dict[str, Json]:
    """The JSON form of a question."""
    return {
        "id": question.id,
        "kind": question.kind,
        "text": question.text,
        "quote": question.quote,
        "line": question.span.line,
        "requirements": list(question.requirements),
        "options": [
            {
                "value": option.value,
                "label": option.label,
                "effect": option.effect,
                "statement": option.statement,
            }
            for option in question.options
        ],
        "default": question.default or None,
        "blocking": question.blocking,
        "free_text": question.free_text,
        "example": json_arguments(question.example) if question.example is not None else None,
    }


def json_assumption(assumption: Assumption) -> dict[str, Json]:
    """The JSON form of an assumption."""
    return {
        "id": assumption.id,
        "question": assumption.question,
        "value": assumption.value,
        "statement": assumption.statement,
        "made_by": assumption.made_by,
        "when": assumption.when,
        "requirements": list(assumption.requirements),
        "why": assumption.why,
    }


def json_problem(problem: ImportProblem) -> dict[str, Json]:
    """The JSON form of a record of a log that could not be read."""
    return {"path": problem.path, "line": problem.line, "reason": problem.reason}


def json_answered(question: Question, assumption: Assumption) -> dict[str, Json]:
    """The JSON form of a question with the assumption that its answer became."""
    return {**json_question(question), "assumption": json_assumption(assumption)}


def json_cases(results: Sequence[CaseResult]) -> dict[str, Json]:
    """How many cases passed and failed, and every failure."""
    failed = [result for result in results if not result.passed]
    return {
        "passed": len(results) - len(failed),
        "failed": len(failed),
        "failures": [{"case": item.case, "got": item.got, "detail": item.detail} for item in failed],
    }


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
