"""The calls of a conversation in the chat form, message by message.

OpenAI's own form of a call has ``function`` with ``name`` and ``arguments``. Four other forms are read: a
call without ``function``, a call whose ``function`` is the name, blocks of the content, and the old
``function_call``. Anything that is not understood as a call becomes a call that cannot be evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.guard.run_messages import MessagesSoFar
from workbench.model import UNANSWERED, Json
from workbench.runs.logs.importer import (
    LoggedCall,
    RunSoFar,
    dict_at,
    dicts_at,
    list_at,
    not_understood,
    text_at,
)
from workbench.runs.logs.message_forms import message_of
from workbench.runs.values.jsontext import as_text

_RESULT_ROLES = ("tool", "function")
_KINDS = ("function", "custom")
_ARGUMENTS = ("arguments", "input", "args")
# Members that other formats have calls in, or that hold calls which the framework could not parse.
_OTHER_CALLS = ("toolCalls", "toolInvocations", "invalid_tool_calls", "tool_uses", "parts")
# Lines with which a session of another writer of such messages begins.
_BEGINNINGS = ("session_start", "session")
_QUIET_BLOCKS = frozenset(
    {
        *("text", "input_text", "output_text", "refusal", "thinking", "redacted_thinking", "reasoning"),
        *("image", "image_url", "input_image", "input_audio", "audio", "audio_url", "video", "video_url"),
        *("file", "input_file", "document", "search_result", "container_upload", "tool_reference", "json"),
        *("compaction", "fallback", "mid_conv_system"),
    }
)
_TELLING = ("type", "role", "kind", "name", "tool", "tool_calls", "action", "content", "message")
# A block without a type is a text, or its annotations.
_OF_A_TEXT = frozenset({"text", "annotations", "citations", "cache_control"})
_TIMES = ("timestamp", "time", "created_at")


class ConversationCalls:
    """The calls of a conversation, each with its result once read."""

    def __init__(self, time: str | None, line: int) -> None:
        """Begin a conversation at a line; ``time`` is the time of a call whose message has none."""
        self.read = RunSoFar("message", line)
        self._messages = MessagesSoFar()
        self._time = time

    def add(self, value: Json) -> None:
        """Add the next message, or the value in its place."""
        self.read.place += 1
        message = message_of(value)
        if message is None and isinstance(value, dict) and value.get("type") in _BEGINNINGS:
            self._messages.interrupt()
        elif message is None and isinstance(value, dict) and _is_quiet(value):
            self._messages.interrupt()
            self.read.lose("it is no message, and not read")
        elif message is None:
            self._messages.interrupt()
            self.read.lose("it is no message that can be read, so that a call may be missing here")
            self.read.calls.append(not_understood(str(self.read.place)))
        elif message["role"] in _RESULT_ROLES:
            self._messages.interrupt()
            results = list_at(message, "tool_messages")
            for result in results or [message]:
                if isinstance(result, dict):
                    self._answer(result)
                else:
                    self.read.lose("a result there is no object, and not read")
        else:
            self._hear(message)

    def open(self, role: str, text: str) -> None:
        """Add a message that came before the list of messages, such as the system prompt."""
        self._messages.add(role, text)

    def _hear(self, message: Mapping[str, Json]) -> None:
        role, results, text = str(message["role"]), _blocks(message, "tool_result"), _text_of(message)
        if text or not results:
            self._messages.add(role, text)
        else:
            self._messages.interrupt()
        logged_calls = list(self._calls_of(message, text))
        self.read.calls.extend(logged_calls)
        self._count_unread(message, bool(logged_calls))
        if not logged_calls and role == "assistant":
            self._messages.forget("assistant")
        for block in results:
            failed = block.get("is_error") is True
            result = as_text(block.get("content")) or ""
            self.read.give(text_at(block, "tool_use_id"), None, result, failed=failed)

    def _calls_of(self, message: Mapping[str, Json], text: str | None) -> Iterator[LoggedCall]:
        own_texts = self._messages.texts()
        if not text:
            own_texts.pop("assistant", None)
        entries = message.get("tool_calls")
        if entries is not None and not isinstance(entries, list):
            entries = [None]
        legacy = message.get("function_call")
        every = [*(entries or ()), *([{"function": legacy}] if legacy is not None else ())]
        for entry in [*every, *_blocks(message, "tool_use")]:
            call = _call(entry) if isinstance(entry, dict) else not_understood()
            if call.tool is None:
                self.read.lose("a call there does not tell its tool, so that it cannot be evaluated")
            call.time = text_at(message, *_TIMES) or self._time
            call.texts, call.message = dict(own_texts), str(self.read.place)
            yield call

    def _count_unread(self, message: Mapping[str, Json], calls: bool) -> None:
        """Count the parts of a message that may be calls in a form that is not read."""
        for unknown in unknown_blocks(message):
            self._miss("block", unknown)
        for key in _OTHER_CALLS:
            if message.get(key):
                self._miss("member of a message", key)
        if not calls and dict_at(message, "extra").get("actions"):
            self._miss("member of a message", "extra.actions")
        kwargs = dict_at(message, "additional_kwargs")
        if not calls and (kwargs.get("tool_calls") or kwargs.get("function_call")):
            self._miss("member of a message", "additional_kwargs.tool_calls")

    def _miss(self, what: str, kind: Json) -> None:
        self.read.miss(what, kind, str(self.read.place))

    def _answer(self, message: Mapping[str, Json]) -> None:
        """Give a result to its call; a status, or an error next to the text, marks it as failed."""
        echo = dict_at(message, "tool_call")
        result, error = as_text(message.get("content")), message.get("error")
        says_error = isinstance(error, str) and error != ""
        failed = message.get("status") == "error" or error is True or says_error
        call_id = text_at(message, "tool_call_id") or text_at(echo, "id")
        if call_id is None and any(call.call_id == message.get("id") for call in self.read.calls):
            call_id = text_at(message, "id")
        tool = text_at(message, "name") or _name(echo)
        self.read.give(call_id, tool, str(error) if says_error and not result else result, failed=failed)


def _is_quiet(value: Mapping[str, Json]) -> bool:
    """Whether a value that is no message names nothing that may be a call."""
    return not any(key in value for key in (*_TELLING, *_KINDS, *_ARGUMENTS, *_OTHER_CALLS))


def unknown_blocks(message: Mapping[str, Json]) -> Iterator[Json]:
    """The kinds of the blocks of a message that may be calls or results in a form that is not read."""
    for block in list_at(message, "content"):
        if not is_known_block(block):
            yield block.get("type") if isinstance(block, dict) else block


def is_known_block(block: Json) -> bool:
    """Whether a block of a message's content is a call or a result that is read, or neither of them."""
    if isinstance(block, str):
        return True
    if not isinstance(block, dict):
        return False
    kind = block.get("type")
    if kind is None:
        return block.keys() <= _OF_A_TEXT
    return isinstance(kind, str) and (kind in _QUIET_BLOCKS or kind.endswith(("tool_use", "tool_result")))


