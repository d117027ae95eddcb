"""The report of a check of a session, as data for the command line and for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.app.owed import Owed, not_in_force
from workbench.model import (
    Assumption,
    CaseResult,
    ImportProblem,
    Problem,
    Proof,
    ProofStatus,
    Question,
    TheoremVerdict,
)
from workbench.runs.replay.summary import ReplaySummary
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form
from workbench.serialization.nouns import ANSWERED, CASES

__all__ = ["ReplaySummary", "Report"]


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a check of a session.

    ``open`` are the questions without an answer; ``answered`` those with an assumption, made by a human or
    taken as default. ``problems`` are those of a policy that is not in the dialect: then no case runs, and
    there is neither proof nor replay. ``unreadable`` are records of the logs that could not be read.
    ``owed`` is what the session owes to the persons who answered and wrote it, in force or not. ``guarded``
    is a sentence if guards do not enforce this version of the session, ``guarding`` says it in four words.
    """

    session: Path
    open: tuple[Question, ...]
    answered: tuple[tuple[Question, Assumption], ...]
    problems: tuple[Problem, ...]
    cases: tuple[CaseResult, ...]
    proof: Proof
    replay: ReplaySummary
    unreadable: tuple[ImportProblem, ...] = ()
    owed: tuple[Owed, ...] = ()
    guarded: str = ""
    guarding: str = ""
    theorems: tuple[TheoremVerdict, ...] = ()

    @property
    def not_in_force(self) -> tuple[Owed, ...]:
        """What the session owes and the policy does not do."""
        return not_in_force(self.owed)

    @property
    def unproved(self) -> tuple[TheoremVerdict, ...]:
        """The theorems that are not proved."""
        return tuple(one for one in self.theorems if one.status is not ProofStatus.PROVED)

    @property
    def exit_code(self) -> int:
        """0 if all is good; 1 if something is refuted, unknown, failing, open or not in force."""
        good = (
            not self.open
            and not self.not_in_force
            and not self.problems
            and all(result.passed for result in self.cases)
            and self.proof.status is ProofStatus.PROVED
            and not self.unproved
        )
        return 0 if good else 1


_QUESTIONS = JsonForm[Report](Report, fields("open", ("answered", Nested(ANSWERED, "answered", many=True))))
_REPLAY = JsonForm[Report](Report, fields(Nested(None, "replay"), ("problems", "unreadable")))
json_form(
    Report,
    *("session", ("questions", Nested(_QUESTIONS)), "owed", "problems"),
    *(("cases", Nested(CASES, "cases")), "proof", "theorems", ("replay", Nested(_REPLAY)), "guarded"),
)
