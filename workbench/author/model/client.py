"""Asking a model behind an OpenAI-compatible endpoint for structured data.

The reply is data of a declared type or an error that says what happened; text of a model is
never executed. Servers differ in what they enforce: the client asks for a JSON schema first,
then for JSON, then for a tool call, and checks the reply itself in every case.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from workbench.author.model.account import Account
from workbench.author.model.call_teller import CallTeller
from workbench.author.model.errors import BadReply, Cancelled, ModelError, NotRecorded, Unanswered, shown_line
from workbench.author.model.progress import CallProgress, Usage
from workbench.author.model.recording import (
    CallRecords,
    Message,
    RecordedCall,
    Sent,
)
from workbench.author.model.settings import ModelSettings, read_key
from workbench.model import Json

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionChunk
    from pydantic import BaseModel

LONGEST_REPLY = 400_000
_MOST_TOKENS = 10**9


class ReplyMode(StrEnum):
    """How the server is made to reply with JSON."""

    SCHEMA = "json_schema"
    JSON = "json_object"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class _Reply:
    text: str
    usage: Usage
    replied_by: str
    cut: bool = False


class ModelClient:
    """Asks one model, from several threads if need be; keeps every call, the usage, and to the budget."""

    def __init__(
        self,
        settings: ModelSettings,
        calls: CallRecords,
        *,
        replay_only: bool = False,
        account: Account | None = None,
        key: Callable[[], str] = read_key,
        wait: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep,
    ) -> None:
        """With ``replay_only`` no connection is ever made: an unrecorded call is an error.

        Clients with one ``account`` share its budgets; ``usage`` is what this client used.
        """
        self._settings = settings
        self._calls = calls
        self._replay_only = replay_only
        self._key = key
        self._wait = wait
        self._mode = ReplyMode.SCHEMA
        self._on_progress: Callable[[CallProgress], None] = _unwatched
        self._cancelled: threading.Event | None = None
        self._account = account or Account()
        self._keeping = threading.Lock()
        self.usage = Usage()

    def watch(
        self, on_progress: Callable[[CallProgress], None], cancelled: threading.Event | None = None
    ) -> None:
        """Tell what every call does from here on; setting ``cancelled`` ends the call that runs."""
        self._on_progress, self._cancelled = on_progress, cancelled

    def ask[T: BaseModel](
        self,
        purpose: str,
        messages: tuple[Message, ...],
        reply_type: type[T],
        *,
        temperature: float | None = None,
        seed: int | None = None,
        on_text: Callable[[str], None] = lambda _text: None,
        cancelled: threading.Event | None = None,
    ) -> T:
        """The model's reply as ``reply_type``; temperature and seed are the settings' unless given.

        Raises ModelError with one sentence if the call was never recorded (replaying), the budget
        is spent, the server cannot be reached, refuses, or replies with something else.
        """
        schema = schema_of(reply_type)
        sent = self._sent(purpose, messages, schema, temperature, seed)
        text, cut = self._reply_to(sent, on_text, cancelled)
        try:
            return parse_reply(text, reply_type, purpose)
        except BadReply as error:
            if cut:
                message = "The model's reply was cut at its token limit. Raise reply_tokens, or ask for less."
                raise BadReply(message, error.reply, error.problem) from error
            raise

    def ask_text(
        self,
        purpose: str,
        messages: tuple[Message, ...],
        *,
        reply_tokens: int = 0,
        on_text: Callable[[str], None] = lambda _text: None,
        cancelled: threading.Event | None = None,
    ) -> str:
        """The model's reply as it is, for replies in prose and models with a fixed form of their own.

        ``reply_tokens`` is the least limit of this reply, where the settings' is lower. Raises ModelError as
        ``ask`` does.
        """
        sent = self._sent(purpose, messages, {}, None, None)
        if reply_tokens > sent.reply_tokens:
            sent = replace(sent, reply_tokens=reply_tokens)
        text, _ = self._reply_to(sent, on_text, cancelled)
        return text

    @property
    def settings(self) -> ModelSettings:
        """How the model is reached, and the limits of the session."""
        return self._settings

    def _sent(
        self,
        purpose: str,
        messages: tuple[Message, ...],
        schema: dict[str, Json],
        temperature: float | None,
        seed: int | None,
    ) -> Sent:
        settings = self._settings
        return Sent(
            purpose=purpose,
            model=settings.model,
            messages=messages,
            schema=schema,
            temperature=settings.temperature if temperature is None else temperature,
            seed=settings.seed if seed is None else seed,
            reply_tokens=settings.reply_tokens,
        )

    def _reply_to(
        self, sent: Sent, on_text: Callable[[str], None], cancelled: threading.Event | None
    ) -> tuple[str, bool]:
        """The recorded reply, else the model's, which is recorded; and whether it was cut off."""
        recorded = self._calls.find(sent.key)
        teller = CallTeller(sent, self._settings, self._account.used, self._on_progress)
        if recorded is not None:
            on_text(recorded)
            teller.replayed(recorded)
            return recorded, False
        if self._replay_only:
            raise NotRecorded(
                f"The call for {sent.purpose!r} was never recorded, so it cannot be replayed. "
                "Run the session once with a model, or undo what changed the prompt."
            )
        self._account.check(self._settings)
        teller.begun()

        def told(text: str) -> None:
            on_text(text)
            teller.piece(text)

        stops = tuple(event for event in (cancelled, self._cancelled) if event is not None)
        try:
            reply = asyncio.run(self._cancellable(sent, told, teller, stops))
        except BaseException as error:  # whoever watches must not wait for a call that is over: Ctrl+C too
            if isinstance(error, Unanswered):
                self._account.unanswered()
            teller.ended(None)
            raise
        self._account.answered(reply.usage)
        teller.ended(self._account.used, reply.replied_by)
        when = datetime.now(UTC).replace(microsecond=0).isoformat()
        with self._keeping:  # calls may be made at the same time
            self.usage += reply.usage
            self._calls.keep(RecordedCall(sent, reply.text, reply.usage, reply.replied_by, when))
        return reply.text, reply.cut

    async def _cancellable(
        self,
        sent: Sent,
        on_text: Callable[[str], None],
        teller: CallTeller,
        stops: tuple[threading.Event, ...],
    ) -> _Reply:
        """Run the call as a task that ends, with its connection, when one of ``stops`` is set."""
        # Nothing is told twice, nor told by the event loop on the terminal: what failed is raised here.
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        task = asyncio.create_task(self._attempts(sent, on_text, teller.again))
        while not task.done():
            await asyncio.wait({task}, timeout=0.05)
            teller.waits()
            if any(stop.is_set() for stop in stops) and not task.done():
                task.cancel()
                await asyncio.wait({task})
                _ = task.cancelled() or task.exception()
                raise Cancelled(f"The model's call for {sent.purpose!r} was stopped; nothing was changed.")
        return task.result()

    async def _attempts(
        self, sent: Sent, on_text: Callable[[str], None], on_trouble: Callable[[str], None]
    ) -> _Reply:
        """Try, wait and try again on what passes; give up on what does not."""
        import openai

        from workbench.author.model.transport import BoundedClient, certificates, quiet_libraries

        quiet_libraries()
        async with openai.AsyncOpenAI(
            api_key=self._key(),
            base_url=self._settings.base_url,
            timeout=self._settings.seconds,
            max_retries=0,
            http_client=BoundedClient(timeout=self._settings.seconds, verify=certificates()),
        ) as client:
            attempt = 0
            while True:
                attempt += 1
                try:
                    async with asyncio.timeout(self._settings.seconds):
                        return await self._once(client, sent, on_text)
                except openai.BadRequestError as error:
                    if not self._weaken_mode(error):
                        raise ModelError(
                            f"The model's server refused the request: {shown_line(error.message)}"
                        ) from error
                    attempt -= 1
                except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
                    raise Unanswered(
                        "The model's server does not accept the key. Check OPENAI_API_KEY."
                    ) from error
                except openai.NotFoundError as error:
                    raise Unanswered(
                        f"The model's server does not know {sent.model!r}. Check it and OPENAI_BASE_URL."
                    ) from error
                except (openai.APIError, TimeoutError, _BrokenStream) as error:
                    if attempt >= self._settings.attempts or not _passes(error):
                        raise Unanswered(f"The model did not answer: {_say(error)}.") from error
                    on_trouble(_say(error))
                    await self._wait(_pause(attempt, error))

    def _weaken_mode(self, error: Exception) -> bool:
        """Ask in a simpler way after a refusal that may be about the way of asking."""
        modes = list(ReplyMode)
        position = modes.index(self._mode)
        about_mode = any(
            word in str(error).lower() for word in ("response_format", "json_schema", "schema", "tool")
        )
        if not about_mode or position + 1 == len(modes):
            return False
        self._mode = modes[position + 1]
        return True

    async def _once(self, client: AsyncOpenAI, sent: Sent, on_text: Callable[[str], None]) -> _Reply:
        started = time.monotonic()
        messages = [{"role": message.role, "content": message.content} for message in sent.messages]
        if sent.schema and self._mode is ReplyMode.JSON:  # nothing else tells such a server the form
            form = json.dumps(dict(sent.schema), ensure_ascii=False)
            messages[-1]["content"] += f"\n\nReply with one JSON object that fits this JSON schema:\n{form}"
        options: dict[str, Any] = {
            "model": sent.model,
            "messages": messages,
            "temperature": sent.temperature,
            "max_completion_tokens": sent.reply_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
            **(_reply_options(self._mode, sent) if sent.schema else {}),
        }
        if sent.seed is not None:
            options["seed"] = sent.seed
        stream = cast("AsyncIterator[ChatCompletionChunk]", await client.chat.completions.create(**options))
        return await self._collect(stream, started, on_text)

    async def _collect(
        self, stream: AsyncIterator[ChatCompletionChunk], started: float, on_text: Callable[[str], None]
    ) -> _Reply:
        parts: list[str] = []
        length = prompt_tokens = reply_tokens = 0
        replied_by, finish = "", ""
        async for piece in _pieces(stream):
            replied_by, finish = piece.replied_by or replied_by, piece.finish or finish
            prompt_tokens, reply_tokens = piece.tokens or (prompt_tokens, reply_tokens)
            if piece.text:
                parts.append(piece.text)
                length += len(piece.text)
                on_text(piece.text)
            if length > LONGEST_REPLY:
                raise ModelError(
                    f"The model's reply is longer than {LONGEST_REPLY} characters; it was cut off."
                )
        if not finish:
            raise _BrokenStream
        settings = self._settings
        money = (prompt_tokens * settings.price_prompt + reply_tokens * settings.price_reply) / 1e6
        usage = Usage(prompt_tokens, reply_tokens, time.monotonic() - started, money)
        return _Reply("".join(parts), usage, replied_by, cut=finish == "length")


