"""The items of OpenAI's Responses: which kinds are calls, which are results, and which are neither.

The API gives a call of a function, of a custom tool and of an MCP server the name of the tool. A call of a
hosted tool has a kind of its own (``shell_call``); its tool has the kind's name without ``_call``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.model import UNANSWERED, Json
from workbench.runs.logs.importer import LoggedCall, dict_at, dicts_at, text_at
from workbench.runs.logs.message_forms import message_of
from workbench.runs.values.jsontext import as_text

_NAMED = frozenset({"function_call", "custom_tool_call", "mcp_call"})
# Where a hosted tool's arguments are: in one object, or in several members of the item.
_HOSTED: Mapping[str, str | tuple[str, ...]] = {
    "shell_call": "action",
    "local_shell_call": "action",
    "web_search_call": "action",
    "computer_call": ("action", "actions"),
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
    "code_interpreter_call": ("code", "container_id"),
    "file_search_call": ("queries",),
    "image_generation_call": ("action", "prompt", "size", "quality", "background", "output_format"),
}
CALLS = _NAMED | _HOSTED.keys()
RESULTS = frozenset({
    "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output",
    "apply_patch_call_output", "computer_call_output", "tool_search_output",
})  # fmt: skip
# Neither calls nor results. An approval is asked for a call that has an item of its own once it is made.
QUIET = frozenset({
    "message", "agent_message", "reasoning", "mcp_list_tools", "mcp_approval_request",
    "mcp_approval_response", "compaction", "compaction_summary", "context_compaction", "ghost_snapshot",
})  # fmt: skip
KINDS = CALLS | RESULTS | QUIET
_LOOKED_AT = 50
# The places of what a hosted tool answered in its own item.
_ANSWERS = ("output", "outputs", "results", "result")


def is_item(value: Json) -> bool:
    """Whether a value is an item of a kind that no other format has."""
    return isinstance(value, dict) and str(value.get("type")) in KINDS - {"message", "reasoning"}


def are_items(value: Json) -> bool:
    """Whether a value is a list of items: some are of their own kinds, and most are items or messages."""
    if not isinstance(value, list):
        return False
    first = value[:_LOOKED_AT]
    own = sum(map(is_item, first))
    either = sum(
        is_item(item)
        or (isinstance(item, dict) and (str(item.get("type")) in QUIET or message_of(item) is not None))
        for item in first
    )
    return own > 0 and either * 2 > len(first)


def call_of(item: Mapping[str, Json], time: str | None, texts: dict[str, str]) -> LoggedCall:
    """The call that an item of one of ``CALLS`` is, with its result if the item has it."""
    kind = str(item.get("type"))
    failed = has_failed(item)
    given = next((item[key] for key in _ANSWERS if item.get(key) is not None), None)
    result = as_text(item.get("error") if given is None and failed else given)
    return LoggedCall(
        tool=text_at(item, "name") if kind in _NAMED else kind.removesuffix("_call"),
        raw=_named_arguments(item) if kind in _NAMED else _hosted_arguments(kind, item),
        call_id=text_at(item, "call_id", "id"),
        time=time,
        result=result,
        texts=texts,
        failed=failed,
        known_from=UNANSWERED if result is None and not failed else 0,
    )


def _named_arguments(item: Mapping[str, Json]) -> Json:
    raw = item.get("arguments")
    if isinstance(item.get("input"), str):
        # A custom tool takes free text: its only argument is this text. If there are also arguments by name,
        # it is unknown which of the two the tool received.
        return {"input": item["input"]} if raw is None else None
    return raw


def _hosted_arguments(kind: str, item: Mapping[str, Json]) -> Json:
    """The arguments of a hosted tool; None if the item does not hold them."""
    place = _HOSTED[kind]
    if isinstance(place, str):
        return item.get(place)
    action = item.get("action")
    if kind == "computer_call" and isinstance(action, dict) and "actions" not in item:
        return action
    return {key: item[key] for key in place if item.get(key) is not None} or None


def result_of(item: Mapping[str, Json]) -> tuple[str | None, bool]:
    """The text of a result, and whether it is flagged as failed."""
    output = item.get("output", item.get("tools"))
    return as_text(output), has_failed(item) or _exited_badly(item)


def _exited_badly(item: Mapping[str, Json]) -> bool:
    """Whether a command of a shell's result ended with an error, or was stopped."""
    outcomes = [dict_at(part, "outcome") for part in dicts_at(item, "output")]
    return any(
        outcome.get("type") == "timeout" or outcome.get("exit_code") not in (0, None) for outcome in outcomes
    )


def has_failed(item: Mapping[str, Json]) -> bool:
    """Whether an item is flagged as failed; an item that is incomplete may have had its effect."""
    return item.get("status") == "failed" or item.get("error") is not None


def answered_call(calls: Sequence[LoggedCall], item: Mapping[str, Json]) -> tuple[str | None, str | None]:
    """The id and the tool of the call that a result belongs to. A search of tools may have no ids."""
    call_id = text_at(item, "call_id")
    if call_id is None and item.get("type") == "tool_search_output":
        waiting = (call for call in calls if call.tool == "tool_search" and call.known_from == UNANSWERED)
        call_id = next((call.call_id for call in waiting), None)
    return call_id, None if call_id is not None else str(item.get("type")).removesuffix("_output")
