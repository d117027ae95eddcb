"""The report of a check of a session, as data for the command line and for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.model import (
    Assumption,
    CaseResult,
    ImportProblem,
    Problem,
    Proof,
    ProofStatus,
    Question,
    Requirement,
)
from workbench.runs.replay import ReplaySummary

__all__ = ["ReplaySummary", "Report"]


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a check of a session.

    ``open`` are the questions without an answer; ``answered`` those with an assumption, made by a human or
    taken as default. ``problems`` are those of a policy that is not in the dialect: then no case runs, and
    there is neither proof nor replay. ``unreadable`` are records of the logs that could not be read.
    ``unwritten`` are requirements that a person writes and that no clause names.
    """

    session: Path
    open: tuple[Question, ...]
    answered: tuple[tuple[Question, Assumption], ...]
    problems: tuple[Problem, ...]
    cases: tuple[CaseResult, ...]
    proof: Proof
    replay: ReplaySummary
    unreadable: tuple[ImportProblem, ...] = ()
    unwritten: tuple[Requirement, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 if all is good; 1 if something is refuted, unknown, failing or open."""
        good = (
            not self.open
            and not self.unwritten
            and not self.problems
            and all(result.passed for result in self.cases)
            and self.proof.status is ProofStatus.PROVED
        )
        return 0 if good else 1
