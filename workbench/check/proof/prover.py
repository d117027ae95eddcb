"""The prover: Nagini, kept warm in a process of its own.

One request to prove some clauses: batches, splitting, attribution, counterexamples.

A small proof that shows whether proofs work on this machine.
"""

from __future__ import annotations

import atexit
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from workbench.check.disagreement import DISAGREEMENT
from workbench.check.proof.counterexamples import (
    CounterexampleSearch,
    confirm,
    from_model,
    from_preview,
    search,
    vacuity_of,
)
from workbench.check.proof.small_goals import Asker, GoalOutcome, Guesses, NeededBefore, SmallGoals
from workbench.check.proof.two_clauses import two_clauses
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.nagini.lowering.lower import VACUITY, Lowered, LoweringLimit, ReadyPolicy, lower
from workbench.engines.nagini.verdict_cache import StoredVerdict, VerdictCache
from workbench.engines.nagini.verifier.connection import (
    OnPhase,
    ProverCancelled,
    ProverDied,
    ProverTimeout,
    ProverUnready,
    Verifier,
)
from workbench.engines.nagini.verifier.keeper import Keeper
from workbench.engines.nagini.verifier.process import VerifierProcess
from workbench.engines.nagini.verifier.shared import SharedVerifier, prover_folder, wanted
from workbench.engines.nagini.verifier.worker_protocol import Answer
from workbench.engines.smt.vacuity import CONTRADICTION, Vacuity
from workbench.model import ClauseProof, Counterexample, Engine, Proof, ProofStatus, WorkbenchError
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
    ) -> None:
        """Start nothing; ``start`` or the first ``prove`` does.

        Args:
            cache: where verdicts are kept; None for the user's cache folder.
            on_state: called at every change of state.
            share: use the verifier that this user's sessions share, and a process of its own only
                if that is impossible. None: unless ``WORKBENCH_SHARED_PROVER`` is 0.
        """
        self._cache = cache if cache is not None else VerdictCache()
        self._on_state = on_state
        self._share = wanted() if share is None else share
        self._keeper = Keeper(self._spawn, self._note_phase)
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
        selected_clauses = _selected(terms, None if clauses is None else list(clauses))
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


_BATCH = 24
_FEW = 8
_SEARCH_SECONDS = 3.0


