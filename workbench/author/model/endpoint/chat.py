"""Chat completions: the request, and the content of the events of the reply."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast

from workbench.author.model.endpoint.abilities import Abilities, Form, TokenLimitName
from workbench.author.model.endpoint.reply_events import BrokenStream, EventPiece, text_of, tokens_of
from workbench.author.model.endpoint.strict_schema import strict_schema
from workbench.author.model.errors import ModelError, shown_line
from workbench.author.model.recording import Message, Sent

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionChunk

_TOLD = "Reply with one JSON object that fits this JSON schema:"
_THOUGHT = ("reasoning_content", "reasoning", "thinking")


def messages_of(sent: Sent, abilities: Abilities) -> list[dict[str, str]]:
    """The messages of a call as this endpoint accepts them, with the form if the prompt has to contain it."""
    messages = [Message(message.role, message.content) for message in sent.messages]
    if not abilities.system:
        messages = _without_system(messages)
    chat_messages = [{"role": message.role, "content": message.content} for message in messages]
    if sent.schema and abilities.form_in_prompt and chat_messages:
        form = json.dumps(dict(sent.schema), ensure_ascii=False)
        chat_messages[-1]["content"] += f"\n\n{_TOLD}\n{form}"
    return chat_messages


def _without_system(messages: list[Message]) -> list[Message]:
    """The messages, with the system messages put before the text of the first user message."""
    system_text = "\n\n".join(message.content for message in messages if message.role == "system")
    other_messages = [message for message in messages if message.role != "system"]
    if not system_text:
        return other_messages
    if not other_messages or other_messages[0].role != "user":
        return [Message("user", system_text), *other_messages]
    return [Message("user", f"{system_text}\n\n{other_messages[0].content}"), *other_messages[1:]]


def name_of(sent: Sent) -> str:
    """The name of a form, in letters that every server accepts."""
    return "".join(letter if letter.isalnum() else "_" for letter in sent.purpose)[:60]


async def chat_pieces(
    client: AsyncOpenAI, sent: Sent, abilities: Abilities, limit: int, effort: str
) -> AsyncIterator[EventPiece]:
    """Send the call and yield the content of each event; raises BrokenStream for a malformed event."""
    options: dict[str, Any] = {
        "model": sent.model,
        "messages": messages_of(sent, abilities),
        **({"temperature": sent.temperature} if abilities.temperature else {}),
        **({"seed": sent.seed} if abilities.seed and sent.seed is not None else {}),
        **({"reasoning_effort": effort} if abilities.effort and effort else {}),
        **({str(abilities.limit): limit} if abilities.limit is not TokenLimitName.NONE else {}),
        **(_form_options(abilities.form, sent) if sent.schema else {}),
    }
    if abilities.streams and abilities.usage:
        options["stream_options"] = {"include_usage": True}
    try:
        if not abilities.streams:
            yield _whole(await client.chat.completions.create(**options))
            return
        stream: Any = await client.chat.completions.create(**options, stream=True)
        kind = str(stream.response.headers.get("content-type", ""))
        if kind.startswith("application/json"):  # the server ignores that a stream was requested
            yield _whole(json.loads(await stream.response.aread()))
            return
        async for chunk in cast("AsyncIterator[ChatCompletionChunk]", stream):
            yield _piece(chunk)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise BrokenStream from error


def _form_options(form: Form, sent: Sent) -> dict[str, Any]:
    name = name_of(sent)
    match form:
        case Form.STRICT | Form.SCHEMA:
            strict = strict_schema(sent.schema) if form is Form.STRICT else None
            schema = {"name": name, "schema": strict or dict(sent.schema), "strict": strict is not None}
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        case Form.JSON:
            return {"response_format": {"type": "json_object"}}
        case Form.TOOL:
            tool = {"type": "function", "function": {"name": name, "parameters": dict(sent.schema)}}
            return {"tools": [tool], "tool_choice": {"type": "function", "function": {"name": name}}}
        case Form.PROMPT:
            return {}


def _piece(chunk: ChatCompletionChunk) -> EventPiece:
    """The content of one event; the library does not check that the event has its declared types."""
    text, finish, thought = "", "", 0
    for choice in chunk.choices or ():
        finish = str(choice.finish_reason or finish)[:40]
        delta = choice.delta
        if delta is not None:  # pyright: ignore[reportUnnecessaryComparison]  some servers end with none
            content, thinks = _content_of(delta)
            text, thought = text + content, thought + thinks
    return EventPiece(text, thought, shown_line(chunk.model or "")[:100], finish, _tokens(chunk.usage))


def _whole(answer: Any) -> EventPiece:
    """A reply that is no stream, as its only piece."""
    from openai.types.chat import ChatCompletion

    try:
        whole = answer if isinstance(answer, ChatCompletion) else ChatCompletion.construct(**answer)
        choice = whole.choices[0]
        content, thought = _content_of(choice.message)
        finish = str(choice.finish_reason or "stop")[:40]
        return EventPiece(content, thought, shown_line(whole.model or "")[:100], finish, _tokens(whole.usage))
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise BrokenStream from error


def _content_of(message: Any) -> tuple[str, int]:
    """The text of a message or a part of one, and the number of characters of thinking in it."""
    if message.refusal:
        raise ModelError(f"The model refused: {shown_line(message.refusal)}")
    text = text_of(message.content, "content")
    for call in message.tool_calls or ():
        text += text_of(call.function.arguments, "call's arguments") if call.function else ""
    thoughts = [getattr(message, name, None) for name in _THOUGHT]
    return text, max((len(thought) for thought in thoughts if isinstance(thought, str)), default=0)


def _tokens(usage: Any) -> Any:
    if usage is None:
        return None
    prompt, reply = usage.prompt_tokens_details, usage.completion_tokens_details
    return tokens_of(
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.total_tokens,
        getattr(prompt, "cached_tokens", 0) or getattr(usage, "prompt_cache_hit_tokens", 0),
        getattr(reply, "reasoning_tokens", 0),
    )
