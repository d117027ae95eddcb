"""Acts on the session and the work that follows from them, in threads that never touch a widget.

Every act begins a generation. What the work of an older one still finds is dropped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model import ClauseProof, WorkbenchError
from workbench.tui.log_reading import LogReading
from workbench.tui.messages import (
    Announced,
    Ask,
    FilesTouched,
    Found,
    Freed,
    Go,
    LogGrew,
    Progress,
    Say,
    StateFound,
)
from workbench.tui.places import Place, PlaceKind, ViewName

if TYPE_CHECKING:
    from textual.app import App
    from textual.message import Message

    from workbench.app.results import Logs
    from workbench.app.session_state import SessionState
    from workbench.app.workbench import Workbench
    from workbench.author.model.progress import CallProgress
    from workbench.model import Question, StepDecision
    from workbench.policy.terms import PolicyTerms

MOST_TURNED = 5
"""Of how many open questions it is found out at once what their answers would turn."""
TYPING_PAUSE = 0.15
"""Seconds without a key after which an edited text is judged."""
PHASES = {"starting": "starting Nagini", "dead": "Nagini died; starting it again"}


class Acts:
    """Does what a person wants of the session, one act at a time, and finds out what follows."""

    def __init__(self, app: App[None], path: Path) -> None:
        """Work for ``app`` on the session in the folder, which the first act opens."""
        self._app = app
        self._path = path
        self._session = threading.Lock()
        self._opening = threading.Lock()
        self._workbench: Workbench | None = None
        self._cancelled = threading.Event()
        self._calls_ended = threading.Event()
        self._closing = False
        self._logs = LogReading(self._post)
        self._questions: dict[str, int] = {}
        self._asked: dict[str, threading.Event] = {}
        self.generation = 0

    @property
    def workbench(self) -> Workbench:
        """The opened session, for workers; raises WorkbenchError if it cannot be read."""
        with self._opening:
            if self._workbench is None:
                from workbench.app.workbench import Workbench

                self._workbench = self._watched(Workbench.open(self._path))
            return self._workbench

    def _watched(self, bench: Workbench) -> Workbench:
        bench.proof.watch(lambda phase: self._post(Progress("prover", PHASES.get(phase, ""))))
        bench.authorship.watch(self._tell_call, self._calls_ended)
        return bench

    # --- acts

    def open(self) -> None:
        """Read the session, then judge its policy, and look at its files from there on."""
        self._begin()
        self._work("session", partial(self._open, self.generation))

    def do(
        self,
        label: str,
        work: Callable[[Workbench], object],
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Change the session by ``work``, then find out what follows; the last one wins.

        Where it cannot be done ``failed`` is told why, on the thread of the widgets.
        """
        self._begin()
        self._work("session", partial(self._act, self.generation, label, work), failed)

    def announce(self, label: str, work: Callable[[Workbench], object]) -> None:
        """Try a change on a copy of the session, and tell what it would make of it."""
        self._begin()
        self._work("session", partial(self._announce, self.generation, label, work))

    def look_outside(self, shown: str, known: object) -> None:
        """Tell what the edits of other programs would make of the session, unless that is ``known``."""
        self._work("outside", partial(self._look_outside, self.generation, shown, known))

    def look_for_lock(self) -> None:
        """Tell once the session can be changed, where another program had it open."""
        self._work("lock", self._look_for_lock)

    def edit(self, state: SessionState, text: str) -> None:
        """Judge an edited text of the policy without storing it."""
        self._begin()
        self._work("edit", partial(self._edit, self.generation, self._cancelled, state, text))

    def open_log(self, path: Path, *, follow: bool = False) -> None:
        """Read a log beside those of the session, and follow it as it grows."""
        self._begin()
        self._work("session", partial(self._open_log, self.generation, path, follow))

    def unfollow(self) -> None:
        """Follow no log any more."""
        self.ask("follow", lambda bench: self._logs.unfollow(bench, self.generation))

    def read_on(self, state: SessionState) -> None:
        """Read what is new of the log that is followed."""
        self._work("follow", partial(self._read_on, self.generation, state))

    def judge(self, state: SessionState) -> None:
        """Run the cases and prove the clauses of a state's policy.

        Find out, too, why calls are denied and what answers to the first open questions would turn.
        """
        if state.terms is not None and not state.problems:
            arguments = (self.generation, self._cancelled, state.policy, state.terms)
            if not state.preview.clauses:
                self._work("preview", partial(self._preview, self.generation, state.terms))
            self._work("cases", partial(self._test, *arguments))
            self._work("prove", partial(self._prove, *arguments))
        if state.terms is not None and state.decisions:
            self.ask("causes", partial(_caused, self.generation, state.terms, state.decisions))
        if state.logs is not None and state.demonstrations:
            self.ask("retrieved", partial(_retrieved, self.generation, state.logs))
        if state.logs is not None:
            for question in state.open[:MOST_TURNED]:
                self.ask(f"turned {question.id}", partial(_turned, self.generation, question, state.logs))

    def measure(self, state: SessionState) -> None:
        """Find out what speaks for every clause, telling how far that is; a person may stop it."""
        if state.terms is not None:
            ended = self._asked["evidence"] = self._cancelled
            self._work("evidence", partial(self._measure, self.generation, ended, state, state.terms))

    def ask(self, group: str, work: Callable[[Workbench], Message | None]) -> None:
        """Find something out that changes nothing; the last question of a group wins."""
        self._work(group, partial(self._ask, work))

    def find(self, asked: Ask) -> None:
        """Find something out for a widget, which is told by ``Found``."""
        question = self._questions[asked.group] = self._questions.get(asked.group, 0) + 1
        if (before := self._asked.pop(asked.group, None)) is not None:
            before.set()
        if asked.label:
            self._asked[asked.group] = asked.ended
        self._work(asked.group, partial(self._find, self.generation, question, asked))

    def wanted(self, found: Found) -> bool:
        """Whether nothing was asked, and nothing done, since somebody asked this."""
        return found.generation == self.generation and found.question == self._questions.get(found.group)

    def stop(self) -> None:
        """End what a person asked for and does not want to wait for: model calls, measures, imports."""
        for ended in self._asked.values():
            ended.set()
        self._asked.clear()
        self._calls_ended.set()
        self._calls_ended = threading.Event()
        if self._workbench is not None:
            self._workbench.authorship.watch(self._tell_call, self._calls_ended)

    def stop_proof(self) -> None:
        """End the proof that runs; the preview's verdicts stay."""
        self._cancelled.set()
        if self._workbench is not None:
            self._workbench.proof.cancel()

    def close(self, typed: str | None = None) -> None:
        """Keep what was typed into the policy, stop all work and release the session; twice does no harm."""
        if self._closing:
            return
        self._closing = True
        self._cancelled.set()
        self.stop()
        if self._workbench is not None:
            self._workbench.proof.cancel()
        with self._session:
            if self._workbench is not None:
                if typed is not None and not self._workbench.session.read_only:
                    with suppress(WorkbenchError):
                        self._workbench.editing.keep_or_store(typed)
                self._workbench.close()

    # --- in workers

    def _open(self, generation: int) -> None:
        with self._session:
            self.workbench.request.draft_first()
            session = self.workbench.session
            notices = [one for one in session.notices if one != session.why_read_only]
            self._logs.begin(self.workbench, generation)
        if notices:
            self._post(Say(" ".join(notices)))
        self._judged(generation, "")
        self.workbench.watch_files(lambda: self._post(FilesTouched()))

    def _open_log(self, generation: int, path: Path, follow: bool) -> None:
        with self._session:
            label, position = self._logs.open(self.workbench, generation, path, follow=follow)
        self._judged(generation, label)
        if position is not None:
            self._post(Go(Place(ViewName.RUNS, PlaceKind.STEP, str(position))))

    def _read_on(self, generation: int, state: SessionState) -> None:
        with self._session:
            self._logs.read_on(self.workbench, generation, state)
        if generation != self.generation:
            self._post(LogGrew())  # another policy decides by now

    def _act(self, generation: int, label: str, work: Callable[[Workbench], object]) -> None:
        with self._session:
            done = work(self.workbench)
        self._judged(generation, label)
        if isinstance(done, Say):
            self._post(done)

    def _judged(self, generation: int, label: str) -> None:
        """Tell what the session is by now, and how it decides."""
        with self._session:
            state = self.workbench.state()
        terms, logs = state.terms, state.logs
        if terms is None or logs is None:
            self._post(StateFound(generation, lambda _before: state, label or " "))
            return
        decided = replace(state, decisions=self.workbench.runs.decide(terms, logs))
        self._post(StateFound(generation, lambda _before: decided, label or " "))

    def _preview(self, generation: int, terms: PolicyTerms) -> None:
        if generation == self.generation:
            preview = self.workbench.proof.preview(terms)
            self._post(StateFound(generation, lambda now: replace(now, preview=preview)))

    def _announce(self, generation: int, label: str, work: Callable[[Workbench], object]) -> None:
        from workbench.app.trial import announced, keep

        with self._session:
            after, texts = announced(self.workbench, work)
        self._post(Announced(generation, label, after, lambda bench: keep(bench, texts, label)))

    def _look_outside(self, generation: int, shown: str, known: object) -> None:
        from workbench.app.trial import outside_texts, state_after_outside

        with self._session:
            bench = self.workbench
            texts = outside_texts(bench)
            if not texts or texts == known:
                return
            if bench.session.read_only:
                bench.editing.take_outside(shown)
                state = bench.judged_state()
                self._post(StateFound(generation, lambda _before: state, "Changed by the other window"))
                return
            after = state_after_outside(bench, shown)
        label = f"Changed outside: {', '.join(texts)}"
        keep = partial(_take_outside, shown=shown)
        self._post(Announced(generation, label, after, keep, texts))

    def _look_for_lock(self) -> None:
        with self._session:
            old = self.workbench
            if not old.session.lock_is_free():
                return
            new = type(old).open(self._path)
            if new.session.read_only:
                new.close()
                return
            new.runs.begin_with(old.runs)
            old.close()
            self._workbench = self._watched(new)
        self._post(Freed())

    def _edit(self, generation: int, cancelled: threading.Event, state: SessionState, text: str) -> None:
        if cancelled.wait(TYPING_PAUSE):  # typed on: what follows would be in the way of the keys
            return
        bench = self.workbench
        if not bench.session.read_only:
            bench.editing.keep(text)  # beside the file, so that a killed screen loses nothing
        problems = bench.policy.problems(text)
        if problems:
            edited = replace(state, policy=text, problems=problems)
        else:
            terms = bench.policy.terms(text)
            edited = state.with_policy(text, terms)
            if state.logs is not None and not cancelled.is_set():
                edited = replace(edited, decisions=bench.runs.decide(terms, state.logs, cancelled))
        self._post(StateFound(generation, lambda _before: edited, "Edit"))
        if not problems and edited.terms is not None and not cancelled.is_set():
            self._preview(generation, edited.terms)

    def _test(self, generation: int, cancelled: threading.Event, policy: str, _terms: PolicyTerms) -> None:
        self._post(Progress("cases", "running the cases"))
        results = self.workbench.cases.run(policy, cancelled=cancelled).results
        found = {result.case: result for result in results}
        self._post(Progress("cases", ""))
        if not cancelled.is_set():
            self._post(StateFound(generation, lambda state: replace(state, results=found)))

    def _prove(self, generation: int, cancelled: threading.Event, _policy: str, terms: PolicyTerms) -> None:
        done: list[ClauseProof] = []

        def tell(clause: ClauseProof) -> None:
            done.append(clause)
            self._post(Progress("proof", f"proved {len(done)} of {len(terms.clauses)} clauses"))

        proof = self.workbench.proof.prove(terms, on_clause=tell, cancelled=cancelled)
        self._post(Progress("proof", ""))
        if not cancelled.is_set():
            self._post(StateFound(generation, lambda state: replace(state, proof=proof)))

    def _measure(
        self, generation: int, ended: threading.Event, state: SessionState, terms: PolicyTerms
    ) -> None:
        def tell(done: int, total: int) -> None:
            self._post(Progress("evidence", f"{done} of {total} wrong versions tried", stops=True))

        bench = self.workbench
        try:
            strength = bench.strength.measure(terms, on_progress=tell, cancelled=ended)
            proofs = tuple(proof for proof in (state.proof, state.preview) if proof.clauses)
            found = bench.proof.evidence(terms, proofs=proofs, strength=strength, steps=state.decisions)
        finally:
            self._post(Progress("evidence", ""))
        if not ended.is_set():
            self._post(StateFound(generation, lambda now: replace(now, strength=strength, evidence=found)))

    def _ask(self, work: Callable[[Workbench], Message | None]) -> None:
        found = work(self.workbench)
        if found is not None:
            self._post(found)

    def _find(self, generation: int, question: int, asked: Ask) -> None:
        if asked.label:
            self._post(Progress(asked.group, asked.label, stops=True))
        try:
            show = asked.work(self.workbench)
        finally:
            if asked.label:
                self._post(Progress(asked.group, ""))
        if not asked.ended.is_set():
            self._post(Found(generation, asked.group, question, show))

    # --- plumbing

    def _tell_call(self, told: CallProgress) -> None:
        words = f"{told.purpose} by {told.model}" if told.model else told.purpose
        again = f", again since {told.trouble}" if told.trouble else ""
        text = f"{words}: ~{told.pieces} tokens{again}"
        self._post(Progress("model", "" if told.done else text, stops=True))

    def _begin(self) -> None:
        self._cancelled.set()
        self._cancelled = threading.Event()
        self.generation += 1

    def _work(
        self, group: str, work: Callable[[], None], failed: Callable[[str], None] | None = None
    ) -> None:
        def told() -> None:
            try:
                work()
            except WorkbenchError as error:
                self._failed(str(error), failed)
            except Exception as error:  # a defect of a part must not take the screen and an edit with it
                self._failed(f"{group} stopped: {type(error).__name__}: {error}", failed)

        self._app.run_worker(told, thread=True, group=group, exit_on_error=False, description=group)

    def _failed(self, why: str, failed: Callable[[str], None] | None) -> None:
        self._post(Say(why, problem=True, fatal=self._workbench is None))
        if failed is not None and self._app.is_running and not self._closing:
            self._app.call_from_thread(failed, why)

    def _post(self, message: Message) -> None:
        if self._app.is_running and not self._closing:
            self._app.post_message(message)


def _take_outside(bench: Workbench, shown: str) -> Say | None:
    """Take over the edits of other programs; what the person should know of it."""
    edit = bench.editing.take_outside(shown)
    return Say(edit.sentence) if edit is not None and edit.sentence else None


def _turned(generation: int, question: Question, logs: Logs, bench: Workbench) -> StateFound:
    """What the answers to a question would turn, as what is found of the state."""
    found = bench.questions.turned_by(question, logs)
    return StateFound(generation, lambda state: replace(state, turned={**state.turned, question.id: found}))


def _caused(
    generation: int, terms: PolicyTerms, decisions: Sequence[StepDecision], bench: Workbench
) -> StateFound:
    """The denied calls by cause, as what is found of the state."""
    causes, judged = bench.runs.caused(terms, decisions)
    return StateFound(generation, lambda state: replace(state, causes=causes, judged=judged))


def _retrieved(generation: int, logs: Logs, bench: Workbench) -> StateFound:
    """What every call retrieves, as what is found of the state."""
    found = bench.memory.retrieved(logs)
    return StateFound(generation, lambda state: replace(state, retrieved=found))