@dataclass
class ProofAttempt:
    """The state of one request to prove clauses of one policy.

    ``begin`` is called before the verifier is needed, so that it starts during other work. ``guesses`` are
    the conditions that obligations needed in earlier proofs.
    """

    terms: PolicyTerms
    ask: Asker
    cache: VerdictCache
    time_limit: float
    cancelled: threading.Event
    on_clause: Callable[[ClauseProof], None]
    begin: Callable[[], object] = lambda: None
    guesses: Guesses = field(default_factory=dict[str, NeededBefore])
    policy: CompiledPolicy = field(init=False)
    verdicts: dict[str, ClauseProof] = field(default_factory=dict[str, ClauseProof])
    keys: dict[str, str] = field(default_factory=dict[str, str])
    previews: dict[str, Future[CounterexampleSearch]] = field(
        default_factory=dict[str, Future[CounterexampleSearch]]
    )
    vacuities: dict[str, Future[Vacuity]] = field(default_factory=dict[str, Future[Vacuity]])
    solver: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        """Compile the policy, which confirms counterexamples."""
        self.policy = compile_policy(self.terms)
        self.solver = ThreadPoolExecutor(1, "preview-of-proof")

    @cached_property
    def ready(self) -> ReadyPolicy:
        """The policy in the form that goals are made from.

        Raises:
            LoweringLimit: it is too large.
        """
        return ReadyPolicy.of(self.terms)

    def prove(self, clauses: list[Clause]) -> None:
        """Decide every clause; all of them have a verdict afterwards.

        Raises:
            ProverCancelled: the request is stale.
        """
        try:
            pending = [clause for clause in clauses if not self._known(clause)]
            if not pending:
                return
            if self.terms.assumed and self._vacuity(pending[0]).reachable is False:
                for clause in pending:
                    self._say(clause, ProofStatus.VACUOUS, why=CONTRADICTION, engine=Engine.CVC5)
                return
            self._by_small_goals(pending)
            pending = [clause for clause in pending if clause.id not in self.verdicts]
            for group in self._groups(pending):
                for start in range(0, len(group), _BATCH):
                    self._batch(group[start : start + _BATCH])
        finally:
            self.solver.shutdown(wait=False, cancel_futures=True)

    def _by_small_goals(self, clauses: list[Clause]) -> None:
        """Prove large clauses by their obligations; undecided clauses are left for the next steps."""

        def refuted(clause: Clause) -> bool:
            return self._example(clause) is not None

        goals = SmallGoals(
            self.ready,
            self.ask,
            self.cache,
            self.time_limit,
            self.solver,
            self._by_outcome,
            refuted,
            self.begin,
            self.guesses,
        )
        if not goals.take(clauses):
            return
        self._preview(clauses)
        self._ask_vacuity(clauses)
        with suppress(ProverUnready):
            goals.prove()

    def _by_outcome(self, clause: Clause, outcome: GoalOutcome, seconds: float) -> None:
        """Give a clause its verdict by the outcome of its obligations, if that outcome suffices.

        Stored proofs of obligations suffice only if the preview solver finds again that no input breaks the
        clause.
        """
        counterexample_search = self._counterexample_search(clause)
        match outcome:
            case GoalOutcome.FAILED if counterexample_search.example is not None:
                self._say(clause, ProofStatus.REFUTED, counterexample_search.example, seconds=seconds)
            case GoalOutcome.UNDECIDED if counterexample_search.example is not None:
                why = "The verifier did not decide this clause."
                self._say(
                    clause, ProofStatus.REFUTED, counterexample_search.example, why=why, engine=Engine.CVC5
                )
            case GoalOutcome.PROVED | GoalOutcome.STORED if counterexample_search.example is not None:
                self._unknown(clause, DISAGREEMENT)
            case GoalOutcome.PROVED:
                self._holds(clause, seconds)
            case GoalOutcome.STORED if counterexample_search.excluded:
                self._holds(clause, seconds)
            case _:
                pass

    def _groups(self, pending: list[Clause]) -> tuple[list[Clause], ...]:
        """The clauses in groups that are verified one after the other.

        Among many clauses, failing ones must not delay those that can be proved. For a few clauses, one job
        is faster than two, and the preview solver works in parallel to the verifier.
        """
        if len(pending) <= _FEW:
            return (pending,)
        likely = [clause for clause in pending if self._example(clause) is None]
        return likely, [clause for clause in pending if clause not in likely]

    def _preview(self, clauses: list[Clause]) -> None:
        """Let the preview solver look for counterexamples in a thread of its own, once for each clause."""
        for clause in clauses:
            if clause.id not in self.previews:
                previewed = self.solver.submit(from_preview, self.terms, self.policy, clause)
                self.previews[clause.id] = previewed

    def _ask_vacuity(self, clauses: list[Clause]) -> None:
        """Let the preview solver find the vacuous clauses, in the same thread."""
        for clause in clauses:
            if clause.id not in self.vacuities:
                self.vacuities[clause.id] = self.solver.submit(vacuity_of, self.terms, clause)

    def _vacuity(self, clause: Clause) -> Vacuity:
        """The vacuity of a clause; waits for the preview solver."""
        self._ask_vacuity([clause])
        return self.vacuities[clause.id].result()

    def _counterexample_search(self, clause: Clause) -> CounterexampleSearch:
        """The result of the preview solver's search for a counterexample; waits for it."""
        self._preview([clause])
        return self.previews[clause.id].result()

    def _example(self, clause: Clause) -> Counterexample | None:
        """The counterexample that the preview solver found; waits for it."""
        return self._counterexample_search(clause).example

    def _known(self, clause: Clause) -> bool:
        """Take a stored verdict that is confirmed again, or report that a clause cannot be lowered.

        A refutation has to break the clause again. For a proof the preview solver has to find again that no
        input breaks the clause; if it cannot decide, the verifier proves the clause again.
        """
        try:
            key = self.keys[clause.id] = self.ready.key(clause.id)
        except LoweringLimit as limit:
            self._unknown(clause, str(limit))
            return True
        entry = self.cache.get(key, self.terms)
        if entry is None:
            return False
        if entry.status is ProofStatus.PROVED:
            if not self._counterexample_search(clause).excluded:
                return False
            self._holds(clause, entry.seconds, cached=True)
            return True
        example = confirm(self.policy, clause.id, entry.arguments or {})
        if example is None:
            return False
        self._say(clause, ProofStatus.REFUTED, example, seconds=entry.seconds, cached=True)
        return True

    def _batch(self, clauses: list[Clause]) -> None:
        """Verify clauses in one program; a failed run with several clauses is repeated with fewer."""
        try:
            lowered = lower(self.terms, [clause.id for clause in clauses])
            limit = self.time_limit if len(clauses) == 1 else self.time_limit + len(clauses)
            self._preview(clauses)
            self._ask_vacuity(clauses)
            answer = self.ask(lowered.text, model=False, time_limit=limit)
        except LoweringLimit as limit_error:
            self._split(clauses, str(limit_error))
        except ProverTimeout:
            self._split(
                clauses, f"time limit of {self.time_limit:g} s of work; prove again with a longer one"
            )
        except ProverUnready as unready:
            self._give_up(clauses, str(unready))
        except ProverDied as died:
            self._split(clauses, str(died))
        else:
            if answer.error:
                self._split(clauses, answer.error)
            else:
                self._read(clauses, lowered, answer)

    def _give_up(self, clauses: list[Clause], why: str) -> None:
        for clause in clauses:
            example = self._example(clause)
            if example is None:
                self._unknown(clause, why)
            else:
                self._say(clause, ProofStatus.REFUTED, example, why=why, engine=Engine.CVC5)

    def _split(self, clauses: list[Clause], why: str) -> None:
        """Try fewer clauses at once. A confirmed counterexample refutes regardless of the verifier."""
        if len(clauses) == 1 or all(map(self._example, clauses)):
            self._give_up(clauses, why)
            return
        middle = len(clauses) // 2
        self._batch(clauses[:middle])
        self._batch(clauses[middle:])

    def _read(self, clauses: list[Clause], lowered: Lowered, answer: Answer) -> None:
        """Give each clause its verdict by the lines of the failures."""
        failed, elsewhere = _attribute(lowered, answer)
        if elsewhere:
            self._split(clauses, elsewhere)
            return
        if not _must_fail(lowered) <= failed:
            for clause in clauses:
                self._contradictory(clause)
            return
        seconds = answer.seconds / len(clauses)
        for clause in clauses:
            if clause.id in failed:
                continue
            if self._example(clause) is not None:
                self._unknown(clause, DISAGREEMENT)
            else:
                self._holds(clause, seconds)
        for clause in clauses:
            if clause.id in failed:
                self._refuted(clause, seconds)

    def _refuted(self, clause: Clause, seconds: float) -> None:
        """Search arguments that violate a clause which Nagini could not prove."""
        counterexample_search = self._counterexample_search(clause)
        example, silent = counterexample_search.example, ""
        if example is None:
            lowered = lower(self.terms, [clause.id])
            answer = self._again(lowered)
            silent = " It gave no model." if answer is None else ""
            if answer is not None and _attribute(lowered, answer) == (_must_fail(lowered), ""):
                self._holds(clause, answer.seconds)
                return
            example = self._from_nagini(clause, lowered, answer)
        if example is None or (counterexample_search.excluded and not example.confirmed):
            why = "Nagini could not prove this clause, and no input was found on which it fails."
            if counterexample_search.excluded:
                why = "Nagini could not prove this clause, but the preview finds no input on which it fails."
            self._unknown(clause, why + silent)
            return
        self._say(clause, ProofStatus.REFUTED, example, seconds=seconds)

    def _again(self, lowered: Lowered) -> Answer | None:
        """Ask Nagini again, with all options that could help and for a model; None without an answer."""
        try:
            answer = self.ask(lowered.text, model=True, time_limit=self.time_limit)
        except (ProverDied, ProverTimeout):
            return None
        return None if answer.error else answer

    def _from_nagini(self, clause: Clause, lowered: Lowered, answer: Answer | None) -> Counterexample | None:
        """Complete the model of Nagini's answer; search plain values if that fails."""
        example: Counterexample | None = None
        low, high = lowered.clause_lines[clause.id]
        for failure in answer.failures if answer is not None else ():
            if low <= failure.line <= high and failure.model and (example is None or not example.confirmed):
                example = from_model(self.policy, lowered, clause.id, failure.model) or example
        if example is not None and example.confirmed:
            return example
        end = time.monotonic() + _SEARCH_SECONDS

        def stop() -> bool:
            return self.cancelled.is_set() or time.monotonic() > end

        return search(self.policy, lowered, clause.id, stop) or example

    def _unknown(self, clause: Clause, why: str) -> None:
        self._say(clause, ProofStatus.UNKNOWN, why=why)

    def _contradictory(self, clause: Clause) -> None:
        """Give the verdict that follows from a proof that the preconditions contradict each other."""
        if self._vacuity(clause).reachable:
            self._unknown(clause, DISAGREEMENT)
        else:
            self._say(clause, ProofStatus.VACUOUS, why=CONTRADICTION)

    def _holds(self, clause: Clause, seconds: float, *, cached: bool = False) -> None:
        """Give the verdict proved, unless the clause is vacuous or its vacuity is unknown."""
        vacuity = self._vacuity(clause)
        if not cached:
            self._store(clause, StoredVerdict(ProofStatus.PROVED, None, seconds))
        self._say(clause, vacuity.status_if_true, why=vacuity.reason, seconds=seconds, cached=cached)

    def _store(self, clause: Clause, entry: StoredVerdict) -> None:
        if clause.id in self.keys and not self.cancelled.is_set():
            self.cache.put(self.keys[clause.id], entry)

    def _say(
        self,
        clause: Clause,
        status: ProofStatus,
        example: Counterexample | None = None,
        *,
        why: str = "",
        seconds: float = 0.0,
        cached: bool = False,
        engine: Engine = Engine.NAGINI,
    ) -> None:
        if self.cancelled.is_set():
            raise ProverCancelled("The proof was cancelled.")
        verdict = ClauseProof(clause.id, clause.requirements, status, engine, example, why, seconds, cached)
        self.verdicts[clause.id] = verdict
        if example is not None and example.confirmed and engine is Engine.NAGINI and not cached:
            self._store(clause, StoredVerdict(status, example.arguments, seconds))
        self.on_clause(verdict)


