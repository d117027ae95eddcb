"""The tools of an agent, with the schemas that recorded calls show where a tool has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from workbench.model import RecordedCall, Tool
from workbench.runs.extract.observe import observed_tools


def with_seen_schemas(tools: Iterable[Tool], calls: Sequence[RecordedCall]) -> Iterator[Tool]:
    """The tools; a tool without a schema gets the schema of its recorded calls."""
    observed_by_name = {tool.name: tool for tool in observed_tools(calls)}
    for tool in tools:
        unknown = not tool.parameters.get("properties") and tool.name in observed_by_name
        yield replace(tool, parameters=observed_by_name[tool.name].parameters) if unknown else tool
