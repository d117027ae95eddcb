"""A client that asks a model behind an endpoint for structured data.

A reply is data of a declared type, or an error that says what happened. Text of a model is never executed.
Servers differ in what they enforce. The connection asks in the way that the server accepts, and the reply is
always checked here.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterable
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from workbench.author.model.endpoint.abilities import Abilities
from workbench.author.model.endpoint.connection import (
    LETTERS_PER_TOKEN,
    LONGEST_REPLY,
    Connection,
    Listener,
    Reply,
)
from workbench.author.model.endpoint.learnt_abilities import LearntFile
from workbench.author.model.errors import BadReply, Cancelled, ModelError, NotRecorded, Unanswered
from workbench.author.model.prices import Price, price_of, user_table
from workbench.author.model.progress import CallProgress, PlannedCalls, Usage
from workbench.author.model.recording import CallRecords, Message, Sent, StoredCall
from workbench.author.model.reply_text import parse_reply, without_thinking
from workbench.author.model.settings import ModelSettings, key_of
from workbench.author.model.usage_account import UsageAccount
from workbench.clean_text import clean
from workbench.model import Json
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["LONGEST_REPLY", "ModelClient", "parse_reply", "schema_of"]


class ModelClient:
    """Asks one model, from several threads if need be; records every call and keeps to the budget."""

    def __init__(
        self,
        settings: ModelSettings,
        calls: CallRecords,
        *,
        replay_only: bool = False,
        account: UsageAccount | None = None,
        key: Callable[[], str] | None = None,
        wait: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep,
        learnt: LearntFile | None = None,
    ) -> None:
        """Take the settings; with ``replay_only`` no connection is made, and an unrecorded call is an error.

        Clients with the same ``account`` share its budgets; ``usage`` is what this client used. ``learnt``
        stores what the endpoint turned out to accept.
        """
        self._settings = settings
        self._calls = calls
        self._replay_only = replay_only
        self._connection = Connection(settings, key or (lambda: key_of(settings)), wait, learnt)
        self._on_progress: Callable[[CallProgress], None] = _unwatched
        self._cancelled: threading.Event | None = None
        self._account = account or UsageAccount()
        self._keeping = threading.Lock()
        self.usage = Usage()

    def watch(
        self, on_progress: Callable[[CallProgress], None], cancelled: threading.Event | None = None
    ) -> None:
        """Report every later call to ``on_progress``; setting ``cancelled`` ends the running call."""
        self._on_progress, self._cancelled = on_progress, cancelled

    def ask[T: BaseModel](
        self,
        purpose: str,
        messages: tuple[Message, ...],
        reply_type: type[T],
        *,
        cancelled: threading.Event | None = None,
    ) -> T:
        """The model's reply as ``reply_type``.

        Raises ModelError with one sentence if the call was never recorded (replaying), the budget
        is spent, the server cannot be reached, refuses, or replies with something else.
        """
        sent = self._sent(purpose, messages, schema_of(reply_type))
        text, reply = self._reply_to(sent, cancelled)
        try:
            return parse_reply(text, reply_type, purpose)
        except BadReply as error:
            if reply is not None and reply.cut:
                message = (
                    "The model's reply was cut at its token limit. "
                    "Raise WORKBENCH_MODEL_REPLY_TOKENS, or ask for less."
                )
                raise BadReply(message, error.reply, error.problem) from error
            if reply is None or not error.formless or not self._connection.tell_form():
                raise
        text, _ = self._answered(sent, cancelled)  # asked anew: the prompt now contains the form
        return parse_reply(text, reply_type, purpose)

    def ask_text(
        self,
        purpose: str,
        messages: tuple[Message, ...],
        *,
        reply_tokens: int = 0,
        cancelled: threading.Event | None = None,
    ) -> str:
        """The model's reply as text: for prose, and for models with a fixed form of their own.

        ``reply_tokens`` raises the limit of this reply if the limit of the settings is lower. Raises
        ModelError like ``ask``.
        """
        sent = self._sent(purpose, messages, {})
        if reply_tokens > sent.reply_tokens:
            sent = replace(sent, reply_tokens=reply_tokens)
        text, _ = self._reply_to(sent, cancelled)
        return without_thinking(text)

    def announce(
        self,
        calls: Iterable[tuple[str, tuple[Message, ...], type[BaseModel] | None]],
        reply_tokens: int,
        what: str,
    ) -> None:
        """Report the likely use of the calls that are not recorded; nothing if all are recorded.

        Each call is given by the arguments of ``ask``, without a form if its reply is a text.
        ``reply_tokens`` is an estimate for all the replies together, ``what`` says what the calls are. Raises
        ModelError if a budget of money cannot be kept.
        """
        sent = [
            self._sent(purpose, messages, {} if form is None else schema_of(form))
            for purpose, messages, form in calls
        ]
        new = [call for call in sent if self._calls.find(call.key) is None]
        if not new or self._replay_only:
            return
        letters = sum(len(message.content) for call in new for message in call.messages)
        replied = reply_tokens * len(new) // len(sent)
        usage = _priced(Usage(letters // LETTERS_PER_TOKEN, replied), self._price())
        planned = PlannedCalls(len(new), len(sent) - len(new), usage, what)
        CallTeller(new[0], self._settings, self._account.used, self._on_progress).planned(planned)

    @property
    def abilities(self) -> Abilities:
        """The known abilities of the endpoint."""
        return self._connection.abilities

    @property
    def replay_only(self) -> bool:
        """Whether calls are only replayed from records."""
        return self._replay_only

    def replaying(self) -> ModelClient:
        """The client without its model: a call that was never recorded is an error."""
        client = copy(self)
        client._replay_only = True
        return client

    @property
    def settings(self) -> ModelSettings:
        """The settings for reaching the model, and the limits of the session."""
        return self._settings

    def _sent(self, purpose: str, messages: tuple[Message, ...], schema: dict[str, Json]) -> Sent:
        settings = self._settings
        return Sent(
            purpose=purpose,
            model=settings.model,
            messages=messages,
            schema=schema,
            temperature=settings.temperature,
            seed=settings.seed,
            reply_tokens=settings.reply_tokens,
        )

    def _reply_to(self, sent: Sent, cancelled: threading.Event | None = None) -> tuple[str, Reply | None]:
        """The recorded reply, else the model's reply with the facts of its call."""
        recorded = self._calls.find(sent.key)
        if recorded is not None:
            CallTeller(sent, self._settings, self._account.used, self._on_progress).replayed(recorded)
            return recorded, None
        if self._replay_only:
            raise NotRecorded(
                f"The call for {sent.purpose!r} was never recorded, so it cannot be replayed. "
                "Run the session once with a model, or undo what changed the prompt."
            )
        return self._answered(sent, cancelled)

    def _answered(self, sent: Sent, cancelled: threading.Event | None = None) -> tuple[str, Reply]:
        """The model's reply, which is recorded."""
        stops = tuple(event for event in (cancelled, self._cancelled) if event is not None)
        with self._account.turn(self._settings, lambda: any(stop.is_set() for stop in stops)):
            return self._recorded_reply(sent, stops)

    def _recorded_reply(self, sent: Sent, stops: tuple[threading.Event, ...]) -> tuple[str, Reply]:
        """Make and record one call; setting one of ``stops`` ends it."""
        self._account.check(self._settings)
        price = self._price()
        teller = CallTeller(sent, self._settings, self._account.used, self._on_progress)
        teller.begun()
        watching = Listener(teller.piece, teller.thinks, teller.again)
        try:
            reply = asyncio.run(self._cancellable(sent, watching, teller, stops))
        except BaseException as error:  # the watcher hears that the call is over, after Ctrl+C too
            if isinstance(error, Unanswered):
                self._account.unanswered()
            teller.ended(None)
            raise
        usage = _priced(reply.usage, price)
        self._account.answered(usage)
        teller.ended(self._account.used, reply.replied_by)
        when = timestamp()
        with self._keeping:  # calls may run concurrently
            self.usage += usage
            self._calls.keep(
                StoredCall(
                    key=sent.key,
                    sent=sent,
                    reply=reply.text,
                    usage=usage,
                    replied_by=reply.replied_by,
                    when=when,
                )
            )
        return reply.text, reply

    def _price(self) -> Price | None:
        """The price of the model's tokens; raises ModelError if a money budget needs an unknown price."""
        settings = self._settings
        if settings.price_prompt is not None or settings.price_reply is not None:
            return Price(prompt=settings.price_prompt or 0.0, reply=settings.price_reply or 0.0)
        known_price = price_of(settings.model, settings.address.host)
        if known_price is None and settings.budget_money:
            raise ModelError(
                f"WORKBENCH_BUDGET_MONEY cannot be kept: the price of {settings.model} is not known. Set "
                f"WORKBENCH_PRICE_PROMPT and WORKBENCH_PRICE_REPLY, or write it into {user_table()}."
            )
        return known_price.price if known_price is not None else None

    async def _cancellable(
        self, sent: Sent, listener: Listener, teller: CallTeller, stops: tuple[threading.Event, ...]
    ) -> Reply:
        """Run the call as a task that ends, with its connection, when one of ``stops`` is set."""
        # The failure is raised here, so the event loop must not print it to the terminal as well.
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        task = asyncio.create_task(self._connection.reply(sent, listener))
        while not task.done():
            await asyncio.wait({task}, timeout=0.05)
            teller.waits()
            try:
                if any(stop.is_set() for stop in stops):
                    raise Cancelled(
                        f"The model's call for {sent.purpose!r} was stopped; nothing was changed."
                    )
                self._account.check_deadline(self._settings)
            except ModelError:
                if task.done():
                    break
                task.cancel()
                await asyncio.wait({task})
                _ = task.cancelled() or task.exception()
                raise
        return task.result()


