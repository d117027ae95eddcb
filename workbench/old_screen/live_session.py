"""The port to a real session: the pipeline, with the prover and the loaded logs kept warm."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model import (
    CaseResult,
    ClauseProof,
    Proof,
    Question,
    Step,
    StepDecision,
)
from workbench.old_screen.inspection import Inspection
from workbench.old_screen.live_agent import AgentCalls
from workbench.old_screen.live_memory import MemoryCalls
from workbench.old_screen.live_outside import OutsideCalls
from workbench.old_screen.live_questions import QuestionCalls
from workbench.old_screen.live_records import RecordCalls
from workbench.old_screen.live_replay import ReplayCalls
from workbench.old_screen.state import Cases, Contents, Version

if TYPE_CHECKING:
    from workbench.app.results import Logs, SessionChange, Understanding
    from workbench.app.workbench import Workbench
    from workbench.author.model.progress import CallProgress
    from workbench.policy.terms import PolicyTerms

PHASES = {"cold": "", "starting": "starting Nagini", "dead": "Nagini died, starting it again"}


def _nobody(text: str) -> None:
    """Nobody is told."""
    del text


class LiveSession(Inspection, AgentCalls, MemoryCalls, OutsideCalls, QuestionCalls, RecordCalls, ReplayCalls):
    """A ``Port`` to the session in a folder.

    The session is opened by the first call that needs it, so that the screen is drawn before
    anything heavy is imported.
    """

    def __init__(self, path: Path, told: str = "") -> None:
        """Take the session in the folder; raises WorkbenchError if it is none. ``told`` is said first."""
        self._path = path
        self._told = told
        self._opened: Workbench | None = None
        self._opening = threading.Lock()
        self._model_watch: tuple[Callable[[CallProgress], None], threading.Event] | None = None
        if not (path / "session.toml").is_file():
            self._bench.close()
        self._time_limit: float | None = None
        self._understood: tuple[object, Understanding] | None = None
        self._tell: Callable[[str], None] = _nobody

    def watch(self, tell: Callable[[str], None]) -> None:
        """Tell what the prover is doing, in a few words, from any thread."""
        self._tell = tell

    def watch_model(self, tell: Callable[[CallProgress], None], stopped: threading.Event) -> None:
        """Tell what the model's calls do, and end them when ``stopped`` is set."""
        self._model_watch = tell, stopped

    @property
    def _bench(self) -> Workbench:
        """The session's workbench; raises WorkbenchError if the session cannot be read."""
        with self._opening:
            if self._opened is None:
                from workbench.app.workbench import Workbench

                self._opened = Workbench.open(self._path)
                self._opened.proof.watch(lambda phase: self._tell(PHASES.get(phase, "")))
                if self._model_watch is not None:
                    self._opened.authorship.watch(*self._model_watch)
            return self._opened

    # --- the session

    def contents(self) -> Contents:
        """The session as stored; a kept edit stands in for the policy file."""
        session = self._bench.session
        self._bench.proof.start()
        self._bench.request.draft_first()
        understanding = self._understand()
        history = session.history
        versions = tuple(
            Version(number, change.label, change.time, number == len(history))
            for number, change in enumerate(history, start=1)
        )
        notices = [*([self._told] if self._told else []), *session.notices]
        self._told = ""
        session.notices.clear()
        kept = self._bench.editing.kept
        return Contents(
            name=session.path.resolve().name,
            path=str(session.path),
            request=session.request,
            policy=session.policy if kept is None else kept,
            requirements=understanding.draft.requirements,
            sentences=understanding.draft.sentences,
            questions=understanding.questions,
            assumptions=understanding.assumptions,
            demonstrations=session.demonstrations,
            versions=versions[::-1],
            notice=" ".join(notices),
            spec=session.spec,
            kept=kept is not None,
        )

    def _understand(self) -> Understanding:
        """What the clarifier makes of the session; kept while nothing that it reads changes."""
        session = self._bench.session
        key = (session.request, session.spec, session.assumptions)
        if self._understood is None or self._understood[0] != key:
            self._understood = (key, self._bench.questions.understand(logs=self._loaded()))
        return self._understood[1]

    def keep(self, policy: str) -> None:
        """Keep the editor's text beside the session's files."""
        self._bench.editing.keep(policy)

    def store(self, policy: str) -> Contents | None:
        """Write the policy file; an edit that was kept before is part of it, or was given up."""
        return self.contents() if self._bench.editing.store(policy) else None

    def answer(self, question: Question, value: str) -> Contents:
        """Store an answer and carry it into policy, contract and cases."""
        self._bench.editing.check_mended()
        return self._changed(self._bench.questions.answer(question, value))

    def retract(self, question_id: str) -> Contents:
        """Take an answer back."""
        self._bench.editing.check_mended()
        return self._changed(self._bench.questions.retract(question_id))

    def _changed(self, changed: SessionChange) -> Contents:
        from workbench.app.results import kept_sentence

        contents = self.contents()
        notices = [contents.notice] if contents.notice else []
        if changed.heard is not None:
            notices.append(
                "Your words were read as a rule; Ctrl+Z takes them back."
                if changed.heard.rules
                else "Your words are kept but cannot be read either: the question is still open."
            )
        if changed.conflicts:
            notices.append(
                f"{kept_sentence(changed.conflicts)} Compare with the version “draft” to see the difference."
            )
        if changed.dropped:
            names = " ".join(assumption.statement for assumption in changed.dropped)
            notices.append(f"Taken back, as the request no longer says what it was about: {names}")
        return replace(contents, notice=" ".join(notices))

    def undo(self) -> Contents | None:
        """Undo the last change of the session, a kept edit first."""
        return self.contents() if self._bench.editing.undo() else None

    def redo(self) -> Contents | None:
        """Redo the last undone change."""
        return self.contents() if self._bench.session.redo() is not None else None

    # --- the policy

    def check(self, policy: str) -> PolicyTerms:
        """The terms of a policy."""
        return self._bench.policy.terms(policy)

    def preview(self, terms: PolicyTerms) -> Proof:
        """The solver's verdict on every clause."""
        return self._bench.proof.preview(terms)

    def prove(
        self, terms: PolicyTerms, on_clause: Callable[[ClauseProof], None], cancelled: threading.Event
    ) -> Proof:
        """Nagini's verdict on every clause, from one process that stays warm."""
        return self._bench.proof.prove(
            terms, time_limit=self._time_limit, on_clause=on_clause, cancelled=cancelled
        )

    def allow_time(self, seconds: float) -> None:
        """Let every clause have so many seconds of work in the proofs that follow."""
        self._time_limit = seconds

    def cases(self) -> Cases:
        """The session's cases."""
        return Cases(self._bench.session.cases)

    def test(
        self, policy: str, cancelled: threading.Event, only: frozenset[str] | None = None
    ) -> Sequence[CaseResult]:
        """Run the session's cases with pytest."""
        cases = self._bench.session.cases
        chosen = cases if only is None else tuple(case for case in cases if case.id in only)
        return self._bench.cases.run(policy, chosen, cancelled=cancelled).results

    def test_output(self, policy: str) -> str:
        """Pytest's own text."""
        found = self._bench.cases.run(policy)
        return found.output or found.why

    # --- logs

    def _loaded(self) -> Logs:
        return self._bench.runs.current()

    def steps(self) -> tuple[Sequence[Step], int]:
        """The steps of the logs; read once."""
        logs = self._loaded()
        return logs.steps, len(logs.problems)

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        """Decide every step."""
        return self._bench.runs.decide(terms, self._loaded(), cancelled)

    # --- ending

    def cancel(self) -> None:
        """Tell the prover to give up."""
        if self._opened is not None:
            self._opened.proof.cancel()

    def close(self) -> None:
        """End the prover and release the session."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()
