"""A call that is being decided, as the same recorded call that an import reads from its log line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.guard import PastCall
from workbench.guard.log import arguments_text, context_text
from workbench.guard.run_messages import ALL, FIRST, ToldWords
from workbench.model import Json, LookedUp, RecordedCall
from workbench.runs.calls.logged_call import LoggedCall
from workbench.runs.values.jsontext import BadJson, dump, parse_json

_RESERVED = ("tool", "arguments", "context", "result", "facts")


def recorded_call(past: PastCall, index: int) -> RecordedCall:
    """A live call as the recorded call that an import makes from its line in a decision log.

    ``index`` is its place among the lines; a call that needed an approval has the place of its decision. An
    unknown tool is empty.
    """
    call, arguments = past.call, arguments_text(past.call)
    try:
        context = parse_json(context_text(call))
        result = parse_json(dump(past.result)) if past.result is not None else None
    except BadJson:
        context, result, arguments = {}, None, None
    logged = LoggedCall(
        tool=call.tool or None,
        raw=arguments,
        call_id=call.call_id or None,
        time=call.time or None,
        result=result if isinstance(result, str) else None,
        context=context if isinstance(context, dict) else {},
        ran=past.ran,
        failed=past.failed,
        look_ups=tuple(map(_cleaned, call.look_ups)),
        known_from=past.known_from,
        approved=past.approved,
        granted=past.granted,
        instance=call.instance,
    )
    add_texts(logged)
    add_opening(logged)
    logged.texts.update(call.messages)
    return logged.recorded_call(call.run, index, {}, None, step=call.action)


def add_texts(call: LoggedCall) -> None:
    """Add the texts of the context to those of the call, except under names of the call's own texts."""
    for key, value in (call.context or {}).items():
        if isinstance(value, str) and key not in _RESERVED and not key.startswith("arguments."):
            call.texts[key] = value


def add_opening(call: LoggedCall, told: ToldWords | None = None) -> None:
    """Set the user's first message and all messages: from the context, else from the run's earlier calls.

    ``told`` are the words that these calls told; None for a call by itself.
    """
    call.texts.update((told or ToldWords()).added(call.texts))
    if "user" in call.texts:
        first = call.texts.setdefault(FIRST, call.texts["user"])
        if first == call.texts["user"]:
            call.texts.setdefault(ALL, first)


def look_up_of(record: Mapping[str, Json]) -> LookedUp:
    """The look-up that a record of a decision log describes."""
    tool, arguments = record.get("tool"), record.get("arguments")
    result, why = record.get("result"), record.get("why")
    return LookedUp(
        tool if isinstance(tool, str) else "",
        arguments if isinstance(arguments, dict) else {},
        result if isinstance(result, str) else None,
        why if isinstance(why, str) else "",
        failed=record.get("failed") is True,
    )


def _cleaned(looked_up: LookedUp) -> LookedUp:
    """A look-up as an import would read it from its record."""
    try:
        again = parse_json(
            dump({"tool": looked_up.tool, "arguments": dict(looked_up.arguments), "result": looked_up.result})
        )
    except BadJson:
        return replace(looked_up, result=None, why="its answer cannot be recorded")
    read = look_up_of(again if isinstance(again, dict) else {})
    return replace(read, why=looked_up.why, failed=looked_up.failed)