def _unwatched(_progress: CallProgress) -> None:
    """Nobody watches."""


class _BrokenStream(Exception):
    """The stream ended before the model said that it had finished."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one event of a stream says; the token counts of prompt and reply where it has them."""

    text: str
    replied_by: str
    finish: str
    tokens: tuple[int, int] | None


async def _pieces(stream: AsyncIterator[ChatCompletionChunk]) -> AsyncIterator[_Piece]:
    """The events of a stream; raises _BrokenStream for one that is not JSON or has another form."""
    try:
        async for chunk in stream:
            yield _piece(chunk)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _BrokenStream from error


def _piece(chunk: ChatCompletionChunk) -> _Piece:
    """One event; the library does not check that a server sent what the types of the event say."""
    text, finish = "", ""
    for choice in chunk.choices or ():
        finish = str(choice.finish_reason or finish)[:40]
        delta = choice.delta
        if delta.refusal:
            raise ModelError(f"The model refused: {shown_line(delta.refusal)}")
        text += delta.content or ""
        for call in delta.tool_calls or ():
            text += (call.function.arguments or "") if call.function else ""
    usage = chunk.usage
    tokens = (_count(usage.prompt_tokens), _count(usage.completion_tokens)) if usage is not None else None
    return _Piece(text, shown_line(chunk.model or "")[:100], finish, tokens)


