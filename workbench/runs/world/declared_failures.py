"""Results that report a failed call: an object with an error, or what the agent declares by ``errors``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

from workbench.model import AgentSpec, Record, RecordedCall
from workbench.runs.values.found_value import Missing
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.values.patterns import Pattern, any_in, compiled


class DeclaredFailures:
    """The patterns of failed results: those of every tool, and those of tools that are about a record."""

    def __init__(self, records: Iterable[Record], errors: Iterable[str] = ()) -> None:
        """Take the records of the agent; the patterns of all records of a tool hold for its results.

        ``errors`` are the patterns of the agent, for the results of every tool.
        """
        self._of_every_tool = [compiled(pattern) for pattern in errors]
        patterns: dict[str, list[Pattern]] = {}
        for record in records:
            own = [compiled(pattern) for pattern in record.errors]
            for tool in _tools_of(record):
                patterns.setdefault(tool, []).extend(own)
        self._patterns: Mapping[str, Sequence[Pattern]] = patterns

    def has_failed(self, call: RecordedCall) -> bool:
        """Whether a call is flagged as failed, or its result has an error or matches a pattern.

        Raises Missing for a result on which a pattern takes too long.
        """
        if call.failed or call.result is None or call.tool is None:
            return call.failed
        if (says := says_error(call.result)) is not None:
            return says
        try:
            return any_in((*self._of_every_tool, *self._patterns.get(call.tool, ())), call.result)
        except TimeoutError:
            raise Missing(f"a pattern of errors takes too long on the result of call {call.index}") from None


ERROR = "error"
"""The member of a result by which an object says that its call failed."""
_BEGINS_WITH_ERROR = re.compile(r'\s*+\{\s*+"error"')
_ESCAPED = "\\u"
_SHORT = 10_000
"""The most characters of a result of which many are kept."""


def says_error(result: str) -> bool | None:
    """Whether the ``error`` of a result that is an object is one: not null, false or empty; None without it.

    It is its own member, wherever it stands. A text that is not JSON has an error if it begins with one.
    """
    if (ERROR not in result and _ESCAPED not in result) or not result.lstrip().startswith("{"):
        return None
    return (_of_short if len(result) <= _SHORT else _of_long)(result)


def _of_object(result: str) -> bool | None:
    try:
        value = parse_json(result, unique_keys=True, bounded=False)
    except BadJson:
        return True if _BEGINS_WITH_ERROR.match(result) else None
    return bool(value[ERROR]) if isinstance(value, dict) and ERROR in value else None


# Every later call of a run asks for the results before it; long ones must not fill the memory of a guard.
_of_short = lru_cache(maxsize=4_096)(_of_object)
_of_long = lru_cache(maxsize=64)(_of_object)


def failed_by_tool(spec: AgentSpec, calls: Iterable[RecordedCall]) -> Mapping[str, int]:
    """How many of the results of recorded calls say that the call failed, by the tool."""
    failures = DeclaredFailures(spec.records, spec.errors)
    counts = Counter[str]()
    for call in calls:
        with suppress(Missing):
            counts[call.tool or ""] += failures.has_failed(call)
    return +counts


def _tools_of(record: Record) -> set[str]:
    """The tools whose results or effects are about a record."""
    look_up = () if record.look_up is None else (record.look_up.tool,)
    results = (result.tool for result in record.results)
    return {*results, *record.changed_by, *record.changed_to, *look_up}
