"""Asking a person whether a call may run; no answer denies it.

A program as the approver of calls: it shows the call to a person and prints the approver.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.guard.calls import Outcome
from workbench.guard.strategy import PersonsAnswer, reason_of

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


_LONGEST_NAME = 100
_REFUSED = 1
"""The exit code of a program whose person said no."""


def program_approval(words: Sequence[str], *, timeout: float) -> Approval:
    """Put every call about which the policy asks to a program, which has ``timeout`` seconds.

    The program gets the call as one line of JSON on its standard input: ``run``, ``tool``,
    ``arguments``, ``context``, ``reason`` and ``rules`` (each with ``rule``, ``message`` and ``items``). To
    approve, it exits with 0 and prints the approver's name as its first line. If a person says no, it exits
    with 1, or with 0 and no name. Anything else denies too, and counts as silence.
    """

    def ask(outcome: Outcome) -> str:
        import subprocess  # most guards never ask

        try:
            process = subprocess.run(
                [*words],
                input=json.dumps(_shown(outcome)) + "\n",
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NobodyAnswered from None
        if process.returncode not in (0, _REFUSED):
            raise NobodyAnswered
        first, _, _ = process.stdout.strip().partition("\n")
        name = "".join(character for character in first if character.isprintable())
        return name[:_LONGEST_NAME] if process.returncode == 0 else ""

    return Approval(ask, timeout=timeout)


def _shown(outcome: Outcome) -> dict[str, object]:
    call = outcome.call
    return {
        "run": call.run,
        "tool": call.tool,
        "arguments": call.arguments if call.arguments is None else dict(call.arguments),
        "context": dict(call.context),
        "reason": reason_of(outcome.decision),
        "rules": [
            {"rule": violation.rule, "message": violation.message, "items": list(violation.items)}
            for violation in outcome.decision.violations
        ],
    }
