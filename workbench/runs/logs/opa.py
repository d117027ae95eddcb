"""Decision logs of the Open Policy Agent: each call is the input of a decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    build_run,
    dict_at,
    facts,
    read_each,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample

_TOOL = ("tool", "tool_name", "action", "method", "name")
_ARGUMENTS = ("arguments", "args", "tool_input", "params", "parameters")
_LEAVE_OUT = frozenset({"input", "nd_builtin_cache", "metrics", "bundles"})


class Opa:
    """Reads each decision as one run of one call."""

    name = "opa-decision-log"

    def matches(self, sample: Sample) -> float:
        """The share of records with a decision and its input."""
        return max(
            sample.share(frozenset({"decision_id", "input"})),
            0.9 * sample.share(frozenset({"decision_id", "path"})),
        )

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each decision. Arguments have a usual name in the input; else the input is the arguments."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            decision = text_at(record, "decision_id")
            if decision is None:
                raise NotThisFormat("the record has no decision_id")
            call = _call(record)
            context = {**facts(dict_at(record, "input"), frozenset(_ARGUMENTS)), **_recorded(record)}
            yield build_run(decision, [call], context, self.name, source, f"line {line}")

        return read_each(source, convert)


def _call(record: Mapping[str, Json]) -> LoggedCall:
    opa_input = record.get("input")
    time = text_at(record, "timestamp")
    # Masked or erased parts are unknown: such an input must not pass for a complete one.
    if not isinstance(opa_input, dict) or record.get("erased") or record.get("masked"):
        tool = text_at(opa_input, *_TOOL) if isinstance(opa_input, dict) else None
        return LoggedCall(tool, None, None, time)
    named = [opa_input[key] for key in _ARGUMENTS if key in opa_input]
    # If there are two, it is unknown which of them the tool received.
    raw = (named[0] if len(named) == 1 else None) if named else dict(opa_input)
    return LoggedCall(text_at(opa_input, *_TOOL), raw, None, time)


def _recorded(record: Mapping[str, Json]) -> dict[str, Json]:
    record_facts = facts(record, _LEAVE_OUT)
    return {f"opa_{key}": value for key, value in record_facts.items() if key != "decision_id"}
