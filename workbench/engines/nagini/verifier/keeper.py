"""Keeping a verifier: started on demand, restarted when it dies, replaced when it has grown."""

from __future__ import annotations

import threading
from typing import Protocol

from workbench.engines.nagini.verifier.connection import OnPhase, OnWork, ProverDied, Verifier
from workbench.engines.nagini.verifier.worker_protocol import Answer
from workbench.model import WorkbenchError

MEMORY_LIMIT = 2_000_000_000
JOB_LIMIT = 200
UNSHARED = "unshared"


class Spawn(Protocol):
    """A function that makes a verifier; with ``alone`` one of its own, because a shared one is impossible."""

    def __call__(self, on_phase: OnPhase, *, alone: bool) -> Verifier:
        """Start a verifier and return at once."""
        ...


class Keeper:
    """Keeps one verifier. Safe to use from several threads, for one job at a time."""

    def __init__(
        self,
        spawn: Spawn,
        on_phase: OnPhase,
        *,
        memory_limit: int = MEMORY_LIMIT,
        job_limit: int = JOB_LIMIT,
    ) -> None:
        """Start nothing.

        Args:
            spawn: starts a verifier.
            on_phase: called with the phases of the kept verifier, from other threads.
            memory_limit: bytes of resident memory after which it is replaced.
            job_limit: jobs after which it is replaced.
        """
        self._spawn = spawn
        self._on_phase = on_phase
        self._memory_limit = memory_limit
        self._job_limit = job_limit
        self._guard = threading.RLock()
        self._verifier: Verifier | None = None
        self._alone = False
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The verifier's process id, if there is one."""
        verifier = self._verifier
        return verifier.pid if verifier is not None else None

    @property
    def ready(self) -> bool:
        """Whether a job would begin at once."""
        verifier = self._verifier
        return verifier is not None and verifier.ready

    def start(self) -> Verifier:
        """The running verifier, started if there is none; returns at once.

        Raises:
            WorkbenchError: it cannot be started, or this keeper is closed.
        """
        with self._guard:
            if self._closed:
                raise WorkbenchError("The prover is closed.", exit_code=3)
            if self._verifier is None or not self._verifier.alive:
                self._discard()
                self._on_phase("starting", "starting the verifier")
                self._verifier = self._start()
            return self._verifier

    def _start(self) -> Verifier:
        verifier: Verifier | None = None

        def note_phase(phase: str, detail: str) -> None:
            if phase == UNSHARED:
                self._give_up_sharing(verifier)
            elif verifier is None or self._verifier is verifier:
                self._on_phase(phase, detail)

        try:
            verifier = self._spawn(note_phase, alone=self._alone)
        except OSError as error:
            self._on_phase("dead", str(error))
            raise WorkbenchError(f"The verifier cannot be started: {error}.", exit_code=3) from error
        return verifier

    def _give_up_sharing(self, verifier: Verifier | None) -> None:
        with self._guard:
            self._alone = True
            if not self._closed and (verifier is None or self._verifier in {None, verifier}):
                self._discard()
                self._verifier = self._start()

    def ask(
        self,
        text: str,
        *,
        model: bool,
        time_limit: float,
        cancelled: threading.Event,
        on_work: OnWork | None = None,
    ) -> Answer:
        """Verify one program; if the verifier dies, start it again and repeat the job once.

        Raises:
            ProverDied, ProverTimeout, ProverCancelled: see ``Verifier.ask``.
        """
        for last in (False, True):
            verifier = self.start()
            try:
                answer = verifier.ask(
                    text, model=model, time_limit=time_limit, cancelled=cancelled, on_work=on_work
                )
            except ProverDied:
                if last or cancelled.is_set() or self._closed:
                    raise
                continue
            self._recycle(verifier)
            return answer
        raise ProverDied("The verifier died twice on this proof.")

    def _recycle(self, verifier: Verifier) -> None:
        """Replace a verifier that has grown too large or served enough jobs."""
        if verifier.memory <= self._memory_limit and verifier.jobs < self._job_limit:
            return
        with self._guard:
            if self._verifier is verifier and not self._closed:
                self._discard()
                self.start()

    def _discard(self) -> None:
        verifier, self._verifier = self._verifier, None
        if verifier is not None:
            verifier.close()

    def close(self) -> None:
        """Release the verifier for good."""
        with self._guard:
            self._closed = True
            self._discard()
