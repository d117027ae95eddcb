"""GuardAgent's layout: objects with ``agent_input`` and ``agent_output``, one action a record."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from workbench.logs.importer import Call, NotThisFormat, build_trace, facts, key_values, read_each, trace_id
from workbench.logs.jsontext import dump
from workbench.logs.source import Sample, Source
from workbench.model import ImportProblem, Json, Trace

_KEYS = frozenset({"agent_input", "agent_output"})


class GuardAgent:
    """Reads a JSON array or JSONL; the whole output of the agent is the action to be judged."""

    name = "guardagent"

    def matches(self, sample: Sample) -> float:
        """The share of records with both texts."""
        return sample.share(_KEYS)

    def read(self, source: Source) -> Iterator[Trace | ImportProblem]:
        """One trace of one step a record."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Trace]:
            texts: dict[str, str] = {}
            for name in sorted(_KEYS):
                value = record.get(name)
                if value is None:
                    raise NotThisFormat(f"the record has no {name}")
                texts[name] = value if isinstance(value, str) else dump(value)
            context = dict(chain(key_values(texts["agent_input"]).items(), facts(record, _KEYS).items()))
            yield build_trace(
                trace_id(record, source, line),
                [Call(tool=None, texts=texts)],
                context,
                self.name,
                source,
                f"line {line}",
            )

        return read_each(source, convert)
