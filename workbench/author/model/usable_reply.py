"""Asking until the reply is usable: the faults of a reply are sent to the model, a few times."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.author.model.client import ModelClient
from workbench.author.model.errors import BadReply
from workbench.author.model.recording import Message

if TYPE_CHECKING:
    from pydantic import BaseModel

_MOST_COMPLAINTS = 12
_LONGEST_ECHO = 6000


@dataclass(frozen=True, slots=True)
class Conversation:
    """The way to ask in one draft: the client, the sampling, and the event that cancels.

    ``tries`` counts the replies to one question, the first included.
    """

    client: ModelClient
    temperature: float | None = None
    seed: int | None = None
    tries: int = 3
    cancelled: threading.Event | None = None

    def ask[T: BaseModel](
        self,
        purpose: str,
        messages: tuple[Message, ...],
        reply_type: type[T],
        complaints: Callable[[T], list[str]] = lambda _reply: [],
    ) -> tuple[T | None, list[str]]:
        """The last reply and its remaining faults; None if no reply had the requested form.

        Raises ModelError if the model cannot be asked. The same records give the same result.
        """
        reply: T | None = None
        wrong: list[str] = []
        prompt = messages
        for attempt in range(self.tries):
            name = purpose if attempt == 0 else f"{purpose}, try {attempt + 1}"
            try:
                reply = self._once(name, prompt, reply_type)
                text, wrong = reply.model_dump_json(), complaints(reply)
            except BadReply as error:
                reply, text, wrong = None, error.reply, [error.problem]
            if not wrong:
                break
            prompt = (*messages, Message("assistant", text[:_LONGEST_ECHO]), critique(wrong))
        return reply, wrong

    def at_once[A, T](self, ask: Callable[[A], T], about: Sequence[A]) -> list[T]:
        """The results of ``ask`` for each item, by as many concurrent calls as the endpoint gets.

        If a call fails, its ModelError is raised and the running calls are cancelled.
        """
        workers = 1 if self.client.replay_only else min(self.client.settings.at_once, len(about))
        if workers < 2:
            return [ask(subject) for subject in about]
        with ThreadPoolExecutor(workers) as pool:
            try:
                return list(pool.map(ask, about))
            except BaseException:
                if self.cancelled is not None:
                    self.cancelled.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _once[T: BaseModel](self, purpose: str, messages: tuple[Message, ...], reply_type: type[T]) -> T:
        return self.client.ask(
            purpose,
            messages,
            reply_type,
            temperature=self.temperature,
            seed=self.seed,
            cancelled=self.cancelled,
        )


def critique(complaints: list[str]) -> Message:
    """The faults of a reply, as the next message to the model."""
    listed = "\n".join(f"- {complaint}" for complaint in complaints[:_MOST_COMPLAINTS])
    return Message("user", f"Your reply cannot be used as it is:\n{listed}\nReply again with the whole JSON.")
