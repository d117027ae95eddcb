"""Threads that work on the session for the screen and never touch a widget."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, override

from workbench.model import WorkbenchError
from workbench.tui.messages import Progress, Say, Workbench

if TYPE_CHECKING:
    from textual.app import App
    from textual.message import Message

    from workbench.app.authorship import CallProgress

THREADS = 32
"""Most threads that work at once; most of them wait for the session, for the verifier or for a pause."""
LEAVING_SECONDS = 15.0
"""The longest time for which a screen that ended waits for an act."""
DRAWING_SECONDS = 1.0
"""The longest time for which a thread waits for the screen to draw."""
MANY_CALLS = 5_000
type Failed = Callable[[str], object]
"""What is called with the sentence that says why something failed."""
PHASES = {"starting": "starting Nagini", "dead": "Nagini died; starting it again"}


@contextmanager
def lasting(calls: int) -> Generator[None]:
    """Decide this many calls; of many the decisions are left out of all later searches for garbage.

    A key waits for such a search, and a hundred thousand decisions are two million objects.
    """
    if calls > MANY_CALLS:
        gc.collect()
    yield
    if calls > MANY_CALLS:
        gc.freeze()


@dataclass(frozen=True, slots=True)
class TypedFile:
    """The text of a file in an editor: of the policy, or of ``agent.toml``."""

    text: str
    is_policy: bool


class WorkThreads(ThreadPoolExecutor):
    """The threads of the screen's works, of which none delays a key or the end of the screen."""

    def __init__(self) -> None:
        """Have more threads than works that can wait for each other."""
        super().__init__(max_workers=THREADS)

    @override
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=cancel_futures)


class Generation:
    """The work that follows one act or edit; the next one ends it, and its results are dropped.

    ``ended`` ends its work, ``proof_ended`` its proof alone.
    """

    def __init__(self, number: int = 0) -> None:
        """Begin; a later generation has a higher number."""
        self.number = number
        self.ended, self.proof_ended = threading.Event(), threading.Event()

    def end(self) -> None:
        """Let all its work end early."""
        self.ended.set()
        self.proof_ended.set()


type Work = Callable[[Generation], None]
"""Work in a thread, for the generation in which it was started."""


