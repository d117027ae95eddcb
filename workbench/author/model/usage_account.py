"""The account shared by all clients of a session: what calls used, how many run, whether the server answers.

A budget is for the whole session: drafts, extraction and all guards of an evaluation share it. If a server
left several calls in a row unanswered, no call is made for a while. Otherwise a log with a thousand calls
would wait a thousand times.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from workbench.author.model.errors import Cancelled, ModelError, Unanswered
from workbench.author.model.progress import Usage
from workbench.author.model.settings import ModelSettings

MOST_UNANSWERED = 3
PAUSE_SECONDS = 60.0
_LOOK_SECONDS = 0.05


class UsageAccount:
    """The usage of a session and the state of its server; may be used from several threads."""

    def __init__(self, used: Usage | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with what earlier calls of the session ``used``; ``clock`` gives seconds."""
        self._used = used or Usage()
        self._clock = clock
        self._unanswered = 0
        self._last = 0.0
        self._lock = threading.Lock()
        self._running = 0
        self._since = self._busy = 0.0
        self._ended = threading.Condition(self._lock)

    @contextmanager
    def turn(self, settings: ModelSettings, stopped: Callable[[], bool]) -> Generator[None]:
        """Wait for the turn of one call, while as many calls run as the endpoint gets at the same time.

        Raises Cancelled if ``stopped`` returns true before the turn comes.
        """
        with self._ended:
            while self._running >= settings.at_once:
                if stopped():
                    raise Cancelled("A model's call was stopped before it began; nothing was changed.")
                self._ended.wait(_LOOK_SECONDS)
            self._since = self._since if self._running else self._clock()
            self._running += 1
        try:
            yield
        finally:
            with self._ended:
                self._running -= 1
                self._busy += 0.0 if self._running else self._clock() - self._since
                self._ended.notify()

    @property
    def used(self) -> Usage:
        """The sum of what all calls used."""
        with self._lock:
            return self._used

    def check_deadline(self, settings: ModelSettings) -> None:
        """Raise ModelError if calls have run for as many seconds as they may together."""
        with self._lock:
            running = self._clock() - self._since if self._running else 0.0
            late = settings.deadline and self._busy + running >= settings.deadline
        if late:
            raise ModelError(
                f"The model's calls have taken {settings.deadline:g} seconds together "
                "(WORKBENCH_MODEL_DEADLINE); raise it to go on."
            )

    def check(self, settings: ModelSettings) -> None:
        """Raise ModelError if a budget is spent, or the server recently left several calls unanswered."""
        self.check_deadline(settings)
        with self._lock:
            usage = self._used
            silent = self._unanswered >= MOST_UNANSWERED and self._clock() - self._last < PAUSE_SECONDS
        tokens = usage.prompt_tokens + usage.reply_tokens
        if settings.budget_tokens and tokens >= settings.budget_tokens:
            raise ModelError(
                f"The session's budget of {settings.budget_tokens} tokens is spent "
                "(WORKBENCH_BUDGET_TOKENS); raise it to go on."
            )
        if settings.budget_money and usage.money >= settings.budget_money:
            raise ModelError(
                f"The session's budget of {settings.budget_money:.2f} is spent "
                "(WORKBENCH_BUDGET_MONEY); raise it to go on."
            )
        if silent:
            raise Unanswered(
                f"The model's server left {MOST_UNANSWERED} calls in a row unanswered; it is asked again "
                "after a minute."
            )

    def answered(self, usage: Usage) -> None:
        """Record what an answered call used."""
        with self._lock:
            self._used += usage
            self._unanswered = 0

    def unanswered(self) -> None:
        """Record a call that ended without an answer, after all its attempts."""
        with self._lock:
            self._unanswered += 1
            self._last = self._clock()
