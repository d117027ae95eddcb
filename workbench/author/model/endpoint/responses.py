"""The Responses API: the request, and the content of the events of the reply. The server stores nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.author.model.endpoint.abilities import Abilities, Form, TokenLimitName
from workbench.author.model.endpoint.chat import messages_of, name_of
from workbench.author.model.endpoint.reply_events import BrokenStream, EventPiece, Tokens, text_of, tokens_of
from workbench.author.model.endpoint.strict_schema import strict_schema
from workbench.author.model.errors import ModelError, shown_line
from workbench.author.model.recording import Sent

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_TEXT = ("response.output_text.delta", "response.function_call_arguments.delta")
_ENDS = ("response.completed", "response.incomplete", "response.failed")


async def responses_pieces(
    client: AsyncOpenAI, sent: Sent, abilities: Abilities, limit: int, effort: str
) -> AsyncIterator[EventPiece]:
    """Send the call and yield the content of each event; raises BrokenStream for a malformed event."""
    options: dict[str, Any] = {
        "model": sent.model,
        "input": messages_of(sent, abilities),
        "store": False,
        **({"temperature": sent.temperature} if abilities.temperature else {}),
        **({"reasoning": {"effort": effort}} if abilities.effort and effort else {}),
        **({"max_output_tokens": limit} if abilities.limit is not TokenLimitName.NONE else {}),
        **(_form_options(abilities.form, sent) if sent.schema else {}),
    }
    try:
        answer: Any = await client.responses.create(**options, stream=abilities.streams)
        if not abilities.streams:
            yield _whole(answer)
            return
        parts = 0
        async for event in answer:
            piece = _piece(event)
            parts += bool(piece.text)
            last = str(event.type) in _ENDS
            yield replace(piece, text="") if last and parts > 1 else piece
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise BrokenStream from error


def _form_options(form: Form, sent: Sent) -> dict[str, Any]:
    name = name_of(sent)
    match form:
        case Form.STRICT | Form.SCHEMA:
            strict = strict_schema(sent.schema) if form is Form.STRICT else None
            schema = {"name": name, "schema": strict or dict(sent.schema), "strict": strict is not None}
            return {"text": {"format": {"type": "json_schema", **schema}}}
        case Form.JSON:
            return {"text": {"format": {"type": "json_object"}}}
        case Form.TOOL:
            tool = {"type": "function", "name": name, "parameters": dict(sent.schema), "strict": False}
            return {"tools": [tool], "tool_choice": {"type": "function", "name": name}}
        case Form.PROMPT:
            return {}


def _piece(event: Any) -> EventPiece:
    """The content of one event; the library does not check that the event has its declared types."""
    kind = str(event.type)
    if kind in _TEXT:
        return EventPiece(text_of(event.delta, "delta"))
    if kind == "response.refusal.done":
        raise ModelError(f"The model refused: {shown_line(event.refusal)}")
    if kind.startswith("response.reasoning") and kind.endswith(".delta"):
        return EventPiece(thought=len(str(event.delta)))
    if kind == "error":
        raise ModelError(f"The model's server ended the reply: {shown_line(event.message)}")
    if kind in _ENDS:
        return _whole(event.response)
    return EventPiece()


def _whole(response: Any) -> EventPiece:
    """A whole reply; raises ModelError if it failed or was refused."""
    status = str(response.status or "completed")
    if status == "failed":
        reason = shown_line(getattr(response.error, "message", "") or "no reason is given")
        raise ModelError(f"The model's server ended the reply: {reason}")
    why = str(getattr(response.incomplete_details, "reason", "") or "")
    finish = "stop" if status == "completed" else "length" if why == "max_output_tokens" else why or status
    text = ""
    for item in response.output or ():
        if item.type == "function_call":
            text += text_of(item.arguments, "call's arguments")
        for content in (item.content or ()) if item.type == "message" else ():
            if content.type == "refusal":
                raise ModelError(f"The model refused: {shown_line(content.refusal)}")
            text += text_of(content.text, "content")
    return EventPiece(text, 0, shown_line(response.model or "")[:100], finish[:40], _tokens(response.usage))


def _tokens(usage: Any) -> Tokens | None:
    if usage is None:
        return None
    return tokens_of(
        usage.input_tokens,
        usage.output_tokens,
        usage.total_tokens,
        getattr(usage.input_tokens_details, "cached_tokens", 0),
        getattr(usage.output_tokens_details, "reasoning_tokens", 0),
    )