class Working:
    """The opened session, the threads that work on it, and the events that end them.

    A thread holds ``session`` while it reads or changes the session's files. ``ended_by_group`` ends works
    that a person asked for and may stop.
    """

    def __init__(self, app: App[None], path: Path) -> None:
        """Work for ``app`` on the session in a folder; the first work opens it."""
        self._app = app
        self.path = path
        self.session = threading.Lock()
        self._opening = threading.Lock()
        self._workbench: Workbench | None = None
        self._calls_ended = threading.Event()
        self._closing: threading.Thread | None = None
        self.unstored = ""
        self._threads: set[threading.Thread] = set()
        self._last_act = threading.Event()
        self._last_act.set()
        self.ended_by_group: dict[str, threading.Event] = {}
        self.generation = Generation()

    @property
    def workbench(self) -> Workbench:
        """The opened session, for workers; raises WorkbenchError if it cannot be read."""
        with self._opening:
            if self._workbench is None:
                from workbench.app.workbench import Workbench

                self.take(Workbench.open(self.path))
                assert self._workbench is not None
            return self._workbench

    def take(self, bench: Workbench) -> None:
        """Work on a session from now on, and post the progress of its prover and its models."""
        bench.proof.watch(lambda phase: self.post(Progress("prover", PHASES.get(phase, ""))))
        bench.authorship.watch(self._tell_call, self._calls_ended)
        self._workbench = bench

    def begin(self) -> None:
        """Begin a generation; the work of the last one has to end."""
        self.generation.end()
        self.generation = Generation(self.generation.number + 1)

    def start(self, group: str, work: Work, failed: Failed | None = None) -> None:
        """Run work in a thread; ``failed`` is called with the reason of a failure, on the widgets' thread."""
        run = partial(self.reported, group, partial(work, self.generation), failed)
        self._app.run_worker(run, thread=True, group=group, exit_on_error=False, description=group)

    def reported(self, group: str, work: Callable[[], None], failed: Failed | None = None) -> None:
        """Run work in this thread, and report a failure."""
        self._threads.add(threading.current_thread())
        try:
            work()
        except WorkbenchError as error:
            self._failed(error.whole, failed)
        except Exception as error:  # an error in one part must not end the screen and lose an edit
            from workbench.app.crash_report import write_crash_report

            bug = f"{group} stopped: the workbench has a bug ({type(error).__name__}: {error})"
            self._failed(f"{bug}; the report is in {write_crash_report(error, ('screen',))}.", failed)
        finally:
            self._threads.discard(threading.current_thread())

    def act(self, label: str, work: Work, failed: Failed | None = None) -> None:
        """Run work that may change the session in a generation of its own, after all acts before it."""
        self.begin()
        before, done = self._last_act, threading.Event()
        self._last_act = done

        def in_turn(generation: Generation) -> None:
            try:
                if not before.is_set():
                    with self.progress(f"waiting {id(done)}", f"then {label}"):
                        before.wait()
                work(generation)
            finally:
                done.set()

        self.start("session", in_turn, failed)

    def _failed(self, why: str, failed: Failed | None) -> None:
        self.post(Say(why, problem=True, fatal=self._workbench is None))
        if failed is not None:
            self.call(failed, why)

    def call[**P](self, function: Callable[P, object], *arguments: P.args, **named: P.kwargs) -> None:
        """Call a function on the thread of the widgets, from any thread, after what was sent before."""
        if self._app.is_running and self._closing is None:
            self._app.call_later(function, *arguments, **named)

    @contextmanager
    def progress(
        self, work: str, text: str = "", *, stops: bool = False, brief: bool = False
    ) -> Generator[Callable[[str], None]]:
        """Show what a worker does in a few words until it is done; gives the function that shows others."""

        def tell(words: str) -> None:
            self.post(Progress(work, words, stops, brief))

        if text:
            tell(text)
        try:
            yield tell
        finally:
            tell("")

    def post(self, message: Message) -> None:
        """Send a message to the application, from any thread."""
        if self._app.is_running and self._closing is None:
            self._app.post_message(message)

    def wait_until_drawn(self) -> None:
        """Wait until the screen has drawn what was sent: who works on takes the processor from it."""
        drawn = threading.Event()
        if self._app.is_running and self._app.call_after_refresh(drawn.set):
            drawn.wait(DRAWING_SECONDS)

    def _tell_call(self, call: CallProgress) -> None:
        if call.planned is not None:
            self.post(Say(call.planned.sentence(call.model)))
            return
        by = f" by {call.model}" if call.model else ""
        again = f", again since {call.trouble}" if call.trouble else ""
        text = f"{call.purpose}{by}: ~{call.pieces} tokens{again}"
        self.post(Progress("model", "" if call.done else text, stops=True))

    def stop(self) -> None:
        """End the works that a person asked for and may stop: model calls, measures, imports."""
        for ended in [*self.ended_by_group.values()]:
            ended.set()
        self.ended_by_group.clear()
        self._calls_ended.set()
        self._calls_ended = threading.Event()
        if self._workbench is not None:
            self._workbench.authorship.watch(self._tell_call, self._calls_ended)

    def stop_proof(self) -> None:
        """End the running proof; the preview's verdicts stay."""
        self.generation.proof_ended.set()
        self.generation.proof_ended = threading.Event()
        if self._workbench is not None:
            self._workbench.proof.cancel()

    @property
    def unfinished(self) -> bool:
        """Whether a thread still works, which would keep the process from ending."""
        return bool(self._threads)

    def abandon(self) -> None:
        """End the prover, although a thread still works; what that thread would store is lost."""
        if self._workbench is not None:
            self._workbench.proof.close()

    @property
    def closing(self) -> bool:
        """Whether the session is being released, or is."""
        return self._closing is not None

    def close(self, typed: TypedFile | None) -> threading.Thread:
        """Begin to stop all work, release the session and end the screen; returns the thread that does it.

        It waits for the acts that were asked for, and stores the typed file. If that fails while the
        screen is there, the session stays open, and the next call closes it all the same.
        """
        if self._closing is None:
            self._closing = threading.Thread(target=self._close, args=(typed,), daemon=True)
            self._closing.start()
        return self._closing

    def _close(self, typed: TypedFile | None) -> None:
        self.stop()
        self.generation.end()
        self.stop_proof()
        self._last_act.wait()
        with self.session:
            bench, failed_before = self._workbench, self.unstored
            if bench is not None:
                self.unstored = _store_typed(bench, typed)
                if self.unstored and not failed_before and self._app.is_running:
                    self._closing = None
                    self.post(Say(f"{self.unstored} The same key again leaves without it.", problem=True))
                    return
                bench.close()
        if self._app.is_running:
            self._app.exit(return_code=1 if self.unstored else 0)


def _store_typed(bench: Workbench, typed: TypedFile | None) -> str:
    """Store the file of an editor, of agent.toml only beside it; why it is not stored, empty if it is."""
    if typed is None or bench.session.read_only:
        return ""
    try:
        if typed.is_policy:
            bench.editing.keep_or_store(typed.text)
        else:
            bench.agent.keep(typed.text)
    except (WorkbenchError, OSError) as error:
        name = "policy.py" if typed.is_policy else "agent.toml"
        return f"The text of {name} that was typed is not stored: {str(error).rstrip('.')}."
    return ""
