"""One endpoint: sends a call in the form that the endpoint accepts, and repeats it if that may help.

A refusal shows what the endpoint does not accept.
"""

from __future__ import annotations

import asyncio
import random
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.author.model.endpoint.abilities import PLAINEST, Abilities, Api, Form, weakened
from workbench.author.model.endpoint.chat import chat_pieces
from workbench.author.model.endpoint.learnt_abilities import LearntFile
from workbench.author.model.endpoint.reply_events import BrokenStream, EventPiece, Tokens, UnusableReply
from workbench.author.model.endpoint.responses import responses_pieces
from workbench.author.model.errors import ModelError, Unanswered, shown_line
from workbench.author.model.progress import Usage
from workbench.author.model.recording import Sent
from workbench.author.model.reply_text import whole_characters, without_thinking
from workbench.author.model.settings import ModelSettings

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

LONGEST_REPLY = 400_000
LONGEST_THOUGHT = 4_000_000
ATTEMPTS_IN_TIME = 2
"""How many attempts at their full time limit all attempts and pauses of one call may take together."""
_MOST_REFUSALS = 16
LETTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as the model wrote it; ``cut`` means that it ended at its token limit."""

    text: str
    usage: Usage
    replied_by: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Listener:
    """The callbacks of a call: for arriving text, the amount of thinking, and the reason for a retry."""

    text: Callable[[str], None]
    thought: Callable[[int], None]
    trouble: Callable[[str], None]


def connected(settings: ModelSettings, key: str, seconds: float) -> AsyncOpenAI:
    """The library's client of an endpoint, without retries and with bounds on what the server sends."""
    import openai

    from workbench.author.model.transport import BoundedClient, certificates, quiet_libraries

    quiet_libraries()
    address = settings.address
    return openai.AsyncOpenAI(
        api_key=key,
        base_url=address.base_url,
        timeout=seconds,
        max_retries=0,
        default_query=dict(address.query) or None,
        http_client=BoundedClient(address.key_header, timeout=seconds, verify=certificates()),
    )


class _OnlyThought(Exception):
    """All tokens of the reply were spent on thinking."""


