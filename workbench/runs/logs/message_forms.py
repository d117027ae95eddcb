"""Recognises messages by their content, and finds the lists of messages in a record."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import Json

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_OPENING = frozenset({"system", "developer", "user"})
_SAYS = ("content", "tool_calls", "tool_messages", "function_call")
# LangChain's names of the roles; its messages may be in an object with a type.
_LANGCHAIN = {
    "human": "user", "HumanMessage": "user", "ai": "assistant", "AIMessage": "assistant",
    "AIMessageChunk": "assistant", "system": "system", "SystemMessage": "system", "tool": "tool",
    "ToolMessage": "tool",
}  # fmt: skip
# Lines with one of these are events of a transcript, which has an importer of its own.
_OF_A_TRANSCRIPT = frozenset({"sessionId", "session_id"})
_LOOKED_AT = 50


def message_of(value: Json) -> dict[str, Json] | None:
    """The message that a value is, with its role; None for anything else."""
    if not isinstance(value, dict):
        return None
    own_role = value.get("role")
    if isinstance(own_role, str) and own_role in _ROLES and any(key in value for key in _SAYS):
        return value
    wrapped = value.get("message")
    if isinstance(wrapped, dict) and _OF_A_TRANSCRIPT.isdisjoint(value):
        return _wrapped(value, wrapped)
    role = _LANGCHAIN.get(str(value.get("type")))
    inner = value.get("data", value)
    if role is None or not isinstance(inner, dict) or not any(key in inner for key in _SAYS):
        return None
    return {**inner, "role": role}


def _wrapped(value: Mapping[str, Json], message: Mapping[str, Json]) -> dict[str, Json] | None:
    """The message in a line around it: Cursor writes the role beside it, Droid into it."""
    role = value.get("role", message.get("role") if value.get("type") == "message" else None)
    if not (isinstance(role, str) and role in _ROLES and any(key in message for key in _SAYS)):
        return None
    time = {"timestamp": value["timestamp"]} if "timestamp" in value else {}
    return {**time, **message, "role": role}


def are_messages(value: Json) -> bool:
    """Whether a value is a list of messages: most of its first elements are messages."""
    if not isinstance(value, list):
        return False
    first = value[:_LOOKED_AT]
    return sum(message_of(item) is not None for item in first) * 2 > len(first)


def messages_in(record: Mapping[str, Json]) -> list[Json]:
    """The messages directly in a record, under any keys, in the order of the keys.

    A list that begins with the whole of another list is a later state of the same conversation.
    """
    if conversations_in(record):
        return []
    return [message for messages in _whole(record) for message in messages]


def conversations_in(record: Mapping[str, Json]) -> dict[str, list[Json]]:
    """The conversations of a record that has several of them, by key; empty if it has one or none.

    They are several only if each has an opening and an answer of the agent: a prompt and its continuation
    are one.
    """
    whole = _whole(record)
    conversations = {
        key: value
        for key, value in record.items()
        if isinstance(value, list) and any(value is messages for messages in whole)
    }
    return conversations if len(whole) > 1 and all(map(_is_complete, whole)) else {}


def _whole(record: Mapping[str, Json]) -> list[list[Json]]:
    lists = [value for value in record.values() if isinstance(value, list) and are_messages(value)]
    return [
        messages
        for messages in lists
        if not any(
            _begins(other_messages, messages) for other_messages in lists if other_messages is not messages
        )
    ]


def _begins(whole: list[Json], part: list[Json]) -> bool:
    return len(whole) > len(part) and whole[: len(part)] == part


def _is_complete(messages: list[Json]) -> bool:
    first = message_of(messages[0])
    roles = {str(message["role"]) for value in messages if (message := message_of(value)) is not None}
    return first is not None and first["role"] in _OPENING and "assistant" in roles
