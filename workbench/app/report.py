"""What a check of a session found, as data for the command line and for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.app.json_forms import json_answered, json_cases, json_problem, json_proof, json_question
from workbench.model import Assumption, CaseResult, ImportProblem, Json, Problem, Proof, ProofStatus, Question
from workbench.runs.replay import ReplaySummary


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
        return {
            "session": str(self.session),
            "questions": {
                "open": [json_question(question) for question in self.open],
                "answered": [json_answered(*pair) for pair in self.answered],
            },
            "problems": [
                {"what": item.what, "instead": item.instead, "line": item.line, "column": item.column}
                for item in self.problems
            ],
            "cases": json_cases(self.cases),
            "proof": json_proof(self.proof),
            "replay": {
                **self.replay.to_json(),
                "problems": [json_problem(problem) for problem in self.unreadable],
            },
        }
