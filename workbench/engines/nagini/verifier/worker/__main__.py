"""Serves proof jobs with Nagini.

The process reads jobs from standard input and writes answers to the original standard output. First both
descriptors are moved, and 0, 1 and 2 are connected to a log file, because the JVM, ViperServer and Z3 print
freely. The process ends when its input ends, so that it never outlives its parent.
"""

# Nagini has no type information; only the modules of this package touch it.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import gc
import os
import queue
import shutil
import sys
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import IO, Protocol, cast

from workbench.engines.nagini.verifier.worker.tuning import Tuning
from workbench.engines.nagini.verifier.worker_protocol import decode, encode, failure_message
from workbench.model import Json

IDLE = 0.3
TELL = 0.5
TYPES = ".mypy_cache_strict"
WARM_UP = """from nagini_contracts.contracts import *


def check(role: int, columns: PSet[int], flag: bool) -> bool:
    Requires(1 <= role and role <= 3)
    Ensures(Implies(not flag, Result() == Forall(int, lambda c: Implies(c in columns, c == 2 or c == 4))))
    return not (flag or not Forall(int, lambda c: Implies(c in columns, (2 <= c and c <= 4) and c != 3)))
"""


class _Diagnostic(Protocol):
    """The attributes of Nagini's diagnostic that are read."""

    start_line: int
    message: str
    code: str
    reason: str | None
    counterexample: str | None


class _Result(Protocol):
    """The attributes of Nagini's result that are read."""

    success: bool
    diagnostics: list[_Diagnostic]
    translation_failed: bool
    cancelled: bool


class _Service(Protocol):
    """The methods of Nagini's service that are used."""

    def verify(self, path: str, *, counterexample: bool, ignore_global: bool, job_token: str) -> _Result: ...
    def cancel(self, job_token: str) -> None: ...


class Worker:
    """Serves proof jobs one after the other until its input ends."""

    def __init__(self, folder: Path, source: IO[bytes], sink: IO[bytes]) -> None:
        self._folder = folder
        self._source = source
        self._sink = sink
        self._lock = threading.Lock()
        self._current: int | None = None
        self._whole_library = False
        self._tuning = Tuning(folder)
        self._types = folder.parent / f"types-{version('nagini')}-{sys.version_info[0]}.{sys.version_info[1]}"

    def say(self, message: Mapping[str, Json]) -> None:
        """Write a message as one line to the parent."""
        with self._lock:
            self._sink.write(encode(message))
            self._sink.flush()

    def run(self) -> None:
        """Start the verifier, then answer jobs."""
        self.say({"phase": "starting"})
        try:
            service = self._start()
        except BaseException as error:
            self.say({"phase": "dead", "error": f"{type(error).__name__}: {error}"})
            return
        self.say({"phase": "ready"})
        jobs: queue.SimpleQueue[Mapping[str, Json]] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(service, jobs), daemon=True).start()
        try:
            message = jobs.get(timeout=IDLE)
        except queue.Empty:
            self._verify(service, 0, WARM_UP, model=False)
            message = jobs.get()
        while True:
            job = message.get("job")
            if isinstance(job, int):
                text, model = str(message.get("text", "")), message.get("model") is True
                with self._telling_work(job):
                    answer = self._verify(service, job, text, model=model)
                self.say(answer)
            if jobs.empty():
                gc.collect()  # frees the trees of the last program
            message = jobs.get()

    @contextmanager
    def _telling_work(self, job: int) -> Generator[None]:
        """Report at once that a job has begun, and then at intervals its work so far."""
        before, ended = _work_seconds(), threading.Event()
        self.say({"work": job, "seconds": 0.0})

        def tell() -> None:
            while not ended.wait(TELL):
                self.say({"work": job, "seconds": _work_seconds() - before})

        telling = threading.Thread(target=tell, daemon=True)
        telling.start()
        try:
            yield
        finally:
            ended.set()
            telling.join()

    def _read(self, service: _Service, jobs: queue.SimpleQueue[Mapping[str, Json]]) -> None:
        """Queue jobs, cancel at once, and end the process when the parent is gone."""
        try:
            for line in self._source:
                message = decode(line)
                stale = message.get("cancel")
                if isinstance(stale, int):
                    threading.Thread(target=self._cancel, args=(service, stale), daemon=True).start()
                else:
                    jobs.put(message)
        finally:
            os._exit(0)

    def _start(self) -> _Service:
        if self._types.exists():
            with suppress(OSError):
                shutil.copytree(self._types, self._folder / TYPES)
        started = self._tuning.start(lambda detail: self.say({"phase": "starting", "detail": detail}))
        return cast("_Service", started)

    def _cancel(self, service: _Service, job: int) -> None:
        """Cancel a job repeatedly until it has ended: during translation it cannot be cancelled yet."""
        while self._current == job:
            service.cancel(str(job))
            time.sleep(0.05)

    def _verify(self, service: _Service, job: int, text: str, *, model: bool) -> Mapping[str, Json]:
        """The answer to a job; every error becomes an answer too."""
        path = self._folder / "policy.py"
        started = time.monotonic()
        answer: dict[str, Json] = {"job": job}
        self._current = job
        with suppress(OSError, UnicodeEncodeError):
            path.write_text(text, encoding="ascii")
            self._tuning.program(text, thorough=model)
            answer |= self._attempt(service, path, job, model=model)
            if not self._whole_library and _lacks_library(answer):
                self._whole_library = True
                with suppress(Exception):
                    self._tuning.load_all(service)
                    answer = {"job": job} | self._attempt(service, path, job, model=model)
            self._keep_types()
        if len(answer) == 1:
            answer["error"] = "the program could not be written"
        self._current = None
        answer["seconds"] = time.monotonic() - started
        answer["memory"] = _resident_memory()
        self._tidy()
        return answer

    def _attempt(self, service: _Service, path: Path, job: int, *, model: bool) -> dict[str, Json]:
        """The verifier's answer for a program; an exception of the verifier becomes an error in it."""
        try:
            result = service.verify(str(path), counterexample=model, ignore_global=True, job_token=str(job))
            return _answer(result)
        except BaseException as error:
            detail = str(error).splitlines()
            failure = f"{type(error).__name__}: {detail[0] if detail else 'no reason was given'}"
            return {
                "error": f"Nagini failed on the lowered program, which is an error of it ({failure})."[:500]
            }

    def _keep_types(self) -> None:
        """Keep mypy's cache of the standard library for the next process, which saves seconds."""
        if self._types.exists():
            return
        with suppress(OSError):
            staging = self._types.with_name(f"{self._types.name}.{os.getpid()}")
            shutil.copytree(self._folder / TYPES, staging)
            try:
                staging.rename(self._types)
            except OSError:
                shutil.rmtree(staging, ignore_errors=True)

    def _tidy(self) -> None:
        """Remove the journals that ViperServer leaves for every job."""
        for path in self._folder.glob("viperserver_journal_*"):
            path.unlink(missing_ok=True)