class Connection:
    """Puts calls to one endpoint, from several threads if need be."""

    def __init__(
        self,
        settings: ModelSettings,
        key: Callable[[], str],
        wait: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep,
        learnt: LearntFile | None = None,
    ) -> None:
        """Open no connection yet; the first call starts from the abilities in ``learnt``."""
        self._settings = settings
        self._key = key
        self._wait = wait
        self._learnt = learnt
        self._abilities: Abilities | None = None
        self._lock = threading.Lock()

    @property
    def abilities(self) -> Abilities:
        """The known abilities of the endpoint."""
        with self._lock:
            if self._abilities is None:
                self._abilities = self._known() or self._assumed()
            return self._abilities

    def tell_form(self) -> bool:
        """Put the form into prompts from now on; False if prompts already contain it."""
        current_abilities = self.abilities
        if current_abilities.form_in_prompt:
            return False
        self.learn(current_abilities, replace(current_abilities, told=True))
        return True

    def learn(self, before: Abilities, after: Abilities) -> None:
        """Replace the abilities ``before`` by ``after``, unless another thread changed them meanwhile."""
        with self._lock:
            if self._abilities != before or before == after:
                return
            self._abilities = after
        if after.proved and self._learnt is not None:
            self._learnt.write(self._settings.address.base_url, self._settings.model, after)

    def _known(self) -> Abilities | None:
        settings = self._settings
        learnt = self._learnt.read(settings.address.base_url, settings.model) if self._learnt else None
        return self._chosen(learnt) if learnt is not None else None

    def _assumed(self) -> Abilities:
        address = self._settings.address
        form = Form.STRICT if address.strict else Form.SCHEMA
        return self._chosen(Abilities(form=form, api=address.api or Api.CHAT))

    def _chosen(self, abilities: Abilities) -> Abilities:
        """The abilities, with the protocol and form that the settings fix."""
        settings = self._settings
        api = Api(settings.api) if settings.api else abilities.api
        form = Form(settings.form) if settings.form else abilities.form
        return replace(abilities, api=api, form=form)

    async def reply(self, sent: Sent, listener: Listener) -> Reply:
        """Ask, with retries, pauses and simpler requests; raises ModelError if there is no reply.

        All of it together has one deadline: ``ATTEMPTS_IN_TIME`` times the time limit of one attempt.
        """
        longest = self._settings.seconds_for(sent.reply_tokens + self._settings.thinking_tokens)
        try:
            async with asyncio.timeout(ATTEMPTS_IN_TIME * longest):
                async with connected(self._settings, self._key(), longest) as client:
                    return await self._attempts(client, sent, listener)
        except TimeoutError:
            raise Unanswered(
                f"The model did not answer within {ATTEMPTS_IN_TIME * longest:.0f} seconds, "
                "with all attempts and pauses. Raise WORKBENCH_MODEL_SECONDS if it needs more."
            ) from None

    async def _attempts(self, client: AsyncOpenAI, sent: Sent, listener: Listener) -> Reply:
        import openai

        attempt = refusals = 0
        while True:
            attempt += 1
            tried_abilities = self.abilities
            try:
                async with asyncio.timeout(self._settings.seconds_for(self._limit(sent, tried_abilities))):
                    reply = await self._once(client, sent, tried_abilities, listener)
                thinks = tried_abilities.thinks or reply.usage.thinking_tokens > 0
                self.learn(tried_abilities, replace(tried_abilities, proved=True, thinks=thinks))
                return reply
            except _OnlyThought:
                if tried_abilities.thinks:
                    raise ModelError(
                        f"The model spent all {self._limit(sent, tried_abilities)} tokens of its reply on "
                        "thinking. Raise WORKBENCH_MODEL_THINKING_TOKENS, or lower WORKBENCH_MODEL_EFFORT."
                    ) from None
                self.learn(tried_abilities, replace(tried_abilities, thinks=True))
                attempt -= 1
            except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
                raise Unanswered(
                    "The model's server does not accept the key. Check OPENAI_API_KEY."
                ) from error
            except (openai.APIError, TimeoutError, BrokenStream) as error:
                if isinstance(error, openai.APIStatusError) and _is_refusal(error):
                    refusals += 1
                    self._simplify(error, tried_abilities, sent, refusals)
                    attempt -= 1
                    continue
                if attempt >= self._settings.attempts or not _passes(error):
                    raise Unanswered(f"The model did not answer: {_say(error)}.") from error
                listener.trouble(_say(error))
                await self._wait(_pause(attempt, error))

    def _simplify(self, error: APIStatusError, before: Abilities, sent: Sent, refusals: int) -> None:
        """Learn what a refusal is about; raises ModelError if nothing can be left out any more."""
        message, parameter = _words(error)
        fixed = bool(self._settings.api)
        after = weakened(before, message, parameter, api_fixed=fixed)
        not_found = error.status_code in (404, 405, 501)
        if not_found and after.api is before.api:
            unknown = re.search(r"model|deployment", message, re.I)
            other_api = Api.RESPONSES if before.api is Api.CHAT else Api.CHAT
            is_final = unknown or fixed or before.proved or refusals > 1
            after = before if is_final else replace(before, api=other_api)
        elif after == before and not before.proved and before != replace(PLAINEST, api=before.api):
            after = replace(PLAINEST, api=before.api)  # the refusal does not name the part that is refused
        if self._settings.form:
            after = replace(after, form=before.form)
        if after != before and refusals < _MOST_REFUSALS:
            self.learn(before, after)
            return
        if not before.proved:
            with self._lock:  # leaving parts out did not help, so nothing was learnt
                self._abilities = None
        if not_found:
            raise Unanswered(
                f"The model's server does not know {sent.model!r}. Check it and OPENAI_BASE_URL."
            ) from error
        raise ModelError(f"The model's server refused the request: {shown_line(error.message)}") from error

    def _limit(self, sent: Sent, abilities: Abilities) -> int:
        """The token limit of a reply, including the tokens for thinking."""
        thinks = abilities.thinks or (abilities.effort and self._settings.effort)
        wanted_tokens = sent.reply_tokens + (self._settings.thinking_tokens if thinks else 0)
        return min(wanted_tokens, abilities.most_tokens or wanted_tokens)

    async def _once(self, client: AsyncOpenAI, sent: Sent, abilities: Abilities, listener: Listener) -> Reply:
        started = time.monotonic()
        ask = chat_pieces if abilities.api is Api.CHAT else responses_pieces
        limit, effort = self._limit(sent, abilities), self._settings.effort
        return await _collected(ask(client, sent, abilities, limit, effort), sent, started, listener)