def _must_fail(lowered: Lowered) -> set[str]:
    """The method that is proved only if the preconditions contradict each other, if there is one."""
    return {VACUITY} & lowered.clause_lines.keys()


def _attribute(lowered: Lowered, answer: Answer) -> tuple[set[str], str]:
    """The clauses whose methods failed, and the first failure that belongs to no clause."""
    failed: set[str] = set()
    elsewhere = ""
    for failure in answer.failures:
        name = lowered.goal_at(failure.line)
        if name is None or failure.code.startswith("type.error"):
            elsewhere = elsewhere or f"Nagini: {failure.message} {failure.reason}".strip()
        else:
            failed.add(name)
    return failed, elsewhere


def _selected(terms: PolicyTerms, clause_ids: list[str] | None) -> list[Clause]:
    """The clauses with these ids, in the order of the file.

    Raises:
        WorkbenchError: there is no such clause.
    """
    known_ids = {clause.id for clause in terms.clauses}
    unknown = [name for name in clause_ids or () if name not in known_ids]
    if unknown:
        raise WorkbenchError(
            f"The contract has no clause {unknown[0]}; it has {', '.join(sorted(known_ids))}."
        )
    return [clause for clause in terms.clauses if clause_ids is None or clause.id in clause_ids]


def self_check() -> tuple[bool, str]:
    """Prove a true clause and refute a false one with the real verifier.

    Returns whether it worked, and one sentence about it.
    """
    with tempfile.TemporaryDirectory() as folder:
        prover = Prover(cache=VerdictCache(Path(folder)))
        try:
            proof = prover.prove(two_clauses(), time_limit=60.0)
        except WorkbenchError as error:
            return False, str(error)
        finally:
            prover.close()
    true, false = proof.clauses
    if true.status is ProofStatus.PROVED and false.status is ProofStatus.REFUTED:
        return True, "Nagini proves a true clause and refutes a false one."
    why = true.why or false.why or f"it said {true.status.value} and {false.status.value}"
    return False, f"Nagini does not decide a two-line proof: {why}"
