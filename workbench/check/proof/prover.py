"""The prover: Nagini, kept warm in a process of its own."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.check.proof.attempt import ProofAttempt, selected
from workbench.check.proof.small_goals import Guesses
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.nagini.verifier.connection import OnPhase, ProverCancelled, Verifier
from workbench.engines.nagini.verifier.keeper import JOB_LIMIT, MEMORY_LIMIT, Keeper
from workbench.engines.nagini.verifier.process import VerifierProcess
from workbench.engines.nagini.verifier.shared import SharedVerifier, prover_folder, wanted
from workbench.engines.nagini.verifier.worker_protocol import Answer
from workbench.model import ClauseProof, Proof
from workbench.policy.terms import Clause, PolicyTerms

TIME_LIMIT = 30.0


class Phase(StrEnum):
    """The phase of a prover."""

    COLD = "cold"
    STARTING = "starting"
    READY = "ready"
    PROVING = "proving"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class ProverState:
    """The prover's phase, with a detail for people, and how many of the requested clauses are done."""

    phase: Phase = Phase.COLD
    detail: str = ""
    finished: int = 0
    total: int = 0


class Prover:
    """Proves contracts with Nagini. Safe to use from several threads; one proof runs at a time.

    ``on_state`` is called from other threads at every change of ``state``.
    """

    def __init__(
        self,
        *,
        cache: VerdictCache | None = None,
        on_state: Callable[[ProverState], None] | None = None,
        share: bool | None = None,
        memory_limit: int = MEMORY_LIMIT,
        job_limit: int = JOB_LIMIT,
    ) -> None:
        """Start nothing; ``start`` or the first ``prove`` does.

        Args:
            cache: where verdicts are kept; None for the user's cache folder.
            on_state: called at every change of state.
            share: use the verifier that this user's sessions share, and a process of its own only
                if that is impossible. None: unless ``WORKBENCH_SHARED_PROVER`` is 0.
            memory_limit: bytes of resident memory after which an own process is replaced.
            job_limit: jobs after which an own process is replaced.
        """
        self._cache = cache if cache is not None else VerdictCache()
        self._on_state = on_state
        self._share = wanted() if share is None else share
        self._keeper = Keeper(self._spawn, self._note_phase, memory_limit=memory_limit, job_limit=job_limit)
        self._guard = threading.RLock()
        self._turn = threading.Lock()
        self._running: set[threading.Event] = set()
        self._closed = False
        self._said_unused = False
        self._guesses: Guesses = {}
        self._state = ProverState()
        _open_provers.add(self)

    # --- life ----------------------------------------------------------------------

    @property
    def state(self) -> ProverState:
        """The present phase of the prover."""
        return self._state

    @property
    def pid(self) -> int | None:
        """The id of the process that serves this prover, once it is known."""
        return self._keeper.pid

    def start(self) -> None:
        """Start the verifier in the background; returns at once.

        Raises:
            WorkbenchError: it cannot be started, or the prover is closed.
        """
        self._keeper.start()

    def _spawn(self, on_phase: OnPhase, *, alone: bool) -> Verifier:
        if self._share and not alone:
            return SharedVerifier(on_phase)
        return VerifierProcess(prover_folder(), on_phase)

    def _note_phase(self, phase: str, detail: str) -> None:
        busy = bool(self._running)
        if phase == "ready":
            self._set(replace(self._state, phase=Phase.PROVING if busy else Phase.READY, detail=detail))
        elif phase == "dead":
            self._set(replace(self._state, phase=Phase.DEAD, detail=detail or "the verifier ended"))
        else:
            self._set(replace(self._state, phase=Phase.STARTING, detail=detail))

    def _set(self, state: ProverState) -> None:
        self._state = state
        if self._on_state is not None and not self._closed:
            self._on_state(state)

    def cancel(self) -> None:
        """Stop all running proofs; they raise ``ProverCancelled``."""
        with self._guard:
            for event in self._running:
                event.set()

    def close(self) -> None:
        """Cancel everything, release the verifier (an own process ends), and trim the cache."""
        self.cancel()
        self._closed = True
        self._keeper.close()
        self._cache.trim()
        self._state = ProverState(Phase.COLD, "closed")

    # --- proving -------------------------------------------------------------------

    def prove(
        self,
        terms: PolicyTerms,
        clauses: Collection[str] | None = None,
        *,
        time_limit: float = TIME_LIMIT,
        on_clause: Callable[[ClauseProof], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Proof:
        """Decide the clauses of a contract; blocks until all have a verdict.

        Args:
            terms: the checked policy.
            clauses: ids of the clauses to decide, None for all.
            time_limit: seconds of the verifier's work per clause, after which it is unknown.
            on_clause: called from this thread with each verdict as it is known.
            cancelled: set it to stop; the work in the verifier is cancelled too.

        Raises:
            ProverCancelled: ``cancelled`` was set, or ``cancel`` or ``close`` called.
            WorkbenchError: an unknown clause id, or the prover is closed.
        """
        selected_clauses = selected(terms, None if clauses is None else list(clauses))
        if not selected_clauses:
            return Proof((), "The contract has no clause, so there is nothing to prove.")
        stop = cancelled if cancelled is not None else threading.Event()
        with self._guard:
            self._running.add(stop)
        try:
            while not self._turn.acquire(timeout=0.05):
                if stop.is_set():
                    raise ProverCancelled("The proof was cancelled.")
            try:
                return self._prove(terms, selected_clauses, time_limit, on_clause, stop)
            finally:
                self._turn.release()
        finally:
            with self._guard:
                self._running.discard(stop)
            self._settle()

    def _prove(
        self,
        terms: PolicyTerms,
        clauses: list[Clause],
        time_limit: float,
        on_clause: Callable[[ClauseProof], None] | None,
        stop: threading.Event,
    ) -> Proof:
        finished_count = 0
        self._set(replace(self._state, finished=0, total=len(clauses)))

        def report_verdict(verdict: ClauseProof) -> None:
            nonlocal finished_count
            finished_count += 1
            self._set(replace(self._state, finished=finished_count, total=len(clauses)))
            if on_clause is not None:
                on_clause(verdict)

        def ask(text: str, *, model: bool, time_limit: float) -> Answer:
            self._keeper.start()
            if self._keeper.ready:
                self._set(replace(self._state, phase=Phase.PROVING))
            return self._keeper.ask(text, model=model, time_limit=time_limit, cancelled=stop)

        attempt = ProofAttempt(
            terms, ask, self._cache, time_limit, stop, report_verdict, self._keeper.start, self._guesses
        )
        attempt.prove(clauses)
        return Proof(tuple(attempt.verdicts[clause.id] for clause in clauses), self._unused_cache())

    def _unused_cache(self) -> str:
        """The reason why stored verdicts are not used; given once."""
        why = "" if self._said_unused else self._cache.unused
        self._said_unused = self._said_unused or bool(why)
        return why

    def _settle(self) -> None:
        """Report that the prover is idle again."""
        if not self._running and self._keeper.ready and not self._closed:
            self._set(replace(self._state, phase=Phase.READY, detail=""))


_open_provers: weakref.WeakSet[Prover] = weakref.WeakSet()


def _close_all() -> None:
    for prover in tuple(_open_provers):
        prover.close()


atexit.register(_close_all)