def _priced(usage: Usage, price: Price | None) -> Usage:
    """The usage with its cost, or with its tokens counted as unpriced if the price is not known."""
    if price is not None:
        return replace(usage, money=price.of(usage))
    return replace(usage, unpriced_tokens=usage.prompt_tokens + usage.reply_tokens)


def _unwatched(_progress: CallProgress) -> None:
    """Ignore progress: the client has no watcher."""


@lru_cache(maxsize=256)
def schema_of(reply_type: type[BaseModel]) -> dict[str, Json]:
    """The JSON Schema of a reply, not to be modified; cached, as making it takes half of a recorded call."""
    return cast("dict[str, Json]", reply_type.model_json_schema())


# --- progress of a running call for its watcher: the elapsed time, the reply so far, the likely cost

_TAIL = 400
_EVERY = 1.0

type Watcher = Callable[[CallProgress], None]


class CallTeller:
    """Reports one call to a watcher: its start, the pieces of its reply, the reason for a retry, its end."""

    def __init__(self, sent: Sent, settings: ModelSettings, used: Usage, watcher: Watcher) -> None:
        """Take the call, its limits, and what the session used before it."""
        self._watcher = watcher
        self._began = self._last_report = time.monotonic()
        self._state = CallProgress(
            sent.purpose,
            model=sent.model,
            used=used,
            budget_tokens=settings.budget_tokens,
            budget_money=settings.budget_money,
        )

    def begun(self) -> None:
        """Report that the call is made."""
        self._tell(self._state)

    def piece(self, text: str) -> None:
        """Report a piece of the reply."""
        text = clean(text[-_TAIL:])
        tail = (self._state.tail + text)[-_TAIL:]
        self._state = replace(self._state, pieces=self._state.pieces + 1, tail=tail, trouble="")
        self._tell(replace(self._state, text=text))

    def thinks(self, letters: int) -> None:
        """Count thinking of so many characters; it is not shown."""
        self._state = replace(self._state, pieces=self._state.pieces + max(1, letters // 4), trouble="")

    def waits(self) -> None:
        """Report the elapsed time if nothing was reported for a second."""
        if time.monotonic() - self._last_report >= _EVERY:
            self._tell(self._state)

    def again(self, why: str) -> None:
        """Report that the attempt failed and the call is repeated; the reply so far is dropped."""
        self._state = replace(self._state, pieces=0, tail="", trouble=why)
        self._tell(self._state)

    def ended(self, used: Usage | None, replied_by: str = "") -> None:
        """Report the end of the call; ``used`` is the session's usage including it, or None if it failed."""
        state = replace(self._state, replied_by=replied_by, done=True, failed=used is None)
        self._tell(replace(state, used=used or state.used))

    def replayed(self, reply: str) -> None:
        """Report that a record gives the reply and nothing is used."""
        self._tell(replace(self._state, text=clean(reply[-_TAIL:]), done=True, replayed=True))

    def planned(self, planned: PlannedCalls) -> None:
        """Report calls of this kind that are planned."""
        self._tell(replace(self._state, planned=planned))

    def _tell(self, state: CallProgress) -> None:
        self._last_report = time.monotonic()
        self._watcher(replace(state, seconds=self._last_report - self._began))