def _lacks_library(answer: Mapping[str, Json]) -> bool:
    """Whether the answer may be due to a part of the library that was left out."""
    error, failures = answer.get("error"), answer.get("failures")
    if error:
        return error != "cancelled"
    places = failures if isinstance(failures, list) else []
    return any(isinstance(place, dict) and not place.get("line") for place in places)


def _answer(result: _Result) -> dict[str, Json]:
    if result.cancelled:
        return {"error": "cancelled"}
    failures: list[Json] = []
    for diagnostic in result.diagnostics:
        texts = (
            diagnostic.message[:2000],
            (diagnostic.reason or "")[:2000],
            diagnostic.counterexample or "",
            diagnostic.code,
        )
        failures.append(failure_message(diagnostic.start_line, *texts))
    answer: dict[str, Json] = {"failures": failures}
    if result.translation_failed or (not result.success and not failures):
        first = result.diagnostics[0].message if result.diagnostics else "no reason was given"
        answer["error"] = f"Nagini could not translate the program: {first}"[:500]
    return answer


def main(folder: Path) -> None:
    """Move the protocol to other descriptors than those that libraries print to, then serve."""
    folder.mkdir(parents=True, exist_ok=True)
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    log = os.open(folder / "worker.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.chdir(folder)
    worker = Worker(folder, source, sink)
    try:
        worker.run()
    except (BrokenPipeError, ValueError):
        pass
    finally:
        # The JVM's threads would keep the process running.
        os._exit(0)


# --- resources that this process uses: memory, and processor time with that of its solvers

_SELF = Path("/proc/self")


def _resident_memory() -> int:
    """The resident set of this process in bytes; its maximum so far if the system only reports that."""
    statm = _SELF / "statm"
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _work_seconds() -> float:
    """Processor time of this process and of its children, in seconds.

    Running children count if the system reports their time (Linux), elsewhere only once they end.
    """
    process_times = os.times()
    return (
        process_times.user
        + process_times.system
        + process_times.children_user
        + process_times.children_system
        + _running_children()
    )


def _running_children() -> float:
    ticks = 0
    for listed in _SELF.glob("task/*/children"):
        with suppress(OSError, ValueError, IndexError):
            for child in listed.read_text().split():
                # After the name, which may contain any characters: the state, then numbers (see proc(5)).
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