def _count(number: object) -> int:
    """A number of tokens; 0 for what cannot be one."""
    return number if isinstance(number, int) and 0 <= number <= _MOST_TOKENS else 0


def _reply_options(mode: ReplyMode, sent: Sent) -> dict[str, Any]:
    name = "".join(letter if letter.isalnum() else "_" for letter in sent.purpose)[:60]
    match mode:
        case ReplyMode.SCHEMA:
            schema = {"name": name, "schema": dict(sent.schema), "strict": False}
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        case ReplyMode.JSON:
            return {"response_format": {"type": "json_object"}}
        case ReplyMode.TOOL:
            tool = {"type": "function", "function": {"name": name, "parameters": dict(sent.schema)}}
            return {"tools": [tool], "tool_choice": {"type": "function", "function": {"name": name}}}


def parse_reply[T: BaseModel](text: str, reply_type: type[T], purpose: str) -> T:
    """The JSON object in a reply as ``reply_type``; raises BadReply if there is none that fits."""
    from pydantic import ValidationError

    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        message = f"The model's reply for {purpose!r} holds no JSON object."
        raise BadReply(message, text, "It holds no JSON object.")
    try:
        return reply_type.model_validate(json.loads(text[start : end + 1]))
    except (ValueError, RecursionError) as error:
        where = ""
        if isinstance(error, ValidationError):
            first = error.errors(include_input=False, include_url=False)[0]
            where = shown_line(f"at {'.'.join(map(str, first['loc'])) or 'the top'}: {first['msg']}")
            where = f" {where}"
        message = f"The model's reply for {purpose!r} does not have the asked form{where}."
        raise BadReply(message, text, f"It does not have the asked form{where}.") from error


def _passes(error: Exception) -> bool:
    """Whether trying again may help: limits, server errors, time-outs and broken connections."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return error.status_code in (408, 409, 425, 429) or error.status_code >= 500
    return True


def _pause(attempt: int, error: Exception) -> float:
    """Seconds to wait: what the server asks for (at most a minute), else doubling with jitter."""
    import openai

    if isinstance(error, openai.APIStatusError):
        asked = error.response.headers.get("retry-after", "")
        if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", asked):
            return min(float(asked), 60.0)
    return min(2.0 ** (attempt - 1), 30.0) * (0.5 + random.random() / 2)


def _say(error: Exception) -> str:
    import openai

    match error:
        case openai.APITimeoutError() | TimeoutError():
            return "it took longer than the time limit"
        case _BrokenStream():
            return "the stream broke off or was not readable"
        case openai.APIStatusError():
            return f"the server answers with status {error.status_code}"
        case openai.APIConnectionError():
            return "the server cannot be reached"
        case _:
            return type(error).__name__


@lru_cache(maxsize=256)
def schema_of(reply_type: type[BaseModel]) -> dict[str, Json]:
    """The JSON Schema of a reply; nobody changes it. Making it takes half of a recorded call."""
    return cast("dict[str, Json]", reply_type.model_json_schema())
