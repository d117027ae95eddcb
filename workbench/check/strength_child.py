"""Every second mutant of a policy, decided in a process of its own.

``SecondProcess`` starts it, sends it the policy's text and receives the fates one by one. The calling process
decides the mutants that the second one did not decide, for any reason.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator
from threading import Thread
from typing import NamedTuple, Self

from workbench.model import Arguments, Verdict


class Job(NamedTuple):
    """A policy's text, the limit of a query in milliseconds, inputs to try first, and the ids to decide."""

    source: str
    limit: int
    inputs: tuple[Arguments, ...]
    ids: frozenset[str]


class FoundFate(NamedTuple):
    """The fate of the mutant with an id, as in ``MutantResult``.

    It is sent between processes without the mutant, whose terms may be large and are known to both.
    """

    id: str
    fate: str
    killed_by: tuple[str, ...]
    example: Arguments | None
    policy_decision: Verdict | None
    mutant_decision: Verdict | None
    why: str


class SecondProcess:
    """A process that decides mutants; use it as a context manager. ``fates`` grows while it runs."""

    def __init__(self, job: Job) -> None:
        """Take the job to decide."""
        self.fates: dict[str, FoundFate] = {}
        self._job = job

    def __enter__(self) -> Self:
        # -P keeps the current folder off the import path: a file of a session must not be run.
        command = [sys.executable, "-P", "-m", "workbench.check.strength_child"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._thread = Thread(target=self._talk, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()

    def wait(self, seconds: float) -> bool:
        """Whether the process is done or has ended; waits at most ``seconds``."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _talk(self) -> None:
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
            pickle.dump(self._job, requests)
            requests.flush()
            while True:
                found_fate: FoundFate = pickle.load(answers)
                self.fates[found_fate.id] = found_fate


def decided(job: Job) -> Iterator[FoundFate]:
    """Decide the mutants of a job."""
    from workbench.check.mutate import mutants
    from workbench.check.strength import Judge
    from workbench.policy.check import check

    terms = check(job.source)
    judge = Judge(terms, job.limit, job.inputs)
    for mutant, bodies in judge.distinct(mutant for mutant in mutants(terms) if mutant.id in job.ids):
        mutant_result = judge.decide(mutant, bodies)
        yield FoundFate(
            mutant.id,
            str(mutant_result.fate),
            mutant_result.killed_by,
            mutant_result.example,
            mutant_result.policy_decision,
            mutant_result.mutant_decision,
            mutant_result.why,
        )


def every_second(ids: Iterable[str]) -> frozenset[str]:
    """The ids at odd places."""
    return frozenset(id_ for place, id_ in enumerate(ids) if place % 2)


def main() -> None:
    """Read a job and write the fates."""
    job: Job = pickle.load(sys.stdin.buffer)
    for found_fate in decided(job):
        pickle.dump(found_fate, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    # Imported by its name so that the output can be unpickled: the module that is run has another name.
    from workbench.check.strength_child import main as run

    run()
