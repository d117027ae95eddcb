"""Calls that wait for a person, each with a number that its answer has to name."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from workbench.guard import Approval, NobodyAnswered, Outcome

_CLOSING = 5.0
"""Seconds that a guard waits beyond the time in which a question is open."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A call about which a person is asked; without an answer it is denied after ``seconds``."""

    number: int
    outcome: Outcome
    seconds: float


@dataclass(slots=True)
class _Waiting:
    answered: threading.Event
    approver: str | None = None


class OpenQuestions:
    """Puts the calls that a policy asks about to a listener, and takes each answer once.

    An answer names the number of its question, so that a late or repeated answer is not taken for that of
    another question.
    """

    def __init__(self, on_question: Callable[[OpenQuestion], None], seconds: float = 60.0) -> None:
        """Call ``on_question`` with each question; it must not wait for the answer."""
        self._on_question = on_question
        self._seconds = seconds
        self._waiting: dict[int, _Waiting] = {}
        self._count = 0
        self._lock = threading.Lock()

    @property
    def approval(self) -> Approval:
        """The approval that a guard asks."""
        # The question closes here before the guard stops waiting, so that no late answer seems to be taken.
        return Approval(self._ask, timeout=self._seconds + _CLOSING)

    def answer(self, number: int, *, approve: bool, by: str) -> bool:
        """Answer a question; False if no question of this number is open. An approval needs a name."""
        with self._lock:
            waiting = self._waiting.pop(number, None)
            if waiting is None:
                return False
            waiting.approver = by.strip() if approve else ""
            waiting.answered.set()
        return True

    def _ask(self, outcome: Outcome) -> str:
        waiting = _Waiting(threading.Event())
        with self._lock:
            self._count += 1
            number = self._count
            self._waiting[number] = waiting
        self._on_question(OpenQuestion(number, outcome, self._seconds))
        waiting.answered.wait(self._seconds)
        with self._lock:
            self._waiting.pop(number, None)
            if waiting.approver is None:
                raise NobodyAnswered
            return waiting.approver