def _blocks(message: Mapping[str, Json], ending: str) -> list[dict[str, Json]]:
    return [block for block in dicts_at(message, "content") if str(block.get("type")).endswith(ending)]


def _text_of(message: Mapping[str, Json]) -> str | None:
    """The text of a message: its own text, or the texts among its blocks."""
    content = message.get("content")
    if not isinstance(content, list):
        return as_text(content)
    texts = [as_text([block]) for block in content if isinstance(block, str) or _is_text(block)]
    return "\n".join(text for text in texts if text) or None


def _is_text(block: Json) -> bool:
    return isinstance(block, dict) and str(block.get("type", "text")).endswith("text")


def _call(entry: Mapping[str, Json]) -> LoggedCall:
    return LoggedCall(
        tool=_name(entry),
        raw=_only_arguments(entry),
        call_id=text_at(entry, "id"),
        known_from=UNANSWERED,
    )


def _name(entry: Mapping[str, Json]) -> str | None:
    """The tool of a call; None if two places name different tools."""
    named = {name for name in (text_at(dict_at(entry, *_KINDS), "name"), text_at(entry, "name")) if name}
    named.update(value for kind in _KINDS if isinstance(value := entry.get(kind), str) and value)
    return named.pop() if len(named) == 1 else None


def _only_arguments(entry: Mapping[str, Json]) -> Json:
    """The arguments of a call; None if two places have some: it is unknown which of them the tool got."""
    places = (entry, *(dict_at(entry, kind) for kind in _KINDS if kind in entry))
    arguments = [place[key] for place in places for key in _ARGUMENTS if key in place]
    return arguments[0] if len(arguments) == 1 else None
