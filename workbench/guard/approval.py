"""Asking a person whether a call may run; no answer denies it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.guard.calls import Outcome

if TYPE_CHECKING:
    from concurrent.futures import Future


@dataclass(frozen=True, slots=True)
class Approval:
    """A person may approve a call about which the policy asks; no answer denies it.

    ``ask`` gets the outcome as it would be, and returns the name of the approver or an empty text for no.
    After ``timeout`` seconds the call is denied. A call that the policy denies, or that cannot be evaluated,
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
        self._answer: Future[str] = Future()
        threading.Thread(
            target=self._ask, args=(approval.ask, outcome), name="approval", daemon=True
        ).start()  # fmt: skip

    def _ask(self, ask: Callable[[Outcome], str], outcome: Outcome) -> None:
        try:
            answer = ask(outcome).strip()
        except BaseException:  # an approver that fails in any way has not approved
            answer = ""
        if self._answer.set_running_or_notify_cancel():
            self._answer.set_result(answer)

    def answer(self) -> str:
        """The name of the approver; empty for a refusal, for no answer in time, and for an error."""
        try:
            return self._answer.result(timeout=self._timeout)
        except TimeoutError:
            return ""

    async def answer_async(self) -> str:
        """Like ``answer``, for a coroutine."""
        import asyncio

        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._answer), self._timeout)
        except TimeoutError:
            return ""
