"""GuardAgent's layout: objects with ``agent_input`` and ``agent_output``, one action a record.

An action is a call of the tool ``act`` with the agent's whole ``output``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    build_run,
    facts,
    read_each,
    run_id,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import dump

ACT = "act"
"""The tool of an action that a log has as the agent's whole output; its parameter is ``output``."""

_KEYS = frozenset({"agent_input", "agent_output"})
_KEY_LINE = re.compile(r"^[ \t]*([A-Za-z][\w .'-]{0,40}?)[ \t]*:[ \t]*(\S.*?)?[ \t]*$", re.MULTILINE)


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


def key_values(text: str) -> dict[str, Json]:
    """The ``Key: value`` lines of a text, keys in lower case with ``_`` for spaces.

    A key with two different values is left out: it is unknown which of them counts.
    """
    value_by_key: dict[str, Json] = {}
    twice: set[str] = set()
    for match in _KEY_LINE.finditer(text):
        key, value = match.group(1).strip().lower().replace(" ", "_"), match.group(2)
        if not value:
            continue
        if key in value_by_key and value_by_key[key] != value:
            twice.add(key)
        value_by_key[key] = value
    return {key: value for key, value in value_by_key.items() if key not in twice}
