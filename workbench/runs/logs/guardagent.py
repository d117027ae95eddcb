"""GuardAgent's layout: objects with ``agent_input`` and ``agent_output``, one action a record.

An action is a call of the tool ``act`` with the agent's whole ``output``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from workbench.model import ACT, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    build_run,
    facts,
    key_values,
    read_each,
    run_id,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import dump

_KEYS = frozenset({"agent_input", "agent_output"})


class GuardAgentLog:
    """Reads a JSON array or JSONL; the whole output of the agent is the action to judge."""

    name = "guardagent"

    def matches(self, sample: Sample) -> float:
        """The share of records with both texts."""
        return sample.share(_KEYS)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each record as a run of one call."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run]:
            texts: dict[str, str] = {}
            for name in sorted(_KEYS):
                value = record.get(name)
                if value is None:
                    raise NotThisFormat(f"the record has no {name}")
                texts[name] = value if isinstance(value, str) else dump(value)
            context = dict(chain(key_values(texts["agent_input"]).items(), facts(record, _KEYS).items()))
            yield build_run(
                run_id(record, source, line),
                [LoggedCall(tool=ACT, raw={"output": texts["agent_output"]}, texts=texts)],
                context,
                self.name,
                source,
                f"line {line}",
            )

        return read_each(source, convert)
