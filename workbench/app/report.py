"""What a check of a session found, as data for the command line and for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.model import (
    Assumption,
    CaseResult,
    ClauseProof,
    Counterexample,
    ImportProblem,
    Json,
    Problem,
    Proof,
    ProofStatus,
    Question,
)
from workbench.policy.json_values import json_arguments
from workbench.runs.replay import ReplaySummary


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


@dataclass(frozen=True, slots=True)
class Report:
    """What a check of a session found.

    ``open`` are the questions without an answer; ``answered`` those with an assumption, made by a
    human or taken as default. ``problems`` are those of a policy that is not in the dialect: then
    there are no cases run, no proof and no replay. ``unreadable`` are records of the logs that could
    not be read.
    """

    session: Path
    open: tuple[Question, ...]
    answered: tuple[tuple[Question, Assumption], ...]
    problems: tuple[Problem, ...]
    cases: tuple[CaseResult, ...]
    proof: Proof
    replay: ReplaySummary
    unreadable: tuple[ImportProblem, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 if all is good; 1 if something is refuted, unknown, failing or open."""
        good = (
            not self.open
            and not self.problems
            and all(result.passed for result in self.cases)
            and self.proof.status is ProofStatus.PROVED
        )
        return 0 if good else 1

    def to_json(self) -> dict[str, Json]:
        """The object that ``workbench check --json`` prints."""
        failed = [result for result in self.cases if not result.passed]
        return {
            "session": str(self.session),
            "questions": {
                "open": [json_question(question) for question in self.open],
                "answered": [
                    {**json_question(question), "assumption": json_assumption(assumption)}
                    for question, assumption in self.answered
                ],
            },
            "problems": [
                {"what": item.what, "instead": item.instead, "line": item.line, "column": item.column}
                for item in self.problems
            ],
            "cases": {
                "passed": len(self.cases) - len(failed),
                "failed": len(failed),
                "failures": [{"case": item.case, "got": item.got, "detail": item.detail} for item in failed],
            },
            "proof": json_proof(self.proof),
            "replay": {
                **self.replay.to_json(),
                "problems": [json_problem(problem) for problem in self.unreadable],
            },
        }
