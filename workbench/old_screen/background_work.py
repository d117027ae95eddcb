"""Work behind the screen: what an edit or an answer makes necessary, and giving up what is stale.

Every change of the policy begins a generation: the work of the one before is told to
stop, and what it still posts is dropped by its number. Workers call the port and post
messages; they never touch a widget.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from textual.app import App
from textual.timer import Timer

from workbench.model import ClauseProof, Problem, Proof, Step, WorkbenchError
from workbench.old_screen import messages
from workbench.old_screen.state import Contents, StageName

if TYPE_CHECKING:
    from workbench.author.model.progress import CallProgress
    from workbench.old_screen.port import Port
    from workbench.policy.terms import PolicyTerms

CHECK_SOONEST = 0.02  # seconds without a key; half of what deciding takes where that is more,
CHECK_AFTER = 0.12  # and this at most
KEEP_AFTER = 0.4
STORE_AFTER = 1.5
SLOW_AFTER = 0.8
TELL_AFTER = 0.1
LOOK_AFTER = 0.1
MANY = 1_000  # steps
TIME_LIMIT = 30.0
LONGER = 4.0
LONGEST = 3600.0


class Live:
    """Starts, follows and cancels the work on one session."""

    def __init__(self, app: App[None], port: Port) -> None:
        """Work for ``app`` on the session behind ``port``."""
        self._app = app
        self._port = port
        self._session = threading.Lock()
        self._timers: dict[str, Timer] = {}
        self._cancelled = threading.Event()
        self._latest: str | None = None
        self._kept: str | None = None
        self._stored: str | None = None
        self._time_limit = TIME_LIMIT
        self._took = 0.0
        self._decided = False
        self._calls_stopped = threading.Event()
        self._call_told = 0.0
        self._watching = False
        self._closing = False
        self.generation = 0

    # --- starting and ending

    def open(self) -> None:
        """Read the session and its logs."""
        self._port.watch(lambda text: self._post(messages.ProverSays(text)))
        self._port.watch_model(self._called, self._calls_stopped)
        self._work("session", partial(self._operate, self._port.contents))
        self._work("logs", self._read_logs)

    def close(self, policy: str | None) -> None:
        """Store the text as it stands, stop all work and end what belongs to the session.

        Nothing is told from here on: the screen may be gone before it could be shown.
        """
        self._closing = True
        if policy is not None:
            self._latest = policy
        for timer in self._timers.values():
            timer.stop()
        self._cancelled.set()
        self.stop_calls()
        self._port.cancel()
        with self._session:
            self._flush()
            self._port.close()

    def flush(self, policy: str | None) -> None:
        """Store the text as it stands; nothing happens if it is stored already."""
        if policy is not None:
            self._latest = policy
        with self._session:
            self._flush()

    # --- the text

    def show(self, policy: str, *, stored: bool = True) -> None:
        """Tell that this text is the stored one, or one that is only kept."""
        self._latest = self._kept = policy
        self._stored = policy if stored else None

    def edited(self, policy: str) -> None:
        """The user changed the text: check it at once, test and prove it soon, keep and store it."""
        self._latest = policy
        self._begin()
        wait = min(CHECK_AFTER, max(CHECK_SOONEST, self._took / 2))
        self._later("check", wait, lambda: self.run(policy))
        if "keep" not in self._timers:  # counted from the first key, so that steady typing is kept too
            self._later("keep", KEEP_AFTER, lambda: self._work("keep", self._keep))
        self._later("store", STORE_AFTER, self.store)

    def store(self) -> None:
        """Write the text to the policy file if it is in the dialect."""
        self._work("session", partial(self._operate, self._store_latest, stored=True))

    def _keep(self) -> None:
        with self._session:
            text = self._latest
            if text is not None and text != self._kept:
                self._kept = text
                try:
                    self._port.keep(text)
                except WorkbenchError as error:
                    self._post(messages.Failed(self.generation, None, str(error)))

    def _store_latest(self) -> Contents | None:
        text = self._latest
        if text is None or text == self._stored == self._kept:
            return None
        try:
            self._port.check(text)
        except WorkbenchError:
            self._port.keep(text)
            self._kept = text
            return None
        if (found := self._outside()) is not None:
            self._port.keep(text)
            self._kept = text
            self._post(found)
            return None
        contents = self._port.store(text)
        self._stored = self._kept = text
        return contents

    def _flush(self) -> None:
        with suppress(WorkbenchError):
            self._store_latest()

    # --- changes of the session

    def change(
        self, work: Callable[[], Contents | None], why: str, nothing: str = "", *, store_first: bool = True
    ) -> None:
        """Change the session: the stored text first, then ``work``; the screen is told the result."""
        self._begin()
        self._calls_stopped.clear()
        for name in ("check", "keep", "store"):
            self._stop(name)

        def both() -> Contents | None:
            if store_first:
                self._store_latest()
            return work()

        self._work("session", partial(self._operate, both, why, nothing))

    # --- edits from outside

    def watch_files(self) -> None:
        """Look at the session's files from here on; calling it again changes nothing."""
        if not self._watching:
            self._watching = True
            self._work("watch", partial(self._port.watch_files, self._hear_of_files))

    def _hear_of_files(self) -> None:
        self._post(messages.FilesTouched())

    def look_outside_soon(self) -> None:
        """See whether other programs changed the session's files."""
        self._later("outside", LOOK_AFTER, lambda: self._work("outside", self._look_outside))

    def _look_outside(self) -> None:
        with self._session:
            found = self._outside()
        if found is not None:
            self._post(found)
        elif self._latest != self._stored:  # it waited for a file that could not be read
            self._post(messages.ChangedOutside(()))

    def _outside(self) -> messages.ChangedOutside | None:
        """What other programs changed, or why that cannot be read; None if they changed nothing."""
        try:
            names = self._port.changed_outside()
        except WorkbenchError as error:
            return messages.ChangedOutside((), str(error))
        return messages.ChangedOutside(names) if names else None

    def _operate(
        self, work: Callable[[], Contents | None], why: str = "", nothing: str = "", *, stored: bool = False
    ) -> None:
        with self._session:
            try:
                contents = work()
                tests = self._port.cases() if contents is not None else None
            except WorkbenchError as error:
                stage = None if stored else StageName.CLARIFY
                self._post(messages.Failed(self.generation, stage, str(error), error.exit_code))
                return
        if contents is not None and tests is not None:
            self._post(messages.Loaded(contents, tests, why, stored))
        elif not stored:
            self._post(messages.Nothing(nothing))

    # --- the model

    def stop_calls(self) -> None:
        """End the model's calls that run, and those that the same work would make next."""
        self._calls_stopped.set()

    def _called(self, progress: CallProgress) -> None:
        """Tell the screen of a call, of its pieces ten times in a second at most."""
        if progress.replayed:
            return
        moment = time.monotonic()
        if progress.done or not progress.text or moment - self._call_told >= TELL_AFTER:
            self._call_told = moment
            self._post(messages.CallTold(progress))

    # --- running

    def _begin(self) -> None:
        self.generation += 1
        self._cancelled.set()
        self._cancelled = threading.Event()
        self._stop("slow")
        self._port.cancel()

    def run(self, policy: str) -> None:
        """Check, preview and decide a text at once; test and prove it when it rests."""
        self._begin()
        generation, cancelled = self.generation, self._cancelled
        self._work("fast", partial(self._fast, policy, generation, cancelled))

    def prove_and_test(self, terms: PolicyTerms, policy: str, *, wait: bool = True) -> None:
        """Test and prove a checked text once no key was pressed for a moment."""
        generation, cancelled = self.generation, self._cancelled

        def begin() -> None:
            self._work("test", partial(self._test, policy, generation, cancelled))
            self._work("prove", partial(self._prove, terms, generation, cancelled))

        if wait:
            self._later("slow", SLOW_AFTER, begin)
        else:
            begin()

    def prove_longer(self, terms: PolicyTerms) -> float:
        """Prove a text again with a longer time limit for each clause; its seconds of work."""
        self._time_limit = min(LONGER * self._time_limit, LONGEST)
        self._port.allow_time(self._time_limit)
        self._work("prove", partial(self._prove, terms, self.generation, self._cancelled))
        return self._time_limit

    def decide(self, terms: PolicyTerms) -> None:
        """Decide all steps, for instance when the logs were read after the policy."""
        self._work("decide", partial(self._decide, terms, self.generation, self._cancelled))

    def ask(self, group: str, work: Callable[[], messages.FromWorker | None]) -> None:
        """Find something out that belongs to no stage."""
        self._work(group, partial(self._stage, None, self.generation, work))

    def measure(self, terms: PolicyTerms, proofs: Sequence[Proof]) -> None:
        """Find out how much the proof means, telling how far that is."""
        generation, cancelled = self.generation, self._cancelled

        def tell(done: int, total: int) -> None:
            if done % 10 == 0 and not cancelled.is_set():
                self._post(messages.Measured(generation, None, f"{done} of {total} wrong versions tried"))

        def work() -> messages.Measured | None:
            found = self._port.evidence(terms, proofs, tell, cancelled)
            return None if cancelled.is_set() else messages.Measured(generation, found)

        self.ask("evidence", work)

    def test_some(self, policy: str, ids: frozenset[str]) -> None:
        """Run some of the cases."""
        generation, cancelled = self.generation, self._cancelled

        def work() -> messages.OneTested:
            return messages.OneTested(generation, self._port.test(policy, cancelled, ids))

        self.ask("test", work)

    def _fast(self, policy: str, generation: int, cancelled: threading.Event) -> None:
        begun = time.monotonic()
        try:
            terms = self._port.check(policy)
        except WorkbenchError as error:
            problems = error.problems or (Problem(str(error)),)
            self._post(messages.Checked(generation, None, problems))
            return
        self._post(messages.Checked(generation, terms))
        if not cancelled.is_set():
            again = self._decided
            self._decide(terms, generation, cancelled)
            if again:  # the first time all logs are read before
                self._took = time.monotonic() - begun
        if not cancelled.is_set():
            work = partial(self._port.preview, terms)
            self._stage(StageName.PROVE, generation, lambda: messages.Previewed(generation, work()))

    def _decide(self, terms: PolicyTerms, generation: int, cancelled: threading.Event) -> None:
        def work() -> messages.Decided | None:
            decisions = self._port.decide(terms, cancelled)
            if not self._decided and decisions:
                self._decided = True
                if len(decisions) >= MANY:
                    gc.freeze()  # logs stay: to look for garbage in them again and again is felt in a key
            return None if cancelled.is_set() else messages.Decided(generation, decisions)

        self._stage(StageName.REPLAY, generation, work)

    def _test(self, policy: str, generation: int, cancelled: threading.Event) -> None:
        def work() -> messages.Tested | None:
            results = self._port.test(policy, cancelled)
            return None if cancelled.is_set() else messages.Tested(generation, results)

        self._stage(StageName.TEST, generation, work)

    def _prove(self, terms: PolicyTerms, generation: int, cancelled: threading.Event) -> None:
        def tell(clause: ClauseProof) -> None:
            self._post(messages.ClauseProved(generation, clause))

        def work() -> messages.Proved | None:
            proof = self._port.prove(terms, tell, cancelled)
            return None if cancelled.is_set() else messages.Proved(generation, proof)

        self._stage(StageName.PROVE, generation, work)

    def _read_logs(self) -> None:
        def work() -> messages.StepsLoaded:
            steps: Sequence[Step]
            steps, unreadable = self._port.steps()
            return messages.StepsLoaded(steps, unreadable)

        self._stage(StageName.REPLAY, -1, work)

    # --- plumbing

    def _stage(
        self, stage: StageName | None, generation: int, work: Callable[[], messages.FromWorker | None]
    ) -> None:
        """Do the work of a stage and post what it found, or one sentence why it found nothing."""
        try:
            found = work()
        except WorkbenchError as error:
            found = messages.Failed(generation, stage, str(error))
        except Exception as error:  # a defect of a part must not take the screen and an edit with it
            found = messages.Failed(
                generation, stage, f"{stage or 'This'} stopped: {type(error).__name__}: {error}"
            )
        if found is not None:
            self._post(found)

    def _post(self, message: messages.FromWorker) -> None:
        if self._app.is_running and not self._closing:
            self._app.post_message(message)

    def _work(self, group: str, work: Callable[[], None]) -> None:
        self._app.run_worker(work, thread=True, group=group, exit_on_error=False, description=group)

    def _later(self, name: str, seconds: float, work: Callable[[], None]) -> None:
        def fire() -> None:
            self._timers.pop(name, None)
            work()

        self._stop(name)
        self._timers[name] = self._app.set_timer(seconds, fire)

    @property
    def waiting(self) -> bool:
        """Whether work is to begin by itself soon."""
        return bool(self._timers)

    def _stop(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.stop()
