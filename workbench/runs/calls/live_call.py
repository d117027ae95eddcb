"""A call that is being decided, as the same recorded call that an import reads from its log line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from workbench.guard.run_messages import ALL, FIRST, ToldWords
from workbench.model import Json, LookedUp, RecordedCall
from workbench.runs.calls.logged_call import LoggedCall
from workbench.runs.values.jsontext import BadJson, dump, parse_json

_RESERVED = ("tool", "arguments", "context", "result", "facts")
NO_TEXTS: Mapping[str, str] = MappingProxyType({})


def live_call(
    tool: str,
    arguments: str | None,
    context: str,
    *,
    run: str,
    index: int,
    call_id: str = "",
    result: str | None = None,
    time: str | None = None,
    texts: Mapping[str, str] = NO_TEXTS,
    look_ups: Sequence[LookedUp] = (),
    ran: bool = True,
    failed: bool = False,
    known_from: int = 0,
    step: int | None = None,
    approved: bool = False,
    granted: tuple[str, ...] = (),
    instance: str = "",
) -> RecordedCall:
    """A live call as a recorded call, built from the values of its line in a decision log.

    ``arguments`` and ``context`` are JSON texts. Arguments are None if they are unknown; an unknown tool is
    empty.
    """
    try:
        known_context = parse_json(context)
        known_result = parse_json(dump(result)) if result is not None else None
    except BadJson:
        known_context, known_result, arguments = {}, None, None
    call = LoggedCall(
        tool=tool or None,
        raw=arguments,
        call_id=call_id or None,
        result=known_result if isinstance(known_result, str) else None,
        context=known_context if isinstance(known_context, dict) else {},
        time=time,
        ran=ran,
        failed=failed,
        known_from=known_from,
        approved=approved,
        granted=granted,
        instance=instance,
        look_ups=tuple(_cleaned(look_up) for look_up in look_ups),
    )
    add_texts(call)
    add_opening(call)
    call.texts.update(texts)
    return call.recorded_call(run, index, {}, None, step=step)


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
