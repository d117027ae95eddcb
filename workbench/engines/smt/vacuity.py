"""Vacuity of clauses: whether a clause that holds requires anything of the policy."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.model import ProofStatus
from workbench.serialization.json_form import json_form

CONTRADICTION = "no input meets the preconditions: they contradict each other"
"""The reason why every clause of a contract is vacuous."""


@dataclass(frozen=True, slots=True)
class Vacuity:
    """Whether a clause says anything; None where the preview could not decide.

    ``reachable``: some input meets the preconditions. ``fires``: the clause's left side can
    happen (true for a clause that is no implication). ``trivial``: the clause would hold for
    every policy. ``why`` says what was not decided. ``realised``: for a policy of calls, a run was found in
    which the left side holds; None where that was not asked.
    """

    reachable: bool | None
    fires: bool | None
    trivial: bool | None
    why: str = ""
    realised: bool | None = None

    @property
    def vacuous(self) -> bool | None:
        """Whether the clause is vacuous; None if that is not known."""
        if self.reachable is False or self.fires is False or self.trivial is True:
            return True
        return None if None in (self.reachable, self.fires, self.trivial) else False

    @property
    def reason(self) -> str:
        """The reason why the clause is vacuous, or why that is not known; empty if it is not vacuous."""
        if self.vacuous is None:
            return f"whether it says anything is not known: {self.why}"
        if self.reachable is False:
            return CONTRADICTION
        reasons = ["its left side never happens"] if self.fires is False else []
        reasons += ["it holds for every policy"] if self.trivial is True else []
        return "; ".join(reasons)

    @property
    def text(self) -> str:
        """The vacuity of the clause in words."""
        answer = {True: "yes: ", False: "no: it can happen and can fail", None: ""}[self.vacuous]
        run = {True: "", False: "; that it can happen is possible, not realised by a run", None: ""}
        return answer + self.reason + run[self.realised]

    @property
    def status_if_true(self) -> ProofStatus:
        """The status of the clause if an engine has proved it."""
        by_vacuity = {True: ProofStatus.VACUOUS, None: ProofStatus.UNKNOWN, False: ProofStatus.PROVED}
        return by_vacuity[self.vacuous]


json_form(
    Vacuity,
    *("vacuous", ("precondition_satisfiable", "reachable"), ("left_side_can_happen", "fires")),
    *(("holds_for_every_policy", "trivial"), "why", ("realised?", "realised")),
)
