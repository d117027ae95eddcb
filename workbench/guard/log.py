"""The decision log of a guard: JSON lines in the workbench's own run format.

One line per call, in the format that ``workbench replay`` imports, so that decisions made at run time can be
replayed against another version of the policy. The result of a call that ran follows in a line of its own
once it is known.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from workbench.guard.calls import Outcome, ToolCall
from workbench.model import Json, LookedUp, RecordValue, Value, WorkbenchError

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = "workbench-decision/1"
LONGEST_RESULT = 1_000_000


UNKNOWN_ARGUMENTS = "null"
"""The text of unknown arguments: it is no object, so that a replay refuses the call as the guard does."""


class LogFailed(WorkbenchError):
    """A record could not be written to the decision log; the text gives the reason."""


class DecisionLog:
    """Appends outcomes to a regular file that only its owner can read.

    Safe to use from several threads and processes. A record is written as a whole or not at all. A torn line
    from another writer is closed, so that an import reports that line alone. With ``required`` (the default)
    a call whose decision cannot be written does not run; otherwise there is only a warning. With
    ``keep_arguments=False`` the arguments and results of calls are left out: such a log shows the decisions,
    but a replay of it cannot evaluate. ``keep_results=False`` leaves out only the results; rules over earlier
    results then cannot be evaluated.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        keep_arguments: bool = True,
        keep_results: bool = True,
        required: bool = True,
        sync: bool = False,
    ) -> None:
        """Write to ``path``, created if necessary. Links in its folder's path are followed only here.

        With ``sync`` a line is on the disk before the call runs, so that no loss of power loses it.
        """
        from pathlib import Path  # a guard without a log starts sooner

        log_path = Path(path)
        self.path = log_path.parent.resolve() / log_path.name
        self.required = required
        self._keep_arguments = keep_arguments
        self._keep_results = keep_results and keep_arguments
        self._sync = sync
        self._lock = threading.Lock()

    def open(self) -> None:
        """Create the file before the first call needs it. Raises LogFailed if it cannot be written."""
        from workbench.files.regular import make_private

        try:
            make_private(self.path)
        except OSError as error:
            raise self._failed(error) from error

    def write(self, outcome: Outcome) -> None:
        """Append one outcome; the line is complete in the file when this returns. Raises LogFailed."""
        self._append(self._record(outcome))

    def write_result(self, call: ToolCall, result: str | None, *, failed: bool = False) -> None:
        """Append the result of a call; None if it ended with an unknown result. Raises LogFailed."""
        if self._keep_results:
            place = {**_run(call.run, call.instance), "call": call.index}
            self._append({**place, "result": result, **({"failed": True} if failed else {})})

    def write_message(self, run: str, role: str, text: str | None, *, instance: str = "") -> None:
        """Append a message of a run. Raises LogFailed."""
        if self._keep_arguments:
            self._append({**_run(run, instance), "message": {"role": role, "text": text}})

    def write_end(self, run: str, ended: Mapping[str, Json], *, instance: str = "") -> None:
        """Append the end of a run, which none of its calls knew. Raises LogFailed."""
        self._append({**_run(run, instance), "ended": dict(ended)})

    def _append(self, record: dict[str, Json]) -> None:
        from workbench.files.regular import append_line

        try:
            line = json.dumps(record, default=_json).encode("ascii")
            with self._lock:
                append_line(self.path, line, private=True, sync=self._sync)
        except OSError as error:
            raise self._failed(error) from error
        except (TypeError, ValueError, RecursionError) as error:
            raise LogFailed(f"The decision log cannot hold this call: {type(error).__name__}.") from error

    def _failed(self, error: OSError) -> LogFailed:
        return LogFailed(f"The decision log {self.path} cannot be written: {error.strerror or error}.")

    def _record(self, outcome: Outcome) -> dict[str, Json]:
        decision = outcome.decision
        record: dict[str, Json] = {
            **_run(outcome.call.run, outcome.call.instance),
            "call": outcome.call.index,
            "time": outcome.call.time or datetime.now(UTC).isoformat(),
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
        if outcome.granted:
            record["granted"] = list(outcome.granted)
        if outcome.answer and not outcome.approved_by:
            record["answer"] = outcome.answer
        if outcome.trusted:
            record["trusted"] = True
        if outcome.call.action is not None:
            record["action"] = outcome.call.action
        if self._keep_arguments:
            record["context"] = dict(outcome.call.context)
        if self._keep_arguments and outcome.call.arguments is None:
            record["arguments"] = UNKNOWN_ARGUMENTS
        elif self._keep_arguments:
            record["arguments"] = arguments_text(outcome.call)
            if outcome.call.look_ups:
                record["look_ups"] = [_look_up(look_up) for look_up in outcome.call.look_ups]
            record["policy_arguments"] = {name: _plain(value) for name, value in decision.arguments.items()}
        return record


def _run(name: str, instance: str) -> dict[str, Json]:
    """The run of a line; ``instance`` distinguishes runs of one name."""
    return {"format": FORMAT, "run": name, **({"instance": instance} if instance else {})}


def _look_up(looked_up: LookedUp) -> dict[str, Json]:
    """A look-up with its answer, in the form that a replay reads."""
    record: dict[str, Json] = {"tool": looked_up.tool, "arguments": dict(looked_up.arguments)}
    if looked_up.result is not None:
        record["result"] = looked_up.result
    if looked_up.failed:
        record["failed"] = True
    return {**record, "why": looked_up.why} if looked_up.why else record


def arguments_text(call: ToolCall) -> str | None:
    """The arguments of a call as JSON text; None if they are unknown or have no JSON form.

    Deciding a call and replaying its record both read this text, so that they cannot differ.
    """
    if call.arguments is None:
        return None
    try:
        return json.dumps(dict(call.arguments), ensure_ascii=False, default=_json)
    except (ValueError, TypeError, RecursionError):
        return None


def context_text(call: ToolCall) -> str:
    """The context of a call as JSON text. Raises ValueError or TypeError if it has no JSON form."""
    return json.dumps(dict(call.context), ensure_ascii=False, default=_json)


def result_text(result: object) -> str | None:
    """A tool's result as text; None if it is too long to keep or has no JSON form."""
    try:
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=_json)
    except Exception:  # a result may run code of its own, and the end of the call must still be reported
        return None
    return text if len(text) <= LONGEST_RESULT else None


def _json(value: object) -> Json:
    """The JSON form of a value that has none: a sorted list for a set, else its text."""
    if isinstance(value, (set, frozenset)):
        return list[Json](sorted(str(item) for item in value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  any elements
    return str(value)


def _plain(value: Value) -> Json:
    match value:
        case RecordValue():
            return {name: _plain(held) for name, held in value.fields}
        case tuple():
            return [_plain(element) for element in value]
        case frozenset():
            return list[Json](sorted(value))
        case Decimal() | timedelta():
            return str(value)
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return value
