"""Results that report a failed call, as the agent and its records declare it by ``errors``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from workbench.model import Record, RecordedCall
from workbench.runs.values.found_value import Missing
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
        """Whether a call is flagged as failed, or its result matches a pattern.

        Raises Missing for a result on which a pattern takes too long.
        """
        if call.failed or call.result is None or call.tool is None:
            return call.failed
        try:
            return any_in((*self._of_every_tool, *self._patterns.get(call.tool, ())), call.result)
        except TimeoutError:
            raise Missing(f"a pattern of errors takes too long on the result of call {call.index}") from None


def _tools_of(record: Record) -> set[str]:
    """The tools whose results or effects are about a record."""
    look_up = () if record.look_up is None else (record.look_up.tool,)
    results = (result.tool for result in record.results)
    return {*results, *record.changed_by, *record.changed_to, *look_up}
