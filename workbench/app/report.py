"""The report of a check of a session, as data for the command line and for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.app.json_forms import ANSWERED, CASES
from workbench.model import (
    Assumption,
    CaseResult,
    ImportProblem,
    Json,
    Problem,
    Proof,
    ProofStatus,
    Question,
    Requirement,
)
from workbench.policy.json_form import JsonForm, Nested, fields, json_form
from workbench.runs.replay import ReplaySummary
from workbench.runs.replay.summary import SUMMARY

__all__ = ["REPORT", "ReplaySummary", "Report"]


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a check of a session.

    ``open`` are the questions without an answer; ``answered`` those with an assumption, made by a
    human or taken as default. ``problems`` are those of a policy that is not in the dialect: then
    there are no cases run, no proof and no replay. ``unreadable`` are records of the logs that could
    not be read. ``unwritten`` are requirements that a person writes and that no clause names.
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

    def to_json(self) -> dict[str, Json]:
        """The object that ``workbench check --json`` prints."""
        return REPORT.write(self)


def _session(report: Report) -> str:
    return str(report.session)


def _unwritten(report: Report) -> list[str]:
    return [requirement.id for requirement in report.unwritten]


_QUESTIONS = JsonForm[Report](Report, fields("open", ("answered", Nested(ANSWERED, "answered", many=True))))
_REPLAY = JsonForm[Report](Report, fields(Nested(SUMMARY, "replay"), ("problems", "unreadable")))
REPORT = json_form(
    Report,
    ("session", _session),
    ("questions", Nested(_QUESTIONS)),
    ("unwritten", _unwritten),
    "problems",
    ("cases", Nested(CASES, "cases")),
    "proof",
    ("replay", Nested(_REPLAY)),
)
