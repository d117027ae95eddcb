"""A verifier from its user's side: messages over a pipe or a socket, one job at a time."""

from __future__ import annotations

import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from workbench.engines.nagini.verifier.worker_protocol import Answer, answer_of, decode, encode
from workbench.model import Json, WorkbenchError

START_LIMIT = 240.0
_POLL = 0.05
_GRACE = 10.0  # a job in translation cannot be stopped, and a new start costs more

PATIENCE = 10.0
"""The limit of a job by the clock, in multiples of its time limit: it may have to wait for a processor."""

type OnPhase = Callable[[str, str], None]
type OnWork = Callable[[float], None]


class ProverDied(WorkbenchError):
    """The verifier's process ended before it answered."""


class ProverUnready(ProverDied):
    """The verifier never started, so a retry with a smaller program is useless."""


class ProverTimeout(WorkbenchError):
    """A job was still running at its time limit; it was cancelled."""


class ProverCancelled(WorkbenchError):
    """The job is stale; it was cancelled."""


@dataclass(frozen=True, slots=True)
class Work:
    """The running job, its start by the clock, and its seconds of work so far."""

    job: Json = None
    since: float = 0.0
    seconds: float = 0.0


class Verifier(ABC):
    """Answers one job at a time; to be used from one thread at a time.

    ``on_phase`` is called from the reading thread with ``starting``, ``ready`` or ``dead`` and a detail.
    """

    def __init__(self, on_phase: OnPhase) -> None:
        self._on_phase = on_phase
        self._answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._ready = threading.Event()
        self._ended = threading.Event()
        self._started = self._heard_at = time.monotonic()
        self._work = Work()
        self._on_work: OnWork | None = None
        self.jobs = 0
        self.memory = 0
        self.why = ""

    # --- differences of the two kinds ----------------------------------------------

    @property
    @abstractmethod
    def pid(self) -> int | None:
        """The id of the process that serves the jobs, once it is known."""

    @abstractmethod
    def close(self) -> None:
        """Release the verifier; the running job is cancelled."""

    @abstractmethod
    def _write(self, line: bytes) -> None:
        """Send a line.

        Raises:
            OSError, ValueError: the other side does not read it.
        """

    # --- common parts --------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether the verifier has started and is running."""
        return self._ready.is_set() and self.alive

    @property
    def alive(self) -> bool:
        """Whether the verifier has not ended."""
        return not self._ended.is_set()

    def _hear_all(self, source: IO[bytes]) -> None:
        """Handle all messages that have arrived."""
        with suppress(OSError, ValueError):
            for line in source:
                try:
                    message = decode(line)
                except ValueError:
                    continue
                self._hear(message)
                if self._ended.is_set():
                    break
        self._end()

    def _end(self) -> None:
        self._ended.set()
        self._answers.put(None)
        self._on_phase("dead", self.why)

    def _hear(self, message: Mapping[str, Json]) -> None:
        self._heard_at = time.monotonic()
        phase = message.get("phase")
        if isinstance(phase, str):
            self.why = str(message.get("error", "")) or self.why
            if phase == "ready":
                self._ready.set()
            elif phase == "dead" and not self._ready.is_set():
                self._ended.set()
            self._on_phase(phase, str(message.get("detail") or message.get("error") or ""))
        elif "work" in message:
            self._worked(message)
        elif "job" in message:
            self._answers.put(answer_of(message))

    def _worked(self, message: Mapping[str, Json]) -> None:
        """Record the work of a job so far; the first such message reports that the job has begun."""
        job, seconds = message["work"], message.get("seconds")
        since = self._work.since if self._work.job == job else time.monotonic()
        self._work = Work(job, since, float(seconds) if isinstance(seconds, (int, float)) else 0.0)
        if self._on_work is not None:
            self._on_work(self._work.seconds)

    def _too_long(self, job: int, sent: float, time_limit: float) -> bool:
        """Whether a job has used its time, or the verifier has been silent for too long."""
        now, work = time.monotonic(), self._work
        if work.job == job:
            return work.seconds > time_limit or now > work.since + PATIENCE * time_limit
        return now > max(sent, self._heard_at) + START_LIMIT

    def ask(
        self,
        text: str,
        *,
        model: bool,
        time_limit: float,
        cancelled: threading.Event,
        on_work: OnWork | None = None,
    ) -> Answer:
        """Verify one program and wait for the answer.

        Args:
            text: the program.
            model: whether failures should come with a model.
            time_limit: seconds of the verifier's own work (processor time), and ``PATIENCE`` times as
                many by the clock, from the start of the job in the verifier.
            cancelled: set it to give the job up.
            on_work: called from another thread when the job begins, and then at intervals,
                with the seconds of work so far.

        Raises:
            ProverUnready: the verifier did not start.
            ProverDied: the verifier ended.
            ProverTimeout: the time limit passed.
            ProverCancelled: ``cancelled`` was set.
        """
        self._wait_until_ready(cancelled)
        self.jobs += 1
        job = self.jobs
        self._on_work = on_work
        self._send({"job": job, "text": text, "model": model, "limit": time_limit})
        return self._answer_to(job, time_limit, cancelled)

    def _wait_until_ready(self, cancelled: threading.Event) -> None:
        """Wait for the verifier to start; raises ProverUnready if it does not."""
        while not self._ready.wait(_POLL):
            if cancelled.is_set():
                raise ProverCancelled("The proof was cancelled.")
            if not self.alive or time.monotonic() - self._started > START_LIMIT:
                raise ProverUnready(f"The verifier did not start{f': {self.why}' if self.why else ''}.")

    def _answer_to(self, job: int, time_limit: float, cancelled: threading.Event) -> Answer:
        """The answer to a job that was just sent; without an answer the job is stopped. Raises as ``ask``."""
        sent = time.monotonic()
        while True:
            if cancelled.is_set():
                self._stop(job)
                raise ProverCancelled("The proof was cancelled.")
            if self._too_long(job, sent, time_limit):
                self._stop(job)
                raise ProverTimeout(f"The time limit of {time_limit:.0f} s passed.")
            answer = self._next(_POLL)
            if answer is not None and answer.job == job:
                if answer.unready:
                    raise ProverUnready(answer.error)
                self.memory = answer.memory
                return answer

    def _next(self, wait: float) -> Answer | None:
        with suppress(queue.Empty):
            answer = self._answers.get(timeout=wait)
            if answer is None:
                self._answers.put(None)
                raise ProverDied("The verifier died.")
            return answer
        return None

    def _send(self, message: Mapping[str, Json]) -> None:
        try:
            self._write(encode(message))
        except (OSError, ValueError) as error:
            raise ProverDied("The verifier died.") from error

    def _stop(self, job: int) -> None:
        """Cancel a job; release the verifier if it does not react."""
        with suppress(ProverDied):
            self._send({"cancel": job})
            end = time.monotonic() + _GRACE
            while time.monotonic() < end:
                answer = self._next(_POLL)
                if answer is not None and answer.job == job:
                    return
        self.close()
