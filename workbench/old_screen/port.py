"""What the screen asks of a session: the seam between the widgets and the pipeline."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from workbench.old_screen.port_agent import AgentPort
from workbench.old_screen.port_memory import MemoryPort
from workbench.old_screen.port_outside import OutsidePort
from workbench.old_screen.port_questions import QuestionPort
from workbench.old_screen.port_records import RecordPort
from workbench.old_screen.port_replay import ReplayPort

if TYPE_CHECKING:
    from workbench.author.model.progress import CallProgress
    from workbench.model import (
        Case,
        CaseResult,
        ClauseProof,
        Counterexample,
        Proof,
        Question,
        Step,
        StepDecision,
    )
    from workbench.old_screen.state import Cases, Contents, Evidence, Explained, PolicyComparison, Survivor
    from workbench.policy.terms import PolicyTerms


class Port(AgentPort, MemoryPort, OutsidePort, QuestionPort, RecordPort, ReplayPort, Protocol):
    """One open session. Every call may take long and is made from a worker thread.

    Calls raise WorkbenchError with one clear sentence; those that take ``cancelled``
    return early, with less, once it is set.
    """

    def watch(self, tell: Callable[[str], None]) -> None:
        """Tell what the prover is doing, in a few words, from any thread."""
        ...

    def watch_model(self, tell: Callable[[CallProgress], None], stopped: threading.Event) -> None:
        """Tell what the model's calls do, from any thread; setting ``stopped`` ends those that run."""
        ...

    def contents(self) -> Contents:
        """The session as stored, with the open questions."""
        ...

    def keep(self, policy: str) -> None:
        """Keep the editor's text as it stands, so that neither quitting nor a crash loses it."""
        ...

    def store(self, policy: str) -> Contents | None:
        """Write the text to the policy file as one change; None if that changes nothing."""
        ...

    def answer(self, question: Question, value: str) -> Contents:
        """Store an answer and carry it into policy, contract and cases."""
        ...

    def retract(self, question_id: str) -> Contents:
        """Take an answer back; its question is open again."""
        ...

    def undo(self) -> Contents | None:
        """Undo the last change of the session; None if there is none."""
        ...

    def redo(self) -> Contents | None:
        """Redo the last undone change; None if there is none."""
        ...

    def check(self, policy: str) -> PolicyTerms:
        """The terms of a policy; raises WorkbenchError with all problems."""
        ...

    def preview(self, terms: PolicyTerms) -> Proof:
        """The solver's instant verdict on every clause."""
        ...

    def prove(
        self, terms: PolicyTerms, on_clause: Callable[[ClauseProof], None], cancelled: threading.Event
    ) -> Proof:
        """The prover's verdict on every clause, each told as it is found."""
        ...

    def allow_time(self, seconds: float) -> None:
        """Let every clause have so many seconds of work in the proofs that follow."""
        ...

    def cases(self) -> Cases:
        """The session's cases, without results."""
        ...

    def test(
        self, policy: str, cancelled: threading.Event, only: frozenset[str] | None = None
    ) -> Sequence[CaseResult]:
        """Run the session's cases, or only those named, against a policy text."""
        ...

    def steps(self) -> tuple[Sequence[Step], int]:
        """The steps of the session's logs, and how many records could not be read."""
        ...

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        """The decisions of a policy on all steps, in their order."""
        ...

    def put_case(self, case: Case, label: str) -> Contents:
        """Store a case, in place of one with the same id."""
        ...

    def keep_counterexample(self, terms: PolicyTerms, clause: str, found: Counterexample) -> Contents:
        """Store the counterexample to a clause as a case by which the clause is right."""
        ...

    def keep_survivor(self, terms: PolicyTerms, survivor: Survivor) -> Contents:
        """Store the input on which a wrong version differs as a case that expects the policy's decision."""
        ...

    def ask_counterexample(self, terms: PolicyTerms, clause: str, found: Counterexample) -> Question:
        """The question whether the counterexample to a clause should be allowed."""
        ...

    def ask_survivor(self, terms: PolicyTerms, survivor: Survivor) -> Question:
        """The question whether the input on which a wrong version differs should be allowed."""
        ...

    def answer_example(self, terms: PolicyTerms, question: Question, value: str) -> Contents:
        """Store the answer to a question by example as a case."""
        ...

    def pin(self, terms: PolicyTerms, survivor: Survivor) -> Contents:
        """Add a clause to the policy that refuses a wrong version."""
        ...

    def remove_case(self, case: Case) -> Contents:
        """Remove a case that a person made; raises WorkbenchError for one that is made from the request."""
        ...

    def restore(self, number: int) -> Contents | None:
        """Make the policy of an earlier version the present one, as a change that can be undone."""
        ...

    def set_request(self, text: str) -> Contents | None:
        """Write the request and carry it into policy and cases; None if nothing changed."""
        ...

    def accept(self, survivor: Survivor, reason: str) -> None:
        """Store that the contract may let a wrong version pass, and why."""
        ...

    def lowered(self, terms: PolicyTerms) -> str:
        """The program that is handed to the verifier."""
        ...

    def disagreement(self, terms: PolicyTerms, clause: str, proofs: Sequence[Proof]) -> str:
        """Everything that a report of engines that contradict each other on a clause needs."""
        ...

    def version(self, name: str) -> str:
        """The policy's text at a version: a number of the history, ``draft`` or ``current``."""
        ...

    def compare(self, old: str, new: str) -> PolicyComparison:
        """What the newer of two policy texts decides otherwise."""
        ...

    def evidence(
        self,
        terms: PolicyTerms,
        proofs: Sequence[Proof],
        progress: Callable[[int, int], None],
        cancelled: threading.Event,
    ) -> Evidence:
        """How much the proof of a policy means; takes seconds, ``progress(done, total)`` tells."""
        ...

    def explain(self, terms: PolicyTerms, index: int) -> Explained:
        """Why the step at ``index`` is decided so, and what would have to differ."""
        ...

    def effects(self, question: Question) -> str:
        """What each answer of a question would change, a line or two for each."""
        ...

    def test_output(self, policy: str) -> str:
        """The test runner's own text on the session's cases."""
        ...

    def cancel(self) -> None:
        """Give up work in progress as soon as possible; may be called from any thread."""
        ...

    def close(self) -> None:
        """Release the session and end every process that belongs to it."""
        ...