async def _collected(
    pieces: AsyncIterator[EventPiece], sent: Sent, started: float, listener: Listener
) -> Reply:
    """The reply joined from its pieces; its size is bounded."""
    parts: list[str] = []
    length = thought = 0
    replied_by, finish = "", ""
    tokens: Tokens | None = None
    async for piece in pieces:
        replied_by, finish = piece.replied_by or replied_by, piece.finish or finish
        tokens = piece.tokens or tokens
        thought += piece.thought
        length += len(piece.text)
        if length > LONGEST_REPLY or thought > LONGEST_THOUGHT:
            raise ModelError(f"The model's reply is longer than {LONGEST_REPLY} characters; it was cut off.")
        if piece.text:
            parts.append(piece.text)
            listener.text(piece.text)
        if piece.thought:
            listener.thought(piece.thought)
    if not finish:
        raise BrokenStream
    if finish == "content_filter":
        raise ModelError("The model's server withheld the reply (its content filter).")
    text, cut = whole_characters("".join(parts)), finish == "length"
    if cut and not without_thinking(text).strip() and (thought or text or (tokens and tokens.thinking)):
        raise _OnlyThought
    tokens = tokens or Tokens(  # an estimate, if the server does not count them
        sum(len(message.content) for message in sent.messages) // LETTERS_PER_TOKEN + 1,
        (length + thought) // LETTERS_PER_TOKEN + 1,
    )
    thinking = tokens.thinking or min(thought // LETTERS_PER_TOKEN, tokens.reply)
    usage = Usage(tokens.prompt, tokens.reply, time.monotonic() - started, 0.0, tokens.cached, thinking)
    return Reply(text, usage, replied_by, cut)


def _is_refusal(error: APIStatusError) -> bool:
    """Whether the server refused the request as it was sent."""
    return error.status_code in (400, 404, 405, 415, 422, 501)


def _words(error: APIStatusError) -> tuple[str, str]:
    """The message of a refusal, and the part of the request that it names, or an empty text."""
    text = f"{error.message} {error.body!r}"[:8000]
    return text, error.param or ""


def _passes(error: Exception) -> bool:
    """Whether trying again may help: limits, server errors, time-outs and broken connections."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return error.status_code in (408, 409, 425, 429) or error.status_code >= 500
    return True


def _pause(attempt: int, error: Exception) -> float:
    """The seconds to wait: what the server asks for (at most a minute), else doubling with jitter."""
    import openai

    if isinstance(error, openai.APIStatusError):
        retry_after = error.response.headers.get("retry-after", "")
        if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", retry_after):
            return min(float(retry_after), 60.0)
    return min(2.0 ** (attempt - 1), 30.0) * (0.5 + random.random() / 2)


def _say(error: Exception) -> str:
    import openai

    match error:
        case openai.APITimeoutError() | TimeoutError():
            return "it took longer than the time limit"
        case UnusableReply():
            return f"its reply could not be used: {shown_line(error)}"
        case BrokenStream():
            return "the stream broke off or was not readable"
        case openai.APIStatusError():
            return f"the server answers with status {error.status_code}"
        case openai.APIConnectionError():
            return "the server cannot be reached"
        case _:
            return type(error).__name__
