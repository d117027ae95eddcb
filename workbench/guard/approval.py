"""Asking a person whether a call may run; no answer denies it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.guard.calls import Outcome
from workbench.guard.strategy import PersonsAnswer

if TYPE_CHECKING:
    from concurrent.futures import Future


class NobodyAnswered(Exception):
    """Raised by what asks a person, where none answered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person answered, and the name of who approved."""

    said: PersonsAnswer
    by: str = ""


@dataclass(frozen=True, slots=True)
class Approval:
    """A person may approve a call about which the policy asks; no answer denies it.

    ``ask`` gets the outcome as it would be, and returns the name of the approver or an empty text for no; it
    raises NobodyAnswered if no person said anything. After ``timeout`` seconds nobody answered: the call does
    not run, and nobody refused it. A call that the policy denies, or that cannot be evaluated,
    is never put to approval.
    """

    ask: Callable[[Outcome], str]
    timeout: float = 60.0


class Asking:
    """One question to the approver, asked in a thread of its own that never keeps a program alive."""

    def __init__(self, approval: Approval, outcome: Outcome) -> None:
        """Ask at once."""
        from concurrent.futures import Future  # most guards never ask

        self._timeout = approval.timeout
        self._answer: Future[Answer] = Future()
        threading.Thread(
            target=self._ask, args=(approval.ask, outcome), name="approval", daemon=True
        ).start()  # fmt: skip

    def _ask(self, ask: Callable[[Outcome], str], outcome: Outcome) -> None:
        try:
            by = ask(outcome).strip()
            answer = Answer(PersonsAnswer.APPROVED if by else PersonsAnswer.REFUSED, by)
        except NobodyAnswered:
            answer = Answer(PersonsAnswer.SILENCE)
        except BaseException:  # an approver that fails in any way has not approved
            answer = Answer(PersonsAnswer.BROKEN)
        if self._answer.set_running_or_notify_cancel():
            self._answer.set_result(answer)

    def answer(self) -> Answer:
        """What the person said, within the time."""
        try:
            return self._answer.result(timeout=self._timeout)
        except TimeoutError:
            return Answer(PersonsAnswer.SILENCE)

    async def answer_async(self) -> Answer:
        """Like ``answer``, for a coroutine."""
        import asyncio

        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._answer), self._timeout)
        except TimeoutError:
            return Answer(PersonsAnswer.SILENCE)
