"""The decision log of a guard: JSON lines in the workbench's own trace format.

One line per call, in the format that ``workbench replay`` imports, so that what was decided
at run time can be replayed against another version of the policy. The result of a call that ran
follows in a line of its own once it is known.
"""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path

from workbench.guard.calls import Outcome, ToolCall
from workbench.model import Json, Value

FORMAT = "workbench-decision/1"
LONGEST_RESULT = 1_000_000


class DecisionLog:
    """Appends outcomes to a file that only its owner can read; safe to use from several threads.

    With ``keep_arguments=False`` the arguments and results of calls are left out: such a log
    shows what was decided, but replaying it cannot evaluate. ``keep_results=False`` leaves out
    the results only: rules over earlier results cannot be evaluated then.
    """

    def __init__(self, path: Path | str, *, keep_arguments: bool = True, keep_results: bool = True) -> None:
        """Write to ``path``, created if need be."""
        self._path = Path(path)
        self._keep_arguments = keep_arguments
        self._keep_results = keep_results and keep_arguments
        self._lock = threading.Lock()

    def write(self, outcome: Outcome) -> None:
        """Append one outcome; the line is complete in the file when this returns. Raises OSError."""
        self._append(self._record(outcome))

    def write_result(self, call: ToolCall, result: str) -> None:
        """Append what a call returned. Raises OSError."""
        if self._keep_results:
            self._append({"format": FORMAT, "trace": call.run, "step": call.index, "result": result})

    def _append(self, record: dict[str, Json]) -> None:
        line = json.dumps(record, default=_json) + "\n"
        with self._lock:
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(handle, "ab") as file:
                file.write(line.encode("utf-8"))

    def _record(self, outcome: Outcome) -> dict[str, Json]:
        decision = outcome.decision
        record: dict[str, Json] = {
            "format": FORMAT,
            "trace": outcome.call.run,
            "step": outcome.call.index,
            "time": datetime.now(UTC).isoformat(),
            "tool": outcome.call.tool,
            "call_id": outcome.call.call_id,
            "decision": decision.verdict,
            "violations": [
                {"rule": item.rule, "message": item.message, "items": list(item.items)}
                for item in decision.violations
            ],
            "reasons": list(decision.reasons),
            "runs": outcome.runs,
            "shadow": outcome.shadow,
            "approved_by": outcome.approved_by,
            "refused_because": outcome.refused_because,
        }
        if self._keep_arguments and outcome.call.arguments is not None:
            record["context"] = dict(outcome.call.context)
            record["arguments"] = arguments_text(outcome.call)
            record["policy_arguments"] = {name: _plain(value) for name, value in decision.arguments.items()}
        return record


def arguments_text(call: ToolCall) -> str | None:
    """The arguments of a call as JSON text; None if they are unknown or no JSON can be made of them.

    Deciding a call and replaying its record both read this text, so that they cannot differ.
    """
    if call.arguments is None:
        return None
    try:
        return json.dumps(dict(call.arguments), ensure_ascii=False, default=_json)
    except (ValueError, TypeError, RecursionError):
        return None


def context_text(call: ToolCall) -> str:
    """The context of a call as JSON text. Raises ValueError or TypeError if none can be made of it."""
    return json.dumps(dict(call.context), ensure_ascii=False, default=_json)


def result_text(result: object) -> str | None:
    """What a tool returned as text; None if it is too long to be kept or no JSON can be made of it."""
    try:
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=_json)
    except (ValueError, TypeError, RecursionError):
        return None
    return text if len(text) <= LONGEST_RESULT else None


def _json(value: object) -> Json:
    """What stands for a value that JSON does not have: a sorted list for a set, else its text."""
    if isinstance(value, (set, frozenset)):
        return list[Json](sorted(str(item) for item in value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  any elements
    return str(value)


def _plain(value: Value) -> Json:
    match value:
        case frozenset():
            return list[Json](sorted(value))
        case Decimal():
            return str(value)
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return value
