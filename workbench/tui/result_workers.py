"""Workers that compute in threads the results of a state: verdicts, case results, causes, evidence."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.app.session_state import SessionState
from workbench.model import ClauseProof, TheoremVerdict, WorkbenchError
from workbench.tui.messages import Ask, AskResult, Progress, StateFound
from workbench.tui.worker_threads import Working, lasting

if TYPE_CHECKING:
    from textual.message import Message

    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.app.workbench import Workbench
    from workbench.model import CallDecision, Question

MOST_TURNED = 5
"""The number of open questions for which the calls that their answers turn are computed at once."""
TYPING_PAUSE = 0.15
"""Seconds without a key after which an edited text is judged."""
THEOREM_PAUSE = 0.5
"""Seconds without a key after which the theorems of an edited text are decided, beside the keys."""
KEPT_AFTER = 0.4
"""Seconds of continuous typing after which a text is kept next to its file, before it is judged."""


class ResultWorkers:
    """Computes results that are not stored: decisions, case results, proofs, and answers to widgets."""

    def __init__(self, working: Working) -> None:
        """Compute them for the session of ``working``."""
        self._work = working
        self._questions: dict[str, int] = {}
        self._asking = threading.Lock()
        self._waiting: dict[str, tuple[int, int, Ask[Any]] | None] = {}
        self._keeping = threading.Lock()
        self._kept_of = 0
        self._unkept_since: float | None = None

    def edit(self, state: SessionState, text: str) -> None:
        """Judge an edited text of the policy without storing it."""
        self._work.begin()
        self._work.start(
            "edit", partial(self._edit, self._work.generation, self._work.cancelled, state, text)
        )

    def judge(self, state: SessionState) -> None:
        """Run the cases and prove the clauses of a state's policy.

        Also find the causes of denials, and the calls that the answers to the first open questions would
        turn.
        """
        if state.terms is not None and not state.problems:
            arguments = (self._work.generation, self._work.cancelled, state.policy, state.terms)
            if not state.preview.clauses:
                self._work.start("preview", partial(self._preview, self._work.generation, state.terms))
            if not state.theorems:
                self._work.start("theorems", partial(self._theorems, *arguments))
            self._work.start("cases", partial(self._test, *arguments))
            self._work.start(
                "prove", partial(self._prove, self._work.generation, self._work.proof_ended, state.terms)
            )
        if state.terms is not None and state.decisions:
            self.ask("causes", partial(_caused, self._work.generation, state.terms, state.decisions))
        if state.logs is not None and state.demonstrations:
            self.ask("retrieved", partial(_retrieved, self._work.generation, state.logs))
        if state.logs is not None:
            for question in state.open[:MOST_TURNED]:
                self.ask(
                    f"turned {question.id}", partial(_turned, self._work.generation, question, state.logs)
                )

    def measure(self, state: SessionState) -> None:
        """Compute the evidence for every clause and show the progress; a person may stop it."""
        if state.terms is not None:
            ended = self._work.ended_by_group["evidence"] = self._work.cancelled
            self._work.start(
                "evidence", partial(self._measure, self._work.generation, ended, state, state.terms)
            )

    def ask(self, group: str, work: Callable[[Workbench], Message | None]) -> None:
        """Run work that changes nothing in a thread and post its message; a group's last request wins."""
        self._work.start(group, partial(self._ask, work))

    def find(self, ask: Ask[Any]) -> None:
        """Do the work of an ``Ask``; its widget gets an ``AskResult``."""
        question = self._questions[ask.group] = self._questions.get(ask.group, 0) + 1
        if (before := self._work.ended_by_group.pop(ask.group, None)) is not None:
            before.set()
        if ask.label:
            self._work.ended_by_group[ask.group] = ask.ended
        with self._asking:
            is_running = ask.group in self._waiting
            self._waiting[ask.group] = (self._work.generation, question, ask)
        if not is_running:
            self._work.start(ask.group, partial(self._find_all, ask.group))

    def is_present(self, generation: int) -> bool:
        """Whether no act and no edit began since this generation of work."""
        return generation == self._work.generation

    def wanted(self, event: AskResult) -> bool:
        """Whether a result is of the last request of its group, and no act began since, or it lasts."""
        ask = event.ask
        is_last = event.question == self._questions.get(ask.group)
        return is_last and (ask.lasts or ask.opens or self.is_present(event.generation))

    # --- in workers

    def _edit(self, generation: int, cancelled: threading.Event, state: SessionState, text: str) -> None:
        typed_on = cancelled.wait(TYPING_PAUSE)
        self._keep(generation, text, KEPT_AFTER if typed_on else 0.0)
        if typed_on:  # results now would delay the keys
            return
        bench = self._work.workbench
        problems = bench.policy.problems(text)
        if problems:
            edited = replace(state, policy=text, problems=problems)
        else:
            with lasting(0 if state.logs is None else len(state.logs.calls)):
                terms = bench.policy.terms(text)
                edited = state.with_policy(text, terms)
                if state.logs is not None and not cancelled.is_set():
                    edited = replace(edited, decisions=bench.runs.decide(terms, state.logs, cancelled))
        edited.sharing(state).derive()
        self._work.post(StateFound(generation, lambda _before: edited, "Edit"))
        if not problems and edited.terms is not None and not cancelled.is_set():
            self._preview(generation, edited.terms)
            if not cancelled.wait(THEOREM_PAUSE):
                self._theorems(generation, cancelled, text, edited.terms)

    def _keep(self, generation: int, text: str, after: float) -> None:
        """Keep a text next to its file, so that a killed screen loses nothing; never overwrite a newer text.

        If less than ``after`` seconds have passed since the last text was kept, the next call keeps it.
        """
        bench = self._work.workbench
        with self._keeping:
            since = self._unkept_since = self._unkept_since or time.monotonic() - TYPING_PAUSE
            if generation > self._kept_of and time.monotonic() - since >= after:
                self._kept_of, self._unkept_since = generation, None
                if not bench.session.read_only:
                    bench.editing.keep(text)

    def _preview(self, generation: int, terms: PolicyTerms) -> None:
        if generation == self._work.generation:
            preview = self._work.workbench.proof.preview(terms)
            self._work.post(StateFound(generation, lambda now: replace(now, preview=preview)))

    def _theorems(
        self, generation: int, cancelled: threading.Event, _policy: str, terms: PolicyTerms
    ) -> None:
        """Decide the theorems by the preview, one after the other; a key ends it after the present one."""

        def tell(verdicts: tuple[TheoremVerdict, ...]) -> None:
            if not cancelled.is_set():
                self._work.post(StateFound(generation, lambda now: replace(now, theorems=verdicts)))

        self._work.workbench.theorems.previewed(terms, tell, cancelled.is_set)

    def _test(self, generation: int, cancelled: threading.Event, policy: str, _terms: PolicyTerms) -> None:
        self._work.post(Progress("cases", "running the cases"))
        results = self._work.workbench.cases.run(policy, cancelled=cancelled).results
        result_by_case = {result.case: result for result in results}
        self._work.post(Progress("cases", ""))
        if not cancelled.is_set():
            self._work.post(StateFound(generation, lambda state: replace(state, results=result_by_case)))

    def _prove(self, generation: int, ended: threading.Event, terms: PolicyTerms) -> None:
        clause_proofs: list[ClauseProof] = []

        def tell(clause: ClauseProof) -> None:
            clause_proofs.append(clause)
            self._work.post(Progress("proof", f"proved {len(clause_proofs)} of {len(terms.clauses)} clauses"))

        try:
            proof = self._work.workbench.proof.prove(terms, on_clause=tell, cancelled=ended)
        except WorkbenchError:
            if ended.is_set() and generation != self._work.generation:
                return  # a newer policy is proved instead: nothing to report
            raise
        finally:
            self._work.post(Progress("proof", ""))
        if not ended.is_set():
            # Older evidence has other verdicts; it is computed again when it is shown.
            self._work.post(StateFound(generation, lambda state: replace(state, proof=proof, evidence=None)))

    def _measure(
        self, generation: int, ended: threading.Event, state: SessionState, terms: PolicyTerms
    ) -> None:
        def tell(done: int, total: int) -> None:
            self._work.post(Progress("evidence", f"{done} of {total} wrong versions tried", stops=True))

        bench = self._work.workbench
        try:
            strength = bench.strength.measure(terms, on_progress=tell, cancelled=ended)
            evidence = bench.proof.evidence(
                terms,
                strength=strength,
                decisions=state.decisions,
                theorems=bench.theorems.verdicts(terms, verify=False),
            )
        finally:
            self._work.post(Progress("evidence", ""))
        if not ended.is_set():
            self._work.post(
                StateFound(generation, lambda now: replace(now, strength=strength, evidence=evidence))
            )

    def _ask(self, work: Callable[[Workbench], Message | None]) -> None:
        message = work(self._work.workbench)
        if message is not None:
            self._work.post(message)

    def _find_all(self, group: str) -> None:
        """Do the last request of a group, then the last that came meanwhile: a fast typist makes many."""
        while (wanted := self._next(group)) is not None:
            self._work.reported(group, partial(self._find, *wanted))

    def _next(self, group: str) -> tuple[int, int, Ask[Any]] | None:
        """The request to do now; without one the group is idle."""
        with self._asking:
            wanted = self._waiting.pop(group, None)
            if wanted is not None:
                self._waiting[group] = None
            return wanted

    def _find(self, generation: int, question: int, ask: Ask[Any]) -> None:
        if ask.label:
            self._work.post(Progress(ask.group, ask.label, stops=True))
        try:
            found = ask.find(self._work.workbench)
        finally:
            if ask.label:
                self._work.post(Progress(ask.group, ""))
        if not ask.ended.is_set():
            self._work.post(AskResult(generation, ask, question, partial(ask.show, found)))


def _turned(generation: int, question: Question, logs: Logs, bench: Workbench) -> StateFound:
    """The message with the calls that the answers to a question would turn."""
    calls_by_answer = bench.questions.turned_by(question, logs)
    return StateFound(
        generation, lambda state: replace(state, turned={**state.turned, question.id: calls_by_answer})
    )


def _caused(
    generation: int, terms: PolicyTerms, decisions: Sequence[CallDecision], bench: Workbench
) -> StateFound:
    """The message with the denied calls by cause."""
    causes, judged = bench.judging.caused(terms, decisions)
    return StateFound(generation, lambda state: replace(state, causes=causes, judged=judged))


def _retrieved(generation: int, logs: Logs, bench: Workbench) -> StateFound:
    """The message with the demonstrations that every call retrieves."""
    found = SessionState("", retrieved=bench.memory.retrieved(logs)).derive()
    return StateFound(generation, lambda state: replace(state, retrieved=found.retrieved).sharing(found))
